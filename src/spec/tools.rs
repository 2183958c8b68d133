//! The tools of one test: four of our own, and those of its plugins. Nothing here is shared between tests.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::paths::nearest;
use crate::base::text;
use crate::base::yaml::{Place, Plain};
use crate::domain::spec::{Action, End, Spec, Step};
use crate::python::plugins::{Broken, Checked, HostSpec, Plugin, PluginHost, Seen, Tool};
use crate::spec::argument_types::{self, Told};
use crate::spec::load::Mistake;

/// What the name of our own tools is in lists.
pub const BUILT_IN: &str = "built in";

/// Describes our own tools.
#[must_use]
pub fn built_in() -> Vec<Tool> {
    let tool = |name: &str, description: &str, properties: Value, required: &[&str]| Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
    };
    let name = json!({ "type": "string" });
    vec![
        tool(
            "store_value",
            "Keep a value under a name: `${stored.name}`.",
            json!({ "name": name, "value": {} }),
            &["name", "value"],
        ),
        tool("get_value", "Give a value that was stored, or the default.", json!({ "name": name, "default": {} }), &["name"]),
        tool("list_values", "List the names of stored values.", json!({}), &[]),
        tool("sleep", "Wait.", json!({ "seconds": { "type": "number", "minimum": 0 } }), &["seconds"]),
    ]
}

/// Tells whether a test needs Python: a step calls a plugin, or checks something.
#[must_use]
pub fn needs_python(spec: &Spec) -> bool {
    let own: Vec<String> = built_in().into_iter().map(|tool| tool.name).collect();
    let mut needed = false;
    walk(spec, &mut |step| {
        let calls = matches!(&step.action, Action::Tool { tool, .. } if !own.contains(&tool.text));
        needed |= calls || !step.check.is_empty();
    });
    needed
}

/// What came of a call, and what it printed.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// How it ended.
    pub end: End,
    /// What the tool printed.
    pub printed: String,
}

/// The tools of one test.
pub struct Toolbox {
    host: Option<PluginHost>,
    /// What was stored.
    stored: Map<String, Value>,
}

impl Toolbox {
    /// Makes the tools of a test, with plugins where it needs some, and with what is stored from the start.
    ///
    /// # Errors
    /// When Python does not start.
    pub async fn open(host: Option<HostSpec>, stored: Map<String, Value>) -> Result<Self, Trouble> {
        let host = match host {
            Some(host) => Some(PluginHost::start(host).await?),
            None => None,
        };
        Ok(Self { host, stored })
    }

    /// Gives what was stored so far.
    #[must_use]
    pub fn stored(&self) -> &Map<String, Value> {
        &self.stored
    }

    /// Lists the plugins.
    #[must_use]
    pub fn plugins(&self) -> &[Plugin] {
        self.host.as_ref().map_or(&[], PluginHost::plugins)
    }

    /// Describes all tools.
    #[must_use]
    pub fn described(&self) -> Vec<Tool> {
        built_in().into_iter().chain(self.plugins().iter().flat_map(|plugin| plugin.tools.clone())).collect()
    }

    /// Lists the plugins that are broken.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        self.host.as_ref().map_or(&[], PluginHost::broken)
    }

    /// Finds what a test cannot be run with: tools that there are not, each with its place and the nearest names, and arguments of
    /// which YAML made what nobody meant.
    #[must_use]
    pub fn missing(&self, spec: &Spec) -> Vec<Mistake> {
        let built_in = built_in();
        let own = built_in.iter().map(|tool| tool.name.as_str());
        let plugins = self.plugins().iter().flat_map(|plugin| plugin.tools.iter().map(|tool| tool.name.as_str()));
        let not_async = self.plugins().iter().flat_map(|plugin| plugin.not_async.iter().map(String::as_str));
        let mut all = missing(spec, &own.chain(plugins).collect::<Vec<_>>(), &not_async.collect::<Vec<_>>(), self.broken());
        let described = self.described();
        walk(spec, &mut |step| {
            let Action::Tool { tool: word, args, .. } = &step.action else { return };
            if let (Some(tool), Plain::Map(given)) = (described.iter().find(|tool| tool.name == word.text), &args.value) {
                all.extend(argument_types::misfits(tool, given, Told::MadeByYaml));
            }
        });
        all
    }

    /// Calls a tool; it is ended when its time is over, or when somebody stops the test.
    pub async fn call(&mut self, tool: &str, args: &Value, seconds: f64, cancel: &CancellationToken) -> Called {
        if let Some(work) = self.own(tool, args) {
            let end = match work {
                Err(error) => End::Raised { error },
                Ok(Own::Value(result)) => End::Returned { result },
                Ok(Own::Sleep(asked)) => {
                    let wait = |seconds: f64| tokio::time::sleep(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
                    tokio::select! {
                        () = wait(asked.min(seconds)), if asked <= seconds => End::Returned { result: json!({ "slept": asked }) },
                        () = wait(seconds), if asked > seconds => End::TimedOut { seconds },
                        () = cancel.cancelled() => End::NotRun { why: STOPPED.into() },
                    }
                }
            };
            return Called { end, printed: String::new() };
        }
        let Some(host) = &mut self.host else {
            return Called { end: End::NotRun { why: format!("there is no tool {tool}") }, printed: String::new() };
        };
        use crate::python::plugins::Ended;
        let (ended, printed) = host.call(tool, args, seconds, cancel).await;
        let end = match ended {
            Ended::Returned(result) => End::Returned { result },
            Ended::Raised(error, places) if places.is_empty() => End::Raised { error },
            Ended::Raised(error, places) => End::Raised { error: format!("{error}\n  {}", places.join("\n  ")) },
            Ended::Late if cancel.is_cancelled() => End::NotRun { why: STOPPED.into() },
            Ended::Late => End::TimedOut { seconds },
            Ended::Died(how) => End::Died { how },
        };
        Called { end, printed }
    }

    /// Does what one of our own tools does; `None` where it is none of them.
    fn own(&mut self, tool: &str, args: &Value) -> Option<Result<Own, String>> {
        let takes: &[&str] = match tool {
            "store_value" => &["name", "value"],
            "get_value" => &["name", "default"],
            "list_values" => &[],
            "sleep" => &["seconds"],
            _ => return None,
        };
        let given = args.as_object().cloned().unwrap_or_default();
        if let Some(other) = given.keys().find(|name| !takes.contains(&name.as_str())) {
            let all = if takes.is_empty() { "nothing".to_owned() } else { takes.join(", ") };
            return Some(Err(format!("TypeError: {tool} takes no {}; it takes {all}", text::display_line(other))));
        }
        let needs = |what: &str| format!("TypeError: {tool} needs {what}");
        let name = given.get("name").and_then(Value::as_str).map(str::to_owned).ok_or_else(|| needs("a name, which is a text"));
        Some(match tool {
            "store_value" => name.and_then(|name| {
                let value = given.get("value").cloned().ok_or_else(|| needs("a value"))?;
                self.stored.insert(name.clone(), value.clone());
                Ok(Own::Value(json!({ "stored": name, "value": value })))
            }),
            "get_value" => name.map(|name| {
                let found = self.stored.get(&name);
                let value = found.or_else(|| given.get("default")).cloned().unwrap_or(Value::Null);
                Own::Value(json!({ "name": name, "value": value, "found": found.is_some() }))
            }),
            "list_values" => {
                let keys: Vec<&String> = self.stored.keys().collect();
                Ok(Own::Value(json!({ "keys": keys, "count": keys.len() })))
            }
            _ => {
                let seconds =
                    given.get("seconds").and_then(Value::as_f64).filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
                seconds.map(Own::Sleep).ok_or_else(|| needs("seconds, a number that is not negative"))
            }
        })
    }

    /// Evaluates a Python expression over what is known.
    ///
    /// # Errors
    /// Says why it is not true.
    pub async fn check(&mut self, source: &str, names: &Map<String, Value>) -> Checked {
        /// Seconds of one expression.
        const SECONDS: f64 = 5.0;
        match &mut self.host {
            Some(host) => host.check(source, names, SECONDS).await,
            None => Err("There is no process that evaluates it.".into()),
        }
    }

    /// Cleans up after the plugins and ends their process; gives what a person should know, and what they used.
    pub async fn close(self) -> (Vec<String>, Seen) {
        match self.host {
            Some(host) => host.end().await,
            None => (Vec::new(), Seen { entered: Some(BTreeSet::new()), ..Seen::default() }),
        }
    }
}

/// Finds the tools of a test that are none of `names`, each with its place and the nearest names, or why a method of that
/// name is none.
#[must_use]
pub fn missing(spec: &Spec, names: &[&str], not_async: &[&str], broken: &[Broken]) -> Vec<Mistake> {
    let mut missing = Vec::new();
    walk(spec, &mut |step| {
        let Action::Tool { tool, .. } = &step.action else { return };
        if !names.contains(&tool.text.as_str()) {
            let is_method = not_async.contains(&tool.text.as_str());
            let nearest = if is_method { Vec::new() } else { nearest(&tool.text, names.iter().copied()) };
            let mut mistake = unknown(&tool.text, tool.at, &nearest, broken);
            if is_method {
                mistake.what += " The plugin's method of that name is not `async def`, and only such methods are tools.";
            }
            missing.push(mistake);
        }
    });
    missing
}

/// Finds arguments that a tool does not take, at all or of that type, and those that it lacks, by its own description. What a step gives as a
/// reference, or a tool that takes any, is not judged.
#[must_use]
pub fn misfits<'t>(spec: &Spec, tools: impl Fn(&str) -> Option<&'t Tool>) -> Vec<Mistake> {
    let mut found = Vec::new();
    walk(spec, &mut |step| {
        let Action::Tool { tool: word, args, .. } = &step.action else { return };
        let (Some(tool), Plain::Map(given)) = (tools(&word.text), &args.value) else { return };
        let named = |name: &str| format!("`{}`", text::display_line(name));
        let taken = tool.input_schema["properties"].as_object();
        let takes: Vec<&str> = taken.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        if tool.input_schema["additionalProperties"] == json!(false) {
            for (name, at, _) in given.iter().filter(|(name, ..)| !takes.contains(&name.as_str()) && !name.contains("${")) {
                let near = nearest(name, takes.iter().copied());
                let hint = match near.first() {
                    Some(near) => format!(" Did you mean {}?", named(near)),
                    None if takes.is_empty() => " It takes none.".to_owned(),
                    None => format!(" It takes {}.", takes.iter().map(|name| named(name)).collect::<Vec<_>>().join(", ")),
                };
                let what = format!("{} takes no {}.{hint}", named(&word.text), named(name));
                found.push(Mistake { at: *at, length: name.chars().count(), what });
            }
        }
        let needed = tool.input_schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let lacking: Vec<String> = needed.filter(|name| given.iter().all(|(other, ..)| other != name)).map(named).collect();
        if !lacking.is_empty() {
            let what = format!("{} needs {}.", named(&word.text), lacking.join(", "));
            found.push(Mistake { at: word.at, length: word.text.chars().count(), what });
        }
        found.extend(argument_types::misfits(tool, given, Told::All));
    });
    found
}

fn unknown(tool: &str, at: Place, near: &[&str], broken: &[Broken]) -> Mistake {
    let mut what = format!("There is no tool `{}`.", text::display_line(tool));
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if !near.is_empty() {
        what += &format!(" Did you mean {}?", near.join(" or "));
    }
    for broken in broken {
        what += &format!(
            " {} is broken: {}.",
            text::display_line(&broken.file),
            text::display_line(broken.why.trim_end_matches('.'))
        );
    }
    Mistake { at, length: tool.chars().count(), what }
}

/// Names the tools that a test calls, each once.
#[must_use]
pub fn called(spec: &Spec) -> Vec<String> {
    let mut used: Vec<String> = Vec::new();
    walk(spec, &mut |step| {
        if let Action::Tool { tool, .. } = &step.action
            && !used.contains(&tool.text)
        {
            used.push(tool.text.clone());
        }
    });
    used
}

/// What stands in a step that somebody stopped.
pub const STOPPED: &str = "the test was stopped";

enum Own {
    Value(Value),
    Sleep(f64),
}

/// Visits every step of a test, those of groups too.
pub fn walk(spec: &Spec, visit: &mut dyn FnMut(&Step)) {
    fn each(steps: &[Step], visit: &mut dyn FnMut(&Step)) {
        for step in steps {
            visit(step);
            if let Action::Group(inner) = &step.action {
                each(inner, visit);
            }
        }
    }
    for steps in [&spec.setup, &spec.steps, &spec.teardown] {
        each(steps, visit);
    }
}
