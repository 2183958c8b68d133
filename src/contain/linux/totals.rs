//! What contained processes take in sum. The kernel bounds a process and a file; without a control group of our own it does not bound
//! many of them, so the process above them looks, many times a second, and ends all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::processes;
use crate::contain::confinement::Confinement;
use crate::contain::levels::Level;

/// How often is looked while something works, and while nothing does.
const BUSY: Duration = Duration::from_millis(50);
pub(super) const IDLE: Duration = Duration::from_millis(250);
/// A look takes at most this part of the time.
const SHARE: u32 = 10;
/// Files and folders in the folders that may be written: more are as much as too many bytes.
const ENTRIES: u64 = 20_000;
/// Bytes of a block of `stat`.
const BLOCK: u64 = 512;

/// Looks at what contained processes take.
pub(super) struct Totals {
    level: Level,
    folders: Vec<PathBuf>,
    /// What lay in the folders when the command began.
    before: u64,
    disk: u64,
    memory: u64,
    /// Processor time of all of them, at the last look.
    worked: u64,
    next: Instant,
}

/// Bytes on disk and in memory.
#[derive(Default)]
struct Taken {
    disk: u64,
    memory: u64,
    worked: u64,
}

impl Totals {
    pub(super) fn new(confinement: &Confinement, level: Level) -> Self {
        let folders: Vec<PathBuf> = confinement.writable.iter().chain([&confinement.scratch]).cloned().collect();
        let limits = &confinement.limits;
        let before = written(&folders);
        let next = Instant::now() + BUSY;
        Self { level, folders, before, disk: limits.tmp, memory: limits.address_space, worked: 0, next }
    }

    /// How long until the next look.
    pub(super) fn wait(&self) -> Duration {
        self.next.saturating_duration_since(Instant::now())
    }

    /// Looks, if it is time; says what is too much.
    pub(super) fn look(&mut self) -> Option<String> {
        let began = Instant::now();
        if began < self.next {
            return None;
        }
        let taken = self.taken();
        let interval = if taken.worked == self.worked { IDLE } else { BUSY };
        self.worked = taken.worked;
        self.next = Instant::now() + interval.max(began.elapsed() * SHARE);
        let much = |bytes: u64, what: &str| format!("Ended: its processes took more than {} MiB of {what}.", bytes >> 20);
        match taken {
            Taken { disk, .. } if disk > self.disk => Some(much(self.disk, "disk, or hid them")),
            Taken { memory, .. } if memory > self.memory => Some(much(self.memory, "memory")),
            _ => None,
        }
    }

    fn taken(&self) -> Taken {
        let mut taken = Taken { disk: written(&self.folders).saturating_sub(self.before), ..Taken::default() };
        let processes = self.processes();
        let mut open = BTreeSet::new();
        for process in &processes {
            let Some(usage) = processes::usage(*process) else { continue };
            taken.worked += usage.worked;
            taken.memory += usage.resident;
            nameless(*process, &mut open);
        }
        let known: BTreeSet<(u64, u64)> = open.iter().map(|file| (file.device, file.inode)).collect();
        let mapped = processes.iter().flat_map(|process| mapped(*process));
        open.extend(mapped.filter(|file| !known.contains(&(file.device, file.inode))));
        if taken.memory > self.memory {
            // What processes share was counted for each of them.
            taken.memory = processes.iter().filter_map(|process| processes::own_memory(*process)).sum();
        }
        for file in open {
            let sum = if file.in_memory { &mut taken.memory } else { &mut taken.disk };
            *sum += file.bytes;
        }
        taken
    }

    /// Lists the contained processes. Of a process namespace `/proc` is seen from outside: until it is mounted it shows the
    /// machine's processes, this one among them, and where it cannot be mounted nothing.
    fn processes(&self) -> Vec<i32> {
        match self.level {
            Level::Namespaces if Path::new("/proc/self").exists() => Vec::new(),
            Level::Namespaces => processes::all(),
            _ => processes::descendants(),
        }
    }
}

/// A file that has no name any more, or never had one, and is there as long as it is open.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Nameless {
    device: u64,
    inode: u64,
    bytes: u64,
    in_memory: bool,
}

fn nameless(process: i32, found: &mut BTreeSet<Nameless>) {
    for entry in std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
        let Ok(target) = std::fs::read_link(entry.path()) else { continue };
        let target = target.to_string_lossy();
        let in_memory = target.starts_with("/memfd:");
        if !(in_memory || target.ends_with(" (deleted)")) {
            continue;
        }
        // Through the descriptor, which leads to the file itself.
        if let Ok(meta) = std::fs::metadata(entry.path())
            && meta.is_file()
        {
            found.insert(Nameless { device: meta.dev(), inode: meta.ino(), bytes: meta.blocks() * BLOCK, in_memory });
        }
    }
}

/// Lists the files without a name that a process has mapped, each with what it has room for: no descriptor may lead there any more.
/// Memory that processes share by themselves (`/dev/zero`, System V) is resident where it is used, and counted there.
fn mapped(process: i32) -> impl Iterator<Item = Nameless> {
    let text = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let mut found: BTreeMap<(u64, u64), Nameless> = BTreeMap::new();
    for line in text.lines() {
        let mut fields = line.splitn(6, ' ');
        let (Some(range), _, Some(offset), Some(device), Some(inode)) =
            (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = fields.next().unwrap_or_default().trim();
        let in_memory = path.starts_with("/memfd:");
        let is_shared = path.starts_with("/dev/zero") || path.starts_with("/SYSV");
        if is_shared || !(in_memory || path.ends_with(" (deleted)")) {
            continue;
        }
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let sizes = || {
            let (from, to) = range.split_once('-')?;
            let (major, minor) = device.split_once(':')?;
            let device = libc::makedev(u32::try_from(hex(major)?).ok()?, u32::try_from(hex(minor)?).ok()?);
            Some((device, inode.parse::<u64>().ok()?, hex(offset)? + hex(to)?.checked_sub(hex(from)?)?))
        };
        let Some((device, inode, bytes)) = sizes() else { continue };
        let file = found.entry((device, inode)).or_insert(Nameless { device, inode, bytes, in_memory });
        file.bytes = file.bytes.max(bytes);
    }
    found.into_values()
}

/// Sums what lies in folders. More than may be there is whatever is hidden: very many entries, names that are too deep to be
/// looked at, folders that may not be looked into.
fn written(folders: &[PathBuf]) -> u64 {
    let (mut bytes, mut left) = (0, ENTRIES);
    let mut pending = folders.to_vec();
    while let Some(folder) = pending.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if is_gone(&error) => continue,
            Err(_) => return u64::MAX,
        };
        for entry in entries.flatten() {
            left = left.saturating_sub(1);
            let meta = match entry.path().symlink_metadata() {
                Ok(meta) if left > 0 => meta,
                Err(error) if is_gone(&error) => continue,
                _ => return u64::MAX,
            };
            if meta.is_dir() && same_device(&meta, &folder) {
                pending.push(entry.path());
            }
            bytes += meta.blocks() * BLOCK;
        }
    }
    bytes
}

/// It was removed, or replaced, since it was listed.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is mounted in a folder has bounds of its own.
fn same_device(meta: &std::fs::Metadata, folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|parent| parent.dev() == meta.dev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_folders_and_what_is_open_without_a_name_is_counted() {
        let place = tempfile::tempdir().unwrap();
        let folders = [place.path().to_owned()];
        let before = written(&folders);
        std::fs::create_dir(place.path().join("deep")).unwrap();
        std::fs::write(place.path().join("deep/file"), vec![1; 1 << 20]).unwrap();
        let named = written(&folders);
        assert!(named >= before + (1 << 20), "{before} {named}");
        let own = i32::try_from(std::process::id()).unwrap();
        let sum = || {
            let mut found = BTreeSet::new();
            nameless(own, &mut found);
            found.iter().map(|file| file.bytes).sum::<u64>()
        };
        let none = sum();
        let mut file = tempfile::tempfile_in(place.path()).unwrap();
        std::io::Write::write_all(&mut file, &vec![1; 1 << 20]).unwrap();
        let twice = file.try_clone().unwrap();
        assert!(((1 << 20)..(2 << 20)).contains(&(sum() - none)), "once, however often it is open");
        drop(twice);
    }
}
