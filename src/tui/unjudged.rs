//! Tests with an intent that were never judged, on the screen of journeys: behind those with a verdict.

use crate::base::text;
use crate::domain::snapshot::UnjudgedRow;
use crate::tui::app::AppState;
use crate::tui::doc_row::DocRow;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Gives the test that is shown, if it was never judged, with its place behind the others.
#[must_use]
pub fn shown(state: &AppState) -> Option<(usize, &UnjudgedRow)> {
    let test = state.journeys.test.as_ref()?;
    let found = state.snapshot.unjudged.iter().enumerate().find(|(_, row)| row.test == *test);
    found.map(|(at, row)| (state.snapshot.verdicts.len() + at, row))
}

/// Counts the tests with an intent, judged or not.
#[must_use]
pub fn all(state: &AppState) -> usize {
    state.snapshot.verdicts.len() + state.snapshot.unjudged.len()
}

/// Leaves the file out of the name of a test.
#[must_use]
pub fn name(test: &str) -> &str {
    test.split_once("::").map_or(test, |(_, name)| name)
}

/// Makes the lines of the intent's pane.
#[must_use]
pub fn rows(row: &UnjudgedRow, width: usize) -> Vec<DocRow> {
    let room = width.saturating_sub(2).max(12);
    let say = |role: Role, said: &str| {
        let lines = text::wrap(&text::display_line(said), room);
        lines.into_iter().map(|line| DocRow::of(Row::new().add(role, format!(" {line}")))).collect::<Vec<_>>()
    };
    let mut out = say(Role::Accent, &row.test);
    out.extend(say(Role::Text, "◦ NEVER JUDGED"));
    out.push(DocRow::default());
    out.extend(format!("@{}", row.decorator).lines().flat_map(|line| say(Role::Text, line.trim())));
    out.push(DocRow::default());
    out.extend(say(Role::Dim, words::NEVER_JUDGED));
    out
}
