//! The words of `spec`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::Models;

/// `spec`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SpecArgs {
    /// What to do in place of running tests.
    #[command(subcommand)]
    pub new: Option<SpecAction>,
    /// Files and folders; by default the folders of the setting spec.paths.
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,
    /// Only say what is wrong with the files; no step is run. In a trusted folder the plugins are imported, whose tools these
    /// are.
    #[arg(long)]
    pub check: bool,
    /// Tests at once; by default the setting spec.workers.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub workers: Option<u32>,
    /// Seconds that a step may take that does not say so itself, in place of each test's own default.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Ask the model anew, whatever it said before.
    #[arg(long)]
    pub refresh: bool,
    /// Print each call of a tool and what it gave.
    #[arg(short, long)]
    pub verbose: bool,
    /// End with 1 also when a test is unclear or could not be run.
    #[arg(long)]
    pub strict: bool,
    /// List the tools that these tests may call, and plugins that are broken.
    #[arg(long, conflicts_with = "check")]
    pub tools: bool,
    /// Print the JSON schema of the files, for editors.
    #[arg(long)]
    pub schema: bool,
}

/// What `spec` does besides running.
#[derive(Debug, Subcommand)]
pub enum SpecAction {
    /// Have the chosen model write a YAML test, and a plugin where it needs one; it waits for your review.
    New(SpecNew),
}

/// `spec new`
#[derive(Debug, Args)]
pub struct SpecNew {
    /// What the test is to show, in plain English.
    #[arg(value_name = "DESCRIPTION")]
    pub description: String,
    /// The name of its file; by default made of the description.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// A plugin of the project that gets the tools that are missing.
    #[arg(long, value_name = "PLUGIN")]
    pub extend: Option<String>,
    /// Which model is asked.
    #[command(flatten)]
    pub models: Models,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if seconds > 0.0 && seconds <= 86_400.0 { Ok(seconds) } else { Err("expected more than 0 and at most 86400 seconds".into()) }
}
