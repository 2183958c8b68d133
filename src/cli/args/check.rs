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
    /// What the test did.
    Journey,
    /// That, and the intent, by the chosen model.
    Model,
}

/// `check`
#[derive(Debug, Args)]
pub struct Check {
    /// Tests to run, with pytest's node ids; by default all of them.
    #[arg(value_name = "NODEID", conflicts_with_all = ["from", "recording"])]
    pub tests: Vec<String>,
    /// What has to hold, as in "Db.save is called before Mail.send"; may be given several times.
    #[arg(short, long = "clause", value_name = "SENTENCE")]
    pub clauses: Vec<String>,
    /// A file of such sentences, one a line.
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Decide on this recording; by default the last one with a journey.
    #[arg(long, value_name = "N", conflicts_with = "command")]
    pub recording: Option<i64>,
    /// Propose clauses for these tests, and say which small changes each would notice: those that hold, from what the test did;
    /// with `=model` also those that the chosen model makes of the intent. None counts before it is accepted.
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "journey", conflicts_with_all = ["clauses", "from", "recording"])]
    pub suggest: Option<Suggest>,
    /// Print what each of these tests did, call by call.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub journey: bool,
    /// Print the lines that each of these tests reached.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub lines: bool,
    /// Accept what these tests do, or with --clause that sentence, as the meaning of their intents.
    #[arg(long, requires = "tests", conflicts_with_all = ["from", "recording", "suggest", "journey", "lines", "stability"])]
    pub accept: bool,
    /// With --accept and --clause: these clauses cover all of the intent, also where they share no word with it.
    #[arg(long, requires = "accept", requires = "clauses")]
    pub covers_all: bool,
    /// Overrule the verdict on this test, for as long as neither what it does nor what decides it changes.
    #[arg(long = "override", value_name = "NODEID", requires = "reason", conflicts_with_all = ["tests", "clauses", "from", "recording", "suggest", "journey", "lines", "stability", "accept"])]
    pub overrule: Vec<String>,
    /// Why, in at least 10 characters.
    #[arg(long, value_name = "WORDS", requires = "overrule")]
    pub reason: Option<String>,
    /// The override ends after this: `12h`, `30d`, `2w`.
    #[arg(long, value_name = "AGE", requires = "overrule")]
    pub expires: Option<String>,
    /// List the overrides, and which of them no longer stand.
    #[arg(long, conflicts_with_all = ["tests", "clauses", "from", "recording", "suggest", "journey", "lines", "stability", "accept", "overrule"])]
    pub audit: bool,
    /// Judge by rules, ask no model, and say what one would be asked and what that takes.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub dry_run: bool,
    /// Print what would be sent to a model for these tests, byte for byte; nothing is sent.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub show_outgoing: bool,
    /// Ask the model anew, whatever it said before.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub refresh: bool,
    /// The model that judges what rules leave open, in place of the chosen one's name.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["clauses", "from", "recording"])]
    pub model: Option<String>,
    /// Run these tests twice and say where what they do differs.
    #[arg(long, conflicts_with_all = ["clauses", "from", "recording"])]
    pub stability: bool,
    /// End with 1 also when a sentence or an intent is unclear, or nothing happened that decides it.
    #[arg(long)]
    pub strict: bool,
    /// Where JSON events go when a program is recorded (with --format json); by default the error stream.
    #[arg(long, value_name = "FILE", requires = "command")]
    pub events: Option<PathBuf>,
    /// With sentences, the program whose journey is recorded first: `-- pytest -q tests/test_cart.py`; else arguments of
    /// pytest: `-- -q -n 4`.
    #[arg(last = true, value_name = "CMD")]
    pub command: Vec<String>,
}
