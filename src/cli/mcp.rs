//! `pytead-tui mcp`: a server for coding agents on standard input and output, which carry nothing but its protocol.

use crate::base::error::Trouble;
use crate::cli::args::Global;
use crate::cli::exit::OK;
use crate::cli::screen::Screen;
use crate::cli::start::{options, root_of};

/// Serves until the agent leaves.
pub async fn mcp(global: &Global, screen: &impl Screen) -> Result<u8, Trouble> {
    let root = root_of(global, None)?;
    let global = global.clone();
    // Trust and settings are read anew whenever the project is opened: a person may change them while the agent works.
    screen.serve(move || options(&global, root.clone(), false)).await?;
    Ok(OK)
}
