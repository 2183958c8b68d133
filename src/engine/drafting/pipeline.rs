//! From recorded calls to drafts: gathered, written, checked. One draft a function; how they are proved is `proving/pipeline.rs`.

use std::collections::HashSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::domain::event::JobKind;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, Draft, LeftOut, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::reason::{Reason, ReasonCode};
use crate::engine::drafting::evidence::Gathered;
use crate::engine::drafting::plans::planned;
use crate::engine::drafting::written::Made;
use crate::engine::drafting::{cache, details, nondeterminism, private_functions, through_callers};
use crate::engine::edits::manifest_lookup::{News, Standing};
use crate::engine::models;
use crate::engine::proving;
use crate::engine::proving::basis;
use crate::engine::python::environment::Environment;
use crate::engine::python::{async_style, environment, formatter};
use crate::engine::replay::changes;
use crate::engine::replay::first_replay;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::jobs::Job;
use crate::generate::choose::FEW;

/// Who wants drafts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// What comes by itself: nothing that a person deleted, and nothing that failed verification for the same code.
    ByItself,
    /// A person named the functions: all that can be written is tried again.
    ByName,
}

/// Drafts and proves tests of these functions, or of all that were recorded.
pub async fn draft(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Done, Trouble> {
    done(try_draft(core, functions, Wanted::ByItself).await?)
}

/// As [`draft`] for a person: of functions that they named, also tests that they deleted, and drafts that failed verification.
pub async fn draft_asked(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Done, Trouble> {
    let wanted = if functions.is_empty() { Wanted::ByItself } else { Wanted::ByName };
    done(try_draft(core, functions, wanted).await?)
}

fn done(drafted: Option<Done>) -> Result<Done, Trouble> {
    Ok(drafted.unwrap_or_else(|| Done::Drafted { ready: Vec::new(), refused: Vec::new(), left_out: Vec::new() }))
}

/// As [`draft`]; `None` when it was cancelled before there was any draft.
async fn try_draft(core: &Arc<Core>, functions: Vec<FunctionId>, wanted: Wanted) -> Result<Option<Done>, Trouble> {
    let environment = environment::contained(core).await?;
    if environment.interpreter.pytest.is_none() {
        return Err(environment.interpreter.without_pytest());
    }
    first_replay::calibrate_rest(core).await?;
    of_tried_calls(core, functions, wanted).await
}

/// As [`draft`], of calls that were tried; `None` when it was cancelled before there was any draft.
pub async fn draft_tried(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Option<Done>, Trouble> {
    of_tried_calls(core, functions, Wanted::ByItself).await
}

async fn of_tried_calls(core: &Arc<Core>, functions: Vec<FunctionId>, wanted: Wanted) -> Result<Option<Done>, Trouble> {
    let Some(made) = write(core, functions).await? else { return Ok(None) };
    note_untestable(core, &made)?;
    let code = basis::code_of(core, made.iter().map(|one| one.function.clone()).collect()).await?;
    let mut ids = Vec::new();
    let mut left_out = Vec::new();
    let mut kept = Vec::new();
    let standing = Standing::read(core)?;
    for one in made {
        let others = one.left_out.into_iter().map(|left| (one.function.clone(), left)).collect::<Vec<_>>();
        if let Some(draft) = one.draft {
            let code = code.get(&one.function).copied().unwrap_or_default();
            let calls = draft.calls.len() as u64;
            let is_restored = wanted == Wanted::ByName && standing.has_deleted(&one.function, &draft);
            let news = match is_restored {
                true => News::Draft(Box::new(draft)),
                false => news(core, &standing, &one.function, &draft, code)?,
            };
            let draft = match news {
                News::Draft(draft) => *draft,
                News::Known => continue,
                News::Unwanted(why) => {
                    left_out.extend(others);
                    left_out.push((one.function, LeftOut { calls, reason: why.into() }));
                    continue;
                }
            };
            match enter(core, &one.function, draft, code, wanted, is_restored)? {
                Entered::Kept(id) => kept.push(id),
                Entered::New(id) => ids.push(id),
                // Nothing of it is news: not what was left out of it either.
                Entered::Known => continue,
            }
        }
        left_out.extend(others);
    }
    proving::pipeline::prove(core, ids.clone()).await?;
    let mut ready = Vec::new();
    let mut refused = Vec::new();
    for id in kept.into_iter().chain(ids) {
        match core.proposal(id)?.state {
            ProposalState::Ready => ready.push(id),
            ProposalState::Refused => refused.push(id),
            _ => {}
        }
    }
    Ok(Some(Done::Drafted { ready, refused, left_out }))
}

/// What is left out of the drafts of a function, and whether there is a draft.
pub type LeftOutOf = (FunctionId, bool, Vec<LeftOut>);

/// Gives what drafts of recorded functions leave out: of those that have any calls, as if all were drafted.
pub async fn left_out(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Vec<LeftOutOf>, Trouble> {
    first_replay::calibrate_rest(core).await?;
    let made = write(core, Vec::new()).await?.unwrap_or_default();
    let wanted = made.into_iter().filter(|one| functions.contains(&one.function));
    Ok(wanted.map(|one| (one.function, one.draft.is_some(), one.left_out)).collect())
}

/// Tells what of a draft is news, by the manifest of the accepted tests.
fn news(core: &Core, standing: &Standing, function: &FunctionId, draft: &Draft, code: Digest) -> Result<News, Trouble> {
    let inputs: Vec<Digest> = core.store().calls(&draft.calls)?.into_iter().map(|call| call.input).collect();
    Ok(standing.news(function, draft, code, &inputs))
}

enum Entered {
    /// It is what was there already, waiting.
    Kept(ProposalId),
    /// It has to be proved.
    New(ProposalId),
    /// It was accepted or rejected before, word for word.
    Known,
}

/// Marks the proved drafts whose code is another today than when they were proved: edits nobody watched.
pub async fn mark_outdated(core: &Arc<Core>) -> Result<(), Trouble> {
    let ready: Vec<Arc<Proposal>> = {
        let state = core.state.lock();
        let proved = |proposal: &&Arc<Proposal>| proposal.state == ProposalState::Ready && proposal.draft().is_some();
        state.proposals.values().filter(proved).cloned().collect()
    };
    let code = basis::code_of(core, ready.iter().filter_map(|proposal| proposal.function().cloned()).collect()).await?;
    for proposal in ready {
        let today = proposal.function().and_then(|id| code.get(id)).copied().unwrap_or_default();
        if models::outdated::is_outdated(core, &proposal) {
            models::outdated::set_aside(core, proposal.id)?;
        } else if proposal.basis != basis::rests_on(today, &proposal) {
            basis::make_stale(core, proposal.id, |standing| standing.state == ProposalState::Ready)?;
        }
    }
    Ok(())
}

/// Lists the drafts that an earlier session left stale, and those by rules that it did not come to the end of.
pub fn unfinished(core: &Core) -> Vec<ProposalId> {
    let state = core.state.lock();
    let waits = |proposal: &&Arc<Proposal>| match (&proposal.body, proposal.state) {
        (Body::Draft(_), ProposalState::Stale) => true,
        (Body::Draft(draft), ProposalState::Failed) => draft.origin == Origin::Recording && proposal.edited.is_none(),
        _ => false,
    };
    state.proposals.values().filter(waits).map(|proposal| proposal.id).collect()
}

/// Puts a draft where the function's earlier one was, or makes a new proposal.
fn enter(
    core: &Arc<Core>,
    function: &FunctionId,
    draft: Draft,
    code: Digest,
    wanted: Wanted,
    is_restored: bool,
) -> Result<Entered, Trouble> {
    let draft = Draft { drafted: Some(hash::of(draft.standalone().as_bytes())), ..draft };
    let of_function = core.store().proposals_of(function)?;
    let from_rules = |proposal: &&Proposal| proposal.draft().is_some_and(|draft| draft.origin == Origin::Recording);
    let latest = of_function.iter().rev().filter(from_rules).find(|proposal| proposal.state != ProposalState::Failed);
    if let Some(old) = latest.filter(|old| basis::is_text_of(old, &draft)) {
        match old.state {
            ProposalState::Written if !is_restored => return Ok(Entered::Known),
            // The same text with the same code fails the same way, once it ran.
            ProposalState::Refused
                if wanted == Wanted::ByItself && old.basis == basis::rests_on(code, old) && !is_uncollected(old) =>
            {
                return Ok(Entered::Kept(old.id));
            }
            // What was not wanted of other code may be wanted of this.
            ProposalState::Rejected if old.basis == basis::rests_on(code, old) => return Ok(Entered::Known),
            ProposalState::Ready if old.basis == basis::rests_on(code, old) => return Ok(Entered::Kept(old.id)),
            // A person's text is proved anew, not replaced.
            ProposalState::Ready | ProposalState::Stale if old.edited.is_some() => {
                core.move_proposal(old.id, ProposalState::Queued, |_| {})?;
                return Ok(Entered::New(old.id));
            }
            _ => {}
        }
    }
    let open = of_function.iter().rev().filter(from_rules).find(|old| may_be_renewed(old) || is_at_work(old, &draft, code));
    if let Some(old) = open {
        let id = old.id;
        // Of several workbenches that see one save, the first proves the draft.
        let taken = core.claim(id, move |standing| {
            if is_at_work(standing, &draft, code) || !may_be_renewed(standing) {
                return false;
            }
            standing.state = ProposalState::Queued;
            standing.body = Body::Draft(draft);
            standing.basis = Digest::default();
            standing.evidence.clear();
            standing.proved = None;
            standing.skipped = false;
            true
        })?;
        return Ok(if taken.is_some() { Entered::New(id) } else { Entered::Kept(id) });
    }
    let wanted = draft.clone();
    let proposal = Proposal::queued(function.clone(), Body::Draft(draft), clock::now());
    let by_rules = |other: &Proposal| other.draft().is_some_and(|draft| draft.origin == Origin::Recording);
    let (stands, new) = core.add_unless(proposal, move |other| by_rules(other) && is_at_work(other, &wanted, code))?;
    Ok(if new { Entered::New(stands.id) } else { Entered::Kept(stands.id) })
}

/// Tells whether pytest did not come to run a draft: that may be due to what is installed, or to settings, and not to its text.
fn is_uncollected(old: &Proposal) -> bool {
    old.evidence.iter().any(|line| line.what == EvidenceKind::Collection)
}

/// Tells whether a draft may take the place of this one.
fn may_be_renewed(old: &Proposal) -> bool {
    use ProposalState as S;
    old.edited.is_none() && matches!(old.state, S::Ready | S::Stale | S::Refused | S::Failed | S::Queued)
}

/// Tells whether this very draft is being proved by somebody, or was just now for this code.
fn is_at_work(old: &Proposal, draft: &Draft, code: Digest) -> bool {
    let at_work = match old.state {
        ProposalState::Queued | ProposalState::Proving => true,
        ProposalState::Ready => old.basis == basis::rests_on(code, old),
        _ => false,
    };
    at_work && old.edited.is_none() && basis::is_text_of(old, draft)
}

/// Keeps why functions have no test, for this session and the next.
fn note_untestable(core: &Core, made: &[Made]) -> Result<(), Trouble> {
    let notes: Vec<(FunctionId, Option<Reason>)> = made
        .iter()
        .map(|one| {
            let reason = one.left_out.first().filter(|_| one.draft.is_none());
            (one.function.clone(), reason.map(|left| left.reason.clone()))
        })
        .collect();
    core.store().note_untestable(notes.clone())?;
    let mut state = core.state.lock();
    for (function, reason) in notes {
        match reason {
            Some(reason) => state.untestable.insert(function, reason),
            None => state.untestable.remove(&function),
        };
    }
    Ok(())
}

/// Writes drafts, checks that their values come out as recorded, and gives them unproved; `None` when it was cancelled.
async fn write(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Option<Vec<Made>>, Trouble> {
    let environment = environment::contained(core).await?;
    let key = cache::key(core, &environment, &functions).await?;
    if let Some(made) = cache::read(core, key)? {
        return Ok(Some(made));
    }
    let job = core.jobs.begin(JobKind::Draft, JobSubject::RecordedCalls, 0);
    core.touch();
    let made = job.unless_cancelled(write_all(core, &environment, functions, &job)).await.transpose()?;
    job.end(made.is_some());
    core.touch();
    if let Some(made) = &made {
        cache::keep(core, key, made);
    }
    Ok(made)
}

async fn write_all(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    functions: Vec<FunctionId>,
    job: &Job<'_>,
) -> Result<Vec<Made>, Trouble> {
    let cancel = job.cancel.clone();
    let looked = |done, all| job.progress(done, all);
    let mut gathered = gather(core, environment, functions, &cancel, &looked).await?;
    if gathered.has_coroutines() {
        gathered.set_awaits(async_style::style(core, environment, &cancel).await?);
    }
    let (gathered, plans) = planned(core, environment, gathered, &cancel, &looked).await?;
    let index = core.index();
    let settings = core.settings();
    let most = settings.generation.tests_per_function as usize;
    let stop = cancel.clone();
    let (gathered, plans, mut made) = blocking(move || {
        let made = gathered.drafts(&index, &plans, &settings.output.tests, most, &stop)?;
        Ok::<_, Trouble>((gathered, plans, made))
    })
    .await??;
    private_functions::leave(core, environment, &gathered, &mut made).await?;
    let wanted = through_callers::Wanted::of(core, &gathered, &made).await?;
    if !wanted.is_empty() && !cancel.is_cancelled() {
        let callers = match wanted.callers() {
            Some(callers) => {
                drop(gathered); // it may be large
                let callers = gather(core, environment, callers, &cancel, &|_, _| ()).await?;
                planned(core, environment, callers, &cancel, &|_, _| ()).await?
            }
            None => (gathered, plans),
        };
        made = through_callers::add(core, environment, wanted, callers, made).await?;
    }
    details::look(core, environment, &mut made).await?;
    formatter::format(core, environment, made.iter_mut().filter_map(|one| one.draft.as_mut()).collect()).await?;
    Ok(made)
}

/// Gathers what drafts rest on. `progress` gets the number of calls that were looked at, and of all.
pub async fn gather(
    core: &Arc<Core>,
    environment: &Environment,
    functions: Vec<FunctionId>,
    cancel: &CancellationToken,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Gathered, Trouble> {
    let (worker, stop) = (core.clone(), cancel.clone());
    let mut gathered = blocking(move || Gathered::new(&worker, functions, &stop)).await??;
    let index = core.index();
    nondeterminism::steady(core, environment, &mut gathered).await?;
    let unclear = gathered.unclear(&index, FEW);
    let looks = environment.look(core, &unclear, FEW, progress).await?;
    gathered.look(&index, looks);
    Ok(gathered)
}

/// Works again on drafts whose code changed: those made by rules are written anew, other text is proved again.
pub async fn renew(core: &Arc<Core>, ids: Vec<ProposalId>) {
    if let Err(trouble) = try_renew(core, ids).await {
        core.complain("draft", &trouble);
    }
}

async fn try_renew(core: &Arc<Core>, ids: Vec<ProposalId>) -> Result<(), Trouble> {
    let mut functions = Vec::new();
    let mut written = Vec::new();
    let mut texts = Vec::new();
    for id in ids {
        let proposal = core.proposal(id)?;
        let (Some(function), Some(draft)) = (proposal.function(), proposal.draft()) else { continue };
        use ProposalState as S;
        if !matches!(proposal.state, S::Ready | S::Stale | S::Refused | S::Failed) {
            continue;
        }
        // While a person has not said which outcome is right, nobody can say what its tests should expect.
        if changes::is_disputed(core, function) {
            continue;
        }
        // It would be proved for what nobody promises any more.
        if models::outdated::is_outdated(core, &proposal) {
            models::outdated::set_aside(core, id)?;
            continue;
        }
        if draft.origin == Origin::Recording && proposal.edited.is_none() {
            functions.push(function.clone());
            written.push(id);
        } else {
            // Another workbench may be at it already.
            let taken = core.claim(id, |standing| {
                let waits = matches!(standing.state, S::Ready | S::Stale | S::Refused | S::Failed);
                if waits {
                    standing.state = S::Proving;
                }
                waits
            })?;
            texts.extend(taken.map(|_| id));
        }
    }
    if !functions.is_empty() && try_draft(core, functions, Wanted::ByItself).await?.is_some() {
        for id in written {
            give_up_stale(core, id)?;
        }
    }
    proving::pipeline::prove(core, texts).await
}

/// Ends a draft that nothing took the place of, so that it does not wait for ever.
fn give_up_stale(core: &Arc<Core>, id: ProposalId) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    let why = match proposal.function().and_then(|id| core.function(id)) {
        None => ReasonCode::Removed.of(proposal.subject.short()),
        Some(function) => {
            let reason = core.state.lock().untestable.get(&function.id).cloned();
            reason.unwrap_or_else(|| ReasonCode::NoNewerDraft.into())
        }
    };
    // Another workbench may have taken it on meanwhile.
    core.claim(id, move |standing| {
        let waits = standing.state == ProposalState::Stale;
        if waits {
            standing.state = ProposalState::Failed;
            standing.evidence = vec![Evidence::of(Finding::Error, EvidenceKind::NoDraft, why)];
        }
        waits
    })?;
    Ok(())
}

/// Lists accepted drafts that would be written otherwise today.
pub async fn would_change(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let standing = Standing::read(core)?;
    let functions: Vec<FunctionId> = standing.functions().into_iter().collect();
    let recorded: HashSet<FunctionId> = core.store().functions()?.into_iter().map(|total| total.function).collect();
    // Without a recording there is nothing to draft from, and nothing has to be able to run.
    let functions: Vec<FunctionId> = functions.into_iter().filter(|function| recorded.contains(function)).collect();
    if functions.is_empty() {
        return Ok(Vec::new());
    }
    let code = basis::code_of(core, functions.clone()).await?;
    let mut lines = Vec::new();
    for made in write(core, functions).await?.into_iter().flatten() {
        let Some(draft) = made.draft else { continue };
        let code = code.get(&made.function).copied().unwrap_or_default();
        let News::Draft(draft) = news(core, &standing, &made.function, &draft, code)? else { continue };
        let written = core.store().proposals_of(&made.function)?;
        let written =
            written.iter().rev().find(|proposal| proposal.state == ProposalState::Written && proposal.draft().is_some());
        let same = written.is_some_and(|old| old.edited.is_some() || basis::is_text_of(old, &draft));
        if !same {
            lines.push(format!("{}: {} would be written otherwise today.", draft.target, made.function));
        }
    }
    Ok(lines)
}
