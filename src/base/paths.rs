//! Paths inside a project: relative, with `/`, and never out of the root.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A path below the project's root, with `/` between its parts and no `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RelPath(String);

impl RelPath {
    /// Takes a relative path apart and refuses what could leave the root, is not UTF-8, or has more than one line: printed, the
    /// rest of such a name would pass for a line of ours.
    #[must_use]
    pub fn new(path: impl AsRef<Path>) -> Option<Self> {
        let mut parts = Vec::new();
        for component in path.as_ref().components() {
            match component {
                Component::Normal(part) => parts.push(part.to_str()?),
                Component::CurDir => {}
                _ => return None,
            }
        }
        (!parts.is_empty() && !parts.iter().any(|part| part.contains(['\0', '\n', '\r']))).then(|| Self(parts.join("/")))
    }

    /// Expresses an absolute path below `root`.
    #[must_use]
    pub fn below(root: &Path, path: &Path) -> Option<Self> {
        Self::new(path.strip_prefix(root).ok()?)
    }

    /// Gives the text, parts separated by `/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Gives the absolute path under a root.
    #[must_use]
    pub fn under(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }

    /// Gives the last part.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Gives the folder it is in; nothing where that is the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(folder, _)| Self(folder.to_owned()))
    }

    /// Gives the parts from the root down.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }
}

impl std::fmt::Display for RelPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Finds a program the way a shell does; a name with a separator is taken as a path below `cwd`.
#[must_use]
pub fn find_program(name: &str, search: Option<OsString>, cwd: &Path) -> Option<PathBuf> {
    if name.contains(std::path::MAIN_SEPARATOR) {
        let path = cwd.join(name);
        return is_executable(&path).then_some(path);
    }
    std::env::split_paths(&search?).map(|folder| folder.join(name)).find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Shortens an absolute path for reading: the home folder becomes `~`.
#[must_use]
pub fn tilde(path: &Path) -> String {
    if let Some(home) = std::env::var_os("HOME").filter(|home| !home.is_empty())
        && let Ok(rest) = path.strip_prefix(&home)
    {
        return if rest.as_os_str().is_empty() { "~".into() } else { format!("~/{}", rest.display()) };
    }
    path.display().to_string()
}

/// Characters of a name that is compared with others.
const NAME_MAX: usize = 200;

/// Gives the names nearest to a wrong one, best first: at most three, and none that is far off. Nothing is near to a very long name.
#[must_use]
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let is_long = |name: &str| name.len() > NAME_MAX && name.chars().count() > NAME_MAX;
    if is_long(wanted) {
        return Vec::new();
    }
    let limit = (wanted.chars().count() / 3).max(2);
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| !is_long(name))
        .map(|name| {
            let tail = name.rsplit([':', '.']).next().unwrap_or(name);
            (distance(wanted, name).min(distance(wanted, tail) + usize::from(tail != wanted)), name)
        })
        .filter(|(score, _)| *score <= limit)
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Edit distance with swaps of neighbours counted as one (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Larger files are not read whole: no source, settings or data of a test is.
const FILE_MAX: u64 = 256 << 20;

/// Reads a file in a place where code of others could write: a link, a pipe or a device in its stead is refused and not waited
/// for, and no more than so many bytes are read.
///
/// # Errors
/// When it is not there, is no regular file, or cannot be read.
pub fn read_regular(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    read_at_most(path, most, rustix::fs::OFlags::NOFOLLOW)
}

/// Reads a file that a repository may have brought, through links if there are any: a pipe or a device in its stead is refused
/// and not waited for.
///
/// # Errors
/// As [`read_regular`], and when it is larger than any file of a project should be.
pub fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let bytes = read_at_most(path, FILE_MAX + 1, rustix::fs::OFlags::empty())?;
    if bytes.len() as u64 > FILE_MAX { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// As [`read_file`], of a text.
///
/// # Errors
/// As [`read_file`], and when it is not UTF-8.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    String::from_utf8(read_file(path)?).map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error))
}

fn read_at_most(path: &Path, most: u64, links: rustix::fs::OFlags) -> std::io::Result<Vec<u8>> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | links;
    let file = std::fs::File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("Something else than a file is in its place"));
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(file, most), &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_cannot_leave_the_root() {
        assert_eq!(RelPath::new("shop/./cart.py").map(|p| p.to_string()).as_deref(), Some("shop/cart.py"));
        for bad in ["../x", "/etc/passwd", "a/../../b", "", "a\0b", "a\nb", "a\rb"] {
            assert_eq!(RelPath::new(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_very_long_name_is_near_to_nothing_and_costs_nothing() {
        let long = "k".repeat(900_000);
        let begin = std::time::Instant::now();
        assert!(nearest(&long, ["run.seconds", &long]).is_empty());
        assert_eq!(nearest("run.second", [&long, "run.seconds"]), ["run.seconds"]);
        assert!(begin.elapsed() < std::time::Duration::from_secs(5));
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["shop.pricing:tax_for", "shop.cart:Cart.total", "shop.pricing:round_price"];
        assert_eq!(nearest("shop.pricng:tax_for", names), ["shop.pricing:tax_for"]);
        assert_eq!(nearest("total", names), ["shop.cart:Cart.total"]);
        assert!(nearest("completely_different", names).is_empty());
    }

    #[test]
    fn what_code_of_others_put_in_a_files_place_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "0123456789").unwrap();
        assert_eq!(read_regular(&at("file"), 100).unwrap(), b"0123456789");
        assert_eq!(read_regular(&at("file"), 4).unwrap(), b"0123");
        assert_eq!(read_regular(&at("none"), 4).unwrap_err().kind(), std::io::ErrorKind::NotFound);
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for name in ["link", "endless", "folder", "pipe"] {
            assert!(read_regular(&at(name), 4).is_err(), "{name}");
        }
        assert!(read_regular(Path::new("/dev/zero"), 4).is_err());
        assert_eq!(read_text(&at("link")).unwrap(), "0123456789", "a link is followed where it may be");
        for name in ["endless", "folder", "pipe"] {
            assert!(read_file(&at(name)).is_err(), "{name}");
        }
    }
}
