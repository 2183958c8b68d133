//! `pytead-tui tead`: `run`, then `gen` on what it recorded.

use crate::base::error::Trouble;
use crate::cli::args::{Global, Tead};
use crate::cli::output::Output;
use crate::cli::{INTERRUPTED, r#gen, run, trusted_engine, with_events};
use crate::engine::Program;

/// Records a program, drafts from what it recorded, and passes the program's exit code on.
pub async fn tead(global: &Global, args: Tead) -> Result<u8, Trouble> {
    let mut out = Output::beside_a_program(global.format, args.events.as_deref())?;
    let handle = trusted_engine(global, &mut out).await?;
    let program = Program { argv: args.command, limit: args.limit, targets: args.targets, journey: false };
    let recording = handle.record_attached(program);
    let recording = with_events(&handle, &mut out, recording).await?;
    run::report(&mut out, &recording, None);
    let Some(ready) = r#gen::drafts(&handle, &mut out, Vec::new(), args.accept).await? else { return Ok(INTERRUPTED) };
    if !ready.is_empty() && !args.accept {
        out.say(r#gen::NOTHING_WRITTEN);
    }
    handle.close().await;
    Ok(run::exit_code(&recording.end))
}
