//! The words of `spec`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::Models;

/// `spec`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SpecArgs {
    /// What to do instead of running tests.
    #[command(subcommand)]
    pub new: Option<SpecAction>,
    /// Files and folders [default: the setting spec.paths].
    #[arg(value_name = "FILE|DIR")]
    pub paths: Vec<PathBuf>,
    /// Validate the files without running a step.
    ///
    /// In a trusted folder, plugins are imported to read their tools.
    #[arg(long)]
    pub check: bool,
    /// Run N tests at once [default: the setting spec.workers].
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub workers: Option<u32>,
    /// Time limit of steps without their own.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Ignore cached answers.
    #[arg(long)]
    pub refresh: bool,
    /// Print each call of a tool and its result.
    #[arg(short, long)]
    pub verbose: bool,
    /// Exit with 1 if a test is unclear or cannot run, too.
    #[arg(long)]
    pub strict: bool,
    /// List tools and broken plugins.
    #[arg(long, conflicts_with = "check")]
    pub tools: bool,
    /// Print the JSON schema of the files, for editors.
    #[arg(long)]
    pub schema: bool,
}

/// What `spec` does besides running.
#[derive(Debug, Subcommand)]
pub enum SpecAction {
    /// Have the chosen model write a YAML test for your review.
    ///
    /// It also writes a plugin, if the test needs one.
    New(SpecNew),
}

/// `spec new`
#[derive(Debug, Args)]
pub struct SpecNew {
    /// The purpose of the test, in plain English.
    #[arg(value_name = "DESCRIPTION")]
    pub description: String,
    /// The name of its file [default: from the description].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Add missing tools to this plugin of the project.
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
