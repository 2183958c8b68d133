//! What follows a decision or its undo: tests are judged again, drafts are verified or made, calls are replayed. The workbench does it
//! in the background. A command waits, and says the result.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::domain::decision::{Decision, Verb};
use crate::domain::function::FunctionId;
use crate::domain::journal_entry::JournalAction;
use crate::domain::proposal::{Proposal, ProposalId};
use crate::engine::replay::behaviour;
use crate::engine::review::decide::Decided;
use crate::engine::review::near;
use crate::engine::review::undo::{self, Walked};
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::rows;
use crate::engine::{drafting, proving, review, verdicts};

/// Accepts a proposal as a person was shown it.
pub async fn accept_seen(core: &Arc<Core>, id: ProposalId, seen: Digest) -> Result<Vec<String>, Trouble> {
    decide(core, vec![id], Verb::Accept, None, Some(seen)).await
}

/// Decides on proposals, as [`review::decide::decide`] does, and begins with what follows.
pub async fn decide(
    core: &Arc<Core>,
    ids: Vec<ProposalId>,
    verb: Verb,
    reason: Option<String>,
    seen: Option<Digest>,
) -> Result<Vec<String>, Trouble> {
    let mut decided = review::decide::decide(core, ids, verb, reason, seen).await?;
    if matches!(verb, Verb::Accept | Verb::Edit | Verb::Overrule) {
        judge_anew(core, &decided.proposals, verb);
    }
    if verb == Verb::Keep {
        // Boxed, as what follows a rare decision would otherwise be in every future above.
        let lines = Box::pin(verify(core, &decided.proposals)).await?;
        decided.lines.extend(lines);
    }
    let changes = decided.proposals.iter().filter(|proposal| proposal.change().is_some());
    let changed: Vec<FunctionId> = changes.filter_map(|proposal| proposal.function().cloned()).collect();
    if verb == Verb::Accept && !changed.is_empty() {
        let lines = draft_anew(core, changed).await?;
        decided.lines.extend(lines);
    }
    let Decided { lines, .. } = decided;
    Ok(lines)
}

/// Takes back the last decision that stands, and begins with what follows.
pub async fn undo(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let walked = undo::undo(core).await?;
    look_again(core, &walked);
    Ok(walked.lines)
}

/// Makes again what was taken back last, and begins with what follows.
pub async fn redo(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    let walked = undo::redo(core).await?;
    look_again(core, &walked);
    Ok(walked.lines)
}

/// The tests of these functions expect what nobody wants any more: they are drafted and verified again, in the
/// workbench in the background.
async fn draft_anew(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Vec<String>, Trouble> {
    if core.watcher.lock().is_none() {
        let done = drafting::pipeline::draft(core, functions).await?;
        let Done::Drafted { ready, .. } = done else { return Ok(Vec::new()) };
        let waiting = ready.iter().filter_map(|id| core.proposal(*id).ok());
        return Ok(waiting.map(|draft| format!("A new draft waits for {}.", draft.subject.short())).collect());
    }
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(trouble) = drafting::pipeline::draft(&core, functions).await {
            core.complain("draft", &trouble);
        }
    });
    Ok(Vec::new())
}

/// What decides these tests is another thing from now on: they run once more, in the workbench while the person goes on.
fn judge_anew(core: &Arc<Core>, proposals: &[Arc<Proposal>], verb: Verb) {
    let tests = verdicts::decide::decided_otherwise(proposals, verb);
    if tests.is_empty() || core.watcher.lock().is_none() {
        return;
    }
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(trouble) = verdicts::rerun::judge(&core, tests).await {
            core.complain("judged", &trouble);
        }
    });
}

/// Verifies the drafts of what was kept; in the workbench while the person goes on. Gives what to say of them.
async fn verify(core: &Arc<Core>, proposals: &[Arc<Proposal>]) -> Result<Vec<String>, Trouble> {
    let current = proposals.iter().filter_map(|one| core.proposal(one.id).ok());
    let tests: Vec<ProposalId> = current.filter_map(|one| one.near()?.test).collect();
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    if core.watcher.lock().is_some() {
        let core = core.clone();
        tokio::spawn(async move {
            if let Err(trouble) = proving::pipeline::prove(&core, tests).await {
                core.complain("prove", &trouble);
            }
        });
        return Ok(Vec::new());
    }
    proving::pipeline::prove(core, tests.clone()).await?;
    let drafts = tests.iter().filter_map(|id| core.proposal(*id).ok());
    Ok(drafts.map(|draft| said(&draft)).collect())
}

fn said(draft: &Proposal) -> String {
    match rows::blocked(draft) {
        None => format!("The test waits: review --accept {}.", draft.id.0),
        Some(why) => {
            format!("The test #{} waits until the code gives the old outcome again: {}.", draft.id.0, why.without_stop())
        }
    }
}

/// A baseline that was put back may say something else of today's code: the workbench looks at once, a verb of the
/// command line when it replays next. Verdicts are as they were before.
fn look_again(core: &Arc<Core>, walked: &Walked) {
    let Walked { action, group, .. } = walked;
    for verb in [Verb::Accept, Verb::Edit, Verb::Overrule] {
        let decided = group.iter().filter(|decision| decision.verb == verb);
        let decided: Vec<_> = decided.filter_map(|decision| core.proposal(decision.proposal).ok()).collect();
        if *action == JournalAction::Undo {
            verdicts::decide::put_back(core, &decided);
        }
        judge_anew(core, &decided, verb);
    }
    let kept = near::kept_again(core, *action, group);
    if !kept.is_empty() {
        let core = core.clone();
        tokio::spawn(async move {
            if let Err(trouble) = verify(&core, &kept).await {
                core.complain("prove", &trouble);
            }
        });
    }
    let about_change = |decision: &&Decision| core.proposal(decision.proposal).is_ok_and(|proposal| proposal.change().is_some());
    let functions: Vec<FunctionId> =
        group.iter().filter(about_change).filter_map(|decision| decision.subject.function().cloned()).collect();
    if functions.is_empty() || core.watcher.lock().is_none() {
        return;
    }
    let core = core.clone();
    tokio::spawn(async move {
        if let Err(trouble) = behaviour::replay(&core, functions).await {
            core.complain("replay", &trouble);
        }
    });
}
