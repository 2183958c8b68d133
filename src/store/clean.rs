//! Removing what a person does not want to keep: recordings and drafts, never what a decision rests on.

use rusqlite::{Connection, params};

use super::error::Result;
use super::handle::Store;
use super::numbers::unsigned;
use super::recordings::RESTS_ON_NOTHING;
use crate::base::clock::Moment;

/// What may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unwanted {
    /// Recordings with their calls.
    pub recordings: bool,
    /// Drafts nobody decided on.
    pub drafts: bool,
    /// Only what is older than this.
    pub before: Option<Moment>,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleaned {
    /// Recordings that went.
    pub recordings: u64,
    /// Their kept calls.
    pub calls: u64,
    /// Recordings that stay: a decision, a change or a draft rests on them, or they still run.
    pub kept: u64,
    /// Drafts that went.
    pub drafts: u64,
    /// Drafts that wait and stay: a decision on them was taken back, and may be made again.
    pub kept_drafts: u64,
    /// Bytes of the database that became free.
    pub bytes: u64,
}

/// Drafts that wait and that nobody works at.
const WAITING: &str = "kind IN ('draft', 'spec') AND state IN ('ready', 'refused', 'failed', 'stale') AND created < ?1";
/// Those of them that a person once decided on: redo needs them.
const DECIDED: &str = "EXISTS (SELECT 1 FROM decisions WHERE decisions.proposal = proposals.id)";

impl Store {
    /// Removes what is not wanted, or only finds out what that would be.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn clean(&self, unwanted: Unwanted, really: bool) -> Result<Cleaned> {
        let cleaned = self.write(move |transaction| {
            transaction.execute_batch("SAVEPOINT looking")?;
            let cleaned = remove(transaction, unwanted)?;
            if !really {
                transaction.execute_batch("ROLLBACK TO looking")?;
            }
            Ok(cleaned)
        })?;
        if really {
            self.on_writer(|connection| {
                for pragma in ["PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"] {
                    let mut statement = connection.prepare(pragma)?;
                    let mut steps = statement.query([])?;
                    while steps.next()?.is_some() {}
                }
                Ok(())
            })?;
        }
        Ok(cleaned)
    }
}

fn remove(connection: &Connection, unwanted: Unwanted) -> Result<Cleaned> {
    let before = unwanted.before.map_or(i64::MAX, |moment| moment.0);
    let size = super::recordings::used_bytes(connection)?;
    let count = |sql: &str| connection.query_row(sql, params![before], |row| row.get(0).map(unsigned));
    let mut cleaned = Cleaned::default();
    if unwanted.drafts {
        let gone = connection.execute(&format!("DELETE FROM proposals WHERE {WAITING} AND NOT {DECIDED}"), params![before])?;
        cleaned.drafts = gone as u64;
        cleaned.kept_drafts = count(&format!("SELECT count(*) FROM proposals WHERE {WAITING} AND {DECIDED}"))?;
    }
    if unwanted.recordings {
        cleaned.calls = count(&format!(
            "SELECT count(*) FROM calls WHERE recording IN (SELECT id FROM recordings WHERE started < ?1 AND {RESTS_ON_NOTHING})"
        ))?;
        let gone =
            connection.execute(&format!("DELETE FROM recordings WHERE started < ?1 AND {RESTS_ON_NOTHING}"), params![before])?;
        cleaned.recordings = gone as u64;
        cleaned.kept = count("SELECT count(*) FROM recordings WHERE started < ?1")?;
    }
    cleaned.bytes = u64::try_from(size - super::recordings::used_bytes(connection)?).unwrap_or(0);
    Ok(cleaned)
}
