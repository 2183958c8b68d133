//! Recorded calls made again on today's files, alone or inside their recorded tests.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId};
use crate::engine::python::environment::Environment;
use crate::engine::python::replay_calls::Observed;
use crate::engine::python::rerun::Files;
use crate::engine::replay::recorded_tests::compare::{self, InTests, On};
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;

/// Runs calls on today's files, alone where they can be, and inside their recorded tests where not. Gives how they ended, and how some
/// of them ended in a second run.
///
/// # Errors
/// Fails when the project's Python cannot be started or dies.
pub async fn replay_today(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    calls: &[Call],
    job: &Job<'_>,
) -> Result<(HashMap<CallId, Observed>, HashMap<CallId, Observed>), Trouble> {
    let today = On { index: core.index(), files: Files::default() };
    let (inside, alone): (Vec<Call>, Vec<Call>) = calls.iter().cloned().partition(|call| call.observed.inside.is_some());
    let inside = compare::observe(core, environment, &today, &inside, job);
    let (mut observed, InTests { first, second }) = futures_util::try_join!(environment.replay(core, &alone, job), inside)?;
    observed.extend(first);
    Ok((observed, second))
}
