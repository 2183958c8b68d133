//! A name and its value side by side: `{"name": "DB_PASSWORD", "value": "x"}`. `recorder/redact.py` judges alike.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::bits::{is_said, looks_secret};
use super::found::{Found, is_placeholder};
use super::names;

/// Keys of names and of values: their last words.
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| names::words("NAME_KEYS").collect());
static VALUES: LazyLock<HashSet<&str>> = LazyLock::new(|| names::words("VALUE_KEYS").collect());

/// Values that say that they are no secrets: `password="test"`.
static MADE_UP: LazyLock<HashSet<&str>> = LazyLock::new(|| names::words("MADE_UP").collect());
/// Values that say whether a secret is wanted.
const SWITCHES: [&str; 10] = ["true", "false", "yes", "no", "none", "null", "on", "off", "0", "1"];
/// How texts begin that say where a value is.
const REFERENCES: [&str; 4] = ["$", "{{", "%(", "<"];
/// Up to so many characters are no secret unless they look like one.
const SHORT: usize = 3;
/// Bytes to either side of a name within which its value stands.
const NEAR: usize = 300;
const QUOTES: [char; 2] = ['"', '\''];
/// What parts one mapping from another.
const BRACKETS: [char; 8] = ['{', '}', '[', ']', '(', ')', '<', '>'];

/// A key of a text: where it begins and ends, the words before its last one, and whether a name or a value stands under it.
struct Key {
    start: usize,
    end: usize,
    before: Vec<String>,
    is_name: bool,
}

/// Tells whether something is the value of a secret that goes by this name, and no label, switch or reference.
#[must_use]
pub fn is_value(name: &str, value: &str) -> bool {
    let Some(is_ambiguous) = names::ends_secret(name) else { return false };
    if is_told(value) {
        return false;
    }
    // A variable of the environment holds no label.
    let is_variable = name.contains('_') && name.contains(char::is_uppercase) && !name.contains(char::is_lowercase);
    let is_odd = || value.chars().count() > SHORT && !value.chars().all(char::is_alphabetic);
    is_variable || looks_secret(value) || (!is_ambiguous && is_odd())
}

/// Tells whether a text is nothing, a switch, a reference, a label, or what stands for a secret: `****`, a placeholder.
pub(super) fn is_told(value: &str) -> bool {
    value.is_empty()
        || is_mask(value)
        || SWITCHES.iter().any(|switch| value.eq_ignore_ascii_case(switch))
        || is_made_up(value)
        || REFERENCES.iter().any(|begin| value.starts_with(begin))
        || is_placeholder(value)
        || is_said(value)
}

fn is_made_up(value: &str) -> bool {
    MADE_UP.contains(value.to_ascii_lowercase().as_str())
}

/// Tells whether a text only says where a value is, or is a mask: `${DB_PASSWORD}`, `$DB_PASSWORD`, `****`.
pub(super) fn is_reference(value: &str) -> bool {
    let is_variable = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    ["${", "$(", "{{", "%("].iter().any(|begin| value.starts_with(begin))
        || value.strip_prefix('$').is_some_and(is_variable)
        || is_mask(value)
}

/// Tells whether a text is one sign again and again.
fn is_mask(value: &str) -> bool {
    value.len() > 3 && value.chars().all(|c| !c.is_alphanumeric() && value.starts_with(c))
}

/// Tells whether the name of something stands under a key.
pub(super) fn is_name_key(key: &str) -> bool {
    part(key).is_some_and(|(_, is_name)| is_name)
}

/// Lists the keys of an object whose values a name beside them makes secret.
pub(super) fn hidden(fields: &Map<String, Value>) -> Vec<String> {
    let of = |is_name: bool| {
        fields.iter().filter_map(move |(key, held)| Some((key, held, part(key).filter(|part| part.1 == is_name)?)))
    };
    let is_secret = |name: &Value, held: &Value| {
        let value = |held: &Value| match held {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        name.as_str().zip(value(held)).is_some_and(|(name, value)| is_value(name, &value))
    };
    of(false)
        .filter(|(_, held, part)| of(true).any(|(_, name, other)| other.0 == part.0 && is_secret(name, held)))
        .map(|(key, ..)| key.clone())
        .collect()
}

/// Finds the second of two quoted texts whose first one is a secret name: `('password', 'x')`, `set("DB_PASSWORD", "x")`.
pub(super) fn pair(text: &str, from: usize) -> Option<Found> {
    text[from..].match_indices(',').find_map(|(at, _)| {
        let at = from + at;
        names::ends_secret(quoted_before(&text[from..at])?)?;
        let (begin, end) = quoted_after(&text[at + 1..])?;
        let (begin, end) = (at + 1 + begin, at + 1 + end);
        let value = &text[begin..end];
        let is_key = text[end..].trim_start_matches(['"', '\'', '\\', ' ']).starts_with([':', '=']);
        (!is_key && looks_secret(value) && !is_said(value) && !is_placeholder(value)).then_some((begin, end, "assigned"))
    })
}

/// Gives what the quotes at the end of a text hold.
fn quoted_before(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(' ');
    let quote = text.chars().next_back().filter(|c| QUOTES.contains(c))?;
    let inside = text[..text.len() - 1].trim_end_matches('\\');
    inside.rfind(quote).map(|at| &inside[at + 1..])
}

/// Gives where the quotes at the start of a text begin and end to hold something.
fn quoted_after(text: &str) -> Option<(usize, usize)> {
    let start = text.find(|c: char| c != ' ')?;
    let start = start + text[start..].find(|c: char| !matches!(c, 'b' | 'r' | 'u' | '\\'))?;
    let quote = text[start..].chars().next().filter(|c| QUOTES.contains(c))?;
    let end = start + 1 + text[start + 1..].find([quote, '\n'])?;
    Some((start + 1, start + 1 + text[start + 1..end].trim_end_matches('\\').len()))
}

/// Finds the first value beside its name, each under a key of its own.
pub(super) fn keyed(text: &str, from: usize) -> Option<Found> {
    let mut at = from;
    while let Some(key) = next(text, at) {
        at = key.end;
        let named = key.is_name.then(|| literal(&text[key.end..])).flatten();
        let Some(name) = named.map(|(from, to)| (key.end + from, key.end + to)) else { continue };
        if names::ends_secret(&text[name.0..name.1]).is_none() {
            continue;
        }
        let found = after(text, name.1, &key).or_else(|| before(text, from, &key));
        if let Some((start, end)) = found.filter(|(start, end)| is_value(&text[name.0..name.1], &text[*start..*end])) {
            return Some((start, end, "assigned"));
        }
    }
    None
}

/// Finds the value that stands behind a name, in the same mapping.
fn after(text: &str, from: usize, name: &Key) -> Option<(usize, usize)> {
    let near = ceil(text, from.saturating_add(NEAR));
    let to = text[from..near].find(BRACKETS).map_or(near, |at| from + at);
    value_in(text, from, to, name)
}

/// Finds the value that stands before a name, in the same mapping.
fn before(text: &str, least: usize, name: &Key) -> Option<(usize, usize)> {
    let quotes = ['"', '\'', ' ', '\\'];
    if text[..name.start].trim_end_matches(quotes).ends_with('-') {
        return None; // a list's item begins here
    }
    let least = least.max(ceil(text, name.start.saturating_sub(NEAR)));
    let from = text[least..name.start].rfind(BRACKETS).map_or(least, |at| least + at + 1);
    value_in(text, from, name.start, name)
}

/// Finds the value in a part of a text that no other name takes.
fn value_in(text: &str, from: usize, to: usize, name: &Key) -> Option<(usize, usize)> {
    let mut at = from;
    while let Some(key) = next(&text[..ceil(text, to + NEAR)], at).filter(|key| key.end < to && key.before == name.before) {
        // What is said of the same value goes between (`type: text`), and the same key is that of another one.
        if key.is_name && text[key.start..key.end] == text[name.start..name.end] {
            return None;
        }
        if !key.is_name
            && let Some((begin, end)) = literal(&text[key.end..])
        {
            return Some((key.end + begin, key.end + end));
        }
        at = key.end;
    }
    None
}

/// Finds the next word of a text that is a key of either kind.
fn next(text: &str, mut from: usize) -> Option<Key> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    while let Some(at) = text[from..].find(is_part) {
        let start = from + at;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |at| start + at);
        if let Some((before, is_name)) = part(&text[start..end]).filter(|_| literal(&text[end..]).is_some()) {
            return Some(Key { start, end, before, is_name });
        }
        from = end;
    }
    None
}

/// Splits a key off its last word, which tells whether a name stands under it; `None` for one under which neither stands.
fn part(key: &str) -> Option<(Vec<String>, bool)> {
    if key.len() > 64 {
        return None;
    }
    let mut words = names::split(key);
    let last = words.pop()?;
    let is_name = NAMES.contains(last.as_str());
    (is_name || VALUES.contains(last.as_str())).then_some((words, is_name))
}

/// Finds what is assigned to a key that has just ended.
fn literal(rest: &str) -> Option<(usize, usize)> {
    let mut at = rest.find(|c: char| !matches!(c, '"' | '\'' | ']' | ' ' | '\\')).filter(|at| *at <= 4)?;
    if !rest[at..].starts_with([':', '=']) {
        return None;
    }
    at += rest[at..].find(|c: char| !matches!(c, ':' | '=' | '>' | ' ' | '\\'))?;
    let begin = rest[at..].trim_start_matches(['b', 'r', 'u']);
    if let Some(quote) = begin.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        at = rest.len() - begin.len() + 1;
        let inside = &begin[1..];
        let end = inside.find([quote, '\n']).unwrap_or(inside.len());
        let length = inside[..end].trim_end_matches('\\').len();
        return (length > 0).then_some((at, at + length));
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&' | '"' | '\'') || BRACKETS.contains(&c);
    let near = ceil(rest, at + NEAR);
    let length = rest[at..near].find(ends).unwrap_or(near - at);
    (length > 0).then_some((at, at + length))
}

/// Gives the next place where a character of a text begins.
fn ceil(text: &str, at: usize) -> usize {
    (at.min(text.len())..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str, from: usize) -> Option<Found> {
        keyed(text, from).into_iter().chain(pair(text, from)).min()
    }

    #[test]
    fn the_value_beside_the_name_of_a_secret_is_found_in_any_notation() {
        for (text, secret) in [
            (r#"{"name": "DB_PASSWORD", "value": "x y"}"#, "x y"),
            (r#"{"value": "hunter2", "type": "text", "name": "password"}"#, "hunter2"),
            (r"[{'key': 'A', 'value': '1'}, {'key': 'api_key', 'value': 'zQ8-kd2x09'}]", "zQ8-kd2x09"),
            ("env:\n- name: PATH\n  value: /bin\n- name: SMTP_PASSWD\n  value: hunter2\n", "hunter2"),
            (r#"<add key="ApiKey" value="zQ8-kd2x09"/>"#, "zQ8-kd2x09"),
            (r#"Setting(header_name="X-Api-Key", header_value="zQ8-kd2x09")"#, "zQ8-kd2x09"),
            (r#"{"ParameterKey": "MasterPassword", "ParameterValue": "zQ8-kd2x09"}"#, "zQ8-kd2x09"),
            ("\"{\\\"name\\\": \\\"jwt\\\", \\\"value\\\": \\\"zQ8-kd2x09\\\"}\"", "zQ8-kd2x09"),
            ("name=DB_PASSWORD&value=hunter2", "hunter2"),
            (r#"{"type": "password", "value": "hunter2"}"#, "hunter2"),
            (r#"{"name": "password", "type": "text", "value": "hunter2"}"#, "hunter2"),
            (r#"<input type="password" name="field" value="hunter2">"#, "hunter2"),
            ("[('password', 'zQ8-kd2x09')]", "zQ8-kd2x09"),
            (r#"[["api_key","zQ8-kd2x09"]]"#, "zQ8-kd2x09"),
            (r#"os.environ.get("DB_PASSWORD", "zQ8-kd2x09")"#, "zQ8-kd2x09"),
            (r#"setattr(o, 'password', b"zQ8-kd2x09")"#, "zQ8-kd2x09"),
            (r#""[\"password\", \"zQ8-kd2x09\"]""#, "zQ8-kd2x09"),
        ] {
            let found = first(text, 0).map(|(start, end, _)| &text[start..end]);
            assert_eq!(found, Some(secret), "{text}");
            assert!(super::super::finders::begins_anywhere(text.as_bytes()), "{text}");
        }
        for text in [
            r#"{"name": "password", "value": "Password"}"#,
            r#"{"key": "forgot_password", "value": "Forgot your password?"}"#,
            r#"{"name": "REQUIRE_PASSWORD", "value": "true"}"#,
            r#"{"name": "DB_PASSWORD", "value": "${DB_PASSWORD}"}"#,
            r#"{"name": "token", "value": "NAME"}, {"name": "size", "value": "zQ8-kd2x09"}"#,
            r#"{"name": "password"}, {"name": "size", "value": "zQ8-kd2x09"}"#,
            "- name: PATH\n  value: /bin-12x\n- name: password\n",
            r#"{"header_name": "password", "value": "zQ8-kd2x09"}"#,
            r#"{"name": "password_policy", "value": "zQ8-kd2x09"}"#,
            r#"["password", "first_name", "email"]"#,
            r#"("secret", "not_found")"#,
            r#"("password", "Password")"#,
            r#"["size", "zQ8-kd2x09"]"#,
            r#"<input type="password" name="field" value="">"#,
            r#"{"type": "password", "value": "Required"}"#,
        ] {
            assert_eq!(first(text, 0), None, "{text}");
        }
    }

    #[test]
    fn an_object_hides_the_value_beside_the_name_of_a_secret() {
        let object = serde_json::json!({ "name": "pin_code", "value": 471_147, "default": "none", "header_value": "x1-y2" });
        assert_eq!(hidden(object.as_object().unwrap()), ["value"]);
    }
}
