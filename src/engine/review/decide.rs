//! Decisions: what they come to, for proposals, files and baselines. `journal.rs` carries them out, so that a crash loses none;
//! `undo.rs` takes them back.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::decision::{Decision, DecisionId, FileEdit, Verb};
use crate::domain::event::Level;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::journal_entry::{JournalAction, JournalEntry};
use crate::domain::proposal::{Body, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::Topic;
use crate::engine::checks::intents::accept;
use crate::engine::edits;
use crate::engine::edits::draft_text;
use crate::engine::edits::manifest_lookup;
use crate::engine::edits::overlay::Overlay;
use crate::engine::edits::plan::{self, plan};
use crate::engine::replay::compare;
use crate::engine::review;
use crate::engine::review::journal::NotDone;
use crate::engine::review::near;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::known_failures;
use crate::engine::state::proposals::is_ready;
use crate::engine::state::rows;
use crate::engine::state::trust::require_trust;
use crate::engine::{drafting, proving, specs, verdicts};
use crate::store::Turn;

/// Characters of the outcome that a rejected change should have again.
const OLD_MAX: usize = 40;
/// A reason of fewer characters explains nothing.
const REASON_MIN: usize = 10;

/// One decision at a time.
#[derive(Default)]
pub struct Deciding(Arc<tokio::sync::Mutex<()>>);

impl Deciding {
    /// Waits until no other decision is made.
    pub async fn begin(core: &Core) -> OwnedMutexGuard<()> {
        core.part::<Self>().0.clone().lock_owned().await
    }
}

/// What was decided. As long as it is there, nothing else is decided.
pub struct Decided {
    /// The proposals, as they were before.
    pub proposals: Vec<Arc<Proposal>>,
    /// What to say of them.
    pub lines: Vec<String>,
    _one: OwnedMutexGuard<()>,
}

/// Reads what earlier sessions left: open proposals, the undo log, the place of the screen. What a crash left half done
/// is put right: decisions at once, work on drafts when nobody else has the project open, who may be at it. Tells of decisions.
pub fn load(core: &Arc<Core>, alone: bool) -> Result<Vec<Trouble>, Trouble> {
    {
        core.take_in(&[], |store| {
            let mut all = store.open_proposals()?;
            all.extend(
                store
                    .proposals_in(&[ProposalState::Rejected])?
                    .into_iter()
                    .filter(|one| one.change().is_some() || one.near().is_some()),
            );
            Ok(all)
        })?;
        let mut state = core.state.lock();
        state.session = core.store().session()?.map(Arc::new);
        state.recordings = core.store().recordings()?.into_iter().map(crate::engine::recording::run::row).collect();
    }
    let told = review::journal::catch_up(core);
    if alone {
        put_right(core)?;
    }
    core.reload_recorded()?;
    core.reload_undo()?;
    note_red(core);
    Ok(told)
}

fn put_right(core: &Arc<Core>) -> Result<(), Trouble> {
    let broken: Vec<ProposalId> = {
        let state = core.state.lock();
        let unfinished =
            |p: &&Arc<Proposal>| matches!(p.state, ProposalState::Queued | ProposalState::Streaming | ProposalState::Proving);
        state.proposals.values().filter(unfinished).map(|proposal| proposal.id).collect()
    };
    for id in broken {
        // A person's text is proved again, and never asked for anew.
        if core.proposal(id)?.edited.is_some() {
            core.move_proposal(id, ProposalState::Stale, |_| {})?;
            continue;
        }
        core.move_proposal(id, ProposalState::Failed, |proposal| {
            if proposal.draft().is_some_and(|draft| matches!(draft.origin, Origin::Model(_))) {
                proposal.evidence = vec![Evidence::new(Finding::Error, EvidenceKind::Interrupted, "the program ended over it")];
            }
        })?;
    }
    Ok(())
}

/// Decides on proposals: all of them or, when one cannot be, none. Where a person was shown what accepting does (`seen`), it
/// does that or nothing. What follows is `workflow/decided.rs`.
pub async fn decide(
    core: &Arc<Core>,
    ids: Vec<ProposalId>,
    verb: Verb,
    reason: Option<String>,
    seen: Option<Digest>,
) -> Result<Decided, Trouble> {
    require_trust(&core.root, core.trust())?;
    let one = Deciding::begin(core).await;
    if verb == Verb::Overrule && reason.as_deref().map_or(0, |reason| reason.trim().chars().count()) < REASON_MIN {
        return Err(Trouble::usage(format!("Say why, in {REASON_MIN} characters or more.")));
    }
    let proposals: Vec<Arc<Proposal>> = ids.iter().map(|id| core.proposal(*id)).collect::<Result<_, _>>()?;
    verdicts::decide::check(&proposals, verb)?;
    near::check(core, &proposals, verb)?;
    if let (Verb::Keep, [one]) = (verb, proposals.as_slice()) {
        // Boxed, as what follows a rare decision would otherwise be in every future above.
        Box::pin(near::draft(core, one)).await?;
    }
    if let Some(by_agent) = proposals.iter().find(|one| proposals.len() > 1 && verb == Verb::Accept && one.is_by_agent()) {
        let trouble = Trouble::usage(format!("Not accepted: #{} among others.", by_agent.id.0));
        return Err(trouble.because("A coding agent wrote it.").so("Look at it and accept it by itself."));
    }
    if matches!(verb, Verb::Accept | Verb::Edit) {
        for proposal in &proposals {
            compare::confirm(core, proposal).await?;
            let standing = core.proposal(proposal.id)?;
            if proposal.state == ProposalState::Ready && proposal.change().is_some() && standing.basis != proposal.basis {
                let trouble = Trouble::usage(format!("Not accepted: {}.", proposal.subject.short()));
                return Err(trouble.because("Its calls end in yet another way by now.").so("Look at the change that waits now."));
            }
        }
    }
    let worker = core.clone();
    let (proposals, lines) = blocking(move || {
        let turn = review::journal::turn(&worker)?;
        // Another process may have proved another text since it was read here: that is none that a person saw.
        worker.take_in(&ids, |_| Ok(Vec::new()))?;
        let proposals: Vec<Arc<Proposal>> = ids.iter().map(|id| worker.proposal(*id)).collect::<Result<_, _>>()?;
        let lines = match verb {
            Verb::Accept | Verb::Edit => accept(&worker, &turn, &proposals, reason.as_deref(), seen),
            Verb::Reject | Verb::Overrule | Verb::Keep => put_away(&worker, &turn, &proposals, verb, reason.as_deref()),
            Verb::Skip => skip(&worker, &turn, &proposals),
        };
        lines.map(|lines| (proposals, lines))
    })
    .await??;
    after(core)?;
    Ok(Decided { proposals, lines, _one: one })
}

/// Reads again what decisions change.
pub fn after(core: &Arc<Core>) -> Result<(), Trouble> {
    core.reload_counts()?;
    core.reload_undo()?;
    core.touch();
    Ok(())
}

fn accept(
    core: &Arc<Core>,
    turn: &Turn,
    proposals: &[Arc<Proposal>],
    reason: Option<&str>,
    seen: Option<Digest>,
) -> Result<Vec<String>, Trouble> {
    let mut overlay = Overlay::new();
    let by = accept::reviewer(&core.root);
    let (mut decisions, mut lines) = (Vec::new(), Vec::new());
    for proposal in proposals {
        if !is_ready(proposal.state) || rows::blocked(proposal).is_some() {
            return Err(rows::not_ready(proposal));
        }
        let edits = plan(core, proposal, &overlay)?;
        if seen.is_some_and(|seen| seen != proposal.sight(&edits)) {
            let trouble = Trouble::usage(format!("Not accepted: {}.", proposal.subject.short()));
            return Err(trouble.because("It became another while you looked at it.").so("Look at what it is now."));
        }
        for edit in &edits {
            overlay.insert(edit.path.clone(), edit.after.clone());
        }
        lines.push(accepted_line(proposal, &edits));
        let verb = if proposal.edited.is_some() { Verb::Edit } else { Verb::Accept };
        decisions.push(decision(proposal, verb, &by, reason, edits));
    }
    Ok(review::journal::carry_out(core, turn, &made(decisions), |index, _| lines[index].clone())?)
}

/// Makes the journal entry of new decisions. They are undone together, so the last one holds the edits of all.
fn made(mut decisions: Vec<Decision>) -> JournalEntry {
    let edits = merged(decisions.iter().flat_map(|decision| &decision.edits));
    decisions.iter_mut().for_each(|decision| decision.edits.clear());
    if let Some(last) = decisions.last_mut() {
        last.edits.clone_from(&edits);
    }
    JournalEntry::new(JournalAction::Decide, decisions, edits)
}

fn accepted_line(proposal: &Proposal, edits: &[FileEdit]) -> String {
    let name = proposal.subject.short();
    let tests = proposal.draft().map(|draft| &draft.target).or(proposal.spec().map(|spec| &spec.test.path));
    match (&proposal.body, edits.iter().find(|edit| Some(&edit.path) == tests)) {
        (Body::Draft(_) | Body::Spec(_), Some(edit)) => {
            format!("Accepted {name}: {} in {}.", text::count(edit.lines_added(), "line"), edit.path)
        }
        (Body::Draft(draft), None) => format!("Accepted {name}: {} has it already.", draft.target),
        (Body::Spec(spec), None) => format!("Accepted {name}: {} has it already.", spec.test.path),
        (Body::Change(change), _) => {
            format!("Accepted {name}: {} as of today.", text::count(change.calls.len(), "outcome"))
        }
        (Body::Near(near), _) => near::line(near, Verb::Accept),
        (Body::Verdict(_), _) if edits.is_empty() => format!("Accepted FAIL of {name}: the test stays red."),
        (Body::Verdict(_), _) if proposal.edited.is_some() => format!("Accepted {name}: it is decided by these clauses."),
        (Body::Verdict(_), _) => format!("Accepted {name}: what it does now is what it is for."),
    }
}

/// Tells whether a proposal can be rejected.
pub fn may_be_put_away(state: ProposalState) -> bool {
    state != ProposalState::Rejected && state.transition(ProposalState::Rejected).is_ok()
}

fn put_away(
    core: &Arc<Core>,
    turn: &Turn,
    proposals: &[Arc<Proposal>],
    verb: Verb,
    reason: Option<&str>,
) -> Result<Vec<String>, Trouble> {
    if let Some(other) = proposals.iter().find(|proposal| !may_be_put_away(proposal.state)) {
        let why = rows::blocked(other).unwrap_or_else(|| "it was decided already".into());
        return Err(Trouble::usage(format!("Not put away: {}.", other.subject.short())).because(format!("{why}.")));
    }
    let mut rejections = if verb == Verb::Reject { rejections(core, proposals) } else { Vec::new() }.into_iter();
    let mut overruling = if verb == Verb::Overrule { verdicts::decide::overruling(core, proposals, reason)? } else { None };
    let by = accept::reviewer(&core.root);
    let mut decisions = Vec::new();
    for proposal in proposals {
        let mut edits = rejections.next().unwrap_or_default();
        if proposal.verdict().is_some() {
            // One edit for all of them, which goes with the first.
            edits.extend(overruling.take());
        }
        decisions.push(decision(proposal, verb, &by, reason, edits));
    }
    let line = |index: usize, proposal: &Proposal| {
        let said = put_away_line(&proposals[index].body, verb, proposal.subject.short());
        match reason {
            Some(why) => format!("{said} Why: {}", why.trim()),
            None => said,
        }
    };
    match review::journal::carry_out(core, turn, &made(decisions.clone()), line) {
        // A rejection that cannot be shared holds here all the same.
        Err(NotDone::Unwritten(error)) if verb == Verb::Reject => {
            core.complain("manifest", &error.into());
            decisions.iter_mut().for_each(|decision| decision.edits.clear());
            Ok(review::journal::carry_out(core, turn, &made(decisions), line)?)
        }
        done => Ok(done?),
    }
}

fn put_away_line(body: &Body, verb: Verb, name: &str) -> String {
    match (body, verb) {
        (Body::Change(change), Verb::Reject) => {
            let old = change.calls.first().map_or_else(String::new, |call| call.old.outcome.summary(OLD_MAX));
            let does = match (old.strip_prefix("→ "), old.strip_prefix("✗ ")) {
                (Some(gave), _) => format!("gives {gave}"),
                (None, Some(raised)) => format!("raises {raised}"),
                // What an iterator yields says so itself.
                (None, None) => old,
            };
            format!("Kept as it was: {name} stays red until it {does} again.")
        }
        (Body::Near(near), verb) => near::line(near, verb),
        (Body::Verdict(open), Verb::Overrule) => format!("Overruled the verdict on {}.", open.test),
        (Body::Spec(_), _) => format!("Rejected the YAML test {name}."),
        (_, Verb::Overrule) => format!("Noted as a bug: {name}. No test is made of it."),
        _ => format!("Rejected the draft for {name}."),
    }
}

/// Says how the manifest notes which drafts are not wanted, for those who share it: the edits of each. A rejection that
/// cannot be noted there holds here all the same.
fn rejections(core: &Core, proposals: &[Arc<Proposal>]) -> Vec<Vec<FileEdit>> {
    let planned = || {
        let mut overlay = Overlay::new();
        let mut all = Vec::new();
        for proposal in proposals {
            let edit = manifest_lookup::rejection(core, proposal, &overlay)?;
            overlay.extend(edit.iter().map(|edit| (edit.path.clone(), edit.after.clone())));
            all.push(Vec::from_iter(edit));
        }
        Ok(all)
    };
    planned().unwrap_or_else(|trouble: Trouble| {
        core.complain("manifest", &trouble);
        Vec::new()
    })
}

/// Proposals that are accepted one by one only, and why.
pub type LeftAlone = Vec<(ProposalId, Sentence)>;

/// Parts what may be accepted many at once from what a person looks at.
pub fn in_bulk(core: &Core, ids: &[ProposalId]) -> Result<(Vec<ProposalId>, LeftAlone), Trouble> {
    let (mut together, mut alone) = (Vec::new(), Vec::new());
    for id in ids {
        let proposal = core.proposal(*id)?;
        let why = rows::alone(&proposal);
        let by_hand = || Ok::<_, Trouble>(plan::conflict(core, &proposal)?.map(|_| "its test was changed by hand".into()));
        match why.map_or_else(by_hand, |why| Ok(Some(why)))? {
            Some(why) => alone.push((*id, why)),
            None => together.push(*id),
        }
    }
    Ok((together, alone))
}

/// Notes deleted tests in the manifest.
pub fn note_deleted(core: &Core) -> Result<Vec<String>, Trouble> {
    require_trust(&core.root, core.trust())?;
    let (edit, names) = manifest_lookup::deletions(core)?;
    edits::apply::write(core, &Vec::from_iter(edit))?;
    Ok(names)
}

fn skip(core: &Arc<Core>, turn: &Turn, proposals: &[Arc<Proposal>]) -> Result<Vec<String>, Trouble> {
    let by = accept::reviewer(&core.root);
    let decisions = proposals.iter().map(|proposal| decision(proposal, Verb::Skip, &by, None, Vec::new())).collect();
    let line = |_, proposal: &Proposal| format!("Skipped {}: it comes back at the end.", proposal.subject.short());
    Ok(review::journal::carry_out(core, turn, &made(decisions), line)?)
}

/// Makes a decision of this moment.
fn decision(proposal: &Proposal, verb: Verb, by: &str, reason: Option<&str>, edits: Vec<FileEdit>) -> Decision {
    Decision {
        id: DecisionId(0),
        proposal: proposal.id,
        subject: proposal.subject.clone(),
        verb,
        from: proposal.state,
        by: by.to_owned(),
        at: clock::now(),
        reason: reason.map(ToOwned::to_owned),
        basis: basis(proposal),
        edits,
        undone: false,
    }
}

/// Hashes what a decision is about: the text, or the changed outcomes.
pub fn basis(proposal: &Proposal) -> Digest {
    match (&proposal.body, &proposal.edited) {
        (_, Some(text)) => hash::of(text.as_bytes()),
        (Body::Draft(draft), None) => hash::of(draft.standalone().as_bytes()),
        (Body::Change(_) | Body::Near(_) | Body::Verdict(_) | Body::Spec(_), None) => proposal.basis,
    }
}

/// Says what accepting these proposals together would write now: each file once.
pub fn planned(core: &Core, ids: &[ProposalId]) -> Result<Vec<FileEdit>, Trouble> {
    let mut overlay = Overlay::new();
    let mut all = Vec::new();
    for id in ids {
        let edits = plan(core, &*core.proposal(*id)?, &overlay)?;
        overlay.extend(edits.iter().map(|edit| (edit.path.clone(), edit.after.clone())));
        all.extend(edits);
    }
    Ok(merged(all.iter()))
}

/// Joins edits in their order: each file once, from its first state to its last.
pub fn merged<'a>(edits: impl Iterator<Item = &'a FileEdit>) -> Vec<FileEdit> {
    let mut all: Vec<FileEdit> = Vec::new();
    for edit in edits {
        match all.iter_mut().find(|other| other.path == edit.path) {
            Some(other) => other.after.clone_from(&edit.after),
            None => all.push(edit.clone()),
        }
    }
    all.retain(|edit| edit.before != edit.after);
    all
}

/// Takes a person's text in place of the draft's, and proves it.
pub async fn edit(core: &Arc<Core>, id: ProposalId, text: String) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    if let Some(open) = proposal.verdict() {
        return verdicts::decide::choose(core, &proposal, open, text);
    }
    if proposal.spec().is_some() {
        return specs::drafts::check_again(core, id, Some(text)).await;
    }
    if proposal.draft().is_none() {
        return Err(Trouble::usage("Only drafts have a text to edit."));
    }
    if proposal.state == ProposalState::Streaming {
        return Err(Trouble::usage("A model is still writing it.").so("Edit it when it is there."));
    }
    draft_text::parse(&text)?;
    core.move_proposal(id, ProposalState::Proving, move |proposal| proposal.edited = Some(text))?;
    proving::pipeline::prove(core, vec![id]).await
}

/// Compares accepted tests with the manifest and with what would be drafted now, a line for each difference.
pub async fn check_accepted(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let worker = core.clone();
    let mut lines = blocking(move || plan::compare_with_manifest(&worker)).await??;
    lines.extend(drafting::pipeline::would_change(core).await?);
    Ok(lines)
}

/// Notes in the log what is red since an earlier session, which nobody would find there otherwise.
fn note_red(core: &Core) {
    let rows = {
        let state = core.state.lock();
        known_failures::rows(state.proposals.values(), &state.put_away)
    };
    for row in rows {
        let change = row.calls.first().map_or_else(String::new, |call| format!(" {}.", call.change));
        let decided =
            row.decision.as_ref().map_or_else(String::new, |decision| format!(" {}", known_failures::summary(decision)));
        let line = format!("{} stays red:{change}{decided}", row.function.qualname());
        core.log.add(Level::Warning, "opened", &line, Some(Topic::Function(row.function)));
    }
}
