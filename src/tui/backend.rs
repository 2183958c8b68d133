//! What the screen needs of the engine. The engine's handle implements it; tests implement a fixture.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::{broadcast, watch};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::domain::call::{CallId, RecordingId};
use crate::domain::command::Command;
use crate::domain::decision::FileEdit;
use crate::domain::diff::Diff;
use crate::domain::event::Event;
use crate::domain::function::FunctionId;
use crate::domain::line_values::LineValues;
use crate::domain::proposal::ProposalId;
use crate::domain::question::QuestionId;
use crate::domain::settings;
use crate::domain::snapshot::{CallKind, CallRow, JudgedView, ProposalView, RecordedRow, Snapshot, StreamView, TestRow};
use crate::domain::spec_board::SpecView;

/// What is not here yet.
pub type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// The engine as the screen sees it.
pub trait Backend: Send + Sync + 'static {
    /// Asks for something and never waits.
    fn send(&self, command: Command);
    /// Gives the settings of the screen in force; cheap.
    fn settings(&self) -> settings::Tui;
    /// Notes in the log what is wrong with the screen's own part of them.
    fn note_settings(&self, trouble: &Trouble);
    /// Listens to what happens.
    fn subscribe(&self) -> broadcast::Receiver<Event>;
    /// Tells of states that show something new, whether an event goes with it or not.
    fn newer(&self) -> watch::Receiver<u64>;
    /// Gives the state of now; cheap.
    fn snapshot(&self) -> Arc<Snapshot>;
    /// Reads a source file; may block shortly.
    ///
    /// # Errors
    /// Fails when the file cannot be read as text.
    fn source(&self, path: &RelPath) -> Result<Arc<str>, Trouble>;
    /// Lists all kinds of calls of a function; may block for a moment.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    fn call_kinds(&self, function: &FunctionId) -> Result<Vec<CallKind>, Trouble>;
    /// Reads some kinds of calls, without those that are gone; may block shortly.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    fn call_rows(&self, kinds: &[CallKind]) -> Result<Vec<CallRow>, Trouble>;
    /// Lists the tests that run through a function; may block for a moment.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    fn tests_through(&self, function: &FunctionId) -> Result<Vec<TestRow>, Trouble>;
    /// Runs a recorded call again and gives what each line of its function gave, or one sentence that says why not. Dropping it
    /// ends the call.
    fn line_values(&self, call: CallId) -> Pending<Result<Arc<LineValues>, Sentence>>;
    /// Reads the kept calls of a recording, a line each; may block for a moment.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    fn recorded(&self, recording: RecordingId) -> Result<Vec<RecordedRow>, Trouble>;
    /// Reads a proposal with what accepting it would write; may block shortly.
    ///
    /// # Errors
    /// Fails when there is no such proposal or the store cannot be read.
    fn proposal(&self, id: ProposalId) -> Result<ProposalView, Trouble>;
    /// Gives what accepting these proposals together would write, each file once; may block shortly.
    ///
    /// # Errors
    /// Fails when one of them cannot be written as things stand.
    fn plan(&self, proposals: &[ProposalId]) -> Result<Vec<FileEdit>, Trouble>;
    /// Gives the last verdict of a test, with what the test did; may block shortly.
    ///
    /// # Errors
    /// Fails when none is kept or the store cannot be read.
    fn judged(&self, test: &str) -> Result<JudgedView, Trouble>;
    /// Gives a YAML test with all that is known of it; cheap.
    ///
    /// # Errors
    /// Fails when there is no such test.
    fn spec(&self, file: &RelPath) -> Result<SpecView, Trouble>;
    /// Gives the last comparison with a commit; cheap.
    fn diffed(&self) -> Option<Arc<Diff>>;
    /// Gives what would be sent on a yes to a question, byte for byte; cheap.
    fn outgoing(&self, question: QuestionId) -> Option<Arc<str>>;
    /// Gives the text a model is writing for a proposal; cheap.
    fn stream(&self, id: ProposalId) -> Option<StreamView>;
}
