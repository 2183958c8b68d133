//! What is known of the paths of recorded calls: within which others they were made, and lines that no kept call ran.

use std::collections::{BTreeSet, HashMap};

use super::error::Result;
use super::handle::Store;
use super::json::json;
use crate::domain::call::CallId;
use crate::domain::function::FunctionId;

impl Store {
    /// Lists the kept calls of a function, each with the kept calls around it.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls_around(&self, function: &FunctionId) -> Result<Vec<(CallId, Vec<CallId>)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "WITH RECURSIVE up(call, recording, process, parent, found) AS (                  SELECT id, recording, process, parent_number, NULL FROM calls WHERE function = ?1 UNION \
                 SELECT up.call, up.recording, up.process, calls.parent_number, calls.id FROM up JOIN calls \
                 ON calls.recording = up.recording AND calls.process = up.process AND calls.number = up.parent) \
                 SELECT call, found FROM up ORDER BY call",
            )?;
            let rows = statement.query_map([&function.0], |row| Ok((CallId(row.get(0)?), row.get::<_, Option<i64>>(1)?)))?;
            let mut calls: Vec<(CallId, Vec<CallId>)> = Vec::new();
            for row in rows {
                let (call, found) = row?;
                if calls.last().is_none_or(|(known, _)| *known != call) {
                    calls.push((call, Vec::new()));
                }
                if let (Some((_, around)), Some(found)) = (calls.last_mut(), found) {
                    around.push(CallId(found));
                }
            }
            Ok(calls)
        })
    }

    /// Gives the lines of functions that ran only in calls which were not kept; 0 among them where it is not known which ones.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn missed_lines(&self) -> Result<HashMap<FunctionId, BTreeSet<u32>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT function, missed FROM counts WHERE missed <> '[]'")?;
            let rows = statement.query_map([], |row| Ok((FunctionId(row.get(0)?), json(row, 1)?)))?;
            let mut missed: HashMap<FunctionId, BTreeSet<u32>> = HashMap::new();
            for row in rows {
                let (function, lines): (FunctionId, BTreeSet<u32>) = row?;
                missed.entry(function).or_default().extend(lines);
            }
            Ok(missed)
        })
    }
}
