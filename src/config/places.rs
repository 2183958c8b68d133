//! The user's own folders, as XDG says: settings, state, cache. They are closed to others.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::base::error::Trouble;
use crate::base::paths::tilde;

/// The name of our folder in each of them.
const NAME: &str = "pytead-tui";

/// The log's file in the folder of what has to stay.
pub const LOG: &str = "pytead.log";

/// Where the user's own files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Settings: `config.yaml`, `keys.toml`, `themes/`.
    pub config: PathBuf,
    /// What has to stay: the trust list, the databases known as ours, logs.
    pub state: PathBuf,
    /// What can be made again: the Python package on disk.
    pub cache: PathBuf,
}

impl Places {
    /// Finds the folders; none is made.
    ///
    /// # Errors
    /// Fails when there is no home folder.
    pub fn find() -> Result<Self, Trouble> {
        let strategy = etcetera::choose_base_strategy().map_err(|_| {
            Trouble::environment("There is no home folder.")
                .because("HOME is not set.")
                .so("Set HOME, or XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME.")
        })?;
        let state = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
        Ok(Self { config: strategy.config_dir().join(NAME), state: state.join(NAME), cache: strategy.cache_dir().join(NAME) })
    }

    /// Makes one of the folders if it is not there, closed to others.
    ///
    /// # Errors
    /// Fails when it cannot be made.
    pub fn ensure(folder: &Path) -> Result<(), Trouble> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
            Trouble::environment(format!("{} cannot be made.", tilde(folder)))
                .because(format!("{error}."))
                .so("Make its parent a folder you can write.")
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn our_folders_are_named_alike_and_closed_to_others() {
        let places = Places::find().unwrap();
        for folder in [&places.config, &places.state, &places.cache] {
            assert!(folder.is_absolute() && folder.ends_with(NAME), "{folder:?}");
        }
        assert_ne!(places.config, places.state);
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/b");
        Places::ensure(&folder).unwrap();
        Places::ensure(&folder).unwrap();
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(home.path().join("file"), "").unwrap();
        assert!(Places::ensure(&home.path().join("file/x")).is_err());
    }
}
