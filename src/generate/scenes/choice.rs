//! Which scenes of a function become tests: those that differ in what they ask and what they get, with the least set-up; one
//! request is one function's test.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Draft, LeftOut};
use crate::domain::reason::{Reason, ReasonCode};
use crate::generate::case::Case;
use crate::generate::cases::{self, Known};
use crate::generate::layout::WIDTH;
use crate::generate::names;
use crate::generate::project::Project;
use crate::generate::render::{self, constants};
use crate::generate::scenes::{Pages, Written, around, written};
use crate::generate::scope::{Import, Scope};
use crate::generate::told::Told;

/// Tests of one function.
const TESTS_MAX: usize = 3;

/// What was found for a function.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The tests, each with its call.
    pub tests: Vec<(CallId, Written)>,
    /// Why there are no others.
    pub left_out: Vec<LeftOut>,
}

/// Writes the cases of calls that tests make themselves, with what their fixtures gave.
pub fn direct<'a>(
    function: &Function,
    told: &'a [Told],
    project: Project<'a>,
    scope: &mut Scope,
    folder: &str,
) -> (Vec<Case>, Vec<LeftOut>) {
    let calls: Vec<&Call> = told.iter().filter_map(|one| one.made.as_ref()).collect();
    let known = Known::of(function, &calls);
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    let mut cases = Vec::new();
    for (one, call) in told.iter().filter_map(|one| Some((one, one.made.as_ref()?))) {
        let case = around(&one.scene, call, project, scope, folder)
            .and_then(|around| cases::case_within(call, function, known, project, scope, &around));
        match case {
            Ok(case) => cases.push(case),
            Err(reason) => *reasons.entry(reason).or_default() += 1,
        }
    }
    (cases, reasons.into_iter().map(|(reason, calls)| LeftOut { calls, reason }).collect())
}

/// The requests of a function as tests, the most readable first, and why others are none.
#[derive(Debug, Clone, Default)]
pub struct Requests {
    function: Option<FunctionId>,
    tests: Vec<(CallId, Written)>,
    reasons: BTreeMap<Reason, u64>,
}

/// Writes the requests of a function as tests. `pages` are the answers to the requests of all functions: they show what only one says.
pub fn requests(function: &Function, (told, pages): (&[Told], &Pages<'_>), project: Project<'_>, folder: &str) -> Requests {
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    let mut all = Vec::new();
    // A step without an answer says nothing that could be asserted.
    for one in told.iter().filter(|one| one.made.is_none() && one.scene.answer().is_some()) {
        match written(&one.scene, pages, project, Scope::new(&function.id), folder) {
            Ok(test) => all.push((one.call, test)),
            Err(reason) => *reasons.entry(reason).or_default() += 1,
        }
    }
    all.sort_by(|(_, a), (_, b)| {
        let key = |test: &Written| (test.setup, test.fixtures.len(), test.lines.iter().map(String::len).sum::<usize>());
        key(a).cmp(&key(b)).then_with(|| a.lines.cmp(&b.lines))
    });
    Requests { function: Some(function.id.clone()), tests: all, reasons }
}

/// Chooses the tests of a function. `taken` tells which requests are tests already, and of which function: others do not get them.
pub fn choose(requests: &Requests, most: usize, taken: &mut BTreeMap<Vec<String>, FunctionId>) -> Found {
    let mut reasons = requests.reasons.clone();
    let mut tests: Vec<(CallId, Written)> = Vec::new();
    let mut kinds = BTreeSet::new();
    let Some(function) = &requests.function else { return Found::default() };
    for (call, test) in &requests.tests {
        if tests.len() >= most.min(TESTS_MAX) || kinds.contains(&test.kind) {
            *reasons.entry(ReasonCode::Redundant.into()).or_default() += 1;
        } else if taken.entry(test.lines.clone()).or_insert_with(|| function.clone()) != function {
            *reasons.entry(ReasonCode::CoveredByRequests.into()).or_default() += 1;
        } else {
            kinds.insert(test.kind.clone());
            tests.push((*call, test.clone()));
        }
    }
    let left_out = reasons.into_iter().map(|(reason, calls)| LeftOut { calls, reason }).collect();
    Found { tests, left_out }
}

/// Writes the draft of chosen tests.
#[must_use]
pub fn draft(
    function: &Function,
    tests: &[(CallId, Written)],
    project: Project<'_>,
    target: &RelPath,
    left_out: Vec<LeftOut>,
) -> Draft {
    let module = (project.module)(function.id.module());
    let stem = names::stem(function, module).replace("_<locals>", "");
    let mut taken = BTreeSet::new();
    let mut imports: BTreeSet<Import> = BTreeSet::new();
    let mut blocks: Vec<String> = Vec::new();
    for (_, test) in tests {
        // A fixture is the same for all tests of a file.
        let copied: Vec<&String> = test.copied.iter().map(|copied| &copied.text).collect();
        blocks.extend(copied.into_iter().filter(|text| !blocks.contains(text)).cloned().collect::<Vec<_>>());
        // `test_delete` says what is asked for.
        let verb = test.words.split('_').next().filter(|verb| stem.ends_with(&format!("_{verb}"))).unwrap_or_default();
        let words = if verb.is_empty() { &test.words } else { test.words[verb.len()..].trim_start_matches('_') };
        let wanted = names::name(&stem, words, module);
        let mut name = wanted.clone();
        let mut number = 1;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        let mut lines = test.marks.clone();
        let function = if test.is_async { "async def" } else { "def" };
        lines.push(format!("{function} {name}({}):", test.fixtures.join(", ")));
        lines.push(docstring(&test.test));
        lines.extend(test.lines.iter().cloned());
        constants::above(&test.given, &name, &mut lines);
        imports.extend(test.imports.iter().cloned());
        blocks.push(lines.join("\n"));
    }
    let mut calls: Vec<CallId> = tests.iter().map(|(call, _)| *call).collect();
    calls.sort_unstable();
    calls.dedup();
    render::draft_of(function, &blocks, imports, calls, project, target, left_out)
}

fn docstring(test: &str) -> String {
    let safe: String = text::display_line(test).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    let line = format!("    \"\"\"Recorded from {safe}.\"\"\"");
    if text::width(&line) <= WIDTH { line } else { "    \"\"\"Recorded from a test.\"\"\"".to_owned() }
}
