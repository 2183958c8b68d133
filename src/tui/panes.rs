//! What each pane holds: what it shows, what was asked for and is not here yet, and where it stands. No IO.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use ratatui_textarea::{CursorMove, TextArea};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::call::{CallId, RecordingId};
use crate::domain::decision::Verb;
use crate::domain::diff::Diff;
use crate::domain::function::{FunctionId, SyntaxError};
use crate::domain::line_values::LineValues;
use crate::domain::near::Near;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::{CallKind, CallRow, Mark, RecordedRow};
use crate::domain::spec_board::SpecView;
use crate::domain::verdict::ClauseOutcome;
use crate::source::parse::syntax_error;
use crate::tui::doc::{Compare, Loaded};
use crate::tui::doc_row::DocRow;
use crate::tui::highlight::CodeLine;
use crate::tui::journey_lines::ShownJourney;
use crate::tui::layout::Pane;
use crate::tui::spec_steps::Shown;
use crate::tui::theme::Role;
use crate::tui::widgets::stream::StreamText;
use crate::tui::widgets::virtual_list::ListState;
use crate::tui::wrap::Wrapped;

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
    /// What stands at the right edge, by line: which call it is, what an activation called.
    pub values: BTreeMap<u32, String>,
    /// What lines gave in the selected call: it stands after their code.
    pub gave: BTreeMap<u32, String>,
    /// Lines that did not run in the selected call.
    pub missed: BTreeSet<u32>,
    /// Lines at which an exception was raised in it, or which it passed.
    pub failed: BTreeSet<u32>,
    /// The call whose lines were asked for.
    pub followed: Option<CallId>,
    /// It has to be asked for again: its code may be other code now.
    pub follow_again: bool,
    /// What its lines gave, once that is here, or why nothing is.
    pub line_values: Option<Result<Arc<LineValues>, Sentence>>,
    /// Lines of the edit that caused the change line 2 names.
    pub edited: BTreeSet<u32>,
    /// Lines that ran: in the activation that the journey stands in, or in the selected call.
    pub ran: BTreeSet<u32>,
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
    /// A part of the line of an open call, or of a line inside it, that goes on below.
    Part(usize, Option<usize>, usize),
    /// The foot: who called, where it was recorded.
    Foot(usize),
}

/// The calls pane.
#[derive(Debug, Clone, Default)]
pub struct CallsPane {
    /// The function.
    pub function: Option<FunctionId>,
    /// Its kinds of calls, or why there are none.
    pub kinds: Option<Result<Vec<CallKind>, Trouble>>,
    /// Those of them that were read.
    pub rows: HashMap<CallId, CallRow>,
    /// Pages of kinds whose rows were asked for since the kinds were read.
    pub pages: HashSet<usize>,
    /// The function that was asked for and is not here yet.
    pub asked: Option<FunctionId>,
    /// Open calls.
    pub open: HashSet<usize>,
    /// The lines.
    pub lines: Vec<CallLine>,
    /// The width that they were made for.
    pub width: usize,
    /// Where it stands.
    pub list: ListState,
    /// The call whose values stand beside the source.
    pub selected: usize,
    /// Columns moved to the right.
    pub shift: usize,
    /// They have to be read again.
    pub dirty: bool,
    /// The call to select once they are here: of equal inputs another one may stand for it.
    pub wanted: Option<RecordedRow>,
}

/// Kinds of calls whose rows are read together.
const CALL_PAGE: usize = 100;
/// Rows of calls that are kept; each may hold a large value.
const CALLS_KEPT: usize = 1_000;

impl CallsPane {
    /// Gives the kinds of calls.
    #[must_use]
    pub fn kinds(&self) -> &[CallKind] {
        self.kinds.as_ref().and_then(|kinds| kinds.as_ref().ok()).map_or(&[], Vec::as_slice)
    }

    /// Gives a call by its position, once it is here.
    #[must_use]
    pub fn call(&self, at: usize) -> Option<&CallRow> {
        self.rows.get(&self.kinds().get(at)?.id)
    }

    /// Notes which rows have to be read for some lines in sight and the selected call; gives their kinds, a page each.
    pub fn lacks(&mut self, lines: std::ops::Range<usize>) -> Vec<Vec<CallKind>> {
        let in_sight = self.lines.get(lines.start.min(self.lines.len())..lines.end.min(self.lines.len())).unwrap_or_default();
        let calls = in_sight.iter().filter_map(|line| match line {
            CallLine::Call(at) | CallLine::Inside(at, _) | CallLine::Part(at, ..) => Some(*at),
            CallLine::Foot(_) => None,
        });
        let wanted: BTreeSet<usize> = calls.chain([self.selected]).map(|at| at / CALL_PAGE).collect();
        let page = |page: &usize| self.kinds().chunks(CALL_PAGE).nth(*page).unwrap_or_default().to_vec();
        let missing: Vec<usize> = wanted.iter().copied().filter(|page| !self.pages.contains(page)).collect();
        let lacking: Vec<Vec<CallKind>> = missing.iter().map(page).filter(|kinds| !kinds.is_empty()).collect();
        if self.rows.len() > CALLS_KEPT {
            let kept: HashSet<CallId> = wanted.iter().flat_map(page).map(|kind| kind.id).collect();
            self.rows.retain(|id, _| kept.contains(id));
            self.pages.retain(|page| wanted.contains(page));
        }
        self.pages.extend(missing);
        lacking
    }
}

/// The calls of a recording.
#[derive(Debug, Clone, Default)]
pub struct RecordedPane {
    /// The recording that is shown.
    pub recording: Option<RecordingId>,
    /// Its calls, or why there are none.
    pub rows: Option<Result<Vec<RecordedRow>, Trouble>>,
    /// The recording that was asked for and is not here yet.
    pub asked: Option<RecordingId>,
    /// They have to be read again.
    pub dirty: bool,
    /// The calls in the filter, by their positions.
    pub lines: Vec<usize>,
    /// Where it stands.
    pub list: ListState,
    /// Columns moved to the right.
    pub shift: usize,
}

impl RecordedPane {
    /// Gives the calls that are here.
    #[must_use]
    pub fn calls(&self) -> &[RecordedRow] {
        self.rows.as_ref().and_then(|rows| rows.as_ref().ok()).map_or(&[], Vec::as_slice)
    }

    /// Gives the call under the cursor.
    #[must_use]
    pub fn here(&self) -> Option<&RecordedRow> {
        self.calls().get(*self.lines.get(self.list.cursor)?)
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
    /// The first of its shown lines that was never in sight; those before it were.
    pub read: usize,
    /// Columns moved to the right.
    pub shift: usize,
    /// Its lines at the pane's width: what they were made of, how it is looked at, and the width.
    pub wrapped: Option<(Arc<Loaded>, Compare, usize, Wrapped)>,
    /// How it is looked at.
    pub compare: Compare,
    /// Another draft of the function, and its lines against this one.
    pub other: Option<(ProposalId, Vec<DocRow>)>,
    /// The text being written.
    pub stream: StreamText,
    /// Whose text that is.
    pub stream_of: Option<ProposalId>,
    /// The end of the text is followed.
    pub follow: bool,
}

/// A recording that the pane follows until its first draft.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Following {
    /// The recording, once it began.
    pub recording: Option<RecordingId>,
    /// When it was seen to be over.
    pub ended: Option<Moment>,
}

/// Where the change of a function stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing to decide: what was recorded is what today's code does.
    Recorded,
    /// It waits for a person.
    Waits,
    /// It was decided here.
    Decided(Verb),
    /// It was decided before, or elsewhere.
    Before,
}

impl Standing {
    /// Gives its role and words.
    #[must_use]
    pub fn word(self) -> (Role, &'static str) {
        match self {
            Self::Recorded => (Role::Dim, ""),
            Self::Waits => (Role::Waiting, "⋯ waits"),
            Self::Decided(Verb::Accept | Verb::Edit) => (Role::Tested, "✓ accepted"),
            Self::Decided(Verb::Overrule) => (Role::Dim, "⊘ a bug"),
            Self::Decided(Verb::Keep) => (Role::Dim, "⊘ kept as a test"),
            Self::Decided(Verb::Reject | Verb::Skip) => (Role::Failing, "✗ stays red"),
            Self::Before => (Role::Dim, "decided"),
        }
    }
}

/// What is known beside the recorded inputs of edited functions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beside {
    /// What searches came to.
    pub near: Near,
    /// Where each difference stands.
    pub standings: Vec<Standing>,
    /// A search runs.
    pub searching: bool,
}

/// The comparison with a commit.
#[derive(Debug, Clone, Default)]
pub struct DiffPane {
    /// What is here.
    pub shown: Option<Arc<Diff>>,
    /// Its lines at the pane's width.
    pub lines: Wrapped,
    /// The width.
    pub width: usize,
    /// What the lines were made for: the comparison, and where its changes stand.
    pub made_for: Option<(Arc<Diff>, Vec<Standing>)>,
    /// What they say beside the recorded inputs.
    pub beside: Beside,
    /// The commit that was asked for and is not compared yet.
    pub asked: Option<String>,
    /// It has to be read again.
    pub dirty: bool,
    /// Where it stands.
    pub list: ListState,
}

/// The screen of journeys.
#[derive(Debug, Clone, Default)]
pub struct JourneysPane {
    /// The test that is shown.
    pub test: Option<String>,
    /// Nobody chose that test: it was never judged, and there was no verdict to show.
    pub by_itself: bool,
    /// What is here of it, or why nothing is.
    pub loaded: Option<Result<ShownJourney, Trouble>>,
    /// The test that was asked for and is not here yet.
    pub asked: Option<String>,
    /// It has to be read again.
    pub dirty: bool,
    /// Where the intent stands.
    pub intent: ListState,
    /// The clause whose evidence is marked.
    pub clause: Option<usize>,
    /// Where the journey stands, among the lines in sight.
    pub list: ListState,
    /// Folded lines, by their position in the journey.
    pub folded: HashSet<usize>,
    /// The lines in sight, by their position in the journey; one that goes on below comes as often as it has parts.
    pub lines: Vec<usize>,
    /// The width that they were made for; 0 before that.
    pub width: usize,
    /// The lines that are evidence, by their position, each with the outcome and the names of its clauses.
    pub marks: BTreeMap<usize, (ClauseOutcome, String)>,
    /// Columns moved to the right.
    pub shift: usize,
}

impl JourneysPane {
    /// Gives what is here of the test.
    #[must_use]
    pub fn journey(&self) -> Option<&ShownJourney> {
        self.loaded.as_ref()?.as_ref().ok()
    }

    /// Gives the position of the line under the cursor in the journey.
    #[must_use]
    pub fn here(&self) -> Option<usize> {
        self.lines.get(self.list.cursor).copied()
    }

    /// Finds the lines that show what came of the chosen clause; where none is chosen, of those that are violated.
    pub fn mark_evidence(&mut self) {
        self.marks.clear();
        self.width = 0;
        let Some(Ok(journey)) = &self.loaded else { return };
        for (at, one) in journey.view.judged.verdict.clauses.iter().enumerate() {
            let shown = self.clause.map_or(one.outcome == ClauseOutcome::Violated, |chosen| chosen == at);
            for line in if shown { journey.evidence(one) } else { Vec::new() } {
                let entry = self.marks.entry(line).or_insert_with(|| (one.outcome, String::new()));
                let gap = if entry.1.is_empty() { "" } else { " " };
                entry.1.push_str(&format!("{gap}c{}", at + 1));
            }
        }
    }

    /// Finds the lines in sight anew, after something was folded or read.
    pub fn list_lines(&mut self) {
        self.lines.clear();
        self.width = 0;
        let Some(Ok(journey)) = &self.loaded else { return };
        let mut at = 0;
        while at < journey.view.judged.journey.len() {
            self.lines.push(at);
            at = if self.folded.contains(&at) { journey.end(at) } else { at + 1 };
        }
    }
}

/// The screen of YAML tests.
#[derive(Debug, Clone, Default)]
pub struct SpecsPane {
    /// The test that is shown.
    pub file: Option<RelPath>,
    /// What is here of it, or why nothing is.
    pub loaded: Option<Result<SpecView, Trouble>>,
    /// The test that was asked for and is not here yet.
    pub asked: Option<RelPath>,
    /// It has to be read again.
    pub dirty: bool,
    /// Where the list stands.
    pub list: ListState,
    /// Where the steps stand.
    pub steps: ListState,
    /// Steps folded or unfolded against their first state.
    pub toggled: HashSet<(u32, usize)>,
    /// Columns the steps are moved to the right.
    pub shift: usize,
}

impl SpecsPane {
    /// Gives what is here of the test.
    #[must_use]
    pub fn view(&self) -> Option<&SpecView> {
        self.loaded.as_ref()?.as_ref().ok()
    }

    /// Tells whether a step is unfolded.
    #[must_use]
    pub fn is_open(&self, step: &Shown) -> bool {
        step.opens() != self.toggled.contains(&step.key())
    }
}

/// Editing in place.
pub struct InPlace {
    /// The draft.
    pub proposal: ProposalId,
    /// The text.
    pub area: TextArea<'static>,
    /// It takes the keys; otherwise it only keeps the text.
    pub open: bool,
    /// The first line in sight, and the columns moved to the right.
    pub at: (usize, usize),
}

impl InPlace {
    /// Starts with a text at a line, counted from 0.
    #[must_use]
    pub fn new(proposal: ProposalId, text: &str, line: usize) -> Self {
        let mut area = TextArea::new(text.lines().map(str::to_owned).collect());
        area.set_tab_length(4);
        area.move_cursor(CursorMove::Jump(u16::try_from(line).unwrap_or(u16::MAX), 0));
        Self { proposal, area, open: false, at: (0, 0) }
    }

    /// Gives the text.
    #[must_use]
    pub fn text(&self) -> String {
        self.area.lines().join("\n") + "\n"
    }

    /// Finds where the text does not parse as Python.
    #[must_use]
    pub fn mistake(&self) -> Option<SyntaxError> {
        syntax_error(&self.text())
    }

    /// Gives the column the cursor stands in, as the text is shown.
    #[must_use]
    pub fn column(&self) -> usize {
        let cursor = self.area.cursor();
        let (line, at) = (cursor.0, cursor.1);
        let before: String = self.area.lines().get(line).map(|line| line.chars().take(at).collect()).unwrap_or_default();
        text::width(&text::display_line(&CodeLine::plain(&before).text))
    }

    /// Brings the cursor into sight, moving as little as possible.
    pub fn settle(&mut self, rows: usize, columns: usize) {
        let (line, column) = (self.area.cursor().0, self.column());
        let into = |from: usize, at: usize, size: usize| from.min(at).max((at + 1).saturating_sub(size.max(1)));
        self.at = (into(self.at.0, line, rows), into(self.at.1, column, columns));
    }
}

/// A search in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The pane.
    pub pane: Pane,
    /// The words, in small letters.
    pub words: String,
}
