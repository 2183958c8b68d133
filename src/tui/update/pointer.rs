//! The mouse: click selects, the wheel scrolls the pane under the pointer, a bar drags, a key of the key line is pressed. No
//! click decides.

use ratatui::layout::Position;

use crate::tui::action::{Action, Context};
use crate::tui::app::{AppState, Mouse};
use crate::tui::content;
use crate::tui::keymap::Key;
use crate::tui::layer::Layer;
use crate::tui::layout::Slot;
use crate::tui::update::dispatch::act;
use crate::tui::update::focus::show;
use crate::tui::update::navigate;
use crate::tui::view::{chrome, key_line, titles};
use crate::tui::words;

/// Takes what the mouse did; gives the key of the key line that was clicked.
pub fn mouse(state: &mut AppState, mouse: Mouse) -> Option<Key> {
    if let Mouse::Press(x, y) = mouse
        && y + 1 == state.size.1
    {
        return clicked(state, x);
    }
    select(state, mouse);
    None
}

/// Finds the key that was clicked; one that decides is only named.
fn clicked(state: &mut AppState, x: u16) -> Option<Key> {
    let key = key_line::key_at(state, x)?;
    let asked = matches!(state.layers.last(), Some(Layer::Question(_)));
    let decides = state.layers.is_empty() && state.screen.decides() && state.keymap.action(&[Context::Decide], key).is_some();
    if asked || decides {
        state.messages.answer(state.now, words::press_it(&key.name()));
        return None;
    }
    Some(key)
}

fn select(state: &mut AppState, mouse: Mouse) {
    if !state.layers.is_empty() || state.in_place.as_ref().is_some_and(|edit| edit.open) {
        return;
    }
    let layout = state.layout();
    match mouse {
        Mouse::Wheel(x, y, lines) => {
            let Some(slot) = layout.slots.iter().find(|slot| inside(slot, x, y)) else { return };
            let (len, height) = (content::len(state, slot.pane), usize::from(slot.body.height));
            if let Some(list) = content::list(state, slot.pane) {
                list.scroll(lines, len, height);
            }
            if slot.pane == crate::tui::layout::Pane::Decision {
                state.decision.follow = state.decision.list.cursor + 1 >= len;
            }
        }
        Mouse::Press(x, y) => {
            if y == 0 {
                if let Some(action) = chrome::chip_at(state, x) {
                    act(state, action, &mut Vec::new());
                }
                return;
            }
            let Some(slot) = layout.slots.iter().find(|slot| inside(slot, x, y)) else { return };
            if slot.title.contains(Position::new(x, y)) {
                if titles::on_chip(state, slot, x) {
                    act(state, Action::ClearFilter, &mut Vec::new());
                    return;
                }
                let pane = titles::tab_at(state, slot, x).unwrap_or(slot.pane);
                show(state, state.screen, pane);
            } else if slot.bar.contains(Position::new(x, y)) {
                state.dragged = Some(x);
                drag(state, slot, y);
            } else {
                show(state, state.screen, slot.pane);
                let len = content::len(state, slot.pane);
                if let Some(list) = content::list(state, slot.pane) {
                    let line = list.top + usize::from(y - slot.body.y);
                    if line < len {
                        list.cursor = line;
                        navigate::moved(state, slot.pane);
                    }
                }
            }
        }
        Mouse::Drag(_, y) => {
            let column = state.dragged;
            if let Some(slot) = layout.slots.iter().find(|slot| Some(slot.bar.x) == column) {
                drag(state, slot, y);
            }
        }
        Mouse::Release => state.dragged = None,
    }
}

fn inside(slot: &Slot, x: u16, y: u16) -> bool {
    [slot.title, slot.body, slot.bar].iter().any(|area| area.contains(Position::new(x, y)))
}

fn drag(state: &mut AppState, slot: &Slot, y: u16) {
    let (len, height) = (content::len(state, slot.pane), usize::from(slot.body.height).max(1));
    let row = usize::from(y.saturating_sub(slot.bar.y)).min(height - 1);
    if let Some(list) = content::list(state, slot.pane) {
        let top = row * len.saturating_sub(height) / (height - 1).max(1);
        let by = isize::try_from(top).unwrap_or(0) - isize::try_from(list.top).unwrap_or(0);
        list.scroll(by, len, height);
    }
}
