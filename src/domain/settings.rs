//! Every module's settings with their defaults. Reading them from files is `config/`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All settings, section by section.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Recording.
    pub record: Record,
    /// Where accepted tests go.
    pub output: Output,
    /// Which model is asked.
    pub model: Model,
    /// Drafting and proving.
    pub generation: Generation,
    /// What a model is told about a function.
    pub prompt: Prompt,
    /// What a model on this machine is run with.
    pub hardware: Hardware,
    /// Places that answer model requests, by name.
    pub providers: BTreeMap<String, Provider>,
    /// YAML tests.
    pub spec: Spec,
    /// MCP servers whose tools YAML tests may call, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// Judging intents by a model.
    pub judge: Judge,
    /// Watching files.
    pub watch: Watch,
    /// Secrets.
    pub redact: Redact,
    /// The screen.
    pub tui: Tui,
    /// What may be connected to.
    pub network: Network,
    /// Which interpreter runs the project's code; found by itself when absent.
    pub python: Option<String>,
}

/// `record`: how much is kept of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Inputs kept of each shape of a function; of calls from outside its package, up to three times as many.
    pub limit: u32,
    /// Calls kept of each function at most, the first ones with different arguments; 0 for as many as the limit asks for.
    pub calls: u32,
    /// What is recorded: `module:qualname` with `*`; empty means the whole project.
    pub targets: Vec<String>,
    /// Recordings kept besides those a proposal rests on.
    pub keep: u32,
    /// Folders below the root that are not the project's code.
    pub exclude: Vec<String>,
    /// Folders below the root that a recorded program imports from besides its own.
    pub python_path: Vec<String>,
}

impl Default for Record {
    fn default() -> Self {
        Self { limit: 10, calls: 0, targets: Vec::new(), keep: 20, exclude: Vec::new(), python_path: Vec::new() }
    }
}

/// `output`: where accepted tests go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Output {
    /// The folder of accepted tests, below the root.
    pub tests: String,
    /// Where `draft` writes what is proved, which waits for review all the same.
    pub default_dir: Option<String>,
    /// How the files are called that are written into such a folder.
    pub naming: Naming,
}

impl Default for Output {
    fn default() -> Self {
        Self { tests: "tests/pytead".into(), default_dir: None, naming: Naming::default() }
    }
}

/// How files are called that are written into a folder of the person's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// By the whole module: `test_pytead_shop__cart.py`.
    #[default]
    Module,
    /// By the file alone: `test_cart.py`. Where two files have one name, by the whole module.
    Stem,
}

/// `model`: which model is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// The name of a provider under `providers`. None is used that nobody chose.
    pub provider: Option<String>,
    /// The model's name, in place of the provider's own.
    pub name: Option<String>,
    /// What is done with recorded answers; without a word they are replayed in CI, and no part of anything elsewhere.
    pub answers: Option<Answers>,
    /// The folder of recorded answers, below the root.
    pub answers_folder: String,
}

impl Default for Model {
    fn default() -> Self {
        Self { provider: None, name: None, answers: None, answers_folder: "tests/answers".into() }
    }
}

/// `model.answers`: what is done with recorded answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// Nothing: the model is asked.
    Off,
    /// They are given, and no model is ever asked.
    Replay,
    /// They are given; where there is none, the model is asked and its answer recorded.
    Record,
    /// The model is always asked, and its answer recorded in place of the one before.
    Live,
}

/// `generation`: drafts and their proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Generation {
    /// Most tests drafted for a function.
    pub tests_per_function: u32,
    /// How objects are asserted that do not compare by what they hold.
    pub snapshots: Snapshots,
    /// Python processes, each with a hash seed of its own, that each draft has to pass in.
    pub proof_runs: u32,
    /// Seconds a replayed call may take.
    pub call_seconds: f64,
    /// Seconds a proof run may take.
    pub proof_seconds: u64,
    /// Most tokens a model may write for a draft.
    pub max_tokens: u32,
    /// Sampling temperature.
    pub temperature: f64,
    /// The share of likely tokens a model chooses from.
    pub top_p: f64,
    /// How much less likely a token gets that the model wrote lately; 1 for no less.
    pub repeat_penalty: f64,
    /// What the choices of a model follow from; 0 leaves a server its own.
    pub seed: u32,
}

impl Default for Generation {
    fn default() -> Self {
        Self {
            tests_per_function: 6,
            snapshots: Snapshots::Values,
            proof_runs: 2,
            call_seconds: 2.0,
            proof_seconds: 60,
            max_tokens: 2048,
            temperature: 0.0,
            top_p: 1.0,
            repeat_penalty: 1.0,
            seed: 0,
        }
    }
}

/// `prompt`: what a model is told about a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prompt {
    /// `auto`, `general`, `trained`, a text with `{code}` in it, or the path of a file with such a text.
    pub template: String,
    /// Where the line of dependencies stands.
    pub dependencies: Dependencies,
    /// General models see the body too; trained ones never do.
    pub source: bool,
}

impl Default for Prompt {
    fn default() -> Self {
        Self { template: "auto".into(), dependencies: Dependencies::Trained, source: true }
    }
}

/// `prompt.dependencies`: where the line of dependencies stands in what a model sees of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependencies {
    /// Last in the docstring, as models were trained.
    Trained,
    /// Behind the docstring, as the predecessor asked them.
    Compat,
    /// Nowhere.
    Off,
}

/// How objects are asserted that do not compare by what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Snapshots {
    /// By a few of their attributes.
    #[default]
    Values,
    /// By all they hold, as plain data.
    Graph,
}

/// `hardware`: what a model on this machine is run with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Hardware {
    /// Tokens of context to begin with.
    pub context: u32,
    /// Threads; 0 for all cores but one.
    pub threads: u32,
}

impl Default for Hardware {
    fn default() -> Self {
        Self { context: 2048, threads: 0 }
    }
}

/// The kind of providers that are files of this machine, and the name of one that needs no entry.
pub const LOCAL: &str = "local";
/// The kind of providers that are OpenAI-compatible servers.
pub const OPENAI: &str = "openai";
/// The kind of providers that are the command line of Claude Code, and the name of one that needs no entry.
pub const CLAUDE_CODE: &str = "claude_code";
/// The kind of providers that are programs of the person's.
pub const COMMAND: &str = "command";

/// `providers.<name>`: a place that answers model requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Provider {
    /// `openai` for any OpenAI-compatible endpoint, `local` for a file on this machine, `claude_code` for its command
    /// line, `command` for a program of the person's.
    pub kind: String,
    /// The address up to and without `/chat/completions`.
    pub base_url: String,
    /// More addresses that serve the same model.
    pub endpoints: Vec<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The model's name; of a local one `owner/repository/file.gguf` or a path.
    pub model: String,
    /// The variable that holds the key.
    pub key_env: Option<String>,
    /// Requests at once.
    pub concurrency: u32,
    /// What a million tokens cost that are sent.
    pub price_in: Option<f64>,
    /// What a million tokens cost that are written.
    pub price_out: Option<f64>,
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            kind: OPENAI.into(),
            base_url: String::new(),
            endpoints: Vec::new(),
            command: Vec::new(),
            model: String::new(),
            key_env: None,
            concurrency: 2,
            price_in: None,
            price_out: None,
        }
    }
}

/// `spec`: YAML tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spec {
    /// Folders below the root in which YAML files are tests.
    pub paths: Vec<String>,
    /// Tests at once.
    pub workers: u32,
    /// Seconds that a plugin may take to be imported.
    pub import_seconds: u32,
}

impl Default for Spec {
    fn default() -> Self {
        Self { paths: vec!["tests/llm".into()], workers: 2, import_seconds: 60 }
    }
}

/// `mcp_servers.<name>`: a server whose tools YAML tests may call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// The program and its arguments.
    pub command: Vec<String>,
}

/// `judge`: intents that neither rules nor an accepted journey decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Judge {
    /// Is a model asked at all.
    pub ask: Ask,
    /// The name of a provider under `providers`, in place of `model.provider`.
    pub provider: Option<String>,
    /// The model's name, in place of the provider's own.
    pub model: Option<String>,
    /// Most tokens of one question.
    pub tokens: u32,
    /// Most tokens of all questions of one run.
    pub session_tokens: u32,
    /// Most questions of one run.
    pub session_questions: u32,
    /// Hours that a model's FAIL or UNCLEAR is kept.
    pub fail_ttl: u32,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            ask: Ask::On,
            provider: None,
            model: None,
            tokens: 24_000,
            session_tokens: 400_000,
            session_questions: 500,
            fail_ttl: 24,
        }
    }
}

/// `judge.ask`: is the chosen model asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Never.
    Off,
    /// About what nothing else decides.
    #[default]
    On,
}

/// `watch`: reacting to saves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// Watch at all.
    pub enabled: bool,
    /// Milliseconds without an event before a save is acted on.
    pub quiet_ms: u64,
    /// Look for changes by reading the tree every so many milliseconds, in place of the system's notices; 0 is off.
    pub poll_ms: u64,
    /// What becomes of tests with an intent whose journey ran through edited code, and of YAML tests.
    pub judge: WatchJudge,
    /// What becomes of a model's drafts whose function promises something else now.
    pub draft: WatchDraft,
}

/// `watch.draft`: what becomes of a model's drafts whose function has another signature or docstring now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchDraft {
    /// They are shown as stale, until somebody asks again.
    #[default]
    Ask,
    /// A model of this machine is asked again at once.
    Auto,
}

/// `watch.judge`: what becomes of tests with an intent whose journey ran through edited code, and of YAML tests that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchJudge {
    /// They are shown as stale, until somebody asks.
    Off,
    /// They are run once more, and judged by rules and accepted journeys.
    #[default]
    Rules,
    /// They are run once more, and the chosen model is asked about what rules leave open.
    Model,
}

impl Default for Watch {
    fn default() -> Self {
        Self { enabled: true, quiet_ms: 10, poll_ms: 0, judge: WatchJudge::Rules, draft: WatchDraft::Ask }
    }
}

/// `redact`: what is never stored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Redact {
    /// More words of secret names.
    pub names: Vec<String>,
}

/// `tui`: the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tui {
    /// `auto`, `dark`, `light`, `ansi` or `mono`.
    pub theme: String,
    /// `auto`, `unicode` or `ascii`.
    pub glyphs: String,
    /// Take the mouse.
    pub mouse: bool,
    /// Messages that go by themselves, counters that run.
    pub animations: bool,
}

impl Default for Tui {
    fn default() -> Self {
        Self { theme: "auto".into(), glyphs: "auto".into(), mouse: true, animations: true }
    }
}

/// `network`: what the one place that opens connections may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing.
    Off,
    /// This machine.
    Loopback,
    /// The endpoint of the chosen provider.
    #[default]
    On,
}
