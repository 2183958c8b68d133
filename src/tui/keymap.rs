//! From a key to an action: parsing key names, the user's changes, and the check that no key stands twice on a path.
//!
//! Does not know what actions do.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::base::error::Trouble;
use crate::base::text;
use crate::tui::action::{Action, Context, TABLE};

/// A key press with what is held; letters carry their case instead of shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key.
    pub code: KeyCode,
    /// What is held.
    pub held: KeyModifiers,
}

impl From<KeyEvent> for Key {
    fn from(event: KeyEvent) -> Self {
        let mut held = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
            held.remove(KeyModifiers::SHIFT);
        }
        Self { code: event.code, held }
    }
}

impl Key {
    /// Makes a key without anything held.
    #[must_use]
    pub fn plain(code: KeyCode) -> Self {
        Self { code, held: KeyModifiers::NONE }
    }

    /// Reads a key's name as the help writes it: `a`, `A`, `Ctrl-p`, `Shift-Down`, `PgDn`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut chars = name.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return Some(Self::plain(KeyCode::Char(c)));
        }
        match name {
            "Shift-Tab" => return Some(Self::plain(KeyCode::BackTab)),
            "PgDn" => return Some(Self::plain(KeyCode::PageDown)),
            "PgUp" => return Some(Self::plain(KeyCode::PageUp)),
            _ => {}
        }
        let combination = crokey::parse(name).ok()?;
        Some(Self::from(KeyEvent::new(*combination.codes.first(), combination.modifiers)))
    }

    /// Gives the character a person typed, when the key is one.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.held.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => Some(c),
            _ => None,
        }
    }

    /// Writes the key's name.
    #[must_use]
    pub fn name(self) -> String {
        let mut out = String::new();
        for (bit, word) in [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-"), (KeyModifiers::SHIFT, "Shift-")] {
            if self.held.contains(bit) {
                out.push_str(word);
            }
        }
        match self.code {
            KeyCode::Char(' ') => out.push_str("Space"),
            KeyCode::Char(c) => out.push_str(&text::display_line(c.encode_utf8(&mut [0; 4]))),
            KeyCode::BackTab => out.push_str("Shift-Tab"),
            KeyCode::PageDown => out.push_str("PgDn"),
            KeyCode::PageUp => out.push_str("PgUp"),
            KeyCode::F(number) => out.push_str(&format!("F{number}")),
            other => out.push_str(&format!("{other:?}")),
        }
        out
    }
}

/// Keys that a terminal sends like other keys, so they are never bound.
const NEVER: [(&str, &str); 5] =
    [("Ctrl-i", "Tab"), ("Ctrl-m", "Enter"), ("Ctrl-h", "Backspace"), ("Ctrl-j", "Enter"), ("Ctrl-[", "Esc")];

/// Which key does what, context by context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap {
    bound: Vec<(Context, Key, Action)>,
}

impl Keymap {
    /// Makes the keymap of the table.
    #[must_use]
    pub fn built_in() -> Self {
        let mut bound = Vec::new();
        for entry in TABLE {
            for key in entry.keys.iter().filter_map(|name| Key::parse(name)) {
                bound.push((entry.context, key, entry.action));
            }
        }
        Self { bound }
    }

    /// Makes the keymap of the table with a person's changes from the text of `keys.toml`: a table for each context,
    /// in it the name of an action's word and the list of its keys; an empty list frees them.
    ///
    /// # Errors
    /// Fails when the text is no such table, names something unknown, or gives one key to two actions on a path.
    pub fn with_changes(source: &str) -> Result<Self, Trouble> {
        type Changes = BTreeMap<String, BTreeMap<String, Vec<String>>>;
        let wrong = |what: String| Trouble::usage(format!("keys.toml: {what}")).so("The built-in keys stay until it is fixed.");
        let changes: Changes = toml::from_str(source).map_err(|error| {
            wrong("it is not a table of keys.".into()).because(format!("{}.", error.message().trim_end_matches('.')))
        })?;
        let mut map = Self::built_in();
        for (context, lines) in &changes {
            for (word, keys) in lines {
                let entry = TABLE
                    .iter()
                    .find(|entry| entry.context.name() == context && entry.word == word)
                    .ok_or_else(|| wrong(format!("there is no {word} in [{context}].")))?;
                map.bound.retain(|(_, _, action)| *action != entry.action);
                for name in keys {
                    let key = Key::parse(name).ok_or_else(|| wrong(format!("{name} is not a key.")))?;
                    if let Some((_, same)) = NEVER.iter().find(|(never, _)| never.eq_ignore_ascii_case(name)) {
                        return Err(wrong(format!("A terminal sends the same for {name} and {same}.")));
                    }
                    map.bound.push((entry.context, key, entry.action));
                }
            }
        }
        match map.conflicts().first() {
            Some((key, one, other)) => {
                Err(wrong(format!("{} is given to {} and to {}.", key.name(), word_of(*one), word_of(*other))))
            }
            None => Ok(map),
        }
    }

    /// Gives every key that two actions claim on one path.
    #[must_use]
    pub fn conflicts(&self) -> Vec<(Key, Action, Action)> {
        let mut out = Vec::new();
        for path in Context::PATHS {
            let on_path: Vec<_> = self.bound.iter().filter(|(context, ..)| path.contains(context)).collect();
            for (index, (_, key, action)) in on_path.iter().enumerate() {
                for (_, again, other) in &on_path[index + 1..] {
                    if key == again {
                        out.push((*key, *action, *other));
                    }
                }
            }
        }
        out
    }

    /// Finds what a key does on a path.
    #[must_use]
    pub fn action(&self, path: &[Context], key: Key) -> Option<Action> {
        path.iter()
            .find_map(|context| self.bound.iter().find(|(c, k, _)| c == context && *k == key).map(|(_, _, action)| *action))
    }

    /// Gives the first key of an action as people read it.
    #[must_use]
    pub fn key_of(&self, action: Action) -> Option<String> {
        self.bound.iter().find(|(_, _, a)| *a == action).map(|(_, key, _)| key.name())
    }

    /// Gives every key of an action as people read them.
    #[must_use]
    pub fn keys_of(&self, action: Action) -> Vec<String> {
        self.bound.iter().filter(|(_, _, a)| *a == action).map(|(_, key, _)| key.name()).collect()
    }
}

fn word_of(action: Action) -> &'static str {
    crate::tui::action::find(action).map_or("", |entry| entry.word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_file_is_said_in_whole_sentences() {
        let said = Keymap::with_changes("[decide]\naccept = 1\n").unwrap_err().to_string();
        assert!(said.ends_with(". The built-in keys stay until it is fixed."), "{said}");
    }

    #[test]
    fn no_key_stands_twice_on_a_path() {
        assert_eq!(Keymap::built_in().conflicts(), []);
    }

    #[test]
    fn every_key_of_the_table_is_a_key_and_reads_back() {
        for entry in TABLE {
            for name in entry.keys {
                let key = Key::parse(name).unwrap_or_else(|| panic!("{name}"));
                assert_eq!(key.name(), *name);
                assert!(NEVER.iter().all(|(never, _)| never != name), "{name}");
            }
        }
    }

    #[test]
    fn the_terminals_spelling_of_a_key_is_found() {
        let map = Keymap::built_in();
        let path = Context::PATHS[0];
        for (code, held, action) in [
            (KeyCode::Char('A'), KeyModifiers::SHIFT, Action::AcceptAll),
            (KeyCode::Char('?'), KeyModifiers::SHIFT, Action::Help),
            (KeyCode::BackTab, KeyModifiers::SHIFT, Action::PreviousPane),
            (KeyCode::Down, KeyModifiers::SHIFT, Action::NextProposal),
            (KeyCode::Char('p'), KeyModifiers::CONTROL, Action::Palette),
        ] {
            assert_eq!(map.action(path, KeyEvent::new(code, held).into()), Some(action));
        }
        assert_eq!(map.action(path, Key::plain(KeyCode::Char('G'))), None);
        assert_eq!(map.action(path, Key::plain(KeyCode::Char('9'))), None);
    }

    #[test]
    fn a_person_can_move_and_free_keys_but_not_use_one_twice() {
        let map = Keymap::with_changes("[global]\ncancel = [\"X\"]\nundo = []\n").unwrap();
        assert_eq!(map.key_of(Action::Cancel).as_deref(), Some("X"));
        assert_eq!(map.key_of(Action::Undo), None);
        let clash = Keymap::with_changes("[global]\ncopy = [\"x\"]\n").unwrap_err();
        assert!(
            clash.what.contains("x is given to cancel and to copy") || clash.what.contains("to copy and to cancel"),
            "{clash}"
        );
        assert!(Keymap::with_changes("[global]\nfly = [\"x\"]\n").is_err());
        assert!(Keymap::with_changes("[move]\nopen = [\"Ctrl-i\"]\n").is_err());
    }
}
