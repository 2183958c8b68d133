//! Whose doing it is when a test fails that passes alone: that of another test, or of the circumstances.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::error::Trouble;
use crate::domain::proposal::ProposalId;
use crate::engine::proving::trials::{Around, BACKWARD, Desk, FORWARD, LOOK, Observed, PAIR, SHUFFLED, hash_seed};
use crate::generate::prove::{Blame, TestResult, When, name_of};
use crate::pytest::report::{Interrupted, Outcome, Report};
use crate::pytest::warm::Heard;

/// Tests looked at as culprits when some fail after others.
const SUSPECTS: usize = 80;

impl Desk<'_> {
    /// Looks for what makes tests fail that pass alone: another test, or the circumstances.
    pub(crate) async fn find_culprits(
        &self,
        sound: &BTreeSet<String>,
        first: &Heard,
        others: &[(u32, Heard)],
        seen: &mut HashMap<ProposalId, Observed>,
    ) -> Result<(), Trouble> {
        let mut after: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (victim, before) in failures(first, FORWARD, sound) {
            after.entry(victim).or_default().extend(before);
        }
        for (nth, heard) in others {
            let mut failed: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for key in [BACKWARD, SHUFFLED] {
                failed.extend(failures(heard, key, sound));
            }
            if failed.is_empty() {
                continue;
            }
            for (name, when) in self.circumstances(*nth, failed.keys().cloned().collect()).await? {
                failed.remove(&name);
                if let Some(observed) = self.owner(&name).and_then(|id| seen.get_mut(&id)) {
                    observed.trial.blamed.insert(name_of(&name), when);
                }
            }
            for (victim, before) in failed {
                after.entry(victim).or_default().extend(before);
            }
        }
        for (culprit, victims) in self.spoiled(first, &after).await? {
            for victim in &victims {
                if let Some(observed) = self.owner(victim).and_then(|id| seen.get_mut(&id)) {
                    observed.trial.excused.insert(name_of(victim));
                }
            }
            if let (Some(observed), [victim, ..]) = (self.owner(&culprit).and_then(|id| seen.get_mut(&id)), &*victims) {
                observed.trial.spoilers.insert(name_of(&culprit), name_of(victim));
            }
        }
        Ok(())
    }

    /// Finds which of the circumstances of the nth Python tests fail in even when they run alone there.
    async fn circumstances(&self, nth: u32, tests: Vec<String>) -> Result<BTreeMap<String, Blame>, Trouble> {
        let alone = |tests: &[String]| {
            let each = self.run(LOOK, |run| {
                run.tests = Some(tests.to_vec());
                run.each = true;
            });
            vec![each]
        };
        let (python, _) = self.trials.python(nth).await?;
        let all = Around { zone: true, elsewhere: true, machine: true, plain: false };
        let heard = self.session(&python, &all, alone(&tests)).await?;
        let fine = passed_in(&heard, LOOK);
        let mut blamed = BTreeMap::new();
        let mut left: Vec<String> = tests.into_iter().filter(|test| !fine.contains(test)).collect();
        let single = [
            (Around { zone: true, ..Around::default() }, When::TimeZone),
            (Around { elsewhere: true, ..Around::default() }, When::Folder),
            (Around { machine: true, ..Around::default() }, When::Machine),
        ];
        for (around, when) in single {
            if left.is_empty() {
                break;
            }
            let heard = self.session(&self.first.0, &around, alone(&left)).await?;
            let fine = passed_in(&heard, LOOK);
            let failed = left.iter().filter(|test| !fine.contains(*test));
            blamed.extend(failed.map(|test| (test.clone(), blame(&heard, LOOK, test, when))));
            left.retain(|test| fine.contains(test));
        }
        let when = When::HashSeed(hash_seed(nth));
        blamed.extend(left.into_iter().map(|test| (test.clone(), blame(&heard, LOOK, &test, when))));
        Ok(blamed)
    }

    /// Finds which tests make which others fail, of those that leave something behind.
    async fn spoiled(
        &self,
        first: &Heard,
        after: &BTreeMap<String, BTreeSet<String>>,
    ) -> Result<Vec<(String, Vec<String>)>, Trouble> {
        let leaves = |test: &&String| first.looks.get(*test).is_some_and(|look| !look.left.is_empty());
        let suspects: BTreeSet<&String> = after.values().flatten().filter(leaves).collect();
        let victims_of = |suspect: &String| -> Vec<String> {
            after
                .iter()
                .filter(|(victim, before)| *victim != suspect && before.contains(suspect))
                .map(|(name, _)| name.clone())
                .collect()
        };
        let tried = suspects.into_iter().take(SUSPECTS).map(|suspect| (suspect.clone(), victims_of(suspect))).collect();
        // Victims leave traces too, so what failed behind a suspect and other victims is asked of the suspect alone.
        let found = self.failing_after(tried).await?;
        let pairs = found.iter().map(|(suspect, victims)| (suspect.clone(), victims[..1].to_vec())).collect();
        let sure: BTreeSet<String> = self.failing_after(pairs).await?.into_iter().map(|(suspect, _)| suspect).collect();
        Ok(found.into_iter().filter(|(suspect, _)| sure.contains(suspect)).collect())
    }

    /// Runs each of these tests and others after it; gives those after which some fail, with these.
    async fn failing_after(&self, tried: Vec<(String, Vec<String>)>) -> Result<Vec<(String, Vec<String>)>, Trouble> {
        if tried.is_empty() {
            return Ok(tried);
        }
        let runs = (PAIR..).zip(&tried).map(|(key, (suspect, victims))| {
            self.run(key, |run| {
                run.tests = Some(std::iter::once(suspect).chain(victims).cloned().collect());
                run.order = Some("listed");
            })
        });
        let heard = self.session(&self.first.0, &Around::default(), runs.collect()).await?;
        let fails = |key: u64, victim: &String| {
            let report = heard.reports.get(&(key, 0));
            report.is_some_and(|report| {
                report.results.iter().any(|result| result.nodeid == *victim && result.outcome != Outcome::Passed)
            })
        };
        let failing = (PAIR..).zip(tried).map(|(key, (suspect, mut victims))| {
            victims.retain(|victim| fails(key, victim));
            (suspect, victims)
        });
        Ok(failing.filter(|(_, victims)| !victims.is_empty()).collect())
    }
}

/// Says what a test fails of in a run, and when.
pub(crate) fn blame(heard: &Heard, key: u64, test: &str, when: When) -> Blame {
    let results = heard.reports.range((key, 0)..=(key, u64::MAX)).flat_map(|(_, report)| &report.results);
    let failed = results.into_iter().find(|result| result.nodeid == test).map(TestResult::from);
    let (message, lines) = failed.map_or_else(Default::default, |result| (result.message, result.lines));
    Blame { when, message, lines }
}

/// Lists the tests that passed in a run, by id.
pub(crate) fn passed_in(heard: &Heard, key: u64) -> BTreeSet<String> {
    let results = heard.reports.range((key, 0)..=(key, u64::MAX)).flat_map(|(_, report)| &report.results);
    results.filter(|result| result.outcome == Outcome::Passed).map(|result| result.nodeid.clone()).collect()
}

/// Lists the tests that pass alone and failed in a run in company, with those that ran before them.
fn failures(heard: &Heard, key: u64, sound: &BTreeSet<String>) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let Some(Report { results, .. }) = heard.reports.get(&(key, 0)) else { return found };
    for (at, result) in results.iter().enumerate() {
        let was_run = !Interrupted::before_it_began(result.interrupted);
        if result.outcome != Outcome::Passed && sound.contains(&result.nodeid) && was_run {
            found.insert(result.nodeid.clone(), results[..at].iter().map(|result| result.nodeid.clone()).collect());
        }
    }
    found
}
