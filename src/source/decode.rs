//! From a file's bytes to text with `\n` line ends: byte order marks, coding cookies, CRLF and lone CR.
//!
//! Never fails: what is no text comes out readable enough, with the place of the first mistake.

use crate::domain::function::SyntaxError;

/// Text of a Python file; lines are numbered as Python numbers them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text with `\n` line ends and without byte order mark.
    pub text: String,
    /// Where the bytes are not what they claim to be: bad UTF-8, a NUL.
    pub error: Option<SyntaxError>,
}

/// Decodes the bytes of a Python file.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (text, bad) = match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), None),
        Err(_) if cookie(bytes).is_some_and(|name| !is_utf8(&name)) => {
            (bytes.iter().map(|byte| char::from(*byte)).collect(), None)
        }
        Err(error) => (String::from_utf8_lossy(bytes).into_owned(), Some(error.valid_up_to())),
    };
    let bad = bad.or_else(|| text.find('\0'));
    let error = bad.map(|at| place(&text, at));
    let text = if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text };
    Decoded { text, error }
}

/// Gives line and column, 1-based and the column in characters, of a byte offset.
pub(super) fn place(text: &str, at: usize) -> SyntaxError {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    SyntaxError {
        line: number(before.bytes().filter(|byte| *byte == b'\n').count() + 1),
        column: number(before[line_start..].chars().count() + 1),
    }
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Finds the coding cookie in the first two lines, lower case.
fn cookie(bytes: &[u8]) -> Option<String> {
    bytes.split(|byte| *byte == b'\n').take(2).find_map(|line| {
        let line = String::from_utf8_lossy(line);
        let comment = line.trim_start_matches([' ', '\t', '\x0c']).strip_prefix('#')?.to_owned();
        let at = comment.find("coding")?;
        let rest = comment[at + 6..].strip_prefix([':', '='])?.trim_start_matches([' ', '\t']);
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
        (!name.is_empty()).then(|| name.to_ascii_lowercase())
    })
}

fn is_utf8(name: &str) -> bool {
    matches!(name.replace('_', "-").as_str(), "utf-8" | "utf8" | "utf-8-sig")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_are_evened_out() {
        assert_eq!(decode(b"\xef\xbb\xbfa\r\nb\rc\n").text, "a\nb\nc\n");
        assert_eq!(decode(b"a\n").error, None);
    }

    #[test]
    fn a_cookie_is_obeyed() {
        let decoded = decode(b"# -*- coding: latin-1 -*-\nname = '\xe9'\n");
        assert_eq!((decoded.text.as_str(), decoded.error), ("# -*- coding: latin-1 -*-\nname = 'é'\n", None));
    }

    #[test]
    fn what_is_no_text_is_marked_at_its_place() {
        assert_eq!(decode(b"a = 1\nb\xff\n").error, Some(SyntaxError { line: 2, column: 2 }));
        assert_eq!(decode(b"a\0").error, Some(SyntaxError { line: 1, column: 2 }));
    }
}
