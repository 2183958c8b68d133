//! Tests with an intent that were never judged.

use std::collections::BTreeSet;

use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::engine::state::core::Core;
use crate::source::intents;

/// Lists the node ids of tests with an intent that were never judged, in these files.
pub fn nodes(core: &Core, of: &dyn Fn(&RelPath) -> bool) -> Vec<String> {
    let judged: BTreeSet<FunctionId> = core.state.lock().verdicts.values().map(|kept| kept.stored.function.clone()).collect();
    let index = core.index();
    let all = intents::tests(&index, of).into_iter().filter(|test| !judged.contains(&test.function.id));
    all.map(|test| test.node).collect()
}
