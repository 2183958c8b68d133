//! Recorded calls: stored batch by batch as their records arrive, read merged by input.
//!
//! Start and end of a call are different records, and a parent may be read after its child; so a call is found by its
//! [`SpoolCall`] until it has a number, and parents are looked up when calls are read.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, Row, Statement, ToSql, Transaction, params};

use super::edges;
use super::error::Result;
use super::handle::Store;
use super::import_variables;
use super::journeys;
use super::json::{json, to_json};
use super::numbers::{signed, unsigned};
use crate::base::hash::Digest;
pub use crate::domain::batch::{Batch, CallEnd, CallTimes, CallTouch, CallerCount, Edge, FunctionCount, NewCall, SpoolCall};
use crate::domain::call::{CallId, RecordingId};
use crate::domain::external_access::ExternalAccess;
use crate::domain::function::FunctionId;
use crate::domain::reason::Reason;
use crate::domain::snapshot::CallKind;
use crate::domain::touch::{FileAccess, Touch};

/// A call as it is stored: values still in the recorder's bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredCall {
    /// Its number.
    pub id: CallId,
    /// Its recording.
    pub recording: RecordingId,
    /// The function.
    pub function: FunctionId,
    /// Its file below the root.
    pub path: String,
    /// The kept call it was made from.
    pub parent: Option<CallId>,
    /// The project function that called it, where known.
    pub caller: Option<FunctionId>,
    /// The caller's line.
    pub caller_line: Option<u32>,
    /// Called from outside the project.
    pub direct: bool,
    /// The thread.
    pub thread: u32,
    /// The asyncio task, 0 for none.
    pub task: u32,
    /// The receiver's number, for methods.
    pub receiver: Option<u64>,
    /// Start, in nanoseconds since the recording's start.
    pub start_ns: i64,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// Hash of the function and its arguments.
    pub input: Digest,
    /// How often this input was seen: in all recordings where inputs are merged.
    pub times: u64,
    /// It ended by an exception.
    pub failed: bool,
    /// What it touched.
    pub touches: Vec<Touch>,
    /// Why it cannot be run again.
    pub not_replayable: Option<Reason>,
    /// The arguments, as in [`NewCall`].
    pub args: Vec<u8>,
    /// The recorded outcome, as in [`CallEnd`]; `None` when the call did not end.
    pub outcome: Option<Vec<u8>>,
}

/// Where a call stands in the life of an object: ordinals of objects mean something inside one process only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// The call.
    pub call: CallId,
    /// Its recording.
    pub recording: RecordingId,
    /// Its process in the recording.
    pub process: i64,
    /// The object it was made on.
    pub receiver: Option<u64>,
    /// Start, in nanoseconds since the recording's start.
    pub start_ns: i64,
    /// The kept call it was made from.
    pub parent: Option<CallId>,
}

/// A function as the kept recordings know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionTotal {
    /// The function.
    pub function: FunctionId,
    /// Calls seen.
    pub calls: u64,
}

/// The calls of a function `?1`, those of equal inputs as one, the newest first.
const MERGED: &str = "FROM (SELECT id, sum(times) OVER (PARTITION BY input) AS total, row_number() OVER (PARTITION BY input \
                      ORDER BY outcome IS NULL, recording DESC, id) AS place FROM calls WHERE function = ?1) AS merged \
                      JOIN calls c ON c.id = merged.id WHERE merged.place = 1 ORDER BY c.recording DESC, c.id";

/// The columns of a call, `{times}` being the column or sum that says how often.
fn select(times: &str) -> String {
    format!(
        "SELECT c.id, c.recording, c.function, c.path, (SELECT p.id FROM calls p WHERE p.recording = c.recording AND \
         p.process = c.process AND p.number = c.parent_number), c.caller, c.caller_line, c.direct, c.thread, c.task, \
         c.receiver, c.start_ns, c.duration_ns, c.input, {times}, c.failed, c.touches, c.not_replayable, c.args, c.outcome"
    )
}

/// A kept call that left its process.
#[derive(Debug, Clone)]
pub struct Reach {
    /// The call.
    pub call: CallId,
    /// Its function.
    pub function: FunctionId,
    /// How it left its process.
    pub access: ExternalAccess,
    /// It came to its end.
    pub ended: bool,
}

impl Store {
    /// Stores what a reading of the spools found, all of it or nothing. A call that is there already is not stored
    /// twice, so that spools can be read again after a crash. Gives the numbers of the started calls.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn ingest(&self, recording: RecordingId, batch: impl Into<Arc<Batch>>) -> Result<HashMap<SpoolCall, CallId>> {
        let batch = batch.into();
        self.write(move |transaction| {
            // A call that began and ended between two readings is written once, with its end.
            let mut ends: HashMap<SpoolCall, &CallEnd> = batch.ends.iter().map(|end| (end.spool, end)).collect();
            let ids = insert_calls(transaction, recording, &batch.calls, &mut ends)?;
            update_calls(transaction, recording, &batch, &ends)?;
            insert_totals(transaction, recording, &batch)?;
            import_variables::insert(transaction, recording, &batch.import_variables)?;
            super::recorded_tests::insert(transaction, recording, &ids, &batch.in_tests)?;
            journeys::insert(transaction, recording, &batch.journey)?;
            Ok(ids)
        })
    }

    /// Gives the calls of a function, calls with equal inputs as one (that of the newest recording, finished if there is
    /// one), the newest first and at most `cap`.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls_of(&self, function: &FunctionId, cap: usize) -> Result<Vec<StoredCall>> {
        self.read(|connection| {
            let sql = format!("{} {MERGED} LIMIT ?2", select("merged.total"));
            let cap = i64::try_from(cap).unwrap_or(i64::MAX);
            list(connection, &sql, params![function.0, cap])
        })
    }

    /// Lists all kinds of calls of a function, in the order of [`Store::calls_of`]: a few bytes each, however many they are.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn kinds_of(&self, function: &FunctionId) -> Result<Vec<CallKind>> {
        self.read(|connection| {
            let sql = format!("SELECT c.id, c.input, merged.total {MERGED}");
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map([&function.0], |row| {
                Ok(CallKind { id: CallId(row.get(0)?), input: Digest(unsigned(row.get(1)?)), times: unsigned(row.get(2)?) })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives calls by their numbers, in that order; those that are gone are left out.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls(&self, ids: &[CallId]) -> Result<Vec<StoredCall>> {
        self.read(|connection| {
            let sql = format!(
                "{} FROM json_each(?1) AS wanted JOIN calls c ON c.id = wanted.value ORDER BY wanted.key",
                select("c.times")
            );
            list(connection, &sql, [to_json(ids)?])
        })
    }

    /// Gives the kept calls made from these calls, at most `most` each, in the order they started; each knows its parent.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn children(&self, calls: &[CallId], most: usize) -> Result<Vec<StoredCall>> {
        self.read(|connection| {
            let sql = format!(
                "{} FROM (SELECT child.id, row_number() OVER (PARTITION BY parent.id ORDER BY child.start_ns, child.id) AS place \
                 FROM json_each(?1) AS wanted JOIN calls parent ON parent.id = wanted.value \
                 JOIN calls child ON child.recording = parent.recording AND child.process = parent.process \
                 AND child.parent_number = parent.number) AS ranked \
                 JOIN calls c ON c.id = ranked.id WHERE ranked.place <= ?2 ORDER BY c.start_ns, c.id",
                select("c.times")
            );
            list(connection, &sql, params![to_json(calls)?, i64::try_from(most).unwrap_or(i64::MAX)])
        })
    }

    /// Lists the kept calls that read one of these files, themselves or through calls they made, each with what
    /// was done with which file.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn readers(&self, of: &[FileAccess]) -> Result<Vec<(CallId, FunctionId, FileAccess)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "WITH RECURSIVE readers(id, function, recording, process, parent_number, noted) AS (
                 SELECT c.id, c.function, c.recording, c.process, c.parent_number, touch.value ->> 'detail'
                 FROM calls c, json_each(c.touches) AS touch
                 WHERE c.touches LIKE '%\"file\"%' AND touch.value ->> 'kind' = 'file'
                 AND touch.value ->> 'detail' IN (SELECT value FROM json_each(?1))
                 UNION SELECT p.id, p.function, p.recording, p.process, p.parent_number, readers.noted
                 FROM readers JOIN calls p ON p.recording = readers.recording AND p.process = readers.process
                 AND p.number = readers.parent_number)
                 SELECT id, function, noted FROM readers ORDER BY id",
            )?;
            let stored: Vec<String> = of.iter().map(FileAccess::to_string).collect();
            let rows = statement.query_map([to_json(&stored)?], |row| {
                Ok((CallId(row.get(0)?), FunctionId(row.get(1)?), FileAccess::from_stored(&row.get::<_, String>(2)?)))
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists what calls of each function did with files.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn files_touched(&self) -> Result<Vec<(FunctionId, FileAccess)>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT c.function, touch.value ->> 'detail' FROM calls c, json_each(c.touches) AS touch \
                 WHERE c.touches LIKE '%\"file\"%' AND touch.value ->> 'kind' = 'file'",
            )?;
            let rows = statement
                .query_map([], |row| Ok((FunctionId(row.get(0)?), FileAccess::from_stored(&row.get::<_, String>(1)?))))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists the kept calls that left their process themselves, in order of their start.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn reaching_out(&self) -> Result<Vec<Reach>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT c.id, c.function, min(touch.value ->> 'kind'), c.outcome IS NOT NULL FROM calls c, json_each(c.touches) AS touch \
                 WHERE (c.touches LIKE '%\"net\"%' OR c.touches LIKE '%\"process\"%') \
                 AND touch.value ->> 'kind' IN ('net', 'process') GROUP BY c.id ORDER BY c.start_ns, c.id",
            )?;
            let rows = statement.query_map([], |row| {
                let (call, function) = (CallId(row.get(0)?), FunctionId(row.get(1)?));
                // The query asks for these kinds alone.
                let access = ExternalAccess::from_stored(&row.get::<_, String>(2)?).unwrap_or(ExternalAccess::Process);
                Ok(Reach { call, function, access, ended: row.get(3)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Gives the kept calls of a recording, in the order they were stored.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn calls_in(&self, recording: RecordingId) -> Result<Vec<StoredCall>> {
        self.read(|connection| {
            let sql = format!("{} FROM calls c WHERE c.recording = ?1 ORDER BY c.id", select("c.times"));
            list(connection, &sql, [recording.0])
        })
    }

    /// Lists the functions that a recording has kept calls of.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn functions_in(&self, recording: RecordingId) -> Result<Vec<FunctionId>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT DISTINCT function FROM calls WHERE recording = ?1 ORDER BY 1")?;
            let rows = statement.query_map([recording.0], |row| Ok(FunctionId(row.get(0)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Hands over the kept calls of a recording one by one, in the order they began, at most so many.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn each_call_in(&self, recording: RecordingId, most: usize, mut take: impl FnMut(StoredCall)) -> Result<()> {
        self.read(|connection| {
            let sql = format!("{} FROM calls c WHERE c.recording = ?1 ORDER BY c.start_ns, c.id LIMIT ?2", select("c.times"));
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![recording.0, i64::try_from(most).unwrap_or(i64::MAX)])?;
            while let Some(row) = rows.next()? {
                take(load(row)?);
            }
            Ok(())
        })
    }

    /// Lists which process each kept call belongs to, and on which object it was made.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn lives(&self) -> Result<Vec<Life>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT c.id, c.recording, c.process, c.receiver, c.start_ns, p.id FROM calls c LEFT JOIN calls p ON \
                     p.recording = c.recording AND p.process = c.process AND p.number = c.parent_number \
                     ORDER BY c.start_ns, c.id",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Life {
                    call: CallId(row.get(0)?),
                    recording: RecordingId(row.get(1)?),
                    process: row.get(2)?,
                    receiver: row.get::<_, Option<i64>>(3)?.map(unsigned),
                    start_ns: row.get(4)?,
                    parent: row.get::<_, Option<i64>>(5)?.map(CallId),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes what calls touched, in place of what was noted of the same kind.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn set_touches(&self, noted: Vec<(CallId, Vec<Touch>)>) -> Result<()> {
        self.write(move |transaction| {
            let mut read = transaction.prepare_cached("SELECT touches FROM calls WHERE id = ?1")?;
            let mut update = transaction.prepare_cached("UPDATE calls SET touches = ?2 WHERE id = ?1")?;
            for (call, touches) in &noted {
                let mut all: Vec<Touch> = read.query_row([call.0], |row| json(row, 0))?;
                all.retain(|known| touches.iter().all(|touch| touch.kind() != known.kind()));
                all.extend(touches.iter().cloned());
                update.execute(params![call.0, to_json(&all)?])?;
            }
            Ok(())
        })
    }

    /// Notes why calls cannot be run again.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn set_not_replayable(&self, reasons: Vec<(CallId, Reason)>) -> Result<()> {
        self.write(move |transaction| {
            let mut update = transaction.prepare_cached("UPDATE calls SET not_replayable = ?2 WHERE id = ?1")?;
            for (call, reason) in &reasons {
                update.execute(params![call.0, reason])?;
            }
            Ok(())
        })
    }

    /// Lists the functions that the kept recordings saw, by name. However many calls there are, few of their rows are read.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn functions(&self) -> Result<Vec<FunctionTotal>> {
        self.read(|connection| {
            // Counts come once a second: calls of functions without any are counted by themselves. `kept` goes from one
            // function to the next in the index, over all of its calls.
            let mut statement = connection.prepare_cached(
                "WITH RECURSIVE kept(function) AS (SELECT min(function) FROM calls UNION ALL \
                 SELECT (SELECT min(function) FROM calls WHERE function > kept.function) FROM kept WHERE function IS NOT NULL) \
                 SELECT function, sum(calls) FROM counts GROUP BY function UNION ALL \
                 SELECT function, (SELECT sum(times) FROM calls WHERE calls.function = kept.function) FROM kept \
                 WHERE function IS NOT NULL AND function NOT IN (SELECT function FROM counts) ORDER BY 1",
            )?;
            let rows = statement
                .query_map([], |row| Ok(FunctionTotal { function: FunctionId(row.get(0)?), calls: unsigned(row.get(1)?) }))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists from where a function was called in the kept recordings, the most frequent place first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn callers(&self, function: &FunctionId) -> Result<Vec<CallerCount>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT caller, line, sum(times) FROM callers WHERE function = ?1 GROUP BY caller, line \
                 ORDER BY sum(times) DESC, caller, line",
            )?;
            let rows = statement.query_map([&function.0], |row| {
                let (caller, line): (String, u32) = (row.get(0)?, row.get(1)?);
                Ok(CallerCount {
                    function: function.clone(),
                    caller: (!caller.is_empty()).then_some(FunctionId(caller)),
                    line: (line > 0).then_some(line),
                    times: unsigned(row.get(2)?),
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// Inserts calls, with their ends where they are in `ends`, and takes those out of it.
fn insert_calls(
    transaction: &Transaction<'_>,
    recording: RecordingId,
    calls: &[NewCall],
    ends: &mut HashMap<SpoolCall, &CallEnd>,
) -> Result<HashMap<SpoolCall, CallId>> {
    let mut find = transaction.prepare_cached("SELECT id FROM calls WHERE recording = ?1 AND process = ?2 AND number = ?3")?;
    // Numbers are given once: one above these is of a call that was not there.
    let known: i64 = transaction.query_row("SELECT coalesce(max(id), 0) FROM calls", [], |row| row.get(0))?;
    let mut ids = HashMap::with_capacity(calls.len());
    let (mut many, mut one) = (transaction.prepare_cached(&insertion(ROWS))?, transaction.prepare_cached(&insertion(1))?);
    let groups = calls.chunks_exact(ROWS);
    for group in groups.clone().chain(groups.remainder().chunks(1)) {
        let insert = if group.len() == ROWS { &mut many } else { &mut one };
        insert.raw_bind_parameter(1, recording.0)?;
        for (row, call) in group.iter().enumerate() {
            bind(insert, 2 + row * PARAMETERS, call, ends.get(&call.spool).copied())?;
        }
        let all_new = insert.raw_execute()? == group.len();
        // New calls are numbered one after another.
        let after = transaction.last_insert_rowid() + 1;
        let first = after - i64::try_from(group.len()).unwrap_or(i64::MAX);
        for (new, NewCall { spool, .. }) in (first..after).zip(group) {
            let id =
                if all_new { new } else { find.query_row(params![recording.0, spool.process, spool.number], |row| row.get(0))? };
            // One that was there already is left as it was, and its end is still to be written.
            if id > known {
                ends.remove(spool);
            }
            ids.insert(*spool, CallId(id));
        }
    }
    Ok(ids)
}

/// Rows that one statement inserts: what comes with each statement costs as much as a row.
const ROWS: usize = 16;

/// Parameters of a row, next to the recording, which is the first of all.
const PARAMETERS: usize = 18;

/// Gives the statement that inserts so many calls, but for those that are there already.
fn insertion(rows: usize) -> String {
    let row = |row: usize| {
        let parameters = (0..PARAMETERS).map(|at| format!("?{}, ", 2 + row * PARAMETERS + at)).collect::<String>();
        format!("(?1, {parameters}1, '[]')")
    };
    format!(
        "INSERT INTO calls (recording, process, number, parent_number, function, path, caller, caller_line, direct, thread, \
         task, receiver, start_ns, input, args, outcome, failed, duration_ns, not_replayable, times, touches) VALUES {} \
         ON CONFLICT (recording, process, number) DO NOTHING",
        (0..rows).map(row).collect::<Vec<_>>().join(", ")
    )
}

/// Binds a call's parameters, from this one on, in the order of [`insertion`].
fn bind(insert: &mut Statement<'_>, first: usize, call: &NewCall, end: Option<&CallEnd>) -> rusqlite::Result<()> {
    let values: [&dyn ToSql; PARAMETERS] = [
        &call.spool.process,
        &call.spool.number,
        &call.parent,
        &call.function.0,
        &call.path,
        &call.caller.as_ref().map(|caller| &caller.0),
        &call.caller_line,
        &call.direct,
        &call.thread,
        &call.task,
        &call.receiver.map(signed),
        &call.start_ns,
        &signed(call.input.0),
        &call.args,
        &end.map(|end| &end.outcome),
        &end.is_some_and(|end| end.failed),
        &end.map_or(0, |end| end.duration_ns),
        &end.and_then(|end| end.not_replayable.as_ref()),
    ];
    values.iter().enumerate().try_for_each(|(at, value)| insert.raw_bind_parameter(first + at, value))
}

fn update_calls(
    transaction: &Transaction<'_>,
    recording: RecordingId,
    batch: &Batch,
    ends: &HashMap<SpoolCall, &CallEnd>,
) -> Result<()> {
    const WHICH: &str = "WHERE recording = ?1 AND process = ?2 AND number = ?3";
    let mut touch = transaction.prepare_cached(&format!(
        "UPDATE calls SET touches = json_insert(touches, '$[#]', json(?4)) {WHICH} AND NOT EXISTS \
         (SELECT 1 FROM json_each(touches) WHERE value = json(?4))"
    ))?;
    for CallTouch { spool, touch: what } in &batch.touches {
        touch.execute(params![recording.0, spool.process, spool.number, to_json(what)?])?;
    }
    let mut end = transaction
        .prepare_cached(&format!("UPDATE calls SET outcome = ?4, failed = ?5, duration_ns = ?6, not_replayable = ?7 {WHICH}"))?;
    for ended in ends.values() {
        end.execute(params![
            recording.0,
            ended.spool.process,
            ended.spool.number,
            ended.outcome,
            ended.failed,
            ended.duration_ns,
            ended.not_replayable,
        ])?;
    }
    let mut times = transaction.prepare_cached(&format!("UPDATE calls SET times = ?4 {WHICH}"))?;
    for seen in &batch.times {
        times.execute(params![recording.0, seen.spool.process, seen.spool.number, signed(seen.times)])?;
    }
    Ok(())
}

fn insert_totals(transaction: &Transaction<'_>, recording: RecordingId, batch: &Batch) -> Result<()> {
    let mut count = transaction
        .prepare_cached("INSERT OR REPLACE INTO counts (recording, function, calls, missed) VALUES (?1, ?2, ?3, ?4)")?;
    for total in &batch.counts {
        count.execute(params![recording.0, total.function.0, signed(total.calls), to_json(&total.missed)?])?;
    }
    let mut caller = transaction.prepare_cached(
        "INSERT OR REPLACE INTO callers (recording, function, caller, line, times) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for total in &batch.callers {
        // Unknown callers and lines are stored as nothing: NULLs would not be unique.
        let name = total.caller.as_ref().map_or("", |caller| caller.0.as_str());
        caller.execute(params![recording.0, total.function.0, name, total.line.unwrap_or(0), signed(total.times)])?;
    }
    edges::put(transaction, recording, &batch.edges)
}

fn list(connection: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<StoredCall>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn load(row: &Row<'_>) -> rusqlite::Result<StoredCall> {
    Ok(StoredCall {
        id: CallId(row.get(0)?),
        recording: RecordingId(row.get(1)?),
        function: FunctionId(row.get(2)?),
        path: row.get(3)?,
        parent: row.get::<_, Option<i64>>(4)?.map(CallId),
        caller: row.get::<_, Option<String>>(5)?.map(FunctionId),
        caller_line: row.get(6)?,
        direct: row.get(7)?,
        thread: row.get(8)?,
        task: row.get(9)?,
        receiver: row.get::<_, Option<i64>>(10)?.map(unsigned),
        start_ns: row.get(11)?,
        duration_ns: row.get(12)?,
        input: Digest(unsigned(row.get(13)?)),
        times: unsigned(row.get(14)?),
        failed: row.get(15)?,
        touches: json(row, 16)?,
        not_replayable: row.get(17)?,
        args: row.get(18)?,
        outcome: row.get(19)?,
    })
}
