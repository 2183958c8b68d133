//! Modules that cannot be imported today: what is known of them, and who is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::edited::ImportFailure;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Topic;
use crate::engine::state::core::Core;

/// Takes what a replay of these functions found in the place of what was known of them, and tells a person of what is new.
pub fn note(core: &Arc<Core>, replayed: &BTreeSet<FunctionId>, found: &[ImportFailure]) {
    let index = core.index();
    // A file that does not parse is told by itself.
    let parses = |one: &&ImportFailure| index.module(&one.path).is_none_or(|module| module.error.is_none());
    let found: Vec<ImportFailure> = found.iter().filter(parses).cloned().collect();
    let before = {
        let mut state = core.state.lock();
        let before = state.import_failures.clone();
        let is_other = |one: &&ImportFailure| one.functions.iter().any(|(function, _)| !replayed.contains(function));
        let kept = before.iter().filter(is_other).filter(|one| !found.iter().any(|new| is_same(new, one)));
        let now: Vec<ImportFailure> = found.iter().chain(kept).cloned().collect();
        if now != before {
            *state.import_failures = now;
        }
        before
    };
    for one in found.iter().filter(|one| !before.iter().any(|known| is_same(known, one))) {
        core.say_about(Topic::File(one.path.clone()), Level::Error, "replay", one.told());
    }
}

fn is_same(one: &ImportFailure, other: &ImportFailure) -> bool {
    (&one.path, one.line, &one.exception) == (&other.path, other.line, &other.exception)
}
