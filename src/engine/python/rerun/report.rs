//! The report of a run: a JSON line for each test that ended, and for what could not be run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::wanted::{Loaded, Rerun, Reruns};
use crate::base::paths::RelPath;
use crate::domain::recorded_test::TestId;
use crate::python::lines_run::LinesRun;

/// A line of the report.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Test {
        test: String,
        outcome: String,
        ms: u64,
        pid: Option<i64>,
        said: Option<String>,
        lines_run: Option<Vec<(String, u32, bool)>>,
    },
    Broken {
        why: String,
        path: Option<String>,
        line: Option<u32>,
        tests: Vec<String>,
    },
    Missing {
        test: String,
    },
    Learned {
        fixtures: BTreeMap<String, String>,
    },
    Loaded {
        modules: BTreeMap<String, String>,
        failed: BTreeSet<String>,
    },
    #[serde(other)]
    Other,
}

/// What the program's report says.
pub(super) struct Report {
    pub(super) found: Reruns,
    /// The start of the session, if it was asked for, and its process.
    pub(super) start: Option<(i64, TestId)>,
    /// Session fixtures that tests asked for while they ran.
    pub(super) fixtures: BTreeMap<String, String>,
}

/// Reads the program's report.
pub(super) fn reported(report: &str, tests: &BTreeMap<&str, TestId>, root: &Path) -> Report {
    let mut found = Reruns::default();
    let mut start = None;
    let mut fixtures = BTreeMap::new();
    for line in report.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Test { test, outcome, ms, pid, said, lines_run }) => {
                if let Some(id) = tests.get(test.as_str()) {
                    start = start.or(pid.filter(|_| test.is_empty()).map(|pid| (pid, *id)));
                    // Of a flaky test that may fail, pytest takes either end.
                    let passed = matches!(outcome.as_str(), "passed" | "xfailed" | "xpassed" | "skipped");
                    let said = said.or_else(|| (!passed).then_some(outcome));
                    let lines_run = lines_run.map(LinesRun::from_wire);
                    found.tests.insert(*id, Rerun { passed, ms, said, lines_run, process: pid, ..Rerun::default() });
                }
            }
            Ok(Line::Broken { why, path, line, tests: broken }) => {
                let why = match path.as_deref().and_then(|path| RelPath::below(root, Path::new(path))).zip(line) {
                    Some((path, line)) => format!("{path}:{line}: {why}"),
                    None => why,
                };
                let ids = broken.iter().filter_map(|test| tests.get(test.as_str()));
                found.not_run.extend(ids.map(|id| (*id, why.clone())));
            }
            Ok(Line::Missing { test }) => {
                found.not_run.extend(tests.get(test.as_str()).map(|id| (*id, "it is not there".to_owned())));
            }
            Ok(Line::Learned { fixtures: more }) => fixtures.extend(more),
            Ok(Line::Loaded { modules, failed }) => found.loaded = Loaded { modules, failed },
            Ok(Line::Other) | Err(_) => {}
        }
    }
    Report { found, start, fixtures }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_tests_counts_for_those_that_were_asked_for() {
        let names = ["t.py::a", "t.py::b", "t.py::d", "u.py::a", "u.py::b"];
        let tests: BTreeMap<&str, TestId> = names.into_iter().zip((1..).map(TestId)).collect();
        let report = "{\"kind\": \"test\", \"test\": \"t.py::a\", \"outcome\": \"passed\", \"ms\": 4, \"said\": null, \"pid\": 3, \"lines_run\": []}\n\
                      {\"kind\": \"test\", \"test\": \"t.py::b\", \"outcome\": \"died\", \"ms\": 4, \"said\": null}\n\
                      {\"kind\": \"test\", \"test\": \"t.py::c\", \"outcome\": \"passed\", \"ms\": 4, \"said\": null}\n\
                      {\"kind\": \"missing\", \"test\": \"t.py::d\"}\nnonsense\n\
                      {\"kind\": \"broken\", \"why\": \"KeyError: 'KEY'\", \"path\": \"/p/u.py\", \"line\": 3, \"tests\": [\"u.py::a\"]}\n\
                      {\"kind\": \"broken\", \"why\": \"exit 1\", \"path\": null, \"line\": null, \"tests\": [\"u.py::b\"]}\n";
        let found = reported(report, &tests, Path::new("/p")).found;
        let passed: Vec<(i64, bool, Option<&str>)> =
            found.tests.iter().map(|(id, test)| (id.0, test.passed, test.said.as_deref())).collect();
        assert_eq!(passed, [(1, true, None), (2, false, Some("died"))]);
        let lines: Vec<Option<usize>> =
            found.tests.values().map(|test| test.lines_run.as_ref().map(|lines| lines.left().len())).collect();
        assert_eq!(lines, [Some(0), None], "nobody knows which lines a test ran that died");
        let not_run: Vec<&str> = found.not_run.values().map(String::as_str).collect();
        assert_eq!(not_run, ["it is not there", "u.py:3: KeyError: 'KEY'", "exit 1"]);
    }
}
