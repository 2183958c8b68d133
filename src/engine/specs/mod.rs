//! YAML tests in the workbench.

pub(crate) mod ask_model;
pub(crate) mod drafts;
pub(crate) mod run;
