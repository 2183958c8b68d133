//! YAML tests as lines to read: the list of them, and one with its steps, what each did, and what was expected of it.
//! Keys are `update/specs.rs`.

use serde_json::Value;

use crate::base::text::{self, count};
use crate::domain::snapshot::Mark;
use crate::domain::spec::{End, Phase, Status, StepReport};
use crate::domain::spec_board::{SpecRow, SpecView};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::tui::app::AppState;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::journeys::{of_clause, of_ruling};
use crate::tui::local_time::Zone;
use crate::tui::row::Row;
use crate::tui::spec_steps::{Shown, shown};
use crate::tui::theme::Role;
use crate::tui::words;

/// Characters of a value that are shown in a line.
const VALUE: usize = 400;
/// Lines of what a tool printed that are shown.
const PRINTED: usize = 12;
/// Columns of the part of a test, or of a step's number.
const PART: usize = 9;

/// Finds the position of a step among those that are shown.
#[must_use]
pub fn shown_at(state: &AppState, step: &Shown) -> Option<usize> {
    shown(state.specs.view()?).iter().position(|other| other.key() == step.key())
}

/// Makes the lines of the list of tests.
#[must_use]
pub fn list_rows(state: &AppState) -> Vec<DocRow> {
    let rows = state.snapshot.specs.iter().enumerate().filter(|(_, row)| state.filter.takes_spec(row));
    rows.map(|(at, row)| {
        let (sign, role) = sign(row);
        let line = Row::new().add(Role::Text, " ").add(role, sign).add(Role::Text, format!(" {}", row.name));
        let line = line.end(if row.mistakes > 0 { Role::Failing } else { Role::Dim }, right(state, row));
        DocRow { row: line, about: About::Spec(at), stop: true, changed: false }
    })
    .collect()
}

fn right(state: &AppState, row: &SpecRow) -> String {
    #[allow(clippy::cast_precision_loss)] // for people
    let seconds = row.ms as f64 / 1000.0;
    match &row.running {
        Some(running) if running.waits => "⋯ waits".into(),
        Some(running) => format!("{} s", (state.now.0 - running.since.0).max(0) / 1_000),
        None if row.mistakes > 0 => count(row.mistakes, "mistake"),
        None if row.stale.is_some() => format!("{} ~ stale", row.ruling.map_or("", Ruling::word)).trim().to_owned(),
        None => row.ruling.map_or_else(|| "not run yet".into(), |ruling| format!("{}  {seconds:.1} s", ruling.word())),
    }
}

/// Gives the sign of a test.
#[must_use]
pub fn sign(row: &SpecRow) -> (&'static str, Role) {
    match (&row.running, row.ruling) {
        (Some(running), _) if running.waits => ("⋯", Role::Waiting),
        (Some(_), _) => ("»", Role::Running),
        _ if row.mistakes > 0 => ("!", Role::Failing),
        (None, Some(_)) if row.stale.is_some() => ("~", Role::Stale),
        (None, Some(ruling)) => {
            let (sign, role, _) = of_ruling(ruling, false);
            (sign, role)
        }
        (None, None) => ("◦", Role::Accent),
    }
}

/// Makes the lines of a test with its steps.
#[must_use]
pub fn step_rows(state: &AppState, view: &SpecView, width: usize) -> Vec<DocRow> {
    let room = width.saturating_sub(2).max(12);
    let say = |role: Role, sign: &str, said: &str| -> Vec<DocRow> {
        let indent = if sign.is_empty() { 1 } else { 3 };
        let lines = text::wrap(&text::display_line(said), room.saturating_sub(indent).max(10));
        let line = |(at, line): (usize, String)| {
            let lead = if at == 0 && !sign.is_empty() { format!(" {sign} ") } else { " ".repeat(indent) };
            DocRow::of(Row::new().add(role, format!("{lead}{line}")))
        };
        lines.into_iter().enumerate().map(line).collect()
    };
    let mut out = say(Role::Accent, "", view.row.file.as_str());
    out.extend(view.description.lines().flat_map(|line| say(Role::Dim, "", line.trim())));
    out.extend(verdict_rows(view, state.zone, state.now, &say));
    for mistake in &view.mistakes {
        out.push(DocRow::default());
        for (at, said) in mistake.said.iter().enumerate() {
            let rows = if at == 0 {
                say(Role::Failing, "!", said.strip_prefix(&format!("{}:", view.row.file)).unwrap_or(said))
            } else {
                vec![DocRow::of(Row::plain(format!(" {said}")))]
            };
            let about = About::Source(view.row.file.clone(), mistake.line);
            out.extend(rows.into_iter().enumerate().map(|(line, row)| DocRow {
                about: about.clone(),
                stop: at + line == 0,
                ..row
            }));
        }
    }
    out.push(DocRow::default());
    for (at, step) in shown(view).iter().enumerate() {
        one_step(state, view, at, step, room, &mut out);
    }
    let Some(last) = view.last.as_ref().filter(|_| view.row.running.is_none()) else { return out };
    if !last.clauses.is_empty() {
        out.push(DocRow::default());
    }
    last.clauses.iter().for_each(|clause| clause_rows(clause, 1, room, &About::Nothing, &mut out));
    out.extend(last.issues.iter().flat_map(|issue| say(Role::Dim, "◦", &format!("seen: {issue}"))));
    out.extend(last.notes.iter().flat_map(|note| say(Role::Warning, "~", note.for_people())));
    out
}

fn verdict_rows(
    view: &SpecView,
    zone: Zone,
    now: crate::base::clock::Moment,
    say: &dyn Fn(Role, &str, &str) -> Vec<DocRow>,
) -> Vec<DocRow> {
    let row = &view.row;
    if let Some(running) = &row.running {
        let seconds = (now.0 - running.since.0).max(0) / 1_000;
        let said = if running.waits { "It waits for its turn.".to_owned() } else { format!("It runs, {seconds} s. x stops it.") };
        let mut out = say(Role::Running, "»", &said);
        out.extend(running.because.iter().flat_map(|why| say(Role::Dim, " ", &format!("because {why}"))));
        return out;
    }
    let (Some(ruling), Some(last), Some(at)) = (row.ruling, &view.last, row.at) else {
        return if view.mistakes.is_empty() { say(Role::Text, "◦", words::SPEC_NOT_RUN) } else { Vec::new() };
    };
    let (sign, role, word) = of_ruling(ruling, false);
    let mut out = say(role, sign, &format!("{word}: {}", last.reason));
    out.extend(say(Role::Dim, " ", &format!("decided by {}, {}", last.evaluator, zone.day(at, now))));
    out.extend(view.because.iter().flat_map(|why| say(Role::Dim, " ", &format!("run again because {why}"))));
    out.extend(row.stale.iter().flat_map(|why| say(Role::Stale, "~", &format!("Not of today: {why}. t runs it again."))));
    out
}

fn one_step(state: &AppState, view: &SpecView, at: usize, step: &Shown, room: usize, out: &mut Vec<DocRow>) {
    let about = About::Step(at);
    let open = state.specs.is_open(step);
    let (sign, role) = match (&step.did, step.runs) {
        (_, Some(_)) => ("»", Role::Running),
        (Some(did), None) => of_status(did.status),
        (None, None) if view.row.running.is_some() => ("⋯", Role::Waiting),
        (None, None) => ("◦", Role::Accent),
    };
    let fold = match (step.folds(), open) {
        (false, _) => "  ",
        (true, true) => "▾ ",
        (true, false) => "▸ ",
    };
    let part = match (step.phase, step.number) {
        (Phase::Setup, _) => "setup".to_owned(),
        (Phase::Teardown, _) => "teardown".to_owned(),
        (Phase::Steps, number) => number.map(|number| number.to_string()).unwrap_or_default(),
    };
    let indent = "  ".repeat(step.depth as usize);
    let mut row = Row::new()
        .add(Role::Text, " ")
        .add(role, sign)
        .add(Role::Dim, format!(" {fold}"))
        .add(Role::Dim, text::fit(&part, PART))
        .add(Role::Text, format!("{indent}{}", step.name));
    if let Some(name) = &step.save_as {
        row = row.add(Role::Dim, format!("  save_as {name}"));
    }
    row = row.end(Role::Dim, figures(view, step));
    out.push(DocRow { row, about: about.clone(), stop: true, changed: false });
    let Some(did) = step.did.as_ref().filter(|_| open && step.folds()) else { return };
    details(did, room, &about, out);
}

fn figures(view: &SpecView, step: &Shown) -> String {
    if let Some((tries, of)) = step.runs {
        return if of > 1 { format!("try {tries} of {of}") } else { "runs".into() };
    }
    match &step.did {
        Some(StepReport { end: End::NotRun { why }, .. }) => format!("not run: {why}"),
        Some(did) if did.tool.is_none() => String::new(),
        Some(did) => {
            #[allow(clippy::cast_precision_loss)] // for people
            let seconds = did.ms as f64 / 1000.0;
            let tries = if did.tries > 1 { format!("{} tries  ", did.tries) } else { String::new() };
            format!("{tries}{seconds:.1} s")
        }
        None if view.row.running.is_some() && step.phase == Phase::Teardown => "always runs".into(),
        None => String::new(),
    }
}

/// Makes the lines of what a step did.
fn details(did: &StepReport, room: usize, about: &About, out: &mut Vec<DocRow>) {
    const INDENT: usize = 5;
    let mut say = |label: &str, role: Role, said: String| {
        let row = Row::new().add(Role::Dim, format!("{}{label:<9}", " ".repeat(INDENT))).add(role, said);
        out.push(DocRow { row, about: about.clone(), ..DocRow::default() });
    };
    if let Some(tool) = &did.tool {
        say("call", Role::Text, format!("{tool}({})", arguments(&did.args)));
    }
    for (from, to) in &did.filled {
        say("", Role::Dim, format!("{from} is {to}"));
    }
    match &did.end {
        End::Returned { result } if did.tool.is_some() => say("result", Role::Text, value(result)),
        End::Returned { .. } => {}
        other => {
            for (at, line) in other.error().unwrap_or_default().lines().enumerate() {
                say(if at == 0 { "error" } else { "" }, if at == 0 { Role::Failing } else { Role::Dim }, line.to_owned());
            }
        }
    }
    let printed: Vec<&str> = did.printed.lines().collect();
    for (at, line) in printed.iter().skip(printed.len().saturating_sub(PRINTED)).enumerate() {
        say(if at == 0 { "printed" } else { "" }, Role::Dim, format!("| {line}"));
    }
    did.clauses.iter().for_each(|clause| clause_rows(clause, INDENT, room, about, out));
}

/// Writes the arguments of a call as Python does.
fn arguments(args: &Value) -> String {
    let Value::Object(fields) = args else { return String::new() };
    let given: Vec<String> = fields.iter().map(|(name, given)| format!("{name}={}", value(given))).collect();
    given.join(", ")
}

fn value(value: &Value) -> String {
    text::cut(&text::display_line(&value.to_string()), VALUE).into_owned()
}

fn clause_rows(clause: &Decided, indent: usize, room: usize, about: &About, out: &mut Vec<DocRow>) {
    let (sign, role, _) = of_clause(clause.outcome);
    let said = match clause.outcome {
        ClauseOutcome::Holds => clause.text.clone(),
        _ if clause.why.is_empty() => clause.text.clone(),
        _ => format!("{}: {}", clause.text, clause.why),
    };
    let lines = text::wrap(&text::display_line(&said), room.saturating_sub(indent + 2).max(10));
    for (at, line) in lines.into_iter().enumerate() {
        let lead = if at == 0 { format!("{sign} ") } else { "  ".into() };
        let row = Row::new().add(role, format!("{}{lead}", " ".repeat(indent))).add(Role::Text, line);
        out.push(DocRow { row, about: about.clone(), ..DocRow::default() });
    }
}

fn of_status(status: Status) -> (&'static str, Role) {
    match status {
        Status::Passed => ("✓", Role::Tested),
        Status::Failed => ("✗", Role::Failing),
        Status::Unclear => ("?", Role::Unclear),
        Status::Skipped => ("-", Role::Dim),
    }
}

/// Gives the mark of a step in the gutter of its file.
#[must_use]
pub fn mark(step: &Shown) -> Option<Mark> {
    if step.runs.is_some() {
        return Some(Mark::Running);
    }
    Some(match step.did.as_ref()?.status {
        Status::Passed => Mark::Tested,
        Status::Failed => Mark::Failing,
        Status::Unclear => Mark::Unclear,
        Status::Skipped => return None,
    })
}

/// Gives the row of the test that is shown.
#[must_use]
pub fn row_of(state: &AppState) -> Option<&SpecRow> {
    let file = state.specs.file.as_ref()?;
    state.snapshot.specs.iter().find(|row| row.file == *file)
}

/// Counts what is not green for line 1.
#[must_use]
pub fn counts(rows: &[SpecRow]) -> String {
    let number = |ruling: Ruling| rows.iter().filter(|row| row.mistakes == 0 && row.ruling == Some(ruling)).count();
    let broken = number(Ruling::Error) + rows.iter().filter(|row| row.mistakes > 0).count();
    let runs = rows.iter().filter(|row| row.running.as_ref().is_some_and(|running| !running.waits)).count();
    let counted = [(number(Ruling::Fail), "✗"), (broken, "!"), (number(Ruling::Unclear), "?")];
    let mut out: Vec<String> =
        counted.into_iter().filter(|(number, _)| *number > 0).map(|(number, sign)| format!("{number}{sign}")).collect();
    if runs > 0 {
        out.push(format!("»{runs}"));
    }
    out.join(" ")
}

/// Writes line 2: which test and what came of it; at the right the counts of all.
#[must_use]
pub fn line(state: &AppState) -> (String, Vec<String>) {
    let rows = &state.snapshot.specs;
    let Some(row) = row_of(state) else { return (" specs".into(), vec!["no YAML test here".into()]) };
    let at = rows.iter().position(|one| one.file == row.file).map_or(0, |at| at + 1);
    let (sign, _) = sign(row);
    let word = match (&row.running, row.ruling) {
        (Some(running), _) if running.waits => "waits",
        (Some(_), _) => "runs",
        _ if row.mistakes > 0 => "wrong",
        (None, Some(ruling)) => ruling.word(),
        (None, None) => "not run yet",
    };
    let left = match (state.size.0, &row.running) {
        (0..90, _) => format!(" {at}/{}  {sign} {word}  {}", rows.len(), row.name),
        (_, Some(running)) => {
            let step = running.step.as_ref().map(|(name, ..)| format!(", {name}")).unwrap_or_default();
            format!(" {at}/{}  spec  {sign} {word}  {}{step}", rows.len(), row.name)
        }
        (_, None) if row.reason.is_empty() => format!(" {at}/{}  spec  {sign} {word}  {}", rows.len(), row.name),
        (_, None) => format!(" {at}/{}  spec  {sign} {word}  {}", rows.len(), row.reason),
    };
    let passed = rows.iter().filter(|row| row.mistakes == 0 && row.ruling == Some(Ruling::Pass)).count();
    let others = counts(rows);
    let all = format!("{passed}✓{}{others}", if others.is_empty() { "" } else { " " });
    let long = format!("{} · {all}", count(rows.len(), "test"));
    match &row.stale {
        Some(_) if row.running.is_none() => (left, vec!["~ not of today, t runs it".into(), "~ stale".into()]),
        _ => (left, vec![long, all, String::new()]),
    }
}

/// Writes what stands at the right of the steps' title: how many are over.
#[must_use]
pub fn steps_right(state: &AppState) -> String {
    let Some(view) = state.specs.view() else { return String::new() };
    if !view.mistakes.is_empty() {
        return count(view.mistakes.len(), "mistake");
    }
    let planned = view.plan.iter().filter(|step| step.tool.is_some()).count();
    match &view.row.running {
        Some(running) => format!("{} of {} over", running.done, count(planned, "step")),
        None => count(planned, "step"),
    }
}
