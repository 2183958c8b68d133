//! Scalars as they are written: what the reader's types lose is read again from the text of the file.

use crate::base::yaml::{Located, Place, Plain};

/// Gives values back what the reader took from them: a bare `y` or `n` is the letter that it is to Python, a whole number has all its
/// digits, and one with a zero in front is the text that it is: to some readers it is octal, to others it is not.
pub(super) fn keep(tree: &mut Located, text: &str) {
    keep_in(tree, &mut Lines { lines: text.lines().collect(), at: Place::default(), byte: 0 });
}

fn keep_in(tree: &mut Located, lines: &mut Lines<'_>) {
    match &mut tree.value {
        Plain::List(items) => items.iter_mut().for_each(|item| keep_in(item, lines)),
        Plain::Map(entries) => entries.iter_mut().for_each(|(_, _, value)| keep_in(value, lines)),
        value => {
            if let Some(kept) = kept(value, tree.at, lines) {
                *value = kept;
            }
        }
    }
}

/// The lines of a text, and the place that was looked at last: values come one behind the other, and a line may hold all of them.
struct Lines<'a> {
    lines: Vec<&'a str>,
    at: Place,
    byte: usize,
}

impl<'a> Lines<'a> {
    /// Gives the rest of a line from a place on.
    fn rest(&mut self, at: Place) -> Option<&'a str> {
        let line = *self.lines.get((at.line as usize).checked_sub(1)?)?;
        let goes_on = self.at.line == at.line && self.at.column <= at.column;
        let (column, byte) = if goes_on { (self.at.column, self.byte) } else { (1, 0) };
        let steps = at.column.saturating_sub(column) as usize;
        let start = line[byte..].char_indices().nth(steps).map_or(line.len(), |(start, _)| byte + start);
        (self.at, self.byte) = (Place { line: at.line, column: at.column.max(1) }, start);
        Some(&line[start..])
    }
}

fn kept(value: &Plain, at: Place, lines: &mut Lines<'_>) -> Option<Plain> {
    match value {
        Plain::Bool(_) => {
            let word = bare(at, lines)?;
            matches!(word.as_str(), "y" | "Y" | "n" | "N").then_some(Plain::Text(word))
        }
        #[allow(clippy::float_cmp)] // the reader made it of the same letters
        Plain::Float(number) => {
            let word = bare(at, lines).filter(|word| word.parse() == Ok(*number))?;
            whole(&word).or_else(|| has_zero_in_front(&word).then_some(Plain::Text(word)))
        }
        _ => None,
    }
}

/// Reads a whole number; one past the largest float is refused by the reader.
fn whole(word: &str) -> Option<Plain> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_whole && !has_zero_in_front(word)).then(|| Plain::Whole(word.trim_start_matches('+').to_owned()))
}

/// `012`, `-007`, `01e5`, but not `0`, `0.5` or `00.5`.
fn has_zero_in_front(word: &str) -> bool {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..]) && !digits.contains(&b'.')
}

/// Gives the bare word at a place; that of its anchor, where an alias stands there.
fn bare(at: Place, lines: &mut Lines<'_>) -> Option<String> {
    let mut rest = lines.rest(at)?;
    if let Some(alias) = rest.strip_prefix('*') {
        let anchor = format!("&{} ", name(alias));
        let above = lines.lines.get(..at.line as usize)?;
        rest = above.iter().rev().find_map(|line| Some(line.rsplit_once(anchor.as_str())?.1))?.trim_start();
    }
    // An anchor and a tag stand before the value.
    while rest.starts_with(['&', '!']) {
        rest = rest.split_once(' ')?.1.trim_start();
    }
    let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')).collect();
    (!word.is_empty()).then_some(word)
}

fn name(alias: &str) -> &str {
    let end = alias.find(|c: char| c.is_whitespace() || ",]}".contains(c)).unwrap_or(alias.len());
    &alias[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::yaml::tree;

    fn values(text: &str) -> Vec<Plain> {
        let Plain::Map(entries) = tree(text).unwrap().value else { unreachable!("it is a mapping") };
        entries.into_iter().map(|(_, _, value)| value.value).collect()
    }

    fn text(text: &str) -> Plain {
        Plain::Text(text.into())
    }

    fn digits(text: &str) -> Plain {
        Plain::Whole(text.into())
    }

    #[test]
    fn a_line_with_very_many_values_costs_no_more_than_as_many_lines() {
        let row = format!("é: [{}]\n", "y, ".repeat(40_000));
        let padded = format!("a: [{}]\n", "y,                      ".repeat(40_000));
        let lines = format!("a:\n{}", "- y\n".repeat(40_000));
        for (text, most) in [(&row, 200), (&padded, 1_200), (&lines, 200)] {
            let Plain::Map(entries) = tree(text).unwrap().value else { unreachable!("it is a mapping") };
            let Plain::List(items) = &entries[0].2.value else { unreachable!("it is a list") };
            assert!(items.len() == 40_000 && items.iter().all(|item| item.value == Plain::Text("y".into())));
            // Steps and not seconds: each character is passed once.
            let mut lines = Lines { lines: text.lines().collect(), at: Place::default(), byte: 0 };
            for item in items {
                let from = if lines.at.line == item.at.line { lines.byte } else { 0 };
                lines.rest(item.at).unwrap();
                assert!(lines.byte - from < most, "{} bytes at {:?}", lines.byte - from, item.at);
            }
        }
    }

    #[test]
    fn a_whole_number_keeps_all_its_digits() {
        let long = "9".repeat(300);
        let written = format!(
            "a: 9223372036854775807\nb: 9223372036854775808\nc: -9223372036854775809\nd: 123456789012345678901234567890 # more\ne: {long}\nf: '{long}'\n"
        );
        let expected = [
            Plain::Int(i64::MAX),
            digits("9223372036854775808"),
            digits("-9223372036854775809"),
            digits("123456789012345678901234567890"),
            digits(&long),
            text(&long),
        ];
        assert_eq!(values(&written), expected);
        let shared = "a: &big 123456789012345678901234567890\nb: *big\nc: {d: [*big, +98765432109876543210]}\n";
        let big = digits("123456789012345678901234567890");
        let found = values(shared);
        assert_eq!((&found[0], &found[1]), (&big, &big));
        let Plain::Map(inner) = &found[2] else { unreachable!("it is a mapping") };
        let Plain::List(items) = &inner[0].2.value else { unreachable!("it is a list") };
        assert_eq!((&items[0].value, &items[1].value), (&big, &digits("98765432109876543210")));
    }

    #[test]
    fn a_number_with_a_zero_in_front_is_a_text_and_other_numbers_are_what_they_were() {
        let written = "a: 012\nb: -007\nc: [01234, 00]\nd: 01e5\ne: 0\nf: 0.5\ng: 12.0\nh: 1e30\ni: 0x1F\nj: 1_000\nk: '012'\n";
        let found = values(written);
        assert_eq!((&found[0], &found[1], &found[3]), (&text("012"), &text("-007"), &text("01e5")));
        let Plain::List(items) = &found[2] else { unreachable!("it is a list") };
        assert_eq!((&items[0].value, &items[1].value), (&text("01234"), &text("00")));
        let others = [
            Plain::Int(0),
            Plain::Float(0.5),
            Plain::Float(12.0),
            Plain::Float(1e30),
            Plain::Int(31),
            Plain::Int(1000),
            text("012"),
        ];
        assert_eq!(found[4..], others);
    }
}
