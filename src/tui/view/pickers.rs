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
/// Columns of the group's name in the table of the keys.
const GROUP: usize = 8;
/// Columns from which the palette says what its actions do.
const DETAIL: usize = 70;
/// Columns from which the marks stand beside the keys, and those that they take.
const BESIDE: usize = 130;
const LEGEND: usize = 48;

/// Every mark of the screen, and what it means.
pub const MARKS: [(&str, Role, &str); 20] = [
    ("◦", Role::Accent, "recorded, and no test yet"),
    ("✓", Role::Tested, "tested and verified, or passed"),
    ("✗", Role::Failing, "failing, or the result changed"),
    ("~", Role::Stale, "stale: the code changed since"),
    ("?", Role::Unclear, "unclear: nobody could decide it"),
    ("!", Role::Failing, "a tool or a file has an error"),
    ("»", Role::Running, "running now"),
    ("⋯", Role::Waiting, "waits, or lines are left out"),
    ("-", Role::Dim, "no test possible: w says why"),
    ("⊘", Role::Dim, "overridden, or cancelled"),
    ("blank", Role::Dim, "never called in a recording"),
    ("1d 1c", Role::Accent, "drafts and changes that wait"),
    ("×3", Role::Accent, "seen so many times"),
    ("·", Role::Accent, "this line ran; dim code did not"),
    ("↑", Role::Failing, "an exception rose here, or passed"),
    ("▸ ▾", Role::Text, "folded, open"),
    (">", Role::Accent, "the selected line"),
    ("↳", Role::Dim, "the line above goes on"),
    ("…", Role::Dim, "cut here: v shows all of it"),
    ("━ ┃", Role::Focus, "focused pane; the part you see"),
];

/// The overview of the keys: what a person wants to do, and the actions for it.
pub const GROUPS: [(&str, &[Action]); 7] = {
    use Action as A;
    [
        (
            "decide",
            &[
                A::Accept,
                A::Reject,
                A::Skip,
                A::Overrule,
                A::KeepTest,
                A::AcceptAll,
                A::RejectAll,
                A::Edit,
                A::EditHere,
                A::Undo,
                A::Redo,
            ],
        ),
        ("ask", &[A::DiffAgainst, A::Ask, A::AskWithRemark, A::GetModel, A::Again, A::AgainAll, A::Cancel, A::Why]),
        ("look", &[A::Enter, A::View, A::Compare, A::Definition, A::Calls, A::TestsThrough, A::PreviousItem, A::NextItem]),
        (
            "move",
            &[
                A::NextProposal,
                A::PreviousProposal,
                A::Queue,
                A::GoToFunction,
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
        ("screen", &[A::Copy, A::Settings, A::Zoom, A::Narrower, A::Wider, A::Redraw, A::Suspend, A::Close, A::Quit]),
    ]
};

/// Makes the lines of the palette: what an action is called, what it does where there is room, its keys.
#[must_use]
pub fn palette(picker: &Picker, tall: usize, width: usize) -> Vec<Row> {
    let mut out = vec![head(":", picker)];
    let wide = picker.all.iter().map(|choice| text::width(&choice.title)).max().unwrap_or(0);
    let line = |choice: &Choice, mark: &str| {
        let row = Row::new().add(Role::Accent, mark);
        let row = match &choice.blocked {
            Some(why) => row.add(Role::Dim, format!("not now: {} ({why})", choice.title)),
            None if width < DETAIL => row.add(Role::Text, choice.title.clone()),
            None => row.add(Role::Text, text::fit(&choice.title, wide)).add(Role::Dim, format!("  {}", choice.detail)),
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

/// Makes the lines of the help: a table of all keys with what they do, and what each mark means; or what fits the words typed.
#[must_use]
pub fn help(state: &AppState, picker: &Picker, tall: usize) -> Vec<Row> {
    let mut out = vec![head("/", picker)];
    let room = tall.saturating_sub(1);
    let words = picker.line.text.trim().to_lowercase();
    if words.is_empty() {
        let all = table(state);
        let top = picker.list.cursor.min(all.len().saturating_sub(room));
        out.extend(all.into_iter().skip(top).take(room));
        return out;
    }
    let keys = picker.shown.iter().filter_map(|at| picker.all.get(*at)).map(|choice| text::width(&choice.key)).max().unwrap_or(0);
    let line = |choice: &Choice, mark: &str| {
        Row::new()
            .add(Role::Accent, mark)
            .add(Role::Accent, text::fit(&choice.key, keys))
            .add(Role::Text, format!("  {}", choice.detail))
            .end(Role::Dim, choice.title.clone())
    };
    let marks: Vec<Row> = MARKS.iter().filter(|(_, _, says)| says.to_lowercase().contains(&words)).map(mark_row).collect();
    if picker.shown.is_empty() && !marks.is_empty() {
        out.extend(marks.into_iter().take(room));
        return out;
    }
    out.extend(list(picker, room, usize::MAX, line));
    out.extend(marks.into_iter().take((room + 1).saturating_sub(out.len())));
    out
}

/// All keys of the place with what they do, by group; the marks beside them where there is room, else below.
fn table(state: &AppState) -> Vec<Row> {
    let width = usize::from(state.size.0).saturating_sub(1);
    let entries = |actions: &[Action]| -> Vec<(String, &'static str)> {
        let here = |entry: &&action::Entry| entry.context != action::Context::Decide || state.screen.decides();
        let entries = actions.iter().filter_map(|action| action::find(*action)).filter(here);
        let line = |entry: &action::Entry| {
            let keys: Vec<String> = state.keymap.keys_of(entry.action).into_iter().take(2).collect();
            (!keys.is_empty()).then(|| (keys.join(" "), entry.does))
        };
        entries.filter_map(line).collect()
    };
    let groups: Vec<(&str, Vec<(String, &'static str)>)> =
        GROUPS.iter().map(|(name, actions)| (*name, entries(actions))).filter(|(_, lines)| !lines.is_empty()).collect();
    let keys = groups.iter().flat_map(|(_, lines)| lines).map(|(keys, _)| text::width(keys)).max().unwrap_or(0);
    let mut left = Vec::new();
    for (name, lines) in groups {
        for (at, (keys_here, does)) in lines.into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let row = Row::new().add(Role::Focus, format!(" {name:<GROUP$}")).add(Role::Accent, text::fit(&keys_here, keys));
            left.push(row.add(Role::Text, format!("  {does}")));
        }
    }
    let legend: Vec<Row> = std::iter::once(Row::new().add(Role::Focus, " Marks")).chain(MARKS.iter().map(mark_row)).collect();
    if width < BESIDE {
        return left.into_iter().chain(legend).collect();
    }
    let column = width - LEGEND;
    let beside = |(at, row): (usize, Row)| match legend.get(at) {
        Some(mark) => {
            let used: usize = row.left.iter().map(|bit| text::width(&bit.text)).sum();
            let mut row = row.add(Role::Text, " ".repeat(column.saturating_sub(used)));
            row.left.extend(mark.left.iter().cloned());
            row
        }
        None => row,
    };
    left.into_iter().enumerate().map(beside).collect()
}

fn mark_row((sign, role, says): &(&str, Role, &str)) -> Row {
    Row::new().add(*role, format!(" {sign:<6}")).add(Role::Text, (*says).to_owned())
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
    fn the_legend_explains_every_mark_of_functions_and_findings() {
        use crate::domain::evidence::Finding as F;
        use crate::domain::snapshot::Mark as M;
        let marks = [M::Error, M::Failing, M::Unclear, M::Stale, M::Running, M::Tested, M::Untestable, M::Recorded];
        let findings = [F::Pass, F::Fail, F::Flaky, F::Pending, F::Running, F::Note, F::Error];
        let signs = marks.map(|mark| crate::tui::glyphs::of_mark(mark).0).into_iter();
        for sign in signs.chain(findings.map(|finding| crate::tui::glyphs::of_finding(finding).0)) {
            assert!(MARKS.iter().any(|(other, ..)| *other == sign), "{sign}");
        }
    }

    #[test]
    fn the_overview_names_every_key_of_the_workbench_once() {
        let grouped: Vec<Action> = GROUPS.iter().flat_map(|(_, actions)| actions.iter().copied()).collect();
        for entry in TABLE.iter().filter(|entry| Context::PATHS[0].contains(&entry.context)) {
            let times = grouped.iter().filter(|action| **action == entry.action).count();
            assert_eq!(times, 1, "{:?}", entry.action);
        }
    }
}
