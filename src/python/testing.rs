//! What tests of several modules share: the Pythons of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Finds every CPython from 3.10 on that this machine has, each once; there is always at least one. A process looks once.
pub(crate) fn interpreters() -> &'static [PathBuf] {
    static FOUND: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let found = distinct(candidates());
        assert!(!found.is_empty(), "{NONE}");
        found
    });
    &FOUND
}

/// Finds one of them, and starts no other.
pub(crate) fn interpreter() -> &'static PathBuf {
    static FOUND: LazyLock<PathBuf> = LazyLock::new(|| candidates().find(|python| prefix(python).is_some()).expect(NONE));
    &FOUND
}

/// Leaves out what is no CPython from 3.10 on, and each that is another name of one before it.
pub(crate) fn distinct(pythons: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut prefixes = Vec::new();
    let mut found = Vec::new();
    for python in pythons {
        if let Some(prefix) = prefix(&python).filter(|prefix| !prefixes.contains(prefix)) {
            prefixes.push(prefix);
            found.push(python);
        }
    }
    found
}

const NONE: &str = "these tests need a Python from 3.10 on";

fn candidates() -> impl Iterator<Item = PathBuf> {
    let versions = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pyenv/versions"));
    let versions = versions.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let named = (10..=14).map(|minor| PathBuf::from(format!("python3.{minor}")));
    versions.map(|entry| entry.path().join("bin/python3")).chain(named).chain(["python3".into()])
}

/// Gives the folder of an installation or virtual environment; `None` for what is no CPython from 3.10 on.
fn prefix(python: &Path) -> Option<PathBuf> {
    let test = "import os, sys; print(os.path.realpath(sys.prefix)); \
        sys.exit(not ((3, 10) <= sys.version_info[:2] and sys.implementation.name == 'cpython'))";
    let output = Command::new(python).args(["-c", test]).stderr(Stdio::null()).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(said.trim_end()))
}
