//! The last run of a proof: all its drafts in one fresh Python, beside earlier ones that they may spoil or be spoiled by. What
//! fails there is tried again with all that may be behind it, so that a test which makes others fail is found whichever batch it was
//! proved in, and whenever.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::contain::{self, Class, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::proposal::{Draft, Proposal, ProposalId, ProposalState};
use crate::engine::proving::basis;
use crate::engine::proving::pipeline::{effective, is_foreign, round, seeds};
use crate::engine::proving::trials;
use crate::engine::python::environment::Environment;
use crate::engine::python::fresh_process::Fresh;
use crate::engine::python::fresh_process::Way;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::prove::{Manner, words};
use crate::generate::stand_ins;

/// Drafts that failed in company, and drafts that may be behind it, tried together: as many as a batch has.
const VICTIMS: usize = 24;
const SUSPECTS: usize = 48;
/// Earlier drafts and accepted tests beside those of a proof.
const COMPANY: usize = 200;

/// Runs what warm Pythons passed in a fresh one too; what fails there is not ready any more.
pub async fn in_fresh(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    ids: &[ProposalId],
    job: &Job<'_>,
) -> Result<(), Trouble> {
    let waiting = ids.iter().filter_map(|id| core.proposal(*id).ok()).filter(|one| is_ready(one) && is_pending(one));
    let (foreign, own): (Vec<_>, Vec<_>) = waiting.partition(|proposal| is_foreign(proposal));
    let last = Last { core, environment, job };
    last.check(foreign, contain::level_for(Class::Foreign)).await?;
    if own.is_empty() {
        return Ok(());
    }
    let company = last.earlier(&own)?;
    last.check([own, company].concat(), environment.level).await
}

fn is_ready(proposal: &Proposal) -> bool {
    proposal.state == ProposalState::Ready
}

fn is_pending(proposal: &Proposal) -> bool {
    proposal.evidence.iter().any(|line| line.what == EvidenceKind::NewProcess && line.finding == Finding::Pending)
}

/// Tells whether it may spoil others. That its tests fill a memory of the code's leaves no traces that anybody sees, but where
/// one says what was asked, it fails when another had it remembered before.
fn may_spoil(proposal: &Proposal) -> bool {
    proposal.evidence.iter().any(|line| line.what == EvidenceKind::GlobalState) || has_stand_ins(proposal)
}

fn has_stand_ins(proposal: &Proposal) -> bool {
    proposal.draft().is_some_and(|draft| !stand_ins::named(&draft.text).is_empty())
}

struct Last<'a> {
    core: &'a Arc<Core>,
    environment: &'a Arc<Environment>,
    job: &'a Job<'a>,
}

impl Last<'_> {
    /// Lists what was proved before, and waits for a decision or was accepted: all where one of these drafts may spoil others,
    /// and what may spoil these itself.
    fn earlier(&self, own: &[Arc<Proposal>]) -> Result<Vec<Arc<Proposal>>, Trouble> {
        let accepted = self.core.store().proposals_in(&[ProposalState::Written])?.into_iter().map(Arc::new);
        let waiting: Vec<_> = self.core.state.lock().proposals.values().filter(|one| is_ready(one)).cloned().collect();
        let all = own.iter().any(|one| may_spoil(one));
        let other = |one: &Arc<Proposal>| own.iter().all(|proved| proved.id != one.id);
        let concerned = |one: &Arc<Proposal>| one.draft().is_some() && !is_foreign(one) && (all || may_spoil(one));
        Ok(waiting.into_iter().chain(accepted).filter(concerned).filter(other).take(COMPANY).collect())
    }

    async fn check(&self, all: Vec<Arc<Proposal>>, level: Level) -> Result<(), Trouble> {
        if level == Level::None {
            return Ok(());
        }
        let mut failed = self.run(&all, level).await?;
        let suspects = all.iter().filter(|one| may_spoil(one) && !failed.contains(&one.id)).map(|one| one.id);
        let suspects: Vec<ProposalId> = suspects.take(SUSPECTS).collect();
        // In two orders each of two may fail after the other.
        if !failed.is_empty() && failed.len() + suspects.len() > 1 {
            self.prove(failed.into_iter().take(VICTIMS).chain(suspects).collect(), level).await?;
            let mut ready = Vec::new();
            for one in &all {
                ready.extend(Some(self.core.proposal(one.id)?).filter(|one| is_ready(one)));
            }
            failed = self.run(&ready, level).await?;
        }
        for id in failed {
            let proposal = self.core.proposal(id)?;
            if is_ready(&proposal) {
                if let Some(function) = proposal.function() {
                    self.environment.provers.distrust(function);
                }
                self.prove(vec![id], level).await?;
            }
        }
        Ok(())
    }

    /// Runs drafts in one fresh Python and says so of those that waited for it and passed; gives the others.
    async fn run(&self, all: &[Arc<Proposal>], level: Level) -> Result<Vec<ProposalId>, Trouble> {
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let drafts: Vec<(ProposalId, Draft)> =
            all.iter().map(|one| Ok((one.id, effective(one)?))).collect::<Result<_, Trouble>>()?;
        let fresh = Fresh::new(self.core, self.environment, level, &self.job.cancel);
        let way = |manner| Way { manner, hash_seed: trials::hash_seed(seeds(self.core)), elsewhere: true };
        let mut ways = vec![way(Manner::Shuffled)];
        if all.iter().any(|one| has_stand_ins(one)) {
            ways.extend([way(Manner::Forward), way(Manner::Backward)]);
        }
        let seen = blocking(move || fresh.prove(&drafts, &ways)).await??;
        let mut failed = Vec::new();
        for proposal in all {
            let Some([run, more @ ..]) = seen.get(&proposal.id).map(|seen| &*seen.runs) else { continue };
            match run.end.passed().filter(|_| more.iter().all(|run| run.end.passed().is_some())) {
                Some(tests) => self.note(proposal, words::fresh(run, all.len()), tests)?,
                None => failed.push(proposal.id),
            }
        }
        Ok(failed)
    }

    /// Puts what was seen where it was waited for.
    fn note(&self, proposal: &Arc<Proposal>, line: Evidence, tests: usize) -> Result<(), Trouble> {
        if !is_ready(proposal) || !is_pending(proposal) {
            return Ok(());
        }
        let proved = proposal.clone();
        self.core.change_proposal(proposal.id, move |standing| {
            // A person may have been quicker.
            if standing.body != proved.body || standing.edited != proved.edited {
                return;
            }
            let all = u32::try_from(tests).unwrap_or(u32::MAX);
            standing.proved = standing.proved.map(|(passed, made)| (passed + all, made + all));
            if let Some(pending) = standing.evidence.iter_mut().find(|line| line.what == EvidenceKind::NewProcess) {
                *pending = line;
            }
        })?;
        Ok(())
    }

    /// Proves drafts again that are still ready; what was accepted is only tried with them, as what others may spoil.
    async fn prove(&self, ids: Vec<ProposalId>, level: Level) -> Result<(), Trouble> {
        let mut open = Vec::new();
        for id in ids {
            let claimed = self.core.claim(id, |standing| {
                let ready = is_ready(standing);
                if ready {
                    standing.state = ProposalState::Proving;
                }
                ready
            })?;
            open.push(claimed.map_or_else(|| self.core.proposal(id), Ok)?);
        }
        open.retain(|one| matches!(one.state, ProposalState::Proving | ProposalState::Written));
        let code = basis::code_of(self.core, open.iter().filter_map(|one| one.function().cloned()).collect()).await?;
        round(self.core, self.environment, open, level, &code, &self.job.cancel).await
    }
}
