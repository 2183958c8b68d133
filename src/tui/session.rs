//! The place of the screen from one session to the next: screen, cursor, filter, widths, words of prompts.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::base::paths::RelPath;
use crate::domain::proposal::ProposalId;
use crate::domain::proposal_subject::ProposalSubject;
use crate::tui::app::AppState;
use crate::tui::filter::Filter;
use crate::tui::layout::{Pane, Screen, Shares};
use crate::tui::panes::InPlace;
use crate::tui::widgets::tree::NodeKey;

const HISTORY: usize = 50;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Session {
    screen: Screen,
    focus: Option<Pane>,
    left: Option<Pane>,
    subject: Option<ProposalSubject>,
    proposal: Option<ProposalId>,
    edit: Option<Edit>,
    filter: String,
    log_filter: String,
    runs_filter: String,
    test: Option<String>,
    spec: Option<RelPath>,
    shares: Option<Shares>,
    toggled: Vec<String>,
    recorded: Vec<String>,
    searches: Vec<String>,
    filters: Vec<String>,
    used: HashMap<String, u32>,
}

/// An edit in place that nobody proved yet.
#[derive(Serialize, Deserialize)]
struct Edit {
    proposal: ProposalId,
    text: String,
    line: usize,
}

/// Writes the place down.
#[must_use]
pub fn keep(state: &AppState) -> serde_json::Value {
    let paths = state.toggled.iter().filter_map(|key| match key {
        NodeKey::Path(path) => Some(path.clone()),
        _ => None,
    });
    let mut toggled: Vec<String> = paths.collect();
    toggled.sort();
    let session = Session {
        screen: state.screen,
        focus: Some(state.focus),
        left: Some(state.left),
        subject: state.subject.clone(),
        proposal: state.current().map(|row| row.id),
        edit: state.in_place.as_ref().map(|edit| Edit { proposal: edit.proposal, text: edit.text(), line: edit.area.cursor().0 }),
        filter: state.filter.text.clone(),
        log_filter: state.log_filter.text.clone(),
        runs_filter: state.runs_filter.text.clone(),
        test: state.journeys.test.clone(),
        spec: state.specs.file.clone(),
        shares: Some(state.shares),
        toggled,
        recorded: newest(&state.kept.recorded),
        searches: newest(&state.kept.searches),
        filters: newest(&state.kept.filters),
        used: state.kept.used.clone(),
    };
    serde_json::to_value(session).unwrap_or_default()
}

/// Goes to the place that was kept; what it cannot read it leaves as it is.
pub fn restore(state: &mut AppState) {
    let Some(value) = state.snapshot.session.clone() else { return };
    let Ok(session) = serde_json::from_value::<Session>((*value).clone()) else { return };
    state.screen = session.screen;
    let panes = session.screen.panes();
    state.focus = session.focus.filter(|pane| panes.contains(pane)).or(panes.last().copied()).unwrap_or(Pane::Decision);
    state.left = session.left.filter(|pane| Screen::Review.panes()[..3].contains(pane)).unwrap_or(Pane::Functions);
    state.subject = session.subject;
    state.kept.proposal = session.proposal;
    state.in_place = session.edit.map(|edit| InPlace::new(edit.proposal, &edit.text, edit.line));
    state.filter = Filter::parse(&session.filter);
    state.log_filter = Filter::parse(&session.log_filter);
    state.runs_filter = Filter::parse(&session.runs_filter);
    state.journeys.test = session.test;
    state.specs.file = session.spec;
    state.shares = session.shares.unwrap_or_default();
    state.toggled = session.toggled.into_iter().map(NodeKey::Path).collect();
    state.kept.recorded = session.recorded;
    state.kept.searches = session.searches;
    state.kept.filters = session.filters;
    state.kept.used = session.used;
}

fn newest(all: &[String]) -> Vec<String> {
    all.iter().take(HISTORY).cloned().collect()
}
