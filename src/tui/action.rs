//! Everything a key can do, in one table: dispatch, help, key line, palette and the conflict check read it.
//!
//! What an action does stands in `update/`; whether it makes sense now, in `live.rs`.

/// Something a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Go to a screen.
    Review,
    /// Go to a screen.
    Journeys,
    /// Go to a screen.
    Specs,
    /// Go to a screen.
    Runs,
    /// Go to a screen.
    Log,
    /// Go to a screen.
    Diff,
    /// Compare with a commit.
    DiffAgainst,
    /// Move the focus.
    NextPane,
    /// Move the focus.
    PreviousPane,
    /// Show the keys.
    Help,
    /// Find an action.
    Palette,
    /// Find a text in this pane.
    Search,
    /// Go to a match.
    NextMatch,
    /// Go to a match.
    PreviousMatch,
    /// Narrow the list.
    Filter,
    /// Show the whole list again.
    ClearFilter,
    /// Go through the queue.
    NextProposal,
    /// Go through the queue.
    PreviousProposal,
    /// Show the queue as a list.
    Queue,
    /// Take a decision back.
    Undo,
    /// Decide again.
    Redo,
    /// Run a program under the recorder.
    Record,
    /// Ask a model for a draft.
    Ask,
    /// Ask with a remark.
    AskWithRemark,
    /// Bring a model to this machine.
    GetModel,
    /// Open the editor.
    Edit,
    /// Edit here.
    EditHere,
    /// Do it again.
    Again,
    /// Run all of the filter.
    AgainAll,
    /// Stop a job.
    Cancel,
    /// Stop watching for a while.
    Pause,
    /// Say why.
    Why,
    /// Walk the places.
    Back,
    /// Walk the places.
    Forward,
    /// This pane alone.
    Zoom,
    /// Change the width.
    Narrower,
    /// Change the width.
    Wider,
    /// Copy.
    Copy,
    /// Draw everything again.
    Redraw,
    /// Go to the shell.
    Suspend,
    /// Leave.
    Quit,
    /// Close the top layer.
    Close,
    /// Move.
    Down,
    /// Move.
    Up,
    /// Move.
    Left,
    /// Move.
    Right,
    /// Move.
    PageDown,
    /// Move.
    PageUp,
    /// Move.
    HalfDown,
    /// Move.
    HalfUp,
    /// Move.
    First,
    /// Move.
    Last,
    /// Go in or there.
    Enter,
    /// Go to the definition.
    Definition,
    /// Go to the calls.
    Calls,
    /// Step.
    PreviousItem,
    /// Step.
    NextItem,
    /// Show it whole.
    View,
    /// Compare.
    Compare,
    /// Decide.
    Accept,
    /// Decide on many.
    AcceptAll,
    /// Decide.
    Reject,
    /// Decide on many.
    RejectAll,
    /// Decide later.
    Skip,
    /// Decide with a reason.
    Overrule,
    /// Do what was typed.
    Submit,
    /// Close what is typed into.
    Leave,
    /// Complete what is typed.
    Complete,
    /// Choose, or an earlier entry.
    Earlier,
    /// Choose, or a later entry.
    Later,
    /// Move in the line.
    LineStart,
    /// Move in the line.
    LineEnd,
    /// Delete in the line.
    DeleteWord,
    /// Delete in the line.
    DeleteLine,
    /// Prove the edited text.
    ProveEdit,
    /// Close the editor in place.
    CloseEdit,
    /// Go on in the editor.
    EditOutside,
    /// Undo typing.
    UndoTyping,
    /// Redo typing.
    RedoTyping,
    /// Give the marked answer.
    Answer,
    /// Mark another answer.
    NextAnswer,
    /// Mark another answer.
    PreviousAnswer,
    /// Give the safe answer or close.
    SafeAnswer,
    /// Scroll the box.
    ScrollDown,
    /// Scroll the box.
    ScrollUp,
}

/// Where a key is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// Review, on what line 2 names.
    Decide,
    /// Panes with code, calls or evidence.
    Look,
    /// Lists, trees and text.
    Move,
    /// Everywhere.
    Global,
    /// Lines to type into: alone on the path.
    Prompt,
    /// Editing in place: alone on the path.
    InPlace,
    /// Questions and boxes: alone on the path.
    Layer,
}

impl Context {
    /// The contexts whose keys meet on one way of looking a key up.
    pub const PATHS: [&'static [Self]; 4] =
        [&[Self::Decide, Self::Look, Self::Move, Self::Global], &[Self::Prompt], &[Self::InPlace], &[Self::Layer]];

    /// Gives the name used in `keys.toml` and on the help page.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Look => "look",
            Self::Move => "move",
            Self::Global => "global",
            Self::Prompt => "prompt",
            Self::InPlace => "in place",
            Self::Layer => "layer",
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it does.
    pub action: Action,
    /// Where its keys count.
    pub context: Context,
    /// Its keys, the first is the one shown.
    pub keys: &'static [&'static str],
    /// Its word in the key line, and its name in `keys.toml`: one of its kind in its context.
    pub word: &'static str,
    /// Its name in the palette.
    pub title: &'static str,
    /// What it does, for the help.
    pub does: &'static str,
}

const fn entry(
    context: Context,
    action: Action,
    keys: &'static [&'static str],
    word: &'static str,
    title: &'static str,
    does: &'static str,
) -> Entry {
    Entry { action, context, keys, word, title, does }
}

use Action as A;
use Context::{Decide, Global, InPlace, Layer, Look, Move, Prompt};

/// The table.
pub const TABLE: &[Entry] = &[
    entry(Decide, A::Accept, &["a"], "accept", "Accept", "write it; the diff is shown first"),
    entry(Decide, A::AcceptAll, &["A"], "accept all", "Accept all in the filter", "all that are ready in the filter; asks first"),
    entry(Decide, A::Reject, &["r"], "reject", "Reject", "do not take it"),
    entry(Decide, A::RejectAll, &["R"], "reject all", "Reject all in the filter", "all in the filter; asks first"),
    entry(Decide, A::Skip, &["s"], "skip", "Skip", "it comes back at the end of the pass"),
    entry(
        Decide,
        A::Overrule,
        &["o"],
        "bug",
        "This is a bug, or overrule a verdict",
        "a note with a reason stays until the outcome changes; no test",
    ),
    entry(Look, A::Definition, &["d"], "definition", "Go to the definition", "where the function is written"),
    entry(Look, A::Calls, &["c"], "calls", "Go to the calls", "recorded calls of the function here"),
    entry(
        Look,
        A::PreviousItem,
        &[","],
        "previous",
        "Previous call, hunk or evidence",
        "the call, hunk, evidence or marked function before",
    ),
    entry(Look, A::NextItem, &["."], "next", "Next call, hunk or evidence", "the call, hunk, evidence or marked function after"),
    entry(Look, A::View, &["v"], "in full", "View in full", "the value, output or traceback whole"),
    entry(Look, A::Compare, &["="], "compare", "Compare", "with the file, the whole text, the newer draft"),
    entry(Move, A::Down, &["j", "Down"], "down", "Down", "one line"),
    entry(Move, A::Up, &["k", "Up"], "up", "Up", "one line"),
    entry(Move, A::Left, &["h", "Left"], "fold", "Fold, or left", "fold or to the parent; text sideways"),
    entry(Move, A::Right, &["l", "Right"], "unfold", "Unfold, or right", "unfold; text sideways"),
    entry(Move, A::PageDown, &["Space", "PgDn", "Ctrl-f"], "page", "Page down", "one page"),
    entry(Move, A::PageUp, &["PgUp", "Ctrl-b"], "page up", "Page up", "one page"),
    entry(Move, A::HalfDown, &["Ctrl-d"], "half a page", "Half a page down", "half a page"),
    entry(Move, A::HalfUp, &["Ctrl-u"], "half a page up", "Half a page up", "half a page"),
    entry(Move, A::First, &["<", "Home"], "first", "First line", "to the start"),
    entry(Move, A::Last, &[">", "End"], "last", "Last line", "to the end"),
    entry(Move, A::Enter, &["Enter"], "open", "Open", "go in or there; never decides"),
    entry(Global, A::Review, &["1"], "review", "Go to Review", "the screen of drafts and changes"),
    entry(Global, A::Journeys, &["2"], "journeys", "Go to Journeys", "what tests with an intent did, and what came of it"),
    entry(Global, A::Specs, &["3"], "specs", "Go to Specs", "YAML tests, their steps, and what came of them"),
    entry(Global, A::Runs, &["4"], "runs", "Go to Runs", "recordings and jobs"),
    entry(Global, A::Log, &["5", "L"], "log", "Go to the log", "what happened"),
    entry(Global, A::Diff, &["6"], "diff", "Go to the diff", "what a change of the code does, by recorded calls"),
    entry(Global, A::NextPane, &["Tab"], "pane", "Next pane", "next pane or tab"),
    entry(Global, A::PreviousPane, &["Shift-Tab"], "pane back", "Previous pane", "previous pane or tab"),
    entry(Global, A::Help, &["?", "F1"], "keys", "Keys of this place", "the keys of this place, searchable"),
    entry(Global, A::Palette, &[":", "Ctrl-p"], "actions", "Every action", "find an action by its name"),
    entry(Global, A::Search, &["/"], "search", "Search in this pane", "search in this pane"),
    entry(Global, A::NextMatch, &["n"], "next match", "Next match", "the next match"),
    entry(Global, A::PreviousMatch, &["N"], "previous match", "Previous match", "the match before"),
    entry(Global, A::Filter, &["f"], "filter", "Filter the list", "words, is:state, in:path"),
    entry(Global, A::ClearFilter, &["F"], "clear", "Clear the filter", "show everything again"),
    entry(Global, A::NextProposal, &["J", "Shift-Down"], "next", "Next proposal", "the next one that waits"),
    entry(Global, A::PreviousProposal, &["K", "Shift-Up"], "previous", "Previous proposal", "the one before, decided ones too"),
    entry(Global, A::Queue, &["Q"], "queue", "The queue as a list", "what waits, in its order"),
    entry(Global, A::Undo, &["u"], "undo", "Undo the last decision", "take the last decision back, also after a write"),
    entry(Global, A::Redo, &["U", "Ctrl-r"], "redo", "Redo the decision", "decide again what u took back"),
    entry(Global, A::Record, &["!"], "record", "Record a command…", "run a program under the recorder"),
    entry(
        Global,
        A::DiffAgainst,
        &["D"],
        "diff with",
        "Diff against a commit…",
        "run recorded calls on a commit and on today's files",
    ),
    entry(
        Global,
        A::Ask,
        &["g"],
        "ask a model",
        "Ask a model",
        "ask a model for a test of this function; on Journeys for clauses of the intent",
    ),
    entry(Global, A::AskWithRemark, &["m"], "remark", "Ask a model with a remark…", "ask again and say what to do differently"),
    entry(Global, A::GetModel, &["M"], "get a model", "Get a model…", "bring a model of a hub to this machine"),
    entry(Global, A::Edit, &["e"], "edit", "Edit in $EDITOR", "open the editor at the line"),
    entry(Global, A::EditHere, &["i"], "in place", "Edit in place", "edit the draft here"),
    entry(Global, A::Again, &["t"], "again", "Do it again", "prove, replay or record again; on ~ take the new one"),
    entry(
        Global,
        A::AgainAll,
        &["T"],
        "run all",
        "Run all tests here",
        "run the YAML tests, or tests with an intent, in the filter",
    ),
    entry(Global, A::Cancel, &["x"], "cancel", "Cancel the job", "stop the job of what is selected"),
    entry(Global, A::Pause, &["p"], "pause", "Pause or resume watch", "stop or go on reacting to saves"),
    entry(Global, A::Why, &["w"], "why", "Why is it here", "why it is here; on an error what, why, what to do"),
    entry(Global, A::Back, &["b", "Alt-Left", "Ctrl-o"], "back", "Back", "to the place before the jump"),
    entry(Global, A::Forward, &["B", "Alt-Right"], "forward", "Forward", "to the place after the jump"),
    entry(Global, A::Zoom, &["z"], "zoom", "This pane alone", "this pane alone and back"),
    entry(Global, A::Narrower, &["-"], "narrower", "Narrower", "this pane narrower"),
    entry(Global, A::Wider, &["+"], "wider", "Wider", "this pane wider"),
    entry(Global, A::Copy, &["y"], "copy", "Copy", "copy what is selected, as shown"),
    entry(Global, A::Redraw, &["Ctrl-l"], "redraw", "Draw everything again", "draw everything again"),
    entry(Global, A::Suspend, &["Ctrl-z"], "suspend", "Suspend", "to the shell; fg comes back"),
    entry(Global, A::Quit, &["q", "Ctrl-c"], "quit", "Quit", "asks only when a recording or an edit would end"),
    entry(Global, A::Close, &["Esc"], "close", "Close", "close the top layer; decides nothing"),
    entry(Prompt, A::Submit, &["Enter"], "do it", "Do it", "do it"),
    entry(Prompt, A::Leave, &["Esc", "Ctrl-c"], "close", "Close", "close; the text stays"),
    entry(Prompt, A::Complete, &["Tab"], "complete", "Complete", "complete the word"),
    entry(Prompt, A::Earlier, &["Up"], "earlier", "Earlier", "the choice or entry before"),
    entry(Prompt, A::Later, &["Down"], "later", "Later", "the choice or entry after"),
    entry(Prompt, A::LineStart, &["Ctrl-a", "Home"], "start", "Start of the line", "start of the line"),
    entry(Prompt, A::LineEnd, &["Ctrl-e", "End"], "end", "End of the line", "end of the line"),
    entry(Prompt, A::DeleteWord, &["Ctrl-w"], "delete word", "Delete the word", "delete the word"),
    entry(Prompt, A::DeleteLine, &["Ctrl-u"], "delete line", "Delete the line", "delete the line"),
    entry(InPlace, A::ProveEdit, &["Ctrl-s"], "prove", "Prove this text", "check the edited draft"),
    entry(InPlace, A::CloseEdit, &["Esc", "Ctrl-c"], "close", "Close", "close; the text stays, i resumes"),
    entry(InPlace, A::EditOutside, &["Ctrl-g"], "$EDITOR", "Go on in $EDITOR", "go on in $EDITOR"),
    entry(InPlace, A::UndoTyping, &["Ctrl-u"], "undo", "Undo typing", "undo typing"),
    entry(InPlace, A::RedoTyping, &["Ctrl-r"], "redo", "Redo typing", "redo typing"),
    entry(Layer, A::Answer, &["Enter"], "answer", "The marked answer", "the marked answer"),
    entry(Layer, A::NextAnswer, &["Tab", "Right"], "mark next", "Mark the next answer", "mark the next answer"),
    entry(Layer, A::PreviousAnswer, &["Shift-Tab", "Left"], "mark before", "Mark the answer before", "mark the answer before"),
    entry(Layer, A::SafeAnswer, &["Esc", "q", "Ctrl-c"], "close", "Close", "the safe answer, or close"),
    entry(Layer, A::ScrollDown, &["j", "Down", "Space", "PgDn"], "scroll down", "Scroll down", "scroll the box"),
    entry(Layer, A::ScrollUp, &["k", "Up", "PgUp"], "scroll up", "Scroll up", "scroll the box"),
];

/// Finds the line of an action in the table.
#[must_use]
pub fn find(action: Action) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.action == action)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_action_can_be_named_in_keys_toml() {
        let mut seen = HashSet::new();
        for entry in TABLE {
            assert!(seen.insert((entry.context.name(), entry.word)), "[{}] has two {}", entry.context.name(), entry.word);
        }
    }

    #[test]
    fn every_action_stands_once_in_the_table() {
        let mut seen = HashSet::new();
        for entry in TABLE {
            assert!(seen.insert(entry.action), "{:?} stands twice", entry.action);
            assert!(!entry.keys.is_empty() && !entry.word.is_empty(), "{:?}", entry.action);
        }
    }
}
