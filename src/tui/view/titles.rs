//! The title line of a column: its pane or tabs at the left, what is in it at the right.

use crate::base::text::{self, count};
use crate::domain::proposal::{Body, ProposalKind};
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::content::{calls, functions, recorded, source};
use crate::tui::journeys;
use crate::tui::layout::{Pane, Slot};
use crate::tui::row::Row;
use crate::tui::specs;
use crate::tui::theme::Role;

/// Columns below which what stands at the right of a title is left out rather than cut.
const COUNT: usize = 12;

/// Gives the word of a pane, as its tab and title say it.
#[must_use]
pub fn pane_word(state: &AppState, pane: Pane) -> &'static str {
    match pane {
        Pane::Functions => "Functions",
        Pane::Source => "Source",
        Pane::Calls => "Calls",
        Pane::Decision => match state.current() {
            _ if state.asks_for_trust() => "Trust",
            _ if start::is_followed(state) => "Recording",
            _ if content::first_run(state) => "Start",
            Some(row) if row.kind == ProposalKind::Change => "Change",
            Some(row) if row.kind == ProposalKind::Near => "Near",
            Some(row) if row.kind == ProposalKind::Verdict => "Verdict",
            Some(row) if row.kind == ProposalKind::Spec => "YAML test",
            Some(_) => "Draft",
            None => "Draft",
        },
        Pane::Intent => "Intent",
        Pane::Journey => "Journey",
        Pane::Specs => "Specs",
        Pane::Steps => "Steps",
        Pane::Runs => "Runs",
        Pane::Recorded => "Calls",
        Pane::Log => "Log",
        Pane::Diff => "Diff",
    }
}

/// Makes the title line of a column.
#[must_use]
pub fn title(state: &AppState, slot: &Slot) -> Row {
    let focused = slot.pane == state.focus;
    let (rule, role) = if focused { ("━", Role::Focus) } else { ("─", Role::Dim) };
    let mut left = String::new();
    if slot.tabs.len() > 1 {
        for pane in &slot.tabs {
            let word = pane_word(state, *pane);
            let word = if *pane == slot.pane { format!("[{word}]") } else { word.to_owned() };
            left.push_str(&word);
            left.push(' ');
        }
        left.pop();
    } else if let (Pane::Calls, Some(id)) = (slot.pane, &state.calls.function) {
        left = format!("Calls of {}", text::display_line(id.qualname()));
    } else if let (Pane::Recorded, Some(id)) = (slot.pane, state.recorded.recording) {
        left = format!("Calls of recording {}", id.0);
    } else if slot.pane == Pane::Runs {
        left = "Recordings and jobs".to_owned();
    } else if slot.pane == Pane::Intent {
        left = "Intent and clauses".to_owned();
    } else {
        left = pane_word(state, slot.pane).to_owned();
    }
    let inner = usize::from(slot.title.width).saturating_sub(1);
    let right = title_right(state, slot);
    // A filter is in sight as long as it hides something; its words give way, never the chip.
    let chip = chip(state, slot, inner.saturating_sub(text::width(&left) + 5));
    let left = text::cut(&format!("{left}{chip}"), inner.saturating_sub(4)).into_owned();
    let room = inner.saturating_sub(text::width(&left) + 6);
    // The place of a long path is said by its start: how much changes. Of two numbers the one of the lines is said whole.
    let shorter = match slot.pane {
        Pane::Decision => right.split_once(" in ").map(|(size, _)| size),
        Pane::Calls => right.split_once(", ").map(|(_, kinds)| kinds),
        _ => None,
    };
    let right = shorter.filter(|_| text::width(&right) > room).map_or(right.clone(), str::to_owned);
    let right = if room < 4 || (text::width(&right) > room && room < COUNT) {
        String::new()
    } else {
        text::cut(&right, room).into_owned()
    };
    let used = text::width(&left) + 4 + if right.is_empty() { 0 } else { text::width(&right) + 2 };
    let fill = rule.repeat(inner.saturating_sub(used));
    let end = if right.is_empty() { format!("{fill}{rule}") } else { format!("{fill} {right} {rule}") };
    let corner = match (slot.title.x + slot.title.width == state.size.0, slot.title.y > 2) {
        (_, true) => "│",
        (true, _) => "┐",
        _ => "┬",
    };
    Row::new().add(role, format!("{rule} {left} {end}")).add(Role::Dim, corner).flush()
}

/// Writes the filter of what stands in a column, with the key that clears it.
fn chip(state: &AppState, slot: &Slot, room: usize) -> String {
    let filter = match slot.pane {
        Pane::Log => &state.log_filter,
        _ if slot.tabs.contains(&Pane::Recorded) => &state.runs_filter,
        _ if slot.tabs.contains(&Pane::Functions) || slot.tabs.contains(&Pane::Specs) => &state.filter,
        _ => return String::new(),
    };
    if filter.is_empty() {
        return String::new();
    }
    let long = format!(" [filter: {} ×F]", text::display_line(&filter.text));
    if text::width(&long) <= room {
        return long;
    }
    format!(" [{} ×F]", text::cut(&text::display_line(&filter.text), room.saturating_sub(6).max(3)))
}

/// Tells whether a column of a title line is on the filter that stands there.
#[must_use]
pub fn on_chip(state: &AppState, slot: &Slot, x: u16) -> bool {
    let title: String = title(state, slot).left.iter().map(|bit| bit.text.as_str()).collect();
    let Some(end) = title.find("×F]") else { return false };
    let Some(start) = title[..end].rfind(" [") else { return false };
    let (from, to) = (text::width(&title[..start]) + 1, text::width(&title[..end]) + 3);
    (from..to).contains(&usize::from(x.saturating_sub(slot.title.x)))
}

/// Finds the tab at a column of a title line.
#[must_use]
pub fn tab_at(state: &AppState, slot: &Slot, x: u16) -> Option<Pane> {
    if slot.tabs.len() < 2 {
        return None;
    }
    let mut at = usize::from(slot.title.x) + 2;
    for pane in &slot.tabs {
        let wide = text::width(pane_word(state, *pane)) + if *pane == slot.pane { 2 } else { 0 };
        if (at..at + wide).contains(&usize::from(x)) {
            return Some(*pane);
        }
        at += wide + 1;
    }
    None
}

fn title_right(state: &AppState, slot: &Slot) -> String {
    match slot.pane {
        Pane::Functions => functions::count(state),
        Pane::Source => source::place(state, slot.tabs.len() > 1),
        Pane::Calls => calls::summary(state),
        Pane::Decision => decision_right(state, slot),
        Pane::Runs => (state.snapshot.recordings.len() + state.snapshot.jobs.len()).to_string(),
        Pane::Recorded if slot.tabs.len() > 1 => {
            let of = state.recorded.recording.map(|id| format!("recording {} · ", id.0)).unwrap_or_default();
            format!("{of}{}", recorded::summary(state))
        }
        Pane::Recorded => recorded::summary(state),
        Pane::Log => match state.log.top {
            0 => "newest first".into(),
            _ => "newer above, < shows them".into(),
        },
        Pane::Intent => {
            state.journeys.journey().map_or_else(String::new, |journey| journeys::holding(&journey.view.judged.verdict))
        }
        Pane::Journey => journeys::journey_right(state),
        Pane::Specs => count(state.snapshot.specs.len(), "test"),
        Pane::Steps => specs::steps_right(state),
        Pane::Diff => state.diff.shown.as_ref().map_or_else(String::new, |diff| count(diff.functions.len(), "function")),
    }
}

fn decision_right(state: &AppState, slot: &Slot) -> String {
    if state.asks_for_trust() || content::first_run(state) || start::is_followed(state) {
        return String::new();
    }
    if state.streaming().is_some() {
        let len = content::len(state, Pane::Decision);
        let below = len.saturating_sub(state.decision.list.top + usize::from(slot.body.height));
        return if below > 0 && !state.decision.follow {
            format!("{} below", count(below, "line"))
        } else {
            format!("line {}", state.decision.stream.len())
        };
    }
    let Some(loaded) = state.loaded() else { return String::new() };
    let (added, removed) = loaded.size;
    match state.decision.compare {
        crate::tui::doc::Compare::Whole => return "whole text, = compares".into(),
        crate::tui::doc::Compare::Draft => return "yours against the draft".into(),
        crate::tui::doc::Compare::Other => return "against the other draft".into(),
        crate::tui::doc::Compare::Disk => {}
    }
    match (loaded.view.plan.as_slice(), &loaded.view.proposal.body) {
        // Its last line says it.
        ([], Body::Change(_) | Body::Near(_)) => String::new(),
        ([], Body::Verdict(_)) => "no file is written".into(),
        ([], Body::Draft(draft)) => format!("for {}", draft.target),
        ([], Body::Spec(spec)) => format!("for {}", spec.test.path),
        ([one], _) => format!("+{added} -{removed} in {}", one.path),
        (many, _) => format!("+{added} -{removed} in {}", count(many.len(), "file")),
    }
}
