//! Where the docstring of a function stands in its file, to the byte: what a careful writer needs to add to it.

use std::ops::Range;

use tree_sitter::Node;

use super::tree::syntax_tree;

/// A docstring as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docstring {
    /// The whole literal.
    pub literal: Range<usize>,
    /// What stands between the quotes.
    pub content: Range<usize>,
    /// The letters before the quotes.
    pub prefix: String,
    /// The quotes.
    pub quotes: String,
    /// The blanks it is indented by.
    pub indent: String,
}

/// Finds the docstring of the function whose `def` stands on this line, counted from 1; `None` where there is none, or it
/// stands on the line of the `def`, or is put together from several literals.
#[must_use]
pub fn docstring(text: &str, def_line: u32) -> Option<Docstring> {
    let tree = syntax_tree(text)?;
    let row = usize::try_from(def_line).ok()?.checked_sub(1)?;
    let function = function_on(tree.root_node(), row)?;
    let body = function.child_by_field_name("body")?;
    let mut cursor = body.walk();
    let statement = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    let literal = statement.named_child(0).filter(|child| statement.named_child_count() == 1 && child.kind() == "string")?;
    let mut cursor = literal.walk();
    let parts: Vec<Node<'_>> = literal.children(&mut cursor).collect();
    let (start, end) = (parts.first()?, parts.last()?);
    if start.kind() != "string_start" || end.kind() != "string_end" || parts.iter().any(|part| part.kind() == "interpolation") {
        return None;
    }
    let opening = text.get(start.byte_range())?;
    let (prefix, quotes) = opening.split_at(opening.find(['"', '\''])?);
    if prefix.contains(['b', 'B', 'f', 'F', 't', 'T']) {
        return None;
    }
    let line = text[..literal.start_byte()].rfind('\n').map_or(0, |at| at + 1);
    let indent = text.get(line..literal.start_byte())?;
    indent.chars().all(|c| matches!(c, ' ' | '\t')).then(|| Docstring {
        literal: literal.byte_range(),
        content: start.end_byte()..end.start_byte(),
        prefix: prefix.to_owned(),
        quotes: quotes.to_owned(),
        indent: indent.to_owned(),
    })
}

fn function_on(root: Node<'_>, row: usize) -> Option<Node<'_>> {
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.kind() == "function_definition" && node.start_position().row == row {
            return Some(node);
        }
        let mut cursor = node.walk();
        let around = |child: &Node<'_>| child.start_position().row <= row && child.end_position().row >= row;
        open.extend(node.named_children(&mut cursor).filter(around));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_docstring_is_found_to_the_byte() {
        let text = "class K:\n    @a\n    async def f(self):\n        # why\n        r'''Adds \\d.\n\n        More.'''\n        return 1\n";
        let found = docstring(text, 3).unwrap();
        assert_eq!(&text[found.content.clone()], "Adds \\d.\n\n        More.");
        assert_eq!((found.prefix.as_str(), found.quotes.as_str(), found.indent.as_str()), ("r", "'''", "        "));
        assert_eq!(&text[found.literal], "r'''Adds \\d.\n\n        More.'''");
    }

    #[test]
    fn what_is_no_plain_docstring_is_left_alone() {
        for text in [
            "def f():\n    return 1\n",
            "def f(): 'x'\n",
            "def f():\n    'a' 'b'\n",
            "def f():\n    b'a'\n",
            "def f():\n    f'a{1}'\n",
            "def f():\n    'a'.strip()\n",
            "x = 1\n",
            "",
        ] {
            assert_eq!(docstring(text, 1), None, "{text}");
        }
        assert_eq!(docstring("def f():\n    'a'\n", 2), None);
    }
}
