//! The verdicts of tests as the workbench knows them, and their rows.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Proposal, ProposalId};
use crate::domain::snapshot::{Mark, UnjudgedRow, VerdictRow};
use crate::domain::verdict::Ruling;
use crate::engine::state::rows;
use crate::source::index::Index;
use crate::source::intents;
use crate::store::StoredVerdict;

/// The last verdict of a test, and whether what it ran through changed since.
#[derive(Debug, Clone)]
pub struct Kept {
    /// As stored, without its journey.
    pub stored: StoredVerdict,
    /// When code that the test ran through was edited last.
    pub edited: Option<Moment>,
}

impl Kept {
    /// Notes that code which the test ran through was just edited: later than its run, whatever the clock was set to since.
    pub fn edit(&mut self, now: Moment) {
        self.edited = Some(now.max(self.stored.judged.began));
    }

    /// Tells whether code that the test ran through changed since its run began.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.edited.is_some_and(|at| at >= self.stored.judged.began)
    }

    /// Tells whether the test ran through one of these functions, or through functions of these files.
    pub fn rests_on(&self, functions: &BTreeSet<FunctionId>, files: &[RelPath], index: &Index) -> bool {
        let own = &self.stored.function;
        let mut entered = self.stored.entered.iter().chain([own]);
        let of_file = |id: &FunctionId| index.module_of(id).is_some_and(|module| files.contains(&module.path));
        entered.any(|id| functions.contains(id) || of_file(id))
    }
}

/// Makes the rows of the snapshot: the worst first, then by test. Tests that are gone are left out.
pub fn rows<'a>(
    kept: impl Iterator<Item = &'a Kept>,
    proposals: impl Iterator<Item = &'a Arc<Proposal>>,
    index: &Index,
) -> Vec<VerdictRow> {
    let waiting = proposals.filter(|one| rows::is_in_queue(one));
    let waiting: HashMap<&str, ProposalId> =
        waiting.filter_map(|one| one.verdict().map(|verdict| (verdict.test.as_str(), one.id))).collect();
    let row = |kept: &Kept| {
        let StoredVerdict { judged, function, since, .. } = &kept.stored;
        let known = index.function(function)?;
        Some(VerdictRow {
            test: judged.test.clone(),
            function: function.clone(),
            path: judged.file.clone(),
            line: Some(known.span.def),
            ruling: judged.verdict.verdict,
            overridden: judged.verdict.overridden,
            evaluator: judged.verdict.evaluator.clone(),
            reason: judged.verdict.reason.clone(),
            at: judged.at,
            since: *since,
            stale: kept.is_stale(),
            proposal: waiting.get(judged.test.as_str()).copied(),
        })
    };
    let mut all: Vec<VerdictRow> = kept.filter_map(row).collect();
    all.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.test.cmp(&other.test)));
    all
}

/// Makes the rows of tests with an intent that were never judged, by file and line.
pub fn unjudged<'a>(kept: impl Iterator<Item = &'a Kept>, index: &Index) -> Vec<UnjudgedRow> {
    let judged: BTreeSet<&FunctionId> = kept.map(|kept| &kept.stored.function).collect();
    let all = intents::tests(index, &|_| true).into_iter().filter(|test| !judged.contains(&test.function.id));
    let row = |test: intents::WithIntent<'_>| UnjudgedRow {
        test: test.node,
        path: test.function.path.clone(),
        line: test.function.span.def,
        decorator: test.decorator.to_owned(),
    };
    all.map(row).collect()
}

fn rank(row: &VerdictRow) -> u8 {
    match row.ruling {
        _ if row.overridden => 3,
        Ruling::Fail => 0,
        Ruling::Error => 1,
        Ruling::Unclear => 2,
        Ruling::Pass => 4,
    }
}

/// Gives the mark of each test function: the worst of its verdicts.
pub fn marks<'a>(kept: impl Iterator<Item = &'a Kept>) -> HashMap<&'a FunctionId, Mark> {
    let mut out: HashMap<&FunctionId, Mark> = HashMap::new();
    for kept in kept {
        let verdict = &kept.stored.judged.verdict;
        let mark = match verdict.verdict {
            _ if verdict.overridden => continue,
            Ruling::Fail => Mark::Failing,
            Ruling::Error => Mark::Error,
            Ruling::Unclear => Mark::Unclear,
            Ruling::Pass if kept.is_stale() => Mark::Stale,
            Ruling::Pass => Mark::Tested,
        };
        let worst = out.entry(&kept.stored.function).or_insert(mark);
        *worst = mark.min(*worst);
    }
    out
}

/// Leaves the file of a test out of its name.
pub fn short(test: &str) -> &str {
    test.split_once("::").map_or(test, |(_, name)| name)
}
