//! Private folders for a while. Each is locked as long as its process lives; what a killed process left is removed by the next one
//! that needs such a folder.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock};
use tempfile::TempDir;

use crate::base::error::Trouble;

/// What the names of these folders begin with.
const PREFIX: &str = "pytead-scratch-";
/// How often a new folder may be taken for an abandoned one before its lock is there, and the time in between.
const TRIES: u32 = 64;
const PAUSE: Duration = Duration::from_millis(1);

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
        builder.prefix(PREFIX).permissions(Permissions::from_mode(0o700));
        for tried in 0..TRIES {
            if tried > 0 {
                std::thread::sleep(PAUSE);
            }
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

impl Drop for Scratch {
    fn drop(&mut self) {
        let path = self.folder.path();
        let opened = || open_folder(rustix::fs::CWD, &CString::new(path.as_os_str().as_bytes()).ok()?).ok().map(File::from);
        if let Some(folder) = self._lock.take().or_else(opened) {
            remove(path, &folder);
        }
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
            remove(&entry.path(), &lock);
        }
    }
}

/// Removes a folder whatever code of others made of it: folders that take no rights, and so many in each other that neither their
/// paths nor a file descriptor for each would fit. Each one is brought to the top and emptied there; what cannot be removed stays.
fn remove(path: &Path, folder: &File) {
    let all = Mode::RWXU;
    let _ = rustix::fs::fchmod(folder, all);
    let (mut inner, mut number) = (Vec::new(), 0_u64);
    let mut empty = |from: &OwnedFd, is_top: bool, inner: &mut Vec<CString>| {
        for entry in Dir::read_from(from).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let meta = rustix::fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW);
            if !meta.is_ok_and(|meta| FileType::from_raw_mode(meta.st_mode).is_dir()) {
                let _ = rustix::fs::unlinkat(from, name, AtFlags::empty());
                continue;
            }
            if is_top {
                inner.push(name.to_owned());
                continue;
            }
            // To be moved, a folder has to be writable itself.
            let _ = rustix::fs::chmodat(from, name, all, AtFlags::empty());
            number += 1;
            let to = CString::new(format!("{PREFIX}{number}")).unwrap_or_default();
            if rustix::fs::renameat(from, name, folder, &to).is_ok() {
                inner.push(to);
            }
        }
    };
    if let Ok(top) = open_folder(folder, c".") {
        empty(&top, true, &mut inner);
    }
    while let Some(name) = inner.pop() {
        let _ = rustix::fs::chmodat(folder, &name, all, AtFlags::empty());
        if let Ok(open) = open_folder(folder, &name) {
            empty(&open, false, &mut inner);
        }
        let _ = rustix::fs::unlinkat(folder, &name, AtFlags::REMOVEDIR);
    }
    let _ = rustix::fs::rmdir(path);
}

fn open_folder(at: impl AsFd, name: &CStr) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat(at, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
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
    fn a_folder_goes_whatever_was_made_in_it() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("precious"), "x").unwrap();
        let scratch = Scratch::new_in(place.path()).unwrap();
        let path = scratch.path().to_owned();
        std::fs::create_dir_all(path.join("closed/inner")).unwrap();
        std::fs::write(path.join("closed/inner/1"), "x").unwrap();
        std::os::unix::fs::symlink(place.path(), path.join("closed/inner/link")).unwrap();
        std::fs::set_permissions(path.join("closed/inner"), Permissions::from_mode(0o000)).unwrap();
        std::fs::set_permissions(path.join("closed"), Permissions::from_mode(0o000)).unwrap();
        // Deeper than a path can name, and than there are file descriptors.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut deepest = File::from(rustix::fs::open(&path, flags, Mode::empty()).unwrap());
        for _ in 0..3000 {
            rustix::fs::mkdirat(&deepest, "1", Mode::RWXU).unwrap();
            deepest = File::from(rustix::fs::openat(&deepest, "1", flags, Mode::empty()).unwrap());
        }
        drop((deepest, scratch));
        assert!(!path.exists());
        assert!(place.path().join("precious").exists());
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
