//! What tests of several modules share: the Pythons of this machine.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Finds every CPython from 3.10 on that this machine has; there is always at least one.
pub(crate) fn interpreters() -> Vec<PathBuf> {
    let mut found = Vec::new();
    if let Some(home) = std::env::var_os("HOME")
        && let Ok(versions) = std::fs::read_dir(PathBuf::from(home).join(".pyenv/versions"))
    {
        found.extend(versions.flatten().map(|entry| entry.path().join("bin/python3")));
    }
    found.extend((10..=14).map(|minor| PathBuf::from(format!("python3.{minor}"))));
    found.push("python3".into());
    let test = "import sys; sys.exit(not ((3, 10) <= sys.version_info[:2] and sys.implementation.name == 'cpython'))";
    found.retain(|python| {
        Command::new(python).args(["-c", test]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    });
    assert!(!found.is_empty(), "these tests need a Python from 3.10 on");
    found
}
