//! The source pane: marks at the left, code, values of the selected call at the right.

use crate::base::text;
use crate::tui::app::AppState;
use crate::tui::glyphs;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::code;

/// Columns below which a value that was cut is left out.
const STUMP: usize = 10;

/// Makes one line.
#[must_use]
pub fn row(state: &AppState, at: usize, width: u16) -> Option<Row> {
    let Some(Ok(lines)) = &state.source.lines else { return None };
    let line = lines.get(at)?;
    let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
    let mark = state.source.marks.get(&number).map(|mark| {
        let (sign, role, _) = glyphs::of_mark(*mark);
        (sign, role)
    });
    let mark = mark.or_else(|| state.source.ran.contains(&number).then_some(("·", Role::Accent)));
    let used = text::width(&text::display_line(&line.text)) + 7;
    let room = usize::from(width).saturating_sub(used + 3);
    let value = state.source.values.get(&number).map(|value| text::cut(&text::display_line(value), room).into_owned());
    // A stump of a value says nothing.
    let value = value.filter(|value| !value.ends_with('…') || text::width(value) >= STUMP);
    let mut row = code::source_row(at + 1, line, mark, value.as_deref());
    if state.source.edited.contains(&number) {
        row.ground = Some(Role::Evidence);
    }
    Some(row)
}

/// Writes what stands at the right of the title: the file and the line.
#[must_use]
pub fn place(state: &AppState, short: bool) -> String {
    let Some(path) = &state.source.path else { return String::new() };
    let name = if short { path.file_name() } else { path.as_str() };
    format!("{name}:{}", state.source.list.cursor + 1)
}
