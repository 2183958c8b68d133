//! What was seen of a draft in its proof runs, which the engine fills in.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::reason::{Reason, ReasonCode};
use crate::pytest::report::{Interrupted, Outcome, Reach, Report};
use crate::pytest::warm::{Fault, Look};

/// One way in which all tests of a draft ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// In what order, and with whom.
    pub manner: Manner,
    /// In a Python that was started for it, not in a fork of a warm one.
    pub fresh: bool,
    /// The seed of its hashes.
    pub hash_seed: Option<u32>,
    /// What else was special about it.
    pub varied: Vec<Variation>,
    /// How it ended.
    pub end: RunEnd,
}

/// In what a run differs from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variation {
    /// It ran in another folder.
    Folder,
    /// It ran in another time zone.
    TimeZone,
    /// It ran as if on another machine, with an empty environment.
    Machine,
    /// It ran later by the clock.
    Later,
    /// It drew other random numbers.
    RandomNumbers,
}

/// In what order tests ran, and with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Manner {
    /// Each in a process of its own.
    Alone,
    /// With the tests of other drafts, as they stand.
    Forward,
    /// From the last to the first.
    Backward,
    /// In another order.
    Shuffled,
}

/// How a proof run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// All tests were run.
    Finished(Vec<TestResult>),
    /// pytest could not collect the draft.
    NotCollected {
        /// The lines it wrote.
        lines: Vec<String>,
        /// The line of the draft's file that it came to, from 1.
        at: Option<u32>,
    },
    /// It was ended after this many seconds.
    TimedOut(u64),
    /// The run itself broke, which says nothing about the draft.
    Broke(String),
}

impl RunEnd {
    /// Counts the tests of a run in which all passed.
    #[must_use]
    pub fn passed(&self) -> Option<usize> {
        let Self::Finished(results) = self else { return None };
        (!results.is_empty() && results.iter().all(|result| result.passed)).then_some(results.len())
    }
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
    /// What kept it from its own end.
    pub interrupted: Option<Interrupted>,
    /// What it did outside of its process, or warned of.
    pub reached: Vec<Reach>,
}

impl From<&crate::pytest::report::TestResult> for TestResult {
    fn from(result: &crate::pytest::report::TestResult) -> Self {
        Self {
            name: name_of(&result.nodeid),
            passed: result.outcome == Outcome::Passed,
            message: result.message.clone(),
            lines: result.lines.clone(),
            interrupted: result.interrupted,
            reached: result.reached.clone(),
        }
    }
}

/// Lists the tests that are skipped with one value of a fixture and pass with another.
#[must_use]
pub fn skipped_rows(results: &[&crate::pytest::report::TestResult]) -> BTreeSet<String> {
    let test = |name: &str| name.split_once('[').map(|(test, _)| test.to_owned());
    let of = |outcome: Outcome| {
        results.iter().filter(move |result| result.outcome == outcome).map(|result| name_of(&result.nodeid)).collect::<Vec<_>>()
    };
    let passed: BTreeSet<Option<String>> = of(Outcome::Passed).iter().map(|name| test(name)).collect();
    of(Outcome::Skipped).into_iter().filter(|name| test(name).is_some() && passed.contains(&test(name))).collect()
}

/// Gives the name with the row of a test's id: `tests/test_x.py::TestY::test_z[1]` is `TestY::test_z[1]`.
#[must_use]
pub fn name_of(nodeid: &str) -> String {
    nodeid.split_once("::").map_or("", |(_, name)| name).to_owned()
}

impl From<&Report> for RunEnd {
    fn from(report: &Report) -> Self {
        if let Some(problem) = &report.problem {
            return Self::Broke(problem.clone());
        }
        if let Some(file) = report.results.iter().find(|result| result.name.is_empty() && result.outcome == Outcome::Error) {
            return Self::not_collected(file);
        }
        Self::finished(&report.results.iter().collect::<Vec<_>>())
    }
}

impl RunEnd {
    /// Takes in the results of tests. Where a fixture makes several of one test, those that are skipped say nothing beside one that
    /// passed.
    #[must_use]
    pub fn finished(results: &[&crate::pytest::report::TestResult]) -> Self {
        let skipped = skipped_rows(results);
        let counts = |result: &&&crate::pytest::report::TestResult| !skipped.contains(&name_of(&result.nodeid));
        Self::Finished(results.iter().filter(counts).map(|result| TestResult::from(*result)).collect())
    }

    /// Takes in what pytest says of a file that it could not collect.
    #[must_use]
    pub fn not_collected(file: &crate::pytest::report::TestResult) -> Self {
        Self::NotCollected { lines: std::iter::once(&file.message).chain(&file.lines).cloned().collect(), at: file.line }
    }
}

/// What the tests of a draft made of faults that were put into their function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Faults {
    /// None were put in, and why.
    None(String),
    /// Each fault with the tests that noticed it.
    Some(Vec<(Fault, BTreeSet<String>)>),
}

/// What came of negating the assertions of a draft one by one: a test has to fail each time, or something else decides its result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Negations {
    /// How many were tried.
    pub tried: usize,
    /// Tests that passed all the same, with the negated assertion; without a test, that of a helper.
    pub unnoticed: BTreeMap<String, String>,
}

/// Whether the tests ran at another time of day.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Clock {
    /// Nothing they run through reads it.
    #[default]
    NotRead,
    /// They did, by these means.
    Varied(String),
    /// They ran in fresh processes alone, at the time it was.
    NotVaried,
}

/// The circumstance in which a test fails that passes otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In another time zone.
    TimeZone,
    /// In another folder.
    Folder,
    /// On another machine.
    Machine,
    /// Under this hash seed.
    HashSeed(u32),
    /// 400 days later.
    Later,
}

impl When {
    /// Makes the reason why a test is taken out that fails then.
    #[must_use]
    pub fn reason(self, why: &str) -> Reason {
        match self {
            Self::TimeZone => ReasonCode::FailsInTimezone.with(why),
            Self::Folder => ReasonCode::FailsInDirectory.with(why),
            Self::Machine => ReasonCode::FailsElsewhere.with(why),
            Self::HashSeed(seed) => ReasonCode::FailsWithHashSeed.of(seed).with(why),
            Self::Later => ReasonCode::FailsLater.with(why),
        }
    }
}

/// In which circumstance a test fails that passes otherwise, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// The circumstance.
    pub when: When,
    /// Why, in one line.
    pub message: String,
    /// What pytest wrote about it.
    pub lines: Vec<String>,
}

/// All that was seen of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The runs.
    pub runs: Vec<Run>,
    /// What was seen of single tests, by name.
    pub looks: BTreeMap<String, Look>,
    /// Tests that fail the second time in a process.
    pub once: BTreeSet<String>,
    /// Tests that make another one fail, which is named.
    pub spoilers: BTreeMap<String, String>,
    /// Tests whose failures in company are another test's doing.
    pub excused: BTreeSet<String>,
    /// Tests that pass here and fail elsewhere.
    pub blamed: BTreeMap<String, Blame>,
    /// Whether the tests can fail.
    pub faults: Faults,
    /// Tests that are skipped with one value of a fixture and pass with another: [`skipped_rows`].
    pub skipped: BTreeSet<String>,
    /// What came of negating its assertions one by one, where somebody else wrote its text.
    pub negations: Negations,
    /// Whether the time of day was varied.
    pub clock: Clock,
    /// Its calls warned when they were recorded, or nobody knows.
    pub may_warn: bool,
    /// Why nothing of it ran in a warm Python, when it did not.
    pub cold: Option<String>,
    /// Plugins of pytest that it ran without, since they cannot start in the sandbox, and why.
    pub without: Vec<(String, String)>,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            looks: BTreeMap::new(),
            once: BTreeSet::new(),
            spoilers: BTreeMap::new(),
            excused: BTreeSet::new(),
            blamed: BTreeMap::new(),
            faults: Faults::None("it did not run in a warm Python".into()),
            skipped: BTreeSet::new(),
            negations: Negations::default(),
            clock: Clock::default(),
            may_warn: false,
            cold: None,
            without: Vec::new(),
        }
    }
}

/// What stands beside the runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ground {
    /// The function's name, for people: `total`.
    pub function: String,
    /// The level of containment, for people.
    pub containment: Option<String>,
    /// When the calls were recorded, for people: `today 10:38`.
    pub recorded: Option<String>,
    /// Calls recorded of the function.
    pub calls: u64,
    /// Accepted tests of the function that are there already.
    pub tests_there: usize,
    /// A person wrote this text, so nothing in it is put right behind their back.
    pub edited: bool,
    /// How the version of this Python is written, where the function's module asks for it.
    pub versions: Vec<String>,
    /// Texts that only this machine has.
    pub machine: Vec<String>,
    /// The local time zone, by its name.
    pub zone: Option<String>,
}
