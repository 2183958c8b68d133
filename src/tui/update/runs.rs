//! Keys of recordings, jobs and the log: what a line opens, and keeping the line under the cursor when news comes above it.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::RecordingId;
use crate::domain::command::{Command, JobId};
use crate::domain::event::JobKind;
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::{JobRow, LogRow, RecordedRow, RecordingRow, Snapshot, Topic};
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::doc_row::About;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::RecordedPane;
use crate::tui::update::calls::select_call;
use crate::tui::update::focus::{self, go_to_function, go_to_source, leave, reveal};
use crate::tui::update::source::show_source;
use crate::tui::update::{journeys, look, specs};
use crate::tui::words;

/// Calls of a live recording that are read again as more arrive; with more it is read again on request.
const FOLLOWED: usize = 2_000;

/// Shows the calls of the recording under the cursor, else those of the one that is shown, else of the newest.
pub fn follow(state: &mut AppState) {
    let rows = &state.snapshot.recordings;
    let here = match content::about(state, Pane::Runs) {
        About::Recording(index) => rows.get(index).map(|row| row.id),
        _ => None,
    };
    let kept = state.recorded.recording.filter(|id| rows.iter().any(|row| row.id == *id));
    if let Some(id) = here.or(kept).or_else(|| rows.first().map(|row| row.id)) {
        show(state, id);
    }
}

/// Gives the recording under the cursor, else the one whose calls are shown, else the newest.
#[must_use]
pub fn here(state: &AppState) -> Option<&RecordingRow> {
    let rows = &state.snapshot.recordings;
    match content::about(state, state.focus) {
        About::Recording(index) => rows.get(index),
        _ => rows.iter().find(|row| Some(row.id) == state.recorded.recording).or(rows.first()),
    }
}

/// Makes a recording the one whose calls are shown.
pub fn show(state: &mut AppState, id: RecordingId) {
    if state.recorded.recording != Some(id) {
        state.recorded = RecordedPane { recording: Some(id), ..RecordedPane::default() };
    }
}

/// Takes calls that were read.
pub fn take(state: &mut AppState, id: RecordingId, rows: Result<Vec<RecordedRow>, Trouble>) {
    if state.recorded.asked == Some(id) {
        state.recorded.asked = None;
    }
    if state.recorded.recording == Some(id) {
        state.recorded.rows = Some(rows);
        list(state);
    }
}

/// Lists the calls that are in the filter; the cursor stays on its call.
pub fn list(state: &mut AppState) {
    let at = state.recorded.lines.get(state.recorded.list.cursor).copied();
    let filter = &state.runs_filter;
    let calls = state.recorded.calls();
    let lines = (0..calls.len()).filter(|at| filter.is_empty() || calls.get(*at).is_some_and(|row| filter.takes_call(row)));
    state.recorded.lines = lines.collect();
    if let Some(line) = at.and_then(|at| state.recorded.lines.iter().position(|line| *line == at)) {
        state.recorded.list.hold(line);
    }
}

/// More calls of a recording arrived, or it came to its end.
pub fn grew(state: &mut AppState, id: RecordingId, ended: bool) {
    let few = state.recorded.calls().len() < FOLLOWED && state.recorded.asked.is_none();
    state.recorded.dirty |= state.recorded.recording == Some(id) && (ended || few);
}

/// Goes in: to the calls of a recording, from a call to its function, from a job to what it works on.
pub fn enter(state: &mut AppState) {
    if state.focus == Pane::Recorded {
        to_call(state);
        return;
    }
    match content::about(state, state.focus) {
        About::Recording(index) => {
            let Some(id) = state.snapshot.recordings.get(index).map(|row| row.id) else { return };
            leave(state);
            show(state, id);
            focus::show(state, Screen::Runs, Pane::Recorded);
        }
        About::Job(index) => {
            if let Some(job) = state.snapshot.jobs.get(index).cloned() {
                to_job(state, &job);
            }
        }
        _ => look::view(state),
    }
}

/// Goes to the calls of the function whose call the cursor is on, at that call.
fn to_call(state: &mut AppState) {
    let Some(call) = state.recorded.here().cloned() else { return };
    if state.function(&call.function).is_none() {
        state.messages.answer(state.now, words::gone(call.function.qualname()));
        return;
    }
    leave(state);
    go_to_function(state, &call.function.clone());
    state.calls.wanted = Some(call);
    select_wanted(state);
    focus::show(state, Screen::Review, Pane::Calls);
}

/// Selects the call that was asked for, once the calls of its function are here.
pub fn select_wanted(state: &mut AppState) {
    if state.calls.kinds.is_none() {
        return;
    }
    let Some(wanted) = state.calls.wanted.take() else { return };
    if let Some(id) = state.calls.kinds().iter().find(|kind| kind.input == wanted.input).map(|kind| kind.id) {
        select_call(state, id);
    }
}

fn to_job(state: &mut AppState, job: &JobRow) {
    match job.kind {
        JobKind::Record => {
            if let JobSubject::Recording { id, .. } = job.subject {
                leave(state);
                show(state, id);
                focus::show(state, Screen::Runs, Pane::Recorded);
            }
        }
        JobKind::Diff => go(state, Screen::Diff, Pane::Diff),
        JobKind::Check | JobKind::Judge | JobKind::Clauses => match judged(state, &job.subject) {
            Some(test) => journeys::go(state, &test, None),
            None => go(state, Screen::Journeys, Pane::Intent),
        },
        JobKind::Spec | JobKind::Respec => {
            go(state, Screen::Specs, Pane::Specs);
            if let JobSubject::Spec(file) = &job.subject
                && state.snapshot.specs.iter().any(|row| row.file == *file)
            {
                specs::open(state, file);
            }
        }
        _ if job.subject.function().is_some_and(|id| go_to_source(state, id)) => {}
        _ if state.pass.open() > 0 => go(state, Screen::Review, Pane::Decision),
        _ => state.messages.answer(state.now, words::NOTHING_TO_OPEN),
    }
}

fn go(state: &mut AppState, screen: Screen, pane: Pane) {
    leave(state);
    focus::show(state, screen, pane);
}

/// Opens what a line of the log is about: a recording, a test, a file, a function; else all of the line.
pub fn enter_log(state: &mut AppState) {
    let About::Log(index) = content::about(state, state.focus) else { return };
    let Some(row) = state.snapshot.log.get(index).cloned() else { return };
    let known = |id: &RecordingId| state.snapshot.recordings.iter().any(|row| row.id == *id);
    match row.about {
        Some(Topic::Recording(id)) if known(&id) => {
            leave(state);
            show(state, id);
            focus::show(state, Screen::Runs, Pane::Recorded);
        }
        Some(Topic::Test(test)) if state.snapshot.verdicts.iter().any(|row| row.test == test) => journeys::go(state, &test, None),
        Some(Topic::Spec(file)) if state.snapshot.specs.iter().any(|row| row.file == file) => {
            go(state, Screen::Specs, Pane::Specs);
            specs::open(state, &file);
        }
        Some(Topic::Function(id)) if state.function(&id).is_some() => {
            leave(state);
            go_to_function(state, &id);
            reveal(state, Pane::Source);
        }
        Some(Topic::File(path)) if state.snapshot.files.iter().any(|file| file.path == path) => {
            leave(state);
            show_source(state, &path, 1);
            reveal(state, Pane::Source);
        }
        _ => look::view(state),
    }
}

/// Gives the test that a job works on, if it has a verdict.
fn judged(state: &AppState, subject: &JobSubject) -> Option<String> {
    let JobSubject::Test(test) = subject else { return None };
    state.snapshot.verdicts.iter().find(|row| row.test == *test).map(|row| row.test.clone())
}

/// Runs again what a job did.
#[must_use]
pub fn again(state: &AppState, job: &JobRow) -> Option<Command> {
    let function = job.subject.function().filter(|id| state.function(id).is_some()).cloned();
    match job.kind {
        JobKind::Record => {
            let JobSubject::Recording { id, .. } = job.subject else { return None };
            let row = state.snapshot.recordings.iter().find(|row| row.id == id)?;
            Some(Command::Record { argv: row.command.clone(), limit: None, targets: Vec::new() })
        }
        JobKind::Prove | JobKind::Draft => Some(Command::Draft { functions: function.into_iter().collect() }),
        JobKind::Replay | JobKind::Near => Some(Command::Replay { functions: function.into_iter().collect() }),
        JobKind::Model => Some(Command::AskModel { function: function?, remark: None }),
        JobKind::Check | JobKind::Judge => Some(Command::Judge { tests: vec![judged(state, &job.subject)?] }),
        JobKind::Clauses => {
            let JobSubject::Test(test) = &job.subject else { return None };
            Some(Command::AskClauses { test: test.clone() })
        }
        JobKind::Spec | JobKind::Respec => {
            let JobSubject::Spec(file) = &job.subject else { return None };
            let row = state.snapshot.specs.iter().find(|row| row.file == *file)?;
            Some(Command::RunSpecs { files: vec![row.file.clone()] })
        }
        JobKind::Diff => {
            let JobSubject::Revision(reference) = &job.subject else { return None };
            Some(Command::Diff { reference: reference.clone() })
        }
        JobKind::Index => Some(Command::Index),
        _ => None,
    }
}

/// What a line is, whatever stands above it.
#[derive(Debug, Clone, PartialEq)]
enum Key {
    Recording(RecordingId),
    Job(JobId),
    Log(LogRow),
}

/// The lines under the cursors of recordings, jobs and the log, each with the distance to its first line.
pub struct Held([Option<(Pane, Key, usize)>; 2]);

/// Notes what stands under the cursors, before something newer comes. At the top the newest is followed.
#[must_use]
pub fn hold(state: &AppState) -> Held {
    let one = |pane: Pane| {
        // Asked for first: making the lines takes work that most news does not need.
        let at = Some(content::standing(state, pane).cursor).filter(|at| *at > 0)?;
        let rows = content::doc_rows(state, pane)?;
        let about = rows.get(at)?.about.clone();
        let first = rows.iter().position(|row| row.about == about)?;
        Some((pane, key(&state.snapshot, &about)?, at - first))
    };
    Held([one(Pane::Runs), one(Pane::Log)])
}

/// Puts the cursors back on what they stood on.
pub fn put_back(state: &mut AppState, held: Held) {
    for (pane, wanted, below) in held.0.into_iter().flatten() {
        let snapshot = Arc::clone(&state.snapshot);
        let found = content::doc_rows(state, pane)
            .and_then(|rows| rows.iter().position(|row| key(&snapshot, &row.about).as_ref() == Some(&wanted)));
        if let (Some(found), Some(list)) = (found, content::list(state, pane))
            && list.cursor != found + below
        {
            list.hold(found + below);
        }
    }
}

fn key(snapshot: &Snapshot, about: &About) -> Option<Key> {
    match about {
        About::Recording(index) => snapshot.recordings.get(*index).map(|row| Key::Recording(row.id)),
        About::Job(index) => snapshot.jobs.get(*index).map(|row| Key::Job(row.id)),
        About::Log(index) => snapshot.log.get(*index).map(|row| Key::Log(row.clone())),
        _ => None,
    }
}
