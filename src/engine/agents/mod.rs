//! What coding agents propose, and how they are set up.

pub(crate) mod propose;
pub mod setup;
pub(crate) mod stop_hook;
