//! Recorded calls as they are kept, decoded, and what is known of how they end.

use std::collections::{BTreeMap, HashMap};

use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::domain::call::{Argument, Call, CallId, Effect, Outcome, RecordingId};
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::observation::Observation;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{TypeName, Value};
use crate::domain::way::Way;
use crate::engine::state::core::Core;
use crate::python::value;
use crate::source::index::Index;
use crate::store::{StoredCall, StoredOutcome};

/// Calls of a function that are read at most.
pub const CALLS_MAX: usize = 400;

/// A call whose outcome may follow the clock, chance or something else that was not recorded.
#[derive(Clone)]
pub struct Unsteady {
    /// As recorded.
    pub call: Call,
    /// Why no draft rests on it as it is; `None` where it ended the same way again.
    pub reason: Option<Reason>,
}

/// Decodes a stored call; what cannot be decoded is a reason, not an error.
pub fn decode(stored: StoredCall) -> Call {
    let unreadable = Value::Opaque { ordinal: 0, ty: TypeName::new("", "unreadable") };
    let broken = || vec![Argument::new("arguments", ParamKind::PositionalOrKeyword, unreadable)];
    let (args, way) = value::arguments(&stored.args).unwrap_or_else(|_| (broken(), Way::default()));
    let effect = match stored.outcome.as_deref().map(value::outcome) {
        Some(Ok(effect)) => effect,
        Some(Err(_)) | None => Effect { outcome: Outcome::Unfinished, changed: Vec::new() },
    };
    Call {
        id: stored.id,
        recording: stored.recording,
        function: stored.function,
        parent: stored.parent,
        caller: stored.caller,
        caller_line: stored.caller_line,
        direct: stored.direct,
        thread: stored.thread,
        task: stored.task,
        receiver: stored.receiver,
        start_ns: stored.start_ns,
        duration_ns: stored.duration_ns,
        args,
        way,
        effect,
        touches: stored.touches,
        observed: Observation::default(),
        times: stored.times,
        input: stored.input,
    }
}

/// Gives the calls of a recording that end and may be run again.
pub fn replayable_of(core: &Core, recording: RecordingId) -> Result<Vec<Call>, Trouble> {
    let calls = core.store().calls_in(recording)?;
    Ok(calls
        .into_iter()
        .filter_map(|stored| {
            let noted = stored.not_replayable.clone();
            let call = decode(stored);
            let reason = noted.or_else(|| call.not_replayable());
            reason.is_none_or(|reason| reason.code.is_stood_in()).then_some(call)
        })
        .collect())
}

/// The kept calls of a function.
pub struct Parted {
    /// Those that were seen to repeat, each with its baseline.
    pub confirmed: Vec<(Call, Effect)>,
    /// Those that repeat while the clock and chance are held still, while parts of their arguments are stood in for, or inside the
    /// recorded test that made them, each with its outcome then: they are compared, and no test may rest on them.
    pub only_compared: Vec<(Call, Effect)>,
    /// Of the confirmed ones, those that are compared inside the recorded test, where a client's answer counts as well, each with its
    /// outcome there.
    pub answered: Vec<(Call, Effect)>,
    /// How many others there are, by why they are not compared: they may not run, or run alone they end differently.
    pub others: BTreeMap<Reason, u64>,
}

impl Parted {
    /// Gives the calls that are compared, each once with its baseline, and why others are not.
    pub fn compared(self) -> (Vec<(Call, Effect)>, BTreeMap<Reason, u64>) {
        let Self { mut confirmed, only_compared, answered, others } = self;
        confirmed.retain(|(call, _)| !answered.iter().any(|(other, _)| other.id == call.id));
        confirmed.extend(answered);
        confirmed.extend(only_compared);
        (confirmed, others)
    }
}

/// Tells whether a call with this reason is compared all the same; `is_whole`: it ended again as it did.
pub fn is_only_compared(reason: &Reason, is_whole: bool) -> bool {
    reason.code == ReasonCode::HeldStill || is_whole && reason.code.is_stood_in()
}

/// Gives the calls of a function that can be compared, each with its baseline.
pub fn comparable_calls(core: &Core, function: &FunctionId) -> Result<Vec<(Call, Effect)>, Trouble> {
    Ok(parted_calls(core, function)?.compared().0)
}

/// Gives the calls of a function that were seen to repeat, each with its baseline, without what a recording does not tell: tests
/// may rest on them.
pub fn confirmed_calls(core: &Core, function: &FunctionId) -> Result<Vec<(Call, Effect)>, Trouble> {
    let confirmed = parted_calls(core, function)?.confirmed.into_iter();
    Ok(confirmed.map(|(call, baseline)| (call, baseline.as_recorded())).collect())
}

/// As [`confirmed_calls`], and why the other kept calls of the function are not compared.
pub fn parted_calls(core: &Core, function: &FunctionId) -> Result<Parted, Trouble> {
    let stored = core.store().calls_of(function, CALLS_MAX)?;
    let ids: Vec<CallId> = stored.iter().map(|call| call.id).collect();
    let baselines = core.store().baselines(&ids)?;
    let repeated = core.store().repeated(&ids)?;
    let inside = core.store().compared_in_tests(&ids)?;
    let untried = core.store().untried()?;
    let mut parted = Parted { confirmed: Vec::new(), only_compared: Vec::new(), answered: Vec::new(), others: BTreeMap::new() };
    for call in stored {
        let noted = call.not_replayable.clone();
        let is_whole = call.outcome.is_some() && repeated.contains(&call.id);
        let baseline = baselines.get(&call.id).and_then(|bytes| value::outcome(bytes).ok());
        let mut call = decode(call);
        match (noted, baseline) {
            (noted, Some(baseline)) if inside.contains_key(&call.id) => {
                let alone = (noted.is_none() && is_whole).then(|| (call.clone(), baseline.clone().as_recorded()));
                call.observed.inside = inside.get(&call.id).copied();
                if alone.is_some() { &mut parted.answered } else { &mut parted.only_compared }.push((call, baseline));
                parted.confirmed.extend(alone);
            }
            (None, Some(baseline)) if is_whole => parted.confirmed.push((call, baseline)),
            (Some(reason), Some(baseline)) if is_only_compared(&reason, is_whole) => {
                call.observed.held_still = reason.code == ReasonCode::HeldStill;
                parted.only_compared.push((call, baseline));
            }
            (noted, _) => {
                let reason = noted.or_else(|| call.not_replayable()).unwrap_or_else(|| unconfirmed(&untried, &call));
                *parted.others.entry(reason).or_default() += 1;
            }
        }
    }
    Ok(parted)
}

/// Says why a call was not seen to end as recorded, where nothing was noted of it: it was not run yet, or nobody knows which code the
/// recording ran. `untried` are the recordings whose calls were not run yet.
#[must_use]
pub fn unconfirmed(untried: &[RecordingId], call: &Call) -> Reason {
    if untried.contains(&call.recording) { ReasonCode::NotCheckedYet.into() } else { ReasonCode::OtherThanRecorded.into() }
}

/// Gives the known outcomes of calls under a version of the code, each with the functions it ran through.
pub fn outcomes(
    core: &Core,
    calls: impl Iterator<Item = CallId>,
    code: Digest,
) -> Result<HashMap<CallId, (Effect, Vec<FunctionId>)>, Trouble> {
    let stored = core.store().outcomes(&calls.collect::<Vec<_>>(), code)?;
    let decoded = |(call, stored): (CallId, StoredOutcome)| Some((call, (value::outcome(&stored.outcome).ok()?, stored.entered)));
    Ok(stored.into_iter().filter_map(decoded).collect())
}

/// Says where a call was made: `checkout order.py:41`.
pub fn place(index: &Index, id: &FunctionId, line: Option<u32>) -> String {
    let file = index.function(id).map_or_else(|| id.module().to_owned(), |f| f.path.file_name().to_owned());
    match line {
        Some(line) => format!("{} {file}:{line}", id.qualname()),
        None => format!("{} {file}", id.qualname()),
    }
}

/// Hashes an outcome, for notes on it.
pub fn outcome_hash(effect: &Effect) -> Digest {
    hash::of(&value::encode_outcome(&effect.clone().essence()))
}
