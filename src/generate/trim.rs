//! Takes single tests or rows out of a draft's text, and the imports that nothing uses then.

use std::collections::BTreeSet;

use crate::domain::proposal::Draft;
use crate::source::{cases, outline};

/// A top-level part of a draft's text.
struct Block<'t> {
    /// How many lines are above it.
    first: usize,
    lines: Vec<&'t str>,
    /// The function or class it defines.
    name: Option<String>,
}

/// Tells whether a text holds a dotted name as words of its own.
#[must_use]
pub fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(|c| part(c) || c == '.') && !after.is_some_and(part)
    })
}

/// Lists the names of the test functions and classes of a text, in order.
#[must_use]
pub fn test_names(text: &str) -> Vec<String> {
    blocks(text)
        .into_iter()
        .filter_map(|block| block.name)
        .filter(|name| name.starts_with("test") || name.starts_with("Test"))
        .collect()
}

/// Gives the text of one test function or class, with its decorators.
#[must_use]
pub fn text_of(text: &str, name: &str) -> Option<String> {
    let block = blocks(text).into_iter().find(|block| block.name.as_deref() == Some(name))?;
    Some(block.lines.join("\n"))
}

/// Names the test that a line of a text belongs to, counted from 1; its decorators and expected values are lines of it.
#[must_use]
pub fn test_at(text: &str, line: usize) -> Option<String> {
    let block = blocks(text).into_iter().take_while(|block| block.first < line).last()?;
    block.name.filter(|name| name.starts_with("test") || name.starts_with("Test"))
}

/// Gives the draft without these tests (`test_total`), rows (`test_total[ten]`) and methods (`TestCart::test_total`); `None`
/// when no test is left. A row or method that is not found in the text takes its test with it.
#[must_use]
pub fn without(draft: &Draft, failing: &[String]) -> Option<Draft> {
    let rest = cases::without(&draft.text, failing);
    let whole = |name: &String| name.split(['[', ':']).next().unwrap_or(name).to_owned();
    let plain = failing.iter().filter(|name| !name.contains(['[', ':'])).cloned();
    let gone: BTreeSet<String> = plain.chain(rest.missing.iter().map(whole)).chain(rest.empty).collect();
    let kept: Vec<String> = blocks(&rest.text)
        .into_iter()
        .filter(|block| block.name.as_ref().is_none_or(|name| !gone.contains(name)))
        .map(|block| block.lines.join("\n"))
        .collect();
    let text = format!("{}\n", kept.join("\n\n\n").trim_end());
    let tests = test_names(&text);
    if tests.is_empty() {
        return None;
    }
    let imports = draft.imports.iter().filter_map(|import| used_part(import, &text)).collect();
    Some(Draft { tests, imports, text, ..draft.clone() })
}

/// Lists the tests that use what a line of the imports brings, of several names those that the reason for its failure names.
#[must_use]
pub fn users_of(draft: &Draft, line: &str, why: &str) -> Vec<String> {
    let Some(import) = draft.imports.iter().find(|import| import.lines().any(|own| own == line)) else { return Vec::new() };
    let parts = import.split_once(" import ").map_or(import.strip_prefix("import ").unwrap_or(import), |(_, names)| names);
    let parts: Vec<&str> =
        parts.split(',').map(|part| part.trim_matches(['(', ')', '\n', ' '])).filter(|part| !part.is_empty()).collect();
    let is_named = |part: &&&str| why.contains(&format!("'{}'", part.split(" as ").next().unwrap_or_default()));
    let named: Vec<&str> = parts.iter().filter(is_named).copied().collect();
    let bound = if named.is_empty() { parts } else { named };
    let uses = |block: &Block<'_>| {
        let text = block.lines.join("\n");
        bound.iter().any(|part| has_word(&text, part.rsplit(" as ").next().unwrap_or(part)))
    };
    let is_test = |name: &String| name.starts_with("test") || name.starts_with("Test");
    blocks(&draft.text).into_iter().filter(uses).filter_map(|block| block.name).filter(is_test).collect()
}

/// Tells whether a row or method goes alone, without the others of its test or class.
#[must_use]
pub fn goes_alone(draft: &Draft, name: &str) -> bool {
    let rest = cases::without(&draft.text, &[name.to_owned()]);
    rest.missing.is_empty() && rest.empty.is_empty()
}

/// Splits a text into what does not define certain names, and the names that it defines of them.
#[must_use]
pub fn apart(text: &str, is_named: impl Fn(&str) -> bool) -> (String, Vec<String>) {
    let (named, kept): (Vec<Block<'_>>, Vec<Block<'_>>) =
        blocks(text).into_iter().partition(|block| block.name.as_deref().is_some_and(&is_named));
    let kept: Vec<String> = kept.iter().map(|block| block.lines.join("\n")).collect();
    let mut names: Vec<String> = named.into_iter().filter_map(|block| block.name).collect();
    names.dedup();
    (format!("{}\n", kept.join("\n\n\n").trim()), names)
}

/// Gives an import statement with only the names that a text uses; `None` when there is none.
#[must_use]
pub fn used_part(import: &str, text: &str) -> Option<String> {
    let bound = |name: &str| name.rsplit(" as ").next().unwrap_or(name).trim().to_owned();
    let Some((head, names)) = import.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) else {
        let module = import.strip_prefix("import ").unwrap_or(import);
        return has_word(text, &bound(module)).then(|| import.to_owned());
    };
    let used: Vec<&str> = names
        .trim_matches(['(', ')', '\n', ' '])
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty() && (*name == "*" || has_word(text, &bound(name))))
        .collect();
    let all = names.split(',').filter(|name| !name.trim_matches(['(', ')', '\n', ' ']).is_empty()).count();
    match used.len() {
        0 => None,
        some if some == all => Some(import.to_owned()),
        _ => Some(format!("from {head} import {}", used.join(", "))),
    }
}

/// Splits a text at its top-level definitions; decorators, comments and expected values go with what they stand before.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    let mut quote: Option<&str> = None;
    let mut depth = 0_usize;
    for (first, line) in text.lines().enumerate() {
        let top = quote.is_none() && depth == 0 && !line.is_empty() && !line.starts_with([' ', '\t', ')', ']', '}']);
        let leads = top && (line.starts_with('@') || line.starts_with('#') || outline::is_constant(line));
        let name = if top { defined(line) } else { None };
        if top && !open {
            blocks.push(Block { first, lines: Vec::new(), name: None });
        }
        if top {
            open = leads;
        }
        if let Some(block) = blocks.last_mut() {
            if let Some(name) = name {
                block.name = Some(name);
            }
            block.lines.push(line);
        }
        scan(line, &mut quote, &mut depth);
    }
    for block in &mut blocks {
        while block.lines.last().is_some_and(|line| line.trim().is_empty()) {
            block.lines.pop();
        }
    }
    blocks
}

fn defined(line: &str) -> Option<String> {
    let rest = ["def ", "async def ", "class "].iter().find_map(|head| line.strip_prefix(head))?;
    Some(rest.chars().take_while(|c| *c == '_' || c.is_alphanumeric()).collect())
}

/// Follows brackets and triple quotes over a line.
fn scan(line: &str, quote: &mut Option<&str>, depth: &mut usize) {
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(open) = *quote {
            if c == '\\' {
                rest = rest.get(2..).unwrap_or_default();
                continue;
            }
            if let Some(after) = rest.strip_prefix(open) {
                *quote = None;
                rest = after;
                continue;
            }
        } else if let Some(triple) = ["\"\"\"", "'''"].into_iter().find(|triple| rest.starts_with(triple)) {
            *quote = Some(triple);
            rest = &rest[3..];
            continue;
        } else {
            match c {
                '"' | '\'' => *quote = Some(if c == '"' { "\"" } else { "'" }),
                '#' => return,
                '(' | '[' | '{' => *depth += 1,
                ')' | ']' | '}' => *depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        rest = &rest[c.len_utf8()..];
    }
    // A plain string ends with its line.
    if quote.is_some_and(|open| open.len() == 1) {
        *quote = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    const TEXT: &str = r#"@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(1, 2, id="one"),
        pytest.param(2, 3, id="two"),
    ],
)
def test_inc(value, expected):
    assert inc(value) == expected


def test_text():
    """Recorded.

def test_not_here():
"""
    assert dump(Decimal("1")) == "(def test_neither():"


def test_last():
    assert dump(3) == "3"
"#;

    fn draft() -> Draft {
        let imports = ["from decimal import Decimal", "import pytest", "from m import dump, inc"];
        Draft { tests: test_names(TEXT), ..samples::draft(&imports, TEXT) }
    }

    #[test]
    fn tests_are_found_but_not_inside_of_strings() {
        assert_eq!(test_names(TEXT), ["test_inc", "test_text", "test_last"]);
    }

    #[test]
    fn a_failing_test_goes_with_its_imports_and_the_others_stay() {
        let rest = without(&draft(), &["test_text".into()]).unwrap();
        assert_eq!(rest.tests, ["test_inc", "test_last"]);
        assert_eq!(rest.imports, ["import pytest", "from m import dump, inc"]);
        let rest = without(&draft(), &["test_inc".into(), "test_text".into()]).unwrap();
        assert_eq!(rest.imports, ["from m import dump"]);
        assert_eq!(rest.text, "def test_last():\n    assert dump(3) == \"3\"\n");
    }

    #[test]
    fn what_cannot_be_imported_takes_only_its_users_along() {
        let users = |line: &str, why: &str| users_of(&draft(), line, why);
        assert_eq!(users("from decimal import Decimal", "No module named 'decimal'"), ["test_text"]);
        assert_eq!(users("from m import dump, inc", "cannot import name 'inc' from 'm'"), ["test_inc"]);
        assert_eq!(users("from m import dump, inc", "KeyError: 'MODE'"), ["test_inc", "test_text", "test_last"]);
        assert!(users("import os", "").is_empty());
    }

    #[test]
    fn a_failing_row_goes_alone() {
        let rest = without(&draft(), &["test_inc[one]".into()]).unwrap();
        assert!(!rest.text.contains("id=\"one\"") && rest.text.contains("id=\"two\""));
        let rest = without(&draft(), &["test_inc[one]".into(), "test_inc[two]".into()]).unwrap();
        assert_eq!(rest.tests, ["test_text", "test_last"]);
        assert!(without(&draft(), &["test_inc".into(), "test_text".into(), "test_last".into()]).is_none());
    }
}
