//! Files and folders that are followed besides the project's own, because recorded calls read them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::base::paths::RelPath;
use crate::source::walk;

/// What of a path matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    /// Nothing.
    None,
    /// Whether it is there: its folder is listed.
    Name,
    /// What is in it.
    Content,
}

/// What is followed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Followed(pub(super) BTreeSet<RelPath>);

impl Followed {
    /// Tells what matters of an absolute path.
    pub(super) fn interest(&self, root: &Path, path: &Path) -> Interest {
        let follows = |path: &Path| RelPath::below(root, path).is_some_and(|path| self.0.contains(&path));
        if self.0.is_empty() {
            Interest::None
        } else if follows(path) {
            Interest::Content
        } else if path.parent().is_some_and(follows) {
            Interest::Name
        } else {
            Interest::None
        }
    }

    /// Lists the followed files and folders that are there.
    pub(super) fn there(&self, root: &Path) -> impl Iterator<Item = RelPath> {
        self.0.iter().filter(|path| path.under(root).symlink_metadata().is_ok()).cloned()
    }

    /// Lists the folders in which something may happen to what is followed: the folder of each, or else the nearest above it
    /// that is there, and those that are followed themselves. Links are not taken.
    pub(super) fn folders(&self, root: &Path) -> BTreeSet<PathBuf> {
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let mut found = BTreeSet::new();
        for path in &self.0 {
            let mut down = root.to_owned();
            for part in path.parts() {
                let next = down.join(part);
                if !is_folder(&next) || walk::is_never_walked(&next) {
                    break;
                }
                down = next;
            }
            found.insert(down);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_followed_is_watched_where_it_is_or_will_be() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("data/lists")).unwrap();
        std::os::unix::fs::symlink(root.join("data"), root.join("link")).unwrap();
        let paths = ["data/a.json", "data/lists", "new/b.json", "link/c.json"].into_iter().filter_map(RelPath::new);
        let followed = Followed(paths.collect());
        let folders = [root.to_owned(), root.join("data"), root.join("data/lists")];
        assert_eq!(followed.folders(root).into_iter().collect::<Vec<_>>(), folders);
        for (path, interest) in [
            ("data/a.json", Interest::Content),
            ("data/lists/x", Interest::Name),
            ("data/lists/x/y", Interest::None),
            ("data/b.json", Interest::None),
        ] {
            assert_eq!(followed.interest(root, &root.join(path)), interest, "{path}");
        }
    }
}
