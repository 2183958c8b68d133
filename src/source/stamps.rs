//! What happened to files since a moment, by times, size and inode: also what was taken back, which their content does not show.

use std::path::Path;

use crate::base::paths::RelPath;

use super::regular::Stat;

/// Times, size and inode of files at one moment.
#[derive(Debug, Default)]
pub struct Stamps(Vec<(RelPath, Option<Stat>)>);

impl Stamps {
    /// Takes them now.
    #[must_use]
    pub fn of<'a>(root: &Path, paths: impl Iterator<Item = &'a RelPath>) -> Self {
        Self(paths.map(|path| (path.clone(), stamp(root, path))).collect())
    }

    /// Gives the files to which something happened since.
    pub fn touched(&self, root: &Path) -> impl Iterator<Item = &RelPath> {
        self.0.iter().filter(|(path, then)| stamp(root, path) != *then).map(|(path, _)| path)
    }
}

fn stamp(root: &Path, path: &RelPath) -> Option<Stat> {
    path.under(root).symlink_metadata().ok().map(|meta| Stat::of(&meta))
}
