//! Spool folders that no running command reads: taken in, and removed.
//!
//! A run that was killed leaves one; so does every process with decorated functions that nobody recorded. A folder goes when
//! all of it is stored; calls that are taken in twice are stored once.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::call::{ProgramEnd, Recording, RecordingId};
use crate::domain::event::Level;
use crate::domain::killer::Killer;
use crate::domain::snapshot::Topic;
use crate::engine::recording;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::record::folder::SpoolFolder;
use crate::record::live::{self, Progress};

/// What stands for the command of a process that was not started by us.
const TRACED: &str = "@trace";

/// Takes in a folder that was left behind: of a killed run when its recording is known to have been cut off, of decorated
/// functions when only this user can have written it. Gives the recording whose calls are to be tried, if any.
pub async fn take_in(core: &Arc<Core>, folder: SpoolFolder) -> Result<Option<RecordingId>, Trouble> {
    match recording_of(core, folder)? {
        Some((folder, known)) => take(core, folder, known).await.map(Some),
        None => Ok(None),
    }
}

/// Finds the recording that a folder belongs to, with the folder; none where there is nothing to take in.
fn recording_of(core: &Core, folder: SpoolFolder) -> Result<Option<(SpoolFolder, Recording)>, Trouble> {
    if let Some(started) = folder.traced() {
        let known = recording::run::begin(core, Recording::begun(vec![TRACED.into()], started))?;
        // Its own from here on: a process that dies meanwhile leaves what the next one goes on with.
        let failed = |error| Trouble::environment("Calls of decorated functions wait.").because(format!("{error}."));
        return Ok(Some((folder.adopt(&known.id.0.to_string()).map_err(failed)?, known)));
    }
    let Ok(id) = folder.recording().parse().map(RecordingId) else { return Ok(None) };
    let Some(known) = core.store().recording(id)? else { return Ok(None) };
    match &known.end {
        ProgramEnd::Killed(Killer::Unwatched) => Ok(Some((folder, known))),
        ProgramEnd::Running => Ok(None),
        // All of it was stored, and then the process was killed.
        _ if is_of(&folder, &known) => {
            forget(folder);
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// Tells whether a folder was made after its recording began: it is older where the database was made anew.
fn is_of(folder: &SpoolFolder, known: &Recording) -> bool {
    let modified = folder.path().metadata().and_then(|meta| meta.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).is_some_and(|at| at >= known.started.0)
}

fn forget(folder: SpoolFolder) {
    if let Err(error) = folder.remove() {
        tracing::warn!(%error, "a spool folder was not removed");
    }
}

async fn take(core: &Arc<Core>, folder: SpoolFolder, mut known: Recording) -> Result<RecordingId, Trouble> {
    let id = known.id;
    let traced = known.command == [TRACED];
    let ingest = recording::run::ingest(core, folder.path(), known.started);
    let store = core.store().clone();
    store.forget_journey(id)?;
    let (summary, failed) = blocking(move || {
        let mut failed = None;
        let summary = live::recover(ingest, |progress| {
            if let Progress::Reading(reading) = progress
                && failed.is_none()
            {
                failed = store.ingest(id, reading.batch).err();
            }
        });
        (summary, failed)
    })
    .await?;
    if let Some(error) = failed {
        // The folder stays, and is taken in by the next start.
        return Err(Trouble { what: format!("What was left of recording {} could not be stored.", id.0).into(), ..error.into() });
    }
    summary.apply(&mut known);
    known.end = if traced { ProgramEnd::Exited(0) } else { ProgramEnd::Killed(Killer::Other("an interruption".into())) };
    core.store().update_recording(&known)?;
    // Only now: until here a process that is killed can begin again.
    forget(folder);
    core.edit_recording(id, |row| *row = recording::run::row(known.clone()));
    let calls = text::count(usize::try_from(known.kept).unwrap_or(0), "call");
    if traced {
        core.log.add(
            Level::Done,
            "recorded",
            format!("recording {}: {calls} of decorated functions", id.0),
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
    Ok(id)
}
