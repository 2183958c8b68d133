//! Recordings: begun, counted, ended, listed, and removed when there are too many.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{json, to_json};
use super::numbers::{signed, unsigned};
use crate::base::clock::Moment;
use crate::domain::call::{COUNTED, ProgramEnd, Recording, RecordingId};
use crate::domain::killer::Killer;

/// More than this many bytes of rows are not kept: the oldest recordings that nothing rests on go first.
const SIZE_MAX: i64 = 512 << 20;

/// What a pruning removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Recordings.
    pub recordings: u64,
    /// Their calls.
    pub calls: u64,
}

const COLUMNS: &str = "id, command, cwd, interpreter, python, checked_out, started, duration_ms, ending, seen, kept, \
     functions, raised, threads, gaps, recorder_seen";
/// Calls of the function that was called most often.
const MOST_CALLS: &str = "(SELECT coalesce(max(calls), 0) FROM counts WHERE counts.recording = recordings.id)";

impl Store {
    /// Stores a recording that begins now; its `id` is ignored.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn begin_recording(&self, recording: &Recording) -> Result<RecordingId> {
        let recording = recording.clone();
        self.write(move |transaction| {
            transaction.execute(
                "INSERT INTO recordings (command, cwd, started, process, duration_ms, ending, running, seen, kept, \
                 functions, raised, threads, gaps, recorder_seen) VALUES (?1, ?2, ?3, ?4, 0, '', 1, 0, 0, 0, 0, 0, '[]', 0)",
                params![to_json(&recording.command)?, recording.cwd, recording.started.0, std::process::id()],
            )?;
            let id = RecordingId(transaction.last_insert_rowid());
            save(transaction, &Recording { id, ..recording })?;
            Ok(id)
        })
    }

    /// Stores the counters, the end and the gaps of a recording as they are now; command, folder and start stay.
    ///
    /// # Errors
    /// Fails when there is no such recording or the database cannot be written.
    pub fn update_recording(&self, recording: &Recording) -> Result<()> {
        let recording = recording.clone();
        self.write(move |transaction| save(transaction, &recording))
    }

    /// Gives one recording.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn recording(&self, id: RecordingId) -> Result<Option<Recording>> {
        self.read(|connection| {
            let sql = format!("SELECT {COLUMNS}, {MOST_CALLS} > {COUNTED} FROM recordings WHERE id = ?1");
            Ok(connection.query_row(&sql, [id.0], load).optional()?)
        })
    }

    /// Lists the recordings, the newest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn recordings(&self) -> Result<Vec<Recording>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("SELECT {COLUMNS}, {MOST_CALLS} > {COUNTED} FROM recordings ORDER BY id DESC"))?;
            let rows = statement.query_map([], load)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Notes that the calls of a recording were tried once more.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn set_tried(&self, id: RecordingId) -> Result<()> {
        self.write(move |transaction| {
            transaction.execute("UPDATE recordings SET tried = 1 WHERE id = ?1", [id.0])?;
            Ok(())
        })
    }

    /// Lists the ended recordings whose calls were not tried once more, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn untried(&self) -> Result<Vec<RecordingId>> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT id FROM recordings WHERE NOT tried AND NOT running AND kept > 0 ORDER BY id")?;
            let rows = statement.query_map([], |row| row.get(0).map(RecordingId))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Removes a recording, unless something rests on it or it still runs; tells whether it is gone.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn forget_recording(&self, id: RecordingId) -> Result<bool> {
        self.write(move |transaction| {
            let sql = format!("DELETE FROM recordings WHERE id = ?1 AND {RESTS_ON_NOTHING}");
            Ok(transaction.execute(&sql, [id.0])? > 0)
        })
    }

    /// Removes recordings but the newest `keep`, those that still run, and those that a proposal rests on, unless it was
    /// rejected. When the database is over its size, it goes on with the oldest of the rest.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn prune(&self, keep: u32) -> Result<Pruned> {
        let pruned = self.write(move |transaction| {
            // The newest recording always stays.
            let keep = keep.max(1);
            let mut pruned = Pruned::default();
            for (position, id) in removable(transaction)? {
                if position < keep && (position == 0 || used_bytes(transaction)? <= SIZE_MAX) {
                    break;
                }
                pruned.calls += transaction
                    .query_row("SELECT count(*) FROM calls WHERE recording = ?1", [id], |row| row.get(0).map(unsigned))?;
                transaction.execute("DELETE FROM recordings WHERE id = ?1", [id])?;
                pruned.recordings += 1;
            }
            Ok(pruned)
        })?;
        if pruned.recordings > 0 {
            self.on_writer(|connection| {
                let mut statement = connection.prepare("PRAGMA incremental_vacuum(4096)")?;
                let mut pages = statement.query([])?;
                while pages.next()?.is_some() {}
                Ok(())
            })?;
        }
        Ok(pruned)
    }
}

/// Ends recordings that say they run though the process that made them is gone, and gives their numbers: their spools
/// may still be there.
pub(super) fn end_interrupted(connection: &Connection) -> Result<Vec<RecordingId>> {
    let mut statement = connection.prepare("SELECT id, process FROM recordings WHERE running ORDER BY id")?;
    let running =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<Vec<(i64, i32)>>>()?;
    let mut ended = Vec::new();
    let end = to_json(&ProgramEnd::Killed(Killer::Unwatched))?;
    for (id, process) in running {
        if is_alive(process) {
            continue;
        }
        // Counted from what is stored: the process that counted did not come to note it.
        connection.execute(
            "UPDATE recordings SET running = 0, ending = ?2, \
             kept = max(kept, (SELECT count(*) FROM calls WHERE recording = ?1)), \
             seen = max(seen, (SELECT coalesce(sum(calls), 0) FROM counts WHERE recording = ?1)), \
             functions = max(functions, (SELECT count(*) FROM counts WHERE recording = ?1)), \
             recorder_seen = recorder_seen OR EXISTS (SELECT 1 FROM counts WHERE recording = ?1) WHERE id = ?1",
            params![id, end],
        )?;
        ended.push(RecordingId(id));
    }
    Ok(ended)
}

fn is_alive(process: i32) -> bool {
    rustix::process::Pid::from_raw(process).is_some_and(|pid| {
        // "Not permitted" means that it is there.
        rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
    })
}

/// Recordings that have ended and that nothing rests on; a rejected change still says what its calls have to give.
pub(super) const RESTS_ON_NOTHING: &str = "NOT running AND NOT EXISTS (SELECT 1 FROM citations \
     JOIN calls ON calls.id = citations.call JOIN proposals ON proposals.id = citations.proposal \
     WHERE calls.recording = recordings.id AND (proposals.state <> 'rejected' OR proposals.kind = 'change'))";

/// Lists recordings that may go with their places from the newest on, the oldest first.
fn removable(connection: &Connection) -> Result<Vec<(u32, i64)>> {
    let mut statement = connection.prepare(&format!(
        "SELECT (SELECT count(*) FROM recordings newer WHERE newer.id > recordings.id), id FROM recordings \
         WHERE {RESTS_ON_NOTHING} ORDER BY id"
    ))?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub(super) fn used_bytes(connection: &Connection) -> Result<i64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    Ok((pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?)
}

fn save(connection: &Connection, recording: &Recording) -> Result<()> {
    let changed = connection.execute(
        "UPDATE recordings SET interpreter = ?2, python = ?3, checked_out = ?4, duration_ms = ?5, ending = ?6, running = ?7, \
         seen = ?8, kept = ?9, functions = ?10, raised = ?11, threads = ?12, gaps = ?13, recorder_seen = ?14 WHERE id = ?1",
        params![
            recording.id.0,
            recording.interpreter,
            recording.python,
            recording.commit,
            recording.duration_ms,
            to_json(&recording.end)?,
            recording.end == ProgramEnd::Running,
            signed(recording.seen),
            signed(recording.kept),
            signed(recording.functions),
            signed(recording.raised),
            signed(recording.threads),
            to_json(&recording.gaps)?,
            recording.recorder_seen,
        ],
    )?;
    if changed == 0 { Err(StoreError::Missing { what: "recording", id: recording.id.0 }) } else { Ok(()) }
}

fn load(row: &Row<'_>) -> rusqlite::Result<Recording> {
    let count = |column| row.get(column).map(unsigned);
    Ok(Recording {
        id: RecordingId(row.get(0)?),
        command: json(row, 1)?,
        cwd: row.get(2)?,
        interpreter: row.get(3)?,
        python: row.get(4)?,
        commit: row.get(5)?,
        started: Moment(row.get(6)?),
        duration_ms: row.get(7)?,
        end: json(row, 8)?,
        seen: count(9)?,
        kept: count(10)?,
        functions: count(11)?,
        raised: count(12)?,
        threads: count(13)?,
        gaps: json(row, 14)?,
        recorder_seen: row.get(15)?,
        at_least: row.get(16)?,
    })
}
