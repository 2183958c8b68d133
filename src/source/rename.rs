//! Names that a test file binds at its top level, and other names for them: so that two texts can stand in one file.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::parts::decorator_nodes;
use super::tokens::Shape;
use super::tree::syntax_tree;
use crate::base::hash::Digest;

/// Calls whose texts name fixtures and parameters.
const BY_NAME: &[&str] = &["usefixtures", "getfixturevalue", "parametrize"];

/// Gives the functions, classes and variables of a text's top level, with a hash of the statement that binds each last.
#[must_use]
pub fn bound(text: &str) -> BTreeMap<String, Digest> {
    let Some(tree) = syntax_tree(text) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for statement in children(tree.root_node()) {
        let mut shape = Shape::default();
        shape.absorb(statement, text);
        for name in binds(statement, text) {
            found.insert(name.to_owned(), shape.digest());
        }
    }
    found
}

/// Gives a text in which other names stand for some of its top level.
#[must_use]
pub fn renamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let Some(tree) = syntax_tree(text) else { return text.to_owned() };
    let fixtures = children(tree.root_node()).into_iter().filter(|node| is_fixture(*node, text));
    let fixtures = fixtures.flat_map(|node| binds(node, text)).collect();
    let mut renaming = Renaming { text, names, fixtures, edits: Vec::new() };
    renaming.walk(tree.root_node());
    let mut out = text.to_owned();
    for (range, name) in renaming.edits.into_iter().rev() {
        out.replace_range(range, &name);
    }
    out
}

/// Lists what a statement binds.
fn binds<'t>(statement: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let definition = statement.child_by_field_name("definition").unwrap_or(statement);
    let source = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    match definition.kind() {
        "function_definition" | "class_definition" => definition.child_by_field_name("name").map(source).into_iter().collect(),
        "expression_statement" => {
            let left = statement.named_child(0).filter(|node| node.kind() == "assignment");
            let left = left.and_then(|assignment| assignment.child_by_field_name("left"));
            let names = left.map(|left| match left.kind() {
                "identifier" => vec![left],
                "pattern_list" | "tuple_pattern" | "list_pattern" => children(left),
                _ => Vec::new(),
            });
            names.into_iter().flatten().filter(|node| node.kind() == "identifier").map(source).collect()
        }
        _ => Vec::new(),
    }
}

fn is_fixture(definition: Node<'_>, text: &str) -> bool {
    let decorators = decorator_nodes(definition);
    decorators.iter().any(|decorator| text.get(decorator.byte_range()).is_some_and(|text| text.contains("fixture")))
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

struct Renaming<'a> {
    text: &'a str,
    names: &'a BTreeMap<String, String>,
    fixtures: Vec<&'a str>,
    edits: Vec<(std::ops::Range<usize>, String)>,
}

impl Renaming<'_> {
    /// Visits every node in the order of the text; nothing recurses, whatever the text nests.
    fn walk(&mut self, root: Node<'_>) {
        let mut cursor = root.walk();
        loop {
            let node = cursor.node();
            match node.kind() {
                "identifier" => self.identifier(node),
                "string_content" => self.by_name(node),
                _ => {}
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    fn source(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn identifier(&mut self, node: Node<'_>) {
        let Some(name) = self.names.get(self.source(node)) else { return };
        let name = name.clone();
        let is = |parent: Node<'_>, field: &str| parent.child_by_field_name(field) == Some(node);
        let stays = node.parent().is_some_and(|parent| match parent.kind() {
            // A name behind a dot, before `=` in a call, or of a module is another one.
            "attribute" => is(parent, "attribute"),
            "keyword_argument" => is(parent, "name"),
            "dotted_name" | "aliased_import" => true,
            _ => false,
        });
        if !stays && !self.is_local(node) {
            self.edits.push((node.byte_range(), name));
        }
    }

    /// Tells whether a name is a parameter around this place that is none of the fixtures.
    fn is_local(&self, node: Node<'_>) -> bool {
        let name = self.source(node);
        let mut above = node.parent();
        while let Some(around) = above {
            let is_function = matches!(around.kind(), "function_definition" | "lambda");
            let params = around.child_by_field_name("parameters").filter(|_| is_function).map(children).unwrap_or_default();
            let own = around.child_by_field_name("name") == Some(node);
            let takes = |param: &Node<'_>| {
                let bare = if param.kind() == "identifier" { Some(*param) } else { param.child_by_field_name("name") };
                bare.or_else(|| param.named_child(0)).is_some_and(|bare| self.source(bare) == name)
            };
            if !own && params.iter().any(takes) {
                let called = around.child_by_field_name("name").map_or("", |name| self.source(name));
                let definition = around.parent().filter(|parent| parent.kind() == "decorated_definition").unwrap_or(around);
                let is_pytests = called.starts_with("test") || is_fixture(definition, self.text);
                return !(is_pytests && self.fixtures.contains(&name));
            }
            above = around.parent();
        }
        false
    }

    /// Renames words in the texts by which pytest is told of fixtures.
    fn by_name(&mut self, node: Node<'_>) {
        let call = std::iter::successors(node.parent(), Node::parent).find(|around| around.kind() == "call");
        let called = call.and_then(|call| call.child_by_field_name("function")).map_or("", |function| self.source(function));
        let called = called.rsplit('.').next().unwrap_or_default();
        let arguments = call.and_then(|call| call.child_by_field_name("arguments"));
        let is_value = arguments.and_then(|arguments| arguments.named_child(1)).is_some_and(|second| {
            called == "parametrize" && second.kind() != "keyword_argument" && second.byte_range().contains(&node.start_byte())
        });
        if !BY_NAME.contains(&called) || is_value {
            return;
        }
        let (start, text) = (node.start_byte(), self.source(node).to_owned());
        let mut at = 0;
        for word in text.split(',') {
            let bare = word.trim();
            if self.fixtures.contains(&bare)
                && let Some(name) = self.names.get(bare)
            {
                let begin = start + at + word.len() - word.trim_start().len();
                self.edits.push((begin..begin + bare.len(), name.clone()));
            }
            at += word.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_level_is_what_a_file_binds() {
        let text =
            "import a\nA, b = 1, 2\nC: int = 3\n\n@pytest.fixture\ndef db():\n    x = 1\n\nclass T:\n    y = 2\n\ndb.z = 4\n";
        assert_eq!(bound(text).into_keys().collect::<Vec<_>>(), ["A", "C", "T", "b", "db"]);
        assert_eq!(bound("A = 1\n")["A"], bound("A  =  1  # so\n")["A"]);
        assert_ne!(bound("A = 1\n")["A"], bound("A = 2\n")["A"]);
    }

    #[test]
    fn a_name_is_changed_wherever_it_means_the_same_and_nowhere_else() {
        let text = "LIMIT = 3\n\n\n@pytest.fixture\ndef db(tmp_path):\n    return make(db=LIMIT)\n\n\ndef make(db):\n    return [db for db in [db]]\n\n\n@pytest.mark.usefixtures(\"db\")\n@pytest.mark.parametrize(\"db, n\", [(1, 'db')], indirect=[\"db\"])\ndef test_a(db, n):\n    from x import db as y\n    assert db.db(LIMIT) == f'{db}' and other.db\n    assert (lambda LIMIT: LIMIT)(LIMIT)\n\n\ndef test_b(request):\n    assert request.getfixturevalue('db')\n";
        let names = [("db", "db_for_save"), ("LIMIT", "LIMIT_FOR_SAVE"), ("test_a", "test_save_a")];
        let names = names.map(|(old, new)| (old.to_owned(), new.to_owned())).into();
        let expected = "LIMIT_FOR_SAVE = 3\n\n\n@pytest.fixture\ndef db_for_save(tmp_path):\n    return make(db=LIMIT_FOR_SAVE)\n\n\ndef make(db):\n    return [db for db in [db]]\n\n\n@pytest.mark.usefixtures(\"db_for_save\")\n@pytest.mark.parametrize(\"db_for_save, n\", [(1, 'db')], indirect=[\"db_for_save\"])\ndef test_save_a(db_for_save, n):\n    from x import db as y\n    assert db_for_save.db(LIMIT_FOR_SAVE) == f'{db_for_save}' and other.db\n    assert (lambda LIMIT: LIMIT)(LIMIT_FOR_SAVE)\n\n\ndef test_b(request):\n    assert request.getfixturevalue('db_for_save')\n";
        assert_eq!(renamed(text, &names), expected);
    }
}
