//! The first drafts after a recording: of a few functions, while all its other calls are still to be tried.
//!
//! Which drafts there are, and what stands in them, is `drafting.rs` alone: here is only what comes first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, RecordingId};
use crate::domain::function::{FunctionId, FunctionKind};
use crate::engine::core::Core;
use crate::engine::{calibrating, drafting, environment, views};

/// Functions whose drafts come before those of all others, where a recording saw [`MANY`] of them or more.
const FIRST: usize = 3;
const MANY: usize = 12;
/// Those with so many calls or fewer come first: all calls of theirs are tried before there is a draft.
const CALLS: usize = 12;

/// Drafts and proves tests of a few functions of a new recording before its other calls are tried, so that a person soon
/// has something to read. [`drafting::draft`] finds these drafts as they are.
pub async fn draft_first(core: &Arc<Core>, recording: RecordingId) -> Result<(), Trouble> {
    let calls = first_calls(core, views::replayable_of(core, recording)?);
    if calls.is_empty() || environment::contained(core).await?.interpreter.pytest.is_none() {
        return Ok(());
    }
    let functions: BTreeSet<FunctionId> = calls.iter().map(|call| call.function.clone()).collect();
    if calibrating::try_calls(core, recording, calls).await? {
        drafting::draft_tried(core, functions.into_iter().collect()).await?;
    }
    Ok(())
}

/// Gives the calls of the functions that need the least for a test: public functions of modules, in calls that no
/// other made, and nobody was asked about them yet.
fn first_calls(core: &Core, calls: Vec<Call>) -> Vec<Call> {
    let mut counts: BTreeMap<&FunctionId, usize> = BTreeMap::new();
    calls.iter().for_each(|call| *counts.entry(&call.function).or_default() += 1);
    if counts.len() < MANY {
        return Vec::new();
    }
    let index = core.index();
    let asked: BTreeSet<FunctionId> = {
        let state = core.state.lock();
        state.proposals.values().map(|proposal| proposal.function.clone()).chain(state.tested.iter().cloned()).collect()
    };
    let is_plain = |call: &&Call| {
        call.parent.is_none()
            && !asked.contains(&call.function)
            && index.function(&call.function).is_some_and(|function| {
                let is_test = index.module(&function.path).is_some_and(|module| module.is_test());
                function.kind == FunctionKind::Function && !function.is_private() && !is_test
            })
    };
    let mut first: Vec<FunctionId> = Vec::new();
    for call in calls.iter().filter(is_plain) {
        if !first.contains(&call.function) {
            first.push(call.function.clone());
        }
    }
    first.sort_by_key(|function| counts.get(function).is_some_and(|count| *count > CALLS));
    first.truncate(FIRST);
    calls.into_iter().filter(|call| first.contains(&call.function)).collect()
}
