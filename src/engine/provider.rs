//! The chosen model, for whoever of the engine asks one.

use std::path::Path;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::engine::core::Core;
use crate::llm::choose;
use crate::llm::provider::Provider;

/// Gives the provider that the settings choose; it sends to another machine only where `consent` names that.
///
/// # Errors
/// As [`choose::choose`].
pub fn provider(settings: &Settings, root: &Path, consent: &Consent) -> Result<Arc<dyn Provider>, Trouble> {
    choose::choose(settings, root, |host| consent.send_to.contains(host), |name| std::env::var(name).ok())
}

/// As [`provider`], for an open project.
///
/// # Errors
/// As [`provider`].
pub fn of(core: &Core) -> Result<Arc<dyn Provider>, Trouble> {
    let consent = core.state.lock().consent.clone();
    provider(&core.settings, &core.root, &consent)
}

/// Names the chosen model for people; asking for it opens no connection.
pub fn label(core: &Core) -> Option<String> {
    let provider = of(core).ok()?;
    let place = if provider.is_local() { "local" } else { provider.host() };
    Some(format!("{}, {place}", provider.model()))
}
