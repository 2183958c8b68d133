//! `pytead-tui export`: a recording printed whole, for people or as JSON lines, or decisions as training data; nothing is
//! run, so it needs no trust.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::text;
use crate::cli::args::{Export, Global};
use crate::cli::exit::OK;
use crate::cli::output::Output;
use crate::cli::start::engine;
use crate::domain::call::{Call, RecordingId};
use crate::engine::Handle;

/// Characters of a call's arguments, and of its outcome.
const LINE: usize = 100;

/// Prints a recording, or lists all of them.
pub async fn export(global: &Global, args: Export) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = engine(global, &mut out).await?;
    let printed = match args.what.as_deref() {
        None => list(&handle, &mut out),
        Some("finetuning") => finetuning(&handle, &mut out, &args.folder),
        Some(number) => recording(number).and_then(|id| print(&handle, &mut out, id)),
    };
    handle.close().await;
    printed.map(|()| OK)
}

fn recording(number: &str) -> Result<RecordingId, Trouble> {
    number.parse().map(RecordingId).map_err(|_| {
        Trouble::usage(format!("{} is no recording.", text::display_line(number)))
            .so("Name one by its number (pytead-tui export lists them), or write finetuning.")
    })
}

fn finetuning(handle: &Handle, out: &mut Output, folder: &Path) -> Result<(), Trouble> {
    let exported = handle.export_finetuning(folder)?;
    out.result("finetuning", &exported);
    out.say(format!(
        "{} to learn from, {} to measure with, {} rejected, in {}.",
        text::count(exported.learned, "example"),
        exported.tested,
        exported.rejected,
        text::display_line(&folder.display().to_string())
    ));
    if exported.left_out > 0 {
        out.say(format!(
            "{} left out: the function is gone, or a secret may stand in it.",
            text::count(exported.left_out, "draft")
        ));
    }
    out.say("finetuning/README.md of pytead-tui says how to train with them.");
    Ok(())
}

fn list(handle: &Handle, out: &mut Output) -> Result<(), Trouble> {
    let recordings = handle.recordings()?;
    for (recording, events) in &recordings {
        out.result("recording", recording);
        let size = match events {
            Some(events) => format!("journey of {}", text::count(usize::try_from(*events).unwrap_or(usize::MAX), "event")),
            None => text::count(usize::try_from(recording.kept).unwrap_or(usize::MAX), "call"),
        };
        out.say(format!("{:>4}  {size:<24}  {}", recording.id.0, text::command_line(&recording.command)));
    }
    if recordings.is_empty() {
        out.say("Nothing was recorded here yet: pytead-tui run CMD records a program.");
    }
    Ok(())
}

fn print(handle: &Handle, out: &mut Output, id: RecordingId) -> Result<(), Trouble> {
    let journey = handle.journey(id)?;
    let calls = handle.recorded_calls(id)?;
    for (recording, _) in handle.recordings()?.iter().filter(|(recording, _)| recording.id == id) {
        out.result("recording", recording);
    }
    for event in &journey {
        out.result("event", event);
        out.say(event.text());
        if out.is_closed() {
            break;
        }
    }
    for call in &calls {
        out.result("call", call);
        out.say(line(call));
        if out.is_closed() {
            break;
        }
    }
    Ok(())
}

fn line(call: &Call) -> String {
    format!("{}{} {}", call.function.0, call.arguments(LINE), call.effect.outcome.summary(LINE))
}
