//! Tests in which calls were recorded, how their sessions were started, and what running one again showed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::domain::call::CallId;
use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
pub use crate::domain::test_id::TestId;

/// What is known of sessions of tests, each by names.
pub type BySession = HashMap<TestSession, BTreeMap<String, String>>;

/// How a session of tests was started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestSession {
    /// pytest's root folder, where names of tests begin, or the recorded project's; absolute.
    pub root: String,
    /// The folder it was started in, absolute.
    pub cwd: String,
    /// The folders it imported from, absolute, in order.
    pub path: Vec<String>,
    /// What ran its tests.
    pub runner: Runner,
}

/// What ran tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// pytest.
    Pytest {
        /// Its configuration file, absolute.
        config: Option<String>,
        /// Its command line without the names of what was run.
        options: Vec<String>,
    },
    /// A program that ran them by unittest.
    Unittest(Program),
    /// A program that ran them by Django's runner, or by one that derives from it.
    Django(Program),
}

impl Runner {
    /// Gives what was typed to start it.
    pub fn typed(&self) -> impl Iterator<Item = &String> {
        let (words, what) = match self {
            Self::Pytest { options, .. } => (options, None),
            Self::Unittest(program) | Self::Django(program) => (&program.arguments, Some(&program.what)),
        };
        words.iter().chain(what)
    }
}

/// A program that is started again as it was, up to its tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Program {
    /// What `what` is.
    pub how: Started,
    /// A module, the absolute path of a script, or code.
    pub what: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The module of Django's settings, if that was set.
    pub settings: Option<String>,
}

/// How a program was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Started {
    /// `python -m`
    Module,
    /// `python` with a path
    Script,
    /// `python -c`
    Code,
}

/// A test in which calls were recorded, or the start of its session: what ran before the first test, while configuration and tests
/// were imported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordedTest {
    /// pytest's node id, or unittest's id: `tests/test_cart.py::test_total[one]`, `tests.test_cart.CartTest.test_total`;
    /// empty for the start of the session.
    pub name: String,
    /// Its session.
    pub session: Arc<TestSession>,
}

impl RecordedTest {
    /// Makes the start of a session.
    #[must_use]
    pub fn start_of(session: Arc<TestSession>) -> Self {
        Self { name: String::new(), session }
    }

    /// Tells whether it is the start of a session.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.name.is_empty()
    }

    /// Names it for people.
    #[must_use]
    pub fn label(&self) -> &str {
        if self.is_start() { "(before the first test)" } else { &self.name }
    }

    /// Gives the file that pytest collects it from, relative to the root of its session; empty for the start, and for unittest, whose
    /// tests of a session are all loaded together.
    #[must_use]
    pub fn file(&self) -> &str {
        match self.session.runner {
            Runner::Pytest { .. } => self.name.split("::").next().unwrap_or_default(),
            Runner::Unittest(_) | Runner::Django(_) => "",
        }
    }

    /// Says that it fails now.
    #[must_use]
    pub fn fails(&self, said: &str) -> Reason {
        let code = match self.session.runner {
            Runner::Pytest { .. } => ReasonCode::TestFails,
            Runner::Unittest(_) => ReasonCode::UnittestFails,
            Runner::Django(_) => ReasonCode::DjangoTestFails,
        };
        code.of(self.label()).with(said)
    }
}

/// What running a recorded test again showed, alone and on the code that it was recorded with. Later runs are compared with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerRun {
    /// It passed.
    pub passed: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The calls of each function in the order in which they began.
    pub calls: BTreeMap<FunctionId, Vec<FormerCall>>,
}

/// A call in a former run of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerCall {
    /// Hash of its arguments.
    pub input: Digest,
    /// They differ from run to run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub varies: bool,
    /// The recorded call that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
}
