//! Proposals: every step is checked and stored in one transaction, before anybody hears of it.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::{Result, StoreError};
use super::handle::Store;
use super::json::{from_word, json, to_json, word};
use super::numbers::{signed, unsigned};
use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::domain::call::CallId;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, IllegalMove, Proposal, ProposalId, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;

/// The kind of YAML tests.
const SPEC: &str = "spec";

const COLUMNS: &str = "id, function, state, kind, body, evidence, proved, containment, basis, created, skipped, edited";

impl Store {
    /// Stores a new proposal; its `id` is ignored.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn insert_proposal(&self, proposal: &Proposal) -> Result<ProposalId> {
        let mut proposal = proposal.clone();
        self.write(move |transaction| {
            insert(transaction, &mut proposal)?;
            Ok(proposal.id)
        })
    }

    /// Stores a new proposal unless one of its subject is it already: gives the one that stands then, and whether it is new.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn insert_proposal_unless(
        &self,
        proposal: &Proposal,
        is_it: impl Fn(&Proposal) -> bool + Send + 'static,
    ) -> Result<(Proposal, bool)> {
        let mut proposal = proposal.clone();
        self.write(move |transaction| {
            let all = about(transaction, &proposal.subject)?;
            if let Some(standing) = all.into_iter().rev().find(is_it) {
                return Ok((standing, false));
            }
            insert(transaction, &mut proposal)?;
            Ok((proposal, true))
        })
    }

    /// Changes a proposal: reads it, lets `change` work on it, checks the step it took, stores it. Gives it as stored.
    /// Its number, subject and date stay as they are.
    ///
    /// # Errors
    /// Fails when there is no such proposal, when it cannot take that step, and when the database cannot be written; then
    /// it is as it was.
    pub fn change_proposal(&self, id: ProposalId, change: impl FnOnce(&mut Proposal) + Send + 'static) -> Result<Proposal> {
        self.write(move |transaction| change_in(transaction, id, change))
    }

    /// Lets a proposal take one step; what stands there already does not take it again, whoever was faster.
    ///
    /// # Errors
    /// As [`Store::change_proposal`].
    pub fn move_proposal(&self, id: ProposalId, to: ProposalState) -> Result<Proposal> {
        self.write(move |transaction| {
            let mut from = to;
            let moved = change_in(transaction, id, |proposal| from = std::mem::replace(&mut proposal.state, to))?;
            if from == to { Err(IllegalMove { from, to }.into()) } else { Ok(moved) }
        })
    }

    /// Removes a proposal that nobody decided on; one with decisions stays, as the undo log needs it.
    ///
    /// # Errors
    /// Fails when the database cannot be written.
    pub fn remove_proposal(&self, id: ProposalId) -> Result<()> {
        self.write(move |transaction| {
            let undecided = "NOT EXISTS (SELECT 1 FROM decisions WHERE decisions.proposal = proposals.id)";
            transaction.execute(&format!("DELETE FROM proposals WHERE id = ?1 AND {undecided}"), [id.0])?;
            Ok(())
        })
    }

    /// Gives one proposal.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn proposal(&self, id: ProposalId) -> Result<Option<Proposal>> {
        self.read(|connection| get(connection, id))
    }

    /// Gives proposals by their numbers, the oldest first; those that are gone are left out.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn proposals(&self, ids: &[ProposalId]) -> Result<Vec<Proposal>> {
        self.read(|connection| list(connection, "id IN (SELECT value FROM json_each(?1))", &to_json(ids)?))
    }

    /// Lists the proposals in these states, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn proposals_in(&self, states: &[ProposalState]) -> Result<Vec<Proposal>> {
        self.read(|connection| list(connection, "state IN (SELECT value FROM json_each(?1))", &to_json(states)?))
    }

    /// Lists the proposals that a person can still be asked about and those the gate turned down, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn open_proposals(&self) -> Result<Vec<Proposal>> {
        use ProposalState as S;
        self.proposals_in(&[S::Queued, S::Streaming, S::Proving, S::Ready, S::Stale, S::Failed, S::Refused])
    }

    /// Lists the proposals about a function, in any state, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn proposals_of(&self, function: &FunctionId) -> Result<Vec<Proposal>> {
        self.read(|connection| of_function(connection, function))
    }

    /// Lists the proposals about a function or a YAML test, in any state, the oldest first.
    ///
    /// # Errors
    /// Fails when the database cannot be read.
    pub fn proposals_about(&self, subject: &ProposalSubject) -> Result<Vec<Proposal>> {
        self.read(|connection| about(connection, subject))
    }
}

/// Stores a proposal that is new, and gives it its number.
fn insert(connection: &Connection, proposal: &mut Proposal) -> Result<()> {
    connection.execute(
        "INSERT INTO proposals (function, state, kind, body, evidence, basis, created, skipped) \
         VALUES (?1, '', '', '', '', 0, ?2, 0)",
        params![proposal.subject.text(), proposal.created.0],
    )?;
    proposal.id = ProposalId(connection.last_insert_rowid());
    save(connection, proposal)
}

/// Reads, changes, checks and stores a proposal inside a transaction.
pub(super) fn change_in(connection: &Connection, id: ProposalId, change: impl FnOnce(&mut Proposal)) -> Result<Proposal> {
    let (from, after) = changed(connection, id, change)?;
    if after.state != from {
        from.transition(after.state)?;
    }
    save(connection, &after)?;
    Ok(after)
}

/// As [`change_in`], for the end of what a person decided: it holds wherever others moved the proposal meanwhile.
pub(super) fn conclude_in(connection: &Connection, id: ProposalId, change: impl FnOnce(&mut Proposal)) -> Result<Proposal> {
    let (_, after) = changed(connection, id, change)?;
    save(connection, &after)?;
    Ok(after)
}

fn changed(connection: &Connection, id: ProposalId, change: impl FnOnce(&mut Proposal)) -> Result<(ProposalState, Proposal)> {
    let before = one(connection, id)?;
    let mut after = before.clone();
    change(&mut after);
    after.id = before.id;
    after.subject = before.subject;
    after.created = before.created;
    Ok((before.state, after))
}

/// Gives a proposal that has to be there.
pub(super) fn one(connection: &Connection, id: ProposalId) -> Result<Proposal> {
    get(connection, id)?.ok_or(StoreError::Missing { what: "proposal", id: id.0 })
}

fn get(connection: &Connection, id: ProposalId) -> Result<Option<Proposal>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM proposals WHERE id = ?1"))?;
    Ok(statement.query_row([id.0], load).optional()?)
}

fn list(connection: &Connection, which: &str, value: &str) -> Result<Vec<Proposal>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM proposals WHERE {which} ORDER BY id"))?;
    let rows = statement.query_map([value], load)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn about(connection: &Connection, subject: &ProposalSubject) -> Result<Vec<Proposal>> {
    match subject {
        ProposalSubject::Function(id) => of_function(connection, id),
        // Its text can be that of a function, too.
        ProposalSubject::YamlTest(file) => {
            list(connection, "kind = 'spec' AND json_extract(body, '$.test.path') = ?1", file.as_str())
        }
    }
}

fn of_function(connection: &Connection, function: &FunctionId) -> Result<Vec<Proposal>> {
    list(connection, "function = ?1 AND kind <> 'spec'", &function.0)
}

fn save(connection: &Connection, proposal: &Proposal) -> Result<()> {
    // The kind has a column of its own: serde's tagged form of `Body` would lose numbers on the way back.
    let (kind, body, calls): (&str, String, Vec<CallId>) = match &proposal.body {
        Body::Draft(draft) => ("draft", to_json(draft)?, draft.calls.clone()),
        Body::Change(change) => ("change", to_json(change)?, change.calls.iter().map(|call| call.call).collect()),
        Body::Near(near) => ("near", to_json(near)?, vec![near.difference.call]),
        Body::Verdict(verdict) => ("verdict", to_json(verdict)?, Vec::new()),
        Body::Spec(spec) => (SPEC, to_json(spec)?, Vec::new()),
    };
    connection
        .prepare_cached(
            "UPDATE proposals SET state = ?2, kind = ?3, body = ?4, evidence = ?5, proved = ?6, containment = ?7, basis = ?8, \
         skipped = ?9, edited = ?10 WHERE id = ?1",
        )?
        .execute(params![
            proposal.id.0,
            word(&proposal.state)?,
            kind,
            body,
            to_json(&proposal.evidence)?,
            proposal.proved.map(|proved| to_json(&proved)).transpose()?,
            proposal.containment,
            signed(proposal.basis.0),
            proposal.skipped,
            proposal.edited,
        ])?;
    connection.execute("DELETE FROM citations WHERE proposal = ?1", [proposal.id.0])?;
    connection.execute(
        "INSERT OR IGNORE INTO citations (proposal, call) SELECT ?1, value FROM json_each(?2)",
        params![proposal.id.0, to_json(&calls)?],
    )?;
    Ok(())
}

/// Reads what a proposal of this kind is about.
pub(super) fn subject(text: &str, kind: &str) -> ProposalSubject {
    let test = if kind == SPEC { ProposalSubject::yaml_test(text) } else { None };
    test.unwrap_or_else(|| FunctionId(text.to_owned()).into())
}

fn load(row: &Row<'_>) -> rusqlite::Result<Proposal> {
    let kind: String = row.get(3)?;
    let proved: Option<String> = row.get(6)?;
    Ok(Proposal {
        id: ProposalId(row.get(0)?),
        subject: subject(&row.get::<_, String>(1)?, &kind),
        state: from_word(row, 2)?,
        body: match kind.as_str() {
            "change" => Body::Change(json(row, 4)?),
            "near" => Body::Near(json(row, 4)?),
            "verdict" => Body::Verdict(json(row, 4)?),
            SPEC => Body::Spec(json(row, 4)?),
            _ => Body::Draft(json(row, 4)?),
        },
        evidence: json(row, 5)?,
        proved: if proved.is_some() { json(row, 6)? } else { None },
        containment: row.get(7)?,
        basis: Digest(unsigned(row.get(8)?)),
        created: Moment(row.get(9)?),
        skipped: row.get(10)?,
        edited: row.get(11)?,
    })
}
