//! Does what an action says: which part of `update` it belongs to.

use crate::domain::proposal::ProposalKind;
use crate::tui::action::{self, Action};
use crate::tui::app::{AppState, Effect};
use crate::tui::layout::{Pane, Screen};
use crate::tui::update::{behaviour, bulk, decide, following, journeys, look, navigate, open, prompts, specs, work};
use crate::tui::words;

/// Does what an action says, whatever asked for it: a key, the palette, the help.
pub fn act(state: &mut AppState, action: Action, out: &mut Vec<Effect>) {
    use Action as A;
    let decides = matches!(action, A::Accept | A::Reject | A::Skip | A::Overrule | A::KeepTest);
    let may = match state.screen {
        _ if !decides => true,
        Screen::Diff => behaviour::may_decide(state),
        Screen::Journeys => journeys::may_decide(state),
        _ => true,
    };
    if !may {
        return;
    }
    if let Some(entry) = action::find(action).filter(|entry| entry.context != action::Context::Move) {
        let used = state.kept.used.entry(entry.title.to_owned()).or_default();
        *used = used.saturating_add(1);
    }
    match action {
        A::Accept => decide::accept(state, out),
        A::AcceptAll => bulk::ask(state, true, out),
        A::Reject if state.current().is_some_and(|row| row.kind == ProposalKind::Verdict) => {
            state.messages.answer(state.now, words::VERDICT_STANDS);
        }
        A::Reject => decide::reject(state, out),
        A::RejectAll => bulk::ask(state, false, out),
        A::Skip => decide::skip(state, out),
        A::Overrule => decide::overrule(state),
        A::KeepTest => decide::keep(state, out),
        A::Undo => decide::undo(state, out),
        A::Redo => decide::redo(state, out),
        A::NextProposal => decide::next(state),
        A::PreviousProposal => decide::previous(state),
        A::DiffAgainst => behaviour::ask(state),
        A::Record => work::record(state),
        A::Ask => work::ask(state, out),
        A::AskWithRemark => work::ask_with_remark(state),
        A::GetModel => work::get_model(state),
        A::Edit => work::edit(state, out),
        A::EditHere => work::edit_here(state),
        A::Again => work::again(state, out),
        A::AgainAll if state.screen == Screen::Journeys => journeys::all(state, out),
        A::AgainAll => specs::all(state, out),
        A::Enter if matches!(state.focus, Pane::Specs | Pane::Steps) => specs::enter(state, out),
        A::Enter if following::records_on_enter(state) => following::record_marked(state, out),
        A::Cancel => work::cancel(state, out),
        A::Pause => work::pause(state, out),
        A::TestsThrough => open::ask_for_tests(state, out),
        A::Why => look::why(state),
        A::View => look::view(state),
        A::Copy => look::copy(state, out),
        A::Compare => look::compare(state, out),
        A::Quit => work::quit(state, out),
        A::Suspend => out.push(Effect::Suspend),
        A::Redraw => out.push(Effect::Redraw),
        A::Settings => out.push(Effect::EditSettings),
        A::Help | A::Palette | A::Queue | A::GoToFunction | A::Search | A::Filter => open::open(state, action),
        A::ClearFilter => prompts::clear_filter(state),
        A::NextMatch => prompts::find(state, true, false),
        A::PreviousMatch => prompts::find(state, false, false),
        _ => navigate::act(state, action),
    }
}
