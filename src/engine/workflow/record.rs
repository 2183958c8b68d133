//! What follows a recording, or one that was cut off: in the workbench, or where that is asked for, its calls are tried and become drafts.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::Recording;
use crate::domain::event::Level;
use crate::domain::snapshot::Trust;
use crate::engine::drafting;
use crate::engine::proving;
use crate::engine::recording::recover;
use crate::engine::recording::run::{self, Program, Recorded, Stdio};
use crate::engine::replay::first_replay;
use crate::engine::state::core::Core;
use crate::engine::workflow::drafts::Noted;
use crate::record::folder::{SpoolFolder, leftovers};

/// Takes in what earlier processes left behind, and tries its calls.
pub async fn recover(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    for place in run::spool_places(core) {
        for folder in leftovers(&place) {
            if let Err(trouble) = take_in(core, folder).await {
                core.complain("recorder", &trouble);
            }
        }
    }
}

async fn take_in(core: &Arc<Core>, folder: SpoolFolder) -> Result<(), Trouble> {
    match recover::take_in(core, folder).await? {
        Some(recording) => first_replay::calibrate(core, recording).await,
        None => Ok(()),
    }
}

/// Runs a program under the recorder to its end and tries its calls. Where drafts of them are wanted, the Pythons for that
/// start while the program still runs, and a few drafts come before all calls were tried.
pub async fn record(core: &Arc<Core>, program: Program, stdio: Stdio) -> Result<Recording, Trouble> {
    let (drafts, check) = (program.drafts, program.check);
    let begins = || {
        let core = core.clone();
        // What is wrong with them is said where they are needed.
        tokio::spawn(async move { proving::pipeline::start_pythons(&core).await });
    };
    let Recorded { recording, noted } = run::record(core, program, stdio, begins).await?;
    // The prompt comes back with the program's end: the next command that needs the calls tries them.
    let now = drafts || check || core.watcher.lock().is_some();
    let drafting = if recording.kept > 0 { Noted::new(core, &[]) } else { Ok(None) };
    let drafting = drafting.unwrap_or_else(|trouble| {
        core.complain("draft", &trouble);
        None
    });
    if recording.kept > 0 && noted && now {
        let try_all = async {
            let wanted = drafts || core.watcher.lock().is_some();
            if wanted && let Err(trouble) = drafting::priority::draft_first(core, recording.id).await {
                core.complain("draft", &trouble);
            }
            first_replay::calibrate(core, recording.id).await?;
            if check { first_replay::run_tests_of_rest(core).await } else { Ok(()) }
        };
        tokio::select! {
            tried = try_all => if let Err(trouble) = tried {
                // What was recorded is kept, and tried when it is needed next.
                core.complain("recorder", &trouble);
            },
            // The program has ended, so the interrupt is for us.
            _ = tokio::signal::ctrl_c(), if stdio == Stdio::Inherited => {
                core.say(Level::Warning, "recorder", "Interrupted: the other calls are tried once more when they are needed.");
            }
        }
    }
    run::announce_end(core, &recording);
    if core.watcher.lock().is_some() && recording.kept > 0 {
        // In the workbench drafts come by themselves; on the command line `gen` asks for them.
        let core = core.clone();
        tokio::spawn(async move {
            if let Err(trouble) = drafting::pipeline::draft(&core, Vec::new()).await {
                core.complain("draft", &trouble);
            }
            if let Err(trouble) = first_replay::run_tests_of_rest(&core).await {
                core.complain("tests", &trouble);
            }
            if let Err(trouble) = drafting.map_or(Ok(()), Noted::finished) {
                core.complain("draft", &trouble);
            }
        });
    }
    Ok(recording)
}
