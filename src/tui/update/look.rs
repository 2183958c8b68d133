//! Looking: why it is here, in full, copied, compared. Changes nothing but what is in sight.

use crate::base::error::Trouble;
use crate::base::text::{command_line, count_u64};
use crate::domain::event::Level;
use crate::domain::evidence::{Evidence, EvidenceKind};
use crate::domain::proposal::{ProposalId, ProposalKind};
use crate::domain::snapshot::{LogRow, QueueRow, WatchState};
use crate::tui::app::{AppState, Effect};
use crate::tui::content;
use crate::tui::diff::PlannedFile;
use crate::tui::doc::{self, Compare, Loaded};
use crate::tui::doc_row::About;
use crate::tui::layer::{Layer, TextBox};
use crate::tui::layout::{Pane, Screen};
use crate::tui::panes::CallLine;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::update::focus::show;
use crate::tui::update::{journeys, questions, specs};
use crate::tui::words;

/// Trouble that is told a moment after a job's end still belongs to it.
const AFTER_MS: i64 = 500;
/// Troubles that are told of one job.
const TROUBLES: usize = 8;

/// Says why: the message whole, else a question that was left open, else all that is known for and against what line 2
/// names.
pub fn why(state: &mut AppState) {
    if let Some(message) = state.messages.shown.clone().filter(|message| message.stays || !message.more.is_empty()) {
        let lines = if message.more.is_empty() { vec![message.text.clone()] } else { message.more.clone() };
        let body = lines.into_iter().map(|line| Row::plain(format!(" {line}"))).collect();
        state.layers.push(Layer::Text(TextBox { title: "What happened, why, what to do".into(), body, top: 0 }));
        return;
    }
    if questions::again(state) {
        return;
    }
    if matches!(state.focus, Pane::Log | Pane::Runs | Pane::Recorded)
        && !matches!(content::about(state, state.focus), About::Job(_))
    {
        return view(state);
    }
    if state.screen == Screen::Specs {
        return specs::why(state);
    }
    let mut body = waiting(state);
    let red = state.subject_function().map(|id| content::red(state, id)).unwrap_or_default();
    let is_red = !red.is_empty();
    body.extend(red.into_iter().map(|line| line.row));
    if let About::Job(index) = content::about(state, state.focus) {
        body.extend(of_job(state, index));
    } else if let Some(loaded) = state.loaded().cloned() {
        let proposal = &loaded.view.proposal;
        let wide = doc::labels(proposal.evidence.iter().map(|evidence| &evidence.what));
        let told = |evidence: &Evidence| {
            evidence.what == EvidenceKind::NotCovered && proposal.draft().is_some_and(|draft| !draft.left_out.is_empty())
        };
        for (index, evidence) in proposal.evidence.iter().enumerate().filter(|(_, evidence)| !told(evidence)) {
            body.extend(doc::evidence_rows(index, evidence, wide).into_iter().map(|row| row.row));
            if !matches!(evidence.finding, crate::domain::evidence::Finding::Fail | crate::domain::evidence::Finding::Flaky) {
                body.extend(evidence.more.iter().map(|line| Row::new().add(Role::Dim, format!("   {line}"))));
            }
        }
        for left in proposal.draft().map_or(&[][..], |draft| &draft.left_out) {
            body.push(Row::plain(format!("   {} left out: {}", left.calls, left.reason)));
        }
        for edit in proposal.because() {
            body.push(Row::plain(format!("   you changed {} in {} line {}", edit.summary(), edit.path, edit.line)));
        }
        let named = proposal.evidence.iter().any(|evidence| evidence.what == EvidenceKind::Sandbox);
        if let Some(level) = proposal.containment.as_ref().filter(|_| !named) {
            body.push(Row::new().add(Role::Dim, format!("   run in: {level}")));
        }
        if let Some(trouble) = &loaded.view.blocked {
            body.push(Row::new().add(Role::Failing, format!(" ! {trouble}")));
        }
    } else if let Some(row) = state.subject_row().filter(|_| !is_red) {
        body.push(Row::plain(match &row.reason {
            Some(reason) => words::no_test(row.id.qualname(), reason),
            None if row.calls == 0 => words::never_called(row.id.qualname()),
            None => {
                let calls = count_u64(row.calls, "recorded call");
                format!("{} has {calls} and nothing waits.", row.id.qualname())
            }
        }));
        body.extend(row.reason.as_ref().map(|reason| Row::new().add(Role::Dim, format!("   {}", reason.fix()))));
    }
    if body.is_empty() {
        state.messages.answer(state.now, words::NOTHING_TO_EXPLAIN);
        return;
    }
    let title = state.subject.as_ref().map_or_else(String::new, |subject| format!("Why: {subject}"));
    state.layers.push(Layer::Text(TextBox { title, body, top: 0 }));
}

/// Names the files that wait while the watch is paused.
fn waiting(state: &AppState) -> Vec<Row> {
    let WatchState::Paused { since, files, first } = &state.snapshot.watch else { return Vec::new() };
    if *files == 0 {
        return Vec::new();
    }
    let mut out = vec![Row::plain(format!(" {}", words::paused(&state.zone.minute(*since), *files)))];
    out.extend(first.iter().map(|path| Row::new().add(Role::Accent, format!("   {path}"))));
    if *files > first.len() {
        out.push(Row::new().add(Role::Dim, format!("   and {} more", files - first.len())));
    }
    out.push(Row::new());
    out
}

/// Says what a job is, and what the log says of trouble since it began.
fn of_job(state: &AppState, index: usize) -> Vec<Row> {
    let Some(job) = state.snapshot.jobs.get(index) else { return Vec::new() };
    let mut out = vec![Row::plain(format!(" {} {}", job.kind.word(), job.subject))];
    let until = job.ended.unwrap_or(state.now);
    let during = |row: &&LogRow| row.level >= Level::Warning && job.started <= row.at && row.at.0 <= until.0 + AFTER_MS;
    for row in state.snapshot.log.iter().filter(during).take(TROUBLES) {
        let sign = if row.level == Level::Error { (Role::Failing, "!") } else { (Role::Warning, "~") };
        out.push(Row::new().add(sign.0, format!(" {} ", sign.1)).add(Role::Text, row.text.for_people()));
        out.extend(row.more.iter().map(|line| Row::new().add(Role::Dim, format!("   {line}"))));
    }
    if out.len() == 1 {
        out.push(Row::new().add(Role::Dim, "   Nothing went wrong while it ran, by the log."));
    }
    out
}

/// Shows what is selected whole.
pub fn view(state: &mut AppState) {
    if let (About::Folded(path), Some(loaded)) = (content::about(state, state.focus), state.loaded().cloned()) {
        let edit = loaded.view.plan.iter().find(|edit| edit.path == path).map(PlannedFile::new);
        let body = edit.map(|edit| edit.rows).unwrap_or_default();
        state.layers.push(Layer::Text(TextBox { title: path.to_string(), body, top: 0 }));
        return;
    }
    let mut title = "In full".to_owned();
    let body: Vec<String> = match state.focus {
        Pane::Calls => match state.calls.lines.get(state.calls.list.cursor) {
            Some(CallLine::Call(at) | CallLine::Inside(at, _) | CallLine::Part(at, ..)) => {
                title = format!("Call {} of {}", at + 1, state.calls.kinds().len());
                state.calls.call(*at).map(|row| row.full.clone()).unwrap_or_default()
            }
            _ => Vec::new(),
        },
        Pane::Recorded => {
            let call = state.recorded.here();
            call.map(|call| vec![format!("{}{}", call.function, call.arguments), call.outcome.clone()]).unwrap_or_default()
        }
        Pane::Journey => journeys::whole(state),
        Pane::Specs | Pane::Steps => specs::whole(state),
        Pane::Source => {
            let line = u32::try_from(state.source.list.cursor + 1).unwrap_or(u32::MAX);
            let all = [&state.source.gave, &state.source.values];
            all.into_iter().filter_map(|values| values.get(&line).cloned()).collect()
        }
        _ => match content::about(state, state.focus) {
            About::Evidence(index) => state
                .loaded()
                .and_then(|loaded| loaded.view.proposal.evidence.get(index))
                .map(|evidence| {
                    let mut lines = vec![format!("{}: {}", evidence.what, evidence.detail)];
                    lines.extend(evidence.more.iter().cloned());
                    lines
                })
                .unwrap_or_default(),
            About::Changed(_) if state.loaded().is_some_and(|loaded| loaded.view.proposal.near().is_some()) => state
                .loaded()
                .and_then(|loaded| loaded.view.proposal.near())
                .map(|near| doc::whole_near(&near.difference))
                .unwrap_or_default(),
            About::Changed(index) => state
                .loaded()
                .and_then(|loaded| loaded.view.proposal.change()?.calls.get(index).cloned())
                .map(|call| {
                    let mut lines = vec![call.arguments.clone()];
                    lines.extend(doc::effect_lines(&call.old).into_iter().map(|line| format!("old  {line}")));
                    lines.extend(doc::effect_lines(&call.new).into_iter().map(|line| format!("new  {line}")));
                    lines
                })
                .unwrap_or_default(),
            About::Differs(at, Some(call)) => state
                .diff
                .shown
                .as_ref()
                .and_then(|diff| diff.functions.get(at))
                .and_then(|one| one.calls.get(call).map(|call| crate::tui::behaviour::whole(one, call)))
                .unwrap_or_default(),
            About::Recording(index) => state
                .snapshot
                .recordings
                .get(index)
                .map(|row| {
                    title = format!("Recording {}", row.id.0);
                    let mut lines = vec![command_line(&row.command)];
                    lines.extend(row.gaps.iter().map(|(gap, number)| format!("left out: {number} {gap}")));
                    lines.extend(row.output.iter().cloned());
                    lines
                })
                .unwrap_or_default(),
            About::Log(index) => state
                .snapshot
                .log
                .get(index)
                .map(|row| std::iter::once(&row.text).chain(&row.more).map(ToString::to_string).collect())
                .unwrap_or_default(),
            _ => {
                let here = content::cursor(state, state.focus).map(|at| content::text(state, state.focus, at));
                here.into_iter().filter(|text| !text.trim().is_empty()).collect()
            }
        },
    };
    if body.is_empty() {
        state.messages.answer(state.now, words::NOTHING_MORE);
        return;
    }
    let width = usize::from(state.size.0.saturating_sub(4)).max(10);
    let wrap = |line: &String| {
        let safe = crate::base::text::display(line).into_owned();
        crate::base::text::wrap(&safe, width).into_iter().map(|line| Row::plain(format!(" {line}"))).collect::<Vec<_>>()
    };
    let body = body.iter().flat_map(wrap).collect();
    state.layers.push(Layer::Text(TextBox { title, body, top: 0 }));
}

/// Copies what is selected, as shown.
pub fn copy(state: &mut AppState, out: &mut Vec<Effect>) {
    let told = match (state.focus, content::about(state, state.focus)) {
        (Pane::Journey, _) => journeys::text(state),
        // All of a line of the log, however much of it is in sight.
        (Pane::Log, About::Log(index)) => state.snapshot.log.get(index).map(|row| {
            let first = format!("{} {} {}", state.zone.second(row.at), row.word, row.text);
            std::iter::once(first).chain(row.more.iter().map(ToString::to_string)).collect::<Vec<_>>().join("\n")
        }),
        (Pane::Recorded, _) => state.recorded.here().map(|call| format!("{}{} {}", call.function, call.arguments, call.outcome)),
        _ => None,
    };
    let shown = || content::cursor(state, state.focus).map(|at| content::text(state, state.focus, at));
    let text = told.or_else(shown).unwrap_or_default();
    let text = crate::base::text::display(text.trim()).into_owned();
    if text.is_empty() {
        state.messages.answer(state.now, words::NOTHING_TO_COPY);
    } else {
        out.push(Effect::Copy(text));
    }
}

/// Looks at the draft in another way.
pub fn compare(state: &mut AppState, out: &mut Vec<Effect>) {
    let Some(loaded) = state.loaded().cloned() else {
        state.messages.answer(state.now, words::NOTHING_TO_COMPARE);
        return;
    };
    let next = loaded.next(state.decision.compare);
    // After its own looks comes the other draft of the function, where there is one.
    let other = other_draft(state).filter(|_| next == Compare::Disk && state.decision.compare != Compare::Other);
    if let Some(other) = other {
        out.push(Effect::ReadOther(other));
        return;
    }
    if next == state.decision.compare {
        state.messages.answer(state.now, words::ONE_LOOK);
        return;
    }
    state.decision.compare = next;
    state.decision.list = Default::default();
    show(state, Screen::Review, Pane::Decision);
}

/// Finds another draft of the function line 2 names: the newer one, else one that waits beside it.
fn other_draft(state: &AppState) -> Option<ProposalId> {
    let row = state.current().filter(|row| row.kind == ProposalKind::Draft)?;
    let newer = state.loaded().and_then(|loaded| loaded.view.newer);
    let beside = |other: &&QueueRow| other.kind == ProposalKind::Draft && other.subject == row.subject && other.id != row.id;
    newer.or_else(|| state.pass.items().iter().find(beside).map(|other| other.id))
}

/// The other draft was read: shows it against this one.
pub fn compare_with(state: &mut AppState, id: ProposalId, other: Result<Loaded, Trouble>) {
    let (Some(this), true) = (state.loaded().cloned(), other_draft(state) == Some(id)) else { return };
    match other {
        Ok(other) => {
            state.decision.other = Some((id, this.against(&other)));
            state.decision.compare = Compare::Other;
            state.decision.list = Default::default();
            show(state, Screen::Review, Pane::Decision);
        }
        Err(trouble) => state.messages.fail(state.now, &trouble),
    }
}
