//! What the demo model is asked: recorded calls of one function, a line each, and a grammar by which its answer can hold
//! no other line. It arranges them into tests and names these; it can make no value up.
//!
//! The model learned from questions of this very form, which `finetuning/facts.py` writes.

use std::fmt::Write;

use crate::domain::call::{Call, Effect, Outcome};
use crate::domain::function::{Function, FunctionKind, ParamKind};
use crate::domain::value::Value;
use crate::llm::prompt::Prompt;
use crate::llm::provider::Form;

/// Calls in a question.
const CALLS_MAX: usize = 5;
/// Characters of a line; longer calls are left out.
const LINE_MAX: usize = 96;
/// Characters of the docstring.
const DOC_MAX: usize = 60;

/// Writes the question and the form of its answer; `None` where no recorded call can be asked about: the function is no
/// plain one of a module, or none of the calls is short and made of literals alone.
pub fn question<'a>(function: &Function, calls: impl Iterator<Item = (&'a Call, &'a Effect)>) -> Option<(Prompt, Form)> {
    let plain = function.kind == FunctionKind::Function && !function.is_async && !function.is_generator;
    let name = function.name();
    if !plain || name != function.id.qualname() {
        return None;
    }
    let mut facts: Vec<Fact> = Vec::new();
    for fact in calls.filter_map(|(call, effect)| fact(name, call, effect)) {
        if facts.len() < CALLS_MAX && facts.iter().all(|other| other.call != fact.call) {
            facts.push(fact);
        }
    }
    let module = function.id.module();
    let parameters: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
    let doc = function.docstring.as_deref().unwrap_or_default().lines().map(str::trim).find(|line| !line.is_empty());
    let doc = doc.map_or("", |line| line.get(..DOC_MAX).unwrap_or(line)).replace('"', "'");
    let mut user = format!("from {module} import {name}\ndef {name}({}):\n    \"\"\"{doc}\"\"\"\n", parameters.join(", "));
    for fact in &facts {
        let _ = writeln!(user, "{}", fact.line());
    }
    let form = Form::Grammar(grammar(module, name, &facts)?);
    Some((Prompt { user, version: 1, ..Prompt::default() }, form))
}

/// A recorded call as code.
struct Fact {
    call: String,
    end: End,
}

enum End {
    Returned(String),
    Raised(String),
}

impl Fact {
    /// Writes it as the model reads it.
    fn line(&self) -> String {
        match &self.end {
            End::Returned(value) if matches!(value.as_str(), "None" | "True" | "False") => format!("{} is {value}", self.call),
            End::Returned(value) => format!("{} == {value}", self.call),
            End::Raised(error) => format!("{} raises {error}", self.call),
        }
    }
}

fn fact(name: &str, call: &Call, effect: &Effect) -> Option<Fact> {
    let mut given = Vec::new();
    for argument in &call.args {
        let value = literal(&argument.value)?;
        match argument.kind {
            ParamKind::PositionalOnly | ParamKind::PositionalOrKeyword => given.push(value),
            ParamKind::KeywordOnly => given.push(format!("{}={value}", argument.name)),
            ParamKind::VarPositional | ParamKind::VarKeyword => return None,
        }
    }
    let end = match &effect.outcome {
        Outcome::Returned(value) => End::Returned(literal(value)?),
        Outcome::Raised { exception: Value::Exception { ty, .. }, .. } if ty.module == "builtins" => {
            End::Raised(ty.qualname.clone())
        }
        _ => return None,
    };
    let fact = Fact { call: format!("{name}({})", given.join(", ")), end };
    (effect.changed.is_empty() && fact.line().chars().count() <= LINE_MAX).then_some(fact)
}

/// Writes a value that is made of literals alone, as Python does.
fn literal(value: &Value) -> Option<String> {
    let is_literal = |value: &Value| match value {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::List(_) | Value::Tuple(_) | Value::Dict(_) => true,
        Value::Float(number) => number.is_finite(),
        _ => false,
    };
    let text = value.walk(&mut |one| is_literal(one)).then(|| value.summary(LINE_MAX))?;
    // One line of what a terminal and a grammar can both hold; a summary that was cut is no value.
    (text.chars().all(|sign| sign.is_ascii_graphic() || sign == ' ')).then_some(text)
}

/// Writes the rules of an answer (GBNF): the imports, then one test for what returned and one for what raised, each with
/// some of the lines, in their order, none of them twice.
fn grammar(module: &str, name: &str, facts: &[Fact]) -> Option<String> {
    let returned = facts.iter().filter(|fact| matches!(fact.end, End::Returned(_)));
    let returned: Vec<String> = returned.map(|fact| format!("    assert {}\n", fact.line())).collect();
    let raised = facts.iter().filter_map(|fact| match &fact.end {
        End::Raised(error) => Some(format!("    with pytest.raises({error}):\n        {}\n", fact.call)),
        End::Returned(_) => None,
    });
    let raised: Vec<String> = raised.collect();
    if facts.is_empty() {
        return None;
    }
    let head = if raised.is_empty() { String::new() } else { "import pytest\n\n".to_owned() };
    let mut rules = String::new();
    let mut root = quoted(&format!("{head}from {module} import {name}\n"));
    for (rule, lines, ending) in [("returned", &returned, ""), ("raised", &raised, "_raises")] {
        if lines.is_empty() {
            continue;
        }
        let _ = write!(root, " {rule}");
        let head = quoted(&format!("\n\ndef test_{name}{ending}"));
        let _ = writeln!(rules, "{rule} ::= {head} words {} {rule}-0", quoted("():\n"));
        for (at, line) in lines.iter().enumerate() {
            let next = at + 1;
            let (line, last) = (quoted(line), next == lines.len());
            let _ = match last {
                true => writeln!(rules, "{rule}-{at} ::= {line}"),
                false => writeln!(rules, "{rule}-{at} ::= {line} {rule}-{next}? | {rule}-{next}"),
            };
        }
    }
    Some(format!("root ::= {root}\n{rules}words ::= (\"_\" [a-z0-9]{{1,16}}){{0,4}}\n"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests;
