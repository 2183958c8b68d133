//! All modules of a project: read once, in parallel, and kept up to date file by file.
//!
//! The disk is the truth: a file is read again when its times, size or inode differ, and counts as changed when its
//! functions do. Asking (`find.rs`) and comparing (`change.rs`) live next door.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::{Function, Module};

use super::change::{IndexChange, compare};
use super::entry::Entry;
use super::kept::Kept;
use super::names::{Names, decides, rename};
use super::parse::parse_file;
use super::regular::{Stat, open};
use super::stamps::Stamps;
use super::walk::{SIZE_MAX, walk};

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
    cut: bool,
    configuration: Vec<RelPath>,
    others: Arc<[RelPath]>,
}

impl Index {
    /// Reads a whole project; `progress` is told from this thread how many of how many files are done.
    ///
    /// Files that cannot be read are left out; files that do not parse are in with what could be recovered.
    #[must_use]
    pub fn build(root: &Path, exclude: &[String], progress: &dyn Fn(usize, usize)) -> Self {
        Self::build_from(root, exclude, &Kept::default(), progress).0
    }

    /// Reads a whole project, and parses what was not kept; tells how many files that were.
    #[must_use]
    pub fn build_from(root: &Path, exclude: &[String], kept: &Kept, progress: &dyn Fn(usize, usize)) -> (Self, usize) {
        let found = walk(root, exclude);
        let mut index = Self {
            names: Names::new(&found.files),
            exclude: exclude.to_vec(),
            folders: found.folders,
            too_large: found.too_large,
            cut: found.cut,
            configuration: found.configuration,
            others: found.others.into(),
            ..Self::default()
        };
        let parsed = index.read_all(root, &found.files, kept, progress);
        index.settle_names();
        index.remember_names();
        (index, parsed)
    }

    /// Gives one hash of all files: equal hashes, equal code.
    #[must_use]
    pub fn hash(&self) -> Digest {
        let mut hasher = Hasher::default();
        for (path, entry) in &self.entries {
            hasher.part(path.as_str().as_bytes()).part(&entry.module.hash.0.to_le_bytes());
        }
        hasher.digest()
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
        let deciding =
            |files: &mut dyn Iterator<Item = &RelPath>| files.filter(|file| decides(file)).cloned().collect::<BTreeSet<_>>();
        if deciding(&mut files.iter()) != deciding(&mut self.entries.keys()) {
            self.names.packages_are(&found.files);
        }
        let mut all = files;
        all.extend(self.entries.keys().cloned());
        self.folders = found.folders;
        self.too_large = found.too_large;
        self.cut = found.cut;
        self.configuration = found.configuration;
        self.others = found.others.into();
        all.into_iter().collect()
    }

    fn read_all(&mut self, root: &Path, files: &[RelPath], kept: &Kept, progress: &dyn Fn(usize, usize)) -> usize {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 16);
        let (next, parsed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (send, receive) = mpsc::channel();
        let names = &self.names;
        let entries = &mut self.entries;
        std::thread::scope(|scope| {
            for _ in 0..threads.min(files.len()) {
                let (send, next, parsed) = (send.clone(), &next, &parsed);
                scope.spawn(move || {
                    while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let entry = match read(root, path, None) {
                            Read::Content(bytes, stat) => {
                                let (name, import_root) = names.of(path);
                                let known = kept.find(path, &bytes, crate::base::hash::of(&bytes)).map(|mut known| {
                                    if known.module.name != name || known.module.import_root != import_root {
                                        rename(&mut known.module, &name, &import_root);
                                    }
                                    known
                                });
                                let all = known.unwrap_or_else(|| {
                                    parsed.fetch_add(1, Ordering::Relaxed);
                                    parse_file(path, &bytes, &name, &import_root)
                                });
                                Some(Entry::new(all, stat))
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
        parsed.into_inner()
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

    /// Gives what tells whether anything happened to the files from now on, even where it was taken back.
    #[must_use]
    pub fn stamps(&self, root: &Path) -> Stamps {
        Stamps::of(root, self.entries.keys())
    }

    /// Gives the folders that hold the project's code, relative to the root (empty for the root): what to watch.
    #[must_use]
    pub fn folders(&self) -> &[String] {
        &self.folders
    }

    /// Gives the files that say how tests are run, as of the last walk.
    #[must_use]
    pub fn configuration(&self) -> &[RelPath] {
        &self.configuration
    }

    /// Gives the project's files that are no Python, as of the last walk.
    #[must_use]
    pub fn others(&self) -> &[RelPath] {
        &self.others
    }

    /// Tells whether the project has more Python files than are taken.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
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
    let Some((file, meta)) = open(&path.under(root), SIZE_MAX) else { return Read::Gone };
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;
    use crate::domain::function::FunctionId;
    use crate::source::change::What;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "shop/__init__.py", "");
        write(
            folder.path(),
            "shop/cart.py",
            "LIMIT = 3\n\nclass Cart:\n    rate = 1\n    def total(self):\n        return 1\n\ndef add(a, b):\n    \"\"\"Adds.\"\"\"\n    return a + b\n",
        );
        folder
    }

    fn build(root: &Path) -> Index {
        Index::build(root, &[], &|_, _| {})
    }

    /// Changes a file and tells what the index finds.
    fn change(root: &Path, index: &mut Index, from: &str, to: &str) -> IndexChange {
        let path = root.join("shop/cart.py");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
        index.update(root, Some(&[RelPath::new("shop/cart.py").unwrap()]))
    }

    fn found(change: &IndexChange) -> Vec<(&str, What)> {
        change.functions.iter().map(|function| (function.id.qualname(), function.what)).collect()
    }

    #[test]
    fn a_project_is_read_and_counted() {
        let folder = project();
        let last = Cell::new((0, 0));
        let index = Index::build(folder.path(), &[], &|done, total| last.set((done, total)));
        assert_eq!(last.get(), (2, 2));
        let ids: Vec<&str> = index.functions().map(|function| function.id.0.as_str()).collect();
        assert_eq!(ids, ["shop.cart:Cart.total", "shop.cart:add"]);
        assert_eq!(index.folders(), ["", "shop"]);
    }

    #[test]
    fn each_kind_of_edit_is_told_apart() {
        let folder = project();
        let root = folder.path();
        let mut index = build(root);
        assert_eq!(index.update(root, None), IndexChange::default());
        let comment = change(root, &mut index, "return 1", "return 1  # why");
        assert!(comment.is_harmless() && comment.functions.is_empty(), "{comment:?}");
        assert_eq!(found(&change(root, &mut index, "return a + b", "return a - b")), [("add", What::Body)]);
        assert_eq!(found(&change(root, &mut index, "Adds.", "Subtracts.")), [("add", What::Doc)]);
        assert_eq!(found(&change(root, &mut index, "a, b", "a, b=1")), [("add", What::Signature)]);
        let renamed = change(root, &mut index, "def total", "def sum");
        assert_eq!(found(&renamed), [("Cart.sum", What::Added), ("Cart.total", What::Removed)]);
        let init = change(root, &mut index, "LIMIT = 3", "LIMIT = 4");
        assert_eq!((init.init.len(), init.functions.len(), init.classes.len()), (1, 0, 0));
        assert_eq!(init.module_edits[0].hunk, ["-LIMIT = 3", "+LIMIT = 4"]);
        assert_eq!((init.module_edits[0].subject.text().as_ref(), init.module_edits[0].line), ("shop.cart:", 1));
        let class = change(root, &mut index, "rate = 1", "rate = 2");
        assert_eq!((class.init.len(), class.classes.len()), (0, 1));
        assert_eq!(class.module_edits[0].line, 4);
    }

    #[test]
    fn an_edit_shows_its_lines() {
        let folder = project();
        let mut index = build(folder.path());
        let change = change(folder.path(), &mut index, "    return a + b", "    a += 1\n    return a - b");
        let edit = change.functions[0].edit();
        assert_eq!(edit.hunk, ["-    return a + b", "+    a += 1", "+    return a - b"]);
        assert_eq!((edit.line, edit.path.as_str()), (10, "shop/cart.py"));
    }

    #[test]
    fn a_file_with_a_mistake_keeps_its_last_good_functions() {
        let folder = project();
        let mut index = build(folder.path());
        let broken = change(folder.path(), &mut index, "def add(a, b):", "def add(a, b:");
        assert_eq!((broken.files.len(), broken.functions.len()), (1, 0));
        let path = RelPath::new("shop/cart.py").unwrap();
        assert_eq!(index.module(&path).unwrap().error.map(|error| error.line), Some(8));
        assert!(index.function(&FunctionId("shop.cart:add".into())).is_some());
        let mended = change(folder.path(), &mut index, "def add(a, b:", "def add(a, c):");
        assert_eq!(found(&mended), [("add", What::Signature)]);
        assert_eq!(index.module(&path).unwrap().error, None);
    }

    #[test]
    fn files_come_and_go() {
        let folder = project();
        let root = folder.path();
        let mut index = build(root);
        write(root, "shop/new/__init__.py", "def fresh(): ...\n");
        write(root, "shop/notes.txt", "");
        let came = index.update(root, Some(&[RelPath::new("shop/new/__init__.py").unwrap()]));
        assert_eq!(came.functions[0].id.0, "shop.new:fresh");
        fs::remove_dir_all(root.join("shop/new")).unwrap();
        fs::remove_file(root.join("shop/cart.py")).unwrap();
        let went = index.update(root, None);
        assert_eq!(found(&went), [("Cart.total", What::Removed), ("add", What::Removed), ("fresh", What::Removed)]);
        assert_eq!(index.functions().count(), 0);
    }

    #[test]
    fn functions_are_found_by_what_people_type() {
        let folder = project();
        write(folder.path(), "shop/other.py", "def add(): ...\ndef f():\n    pass\ndef f():\n    pass\n");
        let index = build(folder.path());
        let find = |text: &str| index.find(text).map(|ids| ids.into_iter().map(|id| id.0).collect::<Vec<_>>().join(" "));
        for (text, expected) in [
            ("shop.cart:add", "shop.cart:add"),
            ("shop.cart.Cart.total", "shop.cart:Cart.total"),
            ("shop/cart.py:Cart.total", "shop.cart:Cart.total"),
            ("cart.py::add", "shop.cart:add"),
            ("total", "shop.cart:Cart.total"),
            ("Cart.total()", "shop.cart:Cart.total"),
            ("cart:add", "shop.cart:add"),
            ("add", "shop.cart:add shop.other:add"),
            ("shop.cart", "shop.cart:Cart.total shop.cart:add"),
            ("shop.*:ad*", "shop.cart:add shop.other:add"),
            ("*total", "shop.cart:Cart.total"),
            ("f", "shop.other:f shop.other:f#2"),
        ] {
            assert_eq!(find(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(index.find("shop.cart:ad"), Err(vec!["shop.cart:add".to_owned()]));
        assert_eq!(index.find("nothing_like_it"), Err(Vec::new()));
        let path = RelPath::new("shop/other.py").unwrap();
        let by_code = |line| index.by_code(&path, "f", line).map(|function| function.id.qualname());
        assert_eq!((by_code(2), by_code(4), by_code(90)), (Some("f"), Some("f#2"), Some("f#2")));
        assert_eq!(index.module_of(&FunctionId("shop.other:f".into())).map(|module| module.path.as_str()), Some("shop/other.py"));
    }

    #[test]
    fn imports_name_the_modules_of_plain_folders() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "scripts/main.py", "import helper\n");
        write(folder.path(), "scripts/helper.py", "def help(): ...\n");
        let index = build(folder.path());
        assert!(index.function(&FunctionId("helper:help".into())).is_some());
        assert_eq!(index.modules().map(|module| module.import_root.as_str()).collect::<Vec<_>>(), ["scripts", "scripts"]);
    }
}
