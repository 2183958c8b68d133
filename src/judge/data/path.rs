//! Where a value is: `result.users[*].email`, `steps["Create a user"].result.id`.

use std::fmt;

use serde_json::{Map, Value};

use super::Scope;
use crate::base::text;

/// A way into what is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    keys: Vec<Key>,
}

#[derive(Debug, Clone, PartialEq)]
enum Key {
    Name(String),
    Index(i64),
    Every,
}

impl Path {
    /// Reads a path from the start of a text; gives the rest. The first name has to be known.
    pub(super) fn take<'a>(text: &'a str, known: &dyn Fn(&str) -> bool) -> Option<(Self, &'a str)> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let name = |rest: &str| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let first = name(text);
        if first == 0 || !known(&text[..first]) {
            return None;
        }
        let mut keys = vec![Key::Name(text[..first].to_owned())];
        let mut rest = &text[first..];
        loop {
            if let Some(after) = rest.strip_prefix('.').filter(|after| after.starts_with(is_part)) {
                let end = name(after);
                keys.push(after[..end].parse().map_or_else(|_| Key::Name(after[..end].to_owned()), Key::Index));
                rest = &after[end..];
            } else if let Some(after) = rest.strip_prefix('[') {
                let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
                let end = match quote {
                    Some(quote) => 1 + after[1..].find(quote)? + 1,
                    None => after.find(']')?,
                };
                let part = after[..end].trim();
                keys.push(match (quote, part) {
                    (Some(_), part) => Key::Name(part[1..part.len() - 1].to_owned()),
                    (None, "*") => Key::Every,
                    (None, part) => Key::Index(part.parse().ok()?),
                });
                rest = after[end..].trim_start().strip_prefix(']')?;
            } else {
                return (rest.is_empty() || rest.starts_with([' ', '}', ','])).then_some((Self { keys }, rest));
            }
        }
    }

    pub(super) fn root(&self) -> &str {
        match self.keys.first() {
            Some(Key::Name(name)) => name,
            _ => "",
        }
    }

    /// Tells whether it leads to one value.
    pub(super) fn is_single(&self) -> bool {
        !self.keys.contains(&Key::Every)
    }

    /// Finds its values, each with its own path.
    pub(super) fn find<'a>(&self, scope: &'a Scope) -> Result<Vec<(String, &'a Value)>, String> {
        let root = self.root();
        let first = scope.get(root).ok_or_else(|| format!("There is no {root}."))?;
        let mut found = vec![(root.to_owned(), first)];
        for key in &self.keys[1..] {
            let mut next = Vec::new();
            for (name, value) in found {
                match (key, value) {
                    (Key::Every, Value::Array(items)) => {
                        next.extend(items.iter().enumerate().map(|(at, item)| (format!("{name}[{at}]"), item)));
                    }
                    (Key::Every, Value::Object(fields)) => {
                        next.extend(fields.iter().map(|(key, value)| (format!("{name}.{key}"), value)));
                    }
                    _ => next.push(step(key, &name, value)?),
                }
            }
            found = next;
        }
        Ok(found)
    }

    /// Gives its value, or a list of them.
    pub(super) fn all(&self, scope: &Scope) -> Value {
        let found = self.find(scope).unwrap_or_default();
        match found.as_slice() {
            [(_, value)] if self.is_single() => (*value).clone(),
            _ => found.into_iter().map(|(_, value)| value.clone()).collect(),
        }
    }
}

fn step<'a>(key: &Key, name: &str, value: &'a Value) -> Result<(String, &'a Value), String> {
    match (key, value) {
        (Key::Name(field), Value::Object(fields)) => {
            let value = fields.get(field).ok_or_else(|| format!("{name} has no {field}: it has {}.", names(fields)))?;
            Ok((format!("{name}.{field}"), value))
        }
        // Of steps, the last of a name.
        (Key::Name(wanted), Value::Array(items)) => {
            let named = |item: &&Value| item.get("name").and_then(Value::as_str) == Some(wanted);
            let found = items.iter().rev().find(named).ok_or_else(|| format!("{name} has none of the name {wanted}."))?;
            Ok((format!("{name}[{wanted:?}]"), found))
        }
        (Key::Index(index), Value::Array(items)) => {
            let at = if *index < 0 { index + items.len() as i64 } else { *index };
            let found = usize::try_from(at).ok().and_then(|at| items.get(at));
            let found = found.ok_or_else(|| format!("{name} has {}.", text::count(items.len(), "item")))?;
            Ok((format!("{name}[{index}]"), found))
        }
        (Key::Index(index), Value::Object(fields)) => {
            let found = fields.get(&index.to_string()).ok_or_else(|| format!("{name} has no {index}."))?;
            Ok((format!("{name}.{index}"), found))
        }
        (_, Value::Null) => Err(format!("{name} is nothing.")),
        (Key::Every, _) => Err(format!("{name} has no items.")),
        _ => Err(format!("{name} has no fields: it is {}.", super::shown(value))),
    }
}

/// Lists the names of fields.
pub(super) fn names(fields: &Map<String, Value>) -> String {
    const MOST: usize = 10;
    let mut names: Vec<&str> = fields.keys().take(MOST).map(String::as_str).collect();
    if fields.len() > MOST {
        names.push("…");
    }
    if names.is_empty() { "no fields".into() } else { names.join(", ") }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, key) in self.keys.iter().enumerate() {
            match key {
                Key::Name(name) if at == 0 => f.write_str(name)?,
                Key::Name(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') => write!(f, ".{name}")?,
                Key::Name(name) => write!(f, "[{name:?}]")?,
                Key::Index(index) => write!(f, "[{index}]")?,
                Key::Every => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}
