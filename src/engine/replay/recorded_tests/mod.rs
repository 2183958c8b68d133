//! Calls that cannot be made alone are compared inside the recorded test that made them. The test runs again, contained, on the
//! code it was recorded with and on today's; both runs are made in the same way, and a call of the one is paired with the same
//! call of the other.

mod arguments;
mod choose;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod first_run;
pub(crate) mod needed;
pub(crate) mod ready;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{BySession, RecordedTest, TestId};
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::rerun::{Early, Files, Learned, Place, Reruns, Spares, Wanted};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::python::protocol::Lines;
use crate::source::index::Index;

/// The code that tests run on.
#[derive(Clone)]
pub struct On {
    /// Its functions.
    pub index: Arc<Index>,
    /// Its files, where they are others than those on disk.
    pub files: Files,
}

/// Tests, and the functions of each whose calls are recorded.
#[derive(Clone, Default)]
struct Asked {
    tests: BTreeMap<TestId, RecordedTest>,
    functions: BTreeMap<TestId, BTreeSet<FunctionId>>,
}

impl Asked {
    /// Parts the tests into two runs, both of which have these tests.
    fn halves(&self, both: &BTreeSet<TestId>) -> (Self, Self) {
        let (mut one, mut other) = (Self::default(), Self::default());
        for (at, (id, test)) in self.tests.iter().enumerate() {
            let is_in = [at % 2 == 0 || both.contains(id), at % 2 == 1 || both.contains(id)];
            for (half, _) in [&mut one, &mut other].into_iter().zip(is_in).filter(|(_, is_in)| *is_in) {
                half.tests.insert(*id, test.clone());
                half.functions.extend(self.functions.get(id).map(|functions| (*id, functions.clone())));
            }
        }
        (one, other)
    }
}

/// How tests are run.
#[derive(Clone, Default)]
struct Manner {
    /// Seconds by which the clock is put forward.
    shift: Option<i64>,
    /// As [`Wanted::groups`].
    groups: usize,
    /// Counts the tests that ended.
    ended: Arc<AtomicU64>,
    /// As [`Wanted::lines`].
    lines: Lines,
    /// As [`Wanted::only_lines`].
    only_lines: bool,
    /// As [`Wanted::first`].
    first: BTreeSet<TestId>,
    /// As [`Wanted::early`].
    early: Option<Arc<Early>>,
    /// Modules to try, in the place of those that are known, for a session that says which these are.
    modules: Option<BySession>,
}

/// Runs tests off the async threads, with the variables that the project needs to be imported.
async fn run_tests(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    asked: Asked,
    manner: Manner,
    cancel: &CancellationToken,
) -> Result<Reruns, Trouble> {
    let (core, python, on, cancel) = (core.clone(), python.clone(), on.clone(), cancel.clone());
    blocking(move || {
        let settings = core.settings();
        let (record, redact) = (&settings.record, &settings.redact);
        let starts: Vec<TestId> = asked.tests.iter().filter(|(_, test)| test.is_start()).map(|(id, _)| *id).collect();
        let file = |name: &String| name.split("::").next().unwrap_or_default().to_owned();
        let collected = core.store().tests_after(&starts)?;
        let collected = collected.into_iter().map(|(start, names)| (start, names.iter().map(file).collect())).collect();
        let place = Place { root: &core.root, environment: &python, index: on.index, files: &on.files, record, redact };
        // They wait where somebody saves files, and for saved files.
        let spares = (manner.modules.is_none() && core.watcher.lock().is_some()).then(|| core.part::<Spares>());
        let stored = core.store().session_modules()?;
        let fixtures = core.store().session_fixtures()?;
        let learned = core.part::<Learned>();
        learned.recall(fixtures.clone());
        let wanted = Wanted {
            tests: &asked.tests,
            functions: &asked.functions,
            collected: &collected,
            variables: environment::import_variables(&core),
            shift: manner.shift,
            groups: manner.groups,
            ended: &manner.ended,
            lines: &manner.lines,
            only_lines: manner.only_lines,
            learned: &learned,
            first: &manner.first,
            early: manner.early.as_deref(),
            spares: spares.as_deref(),
            modules: manner.modules.as_ref().unwrap_or(&stored),
            tell_loaded: manner.modules.is_some(),
        };
        let found = place.run(&wanted, &cancel)?;
        for (session, fixtures) in learned.news(&fixtures) {
            core.store().put_session_fixtures(&session, &fixtures)?;
        }
        Ok(found)
    })
    .await?
}
