//! What the lines of a function gave in a recorded call that was run again. Owns no values: only what is shown of them.

use std::collections::{BTreeMap, BTreeSet};

/// What is seen of a call, line by line; each line by its number in the file, 1-based.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineValues {
    /// The lines that ran.
    pub ran: BTreeSet<u32>,
    /// The lines that could have run and did not.
    pub missed: BTreeSet<u32>,
    /// The lines at which an exception was raised, or which it passed.
    pub failed: BTreeSet<u32>,
    /// What lines gave: a text on one line, safe to show.
    pub texts: BTreeMap<u32, String>,
    /// The call ran on when it was not followed any more.
    pub is_cut: bool,
}
