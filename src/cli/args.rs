//! The command line: words and flags, and nothing of what they do. *Verb = file in `cli/` = heading in the docs.*

mod check;
mod global;
mod models;
mod spec;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use check::{Check, Judge, Suggest};
pub use global::{Format, Global};
pub use models::{Draft, Model, ModelAction, Models};
pub use spec::{SpecAction, SpecArgs, SpecNew};

/// What a person types.
#[derive(Debug, Parser)]
#[command(
    name = "pytead-tui",
    version,
    about = "Record what a Python program does, see what every save changes, keep it as reviewed tests",
    disable_help_subcommand = true,
    after_help = "Start here:\n  pytead-tui                    open the workbench on this project\n  pytead-tui run pytest -q      record what your tests make the program do\n  pytead-tui diff               what the change since the last commit does\n  pytead-tui review             decide on drafts and changes, line by line\n  pytead-tui doctor             what works on this machine"
)]
pub struct Cli {
    /// What to do; without a verb the workbench opens.
    #[command(subcommand)]
    pub verb: Option<Verb>,

    /// The project; by default the one this folder belongs to.
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// What every verb takes.
    #[command(flatten)]
    pub global: Global,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Record a program: its calls, their arguments and results.
    Run(Run),
    /// Draft tests from recorded calls, and prove them.
    Gen(Gen),
    /// Record, then draft: `run` and `gen` in one.
    Tead(Tead),
    /// Run recorded calls against today's code: what changed, old → new.
    Replay(Replay),
    /// Run recorded calls against a commit's code and today's: what the change does.
    Diff(Diff),
    /// Let a coding agent see what its edits do, or take that out again.
    Agent(Agent),
    /// Serve a coding agent: MCP on standard input and output.
    Mcp,
    /// Ask the chosen language model for a test of a function.
    Draft(Draft),
    /// Get, choose and list the language models of this machine.
    Model(Model),
    /// Make type stubs from recorded calls.
    Types(Types),
    /// Make docstring examples from recorded calls.
    Doc(Doc),
    /// Decide on what waits, line by line.
    Review(Review),
    /// Watch the files and print what every save changes.
    Watch,
    /// Take in old traces (.gjson, .pkl, call_logs) or spools of another machine as a recording.
    Import(Import),
    /// Run tests and judge their intents; or say in sentences what a program has to do, and see whether it did.
    Check(Check),
    /// Run YAML tests, whose steps call the tools of plugins; or only check how they are written.
    Spec(SpecArgs),
    /// Print a recording, its calls or its journey; without one, list them.
    Export(Export),
    /// Read the project: its functions, and where a file does not parse.
    Index(Index),
    /// Throw away recordings and drafts that no decision rests on.
    Clean(Clean),
    /// Say whether this folder's code may be run.
    Trust(Trust),
    /// Show the settings, and where each comes from.
    Config(Config),
    /// Show what works on this machine: Python, pytest, sandbox, terminal, model.
    Doctor,
    /// Record functions: `run`, as it was called once.
    #[command(hide = true)]
    Trace2test(Trace2test),
    /// Draft tests into one file: `gen -o`, as it was called once.
    #[command(hide = true)]
    Gentests(Gentests),
    /// Answer pytest's plugin.
    #[command(name = "__judge", hide = true)]
    Judge(Judge),
    /// Answer pytest's plugin about YAML tests.
    #[command(name = "__spec", hide = true)]
    ServeSpecs,
    /// Let an agent call the tools of a YAML test.
    #[command(name = "__tools", hide = true)]
    RelayTools {
        /// Where they are.
        socket: PathBuf,
    },
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `run`
#[derive(Debug, Args)]
pub struct Run {
    /// Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// What is recorded: `module:function`, `module`, `*` as a wildcard; by default the whole project.
    #[arg(short, long = "target", visible_alias = "targets", value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Run the recorded calls once more at the end, to see which of them repeat; else the next command that needs them does.
    #[arg(long)]
    pub check: bool,
    /// Record the journey, every event in its order, in place of calls with few inputs of each shape.
    #[arg(long)]
    pub journey: bool,
    /// Where JSON events go (with --format json); by default the error stream.
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// The program: `main.py a b`, `-m pkg`, `python3 main.py`, `pytest -q`.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// Flags that the predecessor had, each taken.
#[derive(Debug, Default, Args)]
pub struct Former {
    /// Where old traces lie.
    #[arg(short, long, alias = "calls-dir", hide = true, value_name = "DIR")]
    pub storage_dir: Option<PathBuf>,
    /// Folders the program imports from besides its own.
    #[arg(long, hide = true, value_name = "DIR")]
    pub additional_sys_path: Vec<PathBuf>,
    /// Draft only for the targets, as is always done where there are any.
    #[arg(long, hide = true)]
    pub only_targets: bool,
    /// Forms of tests, of which there is one now.
    #[arg(long, alias = "formats", hide = true, value_name = "FORMAT")]
    pub gen_formats: Vec<String>,
}

/// `trace2test`
#[derive(Debug, Args)]
pub struct Trace2test {
    /// Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// Functions to record.
    #[arg(required = true, value_name = "FUNC")]
    pub functions: Vec<String>,
    /// The program.
    #[arg(required = true, last = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// `gentests`
#[derive(Debug, Args)]
pub struct Gentests {
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// The file to write; by default `tests/test_pytead_generated.py`.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `gen`
#[derive(Debug, Default, Args)]
pub struct Gen {
    /// Functions to draft for; by default all that were recorded.
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// More of them, as they were named once.
    #[arg(short, long, hide = true, value_name = "FUNCTION")]
    pub targets: Vec<String>,
    /// Write the drafts into this one file, in place of the project's tests.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["accept", "dir"])]
    pub output: Option<PathBuf>,
    /// Write the drafts into this folder, a file a module, in place of the project's tests.
    #[arg(short, long, alias = "output-dir", value_name = "DIR", conflicts_with = "accept")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// Accept every draft that is proved, and write it.
    #[arg(long)]
    pub accept: bool,
    /// Draft nothing; list every reason why calls of these functions have no test, each with its code and what to do.
    #[arg(long, value_name = "FUNCTION", num_args = 1.., value_delimiter = ',', conflicts_with_all = ["accept", "check", "output", "dir", "functions"])]
    pub why: Vec<String>,
    /// Change nothing; end with 1 when an accepted test is gone or would be drafted otherwise from the calls recorded here. A
    /// test that a person changed stays as it is and is named, no more.
    #[arg(long, conflicts_with_all = ["accept", "output", "dir"])]
    pub check: bool,
}

/// `tead`
#[derive(Debug, Args)]
pub struct Tead {
    /// Calls kept of each function: the first N with different arguments. By default they are chosen by what is new in them.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// What is recorded; by default the whole project.
    #[arg(short, long = "target", visible_alias = "targets", value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Accept every draft that is proved, and write it.
    #[arg(long)]
    pub accept: bool,
    /// Write the drafts into this one file, in place of the project's tests.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["accept", "dir"])]
    pub output: Option<PathBuf>,
    /// Write the drafts into this folder, a file a module, in place of the project's tests.
    #[arg(short, long, alias = "output-dir", value_name = "DIR", conflicts_with = "accept")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// Where JSON events go (with --format json); by default the error stream.
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// The program.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// `replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// Functions whose calls are run; by default all that may differ.
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// End with 0 where nothing differs, even if edited code was not compared (else 4).
    #[arg(long)]
    pub allow_uncompared: bool,
}

/// `diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// The commit to compare with: a hash, a branch, a tag.
    #[arg(value_name = "REF", default_value = "HEAD")]
    pub reference: String,
    /// Answer the stop hook of a coding agent: its JSON is read from standard input. Ends with 0 whatever happens.
    #[arg(long)]
    pub hook: bool,
    /// End with 0 where nothing differs, even if edited code was not compared (else 4).
    #[arg(long)]
    pub allow_uncompared: bool,
}

/// `agent`
#[derive(Debug, Args)]
pub struct Agent {
    /// What to do.
    #[command(subcommand)]
    pub action: AgentAction,
}

/// `agent …`
#[derive(Debug, Subcommand)]
pub enum AgentAction {
    /// Show, then write, the entries of the MCP server and of the stop hook.
    Init {
        /// The agent.
        agent: AgentName,
        /// Write without asking.
        #[arg(long)]
        yes: bool,
        /// What starts this program: `uvx pytead-tui`, `uv run pytead-tui`.
        #[arg(long, value_name = "CMD")]
        command: Option<String>,
    },
    /// Take the entries out again; without a name, those of all agents.
    Remove {
        /// The agent.
        agent: Option<AgentName>,
        /// Write without asking.
        #[arg(long)]
        yes: bool,
    },
}

/// A coding agent that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgentName {
    /// Claude Code.
    Claude,
    /// Cursor.
    Cursor,
    /// Codex.
    Codex,
}

/// `types`
#[derive(Debug, Args)]
pub struct Types {
    /// Modules or functions; by default all that were recorded.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Write the stubs into this folder, as `typings/shop/cart.pyi`, those of whole packages, where `mypy_path` or pyright's
    /// `stubPath` finds them; by default they are printed.
    #[arg(short, long, visible_alias = "out-dir", alias = "output-dir", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
}

/// `doc`
#[derive(Debug, Args)]
pub struct Doc {
    /// Modules or functions; by default all that were recorded.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Put the examples into the docstrings; by default they are only shown.
    #[arg(long, conflicts_with = "undo")]
    pub write: bool,
    /// Take back what was written last.
    #[arg(long, conflicts_with = "targets")]
    pub undo: bool,
}

/// `review`
#[derive(Debug, Args)]
pub struct Review {
    /// Only list what waits.
    #[arg(long)]
    pub list: bool,
    /// Accept these proposals (`all`: everything that is proved, but for what a coding agent wrote) without asking.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub accept: Vec<String>,
    /// Reject these proposals without asking.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub reject: Vec<String>,
    /// Why they are rejected: kept with the decision, for the log.
    #[arg(long, value_name = "TEXT", requires = "reject")]
    pub why: Option<String>,
    /// Take back the last decision.
    #[arg(long)]
    pub undo: bool,
    /// Decide again what was taken back last.
    #[arg(long, conflicts_with = "undo")]
    pub redo: bool,
}

/// `import`
#[derive(Debug, Args)]
pub struct Import {
    /// Files, or folders that hold them.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// `export`
#[derive(Debug, Args)]
pub struct Export {
    /// A recording's number, or `finetuning`: what was decided on drafts, as training data for a model.
    #[arg(value_name = "RECORDING|finetuning")]
    pub what: Option<String>,
    /// With `finetuning`: the folder to write to.
    #[arg(short = 'd', long = "dir", value_name = "DIR", default_value = "finetuning/data")]
    pub folder: PathBuf,
}

/// `index`
#[derive(Debug, Args)]
pub struct Index {
    /// Functions to show; by default counts and the files that do not parse.
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
}

/// `clean`
#[derive(Debug, Args)]
pub struct Clean {
    /// Recordings that no draft, change or decision rests on.
    #[arg(long)]
    pub recordings: bool,
    /// Drafts that nobody decided on, and answers of models kept so that nothing is asked twice.
    #[arg(long)]
    pub drafts: bool,
    /// Verdicts that models gave for this project; they can be made again, at their price.
    #[arg(long)]
    pub verdicts: bool,
    /// Verdicts that models gave for any project of yours.
    #[arg(long)]
    pub all_projects: bool,
    /// Models of the hub's cache that are not chosen, and what broken downloads left. Other programs may use them too.
    #[arg(long)]
    pub models: bool,
    /// All of these but models and verdicts of other projects; never decisions, accepted tests or recorded answers.
    #[arg(long)]
    pub all: bool,
    /// Only what is older: `12h`, `30d`, `2w`.
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// Say what would go and how much it frees, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `trust`
#[derive(Debug, Args)]
pub struct Trust {
    /// The folder; by default the project of the current one.
    #[arg(value_name = "FOLDER", conflicts_with = "list")]
    pub folder: Option<PathBuf>,
    /// Take the trust back: this folder is only read from now on.
    #[arg(long)]
    pub remove: bool,
    /// List the trusted folders, and what is allowed in each.
    #[arg(long, conflicts_with = "remove")]
    pub list: bool,
    /// Let recorded calls run here where the sandbox is weak: it stops careless code, not hostile code.
    #[arg(long, conflicts_with_all = ["remove", "list"])]
    pub allow_weak: bool,
    /// Let functions of this folder be sent to the model at this host.
    #[arg(long, value_name = "HOST", conflicts_with_all = ["remove", "list"])]
    pub send_to: Vec<String>,
}

/// `config`
#[derive(Debug, Args)]
pub struct Config {
    /// What to do.
    #[command(subcommand)]
    pub action: ConfigAction,
}

/// `config …`
#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Print every setting.
    Show {
        /// With the file, variable or flag each value comes from.
        #[arg(long)]
        origin: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_recorded_command_keeps_its_own_flags() {
        let parsed = Cli::try_parse_from(["pytead-tui", "run", "-l", "3", "pytest", "-q", "--trust"]);
        let Ok(Cli { verb: Some(Verb::Run(run)), global, .. }) = parsed else {
            panic!("not parsed as run");
        };
        assert_eq!(run.command, ["pytest", "-q", "--trust"]);
        assert_eq!(run.limit, Some(3));
        assert!(!global.trust);
    }

    #[test]
    fn a_module_can_be_recorded_with_and_without_dashes() {
        for words in [&["run", "--", "-m", "pkg", "a"][..], &["run", "-m", "pkg", "a"][..]] {
            let parsed = Cli::try_parse_from([&["pytead-tui"], words].concat());
            assert!(matches!(parsed, Ok(Cli { verb: Some(Verb::Run(run)), .. }) if run.command == ["-m", "pkg", "a"]));
        }
    }

    #[test]
    fn flags_may_stand_before_the_verb() {
        let parsed = Cli::try_parse_from(["pytead-tui", "--trust", "run", "--", "pytest", "-q"]);
        assert!(
            matches!(parsed, Ok(Cli { verb: Some(Verb::Run(run)), global, .. }) if run.command == ["pytest", "-q"] && global.trust)
        );
    }

    #[test]
    fn old_verbs_and_flags_are_taken_and_not_shown() {
        let help = Cli::command().render_long_help().to_string();
        assert!(!help.contains("trace2test") && !help.contains("graph-json"), "{help}");
        for words in [
            &["trace2test", "--limit", "10", "--storage-dir", "call_logs", "m.f", "--", "python3", "main.py"][..],
            &["gentests", "--calls-dir", "call_logs", "--output", "t.py"],
            &["run", "-t", "m.f", "-s", "logs", "--format", "pickle", "--additional-sys-path", "lib", "--", "main.py"],
            &["tead", "--only-targets", "--gen-formats", "pickle", "--output-dir", "tests", "--", "main.py"],
            &["gen", "--targets", "m.f", "--formats", "graph-json", "-s", "logs", "--output", "t.py"],
            &["types", "--calls-dir", "logs", "--out-dir", "typings", "--formats", "pickle"],
        ] {
            let parsed = Cli::try_parse_from([&["pytead-tui"], words].concat());
            assert!(parsed.is_ok(), "{words:?}: {}", parsed.err().map(|error| error.to_string()).unwrap_or_default());
        }
    }

    #[test]
    fn a_form_of_output_may_have_the_name_of_a_verb() {
        let parsed = Cli::try_parse_from(["pytead-tui", "--format", "agent", "diff"]);
        assert!(matches!(parsed, Ok(Cli { verb: Some(Verb::Diff(_)), global, .. }) if global.format == Format::Agent));
    }

    #[test]
    fn a_path_opens_the_workbench_there() {
        let parsed = Cli::try_parse_from(["pytead-tui", "examples/shop"]);
        assert!(matches!(parsed, Ok(Cli { verb: None, path: Some(_), .. })));
    }
}
