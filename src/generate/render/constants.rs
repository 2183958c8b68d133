//! R4: what is long to read stands apart from its test: as a constant above it, or as a file beside it.
//!
//! A constant's name begins with [`EXPECTED`] or [`GIVEN`], by which the parts of a file are separated again: it goes where its test
//! goes. A file is called by what it holds, so that it never has to be written over.

use crate::base::hash;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::proposal::Helper;
use crate::generate::case::Case;
use crate::generate::expect::{Assertion, Relation};
use crate::generate::layout::{Expr, Item, WIDTH, string};
use crate::generate::statement::Statement;
use crate::generate::trim::has_word;
use crate::source::outline::{EXPECTED, GIVEN};

/// The folder of the files, beside the tests.
pub const FOLDER: &str = "data";

/// More lines than this hide what a test does.
const LINES_MAX: usize = 8;
/// More characters of code than this are no constant that anybody reads.
const CONSTANT_MAX: usize = 4_000;
/// More than this is no file that anybody reviews.
const FILE_MAX: usize = 20_000;
/// Lines of text stand as they are from this many on.
const TEXT_LINES_MIN: usize = 3;

/// A case whose long values stand apart, and where they stand.
pub(super) struct Apart {
    pub(super) case: Case,
    /// Lines above the test.
    pub(super) above: Vec<String>,
    /// Lines at its beginning.
    pub(super) first: Vec<String>,
    pub(super) helpers: Vec<Helper>,
    /// Modules that the lines need.
    pub(super) modules: Vec<&'static str>,
}

/// Tells whether every value that is asserted can be written down somewhere.
#[must_use]
pub fn has_room(case: &Case) -> bool {
    case.assertions.iter().all(|assertion| {
        let length = assertion.expected.flat().len();
        length <= CONSTANT_MAX || (stands_apart(assertion.relation) && length <= FILE_MAX && filed(&assertion.expected).is_some())
    })
}

/// Tells whether a text that is given to what is tested stands apart.
fn is_long(text: &str) -> bool {
    let lines = Expr::Text(text.to_owned()).lines(8, "", "").len();
    lines > LINES_MAX && text.len() <= CONSTANT_MAX
}

/// Gives an expression in which long texts are names, which `name` gives.
fn with_names(expr: &Expr, name: &mut impl FnMut(&str) -> String) -> Expr {
    match expr {
        Expr::Text(text) if is_long(text) => Expr::Atom(name(text)),
        Expr::Atom(_) | Expr::Text(_) => expr.clone(),
        Expr::Bracket { open, items, close, one_tuple } => Expr::Bracket {
            open: open.clone(),
            items: items.iter().map(|item| Item { value: with_names(&item.value, name), ..item.clone() }).collect(),
            close: *close,
            one_tuple: *one_tuple,
        },
        Expr::Chain(first, then) => Expr::Chain(Box::new(with_names(first, name)), Box::new(with_names(then, name))),
    }
}

/// Gives an expression in which long texts are marked; `given` gets each mark and its text. [`above`] writes them.
pub(in crate::generate) fn marked(expr: &Expr, given: &mut Vec<(String, String)>) -> Expr {
    with_names(expr, &mut |text| {
        let name = format!("{GIVEN}{}", mark(text));
        if !given.iter().any(|(known, _)| *known == name) {
            given.push((name.clone(), text.to_owned()));
        }
        name
    })
}

/// Writes the constants for marked texts above a test, and names them in its lines.
pub(in crate::generate) fn above(given: &[(String, String)], test: &str, lines: &mut Vec<String>) {
    let own = test.strip_prefix("test_").unwrap_or(test);
    let mut above = Vec::new();
    for (at, (mark, text)) in given.iter().enumerate() {
        let name = constant_name(GIVEN, own, at + 1);
        lines.iter_mut().for_each(|line| *line = line.replace(mark, &name));
        above.extend(constant(&name, &Expr::Text(text.clone())));
    }
    if !above.is_empty() {
        above.extend([String::new(), String::new()]);
        lines.splice(0..0, above);
    }
}

/// Gives a case as it is once its long texts stand apart: to tell how long what stays is.
#[must_use]
pub fn without_long_texts(case: &Case) -> Case {
    let mut case = case.clone();
    name_long_texts(&mut case, &mut |_| GIVEN.to_owned());
    case
}

fn name_long_texts(case: &mut Case, name: &mut impl FnMut(&str) -> String) {
    for statement in case.setup.iter_mut().filter(|statement| !statement.is_definition()) {
        statement.value = with_names(&statement.value, name);
    }
    for item in case.args.iter_mut().flat_map(|arg| &mut arg.items) {
        item.value = with_names(&item.value, name);
    }
}

/// Sets the long values of a test apart; what it is given stays where a fixture makes that.
pub(super) fn apart(case: &Case, test: &str, target: &RelPath, has_fixture: bool) -> Apart {
    let mut apart = Apart { case: case.clone(), above: vec![], first: vec![], helpers: vec![], modules: vec![] };
    let own = test.strip_prefix("test_").unwrap_or(test);
    let mut given: Vec<String> = Vec::new();
    if !has_fixture {
        name_long_texts(&mut apart.case, &mut |text| {
            let at = given.iter().position(|known| known == text).unwrap_or_else(|| {
                given.push(text.to_owned());
                given.len() - 1
            });
            constant_name(GIVEN, own, at + 1)
        });
        for (at, text) in given.iter().enumerate() {
            apart.above.extend(constant(&constant_name(GIVEN, own, at + 1), &Expr::Text(text.clone())));
        }
    }
    let mut number = 0;
    for at in 0..case.assertions.len() {
        let Assertion { relation, expected, .. } = &case.assertions[at];
        if let Expr::Text(text) = expected
            && stands_apart(*relation)
            && let Some(place) = given.iter().position(|known| known == text)
        {
            apart.case.assertions[at].expected = Expr::Atom(constant_name(GIVEN, own, place + 1));
            continue;
        }
        if !stands_apart(*relation) || case.assertions[at].lines(&case.result, 4).len() <= LINES_MAX + 1 {
            continue;
        }
        if expected.flat().len() > CONSTANT_MAX {
            let Some((helper, modules, read)) = file(expected, own, target).filter(|_| apart.helpers.is_empty()) else {
                continue;
            };
            apart.first.push(format!(
                "    recorded = pathlib.Path(__file__).with_name(\"{FOLDER}\") / {}",
                string(helper.path.file_name())
            ));
            apart.modules.extend(modules);
            apart.helpers.push(helper);
            apart.case.assertions[at].expected = read;
            continue;
        }
        // What the test itself makes, or is given, has no name outside of it.
        let names = without_texts(&expected.flat());
        let made = case.setup.iter().filter_map(Statement::bound);
        let passed = case.laid.fixtures.iter().copied().chain(case.laid.params.iter().map(String::as_str));
        if made.chain(passed).any(|name| has_word(&names, name)) {
            continue;
        }
        number += 1;
        let name = constant_name(EXPECTED, own, number);
        apart.above.extend(constant(&name, expected));
        apart.case.assertions[at].expected = Expr::Atom(name);
    }
    if !apart.above.is_empty() {
        apart.above.extend([String::new(), String::new()]);
    }
    apart
}

fn constant_name(prefix: &str, test: &str, number: usize) -> String {
    let count = if number == 1 { String::new() } else { format!("_{number}") };
    format!("{prefix}{}{count}", test.to_uppercase())
}

/// Tells whether what is compared so may have a name of its own.
fn stands_apart(relation: Relation) -> bool {
    matches!(relation, Relation::Equal | Relation::Named | Relation::By(_))
}

/// Gives the code of an expression with nothing in its string literals.
fn without_texts(code: &str) -> String {
    let mut rest = String::new();
    let mut open = None;
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match open {
            Some(_) if c == '\\' => drop(chars.next()),
            Some(quote) if c == quote => open = None,
            Some(_) => {}
            None => {
                open = matches!(c, '"' | '\'').then_some(c);
                rest.push(c);
            }
        }
    }
    rest
}

/// Writes a constant: lines of text as they are, everything else as it would stand in the test.
fn constant(name: &str, value: &Expr) -> Vec<String> {
    match value {
        Expr::Text(text) if reads_line_by_line(text) => {
            let mut lines = vec![format!("{name} = \"\"\"\\")];
            lines.extend(text.lines().map(ToOwned::to_owned));
            match (text.ends_with('\n'), lines.last_mut()) {
                (false, Some(last)) => last.push_str("\"\"\""),
                _ => lines.push("\"\"\"".to_owned()),
            }
            lines
        }
        other => other.lines(0, &format!("{name} = "), ""),
    }
}

fn reads_line_by_line(text: &str) -> bool {
    let plain = |line: &str| !string(line).contains('\\') && line.trim_end() == line && text::width(line) <= WIDTH;
    text.lines().count() >= TEXT_LINES_MIN
        && !text.contains("\"\"\"")
        && !text.ends_with('"')
        && text.split('\n').all(plain)
        // `lines` takes one empty line at the end for none.
        && !text.ends_with("\n\n")
}

/// Writes a file, and gives the modules and the expression that read it.
fn file(value: &Expr, test: &str, target: &RelPath) -> Option<(Helper, Vec<&'static str>, Expr)> {
    let (ending, text) = filed(value)?;
    let folder = target.as_str().strip_suffix(target.file_name())?;
    let path = RelPath::new(format!("{folder}{FOLDER}/{test}-{}.{ending}", mark(&text)))?;
    let read = Expr::atom("recorded.read_text(encoding=\"utf-8\")");
    let helper = Helper { path, text };
    Some(if ending == "json" {
        (helper, vec!["json", "pathlib"], Expr::call("json.loads", vec![read]))
    } else {
        (helper, vec!["pathlib"], read)
    })
}

/// Gives the part of a file's name that says what it holds.
#[must_use]
pub fn mark(text: &str) -> String {
    hash::of(text.as_bytes()).to_string().chars().take(8).collect()
}

/// Gives a value as the content of a file, with the ending of its name; `None` for what neither is text nor JSON.
fn filed(value: &Expr) -> Option<(&'static str, String)> {
    match value {
        // Line ends are translated when a text is read.
        Expr::Text(text) if !text.contains('\r') => Some(("txt", text.clone())),
        other => serde_json::to_string_pretty(&json(other)?).ok().map(|text| ("json", text + "\n")),
    }
}

/// Gives what JSON says of an expression, if reading that gives the very same value.
fn json(value: &Expr) -> Option<serde_json::Value> {
    use serde_json::Value;
    match value {
        Expr::Text(text) => Some(Value::String(text.clone())),
        Expr::Atom(text) => match text.as_str() {
            "None" => Some(Value::Null),
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            number => number.parse::<i64>().ok().map(Value::from),
        },
        Expr::Bracket { open, items, .. } if open == "[" => items
            .iter()
            .map(|item| if item.prefix.is_empty() { json(&item.value) } else { None })
            .collect::<Option<Vec<_>>>()
            .map(Value::Array),
        Expr::Bracket { open, items, close: '}', .. } if open == "{" => {
            let mut pairs = serde_json::Map::new();
            for item in items {
                let key = item.prefix.strip_prefix('"')?.strip_suffix("\": ")?;
                if key.contains(['"', '\\']) || pairs.insert(key.to_owned(), json(&item.value)?).is_some() {
                    return None;
                }
            }
            Some(Value::Object(pairs))
        }
        Expr::Bracket { .. } | Expr::Chain(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_text_stand_as_they_are() {
        let written = |text: &str| constant("EXPECTED_X", &Expr::Text(text.into())).join("\n");
        assert_eq!(written("a\n  b\nc\n"), "EXPECTED_X = \"\"\"\\\na\n  b\nc\n\"\"\"");
        assert_eq!(written("a\n\"b\"\nc"), "EXPECTED_X = \"\"\"\\\na\n\"b\"\nc\"\"\"");
        for other in ["a\n", "a\nb \nc\n", "a\nb\\n\nc\n", "a\n\"\"\"\nc\n", "a\nb\nc\"", "a\nb\tc\nd\n", "a\nb\n\n\n"] {
            assert!(!written(other).contains("\"\"\"\\\n"), "{other:?}");
        }
    }

    #[test]
    fn names_in_texts_are_no_names() {
        let code = r#"{"node": [node, 'a\'node', "\\"], b"x": made.node}"#;
        assert_eq!(without_texts(code), r#"{": [node, ', "], b": made.node}"#);
    }

    #[test]
    fn only_what_comes_back_the_same_becomes_a_file() {
        let row = |key: &str, value: Expr| Expr::dict(vec![(Expr::Text(key.into()), value)]);
        let list = Expr::list(vec![row("id", Expr::atom("1")), Expr::atom("None"), Expr::Text("é".into())]);
        let (ending, text) = filed(&list).unwrap();
        assert_eq!((ending, text.as_str()), ("json", "[\n  {\n    \"id\": 1\n  },\n  null,\n  \"é\"\n]\n"));
        assert_eq!(filed(&Expr::Text("a\nb".into())), Some(("txt", "a\nb".to_owned())));
        assert_eq!(filed(&Expr::Text("a\r\n".into())), Some(("json", "\"a\\r\\n\"\n".to_owned())));
        for other in [Expr::tuple(vec![]), Expr::atom("0.5"), Expr::atom("x.y"), row("a\"b", Expr::atom("1"))] {
            assert_eq!(filed(&other), None, "{other:?}");
        }
    }
}
