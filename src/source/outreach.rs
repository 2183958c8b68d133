//! What a test module's text does to every test of its file, and not only to its own: fixtures that all use, set-up
//! functions of the module. Found in the text; nothing is run.

use tree_sitter::Node;

use super::tree::syntax_tree;

/// Functions of a module that pytest runs around each of its tests.
pub(super) const SET_UP: [&str; 8] = [
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
    "setUpModule",
    "tearDownModule",
    "setup",
    "teardown",
];

/// Nesting that is followed: the text may be by anybody.
const DEPTH: usize = 200;

/// Names what a text does to tests beside its own, one name for each: `the autouse fixture of line 3`, `setup_module()`.
#[must_use]
pub fn outreach(text: &str) -> Vec<String> {
    let Some(tree) = syntax_tree(text) else { return Vec::new() };
    let mut found = Vec::new();
    let mut cursor = tree.root_node().walk();
    for statement in tree.root_node().named_children(&mut cursor) {
        look(statement, text, DEPTH, &mut found);
        let definition = statement.child_by_field_name("definition").unwrap_or(statement);
        let name = definition.child_by_field_name("name").and_then(|name| text.get(name.byte_range()));
        if let Some(name) = name.filter(|name| definition.kind() == "function_definition" && SET_UP.contains(name)) {
            found.push(format!("{name}()"));
        }
    }
    found
}

/// Looks for `autouse`, however the fixture is written; one inside of a class is used by that class alone.
fn look(node: Node<'_>, text: &str, depth: usize, found: &mut Vec<String>) {
    let source = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let off = |value: Node<'_>| matches!(source(value), "False" | "None" | "0");
    let named = match node.kind() {
        "class_definition" => return,
        "keyword_argument" => {
            node.child_by_field_name("name").is_some_and(|name| source(name) == "autouse")
                && !node.child_by_field_name("value").is_some_and(off)
        }
        "string_content" => source(node) == "autouse",
        _ => false,
    };
    if named {
        found.push(format!("the autouse fixture of line {}", node.start_position().row + 1));
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut cursor = node.walk();
    node.named_children(&mut cursor).for_each(|child| look(child, text, depth, found));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_tests_of_a_file_would_use_is_named() {
        for (text, name) in [
            ("@pytest.fixture(autouse=True)\ndef a():\n    yield\n", "the autouse fixture of line 1"),
            ("import pytest\n@fixture(scope='module', autouse=ON)\nasync def a():\n    yield\n", "the autouse fixture of line 2"),
            ("a = pytest.fixture(autouse=True)(make)\n", "the autouse fixture of line 1"),
            ("@pytest.fixture(**{'autouse': True})\ndef a():\n    yield\n", "the autouse fixture of line 1"),
            ("def setup_function(function):\n    pass\n", "setup_function()"),
            ("async def setUpModule():\n    pass\n", "setUpModule()"),
        ] {
            assert_eq!(outreach(text), [name], "{text}");
        }
    }

    #[test]
    fn what_its_own_tests_use_is_not() {
        for text in [
            "@pytest.fixture(autouse=False)\ndef a():\n    yield\n",
            "@pytest.fixture\ndef autouse():\n    yield\n",
            "class TestA:\n    @pytest.fixture(autouse=True)\n    def a(self):\n        yield\n    def setup_method(self):\n        pass\n",
            "def test_setup():\n    def setup_module():\n        pass\n",
        ] {
            assert!(outreach(text).is_empty(), "{text}");
        }
        let deep = format!("x = {}{}\n", "[".repeat(5_000), "]".repeat(5_000));
        assert!(outreach(&deep).is_empty());
    }
}
