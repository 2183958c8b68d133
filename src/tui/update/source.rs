//! The source pane: which lines it shows, and what stands beside them.

use std::collections::BTreeMap;

use crate::base::paths::RelPath;
use crate::domain::snapshot::Mark;
use crate::domain::verdict::ClauseOutcome;
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::doc;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::JourneysPane;
use crate::tui::spec_steps::shown;
use crate::tui::specs;
use crate::tui::widgets::code;

/// Shows a line of a file in the source pane.
pub fn show_source(state: &mut AppState, path: &RelPath, line: u32) {
    if state.source.path.as_ref() != Some(path) {
        state.source.path = Some(path.clone());
        state.source.lines = None;
        state.source.shift = 0;
        state.source.list = Default::default();
    }
    state.source.goto = Some(line);
    if state.source.lines.is_some() {
        place_source(state);
    }
}

/// Puts the source pane where it was asked to be, once its text is here.
pub fn place_source(state: &mut AppState) {
    let rows = state.layout().rows(Pane::Source);
    let len = content::len(state, Pane::Source);
    if let Some(line) = state.source.goto.take_if(|_| len > 0) {
        let cursor = (line as usize).saturating_sub(1).min(len.saturating_sub(1));
        state.source.list.jump(cursor, rows);
    }
    mark_source(state);
}

/// Finds the marks and values that stand beside the source.
pub fn mark_source(state: &mut AppState) {
    state.source.marks.clear();
    state.source.values.clear();
    state.source.ran.clear();
    if state.screen == Screen::Journeys {
        state.source.edited.clear();
        mark_journey(state);
        return;
    }
    if state.screen == Screen::Specs {
        state.source.edited.clear();
        mark_spec(state);
        return;
    }
    let Some(path) = state.source.path.clone() else { return };
    for row in state.snapshot.functions.iter().filter(|row| row.path == path && row.mark != Mark::Never) {
        state.source.marks.insert(row.line, row.mark);
    }
    state.source.edited.clear();
    if let Some(change) = state.loaded().and_then(|loaded| loaded.view.proposal.change().cloned()) {
        for edit in change.because.iter().filter(|edit| edit.path == path) {
            for line in doc::edited_lines(edit) {
                state.source.marks.insert(line, Mark::Stale);
                state.source.edited.insert(line);
            }
            state.source.values.insert(edit.line, state.zone.minute(change.seen));
        }
    }
    let function = state.subject_row().filter(|row| row.path == path).cloned();
    let (Some(function), Some(Ok(lines))) = (function, &state.source.lines) else { return };
    if let Some(call) = state.calls.call(state.calls.selected) {
        let position = (state.calls.selected + 1, state.calls.kinds().len());
        let values = code::values(lines, &function, call, position);
        state.source.values.extend(values.into_iter().filter(|(line, _)| !state.source.edited.contains(line)));
    }
}

/// Marks the lines that the activation ran, and what its calls came to; where the evidence is, its name.
fn mark_journey(state: &mut AppState) {
    let JourneysPane { marks, .. } = &state.journeys;
    let (Some(path), Some(journey)) = (state.source.path.clone(), state.journeys.journey()) else { return };
    let Some(site) = state.journeys.here().and_then(|here| journey.site(here)).filter(|site| site.path == path) else { return };
    if let Some(line) = site.activation.and_then(|call| journey.line(call)) {
        state.source.ran = line.reached.iter().copied().collect();
    }
    let mut named: BTreeMap<u32, String> = BTreeMap::new();
    for (position, (outcome, _)) in marks {
        let Some(shown) = journey.site(*position).filter(|shown| shown.path == path) else { continue };
        let mark = match outcome {
            ClauseOutcome::Holds => Mark::Tested,
            ClauseOutcome::Violated => Mark::Failing,
            _ => Mark::Unclear,
        };
        state.source.marks.insert(shown.line, mark);
        if let Some(id) = journey.line(*position).and_then(|line| line.line) {
            let names = named.entry(shown.line).or_default();
            let gap = if names.is_empty() { "" } else { " " };
            names.push_str(&format!("{gap}{id}"));
        }
    }
    for call in journey.made_by(site.activation) {
        let Some(at) = journey.line(call).and_then(|line| line.at).filter(|at| !named.contains_key(at)) else { continue };
        if let Some(outcome) = journey.outcome(call) {
            state.source.values.insert(at, outcome);
        }
    }
    state.source.values.extend(named);
}

/// Marks the lines of steps by what came of them.
fn mark_spec(state: &mut AppState) {
    let Some(view) = state.specs.view() else { return };
    if state.source.path.as_ref() != Some(&view.row.file) {
        return;
    }
    let mut marks: Vec<(u32, Mark)> = shown(view).iter().filter_map(|step| Some((step.line, specs::mark(step)?))).collect();
    marks.extend(view.mistakes.iter().map(|mistake| (mistake.line, Mark::Error)));
    // Of several rounds in one line the worst counts.
    marks.sort();
    for (line, mark) in marks {
        state.source.marks.entry(line).or_insert(mark);
    }
}
