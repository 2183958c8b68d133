//! How the edits of decisions are kept: a file whole, or by what differs since an earlier decision on it. The manifest of a
//! project grows with each of its tests, and would else be kept twice with each.

use rusqlite::{Connection, OptionalExtension};
use serde::{Deserialize, Serialize};

use super::error::{Result, StoreError};
use super::json::{json, to_json};
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;

/// So many decisions on a file lie between two that keep it whole, at most.
const STEPS_MAX: u32 = 32;

/// An edit as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Since(Since),
    Whole(FileEdit),
}

/// An edit of a file that was as an earlier decision left it.
#[derive(Debug, Serialize, Deserialize)]
struct Since {
    path: RelPath,
    /// The earlier decision's number.
    since: i64,
    /// How many lead to one that keeps the file whole.
    steps: u32,
    /// Bytes at the start, and at the end, that stay.
    stays: (usize, usize),
    /// What comes between them.
    put: String,
}

/// Writes edits as they are kept.
pub(super) fn to_keep(connection: &Connection, edits: &[FileEdit]) -> Result<String> {
    let kept = edits.iter().map(|edit| {
        let since = match (&edit.before, &edit.after) {
            (Some(before), Some(after)) => since(connection, &edit.path, before, after)?,
            _ => None,
        };
        Ok(since.map_or_else(|| Kept::Whole(edit.clone()), Kept::Since))
    });
    to_json(&kept.collect::<Result<Vec<_>>>()?)
}

/// Reads edits from how they are kept.
pub(super) fn whole(connection: &Connection, kept: &str) -> Result<Vec<FileEdit>> {
    let kept: Vec<Kept> = serde_json::from_str(kept)?;
    let whole = kept.into_iter().map(|one| match one {
        Kept::Whole(edit) => Ok(edit),
        Kept::Since(since) => {
            let before = left(connection, since.since, &since.path, STEPS_MAX)?;
            let after = before.as_deref().and_then(|before| since.apply(before)).ok_or_else(unreadable)?;
            Ok(FileEdit { path: since.path, before, after: Some(after) })
        }
    });
    whole.collect()
}

/// Gives a file as a decision left it.
pub(super) fn left_by(connection: &Connection, decision: i64, path: &RelPath) -> Result<Option<String>> {
    left(connection, decision, path, STEPS_MAX)
}

fn left(connection: &Connection, decision: i64, path: &RelPath, steps: u32) -> Result<Option<String>> {
    let steps = steps.checked_sub(1).ok_or_else(unreadable)?;
    match one(connection, decision, path)?.ok_or_else(unreadable)? {
        Kept::Whole(edit) => Ok(edit.after),
        Kept::Since(since) => {
            let before = left(connection, since.since, path, steps)?;
            before.as_deref().and_then(|before| since.apply(before)).ok_or_else(unreadable).map(Some)
        }
    }
}

/// Gives the edit of a file by a decision.
fn one(connection: &Connection, decision: i64, path: &RelPath) -> Result<Option<Kept>> {
    let mut statement = connection.prepare_cached(
        "SELECT edit.value FROM decisions JOIN json_each(decisions.edits) AS edit \
         WHERE decisions.id = ?1 AND json_extract(edit.value, '$.path') = ?2",
    )?;
    Ok(statement.query_row((decision, path.as_str()), |row| json(row, 0)).optional()?)
}

/// Gives what differs where the newest decision on the file left it as it was before this one.
fn since(connection: &Connection, path: &RelPath, before: &str, after: &str) -> Result<Option<Since>> {
    let mut newest = connection.prepare_cached(
        "SELECT decisions.id FROM decisions JOIN json_each(decisions.edits) AS edit \
         WHERE json_extract(edit.value, '$.path') = ?1 ORDER BY decisions.id DESC LIMIT 1",
    )?;
    let Some(newest) = newest.query_row([path.as_str()], |row| row.get(0)).optional()? else { return Ok(None) };
    let steps = match one(connection, newest, path)? {
        Some(Kept::Since(since)) => since.steps,
        _ => 0,
    };
    if steps + 2 > STEPS_MAX || left_by(connection, newest, path)?.as_deref() != Some(before) {
        return Ok(None);
    }
    Ok(Some(Since::new(path, newest, steps + 1, before, after)))
}

impl Since {
    fn new(path: &RelPath, since: i64, steps: u32, before: &str, after: &str) -> Self {
        let same = |(a, b): &(char, char)| a == b;
        let head: usize = before.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        let (rest_before, rest) = (&before[head..], &after[head..]);
        let tail: usize = rest_before.chars().rev().zip(rest.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
        Self { path: path.clone(), since, steps, stays: (head, tail), put: rest[..rest.len() - tail].to_owned() }
    }

    fn apply(&self, before: &str) -> Option<String> {
        let (head, tail) = self.stays;
        let from = before.len().checked_sub(tail).filter(|from| *from >= head)?;
        Some([before.get(..head)?, &self.put, before.get(from..)?].concat())
    }
}

fn unreadable() -> StoreError {
    StoreError::Form("a decision does not say what it wrote".into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_differs_makes_the_one_of_the_other(before in "[ab\u{e9}\n]{0,12}", after in "[ab\u{e9}\n]{0,12}") {
            let since = Since::new(&RelPath::default(), 1, 1, &before, &after);
            prop_assert_eq!(since.apply(&before), Some(after));
        }
    }
}
