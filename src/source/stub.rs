//! A module as a type stub: its text with bodies left out and types put in. Which types is the caller's affair.
//!
//! Everything that a checker reads stays as it is written: imports, classes, decorators, assignments. A stub hides its
//! module, so what it leaves out would be missed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use super::decode::number;
use super::tree::syntax_tree;

/// What is to be put into the signature of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Types by parameter; those that are annotated already are left alone.
    pub params: BTreeMap<String, String>,
    /// The type of the result, where none is written.
    pub returns: Option<String>,
    /// It is an asynchronous generator: without its body only a plain `def` says so.
    pub yields_asynchronously: bool,
}

/// What is known of a module's functions and classes.
pub trait Known {
    /// Gives the hints for the function whose `def` stands on this line.
    fn function(&self, def_line: u32) -> Option<Hints>;
    /// Gives the type of an instance attribute of a class, by its qualified name.
    fn attribute(&self, class: &str, name: &str) -> Option<String>;
    /// Gives the type of what nothing is known of.
    fn unknown(&self) -> String;
}

/// Writes the stub of a module; `None` when its text does not parse.
#[must_use]
pub fn stub(text: &str, known: &impl Known) -> Option<String> {
    let tree = syntax_tree(text)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut walk = Walk { text, known, edits: Vec::new() };
    walk.block(tree.root_node(), "", true);
    Some(walk.finish())
}

struct Walk<'a, K> {
    text: &'a str,
    known: &'a K,
    /// Ranges of the text and what stands there instead.
    edits: Vec<(Range<usize>, String)>,
}

impl<K: Known> Walk<'_, K> {
    /// Goes through the statements of a module or a class; tells whether any is left.
    fn block(&mut self, block: Node<'_>, class: &str, is_module: bool) -> bool {
        let mut cursor = block.walk();
        let mut left = false;
        for statement in block.named_children(&mut cursor) {
            let stays = match statement.kind() {
                "comment" => false,
                "function_definition" => self.function(statement),
                "class_definition" => self.class(statement, class),
                "decorated_definition" => match statement.child_by_field_name("definition") {
                    Some(inner) if inner.kind() == "class_definition" => self.class(inner, class),
                    Some(inner) => self.function(inner),
                    None => true,
                },
                "if_statement" if is_module && self.is_main_guard(statement) => false,
                "if_statement" | "try_statement" => self.branches(statement, class),
                "expression_statement" => is_declaration(statement),
                "for_statement" | "while_statement" | "with_statement" | "delete_statement" | "assert_statement"
                | "raise_statement" | "match_statement" => false,
                _ => true,
            };
            if !stays && statement.kind() != "comment" {
                self.remove(statement);
            }
            left |= stays;
        }
        left
    }

    /// Goes through the blocks of `if` and `try`, which stay whole: each needs a statement.
    fn branches(&mut self, statement: Node<'_>, class: &str) -> bool {
        let mut cursor = statement.walk();
        for child in statement.named_children(&mut cursor) {
            match child.kind() {
                "block" if !self.block(child, class, false) => {
                    self.edits.push((child.start_byte()..child.start_byte(), "pass\n".into()));
                }
                "elif_clause" | "else_clause" | "except_clause" | "finally_clause" => {
                    self.branches(child, class);
                }
                _ => {}
            }
        }
        true
    }

    fn class(&mut self, class: Node<'_>, outer: &str) -> bool {
        let (Some(name), Some(body)) = (class.child_by_field_name("name"), class.child_by_field_name("body")) else {
            return true;
        };
        let name = self.of(name);
        let qualname = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
        let attributes = self.attributes(body, &qualname);
        let indent = " ".repeat(body.start_position().column);
        let on_own_lines = body.start_position().row > class.start_position().row;
        let left = self.block(body, &qualname, false);
        let mut lines: Vec<String> = attributes.into_iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        if !left && lines.is_empty() {
            lines.push("...".into());
        }
        if on_own_lines && !lines.is_empty() {
            let text: String = lines.iter().map(|line| format!("{line}\n{indent}")).collect();
            self.edits.push((body.start_byte()..body.start_byte(), text));
        }
        true
    }

    /// Lists attributes that methods give to their instances and the class body does not name, with their types.
    fn attributes(&self, body: Node<'_>, class: &str) -> Vec<(String, String)> {
        let mut named = BTreeSet::new();
        let mut given: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut cursor = body.walk();
        for statement in body.named_children(&mut cursor) {
            let definition = statement.child_by_field_name("definition").unwrap_or(statement);
            match definition.kind() {
                "function_definition" => {
                    named.extend(definition.child_by_field_name("name").map(|name| self.of(name).to_owned()));
                    if let Some(receiver) = self.receiver(definition) {
                        self.given(definition, &receiver, &mut given);
                    }
                }
                "class_definition" => named.extend(definition.child_by_field_name("name").map(|name| self.of(name).to_owned())),
                "expression_statement" => {
                    let target = definition.named_child(0).and_then(|child| child.child_by_field_name("left"));
                    named.extend(target.map(|target| self.of(target).to_owned()));
                }
                _ => {}
            }
        }
        let new = given.into_iter().filter(|(name, _)| !named.contains(name));
        new.map(|(name, written)| {
            let ty = written.or_else(|| self.known.attribute(class, &name)).unwrap_or_else(|| self.known.unknown());
            (name, ty)
        })
        .collect()
    }

    fn receiver(&self, function: Node<'_>) -> Option<String> {
        let first = function.child_by_field_name("parameters")?.named_child(0)?;
        (first.kind() == "identifier").then(|| self.of(first).to_owned())
    }

    /// Finds `self.name = …` and `self.name: T = …`, in nested blocks too.
    fn given(&self, node: Node<'_>, receiver: &str, found: &mut BTreeMap<String, Option<String>>) {
        if node.kind() == "assignment"
            && let Some(left) = node.child_by_field_name("left")
        {
            let mut targets = vec![left];
            while let Some(target) = targets.pop() {
                let mut cursor = target.walk();
                match target.kind() {
                    "pattern_list" | "tuple_pattern" | "list_pattern" => targets.extend(target.named_children(&mut cursor)),
                    "attribute" => {
                        let parts = (target.child_by_field_name("object"), target.child_by_field_name("attribute"));
                        if let (Some(object), Some(name)) = parts
                            && object.kind() == "identifier"
                            && self.of(object) == receiver
                        {
                            let written = node.child_by_field_name("type").map(|ty| self.of(ty).to_owned());
                            let entry = found.entry(self.of(name).to_owned()).or_default();
                            *entry = entry.take().or(written);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if child.kind() != "class_definition" {
                self.given(child, receiver, found);
            }
        }
    }

    fn function(&mut self, function: Node<'_>) -> bool {
        let parts = (function.child_by_field_name("parameters"), function.child_by_field_name("body"));
        let (Some(parameters), Some(body)) = parts else { return true };
        let hints = self.known.function(number(function.start_position().row + 1)).unwrap_or_default();
        self.parameters(parameters, &hints);
        let written = function.child_by_field_name("return_type");
        let before_colon = written.map_or(parameters.end_byte(), |ty| ty.end_byte());
        let returns = hints.returns.filter(|_| written.is_none()).map_or_else(String::new, |ty| format!(" -> {ty}"));
        self.edits.push((before_colon..body.end_byte(), format!("{returns}: ...")));
        if hints.yields_asynchronously && self.of(function).starts_with("async") {
            let def = self.of(function).find("def").unwrap_or(0);
            self.edits.push((function.start_byte()..function.start_byte() + def, String::new()));
        }
        true
    }

    fn parameters(&mut self, parameters: Node<'_>, hints: &Hints) {
        let mut cursor = parameters.walk();
        for parameter in parameters.named_children(&mut cursor) {
            let (name, value) = match parameter.kind() {
                "identifier" => (parameter, None),
                "default_parameter" => {
                    let Some(name) = parameter.child_by_field_name("name") else { continue };
                    (name, parameter.child_by_field_name("value"))
                }
                "list_splat_pattern" | "dictionary_splat_pattern" => match parameter.named_child(0) {
                    Some(name) => (name, None),
                    None => continue,
                },
                _ => continue,
            };
            let Some(ty) = hints.params.get(self.of(name)) else { continue };
            match value {
                None => self.edits.push((name.end_byte()..name.end_byte(), format!(": {ty}"))),
                Some(value) => self.edits.push((name.end_byte()..value.start_byte(), format!(": {ty} = "))),
            }
        }
    }

    fn is_main_guard(&self, statement: Node<'_>) -> bool {
        statement.child_by_field_name("condition").is_some_and(|condition| self.of(condition).contains("__name__"))
    }

    /// Removes a statement with its line end.
    fn remove(&mut self, statement: Node<'_>) {
        let rest = &self.text[statement.end_byte()..];
        let alone = rest.find('\n').filter(|end| rest[..*end].trim().is_empty()).map_or(0, |end| end + 1);
        self.edits.push((statement.start_byte()..statement.end_byte() + alone, String::new()));
    }

    fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Makes the edits; comments and runs of blank lines go.
    fn finish(mut self) -> String {
        // Stable: what is put at one place keeps its order, and comes before what takes that place.
        self.edits.sort_by_key(|(range, _)| (range.start, range.end > range.start));
        let mut out = String::new();
        let mut at = 0;
        for (range, with) in self.edits {
            if range.start < at {
                continue;
            }
            out.push_str(&self.text[at..range.start]);
            out.push_str(&with);
            at = range.end;
        }
        out.push_str(&self.text[at..]);
        tidy(&out)
    }
}

/// Tells whether an expression statement declares something: an assignment or an annotation.
fn is_declaration(statement: Node<'_>) -> bool {
    statement.named_child(0).is_some_and(|child| child.kind() == "assignment")
}

fn tidy(text: &str) -> String {
    let mut out = String::new();
    let mut blank = false;
    for line in text.lines().map(str::trim_end) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        if line.is_empty() {
            blank = !out.is_empty();
            continue;
        }
        if blank && !line.starts_with(' ') {
            out.push('\n');
        }
        blank = false;
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    struct Given;

    impl Known for Given {
        fn function(&self, def_line: u32) -> Option<Hints> {
            let params = |names: &[(&str, &str)]| names.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned())).collect();
            Some(match def_line {
                9 => Hints { params: params(&[("name", "str"), ("rest", "int"), ("more", "float")]), ..Hints::default() },
                14 => Hints {
                    params: params(&[("x", "int"), ("y", "int | None")]),
                    returns: Some("str".into()),
                    ..Hints::default()
                },
                22 => Hints { returns: Some("AsyncIterator[int]".into()), yields_asynchronously: true, ..Hints::default() },
                _ => return None,
            })
        }

        fn attribute(&self, class: &str, name: &str) -> Option<String> {
            (class == "Cart" && name == "items").then(|| "list[str]".into())
        }

        fn unknown(&self) -> String {
            "Any".into()
        }
    }

    const SOURCE: &str = "\"\"\"Doc.\"\"\"\nimport os\nfrom a import b  # why\n\nRATE = 1\nprint(RATE)\n\nclass Cart(Base, metaclass=M):\n    def __init__(self, name, *rest, **more):\n        self.items = []\n        self.name: str = name\n        self.name, self.other = name, 2\n    @property\n    def total(self, x, y=None): return str(x)\n    kind = 'k'\n    class Inner:\n        'doc'\n\n@deco(1)\ndef plain(a: int) -> int:\n    def inner(): pass\nasync def gen():\n    yield 1\nif os.name == 'nt':\n    print('x')\nelse:\n    def only(): return 1\nfor x in b:\n    pass\nif __name__ == '__main__':\n    plain(1)\n";

    #[test]
    fn bodies_go_and_types_come() {
        let stub = stub(SOURCE, &Given).unwrap();
        let expected = "import os\nfrom a import b  # why\n\nRATE = 1\n\nclass Cart(Base, metaclass=M):\n    items: list[str]\n    name: str\n    other: Any\n    def __init__(self, name: str, *rest: int, **more: float): ...\n    @property\n    def total(self, x: int, y: int | None = None) -> str: ...\n    kind = 'k'\n    class Inner:\n        ...\n\n@deco(1)\ndef plain(a: int) -> int: ...\ndef gen() -> AsyncIterator[int]: ...\nif os.name == 'nt':\n    pass\nelse:\n    def only(): ...\n";
        assert_eq!(stub, expected);
        assert!(!syntax_tree(&stub).unwrap().root_node().has_error());
    }

    #[test]
    fn a_text_that_does_not_parse_has_no_stub() {
        assert_eq!(super::stub("def f(:\n", &Given), None);
    }
}
