//! A person accepts, for the intent of a test, clauses or what the test does today. Both are files of the project, for
//! reviews to read.

use std::path::Path;

use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_text};
use crate::base::text;
use crate::domain::decision::FileEdit;
use crate::engine::checks::pytest_run::{TestReport, TestReports};
use crate::judge::grammar;
use crate::judge::lock::{self, Entry, Lock};
use crate::source::git;
use crate::write::apply::{apply, slug};

/// What was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The test.
    pub test: String,
    /// Lines of its journey; none where clauses were accepted.
    pub journey: Option<usize>,
    /// Sentences of the intent that no clause covers.
    pub uncovered: Vec<String>,
    /// Clauses that were accepted for the same intent before, and are no more.
    pub replaced: Vec<String>,
}

/// Accepts clauses, or where there are none the journey, for each test that has an intent. A sentence of the intent that shares
/// no word with any clause is noted as not covered, unless the person says that all is.
///
/// # Errors
/// When a sentence is no clause, no test has an intent, or the files cannot be written.
pub fn accept(root: &Path, reports: &TestReports, clauses: &[String], covers_all: bool) -> Result<Vec<Accepted>, Trouble> {
    let (edits, accepted) = plan(root, reports, clauses, covers_all)?;
    apply(root, &edits)?;
    Ok(accepted)
}

/// Reads clauses, each as the grammar writes it.
///
/// # Errors
/// When a sentence is no clause.
pub fn sentences(clauses: &[String]) -> Result<Vec<String>, Trouble> {
    let read = |sentence: &str| {
        let clause = grammar::parse(sentence).map_err(|unclear| {
            Trouble::usage(format!("“{}” is no clause.", text::display_line(sentence))).because(unclear.to_string())
        })?;
        Ok(clause.to_string())
    };
    clauses.iter().flat_map(|text| grammar::sentences(text)).map(read).collect()
}

/// Says what accepting would write: each file once.
///
/// # Errors
/// As [`accept`], but nothing is written.
pub fn plan(
    root: &Path,
    reports: &TestReports,
    clauses: &[String],
    covers_all: bool,
) -> Result<(Vec<FileEdit>, Vec<Accepted>), Trouble> {
    let sentences = sentences(clauses)?;
    let with_intents: Vec<(&String, &TestReport)> = reports.iter().filter(|(_, test)| !test.intent.trim().is_empty()).collect();
    if with_intents.is_empty() {
        return Err(Trouble::usage("None of these tests has an intent that ran to its end.")
            .so("An intent is given by @semantic_test(intent=\"…\"); see docs/intents.md."));
    }
    let before = read(root, lock::PATH)?;
    let mut entries = Lock::read(before.as_deref())?;
    let mut edits = Vec::new();
    let mut accepted = Vec::new();
    let reviewer = reviewer(root);
    for (name, test) in with_intents {
        let journey = sentences.is_empty().then(|| lock::journey_hash(&test.journey));
        if journey.is_some() {
            let path = journey_path(name);
            let content = test.journey.join("\n") + "\n";
            let old = read(root, &path)?;
            if old.as_deref() != Some(&content) {
                edits.push(edit(&path, old, content)?);
            }
        }
        let entry = Entry {
            intent: lock::intent_hash(&test.intent),
            clauses: sentences.clone(),
            spans: lock::spans(&test.intent, &sentences, &rendered(test), covers_all),
            journey,
            accepted_by: reviewer.clone(),
        };
        let before = entries.get(name).filter(|before| before.intent == entry.intent);
        let replaced = before.into_iter().flat_map(|before| &before.clauses).filter(|clause| !sentences.contains(clause));
        accepted.push(Accepted {
            replaced: replaced.cloned().collect(),
            test: name.clone(),
            journey: entry.journey.is_some().then_some(test.journey.len()),
            uncovered: entry.uncovered().map(str::to_owned).collect(),
        });
        entries.note(name.clone(), entry);
    }
    let text = entries.text()?;
    if before.as_deref() != Some(&text) {
        edits.push(edit(lock::PATH, before, text)?);
    }
    Ok((edits, accepted))
}

/// Lists the clauses that a model proposed for a test, each with the words of the intent that it says.
fn rendered(test: &TestReport) -> Vec<(String, String)> {
    let proposed = test.verdict.as_ref().and_then(|verdict| verdict.proposed.as_ref());
    let clauses = proposed.into_iter().flat_map(|proposed| &proposed.clauses);
    clauses.map(|clause| (clause.text.clone(), clause.span.clone())).collect()
}

/// Gives the file of a test's accepted journey, below the project's root.
pub fn journey_path(test: &str) -> String {
    format!("{}/{}.txt", lock::JOURNEYS, slug(test))
}

fn edit(path: &str, before: Option<String>, after: String) -> Result<FileEdit, Trouble> {
    let path = RelPath::new(path).ok_or_else(|| Trouble::internal(format!("{path} is no path of the project.")))?;
    Ok(FileEdit { path, before, after: Some(after) })
}

/// Reads a file of the project; none where there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read(root: &Path, path: &str) -> Result<Option<String>, Trouble> {
    match read_text(&root.join(path)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Trouble::environment(format!("{path} cannot be read.")).because(format!("{error}."))),
    }
}

/// Gives the name of who decides here: as git has it for this project, else the user's of the machine.
pub(crate) fn reviewer(root: &Path) -> String {
    git::name(root).map_or_else(account, |name| text::display_line(&name).into_owned())
}

/// Gives the name of the user of the machine: as the environment has it, else as the system's list of users.
pub(crate) fn account() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|name| !name.trim().is_empty());
    let listed = || nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten().map(|user| user.name);
    let name = set("USER").or_else(|| set("LOGNAME")).or_else(listed);
    text::display_line(&name.unwrap_or_else(|| "unknown".to_owned())).into_owned()
}
