//! Tests with an intent: judged beside pytest, accepted and overruled.

pub mod accept;
pub mod clauses;
pub mod judge;
pub(crate) mod legacy;
pub(crate) mod nearby;
pub mod overrule;
pub mod request;
pub(crate) mod suggest;
pub(crate) mod unrecorded_programs;
pub(crate) mod verdict;
