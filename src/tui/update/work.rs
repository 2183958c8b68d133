//! Asking for work: record, model, editor, again, cancel; and looking: why, in full, copy, compare.

use crate::base::text::command_line;
use crate::domain::call::ProgramEnd;
use crate::domain::command::Command;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{ProposalKind, ProposalState};
use crate::domain::snapshot::{Trust, WatchState};
use crate::llm::hub;
use crate::tui::action::Action;
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::doc_row::About;
use crate::tui::jobs::job_here;
use crate::tui::layer::{Act, Layer, Prompt, Purpose, Question};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::InPlace;
use crate::tui::row::Row;
use crate::tui::update::focus::{show, trusted};
use crate::tui::update::{behaviour, decide, journeys, runs, specs};
use crate::tui::widgets::tree::NodeKey;
use crate::tui::words;

/// Opens the prompt for a command to record, with the last command in it, else the best offer.
pub fn record(state: &mut AppState) {
    if !trusted(state) {
        return;
    }
    let offers: Vec<String> = state.snapshot.offers.iter().map(|argv| command_line(argv)).collect();
    let mut earlier = state.kept.recorded.clone();
    earlier.extend(offers.iter().filter(|offer| !state.kept.recorded.contains(offer)).cloned());
    // On a recording, it is recorded again.
    let here =
        runs::here(state).filter(|_| matches!(state.focus, Pane::Runs | Pane::Recorded)).map(|row| command_line(&row.command));
    let kept = here.or_else(|| Some(state.kept.record.clone()).filter(|line| !line.is_empty()));
    let line = kept.or_else(|| earlier.first().cloned()).unwrap_or_default();
    state.layers.push(Layer::Prompt(Prompt::new(Purpose::Record, line, earlier)));
}

/// Asks once more before a folder is trusted. Whoever types a command where no prompt is open types a `t` sooner or later:
/// any other key than an answer closes the question.
fn confirm_trust(state: &mut AppState) {
    let body = vec![Row::plain(format!(" {}", words::TRUST_WHY))];
    let answers = vec![('y', "trust it", Act::Trust), ('n', "not now", Act::Close)];
    let question = Question { strict: true, ..Question::new(words::TRUST_SURE, body, answers) };
    state.layers.push(Layer::Question(question));
}

/// Asks a model for a draft of the function here, or for clauses of the test.
pub fn ask(state: &mut AppState, out: &mut Vec<Effect>) {
    if state.screen == Screen::Journeys {
        return journeys::ask_for_clauses(state, out);
    }
    if let Some(function) = may_ask(state) {
        state.kept.asked = Some(function.clone());
        out.push(Effect::Send(Command::AskModel { function, remark: None }));
    }
}

/// Opens the prompt for a remark to the model.
pub fn ask_with_remark(state: &mut AppState) {
    if let Some(function) = may_ask(state) {
        let prompt = Prompt::new(Purpose::Remark(function), &state.kept.remark, Vec::new());
        state.layers.push(Layer::Prompt(prompt));
    }
}

/// Opens the prompt for the name of a model, with the usual one in it.
pub fn get_model(state: &mut AppState) {
    state.layers.push(Layer::Prompt(Prompt::new(Purpose::GetModel, hub::USUAL, Vec::new())));
}

fn may_ask(state: &mut AppState) -> Option<crate::domain::function::FunctionId> {
    if state.snapshot.model.is_none() {
        state.messages.answer(state.now, words::NO_MODEL);
        return None;
    }
    let Some(function) = state.subject_function().cloned() else {
        state.messages.answer(state.now, words::NO_FUNCTION_HERE);
        return None;
    };
    if state.streaming().is_some() {
        state.messages.answer(state.now, words::ALREADY_ASKED);
        return None;
    }
    Some(function)
}

/// Opens the editor on what the focused pane shows.
pub fn edit(state: &mut AppState, out: &mut Vec<Effect>) {
    if state.focus == Pane::Intent && journeys::list_clauses(state) {
        return;
    }
    let row = state.subject_row();
    let at_function = row.map(|row| (row.path.clone(), row.line));
    let target = match state.focus {
        Pane::Functions => {
            let node = state.nodes.get(state.tree.cursor);
            node.and_then(|node| node.path.clone().map(|path| (path, node.line))).or(at_function)
        }
        Pane::Source => {
            let line = u32::try_from(state.source.list.cursor + 1).unwrap_or(1);
            state.source.path.clone().map(|path| (path, line))
        }
        Pane::Calls => at_function,
        Pane::Decision => {
            if let Some((proposal, text)) = state.draft_text() {
                let line = draft_line(state, &text);
                out.push(Effect::EditDraft { proposal, text, line });
                return;
            }
            if once_read(state, Action::Edit) {
                return;
            }
            let because = state.loaded().and_then(|loaded| loaded.view.proposal.because().first().cloned());
            because.map(|edit| (edit.path, edit.line)).or(at_function)
        }
        Pane::Diff => match content::about(state, state.focus) {
            About::Source(path, line) => Some((path, line)),
            _ => at_function,
        },
        Pane::Intent | Pane::Journey => journeys::to_edit(state),
        Pane::Specs | Pane::Steps => specs::to_edit(state),
        Pane::Recorded => {
            let row = state.recorded.here().and_then(|call| state.function(&call.function));
            row.map(|row| (row.path.clone(), row.line))
        }
        Pane::Runs | Pane::Log => None,
    };
    match target {
        Some((path, line)) => out.push(Effect::EditSource { path, line }),
        None => state.messages.answer(state.now, words::NO_TEXT_TO_EDIT),
    }
}

/// Finds the line of the draft that the cursor's line shows.
fn draft_line(state: &AppState, text: &str) -> u32 {
    let shown = content::cursor(state, Pane::Decision).map(|at| content::text(state, Pane::Decision, at)).unwrap_or_default();
    let code = shown.get(7..).unwrap_or_default().trim();
    let found = text.lines().position(|line| !code.is_empty() && line.trim() == code).unwrap_or(0);
    u32::try_from(found + 1).unwrap_or(1)
}

/// Has a key act once the text of what line 2 names is here; tells whether it is still being read.
fn once_read(state: &mut AppState, action: Action) -> bool {
    let reading = state.loaded().is_none() && state.streaming().is_none();
    let Some(id) = state.current().filter(|_| reading).map(|row| row.id) else { return false };
    state.kept.when_read = Some((id, action));
    state.messages.answer(state.now, words::STILL_READING);
    true
}

/// Starts or goes on editing in place.
pub fn edit_here(state: &mut AppState) {
    let Some((proposal, text)) = state.draft_text() else {
        if !once_read(state, Action::EditHere) {
            state.messages.answer(state.now, words::NO_TEXT_TO_EDIT);
        }
        return;
    };
    if state.open_edit(proposal).is_none() {
        if state.in_place.is_some() {
            state.messages.answer(state.now, words::OTHER_EDIT_OPEN);
            return;
        }
        let line = draft_line(state, &text);
        state.in_place = Some(InPlace::new(proposal, &text, line.saturating_sub(1) as usize));
    }
    if let Some(edit) = &mut state.in_place {
        edit.open = true;
    }
    show(state, Screen::Review, Pane::Decision);
}

/// The editor came back.
pub fn edited(state: &mut AppState, edit: Option<(crate::domain::proposal::ProposalId, String, String)>, out: &mut Vec<Effect>) {
    let now = state.now;
    match edit {
        None => {
            state.source.dirty = true;
            state.messages.answer(now, words::EDITOR_SOURCE);
        }
        Some((_, before, after)) if before.trim_end() == after.trim_end() => {
            state.messages.answer(now, words::EDITOR_UNCHANGED);
        }
        Some((proposal, _, text)) => {
            if state.in_place.as_ref().is_some_and(|edit| edit.proposal == proposal) {
                state.in_place = None;
            }
            state.messages.answer(now, words::EDITOR_CHANGED);
            out.push(Effect::Send(Command::Edit { proposal, text }));
        }
    }
}

/// Does it again: what that is depends on the pane.
pub fn again(state: &mut AppState, out: &mut Vec<Effect>) {
    if state.asks_for_trust() || state.snapshot.trust != Trust::Trusted {
        if state.asks_for_trust() {
            confirm_trust(state);
        } else {
            trusted(state);
        }
        return;
    }
    if state.focus == Pane::Diff {
        behaviour::again(state, out);
        return;
    }
    if state.screen == Screen::Specs {
        specs::again(state, out);
        return;
    }
    let verdict = state.current().is_some_and(|row| row.kind == ProposalKind::Verdict);
    if state.screen == Screen::Journeys || (verdict && state.focus == Pane::Decision) {
        let shown = state.loaded().and_then(|loaded| loaded.view.proposal.verdict()).map(|open| open.test.clone());
        if let (Some(test), true) = (shown, state.screen == Screen::Review) {
            journeys::open_test(state, &test, None);
        }
        journeys::again(state, out);
        return;
    }
    let subject = state.subject_function().cloned();
    let command = match state.focus {
        Pane::Functions => match state.nodes.get(state.tree.cursor).map(|node| node.key.clone()) {
            Some(NodeKey::Path(path)) => {
                let below = recorded_below(state, &path);
                if below.is_empty() {
                    state.messages.answer(state.now, words::NO_CALLS_BELOW);
                    return;
                }
                state.messages.answer(state.now, words::drafts_asked(below.len(), &path));
                Some(Command::Draft { functions: below })
            }
            _ => subject.map(|id| Command::Draft { functions: vec![id] }),
        },
        Pane::Source | Pane::Calls => subject.map(|id| Command::Replay { functions: vec![id] }),
        Pane::Decision => {
            if state.loaded().is_some_and(|loaded| loaded.view.proposal.promise_changed().is_some()) {
                return ask(state, out);
            }
            let newer = state.loaded().and_then(|loaded| loaded.view.newer);
            match state.current().cloned() {
                Some(row) if row.state == ProposalState::Stale => match newer {
                    Some(newer) => {
                        decide::go(state, newer);
                        return;
                    }
                    None if matches!(row.kind, ProposalKind::Change | ProposalKind::Near) => {
                        row.subject.function().map(|id| Command::Replay { functions: vec![id.clone()] })
                    }
                    None => {
                        state.messages.answer(state.now, words::NO_NEWER);
                        row.subject.function().map(|id| Command::Draft { functions: vec![id.clone()] })
                    }
                },
                Some(row) if matches!(row.kind, ProposalKind::Change | ProposalKind::Near) => {
                    row.subject.function().map(|id| Command::Replay { functions: vec![id.clone()] })
                }
                Some(row) => Some(Command::Prove { proposal: row.id }),
                None => subject.map(|id| Command::Draft { functions: vec![id] }),
            }
        }
        Pane::Runs | Pane::Recorded => match content::about(state, state.focus) {
            About::Job(index) => state.snapshot.jobs.get(index).and_then(|job| runs::again(state, job)),
            _ => match runs::here(state) {
                Some(row) if row.end == ProgramEnd::Running => {
                    state.messages.answer(state.now, words::STILL_RECORDING);
                    return;
                }
                row => row.map(|row| Command::DraftRecording { recording: row.id }),
            },
        },
        Pane::Log | Pane::Diff | Pane::Intent | Pane::Journey | Pane::Specs | Pane::Steps => None,
    };
    match command {
        Some(command) => out.push(Effect::Send(command)),
        None => state.messages.answer(state.now, words::NOTHING_AGAIN),
    }
}

/// Lists the recorded functions of a folder or a file.
fn recorded_below(state: &AppState, path: &str) -> Vec<FunctionId> {
    let is_below = |file: &str| file == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    state.own_functions().filter(|row| row.calls > 0 && is_below(row.path.as_str())).map(|row| row.id.clone()).collect()
}

/// Cancels the job of what is selected.
pub fn cancel(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(id) = job_here(state).map(|job| job.id) else {
        state.messages.answer(state.now, words::NOTHING_RUNS);
        return;
    };
    state.cancelling.insert(id);
    state.messages.answer(state.now, words::CANCELLING);
    out.push(Effect::Send(Command::Cancel { job: Some(id) }));
}

/// Stops or goes on watching.
pub fn pause(state: &mut AppState, out: &mut Vec<Effect>) {
    let paused = match state.snapshot.watch {
        WatchState::Off => {
            state.messages.answer(state.now, words::WATCH_OFF);
            return;
        }
        WatchState::Paused { .. } => false,
        WatchState::On | WatchState::Polling { .. } => true,
    };
    state.messages.answer(state.now, if paused { words::WATCH_PAUSED } else { words::WATCH_ON });
    out.push(Effect::Send(Command::PauseWatch { paused }));
}

/// Leaves, after a question when something would end with it.
pub fn quit(state: &mut AppState, out: &mut Vec<Effect>) {
    // An edit in place is kept for the next session: nothing of it would be lost.
    if !state.recording_live() {
        out.push(Effect::Quit);
        return;
    }
    let answers = vec![('y', "quit", Act::Quit), ('n', "stay", Act::Close)];
    state.layers.push(Layer::Question(Question::new(words::QUIT_RECORDING, Vec::new(), answers)));
}
