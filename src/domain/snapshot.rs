//! The state of the project as a front end shows it: totals and one-line rows, never whole values.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::command::JobId;
use crate::domain::decision::{Decision, FileEdit};
use crate::domain::evaluator::Evaluator;
use crate::domain::event::{JobKind, JobState, Level};
use crate::domain::function::{FunctionId, FunctionKind, SyntaxError};
use crate::domain::gap::Gap;
use crate::domain::job_subject::JobSubject;
use crate::domain::near::Near;
use crate::domain::proposal::{Proposal, ProposalId, ProposalKind, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::question::Question;
use crate::domain::reason::{Reason, or_null};
use crate::domain::spec_board::SpecRow;
use crate::domain::verdict::{JudgedTest, Ruling, Since};

/// Everything a screen needs between two keys.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Snapshot {
    /// Grows with each snapshot.
    pub generation: u64,
    /// The project's name: its folder's.
    pub project: String,
    /// The project's root.
    pub root: PathBuf,
    /// May its code be run.
    pub trust: Trust,
    /// Is it watched.
    pub watch: WatchState,
    /// The first index is complete; until then counts grow.
    pub indexed: bool,
    /// Files read so far and files there are.
    pub reading: (usize, usize),
    /// Hash of all files of the index: another one, other code.
    pub tree: Digest,
    /// The files in the order of the tree.
    pub files: Arc<Vec<FileRow>>,
    /// The functions, by file and line.
    pub functions: Arc<Vec<FunctionRow>>,
    /// What waits for a person, ranked: all of it.
    pub queue: Arc<Vec<QueueRow>>,
    /// The last verdict of each test with an intent, the worst first.
    pub verdicts: Arc<Vec<VerdictRow>>,
    /// Tests with an intent that were never judged.
    pub unjudged: Arc<Vec<UnjudgedRow>>,
    /// Changes that were rejected or noted as a bug, and still show.
    pub red: Arc<Vec<RedRow>>,
    /// What searches beside the recorded inputs came to, for code that is still edited.
    pub near: Arc<Near>,
    /// The project's YAML tests, the worst first.
    pub specs: Arc<Vec<SpecRow>>,
    /// What was decided in this pass.
    pub decided: Decided,
    /// Functions whose drafts or tests rest on code that changed.
    pub stale: usize,
    /// Questions that wait for a person, the oldest first; the work behind each waits too.
    pub questions: Vec<Question>,
    /// Jobs: running, waiting, the last done.
    pub jobs: Arc<Vec<JobRow>>,
    /// Recordings, the newest first.
    pub recordings: Arc<Vec<RecordingRow>>,
    /// The log, the newest first, at most 500.
    pub log: Arc<Vec<LogRow>>,
    /// Commands that could be recorded here, the best first.
    pub offers: Vec<Vec<String>>,
    /// The interpreter, for people: `3.12.4 .venv`.
    pub python: Option<String>,
    /// Why nothing can be run, when that is so.
    pub python_trouble: Option<Trouble>,
    /// The chosen model, for people.
    pub model: Option<String>,
    /// The level of containment, for people: `namespaces`, `landlock`, `weak`, `none`.
    pub containment: String,
    /// There is something to take back, to decide again.
    pub can_undo: bool,
    /// The decision that would be taken back, if another window or an earlier session made it.
    #[serde(skip)]
    pub undo_of_another: Option<Sentence>,
    /// There is something that was taken back.
    pub can_redo: bool,
    /// The place of the screen kept by the last session.
    pub session: Option<Arc<serde_json::Value>>,
}

/// May the project's code be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nobody was asked yet: it is only read.
    Unknown,
    /// The person said: only read.
    ReadOnly,
    /// It may be run.
    Trusted,
}

/// Is the project watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum WatchState {
    /// No.
    Off,
    /// Yes.
    On,
    /// Yes, by reading the tree now and then, for this reason.
    Polling { reason: Sentence },
    /// Not at present: so many changed files wait, and these are the first of them.
    Paused {
        since: Moment,
        files: usize,
        #[serde(default)]
        first: Vec<RelPath>,
    },
}

/// The mark of a function or file, in the order of worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// `!` a tool broke.
    Error,
    /// `✗` a recorded outcome changed, a test fails.
    Failing,
    /// `?` not decided, or edited and not compared.
    Unclear,
    /// `~` rests on code that changed.
    Stale,
    /// `»` something runs.
    Running,
    /// `✓` has accepted, proved tests.
    Tested,
    /// `-` no test possible.
    Untestable,
    /// `◦` recorded, no test.
    Recorded,
    /// Never called in any recording.
    Never,
}

/// A file in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileRow {
    /// The file.
    pub path: RelPath,
    /// The module.
    pub module: String,
    /// Number of lines.
    pub lines: u32,
    /// How many functions.
    pub functions: usize,
    /// Where it does not parse.
    pub error: Option<SyntaxError>,
    /// Holds tests.
    pub is_test: bool,
}

/// A function in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunctionRow {
    /// The function.
    pub id: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// The first and last line.
    pub lines: (u32, u32),
    /// The line of `def`.
    pub line: u32,
    /// How it is bound.
    pub kind: FunctionKind,
    /// Its mark.
    pub mark: Mark,
    /// Calls seen in kept recordings.
    pub calls: u64,
    /// Drafts that wait.
    pub drafts: usize,
    /// Changes that wait.
    pub changes: usize,
    /// Why no test is possible, or why an edit of it was not compared.
    #[serde(flatten, serialize_with = "or_null")]
    pub reason: Option<Reason>,
}

/// One line of the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueRow {
    /// The proposal.
    pub id: ProposalId,
    /// What kind of thing it is.
    pub kind: ProposalKind,
    /// What it is about.
    #[serde(rename = "function")]
    pub subject: ProposalSubject,
    /// The file of the function.
    pub path: RelPath,
    /// Where it stands.
    pub state: ProposalState,
    /// One line: what it is about.
    pub title: Sentence,
    /// The same beside its kind and its function, which it does not name again; empty where these say it all.
    #[serde(skip)]
    pub about: Sentence,
    /// Runs passed and made.
    pub proved: Option<(u32, u32)>,
    /// Of a verdict, what came of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
    /// Why it may not be accepted now.
    pub blocked: Option<Sentence>,
    /// It is decided on by itself, never with all others: a coding agent wrote it, or it holds what looks personal.
    pub alone: bool,
    /// Skipped in this pass.
    pub skipped: bool,
}

/// A change that a person rejected or noted as a bug, and whose calls still end so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedRow {
    /// The change.
    pub proposal: ProposalId,
    /// The function.
    pub function: FunctionId,
    /// Who put it away, when and why, where that is known.
    pub decision: Option<Decision>,
    /// The first of its calls.
    pub calls: Vec<RedCall>,
    /// How many calls more there are.
    pub more: usize,
}

/// A call that ends otherwise than it should, on one line each, sanitised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RedCall {
    /// The function with its arguments.
    pub call: String,
    /// Old → new.
    pub change: Sentence,
}

/// A test with an intent that was never judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnjudgedRow {
    /// The test, by its node id.
    pub test: String,
    /// Its file.
    pub path: RelPath,
    /// The line of its `def`.
    pub line: u32,
    /// The decorator with its intent, as written.
    pub decorator: String,
}

/// The last verdict of a test with an intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictRow {
    /// The test, by its node id.
    pub test: String,
    /// The test as a function of the project.
    pub function: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// The line of its `def`, where it is still there.
    pub line: Option<u32>,
    /// What came of it.
    pub ruling: Ruling,
    /// A person overruled it.
    pub overridden: bool,
    /// Who decided.
    pub evaluator: Evaluator,
    /// Why, in a sentence.
    pub reason: Sentence,
    /// When it was judged.
    pub at: Moment,
    /// Since when it comes to this, and when it passed last.
    pub since: Since,
    /// What it ran through changed since.
    pub stale: bool,
    /// Where it waits for a person.
    pub proposal: Option<ProposalId>,
}

/// The last verdict of a test with what the test did, as the screen shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JudgedView {
    /// What came of it.
    pub judged: JudgedTest,
    /// Where the functions of its journey are: file and line of `def`.
    pub places: BTreeMap<FunctionId, (RelPath, u32)>,
    /// The test as a function of the project.
    pub function: FunctionId,
    /// Since when it comes to this, and when it passed last.
    pub since: Since,
}

/// Counts of decisions in this pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Decided {
    /// Accepted as they were.
    pub accepted: usize,
    /// Accepted after an edit.
    pub edited: usize,
    /// Rejected.
    pub rejected: usize,
    /// Overruled.
    pub overruled: usize,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct JobRow {
    /// Its number.
    pub id: JobId,
    /// What it does.
    pub kind: JobKind,
    /// What it works on.
    pub subject: JobSubject,
    /// Steps done; bytes of a download.
    pub done: u64,
    /// Steps there are; 0 when unknown.
    pub total: u64,
    /// Where it stands.
    pub state: JobState,
    /// When it began.
    pub started: Moment,
    /// When it was over.
    pub ended: Option<Moment>,
    /// Tokens a second, for models; bytes a second, for downloads.
    pub rate: Option<f64>,
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordingRow {
    /// Its number.
    pub id: RecordingId,
    /// The command.
    pub command: Vec<String>,
    /// How it ended.
    pub end: ProgramEnd,
    /// When it began.
    pub started: Moment,
    /// How long it took so far, in milliseconds.
    pub duration_ms: i64,
    /// Calls seen and kept, functions called, calls that raised, threads.
    pub seen: u64,
    /// Kept calls.
    pub kept: u64,
    /// Functions.
    pub functions: u64,
    /// Raised.
    pub raised: u64,
    /// Threads.
    pub threads: u64,
    /// What was left out.
    pub gaps: Vec<(Gap, u64)>,
    /// The number of calls seen is a lower bound.
    pub at_least: bool,
    /// The newest functions called, while it runs.
    pub newest: Vec<String>,
    /// The last lines of the program's output, sanitised.
    pub output: Vec<String>,
}

/// A kept call of a recording, on one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedRow {
    /// The call.
    pub id: crate::domain::call::CallId,
    /// The function.
    pub function: FunctionId,
    /// How many kept calls it was made from, one inside the other.
    pub depth: u16,
    /// All arguments on one line, sanitised.
    pub arguments: String,
    /// The outcome on one line, with its sign, sanitised.
    pub outcome: String,
    /// It ended by an exception.
    pub failed: bool,
    /// How often this input was seen.
    pub times: u64,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// Hash of the function and its arguments.
    pub input: Digest,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogRow {
    /// When.
    pub at: Moment,
    /// How much it matters.
    pub level: Level,
    /// `recorded`, `saved`, `proved`, `decided`, …
    pub word: String,
    /// What happened, sanitised.
    pub text: Sentence,
    /// More lines: why, what to do.
    pub more: Vec<Sentence>,
    /// What it is about, where that is one thing.
    pub about: Option<Topic>,
}

/// What a line of the log is about, for who wants to go there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// A recording.
    Recording(RecordingId),
    /// A test with an intent, by its name.
    Test(String),
    /// A YAML test, by its file.
    Spec(RelPath),
    /// A function.
    Function(FunctionId),
    /// A file.
    File(RelPath),
}

impl From<&ProposalSubject> for Topic {
    fn from(subject: &ProposalSubject) -> Self {
        match subject {
            ProposalSubject::Function(id) => Self::Function(id.clone()),
            ProposalSubject::YamlTest(file) => Self::Spec(file.clone()),
        }
    }
}

/// A test that runs through a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestRow {
    /// The test.
    pub test: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// Where it begins.
    pub line: u32,
    /// Recorded calls of the function that it was the first to make; 0 if others made them first, or none is kept.
    pub calls: u64,
}

/// The calls of a function with equal inputs, as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CallKind {
    /// The call that stands for them.
    pub id: crate::domain::call::CallId,
    /// Hash of the function and its arguments.
    pub input: Digest,
    /// How often they were seen.
    pub times: u64,
}

/// A call as the Calls pane shows it: equal inputs together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRow {
    /// The call.
    pub id: crate::domain::call::CallId,
    /// Arguments with their names, for the lines of the signature; sanitised one-line texts.
    pub args: Vec<(String, String)>,
    /// All arguments on one line.
    pub arguments: String,
    /// The outcome on one line, with its sign.
    pub outcome: String,
    /// It ended by an exception.
    pub failed: bool,
    /// How often.
    pub times: u64,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// Calls made from it: function and line.
    pub inner: Vec<String>,
    /// Who called: `Cart.total cart.py:41`.
    pub caller: Option<String>,
    /// The receiver: `Cart#3`.
    pub receiver: Option<String>,
    /// What it changed, one line each.
    pub changed: Vec<String>,
    /// Why it cannot be run again.
    pub not_replayable: Option<Reason>,
    /// Recording, thread, time for people.
    pub recording: RecordingId,
    /// The thread.
    pub thread: u32,
    /// The whole of it, for `v`: lines.
    pub full: Vec<String>,
}

/// A proposal as its pane shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalView {
    /// The proposal.
    pub proposal: Proposal,
    /// What accepting would write, as of now: nothing for a pure baseline.
    pub plan: Vec<FileEdit>,
    /// Why nothing can be written now.
    pub blocked: Option<Trouble>,
    /// A newer draft of the same function.
    pub newer: Option<ProposalId>,
    /// The other drafts of the same function, the newest first: what this one can be compared with.
    pub others: Vec<OtherDraft>,
    /// The file, where a person changed it since: never overwritten.
    pub conflict: Option<Conflict>,
}

/// Another draft of a function, to compare with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherDraft {
    /// The draft.
    pub id: ProposalId,
    /// Where it stands.
    pub state: ProposalState,
    /// The model or agent that wrote it; `None` for rules.
    pub model: Option<String>,
    /// Its text with imports: a person's, or else its own. Not sanitised.
    pub text: String,
}

/// A file whose tests a person changed since a decision wrote them, in three texts. Not sanitised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The file.
    pub path: RelPath,
    /// The tests that a person changed. Accepting leaves them as they are and writes the draft's others, where there are any.
    pub tests: Vec<String>,
    /// As the last decision wrote it, where that is known.
    pub base: Option<String>,
    /// What accepting would make of that.
    pub mine: String,
    /// As it is now; `None` when it is gone.
    pub disk: Option<String>,
}

impl Conflict {
    /// Says what accepting leaves unchanged.
    #[must_use]
    pub fn summary(&self) -> String {
        let stay = if self.tests.len() == 1 { "stays" } else { "stay" };
        format!("{} {stay} as changed by hand: accepting writes the others.", self.tests.join(", "))
    }
}

/// The text a model is writing, read by the screen as it grows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamView {
    /// The text so far, not sanitised.
    pub text: String,
    /// Tokens so far.
    pub tokens: u64,
    /// Tokens per second over the last two seconds, from the eighth token on.
    pub rate: Option<f64>,
    /// When it began.
    pub started: Moment,
    /// Who writes, for people: `qwen3-4b at localhost:8080`.
    pub model: String,
    /// Nothing more will come.
    pub ended: bool,
}
