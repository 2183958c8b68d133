//! Sandboxes that wait, with all imported that is not the project's own, so that a save does not wait for them. Each serves once:
//! a process that has the project's modules holds their former text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::sandbox::Sandbox;
use super::wanted::{Place, Wanted};
use crate::base::hash::{Digest, Hasher};
use crate::base::paths::read_regular;
use crate::base::scratch::Scratch;
use crate::domain::recorded_test::TestSession;

/// As many run at the same time, and as many wait in all.
const OF_A_KIND: usize = 2;
const MOST: usize = 4;
/// Files and folders of a project that is looked through.
const ENTRIES: usize = 20_000;
/// Files that changed while a sandbox waited, and bytes of one.
const CHANGED: usize = 500;
const CHANGED_BYTES: u64 = 8 << 20;
/// Folders that are not looked through: what tests read in them does not come from an editor.
const LEFT_OUT: [&str; 7] = [".git", ".pytead", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"];

/// The sandboxes that wait.
#[derive(Default)]
pub struct Spares {
    waiting: Mutex<Vec<Spare>>,
    ended: CancellationToken,
}

struct Spare {
    kind: Digest,
    sandbox: Sandbox,
    files: Tree,
}

/// A sandbox that was taken, and what became of the project's files while it waited.
pub(super) struct Taken {
    pub(super) sandbox: Sandbox,
    pub(super) put: Option<PathBuf>,
    pub(super) gone: Vec<String>,
}

impl Spares {
    /// Tells whether none waits yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.lock().is_empty()
    }

    /// Gives what is cancelled when nobody waits for saves any more.
    #[must_use]
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Ends those that wait; no others follow.
    pub fn end(&self) {
        self.ended.cancel();
        let waiting = std::mem::take(&mut *self.waiting.lock());
        drop(waiting);
    }
}

impl Place<'_> {
    /// Takes a sandbox that waits for this session, if there is one that can be brought up to date.
    pub(super) fn take(&self, spares: &Spares, session: &TestSession, wanted: &Wanted<'_>) -> Option<Taken> {
        let kind = self.kind(session, wanted)?;
        loop {
            let mut spare = {
                let mut waiting = spares.waiting.lock();
                let at = waiting.iter().position(|spare| spare.kind == kind)?;
                waiting.remove(at)
            };
            let is_there = matches!(spare.sandbox.child.try_wait(), Ok(None));
            if let Some((put, gone)) = is_there.then(|| spare.update(self.root)).flatten() {
                return Some(Taken { sandbox: spare.sandbox, put, gone });
            }
        }
    }

    /// Has sandboxes wait for the next run of this session.
    pub(super) fn refill(&self, spares: &Spares, session: &TestSession, wanted: &Wanted<'_>) {
        let Some(kind) = self.kind(session, wanted) else { return };
        loop {
            if spares.waiting.lock().iter().filter(|spare| spare.kind == kind).count() >= OF_A_KIND {
                return;
            }
            // What is edited from here on is put into the sandbox when it is taken.
            let Some(files) = Tree::of(self.root) else { return };
            let started = Scratch::new().and_then(|scratch| self.start(session, wanted, scratch, true));
            let Ok(sandbox) = started else { return };
            let mut waiting = spares.waiting.lock();
            if spares.ended.is_cancelled() {
                return;
            }
            waiting.push(Spare { kind, sandbox, files });
            let oldest = (waiting.len() > MOST).then(|| waiting.remove(0));
            drop(waiting);
            drop(oldest);
        }
    }

    /// Tells sandboxes apart that cannot stand in for each other; `None` for a run that none can serve.
    fn kind(&self, session: &TestSession, wanted: &Wanted<'_>) -> Option<Digest> {
        let files = self.files;
        let is_today = files.stand_in.is_none() && files.texts.is_empty() && files.gone.is_empty();
        if !is_today || wanted.shift.is_some() || wanted.only_lines {
            return None;
        }
        let confinement = self.confinement(session, wanted, Path::new("/scratch"), false).ok()?;
        let mut hasher = Hasher::default();
        hasher.part(
            serde_json::to_string(&(session, wanted.modules.get(session), &confinement, &confinement.env)).ok()?.as_bytes(),
        );
        hasher.part(self.environment.interpreter.path.as_os_str().as_encoded_bytes());
        // Installing a package makes entries in these folders, and a commit moves these files.
        let installed = session.path.iter().map(PathBuf::from).filter(|path| path.is_dir());
        let git = [".git/HEAD", ".git/index"].map(|name| self.root.join(name));
        for path in installed.chain(git) {
            hasher.part(format!("{:?}", path.metadata().ok().map(|found| Stamp::of(&found))).as_bytes());
        }
        Some(hasher.digest())
    }
}

impl Spare {
    /// Copies the files that changed since it was started to where it finds them; `None` where it cannot be brought up to date.
    fn update(&self, root: &Path) -> Option<(Option<PathBuf>, Vec<String>)> {
        let now = Tree::of(root)?;
        let gone: Option<Vec<String>> =
            self.files.0.keys().filter(|path| !now.0.contains_key(*path)).map(|path| Some(path.to_str()?.to_owned())).collect();
        let changed: Vec<&PathBuf> =
            now.0.iter().filter(|(path, stamp)| self.files.0.get(*path) != Some(*stamp)).map(|(path, _)| path).collect();
        if changed.len() > CHANGED {
            return None;
        }
        let put = self.sandbox.scratch.path().join("put");
        for path in &changed {
            let (from, to) = (root.join(path), put.join(path));
            std::fs::create_dir_all(to.parent()?).ok()?;
            if from.is_symlink() {
                std::os::unix::fs::symlink(from.read_link().ok()?, to).ok()?;
            } else {
                std::fs::write(&to, read_regular(&from, CHANGED_BYTES).ok()?).ok()?;
                std::fs::set_permissions(&to, from.metadata().ok()?.permissions()).ok()?;
            }
        }
        Some(((!changed.is_empty()).then_some(put), gone?))
    }
}

/// The files of a project, and what tells that one changed.
struct Tree(BTreeMap<PathBuf, Stamp>);

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        let (modified, changed) = ((found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec()));
        Self { inode: found.ino(), size: found.size(), modified, changed }
    }
}

impl Tree {
    /// Looks through a project; `None` where it is too large, or a folder cannot be read.
    fn of(root: &Path) -> Option<Self> {
        let (mut files, mut folders, mut seen) = (BTreeMap::new(), vec![PathBuf::new()], 0_usize);
        let left_out: BTreeSet<&str> = LEFT_OUT.into_iter().collect();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(root.join(&folder)).ok()? {
                let entry = entry.ok()?;
                seen += 1;
                if seen > ENTRIES {
                    return None;
                }
                let (name, path) = (entry.file_name(), folder.join(entry.file_name()));
                let found = entry.metadata().ok()?;
                if found.is_dir() {
                    let is_left_out = name.to_str().is_some_and(|name| left_out.contains(name));
                    if !is_left_out && !root.join(&path).join("pyvenv.cfg").exists() {
                        folders.push(path);
                    }
                } else if found.is_file() || found.is_symlink() {
                    files.insert(path, Stamp::of(&found));
                }
            }
        }
        Some(Self(files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_in_a_project_is_seen_and_what_an_editor_does_not_write_is_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in ["a.py", "b/c.py", ".git/HEAD", "venv/pyvenv.cfg", "venv/lib.py", "b/__pycache__/c.pyc"] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "1").unwrap();
        }
        let before = Tree::of(root).unwrap();
        let names: Vec<&str> = before.0.keys().filter_map(|path| path.to_str()).collect();
        assert_eq!(names, ["a.py", "b/c.py"]);
        assert!(Tree::of(root).unwrap().0 == before.0);
        std::fs::write(root.join("new.py"), "2").unwrap();
        std::fs::rename(root.join("new.py"), root.join("b/c.py")).unwrap();
        let after = Tree::of(root).unwrap();
        assert_ne!(after.0[Path::new("b/c.py")], before.0[Path::new("b/c.py")], "an editor may save by renaming");
        assert_eq!(after.0[Path::new("a.py")], before.0[Path::new("a.py")]);
    }
}
