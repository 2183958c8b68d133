//! What recorded calls rest on: whom they entered, of which classes their arguments were, which modules they imported, and what no
//! text says.

use rusqlite::{Transaction, params};

use crate::domain::batch::Edge;
use crate::domain::call::RecordingId;
use crate::domain::function::FunctionId;
use crate::domain::subject::Subject;

use super::error::Result;
use super::handle::Store;

impl Store {
    /// Lists who was seen entering whom in the kept recordings.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn edges(&self) -> Result<Vec<Edge>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT DISTINCT caller, callee FROM edges ORDER BY caller, callee")?;
            let rows = statement.query_map([], |row| {
                Ok(Edge { caller: FunctionId(row.get(0)?), callee: Subject::from_text(&row.get::<_, String>(1)?) })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Adds who was seen entering whom when calls of a recording ran again.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn add_edges(&self, recording: RecordingId, edges: Vec<Edge>) -> Result<()> {
        self.write(move |transaction| put(transaction, recording, &edges))
    }

    /// Adds, for each function of a recording, these modules, and the procedures that ran in a test of its: functions that are called
    /// from outside of the project and always return nothing, so that only other functions show what they do. The outcome of such a call
    /// begins with `nothing`.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn add_hidden_edges(&self, recording: RecordingId, modules: &[Subject], nothing: Vec<u8>) -> Result<()> {
        let modules: Vec<String> = modules.iter().map(|module| module.text().into_owned()).collect();
        self.write(move |transaction| {
            for module in modules {
                let sql = "INSERT OR IGNORE INTO edges (recording, caller, callee) \
                           SELECT DISTINCT recording, function, ?2 FROM calls WHERE recording = ?1";
                transaction.execute(sql, params![recording.0, module])?;
            }
            let sql = "WITH procedures AS (
                    SELECT function FROM calls WHERE recording = ?1 GROUP BY function
                    HAVING MIN(direct) = 1 AND SUM(outcome IS NULL OR substr(outcome, 1, length(?2)) <> ?2) = 0),
                ran AS (
                    SELECT DISTINCT test_calls.test, calls.function FROM calls JOIN test_calls ON test_calls.call = calls.id
                    WHERE calls.recording = ?1)
                INSERT OR IGNORE INTO edges (recording, caller, callee)
                SELECT DISTINCT ?1, others.function, ran.function FROM ran
                JOIN procedures ON procedures.function = ran.function JOIN ran AS others ON others.test = ran.test
                WHERE others.function <> ran.function LIMIT 20000";
            transaction.execute(sql, params![recording.0, nothing])?;
            Ok(())
        })
    }
}

/// Adds edges to a recording; those that it has stay.
pub(super) fn put(transaction: &Transaction<'_>, recording: RecordingId, edges: &[Edge]) -> Result<()> {
    let mut edge = transaction.prepare_cached("INSERT OR IGNORE INTO edges (recording, caller, callee) VALUES (?1, ?2, ?3)")?;
    for Edge { caller, callee } in edges {
        edge.execute(params![recording.0, caller.0, callee.text()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::recorded_test::{RecordedTest, Runner, TestSession};
    use crate::store::Batch;
    use crate::store::samples::{call, end, recording, spool};

    #[test]
    fn what_no_text_says_is_rested_on_by_what_ran_beside_it() {
        let store = crate::store::open_in_memory().unwrap();
        let id = store.begin_recording(&recording()).unwrap();
        let runner = Runner::Pytest { config: None, options: Vec::new() };
        let session = Arc::new(TestSession { root: "/p".into(), cwd: "/p".into(), path: Vec::new(), runner });
        let test = |name: &str| Arc::new(RecordedTest { name: name.into(), session: session.clone() });
        let all = [
            ("app:before", 0, b"none{0", "a"),
            ("app:view", 1, b"text{0", "a"),
            ("app:view", 2, b"none{0", "b"),
            ("app:far", 3, b"text{0", "b"),
        ];
        let batch = Batch {
            calls: all.iter().map(|(function, number, ..)| call(function, *number)).collect(),
            ends: all.iter().map(|(_, number, outcome, _)| end(*number, *outcome)).collect(),
            in_tests: all.iter().map(|(_, number, _, name)| (spool(*number), test(name))).collect(),
            ..Batch::default()
        };
        store.ingest(id, batch).unwrap();
        store.add_hidden_edges(id, &[Subject::ImportCode("app.settings".into())], b"none".to_vec()).unwrap();
        let edges: Vec<(String, String)> =
            store.edges().unwrap().into_iter().map(|edge| (edge.caller.0, edge.callee.text().into_owned())).collect();
        let edge = |caller: &str, callee: &str| (caller.to_owned(), callee.to_owned());
        let settings = ["app:before", "app:far", "app:view"].map(|caller| edge(caller, "app.settings:"));
        let mut expected = settings.to_vec();
        expected.push(edge("app:view", "app:before"));
        assert_eq!(edges, expected, "a function that returns something once shows what it does itself");
    }
}
