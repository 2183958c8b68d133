//! Which recorded tests run after an edit: those in which calls of the edited functions are compared. What else may run through
//! edited code is compared as far as these tests show it: a function that everything calls would have all tests run.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::subject::Subject;
use crate::domain::test_id::TestId;
use crate::engine::replay::edited::Delta;

/// So few tests all run: starting them takes longest.
const ALL_OF: usize = 24;
/// Tests that run for edited functions none of whose own calls can be compared.
const FOR_OTHERS: usize = 12;

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
    fn an_edited_function_without_calls_has_a_few_tests_of_others() {
        let calls: Vec<Call> = (0..40).map(|at| call(at, "m:g", Some(at))).collect();
        assert_eq!(left(&calls, "m:f").len(), 40 - FOR_OTHERS);
    }
}
