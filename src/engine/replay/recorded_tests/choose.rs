//! Which recorded tests are run again: as few as show what each function was seen to do.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{Call, GeneratorEnd, Outcome};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::TestId;
use crate::domain::value::Value;

/// Tests of a function that are run, at least, where it has so many: one with a hundred calls is still one way to use it.
const TESTS: usize = 6;
/// Ways to end of a function that are looked for in tests, each once.
const WAYS_MAX: usize = 12;

/// A recorded call that is to be compared in its test.
pub struct Candidate {
    /// Its function.
    pub function: FunctionId,
    /// In which way it ended, as [`way`] says it.
    pub way: String,
    /// Its test.
    pub test: TestId,
}

/// Chooses tests, and the functions that are looked at in each: for each function, one test for each way in which its calls ended, and
/// some more. Tests that are chosen for one function serve the others, too. The start of a session is chosen where no test
/// serves: it collects all tests.
pub fn tests<'a>(
    candidates: impl IntoIterator<Item = &'a Candidate>,
    starts: &BTreeSet<TestId>,
) -> BTreeMap<TestId, BTreeSet<FunctionId>> {
    let mut of_function: BTreeMap<&FunctionId, Vec<&Candidate>> = BTreeMap::new();
    let mut in_tests: BTreeMap<TestId, usize> = BTreeMap::new();
    for candidate in candidates {
        of_function.entry(&candidate.function).or_default().push(candidate);
        *in_tests.entry(candidate.test).or_default() += 1;
    }
    let mut chosen: BTreeMap<TestId, BTreeSet<FunctionId>> = BTreeMap::new();
    // Those with the least choice come first.
    let mut functions: Vec<(&FunctionId, Vec<&Candidate>)> = of_function.into_iter().collect();
    functions.sort_by_key(|(_, calls)| calls.iter().map(|one| one.test).collect::<BTreeSet<_>>().len());
    for (function, calls) in functions {
        let mut ways: BTreeMap<String, Vec<TestId>> = BTreeMap::new();
        for candidate in &calls {
            ways.entry(candidate.way.clone()).or_default().push(candidate.test);
        }
        let mut own: BTreeSet<TestId> = BTreeSet::new();
        // Of equally good tests, one that runs already, and then the one with the most calls: it serves the most functions.
        let worth = |test: &TestId| (!starts.contains(test), chosen.contains_key(test), in_tests.get(test).copied());
        for tests in ways.values().take(WAYS_MAX) {
            if !tests.iter().any(|test| own.contains(test)) {
                own.extend(tests.iter().max_by_key(|test| worth(test)));
            }
        }
        let others: BTreeSet<TestId> = calls.iter().map(|one| one.test).filter(|test| !own.contains(test)).collect();
        let mut others: Vec<TestId> = others.into_iter().filter(|test| !starts.contains(test)).collect();
        others.sort_by_key(|test| std::cmp::Reverse(worth(test)));
        others.truncate(TESTS.saturating_sub(own.len()));
        own.extend(others);
        for test in own {
            chosen.entry(test).or_default().insert(function.clone());
        }
    }
    chosen
}

/// Says in which way a call ended: by which exception, or with which type of a result.
pub(super) fn way(call: &Call) -> String {
    match &call.effect.outcome {
        Outcome::Returned(value) => format!("returned {}{}", value.type_name(), status(value)),
        Outcome::Raised { mro, .. } => format!("raised {}", mro.first().map_or("", String::as_str)),
        Outcome::Yielded { items, end } => {
            let end = match end {
                GeneratorEnd::Returned(_) => "returned",
                GeneratorEnd::Raised(_) => "raised",
                GeneratorEnd::Open => "open",
            };
            format!("yielded {} {end}", items.len().min(2))
        }
        Outcome::Unfinished => "unfinished".into(),
        Outcome::TimedOut(_) => "timed out".into(),
        Outcome::Died(_) => "died".into(),
    }
}

/// Gives the status of an answer, as the classes of frameworks keep it.
fn status(value: &Value) -> String {
    let Value::Object { fields, .. } = value else { return String::new() };
    let number = fields.iter().find_map(|(name, value)| match value {
        Value::Int(number) if matches!(name.trim_start_matches('_'), "status_code" | "status") => Some(*number),
        _ => None,
    });
    number.map(|number| format!(" {number}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    fn candidate(function: &str, test: i64, gave: Value) -> Candidate {
        let call = samples::call(FunctionId(function.into()), &[], gave);
        Candidate { way: way(&call), function: call.function, test: TestId(test) }
    }

    fn chosen(candidates: &[Candidate]) -> Vec<i64> {
        super::tests(candidates, &BTreeSet::new()).into_keys().map(|test| test.0).collect()
    }

    #[test]
    fn the_start_of_a_session_serves_where_no_test_does() {
        let call = |function: &str, test: i64| candidate(function, test, Value::Int(1));
        let mut all: Vec<Candidate> = (1..=8).map(|test| call("m:a", test)).collect();
        all.extend((0..9).map(|_| call("m:a", 99)));
        let starts = BTreeSet::from([TestId(99)]);
        assert!(!super::tests(&all, &starts).contains_key(&TestId(99)));
        all.push(call("m:b", 99));
        let found = super::tests(&all, &starts);
        assert_eq!(found[&TestId(99)], BTreeSet::from([FunctionId("m:b".into())]));
    }

    #[test]
    fn a_function_with_one_test_has_it_and_the_others_share_it() {
        let number = Value::Int(1);
        let all = [candidate("m:a", 7, number.clone()), candidate("m:b", 7, number.clone()), candidate("m:b", 8, number)];
        assert_eq!(chosen(&all[..2]), [7]);
        assert_eq!(chosen(&all), [7, 8], "while a function has few calls, more of them count");
    }

    #[test]
    fn each_way_to_end_is_looked_for_and_not_each_call() {
        let mut all: Vec<Candidate> = (0..40).map(|test| candidate("m:a", test, Value::Int(1))).collect();
        all.push(candidate("m:a", 99, Value::None));
        let found = chosen(&all);
        assert!(found.contains(&99) && found.len() <= TESTS + 1, "{found:?}");
    }

    #[test]
    fn a_test_with_many_calls_does_not_stand_for_the_others() {
        let mut all: Vec<Candidate> = (0..100).map(|_| candidate("m:a", 1, Value::Int(1))).collect();
        all.extend([2, 3].map(|test| candidate("m:a", test, Value::Int(1))));
        assert_eq!(chosen(&all), [1, 2, 3]);
    }

    #[test]
    fn each_status_of_an_answer_is_looked_for() {
        let answer = |status: i64| samples::object(1, vec![("_status_code", Value::Int(status))]);
        let mut all: Vec<Candidate> = (0..40).map(|test| candidate("m:view", test, answer(200))).collect();
        all.push(candidate("m:view", 99, answer(401)));
        assert!(chosen(&all).contains(&99));
    }
}
