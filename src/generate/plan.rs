//! The way of one function's calls to a draft: cases, their check, the choice, the text.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId, Outcome};
use crate::domain::function::Function;
use crate::domain::proposal::{Draft, LeftOut};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::Framework;
use crate::domain::settings::Snapshots;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::agree;
use crate::generate::build::{self, Way};
use crate::generate::case::Case;
use crate::generate::cases::{self, Known};
use crate::generate::check::{self, Check};
use crate::generate::choose::choose;
use crate::generate::graph;
use crate::generate::project::Project;
use crate::generate::render;
use crate::generate::scope::Scope;
use crate::generate::stand_ins;
use crate::generate::told::Told;

/// An expression that has to make the recorded values again in a clean namespace (R1).
#[derive(Debug, Clone, PartialEq)]
pub struct CheckItem {
    /// Says which case it belongs to.
    pub key: u64,
    /// The expression: a tuple of the receiver and the arguments.
    pub source: String,
    /// The import statements it needs.
    pub imports: Vec<String>,
}

/// What can be drafted of one function's calls.
#[derive(Debug, Clone)]
pub struct Plan {
    /// For each call the ways to write it, the most readable first.
    cases: Vec<Vec<Case>>,
    left_out: BTreeMap<Reason, u64>,
    scope: Scope,
}

impl Plan {
    /// Turns the calls of one function into cases, or reasons why not.
    #[must_use]
    pub fn new<'a>(function: &Function, calls: &[&'a Call], project: Project<'a>) -> Self {
        let mut scope = Scope::new(&function.id);
        for call in calls {
            see(&mut scope, call);
            for stand_in in (project.stand_ins)(call.id) {
                stand_in.calls.iter().for_each(|call| see(&mut scope, call));
                stand_ins::NAMES.iter().for_each(|name| scope.see(&Value::Name(stand_ins::mocking(name))));
            }
        }
        if project.snapshots == Snapshots::Graph {
            scope.see(&Value::Name(TypeName::new(graph::MODULE, "graph")));
        }
        let known = Known::of(function, calls);
        let mut plan = Self { cases: Vec::new(), left_out: BTreeMap::new(), scope: scope.clone() };
        // A request that a client makes is read by more than the function: it is written with the client. A command has none.
        let is_command = |told: &Told| told.scene.answer().is_some_and(|answer| answer.by == Framework::Click);
        let is_told = !(project.scenes)(&function.id).iter().all(is_command);
        let unread = if is_told { BTreeSet::new() } else { cases::unread(function, project) };
        for call in calls {
            let mut case = |way| cases::case(call, function, known, project, &mut scope, way);
            let mut ways: Vec<Case> = Vec::new();
            let mut reason = None;
            for way in ways_of(call, project, &unread) {
                match case(way) {
                    Ok(case) if ways.iter().all(|other| other.check.0 != case.check.0) => ways.push(case),
                    Ok(_) => {}
                    Err(why) => reason = reason.or(Some(why)),
                }
            }
            match reason {
                Some(reason) if ways.is_empty() => plan.leave_out(call.times.max(1), reason),
                _ => plan.cases.push(ways),
            }
        }
        plan.scope = scope;
        plan
    }

    fn leave_out(&mut self, calls: u64, reason: Reason) {
        *self.left_out.entry(reason).or_default() += calls;
    }

    /// Tells whether there is anything to draft.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Lists the calls that cannot be drafted, counted by reason.
    #[must_use]
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.left_out.iter().map(|(reason, calls)| LeftOut { calls: *calls, reason: reason.clone() }).collect()
    }

    /// Lists the expressions to evaluate before anything is drafted; cases without arguments have none.
    #[must_use]
    pub fn check_items(&self) -> Vec<CheckItem> {
        let mut items = Vec::new();
        for (key, case) in (0..).zip(self.cases.iter().flatten()) {
            if case.check.1 != Value::Tuple(Vec::new()) {
                items.push(CheckItem { key, source: case.check.0.clone(), imports: case.import_lines() });
            }
        }
        items
    }

    /// Takes the evaluated values, and drops each case whose expression did not make the recorded values again.
    /// `plain` takes out of them what does not count.
    pub fn settle(&mut self, answers: &BTreeMap<u64, Result<Value, String>>, plain: impl Fn(&Value) -> Value) {
        let mut key = 0;
        let mut dropped = Vec::new();
        let mut kept = Vec::new();
        for ways in std::mem::take(&mut self.cases) {
            let mut found = None;
            let mut last_reason = None;
            let times = ways.first().map_or(1, |case| case.times);
            for case in ways {
                let answer = answers.get(&key).map(|answer| answer.as_ref().map(&plain));
                match wrong(&case, answer) {
                    None if found.is_none() => found = Some(case),
                    None => {}
                    Some(reason) => last_reason = Some(reason),
                }
                key += 1;
            }
            match (found, last_reason) {
                (Some(case), _) => kept.push(vec![case]),
                (None, reason) => dropped.push((times, reason.unwrap_or_else(|| ReasonCode::NotEvaluated.into()))),
            }
        }
        self.cases = kept;
        for (times, reason) in dropped {
            self.leave_out(times, reason);
        }
    }

    /// Gives the cases, each written the way that is read best.
    #[must_use]
    pub fn cases(self) -> Vec<Case> {
        self.cases.into_iter().filter_map(|ways| ways.into_iter().next()).collect()
    }

    /// Gives the names that its cases share.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Gives what the assertions of these calls have to see.
    #[must_use]
    pub fn checks(&self, calls: &[CallId]) -> Vec<Check> {
        check::all(self.cases.iter().filter_map(|ways| ways.first()), calls)
    }

    /// Chooses cases, those of accepted tests among them, and writes the draft; `None` when there is none.
    #[must_use]
    pub fn draft(
        &self,
        function: &Function,
        project: Project<'_>,
        target: &RelPath,
        most: usize,
        accepted: &BTreeSet<Digest>,
    ) -> Option<Draft> {
        let first_ways = self.cases.iter().filter_map(|ways| ways.first().cloned()).collect();
        let (chosen, not_chosen) = choose(first_ways, most, accepted);
        if chosen.is_empty() {
            return None;
        }
        let mut left_out = self.left_out();
        left_out.extend(not_chosen);
        Some(render::draft(function, &chosen, project, &self.scope, target, left_out))
    }
}

/// Lists the ways to make what a call was given, the most readable first.
fn ways_of(call: &Call, project: Project<'_>, unread: &BTreeSet<String>) -> Vec<Way> {
    let mut ways = vec![Way::State, Way::Life, Way::Origin, Way::Fields];
    if project.learned.has_forms() {
        let mut explained = true;
        for arg in &call.args {
            arg.value.walk(&mut |part| {
                if let Value::Object { ty, kind: ObjectKind::Plain, fields, .. } = part {
                    explained &= build::is_made_by_what_it_keeps(project, ty, fields);
                }
                explained
            });
        }
        ways.insert(usize::from(explained), Way::Told);
    }
    if call.args.iter().any(|arg| cases::is_spared(call, arg, unread)) {
        ways.push(Way::Unread);
    }
    ways
}

/// Says why a case's expression does not make the recorded values again, if it does not.
fn wrong(case: &Case, answer: Option<Result<Value, &String>>) -> Option<Reason> {
    if case.check.1 == Value::Tuple(Vec::new()) {
        return None;
    }
    match answer {
        None => Some(ReasonCode::NotEvaluated.into()),
        Some(Err(why)) if is_syntax(why) => Some(ReasonCode::SyntaxError.with(why)),
        Some(Err(why)) if is_import(why) => Some(ReasonCode::ImportFails.with(why)),
        Some(Err(why)) => Some(ReasonCode::ArgumentRaises.with(why)),
        Some(Ok(value)) if agree::is_partial(&case.check.1) => {
            (!agree::agrees(&case.check.1, &value)).then(|| ReasonCode::ArgumentMismatch.into())
        }
        Some(Ok(value)) => case.check.1.first_difference(&value).map(|difference| match difference.path.as_str() {
            "" => ReasonCode::ArgumentMismatch.into(),
            path => ReasonCode::ArgumentMismatch.with(path),
        }),
    }
}

/// Tells whether Python could not import what an expression names.
fn is_import(why: &str) -> bool {
    matches!(why.split(':').next(), Some("ModuleNotFoundError" | "ImportError"))
}

/// Tells whether an import ended at a file that does not parse.
fn is_syntax(why: &str) -> bool {
    ["SyntaxError", "IndentationError", "TabError"].iter().any(|name| why.starts_with(name))
}

fn see(scope: &mut Scope, call: &Call) {
    for arg in &call.args {
        scope.see(&arg.value);
    }
    for (_, value) in &call.effect.changed {
        scope.see(value);
    }
    match &call.effect.outcome {
        Outcome::Returned(value) => scope.see(value),
        Outcome::Raised { exception, .. } => scope.see(exception),
        Outcome::Yielded { items, .. } => items.iter().for_each(|item| scope.see(item)),
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => {}
    }
}
