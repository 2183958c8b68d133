//! The top-level statements of a file, line by line: what a careful writer needs to change one and leave the others.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use tree_sitter::Node;

use crate::base::hash::{Digest, Hasher};
use crate::domain::function::{Import, SyntaxError};

use super::decode::decode;
use super::parse::first_mistake;
use super::parts::imports;
use super::tokens::Shape;
use super::tree::syntax_tree;

/// How the names of constants begin that hold what the test below them expects: they belong to it like a decorator.
pub const EXPECTED: &str = "EXPECTED_";
/// How those begin that hold what it gives to what it tests.
pub const GIVEN: &str = "GIVEN_";

/// Tells whether a line or a name begins as a constant that belongs to the test below it.
#[must_use]
pub fn is_constant(text: &str) -> bool {
    text.starts_with(EXPECTED) || text.starts_with(GIVEN)
}

/// What a top-level statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// The module's docstring.
    Docstring,
    /// An import, alone on its lines.
    Import(Vec<Import>),
    /// A function or class, with its name.
    Definition(String),
    /// Anything else.
    Other,
}

/// One top-level statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its lines, counted from 0: decorators included, comments above it and behind it not.
    pub lines: Range<usize>,
    /// Hash of its code: formatting, comments and quotes leave no trace.
    pub digest: Digest,
    /// Names that occur in it, those after a dot excluded.
    pub names: BTreeSet<String>,
    /// Comments stand between its lines.
    pub has_comments: bool,
    /// It is one of pytest's fixtures.
    pub is_fixture: bool,
}

/// The top level of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The statements in the order of the file.
    pub statements: Vec<Statement>,
    /// Lines that hold nothing but a comment, counted from 0.
    pub comment_lines: BTreeSet<usize>,
    /// Where the text does not parse.
    pub error: Option<SyntaxError>,
}

impl Outline {
    /// Finds a function or class by its name; the last one counts, as it does for Python.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<&Statement> {
        self.statements.iter().rev().find(|statement| matches!(&statement.kind, StatementKind::Definition(own) if own == name))
    }

    /// Names what top-level statements of the text bind more than once, to different things; `*` for an import of all names.
    #[must_use]
    pub fn bound_again(&self, text: &str) -> BTreeSet<String> {
        let lines: Vec<&str> = text.lines().collect();
        let mut bound: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut again = BTreeSet::new();
        for (number, statement) in self.statements.iter().enumerate() {
            let bindings = match &statement.kind {
                StatementKind::Docstring => Vec::new(),
                StatementKind::Definition(name) => vec![(name.clone(), number.to_string())],
                StatementKind::Import(imports) => imports.iter().map(binding).collect(),
                StatementKind::Other => {
                    let own = lines.get(statement.lines.clone()).unwrap_or_default().join("\n");
                    targets(&own).into_iter().map(|name| (name, number.to_string())).collect()
                }
            };
            for (name, what) in bindings {
                let all = bound.entry(name.clone()).or_default();
                all.insert(what);
                if all.len() > 1 || name == "*" {
                    again.insert(name);
                }
            }
        }
        again
    }

    /// Gives the lines of a statement together with the comment lines directly above it.
    #[must_use]
    pub fn with_comments(&self, statement: &Statement) -> Range<usize> {
        let mut first = statement.lines.start;
        while first > 0 && self.comment_lines.contains(&(first - 1)) {
            first -= 1;
        }
        first..statement.lines.end
    }
}

/// Gives the name that an import binds in its module, and what it is bound to.
pub(super) fn binding(import: &Import) -> (String, String) {
    let top = || import.module.split('.').next().unwrap_or_default().to_owned();
    let name = import.alias.clone().or_else(|| import.name.clone());
    let what = match (&import.name, &import.alias) {
        (None, None) => top(),
        (name, _) => format!("{} {}", import.module, name.as_deref().unwrap_or_default()),
    };
    (name.unwrap_or_else(top), what)
}

/// Gives the names that an assignment binds: those before its signs that stand in no brackets, `a, b = c = 1`, `a: int = 1`.
pub(super) fn targets(statement: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    let bytes = statement.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' | b'#' => break,
            b'=' if depth == 0 => {
                let target = statement[start..at].split(':').next().unwrap_or_default();
                let words = target.split(|c: char| c != '_' && !c.is_alphanumeric());
                found.extend(
                    words.filter(|word| word.starts_with(|c: char| c == '_' || c.is_alphabetic())).map(ToOwned::to_owned),
                );
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

thread_local! {
    /// What was read last, the newest last: whoever plans one edit of a file asks about its text before and after many times.
    static LAST: RefCell<Vec<(String, Arc<Outline>)>> = const { RefCell::new(Vec::new()) };
}

/// So many texts are remembered.
const REMEMBERED: usize = 8;
/// And none of more bytes.
const REMEMBERED_MAX: usize = 1 << 18;

/// Reads the top level of a text; lines end where Python ends them, at `\n`, `\r\n` or `\r`.
#[must_use]
pub fn outline(text: &str) -> Arc<Outline> {
    let known = LAST.with_borrow_mut(|last| {
        let found = last.iter().position(|(other, _)| other == text)?;
        // What is asked for again is kept longest.
        last[found..].rotate_left(1);
        last.last().map(|(_, outline)| outline.clone())
    });
    known.unwrap_or_else(|| {
        let outline = Arc::new(read(text));
        if text.len() <= REMEMBERED_MAX {
            LAST.with_borrow_mut(|last| {
                if last.len() == REMEMBERED {
                    last.remove(0);
                }
                last.push((text.to_owned(), outline.clone()));
            });
        }
        outline
    })
}

fn read(text: &str) -> Outline {
    let decoded = decode(text.as_bytes());
    let text = &decoded.text;
    let tree = syntax_tree(text);
    let error = first_mistake(&decoded, tree.as_ref());
    let mut outline = Outline { statements: Vec::new(), comment_lines: BTreeSet::new(), error };
    let Some(tree) = tree else { return outline };
    let root = tree.root_node();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        if node.kind() == "comment" {
            note_comment(node, text, &mut outline);
            continue;
        }
        let mut shape = Shape::default();
        shape.absorb(node, text);
        let (last, has_comments) = last_row(node, text, &mut outline);
        outline.statements.push(Statement {
            kind: kind(node, outline.statements.is_empty(), text),
            lines: node.start_position().row..last + 1,
            digest: shape.digest(),
            names: shape.names,
            has_comments,
            is_fixture: text.get(node.byte_range()).is_some_and(|text| text.starts_with("@pytest.fixture")),
        });
    }
    join_expected(&mut outline.statements, text);
    rest_on_fixtures(&mut outline.statements);
    // Statements that share a line cannot be told apart by lines.
    for index in 1..outline.statements.len() {
        if outline.statements[index].lines.start < outline.statements[index - 1].lines.end {
            outline.statements[index - 1].kind = StatementKind::Other;
            outline.statements[index].kind = StatementKind::Other;
        }
    }
    outline
}

/// Makes constants that hold what the definition right below them expects a part of it.
fn join_expected(statements: &mut Vec<Statement>, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let constant = |statement: &Statement| {
        let line = lines.get(statement.lines.start).filter(|_| statement.kind == StatementKind::Other)?;
        let name = line.split(|c: char| c != '_' && !c.is_alphanumeric()).next()?;
        is_constant(name).then_some(name)
    };
    for index in (1..statements.len()).rev() {
        let (before, after) = (&statements[index - 1], &statements[index]);
        let is_its_own = constant(before).is_some_and(|name| after.names.contains(name));
        if is_its_own && matches!(after.kind, StatementKind::Definition(_)) {
            let below = statements.remove(index);
            let joined = &mut statements[index - 1];
            let mut hasher = Hasher::default();
            hasher.part(&joined.digest.0.to_le_bytes()).part(&below.digest.0.to_le_bytes());
            joined.digest = hasher.digest();
            joined.lines.end = below.lines.end;
            joined.names.extend(below.names);
            joined.has_comments |= below.has_comments;
            joined.kind = below.kind;
        }
    }
}

/// Makes the hash of a test follow the fixtures of the file that it takes: changing one changes what the test is.
fn rest_on_fixtures(statements: &mut [Statement]) {
    let mut fixtures: Vec<(String, Digest)> = Vec::new();
    for statement in statements.iter() {
        if let (StatementKind::Definition(name), true) = (&statement.kind, statement.is_fixture) {
            fixtures.push((name.clone(), statement.digest));
        }
    }
    for statement in statements.iter_mut().filter(|statement| matches!(statement.kind, StatementKind::Definition(_))) {
        for (_, digest) in fixtures.iter().filter(|(name, _)| !statement.is_fixture && statement.names.contains(name)) {
            let mut hasher = Hasher::default();
            hasher.part(&statement.digest.0.to_le_bytes()).part(&digest.0.to_le_bytes());
            statement.digest = hasher.digest();
        }
    }
}

fn kind(node: Node<'_>, first: bool, text: &str) -> StatementKind {
    let name = |node: Node<'_>| node.child_by_field_name("name").and_then(|name| text.get(name.byte_range())).map(str::to_owned);
    let definition = match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition").and_then(name),
        "function_definition" | "class_definition" => name(node),
        _ => None,
    };
    if let Some(name) = definition {
        return StatementKind::Definition(name);
    }
    match node.kind() {
        "import_statement" | "import_from_statement" | "future_import_statement" => StatementKind::Import(imports(node, text)),
        "expression_statement" if first && node.named_child(0).is_some_and(|child| child.kind().ends_with("string")) => {
            StatementKind::Docstring
        }
        _ => StatementKind::Other,
    }
}

fn note_comment(node: Node<'_>, text: &str, outline: &mut Outline) {
    let start = node.start_byte();
    let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    if text[line_start..start].trim().is_empty() {
        outline.comment_lines.insert(node.start_position().row);
    }
}

/// Gives the row of the last token that is no comment, and whether comments stand before it.
fn last_row(root: Node<'_>, text: &str, outline: &mut Outline) -> (usize, bool) {
    let mut last = root.start_position().row;
    let mut comments = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "comment" {
            comments.push(node.start_position().row);
            note_comment(node, text, outline);
        } else if node.child_count() == 0 && node.end_byte() > node.start_byte() {
            last = last.max(node.end_position().row);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                let within = comments.iter().any(|row| *row <= last);
                return (last, within);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_their_lines_and_comments_theirs() {
        let text = "\"\"\"Doc.\"\"\"\nimport a\n\n# why\n@x\ndef test_a():\n    pass\n    # tail\n\nb = 1; c = 2\n";
        let found = outline(text);
        let lines: Vec<_> = found.statements.iter().map(|s| s.lines.clone()).collect();
        assert_eq!(lines, [0..1, 1..2, 4..7, 9..10, 9..10]);
        assert_eq!(found.with_comments(found.definition("test_a").unwrap()), 3..7);
        assert_eq!(found.statements[4].kind, StatementKind::Other);
        assert_eq!(found.error, None);
    }

    #[test]
    fn what_was_read_a_moment_ago_is_not_read_again() {
        let texts: Vec<String> = (0..=REMEMBERED).map(|number| format!("def test_{number}():\n    pass\n")).collect();
        let first = outline(&texts[0]);
        for text in &texts[1..REMEMBERED] {
            assert!(outline(text).definition("test_0").is_none());
            assert!(Arc::ptr_eq(&first, &outline(&texts[0])), "it is asked about between the others");
        }
        texts[1..].iter().for_each(|text| drop(outline(text)));
        let again = outline(&texts[0]);
        assert!(!Arc::ptr_eq(&first, &again), "it had to make room");
        assert_eq!(first, again);
    }

    /// R13, R27: changing a fixture is changing the tests that take it.
    #[test]
    fn a_test_rests_on_the_fixtures_it_takes() {
        let text = "@pytest.fixture\ndef cart():\n    return 1\n\n\ndef test_a(cart):\n    pass\n\n\ndef test_b():\n    pass\n";
        let digest = |text: &str, test: &str| outline(text).definition(test).unwrap().digest;
        let other = text.replace("return 1", "return 2");
        assert_ne!(digest(text, "test_a"), digest(&other, "test_a"));
        assert_eq!(digest(text, "test_b"), digest(&other, "test_b"));
    }

    /// R4, R27: a constant goes where its test goes, and changing it is changing the test.
    #[test]
    fn what_a_test_expects_is_a_part_of_it() {
        let text = "EXPECTED_A = 1\nEXPECTED_A_2 = (\n    2\n)\n\n\ndef test_a():\n    assert f() == (EXPECTED_A, EXPECTED_A_2)\n\n\nEXPECTED_B = 1\n\n\ndef test_b():\n    pass\n";
        let found = outline(text);
        let lines: Vec<_> = found.statements.iter().map(|s| s.lines.clone()).collect();
        assert_eq!(lines, [0..8, 10..11, 13..15]);
        let digest = |text: &str| outline(text).definition("test_a").unwrap().digest;
        assert_ne!(digest(text), digest(&text.replace("    2\n", "    3\n")));
        assert_eq!(digest(text), digest(&text.replace("(\n    2\n)", "2")));
    }

    #[test]
    fn a_name_that_is_bound_to_two_things_is_told() {
        let again = |text: &str| outline(text).bound_again(text).into_iter().collect::<Vec<_>>();
        for (text, names) in [
            ("import os\nimport os.path\nfrom a import f\nfrom a import f\nX = f(f=1, y='f = 2')\n", &[][..]),
            ("from a import f\nfrom b import f\n", &["f"]),
            ("from a import f\nimport b as f\n", &["f"]),
            ("from a import f, g\n(f, x) = g = 1, 2\n", &["f", "g"]),
            ("from a import f\nf: int = 2\n", &["f"]),
            ("from a import f\nclass f: pass\n", &["f"]),
            ("from a import f\nfrom b import *\n", &["*"]),
        ] {
            assert_eq!(again(text), names, "{text}");
        }
    }

    #[test]
    fn formatting_does_not_change_the_hash() {
        let digest = |text: &str| outline(text).statements[0].digest;
        let plain = digest("def test_a():\n    assert f(1, 'x') == [1, 2]\n");
        let formatted = digest("def test_a():\n    # new\n    assert f(\n        0x1,\n        \"x\",\n    ) == [1, 2,]\n");
        assert_eq!(plain, formatted);
        assert_ne!(plain, digest("def test_a():\n    assert f(1, 'y') == [1, 2]\n"));
    }
}
