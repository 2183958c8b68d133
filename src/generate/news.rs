//! The edit behind a change on one line: `pricing.py:44: > became >=`.

use crate::base::text;
use crate::domain::proposal::Edit;

/// Columns of each side of an edit, at most.
const SIDE: usize = 24;

/// Says what an edit did and where: the words that differ if it is one line, else how many lines.
#[must_use]
pub fn cause(edit: &Edit) -> String {
    let line = edited_lines(edit).first().copied().unwrap_or(edit.line);
    let place = format!("{}:{line}", edit.path.file_name());
    let lines = |sign: char| -> Vec<&str> { edit.hunk.iter().filter_map(|line| line.strip_prefix(sign)).collect() };
    let short = |text: &str| text::cut(text.trim(), SIDE).into_owned();
    match (lines('-').as_slice(), lines('+').as_slice()) {
        ([], []) => place,
        ([old], [new]) => match differing(old, new) {
            ("", "") => place,
            ("", new) => format!("{place}: added {}", short(new)),
            (old, "") => format!("{place}: removed {}", short(old)),
            (old, new) => format!("{place}: {} became {}", short(old), short(new)),
        },
        ([], [new]) => format!("{place}: added {}", short(new)),
        ([old], []) => format!("{place}: removed {}", short(old)),
        (old, new) => format!("{place}: {} edited", text::count(old.len().max(new.len()), "line")),
    }
}

/// Finds the lines of today's file that an edit wrote; if it only took lines away, the line it left behind.
#[must_use]
pub fn edited_lines(edit: &Edit) -> Vec<u32> {
    let mut line = edit.line;
    let mut out = Vec::new();
    for text in &edit.hunk {
        match text.chars().next() {
            Some('-') => {}
            Some('+') => {
                out.push(line);
                line += 1;
            }
            _ => line += 1,
        }
    }
    if out.is_empty() { vec![edit.line] } else { out }
}

/// Gives the part of two lines in which they differ, whole words and operators.
fn differing<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let (before, after) = (tokens(old), tokens(new));
    let head = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let rest = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let middle = |text: &'a str, tokens: &[&str]| {
        let from: usize = tokens[..head].iter().map(|token| token.len()).sum();
        let to: usize = tokens[..tokens.len() - tail].iter().map(|token| token.len()).sum();
        text[from..to].trim()
    };
    (middle(old, &before), middle(new, &after))
}

/// Takes a line of code apart: words and numbers, operators, spaces, other signs one by one.
fn tokens(line: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || matches!(c, '_' | '.') => 1,
        '<' | '>' | '=' | '!' | '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | '~' => 2,
        c if c.is_whitespace() => 3,
        _ => 0,
    };
    let mut out = Vec::new();
    let mut from = 0;
    let mut last = None;
    for (at, c) in line.char_indices() {
        let here = kind(c);
        if last.is_some_and(|last| last != here || here == 0) {
            out.push(&line[from..at]);
            from = at;
        }
        last = Some(here);
    }
    if from < line.len() {
        out.push(&line[from..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::function::FunctionId;

    fn edit(hunk: &[&str]) -> Edit {
        Edit {
            subject: FunctionId::new("shop.pricing", "shipping_for").into(),
            path: RelPath::new("shop/pricing.py").unwrap(),
            hunk: hunk.iter().map(ToString::to_string).collect(),
            line: 44,
        }
    }

    #[test]
    fn the_words_that_differ_are_named_with_their_place() {
        let cases: [(&[&str], &str); 8] = [
            (&["-    if total > FREE:", "+    if total >= FREE:"], "pricing.py:44: > became >="),
            (&["-    rate = 0.1", "+    rate = 0.2"], "pricing.py:44: 0.1 became 0.2"),
            (&["-    return total", "+    return total + tax"], "pricing.py:44: added + tax"),
            (&["-    return round(total)", "+    return total"], "pricing.py:44: round(total) became total"),
            (&["+    total += 1"], "pricing.py:44: added total += 1"),
            (&["-    total += 1"], "pricing.py:44: removed total += 1"),
            (&["-a", "-b", "+c"], "pricing.py:44: 2 lines edited"),
            (&[" kept", "-x = 'Größe'", "+x = 'Länge'"], "pricing.py:45: Größe became Länge"),
        ];
        for (hunk, said) in cases {
            assert_eq!(cause(&edit(hunk)), said);
        }
        assert_eq!(cause(&edit(&[])), "pricing.py:44");
    }
}
