//! What is known while the steps of a scene are written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::scene::{Scene, Step};
use crate::generate::project::Project;
use crate::generate::scenes::clients::Made;
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
    /// The numbers of secrets that have made-up values, in order.
    pub(super) secrets: Vec<u64>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(scene: &'s Scene, project: Project<'a>, scope: Scope, folder: &str) -> Self {
        let mut writer = Self {
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
            secrets: Vec::new(),
        };
        writer.name_rows();
        writer
    }

    fn name_rows(&mut self) {
        let scene = self.scene;
        // What a fixture may be called is no name for anything else.
        self.taken.extend(scene.fixtures.keys().cloned());
        for (at, step) in scene.steps.iter().enumerate() {
            if let Step::Row { model, .. } = step {
                let short = model.1.rsplit('.').next().unwrap_or_default();
                let name = self.scope.local(&snake(short), &mut self.taken);
                self.rows.insert(at, name);
            }
        }
    }
}
