//! Decisions: made, written and taken back.

pub(crate) mod decide;
pub(crate) mod journal;
pub(crate) mod known_failures;
pub(crate) mod undo;
