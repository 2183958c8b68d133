//! What a person decides about verdicts: to accept what a test does, or clauses for it, where its own sentences decide
//! nothing. What comes of it is written like any decision, and taken back like one.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::decision::{FileEdit, Verb};
use crate::domain::proposal::{OpenVerdict, Proposal, ProposalState};
use crate::engine::checks::intents;
use crate::engine::checks::pytest_run::{TestReport, TestReports};
use crate::engine::state::core::Core;
use crate::engine::state::rows;
use crate::engine::verdicts;
use crate::judge::grammar;

/// Refuses what is not decided about a verdict, and to note as a bug what is no outcome.
pub fn check(proposals: &[Arc<Proposal>], verb: Verb) -> Result<(), Trouble> {
    if let Some(one) = proposals.iter().find(|one| verb == Verb::Overrule && one.spec().is_some()) {
        return Err(Trouble::usage(format!("Not noted: {}.", one.subject.short()))
            .because("A YAML test is no recorded outcome.")
            .so("r rejects it; a accepts it."));
    }
    match proposals.iter().find(|one| verb == Verb::Reject && one.verdict().is_some()) {
        None => Ok(()),
        Some(one) => Err(Trouble::usage(format!("Not put away: {}.", one.subject.short()))
            .because("A verdict stands until the code, the intent or what was accepted changes.")
            .so("Change one of them, t judges it again; or overrule it with a reason: o.")),
    }
}

/// Says what overruling verdicts writes into the file of overrides; nothing for other proposals.
pub fn overruling(core: &Core, proposals: &[Arc<Proposal>], reason: Option<&str>) -> Result<Option<FileEdit>, Trouble> {
    let open = proposals.iter().filter_map(|one| one.verdict());
    let reports: TestReports = open
        .map(|open| {
            let one = TestReport { intent: open.intent.clone(), verdict: Some(open.verdict.clone()), ..TestReport::default() };
            (open.test.clone(), one)
        })
        .collect();
    if reports.is_empty() {
        return Ok(None);
    }
    Ok(Some(intents::overrule::plan(&core.root, &reports, reason.unwrap_or_default(), None)?.1))
}

/// Takes the clauses that a person chose for a test, in place of what it does now; no text takes them away.
pub fn choose(core: &Arc<Core>, proposal: &Proposal, open: &OpenVerdict, chosen: String) -> Result<(), Trouble> {
    if !open.takes_clauses() {
        return Err(Trouble::usage("The clauses of this test stand in its own file.").so("e opens the editor there."));
    }
    if proposal.state != ProposalState::Ready {
        return Err(rows::not_ready(proposal));
    }
    for sentence in grammar::sentences(&chosen) {
        grammar::parse(sentence).map_err(|unclear| {
            Trouble::usage(format!("“{}” is no clause.", text::display_line(sentence))).because(unclear.to_string())
        })?;
    }
    let chosen = Some(chosen).filter(|chosen| !chosen.trim().is_empty());
    core.change_proposal(proposal.id, move |standing| standing.edited = chosen)?;
    core.touch();
    Ok(())
}

/// What decided these tests was taken back: the verdicts of before are there again, where the tests still do the same.
pub fn put_back(core: &Arc<Core>, proposals: &[Arc<Proposal>]) {
    for (proposal, open) in proposals.iter().filter_map(|one| Some((one, one.verdict()?))) {
        if let Err(trouble) = verdicts::state::put_back(core, proposal, open) {
            core.complain("judged", &trouble);
        }
    }
}

/// Lists the tests of which another thing decides from now on.
pub fn decided_otherwise(proposals: &[Arc<Proposal>], verb: Verb) -> Vec<String> {
    let decided = |one: &Proposal, open: &OpenVerdict| {
        open.takes_journey || verb == Verb::Overrule || (open.takes_clauses() && one.edited.is_some())
    };
    let open = proposals.iter().filter_map(|one| one.verdict().filter(|open| decided(one, open)));
    open.map(|open| open.test.clone()).collect()
}
