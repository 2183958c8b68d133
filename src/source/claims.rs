//! What tests claim of a function, as far as it stands in their text: a call with plain values, and the value or the error
//! that is expected of it. Of a method also how its object was made and what was called on it before. Nothing is run; what
//! is not plain, and what comes after something whose effect nobody knows, is left out.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::literal;
use super::parts::{decorator_nodes, unwrap_parentheses};
use super::tree::syntax_tree;
use crate::domain::function::{Function, FunctionKind};
use crate::domain::value::Value;

/// Nesting that is followed: the text may be by anybody.
const DEPTH: usize = 24;
/// Claims that are told.
const MOST: usize = 400;
/// What a test may ask pytest for without anything being other than it is; the others may stand for something else.
const HARMLESS: &[&str] = &["self", "tmp_path", "capsys", "caplog", "monkeypatch", "recwarn", "request"];

/// What a test claims of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The test: `test_total`, `TestCart::test_total`.
    pub test: String,
    /// What the function is called on.
    pub on: On,
    /// The arguments.
    pub args: Args,
    /// What is expected.
    pub expected: Expected,
}

/// What a function is called on.
#[derive(Debug, Clone, PartialEq)]
pub enum On {
    /// Its module.
    Module,
    /// Its class.
    Class,
    /// An object of its class.
    Object(Object),
}

/// An object of the function's class, as a test made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// What the class was called with.
    pub args: Args,
    /// What was called on it since, in order, with the arguments; a property has none.
    pub since: Vec<(String, Args)>,
}

/// What is expected of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// That it returns this.
    Value(Value),
    /// That it raises this, by the name in the text.
    Error(String),
}

/// Arguments, with the names of those given by name.
pub type Args = Vec<(Option<String>, Value)>;

/// Lists what the tests of a text claim of a function, by the name they call it by.
#[must_use]
pub fn claims(text: &str, function: &Function) -> Vec<Claim> {
    let Some(tree) = syntax_tree(text) else { return Vec::new() };
    let mut reader = Reader { text, target: Target::of(function), claims: Vec::new() };
    reader.definitions(tree.root_node(), "");
    reader.claims.truncate(MOST);
    reader.claims
}

/// Reads a plain value from its source.
#[must_use]
pub fn value(source: &str) -> Option<Value> {
    let tree = syntax_tree(source)?;
    let statement = tree.root_node().named_child(0).filter(|node| node.kind() == "expression_statement")?;
    let target = Target { name: "", class: None, kind: FunctionKind::Function };
    Reader { text: source, target, claims: Vec::new() }.value(statement.named_child(0)?, &HashMap::new(), DEPTH)
}

/// The function whose calls are looked for.
struct Target<'a> {
    name: &'a str,
    /// The last part of its class's name.
    class: Option<&'a str>,
    kind: FunctionKind,
}

impl<'a> Target<'a> {
    fn of(function: &'a Function) -> Self {
        let owner = function.id.qualname().rsplit_once('.').map(|(owner, _)| owner);
        let class =
            owner.filter(|_| function.kind != FunctionKind::Nested).map(|owner| owner.rsplit('.').next().unwrap_or(owner));
        Self { name: function.name(), class, kind: function.kind }
    }
}

/// Values by the names that stand for them.
type Names = HashMap<String, Value>;

/// What the names of a test stand for, as far as that is certain.
#[derive(Default)]
struct Scope {
    values: Names,
    objects: HashMap<String, Object>,
    results: HashMap<String, (On, Args)>,
    /// Names that the test gives a meaning of its own: no module, class or function.
    own: HashSet<String>,
}

impl Scope {
    fn forget(&mut self, name: &str) {
        self.values.remove(name);
        self.objects.remove(name);
        self.results.remove(name);
    }
}

struct Reader<'a> {
    text: &'a str,
    target: Target<'a>,
    claims: Vec<Claim>,
}

impl Reader<'_> {
    fn source(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn definitions(&mut self, body: Node<'_>, class: &str) {
        for node in children(body) {
            let definition = node.child_by_field_name("definition").unwrap_or(node);
            let name = definition.child_by_field_name("name").map(|name| self.source(name).to_owned()).unwrap_or_default();
            let Some(body) = definition.child_by_field_name("body") else { continue };
            match definition.kind() {
                "class_definition" if class.is_empty() => self.definitions(body, &name),
                "function_definition" if name.starts_with("test") => {
                    let test = if class.is_empty() { name } else { format!("{class}::{name}") };
                    let params = definition.child_by_field_name("parameters").map(children).unwrap_or_default();
                    let params: HashSet<String> = params.into_iter().map(|param| self.source(param).to_owned()).collect();
                    for row in self.rows(node) {
                        let known = |param: &String| row.contains_key(param) || HARMLESS.contains(&param.as_str());
                        if self.claims.len() < MOST && params.iter().all(known) {
                            self.body(body, &test, Scope { values: row, own: params.clone(), ..Scope::default() });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Gives what the parameters of a test stand for, for each row of `parametrize`; nothing where it may be run otherwise
    /// than it says.
    fn rows(&self, definition: Node<'_>) -> Vec<Names> {
        let mut all = vec![Names::new()];
        for decorator in decorator_nodes(definition) {
            if decorator.kind() != "call" || !self.calls(decorator).ends_with("parametrize") {
                let said = self.source(decorator);
                if !said.starts_with("pytest.mark.") || said.contains("usefixtures") {
                    return Vec::new();
                }
                continue;
            }
            let given = decorator.child_by_field_name("arguments").map(children).unwrap_or_default();
            let [names, rows, ..] = given.as_slice() else { continue };
            let names: Vec<String> = match self.value(*names, &Names::new(), DEPTH) {
                Some(Value::Str(names)) => names.split(',').map(|name| name.trim().to_owned()).collect(),
                Some(Value::List(names) | Value::Tuple(names)) => {
                    names.into_iter().filter_map(|name| if let Value::Str(name) = name { Some(name) } else { None }).collect()
                }
                _ => continue,
            };
            let rows: Vec<Names> = children(*rows).into_iter().filter_map(|row| self.row(row, &names)).collect();
            let joined = all.iter().flat_map(|before| rows.iter().map(move |row| before.clone().into_iter().chain(row.clone())));
            all = joined.map(Iterator::collect).take(MOST).collect();
        }
        all
    }

    fn row(&self, row: Node<'_>, names: &[String]) -> Option<Names> {
        let cells = match row.kind() {
            "call" => {
                let given = children(row.child_by_field_name("arguments")?);
                given.into_iter().filter(|cell| cell.kind() != "keyword_argument").collect()
            }
            "tuple" | "list" if names.len() > 1 => children(row),
            _ => vec![row],
        };
        // A cell that is not plain stands for nothing.
        let plain = |(name, cell): (&String, Node<'_>)| Some((name.clone(), self.value(cell, &Names::new(), DEPTH)?));
        (cells.len() == names.len()).then(|| names.iter().zip(cells).filter_map(plain).collect())
    }

    /// Follows the statements of a test as long as it is certain what its names stand for.
    fn body(&mut self, body: Node<'_>, test: &str, mut scope: Scope) {
        let claim = |(on, args), expected| Claim { test: test.to_owned(), on, args, expected };
        for statement in children(body) {
            let inner = statement.named_child(0);
            match (statement.kind(), inner) {
                ("expression_statement", Some(inner)) if inner.kind() == "assignment" => {
                    if !self.assigned(inner, &mut scope) {
                        return;
                    }
                }
                ("expression_statement", Some(inner)) if inner.kind() == "string" => {}
                ("expression_statement", Some(inner)) if self.step(inner, &scope).is_some() => self.happens(inner, &mut scope),
                ("assert_statement", Some(inner)) => {
                    let inner = unwrap_parentheses(inner);
                    let found = self.asserted(inner, &scope);
                    self.claims.extend(found.map(|(asked, expected)| claim(asked, Expected::Value(expected))));
                    match inner.kind() {
                        "comparison_operator" => children(inner).into_iter().for_each(|side| self.happens(side, &mut scope)),
                        _ => self.happens(inner, &mut scope),
                    }
                }
                ("with_statement", _) => {
                    let Some((call, asked, error)) = self.raising(statement, &scope) else { return };
                    self.claims.push(claim(asked, Expected::Error(error)));
                    self.happens(call, &mut scope);
                }
                ("comment" | "pass_statement" | "import_from_statement" | "import_statement", _) => {}
                // It may change what anything after it does.
                _ => return,
            }
        }
    }

    /// Takes in an assignment; tells whether it is certain what it does.
    fn assigned(&self, assignment: Node<'_>, scope: &mut Scope) -> bool {
        let (Some(left), Some(right)) = (assignment.child_by_field_name("left"), assignment.child_by_field_name("right")) else {
            return true;
        };
        // `cart.rate = 2`, `rows[0] = 1`; `mocker.patch(…)` by what the test was given.
        let fixture = |node: &Node<'_>| node.kind() == "identifier" && HARMLESS.contains(&self.source(*node));
        if left.kind() != "identifier" || all_within(right).iter().any(fixture) {
            return false;
        }
        let name = self.source(left).to_owned();
        let asked = self.called(right, scope);
        let made = if right.kind() == "call" { self.object(right, scope) } else { None };
        let value = self.value(right, &scope.values, DEPTH);
        self.happens(right, scope);
        // A second name for a list that may change under it.
        if value.as_ref().is_some_and(is_mutable) {
            all_within(right).iter().for_each(|node| scope.forget(self.source(*node)));
        }
        scope.forget(&name);
        scope.own.insert(name.clone());
        if let Some(asked) = asked {
            scope.results.insert(name, asked);
        } else if let Some(made) = made {
            scope.objects.insert(name, made);
        } else if let Some(value) = value {
            scope.values.insert(name, value);
        }
        true
    }

    /// Takes in what evaluating an expression may do to what names stand for.
    fn happens(&self, node: Node<'_>, scope: &mut Scope) {
        let node = unwrap_parentheses(node);
        let step = self.step(node, scope);
        let within = all_within(node);
        let calls = within.iter().any(|node| node.kind() == "call");
        for name in within.iter().filter(|node| node.kind() == "identifier").map(|node| self.source(*node)) {
            let kept = step.as_ref().is_some_and(|(object, _)| object == name);
            if !kept {
                scope.objects.remove(name);
            }
            if calls {
                scope.results.remove(name);
                if scope.values.get(name).is_some_and(is_mutable) {
                    scope.values.remove(name);
                }
            }
        }
        if let Some((name, step)) = step
            && let Some(object) = scope.objects.get_mut(&name)
        {
            object.since.push(step);
        }
    }

    /// Reads a call with plain values of a method of an object that has a name: `cart.add('apple', 2)`.
    fn step(&self, node: Node<'_>, scope: &Scope) -> Option<(String, (String, Args))> {
        let node = self.awaited(node)?;
        let (attribute, args) = match node.kind() {
            "call" => (node.child_by_field_name("function")?, self.arguments(node, scope)?),
            _ => (node, Args::new()),
        };
        if attribute.kind() != "attribute" {
            return None;
        }
        let object = self.source(attribute.child_by_field_name("object")?);
        let name = self.source(attribute.child_by_field_name("attribute")?);
        let is_property = self.target.kind == FunctionKind::Property && name == self.target.name;
        let is_one = scope.objects.contains_key(object) && (node.kind() == "call") != is_property;
        is_one.then(|| (object.to_owned(), (name.to_owned(), args)))
    }

    fn asserted(&self, node: Node<'_>, scope: &Scope) -> Option<((On, Args), Value)> {
        let operators = node.child_by_field_name("operators").map(|operator| self.source(operator));
        if node.kind() != "comparison_operator" || node.named_child_count() != 2 || !matches!(operators, Some("==" | "is")) {
            return None;
        }
        let (left, right) = (node.named_child(0)?, node.named_child(1)?);
        let call = |node| self.called(node, scope).or_else(|| scope.results.get(self.source(node)).cloned());
        match (call(left), call(right)) {
            (Some(asked), None) => Some((asked, self.value(right, &scope.values, DEPTH)?)),
            (None, Some(asked)) => Some((asked, self.value(left, &scope.values, DEPTH)?)),
            _ => None,
        }
    }

    /// Reads `with pytest.raises(Error): call`.
    fn raising<'n>(&self, statement: Node<'n>, scope: &Scope) -> Option<(Node<'n>, (On, Args), String)> {
        let clause = statement.named_child(0).filter(|clause| clause.kind() == "with_clause")?;
        let item = clause.named_child(0).filter(|_| clause.named_child_count() == 1)?.named_child(0)?;
        let context = if item.kind() == "as_pattern" { item.named_child(0)? } else { item };
        if context.kind() != "call" || self.calls(context).rsplit('.').next() != Some("raises") {
            return None;
        }
        let error = context.child_by_field_name("arguments")?.named_child(0)?;
        if !matches!(error.kind(), "identifier" | "attribute") {
            return None;
        }
        let error = self.source(error).rsplit('.').next()?.to_owned();
        let inside = statement.child_by_field_name("body").map(children)?;
        let [statement] = inside.as_slice() else { return None };
        let inner = statement.named_child(0)?;
        let call = if inner.kind() == "assignment" { inner.child_by_field_name("right")? } else { inner };
        Some((call, self.called(call, scope)?, error))
    }

    /// Gives what is called with what, where a node is a call of the function, awaited or not.
    fn called(&self, node: Node<'_>, scope: &Scope) -> Option<(On, Args)> {
        let node = self.awaited(node)?;
        if self.target.kind == FunctionKind::Property {
            let is_it = node.kind() == "attribute" && self.source(node.child_by_field_name("attribute")?) == self.target.name;
            let object = self.object(node.child_by_field_name("object").filter(|_| is_it)?, scope)?;
            return Some((On::Object(object), Args::new()));
        }
        if node.kind() != "call" {
            return None;
        }
        let function = node.child_by_field_name("function")?;
        let on = match self.target.class {
            None => {
                let path = self.path(function, scope)?;
                (path.rsplit('.').next() == Some(self.target.name)).then_some(On::Module)?
            }
            Some(class) => {
                let is_it =
                    function.kind() == "attribute" && self.source(function.child_by_field_name("attribute")?) == self.target.name;
                let object = function.child_by_field_name("object").filter(|_| is_it)?;
                match self.object(object, scope) {
                    Some(object) => On::Object(object),
                    None if self.target.kind == FunctionKind::Method => return None,
                    None => (self.path(object, scope)?.rsplit('.').next() == Some(class)).then_some(On::Class)?,
                }
            }
        };
        Some((on, self.arguments(node, scope)?))
    }

    /// Gives the object of the function's class that a node stands for: a name, or a call of the class.
    fn object(&self, node: Node<'_>, scope: &Scope) -> Option<Object> {
        let node = unwrap_parentheses(node);
        match node.kind() {
            "identifier" => scope.objects.get(self.source(node)).cloned(),
            "call" => {
                let path = self.path(node.child_by_field_name("function")?, scope)?;
                let is_it = path.rsplit('.').next() == self.target.class;
                is_it.then(|| Some(Object { args: self.arguments(node, scope)?, since: Vec::new() }))?
            }
            _ => None,
        }
    }

    fn arguments(&self, call: Node<'_>, scope: &Scope) -> Option<Args> {
        let given = children(call.child_by_field_name("arguments")?).into_iter();
        given
            .map(|argument| {
                let plain = |node| self.value(node, &scope.values, DEPTH);
                if argument.kind() == "keyword_argument" {
                    let name = self.source(argument.child_by_field_name("name")?).to_owned();
                    return Some((Some(name), plain(argument.child_by_field_name("value")?)?));
                }
                Some((None, plain(argument)?))
            })
            .collect()
    }

    /// Gives what is awaited, and what needs no awaiting as it is.
    fn awaited<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let mut node = unwrap_parentheses(node);
        if node.kind() == "await" {
            node = node.named_child(0)?;
        }
        if node.kind() == "call" && self.calls(node) == "asyncio.run" {
            node = node.child_by_field_name("arguments")?.named_child(0)?;
        }
        Some(node)
    }

    /// Gives a dotted name that the test gives no meaning of its own.
    fn path(&self, node: Node<'_>, scope: &Scope) -> Option<&str> {
        let mut first = node;
        while first.kind() == "attribute" {
            first = first.child_by_field_name("object")?;
        }
        (first.kind() == "identifier" && !scope.own.contains(self.source(first))).then(|| self.source(node))
    }

    /// Gives the dotted name that a call calls.
    fn calls(&self, call: Node<'_>) -> &str {
        call.child_by_field_name("function").and_then(|function| self.path(function, &Scope::default())).unwrap_or_default()
    }

    fn value(&self, node: Node<'_>, names: &Names, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let node = unwrap_parentheses(node);
        let all = || children(node).into_iter().map(|item| self.value(item, names, depth)).collect::<Option<Vec<Value>>>();
        Some(match node.kind() {
            "none" => Value::None,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "integer" => Value::Int(self.source(node).replace('_', "").parse().ok()?),
            "float" => Value::Float(self.source(node).replace('_', "").parse().ok()?),
            "unary_operator" if self.source(node).starts_with('-') => {
                match self.value(node.child_by_field_name("argument")?, names, depth)? {
                    Value::Int(number) => Value::Int(number.checked_neg()?),
                    Value::Float(number) => Value::Float(-number),
                    _ => return None,
                }
            }
            "string" => {
                let literal = literal::string(self.source(node));
                match (literal.formatted, literal.bytes) {
                    (true, _) => return None,
                    (false, false) => Value::Str(literal.value),
                    (false, true) => Value::Bytes(literal.value.chars().map(u8::try_from).collect::<Result<_, _>>().ok()?),
                }
            }
            "list" => Value::List(all()?),
            "tuple" => Value::Tuple(all()?),
            "set" => Value::Set(all()?),
            "dictionary" => {
                let pairs = children(node).into_iter().map(|pair| {
                    let part = |name| self.value(pair.child_by_field_name(name)?, names, depth);
                    Some((part("key")?, part("value")?))
                });
                Value::Dict(pairs.collect::<Option<_>>()?)
            }
            "identifier" => names.get(self.source(node))?.clone(),
            _ => return None,
        })
    }
}

fn is_mutable(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => items.iter().any(is_mutable),
        _ => matches!(value, Value::List(_) | Value::Dict(_) | Value::Set(_)),
    }
}

/// Lists a node and all in it, without following a text that is nested without end.
fn all_within(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = vec![node];
    let mut at = 0;
    while let Some(node) = found.get(at).copied() {
        found.extend(children(node));
        at += 1;
    }
    found
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

#[cfg(test)]
mod tests;
