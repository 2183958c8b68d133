//! The gate: drafts are proved before a person is asked.

pub(crate) mod basis;
pub(crate) mod final_run;
pub(crate) mod interference;
mod negations;
pub(crate) mod pipeline;
pub(crate) mod trials;
