//! The state of the screen: everything `update` changes and `draw` reads. No IO.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use ratatui_textarea::TextArea;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::command::JobId;
use crate::domain::event::{Event, JobState};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::settings;
use crate::domain::snapshot::{CallRow, FunctionRow, JobRow, Mark, QueueRow, Snapshot, StreamView, Trust};
use crate::tui::doc::{Compare, Loaded};
use crate::tui::filter::Filter;
use crate::tui::glyphs::Glyphs;
use crate::tui::highlight::CodeLine;
use crate::tui::jumps::Jumps;
use crate::tui::keymap::{Key, Keymap};
use crate::tui::layer::{Kept, Layer};
use crate::tui::layout::{self, Layout, Pane, Screen, Shares, Wish};
use crate::tui::local_time::Zone;
use crate::tui::messages::Messages;
use crate::tui::pass::Pass;
use crate::tui::widgets::stream::StreamText;
use crate::tui::widgets::tree::{Node, NodeKey};
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
    Calls(FunctionId, Result<Vec<CallRow>, Trouble>),
    /// A proposal was read.
    Proposal(ProposalId, Box<Result<Loaded, Trouble>>),
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
    /// Read a proposal.
    ReadProposal(ProposalId),
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
    /// Put a text into the clipboard.
    Copy(String),
    /// Draw everything again.
    Redraw,
    /// Go to the shell.
    Suspend,
    /// Leave.
    Quit,
}

/// The source pane.
#[derive(Debug, Clone, Default)]
pub struct SourcePane {
    /// The file wanted.
    pub path: Option<RelPath>,
    /// Its lines, or why there are none.
    pub lines: Option<Result<Arc<Vec<CodeLine>>, Trouble>>,
    /// The file that was asked for and is not here yet.
    pub asked: Option<RelPath>,
    /// Where it stands.
    pub list: ListState,
    /// Columns moved to the right.
    pub shift: usize,
    /// Marks of functions and edits, by line.
    pub marks: BTreeMap<u32, Mark>,
    /// Values of the selected call, by line.
    pub values: BTreeMap<u32, String>,
    /// A line to show once the file is here.
    pub goto: Option<u32>,
    /// It has to be read again.
    pub dirty: bool,
}

/// One line of the calls pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallLine {
    /// A call, by its position.
    Call(usize),
    /// A line inside an open call.
    Inside(usize, usize),
    /// The foot: who called, where it was recorded.
    Foot(usize),
}

/// The calls pane.
#[derive(Debug, Clone, Default)]
pub struct CallsPane {
    /// The function.
    pub function: Option<FunctionId>,
    /// Its calls, or why there are none.
    pub rows: Option<Result<Vec<CallRow>, Trouble>>,
    /// The function that was asked for and is not here yet.
    pub asked: Option<FunctionId>,
    /// Open calls.
    pub open: HashSet<usize>,
    /// The lines.
    pub lines: Vec<CallLine>,
    /// Where it stands.
    pub list: ListState,
    /// The call whose values stand beside the source.
    pub selected: usize,
    /// Columns moved to the right.
    pub shift: usize,
    /// They have to be read again.
    pub dirty: bool,
}

impl CallsPane {
    /// Gives the calls that are here.
    #[must_use]
    pub fn calls(&self) -> &[CallRow] {
        self.rows.as_ref().and_then(|rows| rows.as_ref().ok()).map_or(&[], Vec::as_slice)
    }
}

/// The pane of what is decided on.
#[derive(Clone, Default)]
pub struct DecisionPane {
    /// What is here.
    pub loaded: Option<Result<Arc<Loaded>, Trouble>>,
    /// Which one is here.
    pub shown: Option<ProposalId>,
    /// Which one was asked for and is not here yet.
    pub asked: Option<ProposalId>,
    /// It has to be read again.
    pub dirty: bool,
    /// Where it stands.
    pub list: ListState,
    /// Columns moved to the right.
    pub shift: usize,
    /// How it is looked at.
    pub compare: Compare,
    /// The text being written.
    pub stream: StreamText,
    /// Whose text that is.
    pub stream_of: Option<ProposalId>,
    /// The end of the text is followed.
    pub follow: bool,
}

/// Editing in place.
pub struct InPlace {
    /// The draft.
    pub proposal: ProposalId,
    /// The text.
    pub area: TextArea<'static>,
    /// It takes the keys; otherwise it only keeps the text.
    pub open: bool,
}

/// A search in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The pane.
    pub pane: Pane,
    /// The words, in small letters.
    pub words: String,
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
    /// Where the tree stands.
    pub tree: ListState,
    /// Lines folded or unfolded against their first state.
    pub toggled: HashSet<NodeKey>,
    /// The filter of functions and proposals.
    pub filter: Filter,
    /// The filter of the log.
    pub log_filter: Filter,
    /// The function all panes are about.
    pub subject: Option<FunctionId>,
    /// The queue as this session walks through it.
    pub pass: Pass,
    /// The source pane.
    pub source: SourcePane,
    /// The calls pane.
    pub calls: CallsPane,
    /// The pane of what is decided on.
    pub decision: DecisionPane,
    /// Where the runs stand.
    pub runs: ListState,
    /// Where the log stands.
    pub log: ListState,
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
    /// Makes the state before the first frame.
    #[must_use]
    pub fn new(snapshot: Arc<Snapshot>, settings: &settings::Tui, size: (u16, u16), now: Moment) -> Self {
        let mut state = Self {
            size,
            now,
            zone: Zone::default(),
            glyphs: Glyphs::Unicode,
            animations: settings.animations,
            keymap: Keymap::built_in(),
            snapshot: Arc::clone(&snapshot),
            screen: Screen::Review,
            focus: Pane::Decision,
            review_focus: Pane::Decision,
            left: Pane::Functions,
            centre: Pane::Source,
            zoomed: false,
            shares: Shares::default(),
            dragged: None,
            nodes: Vec::new(),
            tree: ListState::default(),
            toggled: HashSet::new(),
            filter: Filter::default(),
            log_filter: Filter::default(),
            subject: None,
            pass: Pass::default(),
            source: SourcePane::default(),
            calls: CallsPane::default(),
            decision: DecisionPane::default(),
            runs: ListState::default(),
            log: ListState::default(),
            layers: Vec::new(),
            in_place: None,
            messages: Messages::default(),
            jumps: Jumps::default(),
            kept: Kept::default(),
            search: None,
            read_only: snapshot.trust == Trust::ReadOnly,
            cancelling: HashSet::new(),
            asked_to_quit: false,
            dirty: true,
            restored: false,
        };
        crate::tui::session::restore(&mut state);
        crate::tui::update::take_snapshot(&mut state, snapshot);
        state
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

    /// Gives the row of a function.
    #[must_use]
    pub fn function(&self, id: &FunctionId) -> Option<&FunctionRow> {
        self.snapshot.functions.iter().find(|row| row.id == *id)
    }

    /// Tells whether the trust question stands in the pane.
    #[must_use]
    pub fn asks_for_trust(&self) -> bool {
        self.snapshot.trust != Trust::Trusted && !self.read_only
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

    /// Counts what this pass holds: what waits and what was decided in it, or nothing when nothing waits.
    #[must_use]
    pub fn waiting_and_decided(&self) -> usize {
        if self.pass.open() == 0 { 0 } else { self.pass.items().len() }
    }
}
