//! Tables, migrations, and how connections are opened and hardened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::error::{Result, StoreError};

/// Where connections lead.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// A file, written by this process too.
    File(PathBuf),
    /// A file that is only read.
    ReadOnly(PathBuf),
    /// A database in memory, by its shared name.
    Memory(String),
}

/// One step per released form of the database; never edited once released, only added to.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/v1.sql"),
    include_str!("schema/v2.sql"),
    include_str!("schema/v3.sql"),
    include_str!("schema/v4.sql"),
    include_str!("schema/v5.sql"),
    include_str!("schema/v6.sql"),
    include_str!("schema/v7.sql"),
    include_str!("schema/v8.sql"),
    include_str!("schema/v9.sql"),
    include_str!("schema/v10.sql"),
    include_str!("schema/v11.sql"),
    include_str!("schema/v12.sql"),
    include_str!("schema/v13.sql"),
    include_str!("schema/v14.sql"),
];

/// The form this program writes, kept in `user_version`.
pub(super) const VERSION: usize = MIGRATIONS.len();

/// How long a connection waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the connection that writes, brings the database to today's form, and gives it this identity if it has none.
pub(super) fn writer(place: &Place, identity: &str) -> Result<Connection> {
    let mut connection = match place {
        Place::File(path) | Place::ReadOnly(path) => open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?,
        Place::Memory(name) => open_memory(name)?,
    };
    if !has_tables(&connection)? {
        // Must precede the first table. Room freed by removed recordings goes back to the disk.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    migrate(&mut connection, identity)?;
    if matches!(place, Place::File(_)) {
        // File systems without shared memory refuse WAL and keep the rollback journal, which is as safe, only slower.
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "journal_size_limit", 8 << 20)?;
        // Calls come in no order of the indexes they go into: with little memory, and a log that is folded in often, each
        // page of an index is read and written again and again.
        connection.pragma_update(None, "wal_autocheckpoint", 8_000)?;
        connection.pragma_update(None, "cache_size", -32 * 1024)?;
    }
    // What a statement may have to take back is kept for each of them: in a temporary file it is most of what is written.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// Opens a connection that only reads.
pub(super) fn reader(place: &Place) -> Result<Connection> {
    let connection = match place {
        Place::File(path) => open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
        Place::ReadOnly(path) => read_only(path)?,
        Place::Memory(name) => open_memory(name)?,
    };
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Opens a file for reading where nothing may be written: without a log's shared memory if that cannot be made.
pub(super) fn read_only(path: &Path) -> Result<Connection> {
    let opened = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        version(&connection)?;
        Ok(connection)
    });
    match opened {
        Ok(connection) => Ok(connection),
        Err(StoreError::Damaged) => Err(StoreError::Damaged),
        Err(_) => unchanging(path),
    }
}

/// Opens a file that nobody writes: nothing is locked, and nothing is made beside it.
pub(super) fn unchanging(path: &Path) -> Result<Connection> {
    let uri = format!("file:{}?immutable=1", uri_path(path));
    let connection = Connection::open_with_flags(uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
    harden(&connection)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection> {
    // By an address, as a statement may then name one for its copy.
    let uri = format!("file:{}", uri_path(path));
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri, flags)?;
    harden(&connection)?;
    Ok(connection)
}

fn open_memory(name: &str) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(memory_address(name), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    harden(&connection)?;
    Ok(connection)
}

/// Copies a database that is only read to an empty place in memory; gives the connection that keeps the copy there.
pub(super) fn copy(file: &Path, to: &Place, most: u64) -> Result<Connection> {
    let Place::Memory(name) = to else { return Err(StoreError::read_only("it is copied into memory alone")) };
    let from = read_only(file)?;
    let pages: i64 = from.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let size: i64 = from.pragma_query_value(None, "page_size", |row| row.get(0))?;
    if pages.saturating_mul(size).unsigned_abs() > most {
        return Err(StoreError::read_only("it is too large for memory"));
    }
    let kept = open_memory(name)?;
    // A copy page by page would keep the mode of a log, which memory has no place for.
    from.execute("VACUUM INTO ?1", [memory_address(name)])?;
    Ok(kept)
}

/// Names a database in memory for SQLite.
fn memory_address(name: &str) -> String {
    format!("file:/{name}?vfs=memdb")
}

/// Takes from a database file every way to make SQLite do more than read and write rows.
fn harden(connection: &Connection) -> Result<()> {
    connection.busy_timeout(PATIENCE)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    Ok(())
}

/// Writes a path for a `file:` address.
fn uri_path(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// Reads the form of the database.
pub(super) fn version(connection: &Connection) -> Result<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}

/// Tells whether there is anything in the database.
pub(super) fn has_tables(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?)
}

/// The table of the identity, in every form of the database.
const META: &str = "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

/// Reads the random identity, if the table that holds it is there and is what it seems: a view or a computed column could
/// keep the reader busy for ever.
pub(super) fn identity(connection: &Connection) -> Result<Option<String>> {
    let plain: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'meta' AND type = 'table' AND sql = ?1)",
        [META],
        |row| row.get(0),
    )?;
    if !plain {
        return Ok(None);
    }
    Ok(connection.query_row("SELECT value FROM meta WHERE key = 'id'", [], |row| row.get(0)).optional()?)
}

/// Tells whether the tables are exactly those this program made when it wrote that form: no view, trigger or index of
/// somebody else's making.
pub(super) fn is_ours(connection: &Connection) -> Result<bool> {
    let version = version(connection)?;
    if version > VERSION {
        return Ok(false);
    }
    let model = Connection::open_in_memory()?;
    for step in &MIGRATIONS[..version] {
        model.execute_batch(step)?;
    }
    Ok(tables(connection)? == tables(&model)?)
}

fn tables(connection: &Connection) -> Result<Vec<(String, String, Option<String>)>> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Brings the database to today's form, in one transaction; a second process that comes at the same time waits and
/// finds nothing left to do.
fn migrate(connection: &mut Connection, identity: &str) -> Result<()> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (index, step) in MIGRATIONS.iter().enumerate().skip(version(&transaction)?) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", i64::try_from(index + 1).unwrap_or(i64::MAX))?;
    }
    transaction.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('id', ?1)", [identity])?;
    transaction.commit()?;
    Ok(())
}

/// Makes up an identity for a new database.
pub(super) fn new_identity() -> Result<String> {
    let connection = Connection::open_in_memory()?;
    Ok(connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?)
}

/// Checks the structure of the whole file.
pub(super) fn is_sound(connection: &Connection) -> Result<bool> {
    let answer: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(answer == "ok")
}
