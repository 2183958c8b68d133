//! What a person decided, kept for ever: the undo log and the audit trail.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;

/// Numbers a decision in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DecisionId(pub i64);

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// Take it.
    Accept,
    /// Take it as the person rewrote it.
    Edit,
    /// Do not take it; it stays as it was.
    Reject,
    /// Ask again at the end of the pass.
    Skip,
    /// This recorded outcome is a bug: no test; a note that stays until the outcome changes.
    Overrule,
    /// The old outcome of a near difference is right: it becomes the draft of a test.
    Keep,
}

/// A change of one file, with what is needed to take it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEdit {
    /// The file.
    pub path: RelPath,
    /// Its content before, or `None` when it did not exist.
    pub before: Option<String>,
    /// Its content after, or `None` when it was removed.
    pub after: Option<String>,
}

impl FileEdit {
    /// Tells whether the file only serves the tests beside it: the list of what was accepted, or what puts the project on the
    /// path. A person decides on the tests, so one line says that it is written.
    #[must_use]
    pub fn is_bookkeeping(&self) -> bool {
        matches!(self.path.file_name(), "manifest.yaml" | "conftest.py")
    }

    /// Gives the edit that takes this one back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { path: self.path.clone(), before: self.after.clone(), after: self.before.clone() }
    }

    /// Counts the lines that the content after has more than the one before.
    #[must_use]
    pub fn lines_added(&self) -> usize {
        let mut old: HashMap<&str, usize> = HashMap::new();
        for line in self.before.as_deref().unwrap_or_default().lines() {
            *old.entry(line).or_default() += 1;
        }
        let after = self.after.as_deref().unwrap_or_default().lines();
        after
            .filter(|line| match old.get_mut(*line) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            })
            .count()
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// Its number; later ones are larger.
    pub id: DecisionId,
    /// What it is about.
    pub proposal: ProposalId,
    /// What the proposal is about.
    #[serde(rename = "function")]
    pub subject: ProposalSubject,
    /// What was decided.
    pub verb: Verb,
    /// Where the proposal stood before.
    pub from: ProposalState,
    /// Who: `person`, by the account's name.
    pub by: String,
    /// When.
    pub at: Moment,
    /// Why, in the words of the person who decided. They go into the files of overrides and of notes, so they are data.
    pub reason: Option<String>,
    /// The proposal's text, or the changed outcomes, at that moment.
    pub basis: Digest,
    /// What it wrote.
    pub edits: Vec<FileEdit>,
    /// It was taken back.
    pub undone: bool,
}
