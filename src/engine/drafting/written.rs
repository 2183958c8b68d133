//! The drafts of functions, one each, from what was gathered of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::domain::call::{Call, CallId, Outcome};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Draft, LeftOut};
use crate::domain::reason::ReasonCode;
use crate::domain::scene::{Answer, Folder, Framework, Scene, Step};
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};
use crate::engine::calls::eligible;
use crate::engine::calls::read::CALLS_MAX;
use crate::engine::state::core::Core;
use crate::generate::check::Check;
use crate::generate::choose;
use crate::generate::plan::Plan;
use crate::generate::project::{Project, is_row};
use crate::generate::render;
use crate::generate::scenes;
use crate::generate::scope::Scope;
use crate::generate::told::Told;

/// A function and what could be written for it.
#[derive(Serialize, Deserialize)]
pub struct Made {
    /// The function.
    pub function: FunctionId,
    /// Its draft, if there is anything to test.
    pub draft: Option<Draft>,
    /// Calls without a test, and why.
    pub left_out: Vec<LeftOut>,
    /// What the assertions of the draft have to see: looked at once, when the draft is written.
    #[serde(skip)]
    pub checks: Vec<Check>,
}

/// A function, its calls, and why others do not count.
pub(super) type Recorded = (Function, Vec<Call>, Vec<LeftOut>);

/// Writes the drafts of functions.
pub(super) fn drafts_of<'p>(
    functions: &'p [Recorded],
    project: Project<'p>,
    plans: &[Plan],
    folder: &str,
    (most, accepted): (usize, &BTreeMap<FunctionId, BTreeSet<Digest>>),
    cancel: &CancellationToken,
) -> Result<Vec<Made>, Trouble> {
    let none = BTreeSet::new();
    let mut made = Vec::new();
    for ((function, _, left_out), plan) in functions.iter().zip(plans) {
        if cancel.is_cancelled() {
            break;
        }
        let target = render::target(folder, function.id.module())
            .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
        let mut reasons = left_out.clone();
        let mut draft = plan.draft(function, project, &target, most, accepted.get(&function.id).unwrap_or(&none));
        match &mut draft {
            Some(draft) => {
                draft.left_out.append(&mut reasons);
                choose::merge(&mut draft.left_out);
                reasons.clone_from(&draft.left_out);
            }
            None => reasons.extend(plan.left_out()),
        }
        let checks = draft.as_ref().map(|draft| plan.checks(&draft.calls)).unwrap_or_default();
        made.push(Made { function: function.id.clone(), draft, left_out: reasons, checks });
    }
    Ok(made)
}

/// Reads how recorded tests came to the calls of a function.
pub(super) fn scenes(core: &Core, function: &FunctionId) -> Result<Vec<Told>, Trouble> {
    let mut told: Vec<Told> = Vec::new();
    let index = core.index();
    let is_own = |ty: &TypeName| index.modules().any(|module| module.name == ty.module);
    for stored in core.store().calls_of(function, CALLS_MAX)? {
        let (id, times) = (stored.id, stored.times.max(1));
        // What reached out of its process is not run again, here no more than anywhere (R16); a database of SQLite is private there,
        // and so is a temporary folder, whose files a test that the call is made in asserts.
        let is_database = |touch: &Touch| touch.detail().starts_with("sqlite3.connect");
        let out: Vec<Touch> =
            stored.touches.iter().filter(|touch| touch.forbids_replay() && !is_database(touch)).cloned().collect();
        let texts: Vec<String> = stored
            .touches
            .iter()
            .filter_map(|touch| if let Touch::Scene(text) = touch { Some(text.clone()) } else { None })
            .collect();
        let mut stored = Some(stored);
        for text in texts {
            let Some(scene) = Scene::read(&text).filter(|scene| told.iter().all(|one| one.scene != *scene)) else { continue };
            let folder = match scene.steps.last() {
                Some(Step::Direct { folder, .. } | Step::Call { folder, .. }) => folder.clone(),
                _ => None,
            };
            if out.iter().any(|touch| !is_below(touch, folder.as_ref())) {
                continue;
            }
            let is_direct = matches!(scene.steps.last(), Some(Step::Direct { .. }));
            let made = stored.take_if(|_| is_direct).map(|stored| as_tests_tell(eligible::decode(stored), &is_own));
            let made = made.map(|mut call| {
                call.observed.folder = folder.map(|folder| folder.base);
                call
            });
            if is_direct == made.is_some() {
                told.push(Told { call: id, times, scene, made });
            }
        }
    }
    Ok(told)
}

/// Tells whether a touch is a file below a folder, or one named from there.
fn is_below(touch: &Touch, folder: Option<&Folder>) -> bool {
    let (Touch::File(access), Some(folder)) = (touch, folder) else { return false };
    let Some(path) = access.path.as_deref().filter(|path| !path.split('/').any(|part| part == "..")) else { return false };
    if !path.starts_with('/') {
        return folder.inside;
    }
    path.strip_prefix(folder.base.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Gives a call without what mappers keep in rows, whether they are saved and others that they refer to, and without changes of what
/// is a framework's own.
fn as_tests_tell(mut call: Call, is_own: &dyn Fn(&TypeName) -> bool) -> Call {
    fn plain(value: &mut Value) {
        match value {
            Value::Object { fields, .. } => {
                if is_row(fields) {
                    fields.retain(|(name, _)| !name.starts_with('_'));
                }
                fields.iter_mut().for_each(|(_, value)| plain(value));
            }
            Value::List(items) | Value::Tuple(items) => items.iter_mut().for_each(plain),
            Value::Dict(pairs) => pairs.iter_mut().for_each(|(_, value)| plain(value)),
            Value::Shared(_, value) => plain(value),
            _ => {}
        }
    }
    call.args.iter_mut().for_each(|arg| plain(&mut arg.value));
    call.effect.changed.retain(|(_, value)| if let Value::Object { ty, .. } = value { is_own(ty) } else { true });
    call.effect.changed.iter_mut().for_each(|(_, value)| plain(value));
    if let Outcome::Returned(value) = &mut call.effect.outcome {
        plain(value);
    }
    call
}

/// Adds drafts by the steps of recorded tests for functions whose calls alone give none: those that few requests reach choose first.
pub(super) fn add_scenes(made: &mut [Made], functions: &[Recorded], project: Project<'_>, folder: &str, most: usize) {
    let told = |one: &Made| (project.scenes)(&one.function);
    // A row that the project's fixtures give says more than one with all its columns.
    let has_row = |one: &Told| one.made.as_ref().is_some_and(|call| call.args.iter().any(|arg| one.is_row(&arg.name)));
    // The name of a command leads to an object of the framework, which calls the function.
    for one in made.iter_mut() {
        let function = functions.iter().find(|(function, ..)| function.id == one.function);
        let is_command = function.is_some_and(|(function, ..)| function.decorators.iter().any(|by| makes_a_command(by)));
        let is_run = || (project.scenes)(&one.function).iter().any(|told| told.scene.answer().is_some_and(is_of_click));
        if is_command && is_run() {
            one.draft = None;
        }
    }
    let is_open = |one: &Made| one.draft.is_none() && !told(one).is_empty() || told(one).iter().any(has_row);
    let mut order: Vec<usize> = (0..made.len()).filter(|at| is_open(&made[*at])).collect();
    order.sort_by_key(|at| (told(&made[*at]).len(), *at));
    let pages = scenes::Pages::new(made.iter().flat_map(&told).map(|one| &one.scene));
    let mut taken = BTreeMap::new();
    let mut open = Vec::new();
    for at in order {
        let Some((function, ..)) = functions.iter().find(|(function, ..)| function.id == made[at].function) else { continue };
        let Some(target) = render::target(folder, function.id.module()) else { continue };
        let mut scope = Scope::new(&function.id);
        let (cases, why) = scenes::direct(function, told(&made[at]), project, &mut scope, folder);
        let (cases, more) = choose::choose(cases, most, &BTreeSet::new());
        let is_done = made[at].draft.is_some() || !cases.is_empty();
        let requests = if is_done {
            scenes::Requests::default()
        } else {
            scenes::requests(function, (told(&made[at]), &pages), project, folder)
        };
        // One each comes before a second one of any.
        scenes::choose(&requests, most.min(1), &mut taken);
        open.push((at, function, target, scope, (cases, why.into_iter().chain(more)), requests));
    }
    for (at, function, target, scope, (cases, why), requests) in open {
        let found = scenes::choose(&requests, most, &mut taken);
        let one = &mut made[at];
        if one.draft.is_some() && cases.is_empty() {
            continue;
        }
        one.left_out.splice(0..0, why);
        if !cases.is_empty() {
            // What a test calls itself is read more easily than what a request leads to.
            one.draft = Some(render::draft(function, &cases, project, &scope, &target, one.left_out.clone()));
        } else if found.tests.is_empty() {
            // Why there is no such test says more than why its calls cannot be made alone.
            one.left_out.splice(0..0, found.left_out);
        } else {
            one.left_out.retain(|left| left.reason.code != ReasonCode::NotReproducible);
            one.left_out.extend(found.left_out);
            choose::merge(&mut one.left_out);
            one.draft = Some(scenes::draft(function, &found.tests, project, &target, one.left_out.clone()));
        }
    }
}

/// Tells whether a decorator makes a command of click's of a function: `click.command()`, `app.command("add")`.
fn makes_a_command(decorator: &str) -> bool {
    let name = decorator.split('(').next().unwrap_or_default();
    matches!(name.rsplit('.').next(), Some("command" | "group" | "callback"))
}

fn is_of_click(answer: &Answer) -> bool {
    answer.by == Framework::Click
}

/// Lists the faults of a function, by their numbers, that all of its calls were tried with and none noticed.
pub(super) fn unseparated(calls: &[Call], silent: &HashMap<CallId, BTreeSet<u32>>) -> BTreeSet<u32> {
    let mut silent = calls.iter().map(|call| silent.get(&call.id));
    let Some(Some(first)) = silent.next() else { return BTreeSet::new() };
    silent.try_fold(first.clone(), |all, one| Some(&all & one?)).unwrap_or_default()
}
