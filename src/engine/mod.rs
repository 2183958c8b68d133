//! L3: the one place that knows the order of things. Commands in, events out, a snapshot to look at.
//!
//! `state/core.rs` holds what the jobs share; each file of the other folders is one job or one kind of question. Only this
//! layer calls the store and writes files.

pub mod agents;
mod calls;
pub mod checks;
pub mod drafting;
mod edits;
pub mod handle;
mod index;
mod models;
mod proving;
mod python;
mod recording;
mod replay;
mod review;
mod specs;
mod state;
#[cfg(test)]
mod tests;
pub mod verdicts;
mod watch;

pub use checks::verdict_files::{UNTRACED, prepare as prepare_verdicts};
pub use drafting::docstring_examples::Documented;
pub use handle::clean::{Clean, Cleaned};
pub use index::syntax_errors::Unparsed;
pub use recording::import::{Imported, Refusal};
pub use recording::run::{Program, gap_lines};
pub use review::decide::LeftAlone;
pub use review::known_failures::told as put_away;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::base::error::Trouble;
use crate::base::paths;
use crate::config::places::Places;
use crate::contain;
use crate::domain::call::{Recording, RecordingId};
use crate::domain::command::Command;
use crate::domain::decision::FileEdit;
use crate::domain::diff::Diff;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{LeftOut, ProposalId, ProposalState};
use crate::domain::question::{Consent, QuestionId};
use crate::domain::settings::Settings;
use crate::domain::snapshot::{Snapshot, StreamView, Trust};
use crate::engine::state::core::Core;
use crate::spec::written::Answer;
use crate::store;

/// Longest wait at the end for what was sent.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// How to open a project.
pub struct Options {
    /// The project's root, absolute and resolved.
    pub root: PathBuf,
    /// Its settings.
    pub settings: Settings,
    /// May its code be run.
    pub trust: Trust,
    /// What was allowed here besides.
    pub consent: Consent,
    /// Somebody is there to answer questions; without, what needs an answer fails with the command that gives it.
    pub attended: bool,
    /// React to saves.
    pub watch: bool,
    /// What was wrong on the way here, for the log.
    pub notes: Vec<Trouble>,
    /// Where the settings come from, to be read again while the project is open.
    pub settings_from: Option<handle::settings_reload::Source>,
}

/// What a command came to.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "done", rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Done {
    /// Nothing to tell.
    Nothing,
    /// A program was recorded.
    Recorded(Box<Recording>),
    /// Drafts were made and proved.
    Drafted { ready: Vec<ProposalId>, refused: Vec<ProposalId>, left_out: Vec<(FunctionId, LeftOut)> },
    /// One proposal was worked on.
    Proposal(ProposalId),
    /// Recorded calls were run; `changed` has a proposal for each function that behaves differently.
    /// Edited functions with calls that cannot be run are in `untold`, with the number of their calls.
    /// `left_out` counts the kept calls of other functions that cannot be compared: they may not run, or end differently alone.
    Replayed { calls: u64, same: u64, changed: Vec<ProposalId>, unknown: u64, untold: Vec<(FunctionId, u64)>, left_out: u64 },
    /// Recorded calls were compared under two versions of the code.
    Diffed(Arc<Diff>),
    /// Decisions were made or taken back, a line for each.
    Decided { lines: Vec<String> },
    /// Accepted tests that are not as they would be drafted now.
    Checked { lines: Vec<String> },
    /// Tests with intents were run and judged.
    Judged { tests: Vec<String> },
}

/// Where proved drafts are written besides the project's tests.
#[derive(Debug, Clone, Copy)]
pub enum ExportTo<'a> {
    /// One file.
    File(&'a Path),
    /// A folder, a file a module.
    Folder(&'a Path),
}

/// A front end's hold on the engine; clones share it.
#[derive(Clone)]
pub struct Handle {
    core: Arc<Core>,
    stop: CancellationToken,
    /// What was sent and must not be lost.
    sent: TaskTracker,
    notes: Arc<[Trouble]>,
}

/// Refuses what would run code in a folder that nobody trusts.
///
/// # Errors
/// Fails with the command that trusts the folder.
pub fn require_trust(root: &Path, trust: Trust) -> Result<(), Trouble> {
    if trust == Trust::Trusted {
        return Ok(());
    }
    Err(Trouble::environment(format!("{} is not trusted, so nothing runs.", paths::tilde(root)))
        .so("If you trust its code: pytead-tui trust, or --trust for one call."))
}

/// Opens a project: its database, its index, and what an earlier run left behind.
///
/// # Errors
/// Fails when the project cannot be read or its database cannot be opened in any way.
pub async fn open(options: Options) -> Result<Handle, Trouble> {
    let Options { root, settings, trust, consent, attended, watch, notes, settings_from } = options;
    let opened = open_store(root.clone(), trust).await?;
    let containment = blocking(contain::available).await?.word().to_owned();
    let mut core = Core::new(root, settings, opened.store, trust, containment);
    core.attended = attended;
    core.settings_from = settings_from;
    core.state.get_mut().consent = consent;
    let core = Arc::new(core);
    let of_settings = notes.clone();
    let notes = opened.notes.into_iter().chain(notes).chain(review::decide::load(&core, opened.alone)?).collect();
    let handle = Handle { core: core.clone(), stop: CancellationToken::new(), sent: TaskTracker::new(), notes };
    for note in handle.notes() {
        let is_of_settings = of_settings.contains(note);
        core.log.trouble(if is_of_settings { "settings" } else { "database" }, note);
        if watch && !is_of_settings {
            core.announce(Event::Failed { trouble: note.clone() });
        }
    }
    if watch && !of_settings.is_empty() {
        core.announce(Event::SettingsRead { wrong: of_settings });
    }
    tokio::spawn(core.clone().keep_fresh(handle.stop.clone()));
    core.state.lock().model = checks::llm::provider::label(&core);
    if watch {
        let core = core.clone();
        tokio::spawn(async move {
            let saves = watch::on_save::listen(&core);
            index::initial::index(&core).await;
            watch::config_changes::begin(&core).await;
            watch::on_save::follow_data(&core).await;
            verdicts::state::begin(&core).await;
            specs::run::begin(&core).await;
            saves.into_iter().for_each(|saves| watch::on_save::follow(&core, saves));
            python::environment::prepare(&core).await;
            recording::recover::take_in(&core).await;
            catch_up(&core).await;
        });
        tokio::spawn(watch::on_save::follow_store(core_of(&handle), handle.stop.clone()));
        tokio::spawn(handle::settings_reload::follow(core_of(&handle), handle.stop.clone()));
    } else {
        index::initial::index(&core).await;
        recording::recover::take_in(&core).await;
        verdicts::state::begin(&core).await;
        mark_outdated(&core).await;
    }
    Ok(handle)
}

/// Follows what was edited while nobody watched.
async fn catch_up(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    mark_outdated(core).await;
    replay::behaviour::catch_up(core).await;
    drafting::pipeline::renew(core, drafting::pipeline::unfinished(core)).await;
    models::draft::resume(core).await;
}

async fn mark_outdated(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    for marked in [drafting::pipeline::mark_outdated(core).await, watch::offline_changes::catch_up(core).await] {
        if let Err(trouble) = marked {
            core.complain("stale", &trouble);
        }
    }
}

/// Opens the project's database. In a folder that is only read nothing is made, and what somebody else put there is not
/// opened, which would leave files beside it: the database lives in memory.
async fn open_store(root: PathBuf, trust: Trust) -> Result<store::Opened, Trouble> {
    let state = Places::find()?.state;
    blocking(move || {
        if trust != Trust::Trusted && !store::is_own(&root, &state) {
            let store = store::open_in_memory()?;
            return Ok(store::Opened { store, foreign: false, alone: true, notes: Vec::new(), interrupted: Vec::new() });
        }
        store::open(&root, &state)
    })
    .await?
}

fn core_of(handle: &Handle) -> Arc<Core> {
    handle.core.clone()
}

/// Runs short blocking work off the async threads.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Trouble> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Trouble::internal("A background task broke.").because(error))
}

impl Handle {
    /// Notes in the log what went wrong with a front end's own part of the settings.
    pub fn note_settings(&self, trouble: &Trouble) {
        self.core.log.trouble("settings", trouble);
        self.core.touch();
    }

    /// Asks for something; what comes of it is announced.
    pub fn send(&self, command: Command) {
        let handle = self.clone();
        let is_kept = command.is_kept();
        let work = async move {
            if let Err(trouble) = handle.perform(command).await {
                handle.core.complain("failed", &trouble);
            }
        };
        if is_kept {
            self.sent.spawn(work)
        } else {
            tokio::spawn(work)
        };
    }

    /// Does something and gives what it came to.
    ///
    /// # Errors
    /// Fails with what a person should read.
    pub async fn perform(&self, command: Command) -> Result<Done, Trouble> {
        let core = &self.core;
        let decided = |lines| Done::Decided { lines };
        match command {
            Command::Index => {
                index::initial::index(core).await;
                Ok(Done::Nothing)
            }
            Command::Record { argv, limit, targets } => {
                let program = Program { argv, limit, targets, ..Program::default() };
                let recording = recording::run::record(core, program, recording::run::Stdio::Kept).await?;
                Ok(Done::Recorded(Box::new(recording)))
            }
            Command::Draft { functions } => drafting::pipeline::draft(core, functions).await,
            Command::AskModel { function, remark } => models::draft::ask(core, function, remark).await,
            Command::GetModel { model } => models::download::get(core, model.as_deref()).await,
            Command::Prove { proposal } => {
                drafting::pipeline::prove_again(core, proposal).await.map(|()| Done::Proposal(proposal))
            }
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
                review::decide::decide(core, proposals, verb, reason, None).await.map(decided)
            }
            Command::Accept { proposal, seen } => review::decide::accept_seen(core, proposal, seen).await.map(decided),
            Command::Edit { proposal, text } => {
                review::decide::edit(core, proposal, text).await.map(|()| Done::Proposal(proposal))
            }
            Command::Undo => review::undo::undo(core).await.map(decided),
            Command::Redo => review::undo::redo(core).await.map(decided),
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
                core.set_trust(Trust::Trusted)?;
                let opened = open_store(core.root.clone(), Trust::Trusted).await?;
                opened.notes.iter().for_each(|note| core.complain("database", note));
                core.use_store(opened.store);
                handle::settings_reload::read_again(core).await;
                review::decide::load(core, opened.alone)?.iter().for_each(|told| core.complain("decided", told));
                core.say(Level::Done, "trusted", "This folder is trusted: its code may be run.");
                verdicts::state::begin(core).await;
                specs::run::begin(core).await;
                python::environment::prepare(core).await;
                catch_up(core).await;
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
        recording::run::record(&self.core, program, recording::run::Stdio::Inherited).await
    }

    /// Gives what recorded calls do differently, and nobody accepted, explained or was told of yet; then it counts as told.
    ///
    /// # Errors
    /// Fails when the folder is not trusted, or its calls cannot be run.
    pub async fn unexplained(&self, reference: &str) -> Result<Option<Diff>, Trouble> {
        agents::stop_hook::news(&self.core, reference).await
    }

    /// Reads again what editors and other processes changed meanwhile: for a front end that lives long and does not watch.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn reread(&self) -> Result<(), Trouble> {
        watch::on_save::reread(&self.core, None).await;
        watch::on_save::resync(&self.core)?;
        mark_outdated(&self.core).await;
        Ok(())
    }

    /// Takes in old traces and spools of another machine as one recording.
    ///
    /// # Errors
    /// Fails when there is nothing of the kind, or it cannot be stored.
    pub async fn import(&self, paths: Vec<PathBuf>) -> Result<Imported, Trouble> {
        recording::import::import(&self.core, paths).await
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

    /// Compares accepted tests with what would be drafted now.
    ///
    /// # Errors
    /// Fails when the tests or their manifest cannot be read.
    pub async fn check_accepted(&self) -> Result<Done, Trouble> {
        review::decide::check_accepted(&self.core).await.map(|lines| Done::Checked { lines })
    }

    /// Lists the accepted tests that a person changed since, and that stay as they are.
    ///
    /// # Errors
    /// Fails when the manifest or a file it speaks of cannot be read.
    pub fn changed_by_hand(&self) -> Result<Vec<String>, Trouble> {
        edits::plan::changed_by_hand(&self.core)
    }

    /// Gives what went wrong while the project was opened, none of it fatal. Whoever watches hears of it as events too.
    #[must_use]
    pub fn notes(&self) -> &[Trouble] {
        &self.notes
    }

    /// Makes type stubs of the modules of these functions, or of all that were recorded; where `whole`, of their packages.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn stubs(&self, functions: Vec<FunctionId>, whole: bool) -> Result<Vec<drafting::type_stubs::Stub>, Trouble> {
        drafting::type_stubs::stubs(&self.core, functions, whole).await
    }

    /// Hears what is announced from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.core.subscribe()
    }

    /// Gives the last snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.core.snapshot()
    }

    /// Makes a snapshot of this moment.
    pub async fn refreshed(&self) -> Arc<Snapshot> {
        self.core.make_snapshot().await
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
        self.core.diffed.lock().clone()
    }

    /// Gives the text a model is writing for a proposal.
    #[must_use]
    pub fn stream(&self, id: ProposalId) -> Option<StreamView> {
        self.core.streams.view(id)
    }

    /// Gives what would be sent on a yes to this question, byte for byte.
    #[must_use]
    pub fn outgoing(&self, question: QuestionId) -> Option<Arc<str>> {
        self.core.questions.outgoing(question)
    }

    /// Finds the interpreter and what is in it; starts nothing that stays.
    ///
    /// # Errors
    /// Fails when the folder is not trusted or has no usable Python.
    pub async fn environment(&self) -> Result<python::environment::Found, Trouble> {
        python::environment::get(&self.core).await.map(|environment| environment.found())
    }

    /// Describes the database for people.
    #[must_use]
    pub fn store_line(&self) -> String {
        let place = self.core.root.join(store::FOLDER).join(store::FILE);
        let mode = match self.core.store().mode() {
            store::Mode::Full => "read and written",
            store::Mode::ReadOnly => "only read",
            store::Mode::Memory if self.core.trust() != Trust::Trusted => "in memory: the folder is only read",
            store::Mode::Memory => "in memory: this project cannot be written",
        };
        format!("{}, {mode}", paths::tilde(&place))
    }

    /// Asks every job to stop.
    pub fn cancel_all(&self) {
        self.core.jobs.cancel_all();
    }

    /// Asks every job to stop, and each that begins from now on: what was asked for comes to its end soon, with everything
    /// left as others may find it.
    pub fn stop(&self) {
        self.core.jobs.stop();
    }

    /// Waits until [`Handle::stop`].
    pub async fn stopped(&self) {
        self.core.jobs.stopped().await;
    }

    /// Ends everything in order: jobs, decisions that were sent and not carried out yet, watcher, worker.
    pub async fn close(&self) {
        self.core.closing.store(true, Ordering::Relaxed);
        self.core.jobs.cancel_all();
        self.sent.close();
        // What takes longer than this hangs, and would hang the terminal.
        let _ = tokio::time::timeout(LAST_WORDS, self.sent.wait()).await;
        self.core.watcher.lock().take();
        self.stop.cancel();
        python::environment::close(&self.core).await;
    }
}

/// Tells whether a proposal may be accepted now.
fn is_ready(state: ProposalState) -> bool {
    state == ProposalState::Ready
}
