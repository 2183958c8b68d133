//! Escapes in texts: a word that stands right behind one begins there, though letters are before it (`\\nghp_…`, `%3Dghp_…`).

/// Tells whether a word that goes on behind this text began in it: it ends with a letter or digit that is no part of an escape.
pub(super) fn is_inside_word(before: &str) -> bool {
    before.ends_with(char::is_alphanumeric) && !ends_with_escape(before.as_bytes())
}

fn ends_with_escape(before: &[u8]) -> bool {
    let hex = |digits: usize, introduced: &[u8]| {
        let at = before.len().checked_sub(digits);
        at.is_some_and(|at| before[at..].iter().all(u8::is_ascii_hexdigit) && before[..at].ends_with(introduced))
    };
    let is_letter = matches!(before, [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0']);
    is_letter || hex(2, b"%") || hex(2, b"\\x") || hex(4, b"\\u") || hex(8, b"\\U") || ends_with_colour(before)
}

/// Tells whether a text ends with what sets a colour of a terminal: `ESC[1;31m`.
fn ends_with_colour(before: &[u8]) -> bool {
    let Some(inside) = before.strip_suffix(b"m") else { return false };
    let digits = inside.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    let introduced = &inside[..inside.len() - digits];
    introduced.ends_with(b"\x1b[")
        || introduced.ends_with(b"\\x1b[")
        || introduced.ends_with(b"\\u001b[")
        || introduced.ends_with(b"\\033[")
}

/// Gives how many bytes at the start of a run of letters and digits are the end of an escape that began before it.
fn end_of_escape(before: &str, run: &str) -> usize {
    let longest = run.len().min(9);
    let is_end = |length: &usize| {
        run.is_char_boundary(*length) && {
            let whole = [&before.as_bytes()[before.len().saturating_sub(24)..], &run.as_bytes()[..*length]].concat();
            ends_with_escape(&whole)
        }
    };
    (1..=longest).find(is_end).unwrap_or(0)
}

/// Lists where the names of a text begin and end, from a place on, without what is left of an escape before them.
pub(super) fn names_in(text: &str, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let mut from = from;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_name)?;
        let end = text[start..].find(|c| !is_name(c)).map_or(text.len(), |at| start + at);
        from = end;
        Some((start + end_of_escape(&text[..start], &text[start..end]), end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_behind_an_escape_and_not_within_another_word() {
        for before in ["", "a ", "\\n", "x\\t", "%3D", "\\u0022", "\\x22", "\x1b[31m", "\x1b[1;31m", "\\u001b[0m", "\\U0000000a"]
        {
            assert!(!is_inside_word(before), "{before:?}");
        }
        for before in ["a", "n", "3D", "a0022", "%G1", "31m", "[31m", "\\q"] {
            assert!(is_inside_word(before), "{before:?}");
        }
    }

    #[test]
    fn what_is_left_of_an_escape_is_no_part_of_a_name() {
        for (before, run, length) in [
            ("x\\", "npassword", 1),
            ("\\", "u0022password", 5),
            ("%", "26password", 2),
            ("\x1b[", "31mpassword", 3),
            ("", "npassword", 0),
        ] {
            assert_eq!(end_of_escape(before, run), length, "{before:?} {run}");
        }
    }
}
