//! What follows a change of configuration: nobody can tell which tests it changes, so all it may concern are run again.
//!
//! It concerns what pytest runs in its folder and below: drafts are proved again, judged tests are judged again. Recorded
//! calls are made again without pytest, so no configuration of pytest changes how they end. The program's own settings are
//! `reloading.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Topic;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::verdicts;
use crate::engine::watch::on_save;
use crate::source::change::{IndexChange, What};
use crate::source::configuration::{is_configuration, meaning};

/// What files of configuration said when they were read last.
#[derive(Default)]
struct Configured(Mutex<BTreeMap<RelPath, Digest>>);

/// Reads what there is, so that a change can be told from a file that was only written again.
pub async fn begin(core: &Arc<Core>) {
    let core = core.clone();
    // A task that broke has said so; then the first save of each file counts as a change.
    let _ = blocking(move || differing(&core, None)).await;
}

/// Reads these files of configuration again, or all there are; gives those that say something else than before.
pub fn differing(core: &Core, paths: Option<&[RelPath]>) -> Vec<RelPath> {
    let index = core.index();
    let configured = core.part::<Configured>();
    let mut known = configured.0.lock();
    let wanted: BTreeSet<RelPath> = match paths {
        Some(paths) => paths.iter().filter(|path| is_configuration(path.as_str().as_ref())).cloned().collect(),
        None => known.keys().chain(index.configuration()).cloned().collect(),
    };
    let differs = |path: &RelPath| match meaning(&core.root, path) {
        Some(now) => known.insert(path.clone(), now) != Some(now),
        None => known.remove(path).is_some(),
    };
    wanted.into_iter().filter(differs).collect()
}

/// Gives what the files of configuration said when they were read last.
pub fn known(core: &Core) -> BTreeMap<RelPath, Digest> {
    core.part::<Configured>().0.lock().clone()
}

/// Lists the files `conftest.py` of a change in which something means something else.
pub fn conftests(change: &IndexChange) -> impl Iterator<Item = &RelPath> {
    let means = |path: &&RelPath| {
        let code = change.functions.iter().any(|one| one.path == **path && one.what != What::Doc);
        code || change.init.contains(path) || change.classes.iter().any(|one| one.path == **path)
    };
    change.files.iter().filter(|path| path.file_name() == "conftest.py").filter(means)
}

/// Tells whether a file of configuration says how the tests in a file are run.
pub fn concerns(path: &RelPath, test: &RelPath) -> bool {
    path.as_str().strip_suffix(path.file_name()).is_some_and(|folder| test.as_str().starts_with(folder))
}

/// Marks all that configuration may concern as stale, and says why; gives the functions whose drafts are to be proved again.
pub fn changed(core: &Arc<Core>, paths: &[RelPath]) -> BTreeSet<FunctionId> {
    let Some(first) = paths.first() else { return BTreeSet::new() };
    let concerned = |test: &RelPath| paths.iter().any(|path| concerns(path, test));
    let judged = verdicts::state::mark_stale_in(core, &concerned);
    let drafts: BTreeSet<FunctionId> = {
        let state = core.state.lock();
        let open = state.proposals.values().filter(|proposal| on_save::may_be_stale(proposal));
        let here = open.filter(|proposal| proposal.draft().is_some_and(|draft| concerned(&draft.target)));
        here.map(|proposal| proposal.function.clone()).collect()
    };
    let what =
        if paths.len() == 1 { first.to_string() } else { format!("{first} and {}", text::count(paths.len() - 1, "other")) };
    // A verb of the command line proves what it is asked to.
    let then = if core.watcher.lock().is_some() { "proved again" } else { "stale" };
    let follows = match (drafts.len(), judged) {
        (0, 0) => "no draft and no verdict rests on it".to_owned(),
        (drafts, 0) => format!("{} {then}", text::count(drafts, "draft")),
        (0, judged) => format!("{} stale", text::count(judged, "verdict")),
        (drafts, judged) => format!("{} {then}, {} stale", text::count(drafts, "draft"), text::count(judged, "verdict")),
    };
    let because = format!("it says how tests run: {follows}");
    core.log.add(Level::Info, "saved", &format!("{what} changed; {because}"), Some(Topic::File(first.clone())));
    core.announce(Event::Saved { paths: paths.to_vec(), functions: Vec::new(), because: Some(because) });
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;
    use crate::source::index::Index;

    #[test]
    fn a_file_that_says_the_same_is_no_change_and_one_that_comes_or_goes_is() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("tox.ini", "[pytest]\n");
        let store = crate::store::open_in_memory().unwrap();
        let core = Core::new(folder.path().into(), Settings::default(), store, Trust::Trusted, "none".into());
        *core.index.write() = Arc::new(Index::build(folder.path(), &[], &|_, _| {}));
        let paths: Vec<RelPath> = ["tox.ini", "setup.cfg", "data.json"].into_iter().filter_map(RelPath::new).collect();
        let saved = || differing(&core, Some(&paths)).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(differing(&core, None), [paths[0].clone()]);
        assert_eq!(saved(), [""; 0]);
        put("tox.ini", "# Ours.\n[pytest]\n");
        put("data.json", "1");
        assert_eq!(saved(), [""; 0]);
        put("tox.ini", "[pytest]\naddopts = -x\n");
        put("setup.cfg", "[tool:pytest]\n");
        assert_eq!(saved(), ["setup.cfg", "tox.ini"]);
        std::fs::remove_file(folder.path().join("setup.cfg")).unwrap();
        assert_eq!(saved(), ["setup.cfg"]);
        assert_eq!(saved(), [""; 0]);
    }

    #[test]
    fn of_conftest_only_what_runs_counts() {
        let folder = tempfile::tempdir().unwrap();
        let put = |text: &str| std::fs::write(folder.path().join("conftest.py"), text).unwrap();
        put("def pytest_configure():\n    pass\n");
        let mut index = Index::build(folder.path(), &[], &|_, _| {});
        put("# Ours.\ndef pytest_configure():\n    pass\n");
        assert_eq!(conftests(&index.update(folder.path(), None)).count(), 0);
        put("def pytest_configure():\n    return 1\n");
        assert_eq!(conftests(&index.update(folder.path(), None)).count(), 1);
    }
}
