//! Keys of the journeys: going through tests, clauses and evidence, folding, and what a decision there is about. The
//! source follows the line under the cursor.

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::command::Command;
use crate::domain::event::JobKind;
use crate::domain::job_subject::JobSubject;
use crate::domain::journey::Heading;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::{JudgedView, VerdictRow};
use crate::domain::verdict::Ruling;
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::doc_row::About;
use crate::tui::journey_lines::ShownJourney;
use crate::tui::journeys;
use crate::tui::layer::Layer;
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::JourneysPane;
use crate::tui::unjudged;
use crate::tui::update::focus::{leave, show, trusted};
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::widgets::picker::{Choice, Picker};
use crate::tui::words;
use crate::tui::wrap::pieces;

/// Finds a test to show where none is, and reads again what was judged anew.
pub fn take_rows(state: &mut AppState, before: &[VerdictRow]) {
    let rows = std::sync::Arc::clone(&state.snapshot.verdicts);
    // Verdicts come a moment after the source was read: what nobody chose gives way to the worst of them.
    if let (true, Some(first)) = (state.journeys.by_itself, rows.first()) {
        return open_test(state, &first.test, None);
    }
    if unjudged::shown(state).is_some() {
        return;
    }
    let known = state.journeys.test.as_ref().and_then(|test| rows.iter().find(|row| row.test == *test));
    // One that is judged for the first time may have rows, each a test of its own by then.
    let is_row_of = |row: &&VerdictRow, test: &str| row.test.strip_prefix(test).is_some_and(|rest| rest.starts_with('['));
    let row = state.journeys.test.as_ref().and_then(|test| rows.iter().find(|row| is_row_of(row, test)));
    if let (None, Some(row)) = (known, row) {
        return open_test(state, &row.test, None);
    }
    match known {
        Some(row) => {
            let old = before.iter().find(|old| old.test == row.test);
            state.journeys.dirty |= old.is_some_and(|old| old.at != row.at);
            if state.screen == Screen::Journeys {
                follow_proposal(state);
            }
        }
        None => {
            let never = state.snapshot.unjudged.first().filter(|_| state.journeys.test.is_none()).map(|row| row.test.clone());
            if let Some(first) = rows.first() {
                open_test(state, &first.test, None);
            } else if let Some(never) = never {
                open_test(state, &never, None);
                state.journeys.by_itself = true;
            } else {
                // The place of the last session is kept until it is known what there is.
                let test = state.journeys.test.take();
                state.journeys = JourneysPane { test, ..JourneysPane::default() };
            }
        }
    }
}

/// Takes what was stored of a test.
pub fn take(state: &mut AppState, test: &str, view: Result<JudgedView, Trouble>) {
    let pane = &mut state.journeys;
    if pane.asked.as_deref() == Some(test) {
        pane.asked = None;
    }
    if pane.test.as_deref() != Some(test) {
        return;
    }
    let again = matches!(&pane.loaded, Some(Ok(_)));
    let here = pane.here();
    pane.loaded = Some(view.map(ShownJourney::new));
    let Some(Ok(journey)) = &pane.loaded else { return };
    let clauses = journey.view.judged.verdict.clauses.len();
    let begin =
        journey.view.judged.journey.iter().position(|line| line.is_heading(Heading::Test)).map_or(0, |heading| heading + 1);
    if !again {
        pane.folded = folded_at_first(journey);
    }
    pane.folded.retain(|at| journey.folds(*at));
    pane.clause = pane.clause.filter(|clause| *clause < clauses);
    pane.mark_evidence();
    pane.list_lines();
    let wanted = if again { here } else { pane.marks.keys().next().copied().or(Some(begin)) };
    if let Some(at) = wanted.and_then(|at| pane.lines.iter().position(|line| *line == at)) {
        let rows = state.layout().rows(Pane::Journey);
        state.journeys.list.jump(at, rows);
    }
    if state.screen == Screen::Journeys {
        follow(state);
    }
}

/// What fixtures did is folded: the test is what is read.
fn folded_at_first(journey: &ShownJourney) -> std::collections::HashSet<usize> {
    let lines = &journey.view.judged.journey;
    let fixtures = |name: &str| matches!(name, "In setup:" | "In teardown:");
    (0..lines.len()).filter(|at| lines[*at].line.is_none() && fixtures(&lines[*at].name)).collect()
}

/// Makes a test the one that is shown, at a clause.
pub fn open_test(state: &mut AppState, test: &str, clause: Option<usize>) {
    state.journeys.by_itself = false;
    if state.journeys.test.as_deref() != Some(test) {
        state.journeys = JourneysPane { test: Some(test.to_owned()), ..JourneysPane::default() };
    }
    state.journeys.clause = clause;
    state.journeys.mark_evidence();
    if state.screen == Screen::Journeys {
        follow_proposal(state);
        follow(state);
    }
}

/// Goes to the screen, at a test and a clause.
pub fn go(state: &mut AppState, test: &str, clause: Option<usize>) {
    leave(state);
    show(state, Screen::Journeys, Pane::Journey);
    open_test(state, test, clause);
    to_evidence(state);
}

/// Comes to the screen: line 2 and the source are about its test.
pub fn arrive(state: &mut AppState) {
    follow_proposal(state);
    follow(state);
}

/// Lets decisions be about the verdict that is shown.
fn follow_proposal(state: &mut AppState) {
    let proposal = journeys::row_of(state).and_then(|(_, row)| row.proposal);
    // One that was decided in this pass is still what line 2 is about.
    let stays = |state: &AppState| {
        let shown = state.journeys.test.clone();
        let current = state.current().map(|row| row.id);
        current.is_some() && state.loaded().and_then(|one| one.view.proposal.verdict()).map(|one| &one.test) == shown.as_ref()
    };
    match proposal {
        Some(id) => {
            state.pass.go(id);
        }
        None if stays(state) => {}
        None => state.pass.rest(),
    }
}

/// Tells whether the verdict that is shown can be decided on, and says why not.
pub fn may_decide(state: &mut AppState) -> bool {
    let now = state.now;
    let Some((_, row)) = journeys::row_of(state) else {
        let never = unjudged::shown(state).is_some();
        state.messages.answer(now, if never { words::NEVER_JUDGED } else { words::NO_JOURNEYS });
        return false;
    };
    let why = match (row.proposal, row.ruling) {
        (Some(id), _) => {
            if state.pass.go(id) {
                return true;
            }
            words::ALREADY_DECIDED
        }
        (None, _) if row.overridden => words::IS_OVERRIDDEN,
        (None, Ruling::Pass) => words::PASSES,
        (None, Ruling::Error) => words::JUDGE_BROKE,
        (None, _) => words::ALREADY_DECIDED,
    };
    state.messages.answer(now, why);
    false
}

/// Goes to the next or last test of the filter; tells whether there was one.
pub fn step(state: &mut AppState, forward: bool) -> bool {
    let (filter, snapshot) = (&state.filter, &state.snapshot);
    let judged = snapshot.verdicts.iter().map(|row| (filter.takes_verdict(row), row.test.clone()));
    let never = snapshot.unjudged.iter().map(|row| (filter.takes_unjudged(row), row.test.clone()));
    let rows: Vec<(bool, String)> = judged.chain(never).collect();
    let takes = |row: &&(bool, String)| row.0;
    let here = state.journeys.test.as_ref().and_then(|test| rows.iter().position(|(_, other)| other == test));
    let found = match (here, forward) {
        (Some(here), true) => rows.iter().skip(here + 1).find(takes).or_else(|| rows.iter().take(here).find(takes)),
        (Some(here), false) => rows.iter().take(here).rev().find(takes),
        (None, _) => rows.iter().find(takes),
    };
    if let Some((_, test)) = found {
        open_test(state, test, None);
    }
    found.is_some()
}

/// Goes to the next verdict that waits, after a decision.
pub fn next_waiting(state: &mut AppState) {
    let rows = std::sync::Arc::clone(&state.snapshot.verdicts);
    let here = journeys::row_of(state).map_or(0, |(at, _)| at + 1);
    let waits =
        |row: &&VerdictRow| row.proposal.is_some_and(|id| state.pass.verdict(id).is_none()) && state.filter.takes_verdict(row);
    let next = rows.iter().skip(here).find(waits).or_else(|| rows.iter().take(here).find(waits));
    if let Some(row) = next {
        open_test(state, &row.test, None);
    }
}

/// Shows the test of a proposal.
pub fn go_to(state: &mut AppState, id: ProposalId) {
    let test = state.snapshot.verdicts.iter().find(|row| row.proposal == Some(id)).map(|row| row.test.clone());
    if let Some(test) = test {
        open_test(state, &test, None);
    }
}

/// Chooses the clause under the cursor, and marks its evidence.
pub fn choose_clause(state: &mut AppState) {
    let About::Clause(clause) = content::about(state, state.focus) else { return };
    if state.journeys.clause != Some(clause) {
        state.journeys.clause = Some(clause);
        state.journeys.mark_evidence();
    }
}

/// Lets the source follow the line under the cursor.
pub fn follow(state: &mut AppState) {
    let site = state.journeys.journey().and_then(|journey| journey.site(state.journeys.here()?));
    match site {
        Some(site) => show_source(state, &site.path, site.line),
        None => {
            let judged = journeys::row_of(state).and_then(|(_, row)| Some((row.path.clone(), row.line?)));
            if let Some((path, line)) = judged.or_else(|| never_judged_place(state)) {
                show_source(state, &path, line);
            }
        }
    }
    mark_source(state);
}

/// Gives the place of the test that is shown, if it was never judged.
fn never_judged_place(state: &AppState) -> Option<(RelPath, u32)> {
    unjudged::shown(state).map(|(_, row)| (row.path.clone(), row.line))
}

/// Goes in or there: from a clause to its first evidence, from a line of the journey to its source.
pub fn enter(state: &mut AppState) {
    match state.focus {
        Pane::Intent => {
            choose_clause(state);
            leave(state);
            if to_evidence(state) {
                show(state, Screen::Journeys, Pane::Journey);
            } else {
                state.messages.answer(state.now, words::NO_EVIDENCE);
            }
        }
        _ => {
            leave(state);
            follow(state);
            show(state, Screen::Journeys, Pane::Source);
        }
    }
}

/// Puts the cursor on the first line of evidence; tells whether there is one.
fn to_evidence(state: &mut AppState) -> bool {
    let Some(first) = state.journeys.marks.keys().next().copied() else { return false };
    show_line(state, first);
    true
}

/// Steps through the evidence.
pub fn step_evidence(state: &mut AppState, forward: bool) {
    let here = state.journeys.here();
    let marks = &state.journeys.marks;
    let found = match (here, forward) {
        (Some(here), true) => marks.range(here + 1..).next(),
        (Some(here), false) => marks.range(..here).next_back(),
        (None, _) => marks.iter().next(),
    };
    match found.map(|(at, _)| *at) {
        Some(at) => show_line(state, at),
        None => state.messages.answer(state.now, words::NO_MORE_EVIDENCE),
    }
}

/// Breaks the lines that are wider than the pane; the cursor stays on its line.
pub fn wrap_lines(state: &mut AppState) {
    let width = state.columns(Pane::Journey);
    if state.journeys.width == width || state.screen != Screen::Journeys {
        return;
    }
    let here = state.journeys.here();
    let mut positions = std::mem::take(&mut state.journeys.lines);
    positions.dedup();
    let parts = |at: &usize| journeys::whole_row(state, *at).map_or(1, |row| pieces(&row, width).len());
    let lines: Vec<usize> = positions.iter().flat_map(|at| std::iter::repeat_n(*at, parts(at))).collect();
    (state.journeys.lines, state.journeys.width) = (lines, width);
    if let Some(line) = here.and_then(|at| state.journeys.lines.iter().position(|line| *line == at)) {
        state.journeys.list.hold(line);
    }
}

/// Puts the cursor on a line of the journey, and opens what hides it.
fn show_line(state: &mut AppState, at: usize) {
    if !state.journeys.lines.contains(&at) {
        let Some(journey) = state.journeys.journey() else { return };
        let hides: Vec<usize> =
            state.journeys.folded.iter().copied().filter(|folded| *folded < at && at < journey.end(*folded)).collect();
        for one in hides {
            state.journeys.folded.remove(&one);
        }
        state.journeys.list_lines();
    }
    if let Some(row) = state.journeys.lines.iter().position(|line| *line == at) {
        let rows = state.layout().rows(Pane::Journey);
        state.journeys.list.jump(row, rows);
        follow(state);
    }
}

/// Folds or unfolds the line under the cursor; where there is nothing to do, goes out to its call or on.
pub fn fold(state: &mut AppState, unfold: bool) {
    let Some(here) = state.journeys.here() else { return };
    let Some(journey) = state.journeys.journey() else { return };
    let (folds, folded) = (journey.folds(here), state.journeys.folded.contains(&here));
    match (folds, folded, unfold) {
        (true, true, true) => {
            state.journeys.folded.remove(&here);
            state.journeys.list_lines();
        }
        (true, false, false) => {
            state.journeys.folded.insert(here);
            state.journeys.list_lines();
        }
        (_, _, true) => {
            let len = state.journeys.lines.len();
            state.journeys.list.step(1, len);
            follow(state);
        }
        (_, _, false) => {
            if let Some(parent) = journey.parent(here) {
                show_line(state, parent);
            }
        }
    }
}

/// Runs the test that is shown once more, and judges it.
pub fn again(state: &mut AppState, out: &mut Vec<Effect>) {
    if !trusted(state) {
        return;
    }
    match state.journeys.test.clone() {
        Some(test) => out.push(Effect::Send(Command::Judge { tests: vec![test] })),
        None => all(state, out),
    }
}

/// Runs all tests with an intent that the filter takes, judged before or not, and judges them.
pub fn all(state: &mut AppState, out: &mut Vec<Effect>) {
    if !trusted(state) {
        return;
    }
    let (filter, snapshot) = (&state.filter, &state.snapshot);
    let judged = snapshot.verdicts.iter().filter(|row| filter.takes_verdict(row)).map(|row| &row.test);
    let never = snapshot.unjudged.iter().filter(|row| filter.takes_unjudged(row)).map(|row| &row.test);
    let tests: Vec<String> = judged.chain(never).cloned().collect();
    // Without a filter, those come along that are not known here yet.
    let tests = if tests.len() == unjudged::all(state) { Vec::new() } else { tests };
    state.messages.answer(state.now, words::JUDGING_ALL);
    out.push(Effect::Send(Command::Judge { tests }));
}

/// Lists clauses for the test, to decide it by: where its own sentences do not. Tells whether it can be decided so.
pub fn list_clauses(state: &mut AppState) -> bool {
    let Some(id) = journeys::row_of(state).and_then(|(_, row)| row.proposal) else { return false };
    let Some(journey) = state.journeys.journey().filter(|journey| journey.view.judged.takes_clauses()) else { return false };
    let chosen: Vec<String> = state
        .loaded()
        .filter(|loaded| loaded.view.proposal.id == id)
        .and_then(|loaded| loaded.view.proposal.edited.as_ref())
        .map(|text| text.lines().map(str::to_owned).collect())
        .unwrap_or_default();
    let judged = &journey.view.judged;
    let choice = |clause: &str, detail: String| {
        let key = if chosen.iter().any(|one| one == clause) { "✓ chosen" } else { "" };
        Choice { title: clause.to_owned(), detail, key: key.to_owned(), ..Choice::default() }
    };
    let line = |title: String, detail: &str, blocked: bool| Choice {
        title,
        detail: detail.to_owned(),
        blocked: blocked.then(|| detail.to_owned()),
        ..Choice::default()
    };
    let proposed = judged.verdict.proposed.as_ref();
    let by_model = || proposed.into_iter().flat_map(|proposed| &proposed.clauses);
    let mut choices: Vec<Choice> = by_model().map(|clause| choice(&clause.text, clause.about().to_string())).collect();
    for suggestion in &judged.suggestions {
        if !by_model().any(|one| one.text == suggestion.text) {
            choices.push(choice(&suggestion.text, suggestion.notices.clone().unwrap_or_default()));
        }
    }
    choices.push(line(words::ASK_FOR_CLAUSES.to_owned(), words::ASKING_FOR_CLAUSES, false));
    if let Some(proposed) = proposed {
        choices.extend(proposed.uncovered.iter().map(|span| line(words::not_said(span), "words of the intent", true)));
        choices.extend(proposed.left_out.iter().map(|left| line(format!("left out: {left}"), "the model's", true)));
        choices.extend(proposed.note.iter().map(|note| line(note.to_string(), "", true)));
    }
    state.layers.push(Layer::Clauses(Picker::new(choices, ""), id, chosen));
    true
}

/// Asks the chosen model for clauses that say the intent of the test that is shown.
pub fn ask_for_clauses(state: &mut AppState, out: &mut Vec<Effect>) {
    if !trusted(state) {
        return;
    }
    let now = state.now;
    let Some(journey) = state.journeys.journey() else { return state.messages.answer(now, words::NO_JOURNEYS) };
    if !journey.view.judged.takes_clauses() {
        return state.messages.answer(now, words::CLAUSES_BESIDE);
    }
    let test = journey.view.judged.test.clone();
    if state.open_jobs().any(|job| job.kind == JobKind::Clauses && job.subject == JobSubject::Test(test.clone())) {
        return state.messages.answer(now, words::CLAUSES_ASKED);
    }
    out.push(Effect::Send(Command::AskClauses { test }));
}

/// Takes a clause into what the test is to be decided by, or out of it.
pub fn choose(state: &mut AppState, id: ProposalId, chosen: &[String], clause: String, out: &mut Vec<Effect>) {
    let mut now: Vec<String> = chosen.iter().filter(|one| **one != clause).cloned().collect();
    if now.len() == chosen.len() {
        now.push(clause);
    }
    state.messages.answer(state.now, words::clauses_chosen(now.len()));
    out.push(Effect::Send(Command::Edit { proposal: id, text: now.join("\n") }));
}

/// Finds the file and line to edit: the test for its intent, the source for its journey.
#[must_use]
pub fn to_edit(state: &AppState) -> Option<(RelPath, u32)> {
    let judged = journeys::row_of(state).map(|(_, row)| (row.path.clone(), row.line.unwrap_or(1)));
    let test = judged.or_else(|| never_judged_place(state));
    if state.focus == Pane::Intent {
        return test;
    }
    let site = state.journeys.journey().and_then(|journey| journey.site(state.journeys.here()?));
    site.map(|site| (site.path, site.line)).or(test)
}

/// Goes to the definition of the function that the line under the cursor is about; tells whether there is one.
pub fn definition(state: &mut AppState) -> bool {
    let place = state.journeys.journey().and_then(|journey| {
        let here = state.journeys.here()?;
        let call = if journey.line(here)?.function.is_some() { here } else { journey.parent(here)? };
        journey.place(call).cloned()
    });
    let Some((path, line)) = place else { return false };
    leave(state);
    show_source(state, &path, line);
    show(state, Screen::Journeys, Pane::Source);
    true
}

/// Gives the line under the cursor whole: as the reports tell it, and the lines it ran.
#[must_use]
pub fn whole(state: &AppState) -> Vec<String> {
    let line = state.journeys.journey().and_then(|journey| journey.line(state.journeys.here()?));
    let Some(line) = line else { return Vec::new() };
    let mut out = vec![line.text()];
    if !line.reached.is_empty() {
        let ran: Vec<String> = line.reached.iter().map(ToString::to_string).collect();
        out.push(format!("ran lines {}", ran.join(", ")));
    }
    out
}

/// Gives the text of the line under the cursor, as the reports tell it.
#[must_use]
pub fn text(state: &AppState) -> Option<String> {
    let journey = state.journeys.journey()?;
    Some(journey.line(state.journeys.here()?)?.text().trim_start().to_owned())
}

/// Puts the cursor of the intent on its clauses, one after the other.
pub fn step_clause(state: &mut AppState, forward: bool) {
    if content::to_stop(state, Pane::Intent, forward) {
        choose_clause(state);
    }
}
