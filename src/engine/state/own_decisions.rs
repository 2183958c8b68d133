//! Which decisions were made by this process: `undo` takes these back before those of others.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::domain::decision::{Decision, Verb};
use crate::engine::state::core::Core;

/// When this process decided; what was decided at once has one moment.
#[derive(Default)]
struct Own(Mutex<BTreeSet<Moment>>);

/// Notes decisions that were made here.
pub fn note(core: &Core, decisions: &[Decision]) {
    core.part::<Own>().0.lock().extend(decisions.iter().map(|decision| decision.at));
}

/// Gives the last decision of this process that stands.
///
/// # Errors
/// Fails when the database cannot be read.
pub fn last_standing(core: &Core) -> Result<Option<Decision>, Trouble> {
    let moments: Vec<Moment> = core.part::<Own>().0.lock().iter().rev().copied().collect();
    for at in moments {
        if let Some(standing) = core.store().decided_at(at)?.into_iter().find(|decision| !decision.undone) {
            return Ok(Some(standing));
        }
    }
    Ok(None)
}

/// Says which decision `undo` would take back, if it was made by another process or an earlier session.
///
/// # Errors
/// Fails when the database cannot be read.
pub fn of_another(core: &Core) -> Result<Option<Sentence>, Trouble> {
    if last_standing(core)?.is_some() {
        return Ok(None);
    }
    let said = |decision: Decision| {
        let did = match decision.verb {
            Verb::Accept | Verb::Edit => "accepted",
            Verb::Reject => "rejected",
            Verb::Skip => "skipped",
            Verb::Overrule => "overruled",
            Verb::Keep => "kept as a test",
        };
        format!("{} {did} {}", decision.by, decision.subject.short()).into()
    };
    Ok(core.store().last_standing()?.map(said))
}
