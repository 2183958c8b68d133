//! One walk through the queue: proposals keep their number, decided ones stay to go back to, new ones join the end.

use std::collections::{HashMap, HashSet};

use crate::domain::decision::Verb;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::snapshot::QueueRow;

/// The walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pass {
    items: Vec<QueueRow>,
    decided: HashMap<ProposalId, Verb>,
    /// Decided ones that a queue was seen without: when they are back, the decision was taken back.
    left: HashSet<ProposalId>,
    /// What is shown and waits no more, though nobody decided here: another workbench did, or the code went back.
    gone: Option<ProposalId>,
    at: Option<usize>,
}

impl Pass {
    /// Takes the queue as it is now, in its order; what is gone without a decision leaves, but never what is shown.
    pub fn merge(&mut self, queue: &[QueueRow]) {
        let now: HashMap<ProposalId, &QueueRow> = queue.iter().map(|row| (row.id, row)).collect();
        let shown = self.current().map(|row| match row.state {
            // An answer that turned out to be what waits already gives way to that.
            ProposalState::Streaming if !now.contains_key(&row.id) => {
                queue.iter().find(|other| other.subject == row.subject).map_or(row.id, |other| other.id)
            }
            _ => row.id,
        });
        self.items.retain(|row| now.contains_key(&row.id) || self.decided.contains_key(&row.id) || Some(row.id) == shown);
        for item in &mut self.items {
            if let Some(row) = now.get(&item.id) {
                item.clone_from(row);
                if self.left.remove(&item.id) {
                    self.decided.remove(&item.id);
                }
            } else if self.decided.contains_key(&item.id) {
                self.left.insert(item.id);
            }
        }
        self.gone = shown.filter(|id| !now.contains_key(id) && !self.decided.contains_key(id));
        let known: HashSet<ProposalId> = self.items.iter().map(|row| row.id).collect();
        let (changes, others): (Vec<&QueueRow>, Vec<&QueueRow>) = queue
            .iter()
            .filter(|row| !known.contains(&row.id))
            .partition(|row| matches!(row.kind, ProposalKind::Change | ProposalKind::Near));
        // What an edit changed is the next thing to see; everything else joins the end.
        let next = shown.and_then(|id| self.position(id)).map_or(0, |at| at + 1);
        self.items.splice(next..next, changes.into_iter().cloned());
        self.items.extend(others.into_iter().cloned());
        self.at = shown.and_then(|id| self.position(id)).or(if self.items.is_empty() { None } else { self.at.or(Some(0)) });
        self.at = self.at.map(|at| at.min(self.items.len().saturating_sub(1)));
    }

    /// Gives the proposal one stands at.
    #[must_use]
    pub fn current(&self) -> Option<&QueueRow> {
        self.items.get(self.at?)
    }

    /// Gives all of it in order.
    #[must_use]
    pub fn items(&self) -> &[QueueRow] {
        &self.items
    }

    /// Gives the position among what waits, from 1, and how many wait. What waits no more has position 0.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        let waits = |row: &&QueueRow| !self.decided.contains_key(&row.id) && self.gone != Some(row.id);
        let at = self.at.and_then(|at| self.items.get(at).filter(waits).map(|_| at));
        (at.map_or(0, |at| self.items[..=at].iter().filter(waits).count()), self.open())
    }

    /// Counts what waits.
    #[must_use]
    pub fn open(&self) -> usize {
        self.items.iter().filter(|row| !self.decided.contains_key(&row.id) && self.gone != Some(row.id)).count()
    }

    /// Tells whether a proposal that is still shown waits no more, though nobody decided it here.
    #[must_use]
    pub fn is_gone(&self, id: ProposalId) -> bool {
        self.gone == Some(id)
    }

    /// Tells how a proposal was decided in this pass.
    #[must_use]
    pub fn verdict(&self, id: ProposalId) -> Option<Verb> {
        self.decided.get(&id).copied()
    }

    /// Remembers a decision.
    pub fn decide(&mut self, id: ProposalId, verb: Verb) {
        if verb != Verb::Skip {
            self.decided.insert(id, verb);
            // The queue may have been told of it before: when it is there again, it waits again.
            if self.gone == Some(id) {
                self.left.insert(id);
            }
        }
    }

    /// Forgets a decision that was taken back.
    pub fn reopen(&mut self, id: ProposalId) {
        self.decided.remove(&id);
        self.left.remove(&id);
    }

    /// Moves a skipped proposal to the end.
    pub fn skip(&mut self, id: ProposalId) {
        if let Some(at) = self.position(id) {
            let row = self.items.remove(at);
            self.items.push(row);
            if let Some(here) = self.at.filter(|here| at < *here) {
                self.at = Some(here - 1);
            }
        }
    }

    /// Goes to a proposal.
    pub fn go(&mut self, id: ProposalId) -> bool {
        let at = self.position(id);
        if at.is_some() {
            self.at = at;
        }
        at.is_some()
    }

    /// Stands at nothing: a function without a proposal is looked at.
    pub fn rest(&mut self) {
        self.at = None;
    }

    /// Finds the first open proposal about a subject, else a decided one.
    #[must_use]
    pub fn of(&self, subject: &ProposalSubject) -> Option<&QueueRow> {
        let mut all = self.items.iter().filter(|row| row.subject == *subject);
        let first = all.clone().find(|row| !self.decided.contains_key(&row.id));
        first.or_else(|| all.next())
    }

    /// Finds the next one that waits and passes the filter, from here on and around.
    #[must_use]
    pub fn next(&self, takes: impl Fn(&QueueRow) -> bool) -> Option<ProposalId> {
        let from = self.at.map_or(0, |at| at + 1);
        let fits = |row: &&QueueRow| !self.decided.contains_key(&row.id) && takes(row);
        let after = self.items.iter().skip(from).find(fits);
        after.or_else(|| self.items.iter().take(self.at.unwrap_or(0)).find(fits)).map(|row| row.id)
    }

    /// Finds the one before that passes the filter, decided ones too.
    #[must_use]
    pub fn previous(&self, takes: impl Fn(&QueueRow) -> bool) -> Option<ProposalId> {
        let before = self.at.unwrap_or(self.items.len());
        self.items[..before.min(self.items.len())].iter().rev().find(|row| takes(row)).map(|row| row.id)
    }

    fn position(&self, id: ProposalId) -> Option<usize> {
        self.items.iter().position(|row| row.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;

    fn row(id: i64) -> QueueRow {
        QueueRow {
            id: ProposalId(id),
            kind: ProposalKind::Draft,
            subject: crate::domain::function::FunctionId::new("m", &format!("f{id}")).into(),
            path: RelPath::new("m.py").unwrap(),
            state: ProposalState::Ready,
            title: "".into(),
            about: "".into(),
            proved: None,
            ruling: None,
            blocked: None,
            alone: false,
            skipped: false,
        }
    }

    fn ids(pass: &Pass) -> Vec<i64> {
        pass.items().iter().map(|row| row.id.0).collect()
    }

    #[test]
    fn decided_ones_keep_their_number_and_new_ones_join_the_end() {
        let mut pass = Pass::default();
        pass.merge(&[row(1), row(2), row(3)]);
        pass.decide(ProposalId(1), Verb::Accept);
        pass.go(ProposalId(2));
        pass.merge(&[row(9), row(2), row(3)]);
        assert_eq!(ids(&pass), [1, 2, 3, 9]);
        assert_eq!((pass.count(), pass.open()), ((1, 3), 3));
        assert_eq!(pass.previous(|_| true), Some(ProposalId(1)));
        assert_eq!(pass.next(|_| true), Some(ProposalId(3)));
    }

    #[test]
    fn what_is_shown_stays_though_it_is_gone() {
        let mut pass = Pass::default();
        pass.merge(&[row(1), row(2)]);
        pass.merge(&[row(2)]);
        assert_eq!(ids(&pass), [1, 2]);
        assert!(pass.is_gone(ProposalId(1)) && !pass.is_gone(ProposalId(2)));
        pass.go(ProposalId(2));
        pass.merge(&[row(2)]);
        assert_eq!(ids(&pass), [2]);
        pass.merge(&[]);
        assert_eq!(pass.count(), (0, 0), "it waits no more, and neither does another one");
    }

    #[test]
    fn an_answer_that_is_withdrawn_gives_way_to_what_waits_for_its_function() {
        let streaming = QueueRow { state: ProposalState::Streaming, subject: row(1).subject, ..row(2) };
        let mut pass = Pass::default();
        pass.merge(&[row(3), row(1), streaming]);
        pass.go(ProposalId(2));
        pass.merge(&[row(3), row(1)]);
        assert_eq!((ids(&pass), pass.current().unwrap().id), (vec![3, 1], ProposalId(1)));
        assert_eq!(pass.open(), 2);
    }

    #[test]
    fn a_skipped_one_comes_back_at_the_end_and_an_undone_one_waits_again() {
        let mut pass = Pass::default();
        pass.merge(&[row(1), row(2), row(3)]);
        pass.skip(ProposalId(1));
        assert_eq!(ids(&pass), [2, 3, 1]);
        pass.decide(ProposalId(2), Verb::Reject);
        pass.merge(&[row(1), row(3)]);
        assert_eq!(pass.open(), 2);
        pass.merge(&[row(1), row(2), row(3)]);
        assert_eq!(pass.open(), 3);
    }
}
