//! The first recording, from `Enter` on the start pane to its first draft, which comes without a key.

use crate::base::text::command_line;
use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::command::Command;
use crate::domain::proposal::ProposalState;
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::doc_row::About;
use crate::tui::layer::{Layer, Purpose};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::Following;
use crate::tui::update::focus::{show, trusted};
use crate::tui::update::{decide, work};
use crate::tui::widgets::line_edit::LineEdit;
use crate::tui::words;

/// Tells whether `Enter` records here: on the start pane, and where a first recording failed.
#[must_use]
pub fn records_on_enter(state: &AppState) -> bool {
    let here = state.screen == Screen::Review && state.focus == Pane::Decision && !state.asks_for_trust();
    here && state.current().is_none() && (content::first_run(state) || start::is_followed(state))
}

/// Records the marked command at once; where a recording failed, the same one again.
pub fn record_marked(state: &mut AppState, out: &mut Vec<Effect>) {
    let again = start::followed(state).filter(|row| row.end != ProgramEnd::Running).map(|row| row.command.clone());
    if state.following.is_some() && again.is_none() {
        state.messages.answer(state.now, words::RECORDING_RUNS);
        return;
    }
    if !state.snapshot.indexed {
        state.messages.answer(state.now, words::ENTER_WAITS);
        return;
    }
    let offer = match content::about(state, Pane::Decision) {
        About::Offer(index) => index,
        _ => 0,
    };
    match again.or_else(|| state.snapshot.offers.get(offer).cloned()) {
        Some(argv) if trusted(state) => record(state, argv, out),
        Some(_) => {}
        None => work::record(state),
    }
}

/// Records a command, and shows where it can be followed: the first one in the pane of its drafts, others on Runs.
pub fn record(state: &mut AppState, argv: Vec<String>, out: &mut Vec<Effect>) {
    let first = content::first_run(state) || start::is_followed(state);
    let typed = command_line(&argv);
    state.kept.recorded.retain(|entry| *entry != typed);
    state.kept.recorded.insert(0, typed);
    out.push(Effect::Send(Command::Record { argv, limit: None, targets: Vec::new() }));
    if first {
        state.following = Some(Following::default());
        state.pass.rest();
        state.decision.list = Default::default();
        show(state, Screen::Review, Pane::Decision);
    } else {
        show(state, Screen::Runs, Pane::Runs);
        state.runs = Default::default();
    }
}

/// A recording began: it is the one that was asked for here.
pub fn began(state: &mut AppState, recording: RecordingId) {
    if let Some(following) = state.following.as_mut().filter(|following| following.recording.is_none()) {
        following.recording = Some(recording);
    }
}

/// Something failed before the recording began.
pub fn failed(state: &mut AppState) {
    if state.following.as_ref().is_some_and(|following| following.recording.is_none()) {
        state.following = None;
    }
}

/// Goes to the first ready draft of the recording that is followed, where nothing else is being looked at.
pub fn settle(state: &mut AppState) {
    let Some(following) = state.following.clone() else { return };
    if following.recording.is_none() {
        return;
    }
    let Some(row) = start::followed(state).cloned().filter(|_| state.current().is_none()) else {
        state.following = None;
        return;
    };
    if row.end == ProgramEnd::Running {
        return;
    }
    let ended = following.ended.unwrap_or(state.now);
    state.following = Some(Following { ended: Some(ended), ..following });
    let ready = |row: &&crate::domain::snapshot::QueueRow| {
        row.state == ProposalState::Ready && row.blocked.is_none() && state.pass.verdict(row.id).is_none()
    };
    let Some(id) = state.pass.items().iter().find(ready).map(|row| row.id) else { return };
    if state.screen != Screen::Review || state.focus != Pane::Decision {
        state.following = None;
    } else if state.layers.is_empty() {
        state.following = None;
        let seconds = (state.now.0 - ended.0).max(0) / 1_000;
        let said = words::first_draft(&row, words::own_functions(&state.snapshot), seconds);
        decide::go(state, id);
        state.messages.done(state.now, said);
    }
}

/// Fills in the command of a prompt that was opened before any was known, and marks the first command of the start pane.
pub fn fill_in(state: &mut AppState) {
    let offers: Vec<String> = state.snapshot.offers.iter().map(|argv| command_line(argv)).collect();
    if let (Some(Layer::Prompt(prompt)), Some(first)) = (state.layers.last_mut(), offers.first())
        && prompt.purpose == Purpose::Record
        && prompt.line.text.is_empty()
        && prompt.earlier.is_empty()
    {
        prompt.line = LineEdit::new(first.clone());
        prompt.earlier = offers;
    }
    let start =
        state.screen == Screen::Review && content::first_run(state) && state.following.is_none() && !state.asks_for_trust();
    if start && state.decision.list.cursor == 0 {
        let rows = content::doc_rows(state, Pane::Decision);
        let first = rows.and_then(|rows| rows.iter().position(|row| matches!(row.about, About::Offer(_))));
        state.decision.list.cursor = first.unwrap_or(0);
    }
}
