//! Runs of tests in forks of a warm Python: what is asked for, and what came of each run, as reports like any others.
//!
//! Whose Python that is, and how it is contained, is the caller's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::base::error::Trouble;
use crate::base::text::display_line;
use crate::pytest::bench::Bench;
use crate::pytest::report::{Line, Report, TestResult, gather, uncollectable};
use crate::pytest::runner::{End, Output, arguments};
use crate::python::protocol::{Prove, ProveRun};
use crate::python::zygote::{ProveLine, Worker};

/// Lines taken of one request; what is said beyond is not heard.
const LINES_MAX: usize = 1 << 18;

/// Tests to collect once and to run in several ways.
#[derive(Debug, Clone)]
pub struct Session<'a> {
    /// The project's root, absolute.
    pub root: &'a Path,
    /// The folders its modules are imported from, absolute.
    pub paths: &'a [PathBuf],
    /// Put these on the path.
    pub on_path: bool,
    /// Where the tests lie.
    pub bench: &'a Bench,
    /// Files below the bench.
    pub tests: &'a [String],
    /// Variables set before the project is imported.
    pub env: BTreeMap<String, String>,
    /// The working folder of the tests, once they are imported; the root when absent.
    pub cwd: Option<&'a Path>,
    /// As if on another machine.
    pub other_machine: bool,
    /// Leave assertions as they are: quicker to collect, and their failures say less.
    pub plain: bool,
    /// The ways.
    pub runs: Vec<ProveRun>,
    /// How long one run may take.
    pub limit: Duration,
}

/// What a test left behind for those after it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Trace {
    /// What is another now, for people: `shop.i18n._current`, `the working folder`.
    pub what: String,
    /// What kind of thing that is.
    pub kind: TraceKind,
    /// The module of a setting.
    pub module: Option<String>,
    /// The variable of a setting.
    pub name: Option<String>,
    /// The logger whose level it is; empty for the root.
    pub logger: Option<String>,
    /// What a setting was before, as a Python literal.
    pub old: Option<String>,
}

/// Kinds of what a test may leave behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// A part of the process: the working folder, a variable of the environment, a logger.
    Process,
    /// What runs when the process ends.
    Exit,
    /// The variable of a module, which holds another value.
    Setting,
    /// What a variable of a module holds, which has another content.
    Content,
    /// What this version does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// What was seen of one test when it ran alone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// What it left behind.
    pub left: Vec<Trace>,
    /// Which line followed which in the function it is about.
    pub steps: Vec<(u32, u32)>,
    /// Variables of the environment that the project's code asked for and that are not set here.
    pub asked: Vec<String>,
}

/// A fault that was put into a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What it is: `< → >=`.
    pub label: String,
    /// Its line in the file.
    pub line: u32,
    /// Its number among the faults of its function.
    pub number: u32,
}

/// What a session came to.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    /// pytest's version.
    pub pytest: Option<String>,
    /// The ids of the tests that were collected.
    pub collected: Vec<String>,
    /// Plugins of pytest that could not start in the sandbox, and why.
    pub without: Vec<(String, String)>,
    /// Files that could not be collected.
    pub uncollected: Vec<TestResult>,
    /// What each process of each run reported.
    pub reports: BTreeMap<(u64, u64), Report>,
    /// What was seen of single tests, by id.
    pub looks: BTreeMap<String, Look>,
    /// The faults, by run and process.
    pub faults: BTreeMap<(u64, u64), Fault>,
    /// Runs for which there was no fault, and why.
    pub faultless: BTreeMap<u64, String>,
    /// Why this has to run in a process of its own, when it does.
    pub cold: Option<String>,
}

/// Runs a session.
///
/// # Errors
/// When the Python died or said nothing for too long.
pub async fn run(worker: &Worker, session: &Session<'_>) -> Result<Heard, Trouble> {
    let text = |path: &Path| {
        path.to_str().map(ToOwned::to_owned).ok_or_else(|| Trouble::environment("The project's path is not UTF-8."))
    };
    let mut args = vec!["--capture=sys".to_owned()];
    if session.plain {
        args.push("--assert=plain".to_owned());
    }
    for arg in arguments(session.bench, session.tests) {
        args.push(arg.into_string().map_err(|_| Trouble::environment("The project's path is not UTF-8."))?);
    }
    let what = Prove {
        root: text(session.root)?,
        paths: session.paths.iter().map(|path| text(path)).collect::<Result<_, _>>()?,
        on_path: session.on_path,
        bench: text(&session.bench.folder)?,
        args,
        env: session.env.clone(),
        cwd: session.cwd.map(text).transpose()?,
        other_machine: session.other_machine,
        runs: session.runs.clone(),
        limit_ms: millis(session.limit),
    };
    let mut running = worker.prove(&what).await?;
    let mut listener = Listener::default();
    while let Some(lines) = running.next().await {
        for ProveLine(run, turn, line) in lines? {
            listener.hear(run.zip(turn), run, line);
        }
    }
    Ok(listener.end(session))
}

/// Gives a time in whole milliseconds.
#[must_use]
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What only warm runs say.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Said {
    changed: Vec<Trace>,
    steps: Vec<(u32, u32)>,
    asked: Vec<String>,
    label: String,
    place: u32,
    why: String,
    how: String,
    without: Vec<(String, String)>,
}

#[derive(Default)]
struct Listener {
    heard: Heard,
    lines: BTreeMap<(u64, u64), Vec<Line>>,
    ends: BTreeMap<(u64, u64), End>,
    count: usize,
}

impl Listener {
    fn hear(&mut self, place: Option<(u64, u64)>, run: Option<u64>, line: serde_json::Value) {
        self.count += 1;
        let (Ok(said), Ok(line)) = (serde_json::from_value::<Said>(line.clone()), serde_json::from_value::<Line>(line)) else {
            return tracing::debug!("a line of a test run was passed over");
        };
        if self.count > LINES_MAX {
            return;
        }
        match (line.kind.as_str(), place, run) {
            ("collected", None, _) => {
                let shown = |(name, why): &(String, String)| (display_line(name).into_owned(), display_line(why).into_owned());
                self.heard.without = said.without.iter().map(shown).collect();
                let all = gather([line], &Output { end: End::Exited(0), text: String::new() }, Duration::ZERO);
                self.heard.pytest = all.pytest;
                self.heard.collected = all.results.into_iter().map(|result| result.nodeid).collect();
            }
            ("uncollected", ..) => self.heard.uncollected.push(uncollectable(&line)),
            ("cold", ..) => self.heard.cold = Some(display_line(&said.why).into_owned()),
            ("faultless", _, Some(run)) => {
                self.heard.faultless.insert(run, display_line(&said.why).into_owned());
            }
            ("fault", Some(place), _) => {
                let label = display_line(&said.label).into_owned();
                let number = u32::try_from(place.1).unwrap_or(u32::MAX);
                self.heard.faults.insert(place, Fault { label, line: said.place, number });
            }
            ("left", Some(_), _) => {
                let shown = |text: String| display_line(&text).into_owned();
                let left = said.changed.into_iter().map(|trace| Trace { what: shown(trace.what), ..trace });
                let look = Look { left: left.collect(), steps: said.steps, asked: said.asked };
                self.heard.looks.insert(display_line(&line.nodeid).into_owned(), look);
            }
            ("over", Some(place), _) => {
                self.ends.insert(place, end_of(&said.how));
            }
            (_, Some(place), _) => self.lines.entry(place).or_default().push(line),
            _ => {}
        }
    }

    fn end(self, session: &Session<'_>) -> Heard {
        let mut heard = self.heard;
        for (place, lines) in self.lines {
            let limit = session.runs.iter().find(|run| run.key == place.0).map_or(0, |run| run.limit_ms);
            let end = self.ends.get(&place).cloned().unwrap_or(End::Exited(-1));
            let output = Output { end, text: String::new() };
            heard.reports.insert(place, gather(lines, &output, Duration::from_millis(limit)));
        }
        heard
    }
}

/// Reads how the process of a run ended, as the worker writes it: `time`, `signal 9`, `exit 3`, or nothing for a good end.
fn end_of(how: &str) -> End {
    match how.split_once(' ') {
        None if how == "time" => End::TimedOut,
        Some(("signal", _)) => End::Killed(how.to_owned()),
        Some(("exit", code)) => End::Exited(code.parse().unwrap_or(0)),
        _ => End::Exited(0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pytest::report::Outcome;

    fn session<'a>(bench: &'a Bench) -> Session<'a> {
        Session {
            root: Path::new("/p"),
            paths: &[],
            on_path: false,
            bench,
            tests: &[],
            env: BTreeMap::new(),
            cwd: None,
            other_machine: false,
            plain: false,
            runs: vec![ProveRun { key: 1, limit_ms: 2000, ..ProveRun::default() }],
            limit: Duration::from_secs(2),
        }
    }

    #[test]
    fn a_run_that_was_not_told_to_be_over_has_not_passed() {
        let bench = Bench { folder: "/b".into(), config: "/b/pytest.ini".into() };
        let mut listener = Listener::default();
        for (turn, how) in [(0, Some("time")), (1, Some("signal 9")), (2, None)] {
            let place = Some((1, turn));
            listener.hear(place, Some(1), json!({"kind": "collected", "tests": ["t.py::a"]}));
            listener.hear(place, Some(1), json!({"kind": "begun", "nodeid": "t.py::a"}));
            if let Some(how) = how {
                listener.hear(place, Some(1), json!({"kind": "over", "how": how}));
            }
        }
        let heard = listener.end(&session(&bench));
        let messages: Vec<_> = heard.reports.values().map(|report| report.results[0].message.as_str()).collect();
        assert_eq!(messages, ["no end in 2 s", "the process died by signal 9", "the process ended with code -1"]);
        assert!(heard.reports.values().all(|report| report.results[0].outcome == Outcome::Error));
    }

    #[test]
    fn what_a_test_says_of_itself_is_made_safe_to_show() {
        let bench = Bench { folder: "/b".into(), config: "/b/pytest.ini".into() };
        let mut listener = Listener::default();
        let left = json!({"kind": "left", "nodeid": "t.py::a", "changed": [{"what": "m.\u{1b}[31m", "kind": "setting"}]});
        listener.hear(Some((1, 0)), Some(1), left);
        let heard = listener.end(&session(&bench));
        assert_eq!(heard.looks["t.py::a"].left[0].what, "m.\\x1b[31m");
    }
}
