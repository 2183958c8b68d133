//! The command line: words and flags, and nothing of what they do. *Verb = file in `cli/` = heading in the docs.*

mod check;
mod global;
mod help;
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
    about = "Record calls, see what each edit changes, and keep them as pytest tests",
    disable_help_subcommand = true,
    help_template = help::TEMPLATE,
    after_help = help::start(),
    after_long_help = help::all()
)]
pub struct Cli {
    /// What to do; without a command, the workbench opens.
    #[command(subcommand)]
    pub verb: Option<Verb>,

    /// The project [default: the project of the current folder].
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,

    /// What every verb takes.
    #[command(flatten)]
    pub global: Global,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Record the calls of a program.
    Run(Run),
    /// Draft tests from recorded calls, and verify them.
    Gen(Gen),
    /// Record, then draft: `run` and `gen` in one.
    Tead(Tead),
    /// Run recorded calls against the current code.
    Replay(Replay),
    /// Show what your change does to recorded calls.
    ///
    /// The calls run on a commit's code and on the current code.
    Diff(Diff),
    /// Connect or disconnect a coding agent.
    Agent(Agent),
    /// Serve a coding agent over MCP on standard input and output.
    Mcp,
    /// Ask the chosen language model for tests of a function.
    Draft(Draft),
    /// Download, choose and list language models.
    Model(Model),
    /// Write type stubs from recorded calls.
    Types(Types),
    /// Write docstring examples from recorded calls.
    Doc(Doc),
    /// Review drafts and changes one by one.
    Review(Review),
    /// Print what each save changes.
    Watch,
    /// Import old traces, or recordings of another machine.
    ///
    /// Old traces are `.gjson` and `.pkl` files, and folders such as `call_logs`.
    Import(Import),
    /// Judge the intents of tests, or check sentences.
    ///
    /// Without sentences, runs tests and judges their intents. With `--clause`, decides sentences on a recorded journey.
    Check(Check),
    /// Run or validate YAML tests.
    Spec(SpecArgs),
    /// Print a recording, or list all.
    ///
    /// Prints its journey line by line, or its calls.
    Export(Export),
    /// List functions, and files with syntax errors.
    Index(Index),
    /// Delete recordings and drafts that no decision uses.
    Clean(Clean),
    /// Trust this project, or list and remove trusted projects.
    Trust(Trust),
    /// Show the settings and their sources.
    Config(Config),
    /// Show what works on this machine.
    ///
    /// Checks Python, pytest, the sandbox, the terminal and the model.
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
    /// Print shell completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// `run`
#[derive(Debug, Args)]
pub struct Run {
    /// Store the first N calls of each function with different arguments [default: calls that add something new].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// Record only `module:function` or `module`; `*` is a wildcard [default: the whole project].
    #[arg(short, long = "target", visible_alias = "targets", value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Run the recorded calls once at the end, to find those that repeat [default: the next command does it].
    #[arg(long)]
    pub check: bool,
    /// Record every call in its order (a journey), instead of a few for each kind of input.
    #[arg(long)]
    pub journey: bool,
    /// Write JSON events to FILE (with --format json) [default: standard error].
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// The program, such as `main.py a b`, `-m pkg`, `python3 main.py` or `pytest -q`.
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
    /// Store the first N calls of each function with different arguments [default: calls that add something new].
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
    /// The file to write [default: `tests/test_pytead_generated.py`].
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `gen`
#[derive(Debug, Default, Args)]
pub struct Gen {
    /// Functions to draft for [default: all recorded ones].
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// More of them, as they were named once.
    #[arg(short, long, hide = true, value_name = "FUNCTION")]
    pub targets: Vec<String>,
    /// Write the drafts into FILE, instead of the project's tests.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["accept", "dir"])]
    pub output: Option<PathBuf>,
    /// Write the drafts into DIR, one file for each module, instead of the project's tests.
    #[arg(short, long, alias = "output-dir", value_name = "DIR", conflicts_with = "accept")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// Accept and write every verified draft.
    #[arg(long)]
    pub accept: bool,
    /// Also propose inputs beside the recorded ones, where tests leave faults unnoticed.
    #[arg(long, conflicts_with_all = ["check", "why"])]
    pub near: bool,
    /// List why calls of these functions have no test, with codes and fixes; draft nothing.
    #[arg(long, value_name = "FUNCTION", num_args = 1.., value_delimiter = ',', conflicts_with_all = ["accept", "check", "output", "dir", "functions"])]
    pub why: Vec<String>,
    /// Write nothing; exit with 1 if an accepted test is missing or out of date.
    ///
    /// A test that you edited stays unchanged and is only named.
    #[arg(long, conflicts_with_all = ["accept", "output", "dir"])]
    pub check: bool,
}

/// `tead`
#[derive(Debug, Args)]
pub struct Tead {
    /// Store the first N calls of each function with different arguments [default: calls that add something new].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: Option<u32>,
    /// Record only these [default: the whole project].
    #[arg(short, long = "target", visible_alias = "targets", value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Accept and write every verified draft.
    #[arg(long)]
    pub accept: bool,
    /// Write the drafts into FILE, instead of the project's tests.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["accept", "dir"])]
    pub output: Option<PathBuf>,
    /// Write the drafts into DIR, one file for each module, instead of the project's tests.
    #[arg(short, long, alias = "output-dir", value_name = "DIR", conflicts_with = "accept")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
    /// Write JSON events to FILE (with --format json) [default: standard error].
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// The program.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub command: Vec<String>,
}

/// `replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// Functions to compare [default: all that the edits can reach].
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// Exit with 0 instead of 4 if edited code was not compared.
    #[arg(long)]
    pub allow_uncompared: bool,
    /// Also try inputs near the recorded ones in edited functions; with `=fail`, exit with 1 if one gives another result.
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "show")]
    pub near: Option<NearMode>,
}

/// What differences beside the recorded calls are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NearMode {
    /// They are shown, and change no exit code.
    Show,
    /// With one of them the command exits with 1.
    Fail,
}

/// `diff`
#[derive(Debug, Args)]
pub struct Diff {
    /// The commit, branch or tag to compare with.
    #[arg(value_name = "REF", default_value = "HEAD")]
    pub reference: String,
    /// Answer the stop hook of a coding agent: read its JSON on standard input, and always exit with 0.
    #[arg(long)]
    pub hook: bool,
    /// Exit with 0 instead of 4 if edited code was not compared.
    #[arg(long)]
    pub allow_uncompared: bool,
    /// Also try inputs near the recorded ones in edited functions; with `=fail`, exit with 1 if one gives another result.
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "show")]
    pub near: Option<NearMode>,
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
    /// Show, then write, the entries for the MCP server and the stop hook.
    Init {
        /// The agent.
        agent: AgentName,
        /// Write without asking.
        #[arg(long)]
        yes: bool,
        /// The command that starts pytead-tui, such as `uvx pytead-tui` or `uv run pytead-tui`.
        #[arg(long, value_name = "CMD")]
        command: Option<String>,
    },
    /// Remove the entries of an agent, or of all agents.
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
    /// Modules or functions [default: all recorded ones].
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Write stubs of whole packages into DIR, where `mypy_path` or pyright's `stubPath` finds them [default: print].
    #[arg(short, long, visible_alias = "out-dir", alias = "output-dir", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Flags that the older tools had.
    #[command(flatten)]
    pub former: Former,
}

/// `doc`
#[derive(Debug, Args)]
pub struct Doc {
    /// Modules or functions [default: all recorded ones].
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Write the examples into the docstrings [default: print a diff].
    #[arg(long, conflicts_with = "undo")]
    pub write: bool,
    /// Undo the last write.
    #[arg(long, conflicts_with = "targets")]
    pub undo: bool,
}

/// `review`
#[derive(Debug, Args)]
pub struct Review {
    /// List what needs review, and decide nothing.
    #[arg(long)]
    pub list: bool,
    /// Accept these proposals without asking; `all` is every verified one, except those by a coding agent.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub accept: Vec<String>,
    /// Reject these proposals without asking.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub reject: Vec<String>,
    /// Keep the old outcome of this difference beside the recorded inputs as a test.
    #[arg(long, value_name = "ID", num_args = 1)]
    pub keep: Vec<String>,
    /// Store this reason with the rejection.
    #[arg(long, value_name = "TEXT", requires = "reject")]
    pub why: Option<String>,
    /// Undo the last decision.
    #[arg(long)]
    pub undo: bool,
    /// Redo the last undone decision.
    #[arg(long, conflicts_with = "undo")]
    pub redo: bool,
}

/// `import`
#[derive(Debug, Args)]
pub struct Import {
    /// Files, or folders with such files.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
}

/// `export`
#[derive(Debug, Args)]
pub struct Export {
    /// The number of a recording, or `finetuning` for your decisions as training data.
    #[arg(value_name = "RECORDING|finetuning")]
    pub what: Option<String>,
    /// The folder for `finetuning`.
    #[arg(short = 'd', long = "dir", value_name = "DIR", default_value = "finetuning/data")]
    pub folder: PathBuf,
}

/// `index`
#[derive(Debug, Args)]
pub struct Index {
    /// Functions to show [default: counts, and files with syntax errors].
    #[arg(value_name = "FUNCTION")]
    pub functions: Vec<String>,
}

/// `clean`
#[derive(Debug, Args)]
pub struct Clean {
    /// Delete recordings that no draft, change or decision uses.
    #[arg(long)]
    pub recordings: bool,
    /// Delete drafts without a decision, and cached answers of models.
    #[arg(long)]
    pub drafts: bool,
    /// Delete cached verdicts of models for this project.
    #[arg(long)]
    pub verdicts: bool,
    /// Delete cached verdicts of models for all your projects.
    #[arg(long, alias = "everywhere")]
    pub all_projects: bool,
    /// Delete models that are not chosen, and interrupted downloads; other programs might use them.
    #[arg(long)]
    pub models: bool,
    /// Delete recordings, drafts and verdicts of this project; never decisions, accepted tests or recorded answers.
    #[arg(long)]
    pub all: bool,
    /// Delete only what is older than AGE: `12h`, `30d`, `2w`.
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// Print what would be deleted and its size; delete nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `trust`
#[derive(Debug, Args)]
pub struct Trust {
    /// The folder [default: the project of the current folder].
    #[arg(value_name = "FOLDER", conflicts_with = "list")]
    pub folder: Option<PathBuf>,
    /// Remove the trust: this folder becomes read-only.
    #[arg(long)]
    pub remove: bool,
    /// List trusted folders, and their permissions.
    #[arg(long, conflicts_with = "remove")]
    pub list: bool,
    /// Allow recorded calls to run in a weak sandbox, which stops accidents, not attacks.
    #[arg(long, conflicts_with_all = ["remove", "list"])]
    pub allow_weak: bool,
    /// Allow functions of this folder to be sent to the model at HOST.
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
        /// Add the file, variable or flag of each value.
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

    /// The short help is one screen of the smallest usual terminal; the long one has every command.
    #[test]
    fn the_short_help_is_one_screen_and_the_long_one_lists_every_command() {
        let mut command = Cli::command().term_width(80);
        let short = command.render_help().to_string();
        assert!(short.lines().count() <= 24 && short.lines().all(|line| line.chars().count() <= 80), "{short}");
        for first in ["pytead-tui run pytest -q", "pytead-tui diff", "pytead-tui review", "pytead-tui doctor", "--help"] {
            assert!(short.contains(first), "{first}: {short}");
        }
        assert!(!short.contains("finetuning") && !short.contains("completions"), "{short}");
        let long = command.render_long_help().to_string();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            assert!(long.contains(&about) && about.chars().count() <= 60, "{}: {about}", verb.get_name());
        }
        assert!(long.lines().all(|line| line.chars().count() <= 80), "{long}");
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
