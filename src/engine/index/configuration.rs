//! The files that say how tests run, and what they said when they were read last.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::Module;
use crate::engine::state::core::Core;
use crate::generate::path_help;
use crate::source::configuration::{is_configuration, meaning};
use crate::source::index::Index;

/// What files of configuration said when they were read last.
#[derive(Default)]
struct Configured(Mutex<BTreeMap<RelPath, Digest>>);

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

/// Tells whether a file of configuration says how the tests in a file are run.
pub fn concerns(path: &RelPath, test: &RelPath) -> bool {
    path.as_str().strip_suffix(path.file_name()).is_some_and(|folder| test.as_str().starts_with(folder))
}

/// Lists the files `conftest.py`, but for one that we wrote with accepted tests.
pub fn conftests(index: &Index) -> impl Iterator<Item = &Module> {
    let is_ours = |module: &&Module| index.text(&module.path).is_some_and(|text| path_help::is_path_help(&text));
    let all = index.modules().map(AsRef::as_ref).filter(|module| module.path.file_name() == "conftest.py");
    all.filter(move |module| !is_ours(module))
}

/// Hashes what a `conftest.py` does.
pub fn meaning_of_conftest(module: &Module) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(&module.init.0.to_le_bytes());
    for class in &module.classes {
        hasher.part(class.qualname.as_bytes()).part(&class.fingerprint.0.to_le_bytes());
    }
    for function in &module.functions {
        hasher.part(function.id.0.as_bytes()).part(&function.fingerprint.code().0.to_le_bytes());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;

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
}
