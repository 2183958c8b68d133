//! The calls of a recording: one inside the other, in the order they began, with outcome, number and time.

use std::time::Duration;

use crate::base::clock;
use crate::base::text::{count, thousands};
use crate::tui::app::AppState;
use crate::tui::row::Row;
use crate::tui::theme::Role;

/// Deeper calls stand no further to the right.
const DEEPEST: u16 = 12;

/// Makes one line.
#[must_use]
pub fn row(state: &AppState, at: usize) -> Option<Row> {
    let call = state.recorded.calls().get(*state.recorded.lines.get(at)?)?;
    // Without those around them, lines of a filter stand alone.
    let depth = if state.runs_filter.is_empty() { call.depth.min(DEEPEST) } else { 0 };
    let outcome = if call.failed { Role::Failing } else { Role::Text };
    let time = clock::short(Duration::from_nanos(u64::try_from(call.duration_ns).unwrap_or(0)));
    let mut row = Row::new()
        .add(Role::Text, format!(" {}", "  ".repeat(usize::from(depth))))
        .add(Role::Accent, call.function.qualname().to_owned())
        .add(Role::Text, format!("{} ", call.arguments))
        .add(outcome, call.outcome.clone());
    if call.times > 1 {
        row = row.end(Role::Accent, format!("×{}", thousands(usize::try_from(call.times).unwrap_or(usize::MAX))));
    }
    Some(row.end(Role::Dim, format!("{time:>7}")))
}

/// Writes what stands at the right of the title.
#[must_use]
pub fn summary(state: &AppState) -> String {
    let (shown, all) = (state.recorded.lines.len(), state.recorded.calls().len());
    if state.recorded.rows.is_none() {
        return String::new();
    }
    if shown == all { count(all, "kept call") } else { format!("{} of {}", thousands(shown), count(all, "kept call")) }
}
