//! Deeds that are not done yet: stored before their first file is written, gone with their last step.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{json, to_json};
use super::schema::Place;
use super::{decisions, open, proposals};
use crate::domain::deed::{Deed, DeedId, Way};
use crate::domain::proposal::{IllegalMove, Proposal};

/// How long a process waits for another one that is at a deed, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to do a deed, of one process at a time. The system takes it from a holder that dies, so a deed that is found
/// under it is nobody's any more.
pub struct Turn {
    _lock: Option<File>,
}

impl Store {
    /// Waits for the right to do a deed.
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

    /// Takes the right to do a deed, unless another process has it.
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

    /// Stores a deed before it is done, and moves its proposals to where nobody else decides on them: both or neither, and on
    /// the disk when this returns. Of new decisions `subject` and `from` are those of the moment, and `at` is made one that no
    /// other decision has, since what was made at once is taken back at once. Gives its number and the proposals it moved.
    ///
    /// # Errors
    /// Fails when a proposal is gone or cannot take the step, when a decision stands as it is to stand already, and when the
    /// database cannot be written.
    pub fn begin(&self, deed: &Deed) -> Result<(DeedId, Vec<Proposal>)> {
        let mut deed = deed.clone();
        self.write_through(move |transaction| {
            let at = deed.decisions.first().map(|decision| decision.at).unwrap_or_default();
            let at = if deed.way == Way::Made { decisions::free_moment(transaction, at)? } else { at };
            let mut moved = Vec::new();
            let mut stood = Vec::new();
            for index in 0..deed.decisions.len() {
                let meanwhile = deed.meanwhile(deed.decisions[index].verb);
                let decision = &mut deed.decisions[index];
                match deed.way {
                    Way::Made => decision.at = at,
                    Way::Back | Way::Again => decisions::require_undone(transaction, decision.id, deed.way == Way::Again)?,
                }
                let proposal = decision.proposal;
                let before = proposals::one(transaction, proposal)?;
                stood.push(before.state);
                if deed.way == Way::Made {
                    decision.from = before.state;
                    decision.subject = before.subject;
                }
                let Some(to) = meanwhile else { continue };
                // Two who decide the same at once: the second finds it decided.
                if before.state == to {
                    return Err(IllegalMove { from: to, to }.into());
                }
                moved.push(proposals::change_in(transaction, proposal, |proposal| proposal.state = to)?);
            }
            deed.stood = stood;
            transaction.execute("INSERT INTO unfinished (deed) VALUES (?1)", [to_json(&deed)?])?;
            Ok((DeedId(transaction.last_insert_rowid()), moved))
        })
    }

    /// Does the last step of a deed: its decisions stand, or are taken back, and its proposals are where it leads them; all of
    /// it or nothing, and on the disk when this returns. Gives the proposals, one for each decision.
    ///
    /// # Errors
    /// Fails when the deed is not begun or is done already, and when the database cannot be written.
    pub fn finish(&self, id: DeedId) -> Result<Vec<Proposal>> {
        self.write_through(move |transaction| {
            let deed = take(transaction, id)?;
            let mut after = Vec::new();
            for decision in &deed.decisions {
                after.push(proposals::conclude_in(transaction, decision.proposal, |proposal| deed.conclude(decision, proposal))?);
                match deed.way {
                    Way::Made => decisions::append(transaction, decision)?,
                    Way::Back | Way::Again => decisions::mark(transaction, decision.id, deed.way == Way::Back)?,
                }
            }
            Ok(after)
        })
    }

    /// Forgets a deed of which nothing was done, and puts its proposals back to where they stood. Gives them.
    ///
    /// # Errors
    /// As [`Store::finish`].
    pub fn give_up(&self, id: DeedId) -> Result<Vec<Proposal>> {
        self.write_through(move |transaction| {
            let deed = take(transaction, id)?;
            let mut after = Vec::new();
            for (decision, stood) in deed.decisions.iter().zip(&deed.stood) {
                let meanwhile = deed.meanwhile(decision.verb);
                after.push(proposals::conclude_in(transaction, decision.proposal, |proposal| {
                    if Some(proposal.state) == meanwhile {
                        proposal.state = *stood;
                    }
                })?);
            }
            Ok(after)
        })
    }

    /// Lists the deeds that are not done, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn unfinished(&self) -> Result<Vec<(DeedId, Deed)>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection.prepare_cached("SELECT id, deed FROM unfinished ORDER BY id")?;
            let rows = statement.query_map([], |row| Ok((DeedId(row.get(0)?), json(row, 1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Reads a deed and removes it.
fn take(connection: &Connection, id: DeedId) -> Result<Deed> {
    let deed = connection.query_row("SELECT deed FROM unfinished WHERE id = ?1", [id.0], |row| json(row, 0)).optional()?;
    connection.execute("DELETE FROM unfinished WHERE id = ?1", params![id.0])?;
    deed.ok_or(StoreError::Done)
}
