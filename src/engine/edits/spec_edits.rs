//! What accepting a YAML test would write.

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::proposal::{Proposal, SpecDraft};
use crate::engine::edits::overlay::{Overlay, content};
use crate::engine::state::core::Core;

/// Says what accepting a YAML test writes now: the test, and its plugin.
///
/// # Errors
/// Fails when a file is in the way.
pub fn plan(core: &Core, proposal: &Proposal, spec: &SpecDraft, overlay: &Overlay) -> Result<Vec<FileEdit>, Trouble> {
    let edit = |path: &RelPath, instead_of: Option<&str>, after: &str| {
        let before = content(core, overlay, path)?;
        if before.as_deref() == Some(after) {
            return Ok(None);
        }
        if before.as_deref() != instead_of {
            let what = if instead_of.is_some() { "changed since" } else { "is there already" };
            return Err(Trouble::usage(format!("Not written: {path} {what}."))
                .because("What a person wrote is never overwritten.")
                .so("Rename that file to keep both, or reject the proposal."));
        }
        Ok(Some(FileEdit { path: path.clone(), before, after: Some(after.to_owned()) }))
    };
    let test = edit(&spec.test.path, None, proposal.edited.as_ref().unwrap_or(&spec.test.text))?;
    let plugin = match &spec.plugin {
        Some(plugin) => edit(&plugin.file.path, plugin.instead_of.as_deref(), &plugin.file.text)?,
        None => None,
    };
    Ok(test.into_iter().chain(plugin).collect())
}
