//! What front ends hold the engine by.

pub(crate) mod clean;
pub mod diff_report;
pub mod settings_reload;
