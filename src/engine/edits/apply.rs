//! Edits of files, made.

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
