//! Why functions have no test, as drafting found out last.

use rusqlite::params;

use super::error::Result;
use super::handle::Store;
use crate::domain::function::FunctionId;
use crate::domain::reason::Reason;

impl Store {
    /// Notes why functions have no test; `None` takes a note back.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn note_untestable(&self, notes: Vec<(FunctionId, Option<Reason>)>) -> Result<()> {
        self.write(move |transaction| {
            let mut insert =
                transaction.prepare_cached("INSERT OR REPLACE INTO untestable (function, reason) VALUES (?1, ?2)")?;
            let mut remove = transaction.prepare_cached("DELETE FROM untestable WHERE function = ?1")?;
            for (function, reason) in &notes {
                match reason {
                    Some(reason) => insert.execute(params![function.0, reason])?,
                    None => remove.execute([&function.0])?,
                };
            }
            Ok(())
        })
    }

    /// Lists the functions that have no test, each with its reason.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn untestable(&self) -> Result<Vec<(FunctionId, Reason)>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection.prepare_cached("SELECT function, reason FROM untestable ORDER BY function")?;
            let rows = statement.query_map([], |row| Ok((FunctionId(row.get(0)?), row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}
