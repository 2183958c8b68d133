//! Private functions are left to the tests of their callers where these show as much (R22): where they take every way
//! through the code that tests of its own would take, and notice every fault in it that those would notice.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::engine::drafting::evidence::{Beneath, Gathered};
use crate::engine::drafting::written::Made;
use crate::engine::python::environment::Environment;
use crate::engine::state::core::Core;

/// Calls made for it at most; of what is beyond, that its callers' tests run it is enough.
const CALLS_MAX: usize = 400;

/// Takes out the drafts that show nothing which the tests of callers do not show.
///
/// # Errors
/// Fails when the sandbox does.
pub async fn leave(core: &Core, environment: &Environment, gathered: &Gathered, made: &mut [Made]) -> Result<(), Trouble> {
    let beneath = gathered.beneath_others(&core.index(), made);
    let mut wanted: BTreeMap<CallId, (Call, Vec<FunctionId>)> = BTreeMap::new();
    let mut judged = BTreeSet::new();
    for Beneath { at, own, callers } in &beneath {
        if wanted.len() + own.len() + callers.len() > CALLS_MAX {
            continue;
        }
        judged.insert(*at);
        for call in own.iter().chain(callers) {
            let entry = wanted.entry(call.id).or_insert_with(|| (call.clone(), Vec::new()));
            entry.1.push(made[*at].function.clone());
        }
    }
    let wanted: Vec<(Call, Vec<FunctionId>)> = wanted.into_values().collect();
    let seen = if wanted.is_empty() { Default::default() } else { environment.notice(core, &wanted).await? };
    let shows = |calls: &[Call]| -> BTreeSet<u32> {
        calls.iter().filter_map(|call| seen.get(&call.id)).flat_map(|noticed| &noticed.shows).copied().collect()
    };
    for Beneath { at, own, callers } in &beneath {
        if judged.contains(at) && !shows(own).is_subset(&shows(callers)) {
            continue;
        }
        let Some(draft) = made[*at].draft.take() else { continue };
        let reason = ReasonCode::CoveredByCallers.into();
        made[*at].left_out.insert(0, LeftOut { calls: draft.calls.len() as u64, reason });
    }
    Ok(())
}
