//! Hashes of the whole project's code as it was when calls were recorded last: what counts as edited is told against them.

use std::collections::{BTreeMap, HashMap};

use rusqlite::params;

use super::error::Result;
use super::handle::Store;
use super::numbers::{signed, unsigned};
use crate::base::hash::Digest;
use crate::domain::subject::Subject;

impl Store {
    /// Stores hashes in the place of all that were stored before.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_prints(&self, prints: Vec<(Subject, Digest)>) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("DELETE FROM prints", [])?;
            let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO prints VALUES (?1, ?2)")?;
            for (subject, print) in &prints {
                insert.execute(params![subject.text(), signed(print.0)])?;
            }
            Ok(())
        })
    }

    /// Stores which modules could not be imported alone when calls were recorded, in the place of what was stored.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_unimportable(&self, modules: BTreeMap<String, String>) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("DELETE FROM unimportable", [])?;
            let mut insert = transaction.prepare_cached("INSERT INTO unimportable (module, raised) VALUES (?1, ?2)")?;
            for (module, raised) in &modules {
                insert.execute([module, raised])?;
            }
            Ok(())
        })
    }

    /// Gives the modules that could not be imported alone when calls were recorded, each with what was raised.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn unimportable(&self) -> Result<BTreeMap<String, String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT module, raised FROM unimportable")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the hashes of all code as it was recorded: of what recorded calls ran through, as it was then; of the rest, as it
    /// was when the last recording was made. None where nothing was recorded yet.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn prints(&self) -> Result<HashMap<Subject, Digest>> {
        self.read(|connection| {
            // Later rows take the place of earlier ones.
            let mut statement = connection
                .prepare_cached("SELECT subject, fingerprint FROM prints UNION ALL SELECT function, fingerprint FROM code")?;
            let rows = statement
                .query_map([], |row| Ok((Subject::from_text(&row.get::<_, String>(0)?), Digest(unsigned(row.get(1)?)))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_the_last_recording_is_known_and_no_older_one() {
        let store = crate::store::open_in_memory().unwrap();
        let [f, g] = ["m:f", "m:"].map(Subject::from_text);
        store.put_prints(vec![(f.clone(), Digest(1))]).unwrap();
        store.put_prints(vec![(g.clone(), Digest(u64::MAX))]).unwrap();
        assert_eq!(store.prints().unwrap(), HashMap::from([(g, Digest(u64::MAX))]));
    }
}
