//! The chosen model of an open project, for whoever of the engine asks one.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::engine::checks::llm::provider::provider;
use crate::engine::state::core::Core;
use crate::llm::provider::Provider;

/// A provider with the hosts that it may send to.
type Chosen = (BTreeSet<String>, Arc<dyn Provider>);

/// The chosen provider, so that all who ask it share what it has learned and how much it takes at once.
#[derive(Default)]
struct Kept(Mutex<Option<Chosen>>);

/// Gives the provider that the settings choose: the same one until a person allows another host.
///
/// # Errors
/// As [`provider`].
pub fn of(core: &Core) -> Result<Arc<dyn Provider>, Trouble> {
    let consent = core.state.lock().consent.clone();
    let chosen = core.part::<Kept>();
    let mut kept = chosen.0.lock();
    if let Some((send_to, provider)) = &*kept
        && *send_to == consent.send_to
    {
        return Ok(Arc::clone(provider));
    }
    let found = provider(&core.settings(), &core.root, &consent)?;
    *kept = Some((consent.send_to, Arc::clone(&found)));
    Ok(found)
}

/// Forgets the provider: the next who asks gets one by the settings of then.
pub fn forget(core: &Core) {
    core.part::<Kept>().0.lock().take();
}

/// Names the chosen model for people; asking for it opens no connection.
pub fn label(core: &Core) -> Option<String> {
    let provider = of(core).ok()?;
    let place = if provider.is_local() { "local" } else { provider.host() };
    Some(format!("{}, {place}", provider.model()))
}
