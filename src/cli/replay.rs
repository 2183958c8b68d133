//! `pytead-tui replay`: recorded calls against today's code. Ends with 1 when something changed, and when a file does not
//! parse through which recorded calls may run: what it did to them is not known, and must not pass for nothing.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Replay};
use crate::cli::events::interruptible;
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK};
use crate::cli::output::Output;
use crate::cli::show;
use crate::cli::start::trusted_engine;
use crate::domain::command::Command;
use crate::engine::Done;

/// Replays and prints old → new.
pub async fn replay(global: &Global, args: Replay) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let mut functions = Vec::new();
    for text in &args.functions {
        functions.extend(handle.find(text)?);
    }
    let done = interruptible(&handle, &mut out, handle.perform(Command::Replay { functions })).await?;
    let Some(done) = done else { return Ok(INTERRUPTED) };
    let Done::Replayed { calls, same, changed, unknown, untold, left_out } = done else {
        return Err(Trouble::internal("The replay gave no result."));
    };
    for id in &changed {
        let view = handle.proposal(*id)?;
        out.result("change", &view);
        out.say(show::proposal(&view));
    }
    out.result(
        "replay",
        &serde_json::json!({
            "calls": calls, "same": same, "changed": changed.len(), "unknown": unknown, "untold": untold, "left_out": left_out,
        }),
    );
    let unparsed = show::unparsed(&handle, &mut out)?;
    handle.close().await;
    for (function, calls) in &untold {
        let calls = text::count(usize::try_from(*calls).unwrap_or(0), "recorded call");
        out.say(format!("? {function} was edited, and its {calls} cannot be run: nobody can tell what changed."));
    }
    if calls == 0 && changed.is_empty() && untold.is_empty() {
        out.say(if handle.snapshot().recordings.is_empty() {
            "Nothing to compare: nothing is recorded yet. pytead-tui run records what a program does."
        } else {
            "Nothing to compare: no recorded call can be run."
        });
    } else {
        let calls = text::count(usize::try_from(calls).unwrap_or(0), "call");
        out.say(format!(
            "Compared {calls}: {same} as before, {} changed{}.",
            text::count(changed.len(), "function"),
            if unknown > 0 { format!(", {unknown} that cannot be told") } else { String::new() }
        ));
        if left_out > 0 {
            let calls = text::count(usize::try_from(left_out).unwrap_or(0), "recorded call");
            out.say(format!(
                "Not compared: {calls} that may not run, or end differently when run alone. The workbench tells of each why: c on its function."
            ));
        }
    }
    let hides = unparsed.iter().any(|file| file.calls > 0);
    Ok(if changed.is_empty() && !hides { OK } else { FINDINGS })
}
