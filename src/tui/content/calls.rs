//! The calls pane: equal inputs together, with outcome, number and time; open ones show what they called and changed.

use std::time::Duration;

use crate::base::clock;
use crate::base::text::{self, count};
use crate::domain::call::COUNTED;
use crate::domain::reason::Reason;
use crate::tui::app::AppState;
use crate::tui::panes::CallLine;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::wrap::pieces;

/// Makes one shown line.
#[must_use]
pub fn row(state: &AppState, at: usize) -> Option<Row> {
    let line = *state.calls.lines.get(at)?;
    let (whole, piece) = match line {
        CallLine::Part(call, None, piece) => (whole_row(state, CallLine::Call(call))?, piece),
        CallLine::Part(call, Some(inside), piece) => (whole_row(state, CallLine::Inside(call, inside))?, piece),
        CallLine::Call(call) if !state.calls.open.contains(&call) => return whole_row(state, line),
        line => (whole_row(state, line)?, 0),
    };
    pieces(&whole, state.calls.width).into_iter().nth(piece)
}

/// Makes a line, however long it is.
#[must_use]
pub fn whole_row(state: &AppState, line: CallLine) -> Option<Row> {
    match line {
        CallLine::Part(..) => None,
        CallLine::Call(index) => {
            let fold = if state.calls.open.contains(&index) { "▾" } else { "▸" };
            let Some(call) = state.calls.call(index) else { return Some(Row::new().add(Role::Dim, format!(" {fold} …"))) };
            let outcome = if call.failed { Role::Failing } else { Role::Text };
            let time = clock::short(Duration::from_nanos(u64::try_from(call.duration_ns).unwrap_or(0)));
            let mut row = Row::new().add(Role::Text, format!(" {fold} ")).fix();
            if let Some(receiver) = &call.receiver {
                row = row.add(Role::Dim, format!("{receiver} "));
            }
            Some(
                row.add(Role::Text, format!("{} ", call.arguments))
                    .add(outcome, call.outcome.clone())
                    .end(Role::Accent, format!("×{}", text::thousands(usize::try_from(call.times).unwrap_or(usize::MAX))))
                    .end(Role::Dim, format!("{time:>7}")),
            )
        }
        CallLine::Inside(index, line) => {
            let call = state.calls.call(index)?;
            if let Some(inner) = call.inner.get(line) {
                return Some(Row::new().add(Role::Dim, format!("     {inner}")));
            }
            let line = line - call.inner.len();
            if let Some(changed) = call.changed.get(line) {
                return Some(Row::new().add(Role::Text, format!("     changed {changed}")));
            }
            let why = call.not_replayable.as_ref().map(Reason::message).unwrap_or_default();
            Some(Row::new().add(Role::Dim, format!("   - not run again: {why}")))
        }
        CallLine::Foot(line) => {
            let Some(call) = state.calls.call(state.calls.selected) else { return Some(Row::new()) };
            Some(match line {
                0 => Row::new(),
                1 => match &call.caller {
                    Some(caller) => Row::new().add(Role::Dim, format!("   called from {caller}")),
                    None => Row::new().add(Role::Dim, "   called from outside the project"),
                },
                _ => {
                    let recording = state.snapshot.recordings.iter().find(|row| row.id == call.recording);
                    let command = recording.map(|row| format!(" · {}", text::command_line(&row.command))).unwrap_or_default();
                    let when = recording.map(|row| format!(" · {}", state.zone.day(row.started, state.now))).unwrap_or_default();
                    let thread = if call.thread == 0 { "main".to_owned() } else { call.thread.to_string() };
                    Row::new().add(Role::Dim, format!("   recording {}{command} · thread {thread}{when}", call.recording.0))
                }
            })
        }
    }
}

/// Writes how many calls were counted, and that there were more: `4 337+ calls`.
#[must_use]
pub fn counted(calls: u64, at_least: bool) -> String {
    let told = count(usize::try_from(calls).unwrap_or(usize::MAX), "call");
    match told.rsplit_once(' ').filter(|_| at_least) {
        Some((number, noun)) => format!("{number}+ {noun}"),
        None => told,
    }
}

/// Writes what stands at the right of the title.
#[must_use]
pub fn summary(state: &AppState) -> String {
    let calls = state.calls.kinds();
    let all: u64 = calls.iter().map(|kind| kind.times).sum();
    let at_least = all > COUNTED;
    let all = counted(all, at_least);
    if calls.is_empty() { String::new() } else { format!("{all}, {}", count(calls.len(), "kind")) }
}
