//! What is assigned to the name of several secrets: literals, as in `passwords=["a", "b"]` and `"tokens": {"ada": "a"}`, and
//! the bare items of YAML. A name of one secret and its value are the affair of `finders.rs`.

use super::beside;
use super::bits::is_random;
use super::found::{Found, floor, is_placeholder};
use super::names::{self, Holds};

/// Bytes within which such a list ends.
const NEAR: usize = 4096;
/// Bytes between a name and what is assigned to it.
const GAP: usize = 6;
/// What may be called with such a list.
const MAKERS: [&str; 8] = ["set", "frozenset", "list", "tuple", "dict", "OrderedDict", "defaultdict", "deque"];

/// Finds all such literals, and the bare items of lists and mappings in YAML.
pub(super) fn all(text: &str) -> Vec<Found> {
    let mut found = literals(text);
    found.extend(bare(text));
    found.sort_unstable();
    found
}

/// Finds the literals behind such names.
pub(super) fn literals(text: &str) -> Vec<Found> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let (mut all, mut at, mut read) = (Vec::new(), 0, 0);
    while let Some(begin) = text[at..].find(is_name) {
        let start = at + begin;
        let end = text[start..].find(|c| !is_name(c)).map_or(text.len(), |at| start + at);
        at = end;
        let Some(open) = opening(&text[end..]) else { continue };
        let perhaps = match names::holds(&text[start..end]) {
            Some(Holds::Several) => false,
            Some(Holds::PerhapsSeveral) => true,
            Some(Holds::One) | None => continue,
        };
        // What is in a list of secrets is read; a list of words may hold the names of such.
        if perhaps && at >= read {
            read = literal(text, end + open, perhaps, &mut all);
        } else if !perhaps {
            at = literal(text, end + open, perhaps, &mut all);
        }
    }
    all
}

/// Finds the bare items of a YAML list or mapping under such a name.
fn bare(text: &str) -> Vec<Found> {
    let (mut found, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = &text[start..end];
        let mut next = end + 1;
        if let Some((key, rest)) = line.split_once(':')
            && let name = key.trim_start_matches(['-', ' ']).trim_matches(['"', '\''])
            && !name.contains(char::is_whitespace)
            && let Some(holds @ (Holds::Several | Holds::PerhapsSeveral)) = names::holds(name)
        {
            let is_secret = |item: &str| {
                let is_told = item.contains(char::is_whitespace) || is_placeholder(item) || item.contains(['(', '{', '[']);
                !is_told && if holds == Holds::Several { beside::is_value(name, item) } else { is_random(item) }
            };
            let items = if rest.trim().is_empty() {
                let (items, behind) = block(text, end, key.len() - key.trim_start().len());
                // Names in the block are names of the same secrets.
                next = behind.max(next);
                items
            } else {
                flow(text, start + key.len() + 1, end)
            };
            let secret = items.into_iter().filter(|(begin, to)| is_secret(&text[*begin..*to]));
            found.extend(secret.map(|(begin, to)| (begin, to, "assigned")));
        }
        start = next;
    }
    found
}

/// Gives the bare items of `[a, b]`.
fn flow(text: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let inside = text[from..to].trim_start().strip_prefix('[').and_then(|rest| rest.split(']').next());
    let Some(inside) = inside else { return Vec::new() };
    let mut at = from + (text[from..to].len() - text[from..to].trim_start().len()) + 1;
    let mut items = Vec::new();
    for item in inside.split(',') {
        items.push(trimmed(item, at));
        at += item.len() + 1;
    }
    items
}

/// Gives what stands behind `- ` or `name: ` in the lines below a name, as far as they belong to it, and where they end.
fn block(text: &str, from: usize, indent: usize) -> (Vec<(usize, usize)>, usize) {
    let mut items = Vec::new();
    let mut at = from + 1;
    for line in text.get(at..floor(text, (from + NEAR).min(text.len()))).unwrap_or_default().split_inclusive('\n') {
        let bare = line.trim_start();
        let depth = line.len() - bare.len();
        if !bare.is_empty() && (depth < indent || (depth == indent && !bare.starts_with("- "))) {
            break;
        }
        let item = bare.strip_prefix("- ").unwrap_or(bare);
        let item = item.split_once(": ").map_or(item, |(_, value)| value);
        let is_item = item.len() < bare.len();
        if is_item {
            items.push(trimmed(item, at + line.len() - item.len()));
        }
        at += line.len();
    }
    (items, at)
}

/// Gives from where to where an item goes without the spaces and quotes around it.
fn trimmed(item: &str, at: usize) -> (usize, usize) {
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let start = at + (item.len() - item.trim_start_matches(around).len());
    (start, start + item.trim_matches(around).len())
}

/// Gives where the list begins that is assigned to a name which has just ended.
fn opening(rest: &str) -> Option<usize> {
    let mut at = rest.find(|c: char| !matches!(c, '"' | '\'' | ']' | ' ' | '\\')).filter(|at| *at <= GAP)?;
    if !rest[at..].starts_with(['=', ':']) {
        return None;
    }
    at += rest[at..].find(|c: char| !matches!(c, '=' | ':' | '>' | ' ' | '\n'))?;
    for maker in MAKERS {
        if rest[at..].strip_prefix(maker).is_some_and(|rest| rest.starts_with('(')) {
            at += maker.len();
            break;
        }
    }
    rest[at..].starts_with(['[', '(', '{']).then_some(at)
}

/// Finds the secret literals in a list, and gives where it ends. The keys of a mapping are none, unless they look like it.
fn literal(text: &str, open: usize, perhaps: bool, found: &mut Vec<Found>) -> usize {
    let most = floor(text, (open + NEAR).min(text.len()));
    let mut around: Vec<char> = Vec::new();
    let mut at = open;
    while let Some(c) = text[at..most].chars().next() {
        at += c.len_utf8();
        match c {
            '[' | '(' | '{' => around.push(c),
            ']' | ')' | '}' => {
                around.pop();
                if around.is_empty() {
                    break;
                }
            }
            '"' | '\'' => {
                let (start, end, behind) = inside(&text[..most], at, c);
                let is_key = around.last() == Some(&'{') && text[behind..most].trim_start_matches(' ').starts_with(':');
                let held = &text[start..end];
                let is_secret = if perhaps || is_key { is_random(held) } else { held.len() > 1 };
                if is_secret && !is_placeholder(held) {
                    found.push((start, end, "assigned"));
                }
                at = behind;
            }
            _ => {}
        }
    }
    at
}

/// Gives from where to where a literal goes whose first quote ends at a place, and where what is behind it begins.
fn inside(text: &str, from: usize, quote: char) -> (usize, usize, usize) {
    let long = quote.to_string().repeat(3);
    if text[from - 1..].starts_with(&long) {
        let start = from + 2;
        let end = text[start..].find(&long).map_or(text.len(), |at| start + at);
        return (start, end, (end + 3).min(text.len()));
    }
    // Inside another literal, the quotes of a literal are escaped.
    let is_escaped = text[..from - 1].ends_with('\\');
    let mut end = from;
    while let Some(at) = text[end..].find([quote, '\n']) {
        end += at;
        let before = &text[from..end];
        let escapes = before.len() - before.trim_end_matches('\\').len();
        if is_escaped || escapes.is_multiple_of(2) || text[end..].starts_with('\n') {
            let held = if is_escaped { escapes } else { 0 };
            return (from, end - held, end + 1);
        }
        end += 1;
    }
    (from, text.len(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        literals(text).into_iter().map(|(start, end, _)| &text[start..end]).collect()
    }

    #[test]
    fn every_literal_behind_the_name_of_several_secrets_is_found() {
        for (text, secrets) in [
            (r#"passwords=["hunter2", "sword fish"]"#, &["hunter2", "sword fish"][..]),
            (r#"{"api_keys": {"ada": "one", "grace": ["two", 3]}, "name": "x"}"#, &["one", "two"]),
            (r#""{\"accessTokens\": [\"zQ8-kd2x09\"]}""#, &["zQ8-kd2x09"]),
            ("f(tokens=('the', 'zQ8-kd2x09'), max_tokens=256)", &["zQ8-kd2x09"]),
            ("self.passwords = {\n    'a\\'b',\n    b'two',\n}\nname = ['x y']", &["a\\'b", "two"]),
            ("DB_PASSWORDS: set(['''a\nb'''])", &["a\nb"]),
            ("tokens={'zQ8-kd2x09': 'ada'}", &["zQ8-kd2x09"]),
        ] {
            assert_eq!(all(text), secrets, "{text}");
            assert!(super::super::finders::begins_anywhere(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn bare_items_of_yaml_under_the_name_of_several_secrets_are_found() {
        let all = |text: &str| bare(text).into_iter().map(|(start, end, _)| text[start..end].to_owned()).collect::<Vec<_>>();
        for (text, secrets) in [
            ("db:\n  passwords:\n    - hunter2\n    - 'zQ8kd20fhWx'\n  name: x9\n", &["hunter2", "zQ8kd20fhWx"][..]),
            ("passwords:\n- hunter2\nnames:\n- hunter3\n", &["hunter2"]),
            ("api_keys:\n  ada: zQ8-kd2x09\n  grace: k3y-k3y\n", &["zQ8-kd2x09", "k3y-k3y"]),
            ("tokens: [zQ8-kd2x09, the, a1B2c3D4e5F6]", &["zQ8-kd2x09", "a1B2c3D4e5F6"]),
        ] {
            assert_eq!(all(text), secrets, "{text}");
            assert!(super::super::finders::begins_anywhere(text.as_bytes()), "{text}");
        }
        for text in [
            "passwords:\n  - must be long\n  - must have 8 digits\n",
            "tokens: [the, state-of-the-art, getUserById]",
            "passwords: list of 12 words",
            "api_keys:\n  ada: ${ADA_KEY}\n  grace: none\n",
            "keys:\n  - zQ8-kd2x09\n",
            "passwords: [Password(1), x[2]]",
        ] {
            assert_eq!(all(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_no_list_of_secrets_is_not_found() {
        for text in [
            r#"keys=["a", "b"]"#,
            r#"tokens=["the", "state-of-the-art", "getUserById"]"#,
            r#"max_tokens=256, stop=["zQ8-kd2x09"]"#,
            r#"password_rules=["min-12-chars"]"#,
            "passwords=load(['path'])",
            "passwords: list[str] = read('path')",
            "passwords=[",
            "def check_passwords(['a'])",
        ] {
            assert_eq!(all(text), [""; 0], "{text}");
        }
    }
}
