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
use crate::source::internals::internals;
use crate::source::outline::{StatementKind, outline};

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
    let mut accepted: HashMap<RelPath, BTreeSet<String>> = HashMap::new();
    for file in &files {
        let text = overlay::content(core, &Overlay::new(), file)?.unwrap_or_default();
        let tests =
            if may_have_hooks(core, file) { BTreeSet::new() } else { trusted(&text, standing.as_accepted(core, file, &text)) };
        accepted.insert((*file).clone(), tests);
    }
    let ends = run(core, &files.into_iter().cloned().collect::<Vec<_>>()).await?;
    for (one, tests) in tests {
        note(one, &tests, &ends, &accepted);
    }
    Ok(())
}

/// Tells whether the `conftest.py` of the folder of a file, which we wrote without any, has hooks of pytest, or
/// cannot be read: hooks can change any result.
fn may_have_hooks(core: &Core, file: &RelPath) -> bool {
    let folder = file.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
    let Some(conftest) = RelPath::new(format!("{folder}/conftest.py")) else { return false };
    let Ok(text) = overlay::content(core, &Overlay::new(), &conftest) else { return true };
    let text = text.unwrap_or_default();
    let is_hook = |kind: &StatementKind| matches!(kind, StatementKind::Definition(name) if name.starts_with("pytest_"));
    outline(&text).statements.iter().any(|statement| is_hook(&statement.kind))
}

/// Gives those tests of a file that are as they were accepted; none where the rest of the file reaches for what runs tests, or
/// does something when it is imported.
fn trusted(text: &str, accepted: BTreeSet<String>) -> BTreeSet<String> {
    let parsed = outline(text);
    let own: Vec<_> = accepted.iter().filter_map(|test| parsed.definition(test)).map(|found| found.lines.clone()).collect();
    // Each line keeps its number.
    let line =
        |(number, line): (usize, &str)| if own.iter().any(|own| own.contains(&number)) { String::new() } else { line.into() };
    let rest: Vec<String> = text.lines().enumerate().map(line).collect();
    if internals(&rest.join("\n"), &BTreeSet::new()).is_empty() { accepted } else { BTreeSet::new() }
}

/// Notes how the tests of an edited function ended. One that passes compares only if it is as it was accepted: edited, it may
/// assert anything, or nothing.
fn note(
    one: &mut EditedCode,
    tests: &[(RelPath, String)],
    ends: &HashMap<RelPath, Vec<TestResult>>,
    accepted: &HashMap<RelPath, BTreeSet<String>>,
) {
    let (mut passed, mut edited) = (0, None);
    for (file, test) in tests {
        let is_accepted = accepted.get(file).is_some_and(|accepted| accepted.contains(test));
        for result in ends.get(file).into_iter().flatten().filter(|result| is_of(&result.name, test)) {
            if result.passed && !is_accepted {
                edited.get_or_insert_with(|| format!("{file}::{test}"));
            } else if result.passed {
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
    } else if let Some(test) = edited.filter(|_| !one.fails()) {
        one.not_compared.insert(0, NotCompared { reason: ReasonCode::AcceptedTestEdited.with(test), calls: 0 });
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
        noted_of(results, unrun, &["test_f"])
    }

    fn noted_of(results: Vec<TestResult>, unrun: Vec<u32>, accepted: &[&str]) -> EditedCode {
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
        let accepted = HashMap::from([(file.clone(), accepted.iter().map(|test| (*test).to_owned()).collect())]);
        note(&mut one, &[(file.clone(), "test_f".into())], &HashMap::from([(file, results)]), &accepted);
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
    fn a_test_that_was_edited_compares_nothing_where_it_passes() {
        let passed = noted_of(vec![result("test_f[a]", "")], vec![], &[]);
        assert!(!passed.is_compared() && !passed.fails());
        assert!(
            passed.summary().contains("was edited after it was accepted: tests/pytead/test_m.py::test_f"),
            "{}",
            passed.summary()
        );
        assert!(noted_of(vec![result("test_f[a]", ""), result("test_f[b]", "assert 1 == 2")], vec![], &[]).fails());
    }

    #[test]
    fn a_file_that_reaches_for_what_runs_tests_has_no_test_as_it_was_accepted() {
        let tests = BTreeSet::from(["test_a".to_owned()]);
        let text = "import pytest\n\nX = 1\n\n\ndef test_a():\n    assert __import__('m').f() == X\n";
        assert_eq!(trusted(text, tests.clone()), tests);
        for added in ["import gc\n", "import _pytest.python as q\nq.Function.runtest = print\n", "m.f = print\n", "print()\n"] {
            assert!(trusted(&format!("{text}\n\n{added}"), tests.clone()).is_empty(), "{added}");
        }
    }

    #[test]
    fn tests_of_others_and_tests_beside_the_edited_path_compare_nothing() {
        assert!(!noted(vec![result("test_fg", "")], vec![]).is_compared());
        assert!(!noted(vec![result("test_f", "")], vec![7]).is_compared());
        assert!(noted(vec![result("test_f", "assert 1 == 2")], vec![7]).fails());
    }
}
