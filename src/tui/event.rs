//! The terminal's input as messages. The stream can be dropped, so that an editor gets every key.

use crossterm::event::{Event, EventStream, KeyEventKind, MouseButton, MouseEventKind};
use futures_util::StreamExt;

use crate::tui::app::{Mouse, Msg};
use crate::tui::keymap::Key;

/// Lines the wheel moves.
const WHEEL: isize = 3;

/// The input while it is listened to. An undropped stream goes on reading stdin and steals the keys of whatever runs next.
#[derive(Default)]
pub struct Input {
    stream: Option<EventStream>,
}

impl Input {
    /// Starts to listen.
    pub fn start(&mut self) {
        self.stream.get_or_insert_with(EventStream::new);
    }

    /// Stops to listen.
    pub fn stop(&mut self) {
        self.stream = None;
    }

    /// Waits for the next message; `None` means the terminal is gone.
    ///
    /// Only the loop's own task may wait here: the stream remembers the first waker it was polled with, so a look in
    /// passing would leave the loop asleep at the next key.
    pub async fn next(&mut self) -> Option<Msg> {
        let Some(stream) = &mut self.stream else { return std::future::pending().await };
        loop {
            match stream.next().await? {
                Ok(event) => {
                    if let Some(msg) = message(event) {
                        return Some(msg);
                    }
                }
                Err(_) => return None,
            }
        }
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => match key.kind {
            KeyEventKind::Release => None,
            KeyEventKind::Press => Some(Msg::Key(Key::from(key))),
            // Held keys repeat what moves, and nothing that decides.
            KeyEventKind::Repeat => Some(Msg::Key(Key::from(key))).filter(|_| moves(Key::from(key))),
        },
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => {
            let (x, y) = (mouse.column, mouse.row);
            match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => Some(Msg::Mouse(Mouse::Press(x, y))),
                MouseEventKind::Drag(MouseButton::Left) => Some(Msg::Mouse(Mouse::Drag(x, y))),
                MouseEventKind::Up(MouseButton::Left) => Some(Msg::Mouse(Mouse::Release)),
                MouseEventKind::ScrollDown => Some(Msg::Mouse(Mouse::Wheel(x, y, WHEEL))),
                MouseEventKind::ScrollUp => Some(Msg::Mouse(Mouse::Wheel(x, y, -WHEEL))),
                _ => None,
            }
        }
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn moves(key: Key) -> bool {
    use crossterm::event::KeyCode as C;
    matches!(
        key.code,
        C::Up
            | C::Down
            | C::Left
            | C::Right
            | C::PageUp
            | C::PageDown
            | C::Backspace
            | C::Delete
            | C::Char('j' | 'k' | 'h' | 'l' | ' ')
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    #[test]
    fn a_key_counts_once_and_only_moving_repeats() {
        let event = |code, kind| Event::Key(KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind));
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Press)).is_some());
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Release)).is_none());
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Repeat)).is_none());
        assert!(message(event(KeyCode::Down, KeyEventKind::Repeat)).is_some());
    }
}
