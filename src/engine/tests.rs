//! Decisions and restarts on a store in memory: what undo, a crash and a second process must leave alone.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::{Decision, DecisionId, FileEdit, Verb};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::journal_entry::{JournalAction, JournalEntry};
use crate::domain::proposal::{Body, Change, Draft, Proposal, ProposalId, ProposalState};
use crate::domain::reason::ReasonCode;
use crate::domain::samples;
use crate::domain::settings::Settings;
use crate::domain::snapshot::Trust;
use crate::domain::subject::Subject;
use crate::engine::handle::proposal_view;
use crate::engine::index::reachability;
use crate::engine::index::refresh;
use crate::engine::proving::basis;
use crate::engine::replay::code_versions;
use crate::engine::state::core::Core;
use crate::engine::watch::on_save;
use crate::engine::workflow::decided;
use crate::engine::{drafting, review};
use crate::source::index::Index;
use crate::store;

fn core(root: &Path, trust: Trust) -> Arc<Core> {
    let store = store::open_in_memory().unwrap();
    Arc::new(Core::new(root.to_owned(), Settings::default(), store, trust, "none".into()))
}

fn nowhere() -> Arc<Core> {
    core(Path::new("/nonexistent"), Trust::Trusted)
}

fn proposal(state: ProposalState, body: Body) -> Proposal {
    Proposal { state, ..Proposal::queued(FunctionId("m:f".into()), body, Moment(0)) }
}

fn change() -> Body {
    Body::Change(Change { calls: vec![], same: 1, because: vec![], seen: Moment(0) })
}

fn draft(text: &str) -> Body {
    Body::Draft(Draft { tests: vec!["test_f".into()], ..samples::draft(&["from m import f"], text) })
}

/// Makes a draft one of a recorded call.
fn of_a_call(core: &Core, body: Body) -> Body {
    let Body::Draft(draft) = body else { return body };
    let recording = core.store().begin_recording(&crate::store::samples::recording()).unwrap();
    core.store().ingest(recording, crate::store::samples::batch("m:f", 1)).unwrap();
    let calls = core.store().calls_of(&FunctionId("m:f".into()), 1).unwrap().iter().map(|call| call.id).collect();
    Body::Draft(Draft { calls, ..draft })
}

fn state(core: &Core, id: ProposalId) -> ProposalState {
    core.store().proposal(id).unwrap().unwrap().state
}

#[tokio::test]
async fn taking_back_a_rejection_does_not_revive_a_change_that_is_gone() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    decided::decide(&core, vec![id], Verb::Reject, None, None).await.unwrap();
    core.move_proposal(id, ProposalState::Stale, |_| {}).unwrap();
    decided::undo(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Stale);
}

#[tokio::test]
async fn a_rejection_is_made_of_all_or_of_none() {
    let core = nowhere();
    let ready = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    let written = core.add_proposal(proposal(ProposalState::Written, change())).unwrap().id;
    decided::decide(&core, vec![ready, written], Verb::Reject, None, None).await.unwrap_err();
    assert_eq!(state(&core, ready), ProposalState::Ready);
    assert!(core.store().last_standing().unwrap().is_none());
}

#[tokio::test]
async fn a_decision_names_the_reviewer_as_an_accepted_intent_does() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["init", "-q"][..], &["config", "user.name", "Ada Lovelace"]] {
        assert!(std::process::Command::new("git").args(args).current_dir(folder.path()).status().unwrap().success());
    }
    let core = core(folder.path(), Trust::Trusted);
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    decided::decide(&core, vec![id], Verb::Reject, None, None).await.unwrap();
    let decision = core.store().last_standing().unwrap().unwrap();
    assert_eq!(decision.by, "Ada Lovelace");
    assert_eq!(decision.by, crate::engine::checks::intents::accept::reviewer(folder.path()));
}

#[tokio::test]
async fn what_was_drafted_anew_is_not_decided_again_unseen() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"))).unwrap().id;
    decided::decide(&core, vec![id], Verb::Reject, None, None).await.unwrap();
    decided::undo(&core).await.unwrap();
    decided::redo(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Rejected);
    decided::undo(&core).await.unwrap();
    core.change_proposal(id, |proposal| proposal.body = draft("def test_f():\n    assert f(1) == 3\n")).unwrap();
    let trouble = decided::redo(&core).await.unwrap_err();
    assert!(trouble.what.contains("not what it was"), "{trouble}");
    assert_eq!(state(&core, id), ProposalState::Ready);
}

#[tokio::test]
async fn nothing_is_decided_in_a_folder_that_is_only_read() {
    let core = core(Path::new("/nonexistent"), Trust::Unknown);
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    let trouble = decided::decide(&core, vec![id], Verb::Accept, None, None).await.unwrap_err();
    assert_eq!((trouble.exit_code(), state(&core, id)), (3, ProposalState::Ready));
}

#[tokio::test]
async fn a_second_process_leaves_work_in_progress_alone() {
    let core = nowhere();
    let proving = core.add_proposal(proposal(ProposalState::Proving, draft(""))).unwrap().id;
    review::decide::load(&core, false).unwrap();
    assert_eq!(state(&core, proving), ProposalState::Proving);
    review::decide::load(&core, true).unwrap();
    assert_eq!(state(&core, proving), ProposalState::Failed);
}

/// Begins to decide and ends there, as a process does that is killed.
fn cut_off(core: &Core, id: ProposalId, verb: Verb, edits: Vec<FileEdit>) {
    let decision = Decision {
        id: DecisionId(0),
        proposal: id,
        subject: FunctionId("m:f".into()).into(),
        verb,
        from: ProposalState::Ready,
        by: "ada".into(),
        at: Moment(1),
        reason: None,
        basis: Digest::default(),
        edits: edits.clone(),
        undone: false,
    };
    core.store().begin(&JournalEntry::new(JournalAction::Decide, vec![decision], edits)).unwrap();
}

#[tokio::test]
async fn a_decision_that_was_cut_off_is_finished_where_anything_was_written_and_else_given_up() {
    let edit = |name: &str, before: Option<&str>| FileEdit {
        path: RelPath::new(name).unwrap(),
        before: before.map(str::to_owned),
        after: Some("after\n".into()),
    };
    let edits = [edit("a.py", None), edit("b.py", Some("before\n")), edit("c.py", Some("before\n"))];
    // What stands in the three files when the next process comes; then where the proposal is, and what stands there.
    let cases = [
        (["-", "before\n", "before\n"], ProposalState::Ready, ["-", "before\n", "before\n"]),
        (["after\n", "before\n", "before\n"], ProposalState::Written, ["after\n", "after\n", "after\n"]),
        (["after\n", "after\n", "after\n"], ProposalState::Written, ["after\n", "after\n", "after\n"]),
        (["after\n", "mine\n", "before\n"], ProposalState::Written, ["after\n", "mine\n", "after\n"]),
        (["mine\n", "before\n", "before\n"], ProposalState::Ready, ["mine\n", "before\n", "before\n"]),
    ];
    for (found, stands, left) in cases {
        let place = tempfile::tempdir().unwrap();
        let core = core(place.path(), Trust::Trusted);
        let id = core.add_proposal(proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"))).unwrap().id;
        cut_off(&core, id, Verb::Accept, edits.to_vec());
        for (edit, text) in edits.iter().zip(found).filter(|(_, text)| *text != "-") {
            std::fs::write(edit.path.under(place.path()), text).unwrap();
        }
        std::fs::write(place.path().join(".pytead-999999999-0.tmp"), "after\n").unwrap();
        review::decide::load(&core, false).unwrap();
        let now = edits.clone().map(|edit| std::fs::read_to_string(edit.path.under(place.path())).unwrap_or("-".into()));
        assert_eq!((state(&core, id), now.each_ref().map(String::as_str)), (stands, left), "{found:?}");
        let noted = core.store().last_standing().unwrap();
        assert_eq!(noted.map(|decision| decision.edits), (stands == ProposalState::Written).then(|| edits.to_vec()));
        assert!(core.store().unfinished().unwrap().is_empty());
        assert!(!place.path().join(".pytead-999999999-0.tmp").exists(), "the half of a file is gone");
    }
}

#[tokio::test]
async fn a_decision_without_files_that_was_cut_off_is_finished() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    cut_off(&core, id, Verb::Accept, Vec::new());
    // The next decision comes before the next start.
    let other = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    decided::decide(&core, vec![other], Verb::Reject, None, None).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Written);
    let all: Vec<ProposalId> = core.store().decisions(9).unwrap().iter().map(|decision| decision.proposal).collect();
    assert_eq!(all, [other, id]);
}

#[tokio::test]
async fn nothing_is_put_right_where_the_folder_is_only_read() {
    let core = core(Path::new("/nonexistent"), Trust::Unknown);
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    cut_off(&core, id, Verb::Accept, Vec::new());
    review::decide::load(&core, true).unwrap();
    assert_eq!(state(&core, id), ProposalState::Accepted);
}

#[tokio::test]
async fn a_skip_that_is_taken_back_and_made_again_leaves_no_mark_on_the_function() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    decided::decide(&core, vec![id], Verb::Skip, None, None).await.unwrap();
    decided::undo(&core).await.unwrap();
    decided::redo(&core).await.unwrap();
    assert!(core.proposal(id).unwrap().skipped && core.state.lock().put_away.is_empty());
}

#[tokio::test]
async fn what_cannot_be_written_back_says_why() {
    let place = tempfile::tempdir().unwrap();
    let core = core(place.path(), Trust::Trusted);
    let id = core.add_proposal(proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"))).unwrap().id;
    decided::decide(&core, vec![id], Verb::Accept, None, None).await.unwrap();
    let written = place.path().join("tests/pytead/test_pytead_m.py");
    let before = std::fs::read_to_string(&written).unwrap();
    std::fs::write(&written, format!("{before}# mine\n")).unwrap();
    let trouble = decided::undo(&core).await.unwrap_err();
    assert_eq!(trouble.what, "Not taken back: tests/pytead/test_pytead_m.py changed since. Nothing was written.");
    std::fs::remove_file(&written).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &written).unwrap();
    let trouble = decided::undo(&core).await.unwrap_err();
    assert!(trouble.what.contains("is a link") && !trouble.to_string().contains("changed since"), "{trouble}");
    std::fs::remove_file(&written).unwrap();
    std::fs::write(&written, before).unwrap();
    decided::undo(&core).await.unwrap();
    assert!(!written.exists());
}

#[tokio::test]
async fn a_test_that_a_person_changed_is_shown_in_three_texts_and_never_overwritten() {
    let place = tempfile::tempdir().unwrap();
    let core = core(place.path(), Trust::Trusted);
    let recorded = |text: &str| of_a_call(&core, draft(text));
    let first = core.add_proposal(proposal(ProposalState::Ready, recorded("def test_f():\n    assert f(1) == 2\n"))).unwrap().id;
    decided::decide(&core, vec![first], Verb::Accept, None, None).await.unwrap();
    let second = core.add_proposal(proposal(ProposalState::Ready, recorded("def test_f():\n    assert f(1) == 3\n"))).unwrap().id;
    let view = proposal_view::proposal(&core, second).unwrap();
    assert!(view.conflict.is_none() && view.blocked.is_none());
    assert_eq!(view.others.iter().map(|other| (other.id, other.state)).collect::<Vec<_>>(), [(first, ProposalState::Written)]);
    assert!(view.others[0].text.contains("f(1) == 2"));
    let file = place.path().join("tests/pytead/test_pytead_m.py");
    let written = std::fs::read_to_string(&file).unwrap();
    let by_hand = written.replace("== 2", "== 1 + 1");
    std::fs::write(&file, &by_hand).unwrap();
    let conflict = proposal_view::proposal(&core, second).unwrap().conflict.unwrap();
    assert_eq!((conflict.base.as_deref(), conflict.disk.as_deref()), (Some(written.as_str()), Some(by_hand.as_str())));
    assert!(conflict.mine.contains("== 3") && !conflict.mine.contains("== 2"), "{}", conflict.mine);
    decided::decide(&core, vec![second], Verb::Accept, None, None).await.unwrap_err();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), by_hand);
}

#[tokio::test]
async fn a_test_that_a_person_changed_does_not_hold_back_the_others_of_its_draft() {
    let place = tempfile::tempdir().unwrap();
    let core = core(place.path(), Trust::Trusted);
    let two = |f: u8, g: u8| {
        let text = format!("def test_f():\n    assert f(1) == {f}\n\n\ndef test_g():\n    assert f(2) == {g}\n");
        let tests = vec!["test_f".into(), "test_g".into()];
        of_a_call(&core, Body::Draft(Draft { tests, ..samples::draft(&["from m import f"], &text) }))
    };
    let first = core.add_proposal(proposal(ProposalState::Ready, two(2, 4))).unwrap().id;
    decided::decide(&core, vec![first], Verb::Accept, None, None).await.unwrap();
    let file = place.path().join("tests/pytead/test_pytead_m.py");
    let by_hand = std::fs::read_to_string(&file).unwrap().replace("== 2", "== 1 + 1");
    std::fs::write(&file, &by_hand).unwrap();
    let second = core.add_proposal(proposal(ProposalState::Ready, two(3, 5))).unwrap().id;
    let view = proposal_view::proposal(&core, second).unwrap();
    assert!(view.blocked.is_none(), "{view:?}");
    assert_eq!(view.conflict.unwrap().summary(), "test_f stays as changed by hand: accepting writes the others.");
    let (together, alone) = review::decide::in_bulk(&core, &[second]).unwrap();
    assert_eq!((together.len(), alone.len()), (0, 1), "many at once leave it to a person");
    decided::decide(&core, vec![second], Verb::Accept, None, None).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), by_hand.replace("== 4", "== 5"));
    decided::undo(&core).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), by_hand);
}

#[tokio::test]
async fn a_draft_whose_tests_nobody_saw_fail_is_left_to_look_at() {
    let place = tempfile::tempdir().unwrap();
    let core = core(place.path(), Trust::Trusted);
    let of = |finding: Finding, detail: &str| {
        let body = of_a_call(&core, draft("def test_f():\n    assert f(1) == 2\n"));
        let evidence = vec![Evidence::new(finding, EvidenceKind::Mutants, detail)];
        core.add_proposal(Proposal { evidence, ..proposal(ProposalState::Ready, body) }).unwrap().id
    };
    let tried = of(Finding::Pass, "2 of 2 faults put into f() noticed");
    let untried = of(Finding::Note, "not tried: the warm one ended");
    let (together, alone) = review::decide::in_bulk(&core, &[tried, untried]).unwrap();
    assert_eq!(together, [tried]);
    assert_eq!(alone, [(untried, "can fail: not tried: the warm one ended".into())]);
    decided::decide(&core, vec![untried], Verb::Accept, None, None).await.unwrap();
}

#[tokio::test]
async fn why_a_function_has_no_test_is_known_after_a_restart() {
    let core = nowhere();
    let function = FunctionId("m:f".into());
    let reads_clock = ReasonCode::DependsOnClock.with("time.time");
    core.store().note_untestable(vec![(function.clone(), Some(reads_clock.clone()))]).unwrap();
    review::decide::load(&core, true).unwrap();
    assert_eq!(core.state.lock().untestable.get(&function), Some(&reads_clock));
    core.store().note_untestable(vec![(function.clone(), None)]).unwrap();
    core.reload_counts().unwrap();
    assert!(core.state.lock().untestable.is_empty());
}

#[tokio::test]
async fn the_source_that_an_open_change_is_told_against_outlives_a_new_recording() {
    let place = tempfile::tempdir().unwrap();
    let core = core(place.path(), Trust::Trusted);
    let (asked, other) = (Subject::from_text("m:f"), Subject::from_text("n:g"));
    let both = BTreeSet::from([asked.clone(), other.clone()]);
    let remembered = |subject: &Subject| core.store().code(std::slice::from_ref(subject)).unwrap()[0].text.clone();
    for (result, about) in [("1", BTreeSet::new()), ("2", BTreeSet::from([asked.clone()]))] {
        std::fs::write(place.path().join("m.py"), format!("def f():\n    return {result}\n")).unwrap();
        std::fs::write(place.path().join("n.py"), format!("def g():\n    return {result}\n")).unwrap();
        *core.index.write() = Arc::new(Index::build(place.path(), &[], &|_, _| {}));
        code_versions::remember(&core, &core.index(), &both, &about).unwrap();
    }
    assert!(remembered(&asked).contains("return 1"), "the question is still: why not 1 any more?");
    assert!(remembered(&other).contains("return 2"));
}

#[tokio::test]
async fn code_that_was_edited_and_put_back_while_calls_ran_may_have_run_as_it_was_edited() {
    let place = tempfile::tempdir().unwrap();
    let save = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    save("m.py", "def f():\n    return 1\n");
    save("n.py", "def g():\n    return 1\n");
    let core = core(place.path(), Trust::Trusted);
    let index = Arc::new(Index::build(place.path(), &[], &|_, _| {}));
    let reach = reachability::by_names(&core, &index);
    let [f, g] = ["m:f", "n:g"].map(|id| BTreeSet::from([FunctionId(id.into())]));
    for (edited, about_f) in [(None, true), (Some("m.py"), false), (Some("n.py"), true)] {
        let began = code_versions::begin(&core, &index, &reach, BTreeSet::new()).await.unwrap();
        if let Some(name) = edited {
            let text = std::fs::read_to_string(place.path().join(name)).unwrap();
            save(name, "def f():\n    return 2\n");
            save(name, &text);
        }
        assert_eq!(code_versions::stands(&core, &index, &reach, &f, &began).await.unwrap(), about_f, "{edited:?}");
    }
    let began = code_versions::begin(&core, &index, &reach, BTreeSet::from([RelPath::new("m.py").unwrap()])).await.unwrap();
    save("m.py", "def f():\n    return 2\n");
    assert!(code_versions::stands(&core, &index, &reach, &f, &began).await.unwrap(), "a text stands in for it");
    let began = code_versions::begin(&core, &index, &reach, BTreeSet::new()).await.unwrap();
    assert!(!code_versions::stands(&core, &index, &reach, &f, &began).await.unwrap(), "it is not what the index has");
    let began = code_versions::begin(&core, &index, &reach, BTreeSet::new()).await.unwrap();
    assert!(code_versions::stands(&core, &index, &reach, &g, &began).await.unwrap(), "others do not run through it");
}

#[tokio::test]
async fn a_draft_proved_on_other_code_is_not_ready_any_more() {
    let place = tempfile::tempdir().unwrap();
    let save = |text: &str| std::fs::write(place.path().join("m.py"), text).unwrap();
    save("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n");
    let core = core(place.path(), Trust::Trusted);
    *core.index.write() = Arc::new(Index::build(place.path(), &[], &|_, _| {}));
    let mut ready = proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"));
    let code = basis::code_of(&core, vec![ready.function().unwrap().clone()]).await.unwrap()[ready.function().unwrap()];
    ready.basis = basis::rests_on(code, &ready);
    let id = core.add_proposal(ready).unwrap().id;
    save("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x + 2\n");
    assert!(!refresh::reread(&core, None).await.unwrap().is_harmless());
    drafting::pipeline::mark_outdated(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Ready, "nothing under it changed");
    save("def f(x):\n    return x + 3 - 2\n\n\ndef g(x):\n    return x + 2\n");
    refresh::reread(&core, None).await.unwrap();
    drafting::pipeline::mark_outdated(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Stale);
    assert_eq!(drafting::pipeline::unfinished(&core), [id]);
}

#[tokio::test]
async fn what_became_another_while_a_person_looked_at_it_is_not_accepted() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.py"), "def f(x):\n    return x\n").unwrap();
    let core = core(folder.path(), Trust::Trusted);
    *core.index.write() = Arc::new(Index::build(folder.path(), &[], &|_, _| {}));
    let text = "def test_f():\n    assert f(1) == 1\n";
    let id = core.add_proposal(proposal(ProposalState::Ready, draft(text))).unwrap().id;
    let shown = proposal_view::proposal(&core, id).unwrap();
    let seen = shown.proposal.sight(&shown.plan);
    core.change_proposal(id, |proposal| proposal.body = draft(&text.replace("== 1", "== 2"))).unwrap();
    let refused = decided::accept_seen(&core, id, seen).await.unwrap_err();
    assert!(refused.to_string().contains("It became another while you looked at it."), "{refused}");
    let file = folder.path().join("tests/pytead/test_pytead_m.py");
    assert_eq!((state(&core, id), file.exists()), (ProposalState::Ready, false));
    core.change_proposal(id, |proposal| proposal.body = draft(text)).unwrap();
    decided::accept_seen(&core, id, seen).await.unwrap();
    assert_eq!((state(&core, id), file.exists()), (ProposalState::Written, true));
}

#[tokio::test]
async fn what_another_process_made_of_it_meanwhile_is_shown_and_not_accepted_unseen() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.py"), "def f(x):\n    return x\n").unwrap();
    let store = store::open_in_memory().unwrap();
    let [here, elsewhere] = [(); 2].map(|()| {
        let core = Core::new(folder.path().into(), Settings::default(), store.clone(), Trust::Trusted, "none".into());
        *core.index.write() = Arc::new(Index::build(folder.path(), &[], &|_, _| {}));
        Arc::new(core)
    });
    let text = "def test_f():\n    assert f(1) == 1\n";
    let id = here.add_proposal(proposal(ProposalState::Ready, draft(text))).unwrap().id;
    let shown = proposal_view::proposal(&here, id).unwrap();
    elsewhere.change_proposal(id, |proposal| proposal.body = draft(&text.replace("== 1", "== 2"))).unwrap();
    let refused = decided::accept_seen(&here, id, shown.proposal.sight(&shown.plan)).await.unwrap_err();
    assert!(refused.to_string().contains("It became another while you looked at it."), "{refused}");
    assert_eq!(state(&here, id), ProposalState::Ready);
    let shown = proposal_view::proposal(&here, id).unwrap();
    assert!(shown.proposal.draft().unwrap().text.contains("== 2"), "what it is now");
    decided::accept_seen(&here, id, shown.proposal.sight(&shown.plan)).await.unwrap();
    assert!(std::fs::read_to_string(folder.path().join("tests/pytead/test_pytead_m.py")).unwrap().contains("== 2"));
}

/// A project of one function, with a proposal for it, that was read once.
async fn read(folder: &Path, state: ProposalState, text: &str) -> (Arc<Core>, ProposalId) {
    std::fs::write(folder.join("m.py"), "def f(x):\n    return x + 1\n").unwrap();
    let core = core(folder, Trust::Unknown);
    on_save::index(&core).await;
    let id = core.add_proposal(proposal(state, draft(text))).unwrap().id;
    (core, id)
}

#[tokio::test]
async fn a_save_makes_a_draft_stale_that_waits_for_its_proof_and_none_that_is_still_to_be_written() {
    for (text, after) in [("def test_f():\n    assert f(1) == 2\n", ProposalState::Stale), ("", ProposalState::Queued)] {
        let folder = tempfile::tempdir().unwrap();
        let (core, id) = read(folder.path(), ProposalState::Queued, text).await;
        std::fs::write(folder.path().join("m.py"), "def f(x):\n    return x + 2\n").unwrap();
        on_save::changed(&core, Some(vec![RelPath::new("m.py").unwrap()])).await;
        assert_eq!(state(&core, id), after, "{text}");
    }
}

#[tokio::test]
async fn reading_the_project_once_more_forgets_no_save() {
    let folder = tempfile::tempdir().unwrap();
    let (core, id) = read(folder.path(), ProposalState::Ready, "def test_f():\n    assert f(1) == 2\n").await;
    std::fs::write(folder.path().join("m.py"), "def f(x):\n    return x + 2\n").unwrap();
    on_save::index(&core).await;
    assert_eq!(state(&core, id), ProposalState::Stale);
}

#[tokio::test]
async fn what_is_decided_at_once_keeps_its_files_once_and_is_taken_back_and_made_again_whole() {
    let folder = tempfile::tempdir().unwrap();
    let core = core(folder.path(), Trust::Trusted);
    let ids = ["f", "g", "h"].map(|name| {
        let text = format!("def test_{name}():\n    assert {name}(1) == 2\n");
        let draft = Draft { tests: vec![format!("test_{name}")], ..samples::draft(&["import m"], &text) };
        let queued = Proposal::queued(FunctionId(format!("m:{name}")), Body::Draft(draft), Moment(0));
        core.add_proposal(Proposal { state: ProposalState::Ready, ..queued }).unwrap().id
    });
    decided::decide(&core, ids.to_vec(), Verb::Accept, None, None).await.unwrap();
    let at = core.store().last_standing().unwrap().unwrap().at;
    let kept: Vec<usize> = core.store().decided_at(at).unwrap().iter().map(|decision| decision.edits.len()).collect();
    assert_eq!(kept, [2, 0, 0], "the tests and the manifest, with the last");
    let file = folder.path().join("tests/pytead/test_pytead_m.py");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(["test_f", "test_g", "test_h"].iter().all(|test| written.contains(test)), "{written}");
    decided::undo(&core).await.unwrap();
    assert!(!file.exists() && ids.iter().all(|id| state(&core, *id) == ProposalState::Ready));
    decided::redo(&core).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}
