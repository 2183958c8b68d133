//! Every sentence the screen says, in one place: plain, short, and what to do with its key.

use crate::base::text::{count, thousands};
use crate::domain::snapshot::{Decided, Snapshot};

/// Said where the workbench is started without a terminal.
pub const NO_TERMINAL: &str = "The workbench needs a terminal on stdin and stdout.";
/// What to do then.
pub const NO_TERMINAL_TODO: &str =
    "Without one, use: pytead-tui run, gen, replay, diff, draft, review, watch; --format json gives lines for programs.";
/// The question's second sentence.
pub const TRUST_WHY: [&str; 2] = ["Recording and proving run this project's code as", "you. Reading it runs nothing."];
/// A key was pressed that needs trust.
pub const ONLY_READING: &str = "This folder is not trusted, so nothing runs. ! or t asks again; so does pytead-tui trust.";
/// Nobody chose a model.
pub const NO_MODEL: &str = "No model is set up. Name one in your own config (model.provider and providers.<name>).";
/// A second `g`.
pub const ALREADY_ASKED: &str = "A model is writing this one. x cancels.";
/// Esc with nothing to close.
pub const ESC_NOTHING: &str = "Nothing to close. q quits.";
/// A decision was asked for and nothing is there.
pub const NOTHING_WAITS: &str = "Nothing waits for a decision here.";
/// The text is not here yet.
pub const STILL_READING: &str = "It is still being read. Try again in a moment.";
/// Undo, and nothing is there.
pub const NOTHING_TO_UNDO: &str = "No decision to take back.";
/// Redo, and nothing is there.
pub const NOTHING_TO_REDO: &str = "No decision to make again.";
/// Jumps.
pub const NO_JUMP_BACK: &str = "No earlier place.";
/// Jumps.
pub const NO_JUMP_FORWARD: &str = "No later place.";
/// A reason is too short.
pub const REASON_TOO_SHORT: &str = "Say why in 10 characters or more.";
/// The editor came back with the same text.
pub const EDITOR_UNCHANGED: &str = "Back from the editor: nothing changed.";
/// The editor came back with other text.
pub const EDITOR_CHANGED: &str = "Your version is being proved. Nothing is accepted yet.";
/// The editor was in a source file.
pub const EDITOR_SOURCE: &str = "Back from the editor.";
/// Edit in place was closed.
pub const EDIT_KEPT: &str = "Your edit is kept. i goes on, Ctrl-s proves it.";
/// Watch was stopped.
pub const WATCH_PAUSED: &str = "Watch is paused. p goes on.";
/// Watch goes on.
pub const WATCH_ON: &str = "Watch goes on.";
/// The stream's foot.
pub const NOT_PROVED_YET: &str = "Not proved yet. That starts when the last line is here.";
/// Nothing selected to cancel.
pub const NOTHING_RUNS: &str = "No job runs for what is selected.";
/// The last job answers within a moment.
pub const CANCELLING: &str = "Cancelling.";
/// Not to be decided: the proof runs.
pub const WAITS_FOR_PROOF: &str = "a waits for the proof. s skips, x cancels.";
/// Not to be decided: the gate said no.
pub const CANNOT_BE_ACCEPTED: &str = "It cannot be accepted. e edits it, m asks again, r puts it away.";
/// Not to be decided: old code.
pub const STALE_ON_ACCEPT: &str = "Not accepted: the code under this changed. t shows the new one.";
/// No newer draft yet.
pub const NO_NEWER: &str = "A new draft is being made. Until then this text stays.";
/// Only drafts are edited.
pub const NO_TEXT_TO_EDIT: &str = "There is no draft text here to edit.";
/// An empty command.
pub const EMPTY_COMMAND: &str = "Type a command to record, such as: pytest -q";
/// Unbalanced quotes.
pub const UNBALANCED: &str = "The quotes in this command do not close.";
/// A recording is live and `q` was pressed.
pub const QUIT_RECORDING: &str = "A recording is live. Stop it and quit? Its calls are kept.";
/// An edit was not proved and `q` was pressed.
pub const QUIT_EDIT: &str = "Your edit in place is not proved yet. Quit without it?";
/// The clipboard took nothing.
pub const NO_CLIPBOARD: &str = "Not copied: no clipboard command, no tmux, and the terminal's way did not answer.";

/// Too small, by size.
#[must_use]
pub fn too_small(width: u16, height: u16) -> [String; 4] {
    [
        format!("Too small: {width}×{height}."),
        "pytead needs 40×10.".into(),
        "Nothing is lost, jobs go on.".into(),
        "q quits".into(),
    ]
}

/// Nothing was recorded so far.
#[must_use]
pub fn nothing_recorded(snapshot: &Snapshot) -> String {
    format!(
        "{}: {} in {}. Nothing recorded.",
        snapshot.project,
        count(snapshot.functions.len(), "function"),
        count(snapshot.files.len(), "file")
    )
}

/// The queue is done.
#[must_use]
pub fn queue_done(decided: Decided) -> String {
    let all = decided.accepted + decided.edited + decided.rejected + decided.overruled;
    let parts: Vec<String> = [
        (decided.accepted, "accepted"),
        (decided.edited, "edited"),
        (decided.rejected, "rejected"),
        (decided.overruled, "noted as a bug"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect();
    if all == 0 {
        return "Nothing waits for you. ! records more.".into();
    }
    format!("All {all} decided: {}. u goes back. ! records more.", parts.join(", "))
}

/// The filter leaves nothing.
#[must_use]
pub fn filter_hides(hidden: usize, noun: &str) -> String {
    format!("The filter hides all {}. F clears it.", count(hidden, noun))
}

/// A function no recording saw.
#[must_use]
pub fn never_called(name: &str) -> String {
    format!("{name} was not called in any recording.")
}

/// A function whose recorded calls were cleaned away.
#[must_use]
pub fn calls_gone(name: &str) -> String {
    format!("No recorded call of {name} is kept.")
}

/// A function that cannot be tested.
#[must_use]
pub fn no_test(name: &str, reason: &str) -> String {
    format!("No test for {name}: {reason}.")
}

/// A key without a meaning.
#[must_use]
pub fn unbound(key: &str) -> String {
    match key {
        "G" => "G does nothing here. > goes to the end, ? shows the keys.".into(),
        key => format!("{key} does nothing here. ? shows the keys."),
    }
}

/// A key whose action makes no sense now.
#[must_use]
pub fn not_now(title: &str, why: &str) -> String {
    format!("not now: {title} ({why})")
}

/// Reading goes on.
#[must_use]
pub fn reading((done, total): (usize, usize)) -> String {
    format!("Reading {} of {} files", thousands(done), thousands(total))
}

/// What was copied and how.
#[must_use]
pub fn copied(lines: usize, route: &str) -> String {
    format!("Copied {} through {route}.", count(lines, "line"))
}

/// Many were decided.
#[must_use]
pub fn bulk_done(accepted: bool, number: usize) -> String {
    let verb = if accepted { "Accepted" } else { "Rejected" };
    format!("{verb} {}. u goes back through them.", count(number, "proposal"))
}

/// Matches of a search.
#[must_use]
pub fn matches(at: usize, all: usize) -> String {
    format!("match {at} of {}", thousands(all))
}

/// No match.
#[must_use]
pub fn no_match(words: &str) -> String {
    format!("No match for {words} in this pane.")
}
