//! Which recorded tests run after an edit: those in which calls of the edited functions are compared. What else may run through
//! edited code is compared as far as these tests show it: a function that everything calls would have all tests run.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::subject::Subject;
use crate::domain::test_id::TestId;
use crate::engine::replay::edited::Delta;
use crate::engine::replay::recorded_tests::choose::way;

/// So few tests all run: starting them takes longest.
const ALL_OF: usize = 24;
/// Tests that run for edited functions none of whose own calls can be compared.
const FOR_OTHERS: usize = 12;
/// Tests that run before the others, and milliseconds that they may take together, except for the first of them.
const FIRST: usize = 6;
const FIRST_MS: u64 = 600;

/// Gives the functions that were edited; `None` where other code or data was, too.
pub fn edited(delta: &Delta) -> Option<BTreeSet<FunctionId>> {
    let functions: BTreeSet<FunctionId> = delta.edited.iter().filter_map(Subject::function).cloned().collect();
    (functions.len() == delta.edited.len() && !functions.is_empty()).then_some(functions)
}

/// Parts from calls that are to run those whose tests need not: gives these. `compared` are the functions with calls that can be compared.
pub fn part(open: &mut Vec<Call>, edited: &BTreeSet<FunctionId>, compared: &BTreeSet<&FunctionId>) -> HashSet<CallId> {
    if open.iter().filter_map(|call| call.observed.inside).collect::<BTreeSet<_>>().len() <= ALL_OF {
        return HashSet::new();
    }
    let mut needed: BTreeSet<TestId> =
        open.iter().filter(|call| edited.contains(&call.function)).filter_map(|call| call.observed.inside).collect();
    if edited.iter().any(|function| !compared.contains(function)) {
        let mut shows: BTreeMap<TestId, usize> = BTreeMap::new();
        open.iter().filter_map(|call| call.observed.inside).for_each(|test| *shows.entry(test).or_default() += 1);
        let mut others: Vec<(TestId, usize)> = shows.into_iter().filter(|(test, _)| !needed.contains(test)).collect();
        others.sort_by_key(|(test, calls)| (std::cmp::Reverse(*calls), *test));
        needed.extend(others.into_iter().take(FOR_OTHERS).map(|(test, _)| test));
    }
    let is_needed = |call: &Call| call.observed.inside.is_none_or(|test| needed.contains(&test));
    let left_out = open.iter().filter(|call| !is_needed(call)).map(|call| call.id).collect();
    open.retain(is_needed);
    left_out
}

/// Chooses the tests that run first: the fastest in which a call of an edited function ends in each way that was recorded. What they
/// show is told while the others run. `took` are the milliseconds of each test.
pub fn first(open: &[Call], edited: &BTreeSet<FunctionId>, took: &HashMap<TestId, u64>) -> BTreeSet<TestId> {
    let mut ways: BTreeMap<(&FunctionId, String), BTreeSet<(u64, TestId)>> = BTreeMap::new();
    for (call, test) in open.iter().filter_map(|call| Some((call, call.observed.inside?))) {
        if edited.contains(&call.function) {
            let ms = took.get(&test).copied().unwrap_or(FIRST_MS);
            ways.entry((&call.function, way(call))).or_default().insert((ms, test));
        }
    }
    let mut ways: Vec<BTreeSet<(u64, TestId)>> = ways.into_values().collect();
    ways.sort_by_key(BTreeSet::len);
    let (mut chosen, mut spent) = (BTreeSet::new(), 0);
    for tests in ways {
        let Some((ms, fastest)) = tests.first().copied() else { continue };
        let is_enough = !chosen.is_empty() && (chosen.len() >= FIRST || spent + ms > FIRST_MS);
        if !is_enough && !tests.iter().any(|(_, test)| chosen.contains(test)) {
            spent += ms;
            chosen.insert(fastest);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;
    use crate::domain::value::Value;

    fn call(id: i64, function: &str, test: Option<i64>) -> Call {
        let mut call = Call { id: CallId(id), ..samples::call(FunctionId(function.into()), &[], Value::Int(1)) };
        call.observed.inside = test.map(TestId);
        call
    }

    fn left(calls: &[Call], edited: &str) -> Vec<i64> {
        let mut open = calls.to_vec();
        let edited = BTreeSet::from([FunctionId(edited.into())]);
        let compared: BTreeSet<&FunctionId> = calls.iter().map(|call| &call.function).collect();
        let mut left: Vec<i64> = part(&mut open, &edited, &compared).into_iter().map(|call| call.0).collect();
        left.sort_unstable();
        assert_eq!(left.len() + open.len(), calls.len());
        left
    }

    #[test]
    fn tests_of_the_edited_function_run_and_what_else_is_seen_in_them_is_compared() {
        let mut calls = vec![call(1, "m:f", Some(1)), call(2, "m:g", Some(1)), call(3, "m:g", None)];
        calls.extend((0..10).map(|at| call(10 + at, "m:g", Some(10 + at))));
        assert_eq!(left(&calls, "m:f"), [0; 0], "few tests all run");
        calls.extend((10..30).map(|at| call(10 + at, "m:g", Some(10 + at))));
        assert_eq!(left(&calls, "m:f"), (10..40).collect::<Vec<_>>());
    }

    #[test]
    fn the_fastest_test_of_each_way_to_end_runs_first() {
        let ended = |id: i64, test: i64, gave: Value| {
            let mut call = Call { id: CallId(id), ..samples::call(FunctionId("m:f".into()), &[], gave) };
            call.observed.inside = Some(TestId(test));
            call
        };
        let calls = [
            ended(1, 1, Value::Int(1)),
            ended(2, 2, Value::Int(2)),
            ended(3, 3, Value::None),
            ended(4, 4, Value::Bool(true)),
            call(5, "m:g", Some(5)),
        ];
        let took =
            HashMap::from([1, 2, 3, 4, 5].map(|test| (TestId(test), if test == 4 { 5_000 } else { 500 - 90 * test as u64 })));
        let first = first(&calls, &BTreeSet::from([FunctionId("m:f".into())]), &took);
        assert_eq!(first, BTreeSet::from([TestId(2), TestId(3)]), "the one that takes long waits");
        assert_eq!(super::first(&calls[3..], &BTreeSet::from([FunctionId("m:f".into())]), &took), BTreeSet::from([TestId(4)]));
    }

    #[test]
    fn an_edited_function_without_calls_has_a_few_tests_of_others() {
        let calls: Vec<Call> = (0..40).map(|at| call(at, "m:g", Some(at))).collect();
        assert_eq!(left(&calls, "m:f").len(), 40 - FOR_OTHERS);
    }
}
