//! Whether compared calls run the edited lines of a function: where none runs any of them, nobody knows what the edit does. Other
//! calls that were not compared, or not kept, may take the very path that was edited. Recorded tests are asked in the run that
//! compares their calls, where Python can do both at once; what is open then runs once more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId};
use crate::domain::edited::{EditedCode, NotCompared};
use crate::domain::function::FunctionId;
use crate::domain::reason::ReasonCode;
use crate::domain::recorded_test::TestId;
use crate::domain::subject::Subject;
use crate::engine::calls;
use crate::engine::checks::secrets::Sources;
use crate::engine::python::environment;
use crate::engine::replay::edited::{Before, Delta, Tally};
use crate::engine::replay::recorded_tests;
use crate::engine::state::core::Core;
use crate::python::lines_run::{LinesRun, Statements};
use crate::python::protocol::Lines;
use crate::source::change;
use crate::source::index::Index;
use crate::store::RecordedCode;

/// Functions whose edited lines are looked for in calls, and calls of each: these run once more for it.
const FUNCTIONS_MAX: usize = 20;
pub const CALLS_FOLLOWED: usize = 200;
/// Calls that are followed before the others: mostly they run what there is to run.
const FIRST_FOLLOWED: usize = 8;

/// The edited lines that recorded tests were asked about while their calls were compared.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// By the function that they are of.
    asked: HashMap<FunctionId, LinesOf>,
    /// Which of them each test ran.
    pub ran: HashMap<TestId, LinesRun>,
}

/// Lines of a function as it is today.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LinesOf {
    path: String,
    edited: BTreeSet<u32>,
    /// Not edited, and run only by calls that were not kept.
    missed: BTreeSet<u32>,
}

impl LinesOf {
    /// What was kept lost its secrets, so these are no edit.
    fn of(
        index: &Index,
        function: &FunctionId,
        old: &str,
        recorded: Option<&RecordedCode>,
        missed: &BTreeSet<u32>,
        sources: &mut Sources<'_>,
    ) -> Option<Self> {
        let (first, text) = text_today(index, function)?;
        let now = sources.like(old, &text);
        let changed = change::changed_lines(&old.lines().collect::<Vec<_>>(), &now.lines().collect::<Vec<_>>());
        let edited: BTreeSet<u32> = changed.into_iter().filter_map(|at| u32::try_from(first + at).ok()).collect();
        let mut missed =
            recorded.map(|code| lines_today(first, &sources.like(&code.text, &text), code, missed)).unwrap_or_default();
        // Without a loop, what stands before an edit has run before it.
        if let Some(first) = edited.first().filter(|_| !text.lines().any(begins_loop)) {
            missed.retain(|line| line > first);
        }
        Some(Self { path: index.today(function)?.path.to_string(), edited, missed })
    }

    fn lines(&self) -> Lines {
        Lines::from([(self.path.clone(), self.edited.union(&self.missed).copied().collect())])
    }
}

impl Followed {
    /// Chooses the lines of an edit to ask about.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn of(core: &Core, delta: &Delta) -> Result<Self, Trouble> {
        let before = delta.recorded_texts(core)?;
        let missed = core.store().missed_lines()?;
        let mut asked = HashMap::new();
        for (function, old) in before.iter().take(FUNCTIONS_MAX) {
            if let Some(lines) = lines_of(core, function, old, missed.get(function))? {
                asked.insert(function.clone(), lines);
            }
        }
        Ok(Self { asked, ran: HashMap::new() })
    }

    /// Gives the lines by their files.
    pub fn lines(&self) -> Lines {
        let mut all = Lines::new();
        for (path, lines) in self.asked.values().flat_map(LinesOf::lines) {
            all.entry(path).or_default().extend(lines);
        }
        all
    }

    /// Says which of a function's lines these tests ran, and which tests nobody asked.
    fn ran_of(
        &self,
        function: &FunctionId,
        lines: &LinesOf,
        index: &Index,
        tests: &BTreeSet<TestId>,
    ) -> (Option<LinesRun>, BTreeSet<TestId>) {
        let Some((first, text)) = text_today(index, function).filter(|_| self.asked.get(function) == Some(lines)) else {
            return (None, tests.clone());
        };
        let line = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let all = line(first)..=line(first + text.lines().count());
        let (known, unknown): (BTreeSet<TestId>, BTreeSet<TestId>) = tests.iter().partition(|test| self.ran.contains_key(test));
        let ran = known.iter().filter_map(|test| self.ran.get(test)).map(|ran| ran.within(&lines.path, all.clone()));
        (ran.reduce(LinesRun::with), unknown)
    }
}

/// Finds out which edited lines no compared call runs, and notes it: of functions with calls that were not compared each such line,
/// of others only where no edited line ran at all.
///
/// # Errors
/// Fails when the store cannot be read, or the project's Python dies.
pub async fn follow(core: &Arc<Core>, tally: &Tally, edited: &mut [EditedCode], before: &Before) -> Result<(), Trouble> {
    let missed = core.store().missed_lines()?;
    let is_open = |one: &&mut EditedCode| one.is_compared() && one.differ == 0;
    for one in edited.iter_mut().filter(is_open).take(FUNCTIONS_MAX) {
        let Some(function) = one.subject.function() else { continue };
        let Some(old) = before.get(function) else { continue };
        let Some(lines) = lines_of(core, function, old, missed.get(function))? else { continue };
        let ran = ran(core, tally, function, &lines).await?;
        if is_only_above(core, function, &lines.edited)? {
            one.unrun = lines.edited.iter().copied().collect();
        }
        let may_run_elsewhere = one.outside > 0 || missed.contains_key(function);
        if may_run_elsewhere || ran.as_ref().is_some_and(LinesRun::none_ran) && is_followed_whole(core, function)? {
            // Where nothing tells, nobody can say that they ran.
            let left = ran.map_or_else(|| lines.edited.iter().copied().collect(), |ran| by_line(&ran));
            one.unrun = left;
        }
        let reason = match one.unrun.iter().find(|line| lines.edited.contains(line)) {
            Some(first) => Some(ReasonCode::EditedPathNotCompared.with(first)),
            None => one.unrun.first().map(|first| ReasonCode::RecordedPathNotCompared.with(first)),
        };
        if let Some(reason) = reason {
            one.not_compared.insert(0, NotCompared { reason, calls: 0 });
        }
    }
    Ok(())
}

/// Tells whether calls of a function are compared outside of tests: before a test begins, nothing follows what it will run.
fn is_followed_whole(core: &Core, function: &FunctionId) -> Result<bool, Trouble> {
    Ok(calls::read::comparable_calls(core, function)?.iter().any(|(call, _)| call.observed.inside.is_none()))
}

/// Tells whether only decorators of a function were edited, and its compared calls were all made without them: neither inside a test, nor
/// by the name that leads to what the decorators made of it.
fn is_only_above(core: &Core, function: &FunctionId, edited: &BTreeSet<u32>) -> Result<bool, Trouble> {
    let Some(today) = core.index().today(function).map(|today| today.span) else { return Ok(false) };
    if edited.is_empty() || edited.iter().any(|line| *line >= today.def) {
        return Ok(false);
    }
    let calls = calls::read::comparable_calls(core, function)?;
    Ok(!calls.iter().any(|(call, _)| call.observed.inside.is_some() || call.bound().is_some()))
}

fn by_line(ran: &LinesRun) -> Vec<u32> {
    ran.left().into_iter().map(|(_, line)| line).collect()
}

/// Says which statements of a function's lines any of the compared calls runs. What ran already is asked first, then calls that run
/// alone, the first of them before the rest, and then tests for what is left by then.
async fn ran(core: &Arc<Core>, tally: &Tally, function: &FunctionId, lines: &LinesOf) -> Result<Option<LinesRun>, Trouble> {
    let mut wanted: BTreeMap<&FunctionId, HashSet<CallId>> = BTreeMap::new();
    for (by, call) in tally.runners.get(function).into_iter().flatten() {
        wanted.entry(by).or_default().insert(*call);
    }
    let mut calls: Vec<Call> = calls::read::comparable_calls(core, function)?.into_iter().map(|(call, _)| call).collect();
    calls.truncate(CALLS_FOLLOWED);
    for (by, ids) in wanted {
        let own = calls::read::comparable_calls(core, by)?.into_iter().map(|(call, _)| call);
        calls.extend(own.filter(|call| ids.contains(&call.id)));
    }
    let (mut inside, alone): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|call| call.observed.inside.is_some());
    let tests = inside.iter().filter_map(|call| call.observed.inside).collect();
    let (mut ran, unasked) = tally.followed.ran_of(function, lines, &core.index(), &tests);
    let is_settled = |ran: &Option<LinesRun>| ran.as_ref().is_some_and(LinesRun::all_ran);
    for some in [&alone[..FIRST_FOLLOWED.min(alone.len())], &alone[FIRST_FOLLOWED.min(alone.len())..]] {
        if !is_settled(&ran) && !some.is_empty() {
            ran = LinesRun::joined(ran, environment::contained(core).await?.lines_run(core, some, &lines.lines()).await?);
        }
    }
    inside.retain(|call| call.observed.inside.is_some_and(|test| unasked.contains(&test)));
    if !is_settled(&ran) && !inside.is_empty() {
        let open = ran.as_ref().map_or_else(|| lines.lines(), |ran| by_files(&ran.left()));
        let python = environment::contained(core).await?;
        ran = LinesRun::joined(ran, recorded_tests::compare::lines_run(core, &python, &inside, &open).await?);
    }
    Ok(ran)
}

fn by_files(statements: &Statements) -> Lines {
    let mut lines = Lines::new();
    statements.iter().for_each(|(path, line)| lines.entry(path.clone()).or_default().push(*line));
    lines
}

fn lines_of(core: &Core, function: &FunctionId, old: &str, missed: Option<&BTreeSet<u32>>) -> Result<Option<LinesOf>, Trouble> {
    let recorded = core.store().code(&[Subject::Function(function.clone())])?;
    let index = core.index();
    let mut sources = Sources::new(&core.root, &index);
    Ok(LinesOf::of(&index, function, old, recorded.first(), missed.unwrap_or(&BTreeSet::new()), &mut sources))
}

/// Finds lines of recorded code in today's, which begins at `first`: those that were not edited.
fn lines_today(first: usize, text: &str, recorded: &RecordedCode, lines: &BTreeSet<u32>) -> BTreeSet<u32> {
    let (old, new): (Vec<&str>, Vec<&str>) = (recorded.text.lines().collect(), text.lines().collect());
    let same = change::same_lines(&old, &new);
    let today = lines.iter().filter_map(|line| {
        let at = line.checked_sub(recorded.first_line)? as usize;
        let (_, now) = same.iter().find(|(before, _)| *before == at)?;
        u32::try_from(first + now).ok()
    });
    today.collect()
}

fn begins_loop(line: &str) -> bool {
    ["for ", "while ", "async for "].iter().any(|word| line.trim_start().starts_with(word))
}

/// Gives the first line of a function, and its text.
fn text_today(index: &Index, function: &FunctionId) -> Option<(usize, String)> {
    let found = index.today(function)?;
    let text = index.text(&found.path)?;
    let (first, last) = (found.span.first as usize, found.span.last as usize);
    let lines: Vec<&str> = text.lines().skip(first.checked_sub(1)?).take((last + 1).checked_sub(first)?).collect();
    Some((first, lines.join("\n")))
}
