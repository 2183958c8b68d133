//! The flags that every verb takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::layers::Flag;

/// Flags every verb takes.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Use DIR as the project root.
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,

    /// Print for people, or as JSON lines.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,

    /// Trust this project for this command only.
    #[arg(long, global = true)]
    pub trust: bool,

    /// Run the project's code with this interpreter.
    #[arg(long, global = true, value_name = "PATH")]
    pub python: Option<String>,

    /// Settings that the verb's own flags stand for.
    #[arg(skip)]
    pub flags: Vec<Flag>,

    /// A file of settings that the verb was given.
    #[arg(skip)]
    pub given: Option<PathBuf>,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON object a line: the engine's events, then the result.
    Json,
    /// A comment for a pull request; `diff` only.
    Markdown,
    /// Short, for a coding agent; `diff` only.
    Agent,
    /// A storage of the past; as for people.
    #[value(hide = true)]
    Pickle,
    /// A storage of the past; as for people.
    #[value(hide = true)]
    GraphJson,
}
