//! Noticing changes by reading the tree, where the system tells nothing: by time in nanoseconds, size and file number,
//! each taken as changed when it differs, whether newer or older.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Shared;
use super::coalesce::Stage;
use super::followed::Followed;
use crate::base::paths::RelPath;
use crate::source::walk;

/// How often the tree is read when nobody said otherwise, in milliseconds.
pub(super) const EVERY_MS: u64 = 1_000;

/// Reading takes at most one part in so many of the time.
const SHARE: u32 = 10;

/// What tells two states of a file apart without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

/// Reads the tree now and then.
pub(super) struct Poller {
    root: PathBuf,
    exclude: Vec<String>,
    every: Duration,
    seen: Option<HashMap<RelPath, Stamp>>,
}

impl Poller {
    pub(super) fn new(root: PathBuf, exclude: Vec<String>, every: Duration) -> Self {
        Self { root, exclude, every, seen: None }
    }

    /// Runs until the watcher ends; asleep while the system tells of changes.
    pub(super) fn run(mut self, shared: &Arc<Shared>) {
        let mut pause = if self.seen.is_some() { self.every } else { Duration::ZERO };
        while shared.wait_to_read(pause) {
            let start = Instant::now();
            let followed = shared.followed.lock().clone();
            if self.seen.is_none() {
                // Notices ended a while ago; what changed since then is in nobody's books.
                self.look(&followed);
                shared.rescan();
            }
            for path in self.look(&followed) {
                shared.hint(path.under(&self.root), Stage::Done);
            }
            pause = self.every.max(start.elapsed() * SHARE);
        }
    }

    /// Reads the tree and gives the files that are not as they were; none at the first time.
    pub(super) fn look(&mut self, followed: &Followed) -> Vec<RelPath> {
        let mut now = HashMap::new();
        for path in walk::walk(&self.root, &self.exclude).watched().chain(followed.0.iter().cloned()) {
            if let Ok(meta) = path.under(&self.root).symlink_metadata() {
                let stamp = Stamp {
                    modified: (meta.mtime(), meta.mtime_nsec()),
                    changed: (meta.ctime(), meta.ctime_nsec()),
                    size: meta.size(),
                    inode: meta.ino(),
                };
                now.insert(path, stamp);
            }
        }
        let Some(before) = self.seen.replace(now) else { return Vec::new() };
        let now = self.seen.iter().flatten();
        let mut changed: Vec<RelPath> =
            now.filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path.clone()).collect();
        let gone = before.into_keys().filter(|path| self.seen.as_ref().is_none_or(|seen| !seen.contains_key(path)));
        changed.extend(gone);
        changed.sort();
        changed
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn any_difference_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.py");
        fs::write(&file, "a = 1\n").unwrap();
        let mut poller = Poller::new(folder.path().to_owned(), Vec::new(), Duration::from_secs(1));
        let mut look = || poller.look(&Followed::default()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(look(), [""; 0]);
        assert_eq!(look(), [""; 0]);
        // Same size, and a time long ago: an old archive unpacked over it.
        fs::write(&file, "a = 2\n").unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(look(), ["a.py"]);
        fs::write(folder.path().join("b.py"), "").unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(look(), ["a.py", "b.py"]);
        assert_eq!(look(), [""; 0]);
    }
}
