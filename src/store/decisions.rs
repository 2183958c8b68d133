//! Decisions: appended and never changed, but for the mark that one was taken back. What appends and marks them is
//! `unfinished.rs`.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::edits;
use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{from_word, word};
use super::numbers::{signed, unsigned};
use super::proposals;
use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::{Decision, DecisionId, Verb};
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::snapshot::Decided;

/// The kind of the proposal tells a YAML test from a function.
const COLUMNS: &str = "id, proposal, function, verb, came_from, decided_by, at, reason, basis, edits, undone, \
    (SELECT kind FROM proposals WHERE proposals.id = decisions.proposal)";

impl Store {
    /// Gives the last decision that stands: what undo takes back.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn last_standing(&self) -> Result<Option<Decision>> {
        self.believed(None, |connection| one(connection, "NOT undone ORDER BY id DESC LIMIT 1", []))
    }

    /// Gives the decision that was taken back last: what redo decides again. There is none once something else was
    /// decided since.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn last_undone(&self) -> Result<Option<Decision>> {
        self.believed(None, |connection| {
            one(
                connection,
                "undone AND id > (SELECT coalesce(max(id), 0) FROM decisions WHERE NOT undone) ORDER BY id LIMIT 1",
                [],
            )
        })
    }

    /// Gives a file as the last decision that stands wrote it, if one did.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn last_written(&self, path: &RelPath) -> Result<Option<String>> {
        self.believed(None, |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT decisions.id FROM decisions JOIN json_each(decisions.edits) AS edit \
                 WHERE NOT undone AND json_extract(edit.value, '$.path') = ?1 ORDER BY decisions.id DESC LIMIT 1",
            )?;
            let newest = statement.query_row([path.as_str()], |row| row.get(0)).optional()?;
            newest.map_or(Ok(None), |newest| edits::left_by(connection, newest, path))
        })
    }

    /// Tells whether a person ever decided on a proposal, taken back or not: then what it proposed stays as it is, for undo.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn was_decided(&self, id: ProposalId) -> Result<bool> {
        self.believed(false, |connection| {
            let mut statement =
                connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM decisions WHERE proposal = ?1 AND verb <> 'skip')")?;
            Ok(statement.query_row([id.0], |row| row.get(0))?)
        })
    }

    /// Lists the newest decisions, the newest first, those taken back too, without their edits.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn decisions(&self, limit: usize) -> Result<Vec<Decision>> {
        self.believed(Vec::new(), |connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM decisions ORDER BY id DESC LIMIT ?1"))?;
            let rows = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], |row| load(row).map(|(one, _)| one))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Lists the decisions that were made at this moment, which is at once, the newest first, those taken back too.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn decided_at(&self, at: Moment) -> Result<Vec<Decision>> {
        self.believed(Vec::new(), |connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM decisions WHERE at = ?1 ORDER BY id DESC"))?;
            let rows = statement.query_map([at.0], load)?.collect::<rusqlite::Result<Vec<_>>>()?;
            rows.into_iter().map(|loaded| with_edits(connection, loaded)).collect()
        })
    }

    /// Gives, of each of these proposals, the last decision that stands, without its edits; skipping decides nothing.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn standing_on(&self, ids: &[ProposalId]) -> Result<Vec<Decision>> {
        self.believed(Vec::new(), |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM decisions WHERE proposal = ?1 AND verb <> 'skip' AND NOT undone ORDER BY id DESC LIMIT 1"
            ))?;
            let mut found = Vec::new();
            for id in ids {
                found.extend(statement.query_row([id.0], load).optional()?.map(|(decision, _)| decision));
            }
            Ok(found)
        })
    }

    /// Counts the decisions that were made since a moment and stand.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn decided_since(&self, since: Moment) -> Result<Decided> {
        self.believed(Decided::default(), |connection| {
            let mut statement =
                connection.prepare_cached("SELECT verb, count(*) FROM decisions WHERE at >= ?1 AND NOT undone GROUP BY verb")?;
            let mut rows = statement.query([since.0])?;
            let mut decided = Decided::default();
            while let Some(row) = rows.next()? {
                let count = row.get::<_, u32>(1)? as usize;
                match from_word(row, 0)? {
                    Verb::Accept => decided.accepted = count,
                    Verb::Edit => decided.edited = count,
                    Verb::Reject => decided.rejected = count,
                    Verb::Overrule => decided.overruled += count,
                    Verb::Keep => decided.overruled += count,
                    Verb::Skip => {}
                }
            }
            Ok(decided)
        })
    }

    /// Reads what only a database of our own is believed on.
    pub(super) fn believed<T>(&self, otherwise: T, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        if self.is_foreign() { Ok(otherwise) } else { self.read(work) }
    }
}

/// Appends a decision, with the next number.
pub(super) fn append(connection: &Connection, decision: &Decision) -> Result<()> {
    connection.execute(
        "INSERT INTO decisions (proposal, function, verb, came_from, decided_by, at, reason, basis, edits, undone) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)",
        params![
            decision.proposal.0,
            decision.subject.text(),
            word(&decision.verb)?,
            word(&decision.from)?,
            decision.by,
            decision.at.0,
            decision.reason,
            signed(decision.basis.0),
            edits::to_keep(connection, &decision.edits)?,
        ],
    )?;
    Ok(())
}

/// Marks a decision as taken back, or as standing again.
pub(super) fn mark(connection: &Connection, id: DecisionId, undone: bool) -> Result<()> {
    connection.execute("UPDATE decisions SET undone = ?2 WHERE id = ?1", params![id.0, undone])?;
    Ok(())
}

/// Sees that a decision is taken back, or that it stands.
pub(super) fn require_undone(connection: &Connection, id: DecisionId, undone: bool) -> Result<()> {
    let decision = one(connection, "id = ?1", [id.0])?.ok_or(StoreError::Missing { what: "decision", id: id.0 })?;
    if decision.undone == undone { Ok(()) } else { Err(StoreError::Done) }
}

/// Gives the first moment from this one on that no decision has.
pub(super) fn free_moment(connection: &Connection, from: Moment) -> Result<Moment> {
    let mut statement = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM decisions WHERE at = ?1)")?;
    let mut at = from;
    while statement.query_row([at.0], |row| row.get(0))? {
        at.0 += 1;
    }
    Ok(at)
}

fn one(connection: &Connection, which: &str, params: impl rusqlite::Params) -> Result<Option<Decision>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM decisions WHERE {which}"))?;
    statement.query_row(params, load).optional()?.map(|loaded| with_edits(connection, loaded)).transpose()
}

fn with_edits(connection: &Connection, (decision, kept): (Decision, String)) -> Result<Decision> {
    Ok(Decision { edits: edits::whole(connection, &kept)?, ..decision })
}

/// Gives a decision without its edits, and these as they are kept.
fn load(row: &Row<'_>) -> rusqlite::Result<(Decision, String)> {
    let from: ProposalState = from_word(row, 4)?;
    let decision = Decision {
        id: DecisionId(row.get(0)?),
        proposal: ProposalId(row.get(1)?),
        subject: proposals::subject(&row.get::<_, String>(2)?, &row.get::<_, Option<String>>(11)?.unwrap_or_default()),
        verb: from_word(row, 3)?,
        from,
        by: row.get(5)?,
        at: Moment(row.get(6)?),
        reason: row.get(7)?,
        basis: Digest(unsigned(row.get(8)?)),
        edits: Vec::new(),
        undone: row.get(10)?,
    };
    Ok((decision, row.get(9)?))
}
