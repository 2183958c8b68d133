//! What can be drafted of the calls of each function: planned once, and what does not make the recorded values again is dropped.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::domain::call::Call;
use crate::domain::function::Function;
use crate::domain::value::Value;
use crate::engine::drafting::evidence::{Gathered, names};
use crate::engine::drafting::{defaults, details};
use crate::engine::python::environment::Environment;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::case::Case;
use crate::generate::describing;
use crate::generate::plan::{CheckItem, Plan};
use crate::python::protocol::Expression;
use crate::source::index::Index;

/// Functions that are planned between two reports of progress.
const PLANNED_AT_ONCE: usize = 25;

/// What can be drafted of the calls of each function, in the order in which these were gathered.
pub type Plans = Vec<Plan>;

/// Plans drafts: finds out how the objects in calls are made and compared, and keeps what makes the recorded values again.
/// `progress` gets the number of functions that were planned, and of all.
pub async fn planned(
    core: &Arc<Core>,
    environment: &Environment,
    mut gathered: Gathered,
    cancel: &CancellationToken,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(Gathered, Plans), Trouble> {
    let index = core.index();
    let told = environment.ways(core, gathered.objects(&index, describing::telling)).await?;
    gathered.tell(&index, told);
    defaults::learn(core, environment, &index, &mut gathered).await?;
    details::compare(core, environment, &index, &mut gathered).await?;
    let mut plans = Plans::new();
    while plans.len() < gathered.len() && !cancel.is_cancelled() {
        progress(plans.len() as u64, gathered.len() as u64);
        let (some, index) = (plans.len()..gathered.len().min(plans.len() + PLANNED_AT_ONCE), index.clone());
        let more;
        (gathered, more) = blocking(move || {
            let plans = gathered.plans(&index, some);
            (gathered, plans)
        })
        .await?;
        plans.extend(more);
    }
    progress(0, 0); // what follows is not counted
    let items = plans.iter().enumerate().flat_map(|(at, plan)| plan.check_items().into_iter().map(move |item| (at, item)));
    let asked = |(key, (at, item)): (u64, (usize, CheckItem))| ((at, item.key), Expression::new(key, item.source, item.imports));
    let (places, expressions): (Vec<(usize, u64)>, Vec<Expression>) = (0..).zip(items).map(asked).unzip();
    let mut answers = environment.evaluate(core, &expressions).await?;
    let mut by_function: HashMap<usize, BTreeMap<u64, Result<Value, String>>> = HashMap::new();
    for (key, (at, item)) in (0..).zip(places) {
        let answer = answers.remove(&key).unwrap_or_else(|| Err("it was not evaluated".into()));
        by_function.entry(at).or_default().insert(item, answer);
    }
    blocking(move || {
        gathered.settle_plans(&index, &mut plans, &by_function);
        (gathered, plans)
    })
    .await
}

impl Gathered {
    /// Tells how many functions there are.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Lists the calls that drafts are made from.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.functions.iter().flat_map(|(_, calls, _)| calls)
    }

    /// Plans the drafts of some of the functions, by their places.
    pub fn plans(&self, index: &Index, some: Range<usize>) -> Plans {
        let names = names(index);
        self.with_project(index, &names, |project, functions| {
            functions[some]
                .iter()
                .map(|(function, calls, _)| Plan::new(function, &calls.iter().collect::<Vec<_>>(), project))
                .collect()
        })
    }

    /// Drops from the plans what did not come out as recorded. `answers` are by the function's place and the item's key.
    pub fn settle_plans(&self, index: &Index, plans: &mut Plans, answers: &HashMap<usize, BTreeMap<u64, Result<Value, String>>>) {
        let names = names(index);
        let none = BTreeMap::new();
        self.with_project(index, &names, |project, _| {
            for (at, plan) in plans.iter_mut().enumerate() {
                plan.settle(answers.get(&at).unwrap_or(&none), |value| project.without_caches(value));
            }
        });
    }

    /// Gives the cases of each function.
    pub fn cases(&self, plans: Plans) -> Vec<(Function, Vec<Case>)> {
        self.functions.iter().zip(plans).map(|((function, ..), plan)| (function.clone(), plan.cases())).collect()
    }
}
