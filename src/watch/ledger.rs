//! Our own writes, so that they are not taken for somebody else's: by file and content, for a few seconds.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::base::hash::{self, Digest};
use crate::base::paths::RelPath;

/// A notice that comes later than this is not about our write.
const LIFE: Duration = Duration::from_secs(5);

/// Larger files than this are never ours.
const SIZE_MAX: u64 = 16 << 20;

/// What files are expected to hold.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    expected: HashMap<RelPath, (Option<Digest>, Instant)>,
}

impl Ledger {
    pub(super) fn expect(&mut self, path: RelPath, content: Option<Digest>, now: Instant) {
        self.expected.retain(|_, (_, since)| now.duration_since(*since) < LIFE);
        self.expected.insert(path, (content, now));
    }

    /// Tells whether a file is as we left it. The entry stays: one write makes several notices.
    pub(super) fn is_ours(&self, path: &RelPath, file: &Path, now: Instant) -> bool {
        match self.expected.get(path) {
            Some((content, since)) if now.duration_since(*since) < LIFE => content_of(file) == Some(*content),
            _ => false,
        }
    }
}

/// Hashes a file; `Some(None)` when there is none, `None` when it cannot be told.
fn content_of(file: &Path) -> Option<Option<Digest>> {
    match file.symlink_metadata() {
        Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then_some(None),
        Ok(meta) if !meta.is_file() || meta.len() > SIZE_MAX => None,
        Ok(_) => {
            let mut bytes = Vec::new();
            File::open(file).ok()?.take(SIZE_MAX).read_to_end(&mut bytes).ok()?;
            Some(Some(hash::of(&bytes)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_ours_by_its_content_and_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (RelPath::new("a.py").unwrap(), folder.path().join("a.py"));
        let (mut ledger, now) = (Ledger::default(), Instant::now());
        std::fs::write(&file, "ours").unwrap();
        assert!(!ledger.is_ours(&path, &file, now));
        ledger.expect(path.clone(), Some(hash::of(b"ours")), now);
        assert!(ledger.is_ours(&path, &file, now));
        assert!(ledger.is_ours(&path, &file, now + Duration::from_secs(4)));
        assert!(!ledger.is_ours(&path, &file, now + LIFE));
        std::fs::write(&file, "theirs").unwrap();
        assert!(!ledger.is_ours(&path, &file, now));
        ledger.expect(path.clone(), None, now);
        assert!(!ledger.is_ours(&path, &file, now));
        std::fs::remove_file(&file).unwrap();
        assert!(ledger.is_ours(&path, &file, now));
    }
}
