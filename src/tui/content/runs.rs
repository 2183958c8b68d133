//! The Runs screen: recordings with what they kept, jobs with how far they are.

use crate::base::clock::{self, Moment};
use crate::base::text::{bytes, command_line, count, fit, thousands, width};
use crate::domain::call::ProgramEnd;
use crate::domain::event::{JobKind, JobState};
use crate::domain::snapshot::{JobRow, RecordingRow};
use crate::tui::app::AppState;
use crate::tui::content::calls::counted;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::layout::Pane;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Last lines of a live program's output that are shown; `v` shows all.
const OUTPUT: usize = 6;

/// Widths of what stands in columns, by the width of the pane.
struct Columns {
    command: usize,
    calls: bool,
    when: bool,
    subject: usize,
    time: bool,
    left: bool,
    rate: bool,
}

fn columns(state: &AppState) -> Columns {
    let width = state.columns(Pane::Runs);
    let fitted = |others: usize, most: usize| width.saturating_sub(others).clamp(8, most);
    match width {
        96.. => Columns {
            command: fitted(58, 44),
            calls: true,
            when: true,
            subject: fitted(54, 44),
            time: true,
            left: true,
            rate: true,
        },
        69.. => Columns {
            command: fitted(44, 44),
            calls: true,
            when: false,
            subject: fitted(54, 44),
            time: true,
            left: true,
            rate: true,
        },
        50.. => Columns {
            command: fitted(44, 26),
            calls: true,
            when: false,
            subject: fitted(44, 30),
            time: false,
            left: true,
            rate: true,
        },
        _ => Columns {
            command: fitted(28, 26),
            calls: false,
            when: false,
            subject: fitted(24, 30),
            time: false,
            left: false,
            rate: false,
        },
    }
}

/// Makes line 2: what runs, and when that will be done.
#[must_use]
pub fn line(state: &AppState) -> (String, Vec<String>) {
    let snapshot = &state.snapshot;
    let live = snapshot.recordings.iter().filter(|row| row.end == ProgramEnd::Running).count();
    let number = |wanted| snapshot.jobs.iter().filter(|job| job.state == wanted && job.kind != JobKind::Record).count();
    let (running, waiting) = (number(JobState::Running), number(JobState::Waiting));
    let mut parts = Vec::new();
    if live > 0 {
        parts.push(format!("{} live", count(live, "recording")));
    }
    if running > 0 {
        parts.push(format!("{} {}", count(running, "job"), if running == 1 { "runs" } else { "run" }));
    }
    if waiting > 0 {
        parts.push(format!("{waiting} {}", if waiting == 1 { "waits" } else { "wait" }));
    }
    let said = if parts.is_empty() { "nothing runs".to_owned() } else { parts.join(", ") };
    let open = snapshot.jobs.iter().filter(|job| job.state == JobState::Running);
    let left = open.filter_map(|job| seconds_left(job, state.now)).max().map(rounded);
    let rate =
        snapshot.jobs.iter().filter(|job| job.state == JobState::Running && job.kind == JobKind::Model).find_map(|job| job.rate);
    let rate = rate.map(|rate| format!("{rate:.0} tok/s"));
    let left = left.map(|left| format!("about {left} left"));
    let all = [rate, left.clone()].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    (format!(" runs  {said}"), vec![all, left.unwrap_or_default()])
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
    let columns = columns(state);
    let head = format!("   {}{}", fit("Jobs", columns.subject + 9), figures(&columns, "done", "time", "left", "rate"));
    out.push(DocRow::of(Row::new().add(Role::Dim, head)));
    // What runs comes first, then what waits, then what ended last.
    let rank = |row: &JobRow| match row.state {
        JobState::Running => 0,
        JobState::Waiting => 1,
        _ => 2,
    };
    let mut jobs: Vec<(usize, &JobRow)> = snapshot.jobs.iter().enumerate().collect();
    jobs.sort_by_key(|(index, row)| (rank(row), if rank(row) == 2 { snapshot.jobs.len() - index } else { *index }));
    for (index, row) in jobs {
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

fn figures(columns: &Columns, done: &str, time: &str, left: &str, rate: &str) -> String {
    let mut out = format!("{done:>11}");
    if columns.time {
        out.push_str(&format!("{time:>9}"));
    }
    if columns.left {
        out.push_str(&format!("{left:>8}"));
    }
    if columns.rate {
        out.push_str(&format!("{rate:>12}"));
    }
    out
}

fn recording(state: &AppState, index: usize, row: &RecordingRow, out: &mut Vec<DocRow>) {
    let n = |number: u64| thousands(usize::try_from(number).unwrap_or(usize::MAX));
    let about = About::Recording(index);
    let columns = columns(state);
    let (sign, role, end) = match &row.end {
        ProgramEnd::Running => ("»", Role::Running, String::new()),
        ProgramEnd::Exited(0) => ("✓", Role::Tested, "exit 0".to_owned()),
        ProgramEnd::Exited(code) => ("✗", Role::Failing, format!("exit {code}")),
        ProgramEnd::Killed(killer) => ("✗", Role::Failing, killer.to_string()),
        ProgramEnd::NotStarted(why) => ("!", Role::Failing, format!("not started: {why}")),
    };
    let mut line = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Text, format!(" recording {:<3} ", row.id.0))
        .add(Role::Text, fit(&crate::base::text::display_line(&command_line(&row.command)), columns.command));
    if row.end == ProgramEnd::Running {
        line = line.add(Role::Running, format!("  {}", elapsed(row.started, state.now)));
        out.push(DocRow { row: line, about: about.clone(), stop: true, changed: false });
        let rate = per_second(row).map(|rate| format!(" ({}/s)", n(rate))).unwrap_or_default();
        let calls = format!("     calls {}{}{rate}   kept {}", n(row.seen), if row.at_least { "+" } else { "" }, n(row.kept));
        let functions = format!("functions {} of {}", n(row.functions), thousands(words::own_functions(&state.snapshot)));
        let others = format!("threads {}   raised {}", n(row.threads), n(row.raised));
        let together = format!("{calls}   {functions}   {others}");
        let mut more = if width(&together) <= state.columns(Pane::Runs) {
            vec![together]
        } else {
            vec![format!("{calls}   {functions}"), format!("     {others}")]
        };
        if more.iter().any(|line| width(line) > state.columns(Pane::Runs)) {
            more = vec![calls, format!("     {functions}   {others}")];
        }
        if !row.newest.is_empty() {
            more.push(format!("     newest  {}", row.newest.join("  ")));
        }
        // The output follows live.
        let output: Vec<&String> = row.output.iter().filter(|line| !line.trim().is_empty()).collect();
        for (at, line) in output.iter().skip(output.len().saturating_sub(OUTPUT)).enumerate() {
            more.push(format!("     {}  {line}", if at == 0 { "output" } else { "      " }));
        }
        out.extend(more.into_iter().map(|text| DocRow {
            row: Row::new().add(Role::Dim, text),
            about: about.clone(),
            ..DocRow::default()
        }));
    } else {
        let calls = counted(row.seen, row.at_least);
        let when = state.zone.day(row.started, state.now);
        line = line.add(role, format!("  {end:<7}"));
        if columns.calls {
            line = line.add(Role::Text, format!(" {calls:>12}"));
        }
        if columns.when {
            line = line.add(Role::Dim, format!("  {when}"));
        }
        out.push(DocRow { row: line, about: about.clone(), stop: true, changed: false });
        for (gap, number) in &row.gaps {
            let text = format!("   ~ left out {}: {gap}", n(*number));
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
    let done = match (row.kind, row.total) {
        _ if cancelling => "cancelling".to_owned(),
        (JobKind::Model, _) => format!("{} tok", thousands(usize::try_from(row.done).unwrap_or(usize::MAX))),
        (JobKind::Record, _) => format!("{} kept", thousands(usize::try_from(row.done).unwrap_or(usize::MAX))),
        (_, 0) => String::new(),
        (JobKind::Download, total) => format!("{} %", row.done.saturating_mul(100) / total),
        (_, total) => format!("{}/{total}", row.done),
    };
    let left = if row.state == JobState::Running { time_left(row, state.now).unwrap_or_default() } else { String::new() };
    let time = match (row.state, row.ended) {
        (JobState::Waiting, _) => String::new(),
        (_, Some(ended)) => clock::short(std::time::Duration::from_millis(u64::try_from(ended.0 - row.started.0).unwrap_or(0))),
        (_, None) => elapsed(row.started, state.now),
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a rate for people
    let rate = row.rate.filter(|_| row.state == JobState::Running || row.kind == JobKind::Model).map(|rate| match row.kind {
        JobKind::Download => format!("{}/s", bytes(rate as u64)),
        _ => format!("{rate:.0} tok/s"),
    });
    let rate = rate.unwrap_or_default();
    let columns = columns(state);
    let subject = fit(&crate::base::text::display_line(&row.subject.short()), columns.subject);
    let line = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Text, format!(" {:<8} {subject}", row.kind.word()))
        .add(Role::Text, figures(&columns, &done, &time, &left, &rate));
    DocRow { row: line, about: About::Job(index), stop: true, changed: false }
}

/// Estimates what is left, rounded: of a download by its rate, of other work after two seconds and five percent.
#[must_use]
pub fn time_left(job: &JobRow, now: Moment) -> Option<String> {
    seconds_left(job, now).map(rounded)
}

fn seconds_left(job: &JobRow, now: Moment) -> Option<u64> {
    let spent = now.0 - job.started.0;
    if job.total == 0 || job.done == 0 || job.done >= job.total {
        return None;
    }
    let rest = job.total - job.done;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a time for people
    match job.rate.filter(|rate| job.kind == JobKind::Download && *rate >= 1.0) {
        // What was here before was not got at this rate.
        Some(rate) => Some(rest / rate as u64),
        None if job.kind == JobKind::Download || spent < 2_000 || job.done * 20 < job.total => None,
        None => Some(u64::try_from(spent).ok()? * rest / job.done / 1_000),
    }
}

fn rounded(seconds: u64) -> String {
    match seconds {
        0..10 => format!("{} s", seconds.max(1)),
        10..90 => format!("{} s", seconds.div_ceil(10) * 10),
        90..7_200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds / 3_600),
    }
}

/// Calls a live program makes in a second so far, once that says something.
fn per_second(row: &RecordingRow) -> Option<u64> {
    let ms = u64::try_from(row.duration_ms).ok().filter(|ms| *ms >= 1_000)?;
    Some(row.seen * 1_000 / ms)
}

/// Writes the time since a moment: `0:41`.
#[must_use]
pub fn elapsed(since: Moment, now: Moment) -> String {
    let seconds = (now.0 - since.0).max(0) / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
