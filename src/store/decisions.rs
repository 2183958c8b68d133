//! Decisions: appended and never changed, but for the mark that one was taken back.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::json::{from_word, json, to_json, word};
use super::{Result, Store, StoreError, proposals, signed, unsigned};
use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::{Decision, DecisionId, Verb};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{IllegalMove, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::Decided;

const COLUMNS: &str = "id, proposal, function, verb, came_from, decided_by, at, reason, basis, edits, undone";

impl Store {
    /// Appends a decision and changes its proposal, both or neither. The decision's `id`, `function`, `from` and `undone`
    /// are ignored: they are those of the moment. Gives both as stored.
    ///
    /// # Errors
    /// Fails when there is no such proposal, when it cannot take the step, and when the database cannot be written.
    pub fn decide(
        &self,
        decision: &Decision,
        change: impl FnOnce(&mut Proposal) + Send + 'static,
    ) -> Result<(Decision, Proposal)> {
        let mut decision = decision.clone();
        self.write(move |transaction| {
            let id = decision.proposal;
            decision.undone = false;
            let proposal = proposals::change_in(transaction, id, |proposal| {
                decision.from = proposal.state;
                decision.function = proposal.function.clone();
                change(proposal);
            })?;
            // Two who decide the same at once: the second finds it decided.
            if proposal.state == decision.from && decision.verb != Verb::Skip {
                return Err(IllegalMove { from: decision.from, to: proposal.state }.into());
            }
            transaction.execute(
                "INSERT INTO decisions (proposal, function, verb, came_from, decided_by, at, reason, basis, edits, undone) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)",
                params![
                    id.0,
                    decision.function.0,
                    word(&decision.verb)?,
                    word(&decision.from)?,
                    decision.by,
                    decision.at.0,
                    decision.reason,
                    signed(decision.basis.0),
                    to_json(&decision.edits)?,
                ],
            )?;
            decision.id = DecisionId(transaction.last_insert_rowid());
            Ok((decision, proposal))
        })
    }

    /// Marks a decision as taken back, or as standing again, and changes its proposal, both or neither.
    ///
    /// # Errors
    /// Fails when there is no such decision, when it is marked so already, when the proposal cannot take the step, and when the database cannot be
    /// written.
    pub fn mark_decision(
        &self,
        id: DecisionId,
        undone: bool,
        change: impl FnOnce(&mut Proposal) + Send + 'static,
    ) -> Result<(Decision, Proposal)> {
        self.write(move |transaction| {
            let decision = one(transaction, "id = ?1", [id.0])?.ok_or(StoreError::Missing { what: "decision", id: id.0 })?;
            if decision.undone == undone {
                return Err(StoreError::Done);
            }
            let proposal = proposals::change_in(transaction, decision.proposal, change)?;
            transaction.execute("UPDATE decisions SET undone = ?2 WHERE id = ?1", params![id.0, undone])?;
            Ok((Decision { undone, ..decision }, proposal))
        })
    }

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
                "SELECT json_extract(edit.value, '$.after') FROM decisions JOIN json_each(decisions.edits) AS edit \
                 WHERE NOT undone AND json_extract(edit.value, '$.path') = ?1 ORDER BY decisions.id DESC LIMIT 1",
            )?;
            Ok(statement.query_row([path.as_str()], |row| row.get(0)).optional()?.flatten())
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

    /// Lists the newest decisions, the newest first, those taken back too.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn decisions(&self, limit: usize) -> Result<Vec<Decision>> {
        self.believed(Vec::new(), |connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {COLUMNS} FROM decisions ORDER BY id DESC LIMIT ?1"))?;
            let rows = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], load)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
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
                    Verb::Overrule => decided.overruled = count,
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

fn one(connection: &Connection, which: &str, params: impl rusqlite::Params) -> Result<Option<Decision>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM decisions WHERE {which}"))?;
    Ok(statement.query_row(params, load).optional()?)
}

fn load(row: &Row<'_>) -> rusqlite::Result<Decision> {
    let from: ProposalState = from_word(row, 4)?;
    Ok(Decision {
        id: DecisionId(row.get(0)?),
        proposal: ProposalId(row.get(1)?),
        function: FunctionId(row.get(2)?),
        verb: from_word(row, 3)?,
        from,
        by: row.get(5)?,
        at: Moment(row.get(6)?),
        reason: row.get(7)?,
        basis: Digest(unsigned(row.get(8)?)),
        edits: json(row, 9)?,
        undone: row.get(10)?,
    })
}
