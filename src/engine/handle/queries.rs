//! What front ends ask to see.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::call::{Call, CallId, Recording, RecordingId};
use crate::domain::decision::FileEdit;
use crate::domain::diff::Diff;
use crate::domain::function::{Function, FunctionId};
use crate::domain::journey::JourneyEvent;
use crate::domain::line_values::LineValues;
use crate::domain::proposal::ProposalId;
use crate::domain::question::QuestionId;
use crate::domain::snapshot::{CallKind, CallRow, JudgedView, ProposalView, RecordedRow, StreamView, TestRow};
use crate::domain::spec_board::SpecView;
use crate::engine::calls::{tests_through, views};
use crate::engine::edits::plan;
use crate::engine::handle::Handle;
use crate::engine::handle::proposal_view;
use crate::engine::index::files;
use crate::engine::index::syntax_errors::{self, Unparsed};
use crate::engine::replay::{diff, line_values};
use crate::engine::review::decide::LeftAlone;
use crate::engine::state::token_buffers::Streams;
use crate::engine::{models, recording, review, verdicts};

impl Handle {
    /// Lists the accepted tests that a person changed since, and that stay as they are.
    ///
    /// # Errors
    /// Fails when the manifest or a file it speaks of cannot be read.
    pub fn changed_by_hand(&self) -> Result<Vec<String>, Trouble> {
        plan::changed_by_hand(&self.core)
    }

    /// Gives what accepting these proposals together would write now; may block shortly.
    ///
    /// # Errors
    /// Fails when one of them cannot be written as things stand.
    pub fn plan(&self, proposals: &[ProposalId]) -> Result<Vec<FileEdit>, Trouble> {
        review::decide::planned(&self.core, proposals)
    }

    /// Gives the last comparison with a commit.
    #[must_use]
    pub fn diffed(&self) -> Option<Arc<Diff>> {
        diff::last(&self.core)
    }

    /// Gives the text a model is writing for a proposal.
    #[must_use]
    pub fn stream(&self, id: ProposalId) -> Option<StreamView> {
        self.core.part::<Streams>().view(id)
    }

    /// Gives what would be sent on a yes to this question, byte for byte.
    #[must_use]
    pub fn outgoing(&self, question: QuestionId) -> Option<Arc<str>> {
        self.core.questions.outgoing(question)
    }

    /// Reads a source file of the project.
    ///
    /// # Errors
    /// Fails when it cannot be read any more.
    pub fn source(&self, path: &RelPath) -> Result<Arc<str>, Trouble> {
        files::source(&self.core, path)
    }

    /// Lists all kinds of calls of a function, equal inputs together.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn call_kinds(&self, function: &FunctionId) -> Result<Vec<CallKind>, Trouble> {
        Ok(self.core.store().kinds_of(function)?)
    }

    /// Gives some kinds of calls as rows; those that are gone are left out.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn call_rows(&self, kinds: &[CallKind]) -> Result<Vec<CallRow>, Trouble> {
        views::call_rows(&self.core, kinds)
    }

    /// Gives the newest recorded calls of a function, equal inputs together.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn calls(&self, function: &FunctionId) -> Result<Vec<CallRow>, Trouble> {
        views::calls(&self.core, function)
    }

    /// Lists the tests that run through a function, as far as recordings know.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn tests_through(&self, function: &FunctionId) -> Result<Vec<TestRow>, Trouble> {
        tests_through::of(&self.core, function)
    }

    /// Runs a recorded call again and gives what each line of its function gave; where it cannot be run, one sentence says why.
    ///
    /// # Errors
    /// Fails with the sentence.
    pub async fn line_values(&self, call: CallId) -> Result<Arc<LineValues>, Sentence> {
        line_values::of(&self.core, call).await
    }

    /// Gives a proposal with what accepting it would write.
    ///
    /// # Errors
    /// Fails when there is no such proposal or the store cannot be read.
    pub fn proposal(&self, id: ProposalId) -> Result<ProposalView, Trouble> {
        proposal_view::proposal(&self.core, id)
    }

    /// Gives a function of the index.
    #[must_use]
    pub fn function(&self, id: &FunctionId) -> Option<Function> {
        self.core.function(id)
    }

    /// Finds the functions a person means.
    ///
    /// # Errors
    /// Fails with the nearest names when there is none.
    pub fn find(&self, wanted: &str) -> Result<Vec<FunctionId>, Trouble> {
        self.core.index().find(wanted).map_err(|nearest| {
            let trouble = Trouble::usage(format!("No function {}.", text::display_line(wanted)));
            if nearest.is_empty() {
                trouble.so("pytead-tui index --format json lists them all.")
            } else {
                trouble.so(format!("Nearest: {}.", nearest.join(", ")))
            }
        })
    }

    /// Lists the project's files that do not parse, those first that recorded calls may run through.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn unparsed(&self) -> Result<Vec<Unparsed>, Trouble> {
        syntax_errors::list(&self.core)
    }

    /// Gives what the chosen model would be sent for tests of a function, byte for byte.
    ///
    /// # Errors
    /// Fails when there is no such function, no model is chosen, or there is nothing to ask.
    pub async fn outgoing_draft(&self, function: &FunctionId, remark: Option<&str>) -> Result<String, Trouble> {
        models::draft::outgoing(&self.core, function, remark).await
    }

    /// Lists the recordings, the newest first, each with the number of events where it is a journey.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn recordings(&self) -> Result<Vec<(Recording, Option<u64>)>, Trouble> {
        recording::read::list(&self.core)
    }

    /// Gives the journey of a recording; empty where it is one of calls.
    ///
    /// # Errors
    /// Fails when there is no such recording or the database cannot be read.
    pub fn journey(&self, recording: RecordingId) -> Result<Vec<JourneyEvent>, Trouble> {
        recording::read::journey(&self.core, recording)
    }

    /// Gives the kept calls of a recording, a line each, in the order they began.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn recorded(&self, recording: RecordingId) -> Result<Vec<RecordedRow>, Trouble> {
        views::recorded(&self.core, recording)
    }

    /// Gives the kept calls of a recording, in the order they began.
    ///
    /// # Errors
    /// Fails when there is no such recording or the database cannot be read.
    pub fn recorded_calls(&self, recording: RecordingId) -> Result<Vec<Call>, Trouble> {
        recording::read::calls(&self.core, recording)
    }

    /// Parts proposals that may be accepted many at once from those that a person looks at one by one, with the reason.
    ///
    /// # Errors
    /// Fails when the store or the files cannot be read.
    pub fn in_bulk(&self, ids: &[ProposalId]) -> Result<(Vec<ProposalId>, LeftAlone), Trouble> {
        review::decide::in_bulk(&self.core, ids)
    }

    /// Gives a YAML test of the project with all that is known of it.
    ///
    /// # Errors
    /// Fails when there is no such test.
    pub fn spec(&self, file: &RelPath) -> Result<SpecView, Trouble> {
        let view = self.core.state.lock().specs.view(file);
        view.ok_or_else(|| Trouble::usage(format!("There is no YAML test {file}.")))
    }

    /// Gives the last verdict of a test, with what the test did.
    ///
    /// # Errors
    /// Fails when none is kept or the store cannot be read.
    pub fn judged(&self, test: &str) -> Result<JudgedView, Trouble> {
        verdicts::state::view(&self.core, test)
    }
}
