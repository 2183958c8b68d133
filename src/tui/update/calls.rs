//! The calls pane: its lines, and the call that is selected.

use crate::domain::call::CallId;
use crate::tui::app::AppState;
use crate::tui::panes::CallLine;
use crate::tui::update::source::mark_source;

/// Lists the calls with what is open in them.
pub fn list_calls(state: &mut AppState) {
    let calls = &mut state.calls;
    let count = calls.kinds().len();
    calls.selected = calls.selected.min(count.saturating_sub(1));
    let mut lines = Vec::with_capacity(count);
    for at in 0..count {
        lines.push(CallLine::Call(at));
        if let Some(row) = calls.open.contains(&at).then(|| calls.call(at)).flatten() {
            let inside = row.inner.len() + row.changed.len() + usize::from(row.not_replayable.is_some());
            lines.extend((0..inside).map(|line| CallLine::Inside(at, line)));
        }
    }
    if count > 0 {
        lines.extend((0..3).map(CallLine::Foot));
    }
    calls.lines = lines;
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
