//! What git leaves out of a project, by its ignore files.
//!
//! Whoever made the repository chose what lies in their place: each is read only where it is a regular file, up to a limit,
//! and all of them together up to another. Links are not followed, as git does not follow them either.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use parking_lot::Mutex;

use crate::base::paths::read_regular;

/// Bytes that are read of one file, and of all. A pattern may take a hundred times its length of memory.
const FILE_MAX: u64 = 64 << 10;
const ALL_MAX: u64 = 512 << 10;
/// In a folder the first of them counts most.
const NAMES: [&str; 2] = [".ignore", ".gitignore"];

/// The ignore files that hold for a project.
pub struct Ignored {
    /// The folder above which no ignore file counts: the top of the repository, or the project.
    top: PathBuf,
    /// What the repository and the person keep besides: `.git/info/exclude`, `core.excludesFile`.
    beside: [Gitignore; 2],
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    folders: HashMap<PathBuf, Arc<Own>>,
    read: u64,
}

/// What a folder says itself.
struct Own {
    patterns: [Gitignore; 2],
    /// A repository begins here: what is above it does not count inside.
    is_top: bool,
}

impl Ignored {
    /// Finds what holds for a project.
    pub fn of(root: &Path) -> Self {
        let top = root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).unwrap_or(root).to_owned();
        let mut known = Known::default();
        let exclude = known.patterns(&top, &repository(&top).join("info/exclude"));
        Self { top, beside: [exclude, Gitignore::global().0], known: Mutex::new(known) }
    }

    /// Tells whether a file or folder is left out; the folders above it are not.
    pub fn holds(&self, path: &Path, is_folder: bool) -> bool {
        let verdict = |patterns: &Gitignore| {
            let found = patterns.matched(path, is_folder);
            (!found.is_none()).then(|| found.is_ignore())
        };
        for folder in path.ancestors().skip(1) {
            let own = self.known.lock().of(folder);
            if let Some(verdict) = own.patterns.iter().find_map(verdict) {
                return verdict;
            }
            if own.is_top || folder == self.top {
                break;
            }
        }
        self.beside.iter().find_map(verdict).unwrap_or(false)
    }
}

/// Gives the folder in which git keeps what is its own: of a worktree the one that it shares with the others, of a submodule the
/// one in its parent's.
fn repository(top: &Path) -> PathBuf {
    const NAME_MAX: u64 = 4096;
    let named = |file: &Path| {
        let text = String::from_utf8(read_regular(file, NAME_MAX).ok()?).ok()?;
        Some(PathBuf::from(text.trim_end().trim_start_matches("gitdir: ")))
    };
    let own = top.join(".git");
    let Some(place) = named(&own).map(|place| top.join(place)) else { return own };
    named(&place.join("commondir")).map_or(place.clone(), |shared| place.join(shared))
}

impl Known {
    fn of(&mut self, folder: &Path) -> Arc<Own> {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let patterns = NAMES.map(|name| self.patterns(folder, &folder.join(name)));
        let made = Arc::new(Own { patterns, is_top: folder.join(".git").symlink_metadata().is_ok() });
        self.folders.insert(folder.to_owned(), made.clone());
        made
    }

    /// Reads a file of patterns for what lies in a folder; there are none in what is too large.
    fn patterns(&mut self, folder: &Path, file: &Path) -> Gitignore {
        let most = FILE_MAX.min(ALL_MAX - self.read);
        let bytes = read_regular(file, most + 1).unwrap_or_default();
        let size = bytes.len() as u64;
        if size == 0 || size > most {
            return Gitignore::empty();
        }
        self.read += size;
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
            // One that is no pattern leaves nothing out, as with git.
            let _ = builder.add_line(None, line);
        }
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }
}
