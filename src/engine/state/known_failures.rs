//! Changes that a person rejected or noted as a bug and whose calls still end so: what they are, who decided, when and why.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::clock;
use crate::base::text;
use crate::domain::decision::{Decision, Verb};
use crate::domain::proposal::{Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::{RedCall, RedRow};
use crate::generate::replay::old_and_new;

/// Calls of a change that are listed; the rest is counted.
const CALLS_SHOWN: usize = 5;

/// Tells whether a change was put away and still shows: its function is red.
pub fn is_red(proposal: &Proposal) -> bool {
    proposal.state == ProposalState::Rejected && proposal.change().is_some()
}

/// Makes the rows of what is red.
pub fn rows<'a>(proposals: impl Iterator<Item = &'a Arc<Proposal>>, decisions: &HashMap<ProposalId, Decision>) -> Vec<RedRow> {
    proposals.filter(|proposal| is_red(proposal)).filter_map(|proposal| row(proposal, decisions.get(&proposal.id))).collect()
}

fn row(proposal: &Proposal, decision: Option<&Decision>) -> Option<RedRow> {
    let line = |text: String| text::display_line(&text).into_owned();
    let all = proposal.change().map_or(&[][..], |change| &change.calls);
    let calls = all.iter().take(CALLS_SHOWN).map(|call| RedCall {
        call: line(format!("{}{}", proposal.subject.short(), call.arguments)),
        change: line(old_and_new(call)).into(),
    });
    Some(RedRow {
        proposal: proposal.id,
        function: proposal.function()?.clone(),
        decision: decision.cloned(),
        calls: calls.collect(),
        more: all.len().saturating_sub(CALLS_SHOWN),
    })
}

/// Says who put a change away, when and why.
#[must_use]
pub fn summary(decision: &Decision) -> String {
    let done = if decision.verb == Verb::Overrule { "noted as a bug" } else { "rejected" };
    let since = clock::ago(decision.at, clock::now());
    let why = match decision.reason.as_deref().map(str::trim) {
        Some(reason) if !reason.is_empty() => format!(": {}", text::display_line(reason.trim_end_matches('.'))),
        _ => ", without a reason".to_owned(),
    };
    format!("It was {done} by {} {since}{why}.", text::display_line(&decision.by))
}
