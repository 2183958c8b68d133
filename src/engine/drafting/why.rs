//! Why calls of a function have no test: what drafting left out, what verification took out, and what waits.

use std::sync::Arc;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{LeftOut, Origin, ProposalId, ProposalState};
use crate::domain::reason::ReasonCode;
use crate::engine::drafting::pipeline;
use crate::engine::edits::manifest_lookup::Standing;
use crate::engine::state::core::Core;

/// What is known of the tests of a function.
#[derive(Debug, Clone, Serialize)]
pub struct Why {
    /// The function.
    pub function: FunctionId,
    /// Its accepted tests: `tests/pytead/test_x.py::test_y`.
    pub tests: Vec<String>,
    /// Its drafts that are ready or failed verification.
    pub proposals: Vec<ProposalId>,
    /// Calls without a test, and why; those with the most calls first.
    pub left_out: Vec<LeftOut>,
}

/// Finds out why calls of these functions have no test. Nothing is verified, and with nothing changed nothing is run.
///
/// # Errors
/// Fails when nothing can be run, or the store cannot be read.
pub async fn why(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<Vec<Why>, Trouble> {
    let made = pipeline::left_out(core, functions.clone()).await?;
    let standing = Standing::read(core)?;
    let mut found = Vec::new();
    for function in functions {
        let of_rules: Vec<_> = core
            .store()
            .proposals_of(&function)?
            .into_iter()
            .filter(|proposal| proposal.draft().is_some_and(|draft| draft.origin == Origin::Recording))
            .collect();
        let latest = of_rules
            .iter()
            .rev()
            .find(|proposal| matches!(proposal.state, ProposalState::Ready | ProposalState::Refused | ProposalState::Written));
        let drafted = latest.and_then(|proposal| Some(proposal.draft()?.left_out.clone()));
        let mut left_out = match (drafted, made.iter().find(|(of, _, _)| *of == function)) {
            (Some(left_out), Some((_, true, _))) => left_out,
            (_, Some((_, _, left_out))) => left_out.clone(),
            (_, None) => vec![LeftOut { calls: 0, reason: ReasonCode::NotRecorded.into() }],
        };
        left_out.sort_by_key(|left| std::cmp::Reverse(left.calls));
        let waits = latest.filter(|proposal| proposal.state != ProposalState::Written).map(|proposal| proposal.id);
        found.push(Why { tests: standing.tests_of(&function), function, proposals: Vec::from_iter(waits), left_out });
    }
    Ok(found)
}
