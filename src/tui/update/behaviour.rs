//! Keys of the comparison with a commit: asking for one, going through it, and what a decision there is about.
//!
//! A decision is that on the function's change, and counts for the code that was compared: after an edit it is compared
//! again first.

use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::diff::{Diff, FunctionDiff};
use crate::domain::near::NearDifference;
use crate::domain::proposal::ProposalId;
use crate::tui::app::{AppState, Effect};
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::doc_row::About;
use crate::tui::layer::{Act, Layer, Prompt, Purpose, Question};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::Standing;
use crate::tui::update::calls::select_call;
use crate::tui::update::focus::{go_to_named, leave, set_subject, show, trusted};
use crate::tui::update::source::show_source;
use crate::tui::words;
use crate::tui::wrap::Wrapped;

/// What is compared with where nobody named a commit.
const HEAD: &str = "HEAD";

/// Opens the prompt for the commit.
pub fn ask(state: &mut AppState) {
    if !trusted(state) {
        return;
    }
    let mut earlier = state.kept.compared.clone();
    if !earlier.iter().any(|reference| reference == HEAD) {
        earlier.push(HEAD.to_owned());
    }
    let line = earlier.first().cloned().unwrap_or_default();
    state.layers.push(Layer::Prompt(Prompt::new(Purpose::Diff, line, earlier)));
}

/// Begins to compare and shows where it will stand.
pub fn compare(state: &mut AppState, reference: String, out: &mut Vec<Effect>) {
    state.diff.asked = Some(reference.clone());
    out.push(Effect::Send(Command::Diff { reference }));
    show(state, Screen::Diff, Pane::Diff);
}

/// Compares with the same commit again.
pub fn again(state: &mut AppState, out: &mut Vec<Effect>) {
    let last = state.diff.shown.as_ref().map(|diff| diff.reference.clone());
    match last.or_else(|| state.kept.compared.first().cloned()) {
        Some(reference) => compare(state, reference, out),
        None => ask(state),
    }
}

/// Takes a comparison that was read.
pub fn take(state: &mut AppState, diff: Option<Arc<Diff>>) {
    state.diff.shown = diff;
    state.diff.list = Default::default();
    refresh(state);
    let first = state.diff.lines.rows.iter().position(|row| matches!(row.about, About::Differs(..))).unwrap_or(0);
    state.diff.list.cursor = first;
    if state.screen == Screen::Diff {
        follow(state);
    }
}

/// Makes the lines anew where what they say moved.
pub fn refresh(state: &mut AppState) {
    let Some(diff) = state.diff.shown.clone() else { return };
    let standings = behaviour::standings(state, &diff);
    let beside = behaviour::beside(state, &diff);
    let width = state.columns(Pane::Diff);
    let of_this = state.diff.made_for.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, &diff));
    let same = of_this && state.diff.made_for.as_ref().is_some_and(|(_, then)| *then == standings) && state.diff.beside == beside;
    if same && state.diff.width == width {
        return;
    }
    let lines = Wrapped::new(&behaviour::rows(&diff, &standings, &beside), width);
    if of_this && state.diff.width != width {
        let (old, list) = (&state.diff.lines, &mut state.diff.list);
        (list.cursor, list.top) = (lines.shown(old.line(list.cursor)), lines.shown(old.line(list.top)));
    }
    (state.diff.lines, state.diff.width) = (lines, width);
    state.diff.made_for = Some((diff, standings));
    state.diff.beside = beside;
}

fn function_here(state: &AppState) -> Option<FunctionDiff> {
    let (at, _) = behaviour::here(state)?;
    state.diff.shown.as_ref()?.functions.get(at).cloned()
}

fn beside_here(state: &AppState) -> Option<NearDifference> {
    state.diff.beside.near.differences.get(behaviour::beside_here(state)?).cloned()
}

/// Lets line 2's proposal, source and calls follow the cursor.
pub fn follow(state: &mut AppState) {
    if let Some(one) = beside_here(state) {
        if one.proposal.is_none_or(|id| !state.pass.go(id)) {
            state.pass.rest();
        }
        set_subject(state, &one.function.clone().into());
        return;
    }
    let Some(one) = function_here(state) else { return };
    let gone = one.proposal.is_none_or(|id| !state.pass.go(id));
    if gone {
        state.pass.rest();
    }
    set_subject(state, &one.function.clone().into());
    if let (Some(About::Source(path, line)), true) = (row_about(state), state.screen == Screen::Diff) {
        show_source(state, &path, line);
    }
    mark_call(state);
}

/// Selects the recorded call that the cursor is on, as soon as the calls are here.
pub fn mark_call(state: &mut AppState) {
    let Some((at, Some(call))) = behaviour::here(state) else { return };
    let diff = state.diff.shown.clone();
    if let Some(call) = diff.and_then(|diff| Some(diff.functions.get(at)?.calls.get(call)?.call)) {
        select_call(state, call);
    }
}

fn row_about(state: &AppState) -> Option<About> {
    state.diff.lines.rows.get(state.diff.list.cursor).map(|row| row.about.clone())
}

/// Tells whether what the cursor is on can be decided now, and says why not; afterwards line 2 is about it.
pub fn may_decide(state: &mut AppState) -> bool {
    let now = state.now;
    if let Some(one) = beside_here(state) {
        let waits = one.proposal.is_some_and(|id| state.pass.go(id));
        if !waits {
            state.messages.answer(now, words::ALREADY_DECIDED);
        }
        return waits;
    }
    let Some(one) = function_here(state) else {
        state.messages.answer(now, words::NOTHING_WAITS);
        return false;
    };
    if behaviour::running(state).is_some() {
        state.messages.answer(now, words::DIFF_RUNS);
        return false;
    }
    if behaviour::is_stale(state) {
        let answers = vec![('y', "compare again", Act::CompareAgain), ('n', "not now", Act::Close)];
        state.layers.push(Layer::Question(Question::new(words::DIFF_STALE, Vec::new(), answers)));
        return false;
    }
    let Some(id) = one.proposal else {
        state.messages.answer(now, words::AS_RECORDED);
        return false;
    };
    if !state.pass.go(id) {
        state.messages.answer(now, words::ALREADY_DECIDED);
        return false;
    }
    true
}

/// Gives the changes of the comparison that wait, and what waits beside the recorded inputs.
#[must_use]
pub fn waiting(state: &AppState) -> Vec<ProposalId> {
    let Some((diff, standings)) = &state.diff.made_for else { return Vec::new() };
    let changes = diff.functions.iter().map(|one| one.proposal).zip(standings);
    let beside = &state.diff.beside;
    let near = beside.near.differences.iter().map(|one| one.proposal).zip(&beside.standings);
    changes.chain(near).filter(|(_, standing)| **standing == Standing::Waits).filter_map(|(proposal, _)| proposal).collect()
}

/// Lists the places where decisions are made, in their order, each with its proposal.
fn places(state: &AppState) -> Vec<(About, Option<ProposalId>)> {
    let functions = state.diff.shown.iter().flat_map(|diff| &diff.functions).map(|one| one.proposal).enumerate();
    let near = state.diff.beside.near.differences.iter().map(|one| one.proposal).enumerate();
    let functions = functions.map(|(at, proposal)| (About::Differs(at, None), proposal));
    functions.chain(near.map(|(at, proposal)| (About::Beside(at), proposal))).collect()
}

fn place_here(state: &AppState) -> Option<About> {
    let function = behaviour::here(state).map(|(at, _)| About::Differs(at, None));
    function.or_else(|| behaviour::beside_here(state).map(About::Beside))
}

/// Goes to the next or the last place whose change waits; tells whether there was one.
pub fn step(state: &mut AppState, forward: bool) -> bool {
    let waiting = waiting(state);
    let places = places(state);
    let here = place_here(state).and_then(|here| places.iter().position(|(about, _)| *about == here));
    let waits = |at: &usize| places[*at].1.is_some_and(|id| waiting.contains(&id));
    let all = 0..places.len();
    let found = match (here, forward) {
        (Some(here), true) => all.clone().skip(here + 1).find(waits).or_else(|| all.take(here).find(waits)),
        (Some(here), false) => all.take(here).rev().find(waits),
        (None, _) => all.clone().find(waits),
    };
    if let Some(at) = found {
        go(state, &places[at].0);
    }
    found.is_some()
}

/// Puts the cursor on the place of a proposal; tells whether the comparison has it.
pub fn go_to(state: &mut AppState, id: ProposalId) -> bool {
    let found = places(state).into_iter().find(|(_, proposal)| *proposal == Some(id));
    if let Some((about, _)) = &found {
        go(state, about);
    }
    found.is_some()
}

fn go(state: &mut AppState, about: &About) {
    let Some(row) = state.diff.lines.rows.iter().position(|row| row.about == *about) else { return };
    let height = state.layout().rows(Pane::Diff);
    state.diff.list.jump(row, height);
    follow(state);
}

/// Opens what the line is about: the source of a function or an edit, the recorded call.
pub fn enter(state: &mut AppState) {
    match content::about(state, state.focus) {
        About::Differs(_, None) | About::Source(..) | About::Beside(_) => {
            leave(state);
            follow(state);
            show(state, Screen::Diff, Pane::Source);
        }
        About::Differs(_, Some(_)) => {
            leave(state);
            follow(state);
            show(state, Screen::Diff, Pane::Calls);
        }
        _ => {
            let text = content::cursor(state, Pane::Diff).map(|at| content::text(state, Pane::Diff, at)).unwrap_or_default();
            go_to_named(state, &text);
        }
    }
}
