//! What is asked about a test that has run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::domain::verdict::Show;

/// A test that has run, and what it is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The test, by its node id.
    pub test: String,
    /// Its file below the project's root.
    pub file: String,
    /// What it is for, in plain English.
    pub intent: String,
    /// What has to hold, in sentences; where there are none, the intent's own sentences.
    #[serde(default)]
    pub checks: Vec<String>,
    /// The folder that its journey was written to.
    pub journey: PathBuf,
    /// What is wanted beside the verdict.
    #[serde(default)]
    pub show: Vec<Show>,
    /// Ask no model, only say what would be asked.
    #[serde(default)]
    pub dry: bool,
    /// Ask the model anew, whatever it said before.
    #[serde(default)]
    pub refresh: bool,
    /// Clauses that a person is about to accept: decided besides, and no part of the verdict.
    #[serde(default)]
    pub tried: Vec<String>,
    /// What the test said when it failed by its own assertion: its intent is not judged then.
    #[serde(default)]
    pub failed: Option<String>,
}
