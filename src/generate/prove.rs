//! The gate: what fresh proof runs say about a draft, as evidence, a verdict, and a shorter draft where parts of it fail.
//!
//! Runs nothing: the engine makes a [`Run`] of each of pytest's reports.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::proposal::{Draft, Evidence, Finding, LeftOut};
use crate::generate::trim;
use crate::pytest::report::{Outcome, Report};

/// Lines of a traceback kept as evidence.
const TRACE_MAX: usize = 24;

/// One fresh process that ran a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its hash seed.
    pub hash_seed: Option<u32>,
    /// What else was special about it: `reversed order`, `another time zone`.
    pub conditions: Vec<String>,
    /// How it ended.
    pub end: RunEnd,
}

/// How a proof run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// All tests were run.
    Finished(Vec<TestResult>),
    /// pytest could not collect the draft: the lines it wrote.
    NotCollected(Vec<String>),
    /// It was ended after this many seconds.
    TimedOut(u64),
    /// The run itself broke, which says nothing about the draft.
    Broke(String),
}

/// One test of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    /// The name with the row: `test_total[ten]`, `TestCart::test_total`.
    pub name: String,
    /// Whether it passed; a skipped one did not.
    pub passed: bool,
    /// Why it did not pass, in one line.
    pub message: String,
    /// What pytest wrote about a failure.
    pub lines: Vec<String>,
}

impl From<&Report> for RunEnd {
    fn from(report: &Report) -> Self {
        if let Some(problem) = &report.problem {
            return Self::Broke(problem.clone());
        }
        if let Some(file) = report.results.iter().find(|result| result.name.is_empty() && result.outcome == Outcome::Error) {
            return Self::NotCollected(std::iter::once(&file.message).chain(&file.lines).cloned().collect());
        }
        let results = report.results.iter().map(|result| TestResult {
            name: format!("{}{}", result.name, row(&result.nodeid)),
            passed: result.outcome == Outcome::Passed,
            message: result.message.clone(),
            lines: result.lines.clone(),
        });
        Self::Finished(results.collect())
    }
}

/// Gives the row of a test's id: `[ten]`, or nothing.
fn row(nodeid: &str) -> &str {
    let name = nodeid.rsplit_once("::").map_or("", |(_, name)| name);
    name.find('[').map_or("", |at| &name[at..])
}

/// What stands beside the runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ground {
    /// The level of containment, for people.
    pub containment: Option<String>,
    /// When the calls were recorded, for people: `today 10:38`.
    pub recorded: Option<String>,
    /// Calls recorded of the function.
    pub calls: u64,
    /// Accepted tests of the function that are there already.
    pub tests_there: usize,
}

/// What is to be done with a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// A person may be asked.
    Ready,
    /// Parts of it failed: this shorter one has to be proved in its place.
    Again(Box<Draft>),
    /// Nothing of it holds.
    Refused,
    /// Nothing was found out: the proof broke.
    Broken,
}

/// The outcome of a proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// What is to be done.
    pub verdict: Verdict,
    /// The lines beside the draft.
    pub evidence: Vec<Evidence>,
    /// Tests passed and tests run, all runs together.
    pub proved: (u32, u32),
}

/// Judges a draft by its runs.
#[must_use]
pub fn judge(draft: &Draft, runs: &[Run], ground: &Ground) -> Proof {
    let mut evidence = Vec::new();
    if let Some(broken) = broken(runs) {
        evidence.push(broken);
        evidence.extend(beside(draft, ground));
        return Proof { verdict: Verdict::Broken, evidence, proved: (0, 0) };
    }
    if let Some(stopped) = stopped(runs) {
        evidence.push(stopped);
        evidence.extend(beside(draft, ground));
        return Proof { verdict: Verdict::Refused, evidence, proved: (0, count(runs.len())) };
    }
    let tally = tally(runs);
    let passed: usize = tally.values().map(|seen| seen.passed).sum();
    let made: usize = tally.values().map(|seen| seen.passed + seen.failed).sum();
    let missing = draft.tests.iter().filter(|name| !tally.keys().any(|ran| belongs(ran, name))).count();
    let failing: Vec<String> = tally.iter().filter(|(_, seen)| seen.failed > 0).map(|(name, _)| name.clone()).collect();
    let proved = (count(passed), count(made));
    if failing.is_empty() && missing == 0 && made > 0 {
        evidence.push(Evidence::new(Finding::Pass, "passes", format!("{passed}/{made}: {}", circumstances(runs))));
        evidence.extend(beside(draft, ground));
        return Proof { verdict: Verdict::Ready, evidence, proved };
    }
    for name in &failing {
        if let Some(seen) = tally.get(name) {
            evidence.push(seen.evidence(name));
        }
    }
    if missing > 0 {
        let detail = format!("pytest did not run {}", text::count(missing, "test"));
        evidence.push(Evidence::new(Finding::Fail, "collects", detail));
    }
    let verdict = match trim::without(draft, &failing).filter(|rest| missing == 0 && rest.text != draft.text) {
        Some(mut rest) => {
            for name in &failing {
                let reason = tally.get(name).map_or_else(String::new, |seen| seen.reason(name));
                rest.left_out.push(LeftOut { calls: 1, reason });
            }
            Verdict::Again(Box::new(rest))
        }
        None => Verdict::Refused,
    };
    evidence.extend(beside(draft, ground));
    Proof { verdict, evidence, proved }
}

/// What the runs said of one test.
#[derive(Default)]
struct Seen {
    passed: usize,
    failed: usize,
    message: String,
    lines: Vec<String>,
}

impl Seen {
    fn evidence(&self, name: &str) -> Evidence {
        let all = self.passed + self.failed;
        let mut line = if self.passed > 0 {
            Evidence::new(Finding::Flaky, "flaky", format!("{name} passes {} of {all} runs", self.passed))
        } else {
            Evidence::new(Finding::Fail, "fails alone", format!("{name}, {} of {all} runs", self.failed))
        };
        line.more = last_lines(&self.lines);
        line
    }

    fn reason(&self, name: &str) -> String {
        let why = if self.message.is_empty() { "it did not run each time" } else { &self.message };
        if self.passed > 0 {
            return format!("flaky: {name} passes {} of {} runs", self.passed, self.passed + self.failed);
        }
        format!("{name} fails: {}", text::cut(&text::display_line(why), 100))
    }
}

fn tally(runs: &[Run]) -> BTreeMap<String, Seen> {
    let mut tally: BTreeMap<String, Seen> = BTreeMap::new();
    for run in runs {
        let RunEnd::Finished(results) = &run.end else { continue };
        for result in results {
            let seen = tally.entry(result.name.clone()).or_default();
            if result.passed {
                seen.passed += 1;
            } else {
                seen.failed += 1;
                if seen.message.is_empty() {
                    seen.message.clone_from(&result.message);
                    seen.lines.clone_from(&result.lines);
                }
            }
        }
    }
    // A test that was not there in every run is as good as one that failed there.
    let runs = runs.len();
    for seen in tally.values_mut() {
        seen.failed += runs.saturating_sub(seen.passed + seen.failed);
    }
    tally
}

/// Tells whether a result is one of a test's: the test itself, a row of it, or a method of the class.
fn belongs(ran: &str, test: &str) -> bool {
    ran.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with('[') || rest.starts_with("::"))
}

fn broken(runs: &[Run]) -> Option<Evidence> {
    if runs.is_empty() {
        return Some(Evidence::new(Finding::Error, "passes", "it was not run"));
    }
    runs.iter().find_map(|run| match &run.end {
        RunEnd::Broke(why) => Some(Evidence::new(Finding::Error, "passes", text::display_line(why))),
        _ => None,
    })
}

fn stopped(runs: &[Run]) -> Option<Evidence> {
    runs.iter().find_map(|run| match &run.end {
        RunEnd::NotCollected(lines) => {
            let mut found = Evidence::new(Finding::Fail, "collects", "pytest cannot collect it");
            found.more = last_lines(lines);
            Some(found)
        }
        RunEnd::TimedOut(seconds) => Some(Evidence::new(Finding::Fail, "passes", format!("no end in {seconds} s"))),
        _ => None,
    })
}

fn last_lines(lines: &[String]) -> Vec<String> {
    let skip = lines.len().saturating_sub(TRACE_MAX);
    lines.iter().skip(skip).map(|line| text::display(line).into_owned()).collect()
}

/// Says how the runs differed: `2 fresh processes, hash seeds 1 and 2`.
fn circumstances(runs: &[Run]) -> String {
    let mut parts = vec![match runs.len() {
        1 => "1 fresh process".to_owned(),
        more => format!("{more} fresh processes"),
    }];
    let seeds: BTreeSet<u32> = runs.iter().filter_map(|run| run.hash_seed).collect();
    let seeds: Vec<String> = seeds.iter().map(ToString::to_string).collect();
    match seeds.as_slice() {
        [] => {}
        [one] => parts.push(format!("hash seed {one}")),
        [head @ .., last] => parts.push(format!("hash seeds {} and {last}", head.join(", "))),
    }
    let conditions: BTreeSet<&String> = runs.iter().flat_map(|run| &run.conditions).collect();
    parts.extend(conditions.into_iter().cloned());
    parts.join(", ")
}

/// What is worth knowing whatever the runs say.
fn beside(draft: &Draft, ground: &Ground) -> Vec<Evidence> {
    let mut out = Vec::new();
    if let Some(level) = &ground.containment {
        out.push(Evidence::new(Finding::Note, "contained", level.clone()));
    }
    let mut why = Vec::new();
    if let Some(recorded) = &ground.recorded {
        why.push(format!("recorded {recorded}"));
    }
    if ground.calls > 0 {
        why.push(text::count(size(ground.calls), "call"));
    }
    why.push(match ground.tests_there {
        0 => "no test yet".to_owned(),
        some => format!("{} there already", text::count(some, "test")),
    });
    out.push(Evidence::new(Finding::Note, "why here", why.join(", ")));
    let mut left_out = draft.left_out.clone();
    left_out.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.reason.cmp(&b.reason)));
    let total: u64 = left_out.iter().map(|left| left.calls).sum();
    let mut line = match left_out.first() {
        None => Evidence::new(Finding::Note, "left out", "nothing"),
        Some(first) => {
            let calls = text::count(size(total), "call");
            let more = if left_out.len() > 1 { ", …" } else { "" };
            Evidence::new(Finding::Note, "left out", format!("{calls}: {}{more}", first.reason))
        }
    };
    if left_out.len() > 1 {
        line.more = left_out.iter().map(|left| format!("{} ×{}", left.reason, left.calls)).collect();
    }
    out.push(line);
    out
}

fn size(calls: u64) -> usize {
    usize::try_from(calls).unwrap_or(usize::MAX)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::proposal::Origin;

    fn draft() -> Draft {
        Draft {
            origin: Origin::Recording,
            target: RelPath::new("tests/pytead/test_pytead_m.py").unwrap(),
            imports: vec!["from m import f".into()],
            text: "def test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2) == 3\n".into(),
            tests: vec!["test_a".into(), "test_b".into()],
            calls: vec![],
            left_out: vec![],
            import_roots: vec![],
            remark: None,
        }
    }

    fn run(seed: u32, results: &[(&str, bool)]) -> Run {
        let results = results
            .iter()
            .map(|(name, passed)| TestResult {
                name: (*name).to_owned(),
                passed: *passed,
                message: if *passed { String::new() } else { "assert 2 == 3".into() },
                lines: if *passed { vec![] } else { vec!["    def test_b():".into(), "assert 2 == 3".into()] },
            })
            .collect();
        Run { hash_seed: Some(seed), conditions: vec![], end: RunEnd::Finished(results) }
    }

    #[test]
    fn what_passes_everywhere_is_ready_and_says_where() {
        let runs = [run(1, &[("test_a", true), ("test_b", true)]), run(2, &[("test_a", true), ("test_b", true)])];
        let ground =
            Ground { containment: Some("namespaces".into()), recorded: Some("today 10:38".into()), calls: 12, tests_there: 0 };
        let proof = judge(&draft(), &runs, &ground);
        assert_eq!((proof.verdict, proof.proved), (Verdict::Ready, (4, 4)));
        let lines: Vec<(String, String)> = proof.evidence.into_iter().map(|line| (line.what, line.detail)).collect();
        let expected = [
            ("passes", "4/4: 2 fresh processes, hash seeds 1 and 2"),
            ("contained", "namespaces"),
            ("why here", "recorded today 10:38, 12 calls, no test yet"),
            ("left out", "nothing"),
        ];
        assert_eq!(lines, expected.map(|(what, detail)| (what.to_owned(), detail.to_owned())));
    }

    #[test]
    fn a_failing_test_is_taken_out_and_the_rest_is_proved_again() {
        let runs = [run(1, &[("test_a", true), ("test_b", false)]), run(2, &[("test_a", true), ("test_b", false)])];
        let proof = judge(&draft(), &runs, &Ground::default());
        let Verdict::Again(rest) = proof.verdict else { panic!("{:?}", proof.verdict) };
        assert_eq!(rest.tests, ["test_a"]);
        assert_eq!(rest.left_out, [LeftOut { calls: 1, reason: "test_b fails: assert 2 == 3".into() }]);
        assert_eq!(proof.evidence[0].detail, "test_b, 2 of 2 runs");
        assert_eq!(proof.evidence[0].more.last().map(String::as_str), Some("assert 2 == 3"));
    }

    #[test]
    fn a_flaky_test_is_called_flaky() {
        let runs = [run(1, &[("test_a", true), ("test_b", true)]), run(2, &[("test_a", true), ("test_b", false)])];
        let proof = judge(&draft(), &runs, &Ground::default());
        assert_eq!((proof.evidence[0].finding, proof.evidence[0].detail.as_str()), (Finding::Flaky, "test_b passes 1 of 2 runs"));
        assert!(matches!(proof.verdict, Verdict::Again(_)));
    }

    #[test]
    fn nothing_is_ready_that_was_not_run() {
        let refused = |runs: &[Run]| judge(&draft(), runs, &Ground::default()).verdict;
        assert_eq!(refused(&[]), Verdict::Broken);
        assert_eq!(refused(&[run(1, &[])]), Verdict::Refused);
        assert_eq!(refused(&[run(1, &[("test_a", true)])]), Verdict::Refused);
        assert_eq!(refused(&[run(1, &[("test_a", false), ("test_b", false)])]), Verdict::Refused);
        let ended = |end| refused(&[Run { hash_seed: None, conditions: vec![], end }]);
        assert_eq!(ended(RunEnd::NotCollected(vec!["E   ModuleNotFoundError".into()])), Verdict::Refused);
        assert_eq!(ended(RunEnd::TimedOut(60)), Verdict::Refused);
        assert_eq!(ended(RunEnd::Broke("no pytest".into())), Verdict::Broken);
    }
}
