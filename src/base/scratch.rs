//! Private folders for a while. Each is locked as long as its process lives; what a killed process left is removed by the next one
//! that needs such a folder.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use tempfile::TempDir;

use crate::base::error::Trouble;

/// What the names of these folders begin with.
const PREFIX: &str = "pytead-scratch-";
/// How often a new folder may be taken for an abandoned one before its lock is there.
const TRIES: usize = 8;

/// The folders in which this process has looked for abandoned ones.
static LOOKED_AT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A private folder. It goes with the value, or with the next process if this one is killed.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Open as long as the folder is used: the lock ends with it. It is closed before a child becomes another program.
    _lock: Option<File>,
}

impl Scratch {
    /// Makes a folder in the system's temporary one.
    ///
    /// # Errors
    /// Fails when there is no room for it.
    pub fn new() -> Result<Self, Trouble> {
        Self::new_in(&std::env::temp_dir())
            .map_err(|error| Trouble::environment("There is no room for a temporary folder.").because(format!("{error}.")))
    }

    /// Makes a folder in another one.
    ///
    /// # Errors
    /// Fails when it cannot be made.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        if LOOKED_AT.lock().insert(parent.to_owned()) {
            remove_abandoned(parent);
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        for _ in 0..TRIES {
            let folder = builder.tempdir_in(parent)?;
            match lock(folder.path()) {
                // Between making and locking, another process may have found it without a lock.
                Ok(Some(lock)) if is_still(&lock, folder.path()) => return Ok(Self { folder, _lock: Some(lock) }),
                Ok(_) => {}
                // Or removed it already.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // A file system without locks: nobody can take it for abandoned.
                Err(_) => return Ok(Self { folder, _lock: None }),
            }
        }
        Err(io::Error::other("each new folder was removed at once"))
    }

    /// Gives its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Locks a folder for this process; nothing while another process holds it.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(folder, flags, Mode::empty())?);
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Tells whether a path still leads to an open folder.
fn is_still(open: &File, path: &Path) -> bool {
    let same = |a: &std::fs::Metadata, b: &std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    open.metadata().is_ok_and(|open| path.symlink_metadata().is_ok_and(|path| same(&open, &path)))
}

/// Removes this user's folders that no process holds; what cannot be removed stays.
fn remove_abandoned(parent: &Path) {
    let own = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_ours
            && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own)
            && let Ok(Some(lock)) = lock(&entry.path())
        {
            let _ = std::fs::remove_dir_all(entry.path());
            drop(lock);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed_and_nothing_else_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let abandoned = at("pytead-scratch-dead");
        std::fs::create_dir_all(abandoned.join("deep")).unwrap();
        std::fs::write(abandoned.join("deep/file"), "x").unwrap();
        std::fs::create_dir(at("outside")).unwrap();
        std::fs::write(at("outside/precious"), "x").unwrap();
        std::os::unix::fs::symlink(at("outside"), abandoned.join("link")).unwrap();
        std::os::unix::fs::symlink(at("outside"), at("pytead-scratch-link")).unwrap();
        std::fs::create_dir(at("pytead-other")).unwrap();
        std::fs::write(at("pytead-scratch-file"), "x").unwrap();
        let held = Scratch::new_in(&at("")).unwrap();
        assert!(!abandoned.exists());
        remove_abandoned(place.path());
        for stays in ["outside/precious", "pytead-scratch-link", "pytead-other", "pytead-scratch-file"] {
            assert!(at(stays).exists(), "{stays}");
        }
        assert!(held.path().exists());
        let path = held.path().to_owned();
        drop(held);
        assert!(!path.exists());
    }

    #[test]
    fn folders_made_and_looked_through_at_once_are_all_there() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..200).for_each(|_| remove_abandoned(place.path())));
                scope.spawn(|| {
                    for _ in 0..100 {
                        let own = Scratch::new_in(place.path()).unwrap();
                        std::fs::write(own.path().join("file"), "x").unwrap();
                    }
                });
            }
        });
    }
}
