//! What follows a change of configuration: nobody can tell which tests it changes, so all it may concern are run again.
//!
//! It concerns what pytest runs in its folder and below: drafts are proved again, judged tests are judged again. Recorded
//! calls are made again without pytest, so no configuration of pytest changes how they end. The program's own settings are
//! `handle/settings_reload.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Topic;
use crate::engine::index::configuration;
use crate::engine::proving::basis;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::verdicts;
use crate::source::change::{IndexChange, What};

/// Reads what there is, so that a change can be told from a file that was only written again.
pub async fn begin(core: &Arc<Core>) {
    let core = core.clone();
    // A task that broke has said so; then the first save of each file counts as a change.
    let _ = blocking(move || configuration::differing(&core, None)).await;
}

/// Lists the files `conftest.py` of a change in which something means something else.
pub fn conftests(change: &IndexChange) -> impl Iterator<Item = &RelPath> {
    let means = |path: &&RelPath| {
        let code = change.functions.iter().any(|one| one.path == **path && one.what != What::Doc);
        code || change.init.contains(path) || change.classes.iter().any(|one| one.path == **path)
    };
    change.files.iter().filter(|path| path.file_name() == "conftest.py").filter(means)
}

/// Marks all that configuration may concern as stale, and says why; gives the functions whose drafts are to be proved again.
pub fn changed(core: &Arc<Core>, paths: &[RelPath]) -> BTreeSet<FunctionId> {
    let Some(first) = paths.first() else { return BTreeSet::new() };
    let concerned = |test: &RelPath| paths.iter().any(|path| configuration::concerns(path, test));
    let judged = verdicts::state::mark_stale_in(core, &concerned);
    let drafts: BTreeSet<FunctionId> = {
        let state = core.state.lock();
        let open = state.proposals.values().filter(|proposal| basis::may_be_stale(proposal));
        let here = open.filter(|proposal| proposal.draft().is_some_and(|draft| concerned(&draft.target)));
        here.filter_map(|proposal| proposal.function().cloned()).collect()
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
    core.log.add(Level::Info, "saved", format!("{what} changed; {because}"), Some(Topic::File(first.clone())));
    core.announce(Event::Saved { paths: paths.to_vec(), functions: Vec::new(), because: Some(because.into()) });
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::index::Index;

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
