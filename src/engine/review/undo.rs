//! Decisions taken back and made again: one walk over what was decided at once, in either direction. What follows is
//! `workflow/decided.rs`.

use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;

use crate::base::error::Trouble;
use crate::domain::decision::{Decision, FileEdit, Verb};
use crate::domain::journal_entry::{JournalAction, JournalEntry};
use crate::domain::proposal::Proposal;
use crate::engine::edits::support_files;
use crate::engine::review;
use crate::engine::review::decide::Deciding;
use crate::engine::review::journal::NotDone;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::own_decisions;
use crate::engine::state::proposals::is_ready;
use crate::engine::state::rows;
use crate::engine::state::trust::require_trust;
use crate::write::apply::WriteError;

/// What was taken back or decided again. As long as it is there, nothing else is decided.
pub struct Walked {
    /// In which direction.
    pub action: JournalAction,
    /// The decisions, made at once.
    pub group: Vec<Decision>,
    /// What to say of them.
    pub lines: Vec<String>,
    _one: OwnedMutexGuard<()>,
}

/// Takes back the last decision that stands, and those made together with it.
pub async fn undo(core: &Arc<Core>) -> Result<Walked, Trouble> {
    walk(core, JournalAction::Undo).await
}

/// Makes again what was taken back last.
pub async fn redo(core: &Arc<Core>) -> Result<Walked, Trouble> {
    walk(core, JournalAction::Redo).await
}

async fn walk(core: &Arc<Core>, action: JournalAction) -> Result<Walked, Trouble> {
    require_trust(&core.root, core.trust())?;
    let one = Deciding::begin(core).await;
    let worker = core.clone();
    let (group, lines) = blocking(move || {
        let turn = review::journal::turn(&worker)?;
        let group = group(&worker, action)?;
        for decision in &group {
            check(action, &*worker.proposal(decision.proposal)?, decision)?;
        }
        let edits: Vec<FileEdit> = group.iter().flat_map(|decision| edits(action, decision)).collect();
        let edits = support_files::spared(&worker, review::decide::merged(edits.iter()))?;
        let entry = JournalEntry::new(action, group, edits);
        let lines =
            review::journal::carry_out(&worker, &turn, &entry, |_, proposal| line(action, proposal)).map_err(
                |why| match why {
                    NotDone::Unwritten(error) => not_written(action, error),
                    NotDone::Other(trouble) => trouble,
                },
            )?;
        Ok::<_, Trouble>((entry.decisions, lines))
    })
    .await??;
    review::decide::after(core)?;
    Ok(Walked { action, group, lines, _one: one })
}

/// Lists the decisions, made at once, that this action comes to next, in its order.
fn group(core: &Core, action: JournalAction) -> Result<Vec<Decision>, Trouble> {
    let again = action == JournalAction::Redo;
    // What was decided here is taken back before what others decided.
    let own = if again { None } else { own_decisions::last_standing(core)? };
    let store = core.store();
    let next = if again {
        store.last_undone()?.ok_or("Nothing to decide again: nothing was taken back.")
    } else {
        own.or(store.last_standing()?).ok_or("Nothing to take back: no decision stands.")
    }
    .map_err(Trouble::usage)?;
    let mut group: Vec<Decision> = store.decided_at(next.at)?.into_iter().filter(|other| other.undone == again).collect();
    if again {
        group.reverse();
    }
    Ok(group)
}

/// Refuses to decide again what is not what it was; anything may be taken back.
fn check(action: JournalAction, proposal: &Proposal, decision: &Decision) -> Result<(), Trouble> {
    if action == JournalAction::Undo || decision.verb == Verb::Skip {
        return Ok(());
    }
    let possible = match decision.verb {
        Verb::Accept | Verb::Edit if !is_ready(proposal.state) => return Err(rows::not_ready(proposal)),
        Verb::Reject | Verb::Overrule | Verb::Keep => review::decide::may_be_put_away(proposal.state),
        _ => true,
    };
    if possible && decision.basis == review::decide::basis(proposal) {
        return Ok(());
    }
    let name = proposal.subject.short();
    Err(Trouble::usage(format!("Not decided again: what waits for {name} is not what it was.")))
}

fn edits(action: JournalAction, decision: &Decision) -> Vec<FileEdit> {
    match action {
        JournalAction::Undo => decision.edits.iter().rev().map(FileEdit::inverse).collect(),
        JournalAction::Decide | JournalAction::Redo => decision.edits.clone(),
    }
}

fn not_written(action: JournalAction, error: WriteError) -> Trouble {
    match (action, error) {
        (JournalAction::Undo, WriteError::Changed { path }) => {
            Trouble::environment(format!("Not taken back: {path} changed since. Nothing was written."))
        }
        (_, WriteError::Changed { path }) => {
            Trouble::environment(format!("Not decided again: {path} changed since. Nothing was written."))
        }
        (_, error) => error.into(),
    }
}

fn line(action: JournalAction, proposal: &Proposal) -> String {
    let name = proposal.subject.short();
    match action {
        JournalAction::Undo if rows::is_in_queue(proposal) => format!("Taken back: {name} waits again."),
        JournalAction::Undo => format!("Taken back: {name}."),
        JournalAction::Decide | JournalAction::Redo => format!("Decided again: {name}."),
    }
}
