//! What drafts rest on: the calls of functions, the lives of the objects in them, and why other calls do not count.
//!
//! Reads the store and the index; asks nothing of the project's Python and changes nothing.

mod serials;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId, Outcome, RecordingId};
use crate::domain::function::{Function, FunctionId, Module, Span};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::domain::settings::Snapshots;
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};
use crate::engine::calls;
use crate::engine::calls::eligible::{Usable, decode, usable};
use crate::engine::calls::external::Outreach;
use crate::engine::calls::read::Unsteady;
use crate::engine::drafting::written::{self, Made, Recorded};
use crate::engine::edits::manifest_lookup::Standing;
use crate::engine::index::call_sites::Readers;
use crate::engine::index::scripts;
use crate::engine::state::core::Core;
use crate::generate::closer::{self, Look};
use crate::generate::learned::{Learned, Said};
use crate::generate::plan::Plan;
use crate::generate::project::{AwaitBy, ClockBy, Definitions, Project, StandIn};
use crate::generate::serial::Numbers;
use crate::generate::told::Told;
use crate::source::facades::Facades;
use crate::source::index::Index;
use crate::source::mappings::Mapping;

/// Longer arguments are not read at a glance.
const READABLE_MAX: usize = 80;

/// The draft of a private function of which tests of others run every call.
pub struct Beneath {
    /// Its place among what was made.
    pub at: usize,
    /// Its calls.
    pub own: Vec<Call>,
    /// The calls above them that tests make.
    pub callers: Vec<Call>,
}

/// An object of a recorded program: its recording, process and number.
type Object = (RecordingId, i64, u64);

/// The process in which each call ran.
struct Processes(HashMap<CallId, i64>);

impl Processes {
    fn of(&self, call: &Call) -> i64 {
        self.0.get(&call.id).copied().unwrap_or(0)
    }

    fn object(&self, call: &Call, ordinal: u64) -> Object {
        (call.recording, self.of(call), ordinal)
    }
}

/// The calls of the functions to draft for, and the lives of the objects in them.
pub struct Gathered {
    pub(super) functions: Vec<Recorded>,
    lives: HashMap<Object, Vec<Call>>,
    /// Calls that changed objects which are not their receivers.
    told: HashMap<Object, Vec<Call>>,
    processes: Processes,
    births: HashMap<FunctionId, Vec<Call>>,
    /// The calls of functions that are defined inside of a function, by that one.
    inner: HashMap<FunctionId, Vec<Call>>,
    /// Calls whose results hold objects, and those that raised one, in order: what may have made them.
    makers: Vec<Call>,
    makers_by_object: HashMap<Object, Vec<usize>>,
    makers_by_type: HashMap<TypeName, Vec<usize>>,
    reached: HashMap<CallId, BTreeSet<u32>>,
    /// Faults that calls were tried with and did not notice.
    silent: HashMap<CallId, BTreeSet<u32>>,
    /// What results without a form say of themselves.
    says: HashMap<CallId, Vec<(String, Value)>>,
    /// What all recorded calls together tell of classes.
    pub(super) learned: Learned,
    facades: Facades,
    /// Large dicts of modules, by the modules' names.
    pub(super) mappings: Vec<(String, Mapping)>,
    root: String,
    /// What stops the clock for a test.
    clock: ClockBy,
    /// What awaits coroutines in a test.
    awaits: AwaitBy,
    /// How objects are asserted that do not compare by what they hold.
    snapshots: Snapshots,
    /// Calls that end differently each time, with all they touched, by their function's place.
    unsteady: Vec<(usize, Unsteady)>,
    /// The inputs of accepted tests, by their function.
    pub(super) accepted: BTreeMap<FunctionId, BTreeSet<Digest>>,
    /// The call that each was made from.
    pub(super) parents: HashMap<CallId, CallId>,
    /// Drafts of all functions are wanted.
    pub(super) is_all: bool,
    /// What stands in for calls that left their process, by the call above them that is tested.
    pub(super) stand_ins: HashMap<CallId, Vec<StandIn>>,
    /// How recorded tests came to make calls, by the function.
    scenes: HashMap<FunctionId, Vec<Told>>,
}

impl Gathered {
    /// Reads from the store what drafts of these functions, or of all, may rest on; of fewer once `cancel` is set.
    pub fn new(core: &Core, wanted: Vec<FunctionId>, cancel: &CancellationToken) -> Result<Self, Trouble> {
        let index = core.index();
        let all = wanted.is_empty();
        let wanted: BTreeMap<FunctionId, Option<u64>> = if all {
            core.store().functions()?.into_iter().map(|total| (total.function, Some(total.calls))).collect()
        } else {
            wanted.into_iter().map(|named| (named, None)).collect()
        };
        let lives = core.store().lives()?;
        let outreach = Outreach::new(&lives, core.store().reaching_out()?);
        let (mut stand_ins, mut readers) = (HashMap::new(), Readers::new(&index));
        let mut scenes = HashMap::new();
        let parents = lives.iter().filter_map(|life| Some((life.call, life.parent?))).collect();
        let processes = Processes(lives.iter().map(|life| (life.call, life.process)).collect());
        let mut functions = Vec::new();
        let mut unsteady = Vec::new();
        let mut objects: BTreeSet<Object> = BTreeSet::new();
        for (id, unnamed) in wanted {
            if cancel.is_cancelled() {
                break;
            }
            let Some(function) = index.function(&id) else { continue };
            let module = index.module(&function.path);
            if module.is_some_and(|module| module.is_test()) {
                continue;
            }
            if let Some(calls) = unnamed.filter(|_| module.is_some_and(|module| module.is_for_tests())) {
                let helps = LeftOut { calls, reason: ReasonCode::TestHelper.into() };
                functions.push((function.clone(), Vec::new(), vec![helps]));
                continue;
            }
            scenes.insert(id.clone(), written::scenes(core, &id)?);
            let mut found = usable(core, function, &outreach)?;
            stand_ins.extend(calls::external::lend(core, &mut readers, &mut found)?);
            let Usable { calls, left_out, unsteady: varying } = found;
            if calls.is_empty() && left_out.is_empty() {
                continue;
            }
            for call in &calls {
                for arg in &call.args {
                    arg.value.walk(&mut |value| {
                        objects.extend(value.ordinal().map(|ordinal| processes.object(call, ordinal)));
                        true
                    });
                }
            }
            unsteady.extend(varying.into_iter().map(|one| (functions.len(), one)));
            functions.push((function.clone(), calls, left_out));
        }
        let mut of_objects: HashMap<Object, Vec<CallId>> = HashMap::new();
        for life in lives {
            let Some(receiver) = life.receiver else { continue };
            let key = (life.recording, life.process, receiver);
            if objects.contains(&key) {
                of_objects.entry(key).or_default().push(life.call);
            }
        }
        let mut decoded = HashMap::new();
        for (key, ids) in of_objects {
            decoded.insert(key, core.store().calls(&ids)?.into_iter().map(decode).collect());
        }
        let mut gathered = Self {
            functions,
            lives: decoded,
            told: HashMap::new(),
            processes,
            births: HashMap::new(),
            inner: HashMap::new(),
            makers: Vec::new(),
            makers_by_object: HashMap::new(),
            makers_by_type: HashMap::new(),
            reached: HashMap::new(),
            silent: HashMap::new(),
            says: HashMap::new(),
            learned: Learned::default(),
            root: core.root.to_string_lossy().into_owned(),
            mappings: Vec::new(),
            facades: Facades::of(index.modules().map(AsRef::as_ref)),
            clock: ClockBy::default(),
            awaits: AwaitBy::default(),
            snapshots: core.settings().generation.snapshots,
            unsteady,
            accepted: Standing::read(core)?.inputs(),
            parents,
            is_all: all,
            stand_ins,
            scenes,
        };
        gathered.read_makers(core, &objects, &outreach)?;
        gathered.forget_serials(&index);
        Ok(gathered)
    }

    /// Reads what may have made the objects: calls of `__init__`, and calls whose results hold some.
    fn read_makers(&mut self, core: &Core, objects: &BTreeSet<Object>, outreach: &Outreach) -> Result<(), Trouble> {
        let mut numbers = Numbers::default();
        for total in core.store().functions()? {
            let calls: Vec<Call> =
                core.store().calls_of(&total.function, calls::read::CALLS_MAX)?.into_iter().map(decode).collect();
            for call in &calls {
                self.learned.see(call);
                numbers.note(call, self.processes.of(call));
            }
            let may = |call: &Call| !call.touches.iter().any(Touch::forbids_replay) && outreach.below(call.id).is_empty();
            let calls: Vec<Call> = calls.into_iter().filter(may).collect();
            if total.function.qualname().ends_with(".__init__") {
                self.births.insert(total.function, calls);
            } else if let Some((around, name)) = total.function.qualname().split_once(".<locals>.") {
                if !name.contains("<locals>") {
                    self.inner.entry(FunctionId::new(total.function.module(), around)).or_default().extend(calls);
                }
            } else {
                for call in calls {
                    self.note_told(&call, objects);
                    self.note_maker(call, objects);
                }
            }
        }
        self.learned.number(numbers.serials());
        // Which of several that stand under names of their own was made when, nobody knows.
        self.inner.retain(|_, calls| calls.iter().all(|call| call.bound() == calls[0].bound()));
        self.inner.values_mut().for_each(|calls| calls.sort_by_key(|call| (call.start_ns, call.id)));
        let makers = &self.makers;
        for of_type in self.makers_by_type.values_mut() {
            of_type.sort_by_key(|at| (!makers[*at].is_from_outside(), makers[*at].arguments(usize::MAX).len(), makers[*at].id));
        }
        Ok(())
    }

    fn note_told(&mut self, call: &Call, objects: &BTreeSet<Object>) {
        for (name, _) in &call.effect.changed {
            let given = call.args.iter().find(|arg| arg.name == *name).map(|arg| &arg.value);
            let Some(Value::Object { ordinal, .. }) = given else { continue };
            let key = self.processes.object(call, *ordinal);
            if call.receiver != Some(*ordinal) && objects.contains(&key) {
                self.told.entry(key).or_default().push(call.clone());
            }
        }
    }

    fn note_maker(&mut self, call: Call, objects: &BTreeSet<Object>) {
        let value = match &call.effect.outcome {
            Outcome::Returned(value) => value,
            Outcome::Raised { exception, .. } => exception,
            _ => return,
        };
        let at = self.makers.len();
        let mut holds = false;
        value.walk(&mut |part| {
            if let Some(ordinal) = part.ordinal() {
                let key = self.processes.object(&call, ordinal);
                if objects.contains(&key) {
                    self.makers_by_object.entry(key).or_default().push(at);
                    holds = true;
                }
            }
            true
        });
        for part in std::iter::once(value).chain(value.children().into_iter().map(|(_, part)| part)) {
            if let Value::Object { ty, .. } = part {
                let of_type = self.makers_by_type.entry(ty.clone()).or_default();
                if of_type.last() != Some(&at) {
                    of_type.push(at);
                }
                holds = true;
            }
        }
        if holds {
            self.makers.push(call);
        }
    }

    /// Lists the calls that ended before a call began and gave an object.
    fn makers(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let all = self.makers_by_object.get(&self.processes.object(call, ordinal)).map_or(&[][..], Vec::as_slice);
        let ended = |maker: &&Call| maker.id != call.id && maker.start_ns.saturating_add(maker.duration_ns) <= call.start_ns;
        all.iter().map(|at| &self.makers[*at]).filter(ended).collect()
    }

    /// Lists the kept calls on an object of a call, in order.
    fn life(&self, call: &Call, ordinal: u64) -> &[Call] {
        self.lives.get(&self.processes.object(call, ordinal)).map_or(&[][..], Vec::as_slice)
    }

    /// Lists the kept calls on an object, and those that changed it, that began before a call, in order.
    fn history(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let told = self.told.get(&self.processes.object(call, ordinal)).map_or(&[][..], Vec::as_slice);
        let all = self.life(call, ordinal).iter().chain(told);
        let mut earlier: Vec<&Call> = all.filter(|earlier| earlier.start_ns < call.start_ns).collect();
        earlier.sort_by_key(|earlier| (earlier.start_ns, earlier.id));
        earlier
    }

    /// Lists the kept calls on an object that began after a call's end, in order.
    fn afterwards(&self, call: &Call, ordinal: u64) -> Vec<&Call> {
        let end = call.start_ns.saturating_add(call.duration_ns);
        self.life(call, ordinal).iter().filter(|later| later.start_ns >= end).collect()
    }

    /// Lists the kept calls of what is defined inside of a called function, from its end to the next call of it.
    fn inner(&self, call: &Call) -> Vec<&Call> {
        let around = call.function.qualname().split('#').next().unwrap_or_default();
        let Some(all) = self.inner.get(&FunctionId::new(call.function.module(), around)) else { return Vec::new() };
        let end = call.start_ns.saturating_add(call.duration_ns);
        let of_same = |other: &&Call| other.recording == call.recording && self.processes.of(other) == self.processes.of(call);
        let siblings =
            self.functions.iter().filter(|(function, ..)| function.id == call.function).flat_map(|(_, calls, _)| calls);
        let next = siblings.filter(of_same).map(|other| other.start_ns).filter(|start| *start >= end).min();
        let after = |other: &&Call| other.start_ns >= end && next.is_none_or(|next| other.start_ns < next);
        all.iter().filter(of_same).filter(after).collect()
    }

    /// Lists the kept calls of a class's `__init__`.
    fn births(&self, ty: &TypeName) -> Vec<&Call> {
        let init = FunctionId::new(&ty.module, &format!("{}.__init__", ty.qualname));
        self.births.get(&init).map_or(&[][..], Vec::as_slice).iter().collect()
    }

    /// Lists the calls whose outcome may follow what was not recorded.
    pub fn unsteady(&self) -> Vec<Unsteady> {
        self.unsteady.iter().map(|(_, one)| one.clone()).collect()
    }

    /// Tells what stops the clock for a test.
    pub fn set_clock(&mut self, clock: ClockBy) {
        self.clock = clock;
    }

    /// Tells whether calls of a function, or what they give, have to be awaited.
    pub fn has_coroutines(&self) -> bool {
        let gives_any = |call: &Call| closer::awaited(&call.effect.outcome).is_some();
        self.functions.iter().any(|(function, calls, _)| function.is_async && !calls.is_empty() || calls.iter().any(gives_any))
    }

    /// Tells what awaits coroutines in a test.
    pub fn set_awaits(&mut self, awaits: AwaitBy) {
        self.awaits = awaits;
    }

    /// Takes these in place of calls that end differently each time.
    pub fn settle(&mut self, settled: Vec<Call>) {
        for call in settled {
            let Some((at, one)) = self.unsteady.iter().find(|(_, one)| one.call.id == call.id) else { continue };
            let (_, calls, left_out) = &mut self.functions[*at];
            match &one.reason {
                None => calls.retain(|other| other.id != call.id),
                Some(reason) => {
                    for left in left_out.iter_mut().filter(|left| left.reason == *reason) {
                        left.calls = left.calls.saturating_sub(call.times.max(1));
                    }
                    left_out.retain(|left| left.calls > 0);
                }
            }
            let place = calls.partition_point(|other| other.id < call.id);
            calls.insert(place, call);
        }
    }

    /// Lists the calls of which a recording cannot say enough, and those of functions with more than `few`; by function.
    pub fn unclear(&self, index: &Index, few: usize) -> Vec<Call> {
        let names = names(index);
        self.with_project(index, &names, |project, _| {
            let wanted = |(_, calls, _): &Recorded| {
                let many = calls.len() > few;
                let wanted = |call: &&Call| !call.rests_on_its_past() && (many || closer::is_wanted(call, project));
                let mut calls: Vec<Call> = calls.iter().filter(wanted).cloned().collect();
                // Faults are tried with those first that show most and are still read at a glance: later ones are tried with
                // what too few of the others notice.
                calls.sort_by_cached_key(|call| {
                    let length = call.arguments(usize::MAX).len();
                    (!call.is_from_outside(), length > READABLE_MAX, Reverse(length.min(READABLE_MAX)), length, call.id)
                });
                calls
            };
            self.functions.iter().flat_map(wanted).collect()
        })
    }

    /// Adds what a closer look at calls showed.
    pub fn look(&mut self, index: &Index, mut looks: HashMap<CallId, Look>) {
        let names = names(index);
        let mut functions = std::mem::take(&mut self.functions);
        let (mut reached, mut says, mut silent) = (HashMap::new(), HashMap::new(), HashMap::new());
        self.with_project(index, &names, |project, _| {
            for call in functions.iter_mut().flat_map(|(_, calls, _)| calls) {
                if let Some(mut look) = looks.remove(&call.id) {
                    says.insert(call.id, std::mem::take(&mut look.says));
                    reached.insert(call.id, look.arcs.iter().copied().collect());
                    silent.extend(look.silent.take().map(|numbers| (call.id, numbers.into_iter().collect())));
                    if closer::is_wanted(call, project) {
                        closer::apply(call, look, project);
                        serials::forget(project, &mut call.effect);
                    }
                }
            }
        });
        self.functions = functions;
        self.reached = reached;
        self.silent = silent;
        self.says = says;
    }

    /// Lists objects among the values of all calls.
    pub fn objects(&self, index: &Index, list: fn(Vec<&Call>, Project<'_>) -> Vec<Value>) -> Vec<Value> {
        let names = names(index);
        self.with_project(index, &names, |project, functions| {
            list(functions.iter().flat_map(|(_, calls, _)| calls).collect(), project)
        })
    }

    /// Adds the ways to make these objects that were tried, each with what it made.
    pub fn tell(&mut self, index: &Index, told: Vec<(Value, Said)>) {
        let names = names(index);
        for (object, said) in &told {
            if let Value::Object { ty, .. } = object {
                self.learned.cache(ty, said.cached.iter().cloned());
            }
        }
        let mut learned = self.learned.clone();
        self.with_project(index, &names, |project, _| {
            for (object, said) in told {
                learned.tell(&object, said.ways, |value| project.without_caches(value));
            }
        });
        self.learned = learned;
    }

    /// Lends what drafting has to know.
    pub(super) fn with_project<T>(
        &self,
        index: &Index,
        names: &HashMap<&str, &Module>,
        use_it: impl for<'p> FnOnce(Project<'p>, &'p [Recorded]) -> T,
    ) -> T {
        let module = |name: &str| names.get(name).copied();
        let history = |call: &Call, ordinal: u64| self.history(call, ordinal);
        let afterwards = |call: &Call, ordinal: u64| self.afterwards(call, ordinal);
        let inner = |call: &Call| self.inner(call);
        let births = |ty: &TypeName| self.births(ty);
        let makers = |call: &Call, ordinal: u64| self.makers(call, ordinal);
        let makers_of = |ty: &TypeName| -> Vec<&Call> {
            self.makers_by_type.get(ty).map_or(&[][..], Vec::as_slice).iter().map(|at| &self.makers[*at]).collect()
        };
        let reached = |call: CallId| self.reached.get(&call);
        let says = |call: CallId| self.says.get(&call).map_or(&[][..], Vec::as_slice);
        let stand_ins = |call: CallId| self.stand_ins.get(&call).map_or(&[][..], Vec::as_slice);
        let scenes = |function: &FunctionId| self.scenes.get(function).map_or(&[][..], Vec::as_slice);
        let text = |path: &RelPath, span| lines_of(index, path, span);
        // Calls that were made again had their script imported.
        let imported: BTreeSet<&str> =
            self.functions.iter().filter(|(_, calls, _)| !calls.is_empty()).map(|(one, ..)| one.id.module()).collect();
        let importable =
            |name: &str| names.get(name).is_none_or(|module| imported.contains(name) || !scripts::is_script(index, module));
        let definitions = Definitions::default();
        let project = Project {
            module: &module,
            definitions: &definitions,
            history: &history,
            afterwards: &afterwards,
            inner: &inner,
            births: &births,
            makers: &makers,
            makers_of: &makers_of,
            reached: &reached,
            says: &says,
            stand_ins: &stand_ins,
            text: &text,
            scenes: &scenes,
            mappings: &self.mappings,
            importable: &importable,
            learned: &self.learned,
            root: &self.root,
            facades: &self.facades,
            clock: self.clock,
            awaits: self.awaits,
            snapshots: self.snapshots,
        };
        use_it(project, &self.functions)
    }

    /// Names things by the modules that define them: an example stands in its function's module, and needs no package.
    pub fn name_by_modules(&mut self) {
        self.facades = Facades::default();
    }

    /// Writes the drafts of what the checks left; fewer once `cancel` is set.
    pub fn drafts(
        &self,
        index: &Index,
        plans: &[Plan],
        folder: &str,
        most: usize,
        cancel: &CancellationToken,
    ) -> Result<Vec<Made>, Trouble> {
        let names = names(index);
        let mut made = self.with_project(index, &names, |project, functions| {
            let mut made = written::drafts_of(functions, project, plans, folder, (most, &self.accepted), cancel)?;
            written::add_scenes(&mut made, functions, project, folder, most);
            Ok::<_, Trouble>(made)
        })?;
        for (one, (_, calls, _)) in made.iter_mut().zip(&self.functions) {
            if let Some(draft) = &mut one.draft {
                draft.unseparated = written::unseparated(calls, &self.silent);
            }
        }
        Ok(made)
    }

    /// Finds the drafts of private functions of which the tests of public ones run every call (R22).
    pub fn beneath_others(&self, index: &Index, made: &[Made]) -> Vec<Beneath> {
        if !self.is_all {
            return Vec::new(); // a person asked for them by name
        }
        let is_private = |id: &FunctionId| index.function(id).is_some_and(Function::is_private);
        let public = made.iter().filter(|one| !is_private(&one.function)).filter_map(|one| one.draft.as_ref());
        let shown: HashSet<CallId> = public.flat_map(|draft| draft.calls.iter().copied()).collect();
        let above = |call: &CallId| {
            let mut found = Vec::new();
            let mut next = self.parents.get(call);
            while let Some(caller) = next {
                // What was called below a stand-in is not called by the test.
                if self.stand_ins.contains_key(caller) {
                    break;
                }
                found.extend(shown.contains(caller).then_some(*caller));
                next = self.parents.get(caller);
            }
            found
        };
        let calls: HashMap<CallId, &Call> =
            self.functions.iter().flat_map(|(_, calls, _)| calls).map(|call| (call.id, call)).collect();
        let owned = |ids: Vec<CallId>| ids.iter().filter_map(|id| calls.get(id).copied().cloned()).collect();
        let mut beneath = Vec::new();
        for (at, one) in made.iter().enumerate().filter(|(_, one)| is_private(&one.function)) {
            let Some(draft) = &one.draft else { continue };
            let callers: Vec<Vec<CallId>> = draft.calls.iter().map(above).collect();
            if callers.iter().any(Vec::is_empty) {
                continue;
            }
            let callers: BTreeSet<CallId> = callers.into_iter().flatten().collect();
            beneath.push(Beneath { at, own: owned(draft.calls.clone()), callers: owned(callers.into_iter().collect()) });
        }
        beneath
    }
}

/// Gives the lines of a definition as they are written today.
fn lines_of(index: &Index, path: &RelPath, span: Span) -> Option<String> {
    let text = index.text(path)?;
    let (first, last) = (span.first as usize, span.last as usize);
    let lines: Vec<&str> = text.lines().skip(first.saturating_sub(1)).take((last + 1).saturating_sub(first)).collect();
    Some(lines.join("\n"))
}

/// Lists the modules by their names.
pub(super) fn names(index: &Index) -> HashMap<&str, &Module> {
    index.modules().map(|module| (module.name.as_str(), module.as_ref())).collect()
}
