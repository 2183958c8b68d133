//! The file system of the sandbox: an empty one, with what is needed bound into it at its own path.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FileType;

use super::failure::{Failure, Step};
use super::layer::{self, Files, Stage};
use super::sys::{self, attr};
use super::{names, tree};
use crate::contain::confinement::{Confinement, Profile, SYSTEM};

/// Where the new file system is put together; it hides what lies there, which is why every source is opened first.
pub(super) const STAGE: &str = "/tmp";

pub(super) const READ: u64 = attr::READ_ONLY | attr::NO_SUID | attr::NO_DEVICES;
pub(super) const WRITE: u64 = attr::NO_SUID | attr::NO_DEVICES;

const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What is put at a path.
enum Source {
    Tree(OwnedFd),
    /// The bounds of a tmpfs, as its options.
    Memory(String),
}

#[derive(Default)]
struct Plan {
    places: Vec<(PathBuf, Source)>,
    links: Vec<(PathBuf, PathBuf)>,
}

impl Plan {
    /// Takes a copy of what lies at a path, and of the links that lead there.
    fn bind(&mut self, path: &Path, attributes: u64) -> io::Result<()> {
        self.bind_in_place(path, path, attributes)
    }

    /// As [`Plan::bind`], with what lies somewhere else put there.
    fn bind_in_place(&mut self, path: &Path, from: &Path, attributes: u64) -> io::Result<()> {
        if let Some((real, tree)) = self.take(path, from)? {
            sys::restrict_tree(&tree, attributes)?;
            self.places.push((real, Source::Tree(tree)));
        }
        Ok(())
    }

    /// Takes a copy of what is to be at a path, unless something has that place; gives where it really is.
    fn take(&mut self, path: &Path, from: &Path) -> io::Result<Option<(PathBuf, OwnedFd)>> {
        let real = follow(path, &mut self.links)?;
        let is_free = !self.places.iter().any(|(place, _)| *place == real);
        is_free.then(|| Ok((real, sys::copy_tree(&from.canonicalize()?)?))).transpose()
    }

    fn put(&mut self, path: &str, source: Source) {
        if !self.places.iter().any(|(place, _)| place == Path::new(path)) {
            self.places.push((path.into(), source));
        }
    }

    /// The project and what else is to be read, each as it is.
    fn bind_to_read(&mut self, confinement: &Confinement) -> Result<(), Failure> {
        self.bind_in_place(&confinement.root, files_of(confinement), READ).step("bind the project")?;
        if confinement.is_below_temporary() {
            self.hide_pipes(confinement).step("hide the project's pipes")?;
        }
        for path in confinement.read_only.iter().filter(|path| path.exists()) {
            self.bind(path, READ).step("bind a folder to read")?;
        }
        for path in SYSTEM.iter().map(Path::new).filter(|path| path.exists()) {
            self.bind(path, READ).step("bind the system")?;
        }
        Ok(())
    }

    /// Puts what cannot be opened over pipes and sockets of the project: what may be written in the folder for temporary files may be
    /// written in all below it, and a pipe leads out, read-only or not.
    fn hide_pipes(&mut self, confinement: &Confinement) -> io::Result<()> {
        let root = follow(&confinement.root, &mut Vec::new())?;
        for path in layer::to_hide(&files_of(confinement).canonicalize()?)? {
            let nothing = sys::copy_tree(Path::new("/dev/null"))?;
            sys::restrict_tree(&nothing, READ)?;
            self.places.push((root.join(path), Source::Tree(nothing)));
        }
        Ok(())
    }

    /// The same with a layer over the project, and folders to read whose sockets and pipes lead nowhere.
    fn layer(&mut self, confinement: &Confinement) -> Result<(), Failure> {
        let project = self.take(&confinement.root, files_of(confinement)).step("find the project")?;
        let put = confinement.put.as_deref().map(tree::open).transpose().step("open the files to put into the project")?;
        // The project's own place is the layer's.
        let Some((root, project)) = project else { return Err("it is to be written, too").step("find the project") };
        let mut read: Vec<(PathBuf, OwnedFd, bool)> = Vec::new();
        let own = confinement.read_only.iter().map(|path| (path.as_path(), false));
        for (path, is_system) in own.chain(SYSTEM.iter().map(|path| (Path::new(path), true))) {
            if let Some((real, tree)) =
                path.exists().then(|| self.take(path, path)).transpose().step("find a folder to read")?.flatten()
                && real != root
                && !read.iter().any(|(place, ..)| *place == real)
            {
                read.push((real, tree, is_system));
            }
        }
        let places = self.places.iter().map(|(place, _)| place).chain(read.iter().map(|(place, ..)| place));
        let covered = places.filter_map(|place| place.strip_prefix(&root).ok()).map(Path::to_owned).collect();

        let stage = Stage::new(&bounds(confinement)).step("memory for the project's layer")?;
        for (real, tree, is_system) in read {
            match kind(&tree).step("find a folder to read")? {
                FileType::Directory => {
                    let view = stage.view(tree, is_system)?;
                    self.places.extend(view.hidden.into_iter().map(|(path, empty)| (real.join(path), Source::Tree(empty))));
                    self.places.push((real, Source::Tree(view.tree)));
                }
                FileType::RegularFile => {
                    sys::restrict_tree(&tree, READ).step("bind a file to read")?;
                    self.places.push((real, Source::Tree(tree)));
                }
                _ => {}
            }
        }
        let files = Files { project, gone: &confinement.gone, put, covered };
        self.places.push((root, Source::Tree(stage.project(&files)?)));
        stage.close().step("put the project's layer away")
    }
}

/// Where the files lie that are seen as the project's.
fn files_of(confinement: &Confinement) -> &Path {
    confinement.stand_in.as_ref().unwrap_or(&confinement.root)
}

/// Builds the file system and makes it the root.
pub(super) fn build(confinement: &Confinement) -> Result<(), Failure> {
    sys::mount(None, Path::new("/"), libc::MS_REC | libc::MS_PRIVATE, "").step("keep mounts private")?;
    let mut plan = Plan::default();
    for path in confinement.writable.iter().chain([&confinement.scratch]) {
        plan.bind(path, WRITE).step("bind a private folder")?;
    }
    match confinement.profile {
        Profile::Calls => plan.bind_to_read(confinement)?,
        Profile::RecordedTest => plan.layer(confinement)?,
    }
    for path in DEVICES.iter().map(Path::new) {
        plan.bind(path, attr::NO_SUID | attr::NO_EXEC).step("bind devices")?;
    }
    plan.put("/tmp", Source::Memory(bounds(confinement)));
    plan.put(confinement.temporary(), Source::Memory(bounds(confinement)));
    plan.put("/dev/shm", Source::Memory(bounds(confinement)));

    let stage = Path::new(STAGE);
    sys::mount(Some("tmpfs"), stage, libc::MS_NOSUID | libc::MS_NODEV, "mode=0755,size=4m").step("empty file system")?;
    // While the machine's own is in sight, and refused where that is partly hidden: then there is none.
    std::fs::create_dir(stage.join("proc")).step("put the file system together")?;
    let _ = sys::mount(Some("proc"), &stage.join("proc"), libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC, "");
    // From here on no path leads to the machine's files, whatever links the project has: only what was opened before does.
    sys::change_root(stage).step("change the root")?;
    plan.places.sort_by_key(|(path, _)| path.components().count());
    for (path, source) in &plan.places {
        place(path, source).step("put the file system together")?;
    }
    for (link, target) in &plan.links {
        place_link(link, target).step("put links")?;
    }
    for (link, target) in [("/dev/fd", "/proc/self/fd"), ("/dev/stdin", "fd/0"), ("/dev/stdout", "fd/1"), ("/dev/stderr", "fd/2")]
    {
        place_link(Path::new(link), Path::new(target)).step("put links")?;
    }
    names::write(Path::new("/etc"), confinement.profile).step("write /etc")?;
    limit_processes(confinement.limits.processes);
    // As user 0 a process without privileges may still write below /proc/sys.
    protect(Path::new("/proc")).or_else(absent).step("protect /proc")?;
    protect(Path::new("/")).step("protect the root")
}

/// Makes a mount read-only. The kernel answers EBUSY (mount_setattr(2)) as long as it counts a writer there, and a file that
/// was just written here may be counted a moment longer on a busy machine.
fn protect(path: &Path) -> io::Result<()> {
    const TRIES: usize = 100;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 1..TRIES {
        match sys::restrict_mount(path, attr::READ_ONLY) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
    sys::restrict_mount(path, attr::READ_ONLY)
}

/// Without a /proc of its own (in some containers) that folder is an empty one and no mount.
fn absent(error: io::Error) -> io::Result<()> {
    if Path::new("/proc/self").exists() { Err(error) } else { Ok(()) }
}

fn place(path: &Path, source: &Source) -> io::Result<()> {
    if !path.exists() {
        let is_file = matches!(source, Source::Tree(tree) if !kind(tree)?.is_dir());
        if is_file {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::File::create(path)?;
        } else {
            std::fs::create_dir_all(path)?;
        }
    }
    match source {
        Source::Tree(tree) => sys::attach_tree(tree, path),
        Source::Memory(bounds) => {
            let mode = if path.ends_with("tmp") { "1777" } else { "0777" };
            sys::mount(Some("tmpfs"), path, libc::MS_NOSUID | libc::MS_NODEV, &format!("mode={mode},{bounds}"))
        }
    }
}

fn place_link(at: &Path, target: &Path) -> io::Result<()> {
    if at.symlink_metadata().is_ok() {
        return Ok(());
    }
    at.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::os::unix::fs::symlink(target, at)
}

/// How much a private memory holds, as options of a tmpfs. A recorded test may write what it likes, also files without
/// an end of them.
fn bounds(confinement: &Confinement) -> String {
    const SMALL_FILE: u64 = 4096;
    let bytes = confinement.limits.tmp;
    match confinement.profile {
        Profile::Calls => format!("size={bytes}"),
        Profile::RecordedTest => format!("size={bytes},nr_inodes={}", bytes / SMALL_FILE),
    }
}

fn kind(tree: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode))
}

/// Bounds the process ids where the kernel can (6.14): the limit of processes does not hold for the machine's user 0.
fn limit_processes(most: u64) {
    const SMALLEST: u64 = 301;
    let _ = std::fs::write("/proc/sys/kernel/pid_max", (SMALLEST + most).to_string());
}

/// Resolves a path and notes every link on the way.
fn follow(path: &Path, links: &mut Vec<(PathBuf, PathBuf)>) -> io::Result<PathBuf> {
    const MOST: usize = 40;
    let mut pending: Vec<std::ffi::OsString> = path.components().rev().map(|part| part.as_os_str().to_owned()).collect();
    let (mut real, mut met) = (PathBuf::from("/"), 0);
    while let Some(part) = pending.pop() {
        if part == "/" {
            real = PathBuf::from("/");
        } else if part == ".." {
            real.pop();
        } else if part != "." {
            let next = real.join(&part);
            if next.symlink_metadata()?.file_type().is_symlink() {
                met += 1;
                if met > MOST {
                    return Err(io::Error::other("too many links"));
                }
                let target = next.read_link()?;
                pending.extend(target.components().rev().map(|part| part.as_os_str().to_owned()));
                links.push((next, target));
            } else {
                real = next;
            }
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_on_the_way_are_noted_and_loops_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink("real", root.join("first")).unwrap();
        std::os::unix::fs::symlink(root.join("first/inner"), root.join("second")).unwrap();
        let mut links = Vec::new();
        assert_eq!(follow(&root.join("second"), &mut links).unwrap(), root.join("real/inner"));
        assert_eq!(links, [(root.join("second"), root.join("first/inner")), (root.join("first"), PathBuf::from("real"))]);
        std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
        assert!(follow(&root.join("loop"), &mut Vec::new()).is_err());
    }
}
