//! What accepting a verdict would write.

use crate::base::error::Trouble;
use crate::domain::decision::FileEdit;
use crate::domain::journey::JourneyLine;
use crate::domain::proposal::{OpenVerdict, Proposal};
use crate::engine::checks::intents;
use crate::engine::checks::pytest_run::TestReport;
use crate::engine::state::core::Core;
use crate::engine::state::verdict_rows::short;
use crate::store::StoredVerdict;

/// Says what accepting a verdict would write where that decides it: the clauses that a person chose, else what the test
/// does now as its accepted journey.
pub fn plan(core: &Core, proposal: &Proposal, open: &OpenVerdict) -> Result<Vec<FileEdit>, Trouble> {
    if !(open.takes_journey || open.takes_clauses() && proposal.edited.is_some()) {
        return Ok(Vec::new());
    }
    let clauses: Vec<String> = proposal.edited.iter().cloned().collect();
    let judged = stored(core, &open.test)?.judged;
    let journey = judged.journey.iter().map(JourneyLine::text).collect();
    let told = TestReport { intent: open.intent.clone(), journey, verdict: Some(judged.verdict), ..TestReport::default() };
    let (edits, _) = intents::accept::plan(&core.root, &[(open.test.clone(), told)].into(), &clauses, false)?;
    Ok(edits)
}

/// Gives the last verdict of a test as it is kept.
///
/// # Errors
/// Fails when none is kept or the store cannot be read.
pub fn stored(core: &Core, test: &str) -> Result<StoredVerdict, Trouble> {
    let stored = core.store().verdict(test)?;
    stored.ok_or_else(|| Trouble::usage(format!("No verdict of {} is kept.", short(test))))
}
