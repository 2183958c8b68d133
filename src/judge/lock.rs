//! What persons accepted for the intents of tests: `tests/semantic.lock.yaml`, one line a test, sorted, for reviews to read
//! and for git to merge.
//!
//! An entry belongs to the words of its intent: when they change it is stale, and decides nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::base::error::Trouble;
use crate::base::lines::{self, Twice};
use crate::base::{hash, yaml};
use crate::judge::covering::left_over;
use crate::judge::grammar;
use crate::judge::suggest::words;

/// Where the lock is, below the project's root.
pub const PATH: &str = "tests/semantic.lock.yaml";
/// Where accepted journeys are, below the project's root.
pub const JOURNEYS: &str = "tests/semantic.journeys";

const HEADER: &str = "# What was accepted for the intents of tests. Written by pytead-tui check --accept.\n";

/// What was accepted for one test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// A hash of the words of the intent.
    pub intent: String,
    /// The clauses that decide it; where there are none, its journey does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<String>,
    /// Each sentence of the intent, or the words of one that clauses were proposed for, with the clauses that cover it; none
    /// where no clause does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spans: BTreeMap<String, Vec<String>>,
    /// A hash of the accepted journey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journey: Option<String>,
    /// Who accepted it.
    pub accepted_by: String,
}

/// The entries by node id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    entries: BTreeMap<String, Entry>,
}

impl Entry {
    /// Lists the sentences of the intent that no clause covers.
    pub fn uncovered(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().filter(|(_, clauses)| clauses.is_empty()).map(|(span, _)| span.as_str())
    }
}

impl Lock {
    /// Reads a lock; no file is an empty one.
    ///
    /// # Errors
    /// When the text is none.
    pub fn read(text: Option<&str>) -> Result<Self, Trouble> {
        let text = text.unwrap_or_default();
        if text.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
            return Ok(Self::default());
        }
        // Where two persons accepted different things for one test, neither counts.
        let entries = yaml::read(&lines::of_both_sides(text, Twice::Neither)).map_err(|error| {
            Trouble::environment(format!("{PATH} cannot be read."))
                .because(format!("{error}."))
                .so("Correct it, or take it back from git.")
        })?;
        Ok(Self { entries })
    }

    /// Writes the lock; equal locks give equal text.
    ///
    /// # Errors
    /// When an entry has no form in JSON.
    pub fn text(&self) -> Result<String, Trouble> {
        lines::write(HEADER, self.entries.iter().map(|(test, entry)| (test.clone(), entry)))
            .map_err(|error| Trouble::internal(format!("{PATH} could not be written.")).because(error.to_string()))
    }

    /// Gives what was accepted for a test.
    #[must_use]
    pub fn get(&self, test: &str) -> Option<&Entry> {
        self.entries.get(test)
    }

    /// Notes what is accepted for a test.
    pub fn note(&mut self, test: String, entry: Entry) {
        self.entries.insert(test, entry);
    }
}

/// Hashes the words of an intent: how they are spaced means nothing.
#[must_use]
pub fn intent_hash(intent: &str) -> String {
    let words: Vec<&str> = intent.split_whitespace().collect();
    hash::of(words.join(" ").as_bytes()).to_string()
}

/// Hashes a journey as it was told.
#[must_use]
pub fn journey_hash(told: &[String]) -> String {
    hash::of(told.join("\n").as_bytes()).to_string()
}

/// Finds which clauses cover which words of an intent: those that were proposed for some (`rendered`: clause and words) cover
/// these, the others the sentences that they share a word with; with `all`, every clause covers what nothing else does. Nothing
/// where there are no clauses.
#[must_use]
pub fn spans(intent: &str, clauses: &[String], rendered: &[(String, String)], all: bool) -> BTreeMap<String, Vec<String>> {
    if clauses.is_empty() {
        return BTreeMap::new();
    }
    let rendering = |clause: &String| rendered.iter().find(|(own, _)| own == clause).map(|(_, span)| span.clone());
    let mut spans: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut others: Vec<&String> = Vec::new();
    for clause in clauses {
        match rendering(clause) {
            Some(span) => spans.entry(span).or_default().push(clause.clone()),
            None => others.push(clause),
        }
    }
    for left in left_over(intent, spans.keys().map(String::as_str)) {
        if let Ok(clause) = grammar::parse(&left) {
            spans.insert(left, vec![clause.to_string()]); // it says itself what has to hold
            continue;
        }
        let spoken: Vec<String> = words(&left).collect();
        let shares = |clause: &&&String| words(clause).any(|word| spoken.contains(&word));
        let own: Vec<String> = others.iter().filter(shares).map(|clause| (*clause).clone()).collect();
        spans.insert(left, if own.is_empty() && all { clauses.to_vec() } else { own });
    }
    spans
}

/// Hashes all that decides a test: the intent's words, the clauses beside it, and what was accepted for it.
#[must_use]
pub fn meaning_hash(intent: &str, checks: &[String], entry: Option<&Entry>) -> String {
    let mut hasher = hash::Hasher::default();
    hasher.part(intent_hash(intent).as_bytes());
    checks.iter().for_each(|check| {
        hasher.part(intent_hash(check).as_bytes());
    });
    if let Some(entry) = entry {
        hasher.part(b"accepted");
        entry.clauses.iter().for_each(|clause| {
            hasher.part(clause.as_bytes());
        });
        hasher.part(entry.journey.as_deref().unwrap_or_default().as_bytes());
        entry.uncovered().for_each(|span| {
            hasher.part(span.as_bytes());
        });
    }
    hasher.digest().to_string()
}
