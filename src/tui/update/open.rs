//! Opening the help, the palette, the queue, and the prompts of search and filter. Their keys are `layers.rs`.

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::{QueueRow, TestRow};
use crate::tui::action::{Action, Context, Entry, SYNONYMS, TABLE};
use crate::tui::app::{AppState, Effect};
use crate::tui::glyphs;
use crate::tui::journeys::of_ruling;
use crate::tui::layer::{Layer, Prompt, Purpose};
use crate::tui::layout::Screen;
use crate::tui::live;
use crate::tui::unjudged;
use crate::tui::update::focus::place;
use crate::tui::view::pickers::MARKS;
use crate::tui::widgets::picker::{Choice, Picker};
use crate::tui::words;

/// Opens a layer.
pub fn open(state: &mut AppState, action: Action) {
    let layer = match action {
        Action::Help => {
            let (choices, actions) = actions(state, true);
            Layer::Help(Picker { below: MARKS.len() + 1, ..Picker::new(choices, "") }, actions)
        }
        Action::Palette => {
            let (choices, actions) = actions(state, false);
            Layer::Palette(Picker::new(choices, &state.kept.palette.clone()), actions)
        }
        Action::Queue if state.screen == Screen::Journeys => {
            let (rows, never) = (&state.snapshot.verdicts, &state.snapshot.unjudged);
            if unjudged::all(state) == 0 {
                state.messages.answer(state.now, words::NO_JOURNEYS);
                return;
            }
            let choices = rows.iter().map(|row| {
                let (sign, _, word) = of_ruling(row.ruling, row.overridden);
                let stale = if row.stale { "  ~ stale" } else { "" };
                let name = row.test.split_once("::").map_or(row.test.as_str(), |(_, name)| name);
                let detail = format!("{}  {}", row.path, row.reason);
                Choice { title: name.to_owned(), detail, key: format!("{sign} {word}{stale}"), ..Choice::default() }
            });
            let not_yet = never.iter().map(|row| Choice {
                title: unjudged::name(&row.test).to_owned(),
                detail: row.path.to_string(),
                key: "◦ NEVER JUDGED".to_owned(),
                ..Choice::default()
            });
            let tests = rows.iter().map(|row| &row.test).chain(never.iter().map(|row| &row.test)).cloned();
            Layer::Tests(Picker::new(choices.chain(not_yet).collect(), ""), tests.collect())
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
                    ..Choice::default()
                })
                .collect();
            Layer::Queue(Picker::new(choices, ""), rows.iter().map(|row| row.id).collect())
        }
        Action::GoToFunction => {
            let rows: Vec<_> = state.own_functions().cloned().collect();
            if rows.is_empty() {
                state.messages.answer(state.now, words::NO_FUNCTIONS);
                return;
            }
            let choices = rows.iter().map(|row| {
                let (sign, _, word) = glyphs::of_mark(row.mark);
                let calls = text::count_u64(row.calls, "call");
                Choice {
                    title: row.id.qualname().to_owned(),
                    detail: format!("{}:{}  {calls}", row.path, row.line),
                    key: format!("{} {word}", sign.trim()).trim_start().to_owned(),
                    ..Choice::default()
                }
            });
            let picker = Picker::new(choices.collect(), "");
            state.kept.before_preview = Some(place(state));
            Layer::Functions(picker, rows.into_iter().map(|row| row.id).collect())
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

/// Asks for the tests that run through the function that the screen is about.
pub fn ask_for_tests(state: &mut AppState, out: &mut Vec<Effect>) {
    match state.subject_function().cloned() {
        Some(function) => out.push(Effect::ReadTestsThrough(function)),
        None => state.messages.answer(state.now, words::NO_FUNCTION_HERE),
    }
}

/// Lists the tests that run through a function, to go to one.
pub fn tests_through(state: &mut AppState, function: &FunctionId, tests: Result<Vec<TestRow>, Trouble>) {
    let tests = match tests {
        Ok(tests) => tests,
        Err(trouble) => return state.messages.answer(state.now, trouble.to_string()),
    };
    if tests.is_empty() {
        return state.messages.answer(state.now, words::no_tests_through(function));
    }
    let choices = tests.iter().map(|row| Choice {
        title: row.test.qualname().to_owned(),
        detail: format!("{}:{}", row.path, row.line),
        key: if row.calls == 0 { String::new() } else { text::count_u64(row.calls, "call") },
        ..Choice::default()
    });
    let picker = Picker::new(choices.collect(), "");
    state.layers.push(Layer::TestsThrough(picker, function.clone(), tests.into_iter().map(|row| (row.path, row.line)).collect()));
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
    let mut first = first;
    if !help {
        // What was used most comes first; equals stay in their order.
        let used = |entry: &&Entry| std::cmp::Reverse(state.kept.used.get(entry.title).copied().unwrap_or(0));
        first.sort_by_key(used);
    }
    let order = if help { last.into_iter().chain(first) } else { first.into_iter().chain(last) };
    order
        .filter(|entry| if help { here.contains(&entry.context) } else { Context::PATHS[0].contains(&entry.context) })
        .map(|entry| {
            let keys: Vec<String> = state.keymap.keys_of(entry.action).into_iter().take(2).collect();
            let keys = keys.join(" ");
            let blocked = live::why_not(state, entry.action).map(str::to_owned);
            let also = SYNONYMS.iter().find(|(action, _)| *action == entry.action).map_or("", |(_, words)| *words);
            let choice = if help {
                Choice { title: entry.word.into(), detail: entry.does.into(), key: keys, also: also.into(), blocked: None }
            } else {
                Choice { title: entry.title.into(), detail: entry.does.into(), key: keys, also: also.into(), blocked }
            };
            (choice, entry.action)
        })
        .unzip()
}
