//! One whole frame from the state. Pure.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::base::text;
use crate::domain::proposal::{ProposalKind, ProposalState};
use crate::tui::app::AppState;
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::journeys;
use crate::tui::layout::{self, Pane, Slot};
use crate::tui::row::{Pen, Row};
use crate::tui::specs;
use crate::tui::theme::{Role, Theme};
use crate::tui::unjudged;
use crate::tui::view::{chrome, key_line, layers, titles};
use crate::tui::words;

/// Draws everything.
pub fn draw(state: &AppState, theme: &Theme, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut pen = Pen { buf: frame.buffer_mut(), theme, glyphs: state.glyphs };
    if layout::too_small((area.width, area.height)) {
        too_small(&mut pen, area);
        return;
    }
    // The terminal may be another size for one frame before its message arrives.
    if (area.width, area.height) != state.size {
        return;
    }
    let places = state.layout();
    pen.row(places.head[0], &chrome::first(state), 0);
    pen.row(places.head[1], &chrome::second(state), 0);
    for slot in &places.slots {
        if slot.title.height > 0 {
            pen.row(slot.title, &titles::title(state, slot), 0);
        }
        pane(state, slot, &mut pen);
        bar(state, slot, &mut pen);
    }
    layers::draw_in_place(state, &mut pen);
    layers::draw(state, &mut pen);
    pen.row(places.message, &chrome::message(state), 0);
    pen.row(places.keys, &key_line::keys(state), 0);
}

fn too_small(pen: &mut Pen<'_>, area: Rect) {
    let lines = words::too_small(area.width, area.height);
    let top = area.height.saturating_sub(6) / 2;
    for (at, line) in lines.iter().enumerate() {
        let gap = u16::from(at == 3);
        let y = top + u16::try_from(at).unwrap_or(0) + gap;
        let x = area.width.saturating_sub(crate::tui::row::columns(line)) / 2;
        pen.put(x, y, area.width, line, Role::Text);
    }
}

fn pane(state: &AppState, slot: &Slot, pen: &mut Pen<'_>) {
    let len = content::len(state, slot.pane);
    let list = content::standing(state, slot.pane);
    let focused = slot.pane == state.focus;
    let shift = content::shift(state, slot.pane);
    if len == 0 {
        if let Some((role, line)) = empty(state, slot.pane) {
            let width = usize::from(slot.body.width.saturating_sub(2)).max(10);
            for (at, line) in text::wrap(&text::display(&line), width).iter().enumerate().take(usize::from(slot.body.height)) {
                let y = slot.body.y + u16::try_from(at).unwrap_or(0);
                pen.put(slot.body.x + 1, y, slot.body.width - 1, line, role);
            }
        }
        return;
    }
    // Lists show the cursor by a sign of their own; text only by its ground, which every theme has.
    let signed = match slot.pane {
        Pane::Source => false,
        Pane::Decision if state.asks_for_trust() => false,
        Pane::Decision => {
            state.current().is_some_and(|row| matches!(row.kind, ProposalKind::Change | ProposalKind::Near))
                || content::first_run(state)
        }
        _ => true,
    };
    let whole = content::doc_rows(state, slot.pane);
    for line in 0..usize::from(slot.body.height) {
        let at = list.top + line;
        let row = match &whole {
            Some(rows) => rows.get(at).map(|row| row.row.clone()),
            None => content::row(state, slot.pane, at, slot.body.width),
        };
        let Some(mut row) = row else { break };
        if let Some(search) = state.search.as_ref().filter(|search| search.pane == slot.pane) {
            mark_matches(&mut row, &search.words);
        }
        mark_secrets(&mut row);
        let here = at == list.cursor;
        if stale(state, slot.pane) && row.ground.is_none() {
            row.ground = Some(Role::Stale);
        }
        if here && focused {
            row.ground = Some(Role::Selection);
        } else if here
            && matches!(
                slot.pane,
                Pane::Functions | Pane::Calls | Pane::Runs | Pane::Diff | Pane::Intent | Pane::Journey | Pane::Specs
            )
        {
            row.ground = Some(Role::SelectionElsewhere);
        }
        let area = Rect { y: slot.body.y + u16::try_from(line).unwrap_or(0), height: 1, ..slot.body };
        pen.row(area, &row, shift);
        if here && signed {
            pen.put(area.x, area.y, 1, ">", Role::Accent);
        }
    }
}

/// Tells whether a pane rests on code that changed and is shown dim until it is new.
fn stale(state: &AppState, pane: Pane) -> bool {
    match pane {
        Pane::Decision => state.current().is_some_and(|row| row.state == ProposalState::Stale),
        Pane::Diff => behaviour::is_stale(state) || behaviour::running(state).is_some(),
        Pane::Intent | Pane::Journey => journeys::row_of(state).is_some_and(|(_, row)| row.stale),
        Pane::Steps => specs::row_of(state).is_some_and(|row| row.stale.is_some() && row.running.is_none()),
        _ => false,
    }
}

/// Shows what was kept out of the recording as what it is.
fn mark_secrets(row: &mut Row) {
    if !row.left.iter().any(|bit| bit.text.contains("‹secret:")) {
        return;
    }
    let text: String = row.left.iter().map(|bit| bit.text.as_str()).collect();
    let starts = text.match_indices("‹secret:");
    let ranges: Vec<(usize, usize)> =
        starts.filter_map(|(at, _)| text[at..].find('›').map(|end| (at, at + end + '›'.len_utf8()))).collect();
    row.mark(&ranges, Role::Unclear);
}

fn mark_matches(row: &mut Row, words: &str) {
    let text: String = row.left.iter().map(|bit| bit.text.as_str()).collect();
    let lower = text.to_lowercase();
    // Letters whose small form is longer would shift the marks; such a line stays unmarked.
    if lower.len() == text.len() && !words.is_empty() {
        let ranges: Vec<(usize, usize)> = lower.match_indices(words).map(|(at, part)| (at, at + part.len())).collect();
        row.mark(&ranges, Role::SearchMatch);
    }
}

fn empty(state: &AppState, pane: Pane) -> Option<(Role, String)> {
    let failed = |trouble: &crate::base::error::Trouble| (Role::Failing, format!("! {trouble}"));
    match pane {
        Pane::Functions => Some(if !state.filter.is_empty() {
            (Role::Text, words::filter_hides(words::own_functions(&state.snapshot), "function"))
        } else if state.snapshot.indexed {
            (Role::Text, "No Python functions in this folder.".into())
        } else {
            (Role::Dim, words::reading(state.snapshot.reading))
        }),
        Pane::Source => match &state.source.lines {
            Some(Err(trouble)) => Some(failed(trouble)),
            Some(Ok(_)) => Some((Role::Dim, "This file is empty.".into())),
            None => None,
        },
        Pane::Calls => match (&state.calls.kinds, &state.calls.function) {
            (Some(Err(trouble)), _) => Some(failed(trouble)),
            (Some(Ok(_)), Some(id)) => {
                let never = state.function(id).is_none_or(|row| row.calls == 0);
                let said = if never { words::never_called(id.qualname()) } else { words::calls_gone(id.qualname()) };
                Some((Role::Text, format!("{said} ! records, g asks a model.")))
            }
            _ => None,
        },
        Pane::Intent | Pane::Journey => match &state.journeys.loaded {
            Some(Err(trouble)) => Some(failed(trouble)),
            Some(Ok(_)) => Some((Role::Text, words::NO_CALLS_TOLD.into())),
            None if unjudged::all(state) == 0 => Some((Role::Text, words::NO_JOURNEYS.into())),
            None if unjudged::shown(state).is_some() => Some((Role::Text, words::NEVER_JUDGED.into())),
            None => None,
        },
        Pane::Specs if state.snapshot.specs.is_empty() => Some((Role::Text, words::NO_SPECS.into())),
        Pane::Specs => Some((Role::Text, words::filter_hides(state.snapshot.specs.len(), "YAML test"))),
        Pane::Steps => match &state.specs.loaded {
            Some(Err(trouble)) => Some(failed(trouble)),
            _ if state.snapshot.specs.is_empty() => Some((Role::Text, words::NO_SPECS.into())),
            _ => None,
        },
        Pane::Diff => Some((Role::Text, words::no_diff(behaviour::running(state)))),
        Pane::Recorded => match &state.recorded.rows {
            Some(Err(trouble)) => Some(failed(trouble)),
            Some(Ok(rows)) if !rows.is_empty() => Some((Role::Text, words::filter_hides(rows.len(), "call"))),
            Some(Ok(_)) if state.recording_live() => Some((Role::Text, words::NO_CALL_YET.into())),
            Some(Ok(_)) => Some((Role::Text, words::NO_CALL_KEPT.into())),
            None if state.recorded.recording.is_none() => Some((Role::Text, words::NO_RECORDING.into())),
            None => None,
        },
        Pane::Decision | Pane::Runs | Pane::Log => None,
    }
}

fn bar(state: &AppState, slot: &Slot, pen: &mut Pen<'_>) {
    let len = content::len(state, slot.pane);
    let seen = content::standing(state, slot.pane).bar(len, usize::from(slot.body.height));
    for line in 0..slot.bar.height {
        let thick = seen.as_ref().is_some_and(|seen| seen.contains(&usize::from(line)));
        pen.put(slot.bar.x, slot.bar.y + line, 1, if thick { "┃" } else { "│" }, Role::Dim);
    }
}
