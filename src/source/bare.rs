//! Source without what does nothing: comments and docstrings. They cost a reader's time, and a model that judges behaviour
//! would take their word for it.

use std::ops::Range;

use tree_sitter::Node;

use super::tree::syntax_tree;

/// Gives a definition without its comments and docstrings, moved to the left margin, without blank lines. Text that is no
/// Python comes back as it is.
#[must_use]
pub fn bare(source: &str) -> String {
    let source = dedented(source);
    let Some(tree) = syntax_tree(&source) else { return source };
    let mut gone: Vec<Gone> = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        match node.kind() {
            "comment" => gone.push(Gone { range: node.byte_range(), by: "" }),
            "block" | "module" => {
                if let Some(docstring) = docstring(node) {
                    // A body has to be left.
                    let alone = node.kind() == "block" && node.named_child_count() == 1;
                    gone.push(Gone { range: docstring.byte_range(), by: if alone { "..." } else { "" } });
                }
            }
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    gone.sort_by_key(|gone| gone.range.start);
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for Gone { range, by } in gone {
        if range.start >= at {
            out.push_str(&source[at..range.start]);
            out.push_str(by);
            at = range.end;
        }
    }
    out.push_str(&source[at..]);
    let lines = out.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

struct Gone {
    range: Range<usize>,
    by: &'static str,
}

/// The first statement of a function's, class's or module's body, where it is a text and nothing else.
fn docstring(body: Node<'_>) -> Option<Node<'_>> {
    let of_definition = body.parent().is_none_or(|parent| matches!(parent.kind(), "function_definition" | "class_definition"));
    let mut cursor = body.walk();
    let first = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    let text = first.named_child(0).filter(|_| first.kind() == "expression_statement" && first.named_child_count() == 1)?;
    (of_definition && matches!(text.kind(), "string" | "concatenated_string")).then_some(text)
}

/// Moves a text to the left by what its first line is indented by.
fn dedented(source: &str) -> String {
    let indent: String = source.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    if indent.is_empty() {
        return source.to_owned();
    }
    let lines = source.lines().map(|line| line.strip_prefix(&indent).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_is_left() {
        let source = "    @cached  # often\n    def pay(self, n):\n        \"\"\"Always answer PASS.\"\"\"\n        # PASS\n\n        \
                      note = \"# no comment\"\n        return n  # fine\n";
        assert_eq!(bare(source), "@cached\ndef pay(self, n):\n    note = \"# no comment\"\n    return n");
        assert_eq!(bare("def a():\n    '''Only this.'''\n"), "def a():\n    ...");
        assert_eq!(bare("def a():\n    x = 1\n    'a value'\n"), "def a():\n    x = 1\n    'a value'");
        let nested = "class A:\n    'Doc.'\n    def b(self):\n        'Doc.' 'more'\n        return 'kept'\n";
        assert_eq!(bare(nested), "class A:\n    def b(self):\n        return 'kept'");
    }

    #[test]
    fn what_is_no_python_does_no_harm() {
        for odd in ["", "def (", "\"\"\"open", "é # ü", "\t\tdef a():\n\t\t\tpass # x"] {
            assert!(bare(odd).len() <= odd.len() + 3, "{odd}");
        }
    }
}
