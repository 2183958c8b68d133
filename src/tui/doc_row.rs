//! One line of a document: what is shown, and what it is about.

use crate::base::paths::RelPath;
use crate::tui::row::Row;

/// What a line is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum About {
    /// Nothing to go to.
    #[default]
    Nothing,
    /// A line of evidence, by its position.
    Evidence(usize),
    /// A line of the file that accepting writes.
    Target(RelPath, u32),
    /// A file that accepting writes, whose lines are folded away.
    Folded(RelPath),
    /// A line of the project's source.
    Source(RelPath, u32),
    /// A changed call, by its position.
    Changed(usize),
    /// A function of the comparison with a commit, and one of its calls, by their positions.
    Differs(usize, Option<usize>),
    /// A near difference of the comparison with a commit, by its position.
    Beside(usize),
    /// A clause of the intent, by its position.
    Clause(usize),
    /// A YAML test, by its position in the snapshot.
    Spec(usize),
    /// A step of the YAML test that is shown, by its position.
    Step(usize),
    /// A command that could be recorded, by its position.
    Offer(usize),
    /// A recording, by its position in the snapshot.
    Recording(usize),
    /// A job, by its position in the snapshot.
    Job(usize),
    /// A line of the log, by its position in the snapshot.
    Log(usize),
}

/// One line of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocRow {
    /// What is shown.
    pub row: Row,
    /// What it is about.
    pub about: About,
    /// A step of `,` and `.` stops here.
    pub stop: bool,
    /// It is a line that accepting adds or removes.
    pub changed: bool,
}

impl DocRow {
    /// Makes a line that is only read.
    #[must_use]
    pub fn of(row: Row) -> Self {
        Self { row, ..Self::default() }
    }
}
