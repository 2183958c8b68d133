//! The proof: batch by batch drafts are tried, and what was seen then ([`trials`](crate::engine::proving::trials)) becomes
//! evidence and a verdict.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::machine;
use crate::contain::{self, Class, Level};
use crate::domain::event::{self, Event, JobKind};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, Draft, Proposal, ProposalId, ProposalState};
use crate::domain::touch::Touch;
use crate::engine::calls;
use crate::engine::checks::secrets::Sources;
use crate::engine::edits::draft_text;
use crate::engine::index::needed_roots;
use crate::engine::proving;
use crate::engine::proving::basis;
use crate::engine::proving::trials::{self, Candidate, Observed, Trials};
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::fresh_process::Fresh;
use crate::engine::python::worker_pool::Author;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::prove::{Ground, Proof, Verdict, judge};
use crate::generate::rules;

/// Drafts proved in one go: enough that starting pytest pays. The first batch and the second are smaller, so that a person
/// has something to read while the others are proved.
const BATCHES: [usize; 4] = [3, 9, 24, 72];
/// Batches proved at a time: while one is in the second Python, the next is in the first.
const PROOFS: usize = 2;
/// A draft whose failing parts were left out is proved again at most so often.
const ROUNDS: usize = 6;

/// The turns of batches.
struct Desks(Semaphore);

impl Default for Desks {
    fn default() -> Self {
        Self(Semaphore::new(PROOFS))
    }
}

/// Proves proposals, a batch at a time; each moves on by what its proof says.
pub async fn prove(core: &Arc<Core>, ids: Vec<ProposalId>) -> Result<(), Trouble> {
    if ids.is_empty() {
        return Ok(());
    }
    let wanted: Vec<Arc<Proposal>> = ids.iter().map(|id| core.proposal(*id)).collect::<Result<_, _>>()?;
    let job = core.jobs.begin(JobKind::Prove, subject(core, &ids), ids.len() as u64);
    core.touch();
    let proved = prove_batches(core, &wanted, &job).await;
    let cancelled = job.is_cancelled();
    job.end(proved.is_ok() && !cancelled);
    let why = match &proved {
        _ if cancelled => Some("it was cancelled".to_owned()),
        Err(trouble) => Some(trouble.to_string()),
        Ok(()) => None,
    };
    if let Some(why) = why {
        for proposal in wanted {
            let why = why.clone();
            core.settle_proposal(proposal.id, move |standing| {
                let waits = matches!(standing.state, ProposalState::Queued | ProposalState::Proving);
                // Another text is another proof's.
                if waits && standing.edited == proposal.edited {
                    standing.state = ProposalState::Failed;
                    standing.evidence = vec![Evidence::new(Finding::Error, EvidenceKind::NotProved, why)];
                }
            })?;
        }
    }
    core.touch();
    if cancelled { Ok(()) } else { proved }
}

async fn prove_batches(core: &Arc<Core>, wanted: &[Arc<Proposal>], job: &Job<'_>) -> Result<(), Trouble> {
    let environment = if wanted.iter().all(|proposal| is_foreign(proposal)) {
        environment::get(core).await?
    } else {
        if environment::waits_for_answer(core) {
            let waits =
                || vec![Evidence::new(Finding::Running, EvidenceKind::ConsentNeeded, "for your word on the weak sandbox")];
            wanted.iter().for_each(|proposal| core.show_evidence(proposal.id, waits()));
        }
        let Some(environment) = job.unless_cancelled(environment::contained(core)).await else { return Ok(()) };
        environment?
    };
    // The project may be found by now.
    environment.provers.rooted.store(false, Ordering::Relaxed);
    let done = AtomicU64::new(0);
    let prove = async |some: &[Arc<Proposal>]| -> Result<(), Trouble> {
        // Proofs take turns batch by batch, so that a person's edit does not wait for a whole recording's drafts.
        let desks = core.part::<Desks>();
        let Some(_turn) = job.unless_cancelled(desks.0.acquire()).await else { return Ok(()) };
        let ids: Vec<ProposalId> = some.iter().map(|proposal| proposal.id).collect();
        batch(core, &environment, &ids, job).await?;
        let now = done.fetch_add(some.len() as u64, Ordering::Relaxed) + some.len() as u64;
        job.progress(now, wanted.len() as u64);
        if let Some(event) = job.event() {
            core.announce(event);
        }
        Ok(())
    };
    let mut batches = batches(wanted);
    // The first one finds out how the tests find the project.
    if let Some(first) = batches.next() {
        prove(first).await?;
    }
    let mut others = stream::iter(batches.map(prove)).buffer_unordered(PROOFS);
    while others.next().await.transpose()?.is_some() {}
    if job.is_cancelled() {
        return Ok(());
    }
    let desks = core.part::<Desks>();
    let Some(_turn) = job.unless_cancelled(desks.0.acquire()).await else { return Ok(()) };
    let ids: Vec<ProposalId> = wanted.iter().map(|proposal| proposal.id).collect();
    proving::final_run::in_fresh(core, &environment, &ids, job).await
}

/// Parts what is to be proved by [`BATCHES`], of which the last size serves all that is left.
fn batches<T>(mut all: &[T]) -> impl Iterator<Item = &[T]> {
    let [.., last] = BATCHES;
    BATCHES.into_iter().chain(std::iter::repeat(last)).map_while(move |size| {
        let (batch, rest) = all.split_at(size.min(all.len()));
        all = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

fn subject(core: &Core, ids: &[ProposalId]) -> JobSubject {
    match ids {
        [id] => {
            let function = core.proposal(*id).ok().and_then(|proposal| proposal.function().cloned());
            function.map_or(JobSubject::Drafts(1), JobSubject::Draft)
        }
        ids => JobSubject::Drafts(ids.len()),
    }
}

/// Proves some proposals; each ends as ready, refused or failed.
async fn batch(core: &Arc<Core>, environment: &Arc<Environment>, ids: &[ProposalId], job: &Job<'_>) -> Result<(), Trouble> {
    let mut open = Vec::new();
    for id in ids {
        let proposal = core.proposal(*id)?;
        match proposal.state {
            ProposalState::Proving => open.push(proposal),
            ProposalState::Queued => open.push(core.move_proposal(*id, ProposalState::Proving, |_| {})?),
            // It became stale or was decided while it waited.
            _ => {}
        }
    }
    let code = basis::code_of(core, open.iter().filter_map(|proposal| proposal.function().cloned()).collect()).await?;
    let (foreign, own): (Vec<_>, Vec<_>) = open.into_iter().partition(|proposal| is_foreign(proposal));
    round(core, environment, own, environment.level, &code, &job.cancel).await?;
    let level = contain::level_for(Class::Foreign);
    for proposal in foreign {
        if level == Level::None {
            refuse_unproved(core, &proposal)?;
        } else {
            round_in_time(core, environment, proposal, level, &code, job).await?;
        }
    }
    Ok(())
}

/// Tells whether a model or an agent wrote the text, and no person has changed it since.
pub fn is_foreign(proposal: &Proposal) -> bool {
    proposal.edited.is_none() && proposal.draft().is_some_and(|draft| draft.origin.is_foreign())
}

fn refuse_unproved(core: &Arc<Core>, proposal: &Proposal) -> Result<(), Trouble> {
    core.move_proposal(proposal.id, ProposalState::Refused, |proposal| {
        let detail = "no sandbox here, and text by a model or an agent runs nowhere else";
        proposal.evidence = vec![Evidence::new(Finding::Error, EvidenceKind::Unproved, detail)];
    })?;
    Ok(())
}

/// Proves one text by a model or an agent; all its runs together get the time that one run may take, so that whoever waits for
/// the answer gets it.
async fn round_in_time(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    proposal: Arc<Proposal>,
    level: Level,
    code: &HashMap<FunctionId, Digest>,
    job: &Job<'_>,
) -> Result<(), Trouble> {
    let seconds = core.settings().generation.proof_seconds.max(1);
    let cancel = job.cancel.child_token();
    let proving = round(core, environment, vec![proposal.clone()], level, code, &cancel);
    if let Ok(proved) = tokio::time::timeout(Duration::from_secs(seconds), proving).await {
        return proved;
    }
    cancel.cancel();
    core.settle_proposal(proposal.id, move |standing| {
        if standing.state == ProposalState::Proving && standing.edited == proposal.edited {
            standing.state = ProposalState::Refused;
            standing.evidence =
                vec![Evidence::new(Finding::Fail, EvidenceKind::Runs, format!("its runs did not end in {seconds} s"))];
        }
    })?;
    Ok(())
}

/// Proves proposals of one class; drafts that lost a part are proved again. What is not being proved is only tried with them.
pub async fn round(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    mut open: Vec<Arc<Proposal>>,
    level: Level,
    code: &HashMap<FunctionId, Digest>,
    cancel: &CancellationToken,
) -> Result<(), Trouble> {
    if open.is_empty() {
        return Ok(());
    }
    let trials = trials(core, environment, is_foreign(&open[0]), level, cancel);
    open = lawful(core, &trials, open).await?;
    for turn in 0..ROUNDS {
        if open.is_empty() {
            return Ok(());
        }
        for proposal in open.iter().filter(|proposal| proposal.state == ProposalState::Proving) {
            core.show_evidence(
                proposal.id,
                vec![Evidence::new(Finding::Running, EvidenceKind::Running, "alone, in company, against faults")],
            );
        }
        let seen = observe(core, &trials, &open).await?;
        let mut again = Vec::new();
        for proposal in open {
            let Some(observed) = seen.get(&proposal.id) else { continue };
            let standing = core.proposal(proposal.id)?;
            if !is_same_work(&standing, &proposal) {
                continue;
            }
            let proof = verdict(core, environment, &proposal, observed, level)?;
            match proof.verdict {
                Verdict::Again(rest) if turn + 1 < ROUNDS => {
                    again.push(core.settle_proposal(proposal.id, move |standing| {
                        if is_same_work(standing, &proposal) {
                            standing.body = Body::Draft(*rest);
                        }
                    })?);
                }
                _ => {
                    let code = proposal.function().and_then(|id| code.get(id)).copied().unwrap_or_default();
                    settle(core, &proposal, proof, observed, level, code)?;
                }
            }
        }
        open = again;
    }
    Ok(())
}

/// Lists how the version of Python may stand in a test of a function whose module asks for it: `3.13`, `(3, 13`.
fn versions(core: &Core, environment: &Environment, proposal: &Proposal) -> Vec<String> {
    const ASKS: [&str; 3] = ["version_info", "python_version", "hexversion"];
    let index = core.index();
    let text = proposal.function().and_then(|id| index.function(id)).and_then(|function| index.text(&function.path));
    if !text.is_some_and(|text| ASKS.iter().any(|word| text.contains(word))) {
        return Vec::new();
    }
    let (major, minor, _) = environment.interpreter.version;
    vec![format!("{major}.{minor}"), format!("({major}, {minor}")]
}

fn verdict(
    core: &Core,
    environment: &Environment,
    proposal: &Proposal,
    observed: &Observed,
    level: Level,
) -> Result<Proof, Trouble> {
    let draft = effective(proposal)?;
    let (calls, tested) = {
        let state = core.state.lock();
        let calls = proposal.function().and_then(|id| state.calls.get(id)).copied();
        (calls.unwrap_or(0), proposal.function().is_some_and(|id| state.tested.contains(id)))
    };
    let qualname = proposal.subject.short().split('#').next().unwrap_or_default();
    let ground = Ground {
        function: qualname.rsplit('.').next().unwrap_or(qualname).to_owned(),
        containment: Some(level.word().to_owned()),
        recorded: None,
        calls,
        tests_there: usize::from(tested),
        edited: proposal.edited.is_some(),
        versions: versions(core, environment, proposal),
        machine: machine::facts(),
        zone: machine::zone(),
    };
    Ok(judge(&draft, &observed.trial, &ground))
}

/// Gives the draft with a person's text in place of its own, where there is one.
pub fn effective(proposal: &Proposal) -> Result<Draft, Trouble> {
    let Some(draft) = proposal.draft() else { return Err(Trouble::internal("A change is not proved by tests.")) };
    let parts = draft_text::parts(proposal)?;
    Ok(Draft { imports: parts.imports, text: parts.text, tests: parts.tests, ..draft.clone() })
}

/// Tells whether a proposal still waits for the proof of this very text.
fn is_same_work(standing: &Proposal, proved: &Proposal) -> bool {
    standing.state == ProposalState::Proving && standing.edited == proved.edited && standing.body == proved.body
}

fn settle(
    core: &Arc<Core>,
    proposal: &Arc<Proposal>,
    mut proof: Proof,
    observed: &Observed,
    level: Level,
    code: Digest,
) -> Result<(), Trouble> {
    let state = match proof.verdict {
        Verdict::Ready => ProposalState::Ready,
        Verdict::Refused | Verdict::Again(_) => ProposalState::Refused,
        Verdict::Broken => ProposalState::Failed,
    };
    let imports = effective(proposal).map(|draft| draft.imports).unwrap_or_default();
    let with_roots = proposal.function().filter(|_| observed.with_roots);
    let variables = environment::import_variables(core);
    let roots = with_roots.map(|id| needed_roots::needed(&core.index(), id, &imports, &variables)).unwrap_or_default();
    let proved = proposal.clone();
    said_without_secrets(core, proposal, &mut proof.evidence);
    let moved = core.settle_proposal(proposal.id, move |proposal| {
        // A save or a person may have been quicker.
        if !is_same_work(proposal, &proved) {
            return;
        }
        proposal.state = state;
        proposal.basis = basis::rests_on(code, proposal);
        proposal.evidence = proof.evidence;
        proposal.proved = Some(proof.proved);
        proposal.containment = Some(level.word().to_owned());
        if let Body::Draft(draft) = &mut proposal.body {
            draft.import_roots = roots;
        }
    })?;
    if moved.state == state {
        announce_ready(core, &moved);
    }
    Ok(())
}

/// Takes the secrets of a function's module out of what its proof says: a fault is told by the literal that it was put into.
fn said_without_secrets(core: &Core, proposal: &Proposal, evidence: &mut [Evidence]) {
    let index = core.index();
    let Some(function) = proposal.function().and_then(|id| index.function(id)) else { return };
    let source = index.text(&function.path).unwrap_or_default();
    Sources::new(&core.root, &index).said(&source, &mut |safe| {
        for line in &mut *evidence {
            line.detail = safe(&line.detail.to_string()).into();
            line.more.iter_mut().for_each(|one| *one = safe(one));
        }
    });
}

/// Refuses what may not run, whatever it does (G0); gives the rest.
async fn lawful(core: &Arc<Core>, trials: &Trials, open: Vec<Arc<Proposal>>) -> Result<Vec<Arc<Proposal>>, Trouble> {
    let allowed = match trials.allowed().await {
        Ok(allowed) => allowed,
        // Where no warm Python starts, fresh ones may still run; what a model wrote is not let through unlooked at.
        Err(trouble) if trials.author == Author::Foreign => return Err(trouble),
        Err(_) => return Ok(open),
    };
    let mut rest = Vec::new();
    for proposal in open {
        let draft = effective(&proposal)?;
        let mut against = rules::check(&draft, &allowed);
        if draft.origin.is_foreign() && proposal.edited.is_none() {
            against.extend(rules::check_foreign(&draft));
        }
        // What a person changed in it may leave the rest as a stranger wrote it.
        if draft.origin.is_foreign() || proposal.edited.is_some() {
            let ours = proposal.draft().filter(|draft| !draft.origin.is_foreign());
            against.extend(rules::check_internals(&draft, ours, &allowed));
        }
        if against.is_empty() {
            rest.push(proposal);
            continue;
        }
        let checked = proposal.clone();
        core.settle_proposal(proposal.id, move |standing| {
            if is_same_work(standing, &checked) {
                standing.state = ProposalState::Refused;
                standing.evidence = against;
            }
        })?;
    }
    Ok(rest)
}

/// Tries drafts in every way there is.
async fn observe(core: &Arc<Core>, trials: &Trials, open: &[Arc<Proposal>]) -> Result<HashMap<ProposalId, Observed>, Trouble> {
    let mut candidates = Vec::new();
    for proposal in open {
        let Some(function) = proposal.function().cloned() else { continue };
        let draft = effective(proposal)?;
        let stored = core.store().calls(&draft.calls)?;
        let touches: Vec<Touch> = stored.into_iter().flat_map(|call| calls::read::decode(call).touches).collect();
        // Nobody recorded what a model's tests run through.
        let touches = |is: fn(&Touch) -> bool| is_foreign(proposal) || touches.iter().any(is);
        let reads_clock = touches(|touch| matches!(touch, Touch::Clock(_)));
        let uses_chance = touches(|touch| matches!(touch, Touch::Random(_)));
        let may_warn = proposal.edited.is_some() || touches(|touch| matches!(touch, Touch::Warning(_)));
        let is_written = proposal.edited.is_some() || draft.origin.is_foreign();
        candidates.push(Candidate { id: proposal.id, function, draft, reads_clock, uses_chance, may_warn, is_written });
    }
    trials.observe(&candidates).await
}

fn trials(core: &Arc<Core>, environment: &Arc<Environment>, foreign: bool, level: Level, cancel: &CancellationToken) -> Trials {
    Trials {
        core: core.clone(),
        environment: environment.clone(),
        author: if foreign { Author::Foreign } else { Author::Own },
        seeds: seeds(core),
        fresh: Arc::new(Fresh::new(core, environment, level, cancel)),
    }
}

/// Starts the Pythons that a first proof takes, while nobody waits for them yet.
///
/// # Errors
/// As [`environment::get`], and when one cannot be started.
pub async fn start_pythons(core: &Arc<Core>) -> Result<(), Trouble> {
    let environment = environment::get(core).await?;
    if environment.level == Level::None || environment.interpreter.pytest.is_none() {
        return Ok(());
    }
    for nth in 0..2 {
        let what = (Author::Own, environment.level);
        environment.provers.get(core, &environment, what, trials::hash_seed(nth)).await?;
    }
    Ok(())
}

/// Gives how many hash seeds tests are run under.
pub fn seeds(core: &Core) -> u32 {
    core.settings().generation.proof_runs.clamp(2, 10)
}

/// Says that drafts are there.
fn announce_ready(core: &Core, proposal: &Proposal) {
    core.log.add(
        event::Level::Info,
        "proved",
        format!("{} {}", proposal.subject.short(), summary(proposal)),
        Some((&proposal.subject).into()),
    );
    core.announce(Event::EvidenceChanged { proposal: proposal.id });
}

fn summary(proposal: &Proposal) -> String {
    match proposal.proved {
        Some((passed, runs)) => format!("{passed}/{runs}"),
        None => "not run".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::batches;

    #[test]
    fn the_first_batches_are_small_and_nothing_is_left_out() {
        let sizes = |many: usize| batches(&vec![0; many]).map(<[_]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(190), [3, 9, 24, 72, 72, 10]);
        assert_eq!(sizes(3), [3]);
        assert_eq!(sizes(0), [] as [usize; 0]);
    }
}
