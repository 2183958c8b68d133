//! What a change of the code does, as lines to read: functions that behave differently, their calls old and new, and
//! the edits behind them. Made when a comparison arrives or a decision moves; keys are `update/behaviour.rs`.

use crate::base::text::{self, count};
use crate::domain::diff::{Diff, DiffedCall, FunctionDiff, Kind};
use crate::domain::event::{JobKind, JobState};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Edit, ProposalId};
use crate::domain::snapshot::JobRow;
use crate::domain::subject::Subject;
use crate::generate::near;
use crate::generate::replay::leaf;
use crate::tui::app::AppState;
use crate::tui::doc::{LEAF, effect_lines, effects_lines, hunk_rows};
use crate::tui::doc_row::{About, DocRow};
use crate::tui::panes::{Beside, Standing};
use crate::tui::row::Row;
use crate::tui::theme::Role;
use crate::tui::words;

/// Calls of a function that are written out; the rest is counted.
const CALLS_SHOWN: usize = 20;
/// Lines of an edit that are written out; the source pane has the rest.
const HUNK_SHOWN: usize = 12;

/// A line and how it looks.
type Said = (Role, String);

/// Finds the job that compares now.
#[must_use]
pub fn job(state: &AppState) -> Option<&JobRow> {
    state.snapshot.jobs.iter().rev().find(|job| job.kind == JobKind::Diff && job.state == JobState::Running)
}

/// Gives the commit that is being compared with.
#[must_use]
pub fn running(state: &AppState) -> Option<&str> {
    let named = job(state).and_then(|job| match &job.subject {
        JobSubject::Revision(reference) => Some(reference.as_str()),
        _ => None,
    });
    named.or(state.diff.asked.as_deref())
}

/// Tells whether the code is another one than was compared.
#[must_use]
pub fn is_stale(state: &AppState) -> bool {
    state.diff.shown.as_ref().is_some_and(|diff| diff.tree != state.snapshot.tree)
}

/// Tells where the change of each function stands.
#[must_use]
pub fn standings(state: &AppState, diff: &Diff) -> Vec<Standing> {
    diff.functions.iter().map(|one| standing(state, one.proposal)).collect()
}

fn standing(state: &AppState, proposal: Option<ProposalId>) -> Standing {
    let Some(id) = proposal else { return Standing::Recorded };
    match state.pass.verdict(id) {
        Some(verb) => Standing::Decided(verb),
        None if state.snapshot.queue.iter().any(|row| row.id == id) => Standing::Waits,
        None => Standing::Before,
    }
}

/// Gives what is known beside the recorded inputs of the functions that a comparison found edited.
#[must_use]
pub fn beside(state: &AppState, diff: &Diff) -> Beside {
    let edited = |id: &FunctionId| {
        diff.functions.iter().any(|one| one.edited && one.function == *id)
            || diff.edits.edited.iter().any(|one| one.subject.function() == Some(id))
    };
    let mut near = (*state.snapshot.near).clone();
    near.forget(|function| !edited(function));
    let standings = near.differences.iter().map(|one| standing(state, one.proposal)).collect();
    let searching = state.snapshot.jobs.iter().any(|job| job.kind == JobKind::Near && job.state == JobState::Running);
    Beside { near, standings, searching }
}

/// Gives the function under the cursor and the call, where it is on one.
#[must_use]
pub fn here(state: &AppState) -> Option<(usize, Option<usize>)> {
    let upto = state.diff.lines.rows.get(..=state.diff.list.cursor)?;
    upto.iter().rev().enumerate().find_map(|(above, row)| match row.about {
        About::Differs(function, call) => Some(Some((function, call.filter(|_| above == 0)))),
        About::Beside(_) => Some(None),
        _ => None,
    })?
}

/// Gives the near difference under the cursor.
#[must_use]
pub fn beside_here(state: &AppState) -> Option<usize> {
    let upto = state.diff.lines.rows.get(..=state.diff.list.cursor)?;
    upto.iter().rev().find_map(|row| match row.about {
        About::Beside(at) => Some(Some(at)),
        About::Differs(..) => Some(None),
        _ => None,
    })?
}

/// Makes the lines.
#[must_use]
pub fn rows(diff: &Diff, standings: &[Standing], beside: &Beside) -> Vec<DocRow> {
    let mut out = Vec::new();
    for (at, one) in diff.functions.iter().enumerate() {
        if at == 0 || diff.functions[at - 1].edited != one.edited {
            heading(&mut out, if one.edited { "Edited functions" } else { "Side effects elsewhere" });
        }
        function(&mut out, at, one, standings.get(at).copied().unwrap_or(Standing::Recorded));
    }
    let edits = &diff.edits;
    if !edits.import_failures.is_empty() {
        heading(&mut out, "Cannot be imported");
        for one in &edits.import_failures {
            let row = Row::new().add(Role::Failing, " ✗ ").add(Role::Text, one.exception_at());
            out.push(DocRow { row, stop: true, ..DocRow::default() });
            out.extend(one.lost().map(|lost| DocRow::of(Row::new().add(Role::Dim, format!("   {lost}")))));
        }
    }
    beside_rows(&mut out, beside);
    if !edits.gone.is_empty() {
        heading(&mut out, "Gone, with their recorded calls");
        for (id, calls) in &edits.gone {
            let calls = count(usize::try_from(*calls).unwrap_or(usize::MAX), "call");
            let row = Row::new().add(Role::Unclear, " ? ").add(Role::Text, id.to_string()).end(Role::Dim, calls);
            out.push(DocRow { row, stop: true, ..DocRow::default() });
        }
    }
    if edits.not_compared().next().is_some() {
        heading(&mut out, "Edited and not compared");
        for one in edits.not_compared() {
            let (name, place) = one.name_and_place();
            let row = Row::new().add(Role::Unclear, " ? ").add(Role::Text, name).end(Role::Dim, place);
            out.push(DocRow { row, stop: true, ..DocRow::default() });
            let said = [one.reasons(), one.fix()].into_iter().filter(|said| !said.is_empty());
            out.extend(said.map(|said| DocRow::of(Row::new().add(Role::Dim, format!("   {said}")))));
        }
    }
    if !diff.data_files.is_empty() {
        heading(&mut out, "Changed, and recorded calls rest on it");
        out.extend(diff.data_files.iter().map(|file| DocRow::of(Row::new().add(Role::Text, format!("   {}", file.line())))));
    }
    if !diff.other_files.is_empty() {
        heading(&mut out, "Changed, and not looked at");
        out.extend(diff.other_files.iter().map(|path| DocRow::of(Row::new().add(Role::Dim, format!("   {path}")))));
    }
    if !out.is_empty() {
        out.push(DocRow::default());
    }
    let (sign, role) = if diff.is_silent() { ("✓", Role::Tested) } else { ("◦", Role::Dim) };
    out.push(DocRow::of(Row::new().add(role, format!(" {sign} ")).add(Role::Text, diff.sum_of_calls())));
    out.extend(edits.sum().map(|sum| DocRow::of(Row::new().add(Role::Dim, format!("   {sum}")))));
    out
}

fn heading(out: &mut Vec<DocRow>, title: &str) {
    if !out.is_empty() {
        out.push(DocRow::default());
    }
    out.push(DocRow::of(Row::new().add(Role::Accent, format!(" {title}"))));
}

/// Writes what searches beside the recorded inputs came to; nothing where there was none.
fn beside_rows(out: &mut Vec<DocRow>, beside: &Beside) {
    let Beside { near, standings, searching } = beside;
    if near.is_empty() && !searching {
        return;
    }
    heading(out, "Beside the recorded inputs");
    for (at, (one, standing)) in near.differences.iter().zip(standings).enumerate() {
        let about = About::Beside(at);
        let (role, word) = standing.word();
        let row = Row::new().add(Role::Warning, " ≈ ").add(Role::Text, near::short(one));
        let row = if word.is_empty() { row } else { row.end(role, word) };
        out.push(DocRow { row, about: about.clone(), stop: true, changed: false });
        let said = format!("   nobody recorded this; {}", one.distance.phrase());
        out.push(DocRow { row: Row::new().add(Role::Dim, said), about, ..DocRow::default() });
    }
    if *searching {
        out.push(DocRow::of(Row::new().add(Role::Running, " » ").add(Role::Text, words::NEAR_RUNS)));
    } else if near.differences.is_empty() && !near.searched.is_empty() {
        out.push(DocRow::of(Row::new().add(Role::Tested, " ✓ ").add(Role::Text, near::nothing(near))));
    }
    for line in near.remarks() {
        out.push(DocRow::of(Row::new().add(Role::Dim, format!(" {line}"))));
    }
}

fn function(out: &mut Vec<DocRow>, at: usize, one: &FunctionDiff, standing: Standing) {
    let all = usize::try_from(one.calls.len() as u64 + one.same).unwrap_or(usize::MAX);
    let mut kinds: Vec<&str> = one.calls.iter().map(|call| call.kind.word()).collect();
    kinds.dedup();
    let (role, word) = standing.word();
    let head = Row::new().add(Role::Failing, " ✗ ").add(Role::Text, one.function.to_string());
    let row = if word.is_empty() { head } else { head.end(role, word) };
    out.push(DocRow { row, about: About::Differs(at, None), stop: true, changed: false });
    let about = About::Differs(at, None);
    let sum = format!("   {} of {} {}  {}:{}", one.calls.len(), count(all, "call"), kinds.join(", "), one.path, one.line);
    out.push(DocRow { row: Row::new().add(Role::Dim, sum), about: about.clone(), ..DocRow::default() });
    for path in &one.because.data {
        let said = Row::new().add(Role::Accent, "   because of ").add(Role::Text, format!("{path}, which may be read"));
        out.push(DocRow { row: said, about: about.clone(), ..DocRow::default() });
    }
    for (number, edit) in one.because.edits.iter().enumerate() {
        let lead = if number == 0 && one.because.data.is_empty() { one.because.how.phrase() } else { "and" };
        cause(out, lead, edit);
    }
    // Calls on different objects may read alike: they are one.
    let mut alike: Vec<(usize, u64, Vec<Said>)> = Vec::new();
    for (index, call) in one.calls.iter().enumerate() {
        let lines = call_lines(one, call);
        match alike.iter_mut().find(|(_, _, other)| *other == lines) {
            Some((_, times, _)) => *times += call.times,
            None => alike.push((index, call.times, lines)),
        }
    }
    for (index, times, lines) in alike.iter().take(CALLS_SHOWN) {
        for (line, (role, said)) in lines.iter().enumerate() {
            let mut row = Row::new();
            if let Some((label, rest)) = said.split_once('\t') {
                row = row.add(Role::Dim, format!("       {label}  ")).fix().add(*role, rest.to_owned());
            } else {
                row = row.add(*role, said.clone());
            }
            if line == 0 && *times > 1 {
                row = row.end(Role::Dim, format!("×{times}"));
            }
            out.push(DocRow { row, about: About::Differs(at, Some(*index)), stop: line == 0, changed: false });
        }
    }
    if let Some(more) = alike.len().checked_sub(CALLS_SHOWN + 1) {
        let row = Row::new().add(Role::Dim, format!("     and {} more", count(more + 1, "difference")));
        out.push(DocRow { row, about, ..DocRow::default() });
    }
}

fn cause(out: &mut Vec<DocRow>, lead: &str, edit: &Edit) {
    let name = match &edit.subject {
        Subject::Function(id) => format!("{}  ", id.qualname()),
        Subject::ImportCode(_) | Subject::File(_) => String::new(),
    };
    let row = Row::new().add(Role::Accent, format!("   {lead} ")).add(Role::Text, format!("{name}{}:{}", edit.path, edit.line));
    out.push(DocRow { row, about: About::Source(edit.path.clone(), edit.line), stop: true, changed: false });
    out.extend(hunk_rows(edit).into_iter().take(HUNK_SHOWN));
    if let Some(more) = edit.hunk.len().checked_sub(HUNK_SHOWN + 1) {
        out.push(DocRow::of(Row::new().add(Role::Dim, format!("       and {}", count(more + 1, "line")))));
    }
}

/// Writes a call: how it was made, then old and new; a tab parts a label from its value.
fn call_lines(one: &FunctionDiff, call: &DiffedCall) -> Vec<Said> {
    let from = call.caller.as_ref().map_or_else(String::new, |caller| format!("  from {caller}"));
    let mut out = vec![(Role::Text, format!("   ▾ {}{}{from}", one.function.qualname(), call.arguments).replace('\t', " "))];
    if call.kind == Kind::Slower {
        let (old, new) = call.durations;
        out.push((Role::Warning, format!("time\t{} → {}, the same result", duration(old), duration(new))));
        return out;
    }
    let (old, new) = effects_lines(&call.old, &call.new);
    out.extend(old.into_iter().map(|line| (Role::Removed, format!("old\t{line}"))));
    out.extend(new.into_iter().map(|line| (Role::Added, format!("new\t{line}"))));
    if let Some(found) = call.difference.as_ref().filter(|found| !found.path.is_empty()) {
        out.push((Role::Dim, format!("at\t{}: {}", found.path, leaf(found, LEAF))));
    }
    out
}

fn duration(ns: i64) -> String {
    crate::base::clock::short(std::time::Duration::from_nanos(u64::try_from(ns).unwrap_or(0)))
}

/// Writes a call whole, for `v`.
#[must_use]
pub fn whole(one: &FunctionDiff, call: &DiffedCall) -> Vec<String> {
    let mut out = vec![format!("{}{}", one.function.qualname(), call.arguments)];
    out.extend(call.caller.iter().map(|caller| format!("from {caller}")));
    out.extend(effect_lines(&call.old).into_iter().map(|line| format!("old  {line}")));
    out.extend(effect_lines(&call.new).into_iter().map(|line| format!("new  {line}")));
    let (old, new) = call.durations;
    out.push(format!("took {} → {}", duration(old), duration(new)));
    out
}

/// Writes line 2: which commit, and what it came to, in fewer and fewer words.
#[must_use]
pub fn line(state: &AppState) -> (String, Vec<String>) {
    let narrow = state.size.0 < 60;
    if let Some(reference) = running(state) {
        let left = format!(" diff  {}", text::display_line(reference));
        let progress = job(state).map(|job| {
            let done = if job.total > 0 { format!("{}/{} · ", job.done, job.total) } else { String::new() };
            format!("» {done}{} s", (state.now.0 - job.started.0).max(0) / 1_000)
        });
        return (left, vec![progress.unwrap_or_else(|| "» begins".into())]);
    }
    let Some(diff) = &state.diff.shown else { return (" diff".into(), vec!["nothing compared yet".into()]) };
    let name = if narrow { &diff.reference } else { &diff.against() };
    let left = format!(" diff  {}", text::display_line(name));
    if is_stale(state) {
        return (left, vec!["~ Stale: the code changed, t compares again".into(), "~ Stale, t again".into()]);
    }
    let functions = count(diff.functions.len(), "function");
    let calls = format!("{} of {} differ", diff.compared - diff.same, count(usize::try_from(diff.compared).unwrap_or(0), "call"));
    let right = if diff.is_silent() {
        vec!["✓ nothing differs".into()]
    } else {
        vec![format!("✗ {functions} · {calls}"), format!("✗ {functions}")]
    };
    (left, right)
}
