//! Keys of the YAML tests: going through them and their steps, folding, running one or all. The source is the test's file
//! and follows the step under the cursor.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::spec_board::{SpecRow, SpecView};
use crate::domain::verdict::Ruling;
use crate::tui::app::{AppState, Effect};
use crate::tui::doc_row::About;
use crate::tui::journeys::of_clause;
use crate::tui::layer::{Layer, TextBox};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::SpecsPane;
use crate::tui::row::Row;
use crate::tui::spec_steps::{Shown, shown};
use crate::tui::specs;
use crate::tui::theme::Role;
use crate::tui::update::focus::{leave, show, trusted};
use crate::tui::update::source::{mark_source, show_source};
use crate::tui::{content, words};

/// Finds a test to show where none is, keeps the cursor on the one that is, and reads it again where it has changed.
pub fn take_rows(state: &mut AppState, before: &[SpecRow]) {
    let rows = Arc::clone(&state.snapshot.specs);
    let known = state.specs.file.as_ref().and_then(|file| rows.iter().find(|row| row.file == *file));
    match known {
        Some(row) => {
            let old = before.iter().find(|old| old.file == row.file);
            state.specs.dirty |= old != Some(row);
            place_list(state);
        }
        None => match rows.first() {
            Some(first) => open(state, &first.file.clone()),
            None => {
                // The place of the last session is kept until it is known what there is.
                let file = state.specs.file.take();
                state.specs = SpecsPane { file, ..SpecsPane::default() };
            }
        },
    }
}

/// Puts the cursor of the list on the test that is shown.
fn place_list(state: &mut AppState) {
    let rows = specs::list_rows(state);
    let shown = state.specs.file.as_ref();
    let is_shown = |row: &crate::tui::doc_row::DocRow| match row.about {
        About::Spec(at) => state.snapshot.specs.get(at).map(|row| &row.file) == shown,
        _ => false,
    };
    if let Some(at) = rows.iter().position(is_shown) {
        state.specs.list.hold(at);
    }
}

/// Takes what is known of a test.
pub fn take(state: &mut AppState, file: &RelPath, view: Result<SpecView, Trouble>) {
    if state.specs.asked.as_ref() == Some(file) {
        state.specs.asked = None;
    }
    if state.specs.file.as_ref() != Some(file) {
        return;
    }
    let first = state.specs.view().is_none();
    let ended = state.specs.view().is_some_and(|view| view.row.running.is_some())
        && view.as_ref().is_ok_and(|view| view.row.running.is_none());
    state.specs.loaded = Some(view);
    let news = first || (ended && state.focus != Pane::Steps);
    if news && let Some(step) = state.specs.view().and_then(|view| shown(view).iter().position(Shown::opens)) {
        show_step(state, step);
    }
    if state.screen == Screen::Specs {
        if first {
            follow(state);
        }
        mark_source(state);
    }
}

/// Makes a test the one that is shown.
pub fn open(state: &mut AppState, file: &RelPath) {
    if state.specs.file.as_ref() != Some(file) {
        let list = state.specs.list;
        state.specs = SpecsPane { file: Some(file.clone()), list, ..SpecsPane::default() };
    }
    place_list(state);
    if state.screen == Screen::Specs {
        follow(state);
    }
}

/// Comes to the screen: the source is the test's file.
pub fn arrive(state: &mut AppState) {
    state.specs.dirty = true;
    place_list(state);
    follow(state);
}

/// Lets the panes follow the cursor of the list or of the steps.
pub fn moved(state: &mut AppState, pane: Pane) {
    if pane != Pane::Specs {
        return follow(state);
    }
    if let Some(About::Spec(at)) = here(state, Pane::Specs)
        && let Some(file) = state.snapshot.specs.get(at).map(|row| row.file.clone())
    {
        open(state, &file);
    }
}

fn here(state: &AppState, pane: Pane) -> Option<About> {
    let rows = content::doc_rows(state, pane)?;
    rows.get(content::cursor(state, pane)?).map(|row| row.about.clone())
}

/// Gives the step under the cursor of the steps.
fn step_here(state: &AppState) -> Option<Shown> {
    let Some(About::Step(at)) = here(state, Pane::Steps) else { return None };
    shown(state.specs.view()?).into_iter().nth(at)
}

/// Gives the file of the test that is shown, and the line of what is under the cursor.
fn site(state: &AppState) -> Option<(RelPath, u32)> {
    let file = specs::row_of(state)?.file.clone();
    let line = match here(state, Pane::Steps) {
        Some(About::Step(_)) => step_here(state).map(|step| step.line),
        Some(About::Source(_, line)) => Some(line),
        _ => state.specs.view().and_then(|view| view.mistakes.first()).map(|mistake| mistake.line),
    };
    Some((file, line.unwrap_or(1)))
}

/// Shows the line in the source.
pub fn follow(state: &mut AppState) {
    if let Some((file, line)) = site(state) {
        show_source(state, &file, line);
    }
    mark_source(state);
}

fn show_step(state: &mut AppState, step: usize) {
    let at = content::doc_rows(state, Pane::Steps).and_then(|rows| rows.iter().position(|row| row.about == About::Step(step)));
    if let Some(at) = at {
        let rows = state.layout().rows(Pane::Steps);
        state.specs.steps.jump(at, rows);
    }
}

/// Goes in or there: from the list to the steps, which runs what has no result of today; from a step to its line.
pub fn enter(state: &mut AppState, out: &mut Vec<Effect>) {
    match state.focus {
        Pane::Specs => {
            let Some(row) = specs::row_of(state) else {
                state.messages.answer(state.now, words::NO_SPECS);
                return;
            };
            let due = row.mistakes == 0 && row.running.is_none() && (row.ruling.is_none() || row.stale.is_some());
            if due {
                again(state, out);
            }
            if state.screen == Screen::Specs {
                leave(state);
                show(state, Screen::Specs, Pane::Steps);
            }
        }
        _ => {
            leave(state);
            follow(state);
            show(state, Screen::Specs, Pane::Source);
        }
    }
}

/// Runs the test that is shown.
pub fn again(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(row) = specs::row_of(state).cloned() else {
        state.messages.answer(state.now, words::NO_SPECS);
        return;
    };
    if !trusted(state) {
        return;
    }
    if row.running.is_some() {
        state.messages.answer(state.now, words::SPEC_RUNS);
    } else if row.mistakes > 0 {
        state.messages.answer(state.now, words::SPEC_WRONG);
    } else {
        out.push(Effect::Send(Command::RunSpecs { files: vec![row.file] }));
    }
}

/// Runs all tests of the filter.
pub fn all(state: &mut AppState, out: &mut Vec<Effect>) {
    let takes = |row: &&SpecRow| state.filter.takes_spec(row) && row.mistakes == 0;
    let files: Vec<RelPath> = state.snapshot.specs.iter().filter(takes).map(|row| row.file.clone()).collect();
    if files.is_empty() {
        state.messages.answer(state.now, words::NO_SPECS);
    } else if trusted(state) {
        state.messages.answer(state.now, words::specs_begin(files.len()));
        out.push(Effect::Send(Command::RunSpecs { files }));
    }
}

/// Goes to the next or last test of the filter; tells whether there was one.
pub fn step(state: &mut AppState, forward: bool) -> bool {
    let rows = specs::list_rows(state);
    let at = content::cursor(state, Pane::Specs).unwrap_or(0);
    let next = if forward { at + 1 } else { at.wrapping_sub(1) };
    let Some(About::Spec(next)) = rows.get(next).map(|row| row.about.clone()) else { return false };
    let file = state.snapshot.specs.get(next).map(|row| row.file.clone());
    if let Some(file) = file {
        open(state, &file);
    }
    true
}

/// Unfolds or folds the step under the cursor; where there is nothing to do, goes on or to the step before.
pub fn fold(state: &mut AppState, unfold: bool) {
    let Some(step) = step_here(state) else { return };
    if step.folds() && state.specs.is_open(&step) != unfold {
        let key = step.key();
        if !state.specs.toggled.remove(&key) {
            state.specs.toggled.insert(key);
        }
        let at = specs::shown_at(state, &step);
        if let Some(at) = at {
            show_step(state, at);
        }
    } else if content::to_stop(state, Pane::Steps, unfold) {
        follow(state);
    }
}

/// Finds the file and line to edit.
#[must_use]
pub fn to_edit(state: &AppState) -> Option<(RelPath, u32)> {
    site(state)
}

/// Gives the step under the cursor whole.
#[must_use]
pub fn whole(state: &AppState) -> Vec<String> {
    let Some(did) = step_here(state).and_then(|step| step.did) else {
        return specs::row_of(state).map(|row| vec![row.name.clone(), row.reason.to_string()]).unwrap_or_default();
    };
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let mut out = vec![format!("{}: {}", did.tool.as_deref().unwrap_or("group"), did.name)];
    let mut add = |label: &str, text: String| {
        out.extend(std::iter::once(label.to_owned()).chain(text.lines().map(|line| format!("  {line}"))))
    };
    add("arguments", pretty(&did.args));
    match &did.end {
        crate::domain::spec::End::Returned { result } => add("result", pretty(result)),
        other => add("error", other.error().unwrap_or_default()),
    }
    if !did.printed.is_empty() {
        add("printed", did.printed.clone());
    }
    for clause in &did.clauses {
        add(&clause.text, clause.why.to_string());
    }
    out
}

/// Explains what is selected: how a step ended and what is expected of it, or how the test stands and what to do.
pub fn why(state: &mut AppState) {
    let Some(row) = specs::row_of(state).cloned() else {
        state.messages.answer(state.now, words::NO_SPECS);
        return;
    };
    let step = if state.focus == Pane::Specs { None } else { step_here(state) };
    let title = match &step {
        Some(step) => format!("Why: {}, line {}", step.name, step.line),
        None => format!("Why: {}", row.name),
    };
    let mut body = Vec::new();
    match step.as_ref().map(|step| &step.did) {
        Some(Some(did)) => {
            if let Some(error) = did.end.error() {
                body.push(Row::new().add(Role::Failing, " ✗ ").add(Role::Text, error));
            }
            for clause in &did.clauses {
                let (sign, role, _) = of_clause(clause.outcome);
                body.push(Row::new().add(role, format!(" {sign} ")).add(Role::Text, format!("{}: {}", clause.text, clause.why)));
            }
            if body.is_empty() {
                body.push(Row::new().add(Role::Tested, " ✓ ").add(Role::Text, words::STEP_FINE));
            }
        }
        Some(None) => body.push(Row::plain(format!(" {}", words::STEP_NOT_RUN))),
        None => {
            let word = row.ruling.map_or("not run yet", Ruling::word);
            body.push(Row::plain(format!(" {word}: {}", row.reason)));
            let because = row.running.as_ref().and_then(|running| running.because.as_ref());
            let said = row.stale.iter().map(|why| ("stale", why)).chain(because.map(|why| ("runs", why)));
            body.extend(said.map(|(word, why)| Row::plain(format!(" {word} because {why}"))));
            let mistakes = state.specs.view().map_or(&[][..], |view| &view.mistakes[..]);
            let line =
                |line: u32, text: String| Row::new().add(Role::Failing, " ! ").add(Role::Text, format!("line {line}: {text}"));
            body.extend(mistakes.iter().map(|mistake| line(mistake.line, mistake.said.first().cloned().unwrap_or_default())));
            let todo = if row.mistakes > 0 { words::SPEC_WRONG } else { words::SPEC_TODO };
            body.push(Row::new().add(Role::Dim, format!(" {todo}")));
        }
    }
    state.layers.push(Layer::Text(TextBox { title, body, top: 0 }));
}

/// Takes what the engine announced about a test.
pub fn happened(state: &mut AppState, event: &Event) {
    let (Event::SpecBegan { file, .. } | Event::SpecStep { file, .. } | Event::SpecEnded { file, .. }) = event else { return };
    state.specs.dirty |= state.specs.file.as_ref() == Some(file);
    let now = state.now;
    match event {
        Event::SpecBegan { name, because: Some(why), .. } => state.messages.say(now, words::spec_again(name, why.for_people())),
        Event::SpecEnded { name, ruling, reason, .. } => {
            let said = words::spec_ended(name, *ruling, reason.for_people(), state.screen == Screen::Specs);
            match ruling {
                Ruling::Pass => state.messages.done(now, said),
                _ => state.messages.warn(now, said),
            }
        }
        _ => {}
    }
}
