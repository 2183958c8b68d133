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
    /// Find a function by its name.
    GoToFunction,
    /// Open the settings.
    Settings,
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
    /// Look.
    TestsThrough,
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
    /// Decide, and keep a test.
    KeepTest,
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
    entry(Decide, A::Accept, &["a"], "accept", "Accept", "Write this test, or take this result. The diff is shown first"),
    entry(
        Decide,
        A::AcceptAll,
        &["A"],
        "accept all",
        "Accept all in the filter",
        "Accept everything ready in the filter. It asks with the number",
    ),
    entry(Decide, A::Reject, &["r"], "reject", "Reject", "Reject this draft, or keep a changed result red"),
    entry(
        Decide,
        A::RejectAll,
        &["R"],
        "reject all",
        "Reject all in the filter",
        "Reject everything ready in the filter. It asks with the number",
    ),
    entry(Decide, A::Skip, &["s"], "skip", "Skip", "Decide later: it comes back at the end"),
    entry(
        Decide,
        A::Overrule,
        &["o"],
        "bug",
        "This is a bug, or overrule a verdict",
        "Note that this result is a bug, or overrule a verdict",
    ),
    entry(
        Decide,
        A::KeepTest,
        &["O"],
        "keep as test",
        "Keep the old outcome as a test",
        "The old outcome beside recorded inputs becomes a test",
    ),
    entry(Look, A::Definition, &["d"], "definition", "Go to the definition", "Go to where this function is written"),
    entry(Look, A::TestsThrough, &["C"], "tests", "Go to a test of this…", "List the tests that run through this function"),
    entry(Look, A::Calls, &["c"], "calls", "Go to the calls", "Go to the recorded calls of this function"),
    entry(
        Look,
        A::PreviousItem,
        &[",", "["],
        "previous",
        "Previous call, hunk or evidence",
        "Step to the previous call, hunk or evidence",
    ),
    entry(Look, A::NextItem, &[".", "]"], "next", "Next call, hunk or evidence", "Step to the next call, hunk or evidence"),
    entry(Look, A::View, &["v"], "in full", "View in full", "Show this value, output or traceback whole"),
    entry(Look, A::Compare, &["="], "compare", "Compare", "Compare with the file, the whole text, or the newer draft"),
    entry(Move, A::Down, &["j", "Down"], "down", "Down", "Move down one line"),
    entry(Move, A::Up, &["k", "Up"], "up", "Up", "Move up one line"),
    entry(Move, A::Left, &["h", "Left"], "fold", "Fold, or left", "Fold this, or go to what it is in"),
    entry(Move, A::Right, &["l", "Right"], "unfold", "Unfold, or right", "Unfold this, or go on"),
    entry(Move, A::PageDown, &["Space", "PgDn", "Ctrl-f"], "page", "Page down", "Move down one page"),
    entry(Move, A::PageUp, &["PgUp", "Ctrl-b"], "page up", "Page up", "Move up one page"),
    entry(Move, A::HalfDown, &["Ctrl-d"], "half a page", "Half a page down", "Move down half a page"),
    entry(Move, A::HalfUp, &["Ctrl-u"], "half a page up", "Half a page up", "Move up half a page"),
    entry(Move, A::First, &["<", "Home"], "first", "First line", "Go to the first line"),
    entry(Move, A::Last, &[">", "End"], "last", "Last line", "Go to the last line"),
    entry(Move, A::Enter, &["Enter"], "open", "Open", "Open what is selected. It never decides"),
    entry(Global, A::Review, &["1"], "review", "Go to Review", "Review drafts and changes"),
    entry(Global, A::Journeys, &["2"], "journeys", "Go to Journeys", "See what tests with an intent did, and their verdicts"),
    entry(Global, A::Specs, &["3"], "specs", "Go to Specs", "See YAML tests, their steps and results"),
    entry(Global, A::Runs, &["4"], "runs", "Go to Runs", "See recordings and jobs"),
    entry(Global, A::Log, &["5", "L"], "log", "Go to the log", "See what happened"),
    entry(Global, A::Diff, &["6"], "diff", "Go to the diff", "See what changed against a commit, by recorded calls"),
    entry(Global, A::NextPane, &["Tab"], "pane", "Next pane", "Go to the next pane or tab"),
    entry(Global, A::PreviousPane, &["Shift-Tab"], "pane back", "Previous pane", "Go to the previous pane or tab"),
    entry(Global, A::Help, &["?", "F1"], "keys", "Keys of this place", "Show the keys of this place, and what each mark means"),
    entry(Global, A::Palette, &[":", "Ctrl-p"], "actions", "Every action", "Find an action by what it does"),
    entry(Global, A::Search, &["/"], "search", "Search in this pane", "Search in this pane"),
    entry(Global, A::NextMatch, &["n"], "next match", "Next match", "Go to the next match"),
    entry(Global, A::PreviousMatch, &["N"], "previous match", "Previous match", "Go to the previous match"),
    entry(Global, A::Filter, &["f"], "filter", "Filter the list", "Filter the list: words, is:state, in:path"),
    entry(Global, A::ClearFilter, &["F"], "clear", "Clear the filter", "Clear the filter"),
    entry(Global, A::NextProposal, &["J", "Shift-Down"], "next", "Next proposal", "Go to the next draft or change that waits"),
    entry(
        Global,
        A::PreviousProposal,
        &["K", "Shift-Up"],
        "previous",
        "Previous proposal",
        "Go to the one before, decided ones too",
    ),
    entry(Global, A::Queue, &["Q"], "queue", "The queue as a list", "List what waits; on Journeys all tests with an intent"),
    entry(Global, A::GoToFunction, &["@"], "go to", "Go to a function…", "Find a function by its name, with a preview"),
    entry(Global, A::Settings, &["E"], "settings", "Open the settings", "Open your settings in your editor: theme, model, keys"),
    entry(Global, A::Undo, &["u"], "undo", "Undo the last decision", "Take back the last decision, also after a write"),
    entry(Global, A::Redo, &["U", "Ctrl-r"], "redo", "Redo the decision", "Make the decision again that you took back"),
    entry(Global, A::Record, &["!"], "record", "Record a command…", "Record a program: run it under the recorder"),
    entry(
        Global,
        A::DiffAgainst,
        &["D"],
        "diff with",
        "Diff against a commit…",
        "Compare recorded calls on a commit and on today's files",
    ),
    entry(Global, A::Ask, &["g"], "ask a model", "Ask a model", "Ask a model for a test, or for clauses of an intent"),
    entry(
        Global,
        A::AskWithRemark,
        &["m"],
        "remark",
        "Ask a model with a remark…",
        "Ask a model again, and say what to do differently",
    ),
    entry(Global, A::GetModel, &["M"], "get a model", "Get a model…", "Download a model to this machine"),
    entry(Global, A::Edit, &["e"], "edit", "Edit in $EDITOR", "Open your editor at this line"),
    entry(Global, A::EditHere, &["i"], "in place", "Edit in place", "Edit the draft in this pane"),
    entry(Global, A::Again, &["t"], "again", "Do it again", "Draft, verify or replay this again"),
    entry(
        Global,
        A::AgainAll,
        &["T"],
        "run all",
        "Run all tests here",
        "Run all YAML tests, or all tests with an intent, in the filter",
    ),
    entry(Global, A::Cancel, &["x"], "cancel", "Cancel the job", "Stop the job of what is selected"),
    entry(Global, A::Pause, &["p"], "pause", "Pause or resume watch", "Pause or resume watching for saves"),
    entry(Global, A::Why, &["w"], "why", "Why is it here", "Explain why this is here. On an error: what to do"),
    entry(Global, A::Back, &["b", "Alt-Left", "Ctrl-o"], "back", "Back", "Go back to the place before the jump"),
    entry(Global, A::Forward, &["B", "Alt-Right"], "forward", "Forward", "Go forward to the place after the jump"),
    entry(Global, A::Zoom, &["z"], "zoom", "This pane alone", "Show this pane alone, and back"),
    entry(Global, A::Narrower, &["-"], "narrower", "Narrower", "Make this pane narrower"),
    entry(Global, A::Wider, &["+"], "wider", "Wider", "Make this pane wider"),
    entry(Global, A::Copy, &["y"], "copy", "Copy", "Copy what is selected, as shown"),
    entry(Global, A::Redraw, &["Ctrl-l"], "redraw", "Draw everything again", "Draw the whole screen again"),
    entry(Global, A::Suspend, &["Ctrl-z"], "suspend", "Suspend", "Go to the shell. fg comes back"),
    entry(Global, A::Quit, &["q", "Ctrl-c"], "quit", "Quit", "Quit. It asks only if a recording would end"),
    entry(Global, A::Close, &["Esc"], "close", "Close", "Close the top layer. It decides nothing"),
    entry(Prompt, A::Submit, &["Enter"], "do it", "Do it", "Do what is typed"),
    entry(Prompt, A::Leave, &["Esc", "Ctrl-c"], "close", "Close", "Close. The text stays"),
    entry(Prompt, A::Complete, &["Tab"], "complete", "Complete", "Complete the word"),
    entry(Prompt, A::Earlier, &["Up"], "earlier", "Earlier", "Go to the choice or entry before"),
    entry(Prompt, A::Later, &["Down"], "later", "Later", "Go to the choice or entry after"),
    entry(Prompt, A::LineStart, &["Ctrl-a", "Home"], "start", "Start of the line", "Go to the start of the line"),
    entry(Prompt, A::LineEnd, &["Ctrl-e", "End"], "end", "End of the line", "Go to the end of the line"),
    entry(Prompt, A::DeleteWord, &["Ctrl-w"], "delete word", "Delete the word", "Delete the word"),
    entry(Prompt, A::DeleteLine, &["Ctrl-u"], "delete line", "Delete the line", "Delete the line"),
    entry(InPlace, A::ProveEdit, &["Ctrl-s"], "prove", "Prove this text", "Verify the edited draft"),
    entry(InPlace, A::CloseEdit, &["Esc", "Ctrl-c"], "close", "Close", "Close. The text stays, i resumes"),
    entry(InPlace, A::EditOutside, &["Ctrl-g"], "$EDITOR", "Go on in $EDITOR", "Go on in your editor"),
    entry(InPlace, A::UndoTyping, &["Ctrl-u"], "undo", "Undo typing", "Undo typing"),
    entry(InPlace, A::RedoTyping, &["Ctrl-r"], "redo", "Redo typing", "Redo typing"),
    entry(Layer, A::Answer, &["Enter"], "answer", "The marked answer", "Give the marked answer"),
    entry(Layer, A::NextAnswer, &["Tab", "Right"], "mark next", "Mark the next answer", "Mark the next answer"),
    entry(Layer, A::PreviousAnswer, &["Shift-Tab", "Left"], "mark before", "Mark the answer before", "Mark the answer before"),
    entry(Layer, A::SafeAnswer, &["Esc", "q", "Ctrl-c"], "close", "Close", "Give the safe answer, or close"),
    entry(Layer, A::ScrollDown, &["j", "Down", "Space", "PgDn"], "scroll down", "Scroll down", "Scroll the box down"),
    entry(Layer, A::ScrollUp, &["k", "Up", "PgUp"], "scroll up", "Scroll up", "Scroll the box up"),
];

/// Other words that people look for an action by.
pub const SYNONYMS: &[(Action, &str)] = &[
    (A::Accept, "approve keep write save test draft change ok yes"),
    (A::AcceptAll, "approve keep write all tests drafts changes bulk"),
    (A::Reject, "discard delete no draft change regression"),
    (A::RejectAll, "discard delete all drafts changes bulk"),
    (A::Skip, "later postpone defer"),
    (A::Overrule, "override note wrong known failure"),
    (A::KeepTest, "near beside input test bug regression save"),
    (A::Again, "draft test check verify prove retry rerun replay repeat refresh"),
    (A::AgainAll, "check judge specs intents rerun everything"),
    (A::Ask, "draft generate llm ai write test"),
    (A::AskWithRemark, "draft generate llm ai prompt instruction"),
    (A::GetModel, "download llm install"),
    (A::Record, "run trace capture pytest program calls"),
    (A::DiffAgainst, "change compare git commit branch behaviour"),
    (A::Diff, "change compare git commit behaviour"),
    (A::NextProposal, "draft change proposal forward"),
    (A::PreviousProposal, "draft change proposal backward"),
    (A::Queue, "drafts changes list waiting todo inbox"),
    (A::Review, "drafts changes home"),
    (A::Undo, "revert take back restore"),
    (A::Redo, "again restore"),
    (A::Settings, "theme colours colors options preferences configuration config model dark light"),
    (A::Help, "keys shortcuts bindings legend marks symbols"),
    (A::Palette, "commands actions menu"),
    (A::GoToFunction, "jump symbol find definition open"),
    (A::Filter, "narrow show only state path"),
    (A::Why, "explain reason evidence cause"),
    (A::Pause, "watch stop saves"),
    (A::Cancel, "stop kill abort job"),
    (A::View, "full value output traceback"),
    (A::Zoom, "fullscreen maximize one pane"),
    (A::Quit, "exit leave close"),
    (A::Edit, "editor open file"),
    (A::EditHere, "change draft text"),
    (A::Copy, "yank clipboard"),
    (A::Log, "messages history events errors"),
    (A::Runs, "recordings jobs output progress"),
    (A::Journeys, "intents verdicts judge check"),
    (A::Specs, "yaml tests check"),
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
            assert!(seen.insert(format!("{:?}", entry.action)), "{:?} stands twice", entry.action);
            assert!(!entry.keys.is_empty() && !entry.word.is_empty(), "{:?}", entry.action);
        }
        let (_, variants) = include_str!("action.rs").split_once("pub enum Action {").unwrap();
        let (variants, _) = variants.split_once("\n}").unwrap();
        let names = variants.lines().map(str::trim).filter(|line| line.ends_with(',') && !line.starts_with("//"));
        let missing: Vec<&str> = names.map(|name| name.trim_end_matches(',')).filter(|name| !seen.contains(*name)).collect();
        assert_eq!(missing, [""; 0], "no row for these");
    }

    #[test]
    fn every_key_has_a_sentence_that_fits_a_line() {
        for entry in TABLE {
            let begins = entry.does.chars().next().is_some_and(char::is_uppercase);
            assert!(begins && entry.does.chars().count() <= 64 && !entry.does.ends_with('.'), "{}", entry.does);
        }
    }

    #[test]
    fn synonyms_belong_to_actions_of_the_table() {
        for (action, words) in SYNONYMS {
            assert!(find(*action).is_some() && !words.is_empty(), "{action:?}");
        }
    }
}
