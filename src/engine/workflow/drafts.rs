//! Drafts that a workbench was asked for: noted until they are finished, so that the next start goes on with what is missing.
//!
//! How a draft is made is `drafting/`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::call::RecordingId;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalState;
use crate::engine::drafting;
use crate::engine::replay::first_replay;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;

/// How many of those who asked for drafts here are not served yet.
#[derive(Default)]
struct Asked(AtomicUsize);

/// Drafts that are noted until this is [`finished`](Noted::finished). Dropped before, as when the workbench is closed or dies,
/// the note stays.
pub struct Noted(Arc<Core>);

impl Noted {
    /// Notes that drafts of these functions, or of all, are asked for. Only a workbench goes on by itself: a command prints what
    /// it made, and notes nothing.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub fn new(core: &Arc<Core>, functions: &[FunctionId]) -> Result<Option<Self>, Trouble> {
        if core.watcher.lock().is_none() {
            return Ok(None);
        }
        let all = match core.store().drafting()? {
            Some(before) if before.is_empty() || functions.is_empty() => Vec::new(),
            Some(before) => before.into_iter().chain(functions.iter().cloned()).collect::<BTreeSet<_>>().into_iter().collect(),
            None => functions.to_vec(),
        };
        core.store().keep_drafting(Some(&all))?;
        core.part::<Asked>().0.fetch_add(1, Ordering::Relaxed);
        Ok(Some(Self(core.clone())))
    }

    /// Forgets the note, unless others still work on theirs, or the project is being closed: what stops then was stopped by
    /// nobody.
    ///
    /// # Errors
    /// Fails when the store cannot be written.
    pub fn finished(self) -> Result<(), Trouble> {
        let is_last = self.0.part::<Asked>().0.fetch_sub(1, Ordering::Relaxed) == 1;
        if is_last && !self.0.closing.load(Ordering::Relaxed) {
            self.0.store().keep_drafting(None)?;
        }
        Ok(())
    }
}

/// Drafts and proves tests of these functions, or of all that were recorded, as a person asked.
///
/// # Errors
/// Fails when nothing can be run in this folder, or the store cannot be read.
pub async fn asked(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Done, Trouble> {
    let noted = Noted::new(core, &functions)?;
    let done = drafting::pipeline::draft_asked(core, functions).await;
    noted.map_or(Ok(()), Noted::finished)?;
    done
}

/// Drafts and proves what is missing of a recording: functions without a draft that is ready, a test, or a reason against one.
///
/// # Errors
/// As [`asked`].
pub async fn of_recording(core: &Arc<Core>, recording: RecordingId) -> Result<Done, Trouble> {
    let missing = missing(core, core.store().functions_in(recording)?);
    if missing.is_empty() {
        core.say(
            Level::Info,
            "draft",
            format!("Nothing is missing of recording {}: t on a draft verifies it again.", recording.0),
        );
        return Ok(Done::Nothing);
    }
    let functions = text::count(missing.len(), "function");
    core.say(Level::Info, "draft", format!("Drafting what is missing of recording {}: {functions}. x cancels.", recording.0));
    let noted = Noted::new(core, &missing)?;
    let done = drafting::pipeline::draft(core, missing).await;
    noted.map_or(Ok(()), Noted::finished)?;
    done
}

/// Goes on with drafts that an earlier session did not come to the end of.
pub async fn go_on(core: &Arc<Core>) {
    if let Err(trouble) = try_go_on(core).await {
        core.complain("draft", &trouble);
    }
}

async fn try_go_on(core: &Arc<Core>) -> Result<(), Trouble> {
    let Some(functions) = core.store().drafting()? else { return Ok(()) };
    let wanted = match functions.as_slice() {
        [] => core.store().functions()?.into_iter().map(|total| total.function).collect(),
        some => some.to_vec(),
    };
    let missing = missing(core, wanted);
    let Some(noted) = Noted::new(core, &functions)? else { return Ok(()) };
    if missing.is_empty() {
        return noted.finished();
    }
    let left = text::count(missing.len(), "function");
    core.say(Level::Info, "draft", format!("Going on with the drafts of the last session: {left} left. x cancels."));
    let is_whole = try_calls(core).await? && drafting::pipeline::draft_tried(core, functions).await?.is_some();
    if is_whole {
        first_replay::run_tests_of_rest(core).await?;
    }
    noted.finished()?;
    if !is_whole {
        core.say(Level::Info, "draft", "Stopped. t on a recording drafts what is missing of it.");
    }
    Ok(())
}

/// Tries the calls that nobody tried yet; tells whether that came to its end, and was not cancelled.
async fn try_calls(core: &Arc<Core>) -> Result<bool, Trouble> {
    first_replay::calibrate_rest(core).await?;
    Ok(core.store().untried()?.is_empty())
}

/// Lists those of some functions that have neither a draft that is ready or decided, nor a test, nor a reason against one.
fn missing(core: &Core, functions: Vec<FunctionId>) -> Vec<FunctionId> {
    let index = core.index();
    let state = core.state.lock();
    let is_served = |state: ProposalState| {
        use ProposalState as S;
        matches!(state, S::Ready | S::Accepted | S::Edited | S::Rejected | S::Written | S::Refused)
    };
    let served: BTreeSet<&FunctionId> = state
        .proposals
        .values()
        .filter(|proposal| proposal.draft().is_some() && is_served(proposal.state))
        .filter_map(|proposal| proposal.function())
        .chain(state.tested.iter())
        .chain(state.untestable.keys())
        .collect();
    functions.into_iter().filter(|id| index.function(id).is_some() && !served.contains(id)).collect()
}
