//! What front ends ask to be done.

use std::path::{Path, PathBuf};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::call::{Recording, RecordingId};
use crate::domain::command::Command;
use crate::domain::decision::FileEdit;
use crate::domain::diff::Diff;
use crate::domain::edited::Edits;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::near::Near;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::Trust;
use crate::engine::drafting::docstring_examples::{self, Documented};
use crate::engine::drafting::export::{self, ExportTo, ExportedFile};
use crate::engine::drafting::finetuning::{self, Exported};
use crate::engine::drafting::why::Why;
use crate::engine::handle::clean::{self, Clean, Cleaned};
use crate::engine::handle::{Handle, open, settings_reload};
use crate::engine::recording::import::Imported;
use crate::engine::recording::run::Program;
use crate::engine::state::done::Done;
use crate::engine::{
    agents, drafting, index, models, python, recording, replay, review, specs, state, verdicts, watch, workflow,
};
use crate::spec::written::Answer;

impl Handle {
    /// Does something and gives what it came to.
    ///
    /// # Errors
    /// Fails with what a person should read.
    pub async fn perform(&self, command: Command) -> Result<Done, Trouble> {
        let core = &self.core;
        let decided = |lines| Done::Decided { lines };
        match command {
            Command::Index => {
                watch::on_save::index(core).await;
                Ok(Done::Nothing)
            }
            Command::Record { argv, limit, targets } => {
                let program = Program { argv, limit, targets, ..Program::default() };
                let recording = workflow::record::record(core, program, recording::run::Stdio::Kept).await?;
                Ok(Done::Recorded(Box::new(recording)))
            }
            Command::Draft { functions } => workflow::drafts::asked(core, functions).await,
            Command::DraftNear { functions } => Box::pin(drafting::near_cases::propose(core, functions)).await,
            Command::DraftRecording { recording } => workflow::drafts::of_recording(core, recording).await,
            Command::AskModel { function, remark } => models::draft::ask(core, function, remark).await,
            Command::GetModel { model } => models::download::get(core, model.as_deref()).await,
            Command::Prove { proposal } => workflow::renew::prove_again(core, proposal).await.map(|()| Done::Proposal(proposal)),
            Command::Replay { functions } => replay::behaviour::replay(core, functions).await,
            Command::Diff { reference } => replay::diff::diff(core, reference).await.map(Done::Diffed),
            Command::Propose { function, text, remark, by } => agents::propose::propose(core, function, &text, remark, by).await,
            Command::AskSpec { asked, name, extend } => {
                let wanted = specs::drafts::wanted(core, &asked, name.as_deref(), extend.as_deref())?;
                specs::ask_model::ask(core, wanted).await
            }
            Command::ProposeSpec { test, plugin, asked, name, extend, by } => {
                let wanted = specs::drafts::wanted(core, &asked, name.as_deref(), extend.as_deref())?;
                specs::drafts::propose(core, wanted, Answer { test, plugin }, &by).await
            }
            Command::Explain { proposal, note, by } => {
                agents::propose::explain(core, proposal, &note, &by).map(|()| Done::Proposal(proposal))
            }
            Command::RunSpecs { files } => specs::run::run(core, files).await,
            Command::Judge { tests } => verdicts::rerun::judge(core, tests).await,
            Command::AskClauses { test } => verdicts::propose_clauses::ask(core, test).await,
            Command::Check { test, ask } => verdicts::rerun::check(core, &test, ask).await,
            Command::Decide { proposals, verb, reason } => {
                workflow::decided::decide(core, proposals, verb, reason, None).await.map(decided)
            }
            Command::Accept { proposal, seen } => workflow::decided::accept_seen(core, proposal, seen).await.map(decided),
            Command::Edit { proposal, text } => {
                review::decide::edit(core, proposal, text).await.map(|()| Done::Proposal(proposal))
            }
            Command::Undo => workflow::decided::undo(core).await.map(decided),
            Command::Redo => workflow::decided::redo(core).await.map(decided),
            Command::Cancel { job } => {
                if core.jobs.cancel(job).is_none() {
                    core.say(Level::Info, "cancelled", "Nothing runs that could be cancelled.");
                }
                core.touch();
                Ok(Done::Nothing)
            }
            Command::FilesChanged { paths } => {
                watch::on_save::changed(core, Some(paths).filter(|paths| !paths.is_empty())).await;
                Ok(Done::Nothing)
            }
            Command::PauseWatch { paused } => {
                watch::on_save::pause(core, paused);
                Ok(Done::Nothing)
            }
            Command::Trust => {
                core.note_trust(Trust::Trusted)?;
                let opened = open::open_store(core.root.clone(), Trust::Trusted).await?;
                opened.notes.iter().for_each(|note| core.complain("database", note));
                core.use_store(opened.store);
                settings_reload::read_again(core, Trust::Trusted).await;
                let alone = opened.alone;
                review::decide::load(core, alone)?.iter().for_each(|told| core.complain("decided", told));
                // Last: a recording that begins as soon as it may has its row in this database, and these settings.
                core.use_trust(Trust::Trusted);
                core.say(Level::Done, "trusted", "This folder is trusted: its code may be run.");
                verdicts::state::begin(core).await;
                specs::run::begin(core).await;
                python::environment::prepare(core).await;
                open::catch_up(core, alone).await;
                Ok(Done::Nothing)
            }
            Command::Answer { question, yes } => {
                state::questions::answer(core, question, yes);
                Ok(Done::Nothing)
            }
            Command::KeepSession { state } => {
                core.store().keep_session(&state)?;
                Ok(Done::Nothing)
            }
        }
    }

    /// Records a program that keeps this process's terminal.
    ///
    /// # Errors
    /// Fails when the program cannot be started or its recording cannot be kept.
    pub async fn record_attached(&self, program: Program) -> Result<Recording, Trouble> {
        workflow::record::record(&self.core, program, recording::run::Stdio::Inherited).await
    }

    /// Takes in old traces and spools of another machine as one recording.
    ///
    /// # Errors
    /// Fails when there is nothing of the kind, or it cannot be stored.
    pub async fn import(&self, paths: Vec<PathBuf>) -> Result<Imported, Trouble> {
        recording::import::import(&self.core, paths).await
    }

    /// Takes in the old traces of a folder, as [`Handle::import`]; `None` where they were taken in since they were made.
    ///
    /// # Errors
    /// As [`Handle::import`].
    pub async fn import_news(&self, folder: PathBuf) -> Result<Option<Imported>, Trouble> {
        recording::import::import_news(&self.core, folder).await
    }

    /// Gives what recorded calls do differently, and nobody accepted, explained or was told of yet; then it counts as told.
    ///
    /// # Errors
    /// Fails when the folder is not trusted, or its calls cannot be run.
    pub async fn unexplained(&self, reference: &str, session: &str) -> Result<Option<Diff>, Trouble> {
        agents::stop_hook::news(&self.core, reference, session).await
    }

    /// Reads again what editors and other processes changed meanwhile: for a front end that lives long and does not watch.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn reread(&self) -> Result<(), Trouble> {
        index::refresh::reread(&self.core, None).await;
        watch::store_sync::resync(&self.core)?;
        open::mark_outdated(&self.core).await;
        Ok(())
    }

    /// Searches beside the recorded calls of edited functions: for inputs that a commit, or the code of the recording, took otherwise.
    ///
    /// # Errors
    /// Fails when the folder is not trusted, or its calls cannot be run.
    pub async fn near(&self, reference: Option<&str>, edits: &Edits) -> Result<Near, Trouble> {
        Box::pin(replay::near::search(&self.core, reference, edits)).await
    }

    /// Decides sentences on the journey of a recording, or of the last one that has a journey; gives which it was.
    ///
    /// # Errors
    /// Fails when there is no such journey or the database cannot be read.
    pub fn judge(
        &self,
        recording: Option<RecordingId>,
        text: &str,
    ) -> Result<(RecordingId, Vec<verdicts::on_recording::Judged>), Trouble> {
        verdicts::on_recording::judge(&self.core, recording, text)
    }

    /// Tells why calls of functions have no test.
    ///
    /// # Errors
    /// Fails when nothing can be run in this folder, or the store cannot be read.
    pub async fn why(&self, functions: Vec<FunctionId>) -> Result<Vec<Why>, Trouble> {
        drafting::why::why(&self.core, functions).await
    }

    /// Compares accepted tests with what would be drafted now.
    ///
    /// # Errors
    /// Fails when the tests or their manifest cannot be read.
    pub async fn check_accepted(&self) -> Result<Done, Trouble> {
        review::decide::check_accepted(&self.core).await.map(|lines| Done::Checked { lines })
    }

    /// Notes in the manifest which accepted tests a person deleted, so that they stay deleted; names them.
    ///
    /// # Errors
    /// Fails when the manifest cannot be read or written.
    pub fn note_deleted(&self) -> Result<Vec<String>, Trouble> {
        review::decide::note_deleted(&self.core)
    }

    /// Makes type stubs of the modules of these functions, or of all that were recorded; where `whole`, of their packages.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn stubs(&self, functions: Vec<FunctionId>, whole: bool) -> Result<Vec<drafting::type_stubs::Stub>, Trouble> {
        drafting::type_stubs::stubs(&self.core, functions, whole).await
    }

    /// Writes stubs below a folder that the user typed.
    ///
    /// # Errors
    /// Fails, with nothing written, when there is a stub of somebody else, or a link of the project is in the way.
    pub fn write_stubs(&self, folder: &Path, stubs: &[drafting::type_stubs::Stub]) -> Result<(), Trouble> {
        drafting::type_stubs::write(&self.core, folder, stubs)
    }

    /// Makes docstring examples for these functions, or for all that were recorded; writes nothing.
    ///
    /// # Errors
    /// Fails in an untrusted folder and where nothing can be run.
    pub async fn document(&self, functions: Vec<FunctionId>) -> Result<Documented, Trouble> {
        docstring_examples::document(&self.core, functions).await
    }

    /// Writes docstring examples as they were shown.
    ///
    /// # Errors
    /// Fails when a file is not as it was, and then nothing is written.
    pub fn write_examples(&self, edits: &[FileEdit]) -> Result<(), Trouble> {
        docstring_examples::write(&self.core, edits)
    }

    /// Takes back the docstring examples written last; gives the files.
    ///
    /// # Errors
    /// Fails when there are none, or a file changed since.
    pub fn undocument(&self) -> Result<Vec<RelPath>, Trouble> {
        docstring_examples::take_back(&self.core)
    }

    /// Writes proved drafts somewhere else than into the project's tests; gives the files.
    ///
    /// # Errors
    /// Fails when a file that is there holds no tests, or one cannot be written.
    pub fn export(&self, proposals: &[ProposalId], to: ExportTo<'_>) -> Result<Vec<ExportedFile>, Trouble> {
        export::export(&self.core, proposals, to)
    }

    /// Writes what was decided on drafts as training data.
    ///
    /// # Errors
    /// Fails when nothing was decided yet, and when the database cannot be read or the folder not be written to.
    pub fn export_finetuning(&self, folder: &Path) -> Result<Exported, Trouble> {
        finetuning::export(&self.core, folder)
    }

    /// Throws away recordings and drafts that no decision rests on, or finds out what that would be.
    ///
    /// # Errors
    /// Fails in an untrusted folder and when the database cannot be written.
    pub async fn clean(&self, clean: Clean) -> Result<Cleaned, Trouble> {
        clean::clean(&self.core, clean).await
    }

    /// Finds the interpreter and what is in it; starts nothing that stays.
    ///
    /// # Errors
    /// Fails when the folder is not trusted or has no usable Python.
    pub async fn environment(&self) -> Result<python::environment::Found, Trouble> {
        python::environment::get(&self.core).await.map(|environment| environment.found())
    }
}
