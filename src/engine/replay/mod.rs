//! Recorded calls made again: once on the code they were recorded with, then on other code, and what they do differently.

pub(crate) mod accepted_tests;
pub(crate) mod behaviour;
pub(crate) mod bisect;
pub(crate) mod changes;
pub(crate) mod checkout;
pub(crate) mod code_versions;
pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod edited;
pub(crate) mod failure;
pub(crate) mod first_replay;
pub(crate) mod followed_lines;
pub(crate) mod foreign;
pub(crate) mod imports;
pub(crate) mod line_values;
pub(crate) mod near;
pub(crate) mod near_changes;
pub(crate) mod near_texts;
pub(crate) mod pairs;
pub(crate) mod recorded_tests;
pub(crate) mod today;
