//! The draft of tests for inputs beside the recorded ones. Each is written from the recorded call that its input is near to, with other
//! arguments and another outcome, and verified like any draft.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash;
use crate::domain::call::{Argument, Call, CallId, Effect};
use crate::domain::function::FunctionId;
use crate::domain::near::NearChange;
use crate::domain::proposal::{Draft, Origin};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::way::Way;
use crate::engine::drafting::details;
use crate::engine::drafting::evidence::{Gathered, names};
use crate::engine::drafting::plans::{self, Plans};
use crate::engine::drafting::written::Made;
use crate::engine::python::{async_style, environment, formatter};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::case::Case;
use crate::generate::render;
use crate::source::index::Index;

/// An input beside the recorded ones, and its outcome.
#[derive(Debug, Clone)]
pub struct NearCase {
    /// The recorded call that it is near to.
    pub call: CallId,
    /// Its arguments.
    pub args: Vec<Argument>,
    /// How it comes to its function.
    pub way: Way,
    /// The outcome that a test expects.
    pub effect: Effect,
}

/// Writes the draft that expects the old outcome of a near difference.
///
/// # Errors
/// Fails with the reason when its input cannot be written as a test, and when the sandbox does.
pub async fn draft(core: &Arc<Core>, near: &NearChange) -> Result<Draft, Trouble> {
    let one = &near.difference;
    let case = NearCase { call: one.call, args: near.args.clone(), way: near.way, effect: one.old.clone() };
    draft_of(core, &one.function, vec![case]).await?.map_err(|reason| {
        Trouble::usage(format!("Not kept as a test: {}{}.", one.function.qualname(), one.arguments))
            .because(format!("{}.", reason.message()))
            .so("o notes that the new outcome is a bug.")
    })
}

/// Writes a draft of these cases of a function, or gives the reason why none of them can be written.
///
/// # Errors
/// Fails when the store or the sandbox does.
pub async fn draft_of(core: &Arc<Core>, function: &FunctionId, cases: Vec<NearCase>) -> Result<Result<Draft, Reason>, Trouble> {
    let environment = environment::contained(core).await?;
    if environment.interpreter.pytest.is_none() {
        return Err(environment.interpreter.without_pytest());
    }
    let cancel = CancellationToken::new();
    let (worker, function) = (core.clone(), function.clone());
    let gathered = blocking(move || {
        let mut gathered = Gathered::new(&worker, vec![function], &CancellationToken::new())?;
        Ok::<_, Trouble>(beside(&mut gathered, cases).map(|()| gathered))
    });
    let mut gathered = match gathered.await?? {
        Ok(gathered) => gathered,
        Err(reason) => return Ok(Err(reason)),
    };
    if gathered.has_coroutines() {
        gathered.set_awaits(async_style::style(core, &environment, &cancel).await?);
    }
    let (gathered, plans) = plans::planned(core, &environment, gathered, &cancel, &|_, _| ()).await?;
    let (index, folder) = (core.index(), core.settings().output.tests.clone());
    let mut made = [blocking(move || written(&gathered, &index, plans, &folder)).await??];
    details::look(core, &environment, &mut made).await?;
    formatter::format(core, &environment, made.iter_mut().filter_map(|one| one.draft.as_mut()).collect()).await?;
    let [Made { draft, left_out, .. }] = made;
    let reason = left_out.into_iter().next().map(|left| left.reason);
    let draft = draft.map(|draft| Draft { drafted: Some(hash::of(draft.standalone().as_bytes())), ..draft });
    Ok(draft.ok_or_else(|| reason.unwrap_or_else(|| ReasonCode::NotEvaluated.into())))
}

/// Puts calls with near inputs and their outcomes in place of the recorded calls of their function.
fn beside(gathered: &mut Gathered, cases: Vec<NearCase>) -> Result<(), Reason> {
    let unknown = || ReasonCode::NotCheckedYet.into();
    let (_, calls, left_out) = gathered.functions.first_mut().ok_or_else(unknown)?;
    let mut found = Vec::new();
    for NearCase { call, args, way, effect } in cases {
        let Some(recorded) = calls.iter().find(|one| one.id == call).cloned() else { continue };
        let call = Call { args, way, effect, times: 1, ..recorded };
        let input = hash::of(format!("{} near {}", call.function, call.arguments(usize::MAX)).as_bytes());
        found.push(Call { input, ..call.with_placeholders() });
    }
    if found.is_empty() {
        return Err(left_out.first().map_or_else(unknown, |left| left.reason.clone()));
    }
    *calls = found;
    left_out.clear();
    Ok(())
}

fn written(gathered: &Gathered, index: &Index, plans: Plans, folder: &str) -> Result<Made, Trouble> {
    let modules = names(index);
    gathered.with_project(index, &modules, |project, functions| {
        let (Some((function, calls, _)), Some(plan)) = (functions.first(), plans.into_iter().next()) else {
            return Err(Trouble::internal("Nothing was gathered."));
        };
        let target = render::target(folder, function.id.module())
            .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
        let (left_out, scope) = (plan.left_out(), plan.scope().clone());
        let checks = plan.checks(&calls.iter().map(|call| call.id).collect::<Vec<_>>());
        // Nobody made these calls: that is what their tests say.
        let cases: Vec<Case> = plan.cases().into_iter().map(|case| Case { times: 0, ..case }).collect();
        let draft = (!cases.is_empty()).then(|| Draft {
            origin: Origin::Near,
            calls: Vec::new(),
            ..render::draft_near(function, &cases, project, &scope, &target)
        });
        Ok(Made { function: function.id.clone(), draft, left_out, checks })
    })
}
