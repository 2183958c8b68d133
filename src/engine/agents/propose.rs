//! What a coding agent may do to the queue: put a test before a person, and say something about a change. It decides
//! nothing, and what it writes is proved as foreign text.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::text;
use crate::domain::event::Level;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::agent_name;
use crate::domain::proposal::{Body, Draft, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::Topic;
use crate::engine::proving;
use crate::engine::replay::first_replay;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::trust::require_trust;
use crate::generate::{from_model, render};

/// Characters of a note.
const NOTE_MAX: usize = 1_000;
/// Bytes of a proposed test file.
const TEXT_MAX: usize = 64 << 10;

/// Proves a test that an agent wrote and puts it before a person. An open one of that agent for the function is replaced.
pub async fn propose(
    core: &Arc<Core>,
    function: FunctionId,
    text: &str,
    remark: Option<String>,
    by: String,
) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    let refused = |why: String| Trouble::usage("Not proposed.").because(why);
    if text.len() > TEXT_MAX {
        return Err(refused(format!("The text has more than {}.", text::bytes(TEXT_MAX as u64))));
    }
    // What contradicts a recorded call is known of calls that repeat.
    first_replay::calibrate_rest(core).await?;
    let index = core.index();
    let target = core.function(&function).ok_or_else(|| Trouble::usage(format!("No function {function}.")))?;
    let module = index.module(&target.path).ok_or_else(|| Trouble::environment(format!("{} cannot be read.", target.path)))?;
    let path = render::target(&core.settings().output.tests, function.module())
        .ok_or_else(|| Trouble::usage("output.tests is no folder of the project.").so("Name a folder below the root."))?;
    let origin = Origin::of_agent(&by);
    let remark = remark.map(|remark| text::cut(&text::display_line(&remark), NOTE_MAX).into_owned());
    let draft = from_model::draft(text, origin.clone(), &target, module, &path, remark.as_deref())
        .map_err(|reason| refused(reason.to_string()))?;
    let id = match earlier(core, &function, &draft)? {
        Earlier::Same(id) => return Ok(Done::Proposal(id)),
        Earlier::Rejected(id) => return Err(refused(format!("A person rejected this very text: #{}.", id.0))),
        Earlier::Open(id) => replace(core, id, draft)?,
        Earlier::None => add(core, &function, draft)?,
    };
    core.log.add(
        Level::Info,
        "proposed",
        format!("a test for {} by {}", function.qualname(), agent_name(&by)),
        Some(Topic::Function(function.clone())),
    );
    proving::pipeline::prove(core, vec![id]).await?;
    Ok(Done::Proposal(id))
}

/// Keeps what an agent says about a change that waits, in place of what one said before.
pub fn explain(core: &Arc<Core>, id: ProposalId, note: &str, by: &str) -> Result<(), Trouble> {
    require_trust(&core.root, core.trust())?;
    let proposal = core.proposal(id)?;
    let waits = matches!(proposal.state, ProposalState::Ready | ProposalState::Rejected);
    if proposal.change().is_none() || !waits {
        return Err(Trouble::usage(format!("#{} is no change that waits.", id.0)).so("list_changes shows those that do."));
    }
    let note = text::display_line(note.trim()).into_owned();
    if note.is_empty() {
        return Err(Trouble::usage("The note is empty.").so("Say in a sentence why the change is meant."));
    }
    let line = format!("{} ({})", text::cut(&note, NOTE_MAX), agent_name(by));
    core.change_proposal(id, move |standing| {
        standing.evidence.retain(|line| line.what != EvidenceKind::AgentSays);
        standing.evidence.push(Evidence::new(Finding::Note, EvidenceKind::AgentSays, line));
    })?;
    Ok(())
}

/// What an agent wrote for a function before.
enum Earlier {
    None,
    /// The same text, proved and waiting.
    Same(ProposalId),
    /// The same text, put away by a person.
    Rejected(ProposalId),
    /// Another text, which nobody decided on or edited.
    Open(ProposalId),
}

fn earlier(core: &Core, function: &FunctionId, draft: &Draft) -> Result<Earlier, Trouble> {
    let all = core.store().proposals_of(function)?;
    let by_agent = |proposal: &&Proposal| proposal.draft().is_some_and(|old| matches!(old.origin, Origin::Agent(_)));
    for old in all.iter().rev().filter(by_agent) {
        let same = old.draft().is_some_and(|other| other.standalone() == draft.standalone());
        let found = match old.state {
            ProposalState::Rejected if same => Earlier::Rejected(old.id),
            ProposalState::Ready if same && old.edited.is_none() => Earlier::Same(old.id),
            ProposalState::Ready | ProposalState::Refused | ProposalState::Failed | ProposalState::Stale
                if old.edited.is_none() && old.draft().is_some_and(|other| other.origin == draft.origin) =>
            {
                Earlier::Open(old.id)
            }
            _ => continue,
        };
        return Ok(found);
    }
    Ok(Earlier::None)
}

fn replace(core: &Core, id: ProposalId, draft: Draft) -> Result<ProposalId, Trouble> {
    core.move_proposal(id, ProposalState::Queued, move |proposal| {
        proposal.body = Body::Draft(draft);
        proposal.basis = Digest::default();
        proposal.evidence.clear();
        proposal.proved = None;
        proposal.skipped = false;
    })?;
    Ok(id)
}

fn add(core: &Core, function: &FunctionId, draft: Draft) -> Result<ProposalId, Trouble> {
    let proposal = core.add_proposal(Proposal::queued(function.clone(), Body::Draft(draft), clock::now()))?;
    Ok(proposal.id)
}
