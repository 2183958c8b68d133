//! Checks that need no workbench: tests with intents, YAML tests, and what a model is asked about them.

pub mod intents;
pub mod llm;
pub mod pytest_run;
pub(crate) mod secrets;
pub mod specs;
pub(crate) mod verdict_files;
