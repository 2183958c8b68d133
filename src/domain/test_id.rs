//! The number of a recorded test.

use serde::{Deserialize, Serialize};

/// Numbers a recorded test in the project's store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TestId(pub i64);
