//! The words of `check`, and of the judge that pytest's plugin starts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `__judge`
#[derive(Debug, Args)]
pub struct Judge {
    /// The model's name, in place of the chosen one's.
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// How many processes judge the tests of this run.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub processes: u32,
    /// What all of them know the run by: they share what it may ask.
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
}

/// From what clauses are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suggest {
    /// From the journey of the test.
    Journey,
    /// From the journey, and from the intent by the chosen model.
    Model,
}

/// `check`
#[derive(Debug, Args)]
pub struct Check {
    /// Tests to run, by pytest's node ids [default: all tests].
    #[arg(value_name = "NODEID", conflicts_with_all = ["from", "recording"])]
    pub tests: Vec<String>,
    /// A sentence that must hold, as in "Db.save is called before Mail.send"; repeatable.
    #[arg(short, long = "clause", value_name = "SENTENCE")]
    pub clauses: Vec<String>,
    /// Read sentences from FILE, one a line.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Decide on recording N [default: the last one with a journey].
    #[arg(long, value_name = "N", conflicts_with = "command")]
    pub recording: Option<i64>,
    /// Propose clauses for these tests, with the small changes that each would detect; accept those that you want.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "journey", conflicts_with_all = ["clauses", "from", "recording"])]
    pub suggest: Option<Suggest>,
    /// Print the journey of each test, call by call.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub journey: bool,
    /// Print the lines that each test reached.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub lines: bool,
    /// Accept the journeys of these tests, or the clauses of --clause, as the meaning of their intents.
    #[arg(long, requires = "tests", conflicts_with_all = ["from", "recording", "suggest", "journey", "lines", "stability"])]
    pub accept: bool,
    /// With --accept and --clause: these clauses cover the whole intent.
    #[arg(long, requires = "accept", requires = "clauses")]
    pub covers_all: bool,
    /// Overrule the verdict on this test, until its behaviour or its clauses change.
    #[arg(long = "override", value_name = "NODEID", requires = "reason", conflicts_with_all = ["tests", "clauses", "from", "recording", "suggest", "journey", "lines", "stability", "accept"])]
    pub overrule: Vec<String>,
    /// The reason, in at least 10 characters.
    #[arg(long, value_name = "WORDS", requires = "overrule")]
    pub reason: Option<String>,
    /// End the override after AGE: `12h`, `30d`, `2w`.
    #[arg(long, value_name = "AGE", requires = "overrule")]
    pub expires: Option<String>,
    /// List the overrides, and those that ended.
    #[arg(long, conflicts_with_all = ["tests", "clauses", "from", "recording", "suggest", "journey", "lines", "stability", "accept", "overrule"])]
    pub audit: bool,
    /// Judge by rules only, and print the questions for a model with their cost.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub dry_run: bool,
    /// Print the exact bytes for a model, and send nothing.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub show_outgoing: bool,
    /// Ignore cached answers.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub refresh: bool,
    /// Use this model of the chosen provider.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["clauses", "from", "recording"])]
    pub model: Option<String>,
    /// Run these tests twice and print where their journeys differ.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub stability: bool,
    /// Exit with 1 if a sentence or an intent is undecided, too.
    #[arg(long)]
    pub strict: bool,
    /// Write JSON events of a recorded program to FILE (with --format json) [default: standard error].
    #[arg(long, value_name = "FILE", requires = "command")]
    pub events: Option<PathBuf>,
    /// With sentences, the program to record first: `-- pytest -q tests/test_cart.py`. Otherwise arguments of pytest: `-- -q -n 4`.
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}
