//! The intents of tests, judged while they run: pytest hands over the journey of one test, and gets a verdict.
//!
//! Works without a database and runs nothing: the functions are read from the sources, the journey from the folder that
//! the test's recorder wrote. What the clauses mean is `judge/`; what pytest makes of a verdict is the plugin's affair.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::redact::Redactor;
use crate::base::text;
use crate::contain;
use crate::domain::batch::JourneyBlock;
use crate::domain::clause::Outcome;
use crate::domain::function::{Function, FunctionId, Module};
use crate::domain::journey::JourneyEvent;
use crate::domain::settings::Settings;
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling, Show, Verdict};
use crate::engine::accepting;
use crate::engine::judging::{self, Understood};
use crate::engine::leaving::{self, Seen};
use crate::engine::programs;
use crate::judge::evaluate::Missing;
use crate::judge::lock::{self, Lock};
use crate::judge::names::{Bound, Names};
use crate::judge::suggest::{Suggestion, suggest};
use crate::judge::{approved, grammar, telling};
use crate::python::{interpreter, package};
use crate::record::ingest::Ingest;
use crate::record::journey::{events, started};
use crate::record::launch::{Plan, Request as Launch};
use crate::source::index::Index;

/// Who decides when no model is asked.
const RULES: &str = "rules";
/// Lines of a journey given for a clause.
const EVIDENCE_MAX: usize = 20;
/// Who decides by a journey that a person accepted.
const APPROVED: &str = "approved";

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
    /// What is wanted beside the verdict.
    #[serde(default)]
    pub show: Vec<Show>,
}

/// What a test did.
pub struct Journey {
    /// In their order.
    pub events: Vec<JourneyEvent>,
    /// What was left out: reason and count.
    pub gaps: Vec<(String, u64)>,
    /// Why the calls of another program are missing, if it started one.
    pub elsewhere: Option<Missing>,
    /// A recorder wrote something.
    pub recorded: bool,
}

impl Journey {
    fn missing(&self, clause: &Bound) -> Option<Missing> {
        self.elsewhere.clone().or_else(|| judging::cut(&self.gaps, clause))
    }
}

/// Judges the tests of one project.
pub struct Judge {
    root: PathBuf,
    /// When the run began.
    began: Moment,
    index: Arc<Index>,
    /// What was accepted, or why that cannot be read.
    lock: Result<Lock, String>,
}

impl Judge {
    /// Reads the project's sources.
    #[must_use]
    pub fn open(root: &Path, exclude: &[String]) -> Self {
        let began = clock::now();
        let lock = accepting::read(root, lock::PATH).and_then(|text| Lock::read(text.as_deref()));
        let lock = lock.map_err(|trouble| text::display_line(&trouble.to_string()).into_owned());
        Self { root: root.to_owned(), began, index: Arc::new(Index::build(root, exclude, &|_, _| {})), lock }
    }

    /// Judges one test by what it did.
    #[must_use]
    pub fn judge(&self, request: &Request) -> Verdict {
        let journey = self.journey(&request.journey);
        if !journey.recorded {
            return nothing_recorded();
        }
        let verdict = self.decide(request, &journey);
        let accepts = sentences(request).is_err();
        let open = accepts && verdict.verdict == Ruling::Unclear;
        let suggestions = if open { self.show(Show::Suggestions, request, &journey) } else { Vec::new() };
        let seen = Seen { events: &journey.events, gaps: &journey.gaps, began: self.began, accepts, suggestions };
        leaving::leave(&self.root, request, &verdict, seen);
        let shown = request.show.iter().map(|show| (*show, self.show(*show, request, &journey))).collect();
        Verdict { shown, ..verdict }
    }

    fn show(&self, show: Show, request: &Request, journey: &Journey) -> Vec<String> {
        match show {
            Show::Journey => self.told(&journey.events),
            Show::Lines => self.lines(&journey.events),
            Show::Suggestions => suggestions(journey, &self.names(&request.file), &request.intent),
        }
    }

    /// Tells a journey, then the source of each function once.
    fn told(&self, events: &[JourneyEvent]) -> Vec<String> {
        let mut out = telling::tell(events);
        for (module, function) in self.sources(telling::called(events)) {
            let text = self.index.text(&module.path).unwrap_or_default();
            let lines = text.lines().skip(function.span.first as usize - 1);
            let source = lines.take((function.span.last + 1 - function.span.first) as usize);
            out.push(String::new());
            out.push(format!("# {}, {}:{}", function.id.qualname(), module.path.as_str(), function.span.first));
            out.extend(source.map(|line| text::display_line(line).into_owned()));
        }
        out
    }

    /// Lists the functions that ran, each line with the number of activations that reached it.
    fn lines(&self, events: &[JourneyEvent]) -> Vec<String> {
        let mut out = Vec::new();
        for (module, function) in self.sources(telling::called(events)) {
            let reached = telling::reached(events, &function.id);
            let text = self.index.text(&module.path).unwrap_or_default();
            out.push(format!("{}, {}", function.id.qualname(), module.path.as_str()));
            for (number, line) in
                (1..).zip(text.lines()).filter(|(number, _)| (function.span.first..=function.span.last).contains(number))
            {
                let times = reached.get(&number).map_or(String::new(), |times| format!("×{times}"));
                out.push(format!("{number:>5} {times:>5}  {}", text::display_line(line)));
            }
        }
        out
    }

    fn sources<'a>(&'a self, functions: Vec<&'a FunctionId>) -> impl Iterator<Item = (&'a Module, &'a Function)> {
        functions.into_iter().filter_map(|id| Some((self.index.module_of(id)?, self.index.function(id)?)))
    }

    fn decide(&self, request: &Request, journey: &Journey) -> Verdict {
        match sentences(request) {
            Ok(sentences) => self.by_clauses(request, journey, &sentences),
            Err(open) => self.by_what_was_accepted(request, journey).unwrap_or(*open),
        }
    }

    /// Decides by what a person accepted for the test; none where nothing was.
    fn by_what_was_accepted(&self, request: &Request, journey: &Journey) -> Option<Verdict> {
        let entry = match &self.lock {
            Ok(lock) => lock.get(&request.test)?,
            Err(why) => return Some(verdict(Ruling::Error, why.clone(), Vec::new())),
        };
        let anew = format!("Accept it anew: pytead-tui check --accept {}.", text::display_line(&request.test));
        if entry.intent != lock::intent_hash(&request.intent) {
            let reason = format!("The intent changed since {} accepted it. {anew}", text::display_line(&entry.accepted_by));
            return Some(verdict(Ruling::Unclear, reason, Vec::new()));
        }
        if !entry.clauses.is_empty() {
            return Some(self.by_clauses(request, journey, &entry.clauses));
        }
        let unclear = |why: &str| (Ruling::Unclear, format!("{why} {anew}"));
        let told = telling::tell(&journey.events);
        let accepted = accepting::read(&self.root, &accepting::journey_path(&request.test)).ok().flatten();
        let accepted: Option<Vec<String>> = accepted.map(|text| text.lines().map(str::to_owned).collect());
        let (ruling, reason) = match accepted.filter(|lines| entry.journey.as_ref() == Some(&lock::journey_hash(lines))) {
            None => unclear("The accepted journey is not there, or not as it was accepted."),
            Some(_) if !journey.gaps.is_empty() => unclear("The recording is not complete."),
            Some(accepted) => match approved::changed(&accepted, &told) {
                None => (Ruling::Pass, format!("It does what {} accepted.", text::display_line(&entry.accepted_by))),
                Some(change) => unclear(&format!("The journey changed: {change}")),
            },
        };
        Some(Verdict { evaluator: APPROVED.into(), ..verdict(ruling, reason, Vec::new()) })
    }

    fn by_clauses(&self, request: &Request, journey: &Journey, sentences: &[String]) -> Verdict {
        let names = self.names(&request.file);
        let missing = |clause: &_| journey.missing(clause);
        let decided =
            sentences.iter().map(|sentence| decided(&judging::decide(&names, &journey.events, &missing, sentence), sentence));
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
        let elsewhere = programs::missing(&started(&blocks));
        Journey { events: events(blocks, Moment(0)), gaps: summary.gaps.clone(), elsewhere, recorded: summary.recorder_seen }
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

/// Makes a private folder that goes when it is dropped.
///
/// # Errors
/// When there is no place for temporary files.
pub fn scratch() -> Result<tempfile::TempDir, Trouble> {
    contain::private_folder(&std::env::temp_dir(), ".pytead-check-")
        .map_err(|error| Trouble::environment("There is no place for temporary files.").because(error))
}

/// What tests did, as pytest's plugin told it: by node id, line by line, without their sources.
pub type Told = BTreeMap<String, ToldTest>;

/// What one test did, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToldTest {
    /// Its intent; empty where it has none.
    pub intent: String,
    /// Line by line.
    pub journey: Vec<String>,
}

/// Reads what the plugin wrote of each test.
///
/// # Errors
/// When it cannot be read.
pub fn told(path: &Path) -> Result<Told, Trouble> {
    #[derive(Deserialize)]
    struct Line {
        test: String,
        intent: String,
        journey: Vec<String>,
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Trouble::environment("What the tests did was not written.").because(format!("{error}.")))?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
    let without_sources = |journey: Vec<String>| journey.into_iter().take_while(|line| !line.is_empty()).collect();
    let told = |line: Line| (line.test, ToldTest { intent: line.intent, journey: without_sources(line.journey) });
    Ok(lines.map(told).collect())
}

/// Lists the tests that did something else the second time, with the lines that differ.
#[must_use]
pub fn unstable(first: &Told, second: &Told) -> Vec<(String, Vec<String>)> {
    let nothing = ToldTest::default();
    let differing = first.iter().filter_map(|(test, one)| {
        let other = second.get(test).unwrap_or(&nothing);
        let (one, other) = (one.journey.join("\n") + "\n", other.journey.join("\n") + "\n");
        let diff = TextDiff::from_lines(&one, &other);
        let changed = diff.iter_all_changes().filter_map(|change| match change.tag() {
            ChangeTag::Equal => None,
            ChangeTag::Delete => Some(format!("- {}", change.value().trim_end())),
            ChangeTag::Insert => Some(format!("+ {}", change.value().trim_end())),
        });
        let changed: Vec<String> = changed.collect();
        (!changed.is_empty()).then(|| (test.clone(), changed))
    });
    differing.collect()
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
    let reason = format!(
        "{why} Say it in sentences that rules can decide: checks=[\"A is called before B\"], or accept what it does: \
         pytead-tui check --accept {}.",
        text::display_line(&request.test)
    );
    Err(Box::new(verdict(Ruling::Unclear, reason, Vec::new())))
}

/// Proposes clauses, of which none is left open by what is missing.
fn suggestions(journey: &Journey, names: &Names, intent: &str) -> Vec<String> {
    let line = |suggestion: Suggestion| match suggestion.notices.as_slice() {
        [] => format!("{}    # notices nothing small", suggestion.text),
        notices => format!("{}    # notices {}", suggestion.text, notices.join(", ")),
    };
    let holds = |suggestion: &Suggestion| {
        let missing = |clause: &_| journey.missing(clause);
        let understood = judging::decide(names, &journey.events, &missing, &suggestion.text);
        matches!(understood, Understood::Clause { finding, .. } if matches!(finding.outcome, Outcome::Holds { .. }))
    };
    suggest(&journey.events, names, intent)
        .into_iter()
        .filter(holds)
        .map(line)
        .map(|line| text::display_line(&line).into_owned())
        .collect()
}

fn verdict(ruling: Ruling, reason: String, clauses: Vec<Decided>) -> Verdict {
    Verdict { verdict: ruling, overridden: false, evaluator: RULES.into(), reason, clauses, shown: BTreeMap::new() }
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
            evidence: finding.evidence.iter().take(EVIDENCE_MAX).map(ToString::to_string).collect(),
            why: safe(&finding.why),
            shown: shown
                .iter()
                .take(EVIDENCE_MAX)
                .chain(&finding.closest)
                .filter(|line| **line != finding.why)
                .map(|line| safe(line))
                .collect(),
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
            show: Vec::new(),
        };
        assert_eq!(sentences(&request("A is called. B is never called.", &[])).map(|all| all.len()), Ok(2));
        assert_eq!(sentences(&request("Save the user", &["A is called\nB is called"])).map(|all| all.len()), Ok(2));
        let unclear = sentences(&request("A is called. Save the user politely.", &[])).map_err(|verdict| verdict.verdict);
        assert_eq!(unclear, Err(Ruling::Unclear));
        assert_eq!(sentences(&request(" ", &[])).map_err(|verdict| verdict.verdict), Err(Ruling::Unclear));
    }
}
