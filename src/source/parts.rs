//! Pieces of a definition read off the syntax tree: parameters, docstrings, decorators, imports, the kind of binding.
//!
//! Knows nothing of scopes; the walk over them is `parse.rs`.

use tree_sitter::Node;

use crate::base::text::identifier;
use crate::domain::function::{Field, FunctionKind, Import, Param, ParamKind};

use super::decode::number;
use super::literal;
use super::tokens::joined;

/// Finds the first place that the grammar could not make sense of.
pub(super) fn first_error(root: Node<'_>) -> Option<usize> {
    let mut node = root;
    while node.has_error() && !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        node = node.children(&mut cursor).find(|child| child.has_error() || child.is_missing())?;
    }
    (node.is_error() || node.is_missing()).then(|| node.start_byte())
}

/// Tells whether Python 3 has nothing like this node, though the grammar does: it knows Python 2's statements.
pub(super) fn is_mistake(node: Node<'_>) -> bool {
    match node.kind() {
        "block" => is_empty(node),
        "print_statement" => node.named_child(0).is_none_or(|child| child.kind() != "chevron"),
        "exec_statement" => true,
        _ => false,
    }
}

/// Finds the first of these.
pub(super) fn first_mistaken(root: Node<'_>) -> Option<usize> {
    let mut cursor = root.walk();
    loop {
        if is_mistake(cursor.node()) {
            return Some(cursor.node().start_byte());
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

pub(super) fn row(row: usize) -> u32 {
    number(row + 1)
}

/// Gives the last name of a decorator: `wraps` of `functools.wraps(f)`.
pub(super) fn decorator_name(text: &str) -> Option<String> {
    let callee = text.split('(').next()?.trim();
    let name = callee.rsplit('.').next()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

pub(super) fn decorator_nodes(decorated: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = decorated.walk();
    let decorators: Vec<Node<'_>> = decorated.named_children(&mut cursor).filter(|child| child.kind() == "decorator").collect();
    decorators
        .into_iter()
        .filter_map(|decorator| {
            let mut cursor = decorator.walk();
            decorator.named_children(&mut cursor).find(|child| child.kind() != "comment")
        })
        .collect()
}

pub(super) fn is_empty(block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    !block.named_children(&mut cursor).any(|child| child.kind() != "comment")
}

pub(super) fn unwrap_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        let mut cursor = node.walk();
        let Some(inner) = node.named_children(&mut cursor).find(|child| child.kind() != "comment") else { break };
        node = inner;
    }
    node
}

/// Finds the docstring of a body: the id of its statement and its value, not dedented.
pub(super) fn docstring(body: Node<'_>, source: &str) -> Option<(usize, String)> {
    let mut cursor = body.walk();
    let statement = body.named_children(&mut cursor).find(|child| child.kind() != "comment")?;
    if statement.kind() != "expression_statement" {
        return None;
    }
    let mut inner = statement.walk();
    let mut children = statement.children(&mut inner).filter(|child| child.kind() != "comment");
    let only = unwrap_parentheses(children.next().filter(|_| children.next().is_none())?);
    let value = match only.kind() {
        "string" => literal::string(source.get(only.byte_range())?),
        "concatenated_string" => joined(only, source)?,
        _ => return None,
    };
    (!value.bytes && !value.formatted).then_some((statement.id(), value.value))
}

/// Tells whether an `if` is `if __name__ == "__main__"`.
pub(super) fn is_main_guard(node: Node<'_>, source: &str) -> bool {
    let text_of = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default();
    let Some(condition) = node.child_by_field_name("condition") else { return false };
    let condition = unwrap_parentheses(condition);
    if condition.kind() != "comparison_operator" || condition.child_count() != 3 {
        return false;
    }
    let part = |index| condition.child(index).map_or("", |child| text_of(child));
    let is_name = |text: &str| literal::string(text).value == "__main__" && text.ends_with(['"', '\'']);
    part(1) == "==" && ((part(0) == "__name__" && is_name(part(2))) || (part(2) == "__name__" && is_name(part(0))))
}

/// Gives the name that an expression begins with: `lib` of `lib.registry.add(x)`.
pub(super) fn first_name(node: Node<'_>, source: &str) -> Option<String> {
    let mut node = node;
    while let Some(inner) = ["object", "value", "function"].iter().find_map(|field| node.child_by_field_name(field)) {
        node = inner;
    }
    (node.kind() == "identifier").then(|| source.get(node.byte_range()).unwrap_or_default().to_owned())
}

/// Lists the annotated and assigned names of a class's body.
pub(super) fn fields(body: Node<'_>, source: &str) -> Vec<Field> {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default().to_owned();
    let mut cursor = body.walk();
    body.named_children(&mut cursor)
        .filter(|child| child.kind() == "expression_statement")
        .filter_map(|statement| statement.named_child(0))
        .filter(|node| node.kind() == "assignment")
        .filter_map(|node| {
            let name = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
            Some(Field {
                name: text(name),
                annotation: node.child_by_field_name("type").map(text),
                value: node.child_by_field_name("right").map(text),
            })
        })
        .collect()
}

pub(super) fn kind(name: &str, decorators: &[String], params: &[Param], in_class: bool, in_function: bool) -> FunctionKind {
    if !in_class {
        return if in_function { FunctionKind::Nested } else { FunctionKind::Function };
    }
    for decorator in decorators {
        match decorator_name(decorator).unwrap_or_default().as_str() {
            "staticmethod" => return FunctionKind::StaticMethod,
            "classmethod" => return FunctionKind::ClassMethod,
            "property" => return FunctionKind::Property,
            "setter" | "getter" | "deleter" if decorator.contains('.') => return FunctionKind::Property,
            // Other descriptors are known by their names; what takes more than its instance is called.
            last if params.len() == 1 && (last.ends_with("property") || last == "reify") => return FunctionKind::Property,
            _ => {}
        }
    }
    match name {
        "__new__" => FunctionKind::StaticMethod,
        "__init_subclass__" | "__class_getitem__" => FunctionKind::ClassMethod,
        _ => FunctionKind::Method,
    }
}

pub(super) fn params(list: Node<'_>, source: &str) -> Vec<Param> {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default().to_owned();
    let mut params: Vec<Param> = Vec::new();
    let mut kind = ParamKind::PositionalOrKeyword;
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        let named = match child.kind() {
            "identifier" | "list_splat_pattern" | "dictionary_splat_pattern" => Some(child),
            "typed_parameter" => {
                let mut inner = child.walk();
                child.named_children(&mut inner).find(|part| part.kind() != "comment")
            }
            "default_parameter" | "typed_default_parameter" => child.child_by_field_name("name"),
            "keyword_separator" => {
                kind = ParamKind::KeywordOnly;
                None
            }
            "positional_separator" => {
                params.iter_mut().for_each(|param| param.kind = ParamKind::PositionalOnly);
                None
            }
            _ => None,
        };
        let Some(named) = named else { continue };
        let own = match named.kind() {
            "list_splat_pattern" => ParamKind::VarPositional,
            "dictionary_splat_pattern" => ParamKind::VarKeyword,
            _ => kind,
        };
        if own == ParamKind::VarPositional {
            kind = ParamKind::KeywordOnly;
        }
        params.push(Param {
            name: identifier(text(named).trim_start_matches(['*', ' '])).into_owned(),
            kind: own,
            annotation: child.child_by_field_name("type").map(text),
            default: child.child_by_field_name("value").map(text),
        });
    }
    params
}

/// Reads the names that an assignment to `__all__` lists, as far as it writes them out; `None` for any other assignment.
pub(super) fn exported(assignment: Node<'_>, source: &str) -> Option<Vec<String>> {
    let text = |node: Node<'_>| source.get(node.byte_range()).unwrap_or_default().to_owned();
    assignment.child_by_field_name("left").filter(|left| text(*left) == "__all__")?;
    let listed = assignment.child_by_field_name("right").filter(|right| matches!(right.kind(), "list" | "tuple"));
    let items = listed.map_or_else(Vec::new, |list| list.named_children(&mut list.walk()).collect());
    Some(items.into_iter().filter(|item| item.kind() == "string").map(|item| literal::string(&text(item)).value).collect())
}

pub(super) fn imports(statement: Node<'_>, source: &str) -> Vec<Import> {
    let text = |node: Node<'_>| {
        let raw = source.get(node.byte_range()).unwrap_or_default();
        identifier(&raw.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect::<String>()).into_owned()
    };
    let line = row(statement.start_position().row);
    let from = match statement.kind() {
        "future_import_statement" => Some("__future__".to_owned()),
        "import_from_statement" => statement.child_by_field_name("module_name").map(text),
        _ => None,
    };
    let mut found = Vec::new();
    let mut cursor = statement.walk();
    for child in statement.children_by_field_name("name", &mut cursor) {
        let (name, alias) = match child.kind() {
            "aliased_import" => (child.child_by_field_name("name").map(text), child.child_by_field_name("alias").map(text)),
            _ => (Some(text(child)), None),
        };
        let Some(name) = name else { continue };
        found.push(match &from {
            Some(module) => Import { module: module.clone(), name: Some(name), alias, line },
            None => Import { module: name, name: None, alias, line },
        });
    }
    let mut cursor = statement.walk();
    if let (Some(module), true) = (from, statement.named_children(&mut cursor).any(|child| child.kind() == "wildcard_import")) {
        found.push(Import { module, name: Some("*".into()), alias: None, line });
    }
    found
}
