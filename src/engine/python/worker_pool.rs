//! The warm Pythons that prove drafts: one a hash seed, with pytest and the project's third-party modules loaded, started
//! when first needed. Text by a model has its own, so that it never shares a sandbox with anything else.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::contain::{self, Level};
use crate::domain::function::FunctionId;
use crate::engine::python::environment::{Environment, import_roots};
use crate::engine::state::core::Core;
use crate::python::protocol::Hello;
use crate::python::zygote::{Worker, WorkerSpec};

/// Whose text a Python runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// Ours, or a person's.
    Own,
    /// A model's.
    Foreign,
}

/// The warm Pythons of a project.
#[derive(Default)]
pub struct Provers {
    warm: tokio::sync::Mutex<BTreeMap<(Author, u32), Worker>>,
    folders: [OnceLock<Arc<Scratch>>; 2],
    elsewhere: OnceLock<Arc<Scratch>>,
    never: Mutex<HashSet<FunctionId>>,
    visited: Mutex<BTreeSet<(Author, u32, bool)>>,
    /// Runs of the proof at hand found that plain pytest does not reach the project's modules, or reaches another copy of
    /// them: none tries that again.
    pub rooted: AtomicBool,
}

impl Provers {
    /// Gives the Python of a hash seed and what it says of itself.
    ///
    /// # Errors
    /// When it cannot be started or contained.
    pub async fn get(
        &self,
        core: &Core,
        environment: &Environment,
        (author, level): (Author, Level),
        hash_seed: u32,
    ) -> Result<(Worker, Hello), Trouble> {
        let mut warm = self.warm.lock().await;
        if let Some(worker) = warm.get(&(author, hash_seed)) {
            let hello = worker.hello().await?;
            return Ok((worker.clone(), hello));
        }
        let mut spec = WorkerSpec::new(environment.interpreter.clone(), environment.package.clone(), level, &core.root);
        spec.paths = import_roots(&core.index(), &core.root);
        // What the worker for calls could load ahead leaves no threads here either.
        spec.preload = environment.preloaded(core).await?;
        spec.tried = true;
        spec.tests = true;
        spec.hash_seed = hash_seed;
        spec.read_only = vec![self.folder(author)?.path().to_owned(), self.elsewhere()?];
        let worker = Worker::start(spec).await?;
        let hello = worker.hello().await?;
        warm.insert((author, hash_seed), worker.clone());
        Ok((worker, hello))
    }

    /// Makes an empty folder for tests, which these Pythons can read and not write: what they run must not be able to
    /// change what is laid out there, or where.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn bench(&self, author: Author) -> Result<tempfile::TempDir, Trouble> {
        contain::private_folder(self.folder(author)?.path(), "bench-")
            .map_err(|error| Trouble::environment("A proof could not be laid out.").because(format!("{error}.")))
    }

    /// Gives the folder that tests run in to see whether they pass in another one than the project's: an empty one that nobody
    /// writes to. A test that goes through all files below would not come to the end of the root of a machine.
    ///
    /// # Errors
    /// When there is no room for it.
    pub fn elsewhere(&self) -> Result<PathBuf, Trouble> {
        Ok(made(&self.elsewhere)?.path().to_owned())
    }

    fn folder(&self, author: Author) -> Result<Arc<Scratch>, Trouble> {
        made(&self.folders[usize::from(author == Author::Foreign)])
    }

    /// Tells whether nothing ran yet in the Python of a hash seed, with or without the project's folders on the path; that is
    /// noted.
    pub fn is_untouched(&self, author: Author, hash_seed: u32, with_roots: bool) -> bool {
        self.visited.lock().insert((author, hash_seed, with_roots))
    }

    /// Notes that the tests of a function gave another result in a warm Python than in a fresh one.
    pub fn distrust(&self, function: &FunctionId) {
        self.never.lock().insert(function.clone());
    }

    /// Tells whether tests of a function run in fresh Pythons only.
    pub fn is_distrusted(&self, function: &FunctionId) -> bool {
        self.never.lock().contains(function)
    }
}

/// Gives a folder, made when it is first asked for.
fn made(slot: &OnceLock<Arc<Scratch>>) -> Result<Arc<Scratch>, Trouble> {
    if let Some(folder) = slot.get() {
        return Ok(folder.clone());
    }
    let made = Arc::new(Scratch::new()?);
    Ok(slot.get_or_init(|| made).clone())
}

/// Gives the folders of a project as the runs of its tests need them.
pub fn places(core: &Core) -> (PathBuf, Vec<PathBuf>, BTreeSet<String>) {
    let names = core.index().modules().filter_map(|module| module.name.split('.').next().map(ToOwned::to_owned)).collect();
    (core.root.clone(), import_roots(&core.index(), &core.root), names)
}
