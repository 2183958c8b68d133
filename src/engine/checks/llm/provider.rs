//! The chosen model, for whoever of the engine asks one.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::compat::semantic;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::engine::state::core::Core;
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

/// The provider of an open project, with the hosts that may be sent to.
pub type Kept = Mutex<Option<(BTreeSet<String>, Arc<dyn Provider>)>>;

/// As [`provider`], for an open project: the same one until a person allows another host.
///
/// # Errors
/// As [`provider`].
pub fn of(core: &Core) -> Result<Arc<dyn Provider>, Trouble> {
    let consent = core.state.lock().consent.clone();
    let mut kept = core.provider.lock();
    if let Some((send_to, provider)) = &*kept
        && *send_to == consent.send_to
    {
        return Ok(Arc::clone(provider));
    }
    let found = provider(&core.settings(), &core.root, &consent)?;
    *kept = Some((consent.send_to, Arc::clone(&found)));
    Ok(found)
}

/// Names the chosen model for people; asking for it opens no connection.
pub fn label(core: &Core) -> Option<String> {
    let provider = of(core).ok()?;
    let place = if provider.is_local() { "local" } else { provider.host() };
    Some(format!("{}, {place}", provider.model()))
}
