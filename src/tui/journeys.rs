//! A test's intent and journey as lines to read: clauses with what came of each, the call tree with the evidence marked.
//! Made of what was stored when a test was judged; keys are `update/journeys.rs`.

use crate::base::clock::Moment;
use crate::base::text::{self, count};
use crate::domain::evaluator::Evaluator;
use crate::domain::journey::LineKind;
use crate::domain::snapshot::VerdictRow;
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling, Since, Verdict};
use crate::tui::app::AppState;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::journey_lines::ending;
use crate::tui::local_time::Zone;
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::unjudged;
use crate::tui::wrap::pieces;

/// Evidence lines named beside a clause.
const NAMED: usize = 6;

/// Gives the sign, role and word of what came of a test.
#[must_use]
pub fn of_ruling(ruling: Ruling, overridden: bool) -> (&'static str, Role, &'static str) {
    match ruling {
        Ruling::Fail if overridden => ("⊘", Role::Dim, "overridden (was FAIL)"),
        _ if overridden => ("⊘", Role::Dim, "overridden"),
        Ruling::Pass => ("✓", Role::Tested, "PASS"),
        Ruling::Fail => ("✗", Role::Failing, "FAIL"),
        Ruling::Unclear => ("?", Role::Unclear, "UNCLEAR"),
        Ruling::Error => ("!", Role::Failing, "ERROR"),
    }
}

/// Gives the sign, role and word of what came of a clause.
#[must_use]
pub fn of_clause(outcome: ClauseOutcome) -> (&'static str, Role, &'static str) {
    match outcome {
        ClauseOutcome::Holds => ("✓", Role::Tested, "HOLDS"),
        ClauseOutcome::Violated => ("✗", Role::Failing, "VIOLATED"),
        ClauseOutcome::Vacuous => ("◦", Role::Warning, "NEVER APPLIED"),
        ClauseOutcome::Unknown => ("?", Role::Unclear, "UNKNOWN"),
        ClauseOutcome::Unclear => ("?", Role::Unclear, "UNCLEAR"),
    }
}

/// What stands in the pane of intent and clauses.
pub struct Intent<'a> {
    /// The test, by its node id.
    pub test: &'a str,
    /// What it is for.
    pub intent: &'a str,
    /// What came of it.
    pub verdict: &'a Verdict,
    /// Since when, where that is known.
    pub since: Option<Since>,
    /// What it ran through changed since.
    pub stale: bool,
    /// Accepting what it does now would decide it.
    pub takes_journey: bool,
    /// Clauses that a person chooses would decide it.
    pub takes_clauses: bool,
    /// Clauses that a person chose for it, to be accepted.
    pub chosen: Option<&'a str>,
}

/// Makes the lines of intent and clauses for so many columns.
#[must_use]
pub fn intent_rows(shown: &Intent<'_>, zone: Zone, now: Moment, width: usize) -> Vec<DocRow> {
    let room = width.saturating_sub(2).max(12);
    let wrapped = |text: &str, indent: usize| text::wrap(&text::display_line(text), room.saturating_sub(indent).max(10));
    let mut out = Vec::new();
    let say = |role: Role, text: &str, indent: usize| {
        let lines = wrapped(text, indent).into_iter();
        lines.map(|line| DocRow::of(Row::new().add(role, format!(" {}{line}", " ".repeat(indent))))).collect::<Vec<_>>()
    };
    out.extend(say(Role::Accent, shown.test, 0));
    // A test that raised never came to its intent: that is the first thing to know.
    let raised = matches!(shown.verdict.evaluator, Evaluator::Test);
    if raised {
        let (sign, role, word) = of_ruling(shown.verdict.verdict, shown.verdict.overridden);
        out.extend(say(role, &format!("{sign} {word}: {}", shown.verdict.reason.for_people()), 0));
    }
    out.push(DocRow::default());
    out.extend(shown.intent.lines().flat_map(|line| say(Role::Text, line.trim(), 0)));
    out.push(DocRow::default());
    let verdict = shown.verdict;
    for (at, clause) in verdict.clauses.iter().enumerate() {
        clause_rows(at, clause, room, &mut out);
    }
    if verdict.clauses.is_empty() && !raised {
        let (sign, role, word) = of_ruling(verdict.verdict, verdict.overridden);
        out.push(DocRow::of(Row::new().add(role, format!(" {sign} {word}"))));
        out.extend(say(Role::Text, verdict.reason.for_people(), 2));
    }
    out.push(DocRow::default());
    out.extend(say(Role::Dim, &decided_by(&verdict.evaluator), 0));
    if let Some(since) = shown.since {
        let (_, _, word) = of_ruling(verdict.verdict, verdict.overridden);
        let mut line = format!("{word} since {}", zone.day(since.begun, now));
        if let (Some(passed), true) = (since.passed, verdict.verdict != Ruling::Pass) {
            line.push_str(&format!(", last PASS {}", zone.day(passed, now)));
        }
        out.extend(say(Role::Dim, &line, 0));
    }
    if shown.stale {
        out.extend(say(Role::Stale, "~ What it ran through changed since. t judges it again.", 0));
    }
    if let Some(chosen) = shown.chosen.filter(|_| shown.takes_clauses) {
        out.push(DocRow::default());
        out.extend(say(Role::Text, "a accepts these clauses, which decide it from then on:", 0));
        out.extend(chosen.lines().flat_map(|line| say(Role::Accent, line, 2)));
    } else if shown.takes_journey {
        out.extend(say(
            Role::Text,
            "a accepts this journey as correct. Later changes are reported. e chooses clauses instead, g asks a model for some.",
            0,
        ));
    } else if shown.takes_clauses {
        out.extend(say(Role::Text, "A model decided this. g asks it for clauses that say the intent, e chooses from them.", 0));
    }
    out
}

fn clause_rows(at: usize, clause: &Decided, room: usize, out: &mut Vec<DocRow>) {
    let (sign, role, word) = of_clause(clause.outcome);
    let label = format!("c{}", at + 1);
    let indent = label.len() + 3;
    let lines = text::wrap(&text::display_line(&clause.text), room.saturating_sub(indent).max(10));
    let evidence: Vec<&str> = clause.evidence.iter().take(NAMED).map(String::as_str).collect();
    let more = if clause.evidence.len() > NAMED { " …" } else { "" };
    let right = format!("{word}  {}{more}", evidence.join(" ")).trim_end().to_owned();
    let fits = lines.last().is_some_and(|last| text::width(last) + indent + text::width(&right) + 3 <= room);
    let last = lines.len().saturating_sub(1);
    let about = About::Clause(at);
    for (number, line) in lines.iter().enumerate() {
        let mut row = Row::new();
        row = if number == 0 {
            row.add(role, format!(" {sign} ")).add(Role::Accent, label.clone()).add(Role::Text, format!(" {line}"))
        } else {
            row.add(Role::Text, format!(" {}{line}", " ".repeat(indent)))
        };
        if fits && number == last {
            row = row.end(role, right.clone());
        }
        out.push(DocRow { row, about: about.clone(), stop: number == 0, changed: false });
    }
    if !fits {
        out.push(DocRow { row: Row::new().end(role, right), about: about.clone(), ..DocRow::default() });
    }
    if clause.outcome == ClauseOutcome::Holds {
        return;
    }
    // The evidence itself stands in the journey; what could have been meant stands here.
    let is_line = |line: &&String| line.strip_prefix('L').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let others = clause.shown.iter().filter(|line| !is_line(line));
    for said in std::iter::once(clause.why.for_people()).chain(others.map(String::as_str)) {
        for line in text::wrap(&text::display_line(said), room.saturating_sub(indent).max(10)) {
            let row = Row::new().add(Role::Dim, format!(" {}{line}", " ".repeat(indent)));
            out.push(DocRow { row, about: about.clone(), ..DocRow::default() });
        }
    }
}

fn decided_by(evaluator: &Evaluator) -> String {
    match evaluator {
        Evaluator::Rules => "decided by rules, no model asked".into(),
        Evaluator::Test => "the test itself failed, its intent was not judged".into(),
        Evaluator::Approved => "decided by the journey that was accepted".into(),
        Evaluator::Model(model) => format!("decided by a model: {model}"),
        Evaluator::Agent(_) | Evaluator::Other(_) => format!("decided by {evaluator}"),
    }
}

/// Says how many clauses hold.
#[must_use]
pub fn holding(verdict: &Verdict) -> String {
    if verdict.clauses.is_empty() {
        return String::new();
    }
    let hold = verdict.clauses.iter().filter(|clause| clause.outcome == ClauseOutcome::Holds).count();
    format!("{hold} of {} hold", verdict.clauses.len())
}

/// Makes one shown line of the journey.
#[must_use]
pub fn row(state: &AppState, at: usize) -> Option<Row> {
    let lines = &state.journeys.lines;
    let position = *lines.get(at)?;
    let piece = lines[..at].iter().rev().take_while(|before| **before == position).count();
    let whole = whole_row(state, position)?;
    if state.journeys.width == 0 {
        return Some(whole);
    }
    pieces(&whole, state.journeys.width).into_iter().nth(piece)
}

/// Makes a line of the journey, by its position, however long it is.
#[must_use]
pub fn whole_row(state: &AppState, at: usize) -> Option<Row> {
    let journey = state.journeys.journey()?;
    let line = journey.line(at)?;
    let folded = state.journeys.folded.contains(&at);
    let fold = match (journey.folds(at), folded) {
        (true, true) => "▸ ",
        (true, false) => "▾ ",
        (false, _) => "  ",
    };
    let marks = &state.journeys.marks;
    let found = marks.get(&at);
    let (sign, role) = found.map_or((" ", Role::Text), |(outcome, _)| {
        let (sign, role, _) = of_clause(*outcome);
        (sign, role)
    });
    let id = line.line.map(|id| id.to_string()).unwrap_or_default();
    let mut row = Row::new().add(Role::Text, " ").add(role, sign).add(Role::Accent, format!("{id:<5}")).fix();
    let indent = "  ".repeat(usize::try_from(line.depth).unwrap_or(0));
    row = match line.kind {
        LineKind::Heading => {
            let lines = count(journey.end(at).saturating_sub(at + 1), "line");
            let row = row.add(Role::Dim, format!("{fold}{}", line.name));
            if folded { row.add(Role::Dim, format!(" {lines}")) } else { row }
        }
        LineKind::Called(_) => row.add(Role::Text, format!("{indent}{fold}{}{}", line.name, line.detail)),
        LineKind::Raised => row.add(Role::Text, format!("{indent}  ")).add(Role::Failing, ending(line)),
        _ => row.add(Role::Text, format!("{indent}  ")).add(Role::Text, ending(line)),
    };
    if folded {
        if let Some(outcome) = journey.outcome(at) {
            row = row.add(Role::Dim, format!(" {outcome}"));
        }
        let inside = marks.range(at + 1..journey.end(at)).count();
        if inside > 0 {
            row = row.end(Role::Accent, format!("{inside} inside"));
        }
    }
    if let Some((_, clauses)) = found {
        row = row.end(role, clauses.clone());
        row.ground = Some(Role::Evidence);
    }
    Some(row)
}

/// Writes what stands at the right of the journey's title.
#[must_use]
pub fn journey_right(state: &AppState) -> String {
    let Some(journey) = state.journeys.journey() else { return String::new() };
    let marked = &state.journeys.marks;
    let at = state.journeys.here().and_then(|here| marked.keys().position(|line| *line == here));
    match (at, marked.len()) {
        (Some(at), all) => format!("evidence {} of {all}", at + 1),
        (None, 0) => count(journey.view.judged.journey.len(), "line"),
        (None, all) => format!("evidence {all}"),
    }
}

/// Gives the row of the test that is shown.
#[must_use]
pub fn row_of(state: &AppState) -> Option<(usize, &VerdictRow)> {
    let test = state.journeys.test.as_ref()?;
    state.snapshot.verdicts.iter().enumerate().find(|(_, row)| row.test == *test)
}

/// Writes line 2: which test, what came of it and why; who decided.
#[must_use]
pub fn line(state: &AppState) -> (String, Vec<String>) {
    let all = unjudged::all(state);
    if let Some((at, row)) = unjudged::shown(state) {
        let left = format!(" {}/{all}  ◦ NEVER JUDGED  {}", at + 1, unjudged::name(&row.test));
        return (left, vec!["t judges it, T all".into(), "t judges".into(), String::new()]);
    }
    let Some((at, row)) = row_of(state) else { return (" journeys".into(), vec!["nothing judged yet".into()]) };
    let (sign, _, word) = of_ruling(row.ruling, row.overridden);
    let name = row.test.split_once("::").map_or(row.test.as_str(), |(_, name)| name);
    let left = if state.size.0 < 90 {
        format!(" {}/{all}  {sign} {word}  {name}", at + 1)
    } else {
        format!(" {}/{all}  verdict  {sign} {word}  {}", at + 1, row.reason)
    };
    if row.stale {
        return (left, vec!["~ Stale: the code changed, t judges again".into(), "~ Stale".into()]);
    }
    let evidence: Vec<String> = state.journeys.journey().map_or_else(Vec::new, |journey| {
        let clauses = journey.view.judged.verdict.clauses.iter();
        let chosen = clauses.enumerate().find(|(at, one)| match state.journeys.clause {
            Some(clause) => clause == *at,
            None => one.outcome == ClauseOutcome::Violated,
        });
        chosen.map(|(_, one)| one.evidence.iter().take(NAMED).cloned().collect()).unwrap_or_default()
    });
    let short = row.evaluator.to_string();
    let long = if evidence.is_empty() { short.clone() } else { format!("{short} · evidence {}", evidence.join(" ")) };
    (left, vec![long, short, String::new()])
}

/// Counts failing, broken, unclear and never judged tests for line 1.
#[must_use]
pub fn counts(rows: &[VerdictRow], unjudged: usize) -> String {
    let number = |ruling: Ruling| rows.iter().filter(|row| row.ruling == ruling && !row.overridden).count();
    [(number(Ruling::Fail), "✗"), (number(Ruling::Error), "!"), (number(Ruling::Unclear), "?"), (unjudged, "◦")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, sign)| format!("{number}{sign}"))
        .collect::<Vec<_>>()
        .join(" ")
}
