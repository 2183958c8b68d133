//! `pytead-tui completions`: words a shell can offer.

use clap::CommandFactory;

use crate::base::error::Trouble;
use crate::cli::args::Cli;
use crate::cli::exit::OK;
use crate::cli::output;

/// Prints the completions of a shell.
pub fn print(shell: clap_complete::Shell) -> Result<u8, Trouble> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "pytead-tui", &mut text);
    output::raw(&String::from_utf8_lossy(&text));
    Ok(OK)
}
