//! The tests in which calls were recorded, and what running them again showed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, params};

use super::error::Result;
use super::handle::Store;
use super::json::{from_json, json, to_json};
use super::numbers::unsigned;
use crate::domain::batch::SpoolCall;
use crate::domain::call::{CallId, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{BySession, FormerRun, RecordedTest, TestId, TestSession};

impl Store {
    /// Gives the tests in which these calls were recorded; calls outside of tests are missing.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn tests_of(&self, calls: &[CallId]) -> Result<HashMap<CallId, TestId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT call, test FROM json_each(?1) AS wanted JOIN test_calls ON test_calls.call = wanted.value",
            )?;
            let rows = statement.query_map([to_json(calls)?], |row| Ok((CallId(row.get(0)?), TestId(row.get(1)?))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the calls among these that are compared inside their tests.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn compared_in_tests(&self, calls: &[CallId]) -> Result<HashMap<CallId, TestId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT call, test FROM json_each(?1) AS wanted JOIN test_calls ON test_calls.call = wanted.value \
                 WHERE compared",
            )?;
            let rows = statement.query_map([to_json(calls)?], |row| Ok((CallId(row.get(0)?), TestId(row.get(1)?))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the names of the tests in which kept calls of a function were recorded, with how many.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls_in_tests(&self, function: &FunctionId) -> Result<Vec<(String, u64)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT tests.name, count(*) FROM calls JOIN test_calls ON test_calls.call = calls.id \
                 JOIN tests ON tests.id = test_calls.test WHERE calls.function = ?1 GROUP BY tests.name",
            )?;
            let rows = statement.query_map([&function.0], |row| Ok((row.get(0)?, unsigned(row.get(1)?))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives recorded tests by their numbers; those that are gone are missing.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn recorded_tests(&self, tests: &[TestId]) -> Result<BTreeMap<TestId, RecordedTest>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT tests.id, tests.name, test_sessions.id, test_sessions.session FROM json_each(?1) AS wanted \
                 JOIN tests ON tests.id = wanted.value JOIN test_sessions ON test_sessions.id = tests.session",
            )?;
            let mut sessions: HashMap<i64, Arc<TestSession>> = HashMap::new();
            let mut found = BTreeMap::new();
            let mut rows = statement.query([to_json(tests)?])?;
            while let Some(row) = rows.next()? {
                let number: i64 = row.get(2)?;
                let session = match sessions.get(&number) {
                    Some(session) => session.clone(),
                    None => sessions.entry(number).or_insert(Arc::new(json(row, 3)?)).clone(),
                };
                found.insert(TestId(row.get(0)?), RecordedTest { name: row.get(1)?, session });
            }
            Ok(found)
        })
    }

    /// Gives the names of all tests of the sessions whose starts these are.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn tests_after(&self, starts: &[TestId]) -> Result<BTreeMap<TestId, Vec<String>>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT starts.id, tests.name FROM json_each(?1) AS wanted JOIN tests AS starts ON starts.id = wanted.value \
                 JOIN tests ON tests.session = starts.session WHERE tests.name <> '' ORDER BY tests.id",
            )?;
            let mut found: BTreeMap<TestId, Vec<String>> = BTreeMap::new();
            let mut rows = statement.query([to_json(starts)?])?;
            while let Some(row) = rows.next()? {
                found.entry(TestId(row.get(0)?)).or_default().push(row.get(1)?);
            }
            Ok(found)
        })
    }

    /// Gives what running tests again on the recorded code showed; those that were not run are missing.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn former_runs(&self, tests: &[TestId]) -> Result<HashMap<TestId, FormerRun>> {
        let stored: Vec<(TestId, String)> = self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT tests.id, former_run FROM json_each(?1) AS wanted JOIN tests ON tests.id = wanted.value \
                 WHERE former_run IS NOT NULL",
            )?;
            let rows = statement.query_map([to_json(tests)?], |row| Ok((TestId(row.get(0)?), row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })?;
        stored.into_iter().map(|(test, text)| Ok((test, from_json(&text)?))).collect()
    }

    /// Gives the milliseconds that tests took when they ran again on the recorded code.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn test_durations(&self, tests: &[TestId]) -> Result<HashMap<TestId, u64>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT tests.id, former_run ->> '$.ms' FROM json_each(?1) AS wanted JOIN tests ON tests.id = wanted.value \
                 WHERE former_run IS NOT NULL",
            )?;
            let rows = statement.query_map([to_json(tests)?], |row| {
                Ok((TestId(row.get(0)?), u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default()))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the test that ran fastest on the recorded code, of the newest session that has one.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn fastest_test(&self) -> Result<Option<TestId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM tests WHERE former_run ->> '$.passed' AND name <> '' \
                 ORDER BY session DESC, former_run ->> '$.ms', id LIMIT 1",
            )?;
            Ok(statement.query_row([], |row| row.get(0).map(TestId)).optional()?)
        })
    }

    /// Gives the modules that sessions of tests import before everything else, as far as they are known: their files, by name.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn session_modules(&self) -> Result<BySession> {
        self.by_session("SELECT session, modules FROM session_modules")
    }

    /// Gives the session fixtures that tests asked for while they ran: their names, by key.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn session_fixtures(&self) -> Result<BySession> {
        self.by_session("SELECT session, fixtures FROM session_fixtures")
    }

    fn by_session(&self, query: &'static str) -> Result<BySession> {
        self.read(move |connection| {
            let mut statement = connection.prepare_cached(query)?;
            let mut found = HashMap::new();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                found.insert(json(row, 0)?, json(row, 1)?);
            }
            Ok(found)
        })
    }

    /// Keeps the session fixtures that tests of a session asked for while they ran.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_session_fixtures(&self, session: &TestSession, fixtures: &BTreeMap<String, String>) -> Result<()> {
        self.put_by_session("INSERT OR REPLACE INTO session_fixtures (session, fixtures) VALUES (?1, ?2)", session, fixtures)
    }

    /// Keeps the modules that a session imports before everything else. What is known already stays: runs are compared with former
    /// ones that began in the same way.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_session_modules(&self, session: &TestSession, modules: &BTreeMap<String, String>) -> Result<()> {
        self.put_by_session("INSERT OR IGNORE INTO session_modules (session, modules) VALUES (?1, ?2)", session, modules)
    }

    fn put_by_session(&self, put: &'static str, session: &TestSession, names: &BTreeMap<String, String>) -> Result<()> {
        let row = [to_json(session)?, to_json(names)?];
        self.write(move |transaction| {
            transaction.execute(put, row)?;
            Ok(())
        })
    }

    /// Keeps what running tests again on the recorded code showed.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn put_former_runs(&self, runs: Vec<(TestId, FormerRun)>) -> Result<()> {
        self.write(move |transaction| {
            let mut put = transaction.prepare_cached("UPDATE tests SET former_run = ?2 WHERE id = ?1")?;
            let mut compared = transaction.prepare_cached("UPDATE test_calls SET compared = 1 WHERE call = ?1")?;
            for (test, run) in &runs {
                put.execute(params![test.0, to_json(run)?])?;
                for call in run.calls.values().flatten().filter_map(|one| one.call) {
                    compared.execute([call.0])?;
                }
            }
            Ok(())
        })
    }

    /// Lists the recordings with tests that were not run again yet, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn with_untried_tests(&self) -> Result<Vec<RecordingId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT recordings.id FROM test_sessions JOIN recordings ON recordings.id = test_sessions.recording \
                 WHERE NOT test_sessions.tried AND recordings.tried ORDER BY 1",
            )?;
            let rows = statement.query_map([], |row| row.get(0).map(RecordingId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes that a person chose the baseline of a call that is compared in its test: it is not what the recorded code did any more.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn note_chosen(&self, call: CallId) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("UPDATE test_calls SET compared = 2 WHERE call = ?1 AND compared", [call.0])?;
            Ok(())
        })
    }

    /// Lists those of some calls in tests whose baseline a person chose.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn chosen(&self, calls: &[CallId]) -> Result<HashSet<CallId>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT call FROM json_each(?1) AS wanted JOIN test_calls ON test_calls.call = wanted.value WHERE compared = 2",
            )?;
            let rows = statement.query_map([to_json(calls)?], |row| row.get(0).map(CallId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Tells whether calls of a recording were made in tests.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn has_tests(&self, recording: RecordingId) -> Result<bool> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM test_sessions WHERE recording = ?1)")?;
            Ok(statement.query_row([recording.0], |row| row.get(0))?)
        })
    }

    /// Notes that the tests of a recording were run again, as far as they can be.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn set_tests_tried(&self, recording: RecordingId) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("UPDATE test_sessions SET tried = 1 WHERE recording = ?1", [recording.0])?;
            Ok(())
        })
    }
}

/// Stores in which tests calls were made.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    recording: RecordingId,
    ids: &HashMap<SpoolCall, CallId>,
    in_tests: &[(SpoolCall, Arc<RecordedTest>)],
) -> Result<()> {
    let mut known: HashMap<&Arc<RecordedTest>, i64> = HashMap::new();
    let mut put = transaction.prepare_cached("INSERT OR IGNORE INTO test_calls (call, test) VALUES (?1, ?2)")?;
    // Of a call before the first test, its session is known when that test begins.
    let mut stored = transaction.prepare_cached("SELECT id FROM calls WHERE recording = ?1 AND process = ?2 AND number = ?3")?;
    for (spool, test) in in_tests {
        let call = match ids.get(spool) {
            Some(call) => *call,
            None => {
                let found = stored.query_row(params![recording.0, spool.process, spool.number], |row| row.get(0).map(CallId));
                let Some(call) = found.optional()? else { continue };
                call
            }
        };
        let number = match known.get(test) {
            Some(number) => *number,
            None => *known.entry(test).or_insert(number_of(transaction, recording, test)?),
        };
        put.execute(params![call.0, number])?;
    }
    Ok(())
}

fn number_of(transaction: &Transaction<'_>, recording: RecordingId, test: &RecordedTest) -> Result<i64> {
    let session = to_json(&*test.session)?;
    transaction
        .prepare_cached("INSERT OR IGNORE INTO test_sessions (recording, session) VALUES (?1, ?2)")?
        .execute(params![recording.0, session])?;
    let session: i64 = transaction
        .prepare_cached("SELECT id FROM test_sessions WHERE recording = ?1 AND session = ?2")?
        .query_row(params![recording.0, session], |row| row.get(0))?;
    transaction
        .prepare_cached("INSERT OR IGNORE INTO tests (session, name) VALUES (?1, ?2)")?
        .execute(params![session, test.name])?;
    Ok(transaction
        .prepare_cached("SELECT id FROM tests WHERE session = ?1 AND name = ?2")?
        .query_row(params![session, test.name], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::Digest;
    use crate::domain::function::FunctionId;
    use crate::domain::recorded_test::{FormerCall, Runner};
    use crate::store::Batch;
    use crate::store::samples::{batch, recording, spool};

    fn test(name: &str) -> Arc<RecordedTest> {
        let session = TestSession {
            root: "/srv/shop".into(),
            cwd: "/srv/shop".into(),
            path: vec!["/srv/shop".into()],
            runner: Runner::Pytest { config: None, options: vec!["-q".into()] },
        };
        Arc::new(RecordedTest { name: name.into(), session: Arc::new(session) })
    }

    #[test]
    fn the_fixtures_of_a_session_are_those_that_were_kept_last() {
        let store = crate::store::open_in_memory().unwrap();
        let session = (*test("test_a.py::test_a").session).clone();
        let fixtures = |name: &str| BTreeMap::from([(format!("{name}@"), name.to_owned())]);
        assert!(store.session_fixtures().unwrap().is_empty());
        store.put_session_fixtures(&session, &fixtures("app")).unwrap();
        store.put_session_fixtures(&session, &fixtures("database")).unwrap();
        assert_eq!(store.session_fixtures().unwrap(), HashMap::from([(session, fixtures("database"))]));
    }

    #[test]
    fn sessions_with_former_runs_import_nothing_first_and_what_is_known_stays() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let tables = "CREATE TABLE test_sessions (id INTEGER PRIMARY KEY, session TEXT NOT NULL);
            CREATE TABLE tests (session INTEGER NOT NULL, former_run TEXT);
            INSERT INTO test_sessions VALUES (1, '\"ran\"'), (2, '\"ran\"'), (3, '\"new\"');
            INSERT INTO tests VALUES (1, '{}'), (2, '{}'), (3, NULL);";
        connection.execute_batch(tables).unwrap();
        connection.execute_batch(include_str!("schema/v13.sql")).unwrap();
        let known = connection.query_row("SELECT group_concat(session || modules) FROM session_modules", [], |row| row.get(0));
        assert_eq!(known, Ok("\"ran\"{}".to_owned()));

        let store = crate::store::open_in_memory().unwrap();
        let session = (*test("test_a.py::test_a").session).clone();
        let modules = BTreeMap::from([("flask".to_owned(), "/lib/flask/__init__.py".to_owned())]);
        store.put_session_modules(&session, &modules).unwrap();
        store.put_session_modules(&session, &BTreeMap::new()).unwrap();
        assert_eq!(store.session_modules().unwrap(), HashMap::from([(session, modules)]));
    }

    #[test]
    fn sessions_of_former_databases_were_pytest_s() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE test_sessions (session TEXT NOT NULL)").unwrap();
        let former = r#"{"root":"/srv/shop","config":null,"options":["-q"],"cwd":"/srv/shop","path":["/srv/shop"]}"#;
        connection.execute("INSERT INTO test_sessions VALUES (?1)", [former]).unwrap();
        connection.execute_batch(include_str!("schema/v12.sql")).unwrap();
        let today: String = connection.query_row("SELECT session FROM test_sessions", [], |row| row.get(0)).unwrap();
        assert_eq!(today, to_json(&*test("t.py::a").session).unwrap());
    }

    #[test]
    fn calls_know_their_tests_and_tests_what_running_them_again_showed() {
        let store = crate::store::open_in_memory().unwrap();
        let id = store.begin_recording(&recording()).unwrap();
        let in_tests = vec![(spool(0), test("t.py::a")), (spool(1), test("t.py::b")), (spool(2), test("t.py::a"))];
        let calls = store.ingest(id, Batch { in_tests, ..batch("shop:total", 4) }).unwrap();
        let ids: Vec<CallId> = (0..4).map(|number| calls[&spool(number)]).collect();
        let tests = store.tests_of(&ids).unwrap();
        assert_eq!(tests[&ids[0]], tests[&ids[2]]);
        assert_ne!(tests[&ids[0]], tests[&ids[1]]);
        assert!(!tests.contains_key(&ids[3]), "a call outside of tests has none");
        let start = Arc::new(RecordedTest::start_of(test("").session.clone()));
        store.ingest(id, Batch { in_tests: vec![(spool(3), start)], ..Batch::default() }).unwrap();
        let starts = [store.tests_of(&ids).unwrap()[&ids[3]]];
        let after = store.tests_after(&starts).unwrap();
        assert_eq!(
            after[&starts[0]],
            ["t.py::a", "t.py::b"],
            "of a call that is stored, the start of its session is known later"
        );
        let found = store.recorded_tests(&[tests[&ids[1]]]).unwrap();
        assert_eq!(found[&tests[&ids[1]]], *test("t.py::b"));
        let run = FormerRun {
            passed: true,
            ms: 3,
            calls: BTreeMap::from([(
                FunctionId("shop:total".into()),
                vec![
                    FormerCall { input: Digest(7), varies: false, call: Some(ids[1]) },
                    FormerCall { input: Digest(8), varies: true, call: None },
                ],
            )]),
        };
        store.put_former_runs(vec![(tests[&ids[1]], run.clone())]).unwrap();
        assert_eq!(
            store.former_runs(&tests.values().copied().collect::<Vec<_>>()).unwrap(),
            HashMap::from([(tests[&ids[1]], run)])
        );
        assert_eq!(store.compared_in_tests(&ids).unwrap(), HashMap::from([(ids[1], tests[&ids[1]])]));
        store.set_tried(id).unwrap();
        assert_eq!(store.with_untried_tests().unwrap(), [id]);
        store.set_tests_tried(id).unwrap();
        assert!(store.with_untried_tests().unwrap().is_empty());
    }
}
