//! The model that the settings choose.

use std::path::Path;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::compat::semantic;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::llm::choose;
use crate::llm::provider::Provider;

/// Gives the provider that the settings choose; it sends to another machine only where `consent` names that.
///
/// # Errors
/// As [`choose::choose`].
pub fn provider(settings: &Settings, root: &Path, consent: &Consent) -> Result<Arc<dyn Provider>, Trouble> {
    let variable = |name: &str| match name.strip_prefix(semantic::FROM_FILE) {
        // Named only where the folder is trusted, and for the host it was given with.
        Some(name) => semantic::file(root).remove(name),
        None => std::env::var(name).ok(),
    };
    choose::choose(settings, root, |host| consent.send_to.contains(host), variable)
}
