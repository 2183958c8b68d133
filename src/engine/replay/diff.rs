//! What a change of the code does: recorded calls under a commit's code and under today's, and the edits behind each
//! difference. Finds the edits by trying the change in pieces, where there are several.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId, Outcome};
use crate::domain::diff::{Because, DataFile, Diff, DiffedCall, FunctionDiff, How, Kind};
use crate::domain::event::{Event, JobKind};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::ProposalState;
use crate::domain::reason::ReasonCode;
use crate::domain::recorded_test::TestId;
use crate::domain::subject::Subject;
use crate::domain::touch::FileAccess;
use crate::engine::calls;
use crate::engine::index::reachability;
use crate::engine::index::refresh;
use crate::engine::python::environment;
use crate::engine::replay::bisect::Trial;
use crate::engine::replay::checkout::Elsewhere;
use crate::engine::replay::compare::{self, Seen};
use crate::engine::replay::edited::{self, Delta, Tally};
use crate::engine::replay::first_replay;
use crate::engine::replay::foreign;
use crate::engine::replay::imports;
use crate::engine::replay::pairs::{Ending, Pair, Pairs, ending};
use crate::engine::replay::recorded_tests::compare::FirstTests;
use crate::engine::replay::today;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::engine::state::trust::require_trust;
use crate::generate::replay::difference;
use crate::python::protocol::Lines;
use crate::python::value;
use crate::source::dependencies::Reach;
use crate::source::git;
use crate::source::hunks::{FileChange, Pieces};
use crate::source::index::Index;
use crate::store::StoredOutcome;

/// Slower than before means: by this factor …
const SLOWER: i64 = 10;
/// … and by so many nanoseconds.
const SLOWER_NS: i64 = 5_000_000;
/// What seems slower is run again so many times; on a machine that does other things the fastest run of all tells.
const ROUNDS: usize = 6;
/// Changed files of these kinds change nothing that runs, unless a recorded call reads them.
const PROSE: &[&str] = &["md", "rst", "txt", "adoc"];

/// The last comparison with a commit.
#[derive(Default)]
struct Last(Mutex<Option<Arc<Diff>>>);

/// Gives the last comparison with a commit.
pub fn last(core: &Core) -> Option<Arc<Diff>> {
    core.part::<Last>().0.lock().clone()
}

/// Compares what recorded calls do under a commit's code and under today's; the newest request wins.
pub async fn diff(core: &Arc<Core>, reference: String) -> Result<Arc<Diff>, Trouble> {
    require_trust(&core.root, core.trust())?;
    if core.store().recordings()?.is_empty() {
        let trouble = Trouble::environment("There is nothing to compare: nothing is recorded yet.");
        return Err(trouble.so("pytead-tui run records what a program does."));
    }
    core.jobs.supersede(JobKind::Diff, None);
    let job = core.jobs.begin(JobKind::Diff, JobSubject::Revision(reference.clone()), 0);
    core.touch();
    let diff = Arc::new(compare_with(core, reference, &job).await?);
    if job.is_cancelled() {
        return Err(cancelled());
    }
    job.end(true);
    *core.part::<Last>().0.lock() = Some(diff.clone());
    core.announce(Event::Diffed {
        reference: diff.reference.clone(),
        functions: diff.functions.len() as u64,
        compared: diff.compared,
        differ: diff.compared - diff.same,
    });
    Ok(diff)
}

fn cancelled() -> Trouble {
    Trouble::usage("Cancelled: nothing was compared to its end.")
}

async fn compare_with(core: &Arc<Core>, reference: String, job: &Job<'_>) -> Result<Diff, Trouble> {
    let worker = (core.root.clone(), reference.clone());
    let revision = blocking(move || git::resolve(&worker.0, &worker.1)).await??;
    let commit = revision.commit.clone();
    if core.watcher.lock().is_none() {
        refresh::reread(core, None).await;
    }
    first_replay::calibrate_rest(core).await?;
    first_replay::run_tests_of_rest(core).await?;
    let before = Elsewhere::of_commit(core, revision).await?;
    let today = core.index();
    let (root, commit_folder) = (core.root.clone(), before.commit().to_owned());
    let changed = blocking(move || other_files(&root, &commit_folder)).await?;
    let mut wanted = Wanted::new(core, before.index(), &today).await?;
    let (data_files, other_files) = data_files(core, &today, changed)?;
    wanted.rest_on(core, &today, &data_files)?;
    let seen = run_today(core, &wanted, job).await?;
    if job.is_cancelled() {
        return Err(cancelled());
    }
    let compared = compare(core, &before, &wanted, seen.tally, job).await?;
    let pieces = pieces(&before, &today);
    let mut functions = Vec::new();
    for (function, pairs) in &compared.pairs {
        functions.extend(function_diff(core, &today, &wanted, function, pairs));
    }
    Trial { core, before: &before, pieces: &pieces, pairs: &compared.pairs, job }.explain(&mut functions).await?;
    for one in functions.iter_mut().filter(|one| one.because.how != How::Alone) {
        one.because.data = wanted.data_of(&one.function);
    }
    functions.sort_by_key(|one| {
        let worst = one.calls.iter().map(|call| call.kind).min();
        (one.edited, worst, std::cmp::Reverse(one.calls.iter().map(|call| call.times).sum::<u64>()), one.function.clone())
    });
    let differ: u64 = functions.iter().map(|one| one.calls.len() as u64).sum();
    let all: u64 = compared.pairs.values().map(|pairs| pairs.len() as u64).sum();
    let mut delta = Delta::of_code(&edited::prints(before.index()).into_iter().collect(), &today);
    delta.edited.extend(data_files.iter().filter(|file| !file.read_by.is_empty()).map(|file| Subject::File(file.path.clone())));
    let mut tally = compared.tally;
    imports::check(core, &mut tally, &delta).await?;
    let not_compared = tally.not_compared();
    let texts = delta.edited.iter().filter_map(|subject| {
        let function = before.index().function(subject.function()?)?;
        let text = before.index().text(&function.path)?;
        let lines =
            text.lines().skip(function.span.first as usize - 1).take((function.span.last - function.span.first + 1) as usize);
        Some((function.id.clone(), lines.collect::<Vec<_>>().join("\n")))
    });
    let texts = texts.collect();
    let edits = edited::edits(core, tally, delta, &texts).await?;
    Ok(Diff {
        reference,
        commit,
        tree: today.hash(),
        functions,
        edits,
        compared: all,
        same: all - differ,
        not_compared,
        data_files,
        other_files,
        near: None,
    })
}

/// Runs what is not known yet under today's code; somebody who cancels waits for no more than the call that runs.
async fn run_today(core: &Arc<Core>, wanted: &Wanted, job: &Job<'_>) -> Result<Seen, Trouble> {
    let mut running = std::pin::pin!(compare::run(core, wanted.functions.clone()));
    tokio::select! {
        done = &mut running => return done,
        () = job.cancel.cancelled() => compare::interrupt(core),
    }
    running.await
}

/// What there is to compare.
struct Wanted {
    /// Recorded functions that may run other code than before.
    functions: BTreeSet<FunctionId>,
    /// Hash of the code each may run, before and today.
    keys: HashMap<FunctionId, (Digest, Digest)>,
    /// Functions whose own code differs.
    edited: BTreeSet<FunctionId>,
    /// Functions whose calls may read a changed file, with the files: what is known of their outcomes does not count.
    data: HashMap<FunctionId, BTreeSet<RelPath>>,
}

impl Wanted {
    async fn new(core: &Arc<Core>, before: &Arc<Index>, today: &Arc<Index>) -> Result<Self, Trouble> {
        let totals = core.store().functions()?;
        let (edges, data) = (reachability::edges(core)?, reachability::data(core)?);
        let (before, today) = (before.clone(), today.clone());
        blocking(move || {
            // With the same data: which calls may read another file than the commit's is [`Wanted::rest_on`].
            let (old, new) = (Reach::with_data(&before, &edges, &data), Reach::with_data(&today, &edges, &data));
            let mut wanted =
                Self { functions: BTreeSet::new(), keys: HashMap::new(), edited: edited(&before, &today), data: HashMap::new() };
            for total in totals {
                let id = total.function;
                if before.today(&id).is_some() && today.today(&id).is_some() {
                    let keys = (old.code_key(&id), new.code_key(&id));
                    if keys.0 != keys.1 {
                        wanted.keys.insert(id.clone(), keys);
                        wanted.functions.insert(id);
                    }
                }
            }
            wanted
        })
        .await
    }

    /// Adds the functions whose calls may run through one that read a changed file, or use a module that names it.
    fn rest_on(&mut self, core: &Core, today: &Arc<Index>, files: &[DataFile]) -> Result<(), Trouble> {
        if files.is_empty() {
            return Ok(());
        }
        let reach = reachability::recorded(core, today)?;
        let recorded: HashSet<FunctionId> = core.store().functions()?.into_iter().map(|total| total.function).collect();
        for file in files {
            let readers: Vec<Subject> = file.read_by.iter().map(|(id, _)| Subject::Function(id.clone())).collect();
            for id in reach.resting_on(&readers, &file.named_by).into_iter().filter(|id| recorded.contains(id)) {
                self.data.entry(id).or_default().insert(file.path.clone());
            }
        }
        Ok(())
    }

    fn data_of(&self, function: &FunctionId) -> Vec<RelPath> {
        self.data.get(function).into_iter().flatten().cloned().collect()
    }
}

/// Lists functions outside tests whose code differs, those that came included; renamed parts of a test-suite are no
/// behaviour.
fn edited(before: &Index, today: &Index) -> BTreeSet<FunctionId> {
    let in_tests = |id: &FunctionId| today.module_of(id).is_some_and(|module| module.is_test());
    let code = |index: &Index, id: &FunctionId| index.function(id).map(|function| function.fingerprint.code());
    today
        .functions()
        .filter(|function| code(before, &function.id) != Some(function.fingerprint.code()) && !in_tests(&function.id))
        .map(|function| function.id.clone())
        .collect()
}

struct Compared {
    pairs: Pairs,
    tally: Tally,
}

/// Finds both outcomes of each call: today's are known by now, the commit's are run where they are not.
async fn compare(
    core: &Arc<Core>,
    before: &Elsewhere,
    wanted: &Wanted,
    mut tally: Tally,
    job: &Job<'_>,
) -> Result<Compared, Trouble> {
    let mut waiting: Vec<(Call, Ending)> = Vec::new();
    let mut pairs = Pairs::new();
    for (function, (old_code, new_code)) in wanted.keys.iter().filter(|(function, _)| !wanted.data.contains_key(*function)) {
        let confirmed = calls::read::comparable_calls(core, function)?;
        let ids: Vec<CallId> = confirmed.iter().map(|(call, _)| call.id).collect();
        let (mut before, mut today) = (core.store().outcomes(&ids, *old_code)?, core.store().outcomes(&ids, *new_code)?);
        for (call, _) in confirmed {
            // Why a call has no outcome today, its replay has counted.
            let Some(new) = today.remove(&call.id).and_then(known) else { continue };
            match before.remove(&call.id).and_then(known) {
                Some(old) => pairs.entry(function.clone()).or_default().push(Pair { call, old, new }),
                None => waiting.push((call, new)),
            }
        }
    }
    waiting.extend(under_todays_files(core, wanted, &mut tally, job).await?);
    let calls: Vec<Call> = waiting.iter().map(|(call, _)| call.clone()).collect();
    let observed = before.replay(core, &calls, job).await?;
    // What seems to differ is run once more: only the same answer twice is believed.
    let differs = |(call, new): &&(Call, Ending)| {
        ending(observed.get(&call.id)).is_some_and(|old| difference(&old.effect, &new.effect).is_some())
    };
    let suspects: Vec<Call> = waiting.iter().filter(differs).map(|(call, _)| call.clone()).collect();
    let again = before.replay(core, &suspects, job).await?;
    let suspected: HashSet<CallId> = suspects.iter().map(|call| call.id).collect();
    let mut fresh = Vec::new();
    for (call, new) in waiting {
        let Some(old) = ending(observed.get(&call.id)) else {
            let why = observed.get(&call.id).and_then(|seen| seen.effect.as_ref().err());
            let reason = why.map_or_else(|| ReasonCode::NoResult.into(), |why| ReasonCode::BaseRunFails.with(&why.why));
            tally.of(&call.function).leave_out(reason);
            continue;
        };
        let repeats = || ending(again.get(&call.id)).is_some_and(|second| difference(&old.effect, &second.effect).is_none());
        if suspected.contains(&call.id) && !repeats() {
            tally.of(&call.function).leave_out(ReasonCode::Nondeterministic.into());
            continue;
        }
        let by_code = wanted.keys.get(&call.function).filter(|_| !wanted.data.contains_key(&call.function));
        if let (Some(seen), Some((code, _))) = (observed.get(&call.id), by_code) {
            fresh.push(seen.stored(call.id, *code));
        }
        pairs.entry(call.function.clone()).or_default().push(Pair { call, old, new });
    }
    core.store().put_outcomes(fresh)?;
    for function in foreign::set_aside(before.index(), &core.index(), &mut pairs) {
        tally.of(&function).leave_out(ReasonCode::OtherArguments.into());
    }
    let mut compared = Compared { pairs, tally };
    time_again(core, before, &mut compared, job).await?;
    compared.count();
    Ok(compared)
}

impl Compared {
    /// Counts the calls that have both outcomes.
    fn count(&mut self) {
        self.tally.through.clear();
        self.tally.runners.clear();
        self.tally.varying.clear();
        self.tally.compared.clear();
        self.tally.functions.values_mut().for_each(|counts| (counts.compared, counts.differ) = (0, 0));
        for (function, pairs) in &self.pairs {
            let counts = self.tally.of(function);
            counts.compared = pairs.len() as u64;
            counts.differ = pairs.iter().filter(|pair| kind(pair).is_some()).count() as u64;
            for Pair { call, old, new } in pairs {
                self.tally.ran_through(function, call.id, &old.effect, &new.entered);
            }
        }
    }
}

/// Runs the calls that may read a changed file: outcomes are known by the code, and say nothing of other files.
async fn under_todays_files(
    core: &Arc<Core>,
    wanted: &Wanted,
    tally: &mut Tally,
    job: &Job<'_>,
) -> Result<Vec<(Call, Ending)>, Trouble> {
    let mut calls = Vec::new();
    for function in wanted.data.keys() {
        let (compared, others) = calls::read::parted_calls(core, function)?.compared();
        tally.of(function).not_compared = others;
        calls.extend(compared.into_iter().map(|(call, _)| call));
    }
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let python = environment::contained(core).await?;
    let none = FirstTests::default();
    let seen = Box::pin(today::replay_today(core, &python, &calls, &Lines::new(), &none, job)).await?.first;
    let mut endings = Vec::new();
    for call in calls {
        match ending(seen.get(&call.id)) {
            Some(ending) => endings.push((call, ending)),
            None => {
                let why = seen.get(&call.id).and_then(|seen| seen.effect.as_ref().err());
                let reason = why.map_or_else(|| ReasonCode::NoResult.into(), |not_made| not_made.why.clone());
                tally.of(&call.function).leave_out(reason);
            }
        }
    }
    Ok(endings)
}

/// Runs what seems much slower again under both versions: the fastest run of each counts.
async fn time_again(core: &Arc<Core>, before: &Elsewhere, compared: &mut Compared, job: &Job<'_>) -> Result<(), Trouble> {
    for _ in 0..ROUNDS {
        let still = compared.pairs.values().flatten().filter(|pair| is_slower(pair));
        let slower: Vec<Call> = still.map(|pair| pair.call.clone()).collect();
        if slower.is_empty() || job.is_cancelled() {
            return Ok(());
        }
        let environment = environment::contained(core).await?;
        let (old, new) = (before.replay(core, &slower, job).await?, environment.replay(core, &slower, job).await?);
        for pair in compared.pairs.values_mut().flatten() {
            for (ending, seen) in [(&mut pair.old, old.get(&pair.call.id)), (&mut pair.new, new.get(&pair.call.id))] {
                ending.ns = seen.map_or(ending.ns, |seen| ending.ns.min(seen.duration_ns));
            }
        }
    }
    Ok(())
}

fn is_slower(pair: &Pair) -> bool {
    // Inside a test a call takes the time that everything around it leaves.
    if pair.call.observed.inside.is_some() {
        return false;
    }
    let (old, new) = (pair.old.ns.max(1), pair.new.ns);
    new / old >= SLOWER && new - old >= SLOWER_NS
}

fn known(stored: StoredOutcome) -> Option<Ending> {
    let effect = value::outcome(&stored.outcome).ok()?;
    Some(Ending { effect, ns: stored.duration_ns, entered: stored.entered })
}

fn kind(pair: &Pair) -> Option<Kind> {
    let differs = difference(&pair.old.effect, &pair.new.effect).is_some();
    let raises = |ending: &Ending| ending.effect.outcome.is_failure();
    match (differs, raises(&pair.old), raises(&pair.new)) {
        (true, false, true) => Some(Kind::NowRaises),
        (true, true, false) => Some(Kind::NoLongerRaises),
        (true, _, _) => Some(Kind::Changed),
        // A call that is ended for its time is not slower, it does not end.
        (false, ..) if matches!(pair.new.effect.outcome, Outcome::TimedOut(_)) => None,
        (false, ..) => is_slower(pair).then_some(Kind::Slower),
    }
}

fn function_diff(core: &Core, today: &Index, wanted: &Wanted, id: &FunctionId, pairs: &[Pair]) -> Option<FunctionDiff> {
    let function = today.today(id)?;
    let inside: Vec<TestId> = pairs.iter().filter_map(|pair| pair.call.observed.inside).collect();
    let tests = core.store().recorded_tests(&inside).unwrap_or_default();
    let mut calls: Vec<DiffedCall> = pairs
        .iter()
        .filter_map(|pair| {
            Some(DiffedCall {
                call: pair.call.id,
                kind: kind(pair)?,
                arguments: pair.call.arguments(160),
                times: pair.call.times,
                caller: pair
                    .call
                    .observed
                    .inside
                    .and_then(|test| tests.get(&test))
                    .map(|test| test.label().to_owned())
                    .or_else(|| Some(calls::read::place(today, pair.call.caller.as_ref()?, pair.call.caller_line))),
                old: pair.old.effect.clone(),
                new: pair.new.effect.clone(),
                difference: difference(&pair.old.effect, &pair.new.effect),
                durations: (pair.old.ns, pair.new.ns),
            })
        })
        .collect();
    if calls.is_empty() {
        return None;
    }
    calls.sort_by_key(|call| (call.kind, call.arguments.len(), call.call));
    let waits = |state: ProposalState| matches!(state, ProposalState::Ready | ProposalState::Rejected);
    let proposal = {
        let state = core.state.lock();
        let mut open = state.proposals.values().filter(|one| one.change().is_some() && one.subject.is(id) && waits(one.state));
        open.next_back().map(|proposal| proposal.id)
    };
    Some(FunctionDiff {
        function: id.clone(),
        path: function.path.clone(),
        line: function.span.first,
        edited: wanted.edited.contains(id),
        same: (pairs.len() - calls.len()) as u64,
        calls,
        because: Because { edits: Vec::new(), how: How::Entered, data: Vec::new() },
        proposal,
    })
}

/// Takes the change apart, tests left out: what they say is not what the program does.
fn pieces(before: &Elsewhere, today: &Index) -> Pieces {
    let old = before.index();
    let modules = old.modules().chain(today.modules()).filter(|module| !module.is_test());
    let paths: BTreeSet<&RelPath> = modules.map(|module| &module.path).collect();
    let hash = |index: &Index, path: &RelPath| index.module(path).map(|module| module.hash);
    let changed = paths.into_iter().filter(|path| hash(old, path) != hash(today, path));
    let files = changed.map(|path| FileChange { path: path.clone(), old: old.text(path), new: today.text(path) }).collect();
    Pieces::new(old, today, files)
}

/// Parts changed files into those that recorded calls read or modules name, and the others.
fn data_files(core: &Core, today: &Index, changed: Vec<RelPath>) -> Result<(Vec<DataFile>, Vec<RelPath>), Trouble> {
    if changed.is_empty() {
        return Ok((Vec::new(), changed));
    }
    // A path was noted as the program wrote it: whole, or from the project's folder.
    let accesses = |path: &RelPath| {
        [path.under(&core.root).display().to_string(), path.to_string(), format!("./{path}")].map(FileAccess::reading)
    };
    let readers = core.store().readers(&changed.iter().flat_map(accesses).collect::<Vec<_>>())?;
    let mut found = Vec::new();
    let mut others = Vec::new();
    for path in changed {
        let names = accesses(&path);
        let mut read_by: BTreeMap<&FunctionId, BTreeSet<CallId>> = BTreeMap::new();
        for (call, function, _) in readers.iter().filter(|(.., name)| names.contains(name)) {
            read_by.entry(function).or_default().insert(*call);
        }
        let prose = PROSE.iter().any(|kind| path.file_name().ends_with(&format!(".{kind}")));
        // What is read while a module is imported is read by no call.
        let named_by = if read_by.is_empty() { naming(today, path.file_name()) } else { Vec::new() };
        if !read_by.is_empty() || !named_by.is_empty() {
            let read_by = read_by.into_iter().map(|(id, calls)| (id.clone(), calls.len() as u64)).collect();
            found.push(DataFile { path, read_by, named_by });
        } else if !prose {
            others.push(path);
        }
    }
    Ok((found, others))
}

/// Lists the modules, tests left out, that have this file name in their text, as a name of its own.
fn naming(today: &Index, name: &str) -> Vec<RelPath> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let names = |text: &str| {
        text.match_indices(name)
            .any(|(at, _)| !text[..at].ends_with(inside) && !text[at + name.len()..].starts_with(|c: char| inside(c) && c != '.'))
    };
    let modules = today.modules().filter(|module| !module.is_test());
    modules.filter(|module| today.text(&module.path).is_some_and(|text| names(&text))).map(|module| module.path.clone()).collect()
}

/// Lists changed files that are no Python.
fn other_files(root: &Path, commit: &Path) -> Vec<RelPath> {
    let mut found = Vec::new();
    let mut folders = vec![commit.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            let Some(below) = RelPath::below(commit, &path) else { continue };
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && extension != "py" && !below.as_str().starts_with('.') {
                let now = below.under(root);
                let same_size = now.metadata().is_ok_and(|meta| entry.metadata().is_ok_and(|old| old.len() == meta.len()));
                if !same_size || std::fs::read(&now).ok() != std::fs::read(&path).ok() {
                    found.push(below);
                }
            }
        }
    }
    found.sort();
    found
}
