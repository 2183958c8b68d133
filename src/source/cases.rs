//! The cases of tests in their text: rows of `parametrize`, by the names that pytest gives them, and methods of test classes.
//! What is named is found, so that one case can be taken out and the others stay.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::claims;
use super::literal;
use super::parts::{decorator_nodes, unwrap_parentheses};
use super::tree::syntax_tree;
use crate::domain::value::{Value, python_float};

/// A text without some of its cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest {
    /// The text.
    pub text: String,
    /// Functions and classes at its top level that are empty without the cases named: they are still in the text.
    pub empty: BTreeSet<String>,
    /// Cases named that were not found.
    pub missing: BTreeSet<String>,
}

/// Takes cases out of a text: `test_total[ten]`, `TestCart::test_total`, `TestCart::test_total[ten]`. A name without either
/// is the caller's affair.
#[must_use]
pub fn without(text: &str, names: &[String]) -> Rest {
    let mut rest = Rest { text: text.to_owned(), empty: BTreeSet::new(), missing: BTreeSet::new() };
    let names: BTreeSet<&String> = names.iter().filter(|name| name.contains('[') || name.contains("::")).collect();
    let Some(tree) = syntax_tree(text).filter(|_| !names.is_empty()) else {
        rest.missing = names.into_iter().cloned().collect();
        return rest;
    };
    let tests = tests(text, tree.root_node());
    let mut found: BTreeSet<&String> = BTreeSet::new();
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut whole: BTreeSet<usize> = BTreeSet::new();
    for (at, test) in tests.iter().enumerate() {
        let table = test.table(text).unwrap_or_default();
        let gone: Vec<(usize, &String)> = names.iter().filter_map(|name| Some((table.row(test, name)?, *name))).collect();
        found.extend(gone.iter().map(|(_, name)| *name));
        let gone: BTreeSet<usize> = gone.into_iter().map(|(row, _)| row).collect();
        let named = names.iter().find(|name| name.as_str() == test.name);
        found.extend(named);
        if named.is_some() || (!gone.is_empty() && gone.len() == table.ids.len()) {
            whole.insert(at);
        } else {
            cuts.extend(table.lists.iter().flat_map(|list| items(text, *list, &gone)));
        }
    }
    for at in &whole {
        let test = &tests[*at];
        let stays = (0..).zip(&tests).any(|(other, beside)| beside.top() == test.top() && !whole.contains(&other));
        if test.name == test.top() || !stays {
            rest.empty.insert(test.top().to_owned());
        } else {
            cuts.push(lines_of(text, test.node.byte_range()));
        }
    }
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.start));
    for cut in cuts {
        rest.text.replace_range(cut, "");
    }
    rest.missing = names.into_iter().filter(|name| !found.contains(name)).cloned().collect();
    rest
}

/// A test function or method.
struct Test<'t> {
    /// `test_total`, `TestCart::test_total`.
    name: String,
    /// The definition, with its decorators.
    node: Node<'t>,
}

/// The rows of a `parametrize`.
#[derive(Default)]
struct Table<'t> {
    /// Of each row the names that pytest may give it.
    ids: Vec<Vec<String>>,
    /// The list of the rows, and that of their names where there is one.
    lists: Vec<Node<'t>>,
}

impl Table<'_> {
    /// Finds the row of a name; none where it may be that of several.
    fn row(&self, test: &Test<'_>, name: &str) -> Option<usize> {
        let id = name.strip_prefix(test.name.as_str())?.strip_prefix('[')?.strip_suffix(']')?;
        let mut fitting = (0..).zip(&self.ids).filter(|(_, ids)| ids.iter().any(|own| own == id));
        let (at, _) = fitting.next()?;
        fitting.next().is_none().then_some(at)
    }
}

fn tests<'t>(text: &str, root: Node<'t>) -> Vec<Test<'t>> {
    let mut found = Vec::new();
    collect(text, root, "", &mut found);
    found
}

fn collect<'t>(text: &str, body: Node<'t>, class: &str, found: &mut Vec<Test<'t>>) {
    for node in children(body) {
        let definition = node.child_by_field_name("definition").unwrap_or(node);
        let Some(name) = definition.child_by_field_name("name").map(|name| &text[name.byte_range()]) else { continue };
        let name = if class.is_empty() { name.to_owned() } else { format!("{class}::{name}") };
        match definition.kind() {
            "function_definition" if name.rsplit("::").next().is_some_and(|own| own.starts_with("test")) => {
                found.push(Test { name, node });
            }
            "class_definition" => {
                if let Some(body) = definition.child_by_field_name("body") {
                    collect(text, body, &name, found);
                }
            }
            _ => {}
        }
    }
}

impl<'t> Test<'t> {
    /// The function or class at the top level that it is in.
    fn top(&self) -> &str {
        self.name.split("::").next().unwrap_or(&self.name)
    }

    /// Reads the rows of its one `parametrize`; none where there are several, whose rows are multiplied.
    fn table(&self, text: &str) -> Option<Table<'t>> {
        let calls: Vec<Node<'_>> = decorator_nodes(self.node).into_iter().filter_map(|one| arguments(text, one)).collect();
        let [arguments] = calls.as_slice() else { return None };
        table(text, *arguments)
    }
}

/// Gives the arguments of a decorator that is `pytest.mark.parametrize(…)`.
fn arguments<'t>(text: &str, decorator: Node<'t>) -> Option<Node<'t>> {
    let function = &text[decorator.child_by_field_name("function")?.byte_range()];
    (function.rsplit('.').next() == Some("parametrize")).then(|| decorator.child_by_field_name("arguments"))?
}

fn table<'t>(text: &str, arguments: Node<'t>) -> Option<Table<'t>> {
    let plain: Vec<Node<'_>> = children(arguments).into_iter().filter(|node| node.kind() != "keyword_argument").collect();
    let argument = |at: usize, name: &str| plain.get(at).copied().or_else(|| keyword(text, arguments, name));
    let names = names(text, argument(0, "argnames")?)?;
    let list = unwrap_parentheses(argument(1, "argvalues")?);
    let values = sequence(list)?;
    let mut lists = vec![list];
    let given = match argument(3, "ids") {
        Some(list) => {
            lists.push(list);
            Some(sequence(list).filter(|list| list.len() == values.len())?)
        }
        None => None,
    };
    let id = |at: usize, value: Node<'_>| {
        let given = given.as_ref().map(|list| list[at]).filter(|node| node.kind() == "string");
        let own = param(text, value).and_then(|arguments| keyword(text, arguments, "id")).filter(|id| id.kind() == "string");
        own.or(given).map(|node| vec![escaped(&literal::string(&text[node.byte_range()]).value)])
    };
    let all: Vec<Vec<String>> =
        (0..).zip(&values).map(|(at, value)| id(at, *value).unwrap_or_else(|| ids(text, *value, &names, at))).collect();
    // Of rows with one name pytest numbers each.
    let numbered = |at: usize| {
        let first = all[at].first()?;
        let same: Vec<usize> = (0..all.len()).filter(|other| all[*other].first() == Some(first)).collect();
        let number = same.iter().position(|other| *other == at).filter(|_| same.len() > 1)?;
        Some(vec![format!("{first}{number}"), format!("{first}_{number}")])
    };
    Some(Table { ids: (0..all.len()).map(|at| numbered(at).unwrap_or_else(|| all[at].clone())).collect(), lists })
}

/// Gives the value of an argument that is given by name.
fn keyword<'t>(text: &str, arguments: Node<'t>, name: &str) -> Option<Node<'t>> {
    children(arguments).into_iter().filter(|node| node.kind() == "keyword_argument").find_map(|node| {
        let is_it = node.child_by_field_name("name").is_some_and(|own| &text[own.byte_range()] == name);
        is_it.then(|| node.child_by_field_name("value"))?
    })
}

/// Reads the names of the arguments: `"a, b"`, `("a", "b")`.
fn names(text: &str, node: Node<'_>) -> Option<Vec<String>> {
    let read = |node: Node<'_>| (node.kind() == "string").then(|| literal::string(&text[node.byte_range()]).value);
    if let Some(all) = read(unwrap_parentheses(node)) {
        return Some(all.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect());
    }
    sequence(node)?.into_iter().map(read).collect()
}

/// Gives the arguments of a `pytest.param(…)`.
fn param<'t>(text: &str, value: Node<'t>) -> Option<Node<'t>> {
    let function = value.child_by_field_name("function").filter(|_| value.kind() == "call")?;
    let is_param = text[function.byte_range()].rsplit('.').next() == Some("param");
    is_param.then(|| value.child_by_field_name("arguments"))?
}

/// Gives the ids that pytest may make of a row's values.
fn ids(text: &str, value: Node<'_>, names: &[String], at: usize) -> Vec<String> {
    let parts: Vec<Node<'_>> = match param(text, value) {
        Some(arguments) => children(arguments).into_iter().filter(|node| node.kind() != "keyword_argument").collect(),
        None if names.len() == 1 => vec![value],
        None => sequence(value).unwrap_or_default(),
    };
    if parts.len() != names.len() {
        return Vec::new();
    }
    let mut all = vec![String::new()];
    for (place, (part, name)) in parts.into_iter().zip(names).enumerate() {
        let joint = if place == 0 { "" } else { "-" };
        let own = part_ids(&text[part.byte_range()], name, at);
        all = all.iter().flat_map(|begin| own.iter().map(move |own| format!("{begin}{joint}{own}"))).take(MOST).collect();
    }
    all
}

/// Most ids that are tried for a row: a name may stand for a class or for anything else.
const MOST: usize = 64;

/// Gives the ids of one value: what it is written as, or else its argument's name and its row.
fn part_ids(source: &str, name: &str, at: usize) -> Vec<String> {
    let numbered = format!("{name}{at}");
    match claims::value(source) {
        Some(Value::None) => vec!["None".into()],
        Some(Value::Bool(value)) => vec![if value { "True" } else { "False" }.into()],
        Some(Value::Int(value)) => vec![value.to_string()],
        Some(Value::BigInt(value)) => vec![value],
        Some(Value::Float(value)) => vec![python_float(value)],
        Some(Value::Str(value)) => vec![escaped(&value)],
        Some(_) if !source.starts_with(['b', 'B']) => vec![numbered],
        _ => {
            let literal = literal::string(source);
            let last = source.rsplit('.').next().unwrap_or(source).to_owned();
            let bytes = if literal.bytes { vec![literal.value] } else { Vec::new() };
            let is_name = last.chars().all(|c| c.is_alphanumeric() || c == '_');
            // An enum's member is written whole.
            let named = if is_name { vec![last, source.to_owned()] } else { Vec::new() };
            bytes.into_iter().chain([numbered]).chain(named).collect()
        }
    }
}

/// Writes a text as pytest does in an id.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        ' '..='~' => c.to_string(),
        c if u32::from(c) < 0x100 => format!("\\x{:02x}", u32::from(c)),
        c if u32::from(c) < 0x1_0000 => format!("\\u{:04x}", u32::from(c)),
        c => format!("\\U{:08x}", u32::from(c)),
    };
    text.chars().map(escape).collect()
}

fn sequence(node: Node<'_>) -> Option<Vec<Node<'_>>> {
    let node = unwrap_parentheses(node);
    matches!(node.kind(), "list" | "tuple" | "set").then(|| children(node))
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Gives what goes when some items of a list go, but not all: lines of their own, or else the items with their commas.
fn items(text: &str, list: Node<'_>, gone: &BTreeSet<usize>) -> Vec<Range<usize>> {
    let all = children(list);
    let own_line = |node: &Node<'_>| {
        let Range { start, end } = node.byte_range();
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let below = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let behind = text[end..below].trim_start_matches([',', ' ']);
        let alone = text[line..start].trim().is_empty() && (behind.is_empty() || behind.starts_with('#'));
        alone.then(|| line..(below + 1).min(text.len()))
    };
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if !gone.contains(&at) {
            at += 1;
            continue;
        }
        if let Some(line) = own_line(&all[at]) {
            cuts.push(line);
            at += 1;
            continue;
        }
        let first = at;
        while gone.contains(&at) && at < all.len() && own_line(&all[at]).is_none() {
            at += 1;
        }
        let (begin, end) = (all[first].start_byte(), all[at - 1].end_byte());
        cuts.push(match all.get(at) {
            Some(next) => begin..next.start_byte(),
            // A tuple of one keeps its comma.
            None if list.kind() == "tuple" => begin..end,
            None => all[..first].last().map_or(begin, Node::end_byte)..end,
        });
    }
    cuts
}

/// Gives whole lines, with the blank ones above, or those below where there are none.
fn lines_of(text: &str, range: Range<usize>) -> Range<usize> {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let above = text[..line].trim_end().len();
    let start = text[above..].find('\n').map_or(line, |at| above + at + 1).min(line);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    let blank = |line: &&str| line.trim().is_empty() && line.ends_with('\n');
    let below: usize = text[end..].split_inclusive('\n').take_while(blank).map(str::len).sum();
    start..if start == line { end + below } else { end }
}

#[cfg(test)]
mod tests;
