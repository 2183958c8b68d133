//! Going somewhere: `Enter`, definitions, what a line is about, and the way back.

use crate::domain::function::FunctionId;
use crate::domain::proposal::Body;
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::doc_row::About;
use crate::tui::layout::Pane;
use crate::tui::panes::CallLine;
use crate::tui::update::calls::{list_calls, select_call};
use crate::tui::update::focus::{go_to_function, leave, place, reveal, set_subject, show};
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::update::tree::{show_in_tree, toggle};
use crate::tui::update::{behaviour, journeys, look, runs, specs};
use crate::tui::widgets::tree::NodeKey;
use crate::tui::words;

/// Goes in or there, by pane; never decides.
pub fn enter(state: &mut AppState) {
    match state.focus {
        Pane::Functions => {
            let Some(node) = state.nodes.get(state.tree.cursor).cloned() else { return };
            match node.key {
                NodeKey::Path(_) => toggle(state, node.key),
                NodeKey::Trouble(_) => go(state, Pane::Source),
                NodeKey::Function(_) => {
                    let pane = if state.current().is_some() { Pane::Decision } else { Pane::Source };
                    go(state, pane);
                }
            }
        }
        Pane::Source => definition(state),
        Pane::Intent | Pane::Journey => journeys::enter(state),
        Pane::Calls => {
            if let Some(CallLine::Call(at) | CallLine::Inside(at, _) | CallLine::Part(at, ..)) =
                state.calls.lines.get(state.calls.list.cursor).copied()
            {
                if !state.calls.open.remove(&at) {
                    state.calls.open.insert(at);
                }
                list_calls(state);
                if let Some(line) = state.calls.lines.iter().position(|line| *line == CallLine::Call(at)) {
                    state.calls.list.hold(line);
                }
            }
        }
        Pane::Decision if state.asks_for_trust() => state.read_only = true,
        Pane::Diff => behaviour::enter(state),
        // What they do may run something, so it stands with what acts.
        Pane::Specs | Pane::Steps => {}
        Pane::Runs | Pane::Recorded => runs::enter(state),
        Pane::Log => runs::enter_log(state),
        Pane::Decision => follow(state, content::about(state, state.focus)),
    }
}

fn follow(state: &mut AppState, about: About) {
    match about {
        About::Source(path, line) => {
            leave(state);
            show_source(state, &path, line);
            reveal(state, Pane::Source);
        }
        About::Clause(clause) => open_journey(state, Some(clause)),
        About::Nothing if state.focus == Pane::Decision && verdict_here(state).is_some() => open_journey(state, None),
        About::Target(..) | About::Nothing if state.focus == Pane::Decision => {
            if let Some(row) = state.subject_row().cloned() {
                leave(state);
                show_source(state, &row.path, row.line);
                reveal(state, Pane::Source);
            }
        }
        About::Changed(index) => {
            let call = state.loaded().and_then(|loaded| match &loaded.view.proposal.body {
                Body::Change(change) => change.calls.get(index).map(|call| call.call),
                Body::Near(near) => Some(near.difference.call),
                _ => None,
            });
            leave(state);
            if let Some(call) = call {
                select_call(state, call);
            }
            reveal(state, Pane::Calls);
        }
        _ => look::view(state),
    }
}

/// Gives the test whose verdict line 2 names.
fn verdict_here(state: &AppState) -> Option<String> {
    Some(state.loaded()?.view.proposal.verdict()?.test.clone())
}

/// Goes to the journey of the verdict that line 2 names.
fn open_journey(state: &mut AppState, clause: Option<usize>) {
    if let Some(test) = verdict_here(state) {
        journeys::go(state, &test, clause);
    }
}

/// Goes to the function that the line calls, else to the one it is in.
pub fn definition(state: &mut AppState) {
    if matches!(state.focus, Pane::Intent | Pane::Journey) && journeys::definition(state) {
        return;
    }
    if state.focus == Pane::Source
        && let Some(text) = content::cursor(state, Pane::Source).map(|at| content::text(state, Pane::Source, at))
    {
        let here = state.subject_function().cloned();
        let called = state.snapshot.functions.iter().filter(|row| Some(&row.id) != here.as_ref()).find(|row| {
            let name = row.id.qualname().rsplit('.').next().unwrap_or_default();
            text.match_indices(name).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let defines = text[..at].trim_end().ends_with("def");
                !defines && before.is_none_or(|c| !(c.is_alphanumeric() || c == '_')) && text[at + name.len()..].starts_with('(')
            })
        });
        let under = called.or_else(|| {
            let line = u32::try_from(state.source.list.cursor + 1).unwrap_or(u32::MAX);
            let path = state.source.path.as_ref();
            let around = |row: &&crate::domain::snapshot::FunctionRow| {
                Some(&row.path) == path && row.lines.0 <= line && line <= row.lines.1
            };
            state.snapshot.functions.iter().rfind(around)
        });
        if let Some(id) = under.map(|row| row.id.clone()) {
            leave(state);
            go_to_function(state, &id);
            return;
        }
    }
    let Some(row) = state.subject_row().cloned() else {
        state.messages.answer(state.now, words::NOTHING_WAITS);
        return;
    };
    leave(state);
    show_source(state, &row.path, row.line);
    reveal(state, Pane::Source);
}

/// Shows a function in the source pane while one looks for it.
pub fn preview(state: &mut AppState, id: &FunctionId) {
    if let Some(row) = state.function(id).cloned() {
        show_source(state, &row.path, row.line);
        mark_source(state);
    }
}

/// Shows what was shown before one looked for a function.
pub fn end_preview(state: &mut AppState) {
    if let Some((path, line)) = state.kept.before_preview.take().and_then(|place| place.source) {
        show_source(state, &path, line);
        mark_source(state);
    }
}

fn go(state: &mut AppState, pane: Pane) {
    leave(state);
    reveal(state, pane);
}

/// Goes back or forward through the places.
pub fn jump(state: &mut AppState, back: bool) {
    let here = place(state);
    let place = if back { state.jumps.back(here) } else { state.jumps.forward(here) };
    let Some(place) = place else {
        state.messages.answer(state.now, if back { words::NO_JUMP_BACK } else { words::NO_JUMP_FORWARD });
        return;
    };
    if let Some(subject) = &place.subject {
        set_subject(state, subject);
        if let Some(function) = subject.function() {
            show_in_tree(state, function);
        }
    }
    match place.proposal {
        Some(id) => {
            state.pass.go(id);
        }
        None => state.pass.rest(),
    }
    show(state, place.screen, place.pane);
    if let Some(test) = &place.journey {
        let clause = state.journeys.clause;
        journeys::open_test(state, test, clause);
        state.journeys.list.cursor = place.line;
    }
    if let Some(file) = &place.spec {
        specs::open(state, file);
    }
    if let Some((recording, line)) = place.recording {
        runs::show(state, recording);
        state.recorded.list.cursor = line;
    }
    if let Some((path, line)) = &place.source {
        show_source(state, path, *line);
    }
    mark_source(state);
}
