//! What the screen says before the first draft, and about news.

use crate::base::text::{count, thousands};
use crate::domain::snapshot::RecordingRow;

/// A recording was asked for and did not begin yet.
pub const RECORDING_STARTS: &str = "Starting your program under the recorder.";
/// Below a first recording while it runs.
pub const DRAFTS_AFTER_END: &str = "Drafts come when it ends. x stops it, 4 shows all of it.";
/// `Enter` while the first recording runs.
pub const RECORDING_RUNS: &str = "The recording still runs. Drafts come when it ends. x stops it.";
/// `Enter` before the command is known.
pub const ENTER_WAITS: &str = "Still reading the project. Enter records as soon as the command is shown.";
/// Below a recording that failed.
pub const RECORD_AGAIN: &str = "Enter records it again, ! another command. y copies a line. 4 then v shows all output.";
/// A recording that saw nothing of the project.
pub const NO_OWN_CALL: &str =
    "Your program ended, and no function of this project was called. ! records another command. 4 then v shows its output.";
/// A key that asks for trust was followed by another one.
pub const NOT_TRUSTED_YET: &str = "Not trusted: another key was pressed. t asks again, y trusts.";
/// A letter that answers nothing.
pub const ANSWER_KEYS: &str = "Press one of the letters in the box, or Esc.";
/// `,` or `.` at the end.
pub const NO_MORE_ITEMS: &str = "Nothing more that way to step to.";
/// `,` or `.` on calls, and there are none.
pub const NO_CALLS_HERE: &str = "No recorded call to step to. ! records, g asks a model.";
/// `t` on a recording that is live.
pub const STILL_RECORDING: &str = "It is still recording. Drafts follow its end.";
/// Behind the number of a call in the source pane: it ran on when its lines were not followed any more.
pub const FOLLOWED_IN_PART: &str = " · followed up to a limit";

/// Says there why nothing but what was recorded is shown of a call.
#[must_use]
pub fn not_run_again(why: &str) -> String {
    format!(" · not run again: {why}")
}

/// `w` on a step of a YAML test that went well.
pub const STEP_FINE: &str = "This step ended as expected. v shows its result.";
/// `w` on a step that did not run.
pub const STEP_NOT_RUN: &str = "This step did not run: a step before it failed, or the test did not run. t runs it.";
/// `w` on a YAML test.
pub const SPEC_TODO: &str = "t runs it. Enter shows its steps: w explains each.";
/// Below the question for a decision of another window.
pub const UNDO_OF_ANOTHER: &str = "Nothing that stands was decided in this window. Another one or an earlier session did.";
/// A width cannot change.
pub const ONE_COLUMN: &str = "Only one column is shown: its width is that of the window.";
/// `h` or `l` where lines wrap.
pub const LINES_WRAP: &str = "Long lines wrap here: nothing is hidden at the side.";

/// The reasons that people reject a change for.
pub const REASONS: [&str; 3] = ["not intended: the edit is wrong", "the new value is wrong", "fixed later"];
/// An edit in place does not parse.
#[must_use]
pub fn does_not_parse(line: u32) -> String {
    format!("Line {line} does not parse: it is not proved yet. Esc keeps it for later.")
}

/// A folder or a file has nothing to draft.
pub const NO_CALLS_BELOW: &str = "No function below was called in a recording. ! records a program that calls them.";

/// What a recording saw: calls and functions.
#[must_use]
pub fn seen(row: &RecordingRow, functions: usize) -> String {
    let calls = count(usize::try_from(row.seen).unwrap_or(usize::MAX), "call");
    let called = usize::try_from(row.functions).unwrap_or(usize::MAX);
    format!("{calls} · {} of {}", thousands(called), count(functions, "function"))
}

/// The first draft of a first recording is here.
#[must_use]
pub fn first_draft(row: &RecordingRow, functions: usize, seconds: i64) -> String {
    let time = if seconds < 1 { "at once".to_owned() } else { format!("after {seconds} s") };
    format!("{} · first draft {time}. a accepts it.", seen(row, functions))
}

/// Drafts of all recorded functions of a folder or a file were asked for.
#[must_use]
pub fn drafts_asked(functions: usize, path: &str) -> String {
    format!("Drafting what is missing of {} in {path}.", count(functions, "function"))
}

/// A key that decides was clicked.
#[must_use]
pub fn press_it(key: &str) -> String {
    format!("Press {key} on the keyboard: no click decides.")
}

/// A save changed a result, while something else is being read.
#[must_use]
pub fn news(name: &str, about: &str, in_review: bool) -> String {
    let shows = if in_review { "J shows it." } else { "1 then J shows it." };
    format!("{name}  {}. {shows}", about.split_whitespace().collect::<Vec<_>>().join(" "))
}
