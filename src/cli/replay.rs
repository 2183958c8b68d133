//! `pytead-tui replay`: recorded calls against today's code. Ends with 1 when something changed or cannot be imported, and when a
//! file does not parse through which recorded calls may run; with 4 when nothing did, and edited code was not compared.

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Global, Replay};
use crate::cli::events::interruptible;
use crate::cli::exit::{self, INTERRUPTED, UNABLE};
use crate::cli::output::Output;
use crate::cli::show;
use crate::cli::start::trusted_engine;
use crate::domain::command::Command;
use crate::engine::Done;
use crate::generate::near as words;

/// Replays recorded calls and prints each changed result beside the former one.
pub async fn replay(global: &Global, args: Replay) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let mut functions = Vec::new();
    for text in &args.functions {
        functions.extend(handle.find(text)?);
    }
    let done = interruptible(&handle, &mut out, handle.perform(Command::Replay { functions })).await?;
    let Some(done) = done else { return Ok(INTERRUPTED) };
    let Done::Replayed { calls, same, changed, not_compared, edits } = done else {
        return Err(Trouble::internal("The replay gave no result."));
    };
    for id in &changed {
        let view = handle.proposal(*id)?;
        out.result("change", &view);
        out.say(show::proposal(&view));
    }
    let near = match args.near {
        Some(_) => match interruptible(&handle, &mut out, handle.near(None, &edits)).await? {
            Some(near) => Some(near),
            None => return Ok(INTERRUPTED),
        },
        None => None,
    };
    out.result(
        "replay",
        &serde_json::json!({
            "calls": calls, "same": same, "changed": changed.len(), "not_compared": not_compared, "edits": edits,
            "near": near,
        }),
    );
    let unparsed = show::unparsed(&handle, &mut out)?;
    handle.close().await;
    edits.lines().into_iter().for_each(|line| out.say(line));
    if handle.snapshot().recordings.is_empty() {
        out.say("Nothing to compare: nothing is recorded yet. pytead-tui run records what a program does.");
        return Ok(UNABLE);
    }
    let not = if not_compared > 0 { format!(", {not_compared} not compared") } else { String::new() };
    let edited = edits.sum().map_or_else(String::new, |sum| format!(" {sum}"));
    out.say(format!(
        "{} compared: {same} as before, {} changed{not}.{edited}",
        text::count_u64(calls, "call"),
        text::count(changed.len(), "function"),
    ));
    near.iter().flat_map(words::lines).for_each(|line| out.say(line));
    if not_compared > 0 && edits.not_compared().next().is_none() {
        out.say("Calls that were not compared may not run, or end differently when run alone. The workbench tells why: c on a function.");
    }
    let hides = unparsed.iter().any(|file| file.calls > 0);
    let found = hides || !changed.is_empty() || exit::is_near(args.near, near.as_ref());
    Ok(exit::compared(found, &edits, args.allow_uncompared))
}
