//! The drafts of functions, one each, from what was gathered of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Draft, LeftOut};
use crate::domain::value::Value;
use crate::generate::check::Check;
use crate::generate::choose;
use crate::generate::plan::Plan;
use crate::generate::project::Project;
use crate::generate::render;

/// A function and what could be written for it.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// The function.
    pub function: FunctionId,
    /// Its draft, if there is anything to test.
    pub draft: Option<Draft>,
    /// Calls without a test, and why.
    pub left_out: Vec<LeftOut>,
    /// What the assertions of the draft have to see: looked at once, when the draft is written.
    #[serde(skip)]
    pub checks: Vec<Check>,
}

/// A function, its calls, and why others do not count.
pub(super) type Recorded = (Function, Vec<Call>, Vec<LeftOut>);

/// Writes the drafts of functions.
pub(super) fn drafts_of<'p>(
    functions: &'p [Recorded],
    project: Project<'p>,
    answers: &HashMap<usize, BTreeMap<u64, Result<Value, String>>>,
    folder: &str,
    (most, accepted): (usize, &BTreeMap<FunctionId, BTreeSet<Digest>>),
    cancel: &CancellationToken,
) -> Result<Vec<Made>, Trouble> {
    let none = BTreeSet::new();
    let mut made = Vec::new();
    for (at, (function, calls, left_out)) in functions.iter().enumerate() {
        if cancel.is_cancelled() {
            break;
        }
        let mut plan = Plan::new(function, &calls.iter().collect::<Vec<_>>(), project);
        plan.settle(answers.get(&at).unwrap_or(&BTreeMap::new()), |value| project.without_caches(value));
        let target = render::target(folder, function.id.module())
            .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
        let mut reasons = left_out.clone();
        let mut draft = plan.draft(function, project, &target, most, accepted.get(&function.id).unwrap_or(&none));
        match &mut draft {
            Some(draft) => {
                draft.left_out.append(&mut reasons);
                choose::merge(&mut draft.left_out);
                reasons.clone_from(&draft.left_out);
            }
            None => reasons.extend(plan.left_out()),
        }
        let checks = draft.as_ref().map(|draft| plan.checks(&draft.calls)).unwrap_or_default();
        made.push(Made { function: function.id.clone(), draft, left_out: reasons, checks });
    }
    Ok(made)
}

/// Lists the faults of a function, by their numbers, that all of its calls were tried with and none noticed.
pub(super) fn unseparated(calls: &[Call], silent: &HashMap<CallId, BTreeSet<u32>>) -> BTreeSet<u32> {
    let mut silent = calls.iter().map(|call| silent.get(&call.id));
    let Some(Some(first)) = silent.next() else { return BTreeSet::new() };
    silent.try_fold(first.clone(), |all, one| Some(&all & one?)).unwrap_or_default()
}
