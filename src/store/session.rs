//! Accepted tests as last seen in the project's files, the docstrings written last, and the place of the screen.

use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Result;
use super::handle::Store;
use super::json::{json, to_json};
use super::numbers::{signed, unsigned};
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;

/// Tests of a function that a person accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedTest {
    /// The function.
    pub function: FunctionId,
    /// The file that holds them.
    pub path: RelPath,
    /// Their names, in order.
    pub tests: Vec<String>,
    /// Hash of their text as written.
    pub body: Digest,
    /// The proposal they came from.
    pub proposal: Option<ProposalId>,
}

impl Store {
    /// Stores that a function has these accepted tests in this file, in place of what was stored before.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_accepted(&self, accepted: &AcceptedTest) -> Result<()> {
        let accepted = accepted.clone();
        self.write(move |transaction| {
            transaction.execute(
                "INSERT OR REPLACE INTO accepted (function, path, tests, body, proposal) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![
                    accepted.function.0,
                    accepted.path.as_str(),
                    to_json(&accepted.tests)?,
                    signed(accepted.body.0),
                    accepted.proposal.map(|proposal| proposal.0),
                ],
            )?;
            Ok(())
        })
    }

    /// Forgets the accepted tests of a function in this file.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn remove_accepted(&self, function: &FunctionId, path: &RelPath) -> Result<()> {
        let (function, path) = (function.0.clone(), path.as_str().to_owned());
        self.write(move |transaction| {
            transaction.execute("DELETE FROM accepted WHERE function = ?1 AND path = ?2", [function, path])?;
            Ok(())
        })
    }

    /// Lists the accepted tests, by function.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn accepted(&self) -> Result<Vec<AcceptedTest>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection
                .prepare_cached("SELECT function, path, tests, body, proposal FROM accepted ORDER BY function, path")?;
            let mut rows = statement.query([])?;
            let mut accepted = Vec::new();
            while let Some(row) = rows.next()? {
                // A path that leaves the project was not written by this program.
                let Some(path) = RelPath::new(row.get::<_, String>(1)?) else { continue };
                accepted.push(AcceptedTest {
                    function: FunctionId(row.get(0)?),
                    path,
                    tests: json(row, 2)?,
                    body: Digest(unsigned(row.get(3)?)),
                    proposal: row.get::<_, Option<i64>>(4)?.map(ProposalId),
                });
            }
            Ok(accepted)
        })
    }

    /// Keeps the place of the screen for the next start.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn keep_session(&self, state: &serde_json::Value) -> Result<()> {
        let state = to_json(state)?;
        self.write(move |transaction| {
            transaction.execute("INSERT OR REPLACE INTO session (key, value) VALUES ('screen', ?1)", [state])?;
            Ok(())
        })
    }

    /// Keeps for which functions drafts were asked for and are not finished: none stands for all that were recorded.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn keep_drafting(&self, functions: Option<&[FunctionId]>) -> Result<()> {
        let functions = functions.map(|functions| to_json(&functions)).transpose()?;
        self.write(move |transaction| {
            match functions {
                Some(functions) => {
                    transaction.execute("INSERT OR REPLACE INTO session (key, value) VALUES ('drafting', ?1)", [functions])?
                }
                None => transaction.execute("DELETE FROM session WHERE key = 'drafting'", [])?,
            };
            Ok(())
        })
    }

    /// Gives for which functions drafts were asked for and are not finished; none stands for all that were recorded.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn drafting(&self) -> Result<Option<Vec<FunctionId>>> {
        self.believed(None, |connection| {
            let sql = "SELECT value FROM session WHERE key = 'drafting'";
            Ok(connection.query_row(sql, [], |row| json(row, 0)).optional()?)
        })
    }

    /// Keeps what was written into docstrings last, in place of what was kept before.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn keep_documented(&self, edits: &[FileEdit]) -> Result<()> {
        let edits = to_json(edits)?;
        self.write(move |transaction| {
            transaction.execute("INSERT OR REPLACE INTO session (key, value) VALUES ('documented', ?1)", [edits])?;
            Ok(())
        })
    }

    /// Gives what was written into docstrings last.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn documented(&self) -> Result<Vec<FileEdit>> {
        self.believed(Vec::new(), |connection| {
            let sql = "SELECT value FROM session WHERE key = 'documented'";
            Ok(connection.query_row(sql, [], |row| json(row, 0)).optional()?.unwrap_or_default())
        })
    }

    /// Keeps what files said that drafts and verdicts rest on besides code, for the next start.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn keep_said(&self, said: &impl Serialize) -> Result<()> {
        let said = to_json(said)?;
        self.write(move |transaction| {
            transaction.execute("INSERT OR REPLACE INTO session (key, value) VALUES ('said', ?1)", [said])?;
            Ok(())
        })
    }

    /// Gives what files said that was kept.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn said<T: DeserializeOwned + Send>(&self) -> Result<Option<T>> {
        self.believed(None, |connection| {
            let sql = "SELECT value FROM session WHERE key = 'said'";
            Ok(connection.query_row(sql, [], |row| json(row, 0)).optional()?)
        })
    }

    /// Gives the place of the screen that was kept.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn session(&self) -> Result<Option<serde_json::Value>> {
        self.believed(None, |connection| {
            let found =
                connection.query_row("SELECT value FROM session WHERE key = 'screen'", [], |row| json(row, 0)).optional()?;
            Ok(found)
        })
    }
}
