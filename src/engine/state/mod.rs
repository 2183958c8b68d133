//! What the jobs share; what one kind of job knows is a part of the core that only its owner names.

pub(crate) mod background;
pub(crate) mod core;
pub(crate) mod done;
pub(crate) mod follow_ups;
pub(crate) mod jobs;
pub(crate) mod known_failures;
pub(crate) mod log;
pub(crate) mod memory;
pub(crate) mod own_decisions;
pub(crate) mod parts;
pub(crate) mod proposals;
pub(crate) mod questions;
pub(crate) mod record_suggestions;
pub(crate) mod rows;
pub(crate) mod snapshots;
pub(crate) mod spec_board;
pub(crate) mod token_buffers;
pub(crate) mod trust;
pub(crate) mod verdict_rows;
pub(crate) mod versioned;
