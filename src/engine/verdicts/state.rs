//! Verdicts in the workbench: taken in as runs leave them, kept, and put before a person where the intent was not met or
//! not decided. A pass takes away what waits. What is stored is `store/`, where runs leave them `checks/verdict_files.rs`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::event::{Event, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, OpenVerdict, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::{JudgedView, Topic, Trust};
use crate::domain::subject::Subject;
use crate::domain::verdict::{Bound, ClauseOutcome, JudgedTest, Ruling};
use crate::engine::checks::verdict_files;
use crate::engine::edits::verdict_edits::stored;
use crate::engine::index::configuration;
use crate::engine::index::reachability;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::verdict_rows::{Kept, short};
use crate::source::index::Index;
use crate::store::{Mode, StoredVerdict};

/// Takes in what test runs left while nobody looked, and reads what is known.
pub async fn begin(core: &Arc<Core>) {
    let worker = core.clone();
    let taken = blocking(move || {
        take_in(&worker)?;
        load(&worker)?;
        mark_edited(&worker)?;
        withdraw_gone(&worker)
    });
    if let Err(trouble) = taken.await.and_then(|taken| taken) {
        core.complain("verdict", &trouble);
    }
}

/// Reads the verdicts from the store; what was known to be stale stays so until it is judged again.
pub fn load(core: &Core) -> Result<(), Trouble> {
    let all = core.store().verdicts()?;
    let mut state = core.state.lock();
    let unchanged = all.len() == state.verdicts.len()
        && all.iter().all(|stored| state.verdicts.get(&stored.judged.test).is_some_and(|kept| kept.stored == *stored));
    if unchanged {
        return Ok(());
    }
    let before = std::mem::take(&mut *state.verdicts);
    let now = clock::now();
    let kept = |stored: StoredVerdict| {
        let known = before.get(&stored.judged.test);
        let is_rerun = known.is_some_and(|kept| kept.stored.judged.began != stored.judged.began);
        // An edit that lies in the future was before the clock was set back: the run since then had it.
        let edited = known.and_then(|kept| kept.edited).filter(|at| !(is_rerun && *at > now));
        (stored.judged.test.clone(), Kept { stored, edited })
    };
    *state.verdicts = all.into_iter().map(kept).collect();
    Ok(())
}

/// Marks the verdicts of tests that ran through these functions, or through functions of these files, as stale.
pub fn mark_stale(core: &Core, functions: &BTreeSet<FunctionId>, files: &[RelPath]) {
    let index = core.index();
    let mut state = core.state.lock();
    if !state.verdicts.values().any(|kept| kept.rests_on(functions, files, &index)) {
        return;
    }
    let now = clock::now();
    for kept in state.verdicts.values_mut().filter(|kept| kept.rests_on(functions, files, &index)) {
        kept.edit(now);
    }
}

/// Marks the verdicts of all tests in these files as stale; gives how many there are.
pub fn mark_stale_in(core: &Core, files: &dyn Fn(&RelPath) -> bool) -> usize {
    let mut state = core.state.lock();
    let count = state.verdicts.values().filter(|kept| files(&kept.stored.judged.file)).count();
    if count > 0 {
        let now = clock::now();
        state.verdicts.values_mut().filter(|kept| files(&kept.stored.judged.file)).for_each(|kept| kept.edit(now));
    }
    count
}

/// Marks the verdicts of tests whose code, configuration or data was written after their run began, while nobody watched.
pub fn mark_edited(core: &Core) -> Result<(), Trouble> {
    let index = core.index();
    let readers = reachability::readers(core)?;
    let mut read: HashMap<&Subject, Vec<&RelPath>> = HashMap::new();
    for (path, reads) in readers.iter() {
        reads.by.iter().for_each(|by| read.entry(by).or_default().push(path));
    }
    let conftests = configuration::conftests(&index).map(|module| &module.path);
    let configuration: Vec<&RelPath> = index.configuration().iter().chain(conftests).collect();
    let mut written: HashMap<RelPath, Option<Moment>> = HashMap::new();
    let mut written = |path: &RelPath| {
        *written.entry(path.clone()).or_insert_with(|| {
            let at = std::fs::metadata(path.under(&core.root)).and_then(|meta| meta.modified()).ok()?;
            let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok().map(Moment)
        })
    };
    let mut state = core.state.lock();
    for kept in state.verdicts.values_mut() {
        let entered = || kept.stored.entered.iter().chain([&kept.stored.function]);
        let modules = || entered().filter_map(|id| index.module_of(id));
        let mut files: BTreeSet<&RelPath> = modules().map(|module| &module.path).collect();
        let inits: BTreeSet<&String> = modules().map(|module| &module.name).collect();
        let reading = entered().cloned().map(Subject::Function).chain(inits.into_iter().cloned().map(Subject::ImportCode));
        files.extend(reading.filter_map(|by| read.get(&by)).flatten());
        files.extend(configuration.iter().filter(|path| configuration::concerns(path, &kept.stored.judged.file)));
        kept.edited = files.into_iter().filter_map(&mut written).max().max(kept.edited);
    }
    Ok(())
}

/// Lists the tests whose verdicts are stale.
pub fn stale(core: &Core) -> Vec<String> {
    let state = core.state.lock();
    state.verdicts.values().filter(|kept| kept.is_stale()).map(|kept| kept.stored.judged.test.clone()).collect()
}

/// Takes in what test runs left; gives the tests that were judged. Blocks shortly.
pub fn take_in(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    // A test is named by the index: before it is there, every test would be gone.
    if core.trust() != Trust::Trusted || core.store().mode() == Mode::ReadOnly || !core.state.lock().indexed {
        return Ok(Vec::new());
    }
    let mut taken = Vec::new();
    for left in verdict_files::left(&core.root) {
        match left.judged {
            Ok(mut judged) => {
                keep_proposed(core, &mut judged);
                let function = function_of(&core.index(), &judged);
                if core.store().put_verdict(&judged, &function)? {
                    settle(core, &judged, &function)?;
                    taken.push(judged.test);
                }
            }
            Err(trouble) => core.log.trouble("verdict", &trouble),
        }
        // Another workbench may have been faster.
        let _ = std::fs::remove_file(&left.file);
    }
    if !taken.is_empty() {
        load(core)?;
        core.touch();
    }
    Ok(taken)
}

/// Leaves what a model proposed beside the verdict of a run that did the same for the same intent.
fn keep_proposed(core: &Core, judged: &mut JudgedTest) {
    let state = core.state.lock();
    let Some(before) = state.verdicts.get(&judged.test).map(|kept| &kept.stored.judged) else { return };
    let journey = |judged: &JudgedTest| judged.verdict.bound.as_ref().map(|bound| bound.journey.clone());
    if judged.verdict.proposed.is_none() && before.intent == judged.intent && journey(before) == journey(judged) {
        judged.verdict.proposed = before.verdict.proposed.clone();
    }
}

/// Finds the test as a function of the project.
fn function_of(index: &Index, judged: &JudgedTest) -> FunctionId {
    let name = judged.test.split_once("::").map_or("", |(_, rest)| rest.split('[').next().unwrap_or(rest));
    let module = index
        .module(&judged.file)
        .map_or_else(|| judged.file.as_str().trim_end_matches(".py").replace('/', "."), |module| module.name.clone());
    FunctionId::new(&module, &name.replace("::", "."))
}

/// Puts a verdict before a person, or takes away what waits.
fn settle(core: &Arc<Core>, judged: &JudgedTest, function: &FunctionId) -> Result<(), Trouble> {
    let earlier = about(core, &judged.test, function)?;
    let short = short(&judged.test);
    let said = |word: &str| format!("{word} {short}: {}", judged.verdict.reason);
    let about_test = || Some(Topic::Test(judged.test.clone()));
    let mut waits = None;
    match judged.verdict.verdict {
        // A broken judge says nothing about the test: what was found before still holds.
        Ruling::Error => core.log.add(Level::Error, "judged", said("ERROR"), about_test()),
        // Nobody can decide anything about it: it is red until it is mended.
        Ruling::Fail if judged.fails_itself() => {
            withdraw(core, &earlier)?;
            core.log.add(Level::Warning, "judged", said("FAIL"), about_test());
        }
        _ if judged.is_open() => {
            let (word, line) = match judged.verdict.verdict {
                Ruling::Fail => ("FAIL", said("FAIL")),
                _ => ("UNCLEAR", said("UNCLEAR")),
            };
            waits = ask(core, judged, function, earlier)?;
            if waits.is_some() {
                core.log.add(Level::Warning, "judged", &line, about_test());
            } else {
                core.log.add(Level::Info, "judged", format!("{word} {short}, as before"), about_test());
            }
        }
        _ => {
            withdraw(core, &earlier)?;
            let word = if judged.verdict.overridden { "overridden" } else { "PASS" };
            core.log.add(Level::Done, "judged", format!("{word} {short}"), about_test());
        }
    }
    core.announce(Event::Judged {
        test: judged.test.clone(),
        ruling: judged.verdict.verdict,
        overridden: judged.verdict.overridden,
        proposal: waits,
    });
    Ok(())
}

/// Puts the verdict back that a person decided on, where the last run of the test did the same as then.
pub fn put_back(core: &Arc<Core>, proposal: &Proposal, open: &OpenVerdict) -> Result<(), Trouble> {
    let Some(StoredVerdict { mut judged, function, .. }) = core.store().verdict(&open.test)? else { return Ok(()) };
    let did = |bound: &Option<Bound>| bound.as_ref().map(|bound| bound.journey.clone());
    if did(&judged.verdict.bound) != did(&open.verdict.bound) {
        return Ok(());
    }
    judged.verdict = open.verdict.clone();
    judged.at = clock::now().max(Moment(judged.at.0 + 1));
    if core.store().put_verdict(&judged, &function)? {
        // The run that heard of the decision took the proposal away.
        let waits = about(core, &open.test, &function)?.iter().any(|other| other.state == ProposalState::Ready);
        if !waits && proposal.state == ProposalState::Stale && proposal.basis == basis(&judged) {
            core.move_proposal(proposal.id, ProposalState::Ready, |_| {})?;
        }
        settle(core, &judged, &function)?;
        load(core)?;
        core.touch();
    }
    Ok(())
}

/// Lists what was ever asked about a test, the oldest first.
fn about(core: &Core, test: &str, function: &FunctionId) -> Result<Vec<Proposal>, Trouble> {
    let all = core.store().proposals_of(function)?;
    Ok(all.into_iter().filter(|old| old.verdict().is_some_and(|verdict| verdict.test == test)).collect())
}

/// Takes away what waits, or was decided, about a test.
fn withdraw(core: &Arc<Core>, earlier: &[Proposal]) -> Result<(), Trouble> {
    for old in earlier.iter().filter(|old| is_standing(old.state)) {
        core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
    }
    Ok(())
}

fn is_standing(state: ProposalState) -> bool {
    matches!(state, ProposalState::Ready | ProposalState::Rejected | ProposalState::Written)
}

/// Asks about a verdict, unless just this was asked before; gives the proposal where it is news.
fn ask(
    core: &Arc<Core>,
    judged: &JudgedTest,
    function: &FunctionId,
    earlier: Vec<Proposal>,
) -> Result<Option<ProposalId>, Trouble> {
    let basis = basis(judged);
    let body = Body::Verdict(OpenVerdict {
        test: judged.test.clone(),
        intent: judged.intent.clone(),
        verdict: judged.verdict.clone(),
        takes_journey: judged.takes_journey(),
        at: judged.at,
    });
    let evidence = evidence(judged);
    let id = match earlier.last() {
        Some(old) if old.basis == basis && is_standing(old.state) => return Ok(None),
        // What was decided on stays as it was, so that it can be taken back.
        Some(old) if matches!(old.state, ProposalState::Ready | ProposalState::Stale) && !core.store().was_decided(old.id)? => {
            if old.state == ProposalState::Ready {
                core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
            }
            core.move_proposal(old.id, ProposalState::Ready, move |proposal| {
                proposal.body = body;
                proposal.evidence = evidence;
                proposal.basis = basis;
                proposal.skipped = false;
                proposal.edited = None;
            })?
            .id
        }
        _ => {
            for old in earlier.iter().filter(|old| old.state == ProposalState::Ready) {
                core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
            }
            let queued = Proposal::queued(function.clone(), body, clock::now());
            core.add_proposal(Proposal { state: ProposalState::Ready, evidence, basis, ..queued })?.id
        }
    };
    Ok(Some(id))
}

/// Hashes what a person decides on: the ruling, why, and what the test did.
fn basis(judged: &JudgedTest) -> Digest {
    let mut hasher = Hasher::default();
    let verdict = &judged.verdict;
    hasher.part(format!("{:?} {}", verdict.verdict, verdict.reason).as_bytes()).part(judged.intent.as_bytes());
    for clause in &verdict.clauses {
        hasher.part(format!("{} {:?}", clause.text, clause.outcome).as_bytes());
    }
    for line in &judged.journey {
        hasher.part(line.text().as_bytes());
    }
    hasher.digest()
}

/// Writes the clauses, or the reason where there are none, as evidence.
fn evidence(judged: &JudgedTest) -> Vec<Evidence> {
    let verdict = &judged.verdict;
    let clause = |(at, clause): (usize, &crate::domain::verdict::Decided)| {
        let finding = match clause.outcome {
            ClauseOutcome::Holds => Finding::Pass,
            ClauseOutcome::Violated => Finding::Fail,
            ClauseOutcome::Vacuous | ClauseOutcome::Unknown | ClauseOutcome::Unclear => Finding::Note,
        };
        let detail = format!("{}: {}", clause.text, clause.why);
        Evidence { more: clause.shown.clone(), ..Evidence::new(finding, EvidenceKind::Clause(at + 1), detail) }
    };
    let mut out: Vec<Evidence> = verdict.clauses.iter().enumerate().map(clause).collect();
    if out.is_empty() {
        let finding = if verdict.verdict == Ruling::Fail { Finding::Fail } else { Finding::Note };
        out.push(Evidence::new(finding, EvidenceKind::Reason, verdict.reason.clone()));
    }
    out
}

/// Takes away what waits for tests that are gone. Their verdicts stay, and come back with them.
pub fn withdraw_gone(core: &Arc<Core>) -> Result<(), Trouble> {
    let index = core.index();
    let gone: Vec<ProposalId> = {
        let state = core.state.lock();
        let waits = state.proposals.values().filter(|one| one.verdict().is_some() && one.state == ProposalState::Ready);
        waits.filter(|one| one.function().is_none_or(|id| index.function(id).is_none())).map(|one| one.id).collect()
    };
    for id in gone {
        core.move_proposal(id, ProposalState::Stale, |_| {})?;
    }
    Ok(())
}

/// Gives the last verdict of a test with what the test did.
pub fn view(core: &Core, test: &str) -> Result<JudgedView, Trouble> {
    let StoredVerdict { judged, function, since, entered } = stored(core, test)?;
    let index = core.index();
    let place = |id: FunctionId| index.function(&id).map(|known| (known.path.clone(), known.span.def)).map(|place| (id, place));
    let places = entered.into_iter().chain([function.clone()]).filter_map(place).collect();
    Ok(JudgedView { judged, places, function, since })
}

#[cfg(test)]
mod tests;
