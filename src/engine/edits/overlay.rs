//! What files would hold after the edits that are planned already.

use std::collections::HashMap;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::engine::index::files;
use crate::engine::state::core::Core;
use crate::write::manifest::Manifest;

/// What files would hold: the disk, overlaid by edits planned before.
pub type Overlay = HashMap<RelPath, Option<String>>;

/// Gives the manifest's text and what it says.
pub fn manifest(core: &Core, overlay: &Overlay) -> Result<(Option<String>, Manifest), Trouble> {
    let text = content(core, overlay, &manifest_path(core)?)?;
    let list = Manifest::read(text.as_deref())?;
    Ok((text, list))
}

/// Gives the place of the manifest.
pub fn manifest_path(core: &Core) -> Result<RelPath, Trouble> {
    RelPath::new(format!("{}/manifest.yaml", core.settings().output.tests))
        .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))
}

/// Gives a file as it would be after the edits planned before; `None` when there is none.
pub fn content(core: &Core, overlay: &Overlay, path: &RelPath) -> Result<Option<String>, Trouble> {
    match overlay.get(path) {
        Some(text) => Ok(text.clone()),
        None => files::read(&core.root, path),
    }
}
