//! What models said about intents, kept for this user: a small signed file for each, in the user's cache folder and never
//! in a project, so that nobody can commit a verdict. What is not signed by this user is not there.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::base::clock::{self, Moment};
use crate::base::paths::read_regular;
use crate::base::seal::Secret;

/// The folder in the user's cache.
const FOLDER: &str = "verdicts";
/// The file of the user's secret, in the user's state folder.
const SECRET: &str = "verdicts.key";
/// Bytes of a kept verdict.
const SIZE_MAX: u64 = 1 << 20;

/// The kept verdicts of this user.
pub struct Opinions {
    folder: PathBuf,
    secret: Secret,
    /// The root of the project that asks.
    root: String,
}

/// As it lies in a file, below its signature.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    key: String,
    at: Moment,
    /// The root of the project whose run paid for it; verdicts of earlier versions do not say.
    #[serde(default)]
    root: String,
    value: T,
}

impl Opinions {
    /// Opens them in the user's folders, and makes what is missing, closed to others.
    ///
    /// # Errors
    /// When a folder or the secret cannot be made or read.
    pub fn open(cache: &Path, state: &Path, root: &Path) -> io::Result<Self> {
        let folder = cache.join(FOLDER);
        for folder in [&folder, state] {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(Self { folder, secret: Secret::in_file(&state.join(SECRET))?, root: root.to_string_lossy().into_owned() })
    }

    /// Gives what is kept under a key, and since when.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<(Moment, T)> {
        let path = self.path(key);
        if path.symlink_metadata().ok()?.len() > SIZE_MAX {
            return None;
        }
        let text = fs::read_to_string(path).ok()?;
        let (signature, body) = text.split_once('\n')?;
        if !self.secret.signed(body.as_bytes(), signature) {
            return None;
        }
        let kept: Kept<T> = serde_json::from_str(body).ok()?;
        (kept.key == key).then_some((kept.at, kept.value))
    }

    /// Keeps something under a key, in place of what was there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put<T: Serialize>(&self, key: &str, value: &T) -> io::Result<()> {
        let body = serde_json::to_string(&Kept { key: key.to_owned(), at: clock::now(), root: self.root.clone(), value })?;
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Made for its owner alone; whoever reads meanwhile sees the one before.
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        write!(new, "{}\n{body}", self.secret.sign(body.as_bytes()))?;
        new.persist(path).map(drop).map_err(|error| error.error)
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("__")).join(key)
    }
}

/// What [`clean`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Found {
    /// How many verdicts.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many projects paid for them.
    pub projects: usize,
}

/// Removes kept verdicts that a project paid for, or without one those of all projects; with an age only those that are older.
/// With `look` nothing is removed.
#[must_use]
pub fn clean(cache: &Path, root: Option<&Path>, older_than: Option<Duration>, look: bool) -> Found {
    let mut found = Found::default();
    let mut projects = BTreeSet::new();
    let folders = fs::read_dir(cache.join(FOLDER)).into_iter().flatten().flatten();
    for entry in folders.flat_map(|folder| fs::read_dir(folder.path())).flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        let old = |age: Duration| meta.modified().is_ok_and(|at| at.elapsed().is_ok_and(|since| since >= age));
        let owner = owner(&entry.path());
        let is_wanted = root.is_none_or(|root| owner.as_deref() == Some(&*root.to_string_lossy()));
        if is_wanted && older_than.is_none_or(old) && (look || fs::remove_file(entry.path()).is_ok()) {
            found.count += 1;
            found.bytes += meta.len();
            projects.insert(owner);
        }
    }
    Found { projects: projects.len(), ..found }
}

/// Reads which project paid for a verdict; nothing where it does not say.
fn owner(file: &Path) -> Option<String> {
    let text = String::from_utf8(read_regular(file, SIZE_MAX).ok()?).ok()?;
    let kept: Kept<IgnoredAny> = serde_json::from_str(text.split_once('\n')?.1).ok()?;
    Some(kept.root)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key(number: u8) -> String {
        format!("{number:02x}").repeat(32)
    }

    #[test]
    fn what_is_kept_is_this_users_alone() {
        let home = tempfile::tempdir().unwrap();
        let (cache, state) = (home.path().join("cache"), home.path().join("state"));
        let root = home.path().join("project");
        let verdicts = Opinions::open(&cache, &state, &root).unwrap();
        assert_eq!(verdicts.get::<String>(&key(1)), None);
        verdicts.put(&key(1), &"PASS").unwrap();
        verdicts.put(&key(1), &"FAIL").unwrap();
        let again = Opinions::open(&cache, &state, &root).unwrap();
        assert_eq!(again.get::<String>(&key(1)).unwrap().1, "FAIL");
        let file = again.path(&key(1));
        for (path, mode) in [(&file, 0o600), (&state.join(SECRET), 0o600), (&cache.join(FOLDER), 0o700)] {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{path:?}");
        }
        // Somebody else's, another one's, and a damaged one are not there.
        let whole = fs::read_to_string(&file).unwrap();
        fs::create_dir_all(again.path(&key(2)).parent().unwrap()).unwrap();
        fs::write(again.path(&key(2)), &whole).unwrap();
        assert_eq!(again.get::<String>(&key(2)), None);
        for damaged in [whole.replace("FAIL", "PASS"), whole[..whole.len() - 1].to_owned(), String::new(), "x".repeat(2 << 20)] {
            fs::write(&file, damaged).unwrap();
            assert_eq!(again.get::<String>(&key(1)), None);
        }
        let stranger = Opinions::open(&cache, &home.path().join("other"), &root).unwrap();
        fs::write(&file, whole).unwrap();
        assert_eq!(stranger.get::<String>(&key(1)), None);
        assert!(again.get::<String>(&key(1)).is_some());
    }

    #[test]
    fn a_project_throws_away_what_it_paid_for_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let (cache, state) = (home.path().join("cache"), home.path().join("state"));
        let roots = ["one", "two"].map(|name| home.path().join(name));
        for (number, root) in [(1, &roots[0]), (2, &roots[0]), (3, &roots[1])] {
            Opinions::open(&cache, &state, root).unwrap().put(&key(number), &"PASS").unwrap();
        }
        // Of an earlier version, which did not say whose it was.
        let two = Opinions::open(&cache, &state, &roots[1]).unwrap();
        fs::create_dir_all(two.path(&key(4)).parent().unwrap()).unwrap();
        fs::write(two.path(&key(4)), "a signature\n{\"key\":\"k\",\"at\":0,\"value\":1}").unwrap();
        let count = |root: Option<&Path>, age: Option<u64>, look: bool| {
            let found = clean(&cache, root, age.map(Duration::from_secs), look);
            (found.count, found.projects)
        };
        assert_eq!(count(None, Some(3_600), false), (0, 0));
        assert_eq!(count(Some(&roots[0]), None, true), (2, 1));
        assert_eq!(count(Some(&roots[0]), None, false), (2, 1));
        assert!(two.get::<String>(&key(3)).is_some());
        assert_eq!(count(Some(&roots[0]), None, false), (0, 0));
        assert_eq!(count(None, None, false), (2, 2));
        assert_eq!(count(None, None, true), (0, 0));
    }
}
