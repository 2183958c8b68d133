//! The Log screen: what happened, the newest first, each entry as long as it is.

use crate::base::text;
use crate::domain::event::Level;
use crate::domain::snapshot::LogRow;
use crate::tui::app::AppState;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::layout::Pane;
use crate::tui::row::Row;
use crate::tui::theme::Role;

/// Columns of time, sign and word before the text.
const HEAD: usize = 21;
/// Columns the text has at least; below, its further lines stand at the left.
const TEXT: usize = 34;
/// Rows of an entry that are shown; `v` shows it whole.
const ROWS: usize = 4;

/// Makes all lines.
#[must_use]
pub fn rows(state: &AppState) -> Vec<DocRow> {
    let mut out = Vec::new();
    let width = state.columns(Pane::Log).saturating_sub(1);
    for (index, row) in state.snapshot.log.iter().enumerate().filter(|(_, row)| state.log_filter.takes_log(row)) {
        entry(state, index, row, width, &mut out);
    }
    if out.is_empty() {
        let text =
            if state.log_filter.is_empty() { " Nothing happened yet." } else { " The filter hides all entries. F clears it." };
        out.push(DocRow::of(Row::plain(text)));
    }
    if let Some(file) = &state.log_file {
        out.push(DocRow::default());
        out.push(DocRow::of(Row::new().add(Role::Dim, format!(" The whole log: {file}"))));
    }
    out
}

fn entry(state: &AppState, index: usize, row: &LogRow, width: usize, out: &mut Vec<DocRow>) {
    let (sign, role) = match row.level {
        Level::Info | Level::Done => (" ", Role::Text),
        Level::Warning => ("~", Role::Warning),
        Level::Error => ("!", Role::Failing),
    };
    let room = width.saturating_sub(HEAD).max(8);
    // On a narrow screen the first line stands beside the time, the others below it with more room.
    let indent = if room < TEXT { 3 } else { HEAD };
    let (first, rest) = break_first(&text::display_line(row.text.for_people()), room, width.saturating_sub(indent).max(8));
    let about = About::Log(index);
    let line = Row::new()
        .add(Role::Dim, format!(" {} ", state.zone.second(row.at)))
        .add(role, format!("{sign}{:<9} ", row.word))
        .add(Role::Text, first);
    out.push(DocRow { row: line, about: about.clone(), stop: true, changed: false });
    let more =
        row.more.iter().flat_map(|line| text::wrap(&text::display_line(line.for_people()), width.saturating_sub(indent).max(8)));
    let below = rest.into_iter().map(|line| (Role::Text, line)).chain(more.map(|line| (Role::Dim, line)));
    for (role, line) in below.take(ROWS) {
        let row = Row::new().add(role, format!("{:indent$}{line}", ""));
        out.push(DocRow { row, about: about.clone(), ..DocRow::default() });
    }
}

/// Breaks a text into a first line of one width and further ones of another.
fn break_first(text: &str, first: usize, others: usize) -> (String, Vec<String>) {
    let lines = text::wrap(text, first);
    let head = lines.first().cloned().unwrap_or_default();
    let rest = text.get(head.len()..).unwrap_or_default().trim_start();
    let rest = if rest.is_empty() { Vec::new() } else { text::wrap(rest, others) };
    (head, rest)
}

/// Makes line 2: how many entries there are, and how many tell of trouble.
#[must_use]
pub fn line(state: &AppState) -> (String, Vec<String>) {
    let all = state.snapshot.log.len();
    let shown: Vec<&LogRow> = state.snapshot.log.iter().filter(|row| state.log_filter.takes_log(row)).collect();
    let noun = if all == 1 { "entry" } else { "entries" };
    let of = if shown.len() == all { format!("{all} {noun}") } else { format!("{} of {all} {noun}", shown.len()) };
    let number = |level: Level| shown.iter().filter(|row| row.level == level).count();
    let (errors, warnings) = (number(Level::Error), number(Level::Warning));
    let said = [(errors, "!"), (warnings, "~")].into_iter().filter(|(number, _)| *number > 0);
    let said: Vec<String> = said.map(|(number, sign)| format!("{number} {sign}")).collect();
    (format!(" log  {of}"), vec![said.join("  ")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_long_entry_is_lost_where_it_breaks() {
        let text = "recording 7: 214 calls of 11 functions, exit 0, and a_word_that_is_longer_than_any_line_may_be_here";
        let (first, rest) = break_first(text, 20, 30);
        assert!(text::width(&first) <= 20 && rest.iter().all(|line| text::width(line) <= 30), "{first:?} {rest:?}");
        let joined: String = std::iter::once(first).chain(rest).collect::<String>().replace(' ', "");
        assert_eq!(joined, text.replace(' ', ""));
        assert_eq!(break_first("short", 20, 30), ("short".into(), vec![]));
    }
}
