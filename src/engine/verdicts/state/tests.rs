//! What verdicts become in the workbench, on a project with one test.

use super::*;
use crate::domain::evaluator::Evaluator;
use crate::domain::settings::Settings;
use crate::domain::verdict::Verdict;
use crate::engine::checks::verdict_files::{Seen, leave, prepare};
use crate::engine::state::{rows, verdict_rows};

const TEST: &str = "tests/test_a.py::test_a[one]";

/// A project with one test, opened without a screen.
fn opened(place: &std::path::Path) -> Arc<Core> {
    std::fs::create_dir(place.join("tests")).unwrap();
    std::fs::write(place.join("tests/test_a.py"), "def test_a():\n    pass\n").unwrap();
    prepare(place);
    let store = crate::store::open_in_memory().unwrap();
    let core = Core::new(place.to_owned(), Settings::default(), store, Trust::Trusted, "none".into());
    *core.index.write() = Arc::new(Index::build(place, &[], &|_, _| {}));
    core.state.lock().indexed = true;
    Arc::new(core)
}

fn test_of(core: &Core) -> FunctionId {
    core.index().functions().next().unwrap().id.clone()
}

fn judged(core: &Arc<Core>, ruling: Ruling, reason: &str) -> Vec<(ProposalState, bool)> {
    let request = crate::engine::checks::intents::request::Request {
        test: TEST.into(),
        file: "tests/test_a.py".into(),
        intent: "Free English".into(),
        checks: Vec::new(),
        journey: std::path::PathBuf::new(),
        show: Vec::new(),
        dry: false,
        refresh: false,
        tried: Vec::new(),
        failed: None,
    };
    let verdict = Verdict {
        verdict: ruling,
        overridden: false,
        evaluator: Evaluator::Rules,
        reason: reason.into(),
        clauses: Vec::new(),
        uncovered: Vec::new(),
        asked: None,
        bound: Some(Bound { journey: "did".into(), meaning: "means".into() }),
        proposed: None,
        tried: Vec::new(),
        shown: Default::default(),
    };
    // What happens in one millisecond has no order.
    std::thread::sleep(std::time::Duration::from_millis(2));
    let seen = Seen { events: &[], gaps: &[], began: clock::now(), accepts: true, suggestions: Vec::new() };
    leave(&core.root, &request, &verdict, seen);
    assert_eq!(take_in(core).unwrap(), [TEST]);
    let all = core.store().proposals_of(&test_of(core)).unwrap();
    all.iter().map(|one| (one.state, rows::is_in_queue(one))).collect()
}

#[test]
fn a_failure_waits_until_a_newer_run_passes_and_again_when_it_is_back() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    assert_eq!(judged(&core, Ruling::Fail, "Because."), [(ProposalState::Ready, true)]);
    assert_eq!(judged(&core, Ruling::Fail, "Because."), [(ProposalState::Ready, true)], "asked once");
    assert_eq!(judged(&core, Ruling::Error, "No judge."), [(ProposalState::Ready, true)], "a broken judge says nothing");
    assert_eq!(judged(&core, Ruling::Pass, ""), [(ProposalState::Stale, false)]);
    assert_eq!(judged(&core, Ruling::Unclear, "Another."), [(ProposalState::Ready, true)]);
    let state = core.state.lock();
    let rows = verdict_rows::rows(state.verdicts.values(), state.proposals.values(), &core.index());
    assert_eq!((rows.len(), rows[0].ruling, rows[0].stale), (1, Ruling::Unclear, false));
    assert!(rows[0].proposal.is_some());
}

#[test]
fn an_edit_makes_a_verdict_stale_and_a_run_makes_it_fresh_although_the_clock_was_set_back() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    judged(&core, Ruling::Pass, "");
    let is_stale = || core.state.lock().verdicts[TEST].is_stale();
    // It ran a day before the clock went back by one.
    let day = 86_400_000;
    let function = test_of(&core);
    let mut future = core.store().verdict(TEST).unwrap().unwrap().judged;
    (future.began, future.at) = (Moment(future.began.0 + day), Moment(future.at.0 + day));
    assert!(core.store().put_verdict(&future, &function).unwrap());
    load(&core).unwrap();
    assert!(!is_stale());
    mark_stale_in(&core, &|_| true);
    assert!(is_stale(), "the edit came later");
    judged(&core, Ruling::Fail, "Because.");
    let now = core.state.lock().verdicts[TEST].stored.judged.verdict.verdict;
    assert!(now == Ruling::Fail && !is_stale(), "the run came later still");
    mark_stale_in(&core, &|_| true);
    assert!(is_stale());
}

#[test]
fn a_test_that_fails_by_its_own_assertion_is_red_and_asks_nothing() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    judged(&core, Ruling::Pass, "");
    let mut now = core.store().verdict(TEST).unwrap().unwrap();
    now.judged.verdict = crate::engine::checks::intents::verdict::failed_itself("assert 1 == 2\n  more");
    now.judged.at.0 += 1;
    assert_eq!(now.judged.verdict.reason, "It fails by its own assertion: assert 1 == 2.");
    core.store().put_verdict(&now.judged, &now.function).unwrap();
    settle(&core, &now.judged, &now.function).unwrap();
    load(&core).unwrap();
    let state = core.state.lock();
    let rows = verdict_rows::rows(state.verdicts.values(), state.proposals.values(), &core.index());
    assert_eq!((rows[0].ruling, rows[0].stale, rows[0].proposal), (Ruling::Fail, false, None));
    assert!(!state.proposals.values().any(|one| rows::is_in_queue(one)));
}

#[test]
fn what_was_decided_is_not_asked_again_until_it_is_another() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    judged(&core, Ruling::Fail, "Because.");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let id = core.state.lock().proposals.values().next().unwrap().id;
        let accept = crate::domain::decision::Verb::Accept;
        let lines = crate::engine::workflow::decided::decide(&core, vec![id], accept, None, None).await.unwrap();
        assert!(lines[0].contains("stays red"), "{lines:?}");
        let reject =
            crate::engine::workflow::decided::decide(&core, vec![id], crate::domain::decision::Verb::Reject, None, None).await;
        assert!(reject.is_err(), "a verdict is put away with a reason only");
    });
    assert_eq!(judged(&core, Ruling::Fail, "Because."), [(ProposalState::Written, false)]);
    assert_eq!(judged(&core, Ruling::Fail, "Another."), [(ProposalState::Written, false), (ProposalState::Ready, true)]);
}

/// As on the command line, where no test runs again by itself.
#[test]
fn a_verdict_waits_again_when_what_overruled_it_is_taken_back() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    judged(&core, Ruling::Fail, "Because.");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ruling = || core.state.lock().verdicts[TEST].stored.judged.verdict.clone();
    runtime.block_on(async {
        let id = core.state.lock().proposals.values().next().unwrap().id;
        let overrule = crate::domain::decision::Verb::Overrule;
        let reason = Some("it is wrong about this".to_owned());
        crate::engine::workflow::decided::decide(&core, vec![id], overrule, reason, None).await.unwrap();
        // The run that heard of it.
        let mut overruled = core.store().verdict(TEST).unwrap().unwrap();
        overruled.judged.verdict.overridden = true;
        overruled.judged.at.0 += 1;
        core.store().put_verdict(&overruled.judged, &overruled.function).unwrap();
        settle(&core, &overruled.judged, &overruled.function).unwrap();
        load(&core).unwrap();
        assert!(ruling().overridden);
        crate::engine::workflow::decided::undo(&core).await.unwrap();
    });
    assert_eq!((ruling().verdict, ruling().overridden), (Ruling::Fail, false));
    let waiting = core.state.lock().proposals.values().filter(|one| rows::is_in_queue(one)).count();
    assert_eq!((waiting, core.state.lock().proposals.len()), (1, 1), "the same one waits again");
}

#[test]
fn an_edit_of_the_test_makes_its_verdict_stale_and_a_later_run_fresh() {
    let place = tempfile::tempdir().unwrap();
    let core = opened(place.path());
    judged(&core, Ruling::Pass, "");
    assert!(stale(&core).is_empty());
    mark_stale(&core, &BTreeSet::from([FunctionId::new("m", "another")]), &[]);
    assert!(stale(&core).is_empty());
    mark_stale(&core, &BTreeSet::from([test_of(&core)]), &[]);
    assert_eq!(stale(&core), [TEST]);
    judged(&core, Ruling::Pass, "");
    assert!(stale(&core).is_empty());
}
