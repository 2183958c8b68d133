//! Decisions from the first step to the last: stored with the files that they write before the first of these changes, and
//! noted as done after. What a killed process left between is finished where files were written, else given up.
//!
//! One process at a time is at it, under a lock that dies with its holder.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::decision::{Decision, FileEdit, Verb};
use crate::domain::event::{Event, Level};
use crate::domain::journal_entry::{JournalAction, JournalEntry, JournalEntryId};
use crate::domain::proposal::{Body, Proposal};
use crate::domain::snapshot::Trust;
use crate::engine::edits;
use crate::engine::index::files;
use crate::engine::review::effects;
use crate::engine::review::near;
use crate::engine::state::core::Core;
use crate::engine::state::own_decisions;
use crate::store::{StoreError, Turn};
use crate::write::apply::{self, WriteError};

/// Why a journal entry was not carried out.
pub enum NotDone {
    /// Its files could not be written; all is as before.
    Unwritten(WriteError),
    /// Anything else.
    Other(Trouble),
}

impl From<NotDone> for Trouble {
    fn from(why: NotDone) -> Self {
        match why {
            NotDone::Unwritten(error) => error.into(),
            NotDone::Other(trouble) => trouble,
        }
    }
}

/// Waits until no other process decides, and puts right what a dead one left.
///
/// # Errors
/// Fails when another process does not come to an end.
pub fn turn(core: &Arc<Core>) -> Result<Turn, Trouble> {
    let turn = core.store().turn().map_err(|error| match error {
        StoreError::Busy => Trouble::environment("Nothing was decided: another pytead-tui is at a decision.")
            .because("It does not come to an end.")
            .so("End it, then decide again; what it was at is put right then."),
        error => error.into(),
    })?;
    put_right(core).iter().for_each(|told| core.complain("decided", told));
    Ok(turn)
}

/// Puts right what a dead process left, unless a living one decides now: then it was done a moment ago. Tells what it did.
pub fn catch_up(core: &Arc<Core>) -> Vec<Trouble> {
    match core.store().turn_if_free() {
        Ok(Some(_turn)) => put_right(core),
        Ok(None) | Err(_) => Vec::new(),
    }
}

/// Carries out a journal entry; gives a line for each of its decisions, made from its place and the proposal as it is then.
///
/// # Errors
/// Fails, with everything as it was, when another process decided a proposal first or the files cannot be written. Where the last step
/// cannot be stored the files stay, and that step is made later.
pub fn carry_out(
    core: &Arc<Core>,
    _turn: &Turn,
    entry: &JournalEntry,
    line: impl Fn(usize, &Proposal) -> String,
) -> Result<Vec<String>, NotDone> {
    let mut id = JournalEntryId(0);
    let begun = core.steps(|store| {
        let (number, moved) = store.begin(entry)?;
        id = number;
        Ok(moved)
    });
    begun.map_err(|trouble| NotDone::Other(decided_by_other(core, entry, trouble)))?;
    if let Err(error) = edits::apply::write(core, &entry.edits) {
        if let Err(trouble) = core.steps(|store| store.give_up(id)) {
            core.complain("decided", &trouble);
        }
        return Err(NotDone::Unwritten(error));
    }
    finish(core, id, entry, line).map_err(|trouble| {
        let so = "Nothing is lost: it is noted with your next decision, or when pytead-tui starts again.";
        NotDone::Other(Trouble::environment(format!("{} But that is not noted yet.", done(entry))).because(trouble.what).so(so))
    })
}

fn done(entry: &JournalEntry) -> &'static str {
    if entry.edits.is_empty() { "It is decided." } else { "It is decided and the files are written." }
}

/// Reports that another process decided first, if that is why a journal entry could not begin. Its decision shows from now on.
fn decided_by_other(core: &Core, entry: &JournalEntry, trouble: Trouble) -> Trouble {
    for decision in &entry.decisions {
        let seen = if entry.action == JournalAction::Decide { decision.from } else { continue };
        if let Ok(Some(now)) = core.store().proposal(decision.proposal)
            && now.state != seen
        {
            let said = Trouble::usage(format!("Not decided: {}.", now.subject.short()));
            let taken = core.take_in(&[], |_| Ok(vec![now]));
            core.touch();
            return if taken.is_err() { trouble } else { said.because("Another window or process decided it first.") };
        }
    }
    trouble
}

/// Makes the last step of a journal entry whose files are written.
fn finish(
    core: &Arc<Core>,
    id: JournalEntryId,
    entry: &JournalEntry,
    line: impl Fn(usize, &Proposal) -> String,
) -> Result<Vec<String>, Trouble> {
    // Each of these may be made twice: a crash may come after any of them.
    for decision in &entry.decisions {
        follow(core, entry.action, decision)?;
    }
    let back = entry.action == JournalAction::Undo;
    let after = core.steps(|store| {
        let after = store.finish(id)?;
        // Whoever sees what was decided can take it back.
        let mut state = core.state.lock();
        if back {
            state.can_redo = true
        } else {
            state.can_undo = true;
            state.undo_of_another = None;
        }
        drop(state);
        if !back {
            own_decisions::note(core, &entry.decisions);
        }
        Ok(after)
    })?;
    let mut lines = Vec::new();
    for (index, (decision, proposal)) in entry.decisions.iter().zip(after).enumerate() {
        let line = line(index, &proposal);
        effects::count(core, decision.verb, if back { -1 } else { 1 });
        core.log.add(Level::Done, if back { "undone" } else { "decided" }, &line, Some((&proposal.subject).into()));
        let (proposal, subject) = (proposal.id, proposal.subject.clone());
        core.announce(if back {
            Event::Undone { proposal, subject, line: line.as_str().into() }
        } else {
            let again = entry.action == JournalAction::Redo;
            Event::Decided { proposal, subject, verb: decision.verb, line: line.as_str().into(), again }
        });
        lines.push(line);
    }
    Ok(lines)
}

/// Lets baselines, notes, marks and the list of tests follow a decision.
fn follow(core: &Core, action: JournalAction, decision: &Decision) -> Result<(), Trouble> {
    let stands = action != JournalAction::Undo;
    let proposal = core.proposal(decision.proposal)?;
    match (&proposal.body, decision.verb) {
        (_, Verb::Skip) => Ok(()),
        (Body::Change(change), Verb::Accept | Verb::Edit) => {
            effects::take_baseline(core, change, |call| if stands { &call.new } else { &call.old })
        }
        (Body::Near(near), Verb::Keep) => near::follow(core, near, stands),
        (Body::Near(_), _) | (_, Verb::Reject | Verb::Keep) => Ok(()),
        (_, Verb::Overrule) if stands => effects::overrule(core, &proposal, decision.at, decision.reason.as_deref()),
        (_, Verb::Overrule) => {
            for (call, outcome) in effects::outcomes_of(core, &proposal)? {
                core.store().withdraw_note(call, outcome)?;
            }
            Ok(())
        }
        (_, Verb::Accept | Verb::Edit) if stands => effects::remember_tests(core, &proposal),
        (_, Verb::Accept | Verb::Edit) => effects::forget_tests(core, &proposal),
    }
}

/// Finishes or gives up every entry that is not done, and tells of each. Only for whoever has the turn: no living process is at
/// one then.
fn put_right(core: &Arc<Core>) -> Vec<Trouble> {
    if core.trust() != Trust::Trusted {
        return Vec::new();
    }
    // Docstring examples are written without a journal entry: what to take back of them is noted before.
    if let Ok(documented) = core.store().documented() {
        apply::sweep(&core.root, documented.iter().map(|edit| &edit.path));
    }
    match core.store().unfinished() {
        Ok(left) => left.iter().map(|(id, entry)| put_one_right(core, *id, entry).unwrap_or_else(|trouble| trouble)).collect(),
        Err(error) => vec![error.into()],
    }
}

fn put_one_right(core: &Arc<Core>, id: JournalEntryId, entry: &JournalEntry) -> Result<Trouble, Trouble> {
    let stands = |edit: &FileEdit, text: &Option<String>| files::read(&core.root, &edit.path).is_ok_and(|now| now == *text);
    apply::sweep(&core.root, entry.edits.iter().map(|edit| &edit.path));
    if !entry.edits.is_empty() && !entry.edits.iter().any(|edit| stands(edit, &edit.after)) {
        for decision in entry.decisions.iter().filter(|_| entry.action != JournalAction::Undo) {
            follow(core, JournalAction::Undo, decision)?;
        }
        core.steps(|store| store.give_up(id))?;
        let told = Trouble::environment(format!("A decision was cut off before it wrote anything: {}.", names(core, entry)));
        return Ok(told.because("The program was ended in the middle of it.").so("Decide again."));
    }
    // A file that is neither as before nor as after was changed by a person since, and stays so.
    let rest: Vec<FileEdit> = entry.edits.iter().filter(|edit| stands(edit, &edit.before)).cloned().collect();
    edits::apply::write(core, &rest)?;
    finish(core, id, entry, |_, proposal| {
        let done = if entry.action == JournalAction::Undo { "Taken back" } else { "Decided" };
        format!("{done}: {}.", proposal.subject.short())
    })?;
    let told = Trouble::environment(format!("A decision was cut off and is finished now: {}.", names(core, entry)));
    Ok(told.because("The program was ended in the middle of it.").so("u takes it back, or pytead-tui review --undo."))
}

fn names(core: &Core, entry: &JournalEntry) -> String {
    let first = entry.decisions.first().and_then(|decision| core.proposal(decision.proposal).ok());
    let first = first.map_or_else(String::new, |proposal| proposal.subject.short().to_owned());
    match entry.decisions.len() {
        0 | 1 => first,
        more => format!("{first} and {}", text::count(more - 1, "other")),
    }
}
