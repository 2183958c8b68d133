//! Edits of files, made.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::hash;
use crate::domain::decision::FileEdit;
use crate::domain::event::Event;
use crate::engine::state::core::Core;
use crate::write::apply::{self, WriteError};

/// Writes files, and lets the watcher know that it was us.
pub fn write(core: &Core, edits: &[FileEdit]) -> Result<(), WriteError> {
    if let Some(watcher) = core.watcher.lock().as_ref() {
        for edit in edits {
            watcher.expect(&edit.path, edit.after.as_deref().map(|text| hash::of(text.as_bytes())));
        }
    }
    apply::apply(&core.root, edits)?;
    for edit in edits {
        let (added, removed) = (edit.lines_added(), edit.inverse().lines_added());
        core.announce(Event::Wrote { path: edit.path.clone(), added, removed });
    }
    Ok(())
}

/// Writes files that are no decision's: below the project's root, of which the watcher hears, or below a folder elsewhere.
///
/// # Errors
/// As [`write`], in words for a place that can be chosen.
pub fn write_below(core: &Core, base: &Path, edits: &[FileEdit]) -> Result<(), Trouble> {
    let written = if base == core.root { write(core, edits) } else { apply::apply(base, edits) };
    written.map_err(|error| match error {
        WriteError::Link { path } => Trouble::environment(format!("Not written: a part of {path} is a link or no folder."))
            .because("A link in a project may lead anywhere, so none is followed there.")
            .so("Name the folder that it leads to, or another one."),
        other => Trouble::environment(format!("Not written: {other}.")).so("Nothing was changed. Name another place."),
    })
}
