//! The verdicts that pytest-semantic kept in a project. The file lies where anybody may have written it: it is only read,
//! one row at a time, and what it says decides nothing.

use std::fs;
use std::path::Path;

use rusqlite::OptionalExtension;

use super::error::Result;
use super::schema;

/// A larger file is none of its own.
const FILE_MAX: u64 = 256 << 20;
/// Bytes of a reason.
const REASON_MAX: u32 = 16 << 10;
/// The one table there may be, as it was made.
const TABLE: &str = "CREATE TABLE semantic_evaluations ( eval_hash TEXT PRIMARY KEY, passed BOOLEAN, reason TEXT )";

/// What it said of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    /// It passed.
    pub passed: bool,
    /// Why; any text at all.
    pub reason: String,
}

/// Finds what was kept under a key; nothing where there is no such file, where it is another one, and where it is damaged.
#[must_use]
pub fn verdict(file: &Path, key: &str) -> Option<Former> {
    let meta = fs::symlink_metadata(file).ok()?;
    if !meta.is_file() || meta.len() == 0 || meta.len() > FILE_MAX {
        return None;
    }
    read(file, key).unwrap_or_else(|error| {
        tracing::debug!(%error, "a former cache cannot be read");
        None
    })
}

fn read(file: &Path, key: &str) -> Result<Option<Former>> {
    // Nothing is locked or written beside it, not even where a log of it waits.
    let connection = schema::unchanging(file)?;
    let made: Option<String> = connection
        .query_row("SELECT sql FROM sqlite_schema WHERE name = 'semantic_evaluations' AND type = 'table'", [], |row| row.get(0))
        .optional()?;
    // A column that is computed could keep the reader busy for ever.
    if made.is_none_or(|made| made.split_whitespace().collect::<Vec<_>>().join(" ") != TABLE) {
        return Ok(None);
    }
    let row = connection.query_row(
        "SELECT passed = 1, reason FROM semantic_evaluations WHERE eval_hash = ?1 AND typeof(passed) = 'integer' \
         AND typeof(reason) = 'text' AND octet_length(reason) <= ?2",
        rusqlite::params![key, REASON_MAX],
        |row| Ok(Former { passed: row.get(0)?, reason: String::from_utf8_lossy(row.get_ref(1)?.as_bytes()?).into_owned() }),
    );
    Ok(row.optional()?)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    const MADE: &str = "CREATE TABLE IF NOT EXISTS semantic_evaluations (\n    eval_hash TEXT PRIMARY KEY,\n    passed BOOLEAN,\n    \
                        reason TEXT\n)";

    fn made(file: &Path, sql: &str) {
        let _ = fs::remove_file(file);
        Connection::open(file).unwrap().execute_batch(sql).unwrap();
    }

    #[test]
    fn a_kept_verdict_is_found_and_the_file_is_left_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("a 50%? #.db");
        assert_eq!(verdict(&file, "k"), None);
        let row = "INSERT INTO semantic_evaluations VALUES ('k', 1, 'Fine.'), ('n', 0, 'It is not.'), ('x', 'yes', 'Odd.'), \
                   ('y', 1, x'ff'), ('z', 1, CAST(zeroblob(70000) AS TEXT)), ('b', 1, CAST(x'41ff1b' AS TEXT))";
        made(&file, &format!("{MADE}; {row}"));
        let before = fs::read(&file).unwrap();
        assert_eq!(verdict(&file, "k"), Some(Former { passed: true, reason: "Fine.".into() }));
        assert_eq!(verdict(&file, "n"), Some(Former { passed: false, reason: "It is not.".into() }));
        assert_eq!(verdict(&file, "b").map(|found| found.reason), Some("A\u{fffd}\u{1b}".into()));
        for other in ["", "K", "x", "y", "z", "' OR 1 --"] {
            assert_eq!(verdict(&file, other), None, "{other}");
        }
        assert_eq!(fs::read(&file).unwrap(), before);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is made beside it");
    }

    #[test]
    fn what_is_no_such_file_says_nothing_and_keeps_nobody_busy() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("cache.db");
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
        for sql in [
            format!("CREATE VIEW semantic_evaluations AS {endless} SELECT 'k' AS eval_hash, 1 AS passed, x AS reason FROM n WHERE x < 0"),
            "CREATE TABLE semantic_evaluations (eval_hash TEXT PRIMARY KEY, passed BOOLEAN, reason TEXT AS (upper(eval_hash)))".into(),
            "CREATE TABLE semantic_evaluations (eval_hash TEXT, passed BOOLEAN, reason TEXT); INSERT INTO semantic_evaluations VALUES ('k', 1, 'x')".into(),
            "CREATE TABLE other (x)".into(),
        ] {
            made(&file, &sql);
            assert_eq!(verdict(&file, "k"), None, "{sql}");
        }
        let rows: String = (0..400).map(|n| format!("INSERT INTO semantic_evaluations VALUES ('k{n}', 1, 'Fine.');")).collect();
        made(&file, &format!("{MADE}; {rows}"));
        let whole = fs::read(&file).unwrap();
        for part in 0..16 {
            fs::write(&file, &whole[..whole.len() * part / 16]).unwrap();
            let _ = verdict(&file, "k200");
            let mut broken = whole.clone();
            let at = whole.len() * part / 16;
            broken[at..at + 64].iter_mut().for_each(|byte| *byte ^= 0x5a);
            fs::write(&file, broken).unwrap();
            let _ = verdict(&file, "k200");
        }
        fs::write(&file, "no database").unwrap();
        assert_eq!(verdict(&file, "k"), None);
        fs::File::create(&file).unwrap().set_len(FILE_MAX + 1).unwrap();
        assert_eq!(verdict(&file, "k"), None);
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        assert_eq!(verdict(&file, "k"), None);
    }
}
