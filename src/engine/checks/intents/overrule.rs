//! A person overrules a verdict: for this test as it is, with a reason, in a file of the project that only grows.
//!
//! What a line of it is, and when it counts, is `judge/audit.rs`.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::decision::FileEdit;
use crate::domain::evaluator::Actor;
use crate::domain::verdict::{Bound, Ruling, Verdict};
use crate::engine::checks::intents;
use crate::engine::checks::pytest_run::TestReports;
use crate::engine::checks::secrets;
use crate::judge::audit::{self, Override, State};
use crate::source::git;
use crate::write::apply::apply;

/// Characters of a reason at least.
const REASON_MIN: usize = 10;

/// An override and whether it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Audited {
    /// The override.
    #[serde(flatten)]
    pub entry: Override,
    /// Whether it counts; none where its test did not run to its end.
    pub state: Option<State>,
}

/// Overrules the verdicts of these tests.
///
/// # Errors
/// When the reason is too short, a verdict is none that can be overruled, or the file cannot be written.
pub fn overrule(root: &Path, reports: &TestReports, reason: &str, lasts: Option<Duration>) -> Result<Vec<Override>, Trouble> {
    let (added, edit) = plan(root, reports, reason, lasts)?;
    apply(root, &[edit])?;
    Ok(added)
}

/// Says what overruling the verdicts of these tests writes.
///
/// # Errors
/// When the reason is too short, a verdict is none that can be overruled, or the file cannot be read.
pub fn plan(
    root: &Path,
    reports: &TestReports,
    reason: &str,
    lasts: Option<Duration>,
) -> Result<(Vec<Override>, FileEdit), Trouble> {
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let reason = secrets::of_project(root).redact(&reason).unwrap_or(reason);
    if reason.chars().count() < REASON_MIN {
        return Err(Trouble::usage("The reason is too short.")
            .because("Whoever reads it in a year has nothing else.")
            .so(format!("Say why in at least {REASON_MIN} characters.")));
    }
    let now = clock::now();
    let expires = lasts.map(|lasts| Moment(now.0.saturating_add(i64::try_from(lasts.as_millis()).unwrap_or(i64::MAX))));
    let git = git::person(root).map(|person| text::display_line(&person).into_owned());
    let mut added = Vec::new();
    for (test, one) in reports {
        let open = one.verdict.as_ref().filter(|verdict| matches!(verdict.verdict, Ruling::Fail | Ruling::Unclear));
        let Some((verdict, bound)) = open.and_then(|verdict| Some((verdict, verdict.bound.clone()?))) else { continue };
        added.push(Override {
            test: test.clone(),
            at: now,
            by: intents::accept::account(),
            git: git.clone(),
            actor: Actor::Person,
            was: verdict.verdict,
            evaluator: verdict.evaluator.clone(),
            evidence: verdict.clauses.iter().flat_map(|clause| clause.evidence.clone()).collect(),
            reason: text::display_line(&reason).into_owned(),
            bound,
            expires,
        });
    }
    if added.is_empty() {
        return Err(Trouble::usage("There is nothing to overrule.")
            .because("None of these tests has an intent that was judged now and came to FAIL or UNCLEAR."));
    }
    let before = intents::accept::read(root, audit::PATH)?;
    let mut after = before.clone().unwrap_or_default();
    if !after.is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    for line in added.iter().map(Override::line) {
        after.push_str(&line);
        after.push('\n');
    }
    let path = RelPath::new(audit::PATH).ok_or_else(|| Trouble::internal("The place of overrides is no path."))?;
    Ok((added, FileEdit { path, before, after: Some(after) }))
}

/// Reads the overrides of a project, and the numbers of damaged lines.
///
/// # Errors
/// When the file cannot be read.
pub fn read(root: &Path) -> Result<(Vec<Override>, Vec<usize>), Trouble> {
    Ok(audit::read(&intents::accept::read(root, audit::PATH)?.unwrap_or_default()))
}

/// Says of each override whether it counts, by what the tests did in a run.
#[must_use]
pub fn audited(overrides: Vec<Override>, reports: &TestReports) -> Vec<Audited> {
    let now = clock::now();
    let bound = |test: &str| reports.get(test)?.verdict.as_ref()?.bound.clone();
    let tests: Vec<String> = overrides.iter().map(|entry| entry.test.clone()).collect();
    let state = |at: usize, entry: &Override, bound: &Bound| {
        if tests[at + 1..].contains(&entry.test) { State::Replaced } else { entry.state(bound, now) }
    };
    let all = overrides.into_iter().enumerate();
    all.map(|(at, entry)| Audited { state: bound(&entry.test).map(|bound| state(at, &entry, &bound)), entry }).collect()
}

/// Marks a verdict as overruled where the last override of its test counts. The verdict stays what it is.
pub(crate) fn apply_to(overrides: &[Override], test: &str, verdict: &mut Verdict, now: Moment) {
    let own = overrides.iter().rev().find(|entry| entry.test == test && entry.actor == Actor::Person);
    if let (Some(entry), Some(bound), Ruling::Fail | Ruling::Unclear) = (own, &verdict.bound, verdict.verdict)
        && entry.state(bound, now) == State::Stands
    {
        verdict.overridden = true;
        let (by, reason) = (text::display_line(&entry.by), text::display_line(&entry.reason));
        let without = std::mem::take(&mut verdict.reason);
        verdict.reason = format!("{by} overruled it: {}. Without that: {without}", reason.trim_end_matches('.')).into();
    }
}
