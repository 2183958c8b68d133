//! Tests with intents run under the recorder, and judged: what `check` does, for the workbench and for coding agents.
//!
//! Their verdicts come as those of every run do, by `checks/verdict_files.rs`. The tests run as the user, like
//! the command `check`.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_text};
use crate::base::text;
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::job_subject::JobSubject;
use crate::domain::settings::WatchJudge;
use crate::domain::snapshot::Trust;
use crate::domain::verdict::JudgedTest;
use crate::engine::checks::llm::provider;
use crate::engine::checks::{pytest_run, verdict_files};
use crate::engine::python::pytest_process::Running;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::trust::require_trust;
use crate::engine::state::verdict_rows;
use crate::engine::verdicts::{self, unjudged};
use crate::generate::trim::has_word;

/// The kind of the job a person asked for, and of the one that a save did.
const JOB: JobKind = JobKind::Check;
const AFTER_SAVE: JobKind = JobKind::Judge;
/// How often what was left is taken in while the tests run.
const EVERY: Duration = Duration::from_millis(100);

/// Runs these tests and judges them, or without any all with an intent, judged before or not; the newest request for the same tests wins.
pub async fn judge(core: &Arc<Core>, tests: Vec<String>) -> Result<Done, Trouble> {
    let mut first = unjudged::nodes(core, &|_| true);
    first.retain(|node| tests.is_empty() || tests.contains(node));
    run(core, JOB, tests, first).await
}

/// Runs a test by its node id, or all tests of one, judged before or not. The chosen model decides what rules leave open
/// only where `ask` says so, and only with what a person allowed to be sent.
pub async fn check(core: &Arc<Core>, node: &str, ask: bool) -> Result<Done, Trouble> {
    let wanted = Wanted { nodes: vec![node.to_owned()], subject: JobSubject::Test(node.to_owned()) };
    let Done::Judged { tests } = run_all(core, JOB, &wanted, ask).await? else { return Ok(Done::Nothing) };
    if tests.is_empty() {
        return Err(Trouble::usage(format!("{} came to no verdict.", text::display_line(node)))
            .because("It has no intent, was skipped, or ended before its end.")
            .so("An intent is a decorator: @semantic_test(intent=\"…\") from pytead_tui."));
    }
    Ok(Done::Judged { tests })
}

/// One run after a save at a time.
#[derive(Default)]
struct Turn(tokio::sync::Mutex<()>);

/// After a save: runs the tests whose verdicts are stale by it, and those with an intent in the saved files that were never judged. A newer
/// save ends the run and begins it anew, with its own.
pub async fn after_save(core: &Arc<Core>, saved: &BTreeSet<RelPath>) {
    if core.settings().watch.judge == WatchJudge::Off || core.trust() != Trust::Trusted {
        return;
    }
    core.jobs.supersede(AFTER_SAVE, None);
    let turn = core.part::<Turn>();
    let _one = turn.0.lock().await;
    let (stale, first) = (verdicts::state::stale(core), unjudged::nodes(core, &|path| saved.contains(path)));
    if stale.is_empty() && first.is_empty() {
        return;
    }
    if let Err(trouble) = run(core, AFTER_SAVE, stale, first).await {
        core.complain("judged", &trouble);
    }
}

/// Runs tests that were judged before, all where a person named none, and tests that are judged for the first time.
async fn run(core: &Arc<Core>, kind: JobKind, tests: Vec<String>, first_time: Vec<String>) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let nodes: Vec<String> = {
        let state = core.state.lock();
        let all = tests.is_empty() && kind == JOB;
        let wanted = state.verdicts.values().filter(|kept| all || tests.contains(&kept.stored.judged.test));
        wanted.map(|kept| node(&kept.stored.judged)).chain(first_time).collect()
    };
    let worker = core.clone();
    let (nodes, gone) = blocking(move || parted(&worker.root, nodes)).await?;
    if let Some(names) = named(&gone) {
        let said = format!("{names} cannot be judged again: no longer in a file of tests.");
        if nodes.is_empty() {
            return Err(Trouble::usage(said));
        }
        core.say(Level::Info, "judged", said);
    }
    let Some(first) = nodes.first() else {
        return Err(
            Trouble::usage("There is no test with an intent.").so("An intent is a decorator: @semantic_test(intent=\"…\").")
        );
    };
    let subject = match nodes.len() {
        1 => JobSubject::Test(first.clone()),
        number => JobSubject::Tests(number),
    };
    let wanted = Wanted { nodes, subject };
    // A person who runs tests waits for the model that they chose; a save asks it where the settings say so.
    let ask = kind == JOB || core.settings().watch.judge == WatchJudge::Model;
    let done = run_all(core, kind, &wanted, ask).await?;
    if let Done::Judged { tests } = &done {
        let of: Vec<String> = {
            let state = core.state.lock();
            tests.iter().filter_map(|test| Some(node(&state.verdicts.get(test)?.stored.judged))).collect()
        };
        let is_missing = |node: &&String| !of.iter().any(|test| is_of(test, node));
        let missing: Vec<String> = wanted.nodes.iter().filter(is_missing).cloned().collect();
        if let Some(names) = named(&missing) {
            core.say(Level::Warning, "judged", format!("{names} came to no verdict: skipped, renamed, or ended before its end."));
        }
    }
    Ok(done)
}

/// Names a test, or says how many there are; `None` where there is none.
fn named(nodes: &[String]) -> Option<String> {
    match nodes {
        [] => None,
        [one] => Some(verdict_rows::short(one).to_owned()),
        several => Some(text::count(several.len(), "test")),
    }
}

/// Parts tests from those that are gone: of one that it does not find, pytest would run none of the others. A file has a test if it names
/// the test, or its class, which may inherit it.
fn parted(root: &Path, nodes: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut texts: HashMap<String, Option<String>> = HashMap::new();
    nodes.into_iter().partition(|node| {
        let (file, test) = node.split_once("::").unwrap_or((node, ""));
        let name = test.split(['[', ':']).next().unwrap_or_default();
        let text = texts.entry(file.to_owned()).or_insert_with(|| read_text(&root.join(file)).ok());
        text.as_ref().is_some_and(|text| name.is_empty() || has_word(text, name))
    })
}

/// What is run.
struct Wanted {
    nodes: Vec<String>,
    subject: JobSubject,
}

async fn run_all(core: &Arc<Core>, kind: JobKind, wanted: &Wanted, ask: bool) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let Wanted { nodes, subject } = wanted;
    core.jobs.supersede(kind, Some(subject));
    let before = times(core);
    let job = core.jobs.begin(kind, subject.clone(), nodes.len() as u64);
    core.touch();
    verdict_files::prepare(&core.root);
    // Never an option, and never a file of options.
    let words: Vec<String> = nodes.iter().map(|node| format!("./{node}")).chain(["-q".into(), "--no-header".into()]).collect();
    let worker = core.clone();
    let mut command = blocking(move || pytest_run::pytest(&worker.root, &worker.settings(), &words)).await??;
    if !ask {
        command.env("PYTEAD_JUDGE_ASK", "off").env(provider::AFTER_SAVE, "1");
    }
    let mut running = Running::begin(core, command)?;
    let status = loop {
        let goes_on = job.unless_cancelled(tokio::time::sleep(EVERY)).await;
        take_in(core).await?;
        job.progress(since(core, nodes, &before).len() as u64, nodes.len() as u64);
        core.touch();
        if goes_on.is_none() {
            running.stop().await;
            job.end(false);
            // Nothing else tells a screen that the job is over.
            core.announce(Event::Resync);
            return Ok(Done::Nothing);
        }
        if let Some(status) = running.ended()? {
            break status;
        }
    };
    take_in(core).await?;
    // A workbench on the same project may have taken them in.
    verdicts::state::load(core)?;
    let judged = since(core, nodes, &before);
    let why = running.last_word().await;
    // 0 and 1 are what tests come to; all else is pytest's own.
    let ran = matches!(status.code(), Some(0 | 1));
    job.end(ran);
    core.announce(Event::Resync);
    if !ran {
        return Err(Trouble::environment(format!("Not judged again: pytest did not run {subject}.")).because(why));
    }
    Ok(Done::Judged { tests: judged })
}

/// When each test was judged last.
fn times(core: &Core) -> HashMap<String, Moment> {
    let state = core.state.lock();
    state.verdicts.iter().map(|(test, kept)| (test.clone(), kept.stored.judged.at)).collect()
}

/// Lists the tests of these nodes that were judged since, whoever took their verdicts in.
fn since(core: &Core, nodes: &[String], before: &HashMap<String, Moment>) -> Vec<String> {
    let state = core.state.lock();
    let of = |test: &str| nodes.iter().any(|node| is_of(test, node));
    let all = state.verdicts.values().map(|kept| &kept.stored.judged);
    let is_new = |judged: &&JudgedTest| before.get(&judged.test) != Some(&judged.at);
    all.filter(is_new).filter(|judged| of(&node(judged))).map(|judged| judged.test.clone()).collect()
}

/// Tells whether a test is a node, or one of its tests: a row, or a function of a class or file.
fn is_of(test: &str, node: &str) -> bool {
    test.strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with('[') || rest.starts_with("::"))
}

async fn take_in(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let worker = core.clone();
    blocking(move || verdicts::state::take_in(&worker)).await?
}

/// Names a test by its file below the root, wherever pytest's own root is.
pub(crate) fn node(judged: &crate::domain::verdict::JudgedTest) -> String {
    match judged.test.split_once("::") {
        Some((_, name)) => pytest_run::known(&format!("{}::{name}", judged.file)).to_owned(),
        None => judged.file.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_is_gone_keeps_none_of_the_others_from_running() {
        let place = tempfile::tempdir().unwrap();
        let text = "class TestShop(Base):\n    pass\n\n\ndef test_old_one():\n    pass\n";
        std::fs::write(place.path().join("test_it.py"), text).unwrap();
        let own = |name: &str| name.to_owned();
        let there = ["test_it.py::test_old_one[1]", "test_it.py::TestShop::test_inherited", "test_it.py"].map(own);
        let gone = ["test_it.py::test_old", "test_gone.py::test_old_one"].map(own);
        let (found, lost) = parted(place.path(), there.iter().chain(&gone).cloned().collect());
        assert_eq!((found, lost), (there.to_vec(), gone.to_vec()));
    }
}
