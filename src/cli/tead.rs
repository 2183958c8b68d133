//! `pytead-tui tead`: `run`, then `gen` on what it recorded.

use crate::base::error::Trouble;
use crate::cli::args::{Global, Tead};
use crate::cli::events::with_events;
use crate::cli::exit::INTERRUPTED;
use crate::cli::start::{beside_a_program, trusted_engine};
use crate::cli::{r#gen, run};
use crate::engine::Program;

/// Records a program, drafts from what it recorded, and passes the program's exit code on.
pub async fn tead(global: &Global, args: Tead) -> Result<u8, Trouble> {
    let mut out = beside_a_program(global, args.events.as_deref())?;
    let handle = trusted_engine(global, &mut out).await?;
    args.former.explain();
    let mut functions = Vec::new();
    for target in &args.targets {
        functions.extend(handle.find(target)?);
    }
    let program = Program {
        argv: args.command,
        limit: args.limit,
        targets: args.targets,
        python_path: args.former.additional_sys_path.clone(),
        journey: false,
        drafts: functions.is_empty(),
        check: false,
    };
    let recording = handle.record_attached(program);
    let recording = with_events(&handle, &mut out, recording).await?;
    run::report(&mut out, &recording, None);
    args.former.hand_out(&handle, &mut out, &recording)?;
    let Some(ready) = r#gen::drafts(&handle, &mut out, functions, args.accept).await? else { return Ok(INTERRUPTED) };
    r#gen::place(&handle, &mut out, &ready, args.accept, args.output.as_deref(), args.dir.as_deref())?;
    handle.close().await;
    Ok(run::exit_code(&recording.end))
}
