//! pytest run with our plugin put in, and what the plugin reported: what each test did, and what differs between runs.
//!
//! Who judges is `intents/judge.rs`, in a process of the plugin's own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use similar::{ChangeTag, TextDiff};

use crate::base::error::Trouble;
use crate::domain::settings::Settings;
use crate::domain::verdict::Verdict;
use crate::python::{interpreter, package};
use crate::record::launch::{Mode, Plan, Request as Launch};

/// Prepares pytest with our plugin put in, as the project's own interpreter runs it; nothing is installed.
///
/// # Errors
/// When there is no interpreter, no pytest, or our package cannot be written.
pub fn pytest(root: &Path, settings: &Settings, words: &[String]) -> Result<Command, Trouble> {
    let interpreter = interpreter::find(root, settings.python.as_deref())?;
    if interpreter.pytest.is_none() {
        return Err(interpreter.without_pytest());
    }
    let package = package::install()?;
    let cwd = std::env::current_dir().ok().filter(|cwd| cwd.starts_with(root)).unwrap_or_else(|| root.to_owned());
    let typed: Vec<String> = ["-m", "pytest", "-p", "pytead_tui.pytest_plugin"]
        .map(str::to_owned)
        .into_iter()
        .chain(words.iter().map(|word| known(word).to_owned()))
        .collect();
    let plan = Plan::new(&Launch {
        typed: &typed,
        root,
        cwd: &cwd,
        interpreter: Some(&interpreter.path),
        chosen: settings.python.is_some(),
        package: &package,
        record: &settings.record,
        redact: &settings.redact,
        mode: Mode::Journey,
    })?;
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).current_dir(&plan.cwd);
    for (name, value) in &plan.env {
        match value {
            Some(value) if *name == "PYTHONPATH" => command.env(name, importing(&package, value)?),
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let own =
        std::env::current_exe().map_err(|error| Trouble::environment("This program does not find itself.").because(error))?;
    command.env("PYTEAD_TUI", own);
    Ok(command)
}

/// Stands in the name of a test for a secret.
const CONCEALED: &str = "[REDACTED:";

/// What tests did, as pytest's plugin reported it: by node id, line by line, without their sources.
pub type TestReports = BTreeMap<String, TestReport>;

/// What one test did, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestReport {
    /// Its intent; empty where it has none.
    pub intent: String,
    /// Line by line.
    pub journey: Vec<String>,
    /// What came of it.
    pub verdict: Option<Verdict>,
    /// What would be sent to a model, where that was asked for.
    pub outgoing: Vec<String>,
    /// It skipped itself, or failed as it is expected to.
    pub skipped: bool,
}

/// Reads what the plugin wrote of each test.
///
/// # Errors
/// When it cannot be read.
pub fn reports(path: &Path) -> Result<TestReports, Trouble> {
    #[derive(Deserialize)]
    struct Line {
        test: String,
        intent: String,
        journey: Vec<String>,
        verdict: Option<Verdict>,
        #[serde(default)]
        outgoing: Vec<String>,
        #[serde(default)]
        skipped: bool,
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Trouble::environment("What the tests did was not written.").because(format!("{error}.")))?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let without_sources = |journey: Vec<String>| journey.into_iter().take_while(|line| !line.is_empty()).collect();
    let report = |line: Line| {
        let Line { test, intent, journey, verdict, outgoing, skipped } = line;
        (test, TestReport { intent, journey: without_sources(journey), verdict, outgoing, skipped })
    };
    Ok(lines.map(report).collect())
}

/// Gives the node id by which pytest knows a test: a parametrised one whose name is shown without its secrets has another
/// name there, and is run with all of its function.
#[must_use]
pub fn known(test: &str) -> &str {
    test.split_once('[').filter(|(head, given)| head.contains("::") && given.contains(CONCEALED)).map_or(test, |(head, _)| head)
}

/// Of what tests did, keeps what was asked for, where more had to run.
pub fn only(reports: &mut TestReports, asked: &[String]) {
    let concealed = |test: &str| known(test) != test;
    if asked.iter().any(|test| concealed(test)) {
        let is_asked = |test: &str, asked: &str| if concealed(asked) { test == asked } else { test.starts_with(asked) };
        reports.retain(|test, _| asked.iter().any(|one| is_asked(test, one)));
    }
}

/// Lists the tests that did something else the second time, with the lines that differ.
#[must_use]
pub fn unstable(first: &TestReports, second: &TestReports) -> Vec<(String, Vec<String>)> {
    let nothing = TestReport::default();
    let differing = first.iter().filter_map(|(test, one)| {
        let other = second.get(test).unwrap_or(&nothing);
        let (one, other) = (one.journey.join("\n") + "\n", other.journey.join("\n") + "\n");
        let diff = TextDiff::from_lines(&one, &other);
        let changed = diff.iter_all_changes().filter_map(|change| match change.tag() {
            ChangeTag::Equal => None,
            ChangeTag::Delete => Some(format!("- {}", change.value().trim_end())),
            ChangeTag::Insert => Some(format!("+ {}", change.value().trim_end())),
        });
        let changed: Vec<String> = changed.collect();
        (!changed.is_empty()).then(|| (test.clone(), changed))
    });
    differing.collect()
}

/// Puts our package in the place of what starts the recorder of a whole program.
fn importing(package: &package::Package, search: &OsString) -> Result<OsString, Trouble> {
    let others = std::env::split_paths(search).filter(|path| *path != package.boot);
    std::env::join_paths(std::iter::once(package.folder.clone()).chain(others))
        .map_err(|error| Trouble::environment("pytest cannot be started with this folder.").because(format!("{error}.")))
}
