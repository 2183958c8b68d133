//! What is tried with drafts before a person sees them: each test alone, all in company, in other circumstances, against
//! faults. Whose doing it is when something fails is `interference.rs`.
//!
//! A warm Python collects the tests once and every try is a fork of it. What fails there is run once more in a fresh
//! process before anybody believes it; where the two disagree, fresh ones decide from then on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::base::error::Trouble;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Draft, ProposalId};
use crate::engine::proving::interference::{blame, passed_in};
use crate::engine::proving::negations;
use crate::engine::python::environment::Environment;
use crate::engine::python::fresh_process::{self, Fresh, Way};
use crate::engine::python::worker_pool::Author;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::prove::{Clock, Faults, Manner, Run, RunEnd, TestResult, Trial, Variation, When, name_of, skipped_rows};
use crate::generate::rules::Allowed;
use crate::pytest::bench::Bench;
use crate::pytest::report::{Interrupted, Outcome};
use crate::pytest::warm::{self, Heard, Session, millis};
use crate::python::protocol::{Hello, Place, ProveRun};
use crate::python::zygote::Worker;

/// Faults put into a function.
const FAULTS: u32 = 8;
/// More runs of what uses random numbers, each with others: one that holds for half of them passes all once in a thousand.
const CHANCES: u64 = 6;
/// Seconds the clock is put forward: 400 days.
const LATER: i64 = 400 * 24 * 3600;
/// A time zone with a quarter of an hour, where nobody who runs this is.
const ZONE: &str = "Asia/Kathmandu";
/// The same without a table of zones.
const PLAIN_ZONE: &str = "PYT-05:45";

// Keys of runs.
pub(crate) const LOOK: u64 = 1;
const AGAIN: u64 = 2;
pub(crate) const FORWARD: u64 = 3;
pub(crate) const BACKWARD: u64 = 4;
pub(crate) const SHUFFLED: u64 = 5;
const LATE: u64 = 6;
const CHANCE: u64 = 10;
const FAULT: u64 = 1000;
pub(crate) const PAIR: u64 = 1_000_000;

/// A draft to try.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub id: ProposalId,
    pub function: FunctionId,
    pub draft: Draft,
    /// What it runs through reads the clock.
    pub reads_clock: bool,
    /// What it runs through uses random numbers.
    pub uses_chance: bool,
    /// It warned when it was recorded, or nobody knows.
    pub may_warn: bool,
    /// A model, an agent or a person wrote its text: its assertions are negated, to see that they decide its result.
    pub is_written: bool,
}

/// What was seen of a draft.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    pub trial: Trial,
    /// Plain pytest does not find the project: its folders were put on the path.
    pub with_roots: bool,
}

/// How drafts are tried.
pub struct Trials {
    pub core: Arc<Core>,
    pub environment: Arc<Environment>,
    pub author: Author,
    /// Python processes with a hash seed of their own.
    pub seeds: u32,
    pub fresh: Arc<Fresh>,
}

/// Gives the hash seed of the nth process.
pub fn hash_seed(nth: u32) -> u32 {
    nth * 7 + 1
}

impl Trials {
    /// Tries drafts in all ways.
    pub async fn observe(&self, candidates: &[Candidate]) -> Result<HashMap<ProposalId, Observed>, Trouble> {
        let provers = &self.environment.provers;
        let (cold, warm): (Vec<Candidate>, Vec<Candidate>) =
            candidates.iter().cloned().partition(|candidate| provers.is_distrusted(&candidate.function));
        let mut all = HashMap::new();
        if !warm.is_empty() {
            let mut tried = self.warm_or_cancelled(&warm).await?;
            if let Err(trouble) = &tried {
                // It may have been the machine's: fresh processes cannot show that a test can fail.
                self.core.log.trouble("prove", trouble);
                tried = self.warm_or_cancelled(&warm).await?;
            }
            match tried {
                Ok(Warm::Seen(seen)) => all.extend(self.confirm(&warm, seen).await?),
                Ok(Warm::Cold(why)) => all.extend(self.cold(&warm, &why).await?),
                Err(trouble) => {
                    self.core.log.trouble("prove", &trouble);
                    all.extend(self.cold(&warm, "the warm one ended").await?);
                }
            }
        }
        all.extend(self.cold(&cold, "a warm one gave another result").await?);
        Ok(all)
    }

    /// Tries drafts in warm processes; the outer error is that a person wants no more of it.
    async fn warm_or_cancelled(&self, candidates: &[Candidate]) -> Result<Result<Warm, Trouble>, Trouble> {
        tokio::select! {
            () = self.fresh.cancel.cancelled() => Err(Trouble::environment("The proof was cancelled.")),
            // Boxed: what is awaited within it is deeper than the compiler follows in a program's layout.
            tried = Box::pin(self.warm(candidates)) => Ok(tried),
        }
    }

    /// Runs drafts in fresh processes alone, in every second one as if on another machine.
    async fn cold(&self, candidates: &[Candidate], why: &str) -> Result<HashMap<ProposalId, Observed>, Trouble> {
        let ways = (0..self.seeds.max(2)).map(|nth| Way {
            manner: if nth % 2 == 1 { Manner::Backward } else { Manner::Forward },
            hash_seed: hash_seed(nth),
            elsewhere: nth % 2 == 1,
        });
        let seen = self.in_fresh(candidates, ways.collect()).await?;
        let observed = seen.into_iter().map(|(id, seen)| {
            let clock = clock_of(candidates, id, None);
            let trial = Trial { runs: seen.runs, cold: Some(why.to_owned()), clock, ..Trial::default() };
            (id, Observed { trial, with_roots: seen.with_roots })
        });
        Ok(observed.collect())
    }

    async fn in_fresh(
        &self,
        candidates: &[Candidate],
        ways: Vec<Way>,
    ) -> Result<HashMap<ProposalId, fresh_process::Seen>, Trouble> {
        if candidates.is_empty() {
            return Ok(HashMap::new());
        }
        let drafts: Vec<(ProposalId, Draft)> = candidates.iter().map(|one| (one.id, one.draft.clone())).collect();
        let fresh = self.fresh.clone();
        blocking(move || fresh.prove(&drafts, &ways)).await?
    }

    /// Runs what failed alone in a warm Python in a fresh one; where that one passes, the fresh ones decide.
    async fn confirm(
        &self,
        candidates: &[Candidate],
        mut seen: HashMap<ProposalId, Observed>,
    ) -> Result<HashMap<ProposalId, Observed>, Trouble> {
        let fails =
            |observed: &Observed| failing(&observed.trial.runs, |run| run.manner == Manner::Alone && run.varied.is_empty());
        let suspects: Vec<Candidate> = candidates
            .iter()
            .filter(|one| seen.get(&one.id).is_some_and(|observed| fails(observed).is_none_or(|names| !names.is_empty())))
            .cloned()
            .collect();
        let way = Way { manner: Manner::Forward, hash_seed: hash_seed(0), elsewhere: false };
        let runs = self.in_fresh(&suspects, vec![way]).await?;
        let mut distrusted = Vec::new();
        for one in suspects {
            let (Some(warm), Some(cold)) = (seen.get(&one.id), runs.get(&one.id)) else { continue };
            let cold = failing(&cold.runs, |_| true);
            let differs = match (fails(warm), cold) {
                (Some(warm), Some(cold)) => warm.iter().any(|name| !cold.contains(name)),
                (None, cold) => cold.is_some(),
                (Some(_), None) => false,
            };
            if differs {
                self.environment.provers.distrust(&one.function);
                distrusted.push(one);
            }
        }
        seen.extend(self.cold(&distrusted, "a warm one gave another result").await?);
        Ok(seen)
    }

    async fn warm(&self, candidates: &[Candidate]) -> Result<Warm, Trouble> {
        let rooted = &self.environment.provers.rooted;
        let with_roots = rooted.load(Ordering::Relaxed);
        let mut try_once = self.warm_with(candidates, with_roots).await?;
        if let (Warm::Seen(seen), false) = (&try_once, with_roots)
            && self.misses_the_project(seen)
        {
            rooted.store(true, Ordering::Relaxed);
            try_once = self.warm_with(candidates, true).await?;
        }
        Ok(try_once)
    }

    fn misses_the_project(&self, seen: &HashMap<ProposalId, Observed>) -> bool {
        let misses = |run: &Run| fresh_process::misses_the_project(&run.end, &self.fresh.names);
        seen.values().any(|observed| observed.trial.runs.iter().any(misses))
    }

    async fn warm_with(&self, candidates: &[Candidate], with_roots: bool) -> Result<Warm, Trouble> {
        let folder = self.environment.provers.bench(self.author)?;
        let drafts: Vec<(ProposalId, Draft)> = candidates.iter().map(|one| (one.id, one.draft.clone())).collect();
        let (root, path) = (self.core.root.clone(), folder.path().to_owned());
        let variables = self.fresh.variables.clone();
        let (bench, owners) = blocking(move || fresh_process::lay_out(&root, &path, &drafts, &variables)).await??;
        let files: Vec<String> = owners.keys().cloned().collect();
        let first = self.python(0).await?;
        let mut desk = Desk { trials: self, bench: &bench, files: &files, owners: &owners, with_roots, first };
        desk.try_all(candidates).await
    }

    /// Lists what tests may import.
    pub async fn allowed(&self) -> Result<Allowed, Trouble> {
        let (_, hello) = self.python(0).await?;
        let index = self.core.index();
        let imports = index.modules().flat_map(|module| &module.imports);
        let tops = imports.filter_map(|import| import.module.split('.').next().map(ToOwned::to_owned));
        let mut used: BTreeSet<String> = tops.collect();
        if used.contains("pandas") {
            used.insert("numpy".into()); // which it is made of, and whose numbers it gives
        }
        Ok(Allowed {
            stdlib: hello.stdlib.into_iter().collect(),
            project: self.fresh.names.clone(),
            used,
            plugins: hello.plugins.into_iter().collect(),
        })
    }

    pub(crate) async fn python(&self, nth: u32) -> Result<(Worker, Hello), Trouble> {
        let what = (self.author, self.fresh.level);
        self.environment.provers.get(&self.core, &self.environment, what, hash_seed(nth)).await
    }
}

/// What came of trying drafts in a warm Python.
enum Warm {
    Seen(HashMap<ProposalId, Observed>),
    /// They have to run in fresh ones, and why.
    Cold(String),
}

/// The tries of drafts that are laid out.
pub(crate) struct Desk<'a> {
    pub(crate) trials: &'a Trials,
    pub(crate) bench: &'a Bench,
    pub(crate) files: &'a [String],
    pub(crate) owners: &'a BTreeMap<String, ProposalId>,
    pub(crate) with_roots: bool,
    pub(crate) first: (Worker, Hello),
}

/// Surroundings of a session.
#[derive(Clone, Default)]
pub(crate) struct Around {
    pub(crate) zone: bool,
    pub(crate) elsewhere: bool,
    /// As if on another machine.
    pub(crate) machine: bool,
    /// Nobody looks at why a test failed.
    pub(crate) plain: bool,
}

impl Around {
    /// Those of the runs with another hash seed.
    const fn another() -> Self {
        Self { zone: true, elsewhere: true, machine: true, plain: true }
    }
}

impl Desk<'_> {
    /// Has the second Python import the project while the first one is at the tests, once: runs there need what passed here.
    async fn import_in_second(&self, candidates: &[Candidate]) {
        let trials = self.trials;
        if !trials.environment.provers.is_untouched(trials.author, hash_seed(1), self.with_roots) {
            return;
        }
        let no_tests = self.run(BACKWARD, |run| {
            run.targets = self.targets(candidates);
            run.tests = Some(Vec::new());
        });
        if let Ok((python, _)) = trials.python(1).await {
            // What goes wrong there goes wrong once more where it is needed.
            let _ = self.session(&python, &Around::another(), vec![no_tests]).await;
        }
    }

    async fn try_all(&mut self, candidates: &[Candidate]) -> Result<Warm, Trouble> {
        // In company first: it tells which modules to look at after each test.
        let mut runs = vec![self.run(FORWARD, |run| run.look = true)];
        runs.push(self.run(LOOK, |run| {
            run.each = true;
            run.look = true;
            run.again = Some(AGAIN);
            run.targets = self.targets(candidates);
        }));
        let of = |which: fn(&Candidate) -> bool| -> Vec<String> {
            let wanted = |id: &ProposalId| candidates.iter().any(|one| one.id == *id && which(one));
            self.owners.iter().filter(|(_, id)| wanted(id)).map(|(file, _)| file.clone()).collect()
        };
        let (late, chance) = (of(|one| one.reads_clock), of(|one| one.uses_chance));
        if !late.is_empty() {
            runs.push(self.run(LATE, |run| {
                run.tests = Some(late);
                run.clock = Some(LATER);
            }));
        }
        for nth in 0..if chance.is_empty() { 0 } else { CHANCES } {
            runs.push(self.run(CHANCE + nth, |run| {
                run.tests = Some(chance.clone());
                run.each = true;
            }));
        }
        for (at, place) in self.places(candidates) {
            runs.push(self.run(FAULT + at, |run| {
                run.tests = Some(vec![place.tests.clone()]);
                run.fault = Some(place.clone());
                run.most = FAULTS;
            }));
        }
        let around = Around::default();
        let (first, ()) = tokio::join!(self.session(&self.first.0, &around, runs), self.import_in_second(candidates));
        let first = first?;
        if let Some(why) = first.cold {
            return Ok(Warm::Cold(why));
        }
        let seen = self.part(candidates, &first, &[]);
        if !self.with_roots && self.trials.misses_the_project(&seen) {
            return Ok(Warm::Seen(seen));
        }
        let sound = passed_in(&first, LOOK);
        let mut others = Vec::new();
        for nth in 1..self.trials.seeds.max(2) {
            let runs = vec![
                self.run(BACKWARD, |run| {
                    run.targets = self.targets(candidates);
                    run.tests = Some(sound.iter().cloned().collect());
                    run.order = Some("reverse");
                }),
                self.run(SHUFFLED, |run| {
                    run.tests = Some(sound.iter().cloned().collect());
                    run.order = Some("shuffle");
                }),
            ];
            let (python, _) = self.trials.python(nth).await?;
            let around = Around::another();
            let heard = if sound.is_empty() { Heard::default() } else { self.session(&python, &around, runs).await? };
            if let Some(why) = heard.cold {
                return Ok(Warm::Cold(why));
            }
            others.push((nth, heard));
        }
        let mut seen = self.part(candidates, &first, &others);
        self.find_culprits(&sound, &first, &others, &mut seen).await?;
        let written: Vec<Candidate> = candidates.iter().filter(|one| one.is_written).cloned().collect();
        for (id, negations) in negations::tried(self, &written, &sound).await? {
            if let Some(observed) = seen.get_mut(&id) {
                observed.trial.negations = negations;
            }
        }
        Ok(Warm::Seen(seen))
    }

    /// Gives the place of each draft's function, with the draft's number; a function that is gone has none.
    fn places(&self, candidates: &[Candidate]) -> Vec<(u64, Place)> {
        let index = self.trials.core.index();
        let place = |(file, id): (&String, &ProposalId)| {
            let function = index.function(&candidates.iter().find(|one| one.id == *id)?.function)?;
            let qualname = function.id.qualname();
            Some(Place {
                tests: file.clone(),
                module: function.id.module().to_owned(),
                path: function.path.as_str().to_owned(),
                qualname: qualname.split('#').next().unwrap_or(qualname).to_owned(),
                line: index.dispatcher(function).map(|_| function.span.first),
            })
        };
        (0..).zip(self.owners).filter_map(|(at, owner)| Some((at, place(owner)?))).collect()
    }

    fn targets(&self, candidates: &[Candidate]) -> Vec<Place> {
        self.places(candidates).into_iter().map(|(_, place)| place).collect()
    }

    pub(crate) fn run(&self, key: u64, change: impl FnOnce(&mut ProveRun)) -> ProveRun {
        let mut run = ProveRun { key, limit_ms: millis(self.trials.fresh.limit), ..ProveRun::default() };
        change(&mut run);
        run
    }

    pub(crate) async fn session(&self, python: &Worker, around: &Around, runs: Vec<ProveRun>) -> Result<Heard, Trouble> {
        let mut env = self.trials.fresh.variables.clone();
        if around.zone {
            let zone = if Path::new("/usr/share/zoneinfo").join(ZONE).exists() { ZONE } else { PLAIN_ZONE };
            env.insert("TZ".to_owned(), zone.to_owned());
        }
        let elsewhere = around.elsewhere.then(|| self.trials.environment.provers.elsewhere()).transpose()?;
        let session = Session {
            root: &self.trials.core.root,
            paths: &self.trials.fresh.roots,
            on_path: self.with_roots,
            bench: self.bench,
            tests: self.files,
            env,
            cwd: elsewhere.as_deref(),
            other_machine: around.machine,
            plain: around.plain,
            runs,
            limit: self.trials.fresh.limit,
        };
        let _turn = python.turn().await;
        warm::run(python, &session).await
    }

    /// Parts what was heard by draft.
    fn part(&self, candidates: &[Candidate], first: &Heard, others: &[(u32, Heard)]) -> HashMap<ProposalId, Observed> {
        let mut all = HashMap::new();
        for (at, (file, id)) in (0..).zip(self.owners) {
            let own =
                |nodeid: &str| nodeid.strip_prefix(file.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
            let mut trial = Trial {
                clock: clock_of(candidates, *id, self.first.1.clock.as_deref()),
                may_warn: candidates.iter().any(|one| one.id == *id && one.may_warn),
                without: first.without.clone(),
                ..Trial::default()
            };
            if let Some(broken) = first.uncollected.iter().find(|result| own(&result.nodeid)) {
                trial.runs.push(run(Manner::Alone, 0, &[], RunEnd::not_collected(broken)));
                all.insert(*id, Observed { trial, with_roots: self.with_roots });
                continue;
            }
            let end = |heard, key| RunEnd::finished(&results(heard, key, &own));
            trial.skipped = skipped_rows(&results(first, LOOK, &own));
            trial.runs.push(run(Manner::Alone, 0, &[], end(first, LOOK)));
            trial.runs.push(run(Manner::Forward, 0, &[], end(first, FORWARD)));
            for (nth, heard) in others {
                let around = [Variation::TimeZone, Variation::Folder, Variation::Machine];
                trial.runs.push(run(Manner::Backward, *nth, &around, end(heard, BACKWARD)));
                trial.runs.push(run(Manner::Shuffled, *nth, &around, end(heard, SHUFFLED)));
            }
            let more = |key: u64| {
                first
                    .reports
                    .range((key, 0)..=(key, u64::MAX))
                    .any(|(_, report)| report.results.iter().any(|result| own(&result.nodeid)))
            };
            if more(LATE) {
                trial.runs.push(run(Manner::Forward, 0, &[Variation::Later], end(first, LATE)));
                // The same company in the same order passes today, so it is the clock.
                let today = passed_in(first, FORWARD);
                let failed = first.reports.get(&(LATE, 0)).map_or(&[][..], |report| &report.results);
                let failed = failed.iter().filter(|result| result.outcome != Outcome::Passed && own(&result.nodeid));
                for result in failed.filter(|result| today.contains(&result.nodeid)) {
                    trial.blamed.insert(name_of(&result.nodeid), blame(first, LATE, &result.nodeid, When::Later));
                }
            }
            for key in (CHANCE..CHANCE + CHANCES).filter(|key| more(*key)) {
                trial.runs.push(run(Manner::Alone, 0, &[Variation::RandomNumbers], end(first, key)));
            }
            let looks = first.looks.iter().filter(|(nodeid, _)| own(nodeid));
            trial.looks = looks.map(|(nodeid, look)| (name_of(nodeid), look.clone())).collect();
            let again = first.reports.range((AGAIN, 0)..=(AGAIN, u64::MAX)).flat_map(|(_, report)| &report.results);
            let again =
                again.filter(|result| own(&result.nodeid) && !matches!(result.outcome, Outcome::Passed | Outcome::Skipped));
            trial.once = again.map(|result| name_of(&result.nodeid)).collect();
            trial.faults = faults(first, FAULT + at);
            // Nobody can tell what a test would have done that another draft's test gave no time to.
            let cut_short = |result: &&TestResult| Interrupted::before_it_began(result.interrupted);
            let skipped = trial.runs.iter().skip(1).filter_map(|run| match &run.end {
                RunEnd::Finished(results) => Some(results.iter().filter(cut_short).map(|result| result.name.clone())),
                _ => None,
            });
            trial.excused = skipped.flatten().collect();
            all.insert(*id, Observed { trial, with_roots: self.with_roots });
        }
        all
    }

    pub(crate) fn owner(&self, nodeid: &str) -> Option<ProposalId> {
        self.owners.get(nodeid.split("::").next()?).copied()
    }
}

/// Lists the results of a run that are of some tests.
fn results<'h>(heard: &'h Heard, key: u64, own: &dyn Fn(&str) -> bool) -> Vec<&'h crate::pytest::report::TestResult> {
    let reports = heard.reports.range((key, 0)..=(key, u64::MAX)).flat_map(|(_, report)| &report.results);
    reports.filter(|result| own(&result.nodeid)).collect()
}

fn run(manner: Manner, nth: u32, varied: &[Variation], end: RunEnd) -> Run {
    Run { manner, fresh: false, hash_seed: Some(hash_seed(nth)), varied: varied.to_vec(), end }
}

fn clock_of(candidates: &[Candidate], id: ProposalId, by: Option<&str>) -> Clock {
    match (candidates.iter().any(|one| one.id == id && one.reads_clock), by) {
        (false, _) => Clock::NotRead,
        (true, Some("ours")) => Clock::Varied("a clock of our own".to_owned()),
        (true, Some(by)) => Clock::Varied(by.replace('_', "-")),
        (true, None) => Clock::NotVaried,
    }
}

/// Lists the tests that did not pass in some runs; `None` when they could not be collected or the run broke.
fn failing(runs: &[Run], which: impl Fn(&Run) -> bool) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for run in runs.iter().filter(|run| which(run)) {
        let RunEnd::Finished(results) = &run.end else { return None };
        found.extend(results.iter().filter(|result| !result.passed).map(|result| result.name.clone()));
    }
    Some(found)
}

fn faults(heard: &Heard, key: u64) -> Faults {
    if let Some(why) = heard.faultless.get(&key) {
        return Faults::None(why.clone());
    }
    let faults = heard.faults.range((key, 0)..=(key, u64::MAX)).map(|(place, fault)| {
        let results = heard.reports.get(place).map_or(&[][..], |report| &report.results);
        let noticed = results.iter().filter(|result| result.outcome != Outcome::Passed && result.outcome != Outcome::Skipped);
        (fault.clone(), noticed.map(|result| name_of(&result.nodeid)).collect())
    });
    let faults: Vec<_> = faults.collect();
    if faults.is_empty() { Faults::None("the function was not found in its file".into()) } else { Faults::Some(faults) }
}
