//! How drafts of coroutine functions await them (R7): as the project's own tests do, where its files say that a plugin of
//! pytest's does it and the project's Python runs a test of that kind; with `asyncio.run` everywhere else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::domain::proposal::{Draft, Origin, ProposalId};
use crate::engine::python::environment::Environment;
use crate::engine::python::fresh_process::{Fresh, Way};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::project::AwaitBy;
use crate::generate::prove::Manner;
use crate::generate::render;
use crate::pytest::bench;

/// Larger files are not read.
const FILE_MAX: u64 = 8 << 20;

/// Files at a project's root that name what it depends on, besides `requirements*`.
const DEPENDENCIES: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pylock.toml",
];

/// Finds what awaits coroutines in this project's tests, and tries it.
pub async fn style(core: &Arc<Core>, environment: &Arc<Environment>, cancel: &CancellationToken) -> Result<AwaitBy, Trouble> {
    let plugins = environment.plugins(core).await?;
    let root = core.root.clone();
    let index = core.index();
    let tests = index.modules().filter(|module| module.is_test()).map(|module| module.path.under(&root)).collect::<Vec<_>>();
    let by = blocking(move || named(&root, &plugins, &tests)).await?;
    if by == AwaitBy::Run || works(core, environment, by, cancel).await? { Ok(by) } else { Ok(AwaitBy::Run) }
}

/// Finds the style that the project's files name, of those that its Python has a plugin for.
fn named(root: &Path, plugins: &[String], tests: &[PathBuf]) -> AwaitBy {
    let has = |plugin: &str| plugins.iter().any(|name| name == plugin);
    let mode = bench::setting(root, "asyncio_mode");
    let texts: Vec<String> = dependency_files(root).iter().filter_map(|path| read(path)).collect();
    let depends = |package: &str| texts.iter().any(|text| names(text, package));
    if mode.is_some() || depends("pytest-asyncio") {
        return match mode.as_deref() {
            _ if !has("pytest_asyncio") => AwaitBy::Run,
            Some("auto") => AwaitBy::AsyncioAuto,
            _ => AwaitBy::Asyncio,
        };
    }
    let marked = || tests.iter().filter_map(|path| read(path)).any(|text| text.contains("pytest.mark.anyio"));
    if has("anyio") && depends("anyio") && marked() { AwaitBy::Anyio } else { AwaitBy::Run }
}

/// Runs the smallest test of a style where drafts will be, with the project's configuration around it. It is asyncio that
/// has to run it: that is what the calls were recorded in.
async fn works(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    by: AwaitBy,
    cancel: &CancellationToken,
) -> Result<bool, Trouble> {
    let Some(target) = render::target(&core.settings().output.tests, "awaits") else { return Ok(false) };
    let mark = by.mark().map(|mark| format!("{mark}\n")).unwrap_or_default();
    let text = format!("{mark}async def test_awaits():\n    await asyncio.sleep(0)\n");
    let draft = Draft {
        imports: vec!["import asyncio".into(), "import pytest".into()],
        tests: vec!["test_awaits".into()],
        ..Draft::new(Origin::Recording, target, text)
    };
    let fresh = Fresh::new(core, environment, environment.level, cancel);
    let way = Way { manner: Manner::Alone, hash_seed: 0, elsewhere: false };
    let id = ProposalId(0);
    let seen = blocking(move || fresh.prove(&[(id, draft)], &[way])).await??;
    Ok(seen.get(&id).and_then(|seen| seen.runs.first()).is_some_and(|run| run.end.passed() == Some(1)))
}

fn dependency_files(root: &Path) -> Vec<PathBuf> {
    let is_list = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("requirements") && (name.ends_with(".txt") || name.ends_with(".in"))
    };
    let listed = |folder: &Path| -> Vec<PathBuf> {
        folder.read_dir().map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
    };
    let mut files: Vec<PathBuf> = DEPENDENCIES.iter().map(|name| root.join(name)).collect();
    files.extend(listed(root).into_iter().filter(is_list));
    let in_folder = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "txt" || ext == "in");
    files.extend(listed(&root.join("requirements")).into_iter().filter(in_folder));
    files
}

fn read(path: &Path) -> Option<String> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    (meta.is_file() && meta.len() <= FILE_MAX).then(|| std::fs::read_to_string(path).ok())?
}

/// Tells whether a text names a package outside of comments, however its name is written.
fn names(text: &str, package: &str) -> bool {
    let part = |c: char| c == '-' || c.is_alphanumeric();
    text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        let line = line.to_lowercase().replace(['_', '.'], "-");
        line.match_indices(package).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + package.len()..].chars().next();
            !before.is_some_and(part) && !after.is_some_and(part)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style_of(files: &[(&str, &str)], plugins: &[&str]) -> AwaitBy {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let plugins: Vec<String> = plugins.iter().map(|name| (*name).to_owned()).collect();
        named(folder.path(), &plugins, &[folder.path().join("tests/test_x.py")])
    }

    /// R7: pytest-asyncio is used where the project names it, by its mark or, where its settings say so, without.
    #[test]
    fn the_projects_files_choose_what_awaits() {
        let both = &["anyio", "pytest_asyncio"];
        for (name, text) in [
            ("pyproject.toml", "[dependency-groups]\ntest = [\"Pytest_Asyncio>=1\"]\n"),
            ("requirements-dev.txt", "pytest==9\npytest-asyncio==1.5.0\n"),
            ("requirements/test.in", "pytest-asyncio\n"),
            ("uv.lock", "[[package]]\nname = \"pytest-asyncio\"\n"),
            ("pytest.ini", "[pytest]\nasyncio_mode = strict\n"),
        ] {
            assert_eq!(style_of(&[(name, text)], both), AwaitBy::Asyncio, "{name}");
            assert_eq!(style_of(&[(name, text)], &["anyio"]), AwaitBy::Run, "{name}: it is not installed");
        }
        for (name, text) in [
            ("pyproject.toml", "[tool.pytest.ini_options]\nasyncio_mode = \"auto\"  # all\n"),
            ("pytest.ini", "[pytest]\nasyncio_mode=auto\n"),
            ("setup.cfg", "[tool:pytest]\nasyncio_mode = auto\n"),
            ("tox.ini", "[pytest]\nasyncio_mode = auto\n"),
        ] {
            assert_eq!(style_of(&[(name, text)], both), AwaitBy::AsyncioAuto, "{name}");
        }
        // pytest reads one file only, and this is the one.
        let two = [("pytest.ini", "[pytest]\n"), ("setup.cfg", "[tool:pytest]\nasyncio_mode = auto\n")];
        assert_eq!(style_of(&two, both), AwaitBy::Run);
    }

    /// R7: no plugin is used that the project does not use itself.
    #[test]
    fn nothing_is_added_silently() {
        let both = &["anyio", "pytest_asyncio"];
        assert_eq!(style_of(&[], both), AwaitBy::Run);
        for text in ["# pytest-asyncio\n", "pytest-asyncio-cooperative\n", "my-pytest-asyncio\n"] {
            assert_eq!(style_of(&[("requirements.txt", text)], both), AwaitBy::Run, "{text}");
        }
        let needs = ("requirements.txt", "anyio==4.16.0\n");
        let marked = ("tests/test_x.py", "@pytest.mark.anyio\nasync def test_x(): ...\n");
        assert_eq!(style_of(&[needs, marked], both), AwaitBy::Anyio);
        assert_eq!(style_of(&[needs], both), AwaitBy::Run);
        assert_eq!(style_of(&[marked], both), AwaitBy::Run);
        assert_eq!(style_of(&[needs, marked], &["pytest_asyncio"]), AwaitBy::Run);
    }
}
