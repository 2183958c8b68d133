//! The tree of functions: mark, name, calls, what waits.

use crate::base::text;
use crate::domain::snapshot::Mark;
use crate::tui::app::AppState;
use crate::tui::glyphs;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::tree::NodeKey;

/// Columns right of the name: a gap, the calls, a gap, what waits, a gap.
const COUNTS: usize = 9;

/// Makes one line.
#[must_use]
pub fn row(state: &AppState, at: usize, width: u16) -> Option<Row> {
    let node = state.nodes.get(at)?;
    let (sign, role, _) = node.mark.map_or((" ", Role::Text, ""), glyphs::of_mark);
    let indent = 3 + 2 * node.depth - 2;
    let fold = match node.folded {
        Some(true) => "▸ ",
        Some(false) => "▾ ",
        None => "",
    };
    let head = format!("{}{fold}", " ".repeat(indent));
    let room = usize::from(width).saturating_sub(2 + head.chars().count() + COUNTS);
    let calls = match (&node.key, node.calls) {
        (NodeKey::Function(_), calls) if calls > 0 => calls.to_string(),
        _ => String::new(),
    };
    let waiting = node.drafts + node.changes;
    let waits = match &node.key {
        NodeKey::Function(_) if node.changes > 0 => format!("{}c", node.changes),
        NodeKey::Function(_) if node.drafts > 0 => format!("{}d", node.drafts),
        NodeKey::Path(_) if waiting > 0 => waiting.to_string(),
        _ => String::new(),
    };
    let label_role = match (&node.key, node.mark) {
        (NodeKey::Trouble(_), _) => Role::Failing,
        (_, Some(Mark::Stale)) => Role::Stale,
        (NodeKey::Function(_), Some(Mark::Never)) => Role::Dim,
        _ => Role::Text,
    };
    let row = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Dim, head)
        .add(label_role, text::fit(&text::display_line(&node.label), room))
        .add(Role::Dim, format!(" {:>4} ", text::cut(&calls, 4)))
        .add(Role::Accent, text::fit(&waits, 3));
    Some(row)
}

/// Writes what stands at the right of the title.
#[must_use]
pub fn count(state: &AppState) -> String {
    let all = state.snapshot.functions.len();
    if state.filter.is_empty() {
        return text::thousands(all);
    }
    let shown = state.nodes.iter().filter(|node| matches!(node.key, NodeKey::Function(_))).count();
    format!("{} of {}", text::thousands(shown), text::thousands(all))
}
