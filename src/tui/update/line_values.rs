//! What each line gave in the selected call: asked for once a call is selected and its source is in sight, forgotten once it may
//! be another.

use std::sync::Arc;

use crate::base::sentence::Sentence;
use crate::domain::call::CallId;
use crate::domain::line_values::LineValues;
use crate::domain::snapshot::Trust;
use crate::tui::app::{AppState, Effect};
use crate::tui::layout::{Pane, Screen};
use crate::tui::update::source::mark_source;

/// Finds the call whose lines are in sight.
fn wanted(state: &AppState) -> Option<CallId> {
    let shows = matches!(state.screen, Screen::Review | Screen::Diff) && state.layout().slot(Pane::Source).is_some();
    if !shows || state.snapshot.trust != Trust::Trusted {
        return None;
    }
    let function = state.subject_row().filter(|row| Some(&row.path) == state.source.path.as_ref())?;
    let call = state.calls.call(state.calls.selected)?;
    (state.calls.function.as_ref() == Some(&function.id)).then_some(call.id)
}

/// Asks for the lines of another call, or for none any more.
pub fn ask(state: &mut AppState, out: &mut Vec<Effect>) {
    let wanted = wanted(state);
    let old = std::mem::take(&mut state.source.follow_again);
    if state.source.followed == wanted && !old {
        return;
    }
    let had = state.source.line_values.take().is_some();
    state.source.followed = wanted;
    out.push(Effect::FollowCall(wanted));
    if had {
        mark_source(state);
    }
}

/// Takes what the lines gave; of a call that is not selected any more it is dropped.
pub fn take(state: &mut AppState, call: CallId, lines: Result<Arc<LineValues>, Sentence>) {
    if state.source.followed == Some(call) {
        state.source.line_values = Some(lines);
        mark_source(state);
    }
}
