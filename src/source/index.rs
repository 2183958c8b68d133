//! All modules of a project: read once, in parallel, and kept up to date file by file.
//!
//! The disk is the truth: a file is read again when its times, size or inode differ, and counts as changed when its
//! functions do. Asking (`find.rs`) and comparing (`change.rs`) live next door.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use crate::base::paths::RelPath;
use crate::domain::function::{Function, Module};

use super::change::{IndexChange, compare};
use super::names::{Names, rename};
use super::parse::{Parsed, parse_file};
use super::walk::{SIZE_MAX, walk};

/// What tells without reading that a file is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Stat {
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stat {
    fn of(meta: &fs::Metadata) -> Self {
        Self {
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            size: meta.size(),
            inode: meta.ino(),
        }
    }
}

/// One file of the index.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub module: Arc<Module>,
    /// The text that `module` was read from: the last good one.
    pub text: Arc<str>,
    pub init_uses: Arc<BTreeSet<String>>,
    pub class_uses: Arc<BTreeMap<String, BTreeSet<String>>>,
    stat: Stat,
    /// It parsed at least once.
    was_good: bool,
}

impl Entry {
    fn new(parsed: Parsed, stat: Stat) -> Self {
        Self {
            was_good: parsed.module.error.is_none(),
            module: Arc::new(parsed.module),
            text: parsed.text.into(),
            init_uses: Arc::new(parsed.init_uses),
            class_uses: Arc::new(parsed.class_uses),
            stat,
        }
    }
}

/// The modules of a project. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct Index {
    pub(super) entries: BTreeMap<RelPath, Entry>,
    /// Paths by module name.
    pub(super) by_name: HashMap<String, Vec<RelPath>>,
    names: Names,
    exclude: Vec<String>,
    folders: Vec<String>,
    too_large: Vec<RelPath>,
}

impl Index {
    /// Reads a whole project; `progress` is told from this thread how many of how many files are done.
    ///
    /// Files that cannot be read are left out; files that do not parse are in with what could be recovered.
    #[must_use]
    pub fn build(root: &Path, exclude: &[String], progress: &dyn Fn(usize, usize)) -> Self {
        let found = walk(root, exclude);
        let mut index = Self {
            names: Names::new(&found.files),
            exclude: exclude.to_vec(),
            folders: found.folders,
            too_large: found.too_large,
            ..Self::default()
        };
        index.read_all(root, &found.files, progress);
        index.settle_names();
        index.remember_names();
        index
    }

    /// Reads files again: these, or where `paths` is `None` all whose times, size or inode differ.
    ///
    /// A file with a syntax error keeps its last good functions and is marked; deleted files vanish.
    pub fn update(&mut self, root: &Path, paths: Option<&[RelPath]>) -> IndexChange {
        let known = paths.filter(|paths| paths.iter().all(|path| self.entries.contains_key(path)));
        let candidates: Vec<RelPath> = match known {
            Some(paths) => paths.to_vec(),
            // New files and folders are judged by the walk, which knows what git ignores.
            None => self.walk_again(root),
        };
        let mut change = IndexChange::default();
        for path in candidates {
            let old = self.entries.get(&path);
            match read(root, &path, old.map(|entry| entry.stat)) {
                Read::Same => {}
                Read::Gone => {
                    if let Some(old) = self.entries.remove(&path) {
                        compare(Some(&old), None, &path, &mut change);
                    }
                }
                Read::Content(bytes, stat) => self.replace(path, &bytes, stat, &mut change),
            }
        }
        if !change.files.is_empty() {
            self.remember_names();
        }
        change
    }

    fn replace(&mut self, path: RelPath, bytes: &[u8], stat: Stat, change: &mut IndexChange) {
        if let Some(old) = self.entries.get_mut(&path)
            && old.module.hash == crate::base::hash::of(bytes)
        {
            old.stat = stat;
            return;
        }
        let (name, import_root) = self.names.of(&path);
        let new = Entry::new(parse_file(&path, bytes, &name, &import_root), stat);
        match self.entries.get_mut(&path) {
            Some(old) if old.was_good && new.module.error.is_some() => {
                let module = Arc::make_mut(&mut old.module);
                module.error = new.module.error;
                module.hash = new.module.hash;
                old.stat = stat;
                change.files.push(path);
            }
            old => {
                compare(old.as_deref(), Some(&new), &path, change);
                self.entries.insert(path, new);
            }
        }
    }

    /// Walks the folders again: gives all files there are and all that the index has.
    fn walk_again(&mut self, root: &Path) -> Vec<RelPath> {
        let found = walk(root, &self.exclude);
        let files: BTreeSet<RelPath> = found.files.iter().cloned().collect();
        let packages = |files: &mut dyn Iterator<Item = &RelPath>| {
            files.filter(|file| file.file_name() == "__init__.py").cloned().collect::<BTreeSet<_>>()
        };
        if packages(&mut files.iter()) != packages(&mut self.entries.keys()) {
            self.names.packages_are(&found.files);
        }
        let mut all = files;
        all.extend(self.entries.keys().cloned());
        self.folders = found.folders;
        self.too_large = found.too_large;
        all.into_iter().collect()
    }

    fn read_all(&mut self, root: &Path, files: &[RelPath], progress: &dyn Fn(usize, usize)) {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 16);
        let next = AtomicUsize::new(0);
        let (send, receive) = mpsc::channel();
        let names = &self.names;
        let entries = &mut self.entries;
        std::thread::scope(|scope| {
            for _ in 0..threads.min(files.len()) {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let entry = match read(root, path, None) {
                            Read::Content(bytes, stat) => {
                                let (name, import_root) = names.of(path);
                                Some(Entry::new(parse_file(path, &bytes, &name, &import_root), stat))
                            }
                            Read::Same | Read::Gone => None,
                        };
                        if send.send((path, entry)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            for (done, (path, entry)) in receive.into_iter().enumerate() {
                if let Some(entry) = entry {
                    entries.insert(path.clone(), entry);
                }
                progress(done + 1, files.len());
            }
        });
    }

    fn settle_names(&mut self) {
        let imports = self.entries.iter().map(|(path, entry)| (path, entry.module.imports.as_slice()));
        if !self.names.settle(imports) {
            return;
        }
        for (path, entry) in &mut self.entries {
            let (name, import_root) = self.names.of(path);
            if entry.module.name != name || entry.module.import_root != import_root {
                rename(Arc::make_mut(&mut entry.module), &name, &import_root);
            }
        }
    }

    fn remember_names(&mut self) {
        self.by_name.clear();
        for (path, entry) in &self.entries {
            self.by_name.entry(entry.module.name.clone()).or_default().push(path.clone());
        }
    }

    /// Gives the modules in the order of their paths.
    pub fn modules(&self) -> impl Iterator<Item = &Arc<Module>> {
        self.entries.values().map(|entry| &entry.module)
    }

    /// Gives all functions, file by file.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.modules().flat_map(|module| &module.functions)
    }

    /// Gives the module of a file.
    #[must_use]
    pub fn module(&self, path: &RelPath) -> Option<&Arc<Module>> {
        self.entries.get(path).map(|entry| &entry.module)
    }

    /// Gives the text, with `\n` line ends, that a file's module was read from.
    #[must_use]
    pub fn text(&self, path: &RelPath) -> Option<Arc<str>> {
        self.entries.get(path).map(|entry| entry.text.clone())
    }

    /// Gives the folders that hold the project's code, relative to the root (empty for the root): what to watch.
    #[must_use]
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Gives Python files that were too large to read.
    #[must_use]
    pub fn too_large(&self) -> &[RelPath] {
        &self.too_large
    }
}

enum Read {
    Same,
    Gone,
    Content(Vec<u8>, Stat),
}

/// Reads a regular file of at most [`SIZE_MAX`], unless it is as it was.
fn read(root: &Path, path: &RelPath, known: Option<Stat>) -> Read {
    // Opened without waiting, so that a pipe in a file's place cannot hold us.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::CLOEXEC;
    let mut options = fs::OpenOptions::new();
    options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    let Ok(file) = options.open(path.under(root)) else { return Read::Gone };
    let Ok(meta) = file.metadata() else { return Read::Gone };
    if !meta.is_file() || meta.len() > SIZE_MAX {
        return Read::Gone;
    }
    let stat = Stat::of(&meta);
    if known == Some(stat) {
        return Read::Same;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
    match file.take(SIZE_MAX).read_to_end(&mut bytes) {
        Ok(_) => Read::Content(bytes, stat),
        Err(_) => Read::Gone,
    }
}
