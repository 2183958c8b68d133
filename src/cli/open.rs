//! `pytead-tui [PATH]`: the workbench.

use std::path::PathBuf;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::cli::args::Global;
use crate::cli::{OK, options, root_of};
use crate::{engine, tui};

/// Opens the workbench on a project.
pub async fn open(global: &Global, path: Option<PathBuf>) -> Result<u8, Trouble> {
    let options = options(global, root_of(global, path)?, true)?;
    tui::require_terminal()?;
    let screen = options.settings.tui.clone();
    let handle = engine::open(options).await?;
    let shown = tui::run(Arc::new(handle.clone()), screen).await;
    handle.close().await;
    shown.map(|()| OK)
}
