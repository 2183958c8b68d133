//! `${…}` in the arguments of a step: filled in with what earlier steps gave, with its type where it stands alone.
//!
//! Two tables: ours, where an undefined reference is an error, and that of llm-pytest (`compat: llm-pytest`), where it
//! stays as it is and everything becomes text as Python's `str` writes it. Pure functions.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use crate::base::paths::nearest;
use crate::base::text;
use crate::base::yaml::{Located, Place, Plain};
use crate::domain::spec::{Action, Spec, Step, Wording};
use crate::judge::data;
use crate::spec::load::Mistake;

/// The name under which `store_value` keeps values.
pub const STORED: &str = "stored";
/// Characters of a value that are shown as what a reference became.
const SHOWN: usize = 120;

/// Tells whether a name may not be given to a step's result: expressions and sentences use it.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    matches!(name, STORED | "result" | "error" | "steps")
}

/// What references find: results by their names, and what was stored under [`STORED`].
pub type Known = Map<String, Value>;

/// Which table is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Ours.
    Typed,
    /// That of llm-pytest.
    Former,
}

/// Arguments as the tool gets them.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// The arguments.
    pub args: Value,
    /// Each reference and what it became.
    pub trace: Vec<(String, String)>,
}

/// Fills in the references of a step's arguments.
///
/// # Errors
/// Gives every reference that nothing is known of, with its place.
pub fn fill(args: &Located, known: &Known, table: Table) -> Result<Filled, Vec<Mistake>> {
    let mut filling = Filling { known, table, trace: Vec::new(), mistakes: Vec::new() };
    let args = filling.value(args);
    if filling.mistakes.is_empty() { Ok(Filled { args, trace: filling.trace }) } else { Err(filling.mistakes) }
}

/// Writes a text with its references filled in where something is known of them; the others stay.
#[must_use]
pub fn told(wording: &str, known: &Known, table: Table) -> String {
    let mut filling = Filling { known, table, trace: Vec::new(), mistakes: Vec::new() };
    let whole = Located { at: Place::default(), value: Plain::Text(wording.to_owned()) };
    match filling.value(&whole) {
        Value::String(text) if filling.mistakes.is_empty() => text,
        _ if !filling.mistakes.is_empty() => wording.to_owned(),
        other => other.to_string(),
    }
}

struct Filling<'a> {
    known: &'a Known,
    table: Table,
    trace: Vec<(String, String)>,
    mistakes: Vec<Mistake>,
}

impl Filling<'_> {
    fn value(&mut self, tree: &Located) -> Value {
        match &tree.value {
            Plain::Null => Value::Null,
            Plain::Bool(flag) => Value::Bool(*flag),
            Plain::Int(number) => (*number).into(),
            Plain::Whole(digits) => serde_json::from_str(digits).map_or(Value::Null, Value::Number),
            Plain::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Plain::Text(text) if self.table == Table::Former => Value::String(self.former(text)),
            Plain::Text(text) => self.typed(text, tree.at),
            Plain::List(items) => items.iter().map(|item| self.value(item)).collect(),
            Plain::Map(entries) => {
                entries.iter().map(|(key, _, value)| (key.clone(), self.value(value))).collect::<Map<_, _>>().into()
            }
        }
    }

    fn typed(&mut self, text: &str, at: Place) -> Value {
        let pieces = match pieces(text) {
            Ok(pieces) => pieces,
            Err(bad) => {
                self.mistakes.push(bad.mistake(text, at));
                return Value::Null;
            }
        };
        if let [Piece::Reference(reference)] = pieces.as_slice() {
            return self.one(reference, text, at);
        }
        let mut out = String::new();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Reference(reference) => match self.one(reference, text, at) {
                    Value::String(text) => out.push_str(&text),
                    other => out.push_str(&other.to_string()),
                },
            }
        }
        Value::String(out)
    }

    fn one(&mut self, reference: &Reference, text: &str, at: Place) -> Value {
        let value = match (find(&reference.path, self.known), &reference.default) {
            (Ok(Value::Null) | Err(_), Some(default)) => default.clone(),
            (Ok(value), _) => value.clone(),
            (Err(why), None) => {
                let what = format!("`{}` has no value: {why}", text::display_line(&reference.written));
                let length = reference.written.chars().count();
                self.mistakes.push(Mistake { at: within(at, text, reference.offset), length, what });
                return Value::Null;
            }
        };
        self.note(&reference.written, &value);
        value
    }

    fn note(&mut self, written: &str, value: &Value) {
        let shown = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        self.trace.push((written.to_owned(), text::cut(&text::display_line(&shown), SHOWN).into_owned()));
    }

    /// As llm-pytest: a dotted path of mappings; what is not there, or nothing, stays as it is.
    fn former(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let inside = &rest[start + 2..];
            let Some(length) = inside.find('}') else { break };
            if length == 0 {
                out.push_str(&rest[..start + 2]);
                rest = inside;
                continue;
            }
            let (path, written) = (&inside[..length], &rest[start..start + length + 3]);
            let mut value = path.split('.').try_fold(None::<&Value>, |here, part| match here {
                None => self.known.get(part).map(Some),
                Some(value) => value.as_object()?.get(part).map(Some),
            });
            if matches!(value, Some(Some(Value::Null))) {
                value = None;
            }
            out.push_str(&rest[..start]);
            match value.flatten() {
                Some(value) => {
                    let value = python_str(value);
                    self.note(written, &Value::String(value.clone()));
                    out.push_str(&value);
                }
                None => out.push_str(written),
            }
            rest = &inside[length + 1..];
        }
        out + rest
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Reference(Reference),
}

/// What stands between `${` and `}`.
#[derive(Debug, Clone, PartialEq)]
struct Reference {
    /// With its signs, as in the file.
    written: String,
    /// Bytes of the text before it.
    offset: usize,
    path: Vec<Key>,
    default: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Name(String),
    Index(i64),
}

/// A reference that cannot be read.
#[derive(Debug)]
struct Bad {
    offset: usize,
    why: String,
}

impl Bad {
    fn mistake(&self, text: &str, at: Place) -> Mistake {
        let what = format!("{} To mean the text itself, write `$${{`.", self.why);
        Mistake { at: within(at, text, self.offset), length: 2, what }
    }
}

/// Gives the place of an offset of a text that begins at a place; of texts over several lines only the beginning is known.
fn within(at: Place, text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or_default();
    if text.contains('\n') {
        return at;
    }
    Place { line: at.line, column: at.column + u32::try_from(before.chars().count()).unwrap_or(0) }
}

fn pieces(text: &str) -> Result<Vec<Piece>, Bad> {
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("${") {
        let start = at + found;
        if text[..start].ends_with('$') && start > at {
            plain.push_str(&text[at..start - 1]);
            plain.push_str("${");
            at = start + 2;
            continue;
        }
        plain.push_str(&text[at..start]);
        let (reference, end) = reference(text, start)?;
        if !plain.is_empty() {
            out.push(Piece::Text(std::mem::take(&mut plain)));
        }
        out.push(Piece::Reference(reference));
        at = end;
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() || out.is_empty() {
        out.push(Piece::Text(plain));
    }
    Ok(out)
}

/// Reads the reference that begins at an offset; gives where it ends.
fn reference(text: &str, start: usize) -> Result<(Reference, usize), Bad> {
    let bad = |why: &str| Bad { offset: start, why: why.to_owned() };
    let inside = &text[start + 2..];
    let length = closing(inside).ok_or_else(|| bad("`${` is never closed by `}`."))?;
    let written = &text[start..start + length + 3];
    let (path, default) = match inside[..length].split_once(":-") {
        Some((path, default)) => (path, Some(default_value(default))),
        None => (&inside[..length], None),
    };
    if path.trim().is_empty() {
        return Err(bad("`${}` names nothing."));
    }
    let shown = text::cut(&text::display_line(path.trim()), 60).into_owned();
    let path = keys(path.trim())
        .ok_or_else(|| bad(&format!("`{shown}` is no reference: write a name, `.field`, `[0]` or `[\"key\"]`.")))?;
    Ok((Reference { written: written.to_owned(), offset: start, path, default }, start + length + 3))
}

/// Finds the `}` that closes, outside quotes.
fn closing(inside: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (None, '}') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Reads the default of a reference: JSON where it is some, else text.
fn default_value(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn keys(path: &str) -> Option<Vec<Key>> {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let name = |rest: &str| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let mut keys = Vec::new();
    let mut rest = path;
    if !rest.starts_with(is_start) {
        return None;
    }
    let first = name(rest);
    keys.push(Key::Name(rest[..first].to_owned()));
    rest = &rest[first..];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = name(after);
            let part = &after[..end];
            match part.parse::<i64>() {
                Ok(index) => keys.push(Key::Index(index)),
                Err(_) if part.starts_with(is_start) => keys.push(Key::Name(part.to_owned())),
                Err(_) => return None,
            }
            rest = &after[end..];
        } else {
            let after = rest.strip_prefix('[')?;
            let end = after.find(']')?;
            let part = after[..end].trim();
            let quoted = ['"', '\''].iter().find_map(|quote| part.strip_prefix(*quote)?.strip_suffix(*quote));
            keys.push(match quoted {
                Some(key) => Key::Name(key.to_owned()),
                None => Key::Index(part.parse().ok()?),
            });
            rest = &after[end + 1..];
        }
    }
    Some(keys)
}

/// Follows a path; says where it ends and what is there instead.
fn find<'a>(path: &[Key], known: &'a Known) -> Result<&'a Value, String> {
    let (Some(Key::Name(first)), rest) = (path.first(), path.get(1..).unwrap_or_default()) else {
        return Err("it names nothing.".into());
    };
    let mut value = known.get(first).ok_or_else(|| unknown(first, known.keys().map(String::as_str)))?;
    let mut walked = first.clone();
    for key in rest {
        let next = match (key, value) {
            (Key::Name(name), Value::Object(fields)) => fields
                .get(name)
                .ok_or_else(|| format!("`{walked}` has no field `{}`{}", text::display_line(name), has(fields)))?,
            // A mapping may have the digits as a key.
            (Key::Index(index), Value::Object(fields)) => {
                fields.get(&index.to_string()).ok_or_else(|| format!("`{walked}` has no field `{index}`{}", has(fields)))?
            }
            (Key::Index(index), Value::Array(items)) => {
                let at = if *index < 0 { usize::try_from(*index + items.len() as i64) } else { usize::try_from(*index) };
                let found = at.ok().and_then(|at| items.get(at));
                found.ok_or_else(|| format!("`{walked}` is a list of {}.", text::count(items.len(), "item")))?
            }
            (_, other) => return Err(format!("`{walked}` is {}.", kind(other))),
        };
        walked += &match key {
            Key::Name(name) => format!(".{}", text::display_line(name)),
            Key::Index(index) => format!("[{index}]"),
        };
        value = next;
    }
    Ok(value)
}

fn has(fields: &Map<String, Value>) -> String {
    let names: Vec<String> = fields.keys().take(8).map(|name| text::cut(&text::display_line(name), 40).into_owned()).collect();
    let more = if fields.len() > names.len() { ", …" } else { "" };
    if names.is_empty() { ": it is empty.".into() } else { format!(": it has {}{more}.", names.join(", ")) }
}

fn unknown<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = nearest(name, names);
    let said = format!("nothing is saved as `{}`", text::display_line(name));
    match near.first() {
        Some(near) => format!("{said}. Did you mean `{near}`?"),
        None => format!("{said}."),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// Checks the references of a test before it is run: how they are written, and that an earlier step saves what they name. Those to
/// `misnamed` names are left to the mistake that was found with the name.
#[must_use]
pub fn check(spec: &Spec, misnamed: &BTreeSet<String>) -> Vec<Mistake> {
    let mut saved = BTreeSet::from([STORED.to_owned()]);
    saved.extend(misnamed.iter().cloned());
    let mut checking = Checking { saved, mistakes: Vec::new() };
    if spec.former {
        return Vec::new();
    }
    for steps in [&spec.setup, &spec.steps, &spec.teardown] {
        steps.iter().for_each(|step| checking.step(step));
    }
    checking.wording(&spec.pass_if);
    checking.wording(&spec.fail_if);
    checking.mistakes
}

struct Checking {
    saved: BTreeSet<String>,
    mistakes: Vec<Mistake>,
}

impl Checking {
    fn step(&mut self, step: &Step) {
        match &step.action {
            Action::Tool { args, .. } => self.tree(args),
            Action::Group(steps) => {
                // What a later step of a group saves is there from its second round on.
                if step.repeat > 1 {
                    steps.iter().filter_map(|step| step.save_as.clone()).for_each(|name| _ = self.saved.insert(name));
                }
                steps.iter().for_each(|step| self.step(step));
            }
        }
        for check in &step.check {
            if check.text.contains("${") {
                let what = "`check` is Python: name what was saved without `${…}`.".to_owned();
                self.mistakes.push(Mistake { at: check.at, length: 1, what });
            }
        }
        self.saved.extend(step.save_as.clone());
        step.expect.iter().chain(&step.analyze).for_each(|wording| self.wording(wording));
        for rule in &step.rules {
            let Some(root) = data::root(&rule.of).filter(|root| !is_reserved(root) && !self.saved.contains(*root)) else {
                continue;
            };
            let why = unknown(root, self.saved.iter().map(String::as_str).chain(["result"]));
            let what = format!("`{}` cannot have a value: {why}", text::display_line(&rule.of));
            self.mistakes.push(Mistake { at: rule.at, length: 1, what });
        }
    }

    fn tree(&mut self, tree: &Located) {
        match &tree.value {
            Plain::Text(text) => self.text(text, tree.at),
            Plain::List(items) => items.iter().for_each(|item| self.tree(item)),
            Plain::Map(entries) => entries.iter().for_each(|(_, _, value)| self.tree(value)),
            _ => {}
        }
    }

    fn wording(&mut self, wording: &Wording) {
        self.text(&wording.text, wording.at);
    }

    fn text(&mut self, text: &str, at: Place) {
        let pieces = match pieces(text) {
            Ok(pieces) => pieces,
            Err(bad) => return self.mistakes.push(bad.mistake(text, at)),
        };
        for piece in pieces {
            let Piece::Reference(Reference { written, offset, path, default: None }) = piece else { continue };
            let Some(Key::Name(first)) = path.first() else { continue };
            if !self.saved.contains(first) {
                let why = unknown(first, self.saved.iter().map(String::as_str));
                let what = format!("`{}` cannot have a value: {why}", text::display_line(&written));
                self.mistakes.push(Mistake { at: within(at, text, offset), length: written.chars().count(), what });
            }
        }
    }
}

/// Writes a value as Python's `str` does.
fn python_str(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => python_repr(other),
    }
}

fn python_repr(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        // As Python wrote it: numbers keep their text.
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(python_repr).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), python_repr(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests;
