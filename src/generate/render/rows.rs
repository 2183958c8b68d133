//! R25: cases of one shape as rows of a parametrized test.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::call::Outcome;
use crate::domain::function::Function;
use crate::domain::value::Value;
use crate::domain::way::Given;
use crate::generate::act::{Act, Target, operand};
use crate::generate::case::{Case, CaseArgument, Ending, Wrap};
use crate::generate::expect::details::PLACE;
use crate::generate::expect::{Assertion, RESULT, Relation};
use crate::generate::layout::{Expr, Item, WIDTH, string};
use crate::generate::names;
use crate::generate::project::Project;
use crate::generate::raises::{Message, Raises};
use crate::generate::render::parts::{Test, compare, definition, docstring, raises, wrapped};
use crate::generate::repr::repr;
use crate::generate::scope::{Import, Scope, is_identifier, snake};
use crate::generate::statement::lines_of;
use crate::generate::surroundings::Laid;

/// Fewer cases are read better as tests of their own.
pub const ROWS_MIN: usize = 3;

/// R25: longer tables are not read.
const ROWS_MAX: usize = 25;

/// Rows of more lines are read better as tests of their own.
const ROW_LINES_MAX: usize = 8;

/// Cases that differ in values only.
pub(super) struct Group<'c> {
    pub(super) cases: Vec<&'c Case>,
}

/// Splits cases into groups of one shape and single ones.
pub(super) fn group<'c>(cases: &'c [Case], scope: &Scope) -> (Vec<Group<'c>>, Vec<&'c Case>) {
    let mut shapes: BTreeMap<Option<String>, Vec<&Case>> = BTreeMap::new();
    // What `repr` looks at is asked of all rows of a table.
    let told = cases.iter().any(|case| looks(case).any(|look| look.starts_with("repr(")));
    for case in cases {
        let shape = shape(case).map(|shape| if told && is_told(case) { format!("{shape} told") } else { shape });
        shapes.entry(shape).or_default().push(case);
    }
    let mut groups = Vec::new();
    let mut single: Vec<&Case> = shapes.remove(&None).unwrap_or_default();
    let tables = shapes.into_values().flat_map(|members| members.chunks(ROWS_MAX).map(<[_]>::to_vec).collect::<Vec<_>>());
    for members in tables {
        let group = Group { cases: members };
        if group.cases.len() >= ROWS_MIN && Table::new(&group, scope).is_some() {
            groups.push(group);
        } else {
            single.extend(group.cases);
        }
    }
    groups.sort_by_key(|group| group.cases.iter().map(|case| position(cases, case)).min());
    single.sort_by_key(|case| position(cases, case));
    (groups, single)
}

fn position(cases: &[Case], case: &Case) -> usize {
    cases.iter().position(|other| other.call == case.call).unwrap_or(usize::MAX)
}

/// Describes everything of a case but its values; `None` when it cannot be a row.
#[must_use]
pub fn shape(case: &Case) -> Option<String> {
    let is_left_out = |arg: &CaseArgument| arg.recorded.given == Given::LeftOut;
    let single_items = case.args.iter().all(|arg| is_left_out(arg) || !arg.recorded.kind.is_variadic() && arg.items.len() == 1);
    let left_out: Vec<bool> = case.args.iter().map(is_left_out).collect();
    let scalars = case.args.iter().flat_map(|arg| &arg.items).all(|item| item.value.flat().len() <= 60);
    let loud = !case.printed.is_empty() || case.warns.is_some();
    if case.laid != Laid::default() || !single_items || !scalars || loud || case.wrap.is_statement() {
        return None;
    }
    let on_receiver = matches!(case.target, Target::Object(_) | Target::Unbound { .. });
    if !on_receiver && !case.setup.is_empty() {
        return None;
    }
    let ending = match &case.ending {
        Ending::Raises(raised) if case.assertions.is_empty() => {
            let message = match &raised.message {
                Some(Message::Whole(_)) => "says",
                Some(Message::Part(_)) => "tells",
                None => "",
            };
            let carried: Vec<String> =
                raised.carried.iter().map(|part| format!("{} {:?}", part.subject, part.relation)).collect();
            format!("raises {} {message} {}", raised.class, carried.join(","))
        }
        Ending::Returns => format!("{:?}{}", relation(case)?, closer_looks(case)),
        _ => return None,
    };
    let setup: Vec<String> = case.setup.iter().flat_map(|statement| statement.lines(4)).collect();
    let wrap = match case.wrap {
        Wrap::First(count) => format!("first {count}"),
        other => format!("{other:?}"),
    };
    Some(format!("{ending}|{wrap}|{left_out:?}|{:?}|{}", case.target, setup.join("\n")))
}

/// The one comparison of a row; exact digits go with `==`.
fn relation(case: &Case) -> Option<Relation> {
    let plain: Vec<&Assertion> = case.assertions.iter().filter(|assertion| assertion.look.is_none()).collect();
    let of_result = plain.iter().all(|assertion| assertion.subject.chars().eq([RESULT]));
    let relations: Vec<Relation> = plain.iter().map(|assertion| assertion.relation).collect();
    match (of_result, relations.as_slice()) {
        (true, [relation @ (Relation::Is | Relation::Equal | Relation::Approx)]) => {
            let decimal = case.assertions[0].expected.flat().starts_with("Decimal(");
            Some(if decimal { Relation::Text } else { *relation })
        }
        (true, [Relation::Equal, Relation::Text]) => Some(Relation::Text),
        _ => None,
    }
}

/// Lists the closer looks at a row's result, as code with [`PLACE`] for it.
fn looks(case: &Case) -> impl Iterator<Item = &str> {
    case.assertions.iter().filter_map(|assertion| assertion.look.as_deref())
}

/// Describes the closer looks at the result of a case, so that all rows of a table can be looked at in the same way.
fn closer_looks(case: &Case) -> String {
    // A look at a field means something for every result of its class, and `repr` for all plain ones.
    if looks(case).all(|look| !look.contains('[')) { String::new() } else { looks(case).collect::<Vec<_>>().join(",") }
}

/// Tells whether a result is a plain container.
fn is_told(case: &Case) -> bool {
    match &case.outcome {
        Outcome::Returned(value @ (Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Dict(_))) => repr(value).is_some(),
        _ => false,
    }
}

/// One column: its name, how the body uses it, and a value for each row.
struct Column {
    name: String,
    used: Expr,
    values: Vec<Expr>,
}

/// The rows of a parametrized test.
struct Table {
    /// For each argument its expression in the body, none for one that is left out.
    args: Vec<Option<Expr>>,
    expected: Option<Expr>,
    message: Option<Expr>,
    /// For each thing that the exception carries what it is compared with.
    carried: Vec<Expr>,
    columns: Vec<Column>,
    /// Each on a line, or broken from outside in.
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(group: &Group<'_>, scope: &Scope) -> Option<Self> {
        let first = group.cases.first()?;
        let mut taken: BTreeSet<String> = first.locals.clone();
        let mut columns = Vec::new();
        let mut args = Vec::new();
        for (at, arg) in first.args.iter().enumerate() {
            if arg.items.is_empty() {
                args.push(None);
                continue;
            }
            let mut values = Vec::new();
            for case in &group.cases {
                values.push(case.args.get(at)?.items.first()?.value.clone());
            }
            args.push(Some(column(&arg.recorded.name, values, &mut columns, scope, &mut taken)));
        }
        let mut expected = None;
        let mut message = None;
        let mut carried = Vec::new();
        match &first.ending {
            Ending::Returns => {
                let values = group.cases.iter().map(|case| case.assertions.first().map(|assertion| assertion.expected.clone()));
                expected = Some(fixed_column("expected", values.collect::<Option<Vec<_>>>()?, &mut columns));
            }
            Ending::Raises(first) => {
                let all: Vec<&Raises> = group.cases.iter().filter_map(|case| raised(case)).collect();
                let text = |raised: &&Raises| raised.message.as_ref().map(|message| Expr::Text(message.text().to_owned()));
                let texts: Option<Vec<Expr>> = all.iter().map(text).collect();
                if let Some(texts) = texts
                    && texts.iter().any(|text| *text != texts[0])
                {
                    message = Some(fixed_column("message", texts, &mut columns));
                }
                for (at, part) in first.carried.iter().enumerate() {
                    let expected = |raised: &&Raises| raised.carried.get(at).map(|part| part.expected.clone());
                    let values = all.iter().map(expected).collect::<Option<Vec<_>>>()?;
                    let name = part.subject.rsplit('.').next().filter(|name| is_identifier(name)).unwrap_or("expected");
                    let same = columns.iter().find(|column| column.values == values).map(|column| column.used.clone());
                    carried.push(same.unwrap_or_else(|| column(name, values, &mut columns, scope, &mut taken)));
                }
            }
            Ending::RaisesAfter(..) => return None,
        }
        if columns.is_empty() || (columns.len() == 1 && columns[0].name == "expected") {
            return None;
        }
        let ids = names::words(&group.cases, names::Use::Rows, names::ID_MAX).into_iter();
        let rows: Vec<Vec<String>> = ids
            .enumerate()
            .map(|(row, id)| {
                let mut items: Vec<Item> = columns.iter().map(|column| Item::from(column.values[row].clone())).collect();
                items.push(Item { prefix: "id=".into(), ..Item::from(Expr::Text(id)) });
                Expr::call_with("pytest.param", items).lines(8, "", ",")
            })
            .collect();
        rows.iter().all(|row| row.len() <= ROW_LINES_MAX).then_some(Self { args, expected, message, carried, columns, rows })
    }
}

fn raised(case: &Case) -> Option<&Raises> {
    match &case.ending {
        Ending::Raises(raised) => Some(raised),
        _ => None,
    }
}

/// Adds a column where the values differ, and gives the expression that the body uses.
fn column(name: &str, values: Vec<Expr>, columns: &mut Vec<Column>, scope: &Scope, taken: &mut BTreeSet<String>) -> Expr {
    if let Some(first) = values.first()
        && values.iter().all(|value| value == first)
    {
        return first.clone();
    }
    let name = scope.local(name, taken);
    fixed_column(&name, values, columns)
}

fn fixed_column(name: &str, values: Vec<Expr>, columns: &mut Vec<Column>) -> Expr {
    let (used, values) = match hoisted(&values) {
        Some((open, bare)) => {
            let items = vec![Item::from(Expr::atom(name))];
            (Expr::Bracket { open, items, close: ')', one_tuple: false }, bare)
        }
        None => (Expr::atom(name), values),
    };
    columns.push(Column { name: name.to_owned(), used: used.clone(), values });
    used
}

/// `Decimal("1")`, `Decimal("2")` → `Decimal(…)` in the body, `"1"`, `"2"` in the rows.
fn hoisted(values: &[Expr]) -> Option<(String, Vec<Expr>)> {
    let mut shared: Option<&str> = None;
    let mut bare = Vec::new();
    for value in values {
        let Expr::Bracket { open, items, close: ')', one_tuple: false } = value else { return None };
        let [Item { prefix, value: Expr::Text(text) }] = items.as_slice() else { return None };
        if !prefix.is_empty() || open == "(" || shared.is_some_and(|shared| shared != open) {
            return None;
        }
        shared = Some(open);
        bare.push(Expr::Text(text.clone()));
    }
    shared.map(|open| (open.to_owned(), bare))
}

/// Names the test of rows that raise.
pub(super) fn raises_word(group: &Group<'_>) -> String {
    match &group.cases[0].ending {
        Ending::Raises(raised) => format!("raises_{}", snake(raised.class.rsplit('.').next().unwrap_or(&raised.class))),
        _ => String::new(),
    }
}

/// Names the test of a second group of rows.
pub(super) fn relation_word(group: &Group<'_>) -> String {
    match relation(group.cases[0]) {
        Some(Relation::Is) => "answers".into(),
        Some(Relation::Approx) => "approximates".into(),
        _ => "returns".into(),
    }
}

/// Writes the parametrized test of a group.
pub(super) fn test(group: &Group<'_>, name: String, project: Project<'_>, function: &Function, scope: &Scope) -> Test {
    let mut imports = BTreeSet::from([Import::module("pytest")]);
    let first = group.cases[0];
    let mut lines = Vec::new();
    let Some(table) = Table::new(group, scope) else {
        return Test { lines, imports, helpers: Vec::new() };
    };
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let quoted: Vec<String> = names.iter().map(|name| string(name)).collect();
    let head = if let [one] = quoted.as_slice() { one.clone() } else { format!("({})", quoted.join(", ")) };
    lines.push("@pytest.mark.parametrize(".to_owned());
    lines.push(format!("    {head},"));
    lines.push("    [".into());
    lines.extend(table.rows.iter().flatten().cloned());
    lines.push("    ],".into());
    lines.push(")".into());
    lines.extend(definition(first, &name, &names, &mut imports));
    lines.push(docstring(&group.cases, project));
    lines.extend(lines_of(&first.setup, 4));
    let items = table.args.iter().map(|expr| expr.iter().cloned().map(Item::from).collect()).collect();
    if let Ok(act) = first.act(function, items) {
        match &first.ending {
            Ending::Raises(raised) => {
                let mut raised = raised.clone();
                for (part, expected) in raised.carried.iter_mut().zip(&table.carried) {
                    part.expected = expected.clone();
                }
                lines.extend(raises(first, &act, &raised, table.message.as_ref(), &mut imports));
            }
            _ => {
                let looks: BTreeSet<&str> = group.cases.iter().flat_map(|case| looks(case)).collect();
                lines.extend(body(first, &act, &table, &looks));
            }
        }
    }
    Test { lines, imports, helpers: Vec::new() }
}

fn body(first: &Case, act: &Act, table: &Table, looks: &BTreeSet<&str>) -> Vec<String> {
    let (Act::Value(expr), Some(expected)) = (act, &table.expected) else { return Vec::new() };
    let expr = wrapped(expr, first.wrap);
    let relation = relation(first).unwrap_or(Relation::Equal);
    if relation == Relation::Text {
        let mut lines = expr.lines(4, "result = ", "");
        lines.extend(compare(Relation::Equal, "result", expected, 4));
        let digits = match expected {
            Expr::Bracket { .. } | Expr::Chain(..) => {
                table.columns.iter().find(|column| column.used == *expected).map(|column| column.name.clone())
            }
            _ => None,
        };
        lines.extend(match digits {
            Some(name) => vec![format!("    assert str(result) == {name}")],
            None => vec![format!("    assert str(result) == str({})", expected.flat())],
        });
        return lines;
    }
    if !looks.is_empty() {
        let mut lines = expr.lines(4, "result = ", "");
        lines.extend(compare(relation, "result", expected, 4));
        for look in looks {
            let seen = |what: &str| look.replace(PLACE, what);
            let sign = if look.starts_with("type(") { "is" } else { "==" };
            lines.push(format!("    assert {} {sign} {}", seen("result"), seen(&operand(expected))));
        }
        return lines;
    }
    let inline = compare(relation, &operand(&expr), expected, 4);
    match inline.as_slice() {
        [line] if text::width(line) <= WIDTH => inline,
        _ => {
            let mut lines = expr.lines(4, "result = ", "");
            lines.extend(compare(relation, "result", expected, 4));
            lines
        }
    }
}
