//! Recorded calls made again in a worker: several at a time, each in a process of its own, and what each came to.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Duration;

use futures_util::future::try_join_all;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::contain::Level;
use crate::domain::answers::Answers;
use crate::domain::call::{Call, CallId, Effect, Outcome, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::parts;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::touch::Touch;
use crate::domain::value::TypeName;
use crate::domain::way::{Led, Way};
use crate::engine::checks::secrets;
use crate::engine::index::call_sites::Sites;
use crate::engine::index::scripts;
use crate::engine::python::program;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::python::protocol;
use crate::python::protocol::{Dispatch, Former, Spot, Surroundings};
use crate::python::value;
use crate::python::zygote::{Ending, NotMade, ReplayCall, Worker, WorkerSpec};
use crate::record::inputs::clean_effect;
use crate::source::index::Index;
use crate::store::StoredOutcome;

/// Calls asked for at once: few enough to stop soon, enough to import the project seldom.
pub const BATCH: usize = 250;
/// Calls are made on so many processors at most: whoever edits uses them, too.
const LANES_MAX: usize = 4;
/// Calls for which another lane, a process more, is worth its start.
const LANE_WORTH: usize = 8;

/// One replay and one change of files at a time: newer requests wait, or make older ones pointless.
#[derive(Default)]
pub struct Replaying(pub tokio::sync::Mutex<()>);

/// What a call came to when it was run again.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The outcome, or why there is none.
    pub effect: Result<Effect, NotMade>,
    /// The outcome as bytes.
    pub bytes: Vec<u8>,
    /// How long it took.
    pub duration_ns: i64,
    /// The project's functions it ran through.
    pub entered: Vec<FunctionId>,
}

impl Observed {
    /// Gives the form the store keeps.
    pub fn stored(&self, call: CallId, code: Digest) -> StoredOutcome {
        StoredOutcome { call, code, outcome: self.bytes.clone(), duration_ns: self.duration_ns, entered: self.entered.clone() }
    }
}

/// The code that calls run on.
#[derive(Clone, Copy)]
pub struct On<'a> {
    /// Where functions are found.
    pub index: &'a Index,
    /// The modules that are not as they lie where the worker finds them.
    pub former: &'a [Former],
    /// Files that calls read are as they were recorded, where that is known and they are others now.
    pub files_as_recorded: bool,
}

/// Gives a worker the room that each of its lanes needs.
#[must_use]
pub fn roomy(mut spec: WorkerSpec) -> WorkerSpec {
    spec.limits.processes *= LANES_MAX as u64;
    spec.limits.tmp *= LANES_MAX as u64;
    spec
}

/// Says where a function is to be found.
pub fn spot(index: &Index, id: &FunctionId) -> Option<Spot> {
    let function = index.function(id)?;
    let qualname = id.qualname().split('#').next()?.to_owned();
    let line = index.dispatcher(function).map(|_| function.span.first);
    Some(Spot { module: id.module().to_owned(), path: function.path.as_str().to_owned(), qualname, line })
}

/// Runs calls in a worker; what is cancelled is missing from the answer. Of a function of which `late_max` calls took all of
/// their time the others are not run.
pub async fn run(
    core: &Core,
    worker: &Worker,
    on: On<'_>,
    calls: &[Call],
    job: &Job<'_>,
    late_max: Option<u32>,
) -> Result<HashMap<CallId, Observed>, Trouble> {
    let made = AtomicU64::new(0);
    let count = || job.progress(made.fetch_add(1, Ordering::Relaxed) + 1, calls.len() as u64);
    let lanes =
        if on.former.is_empty() { lanes(worker, on.index, calls, Whole::Nothing).await? } else { vec![calls.iter().collect()] };
    let seen = try_join_all(lanes.iter().map(|calls| lane(core, worker, on, calls, job, late_max, &count))).await?;
    Ok(seen.into_iter().flatten().collect())
}

/// What stays in one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// All calls of a function, because what is found out of one depends on the others.
    Functions,
    /// Each call stands for itself.
    Nothing,
}

/// Parts calls into lanes that run at the same time, and has the worker import what all of them need: what a call sees of other
/// modules does not follow from which lane came first.
pub async fn lanes<'a>(worker: &Worker, index: &Index, calls: &'a [Call], whole: Whole) -> Result<Vec<Vec<&'a Call>>, Trouble> {
    let processors = available_parallelism().map_or(1, usize::from).min(LANES_MAX);
    let lanes = parted(calls, if worker.level() == Level::Weak { 1 } else { processors }, whole);
    if lanes.len() > 1 {
        let functions: BTreeSet<&FunctionId> = calls.iter().map(|call| &call.function).collect();
        let spots: Vec<Spot> = functions.into_iter().filter_map(|id| spot(index, id)).collect();
        worker.import(&spots).await?;
    }
    Ok(lanes)
}

/// Parts calls into lanes that take about as long. Those of a function stay together as far as that allows it, since it is a
/// lane that leaves the others alone where some do not end any more; and those that read files always: where one is gone, it is
/// laid out for a call in a place that all of them see.
fn parted(calls: &[Call], processors: usize, whole: Whole) -> Vec<Vec<&Call>> {
    let reads = |call: &&Call| call.files().next().is_some();
    let reading: HashSet<&FunctionId> = calls.iter().filter(reads).map(|call| &call.function).collect();
    let mut groups: HashMap<Option<&FunctionId>, Vec<&Call>> = HashMap::new();
    for call in calls {
        let with_others = if whole == Whole::Functions { reading.contains(&call.function) } else { reads(&call) };
        groups.entry((!with_others).then_some(&call.function)).or_default().push(call);
    }
    let count = calls.len().div_ceil(LANE_WORTH).clamp(1, processors);
    let fair = calls.len().div_ceil(count).max(1);
    let mut groups: Vec<Vec<&Call>> = groups
        .into_iter()
        .flat_map(|(function, calls)| {
            let most = if function.is_some() && whole == Whole::Nothing { fair } else { calls.len() };
            calls.chunks(most).map(<[_]>::to_vec).collect::<Vec<_>>()
        })
        .collect();
    groups.sort_by_key(|calls| (Reverse(calls.len()), calls.first().map(|call| call.id)));
    let mut lanes = vec![Vec::new(); count.min(groups.len().max(1))];
    for group in groups {
        if let Some(shortest) = lanes.iter_mut().min_by_key(|lane: &&mut Vec<&Call>| lane.len()) {
            shortest.extend(group);
        }
    }
    lanes
}

/// Runs calls one after another.
async fn lane(
    core: &Core,
    worker: &Worker,
    on: On<'_>,
    calls: &[&Call],
    job: &Job<'_>,
    late_max: Option<u32>,
    count: &(impl Fn() + Sync),
) -> Result<HashMap<CallId, Observed>, Trouble> {
    let index = on.index;
    let mut all = HashMap::with_capacity(calls.len());
    let wait = Duration::from_secs_f64(core.settings().generation.call_seconds.clamp(0.05, 600.0));
    let mut late: HashMap<&FunctionId, u32> = HashMap::new();
    let mut redactor = secrets::of_project(&core.root);
    let mut counted = 0;
    for batch in calls.chunks(BATCH) {
        let is_late = |call: &Call| late_max.is_some_and(|most| late.get(&call.function).is_some_and(|count| *count >= most));
        let mut requests = requests(core, index, batch.iter().copied(), wait)?;
        as_recorded(core, &mut requests, batch)?;
        requests.iter_mut().for_each(|request| request.surroundings.files_as_recorded = on.files_as_recorded);
        requests.retain(|one| !usize::try_from(one.key).ok().and_then(|key| batch.get(key)).is_some_and(|call| is_late(call)));
        for call in batch.iter().filter(|call| is_late(call)) {
            all.insert(call.id, gone(ReasonCode::FunctionHangs.into()));
        }
        for call in batch.iter().filter(|call| index.today(&call.function).is_none()) {
            all.insert(call.id, gone(ReasonCode::Removed.of(call.function.qualname())));
        }
        (counted..all.len()).for_each(|_| count());
        counted = all.len();
        if requests.is_empty() {
            continue;
        }
        let mut running = worker.replay(&requests, true, late_max, on.former).await?;
        loop {
            let reply = tokio::select! {
                () = job.cancel.cancelled() => return Ok(all),
                reply = running.next() => reply,
            };
            let Some(reply) = reply else { break };
            let reply = reply?;
            let Some(call) = usize::try_from(reply.key).ok().and_then(|key| batch.get(key)) else { continue };
            let seen = observed(index, call, reply.result, &mut redactor);
            if seen.effect.as_ref().is_ok_and(|effect| matches!(effect.outcome, Outcome::TimedOut(_))) {
                *late.entry(&call.function).or_default() += 1;
            }
            all.insert(call.id, seen);
            counted = all.len();
            count();
        }
        core.touch();
    }
    Ok(all)
}

/// Has calls that read the clock see the one of their recording: it goes on from there, or stands where the call is compared
/// with it held still. Parts of arguments that cannot be made again are stood in for.
pub fn as_recorded(core: &Core, requests: &mut [ReplayCall], batch: &[&Call]) -> Result<(), Trouble> {
    let reads_clock = |call: &Call| call.touches.iter().any(|touch| matches!(touch, Touch::Clock(_)));
    let mut begun: HashMap<RecordingId, i64> = HashMap::new();
    for request in requests {
        let Some(call) = usize::try_from(request.key).ok().and_then(|key| batch.get(key)) else { continue };
        request.surroundings.chance |= call.observed.held_still;
        request.surroundings.stands_in = call.stood_in().is_some();
        if request.surroundings.clock.is_some() || !reads_clock(call) {
            continue;
        }
        let began = match begun.get(&call.recording) {
            Some(began) => *began,
            None => {
                let started = core.store().recording(call.recording)?.map_or(0, |recording| recording.started.0);
                let nanoseconds = started.saturating_mul(1_000_000);
                begun.insert(call.recording, nanoseconds);
                nanoseconds
            }
        };
        let moment = began.saturating_add(call.start_ns);
        request.surroundings.recorded_clock = Some((moment, call.observed.held_still));
    }
    Ok(())
}

fn gone(why: Reason) -> Observed {
    not_made(NotMade { why, import: None })
}

fn not_made(why: NotMade) -> Observed {
    Observed { effect: Err(why), bytes: Vec::new(), duration_ns: 0, entered: Vec::new() }
}

/// Writes what the worker is asked: the calls of functions that are still there, each by its place.
pub fn requests<'a>(
    core: &Core,
    index: &Index,
    calls: impl Iterator<Item = &'a Call>,
    wait: Duration,
) -> Result<Vec<ReplayCall>, Trouble> {
    let mut sites = Sites::new(index);
    let request = |(key, call): (usize, &Call)| {
        let function = index.today(&call.function)?;
        let dispatcher = index.dispatcher(function);
        let callee = if dispatcher.is_some() { function.id.clone() } else { call.callee() };
        let path = match callee == function.id {
            true => &function.path,
            // What moved is asked for where the program finds it.
            false => &index.module_called(callee.module())?.path,
        };
        // A new implementation may take the calls of the others, and of the one for all other types.
        let through = dispatcher.as_ref().or_else(|| function.is_dispatcher().then_some(&callee));
        let way = match through {
            Some(id) if id.qualname().contains('.') => Way { led: Led::ToMethod, ..call.way },
            Some(_) => Way { led: Led::ToItself, ..call.way },
            None => call.way,
        };
        let qualname = callee.qualname();
        let script = index.module_called(callee.module()).is_some_and(|module| scripts::is_script(index, module));
        let mut around = Surroundings::of(call);
        if around.argv.is_empty() {
            around.argv.extend(program::of_recording(core, call.recording));
        }
        let surroundings = answering(core, call).map(|found| Surroundings { stand_ins: found, script, ..around });
        Some(surroundings.map(|surroundings| ReplayCall {
            key: key as u64,
            module: callee.module().to_owned(),
            path: path.as_str().to_owned(),
            qualname: qualname.split('#').next().unwrap_or(qualname).to_owned(),
            as_kept: dispatcher.is_none() && call.bound().is_some(),
            dispatch: dispatcher.map(|id| Dispatch { dispatcher: id.qualname().to_owned(), line: function.span.first }),
            args: value::encode_arguments(&call.args, way),
            surroundings,
            wait,
            sites: sites.of(call, function).map(|forms| forms.into_iter().map(|form| (form.by_place, form.by_name)).collect()),
            also: Vec::new(),
        }))
    };
    calls.enumerate().filter_map(request).collect()
}

fn observed(index: &Index, call: &Call, result: Result<Ending, NotMade>, redactor: &mut Redactor) -> Observed {
    let mut ending = match result {
        Ok(ending) => ending,
        Err(why) => return not_made(why),
    };
    let mut effect =
        value::outcome(&ending.outcome).map_err(|error| NotMade { why: ReasonCode::ReplayError.with(error), import: None });
    if let Ok(effect) = &mut effect {
        // As a recorded one, it is kept without secrets.
        let is_other = redactor.may_hold(&ending.outcome);
        if is_other {
            clean_effect(effect, redactor, None);
        }
        if under_former_names(index, call, effect) || is_other {
            ending.outcome = value::encode_outcome(effect);
        }
    }
    let entered = ending
        .entered
        .iter()
        .filter_map(|(path, qualname)| {
            let path = RelPath::new(path)?;
            match qualname.as_str() {
                // It imported the file.
                "" => index.module(&path).map(|module| FunctionId::new(&module.name, "")),
                _ => index.by_code(&path, qualname, 0).map(|function| function.id.clone()),
            }
        })
        .collect();
    Observed { effect, bytes: ending.outcome, duration_ns: i64::try_from(ending.ns).unwrap_or(i64::MAX), entered }
}

/// Gives classes and functions the names that they were recorded with, where these lead to them today: what moved and is
/// re-exported is the same thing. Tells whether there were any.
pub fn under_former_names(index: &Index, call: &Call, effect: &mut Effect) -> bool {
    let mut recorded: BTreeSet<TypeName> = BTreeSet::new();
    for value in call.args.iter().map(|arg| &arg.value).chain(call.effect.values()) {
        value.walk(&mut |part| {
            if let Some(ty) = parts::type_of(part).filter(|ty| !recorded.contains(ty)) {
                recorded.insert(ty.clone());
            }
            true
        });
    }
    let moved = |ty: &TypeName| Some((index.moved_to(ty).filter(|today| !recorded.contains(today))?, ty.clone()));
    let former: Vec<(TypeName, TypeName)> = recorded.iter().filter_map(moved).collect();
    if former.is_empty() {
        return false;
    }
    let mut renamed = false;
    for value in effect.values_mut() {
        parts::each(value, &mut |part| {
            if let Some(ty) = parts::type_of_mut(part)
                && let Some((_, old)) = former.iter().find(|(today, _)| today == ty)
            {
                *ty = old.clone();
                renamed = true;
            }
        });
    }
    renamed
}

/// Gives what stands in for others when a call is made again, with what these gave.
///
/// # Errors
/// Fails when the store cannot be read.
fn answering(core: &Core, call: &Call) -> Result<Vec<protocol::StandIn>, Trouble> {
    let mut all = Vec::new();
    for answers in Answers::of(call) {
        let stored = core.store().calls(&answers.calls)?;
        let outcome = |id: &CallId| stored.iter().find(|call| call.id == *id)?.outcome.clone();
        let outcomes: Vec<Vec<u8>> = answers.calls.iter().filter_map(outcome).collect();
        all.push(protocol::StandIn::new(answers, &outcomes));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;
    use crate::domain::touch::Touch;
    use crate::domain::value::Value;

    /// Calls of functions, so many of each, numbered from 1.
    fn calls(of: &[(&str, usize)]) -> Vec<Call> {
        let names = of.iter().flat_map(|(name, count)| std::iter::repeat_n(*name, *count));
        let call = |(id, name): (i64, &str)| Call {
            id: CallId(id),
            ..samples::call(FunctionId(format!("m:{name}")), &[], Value::Int(1))
        };
        (1..).zip(names).map(call).collect()
    }

    fn names(calls: &[Call], processors: usize, whole: Whole) -> Vec<Vec<String>> {
        let of = |lane: &Vec<&Call>| {
            let mut names: Vec<String> = lane.iter().map(|call| call.function.qualname().to_owned()).collect();
            names.dedup();
            names
        };
        parted(calls, processors, whole).iter().map(of).collect()
    }

    #[test]
    fn lanes_are_about_as_long_and_no_more_functions_than_need_be_are_in_several() {
        let many = calls(&[("a", 10), ("b", 30), ("c", 10), ("d", 10)]);
        let of = |processors| names(&many, processors, Whole::Nothing);
        assert_eq!(of(2), [vec!["b"], vec!["a", "c", "d"]]);
        assert_eq!(of(1), [["b", "a", "c", "d"]]);
        assert_eq!(of(4), [vec!["b"], vec!["b"], vec!["a", "d"], vec!["c"]]);
        assert_eq!(names(&calls(&[("a", 20)]), 2, Whole::Nothing), [["a"], ["a"]]);
        assert_eq!(names(&many, 4, Whole::Functions), [["b"], ["a"], ["c"], ["d"]]);
    }

    #[test]
    fn a_few_calls_are_not_worth_a_process_more() {
        assert_eq!(parted(&calls(&[("a", 4), ("b", 4)]), 8, Whole::Nothing).len(), 1);
        assert_eq!(parted(&[], 8, Whole::Functions).iter().flatten().count(), 0);
    }

    #[test]
    fn calls_for_which_files_are_laid_out_never_run_at_the_same_time() {
        let mut all = calls(&[("a", 20), ("b", 20), ("c", 20)]);
        for call in all.iter_mut().step_by(20) {
            call.touches.push(Touch::Content { path: "names.txt".to_owned(), text: "ada".to_owned() });
        }
        let reading = |lane: &Vec<&Call>| lane.iter().filter(|call| call.files().next().is_some()).count();
        for whole in [Whole::Nothing, Whole::Functions] {
            let counts: Vec<usize> = parted(&all, 4, whole).iter().map(reading).filter(|count| *count > 0).collect();
            assert_eq!(counts, [3], "{whole:?}");
        }
    }
}
