//! The text of a test file after accepting or removing tests: planned as text, shown as a diff, written by `apply.rs`.
//!
//! Whatever does not belong to the tests at hand stays byte for byte: other tests, comments, line ends, byte order mark.

use std::collections::BTreeSet;

use crate::base::error::Trouble;
use crate::source::outline::{Outline, StatementKind, outline};

use super::imports::{Line, add};
use super::page::{Block, Page, after_comments, split_lines, tidy};

/// Why tests cannot be put into a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The file in the project does not parse.
    #[error(
        "The test file has a syntax error in line {line}, so nothing can be added safely. Correct the line, then accept again."
    )]
    Broken {
        /// The line.
        line: u32,
    },
    /// The draft does not parse, alone or inside the file.
    #[error("The draft has a syntax error in line {line}. Edit the draft, then accept again.")]
    DraftBroken {
        /// The line.
        line: u32,
    },
    /// The draft lacks a test it names.
    #[error("The draft has no test named {test}. Make the draft again.")]
    Missing {
        /// The name.
        test: String,
    },
    /// A test or a helper of the same name is somebody's own work.
    #[error(
        "Line {line} of the test file already has a {name} that was written or changed by hand, and it stays as it is. Rename one of the two, then accept again."
    )]
    Clash {
        /// The name.
        name: String,
        /// Its line.
        line: usize,
    },
    /// An import would give a name a second meaning.
    #[error(
        "The draft imports {name}, but line {line} of the test file already gives this name another meaning. Rename one of the two, then accept again."
    )]
    NameTaken {
        /// The name.
        name: String,
        /// The line.
        line: usize,
    },
}

impl From<PlanError> for Trouble {
    fn from(error: PlanError) -> Self {
        Trouble::environment("Not written.").because(error)
    }
}

/// Tests to be put into a file.
#[derive(Debug, Clone, Copy)]
pub struct Addition<'a> {
    /// Import statements the tests need.
    pub imports: &'a [String],
    /// The tests, without imports.
    pub text: &'a str,
    /// Names of the test functions and classes in `text`.
    pub tests: &'a [String],
    /// The first lines of a new file: a docstring or a comment.
    pub header: Option<&'a str>,
    /// Top-level names of the project's own packages and modules.
    pub first_party: &'a [String],
}

/// Gives the file's text with the tests in it.
///
/// Tests of the same names are replaced where `ours` has the name: with their decorators and the comment lines directly
/// above. New ones go behind the test whose name comes before theirs.
///
/// # Errors
/// Fails when one of the texts does not parse, or a name is taken by what is not in `ours`.
pub fn accept(existing: Option<&str>, addition: &Addition<'_>, ours: &BTreeSet<String>) -> Result<String, PlanError> {
    let draft = outline(addition.text);
    if let Some(error) = draft.error {
        return Err(PlanError::DraftBroken { line: error.line });
    }
    if let Some(test) = addition.tests.iter().find(|test| draft.definition(test).is_none()) {
        return Err(PlanError::Missing { test: test.clone() });
    }
    let blocks = blocks(addition, &draft);
    let wanted = wanted_imports(addition.imports)?;
    let mut page = Page::new(existing.unwrap_or_default(), addition.header);
    if let Some(error) = page.outline().error {
        return Err(PlanError::Broken { line: error.line });
    }
    for block in &blocks {
        page.put(block, ours)?;
    }
    page.import(wanted, addition.first_party)?;
    page.close_up_constant();
    let text = page.text();
    match outline(&text).error {
        Some(error) => Err(PlanError::DraftBroken { line: error.line }),
        None => Ok(text),
    }
}

/// Gives tests in the order in which a file holds them: by name. A text whose tests have something else between them, or that
/// does not parse, comes back as it is.
#[must_use]
pub fn in_order(text: &str) -> String {
    let outline = outline(text);
    let is_test = |name: &String| name.starts_with("test") || name.starts_with("Test");
    let first = outline.statements.iter().position(|one| matches!(&one.kind, StatementKind::Definition(name) if is_test(name)));
    let tests = &outline.statements[first.unwrap_or(outline.statements.len())..];
    let names: Option<Vec<&String>> = tests
        .iter()
        .map(|one| match &one.kind {
            StatementKind::Definition(name) if is_test(name) => Some(name),
            _ => None,
        })
        .collect();
    let Some(names) = names.filter(|names| outline.error.is_none() && !names.is_sorted()) else { return text.to_owned() };
    let lines = split_lines(text);
    let starts: Vec<usize> = tests.iter().map(|one| outline.with_comments(one).start).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mut parts: Vec<(&String, String)> = names
        .into_iter()
        .zip(starts.iter().zip(ends))
        .map(|(name, (from, to))| (name, tidy(&lines[*from..to].concat())))
        .collect();
    parts.sort_by_key(|(name, _)| *name);
    let tests: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
    lines[..starts[0]].concat() + &tests.join("\n\n")
}

/// Gives the file's text without the tests, and without imports that only they used; `None` when nothing is left but the header.
///
/// A text that does not parse comes back as it is.
#[must_use]
pub fn remove(existing: &str, tests: &[String], header: Option<&str>) -> Option<String> {
    let mut page = Page::new(existing, None);
    if page.outline().error.is_some() {
        return Some(existing.to_owned());
    }
    let mut used = BTreeSet::new();
    for test in tests {
        let outline = page.outline();
        if let Some(statement) = outline.definition(test) {
            used.extend(statement.names.iter().cloned());
            page.cut(outline.with_comments(statement));
        }
    }
    for name in used.clone() {
        let fixture = page.outline().definition(&name).filter(|found| found.is_fixture).map(|found| found.names.clone());
        used.extend(fixture.into_iter().flatten());
    }
    page.drop_fixtures(&used);
    page.drop_imports(&used);
    let text = page.text();
    let rest = text.trim_start_matches('\u{feff}').trim();
    (!rest.is_empty() && Some(rest) != header.map(str::trim)).then_some(text)
}

/// Cuts the draft into its definitions; statements that are none go with the next definition.
fn blocks(addition: &Addition<'_>, draft: &Outline) -> Vec<Block> {
    let lines = split_lines(addition.text);
    let mut blocks: Vec<Block> = Vec::new();
    let mut from = 0;
    for statement in &draft.statements {
        let StatementKind::Definition(name) = &statement.kind else { continue };
        let end = after_comments(&lines, statement.lines.end);
        let text: String = lines[from..end].concat();
        blocks.push(Block {
            name: name.clone(),
            is_test: addition.tests.contains(name),
            text: tidy(&text),
            digest: statement.digest,
        });
        from = end;
    }
    if let (Some(last), Some(rest)) = (blocks.last_mut(), lines.get(from..))
        && !rest.concat().trim().is_empty()
    {
        last.text = tidy(&format!("{}{}", last.text, rest.concat()));
    }
    blocks
}

fn wanted_imports(imports: &[String]) -> Result<Vec<Line>, PlanError> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(imports) {
        let outline = outline(text);
        for statement in &outline.statements {
            match (&statement.kind, outline.error) {
                // `import a, b` is two statements on one line.
                (StatementKind::Import(all), None) if all.iter().all(|import| import.name.is_none()) => {
                    all.iter().filter_map(|one| Line::of(std::slice::from_ref(one))).for_each(|line| add(&mut lines, line));
                }
                (StatementKind::Import(all), None) => match Line::of(all) {
                    Some(line) => add(&mut lines, line),
                    None => return Err(PlanError::DraftBroken { line: number }),
                },
                _ => return Err(PlanError::DraftBroken { line: number }),
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &str = "\"\"\"Recorded behaviour of shop.cart.\"\"\"\n";

    fn try_put(existing: Option<&str>, imports: &[&str], text: &str, tests: &[&str], ours: &[&str]) -> Result<String, PlanError> {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (imports, tests, first_party) = (own(imports), own(tests), own(&["shop"]));
        let addition = Addition { imports: &imports, text, tests: &tests, header: Some(HEADER), first_party: &first_party };
        accept(existing, &addition, &own(ours).into_iter().collect())
    }

    fn put(existing: Option<&str>, imports: &[&str], text: &str, tests: &[&str], ours: &[&str]) -> String {
        try_put(existing, imports, text, tests, ours).unwrap()
    }

    #[test]
    fn a_new_file_has_header_imports_and_tests() {
        let text = put(
            None,
            &["from shop.cart import total", "import pytest", "from decimal import Decimal"],
            "def test_total():\n    assert total() == Decimal(1)\n",
            &["test_total"],
            &[],
        );
        assert_eq!(
            text,
            "\"\"\"Recorded behaviour of shop.cart.\"\"\"\n\nfrom decimal import Decimal\n\nimport pytest\n\nfrom shop.cart import total\n\n\ndef test_total():\n    assert total() == Decimal(1)\n"
        );
    }

    #[test]
    fn new_tests_stand_by_name_and_old_ones_are_replaced_in_place() {
        let first = put(None, &["from shop import f"], "def test_c():\n    assert f(3)\n", &["test_c"], &[]);
        let second =
            put(Some(&first), &["from shop import f, a"], "# why\n@mark\ndef test_a():\n    assert a(1)\n", &["test_a"], &[]);
        let third = put(Some(&second), &[], "def test_b():\n    assert f(2)\n", &["test_b"], &[]);
        let body = "from shop import a, f\n\n\n# why\n@mark\ndef test_a():\n    assert a(1)\n\n\ndef test_b():\n    assert f(2)\n\n\ndef test_c():\n    assert f(3)\n";
        assert_eq!(third, format!("{HEADER}\n{body}"));
        let again = put(Some(&third), &[], "def test_a():\n    assert a(9)\n", &["test_a"], &["test_a"]);
        assert_eq!(again, third.replace("# why\n@mark\ndef test_a():\n    assert a(1)", "def test_a():\n    assert a(9)"));
    }

    #[test]
    fn tests_are_read_in_the_order_in_which_they_are_written() {
        let draft = "@pytest.fixture\ndef cart():\n    return 1\n\n\n# why\n@mark\ndef test_b(cart):\n    assert cart\n    # tail\n\n\ndef test_a():\n    assert 1\n";
        let sorted = in_order(draft);
        assert_eq!(
            sorted,
            "@pytest.fixture\ndef cart():\n    return 1\n\n\ndef test_a():\n    assert 1\n\n\n# why\n@mark\ndef test_b(cart):\n    assert cart\n    # tail\n"
        );
        assert_eq!(in_order(&sorted), sorted);
        let file = put(None, &[], draft, &["test_b", "test_a"], &[]);
        assert!(file.ends_with(&sorted), "{file}");
        for as_it_is in
            ["def test_b():\n    1\n\n\nCENT = 1\n\n\ndef test_a():\n    CENT\n", "def test_b(:\n\n\ndef test_a(): 1\n", ""]
        {
            assert_eq!(in_order(as_it_is), as_it_is);
        }
    }

    #[test]
    fn the_order_of_accepting_does_not_matter() {
        for imports in [
            ["from shop import a", "import os", "from shop import c"],
            ["import pytest", "from shop.b import a", "from shop.a import a as c"],
        ] {
            let write = |order: [usize; 3]| {
                order.iter().fold(None::<String>, |text, index| {
                    let name = ["test_a", "test_b", "test_c"][*index];
                    let test = format!("def {name}():\n    assert a, os\n");
                    Some(put(text.as_deref(), &[imports[*index]], &test, &[name], &[]))
                })
            };
            let expected = write([0, 1, 2]);
            assert!(!expected.as_ref().unwrap().contains("shop.a import a as c\n\nfrom shop"), "one group");
            for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                assert_eq!(write(order), expected, "{order:?}");
            }
        }
    }

    #[test]
    fn what_is_written_by_hand_stays() {
        let by_hand = "import pytest\n\ndef test_a():\n    assert 1  # mine\n";
        let clash = try_put(Some(by_hand), &[], "def test_a():\n    pass\n", &["test_a"], &[]);
        assert_eq!(clash, Err(PlanError::Clash { name: "test_a".into(), line: 3 }));
        let taken = try_put(Some("from other import f\n"), &["from shop import f"], "def test_b():\n    f()\n", &["test_b"], &[]);
        assert_eq!(taken, Err(PlanError::NameTaken { name: "f".into(), line: 1 }));
        let broken = try_put(Some("def f(:\n"), &[], "def test_b():\n    f()\n", &["test_b"], &[]);
        assert!(matches!(broken, Err(PlanError::Broken { line: 1 })), "{broken:?}");
        let draft = try_put(None, &[], "def test_b(:\n", &["test_b"], &[]);
        assert!(matches!(draft, Err(PlanError::DraftBroken { line: 1 })), "{draft:?}");
        let missing = try_put(None, &[], "def test_b(): ...\n", &["test_c"], &[]);
        assert_eq!(missing, Err(PlanError::Missing { test: "test_c".into() }));
    }

    #[test]
    fn line_ends_and_marks_are_kept() {
        let existing = "\u{feff}import os\r\n\r\n\r\ndef test_a():\r\n    os\r\n";
        let text = put(Some(existing), &["from shop import b"], "def test_b():\n    b()\n", &["test_b"], &[]);
        assert_eq!(
            text,
            "\u{feff}import os\r\n\r\nfrom shop import b\r\n\r\n\r\ndef test_a():\r\n    os\r\n\r\n\r\ndef test_b():\r\n    b()\r\n"
        );
        assert_eq!(remove(&text, &["test_b".into()], None).as_deref(), Some(existing));
    }

    #[test]
    fn a_file_without_a_last_newline_gets_one() {
        let text = put(Some("def test_a(): pass"), &[], "def test_b(): pass\n", &["test_b"], &[]);
        assert_eq!(text, "def test_a(): pass\n\n\ndef test_b(): pass\n");
    }

    #[test]
    fn removing_the_last_test_removes_the_file() {
        let text = put(None, &["from shop import f", "import pytest"], "def test_a():\n    assert f(pytest)\n", &["test_a"], &[]);
        assert_eq!(remove(&text, &["test_a".into()], Some(HEADER)), None);
        let kept = text.replace("import pytest\n", "import pytest  # noqa\nimport os  # mine\n");
        assert!(remove(&kept, &["test_a".into()], Some(HEADER)).unwrap().contains("import os  # mine\n"));
    }

    /// R13, R27: a fixture comes and goes with the tests that take it, and stays where a person changed it.
    #[test]
    fn a_fixture_goes_with_its_tests() {
        let draft = |value: u8| {
            format!(
                "@pytest.fixture\ndef cart_for_a():\n    return Cart({value})\n\n\ndef test_a(cart_for_a):\n    cart_for_a.a()\n\n\ndef test_a_2(cart_for_a):\n    cart_for_a.b()\n"
            )
        };
        let tests = ["test_a", "test_a_2"];
        let imports = ["import pytest", "from shop import Cart"];
        let first = put(None, &imports, &draft(1), &tests, &[]);
        let again = put(Some(&first), &imports, &draft(2), &tests, &tests);
        assert_eq!(again, first.replace("Cart(1)", "Cart(2)"));
        let mixed = try_put(Some(&first), &imports, &draft(2), &tests, &["test_a"]);
        assert!(matches!(mixed, Err(PlanError::Clash { .. })), "{mixed:?}");
        let one = remove(&first, &["test_a".into()], Some(HEADER)).unwrap();
        assert!(one.contains("def cart_for_a():") && one.contains("import pytest"), "{one}");
        assert_eq!(remove(&first, &tests.map(String::from), Some(HEADER)), None);
    }

    #[test]
    fn a_constant_stands_a_line_below_the_imports() {
        let draft = "EXPECTED_B = [\n    1,\n]\n\n\ndef test_b():\n    assert f() == EXPECTED_B\n";
        let text = put(None, &["from shop import f"], draft, &["test_b"], &[]);
        assert!(text.contains("from shop import f\n\nEXPECTED_B = ["), "{text}");
        let more = put(Some(&text), &["from shop import f"], "def test_a():\n    assert f(0) == 1\n", &["test_a"], &["test_b"]);
        assert!(more.contains("from shop import f\n\n\ndef test_a():"), "{more}");
    }

    #[test]
    fn imports_with_comments_are_left_alone() {
        let existing = "from shop import (\n    a,  # mine\n)\n\n\ndef test_a():\n    a()\n";
        let text = put(Some(existing), &["from shop import b"], "def test_b():\n    b()\n", &["test_b"], &[]);
        assert!(text.starts_with("from shop import (\n    a,  # mine\n)\nfrom shop import b\n\n\n"), "{text}");
        assert_eq!(remove(&text, &["test_b".into()], None).as_deref(), Some(existing));
    }

    fn statement() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("import os\n".to_owned()),
            Just("from shop import a, b\n".to_owned()),
            Just("import json  # mine\n".to_owned()),
            Just("# a comment\n".to_owned()),
            Just("CENT = 1\n".to_owned()),
            Just("if CENT:\n    import sys\n".to_owned()),
            "test_[b-y]{1,3}".prop_map(|name| format!("def {name}(x):\n    assert x == 1\n    # tail\n")),
            "Test[B-Y]".prop_map(|name| format!("@mark\nclass {name}:\n    def test_x(self): pass\n")),
        ]
    }

    proptest! {
        #[test]
        fn accepting_and_removing_touches_nothing_else(
            statements in proptest::collection::vec((statement(), 0usize..4), 0..8),
            windows in any::<bool>(),
            name in "test_[a-z]{1,3}_new",
        ) {
            let mut existing: String = statements.iter().map(|(text, blank)| format!("{text}{}", "\n".repeat(*blank))).collect();
            if windows {
                existing = existing.replace('\n', "\r\n");
            }
            let draft = format!("@mark\ndef {name}(value):\n    assert fresh(value) == 2\n");
            let accepted = try_put(Some(&existing), &["from shop import fresh"], &draft, &[&name], &[]).unwrap();
            prop_assert!(outline(&accepted).definition(&name).is_some());
            let solid = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>();
            // All other lines are there, in their order.
            let mut rest = solid(&accepted).into_iter();
            for line in solid(&existing).iter().filter(|line| !line.starts_with("from shop")) {
                prop_assert!(rest.any(|other| other == *line), "{line} is lost in\n{accepted}");
            }
            let removed = remove(&accepted, &[name], Some(HEADER)).unwrap_or_default();
            prop_assert_eq!(solid(removed.strip_prefix(HEADER).unwrap_or(&removed)), solid(&existing));
        }
    }
}
