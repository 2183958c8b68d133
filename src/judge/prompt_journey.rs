//! A journey as it is sent to a model: its lines, with what can be looked up about each. Who writes them is `compact.rs`.

use std::collections::BTreeMap;

use crate::domain::callee::Callee;
use crate::domain::journey::LineId;

/// A line as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The first event that it shows.
    pub first: LineId,
    /// The last one.
    pub last: LineId,
    /// What is sent.
    pub text: String,
    /// The same without values: what a program's data cannot forge.
    pub bare: String,
    /// Calls of which only the numbers are sent, by function.
    pub counted: BTreeMap<Callee, usize>,
    /// The call that begins here.
    pub begins: Option<Callee>,
}

/// A line whose values are not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The line.
    pub line: LineId,
    /// Bytes of each of its values that are sent at most.
    pub shown: usize,
    /// Bytes of its values.
    pub whole: usize,
}

/// A journey as it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptJourney {
    pub(super) lines: Vec<Line>,
    /// How many steps were taken to make it fit.
    pub steps: usize,
    /// Lines whose values did not fit, where values are wanted whole.
    pub cut: Vec<Cut>,
}

/// It does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// Tokens it needs at the least, about.
    pub needs: usize,
}

impl Line {
    /// Gives what a program had a hand in: all but the number and the kind.
    #[must_use]
    pub fn data(&self) -> &str {
        self.text.split_once('{').map_or("", |(_, data)| data)
    }
}

impl PromptJourney {
    /// All lines, in the order of their numbers.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the line that shows an event: its own, or one that sums up several.
    #[must_use]
    pub fn line(&self, number: LineId) -> Option<&Line> {
        let covering = self.lines.iter().filter(|line| line.first <= number && number <= line.last);
        covering.min_by_key(|line| line.last.0 - line.first.0)
    }

    /// Changes what is sent of each line, where something has to go.
    pub fn change(&mut self, change: &mut dyn FnMut(&str) -> Option<String>) {
        for line in &mut self.lines {
            if let Some(text) = change(&line.text) {
                line.text = text;
            }
        }
    }

    /// Gives what is sent.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// Estimates tokens: what tokenisers of today make of code and JSON, give or take a fifth.
#[must_use]
pub fn tokens(text: &str) -> usize {
    (text.chars().count() * 10).div_ceil(36)
}
