//! The calls pane: its lines, and the call that is selected.

use crate::domain::call::CallId;
use crate::tui::app::AppState;
use crate::tui::content::calls::whole_row;
use crate::tui::layout::Pane;
use crate::tui::panes::CallLine;
use crate::tui::update::source::mark_source;
use crate::tui::wrap::pieces;

/// Lists the calls with what is open in them.
pub fn list_calls(state: &mut AppState) {
    let width = state.columns(Pane::Calls);
    let here = state.calls.lines.get(state.calls.list.cursor).copied();
    let calls = &state.calls;
    let count = calls.kinds().len();
    let mut lines = Vec::with_capacity(count);
    // What an open call says is read whole: what is wider than the pane goes on below.
    let parts = |line: CallLine| whole_row(state, line).map_or(1, |row| pieces(&row, width).len());
    for at in 0..count {
        lines.push(CallLine::Call(at));
        if let Some(row) = calls.open.contains(&at).then(|| calls.call(at)).flatten() {
            lines.extend((1..parts(CallLine::Call(at))).map(|part| CallLine::Part(at, None, part)));
            let inside = row.inner.len() + row.changed.len() + usize::from(row.not_replayable.is_some());
            for line in 0..inside {
                lines.push(CallLine::Inside(at, line));
                lines.extend((1..parts(CallLine::Inside(at, line))).map(|part| CallLine::Part(at, Some(line), part)));
            }
        }
    }
    if count > 0 {
        lines.extend((0..3).map(CallLine::Foot));
    }
    let calls = &mut state.calls;
    calls.selected = calls.selected.min(count.saturating_sub(1));
    let resized = calls.width != 0 && calls.width != width;
    (calls.lines, calls.width) = (lines, width);
    if let Some(line) = here.filter(|_| resized).and_then(|here| calls.lines.iter().position(|line| *line == here)) {
        calls.list.hold(line);
    }
    mark_source(state);
}

/// Selects a call in the calls pane, where it is kept.
pub fn select_call(state: &mut AppState, call: CallId) {
    if let Some(at) = state.calls.kinds().iter().position(|kind| kind.id == call) {
        state.calls.selected = at;
        state.calls.list.cursor = state.calls.lines.iter().position(|line| *line == CallLine::Call(at)).unwrap_or(0);
        mark_source(state);
    }
}
