//! The tree of functions: mark, name, calls, what waits.

use crate::base::text;
use crate::domain::snapshot::Mark;
use crate::tui::app::AppState;
use crate::tui::glyphs;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::tree::{Columns, NodeKey, calls, waits};
use crate::tui::words;

/// Makes one line.
#[must_use]
pub fn row(state: &AppState, at: usize, width: u16) -> Option<Row> {
    let node = state.nodes.get(at)?;
    let (sign, role, _) = node.mark.map_or((" ", Role::Text, ""), glyphs::of_mark);
    let indent = 1 + 2 * node.depth;
    let fold = match node.folded {
        Some(true) => "▸ ",
        Some(false) => "▾ ",
        None => "",
    };
    let head = format!("{}{fold}", " ".repeat(indent));
    let (calls, waits) = (calls(node), waits(node));
    // A name goes on over columns that are empty in its line, and over what no line has.
    let Columns { calls: calls_wide, waits: waits_wide } = state.tree_columns;
    let waits_wide = if waits_wide > 0 { waits_wide + 1 } else { 0 };
    let counts = match (calls.is_empty(), waits.is_empty()) {
        (true, true) => 0,
        (true, false) => waits_wide,
        (false, _) => calls_wide + 1 + waits_wide,
    };
    let margin = 1;
    let room = usize::from(width).saturating_sub(2 + head.chars().count() + counts + margin);
    let label_role = match (&node.key, node.mark) {
        (NodeKey::Trouble(_), _) => Role::Failing,
        (_, Some(Mark::Stale)) => Role::Stale,
        (NodeKey::Function(_), Some(Mark::Never)) => Role::Dim,
        _ if node.is_test => Role::Dim,
        _ => Role::Text,
    };
    let label = text::display_line(&node.label);
    let label =
        if matches!(node.key, NodeKey::Function(_)) { short_name(&label, room) } else { text::cut(&label, room).into_owned() };
    let row = Row::new().add(Role::Text, " ").add(role, sign).add(Role::Dim, head).add(label_role, text::fit(&label, room));
    let row = if calls.is_empty() { row } else { row.add(Role::Dim, format!(" {calls:>calls_wide$}")) };
    Some(if counts >= waits_wide { row.add(Role::Accent, format!("{waits:>waits_wide$}")) } else { row })
}

/// Shortens `Class.method` in its class: methods of one class differ in their last part.
fn short_name(name: &str, room: usize) -> String {
    if text::width(name) <= room {
        return name.to_owned();
    }
    let Some((class, method)) = name.rsplit_once('.') else { return text::cut(name, room).into_owned() };
    let kept = room.saturating_sub(text::width(method) + 1);
    if kept < 2 { text::cut(name, room).into_owned() } else { format!("{}.{method}", text::cut(class, kept)) }
}

/// Writes what stands at the right of the title: the functions, tests not counted.
#[must_use]
pub fn count(state: &AppState) -> String {
    let all = words::own_functions(&state.snapshot);
    if state.filter.is_empty() {
        return text::thousands(all);
    }
    let shown = state.nodes.iter().filter(|node| matches!(node.key, NodeKey::Function(_))).count();
    format!("{} of {}", text::thousands(shown), text::thousands(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_methods_of_a_class_never_look_the_same() {
        assert_eq!(short_name("RegistrationService.register", 15), "Regis….register");
        assert_eq!(short_name("RegistrationService.__init__", 15), "Regis….__init__");
        assert_eq!(short_name("Cart.total", 10), "Cart.total");
        assert_eq!(short_name("a_long_function", 6), "a_lon…");
        for room in 0..30 {
            assert!(text::width(&short_name("RegistrationService.register", room)) <= room);
        }
    }
}
