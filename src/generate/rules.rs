//! What a draft must be before anything of it runs: text that parses, imports what is there for it, and names each test
//! once. The rules are our own, so that they hold in projects without a linter.

use std::collections::BTreeSet;

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::proposal::Draft;
use crate::generate::trim;
use crate::source::internals::{Internal, internals};
use crate::source::outreach::outreach;
use crate::source::parse::parse;

/// Top-level modules a test may import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Those of the standard library.
    pub stdlib: BTreeSet<String>,
    /// The project's own.
    pub project: BTreeSet<String>,
    /// Those of others that the project imports.
    pub used: BTreeSet<String>,
    /// pytest's plugins that are installed.
    pub plugins: BTreeSet<String>,
}

impl Allowed {
    fn holds(&self, module: &str) -> bool {
        let sets = [&self.stdlib, &self.project, &self.used, &self.plugins];
        matches!(module, "pytest" | "__future__") || sets.iter().any(|set| set.contains(module))
    }
}

/// Gives what speaks against a draft, a line each; nothing for one that may run.
#[must_use]
pub fn check(draft: &Draft, allowed: &Allowed) -> Vec<Evidence> {
    let mut found = Vec::new();
    let mut against = |what: EvidenceKind, detail: String| found.push(Evidence::new(Finding::Fail, what, detail));
    let whole = draft.standalone();
    let Some(path) = RelPath::new("draft.py") else { return found };
    let module = parse(&path, whole.as_bytes(), "draft", "");
    if let Some(error) = module.error {
        against(EvidenceKind::Syntax, format!("it does not parse: line {}, column {}", error.line, error.column));
        return found;
    }
    let is_beside = |top: &str| draft.helpers.iter().any(|helper| helper.path.file_name().strip_suffix(".py") == Some(top));
    let mut strange: BTreeSet<&str> = BTreeSet::new();
    for import in &module.imports {
        let top = import.module.split('.').next().unwrap_or_default();
        if top.is_empty() {
            against(EvidenceKind::Imports, "it imports from its own folder, which holds nothing for it".to_owned());
        // What a recording named was imported when it was recorded, whoever brings it.
        } else if draft.origin.is_foreign() && !allowed.holds(top) && !is_beside(top) {
            strange.insert(top);
        }
        if import.name.as_deref() == Some("*") {
            against(EvidenceKind::Imports, format!("it imports everything of {}", text::display_line(&import.module)));
        }
    }
    for name in strange {
        let name = text::display_line(name);
        against(EvidenceKind::Imports, format!("it imports {name}, which neither the project nor Python nor pytest brings"));
    }
    let mut names = BTreeSet::new();
    for name in trim::test_names(&draft.text) {
        if !names.insert(name.clone()) {
            against(EvidenceKind::Collection, format!("{name} is defined twice, and only the last one would run"));
        }
    }
    found
}

/// Gives what speaks against a text by a model or an agent, as nobody else wrote it: that it changes tests beside its own.
#[must_use]
pub fn check_foreign(draft: &Draft) -> Vec<Evidence> {
    let against = |what: String| {
        let why = "would change every other test of its file; its own tests can ask for a fixture by name";
        Evidence::new(Finding::Fail, EvidenceKind::Scope, format!("{what} {why}"))
    };
    outreach(&draft.standalone()).into_iter().map(against).collect()
}

/// Gives what speaks against a text that we did not write: that it reaches for what runs it, and could have any result reported.
/// Of a text that a person changed, what `ours`, the draft before that, has as well does not count.
#[must_use]
pub fn check_internals(draft: &Draft, ours: Option<&Draft>, allowed: &Allowed) -> Vec<Evidence> {
    let of = |draft: &Draft| internals(&draft.standalone(), &allowed.stdlib);
    let own: BTreeSet<String> = ours.map_or_else(Vec::new, of).into_iter().map(|one| one.what).collect();
    let against = |found: Internal| {
        let what = text::display_line(&found.to_string()).into_owned();
        Evidence::new(Finding::Fail, EvidenceKind::Scope, format!("it uses {what}; a test must not reach what runs it"))
    };
    of(draft).into_iter().filter(|found| !own.contains(&found.what)).map(against).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::proposal::Origin;
    use crate::domain::samples;

    fn draft(imports: &[&str], text: &str) -> Draft {
        Draft { origin: Origin::Model("m".into()), tests: trim::test_names(text), ..samples::draft(imports, text) }
    }

    fn says(imports: &[&str], text: &str) -> Vec<String> {
        let draft = draft(imports, text);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let allowed = Allowed {
            stdlib: set(&["os", "decimal"]),
            project: set(&["shop"]),
            used: set(&["attr"]),
            plugins: set(&["pytest_mock"]),
        };
        check(&draft, &allowed).into_iter().map(|line| line.detail.to_string()).collect()
    }

    #[test]
    fn a_test_imports_what_is_there_for_it_and_nothing_else() {
        let test = "def test_a():\n    assert total(1) == 1\n";
        let good =
            ["import os.path", "from decimal import Decimal", "import pytest", "from shop.cart import total", "import attr"];
        assert!(says(&good, test).is_empty());
        assert_eq!(
            says(&["import requests"], test),
            ["it imports requests, which neither the project nor Python nor pytest brings"]
        );
        let inside = "def test_a():\n    import numpy.linalg\n    assert numpy\n";
        assert_eq!(says(&[], inside), ["it imports numpy, which neither the project nor Python nor pytest brings"]);
        assert_eq!(says(&["from . import conftest"], test), ["it imports from its own folder, which holds nothing for it"]);
        assert_eq!(says(&["from shop.cart import *"], test), ["it imports everything of shop.cart"]);
    }

    #[test]
    fn a_test_leaves_the_other_tests_of_its_file_alone() {
        let text = "@pytest.fixture(autouse=True)\ndef a():\n    yield\n\n\ndef test_a():\n    assert True\n";
        let said = check_foreign(&draft(&["import pytest"], text));
        assert!(said[0].detail.starts_with("the autouse fixture of line 4 would change every other test"), "{said:?}");
        assert!(check_foreign(&draft(&["import pytest"], &text.replace("(autouse=True)", ""))).is_empty());
    }

    #[test]
    fn a_test_does_not_reach_what_runs_it() {
        let allowed = Allowed::default();
        let text = "def test_a():\n    sys.modules['_pytest.reports'].TestReport = None\n";
        let said = check_internals(&draft(&["import sys"], text), None, &allowed);
        assert_eq!(said[0].detail, "it uses sys.modules (line 5); a test must not reach what runs it");
        assert!(
            check_internals(&draft(&["import sys"], "def test_a():\n    assert sys.version_info\n"), None, &allowed).is_empty()
        );
        let ours = draft(&[], "def test_a():\n    assert __import__(\"pathlib\")\n");
        let edited = draft(&[], "def test_a():\n    # mine\n    assert __import__(\"pathlib\")\n    eval('1')\n");
        let said = check_internals(&edited, Some(&ours), &allowed);
        assert!(said.len() == 1 && said[0].detail.starts_with("it uses eval"), "what we wrote ourselves stays: {said:?}");
    }

    #[test]
    fn a_test_parses_and_is_there_once() {
        assert_eq!(says(&[], "def test_a(:\n    pass\n").len(), 1);
        let twice = "def test_a():\n    assert True\n\n\ndef test_a():\n    assert True\n";
        assert_eq!(says(&[], twice), ["test_a is defined twice, and only the last one would run"]);
    }
}
