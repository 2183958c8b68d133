//! The log of this session as the screen shows it; the file log is `tracing`'s.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::domain::event::Level;
use crate::domain::snapshot::{LogRow, Topic};

/// Lines kept.
const KEPT: usize = 500;

/// The newest lines, the newest first.
#[derive(Default)]
pub struct Log(Mutex<VecDeque<LogRow>>);

impl Log {
    /// Adds a line, with what it is about where that is one thing; the text is sanitised here.
    pub fn add(&self, level: Level, word: &str, line: impl Into<Sentence>, about: Option<Topic>) {
        self.push(LogRow { at: clock::now(), level, word: word.to_owned(), text: line.into().line(), more: vec![], about });
    }

    /// Adds a trouble with its reason and what to do.
    pub fn trouble(&self, word: &str, trouble: &Trouble) {
        let more = [&trouble.why, &trouble.todo].into_iter().flatten().map(Sentence::line).collect();
        let text = trouble.what.line();
        self.push(LogRow { at: clock::now(), level: Level::Error, word: word.to_owned(), text, more, about: None });
    }

    /// Gives the lines, the newest first.
    pub fn rows(&self) -> Vec<LogRow> {
        self.0.lock().iter().cloned().collect()
    }

    fn push(&self, row: LogRow) {
        tracing::info!(level = ?row.level, word = row.word, "{}", row.text);
        let mut rows = self.0.lock();
        rows.push_front(row);
        rows.truncate(KEPT);
    }
}
