//! From what the engine knows to the rows of a snapshot: marks of functions, ranking of the queue. Pure.

use std::collections::HashMap;

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::{Function, FunctionId, Module};
use crate::domain::proposal::{Body, OpenVerdict, Origin, Proposal, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::snapshot::{FileRow, FunctionRow, Mark, QueueRow};
use crate::domain::verdict::Ruling;
use crate::generate::near;
use crate::generate::replay::old_and_new;

/// What is known of a function besides its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Calls seen in kept recordings.
    pub calls: u64,
    /// Functions and places that call it.
    pub callers: u64,
    /// It has an accepted test.
    pub tested: bool,
    /// Why no test is possible.
    pub untestable: Option<Reason>,
    /// When it was last edited while we looked.
    pub edited: Option<Moment>,
    /// A change was rejected and the outcome still differs, or its module cannot be imported.
    pub red: bool,
    /// It was edited and no compared call ran it: why.
    pub uncompared: Option<Reason>,
    /// Of a test: what came of its intent.
    pub judged: Option<Mark>,
}

/// Makes the row of a file.
#[must_use]
pub fn file(module: &Module) -> FileRow {
    FileRow {
        path: module.path.clone(),
        module: module.name.clone(),
        lines: module.lines,
        functions: module.functions.len(),
        error: module.error,
        is_test: module.is_test(),
    }
}

/// Makes the row of a function from what waits for it.
#[must_use]
pub fn function(function: &Function, known: &Known, waiting: &[&Proposal]) -> FunctionRow {
    let drafts = waiting.iter().filter(|p| p.draft().is_some() && is_in_queue(p)).count();
    let changes = waiting.iter().filter(|p| p.change().is_some() && is_in_queue(p)).count();
    FunctionRow {
        id: function.id.clone(),
        path: function.path.clone(),
        lines: (function.span.first, function.span.last),
        line: function.span.def,
        kind: function.kind,
        mark: mark(known, waiting, changes),
        calls: known.calls,
        drafts,
        changes,
        reason: known.uncompared.clone().or_else(|| reason(known, waiting).filter(|_| !known.tested && drafts == 0)),
    }
}

/// Says why no test is possible: nothing to draft, or what rules drafted did not pass the gate.
fn reason(known: &Known, waiting: &[&Proposal]) -> Option<Reason> {
    let refused = || waiting.iter().rev().find(|proposal| proposal.state == ProposalState::Refused && proposal.draft().is_some());
    known.untestable.clone().or_else(|| {
        refused().and_then(|proposal| blocked(proposal)).map(|why| ReasonCode::FailedVerification.with(why.to_string()))
    })
}

fn mark(known: &Known, waiting: &[&Proposal], changes: usize) -> Mark {
    if known.judged == Some(Mark::Error) {
        Mark::Error
    } else if changes > 0 || known.red || known.judged == Some(Mark::Failing) {
        Mark::Failing
    } else if known.judged == Some(Mark::Unclear) || known.uncompared.is_some() {
        Mark::Unclear
    } else if known.judged == Some(Mark::Stale) || waiting.iter().any(|p| p.state == ProposalState::Stale && p.draft().is_some())
    {
        Mark::Stale
    } else if waiting.iter().any(|p| matches!(p.state, ProposalState::Streaming | ProposalState::Proving)) {
        Mark::Running
    } else if known.tested || known.judged.is_some() {
        Mark::Tested
    } else if reason(known, waiting).is_some() && !waiting.iter().any(|p| is_in_queue(p)) {
        Mark::Untestable
    } else if known.calls > 0 {
        Mark::Recorded
    } else {
        Mark::Never
    }
}

/// Tells whether a proposal waits for a person, or is on its way to.
#[must_use]
pub fn is_in_queue(proposal: &Proposal) -> bool {
    match (&proposal.body, proposal.state) {
        // A change or a verdict that is stale is not observed any more: there is nothing to ask.
        (Body::Change(_) | Body::Near(_) | Body::Verdict(_), state) => state == ProposalState::Ready,
        (_, ProposalState::Ready | ProposalState::Streaming | ProposalState::Proving | ProposalState::Stale) => true,
        (Body::Spec(_), ProposalState::Refused | ProposalState::Failed) => true,
        // What rules drafted and the gate refused is a reason on the function; what a person or a model wrote is shown,
        // and what a person wants to keep.
        (Body::Draft(draft), ProposalState::Refused | ProposalState::Failed) => {
            proposal.edited.is_some() || draft.origin.is_added()
        }
        _ => false,
    }
}

/// Ranks what waits: changes first; then what was edited lately, has many callers and no test yet; a function's
/// proposals together; what was skipped last.
#[must_use]
pub fn queue(proposals: &[&Proposal], functions: &HashMap<FunctionId, (&Function, Known)>) -> Vec<QueueRow> {
    let known = |proposal: &Proposal| functions.get(proposal.function()?);
    let mut best: HashMap<&ProposalSubject, Rank> = HashMap::new();
    let mut ranked = Vec::new();
    for proposal in proposals.iter().filter(|proposal| is_in_queue(proposal)) {
        let rank = rank(proposal, known(proposal).map(|(_, known)| known));
        let group = best.entry(&proposal.subject).or_insert(rank);
        *group = rank.min(*group);
        ranked.push((rank, *proposal));
    }
    ranked.sort_by(|(a, left), (b, right)| {
        let group = |proposal: &Proposal| best.get(&proposal.subject).copied();
        left.skipped
            .cmp(&right.skipped)
            .then_with(|| group(left).cmp(&group(right)))
            .then_with(|| left.subject.cmp(&right.subject))
            .then_with(|| a.cmp(b))
            .then_with(|| left.id.cmp(&right.id))
    });
    ranked.into_iter().map(|(_, proposal)| row(proposal, known(proposal).map(|(function, _)| *function))).collect()
}

/// Smaller comes first.
type Rank = (u8, std::cmp::Reverse<i64>, u8, std::cmp::Reverse<u64>);

fn rank(proposal: &Proposal, known: Option<&Known>) -> Rank {
    let kind = match &proposal.body {
        Body::Change(_) => 0,
        Body::Near(_) => 1,
        Body::Verdict(_) => 2,
        Body::Draft(_) | Body::Spec(_) => 3,
    };
    let edited = known.and_then(|known| known.edited).map_or(0, |at| at.0);
    let tested = u8::from(known.is_some_and(|known| known.tested));
    let callers = known.map_or(0, |known| known.callers);
    (kind, std::cmp::Reverse(edited), tested, std::cmp::Reverse(callers))
}

fn row(proposal: &Proposal, function: Option<&Function>) -> QueueRow {
    let name = &proposal.subject;
    let (title, about) = match &proposal.body {
        Body::Draft(draft) => match &draft.origin {
            Origin::Recording => (format!("test for {name}"), String::new()),
            Origin::Near => (format!("test for {name}, not recorded"), "not recorded".to_owned()),
            Origin::Model(_) => (format!("test by a model for {name}"), "by a model".to_owned()),
            Origin::Agent(_) => (format!("test by an agent for {name}"), "by an agent".to_owned()),
        },
        Body::Change(change) => {
            let total = change.calls.len() as u64 + change.same;
            let of = text::count_u64(total, "call");
            let values = change.calls.first().map_or_else(String::new, |call| format!("{}   ", old_and_new(call)));
            let about = format!("{values}{} of {of}", change.calls.len());
            (format!("{name}   {about}"), about)
        }
        Body::Near(near) => {
            let about = near::short(&near.difference);
            (format!("{name}   {about}"), about)
        }
        Body::Verdict(open) => {
            let word = if open.verdict.verdict == Ruling::Fail { "FAIL" } else { "UNCLEAR" };
            let about = format!("{word}  {}", open.verdict.reason.line());
            (format!("{name}   {about}"), about)
        }
        Body::Spec(spec) => {
            let by = if matches!(spec.origin, Origin::Agent(_)) { "an agent" } else { "a model" };
            let plugin = if spec.plugin.is_some() { ", with a plugin" } else { "" };
            let about = format!("YAML test by {by}{plugin}: {}", spec.test.path);
            (about.clone(), about)
        }
    };
    QueueRow {
        id: proposal.id,
        kind: proposal.body.kind(),
        subject: proposal.subject.clone(),
        path: function.map(|function| function.path.clone()).unwrap_or_default(),
        state: proposal.state,
        title: title.into(),
        about: about.into(),
        proved: proposal.proved,
        ruling: proposal.verdict().map(|open| open.verdict.verdict),
        blocked: blocked(proposal),
        alone: alone(proposal).is_some(),
        skipped: proposal.skipped,
    }
}

/// Says why a proposal is left out where many are accepted at once, when that is so.
#[must_use]
pub fn alone(proposal: &Proposal) -> Option<Sentence> {
    if proposal.verdict().is_some() {
        return Some("it is a verdict".into());
    }
    if proposal.near().is_some() {
        return Some("nobody recorded its input".into());
    }
    if proposal.draft().is_some_and(|draft| draft.origin == Origin::Near) {
        return Some("nobody recorded its input".into());
    }
    if proposal.is_by_agent() {
        return Some("a coding agent wrote it".into());
    }
    if proposal.spec().is_some() {
        return Some("it runs as you once it is accepted".into());
    }
    let holds = |evidence: &&Evidence| matches!(evidence.what, EvidenceKind::Sensitive | EvidenceKind::Overlooked);
    // What was not tried is not verified.
    let untried = |evidence: &&Evidence| evidence.what == EvidenceKind::Mutants && evidence.finding != Finding::Pass;
    if let Some(untried) = proposal.evidence.iter().find(untried) {
        return Some(format!("{}: {}", untried.what, untried.detail).into());
    }
    let held = proposal.evidence.iter().find(holds)?;
    Some(format!("{} {}", held.what, held.detail).into())
}

/// Says why a proposal may not be accepted now, when that is so.
#[must_use]
pub fn blocked(proposal: &Proposal) -> Option<Sentence> {
    let line = |e: &Evidence| format!("{} {}", e.what, e.detail).into();
    let first = |finding: Finding| proposal.evidence.iter().find(|e| e.finding == finding).map(line);
    match proposal.state {
        ProposalState::Ready => proposal.verdict().and_then(undecidable),
        ProposalState::Refused if proposal.spec().is_some() => {
            proposal.evidence.iter().find(|line| line.finding == Finding::Fail).map(|line| line.detail.clone())
        }
        ProposalState::Refused => {
            Some(first(Finding::Fail).or_else(|| first(Finding::Flaky)).unwrap_or_else(|| "the proof failed".into()))
        }
        ProposalState::Failed => Some(first(Finding::Error).unwrap_or_else(|| "it was not finished".into())),
        ProposalState::Stale if proposal.change().is_some() || proposal.near().is_some() => {
            Some("it ends as before again".into())
        }
        ProposalState::Stale if proposal.verdict().is_some() => Some("a newer run came to something else".into()),
        ProposalState::Stale => {
            let changed = proposal.promise_changed();
            Some(changed.map_or_else(|| "the code under it changed".into(), |line| line.detail.clone()))
        }
        ProposalState::Accepted | ProposalState::Edited | ProposalState::Written => Some("it was accepted already".into()),
        ProposalState::Rejected => Some("it was rejected".into()),
        _ => Some("it is not proved yet".into()),
    }
}

/// Says why there is nothing to accept about a verdict: what is unclear by its own sentences, no accepted journey decides.
fn undecidable(open: &OpenVerdict) -> Option<Sentence> {
    let nothing = open.verdict.verdict == Ruling::Unclear && !open.takes_journey;
    nothing.then(|| "its own sentences decide it, and leave it open".into())
}

/// Says why a proposal cannot be accepted now.
pub fn not_ready(proposal: &Proposal) -> Trouble {
    let name = proposal.subject.short();
    let why = blocked(proposal).unwrap_or_else(|| "it was decided already".into());
    let trouble = Trouble::usage(format!("Not accepted: {name}.")).because(format!("{}.", why.without_stop()));
    match proposal.state {
        ProposalState::Stale if proposal.promise_changed().is_some() => trouble.so("t asks the model again."),
        ProposalState::Stale if proposal.draft().is_some() => trouble.so("t shows the new draft."),
        ProposalState::Ready if proposal.verdict().is_some() => trouble.so("Edit the intent, or t judges it again."),
        ProposalState::Refused | ProposalState::Failed => trouble.so("e edits it, and it is proved again; r puts it away."),
        _ => trouble,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::domain::proposal::{Change, ProposalId};
    use crate::domain::samples;

    fn proposal(id: i64, function: &str, change: bool, state: ProposalState) -> Proposal {
        let body = if change {
            Body::Change(Change { calls: vec![], same: 0, because: vec![], seen: Moment(0) })
        } else {
            Body::Draft(samples::draft(&[], ""))
        };
        Proposal { id: ProposalId(id), state, ..Proposal::queued(FunctionId(function.into()), body, Moment(0)) }
    }

    fn order(proposals: &[Proposal], known: &[(&str, Known)]) -> Vec<i64> {
        let blank = crate::engine::state::rows::tests::blank();
        let map = known.iter().map(|(name, known)| (FunctionId((*name).into()), (&blank, known.clone()))).collect();
        queue(&proposals.iter().collect::<Vec<_>>(), &map).iter().map(|row| row.id.0).collect()
    }

    pub(crate) fn blank() -> Function {
        use crate::domain::function::{Fingerprint, FunctionKind, Span};
        Function {
            id: FunctionId("m:f".into()),
            path: RelPath::new("m.py").unwrap(),
            span: Span { first: 1, def: 1, last: 2 },
            kind: FunctionKind::Function,
            is_async: false,
            is_generator: false,
            decorators: vec![],
            params: vec![],
            returns: None,
            docstring: None,
            fingerprint: Fingerprint::default(),
            uses: std::collections::BTreeSet::new(),
        }
    }

    #[test]
    fn changes_come_before_drafts_and_skipped_ones_last() {
        let mut skipped = proposal(1, "m:a", true, ProposalState::Ready);
        skipped.skipped = true;
        let all = [skipped, proposal(2, "m:b", false, ProposalState::Ready), proposal(3, "m:c", true, ProposalState::Ready)];
        assert_eq!(order(&all, &[]), [3, 2, 1]);
    }

    #[test]
    fn edited_then_untested_then_much_called_functions_come_first() {
        let all: Vec<Proposal> = [(1, "m:a"), (2, "m:b"), (3, "m:c"), (4, "m:d")]
            .into_iter()
            .map(|(id, name)| proposal(id, name, false, ProposalState::Ready))
            .collect();
        let known = [
            ("m:a", Known { callers: 1, ..Known::default() }),
            ("m:b", Known { callers: 9, ..Known::default() }),
            ("m:c", Known { callers: 99, tested: true, ..Known::default() }),
            ("m:d", Known { edited: Some(Moment(5)), ..Known::default() }),
        ];
        assert_eq!(order(&all, &known), [4, 2, 1, 3]);
    }

    #[test]
    fn a_functions_proposals_stand_together() {
        let all = [
            proposal(1, "m:a", false, ProposalState::Ready),
            proposal(2, "m:b", false, ProposalState::Ready),
            proposal(3, "m:a", true, ProposalState::Ready),
        ];
        assert_eq!(order(&all, &[]), [3, 1, 2]);
    }

    #[test]
    fn what_the_gate_refused_is_a_reason_not_a_question() {
        let all = [proposal(1, "m:a", false, ProposalState::Refused), proposal(2, "m:b", true, ProposalState::Stale)];
        assert!(order(&all, &[]).is_empty());
    }

    #[test]
    fn what_the_gate_refused_is_the_reason_of_its_function() {
        let mut refused = proposal(1, "m:f", false, ProposalState::Refused);
        refused.evidence =
            vec![crate::domain::evidence::Evidence::new(Finding::Flaky, EvidenceKind::from_text("passes sometimes"), "3/4")];
        let row = function(&blank(), &Known { calls: 3, ..Known::default() }, &[&refused]);
        assert_eq!((row.mark, row.reason), (Mark::Untestable, Some(ReasonCode::FailedVerification.with("passes sometimes 3/4"))));
        let row = function(
            &blank(),
            &Known { calls: 3, ..Known::default() },
            &[&refused, &proposal(2, "m:f", false, ProposalState::Ready)],
        );
        assert_eq!((row.mark, row.reason), (Mark::Recorded, None));
    }

    #[test]
    fn a_function_shows_its_worst_mark() {
        let change = proposal(1, "m:f", true, ProposalState::Ready);
        let stale = proposal(2, "m:f", false, ProposalState::Stale);
        let known = Known { calls: 3, tested: true, ..Known::default() };
        assert_eq!(function(&blank(), &known, &[&change, &stale]).mark, Mark::Failing);
        assert_eq!(function(&blank(), &known, &[&stale]).mark, Mark::Stale);
        assert_eq!(function(&blank(), &known, &[]).mark, Mark::Tested);
        assert_eq!(function(&blank(), &Known { tested: false, ..known }, &[]).mark, Mark::Recorded);
        assert_eq!(function(&blank(), &Known::default(), &[]).mark, Mark::Never);
    }
}
