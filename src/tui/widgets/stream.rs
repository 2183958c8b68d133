//! Text that grows: a line is final at its newline, the unfinished one is redrawn.

use crate::base::clock::Moment;
use crate::domain::snapshot::StreamView;
use crate::tui::highlight::{CodeLine, Incremental};

/// The text a model is writing, as far as it was seen.
#[derive(Clone, Default)]
pub struct StreamText {
    /// Finished lines; they never change again.
    pub done: Vec<CodeLine>,
    /// The line being written.
    pub partial: String,
    /// Tokens so far.
    pub tokens: u64,
    /// Tokens per second.
    pub rate: Option<f64>,
    /// When it began.
    pub started: Moment,
    /// Who writes.
    pub model: String,
    seen: usize,
    colours: Incremental,
}

impl StreamText {
    /// Takes what was written since the last look, and tells whether anything changed.
    pub fn grow(&mut self, view: &StreamView) -> bool {
        if !view.text.is_char_boundary(self.seen) || view.text.len() < self.seen {
            *self = Self::default();
        }
        let changed = view.tokens != self.tokens || view.text.len() != self.seen;
        self.tokens = view.tokens;
        self.rate = view.rate;
        self.started = view.started;
        self.model.clone_from(&view.model);
        let fresh = view.text.get(self.seen..).unwrap_or_default();
        for part in fresh.split_inclusive('\n') {
            self.partial.push_str(part);
            if let Some(line) = self.partial.strip_suffix('\n') {
                let line = self.colours.line(line);
                self.done.push(line);
                self.partial.clear();
            }
        }
        self.seen = view.text.len();
        changed
    }

    /// Counts the lines, the one being written included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.done.len() + 1
    }

    /// Tells whether nothing was written yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_line_never_changes_again() {
        let mut view = StreamView {
            text: "def a():\n    ret".into(),
            tokens: 4,
            rate: None,
            started: Moment(0),
            model: "m".into(),
            ended: false,
        };
        let mut text = StreamText::default();
        assert!(text.grow(&view));
        let first = text.done.clone();
        assert_eq!((first.len(), text.partial.as_str()), (1, "    ret"));
        view.text.push_str("urn 1\n");
        view.tokens = 6;
        assert!(text.grow(&view));
        assert_eq!(text.done[..1], first);
        assert_eq!((text.done[1].text.as_str(), text.partial.as_str()), ("    return 1", ""));
        assert!(!text.grow(&view));
        view.text = "new".into();
        text.grow(&view);
        assert_eq!((text.done.len(), text.partial.as_str()), (0, "new"));
    }
}
