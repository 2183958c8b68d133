//! Deciding on all that is in the filter: asked with the number, the files and, on request, every line that is written.

use crate::base::error::Trouble;
use crate::base::text::count;
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::snapshot::QueueRow;
use crate::tui::app::{AppState, Effect};
use crate::tui::diff::PlannedFile;
use crate::tui::layer::{Act, Layer, Question, TextBox};
use crate::tui::layout::Screen;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::update::behaviour;
use crate::tui::words;

/// Files that are named before the rest is counted.
const FILES_SHOWN: usize = 3;

/// Asks whether all in the filter shall be decided, with the number.
pub fn ask(state: &mut AppState, accept: bool, out: &mut Vec<Effect>) {
    if state.screen == Screen::Diff && !behaviour::may_decide(state) {
        return;
    }
    let (ready, _) = in_filter(state, accept);
    if ready.is_empty() {
        state.messages.answer(state.now, words::NOTHING_READY);
        return;
    }
    let kinds = kinds(&ready);
    let ids: Vec<ProposalId> = ready.iter().map(|row| row.id).collect();
    let (verb, word) = if accept { (Verb::Accept, "accept") } else { (Verb::Reject, "reject") };
    let command = Command::Decide { proposals: ids.clone(), verb, reason: None };
    let number = ids.len();
    let yes = format!("{word} {number}");
    let mut answers = vec![('y', yes.as_str(), Act::Bulk(vec![command], number)), ('n', "go back", Act::Close)];
    if accept {
        answers.insert(1, ('d', "show the diffs", Act::ShowDiffs(ids.clone())));
        (state.kept.plan, state.kept.diffs_wanted) = (None, false);
        out.push(Effect::ReadPlan(ids));
    }
    let title = if accept { format!("Accept {kinds}?") } else { format!("Reject {kinds}? No file is written.") };
    let body = body(state, accept);
    state.layers.push(Layer::Question(Question::new(title, body, answers)));
}

/// The files are known: a question that waits for them names them.
pub fn planned(state: &mut AppState, ids: Vec<ProposalId>, plan: Result<Vec<PlannedFile>, Trouble>) {
    state.kept.plan = Some((ids, plan));
    let body = body(state, true);
    let waits = |question: &Question| {
        let asked = |act: &Act| matches!((act, &state.kept.plan), (Act::ShowDiffs(ids), Some((of, _))) if ids == of);
        question.answers.iter().any(|answer| asked(&answer.act))
    };
    if let Some(Layer::Question(question)) = state.layers.last_mut()
        && waits(question)
    {
        if let Some((_, Ok(files))) = &state.kept.plan {
            let (added, removed) = files.iter().fold((0, 0), |sum, file| (sum.0 + file.size.0, sum.1 + file.size.1));
            question.right = format!("+{added} -{removed} in {}", count(files.len(), "file"));
        }
        question.body = body;
        if std::mem::take(&mut state.kept.diffs_wanted)
            && let Some((ids, _)) = state.kept.plan.clone()
        {
            show_diffs(state, &ids);
        }
    }
}

/// Shows every line that would be written.
pub fn show_diffs(state: &mut AppState, ids: &[ProposalId]) {
    let Some((_, plan)) = state.kept.plan.as_ref().filter(|(of, _)| of == ids) else {
        state.kept.diffs_wanted = true;
        return;
    };
    let mut body = Vec::new();
    match plan {
        Ok(files) if files.is_empty() => body.push(Row::plain(format!(" {}", words::NO_FILE_WRITTEN))),
        Ok(files) => {
            for file in files {
                let (added, removed) = file.size;
                let head = format!(" {}  +{added} -{removed}", file.path);
                body.push(Row::new().add(Role::Accent, head));
                body.extend(file.rows.iter().cloned());
            }
        }
        Err(trouble) => body.push(Row::new().add(Role::Failing, format!(" ! {trouble}"))),
    }
    state.layers.push(Layer::Text(TextBox { title: "What would be written".into(), body, top: 0 }));
}

fn in_filter(state: &AppState, accept: bool) -> (Vec<&QueueRow>, Vec<&QueueRow>) {
    // What is compared with a commit is all there is on its screen.
    let compared = (state.screen == Screen::Diff).then(|| behaviour::waiting(state));
    let takes = |row: &QueueRow| match &compared {
        Some(compared) => compared.contains(&row.id),
        None => state.filter.takes_proposal(row),
    };
    state.pass.items().iter().filter(|row| state.pass.verdict(row.id).is_none() && takes(row)).partition(|row| {
        let alone = matches!(row.kind, ProposalKind::Verdict | ProposalKind::Near) || (accept && row.alone);
        row.state == ProposalState::Ready && row.blocked.is_none() && !alone
    })
}

fn body(state: &AppState, accept: bool) -> Vec<Row> {
    let (ready, rest) = in_filter(state, accept);
    let dim = |text: String| Row::new().add(Role::Dim, text);
    let mut out = Vec::new();
    let mut about = Vec::new();
    if !state.filter.is_empty() && state.screen != Screen::Diff {
        about.push(format!("filter: {}", state.filter.text));
    }
    if let Some((passed, runs)) = ready.first().and_then(|row| row.proved)
        && ready.iter().all(|row| row.proved == Some((passed, runs)))
    {
        about.push(format!("each proved {passed}/{runs}"));
    }
    if !about.is_empty() {
        out.push(dim(format!(" {}", about.join("   "))));
    }
    match &state.kept.plan {
        _ if !accept => {}
        None => out.push(dim(format!("   {}", words::READING_PLAN))),
        Some((_, Err(trouble))) => out.push(Row::new().add(Role::Failing, format!(" ! {trouble}"))),
        Some((_, Ok(files))) if files.is_empty() => out.push(Row::plain(format!("   {}", words::NO_FILE_WRITTEN))),
        Some((_, Ok(files))) => out.extend(named(files)),
    }
    let left_out = left_out(&rest);
    if !left_out.is_empty() {
        out.push(dim(format!(" Left out: {left_out}.")));
    }
    out
}

fn named(files: &[PlannedFile]) -> Vec<Row> {
    let size = |(added, removed): (usize, usize)| format!("+{added} -{removed}");
    let shown = if files.len() == FILES_SHOWN + 1 { files.len() } else { FILES_SHOWN };
    let mut out: Vec<Row> =
        files.iter().take(shown).map(|file| Row::plain(format!("   {}", file.path)).end(Role::Accent, size(file.size))).collect();
    let rest = files.get(shown..).unwrap_or_default();
    if !rest.is_empty() {
        let sum = rest.iter().fold((0, 0), |sum, file| (sum.0 + file.size.0, sum.1 + file.size.1));
        let line = format!("   and {}", count(rest.len(), "more file"));
        out.push(Row::new().add(Role::Dim, line).end(Role::Accent, size(sum)));
    }
    out
}

fn kinds(rows: &[&QueueRow]) -> String {
    let changes = rows.iter().filter(|row| row.kind == ProposalKind::Change).count();
    match (rows.len() - changes, changes) {
        (drafts, 0) => count(drafts, "draft"),
        (0, changes) => count(changes, "change"),
        (drafts, changes) => format!("{} and {}", count(drafts, "draft"), count(changes, "change")),
    }
}

fn left_out(rest: &[&QueueRow]) -> String {
    let number = |wanted: &[ProposalState]| rest.iter().filter(|row| wanted.contains(&row.state)).count();
    let blocked = rest.iter().filter(|row| row.state == ProposalState::Ready).count();
    [
        (number(&[ProposalState::Stale]), "stale"),
        (number(&[ProposalState::Refused, ProposalState::Failed]), "failing"),
        (number(&[ProposalState::Queued, ProposalState::Streaming, ProposalState::Proving]), "not ready"),
        (blocked, "to be looked at alone"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect::<Vec<_>>()
    .join(", ")
}
