//! Folders of our own, opened without following links: whatever a repository brings in their place, nothing is made,
//! read or removed behind a link. All work inside a folder goes through its descriptor.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};

/// Readable and writable by this user alone.
const PRIVATE_FOLDER: Mode = Mode::RWXU;
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open folder that is no link.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder. Links above its last name are followed, that name is not.
    ///
    /// # Errors
    /// When it is missing, a link, or no folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Self { descriptor: rustix::fs::open(path, flags, Mode::empty())?, path: path.to_owned() })
    }

    /// Opens a folder, made with mode 0700 when it is missing; so are those above it.
    ///
    /// # Errors
    /// As [`Folder::open`], and when it cannot be made.
    pub fn open_or_create(path: &Path) -> io::Result<Self> {
        if path.symlink_metadata().is_err() {
            let mut builder = std::fs::DirBuilder::new();
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(path)?;
        }
        Self::open(path)
    }

    /// Gives the path it was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in this one.
    ///
    /// # Errors
    /// As [`Folder::open`], and for a name that is a path.
    pub fn folder(&self, name: &str) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(&self.descriptor, single(name)?, flags, Mode::empty())?;
        Ok(Self { descriptor, path: self.path.join(name) })
    }

    /// Makes a folder in this one, mode 0700, and opens it.
    ///
    /// # Errors
    /// When there is something of that name, or it cannot be made.
    pub fn create_folder(&self, name: &str) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.descriptor, single(name)?, PRIVATE_FOLDER)?;
        self.folder(name)
    }

    /// Opens a file in this one for writing, made with mode 0600 when it is missing.
    ///
    /// # Errors
    /// When it is a link or not a regular file, or cannot be made.
    pub fn file(&self, name: &str) -> io::Result<File> {
        // Without waiting: in its place there may be a pipe.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.descriptor, single(name)?, flags, PRIVATE_FILE)?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }

    /// Lists the names in it; those that are not UTF-8 are left out.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.descriptor)? {
            if let Ok(name) = entry?.file_name().to_str()
                && name != "."
                && name != ".."
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Gives a folder in this one another name in it.
    ///
    /// # Errors
    /// When there is something of the new name, or it cannot be renamed.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        if rustix::fs::statat(&self.descriptor, single(to)?, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        Ok(rustix::fs::renameat(&self.descriptor, single(from)?, &self.descriptor, to)?)
    }

    /// Removes an empty folder in this one.
    ///
    /// # Errors
    /// When it is not empty, a link, or cannot be removed.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.descriptor, single(name)?, AtFlags::REMOVEDIR)?)
    }

    /// Removes the files in it whose names are wanted; folders and all other files stay.
    ///
    /// # Errors
    /// When it cannot be read, or one of them cannot be removed.
    pub fn remove_files(&self, wanted: impl Fn(&str) -> bool) -> io::Result<()> {
        for name in self.names()?.iter().filter(|name| wanted(name)) {
            let stat = rustix::fs::statat(&self.descriptor, name.as_str(), AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                rustix::fs::unlinkat(&self.descriptor, name.as_str(), AtFlags::empty())?;
            }
        }
        Ok(())
    }

    /// Tells whether it is this user's and closed to others: one that came with a repository or an archive is open.
    #[must_use]
    pub fn is_private(&self) -> bool {
        let own = rustix::process::geteuid().as_raw();
        rustix::fs::fstat(self.descriptor.as_fd()).is_ok_and(|stat| stat.st_uid == own && stat.st_mode & 0o077 == 0)
    }
}

/// Refuses a name that is a path.
fn single(name: &str) -> io::Result<&str> {
    let is_single = Path::new(name).file_name() == Some(OsStr::new(name));
    if is_single { Ok(name) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_link_is_followed_and_no_name_leads_out() {
        let place = tempfile::tempdir().unwrap();
        let outside = place.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("precious"), "1").unwrap();
        let own = Folder::open_or_create(&place.path().join("own/deep")).unwrap();
        for name in ["link", "lock"] {
            std::os::unix::fs::symlink(&outside, own.path().join(name)).unwrap();
        }
        assert!(Folder::open(&own.path().join("link")).is_err());
        assert!(Folder::open_or_create(&own.path().join("link")).is_err());
        assert!(own.folder("link").is_err() && own.create_folder("link").is_err());
        assert!(own.file("lock").is_err());
        assert!(own.remove_folder("link").is_err());
        for name in ["../outside", "..", ".", "", "/", "a/b"] {
            assert!(own.folder(name).is_err() && own.create_folder(name).is_err() && own.file(name).is_err(), "{name}");
            assert!(own.rename("link", name).is_err() && own.remove_folder(name).is_err(), "{name}");
        }
        own.remove_files(|_| true).unwrap();
        assert!(own.names().unwrap().is_empty());
        assert!(outside.join("precious").exists());
    }

    #[test]
    fn only_wanted_files_are_removed() {
        let place = tempfile::tempdir().unwrap();
        let own = Folder::open(place.path()).unwrap();
        own.create_folder("a.spool").unwrap();
        drop((own.file("b.spool").unwrap(), own.file("c.txt").unwrap()));
        own.remove_files(|name| name.ends_with(".spool")).unwrap();
        let mut names = own.names().unwrap();
        names.sort();
        assert_eq!(names, ["a.spool", "c.txt"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_in_the_place_of_a_file_holds_nobody_up() {
        let place = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, place.path().join("lock"), FileType::Fifo, PRIVATE_FILE, 0).unwrap();
        assert!(Folder::open(place.path()).unwrap().file("lock").is_err());
    }
}
