//! From text to tree-sitter's tree: in bounded time, and with what Python has and the grammar lacks hidden from it.
//!
//! That is defaults of type parameters (`class Box[T = int]`): they become blanks of the same length, so that every
//! position stays right.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

/// A file that takes longer than this is given up and marked: no text of 2 MiB should.
const PARSE_MAX: Duration = Duration::from_secs(10);

/// Parses text; `None` when it takes too long.
pub(super) fn syntax_tree(text: &str) -> Option<Tree> {
    let tree = plain_tree(text)?;
    if tree.root_node().has_error()
        && let Some(other) = without_type_defaults(text).and_then(|text| plain_tree(&text))
        && !other.root_node().has_error()
    {
        return Some(other);
    }
    Some(tree)
}

/// Tells whether a text is one Python expression, as `eval` takes it; also where it takes too long to tell.
#[must_use]
pub fn is_expression(text: &str) -> bool {
    let Some(tree) = plain_tree(text.trim()) else { return true };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let statements: Vec<_> = root.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
    let [statement] = statements.as_slice() else { return false };
    let assigns = statement.named_child(0).is_some_and(|inner| inner.kind().contains("assignment"));
    !root.has_error() && statement.kind() == "expression_statement" && !assigns
}

fn plain_tree(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).ok()?;
    let begin = Instant::now();
    let mut in_time = |_: &tree_sitter::ParseState| {
        if begin.elapsed() > PARSE_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut in_time)),
    )
}

/// Blanks the defaults of type parameters; `None` when there are none.
fn without_type_defaults(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut changed = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(bracket) = type_parameters(line) {
            changed |= blank_defaults(&mut bytes, at + bracket);
        }
        at += line.len();
    }
    if !changed {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Finds the bracket behind `class Name`, `def name` or `type Name` at the start of a line.
fn type_parameters(line: &str) -> Option<usize> {
    let code = line.trim_start();
    let code = code.strip_prefix("async").map_or(code, str::trim_start);
    let name = ["class", "def", "type"].iter().find_map(|word| code.strip_prefix(word)?.strip_prefix([' ', '\t']))?;
    let rest = name.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
    rest.starts_with('[').then(|| line.len() - rest.len())
}

fn blank_defaults(bytes: &mut [u8], bracket: usize) -> bool {
    let mut depth = 0usize;
    let mut hiding = false;
    let mut changed = false;
    let mut quote = None;
    let mut at = bracket;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match (quote, byte) {
            (Some(open), _) => quote = (byte != open).then_some(open),
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[' | b'(' | b'{') => depth += 1,
            (None, b']' | b')' | b'}') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            (None, b',') if depth == 1 => hiding = false,
            (None, b'=') if depth == 1 && next != Some(b'=') => {
                hiding = true;
                changed = true;
            }
            _ => {}
        }
        if hiding && byte != b'\n' {
            bytes[at] = b' ';
        }
        at += 1;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_defaults_of_type_parameters_are_hidden() {
        let blank = |text: &str| " ".repeat(text.len());
        assert_eq!(
            without_type_defaults("class A[T = dict[str, int], *Ts = *tuple[int]](B, x=1): ...\n"),
            Some(format!("class A[T {}, *Ts {}](B, x=1): ...\n", blank("= dict[str, int]"), blank("= *tuple[int]")))
        );
        assert_eq!(without_type_defaults("def f(a=1): x[a] = 2\ntype X[T] = int\nclass_[a] = 1\n"), None);
    }
}
