//! The source of functions as it was when their calls were recorded: what "because" is told against.

use rusqlite::params;

use super::error::Result;
use super::handle::Store;
use super::json::to_json;
use super::numbers::{signed, unsigned};
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::subject::Subject;

/// The source of a function or of a module's own statements, or that a file was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCode {
    /// What it is the source of.
    pub subject: Subject,
    /// Its file.
    pub path: RelPath,
    /// What its behaviour rested on.
    pub fingerprint: Digest,
    /// The first line of `text` in the file of that time.
    pub first_line: u32,
    /// The lines.
    pub text: String,
}

impl Store {
    /// Stores sources, each in place of what was stored for its function.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_code(&self, code: Vec<RecordedCode>) -> Result<()> {
        self.write(move |transaction| {
            let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO code VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for one in &code {
                let print = signed(one.fingerprint.0);
                insert.execute(params![one.subject.text(), one.path.as_str(), print, one.first_line, one.text])?;
            }
            Ok(())
        })
    }

    /// Gives the stored sources of these.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn code(&self, subjects: &[Subject]) -> Result<Vec<RecordedCode>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT function, path, fingerprint, first_line, text FROM code WHERE function IN (SELECT value FROM json_each(?1)) \
                 ORDER BY function",
            )?;
            let rows = statement.query_map([to_json(subjects)?], |row| {
                Ok((row.get::<_, String>(1)?, RecordedCode {
                    subject: Subject::from_text(&row.get::<_, String>(0)?),
                    path: RelPath::default(),
                    fingerprint: Digest(unsigned(row.get(2)?)),
                    first_line: row.get(3)?,
                    text: row.get(4)?,
                }))
            })?;
            let mut code = Vec::new();
            for row in rows {
                let (path, one) = row?;
                if let Some(path) = RelPath::new(path) {
                    code.push(RecordedCode { path, ..one });
                }
            }
            Ok(code)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_source_of_a_function_is_kept() {
        let store = crate::store::open_in_memory().unwrap();
        let code = |text: &str| RecordedCode {
            subject: Subject::from_text("m:f"),
            path: RelPath::new("m.py").unwrap(),
            fingerprint: Digest(7),
            first_line: 3,
            text: text.into(),
        };
        store.put_code(vec![code("old")]).unwrap();
        store.put_code(vec![code("new")]).unwrap();
        assert_eq!(store.code(&[Subject::from_text("m:f"), Subject::from_text("m:g")]).unwrap(), [code("new")]);
    }
}
