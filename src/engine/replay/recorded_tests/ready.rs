//! Getting ready for a save: sandboxes wait in which its tests run at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::contain;
use crate::engine::python::environment;
use crate::engine::python::rerun::{Files, Spares};
use crate::engine::replay::recorded_tests::{Asked, Manner, On, run_tests};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// Runs the fastest recorded test once where none has run yet: it shows what its session imports and which fixtures it sets up, and
/// leaves sandboxes that wait for the next run. Does nothing where nobody waits for saves or no test can run.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn prepare(core: &Arc<Core>) -> Result<(), Trouble> {
    if core.watcher.lock().is_none() || !core.part::<Spares>().is_empty() {
        return Ok(());
    }
    let Some(test) = core.store().fastest_test()? else { return Ok(()) };
    if blocking(contain::available_for_tests).await?.is_err() {
        return Ok(());
    }
    let python = environment::contained(core).await?;
    let asked = Asked { tests: core.store().recorded_tests(&[test])?, functions: BTreeMap::from([(test, BTreeSet::new())]) };
    let today = On { index: core.index(), files: Files::default() };
    let manner = Manner { groups: 1, ..Manner::default() };
    run_tests(core, &python, &today, asked, manner, &CancellationToken::new()).await.map(|_| ())
}

/// Ends the sandboxes that wait.
pub async fn end(core: &Arc<Core>) {
    let spares = core.part::<Spares>();
    // Each is waited for.
    let _ = blocking(move || spares.end()).await;
}
