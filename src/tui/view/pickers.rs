//! Lists to choose from while one types: the palette, the queue, and the keys of this place.

use crate::base::text;
use crate::tui::action::{self, Action};
use crate::tui::app::AppState;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::line_edit::typed;
use crate::tui::widgets::picker::{Choice, Picker};

/// Rows of the queue that are shown before the rest is counted.
const QUEUE_SHOWN: usize = 20;
/// Columns of the group's name in the overview of the keys.
const GROUP: usize = 8;

/// The overview of the keys: what a person wants to do, and the actions for it.
pub const GROUPS: [(&str, &[Action]); 7] = {
    use Action as A;
    [
        (
            "decide",
            &[A::Accept, A::Reject, A::Skip, A::Overrule, A::AcceptAll, A::RejectAll, A::Edit, A::EditHere, A::Undo, A::Redo],
        ),
        ("ask", &[A::DiffAgainst, A::Ask, A::AskWithRemark, A::GetModel, A::Again, A::AgainAll, A::Cancel, A::Why]),
        ("look", &[A::Enter, A::View, A::Compare, A::Definition, A::Calls, A::PreviousItem, A::NextItem]),
        (
            "move",
            &[
                A::NextProposal,
                A::PreviousProposal,
                A::Queue,
                A::Down,
                A::Up,
                A::Left,
                A::Right,
                A::PageDown,
                A::PageUp,
                A::HalfDown,
                A::HalfUp,
                A::First,
                A::Last,
                A::NextPane,
                A::PreviousPane,
                A::Back,
                A::Forward,
            ],
        ),
        (
            "find",
            &[
                A::Search,
                A::NextMatch,
                A::PreviousMatch,
                A::Filter,
                A::ClearFilter,
                A::Palette,
                A::Help,
                A::Review,
                A::Journeys,
                A::Specs,
                A::Runs,
                A::Log,
                A::Diff,
            ],
        ),
        ("record", &[A::Record, A::Pause]),
        ("screen", &[A::Copy, A::Zoom, A::Narrower, A::Wider, A::Redraw, A::Suspend, A::Close, A::Quit]),
    ]
};

/// Makes the lines of the palette.
#[must_use]
pub fn palette(picker: &Picker, tall: usize) -> Vec<Row> {
    let mut out = vec![head(":", picker)];
    let line = |choice: &Choice, mark: &str| {
        let row = Row::new().add(Role::Accent, mark);
        let row = match &choice.blocked {
            Some(why) => row.add(Role::Dim, format!("not now: {} ({why})", choice.title)),
            None => row.add(Role::Text, choice.title.clone()),
        };
        row.end(Role::Accent, choice.key.clone())
    };
    out.extend(list(picker, tall.saturating_sub(1), usize::MAX, line));
    out
}

/// Makes the lines of the queue: what it is about (in so many columns at most), what it is, where it stands.
#[must_use]
pub fn queue(picker: &Picker, tall: usize, widest: usize) -> Vec<Row> {
    let mut out = vec![head("/", picker)];
    let most = if picker.line.text.is_empty() { QUEUE_SHOWN } else { usize::MAX };
    let wide = picker.all.iter().map(|choice| text::width(&text::display_line(&choice.title))).max().unwrap_or(0).min(widest);
    let line = |choice: &Choice, mark: &str| {
        Row::new()
            .add(Role::Accent, mark)
            .add(Role::Text, text::fit(&text::display_line(&choice.title), wide))
            .add(Role::Dim, format!("  {}", choice.detail))
            .end(Role::Accent, choice.key.clone())
    };
    let room = tall.saturating_sub(2);
    out.extend(list(picker, room, most, line));
    let shown = picker.shown.len().min(most.max(picker.list.cursor + 1)).min(room.max(picker.list.cursor + 1));
    if shown < picker.shown.len() {
        out.push(Row::new().add(Role::Dim, format!("   and {} more: type to find them", picker.shown.len() - shown)));
    }
    out
}

/// Makes the lines of the help: an overview of all keys, or those that fit what was typed, with what they do.
#[must_use]
pub fn help(state: &AppState, picker: &Picker, tall: usize) -> Vec<Row> {
    let mut out = vec![head("/", picker)];
    let room = tall.saturating_sub(1);
    if picker.line.text.trim().is_empty() {
        let all = overview(state);
        let top = picker.list.cursor.min(all.len().saturating_sub(room));
        out.extend(all.into_iter().skip(top).take(room));
        return out;
    }
    let widest = |of: fn(&Choice) -> &str| {
        let widths = picker.shown.iter().filter_map(|at| picker.all.get(*at)).map(|choice| text::width(of(choice)));
        widths.max().unwrap_or(0)
    };
    let (keys, words) = (widest(|choice| &choice.key), widest(|choice| &choice.title));
    let line = |choice: &Choice, mark: &str| {
        Row::new()
            .add(Role::Accent, mark)
            .add(Role::Accent, text::fit(&choice.key, keys))
            .add(Role::Text, format!("  {}", text::fit(&choice.title, words)))
            .add(Role::Dim, format!("  {}", choice.detail))
    };
    out.extend(list(picker, room, usize::MAX, line));
    out
}

fn overview(state: &AppState) -> Vec<Row> {
    let width = usize::from(state.size.0).saturating_sub(1);
    let mut out = Vec::new();
    for (name, actions) in GROUPS {
        let mut row = Row::new().add(Role::Dim, format!(" {name:<GROUP$}"));
        let mut used = GROUP + 1;
        let mut empty = true;
        for action in actions {
            let Some(entry) = action::find(*action) else { continue };
            if entry.context == action::Context::Decide && !state.screen.decides() {
                continue;
            }
            let Some(key) = state.keymap.key_of(*action) else { continue };
            let wide = text::width(&key) + text::width(entry.word) + 3;
            if used + wide > width && !empty {
                out.push(std::mem::replace(&mut row, Row::new().add(Role::Dim, " ".repeat(GROUP + 1))));
                used = GROUP + 1;
            }
            row = row.add(Role::Accent, key).add(Role::Text, format!(" {}  ", entry.word));
            used += wide;
            empty = false;
        }
        if !empty {
            out.push(row);
        }
    }
    out
}

fn head(sign: &str, picker: &Picker) -> Row {
    typed(sign, &picker.line).end(Role::Dim, format!("{} of {}", picker.shown.len(), picker.all.len()))
}

fn list(picker: &Picker, room: usize, most: usize, line: impl Fn(&Choice, &str) -> Row) -> Vec<Row> {
    let cursor = picker.list.cursor;
    let top = (cursor + 1).saturating_sub(room);
    let mut out = Vec::new();
    for (at, index) in picker.shown.iter().enumerate().take(most.max(cursor + 1)).skip(top).take(room) {
        let Some(choice) = picker.all.get(*index) else { continue };
        let row = line(choice, if at == cursor { " > " } else { "   " });
        out.push(if at == cursor { row.on(Role::Selection) } else { row });
    }
    if picker.shown.is_empty() {
        out.push(Row::new().add(Role::Dim, "   Nothing fits these words. Esc closes, Ctrl-u clears."));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::{Context, TABLE};

    #[test]
    fn the_overview_names_every_key_of_the_workbench_once() {
        let grouped: Vec<Action> = GROUPS.iter().flat_map(|(_, actions)| actions.iter().copied()).collect();
        for entry in TABLE.iter().filter(|entry| Context::PATHS[0].contains(&entry.context)) {
            let times = grouped.iter().filter(|action| **action == entry.action).count();
            assert_eq!(times, 1, "{:?}", entry.action);
        }
    }
}
