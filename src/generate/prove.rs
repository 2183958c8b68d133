//! The gate: what proof runs say about a draft, as evidence, a verdict, and a shorter or mended draft where parts fail.
//!
//! Runs nothing: the engine makes a [`Trial`] of what pytest reported. What can be said before anything runs is
//! [`rules`](crate::generate::rules); how a test is mended is [`mend`](crate::generate::mend).

mod trial;
pub mod words;

pub use self::trial::{
    Blame, Clock, Faults, Ground, Manner, Negations, Run, RunEnd, TestResult, Trial, Variation, When, name_of, skipped_rows,
};

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::proposal::{Draft, LeftOut};
use crate::domain::reason::{Place, Reason, ReasonCode};
use crate::generate::{mend, trim};
use crate::pytest::report::Reach;
use crate::pytest::warm::{Trace, TraceKind};

/// Lines of a traceback kept as evidence.
const TRACE_MAX: usize = 24;

/// What Python says of a coroutine that was left alone.
const NOT_AWAITED: &str = "was never awaited";

/// What is to be done with a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// A person may be asked.
    Ready,
    /// Parts of it failed or were put right: this one has to be proved in its place.
    Again(Box<Draft>),
    /// Nothing of it holds.
    Refused,
    /// Nothing was found out: the proof broke.
    Broken,
}

/// The outcome of a proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// What is to be done.
    pub verdict: Verdict,
    /// The lines beside the draft.
    pub evidence: Vec<Evidence>,
    /// Tests passed and tests run, all runs together.
    pub proved: (u32, u32),
}

/// Why a test is taken out.
struct Fall {
    name: String,
    evidence: Evidence,
    reason: Reason,
}

impl Fall {
    fn of(name: &str, what: EvidenceKind, seen: &str, reason: Reason) -> Self {
        let evidence = Evidence::new(Finding::Fail, what, format!("{name} {seen}"));
        Self { name: name.to_owned(), evidence, reason: reason.at(Place::Test(name.to_owned())) }
    }
}

/// Judges a draft by what was seen of it.
#[must_use]
pub fn judge(draft: &Draft, trial: &Trial, ground: &Ground) -> Proof {
    if let Some(broken) = broken(&trial.runs) {
        return over(Verdict::Broken, vec![broken], (0, 0), draft, ground);
    }
    if let Some(stopped) = stopped(&trial.runs) {
        if let Some(rest) = without_the_stopping_one(draft, trial) {
            return over(Verdict::Again(Box::new(rest)), vec![stopped], (0, count(trial.runs.len())), draft, ground);
        }
        return over(Verdict::Refused, vec![stopped], (0, count(trial.runs.len())), draft, ground);
    }
    let tally = tally(trial);
    let passed: usize = tally.values().map(|seen| seen.passed).sum();
    let made: usize = tally.values().map(|seen| seen.passed + seen.failed).sum();
    let proved = (count(passed), count(made));
    let missing = draft.tests.iter().filter(|name| !tally.keys().any(|ran| belongs(ran, name))).count();
    if missing > 0 || made == 0 {
        let detail = format!("pytest did not run {}", text::count(missing.max(1), "test"));
        let evidence = vec![Evidence::new(Finding::Fail, EvidenceKind::Collection, detail)];
        return over(Verdict::Refused, evidence, proved, draft, ground);
    }
    let mut falls = outreach(trial);
    if let Some(rooted) = rooted(draft, trial, ground) {
        let evidence = vec![Evidence::new(Finding::Note, EvidenceKind::Isolation, words::ROOTED)];
        return over(Verdict::Again(Box::new(rooted)), evidence, proved, draft, ground);
    }
    if let Some(sheltered) = sheltered(draft, trial, ground) {
        let evidence = vec![Evidence::new(Finding::Note, EvidenceKind::Isolation, words::SHELTERED)];
        return over(Verdict::Again(Box::new(sheltered)), evidence, proved, draft, ground);
    }
    if let Some(zoned) = zoned(draft, trial, ground) {
        let evidence = vec![Evidence::new(Finding::Note, EvidenceKind::Isolation, words::ZONED)];
        return over(Verdict::Again(Box::new(zoned)), evidence, proved, draft, ground);
    }
    if falls.is_empty() {
        falls.extend(failures(&tally, trial));
    }
    if falls.is_empty() && !ground.edited {
        falls.extend(versioned(draft, &tally, ground));
    }
    if falls.is_empty() {
        falls.extend(pollution(draft, trial, ground));
    }
    if falls.is_empty() {
        match mended(draft, trial, ground) {
            Ok(Some((mended, what))) => {
                let evidence = vec![Evidence::new(Finding::Note, EvidenceKind::Isolation, what)];
                return over(Verdict::Again(Box::new(mended)), evidence, proved, draft, ground);
            }
            Ok(None) => {}
            Err(unmended) => falls.extend(unmended),
        }
    }
    if falls.is_empty() {
        falls.extend(unnoticed(draft, trial));
    }
    if falls.is_empty() {
        falls.extend(spare(draft, &tally, toothless(&tally, trial, ground)));
    }
    if falls.is_empty()
        && let Faults::None(why) = &trial.faults
    {
        // Its assertions were not made from recorded calls: nothing else shows that they can fail. In a function that has nothing to change,
        // a person may assert what there is.
        if if ground.edited { trial.cold.is_some() } else { draft.origin.is_foreign() } {
            let evidence = vec![Evidence::new(Finding::Error, EvidenceKind::Mutants, format!("not tried: {why}"))];
            return over(Verdict::Broken, evidence, proved, draft, ground);
        }
    }
    if falls.is_empty() && draft.origin.is_foreign() && !ground.edited {
        falls.extend(spare(draft, &tally, idle(draft, &tally, trial)));
    }
    if falls.is_empty() {
        let evidence = words::passed(draft, trial, ground, (passed, made));
        return over(Verdict::Ready, evidence, proved, draft, ground);
    }
    let names: Vec<String> = falls.iter().map(|fall| fall.name.clone()).collect();
    let verdict = match trim::without(draft, &names).filter(|rest| rest.text != draft.text) {
        Some(mut rest) => {
            rest.dropped.extend(names);
            rest.left_out.extend(falls.iter().map(|fall| LeftOut { calls: 1, reason: fall.reason.clone() }));
            Verdict::Again(Box::new(rest))
        }
        None => Verdict::Refused,
    };
    over(verdict, falls.into_iter().map(|fall| fall.evidence).collect(), proved, draft, ground)
}

fn over(verdict: Verdict, mut evidence: Vec<Evidence>, proved: (u32, u32), draft: &Draft, ground: &Ground) -> Proof {
    evidence.extend(words::beside(draft, ground));
    Proof { verdict, evidence, proved }
}

/// What the runs said of one test.
#[derive(Default)]
struct Seen {
    passed: usize,
    failed: usize,
    /// It fails when it runs alone.
    alone: bool,
    message: String,
    lines: Vec<String>,
}

fn tally(trial: &Trial) -> BTreeMap<String, Seen> {
    let mut tally: BTreeMap<String, Seen> = BTreeMap::new();
    for run in &trial.runs {
        let RunEnd::Finished(results) = &run.end else { continue };
        for result in results {
            let seen = tally.entry(result.name.clone()).or_default();
            if result.passed {
                seen.passed += 1;
                continue;
            }
            if run.manner != Manner::Alone && trial.excused.contains(&result.name) {
                continue;
            }
            seen.failed += 1;
            seen.alone |= run.manner == Manner::Alone;
            if seen.message.is_empty() {
                seen.message.clone_from(&result.message);
                seen.lines.clone_from(&result.lines);
            }
        }
    }
    // A test that was not there in every run is as good as one that failed there.
    let runs = trial.runs.len();
    for (name, seen) in &mut tally {
        if !trial.excused.contains(name) {
            seen.failed += runs.saturating_sub(seen.passed + seen.failed);
        }
    }
    tally
}

/// Tests that fail, always or sometimes (G2 to G4).
fn failures(tally: &BTreeMap<String, Seen>, trial: &Trial) -> Vec<Fall> {
    let mut falls = Vec::new();
    for (name, seen) in tally.iter().filter(|(_, seen)| seen.failed > 0) {
        let all = seen.passed + seen.failed;
        let blame = trial.blamed.get(name);
        let (message, lines) = blame.map_or((&seen.message, &seen.lines), |blame| (&blame.message, &blame.lines));
        let why = if message.is_empty() { "it did not run each time" } else { message };
        let why = text::cut(&text::display_line(why), 100).into_owned();
        let (mut evidence, reason) = if let Some(Blame { when, .. }) = blame {
            (Evidence::new(Finding::Fail, EvidenceKind::Fails, format!("{name}, {}", words::when(*when))), when.reason(&why))
        } else if seen.passed > 0 {
            let detail = format!("{name} passes {} of {all} runs", seen.passed);
            (Evidence::new(Finding::Flaky, EvidenceKind::Flaky, detail), ReasonCode::Flaky.of(seen.passed).with(all))
        } else {
            let what = if seen.alone { EvidenceKind::FailsAlone } else { EvidenceKind::Fails };
            let detail = format!("{name}, {} of {all} runs", seen.failed);
            (Evidence::new(Finding::Fail, what, detail), ReasonCode::Fails.with(&why))
        };
        evidence.more = last_lines(lines);
        evidence.test = Some(name.clone());
        falls.push(Fall { name: name.clone(), evidence, reason: reason.at(Place::Test(name.clone())) });
    }
    falls
}

/// Tests that reach out of their process: how they end is the doing of the sandbox, and without one they change the machine. So
/// are those that warn of what nobody recorded, or leave a coroutine that is not awaited.
fn outreach(trial: &Trial) -> Vec<Fall> {
    let counts = |reach: &&Reach| match reach {
        Reach::Warning(detail) => !trial.may_warn || detail.contains(NOT_AWAITED),
        Reach::File(_) | Reach::Temporary(_) | Reach::Outside(_) => true,
    };
    let mut found: BTreeMap<&str, &Reach> = BTreeMap::new();
    for run in &trial.runs {
        let RunEnd::Finished(results) = &run.end else { continue };
        for result in results {
            if let Some(first) = result.reached.iter().find(counts) {
                found.entry(&result.name).or_insert(first);
            }
        }
    }
    let fall = |(name, reach): (&&str, &&Reach)| {
        let (seen, detail, code) = match reach {
            Reach::File(detail) | Reach::Temporary(detail) => {
                ("changes a file outside of tmp_path", detail, ReasonCode::WritesOutsideTmpPath)
            }
            Reach::Warning(detail) => ("warns", detail, ReasonCode::RaisesWarning),
            Reach::Outside(detail) => ("leaves its process", detail, ReasonCode::LeavesProcess),
        };
        let detail = text::cut(&text::display_line(detail), 100).into_owned();
        let seen = format!("{seen}: {detail}");
        Fall::of(name, EvidenceKind::Scope, &seen, code.with(detail))
    };
    found.iter().map(fall).collect()
}

/// Tests that hold the version of this Python, of a function whose module asks for it (R26).
fn versioned(draft: &Draft, tally: &BTreeMap<String, Seen>, ground: &Ground) -> Vec<Fall> {
    let fall = |name: &String| {
        let text = trim::text_of(&draft.text, name.split(['[', ':']).next()?)?;
        let version = ground.versions.iter().find(|version| text.contains(*version))?;
        let seen = format!("holds the version of this Python, {version}");
        Some(Fall::of(name, EvidenceKind::Sensitive, &seen, ReasonCode::FailsElsewhere.with(version)))
    };
    tally.keys().filter_map(fall).collect()
}

/// Tests that leave the process in another state than they found it in, or make others fail (R19). What the project's own code has run at
/// the end of the process disturbs no test; in a text by somebody else it may change how the run ends.
fn pollution(draft: &Draft, trial: &Trial, ground: &Ground) -> Vec<Fall> {
    let mut falls = Vec::new();
    let is_ours = !draft.origin.is_foreign() && !ground.edited;
    let kind = |trace: &&Trace| match trace.kind {
        TraceKind::Exit => {
            if is_ours {
                TraceKind::Content
            } else {
                TraceKind::Process
            }
        }
        other => other,
    };
    for (name, look) in &trial.looks {
        let of_kind = |wanted: TraceKind| look.left.iter().filter(|trace| kind(trace) == wanted).collect::<Vec<_>>();
        let (process, settings) = (of_kind(TraceKind::Process), of_kind(TraceKind::Setting));
        let (seen, reason) = if !process.is_empty() {
            let what = words::list(&process);
            (format!("changes {what} and does not put it back"), ReasonCode::PollutesState.with(what))
        } else if !settings.is_empty() {
            // Put back, it may do no harm.
            continue;
        } else if let Some(victim) = trial.spoilers.get(name) {
            let what = words::list(&of_kind(TraceKind::Content));
            (format!("changes {what}; {victim} fails after it"), ReasonCode::Polluter.of(victim).with(what))
        } else if trial.once.contains(name) {
            let what = words::list(&of_kind(TraceKind::Content));
            let changes = if what.is_empty() { String::new() } else { format!(": it changes {what}") };
            (format!("fails the second time in a process{changes}"), ReasonCode::NonIdempotent.with(what))
        } else {
            continue;
        };
        falls.push(Fall::of(name, EvidenceKind::GlobalState, &seen, reason));
    }
    falls
}

/// Lists the settings of modules that tests change, with what they were before.
fn settings(trial: &Trial) -> BTreeMap<String, Vec<&Trace>> {
    let mut found: BTreeMap<String, Vec<&Trace>> = BTreeMap::new();
    for (name, look) in &trial.looks {
        for trace in look.left.iter().filter(|trace| trace.kind == TraceKind::Setting) {
            found.entry(name.clone()).or_default().push(trace);
        }
    }
    found
}

/// Makes tests put back what they change and pins what they ask for (R17); else those that cannot be helped.
fn mended(draft: &Draft, trial: &Trial, ground: &Ground) -> Result<Option<(Draft, String)>, Vec<Fall>> {
    let settings = settings(trial);
    let mut lines = match mend::restoring(&trial.looks) {
        _ if settings.is_empty() => mend::Lines::new(),
        Some(lines) if !ground.edited => lines,
        _ => return Err(unmended(&settings)),
    };
    let pinned = if ground.edited { mend::Lines::new() } else { mend::pinning(draft, &trial.looks) };
    for (test, own) in pinned {
        lines.entry(test).or_default().extend(own);
    }
    if lines.is_empty() {
        return Ok(None);
    }
    match mend::mend(draft, &lines) {
        Some(rest) => Ok(Some((rest, words::mended(&settings, &trial.looks)))),
        None if settings.is_empty() => Ok(None),
        None => Err(unmended(&settings)),
    }
}

/// Makes tests that miss a file in another folder alone go to the project's, from which they name it. What lists a folder would
/// fail with each file that is added.
fn rooted(draft: &Draft, trial: &Trial, ground: &Ground) -> Option<Draft> {
    let misses = |blame: &Blame| {
        let said = |line: &str| line.contains("FileNotFoundError") || line.contains("No such file");
        blame.when == When::Folder && (said(&blame.message) || blame.lines.iter().any(|line| said(line)))
    };
    let blamed = trial.blamed.iter().filter(|(_, blame)| misses(blame)).map(|(name, _)| name.as_str());
    with_lines(draft, &mend::rooting(draft, blamed), ground)
}

/// Puts lines into the tests of a draft that is ours to change.
fn with_lines(draft: &Draft, lines: &mend::Lines, ground: &Ground) -> Option<Draft> {
    let is_ours = !ground.edited && !draft.origin.is_foreign() && !lines.is_empty();
    is_ours.then(|| mend::mend(draft, lines)).flatten()
}

/// Makes tests that leave files of `tempfile` in the machine's temporary folder leave them in their own.
fn sheltered(draft: &Draft, trial: &Trial, ground: &Ground) -> Option<Draft> {
    let finished =
        trial.runs.iter().filter_map(|run| if let RunEnd::Finished(results) = &run.end { Some(results) } else { None });
    let leaves = |reach: &Reach| matches!(reach, Reach::Temporary(_));
    let leaving = finished.flatten().filter(|result| result.reached.iter().any(leaves)).map(|result| result.name.as_str());
    with_lines(draft, &mend::sheltering(leaving), ground)
}

/// Makes tests that fail in another time zone alone set the one that they pass in.
fn zoned(draft: &Draft, trial: &Trial, ground: &Ground) -> Option<Draft> {
    let zone = ground.zone.as_deref().filter(|_| !ground.edited && !draft.origin.is_foreign())?;
    let blamed = trial.blamed.iter().filter(|(_, blame)| blame.when == When::TimeZone).map(|(name, _)| name.as_str());
    mend::zoning(draft, blamed, zone)
}

/// Tests that change a setting of a module and could not be made to put it back.
fn unmended(settings: &BTreeMap<String, Vec<&Trace>>) -> Vec<Fall> {
    let fall = |(name, traces): (&String, &Vec<&Trace>)| {
        let what = words::list(traces);
        let seen = format!("changes {what} and does not put it back");
        Fall::of(name, EvidenceKind::GlobalState, &seen, ReasonCode::PollutesState.with(what))
    };
    settings.iter().map(fall).collect()
}

/// Tests that pass although an assertion of theirs is negated: something else decides their result. That of a helper is of them all.
fn unnoticed(draft: &Draft, trial: &Trial) -> Vec<Fall> {
    let fall = |(test, assertion): (&String, &String)| {
        let assertion = text::display_line(assertion);
        let seen = format!("passes although `{assertion}` is negated");
        let names = if test.is_empty() { &draft.tests[..] } else { std::slice::from_ref(test) };
        let fall =
            |name: &String| Fall::of(name, EvidenceKind::KillsNoMutant, &seen, ReasonCode::AssertionCannotFail.with(&assertion));
        names.iter().map(fall).collect::<Vec<_>>()
    };
    trial.negations.unnoticed.iter().flat_map(fall).collect()
}

/// Tests that notice none of the faults (G5).
fn toothless(tally: &BTreeMap<String, Seen>, trial: &Trial, ground: &Ground) -> Vec<Fall> {
    let Faults::Some(faults) = &trial.faults else { return Vec::new() };
    if faults.is_empty() {
        return Vec::new();
    }
    let notices = |name: &String| faults.iter().any(|(_, noticed)| noticed.contains(name));
    tally
        .keys()
        .filter(|name| !notices(name))
        .map(|name| {
            let (function, number) = (&ground.function, text::count(faults.len(), "fault"));
            let seen = format!("passes with each of {number} put into {function}()");
            Fall::of(name, EvidenceKind::KillsNoMutant, &seen, ReasonCode::KillsNoMutant.of(function).with(faults.len()))
        })
        .collect()
}

/// Tests that add nothing to those before them (G6).
fn idle(draft: &Draft, tally: &BTreeMap<String, Seen>, trial: &Trial) -> Vec<Fall> {
    let Faults::Some(faults) = &trial.faults else { return Vec::new() };
    let mut steps: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut noticed: BTreeSet<usize> = BTreeSet::new();
    let mut raises: BTreeSet<bool> = BTreeSet::new();
    let mut falls = Vec::new();
    for test in &draft.tests {
        for name in tally.keys().filter(|ran| belongs(ran, test)) {
            let mut adds = trial.looks.get(name).is_some_and(|look| {
                let before = steps.len();
                steps.extend(look.steps.iter().copied());
                steps.len() > before
            });
            let own = (0..).zip(faults).filter(|(_, (_, by))| by.contains(name)).map(|(at, _)| at);
            let before = noticed.len();
            noticed.extend(own);
            adds |= noticed.len() > before;
            adds |= raises.insert(trim::text_of(&draft.text, test).is_some_and(|text| text.contains("raises(")));
            if !adds {
                let seen = "shows nothing that the tests before it do not";
                falls.push(Fall::of(name, EvidenceKind::Redundant, seen, ReasonCode::Redundant.into()));
            }
        }
    }
    falls
}

/// Leaves out of falls the rows and methods that would take others with them, which hold: they are no harm.
fn spare(draft: &Draft, tally: &BTreeMap<String, Seen>, falls: Vec<Fall>) -> Vec<Fall> {
    let gone: BTreeSet<String> = falls.iter().map(|fall| fall.name.clone()).collect();
    let test_of = |name: &str| draft.tests.iter().find(|test| belongs(name, test)).cloned();
    let is_harm = |fall: &Fall| {
        let test = test_of(&fall.name);
        let others_hold = tally.keys().any(|name| !gone.contains(name) && test_of(name) == test);
        !others_hold || trim::goes_alone(draft, &fall.name)
    };
    falls.into_iter().filter(is_harm).collect()
}

/// Tells whether a result is one of a test's: the test itself, a row of it, or a method of the class.
#[must_use]
pub fn belongs(ran: &str, test: &str) -> bool {
    ran.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with('[') || rest.starts_with("::"))
}

fn broken(runs: &[Run]) -> Option<Evidence> {
    if runs.is_empty() {
        return Some(Evidence::new(Finding::Error, EvidenceKind::Runs, "it was not run"));
    }
    runs.iter().find_map(|run| match &run.end {
        RunEnd::Broke(why) => Some(Evidence::new(Finding::Error, EvidenceKind::Runs, text::display_line(why))),
        _ => None,
    })
}

fn stopped(runs: &[Run]) -> Option<Evidence> {
    runs.iter().find_map(|run| match &run.end {
        RunEnd::NotCollected { lines, .. } => {
            let mut found = Evidence::new(Finding::Fail, EvidenceKind::Collection, "pytest cannot collect it");
            found.more = last_lines(lines);
            Some(found)
        }
        RunEnd::TimedOut(seconds) => Some(Evidence::new(Finding::Fail, EvidenceKind::Runs, format!("no end in {seconds} s"))),
        _ => None,
    })
}

/// Takes out the test at whose lines, or whose expected value, pytest could not go on, or those that use what could not be
/// imported; `None` where there is no other.
fn without_the_stopping_one(draft: &Draft, trial: &Trial) -> Option<Draft> {
    let found = trial.runs.iter().find_map(|run| match &run.end {
        RunEnd::NotCollected { lines, at } => Some((lines, at.and_then(|at| usize::try_from(at).ok()))),
        _ => None,
    });
    let (lines, at) = found?;
    let whole = draft.standalone();
    let above = whole.lines().count() - draft.text.lines().count();
    let why = lines.iter().map(|line| text::display_line(line.trim())).find(|line| !line.is_empty()).unwrap_or_default();
    // Of a mark that fits no parameter, pytest names the test, and the line is one of its own code.
    let is_named = |test: &&String| why.contains(&format!(".py::{test}:"));
    let names = match (draft.tests.iter().find(is_named), at) {
        (Some(test), _) => vec![test.clone()],
        (None, Some(at)) => match at.checked_sub(above).filter(|within| *within > 0) {
            Some(within) => vec![trim::test_at(&draft.text, within)?],
            None => trim::users_of(draft, whole.lines().nth(at.checked_sub(1)?)?, &why),
        },
        (None, None) => return None,
    };
    let mut rest = trim::without(draft, &names)?;
    if rest.tests.len() == draft.tests.len() {
        return None;
    }
    for name in names {
        let reason = ReasonCode::CollectionError.with(&why).at(Place::Test(name.clone()));
        rest.left_out.push(LeftOut { calls: 1, reason });
        rest.dropped.push(name);
    }
    Some(rest)
}

fn last_lines(lines: &[String]) -> Vec<String> {
    let skip = lines.len().saturating_sub(TRACE_MAX);
    lines.iter().skip(skip).map(|line| text::display(line).into_owned()).collect()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
