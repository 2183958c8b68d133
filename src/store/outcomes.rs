//! What replayed calls gave under which code, which outcome counts as right, and which recorded ones are bugs.

use std::collections::{HashMap, HashSet};

use rusqlite::{OptionalExtension, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{json, to_json};
use super::numbers::{signed, unsigned};
use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::domain::call::CallId;
use crate::domain::function::FunctionId;

/// Outcomes under more versions of the code than this are forgotten, the oldest first.
const VERSIONS_MAX: i64 = 16;

/// The outcome of a call under one version of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOutcome {
    /// The call.
    pub call: CallId,
    /// Hash of the code it ran through.
    pub code: Digest,
    /// An outcome tuple of `docs/worker.md`.
    pub outcome: Vec<u8>,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// The project functions it ran through.
    pub entered: Vec<FunctionId>,
}

/// A person's word that a recorded outcome is a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Hash of the outcome it is about; another outcome is not.
    pub outcome: Digest,
    /// Why.
    pub reason: Option<String>,
    /// When it was said.
    pub at: Moment,
}

impl Store {
    /// Stores outcomes of replayed calls; those of calls that are gone are left out.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_outcomes(&self, outcomes: Vec<StoredOutcome>) -> Result<()> {
        self.write(move |transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO outcomes (call, code, sequence, outcome, duration_ns, entered) \
                 SELECT id, ?2, (SELECT coalesce(max(sequence), 0) + 1 FROM outcomes WHERE call = ?1), ?3, ?4, ?5 \
                 FROM calls WHERE id = ?1",
            )?;
            let mut forget = transaction.prepare_cached(
                "DELETE FROM outcomes WHERE call = ?1 AND sequence <= \
                 (SELECT sequence FROM outcomes WHERE call = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)",
            )?;
            for outcome in &outcomes {
                insert.execute(params![
                    outcome.call.0,
                    signed(outcome.code.0),
                    outcome.outcome,
                    outcome.duration_ns,
                    to_json(&outcome.entered)?,
                ])?;
                forget.execute(params![outcome.call.0, VERSIONS_MAX])?;
            }
            Ok(())
        })
    }

    /// Gives the outcomes of calls under this version of the code; calls that were never run under it are left out.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn outcomes(&self, calls: &[CallId], code: Digest) -> Result<HashMap<CallId, StoredOutcome>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT outcomes.call, outcome, duration_ns, entered FROM json_each(?1) AS wanted \
                 JOIN outcomes ON outcomes.call = wanted.value AND outcomes.code = ?2",
            )?;
            let rows = statement.query_map(params![to_json(calls)?, signed(code.0)], |row| {
                let call = CallId(row.get(0)?);
                Ok((call, StoredOutcome { call, code, outcome: row.get(1)?, duration_ns: row.get(2)?, entered: json(row, 3)? }))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Tells which of these calls were ever run again to an end.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn repeated(&self, calls: &[CallId]) -> Result<HashSet<CallId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT value FROM json_each(?1) WHERE EXISTS (SELECT 1 FROM outcomes WHERE outcomes.call = value)",
            )?;
            let rows = statement.query_map([to_json(calls)?], |row| row.get(0).map(CallId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives what counts as right for these calls: the outcome a person accepted, or else the recorded one. Calls that
    /// are gone or did not end are left out.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn baselines(&self, calls: &[CallId]) -> Result<HashMap<CallId, Vec<u8>>> {
        // In a foreign database nobody of ours accepted anything.
        let accepted = if self.is_foreign() { "NULL" } else { "baselines.outcome" };
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT calls.id, coalesce({accepted}, calls.outcome) FROM json_each(?1) AS wanted \
                 JOIN calls ON calls.id = wanted.value LEFT JOIN baselines ON baselines.call = calls.id"
            ))?;
            let mut rows = statement.query([to_json(calls)?])?;
            let mut found = HashMap::new();
            while let Some(row) = rows.next()? {
                if let Some(outcome) = row.get(1)? {
                    found.insert(CallId(row.get(0)?), outcome);
                }
            }
            Ok(found)
        })
    }

    /// Tells whether the recorded outcome is what counts as right for a call: nobody put another in its place.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn baseline_is_recorded(&self, call: CallId) -> Result<bool> {
        self.read(|connection| {
            let found: bool =
                connection.query_row("SELECT EXISTS (SELECT 1 FROM baselines WHERE call = ?1)", [call.0], |row| row.get(0))?;
            Ok(!found)
        })
    }

    /// Makes an outcome the right one for a call from now on, or the recorded one again (`None`). Gives what was
    /// accepted before, for undo.
    ///
    /// # Errors
    /// Fails when there is no such call or the database cannot be written.
    pub fn set_baseline(&self, call: CallId, outcome: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        self.write(move |transaction| {
            let before =
                transaction.query_row("SELECT outcome FROM baselines WHERE call = ?1", [call.0], |row| row.get(0)).optional()?;
            match outcome {
                Some(outcome) => {
                    let known: bool =
                        transaction.query_row("SELECT EXISTS (SELECT 1 FROM calls WHERE id = ?1)", [call.0], |row| row.get(0))?;
                    if !known {
                        return Err(StoreError::Missing { what: "call", id: call.0 });
                    }
                    transaction
                        .execute("INSERT OR REPLACE INTO baselines (call, outcome) VALUES (?1, ?2)", params![call.0, outcome])?
                }
                None => transaction.execute("DELETE FROM baselines WHERE call = ?1", [call.0])?,
            };
            Ok(before)
        })
    }

    /// Notes that this outcome of a call is a bug. The note holds for the call's input in every recording.
    ///
    /// # Errors
    /// Fails when there is no such call or the database cannot be written.
    pub fn overrule(&self, call: CallId, note: Note) -> Result<()> {
        self.write(move |transaction| {
            let stored = transaction.execute(
                "INSERT OR REPLACE INTO overruled (input, outcome, reason, at) SELECT input, ?2, ?3, ?4 FROM calls WHERE id = ?1",
                params![call.0, signed(note.outcome.0), note.reason, note.at.0],
            )?;
            if stored == 0 { Err(StoreError::Missing { what: "call", id: call.0 }) } else { Ok(()) }
        })
    }

    /// Takes a note back.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn withdraw_note(&self, call: CallId, outcome: Digest) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute(
                "DELETE FROM overruled WHERE outcome = ?2 AND input = (SELECT input FROM calls WHERE id = ?1)",
                params![call.0, signed(outcome.0)],
            )?;
            Ok(())
        })
    }

    /// Lists the notes on the inputs of these calls.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn notes(&self, calls: &[CallId]) -> Result<HashMap<CallId, Vec<Note>>> {
        self.believed(HashMap::new(), |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT calls.id, overruled.outcome, reason, at FROM json_each(?1) AS wanted \
                 JOIN calls ON calls.id = wanted.value JOIN overruled ON overruled.input = calls.input ORDER BY at",
            )?;
            let mut rows = statement.query([to_json(calls)?])?;
            let mut notes: HashMap<CallId, Vec<Note>> = HashMap::new();
            while let Some(row) = rows.next()? {
                let note = Note { outcome: Digest(unsigned(row.get(1)?)), reason: row.get(2)?, at: Moment(row.get(3)?) };
                notes.entry(CallId(row.get(0)?)).or_default().push(note);
            }
            Ok(notes)
        })
    }
}
