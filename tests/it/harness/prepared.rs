//! Projects that several tests begin with: prepared by the real binary, once for a build, and copied for each test.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Place, package, python_with_pytest};

/// What is older is made again: for some tests a recording has to be a new one.
const AGE_MAX: Duration = Duration::from_secs(12 * 3600);

impl Place {
    /// Gives a copy of the project that the first caller with this name makes; it is trusted if the original was.
    pub fn prepared(name: &str, make: impl FnOnce() -> Self) -> Self {
        let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "prepared", name].iter().collect();
        fs::create_dir_all(&folder).unwrap();
        let original = folder.join(build());
        let lock = File::create(folder.join("lock")).unwrap();
        lock.lock().unwrap();
        let is_young = |made: SystemTime| made.elapsed().is_ok_and(|age| age < AGE_MAX);
        if !original.metadata().and_then(|folder| folder.modified()).is_ok_and(is_young) {
            // What another build made is of no use any more either.
            for left in fs::read_dir(&folder).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
                fs::remove_dir_all(left.path()).unwrap();
            }
            let (made, fresh) = (make(), folder.join("fresh"));
            copy(made.folder.path(), &fresh);
            fs::rename(&fresh, &original).unwrap();
        }
        let place = Self::copy_of(&original);
        drop(lock);
        if place.home().join("state/pytead-tui/trust.yaml").exists() {
            let (code, _, err) = place.run(&["trust"]);
            assert_eq!(code, 0, "{err}");
        }
        place
    }

    /// Makes a place of all that a folder holds.
    pub(super) fn copy_of(folder: &Path) -> Self {
        let place = Self::new();
        copy(folder, place.folder.path());
        package::link_into(&place.home().join("cache"));
        place
    }

    /// The example of a shop with its tests recorded.
    pub fn recorded_shop() -> Self {
        Self::prepared("recorded-shop", || {
            let place = Self::example("shop");
            let (code, _, err) = place.run(&["--trust", "run", "--", "pytest", "-q"]);
            assert_eq!(code, 0, "{err}");
            place
        })
    }
}

/// Names what a project is made by: the tests, the binary, and the Python.
fn build() -> String {
    let made_at = |program: &Path| {
        let modified = program.metadata().unwrap().modified().unwrap();
        modified.duration_since(UNIX_EPOCH).unwrap().as_nanos()
    };
    let tests = made_at(&std::env::current_exe().unwrap());
    let binary = made_at(Path::new(env!("CARGO_BIN_EXE_pytead-tui")));
    format!("{tests}-{binary}{}", python_with_pytest().display().to_string().replace('/', "-"))
}

/// Copies what a place holds, with modes and times, but for the package: that is linked into each.
fn copy(from: &Path, to: &Path) {
    const TO_THE_PACKAGE: [&str; 4] = ["", "home", "home/cache", "home/cache/pytead-tui"];
    for folder in TO_THE_PACKAGE {
        let Ok(entries) = fs::read_dir(from.join(folder)) else { return };
        fs::create_dir_all(to.join(folder)).unwrap();
        let is_on_the_way = |path: &Path| TO_THE_PACKAGE.iter().any(|folder| path == from.join(folder));
        let is_package = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python-"));
        let mut wanted: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        wanted.retain(|path| !(is_on_the_way(path) || folder == TO_THE_PACKAGE[3] && is_package(path)));
        if !wanted.is_empty() {
            assert!(Command::new("cp").arg("-a").args(wanted).arg(to.join(folder)).status().unwrap().success());
        }
    }
}
