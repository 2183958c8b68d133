//! What a run of pytest found, from the lines our plugin wrote and the way the process ended.
//!
//! The lines are written in the process of the tests, so they are believed no more than the tests are: damaged ones are
//! passed over, and all text is made safe to show.

use std::collections::HashMap;
use std::time::Duration;

use serde::Deserialize;

use crate::base::text::display;
use crate::pytest::runner::{End, Output};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed by itself.
    Failed,
    /// It was skipped, or failed as it was expected to.
    Skipped,
    /// It could not be run: not collected, a fixture broke, the process died.
    Error,
}

/// How one test went.
#[derive(Debug, Clone, PartialEq)]
pub struct TestResult {
    /// pytest's id: `tests/test_x.py::test_y[1]`.
    pub nodeid: String,
    /// The name in the file, with its class and without parameters: `TestX::test_y`; empty for a file as a whole.
    pub name: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The line in the test's file where it ended, when it did not pass.
    pub line: Option<u32>,
    /// Why, in one line; empty when it passed.
    pub message: String,
    /// The lines pytest shows of the failure, without its `E`.
    pub lines: Vec<String>,
    /// What kept it from its own end.
    pub interrupted: Option<Interrupted>,
    /// What it did outside of its process, or warned of.
    pub reached: Vec<Reach>,
    /// How long setup, call and teardown took together.
    pub took: Duration,
}

impl TestResult {
    /// Gives the name of the function or class of the file that this test is, or is in.
    #[must_use]
    pub fn top(&self) -> &str {
        self.name.split("::").next().unwrap_or_default()
    }
}

/// Something that a test did outside of its process, or a warning that it did not expect, and what exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It changed a file outside of its own temporary folder.
    File(String),
    /// It left a file in the temporary folder of the machine.
    Temporary(String),
    /// It warned.
    Warning(String),
    /// It left its process: the network, another process, or a kind that this version does not know.
    Outside(String),
}

impl Reach {
    /// Reads one as our plugin writes it: a kind and a detail.
    fn from_line((kind, detail): &(String, String)) -> Self {
        let detail = display(detail).into_owned();
        match kind.as_str() {
            "file" => Self::File(detail),
            "temporary" => Self::Temporary(detail),
            "warning" => Self::Warning(detail),
            _ => Self::Outside(detail),
        }
    }
}

/// That a test did not come to its own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted {
    /// By what.
    pub by: Interruption,
    /// It had begun: else another test of the run was interrupted, and this one was not run.
    pub begun: bool,
}

impl Interrupted {
    /// Tells whether a test was not run, because another one was interrupted.
    #[must_use]
    pub fn before_it_began(interrupted: Option<Self>) -> bool {
        interrupted.is_some_and(|interrupted| !interrupted.begun)
    }
}

/// What may interrupt a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interruption {
    /// pytest ended it in good order.
    Stopped,
    /// It had had its time.
    TimedOut,
    /// The process ended.
    Died,
}

/// What a run found.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// pytest's version, when it came as far as collecting.
    pub pytest: Option<String>,
    /// One result for each test that was collected, in the order they ran, and one for each file that could not be.
    pub results: Vec<TestResult>,
    /// Why the run as a whole is worth nothing, when it is.
    pub problem: Option<String>,
}

impl Report {
    /// Tells whether tests ran and all of them passed.
    #[must_use]
    pub fn all_passed(&self) -> bool {
        self.problem.is_none() && !self.results.is_empty() && self.results.iter().all(|r| r.outcome == Outcome::Passed)
    }
}

/// A line of any kind: what a kind does not have is absent.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default)]
pub(super) struct Line {
    pub(super) kind: String,
    pub(super) nodeid: String,
    pytest: Option<String>,
    tests: Vec<String>,
    when: String,
    outcome: String,
    seconds: f64,
    expected: Option<String>,
    line: Option<u32>,
    test_line: Option<u32>,
    message: String,
    lines: Vec<String>,
    reached: Vec<(String, String)>,
}

struct Test {
    result: TestResult,
    begun: bool,
    done: bool,
}

/// Tells whether pytest's message is that of a claim that did not hold: an assertion, or an exception that was expected.
#[must_use]
pub fn is_assertion(message: &str) -> bool {
    message.contains("assert") || message.contains("DID NOT RAISE")
}

/// Finds the message of such a claim in the lines of a failure, which pytest marks with `E`.
#[must_use]
pub fn assertion(lines: &[String]) -> Option<&str> {
    let messages = lines.iter().filter_map(|line| line.trim_start().strip_prefix('E'));
    messages.map(str::trim).find(|message| is_assertion(message))
}

/// Puts the lines of a report and the end of the process together.
#[must_use]
pub fn read(lines: &str, output: &Output, limit: Duration) -> Report {
    let lines = lines.lines().filter_map(|line| match serde_json::from_str(line) {
        Ok(line) => Some(line),
        Err(error) => {
            tracing::debug!(%error, "a line of a pytest report was passed over");
            None
        }
    });
    gather(lines, output, limit)
}

/// Puts lines and the end of the process that said them together.
pub(super) fn gather(lines: impl IntoIterator<Item = Line>, output: &Output, limit: Duration) -> Report {
    let mut tests: Vec<Test> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut uncollected = Vec::new();
    let mut report = Report { pytest: None, results: Vec::new(), problem: None };
    let mut ended = false;
    for line in lines {
        let test = places.get(&line.nodeid).and_then(|place| tests.get_mut(*place));
        match (line.kind.as_str(), test) {
            ("collected", _) => {
                report.pytest = line.pytest.map(|version| display(&version).into_owned());
                for nodeid in line.tests {
                    tests.push(Test { result: result(&nodeid), begun: false, done: false });
                    places.insert(nodeid, tests.len() - 1);
                }
            }
            ("uncollected", _) => {
                uncollected.push(uncollectable(&line));
            }
            ("begun", Some(test)) => test.begun = true,
            ("phase", Some(test)) => {
                test.done |= line.when == "teardown";
                test.result.took += Duration::try_from_secs_f64(line.seconds).unwrap_or_default();
                reached(&mut test.result, &line);
                phase(&mut test.result, line);
            }
            ("reached", Some(test)) => reached(&mut test.result, &line),
            ("end", _) => ended = true,
            _ => {}
        }
    }
    // `pytest.exit` in a test, or a plugin, may end a run in good order before all of it ran.
    for test in tests.iter_mut().filter(|test| ended && !test.done) {
        let message = if test.begun { "pytest was stopped in it" } else { "not run: pytest was stopped in an earlier test" };
        let place = Line { message: message.into(), ..Line::default() };
        phase(&mut test.result, Line { outcome: "failed".into(), ..place });
        test.result.interrupted = Some(Interrupted { by: Interruption::Stopped, begun: test.begun });
    }
    if let Some((by, death)) = death(output, limit, ended) {
        for test in tests.iter_mut().filter(|test| !test.done) {
            let message = if test.begun { death.clone() } else { format!("not run: {death} in an earlier test") };
            fail(&mut test.result, Outcome::Error, &Line { message, ..Line::default() });
            test.result.interrupted = Some(Interrupted { by, begun: test.begun });
        }
        if tests.is_empty() && uncollected.is_empty() {
            report.problem = Some(death);
        }
    } else if tests.is_empty() && uncollected.is_empty() {
        report.problem = Some(match last_words(output) {
            Some(words) => format!("pytest found no tests: {words}"),
            None => "pytest found no tests".into(),
        });
    }
    report.results = uncollected;
    report.results.extend(tests.into_iter().map(|test| test.result));
    report
}

/// Gives the result of a file that could not be collected.
pub(super) fn uncollectable(line: &Line) -> TestResult {
    let mut result = result(&line.nodeid);
    fail(&mut result, Outcome::Error, line);
    result
}

/// Says how a process died that did not come to the end of its tests.
fn death(output: &Output, limit: Duration, ended: bool) -> Option<(Interruption, String)> {
    match &output.end {
        _ if ended => None,
        End::TimedOut => Some((Interruption::TimedOut, format!("no end in {} s", limit.as_secs_f64()))),
        End::Killed(signal) => Some((Interruption::Died, format!("the process died by {}", display(signal)))),
        End::Exited(code) => {
            let words = last_words(output).map(|words| format!(": {words}")).unwrap_or_default();
            Some((Interruption::Died, format!("the process ended with code {code}{words}")))
        }
    }
}

fn last_words(output: &Output) -> Option<String> {
    let line = output.text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(display(line.trim()).into_owned())
}

fn result(nodeid: &str) -> TestResult {
    let nodeid = display(nodeid).into_owned();
    let name = nodeid.split_once("::").map_or("", |(_, name)| name);
    let name = name.split('[').next().unwrap_or(name).to_owned();
    TestResult {
        name,
        nodeid,
        outcome: Outcome::Passed,
        line: None,
        message: String::new(),
        lines: Vec::new(),
        interrupted: None,
        reached: Vec::new(),
        took: Duration::ZERO,
    }
}

fn reached(result: &mut TestResult, line: &Line) {
    result.reached.extend(line.reached.iter().map(Reach::from_line));
}

fn phase(result: &mut TestResult, mut line: Line) {
    let outcome = match (line.outcome.as_str(), line.when.as_str()) {
        ("passed", _) => return,
        ("skipped", _) => Outcome::Skipped,
        (_, "call") => Outcome::Failed,
        _ => Outcome::Error,
    };
    // A teardown that breaks says less than the failure before it.
    if result.outcome == Outcome::Failed {
        return;
    }
    if let Some(reason) = line.expected.take() {
        line.message = format!("fails as expected: {reason}");
    }
    fail(result, outcome, &line);
}

fn fail(result: &mut TestResult, outcome: Outcome, line: &Line) {
    result.outcome = outcome;
    result.line = line.test_line.or(line.line);
    result.message = display(line.message.lines().next().unwrap_or_default()).trim().to_owned();
    result.lines = line.lines.iter().map(|line| display(line).into_owned()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTED: &str = r#"{"kind":"collected","pytest":"8","tests":["t.py::a","t.py::b[1]","t.py::C::c"]}"#;

    fn output(end: End) -> Output {
        Output { end, text: "noise\nlast words\n\n".into() }
    }

    fn phase(nodeid: &str, when: &str, outcome: &str) -> String {
        format!(
            r#"{{"kind":"phase","nodeid":"{nodeid}","when":"{when}","outcome":"{outcome}","seconds":0.5,"message":"m\u001b"}}"#
        )
    }

    #[test]
    fn tests_without_an_end_share_the_fate_of_the_process() {
        let lines =
            [COLLECTED.to_owned(), phase("t.py::a", "teardown", "passed"), r#"{"kind":"begun","nodeid":"t.py::b[1]"}"#.into()];
        let report = read(&lines.join("\n"), &output(End::Killed("SIGSEGV".into())), Duration::from_secs(9));
        let outcomes: Vec<_> = report.results.iter().map(|r| (r.outcome, r.message.as_str())).collect();
        assert_eq!(
            outcomes,
            [
                (Outcome::Passed, ""),
                (Outcome::Error, "the process died by SIGSEGV"),
                (Outcome::Error, "not run: the process died by SIGSEGV in an earlier test"),
            ]
        );
        let interrupted: Vec<_> = report.results.iter().map(|result| result.interrupted).collect();
        let died = |begun| Some(Interrupted { by: Interruption::Died, begun });
        assert_eq!(interrupted, [None, died(true), died(false)]);
        assert_eq!(report.results[1].top(), "b");
        assert_eq!((report.results[2].name.as_str(), report.results[2].top()), ("C::c", "C"));
        assert!(!report.all_passed());
    }

    /// What a test says of itself excuses nothing.
    #[test]
    fn a_message_interrupts_no_test() {
        let failed =
            r#"{"kind":"phase","nodeid":"t.py::a","when":"call","outcome":"failed","message":"not run: the process died"}"#;
        let lines = [COLLECTED.to_owned(), failed.into(), phase("t.py::a", "teardown", "passed"), r#"{"kind":"end"}"#.into()];
        let report = read(&lines.join("\n"), &output(End::Exited(1)), Duration::from_secs(9));
        let stopped = Some(Interrupted { by: Interruption::Stopped, begun: false });
        assert_eq!(report.results[0].message, "not run: the process died");
        assert_eq!(report.results.iter().map(|result| result.interrupted).collect::<Vec<_>>(), [None, stopped, stopped]);
    }

    #[test]
    fn an_exit_in_a_test_is_no_success() {
        let report = read(COLLECTED, &output(End::Exited(0)), Duration::from_secs(9));
        assert!(report.results.iter().all(|result| result.outcome == Outcome::Error));
        let report = read("", &output(End::Exited(4)), Duration::from_secs(9));
        assert_eq!(report.problem.as_deref(), Some("the process ended with code 4: last words"));
    }

    #[test]
    fn what_did_not_run_has_not_passed() {
        let lines = [
            COLLECTED.to_owned(),
            phase("t.py::a", "teardown", "passed"),
            r#"{"kind":"begun","nodeid":"t.py::b[1]"}"#.into(),
            r#"{"kind":"end"}"#.into(),
        ];
        let report = read(&lines.join("\n"), &output(End::Exited(2)), Duration::from_secs(9));
        let outcomes: Vec<_> = report.results.iter().map(|r| (r.outcome, r.message.as_str())).collect();
        assert_eq!(
            outcomes,
            [
                (Outcome::Passed, ""),
                (Outcome::Error, "pytest was stopped in it"),
                (Outcome::Error, "not run: pytest was stopped in an earlier test"),
            ]
        );
    }

    #[test]
    fn phases_add_up_and_damaged_lines_do_not_matter() {
        let lines = [
            COLLECTED.to_owned(),
            "{not json".into(),
            phase("t.py::a", "setup", "failed"),
            phase("t.py::b[1]", "call", "failed"),
            phase("t.py::b[1]", "teardown", "failed"),
            phase("t.py::C::c", "call", "passed"),
            phase("t.py::a", "teardown", "passed"),
            phase("t.py::C::c", "teardown", "passed"),
            phase("t.py::nobody", "call", "failed"),
            r#"{"kind":"end"}"#.into(),
        ];
        let report = read(&lines.join("\n"), &output(End::Exited(1)), Duration::from_secs(9));
        let outcomes: Vec<_> = report.results.iter().map(|result| result.outcome).collect();
        assert_eq!(outcomes, [Outcome::Error, Outcome::Failed, Outcome::Passed]);
        assert_eq!(report.results[0].message, "m\\x1b", "text is made safe");
        assert_eq!(report.results[1].took, Duration::from_secs(1));
    }

    #[test]
    fn what_a_test_reached_is_read_by_its_kind() {
        let reached = r#"{"kind":"reached","nodeid":"t.py::a","reached":[["file","os.mkdir m"],["temporary","write t"],["warning","w\u001b"],["gpu","x"]]}"#;
        let report = read(&[COLLECTED, reached].join("\n"), &output(End::Exited(1)), Duration::from_secs(9));
        let expected = [
            Reach::File("os.mkdir m".into()),
            Reach::Temporary("write t".into()),
            Reach::Warning("w\\x1b".into()),
            Reach::Outside("x".into()),
        ];
        assert_eq!(report.results[0].reached, expected);
    }
}
