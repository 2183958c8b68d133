//! Where code says `Union[…]`, which linters would write as `… | …`: on most Pythons that makes another object.

use tree_sitter::Node;

use super::tree;

/// What tells ruff that the other form is not meant.
const KEPT: &str = "  # noqa: UP007";

/// Gives code in which each line with a `Union[…]` tells linters to leave it as it is.
#[must_use]
pub fn kept(code: &str) -> String {
    let mut rows = Vec::new();
    if code.contains("Union[")
        && let Some(tree) = tree::syntax_tree(code)
    {
        find(tree.root_node(), code, &mut rows);
    }
    let line = |(row, line): (usize, &str)| {
        // Behind the start of a long text stands no comment.
        if rows.contains(&row) && !line.contains("\"\"\"") { format!("{line}{KEPT}") } else { line.to_owned() }
    };
    let lines: Vec<String> = code.split('\n').enumerate().map(line).collect();
    lines.join("\n")
}

fn find(node: Node<'_>, code: &str, rows: &mut Vec<usize>) {
    if node.kind() == "subscript"
        && let Some(base) = node.child_by_field_name("value")
        && code.get(base.byte_range()).is_some_and(|base| base == "Union" || base.ends_with(".Union"))
    {
        rows.push(node.start_position().row);
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        find(child, code, rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_are_marked_in_code_and_nowhere_else() {
        let code = "@mark(\n    Union[int, None],\n)\ndef test_a():\n    \"\"\"Union[int]\"\"\"\n    assert f(typing.Union[int, str]) == \"Union[x]\"\n";
        let marked = code.replace("None],", "None],  # noqa: UP007").replace("== \"Union[x]\"", "== \"Union[x]\"  # noqa: UP007");
        assert_eq!(kept(code), marked);
        assert_eq!(kept("a = \"Union[int]\"\n"), "a = \"Union[int]\"\n");
    }
}
