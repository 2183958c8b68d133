//! The words and flags of the verbs that ask language models, and of those that keep them.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::global::Global;
use crate::config::layers::Flag;

/// Which model a verb asks, in place of what the settings say.
#[derive(Debug, Clone, Default, Args)]
pub struct Models {
    /// The provider to ask: its name under `providers`, or `local`.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model to ask, by the name its provider knows it by.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Recorded answers: off, replay, record or live.
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
    /// A file of settings for this call, also with the keys of pytest-generator.
    #[arg(value_name = "CONFIG.yaml")]
    pub config: Option<PathBuf>,
    /// Write what is proved there, too, a file a module, or into one `.py`; by default to `output.default_dir`.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print nothing before an answer is whole.
    #[arg(long)]
    pub no_stream: bool,
    /// A folder whose classes are known; all of the project's are.
    #[arg(long, value_name = "DIR")]
    pub scan_root: Option<PathBuf>,
    /// Write the index of classes to a file.
    #[arg(long, value_name = "FILE")]
    pub save_index: Option<PathBuf>,
    /// An index of classes; ours is always of today, so it is only checked.
    #[arg(long, value_name = "FILE")]
    pub load_index: Option<PathBuf>,
    /// Tell the model no dependencies.
    #[arg(long, conflicts_with_all = ["save_index", "load_index"])]
    pub no_index: bool,
    /// Print what would be sent, byte for byte, and ask nobody.
    #[arg(long)]
    pub show_outgoing: bool,
    /// A remark for the model: `use pieces=10`.
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
    /// What to do; by default list them.
    #[command(subcommand)]
    pub action: Option<ModelAction>,
}

/// What can be done with the models of this machine.
#[derive(Debug, Subcommand)]
pub enum ModelAction {
    /// List the models that are here, and which one is chosen.
    List,
    /// Get a model from a Hugging Face hub; goes on where it stopped.
    Get {
        /// `owner/repository/file.gguf`; by default a model trained to write pytest.
        #[arg(value_name = "MODEL")]
        model: Option<String>,
        /// Get it without a question, however large it is.
        #[arg(short, long)]
        yes: bool,
    },
    /// Choose the model that is asked for drafts.
    Use {
        /// `owner/repository/file.gguf`, the path of a file, `demo`, or `claude_code` for Claude Code.
        #[arg(value_name = "MODEL")]
        model: String,
    },
    /// Remove a model from this machine.
    Rm {
        /// `owner/repository/file.gguf`.
        #[arg(value_name = "MODEL")]
        model: String,
    },
}
