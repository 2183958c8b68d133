//! Other calls that a draft may rest on: the lives of the objects in a call, what made them, and what they changed.
//!
//! A call is related in several ways, and its values may be large: each stands here once.

use std::collections::{BTreeSet, HashMap};

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, Outcome, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};
use crate::engine::calls;
use crate::engine::calls::eligible::decode;
use crate::engine::calls::external::Outreach;
use crate::engine::state::core::Core;
use crate::generate::learned::Learned;
use crate::generate::serial::Numbers;
use crate::store::Life;

/// An object of a recorded program: its recording, process and number.
pub(super) type Object = (RecordingId, i64, u64);

/// The process in which each call ran.
#[derive(Default)]
pub(super) struct Processes(HashMap<CallId, i64>);

impl Processes {
    pub(super) fn new(lives: &[Life]) -> Self {
        Self(lives.iter().map(|life| (life.call, life.process)).collect())
    }

    pub(super) fn of(&self, call: &Call) -> i64 {
        self.0.get(&call.id).copied().unwrap_or(0)
    }

    pub(super) fn object(&self, call: &Call, ordinal: u64) -> Object {
        (call.recording, self.of(call), ordinal)
    }
}

/// The place of a call among the related ones.
type At = usize;

/// The calls that are related to those of the functions to draft for.
#[derive(Default)]
pub(super) struct Related {
    /// Each once.
    calls: Vec<Call>,
    at: HashMap<CallId, At>,
    processes: Processes,
    lives: HashMap<Object, Vec<At>>,
    /// Calls that changed objects which are not their receivers.
    changers: HashMap<Object, Vec<At>>,
    /// Calls of `__init__`, by that function.
    births: HashMap<FunctionId, Vec<At>>,
    /// The calls of functions that are defined inside of a function, by that one.
    inner: HashMap<FunctionId, Vec<At>>,
    /// Calls whose results hold an object, and those that raised one: what may have made it.
    makers: HashMap<Object, Vec<At>>,
    makers_of: HashMap<TypeName, Vec<At>>,
}

impl Related {
    /// Reads the calls that are related to these objects, and has `learned` see every recorded call.
    pub(super) fn read(
        core: &Core,
        (lives, processes): (Vec<Life>, Processes),
        objects: &BTreeSet<Object>,
        outreach: &Outreach,
        learned: &mut Learned,
    ) -> Result<Self, Trouble> {
        let mut related = Self { processes, ..Self::default() };
        related.read_makers(core, objects, outreach, learned)?;
        related.read_lives(core, lives, objects)?;
        related.calls.shrink_to_fit();
        Ok(related)
    }

    fn read_lives(&mut self, core: &Core, lives: Vec<Life>, objects: &BTreeSet<Object>) -> Result<(), Trouble> {
        let mut of_objects: HashMap<Object, Vec<CallId>> = HashMap::new();
        for life in lives {
            let Some(receiver) = life.receiver else { continue };
            let key = (life.recording, life.process, receiver);
            if objects.contains(&key) {
                of_objects.entry(key).or_default().push(life.call);
            }
        }
        for (key, ids) in of_objects {
            let missing: Vec<CallId> = ids.iter().copied().filter(|id| !self.at.contains_key(id)).collect();
            for call in core.store().calls(&missing)? {
                self.add(decode(call));
            }
            let found = ids.iter().filter_map(|id| self.at.get(id).copied()).collect();
            self.lives.insert(key, found);
        }
        Ok(())
    }

    /// Reads what may have made the objects: calls of `__init__`, and calls whose results hold some.
    fn read_makers(
        &mut self,
        core: &Core,
        objects: &BTreeSet<Object>,
        outreach: &Outreach,
        learned: &mut Learned,
    ) -> Result<(), Trouble> {
        let mut numbers = Numbers::default();
        for total in core.store().functions()? {
            for stored in core.store().calls_of(&total.function, calls::read::CALLS_MAX)? {
                let call = decode(stored);
                learned.see(&call);
                numbers.note(&call, self.processes.of(&call));
                if call.touches.iter().any(Touch::forbids_replay) || !outreach.below(call.id).is_empty() {
                    continue;
                }
                if total.function.qualname().ends_with(".__init__") {
                    let at = self.add(call);
                    self.births.entry(total.function.clone()).or_default().push(at);
                } else if let Some((around, name)) = total.function.qualname().split_once(".<locals>.") {
                    if !name.contains("<locals>") {
                        let around = FunctionId::new(total.function.module(), around);
                        let at = self.add(call);
                        self.inner.entry(around).or_default().push(at);
                    }
                } else {
                    self.note(call, objects);
                }
            }
        }
        learned.number(numbers.serials());
        let calls = &self.calls;
        // Which of several that stand under names of their own was made when, nobody knows.
        self.inner.retain(|_, inner| inner.iter().all(|at| calls[*at].bound() == calls[inner[0]].bound()));
        self.inner.values_mut().for_each(|inner| inner.sort_by_key(|at| (calls[*at].start_ns, calls[*at].id)));
        for of_type in self.makers_of.values_mut() {
            of_type.sort_by_cached_key(|at| {
                let call = &calls[*at];
                (!call.is_from_outside(), call.arguments(usize::MAX).len(), call.id)
            });
        }
        Ok(())
    }

    /// Keeps a call that changed one of the objects, or whose result holds one.
    fn note(&mut self, call: Call, objects: &BTreeSet<Object>) {
        let changed = self.changed_by(&call, objects);
        let (made, types) = self.made_by(&call, objects);
        if changed.is_empty() && made.is_empty() && types.is_empty() {
            return;
        }
        let at = self.add(call);
        changed.into_iter().for_each(|key| self.changers.entry(key).or_default().push(at));
        made.into_iter().for_each(|key| self.makers.entry(key).or_default().push(at));
        for ty in types {
            let of_type = self.makers_of.entry(ty).or_default();
            if of_type.last() != Some(&at) {
                of_type.push(at);
            }
        }
    }

    fn changed_by(&self, call: &Call, objects: &BTreeSet<Object>) -> Vec<Object> {
        let changed = |name: &str| {
            let given = call.args.iter().find(|arg| arg.name == *name).map(|arg| &arg.value);
            let Some(Value::Object { ordinal, .. }) = given else { return None };
            let key = self.processes.object(call, *ordinal);
            (call.receiver != Some(*ordinal) && objects.contains(&key)).then_some(key)
        };
        call.effect.changed.iter().filter_map(|(name, _)| changed(name)).collect()
    }

    /// Gives the objects that the result of a call holds, and the types of what it gave.
    fn made_by(&self, call: &Call, objects: &BTreeSet<Object>) -> (Vec<Object>, Vec<TypeName>) {
        let value = match &call.effect.outcome {
            Outcome::Returned(value) => value,
            Outcome::Raised { exception, .. } => exception,
            _ => return (Vec::new(), Vec::new()),
        };
        let mut made = Vec::new();
        value.walk(&mut |part| {
            let key = part.ordinal().map(|ordinal| self.processes.object(call, ordinal));
            made.extend(key.filter(|key| objects.contains(key)));
            true
        });
        let given = std::iter::once(value).chain(value.children().into_iter().map(|(_, part)| part));
        let of_object = |part: &Value| if let Value::Object { ty, .. } = part { Some(ty.clone()) } else { None };
        (made, given.filter_map(of_object).collect())
    }

    fn add(&mut self, call: Call) -> At {
        *self.at.entry(call.id).or_insert_with(|| {
            self.calls.push(call);
            self.calls.len() - 1
        })
    }

    fn all<'a>(&'a self, places: Option<&'a Vec<At>>) -> impl Iterator<Item = &'a Call> {
        places.into_iter().flatten().map(|at| &self.calls[*at])
    }

    /// Lends every related call, to change what it holds.
    pub(super) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Call> {
        self.calls.iter_mut()
    }

    /// Lists the calls that ended before a call began and gave an object.
    pub(super) fn makers(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let ended = |maker: &&Call| maker.id != call.id && maker.start_ns.saturating_add(maker.duration_ns) <= call.start_ns;
        self.all(self.makers.get(&self.processes.object(call, ordinal))).filter(ended).collect()
    }

    /// Lists the calls that gave an object of a class.
    pub(super) fn makers_of(&self, ty: &TypeName) -> Vec<&Call> {
        self.all(self.makers_of.get(ty)).collect()
    }

    /// Lists the kept calls on an object, in order.
    fn life(&self, call: &Call, ordinal: u64) -> impl Iterator<Item = &Call> {
        self.all(self.lives.get(&self.processes.object(call, ordinal)))
    }

    /// Lists the kept calls on an object, and those that changed it, that began before a call, in order.
    pub(super) fn history(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let changers = self.all(self.changers.get(&self.processes.object(call, ordinal)));
        let all = self.life(call, ordinal).chain(changers);
        let mut earlier: Vec<&Call> = all.filter(|earlier| earlier.start_ns < call.start_ns).collect();
        earlier.sort_by_key(|earlier| (earlier.start_ns, earlier.id));
        earlier
    }

    /// Lists the kept calls on an object that began after a call's end, in order.
    pub(super) fn afterwards(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let end = call.start_ns.saturating_add(call.duration_ns);
        self.life(call, ordinal).filter(|later| later.start_ns >= end).collect()
    }

    /// Lists the kept calls of what is defined inside of a called function, from its end to the next of its `siblings`.
    pub(super) fn inner<'a>(&self, call: &Call, siblings: impl Iterator<Item = &'a Call>) -> Vec<&Call> {
        let around = call.function.qualname().split('#').next().unwrap_or_default();
        let Some(all) = self.inner.get(&FunctionId::new(call.function.module(), around)) else { return Vec::new() };
        let end = call.start_ns.saturating_add(call.duration_ns);
        let of_same = |other: &&Call| other.recording == call.recording && self.processes.of(other) == self.processes.of(call);
        let next = siblings.filter(of_same).map(|other| other.start_ns).filter(|start| *start >= end).min();
        let after = |other: &&Call| other.start_ns >= end && next.is_none_or(|next| other.start_ns < next);
        self.all(Some(all)).filter(of_same).filter(after).collect()
    }

    /// Lists the kept calls of a class's `__init__`.
    pub(super) fn births(&self, ty: &TypeName) -> Vec<&Call> {
        let init = FunctionId::new(&ty.module, &format!("{}.__init__", ty.qualname));
        self.all(self.births.get(&init)).collect()
    }
}
