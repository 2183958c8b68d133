//! Line 2 of a change: the first call that ends differently, its values, and the edit behind it, in fewer and fewer words.

use crate::base::text;
use crate::domain::snapshot::QueueRow;
use crate::generate::news::cause;
use crate::generate::replay::old_and_new;
use crate::tui::app::AppState;

/// Columns of a call's arguments, at most.
const ARGUMENTS: usize = 32;

/// Writes what a change is about, the longest first: `Cart.total('FR')  104.90 → 100.00  caused by pricing.py:44: > became >=`,
/// and how many more of its calls end differently: `· 2 more`.
#[must_use]
pub fn lines(state: &AppState, row: &QueueRow) -> Vec<String> {
    let name = row.subject.short().to_owned();
    let change = state.loaded().and_then(|loaded| loaded.view.proposal.change());
    let Some((change, call)) = change.and_then(|change| Some((change, change.calls.first()?))) else { return vec![name] };
    let values = old_and_new(call);
    let arguments = text::display_line(&call.arguments).into_owned();
    let called = format!("{name}{}", text::cut(&arguments, ARGUMENTS));
    let others = match change.calls.len() - 1 {
        0 => String::new(),
        others => format!(" · {others} more"),
    };
    let mut out = Vec::new();
    if let Some(first) = change.because.first() {
        let more = match change.because.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", text::count(more, "other edit")),
        };
        out.push(format!("{called}  {values}  caused by {}{more}{others}", cause(first)));
        out.push(format!("{called}  {values}  {}:{}{others}", first.path.file_name(), first.line));
    }
    if !others.is_empty() {
        out.push(format!("{called}  {values}{others}"));
    }
    out.push(format!("{called}  {values}"));
    out.push(format!("{name}  {values}"));
    out
}

/// Gives the longest line that fits into so many columns, else the shortest.
#[must_use]
pub fn fitting(lines: &[String], columns: usize) -> String {
    let fits = |line: &&String| text::width(&text::display_line(line)) <= columns;
    lines.iter().find(fits).or(lines.last()).cloned().unwrap_or_default()
}
