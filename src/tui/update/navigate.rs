//! Moving: cursors, panes, screens, the widths. Going somewhere is `places.rs`.

use crate::domain::proposal_subject::ProposalSubject;
use crate::tui::action::Action;
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::CallLine;
use crate::tui::update::focus::{leave, reveal, set_subject, show};
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::update::tree::toggle;
use crate::tui::update::{behaviour, decide, journeys, places, runs, specs};
use crate::tui::widgets::tree::NodeKey;
use crate::tui::words;

const SIDEWAYS: usize = 8;
const SHARE_STEP: u16 = 4;

/// Does a moving action.
pub fn act(state: &mut AppState, action: Action) {
    let rows = isize::try_from(state.layout().rows(state.focus)).unwrap_or(1).max(1);
    match action {
        Action::Down => step(state, 1),
        Action::Up => step(state, -1),
        Action::PageDown => step(state, rows),
        Action::PageUp => step(state, -rows),
        Action::HalfDown => step(state, rows / 2),
        Action::HalfUp => step(state, -(rows / 2)),
        Action::First => step(state, isize::MIN),
        Action::Last => step(state, isize::MAX),
        Action::Left => sideways(state, false),
        Action::Right => sideways(state, true),
        Action::Enter => places::enter(state),
        Action::NextItem => item(state, true),
        Action::PreviousItem => item(state, false),
        Action::Definition => places::definition(state),
        Action::Calls => {
            leave(state);
            reveal(state, Pane::Calls);
        }
        Action::Review => {
            screen(state, Screen::Review);
            // What line 2 names is what the panes show.
            match state.current().map(|row| (row.id, row.subject.clone())) {
                Some((id, subject)) if state.subject.as_ref() != Some(&subject) => decide::go(state, id),
                None if state.pass.open() > 0 => decide::next(state),
                _ => come_back(state),
            }
        }
        Action::Journeys => {
            screen(state, Screen::Journeys);
            journeys::arrive(state);
        }
        Action::Specs => {
            screen(state, Screen::Specs);
            specs::arrive(state);
        }
        Action::Runs => {
            screen(state, Screen::Runs);
            runs::follow(state);
        }
        Action::Log => screen(state, Screen::Log),
        Action::Diff => {
            screen(state, Screen::Diff);
            behaviour::follow(state);
        }
        Action::NextPane => next_pane(state, 1),
        Action::PreviousPane => next_pane(state, -1),
        Action::Back => places::jump(state, true),
        Action::Forward => places::jump(state, false),
        Action::Zoom => state.zoomed = !state.zoomed,
        Action::Narrower => resize(state, false),
        Action::Wider => resize(state, true),
        Action::Close => close(state),
        // Keys of prompts, layers and editing in place never come here: they are looked up on paths of their own.
        _ => {}
    }
}

/// Shows the source of what Review is about again, where another screen showed another.
fn come_back(state: &mut AppState) {
    let row = state.subject_row().cloned();
    if let Some(row) = row.filter(|row| state.source.path.as_ref() != Some(&row.path)) {
        show_source(state, &row.path, row.line);
    }
    mark_source(state);
}

fn screen(state: &mut AppState, screen: Screen) {
    if state.screen == screen {
        return;
    }
    state.zoomed = false;
    let pane = match screen {
        Screen::Review => state.review_focus,
        Screen::Journeys => Pane::Intent,
        Screen::Specs => Pane::Specs,
        Screen::Runs => Pane::Runs,
        Screen::Log => Pane::Log,
        Screen::Diff => Pane::Diff,
    };
    show(state, screen, pane);
}

fn next_pane(state: &mut AppState, step: isize) {
    let panes = state.screen.panes();
    let at = panes.iter().position(|pane| *pane == state.focus).unwrap_or(0);
    let len = isize::try_from(panes.len()).unwrap_or(1);
    let next = (isize::try_from(at).unwrap_or(0) + step).rem_euclid(len);
    if let Some(pane) = usize::try_from(next).ok().and_then(|next| panes.get(next)) {
        show(state, state.screen, *pane);
    }
}

/// Moves the cursor of the focused pane.
pub fn step(state: &mut AppState, lines: isize) {
    let pane = state.focus;
    // The marked command of the start pane moves from one to the next.
    if pane == Pane::Decision && matches!(lines, 1 | -1) && content::first_run(state) && !state.asks_for_trust() {
        content::to_stop(state, pane, lines > 0);
        return;
    }
    let len = content::len(state, pane);
    if let Some(list) = content::list(state, pane) {
        list.step(lines, len);
    }
    if pane == Pane::Decision {
        state.decision.follow = state.decision.list.cursor + 1 >= len;
    }
    moved(state, pane);
}

/// Lets the other panes follow the cursor of a pane.
pub fn moved(state: &mut AppState, pane: Pane) {
    match pane {
        Pane::Functions => select_node(state),
        Pane::Diff => behaviour::follow(state),
        Pane::Runs => runs::follow(state),
        Pane::Intent => journeys::choose_clause(state),
        Pane::Journey => journeys::follow(state),
        Pane::Specs | Pane::Steps => specs::moved(state, pane),
        Pane::Calls => {
            if let Some(CallLine::Call(at) | CallLine::Inside(at, _) | CallLine::Part(at, ..)) =
                state.calls.lines.get(state.calls.list.cursor)
            {
                state.calls.selected = *at;
                mark_source(state);
            }
        }
        _ => {}
    }
}

/// Makes what the tree's cursor stands on what the panes are about.
pub fn select_node(state: &mut AppState) {
    let Some(node) = state.nodes.get(state.tree.cursor).cloned() else { return };
    match node.key {
        NodeKey::Function(id) => {
            let subject = ProposalSubject::Function(id);
            match state.pass.of(&subject).map(|row| row.id) {
                Some(proposal) if state.current().is_none_or(|row| row.subject != subject) => {
                    state.pass.go(proposal);
                }
                Some(_) => {}
                None => state.pass.rest(),
            }
            state.decision.list =
                if state.decision.shown == state.current().map(|row| row.id) { state.decision.list } else { Default::default() };
            set_subject(state, &subject);
        }
        NodeKey::Trouble(_) | NodeKey::Path(_) => {
            if let Some(path) = node.path {
                show_source(state, &path, node.line);
            }
        }
    }
}

fn sideways(state: &mut AppState, right: bool) {
    let shift = match state.focus {
        Pane::Functions => return fold(state, right),
        Pane::Journey => return journeys::fold(state, right),
        Pane::Steps => return specs::fold(state, right),
        Pane::Source => &mut state.source.shift,
        Pane::Calls => &mut state.calls.shift,
        Pane::Decision if state.streaming().is_some() => &mut state.decision.shift,
        Pane::Recorded => &mut state.recorded.shift,
        Pane::Decision | Pane::Diff | Pane::Intent | Pane::Specs | Pane::Runs | Pane::Log => {
            state.messages.answer(state.now, words::LINES_WRAP);
            return;
        }
    };
    *shift = if right { (*shift + SIDEWAYS).min(4_000) } else { shift.saturating_sub(SIDEWAYS) };
}

fn fold(state: &mut AppState, unfold: bool) {
    let Some(node) = state.nodes.get(state.tree.cursor).cloned() else { return };
    match (node.folded, unfold) {
        (Some(true), true) | (Some(false), false) => toggle(state, node.key),
        (_, true) => step(state, 1),
        (_, false) => {
            let parent = state.nodes[..state.tree.cursor].iter().rposition(|other| other.depth < node.depth);
            if let Some(parent) = parent {
                state.tree.cursor = parent;
                select_node(state);
            }
        }
    }
}

fn item(state: &mut AppState, forward: bool) {
    let step_one: isize = if forward { 1 } else { -1 };
    match state.focus {
        Pane::Intent => journeys::step_clause(state, forward),
        Pane::Journey => journeys::step_evidence(state, forward),
        Pane::Source if state.screen == Screen::Journeys => journeys::step_evidence(state, forward),
        Pane::Source | Pane::Calls => {
            let len = state.calls.kinds().len();
            if len == 0 {
                state.messages.answer(state.now, words::NO_CALLS_HERE);
                return;
            }
            let before = state.calls.selected;
            state.calls.selected = before.saturating_add_signed(step_one).min(len - 1);
            if state.calls.selected == before {
                state.messages.answer(state.now, words::NO_MORE_ITEMS);
            }
            let selected = CallLine::Call(state.calls.selected);
            state.calls.list.cursor = state.calls.lines.iter().position(|line| *line == selected).unwrap_or(0);
            mark_source(state);
        }
        Pane::Functions => {
            let marked = |at: &usize| state.nodes.get(*at).is_some_and(|n| n.folded.is_none() && n.drafts + n.changes > 0);
            let at = state.tree.cursor;
            let found = if forward { (at + 1..state.nodes.len()).find(marked) } else { (0..at).rev().find(marked) };
            match found {
                Some(found) => {
                    state.tree.cursor = found;
                    select_node(state);
                }
                None => state.messages.answer(state.now, words::NO_MORE_ITEMS),
            }
        }
        pane => {
            if content::to_stop(state, pane, forward) {
                moved(state, pane);
            } else {
                state.messages.answer(state.now, words::NO_MORE_ITEMS);
            }
        }
    }
}

fn resize(state: &mut AppState, wider: bool) {
    if state.layout().slots.iter().all(|slot| slot.body.x == 0) {
        state.messages.answer(state.now, words::ONE_COLUMN);
        return;
    }
    let three = state.size.0 >= 140 && matches!(state.screen, Screen::Review | Screen::Journeys | Screen::Specs);
    let shares = &mut state.shares;
    let grow = |share: &mut u16, wider: bool, from: u16, to: u16| {
        *share = if wider { *share + SHARE_STEP } else { share.saturating_sub(SHARE_STEP) }.clamp(from, to);
    };
    match (state.focus, three) {
        (Pane::Functions, true) => grow(&mut shares.tree, wider, 14, 40),
        (Pane::Decision | Pane::Journey | Pane::Steps, true) => grow(&mut shares.decision, wider, 20, 60),
        (_, true) => grow(&mut shares.decision, !wider, 20, 60),
        (Pane::Decision | Pane::Journey | Pane::Steps | Pane::Diff | Pane::Recorded, false) => {
            grow(&mut shares.half, wider, 25, 75)
        }
        (_, false) => grow(&mut shares.half, !wider, 25, 75),
    }
}

fn close(state: &mut AppState) {
    if state.asks_for_trust() && state.screen == Screen::Review && state.focus == Pane::Decision {
        state.read_only = true;
    } else if state.zoomed {
        state.zoomed = false;
    } else if state.search.take().is_none() {
        state.messages.answer(state.now, words::ESC_NOTHING);
    }
}
