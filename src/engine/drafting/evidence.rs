//! What drafts rest on: the calls of functions, the lives of the objects in them, and why other calls do not count.
//!
//! Reads the store and the index; asks nothing of the project's Python and changes nothing.

mod related;
mod serials;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Function, FunctionId, Module, Span};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::domain::settings::Snapshots;
use crate::domain::value::{TypeName, Value};
use crate::engine::calls;
use crate::engine::calls::eligible::{Usable, usable};
use crate::engine::calls::external::Outreach;
use crate::engine::calls::read::Unsteady;
use crate::engine::drafting::evidence::related::{Object, Processes, Related};
use crate::engine::drafting::written::{self, Made, Recorded};
use crate::engine::edits::manifest_lookup::Standing;
use crate::engine::index::call_sites::Readers;
use crate::engine::index::scripts;
use crate::engine::state::core::Core;
use crate::generate::closer::{self, Look};
use crate::generate::learned::{Learned, Said};
use crate::generate::plan::Plan;
use crate::generate::project::{AwaitBy, ClockBy, Definitions, Project, StandIn};
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

/// The calls of the functions to draft for, and the lives of the objects in them.
pub struct Gathered {
    pub(super) functions: Vec<Recorded>,
    related: Related,
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
        let processes = Processes::new(&lives);
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
        let mut learned = Learned::default();
        let related = Related::read(core, (lives, processes), &objects, &outreach, &mut learned)?;
        let mut gathered = Self {
            functions,
            related,
            reached: HashMap::new(),
            silent: HashMap::new(),
            says: HashMap::new(),
            learned,
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
        gathered.forget_serials(&index);
        Ok(gathered)
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
    pub fn objects<'c, T>(&'c self, index: &Index, list: impl for<'p> FnOnce(Vec<&'c Call>, Project<'p>) -> Vec<T>) -> Vec<T> {
        let names = names(index);
        self.with_project(index, &names, |project, _| list(self.calls().collect(), project))
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
        let related = &self.related;
        let history = |call: &Call, ordinal: u64| related.history(call, ordinal);
        let afterwards = |call: &Call, ordinal: u64| related.afterwards(call, ordinal);
        let inner = |call: &Call| {
            let own = self.functions.iter().filter(|(function, ..)| function.id == call.function);
            related.inner(call, own.flat_map(|(_, calls, _)| calls))
        };
        let births = |ty: &TypeName| related.births(ty);
        let makers = |call: &Call, ordinal: u64| related.makers(call, ordinal);
        let makers_of = |ty: &TypeName| related.makers_of(ty);
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
