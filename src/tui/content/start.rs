//! The pane before the first draft: the question for trust, the first steps, a recording under way, what it saw, and why
//! it failed. Keys are `update/following.rs`.

use std::collections::BTreeMap;

use crate::base::paths::tilde;
use crate::base::text::{self, command_line, count, thousands};
use crate::domain::call::ProgramEnd;
use crate::domain::snapshot::{Mark, RecordingRow};
use crate::record::remedy::{self, Failure};
use crate::tui::app::AppState;
use crate::tui::content::runs;
use crate::tui::content::sentences;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Columns of the bar of a file.
const BAR: usize = 20;
/// Files whose bars are shown; the rest is counted.
const FILES: usize = 12;

/// Makes the lines of the question whether the folder is trusted.
#[must_use]
pub fn trust(state: &AppState) -> Vec<DocRow> {
    let python =
        state.snapshot.python.as_deref().map_or_else(|| "the project's Python".into(), |python| format!("Python {python}"));
    let key =
        |key: &str, does: &str| DocRow::of(Row::new().add(Role::Accent, format!(" {key}")).add(Role::Text, does.to_owned()));
    let mut out = sentences(state, Role::Text, &format!("Do you trust the code in  {} ?", tilde(&state.snapshot.root)));
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Text, words::TRUST_WHY));
    out.push(DocRow::default());
    out.push(key("  t    ", "  trust it: y confirms"));
    out.push(key("> Enter", "  only read: browse, nothing runs"));
    out.push(key("  Esc  ", "  only read, like Enter"));
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Text, &format!("Would run: {python}, conftest.py, tests.")));
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Dim, words::TRUST_KEPT));
    out
}

/// Makes the lines of the first steps: the commands that can be recorded, one of them marked.
#[must_use]
pub fn first_steps(state: &AppState) -> Vec<DocRow> {
    if !state.snapshot.indexed {
        return sentences(state, Role::Dim, &words::reading(state.snapshot.reading));
    }
    if state.snapshot.functions.is_empty() {
        return sentences(state, Role::Text, words::NO_FUNCTIONS);
    }
    let mut out = sentences(state, Role::Text, &words::nothing_recorded(&state.snapshot));
    out.push(DocRow::of(Row::new().add(Role::Accent, " Enter").add(Role::Text, "  records the marked command:")));
    for (index, argv) in state.snapshot.offers.iter().enumerate() {
        let row = Row::plain("    ").add(Role::Accent, command_line(argv));
        out.push(DocRow { row, about: About::Offer(index), stop: true, changed: false });
    }
    if state.snapshot.offers.is_empty() {
        out.pop();
        out.push(DocRow::of(Row::new().add(Role::Accent, " !").add(Role::Text, "  records a command you type: pytest -q")));
    } else {
        out.push(DocRow::of(Row::new().add(Role::Accent, " !").add(Role::Text, "      records another command")));
    }
    out.push(DocRow::default());
    let model = if state.snapshot.model.is_some() {
        Row::new().add(Role::Accent, " g").add(Role::Text, "      asks a model for a test of one function")
    } else {
        Row::new().add(Role::Dim, " Or use a model: set model.provider in your config.")
    };
    out.push(DocRow::of(model));
    if let Some(trouble) = &state.snapshot.python_trouble {
        out.push(DocRow::default());
        out.extend(sentences(state, Role::Failing, &format!("! {trouble}")));
    } else {
        out.push(DocRow::of(Row::new().add(Role::Dim, " The first drafts come seconds after a recording.")));
    }
    out
}

/// Gives the recording that the pane follows.
#[must_use]
pub fn followed(state: &AppState) -> Option<&RecordingRow> {
    let id = state.following.as_ref()?.recording?;
    state.snapshot.recordings.iter().find(|row| row.id == id)
}

/// Tells whether the pane shows the recording that it follows.
#[must_use]
pub fn is_followed(state: &AppState) -> bool {
    state.following.is_some() && state.current().is_none() && !state.asks_for_trust()
}

/// Tells how the recording that the pane follows failed: it is over, and there is no call of it to work with.
#[must_use]
pub fn failure(state: &AppState) -> Option<Failure> {
    let row = followed(state).filter(|row| row.kept == 0 && row.end != ProgramEnd::Running)?;
    let own = |module: &str| {
        let starts = |name: &str| name.split('.').any(|part| part == module);
        state.snapshot.files.iter().any(|file| !file.is_test && starts(&file.module))
    };
    (row.end != ProgramEnd::Exited(0)).then(|| remedy::read(&row.end, &row.output, &python(state), own))
}

/// Names the interpreter as a shell finds it.
fn python(state: &AppState) -> String {
    let label = state.snapshot.python.as_deref().unwrap_or("python3");
    let place = label.split_once(' ').map_or(label, |(_, place)| place);
    if place.rsplit('/').next().is_some_and(|name| name.starts_with("python")) {
        place.to_owned()
    } else {
        format!("{place}/bin/python")
    }
}

/// Makes the lines of the recording that the pane follows: while it runs, what it saw, or why it failed.
#[must_use]
pub fn under_way(state: &AppState) -> Vec<DocRow> {
    let Some(row) = followed(state) else {
        return sentences(state, Role::Dim, words::RECORDING_STARTS);
    };
    if row.end == ProgramEnd::Running {
        return running(state, row);
    }
    match failure(state) {
        Some(failure) => failed(state, row, &failure),
        None => summary(state, row),
    }
}

fn running(state: &AppState, row: &RecordingRow) -> Vec<DocRow> {
    let dim = |line: String| DocRow::of(Row::new().add(Role::Dim, line));
    let head = Row::new().add(Role::Running, " » ").add(Role::Text, format!("Recording {}", command_line(&row.command)));
    let mut out = vec![DocRow::of(head.end(Role::Dim, runs::elapsed(row.started, state.now)))];
    out.push(DocRow::of(Row::plain(format!("   {}", words::seen(row, words::own_functions(&state.snapshot))))));
    if !row.newest.is_empty() {
        out.push(dim(format!("   newest  {}", row.newest.join("  "))));
    }
    if let Some(last) = row.output.iter().rfind(|line| !line.trim().is_empty()) {
        out.push(dim(format!("   output  {last}")));
    }
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Dim, words::DRAFTS_AFTER_END));
    out
}

/// Three lines of what was recorded, then a bar for each file.
fn summary(state: &AppState, row: &RecordingRow) -> Vec<DocRow> {
    let all = words::own_functions(&state.snapshot);
    let left = state.open_jobs().find_map(|job| runs::time_left(job, state.now));
    let drafts = match (row.kept, left) {
        (0, _) => "no call of this project".to_owned(),
        (_, Some(left)) => format!("first drafts in {left}"),
        (_, None) if state.open_jobs().next().is_none() && !state.pass.items().is_empty() => "no draft is ready yet".to_owned(),
        (_, None) => "first drafts in seconds".to_owned(),
    };
    let head = Row::new().add(Role::Tested, " ✓ ").add(Role::Text, format!("{} · {drafts}", words::seen(row, all)));
    let end = match &row.end {
        ProgramEnd::Exited(code) => format!("exit {code}"),
        ProgramEnd::Killed(killer) => killer.to_string(),
        ProgramEnd::Running | ProgramEnd::NotStarted(_) => String::new(),
    };
    let time = crate::base::clock::short(std::time::Duration::from_millis(u64::try_from(row.duration_ms).unwrap_or(0)));
    let mut out = vec![DocRow::of(head)];
    out.push(DocRow::of(Row::new().add(Role::Dim, format!("   {}  {end} after {time}", command_line(&row.command)))));
    out.push(DocRow::of(Row::plain(format!("   {}", score(state)))));
    if row.kept == 0 {
        out.push(DocRow::default());
        out.extend(sentences(state, Role::Text, words::NO_OWN_CALL));
        return out;
    }
    out.push(DocRow::default());
    out.extend(bars(state));
    out
}

/// Draws a bar for each file with recorded functions: how many of its functions were called.
fn bars(state: &AppState) -> Vec<DocRow> {
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in state.own_functions() {
        let file = files.entry(row.path.as_str()).or_default();
        file.1 += 1;
        file.0 += usize::from(row.calls > 0);
    }
    let mut files: Vec<(&str, (usize, usize))> = files.into_iter().filter(|(_, (called, _))| *called > 0).collect();
    files.sort_by_key(|(path, (called, _))| (std::cmp::Reverse(*called), *path));
    let shown = &files[..files.len().min(FILES)];
    let room = state.columns(crate::tui::layout::Pane::Decision).saturating_sub(16);
    let bar = BAR.min(room / 2);
    let wide = shown.iter().map(|(path, _)| text::width(path)).max().unwrap_or(0).min(room.saturating_sub(bar));
    let mut out: Vec<DocRow> = shown
        .iter()
        .map(|(path, (called, all))| {
            let full = (called * bar).div_ceil((*all).max(1)).min(bar);
            let row = Row::plain(format!("   {}  ", text::fit(path, wide)))
                .add(Role::Tested, "━".repeat(full))
                .add(Role::Dim, "─".repeat(bar - full))
                .add(Role::Text, format!("  {called} of {all}"));
            DocRow::of(row)
        })
        .collect();
    if files.len() > FILES {
        out.push(DocRow::of(Row::new().add(Role::Dim, format!("   and {}", count(files.len() - FILES, "more file")))));
    }
    out
}

fn failed(state: &AppState, row: &RecordingRow, failure: &Failure) -> Vec<DocRow> {
    let end = match &row.end {
        ProgramEnd::Exited(code) => format!("exit code {code}"),
        ProgramEnd::Killed(killer) => killer.to_string(),
        ProgramEnd::Running | ProgramEnd::NotStarted(_) => "did not start".to_owned(),
    };
    let mut out = sentences(state, Role::Failing, &format!("✗ {}: {end}, no call recorded", command_line(&row.command)));
    if let Some(line) = &failure.line {
        out.extend(sentences(state, Role::Text, &format!("  {line}")));
    }
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Text, &failure.advice));
    if let Some(command) = &failure.command {
        let row = Row::new().add(Role::Accent, format!("   {command}"));
        out.push(DocRow { row, stop: true, ..DocRow::default() });
    }
    out.push(DocRow::default());
    out.extend(sentences(state, Role::Dim, words::RECORD_AGAIN));
    out
}

/// Writes the score of the project, which moves with what you do: recorded, tested, waiting.
#[must_use]
pub fn score(state: &AppState) -> String {
    let own = || state.own_functions();
    let recorded = own().filter(|row| row.calls > 0).count();
    let tested = own().filter(|row| row.mark == Mark::Tested).count();
    let all = own().count();
    let waiting = state.pass.open();
    format!(
        "{} of {} recorded · {} tested · {} waiting",
        thousands(recorded),
        thousands(all),
        thousands(tested),
        thousands(waiting)
    )
}
