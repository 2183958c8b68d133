//! What changed while nothing was open besides code: configuration and the files that calls read. What drafts and verdicts rest
//! on of these is kept with the project, and compared when it is opened; what follows is what follows a save.
//!
//! Code itself is compared by what each draft was proved on (`proving/basis.rs`), what calls do by their replay
//! (`replay/behaviour.rs`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::subject::Subject;
use crate::engine::index::last_said::Said;
use crate::engine::index::reachability;
use crate::engine::index::{configuration, last_said};
use crate::engine::proving::basis;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::verdicts;
use crate::engine::watch::{config_changes, on_save};

/// Marks as stale what rests on files that are others than when the project was open last, and says which.
///
/// # Errors
/// Fails when the database does.
pub async fn catch_up(core: &Arc<Core>) -> Result<(), Trouble> {
    let worker = core.clone();
    let (now, before) = blocking(move || {
        if worker.watcher.lock().is_none() {
            configuration::differing(&worker, None);
        }
        Ok::<_, Trouble>((Said::now(&worker)?, worker.store().said::<Said>()?))
    })
    .await??;
    if let Some(before) = before.filter(|before| *before != now) {
        let paths = now.configuration.keys().chain(before.configuration.keys()).collect::<BTreeSet<_>>();
        let differs = |path: &&&RelPath| now.configuration.get(**path) != before.configuration.get(**path);
        let configuration: Vec<RelPath> = paths.iter().filter(differs).map(|path| (*path).clone()).collect();
        // A file that is only now known to be read tells nothing.
        let differs = |(path, digest): &(&RelPath, &Digest)| before.data.get(*path).is_some_and(|before| before != *digest);
        let data: Vec<RelPath> = now.data.iter().filter(differs).map(|(path, _)| path.clone()).collect();
        let readers = on_save::note_data(core, &data)?;
        verdicts::state::mark_stale(core, &readers.iter().filter_map(Subject::function).cloned().collect(), &[]);
        let mut stale = config_changes::changed(core, &configuration);
        let worker = core.clone();
        let resting = blocking(move || {
            let data: Vec<Subject> = data.into_iter().map(Subject::File).collect();
            Ok::<_, Trouble>(reachability::recorded(&worker, &worker.index())?.resting_on(&data, &[]))
        });
        stale.extend(resting.await??);
        basis::mark_stale(core, &stale);
    }
    last_said::keep(core);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::base::clock::Moment;
    use crate::domain::function::FunctionId;
    use crate::domain::proposal::{Body, Draft, Proposal, ProposalId, ProposalState};
    use crate::domain::samples;
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;
    use crate::engine::review;
    use crate::source::index::Index;
    use crate::store::{self, Store};

    /// As we write it with accepted tests.
    const PATH_HELP: &str = "\"\"\"Puts the project on the path of these tests.\"\"\"\n\nimport sys\nfrom pathlib import Path\n\n\
         ROOT = Path(__file__).resolve().parents[1]\nsys.path.insert(0, str(ROOT))\n";

    /// Opens a project as a process does that comes after another.
    async fn open(folder: &Path, store: &Store) -> Arc<Core> {
        let core = Core::new(folder.into(), Settings::default(), store.clone(), Trust::Trusted, "none".into());
        *core.index.write() = Arc::new(Index::build(folder, &[], &|_, _| {}));
        let core = Arc::new(core);
        review::decide::load(&core, false).unwrap();
        catch_up(&core).await.unwrap();
        core
    }

    fn ready(store: &Store) -> ProposalId {
        let draft = Draft { target: RelPath::new("tests/test_m.py").unwrap(), ..samples::draft(&[], "def test_f(): f()\n") };
        let queued = Proposal::queued(FunctionId("m:f".into()), Body::Draft(draft), Moment(0));
        store.insert_proposal(&Proposal { state: ProposalState::Ready, ..queued }).unwrap()
    }

    #[tokio::test]
    async fn drafts_are_stale_that_rest_on_what_changed_while_nothing_was_open() {
        for (path, before, after, stale) in [
            ("tox.ini", "[pytest]\n", "[pytest]\naddopts = -x\n", true),
            ("tox.ini", "[pytest]\n", "# Ours.\n[pytest]\n", false),
            ("setup.cfg", "", "[tool:pytest]\n", true),
            ("tests/conftest.py", "A = 1\n", "A = 2\n", true),
            ("tests/conftest.py", "def a():\n    return 1\n", "def a():\n    return 2\n", true),
            ("tests/conftest.py", "A = 1\n", "A = 1  # One.\n", false),
            ("other/conftest.py", "A = 1\n", "A = 2\n", false),
            ("tests/conftest.py", "", "A = 1\n", true),
            ("tests/conftest.py", "", PATH_HELP, false),
            ("rates.txt", "1", "2", true),
            ("nobody.txt", "1", "2", false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let save = |path: &str, text: &str| {
                let path = folder.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            };
            save("m.py", "def f():\n    return open('rates.txt').read()\n");
            if !before.is_empty() {
                save(path, before);
            }
            let store = store::open_in_memory().unwrap();
            let id = ready(&store);
            let state = || store.proposal(id).unwrap().unwrap().state;
            open(folder.path(), &store).await;
            open(folder.path(), &store).await;
            assert_eq!(state(), ProposalState::Ready, "{path}: nothing changed");
            save(path, after);
            let core = open(folder.path(), &store).await;
            let said = if stale { ProposalState::Stale } else { ProposalState::Ready };
            assert_eq!(state(), said, "{path}: {after}");
            let told = core.log.rows().iter().any(|line| line.text.contains(path));
            assert!(!stale || told, "{path}: why is not said");
            store.change_proposal(id, |proposal| proposal.state = ProposalState::Ready).unwrap();
            open(folder.path(), &store).await;
            assert_eq!(state(), ProposalState::Ready, "{path}: it is known by now");
        }
    }
}
