//! Tests added to a file of tests that is there already, and was written by this program, by a person, or by both.
//!
//! Nothing in that file is replaced: who wrote which part of it is not known here.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hash::Digest;
use crate::source::outline::{Outline, StatementKind, outline};
use crate::source::rename::bound;

use super::apart::{Owners, Parts, apart};
use super::page::split_lines;
use super::plan::{Addition, PlanError, accept};

/// A file with the tests that it did not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// Its text.
    pub text: String,
    /// Tests that it has otherwise, by name; they stay as they are there.
    pub other: Vec<String>,
}

/// Adds the tests of a new text to a file.
///
/// A test that uses a fixture or a constant of its own is the same as one of its name only if these are the same, too.
///
/// # Errors
/// Fails when one of the texts does not parse, or an import of the new one means something else in the file.
pub fn join(existing: &str, new: &str, first_party: &[String]) -> Result<Joined, PlanError> {
    let page = outline(new);
    if let Some(error) = page.error {
        return Err(PlanError::DraftBroken { line: error.line });
    }
    let (there, drafted) = (bound(existing), bound(new));
    let lines = split_lines(new);
    let (mut missing, mut other) = (Vec::new(), Vec::new());
    for name in test_names(&page) {
        match there.get(&name) {
            None => missing.push(name),
            Some(_) if with_what_it_uses(&page, &name, &drafted).iter().all(|used| there.get(used) == drafted.get(used)) => {}
            Some(_) => other.push(name),
        }
    }
    if missing.is_empty() {
        return Ok(Joined { text: existing.to_owned(), other });
    }
    let needed: BTreeSet<String> = missing.iter().flat_map(|test| with_what_it_uses(&page, test, &drafted)).collect();
    let (mut imports, mut text) = (Vec::new(), String::new());
    for statement in &page.statements {
        let own = lines[page.with_comments(statement)].concat();
        match &statement.kind {
            StatementKind::Docstring => {}
            StatementKind::Import(_) => imports.push(lines[statement.lines.clone()].concat().trim_end().to_owned()),
            _ if bound(&own).keys().any(|name| needed.contains(name)) => {
                text += if text.is_empty() { "" } else { "\n\n" };
                text += &own;
            }
            _ => {}
        }
    }
    let imports = used_imports(imports, &outline(&text));
    let none = BTreeSet::new();
    let parts = apart(existing, &Parts { imports, text, tests: missing }, "new", &Owners { own: &none, others: &none });
    let addition = Addition { imports: &parts.imports, text: &parts.text, tests: &parts.tests, header: None, first_party };
    Ok(Joined { text: accept(Some(existing), &addition, &none)?, other })
}

/// Names the tests of a text, in order.
fn test_names(page: &Outline) -> Vec<String> {
    let names = page.statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Definition(name) if name.starts_with("test") || name.starts_with("Test") => Some(name.clone()),
        _ => None,
    });
    names.collect()
}

/// Names a test and all that it uses from its file: fixtures, constants, and what they use.
fn with_what_it_uses(page: &Outline, test: &str, drafted: &BTreeMap<String, Digest>) -> BTreeSet<String> {
    let mut found = BTreeSet::from([test.to_owned()]);
    let mut open = vec![test.to_owned()];
    while let Some(name) = open.pop() {
        let Some(statement) = page.definition(&name) else { continue };
        for used in statement.names.iter().filter(|used| drafted.contains_key(*used)) {
            if found.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    found
}

/// Leaves out imports that nothing in a text uses.
fn used_imports(imports: Vec<String>, text: &Outline) -> Vec<String> {
    let used: BTreeSet<&String> = text.statements.iter().flat_map(|statement| &statement.names).collect();
    let is_used = |import: &str| {
        let page = outline(import);
        let mut all = page.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Import(all) => Some(all),
            _ => None,
        });
        all.any(|all| {
            all.iter().any(|one| {
                let top = one.module.split('.').next().unwrap_or_default();
                used.contains(&one.alias.clone().or_else(|| one.name.clone()).unwrap_or_else(|| top.to_owned()))
            })
        })
    };
    imports.into_iter().filter(|import| is_used(import)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THERE: &str = "from shop import total\n\nEXPECTED_BIG = [1]\n\n\ndef test_total_big():\n    assert total() == EXPECTED_BIG\n\n\n# mine\ndef test_by_hand():\n    assert total() is not None\n";

    fn joined(new: &str) -> Joined {
        join(THERE, new, &["shop".to_owned()]).unwrap()
    }

    #[test]
    fn what_the_file_has_stays_and_what_it_lacks_is_added() {
        assert_eq!(joined(THERE), Joined { text: THERE.to_owned(), other: Vec::new() });
        let more = "import math\nfrom shop import tax, total\n\nLIMIT = 3\n\n\ndef test_tax():\n    assert tax(math.pi) == LIMIT\n\n\ndef test_total_big():\n    assert total() == EXPECTED_BIG\n";
        let new = more.replace("LIMIT = 3\n", "EXPECTED_BIG = [1]\nLIMIT = 3\n");
        let found = joined(&new);
        assert_eq!(found.other, Vec::<String>::new());
        assert!(found.text.contains("import math\n\nfrom shop import tax, total\n"), "{}", found.text);
        assert!(found.text.contains("LIMIT = 3") && found.text.contains("# mine\ndef test_by_hand():"), "{}", found.text);
        assert_eq!(found.text.matches("def test_total_big").count(), 1);
        assert_eq!(join(&found.text, &new, &["shop".to_owned()]).unwrap().text, found.text, "and not twice");
    }

    #[test]
    fn a_test_that_the_file_has_otherwise_is_named_and_stays() {
        let found = joined("from shop import total\n\n\ndef test_by_hand():\n    assert total() == 2\n");
        assert_eq!(found, Joined { text: THERE.to_owned(), other: vec!["test_by_hand".to_owned()] });
        let expects_more = joined(&THERE.replace("[1]", "[2]").replace("# mine\n", ""));
        assert_eq!(expects_more.other, ["test_total_big"], "what it expects is part of it");
    }

    #[test]
    fn a_fixture_of_one_name_keeps_its_meaning_for_the_tests_there() {
        let there = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 1\n\n\ndef test_a(db):\n    assert db == 1\n";
        let new = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 2\n\n\ndef test_b(db):\n    assert db == 2\n";
        let found = join(there, new, &[]).unwrap();
        assert!(found.text.contains("def test_a(db):\n    assert db == 1"), "{}", found.text);
        assert!(found.text.contains("def test_b(db_for_new):\n    assert db_for_new == 2"), "{}", found.text);
    }

    #[test]
    fn a_file_that_does_not_parse_is_left_alone() {
        let wrong = join("def (:\n", "def test_b():\n    assert 1\n", &[]);
        assert!(matches!(wrong, Err(PlanError::Broken { .. })), "{wrong:?}");
    }
}
