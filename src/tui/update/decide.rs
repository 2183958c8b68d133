//! Deciding: accept, reject, skip, overrule, one or many, and taking it back. Nothing is written unseen.

use crate::base::hash::Digest;
use crate::base::text::{self, count};
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::proposal_subject::ProposalSubject;
use crate::domain::snapshot::QueueRow;
use crate::tui::action::Action;
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::layer::{Act, Layer, Prompt, Purpose, Question};
use crate::tui::layout::{Pane, Screen};
use crate::tui::row::Row;
use crate::tui::update::focus::{set_subject, show};
use crate::tui::update::tree::show_in_tree;
use crate::tui::update::{behaviour, journeys, questions, specs};
use crate::tui::words;

/// Accepts what line 2 names when its diff is in sight; otherwise shows the diff and asks.
pub fn accept(state: &mut AppState, out: &mut Vec<Effect>) {
    let now = state.now;
    let Some(row) = state.current().cloned() else {
        state.messages.answer(now, words::NOTHING_WAITS);
        return;
    };
    if let Some(why) = refusal(state, &row) {
        state.messages.answer(now, why);
        return;
    }
    // What somebody decided and took back elsewhere was read in between.
    let Some(loaded) = state.loaded().filter(|loaded| loaded.view.proposal.state == row.state).cloned() else {
        state.decision.dirty = true;
        state.kept.when_read = Some((row.id, Action::Accept));
        state.messages.answer(now, words::STILL_READING);
        return;
    };
    if let Some(trouble) = &loaded.view.blocked {
        questions::not_written(state, trouble);
        return;
    }
    let seen = loaded.view.proposal.sight(&loaded.view.plan);
    if content::diff_in_sight(state) {
        send(state, row.id, seen, out);
        return;
    }
    let body: Vec<Row> = loaded.disk.iter().filter(|row| row.changed).map(|row| row.row.clone()).collect();
    let files = loaded.view.plan.len();
    let title = if files == 0 { "Take the new outcome?".to_owned() } else { format!("Write {}?", count(files, "file")) };
    let first = loaded.view.plan.first().map(|edit| edit.path.to_string()).unwrap_or_default();
    let mut question = Question::new(
        format!("{title}   {first}"),
        body,
        vec![
            ('a', "write", Act::Accept(row.id, seen)),
            ('e', "edit first", Act::Edit),
            ('n', "go back, nothing is written", Act::Close),
        ],
    );
    question.right = format!("+{} -{}", loaded.size.0, loaded.size.1);
    state.layers.push(Layer::Question(question));
}

/// Tells why a proposal cannot be accepted now.
fn refusal(state: &AppState, row: &QueueRow) -> Option<String> {
    if let Some(verb) = state.pass.verdict(row.id) {
        return Some(words::already(past(verb)));
    }
    if state.pass.is_gone(row.id) {
        return Some(if is_outcome(row.kind) { words::ENDS_AS_BEFORE } else { words::WAITS_NO_MORE }.into());
    }
    if state.open_edit(row.id).is_some() {
        return Some(words::EDIT_NOT_PROVED.into());
    }
    match row.state {
        ProposalState::Ready => row.blocked.as_ref().map(ToString::to_string),
        ProposalState::Queued | ProposalState::Streaming | ProposalState::Proving => Some(words::WAITS_FOR_PROOF.into()),
        ProposalState::Stale => Some(words::STALE_ON_ACCEPT.into()),
        ProposalState::Refused | ProposalState::Failed => Some(words::CANNOT_BE_ACCEPTED.into()),
        ProposalState::Accepted | ProposalState::Edited | ProposalState::Rejected | ProposalState::Written => {
            Some(words::ALREADY_DECIDED.into())
        }
    }
}

fn past(verb: Verb) -> &'static str {
    match verb {
        Verb::Accept => "accepted",
        Verb::Edit => "accepted as you wrote it",
        Verb::Reject => "rejected",
        Verb::Skip => "skipped",
        Verb::Overrule => "overruled",
        Verb::Keep => "kept as a test",
    }
}

/// Tells whether it waits because something ends differently.
fn is_outcome(kind: ProposalKind) -> bool {
    matches!(kind, ProposalKind::Change | ProposalKind::Near)
}

/// Sends the acceptance of one proposal as it was shown.
pub fn send(state: &mut AppState, id: ProposalId, seen: Digest, out: &mut Vec<Effect>) {
    if state.kept.deciding == Some(id) {
        return;
    }
    state.kept.deciding = Some(id);
    out.push(Effect::Send(Command::Accept { proposal: id, seen }));
}

/// Rejects what line 2 names.
pub fn reject(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(row) = state.current().cloned() else {
        state.messages.answer(state.now, words::NOTHING_WAITS);
        return;
    };
    if row.kind == ProposalKind::Near {
        state.messages.answer(state.now, words::NEAR_HAS_NO_REJECT);
        return;
    }
    if let Some(verb) = state.pass.verdict(row.id) {
        state.messages.answer(state.now, words::already(past(verb)));
        return;
    }
    if state.pass.is_gone(row.id) {
        let why = if is_outcome(row.kind) { words::ENDS_AS_BEFORE } else { words::WAITS_NO_MORE };
        state.messages.answer(state.now, why);
        return;
    }
    if matches!(row.state, ProposalState::Queued | ProposalState::Streaming | ProposalState::Proving) {
        state.messages.answer(state.now, words::NOT_READY);
        return;
    }
    if state.kept.deciding == Some(row.id) {
        return;
    }
    // What stays red is met again by others, and later: they read why.
    if row.kind == ProposalKind::Change {
        return ask_why(state, Purpose::Rejection(row.id));
    }
    state.kept.deciding = Some(row.id);
    out.push(Effect::Send(Command::Decide { proposals: vec![row.id], verb: Verb::Reject, reason: None }));
}

/// Skips what line 2 names: it comes back at the end of the pass.
pub fn skip(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(id) = state.current().map(|row| row.id) else {
        state.messages.answer(state.now, words::NOTHING_WAITS);
        return;
    };
    out.push(Effect::Send(Command::Decide { proposals: vec![id], verb: Verb::Skip, reason: None }));
    if state.screen == Screen::Journeys {
        state.pass.skip(id);
        if !journeys::step(state, true) {
            state.messages.answer(state.now, words::ONLY_ONE_LEFT);
        }
        return;
    }
    let next = state.pass.next(|row| state.filter.takes_proposal(row));
    state.pass.skip(id);
    match next {
        Some(next) => go(state, next),
        None => state.messages.answer(state.now, words::ONLY_ONE_LEFT),
    }
}

/// Has the old outcome of a near difference become a test.
pub fn keep(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(row) = state.current().filter(|row| row.kind == ProposalKind::Near).cloned() else {
        state.messages.answer(state.now, words::NO_NEAR_HERE);
        return;
    };
    if let Some(why) = refusal(state, &row) {
        state.messages.answer(state.now, why);
    } else if state.kept.deciding != Some(row.id) {
        state.kept.deciding = Some(row.id);
        out.push(Effect::Send(Command::Decide { proposals: vec![row.id], verb: Verb::Keep, reason: None }));
    }
}

/// Asks for the reason why a recorded outcome is a bug.
pub fn overrule(state: &mut AppState) {
    let Some(id) = state.current().map(|row| row.id) else {
        state.messages.answer(state.now, words::NOTHING_WAITS);
        return;
    };
    ask_why(state, Purpose::Reason(id));
}

fn ask_why(state: &mut AppState, purpose: Purpose) {
    let usual = match purpose {
        Purpose::Rejection(_) => words::REASONS.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    };
    state.layers.push(Layer::Prompt(Prompt::new(purpose, &state.kept.reason, usual)));
}

/// Takes the last decision back.
pub fn undo(state: &mut AppState, out: &mut Vec<Effect>) {
    if let (true, Some(others)) = (state.snapshot.can_undo, &state.snapshot.undo_of_another) {
        let answers = vec![('y', "take it back", Act::Undo), ('n', "leave it", Act::Close)];
        let body = vec![Row::plain(format!(" {}", words::UNDO_OF_ANOTHER))];
        let title = format!("Take back a decision that was not made here: {others}?");
        state.layers.push(Layer::Question(Question::new(title, body, answers)));
    } else if state.snapshot.can_undo {
        take_back(state, out);
    } else {
        state.messages.answer(state.now, words::NOTHING_TO_UNDO);
    }
}

/// Has the last decision taken back.
pub fn take_back(state: &mut AppState, out: &mut Vec<Effect>) {
    state.kept.undoing = true;
    state.kept.moved = Some(0);
    out.push(Effect::Send(Command::Undo));
}

/// Makes the decision again that was taken back.
pub fn redo(state: &mut AppState, out: &mut Vec<Effect>) {
    if state.snapshot.can_redo {
        state.kept.moved = Some(0);
        out.push(Effect::Send(Command::Redo));
    } else {
        state.messages.answer(state.now, words::NOTHING_TO_REDO);
    }
}

/// Goes to the next proposal that waits.
pub fn next(state: &mut AppState) {
    if state.screen == Screen::Specs {
        if !specs::step(state, true) {
            state.messages.answer(state.now, words::NO_OTHER_SPEC);
        }
        return;
    }
    if state.screen == Screen::Journeys {
        if !journeys::step(state, true) {
            state.messages.answer(state.now, words::NO_OTHER_TEST);
        }
        return;
    }
    if state.screen == Screen::Diff {
        if !behaviour::step(state, true) {
            state.messages.answer(state.now, words::NO_OTHER);
        }
        return;
    }
    match state.pass.next(|row| state.filter.takes_proposal(row)) {
        Some(id) => go(state, id),
        None => {
            let open = |row: &&QueueRow| state.pass.verdict(row.id).is_none() && !state.pass.is_gone(row.id);
            let hidden = state.pass.items().iter().filter(open).filter(|row| !state.filter.takes_proposal(row)).count();
            let why = if hidden > 0 && hidden == state.pass.open() {
                words::filter_hides(hidden, "proposal")
            } else if hidden > 0 {
                words::no_other_in_filter(hidden)
            } else {
                words::NO_OTHER.into()
            };
            state.messages.answer(state.now, why);
        }
    }
}

/// Goes to the proposal before, decided ones too.
pub fn previous(state: &mut AppState) {
    if state.screen == Screen::Specs {
        if !specs::step(state, false) {
            state.messages.answer(state.now, words::FIRST_SPEC);
        }
        return;
    }
    if state.screen == Screen::Journeys {
        if !journeys::step(state, false) {
            state.messages.answer(state.now, words::FIRST_TEST);
        }
        return;
    }
    if state.screen == Screen::Diff {
        if !behaviour::step(state, false) {
            state.messages.answer(state.now, words::FIRST_PROPOSAL);
        }
        return;
    }
    match state.pass.previous(|row| state.filter.takes_proposal(row)) {
        Some(id) => go(state, id),
        None => state.messages.answer(state.now, words::FIRST_PROPOSAL),
    }
}

/// Makes a proposal the one line 2 names.
pub fn go(state: &mut AppState, id: ProposalId) {
    if !state.pass.go(id) {
        return;
    }
    state.decision.list = Default::default();
    state.decision.follow = true;
    if let Some(subject) = state.current().map(|row| row.subject.clone()) {
        set_subject(state, &subject);
        if let Some(function) = subject.function() {
            show_in_tree(state, function);
        }
    }
    if state.screen != Screen::Review {
        show(state, Screen::Review, Pane::Decision);
    }
}

/// The engine says: it was decided, or decided again.
pub fn decided(state: &mut AppState, id: ProposalId, verb: Verb, line: &str, again: bool) {
    let now = state.now;
    let ours = state.kept.deciding == Some(id);
    if ours {
        state.kept.deciding = None;
        state.kept.moved = None;
    }
    state.pass.decide(id, verb);
    let in_bulk = if let Some((all, done, accept)) = state.kept.bulk.take() {
        if done + 1 >= all {
            state.messages.done(now, words::bulk_done(accept, all));
        } else {
            state.kept.bulk = Some((all, done + 1, accept));
        }
        true
    } else {
        // What somebody else decides meanwhile is not decided again.
        if let Some(number) = again.then(|| moved(state)).flatten() {
            state.messages.done_more(now, words::all_decided_again(number));
        } else if verb != Verb::Skip {
            // How to take it back is in sight, however long what was decided is.
            let room = usize::from(state.size.0).saturating_sub(text::width(words::UNDO_HINT) + 5);
            let said = format!("{} {}", text::cut(&sentence(line), room), words::UNDO_HINT);
            if ours { state.messages.result(now, said) } else { state.messages.done(now, said) }
        }
        false
    };
    if (ours || in_bulk) && state.screen == Screen::Diff {
        behaviour::refresh(state);
        behaviour::step(state, true);
        return;
    }
    if ours && state.screen == Screen::Journeys {
        if verb != Verb::Skip {
            journeys::next_waiting(state);
        }
        return;
    }
    if (ours || in_bulk) && state.current().is_some_and(|row| row.id == id) && verb != Verb::Skip {
        match state.pass.next(|row| state.filter.takes_proposal(row)) {
            Some(next) => go(state, next),
            None => state.pass.rest(),
        }
    }
}

/// The engine says: it was taken back.
pub fn undone(state: &mut AppState, id: ProposalId, subject: &ProposalSubject, line: &str) {
    state.pass.reopen(id);
    state.decision.dirty = true;
    let now = state.now;
    match moved(state) {
        Some(number) => state.messages.done_more(now, words::all_taken_back(number)),
        None => {
            let said = if line.is_empty() { words::taken_back(subject.short()) } else { sentence(line) };
            if state.kept.undoing { state.messages.result(now, said) } else { state.messages.done(now, said) }
        }
    }
    if state.screen == Screen::Journeys && state.snapshot.verdicts.iter().any(|row| row.proposal == Some(id)) {
        state.kept.undoing = false;
        journeys::go_to(state, id);
        return;
    }
    if std::mem::take(&mut state.kept.undoing) && !(state.screen == Screen::Diff && behaviour::go_to(state, id)) {
        go(state, id);
    }
}

/// Counts one more that `u` or `U` moved, and gives the number when it is more than one.
fn moved(state: &mut AppState) -> Option<usize> {
    let moved = state.kept.moved.as_mut()?;
    *moved += 1;
    (*moved > 1).then_some(*moved)
}

fn sentence(line: &str) -> String {
    let line = line.trim();
    if line.ends_with(['.', '?']) { line.to_owned() } else { format!("{line}.") }
}
