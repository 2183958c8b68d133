//! What changes while the engine runs, besides the index and the store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::domain::decision::Decision;
use crate::domain::edited::ImportFailure;
use crate::domain::function::FunctionId;
use crate::domain::near::Near;
use crate::domain::proposal::{Proposal, ProposalId};
use crate::domain::question::Consent;
use crate::domain::reason::Reason;
use crate::domain::snapshot::{Decided, RecordingRow, Trust, WatchState};
use crate::engine::state::spec_board::Board;
use crate::engine::state::verdict_rows;
use crate::engine::state::versioned::Counted;

/// What changes while the engine runs, besides the index and the store.
#[derive(Default)]
pub struct State {
    pub trust: Option<Trust>,
    pub consent: Consent,
    pub watch: Option<WatchState>,
    pub indexed: bool,
    pub reading: (usize, usize),
    /// Open proposals, and those that moved since the engine opened.
    pub proposals: Counted<BTreeMap<ProposalId, Arc<Proposal>>>,
    pub calls: Counted<HashMap<FunctionId, u64>>,
    pub callers: Counted<HashMap<FunctionId, u64>>,
    pub tested: Counted<HashSet<FunctionId>>,
    pub untestable: Counted<HashMap<FunctionId, Reason>>,
    /// The decisions on changes that were put away and still show.
    pub put_away: Counted<HashMap<ProposalId, Decision>>,
    pub edited: Counted<HashMap<FunctionId, Moment>>,
    /// Modules that could not be imported when calls ran last.
    pub import_failures: Counted<Vec<ImportFailure>>,
    /// Edited functions that no compared call ran, with the first reason.
    pub uncompared: Counted<HashMap<FunctionId, Reason>>,
    /// What searches beside the recorded inputs came to.
    pub near: Arc<Near>,
    /// The last verdict of each test with an intent, by node id.
    pub verdicts: Counted<BTreeMap<String, verdict_rows::Kept>>,
    /// The project's YAML tests.
    pub specs: Board,
    pub recordings: Vec<RecordingRow>,
    pub decided: Decided,
    pub can_undo: bool,
    /// The decision that undo would take back, if another process made it.
    pub undo_of_another: Option<Sentence>,
    pub can_redo: bool,
    pub python: Option<String>,
    pub python_trouble: Option<Trouble>,
    pub model: Option<String>,
    pub containment: String,
    pub session: Option<Arc<serde_json::Value>>,
    /// Functions whose replay was interrupted: the next one runs them too.
    pub owed: BTreeSet<FunctionId>,
    /// Grows with every reading of what is recorded.
    pub recorded: u64,
}

impl State {
    /// Tells how often something may have changed that rows are made of.
    pub fn changes(&self) -> u64 {
        let known = [self.calls.changes(), self.callers.changes(), self.tested.changes(), self.untestable.changes()];
        known.iter().sum::<u64>()
            + self.proposals.changes()
            + self.put_away.changes()
            + self.edited.changes()
            + self.import_failures.changes()
            + self.uncompared.changes()
            + self.verdicts.changes()
    }
}
