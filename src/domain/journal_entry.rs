//! Journal entries: decisions that are made, undone or redone together, with their edits. Stored until all of it is done.

use serde::{Deserialize, Serialize};

use crate::domain::decision::{Decision, FileEdit, Verb};
use crate::domain::proposal::{Proposal, ProposalState};

/// Numbers a journal entry in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JournalEntryId(pub i64);

/// What becomes of the decisions of a journal entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JournalAction {
    /// They are made.
    #[serde(rename = "made")]
    Decide,
    /// They are taken back, the newest first.
    #[serde(rename = "back")]
    Undo,
    /// They were taken back and are made again, the oldest first.
    #[serde(rename = "again")]
    Redo,
}

/// Decisions that are made, taken back or made again at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// What becomes of them.
    #[serde(rename = "way")]
    pub action: JournalAction,
    /// The decisions; new ones have no number yet.
    pub decisions: Vec<Decision>,
    /// What it writes, each file once.
    pub edits: Vec<FileEdit>,
    /// The states of the proposals before, one for each decision; empty before it is begun.
    #[serde(default, rename = "stood")]
    pub before: Vec<ProposalState>,
}

impl JournalEntry {
    /// Makes a journal entry that is not begun.
    #[must_use]
    pub fn new(action: JournalAction, decisions: Vec<Decision>, edits: Vec<FileEdit>) -> Self {
        Self { action, decisions, edits, before: Vec::new() }
    }

    /// Returns the state of a proposal while the entry is carried out, so that no other process decides on it; none if it stays.
    #[must_use]
    pub fn pending_state(&self, verb: Verb) -> Option<ProposalState> {
        match verb {
            _ if self.action == JournalAction::Undo => None,
            Verb::Skip => None,
            Verb::Accept => Some(ProposalState::Accepted),
            Verb::Edit => Some(ProposalState::Edited),
            Verb::Reject | Verb::Overrule | Verb::Keep => Some(ProposalState::Rejected),
        }
    }

    /// Moves a proposal to its state after the entry.
    pub fn conclude(&self, decision: &Decision, proposal: &mut Proposal) {
        let back = self.action == JournalAction::Undo;
        match decision.verb {
            Verb::Skip => proposal.skipped = !back,
            Verb::Accept | Verb::Edit if !back => proposal.state = ProposalState::Written,
            Verb::Reject | Verb::Overrule | Verb::Keep if !back => {}
            // A change that is gone since stays gone.
            _ if !matches!(proposal.state, ProposalState::Written | ProposalState::Rejected) => {}
            // Older decisions name the step before the file was written.
            _ if matches!(decision.from, ProposalState::Accepted | ProposalState::Edited) => {
                proposal.state = ProposalState::Ready
            }
            _ => proposal.state = decision.from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_stored_as_earlier_versions_stored_it() {
        let mut entry = JournalEntry::new(JournalAction::Undo, Vec::new(), Vec::new());
        entry.before.push(ProposalState::Ready);
        let stored = r#"{"way":"back","decisions":[],"edits":[],"stood":["ready"]}"#;
        assert_eq!(serde_json::to_string(&entry).unwrap(), stored);
        assert_eq!(serde_json::from_str::<JournalEntry>(stored).unwrap(), entry);
    }
}
