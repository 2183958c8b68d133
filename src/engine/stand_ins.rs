//! Which calls made others that left their process (network, other programs), and what stands in for those in a test (R17).
//!
//! Reads the store and the index. A call counts as the one that left its process when the recorder noted it of the call itself:
//! the nearest kept one.

use std::collections::{BTreeMap, HashMap};

use crate::base::error::Trouble;
use crate::domain::call::{CONTENT, Call, CallId, Outcome, RecordingId, Touch, VARIABLE, reached_out};
use crate::domain::function::{Function, FunctionId, FunctionKind};
use crate::domain::proposal::LeftOut;
use crate::engine::core::Core;
use crate::engine::usable;
use crate::generate::choose;
use crate::generate::stand_ins::StandIn;
use crate::generate::steady::as_read;
use crate::source::called;
use crate::source::index::Index;
use crate::store::Life;

/// Calls above one that left its process that are looked at.
const DEPTH: usize = 64;
/// More functions, or more calls of them, stand in for nothing that anybody reads.
const FUNCTIONS_MAX: usize = 3;
const CALLS_MAX: usize = 8;

/// Who left the process, below which calls.
#[derive(Debug, Default)]
pub struct Outreach {
    below: HashMap<CallId, Vec<CallId>>,
    /// The function, and what it did: `net` or `process`.
    who: HashMap<CallId, (FunctionId, String)>,
}

impl Outreach {
    /// Goes up from the calls that left their process, in order of their start, to those that made them; what stands above two
    /// of them, one inside the other, knows the outer one alone.
    #[must_use]
    pub fn new(lives: &[Life], reaching: Vec<(CallId, FunctionId, String)>) -> Self {
        if reaching.is_empty() {
            return Self::default();
        }
        let parents: HashMap<CallId, CallId> = lives.iter().filter_map(|life| Some((life.call, life.parent?))).collect();
        let who: HashMap<_, _> =
            reaching.iter().map(|(call, function, kind)| (*call, (function.clone(), kind.clone()))).collect();
        let mut below: HashMap<CallId, Vec<CallId>> = HashMap::new();
        for (call, ..) in &reaching {
            let mut next = parents.get(call);
            for _ in 0..DEPTH {
                let Some(above) = next else { break };
                below.entry(*above).or_default().push(*call);
                if who.contains_key(above) {
                    break;
                }
                next = parents.get(above);
            }
        }
        Self { below, who }
    }

    /// Lists the calls below a call that left the process.
    #[must_use]
    pub fn below(&self, call: CallId) -> &[CallId] {
        self.below.get(&call).map_or(&[][..], Vec::as_slice)
    }

    /// Says why a call is not run again that made others which left the process.
    fn reason(&self, call: CallId) -> Option<String> {
        let (function, kind) = self.who.get(self.below(call).first()?)?;
        Some(reached_out(function, kind))
    }
}

/// Notes of a recording's calls that they are not run again because of others that they made (R16).
///
/// # Errors
/// Fails when the store cannot be read or written.
pub fn note(core: &Core, recording: RecordingId) -> Result<(), Trouble> {
    let reaching = core.store().reaching_out()?;
    if reaching.is_empty() {
        return Ok(());
    }
    let lives = core.store().lives()?;
    let outreach = Outreach::new(&lives, reaching);
    let of_recording = lives.iter().filter(|life| life.recording == recording).map(|life| life.call);
    let reasons = of_recording.filter_map(|call| Some((call, outreach.reason(call)?)));
    core.store().set_not_replayable(reasons.collect())?;
    Ok(())
}

/// Finds what stands in for what left the process below calls, and adds the reasons for those that have no test.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn lend(
    core: &Core,
    index: &Index,
    above: Vec<Call>,
    outreach: &Outreach,
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<(Call, Vec<StandIn>)>, Trouble> {
    let mut lent = Vec::new();
    for call in above {
        match of(core, index, call, outreach)? {
            Ok(found) => lent.push(found),
            Err(left) => left_out.push(left),
        }
    }
    choose::merge(left_out);
    Ok(lent)
}

/// Finds what stands in for what left the process below a call; gives the call as its test makes it, or the reason why there is
/// no test.
fn of(core: &Core, index: &Index, mut call: Call, outreach: &Outreach) -> Result<Result<(Call, Vec<StandIn>), LeftOut>, Trouble> {
    let ids = outreach.below(call.id);
    let refuse = |why: &str| {
        let reason = format!("{}{why}", outreach.reason(call.id).unwrap_or_default());
        Ok(Err(LeftOut { calls: call.times.max(1), reason }))
    };
    if ids.len() > CALLS_MAX {
        return refuse(&format!(", {} times", ids.len()));
    }
    let inner: Vec<Call> = core.store().calls(ids)?.into_iter().map(usable::decode).collect();
    let mut by_function: BTreeMap<FunctionId, Vec<Call>> = BTreeMap::new();
    for call in &inner {
        by_function.entry(call.callee()).or_default().push(call.clone());
    }
    if by_function.len() > FUNCTIONS_MAX {
        return refuse(", and so do others");
    }
    let mut found = Vec::new();
    for (function, mut calls) in by_function {
        let Some(defined) = index.function(&function).filter(|defined| is_replaceable(defined)) else { return refuse("") };
        calls.sort_by_key(|call| (call.start_ns, call.id));
        let ended = |call: &Call| matches!(call.effect.outcome, Outcome::Returned(_) | Outcome::Raised { .. });
        if !calls.iter().all(ended) {
            return refuse(" and had not ended");
        }
        let target = target(index, defined, &calls);
        let form = form(index, StandIn::last_name(&target), &calls);
        found.push(StandIn { function, is_async: defined.is_async, target, calls, form });
    }
    // What they found around them, the test does not need; and the recorder's own environment is not what it ran in.
    let is_found = |touch: &Touch| matches!(touch.kind.as_str(), CONTENT | VARIABLE);
    let theirs = |touch: &Touch| is_found(touch) && inner.iter().any(|call| call.touches.contains(touch));
    call.touches.retain(|touch| touch.kind != "env" && !theirs(touch));
    Ok(Ok((call, found)))
}

/// Tells whether setting a name to something else replaces the function for its callers.
fn is_replaceable(function: &Function) -> bool {
    let by_name = matches!(
        function.kind,
        FunctionKind::Function | FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::StaticMethod
    );
    by_name && !function.is_generator && !function.name().starts_with("__") && !function.id.qualname().contains("<locals>")
}

/// Names the function as its first caller reads it.
fn target(index: &Index, function: &Function, calls: &[Call]) -> String {
    let (home, name) = (function.id.module(), function.written());
    if name.contains('.') {
        return format!("{home}.{name}");
    }
    let caller = calls.first().and_then(|call| index.function(call.caller.as_ref()?));
    let reads = caller.and_then(|caller| index.module(&caller.path)).filter(|module| module.name != home);
    as_read(reads.map(AsRef::as_ref), home, name)
}

/// Finds how the arguments are written where a function of this name is called, when that is the same in each place.
fn form(index: &Index, name: &str, calls: &[Call]) -> Option<called::Form> {
    let mut found = None;
    for call in calls {
        let caller = index.function(call.caller.as_ref()?)?;
        let form = called::form(&index.text(&caller.path)?, caller.span.def, name)?;
        if found.as_ref().is_some_and(|other| *other != form) {
            return None;
        }
        found = Some(form);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life(call: i64, parent: i64) -> Life {
        let parent = (parent > 0).then_some(CallId(parent));
        Life { call: CallId(call), recording: RecordingId(1), process: 1, receiver: None, start_ns: call, parent }
    }

    /// R17: of calls inside of each other the outer one is replaced, for with it goes the inner one.
    #[test]
    fn calls_know_the_outermost_of_those_that_left_the_process() {
        let lives = [life(1, 0), life(2, 1), life(3, 2), life(4, 3), life(5, 1)];
        let reaching = |call: i64| (CallId(call), FunctionId::new("net", "fetch"), "net".to_owned());
        let outreach = Outreach::new(&lives, vec![reaching(2), reaching(4), reaching(5)]);
        let below = |call: i64| outreach.below(CallId(call)).iter().map(|call| call.0).collect::<Vec<_>>();
        assert_eq!(below(1), [2, 5]);
        assert_eq!(below(3), [4]);
        assert_eq!(below(5), [] as [i64; 0]);
        assert_eq!(outreach.reason(CallId(1)).as_deref(), Some("net:fetch, which it calls, uses the network"));
    }
}
