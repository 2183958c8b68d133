//! What the engine announces. Events are hints: they carry names and numbers, the store has the content.

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::command::JobId;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::question::QuestionId;
use crate::domain::spec::Status;
use crate::domain::verdict::Ruling;

/// The version of the event format on `--format json`.
pub const VERSION: u32 = 1;

/// One announcement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Event {
    /// The project was read.
    Indexed { files: usize, functions: usize, errors: usize, ms: u64 },
    /// These files were saved; these functions differ from before. For files that are no code, `because` says what reads them.
    Saved { paths: Vec<RelPath>, functions: Vec<FunctionId>, because: Option<Sentence> },
    /// A recording began.
    RecordingStarted { recording: RecordingId, command: Vec<String> },
    /// Calls arrived.
    CallsArrived { recording: RecordingId, kept: u64, seen: u64 },
    /// A recording ended.
    RecordingEnded { recording: RecordingId, end: ProgramEnd, kept: u64, seen: u64, functions: u64, ms: u64 },
    /// A proposal took a step.
    ProposalMoved {
        proposal: ProposalId,
        #[serde(rename = "function")]
        subject: ProposalSubject,
        state: ProposalState,
    },
    /// A proposal's evidence grew.
    EvidenceChanged { proposal: ProposalId },
    /// Recorded calls were run against today's code.
    Replayed { calls: u64, changed: u64, same: u64, unknown: u64, ms: u64 },
    /// Recorded calls were compared under a commit's code and today's.
    Diffed { reference: String, functions: u64, compared: u64, differ: u64 },
    /// A function's recorded calls end differently now: one line, `total(): 3 recorded calls changed, 12.50 → 12`.
    BehaviourChanged { proposal: ProposalId, function: FunctionId, calls: u64, line: Sentence },
    /// A function was edited, and no recorded call tells what the edit does: one line, with the reason and what to do.
    EditNotCompared { function: FunctionId, line: Sentence },
    /// A function was edited, its recorded calls end as before, and an input beside them does not: one line.
    NearDifference { proposal: ProposalId, function: FunctionId, line: Sentence },
    /// A function's calls end as before again.
    BehaviourRestored { proposal: ProposalId, function: FunctionId },
    /// A test with an intent was judged; `proposal` waits for a person because of it.
    Judged { test: String, ruling: Ruling, overridden: bool, proposal: Option<ProposalId> },
    /// A model proposed clauses for the intent of a test; none of them counts yet. One line.
    ClausesProposed { test: String, line: Sentence },
    /// The YAML tests were read anew: their files, what other processes found out, or what is not of today any more.
    SpecsRead,
    /// A YAML test began; `because` is what calls for it, where nobody asked.
    SpecBegan { file: RelPath, name: String, because: Option<Sentence> },
    /// A try of one of its steps began, or with a status the step is over.
    SpecStep { file: RelPath, step: String, tries: u32, status: Option<Status> },
    /// A YAML test is over.
    SpecEnded { file: RelPath, name: String, ruling: Ruling, reason: Sentence, ms: u64, because: Option<Sentence> },
    /// A decision was made; `again` where it was taken back before.
    Decided {
        proposal: ProposalId,
        #[serde(rename = "function")]
        subject: ProposalSubject,
        verb: Verb,
        line: Sentence,
        #[serde(skip)]
        again: bool,
    },
    /// A decision was taken back.
    Undone {
        proposal: ProposalId,
        #[serde(rename = "function")]
        subject: ProposalSubject,
        line: Sentence,
    },
    /// A file was written.
    Wrote { path: RelPath, added: usize, removed: usize },
    /// A job began, went on or ended.
    Job { job: JobId, kind: JobKind, subject: Sentence, done: u64, total: u64, state: JobState },
    /// A question waits for a person: one line, and the command that says yes ahead of it.
    Asked { question: QuestionId, line: Sentence, command: String },
    /// A question was answered, or nobody needs the answer any more (`None`).
    Answered { question: QuestionId, yes: Option<bool> },
    /// Something a person should know.
    Said { level: Level, text: Sentence },
    /// Something went wrong.
    Failed { trouble: Trouble },
    /// The files of settings, keys or themes were read anew: what a front end took from them may be other. `wrong` is what is
    /// wrong with the settings now.
    SettingsRead { wrong: Vec<Trouble> },
    /// The store changed from outside, or a subscriber was too slow: read everything again.
    Resync,
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Reads the source files.
    Index,
    /// Records a program.
    Record,
    /// Drafts tests from recorded calls.
    Draft,
    /// Proves drafts.
    Prove,
    /// Makes recorded calls again.
    Replay,
    /// Compares with another version of the files.
    Diff,
    /// Searches beside the recorded inputs of edited functions.
    Near,
    /// Has a model write something.
    Model,
    /// Gets a model.
    Download,
    /// Makes examples for docstrings.
    Doc,
    /// Judges tests that somebody asked for.
    Check,
    /// Judges tests again after a save.
    Judge,
    /// Has a model say intents in clauses.
    Clauses,
    /// Runs YAML tests that somebody asked for.
    Spec,
    /// Runs YAML tests again after a save.
    Respec,
}

impl JobKind {
    /// Gives the word for it, on the screen and in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Record => "record",
            Self::Draft => "draft",
            Self::Prove => "prove",
            Self::Replay => "replay",
            Self::Diff => "diff",
            Self::Near => "near",
            Self::Model => "model",
            Self::Download => "download",
            Self::Doc => "doc",
            Self::Check => "check",
            Self::Judge => "judge",
            Self::Clauses => "clauses",
            Self::Spec => "spec",
            Self::Respec => "respec",
        }
    }
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// Waits for its turn.
    Waiting,
    /// Runs.
    Running,
    /// Done.
    Done,
    /// Broke.
    Failed,
    /// Was cancelled.
    Cancelled,
}

/// How much a line in the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// What happened.
    Info,
    /// What a person asked for was done.
    Done,
    /// Something is less than it could be.
    Warning,
    /// Something failed.
    Error,
}
