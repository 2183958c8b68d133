//! Which calls made others that left their process (network, other programs), and what stands in for those in a test (R17).
//!
//! Reads the store and the index. A call counts as the one that left its process when the recorder noted it of the call itself:
//! the nearest kept one.

use std::collections::{BTreeMap, HashMap};

use crate::base::error::Trouble;
use crate::domain::answers::Answers;
use crate::domain::call::{CONTENT, Call, CallId, Outcome, RecordingId, Touch, VARIABLE, reached_out};
use crate::domain::function::{Function, FunctionId, FunctionKind};
use crate::domain::proposal::LeftOut;
use crate::domain::value::TypeName;
use crate::engine::core::Core;
use crate::engine::usable::{self, Usable};
use crate::generate::choose;
use crate::generate::stand_ins::StandIn;
use crate::generate::steady::as_read;
use crate::python::protocol;
use crate::source::called;
use crate::source::index::Index;
use crate::store::Life;

/// Calls above one that left its process that are looked at.
const DEPTH: usize = 64;
/// So many calls that left the process may stand below one that is made again.
const CALLS_MAX: usize = 100;
/// In a test that people read, so many functions have a stand-in, and these so many calls.
const READ_FUNCTIONS_MAX: usize = 3;
const READ_CALLS_MAX: usize = 8;
/// Why a call has no test for which it is known what stands in for others.
const CHANGED: &str = "what it calls to leave the process was changed since it was recorded";
const TOO_MANY: &str = "too much that it calls leaves the process to be read in a test";

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
    #[must_use]
    pub fn reason(&self, call: CallId) -> Option<String> {
        let (function, kind) = self.who.get(self.below(call).first()?)?;
        Some(reached_out(function, kind))
    }
}

/// Notes of a recording's calls what stands in for others that they made and that left the process, or that they are not run
/// again because of them (R16).
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
    let index = core.index();
    let (mut noted, mut refused) = (Vec::new(), Vec::new());
    for call in lives.iter().filter(|life| life.recording == recording).map(|life| life.call) {
        let Some(reason) = outreach.reason(call).filter(|_| !outreach.who.contains_key(&call)) else { continue };
        match answers(core, &index, outreach.below(call))? {
            Ok(answers) => noted.push((call, answers.iter().map(Answers::touch).collect())),
            Err(why) => refused.push((call, format!("{reason}{why}"))),
        }
    }
    core.store().set_touches(noted)?;
    core.store().set_not_replayable(refused)?;
    Ok(())
}

/// Gives the functions that left the process in these calls, or why they cannot be replaced.
fn answers(core: &Core, index: &Index, calls: &[CallId]) -> Result<Result<Vec<Answers>, String>, Trouble> {
    if calls.len() > CALLS_MAX {
        return Ok(Err(format!(", {} times", calls.len())));
    }
    let inner = core.store().calls(calls)?.into_iter().map(usable::decode);
    let of = |one: StandIn| {
        let calls = one.calls.iter().map(|call| call.id).collect();
        Answers { target: one.target, awaited: one.is_async, calls }
    };
    Ok(found(index, inner).map(|found| found.into_iter().map(of).collect()).map_err(ToOwned::to_owned))
}

/// Gives what stands in for others when a call is made again, with what these gave.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn answering(core: &Core, call: &Call) -> Result<Vec<protocol::StandIn>, Trouble> {
    let mut all = Vec::new();
    for answers in Answers::of(call) {
        let stored = core.store().calls(&answers.calls)?;
        let outcome = |id: &CallId| stored.iter().find(|call| call.id == *id)?.outcome.clone();
        let outcomes: Vec<Vec<u8>> = answers.calls.iter().filter_map(outcome).collect();
        all.push(protocol::StandIn::new(answers, &outcomes));
    }
    Ok(all)
}

/// Finds what stands in for others in tests of these calls, and takes from the calls what only the others found around them.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn lend(core: &Core, index: &Index, usable: &mut Usable) -> Result<Vec<(CallId, Vec<StandIn>)>, Trouble> {
    let mut lent = Vec::new();
    let left_out = &mut usable.left_out;
    let mut keep = |call: &mut Call| {
        let ids: Vec<CallId> = Answers::of(call).flat_map(|one| one.calls).collect();
        if ids.is_empty() {
            return Ok::<_, Trouble>(true);
        }
        let inner: Vec<Call> = core.store().calls(&ids)?.into_iter().map(usable::decode).collect();
        let is_found = |touch: &Touch| matches!(touch.kind.as_str(), CONTENT | VARIABLE);
        let theirs = |touch: &Touch| is_found(touch) && inner.iter().any(|call| call.touches.contains(touch));
        call.touches.retain(|touch| !theirs(touch));
        let count = inner.len();
        let found = found(index, inner.into_iter()).map_err(|_| CHANGED).and_then(|found| {
            let is_read = found.len() <= READ_FUNCTIONS_MAX && count <= READ_CALLS_MAX;
            if is_read { Ok(found) } else { Err(TOO_MANY) }
        });
        match found {
            Ok(found) => lent.push((call.id, found)),
            Err(why) => {
                left_out.push(LeftOut { calls: call.times.max(1), reason: why.to_owned() });
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut calls = Vec::with_capacity(usable.calls.len());
    for mut call in std::mem::take(&mut usable.calls) {
        calls.extend(keep(&mut call)?.then_some(call));
    }
    let mut unsteady = Vec::with_capacity(usable.unsteady.len());
    for mut one in std::mem::take(&mut usable.unsteady) {
        unsteady.extend(keep(&mut one.call)?.then_some(one));
    }
    (usable.calls, usable.unsteady) = (calls, unsteady);
    choose::merge(&mut usable.left_out);
    Ok(lent)
}

/// Finds which functions have to be replaced, and where, for these calls of them not to be made; or why they cannot be.
fn found(index: &Index, inner: impl Iterator<Item = Call>) -> Result<Vec<StandIn>, &'static str> {
    let mut by_place: BTreeMap<(String, String), (&Function, Vec<Call>)> = BTreeMap::new();
    for call in inner {
        let defined = index.function(&call.callee()).filter(|defined| is_replaceable(defined)).ok_or("")?;
        if !matches!(call.effect.outcome, Outcome::Returned(_) | Outcome::Raised { .. }) {
            return Err(" and had not ended");
        }
        let TypeName { module, qualname } = target(index, defined, &call);
        by_place.entry((module, qualname)).or_insert((defined, Vec::new())).1.push(call);
    }
    let found = by_place.into_iter().map(|((module, qualname), (defined, mut calls))| {
        calls.sort_by_key(|call| (call.start_ns, call.id));
        let target = TypeName::new(module, qualname);
        let form = form(index, target.short(), &calls);
        let has_receiver = matches!(defined.kind, FunctionKind::Method | FunctionKind::ClassMethod);
        StandIn { function: defined.id.clone(), is_async: defined.is_async, has_receiver, target, calls, form }
    });
    Ok(found.collect())
}

/// Tells whether setting a name to something else replaces the function for its callers.
fn is_replaceable(function: &Function) -> bool {
    let by_name = matches!(
        function.kind,
        FunctionKind::Function | FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::StaticMethod
    );
    by_name && !function.is_generator && !function.name().starts_with("__") && !function.id.qualname().contains("<locals>")
}

/// Names the function as the caller of a call reads it.
fn target(index: &Index, function: &Function, call: &Call) -> TypeName {
    let (home, name) = (function.id.module(), function.written());
    if name.contains('.') {
        return TypeName::new(home, name);
    }
    let caller = call.caller.as_ref().and_then(|caller| index.function(caller));
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
