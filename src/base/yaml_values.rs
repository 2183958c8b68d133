//! Values of secret names in the longer forms of YAML: a block (`password: |`), behind a tag or an anchor, on the next line, behind
//! `? password`. What stands on the line of its name is the affair of `finders.rs`.

use super::beside;
use super::found::{Found, floor, is_placeholder};
use super::names::{self, Holds};

/// Bytes of a block.
const MOST: usize = 8192;

/// Finds all such values.
pub(super) fn all(text: &str) -> Vec<Found> {
    let (mut all, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let line = &text[start..end];
        let found = named(line).and_then(|(name, rest)| value(text, start, start + rest, end).map(|found| (name, found)));
        start = end + 1;
        if let Some((name, (begin, to))) = found {
            let held = &text[begin..to];
            let is_block = held.contains('\n') || text[..begin].trim_end().ends_with(['|', '>', '-', '+']);
            if !is_placeholder(held) && (beside::is_value(name, held) || is_block && held.len() > 2) {
                all.push((begin, to, "assigned"));
                start = to.max(start);
            }
        }
    }
    all
}

/// Gives the secret name that a line begins with, and what is behind it: `- password: x`, `? password`.
fn named(line: &str) -> Option<(&str, usize)> {
    let bare = line.trim_start_matches([' ', '-']);
    let key = bare.strip_prefix("? ").unwrap_or(bare);
    let (name, rest) = match key.split_once(':') {
        Some((name, rest)) => (name, rest),
        None if key.len() < bare.len() => (key, ""),
        None => return None,
    };
    let name = name.trim().trim_matches(['"', '\'']);
    let is_one =
        !name.contains(char::is_whitespace) && names::holds(name) == Some(Holds::One) && names::ends_secret(name).is_some();
    is_one.then_some((name, line.len() - rest.len()))
}

/// Finds what a name holds whose line begins and ends at these places, and whose value begins behind `rest`.
fn value(text: &str, start: usize, rest: usize, end: usize) -> Option<(usize, usize)> {
    let indent = text[start..].len() - text[start..].trim_start_matches([' ', '-']).len();
    let mut at = rest + (text[rest..end].len() - text[rest..end].trim_start().len());
    let mut is_marked = false;
    // `!secret`, `&anchor`
    while text[at..end].starts_with(['!', '&']) {
        let Some(space) = text[at..end].find(' ') else {
            at = end;
            break;
        };
        at += space + (text[at + space..end].len() - text[at + space..end].trim_start().len());
        is_marked = true;
    }
    let here = text[at..end].trim_end();
    let is_block = here.starts_with(['|', '>']) && here[1..].bytes().all(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'));
    if !here.is_empty() && !is_block {
        let held = here.split(" #").next().unwrap_or_default().trim_end();
        let inner = held.trim_matches(['"', '\'']);
        let begin = at + held.find(inner)?;
        return (is_marked && !inner.is_empty()).then_some((begin, begin + inner.len()));
    }
    below(text, end, indent, is_block)
}

/// Gives the lines below a name that belong to it: all of a block, or one that is no key and no item.
fn below(text: &str, from: usize, indent: usize, is_block: bool) -> Option<(usize, usize)> {
    let mut at = from + 1;
    let mut found: Option<(usize, usize)> = None;
    for line in text.get(at..floor(text, (from + MOST).min(text.len())))?.split_inclusive('\n') {
        let bare = line.trim();
        let depth = line.len() - line.trim_start().len();
        // `: x` behind `? password`
        let after = bare.strip_prefix(": ").filter(|_| found.is_none() && !is_block);
        if !bare.is_empty() && (depth < indent || depth == indent && after.is_none()) {
            break;
        }
        let is_other = after.is_none() && (bare.contains(": ") || bare.ends_with(':') || bare.starts_with(['-', '{', '[', '?']));
        if !is_block && is_other {
            return None;
        }
        if !bare.is_empty() {
            let held = after.unwrap_or(bare).trim_matches(['"', '\'']);
            let begin = at + line.find(held)?;
            found = Some((found.map_or(begin, |(first, _)| first), begin + held.len()));
        }
        at += line.len();
        if !is_block && found.is_some() {
            break;
        }
    }
    found.filter(|(begin, to)| begin < to)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "zQ8kd20fhWxLp1m";

    #[test]
    fn a_value_of_a_secret_name_is_found_in_every_form_of_yaml() {
        for text in [
            "password: |\n  @\nname: ada\n",
            "password: >-\n  @\n",
            "password: |2-\n    @\n",
            "a:\n  - password: >+\n      @\n  - b",
            "password: !vault |\n  @\n",
            "password: !secret @\n",
            "db:\n  password: &pw '@' # ours\n",
            "password:\n  @\n",
            "? password\n: @\n",
        ] {
            let text = text.replace('@', SECRET);
            let at = text.find(SECRET).unwrap();
            assert_eq!(all(&text), [(at, at + SECRET.len(), "assigned")], "{text}");
            assert!(super::super::finders::begins_anywhere(text.as_bytes()), "{text}");
        }
        let lines = "private_key: |\n  zQ8kd20f\n  hWxLp1m\nname: ada\n";
        assert_eq!(all(lines).first().map(|(from, to, _)| &lines[*from..*to]), Some("zQ8kd20f\n  hWxLp1m"));
    }

    #[test]
    fn what_is_below_another_name_or_is_a_mapping_is_not() {
        for text in [
            "title: |\n  a longer text\n",
            "password:\n  type: string\n  minLength: 8\n",
            "password:\n- a\n",
            "password: &pw\n",
            "password: *pw\n",
            "token_type: |\n  bearer\n",
            "password:\nname: zQ8kd20f\n",
            "password:\n",
            "? password",
            "the password: |",
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn any_text_is_read() {
        for text in ["password: |", "password: é\n é", "? ", "password: !", "password: &\n\n\n", "pässwort:\n  é\n"] {
            (0..text.len()).filter(|at| text.is_char_boundary(*at)).for_each(|at| {
                let _ = all(&text[at..]);
            });
        }
    }
}
