//! What drafts were written last, and one hash of all that is stored and that drafts rest on.

use rusqlite::{Connection, OptionalExtension, params, types::ValueRef};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Result;
use super::handle::Store;
use super::json::{json, to_json};
use crate::base::hash::{Digest, Hasher};

/// Rows whose every value goes into the hash: what is small, and the rest by its numbers.
const RESTS_ON: &[&str] = &[
    "SELECT id, interpreter, python, checked_out, tried FROM recordings ORDER BY id",
    "SELECT count(*), max(id), sum(times), count(not_replayable), sum(length(not_replayable)), sum(length(touches)) FROM calls",
    "SELECT call, outcome FROM baselines ORDER BY call",
    "SELECT input, outcome FROM overruled ORDER BY input, outcome",
    "SELECT count(DISTINCT call) FROM outcomes",
];

/// Sets of functions of which the last drafts are kept.
const SCOPES_MAX: i64 = 32;

impl Store {
    /// Gives one hash of the recordings, the calls and what was decided of their outcomes: equal hashes, equal drafts.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls_digest(&self) -> Result<Digest> {
        self.read(|connection| {
            let mut hasher = Hasher::default();
            for sql in RESTS_ON {
                absorb(connection, sql, &mut hasher)?;
            }
            Ok(hasher.digest())
        })
    }

    /// Keeps what was drafted for a set of functions, and the hash of what that rests on, in place of what was kept before.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn keep_drafted(&self, scope: Digest, rests_on: Digest, made: &impl Serialize) -> Result<()> {
        let (key, value) = (key(scope), to_json(&(rests_on, made))?);
        self.write(move |transaction| {
            let others = "SELECT count(*) FROM session WHERE key LIKE 'drafted %' AND key <> ?1";
            if transaction.query_row(others, [&key], |row| row.get::<_, i64>(0))? >= SCOPES_MAX {
                transaction.execute("DELETE FROM session WHERE key LIKE 'drafted %'", [])?;
            }
            transaction.execute("INSERT OR REPLACE INTO session (key, value) VALUES (?1, ?2)", params![key, value])?;
            Ok(())
        })
    }

    /// Gives what was drafted last for a set of functions, if it rests on the same.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn drafted<T: DeserializeOwned + Send>(&self, scope: Digest, rests_on: Digest) -> Result<Option<T>> {
        self.believed(None, |connection| {
            let sql = "SELECT value FROM session WHERE key = ?1";
            let kept = connection.query_row(sql, [key(scope)], |row| json::<(Digest, T)>(row, 0)).optional();
            // What an earlier program wrote may have another form: then it is drafted anew.
            Ok(kept.unwrap_or_default().filter(|(of, _)| *of == rests_on).map(|(_, made)| made))
        })
    }
}

fn key(scope: Digest) -> String {
    format!("drafted {:016x}", scope.0)
}

fn absorb(connection: &Connection, sql: &str, hasher: &mut Hasher) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Null => hasher.part(b"null"),
                ValueRef::Integer(number) => hasher.part(&number.to_le_bytes()),
                ValueRef::Real(number) => hasher.part(&number.to_le_bytes()),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => hasher.part(bytes),
            };
        }
    }
    Ok(())
}
