//! What arrives: the engine's state, its news, and a proposal that was read. The cursors stay on what they are on.

use std::sync::Arc;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::text::count;
use crate::domain::call::ProgramEnd;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::settings;
use crate::domain::snapshot::{FunctionRow, QueueRow, Snapshot};
use crate::domain::verdict::Ruling;
use crate::tui::app::AppState;
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::doc::Loaded;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::layout::{Pane, Screen};
use crate::tui::session;
use crate::tui::update::focus::set_subject;
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::update::tree::rebuild_tree;
use crate::tui::update::{decide, following, journeys, questions, runs, specs as update_specs};
use crate::tui::widgets::virtual_list::ListState;
use crate::tui::words;

/// A pane with fewer rows shows the diff first.
const SMALL: usize = 16;

/// Makes the state before the first frame: at the place of the last session, with what the engine has.
#[must_use]
pub fn start(snapshot: Arc<Snapshot>, settings: &settings::Tui, size: (u16, u16), now: Moment) -> AppState {
    let mut state = AppState::new(Arc::clone(&snapshot), settings, size, now);
    session::restore(&mut state);
    take_snapshot(&mut state, snapshot);
    state
}

/// Takes a newer state of the engine; the cursors stay on what they are on.
pub fn take_snapshot(state: &mut AppState, snapshot: Arc<Snapshot>) {
    let same_tree = state.restored
        && Arc::ptr_eq(&state.snapshot.files, &snapshot.files)
        && Arc::ptr_eq(&state.snapshot.functions, &snapshot.functions);
    let same_queue = state.restored && Arc::ptr_eq(&state.snapshot.queue, &snapshot.queue);
    let (verdicts, unjudged) = (Arc::clone(&state.snapshot.verdicts), Arc::clone(&state.snapshot.unjudged));
    let specs = Arc::clone(&state.snapshot.specs);
    let lists = [
        Arc::ptr_eq(&state.snapshot.log, &snapshot.log),
        Arc::ptr_eq(&state.snapshot.recordings, &snapshot.recordings),
        Arc::ptr_eq(&state.snapshot.jobs, &snapshot.jobs),
    ];
    let held = lists.contains(&false).then(|| runs::hold(state));
    state.cancelling.retain(|id| snapshot.jobs.iter().any(|job| job.id == *id));
    state.snapshot = snapshot;
    if let Some(held) = held {
        runs::put_back(state, held);
        if state.screen == Screen::Runs {
            runs::follow(state);
        }
    }
    if !same_queue {
        let before = state.current().map(|row| (row.id, row.state));
        let resting = state.restored && state.current().is_none() && state.subject.is_some();
        let followed = start::is_followed(state);
        let news = if state.restored { new_change(state) } else { None };
        state.pass.merge(&state.snapshot.queue);
        if followed {
            // What was recorded stays in sight until a draft is ready.
            state.pass.rest();
        } else if resting {
            // What was looked at stays in sight, and the first proposal for it comes beside it.
            match state.subject.as_ref().and_then(|subject| state.pass.of(subject)).map(|row| row.id) {
                Some(id) => {
                    state.pass.go(id);
                }
                None => state.pass.rest(),
            }
        }
        let written = |row: &&QueueRow| {
            row.state == ProposalState::Streaming && state.kept.asked.as_ref().is_some_and(|id| row.subject.is(id))
        };
        if let Some(id) = state.pass.items().iter().find(written).map(|row| row.id) {
            state.kept.asked = None;
            decide::go(state, id);
        }
        if let Some(news) = news {
            tell_news(state, &news);
        }
        if state.current().map(|row| (row.id, row.state)) != before {
            state.decision.dirty = true;
        }
    }
    let never = !Arc::ptr_eq(&unjudged, &state.snapshot.unjudged);
    if never || !Arc::ptr_eq(&verdicts, &state.snapshot.verdicts) || !state.restored {
        journeys::take_rows(state, &verdicts);
    }
    if !Arc::ptr_eq(&specs, &state.snapshot.specs) || !state.restored {
        update_specs::take_rows(state, &specs);
    }
    if !state.restored && !state.snapshot.functions.is_empty() {
        first_place(state);
    }
    if !same_tree {
        rebuild_tree(state);
        mark_source(state);
    }
}

/// Finds the first change of the queue that was not in it before.
fn new_change(state: &AppState) -> Option<QueueRow> {
    let known = |row: &QueueRow| state.pass.items().iter().any(|item| item.id == row.id);
    state.snapshot.queue.iter().find(|row| matches!(row.kind, ProposalKind::Change | ProposalKind::Near) && !known(row)).cloned()
}

/// Shows a change that a save led to: at once where nothing is being read, else with its values in the message line.
fn tell_news(state: &mut AppState, row: &QueueRow) {
    let free = state.current().is_none() && state.layers.is_empty() && state.following.is_none();
    if free && state.screen == Screen::Review && state.focus == Pane::Decision {
        decide::go(state, row.id);
    } else if row.kind == ProposalKind::Change && state.current().is_none_or(|current| current.id != row.id) {
        state.messages.warn(state.now, words::news(row.subject.short(), row.about.for_people(), state.screen == Screen::Review));
    }
}

/// Finds the place to start at: the last session's, else the first proposal, else the first function.
fn first_place(state: &mut AppState) {
    state.restored = true;
    let kept = state.subject.take().filter(|subject| subject.function().is_some_and(|id| state.function(id).is_some()));
    let kept = kept.filter(|subject| state.pass.open() == 0 || state.pass.of(subject).is_some());
    let first = kept
        .or_else(|| state.current().map(|row| row.subject.clone()))
        .or_else(|| first_of_the_tree(&state.snapshot.functions).map(ProposalSubject::Function));
    if state.pass.open() == 0 && state.screen == Screen::Review && !state.asks_for_trust() && !content::first_run(state) {
        state.focus = Pane::Functions;
    }
    let Some(first) = first else { return };
    match state.pass.of(&first).map(|row| row.id) {
        Some(id) if state.current().is_none_or(|row| row.subject != first) => {
            state.pass.go(id);
        }
        None => state.pass.rest(),
        Some(_) => {}
    }
    set_subject(state, &first);
    if let Some(id) =
        state.kept.proposal.take().filter(|id| state.pass.items().iter().any(|row| row.id == *id && row.subject == first))
    {
        state.pass.go(id);
    }
    rebuild_tree(state);
    state.tree.top = 0;
    // A draft that was decided elsewhere, or is gone, takes its edit with it.
    let waits = |id: ProposalId| state.pass.items().iter().any(|row| row.id == id);
    if state.in_place.as_ref().is_some_and(|edit| !waits(edit.proposal)) {
        state.in_place = None;
    }
    if state.in_place.is_some() {
        state.messages.say(state.now, words::EDIT_KEPT);
    }
}

/// Gives the function a reader would begin with: in a package before a script at the top, and tests last.
fn first_of_the_tree(functions: &[FunctionRow]) -> Option<FunctionId> {
    let rank = |row: &&FunctionRow| {
        let name = row.path.file_name();
        (name.starts_with("test_") || name == "conftest.py", row.path.parts().count() == 1)
    };
    functions.iter().min_by_key(rank).map(|row| row.id.clone())
}

/// Takes what the engine announced.
pub fn happened(state: &mut AppState, event: Event) {
    let now = state.now;
    match event {
        Event::ProposalMoved { proposal, .. } | Event::EvidenceChanged { proposal } => {
            // What is on its way may have been read before it.
            state.decision.dirty |= [state.decision.shown, state.decision.asked].contains(&Some(proposal));
        }
        Event::Saved { paths, because, .. } => {
            if let (Some(why), [first, more @ ..]) = (because, paths.as_slice()) {
                let more = if more.is_empty() { String::new() } else { format!(" and {}", count(more.len(), "other")) };
                state.messages.say(now, format!("{first}{more} changed: {why}"));
            }
            // Its values may follow from any file.
            state.source.follow_again = true;
            if state.source.path.as_ref().is_some_and(|path| paths.contains(path)) {
                state.source.dirty = true;
            }
            state.decision.dirty = true;
        }
        Event::RecordingStarted { recording, .. } => following::began(state, recording),
        Event::RecordingEnded { recording, end, kept, .. } => {
            state.calls.dirty = true;
            runs::grew(state, recording, true);
            let said = words::recording_ended(recording.0, &end, kept);
            if end == ProgramEnd::Exited(0) { state.messages.done(now, said) } else { state.messages.warn(now, said) }
        }
        Event::CallsArrived { recording, .. } => {
            runs::grew(state, recording, false);
            if state.calls.kinds().is_empty() {
                state.calls.dirty = true;
            }
        }
        Event::Replayed { calls, changed, same, ms, .. } => {
            let time = clock::short(std::time::Duration::from_millis(ms));
            let calls = count(usize::try_from(calls).unwrap_or(usize::MAX), "call");
            let said = words::replayed(&calls, &time, same, changed);
            state.messages.done(now, said);
        }
        Event::Diffed { reference, functions, compared, differ } => {
            state.diff.dirty = true;
            state.diff.asked = None;
            let said = words::diffed(&reference, functions, compared, differ, state.screen == Screen::Diff);
            state.messages.done(now, said);
        }
        Event::EditNotCompared { line, .. } | Event::NearDifference { line, .. } => state.messages.warn(now, line.for_people()),
        Event::BehaviourRestored { function, .. } => {
            state.decision.dirty = true;
            state.messages.done(now, words::restored(function.qualname()));
        }
        Event::Decided { proposal, verb, line, again, .. } => decide::decided(state, proposal, verb, line.for_people(), again),
        Event::Undone { proposal, subject, line } => decide::undone(state, proposal, &subject, line.for_people()),
        Event::Wrote { .. } => state.decision.dirty = true,
        Event::Said { level, text } => match level {
            Level::Info => state.messages.say(now, text.for_people()),
            Level::Done => state.messages.done(now, text.for_people()),
            Level::Warning => state.messages.warn(now, text.for_people()),
            Level::Error => state.messages.fail(now, &Trouble::environment(text)),
        },
        Event::Failed { trouble } => {
            following::failed(state);
            state.kept.bulk = None;
            if behaviour::job(state).is_none() {
                state.diff.asked = None;
            }
            let deciding = state.kept.deciding.take();
            if deciding.is_some() && deciding == state.current().map(|row| row.id) && state.layers.is_empty() {
                questions::not_written(state, &trouble);
            } else {
                state.messages.fail(now, &trouble);
            }
        }
        Event::Judged { test, ruling, overridden, .. } => {
            state.journeys.dirty |= state.journeys.test.as_ref() == Some(&test);
            if state.journeys.test.as_ref() == Some(&test) || ruling != Ruling::Pass {
                let said = words::judged(&test, ruling, overridden, state.screen == Screen::Journeys);
                match ruling {
                    Ruling::Pass => state.messages.done(now, said),
                    _ => state.messages.warn(now, said),
                }
            }
        }
        Event::ClausesProposed { test, line } => {
            state.journeys.dirty |= state.journeys.test.as_ref() == Some(&test);
            state.messages.done(now, words::clauses_proposed(line.for_people()));
        }
        Event::SpecBegan { .. } | Event::SpecStep { .. } | Event::SpecEnded { .. } => update_specs::happened(state, &event),
        Event::SpecsRead => state.specs.dirty = true,
        Event::Resync => {
            state.specs.dirty = true;
            state.decision.dirty = true;
            state.source.dirty = true;
            state.source.follow_again = true;
            state.calls.dirty = true;
        }
        _ => {}
    }
}

/// Takes a proposal that was read.
pub fn take_proposal(state: &mut AppState, id: ProposalId, loaded: Result<Loaded, Trouble>) {
    if state.decision.asked == Some(id) {
        state.decision.asked = None;
    }
    if state.current().map(|row| row.id) != Some(id) {
        return;
    }
    if state.decision.shown != Some(id) {
        state.decision.list = Default::default();
        state.decision.shift = 0;
        state.decision.compare = Default::default();
        state.decision.other = None;
    }
    let is_new = state.decision.shown != Some(id);
    // Read again word for word, it is what was in sight already.
    if !loaded.as_ref().is_ok_and(|new| !is_new && state.loaded().is_some_and(|old| old.view == new.view)) {
        state.decision.read = 0;
    }
    state.decision.shown = Some(id);
    state.decision.loaded = Some(loaded.map(Arc::new));
    // Where few lines are in sight, what would be written comes before what speaks for it.
    let rows = state.layout().rows(Pane::Decision);
    let found = state.loaded().filter(|_| is_new).and_then(|loaded| {
        let ready = loaded.view.proposal.state == ProposalState::Ready;
        let wrapped = content::wrapped(state, loaded);
        let at = |wanted: fn(&DocRow) -> bool| wrapped.rows.iter().position(wanted);
        if loaded.view.proposal.change().is_some() || loaded.view.proposal.near().is_some() {
            return at(|row| matches!(row.about, About::Changed(_))).map(|first| (first, 0));
        }
        at(|row| row.changed).filter(|_| ready && rows < SMALL).map(|first| (first, first.saturating_sub(1)))
    });
    if let Some((cursor, top)) = found {
        state.decision.list = ListState { cursor, top };
    }
    // What an edit changed is read at the edit.
    let cause = state.loaded().and_then(|loaded| loaded.view.proposal.because().first().cloned());
    if let Some(edit) = cause.filter(|_| is_new && state.screen != Screen::Diff) {
        show_source(state, &edit.path, edit.line);
        if state.focus == Pane::Decision {
            (state.left, state.centre) = (Pane::Source, Pane::Source);
        }
    }
    mark_source(state);
}
