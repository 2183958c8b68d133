//! A list that narrows while one types: the palette, the help and the queue.
//!
//! The only user of nucleo's matcher. What is chosen is a number into the list the picker was made with.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::tui::widgets::line_edit::LineEdit;
use crate::tui::widgets::virtual_list::ListState;

/// One line to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// What is matched and shown first.
    pub title: String,
    /// What is shown behind it.
    pub detail: String,
    /// Other words that it is found by; never shown.
    pub also: String,
    /// What stands at the right edge: a key.
    pub key: String,
    /// Why it makes no sense now.
    pub blocked: Option<String>,
}

/// The list and what was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Picker {
    /// What was typed.
    pub line: LineEdit,
    /// All lines.
    pub all: Vec<Choice>,
    /// The lines that match, the best first.
    pub shown: Vec<usize>,
    /// Lines that are shown below all of them, as long as nothing was typed.
    pub below: usize,
    /// Where it stands.
    pub list: ListState,
}

impl Picker {
    /// Makes a picker over these lines, starting with words of an earlier time.
    #[must_use]
    pub fn new(all: Vec<Choice>, words: &str) -> Self {
        let mut picker = Self { line: LineEdit::new(words), all, ..Self::default() };
        picker.narrow();
        picker
    }

    /// Matches again after typing; lines that make no sense now come last.
    pub fn narrow(&mut self) {
        let words = self.line.text.trim();
        let mut scored: Vec<(bool, u32, usize)> = if words.is_empty() {
            self.all.iter().enumerate().map(|(at, choice)| (choice.blocked.is_some(), 0, at)).collect()
        } else {
            // What holds the words is meant before what only holds their letters.
            let exact = self.score(words, AtomKind::Substring);
            if exact.is_empty() { self.score(words, AtomKind::Fuzzy) } else { exact }
        };
        scored.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        self.shown = scored.into_iter().map(|(.., at)| at).collect();
        self.list = ListState::default();
    }

    fn score(&self, words: &str, kind: AtomKind) -> Vec<(bool, u32, usize)> {
        let mut matcher = Matcher::new(Config::DEFAULT);
        let pattern = Pattern::new(words, CaseMatching::Smart, Normalization::Smart, kind);
        let mut buffer = Vec::new();
        let score = |(at, choice): (usize, &Choice)| {
            // A name counts for more than what is said about it.
            let mut of = |text: &str, weight: u32| {
                let score = pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher)?;
                Some(score.saturating_mul(weight))
            };
            let whole = format!("{} {}", choice.title, choice.detail);
            // Letters of synonyms that only come in order mean nothing.
            let also = if kind == AtomKind::Substring { choice.also.as_str() } else { "" };
            let texts = [(choice.title.as_str(), 4), (whole.as_str(), 2), (also, 1)];
            let score = texts.into_iter().filter(|(text, _)| !text.is_empty()).find_map(|(text, weight)| of(text, weight))?;
            Some((choice.blocked.is_some(), score, at))
        };
        self.all.iter().enumerate().filter_map(score).collect()
    }

    /// Counts the lines that one can move through.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.shown.len() + if self.line.text.trim().is_empty() { self.below } else { 0 }
    }

    /// Gives the number of the marked line.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        self.shown.get(self.list.cursor).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(title: &str, blocked: bool) -> Choice {
        Choice { title: title.into(), blocked: blocked.then(|| "no".into()), ..Choice::default() }
    }

    #[test]
    fn an_action_is_found_by_its_synonyms_after_those_that_are_called_so() {
        let other = Choice { also: "theme draft".into(), ..choice("Open the settings", false) };
        let all = vec![other, choice("Draft this", false)];
        assert_eq!(Picker::new(all.clone(), "theme").shown, [0]);
        assert_eq!(Picker::new(all, "draft").shown, [1, 0]);
    }

    #[test]
    fn typing_narrows_and_what_makes_no_sense_comes_last() {
        let all = vec![choice("Accept", true), choice("Record a command", false), choice("Go to recordings", false)];
        let picker = Picker::new(all.clone(), "rec");
        assert_eq!(picker.shown, [1, 2]);
        assert_eq!(Picker::new(all.clone(), "").shown, [1, 2, 0]);
        assert_eq!(Picker::new(all, "zzz").chosen(), None);
    }
}
