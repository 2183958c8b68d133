//! The one place that prints: lines for people or JSON lines, all of it sanitised; a closed pipe is no error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::io::{IsTerminal, Write};

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::Format;
use crate::domain::event::Event;
use crate::domain::snapshot::JobRow;

/// Columns of the line of work that goes on: fits the narrowest terminals.
const PROGRESS_MAX: usize = 56;

/// Where results go.
pub struct Output {
    format: Format,
    events: Box<dyn Write + Send>,
    own_stdout: bool,
    closed: bool,
}

impl Output {
    /// Prints results on standard output.
    #[must_use]
    pub fn stdout(format: Format) -> Self {
        Self { format, events: Box::new(std::io::stdout()), own_stdout: true, closed: false }
    }

    /// Leaves standard output to a recorded program or a protocol: our lines go to the error stream or to a file.
    #[must_use]
    pub fn beside(format: Format, events: impl Write + Send + 'static) -> Self {
        Self { format, events: Box::new(events), own_stdout: false, closed: false }
    }

    /// Tells whether results are JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Tells whether nobody reads what is printed any more, as far as it was tried.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints lines for people; nothing under JSON.
    pub fn say(&mut self, lines: impl AsRef<str>) {
        if self.is_json() {
            return;
        }
        let safe = text::display(lines.as_ref()).into_owned();
        if self.own_stdout {
            self.closed |= writeln!(std::io::stdout(), "{safe}").is_err();
        } else {
            let _ = writeln!(std::io::stderr(), "{safe}");
        }
    }

    /// Prints one event as a JSON line; for people only what went wrong, on the error stream.
    pub fn event(&mut self, event: &Event) {
        match event {
            _ if self.is_json() => self.json(event),
            Event::Failed { trouble } => complain(trouble),
            Event::SettingsRead { wrong } => wrong.iter().for_each(complain),
            _ => {}
        }
    }

    /// Prints a result as a JSON line under JSON; nothing for people.
    pub fn result<T: Serialize>(&mut self, name: &str, value: &T) {
        if self.is_json() {
            self.json(&serde_json::json!({ "result": name, "value": value }));
        }
    }

    /// Prints a trouble: to the error stream for people, as an event under JSON.
    pub fn trouble(&mut self, trouble: &Trouble) {
        if self.is_json() {
            self.json(&Event::Failed { trouble: trouble.clone() });
        } else {
            complain(trouble);
        }
    }

    fn json<T: Serialize>(&mut self, value: &T) {
        if let Ok(line) = serde_json::to_string(value) {
            let written = writeln!(self.events, "{}", text::escape_json(&line)).and_then(|()| self.events.flush());
            self.closed |= written.is_err();
        }
    }
}

/// Prints a trouble on the error stream.
pub fn complain(trouble: &Trouble) {
    let _ = writeln!(std::io::stderr(), "pytead-tui: {}", text::display(&trouble.to_string()));
}

/// Says something beside the result on the error stream, for people and under JSON alike.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "pytead-tui: {}", text::display(line));
}

/// Says how far a job is: `saved code: 120 of 400`.
#[must_use]
pub fn progress(job: &JobRow) -> String {
    if job.total > 0 { format!("{}: {} of {}", job.subject, job.done, job.total) } else { format!("{} …", job.subject) }
}

/// The line of work that goes on, on a person's terminal: it is written over, and taken away at the end.
#[derive(Default)]
pub struct ProgressLine {
    shown: String,
}

impl ProgressLine {
    /// Tells whether somebody could see it.
    #[must_use]
    pub fn is_seen() -> bool {
        std::io::stderr().is_terminal()
    }

    /// Shows how far a job is; nothing takes the line away.
    pub fn show(&mut self, job: Option<&JobRow>) {
        let line = job.map(progress).unwrap_or_default();
        let line = text::cut(&text::display_line(&line), PROGRESS_MAX).into_owned();
        if line != self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}").and_then(|()| std::io::stderr().flush());
            self.shown = line;
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.show(None);
    }
}

/// Prints raw text made by us (completions, help) on standard output.
pub fn raw(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
