//! Variables of the environment that recorded programs read while they imported modules of the project.

use std::collections::BTreeMap;

use rusqlite::{Transaction, params};

use super::error::Result;
use super::handle::Store;
use crate::domain::call::RecordingId;

impl Store {
    /// Gives the variables with their values, as the newest recording has them.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn import_variables(&self) -> Result<BTreeMap<String, String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT name, value FROM import_variables ORDER BY recording")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<std::result::Result<_, _>>()?)
        })
    }
}

/// Stores what a recording read.
pub(super) fn insert(transaction: &Transaction<'_>, recording: RecordingId, variables: &[(String, String)]) -> Result<()> {
    let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO import_variables VALUES (?1, ?2, ?3)")?;
    for (name, value) in variables {
        insert.execute(params![recording.0, name, value])?;
    }
    Ok(())
}
