//! The assertions of a test's text, each with the text in which it says the opposite. If a test passes even
//! then, the assertion does not decide its result. Found in the text; nothing is run.

use tree_sitter::Node;

use super::tree::syntax_tree;

/// Texts that are made of one draft: of more assertions, as many are taken from all over it.
const MOST: usize = 64;
/// Characters of an assertion that are shown.
const SHOWN: usize = 80;
/// What stands where a test would have to fail.
const FAILING: &str = "raise AssertionError";
/// An exception that no test waits for, and such a warning.
const OTHER_EXCEPTION: &str = "GeneratorExit";
const OTHER_WARNING: &str = "BytesWarning";

/// A text with one assertion negated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negated {
    /// The test that holds the assertion: `test_total`, `TestCart::test_total`; empty for that of a helper, which any test may call.
    pub test: String,
    /// What was negated, in one line: `assert total() == 3`, `the end of test_total`.
    pub what: String,
    /// The whole text, as many lines above as below.
    pub text: String,
}

/// Negates each assertion of a text by itself, and has each test fail at its end.
#[must_use]
pub fn negated(text: &str) -> Vec<Negated> {
    let Some(tree) = syntax_tree(text) else { return Vec::new() };
    let mut finder = Finder { text, found: Vec::new() };
    finder.definitions(tree.root_node(), "");
    let all = finder.found;
    let step = all.len().div_ceil(MOST).max(1);
    // The end of a test says the most, so it is among them whatever the number.
    let (ends, inner): (Vec<_>, Vec<_>) = all.into_iter().partition(|change| change.is_end);
    let chosen = ends.into_iter().chain(inner.into_iter().step_by(step));
    chosen.map(|change| change.made(text)).collect()
}

/// A replacement of a part of the text.
struct Change {
    test: String,
    what: String,
    from: usize,
    to: usize,
    by: String,
    is_end: bool,
}

impl Change {
    fn made(self, text: &str) -> Negated {
        let changed = format!("{}{}{}", &text[..self.from], self.by, &text[self.to..]);
        Negated { test: self.test, what: self.what, text: changed }
    }
}

struct Finder<'t> {
    text: &'t str,
    found: Vec<Change>,
}

impl Finder<'_> {
    /// Goes through the definitions of a module or a class.
    fn definitions(&mut self, body: Node<'_>, class: &str) {
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            let inner = child.child_by_field_name("definition").unwrap_or(child);
            let name = inner.child_by_field_name("name").map_or("", |name| &self.text[name.byte_range()]);
            let block = inner.child_by_field_name("body");
            match (inner.kind(), block) {
                ("class_definition", Some(block)) if class.is_empty() => self.definitions(block, name),
                ("function_definition", Some(block)) => {
                    let is_test = name.starts_with("test") && (class.is_empty() || class.starts_with("Test"));
                    let test = match (is_test, class) {
                        (false, _) => String::new(),
                        (true, "") => name.to_owned(),
                        (true, class) => format!("{class}::{name}"),
                    };
                    if is_test {
                        self.end(inner, block, &test, name);
                    }
                    self.assertions(block, &test);
                }
                _ => self.assertions(child, ""),
            }
        }
    }

    /// Has a test fail where it ends, if each of its ways leads there.
    fn end(&mut self, function: Node<'_>, block: Node<'_>, test: &str, name: &str) {
        let mut cursor = block.walk();
        let Some(last) = block.named_children(&mut cursor).filter(|child| child.kind() != "comment").last() else { return };
        let is_below = last.start_position().row > function.start_position().row;
        if !is_below || leaves_early(block) {
            return;
        }
        let by = format!("\n{}{FAILING}", " ".repeat(last.start_position().column));
        let what = format!("the end of {name}()");
        self.found.push(Change { test: test.to_owned(), what, from: last.end_byte(), to: last.end_byte(), by, is_end: true });
    }

    fn assertions(&mut self, top: Node<'_>, test: &str) {
        let mut open = vec![top];
        while let Some(node) = open.pop() {
            if let Some((part, by)) = self.negation(node) {
                let first = self.text[node.byte_range()].split_whitespace().collect::<Vec<_>>().join(" ");
                let what = crate::base::text::cut(&first, SHOWN).into_owned();
                let (from, to) = (part.start, part.end);
                self.found.push(Change { test: test.to_owned(), what, from, to, by, is_end: false });
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            open.extend(children.into_iter().rev());
        }
    }

    /// Gives what of an assertion is to be replaced, and by what; `None` for anything else.
    fn negation(&self, node: Node<'_>) -> Option<(std::ops::Range<usize>, String)> {
        match node.kind() {
            "assert_statement" => {
                let condition = node.named_child(0)?.byte_range();
                let by = format!("not ({})", &self.text[condition.clone()]);
                Some((condition, by))
            }
            "call" => {
                let other = match self.called(node)? {
                    "raises" | "assertRaises" | "assertRaisesRegex" => OTHER_EXCEPTION,
                    "warns" | "assertWarns" | "assertWarnsRegex" => OTHER_WARNING,
                    _ => return None,
                };
                let first = node.child_by_field_name("arguments")?.named_child(0)?;
                let is_named = first.kind() == "keyword_argument";
                let names = |name: Node<'_>| self.text[name.byte_range()].starts_with("expected_");
                let value = match is_named {
                    false => first,
                    true if first.child_by_field_name("name").is_some_and(names) => first.child_by_field_name("value")?,
                    true => return None,
                };
                Some((value.byte_range(), other.to_owned()))
            }
            "expression_statement" => {
                let inner = node.named_child(0)?;
                let call = if inner.kind() == "await" { inner.named_child(0)? } else { inner };
                let name = self.called(call)?;
                let is_own = name.starts_with("assert") && self.negation(call).is_none();
                is_own.then(|| (node.byte_range(), FAILING.to_owned()))
            }
            _ => None,
        }
    }

    /// The last name of what a call calls.
    fn called(&self, call: Node<'_>) -> Option<&str> {
        if call.kind() != "call" {
            return None;
        }
        let function = call.child_by_field_name("function")?;
        let name = if function.kind() == "attribute" { function.child_by_field_name("attribute")? } else { function };
        (name.kind() == "identifier").then(|| &self.text[name.byte_range()])
    }
}

/// Tells whether a function may end before its last line, or is a generator.
fn leaves_early(block: Node<'_>) -> bool {
    let mut open = vec![block];
    while let Some(node) = open.pop() {
        match node.kind() {
            "return_statement" | "yield" | "raise_statement" => return true,
            "function_definition" | "lambda" | "class_definition" => continue,
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
def helper(x):
    assert x, "why"


@pytest.mark.parametrize("n", [1])
def test_a(n):
    assert total(n) == 3  # so it is
    with pytest.raises(ValueError, match="x"):
        total(None)


class TestB:
    def test_b(self):
        self.assertEqual(total(1),
                         2)
        self.assertRaises(ValueError, total)
        return
"#;

    fn said(text: &str) -> Vec<(String, String)> {
        negated(text).into_iter().map(|one| (one.test, one.what)).collect()
    }

    #[test]
    fn each_assertion_and_each_end_is_negated_by_itself() {
        let expected = [
            ("test_a", "the end of test_a()"),
            ("", "assert x, \"why\""),
            ("test_a", "assert total(n) == 3"),
            ("test_a", "pytest.raises(ValueError, match=\"x\")"),
            ("TestB::test_b", "self.assertEqual(total(1), 2)"),
            ("TestB::test_b", "self.assertRaises(ValueError, total)"),
        ];
        assert_eq!(said(TEXT), expected.map(|(test, what)| (test.to_owned(), what.to_owned())));
        let texts: Vec<String> = negated(TEXT).into_iter().map(|one| one.text).collect();
        assert!(texts[0].contains("        total(None)\n    raise AssertionError\n"), "{}", texts[0]);
        assert!(texts[1].contains("assert not (x), \"why\"\n"), "{}", texts[1]);
        assert!(texts[2].contains("assert not (total(n) == 3)  # so it is\n"), "{}", texts[2]);
        assert!(texts[3].contains("pytest.raises(GeneratorExit, match=\"x\"):\n"), "{}", texts[3]);
        assert!(texts[4].contains("        raise AssertionError\n        self.assertRaises"), "{}", texts[4]);
        assert!(texts[5].contains("self.assertRaises(GeneratorExit, total)\n"), "{}", texts[5]);
        let sound = |text: &String| syntax_tree(text).is_some_and(|tree| !tree.root_node().has_error());
        assert!(texts.iter().all(sound), "{texts:?}");
    }

    #[test]
    fn of_very_many_some_are_taken_and_every_end() {
        let test = |at: usize| format!("def test_{at}():\n{}\n", "    assert f() == 1\n".repeat(20));
        let found = negated(&(0..10).map(test).collect::<String>());
        assert_eq!(found.iter().filter(|one| one.what.starts_with("the end of")).count(), 10);
        assert!(found.len() <= MOST + 10, "{}", found.len());
    }

    #[test]
    fn a_text_that_does_not_parse_has_none_that_panics() {
        for text in ["", "assert", "def test_a(:\n assert", "pytest.raises()", "assert é == 'ü'\n"] {
            let _ = negated(text);
        }
    }
}
