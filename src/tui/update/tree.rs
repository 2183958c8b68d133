//! The tree of functions: its lines, what is folded, and where its cursor is.

use crate::domain::function::FunctionId;
use crate::tui::app::AppState;
use crate::tui::layout::Pane;
use crate::tui::widgets::tree::{self, Columns, NodeKey};

/// Flattens the tree again and keeps the cursor on its line, and that line where it is on the screen.
pub fn rebuild_tree(state: &mut AppState) {
    state.tests = state.snapshot.files.iter().filter(|file| file.is_test).map(|file| file.path.clone()).collect();
    let at = state.nodes.get(state.tree.cursor).map(|node| node.key.clone());
    state.nodes = tree::flatten(&state.snapshot.files, &state.snapshot.functions, &state.toggled, &state.filter);
    state.tree_columns = Columns::of(&state.nodes);
    let wanted = at.or_else(|| state.subject_function().cloned().map(NodeKey::Function));
    if let Some(position) = wanted.and_then(|key| state.nodes.iter().position(|node| node.key == key)) {
        state.tree.hold(position);
    } else if let Some(subject) = state.subject_function().cloned() {
        show_in_tree(state, &subject);
    }
}

/// Puts the tree's cursor on a function and opens what hides it.
pub fn show_in_tree(state: &mut AppState, id: &FunctionId) {
    let key = NodeKey::Function(id.clone());
    if !state.nodes.iter().any(|node| node.key == key) {
        let Some(path) = state.function(id).map(|row| row.path.clone()) else { return };
        let mut folder = String::new();
        for part in path.parts() {
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(part);
            let key = NodeKey::Path(folder.clone());
            if state.nodes.iter().any(|node| node.key == key && node.folded == Some(true)) {
                toggle(state, key);
            }
        }
    }
    if let Some(at) = state.nodes.iter().position(|node| node.key == key) {
        let rows = state.layout().rows(Pane::Functions);
        state.tree.jump(at, rows);
    }
}

/// Folds or unfolds a line of the tree.
pub fn toggle(state: &mut AppState, key: NodeKey) {
    if !state.toggled.remove(&key) {
        state.toggled.insert(key);
    }
    rebuild_tree(state);
}
