//! The steps of proposals: stored first, taken into memory as the store has them then, announced after. Several processes
//! take steps on one project; who is first is decided in the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::error::Trouble;
use crate::domain::event::Event;
use crate::domain::evidence::Evidence;
use crate::domain::proposal::{Proposal, ProposalId, ProposalState};
use crate::engine::state::core::Core;
use crate::store::{Store, StoreError};

impl Core {
    /// Moves a proposal: persisted first, announced second.
    ///
    /// # Errors
    /// Fails when the step is not allowed from where the proposal stands, or the store cannot be written.
    pub fn move_proposal(
        &self,
        id: ProposalId,
        to: ProposalState,
        change: impl FnOnce(&mut Proposal) + Send + 'static,
    ) -> Result<Arc<Proposal>, Trouble> {
        self.settle_proposal(id, move |proposal| {
            proposal.state = to;
            change(proposal);
        })
    }

    /// Lets `change` move a proposal or leave it, as it stands in the store now; gives it as it is then.
    pub fn settle_proposal(
        &self,
        id: ProposalId,
        change: impl FnOnce(&mut Proposal) + Send + 'static,
    ) -> Result<Arc<Proposal>, Trouble> {
        self.step(|store| store.change_proposal(id, change))
    }

    /// Lets `change` take a proposal on as it stands in the store now, or leave it to whoever was faster; gives it where it
    /// was taken.
    ///
    /// # Errors
    /// As [`Core::move_proposal`].
    pub fn claim(
        &self,
        id: ProposalId,
        change: impl FnOnce(&mut Proposal) -> bool + Send + 'static,
    ) -> Result<Option<Arc<Proposal>>, Trouble> {
        let taken = Arc::new(AtomicBool::new(false));
        let told = taken.clone();
        let stands = self.settle_proposal(id, move |proposal| told.store(change(proposal), Ordering::Relaxed))?;
        Ok(taken.load(Ordering::Relaxed).then_some(stands))
    }

    /// Changes what stands beside a proposal without moving it.
    pub fn change_proposal(
        &self,
        id: ProposalId,
        change: impl FnOnce(&mut Proposal) + Send + 'static,
    ) -> Result<Arc<Proposal>, Trouble> {
        let _whole = self.stepping.lock();
        let kept = Arc::new(self.store().change_proposal(id, change)?);
        self.state.lock().proposals.insert(id, kept.clone());
        self.announce(Event::EvidenceChanged { proposal: id });
        Ok(kept)
    }

    /// Enters a new proposal and gives its number.
    pub fn add_proposal(&self, mut proposal: Proposal) -> Result<Arc<Proposal>, Trouble> {
        self.step(|store| {
            proposal.id = store.insert_proposal(&proposal)?;
            Ok(proposal)
        })
    }

    /// As [`Core::add_proposal`], unless another process entered just this meanwhile; tells whether it is new.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub fn add_unless(
        &self,
        proposal: Proposal,
        is_it: impl Fn(&Proposal) -> bool + Send + 'static,
    ) -> Result<(Arc<Proposal>, bool), Trouble> {
        let mut new = false;
        let stands = self.step(|store| {
            let (stands, entered) = store.insert_proposal_unless(&proposal, is_it)?;
            new = entered;
            Ok(stands)
        })?;
        Ok((stands, new))
    }

    /// Stores a step of a proposal, takes it into memory as the store has it then, and announces it.
    ///
    /// # Errors
    /// Fails as `store` does.
    pub fn step(&self, store: impl FnOnce(&Store) -> Result<Proposal, StoreError>) -> Result<Arc<Proposal>, Trouble> {
        let _whole = self.stepping.lock();
        let kept = Arc::new(store(&self.store())?);
        self.state.lock().proposals.insert(kept.id, kept.clone());
        self.announce(Event::ProposalMoved { proposal: kept.id, subject: kept.subject.clone(), state: kept.state });
        Ok(kept)
    }

    /// As [`Core::step`], of several proposals at once.
    ///
    /// # Errors
    /// Fails as `store` does.
    pub fn steps(&self, store: impl FnOnce(&Store) -> Result<Vec<Proposal>, StoreError>) -> Result<Vec<Arc<Proposal>>, Trouble> {
        let _whole = self.stepping.lock();
        let kept: Vec<Arc<Proposal>> = store(&self.store())?.into_iter().map(Arc::new).collect();
        self.state.lock().proposals.extend(kept.iter().map(|proposal| (proposal.id, proposal.clone())));
        for one in &kept {
            self.announce(Event::ProposalMoved { proposal: one.id, subject: one.subject.clone(), state: one.state });
        }
        Ok(kept)
    }

    /// Takes back a proposal of this process that turned out to be none.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub fn withdraw_proposal(&self, id: ProposalId) -> Result<(), Trouble> {
        let _whole = self.stepping.lock();
        self.store().remove_proposal(id)?;
        self.state.lock().proposals.remove(&id);
        self.announce(Event::Resync);
        Ok(())
    }

    /// Takes into memory what the store has now: these proposals where they are still there, and all that `more` gives.
    ///
    /// # Errors
    /// Fails as `more` does, and when the store cannot be read.
    pub fn take_in(
        &self,
        known: &[ProposalId],
        more: impl FnOnce(&Store) -> Result<Vec<Proposal>, StoreError>,
    ) -> Result<(), Trouble> {
        let _whole = self.stepping.lock();
        let store = self.store();
        let mut read = more(&store)?;
        read.extend(store.proposals(known)?);
        let mut state = self.state.lock();
        for gone in known {
            state.proposals.remove(gone);
        }
        state.proposals.extend(read.into_iter().map(|proposal| (proposal.id, Arc::new(proposal))));
        Ok(())
    }

    /// Shows the evidence of work in progress; it is kept with the next move.
    pub fn show_evidence(&self, id: ProposalId, evidence: Vec<Evidence>) {
        if let Some(proposal) = self.state.lock().proposals.get_mut(&id) {
            Arc::make_mut(proposal).evidence = evidence;
        }
        self.announce(Event::EvidenceChanged { proposal: id });
    }
}

/// Tells whether a proposal may be accepted now.
pub fn is_ready(state: ProposalState) -> bool {
    state == ProposalState::Ready
}
