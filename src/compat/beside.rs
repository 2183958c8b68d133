//! What of the predecessors is still there, in the project's Python, on the PATH and in the project: who wins, and how to be rid
//! of it. Nothing is run or changed; the versions of packages are given.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::base::paths;

/// A package that has a name which ours answers to where it is missing.
struct Package {
    /// Its name in the index.
    name: &'static str,
    wins: &'static str,
}

const PACKAGES: &[Package] = &[
    Package { name: "pytead", wins: "`import pytead` and the command `pytead` are its own" },
    Package {
        name: "pytest-semantic-llm",
        wins: "tests that import `semantic_test` from pytest_semantic are judged by its model at each run, those that import it \
               from pytead_tui here; of both pytest plugins, its --semantic-dry-run and --semantic-model count for the two",
    },
    Package {
        name: "pytest-semantic",
        wins: "another tool of that name: `import pytest_semantic` is its own, and has no `semantic_test`",
    },
    Package {
        name: "llm-pytest",
        wins: "its pytest plugin has the YAML tests, and `pytest --llm` is not ours; `pytead-tui spec` runs them here",
    },
];

/// Commands that ours has under the predecessor's names.
const COMMANDS: &[&str] = &["trace2test", "gentests"];
/// As much as is read of a command to see whose it is.
const COMMAND_MAX: u64 = 4 << 10;

/// What the predecessors kept in projects, what it is to us, and how it goes.
const KEPT: &[(&str, &str)] = &[
    ("call_logs", "old traces: `pytead-tui import call_logs` takes them in; then nothing here needs them: rm -r call_logs"),
    (
        ".pytest_semantic_cache.db",
        "what pytest-semantic's model said: shown beside unclear verdicts, decides nothing, and is not needed: \
         rm .pytest_semantic_cache.db",
    ),
];

/// One thing of a predecessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// The package with its version, the command, or the file.
    pub what: String,
    /// Who wins, and what to do to be rid of it.
    pub line: String,
}

/// Lists the predecessors' packages of an environment; `packages` has versions by names with underscores, `python` is how its
/// interpreter is started.
#[must_use]
pub fn packages(packages: &BTreeMap<String, String>, python: &str) -> Vec<Beside> {
    let installed = PACKAGES.iter().filter_map(|package| Some((package, packages.get(&package.name.replace('-', "_"))?)));
    installed
        .map(|(Package { name, wins }, version)| Beside {
            what: format!("{name} {version}"),
            line: format!("{wins}. Without it, ours takes that name: {python} -m pip uninstall {name}"),
        })
        .collect()
}

/// Lists the commands of old names that are found first and are not ours.
#[must_use]
pub fn commands(search: Option<&OsString>, root: &Path) -> Vec<Beside> {
    let first = |name: &'static str| Some((name, paths::find_program(name, search.cloned(), root)?));
    let theirs = COMMANDS.iter().filter_map(|name| first(name)).filter(|(_, path)| !is_ours(path));
    theirs
        .map(|(name, path)| Beside {
            what: name.to_owned(),
            line: format!("is {}, which is not ours; `pytead-tui {name}` is", paths::tilde(&path)),
        })
        .collect()
}

/// Lists what they left in a project.
#[must_use]
pub fn kept(root: &Path) -> Vec<Beside> {
    let there = KEPT.iter().filter(|(name, _)| root.join(name).symlink_metadata().is_ok());
    there.map(|(name, line)| Beside { what: (*name).to_owned(), line: (*line).to_owned() }).collect()
}

/// Finds the first import of pytead's in a file that is no test, for where its package is not installed: Python knows the name under our
/// verb `run` and in pytest alone.
#[must_use]
pub fn import(path: &str, text: &str) -> Option<Beside> {
    let is_import = |line: &&str| {
        let mut words = line.split([' ', '.', ',']).filter(|word| !word.is_empty());
        matches!(words.next(), Some("from" | "import")) && words.next() == Some("pytead")
    };
    let (at, line) = text.lines().enumerate().find(|(_, line)| is_import(line))?;
    let instead = line.trim().replacen("pytead", "pytead_tui", 1);
    Some(Beside {
        what: format!("{path}:{}", at + 1),
        line: format!(
            "`{}` works under `pytead-tui run` alone. In a program that you start yourself, write: {instead}",
            line.trim()
        ),
    })
}

fn is_ours(command: &PathBuf) -> bool {
    if command.canonicalize().is_ok_and(|real| real.file_name().is_some_and(|name| name == "pytead-tui")) {
        return true;
    }
    let mut head = Vec::new();
    let read = std::fs::File::open(command).and_then(|file| file.take(COMMAND_MAX).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains("pytead_tui")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_predecessors_package_is_named_with_what_wins_and_how_it_goes() {
        let installed = [("pytest_semantic_llm", "0.1.11"), ("pytest", "9.2.0"), ("pytead_tui", "0.1.0")];
        let installed = installed.map(|(name, version)| (name.to_owned(), version.to_owned())).into();
        let found = packages(&installed, "/v/bin/python");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].what, "pytest-semantic-llm 0.1.11");
        assert!(found[0].line.contains("from pytest_semantic are judged by its model"), "{found:?}");
        assert!(found[0].line.ends_with(": /v/bin/python -m pip uninstall pytest-semantic-llm"), "{found:?}");
    }

    #[test]
    fn an_import_of_the_old_name_is_named_with_what_to_write() {
        let found = import("app.py", "import os\n\nfrom pytead import trace\n").unwrap();
        assert_eq!(found.what, "app.py:3");
        assert!(found.line.ends_with("write: from pytead_tui import trace"), "{found:?}");
        for text in [
            "from pytead_tui import trace\n",
            "import pyteadx, pytead\n",
            "# import pytead\n",
            "x = 'from pytead import trace'\n",
        ] {
            assert_eq!(import("app.py", text), None, "{text}");
        }
    }

    #[test]
    fn a_command_of_an_old_name_is_ours_or_named() {
        let place = tempfile::tempdir().unwrap();
        let program = |name: &str, text: &str| {
            let path = place.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        program("trace2test", "#!python\nfrom pytead_tui.binary import become\n");
        program("gentests", "#!python\nfrom pytead.cli import main\n");
        let search = place.path().as_os_str().to_owned();
        let found = commands(Some(&search), place.path());
        assert_eq!(found.iter().map(|beside| beside.what.as_str()).collect::<Vec<_>>(), ["gentests"]);
        assert!(found[0].line.ends_with("gentests, which is not ours; `pytead-tui gentests` is"), "{found:?}");
    }
}
