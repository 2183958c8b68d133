//! Our Python package, embedded in the binary and written where an interpreter can import it.
//!
//! The folder's name holds the hash of the content, so that versions never meet. What lies there is compared with what
//! is embedded before each use.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::base::error::Trouble;
use crate::base::hash;
use crate::base::paths::tilde;
use crate::contain::private_folder;

/// Paths below the package's folder, with `/`, and contents.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/python_package.rs"));

/// Where the package lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The folder that holds `pytead_tui`: the one for `PYTHONPATH`.
    pub folder: PathBuf,
    /// The folder of our `sitecustomize.py`, which starts the recorder.
    pub boot: PathBuf,
}

/// Writes the package to the user's cache unless it is there, whole and unchanged.
///
/// # Errors
/// When the cache cannot be written.
pub fn install() -> Result<Package, Trouble> {
    let cache = etcetera::choose_base_strategy()
        .map_err(|error| Trouble::environment("Your cache folder is not known.").because(error).so("Set HOME."))?
        .cache_dir()
        .join("pytead-tui");
    install_in(&cache)
}

/// Writes the package below a folder of the caller's choice unless it is there, whole and unchanged.
///
/// # Errors
/// When the folder cannot be written.
pub fn install_in(cache: &Path) -> Result<Package, Trouble> {
    let folder = cache.join(format!("python-{}", digest()));
    if !is_whole(&folder) {
        write(cache, &folder).map_err(|error| {
            Trouble::environment(format!("The recorder could not be written to {}.", tilde(&folder)))
                .because(format!("{error}."))
                .so("Make room there, or set XDG_CACHE_HOME to a folder you can write.")
        })?;
    }
    let boot = folder.join("pytead_tui/boot");
    Ok(Package { folder, boot })
}

fn digest() -> hash::Digest {
    let mut hasher = hash::Hasher::default();
    for (name, content) in FILES {
        hasher.part(name.as_bytes()).part(content);
    }
    hasher.digest()
}

/// Tells whether a folder holds every file of the package, unchanged, and no other module.
fn is_whole(folder: &Path) -> bool {
    FILES.iter().all(|(name, content)| std::fs::read(folder.join(name)).is_ok_and(|found| found == *content))
        && count_modules(folder).is_some_and(|count| count == FILES.len())
        && is_private(folder)
}

/// Counts files, but for the bytecode Python puts beside them; `None` for what is no plain file or folder.
fn count_modules(folder: &Path) -> Option<usize> {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        if kind.is_dir() {
            if entry.file_name() != OsStr::new("__pycache__") {
                count += count_modules(&entry.path())?;
            }
        } else if kind.is_file() {
            count += 1;
        } else {
            return None;
        }
    }
    Some(count)
}

#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    folder.symlink_metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own && meta.mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

/// Writes beside the place and moves there, so that another process sees all of it or nothing.
fn write(cache: &Path, folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(cache)?;
    let fresh = private_folder(cache, ".python-")?;
    for (name, content) in FILES {
        let path = fresh.path().join(name);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, content)?;
    }
    const ATTEMPTS: usize = 3;
    let mut last = Ok(());
    for _ in 0..ATTEMPTS {
        last = std::fs::rename(fresh.path(), folder);
        if last.is_ok() || is_whole(folder) {
            return Ok(());
        }
        // What lies there is damaged: aside with it, where it goes with its temporary folder.
        let damaged = private_folder(cache, ".damaged-")?;
        let _ = std::fs::rename(folder, damaged.path().join("package"));
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_written_once_and_mended_when_touched() {
        let cache = tempfile::tempdir().unwrap();
        let package = install_in(cache.path()).unwrap();
        let module = package.folder.join("pytead_tui/__init__.py");
        assert!(package.boot.join("sitecustomize.py").is_file() && is_whole(&package.folder));
        let written = module.metadata().unwrap().modified().unwrap();
        assert_eq!(install_in(cache.path()).unwrap(), package);
        assert_eq!(module.metadata().unwrap().modified().unwrap(), written, "an unchanged package is left alone");

        std::fs::write(&module, "import os").unwrap();
        std::fs::write(package.folder.join("json.py"), "planted").unwrap();
        install_in(cache.path()).unwrap();
        assert!(is_whole(&package.folder) && !package.folder.join("json.py").exists());
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1, "nothing else stays behind");
    }

    #[test]
    fn processes_that_write_at_once_do_not_disturb_each_other() {
        let cache = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| install_in(cache.path()))).collect();
            for one in all {
                assert!(is_whole(&one.join().unwrap().unwrap().folder));
            }
        });
    }
}
