//! What lies over the screen: prompts, questions, boxes, lists to choose from. The top one takes the keys.

use std::collections::{HashMap, HashSet};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::command::Command;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;
use crate::domain::question::QuestionId;
use crate::tui::action::Action;
use crate::tui::diff::PlannedFile;
use crate::tui::jumps::Place;
use crate::tui::panes::Search;
use crate::tui::row::Row;
use crate::tui::widgets::line_edit::LineEdit;
use crate::tui::widgets::picker::Picker;

/// One layer.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// The keys of this place.
    Help(Picker, Vec<Action>),
    /// Every action.
    Palette(Picker, Vec<Action>),
    /// The queue.
    Queue(Picker, Vec<ProposalId>),
    /// Functions, to go to one.
    Functions(Picker, Vec<FunctionId>),
    /// Tests that run through a function, to go to one: the function, and where the tests begin.
    TestsThrough(Picker, FunctionId, Vec<(RelPath, u32)>),
    /// Tests with an intent, to go to one.
    Tests(Picker, Vec<String>),
    /// Clauses that hold for a test, to choose from: the proposal, and what was chosen before.
    Clauses(Picker, ProposalId, Vec<String>),
    /// A line to type into.
    Prompt(Prompt),
    /// A question with answers.
    Question(Question),
    /// Something to read whole.
    Text(TextBox),
}

/// What a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Narrow the list.
    Filter,
    /// Find in the pane.
    Search,
    /// Run a program under the recorder.
    Record,
    /// Ask a model and say what to do differently.
    Remark(FunctionId),
    /// Bring a model to this machine.
    GetModel,
    /// Say why.
    Reason(ProposalId),
    /// Why a change is rejected; it may be left empty.
    Rejection(ProposalId),
    /// Compare with a commit.
    Diff,
}

/// A line to type into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// What was typed.
    pub line: LineEdit,
    /// Earlier entries or offers, the newest first.
    pub earlier: Vec<String>,
    /// Which of them is in the line.
    pub at: Option<usize>,
    /// What is wrong with the line.
    pub wrong: Option<String>,
}

impl Prompt {
    /// Makes a line to type into, with a text in it.
    #[must_use]
    pub fn new(purpose: Purpose, line: impl Into<String>, earlier: Vec<String>) -> Self {
        Self { purpose, line: LineEdit::new(line), earlier, at: None, wrong: None }
    }
}

/// What an answer does.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Nothing.
    Close,
    /// Decides on one that is in sight now.
    Accept(ProposalId, Digest),
    /// Asks the engine, and counts the answers that will come.
    Bulk(Vec<Command>, usize),
    /// Opens the editor.
    Edit,
    /// Shows what deciding on these would write.
    ShowDiffs(Vec<ProposalId>),
    /// Answers a question of the engine.
    Reply(QuestionId, bool),
    /// Leaves a question of the engine open.
    PutOff(QuestionId),
    /// Shows what would be sent on a yes.
    ShowOutgoing(QuestionId),
    /// Makes the diff of what line 2 names anew.
    DiffAnew,
    /// Compares with the same commit again.
    CompareAgain,
    /// Opens a file in the editor.
    Open(RelPath),
    /// Takes back a decision of another window.
    Undo,
    /// Lets the folder's code be run.
    Trust,
    /// Leaves.
    Quit,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its key.
    pub key: char,
    /// Its words.
    pub words: String,
    /// What it does.
    pub act: Act,
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The question.
    pub title: String,
    /// What stands at its right.
    pub right: String,
    /// What it is about.
    pub body: Vec<Row>,
    /// The first line of it in sight.
    pub top: usize,
    /// The answers.
    pub answers: Vec<Answer>,
    /// The marked one.
    pub marked: usize,
    /// The harmless one.
    pub safe: usize,
    /// When it came by itself: letters typed in that moment were meant for something else.
    pub came: Option<Moment>,
    /// A key that answers nothing closes it: it was typed for something else.
    pub strict: bool,
}

/// Something to read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextBox {
    /// What it is.
    pub title: String,
    /// The lines.
    pub body: Vec<Row>,
    /// The first line in sight.
    pub top: usize,
}

/// What prompts keep.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    /// What a key asked for while this proposal was still being read: done once its text is here.
    pub when_read: Option<(ProposalId, Action)>,
    /// The palette's words.
    pub palette: String,
    /// How often each action was used, by its title.
    pub used: HashMap<String, u32>,
    /// Where one was before functions were looked at to go to one.
    pub before_preview: Option<Place>,
    /// A filter that was left.
    pub filter: String,
    /// The last search.
    pub search: String,
    /// A command that was left.
    pub record: String,
    /// Commands that were recorded, the newest first.
    pub recorded: Vec<String>,
    /// The function a model was asked about here; the screen goes to the draft as soon as it is written.
    pub asked: Option<FunctionId>,
    /// Commits that were compared with, the newest first.
    pub compared: Vec<String>,
    /// A remark that was left.
    pub remark: String,
    /// A reason that was left.
    pub reason: String,
    /// Searches and filters, the newest first.
    pub searches: Vec<String>,
    /// Filters, the newest first.
    pub filters: Vec<String>,
    /// Decisions that are on their way in bulk: how many, how many arrived, accepted or rejected.
    pub bulk: Option<(usize, usize, bool)>,
    /// The proposal that line 2 named in the last session.
    pub proposal: Option<ProposalId>,
    /// The proposal whose decision is on its way.
    pub deciding: Option<ProposalId>,
    /// A decision was asked to be taken back here; the screen goes to it.
    pub undoing: bool,
    /// Decisions that the last `u` or `U` moved so far: those on many come back together.
    pub moved: Option<usize>,
    /// What the decision on many would write, once it is known.
    pub plan: Option<BulkPlan>,
    /// The diffs were asked for before they were known.
    pub diffs_wanted: bool,
    /// Questions of the engine that were left open.
    pub put_off: HashSet<QuestionId>,
    /// The search before the one that is typed.
    pub search_before: Option<Search>,
}

/// The proposals of a bulk, and what deciding on them would write.
pub type BulkPlan = (Vec<ProposalId>, Result<Vec<PlannedFile>, Trouble>);

impl Layer {
    /// Tells whether typed letters go into a line of it.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        matches!(
            self,
            Self::Help(..)
                | Self::Palette(..)
                | Self::Queue(..)
                | Self::Functions(..)
                | Self::Tests(..)
                | Self::TestsThrough(..)
                | Self::Clauses(..)
                | Self::Prompt(_)
        )
    }

    /// Gives the list it chooses from.
    #[must_use]
    pub fn picker(&mut self) -> Option<&mut Picker> {
        match self {
            Self::Help(picker, _)
            | Self::Palette(picker, _)
            | Self::Queue(picker, _)
            | Self::Functions(picker, _)
            | Self::Tests(picker, _)
            | Self::TestsThrough(picker, ..)
            | Self::Clauses(picker, ..) => Some(picker),
            _ => None,
        }
    }

    /// Gives the line that is typed into.
    #[must_use]
    pub fn line(&mut self) -> Option<&mut LineEdit> {
        match self {
            Self::Help(picker, _)
            | Self::Palette(picker, _)
            | Self::Queue(picker, _)
            | Self::Functions(picker, _)
            | Self::Tests(picker, _)
            | Self::TestsThrough(picker, ..)
            | Self::Clauses(picker, ..) => Some(&mut picker.line),
            Self::Prompt(prompt) => Some(&mut prompt.line),
            _ => None,
        }
    }
}

impl Question {
    /// Makes a question; the last answer is the safe one and is marked.
    #[must_use]
    pub fn new(title: impl Into<String>, body: Vec<Row>, answers: Vec<(char, &str, Act)>) -> Self {
        let answers: Vec<Answer> =
            answers.into_iter().map(|(key, words, act)| Answer { key, words: words.to_owned(), act }).collect();
        let safe = answers.len().saturating_sub(1);
        Self { title: title.into(), right: String::new(), body, top: 0, answers, marked: safe, safe, came: None, strict: false }
    }
}
