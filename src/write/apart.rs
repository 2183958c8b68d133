//! Other names for what two drafts call alike, where they go into one file: a fixture of one would silently become the
//! fixture of the other, and a test of one take the other's place.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::outline::{Outline, StatementKind, outline};
use crate::source::rename::{bound, renamed};

/// Tests whose names fit into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    /// The text, without imports.
    pub text: String,
    /// The names of the tests in it.
    pub tests: Vec<String>,
}

/// Who the tests of a file belong to.
#[derive(Debug, Clone, Copy)]
pub struct Owners<'a> {
    /// Tests that may be written over: earlier ones of the same function.
    pub own: &'a BTreeSet<String>,
    /// Tests of other functions that we wrote. Over tests by hand nothing is said here: nobody takes their place.
    pub others: &'a BTreeSet<String>,
}

/// Gives tests names that nothing else in the file has; `function` is part of those that have to be made.
#[must_use]
pub fn apart(existing: &str, text: &str, tests: &[String], function: &str, owners: &Owners<'_>) -> Apart {
    let (there, new) = (bound(existing), bound(text));
    let page = outline(existing);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (name, digest) in &new {
        let Some(other) = there.get(name) else { continue };
        let clashes = if tests.contains(name) {
            owners.others.contains(name)
        } else {
            other != digest && !is_replaced(&page, name, owners.own)
        };
        if clashes {
            let is_free = |name: &str| {
                let is_own = || owners.own.contains(name) || is_replaced(&page, name, owners.own);
                (!there.contains_key(name) || is_own()) && !new.contains_key(name) && !has_word(text, name)
            };
            names.insert(name.clone(), other_name(name, function, is_free));
        }
    }
    let tests = tests.iter().map(|test| names.get(test).unwrap_or(test).clone()).collect();
    Apart { text: if names.is_empty() { text.to_owned() } else { renamed(text, &names) }, tests }
}

/// Tells whether only tests that are written over take a fixture.
fn is_replaced(page: &Outline, name: &str, own: &BTreeSet<String>) -> bool {
    let others = page.statements.iter().filter(|statement| statement.names.contains(name));
    let takers: Vec<bool> = others
        .filter_map(|statement| match &statement.kind {
            StatementKind::Definition(taker) if taker == name => None,
            StatementKind::Definition(taker) => Some(own.contains(taker)),
            _ => Some(false),
        })
        .collect();
    !takers.is_empty() && takers.into_iter().all(|is_own| is_own)
}

/// Says whom a name is for: `db_for_save`, `LIMIT_FOR_SAVE`, `test_save_adds`; else it gets a number.
fn other_name(name: &str, function: &str, is_free: impl Fn(&str) -> bool) -> String {
    let is_class = name.chars().next().is_some_and(char::is_uppercase) && name.contains(char::is_lowercase);
    let told = match name.strip_prefix("test_") {
        _ if is_class || name.contains(function) => None,
        Some(rest) => Some(format!("test_{function}_{rest}")),
        None if name.contains(char::is_lowercase) => Some(format!("{name}_for_{function}")),
        None => Some(format!("{name}_FOR_{}", function.to_uppercase())),
    };
    let dash = if is_class { "" } else { "_" };
    let numbered = (2..).map(|number| format!("{}{dash}{number}", told.as_deref().unwrap_or(name)));
    told.clone().into_iter().chain(numbered).find(|name| is_free(name)).unwrap_or_else(|| name.to_owned())
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(part) && !text[at + word.len()..].chars().next().is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: &str = "LIMIT = 1\n\n\n@pytest.fixture\ndef db():\n    return 1\n\n\n@pytest.fixture\ndef same():\n    return 3\n\n\ndef test_adds(db, same):\n    assert db == LIMIT\n";

    fn put(text: &str, tests: &[&str], own: &[&str], others: &[&str]) -> Apart {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        let tests: Vec<String> = tests.iter().map(|name| (*name).to_owned()).collect();
        apart(THERE, text, &tests, "save", &Owners { own: &set(own), others: &set(others) })
    }

    #[test]
    fn what_is_called_alike_and_is_not_the_same_gets_another_name() {
        let text = "LIMIT = 2\n\n\n@pytest.fixture\ndef db():\n    return 2\n\n\n@pytest.fixture\ndef same():\n    return 3\n\n\ndef test_adds(db, same):\n    assert db == LIMIT\n";
        let other = put(text, &["test_adds"], &[], &["test_adds"]);
        assert_eq!(other.tests, ["test_save_adds"]);
        let expected =
            text.replace("LIMIT", "LIMIT_FOR_SAVE").replace("db", "db_for_save").replace("test_adds", "test_save_adds");
        assert_eq!(other.text, expected, "and the fixture that is the same stays one");
        let again = put(text, &["test_adds"], &["test_adds"], &[]);
        assert!(again.text.contains("def db():") && again.tests == ["test_adds"], "its own test and fixture are replaced");
        let renewed = apart(
            &format!("{THERE}\n\ndef test_save_adds():\n    pass\n"),
            text,
            &["test_adds".into()],
            "save",
            &Owners { own: &["test_save_adds".to_owned()].into(), others: &["test_adds".to_owned()].into() },
        );
        assert_eq!(renewed.tests, ["test_save_adds"], "the name it got the first time");
        let by_hand = put(text, &["test_adds"], &[], &[]);
        assert_eq!(by_hand.tests, ["test_adds"], "what a person wrote is not stepped around in silence");
        assert_eq!(put("def test_new():\n    pass\n", &["test_new"], &[], &[]).text, "def test_new():\n    pass\n");
    }

    #[test]
    fn a_name_that_tells_of_its_function_gets_a_number() {
        let free = |name: &str| name != "db_for_save" && name != "Fake2";
        assert_eq!(other_name("db", "save", free), "db_for_save_2");
        assert_eq!(other_name("test_save_adds", "save", free), "test_save_adds_2");
        assert_eq!(other_name("Fake", "save", free), "Fake3");
    }
}
