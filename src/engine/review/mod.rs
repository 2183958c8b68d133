//! Decisions: made, written and taken back.

pub(crate) mod decide;
pub(crate) mod effects;
pub(crate) mod journal;
pub(crate) mod near;
pub(crate) mod undo;
