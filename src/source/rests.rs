//! What a test rests on beside its own text: the imports, constants, fixtures and helpers that its file gives it, and what acts on it
//! without being named, in its file and in the `conftest.py` files above it. Nothing is run; what these rest on in turn in other
//! modules is no affair of theirs.

use std::collections::{BTreeMap, BTreeSet};

use super::outline::{Outline, Statement, StatementKind, binding, outline, targets};
use super::outreach::SET_UP;
use crate::base::hash::{Digest, Hasher};

/// Names of a module that pytest reads by itself, apart from its hooks and [`SET_UP`].
const MARKS: [&str; 2] = ["pytestmark", "pytest_plugins"];
/// How its hooks begin.
const HOOK: &str = "pytest_";
/// What says that tests get a fixture which they do not name.
const AUTOUSE: &str = "autouse";

/// Hashes what a test of a file rests on; `above` are the `conftest.py` files above it that may act on it, the nearest first. The
/// order of statements leaves no trace, and nothing else does that the test does not use. `None` where there is no such test.
#[must_use]
pub fn rests(text: &str, test: &str, above: &[String]) -> Option<Digest> {
    let own = outline(text);
    let found = own.definition(test)?;
    let mut used = found.names.clone();
    let mut hasher = Hasher::default();
    let parts = parts(&own, text, &mut used, |statement| statement != found);
    parts.iter().for_each(|part| {
        hasher.part(part.as_bytes());
    });
    for (place, text) in above.iter().enumerate() {
        let conftest = outline(text);
        // Of these modules a test can use fixtures alone.
        let fixtures =
            conftest.statements.iter().filter_map(|statement| defined(statement).filter(|_| is_fixture(statement, text)));
        let mut taken: BTreeSet<String> = fixtures.filter(|name| used.contains(*name)).map(ToOwned::to_owned).collect();
        let parts = self::parts(&conftest, text, &mut taken, |_| true);
        used.extend(taken);
        // One that does nothing to the test is as none.
        for part in &parts {
            hasher.part(&place.to_le_bytes()).part(part.as_bytes());
        }
    }
    Some(hasher.digest())
}

/// Gives the statements of a text that bind the names, those that act by themselves, and what these use in turn; adds the names that
/// they use.
fn parts(outline: &Outline, text: &str, names: &mut BTreeSet<String>, is_other: impl Fn(&Statement) -> bool) -> BTreeSet<String> {
    let bound: BTreeMap<usize, Vec<(String, String)>> =
        outline.statements.iter().enumerate().map(|(at, statement)| (at, bindings(statement, text))).collect();
    let mut parts = BTreeSet::new();
    loop {
        let before = (parts.len(), names.len());
        for (at, statement) in outline.statements.iter().enumerate().filter(|(_, statement)| is_other(statement)) {
            let bound = bound.get(&at).map(Vec::as_slice).unwrap_or_default();
            let taken = bound.iter().filter(|(name, _)| names.contains(name) || is_by_itself(name));
            let before = parts.len();
            parts.extend(taken.map(|(name, what)| format!("{name} {what}")));
            if acts(statement, text) {
                parts.insert(statement.digest.to_string());
            }
            if parts.len() > before && !matches!(statement.kind, StatementKind::Import(_)) {
                names.extend(statement.names.iter().cloned());
            }
        }
        if before == (parts.len(), names.len()) {
            return parts;
        }
    }
}

/// Gives the names that a statement binds, each with what it is bound to.
fn bindings(statement: &Statement, text: &str) -> Vec<(String, String)> {
    let digest = || statement.digest.to_string();
    match &statement.kind {
        StatementKind::Docstring => Vec::new(),
        StatementKind::Import(imports) => imports.iter().map(binding).collect(),
        StatementKind::Definition(name) => vec![(name.clone(), digest())],
        StatementKind::Other => targets(&lines(statement, text)).into_iter().map(|name| (name, digest())).collect(),
    }
}

/// Tells whether a statement does something to the tests of a module, though none names it: a fixture for all of them, or what is
/// no plain assignment, such as one to an attribute.
fn acts(statement: &Statement, text: &str) -> bool {
    match &statement.kind {
        StatementKind::Docstring | StatementKind::Import(_) => false,
        StatementKind::Definition(_) => is_fixture(statement, text) && lines(statement, text).contains(AUTOUSE),
        StatementKind::Other => {
            let own = lines(statement, text);
            let target = own.split(['=', ':']).next().unwrap_or_default();
            targets(&own).is_empty() || target.contains(['.', '[', '('])
        }
    }
}

fn is_by_itself(name: &str) -> bool {
    name.starts_with(HOOK) || MARKS.contains(&name) || SET_UP.contains(&name)
}

fn defined(statement: &Statement) -> Option<&str> {
    match &statement.kind {
        StatementKind::Definition(name) => Some(name),
        _ => None,
    }
}

/// Tells whether a decorator makes a definition a fixture, by whatever name `pytest` has there.
fn is_fixture(statement: &Statement, text: &str) -> bool {
    let own = lines(statement, text);
    statement.is_fixture || own.lines().take_while(|line| !line.contains("def ")).any(|line| line.contains("fixture"))
}

fn lines(statement: &Statement, text: &str) -> String {
    text.lines().skip(statement.lines.start).take(statement.lines.len()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\"\"\"Doc.\"\"\"\nimport pytest\nfrom shop.cart import total, rate\n\nLIMIT = 3\nOTHER = 4\n\n\n\
                        def helper(x):\n    return x + STEP\n\n\nSTEP = 1\n\n\ndef test_a(cart):\n    assert total(helper(cart)) == LIMIT\n\n\n\
                        def test_b():\n    assert rate() == 1\n";

    fn of(text: &str, above: &[&str]) -> Digest {
        rests(text, "test_a", &above.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_a_test_uses_counts_also_through_helpers_and_nothing_else_does() {
        for (old, new) in [
            ("shop.cart import total", "shop.other import total"),
            ("import total", "import other as total"),
            ("LIMIT = 3", "LIMIT = 4"),
            ("LIMIT = 3", "LIMIT = 3\nif LIMIT:\n    LIMIT = 4"),
            ("x + STEP", "x - STEP"),
            ("STEP = 1", "STEP = 2"),
            ("OTHER = 4", "pytestmark = pytest.mark.skip"),
            ("OTHER = 4", "total.limit = 4"),
            ("OTHER = 4", "def setup_function():\n    rate()\n"),
            ("OTHER = 4", "@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    pass\n"),
        ] {
            assert_ne!(of(TEXT, &[]), of(&TEXT.replacen(old, new, 1), &[]), "{new}");
        }
        for (old, new) in [
            ("import total, rate", "import rate, total, other"),
            (
                "import pytest\nfrom shop.cart import total, rate",
                "from shop.cart import total\nfrom shop.cart import rate\nimport pytest",
            ),
            ("LIMIT = 3", "# why\nLIMIT = (3)  # so"),
            ("OTHER = 4", "OTHER = 5\nMORE = 6"),
            ("rate() == 1", "rate() == 2"),
            ("Doc.", "Tests."),
        ] {
            assert_eq!(of(TEXT, &[]), of(&TEXT.replacen(old, new, 1), &[]), "{new}");
        }
        assert_eq!(rests(TEXT, "test_c", &[]), None);
    }

    #[test]
    fn of_a_conftest_above_hooks_patches_and_the_fixtures_of_the_test_count() {
        let plain = "import os\n\nimport pytest\n\nFOLDER = 'x'\n\n\n@pytest.fixture\ndef other():\n    return total\n\n\n\
                     def total():\n    return 1\n";
        assert_eq!(of(TEXT, &[]), of(TEXT, &[plain]));
        for added in [
            "def pytest_runtest_call(item):\n    pass\n",
            "from plugin import pytest_runtest_call\n",
            "import shop.cart\nshop.cart.total = print\n",
            "print()\n",
            "from pytest import fixture\n\n\n@fixture(autouse=True)\ndef quiet():\n    pass\n",
            "@pytest.fixture\ndef cart():\n    return 1\n",
        ] {
            let with = format!("{plain}\n\n{added}");
            assert_ne!(of(TEXT, &[]), of(TEXT, &[&with]), "{added}");
            assert_ne!(of(TEXT, &[&with]), of(TEXT, &["", &with]), "which one it is in counts");
            assert_eq!(of(TEXT, &[&with]), of(TEXT, &[&format!("{with}\n\nMORE = FOLDER\n")]), "{added}");
        }
    }
}
