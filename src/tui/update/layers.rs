//! Keys of prompts, questions, boxes and lists, and of editing in place. Esc decides nothing and keeps what was typed.

use crossterm::event::KeyCode;
use ratatui_textarea::CursorMove;

use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::tui::action::{Action, Context};
use crate::tui::app::{AppState, Effect};
use crate::tui::keymap::Key;
use crate::tui::layer::{Act, Layer, Purpose};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::Search;
use crate::tui::update::dispatch::act;
use crate::tui::update::focus::{go_to_source, leave, reveal, show};
use crate::tui::update::source::show_source;
use crate::tui::update::{behaviour, bulk, decide, journeys, places, prompts, work};
use crate::tui::widgets::line_edit::LineEdit;
use crate::tui::words;

/// A key this soon after a question came by itself was meant for what stood there before.
const MEANT_MS: i64 = 300;

/// Takes a key for the top layer.
pub fn key(state: &mut AppState, key: Key, out: &mut Vec<Effect>) {
    let Some(mut layer) = state.layers.pop() else { return };
    let keep = if layer.takes_text() { typing(state, &mut layer, key, out) } else { asking(state, &mut layer, key, out) };
    if keep {
        state.layers.push(layer);
    }
}

fn typing(state: &mut AppState, layer: &mut Layer, key: Key, out: &mut Vec<Effect>) -> bool {
    let keep = typing_one(state, layer, key, out);
    if let (true, Layer::Functions(picker, ids)) = (keep, layer) {
        let chosen = picker.chosen().and_then(|at| ids.get(at)).cloned();
        if let Some(id) = chosen {
            places::preview(state, &id);
        }
    }
    keep
}

fn typing_one(state: &mut AppState, layer: &mut Layer, key: Key, out: &mut Vec<Effect>) -> bool {
    let rows = usize::from(state.size.1);
    match state.keymap.action(&[Context::Prompt], key) {
        Some(Action::Submit) => return submit(state, layer, out),
        Some(Action::Leave) => {
            keep_words(state, layer);
            if matches!(layer, Layer::Functions(..)) {
                places::end_preview(state);
            }
            if matches!(layer, Layer::Prompt(prompt) if prompt.purpose == Purpose::Search) {
                state.search = state.kept.search_before.take();
            }
            return false;
        }
        Some(Action::Complete) => prompts::complete(state, layer),
        Some(up @ (Action::Earlier | Action::Later)) => choose(layer, up == Action::Earlier),
        Some(action) => {
            if let Some(line) = layer.line() {
                match action {
                    Action::LineStart => line.start(),
                    Action::LineEnd => line.end(),
                    Action::DeleteWord => line.delete_word(),
                    _ => line.delete_line(),
                }
            }
            typed(state, layer);
        }
        None => match (key.typed(), key.code) {
            (Some(c), _) => {
                if let Some(line) = layer.line() {
                    line.insert(c.encode_utf8(&mut [0; 4]));
                }
                typed(state, layer);
            }
            (None, code) => {
                if let (KeyCode::PageDown | KeyCode::PageUp, Some(picker)) = (code, layer.picker()) {
                    let page = isize::try_from(rows / 2).unwrap_or(5);
                    let len = picker.lines();
                    picker.list.step(if code == KeyCode::PageDown { page } else { -page }, len);
                }
                if let Some(line) = layer.line() {
                    match code {
                        KeyCode::Left => line.left(),
                        KeyCode::Right => line.right(),
                        KeyCode::Backspace => line.backspace(),
                        KeyCode::Delete => line.delete(),
                        _ => return true,
                    }
                    if matches!(code, KeyCode::Backspace | KeyCode::Delete) {
                        typed(state, layer);
                    }
                }
            }
        },
    }
    true
}

/// The line changed: what depends on it follows at once.
fn typed(state: &mut AppState, layer: &mut Layer) {
    if let Some(picker) = layer.picker() {
        picker.narrow();
    }
    if let Layer::Prompt(prompt) = layer {
        prompt.wrong = None;
        prompt.at = None;
        if prompt.purpose == Purpose::Search {
            state.kept.search.clone_from(&prompt.line.text);
            // Matches light up while one types.
            let words = prompt.line.text.trim().to_lowercase();
            state.search = (!words.is_empty()).then_some(Search { pane: state.focus, words });
        }
    }
}

fn keep_words(state: &mut AppState, layer: &mut Layer) {
    match layer {
        Layer::Palette(picker, _) => state.kept.palette.clone_from(&picker.line.text),
        Layer::Prompt(prompt) => {
            let words = prompt.line.text.clone();
            match prompt.purpose {
                Purpose::Filter => state.kept.filter = words,
                Purpose::Search => state.kept.search = words,
                Purpose::Record => state.kept.record = words,
                Purpose::Remark(_) => state.kept.remark = words,
                Purpose::Reason(_) | Purpose::Rejection(_) => state.kept.reason = words,
                Purpose::Diff | Purpose::GetModel => {}
            }
        }
        _ => {}
    }
}

fn choose(layer: &mut Layer, earlier: bool) {
    if let Some(picker) = layer.picker() {
        let len = picker.lines();
        picker.list.step(if earlier { -1 } else { 1 }, len);
    } else if let Layer::Prompt(prompt) = layer {
        let at = match (prompt.at, earlier) {
            (None, true) => Some(0),
            (None, false) | (Some(0), false) => None,
            (Some(at), true) => Some((at + 1).min(prompt.earlier.len().saturating_sub(1))),
            (Some(at), false) => Some(at - 1),
        };
        if let Some(entry) = at.and_then(|at| prompt.earlier.get(at)) {
            prompt.line = LineEdit::new(entry.clone());
            prompt.at = at;
        } else if at.is_none() && prompt.at.is_some() {
            prompt.line = LineEdit::default();
            prompt.at = None;
        }
    }
}

fn submit(state: &mut AppState, layer: &mut Layer, out: &mut Vec<Effect>) -> bool {
    match layer {
        Layer::Help(picker, _) if picker.line.text.trim().is_empty() => false,
        Layer::Help(picker, actions) | Layer::Palette(picker, actions) => {
            let chosen = picker.chosen().and_then(|at| Some((picker.all.get(at)?.clone(), *actions.get(at)?)));
            let Some((choice, action)) = chosen else { return true };
            if let Some(why) = choice.blocked {
                state.messages.answer(state.now, words::not_now(&choice.title, &why));
                return true;
            }
            state.kept.palette.clear();
            act(state, action, out);
            false
        }
        Layer::Queue(picker, ids) => {
            if let Some(id) = picker.chosen().and_then(|at| ids.get(at)).copied() {
                leave(state);
                decide::go(state, id);
                show(state, Screen::Review, Pane::Decision);
            }
            false
        }
        Layer::Tests(picker, tests) => {
            if let Some(test) = picker.chosen().and_then(|at| tests.get(at)).cloned() {
                journeys::go(state, &test, None);
            }
            false
        }
        Layer::TestsThrough(picker, _, places) => {
            if let Some((path, line)) = picker.chosen().and_then(|at| places.get(at)) {
                leave(state);
                show_source(state, path, *line);
                reveal(state, Pane::Source);
            }
            false
        }
        Layer::Functions(picker, ids) => {
            let chosen = picker.chosen().and_then(|at| ids.get(at)).cloned();
            places::end_preview(state);
            if let Some(id) = chosen {
                go_to_source(state, &id);
            }
            false
        }
        Layer::Clauses(picker, id, chosen) => {
            let Some(choice) = picker.chosen().and_then(|at| picker.all.get(at)) else { return false };
            if choice.blocked.is_some() {
                return true;
            }
            if choice.title == words::ASK_FOR_CLAUSES {
                journeys::ask_for_clauses(state, out);
            } else {
                journeys::choose(state, *id, chosen, choice.title.clone(), out);
            }
            false
        }
        Layer::Prompt(prompt) => match prompts::submit(state, prompt, out) {
            Ok(()) => false,
            Err(wrong) => {
                prompt.wrong = Some(wrong);
                true
            }
        },
        Layer::Question(_) | Layer::Text(_) => false,
    }
}

fn asking(state: &mut AppState, layer: &mut Layer, key: Key, out: &mut Vec<Effect>) -> bool {
    let height = usize::from(state.size.1 / 2);
    if let Layer::Question(question) = &*layer
        && question.came.is_some_and(|came| state.now.0 - came.0 < MEANT_MS)
    {
        return true;
    }
    if let Layer::Question(question) = layer
        && let Some(answer) = key.typed().and_then(|c| question.answers.iter().find(|answer| answer.key == c))
    {
        let act = answer.act.clone();
        return answered(state, layer, act, out);
    }
    let action = state.keymap.action(&[Context::Layer], key);
    let answers = matches!(action, Some(Action::Answer | Action::SafeAnswer | Action::NextAnswer | Action::PreviousAnswer));
    if matches!(&*layer, Layer::Question(question) if question.strict) && !answers {
        state.messages.answer(state.now, words::NOT_TRUSTED_YET);
        return false;
    }
    match (layer, action) {
        (layer @ Layer::Question(_), Some(Action::Answer | Action::SafeAnswer)) => {
            let Layer::Question(question) = &*layer else { return false };
            let at = if action == Some(Action::Answer) { question.marked } else { question.safe };
            let act = question.answers.get(at).map_or(Act::Close, |answer| answer.act.clone());
            answered(state, layer, act, out)
        }
        (Layer::Text(_), Some(Action::Answer | Action::SafeAnswer)) => false,
        (Layer::Question(question), Some(Action::NextAnswer)) => {
            question.marked = (question.marked + 1) % question.answers.len().max(1);
            true
        }
        (Layer::Question(question), Some(Action::PreviousAnswer)) => {
            question.marked = (question.marked + question.answers.len().max(1) - 1) % question.answers.len().max(1);
            true
        }
        (Layer::Question(question), Some(Action::ScrollDown)) => {
            question.top = (question.top + 1).min(question.body.len().saturating_sub(1));
            true
        }
        (Layer::Question(question), Some(Action::ScrollUp)) => {
            question.top = question.top.saturating_sub(1);
            true
        }
        (Layer::Text(text), Some(Action::ScrollDown)) => {
            let page = if matches!(key.code, KeyCode::Char(' ') | KeyCode::PageDown) { height } else { 1 };
            text.top = (text.top + page).min(text.body.len().saturating_sub(1));
            true
        }
        (Layer::Text(text), Some(Action::ScrollUp)) => {
            text.top = text.top.saturating_sub(if key.code == KeyCode::PageUp { height } else { 1 });
            true
        }
        (Layer::Question(_), None) => {
            state.messages.answer(state.now, words::ANSWER_KEYS);
            true
        }
        _ => true,
    }
}

fn answered(state: &mut AppState, layer: &Layer, act: Act, out: &mut Vec<Effect>) -> bool {
    match act {
        Act::Close => {}
        Act::Accept(id, seen) => decide::send(state, id, seen, out),
        Act::Edit => {
            show(state, Screen::Review, Pane::Decision);
            work::edit(state, out);
        }
        Act::Bulk(commands, number) => {
            let accept = matches!(commands.first(), Some(Command::Decide { verb: Verb::Accept, .. }));
            state.kept.bulk = Some((number, 0, accept));
            out.extend(commands.into_iter().map(Effect::Send));
        }
        Act::ShowDiffs(ids) => {
            state.layers.push(layer.clone());
            bulk::show_diffs(state, &ids);
        }
        Act::Reply(question, yes) => out.push(Effect::Send(Command::Answer { question, yes })),
        Act::PutOff(question) => {
            state.kept.put_off.insert(question);
            state.messages.answer(state.now, words::LEFT_OPEN);
        }
        Act::ShowOutgoing(question) => {
            state.layers.push(layer.clone());
            out.push(Effect::ReadOutgoing(question));
        }
        Act::DiffAnew => {
            state.decision.shown = None;
            state.decision.dirty = true;
        }
        Act::CompareAgain => behaviour::again(state, out),
        Act::Open(path) => out.push(Effect::EditSource { path, line: 1 }),
        Act::Undo => decide::take_back(state, out),
        Act::Trust => out.push(Effect::Send(Command::Trust)),
        Act::Quit => out.push(Effect::Quit),
    }
    false
}

/// Takes pasted text.
pub fn paste(state: &mut AppState, text: &str) {
    if let Some(mut layer) = state.layers.pop() {
        if let Some(line) = layer.line() {
            line.insert(text);
            typed(state, &mut layer);
        }
        state.layers.push(layer);
    } else if let Some(edit) = state.in_place.as_mut().filter(|edit| edit.open) {
        edit.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
    }
}

/// Takes a key for the text that is edited in place.
pub fn in_place(state: &mut AppState, key: Key, out: &mut Vec<Effect>) {
    // YAML is read where it is proved.
    let python = state.loaded().is_none_or(|loaded| loaded.view.proposal.spec().is_none());
    let Some(edit) = state.in_place.as_mut() else { return };
    match state.keymap.action(&[Context::InPlace], key) {
        Some(Action::ProveEdit) => {
            let (proposal, text) = (edit.proposal, edit.text());
            if let Some(error) = edit.mistake().filter(|_| python) {
                edit.area.move_cursor(CursorMove::Jump(
                    u16::try_from(error.line.saturating_sub(1)).unwrap_or(u16::MAX),
                    u16::try_from(error.column).unwrap_or(u16::MAX),
                ));
                state.messages.answer(state.now, words::does_not_parse(error.line));
                return;
            }
            state.in_place = None;
            state.messages.answer(state.now, words::EDITOR_CHANGED);
            out.push(Effect::Send(Command::Edit { proposal, text }));
        }
        Some(Action::CloseEdit) => {
            edit.open = false;
            state.messages.answer(state.now, words::EDIT_KEPT);
            // Kept now, so that not even a crash loses it.
            out.push(Effect::Send(Command::KeepSession { state: crate::tui::session::keep(state) }));
        }
        Some(Action::EditOutside) => {
            let line = u32::try_from(edit.area.cursor().0 + 1).unwrap_or(1);
            edit.open = false;
            out.push(Effect::EditDraft { proposal: edit.proposal, text: edit.text(), line });
        }
        Some(Action::UndoTyping) => {
            edit.area.undo();
        }
        Some(Action::RedoTyping) => {
            edit.area.redo();
        }
        _ => {
            edit.area.input(crossterm::event::KeyEvent::new(key.code, key.held));
        }
    }
}
