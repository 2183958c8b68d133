//! What tests claim of a function, as far as it stands in their text: a call with plain values, and the value or the error
//! that is expected of it. Nothing is run; what is not plain is left out.

use std::collections::HashMap;

use tree_sitter::Node;

use super::literal;
use super::parts::{decorator_nodes, unwrap_parentheses};
use super::tree::syntax_tree;
use crate::domain::value::Value;

/// Nesting that is followed: the text may be by anybody.
const DEPTH: usize = 24;
/// Claims that are told.
const MOST: usize = 400;

/// What a test claims of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The test: `test_total`, `TestCart::test_total`.
    pub test: String,
    /// The arguments, with the names of those given by name.
    pub args: Vec<(Option<String>, Value)>,
    /// What is expected.
    pub expected: Expected,
}

/// What is expected of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    /// That it returns this.
    Value(Value),
    /// That it raises this, by the name in the text.
    Error(String),
}

/// Lists what the tests of a text claim of a function, by the name they call it by.
#[must_use]
pub fn claims(text: &str, function: &str) -> Vec<Claim> {
    let Some(tree) = syntax_tree(text) else { return Vec::new() };
    let mut reader = Reader { text, function, claims: Vec::new() };
    reader.definitions(tree.root_node(), "");
    reader.claims.truncate(MOST);
    reader.claims
}

/// Reads a plain value from its source.
#[must_use]
pub fn value(source: &str) -> Option<Value> {
    let tree = syntax_tree(source)?;
    let statement = tree.root_node().named_child(0).filter(|node| node.kind() == "expression_statement")?;
    Reader { text: source, function: "", claims: Vec::new() }.value(statement.named_child(0)?, &HashMap::new(), DEPTH)
}

/// Values by the names that stand for them.
type Names = HashMap<String, Value>;
type Args = Vec<(Option<String>, Value)>;

struct Reader<'a> {
    text: &'a str,
    function: &'a str,
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
                    for row in self.rows(node) {
                        if self.claims.len() < MOST {
                            self.body(body, &test, row);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Gives what the parameters of a test stand for, for each row of `parametrize`.
    fn rows(&self, definition: Node<'_>) -> Vec<Names> {
        let mut all = vec![Names::new()];
        for decorator in decorator_nodes(definition) {
            if decorator.kind() != "call" || !self.calls(decorator).ends_with("parametrize") {
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
    fn body(&mut self, body: Node<'_>, test: &str, mut names: Names) {
        let mut results: HashMap<String, Args> = HashMap::new();
        for statement in children(body) {
            let inner = statement.named_child(0);
            match (statement.kind(), inner) {
                ("expression_statement", Some(inner)) if inner.kind() == "assignment" => {
                    let (Some(left), Some(right)) = (inner.child_by_field_name("left"), inner.child_by_field_name("right"))
                    else {
                        continue;
                    };
                    let name = self.source(left).to_owned();
                    names.remove(&name);
                    results.remove(&name);
                    if let Some(args) = self.called(right, &names) {
                        results.insert(name, args);
                    } else if let Some(value) = self.value(right, &names, DEPTH) {
                        names.insert(name, value);
                    }
                }
                ("expression_statement", Some(inner)) if inner.kind() == "string" => {}
                ("assert_statement", Some(inner)) => {
                    let claim = self.asserted(unwrap_parentheses(inner), &names, &results);
                    self.claims.extend(claim.map(|(args, expected)| Claim {
                        test: test.to_owned(),
                        args,
                        expected: Expected::Value(expected),
                    }));
                }
                ("with_statement", _) => {
                    if let Some((args, error)) = self.raising(statement, &names) {
                        self.claims.push(Claim { test: test.to_owned(), args, expected: Expected::Error(error) });
                    } else {
                        names.clear();
                        results.clear();
                    }
                }
                ("comment" | "pass_statement" | "import_from_statement" | "import_statement", _) => {}
                // It may change what a name stands for.
                _ => {
                    names.clear();
                    results.clear();
                }
            }
        }
    }

    fn asserted(&self, node: Node<'_>, names: &Names, results: &HashMap<String, Args>) -> Option<(Args, Value)> {
        let operators = node.child_by_field_name("operators").map(|operator| self.source(operator));
        if node.kind() != "comparison_operator" || node.named_child_count() != 2 || !matches!(operators, Some("==" | "is")) {
            return None;
        }
        let (left, right) = (node.named_child(0)?, node.named_child(1)?);
        let call = |node| self.called(node, names).or_else(|| results.get(self.source(node)).cloned());
        match (call(left), call(right)) {
            (Some(args), None) => Some((args, self.value(right, names, DEPTH)?)),
            (None, Some(args)) => Some((args, self.value(left, names, DEPTH)?)),
            _ => None,
        }
    }

    /// Reads `with pytest.raises(Error): call`.
    fn raising(&self, statement: Node<'_>, names: &Names) -> Option<(Args, String)> {
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
        Some((self.called(call, names)?, error))
    }

    /// Gives the arguments where a node is a call of the function, awaited or not.
    fn called(&self, node: Node<'_>, names: &Names) -> Option<Args> {
        let mut node = unwrap_parentheses(node);
        if node.kind() == "await" {
            node = node.named_child(0)?;
        }
        if node.kind() == "call" && self.calls(node) == "asyncio.run" {
            node = node.child_by_field_name("arguments")?.named_child(0)?;
        }
        if node.kind() != "call" || self.calls(node).rsplit('.').next() != Some(self.function) {
            return None;
        }
        let given = children(node.child_by_field_name("arguments")?).into_iter();
        given
            .map(|argument| {
                if argument.kind() == "keyword_argument" {
                    let name = self.source(argument.child_by_field_name("name")?).to_owned();
                    return Some((Some(name), self.value(argument.child_by_field_name("value")?, names, DEPTH)?));
                }
                Some((None, self.value(argument, names, DEPTH)?))
            })
            .collect()
    }

    /// Gives the dotted name that a call calls.
    fn calls(&self, call: Node<'_>) -> &str {
        let function = call.child_by_field_name("function");
        let plain = |node: &Node<'_>| {
            node.kind() == "identifier"
                || node.kind() == "attribute"
                    && node
                        .child_by_field_name("object")
                        .is_some_and(|object| matches!(object.kind(), "identifier" | "attribute"))
        };
        function.filter(plain).map_or("", |function| self.source(function))
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

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let say = |claim: Claim| {
            let args: Vec<String> = claim
                .args
                .iter()
                .map(|(name, value)| match name {
                    Some(name) => format!("{name}={}", value.summary(60)),
                    None => value.summary(60),
                })
                .collect();
            let expected = match claim.expected {
                Expected::Value(value) => value.summary(60),
                Expected::Error(error) => error,
            };
            format!("{}: ({}) {expected}", claim.test, args.join(", "))
        };
        claims(text, "total").into_iter().map(say).collect()
    }

    #[test]
    fn plain_calls_are_read_however_they_are_written() {
        let text = "import pytest\n\ndef test_a():\n    \"\"\"Doc.\"\"\"\n    assert total([1, -2.5], rate='x') == {'a': (None, True)}\n    assert 3 == shop.total(b'\\x01')\n    assert (await total(1)) is None  # so\n    assert asyncio.run(total(2)) == 4\n\n\nclass TestB:\n    def test_c(self):\n        prices = [1, 2]\n        result = total(prices)\n        assert result == 3\n\n    def test_d(self):\n        with pytest.raises(errors.Bad, match='x') as caught:\n            total(None)\n";
        assert_eq!(
            told(text),
            [
                "test_a: ([1, -2.5], rate='x') {'a': (None, True)}",
                "test_a: (b'\\x01') 3",
                "test_a: (1) None",
                "test_a: (2) 4",
                "TestB::test_c: ([1, 2]) 3",
                "TestB::test_d: (None) Bad",
            ]
        );
    }

    #[test]
    fn each_row_of_a_test_is_a_claim() {
        let text = "@pytest.mark.parametrize('n', [1, 2])\n@pytest.mark.parametrize(('a', 'e'), [([1], 2), pytest.param([], 0, id='none'), ([x], 1)])\ndef test_a(a, e, n):\n    assert total(a, n) == e\n";
        assert_eq!(told(text), ["test_a: ([1], 1) 2", "test_a: ([], 1) 0", "test_a: ([1], 2) 2", "test_a: ([], 2) 0"]);
    }

    #[test]
    fn what_is_not_certain_is_no_claim() {
        for line in [
            "assert total(x) == 1",
            "assert total(*[1]) == 1",
            "assert total(f'{x}') == 1",
            "assert total(1) != 1",
            "assert 0 < total(1) == 1",
            "assert other(1) == 1",
            "assert a().total(1) == 1",
            "assert total(1) == total(2)",
            "x = [1]\n    x.append(2)\n    assert total(x) == 3",
            "x = [1]\n    for i in x:\n        x = i\n    assert total(x) == 3",
            "with pytest.raises((A, B)):\n        total(1)",
            "with open('x'):\n        total(1)",
        ] {
            assert_eq!(told(&format!("def test_a():\n    {line}\n")), [""; 0], "{line}");
        }
        let deep = format!("def test_a():\n    assert total({}{}) == 1\n", "[".repeat(5_000), "]".repeat(5_000));
        assert_eq!(told(&deep), [""; 0]);
        assert_eq!((value("-1_000"), value("x"), value("1; 2")), (Some(Value::Int(-1000)), None, Some(Value::Int(1))));
    }
}
