//! Modules that cannot be imported today: what is known of them, and who is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::edited::ImportFailure;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Topic;
use crate::domain::subject::Subject;
use crate::engine::index::reachability;
use crate::engine::python::environment;
use crate::engine::python::replay_calls::spot;
use crate::engine::replay::edited::{Delta, Tally};
use crate::engine::state::core::Core;
use crate::python::protocol::{Former, Raised, Spot};
use crate::source::dependencies::Reach;
use crate::source::index::Index;

/// Takes what a replay of these functions found in the place of what was known of them, and tells a person of what is new.
pub fn note(core: &Arc<Core>, replayed: &BTreeSet<FunctionId>, found: &[ImportFailure]) {
    let index = core.index();
    // A file that does not parse is told by itself.
    let parses = |one: &&ImportFailure| index.module(&one.path).is_none_or(|module| module.error.is_none());
    let found: Vec<ImportFailure> = found.iter().filter(parses).cloned().collect();
    let before = {
        let mut state = core.state.lock();
        let before = state.import_failures.clone();
        let is_other = |one: &&ImportFailure| one.functions.iter().any(|(function, _)| !replayed.contains(function));
        let kept = before.iter().filter(is_other).filter(|one| !found.iter().any(|new| is_same(new, one)));
        let now: Vec<ImportFailure> = found.iter().chain(kept).cloned().collect();
        if now != before {
            *state.import_failures = now;
        }
        before
    };
    for one in found.iter().filter(|one| !before.iter().any(|known| is_same(known, one))) {
        core.say_about(Topic::File(one.path.clone()), Level::Error, "replay", one.summary());
    }
}

/// Notes which modules of recorded functions cannot be imported alone on the code that was recorded, which `former` has of edited
/// files: what breaks there is no edit.
///
/// # Errors
/// Fails when the project's Python dies, or the store cannot be written.
pub async fn remember(core: &Arc<Core>, former: &[Former]) -> Result<(), Trouble> {
    let functions: BTreeSet<FunctionId> = core.store().functions()?.into_iter().map(|total| total.function).collect();
    let failures = environment::contained(core).await?.import_failures(core, &one_each(core, functions.iter()), former).await?;
    let raised = |raised: Raised| raised_in(&raised.path, &raised.exception);
    core.store().put_unimportable(failures.into_iter().map(|(module, found)| (module, raised(found))).collect())?;
    Ok(())
}

/// Imports the modules that rest on an edit and that no compared call has imported: their calls may be none that can be compared.
///
/// # Errors
/// Fails when the project's Python dies, or the store cannot be read.
pub async fn check(core: &Arc<Core>, tally: &mut Tally, delta: &Delta) -> Result<(), Trouble> {
    let index = core.index();
    let reach = reachability::reach_of_now(core, &index).await?;
    let (_, resting) = resting_on(&index, &reach, delta);
    let imported: BTreeSet<&str> =
        tally.functions.iter().filter(|(_, counts)| counts.compared > 0).map(|(id, _)| id.module()).collect();
    let told: BTreeSet<&FunctionId> =
        tally.import_failures.iter().flat_map(|one| one.functions.iter().map(|(id, _)| id)).collect();
    let known = core.store().unimportable()?;
    let is_open = |id: &&FunctionId| {
        let is_known = imported.contains(id.module()) || known.contains_key(id.module()) || told.contains(*id);
        tally.functions.contains_key(*id) && !is_known
    };
    let open: Vec<FunctionId> = resting.iter().filter(is_open).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let failures = environment::contained(core).await?.import_failures(core, &one_each(core, open.iter()), &[]).await?;
    for (module, raised) in failures {
        let Some(path) = RelPath::new(&raised.path) else { continue };
        for function in open.iter().filter(|id| id.module() == module) {
            let calls = tally.of(function).not_compared.values().sum();
            tally.import_failed(function, calls, &path, raised.line, &raised.exception);
        }
    }
    Ok(())
}

/// Gives the files of edits, and the functions that rest on them.
fn resting_on(index: &Index, reach: &Reach, delta: &Delta) -> (Vec<RelPath>, BTreeSet<FunctionId>) {
    let subjects: Vec<Subject> = delta.edited.iter().cloned().collect();
    let modules = delta.edited.iter().filter_map(|subject| match subject {
        Subject::Function(id) => Some(id.module()),
        Subject::ImportCode(module) => Some(module.as_str()),
        Subject::File(_) => None,
    });
    let modules = modules.chain(delta.new.iter().chain(&delta.gone).map(FunctionId::module));
    let paths: Vec<RelPath> = modules.filter_map(|name| index.module_called(name)).map(|module| module.path.clone()).collect();
    let resting = reach.resting_on(&subjects, &paths);
    (paths, resting)
}

/// Names what broke an import, wherever its line is by now.
fn raised_in(path: &str, exception: &str) -> String {
    format!("{path}: {exception}")
}

/// Tells whether an edit may be behind an import that fails. A module that needs what others set up, `settings.configure()`, can
/// be imported after some of them and not after others: what broke imports before, in a file that is as it was, is none.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn is_by_an_edit(
    core: &Core,
    index: &Index,
    reach: &Reach,
    delta: &Delta,
) -> Result<impl Fn(&ImportFailure) -> bool + use<>, Trouble> {
    let before: BTreeSet<String> = core.store().unimportable()?.into_values().collect();
    let edited: BTreeSet<RelPath> = resting_on(index, reach, delta).0.into_iter().collect();
    let unknown = delta.edited.is_empty() && delta.new.is_empty() || !delta.gone.is_empty();
    let (mut paths, resting) = resting_on(index, reach, delta);
    paths.extend(resting.iter().filter_map(|id| index.function(id)).map(|function| function.path.clone()));
    let paths: BTreeSet<RelPath> = paths.into_iter().collect();
    Ok(move |failure: &ImportFailure| {
        let was_there = before.contains(&raised_in(failure.path.as_str(), &failure.exception));
        let is_known = was_there && !edited.contains(&failure.path);
        !is_known && (unknown || paths.contains(&failure.path))
    })
}

/// Gives a function of each module.
fn one_each<'a>(core: &Core, functions: impl Iterator<Item = &'a FunctionId>) -> Vec<Spot> {
    let index = core.index();
    let of_module: BTreeMap<&str, &FunctionId> = functions.map(|id| (id.module(), id)).collect();
    of_module.into_values().filter_map(|id| spot(&index, id)).collect()
}

fn is_same(one: &ImportFailure, other: &ImportFailure) -> bool {
    (&one.path, one.line, &one.exception) == (&other.path, other.line, &other.exception)
}
