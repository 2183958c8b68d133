//! `pytead-tui spec new`: a YAML test by the chosen language model, checked by our own schema, left for review. Ends with 1
//! when what it wrote cannot be accepted.

use crate::base::error::Trouble;
use crate::cli::args::{Global, SpecNew};
use crate::cli::draft::Run;
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK};
use crate::cli::output::Output;
use crate::cli::start::{opened, options, root_of};
use crate::domain::command::Command;
use crate::engine;

/// Asks the model, streams what it writes, prints what it came to.
pub async fn new(global: &Global, args: SpecNew) -> Result<u8, Trouble> {
    let global = args.models.with(global);
    let mut out = Output::stdout(global.format);
    let options = options(&global, root_of(&global, None)?, false)?;
    engine::require_trust(&options.root, options.trust)?;
    let handle = opened(options, &mut out).await?;
    let mut run = Run::new(&handle, !out.is_json());
    let asked = run.one(&mut out, Command::AskSpec { asked: args.description, name: args.name, extend: args.extend }).await;
    let interrupted = run.interrupted;
    handle.close().await;
    let ready = asked?;
    if ready {
        out.say("It waits in pytead-tui and in pytead-tui review: nothing is written, run or imported before you accept it.");
    }
    Ok(match (interrupted, ready) {
        (true, _) => INTERRUPTED,
        (false, true) => OK,
        (false, false) => FINDINGS,
    })
}
