//! Texts that somebody wrote are run once more with each assertion negated. If a test passes even then, the assertion does not decide
//! its result: the test catches its own failures, never runs the assertion, or changes what pytest reports. A text can avoid the
//! words that `source/internals.rs` refuses. It cannot avoid that a failing assertion fails its test.

use std::collections::{BTreeSet, HashMap};

use crate::base::error::Trouble;
use crate::domain::proposal::{Draft, ProposalId};
use crate::engine::proving::trials::{Around, Candidate, Desk, LOOK};
use crate::engine::python::fresh_process;
use crate::engine::state::background::blocking;
use crate::generate::prove::{Negations, belongs};
use crate::pytest::bench::Bench;
use crate::pytest::report::{Outcome, TestResult};
use crate::source::assertions::{Negated, negated};

/// Runs the negated texts of candidates whose tests pass, each test in a process of its own.
pub(super) async fn tried(
    desk: &Desk<'_>,
    candidates: &[Candidate],
    sound: &BTreeSet<String>,
) -> Result<HashMap<ProposalId, Negations>, Trouble> {
    let passing: BTreeSet<ProposalId> = sound.iter().filter_map(|nodeid| desk.owner(nodeid)).collect();
    let mut drafts: Vec<(ProposalId, Draft)> = Vec::new();
    let mut changes: Vec<Negated> = Vec::new();
    for one in candidates.iter().filter(|one| passing.contains(&one.id)) {
        for change in negated(&one.draft.text) {
            drafts.push((one.id, Draft { text: change.text.clone(), ..one.draft.clone() }));
            changes.push(change);
        }
    }
    if drafts.is_empty() {
        return Ok(HashMap::new());
    }
    let files: Vec<String> =
        drafts.iter().enumerate().map(|(at, (_, draft))| Bench::file_of(&draft.target, at).as_str().to_owned()).collect();
    let trials = desk.trials;
    let folder = trials.environment.provers.bench(trials.author)?;
    let (root, path, variables) = (trials.core.root.clone(), folder.path().to_owned(), trials.fresh.variables.clone());
    let (bench, owners) = blocking(move || fresh_process::lay_out(&root, &path, &drafts, &variables)).await??;
    let first = trials.python(0).await?;
    let other = Desk { trials, bench: &bench, files: &files, owners: &owners, with_roots: desk.with_roots, first };
    let each = other.run(LOOK, |run| run.each = true);
    let heard = other.session(&other.first.0, &Around { plain: true, ..Around::default() }, vec![each]).await?;
    if let Some(why) = heard.cold {
        return Err(Trouble::environment("Assertions could not be negated.").because(format!("{why}.")));
    }
    let results: Vec<&TestResult> = heard.reports.values().flat_map(|report| &report.results).collect();
    let mut found: HashMap<ProposalId, Negations> = HashMap::new();
    for (file, change) in files.iter().zip(changes) {
        let Some(id) = owners.get(file) else { continue };
        let negations = found.entry(*id).or_default();
        negations.tried += 1;
        let is_own = |result: &TestResult| {
            let (own, name) = result.nodeid.split_once("::").unwrap_or((&result.nodeid, ""));
            // The assertion of a helper belongs to all tests.
            own == file && (change.test.is_empty() || belongs(name, &change.test))
        };
        // Neither a skipped one fails, nor one that is not collected when its text is another.
        let fails = |result: &&TestResult| matches!(result.outcome, Outcome::Failed | Outcome::Error) && is_own(result);
        if !results.iter().any(fails) {
            negations.unnoticed.entry(change.test).or_insert(change.what);
        }
    }
    Ok(found)
}
