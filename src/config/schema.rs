//! The table of all settings: name, form, who may set it, one line of documentation. Validation, the documentation and
//! `config show` are made from it; a test holds it against `domain::settings`.

use serde_json::{Number, Value, json};

use crate::base::paths::nearest;
use crate::base::yaml::Plain;

/// The form of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// A whole number between these two.
    Whole(i64, i64),
    /// A number between these two.
    Number(f64, f64),
    /// Yes or no.
    Flag,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// What a project may do to a setting: the person who opens it comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Set it.
    Sets,
    /// Set it once its folder is trusted.
    SetsWhenTrusted,
    /// Make it less: a smaller number, an earlier word of the list.
    Lowers,
    /// Make it more.
    Raises,
    /// Add to the list.
    Adds,
    /// Nothing: it decides about money, keys, or the person's own screen.
    Nothing,
}

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Its name with its section: `record.limit`; `providers.*.kind` for each provider.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// What a project may do to it.
    pub project: Project,
    /// What it is for.
    pub doc: &'static str,
}

const fn key(name: &'static str, form: Form, project: Project, doc: &'static str) -> Key {
    Key { name, form, project, doc }
}

/// All settings, by section.
pub const KEYS: &[Key] = &[
    key(
        "record.limit",
        Form::Whole(1, 100),
        Project::Sets,
        "Inputs stored for each input class of a function; for calls from outside its package, up to three times as many.",
    ),
    key(
        "record.calls",
        Form::Whole(0, 10_000),
        Project::Sets,
        "Most calls stored for each function: the first ones with different arguments; 0 for as many as `record.limit` gives.",
    ),
    key(
        "record.targets",
        Form::Texts,
        Project::Sets,
        "Functions to record: `module:qualname`, with `*` as a wildcard; empty means the whole project.",
    ),
    key("record.keep", Form::Whole(1, 1_000), Project::Sets, "Recordings stored besides those that a proposal uses."),
    key("record.exclude", Form::Texts, Project::Adds, "Folders below the root that are not the project's code."),
    key(
        "record.python_path",
        Form::Texts,
        Project::SetsWhenTrusted,
        "Folders below the root that a recorded program also imports from.",
    ),
    key("output.tests", Form::Text, Project::Sets, "The folder of accepted tests, below the root."),
    key("output.default_dir", Form::Text, Project::Nothing, "Where `draft` writes verified drafts; they wait for review, too."),
    key(
        "output.naming",
        Form::Word(&["module", "stem"]),
        Project::Sets,
        "How files are called in a folder named with `-o` or `output.default_dir`: `test_pytead_shop__cart.py`, or by the file alone \
         `test_cart.py`.",
    ),
    key("model.provider", Form::Text, Project::Nothing, "The name of a provider under `providers`; none is used unless named."),
    key("model.name", Form::Text, Project::Nothing, "The model's name, instead of the provider's own."),
    key(
        "model.answers",
        Form::Word(&["off", "replay", "record", "live"]),
        Project::Nothing,
        "Recorded answers: `off` asks the model; `replay` never does; `record` where none is recorded; `live` always, and records \
         it. Unset: `replay` where `CI` is set, else `off`.",
    ),
    key("model.answers_folder", Form::Text, Project::SetsWhenTrusted, "The folder of recorded answers, below the root."),
    key("generation.tests_per_function", Form::Whole(1, 100), Project::Sets, "Most tests drafted for a function."),
    key(
        "generation.snapshots",
        Form::Word(&["values", "graph"]),
        Project::Sets,
        "How tests assert objects without a useful `==`: a few attributes, or the whole object as plain data.",
    ),
    key(
        "generation.proof_runs",
        Form::Whole(2, 20),
        Project::Raises,
        "Python processes that each draft must pass in, each with another hash seed.",
    ),
    key("generation.call_seconds", Form::Number(0.1, 600.0), Project::Sets, "Time limit of a replayed call, in seconds."),
    key("generation.proof_seconds", Form::Whole(1, 3_600), Project::Sets, "Time limit of a verification run, in seconds."),
    key("generation.max_tokens", Form::Whole(16, 1 << 20), Project::Lowers, "Most tokens that a model writes for a draft."),
    key("generation.temperature", Form::Number(0.0, 2.0), Project::Nothing, "Sampling temperature."),
    key(
        "generation.top_p",
        Form::Number(0.0, 1.0),
        Project::Nothing,
        "The share of likely tokens that a model chooses from, if the temperature is not 0.",
    ),
    key(
        "generation.repeat_penalty",
        Form::Number(0.5, 2.0),
        Project::Nothing,
        "Penalty for tokens that the model wrote recently; 1 for none. It is left out for servers that lack it.",
    ),
    key("generation.seed", Form::Whole(0, 1 << 31), Project::Nothing, "Seed of a model's choices; 0 uses the server's own."),
    key(
        "prompt.template",
        Form::Text,
        Project::Nothing,
        "`auto`, `general`, `trained`, a text with `{code}` in it, or the path of a file with such a text.",
    ),
    key(
        "prompt.dependencies",
        Form::Word(&["off", "trained", "compat"]),
        Project::Sets,
        "Place of a function's dependencies: last in the docstring (`trained`), after it (`compat`), or none.",
    ),
    key("prompt.source", Form::Flag, Project::Nothing, "General models see the function's body; trained ones do not."),
    key(
        "hardware.context",
        Form::Whole(256, 1 << 20),
        Project::Nothing,
        "Tokens of context that a local model starts with; a longer prompt gets more.",
    ),
    key("hardware.threads", Form::Whole(0, 1_024), Project::Nothing, "Threads of a local model; 0 for all cores but one."),
    key(
        "providers.*.kind",
        Form::Word(&["openai", "local", "claude_code", "command"]),
        Project::Nothing,
        "`openai` for any OpenAI-compatible endpoint, `local` for a file on this machine, `claude_code` for its command line, \
         `command` for a program that speaks our JSON lines.",
    ),
    key("providers.*.base_url", Form::Text, Project::Nothing, "The address up to and without `/chat/completions`."),
    key("providers.*.endpoints", Form::Texts, Project::Nothing, "More addresses of the same model: the least busy one is asked."),
    key("providers.*.command", Form::Texts, Project::Nothing, "The program and its arguments, for `command` and `claude_code`."),
    key(
        "providers.*.model",
        Form::Text,
        Project::Nothing,
        "The model's name; for a local one `owner/repository/file.gguf` or a path.",
    ),
    key("providers.*.key_env", Form::Text, Project::Nothing, "The variable that holds the key."),
    key("providers.*.concurrency", Form::Whole(1, 256), Project::Nothing, "Requests at once."),
    key("providers.*.price_in", Form::Number(0.0, 1e6), Project::Nothing, "Price of a million sent tokens, in your currency."),
    key("providers.*.price_out", Form::Number(0.0, 1e6), Project::Nothing, "Price of a million written tokens."),
    key("spec.paths", Form::Texts, Project::Sets, "Folders below the root with YAML tests."),
    key("spec.workers", Form::Whole(1, 64), Project::Sets, "YAML tests at once."),
    key(
        "spec.import_seconds",
        Form::Whole(1, 3_600),
        Project::Sets,
        "Time limit for importing a plugin of YAML tests, in seconds.",
    ),
    key(
        "mcp_servers.*.command",
        Form::Texts,
        Project::SetsWhenTrusted,
        "The program and its arguments of an MCP server, whose tools YAML tests can call.",
    ),
    key(
        "judge.ask",
        Form::Word(&["off", "on"]),
        Project::Lowers,
        "Whether the chosen model judges intents that rules and accepted journeys leave open.",
    ),
    key(
        "judge.provider",
        Form::Text,
        Project::Nothing,
        "The provider under `providers` that judges, instead of `model.provider`.",
    ),
    key("judge.model", Form::Text, Project::Nothing, "The model that judges, instead of the provider's own."),
    key("judge.tokens", Form::Whole(1_000, 1 << 20), Project::Lowers, "Most tokens of one question about an intent."),
    key("judge.session_tokens", Form::Whole(0, 1 << 30), Project::Lowers, "Most tokens of all questions of one run."),
    key(
        "judge.session_questions",
        Form::Whole(0, 1 << 30),
        Project::Lowers,
        "Most questions of one run, of all its workers together.",
    ),
    key(
        "judge.fail_ttl",
        Form::Whole(0, 8_760),
        Project::Lowers,
        "Hours until a model's cached FAIL or UNCLEAR expires; a PASS lasts until something changes.",
    ),
    key("watch.enabled", Form::Flag, Project::Sets, "Watch at all."),
    key("watch.quiet_ms", Form::Whole(1, 10_000), Project::Sets, "Milliseconds of silence before a save is handled."),
    key(
        "watch.poll_ms",
        Form::Whole(0, 600_000),
        Project::Sets,
        "Interval for reading the whole tree, in milliseconds; 0 is off.",
    ),
    key(
        "watch.judge",
        Form::Word(&["off", "rules", "model"]),
        Project::Nothing,
        "Tests with an intent, and YAML tests, that use edited code: `rules` runs and judges them again, `model` also asks the chosen model, `off` waits for `t`.",
    ),
    key(
        "watch.draft",
        Form::Word(&["ask", "auto"]),
        Project::Nothing,
        "A model's drafts after the signature or docstring changed: `ask` waits for `t`, `auto` asks a local model at once.",
    ),
    key("redact.names", Form::Texts, Project::Adds, "More words of secret names."),
    key("tui.theme", Form::Text, Project::Nothing, "`auto`, `dark`, `light`, `ansi`, `mono`, or a theme of your own."),
    key("tui.glyphs", Form::Word(&["auto", "unicode", "ascii"]), Project::Nothing, "The characters the screen is drawn with."),
    key("tui.mouse", Form::Flag, Project::Nothing, "Take the mouse."),
    key("tui.animations", Form::Flag, Project::Nothing, "Messages that disappear automatically, and running counters."),
    key("network", Form::Word(&["off", "loopback", "on"]), Project::Lowers, "Hosts that pytead-tui can connect to."),
    key(
        "python",
        Form::Text,
        Project::SetsWhenTrusted,
        "The interpreter that runs the project's code; found automatically if absent.",
    ),
];

/// Sections with an entry for each name that a person chooses.
const NAMED: &[&str] = &["providers", "mcp_servers"];

/// Finds a setting by its full name, `providers.local.kind` too.
#[must_use]
pub fn find(name: &str) -> Option<&'static Key> {
    let parts: Vec<&str> = name.split('.').collect();
    KEYS.iter().find(|key| {
        let wanted: Vec<&str> = key.name.split('.').collect();
        wanted.len() == parts.len() && wanted.iter().zip(&parts).all(|(w, p)| w == p || (*w == "*" && !p.is_empty()))
    })
}

/// Tells whether settings begin with this name: `record`, `providers.local`.
#[must_use]
pub fn is_section(name: &str) -> bool {
    NAMED.iter().any(|section| {
        let rest = name.strip_prefix(section);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix('.').is_some_and(|own| !own.is_empty() && !own.contains('.'))
        })
    }) || KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Finds the setting that a variable `PYTEAD_<SECTION>_<KEY>` is for. `Err` for a variable of one of our sections that
/// no setting has.
///
/// # Errors
/// Gives the name as a setting's would be written.
pub fn of_variable(variable: &str) -> Result<Option<String>, String> {
    let Some(name) = variable.strip_prefix("PYTEAD_").map(str::to_lowercase) else { return Ok(None) };
    for section in NAMED {
        let Some(rest) = name.strip_prefix(section).and_then(|rest| rest.strip_prefix('_')) else { continue };
        for key in KEYS {
            if let Some(field) = key.name.strip_prefix(section).and_then(|rest| rest.strip_prefix(".*."))
                && let Some(entry) = rest.strip_suffix(field).and_then(|rest| rest.strip_suffix('_'))
                && !entry.is_empty()
            {
                return Ok(Some(format!("{section}.{entry}.{field}")));
            }
        }
        return Err(format!("{section}.{rest}"));
    }
    if let Some(key) = KEYS.iter().find(|key| key.name.replace('.', "_") == name) {
        return Ok(Some(key.name.to_owned()));
    }
    // A wrong key of a right section is a mistake; of other variables, `misspelt` knows which are ours.
    match name.split_once('_') {
        Some((section, rest)) if is_section(section) => Err(format!("{section}.{rest}")),
        _ => Ok(None),
    }
}

/// Variables `PYTEAD_…` that are no settings: what a person may set, and what one process of ours tells another.
const OWN: &[&str] = &[
    "AFTER_SAVE",
    "CALLS",
    "CONFIG",
    "ELSEWHERE",
    "EVENTS",
    "EXCLUDE",
    "FOLDER",
    "LEVEL",
    "LIMIT",
    "LLM",
    "LOG",
    "MODE",
    "ORDER",
    "PROJECT",
    "RECORDING",
    "REDACT",
    "REPORT",
    "ROOT",
    "SANDBOX",
    "SCRATCH",
    "SEND_TO",
    "SPOOL",
    "TARGET",
    "TARGETS",
    "TUI",
    "UNTRACED",
];

/// Tells whether a variable is called as if it were ours and is none: the nearest one that is, or an empty text.
#[must_use]
pub fn misspelt(variable: &str) -> Option<String> {
    let name = variable.strip_prefix("PYTEAD_")?;
    if OWN.contains(&name) || of_variable(variable) != Ok(None) {
        return None;
    }
    let settings = KEYS.iter().filter(|key| !key.name.contains('*')).map(|key| key.name.replace('.', "_").to_uppercase());
    let known: Vec<String> = settings.chain(OWN.iter().map(|name| (*name).to_owned())).collect();
    let near = nearest(name, known.iter().map(String::as_str)).first().copied();
    // A section that there is not before a key that there is.
    let near = near.or_else(|| known.iter().map(String::as_str).find(|known| name.ends_with(&format!("_{known}"))));
    Some(near.map_or_else(String::new, |near| format!("PYTEAD_{near}")))
}

impl Form {
    /// Takes a value as a file holds it.
    ///
    /// # Errors
    /// Says what was expected, to go after `expected`.
    pub fn take(self, value: &Plain) -> Result<Value, String> {
        match (self, value) {
            (Self::Whole(least, most), Plain::Int(number)) if (least..=most).contains(number) => Ok(json!(number)),
            (Self::Number(least, most), Plain::Int(number)) => {
                // Exact: the range is far inside what a float counts.
                self.in_range(f64::from(i32::try_from(*number).unwrap_or(i32::MAX)), least, most)
            }
            (Self::Number(least, most), Plain::Float(number)) => self.in_range(*number, least, most),
            (Self::Flag, Plain::Bool(flag)) => Ok(json!(flag)),
            (Self::Text, Plain::Text(text)) => Ok(json!(text)),
            (Self::Texts, Plain::List(items)) => items
                .iter()
                .map(|item| match &item.value {
                    Plain::Text(text) => Ok(json!(text)),
                    _ => Err(self.expected()),
                })
                .collect(),
            (Self::Word(words), Plain::Text(text)) if words.contains(&text.as_str()) => Ok(json!(text)),
            // YAML reads a bare `on` or `off` as a flag.
            (Self::Word(words), Plain::Bool(flag)) => {
                let word = if *flag { "on" } else { "off" };
                if words.contains(&word) { Ok(json!(word)) } else { Err(self.expected()) }
            }
            _ => Err(self.expected()),
        }
    }

    /// Takes a value as a variable or the command line holds it.
    ///
    /// # Errors
    /// As [`Form::take`].
    pub fn take_text(self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        match self {
            Self::Whole(..) => text.parse().map_or(Err(self.expected()), |number| self.take(&Plain::Int(number))),
            Self::Number(..) => text.parse().map_or(Err(self.expected()), |number| self.take(&Plain::Float(number))),
            Self::Flag => match text.to_lowercase().as_str() {
                "1" | "true" | "yes" | "on" => Ok(json!(true)),
                "0" | "false" | "no" | "off" => Ok(json!(false)),
                _ => Err(self.expected()),
            },
            Self::Text | Self::Word(_) => self.take(&Plain::Text(text.to_owned())),
            Self::Texts => Ok(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(|item| json!(item)).collect()),
        }
    }

    fn in_range(self, number: f64, least: f64, most: f64) -> Result<Value, String> {
        match Number::from_f64(number) {
            Some(json) if (least..=most).contains(&number) => Ok(Value::Number(json)),
            _ => Err(self.expected()),
        }
    }

    /// Says what is expected, for people.
    #[must_use]
    pub fn expected(self) -> String {
        match self {
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Flag => "true or false".into(),
            Self::Text => "a text".into(),
            Self::Texts => "a list of texts".into(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settings::{McpServer, Provider, Settings};

    fn leaves(prefix: &str, value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                    leaves(&name, value, out);
                }
            }
            _ => out.push(prefix.to_owned()),
        }
    }

    #[test]
    fn the_table_and_the_settings_have_the_same_names() {
        let mut settings = Settings::default();
        settings.providers.insert("*".into(), Provider::default());
        settings.mcp_servers.insert("*".into(), McpServer::default());
        let mut names = Vec::new();
        leaves("", &serde_json::to_value(settings).unwrap(), &mut names);
        names.sort();
        let mut keys: Vec<String> = KEYS.iter().map(|key| key.name.to_owned()).collect();
        keys.sort();
        assert_eq!(keys, names);
    }

    #[test]
    fn names_are_found_in_files_and_variables() {
        assert_eq!(find("providers.local.kind").map(|key| key.name), Some("providers.*.kind"));
        assert_eq!(find("record"), None);
        assert!(
            is_section("record")
                && is_section("providers.x")
                && is_section("mcp_servers.x")
                && !is_section("network")
                && !is_section("rec")
        );
        assert_eq!(of_variable("PYTEAD_RECORD_LIMIT"), Ok(Some("record.limit".into())));
        assert_eq!(of_variable("PYTEAD_GENERATION_TESTS_PER_FUNCTION"), Ok(Some("generation.tests_per_function".into())));
        assert_eq!(of_variable("PYTEAD_PROVIDERS_MY_BOX_BASE_URL"), Ok(Some("providers.my_box.base_url".into())));
        assert_eq!(of_variable("PYTEAD_NETWORK"), Ok(Some("network".into())));
        assert_eq!(of_variable("PYTEAD_RECORD_LIMITS"), Err("record.limits".into()));
        for other in ["PYTEAD_SPOOL", "PYTEAD_RECORDING", "PYTEAD_TUI", "PYTEAD_REDACT", "HOME"] {
            assert_eq!((of_variable(other), misspelt(other)), (Ok(None), None), "{other}");
        }
        assert_eq!(misspelt("PYTEAD_GENERAL_NETWORK").as_deref(), Some("PYTEAD_NETWORK"));
        assert_eq!(misspelt("PYTEAD_NETWROK").as_deref(), Some("PYTEAD_NETWORK"));
        assert_eq!(misspelt("PYTEAD_WHATEVER_ELSE_THERE_IS").as_deref(), Some(""));
        assert_eq!(misspelt("PYTEAD_RECORD_LIMIT"), None);
    }

    #[test]
    fn values_are_checked_for_form_and_range() {
        let limit = find("record.limit").unwrap().form;
        assert_eq!(limit.take(&Plain::Int(5)), Ok(json!(5)));
        for bad in [Plain::Int(0), Plain::Int(101), Plain::Text("5".into()), Plain::Null, Plain::Float(5.0)] {
            assert_eq!(limit.take(&bad), Err("a whole number from 1 to 100".into()), "{bad:?}");
        }
        assert_eq!(limit.take_text(" 7 "), Ok(json!(7)));
        let network = find("network").unwrap().form;
        assert_eq!(network.take(&Plain::Bool(false)), Ok(json!("off")));
        assert!(network.take(&Plain::Text("offf".into())).is_err());
        let seconds = find("generation.call_seconds").unwrap().form;
        assert_eq!(seconds.take(&Plain::Int(3)), Ok(json!(3.0)));
        for bad in [f64::NAN, f64::INFINITY, 0.0] {
            assert!(seconds.take(&Plain::Float(bad)).is_err());
        }
        assert_eq!(find("record.targets").unwrap().form.take_text("a.*, b:c,"), Ok(json!(["a.*", "b:c"])));
    }
}
