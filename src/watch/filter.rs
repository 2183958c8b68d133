//! What is watched and what of it counts: the folders and files of the index's own walk, and what recorded calls read, each
//! folder with a watch of its own, so that ignored ones cost nothing.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use super::coalesce::Taken;
use super::followed::{Followed, Interest};
use super::{Shared, events};
use crate::base::paths::RelPath;
use crate::source::walk;

/// Folders that appear while others are being watched are looked for this often.
const ROUNDS: usize = 8;

/// How changes are noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pace {
    /// Not at all.
    Off,
    /// The system tells.
    Notices,
    /// By reading the tree now and then, for this reason.
    Reading(String),
}

/// What became of hints.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files that count and may have changed; of a listed folder itself, whose names may be others.
    pub(super) changed: BTreeSet<RelPath>,
    /// Everything has to be compared.
    pub(super) rescan: bool,
    /// Set when the way of noticing changes is another one from now on.
    pub(super) pace: Option<Pace>,
}

/// The project's folders and files as last walked.
pub(super) struct Tree {
    root: PathBuf,
    exclude: Vec<String>,
    files: HashSet<RelPath>,
    followed: Followed,
    /// Watched folders, absolute.
    folders: HashSet<PathBuf>,
    system: Option<RecommendedWatcher>,
}

impl Tree {
    pub(super) fn new(root: PathBuf, exclude: Vec<String>) -> Self {
        Self { root, exclude, files: HashSet::new(), followed: Followed::default(), folders: HashSet::new(), system: None }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Takes the first look; `reading` says why notices are not even asked for.
    pub(super) fn begin(&mut self, shared: &Arc<Shared>, reading: Option<String>) -> Pace {
        if let Some(reason) = reading {
            self.files = self.walk().watched().collect();
            return Pace::Reading(reason);
        }
        let (weak, root): (Weak<Shared>, PathBuf) = (Arc::downgrade(shared), self.root.clone());
        match notify::recommended_watcher(move |notice| events::take(&weak, &root, notice)) {
            Ok(system) => self.system = Some(system),
            Err(error) => {
                self.files = self.walk().watched().collect();
                return Pace::Reading(events::limit(&error).unwrap_or_else(|| error.to_string()));
            }
        }
        let mut found = Found::default();
        self.sync(&mut found);
        found.pace.unwrap_or(Pace::Notices)
    }

    /// Turns hints into changed files, and keeps the watches in step with the folders.
    pub(super) fn take(&mut self, taken: &Taken, followed: &Followed) -> Found {
        let mut found = Found { rescan: taken.rescan, ..Found::default() };
        let mut walk = taken.rescan || taken.walk;
        self.followed.clone_from(followed);
        if taken.rescan {
            // Notices about folders may be among the lost ones.
            self.forget_below(&self.root.clone());
        }
        for path in &taken.paths {
            walk |= self.take_path(path, &mut found);
        }
        if walk {
            self.sync(&mut found);
        }
        // What came or went in a listed folder is another list, also where it counts by itself.
        let folders = found.changed.iter().filter_map(RelPath::parent);
        let listed: Vec<RelPath> = folders.filter(|folder| self.followed.0.contains(folder)).collect();
        found.changed.extend(listed);
        found
    }

    /// Takes one hint; tells whether the tree has to be walked.
    fn take_path(&mut self, path: &Path, found: &mut Found) -> bool {
        if self.folders.contains(path) {
            // Something happened to the folder itself: gone, moved, or made anew under the same name.
            self.forget_below(path);
            return true;
        }
        let Some(relative) = RelPath::below(&self.root, path) else {
            // The root itself comes back, seen from its parent.
            return path == self.root;
        };
        let interest = self.followed.interest(&self.root, path);
        if interest == Interest::Name {
            found.changed.extend(path.parent().and_then(|folder| RelPath::below(&self.root, folder)));
        }
        if self.files.contains(&relative) {
            found.changed.insert(relative);
            return !path.is_file();
        }
        if interest == Interest::Content {
            found.changed.insert(relative);
            return true;
        }
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => !walk::is_never_walked(path),
            // A new file: only the walk knows whether git ignores it.
            Ok(_) => events::is_named_right(path),
            Err(_) => false,
        }
    }

    fn walk(&self) -> walk::Walk {
        walk::walk(&self.root, &self.exclude)
    }

    /// Gives up the watches of a folder and of all below it: their names no longer stand for what is watched.
    fn forget_below(&mut self, folder: &Path) {
        let gone: Vec<PathBuf> = self.folders.iter().filter(|known| known.starts_with(folder)).cloned().collect();
        for known in gone {
            self.folders.remove(&known);
            if let Some(system) = &mut self.system {
                // The system has dropped most of them by itself.
                let _ = system.unwatch(&known);
            }
        }
    }

    /// Walks the tree, watches new folders, and finds new and vanished files. A folder is watched first and listed then,
    /// so that a file made in between is found one way or the other.
    fn sync(&mut self, found: &mut Found) {
        let mut fresh: HashSet<PathBuf> = HashSet::new();
        for _ in 0..ROUNDS {
            let walked = self.walk();
            let mut folders: HashSet<PathBuf> = walked.folders.iter().map(|folder| self.root.join(folder)).collect();
            folders.extend(self.followed.folders(&self.root));
            let gone: Vec<PathBuf> = self.folders.difference(&folders).cloned().collect();
            let parent = self.root.parent().map(Path::to_owned);
            for folder in gone.iter().filter(|folder| Some(folder.as_path()) != parent.as_deref()) {
                self.forget_below(folder);
            }
            // Only its parent can tell that the root itself went and came back.
            let wanted: Vec<PathBuf> = match self.system {
                Some(_) => folders.into_iter().chain(parent).filter(|folder| !self.folders.contains(folder)).collect(),
                None => Vec::new(),
            };
            let before = self.folders.len();
            for folder in wanted {
                if let Err(reason) = self.watch(&folder) {
                    self.system = None;
                    self.folders.clear();
                    found.pace = Some(Pace::Reading(reason));
                    break;
                }
                fresh.insert(folder);
            }
            let files: HashSet<RelPath> = walked.watched().chain(self.followed.there(&self.root)).collect();
            found.changed.extend(files.symmetric_difference(&self.files).cloned());
            if !found.rescan {
                // A folder made anew may hold other content under the names it held before.
                let in_fresh = |path: &&RelPath| path.under(&self.root).parent().is_some_and(|folder| fresh.contains(folder));
                found.changed.extend(files.iter().filter(in_fresh).cloned());
            }
            self.files = files;
            if self.system.is_none() || self.folders.len() == before {
                return;
            }
        }
    }

    /// Watches one folder; fails with the reason when the system gives no more watches.
    fn watch(&mut self, folder: &Path) -> Result<(), String> {
        let Some(system) = &mut self.system else { return Ok(()) };
        match system.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.folders.insert(folder.to_owned());
                Ok(())
            }
            Err(error) => events::limit(&error).map_or(Ok(()), Err),
        }
    }
}
