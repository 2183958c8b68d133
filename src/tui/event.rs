//! The terminal's input as messages. The stream can be dropped, so that an editor gets every key.

use std::collections::VecDeque;

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use futures_util::StreamExt;

use crate::tui::app::{Mouse, Msg};
use crate::tui::keymap::Key;
use crate::tui::terminal::is_dark;

/// Lines the wheel moves.
const WHEEL: isize = 3;

/// The input while it is listened to. An undropped stream goes on reading stdin and steals the keys of whatever runs next.
#[derive(Default)]
pub struct Input {
    stream: Option<EventStream>,
    reply: Reply,
    /// Keys that looked like the start of an answer and were none.
    held: VecDeque<Key>,
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

    /// Expects the terminal's answer to the question for its background among the keys.
    pub fn expect_background(&mut self) {
        self.reply.asked = true;
    }

    /// Waits for the next message; `None` means the terminal is gone.
    ///
    /// Only the loop's own task may wait here: the stream remembers the first waker it was polled with, so a look in
    /// passing would leave the loop asleep at the next key.
    pub async fn next(&mut self) -> Option<Msg> {
        let Some(stream) = &mut self.stream else { return std::future::pending().await };
        loop {
            if let Some(key) = self.held.pop_front() {
                return Some(Msg::Key(key));
            }
            let Some(msg) = message(stream.next().await?.ok()?) else { continue };
            let Msg::Key(key) = msg else { return Some(msg) };
            match self.reply.take(key) {
                Taken::Part => {}
                Taken::Background(dark) => return Some(Msg::Background(dark)),
                Taken::Keys(keys) => self.held.extend(keys),
            }
        }
    }
}

/// The terminal's answer to the question for its background, which the key parser takes for keys: `Alt-]`, the letters of
/// `11;rgb:…`, then `Alt-\` or `Ctrl-g`. Nothing else is held back, and nothing at all before the question was asked.
#[derive(Default)]
struct Reply {
    asked: bool,
    seen: Vec<Key>,
}

enum Taken {
    /// It may be the answer; more has to be seen.
    Part,
    /// The whole answer.
    Background(bool),
    /// It was keys.
    Keys(Vec<Key>),
}

const ANSWER: &str = "]11;rgb:";
/// `rrrr/gggg/bbbb`, and room for `rgba`.
const COLOUR: usize = 20;

impl Reply {
    fn take(&mut self, key: Key) -> Taken {
        if !self.asked {
            return Taken::Keys(vec![key]);
        }
        let at = self.seen.len();
        let KeyCode::Char(c) = key.code else { return self.give_up(key) };
        let ends = (c == '\\' && key.held == KeyModifiers::ALT) || (c == 'g' && key.held == KeyModifiers::CONTROL);
        if ends && at > ANSWER.len() {
            let colour: String = self.seen[ANSWER.len()..].iter().filter_map(|key| key.typed()).collect();
            let Some(dark) = is_dark(&colour) else { return self.give_up(key) };
            *self = Self::default();
            return Taken::Background(dark);
        }
        let fits = match ANSWER.chars().nth(at) {
            Some(wanted) => c == wanted && (key.held.is_empty() || at == 0 && key.held == KeyModifiers::ALT),
            None => key.held.is_empty() && (c.is_ascii_hexdigit() || c == '/') && at < ANSWER.len() + COLOUR,
        };
        if !fits {
            return self.give_up(key);
        }
        self.seen.push(key);
        Taken::Part
    }

    fn give_up(&mut self, key: Key) -> Taken {
        let mut keys = std::mem::take(&mut self.seen);
        keys.push(key);
        Taken::Keys(keys)
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
        // Where there is a signal for it, that tells; see `run.rs`.
        Event::Resize(width, height) => (!cfg!(unix)).then_some(Msg::Resize(width, height)),
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
        Event::FocusGained => Some(Msg::Focused),
        Event::FocusLost => None,
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
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    fn keys(text: &str) -> Vec<Key> {
        text.chars().map(|c| Key::plain(KeyCode::Char(c))).collect()
    }

    fn held(c: char, held: KeyModifiers) -> Key {
        Key { code: KeyCode::Char(c), held }
    }

    #[test]
    fn the_terminals_background_is_read_and_never_taken_for_keys() {
        for (colour, dark) in [("2828/2c2c/3434", true), ("ff/ff/f0", false)] {
            for end in [held('\\', KeyModifiers::ALT), held('g', KeyModifiers::CONTROL)] {
                let mut reply = Reply { asked: true, ..Reply::default() };
                assert!(matches!(reply.take(held(']', KeyModifiers::ALT)), Taken::Part));
                for key in keys(&format!("11;rgb:{colour}")) {
                    assert!(matches!(reply.take(key), Taken::Part));
                }
                assert!(matches!(reply.take(end), Taken::Background(seen) if seen == dark));
            }
        }
    }

    #[test]
    fn keys_that_are_no_answer_all_arrive_in_their_order() {
        for (asked, typed) in [(true, "]11;r!"), (true, "ajr"), (false, "]11;rgb:0/0/0"), (true, "]11;rgb:zz")] {
            let mut reply = Reply { asked, ..Reply::default() };
            let mut out = Vec::new();
            for key in keys(typed) {
                if let Taken::Keys(keys) = reply.take(key) {
                    out.extend(keys);
                }
            }
            assert_eq!(out, keys(typed), "{typed}");
        }
    }

    #[test]
    fn a_key_counts_once_and_only_moving_repeats() {
        let event = |code, kind| Event::Key(KeyEvent::new_with_kind(code, KeyModifiers::NONE, kind));
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Press)).is_some());
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Release)).is_none());
        assert!(message(event(KeyCode::Char('a'), KeyEventKind::Repeat)).is_none());
        assert!(message(event(KeyCode::Down, KeyEventKind::Repeat)).is_some());
    }
}
