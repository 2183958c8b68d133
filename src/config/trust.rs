//! Which folders a person trusts to run code: `trust.yaml` in the user's state folder, never in a project.
//!
//! Trust is for exactly one folder, by its canonical path and its owner: a folder inside a trusted one is asked about on
//! its own, since it may be somebody else's checkout.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::base::yaml;
use crate::domain::question::Consent;
use crate::domain::snapshot::Trust;

/// The list of folders a person was asked about.
#[derive(Debug, Clone)]
pub struct TrustList {
    file: PathBuf,
}

/// One folder a person was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its canonical path.
    pub path: PathBuf,
    /// The number of its owner at that time; another owner's folder is another folder.
    pub owner: u32,
    /// The answer.
    pub trust: Trust,
    /// When it was given.
    pub at: Moment,
    /// What was allowed there besides.
    #[serde(default, skip_serializing_if = "Consent::is_empty")]
    pub consent: Consent,
}

impl TrustList {
    /// Names the list in the user's state folder; it need not be there yet.
    #[must_use]
    pub fn in_folder(state: &Path) -> Self {
        Self { file: state.join("trust.yaml") }
    }

    /// Tells whether a folder is trusted. What cannot be read is not trusted.
    #[must_use]
    pub fn of(&self, root: &Path) -> Trust {
        self.entry(root).map_or(Trust::Unknown, |entry| entry.trust)
    }

    /// Gives what was allowed in a folder besides running its code; nothing where it is not trusted.
    #[must_use]
    pub fn consent(&self, root: &Path) -> Consent {
        self.entry(root).filter(|entry| entry.trust == Trust::Trusted).map(|entry| entry.consent).unwrap_or_default()
    }

    fn entry(&self, root: &Path) -> Option<Entry> {
        let (path, owner) = identify(root).ok()?;
        self.entries().unwrap_or_default().into_iter().find(|entry| entry.path == path && entry.owner == owner)
    }

    /// Keeps a person's answer about a folder; what was allowed there stays while it is trusted. [`Trust::Unknown`]
    /// forgets it.
    ///
    /// # Errors
    /// Fails when the folder is not there or the list cannot be read or written.
    pub fn set(&self, root: &Path, trust: Trust) -> Result<(), Trouble> {
        let (path, owner) = identify(root)
            .map_err(|error| Trouble::environment(format!("{} cannot be trusted.", tilde(root))).because(format!("{error}.")))?;
        self.change(|entries| {
            let standing = entries.iter().find(|entry| entry.path == path && entry.owner == owner && entry.trust == trust);
            let consent = standing.map(|entry| entry.consent.clone()).unwrap_or_default();
            entries.retain(|entry| entry.path != path);
            if trust != Trust::Unknown {
                entries.push(Entry { path, owner, trust, at: clock::now(), consent });
            }
        })
    }

    /// Keeps what a person allowed in a trusted folder; in any other nothing is kept.
    ///
    /// # Errors
    /// Fails when the list cannot be read or written.
    pub fn allow(&self, root: &Path, change: impl FnOnce(&mut Consent)) -> Result<(), Trouble> {
        if self.entry(root).is_none_or(|entry| entry.trust != Trust::Trusted) {
            return Ok(());
        }
        let path = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        self.change(|entries| {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.path == path) {
                change(&mut entry.consent);
            }
        })
    }

    /// Forgets a folder, also one that is gone by now. Tells whether it was in the list.
    ///
    /// # Errors
    /// Fails when the list cannot be read or written.
    pub fn forget(&self, root: &Path) -> Result<bool, Trouble> {
        let path = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut found = false;
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|entry| entry.path != path);
            found = entries.len() != before;
        })?;
        Ok(found)
    }

    /// Lists the folders, by path.
    ///
    /// # Errors
    /// Fails when the list cannot be read.
    pub fn list(&self) -> Result<Vec<Entry>, Trouble> {
        let mut entries = self.entries()?;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    fn entries(&self) -> Result<Vec<Entry>, Trouble> {
        let unreadable = |why: String| {
            Trouble::environment(format!("{} cannot be read.", tilde(&self.file)))
                .because(why)
                .so("Mend it or remove it; folders are then asked about again.")
        };
        match fs::read_to_string(&self.file) {
            Ok(text) if text.trim().is_empty() => Ok(Vec::new()),
            Ok(text) => yaml::read(&text).map_err(|error| unreadable(error.to_string())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(unreadable(format!("{error}."))),
        }
    }

    /// Rewrites the list as a whole, one process at a time.
    fn change(&self, change: impl FnOnce(&mut Vec<Entry>)) -> Result<(), Trouble> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let write = || -> std::io::Result<(File, tempfile::NamedTempFile)> {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(folder.join("trust.lock"))?;
            lock.lock()?;
            // Made for its owner alone.
            Ok((lock, tempfile::NamedTempFile::new_in(folder)?))
        };
        let unwritable = |why: String| {
            Trouble::environment(format!("{} cannot be written.", tilde(&self.file)))
                .because(why)
                .so("Make its folder one you can write, with room on its disk; or use --trust, which remembers nothing.")
        };
        let (_lock, mut new) = write().map_err(|error| unwritable(format!("{error}.")))?;
        let mut entries = self.list()?;
        change(&mut entries);
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let text = yaml::write(&entries).map_err(|error| unwritable(error.to_string()))?;
        new.write_all(text.as_bytes())
            .and_then(|()| new.as_file().sync_all())
            .map_err(|error| unwritable(format!("{error}.")))?;
        new.persist(&self.file).map_err(|error| unwritable(format!("{}.", error.error)))?;
        Ok(())
    }
}

fn identify(root: &Path) -> std::io::Result<(PathBuf, u32)> {
    let path = root.canonicalize()?;
    let owner = path.metadata()?.uid();
    Ok((path, owner))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn an_answer_is_kept_for_one_folder_only() {
        let home = tempfile::tempdir().unwrap();
        let (state, root) = (home.path().join("state"), home.path().join("shop"));
        fs::create_dir_all(root.join("vendor")).unwrap();
        let list = TrustList::in_folder(&state);
        assert_eq!(list.of(&root), Trust::Unknown);
        list.set(&root, Trust::Trusted).unwrap();
        assert_eq!(list.of(&root), Trust::Trusted);
        assert_eq!(list.of(&root.join("vendor/..")), Trust::Trusted, "it is the same folder");
        assert_eq!(list.of(&root.join("vendor")), Trust::Unknown);
        assert_eq!(list.of(home.path()), Trust::Unknown);
        list.set(&root, Trust::ReadOnly).unwrap();
        assert_eq!(list.list().unwrap().len(), 1);
        assert_eq!(list.of(&root), Trust::ReadOnly);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join("trust.yaml"))), (0o700, 0o600));
        fs::remove_dir_all(&root).unwrap();
        assert!(list.forget(&root.parent().unwrap().canonicalize().unwrap().join("shop")).unwrap());
        assert!(!list.forget(&root).unwrap());
        assert_eq!(list.list().unwrap(), []);
    }

    #[test]
    fn another_owner_s_folder_is_not_trusted() {
        let home = tempfile::tempdir().unwrap();
        let list = TrustList::in_folder(home.path());
        list.set(home.path(), Trust::Trusted).unwrap();
        let file = home.path().join("trust.yaml");
        let owner = home.path().metadata().unwrap().uid();
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(&format!("owner: {owner}"), &format!("owner: {}", owner + 1))).unwrap();
        assert_eq!(list.list().unwrap()[0].owner, owner + 1);
        assert_eq!(list.of(home.path()), Trust::Unknown);
    }

    #[test]
    fn a_broken_list_trusts_nobody_and_is_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let list = TrustList::in_folder(home.path());
        fs::write(home.path().join("trust.yaml"), "- path: [").unwrap();
        assert_eq!(list.of(home.path()), Trust::Unknown);
        assert!(list.set(home.path(), Trust::Trusted).is_err());
        assert_eq!(fs::read_to_string(home.path().join("trust.yaml")).unwrap(), "- path: [");
    }

    #[test]
    fn answers_given_at_once_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        let list = TrustList::in_folder(&home.path().join("state"));
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (list, root) = (&list, home.path().join(number.to_string()));
                scope.spawn(move || {
                    fs::create_dir(&root).unwrap();
                    list.set(&root, Trust::Trusted).unwrap();
                });
            }
        });
        assert_eq!(list.list().unwrap().len(), 8);
    }
}
