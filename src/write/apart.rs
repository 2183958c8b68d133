//! Other names for what two drafts call alike, where they go into one file: a fixture of one would silently become the
//! fixture of the other, a test of one take the other's place, and one `Path` is not the other.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hash::Digest;
use crate::domain::function::Import;
use crate::source::outline::{Outline, StatementKind, outline};
use crate::source::rename::{bound, renamed};

/// The text of a draft, taken apart for writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Import statements that the tests need.
    pub imports: Vec<String>,
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
pub fn apart(existing: &str, draft: &Parts, function: &str, owners: &Owners<'_>) -> Parts {
    let Parts { text, tests, .. } = draft;
    let (there, new) = (bound(existing), bound(text));
    let page = outline(existing);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let imports = imports_apart(&page, &there, draft, &mut names);
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
    Parts { imports, text: if names.is_empty() { text.clone() } else { renamed(text, &names) }, tests }
}

/// Gives what a draft imports, under another name where the file already imports something else by it; notes these names.
fn imports_apart(
    page: &Outline,
    defined: &BTreeMap<String, Digest>,
    draft: &Parts,
    names: &mut BTreeMap<String, String>,
) -> Vec<String> {
    let of = |page: &Outline| -> Vec<Import> {
        let imports = page.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Import(all) => Some(all.iter().filter(|import| import.name.is_some()).cloned()),
            _ => None,
        });
        imports.flatten().collect()
    };
    let there = of(page);
    let means_else = |name: &str, import: &Import| {
        let mut binding = there.iter().filter(|other| other.alias.as_deref().or(other.name.as_deref()) == Some(name));
        binding.any(|other| other.module != import.module || other.name != import.name)
    };
    let mut out = Vec::new();
    for line in &draft.imports {
        let wanted = of(&outline(line));
        let clashes = |import: &&Import| {
            import.name.as_deref().filter(|_| import.alias.is_none()).is_some_and(|name| means_else(name, import))
        };
        let (taken, free): (Vec<&Import>, Vec<&Import>) = wanted.iter().partition(clashes);
        if taken.is_empty() {
            out.push(line.clone());
            continue;
        }
        let from = |import: &Import, alias: Option<&str>| {
            let name = import.name.as_deref().unwrap_or_default();
            let alias = alias.or(import.alias.as_deref()).map_or_else(String::new, |alias| format!(" as {alias}"));
            format!("from {} import {name}{alias}", import.module)
        };
        out.extend(free.into_iter().map(|import| from(import, None)));
        for import in taken {
            let name = import.name.clone().unwrap_or_default();
            let is_taken = |alias: &str| has_word(&draft.text, alias) || defined.contains_key(alias) || means_else(alias, import);
            let alias = alias_of(import, is_taken);
            out.push(from(import, Some(&alias)));
            names.insert(name, alias);
        }
    }
    out
}

/// Says where an import comes from in its name: `ClickPath`, `json_dumps`.
fn alias_of(import: &Import, is_taken: impl Fn(&str) -> bool) -> String {
    let name = import.name.as_deref().unwrap_or_default();
    let module = import.module.rsplit('.').next().unwrap_or_default().trim_matches('_');
    let is_class = name.chars().next().is_some_and(char::is_uppercase);
    let told = match (is_class, name.contains(char::is_lowercase)) {
        (true, true) => {
            let words =
                module.split('_').flat_map(|word| word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)));
            format!("{}{name}", words.collect::<String>())
        }
        (true, false) => format!("{}_{name}", module.to_uppercase()),
        _ => format!("{module}_{name}"),
    };
    let dash = if is_class && name.contains(char::is_lowercase) { "" } else { "_" };
    let numbered = (2..).map(|number| format!("{told}{dash}{number}"));
    std::iter::once(told.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(told)
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

    fn put(text: &str, tests: &[&str], own: &[&str], others: &[&str]) -> Parts {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
        apart(THERE, &draft(&[], text, tests), "save", &Owners { own: &set(own), others: &set(others) })
    }

    fn draft(imports: &[&str], text: &str, tests: &[&str]) -> Parts {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Parts { imports: own(imports), text: text.to_owned(), tests: own(tests) }
    }

    #[test]
    fn an_import_of_a_name_that_means_something_else_there_says_where_it_comes_from() {
        let there = "from pathlib import Path\nfrom json import dumps, loads\n\n\ndef test_b():\n    assert Path(dumps(1))\n";
        let text = "def test_a(path):\n    assert path.Path == Path(Path=1, text=\"Path\") == dumps(loads(2), LIMIT)\n";
        let imports =
            ["from click import LIMIT, Path", "from click._utils import dumps", "from json import loads", "import click"];
        let none = BTreeSet::new();
        let put = |there: &str| apart(there, &draft(&imports, text, &["test_a"]), "save", &Owners { own: &none, others: &none });
        let found = put(there);
        let expected = [
            "from click import LIMIT",
            "from click import Path as ClickPath",
            "from click._utils import dumps as utils_dumps",
            "from json import loads",
            "import click",
        ];
        assert_eq!(found.imports, expected);
        let renamed =
            "def test_a(path):\n    assert path.Path == ClickPath(Path=1, text=\"Path\") == utils_dumps(loads(2), LIMIT)\n";
        assert_eq!(found.text, renamed);
        assert_eq!(put(&format!("from click import Path as ClickPath\n{there}")), found, "and so the next time");
        let both = put(&format!("from shop.click import Path as ClickPath\n\n{there}\n\ndef utils_dumps():\n    pass\n")).imports;
        assert_eq!(both[1..3], ["from click import Path as ClickPath2", "from click._utils import dumps as utils_dumps_2"]);
        assert_eq!(put("from click import Path\n").imports, imports);
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
            &draft(&[], text, &["test_adds"]),
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
