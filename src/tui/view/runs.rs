//! The Runs screen: recordings with what they kept, jobs with how far they are.

use crate::base::clock::Moment;
use crate::base::text::{bytes, count, fit, thousands};
use crate::domain::call::ProgramEnd;
use crate::domain::event::JobState;
use crate::domain::snapshot::{JobRow, RecordingRow};
use crate::tui::app::AppState;
use crate::tui::doc::{About, DocRow};
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Widths of what stands in columns, by the width of the screen.
struct Columns {
    command: usize,
    calls: bool,
    when: bool,
    subject: usize,
    left: bool,
    rate: bool,
}

fn columns(width: u16) -> Columns {
    let width = usize::from(width);
    let roomy = width >= 80;
    let fitted = |others: usize, most: usize| if roomy { most } else { width.saturating_sub(others).clamp(8, most) };
    match width {
        50.. => Columns { command: fitted(42, 26), calls: true, when: roomy, subject: fitted(46, 30), left: true, rate: true },
        _ => Columns { command: fitted(28, 26), calls: false, when: false, subject: fitted(24, 30), left: false, rate: false },
    }
}

/// Makes all lines.
#[must_use]
pub fn rows(state: &AppState) -> Vec<DocRow> {
    let snapshot = &state.snapshot;
    let mut out = Vec::new();
    for (index, row) in snapshot.recordings.iter().enumerate() {
        recording(state, index, row, &mut out);
    }
    if snapshot.recordings.is_empty() {
        out.push(DocRow::of(Row::plain("   Nothing recorded yet. ! records what your program does.")));
    }
    out.push(DocRow::default());
    let columns = columns(state.size.0);
    let head = format!("   {}{}", fit("Jobs", columns.subject + 9), figures(&columns, "done", "left", "rate"));
    out.push(DocRow::of(Row::new().add(Role::Dim, head)));
    for (index, row) in snapshot.jobs.iter().enumerate() {
        out.push(job(state, index, row));
    }
    if snapshot.jobs.is_empty() {
        out.push(DocRow::of(Row::plain("   No job.")));
    }
    out.push(DocRow::default());
    if let Some(trouble) = &snapshot.python_trouble {
        out.push(DocRow::of(Row::new().add(Role::Failing, format!(" ! {trouble}"))));
    }
    let python = snapshot.python.as_deref().unwrap_or("none found");
    let model = snapshot.model.as_deref().unwrap_or("none chosen");
    let foot = [format!("Python {python}"), format!("Model {model}"), format!("Containment {}", snapshot.containment)];
    let foot = if columns.when { vec![foot.join("     ")] } else { foot.to_vec() };
    out.extend(foot.into_iter().map(|line| DocRow::of(Row::new().add(Role::Dim, format!("   {line}")))));
    out
}

fn figures(columns: &Columns, done: &str, left: &str, rate: &str) -> String {
    let mut out = format!("{done:>9}");
    if columns.left {
        out.push_str(&format!("{left:>10}"));
    }
    if columns.rate {
        out.push_str(&format!("{rate:>12}"));
    }
    out
}

fn recording(state: &AppState, index: usize, row: &RecordingRow, out: &mut Vec<DocRow>) {
    let n = |number: u64| thousands(usize::try_from(number).unwrap_or(usize::MAX));
    let about = About::Recording(index);
    let columns = columns(state.size.0);
    let (sign, role, end) = match &row.end {
        ProgramEnd::Running => ("»", Role::Running, String::new()),
        ProgramEnd::Exited(0) => ("✓", Role::Tested, "exit 0".to_owned()),
        ProgramEnd::Exited(code) => ("✗", Role::Failing, format!("exit {code}")),
        ProgramEnd::Killed(signal) => ("✗", Role::Failing, signal.clone()),
        ProgramEnd::NotStarted(why) => ("!", Role::Failing, format!("not started: {why}")),
    };
    let mut line = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Text, format!(" recording {:<3} ", row.id.0))
        .add(Role::Text, fit(&crate::base::text::display_line(&row.command.join(" ")), columns.command));
    if row.end == ProgramEnd::Running {
        line = line.add(Role::Running, format!("  {}", elapsed(row.started, state.now)));
        out.push(DocRow { row: line, about: about.clone(), stop: true, changed: false });
        let calls = format!("     calls {}   kept {}", n(row.seen), n(row.kept));
        let functions = format!("functions {} of {}", n(row.functions), thousands(words::own_functions(&state.snapshot)));
        let others = format!("threads {}   raised {}", n(row.threads), n(row.raised));
        let mut more = if columns.when {
            vec![format!("{calls}   {functions}   {others}")]
        } else {
            vec![calls, format!("     {functions}"), format!("     {others}")]
        };
        if !row.newest.is_empty() {
            more.push(format!("     newest  {}", row.newest.join("  ")));
        }
        if let Some(last) = row.output.last() {
            more.push(format!("     output  {last}"));
        }
        out.extend(more.into_iter().map(|text| DocRow {
            row: Row::new().add(Role::Dim, text),
            about: about.clone(),
            ..DocRow::default()
        }));
    } else {
        let calls = count(usize::try_from(row.seen).unwrap_or(usize::MAX), "call");
        let when = state.zone.day(row.started, state.now);
        line = line.add(role, format!("  {end:<7}"));
        if columns.calls {
            line = line.add(Role::Text, format!(" {calls:>12}"));
        }
        if columns.when {
            line = line.add(Role::Dim, format!("  {when}"));
        }
        out.push(DocRow { row: line, about: about.clone(), stop: true, changed: false });
        for (reason, number) in &row.gaps {
            let text = format!("   ~ left out {}: {reason}", n(*number));
            out.push(DocRow { row: Row::new().add(Role::Warning, text), about: about.clone(), ..DocRow::default() });
        }
    }
}

fn job(state: &AppState, index: usize, row: &JobRow) -> DocRow {
    let cancelling = state.cancelling.contains(&row.id) && matches!(row.state, JobState::Running | JobState::Waiting);
    let (sign, role) = match row.state {
        _ if cancelling => ("⊘", Role::Dim),
        JobState::Waiting => ("⋯", Role::Waiting),
        JobState::Running => ("»", Role::Running),
        JobState::Done => ("✓", Role::Tested),
        JobState::Failed => ("✗", Role::Failing),
        JobState::Cancelled => ("⊘", Role::Dim),
    };
    let done = match (row.kind.as_str(), row.total) {
        _ if cancelling => "cancelling".to_owned(),
        ("model", _) => format!("{} tok", thousands(usize::try_from(row.done).unwrap_or(usize::MAX))),
        (_, 0) => String::new(),
        ("download", total) => format!("{} %", row.done.saturating_mul(100) / total),
        (_, total) => format!("{}/{total}", row.done),
    };
    let left = if row.state == JobState::Running { time_left(row, state.now).unwrap_or_default() } else { String::new() };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a rate for people
    let rate = row.rate.filter(|_| row.state == JobState::Running || row.kind == "model").map(|rate| match row.kind.as_str() {
        "download" => format!("{}/s", bytes(rate as u64)),
        _ => format!("{rate:.0} tok/s"),
    });
    let rate = rate.unwrap_or_default();
    let subject = row.subject.rsplit_once(':').map_or(row.subject.as_str(), |(_, name)| name);
    let columns = columns(state.size.0);
    let subject = fit(&crate::base::text::display_line(subject), columns.subject);
    let line = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Text, format!(" {:<8} {subject}", row.kind))
        .add(Role::Text, figures(&columns, &done, &left, &rate));
    DocRow { row: line, about: About::Job(index), stop: true, changed: false }
}

/// Estimates what is left, rounded: of a download by its rate, of other work after two seconds and five percent.
#[must_use]
pub fn time_left(job: &JobRow, now: Moment) -> Option<String> {
    let spent = now.0 - job.started.0;
    if job.total == 0 || job.done == 0 || job.done >= job.total {
        return None;
    }
    let rest = job.total - job.done;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a time for people
    let left = match job.rate.filter(|rate| job.kind == "download" && *rate >= 1.0) {
        // What was here before was not got at this rate.
        Some(rate) => rest / rate as u64,
        None if job.kind == "download" || spent < 2_000 || job.done * 20 < job.total => return None,
        None => u64::try_from(spent).ok()? * rest / job.done / 1_000,
    };
    Some(match left {
        0..10 => format!("{} s", left.max(1)),
        10..90 => format!("{} s", left.div_ceil(10) * 10),
        90..7_200 => format!("{} min", left.div_ceil(60)),
        _ => format!("{} h", left / 3_600),
    })
}

/// Writes the time since a moment: `0:41`.
#[must_use]
pub fn elapsed(since: Moment, now: Moment) -> String {
    let seconds = (now.0 - since.0).max(0) / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
