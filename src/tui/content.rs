//! What each pane consists of, line by line: how many, which text, where its cursor is. Read by `update` and `view`.

pub mod calls;
pub mod functions;
pub mod log;
pub mod recorded;
pub mod runs;
pub mod source;
pub mod start;

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::text::count;
use crate::domain::decision::Verb;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{OpenVerdict, ProposalState};
use crate::domain::reason::Reason;
use crate::domain::snapshot::{FunctionRow, Mark, RedRow};
use crate::tui::app::AppState;
use crate::tui::doc::{Compare, Loaded};
use crate::tui::doc_row::{About, DocRow};
use crate::tui::glyphs;
use crate::tui::journeys::{self, Intent};
use crate::tui::layout::{Pane, Screen};
use crate::tui::row::Row;
use crate::tui::specs;
use crate::tui::theme::Role;
use crate::tui::unjudged;
use crate::tui::widgets::code::diff_row;
use crate::tui::widgets::virtual_list::ListState;
use crate::tui::words;
use crate::tui::wrap::Wrapped;

/// Counts the lines of a pane.
#[must_use]
pub fn len(state: &AppState, pane: Pane) -> usize {
    match pane {
        Pane::Functions => state.nodes.len(),
        Pane::Source => state.source.lines.as_ref().and_then(|lines| lines.as_ref().ok()).map_or(0, |lines| lines.len()),
        Pane::Calls => state.calls.lines.len(),
        Pane::Journey => state.journeys.lines.len(),
        Pane::Recorded => state.recorded.lines.len(),
        _ => doc_rows(state, pane).map_or(0, |rows| rows.len()),
    }
}

/// Gives one line of a pane.
#[must_use]
pub fn row(state: &AppState, pane: Pane, at: usize, width: u16) -> Option<Row> {
    #[cfg(test)]
    crate::tui::tests::work::a_row_was_made();
    match pane {
        Pane::Functions => functions::row(state, at, width),
        Pane::Source => source::row(state, at, width),
        Pane::Calls => calls::row(state, at),
        Pane::Journey => journeys::row(state, at),
        Pane::Recorded => recorded::row(state, at),
        _ => doc_rows(state, pane)?.get(at).map(|row| row.row.clone()),
    }
}

/// Gives one line of a pane as text.
#[must_use]
pub fn text(state: &AppState, pane: Pane, at: usize) -> String {
    match pane {
        Pane::Functions => state.nodes.get(at).map(|node| node.label.clone()).unwrap_or_default(),
        Pane::Source => match &state.source.lines {
            Some(Ok(lines)) => lines.get(at).map(|line| line.text.clone()).unwrap_or_default(),
            _ => String::new(),
        },
        _ => match shown(state, pane) {
            // Of a line that goes on below, all of it.
            Some((loaded, wrapped)) => {
                loaded.rows(state.decision.compare).get(wrapped.line(at)).map(|row| row.row.text()).unwrap_or_default()
            }
            None => row(state, pane, at, 200).map(|row| row.text()).unwrap_or_default(),
        },
    }
}

/// Finds the lines of a pane that hold words, given in small letters.
#[must_use]
pub fn matches(state: &AppState, pane: Pane, words: &str) -> Vec<usize> {
    let holds = |text: &str| text.to_lowercase().contains(words);
    if let Some((loaded, wrapped)) = shown(state, pane) {
        // A match that a break parts is found at the start of its line.
        let rows = loaded.rows(state.decision.compare).iter().enumerate().filter(|(_, row)| holds(&row.row.text()));
        return rows
            .flat_map(|(line, _)| {
                let all = wrapped.shown(line)..wrapped.shown(line + 1);
                let parts: Vec<usize> = all.clone().filter(|at| holds(&wrapped.rows[*at].row.text())).collect();
                // The second of a pair stands in the line before.
                let at = if all.is_empty() { all.start.saturating_sub(1) } else { all.start };
                if parts.is_empty() { vec![at] } else { parts }
            })
            .collect();
    }
    match doc_rows(state, pane) {
        Some(rows) => (0..rows.len()).filter(|at| rows.get(*at).is_some_and(|row| holds(&row.row.text()))).collect(),
        None => (0..len(state, pane)).filter(|at| holds(&text(state, pane, *at))).collect(),
    }
}

/// Gives the place where a pane stands.
pub fn list(state: &mut AppState, pane: Pane) -> Option<&mut ListState> {
    Some(match pane {
        Pane::Functions => &mut state.tree,
        Pane::Source => &mut state.source.list,
        Pane::Calls => &mut state.calls.list,
        Pane::Decision => &mut state.decision.list,
        Pane::Runs => &mut state.runs,
        Pane::Recorded => &mut state.recorded.list,
        Pane::Log => &mut state.log,
        Pane::Diff => &mut state.diff.list,
        Pane::Intent => &mut state.journeys.intent,
        Pane::Journey => &mut state.journeys.list,
        Pane::Specs => &mut state.specs.list,
        Pane::Steps => &mut state.specs.steps,
    })
}

/// Gives the place where a pane stands, to look at.
#[must_use]
pub fn standing(state: &AppState, pane: Pane) -> ListState {
    match pane {
        Pane::Functions => state.tree,
        Pane::Source => state.source.list,
        Pane::Calls => state.calls.list,
        Pane::Decision => state.decision.list,
        Pane::Runs => state.runs,
        Pane::Recorded => state.recorded.list,
        Pane::Log => state.log,
        Pane::Diff => state.diff.list,
        Pane::Intent => state.journeys.intent,
        Pane::Journey => state.journeys.list,
        Pane::Specs => state.specs.list,
        Pane::Steps => state.specs.steps,
    }
}

/// Gives the line under the cursor of a pane that has lines.
#[must_use]
pub fn cursor(state: &AppState, pane: Pane) -> Option<usize> {
    let at = standing(state, pane).cursor;
    (at < len(state, pane)).then_some(at)
}

/// Tells what the line under the cursor of a pane is about.
#[must_use]
pub fn about(state: &AppState, pane: Pane) -> About {
    doc_rows(state, pane)
        .and_then(|rows| cursor(state, pane).and_then(|at| rows.get(at).map(|row| row.about.clone())))
        .unwrap_or_default()
}

/// Puts the cursor of a pane on the next or the last line that is worth a stop; tells whether there is one.
pub fn to_stop(state: &mut AppState, pane: Pane, forward: bool) -> bool {
    let Some(rows) = doc_rows(state, pane) else { return false };
    let at = cursor(state, pane).unwrap_or(0);
    let stop = |at: &usize| rows.get(*at).is_some_and(|row| row.stop);
    let found = if forward { (at + 1..rows.len()).find(stop) } else { (0..at.min(rows.len())).rev().find(stop) };
    let height = state.layout().rows(pane);
    if let (Some(found), Some(list)) = (found, list(state, pane)) {
        list.jump(found, height);
    }
    found.is_some()
}

/// Gives the columns a pane is moved to the right.
#[must_use]
pub fn shift(state: &AppState, pane: Pane) -> usize {
    match pane {
        Pane::Source => state.source.shift,
        Pane::Calls => state.calls.shift,
        Pane::Decision => state.decision.shift,
        Pane::Journey => state.journeys.shift,
        Pane::Steps => state.specs.shift,
        Pane::Recorded => state.recorded.shift,
        Pane::Functions | Pane::Intent | Pane::Specs | Pane::Runs | Pane::Log | Pane::Diff => 0,
    }
}

/// Gives the lines of a pane that is read from top to bottom.
#[must_use]
pub fn doc_rows(state: &AppState, pane: Pane) -> Option<Cow<'_, [DocRow]>> {
    Some(match pane {
        Pane::Decision => decision(state),
        Pane::Intent => Cow::Owned(intent(state)),
        Pane::Specs => Cow::Owned(specs::list_rows(state)),
        Pane::Steps => Cow::Owned(steps(state)),
        Pane::Runs => Cow::Owned(runs::rows(state)),
        Pane::Log => Cow::Owned(log::rows(state)),
        Pane::Diff => Cow::Borrowed(&state.diff.lines.rows),
        Pane::Functions | Pane::Source | Pane::Calls | Pane::Journey | Pane::Recorded => return None,
    })
}

/// Tells whether the first steps stand in the pane: nothing was recorded and nothing waits.
#[must_use]
pub fn first_run(state: &AppState) -> bool {
    state.snapshot.recordings.is_empty() && state.pass.items().is_empty()
}

/// Tells whether the queue's end stands in the pane.
#[must_use]
pub fn queue_done(state: &AppState) -> bool {
    state.current().is_none() && state.pass.open() == 0 && !state.pass.items().is_empty() && state.focus == Pane::Decision
}

/// Gives the lines of what is decided on at the width of its pane.
#[must_use]
pub fn wrapped<'a>(state: &'a AppState, loaded: &Arc<Loaded>) -> Cow<'a, Wrapped> {
    let (compare, width) = (state.decision.compare, state.columns(Pane::Decision));
    match &state.decision.wrapped {
        Some((of, how, wide, wrapped)) if Arc::ptr_eq(of, loaded) && (*how, *wide) == (compare, width) => Cow::Borrowed(wrapped),
        _ if compare == Compare::Disk => Cow::Owned(Wrapped::side_by_side(loaded.rows(compare), width, &loaded.pairs)),
        _ => Cow::Owned(Wrapped::new(loaded.rows(compare), width)),
    }
}

/// Keeps the lines of what is decided on; at another width, the same lines stay in sight, and those that were.
pub fn keep_wrapped(state: &mut AppState) {
    let Some(loaded) = state.loaded().cloned() else {
        state.decision.wrapped = None;
        return;
    };
    let (compare, width) = (state.decision.compare, state.columns(Pane::Decision));
    let Cow::Owned(new) = wrapped(state, &loaded) else { return };
    if let Some((of, how, wide, old)) = &state.decision.wrapped
        && Arc::ptr_eq(of, &loaded)
        && *wide != width
        && *how == compare
    {
        let (list, read) = (&mut state.decision.list, &mut state.decision.read);
        (list.cursor, list.top) = (new.shown(old.line(list.cursor)), new.shown(old.line(list.top)));
        *read = if compare == Compare::Disk { new.shown(old.line(*read)) } else { 0 };
    }
    state.decision.wrapped = Some((loaded, compare, width, new));
}

/// Gives what is decided on where its lines are those of the pane.
fn shown(state: &AppState, pane: Pane) -> Option<(&Arc<Loaded>, Cow<'_, Wrapped>)> {
    let before = state.asks_for_trust() || first_run(state) || queue_done(state) || state.streaming().is_some();
    if pane != Pane::Decision || before || (state.decision.compare == Compare::Other && state.decision.other.is_some()) {
        return None;
    }
    let loaded = state.loaded().filter(|loaded| loaded.view.proposal.verdict().is_none())?;
    Some((loaded, wrapped(state, loaded)))
}

/// Notes which lines of what is decided on are in sight now, as far as they follow those that were.
pub fn note_sight(state: &mut AppState) {
    let layout = state.layout();
    let Some(slot) = layout.slot(Pane::Decision).filter(|_| state.screen == Screen::Review) else { return };
    let Some(loaded) = state.loaded().filter(|_| state.decision.compare == Compare::Disk) else { return };
    let first = wrapped(state, loaded).rows.iter().position(|row| row.changed).unwrap_or(0);
    let top = state.decision.list.top;
    if top <= first.max(state.decision.read) {
        state.decision.read = state.decision.read.max(top + usize::from(slot.body.height));
    }
}

/// Tells whether what accepting writes is or was in sight, to its last line; where it writes nothing, whether some of it is.
#[must_use]
pub fn diff_in_sight(state: &AppState) -> bool {
    let nothing = |loaded: &Loaded| loaded.view.proposal.verdict().is_some() && loaded.view.plan.is_empty();
    if state.loaded().is_some_and(|loaded| nothing(loaded)) {
        return true;
    }
    let layout = state.layout();
    let Some(slot) = layout.slot(Pane::Decision).filter(|_| state.screen == Screen::Review) else { return false };
    let Some(loaded) = state.loaded() else { return false };
    if state.decision.compare != Compare::Disk {
        return false;
    }
    // What accepting a verdict writes stands below what it is about, and is always asked about.
    if loaded.view.proposal.verdict().is_some() {
        return false;
    }
    let wrapped = wrapped(state, loaded);
    let rows = &wrapped.rows;
    if !rows.iter().any(|row| row.changed) {
        return true;
    }
    if !loaded.view.plan.is_empty() {
        return rows.iter().rposition(|row| row.changed).is_some_and(|last| last < state.decision.read);
    }
    let top = state.decision.list.top;
    rows.iter().skip(top).take(usize::from(slot.body.height)).any(|row| row.changed)
}

fn decision(state: &AppState) -> Cow<'_, [DocRow]> {
    if state.asks_for_trust() {
        return Cow::Owned(start::trust(state));
    }
    if start::is_followed(state) {
        return Cow::Owned(start::under_way(state));
    }
    if first_run(state) {
        return Cow::Owned(start::first_steps(state));
    }
    if queue_done(state) {
        let said = words::queue_done(state.snapshot.decided);
        return lines(said.split_inclusive(". ").map(|part| (Role::Text, format!(" {}", part.trim_end()))));
    }
    if let Some(row) = state.current() {
        if row.state == ProposalState::Streaming {
            return Cow::Owned(stream(state));
        }
        if let (Compare::Other, Some((_, rows))) = (state.decision.compare, &state.decision.other) {
            return Cow::Owned(Wrapped::new(rows, state.columns(Pane::Decision)).rows);
        }
        if let Some((loaded, open)) = state.loaded().and_then(|loaded| Some((loaded, loaded.view.proposal.verdict()?))) {
            return Cow::Owned(verdict(state, loaded, open));
        }
        if let Some(loaded) = state.loaded() {
            return match wrapped(state, loaded) {
                Cow::Borrowed(wrapped) => Cow::Borrowed(&wrapped.rows),
                Cow::Owned(wrapped) => Cow::Owned(wrapped.rows),
            };
        }
        return match &state.decision.loaded {
            Some(Err(trouble)) if state.decision.shown == Some(row.id) => lines(
                [Some(trouble.what.clone()), trouble.why.clone(), trouble.todo.clone()]
                    .into_iter()
                    .flatten()
                    .map(|line| (Role::Failing, format!(" ! {line}"))),
            ),
            _ => Cow::Owned(Vec::new()),
        };
    }
    match state.subject_row() {
        Some(row) if red_of(state, &row.id).is_some() => Cow::Owned(red(state, &row.id)),
        Some(row) => lines(function(row)),
        None if !state.snapshot.indexed => lines([(Role::Dim, format!(" {}", words::reading(state.snapshot.reading)))]),
        None if state.snapshot.functions.is_empty() => {
            lines([(Role::Text, " No functions here. This folder has no Python code.".to_owned())])
        }
        None => lines([(Role::Text, " Nothing is selected. Select a function on the left.".to_owned())]),
    }
}

fn lines<'a>(all: impl IntoIterator<Item = (Role, String)>) -> Cow<'a, [DocRow]> {
    Cow::Owned(all.into_iter().map(|(role, line)| DocRow::of(Row::new().add(role, line))).collect())
}

/// Makes the lines of a verdict that waits, and of what accepting it writes.
fn verdict(state: &AppState, loaded: &Loaded, open: &OpenVerdict) -> Vec<DocRow> {
    let row = state.snapshot.verdicts.iter().find(|row| row.test == open.test);
    let shown = Intent {
        test: &open.test,
        intent: &open.intent,
        verdict: &open.verdict,
        since: row.map(|row| row.since),
        stale: row.is_some_and(|row| row.stale),
        takes_journey: open.takes_journey && state.pass.verdict(loaded.view.proposal.id).is_none(),
        takes_clauses: open.takes_clauses() && state.pass.verdict(loaded.view.proposal.id).is_none(),
        chosen: loaded.view.proposal.edited.as_deref(),
    };
    let mut out = journeys::intent_rows(&shown, state.zone, state.now, state.columns(Pane::Decision));
    out.push(DocRow::default());
    out.push(DocRow::of(Row::new().add(Role::Accent, " Enter").add(Role::Text, " shows the journey, at the evidence")));
    if !loaded.disk.is_empty() {
        out.push(DocRow::default());
        out.push(DocRow::of(Row::plain(" accept writes this, and nothing else:")));
        out.extend(loaded.disk.iter().cloned());
    }
    Wrapped::new(&out, state.columns(Pane::Decision)).rows
}

/// Makes the lines of the intent and clauses of the test that is shown.
fn intent(state: &AppState) -> Vec<DocRow> {
    if let Some((_, row)) = unjudged::shown(state) {
        return unjudged::rows(row, state.columns(Pane::Intent));
    }
    let Some(journey) = state.journeys.journey() else { return Vec::new() };
    let judged = &journey.view.judged;
    let row = journeys::row_of(state).map(|(_, row)| row);
    let shown = Intent {
        test: &judged.test,
        intent: &judged.intent,
        verdict: &judged.verdict,
        since: Some(journey.view.since),
        stale: row.is_some_and(|row| row.stale),
        takes_journey: row.is_some_and(|row| row.proposal.is_some()) && judged.takes_journey(),
        takes_clauses: row.is_some_and(|row| row.proposal.is_some()) && judged.takes_clauses(),
        chosen: state
            .loaded()
            .filter(|loaded| row.is_some_and(|row| row.proposal == Some(loaded.view.proposal.id)))
            .and_then(|loaded| loaded.view.proposal.edited.as_deref()),
    };
    let mut out = journeys::intent_rows(&shown, state.zone, state.now, state.columns(Pane::Intent));
    let left_out = judged.gaps.iter().map(|(gap, number)| format!(" ~ left out {number}: {gap}"));
    let cut = (judged.cut > 0).then(|| format!(" ~ {} of the journey are not kept", count(judged.cut, "line")));
    out.extend(left_out.chain(cut).map(|line| DocRow::of(Row::new().add(Role::Warning, line))));
    out
}

/// Makes the lines of the YAML test that is shown.
fn steps(state: &AppState) -> Vec<DocRow> {
    let Some(view) = state.specs.view() else { return Vec::new() };
    specs::step_rows(state, view, state.columns(Pane::Steps))
}

/// Breaks sentences into lines of the pane of what is decided on.
#[must_use]
pub fn sentences(state: &AppState, role: Role, text: &str) -> Vec<DocRow> {
    let text = crate::base::text::display_line(text);
    let lines = crate::base::text::wrap(&text, state.columns(Pane::Decision).saturating_sub(2).max(10));
    lines.into_iter().map(|line| DocRow::of(Row::new().add(role, format!(" {line}")))).collect()
}

fn function(row: &FunctionRow) -> Vec<(Role, String)> {
    let or = |reason: &Option<Reason>, other: &str| reason.as_ref().map_or_else(|| other.to_owned(), Reason::message);
    let name = row.id.qualname();
    let (sign, role, _) = glyphs::of_mark(row.mark);
    let calls = count(usize::try_from(row.calls).unwrap_or(usize::MAX), "call");
    match (row.mark, &row.reason) {
        (Mark::Untestable, reason) => vec![
            (Role::Text, format!(" {name}: {calls}, no test.")),
            (Role::Dim, format!(" - {}", or(reason, "its calls cannot be run again"))),
            (Role::Text, " w says more   g asks a model instead".into()),
        ],
        (Mark::Never, _) => vec![
            (Role::Text, format!(" {}", words::never_called(name))),
            (Role::Text, " ! record something that calls it   g ask a model".into()),
        ],
        (Mark::Tested, _) => vec![
            (role, format!(" {sign} {name} has accepted, proved tests.")),
            (Role::Text, format!("   {calls} recorded. Nothing waits for a decision.")),
        ],
        (Mark::Recorded, _) => vec![
            (Role::Text, format!(" {sign} {name}: {calls} recorded, no draft yet.")),
            (Role::Text, "   t on Functions makes one   g asks a model".into()),
        ],
        (_, reason) => vec![
            (role, format!(" {sign} {name}: {calls} recorded. Nothing waits for a decision.")),
            (Role::Dim, format!("   {}", or(reason, "t runs the recorded calls again"))),
        ],
    }
}

fn red_of<'a>(state: &'a AppState, function: &FunctionId) -> Option<&'a RedRow> {
    state.snapshot.red.iter().find(|row| row.function == *function)
}

/// Makes the lines of what was rejected or noted as a bug and still shows: what, who, when, why. None where nothing is.
#[must_use]
pub fn red(state: &AppState, function: &FunctionId) -> Vec<DocRow> {
    let Some(row) = red_of(state, function) else { return Vec::new() };
    let (did, by, why) = match &row.decision {
        Some(decision) => {
            let did = if decision.verb == Verb::Overrule { "noted as a bug" } else { "rejected" };
            let by = format!(" by {}, {}", decision.by, state.zone.day(decision.at, state.now));
            (did, by, decision.reason.clone().filter(|reason| !reason.trim().is_empty()))
        }
        None => ("rejected", String::new(), None),
    };
    let mut out = sentences(state, Role::Failing, &words::stays_red(function.qualname(), did, &by));
    if let Some(why) = why {
        out.extend(sentences(state, Role::Text, &format!("Why: {}", why.trim())));
    }
    out.push(DocRow::default());
    for call in &row.calls {
        out.extend(sentences(state, Role::Text, &call.call));
        out.extend(sentences(state, Role::Text, &format!("  {}", call.change)));
    }
    if row.more > 0 {
        out.extend(sentences(state, Role::Dim, &format!("and {}", count(row.more, "more call"))));
    }
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Dim, words::RED_UNTIL));
    out
}

fn stream(state: &AppState) -> Vec<DocRow> {
    let text = &state.decision.stream;
    let seen = state.subject_row().map_or(0, |row| row.calls);
    let calls = count(usize::try_from(seen).unwrap_or(usize::MAX), "call");
    let head = if text.model.is_empty() { format!(" from {calls}") } else { format!(" from {calls} · {}", text.model) };
    let mut out = vec![DocRow::of(Row::new().add(Role::Dim, head)), DocRow::default()];
    for (at, line) in text.done.iter().enumerate() {
        out.push(DocRow::of(diff_row(Some(at + 1), ' ', line.bits())));
    }
    let partial = Row::new().add(Role::Dim, format!("{:>4}   {}", text.done.len() + 1, text.partial));
    out.push(DocRow::of(partial));
    out.push(DocRow::default());
    out.push(DocRow::of(Row::plain(format!(" {}", words::NOT_PROVED_YET))));
    out
}
