//! Files that recorded calls read and that are no code to them: what is in each, as one hash.
//!
//! Owns how such a file is looked at: a regular file by its bytes, a folder by the names in it, a link by where it leads;
//! nothing outside of the project is opened. Who reads which file is in the store, what rests on it in `dependencies.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::touch::FileAccess;

use super::regular::{Stat, open};
use super::stamps::Stamps;
use super::walk::is_never_named;

/// More files than this are not followed.
pub const FILES_MAX: usize = 5_000;
/// Of larger files, in bytes, size and times say whether they changed.
const SIZE_MAX: u64 = 16 << 20;
/// Of a folder so many names count; of one with more, its times too.
const NAMES_MAX: usize = 20_000;

/// Finds the file or folder of the project that a call read, and only read.
///
/// Nothing for what lies outside of the project, or where no file of the user's is. Paths that are not whole begin at the
/// root, where calls are made again.
#[must_use]
pub fn read_by(root: &Path, access: &FileAccess) -> Option<RelPath> {
    let mut plain = PathBuf::new();
    for part in root.join(access.read()?).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    let path = RelPath::below(root, &plain)?;
    let is_ours = !path.parts().any(|part| is_never_named(part.as_ref()));
    is_ours.then_some(path)
}

/// Gives a path with what it leads to: through links, as long as that is in the project.
#[must_use]
pub fn with_target(root: &Path, path: RelPath) -> Vec<RelPath> {
    let real = |path: &Path| path.canonicalize().ok();
    let target = real(root).zip(real(&path.under(root))).and_then(|(root, target)| RelPath::below(&root, &target));
    let other = target.filter(|target| *target != path);
    std::iter::once(path).chain(other).collect()
}

/// Files, each with a hash of what was in it when it was looked at last.
#[derive(Debug, Clone, Default)]
pub struct DataFiles(BTreeMap<RelPath, Seen>);

#[derive(Debug, Clone, Copy)]
struct Seen {
    /// None of a file that is not there.
    stat: Option<Stat>,
    digest: Digest,
}

impl DataFiles {
    /// Looks at files; of those that are known here nothing is read.
    #[must_use]
    pub fn with(&self, root: &Path, wanted: &BTreeSet<RelPath>) -> Self {
        let seen = |path: &RelPath| self.0.get(path).copied().unwrap_or_else(|| look(root, path, None));
        Self(wanted.iter().map(|path| (path.clone(), seen(path))).collect())
    }

    /// Looks again, at these files or at all whose times, size or inode differ; gives those that are other than before.
    pub fn update(&mut self, root: &Path, paths: Option<&[RelPath]>) -> Vec<RelPath> {
        let mut changed = Vec::new();
        let mut again = |path: &RelPath, seen: &mut Seen, known: Option<Seen>| {
            let now = look(root, path, known);
            if now.digest != seen.digest {
                changed.push(path.clone());
            }
            *seen = now;
        };
        match paths {
            Some(paths) => paths.iter().for_each(|path| {
                if let Some(seen) = self.0.get_mut(path) {
                    again(path, seen, None);
                }
            }),
            None => self.0.iter_mut().for_each(|(path, seen)| again(path, seen, Some(*seen))),
        }
        changed
    }

    /// Gives what tells whether anything happened to the files from now on, even where it was taken back.
    #[must_use]
    pub fn stamps(&self, root: &Path) -> Stamps {
        Stamps::of(root, self.0.keys())
    }

    /// Gives the files with their hashes, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, Digest)> {
        self.0.iter().map(|(path, seen)| (path, seen.digest))
    }

    /// Gives the hash of a file that was looked at.
    #[must_use]
    pub fn digest(&self, path: &RelPath) -> Option<Digest> {
        self.0.get(path).map(|seen| seen.digest)
    }

    /// Tells whether a file was there when it was looked at.
    #[must_use]
    pub fn is_there(&self, path: &RelPath) -> bool {
        self.0.get(path).is_some_and(|seen| seen.stat.is_some())
    }
}

/// Looks at a file, unless it is as it was known.
fn look(root: &Path, path: &RelPath, known: Option<Seen>) -> Seen {
    let full = path.under(root);
    let Ok(meta) = full.symlink_metadata() else { return Seen { stat: None, digest: Digest::default() } };
    let stat = Some(Stat::of(&meta));
    match known {
        Some(known) if known.stat == stat => known,
        _ => Seen { stat, digest: digest(root, &full, &meta) },
    }
}

fn digest(root: &Path, full: &Path, meta: &Metadata) -> Digest {
    let mut hasher = Hasher::default();
    if meta.is_symlink() {
        let target = fs::read_link(full).unwrap_or_default();
        return hasher.part(b"link").part(target.as_os_str().as_bytes()).digest();
    }
    // Below a link that leads out of the project nothing is opened.
    if !is_inside(root, full) {
        return hasher.part(b"outside").digest();
    }
    if meta.is_dir() {
        hasher.part(b"folder");
        let names = fs::read_dir(full).into_iter().flatten().flatten().map(|entry| entry.file_name());
        let mut names: Vec<OsString> = names.filter(|name| !is_never_named(name)).take(NAMES_MAX + 1).collect();
        if names.len() > NAMES_MAX {
            return hasher.part(format!("{:?}", Stat::of(meta)).as_bytes()).digest();
        }
        names.sort();
        names.iter().for_each(|name| {
            hasher.part(name.as_bytes());
        });
        return hasher.digest();
    }
    let mut bytes = Vec::new();
    let read = open(full, SIZE_MAX).is_some_and(|(file, _)| file.take(SIZE_MAX).read_to_end(&mut bytes).is_ok());
    if read {
        hasher.part(b"file").part(&bytes).digest()
    } else {
        hasher.part(b"unread").part(format!("{:?}", Stat::of(meta)).as_bytes()).digest()
    }
}

fn is_inside(root: &Path, full: &Path) -> bool {
    let folder = full.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(root.canonicalize().ok()).is_some_and(|(folder, root)| folder.starts_with(root))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::function::FunctionId;
    use crate::domain::subject::Subject;
    use crate::source::dependencies::Reach;
    use crate::source::index::Index;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    #[test]
    fn what_was_noted_is_found_inside_the_project_alone() {
        let root = Path::new("/p/shop");
        let found = |note: &str| read_by(root, &FileAccess::from_stored(note)).map(|path| path.to_string());
        for note in ["read data/a.json", "read ./data/a.json", "read /p/shop/data/a.json", "read /p/shop/pkg/../data/a.json"] {
            assert_eq!(found(note).as_deref(), Some("data/a.json"), "{note}");
        }
        assert_eq!(found("os.listdir data").as_deref(), Some("data"));
        assert_eq!(found("os.scandir /p/shop/data").as_deref(), Some("data"));
        for note in [
            "write data/a.json",
            "read /etc/passwd",
            "read ../other/a.json",
            "read /p/shop/../other/a.json",
            "read .pytead/pytead.db",
            "read pkg/__pycache__/a.pyc",
            "read .git/HEAD",
            "os.listdir .",
            "read",
        ] {
            assert_eq!(found(note), None, "{note}");
        }
    }

    #[test]
    fn a_file_is_another_by_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let wanted: BTreeSet<RelPath> = ["a.json", "none.json", "data", "link"].into_iter().map(path).collect();
        fs::write(root.join("a.json"), "1").unwrap();
        fs::create_dir(root.join("data")).unwrap();
        symlink("a.json", root.join("link")).unwrap();
        let mut files = DataFiles::default().with(root, &wanted);
        let mut changed =
            |paths: Option<&[RelPath]>| files.update(root, paths).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(changed(None), [""; 0]);
        let stamps = DataFiles::default().with(root, &wanted).stamps(root);
        assert_eq!(stamps.touched(root).count(), 0);
        // Written again as it was: nothing is other, and yet something happened.
        fs::remove_file(root.join("a.json")).unwrap();
        fs::write(root.join("a.json"), "1").unwrap();
        assert_eq!(changed(None), [""; 0]);
        assert!(stamps.touched(root).eq([&path("a.json")]));
        fs::write(root.join("a.json"), "2").unwrap();
        assert_eq!(changed(Some(&[path("data"), path("unknown")])), [""; 0]);
        assert_eq!(changed(Some(&[path("a.json")])), ["a.json"]);
        fs::write(root.join("none.json"), "").unwrap();
        fs::remove_file(root.join("a.json")).unwrap();
        assert_eq!(changed(None), ["a.json", "none.json"], "one is gone, an empty one came");
        fs::write(root.join("data/x"), "").unwrap();
        assert_eq!(changed(None), ["data"]);
        fs::write(root.join("data/x"), "other").unwrap();
        assert_eq!(changed(None), [""; 0], "of a folder the names count");
        fs::remove_file(root.join("link")).unwrap();
        symlink("none.json", root.join("link")).unwrap();
        assert_eq!(changed(None), ["link"]);
    }

    #[test]
    fn nothing_is_opened_that_is_no_file_of_the_project() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = folder.path();
        fs::write(outside.path().join("secret"), "1").unwrap();
        symlink(outside.path(), root.join("out")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        // A terabyte that takes no room on the disk.
        fs::File::create(root.join("huge")).unwrap().set_len(1 << 40).unwrap();
        let wanted: BTreeSet<RelPath> = ["out/secret", "pipe", "huge"].into_iter().map(path).collect();
        let mut files = DataFiles::default().with(root, &wanted);
        fs::write(outside.path().join("secret"), "2").unwrap();
        assert_eq!(files.update(root, None), []);
        fs::File::options().write(true).open(root.join("huge")).unwrap().set_len(1 << 41).unwrap();
        assert_eq!(files.update(root, None), [path("huge")]);
        assert_eq!(with_target(root, path("out/secret")), [path("out/secret")]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Of any calls among eight functions and any reads of three files: what is run again after a save is what reaches
        /// a reader, and what is known under another hash is just that.
        #[test]
        fn what_rests_on_a_file_is_what_is_known_under_another_hash(
            calls in prop::collection::vec((0usize..8, 0usize..8), 0..12),
            reads in prop::collection::vec((0usize..8, 0usize..3), 0..6),
            saved in 0usize..3,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            fs::write(root.join("m.py"), (0..8).map(|n| format!("def f{n}():\n    pass\n\n")).collect::<String>()).unwrap();
            let file = |number: usize| path(&format!("{number}.json"));
            let id = |number: usize| FunctionId(format!("m:f{number}"));
            let function = |number: usize| Subject::Function(id(number));
            let mut files = DataFiles::default().with(root, &(0..3).map(file).collect());
            let edges: Vec<(Subject, Subject)> = calls
                .iter()
                .map(|(from, to)| (function(*from), function(*to)))
                .chain(reads.iter().map(|(reader, read)| (function(*reader), Subject::File(file(*read)))))
                .collect();
            let index = Index::build(root, &[], &|_, _| {});
            let before = Reach::with_data(&index, &edges, &Arc::new(files.clone()));
            fs::write(root.join(format!("{saved}.json")), "1").unwrap();
            prop_assert_eq!(files.update(root, None), [file(saved)]);
            let after = Reach::with_data(&index, &edges, &Arc::new(files));
            let resting = after.resting_on(&[Subject::File(file(saved))], &[]);
            let mut reached: BTreeSet<usize> = reads.iter().filter(|(_, read)| *read == saved).map(|(reader, _)| *reader).collect();
            for _ in 0..8 {
                reached.extend(calls.iter().filter(|(_, to)| reached.contains(to)).map(|(from, _)| *from).collect::<Vec<_>>());
            }
            for number in 0..8 {
                let id = id(number);
                prop_assert_eq!(resting.contains(&id), reached.contains(&number), "{} in {:?}", number, edges);
                prop_assert_eq!(before.code_key(&id) != after.code_key(&id), reached.contains(&number), "{} in {:?}", number, edges);
            }
        }
    }

    #[test]
    fn a_link_is_followed_to_the_file_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("v2")).unwrap();
        fs::write(root.join("v2/a.json"), "").unwrap();
        symlink("v2", root.join("now")).unwrap();
        assert_eq!(with_target(root, path("now/a.json")), [path("now/a.json"), path("v2/a.json")]);
        assert_eq!(with_target(root, path("v2/a.json")), [path("v2/a.json")]);
        assert_eq!(with_target(root, path("gone.json")), [path("gone.json")]);
    }
}
