//! Recorded calls under other code, and what they do differently there.

pub(crate) mod behaviour;
pub(crate) mod bisect;
pub(crate) mod checkout;
pub(crate) mod code_versions;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod first_replay;
pub(crate) mod pairs;
