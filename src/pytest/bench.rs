//! A folder in which tests run that are not in the project yet, as if they were: at their own paths below it, with copies
//! of the project's pytest configuration and of the `conftest.py` files that would apply.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::paths::RelPath;

/// Files pytest takes its configuration from, best first, each with the text that makes it one.
const CONFIGS: &[(&str, &[&str])] = &[
    ("pytest.toml", &[""]),
    (".pytest.toml", &[""]),
    ("pytest.ini", &[""]),
    (".pytest.ini", &[""]),
    ("pyproject.toml", &["[tool.pytest.ini_options]", "[tool.pytest]"]),
    ("tox.ini", &["[pytest]"]),
    ("setup.cfg", &["[tool:pytest]"]),
];

/// What names of files with one draft match; no file of a project has such a name.
const DRAFTS: &str = "*__draft_*.py";

/// A folder with tests to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bench {
    /// The folder.
    pub folder: PathBuf,
    /// The configuration file in it.
    pub config: PathBuf,
}

impl Bench {
    /// Lays out test files of a project in an existing folder.
    ///
    /// # Errors
    /// When the project's configuration cannot be read or the folder cannot be written.
    pub fn lay_out<'a>(root: &Path, folder: &Path, tests: impl IntoIterator<Item = (&'a RelPath, &'a str)>) -> io::Result<Self> {
        let config = configure(root, folder)?;
        let mut above = BTreeSet::new();
        for (path, text) in tests {
            let target = path.under(folder);
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(target, text)?;
            copy_conftests(root, folder, path)?;
            above.extend(path.parent().and_then(|folder| folder.parent()));
        }
        // A `conftest.py` reads files beside it and imports modules, and a test may name any file of the project.
        while let Some(below) = above.pop_last() {
            let source = root.join(below.as_str());
            if source.is_dir() {
                link(root, &source, &folder.join(below.as_str()))?;
            }
            above.extend(below.parent());
        }
        link(root, root, folder)?;
        Ok(Self { folder: folder.to_owned(), config })
    }

    /// Gives a draft a file of its own beside its target, so that drafts of one module do not meet.
    #[must_use]
    pub fn file_of(target: &RelPath, at: usize) -> RelPath {
        let path = target.as_str();
        let stem = path.strip_suffix(".py").unwrap_or(path);
        RelPath::new(format!("{stem}__draft_{at}.py")).unwrap_or_else(|| target.clone())
    }

    /// Gives the arguments that have pytest collect tests: the folders of all drafts in place of their files, for pytest
    /// goes through the whole folder of each file that it is given.
    pub(super) fn collected(&self, tests: &[String]) -> Vec<OsString> {
        let folders: BTreeSet<&Path> = tests.iter().filter_map(|test| Path::new(test).parent()).collect();
        // The top of the bench leads to all of the project.
        let are_apart = folders
            .iter()
            .all(|folder| *folder != Path::new("") && folders.iter().all(|other| folder == other || !other.starts_with(folder)));
        if tests.len() > 1 && are_apart && tests.iter().all(|test| test.contains("__draft_") && test.ends_with(".py")) {
            let option = ["-o".into(), format!("python_files={DRAFTS}").into()];
            return option.into_iter().chain(folders.into_iter().map(|folder| self.folder.join(folder).into())).collect();
        }
        tests.iter().map(|test| self.folder.join(test).into()).collect()
    }
}

/// Links what lies in a folder of the project into the one that stands for it, so that `pythonpath` settings and a `conftest.py`
/// there find it as they do in the project. Links out of the project stay out.
fn link(root: &Path, source: &Path, folder: &Path) -> io::Result<()> {
    let real_root = root.canonicalize()?;
    for entry in source.read_dir()?.flatten() {
        let target = folder.join(entry.file_name());
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        let inside = entry.path().canonicalize().is_ok_and(|real| real.starts_with(&real_root));
        if !hidden && inside && target.symlink_metadata().is_err() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Finds the file that pytest takes its configuration from: its name and text.
fn configuration(root: &Path) -> io::Result<Option<(&'static str, String)>> {
    for (name, marks) in CONFIGS {
        let Some(source) = inside(root, Path::new(name)) else { continue };
        let text = std::fs::read_to_string(source)?;
        if marks.iter().any(|mark| text.contains(mark)) {
            return Ok(Some((name, text)));
        }
    }
    Ok(None)
}

/// Gives one of the project's settings for pytest and its plugins, where it stands on a line of its own.
#[must_use]
pub fn setting(root: &Path, name: &str) -> Option<String> {
    let (_, text) = configuration(root).ok()??;
    let value = text.lines().find_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix('='))?;
    Some(value.split(['#', ';']).next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned())
}

fn configure(root: &Path, folder: &Path) -> io::Result<PathBuf> {
    if let Some((name, text)) = configuration(root)? {
        let config = folder.join(name);
        std::fs::write(&config, text)?;
        return Ok(config);
    }
    // Without a file of its own, pytest would look for one in the folders above.
    let config = folder.join("pytest.ini");
    std::fs::write(&config, "[pytest]\n")?;
    Ok(config)
}

fn copy_conftests(root: &Path, folder: &Path, test: &RelPath) -> io::Result<()> {
    let mut below = PathBuf::new();
    for part in test.parts() {
        let target = folder.join(&below).join("conftest.py");
        if let Some(source) = inside(root, &below.join("conftest.py")).filter(|_| !target.exists()) {
            std::fs::copy(source, target)?;
        }
        below.push(part);
    }
    Ok(())
}

/// Finds a file of the project. One that is a link out of the project is none: a copy of it would bring the user's own
/// files into reach of the tests.
fn inside(root: &Path, path: &Path) -> Option<PathBuf> {
    let real = root.join(path).canonicalize().ok()?;
    (real.starts_with(root.canonicalize().ok()?) && real.is_file()).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(files: &[(&str, &str)]) -> (tempfile::TempDir, Bench) {
        let project = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = project.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = RelPath::new("tests/pytead/test_x.py").unwrap();
        let bench = Bench::lay_out(project.path(), folder.path(), [(&path, "def test_x(): pass\n")]).unwrap();
        (folder, bench)
    }

    #[test]
    fn a_test_gets_the_conftests_above_it_and_no_others() {
        let (folder, bench) = lay_out(&[
            ("conftest.py", "a = 1"),
            ("tests/conftest.py", "b = 1"),
            ("other/conftest.py", "c = 1"),
            ("pyproject.toml", "[project]\nname = 'x'\n[tool.pytest.ini_options]\nxfail_strict = true\n"),
        ]);
        let there = |path: &str| folder.path().join(path).is_file();
        assert!(there("conftest.py") && there("tests/conftest.py") && there("tests/pytead/test_x.py"));
        assert!(!there("other/conftest.py"));
        assert_eq!(bench.config, folder.path().join("pyproject.toml"));
    }

    #[cfg(unix)]
    #[test]
    fn a_test_finds_the_files_of_the_project_around_it() {
        let is_there = |folder: &tempfile::TempDir, path: &str| folder.path().join(path).symlink_metadata().is_ok();
        let (folder, _) =
            lay_out(&[("tests/conftest.py", "b = 1"), ("tests/data.sql", "SELECT 1"), ("tests/pytead/test_old.py", "")]);
        assert!(is_there(&folder, "tests/data.sql"));
        assert!(!is_there(&folder, "tests/pytead/test_old.py"), "accepted tests are not among the drafts");
        let (folder, _) = lay_out(&[("tests/data.sql", "SELECT 1"), ("tests/pytead/old.txt", "")]);
        assert!(is_there(&folder, "tests/data.sql"), "also without a conftest");
        assert!(!is_there(&folder, "tests/pytead/old.txt"));
    }

    #[test]
    fn a_project_without_configuration_gets_an_empty_one() {
        let (folder, bench) = lay_out(&[("pyproject.toml", "[project]\nname = 'x'\n"), ("setup.cfg", "[metadata]\n")]);
        assert_eq!(bench.config, folder.path().join("pytest.ini"));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_project_are_not_followed() {
        let outside = tempfile::NamedTempFile::new().unwrap();
        let project = tempfile::tempdir().unwrap();
        for name in ["conftest.py", "pytest.ini"] {
            std::os::unix::fs::symlink(outside.path(), project.path().join(name)).unwrap();
        }
        std::fs::write(outside.path(), "secret").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = RelPath::new("test_x.py").unwrap();
        Bench::lay_out(project.path(), folder.path(), [(&path, "")]).unwrap();
        assert!(!folder.path().join("conftest.py").exists());
        assert_eq!(std::fs::read_to_string(folder.path().join("pytest.ini")).unwrap(), "[pytest]\n");
    }

    #[test]
    fn drafts_are_collected_by_their_folders_and_all_else_by_name() {
        let (_folder, bench) = lay_out(&[]);
        let of = |tests: &[&str]| {
            let tests: Vec<String> = tests.iter().map(|test| (*test).to_owned()).collect();
            let below = |arg: OsString| arg.to_string_lossy().replace(&format!("{}/", bench.folder.display()), "");
            bench.collected(&tests).into_iter().map(below).collect::<Vec<_>>()
        };
        let file = |target: &str, at| Bench::file_of(&RelPath::new(target).unwrap(), at).to_string();
        let (one, two) = (file("tests/pytead/test_x.py", 0), file("tests/pytead/test_y.py", 1));
        assert_eq!(of(&[&one, &two]), ["-o", "python_files=*__draft_*.py", "tests/pytead"]);
        assert_eq!(of(&[&one, &file("other/test_x.py", 2)])[2..], ["other", "tests/pytead"]);
        let (single, deep, top) = (format!("{one}::test_a"), file("tests/pytead/deep/test_x.py", 2), file("test_x.py", 2));
        for tests in [vec![&one], vec![&one, &single], vec![&one, &deep], vec![&one, &top]] {
            let tests: Vec<&str> = tests.into_iter().map(String::as_str).collect();
            assert_eq!(of(&tests), tests);
        }
    }
}
