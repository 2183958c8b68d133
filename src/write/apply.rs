//! Planned edits on the disk: all of them or none, nothing outside the root, nothing that changed since the plan.
//!
//! Folders are opened part by part without following links, so a link in the way, even one that is put there at the
//! last moment, leads nowhere. A new content is written beside the old, synced, and renamed over it.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text::display_line;
use crate::domain::decision::FileEdit;

/// Files larger than this many bytes are not ours to change.
const SIZE_MAX: u64 = 16 << 20;

/// Writes edits into the project: each file must be as its edit's `before` says, or nothing at all is written.
///
/// # Errors
/// Fails, with every file as it was, when one of them is not as planned, a link is in the way, or the disk refuses.
pub fn apply(root: &Path, edits: &[FileEdit]) -> Result<(), WriteError> {
    let mut paths: Vec<&RelPath> = edits.iter().map(|edit| &edit.path).collect();
    paths.sort();
    if let Some(twice) = paths.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(WriteError::Twice { path: shown(twice[0]) });
    }
    sweep(root, paths);
    let mut work = Work { root, made: Vec::new(), staged: Vec::new(), done: Vec::new() };
    let result = work.run(edits);
    if result.is_err() {
        work.roll_back();
    }
    result
}

/// What has been done so far, to be taken back when something fails.
struct Work<'a> {
    root: &'a Path,
    /// Folders that were made: the folder they are in and their names.
    made: Vec<(OwnedFd, String)>,
    /// New contents that wait beside their files.
    staged: Vec<(OwnedFd, String)>,
    /// Edits that are on the disk.
    done: Vec<&'a FileEdit>,
}

impl<'a> Work<'a> {
    fn run(&mut self, edits: &'a [FileEdit]) -> Result<(), WriteError> {
        for edit in edits {
            self.check(edit)?;
        }
        let mut staged = Vec::new();
        for edit in edits {
            staged.push(self.stage(edit).map_err(|errno| refusal(errno, &edit.path))?);
        }
        for (edit, temporary) in edits.iter().zip(staged) {
            // Once more, as late as can be.
            self.check(edit)?;
            self.commit(edit, temporary.as_deref()).map_err(|errno| match errno {
                Errno::EXIST => WriteError::Changed { path: shown(&edit.path) },
                errno => refusal(errno, &edit.path),
            })?;
            self.done.push(edit);
        }
        Ok(())
    }

    fn check(&mut self, edit: &FileEdit) -> Result<(), WriteError> {
        let now = match self.folder(&edit.path, false) {
            Ok(folder) => content(&folder, edit.path.file_name()),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        };
        match now {
            Ok(now) if now.as_deref() == edit.before.as_deref().map(str::as_bytes) => Ok(()),
            Ok(_) => Err(WriteError::Changed { path: shown(&edit.path) }),
            Err(errno) => Err(refusal(errno, &edit.path)),
        }
    }

    /// Opens the folder of a file, part by part; makes what is missing if asked.
    fn folder(&mut self, path: &RelPath, make: bool) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = rustix::fs::open(self.root, flags, Mode::empty())?;
        let mut parts: Vec<&str> = path.parts().collect();
        parts.pop();
        for part in parts {
            folder = match rustix::fs::openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty()) {
                Err(Errno::NOENT) if make => {
                    match rustix::fs::mkdirat(&folder, part, Mode::from_raw_mode(0o777)) {
                        Ok(()) => self.made.push((folder.try_clone().map_err(|_| Errno::MFILE)?, part.to_owned())),
                        Err(Errno::EXIST) => {}
                        Err(errno) => return Err(errno),
                    }
                    rustix::fs::openat(&folder, part, flags | OFlags::NOFOLLOW, Mode::empty())?
                }
                other => other?,
            };
        }
        Ok(folder)
    }

    /// Writes the new content beside the file; gives the name it has there.
    fn stage(&mut self, edit: &FileEdit) -> Result<Option<String>, Errno> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(after) = &edit.after else { return Ok(None) };
        let folder = self.folder(&edit.path, true)?;
        let name = format!(".pytead-{}-{}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&folder, &name, flags, Mode::from_raw_mode(0o666))?;
        let old = rustix::fs::statat(&folder, edit.path.file_name(), AtFlags::SYMLINK_NOFOLLOW);
        self.staged.push((folder, name.clone()));
        if let Ok(old) = old {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o7777))?;
        }
        let mut file = File::from(file);
        file.write_all(after.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        Ok(Some(name))
    }

    fn commit(&mut self, edit: &FileEdit, temporary: Option<&str>) -> Result<(), Errno> {
        let folder = self.folder(&edit.path, false)?;
        let name = edit.path.file_name();
        match temporary {
            None if edit.before.is_none() => {}
            None => rustix::fs::unlinkat(&folder, name, AtFlags::empty())?,
            // A file that was not there must not be there now.
            Some(temporary) if edit.before.is_none() => {
                match rustix::fs::renameat_with(&folder, temporary, &folder, name, RenameFlags::NOREPLACE) {
                    Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::renameat(&folder, temporary, &folder, name)?,
                    other => other?,
                }
            }
            Some(temporary) => rustix::fs::renameat(&folder, temporary, &folder, name)?,
        }
        // Not every file system can sync a folder; the rename holds all the same.
        let _ = rustix::fs::fsync(&folder);
        Ok(())
    }

    /// Puts everything back; what cannot be put back now was already reported by the error that led here.
    fn roll_back(&mut self) {
        for edit in std::mem::take(&mut self.done).into_iter().rev() {
            let back = edit.inverse();
            let restored = self.stage(&back).and_then(|temporary| self.commit(&back, temporary.as_deref()));
            if let Err(errno) = restored {
                tracing::error!(path = %shown(&edit.path), %errno, "an edit could not be taken back");
            }
        }
        for (folder, name) in self.staged.drain(..) {
            let _ = rustix::fs::unlinkat(&folder, &name, AtFlags::empty());
        }
        for (folder, name) in self.made.drain(..).rev() {
            let _ = rustix::fs::unlinkat(&folder, &name, AtFlags::REMOVEDIR);
        }
    }
}

/// Makes a file in a folder of ours for new content that will take the place of another; its owner's alone, and removed by
/// [`sweep`] should this process die.
///
/// # Errors
/// Fails when the file cannot be made.
pub fn temporary_in(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let prefix = format!(".pytead-{}-", std::process::id());
    tempfile::Builder::new().prefix(&prefix).suffix(".tmp").tempfile_in(folder)
}

/// Removes new contents that a dead process left beside these files.
pub fn sweep<'a>(root: &Path, beside: impl IntoIterator<Item = &'a RelPath>) {
    let mut work = Work { root, made: Vec::new(), staged: Vec::new(), done: Vec::new() };
    for path in beside {
        let Ok(folder) = work.folder(path, false) else { continue };
        let Ok(listed) = rustix::fs::Dir::read_from(&folder) else { continue };
        for entry in listed.flatten() {
            if owner(entry.file_name()).is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(Errno::SRCH)) {
                let _ = rustix::fs::unlinkat(&folder, entry.file_name(), AtFlags::empty());
            }
        }
    }
}

/// Names the process that a temporary file is of.
fn owner(name: &std::ffi::CStr) -> Option<rustix::process::Pid> {
    let number = name.to_str().ok()?.strip_prefix(".pytead-")?.strip_suffix(".tmp")?.split_once('-')?.0;
    rustix::process::Pid::from_raw(number.parse().ok()?)
}

/// Removes a folder of the project when it is empty; tells whether it is gone. Links are not followed.
pub fn remove_empty_folder(root: &Path, folder: &RelPath) -> bool {
    let mut work = Work { root, made: Vec::new(), staged: Vec::new(), done: Vec::new() };
    match work.folder(folder, false) {
        Ok(parent) => rustix::fs::unlinkat(&parent, folder.file_name(), AtFlags::REMOVEDIR).is_ok(),
        Err(errno) => errno == Errno::NOENT,
    }
}

/// Reads a regular file; `None` when there is none.
fn content(folder: &OwnedFd, name: &str) -> Result<Option<Vec<u8>>, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(None),
        other => other?,
    };
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Errno::NOTDIR);
    }
    let mut bytes = Vec::new();
    File::from(file).take(SIZE_MAX).read_to_end(&mut bytes).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(Some(bytes))
}

fn shown(path: &RelPath) -> String {
    display_line(path.as_str()).into_owned()
}

fn refusal(errno: Errno, path: &RelPath) -> WriteError {
    let path = shown(path);
    match errno {
        Errno::ROFS | Errno::ACCESS | Errno::PERM => WriteError::ReadOnly { path },
        Errno::NOSPC | Errno::DQUOT => WriteError::Full,
        Errno::LOOP | Errno::NOTDIR => WriteError::Link { path },
        errno => WriteError::System { path, why: std::io::Error::from(errno).to_string() },
    }
}

/// Why nothing was written. Paths in it are fit for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A file is not as it was when the diff was made.
    #[error("{path} was changed by hand")]
    Changed {
        /// The file.
        path: String,
    },
    /// The system lets nobody write there, or not this user.
    #[error("{path} cannot be written")]
    ReadOnly {
        /// The file.
        path: String,
    },
    /// There is no room.
    #[error("the disk is full")]
    Full,
    /// A link, or something that is no folder, is in the way.
    #[error("a part of {path} is a link or no folder")]
    Link {
        /// The file.
        path: String,
    },
    /// Two edits of one file were planned at once.
    #[error("two edits of {path} at once")]
    Twice {
        /// The file.
        path: String,
    },
    /// Anything else the system says.
    #[error("{path}: {why}")]
    System {
        /// The file.
        path: String,
        /// The system's words.
        why: String,
    },
}

impl From<WriteError> for Trouble {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Changed { path } => Self::environment(format!("Not written: {path} was changed by hand."))
                .because("It is not as it was when the diff was made.")
                .so("Your decision and the draft are kept. Make the diff anew."),
            WriteError::ReadOnly { path } => Self::environment(format!("Not written: {path} is read-only for you."))
                .so("Nothing was decided. Make it writable, then accept again."),
            WriteError::Full => {
                Self::environment("The disk is full.").because("Nothing was written.").so("Free some space, then accept again.")
            }
            WriteError::Link { path } => Self::environment(format!("Not written: a part of {path} is a link or no folder."))
                .because("Links are not followed when tests are written.")
                .so("Put a real folder in its place, or choose another folder for the tests."),
            WriteError::Twice { path } => Self::internal(format!("Not written: two edits of {path} at once.")),
            WriteError::System { path, why } => Self::environment(format!("Not written: {path}."))
                .because(format!("{why}."))
                .so("Nothing was changed. Accept again once the reason is gone."),
        }
    }
}

/// Makes a part of a file name of any text: `[a-z0-9_]`, 1 to 80 characters; other texts give other names.
#[must_use]
pub fn slug(text: &str) -> String {
    const MAX: usize = 80;
    let plain: String =
        text.chars().map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' { c } else { '_' }).collect();
    if plain == text && (1..=MAX).contains(&plain.len()) {
        return plain;
    }
    // What was lost is told apart by a hash, case included: some file systems know no case.
    let hash = format!("{}", crate::base::hash::of(text.as_bytes()));
    let head: String =
        text.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(MAX - 9).collect();
    format!("{head}_{}", &hash[..8])
}

/// Names the test file of a module: `test_pytead_shop__cart.py` for `shop.cart`.
#[must_use]
pub fn test_file_name(module: &str) -> String {
    format!("test_pytead_{}.py", slug(&module.replace('.', "__")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::AtomicBool;

    use rustix::fs::CWD;

    use super::*;

    fn edit(path: &str, before: Option<&str>, after: Option<&str>) -> FileEdit {
        FileEdit { path: RelPath::new(path).unwrap(), before: before.map(str::to_owned), after: after.map(str::to_owned) }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn edits_are_written_and_taken_back() {
        let root = tempfile::tempdir().unwrap();
        let edits = [edit("tests/pytead/a.py", None, Some("a\n")), edit("b.py", None, Some("b\n"))];
        apply(root.path(), &edits).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("tests/pytead/a.py")).unwrap(), "a\n");
        let change = [edit("b.py", Some("b\n"), Some("B\n"))];
        fs::set_permissions(root.path().join("b.py"), fs::Permissions::from_mode(0o640)).unwrap();
        apply(root.path(), &change).unwrap();
        assert_eq!(root.path().join("b.py").metadata().unwrap().permissions().mode() & 0o777, 0o640);
        apply(root.path(), &[change[0].inverse()]).unwrap();
        apply(root.path(), &edits.each_ref().map(FileEdit::inverse)).unwrap();
        assert_eq!(names(root.path()), ["tests"]);
        assert!(names(&root.path().join("tests/pytead")).is_empty());
    }

    #[test]
    fn nothing_is_written_when_one_file_is_not_as_planned() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("b.py"), "by hand\n").unwrap();
        let trouble =
            apply(root.path(), &[edit("new/a.py", None, Some("a\n")), edit("b.py", Some("b\n"), Some("B\n"))]).unwrap_err();
        assert_eq!(trouble, WriteError::Changed { path: "b.py".into() });
        assert_eq!(names(root.path()), ["b.py"]);
        let there = apply(root.path(), &[edit("b.py", None, Some("B\n"))]).unwrap_err();
        assert_eq!(there, WriteError::Changed { path: "b.py".into() });
        assert_eq!(fs::read_to_string(root.path().join("b.py")).unwrap(), "by hand\n");
    }

    #[test]
    fn a_failure_half_way_is_rolled_back() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.py"), "old\n").unwrap();
        fs::create_dir(root.path().join("b.py")).unwrap();
        let edits = [edit("a.py", Some("old\n"), Some("new\n")), edit("b.py", None, Some("b\n"))];
        // As if the check had passed: the rename over a folder fails after the first edit is on the disk.
        let mut work = Work { root: root.path(), made: Vec::new(), staged: Vec::new(), done: Vec::new() };
        for edit in &edits {
            let temporary = work.stage(edit).unwrap();
            if work.commit(edit, temporary.as_deref()).is_ok() {
                work.done.push(edit);
            }
        }
        assert_eq!((work.done.len(), fs::read_to_string(root.path().join("a.py")).unwrap().as_str()), (1, "new\n"));
        work.roll_back();
        assert_eq!(fs::read_to_string(root.path().join("a.py")).unwrap(), "old\n");
        assert_eq!(names(root.path()), ["a.py", "b.py"]);
    }

    #[test]
    fn links_lead_nowhere() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        symlink(outside.path(), root.path().join("tests")).unwrap();
        let trouble = apply(root.path(), &[edit("tests/a.py", None, Some("a\n"))]).unwrap_err();
        assert_eq!(trouble, WriteError::Link { path: "tests/a.py".into() });
        assert!(names(outside.path()).is_empty());
        fs::write(outside.path().join("x.py"), "x\n").unwrap();
        symlink(outside.path().join("x.py"), root.path().join("x.py")).unwrap();
        assert!(apply(root.path(), &[edit("x.py", Some("x\n"), Some("y\n"))]).is_err());
        assert_eq!(fs::read_to_string(outside.path().join("x.py")).unwrap(), "x\n");
    }

    #[test]
    fn a_folder_that_is_swapped_for_a_link_meanwhile_leads_nowhere() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let (tests, link) = (root.path().join("tests"), root.path().join("link"));
        fs::create_dir(&tests).unwrap();
        symlink(outside.path(), &link).unwrap();
        let over = AtomicBool::new(false);
        let (mut written, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    rustix::fs::renameat_with(CWD, &tests, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            });
            for number in 0..100_000 {
                match apply(root.path(), &[edit(&format!("tests/{number}.py"), None, Some("a\n"))]) {
                    Ok(()) => written += 1,
                    Err(_) => refused += 1,
                }
                if written >= 20 && refused >= 20 {
                    break;
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        assert!(written > 0 && refused > 0, "{written} written, {refused} refused");
        assert!(names(outside.path()).is_empty(), "{:?}", names(outside.path()));
    }

    #[test]
    fn trouble_is_said_in_plain_words() {
        let path = RelPath::new("tests/a.py").unwrap();
        let said = |errno| Trouble::from(refusal(errno, &path));
        assert_eq!(said(Errno::ROFS).what, "Not written: tests/a.py is read-only for you.");
        assert_eq!(said(Errno::NOSPC).what, "The disk is full.");
        assert!(said(Errno::IO).to_string().starts_with("Not written: tests/a.py."));
    }

    #[test]
    fn file_names_are_plain_and_tell_modules_apart() {
        assert_eq!(test_file_name("shop.cart"), "test_pytead_shop__cart.py");
        for hostile in ["../x", "/abs", "a/../../b", "nul\0", "CON", "trailing.", "é", "Shop", "shop", "", &"x".repeat(300)] {
            let name = slug(hostile);
            assert!(
                (1..=80).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            );
        }
        assert_ne!(slug("Shop"), slug("shop"));
        assert_ne!(slug("a.b"), slug("a_b"));
        assert_ne!(slug("é"), slug("e\u{301}"));
    }
}
