//! Names that a module's own statements give values: which of them an edit changes, and which functions read them. Found in the text;
//! nothing is run.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::index::Index;
use super::tree::syntax_tree;
use crate::domain::function::{FunctionId, Module};

/// Gives the names whose plain assignments (`RATE = 3`) are all that differs outside of functions between two texts of a module; `None` where
/// more differs, and where code that runs on import reads such a name itself.
#[must_use]
pub fn edited_names(old: &str, new: &str) -> Option<BTreeSet<String>> {
    let (old, new) = (Outside::of(old)?, Outside::of(new)?);
    let all = old.assigned.keys().chain(new.assigned.keys());
    let names: BTreeSet<String> = all.filter(|name| old.assigned.get(*name) != new.assigned.get(*name)).cloned().collect();
    let is_read = names.iter().any(|name| old.read.contains(name) || new.read.contains(name));
    (old.rest == new.rest && !is_read && !names.is_empty()).then_some(names)
}

/// Lists the functions whose text has one of these names of a module, in it and in what may import it; `None` where code there that runs on
/// import has one. The list is empty for a name that is looked up otherwise, as a framework looks up its settings.
#[must_use]
pub fn readers(index: &Index, of: &str, names: &BTreeSet<String>) -> Option<BTreeSet<FunctionId>> {
    let mut found = BTreeSet::new();
    for module in index.modules().filter(|module| module.name == of || may_import(module, of)) {
        let Some(text) = index.text(&module.path) else { continue };
        if !names.iter().any(|name| has_word(&text, name)) {
            continue;
        }
        if !names.is_disjoint(&Outside::of(&text)?.read) {
            return None;
        }
        found.extend(functions_with(module, &text, names));
    }
    Some(found)
}

/// Tells whether a module imports another one, or something of a package that it is in, which may hand on its names.
fn may_import(module: &Module, other: &str) -> bool {
    module.imports.iter().any(|import| {
        let rest = other.strip_prefix(import.module.as_str());
        import.module.starts_with('.') || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn functions_with(module: &Module, text: &str, names: &BTreeSet<String>) -> impl Iterator<Item = FunctionId> {
    let lines: Vec<bool> = text.lines().map(|line| names.iter().any(|name| has_word(line, name))).collect();
    module.functions.iter().filter_map(move |function| {
        let first = (function.span.first as usize).saturating_sub(1);
        let last = (function.span.last as usize).min(lines.len());
        lines.get(first..last)?.contains(&true).then(|| function.id.clone())
    })
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

/// What a module does outside of its functions.
#[derive(Default)]
struct Outside {
    /// The values of names that one plain assignment binds.
    assigned: BTreeMap<String, String>,
    /// All other statements.
    rest: Vec<String>,
    /// The names that are read, but for those of functions.
    read: BTreeSet<String>,
}

impl Outside {
    fn of(text: &str) -> Option<Self> {
        let tree = syntax_tree(text)?;
        let mut outside = Self::default();
        let mut cursor = tree.root_node().walk();
        for statement in tree.root_node().named_children(&mut cursor) {
            outside.add(statement, text);
        }
        Some(outside)
    }

    fn add(&mut self, statement: Node<'_>, text: &str) {
        let of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default().to_owned();
        if let Some((name, value)) = assignment(statement) {
            self.read(value, text);
            if self.assigned.insert(of(name), of(value)).is_none() {
                return;
            }
        }
        match statement.kind() {
            "comment" | "function_definition" => {}
            "decorated_definition" if statement.child_by_field_name("definition").is_some_and(is_function) => {}
            "import_statement" | "import_from_statement" | "future_import_statement" => self.rest.push(of(statement)),
            _ => {
                let mut said = String::new();
                self.tell(statement, text, &mut said);
                self.rest.push(said);
            }
        }
    }

    /// Writes what a statement says outside of functions.
    fn tell(&mut self, node: Node<'_>, text: &str, said: &mut String) {
        if is_function(node) || node.kind() == "comment" {
            return;
        }
        if node.child_count() == 0 {
            said.push_str(text.get(node.byte_range()).unwrap_or_default());
            said.push(' ');
        }
        self.note(node, text);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.tell(child, text, said);
        }
    }

    fn read(&mut self, node: Node<'_>, text: &str) {
        self.note(node, text);
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.read(child, text);
        }
    }

    fn note(&mut self, node: Node<'_>, text: &str) {
        if node.kind() == "identifier" {
            self.read.insert(text.get(node.byte_range()).unwrap_or_default().to_owned());
        }
    }
}

/// Gives the name and the value of a plain assignment.
fn assignment(statement: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let one = statement.named_child(0).filter(|one| statement.kind() == "expression_statement" && one.kind() == "assignment")?;
    let (name, value) = (one.child_by_field_name("left")?, one.child_by_field_name("right")?);
    (name.kind() == "identifier" && value.kind() != "assignment").then_some((name, value))
}

fn is_function(node: Node<'_>) -> bool {
    node.kind() == "function_definition"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(old: &str, new: &str) -> Option<Vec<String>> {
        edited_names(old, new).map(|names| names.into_iter().collect())
    }

    #[test]
    fn plain_assignments_are_told_from_other_code() {
        let module = "import os\n\nRATE = 2\nNAME: str = 'a'\n\ndef f(x=RATE):\n    return x\n\nclass A:\n    def g(self):\n        return NAME\n";
        assert_eq!(names(module, &module.replace("= 2", "= 3")), Some(vec!["RATE".into()]));
        assert_eq!(
            names(module, &module.replace("'a'", "'b'").replace("return NAME", "return NAME + ''")),
            Some(vec!["NAME".into()])
        );
        assert_eq!(names(module, &module.replace("import os", "import sys")), None);
        assert_eq!(names(module, &module.replace("class A:", "class A:\n    more = 1")), None);
        assert_eq!(names(module, module), None);
    }

    #[test]
    fn a_name_that_is_read_on_import_or_bound_twice_is_none_of_them() {
        assert_eq!(names("A = 1\nB = A\n", "A = 2\nB = A\n"), None);
        assert_eq!(names("A = 1\nif x:\n    A = 3\n", "A = 2\nif x:\n    A = 3\n"), None);
        assert_eq!(names("A = 1\nA = 3\n", "A = 2\nA = 3\n"), None, "the second one counts");
        assert_eq!(names("A = 1\nclass B:\n    size = A\n", "A = 2\nclass B:\n    size = A\n"), None);
        assert_eq!(names("A = B = 1\n", "A = B = 2\n"), None);
    }

    #[test]
    fn words_end_where_names_end() {
        assert!(has_word("x = RATE * 2", "RATE") && has_word("RATE", "RATE") && has_word("m.RATE", "RATE"));
        assert!(!has_word("RATES", "RATE") && !has_word("MY_RATE", "RATE") && !has_word("RATE_2", "RATE"));
    }
}
