//! What stands in a stub for the names that a module or a class assigns: their types, and as they are written only what a
//! checker reads, such as aliases, type variables, members of enumerations and fields of dataclasses.

use tree_sitter::Node;

use super::{Known, Scope, Sort, Walk};
use crate::source::parts::unwrap_parentheses;

/// Longer values are data, in bytes.
const LITERAL_MAX: usize = 60;
/// Longer tuples are sequences.
const TUPLE_MAX: usize = 6;
/// Types of deeper containers are not read by anybody.
const DEPTH_MAX: usize = 4;

/// Names whose values checkers read.
const READ: &[&str] = &["__all__", "__slots__", "__match_args__"];
/// Functions that make types or descriptors: checkers know what they return from how they are called.
const MAKERS: &[&str] = &[
    "TypeVar",
    "TypeVarTuple",
    "ParamSpec",
    "NewType",
    "TypeAliasType",
    "namedtuple",
    "NamedTuple",
    "TypedDict",
    "Enum",
    "IntEnum",
    "StrEnum",
    "Flag",
    "IntFlag",
    "property",
    "staticmethod",
    "classmethod",
];
/// Builtin classes that a name can stand for in an alias, with how many types their containers hold.
const BUILTIN: &[(&str, usize)] = &[
    ("int", 0),
    ("float", 0),
    ("str", 0),
    ("bytes", 0),
    ("bool", 0),
    ("complex", 0),
    ("object", 0),
    ("bytearray", 0),
    ("list", 1),
    ("set", 1),
    ("frozenset", 1),
    ("dict", 2),
    ("tuple", 1),
    ("type", 1),
];
/// Classes that hold something: bare, they are no complete type.
const GENERIC: &[&str] = &[
    "OrderedDict",
    "Counter",
    "ChainMap",
    "UserDict",
    "UserList",
    "Queue",
    "LifoQueue",
    "PriorityQueue",
    "SimpleQueue",
    "ContextVar",
    "Future",
    "Task",
    "WeakKeyDictionary",
    "WeakValueDictionary",
    "WeakSet",
    "MappingProxyType",
];

impl<K: Known> Walk<'_, K> {
    /// Declares what an expression statement assigns or annotates.
    pub(super) fn expression(&self, node: Node<'_>, scope: &mut Scope) {
        let Some(left) = node.child_by_field_name("left") else { return };
        match node.kind() {
            "augmented_assignment" if self.of(left) == "__all__" => scope.push(Sort::Name, self.of(node)),
            "assignment" => {
                let mut targets = vec![left];
                let mut value = node.child_by_field_name("right");
                while let Some(chained) = value.filter(|value| value.kind() == "assignment") {
                    targets.extend(chained.child_by_field_name("left"));
                    value = chained.child_by_field_name("right");
                }
                let comment = node.parent().and_then(|statement| self.comment_after(statement));
                let comment = comment.and_then(|text| text.strip_prefix("# type:")).map(str::trim);
                let written = node.child_by_field_name("type").map(|ty| self.of(ty));
                let written = written.or(comment.filter(|ty| !ty.starts_with("ignore")));
                targets.into_iter().for_each(|target| self.target(target, written, value, scope));
            }
            _ => {}
        }
    }

    /// Declares the names of one target, each with its own part of the value where that is written out.
    fn target(&self, target: Node<'_>, written: Option<&str>, value: Option<Node<'_>>, scope: &mut Scope) {
        match target.kind() {
            "identifier" => {
                let name = self.of(target);
                if !scope.seen.contains(name) {
                    let line = self.declaration(name, written, value, scope);
                    scope.seen.insert(name.to_owned());
                    scope.push(Sort::Name, &line);
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let parts = items(target);
                let values = value.filter(|value| matches!(value.kind(), "expression_list" | "tuple" | "list")).map(items);
                let values = values.filter(|values| values.len() == parts.len());
                for (at, part) in parts.into_iter().enumerate() {
                    self.target(part, None, values.as_ref().and_then(|values| values.get(at)).copied(), scope);
                }
            }
            "list_splat_pattern" => {
                if let Some(name) = target.named_child(0) {
                    self.target(name, Some(&self.holding("list", &[self.unknown()])), None, scope);
                }
            }
            _ => {}
        }
    }

    fn declaration(&self, name: &str, written: Option<&str>, value: Option<Node<'_>>, scope: &Scope) -> String {
        let value = value.map(unwrap_parentheses);
        let as_written = |value: Node<'_>| format!("{name} = {}", self.of(value));
        match (written, value) {
            (Some(ty), None) => format!("{name}: {ty}"),
            (Some(ty), Some(value)) => {
                let last = ty.rsplit('.').next().unwrap_or(ty);
                let literal = self.literal(value);
                match last {
                    "TypeAlias" => format!("{name}: {ty} = {}", self.of(value)),
                    "Final" if literal.is_some() => format!("{name}: {ty} = {}", self.of(value)),
                    "Final" | "ClassVar" => format!("{name}: {ty}[{}]", self.type_of(value, 0)),
                    _ if scope.class.is_empty() => format!("{name}: {ty}"),
                    // Whether a field has a default, and what `field(…)` says of it, make the signature of a dataclass.
                    _ if value.kind() == "call" => format!("{name}: {ty} = {}", self.of(value)),
                    _ => format!("{name}: {ty} = {}", literal.unwrap_or("...")),
                }
            }
            (None, Some(value)) if READ.contains(&name) || self.is_read(value) => as_written(value),
            (None, Some(value)) if scope.is_enum => format!("{name} = {}", self.literal(value).unwrap_or("...")),
            (None, Some(value)) if value.kind() == "none" => {
                let ty = self.known.attribute(&scope.class, name).unwrap_or_else(|| self.unknown());
                if ty.ends_with("None") { format!("{name}: {ty}") } else { format!("{name}: {ty} | None") }
            }
            (None, Some(value)) => format!("{name}: {}", self.type_of(value, 0)),
            (None, None) => format!("{name}: {}", self.unknown()),
        }
    }

    /// Tells whether a checker reads more than a type from a value: another name, an alias, what makes types.
    fn is_read(&self, value: Node<'_>) -> bool {
        match value.kind() {
            "identifier" | "attribute" => self.is_dotted(value),
            "call" => {
                let callee = value.child_by_field_name("function").filter(|callee| self.is_dotted(*callee));
                let of_lambda = self.of(value).contains("lambda");
                callee.is_some_and(|callee| MAKERS.contains(&self.last_name(callee)) && !of_lambda)
            }
            "subscript" | "binary_operator" => self.is_type(value),
            _ => false,
        }
    }

    /// Tells whether an expression is a type by its looks.
    fn is_type(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "none" => true,
            "identifier" | "attribute" if self.is_dotted(node) => {
                let last = self.last_name(node);
                BUILTIN.iter().any(|(name, _)| *name == last) || is_class_name(last) || last.len() == 1 && last != "_"
            }
            "subscript" => node.child_by_field_name("value").is_some_and(|base| self.is_type(base)),
            "binary_operator" => {
                let is_side = |field| node.child_by_field_name(field).is_some_and(|side| self.is_type(side));
                self.operator(node) == "|" && is_side("left") && is_side("right")
            }
            _ => false,
        }
    }

    /// Gives a short plain literal as it is written.
    pub(super) fn literal(&self, value: Node<'_>) -> Option<&str> {
        let is_plain = match value.kind() {
            "integer" | "float" | "true" | "false" | "none" => true,
            "string" => !self.prefix(value).contains(['f', 'F', 't', 'T']),
            "unary_operator" => value.named_child(0).is_some_and(|number| matches!(number.kind(), "integer" | "float")),
            "tuple" | "list" | "dictionary" => value.named_child_count() == 0,
            _ => false,
        };
        let text = self.of(value);
        (is_plain && text.len() <= LITERAL_MAX && !text.contains('\n')).then_some(text)
    }

    /// Says the type of a value as far as its text shows it.
    fn type_of(&self, value: Node<'_>, depth: usize) -> String {
        let value = unwrap_parentheses(value);
        let builtin = |name: &str| self.known.spelled("builtins", name);
        let any = || self.unknown();
        if depth > DEPTH_MAX {
            return any();
        }
        match value.kind() {
            "integer" | "float" if self.of(value).ends_with(['j', 'J']) => builtin("complex"),
            "integer" => builtin("int"),
            "float" => builtin("float"),
            "true" | "false" | "not_operator" | "comparison_operator" => builtin("bool"),
            "string" => builtin(if self.prefix(value).contains(['b', 'B']) { "bytes" } else { "str" }),
            "concatenated_string" => value.named_child(0).map_or_else(any, |first| self.type_of(first, depth)),
            "unary_operator" => value.child_by_field_name("argument").map_or_else(any, |inner| self.type_of(inner, depth)),
            "binary_operator" => self.type_of_operation(value, depth),
            "list" | "set" => self.holding(value.kind(), &[self.common(&items(value), depth)]),
            "tuple" | "expression_list" => {
                let items = items(value);
                if items.is_empty() || items.len() > TUPLE_MAX || items.iter().any(|item| item.kind() == "list_splat") {
                    self.holding("tuple", &[self.common(&items, depth), "...".into()])
                } else {
                    let types: Vec<String> = items.iter().map(|item| self.type_of(*item, depth + 1)).collect();
                    self.holding("tuple", &types)
                }
            }
            "dictionary" => {
                let pairs = items(value);
                let side = |field: &str| -> Vec<Node<'_>> {
                    pairs.iter().map(|pair| pair.child_by_field_name(field).unwrap_or(*pair)).collect()
                };
                self.holding("dict", &[self.common(&side("key"), depth), self.common(&side("value"), depth)])
            }
            "list_comprehension" => self.holding("list", &[any()]),
            "set_comprehension" => self.holding("set", &[any()]),
            "dictionary_comprehension" => self.holding("dict", &[any(), any()]),
            "call" => self.type_of_call(value),
            _ => any(),
        }
    }

    fn type_of_operation(&self, value: Node<'_>, depth: usize) -> String {
        let side = |field| value.child_by_field_name(field).map(|side| self.type_of(side, depth + 1)).unwrap_or_default();
        let (left, right) = (side("left"), side("right"));
        let builtin = |name: &str| self.known.spelled("builtins", name);
        match self.operator(value) {
            "%" if left == builtin("str") || left == builtin("bytes") => left,
            "/" if left == builtin("int") && right == left => builtin("float"),
            _ if left == right && ["int", "float", "str", "bytes"].iter().any(|name| left == builtin(name)) => left,
            _ => self.unknown(),
        }
    }

    /// Says what a call makes: an instance of the class that is called, where it is one by its name.
    fn type_of_call(&self, call: Node<'_>) -> String {
        let Some(callee) = call.child_by_field_name("function").filter(|callee| self.is_dotted(*callee)) else {
            return self.unknown();
        };
        let name = self.of(callee);
        if let Some((name, holds)) = BUILTIN.iter().find(|(builtin, _)| *builtin == name && name != "type") {
            let mut held = vec![self.unknown(); *holds];
            if *name == "tuple" {
                held.push("...".into());
            }
            return self.holding(name, &held);
        }
        match name {
            "re.compile" => {
                let first = call.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
                let of = first.map_or_else(|| self.unknown(), |first| self.type_of(first, 0));
                format!("{}[{of}]", self.known.spelled("re", "Pattern"))
            }
            "logging.getLogger" => self.known.spelled("logging", "Logger"),
            _ if is_class_name(self.last_name(callee)) && !GENERIC.contains(&self.last_name(callee)) => name.to_owned(),
            _ => self.unknown(),
        }
    }

    /// Says the one type that all of these have.
    fn common(&self, values: &[Node<'_>], depth: usize) -> String {
        let mut types = values.iter().map(|value| self.type_of(*value, depth + 1));
        let first = types.next().unwrap_or_else(|| self.unknown());
        if types.all(|ty| ty == first) { first } else { self.unknown() }
    }

    fn holding(&self, name: &str, types: &[String]) -> String {
        let name = self.known.spelled("builtins", name);
        if types.is_empty() { name } else { format!("{name}[{}]", types.join(", ")) }
    }

    fn operator(&self, node: Node<'_>) -> &str {
        node.child_by_field_name("operator").map_or("", |operator| self.of(operator))
    }

    /// Tells whether this is a name, or names with dots between them.
    fn is_dotted(&self, node: Node<'_>) -> bool {
        self.of(node).chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
            && matches!(node.kind(), "identifier" | "attribute")
    }

    fn last_name(&self, node: Node<'_>) -> &str {
        self.of(node).rsplit('.').next().unwrap_or_default()
    }

    fn prefix(&self, string: Node<'_>) -> &str {
        self.of(string).split(['"', '\'']).next().unwrap_or_default()
    }
}

/// Lists the parts of a display or a pattern.
fn items(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Tells whether a name is one of a class: a capital letter first, and a small one after it.
fn is_class_name(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}
