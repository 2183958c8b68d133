//! Calls with their outcomes under two versions of the code.

use std::collections::BTreeMap;

use crate::domain::call::{Call, Effect};
use crate::domain::function::FunctionId;
use crate::engine::python::replay_calls::Observed;

/// A call's outcome under one version of the code.
pub struct Ending {
    /// How it ended.
    pub effect: Effect,
    /// How long it took, in nanoseconds.
    pub ns: i64,
    /// The project's functions it ran through.
    pub entered: Vec<FunctionId>,
}

/// A call with its outcome under both versions.
pub struct Pair {
    /// The call.
    pub call: Call,
    /// Under the commit's code.
    pub old: Ending,
    /// Under today's.
    pub new: Ending,
}

/// Calls with both outcomes, by function.
pub type Pairs = BTreeMap<FunctionId, Vec<Pair>>;

/// Gives the outcome of a call that could be run.
pub fn ending(seen: Option<&Observed>) -> Option<Ending> {
    let seen = seen?;
    let effect = seen.effect.as_ref().ok()?.clone();
    Some(Ending { effect, ns: seen.duration_ns, entered: seen.entered.clone() })
}
