//! Recordings as they are stored: listed, and read whole.

use std::collections::BTreeSet;

use crate::base::error::Trouble;
use crate::domain::call::{Call, Recording, RecordingId};
use crate::domain::journey::JourneyEvent;
use crate::domain::touch::StartMethod;
use crate::engine::calls;
use crate::engine::checks::intents::unrecorded_programs;
use crate::engine::state::core::Core;
use crate::judge::evaluate::Missing;
use crate::record::journey::{events, started};

/// Lists the recordings, the newest first, each with the number of events where it is a journey.
pub fn list(core: &Core) -> Result<Vec<(Recording, Option<u64>)>, Trouble> {
    let journeys = core.store().journeys()?;
    let events = |id| journeys.iter().find(|(recording, _)| *recording == id).map(|(_, events)| *events);
    Ok(core.store().recordings()?.into_iter().map(|recording| (recording.clone(), events(recording.id))).collect())
}

/// Reads the journey of a recording.
pub fn journey(core: &Core, id: RecordingId) -> Result<Vec<JourneyEvent>, Trouble> {
    let recording = existing(core, id)?;
    Ok(events(core.store().journey(id)?, recording.started))
}

/// Says why calls may be missing from a journey: the program started others that may run the project's code, and fewer
/// processes wrote down what they did.
pub fn elsewhere(core: &Core, id: RecordingId) -> Result<Option<Missing>, Trouble> {
    let blocks = core.store().journey(id)?;
    let started = started(&blocks);
    let Some(missing) = unrecorded_programs::missing(&started) else { return Ok(None) };
    let processes: BTreeSet<i64> = blocks.iter().map(|block| block.process).collect();
    let forked = started.iter().filter(|start| start.method == StartMethod::Fork).count();
    let recorded = processes.len().saturating_sub(1 + forked);
    Ok((unrecorded_programs::suspects(&started) > recorded).then_some(missing))
}

/// Reads the kept calls of a recording.
pub fn calls(core: &Core, id: RecordingId) -> Result<Vec<Call>, Trouble> {
    existing(core, id)?;
    let mut calls: Vec<Call> = core.store().calls_in(id)?.into_iter().map(calls::read::decode).collect();
    calls.sort_by_key(|call| (call.start_ns, call.id));
    Ok(calls)
}

fn existing(core: &Core, id: RecordingId) -> Result<Recording, Trouble> {
    core.store()
        .recording(id)?
        .ok_or_else(|| Trouble::usage(format!("There is no recording {}.", id.0)).so("pytead-tui export lists the recordings."))
}
