//! How a function writes its calls of another one: which arguments by place, and which by name. Found in the text; nothing is
//! run.

use tree_sitter::Node;

use super::needs::definition;
use super::tree::syntax_tree;

/// How the arguments of a call are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Form {
    /// So many by place.
    pub by_place: usize,
    /// These by name, in order.
    pub by_name: Vec<String>,
}

/// Lists the forms in which a text calls what it knows by one of these last names, each once: in the function whose `def`
/// stands on a line, or, without one, outside of all functions; `None` where a call hands on what it was given itself (`*args`).
#[must_use]
pub fn forms(text: &str, def: Option<u32>, names: &[&str]) -> Option<Vec<Form>> {
    let tree = syntax_tree(text)?;
    let root = match def {
        Some(def) => definition(tree.root_node(), def)?.child_by_field_name("body")?,
        None => tree.root_node(),
    };
    let mut found: Vec<Form> = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.kind() == "call" && names.iter().any(|name| is_of(node, text, name)) {
            let form = form_of(node, text)?;
            if !found.contains(&form) {
                found.push(form);
            }
        }
        if def.is_none() && node.kind() == "function_definition" {
            continue;
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    Some(found)
}

/// Finds the one form in which the function whose `def` stands on a line of a text calls what it knows by this last name;
/// `None` where it calls it in several, or hands on what it was given itself (`*args`).
#[must_use]
pub fn form(text: &str, def: u32, name: &str) -> Option<Form> {
    let tree = syntax_tree(text)?;
    let body = definition(tree.root_node(), def)?.child_by_field_name("body")?;
    let mut found: Option<Form> = None;
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        if node.kind() == "call" && is_of(node, text, name) {
            let form = form_of(node, text)?;
            if found.as_ref().is_some_and(|other| *other != form) {
                return None;
            }
            found = Some(form);
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    }
    found
}

fn is_of(call: Node<'_>, text: &str, name: &str) -> bool {
    let Some(function) = call.child_by_field_name("function") else { return false };
    let last = if function.kind() == "attribute" { function.child_by_field_name("attribute") } else { Some(function) };
    last.is_some_and(|last| text.get(last.byte_range()) == Some(name))
}

fn form_of(call: Node<'_>, text: &str) -> Option<Form> {
    let arguments = call.child_by_field_name("arguments")?;
    if arguments.kind() == "generator_expression" {
        return Some(Form { by_place: 1, by_name: Vec::new() });
    }
    let mut form = Form::default();
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        match argument.kind() {
            "comment" => {}
            "list_splat" | "dictionary_splat" => return None,
            "keyword_argument" => {
                form.by_name.push(text.get(argument.child_by_field_name("name")?.byte_range())?.to_owned());
            }
            _ => form.by_place += 1,
        }
    }
    Some(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_place_are_found() {
        let text =
            "import x\n\nx.get(1)\n\ndef f(a):\n    get(a, n=2)\n    get(a, n=3)\n    Cart(1, 2)\n\nclass A:\n    b = get()\n";
        let said = |def: Option<u32>, names: &[&str]| {
            forms(text, def, names).map(|forms| {
                let mut said: Vec<_> = forms.iter().map(|form| (form.by_place, form.by_name.join(" "))).collect();
                said.sort();
                said
            })
        };
        let form = |places, names: &str| (places, names.to_owned());
        assert_eq!(said(Some(5), &["get"]), Some(vec![form(1, "n")]));
        assert_eq!(said(Some(5), &["get", "Cart"]), Some(vec![form(1, "n"), form(2, "")]));
        assert_eq!(said(None, &["get"]), Some(vec![form(0, ""), form(1, "")]));
        assert_eq!(forms("get(*a)\n", None, &["get"]), None);
    }

    #[test]
    fn calls_are_found_with_the_way_they_are_written() {
        let said = |body: &str| {
            let text = format!("import x\n\ndef f(self, a, **more):\n    {body}\n\ndef g():\n    get(1, 2, 3)\n");
            form(&text, 3, "get").map(|form| (form.by_place, form.by_name.join(" ")))
        };
        let (one, named) = (Some((1, String::new())), Some((1, "timeout".to_owned())));
        assert_eq!(said("return get(a)"), one);
        assert_eq!(said("return [self.api.get(a,) for _ in a]"), one);
        assert_eq!(said("return get(i for i in a)"), one);
        assert_eq!(said("get(a, timeout=3)\n    get(1, timeout=4)"), named);
        for unclear in ["get(a)\n    get(a, 1)", "get(*a)", "get(a, **more)", "other(a)"] {
            assert_eq!(said(unclear), None, "{unclear}");
        }
    }
}
