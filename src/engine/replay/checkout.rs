//! Versions of the project's files besides today's, and the project's Python on them: those of a commit, and those with
//! a part of a change. They lie in the user's cache, are seen at the project's own path, and are never written to by
//! what runs.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::OnceCell;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::scratch::Scratch;
use crate::config::places::Places;
use crate::contain::Level;
use crate::domain::call::{Call, CallId};
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::replay_calls::{self, Observed, On};
use crate::engine::python::rerun::Files;
use crate::engine::replay::recorded_tests;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::python::zygote::{LATE_MAX, Worker};
use crate::source::git::{self, Revision};
use crate::source::index::Index;

/// Commits whose files are kept for the next time.
const KEPT: usize = 4;
/// What no commit holds and the project may still need, such as generated modules and data: so many entries at most.
const BESIDE_MAX: usize = 200;
/// What git ignores and no version of the code needs.
const NOT_NEEDED: &[&str] = &[
    ".git",
    ".pytead",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".tox",
    ".nox",
    "node_modules",
];

/// One version of the project's files.
pub struct Elsewhere {
    environment: Arc<Environment>,
    /// The commit's files as they are; nothing is ever put there.
    commit: PathBuf,
    index: Arc<Index>,
    /// What lies in the project and in no commit, and is seen in every version.
    beside: Arc<Vec<RelPath>>,
    worker: OnceCell<Worker>,
    own: Scratch,
}

impl Elsewhere {
    /// Gives the files of a commit, written out when they are not there from the last time.
    ///
    /// # Errors
    /// Fails when git or the disk does, or where nothing may run.
    pub async fn of_commit(core: &Arc<Core>, revision: Revision) -> Result<Self, Trouble> {
        let environment = environment::contained(core).await?;
        let (root, exclude) = (core.root.clone(), core.settings().record.exclude.clone());
        let (level, prefixes) = (environment.level, environment.interpreter.prefixes.clone());
        let (commit, index, beside, own) = blocking(move || {
            let commit = written_out(&root, &revision)?;
            let beside = beside(&root, &prefixes)?;
            let own = version(&commit, &[]).map_err(unwritten)?;
            make_room(&root, own.path(), &beside, level).map_err(unwritten)?;
            let index = Index::build(&commit, &exclude, &|_, _| {});
            Ok::<_, Trouble>((commit, Arc::new(index), Arc::new(beside), own))
        })
        .await??;
        Ok(Self { environment, commit, index, beside, worker: OnceCell::new(), own })
    }

    /// Gives the commit's files with some of them replaced; `None` takes a file away. Calls are found by `index`.
    ///
    /// # Errors
    /// Fails when the disk does.
    pub async fn with(&self, core: &Core, index: &Arc<Index>, files: Vec<(RelPath, Option<String>)>) -> Result<Self, Trouble> {
        let (root, from, beside, level) = (core.root.clone(), self.commit.clone(), self.beside.clone(), self.environment.level);
        let own = blocking(move || {
            let own = version(&from, &files)?;
            make_room(&root, own.path(), &beside, level).map(|()| own)
        })
        .await?
        .map_err(unwritten)?;
        Ok(Self {
            environment: self.environment.clone(),
            commit: self.commit.clone(),
            index: index.clone(),
            beside: self.beside.clone(),
            worker: OnceCell::new(),
            own,
        })
    }

    /// Gives the functions of these files.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Gives the folder with the commit's files, to be read.
    pub fn commit(&self) -> &Path {
        &self.commit
    }

    /// Runs calls against these files, alone or inside their recorded tests; what is cancelled is missing from the answer.
    ///
    /// # Errors
    /// Fails when the project's Python cannot be started or dies.
    pub async fn replay(&self, core: &Arc<Core>, calls: &[Call], job: &Job<'_>) -> Result<HashMap<CallId, Observed>, Trouble> {
        let (inside, alone): (Vec<Call>, Vec<Call>) = calls.iter().cloned().partition(|call| call.observed.inside.is_some());
        let beside = self.beside.iter().map(|path| path.under(&core.root)).filter(|path| !path.is_symlink());
        let files = Files { stand_in: Some(self.own.path().to_owned()), read_only: beside.collect(), ..Files::default() };
        let on = recorded_tests::On { index: self.index.clone(), files };
        let mut observed = self.replay_alone(core, &alone, job).await?;
        observed.extend(recorded_tests::compare::observe(core, &self.environment, &on, &inside, job).await?);
        Ok(observed)
    }

    async fn replay_alone(&self, core: &Core, calls: &[Call], job: &Job<'_>) -> Result<HashMap<CallId, Observed>, Trouble> {
        if calls.is_empty() {
            return Ok(HashMap::new());
        }
        let worker = self
            .worker
            .get_or_try_init(|| async {
                let mut spec = replay_calls::roomy(self.environment.worker_spec(core));
                spec.paths.extend(environment::import_roots(&self.index, &core.root));
                spec.paths.dedup();
                let beside = self.beside.iter().map(|path| path.under(&core.root));
                // What is bound in the place of a link would lie where that leads.
                spec.read_only.extend(beside.filter(|path| !path.is_symlink()));
                if spec.level == Level::Namespaces {
                    spec.stand_in = Some(self.own.path().to_owned());
                } else {
                    // Without a file system of its own the process finds these files where they lie.
                    let moved =
                        |path: &PathBuf| path.strip_prefix(&core.root).map_or(path.clone(), |rest| self.own.path().join(rest));
                    spec.paths = spec.paths.iter().map(moved).collect();
                    spec.root = self.own.path().to_owned();
                }
                Worker::start(spec).await
            })
            .await?;
        replay_calls::run(
            core,
            worker,
            On { index: &self.index, former: &[], files_as_recorded: false },
            calls,
            job,
            Some(LATE_MAX),
        )
        .await
    }
}

fn unwritten(error: std::io::Error) -> Trouble {
    Trouble::environment("The other version of the files cannot be written to the cache.").because(error)
}

/// Writes the files of a commit into the cache, whole or not at all.
fn written_out(root: &Path, revision: &Revision) -> Result<PathBuf, Trouble> {
    let cache = Places::find()?.cache.join("commits");
    Places::ensure(&cache)?;
    let folder = cache.join(&revision.tree);
    if !folder.is_dir() {
        let own = Scratch::new_in(&cache).map_err(unwritten)?;
        let files = own.path().join("files");
        fs::create_dir(&files).map_err(unwritten)?;
        git::check_out(root, revision, &files)?;
        // Another process may have been faster, with the same files.
        if let Err(error) = fs::rename(&files, &folder)
            && !folder.is_dir()
        {
            return Err(unwritten(error));
        }
    }
    let _ = fs::File::open(&folder).and_then(|file| file.set_modified(SystemTime::now()));
    forget_old(&cache);
    Ok(folder)
}

/// Keeps the newest commits; what is in use was used now and stays.
fn forget_old(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    let mut folders: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, path)| path.is_dir())
        .collect();
    folders.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    let young = |modified: &SystemTime| modified.elapsed().is_ok_and(|age| age.as_secs() < 3600);
    for (_, path) in folders.into_iter().skip(KEPT).filter(|(modified, _)| !young(modified)) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Lists what lies in the project without being in a commit, and may be needed to run it.
fn beside(root: &Path, prefixes: &[PathBuf]) -> Result<Vec<RelPath>, Trouble> {
    let needed = |path: &RelPath| {
        let name = path.file_name();
        !NOT_NEEDED.contains(&name) && !name.ends_with(".pyc") && path.under(root).exists()
    };
    // New code is part of the change; new data has no older version that calls could be run with.
    let is_data = |path: &RelPath| !path.as_str().ends_with(".py");
    let found = git::ignored(root)?.into_iter().chain(git::untracked(root)?.into_iter().filter(is_data));
    let mut paths: BTreeSet<RelPath> = found.filter(needed).take(BESIDE_MAX).collect();
    // An environment inside the project is there, ignored or not.
    paths.extend(prefixes.iter().filter_map(|prefix| RelPath::below(root, prefix)));
    let all = paths.clone();
    let is_inside = |path: &RelPath, other: &RelPath| path.as_str().starts_with(&format!("{other}/"));
    paths.retain(|path| !all.iter().any(|other| is_inside(path, other)));
    Ok(paths.into_iter().collect())
}

/// Makes a place in a version's folder for each thing that is beside it: to bind it there, or a link where nothing can
/// be bound.
fn make_room(root: &Path, folder: &Path, beside: &[RelPath], level: Level) -> std::io::Result<()> {
    for path in beside {
        let (real, place) = (path.under(root), path.under(folder));
        if place.symlink_metadata().is_ok() {
            continue;
        }
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        if level != Level::Namespaces {
            symlink(&real, &place)?;
        } else if real.is_symlink() {
            symlink(fs::read_link(&real)?, &place)?;
        } else if real.is_dir() {
            fs::create_dir(&place)?;
        } else {
            fs::File::create(&place)?;
        }
    }
    Ok(())
}

/// Makes a folder of the same files with some replaced.
fn version(from: &Path, files: &[(RelPath, Option<String>)]) -> std::io::Result<Scratch> {
    let own = Scratch::new_in(from.parent().unwrap_or(from))?;
    git::twin(from, own.path())?;
    for (path, text) in files {
        let place = path.under(own.path());
        // The file is shared with the folder it was taken from: it is replaced, never written to.
        match fs::remove_file(&place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        if let Some(text) = text {
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&place, text)?;
        }
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_leaves_the_files_it_was_made_from_alone() {
        let cache = tempfile::tempdir().unwrap();
        let from = cache.path().join("tree");
        fs::create_dir_all(from.join("app")).unwrap();
        fs::write(from.join("app/a.py"), "old").unwrap();
        fs::write(from.join("app/b.py"), "old").unwrap();
        let path = |text: &str| RelPath::new(text).unwrap();
        let files = [(path("app/a.py"), Some("new".to_owned())), (path("app/b.py"), None), (path("c/d.py"), Some("x".into()))];
        let own = version(&from, &files).unwrap();
        let read = |folder: &Path, path: &str| fs::read_to_string(folder.join(path)).ok();
        let folder = own.path();
        assert_eq!(read(folder, "app/a.py").as_deref(), Some("new"));
        assert_eq!((read(folder, "app/b.py"), read(folder, "c/d.py").as_deref()), (None, Some("x")));
        assert_eq!(read(&from, "app/a.py").as_deref(), Some("old"));
        assert_eq!(read(&from, "app/b.py").as_deref(), Some("old"));
    }

    #[test]
    fn room_is_made_for_what_no_commit_holds() {
        let project = tempfile::tempdir().unwrap();
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir_all(project.path().join(".venv/lib")).unwrap();
        fs::create_dir_all(project.path().join("app")).unwrap();
        fs::write(project.path().join("app/_version.py"), "v").unwrap();
        let beside = [RelPath::new(".venv").unwrap(), RelPath::new("app/_version.py").unwrap()];
        make_room(project.path(), tree.path(), &beside, Level::Namespaces).unwrap();
        assert!(tree.path().join(".venv").is_dir() && tree.path().join("app/_version.py").is_file());
        make_room(project.path(), tree.path(), &beside, Level::Namespaces).unwrap();
        let links = tempfile::tempdir().unwrap();
        make_room(project.path(), links.path(), &beside, Level::Landlock).unwrap();
        assert_eq!(fs::read_to_string(links.path().join("app/_version.py")).unwrap(), "v");
    }
}
