//! Whether compared calls run the edited lines of a function of which other calls were not compared, or not kept: these may
//! take the very path that was edited. Recorded tests are asked in the run that compares their calls, where Python can do
//! both at once; what is open then runs once more.

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
use crate::python::protocol::Lines;
use crate::source::change;
use crate::source::index::Index;
use crate::store::RecordedCode;

/// Functions whose edited lines are looked for in calls, and calls of each: these run once more for it.
const FUNCTIONS_MAX: usize = 20;
pub const CALLS_FOLLOWED: usize = 200;

/// Statements, each as file and line.
type Statements = BTreeSet<(String, u32)>;

/// The edited lines that recorded tests were asked about while their calls were compared.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// By the function that they are of.
    asked: HashMap<FunctionId, LinesOf>,
    /// What each test did not run of them.
    pub left: HashMap<TestId, Statements>,
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
        Some(Self { path: index.function(function)?.path.to_string(), edited, missed })
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
        Ok(Self { asked, left: HashMap::new() })
    }

    /// Gives the lines by their files.
    pub fn lines(&self) -> Lines {
        let mut all = Lines::new();
        for (path, lines) in self.asked.values().flat_map(LinesOf::lines) {
            all.entry(path).or_default().extend(lines);
        }
        all
    }

    /// Gives the statements of a function's lines that none of these tests ran, and the tests that nobody asked.
    fn left_of(
        &self,
        function: &FunctionId,
        lines: &LinesOf,
        index: &Index,
        tests: &BTreeSet<TestId>,
    ) -> (Option<Statements>, BTreeSet<TestId>) {
        let Some((first, text)) = text_today(index, function).filter(|_| self.asked.get(function) == Some(lines)) else {
            return (None, tests.clone());
        };
        let last = first + text.lines().count();
        let is_own = |(path, line): &&(String, u32)| *path == lines.path && (first..=last).contains(&(*line as usize));
        let (known, unknown): (BTreeSet<TestId>, BTreeSet<TestId>) = tests.iter().partition(|test| self.left.contains_key(test));
        let left = known.iter().filter_map(|test| self.left.get(test));
        (left.map(|left| left.iter().filter(is_own).cloned().collect()).reduce(|all: Statements, own| &all & &own), unknown)
    }
}

/// Finds out which edited lines no compared call runs, for functions with calls that were not compared, and notes it.
///
/// # Errors
/// Fails when the store cannot be read, or the project's Python dies.
pub async fn follow(core: &Arc<Core>, tally: &Tally, edited: &mut [EditedCode], before: &Before) -> Result<(), Trouble> {
    let missed = core.store().missed_lines()?;
    let missed_of = |one: &EditedCode| one.subject.function().and_then(|id| missed.get(id));
    let is_open = |one: &&mut EditedCode| one.is_compared() && one.differ == 0 && (one.outside > 0 || missed_of(one).is_some());
    for one in edited.iter_mut().filter(is_open).take(FUNCTIONS_MAX) {
        let Some(function) = one.subject.function() else { continue };
        let Some(old) = before.get(function) else { continue };
        let Some(lines) = lines_of(core, function, old, missed.get(function))? else { continue };
        let left = unrun(core, tally, function, &lines).await?;
        one.unrun = left.into_iter().map(|(_, line)| line).collect();
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

/// Gives the statements of a function's lines that none of the compared calls runs. What ran already is asked first, then calls
/// that run alone, and then tests for what is left by then.
async fn unrun(core: &Arc<Core>, tally: &Tally, function: &FunctionId, lines: &LinesOf) -> Result<Statements, Trouble> {
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
    let (mut left, unasked) = tally.followed.left_of(function, lines, &core.index(), &tests);
    let both = |left: Option<Statements>, own: Option<Statements>| match (left, own) {
        (Some(left), Some(own)) => Some(&left & &own),
        (left, own) => left.or(own),
    };
    let is_settled = |left: &Option<Statements>| left.as_ref().is_some_and(BTreeSet::is_empty);
    if !is_settled(&left) && !alone.is_empty() {
        left = both(left, environment::contained(core).await?.lines_left(core, &alone, &lines.lines()).await?);
    }
    inside.retain(|call| call.observed.inside.is_some_and(|test| unasked.contains(&test)));
    if !is_settled(&left) && !inside.is_empty() {
        let open = left.as_ref().map_or_else(|| lines.lines(), by_files);
        let python = environment::contained(core).await?;
        left = both(left, recorded_tests::compare::lines_left(core, &python, &inside, &open).await?);
    }
    // Where nothing tells, nobody can say that they ran.
    Ok(left.unwrap_or_else(|| lines.edited.iter().map(|line| (lines.path.clone(), *line)).collect()))
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
    let found = index.function(function)?;
    let text = index.text(&found.path)?;
    let (first, last) = (found.span.first as usize, found.span.last as usize);
    let lines: Vec<&str> = text.lines().skip(first.checked_sub(1)?).take((last + 1).checked_sub(first)?).collect();
    Some((first, lines.join("\n")))
}
