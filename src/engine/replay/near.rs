//! Searches beside the recorded calls of edited functions: where all of them end as before, is there an input near them that does
//! not? What is searched and why not is decided here; the search itself is the worker's (`worker/near.py`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::redact::Redactor;
use crate::base::text;
use crate::contain::Level;
use crate::domain::call::Call;
use crate::domain::edited::{EditedCode, Edits};
use crate::domain::event::JobKind;
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::near::{Distance, Near, NearChange, NearDifference, NearLeftOut, NoInput, WithoutNear};
use crate::domain::touch::Touch;
use crate::engine::calls;
use crate::engine::checks::secrets;
use crate::engine::index::reachability;
use crate::engine::python::environment;
use crate::engine::python::replay_calls;
use crate::engine::replay::code_versions;
use crate::engine::replay::near_changes;
use crate::engine::replay::near_texts::Texts;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::replay::difference;
use crate::python::near::{Found, Outcome};
use crate::python::value;
use crate::python::zygote::NearSearch;
use crate::record::inputs::clean_effect;

/// How long the search for one function may take.
const SEARCH: Duration = Duration::from_millis(1000);
/// Functions that are searched at once: more were not edited with one thing in mind.
const FUNCTIONS_MAX: usize = 20;
/// Columns of arguments.
const ARGUMENTS_MAX: usize = 160;

/// Searches beside the calls of the edited functions: against the code of a commit, or of the recording. What a search against the
/// recording finds waits for a person, and what an earlier one found and is gone waits no more.
///
/// # Errors
/// Fails when the store cannot be read or written, and when the project's Python cannot be started or dies.
pub async fn search(core: &Arc<Core>, reference: Option<&str>, edits: &Edits) -> Result<Near, Trouble> {
    let mut near = Near::default();
    if reference.is_none() {
        let core = core.clone();
        blocking(move || near_changes::close_undone(&core)).await??;
    }
    let mut wanted: Vec<Wanted> = Vec::new();
    for one in &edits.edited {
        let Some(function) = one.subject.function().filter(|_| one.compared > 0) else { continue };
        match alone(core, function, one)? {
            Ok(_) if wanted.len() == FUNCTIONS_MAX => near.not_searched.push((function.clone(), WithoutNear::TooMany)),
            Ok(found) => wanted.push(found),
            Err(why) => {
                if why == WithoutNear::Differs && reference.is_none() {
                    near_changes::set_aside(core, function)?;
                }
                near.not_searched.push((function.clone(), why));
            }
        }
    }
    if !wanted.is_empty() {
        let job = core.jobs.begin(JobKind::Near, JobSubject::Edited(wanted.len()), 0);
        core.touch();
        let searched = searched(core, reference, wanted, &mut near, &job).await;
        job.end(searched.is_ok());
        searched?;
    }
    if reference.is_none() {
        note(core, &near, edits);
    }
    core.touch();
    Ok(near)
}

/// Keeps what a search came to for the screen, in place of what was known of these functions.
fn note(core: &Core, near: &Near, edits: &Edits) {
    let edited: BTreeSet<&FunctionId> = edits.edited.iter().filter_map(|one| one.subject.function()).collect();
    let mut state = core.state.lock();
    let board = Arc::make_mut(&mut state.near);
    board.forget(|function| edited.contains(function));
    board.add(near.clone());
}

/// A function to search, and its calls that inputs are made of.
struct Wanted {
    function: FunctionId,
    calls: Vec<Call>,
    /// The others, by the reason.
    left_out: Vec<(NoInput, u64)>,
    /// What earlier searches found.
    again: Vec<NearChange>,
    code: Digest,
}

async fn searched(
    core: &Arc<Core>,
    reference: Option<&str>,
    mut wanted: Vec<Wanted>,
    near: &mut Near,
    job: &Job<'_>,
) -> Result<(), Trouble> {
    let environment = environment::contained(core).await?;
    if environment.level == Level::Weak {
        near.not_searched.extend(wanted.into_iter().map(|one| (one.function, WithoutNear::Weak)));
        return Ok(());
    }
    let texts = match reference {
        Some(reference) => Texts::of_commit(core, reference).await?,
        None => Texts::of_recording(core).await?,
    };
    wanted.retain(|one| {
        let known = !texts.unknown.contains(&one.function);
        if !known {
            near.not_searched.push((one.function.clone(), WithoutNear::NoText));
        }
        known
    });
    let index = core.index();
    let reach = reachability::reach_of_now(core, &index).await?;
    let began = code_versions::begin(core, &index, &reach, BTreeSet::new()).await?;
    let mut asked: Vec<NearSearch> = Vec::new();
    for one in &mut wanted {
        let mut requests = replay_calls::requests(core, &index, one.calls.iter(), SEARCH)?;
        replay_calls::as_recorded(core, &mut requests, &one.calls.iter().collect::<Vec<_>>())?;
        if reference.is_none() {
            one.again = near_changes::again(core, &one.function, one.code)?;
        }
        let key = |change: &NearChange| one.calls.iter().position(|call| call.id == change.difference.call).unwrap_or(0);
        let again = one.again.iter().map(|change| (key(change) as u64, value::encode_arguments(&change.args, change.way)));
        asked.push(NearSearch { calls: requests, again: again.collect(), wait: SEARCH, faults: false });
    }
    let mut redactor = secrets::of_project(&core.root);
    let mut running = environment.near(core, &asked, &texts.former, &texts.current).await?;
    let mut results = Vec::new();
    while let Some(next) = job.unless_cancelled(running.next()).await {
        let Some(searched) = next else { break };
        let searched = searched?;
        let Some(one) = usize::try_from(searched.key).ok().and_then(|key| wanted.get(key)) else { continue };
        match searched.result {
            Err(why) => {
                let why = text::display_line(redactor.redact(&why).as_deref().unwrap_or(&why)).to_string();
                near.not_searched.push((one.function.clone(), WithoutNear::NotRun(why.into())));
            }
            Ok(Outcome { found, tried, unmade }) => {
                let told = found.into_iter().filter_map(|found| told(core, one, found, &mut redactor)).collect();
                results.push((one, told, tried, unmade));
            }
        }
    }
    let functions = wanted.iter().map(|one| one.function.clone()).collect();
    if !code_versions::stands(core, &index, &reach, &functions, &began).await? {
        // Nobody can tell which code the outcomes belong to.
        near.not_searched.extend(results.into_iter().map(|(one, ..)| (one.function.clone(), WithoutNear::Edited)));
        return Ok(());
    }
    for (one, told, tried, unmade) in results {
        near.searched.push((one.function.clone(), tried));
        let unmade = (unmade > 0).then_some((NoInput::Endless, unmade));
        let left_out = one.left_out.iter().cloned().chain(unmade);
        near.left_out.extend(left_out.map(|(why, calls)| NearLeftOut { function: one.function.clone(), calls, why }));
        near_changes::settle(core, &one.function, told, reference.is_none(), near)?;
    }
    Ok(())
}

/// Gives the recorded calls of a function that near inputs may be made of: those that are compared alone, touched nothing outside, and
/// end as before.
fn alone(core: &Core, function: &FunctionId, one: &EditedCode) -> Result<Result<Wanted, WithoutNear>, Trouble> {
    if one.differ > 0 {
        return Ok(Err(WithoutNear::Differs));
    }
    let parted = calls::read::parted_calls(core, function)?;
    let compared = parted.confirmed.len() + parted.only_compared.len();
    let mut left_out = vec![(NoInput::Inside, parted.only_compared.len() as u64)];
    let (outside, calls): (Vec<Call>, Vec<Call>) =
        parted.confirmed.into_iter().map(|(call, _)| call).partition(|call| call.touches.iter().any(is_outside));
    left_out.push((NoInput::Outside, outside.len() as u64));
    let others = parted.others.into_iter().map(|(reason, calls)| (NoInput::NotCompared(reason), calls));
    left_out.extend(others);
    left_out.retain(|(_, calls)| *calls > 0);
    let code = core.function(function).map(|function| function.fingerprint.code());
    Ok(match code {
        Some(code) if !calls.is_empty() => Ok(Wanted { function: function.clone(), calls, left_out, again: Vec::new(), code }),
        _ if !outside.is_empty() => Err(WithoutNear::Outside),
        _ if compared > 0 => Err(WithoutNear::Inside),
        _ => Err(WithoutNear::Uncompared),
    })
}

fn is_outside(touch: &Touch) -> bool {
    !matches!(touch, Touch::Warning(_) | Touch::Output(_) | Touch::Bound(_) | Touch::Scene(_))
}

/// Reads what was found; nothing where the comparison of recorded calls would see no difference.
fn told(core: &Core, of: &Wanted, found: Found, redactor: &mut Redactor) -> Option<NearChange> {
    let nearest = of.calls.get(usize::try_from(found.call).ok()?)?;
    let (args, way) = value::arguments(&found.args).ok()?;
    let mut ends = [value::outcome(&found.old).ok()?, value::outcome(&found.new).ok()?];
    ends.iter_mut().for_each(|end| clean_effect(end, redactor, None));
    let [old, new] = ends;
    let difference = difference(&old, &new)?;
    let today = core.function(&of.function)?;
    let difference = NearDifference {
        function: of.function.clone(),
        path: today.path,
        line: today.span.first,
        arguments: Call { args: args.clone(), way, ..nearest.clone() }.arguments(ARGUMENTS_MAX),
        call: nearest.id,
        recorded: nearest.arguments(ARGUMENTS_MAX),
        distance: Distance { place: found.place, how: found.how, by: found.by },
        old,
        new,
        difference,
        proposal: None,
    };
    Some(NearChange { difference, args, way, code: of.code, because: Vec::new(), test: None })
}
