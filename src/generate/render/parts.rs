//! The parts that a test of one case and a test of rows have in common: head, docstring, act, exception.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::call::{COUNTED, told};
use crate::domain::function::FunctionId;
use crate::domain::proposal::Helper;
use crate::generate::act::{Act, operand};
use crate::generate::case::{Case, Wrap};
use crate::generate::expect::details::settled;
use crate::generate::expect::{Assertion, Relation, approx};
use crate::generate::layout::{Expr, Item, WIDTH};
use crate::generate::project::Project;
use crate::generate::raises::{CAUGHT, Message, Raises};
use crate::generate::scope::Import;
use crate::generate::statement::unused;

/// One test of a draft.
pub(super) struct Test {
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// Imports besides those of its cases.
    pub(super) imports: BTreeSet<Import>,
    /// Files it needs.
    pub(super) helpers: Vec<Helper>,
}

/// Writes the line that defines a test, and the mark it needs above it (R7).
pub(super) fn definition(case: &Case, name: &str, parameters: &[&str], imports: &mut BTreeSet<Import>) -> Vec<String> {
    let by = case.wrap.awaits();
    // The marks of a recorded test may hold it.
    let mark = by.mark().filter(|mark| !case.laid.decorators.iter().any(|line| line.starts_with(mark)));
    let mut lines: Vec<String> = mark.map(ToOwned::to_owned).into_iter().collect();
    if !lines.is_empty() {
        imports.insert(Import::module("pytest"));
    }
    let kind = if by.is_native() || case.laid.is_async { "async def" } else { "def" };
    lines.push(format!("{kind} {name}({}):", parameters.join(", ")));
    lines
}

/// Writes the act of a case that raises, within its context manager, and what is asserted of the exception. `message` is an
/// expression in place of the recorded message.
pub(super) fn raises(
    case: &Case,
    act: &Act,
    raised: &Raises,
    message: Option<&Expr>,
    imports: &mut BTreeSet<Import>,
) -> Vec<String> {
    let (mut lines, carried) = context("pytest.raises", raised, message, imports);
    match act {
        Act::Value(expr) => lines.extend(run_only(expr, case.wrap)),
        Act::Construct(expr) => lines.extend(expr.lines(8, "", "")),
        Act::Statement(statement) => lines.extend(statement.lines(8)),
    }
    lines.extend(carried);
    for assertion in &case.assertions {
        lines.extend(assertion.lines(&case.result, 4));
    }
    lines
}

/// Writes `with pytest.raises(…):`, and the assertions that follow what is done in it.
pub(super) fn context(
    manager: &str,
    raised: &Raises,
    message: Option<&Expr>,
    imports: &mut BTreeSet<Import>,
) -> (Vec<String>, Vec<String>) {
    imports.insert(Import::module("pytest"));
    let (pattern, said) = match (message, &raised.message) {
        (Some(text), Some(Message::Whole(_))) => (None, Some(text.clone())),
        (Some(text), _) => (Some((Expr::call("re.escape", vec![text.clone()]), true)), None),
        (None, Some(message)) => match raised.pattern(manager) {
            None => (None, Some(Expr::Text(message.text().to_owned()))),
            pattern => (pattern, None),
        },
        (None, None) => (None, None),
    };
    let carried = settled(&raised.carried, CAUGHT);
    let asserted: Vec<Assertion> = said.map(Raises::said).into_iter().chain(carried).collect();
    let mut items = vec![Item::from(Expr::atom(raised.class.clone()))];
    if let Some((pattern, needs_re)) = pattern {
        if needs_re {
            imports.insert(Import::module("re"));
        }
        items.push(Item::keyword("match", pattern));
    }
    let suffix = if asserted.is_empty() { ":" } else { " as caught:" };
    let lines = Expr::call_with(manager, items).lines(4, "with ", suffix);
    (lines, asserted.iter().flat_map(|assertion| assertion.lines(CAUGHT, 4)).collect())
}

/// Writes the act where nobody looks at its value, below a context manager.
pub(super) fn run_only(expr: &Expr, wrap: Wrap) -> Vec<String> {
    let expr = wrapped(expr, wrap);
    expr.lines(8, unused(&expr), "")
}

/// Writes how the value of the act is come by.
pub(in crate::generate) fn wrapped(expr: &Expr, wrap: Wrap) -> Expr {
    match wrap {
        Wrap::Plain | Wrap::With | Wrap::CollectAsync(_) | Wrap::FirstAsync(..) | Wrap::WithAsync(_) => expr.clone(),
        Wrap::Await(by) if by.is_native() => awaited(expr),
        Wrap::Await(_) => Expr::call("asyncio.run", vec![expr.clone()]),
        Wrap::Each => Expr::Atom(format!("[list(item) for item in {}]", expr.flat())),
        Wrap::Collect => Expr::call("list", vec![without_iter(expr)]),
        Wrap::First(count) => {
            Expr::call("list", vec![Expr::call("itertools.islice", vec![expr.clone(), Expr::Atom(count.to_string())])])
        }
    }
}

/// `list(iter(box))` → `list(box)`: the iterator is asked for all the same.
fn without_iter(expr: &Expr) -> Expr {
    let inner = match expr {
        Expr::Atom(text) => text.strip_prefix("iter(").and_then(|rest| rest.strip_suffix(')')),
        _ => None,
    };
    inner.map_or_else(|| expr.clone(), Expr::atom)
}

fn awaited(expr: &Expr) -> Expr {
    match expr.clone() {
        Expr::Bracket { open, items, close, one_tuple } => {
            Expr::Bracket { open: format!("await {open}"), items, close, one_tuple }
        }
        other => Expr::Atom(format!("await {}", operand(&other))),
    }
}

/// Says where the cases were recorded: the place that called most often; or that nobody recorded them.
pub(super) fn docstring(cases: &[&Case], project: Project<'_>) -> String {
    let total: u64 = cases.iter().map(|case| case.times).sum();
    let mut places: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for case in cases {
        if let Some((caller, line)) = &case.caller {
            *places.entry((file_of(caller, project), *line)).or_default() += case.times;
        }
    }
    let calls = told(total, total > COUNTED);
    let most = places.iter().max_by(|(a, x), (b, y)| x.cmp(y).then(b.cmp(a)));
    let said = match most {
        _ if total == 0 => "Not recorded: an input beside those of recorded calls.".to_owned(),
        Some(((file, line), _)) if places.len() > 1 => {
            format!("Recorded from {file}:{line} and {} ({calls}).", text::count(places.len() - 1, "other place"))
        }
        Some(((file, line), _)) => format!("Recorded from {file}:{line} ({calls})."),
        None => format!("Recorded from {calls}."),
    };
    let line = |said: &str| {
        let safe: String = text::display_line(said).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
        format!("    \"\"\"{safe}\"\"\"")
    };
    // A file may have a long name.
    Some(line(&said)).filter(|line| text::width(line) <= WIDTH).unwrap_or_else(|| line(&format!("Recorded from {calls}.")))
}

fn file_of(caller: &FunctionId, project: Project<'_>) -> String {
    match (project.module)(caller.module()) {
        Some(module) => module.path.file_name().to_owned(),
        None => caller.module().to_owned(),
    }
}

/// Writes the comparison of a row's result.
pub(super) fn compare(relation: Relation, subject: &str, expected: &Expr, indent: usize) -> Vec<String> {
    match relation {
        Relation::Is => expected.lines(indent, &format!("assert {subject} is "), ""),
        Relation::Approx => approx(expected).lines(indent, &format!("assert {subject} == "), ""),
        _ => expected.lines(indent, &format!("assert {subject} == "), ""),
    }
}
