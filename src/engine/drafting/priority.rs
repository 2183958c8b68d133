//! The first drafts after a recording: of a few functions, while all its other calls are still to be tried.
//!
//! Which drafts there are, and what stands in them, is `pipeline.rs` alone: here is only what comes first.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, Outcome, RecordingId};
use crate::domain::function::{FunctionId, FunctionKind};
use crate::domain::value::Value;
use crate::engine::calls;
use crate::engine::drafting;
use crate::engine::python::environment;
use crate::engine::replay::first_replay;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// Functions whose drafts come before those of all others, where a recording saw [`MANY`] of them or more.
const FIRST: usize = 3;
const MANY: usize = 12;
/// Those with so many calls or fewer come first: all calls of theirs are tried before there is a draft.
const CALLS: usize = 12;

/// Drafts and proves tests of a few functions of a new recording before its other calls are tried, so that a person soon
/// has something to read. [`drafting::pipeline::draft`] finds these drafts as they are.
pub async fn draft_first(core: &Arc<Core>, recording: RecordingId) -> Result<(), Trouble> {
    let worker = core.clone();
    blocking(move || calls::external::note(&worker, recording)).await??;
    let calls = first_calls(core, calls::read::replayable_of(core, recording)?);
    if calls.is_empty() || environment::contained(core).await?.interpreter.pytest.is_none() {
        return Ok(());
    }
    let functions: BTreeSet<FunctionId> = calls.iter().map(|call| call.function.clone()).collect();
    if first_replay::try_calls(core, recording, calls).await? {
        drafting::pipeline::draft_tried(core, functions.into_iter().collect()).await?;
    }
    Ok(())
}

/// Gives the calls of the functions that need the least for a test: public ones that nobody was asked about yet, with few
/// calls, a plain one among them, that make no others; of modules before those of classes.
fn first_calls(core: &Core, calls: Vec<Call>) -> Vec<Call> {
    let mut counts: BTreeMap<&FunctionId, usize> = BTreeMap::new();
    calls.iter().for_each(|call| *counts.entry(&call.function).or_default() += 1);
    if counts.len() < MANY {
        return Vec::new();
    }
    let index = core.index();
    let asked: BTreeSet<FunctionId> = {
        let state = core.state.lock();
        let proposed = state.proposals.values().filter_map(|proposal| proposal.function().cloned());
        proposed.chain(state.tested.iter().cloned()).collect()
    };
    let makers: HashSet<CallId> = calls.iter().filter_map(|call| call.parent).collect();
    let busy: HashSet<&FunctionId> = calls.iter().filter(|call| makers.contains(&call.id)).map(|call| &call.function).collect();
    let plain: HashSet<&FunctionId> = calls.iter().filter(|call| is_plain(call)).map(|call| &call.function).collect();
    let mut ranked: Vec<_> = Vec::new();
    for id in counts.keys() {
        let Some(function) = index.function(id).filter(|function| !function.is_private() && !asked.contains(*id)) else {
            continue;
        };
        if index.module(&function.path).is_none_or(|module| !module.is_for_tests()) {
            let is_of_class = function.kind != FunctionKind::Function;
            ranked.push((counts[id] > CALLS, !plain.contains(id), busy.contains(id), is_of_class, (*id).clone()));
        }
    }
    ranked.sort();
    let first: BTreeSet<FunctionId> = ranked.into_iter().take(FIRST).map(|(.., id)| id).collect();
    calls.into_iter().filter(|call| first.contains(&call.function)).collect()
}

/// Tells whether a call took and gave only what stands for itself: no objects.
fn is_plain(call: &Call) -> bool {
    let plain = |value: &Value| {
        let mut found = value.not_buildable().is_some();
        value.walk(&mut |part| {
            found |= part.ordinal().is_some();
            !found
        });
        !found
    };
    let gave = match &call.effect.outcome {
        Outcome::Returned(value) => plain(value),
        _ => false,
    };
    gave && call.args.iter().all(|argument| plain(&argument.value))
}
