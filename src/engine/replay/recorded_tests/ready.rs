//! Getting ready for a save: sandboxes wait in which its tests run at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::contain;
use crate::domain::recorded_test::{Runner, TestId, TestSession};
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::rerun::{Files, Loaded, Spares};
use crate::engine::replay::recorded_tests::{Asked, Manner, On, run_tests};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;

/// Runs the fastest recorded test once where none has run yet: it shows what its session imports and which fixtures it sets up, and
/// leaves sandboxes that wait for the next run. Does nothing where nobody waits for saves or no test can run.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn prepare(core: &Arc<Core>) -> Result<(), Trouble> {
    let spares = core.part::<Spares>();
    if core.watcher.lock().is_none() || !spares.is_empty() {
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
    run_tests(core, &python, &today, asked, manner, spares.ended()).await.map(|_| ())
}

/// Finds out what sessions import that is not the project's, and can be imported before everything else: so all their runs begin in the
/// same way, those of sandboxes that wait for a save, too.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub(super) async fn learn_modules(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    asked: &Asked,
    cancel: &CancellationToken,
) -> Result<(), Trouble> {
    let known = core.store().session_modules()?;
    let mut new: BTreeMap<&TestSession, TestId> = BTreeMap::new();
    for (id, test) in asked.tests.iter().filter(|(_, test)| !test.is_start() && !known.contains_key(&*test.session)) {
        if matches!(test.session.runner, Runner::Pytest { .. }) {
            new.entry(&test.session).or_insert(*id);
        }
    }
    for (session, test) in new {
        let one = Asked {
            tests: asked.tests.get(&test).map(|of| (test, of.clone())).into_iter().collect(),
            functions: BTreeMap::from([(test, BTreeSet::new())]),
        };
        let mut modules = BTreeMap::new();
        // Once to see which there are, and once more to see which of them want something first, such as a setting.
        for _ in 0..2 {
            let tried = Some(HashMap::from([(session.clone(), modules.clone())]));
            let manner = Manner { groups: 1, modules: tried, ..Manner::default() };
            let Loaded { modules: found, failed } = run_tests(core, python, on, one.clone(), manner, cancel).await?.loaded;
            if cancel.is_cancelled() {
                return Ok(());
            }
            if modules.is_empty() {
                modules = found;
            }
            modules.retain(|name, _| !failed.contains(name));
        }
        core.store().put_session_modules(session, &modules)?;
    }
    Ok(())
}

/// Ends the sandboxes that wait.
pub async fn end(core: &Arc<Core>) {
    let spares = core.part::<Spares>();
    // Each is waited for.
    let _ = blocking(move || spares.end()).await;
}
