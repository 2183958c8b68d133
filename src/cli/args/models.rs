//! The words and flags of the verbs that ask language models, and of those that keep them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::global::Global;
use crate::config::layers::Flag;

/// Which model a verb asks, in place of what the settings say.
#[derive(Debug, Clone, Default, Args)]
pub struct Models {
    /// Ask this provider: a name under `providers`, or `local`.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Ask this model, by its provider's name for it.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Use of recorded answers: off, replay, record or live.
    #[arg(long, value_name = "MODE")]
    pub answers: Option<String>,
}

impl Models {
    /// Gives the flags of every verb, and these.
    #[must_use]
    pub fn with(&self, global: &Global) -> Global {
        let named = [
            ("model.provider", "--provider", &self.provider),
            ("model.name", "--model", &self.model),
            ("model.answers", "--answers", &self.answers),
        ];
        let mut global = global.clone();
        global.flags.extend(named.into_iter().filter_map(|(name, flag, value)| {
            Some(Flag { name: name.to_owned(), value: value.clone()?, flag: flag.to_owned() })
        }));
        global
    }
}

/// `draft`
#[derive(Debug, Args)]
pub struct Draft {
    /// The function, file or folder: `shop.pricing:tax_for`, `shop/pricing.py:tax_for`, `tax_for`, `shop/pricing.py`, `shop`.
    pub target: String,
    /// A file of settings for this command, with pytead-tui's keys or pytest-generator's.
    #[arg(value_name = "CONFIG.yaml")]
    pub config: Option<PathBuf>,
    /// Also write verified drafts into DIR, or into one `.py` file [default: `output.default_dir`].
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print an answer only when it is complete.
    #[arg(long)]
    pub no_stream: bool,
    /// Accepted for compatibility; the whole project is always indexed.
    #[arg(long, value_name = "DIR")]
    pub scan_root: Option<PathBuf>,
    /// Write the index of classes to a file.
    #[arg(long, value_name = "FILE")]
    pub save_index: Option<PathBuf>,
    /// Accepted for compatibility; FILE is only validated.
    #[arg(long, value_name = "FILE")]
    pub load_index: Option<PathBuf>,
    /// Leave dependencies out of the prompt.
    #[arg(long, conflicts_with_all = ["save_index", "load_index"])]
    pub no_index: bool,
    /// Print the exact bytes for the model, and send nothing.
    #[arg(long)]
    pub show_outgoing: bool,
    /// An instruction for the model, such as `use pieces=10`.
    #[arg(short, long)]
    pub message: Option<String>,
    /// Which model is asked.
    #[command(flatten)]
    pub models: Models,
}

impl Draft {
    /// Gives the settings that its flags stand for.
    #[must_use]
    pub fn flags(&self) -> Vec<Flag> {
        let off = Flag { name: "prompt.dependencies".into(), value: "off".into(), flag: "--no-index".into() };
        self.no_index.then_some(off).into_iter().collect()
    }
}

/// `model`
#[derive(Debug, Args)]
pub struct Model {
    /// What to do [default: list].
    #[command(subcommand)]
    pub action: Option<ModelAction>,
}

/// What can be done with the models of this machine.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// List downloaded models and the chosen one.
    List,
    /// Download a model from a Hugging Face hub, or resume a download.
    Get {
        /// `owner/repository/file.gguf` [default: a model trained to write pytest].
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        /// Download without asking, whatever the size.
        #[arg(short, long)]
        yes: bool,
    },
    /// Choose the model for drafts.
    Use {
        /// `owner/repository/file.gguf`, the path of a file, `demo`, or `claude_code` for Claude Code.
        #[arg(value_name = "MODEL")]
        model: String,
    },
    /// Delete a model from this machine.
    Rm {
        /// `owner/repository/file.gguf`.
        #[arg(value_name = "MODEL")]
        model: String,
    },
}
