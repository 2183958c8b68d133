//! Tests of the rows: what goes in comes out, merged, counted and in order.

use std::collections::{BTreeSet, HashSet};

use super::error::Result;
use super::samples::{accepted, batch, call, draft, end, recording, spool};
use super::*;
use crate::base::clock::Moment;
use crate::base::hash::{self, Digest};
use crate::base::paths::RelPath;
use crate::domain::batch::JourneyBlock;
use crate::domain::call::{CallId, Effect, Outcome, ProgramEnd, Recording, RecordingId};
use crate::domain::decision::{Decision, DecisionId, FileEdit, Verb};
use crate::domain::difference::Difference;
use crate::domain::function::FunctionId;
use crate::domain::gap::GapKind;
use crate::domain::journal_entry::{JournalAction, JournalEntry};
use crate::domain::proposal::{Body, CallChange, Change, Helper, Origin, Proposal, ProposalId, ProposalState as S, SpecDraft};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::reason::ReasonCode;
use crate::domain::touch::{FileAccess, Touch};
use crate::domain::value::Value;

fn total() -> FunctionId {
    FunctionId("shop:total".into())
}

fn decision(proposal: ProposalId, verb: Verb) -> Decision {
    Decision {
        id: DecisionId(0),
        proposal,
        subject: FunctionId(String::new()).into(),
        verb,
        from: S::Queued,
        by: "ada".into(),
        at: Moment(50),
        reason: Some("as it should be".into()),
        basis: hash::of(b"text"),
        edits: vec![FileEdit { path: RelPath::new("tests/x.py").unwrap(), before: None, after: Some("x\n".into()) }],
        undone: false,
    }
}

#[test]
fn a_recording_is_counted_and_ended() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let ended = Recording {
        id,
        end: ProgramEnd::Exited(3),
        duration_ms: 2_140,
        seen: u64::MAX,
        gaps: vec![(GapKind::CaptureLimit.of("shop:total"), 12)],
        recorder_seen: true,
        ..recording()
    };
    store.update_recording(&ended).unwrap();
    assert_eq!(store.recording(id).unwrap(), Some(ended.clone()));
    let newer = store.begin_recording(&recording()).unwrap();
    assert_eq!(store.recordings().unwrap().iter().map(|row| row.id).collect::<Vec<_>>(), [newer, id]);
    let missing = store.update_recording(&Recording { id: RecordingId(99), ..ended });
    assert!(matches!(missing, Err(StoreError::Missing { what: "recording", id: 99 })));
}

#[test]
fn a_journey_comes_back_block_by_block_and_goes_with_its_recording() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let block =
        |thread, number, events, records: &[u8]| JourneyBlock { process: 7, thread, number, events, records: records.into() };
    let blocks = [block(1, 0, 3, b"third"), block(0, 1, 500, b"second"), block(0, 0, 1000, &b"first ".repeat(9000))];
    store.ingest(id, Batch { journey: blocks.to_vec(), ..Batch::default() }).unwrap();
    store.ingest(id, Batch { journey: blocks[..1].to_vec(), ..Batch::default() }).unwrap();
    assert_eq!(store.journey(id).unwrap(), [blocks[2].clone(), blocks[1].clone(), blocks[0].clone()]);
    assert_eq!(store.journeys().unwrap(), [(id, 1503)]);
    store.forget_journey(id).unwrap();
    assert_eq!((store.journey(id).unwrap(), store.journeys().unwrap()), (vec![], vec![]));
}

#[test]
fn a_call_is_put_together_from_its_records() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    // The child's record is read before its parent's: threads write files of their own.
    let child = NewCall { parent: Some(1), receiver: Some(u64::MAX), caller: Some(total()), ..call("shop:tax", 2) };
    let children = store.ingest(id, Batch { calls: vec![child], ..Batch::default() }).unwrap();
    let parents = store.ingest(id, Batch { calls: vec![call("shop:total", 1)], ..Batch::default() }).unwrap();
    let (child, parent) = (children[&spool(2)], parents[&spool(1)]);
    let touch = Touch::File(FileAccess::reading("prices.csv"));
    let touches = vec![CallTouch { spool: spool(2), touch: touch.clone() }; 2];
    let times = vec![CallTimes { spool: spool(2), times: 9 }];
    let ends = vec![CallEnd { failed: true, not_replayable: Some(ReasonCode::WritesFiles.with("a.txt")), ..end(2, b"X") }];
    store.ingest(id, Batch { touches, times, ends, ..Batch::default() }).unwrap();

    let found = store.children(&[parent], 20).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found, store.calls(&[child]).unwrap());
    let found = &found[0];
    assert_eq!((found.id, found.parent, found.times, found.receiver), (child, Some(parent), 9, Some(u64::MAX)));
    assert_eq!(found.touches, [touch]);
    assert_eq!((found.failed, found.duration_ns, found.outcome.as_deref()), (true, 31, Some(&b"X"[..])));
    assert_eq!(found.not_replayable, Some(ReasonCode::WritesFiles.with("a.txt")));
    assert_eq!(store.calls(&[parent]).unwrap()[0].outcome, None, "it has not ended");
    let both = store.calls(&[parent, CallId(404), child]).unwrap();
    assert_eq!(both.iter().map(|call| call.id).collect::<Vec<_>>(), [parent, child]);
}

#[test]
fn spools_can_be_read_twice() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let first = store.ingest(id, batch("shop:total", 5)).unwrap();
    assert_eq!(store.ingest(id, batch("shop:total", 5)).unwrap(), first);
    assert_eq!(store.calls_of(&total(), 99).unwrap().len(), 5);
}

#[test]
fn calls_that_are_new_and_calls_that_are_not_may_come_together() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let begun = Batch { calls: (20..60).map(|number| call("shop:total", number)).collect(), ..Batch::default() };
    let before = store.ingest(id, begun).unwrap();
    let mut again = batch("shop:total", 100);
    again.calls.reverse();
    let all = store.ingest(id, again).unwrap();
    assert_eq!(all.len(), 100);
    assert!(before.iter().all(|(spool, call)| all[spool] == *call), "a call keeps its number");
    for (spool, number) in all {
        let stored = store.calls(&[number]).unwrap().remove(0);
        assert_eq!((stored.start_ns, stored.outcome.as_deref()), (spool.number, Some(&b"recorded"[..])));
    }
}

#[test]
fn equal_inputs_are_one_row_of_the_newest_recording() {
    let store = open_in_memory().unwrap();
    let old = store.begin_recording(&recording()).unwrap();
    store.ingest(old, batch("shop:total", 3)).unwrap();
    let new = store.begin_recording(&recording()).unwrap();
    store.ingest(new, batch("shop:total", 2)).unwrap();
    let unfinished = Batch { calls: vec![call("shop:total", 2)], ..Batch::default() };
    store.ingest(new, unfinished).unwrap();
    let calls = store.calls_of(&total(), 99).unwrap();
    let rows: Vec<_> = calls.iter().map(|call| (call.recording, call.times)).collect();
    assert_eq!(rows, [(new, 2), (new, 2), (old, 2)], "the third input ended in the old recording only");
    assert_eq!(store.calls_of(&total(), 1).unwrap().len(), 1);
    let kinds = store.kinds_of(&total()).unwrap();
    let of_rows: Vec<_> = calls.iter().map(|call| (call.id, call.input, call.times)).collect();
    assert_eq!(kinds.iter().map(|kind| (kind.id, kind.input, kind.times)).collect::<Vec<_>>(), of_rows);
}

#[test]
fn functions_callers_and_edges_are_totals() {
    let store = open_in_memory().unwrap();
    for calls in [10, 5] {
        let id = store.begin_recording(&recording()).unwrap();
        store.ingest(id, batch("shop:total", 2)).unwrap();
        let count = |calls| FunctionCount { function: total(), calls, missed: BTreeSet::from([7]) };
        let caller = |times| CallerCount { function: total(), caller: None, line: Some(4), times };
        let edges = vec![Edge { caller: FunctionId("shop:main".into()), callee: total().into() }];
        for counted in [1, calls] {
            let batch =
                Batch { counts: vec![count(counted)], callers: vec![caller(counted)], edges: edges.clone(), ..Batch::default() };
            store.ingest(id, batch).unwrap();
        }
    }
    let id = store.begin_recording(&recording()).unwrap();
    store.ingest(id, batch("shop:not_counted_yet", 3)).unwrap();
    let functions = store.functions().unwrap();
    let rows: Vec<_> = functions.iter().map(|f| (f.function.0.as_str(), f.calls)).collect();
    assert_eq!(rows, [("shop:not_counted_yet", 3), ("shop:total", 15)]);
    assert_eq!(store.callers(&total()).unwrap()[0].times, 15);
    assert_eq!(store.edges().unwrap().len(), 1);
}

#[test]
fn twenty_thousand_calls_are_kept_and_found() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    store.ingest(id, batch("shop:total", 20_000)).unwrap();
    assert_eq!(store.calls_of(&total(), usize::MAX).unwrap().len(), 20_000);
    assert_eq!(store.functions().unwrap()[0].calls, 20_000);
}

#[test]
fn pruning_keeps_what_a_proposal_rests_on() {
    let store = open_in_memory().unwrap();
    let mut recordings = Vec::new();
    for _ in 0..5 {
        let id = store.begin_recording(&recording()).unwrap();
        let calls = store.ingest(id, batch("shop:total", 2)).unwrap();
        store.update_recording(&Recording { id, end: ProgramEnd::Exited(0), ..recording() }).unwrap();
        recordings.push((id, calls[&spool(0)]));
    }
    let cited = store.insert_proposal(&draft(vec![recordings[0].1])).unwrap();
    let rejected = store.insert_proposal(&draft(vec![recordings[1].1])).unwrap();
    store.move_proposal(rejected, S::Ready).unwrap();
    store.move_proposal(rejected, S::Rejected).unwrap();
    assert_eq!(store.prune(2).unwrap(), Pruned { recordings: 2, calls: 4 });
    let left: Vec<_> = store.recordings().unwrap().iter().map(|row| row.id).collect();
    assert_eq!(left, [recordings[4].0, recordings[3].0, recordings[0].0]);
    assert!(store.proposal(cited).unwrap().is_some());
    assert_eq!(store.calls(&[recordings[1].1]).unwrap(), [], "its calls are gone with it");
    assert_eq!(store.prune(2).unwrap(), Pruned::default());
}

#[test]
fn outcomes_are_remembered_per_version_of_the_code() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let call = store.ingest(id, batch("shop:total", 1)).unwrap()[&spool(0)];
    let outcome =
        |code: u64| StoredOutcome { call, code: Digest(code), outcome: vec![code as u8], duration_ns: 5, entered: vec![total()] };
    let under = |call: CallId, code| store.outcomes(&[call], code).unwrap().remove(&call);
    store.put_outcomes(vec![outcome(u64::MAX), outcome(2), StoredOutcome { call: CallId(404), ..outcome(3) }]).unwrap();
    assert_eq!(under(call, Digest(u64::MAX)), Some(outcome(u64::MAX)));
    assert_eq!(store.repeated(&[call, CallId(404)]).unwrap(), HashSet::from([call]));
    assert_eq!(under(CallId(404), Digest(3)), None);
    store.put_outcomes((10..40).map(outcome).collect()).unwrap();
    assert_eq!(under(call, Digest(2)), None, "the oldest versions are forgotten");
    assert_eq!(under(call, Digest(39)), Some(outcome(39)));
    assert_eq!(under(call, Digest(24)), Some(outcome(24)));
    assert_eq!(under(call, Digest(23)), None);
}

#[test]
fn a_baseline_is_the_recorded_outcome_until_another_is_accepted() {
    let store = open_in_memory().unwrap();
    let id = store.begin_recording(&recording()).unwrap();
    let call = store.ingest(id, batch("shop:total", 1)).unwrap()[&spool(0)];
    let baseline = || store.baselines(&[call, CallId(404)]).unwrap().remove(&call);
    assert_eq!(baseline().as_deref(), Some(&b"recorded"[..]));
    assert_eq!(store.set_baseline(call, Some(b"new".to_vec())).unwrap(), None);
    assert_eq!(baseline().as_deref(), Some(&b"new"[..]));
    assert_eq!(store.set_baseline(call, None).unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(baseline().as_deref(), Some(&b"recorded"[..]));
    assert!(matches!(store.set_baseline(CallId(404), Some(Vec::new())), Err(StoreError::Missing { .. })));
}

#[test]
fn a_note_holds_for_the_input_in_every_recording() {
    let store = open_in_memory().unwrap();
    let mut calls = Vec::new();
    for _ in 0..2 {
        let id = store.begin_recording(&recording()).unwrap();
        calls.push(store.ingest(id, batch("shop:total", 1)).unwrap()[&spool(0)]);
    }
    let note = Note { outcome: hash::of(b"wrong"), reason: Some("rounds down".into()), at: Moment(9) };
    store.overrule(calls[0], note.clone()).unwrap();
    assert_eq!(store.notes(&calls).unwrap(), calls.iter().map(|call| (*call, vec![note.clone()])).collect());
    store.withdraw_note(calls[1], note.outcome).unwrap();
    assert!(store.notes(&calls).unwrap().is_empty());
}

#[test]
fn proposals_come_back_as_they_went() {
    let store = open_in_memory().unwrap();
    let id = store.insert_proposal(&draft(vec![CallId(1)])).unwrap();
    let stored = store.proposal(id).unwrap().unwrap();
    assert_eq!(stored, Proposal { id, ..draft(vec![CallId(1)]) });

    let effect = |value: f64| Effect {
        outcome: Outcome::Returned(Value::Float(value)),
        changed: vec![("self".into(), Value::Int(i64::MIN))],
    };
    let change = Change {
        calls: vec![CallChange {
            call: CallId(i64::MAX),
            arguments: "(1)".into(),
            times: 3,
            old: effect(0.1),
            new: effect(-0.0),
            difference: Difference { path: String::new(), old: Some(Value::Float(0.1)), new: None },
        }],
        same: u64::MAX,
        because: Vec::new(),
        seen: Moment(4),
    };
    let change = Proposal { body: Body::Change(change), ..draft(Vec::new()) };
    let id = store.insert_proposal(&change).unwrap();
    assert_eq!(store.proposal(id).unwrap(), Some(Proposal { id, ..change }));
}

#[test]
fn an_illegal_step_changes_nothing() {
    let store = open_in_memory().unwrap();
    let id = store.insert_proposal(&draft(Vec::new())).unwrap();
    let result = store.change_proposal(id, |proposal| {
        proposal.state = S::Accepted;
        proposal.edited = Some("x".into());
    });
    assert!(matches!(result, Err(StoreError::Move(_))));
    assert_eq!(store.proposal(id).unwrap(), Some(Proposal { id, ..draft(Vec::new()) }));
    assert_eq!(store.move_proposal(id, S::Ready).unwrap().state, S::Ready);
    assert_eq!(store.open_proposals().unwrap().len(), 1);
    store.move_proposal(id, S::Rejected).unwrap();
    assert!(store.open_proposals().unwrap().is_empty());
    assert_eq!(store.proposals_in(&[S::Rejected, S::Written]).unwrap().len(), 1);
    assert_eq!(store.proposals_of(&total()).unwrap().len(), 1);
    assert!(matches!(store.move_proposal(ProposalId(404), S::Ready), Err(StoreError::Missing { .. })));
}

/// Does a journal entry from its first step to its last; gives the proposals as they are then.
fn done(store: &Store, action: JournalAction, decisions: Vec<Decision>) -> Result<Vec<Proposal>> {
    let (id, _) = store.begin(&JournalEntry::new(action, decisions, Vec::new()))?;
    store.finish(id)
}

fn ready(store: &Store) -> ProposalId {
    let id = store.insert_proposal(&draft(Vec::new())).unwrap();
    store.move_proposal(id, S::Ready).unwrap().id
}

#[test]
fn a_yaml_test_is_told_from_the_function_of_its_text() {
    let store = open_in_memory().unwrap();
    let function = FunctionId::new("shop", "test_users");
    for folder in ["shop", "tests/llm"] {
        let file = RelPath::new(format!("{folder}/test_users.yaml")).unwrap();
        let test = Helper { path: file.clone(), text: "steps: []\n".into() };
        let body = Body::Spec(SpecDraft { origin: Origin::Agent("ada".into()), asked: "users".into(), test, plugin: None });
        let subject = ProposalSubject::YamlTest(file);
        let id = store.insert_proposal(&Proposal::queued(subject.clone(), body, Moment(5))).unwrap();
        let id = store.move_proposal(id, S::Ready).unwrap().id;
        let listed = store.proposals_about(&subject).unwrap();
        assert_eq!(listed.iter().map(|one| (one.id, &one.subject)).collect::<Vec<_>>(), [(id, &subject)]);
        let stored: String = store
            .read(
                |connection| Ok(connection.query_row("SELECT function FROM proposals WHERE id = ?1", [id.0], |row| row.get(0))?),
            )
            .unwrap();
        assert_eq!(stored, format!("{folder}:test_users"), "the text that earlier versions stored");
        done(&store, JournalAction::Decide, vec![decision(id, Verb::Accept)]).unwrap();
        assert_eq!(store.last_standing().unwrap().unwrap().subject, subject);
        assert!(store.proposals_of(&function).unwrap().is_empty());
    }
}

#[test]
fn undo_and_redo_walk_along_the_decisions() {
    let store = open_in_memory().unwrap();
    let mut made = Vec::new();
    for _ in 0..3 {
        let after = done(&store, JournalAction::Decide, vec![decision(ready(&store), Verb::Accept)]).unwrap();
        let stored = store.last_standing().unwrap().unwrap();
        assert_eq!((stored.from, stored.subject.clone(), after[0].state), (S::Ready, total().into(), S::Written));
        made.push(stored);
    }
    let moments: Vec<i64> = made.iter().map(|decision| decision.at.0).collect();
    assert_eq!(moments, [50, 51, 52], "what was decided apart is taken back apart, whatever the clock says");
    assert_eq!(store.last_undone().unwrap(), None);
    for index in [2, 1] {
        assert_eq!(done(&store, JournalAction::Undo, vec![made[index].clone()]).unwrap()[0].state, S::Ready);
    }
    assert_eq!(store.last_standing().unwrap().as_ref(), Some(&made[0]));
    assert_eq!(store.last_undone().unwrap().map(|d| d.id), Some(made[1].id));
    let twice = done(&store, JournalAction::Undo, vec![made[1].clone()]);
    assert!(matches!(twice, Err(StoreError::Done)), "another process may have been faster");
    assert_eq!(done(&store, JournalAction::Redo, vec![made[1].clone()]).unwrap()[0].state, S::Written);
    assert_eq!(store.last_undone().unwrap().map(|d| d.id), Some(made[2].id));
    assert_eq!(store.decided_since(Moment(50)).unwrap().accepted, 2);
    assert_eq!(store.decided_since(Moment(53)).unwrap().accepted, 0);
    let last = done(&store, JournalAction::Decide, vec![decision(made[2].proposal, Verb::Reject)]).unwrap();
    assert_eq!((last[0].state, store.last_undone().unwrap()), (S::Rejected, None), "something else was decided since");
    let refused = done(&store, JournalAction::Decide, vec![decision(made[2].proposal, Verb::Accept)]);
    assert!(matches!(refused, Err(StoreError::Move(_))));
    assert_eq!(store.decisions(99).unwrap().len(), 4, "a decision that cannot be is not appended");
}

#[test]
fn a_file_that_grows_with_each_decision_is_not_kept_whole_with_each() {
    let store = open_in_memory().unwrap();
    let path = RelPath::new("tests/pytead/manifest.yaml").unwrap();
    let text = |tests: usize| (0..tests).map(|test| format!("- test: test_{test}\n  of: m:f{test}\n")).collect::<String>();
    // The fiftieth finds the file as nobody of ours left it.
    let before = |tests: usize| if tests == 50 { format!("# Mine.\n{}", text(50)) } else { text(tests) };
    let edit =
        |tests: usize| FileEdit { path: path.clone(), before: (tests > 0).then(|| before(tests)), after: Some(text(tests + 1)) };
    for tests in 0..100 {
        let made = Decision { edits: vec![edit(tests)], ..decision(ready(&store), Verb::Accept) };
        done(&store, JournalAction::Decide, vec![made]).unwrap();
    }
    let whole: usize = (0..100).map(|tests| 2 * text(tests).len()).sum();
    let size = "SELECT sum(length(edits)) FROM decisions";
    let size: u32 = store.read(|connection| Ok(connection.query_row(size, [], |row| row.get(0))?)).unwrap();
    assert!((size as usize) < whole / 8, "{size} of {whole} bytes");
    for tests in (0..100).rev() {
        let last = store.last_standing().unwrap().unwrap();
        assert_eq!(last.edits, [edit(tests)], "{tests}");
        assert_eq!(store.decided_at(last.at).unwrap(), std::slice::from_ref(&last));
        assert_eq!(store.last_written(&path).unwrap(), edit(tests).after, "{tests}");
        done(&store, JournalAction::Undo, vec![last]).unwrap();
    }
    assert_eq!(store.last_written(&path).unwrap(), None);
}

#[test]
fn an_entry_is_kept_until_its_last_step_and_is_given_up_whole() {
    let store = open_in_memory().unwrap();
    let ids = [ready(&store), ready(&store)];
    let state = |index: usize| store.proposal(ids[index]).unwrap().unwrap().state;
    let entry = JournalEntry::new(
        JournalAction::Decide,
        vec![decision(ids[0], Verb::Accept), decision(ids[1], Verb::Reject)],
        Vec::new(),
    );
    let (id, moved) = store.begin(&entry).unwrap();
    assert_eq!((moved.len(), state(0), state(1)), (2, S::Accepted, S::Rejected));
    assert_eq!(store.unfinished().unwrap()[0].1.before, [S::Ready, S::Ready]);
    assert!(matches!(store.begin(&entry), Err(StoreError::Move(_))), "nobody else decides meanwhile");
    assert!(store.decisions(9).unwrap().is_empty() && store.unfinished().unwrap().len() == 1);
    store.give_up(id).unwrap();
    assert_eq!((state(0), state(1), store.unfinished().unwrap().len()), (S::Ready, S::Ready, 0));
    let (id, _) = store.begin(&entry).unwrap();
    // Another process finds its code changed in this moment: what a person decided holds all the same.
    store.change_proposal(ids[0], |proposal| proposal.state = S::Stale).unwrap();
    store.finish(id).unwrap();
    assert_eq!((state(0), state(1), store.decisions(9).unwrap().len()), (S::Written, S::Rejected, 2));
    assert!(matches!(store.finish(id), Err(StoreError::Done)));
}

#[test]
fn accepted_tests_and_the_session_are_kept() {
    let store = open_in_memory().unwrap();
    store.put_accepted(&accepted()).unwrap();
    let changed = AcceptedTest { body: hash::of(b"other"), ..accepted() };
    store.put_accepted(&changed).unwrap();
    assert_eq!(store.accepted().unwrap(), std::slice::from_ref(&changed));
    store.remove_accepted(&changed.function, &changed.path).unwrap();
    assert_eq!(store.accepted().unwrap(), []);
    assert_eq!(store.session().unwrap(), None);
    let state = serde_json::json!({"screen": "review", "line": 3});
    store.keep_session(&state).unwrap();
    assert_eq!(store.session().unwrap(), Some(state));
}
