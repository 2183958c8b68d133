//! What the gate saw, in words: the lines beside a draft that passed, and those that stand there in any case.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::text;
use crate::domain::call::{COUNTED, told};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::proposal::{Draft, LeftOut};
use crate::generate::private;
use crate::generate::prove::trial::{Clock, Faults, Ground, Manner, Run, Trial, Variation, When};
use crate::generate::stand_ins;
use crate::pytest::warm::{Look, Trace};

/// What is said of tests that go to the project's folder.
pub(super) const ROOTED: &str = "names files from the project's folder, which the test goes to";
/// What tests do that follow the local time zone.
pub(super) const ZONED: &str = "follows the local time zone, which the test sets";
/// What tests do whose temporary files lie in their own folders.
pub(super) const SHELTERED: &str = "makes its temporary files below tmp_path";

/// Overlooked details that are listed.
const OVERLOOKED_MAX: usize = 20;

/// Faults that are named.
const NAMED: usize = 4;

/// Says in which circumstance a test fails.
pub(super) fn when(when: When) -> String {
    match when {
        When::TimeZone => "in another time zone".to_owned(),
        When::Folder => "in another folder".to_owned(),
        When::Machine => "on another machine".to_owned(),
        When::HashSeed(seed) => format!("under hash seed {seed}"),
        When::Later => varied(Variation::Later).to_owned(),
    }
}

/// Says what a draft passed in a fresh process too; how many tests that were is in the total of all runs.
#[must_use]
pub fn fresh(run: &Run, company: usize) -> Evidence {
    let others = company.saturating_sub(1);
    let seed = run.hash_seed.map_or_else(String::new, |seed| format!(", hash seed {seed}"));
    let varied = run.varied.iter().map(|variation| format!(", {}", varied(*variation))).collect::<String>();
    let with = if others == 0 { String::new() } else { format!(" with {}", text::count(others, "other draft")) };
    Evidence::new(Finding::Pass, EvidenceKind::NewProcess, format!("shuffled{with}{seed}{varied}"))
}

/// Says what a draft passed.
pub(super) fn passed(draft: &Draft, trial: &Trial, ground: &Ground, (passed, made): (usize, usize)) -> Vec<Evidence> {
    let mut runs = Evidence::new(Finding::Pass, EvidenceKind::Runs, format!("{passed}/{made}: {}", circumstances(&trial.runs)));
    runs.more = trial.skipped.iter().map(|name| format!("skipped here: {name}")).collect();
    let mut out = vec![runs];
    out.push(match &trial.cold {
        Some(why) => Evidence::new(Finding::Note, EvidenceKind::NewProcess, format!("only fresh processes were used: {why}")),
        None => Evidence::new(
            Finding::Pending,
            EvidenceKind::NewProcess,
            "the runs were forks of warm ones; one in a fresh one follows",
        ),
    });
    if !trial.without.is_empty() {
        let named = trial.without.iter().map(|(name, why)| format!("the plugin {name}, which cannot start here ({why})"));
        out.push(Evidence::new(Finding::Note, EvidenceKind::Without, named.collect::<Vec<_>>().join(", ")));
    }
    match &trial.faults {
        Faults::None(why) => out.push(Evidence::new(Finding::Note, EvidenceKind::Mutants, format!("not tried: {why}"))),
        Faults::Some(faults) => {
            let noticed: Vec<&str> =
                faults.iter().filter(|(_, by)| !by.is_empty()).map(|(fault, _)| fault.label.as_str()).collect();
            let mut named = noticed.iter().take(NAMED).copied().collect::<Vec<_>>().join("; ");
            if noticed.len() > NAMED {
                named.push_str("; …");
            }
            let all = text::count(faults.len(), "fault");
            let mut detail = format!("{} of {all} put into {}() noticed: {named}", noticed.len(), ground.function);
            if trial.negations.tried > 0 {
                detail.push_str(&format!("; each of {} negated fails", text::count(trial.negations.tried, "assertion")));
            }
            let mut line = Evidence::new(Finding::Pass, EvidenceKind::Mutants, detail);
            let missed = || faults.iter().filter(|(_, by)| by.is_empty()).map(|(fault, _)| fault);
            line.more = missed().map(|fault| format!("not noticed: line {}: {}", fault.line, fault.label)).collect();
            let unseparated = missed().filter(|fault| draft.unseparated.contains(&fault.number)).count();
            if unseparated > 0 {
                line.more.push(format!(
                    "{unseparated} of {all}: no recorded call separates {}",
                    if unseparated == 1 { "it" } else { "them" }
                ));
            }
            out.push(line);
        }
    }
    let mut traces: BTreeMap<&str, usize> = BTreeMap::new();
    for trace in trial.looks.values().flat_map(|look| &look.left) {
        *traces.entry(&trace.what).or_default() += 1;
    }
    if let Some(first) = traces.keys().next() {
        let more = if traces.len() > 1 { format!(" and {} more", traces.len() - 1) } else { String::new() };
        out.push(Evidence::new(Finding::Note, EvidenceKind::GlobalState, format!("changes {first}{more}; no other test minds")));
    }
    match &trial.clock {
        Clock::NotRead => {}
        Clock::Varied(by) => {
            out.push(Evidence::new(Finding::Pass, EvidenceKind::Clock, format!("varied by {by}, the same result")))
        }
        Clock::NotVaried => {
            let detail = "not varied: it ran in fresh processes, where it is as late as it is";
            out.push(Evidence::new(Finding::Note, EvidenceKind::Clock, detail));
        }
    }
    out
}

/// Says which settings tests are made to put back, and which variables to keep away.
pub(super) fn mended(settings: &BTreeMap<String, Vec<&Trace>>, looks: &BTreeMap<String, Look>) -> String {
    let all: BTreeSet<&str> = settings.values().flatten().map(|trace| trace.what.as_str()).collect();
    let asked: BTreeSet<&str> = looks.values().flat_map(|look| &look.asked).map(String::as_str).collect();
    let join = |words: BTreeSet<&str>| text::display_line(&words.into_iter().collect::<Vec<_>>().join(", ")).into_owned();
    let mut parts = Vec::new();
    if !all.is_empty() {
        parts.push(format!("it puts {} back", join(all)));
    }
    if !asked.is_empty() {
        parts.push(format!("it keeps {} away", join(asked)));
    }
    parts.join("; ")
}

/// Lists what a test left behind.
pub(super) fn list(traces: &[&Trace]) -> String {
    const MOST: usize = 3;
    let mut out = traces.iter().take(MOST).map(|trace| trace.what.as_str()).collect::<Vec<_>>().join(", ");
    if traces.len() > MOST {
        out.push_str(", …");
    }
    out
}

/// Says how the runs differed, in few words: `alone, in 3 orders, 2 hash seeds, other folder and time zone`.
fn circumstances(runs: &[Run]) -> String {
    let manners: BTreeSet<Manner> = runs.iter().map(|run| run.manner).collect();
    let mut parts = Vec::new();
    if manners.contains(&Manner::Alone) {
        parts.push("alone".to_owned());
    }
    match manners.iter().filter(|manner| **manner != Manner::Alone).count() {
        0 => {}
        1 => parts.push("in company".to_owned()),
        orders => parts.push(format!("in {orders} orders")),
    }
    let fresh = runs.iter().filter(|run| run.fresh).count();
    if fresh > 0 {
        parts.push(format!("{fresh} fresh {}", if fresh == 1 { "process" } else { "processes" }));
    }
    let seeds: BTreeSet<u32> = runs.iter().filter_map(|run| run.hash_seed).collect();
    if !seeds.is_empty() {
        parts.push(text::count(seeds.len(), "hash seed"));
    }
    let variations: BTreeSet<Variation> = runs.iter().flat_map(|run| &run.varied).copied().collect();
    let place = |variation: &Variation| match variation {
        Variation::Folder => Some("folder"),
        Variation::TimeZone => Some("time zone"),
        Variation::Machine => Some("machine"),
        Variation::Later | Variation::RandomNumbers => None,
    };
    let places: Vec<&str> = variations.iter().filter_map(place).collect();
    if !places.is_empty() {
        parts.push(format!("other {}", and(&places)));
    }
    parts.extend(variations.iter().filter(|variation| place(variation).is_none()).map(|variation| varied(*variation).to_owned()));
    parts.join(", ")
}

/// Says in what a run differs.
#[must_use]
pub fn varied(variation: Variation) -> &'static str {
    match variation {
        Variation::Folder => "another folder",
        Variation::TimeZone => "another time zone",
        Variation::Machine => "another machine",
        Variation::Later => "400 days later",
        Variation::RandomNumbers => "other random numbers",
    }
}

fn and<T: AsRef<str>>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        other => other.concat(),
    }
}

/// Says what is worth knowing whatever the runs say.
pub(super) fn beside(draft: &Draft, ground: &Ground) -> Vec<Evidence> {
    let mut out = Vec::new();
    let mut private = private::looks(&draft.text);
    if ground.machine.iter().any(|fact| draft.text.contains(fact)) {
        private.push("what only this machine has");
    }
    if !private.is_empty() {
        out.push(Evidence::new(Finding::Note, EvidenceKind::Sensitive, private.join(", ")));
    }
    if draft.imports.iter().any(|import| import.starts_with("from unittest.mock import") && import.contains("ANY")) {
        out.push(Evidence::new(Finding::Note, EvidenceKind::Unasserted, "what differs from run to run: look at each ANY"));
    }
    if !draft.overlooked.is_empty() && !ground.edited {
        let mut named = draft.overlooked.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        if draft.overlooked.len() > NAMED {
            named.push_str(", …");
        }
        let mut line =
            Evidence::new(Finding::Note, EvidenceKind::Overlooked, format!("{named}: no assertion fails when it changes"));
        line.more = draft.overlooked.iter().skip(NAMED).take(OVERLOOKED_MAX).cloned().collect();
        out.push(line);
    }
    let replaced = stand_ins::named(&draft.text);
    if !replaced.is_empty() {
        let give = if replaced.len() == 1 { "gives" } else { "give" };
        let detail = format!("{} {give} what was recorded: nothing is asked again", and(&replaced));
        out.push(Evidence::new(Finding::Note, EvidenceKind::Mocks, detail));
    }
    if let Some(level) = &ground.containment {
        out.push(Evidence::new(Finding::Note, EvidenceKind::Sandbox, level.clone()));
    }
    let mut why = Vec::new();
    if let Some(recorded) = &ground.recorded {
        why.push(format!("recorded {recorded}"));
    }
    if ground.calls > 0 {
        why.push(told(ground.calls, ground.calls > COUNTED));
    }
    why.push(match ground.tests_there {
        0 => "no test yet".to_owned(),
        some => format!("{} there already", text::count(some, "test")),
    });
    out.push(Evidence::new(Finding::Note, EvidenceKind::Source, why.join(", ")));
    let mut left_out = draft.left_out.clone();
    left_out.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.reason.cmp(&b.reason)));
    let line = |left: &LeftOut| format!("{}: {}", text::count(size(left.calls), "call"), left.reason);
    let mut found = match left_out.as_slice() {
        [] => Evidence::new(Finding::Note, EvidenceKind::NotCovered, "nothing"),
        [only] => Evidence::new(Finding::Note, EvidenceKind::NotCovered, line(only)),
        some => {
            let total = text::count(size(some.iter().map(|left| left.calls).sum()), "call");
            Evidence::new(Finding::Note, EvidenceKind::NotCovered, format!("{total}, for {} reasons", some.len()))
        }
    };
    if left_out.len() > 1 {
        found.more = left_out.iter().map(line).collect();
    }
    out.push(found);
    out
}

fn size(calls: u64) -> usize {
    usize::try_from(calls).unwrap_or(usize::MAX)
}
