//! What a recorded test sees of files outside: a writable layer over its project, and views of folders to read. Neither
//! shares a socket or a pipe with the files below it, as an overlay has inodes of its own.
//!
//! The layer's memory is mounted where the new file system is put together afterwards, and taken away before; only the
//! overlay still holds it. All names in mount options are short ones of ours, as a comma or colon in a path would end it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, XattrFlags};

use super::failure::{Failure, Step};
use super::mounts::{READ, STAGE, WRITE};
use super::sys;
use super::tree::{self, Budget};

/// What is copied at most where the kernel refuses an overlay.
const COPIED: Budget = Budget { bytes: 64 << 20, entries: 20_000 };
/// How many entries of a folder to read are looked at for sockets and pipes where the kernel refuses an overlay.
const LOOKED_AT: u64 = 200_000;
/// How many sockets and pipes there are hidden.
const HIDDEN: usize = 64;

const LOWER: &str = "lower";
const UPPER: &str = "upper";
const WORK: &str = "work";
const MERGED: &str = "merged";
const EMPTY: &str = "empty";
const EMPTY_FILE: &str = "empty-file";

/// The files of a project as a recorded test shall see them.
pub(super) struct Files<'a> {
    pub(super) project: OwnedFd,
    /// Relative paths that are not to be seen.
    pub(super) gone: &'a [PathBuf],
    /// Files that replace the project's.
    pub(super) put: Option<OwnedFd>,
    /// Relative paths at which something else is mounted.
    pub(super) covered: Vec<PathBuf>,
}

/// Memory in which layers are made.
pub(super) struct Stage(());

impl Stage {
    /// Mounts the memory, with these bounds, and makes it the working folder; it hides what lies there.
    pub(super) fn new(bounds: &str) -> io::Result<Self> {
        let options = format!("mode=0755,{bounds}");
        sys::mount(Some("tmpfs"), Path::new(STAGE), libc::MS_NOSUID | libc::MS_NODEV, &options)?;
        std::env::set_current_dir(STAGE)?;
        for folder in [LOWER, UPPER, WORK, MERGED, EMPTY] {
            std::fs::create_dir(folder)?;
        }
        std::fs::File::create(EMPTY_FILE)?;
        Ok(Self(()))
    }

    /// Takes the memory away; the layers keep what they need of it.
    pub(super) fn close(self) -> io::Result<()> {
        std::env::set_current_dir("/")?;
        sys::detach(Path::new(STAGE))
    }

    /// Puts a layer over a project.
    pub(super) fn project(&self, files: &Files<'_>) -> Result<OwnedFd, Failure> {
        sys::attach_tree(&files.project, Path::new(LOWER)).step("find the project")?;
        let lower = tree::open(Path::new(LOWER)).step("find the project")?;
        self.merge(&lower, files)?;
        let merged = tree::open(Path::new(MERGED)).step("open the project's layer")?;
        for path in files.gone {
            tree::remove(merged.as_fd(), path).step("take files out of the project's layer")?;
        }
        if let Some(put) = &files.put {
            tree::lay(put, &merged, &mut Budget::unbounded(), &|_| false).step("put files into the project's layer")?;
        }
        for path in &files.covered {
            tree::clear_the_way(merged.as_fd(), path).step("make room in the project's layer")?;
        }
        let made = sys::copy_tree(Path::new(MERGED)).step("take the project's layer")?;
        sys::restrict_tree(&made, WRITE).step("take the project's layer")?;
        Ok(made)
    }

    /// Makes the project's files writable at [`MERGED`]: by an overlay, or by a copy where an overlay is refused or would
    /// not be whole.
    fn merge(&self, lower: &OwnedFd, files: &Files<'_>) -> Result<(), Failure> {
        let stat = rustix::fs::fstat(lower).step("look at the project")?;
        let mode = Mode::from_raw_mode(stat.st_mode & 0o777 | 0o700);
        rustix::fs::chmod(UPPER, mode).step("prepare the project's layer")?;
        let overlay = || {
            let options = format!("lowerdir={LOWER},upperdir={UPPER},workdir={WORK},userxattr");
            sys::mount(Some("overlay"), Path::new(MERGED), libc::MS_NOSUID | libc::MS_NODEV, &options)
        };
        let copy = || {
            let merged = tree::open(Path::new(MERGED))?;
            let covered = |path: &Path| files.covered.iter().any(|covered| covered == path);
            tree::lay(lower, &merged, &mut Budget { ..COPIED }, &covered)
        };
        let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
        // Through an overlay files of another owner cannot be written, and without attributes in memory (before Linux 6.6)
        // a removed folder cannot be made again.
        let is_whole = takes_attributes() && (stat.st_uid, stat.st_gid) == (user, group);
        if is_whole {
            return overlay().or_else(|refused| {
                copy().map_err(|error| neither(&refused, &error)).step("put a private layer over the project")
            });
        }
        copy().or_else(|error| {
            self.clear()?;
            overlay().map_err(|refused| neither(&refused, &error)).step("put a private layer over the project")
        })
    }

    /// Takes away what was copied.
    fn clear(&self) -> Result<(), Failure> {
        let stage = tree::open(Path::new(STAGE)).step("open the project's layer")?;
        tree::remove(stage.as_fd(), Path::new(MERGED)).step("prepare the project's layer")?;
        std::fs::create_dir(MERGED).step("prepare the project's layer")
    }

    /// Gives a view of a folder to read, and what has to be put over places in it.
    ///
    /// Where an overlay is refused it is the folder itself. Then sockets and pipes that are in it now are hidden; of the
    /// system's folders, where nobody but the machine's administrator can make any, they are not looked for.
    pub(super) fn view(&self, folder: OwnedFd, is_system: bool) -> Result<View, Failure> {
        const STEP: &str = "view a folder to read";
        sys::attach_tree(&folder, Path::new(LOWER)).step(STEP)?;
        let options = format!("lowerdir={LOWER}:{EMPTY}");
        let overlay = sys::mount(Some("overlay"), Path::new(MERGED), libc::MS_NOSUID | libc::MS_NODEV, &options);
        let view = if overlay.is_ok() {
            let tree = sys::copy_tree(Path::new(MERGED)).step(STEP)?;
            sys::detach(Path::new(MERGED)).step(STEP)?;
            View { tree, hidden: Vec::new() }
        } else {
            let hidden = if is_system { Vec::new() } else { hide().step(STEP)? };
            View { tree: sys::copy_tree(Path::new(LOWER)).step(STEP)?, hidden }
        };
        sys::detach(Path::new(LOWER)).step(STEP)?;
        sys::restrict_tree(&view.tree, READ).step(STEP)?;
        Ok(view)
    }
}

/// A folder to read.
pub(super) struct View {
    pub(super) tree: OwnedFd,
    /// Relative paths in it, and what is to be put over each.
    pub(super) hidden: Vec<(PathBuf, OwnedFd)>,
}

/// Gives an empty file for each socket and pipe in [`LOWER`].
fn hide() -> io::Result<Vec<(PathBuf, OwnedFd)>> {
    to_hide(Path::new(LOWER))?.into_iter().map(|path| Ok((path, empty_file()?))).collect()
}

/// Lists the sockets and pipes in a folder that is seen as it is, relative to it.
///
/// # Errors
/// When it cannot be read, or holds too many files to look at.
pub(super) fn to_hide(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let many = |what: String| io::Error::other(format!("it is seen without an overlay, and holds more than {what}"));
    let mut budget = Budget { bytes: 0, entries: LOOKED_AT };
    let found = tree::special_files(&tree::open(folder)?, &mut budget).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => many(format!("{LOOKED_AT} files")),
        _ => error,
    })?;
    if found.len() > HIDDEN { Err(many(format!("{HIDDEN} sockets and pipes"))) } else { Ok(found) }
}

fn empty_file() -> io::Result<OwnedFd> {
    let file = sys::copy_tree(Path::new(EMPTY_FILE))?;
    sys::restrict_tree(&file, READ)?;
    Ok(file)
}

fn neither(overlay: &io::Error, copy: &io::Error) -> String {
    let Budget { bytes, entries } = COPIED;
    let why = match copy.kind() {
        io::ErrorKind::FileTooLarge => format!("it has more than {} MiB or {entries} files", bytes >> 20),
        _ => copy.to_string(),
    };
    format!("the kernel refuses an overlay of it ({overlay}), and it cannot be copied: {why}")
}

/// Tells whether the memory of the layer keeps the attributes by which an overlay marks folders.
fn takes_attributes() -> bool {
    const NAME: &str = "user.overlay.probe";
    let taken = rustix::fs::setxattr(UPPER, NAME, b"y", XattrFlags::empty()).is_ok();
    taken && rustix::fs::removexattr(UPPER, NAME).is_ok()
}
