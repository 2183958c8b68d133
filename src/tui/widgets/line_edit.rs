//! One line to type into, with the keys of a shell.

use unicode_segmentation::UnicodeSegmentation;

use crate::tui::row::Row;
use crate::tui::theme::Role;

/// A line and where typing goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineEdit {
    /// What was typed.
    pub text: String,
    /// The byte where typing goes: always between two characters.
    pub at: usize,
}

impl LineEdit {
    /// Starts with a text, the cursor behind it.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { at: text.len(), text }
    }

    /// Types text; line breaks become spaces, control characters are dropped.
    pub fn insert(&mut self, typed: &str) {
        let clean: String =
            typed.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).filter(|c| !c.is_control()).collect();
        self.text.insert_str(self.at, &clean);
        self.at += clean.len();
    }

    /// Deletes the character before the cursor.
    pub fn backspace(&mut self) {
        let from = self.before();
        self.text.replace_range(from..self.at, "");
        self.at = from;
    }

    /// Deletes the character under the cursor.
    pub fn delete(&mut self) {
        let to = self.after();
        self.text.replace_range(self.at..to, "");
    }

    /// Deletes back to the start of the word.
    pub fn delete_word(&mut self) {
        let kept = self.text[..self.at].trim_end();
        let from = kept.rfind(char::is_whitespace).map_or(0, |at| at + kept[at..].chars().next().map_or(1, char::len_utf8));
        self.text.replace_range(from..self.at, "");
        self.at = from;
    }

    /// Deletes back to the start of the line.
    pub fn delete_line(&mut self) {
        self.text.replace_range(..self.at, "");
        self.at = 0;
    }

    /// Moves one character to the left.
    pub fn left(&mut self) {
        self.at = self.before();
    }

    /// Moves one character to the right.
    pub fn right(&mut self) {
        self.at = self.after();
    }

    /// Moves to the start.
    pub fn start(&mut self) {
        self.at = 0;
    }

    /// Moves to the end.
    pub fn end(&mut self) {
        self.at = self.text.len();
    }

    /// Gives the text before and after the cursor.
    #[must_use]
    pub fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.at)
    }

    fn before(&self) -> usize {
        self.text[..self.at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        self.text[self.at..].graphemes(true).next().map_or(self.at, |g| self.at + g.len())
    }
}

/// Draws a line that is typed into.
#[must_use]
pub fn typed(sign: &str, line: &LineEdit) -> Row {
    let (before, after) = line.halves();
    Row::new()
        .add(Role::Accent, format!(" {sign} "))
        .add(Role::Text, before.to_owned())
        .add(Role::Focus, "█")
        .add(Role::Text, after.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_works_on_whole_characters() {
        let mut line = LineEdit::new("pytest -q tests");
        line.delete_word();
        assert_eq!(line.text, "pytest -q ");
        line.insert("e\u{301}x\n");
        assert_eq!(line.text, "pytest -q e\u{301}x ");
        line.left();
        line.left();
        line.backspace();
        assert_eq!(line.halves(), ("pytest -q ", "x "));
        line.delete();
        line.delete_line();
        assert_eq!(line.text, " ");
        line.delete();
        line.delete();
        line.backspace();
        assert_eq!(line.text, "");
    }
}
