//! The names that a definition reads and does not bind itself: what has to be there where it is repeated. Found in the text;
//! nothing is run.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::tree::syntax_tree;

/// Lists the names that a text reads and binds nowhere; `None` where it changes names of others (`global`, `nonlocal`).
#[must_use]
pub fn free_names(text: &str) -> Option<BTreeSet<String>> {
    let (read, bound) = names(text)?;
    Some(read.difference(&bound).cloned().collect())
}

/// Lists the names that a text reads, bound there or not; `None` where it changes names of others.
#[must_use]
pub fn read_names(text: &str) -> Option<BTreeSet<String>> {
    names(text).map(|(read, _)| read)
}

/// Lists the names that a text reads, and those that it binds.
fn names(text: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let tree = syntax_tree(text)?;
    let (mut read, mut bound) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        match node.kind() {
            "global_statement" | "nonlocal_statement" => return None,
            "identifier" if is_name(node) => {
                let names = if binds(node) { &mut bound } else { &mut read };
                names.insert(text.get(node.byte_range()).unwrap_or_default().to_owned());
            }
            _ => {}
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    Some((read, bound))
}

/// Tells whether an identifier stands for a variable: it is no attribute and no name of an argument.
fn is_name(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "attribute" => is("object"),
        "keyword_argument" => is("value"),
        "dotted_name" => false,
        _ => true,
    }
}

/// Tells whether an identifier gets a value where it stands.
fn binds(node: Node<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent() {
        let is = |field: &str| parent.child_by_field_name(field) == Some(node);
        match parent.kind() {
            "function_definition" | "class_definition" => return is("name"),
            "parameters" | "lambda_parameters" => return true,
            "default_parameter" | "typed_default_parameter" | "named_expression" if !is("name") => return false,
            "named_expression" | "default_parameter" | "typed_default_parameter" => return true,
            "typed_parameter" => return !is("type"),
            "assignment" | "for_statement" | "for_in_clause" => return is("left"),
            "as_pattern_target" => return true,
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "parenthesized_expression"
            | "expression_list"
            | "tuple"
            | "list" => node = parent,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_read_where_the_body_names_it_and_not_where_it_gets_a_value() {
        let read = |body: &str| read_names(&format!("def f(a, b=c):\n    {body}\n")).is_some_and(|names| names.contains("a"));
        for body in ["return a", "a += 1", "del a", "return f'{a}'", "return lambda: a", "x.y = a", "return g(k=a)", "return a.b"]
        {
            assert!(read(body), "{body}");
        }
        for body in ["return b", "a = 1", "return b.a", "return g(a=1)", "return 'a'", "for a in b: pass"] {
            assert!(!read(body), "{body}");
        }
    }

    #[test]
    fn what_a_definition_does_not_bind_itself_is_free() {
        let cases = [
            ("class Page(paging.Pages):\n    size = LARGE\n    name = 'x'\n", "LARGE paging"),
            (
                "class A(B, meta=C):\n    def run(self, x: D, *args, y=E, **more) -> F:\n        z = x\n        return z + G.h(k=I)\n",
                "B C D E F G I",
            ),
            ("class A:\n    one = field()\n    all = [a.b for a in one if (c := a)]\n", "field"),
            (
                "@mark\ndef f():\n    with open(p) as (q, r):\n        for i, j in q:\n            yield lambda w: i + j + r + w\n",
                "mark open p",
            ),
            ("class Meta:\n    fields = ['a']\n    class Inner(Meta):\n        pass\n", ""),
            ("def f():\n    try:\n        pass\n    except Wrong as error:\n        raise Other from error\n", "Other Wrong"),
        ];
        for (text, expected) in cases {
            let found = free_names(text).unwrap();
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
        assert_eq!(free_names("def f():\n    nonlocal x\n    x = 1\n"), None);
    }
}
