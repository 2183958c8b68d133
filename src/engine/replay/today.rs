//! Recorded calls made again on today's files, alone or inside their recorded tests.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::Call;
use crate::engine::python::environment::Environment;
use crate::engine::python::rerun::Files;
use crate::engine::replay::recorded_tests::On;
use crate::engine::replay::recorded_tests::compare::{self, FirstTests, Twice};
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::python::protocol::Lines;

/// Makes calls on today's files, alone where they can be, and else inside their recorded tests: of those, a few are made twice. Tests are
/// asked for these lines, too; what the first ones show is told while the others run.
///
/// # Errors
/// Fails when the project's Python cannot be started or dies.
pub async fn replay_today(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    calls: &[Call],
    lines: &Lines,
    first: &FirstTests,
    job: &Job<'_>,
) -> Result<Twice, Trouble> {
    let today = On { index: core.index(), files: Files::default() };
    let (inside, alone): (Vec<Call>, Vec<Call>) = calls.iter().cloned().partition(|call| call.observed.inside.is_some());
    let inside = compare::observe_twice(core, environment, &today, &inside, lines, first, job);
    let (alone, mut made) = futures_util::try_join!(environment.replay(core, &alone, job), inside)?;
    made.first.extend(alone);
    Ok(made)
}
