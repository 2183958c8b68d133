//! Whether the assertions of drafts see every recorded detail, tried in the sandbox; and what `==` of classes sees.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::value::Value;
use crate::engine::drafting::evidence::Gathered;
use crate::engine::drafting::written::Made;
use crate::engine::python::environment::Environment;
use crate::engine::state::core::Core;
use crate::generate::check::{self, Check, Found};
use crate::generate::describing;
use crate::python::protocol::Expression;
use crate::python::value;
use crate::source::index::Index;

/// Notes of each draft which recorded details no assertion of it sees.
pub async fn look(core: &Arc<Core>, environment: &Environment, made: &mut [Made]) -> Result<(), Trouble> {
    let mut checks: Vec<(usize, Check)> = Vec::new();
    for (at, one) in made.iter_mut().enumerate() {
        checks.extend(std::mem::take(&mut one.checks).into_iter().map(|check| (at, check)));
    }
    let found = run(core, environment, checks.iter().map(|(_, check)| check)).await?;
    for (key, (at, _)) in (0..).zip(&checks) {
        let (Some(found), Some(draft)) = (found.get(&key), made.get_mut(*at).and_then(|one| one.draft.as_mut())) else {
            continue;
        };
        draft.details.changed += found.tried.len() as u64;
        draft.details.unseen += found.unseen.len() as u64;
        draft.overlooked.extend(found.unseen.iter().cloned());
        draft.overlooked.sort();
        draft.overlooked.dedup();
    }
    Ok(())
}

/// Finds out which fields of classes `==` does not look at.
pub async fn compare(core: &Arc<Core>, environment: &Environment, index: &Index, gathered: &mut Gathered) -> Result<(), Trouble> {
    let objects: Vec<Value> = gathered.objects(index, describing::compared);
    let checks: Vec<Check> = objects.iter().map(check::of_equality).collect();
    let found = run(core, environment, checks.iter()).await?;
    for (key, object) in (0..).zip(&objects) {
        if let (Some(found), Value::Object { ty, .. }) = (found.get(&key), object) {
            gathered.learned.compare(ty, found.fields());
        }
    }
    Ok(())
}

/// Runs checks; those that could not be made, or whose assertions do not hold there, have no answer.
async fn run(
    core: &Core,
    environment: &Environment,
    checks: impl Iterator<Item = &Check>,
) -> Result<HashMap<u64, Found>, Trouble> {
    let items: Vec<Expression> = (0..)
        .zip(checks)
        .map(|(key, check)| {
            let values = value::encode(&Value::Tuple(check.values.clone()));
            Expression::new(key, check.source.clone(), check.imports.clone()).seeing(&check.names, &values, check.ordered)
        })
        .collect();
    let answers = environment.evaluate(core, &items).await?;
    Ok(answers.into_iter().filter_map(|(key, answer)| Some((key, Found::read(&answer.ok()?)?))).collect())
}
