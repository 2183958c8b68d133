//! The source pane: marks at the left, code, after it what the line gave in the selected call; code that did not run is dim.

use crate::base::text;
use crate::tui::app::AppState;
use crate::tui::glyphs;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::code;

/// Columns below which a value that was cut is left out.
const STUMP: usize = 10;

/// Columns of the mark and of the number of a line.
const FIXED: usize = 7;

/// Cuts a value to its room; a stump of one says nothing.
fn cut(value: &str, room: usize) -> Option<String> {
    let value = text::cut(&text::display_line(value), room).into_owned();
    (!value.is_empty() && (!value.ends_with('…') || text::width(&value) >= STUMP)).then_some(value)
}

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
    let ran = || match state.source.failed.contains(&number) {
        true => Some(("↑", Role::Failing)),
        false => state.source.ran.contains(&number).then_some(("·", Role::Accent)),
    };
    let mark = mark.or_else(ran);
    let code = text::width(&text::display_line(&line.text)).saturating_sub(state.source.shift);
    let room = usize::from(width).saturating_sub(code + FIXED);
    let gave = state.source.gave.get(&number).and_then(|gave| cut(gave, room.saturating_sub(3)));
    let room = room.saturating_sub(gave.as_ref().map_or(0, |gave| text::width(gave) + 2) + 3);
    let mut bits = line.bits();
    if state.source.missed.contains(&number) {
        bits.iter_mut().for_each(|bit| bit.role = Role::Dim);
    }
    let mut row = code::source_row(at + 1, bits, mark, gave.as_deref());
    if let Some(value) = state.source.values.get(&number).and_then(|value| cut(value, room)) {
        row = row.end(Role::Dim, value);
    }
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
