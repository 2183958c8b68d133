//! Tests of pytest in which calls were recorded, how their sessions were started, and what running one again showed.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::domain::call::CallId;
use crate::domain::function::FunctionId;
pub use crate::domain::test_id::TestId;

/// How a session of pytest was started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestSession {
    /// pytest's root folder, absolute: names of tests begin there.
    pub root: String,
    /// Its configuration file, absolute.
    pub config: Option<String>,
    /// Its command line without the names of what was run.
    pub options: Vec<String>,
    /// The folder it was started in, absolute.
    pub cwd: String,
    /// The folders it imported from, absolute, in order.
    pub path: Vec<String>,
}

/// A test of pytest in which calls were recorded, or the start of its session: what ran before the first test, while configuration
/// and tests were imported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RecordedTest {
    /// Its node id: `tests/test_cart.py::test_total[one]`; empty for the start of the session.
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

    /// Gives its file, relative to the root of its session; empty for the start.
    #[must_use]
    pub fn file(&self) -> &str {
        self.name.split("::").next().unwrap_or_default()
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
