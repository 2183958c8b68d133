//! What is known of the project's source.

pub(crate) mod call_sites;
pub(crate) mod configuration;
pub(crate) mod files;
pub(crate) mod initial;
pub(crate) mod last_said;
pub(crate) mod needed_roots;
pub(crate) mod reachability;
pub(crate) mod refresh;
pub(crate) mod scripts;
pub(crate) mod syntax_errors;
