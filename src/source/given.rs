//! Secrets in source that no name stands right beside: literals that a call gives, by place, to a parameter with a secret name,
//! and those that code comes between: a type (`password: str = "…"`), another choice (`password = read() or "…"`), a place in a
//! tuple, a comparison.

use std::ops::Range;

use tree_sitter::Node;

mod apart;

use super::tree::syntax_tree;
use crate::base::bits::is_random;
use crate::base::redact::{Holds, holds};

/// Finds them, in the order of the text. `is_secret` tells what the parameter holds that a function of this name, or a class, has
/// at a place, if its name is that of secrets; the object of a method does not count.
#[must_use]
pub fn given(source: &str, is_secret: &dyn Fn(&str, usize) -> Option<Holds>) -> Vec<Range<usize>> {
    // A method stands to the right of where a text begins.
    let head = if source.starts_with([' ', '\t']) { "if 1:\n" } else { "" };
    let whole = format!("{head}{source}");
    let Some(tree) = syntax_tree(&whole) else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "call" {
            of_call(node, &whole, is_secret, &mut found);
        }
        if let Some((value, holds)) = typed(node, &whole) {
            secrets(value, holds, &whole, &mut found);
        }
        apart::of(node, &whole, &mut found);
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    found.sort_by_key(|range: &Range<usize>| range.start);
    found.dedup();
    found.into_iter().map(|range| range.start - head.len()..range.end - head.len()).collect()
}

/// Gives what is assigned to a secret name behind its type, as a default or an attribute.
fn typed<'a>(node: Node<'a>, text: &str) -> Option<(Node<'a>, Holds)> {
    let (name, value) = match node.kind() {
        "typed_default_parameter" => ("name", "value"),
        "assignment" if node.child_by_field_name("type").is_some() => ("left", "right"),
        _ => return None,
    };
    let name = &text[node.child_by_field_name(name)?.byte_range()];
    Some((node.child_by_field_name(value)?, holds(name.rsplit('.').next().unwrap_or(name))?))
}

fn of_call(call: Node<'_>, text: &str, is_secret: &dyn Fn(&str, usize) -> Option<Holds>, found: &mut Vec<Range<usize>>) {
    let function = call.child_by_field_name("function");
    let name = function.and_then(|function| match function.kind() {
        "identifier" => Some(function),
        "attribute" => function.child_by_field_name("attribute"),
        _ => None,
    });
    let (Some(name), Some(arguments)) = (name, call.child_by_field_name("arguments")) else { return };
    let name = &text[name.byte_range()];
    let mut cursor = arguments.walk();
    let plain = arguments.named_children(&mut cursor).filter(|argument| argument.kind() != "comment");
    for (place, argument) in plain.enumerate() {
        match argument.kind() {
            // What comes behind it may be at any place.
            "keyword_argument" | "list_splat" | "dictionary_splat" => break,
            _ => {
                if let Some(holds) = is_secret(name, place) {
                    secrets(argument, holds, text, found);
                }
            }
        }
    }
}

/// Adds the literals of a value that are secrets, by what its name says that it holds.
fn secrets(value: Node<'_>, holds: Holds, text: &str, found: &mut Vec<Range<usize>>) {
    let is_count = holds != Holds::One && matches!(value.kind(), "integer" | "float");
    if !is_count {
        let first = found.len();
        literals(value, found);
        let mut at = 0;
        found.retain(|range| {
            at += 1;
            at <= first || holds != Holds::PerhapsSeveral || is_random(&text[range.clone()])
        });
    }
}

fn literals(argument: Node<'_>, found: &mut Vec<Range<usize>>) {
    match argument.kind() {
        "string" => {
            let mut cursor = argument.walk();
            let parts: Vec<Node<'_>> = argument.children(&mut cursor).collect();
            if let (Some(first), Some(last)) = (parts.first(), parts.last())
                && first.end_byte() < last.start_byte()
            {
                found.push(first.end_byte()..last.start_byte());
            }
        }
        "integer" | "float" => found.push(argument.byte_range()),
        "pair" => argument.child_by_field_name("value").into_iter().for_each(|value| literals(value, found)),
        "concatenated_string" | "parenthesized_expression" | "binary_operator" | "list" | "tuple" | "set" | "dictionary" => {
            let mut cursor = argument.walk();
            argument.named_children(&mut cursor).for_each(|part| literals(part, found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_between_a_secret_name_and_its_value_hides_nothing() {
        let source = "class A:\n    api_key: str = 'one'\n    name: str = 'two'\n\n    def f(self, password: str = 'three', *, otp: int = 4711, x: int = 5):\n        \
                      self.token: 'str' = ('si' 'x')\n        self.size: int = 7\n";
        let found: Vec<&str> = given(source, &|_, _| None).into_iter().map(|range| &source[range]).collect();
        assert_eq!(found, ["one", "three", "4711", "si", "x"]);
    }

    #[test]
    fn a_name_of_several_secrets_hides_the_literals_of_its_list_and_no_count() {
        let source = "class A:\n    api_keys: list = ['one', ('two',), {'ada': 'three'}]\n    tokens: list = ['the', 'zQ8-kd2x09']\n\n    def f(self, passwords: int = 3, \
                      max_tokens: int = 256, keys: list = ['a']):\n        login('a', ['four', 5], 6)\n";
        let place = |name: &str, place: usize| (name == "login" && place > 0).then_some(Holds::Several);
        let found: Vec<&str> = given(source, &place).into_iter().map(|range| &source[range]).collect();
        assert_eq!(found, ["one", "two", "three", "zQ8-kd2x09", "four", "5"]);
    }

    #[test]
    fn only_literals_at_the_place_of_a_secret_are_found() {
        let is_secret = |name: &str, place: usize| matches!((name, place), ("login", 1) | ("Vault", 0)).then_some(Holds::One);
        let found = |source: &str| -> Vec<String> {
            given(source, &is_secret).into_iter().map(|range| source[range].to_owned()).collect()
        };
        assert_eq!(found("    def f(self):\n        self.x.login('ada', 'hunter2', 3)\n"), ["hunter2"]);
        assert_eq!(found("login('ada', b\"\"\"a\nb\"\"\"); Vault(1234).login(a, ('x' 'y' + z))"), ["a\nb", "1234", "x", "y"]);
        assert_eq!(
            found("login(*both, 'x'); login(user='a', x=1); other('a', 'b'); login('a', read('b'), 'c'); login('a', '')"),
            [""; 0]
        );
        assert_eq!(found("login('a',  # who\n    f'{x} y', z)"), ["{x} y"]);
        assert_eq!(found("login('a', "), [""; 0]);
    }
}
