//! Tests with intents in the workbench.

pub(crate) mod decide;
pub mod on_recording;
pub(crate) mod propose_clauses;
pub(crate) mod rerun;
pub(crate) mod state;
pub(crate) mod unjudged;
