//! Opening the help, the palette, the queue, and the prompts of search and filter. Their keys are `layers.rs`.

use crate::domain::snapshot::QueueRow;
use crate::tui::action::{Action, Context, Entry, TABLE};
use crate::tui::app::AppState;
use crate::tui::layer::{Layer, Prompt, Purpose};
use crate::tui::live;
use crate::tui::widgets::picker::{Choice, Picker};
use crate::tui::words;

/// Opens a layer.
pub fn open(state: &mut AppState, action: Action) {
    let layer = match action {
        Action::Help => {
            let (choices, actions) = actions(state, true);
            Layer::Help(Picker::new(choices, ""), actions)
        }
        Action::Palette => {
            let (choices, actions) = actions(state, false);
            Layer::Palette(Picker::new(choices, &state.kept.palette.clone()), actions)
        }
        Action::Queue => {
            let mut rows: Vec<_> = state.pass.items().iter().filter(|row| state.pass.verdict(row.id).is_none()).collect();
            if rows.is_empty() {
                state.messages.answer(state.now, words::queue_done(state.snapshot.decided));
                return;
            }
            // Grouped by subject, groups in the order of their best.
            let mut order: Vec<&crate::domain::proposal_subject::ProposalSubject> = Vec::new();
            for row in &rows {
                if !order.contains(&&row.subject) {
                    order.push(&row.subject);
                }
            }
            let rank: std::collections::HashMap<_, _> = order.into_iter().enumerate().map(|(at, id)| (id, at)).collect();
            rows.sort_by_key(|row| rank.get(&row.subject).copied());
            let choices = rows
                .iter()
                .map(|row| Choice {
                    title: row.subject.to_string(),
                    detail: kind_word(row),
                    key: live::state_word(row),
                    blocked: None,
                })
                .collect();
            Layer::Queue(Picker::new(choices, ""), rows.iter().map(|row| row.id).collect())
        }
        Action::Search => {
            state.kept.search_before = state.search.clone();
            Layer::Prompt(Prompt::new(Purpose::Search, &state.kept.search, state.kept.searches.clone()))
        }
        _ => {
            let now = &state.filter_here().text;
            let line = if state.kept.filter.is_empty() { now } else { &state.kept.filter };
            Layer::Prompt(Prompt::new(Purpose::Filter, line, state.kept.filters.clone()))
        }
    };
    state.layers.push(layer);
}

/// Writes what a proposal is, without the name that stands beside it.
fn kind_word(row: &QueueRow) -> String {
    format!("{}  {}", row.kind.word(), row.about).trim_end().to_owned()
}

fn actions(state: &AppState, help: bool) -> (Vec<Choice>, Vec<Action>) {
    let here: &[Context] = if state.screen.decides() { Context::PATHS[0] } else { &Context::PATHS[0][1..] };
    // What decides comes last in the palette, so that Enter on the untouched list never does.
    let decides = |entry: &&Entry| entry.context == Context::Decide;
    let (last, first): (Vec<&Entry>, Vec<&Entry>) = TABLE.iter().partition(decides);
    let order = if help { last.into_iter().chain(first) } else { first.into_iter().chain(last) };
    order
        .filter(|entry| if help { here.contains(&entry.context) } else { Context::PATHS[0].contains(&entry.context) })
        .map(|entry| {
            let keys: Vec<String> = state.keymap.keys_of(entry.action).into_iter().take(2).collect();
            let keys = keys.join(" ");
            let blocked = live::why_not(state, entry.action).map(str::to_owned);
            let choice = if help {
                Choice { title: entry.word.into(), detail: entry.does.into(), key: keys, blocked: None }
            } else {
                Choice { title: entry.title.into(), detail: String::new(), key: keys, blocked }
            };
            (choice, entry.action)
        })
        .unzip()
}
