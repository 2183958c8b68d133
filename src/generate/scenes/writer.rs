//! What is known while the steps of a scene are written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::scene::{Scene, Step};
use crate::domain::value::TypeName;
use crate::generate::project::Project;
use crate::generate::scenes::clients::Made;
use crate::generate::scenes::repeated::Copied;
use crate::generate::scope::{Import, Scope, snake};

/// What a test is called that a client gives.
pub(super) const RESPONSE: &str = "response";
pub(super) const RESULT: &str = "result";

/// Writes the steps of one scene.
pub(super) struct Writer<'s, 'a> {
    pub(super) scene: &'s Scene,
    pub(super) project: Project<'a>,
    pub(super) scope: Scope,
    /// The folder of accepted tests, absolute.
    pub(super) folder: std::path::PathBuf,
    pub(super) fixtures: Vec<String>,
    pub(super) imports: BTreeSet<Import>,
    pub(super) taken: BTreeSet<String>,
    /// The names of rows, by their steps.
    pub(super) rows: BTreeMap<usize, String>,
    /// The rows that something refers to.
    pub(super) used: BTreeSet<usize>,
    /// The client that no fixture gives.
    pub(super) client: Option<Made>,
    /// The temporary folder that a command works in, absolute.
    pub(super) base: Option<String>,
    /// The files below the temporary folder that the test makes itself, by their paths inside.
    pub(super) laid: BTreeSet<String>,
    /// Fixtures that gave the path of such a file, and nothing else that the test has.
    pub(super) replaced: BTreeSet<String>,
    /// The application that the test makes: which one it was in the recorded test, and its name.
    pub(super) app: Option<(Option<u64>, String)>,
    /// The lines that make it, before all others.
    pub(super) first: Vec<String>,
    /// Classes of a test file whose lines are among them.
    pub(super) repeated: Vec<TypeName>,
    /// Fixtures of a test file that are written again beside the test, and the names of those that were tried.
    pub(super) copied: Vec<Copied>,
    pub(super) begun: BTreeSet<String>,
    /// The numbers of secrets that have made-up values, in order.
    pub(super) secrets: Vec<u64>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(scene: &'s Scene, project: Project<'a>, scope: Scope, folder: &str) -> Self {
        Self {
            scene,
            project,
            scope,
            folder: Path::new(project.root).join(folder),
            fixtures: Vec::new(),
            imports: BTreeSet::new(),
            taken: BTreeSet::from([RESPONSE.to_owned(), RESULT.to_owned()]),
            rows: BTreeMap::new(),
            used: BTreeSet::new(),
            client: None,
            base: None,
            replaced: BTreeSet::new(),
            laid: BTreeSet::new(),
            app: None,
            first: Vec::new(),
            repeated: Vec::new(),
            copied: Vec::new(),
            begun: BTreeSet::new(),
            secrets: Vec::new(),
        }
    }

    /// Names the rows that its steps make: these of them.
    pub(super) fn name_rows(&mut self, is_made: impl Fn(usize) -> bool) {
        let scene = self.scene;
        // What a fixture may be called is no name for anything else.
        self.taken.extend(scene.fixtures.keys().cloned());
        for (at, step) in scene.steps.iter().enumerate().filter(|(at, _)| is_made(*at)) {
            if let Step::Row { model, .. } = step {
                let short = model.1.rsplit('.').next().unwrap_or_default();
                let name = self.scope.local(&snake(short), &mut self.taken);
                self.rows.insert(at, name);
            }
        }
    }

    /// Writes the key of a row; of what a fixture gave, it is Django's.
    pub(super) fn key(&self, name: &str, row: Option<usize>) -> String {
        let step = row.and_then(|at| self.scene.steps.get(at));
        let is_sqlalchemy = matches!(step, Some(Step::Row { method, .. }) if method.is_empty());
        format!("{name}.{}", if is_sqlalchemy { "id" } else { "pk" })
    }
}
