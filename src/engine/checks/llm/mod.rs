//! What a model is asked about a test, and what that may cost.

pub mod budget;
pub(crate) mod clauses;
pub mod opinions;
pub mod provider;
