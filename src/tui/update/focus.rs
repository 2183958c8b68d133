//! What has the focus: which pane of which screen, which function the panes are about, and where one was before.

use crate::domain::function::FunctionId;
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::snapshot::Trust;
use crate::tui::app::AppState;
use crate::tui::jumps::Place;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::CallsPane;
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::update::tree::show_in_tree;
use crate::tui::words;

/// Goes to a pane of a screen and brings it to the front.
pub fn show(state: &mut AppState, screen: Screen, pane: Pane) {
    if state.screen == Screen::Review {
        state.review_focus = state.focus;
    }
    state.screen = screen;
    state.focus = pane;
    match pane {
        Pane::Functions | Pane::Source | Pane::Calls => {
            state.left = pane;
            if pane != Pane::Functions {
                state.centre = pane;
            }
        }
        Pane::Intent | Pane::Specs => state.left = pane,
        _ => {}
    }
}

/// Goes to a pane of this screen, or of Review where this one lacks it.
pub fn reveal(state: &mut AppState, pane: Pane) {
    let screen = if state.screen.panes().contains(&pane) { state.screen } else { Screen::Review };
    show(state, screen, pane);
}

/// Remembers this place before a jump.
pub fn leave(state: &mut AppState) {
    let here = place(state);
    state.jumps.leave(here);
}

/// Tells where one is.
#[must_use]
pub fn place(state: &AppState) -> Place {
    let line = u32::try_from(state.source.list.cursor + 1).unwrap_or(1);
    Place {
        screen: state.screen,
        pane: state.focus,
        subject: state.subject.clone(),
        proposal: state.current().map(|row| row.id),
        source: state.source.path.clone().map(|path| (path, line)),
        journey: state.journeys.test.clone().filter(|_| state.screen == Screen::Journeys),
        line: state.journeys.list.cursor,
        spec: state.specs.file.clone().filter(|_| state.screen == Screen::Specs),
        recording: state.recorded.recording.filter(|_| state.screen == Screen::Runs).map(|id| (id, state.recorded.list.cursor)),
    }
}

/// Makes a subject what the panes are about: the file, the line and the calls of a function.
pub fn set_subject(state: &mut AppState, subject: &ProposalSubject) {
    let changed = state.subject.as_ref() != Some(subject);
    state.subject = Some(subject.clone());
    if state.calls.function.as_ref() != subject.function() {
        state.calls = CallsPane { function: subject.function().cloned(), open: [0].into(), ..Default::default() };
    }
    let Some(row) = state.subject_row().cloned() else { return };
    if changed || state.source.path.as_ref() != Some(&row.path) {
        show_source(state, &row.path, row.line);
    }
    mark_source(state);
}

/// Makes a function what the panes are about, with the proposal that waits for it.
pub fn go_to_function(state: &mut AppState, id: &FunctionId) {
    let subject = ProposalSubject::Function(id.clone());
    match state.pass.of(&subject).map(|row| row.id) {
        Some(proposal) => {
            state.pass.go(proposal);
        }
        None => state.pass.rest(),
    }
    state.subject = None;
    set_subject(state, &subject);
    show_in_tree(state, id);
}

/// Goes to the function that a text names, and tells whether there was one.
pub fn go_to_named(state: &mut AppState, text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let words: Vec<&str> = text.split(|c| !is_name(c)).map(|w| w.trim_matches(['.', ':'])).filter(|w| !w.is_empty()).collect();
    let named = |id: &FunctionId| words.iter().any(|word| *word == id.0 || *word == id.qualname());
    let Some(id) = state.snapshot.functions.iter().find(|row| named(&row.id)).map(|row| row.id.clone()) else {
        return false;
    };
    go_to_source(state, &id)
}

/// Goes to the source of a function; tells whether the function is there.
pub fn go_to_source(state: &mut AppState, id: &FunctionId) -> bool {
    if state.function(id).is_none() {
        return false;
    }
    leave(state);
    go_to_function(state, id);
    reveal(state, Pane::Source);
    true
}

/// Tells whether code may be run, and asks the question again when not.
pub fn trusted(state: &mut AppState) -> bool {
    if state.snapshot.trust == Trust::Trusted {
        return true;
    }
    state.messages.answer(state.now, words::ONLY_READING);
    state.read_only = false;
    state.pass.rest();
    show(state, Screen::Review, Pane::Decision);
    false
}
