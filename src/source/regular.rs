//! Regular files: opening them, and telling without reading that one is the same.

use std::fs;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// What tells without reading that a file is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stat {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stat {
    pub(super) fn of(meta: &fs::Metadata) -> Self {
        Self {
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            size: meta.size(),
            inode: meta.ino(),
        }
    }
}

/// Opens a regular file of at most so many bytes, whatever a repository put in its place.
pub(super) fn open(path: &Path, most: u64) -> Option<(fs::File, fs::Metadata)> {
    // Opened without waiting, so that a pipe in a file's place cannot hold us.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    let file = options.open(path).ok()?;
    let meta = file.metadata().ok()?;
    (meta.is_file() && meta.len() <= most).then_some((file, meta))
}
