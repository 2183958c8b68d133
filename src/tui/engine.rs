//! The engine's handle as what the screen stands on.

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
use crate::engine::Handle;
use crate::tui::backend::{Backend, Pending};

impl Backend for Handle {
    fn send(&self, command: Command) {
        Handle::send(self, command);
    }

    fn settings(&self) -> settings::Tui {
        self.project().1.tui.clone()
    }

    fn note_settings(&self, trouble: &Trouble) {
        Handle::note_settings(self, trouble);
    }

    fn subscribe(&self) -> broadcast::Receiver<Event> {
        Handle::subscribe(self)
    }

    fn newer(&self) -> watch::Receiver<u64> {
        Handle::newer(self)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Handle::snapshot(self)
    }

    fn source(&self, path: &RelPath) -> Result<Arc<str>, Trouble> {
        Handle::source(self, path)
    }

    fn call_kinds(&self, function: &FunctionId) -> Result<Vec<CallKind>, Trouble> {
        Handle::call_kinds(self, function)
    }

    fn tests_through(&self, function: &FunctionId) -> Result<Vec<TestRow>, Trouble> {
        Handle::tests_through(self, function)
    }

    fn call_rows(&self, kinds: &[CallKind]) -> Result<Vec<CallRow>, Trouble> {
        Handle::call_rows(self, kinds)
    }

    fn line_values(&self, call: CallId) -> Pending<Result<Arc<LineValues>, Sentence>> {
        let handle = self.clone();
        Box::pin(async move { Handle::line_values(&handle, call).await })
    }

    fn recorded(&self, recording: RecordingId) -> Result<Vec<RecordedRow>, Trouble> {
        Handle::recorded(self, recording)
    }

    fn proposal(&self, id: ProposalId) -> Result<ProposalView, Trouble> {
        Handle::proposal(self, id)
    }

    fn plan(&self, proposals: &[ProposalId]) -> Result<Vec<FileEdit>, Trouble> {
        Handle::plan(self, proposals)
    }

    fn judged(&self, test: &str) -> Result<JudgedView, Trouble> {
        Handle::judged(self, test)
    }

    fn spec(&self, file: &RelPath) -> Result<SpecView, Trouble> {
        Handle::spec(self, file)
    }

    fn diffed(&self) -> Option<Arc<Diff>> {
        Handle::diffed(self)
    }

    fn outgoing(&self, question: QuestionId) -> Option<Arc<str>> {
        Handle::outgoing(self, question)
    }

    fn stream(&self, id: ProposalId) -> Option<StreamView> {
        Handle::stream(self, id)
    }
}
