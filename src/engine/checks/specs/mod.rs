//! YAML tests: found, validated, run and reported.

pub(crate) mod llm_judge;
pub mod runner;
pub mod validate;
