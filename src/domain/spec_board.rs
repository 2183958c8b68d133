//! YAML tests as the workbench shows them: one line each, and one of them with its steps.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::spec::{Phase, Report, StepReport};
use crate::domain::verdict::Ruling;

/// A YAML test of the project, in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecRow {
    /// Its file.
    pub file: RelPath,
    /// Its name; the file's where it has none that can be read.
    pub name: String,
    /// Mistakes of the file.
    pub mistakes: usize,
    /// Its last result.
    pub ruling: Option<Ruling>,
    /// Why, in a sentence; of an invalid file the first mistake.
    pub reason: Sentence,
    /// When it ran last.
    pub at: Option<Moment>,
    /// Milliseconds it took then.
    pub ms: u64,
    /// Why its last result is out of date.
    pub stale: Option<Sentence>,
    /// Its run, if it runs or is queued.
    pub running: Option<Running>,
}

/// A run of a YAML test that is not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Running {
    /// When it was requested.
    pub since: Moment,
    /// It is queued.
    pub waits: bool,
    /// Finished steps.
    pub done: usize,
    /// The running step: its name, its line, the number of the try and the number of tries.
    pub step: Option<(String, u32, u32, u32)>,
    /// Why it runs, if no person requested it.
    pub because: Option<Sentence>,
}

/// A YAML test with its steps and results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpecView {
    /// In a line.
    pub row: SpecRow,
    /// What it is about.
    pub description: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The mistakes of the file.
    pub mistakes: Vec<SpecMistake>,
    /// Its steps, as the file has them.
    pub plan: Vec<PlannedStep>,
    /// The results of the steps, in the order of their ends: of the current run, or else of the last one.
    pub steps: Vec<StepReport>,
    /// The last report, without its steps.
    pub last: Option<Report>,
    /// Why it was run then, if no person requested it.
    pub because: Option<Sentence>,
}

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecMistake {
    /// The line.
    pub line: u32,
    /// What it is, the line itself, and a caret.
    pub said: Vec<String>,
}

/// A step as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedStep {
    /// The part of the test.
    pub phase: Phase,
    /// Its name.
    pub name: String,
    /// Its line.
    pub line: u32,
    /// How deep it lies in groups.
    pub depth: u32,
    /// Its tool; a group has none.
    pub tool: Option<String>,
    /// How often.
    pub repeat: u32,
    /// The name under which its result is stored.
    pub save_as: Option<String>,
}

/// What a run of a YAML test depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Used {
    /// The test's own file and those of its plugins, as they were when it began.
    pub own: BTreeMap<RelPath, Digest>,
    /// The project's Python files that were imported, as they were when it ended.
    pub files: BTreeMap<RelPath, Digest>,
    /// The functions that were entered: file and qualified name. If they are unknown, all of the files count.
    pub entered: Option<BTreeSet<(RelPath, String)>>,
    /// It started processes whose code is unknown, so any change of the code counts.
    pub spawned: bool,
}

/// A run of a YAML test, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpecRun {
    /// Its report.
    pub report: Report,
    /// When it began.
    pub began: Moment,
    /// When it ended.
    pub at: Moment,
    /// Why it was run, if no person requested it.
    pub because: Option<Sentence>,
    /// What it depends on.
    pub used: Used,
}
