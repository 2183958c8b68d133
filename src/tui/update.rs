//! What each message does to the state, and what it wants done outside. Pure: no IO, no clock.
//!
//! The parts, a file each, from those that use others to those that are used: `dispatch` does what an action says, `layers`
//! takes the keys of prompts, questions and lists that `open` opens, `prompts` does what was typed, `pointer` the mouse;
//! `navigate` moves, `places` goes somewhere and back, `work` asks for work, `following` follows the
//! first recording to its first draft, `decide` decides; `runs` goes through
//! recordings, jobs and the log, `look` shows why and in full, `behaviour` goes through a comparison with a commit,
//! `journeys` through what tests did, `specs` through YAML tests; `focus`, `tree`, `calls` and `source` keep what the
//! panes show, and `line_values` what lines gave in the selected call. None uses this file.

mod arrive;
mod behaviour;
mod bulk;
mod calls;
mod decide;
mod dispatch;
mod focus;
mod following;
mod journeys;
mod layers;
mod line_values;
mod look;
mod navigate;
mod open;
mod places;
mod pointer;
mod prompts;
mod questions;
mod runs;
mod source;
mod specs;
mod tree;
mod work;

use std::sync::Arc;

use crate::base::clock::Moment;
use crate::domain::event::Event;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::tui::action::{Action, Context};
use crate::tui::app::{AppState, Effect, Msg};
use crate::tui::content;
use crate::tui::keymap::Key;
use crate::tui::layout::{Pane, Screen};
use crate::tui::update::calls::list_calls;
use crate::tui::update::source::place_source;
use crate::tui::widgets::stream::StreamText;
use crate::tui::words;

pub use arrive::start;
pub use focus::set_subject;

/// Takes one message.
pub fn update(state: &mut AppState, msg: Msg, now: Moment) -> Vec<Effect> {
    state.now = now;
    let mut out = Vec::new();
    let before = state.dirty;
    state.dirty = true;
    match msg {
        Msg::Key(key) => press(state, key, &mut out),
        Msg::Paste(text) => layers::paste(state, &text),
        Msg::Mouse(mouse) => {
            if let Some(key) = pointer::mouse(state, mouse) {
                press(state, key, &mut out);
            }
        }
        Msg::Resize(width, height) => {
            state.size = (width, height);
            // Between two sizes that are the same, others may have come and gone, and cut off what stood there.
            out.push(Effect::Redraw);
        }
        Msg::Tick => {
            let changed = state.messages.tick(now, state.animations);
            let counters = state.animations && (state.open_jobs().next().is_some() || state.recording_live());
            state.dirty = before || changed || counters;
        }
        Msg::Happened(event, snapshot) => {
            arrive::take_snapshot(state, snapshot);
            if let Event::SettingsRead { wrong } = &*event {
                out.push(Effect::TakeSettings(wrong.clone()));
            }
            arrive::happened(state, *event);
        }
        // An event brought it already.
        Msg::Snapshot(snapshot) if Arc::ptr_eq(&snapshot, &state.snapshot) => state.dirty = before,
        Msg::Snapshot(snapshot) => arrive::take_snapshot(state, snapshot),
        Msg::Source(path, lines) => {
            if state.source.asked.as_ref() == Some(&path) {
                state.source.asked = None;
            }
            if state.source.path.as_ref() == Some(&path) {
                state.source.lines = Some(lines);
                place_source(state);
            }
        }
        Msg::Calls(function, kinds) => {
            if state.calls.asked.as_ref() == Some(&function) {
                state.calls.asked = None;
            }
            if state.calls.function.as_ref() == Some(&function) {
                state.calls.kinds = Some(kinds);
                // What is known of them stays in sight until it was read anew.
                state.calls.pages.clear();
                state.calls.open.retain(|open| *open == 0);
                list_calls(state);
                runs::select_wanted(state);
                if state.screen == Screen::Diff {
                    behaviour::mark_call(state);
                }
            }
        }
        Msg::CallRows(function, rows) if state.calls.function.as_ref() == Some(&function) => match rows {
            Ok(rows) => {
                state.calls.rows.extend(rows.into_iter().map(|row| (row.id, row)));
                list_calls(state);
            }
            Err(trouble) => state.calls.kinds = Some(Err(trouble)),
        },
        Msg::CallRows(..) => state.dirty = before,
        Msg::TestsThrough(function, tests) => open::tests_through(state, &function, tests),
        Msg::LineValues(call, lines) => line_values::take(state, call, lines),
        Msg::Recorded(id, rows) => runs::take(state, id, rows),
        Msg::Judged(test, view) => journeys::take(state, &test, *view),
        Msg::Spec(file, view) => specs::take(state, &file, *view),
        Msg::Diff(diff) => behaviour::take(state, diff),
        Msg::Proposal(id, loaded) => {
            arrive::take_proposal(state, id, *loaded);
            decide_once_read(state, id, &mut out);
        }
        Msg::Plan(ids, plan) => bulk::planned(state, ids, plan),
        Msg::Other(id, other) => look::compare_with(state, id, *other),
        Msg::Outgoing(bytes) => questions::show_outgoing(state, bytes.as_deref()),
        Msg::Focused => {
            state.dirty = before;
            out.push(Effect::AskBackground);
        }
        Msg::Background(dark) => {
            state.dirty = before;
            out.push(Effect::TakeBackground(dark));
        }
        Msg::Stream(id, view) => {
            if state.decision.stream_of != Some(id) {
                state.decision.stream = StreamText::default();
                state.decision.stream_of = Some(id);
                state.decision.follow = true;
            }
            state.dirty = state.decision.stream.grow(&view) || before;
            if state.decision.follow {
                state.decision.list.cursor = usize::MAX;
            }
        }
        Msg::Edited(edit) => work::edited(state, edit, &mut out),
        Msg::Copied(lines, route) => match route {
            Some(route) => state.messages.done(now, words::copied(lines, &route)),
            None => state.messages.warn(now, words::NO_CLIPBOARD),
        },
        Msg::Trouble(trouble) => state.messages.fail(now, &trouble),
        Msg::Terminate => out.push(Effect::Quit),
    }
    settle(state, &mut out);
    out
}

/// Does what a key asked for while a proposal was still being read. Nothing was in sight then, so accepting shows it and asks.
fn decide_once_read(state: &mut AppState, id: ProposalId, out: &mut Vec<Effect>) {
    let Some((_, action)) = state.kept.when_read.take_if(|(waits, _)| *waits == id) else { return };
    if state.loaded().is_some_and(|loaded| loaded.view.proposal.id == id) && state.layers.is_empty() {
        dispatch::act(state, action, out);
    }
}

fn press(state: &mut AppState, key: Key, out: &mut Vec<Effect>) {
    // Another key is another wish.
    state.kept.when_read = None;
    let stayed = state.messages.shown.clone().filter(|message| message.stays);
    let quitting = std::mem::take(&mut state.asked_to_quit);
    let is_ctrl_c = key.name() == "Ctrl-c";
    if is_ctrl_c && quitting {
        out.push(Effect::Quit);
        return;
    }
    if state.layers.last().is_some() {
        state.asked_to_quit = is_ctrl_c;
        layers::key(state, key, out);
        return;
    }
    if state.in_place.as_ref().is_some_and(|edit| edit.open) {
        layers::in_place(state, key, out);
        return;
    }
    let path = if state.screen.decides() { Context::PATHS[0] } else { &Context::PATHS[0][1..] };
    let Some(action) = state.keymap.action(path, key) else {
        state.messages.seen(state.now);
        state.messages.answer(state.now, words::unbound(&key.name()));
        return;
    };
    if stayed.is_some() && action != Action::Why {
        state.messages.seen(state.now);
    }
    if is_ctrl_c {
        state.asked_to_quit = true;
    }
    dispatch::act(state, action, out);
}

/// Puts every cursor back into its list and asks for what the panes lack.
fn settle(state: &mut AppState, out: &mut Vec<Effect>) {
    following::settle(state);
    following::fill_in(state);
    questions::offer(state);
    content::keep_wrapped(state);
    behaviour::refresh(state);
    journeys::wrap_lines(state);
    if state.calls.width != 0 && state.calls.width != state.columns(Pane::Calls) {
        list_calls(state);
    }
    if std::mem::take(&mut state.diff.dirty) {
        out.push(Effect::ReadDiff);
    }
    let layout = state.layout();
    for pane in state.screen.panes() {
        let (len, rows) = (content::len(state, *pane), layout.rows(*pane));
        if let Some(list) = content::list(state, *pane) {
            list.settle(len, rows);
        }
    }
    content::note_sight(state);
    if let (Some(edit), Some(slot)) = (state.in_place.as_mut(), layout.slot(Pane::Decision)) {
        let (rows, columns) = (usize::from(slot.body.height), usize::from(slot.body.width));
        edit.settle(rows.saturating_sub(1), columns.saturating_sub(6));
    }
    if let (Some(id), true) = (state.recorded.recording, layout.slot(Pane::Recorded).is_some()) {
        let missing = state.recorded.rows.is_none() && state.recorded.asked != Some(id);
        if std::mem::take(&mut state.recorded.dirty) || missing {
            state.recorded.asked = Some(id);
            out.push(Effect::ReadRecorded(id));
        }
    }
    let shown = crate::tui::journeys::row_of(state).map(|(_, row)| row.test.clone());
    if let (Some(test), Screen::Journeys) = (shown, state.screen) {
        let missing = state.journeys.loaded.is_none() && state.journeys.asked.as_ref() != Some(&test);
        if std::mem::take(&mut state.journeys.dirty) || missing {
            state.journeys.asked = Some(test.clone());
            out.push(Effect::ReadJudged(test));
        }
    }
    if let (Some(file), Screen::Specs) = (state.specs.file.clone(), state.screen) {
        let missing = state.specs.loaded.is_none() && state.specs.asked.as_ref() != Some(&file);
        if !state.snapshot.specs.is_empty() && (std::mem::take(&mut state.specs.dirty) || missing) {
            state.specs.asked = Some(file.clone());
            out.push(Effect::ReadSpec(file));
        }
    }
    if let Some((id, moved)) = state.current().map(|row| (row.id, row.state)) {
        let streaming = moved == ProposalState::Streaming;
        let missing = state.decision.shown != Some(id) || state.decision.dirty;
        // One at a time: of two on their way, the older could come last.
        if missing && !streaming && state.decision.asked != Some(id) {
            state.decision.asked = Some(id);
            state.decision.dirty = false;
            out.push(Effect::ReadProposal(id));
        }
    }
    if let Some(function) = state.calls.function.clone() {
        let missing = state.calls.kinds.is_none() && state.calls.asked.as_ref() != Some(&function);
        if std::mem::take(&mut state.calls.dirty) || missing {
            state.calls.asked = Some(function.clone());
            out.push(Effect::ReadCalls(function.clone()));
        }
        let (top, rows) = (state.calls.list.top, layout.rows(Pane::Calls));
        let lacking = state.calls.lacks(top..top + rows);
        out.extend(lacking.into_iter().map(|kinds| Effect::ReadCallRows(function.clone(), kinds)));
    }
    if let Some(path) = state.source.path.clone() {
        let missing = state.source.lines.is_none() && state.source.asked.as_ref() != Some(&path);
        if std::mem::take(&mut state.source.dirty) || missing {
            state.source.asked = Some(path.clone());
            out.push(Effect::ReadSource(path));
        }
    }
    line_values::ask(state, out);
}
