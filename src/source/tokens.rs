//! The shape of a piece of code as bytes to be hashed, and the names it uses.
//!
//! Comments, formatting, positions, quotes, spellings of numbers and needless parentheses leave no trace.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::literal;

/// The kind of `name=value` in a call: [`Shape::enter`] takes the name, so walks go on from the second child.
pub(super) const KEYWORD: &str = "keyword_argument";

/// Collects the shape of some nodes.
#[derive(Default)]
pub(super) struct Shape {
    bytes: Vec<u8>,
    /// A tuple in parentheses that says no more than its commas would: `a[(b, c)]`.
    bare: Option<usize>,
    /// Bare names.
    pub names: BTreeSet<String>,
    /// Names after a dot.
    pub attributes: BTreeSet<String>,
}

/// What to do with a node's children, and after them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing below it counts, or it was taken whole.
    Over,
    /// Its children count as if they stood in its place.
    Through,
    /// Its children count, then [`Shape::close`].
    Into,
}

impl Shape {
    pub fn digest(&self) -> crate::base::hash::Digest {
        crate::base::hash::of(&self.bytes)
    }

    /// Adds a word that no node stands for.
    pub fn word(&mut self, kind: &str, text: &str) {
        self.bytes.extend_from_slice(kind.as_bytes());
        self.bytes.push(0);
        self.bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Ends a node that was entered by [`Step::Into`].
    pub fn close(&mut self) {
        self.bytes.push(1);
    }

    fn open(&mut self, kind: &str) -> Step {
        self.bytes.push(2);
        self.bytes.extend_from_slice(kind.as_bytes());
        self.bytes.push(0);
        Step::Into
    }

    /// Takes up one node; `field` is the name its parent has for it.
    pub fn enter(&mut self, node: Node<'_>, field: Option<&str>, source: &str) -> Step {
        let text = || source.get(node.byte_range()).unwrap_or_default();
        match node.kind() {
            "comment" | "line_continuation" => Step::Over,
            "(" | ")" | "[" | "]" | "{" | "}" | "," | ";" | "string_end" => Step::Over,
            "parenthesized_expression" => Step::Through,
            "identifier" => {
                self.word("name", text());
                match field {
                    Some("attribute") => drop(self.attributes.insert(text().to_owned())),
                    _ => drop(self.names.insert(text().to_owned())),
                }
                Step::Over
            }
            // The name of a keyword belongs to the one who is called.
            // Whoever walks skips the first child.
            KEYWORD => {
                let name = node.child_by_field_name("name").and_then(|name| source.get(name.byte_range()));
                self.word("keyword", name.unwrap_or_default());
                self.open("value")
            }
            "=" => Step::Over,
            "integer" | "float" => {
                self.word("number", &literal::number(text()));
                Step::Over
            }
            "string" => {
                let value = literal::string(text());
                if value.formatted {
                    return self.open("formatted");
                }
                self.word(if value.bytes { "bytes" } else { "string" }, &value.value);
                Step::Over
            }
            "concatenated_string" => match joined(node, source) {
                Some(value) => {
                    self.word(if value.bytes { "bytes" } else { "string" }, &value.value);
                    Step::Over
                }
                None => self.open("joined"),
            },
            "string_start" => {
                let prefix: String = text().chars().filter(char::is_ascii_alphabetic).collect();
                self.word("prefix", &prefix.to_ascii_lowercase());
                Step::Over
            }
            "string_content" | "type_conversion" | "import_prefix" => {
                self.word("text", text());
                Step::Over
            }
            // `f"{x = }"` prints its own source.
            "interpolation" if has_child(node, "=") => {
                self.word("verbatim", text());
                self.open("interpolation")
            }
            "format_specifier" => {
                self.word("format", text());
                Step::Through
            }
            // `f(x for x in y)` and `f((x for x in y))`
            "argument_list" if only_child(node).is_some_and(|child| child.kind() == "generator_expression") => Step::Through,
            "expression_list" => self.open("tuple"),
            "pattern_list" => self.open("tuple_pattern"),
            // Here alone a comma makes a tuple without a node that says so.
            "subscript" if !has_child(node, ",") && lone_tuple(node).is_some() => {
                self.bare = lone_tuple(node);
                self.word("comma", "");
                self.open("subscript")
            }
            "tuple" if self.bare == Some(node.id()) => Step::Through,
            kind @ ("subscript" | "match_statement" | "case_clause" | "expression_statement") => {
                if has_child(node, ",") {
                    self.word("comma", "");
                }
                self.open(kind)
            }
            kind if node.child_count() == 0 => {
                self.word("token", kind);
                Step::Over
            }
            kind => self.open(kind),
        }
    }

    /// Takes up a node and all below it; nothing in it may define functions or classes.
    pub fn absorb(&mut self, root: Node<'_>, source: &str) {
        let mut cursor = root.walk();
        let mut open = Vec::new();
        loop {
            let node = cursor.node();
            let step = self.enter(node, cursor.field_name(), source);
            if step != Step::Over && cursor.goto_first_child() {
                if node.kind() == KEYWORD {
                    cursor.goto_next_sibling();
                }
                open.push(step);
                continue;
            }
            if step == Step::Into {
                self.close();
            }
            loop {
                if open.is_empty() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                cursor.goto_parent();
                if open.pop() == Some(Step::Into) {
                    self.close();
                }
            }
        }
    }

    /// Gives the names that may belong to something outside: all but those of parameters, and all after a dot.
    pub fn uses(&self, parameters: &[&str]) -> BTreeSet<String> {
        let mut uses: BTreeSet<String> = self.names.iter().filter(|name| !parameters.contains(&name.as_str())).cloned().collect();
        uses.extend(self.attributes.iter().cloned());
        uses
    }
}

/// Joins adjacent plain strings, as the compiler does.
pub(super) fn joined(node: Node<'_>, source: &str) -> Option<literal::Literal> {
    let mut whole: Option<literal::Literal> = None;
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor).filter(|child| child.kind() == "string") {
        let part = literal::string(source.get(child.byte_range())?);
        if part.formatted {
            return None;
        }
        match &mut whole {
            None => whole = Some(part),
            Some(whole) if whole.bytes == part.bytes => whole.value.push_str(&part.value),
            Some(_) => return None,
        }
    }
    whole
}

/// Gives the id of a subscript's tuple in parentheses.
fn lone_tuple(subscript: Node<'_>) -> Option<usize> {
    let inner = subscript.child_by_field_name("subscript").filter(|inner| inner.kind() == "tuple");
    inner.filter(|tuple| tuple.named_child_count() > 0).map(|tuple| tuple.id())
}

fn only_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    children.next().filter(|_| children.next().is_none())
}

fn has_child(node: Node<'_>, kind: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == kind)
}

#[cfg(test)]
mod tests {
    use crate::base::paths::RelPath;
    use crate::domain::function::Function;
    use crate::source::parse::parse;

    fn function(text: &str) -> Function {
        parse(&RelPath::new("shop/cart.py").unwrap(), text.as_bytes(), "shop.cart", "").functions.remove(0)
    }

    #[test]
    fn what_does_not_matter_leaves_the_fingerprint() {
        let plain = function("def f(a, b=1000):\n    return g('x' 'y', (a + b) * 2)\n");
        for same in [
            "# top\n\n\ndef f(a, b=1_000):  # why\n    # inside\n    return g(\"xy\", (a + b) * 0x2)\n    # tail\n",
            "def f(\n    a,\n    b=1000,\n):\n    return (g(\n        'x'\n        'y', (a+b)*2,\n    ))\n",
            "def f(a, b=1000): return g(u'xy', ((a) + b) * 2)\r\n",
        ] {
            assert_eq!(function(same).fingerprint, plain.fingerprint, "{same}");
        }
    }

    #[test]
    fn what_matters_is_in_its_part_of_the_fingerprint() {
        let text = "@d\ndef f(a, b=1):\n    \"\"\"Doc.\"\"\"\n    def inner():\n        return 1\n    if a:\n        b()\n        c()\n    return inner\n";
        let old = function(text).fingerprint;
        let differs = |from: &str, to: &str| {
            let new = function(&text.replace(from, to)).fingerprint;
            (old.signature != new.signature, old.doc != new.doc, old.body != new.body)
        };
        assert_eq!(differs("b=1", "b=2"), (true, false, false));
        assert_eq!(differs("@d\n", "@e\n"), (true, false, false));
        assert_eq!(differs("def f", "async def f"), (true, false, false));
        assert_eq!(differs("Doc.", "Dog."), (false, true, false));
        assert_eq!(differs("        c()\n", "    c()\n"), (false, false, true), "indentation is meaning");
        assert_eq!(differs("return 1", "return 2"), (false, false, false), "a nested function has its own");
        assert_eq!(differs("if a", "if (a, )"), (false, false, true));
    }

    #[test]
    fn commas_that_make_tuples_count() {
        let body = |expression: &str| function(&format!("def f():\n    return {expression}\n")).fingerprint.body;
        for (one, other) in
            [("a[1]", "a[1,]"), ("(a)", "(a,)"), ("a[1:]", "a[:1]"), ("f'{x}'", "f'{x=}'"), ("1", "1.0"), ("'1'", "b'1'")]
        {
            assert_ne!(body(one), body(other), "{one} {other}");
        }
        for (one, other) in [
            ("(a, b)", "a, b"),
            ("a[(b, c)]", "a[b, c]"),
            ("f(x for x in y)", "f((x for x in y))"),
            ("f(a)", "f(a,)"),
            ("a[1, 2]", "a[1, 2,]"),
            ("f'a{x}'", "f\"a{x}\""),
        ] {
            assert_eq!(body(one), body(other), "{one} {other}");
        }
    }
}
