//! Parts of texts that are not compared: an address, which differs from run to run, and the number of a line in a traceback, which any
//! line above it moves.

use crate::domain::parts;
use crate::domain::value::Value;

/// What stands around the number of a line in a frame of a traceback: before it the end of a path and a quote, which a page of HTML
/// escapes.
const BEFORE_LINE: &str = ", line ";
const ENDS_OF_PATHS: [&str; 3] = [".py\"", ".py&quot;", ".py&#34;"];
const AFTER_LINE: &str = ", in ";

/// Digits of an address, at least.
const DIGITS_MIN: usize = 6;

/// Masks these parts in all texts of a value, and in bytes that are a text; tells whether there was any.
pub fn mask(value: &mut Value) -> bool {
    let mut found = false;
    parts::each(value, &mut |part| match part {
        Value::Str(text) => {
            if let Some(masked) = masked(text) {
                *text = masked;
                found = true;
            }
        }
        Value::Bytes(bytes) => {
            if let Some(masked) = std::str::from_utf8(bytes).ok().and_then(masked) {
                *bytes = masked.into_bytes();
                found = true;
            }
        }
        _ => {}
    });
    found
}

fn masked(text: &str) -> Option<String> {
    let addresses = without_addresses(text);
    let lines = without_lines(addresses.as_deref().unwrap_or(text));
    lines.or(addresses)
}

/// Masks what looks like the address in a default `repr`.
fn without_addresses(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].chars().take_while(char::is_ascii_hexdigit).count();
        out.push_str(&rest[..at]);
        if digits >= DIGITS_MIN {
            out.push_str("0x…");
            found = true;
        } else {
            out.push_str(&rest[at..at + 2 + digits]);
        }
        rest = &rest[at + 2 + digits..];
    }
    found.then(|| out + rest)
}

/// Masks the numbers of lines in the frames of a traceback, as Python writes them. The same form in a message about a source that the
/// program itself reads has no `, in …` and stays.
fn without_lines(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find(BEFORE_LINE) {
        let (before, after) = rest.split_at(at + BEFORE_LINE.len());
        out.push_str(before);
        let digits = after.chars().take_while(char::is_ascii_digit).count();
        let is_of_path = ENDS_OF_PATHS.iter().any(|end| rest[..at].ends_with(end));
        if is_of_path && digits > 0 && after[digits..].starts_with(AFTER_LINE) {
            out.push('…');
            found = true;
            rest = &after[digits..];
        } else {
            rest = after;
        }
    }
    found.then(|| out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_frames_are_masked_and_those_of_messages_are_not() {
        for (text, expected) in [
            ("File \"/srv/a.py\", line 12, in f", Some("File \"/srv/a.py\", line …, in f")),
            ("File &quot;/srv/a.py&quot;, line 12, in f", Some("File &quot;/srv/a.py&quot;, line …, in f")),
            ("at 0x7f12ab34, File \"a.py\", line 1, in f", Some("at 0x…, File \"a.py\", line …, in f")),
            ("File \"a.py\", line 12\n    x = (\nSyntaxError", None),
            ("template.html\", line 3, in block", None),
            ("line 12, in f", None),
        ] {
            assert_eq!(masked(text).as_deref(), expected, "{text}");
        }
    }
}
