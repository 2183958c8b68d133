//! Decisions taken back and made again: one walk over what was decided at once, in either direction.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::decision::{Decision, FileEdit, Verb};
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, Proposal, ProposalState};
use crate::engine::core::Core;
use crate::engine::{behaviour, beside_tests, is_ready, require_trust, review, rows};
use crate::store::Store;
use crate::write::apply::WriteError;

/// Decisions looked at for the group that was made at once.
const GROUP_MAX: usize = 2_000;

/// Where the walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// The last decisions that stand are taken back, the newest first.
    Back,
    /// What was taken back last is decided again, the oldest first.
    Again,
}

/// Takes back the last decision that stands, and those made together with it.
pub async fn undo(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    walk(core, Direction::Back).await
}

/// Makes again what was taken back last.
pub async fn redo(core: &Arc<Core>) -> Result<Vec<String>, Trouble> {
    walk(core, Direction::Again).await
}

async fn walk(core: &Arc<Core>, direction: Direction) -> Result<Vec<String>, Trouble> {
    require_trust(&core.root, core.trust())?;
    let _one = core.deciding.lock().await;
    let worker = core.clone();
    let (group, lines) = super::blocking(move || {
        let group = direction.group(&worker.store())?;
        for decision in &group {
            direction.check(&*worker.proposal(decision.proposal)?, decision)?;
        }
        let edits: Vec<FileEdit> = group.iter().flat_map(|decision| direction.edits(decision)).collect();
        let edits = beside_tests::spared(&worker, review::merged(edits.iter()))?;
        review::write(&worker, &edits).map_err(|error| direction.not_written(error))?;
        let lines = group.iter().map(|decision| step(&worker, decision, direction)).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, Trouble>((group, lines))
    })
    .await??;
    review::after(core)?;
    look_again(core, &group);
    Ok(lines)
}

impl Direction {
    /// Gives the decisions made at once that are next in this direction, in its order.
    fn group(self, store: &Store) -> Result<Vec<Decision>, Trouble> {
        let next = match self {
            Self::Back => store.last_standing()?.ok_or("Nothing to take back: no decision was made yet."),
            Self::Again => store.last_undone()?.ok_or("Nothing to decide again: nothing was taken back."),
        }
        .map_err(Trouble::usage)?;
        let together = |other: &Decision| other.at == next.at && other.undone == (self == Self::Again);
        let mut group: Vec<Decision> = store.decisions(GROUP_MAX)?.into_iter().filter(together).collect();
        if self == Self::Again {
            group.reverse();
        }
        Ok(group)
    }

    /// Refuses to decide again what is not what it was; anything may be taken back.
    fn check(self, proposal: &Proposal, decision: &Decision) -> Result<(), Trouble> {
        if self == Self::Back || decision.verb == Verb::Skip {
            return Ok(());
        }
        let possible = match decision.verb {
            Verb::Accept | Verb::Edit if !is_ready(proposal.state) => return Err(review::not_ready(proposal)),
            Verb::Reject | Verb::Overrule => review::may_be_put_away(proposal.state),
            _ => true,
        };
        if possible && decision.basis == review::basis(proposal) {
            return Ok(());
        }
        let name = proposal.function.qualname();
        Err(Trouble::usage(format!("Not decided again: what waits for {name} is not what it was.")))
    }

    fn edits(self, decision: &Decision) -> Vec<FileEdit> {
        match self {
            Self::Back => decision.edits.iter().rev().map(FileEdit::inverse).collect(),
            Self::Again => decision.edits.clone(),
        }
    }

    fn not_written(self, error: WriteError) -> Trouble {
        match (self, error) {
            (Self::Back, WriteError::Changed { path }) => {
                Trouble::environment(format!("Not taken back: {path} changed since. Nothing was written."))
            }
            (Self::Again, WriteError::Changed { path }) => {
                Trouble::environment(format!("Not decided again: {path} changed since. Nothing was written."))
            }
            (_, error) => error.into(),
        }
    }
}

/// Walks over one decision: baselines, notes, marks and tests follow the files.
fn step(core: &Arc<Core>, decision: &Decision, direction: Direction) -> Result<String, Trouble> {
    let again = direction == Direction::Again;
    let proposal = core.proposal(decision.proposal)?;
    let (verb, from) = (decision.verb, decision.from);
    let accepts = matches!(verb, Verb::Accept | Verb::Edit);
    match (&proposal.body, verb) {
        (Body::Change(change), Verb::Accept | Verb::Edit) => {
            review::take_baseline(core, change, |call| if again { &call.new } else { &call.old })?;
        }
        (Body::Change(_), Verb::Reject) => review::mark_red(core, &proposal.function, again),
        (_, Verb::Overrule) if again => review::overrule(core, &proposal, decision.at, decision.reason.as_deref())?,
        (_, Verb::Overrule) => {
            for (call, outcome) in review::outcomes_of(core, &proposal)? {
                core.store().withdraw_note(call, outcome)?;
            }
        }
        _ => {}
    }
    if again && accepts {
        core.move_proposal(decision.proposal, ProposalState::Accepted, |_| {})?;
    }
    let moved = move |proposal: &mut Proposal| {
        if again {
            review::moved_by(verb, proposal);
        } else if verb == Verb::Skip {
            proposal.skipped = false;
        } else if matches!(proposal.state, ProposalState::Written | ProposalState::Rejected) {
            // A change that is gone since stays gone.
            let unfinished = matches!(from, ProposalState::Accepted | ProposalState::Edited);
            proposal.state = if unfinished { ProposalState::Ready } else { from };
        }
    };
    let after = core.step(|store| {
        let marked = store.mark_decision(decision.id, !again, moved)?.1;
        let mut state = core.state.lock();
        if again {
            state.can_undo = true
        } else {
            state.can_redo = true
        }
        Ok(marked)
    })?;
    if accepts {
        if again { review::remember_tests(core, &after)? } else { forget_tests(core, &after)? }
    }
    review::count(core, verb, if again { 1 } else { -1 });
    let (proposal, function, name) = (after.id, after.function.clone(), after.function.qualname());
    let line = match direction {
        Direction::Again => format!("Decided again: {name}."),
        Direction::Back if rows::is_in_queue(&after) => format!("Taken back: {name} waits again."),
        Direction::Back => format!("Taken back: {name}."),
    };
    core.log.add(Level::Done, if again { "decided" } else { "undone" }, &line);
    core.announce(match direction {
        Direction::Back => Event::Undone { proposal, function, line: line.clone() },
        Direction::Again => Event::Decided { proposal, function, verb, line: line.clone() },
    });
    Ok(line)
}

/// After undoing, the function has the tests it had before, if it had any.
fn forget_tests(core: &Core, proposal: &Proposal) -> Result<(), Trouble> {
    let Some(draft) = proposal.draft() else { return Ok(()) };
    core.store().remove_accepted(&proposal.function, &draft.target)?;
    let older = core.store().proposals_of(&proposal.function)?;
    let older = older.iter().rev().find(|other| {
        other.id != proposal.id
            && other.state == ProposalState::Written
            && other.draft().is_some_and(|d| d.target == draft.target)
    });
    older.map_or(Ok(()), |older| review::remember_tests(core, older))
}

/// A baseline that was put back may say something else of today's code: the workbench looks at once, a verb of the
/// command line when it replays next.
fn look_again(core: &Arc<Core>, group: &[Decision]) {
    let about_change = |decision: &&Decision| core.proposal(decision.proposal).is_ok_and(|proposal| proposal.change().is_some());
    let functions: Vec<FunctionId> = group.iter().filter(about_change).map(|decision| decision.function.clone()).collect();
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
