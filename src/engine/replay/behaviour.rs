//! Behaviour diffs: when recorded calls are replayed, and what a replay came to.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::edited::Edits;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::Topic;
use crate::engine::python::environment;
use crate::engine::replay::changes::is_open;
use crate::engine::replay::compare::{Seen, run_and_compare};
use crate::engine::replay::edited::{self, Before, Delta};
use crate::engine::replay::first_replay;
use crate::engine::replay::imports;
use crate::engine::replay::near;
use crate::engine::replay::recorded_tests::ready;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::generate::near as words;

/// Runs the calls of these functions, or of all that may differ, and gives what changed.
pub async fn replay(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Done, Trouble> {
    first_replay::calibrate_rest(core).await?;
    first_replay::run_tests_of_rest(core).await?;
    let all = functions.is_empty();
    let wanted: BTreeSet<FunctionId> = if all { recorded_functions(core)? } else { functions.into_iter().collect() };
    let mut seen = run_and_compare(core, wanted.clone(), &BTreeSet::new()).await?;
    let changed = open_changes(core, &wanted);
    let (delta, before) = edited_since_recording(core, (!all).then(|| wanted.clone())).await?;
    imports::check(core, &mut seen.tally, &delta).await?;
    let not_compared = seen.tally.not_compared();
    let edits = Box::new(edited::edits(core, seen.tally, delta, &before).await?);
    edited::note(core, &edits, (!all).then_some(&wanted), &BTreeSet::new());
    Ok(Done::Replayed { calls: seen.compared, same: seen.same, changed, not_compared, edits })
}

/// After opening: finds out what edits made while nobody looked have changed.
pub async fn catch_up(core: &Arc<Core>) {
    if let Ok(functions) = recorded_functions(core)
        && !functions.is_empty()
        && core.trust() == crate::domain::snapshot::Trust::Trusted
        && !environment::is_declined(core)
    {
        // A save that comes while these calls run leaves it to this replay to say what it does.
        let done = match replay(core, functions.into_iter().collect()).await {
            Ok(Done::Replayed { edits, .. }) => Box::pin(tell_near(core, &edits)).await,
            done => done.map(drop),
        };
        if let Err(trouble) = done {
            core.complain("replay", &trouble);
        } else if let Err(trouble) = Box::pin(ready::prepare(core)).await {
            core.complain("tests", &trouble);
        }
    }
}

/// After a save: replays the functions that rest on what changed, those that were edited first.
pub async fn after_save(core: &Arc<Core>, resting: &BTreeSet<FunctionId>, edited: &BTreeSet<FunctionId>) {
    let Ok(recorded) = recorded_functions(core) else { return };
    let mut wanted: BTreeSet<FunctionId> = resting.intersection(&recorded).cloned().collect();
    wanted.extend(core.state.lock().owed.iter().cloned());
    if recorded.is_empty() || core.trust() != crate::domain::snapshot::Trust::Trusted || environment::is_declined(core) {
        return;
    }
    if let Err(trouble) = saved(core, wanted, edited).await {
        core.complain("replay", &trouble);
    }
}

async fn saved(core: &Arc<Core>, wanted: BTreeSet<FunctionId>, edited: &BTreeSet<FunctionId>) -> Result<(), Trouble> {
    let mut seen = if wanted.is_empty() { Seen::default() } else { run_and_compare(core, wanted.clone(), edited).await? };
    if !seen.whole && !wanted.is_empty() {
        // A newer save does what this one did not come to.
        return Ok(());
    }
    let (delta, before) = edited_since_recording(core, Some(edited.clone())).await?;
    imports::check(core, &mut seen.tally, &delta).await?;
    imports::note(core, &wanted, &seen.tally.import_failures);
    let edits = edited::edits(core, seen.tally, delta, &before).await?;
    edited::note(core, &edits, Some(edited), edited);
    Box::pin(tell_near(core, &edits)).await
}

/// Searches beside the recorded calls of edited functions, and tells of what differs there.
async fn tell_near(core: &Arc<Core>, edits: &Edits) -> Result<(), Trouble> {
    let near = near::search(core, None, edits).await?;
    for one in near.differences {
        let line = words::line(&one);
        if let Some(proposal) = one.proposal.filter(|id| near.fresh.contains(id)) {
            core.log.add(Level::Warning, "near", &line, Some(Topic::Function(one.function.clone())));
            core.announce(Event::NearDifference { proposal, function: one.function, line: line.into() });
        }
    }
    Ok(())
}

/// Finds what was edited since calls were recorded, of these functions or of all, with the text before.
async fn edited_since_recording(core: &Arc<Core>, only: Option<BTreeSet<FunctionId>>) -> Result<(Delta, Before), Trouble> {
    let core = core.clone();
    blocking(move || {
        let mut delta = Delta::since_recording(&core)?;
        if let Some(functions) = only {
            delta.only(&functions);
        }
        let before = delta.recorded_texts(&core)?;
        Ok((delta, before))
    })
    .await?
}

fn open_changes(core: &Core, functions: &BTreeSet<FunctionId>) -> Vec<ProposalId> {
    let state = core.state.lock();
    state
        .proposals
        .values()
        .filter(|proposal| proposal.change().is_some() && proposal.function().is_some_and(|id| functions.contains(id)))
        .filter(|proposal| is_open(proposal))
        .map(|proposal| proposal.id)
        .collect()
}

fn recorded_functions(core: &Core) -> Result<BTreeSet<FunctionId>, Trouble> {
    Ok(core.store().functions()?.into_iter().map(|total| total.function).collect())
}
