//! Decisions and restarts on a store in memory: what undo, a crash and a second process must leave alone.

use std::path::Path;
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, Change, Draft, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::settings::Settings;
use crate::domain::snapshot::Trust;
use crate::engine::core::Core;
use crate::engine::{drafting, review, watching};
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
    Proposal {
        id: ProposalId(0),
        function: FunctionId("m:f".into()),
        state,
        body,
        evidence: vec![],
        proved: None,
        containment: None,
        basis: Digest::default(),
        created: Moment(0),
        skipped: false,
        edited: None,
    }
}

fn change() -> Body {
    Body::Change(Change { calls: vec![], same: 1, because: vec![], seen: Moment(0) })
}

fn draft(text: &str) -> Body {
    Body::Draft(Draft {
        origin: Origin::Recording,
        target: RelPath::new("tests/pytead/test_pytead_m.py").unwrap(),
        imports: vec!["from m import f".into()],
        text: text.into(),
        tests: vec!["test_f".into()],
        calls: vec![],
        left_out: vec![],
        import_roots: vec![],
        remark: None,
    })
}

fn state(core: &Core, id: ProposalId) -> ProposalState {
    core.store().proposal(id).unwrap().unwrap().state
}

#[tokio::test]
async fn taking_back_a_rejection_does_not_revive_a_change_that_is_gone() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    review::decide(&core, vec![id], Verb::Reject, None).await.unwrap();
    core.move_proposal(id, ProposalState::Stale, |_| {}).unwrap();
    review::undo(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Stale);
}

#[tokio::test]
async fn a_rejection_is_made_of_all_or_of_none() {
    let core = nowhere();
    let ready = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    let written = core.add_proposal(proposal(ProposalState::Written, change())).unwrap().id;
    review::decide(&core, vec![ready, written], Verb::Reject, None).await.unwrap_err();
    assert_eq!(state(&core, ready), ProposalState::Ready);
    assert!(core.store().last_standing().unwrap().is_none());
}

#[tokio::test]
async fn what_was_drafted_anew_is_not_decided_again_unseen() {
    let core = nowhere();
    let id = core.add_proposal(proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"))).unwrap().id;
    review::decide(&core, vec![id], Verb::Reject, None).await.unwrap();
    review::undo(&core).await.unwrap();
    review::redo(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Rejected);
    review::undo(&core).await.unwrap();
    core.change_proposal(id, |proposal| proposal.body = draft("def test_f():\n    assert f(1) == 3\n")).unwrap();
    let trouble = review::redo(&core).await.unwrap_err();
    assert!(trouble.what.contains("not what it was"), "{trouble}");
    assert_eq!(state(&core, id), ProposalState::Ready);
}

#[tokio::test]
async fn nothing_is_decided_in_a_folder_that_is_only_read() {
    let core = core(Path::new("/nonexistent"), Trust::Unknown);
    let id = core.add_proposal(proposal(ProposalState::Ready, change())).unwrap().id;
    let trouble = review::decide(&core, vec![id], Verb::Accept, None).await.unwrap_err();
    assert_eq!((trouble.exit_code(), state(&core, id)), (3, ProposalState::Ready));
}

#[tokio::test]
async fn a_second_process_leaves_work_in_progress_alone() {
    let core = nowhere();
    let proving = core.add_proposal(proposal(ProposalState::Proving, draft(""))).unwrap().id;
    let accepted = core.add_proposal(proposal(ProposalState::Accepted, change())).unwrap().id;
    review::load(&core, false).unwrap();
    assert_eq!((state(&core, proving), state(&core, accepted)), (ProposalState::Proving, ProposalState::Accepted));
    review::load(&core, true).unwrap();
    assert_eq!(state(&core, proving), ProposalState::Failed);
    // The person took it before the crash: the rest of the way is gone now, and it can be taken back.
    assert_eq!(state(&core, accepted), ProposalState::Written);
    assert_eq!(core.store().last_standing().unwrap().unwrap().proposal, accepted);
}

#[tokio::test]
async fn a_draft_proved_on_other_code_is_not_ready_any_more() {
    let place = tempfile::tempdir().unwrap();
    let save = |text: &str| std::fs::write(place.path().join("m.py"), text).unwrap();
    save("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n");
    let core = core(place.path(), Trust::Trusted);
    *core.index.write() = Arc::new(Index::build(place.path(), &[], &|_, _| {}));
    let mut ready = proposal(ProposalState::Ready, draft("def test_f():\n    assert f(1) == 2\n"));
    let code = drafting::code_of(&core, vec![ready.function.clone()]).await.unwrap()[&ready.function];
    ready.basis = drafting::rests_on(code, &ready);
    let id = core.add_proposal(ready).unwrap().id;
    save("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x + 2\n");
    assert!(!watching::reread(&core, None).await.unwrap().is_harmless());
    drafting::mark_outdated(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Ready, "nothing under it changed");
    save("def f(x):\n    return x + 3 - 2\n\n\ndef g(x):\n    return x + 2\n");
    watching::reread(&core, None).await.unwrap();
    drafting::mark_outdated(&core).await.unwrap();
    assert_eq!(state(&core, id), ProposalState::Stale);
    assert_eq!(drafting::unfinished(&core), [id]);
}
