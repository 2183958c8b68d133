//! What was edited since calls were recorded, or since a commit, and what compared calls tell of it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{CallId, Effect};
use crate::domain::edited::{EditedCode, Edits, ImportFailure, NotCompared, Varying};
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::snapshot::Topic;
use crate::domain::subject::Subject;
use crate::engine::index::reachability;
use crate::engine::replay::accepted_tests;
use crate::engine::replay::code_versions::init_print;
use crate::engine::replay::followed_lines::{self, CALLS_FOLLOWED, Followed};
use crate::engine::replay::imports;
use crate::engine::replay::recorded_tests::compare::TestEnds;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::varying;
use crate::source::dependencies::Reach;
use crate::source::index::Index;
use crate::source::module_names;

/// Edits for which a test is looked for: more than a person reads.
const TESTS_SOUGHT: usize = 20;

/// Parts of outcomes that are named for an edit.
const VARYING_MAX: usize = 50;

/// The text of functions before their edits.
pub type Before = HashMap<FunctionId, String>;

/// What differs between two versions of the project.
#[derive(Debug, Default)]
pub struct Delta {
    /// Edited code outside of tests, and data files.
    pub edited: BTreeSet<Subject>,
    /// Functions that came, outside of tests.
    pub new: BTreeSet<FunctionId>,
    /// Edited functions of tests.
    pub tests: BTreeSet<FunctionId>,
    /// Functions that were there and are not any more.
    pub gone: BTreeSet<FunctionId>,
}

impl Delta {
    /// Compares hashes of code as it was with today's; `before` holds nothing of what is not known.
    pub fn of_code(before: &HashMap<Subject, Digest>, today: &Index) -> Self {
        let mut delta = Self::default();
        if before.is_empty() {
            return delta;
        }
        let mut touched: HashSet<&str> = HashSet::new();
        for function in today.functions() {
            let in_test = today.module_of(&function.id).is_some_and(|module| module.is_test());
            let former = before.get(&Subject::Function(function.id.clone()));
            if former == Some(&function.fingerprint.code()) {
                continue;
            }
            touched.insert(function.id.module());
            match (former.is_some(), in_test) {
                (true, true) => {
                    delta.tests.insert(function.id.clone());
                }
                (true, false) => {
                    delta.edited.insert(Subject::Function(function.id.clone()));
                }
                (false, true) => {}
                (false, false) => {
                    delta.new.insert(function.id.clone());
                }
            }
        }
        // A module's own statements are named only where no function of it explains the edit.
        for module in today.modules().filter(|module| !module.is_test() && !touched.contains(module.name.as_str())) {
            let subject = Subject::ImportCode(module.name.clone());
            if before.get(&subject).is_some_and(|former| *former != init_print(module)) {
                delta.edited.insert(subject);
            }
        }
        let there: HashSet<&FunctionId> = today.functions().map(|function| &function.id).collect();
        for (subject, former) in before {
            let Some(id) = subject.function().filter(|id| !there.contains(id)) else { continue };
            // One that moved keeps the name that it was recorded with, and is edited where its text is another.
            match today.today(id) {
                None => {
                    delta.gone.insert(id.clone());
                }
                Some(now) => {
                    delta.new.remove(&now.id);
                    if *former != now.fingerprint.code() && !today.module_of(&now.id).is_some_and(|module| module.is_test()) {
                        delta.edited.insert(subject.clone());
                    }
                }
            }
        }
        delta
    }

    /// Compares today's code, and the data files that calls read, with what was recorded.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn since_recording(core: &Core) -> Result<Self, Trouble> {
        let before = core.store().prints()?;
        let mut delta = Self::of_code(&before, &core.index());
        for (path, now) in reachability::data(core)?.iter() {
            let subject = Subject::File(path.clone());
            if before.get(&subject).is_some_and(|former| *former != now) {
                delta.edited.insert(subject);
            }
        }
        Ok(delta)
    }

    /// Gives the texts of edited functions as they were recorded.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn recorded_texts(&self, core: &Core) -> Result<Before, Trouble> {
        let edited: Vec<Subject> = self.edited.iter().filter(|subject| subject.function().is_some()).cloned().collect();
        let code = core.store().code(&edited)?.into_iter();
        Ok(code.filter_map(|one| Some((one.subject.function()?.clone(), one.text))).collect())
    }

    /// Leaves only these functions, and nothing else.
    pub fn only(&mut self, functions: &BTreeSet<FunctionId>) {
        self.edited.retain(|subject| subject.function().is_some_and(|id| functions.contains(id)));
        self.new.clear();
        self.tests.clear();
        self.gone.retain(|id| functions.contains(id));
    }
}

/// Gives hashes of all code of an index: what a later [`Delta`] is told against.
pub fn prints(index: &Index) -> Vec<(Subject, Digest)> {
    let functions = index.functions().map(|function| (Subject::Function(function.id.clone()), function.fingerprint.code()));
    let modules = index.modules().map(|module| (Subject::ImportCode(module.name.clone()), init_print(module)));
    functions.chain(modules).collect()
}

/// Says what the calls of a tally tell of each edit; `before` gives the text of functions before it.
///
/// # Errors
/// Fails when the store cannot be read, or the project's Python dies.
pub async fn edits(core: &Arc<Core>, tally: Tally, delta: Delta, before: &Before) -> Result<Edits, Trouble> {
    let tally = Arc::new(tally);
    let (worker, of) = (core.clone(), tally.clone());
    let mut edits = blocking(move || {
        let (core, tally) = (worker, of);
        let index = core.index();
        let reach = reachability::recorded(&core, &index)?;
        let recorded = core.store().functions()?.into_iter().map(|total| (total.function, total.calls)).collect();
        let is_by_an_edit = imports::is_by_an_edit(&core, &index, &reach, &delta)?;
        let readers = readers(&core, &index, &delta)?;
        let mut edits = tally.edits(delta, &index, &reach, &recorded, &readers);
        edits.import_failures.retain(is_by_an_edit);
        for one in edits.edited.iter_mut().filter(|one| one.not_compared.iter().any(|not| not.calls > 0)) {
            let Some(function) = one.subject.function() else { continue };
            let is_outside = |(call, around): &(CallId, Vec<CallId>)| {
                !tally.compared.contains(call) && !around.iter().any(|call| tally.compared.contains(call))
            };
            one.outside = core.store().calls_around(function)?.into_iter().filter(is_outside).count() as u64;
        }
        // What became of it in callers was compared: it was inlined, or has another name.
        let mut gone = Vec::new();
        for (function, calls) in std::mem::take(&mut edits.gone) {
            let around = core.store().calls_around(&function)?;
            let is_inside = |(_, around): &(CallId, Vec<CallId>)| around.iter().any(|call| tally.compared.contains(call));
            if !around.is_empty() && around.iter().all(is_inside) {
                edits.gone_inside.push(function);
            } else {
                gone.push((function, calls));
            }
        }
        edits.gone = gone;
        // A file that does not parse is told by itself.
        edits.import_failures.retain(|one| index.module(&one.path).is_none_or(|module| module.error.is_none()));
        Ok::<_, Trouble>(edits)
    })
    .await??;
    followed_lines::follow(core, &tally, &mut edits.edited, before).await?;
    accepted_tests::compare(core, &mut edits.edited).await?;
    edits.edited.sort_by_key(EditedCode::is_compared);
    let worker = core.clone();
    blocking(move || {
        let (index, mut edits) = (worker.index(), edits);
        let by_names = reachability::by_names(&worker, &index);
        for one in edits.edited.iter_mut().filter(|one| !one.is_compared()).take(TESTS_SOUGHT) {
            one.test = test_of(&one.subject, &index, &by_names);
        }
        edits
    })
    .await
}

/// By module: the functions that read the names whose values are all that was edited in it outside of functions.
type Readers = HashMap<String, BTreeSet<FunctionId>>;

fn readers(core: &Core, index: &Index, delta: &Delta) -> Result<Readers, Trouble> {
    let edited: Vec<Subject> = delta.edited.iter().filter(|one| matches!(one, Subject::ImportCode(_))).cloned().collect();
    let mut found = Readers::new();
    for former in core.store().code(&edited)? {
        let Subject::ImportCode(module) = &former.subject else { continue };
        let Some(text) = index.module_called(module).and_then(|module| index.text(&module.path)) else { continue };
        let names = module_names::edited_names(&former.text, &text);
        if let Some(readers) =
            names.and_then(|names| module_names::readers(index, module, &names)).filter(|readers| !readers.is_empty())
        {
            found.insert(module.clone(), readers);
        }
    }
    Ok(found)
}

/// Keeps which of these functions, or of all, were edited and not compared, for the rows of the snapshot; tells a person of
/// those in `tell`.
pub fn note(core: &Core, edits: &Edits, of: Option<&BTreeSet<FunctionId>>, tell: &BTreeSet<FunctionId>) {
    let found = edits.not_compared().filter_map(|one| Some((one.subject.function()?, one)));
    let found: Vec<(&FunctionId, &EditedCode)> = found.collect();
    let mut state = core.state.lock();
    let mut now = state.uncompared.clone();
    now.retain(|function, _| of.is_some_and(|of| !of.contains(function)));
    now.extend(found.iter().filter_map(|(id, one)| Some(((*id).clone(), one.not_compared.first()?.reason.clone()))));
    if now != *state.uncompared {
        *state.uncompared = now;
    }
    drop(state);
    for (function, one) in found.into_iter().filter(|(function, _)| tell.contains(function)) {
        let line = one.summary();
        core.log.add(Level::Warning, "replayed", &line, Some(Topic::Function(function.clone())));
        core.announce(Event::EditNotCompared { function: function.clone(), line: line.into() });
    }
    core.touch();
}

/// Finds a test of the project that may run this, by the names in its text: one of the file that is called as the module is,
/// where there is one. Gives its node id.
fn test_of(subject: &Subject, index: &Index, by_names: &Reach) -> Option<String> {
    let resting = match subject {
        Subject::ImportCode(module) => by_names.resting_on(&[], std::slice::from_ref(&index.module_called(module)?.path)),
        subject => by_names.resting_on(std::slice::from_ref(subject), &[]),
    };
    let stem = subject.function().map_or_else(String::new, |id| id.module().rsplit('.').next().unwrap_or_default().to_owned());
    let tests = resting.iter().filter_map(|id| {
        let module = index.module_of(id).filter(|module| module.is_test())?;
        let name = id.qualname();
        let is_test = name.rsplit('.').next().is_some_and(|last| last.starts_with("test"));
        let node = format!("{}::{}", module.path, name.replace('.', "::"));
        (is_test && !name.contains(['<', '#'])).then(|| (!module.path.file_name().contains(&stem), node))
    });
    tests.min().map(|(_, node)| node)
}

/// How many recorded calls of a function were compared, and why others were not.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Those with known outcomes on both sides.
    pub compared: u64,
    /// Those of them that end differently.
    pub differ: u64,
    /// The others, by reason.
    pub not_compared: BTreeMap<Reason, u64>,
}

impl Counts {
    /// Counts a call that was not compared.
    pub fn leave_out(&mut self, reason: Reason) {
        *self.not_compared.entry(reason).or_default() += 1;
    }
}

/// What became of recorded calls.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// By the functions that the calls are of.
    pub functions: BTreeMap<FunctionId, Counts>,
    /// Compared calls of other functions that ran through a function.
    pub through: HashMap<FunctionId, u64>,
    /// The first of them.
    pub runners: HashMap<FunctionId, Vec<(FunctionId, CallId)>>,
    /// Modules that could not be imported, so that calls could not run.
    pub import_failures: Vec<ImportFailure>,
    /// The calls that were compared.
    pub compared: HashSet<CallId>,
    /// The edited lines that were looked for in recorded tests.
    pub followed: Followed,
    /// How the recorded tests ended that ran.
    pub ends: TestEnds,
    /// By the functions that compared calls ran through: how many calls of which function have a part that differs from run to run.
    pub varying: HashMap<FunctionId, BTreeMap<(FunctionId, String), u64>>,
}

impl Tally {
    /// Gives the counts of a function.
    pub fn of(&mut self, function: &FunctionId) -> &mut Counts {
        self.functions.entry(function.clone()).or_default()
    }

    /// Notes a compared call, what it was compared with, and the functions that it ran through.
    pub fn ran_through(&mut self, function: &FunctionId, call: CallId, baseline: &Effect, entered: &[FunctionId]) {
        self.compared.insert(call);
        for part in varying::parts(baseline) {
            for reached in entered.iter().chain([function]).collect::<BTreeSet<_>>() {
                *self.varying.entry(reached.clone()).or_default().entry((function.clone(), part.clone())).or_default() += 1;
            }
        }
        for other in entered.iter().filter(|other| *other != function) {
            *self.through.entry(other.clone()).or_default() += 1;
            let runners = self.runners.entry(other.clone()).or_default();
            if runners.len() < CALLS_FOLLOWED {
                runners.push((function.clone(), call));
            }
        }
    }

    /// Notes that so many calls of a function cannot run because an import broke.
    pub fn import_failed(&mut self, function: &FunctionId, calls: u64, path: &RelPath, line: u32, exception: &str) {
        let is_it = |one: &ImportFailure| one.path == *path && one.line == line && one.exception == exception;
        let at = self.import_failures.iter().position(is_it).unwrap_or_else(|| {
            let (path, exception) = (path.clone(), exception.to_owned());
            self.import_failures.push(ImportFailure { path, line, exception, functions: Vec::new() });
            self.import_failures.len() - 1
        });
        let functions = &mut self.import_failures[at].functions;
        match functions.iter_mut().find(|(other, _)| other == function) {
            Some((_, known)) => *known += calls,
            None => functions.push((function.clone(), calls)),
        }
    }

    /// Sums up the calls that were not compared.
    pub fn not_compared(&self) -> u64 {
        self.functions.values().flat_map(|counts| counts.not_compared.values()).sum()
    }

    /// Says what the calls tell of each edit. `recorded` has the number of recorded calls of each function.
    fn edits(&self, delta: Delta, index: &Index, reach: &Reach, recorded: &HashMap<FunctionId, u64>, readers: &Readers) -> Edits {
        let edited = delta.edited.into_iter().filter_map(|subject| self.edited(subject, index, reach, readers));
        let is_unreached = |one: &EditedCode| {
            matches!(&one.subject, Subject::ImportCode(module) if !readers.contains_key(module))
                && one.recorded + one.through == 0
        };
        let (unreached, edited): (Vec<EditedCode>, Vec<EditedCode>) = edited.partition(is_unreached);
        let gone = delta.gone.into_iter().filter_map(|id| recorded.get(&id).map(|calls| (id, *calls))).collect();
        Edits {
            edited,
            new: delta.new.into_iter().collect(),
            tests: delta.tests.into_iter().collect(),
            unreached: unreached.into_iter().map(|one| one.path).collect(),
            gone,
            gone_inside: Vec::new(),
            import_failures: self.import_failures.clone(),
        }
    }

    fn edited(&self, subject: Subject, index: &Index, reach: &Reach, readers: &Readers) -> Option<EditedCode> {
        let (path, line, counts, through) = match &subject {
            Subject::Function(id) => {
                let function = index.today(id)?;
                let counts = self.functions.get(id).cloned().unwrap_or_default();
                let names = [id, &function.id].into_iter().collect::<BTreeSet<_>>();
                let through = names.into_iter().filter_map(|name| self.through.get(name)).sum();
                (function.path.clone(), function.span.first, counts, through)
            }
            Subject::ImportCode(module) => {
                let path = index.module_called(module)?.path.clone();
                let (counts, through) = match readers.get(module) {
                    Some(readers) => self.run_by(readers),
                    None => self.resting(&reach.resting_on(&[], std::slice::from_ref(&path))),
                };
                (path, 1, counts, through)
            }
            Subject::File(path) => {
                let (counts, through) = self.resting(&reach.resting_on(std::slice::from_ref(&subject), &[]));
                (path.clone(), 1, counts, through)
            }
        };
        let mut not_compared: Vec<NotCompared> =
            counts.not_compared.into_iter().map(|(reason, calls)| NotCompared { reason, calls }).collect();
        not_compared.sort_by_key(|one| std::cmp::Reverse(one.calls));
        let kept = counts.compared + not_compared.iter().map(|one| one.calls).sum::<u64>();
        if kept + through == 0 {
            not_compared.push(NotCompared { reason: ReasonCode::NotRecorded.into(), calls: 0 });
        }
        let (compared, differ) = (counts.compared, counts.differ);
        let varying = subject.function().and_then(|id| self.varying.get(id)).into_iter().flatten();
        let varying =
            varying.map(|((function, part), calls)| Varying { function: function.clone(), part: part.clone(), calls: *calls });
        let varying = varying.take(VARYING_MAX).collect();
        Some(EditedCode {
            subject,
            path,
            line,
            recorded: kept,
            compared,
            differ,
            through,
            not_compared,
            outside: 0,
            varying,
            unrun: Vec::new(),
            test: None,
        })
    }

    /// Adds up what is known of the functions that read an edited name, their own calls and those that ran through them.
    fn run_by(&self, readers: &BTreeSet<FunctionId>) -> (Counts, u64) {
        let (counts, compared) = self.resting(readers);
        (counts, compared + readers.iter().filter_map(|id| self.through.get(id)).sum::<u64>())
    }

    /// Adds up what is known of functions that rest on a module or a file: compared calls count as ones that ran through it.
    fn resting(&self, functions: &BTreeSet<FunctionId>) -> (Counts, u64) {
        let mut sum = Counts::default();
        let mut through = 0;
        for counts in functions.iter().filter_map(|id| self.functions.get(id)) {
            through += counts.compared;
            for (reason, calls) in &counts.not_compared {
                *sum.not_compared.entry(reason.clone()).or_default() += calls;
            }
        }
        (sum, through)
    }
}
