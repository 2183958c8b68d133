//! The intents of tests, judged while they run: pytest hands over the journey of one test, and gets a verdict.
//!
//! Works without a database and runs nothing: the functions are read from the sources, the journey from the folder that
//! the test's recorder wrote. What the clauses mean is `judge/`; what pytest makes of a verdict is the plugin's affair.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::base::text;
use crate::domain::batch::JourneyBlock;
use crate::domain::clause::Outcome;
use crate::domain::function::{Function, Module};
use crate::domain::journey::JourneyEvent;
use crate::domain::settings::Settings;
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling, Verdict};
use crate::engine::judging::{self, Understood};
use crate::judge::grammar;
use crate::judge::names::Names;
use crate::python::{interpreter, package};
use crate::record::ingest::Ingest;
use crate::record::journey::events;
use crate::record::launch::{Plan, Request as Launch};
use crate::source::index::Index;

/// Who decides when no model is asked.
const RULES: &str = "rules";

/// A test that has run, and what it is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The test, by its node id.
    pub test: String,
    /// Its file below the project's root.
    pub file: String,
    /// What it is for, in plain English.
    pub intent: String,
    /// What has to hold, in sentences; where there are none, the intent's own sentences.
    #[serde(default)]
    pub checks: Vec<String>,
    /// The folder that its journey was written to.
    pub journey: PathBuf,
}

/// What a test did.
pub struct Journey {
    /// In their order.
    pub events: Vec<JourneyEvent>,
    /// What was left out: reason and count.
    pub gaps: Vec<(String, u64)>,
    /// A recorder wrote something.
    pub recorded: bool,
}

/// Judges the tests of one project.
pub struct Judge {
    index: Arc<Index>,
}

impl Judge {
    /// Reads the project's sources.
    #[must_use]
    pub fn open(root: &Path, exclude: &[String]) -> Self {
        Self { index: Arc::new(Index::build(root, exclude, &|_, _| {})) }
    }

    /// Judges one test by what it did.
    #[must_use]
    pub fn judge(&self, request: &Request) -> Verdict {
        let journey = self.journey(&request.journey);
        if !journey.recorded {
            return nothing_recorded();
        }
        self.decide(request, &journey)
    }

    fn decide(&self, request: &Request, journey: &Journey) -> Verdict {
        let sentences = match sentences(request) {
            Ok(sentences) => sentences,
            Err(verdict) => return *verdict,
        };
        let names = self.names(&request.file);
        let cut = |clause: &_| judging::cut(&journey.gaps, clause);
        let decided =
            sentences.iter().map(|sentence| decided(&judging::decide(&names, &journey.events, &cut, sentence), sentence));
        fold(decided.collect())
    }

    /// Reads the journey that the recorder of a test wrote.
    fn journey(&self, folder: &Path) -> Journey {
        let index = self.index.clone();
        let resolve = move |path: &str, qualname: &str, line| {
            let path = RelPath::new(path)?;
            index.by_code(&path, qualname, line).map(|function| function.id.clone())
        };
        let mut ingest = Ingest::new(folder.to_owned(), Moment(0), Redactor::from_environment(), Box::new(resolve));
        let mut blocks: Vec<JourneyBlock> = Vec::new();
        ingest.finish(&mut |batch, _| blocks.extend(batch.journey));
        let summary = ingest.summary();
        Journey { events: events(blocks, Moment(0)), gaps: summary.gaps.clone(), recorded: summary.recorder_seen }
    }

    /// Lists what a clause of a test may name: the project's functions, and those of its own file and of conftest files.
    fn names(&self, file: &str) -> Names {
        let visible =
            |module: &Module| !module.is_test() || module.path.as_str() == file || module.path.file_name() == "conftest.py";
        let named = |function: &&Function| self.index.module_of(&function.id).is_none_or(visible);
        Names::new(self.index.functions().filter(named))
    }
}

/// Prepares pytest with our plugin put in, as the project's own interpreter runs it; nothing is installed.
///
/// # Errors
/// When there is no interpreter, no pytest, or our package cannot be written.
pub fn pytest(root: &Path, settings: &Settings, words: &[String]) -> Result<Command, Trouble> {
    let interpreter = interpreter::find(root, settings.python.as_deref())?;
    if interpreter.pytest.is_none() {
        return Err(interpreter.without_pytest());
    }
    let package = package::install()?;
    let cwd = std::env::current_dir().ok().filter(|cwd| cwd.starts_with(root)).unwrap_or_else(|| root.to_owned());
    let typed: Vec<String> =
        ["-m", "pytest", "-p", "pytead_tui.pytest_plugin"].map(str::to_owned).into_iter().chain(words.iter().cloned()).collect();
    let plan = Plan::new(&Launch {
        typed: &typed,
        root,
        cwd: &cwd,
        interpreter: Some(&interpreter.path),
        package: &package,
        record: &settings.record,
        redact: &settings.redact,
        journey: true,
    })?;
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).current_dir(&plan.cwd);
    for (name, value) in &plan.env {
        match value {
            Some(value) if *name == "PYTHONPATH" => command.env(name, importing(&package, value)?),
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let own =
        std::env::current_exe().map_err(|error| Trouble::environment("This program does not find itself.").because(error))?;
    command.env("PYTEAD_TUI", own);
    Ok(command)
}

/// Puts our package in the place of what starts the recorder of a whole program.
fn importing(package: &package::Package, search: &OsString) -> Result<OsString, Trouble> {
    let others = std::env::split_paths(search).filter(|path| *path != package.boot);
    std::env::join_paths(std::iter::once(package.folder.clone()).chain(others))
        .map_err(|error| Trouble::environment("pytest cannot be started with this folder.").because(format!("{error}.")))
}

/// Gives the sentences that decide an intent, or the verdict where there are none.
fn sentences(request: &Request) -> Result<Vec<String>, Box<Verdict>> {
    let own = |text: &str| grammar::sentences(text).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let checks: Vec<String> = request.checks.iter().flat_map(|text| own(text)).collect();
    if !checks.is_empty() {
        return Ok(checks);
    }
    let intent = own(&request.intent);
    if !intent.is_empty() && intent.iter().all(|sentence| grammar::parse(sentence).is_ok()) {
        return Ok(intent);
    }
    let why = match intent.iter().find_map(|sentence| grammar::parse(sentence).err()) {
        None => "The intent is empty.".to_owned(),
        Some(unclear) => format!("No clause says what has to hold for “{}”.", text::display_line(&unclear.sentence)),
    };
    let reason = format!("{why} Say it in sentences that rules can decide: checks=[\"A is called before B\"].");
    Err(Box::new(verdict(Ruling::Unclear, reason, Vec::new())))
}

fn verdict(ruling: Ruling, reason: String, clauses: Vec<Decided>) -> Verdict {
    Verdict { verdict: ruling, overridden: false, evaluator: RULES.into(), reason, clauses }
}

/// Nothing was recorded, so nothing can be said about the test.
fn nothing_recorded() -> Verdict {
    verdict(Ruling::Error, "Nothing of the test was recorded, so nothing can be decided.".into(), Vec::new())
}

fn decided(understood: &Understood, sentence: &str) -> Decided {
    let safe = |text: &str| text::display_line(text).into_owned();
    match understood {
        Understood::Clause { clause, finding, shown } => Decided {
            text: safe(clause),
            outcome: match finding.outcome {
                Outcome::Holds { .. } => ClauseOutcome::Holds,
                Outcome::Violated => ClauseOutcome::Violated,
                Outcome::Vacuous => ClauseOutcome::Vacuous,
                Outcome::Unknown { .. } => ClauseOutcome::Unknown,
            },
            evidence: finding.evidence.iter().map(ToString::to_string).collect(),
            why: safe(&finding.why),
            shown: shown.iter().chain(&finding.closest).filter(|line| **line != finding.why).map(|line| safe(line)).collect(),
        },
        Understood::Unclear { unclear, instead } => Decided {
            text: safe(sentence),
            outcome: ClauseOutcome::Unclear,
            evidence: Vec::new(),
            why: safe(unclear),
            shown: instead.iter().map(|form| format!("can be said: {form}")).collect(),
        },
    }
}

/// One violated clause fails the intent; one that is left open leaves it open; it takes one that really happened to pass.
fn fold(clauses: Vec<Decided>) -> Verdict {
    use ClauseOutcome as O;
    let first = |outcomes: &[O]| clauses.iter().find(|clause| outcomes.contains(&clause.outcome));
    let said = |clause: &Decided| format!("{}: {}", clause.text, clause.why);
    let (ruling, reason) = if let Some(violated) = first(&[O::Violated]) {
        (Ruling::Fail, said(violated))
    } else if let Some(open) = first(&[O::Unknown, O::Unclear]) {
        (Ruling::Unclear, said(open))
    } else if first(&[O::Holds]).is_none() {
        (Ruling::Unclear, "Nothing happened that the clauses speak of.".to_owned())
    } else {
        let holding = clauses.iter().filter(|clause| clause.outcome == O::Holds).count();
        let verb = if holding == 1 { "holds" } else { "hold" };
        (Ruling::Pass, format!("{} of {} {verb}.", holding, text::count(clauses.len(), "clause")))
    };
    verdict(ruling, reason, clauses)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(outcome: ClauseOutcome) -> Decided {
        Decided { text: "A is called".into(), outcome, evidence: vec![], why: "Why.".into(), shown: vec![] }
    }

    #[test]
    fn one_violated_clause_fails_and_nothing_passes_by_default() {
        use ClauseOutcome as O;
        let ruling = |outcomes: &[O]| fold(outcomes.iter().map(|outcome| clause(*outcome)).collect()).verdict;
        assert_eq!(ruling(&[O::Holds, O::Unknown, O::Violated]), Ruling::Fail);
        assert_eq!(ruling(&[O::Holds, O::Unknown]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Holds, O::Unclear]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Vacuous, O::Vacuous]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Vacuous, O::Holds]), Ruling::Pass);
        assert_eq!(ruling(&[]), Ruling::Unclear);
    }

    #[test]
    fn an_intent_of_clauses_needs_no_checks_and_free_english_is_never_guessed() {
        let request = |intent: &str, checks: &[&str]| Request {
            test: "t.py::t".into(),
            file: "t.py".into(),
            intent: intent.into(),
            checks: checks.iter().map(|check| (*check).to_owned()).collect(),
            journey: PathBuf::new(),
        };
        assert_eq!(sentences(&request("A is called. B is never called.", &[])).map(|all| all.len()), Ok(2));
        assert_eq!(sentences(&request("Save the user", &["A is called\nB is called"])).map(|all| all.len()), Ok(2));
        let unclear = sentences(&request("A is called. Save the user politely.", &[])).map_err(|verdict| verdict.verdict);
        assert_eq!(unclear, Err(Ruling::Unclear));
        assert_eq!(sentences(&request(" ", &[])).map_err(|verdict| verdict.verdict), Err(Ruling::Unclear));
    }
}
