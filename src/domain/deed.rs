//! Deeds: what is done at once with decisions, and the files that change with them. Kept until all of it is done.

use serde::{Deserialize, Serialize};

use crate::domain::decision::{Decision, FileEdit, Verb};
use crate::domain::proposal::{Proposal, ProposalState};

/// Numbers a deed in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeedId(pub i64);

/// What becomes of the decisions of a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// They are made.
    Made,
    /// They are taken back, the newest first.
    Back,
    /// They were taken back and are made again, the oldest first.
    Again,
}

/// Decisions that are made, taken back or made again at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deed {
    /// What becomes of them.
    pub way: Way,
    /// The decisions; new ones have no number yet.
    pub decisions: Vec<Decision>,
    /// What it writes, each file once.
    pub edits: Vec<FileEdit>,
    /// Where the proposals stood before, one for each decision; empty before it is begun.
    #[serde(default)]
    pub stood: Vec<ProposalState>,
}

impl Deed {
    /// Makes a deed that is not begun.
    #[must_use]
    pub fn new(way: Way, decisions: Vec<Decision>, edits: Vec<FileEdit>) -> Self {
        Self { way, decisions, edits, stood: Vec::new() }
    }

    /// Gives where a proposal waits while the deed is done, so that nobody else decides on it; none where it stays.
    #[must_use]
    pub fn meanwhile(&self, verb: Verb) -> Option<ProposalState> {
        match verb {
            _ if self.way == Way::Back => None,
            Verb::Skip => None,
            Verb::Accept => Some(ProposalState::Accepted),
            Verb::Edit => Some(ProposalState::Edited),
            Verb::Reject | Verb::Overrule => Some(ProposalState::Rejected),
        }
    }

    /// Moves a proposal to where the deed leads it.
    pub fn conclude(&self, decision: &Decision, proposal: &mut Proposal) {
        let back = self.way == Way::Back;
        match decision.verb {
            Verb::Skip => proposal.skipped = !back,
            Verb::Accept | Verb::Edit if !back => proposal.state = ProposalState::Written,
            Verb::Reject | Verb::Overrule if !back => {}
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
