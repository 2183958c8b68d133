//! Accepted tests as comparisons: where no recorded call tells what an edit does, the accepted tests of the function may.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::edited::{EditedCode, NotCompared};
use crate::domain::proposal::{Draft, Origin, ProposalId};
use crate::domain::reason::ReasonCode;
use crate::engine::edits::manifest_lookup::Standing;
use crate::engine::edits::overlay::{self, Overlay};
use crate::engine::python::environment;
use crate::engine::python::fresh_process::{Fresh, Seen, Way};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::prove::{Manner, RunEnd, TestResult};

/// Edits of which the accepted tests run: each file of them is a run of pytest.
const FUNCTIONS_TESTED: usize = 20;

/// Their hashes of texts, the same in each run.
const HASH_SEED: u32 = 1;

/// Runs the accepted tests of edited functions that no recorded call compares. Those that pass count as compared calls that
/// ran through the function; one that fails is a difference.
///
/// # Errors
/// Fails when the manifest or a file of tests cannot be read, or Python cannot be started.
pub async fn compare(core: &Arc<Core>, edited: &mut [EditedCode]) -> Result<(), Trouble> {
    let is_open = |one: &&mut EditedCode| !one.is_compared() && one.subject.function().is_some();
    let open: Vec<&mut EditedCode> = edited.iter_mut().filter(is_open).take(FUNCTIONS_TESTED).collect();
    if open.is_empty() {
        return Ok(());
    }
    let standing = Standing::read(core)?;
    let tests: Vec<(&mut EditedCode, Vec<(RelPath, String)>)> = open
        .into_iter()
        .filter_map(|one| {
            let tests = standing.tests(one.subject.function()?);
            (!tests.is_empty()).then_some((one, tests))
        })
        .collect();
    let files: BTreeSet<&RelPath> = tests.iter().flat_map(|(_, tests)| tests.iter().map(|(file, _)| file)).collect();
    if files.is_empty() {
        return Ok(());
    }
    let ends = run(core, &files.into_iter().cloned().collect::<Vec<_>>()).await?;
    for (one, tests) in tests {
        note(one, &tests, &ends);
    }
    Ok(())
}

/// Notes how the tests of an edited function ended.
fn note(one: &mut EditedCode, tests: &[(RelPath, String)], ends: &HashMap<RelPath, Vec<TestResult>>) {
    let mut passed = 0;
    for (file, test) in tests {
        for result in ends.get(file).into_iter().flatten().filter(|result| is_of(&result.name, test)) {
            if result.passed {
                passed += 1;
            } else if !result.message.is_empty() {
                let what = format!("{file}::{}: {}", result.name, result.message);
                one.not_compared.insert(0, NotCompared { reason: ReasonCode::AcceptedTestFails.with(what), calls: 0 });
                break;
            }
        }
    }
    // What passes without having taken the edited path tells nothing of it.
    if one.unrun.is_empty() && passed > 0 {
        one.through += passed;
        one.outside = 0;
    }
}

/// Tells whether a name with a row, `test_total[ten]`, is of a test.
fn is_of(name: &str, test: &str) -> bool {
    name.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', ':']))
}

/// Runs files of tests as they are, contained; gives how each test ended.
async fn run(core: &Arc<Core>, files: &[RelPath]) -> Result<HashMap<RelPath, Vec<TestResult>>, Trouble> {
    let environment = environment::contained(core).await?;
    let fresh = Fresh::new(core, &environment, environment.level, &CancellationToken::new());
    let mut drafts = Vec::new();
    for (number, file) in (0..).zip(files) {
        let Some(text) = overlay::content(core, &Overlay::new(), file)? else { continue };
        drafts.push((ProposalId(number), Draft::new(Origin::Recording, file.clone(), text)));
    }
    let of: BTreeMap<ProposalId, RelPath> = drafts.iter().map(|(id, draft)| (*id, draft.target.clone())).collect();
    let way = Way { manner: Manner::Forward, hash_seed: HASH_SEED, elsewhere: false };
    let seen: HashMap<ProposalId, Seen> = blocking(move || fresh.prove(&drafts, &[way])).await??;
    let ends = seen.into_iter().filter_map(|(id, seen)| match seen.runs.into_iter().next()?.end {
        RunEnd::Finished(results) => Some((of.get(&id)?.clone(), results)),
        // Why the project cannot be imported is told of its modules.
        RunEnd::NotCollected { .. } | RunEnd::TimedOut(_) | RunEnd::Broke(_) => None,
    });
    Ok(ends.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::FunctionId;
    use crate::domain::subject::Subject;

    fn result(name: &str, message: &str) -> TestResult {
        let passed = message.is_empty();
        TestResult {
            name: name.into(),
            passed,
            message: message.into(),
            lines: Vec::new(),
            reached: Vec::new(),
            interrupted: None,
        }
    }

    fn noted(results: Vec<TestResult>, unrun: Vec<u32>) -> EditedCode {
        let file = RelPath::new("tests/pytead/test_m.py").unwrap();
        let mut one = EditedCode {
            subject: Subject::Function(FunctionId("m:f".into())),
            path: RelPath::new("m.py").unwrap(),
            line: 1,
            recorded: 1,
            compared: 0,
            differ: 0,
            through: 0,
            not_compared: vec![NotCompared { reason: ReasonCode::LocalClass.into(), calls: 1 }],
            outside: 1,
            varying: Vec::new(),
            unrun,
            test: None,
        };
        note(&mut one, &[(file.clone(), "test_f".into())], &HashMap::from([(file, results)]));
        one
    }

    #[test]
    fn a_test_that_passes_compares_and_one_that_fails_is_a_difference() {
        assert!(noted(vec![result("test_f[a]", ""), result("test_f[b]", "")], vec![]).is_compared());
        let failed = noted(vec![result("test_f[a]", ""), result("test_f[b]", "assert 1 == 2")], vec![]);
        assert!(failed.fails());
        assert!(failed.summary().contains("tests/pytead/test_m.py::test_f[b]: assert 1 == 2"), "{}", failed.summary());
    }

    #[test]
    fn tests_of_others_and_tests_beside_the_edited_path_compare_nothing() {
        assert!(!noted(vec![result("test_fg", "")], vec![]).is_compared());
        assert!(!noted(vec![result("test_f", "")], vec![7]).is_compared());
        assert!(noted(vec![result("test_f", "assert 1 == 2")], vec![7]).fails());
    }
}
