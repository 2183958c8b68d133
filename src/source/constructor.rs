//! What the text of an `__init__`, or of a setter, does with its parameters: which attribute keeps each, and what is handed on to the base class's.
//! Nothing is run: what is read here is a guess, to be tried.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::bare::bare;
use super::tree::syntax_tree;

/// Callables that give their only argument again, where it is what they gave before.
const COPIES: [&str; 16] = [
    "list",
    "tuple",
    "dict",
    "set",
    "frozenset",
    "str",
    "int",
    "float",
    "bool",
    "Path",
    "PurePath",
    "fspath",
    "abspath",
    "normpath",
    "copy",
    "deepcopy",
];
/// Methods without arguments that do the same.
const NORMALIZING: [&str; 9] = ["copy", "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "as_posix", "resolve"];

/// How an attribute keeps an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// As it is, or as an equal one: `self.x = x`, `self.x = list(x or ())`.
    Itself,
    /// Its items, in order, as items or as values: `self.by_name = {x.name: x for x in xs}`.
    Items,
}

/// What an `__init__` does with its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Constructor {
    /// The attributes that keep parameters, by the parameter; the first of several.
    pub attributes: BTreeMap<String, (String, Keeps)>,
    /// What `super().__init__` is given.
    pub base: Option<BaseCall>,
}

/// The call of a base class's `__init__`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaseCall {
    /// By place, up to a `*args`: the parameter that is handed on, if it is one.
    pub by_place: Vec<Option<String>>,
    /// By name: the same.
    pub by_name: BTreeMap<String, Option<String>>,
    /// `**kwargs` goes on to it.
    pub hands_on_keywords: bool,
}

/// Reads an `__init__`; `None` where the text is no function.
#[must_use]
pub fn constructor(text: &str) -> Option<Constructor> {
    let text = bare(text);
    let tree = syntax_tree(&text)?;
    let mut open = vec![tree.root_node()];
    let function = loop {
        let node = open.pop()?;
        if node.kind() == "function_definition" {
            break node;
        }
        let mut cursor = node.walk();
        open.extend(node.named_children(&mut cursor));
    };
    let of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let parameters = function.child_by_field_name("parameters")?;
    let receiver = of(parameters.named_child(0)?);
    let mut found = Constructor::default();
    let mut open = vec![function.child_by_field_name("body")?];
    while let Some(node) = open.pop() {
        match node.kind() {
            "function_definition" | "class_definition" | "lambda" => continue,
            "assignment" => {
                if let Some((parameter, kept)) = stored(node, receiver, &of) {
                    found.attributes.entry(parameter).or_insert(kept);
                }
            }
            "call" if found.base.is_none() => found.base = base_call(node, &of),
            _ => {}
        }
        let mut cursor = node.walk();
        let mut inner: Vec<_> = node.named_children(&mut cursor).collect();
        inner.reverse();
        open.extend(inner);
    }
    Some(found)
}

/// Reads `self.attribute = …`.
fn stored<'t>(assignment: Node<'_>, receiver: &str, of: &impl Fn(Node<'_>) -> &'t str) -> Option<(String, (String, Keeps))> {
    let left = assignment.child_by_field_name("left").filter(|left| left.kind() == "attribute")?;
    if of(left.child_by_field_name("object")?) != receiver {
        return None;
    }
    let attribute = of(left.child_by_field_name("attribute")?);
    let (parameter, keeps) = source(assignment.child_by_field_name("right")?, of)?;
    Some((parameter.to_owned(), (attribute.to_owned(), keeps)))
}

/// Finds the name whose value an expression gives.
fn source<'t>(expression: Node<'_>, of: &impl Fn(Node<'_>) -> &'t str) -> Option<(&'t str, Keeps)> {
    match expression.kind() {
        "identifier" => Some((of(expression), Keeps::Itself)),
        "parenthesized_expression" => source(expression.named_child(0)?, of),
        // `x or []`
        "boolean_operator" => source(expression.child_by_field_name("left")?, of),
        // `x if x is not None else []` and `[] if x is None else x`
        "conditional_expression" => {
            let (body, other) = (source(expression.named_child(0)?, of), source(expression.named_child(2)?, of));
            body.or(other)
        }
        "call" => {
            let (function, arguments) =
                (expression.child_by_field_name("function")?, expression.child_by_field_name("arguments")?);
            let callee = function.child_by_field_name("attribute").unwrap_or(function);
            match arguments.named_child_count() {
                0 if NORMALIZING.contains(&of(callee)) => source(function.child_by_field_name("object")?, of),
                1 if COPIES.contains(&of(callee)) => source(arguments.named_child(0)?, of),
                _ => None,
            }
        }
        "list_comprehension" | "dictionary_comprehension" | "generator_expression" => {
            let body = expression.child_by_field_name("body")?;
            let item = if body.kind() == "pair" { body.child_by_field_name("value")? } else { body };
            let clause = expression.named_child(1).filter(|clause| clause.kind() == "for_in_clause")?;
            let (name, from) = (clause.child_by_field_name("left")?, clause.child_by_field_name("right")?);
            let is_all = expression.named_child_count() == 2 && item.kind() == "identifier" && of(item) == of(name);
            (is_all && from.kind() == "identifier").then(|| (of(from), Keeps::Items))
        }
        _ => None,
    }
}

/// Reads `super().__init__(…)`.
fn base_call<'t>(call: Node<'_>, of: &impl Fn(Node<'_>) -> &'t str) -> Option<BaseCall> {
    let function = call.child_by_field_name("function").filter(|function| function.kind() == "attribute")?;
    let object = function.child_by_field_name("object").filter(|object| object.kind() == "call")?;
    if of(function.child_by_field_name("attribute")?) != "__init__" || of(object.child_by_field_name("function")?) != "super" {
        return None;
    }
    let mut base = BaseCall::default();
    let arguments = call.child_by_field_name("arguments")?;
    let handed = |node: Node<'_>| source(node, of).filter(|(_, keeps)| *keeps == Keeps::Itself).map(|(name, _)| name.to_owned());
    let mut cursor = arguments.walk();
    let mut is_counted = true;
    for argument in arguments.named_children(&mut cursor) {
        match argument.kind() {
            // The text does not show how many arguments it holds.
            "list_splat" => is_counted = false,
            "dictionary_splat" => base.hands_on_keywords = true,
            "keyword_argument" => {
                let (name, value) = (argument.child_by_field_name("name")?, argument.child_by_field_name("value")?);
                base.by_name.insert(of(name).to_owned(), handed(value));
            }
            _ if is_counted => base.by_place.push(handed(argument)),
            _ => {}
        }
    }
    Some(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes what a body was found to keep: `parameter>attribute`, `*` where it keeps the items.
    fn kept(body: &str) -> String {
        let found =
            constructor(&format!("    def __init__(self, x, y=None, **more):\n        \"\"\"Doc.\"\"\"\n        {body}\n"))
                .unwrap();
        let sign = |keeps| if keeps == Keeps::Items { "*" } else { "" };
        let said: Vec<String> =
            found.attributes.iter().map(|(name, (attribute, keeps))| format!("{}{name}>{attribute}", sign(*keeps))).collect();
        said.join(" ")
    }

    #[test]
    fn attributes_that_keep_an_argument_are_found_whatever_their_name() {
        for (body, said) in [
            ("self._x = x", "x>_x"),
            ("self.type: str = x", "x>type"),
            ("self.a = self.b = x", "x>b"),
            ("self._x = list(x or ())", "x>_x"),
            ("self._x = [] if x is None else x", "x>_x"),
            ("self._x = pathlib.Path(x)", "x>_x"),
            ("self._x = PurePath(x).as_posix()", "x>_x"),
            ("self._x = x.pop()", ""),
            ("if y:\n            self.why = y\n        self.x = x", "x>x y>why"),
            ("self.by_name = {one.name: one for one in x}", "*x>by_name"),
            ("self.all = [one for one in x]", "*x>all"),
            ("self.all = [one for one in x if one]", ""),
            ("self.all = [one.name for one in x]", ""),
            ("self.size = len(x)", ""),
            ("other.x = x", ""),
            ("def later(self):\n            self.x = x", ""),
        ] {
            assert_eq!(kept(body), said, "{body}");
        }
    }

    #[test]
    fn what_is_handed_on_to_the_base_class_is_found() {
        let base = |body: &str| constructor(&format!("def __init__(self, x, y, **more):\n    {body}\n")).unwrap().base;
        let all = BaseCall {
            by_place: vec![Some("x".into()), None],
            by_name: BTreeMap::from([("name".into(), Some("y".into())), ("size".into(), None)]),
            hands_on_keywords: true,
        };
        assert_eq!(base("super().__init__(x, 1, name=y, size=2, **more)"), Some(all));
        assert_eq!(base("super(A, self).__init__()"), Some(BaseCall::default()));
        let all = BaseCall { by_place: vec![Some("x".into())], hands_on_keywords: true, ..BaseCall::default() };
        assert_eq!(base("super().__init__(x, *y, 1, **more)"), Some(all));
        for other in ["super().setup(x)", "self.__init__(x)", "pass"] {
            assert_eq!(base(other), None, "{other}");
        }
    }
}
