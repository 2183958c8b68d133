//! Files laid into a folder and taken out of it, step by step from an open folder: no link is ever followed, so a path
//! leads nowhere but below the folder that it starts from.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How much may be copied.
pub(super) struct Budget {
    pub(super) bytes: u64,
    pub(super) entries: u64,
}

impl Budget {
    /// The file system that is written to has bounds of its own.
    pub(super) fn unbounded() -> Self {
        Self { bytes: u64::MAX, entries: u64::MAX }
    }

    fn take(&mut self, bytes: u64) -> io::Result<()> {
        match (self.bytes.checked_sub(bytes), self.entries.checked_sub(1)) {
            (Some(bytes), Some(entries)) => {
                *self = Self { bytes, entries };
                Ok(())
            }
            _ => Err(io::ErrorKind::FileTooLarge.into()),
        }
    }
}

/// Opens a folder that is there already.
pub(super) fn open(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, FOLDER, Mode::empty())?)
}

/// Opens the folder at a relative path and makes those on the way; what is no folder gives way.
pub(super) fn make(root: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    let mut folder = root.try_clone_to_owned()?;
    for name in names(path) {
        folder = make_one(folder.as_fd(), name)?;
    }
    Ok(folder)
}

/// Removes what is at a relative path, if anything is; a link on the way leads to nothing of ours.
pub(super) fn remove(root: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Ok(()) };
    let mut folder = root.try_clone_to_owned()?;
    for part in names(path.parent().unwrap_or(Path::new(""))) {
        match enter(folder.as_fd(), part) {
            Ok(next) => folder = next,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    remove_entry(folder.as_fd(), name)
}

/// Makes the place at a relative path ready for a mount: the way to it is of folders, and it is no link itself.
pub(super) fn clear_the_way(root: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
    let Some(name) = path.file_name() else { return Ok(()) };
    let folder = make(root, path.parent().unwrap_or(Path::new("")))?;
    match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if kind(&stat).is_symlink() => Ok(rustix::fs::unlinkat(&folder, name, AtFlags::empty())?),
        Ok(_) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Lays the folders, files and links of a folder into another one, in the place of what has their names there. Sockets,
/// pipes and devices are left out, and so is what `leave_out` says of a path relative to the first folder.
pub(super) fn lay(from: &OwnedFd, into: &OwnedFd, budget: &mut Budget, leave_out: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    lay_below(from.as_fd(), into.as_fd(), Path::new(""), budget, leave_out)
}

fn lay_below(
    from: BorrowedFd<'_>,
    into: BorrowedFd<'_>,
    path: &Path,
    budget: &mut Budget,
    leave_out: &dyn Fn(&Path) -> bool,
) -> io::Result<()> {
    for name in entries(from)? {
        let path = path.join(&name);
        if leave_out(&path) {
            continue;
        }
        let stat = match rustix::fs::statat(from, &*name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => continue, // removed since it was listed
            Err(error) => return Err(error.into()),
        };
        match kind(&stat) {
            FileType::Directory => {
                budget.take(0)?;
                lay_folder(from, into, (&name, &stat), &path, budget, leave_out)?;
            }
            FileType::RegularFile => {
                budget.take(stat.st_size.unsigned_abs())?;
                lay_file(from, into, &name, &stat)?;
            }
            FileType::Symlink => {
                budget.take(0)?;
                let target = rustix::fs::readlinkat(from, &*name, Vec::new())?;
                remove_entry(into, &name)?;
                rustix::fs::symlinkat(target.as_c_str(), into, &*name)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn lay_folder(
    from: BorrowedFd<'_>,
    into: BorrowedFd<'_>,
    (name, stat): (&OsStr, &Stat),
    path: &Path,
    budget: &mut Budget,
    leave_out: &dyn Fn(&Path) -> bool,
) -> io::Result<()> {
    let is_new = enter(into, name).is_err();
    let new = make_one(into, name)?;
    let inner = enter(from, name);
    if let Ok(inner) = &inner {
        lay_below(inner.as_fd(), new.as_fd(), path, budget, leave_out)?;
    }
    if is_new {
        // What may not be looked into may not be looked into there either.
        let mode = if inner.is_ok() { mode(stat) } else { Mode::empty() };
        rustix::fs::fchmod(&new, mode)?;
        rustix::fs::futimens(&new, &times(stat))?;
    }
    Ok(())
}

fn lay_file(from: BorrowedFd<'_>, into: BorrowedFd<'_>, name: &OsStr, stat: &Stat) -> io::Result<()> {
    // Another process may have put a pipe there since.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let source = match rustix::fs::openat(from, name, flags, Mode::empty()) {
        Ok(source) => Some(File::from(source)),
        Err(Errno::ACCESS | Errno::PERM) => None,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    remove_entry(into, name)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(into, name, flags, Mode::RUSR | Mode::WUSR)?);
    if let Some(source) = &source {
        io::copy(&mut source.take(stat.st_size.unsigned_abs()), &mut file)?;
    }
    rustix::fs::fchmod(&file, if source.is_some() { mode(stat) } else { Mode::empty() })?;
    Ok(rustix::fs::futimens(&file, &times(stat))?)
}

/// Sockets and pipes below a folder, by their relative paths, at most so many among so many entries.
pub(super) fn special_files(root: &OwnedFd, budget: &mut Budget) -> io::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![std::path::PathBuf::new()];
    while let Some(path) = pending.pop() {
        let mut folder = root.as_fd().try_clone_to_owned()?;
        for part in names(&path) {
            folder = enter(folder.as_fd(), part)?;
        }
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if is_dots(name) {
                continue;
            }
            budget.take(0)?;
            let kind = match entry.file_type() {
                FileType::Unknown => kind(&rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?),
                kind => kind,
            };
            let path = path.join(OsStr::from_bytes(name.to_bytes()));
            match kind {
                FileType::Directory if enter(folder.as_fd(), OsStr::from_bytes(name.to_bytes())).is_ok() => pending.push(path),
                FileType::Socket | FileType::Fifo => found.push(path),
                _ => {}
            }
        }
    }
    Ok(found)
}

fn names(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

fn is_dots(name: &CStr) -> bool {
    name == c"." || name == c".."
}

/// The names in a folder, all of them before anything in it is changed.
fn entries(folder: BorrowedFd<'_>) -> io::Result<Vec<std::ffi::OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        if !is_dots(entry.file_name()) {
            names.push(OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
        }
    }
    Ok(names)
}

fn enter(folder: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(folder, name, FOLDER, Mode::empty())
}

fn make_one(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    match enter(folder, name) {
        Ok(inner) => return Ok(inner),
        Err(Errno::NOENT) => {}
        Err(Errno::NOTDIR | Errno::LOOP) => rustix::fs::unlinkat(folder, name, AtFlags::empty())?,
        Err(error) => return Err(error.into()),
    }
    rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o755))?;
    Ok(enter(folder, name)?)
}

fn remove_entry(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR) => {}
        Err(error) => return Err(error.into()),
    }
    let inner = enter(folder, name)?;
    for entry in entries(inner.as_fd())? {
        remove_entry(inner.as_fd(), &entry)?;
    }
    Ok(rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR)?)
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Who may read, write and run it; nothing gains a privilege by it.
fn mode(stat: &Stat) -> Mode {
    Mode::from_raw_mode(stat.st_mode & 0o777)
}

fn times(stat: &Stat) -> Timestamps {
    Timestamps {
        last_access: Timespec { tv_sec: stat.st_atime, tv_nsec: stat.st_atime_nsec as _ },
        last_modification: Timespec { tv_sec: stat.st_mtime, tv_nsec: stat.st_mtime_nsec as _ },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(at: &Path, files: &[&str]) -> OwnedFd {
        std::fs::create_dir_all(at).unwrap();
        for file in files {
            let path = at.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        open(at).unwrap()
    }

    #[test]
    fn files_replace_what_has_their_names_and_no_link_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        folder(&at("outside"), &["kept"]);
        let into = folder(&at("into"), &["same.py", "folder/inner", "other"]);
        let from = folder(&at("from"), &["same.py", "linked/new", "folder/new"]);
        std::fs::write(at("from/folder_now_file"), "text").unwrap();
        std::fs::create_dir_all(at("into/folder_now_file/deep")).unwrap();
        std::os::unix::fs::symlink(at("outside"), at("into/linked")).unwrap();
        std::os::unix::fs::symlink(at("outside/kept"), at("from/link")).unwrap();
        std::os::unix::fs::symlink(at("outside/kept"), at("into/other_link")).unwrap();
        std::fs::write(at("from/other_link"), "text").unwrap();
        rustix::fs::mknodat(&from, "pipe", FileType::Fifo, Mode::RUSR, 0).unwrap();

        lay(&from, &into, &mut Budget::unbounded(), &|path| path == Path::new("folder/new")).unwrap();
        assert_eq!(std::fs::read_to_string(at("into/folder_now_file")).unwrap(), "text");
        assert!(!at("into/linked").is_symlink() && at("into/linked/new").is_file());
        assert_eq!(std::fs::read_link(at("into/link")).unwrap(), at("outside/kept"));
        assert!(!at("into/other_link").is_symlink() && at("into/folder/inner").is_file());
        assert!(!at("into/folder/new").exists() && !at("into/pipe").exists());
        assert_eq!(special_files(&from, &mut Budget::unbounded()).unwrap(), [Path::new("pipe")]);

        for path in ["link/x", "folder/inner", "nothing/there", "linked"] {
            remove(into.as_fd(), Path::new(path)).unwrap();
        }
        assert!(at("into/link").is_symlink() && !at("into/linked").exists() && !at("into/folder/inner").exists());
        clear_the_way(into.as_fd(), Path::new("link/place")).unwrap();
        assert!(at("into/link").is_dir() && !at("into/link").is_symlink());
        assert_eq!(std::fs::read_dir(at("outside")).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(at("outside/kept")).unwrap(), "kept");
    }

    #[test]
    fn a_copy_ends_at_its_budget() {
        let place = tempfile::tempdir().unwrap();
        let from = folder(&place.path().join("from"), &["a", "b", "c"]);
        let into = folder(&place.path().join("into"), &[]);
        for (bytes, entries, fits) in [(3, 3, true), (2, 3, false), (3, 2, false)] {
            assert_eq!(lay(&from, &into, &mut Budget { bytes, entries }, &|_| false).is_ok(), fits, "{bytes} {entries}");
        }
    }
}
