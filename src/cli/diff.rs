//! `pytead-tui diff`: what a change of the code does, from recorded calls. Ends with 1 when something behaves differently or
//! cannot be imported; with 4 when nothing does, and edited code was not compared.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::cli::args::{self, Format, Global};
use crate::cli::events::interruptible;
use crate::cli::exit::{self, INTERRUPTED};
use crate::cli::output::Output;
use crate::cli::start::trusted_engine;
use crate::domain::command::Command;
use crate::engine::Done;
use crate::engine::handle::diff_report;

/// Compares and prints, in the form that was asked for.
pub async fn diff(global: &Global, args: args::Diff) -> Result<u8, Trouble> {
    let mut out = Output::stdout(global.format);
    let handle = trusted_engine(global, &mut out).await?;
    let work = handle.perform(Command::Diff { reference: args.reference });
    let Some(done) = interruptible(&handle, &mut out, work).await? else { return Ok(INTERRUPTED) };
    let Done::Diffed(diff) = done else { return Err(Trouble::internal("The comparison gave no result.")) };
    let mut diff = Arc::unwrap_or_clone(diff);
    if args.near.is_some() {
        let Some(near) = interruptible(&handle, &mut out, handle.near(Some(&diff.reference), &diff.edits)).await? else {
            return Ok(INTERRUPTED);
        };
        diff.near = Some(near);
    }
    handle.close().await;
    out.result("diff", &diff);
    out.say(match global.format {
        Format::Agent => diff_report::agent(&diff, diff_report::AGENT_MAX),
        Format::Markdown => diff_report::markdown(&diff),
        Format::Human | Format::Json | Format::Pickle | Format::GraphJson => diff_report::human(&diff),
    });
    Ok(exit::compared(!diff.is_silent() || exit::is_near(args.near, diff.near.as_ref()), &diff.edits, args.allow_uncompared))
}
