//! The state of the screen: everything `update` changes and `draw` reads. No IO.

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::call::{CallId, RecordingId};
use crate::domain::command::JobId;
use crate::domain::diff::Diff;
use crate::domain::event::{Event, JobState};
use crate::domain::function::FunctionId;
use crate::domain::line_values::LineValues;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::question::{Question, QuestionId};
use crate::domain::settings;
use crate::domain::snapshot::{
    CallKind, CallRow, FunctionRow, JobRow, JudgedView, QueueRow, RecordedRow, Snapshot, StreamView, TestRow, Trust,
};
use crate::domain::spec_board::SpecView;
use crate::tui::diff::PlannedFile;
use crate::tui::doc::Loaded;
use crate::tui::filter::Filter;
use crate::tui::glyphs::Glyphs;
use crate::tui::highlight::CodeLine;
use crate::tui::jumps::Jumps;
use crate::tui::keymap::{Key, Keymap};
use crate::tui::layer::{Kept, Layer};
use crate::tui::layout::{self, Layout, Pane, Screen, Shares, Wish};
use crate::tui::local_time::Zone;
use crate::tui::messages::Messages;
use crate::tui::panes::{
    CallsPane, DecisionPane, DiffPane, Following, InPlace, JourneysPane, RecordedPane, Search, SourcePane, SpecsPane,
};
use crate::tui::pass::Pass;
use crate::tui::widgets::tree::{Columns, Node, NodeKey};
use crate::tui::widgets::virtual_list::ListState;

/// What happened, as `update` takes it.
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse.
    Mouse(Mouse),
    /// The terminal has another size.
    Resize(u16, u16),
    /// Time passed.
    Tick,
    /// The engine announced something; the snapshot is newer than that.
    Happened(Box<Event>, Arc<Snapshot>),
    /// A newer snapshot.
    Snapshot(Arc<Snapshot>),
    /// A source file was read.
    Source(RelPath, Result<Arc<Vec<CodeLine>>, Trouble>),
    /// Calls were read.
    Calls(FunctionId, Result<Vec<CallKind>, Trouble>),
    /// Some of its calls were read.
    CallRows(FunctionId, Result<Vec<CallRow>, Trouble>),
    /// The tests that run through a function were read.
    TestsThrough(FunctionId, Result<Vec<TestRow>, Trouble>),
    /// A call was run again: what its lines gave, or why it was not run.
    LineValues(CallId, Result<Arc<LineValues>, Sentence>),
    /// The calls of a recording were read.
    Recorded(RecordingId, Result<Vec<RecordedRow>, Trouble>),
    /// A proposal was read.
    Proposal(ProposalId, Box<Result<Loaded, Trouble>>),
    /// The last verdict of a test was read.
    Judged(String, Box<Result<JudgedView, Trouble>>),
    /// A YAML test was read.
    Spec(RelPath, Box<Result<SpecView, Trouble>>),
    /// The last comparison with a commit was read.
    Diff(Option<Arc<Diff>>),
    /// What accepting these together would write was found.
    Plan(Vec<ProposalId>, Result<Vec<PlannedFile>, Trouble>),
    /// Another draft of the same function was read, to be compared.
    Other(ProposalId, Box<Result<Loaded, Trouble>>),
    /// What would be sent on a yes to this question.
    Outgoing(Option<Arc<str>>),
    /// The window came to the front.
    Focused,
    /// The terminal told its background: dark or light.
    Background(bool),
    /// A model wrote more.
    Stream(ProposalId, StreamView),
    /// The editor came back with this text for a draft, or had a source file.
    Edited(Option<(ProposalId, String, String)>),
    /// Something was copied: lines and the route, or nothing took it.
    Copied(usize, Option<String>),
    /// Something of the screen itself went wrong.
    Trouble(Trouble),
    /// A signal asks to end.
    Terminate,
}

/// The mouse, as far as it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// Pressed here.
    Press(u16, u16),
    /// Moved here while pressed.
    Drag(u16, u16),
    /// Let go.
    Release,
    /// The wheel: here, so many lines.
    Wheel(u16, u16, isize),
}

/// What `update` wants done outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Send(crate::domain::command::Command),
    /// Read a source file.
    ReadSource(RelPath),
    /// Read the calls of a function.
    ReadCalls(FunctionId),
    /// Read some of its calls.
    ReadCallRows(FunctionId, Vec<CallKind>),
    /// Read the tests that run through a function.
    ReadTestsThrough(FunctionId),
    /// Run this call again for what its lines give, once it stayed selected for a moment, and no other one any more.
    FollowCall(Option<CallId>),
    /// Read the calls of a recording.
    ReadRecorded(RecordingId),
    /// Read a proposal.
    ReadProposal(ProposalId),
    /// Read the last verdict of a test, with what it did.
    ReadJudged(String),
    /// Read a YAML test, with what its steps did.
    ReadSpec(RelPath),
    /// Read the last comparison with a commit.
    ReadDiff,
    /// Find what accepting these together would write.
    ReadPlan(Vec<ProposalId>),
    /// Read another draft of the same function.
    ReadOther(ProposalId),
    /// Read what would be sent on a yes.
    ReadOutgoing(QuestionId),
    /// Take the settings of the screen, the keys and the theme as they are now.
    TakeSettings(Vec<Trouble>),
    /// Ask the terminal for its background.
    AskBackground,
    /// Take the theme for a background: dark or light.
    TakeBackground(bool),
    /// Open the editor on a draft's text.
    EditDraft {
        /// The draft.
        proposal: ProposalId,
        /// Its text.
        text: String,
        /// The line to start at.
        line: u32,
    },
    /// Open the editor on a source file.
    EditSource {
        /// The file.
        path: RelPath,
        /// The line to start at.
        line: u32,
    },
    /// Open the editor on the person's settings.
    EditSettings,
    /// Put a text into the clipboard.
    Copy(String),
    /// Draw everything again.
    Redraw,
    /// Go to the shell.
    Suspend,
    /// Leave.
    Quit,
}

/// Everything.
pub struct AppState {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The time of the last message.
    pub now: Moment,
    /// The wall clock's place.
    pub zone: Zone,
    /// Which signs there are.
    pub glyphs: Glyphs,
    /// Messages go by themselves, counters run.
    pub animations: bool,
    /// Which key does what.
    pub keymap: Keymap,
    /// The engine's state.
    pub snapshot: Arc<Snapshot>,
    /// The screen.
    pub screen: Screen,
    /// The pane with the keys.
    pub focus: Pane,
    /// The pane of Review that has the keys when one comes back to it.
    pub review_focus: Pane,
    /// The pane in front of the left column.
    pub left: Pane,
    /// The pane in front of the middle column.
    pub centre: Pane,
    /// The focused pane alone.
    pub zoomed: bool,
    /// The widths.
    pub shares: Shares,
    /// The bar that is dragged, by its column.
    pub dragged: Option<u16>,
    /// The tree's lines.
    pub nodes: Vec<Node>,
    /// Files that hold tests.
    pub tests: HashSet<RelPath>,
    /// How wide its counts are.
    pub tree_columns: Columns,
    /// Where the tree stands.
    pub tree: ListState,
    /// Lines folded or unfolded against their first state.
    pub toggled: HashSet<NodeKey>,
    /// The filter of functions and proposals.
    pub filter: Filter,
    /// The filter of the log.
    pub log_filter: Filter,
    /// The filter of a recording's calls.
    pub runs_filter: Filter,
    /// The function all panes are about.
    pub subject: Option<ProposalSubject>,
    /// The queue as this session walks through it.
    pub pass: Pass,
    /// The source pane.
    pub source: SourcePane,
    /// The calls pane.
    pub calls: CallsPane,
    /// The pane of what is decided on.
    pub decision: DecisionPane,
    /// The test whose intent and journey are shown.
    pub journeys: JourneysPane,
    /// The YAML tests.
    pub specs: SpecsPane,
    /// The comparison with a commit.
    pub diff: DiffPane,
    /// Where the runs stand.
    pub runs: ListState,
    /// The calls of one of the recordings.
    pub recorded: RecordedPane,
    /// Where the log stands.
    pub log: ListState,
    /// The file of the whole log, for people.
    pub log_file: Option<String>,
    /// Layers over the screen, the top one last.
    pub layers: Vec<Layer>,
    /// Editing in place.
    pub in_place: Option<InPlace>,
    /// The message line.
    pub messages: Messages,
    /// Places been at.
    pub jumps: Jumps,
    /// Words of prompts.
    pub kept: Kept,
    /// The search.
    pub search: Option<Search>,
    /// The first recording, from its start to its first draft.
    pub following: Option<Following>,
    /// The person said: only read.
    pub read_only: bool,
    /// Jobs that were asked to stop.
    pub cancelling: HashSet<JobId>,
    /// Ctrl-c was pressed just before.
    pub asked_to_quit: bool,
    /// What the last frame would show was drawn.
    pub dirty: bool,
    /// The session was restored or there is nothing to restore.
    pub restored: bool,
}

impl AppState {
    /// Makes the state before anything is in it: what the engine has comes with [`start`](crate::tui::update::start).
    #[must_use]
    pub fn new(snapshot: Arc<Snapshot>, settings: &settings::Tui, size: (u16, u16), now: Moment) -> Self {
        let read_only = snapshot.trust == Trust::ReadOnly;
        Self {
            size,
            now,
            zone: Zone::default(),
            glyphs: Glyphs::Unicode,
            animations: settings.animations,
            keymap: Keymap::built_in(),
            snapshot,
            screen: Screen::Review,
            focus: Pane::Decision,
            review_focus: Pane::Decision,
            left: Pane::Functions,
            centre: Pane::Source,
            zoomed: false,
            shares: Shares::default(),
            dragged: None,
            nodes: Vec::new(),
            tests: HashSet::new(),
            tree_columns: Columns::default(),
            tree: ListState::default(),
            toggled: HashSet::new(),
            filter: Filter::default(),
            log_filter: Filter::default(),
            runs_filter: Filter::default(),
            subject: None,
            pass: Pass::default(),
            source: SourcePane::default(),
            calls: CallsPane::default(),
            decision: DecisionPane::default(),
            journeys: JourneysPane::default(),
            specs: SpecsPane::default(),
            diff: DiffPane::default(),
            runs: ListState::default(),
            recorded: RecordedPane::default(),
            log: ListState::default(),
            log_file: None,
            layers: Vec::new(),
            in_place: None,
            messages: Messages::default(),
            jumps: Jumps::default(),
            kept: Kept::default(),
            search: None,
            following: None,
            read_only,
            cancelling: HashSet::new(),
            asked_to_quit: false,
            dirty: true,
            restored: false,
        }
    }

    /// Finds everything's place.
    #[must_use]
    pub fn layout(&self) -> Layout {
        layout::arrange(&Wish {
            size: self.size,
            screen: self.screen,
            focus: self.focus,
            left: self.left,
            centre: self.centre,
            zoomed: self.zoomed,
            shares: self.shares,
        })
    }

    /// Counts the columns of a pane, in front or behind a tab.
    #[must_use]
    pub fn columns(&self, pane: Pane) -> usize {
        let layout = self.layout();
        layout.slots.iter().find(|slot| slot.tabs.contains(&pane)).map_or(78, |slot| usize::from(slot.body.width))
    }

    /// Gives the proposal that line 2 names.
    #[must_use]
    pub fn current(&self) -> Option<&QueueRow> {
        self.pass.current()
    }

    /// Gives the proposal that line 2 names with its text, once it is here.
    #[must_use]
    pub fn loaded(&self) -> Option<&Arc<Loaded>> {
        let id = self.current()?.id;
        match &self.decision.loaded {
            Some(Ok(loaded)) if self.decision.shown == Some(id) => Some(loaded),
            _ => None,
        }
    }

    /// Gives the proposal's draft text as it stands: the person's version, else the draft's.
    #[must_use]
    pub fn draft_text(&self) -> Option<(ProposalId, String)> {
        let proposal = &self.loaded()?.view.proposal;
        proposal.text().map(|text| (proposal.id, text.into_owned()))
    }

    /// Gives the edit in place of this draft that waits to be proved.
    #[must_use]
    pub fn open_edit(&self, id: ProposalId) -> Option<&InPlace> {
        self.in_place.as_ref().filter(|edit| edit.proposal == id)
    }

    /// Gives the filter of the screen.
    #[must_use]
    pub fn filter_here(&self) -> &Filter {
        match self.screen {
            Screen::Log => &self.log_filter,
            Screen::Runs => &self.runs_filter,
            _ => &self.filter,
        }
    }

    /// Gives the row of a function.
    #[must_use]
    pub fn function(&self, id: &FunctionId) -> Option<&FunctionRow> {
        self.snapshot.functions.iter().find(|row| row.id == *id)
    }

    /// Returns the function that the panes are about.
    #[must_use]
    pub fn subject_function(&self) -> Option<&FunctionId> {
        self.subject.as_ref()?.function()
    }

    /// Returns the row of the function that the panes are about.
    #[must_use]
    pub fn subject_row(&self) -> Option<&FunctionRow> {
        self.function(self.subject_function()?)
    }

    /// Gives the functions of the project that are no tests.
    pub fn own_functions(&self) -> impl Iterator<Item = &FunctionRow> {
        self.snapshot.functions.iter().filter(|row| !self.tests.contains(&row.path))
    }

    /// Tells whether the trust question stands in the pane.
    #[must_use]
    pub fn asks_for_trust(&self) -> bool {
        self.snapshot.trust != Trust::Trusted && !self.read_only
    }

    /// Gives the question that was left open, for the message line.
    #[must_use]
    pub fn question_left_open(&self) -> Option<&Question> {
        self.snapshot.questions.iter().find(|question| self.kept.put_off.contains(&question.id))
    }

    /// Tells whether a model is writing what line 2 names.
    #[must_use]
    pub fn streaming(&self) -> Option<ProposalId> {
        self.current().filter(|row| row.state == ProposalState::Streaming).map(|row| row.id)
    }

    /// Gives the jobs that run or wait.
    pub fn open_jobs(&self) -> impl Iterator<Item = &JobRow> {
        self.snapshot.jobs.iter().filter(|job| matches!(job.state, JobState::Running | JobState::Waiting))
    }

    /// Tells whether a recording is live.
    #[must_use]
    pub fn recording_live(&self) -> bool {
        self.snapshot.recordings.iter().any(|row| row.end == crate::domain::call::ProgramEnd::Running)
    }

    /// Finds the oldest state worth a frame without a message: what changes with time alone.
    #[must_use]
    pub fn needs_ticks(&self) -> bool {
        self.messages.waits(self.animations) || (self.animations && (self.open_jobs().next().is_some() || self.recording_live()))
    }
}
