//! Opening a project, and what follows from what was left before.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::base::error::Trouble;
use crate::config::places::Places;
use crate::contain;
use crate::domain::event::Event;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::domain::snapshot::Trust;
use crate::engine::handle::Handle;
use crate::engine::handle::settings_reload::{self, Source};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::workflow::{drafts, record, renew};
use crate::engine::{drafting, models, python, replay, review, specs, verdicts, watch};
use crate::store;

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
    pub settings_from: Option<Source>,
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
    core.state.get_mut().consent = consent;
    let core = Arc::new(core);
    settings_reload::come_from(&core, settings_from);
    let (of_settings, alone) = (notes.clone(), opened.alone);
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
    tokio::spawn(renew::follow(core.clone(), handle.stop.clone()));
    core.state.lock().model = models::provider::label(&core);
    if watch {
        let core = core.clone();
        tokio::spawn(async move {
            let saves = watch::on_save::listen(&core);
            watch::on_save::index(&core).await;
            watch::config_changes::begin(&core).await;
            watch::on_save::follow_data(&core).await;
            verdicts::state::begin(&core).await;
            specs::run::begin(&core).await;
            saves.into_iter().for_each(|saves| watch::on_save::follow(&core, saves));
            python::environment::prepare(&core).await;
            record::recover(&core).await;
            catch_up(&core, alone).await;
        });
        tokio::spawn(watch::store_sync::follow_store(handle.core.clone(), handle.stop.clone()));
        tokio::spawn(settings_reload::follow(handle.core.clone(), handle.stop.clone()));
        tokio::spawn(python::appears::follow(handle.core.clone(), handle.stop.clone()));
    } else {
        watch::on_save::index(&core).await;
        record::recover(&core).await;
        verdicts::state::begin(&core).await;
        mark_outdated(&core).await;
    }
    Ok(handle)
}

/// Follows what was edited while nobody watched, and goes on with what was not finished; another workbench, where this one is
/// not `alone`, works on its own drafts.
pub async fn catch_up(core: &Arc<Core>, alone: bool) {
    if core.trust() != Trust::Trusted {
        return;
    }
    mark_outdated(core).await;
    replay::behaviour::catch_up(core).await;
    drafting::pipeline::renew(core, drafting::pipeline::unfinished(core)).await;
    if alone {
        drafts::go_on(core).await;
    }
    models::draft::resume(core).await;
}

pub async fn mark_outdated(core: &Arc<Core>) {
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
pub async fn open_store(root: PathBuf, trust: Trust) -> Result<store::Opened, Trouble> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock;
    use crate::domain::call::Recording;
    use crate::domain::command::Command;

    /// Run as a process of its own by the test below: the list of trusted folders lies in a home of its own.
    #[tokio::test]
    #[ignore = "the other half of a test"]
    async fn trusts_a_folder_and_records_in_the_same_moment() {
        let Some(root) = std::env::var_os("PYTEAD_TEST_ROOT").map(PathBuf::from) else { return };
        let options = Options {
            root: root.join("project"),
            settings: Settings::default(),
            trust: Trust::Unknown,
            consent: Consent::default(),
            attended: false,
            watch: false,
            notes: Vec::new(),
            settings_from: None,
        };
        let handle = open(options).await.unwrap();
        let core = handle.core.clone();
        let recorded = tokio::spawn(async move {
            while core.trust() != Trust::Trusted {
                tokio::task::yield_now().await;
            }
            core.store().begin_recording(&Recording::begun(vec!["python".into()], clock::now())).unwrap()
        });
        handle.perform(Command::Trust).await.unwrap();
        let id = recorded.await.unwrap();
        assert!(handle.core.store().recording(id).unwrap().is_some(), "it went into a database that nobody reads again");
    }

    #[test]
    fn what_is_recorded_in_the_moment_that_a_folder_is_trusted_is_in_its_database() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let root = folder.path().canonicalize().unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "engine::handle::open::tests::trusts_a_folder_and_records_in_the_same_moment", "--ignored"])
            .envs(["HOME", "PYTEAD_TEST_ROOT"].map(|name| (name, &root)))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("1 passed"), "{said}");
    }
}
