//! Files that people commit and that we write: a YAML mapping of one line an entry, each entry as JSON. Two branches merge by
//! lines, and what git could not merge is read as the lines of both sides.

use std::collections::BTreeMap;

use serde::Serialize;

/// What counts where two sides have different lines for one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twice {
    /// The one that stands last.
    Last,
    /// Neither: nobody decided between them.
    Neither,
}

/// Writes entries, in the order that they are given in, below a header.
///
/// # Errors
/// When an entry has no form in JSON.
pub fn write<'a, T: Serialize + 'a>(
    header: &str,
    entries: impl Iterator<Item = (String, &'a T)>,
) -> Result<String, serde_json::Error> {
    let mut out = header.to_owned();
    for (key, entry) in entries {
        // JSON is YAML.
        out.push_str(&format!("{}: {}\n", line(&key)?, line(entry)?));
    }
    Ok(out)
}

/// Writes JSON that is one line for every reader: what only YAML takes for a line's end, or forbids, is escaped.
fn line<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string(value)?;
    let is_plain = |c: char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    if text.chars().all(is_plain) {
        return Ok(text);
    }
    Ok(text.chars().map(|c| if is_plain(c) { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) }).collect())
}

/// Puts the lines of both sides in the place of a conflict that git left, and settles keys that stand twice. What does not
/// count leaves an empty line, so that a mistake is told with its place in the file.
#[must_use]
pub fn of_both_sides(text: &str, twice: Twice) -> String {
    let mut known: BTreeMap<String, Known<'_>> = BTreeMap::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut is_of_neither = false;
    for line in text.lines() {
        if is_mark(line) {
            // Between these two stands what both began with.
            is_of_neither = line.starts_with("|||||||");
        }
        let mut counts = !is_of_neither && !is_mark(line);
        if let Some(key) = key_of(line).filter(|_| counts) {
            let own = known.entry(key).or_insert(Known { at: lines.len(), line, is_open: false });
            if own.at < lines.len() {
                lines[own.at] = "";
                own.is_open |= own.line != line;
                counts = twice == Twice::Last || !own.is_open;
                (own.at, own.line) = (lines.len(), line);
            }
        }
        lines.push(if counts { line } else { "" });
    }
    lines.join("\n")
}

/// The line that stands for a key.
struct Known<'a> {
    at: usize,
    line: &'a str,
    /// One before it said something else.
    is_open: bool,
}

/// Reads the key of a line that [`write`] wrote.
fn key_of(line: &str) -> Option<String> {
    let mut words = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let key = words.next()?.ok()?;
    line.get(words.byte_offset()..)?.starts_with(": {").then_some(key)
}

fn is_mark(line: &str) -> bool {
    ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) || line == "======="
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::yaml;
    use proptest::collection::btree_map;
    use proptest::prelude::*;

    fn read(text: &str) -> BTreeMap<String, BTreeMap<String, u8>> {
        if text.trim().is_empty() { BTreeMap::new() } else { yaml::read(text).unwrap() }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_again(
            entries in btree_map("(?s).{0,8}", btree_map("(?s).{0,8}", any::<u8>(), 0..3), 0..3),
        ) {
            let text = write("", entries.iter().map(|(key, entry)| (key.clone(), entry))).unwrap();
            prop_assert_eq!(text.lines().count(), entries.len());
            prop_assert_eq!(read(&text), entries);
        }
    }

    #[test]
    fn two_sides_that_differ_are_settled_as_asked() {
        let text = "<<<<<<< HEAD\n\"a\": {\"n\":1}\n\"c\": {\"n\":1}\n||||||| 1234567\n\"a\": {\"n\":9}\n=======\n\"a\": {\"n\":2}\n\"b\": {\"n\":3}\n\"c\": {\"n\":1}\n>>>>>>> other\n";
        let keys =
            |twice| read(&of_both_sides(text, twice)).into_iter().map(|(key, entry)| (key, entry["n"])).collect::<Vec<_>>();
        assert_eq!(keys(Twice::Last), [("a".into(), 2), ("b".into(), 3), ("c".into(), 1)]);
        assert_eq!(keys(Twice::Neither), [("b".into(), 3), ("c".into(), 1)]);
        let thrice = format!("{text}\"a\": {{\"n\":2}}\n");
        assert!(!read(&of_both_sides(&thrice, Twice::Neither)).contains_key("a"));
        let alike = "\"t[x: {y]\": {\"n\":1}\n\"t[x: {z]\": {\"n\":2}\n";
        assert_eq!(read(&of_both_sides(alike, Twice::Last)).len(), 2);
        assert_eq!(of_both_sides(text, Twice::Last).lines().count(), text.lines().count() - 1, "lines stay where they are");
    }
}
