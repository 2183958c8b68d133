//! Dicts with many keys that a module keeps under a name of its own, as the defaults of settings are.

use tree_sitter::Node;

use super::tree::syntax_tree;
use super::{claims, literal};
use crate::domain::value::Value;

/// A dict with fewer keys is written out as quickly.
const KEYS_MIN: usize = 12;

/// A module's dict, as its text tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// The name in the module.
    pub name: String,
    /// Its keys, with their values where these are plain ones.
    pub items: Vec<(String, Option<Value>)>,
}

/// Lists the dicts with many keys, all of them texts, that stand in a module under a name that is bound once.
#[must_use]
pub fn mappings(text: &str) -> Vec<Mapping> {
    let Some(tree) = text.contains('{').then(|| syntax_tree(text)).flatten() else { return Vec::new() };
    let mut cursor = tree.root_node().walk();
    let of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let mut found: Vec<Mapping> = Vec::new();
    let mut bound: Vec<String> = Vec::new();
    for statement in tree.root_node().named_children(&mut cursor) {
        let assignment = statement.named_child(0).filter(|one| one.kind() == "assignment");
        let Some((name, value)) =
            assignment.and_then(|one| Some((one.child_by_field_name("left")?, one.child_by_field_name("right")?)))
        else {
            continue;
        };
        bound.push(of(name).to_owned());
        if name.kind() == "identifier"
            && value.kind() == "dictionary"
            && value.named_child_count() >= KEYS_MIN
            && let Some(items) = items(value, &of)
        {
            found.push(Mapping { name: of(name).to_owned(), items });
        }
    }
    found.retain(|mapping| bound.iter().filter(|name| **name == mapping.name).count() == 1);
    found
}

/// Reads the items of a dict; `None` where a key is no text, or other dicts are spread into it.
fn items<'t>(dict: Node<'_>, of: &impl Fn(Node<'_>) -> &'t str) -> Option<Vec<(String, Option<Value>)>> {
    let mut cursor = dict.walk();
    let mut items: Vec<(String, Option<Value>)> = Vec::new();
    for pair in dict.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
        let key = pair.child_by_field_name("key").filter(|key| key.kind() == "string")?;
        let key = literal::string(of(key));
        if key.bytes || key.formatted || items.iter().any(|(known, _)| *known == key.value) {
            return None;
        }
        items.push((key.value, claims::value(of(pair.child_by_field_name("value")?))));
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dicts_of_settings_are_read_as_far_as_they_are_plain() {
        let more: String = (0..12).map(|n| format!("    'N{n}': {n},\n")).collect();
        let text = format!(
            "import os\nDEFAULTS = {{\n    'PATH': os.curdir,  # a comment\n    \"LIST\": ['a'],\n{more}}}\n\
             FEW = {{'a': 1}}\nTWICE = {{\n{more}}}\nTWICE = {{\n{more}}}\nSPREAD = {{**DEFAULTS,\n{more}}}\n\
             def f():\n    INNER = {{\n{more}}}\n"
        );
        let found = mappings(&text);
        assert_eq!(found.iter().map(|mapping| mapping.name.as_str()).collect::<Vec<_>>(), ["DEFAULTS"]);
        let items = &found[0].items;
        assert_eq!((items.len(), &items[0]), (14, &("PATH".to_owned(), None)));
        assert_eq!(items[1], ("LIST".to_owned(), Some(Value::List(vec![Value::Str("a".into())]))));
        assert_eq!(items[13], ("N11".to_owned(), Some(Value::Int(11.into()))));
    }
}
