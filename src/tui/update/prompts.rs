//! What prompts do: filter, search, record, remark, reason; and completing what is typed.

use crate::base::text::is_for_a_shell;
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::proposal::ProposalId;
use crate::llm::hub::{self, Wanted};
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::filter::{Filter, Of, STATES};
use crate::tui::layer::{Layer, Prompt, Purpose};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::Search;
use crate::tui::update::focus::show;
use crate::tui::update::tree::rebuild_tree;
use crate::tui::update::{behaviour, following, navigate, runs};
use crate::tui::widgets::tree::{Node, NodeKey};
use crate::tui::words;

const REASON_MIN: usize = 10;

/// Completes the word before the cursor of a filter; in a list it marks the next line.
pub fn complete(state: &AppState, layer: &mut Layer) {
    let Layer::Prompt(prompt) = layer else {
        if let Some(picker) = layer.picker() {
            let len = picker.shown.len();
            picker.list.step(1, len);
        }
        return;
    };
    if prompt.purpose != Purpose::Filter {
        return;
    }
    let word = prompt.line.halves().0.rsplit(' ').next().unwrap_or_default().to_owned();
    let found = if let Some(begun) = word.strip_prefix("is:") {
        STATES.iter().find(|state| state.starts_with(begun)).map(|state| format!("is:{state}"))
    } else if let Some(begun) = word.strip_prefix("in:") {
        state.snapshot.files.iter().find(|file| file.path.as_str().contains(begun)).map(|file| format!("in:{}", file.path))
    } else {
        let functions = state.snapshot.functions.iter();
        functions.map(|row| row.id.qualname()).find(|name| !word.is_empty() && name.starts_with(&word)).map(str::to_owned)
    };
    if let Some(found) = found {
        prompt.line.delete_word();
        prompt.line.insert(&found);
        prompt.line.insert(" ");
    }
}

/// Does what was typed, or tells what is wrong with it.
pub fn submit(state: &mut AppState, prompt: &Prompt, out: &mut Vec<Effect>) -> Result<(), String> {
    let text = prompt.line.text.trim().to_owned();
    match &prompt.purpose {
        Purpose::Filter => {
            if let Some(wrong) = Filter::wrong(&text, of_screen(state.screen)) {
                return Err(wrong);
            }
            state.kept.filter.clear();
            remember(&mut state.kept.filters, &text);
            set_filter(state, Filter::parse(&text));
        }
        Purpose::Search => {
            remember(&mut state.kept.searches, &text);
            state.search = (!text.is_empty()).then(|| Search { pane: state.focus, words: text.to_lowercase() });
            find(state, true, true);
        }
        Purpose::Record => {
            let argv = shlex::split(&text).ok_or(words::UNBALANCED)?;
            if is_for_a_shell(&text) {
                return Err(words::FOR_A_SHELL.into());
            }
            if argv.is_empty() {
                return Err(words::EMPTY_COMMAND.into());
            }
            state.kept.record.clear();
            following::record(state, argv, out);
        }
        Purpose::Remark(function) => {
            state.kept.remark.clear();
            let remark = Some(text).filter(|text| !text.is_empty());
            state.kept.asked = Some(function.clone());
            out.push(Effect::Send(Command::AskModel { function: function.clone(), remark }));
        }
        Purpose::GetModel => {
            if Wanted::parse(&text).is_err() {
                return Err(words::NO_MODEL_NAME.into());
            }
            let model = Some(text).filter(|text| text != hub::USUAL);
            out.push(Effect::Send(Command::GetModel { model }));
            show(state, Screen::Runs, Pane::Runs);
        }
        Purpose::Diff => {
            if text.is_empty() {
                return Err(words::NO_COMMIT.into());
            }
            remember(&mut state.kept.compared, &text);
            behaviour::compare(state, text, out);
        }
        Purpose::Reason(id) => {
            if text.chars().count() < REASON_MIN {
                return Err(words::REASON_TOO_SHORT.into());
            }
            put_away(state, *id, Verb::Overrule, Some(text), out);
        }
        Purpose::Rejection(id) => {
            put_away(state, *id, Verb::Reject, Some(text).filter(|text| !text.is_empty()), out);
        }
    }
    Ok(())
}

fn put_away(state: &mut AppState, id: ProposalId, verb: Verb, reason: Option<String>, out: &mut Vec<Effect>) {
    state.kept.reason.clear();
    state.kept.deciding = Some(id);
    out.push(Effect::Send(Command::Decide { proposals: vec![id], verb, reason }));
}

fn remember(history: &mut Vec<String>, text: &str) {
    if !text.is_empty() {
        history.retain(|entry| entry != text);
        history.insert(0, text.to_owned());
    }
}

fn set_filter(state: &mut AppState, filter: Filter) {
    match state.screen {
        Screen::Log => state.log_filter = filter,
        Screen::Runs => {
            state.runs_filter = filter;
            runs::list(state);
            show(state, Screen::Runs, Pane::Recorded);
        }
        _ => {
            state.filter = filter;
            rebuild_tree(state);
            if state.screen == Screen::Review && !state.filter.is_empty() {
                show(state, Screen::Review, Pane::Functions);
            }
            follow_cursor(state);
        }
    }
}

/// Shows everything again.
pub fn clear_filter(state: &mut AppState) {
    state.kept.filter.clear();
    if state.filter_here().is_empty() {
        state.messages.answer(state.now, words::NO_FILTER);
    } else {
        set_filter(state, Filter::default());
    }
}

/// Goes to a match of the search.
pub fn find(state: &mut AppState, forward: bool, from_here: bool) {
    let Some(Search { words: wanted, .. }) = state.search.clone() else {
        if !from_here {
            state.messages.answer(state.now, words::NO_SEARCH);
        }
        return;
    };
    let pane = state.focus;
    state.search = Some(Search { pane, words: wanted.clone() });
    let hits = content::matches(state, pane, &wanted);
    let at = content::cursor(state, pane).unwrap_or(0);
    let next = if forward {
        hits.iter().position(|hit| *hit > at || (from_here && *hit == at)).or(Some(0))
    } else {
        hits.iter().rposition(|hit| *hit < at).or(hits.len().checked_sub(1))
    };
    let Some((index, hit)) = next.and_then(|index| Some((index, *hits.get(index)?))) else {
        state.messages.answer(state.now, words::no_match(&wanted));
        return;
    };
    let height = state.layout().rows(pane);
    if let Some(list) = content::list(state, pane) {
        list.jump(hit, height);
    }
    navigate::moved(state, pane);
    state.messages.answer(state.now, words::matches(index + 1, hits.len()));
}

/// Gives the list that a filter of a screen is for.
fn of_screen(screen: Screen) -> Of {
    match screen {
        Screen::Log => Of::Log,
        Screen::Runs => Of::Calls,
        _ => Of::Functions,
    }
}

/// When the filter hides what the panes are about, tree, source, draft and line 2 go to the first function that it shows.
fn follow_cursor(state: &mut AppState) {
    let function = |node: &Node| if let NodeKey::Function(id) = &node.key { Some(id.clone()) } else { None };
    let subject = state.subject_function().cloned();
    let hidden = !state.nodes.iter().any(|node| function(node).is_some() && function(node) == subject);
    let first = state.nodes.iter().position(|node| function(node).is_some());
    if let (true, Some(first)) = (hidden, first) {
        state.tree.cursor = first;
        navigate::select_node(state);
    }
}
