//! `pytead-tui import`: old traces and spools of another machine become a recording of a trusted project.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Import};
use crate::cli::exit::{OK, WRONG};
use crate::cli::output::Output;
use crate::cli::start::trusted_engine;
use crate::engine::Imported;

/// Files that are named one by one.
const NAMED: usize = 10;

/// Takes in what the paths hold.
pub async fn import(global: &Global, args: Import) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let imported = handle.import(args.paths).await;
    handle.close().await;
    let imported = imported?;
    report(&mut out, &imported);
    Ok(if imported.recording.is_some() || imported.own > 0 && imported.refused.is_empty() { OK } else { WRONG })
}

/// Says what was taken in, and what not.
pub fn report(out: &mut Output, imported: &Imported) {
    out.result("imported", imported);
    if let Some(recording) = &imported.recording {
        let count = |number, noun| text::count(usize::try_from(number).unwrap_or(usize::MAX), noun);
        let calls = count(recording.kept, "call");
        out.say(format!("Recording {}: {calls} of {} imported.", recording.id.0, count(recording.functions, "function")));
        out.say("They were recorded elsewhere: replay and gen try each of them on today's code first.");
    }
    if imported.own > 0 {
        out.say(format!("{} of recordings that are here.", text::count(imported.own, "trace")));
    }
    for refusal in imported.refused.iter().take(NAMED) {
        out.say(format!("Not taken: {}. {}", refusal.path.display(), refusal.reason));
    }
    if let Some(more) = imported.refused.len().checked_sub(NAMED).filter(|more| *more > 0) {
        out.say(format!("Not taken either: {}.", text::count(more, "other file")));
    }
}
