//! What a command comes to.

use std::sync::Arc;

use serde::Serialize;

use crate::domain::call::Recording;
use crate::domain::diff::Diff;
use crate::domain::edited::Edits;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{LeftOut, ProposalId};

/// What a command came to.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "done", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Done {
    /// Nothing to tell.
    Nothing,
    /// A program was recorded.
    Recorded(Box<Recording>),
    /// Drafts were made and proved.
    Drafted { ready: Vec<ProposalId>, refused: Vec<ProposalId>, left_out: Vec<(FunctionId, LeftOut)> },
    /// One proposal was worked on.
    Proposal(ProposalId),
    /// Recorded calls were run; `changed` has a proposal for each function that behaves differently.
    /// `not_compared` counts kept calls that have no outcome to compare; `edits` says of each edit what the calls tell.
    Replayed { calls: u64, same: u64, changed: Vec<ProposalId>, not_compared: u64, edits: Box<Edits> },
    /// Recorded calls were compared under two versions of the code.
    Diffed(Arc<Diff>),
    /// Decisions were made or taken back, a line for each.
    Decided { lines: Vec<String> },
    /// Accepted tests that are not as they would be drafted now.
    Checked { lines: Vec<String> },
    /// Tests with intents were run and judged.
    Judged { tests: Vec<String> },
}
