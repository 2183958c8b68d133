//! Cases → the text of a draft (R23–R28): plain tests, or rows of one test where at least three share a shape.

pub mod constants;
mod fixtures;
mod imports;
pub(super) mod parts;
pub mod rows;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::CallId;
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Draft, LeftOut, Origin};
use crate::generate::act::{Act, Target, operand};
use crate::generate::case::{Case, Ending, Wrap};
use crate::generate::expect::details::settled;
use crate::generate::expect::{Assertion, RESULT, Relation};
use crate::generate::graph;
use crate::generate::layout::{Expr, WIDTH};
use crate::generate::names;
use crate::generate::project::Project;
use crate::generate::raises::Raises;
use crate::generate::render::constants::Apart;
use crate::generate::render::fixtures::Fixture;
use crate::generate::render::parts::{Test, context, definition, docstring, raises, run_only, wrapped};
use crate::generate::scope::{Import, Scope};
use crate::generate::statement::lines_of;
use crate::generate::trim;
use crate::source::unions;

/// Names the file that holds the accepted tests of a module: `tests/pytead/test_pytead_shop__cart.py`.
#[must_use]
pub fn target(folder: &str, module: &str) -> Option<RelPath> {
    RelPath::new(format!("{folder}/test_pytead_{}.py", module.replace('.', "__")))
}

/// Writes the draft of chosen cases.
#[must_use]
pub fn draft(
    function: &Function,
    cases: &[Case],
    project: Project<'_>,
    scope: &Scope,
    target: &RelPath,
    left_out: Vec<LeftOut>,
) -> Draft {
    let mut names_taken = BTreeSet::new();
    let mut tests = Vec::new();
    for (function, cases) in by_name(function, cases) {
        let stem = names::stem(&function, (project.module)(function.id.module()));
        tests.extend(tests_of(&function, (&function, &stem), &cases, project, scope, target, &mut names_taken));
    }
    finish(function, cases, tests, project, target, left_out)
}

/// Writes the draft of cases beside the recorded ones: `test_label_near`.
#[must_use]
pub fn draft_near(function: &Function, cases: &[Case], project: Project<'_>, scope: &Scope, target: &RelPath) -> Draft {
    let mut names_taken = BTreeSet::new();
    let mut tests = Vec::new();
    for (function, cases) in by_name(function, cases) {
        let stem = format!("{}_near", names::stem(&function, (project.module)(function.id.module())));
        tests.extend(tests_of(&function, (&function, &stem), &cases, project, scope, target, &mut names_taken));
    }
    finish(function, cases, tests, project, target, Vec::new())
}

/// Writes the draft of a function by cases of another one that calls it (R33).
#[must_use]
pub fn draft_through(
    function: &Function,
    caller: &Function,
    cases: &[Case],
    (project, scope): (Project<'_>, &Scope),
    target: &RelPath,
    left_out: Vec<LeftOut>,
) -> Draft {
    let stem = names::stem_through(function, caller, (project.module)(function.id.module()));
    let mut names_taken = BTreeSet::new();
    let mut tests = Vec::new();
    for (called, cases) in by_name(caller, cases) {
        tests.extend(tests_of(&called, (function, &stem), &cases, project, scope, target, &mut names_taken));
    }
    finish(function, cases, tests, project, target, left_out)
}

/// Parts the cases by the names that lead to the function; there is one name, unless another function made it (R12).
fn by_name<'c>(function: &'c Function, cases: &'c [Case]) -> Vec<(Cow<'c, Function>, Cow<'c, [Case]>)> {
    if cases.iter().all(|case| case.bound.is_none()) {
        return vec![(Cow::Borrowed(function), Cow::Borrowed(cases))];
    }
    let mut parts: BTreeMap<Option<&FunctionId>, Vec<Case>> = BTreeMap::new();
    for case in cases {
        parts.entry(case.bound.as_ref()).or_default().push(case.clone());
    }
    let named =
        |name: Option<&FunctionId>| name.map_or(Cow::Borrowed(function), |name| Cow::Owned(function.bound_to(name.clone())));
    parts.into_iter().map(|(name, cases)| (named(name), Cow::Owned(cases))).collect()
}

/// Writes the tests of cases that call a function by one name. `about` is the function that they test, with the stem of their names.
fn tests_of(
    function: &Function,
    (about, stem): (&Function, &str),
    cases: &[Case],
    project: Project<'_>,
    scope: &Scope,
    target: &RelPath,
    names_taken: &mut BTreeSet<String>,
) -> Vec<Test> {
    let module = (project.module)(about.id.module());
    let mut tests = Vec::new();
    let (groups, single) = rows::group(cases, scope);
    // The only test has the name of its function, and keeps it beside those that come later.
    let settled = cases.iter().filter(|case| case.settled).count();
    let is_alone = |case: &Case| {
        let only = groups.len() + single.len() == 1 || settled == 1 && case.settled;
        only && matches!(case.ending, Ending::Returns)
    };
    let has_stem = single.iter().any(|case| is_alone(case));
    let mut name = |what: &str| {
        let wanted = names::name(stem, what, module);
        let mut unique = wanted.clone();
        let mut number = 1;
        while !names_taken.insert(unique.clone()) {
            number += 1;
            unique = format!("{wanted}_{number}");
        }
        unique
    };
    for (at, group) in groups.iter().enumerate() {
        let what = match &group.cases[0].ending {
            Ending::Raises(_) => rows::raises_word(group),
            _ if at == 0 && !has_stem => String::new(),
            _ => rows::relation_word(group),
        };
        tests.push(rows::test(group, name(&what), project, function, scope));
    }
    let words = names::words(&single, names::Use::Tests, names::room(stem));
    let shared = fixtures::shared(&single, about);
    if let Some((fixture, _)) = &shared {
        let (lines, imports) = (fixture.lines.clone(), fixture.imports.clone());
        tests.push(Test { lines, imports, helpers: Vec::new() });
    }
    let mut beside: Vec<&String> = Vec::new();
    for text in single.iter().flat_map(|case| &case.laid.beside) {
        if !beside.contains(&text) {
            beside.push(text);
            tests.push(Test { lines: vec![text.clone()], imports: BTreeSet::new(), helpers: Vec::new() });
        }
    }
    for (at, (case, what)) in single.iter().zip(words).enumerate() {
        let fixture = shared.as_ref().filter(|(_, places)| places.contains(&at)).map(|(fixture, _)| fixture);
        let what = if is_alone(case) { String::new() } else { what };
        tests.push(plain(case, function, name(&what), project, target, fixture));
    }
    tests
}

fn finish(
    function: &Function,
    cases: &[Case],
    tests: Vec<Test>,
    project: Project<'_>,
    target: &RelPath,
    left_out: Vec<LeftOut>,
) -> Draft {
    let blocks: Vec<String> = tests.iter().map(|test| test.lines.join("\n")).collect();
    let mut all: BTreeSet<Import> = cases.iter().flat_map(|case| case.imports.iter().cloned()).collect();
    all.extend(tests.iter().flat_map(|test| test.imports.iter().cloned()));
    let mut calls: Vec<_> = cases.iter().map(|case| case.call).collect();
    calls.sort_unstable();
    let mut draft = draft_of(function, &blocks, all, calls, project, target, left_out);
    draft.helpers.extend(tests.iter().flat_map(|test| test.helpers.iter().cloned()));
    draft
}

/// Writes the draft of tests that are written, with those of the imports that they use.
pub(in crate::generate) fn draft_of(
    function: &Function,
    blocks: &[String],
    imports: BTreeSet<Import>,
    calls: Vec<CallId>,
    project: Project<'_>,
    target: &RelPath,
    left_out: Vec<LeftOut>,
) -> Draft {
    let text = unions::kept(&format!("{}\n", blocks.join("\n\n\n")));
    let used: BTreeSet<Import> = imports.into_iter().filter(|import| imports::is_used(import, &text)).collect();
    Draft {
        imports: imports::statements(&used, project),
        import_roots: imports::roots(&used, function, project),
        tests: trim::test_names(&text),
        calls,
        left_out,
        helpers: graph::helper(&used, target).into_iter().collect(),
        ..Draft::new(Origin::Recording, target.clone(), text)
    }
}

/// Writes one case as a test of its own.
fn plain(
    case: &Case,
    function: &Function,
    name: String,
    project: Project<'_>,
    target: &RelPath,
    fixture: Option<&Fixture>,
) -> Test {
    let Apart { case, above, first, helpers, modules } = constants::apart(&looked_at(case), &name, target, fixture.is_some());
    let case = &case;
    let mut imports: BTreeSet<Import> = modules.into_iter().map(Import::module).collect();
    let capsys = (!case.printed.is_empty()).then_some("capsys");
    let own = fixture.map(|fixture| fixture.name.as_str());
    let params = case.laid.params.iter().map(String::as_str);
    let others = case.laid.fixtures.iter().rev().copied().filter(|name| !case.laid.params.iter().any(|param| param == name));
    let fixtures: Vec<&str> = params.chain(own).chain(capsys).chain(others).collect();
    let mut lines = above;
    lines.extend(case.laid.decorators.iter().cloned());
    lines.extend(definition(case, &name, &fixtures, &mut imports));
    lines.push(docstring(&[case], project));
    lines.extend(first);
    lines.extend(case.laid.lines.iter().flat_map(|line| line.lines(4, "", "")).map(|line| line.trim_end().to_owned()));
    lines.extend(case.laid.steps.iter().cloned());
    lines.extend(case.laid.within.iter().map(|manager| format!("    {manager}")));
    let begun = lines.len();
    lines.extend(case.laid.inside.iter().cloned());
    if fixture.is_none() {
        lines.extend(lines_of(&case.setup, 4));
    }
    let items = case.args.iter().map(|arg| arg.items.clone()).collect();
    lines.extend(case.laid.stand_ins.iter().flat_map(|line| line.lines(4, "", "")));
    // Cases whose act cannot be written were left out when they were made.
    if let Ok(act) = case.act(function, items) {
        match &case.ending {
            Ending::Returns => match membership(case, function, &act) {
                Some(line) => lines.push(line),
                None => lines.extend(returns(case, &act, &mut imports)),
            },
            Ending::Raises(raised) => lines.extend(raises(case, &act, raised, None, &mut imports)),
            Ending::RaisesAfter(items, count, raised) => {
                lines.extend(raises_after(&act, items, *count, raised, &mut imports));
            }
        }
    }
    if let [(stream, text)] = case.printed.as_slice() {
        lines.extend(text.lines(4, &format!("assert capsys.readouterr().{stream} == "), ""));
    } else if !case.printed.is_empty() {
        lines.push("    printed = capsys.readouterr()".into());
        for (stream, text) in &case.printed {
            lines.extend(text.lines(4, &format!("assert printed.{stream} == "), ""));
        }
    }
    lines.extend(case.laid.after.iter().flat_map(|line| line.lines(4, "", "")));
    if case.laid.within.is_some() {
        lines.iter_mut().skip(begun).filter(|line| !line.is_empty()).for_each(|line| line.insert_str(0, "    "));
    }
    if let Some(fixture) = fixture {
        lines.iter_mut().skip(begun).for_each(|line| *line = fixture.instead(line));
    }
    Test { lines, imports, helpers }
}

/// Writes the assertions of a case as statements by themselves, about values that have the names of its results; `None` where
/// they are about the items that a generator gave before it raised.
#[must_use]
pub fn asserted(case: &Case) -> Option<String> {
    let case = &looked_at(case);
    let mut lines = vec!["if True:".to_owned()];
    let own = match &case.ending {
        Ending::Returns => Vec::new(),
        Ending::Raises(raised) => {
            let (mut own, carried) = context("pytest.raises", raised, None, &mut BTreeSet::new());
            own.push(format!("        raise {}", case.result));
            own.extend(carried);
            own
        }
        Ending::RaisesAfter(..) => return None,
    };
    let asserted = case.assertions.iter().filter(|assertion| assertion.asked.is_none());
    lines.extend(own.into_iter().chain(asserted.flat_map(|assertion| assertion.lines(&case.result, 4))));
    (lines.len() > 1).then(|| lines.join("\n") + "\n")
}

/// Gives a case with its assertions as they read best by themselves: what is looked at closer is shown as it is where that is
/// short, and else compared with the same look at what is expected.
fn looked_at(case: &Case) -> Case {
    Case { assertions: settled(&case.assertions, &case.result), ..case.clone() }
}

/// Writes act and assertions of a case that warns: the act alone stands inside `pytest.warns`.
fn warning(case: &Case, act: &Act, raised: &Raises, imports: &mut BTreeSet<Import>) -> Vec<String> {
    let name = case.result.as_str();
    let asserted = case.assertions.iter().any(Assertion::is_of_result);
    let (mut lines, _) = context("pytest.warns", raised, None, imports);
    match act {
        Act::Statement(statement) => lines.extend(statement.lines(8)),
        Act::Construct(expr) => lines.extend(expr.lines(8, &format!("{name} = "), "")),
        Act::Value(expr) if asserted => lines.extend(wrapped(expr, case.wrap).lines(8, &format!("{name} = "), "")),
        Act::Value(expr) => lines.extend(run_only(expr, case.wrap)),
    }
    for assertion in &case.assertions {
        lines.extend(assertion.lines(name, 4));
    }
    lines
}

/// Writes act and assertions of a case that returns.
fn returns(case: &Case, act: &Act, imports: &mut BTreeSet<Import>) -> Vec<String> {
    if let Some(raised) = &case.warns {
        return warning(case, act, raised, imports);
    }
    let name = case.result.as_str();
    let of_result = |assertion: &&Assertion| assertion.is_of_result();
    let mut lines = Vec::new();
    let mut indent = 4;
    let expr = match act {
        Act::Statement(statement) => {
            lines.extend(statement.lines(4));
            // `a += b`: what it gives is what the name stands for then.
            let rebound = match &case.target {
                Target::Object(receiver) => receiver.as_str(),
                _ => name,
            };
            for assertion in &case.assertions {
                if !(assertion.relation == Relation::Is && of_result(&assertion) && assertion.expected.flat() == rebound) {
                    lines.extend(assertion.lines(rebound, 4));
                }
            }
            return lines;
        }
        Act::Construct(expr) => {
            lines.extend(expr.lines(4, &format!("{name} = "), ""));
            None
        }
        Act::Value(expr) => Some(wrapped(expr, case.wrap)),
    };
    match expr {
        None => {}
        Some(expr) if case.wrap == Wrap::With => {
            lines.extend(expr.lines(4, "with ", &format!(" as {name}:")));
            indent = 8;
        }
        Some(expr) if case.wrap.is_statement() => {
            let native = case.wrap.awaits().is_native();
            let (at, gives) = if native { (4, format!("{name} = ")) } else { (8, "return ".to_owned()) };
            if !native {
                lines.extend([String::new(), "    async def collect():".into()]);
            }
            match case.wrap {
                Wrap::WithAsync(_) if native => {
                    lines.extend(expr.lines(4, "async with ", &format!(" as {name}:")));
                    indent = 8;
                }
                Wrap::WithAsync(_) => {
                    lines.extend(expr.lines(8, "async with ", " as value:"));
                    lines.push("            return value".into());
                }
                Wrap::FirstAsync(_, count) => {
                    lines.extend(expr.lines(at, "items = ", ""));
                    lines.push(format!("{}{gives}[await anext(items) for _ in range({count})]", " ".repeat(at)));
                }
                _ => lines.extend(expr.lines(at, &format!("{gives}[item async for item in "), "]")),
            }
            if !native {
                lines.extend([String::new(), format!("    {name} = asyncio.run(collect())")]);
            }
        }
        Some(expr) => {
            let asserted: Vec<&Assertion> = case.assertions.iter().filter(of_result).collect();
            if asserted.is_empty() {
                lines.extend(expr.lines(4, "", ""));
            } else if let [assertion] = asserted.as_slice()
                && let Some(line) = inline(assertion, &expr)
            {
                lines.push(line);
                for assertion in case.assertions.iter().filter(|assertion| !of_result(assertion)) {
                    lines.extend(assertion.lines(name, 4));
                }
                return lines;
            } else {
                lines.extend(expr.lines(4, &format!("{name} = "), ""));
            }
        }
    }
    for assertion in &case.assertions {
        lines.extend(assertion.lines(name, indent));
    }
    lines
}

/// Writes what `in` says as people write it: it is never anything but `True` or `False`.
fn membership(case: &Case, function: &Function, act: &Act) -> Option<String> {
    let ([assertion], None, Act::Value(Expr::Atom(text))) = (case.assertions.as_slice(), &case.warns, act) else { return None };
    let (item, container) = text.rsplit_once(" in ").filter(|_| function.name() == "__contains__" && assertion.is_of_result())?;
    let sign = match assertion.expected.flat().as_str() {
        "True" => "in",
        "False" => "not in",
        _ => return None,
    };
    let line = format!("    assert {item} {sign} {container}");
    (text::width(&line) <= WIDTH).then_some(line)
}

/// Writes act and assertion on one line, where that fits.
fn inline(assertion: &Assertion, expr: &Expr) -> Option<String> {
    let told = assertion.subject == format!("repr({RESULT})");
    let subject_is_result = told || assertion.subject.chars().eq([RESULT]);
    let can = subject_is_result && !matches!(assertion.relation, Relation::By(_));
    let lines = assertion.lines(&if told { expr.flat() } else { operand(expr) }, 4);
    match lines.as_slice() {
        [line] if can && text::width(line) <= WIDTH => Some(line.clone()),
        _ => None,
    }
}

fn raises_after(act: &Act, items: &Expr, count: usize, raised: &Raises, imports: &mut BTreeSet<Import>) -> Vec<String> {
    let Act::Value(expr) = act else { return Vec::new() };
    let mut lines = Vec::new();
    let (context, carried) = context("pytest.raises", raised, None, imports);
    if count == 0 {
        lines.extend(context);
        lines.extend(Expr::call("next", vec![expr.clone()]).lines(8, "", ""));
        lines.extend(carried);
        return lines;
    }
    lines.extend(expr.lines(4, "iterator = ", ""));
    lines.extend(items.lines(4, &format!("assert list(itertools.islice(iterator, {count})) == "), ""));
    lines.extend(context);
    lines.push("        next(iterator)".into());
    lines.extend(carried);
    lines
}
