//! What makes sense now: why an action does not, and the keys the key line shows for this place.

use crate::domain::proposal::{ProposalKind, ProposalState};
use crate::domain::snapshot::{QueueRow, Trust, WatchState};
use crate::tui::action::{self, Action};
use crate::tui::app::AppState;
use crate::tui::behaviour;
use crate::tui::content;
use crate::tui::content::start;
use crate::tui::doc_row::About;
use crate::tui::jobs::job_here;
use crate::tui::layout::{Pane, Screen};
use crate::tui::unjudged;
use crate::tui::words;

/// One key of the key line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The key.
    pub key: String,
    /// Its word.
    pub word: &'static str,
}

/// Tells why an action makes no sense now.
#[must_use]
pub fn why_not(state: &AppState, action: Action) -> Option<&'static str> {
    use Action as A;
    let current = state.current();
    let draft = state.loaded().is_some_and(|loaded| loaded.view.proposal.text().is_some());
    let no = |blocked: bool, why: &'static str| blocked.then_some(why);
    match action {
        A::Accept => match current {
            None => Some("nothing waits here"),
            Some(row) if state.pass.verdict(row.id).is_some() => Some("it is decided"),
            Some(row) if state.pass.is_gone(row.id) => Some("it waits no more"),
            Some(row) => no(row.state != ProposalState::Ready || row.blocked.is_some(), "nothing is ready here"),
        },
        A::Reject if current.is_some_and(|row| row.kind == ProposalKind::Near) => Some(words::NEAR_HAS_NO_REJECT),
        A::KeepTest => no(!current.is_some_and(|row| row.kind == ProposalKind::Near), words::NO_NEAR_HERE),
        A::Reject | A::Skip | A::Overrule => no(current.is_none(), "nothing waits here"),
        A::AcceptAll | A::RejectAll => no(
            !state.pass.items().iter().any(|row| row.state == ProposalState::Ready && state.filter.takes_proposal(row)),
            "nothing in the filter is ready",
        ),
        A::NextProposal | A::PreviousProposal if state.screen == Screen::Journeys => {
            no(unjudged::all(state) < 2, "there is no other test")
        }
        A::NextProposal | A::PreviousProposal if state.screen == Screen::Specs => {
            no(state.snapshot.specs.len() < 2, "there is no other test")
        }
        A::AgainAll if state.screen == Screen::Journeys => {
            no(state.snapshot.trust != Trust::Trusted, "this folder is not trusted")
        }
        A::AgainAll => no(state.snapshot.specs.is_empty(), "there is no YAML test"),
        A::Queue if state.screen == Screen::Journeys => no(unjudged::all(state) == 0, "no test has an intent"),
        A::NextProposal | A::Queue => no(state.pass.open() == 0, "nothing waits"),
        A::PreviousProposal => no(state.pass.items().is_empty(), "nothing waits"),
        A::Undo => no(!state.snapshot.can_undo, "no decision to take back"),
        A::Redo => no(!state.snapshot.can_redo, "no decision to make again"),
        A::Record => no(state.snapshot.trust != Trust::Trusted, "this folder is not trusted"),
        A::DiffAgainst => no(state.snapshot.trust != Trust::Trusted, "this folder is not trusted"),
        // Who judges may be another model than who drafts.
        A::Ask if state.screen == Screen::Journeys => {
            let takes = state.journeys.journey().is_some_and(|journey| journey.view.judged.takes_clauses());
            no(!takes, "no intent here is open")
        }
        A::Ask | A::AskWithRemark => no(state.snapshot.model.is_none(), "no model is set up"),
        A::EditHere => no(!draft, "there is no draft here"),
        A::Compare => no(!draft, "there is no draft here"),
        A::Cancel => no(job_here(state).is_none(), "no job runs here"),
        A::Pause => no(state.snapshot.watch == WatchState::Off, "watch is off"),
        A::ClearFilter => no(state.filter_here().is_empty(), "there is no filter"),
        A::NextMatch | A::PreviousMatch => no(state.search.is_none(), "no search"),
        _ => None,
    }
}

/// Gives the state of a queue row as a sign and a word.
#[must_use]
pub fn state_word(row: &QueueRow) -> String {
    match (row.state, row.proved) {
        (ProposalState::Ready, Some((passed, runs))) => format!("✓ {passed}/{runs}"),
        (ProposalState::Ready, None) => "ready".into(),
        (ProposalState::Queued, _) => "⋯ waits".into(),
        (ProposalState::Streaming, _) => "» streaming".into(),
        (ProposalState::Proving, Some((done, all))) => format!("» proving {done}/{all}"),
        (ProposalState::Proving, None) => "» proving".into(),
        (ProposalState::Refused | ProposalState::Failed, _) => "✗ not ready".into(),
        (ProposalState::Stale, _) => "~ stale".into(),
        (ProposalState::Accepted | ProposalState::Edited | ProposalState::Rejected | ProposalState::Written, _) => {
            "decided".into()
        }
    }
}

/// Gives the keys of this place: the left ones decide or do, the right ones are always there.
#[must_use]
pub fn hints(state: &AppState) -> (Vec<Hint>, Vec<Hint>) {
    use Action as A;
    let mut left: Vec<(A, &'static str)> = Vec::new();
    let mut right: Vec<(A, &'static str)> = Vec::new();
    match state.screen {
        Screen::Review if state.asks_for_trust() => {
            left.extend([(A::Again, "trust"), (A::Enter, "only read")]);
            right.push((A::NextPane, "pane"));
        }
        Screen::Review => {
            review(state, &mut left);
            if state.size.0 >= 140 && state.snapshot.model.is_some() {
                right.push((A::Ask, "ask a model"));
            }
            if state.size.0 < 140 {
                right.push((A::Why, "why"));
            }
            right.push((A::Filter, "filter"));
            if state.size.0 >= 140 {
                right.push((A::NextPane, "pane"));
            }
        }
        Screen::Runs => {
            let in_calls = state.focus == Pane::Recorded;
            left.push((A::Cancel, "stop"));
            left.push((A::Enter, if in_calls { "its function" } else { "open" }));
            let again = if matches!(content::about(state, state.focus), About::Job(_)) { "again" } else { "draft" };
            left.extend([(A::View, if in_calls { "in full" } else { "output" }), (A::Record, "record"), (A::Again, again)]);
            left.push((A::Filter, "filter"));
        }
        Screen::Journeys => {
            verdict(state, &mut left);
            right.push((A::Filter, "filter"));
        }
        Screen::Specs => {
            specs(state, &mut left);
            right.push((A::Filter, "filter"));
        }
        Screen::Diff => {
            diff(state, &mut left);
            right.push((A::DiffAgainst, "other commit"));
        }
        Screen::Log => {
            left.extend([(A::Enter, "where it happened"), (A::Copy, "copy"), (A::Filter, "filter"), (A::Search, "search")]);
        }
    }
    right.extend([(A::Palette, "actions"), (A::Help, "keys")]);
    let make = |list: Vec<(A, &'static str)>| {
        list.into_iter()
            .filter(|(action, _)| why_not(state, *action).is_none())
            .filter_map(|(action, word)| {
                let word = if word.is_empty() { action::find(action)?.word } else { word };
                Some(Hint { key: state.keymap.key_of(action)?, word })
            })
            .collect()
    };
    (make(left), make(right))
}

fn verdict(state: &AppState, left: &mut Vec<(Action, &'static str)>) {
    use Action as A;
    if unjudged::all(state) == 0 {
        return;
    }
    if unjudged::shown(state).is_some() {
        left.extend([(A::Again, "judge"), (A::AgainAll, "judge all"), (A::Edit, "edit"), (A::Queue, "all tests")]);
        left.push((A::NextProposal, "next"));
        return;
    }
    left.push((A::Enter, if state.focus == Pane::Intent { "evidence" } else { "source" }));
    left.push((A::NextItem, if state.focus == Pane::Intent { "next clause" } else { "next line" }));
    left.extend(deciding(state));
    left.extend([(A::Edit, "edit"), (A::Again, "judge again"), (A::Queue, "all tests")]);
    if state.size.0 >= 140 {
        left.push((A::Ask, "ask for clauses"));
    }
    left.extend([(A::NextProposal, "next"), (A::Undo, "undo")]);
}

fn specs(state: &AppState, left: &mut Vec<(Action, &'static str)>) {
    use Action as A;
    let Some(row) = crate::tui::specs::row_of(state) else { return };
    if row.running.is_some() {
        left.push((A::Cancel, "stop"));
    } else if row.mistakes == 0 {
        left.push((A::Again, if row.ruling.is_some() { "run again" } else { "run" }));
    }
    left.push((A::Enter, if state.focus == Pane::Specs { "steps" } else { "source" }));
    if state.focus == Pane::Steps {
        left.extend([(A::NextItem, "next step"), (A::Right, "unfold")]);
    }
    left.extend([(A::Edit, "edit"), (A::AgainAll, "run all"), (A::NextProposal, "next")]);
}

/// The keys that decide on the verdict line 2 names.
fn deciding(state: &AppState) -> Vec<(Action, &'static str)> {
    let Some(loaded) = state.loaded().filter(|loaded| loaded.view.proposal.state == ProposalState::Ready) else {
        return Vec::new();
    };
    let Some(open) = loaded.view.proposal.verdict().filter(|_| state.pass.verdict(loaded.view.proposal.id).is_none()) else {
        return Vec::new();
    };
    let word = match &loaded.view.proposal.edited {
        Some(_) if open.takes_clauses() => "accept clauses",
        None if open.takes_journey => "accept journey",
        _ => "accept FAIL",
    };
    vec![(Action::Accept, word), (Action::Overrule, "overrule")]
}

fn diff(state: &AppState, left: &mut Vec<(Action, &'static str)>) {
    use Action as A;
    if behaviour::running(state).is_some() {
        left.push((A::Cancel, "cancel"));
        return;
    }
    let waits = state.current().is_some_and(|row| state.pass.verdict(row.id).is_none() && row.state == ProposalState::Ready);
    if waits && state.current().is_some_and(|row| row.kind == ProposalKind::Near) {
        left.extend(of_near());
    } else if waits && !behaviour::is_stale(state) {
        left.extend([(A::Accept, "accept new"), (A::Reject, "reject, stays red"), (A::Overrule, "bug")]);
    }
    left.extend([(A::Undo, "undo"), (A::Enter, "open"), (A::Again, "again")]);
}

/// The keys that decide on a near difference.
fn of_near() -> [(Action, &'static str); 3] {
    [(Action::Accept, "meant"), (Action::Overrule, "bug"), (Action::KeepTest, "keep as test")]
}

fn review(state: &AppState, left: &mut Vec<(Action, &'static str)>) {
    use Action as A;
    let Some(row) = state.current() else {
        if start::is_followed(state) {
            if start::failure(state).is_some() {
                left.push((A::Enter, "record again"));
            }
            left.extend([(A::Cancel, "stop"), (A::Record, "another command"), (A::Runs, "runs")]);
        } else if content::first_run(state) {
            if state.focus == Pane::Decision && !state.snapshot.offers.is_empty() {
                left.push((A::Enter, "record"));
            }
            left.extend([(A::Record, "another command"), (A::Ask, "ask a model")]);
        } else {
            left.extend([(A::NextProposal, "next"), (A::Undo, "undo"), (A::Record, "record"), (A::Again, "draft")]);
        }
        if state.focus == Pane::Functions {
            left.push((A::Enter, "open"));
        }
        return;
    };
    if state.pass.verdict(row.id).is_some() || state.pass.is_gone(row.id) {
        left.extend([(A::NextProposal, "next"), (A::Undo, "undo")]);
        return;
    }
    if row.kind == ProposalKind::Verdict {
        left.extend(deciding(state));
        left.extend([(A::Enter, "journey"), (A::Again, "judge again"), (A::Skip, "skip"), (A::Undo, "undo")]);
        left.push((A::NextProposal, "next"));
        return;
    }
    let near = row.kind == ProposalKind::Near;
    let change = row.kind == ProposalKind::Change || near;
    // The editor opens what the focused pane shows: from beside the draft, its key is that of the editor in place.
    let edit = match state.focus {
        Pane::Decision => (A::Edit, "edit"),
        _ if change => (A::Edit, "source"),
        _ => (A::EditHere, "edit"),
    };
    match row.state {
        ProposalState::Ready if near => {
            left.extend(of_near());
            left.extend([(A::Skip, "skip"), (A::Undo, "undo"), (A::NextProposal, "next")]);
        }
        ProposalState::Ready if change => left.extend([
            (A::Accept, "accept new"),
            (A::Reject, "reject, stays red"),
            edit,
            (A::Skip, "skip"),
            (A::Undo, "undo"),
            (A::Overrule, "bug"),
        ]),
        ProposalState::Ready => left.extend([
            (A::Accept, "accept"),
            edit,
            (A::Reject, "reject"),
            (A::Skip, "skip"),
            (A::Undo, "undo"),
            (A::NextProposal, "next"),
        ]),
        ProposalState::Streaming => left.extend([(A::Cancel, "cancel"), (A::AskWithRemark, "remark"), (A::NextProposal, "next")]),
        ProposalState::Queued | ProposalState::Proving => {
            left.extend([(A::Skip, "skip"), (A::Cancel, "cancel"), (A::NextProposal, "next")]);
        }
        ProposalState::Stale => left.extend([(A::Again, "new draft"), (A::Compare, "compare"), (A::Skip, "skip")]),
        ProposalState::Refused | ProposalState::Failed => {
            left.extend([(A::AskWithRemark, "ask again"), edit, (A::Again, "again"), (A::Reject, "reject"), (A::Skip, "skip")])
        }
        _ => left.extend([(A::NextProposal, "next"), (A::Undo, "undo")]),
    }
}
