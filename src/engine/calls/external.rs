//! Which calls made others that left their process (network, other programs), and what stands in for those in a test (R17).
//!
//! Reads the store and the index. A call counts as the one that left its process when the recorder noted it of the call itself:
//! the nearest kept one.

use std::collections::{BTreeMap, HashMap};

use crate::base::error::Trouble;
use crate::domain::answers::Answers;
use crate::domain::call::{Call, CallId, DECORATORS_MAX, RecordingId, reached_out};
use crate::domain::function::{Function, FunctionId, FunctionKind};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::touch::Touch;
use crate::domain::value::TypeName;
use crate::engine::calls;
use crate::engine::calls::eligible::Usable;
use crate::engine::index::call_sites::Readers;
use crate::engine::state::core::Core;
use crate::generate::choose;
use crate::generate::project::StandIn;
use crate::source::index::Index;
use crate::store::{Life, Reach};

/// So many calls that left the process may stand below one that is made again.
const CALLS_MAX: usize = 100;
/// In a test that people read, so many functions have a stand-in, and these so many calls.
const READ_FUNCTIONS_MAX: usize = 3;
const READ_CALLS_MAX: usize = 8;

/// Who left the process, below which calls.
#[derive(Debug, Default)]
pub struct Outreach {
    below: HashMap<CallId, Vec<CallId>>,
    who: HashMap<CallId, Reach>,
}

impl Outreach {
    /// Goes up from the calls that left their process, in order of their start, to those that made them; what stands above two
    /// of them, one inside the other, knows the outer one alone.
    #[must_use]
    pub fn new(lives: &[Life], reaching: Vec<Reach>) -> Self {
        if reaching.is_empty() {
            return Self::default();
        }
        let parents: HashMap<CallId, CallId> = lives.iter().filter_map(|life| Some((life.call, life.parent?))).collect();
        let order: Vec<CallId> = reaching.iter().map(|reach| reach.call).collect();
        let who: HashMap<CallId, Reach> = reaching.into_iter().map(|reach| (reach.call, reach)).collect();
        let mut below: HashMap<CallId, Vec<CallId>> = HashMap::new();
        for call in order {
            let mut next = parents.get(&call);
            while let Some(above) = next {
                let known = below.entry(*above).or_default();
                known.push(call);
                // Where there are too many already, there are further up, too.
                if who.contains_key(above) || known.len() > CALLS_MAX + 1 {
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

    /// Gives the functions that left the process below a call, or why they cannot be replaced: for `reason`, where nothing
    /// else stands in the way.
    fn answers(&self, index: &Index, call: CallId, reason: Reason) -> Result<Vec<Answers>, Reason> {
        let inner = self.below(call);
        if inner.len() > CALLS_MAX {
            return Err(Reason { code: ReasonCode::TooManyExternalCalls, ..reason.with(CALLS_MAX) });
        }
        let mut by_function: BTreeMap<&FunctionId, Vec<CallId>> = BTreeMap::new();
        for reach in inner.iter().filter_map(|call| self.who.get(call)) {
            if !reach.ended {
                return Err(ReasonCode::ExternalCallUnfinished.of(&reach.function));
            }
            by_function.entry(&reach.function).or_default().push(reach.call);
        }
        let answers = by_function.into_iter().map(|(function, calls)| {
            let defined = index.function(function).filter(|defined| is_replaceable(defined))?;
            Some(Answers { target: TypeName::new(function.module(), defined.written()), awaited: defined.is_async, calls })
        });
        answers.collect::<Option<_>>().ok_or(reason)
    }

    /// Says why a call is not run again that made others which left the process.
    #[must_use]
    pub fn reason(&self, call: CallId) -> Option<Reason> {
        let reach = self.who.get(self.below(call).first()?)?;
        Some(reached_out(&reach.function, reach.access))
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
        match outreach.answers(&index, call, reason) {
            Ok(answers) => noted.push((call, answers.into_iter().map(Touch::StandIn).collect())),
            Err(why) => refused.push((call, why)),
        }
    }
    core.store().set_touches(noted)?;
    core.store().set_not_replayable(refused)?;
    Ok(())
}

/// Finds what stands in for others in tests of these calls, and takes from the calls what only the others found around them.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn lend(core: &Core, readers: &mut Readers<'_>, usable: &mut Usable) -> Result<Vec<(CallId, Vec<StandIn>)>, Trouble> {
    let mut lent = Vec::new();
    let left_out = &mut usable.left_out;
    let mut keep = |call: &mut Call| {
        let ids: Vec<CallId> = Answers::of(call).flat_map(|one| one.calls.clone()).collect();
        if ids.is_empty() {
            return Ok::<_, Trouble>(true);
        }
        let inner: Vec<Call> = core.store().calls(&ids)?.into_iter().map(calls::eligible::decode).collect();
        let is_found = |touch: &Touch| matches!(touch, Touch::Content { .. } | Touch::Variable { .. } | Touch::CommandLine(_));
        let theirs = |touch: &Touch| is_found(touch) && inner.iter().any(|call| call.touches.contains(touch));
        call.touches.retain(|touch| !theirs(touch));
        let count = inner.len();
        let found = found(core, readers, inner)?.ok_or_else(|| ReasonCode::MockTargetChanged.into()).and_then(|found| {
            let is_read = found.len() <= READ_FUNCTIONS_MAX && count <= READ_CALLS_MAX;
            if is_read { Ok(found) } else { Err(ReasonCode::TooManyMocks.of(READ_FUNCTIONS_MAX).with(READ_CALLS_MAX)) }
        });
        match found {
            Ok(found) => lent.push((call.id, found)),
            Err(reason) => {
                left_out.push(LeftOut { calls: call.times.max(1), reason });
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

/// Finds which functions have to be replaced, and where, for these calls of them not to be made; nothing where that is not known.
fn found(core: &Core, readers: &mut Readers<'_>, inner: Vec<Call>) -> Result<Option<Vec<StandIn>>, Trouble> {
    let index = readers.index;
    let mut by_place: BTreeMap<TypeName, (&Function, Vec<Call>)> = BTreeMap::new();
    for mut call in inner {
        let Some(defined) = index.function(&call.function).filter(|defined| is_replaceable(defined)) else { return Ok(None) };
        // Decorators call it by a name of their own: the name it is kept under is read by who calls what they made of it.
        let mut above = call.parent;
        for _ in 0..DECORATORS_MAX {
            if !call.caller.as_ref().is_some_and(|caller| caller.qualname().contains("<locals>")) {
                break;
            }
            let Some(wrapper) = core.store().calls(above.as_slice())?.into_iter().next() else { break };
            (call.caller, above) = (wrapper.caller, wrapper.parent);
        }
        let place = readers.place(defined, call.caller.as_ref());
        by_place.entry(place).or_insert((defined, Vec::new())).1.push(call);
    }
    let found = by_place.into_iter().map(|(target, (defined, mut calls))| {
        calls.sort_by_key(|call| (call.start_ns, call.id));
        let form = readers.form(target.short(), calls.iter().map(|call| call.caller.as_ref()));
        let has_receiver = matches!(defined.kind, FunctionKind::Method | FunctionKind::ClassMethod);
        StandIn { function: defined.id.clone(), is_async: defined.is_async, has_receiver, target, calls, form }
    });
    Ok(Some(found.collect()))
}

/// Tells whether setting a name to something else replaces the function for its callers.
fn is_replaceable(function: &Function) -> bool {
    let by_name = matches!(
        function.kind,
        FunctionKind::Function | FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::StaticMethod
    );
    by_name && !function.is_generator && !function.name().starts_with("__") && !function.id.qualname().contains("<locals>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::external_access::ExternalAccess;

    fn life(call: i64, parent: i64) -> Life {
        let parent = (parent > 0).then_some(CallId(parent));
        Life { call: CallId(call), recording: RecordingId(1), process: 1, receiver: None, start_ns: call, parent }
    }

    /// R17: of calls inside of each other the outer one is replaced, for with it goes the inner one.
    #[test]
    fn calls_know_the_outermost_of_those_that_left_the_process() {
        let lives = [life(1, 0), life(2, 1), life(3, 2), life(4, 3), life(5, 1)];
        let reach = |call: i64| {
            let function = FunctionId::new("net", "fetch");
            Reach { call: CallId(call), function, access: ExternalAccess::Network, ended: true }
        };
        let outreach = Outreach::new(&lives, vec![reach(2), reach(4), reach(5)]);
        let below = |call: i64| outreach.below(CallId(call)).iter().map(|call| call.0).collect::<Vec<_>>();
        assert_eq!(below(1), [2, 5]);
        assert_eq!(below(3), [4]);
        assert_eq!(below(5), [] as [i64; 0]);
        assert_eq!(outreach.reason(CallId(1)), Some(ReasonCode::ExternalCall.of("net:fetch").through(ExternalAccess::Network)));
    }
}
