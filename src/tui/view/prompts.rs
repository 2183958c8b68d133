//! A line to type into, with what helps to fill it: numbers of a filter, earlier commands, what a reason is for.

use crate::base::text::{self, count};
use crate::domain::proposal::ProposalKind;
use crate::tui::app::AppState;
use crate::tui::content;
use crate::tui::filter::{Filter, STATES};
use crate::tui::layer::{Prompt, Purpose};
use crate::tui::layout::Screen;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::widgets::line_edit::typed;

/// Columns of one state of the filter with its number.
const CELL: usize = 18;
/// Earlier commands that are shown.
const EARLIER: usize = 5;

/// Makes the title and the lines of a prompt.
#[must_use]
pub fn lines(state: &AppState, prompt: &Prompt) -> (String, Vec<Row>) {
    let (title, sign) = match &prompt.purpose {
        Purpose::Filter if state.screen == Screen::Log => ("Filter the log: words, is:error".to_owned(), "f"),
        Purpose::Filter if state.screen == Screen::Runs => ("Filter the calls: words, is:failing, in:path".to_owned(), "f"),
        Purpose::Filter => ("Filter: words, is:state, in:path".to_owned(), "f"),
        Purpose::Search => ("Search in this pane".to_owned(), "/"),
        Purpose::Record => ("Record a command".to_owned(), "!"),
        Purpose::Remark(function) => (format!("Ask a model for {} with a remark", function.qualname()), "m"),
        Purpose::GetModel => ("Get a model: owner/repository/file.gguf".to_owned(), "M"),
        Purpose::Reason(_) if on_verdict(state) => ("Overrule this verdict".to_owned(), "o"),
        Purpose::Reason(_) => ("This recorded outcome is a bug".to_owned(), "o"),
        Purpose::Rejection(_) => ("Why reject it? It stays red until its calls end as before".to_owned(), "r"),
        Purpose::Diff => ("Diff against a commit".to_owned(), "D"),
    };
    let line = typed(sign, &prompt.line);
    let mut out = Vec::new();
    let line = match &prompt.purpose {
        Purpose::Filter if state.screen == Screen::Log => {
            let filter = Filter::parse(&prompt.line.text);
            let shown = state.snapshot.log.iter().filter(|row| filter.takes_log(row)).count();
            out.push(note("   is:error  is:warning  is:done  is:info  or a kind, such as is:saved"));
            line.end(Role::Dim, format!("{shown} of {}", state.snapshot.log.len()))
        }
        Purpose::Filter if state.screen == Screen::Runs => {
            let filter = Filter::parse(&prompt.line.text);
            let calls = state.recorded.calls();
            let shown = calls.iter().filter(|row| filter.takes_call(row)).count();
            line.end(Role::Dim, format!("{} of {}", text::thousands(shown), count(calls.len(), "call")))
        }
        Purpose::Filter => {
            out.extend(states(state));
            line.end(Role::Dim, matching(state, &prompt.line.text))
        }
        Purpose::Search => {
            let words = prompt.line.text.trim().to_lowercase();
            let hits = if words.is_empty() { None } else { Some(content::matches(state, state.focus, &words).len()) };
            match hits {
                Some(0) => line.end(Role::Dim, "no match"),
                Some(1) => line.end(Role::Dim, "1 match"),
                Some(hits) => line.end(Role::Dim, format!("{} matches", text::thousands(hits))),
                None => line,
            }
        }
        Purpose::Record => {
            for (at, entry) in prompt.earlier.iter().enumerate().take(EARLIER) {
                let mark = if prompt.at == Some(at) { " > " } else { "   " };
                out.push(Row::new().add(Role::Accent, mark).add(Role::Dim, entry.clone()));
            }
            out.push(note("   It runs as you typed it, in the project's folder. Its output goes to Runs, v shows it."));
            line
        }
        Purpose::Remark(_) => {
            out.push(note("   What to do differently. The code and its recorded calls go with it."));
            line
        }
        Purpose::GetModel => {
            out.push(note("   Asked about before 5 GB. x stops it in Runs, and getting it again goes on."));
            line
        }
        Purpose::Diff => {
            out.push(note("   A commit, branch or tag. Recorded calls run on its files and on today's; no file changes."));
            line
        }
        Purpose::Rejection(_) => {
            for (at, reason) in prompt.earlier.iter().enumerate() {
                let mark = if prompt.at == Some(at) { " > " } else { "   " };
                out.push(Row::new().add(Role::Accent, mark).add(Role::Dim, reason.clone()));
            }
            line.end(Role::Dim, "optional: Enter alone gives no reason.  Up chooses one:")
        }
        Purpose::Reason(_) => {
            out.push(note(match on_verdict(state) {
                true => "   Why? It stays in the project's file of overrides, and counts while the test does what it does now.",
                false => "   Why? No test is made. The note stays until the outcome changes.",
            }));
            line.end(Role::Dim, prompt.line.text.trim().chars().count().to_string())
        }
    };
    if let Some(wrong) = &prompt.wrong {
        out.push(Row::new().add(Role::Failing, " ! ").add(Role::Text, wrong.clone()));
    }
    out.insert(0, line);
    (title, out)
}

fn on_verdict(state: &AppState) -> bool {
    state.current().is_some_and(|row| row.kind == ProposalKind::Verdict)
}

fn note(text: &str) -> Row {
    Row::new().add(Role::Dim, text)
}

fn matching(state: &AppState, typed: &str) -> String {
    let filter = Filter::parse(typed);
    let shown = state.own_functions().filter(|row| filter.takes(row)).count();
    format!("{shown} of {}", count(state.own_functions().count(), "function"))
}

/// Writes the states a filter knows, each with the functions that are in it, in as many columns as there are.
fn states(state: &AppState) -> Vec<Row> {
    let across = (usize::from(state.size.0).saturating_sub(4) / CELL).clamp(1, 5);
    let cell = |name: &&str| {
        let filter = Filter::parse(&format!("is:{name}"));
        let number = state.own_functions().filter(|row| filter.takes(row)).count();
        format!("{:<CELL$}", format!("is:{name} {number}"))
    };
    STATES.chunks(across).map(|line| note(&format!("   {}", line.iter().map(cell).collect::<String>()))).collect()
}
