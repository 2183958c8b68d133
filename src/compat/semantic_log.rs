//! The log of the predecessor that judged, written again from a journey: a hash of intent and log is what it kept its
//! verdicts by. What those are is read by `store/former.rs`.
//!
//! Its log held addresses wherever an object was an argument, so that it did not find such verdicts again itself. Journeys
//! with anything but plain values give nothing here either.

use std::collections::HashMap;

use crate::base::seal::Sha256;
use crate::domain::call::Argument;
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::journey::{JourneyEvent, LineId, Phase, What};
use crate::domain::value::Value;

/// Its file in the folder that tests were run in.
pub const FILE: &str = ".pytest_semantic_cache.db";

/// Characters of arguments, and of a result.
const CUT: usize = 500;
/// Longer journeys are not written again.
const EVENTS_MAX: usize = 10_000;
/// Parts of names that made an argument secret to it.
const SECRET: [&str; 7] = ["password", "secret", "token", "api_key", "auth", "credential", "cert"];

/// Gives the key of the verdict on a test without arguments. `test` and what `source` gives are texts of functions as they
/// stand in their files, from the first decorator on.
#[must_use]
pub fn key(
    intent: &str,
    test: (&str, &str),
    events: &[JourneyEvent],
    source: &dyn Fn(&FunctionId) -> Option<String>,
) -> Option<String> {
    let mut sum = Sha256::default();
    sum.update(intent.as_bytes());
    sum.update(b"|");
    sum.update(log(test, events, source)?.as_bytes());
    Some(sum.hex())
}

#[derive(Default)]
struct Log {
    lines: Vec<String>,
    depth: usize,
}

/// A call that goes on.
struct Open {
    name: String,
    parent: Option<LineId>,
    /// The exception that came into it from a call below.
    raised: Option<u64>,
}

impl Log {
    fn say(&mut self, what: &str) {
        self.lines.push(format!("{}. {}{what}", self.lines.len() + 1, "  ".repeat(self.depth)));
    }

    fn enter(&mut self, name: &str, args: &str, source: &str) {
        self.say(&format!("[CALLED] {name}({args})"));
        let indent = "  ".repeat(self.depth);
        self.lines.push(format!("{indent}# Source code of {name}:\n{indent}{}\n", source.trim()));
        self.depth += 1;
    }

    fn leave(&mut self, name: &str, value: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.say(&format!("[RETURNED] {name} -> {value}"));
    }
}

fn log(test: (&str, &str), events: &[JourneyEvent], source: &dyn Fn(&FunctionId) -> Option<String>) -> Option<String> {
    let events: Vec<&JourneyEvent> = events.iter().filter(|event| event.phase == Phase::Call).collect();
    if events.len() > EVENTS_MAX {
        return None;
    }
    let mut log = Log::default();
    let mut sources: HashMap<&FunctionId, String> = HashMap::new();
    let mut open: HashMap<LineId, Open> = HashMap::new();
    log.enter(test.0, "{}", test.1);
    for event in events {
        match &event.what {
            What::Call { brief: true, .. } | What::Throw { .. } => return None,
            What::Call { function, args, parent, .. } => {
                let function = function.function()?;
                let name = function.qualname().rsplit('.').next().unwrap_or_default().to_owned();
                if !sources.contains_key(function) {
                    sources.insert(function, source(function)?);
                }
                log.enter(&name, &arguments(args)?, &sources[function]);
                open.insert(event.line, Open { name, parent: *parent, raised: None });
            }
            What::Return { value, .. } => log.leave(&open.remove(&event.call)?.name, &cut(&text(value)?)),
            What::Raise { exception, mro, .. } => {
                let Value::Exception { ordinal, ty, args, .. } = exception else { return None };
                let words = format!("{}: {}", ty.short(), message(args, mro)?);
                let call = open.remove(&event.call)?;
                if call.raised != Some(*ordinal) {
                    log.say(&format!("[RAISED] {} -> {words}", call.name));
                }
                log.leave(&call.name, "None");
                // It arrives in the call around, which may handle it.
                let around = match call.parent.and_then(|parent| open.get_mut(&parent)) {
                    Some(around) => {
                        around.raised = Some(*ordinal);
                        around.name.clone()
                    }
                    None => test.0.to_owned(),
                };
                log.say(&format!("[RAISED] {around} -> {words}"));
            }
            What::Yield { .. } | What::Resume | What::Touch { .. } => {}
        }
    }
    log.leave(test.0, "None");
    Some(log.lines.join("\n"))
}

fn arguments(args: &[Argument]) -> Option<String> {
    let pairs = args.iter().map(|arg| {
        let stars = match arg.kind {
            ParamKind::VarPositional => "*",
            ParamKind::VarKeyword => "**",
            _ => "",
        };
        let name = arg.name.to_lowercase();
        let hidden = SECRET.iter().any(|secret| name.contains(secret));
        let value = if hidden { Value::Str("[REDACTED]".into()) } else { arg.value.clone() };
        is_plain(&value).then(|| (Value::Str(format!("{stars}{}", arg.name)), value))
    });
    Some(cut(&Value::Dict(pairs.collect::<Option<_>>()?).summary(usize::MAX)))
}

/// As `str` writes it.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.clone()),
        value => is_plain(value).then(|| value.summary(usize::MAX)),
    }
}

fn message(args: &[Value], mro: &[String]) -> Option<String> {
    let is = |name: &str| mro.iter().any(|own| own.ends_with(&format!(":{name}")));
    match args {
        [] => Some(String::new()),
        [one] if is("KeyError") => is_plain(one).then(|| one.summary(usize::MAX)),
        [one] => text(one),
        // They write theirs in their own ways.
        _ if is("OSError") || is("UnicodeError") => None,
        several => text(&Value::Tuple(several.to_vec())),
    }
}

/// Is written by Python as by us, in every run.
fn is_plain(value: &Value) -> bool {
    value.walk(&mut |part| {
        matches!(
            part,
            Value::None
                | Value::Bool(_)
                | Value::Int(_)
                | Value::BigInt(_)
                | Value::Float(_)
                | Value::Str(_)
                | Value::Bytes(_)
                | Value::List(_)
                | Value::Tuple(_)
                | Value::Dict(_)
                | Value::Shared(..)
        )
    })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(CUT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}... [truncated]", &text[..end]),
    }
}
