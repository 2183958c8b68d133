//! What variables of a function hold of what its parameters hold: `order` of `for order in orders`, where `orders: list[Order]`.

use std::collections::BTreeMap;

use tree_sitter::Node;

/// Types that hold values of one type, or of several, and give them one by one.
const SEQUENCES: &[&str] = &[
    "list",
    "List",
    "set",
    "Set",
    "frozenset",
    "FrozenSet",
    "AbstractSet",
    "MutableSet",
    "tuple",
    "Tuple",
    "deque",
    "Deque",
    "Sequence",
    "MutableSequence",
    "Collection",
    "Container",
    "Iterable",
    "Iterator",
    "AsyncIterable",
    "AsyncIterator",
    "Reversible",
];
/// Types that give their first one by one, and say others in brackets besides.
const GENERATORS: &[&str] = &["Generator", "AsyncGenerator"];
/// Types that hold values by keys.
const MAPPINGS: &[&str] =
    &["dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "ItemsView", "MappingProxyType"];
/// Types whose brackets hold what a value may be.
const TRANSPARENT: &[&str] = &["Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"];
/// Functions that give what they are given, one by one.
const PASSING: &[&str] = &["sorted", "reversed", "list", "tuple", "set", "iter"];

/// Tells whether a type is one that Python brings to hold others.
pub(super) fn is_container(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    [SEQUENCES, GENERATORS, MAPPINGS].iter().any(|all| all.contains(&last))
}

/// Finds the variables that hold items, each with the annotation of an item. `annotation` gives that of a parameter, or of an attribute of
/// the object.
pub(super) fn items(body: Node<'_>, text: &str, annotation: &dyn Fn(&str) -> Option<String>) -> BTreeMap<String, String> {
    let mut finder = Finder { text, annotation, found: BTreeMap::new() };
    finder.walk(body);
    finder.found
}

/// Gives the annotation of what an index or a method takes out of what an annotation says: `orders[0]`, `orders.pop()`.
pub(super) fn taken_out(annotation: &str) -> Option<String> {
    held(annotation).map(|held| held.value)
}

/// What a container holds.
struct Held {
    /// What it gives one by one: of a mapping, its keys.
    given: String,
    /// What stands at a place or under a key.
    value: String,
}

struct Finder<'a> {
    text: &'a str,
    annotation: &'a dyn Fn(&str) -> Option<String>,
    found: BTreeMap<String, String>,
}

impl Finder<'_> {
    fn source(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn walk(&mut self, node: Node<'_>) {
        match node.kind() {
            "for_statement" | "for_in_clause" => {
                if let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) {
                    let given = self.given(right);
                    self.bind(left, &given);
                }
            }
            "assignment" => {
                if let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                    && left.kind() == "identifier"
                    && let Some(annotation) = self.taken(right)
                {
                    self.found.insert(self.source(left).to_owned(), annotation);
                }
            }
            _ => {}
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        children.into_iter().for_each(|child| self.walk(child));
    }

    /// Binds the names on the left of a loop to what comes, part by part.
    fn bind(&mut self, left: Node<'_>, given: &[Option<String>]) {
        let mut cursor = left.walk();
        let names: Vec<Node<'_>> = match left.kind() {
            "identifier" => vec![left],
            "pattern_list" | "tuple_pattern" | "list_pattern" => left.named_children(&mut cursor).collect(),
            _ => return,
        };
        if names.len() != given.len() {
            return;
        }
        for (name, annotation) in names.into_iter().zip(given) {
            if let (Some(annotation), "identifier") = (annotation, name.kind()) {
                self.found.insert(self.source(name).to_owned(), annotation.clone());
            }
        }
    }

    /// Gives the annotations of what an expression gives one by one; several where it gives tuples.
    fn given(&self, node: Node<'_>) -> Vec<Option<String>> {
        if node.kind() != "call" {
            return vec![self.held_by(node).map(|held| held.given)];
        }
        let (Some(function), Some(arguments)) = (node.child_by_field_name("function"), node.child_by_field_name("arguments"))
        else {
            return Vec::new();
        };
        let mut cursor = arguments.walk();
        let arguments: Vec<Node<'_>> =
            arguments.named_children(&mut cursor).filter(|node| node.kind() != "keyword_argument").collect();
        if function.kind() == "attribute" {
            let held = function.child_by_field_name("object").and_then(|object| self.held_by(object));
            let name = function.child_by_field_name("attribute").map_or("", |name| self.source(name));
            return match (name, held) {
                ("items", Some(held)) => vec![Some(held.given), Some(held.value)],
                ("values", Some(held)) => vec![Some(held.value)],
                ("keys" | "copy", Some(held)) => vec![Some(held.given)],
                _ => Vec::new(),
            };
        }
        match (self.source(function), arguments.as_slice()) {
            ("enumerate", [of, ..]) => vec![None, self.given(*of).pop().flatten()],
            ("zip", several) => several.iter().map(|of| self.given(*of).pop().flatten()).collect(),
            ("filter", [_, of]) => self.given(*of),
            (name, [of, ..]) if PASSING.contains(&name) => self.given(*of),
            _ => Vec::new(),
        }
    }

    /// Gives the annotation of one item that an expression takes out: `orders[0]`, `orders.pop()`, `next(iter(orders))`.
    fn taken(&self, node: Node<'_>) -> Option<String> {
        match node.kind() {
            "subscript" => {
                let is_part = node.child_by_field_name("subscript").is_some_and(|index| index.kind() == "slice");
                let held = self.held_by(node.child_by_field_name("value")?)?;
                (!is_part).then_some(held.value)
            }
            "call" => {
                let function = node.child_by_field_name("function")?;
                if function.kind() == "attribute" {
                    let name = self.source(function.child_by_field_name("attribute")?);
                    let held = self.held_by(function.child_by_field_name("object")?)?;
                    return ["pop", "popleft", "get", "setdefault"].contains(&name).then_some(held.value);
                }
                let first = node.child_by_field_name("arguments")?.named_child(0)?;
                ["next", "min", "max"].contains(&self.source(function)).then(|| self.given(first).pop().flatten())?
            }
            _ => None,
        }
    }

    fn held_by(&self, node: Node<'_>) -> Option<Held> {
        let source = self.source(node);
        let annotation = (self.annotation)(source).or_else(|| self.found.get(source).cloned())?;
        held(&annotation)
    }
}

/// Reads what a container holds from its annotation, however it is spelled: quoted, in a union, optional.
fn held(annotation: &str) -> Option<Held> {
    for part in split(annotation, '|') {
        let part = part.trim().trim_matches(['"', '\'']).trim();
        if split(part, '|').len() > 1 {
            return held(part);
        }
        let Some((head, rest)) = part.split_once('[') else { continue };
        let inside = rest.strip_suffix(']')?;
        let name = head.trim().rsplit('.').next().unwrap_or_default();
        let arguments: Vec<&str> = split(inside, ',').into_iter().map(str::trim).filter(|one| *one != "...").collect();
        let found = match (name, arguments.as_slice()) {
            (name, several) if TRANSPARENT.contains(&name) => several.iter().find_map(|one| held(one)),
            (name, [key, value]) if MAPPINGS.contains(&name) => {
                Some(Held { given: (*key).to_owned(), value: (*value).to_owned() })
            }
            (name, [first, ..]) if GENERATORS.contains(&name) => {
                Some(Held { given: (*first).to_owned(), value: (*first).to_owned() })
            }
            (name, several) if SEQUENCES.contains(&name) && !several.is_empty() => {
                let one = several.join(" | ");
                Some(Held { given: one.clone(), value: one })
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Cuts a text at a sign outside of brackets and quotes.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut quote, mut from, mut out) = (0usize, None, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, c) if c == sign && depth == 0 => {
                out.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out
}
