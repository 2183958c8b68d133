//! What the front ends can ask the engine for: the one list behind keys, verbs and tools.

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::RecordingId;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;
use crate::domain::question::QuestionId;

/// A wish of a front end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Command {
    /// Read the project again, from the disk.
    Index,
    /// Run a program under the recorder; its output goes to the Runs screen.
    Record { argv: Vec<String>, limit: Option<u32>, targets: Vec<String> },
    /// Make drafts from recorded calls: of these functions, or of all.
    Draft { functions: Vec<FunctionId> },
    /// Make drafts of inputs beside the recorded ones, for functions of which faults are unnoticed.
    DraftNear { functions: Vec<FunctionId> },
    /// Make and verify what is missing of the drafts of a recording.
    DraftRecording { recording: RecordingId },
    /// Ask the chosen model for a draft of a function.
    AskModel { function: FunctionId, remark: Option<String> },
    /// Bring a model of a hub to this machine, or the usual one.
    GetModel { model: Option<String> },
    /// Run the proof of a proposal again.
    Prove { proposal: ProposalId },
    /// Run recorded calls against today's code: of these functions, or all that may differ.
    Replay { functions: Vec<FunctionId> },
    /// Run recorded calls against a commit's code and today's.
    Diff { reference: String },
    /// Put a test that a coding agent wrote before a person, once it is proved.
    Propose { function: FunctionId, text: String, remark: Option<String>, by: String },
    /// Ask the chosen model for a YAML test, with more tools for a plugin where one is named.
    AskSpec { asked: String, name: Option<String>, extend: Option<String> },
    /// Put a YAML test that a coding agent wrote before a person.
    ProposeSpec { test: String, plugin: Option<String>, asked: String, name: Option<String>, extend: Option<String>, by: String },
    /// Keep what a coding agent says about a change, beside it.
    Explain { proposal: ProposalId, note: String, by: String },
    /// Run tests with intents, and judge them; where none is named all there are, judged before or not.
    Judge { tests: Vec<String> },
    /// Ask the chosen model for clauses that say the intent of a test; none of them is accepted.
    AskClauses { test: String },
    /// Run these YAML tests; all of the project where none is named.
    RunSpecs { files: Vec<RelPath> },
    /// Run a test by its node id, whether it was judged before or not, and judge its intent; a chosen model is asked only with `ask`.
    Check { test: String, ask: bool },
    /// Decide on proposals.
    Decide { proposals: Vec<ProposalId>, verb: Verb, reason: Option<String> },
    /// Accept a proposal as it was shown ([`Proposal::sight`](crate::domain::proposal::Proposal::sight)); where it is another
    /// by now, nothing is decided.
    Accept { proposal: ProposalId, seen: Digest },
    /// Replace the text of a draft by a person's, to be proved again.
    Edit { proposal: ProposalId, text: String },
    /// Take back the last decision that stands.
    Undo,
    /// Decide again what was taken back last.
    Redo,
    /// Stop the job of this kind on this subject, or the newest job.
    Cancel { job: Option<JobId> },
    /// Files changed; an empty list means: compare everything.
    FilesChanged { paths: Vec<RelPath> },
    /// Stop or go on reacting to saves.
    PauseWatch { paused: bool },
    /// Trust the project's folder from now on.
    Trust,
    /// Answer a question of the snapshot; one that is closed already is left alone.
    Answer { question: QuestionId, yes: bool },
    /// Keep the place of the screen for the next start.
    KeepSession { state: serde_json::Value },
}

impl Command {
    /// Tells whether it changes what a person keeps, quickly: leaving waits for it. All else is given up, or goes on next time.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        matches!(
            self,
            Self::Decide { .. }
                | Self::Accept { .. }
                | Self::Edit { .. }
                | Self::Undo
                | Self::Redo
                | Self::Answer { .. }
                | Self::KeepSession { .. }
        )
    }
}

/// Numbers a job of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u64);
