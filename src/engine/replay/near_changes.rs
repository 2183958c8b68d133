//! Near differences as proposals: shown when a search finds them, brought up to date, and closed when their input ends as before
//! again. What is searched is `near.rs`; what a decision on one does is `review/`.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::domain::event::Event;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::near::{Near, NearChange};
use crate::domain::proposal::{Body, Proposal, ProposalId, ProposalState};
use crate::domain::subject::Subject;
use crate::engine::replay::code_versions::causes;
use crate::engine::replay::edited::Delta;
use crate::engine::state::core::Core;

/// Tells whether a near difference still shows: it waits for a person, or was noted as a bug.
pub fn is_open(proposal: &Proposal) -> bool {
    proposal.near().is_some() && matches!(proposal.state, ProposalState::Ready | ProposalState::Rejected)
}

/// Lists what searches ever found of a function, the oldest first.
fn known(core: &Core, function: &FunctionId) -> Result<Vec<Proposal>, Trouble> {
    let all = core.store().proposals_of(function)?;
    Ok(all.into_iter().filter(|proposal| proposal.near().is_some()).collect())
}

/// Lists the inputs that a search looks at first: what is open, and what a person took for this very code, so that nothing of its
/// kind is shown again.
pub fn again(core: &Core, function: &FunctionId, code: Digest) -> Result<Vec<NearChange>, Trouble> {
    let is_meant = |one: &Proposal| one.state == ProposalState::Written && one.near().is_some_and(|near| near.code == code);
    let known = known(core, function)?.into_iter().filter(|one| is_open(one) || is_meant(one));
    Ok(known.filter_map(|one| one.near().cloned()).collect())
}

/// Adds to `near` what a search of a function found and nobody took as meant. With `wait`, it waits for a person from now on, and what
/// waited and was not found again waits no more.
pub fn settle(
    core: &Arc<Core>,
    function: &FunctionId,
    found: Vec<NearChange>,
    wait: bool,
    near: &mut Near,
) -> Result<(), Trouble> {
    let known = known(core, function)?;
    let because = if wait && !found.is_empty() { causes(core, &HashSet::from([function.clone()]))? } else { Vec::new() };
    let mut kept: BTreeSet<ProposalId> = BTreeSet::new();
    for mut change in found {
        change.because.clone_from(&because);
        let basis = change.basis();
        let latest = known.iter().rev().find(|one| one.basis == basis);
        if latest.is_some_and(|one| one.state == ProposalState::Written) {
            continue;
        }
        let mut difference = change.difference.clone();
        let open = latest.filter(|one| is_open(one));
        difference.proposal = open.map(|one| one.id);
        if wait {
            let id = match open {
                Some(one) => renew(core, one, change)?,
                None => {
                    let id = enter(core, function, latest, change, basis)?;
                    near.fresh.push(id);
                    id
                }
            };
            kept.insert(id);
            difference.proposal = Some(id);
        }
        near.differences.push(difference);
    }
    for one in known.iter().filter(|one| wait && is_open(one) && !kept.contains(&one.id)) {
        let input = one.near().map(|near| (&near.args, near.way));
        let is_other = near
            .fresh
            .iter()
            .filter_map(|id| core.proposal(*id).ok())
            .any(|new| new.near().map(|near| (&near.args, near.way)) == input);
        close(core, function, one.id, !is_other)?;
    }
    Ok(())
}

/// Notes for which code an open one was seen last.
fn renew(core: &Core, one: &Proposal, change: NearChange) -> Result<ProposalId, Trouble> {
    if one.near().is_some_and(|near| near.code != change.code || near.difference.line != change.difference.line) {
        core.change_proposal(one.id, move |standing| {
            if let Body::Near(near) = &mut standing.body {
                let test = near.test;
                **near = NearChange { test, ..change };
            }
        })?;
    }
    Ok(one.id)
}

fn enter(
    core: &Arc<Core>,
    function: &FunctionId,
    latest: Option<&Proposal>,
    change: NearChange,
    basis: Digest,
) -> Result<ProposalId, Trouble> {
    // What was decided on stays as it was, so that it can be taken back.
    if let Some(old) = latest.filter(|old| old.state == ProposalState::Stale)
        && !core.store().was_decided(old.id)?
    {
        let back = core.move_proposal(old.id, ProposalState::Ready, move |standing| {
            standing.body = Body::Near(Box::new(change));
            standing.skipped = false;
        })?;
        return Ok(back.id);
    }
    let containment = core.state.lock().containment.clone();
    let proposal = Proposal {
        state: ProposalState::Ready,
        evidence: vec![Evidence::new(Finding::Pass, EvidenceKind::Replays, "the same both times, under both versions")],
        containment: Some(containment),
        basis,
        ..Proposal::queued(function.clone(), Body::Near(Box::new(change)), clock::now())
    };
    // Another workbench sees the same save.
    let is_it = move |other: &Proposal| other.basis == basis && is_open(other);
    Ok(core.add_unless(proposal, is_it)?.0.id)
}

fn close(core: &Arc<Core>, function: &FunctionId, id: ProposalId, is_restored: bool) -> Result<(), Trouble> {
    let closed = core.claim(id, |standing| {
        let open = is_open(standing);
        if open {
            standing.state = ProposalState::Stale;
        }
        open
    })?;
    if closed.is_some() && is_restored {
        core.announce(Event::BehaviourRestored { proposal: id, function: function.clone() });
    }
    Ok(())
}

/// Closes what was found of functions that are what they were again, or were removed.
pub fn close_undone(core: &Arc<Core>) -> Result<(), Trouble> {
    let open: Vec<(ProposalId, FunctionId)> = {
        let state = core.state.lock();
        let open = state.proposals.values().filter(|one| is_open(one));
        open.filter_map(|one| Some((one.id, one.function()?.clone()))).collect()
    };
    if open.is_empty() && core.state.lock().near.is_empty() {
        return Ok(());
    }
    let edited = Delta::since_recording(core)?.edited;
    let is_edited = |function: &FunctionId| edited.contains(&Subject::Function(function.clone()));
    Arc::make_mut(&mut core.state.lock().near).forget(|function| !is_edited(function));
    for (id, function) in open.into_iter().filter(|(_, function)| !is_edited(function)) {
        close(core, &function, id, true)?;
    }
    Ok(())
}

/// Lets what waits of a function wait no more: its recorded calls differ, and a person decides on them first.
pub fn set_aside(core: &Arc<Core>, function: &FunctionId) -> Result<(), Trouble> {
    for one in known(core, function)?.iter().filter(|one| one.state == ProposalState::Ready) {
        close(core, function, one.id, false)?;
    }
    Ok(())
}
