//! The statements of a file that can be edited apart from each other: each at the top level, and each in the body of a
//! class. What is in a function belongs to the function.

use std::ops::Range;

use tree_sitter::Node;

use crate::base::hash::{self, Digest};

use super::parts::docstring;
use super::tokens::Shape;
use super::tree::syntax_tree;

/// A statement, or what a class says before its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// Its lines, counted from 0; a comment above it is not in it.
    pub lines: Range<usize>,
    /// Hash of its code: layout, comments and quotes leave no trace. A docstring has that of nothing.
    pub digest: Digest,
}

/// Lists the statements of a text in its order; none where it cannot be read.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    if let Some(tree) = syntax_tree(text) {
        collect(tree.root_node(), text, &mut found);
    }
    found
}

fn collect(body: Node<'_>, text: &str, found: &mut Vec<Statement>) {
    let docstring = docstring(body, text).map(|(statement, _)| statement);
    let mut cursor = body.walk();
    for node in body.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
        let class = match node.kind() {
            "decorated_definition" => node.child_by_field_name("definition"),
            _ => Some(node),
        };
        let inner = class.filter(|class| class.kind() == "class_definition").and_then(|class| class.child_by_field_name("body"));
        let Some(inner) = inner else {
            let digest = if docstring == Some(node.id()) { hash::of(b"") } else { digest(&[node], text) };
            found.push(Statement { lines: rows(node), digest });
            continue;
        };
        let mut parts = node.walk();
        let decorators = node.children(&mut parts).filter(|part| part.kind() == "decorator");
        let mut own = class.into_iter().flat_map(|class| (0..class.child_count()).filter_map(move |at| class.child(at as u32)));
        let header: Vec<Node<'_>> = decorators.chain(own.by_ref().filter(|part| part.id() != inner.id())).collect();
        let first = node.start_position().row;
        // A class on one line is one statement.
        let end = header.last().map_or(first, |part| part.end_position().row) + 1;
        found.push(Statement { lines: first..end, digest: digest(&header, text) });
        collect(inner, text, found);
    }
}

fn digest(nodes: &[Node<'_>], text: &str) -> Digest {
    let mut shape = Shape::default();
    nodes.iter().for_each(|node| shape.absorb(*node, text));
    shape.digest()
}

fn rows(node: Node<'_>) -> Range<usize> {
    let end = node.end_position();
    // Some nodes end with the line's end.
    node.start_position().row..end.row + usize::from(end.column > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_their_lines() {
        let text = "\"\"\"Doc.\"\"\"\nimport a\n\n# why\nX = (\n    1\n)\n\n@d\nclass C(\n    B\n):\n    \"\"\"Doc.\"\"\"\n\n    Y = 2\n\n    def m(self):\n        pass\n\n    class D: pass\n";
        let lines: Vec<_> = statements(text).into_iter().map(|statement| statement.lines).collect();
        assert_eq!(lines, [0..1, 1..2, 4..7, 8..12, 12..13, 14..15, 16..18, 19..20, 19..20]);
    }

    #[test]
    fn layout_and_docstrings_leave_no_trace_and_code_does() {
        let digests = |text: &str| -> Vec<Digest> { statements(text).into_iter().map(|statement| statement.digest).collect() };
        let text = "'Doc.'\nX = [1, 2]\nclass C(B):\n    'Doc.'\n    Y = 1\n";
        let same = "'Other.'\n# new\nX = [\n    1,\n    2,\n]\nclass C(B):  # why\n    'Another.'\n    Y = 0x1\n";
        assert_eq!(digests(text), digests(same));
        for (at, from, to) in [(1, "[1, 2]", "[1, 3]"), (2, "(B)", "(D)"), (4, "Y = 1", "Y = 2")] {
            let differs: Vec<usize> = digests(text)
                .iter()
                .zip(digests(&text.replace(from, to)))
                .enumerate()
                .filter(|(_, (a, b))| *a != b)
                .map(|(n, _)| n)
                .collect();
            assert_eq!(differs, [at], "{from} {to}");
        }
    }
}
