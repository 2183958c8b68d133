//! Inputs beside the recorded ones for functions whose tests leave faults unnoticed: found by the worker (`worker/near_faults.py`),
//! proposed as a draft of its own, and verified like any.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::contain::Level;
use crate::domain::call::{Call, CallId};
use crate::domain::event::JobKind;
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, Draft, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::touch::Touch;
use crate::engine::calls;
use crate::engine::drafting::near_tests::{self, NearCase};
use crate::engine::proving;
use crate::engine::python::{environment, replay_calls};
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::python::near::{Found, Outcome};
use crate::python::value;
use crate::python::zygote::NearSearch;

/// How long the search for one function may take.
const SEARCH: Duration = Duration::from_millis(2_000);

/// Proposes tests of inputs beside the recorded ones, for functions of which faults are unnoticed by what was recorded.
///
/// # Errors
/// Fails when the store cannot be read or written, when there is no kernel sandbox, and when the project's Python cannot be started.
pub async fn propose(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Done, Trouble> {
    let environment = environment::contained(core).await?;
    if environment.level == Level::Weak {
        return Err(Trouble::environment("No inputs beside the recorded ones are tried.")
            .because("They run only in a sandbox of the kernel, which this machine does not have."));
    }
    let mut wanted: Vec<(FunctionId, Vec<Call>)> = Vec::new();
    for function in functions {
        let calls = shown(core, &function)?;
        if !calls.is_empty() {
            wanted.push((function, calls));
        }
    }
    let index = core.index();
    let mut asked = Vec::new();
    for (_, calls) in &wanted {
        let mut requests = replay_calls::requests(core, &index, calls.iter(), SEARCH)?;
        replay_calls::as_recorded(core, &mut requests, &calls.iter().collect::<Vec<_>>())?;
        asked.push(NearSearch { calls: requests, again: Vec::new(), wait: SEARCH, faults: true });
    }
    let job = core.jobs.begin(JobKind::Near, JobSubject::Functions(asked.len()), 0);
    core.touch();
    let mut ids = Vec::new();
    let mut ready = Vec::new();
    let mut running = environment.near(core, &asked, &[], &[]).await?;
    while let Some(next) = job.unless_cancelled(running.next()).await {
        let Some(searched) = next else { break };
        let searched = searched?;
        let Some((function, calls)) = usize::try_from(searched.key).ok().and_then(|key| wanted.get(key)) else { continue };
        let Ok(Outcome { found, .. }) = searched.result else { continue };
        let cases: Vec<NearCase> = found.into_iter().filter_map(|one| case(calls, one)).collect();
        if cases.is_empty() {
            continue;
        }
        // Why an input cannot be written is no news: its recorded call says it.
        if let Ok(draft) = Box::pin(near_tests::draft_of(core, function, cases)).await? {
            match enter(core, function, draft)? {
                Entered::New(id) => ids.push(id),
                Entered::Ready(id) => ready.push(id),
                Entered::Known => {}
            }
        }
    }
    job.end(true);
    proving::pipeline::prove(core, ids.clone()).await?;
    let mut refused = Vec::new();
    for id in ids {
        match core.proposal(id)?.state {
            ProposalState::Ready => ready.push(id),
            ProposalState::Refused => refused.push(id),
            _ => {}
        }
    }
    Ok(Done::Drafted { ready, refused, left_out: Vec::new() })
}

/// Gives the recorded calls in a function's tests that inputs may be made of.
fn shown(core: &Core, function: &FunctionId) -> Result<Vec<Call>, Trouble> {
    let of_function = core.store().proposals_of(function)?;
    let in_tests = |one: &&Proposal| matches!(one.state, ProposalState::Ready | ProposalState::Written);
    let latest =
        of_function.iter().rev().filter(in_tests).filter_map(Proposal::draft).find(|one| one.origin == Origin::Recording);
    let shown: BTreeSet<CallId> = latest.map(|draft| draft.calls.iter().copied().collect()).unwrap_or_default();
    let confirmed = calls::read::parted_calls(core, function)?.confirmed.into_iter().map(|(call, _)| call);
    let is_inside = |touch: &Touch| matches!(touch, Touch::Warning(_) | Touch::Output(_) | Touch::Bound(_) | Touch::Scene(_));
    Ok(confirmed.filter(|call| shown.contains(&call.id) && call.touches.iter().all(is_inside)).collect())
}

fn case(calls: &[Call], found: Found) -> Option<NearCase> {
    let call = calls.get(usize::try_from(found.call).ok()?)?.id;
    let (args, way) = value::arguments(&found.args).ok()?;
    Some(NearCase { call, args, way, effect: value::outcome(&found.old).ok()? })
}

enum Entered {
    /// It has to be verified.
    New(ProposalId),
    /// It waits already.
    Ready(ProposalId),
    /// A person decided on it, or it failed.
    Known,
}

/// Enters a draft in place of the one that waits, unless that is the same.
fn enter(core: &Arc<Core>, function: &FunctionId, draft: Draft) -> Result<Entered, Trouble> {
    let all = core.store().proposals_of(function)?;
    let of_kind = |one: &&Proposal| one.draft().is_some_and(|draft| draft.origin == Origin::Near);
    let same = all.iter().rev().filter(of_kind).find(|one| one.draft().is_some_and(|old| old.drafted == draft.drafted));
    match same.map(|one| (one.id, one.state)) {
        Some((id, ProposalState::Ready)) => return Ok(Entered::Ready(id)),
        Some((_, ProposalState::Rejected | ProposalState::Written | ProposalState::Refused)) => return Ok(Entered::Known),
        Some((id, ProposalState::Stale | ProposalState::Failed)) => {
            core.move_proposal(id, ProposalState::Queued, |standing| standing.basis = Digest::default())?;
            return Ok(Entered::New(id));
        }
        _ => {}
    }
    let entered = core.add_proposal(Proposal::queued(function.clone(), Body::Draft(draft), clock::now()))?;
    Ok(Entered::New(entered.id))
}
