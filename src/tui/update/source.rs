//! The source pane: which lines it shows, and what stands beside them.

use std::collections::BTreeMap;

use crate::base::paths::RelPath;
use crate::domain::snapshot::{FunctionRow, Mark};
use crate::domain::verdict::ClauseOutcome;
use crate::generate::news::edited_lines;
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::JourneysPane;
use crate::tui::spec_steps::shown;
use crate::tui::specs;
use crate::tui::widgets::code;
use crate::tui::words;

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
        // The function begins near the top, so that its body is in sight.
        let around =
            |row: &&FunctionRow| Some(&row.path) == state.source.path.as_ref() && row.lines.0 <= line && line <= row.lines.1;
        let begins = state.snapshot.functions.iter().rfind(around).map(|row| (row.lines.0 as usize).saturating_sub(2));
        if let Some(top) = begins.filter(|top| cursor < top + rows) {
            state.source.list.top = top;
        }
    }
    mark_source(state);
}

/// Finds the marks and values that stand beside the source.
pub fn mark_source(state: &mut AppState) {
    let source = &mut state.source;
    source.marks.clear();
    source.values.clear();
    source.gave.clear();
    source.ran.clear();
    source.missed.clear();
    source.failed.clear();
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
    if let Some(proposal) = state.loaded().map(|loaded| loaded.view.proposal.clone()) {
        let seen = proposal.change().map(|change| change.seen);
        for edit in proposal.because().iter().filter(|edit| edit.path == path) {
            for line in edited_lines(edit) {
                state.source.marks.insert(line, Mark::Stale);
                state.source.edited.insert(line);
            }
            if let Some(seen) = seen {
                state.source.values.insert(edit.line, state.zone.minute(seen));
            }
        }
    }
    let function = state.subject_row().filter(|row| row.path == path).cloned();
    let (Some(function), Some(Ok(lines))) = (function, &state.source.lines) else { return };
    if let Some(call) = state.calls.call(state.calls.selected) {
        let mut gave = code::values(lines, &function, call);
        let mut which = format!("call {} of {}", state.calls.selected + 1, state.calls.kinds().len());
        let source = &mut state.source;
        match &source.line_values {
            Some(Ok(seen)) => {
                gave.extend(seen.texts.clone());
                (source.ran, source.missed, source.failed) = (seen.ran.clone(), seen.missed.clone(), seen.failed.clone());
                if seen.is_cut {
                    which.push_str(words::FOLLOWED_IN_PART);
                }
            }
            Some(Err(why)) => which.push_str(&words::not_run_again(why.for_people())),
            None => {}
        }
        source.gave = gave;
        source.values.entry(function.line.max(1)).or_insert(which);
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
