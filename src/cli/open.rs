//! `pytead-tui [PATH]`: the workbench.

use std::path::PathBuf;

use crate::base::error::Trouble;
use crate::cli::args::Global;
use crate::cli::exit::OK;
use crate::cli::screen::Screen;
use crate::cli::start::{options, root_of};
use crate::engine;

/// Opens the workbench on a project.
pub async fn open(global: &Global, path: Option<PathBuf>, screen: &impl Screen) -> Result<u8, Trouble> {
    let mut options = options(global, root_of(global, path)?, true)?;
    screen.require_terminal()?;
    options.attended = true;
    let settings = options.settings.tui.clone();
    let handle = engine::open(options).await?;
    let shown = screen.open(handle.clone(), settings).await;
    handle.close().await;
    shown.map(|()| OK)
}
