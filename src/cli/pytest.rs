//! Runs of pytest that compare, accept or overrule, and their exit codes.

use crate::base::error::Trouble;
use crate::cli::exit::{FINDINGS, INTERRUPTED, OK, WRONG};
use crate::engine::checks::pytest_run;
use crate::engine::{Options, UNTRACED};

/// Prepares a run that is made to compare, to accept or to overrule: the workbench does not hear of its verdicts.
pub(super) fn untraced(options: &Options, words: &[String]) -> Result<std::process::Command, Trouble> {
    let mut command = pytest_run::pytest(&options.root, &options.settings, words)?;
    command.env(UNTRACED, "1");
    Ok(command)
}

/// Waits for pytest and gives our exit code for its own. Beside lines of JSON it prints on the error stream.
pub(super) async fn pytest(mut command: std::process::Command, beside_json: bool) -> Result<u8, Trouble> {
    if beside_json {
        command.stdout(std::io::stderr());
    }
    let mut command = tokio::process::Command::from(command);
    let mut child =
        command.spawn().map_err(|error| Trouble::environment("pytest could not be started.").because(format!("{error}.")))?;
    let mut interrupted = false;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            // The terminal sends it to pytest, too, which ends by itself.
            _ = tokio::signal::ctrl_c() => interrupted = true,
        }
    };
    let status = status.map_err(|error| Trouble::environment("pytest was lost.").because(format!("{error}.")))?;
    Ok(match status.code() {
        Some(0) => OK,
        Some(1) => FINDINGS,
        Some(2) if interrupted => INTERRUPTED,
        Some(2 | 4 | 5) => WRONG,
        _ => 3,
    })
}
