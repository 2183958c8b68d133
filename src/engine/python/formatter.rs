//! The project's own formatter, run over drafts before they are proved (R23): ruff or black, where the project's files
//! say that it is used and the project's Python has it. Drafts are laid out as most people write already, so that
//! nothing depends on it; where it does not run, they stay as they are.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::error::Trouble;
use crate::base::paths::read_regular;
use crate::base::scratch::Scratch;
use crate::contain::{self, Confinement};
use crate::domain::event::Level;
use crate::domain::proposal::Draft;
use crate::engine::python::environment::Environment;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::trim::test_names;

/// How long a formatter may take for all drafts.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// Larger settings files are not read.
const SETTINGS_MAX: u64 = 1 << 20;
/// Longer drafts are left as they are.
const TEXT_MAX: u64 = 4 << 20;

/// A formatter, and the file with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Formatter {
    Ruff(&'static str),
    Black,
}

impl Formatter {
    fn name(self) -> &'static str {
        match self {
            Self::Ruff(_) => "ruff",
            Self::Black => "black",
        }
    }

    fn arguments(self, root: &Path, folder: &Path) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        let words: &[&str] = match self {
            Self::Ruff(_) => &["-m", "ruff", "format", "--quiet", "--no-cache"],
            Self::Black => &["-m", "black", "--quiet"],
        };
        let settings = match self {
            Self::Ruff(file) => file,
            Self::Black => "pyproject.toml",
        };
        let mut arguments: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if root.join(settings).is_file() {
            arguments.extend(["--config".to_owned(), path(&root.join(settings))]);
        }
        arguments.push(path(folder));
        arguments
    }
}

/// Finds the formatter that the project's files name.
fn formatter(root: &Path) -> Option<Formatter> {
    let read = |name: &str| {
        let path = root.join(name);
        let meta = std::fs::symlink_metadata(&path).ok()?;
        (meta.is_file() && meta.len() <= SETTINGS_MAX).then(|| std::fs::read_to_string(path).ok())?
    };
    let holds = |text: &Option<String>, starts: &[&str]| {
        let lines = text.iter().flat_map(|text| text.lines());
        lines.map(str::trim).any(|line| starts.iter().any(|start| line.starts_with(start)))
    };
    for name in ["ruff.toml", ".ruff.toml"] {
        if holds(&read(name), &["[format]"]) {
            return Some(Formatter::Ruff(name));
        }
    }
    let project = read("pyproject.toml");
    if holds(&project, &["[tool.ruff.format]"]) {
        return Some(Formatter::Ruff("pyproject.toml"));
    }
    if holds(&project, &["[tool.black]"]) {
        return Some(Formatter::Black);
    }
    let hooks = read(".pre-commit-config.yaml");
    if holds(&hooks, &["- id: ruff-format"]) {
        return Some(Formatter::Ruff(if root.join("ruff.toml").is_file() { "ruff.toml" } else { "pyproject.toml" }));
    }
    holds(&hooks, &["- id: black"]).then_some(Formatter::Black)
}

/// Formats drafts as the project does.
pub async fn format(core: &Arc<Core>, environment: &Arc<Environment>, drafts: Vec<&mut Draft>) -> Result<(), Trouble> {
    let Some(formatter) = formatter(&core.root).filter(|_| !drafts.is_empty()) else { return Ok(()) };
    let (root, environment) = (core.root.clone(), environment.clone());
    let texts: Vec<String> = drafts.iter().map(|draft| draft.text.clone()).collect();
    match blocking(move || run(formatter, &root, &environment, &texts)).await? {
        Ok(formatted) => {
            for (draft, text) in drafts.into_iter().zip(formatted) {
                // What does not come back as the same tests is not what was written.
                if text.as_deref().is_some_and(|text| test_names(text) == draft.tests) {
                    draft.text = text.unwrap_or_default();
                }
            }
        }
        Err(trouble) => core.say(Level::Info, "draft", trouble.to_string()),
    }
    Ok(())
}

/// Gives the texts as they are after formatting.
fn run(formatter: Formatter, root: &Path, environment: &Environment, texts: &[String]) -> Result<Vec<Option<String>>, Trouble> {
    let scratch = Scratch::new()?;
    let fail = |error: std::io::Error| {
        Trouble::environment(format!("Drafts are not formatted: {} could not be run.", formatter.name())).because(error)
    };
    let folder = scratch.path().join("drafts");
    std::fs::create_dir(&folder).map_err(fail)?;
    let file = |number: usize| folder.join(format!("draft_{number}.py"));
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(file(number), text).map_err(fail)?;
    }
    let mut confinement = Confinement::new(root, scratch.path());
    confinement.read_only.clone_from(&environment.interpreter.prefixes);
    let arguments = formatter.arguments(root, &folder);
    let mut child = contain::command(environment.level, &confinement, &environment.interpreter.path, &arguments)?
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(fail)?;
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().map_err(fail)? {
            Some(status) => break Some(status),
            None if Instant::now() > until => {
                contain::stop(child.id());
                child.wait().map_err(fail)?;
                break None;
            }
            None => std::thread::sleep(LOOK),
        }
    };
    if !status.is_some_and(|status| status.success()) {
        let name = formatter.name();
        let why = format!("{} -m {name} does not run here.", environment.interpreter.path.display());
        return Err(Trouble::environment(format!("Drafts are not formatted by {name}, as the project is.")).because(why));
    }
    Ok((0..texts.len()).map(|number| text_of(&file(number))).collect())
}

/// Reads what a formatter left in a file's place.
fn text_of(path: &Path) -> Option<String> {
    String::from_utf8(read_regular(path, TEXT_MAX).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formatter_is_used_where_the_projects_files_name_it() {
        let of = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            for (name, text) in files {
                std::fs::write(folder.path().join(name), text).unwrap();
            }
            formatter(folder.path())
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("pyproject.toml", "[project]\nname = \"black\"\n[tool.ruff]\nline-length = 100\n")]), None);
        assert_eq!(of(&[("pyproject.toml", "[tool.ruff.format]\n")]), Some(Formatter::Ruff("pyproject.toml")));
        assert_eq!(of(&[("pyproject.toml", "[tool.black]\n")]), Some(Formatter::Black));
        assert_eq!(of(&[("ruff.toml", "line-length = 79\n[format]\n")]), Some(Formatter::Ruff("ruff.toml")));
        let hooks = "repos:\n- hooks:\n  - id: ruff-format\n";
        assert_eq!(of(&[(".pre-commit-config.yaml", hooks)]), Some(Formatter::Ruff("pyproject.toml")));
    }
}
