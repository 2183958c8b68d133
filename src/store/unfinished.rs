//! Journal entries that are not done yet: stored before their first file is written, gone with their last step.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{json, to_json};
use super::schema::Place;
use super::{decisions, open, proposals};
use crate::domain::journal_entry::{JournalAction, JournalEntry, JournalEntryId};
use crate::domain::proposal::{IllegalMove, Proposal};

/// How long a process waits for another one that carries out a journal entry, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to carry out journal entries. One process at a time has it, and the system takes it from a process that dies. An
/// entry that is found under it therefore has no owner.
pub struct Turn {
    _lock: Option<File>,
}

impl Store {
    /// Waits for the right to carry out journal entries.
    ///
    /// # Errors
    /// Fails when another process keeps it for seconds, and when the lock cannot be made.
    pub fn turn(&self) -> Result<Turn> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.turn_if_free()? {
                Some(turn) => return Ok(turn),
                None if Instant::now() >= until => return Err(StoreError::Busy),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Takes the right to carry out journal entries, unless another process has it.
    ///
    /// # Errors
    /// Fails when the lock cannot be made.
    pub fn turn_if_free(&self) -> Result<Option<Turn>> {
        let Place::File(path) = self.place() else { return Ok(Some(Turn { _lock: None })) };
        let unusable = |error: std::io::Error| StoreError::read_only(error.to_string());
        let lock = open::lock_file(path.parent().unwrap_or(path), "deciding").map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Turn { _lock: Some(lock) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// Stores a journal entry before it is carried out, and moves its proposals so that no other process decides on them. Both
    /// are on the disk when this returns, or neither is. New decisions get the `subject` and `from` of this moment. They also
    /// get an `at` of their own, because decisions of one moment are undone together. Returns its number and the moved proposals.
    ///
    /// # Errors
    /// Fails when a proposal is gone or cannot take the step, when a decision stands as it is to stand already, and when the
    /// database cannot be written.
    pub fn begin(&self, entry: &JournalEntry) -> Result<(JournalEntryId, Vec<Proposal>)> {
        let mut entry = entry.clone();
        self.write_through(move |transaction| {
            let at = entry.decisions.first().map(|decision| decision.at).unwrap_or_default();
            let at = if entry.action == JournalAction::Decide { decisions::free_moment(transaction, at)? } else { at };
            let mut moved = Vec::new();
            let mut former = Vec::new();
            for index in 0..entry.decisions.len() {
                let pending = entry.pending_state(entry.decisions[index].verb);
                let decision = &mut entry.decisions[index];
                match entry.action {
                    JournalAction::Decide => decision.at = at,
                    JournalAction::Undo | JournalAction::Redo => {
                        decisions::require_undone(transaction, decision.id, entry.action == JournalAction::Redo)?
                    }
                }
                let proposal = decision.proposal;
                let before = proposals::one(transaction, proposal)?;
                former.push(before.state);
                if entry.action == JournalAction::Decide {
                    decision.from = before.state;
                    decision.subject = before.subject;
                }
                let Some(to) = pending else { continue };
                // Two who decide the same at once: the second finds it decided.
                if before.state == to {
                    return Err(IllegalMove { from: to, to }.into());
                }
                moved.push(proposals::change_in(transaction, proposal, |proposal| proposal.state = to)?);
            }
            entry.before = former;
            transaction.execute("INSERT INTO unfinished (deed) VALUES (?1)", [to_json(&entry)?])?;
            Ok((JournalEntryId(transaction.last_insert_rowid()), moved))
        })
    }

    /// Does the last step of a journal entry: its decisions stand or are undone, and its proposals have their new states; all of
    /// it or nothing, and on the disk when this returns. Gives the proposals, one for each decision.
    ///
    /// # Errors
    /// Fails when the entry is not begun or is done already, and when the database cannot be written.
    pub fn finish(&self, id: JournalEntryId) -> Result<Vec<Proposal>> {
        self.write_through(move |transaction| {
            let entry = take(transaction, id)?;
            let mut after = Vec::new();
            for decision in &entry.decisions {
                after
                    .push(proposals::conclude_in(transaction, decision.proposal, |proposal| entry.conclude(decision, proposal))?);
                match entry.action {
                    JournalAction::Decide => decisions::append(transaction, decision)?,
                    JournalAction::Undo | JournalAction::Redo => {
                        decisions::mark(transaction, decision.id, entry.action == JournalAction::Undo)?
                    }
                }
            }
            Ok(after)
        })
    }

    /// Removes a journal entry of which nothing was done, and puts its proposals back into their former states. Returns them.
    ///
    /// # Errors
    /// As [`Store::finish`].
    pub fn give_up(&self, id: JournalEntryId) -> Result<Vec<Proposal>> {
        self.write_through(move |transaction| {
            let entry = take(transaction, id)?;
            let mut after = Vec::new();
            for (decision, former) in entry.decisions.iter().zip(&entry.before) {
                let pending = entry.pending_state(decision.verb);
                after.push(proposals::conclude_in(transaction, decision.proposal, |proposal| {
                    if Some(proposal.state) == pending {
                        proposal.state = *former;
                    }
                })?);
            }
            Ok(after)
        })
    }

    /// Lists the journal entries that are not done, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn unfinished(&self) -> Result<Vec<(JournalEntryId, JournalEntry)>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection.prepare_cached("SELECT id, deed FROM unfinished ORDER BY id")?;
            let rows = statement.query_map([], |row| Ok((JournalEntryId(row.get(0)?), json(row, 1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Reads a journal entry and removes it.
fn take(connection: &Connection, id: JournalEntryId) -> Result<JournalEntry> {
    let entry = connection.query_row("SELECT deed FROM unfinished WHERE id = ?1", [id.0], |row| json(row, 0)).optional()?;
    connection.execute("DELETE FROM unfinished WHERE id = ?1", params![id.0])?;
    entry.ok_or(StoreError::Done)
}
