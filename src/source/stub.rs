//! A module as a type stub: its declarations written anew, without bodies and with types put in. Which types is the caller's
//! affair; what stands for the value of a name is said in `stub/names.rs`.
//!
//! What a checker reads stays as it is written: imports, bases, decorators, annotations, aliases. A stub hides its module, so
//! what it leaves out would be missed. Blocks that may or may not run are laid flat, the first of equal names counts; only
//! conditions that a checker decides by itself stay.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::decode::number;
use super::parts;
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
    /// Spells a class of another module as the stub can, where nothing of the module's own means something else.
    fn spelled(&self, module: &str, name: &str) -> String;
}

/// Writes the stub of a module; `None` when its text does not parse.
#[must_use]
pub fn stub(text: &str, known: &impl Known) -> Option<String> {
    // Line ends inside of what stays as it is written; lines keep their numbers.
    let text = text.replace("\r\n", "\n");
    let tree = syntax_tree(&text)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut walk = Walk { text: &text, known, enums: BTreeSet::new() };
    let mut scope = Scope::default();
    walk.block(tree.root_node(), &mut scope);
    Some(scope.lines())
}

struct Walk<'a, K> {
    text: &'a str,
    known: &'a K,
    /// Classes of the module that are enumerations.
    enums: BTreeSet<String>,
}

/// What a statement declares: groups of one sort stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Import,
    Name,
    Function,
    Whole,
}

/// The body of a module, a class or a condition.
#[derive(Default)]
struct Scope {
    /// The class's qualified name; empty in a module.
    class: String,
    is_enum: bool,
    depth: usize,
    /// Names that are declared already.
    seen: BTreeSet<String>,
    /// Statements, indented.
    out: Vec<(Sort, String)>,
}

impl Scope {
    fn push(&mut self, sort: Sort, text: &str) {
        self.out.push((sort, format!("{}{text}\n", "    ".repeat(self.depth))));
    }

    /// Begins the scope of a class or of a branch inside this one.
    fn inner(&self, class: String, seen: BTreeSet<String>) -> Self {
        Self { class, depth: self.depth + 1, seen, ..Self::default() }
    }

    /// Gives the text; in a module a blank line parts classes, and what is of different sorts.
    fn lines(self) -> String {
        let mut text = String::new();
        let mut before = None;
        for (sort, lines) in self.out {
            if self.depth == 0 && before.is_some_and(|before| before != sort || sort == Sort::Whole) {
                text.push('\n');
            }
            before = Some(sort);
            text.push_str(&lines);
        }
        text
    }
}

impl<K: Known> Walk<'_, K> {
    /// Goes through the statements of a module, a class or a branch.
    fn block(&mut self, block: Node<'_>, scope: &mut Scope) {
        let mut cursor = block.walk();
        for statement in block.named_children(&mut cursor) {
            match statement.kind() {
                "import_statement" | "import_from_statement" => self.import(statement, scope),
                "type_alias_statement" => scope.push(Sort::Name, self.of(statement)),
                "function_definition" => self.function(statement, &[], scope),
                "class_definition" => self.class(statement, &[], scope),
                "decorated_definition" => {
                    let decorators = parts::decorator_nodes(statement);
                    match statement.child_by_field_name("definition") {
                        Some(inner) if inner.kind() == "class_definition" => self.class(inner, &decorators, scope),
                        Some(inner) => self.function(inner, &decorators, scope),
                        None => {}
                    }
                }
                "if_statement" => self.condition(statement, scope),
                "try_statement" | "with_statement" => self.flat(statement, scope),
                "expression_statement" => {
                    if let Some(child) = statement.named_child(0) {
                        self.expression(child, scope);
                    }
                }
                _ => {}
            }
        }
    }

    /// Goes through the blocks of a statement and of its clauses as if they stood in its place.
    fn flat(&mut self, statement: Node<'_>, scope: &mut Scope) {
        let mut cursor = statement.walk();
        for child in statement.named_children(&mut cursor) {
            match child.kind() {
                "block" => self.block(child, scope),
                kind if kind.ends_with("_clause") => self.flat(child, scope),
                _ => {}
            }
        }
    }

    /// Goes through an `if`: what runs as a program only is left out, what a checker decides stays.
    fn condition(&mut self, statement: Node<'_>, scope: &mut Scope) {
        let said = |walk: &Self, node: Node<'_>| {
            node.child_by_field_name("condition").map_or_else(String::new, |condition| walk.of(condition).to_owned())
        };
        let condition = said(self, statement);
        if condition.contains("__name__") {
            return;
        }
        if !["TYPE_CHECKING", "version_info", "sys.platform"].iter().any(|decided| condition.contains(decided)) {
            return self.flat(statement, scope);
        }
        let mut cursor = statement.walk();
        let clauses = statement.children_by_field_name("alternative", &mut cursor);
        let mut text = String::new();
        let mut any = false;
        let mut seen = scope.seen.clone();
        for clause in std::iter::once(statement).chain(clauses) {
            let block = clause.child_by_field_name(if clause.kind() == "else_clause" { "body" } else { "consequence" });
            let Some(block) = block else { continue };
            let mut inner = scope.inner(scope.class.clone(), scope.seen.clone());
            self.block(block, &mut inner);
            seen.append(&mut inner.seen);
            let indent = "    ".repeat(scope.depth);
            text.push_str(&match clause.kind() {
                "if_statement" => format!("if {condition}:\n"),
                "elif_clause" => format!("{indent}elif {}:\n", said(self, clause)),
                _ => format!("{indent}else:\n"),
            });
            any |= !inner.out.is_empty();
            if inner.out.is_empty() {
                inner.push(Sort::Name, "pass");
            }
            text.push_str(&inner.lines());
        }
        scope.seen = seen;
        if any {
            scope.push(Sort::Whole, text.trim_end());
        }
    }

    fn import(&self, statement: Node<'_>, scope: &mut Scope) {
        let mut new = false;
        for import in parts::imports(statement, self.text) {
            let plain = import.name.or_else(|| import.module.split('.').next().map(str::to_owned));
            let name = import.alias.or(plain).unwrap_or_default();
            new |= name == "*" || scope.seen.insert(name);
        }
        if new {
            let comment = self.comment_after(statement).map_or_else(String::new, |comment| format!("  {comment}"));
            scope.push(Sort::Import, &format!("{}{comment}", self.of(statement)));
        }
    }

    fn class(&mut self, class: Node<'_>, decorators: &[Node<'_>], outer: &mut Scope) {
        let (Some(name), Some(body)) = (class.child_by_field_name("name"), class.child_by_field_name("body")) else { return };
        let name = self.of(name).to_owned();
        if !outer.seen.insert(name.clone()) {
            return;
        }
        let qualname = if outer.class.is_empty() { name.clone() } else { format!("{}.{name}", outer.class) };
        let bases = class.child_by_field_name("superclasses");
        let mut scope = outer.inner(qualname, BTreeSet::new());
        scope.is_enum = bases.is_some_and(|bases| self.enumerates(bases));
        if scope.is_enum {
            self.enums.insert(name.clone());
        }
        self.block(body, &mut scope);
        let attributes = self.attributes(body, &scope);
        let methods = std::mem::take(&mut scope.out);
        for (name, ty) in attributes {
            scope.push(Sort::Name, &format!("{name}: {ty}"));
        }
        scope.out.extend(methods);
        if scope.out.is_empty() {
            scope.push(Sort::Name, "...");
        }
        let field = |field: &str| class.child_by_field_name(field).map_or("", |node| self.of(node));
        let head = format!("class {name}{}{}:", field("type_parameters"), field("superclasses"));
        let head = self.decorated(decorators, &head, outer.depth);
        outer.push(Sort::Whole, format!("{head}\n{}", scope.lines()).trim_end());
    }

    fn enumerates(&self, bases: Node<'_>) -> bool {
        let mut cursor = bases.walk();
        bases.named_children(&mut cursor).any(|base| {
            let last = self.of(base).rsplit('.').next().unwrap_or_default();
            last.ends_with("Enum") || last.ends_with("Flag") || self.enums.contains(last)
        })
    }

    /// Lists attributes that methods give to their instances and the class body does not name, with their types.
    fn attributes(&self, body: Node<'_>, scope: &Scope) -> Vec<(String, String)> {
        let mut given: BTreeMap<String, Option<String>> = BTreeMap::new();
        let mut cursor = body.walk();
        for statement in body.named_children(&mut cursor) {
            let definition = statement.child_by_field_name("definition").unwrap_or(statement);
            if definition.kind() == "function_definition"
                && let Some(receiver) = self.receiver(definition)
            {
                self.given(definition, &receiver, &mut given);
            }
        }
        let new = given.into_iter().filter(|(name, _)| !scope.seen.contains(name));
        new.map(|(name, written)| {
            let ty = written.or_else(|| self.known.attribute(&scope.class, &name)).unwrap_or_else(|| self.unknown());
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

    fn function(&self, function: Node<'_>, decorators: &[Node<'_>], scope: &mut Scope) {
        let parts = (function.child_by_field_name("name"), function.child_by_field_name("parameters"));
        let (Some(name), Some(parameters)) = parts else { return };
        // The body of overloads, and a second definition where the first one is missing, have no place in a stub.
        if !scope.seen.insert(self.of(name).to_owned()) && decorators.is_empty() {
            return;
        }
        let hints = self.known.function(number(function.start_position().row + 1)).unwrap_or_default();
        let is_async = function.child(0).is_some_and(|first| first.kind() == "async") && !hints.yields_asynchronously;
        let returns = function.child_by_field_name("return_type").map(|ty| self.of(ty).to_owned());
        let head = format!(
            "{}def {}{}({}){}: ...",
            if is_async { "async " } else { "" },
            self.of(name),
            function.child_by_field_name("type_parameters").map_or("", |node| self.of(node)),
            self.parameters(parameters, &hints),
            returns.or(hints.returns).map_or_else(String::new, |ty| format!(" -> {ty}")),
        );
        scope.push(Sort::Function, &self.decorated(decorators, &head, scope.depth));
    }

    fn parameters(&self, parameters: Node<'_>, hints: &Hints) -> String {
        let mut cursor = parameters.walk();
        let children = parameters.named_children(&mut cursor).filter(|child| child.kind() != "comment");
        let one = |parameter: Node<'_>| {
            let splat = matches!(parameter.kind(), "list_splat_pattern" | "dictionary_splat_pattern");
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name"),
                _ if splat => parameter.named_child(0),
                _ => None,
            };
            let Some(name) = name else { return self.of(parameter).to_owned() };
            let written = parameter.child_by_field_name("type").map(|ty| self.of(ty));
            let ty = written.or_else(|| hints.params.get(self.of(name)).map(String::as_str));
            let name = self.of(if splat { parameter } else { name });
            let plain = ty.map_or_else(|| name.to_owned(), |ty| format!("{name}: {ty}"));
            match parameter.child_by_field_name("value").map(|value| self.literal(value).unwrap_or("...")) {
                Some(value) if ty.is_some() => format!("{plain} = {value}"),
                Some(value) => format!("{plain}={value}"),
                None => plain,
            }
        };
        children.map(one).collect::<Vec<_>>().join(", ")
    }

    /// Puts decorators above a definition.
    fn decorated(&self, decorators: &[Node<'_>], head: &str, depth: usize) -> String {
        let above = decorators.iter().map(|node| format!("@{}\n{}", self.of(*node), "    ".repeat(depth)));
        above.chain([head.to_owned()]).collect()
    }

    /// Gives the comment behind a statement on its last line.
    fn comment_after(&self, statement: Node<'_>) -> Option<&str> {
        let rest = self.text[statement.end_byte()..].lines().next()?.trim();
        rest.starts_with('#').then_some(rest)
    }

    fn unknown(&self) -> String {
        self.known.spelled("typing", "Any")
    }

    fn of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
