//! Spool folders that no running command reads: taken in, and removed.
//!
//! A run that was killed leaves one; so does every process with decorated functions that nobody recorded.

use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::call::{ProgramEnd, Recording, RecordingId};
use crate::domain::event::Level;
use crate::domain::snapshot::{Topic, Trust};
use crate::engine::core::Core;
use crate::engine::{blocking, calibrating, recording};
use crate::record::folder::{SpoolFolder, leftovers};
use crate::record::live::{self, Progress};
use crate::store::INTERRUPTED;

/// What stands for the command of a process that was not started by us.
const TRACED: &str = "@trace";

/// Takes in what was left behind: of a killed run when its recording is known to have been cut off, of decorated functions
/// when only this user can have written it.
pub async fn take_in(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    for place in recording::spool_places(core) {
        for folder in leftovers(&place) {
            let recording = match folder.traced() {
                Some(started) => begin_traced(core, started),
                None => Ok(cut_off(core, &folder)),
            };
            let taken = match recording {
                Ok(Some(known)) => take(core, folder, known).await,
                Ok(None) => Ok(()),
                Err(trouble) => Err(trouble),
            };
            if let Err(trouble) = taken {
                core.complain("recorder", &trouble);
            }
        }
    }
}

fn cut_off(core: &Core, folder: &SpoolFolder) -> Option<Recording> {
    let id = folder.recording().parse().ok().map(RecordingId)?;
    core.store().recording(id).ok().flatten().filter(|known| known.end == ProgramEnd::Killed(INTERRUPTED.into()))
}

fn begin_traced(core: &Core, started: Moment) -> Result<Option<Recording>, Trouble> {
    let recording = recording::begin(core, Recording::begun(vec![TRACED.into()], started))?;
    Ok(Some(recording))
}

async fn take(core: &Arc<Core>, folder: SpoolFolder, mut known: Recording) -> Result<(), Trouble> {
    let id = known.id;
    let traced = folder.traced().is_some();
    let ingest = recording::ingest(core, folder.path(), known.started);
    let store = core.store().clone();
    store.forget_journey(id)?;
    let summary = blocking(move || {
        live::recover(folder, ingest, |progress| {
            if let Progress::Reading(reading) = progress
                && let Err(error) = store.ingest(id, reading.batch)
            {
                tracing::warn!(%error, "a leftover recording was not stored");
            }
        })
    })
    .await?;
    summary.apply(&mut known);
    known.end = if traced { ProgramEnd::Exited(0) } else { ProgramEnd::Killed("an interruption".into()) };
    core.store().update_recording(&known)?;
    core.edit_recording(id, |row| *row = recording::row(known.clone()));
    let calls = text::count(usize::try_from(known.kept).unwrap_or(0), "call");
    if traced {
        core.log.add(
            Level::Done,
            "recorded",
            &format!("recording {}: {calls} of decorated functions", id.0),
            Some(Topic::Recording(id)),
        );
    } else {
        core.say_about(
            Topic::Recording(id),
            Level::Warning,
            "recorded",
            format!("Recording {} was cut off; its {calls} are kept.", id.0),
        );
    }
    core.reload_recorded()?;
    calibrating::calibrate(core, id).await
}
