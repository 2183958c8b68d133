//! Which edits make a function behave differently, found by trying the change in pieces: an edit that does it alone, or
//! those without which it does not happen.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId};
use crate::domain::diff::{DiffedCall, FunctionDiff, How, Kind};
use crate::domain::subject::Subject;
use crate::engine::replay::checkout::Elsewhere;
use crate::engine::replay::pairs::{Pairs, ending};
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::replay::difference;
use crate::source::hunks::Pieces;

/// In a change of more pieces the edits behind a difference are looked for by halves, and not each tried.
const PIECES_MAX: usize = 24;
/// Versions of the code that are made to look by halves: for some eighty edits and three causes.
const VERSIONS_MAX: usize = 48;
/// Calls of a function that pieces are tried with, each with a difference of its own.
const TRIED: usize = 6;

/// A change, and the calls it is tried with.
pub struct Trial<'a> {
    /// What the jobs share.
    pub core: &'a Arc<Core>,
    /// The files before the change.
    pub before: &'a Elsewhere,
    /// The change.
    pub pieces: &'a Pieces,
    /// The calls, with what they do before and after.
    pub pairs: &'a Pairs,
    /// What shows the progress.
    pub job: &'a Job<'a>,
}

impl Trial<'_> {
    /// Says of each function which edits are behind what it does.
    ///
    /// # Errors
    /// Fails when a version of the files cannot be made or the project's Python dies.
    pub async fn explain(&self, functions: &mut [FunctionDiff]) -> Result<(), Trouble> {
        let candidates: Vec<BTreeSet<usize>> = functions.iter().map(|one| self.candidates(one)).collect();
        let several = candidates.iter().filter(|set| set.len() > 1).fold(BTreeSet::new(), |all, set| &all | set);
        let all: BTreeSet<usize> = (0..self.pieces.hunks().len()).collect();
        let mut alone: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); functions.len()];
        let mut together = alone.clone();
        if several.len() <= PIECES_MAX {
            for (done, hunk) in several.iter().enumerate() {
                self.job.progress(done as u64, several.len() as u64);
                let is_subject = |at: &usize| candidates[*at].len() > 1 && candidates[*at].contains(hunk);
                let subjects: Vec<usize> = (0..functions.len()).filter(is_subject).collect();
                let only = BTreeSet::from([*hunk]);
                for at in self.ends_as_today(&only, functions, &subjects).await? {
                    alone[at].insert(*hunk);
                }
            }
            // What no edit does alone takes several: those without which it does not happen.
            for hunk in &several {
                // What is only slower is tried with nothing, and so nothing is said of it.
                let is_subject = |at: &usize| {
                    let open = alone[*at].is_empty() && !tried(&functions[*at]).is_empty();
                    open && candidates[*at].len() > 1 && candidates[*at].contains(hunk)
                };
                let subjects: Vec<usize> = (0..functions.len()).filter(is_subject).collect();
                let rest = &all - &BTreeSet::from([*hunk]);
                let without = self.ends_as_today(&rest, functions, &subjects).await?;
                for at in subjects.into_iter().filter(|at| !without.contains(at)) {
                    together[at].insert(*hunk);
                }
            }
        } else {
            self.narrow(functions, &candidates, &mut alone, &mut together).await?;
        }
        for (at, one) in functions.iter_mut().enumerate() {
            let (chosen, how) = match candidates[at].len() {
                1 => (&candidates[at], How::Only),
                _ if !alone[at].is_empty() => (&alone[at], How::Alone),
                _ if !together[at].is_empty() => (&together[at], How::Together),
                _ => (&candidates[at], How::Entered),
            };
            let edits = chosen.iter().filter_map(|hunk| self.pieces.hunks().get(*hunk)).map(|hunk| hunk.edit.clone()).collect();
            (one.because.edits, one.because.how) = (edits, how);
        }
        Ok(())
    }

    /// Finds for each function the fewest edits that do it, where there are too many to try each.
    async fn narrow(
        &self,
        functions: &[FunctionDiff],
        candidates: &[BTreeSet<usize>],
        alone: &mut [BTreeSet<usize>],
        together: &mut [BTreeSet<usize>],
    ) -> Result<(), Trouble> {
        let mut left = VERSIONS_MAX;
        for at in 0..functions.len() {
            if candidates[at].len() < 2 || !alone[at].is_empty() || !together[at].is_empty() {
                continue;
            }
            let Some(fewest) = self.fewest(&candidates[at], functions, at, &mut left).await? else { continue };
            // What one function differs by, others often do as well.
            let open = |other: &usize| candidates[*other].len() > 1 && alone[*other].is_empty() && together[*other].is_empty();
            let subjects: Vec<usize> = (at..functions.len()).filter(open).collect();
            let explained = self.ends_as_today(&fewest, functions, &subjects).await?;
            let known = if fewest.len() == 1 { &mut *alone } else { &mut *together };
            for other in explained {
                known[other].clone_from(&fewest);
            }
        }
        Ok(())
    }

    /// Finds edits that together do what a function does today, and none of which can be left out (Zeller and Hildebrandt,
    /// "Simplifying and Isolating Failure-Inducing Input", 2002). `None` when all of them do not do it, or versions ran out.
    async fn fewest(
        &self,
        candidates: &BTreeSet<usize>,
        functions: &[FunctionDiff],
        at: usize,
        left: &mut usize,
    ) -> Result<Option<BTreeSet<usize>>, Trouble> {
        let mut edits: Vec<usize> = candidates.iter().copied().collect();
        let mut parts = 1;
        loop {
            let size = edits.len().div_ceil(parts);
            let pieces: Vec<BTreeSet<usize>> = edits.chunks(size).map(|part| part.iter().copied().collect()).collect();
            let whole: BTreeSet<usize> = edits.iter().copied().collect();
            // Of two parts each is what the other leaves.
            let rests = pieces.iter().filter(|_| pieces.len() > 2).map(|piece| &whole - piece);
            let mut smaller = None;
            for (number, version) in pieces.iter().cloned().chain(rests).enumerate() {
                if *left == 0 {
                    return Ok(None);
                }
                *left -= 1;
                self.job.progress((VERSIONS_MAX - *left) as u64, VERSIONS_MAX as u64);
                if !self.ends_as_today(&version, functions, &[at]).await?.is_empty() {
                    smaller = Some((version, number >= pieces.len()));
                    break;
                }
            }
            match smaller {
                None if parts == 1 => return Ok(None),
                None if parts >= edits.len() => return Ok(Some(whole)),
                None => parts = edits.len().min(parts * 2),
                Some((version, _)) if version.len() == 1 => return Ok(Some(version)),
                Some((version, is_rest)) => {
                    edits = version.into_iter().collect();
                    parts = if is_rest { parts - 1 } else { 2 };
                }
            }
        }
    }

    /// Lists the hunks that may be behind what a function does: in functions its calls ran through, and between
    /// functions.
    fn candidates(&self, one: &FunctionDiff) -> BTreeSet<usize> {
        let outermost = |id: &'_ str| id.split(".<locals>").next().unwrap_or(id).to_owned();
        let differing: HashSet<CallId> = one.calls.iter().map(|call| call.call).collect();
        let pairs = self.pairs.get(&one.function).into_iter().flatten().filter(|pair| differing.contains(&pair.call.id));
        let entered = pairs.flat_map(|pair| pair.old.entered.iter().chain(&pair.new.entered));
        let entered: HashSet<String> = entered.chain([&one.function]).map(|id| outermost(&id.0)).collect();
        let hunks = self.pieces.hunks().iter().enumerate();
        let met = hunks.filter(|(_, hunk)| {
            hunk.means
                && match &hunk.edit.subject {
                    Subject::Function(id) => entered.contains(&id.0),
                    Subject::ImportCode(_) => true,
                    Subject::File(_) => false,
                }
        });
        let met: BTreeSet<usize> = met.map(|(number, _)| number).collect();
        if met.is_empty() { (0..self.pieces.hunks().len()).collect() } else { met }
    }

    /// Runs calls of these functions with some hunks made, and lists the functions of which one ends as it does today.
    async fn ends_as_today(
        &self,
        made: &BTreeSet<usize>,
        functions: &[FunctionDiff],
        subjects: &[usize],
    ) -> Result<Vec<usize>, Trouble> {
        let ids: HashSet<CallId> = subjects.iter().flat_map(|at| tried(&functions[*at])).map(|call| call.call).collect();
        let calls: Vec<Call> =
            self.pairs.values().flatten().map(|pair| &pair.call).filter(|call| ids.contains(&call.id)).cloned().collect();
        if calls.is_empty() || self.job.is_cancelled() {
            return Ok(Vec::new());
        }
        let version = self.before.with(self.core, &self.core.index(), self.pieces.with(made)).await?;
        let observed = version.replay(self.core, &calls, self.job).await?;
        let ends = |call: &DiffedCall| {
            ending(observed.get(&call.call)).is_some_and(|seen| difference(&seen.effect, &call.new).is_none())
        };
        Ok(subjects.iter().copied().filter(|at| tried(&functions[*at]).into_iter().any(ends)).collect())
    }
}

/// Chooses calls that differ in different ways; what is only slower ends alike in every version.
fn tried(one: &FunctionDiff) -> Vec<&DiffedCall> {
    let mut chosen: Vec<&DiffedCall> = Vec::new();
    for call in one.calls.iter().filter(|call| call.kind != Kind::Slower) {
        if !chosen.iter().any(|other| other.difference == call.difference) {
            chosen.push(call);
        }
    }
    chosen.truncate(TRIED);
    chosen
}
