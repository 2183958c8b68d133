//! Searches beside recorded calls: what the worker is asked, and what it found (`docs/worker.md`, `near`).

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use crate::domain::near::Apart;
use crate::python::protocol::WireCall;

/// A function and its recorded calls.
#[derive(Debug, Serialize)]
pub struct Item<'a> {
    /// Comes back with what was found.
    pub key: u64,
    /// Its module.
    pub module: &'a str,
    /// The module's file, relative to the root.
    pub path: &'a str,
    /// Its name there.
    pub qualname: &'a str,
    /// How long the search may take.
    pub wait_ms: u64,
    /// Its calls.
    pub calls: Vec<WireCall<'a>>,
    /// Inputs that earlier searches found.
    pub again: Vec<Again>,
    /// The current version is told from itself with faults.
    pub faults: bool,
}

/// An input that an earlier search found.
#[derive(Debug, Serialize)]
pub struct Again {
    /// The key of the recorded call that it was near to.
    pub call: u64,
    /// Its arguments, marshalled, in base64.
    pub args: String,
}

impl Again {
    /// Writes an input for the worker.
    #[must_use]
    pub fn new(call: u64, args: &[u8]) -> Self {
        Self { call, args: BASE64.encode(args) }
    }
}

/// What came of the search for one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// The key of the function.
    pub key: u64,
    /// What it found, or why it could not be searched.
    pub result: Result<Outcome, String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The inputs that both versions tell apart.
    pub found: Vec<Found>,
    /// How many were tried.
    pub tried: u64,
    /// Recorded calls that did not end alone: no input was made of them.
    pub unmade: u64,
}

/// An input that two versions tell apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its arguments, marshalled, as those of a recorded call.
    pub args: Vec<u8>,
    /// The key of the nearest recorded call.
    pub call: u64,
    /// The part that differs from that call's.
    pub place: String,
    /// In what it differs.
    pub how: Apart,
    /// By how much.
    pub by: String,
    /// How it ended before, marshalled.
    pub old: Vec<u8>,
    /// How it ends now, marshalled.
    pub new: Vec<u8>,
}

/// As it travels.
#[derive(Deserialize)]
struct Wired {
    args: String,
    call: u64,
    place: String,
    how: Apart,
    by: String,
    old: String,
    new: String,
}

impl Outcome {
    /// Reads what a reply holds; `None` where it is no answer to a search.
    #[must_use]
    pub fn read(fields: &serde_json::Value) -> Option<Self> {
        let wired: Vec<Wired> = serde_json::from_value(fields.get("near")?.clone()).ok()?;
        let found = wired.into_iter().map(|one| {
            let bytes = |text: &str| BASE64.decode(text).ok();
            let (args, old, new) = (bytes(&one.args)?, bytes(&one.old)?, bytes(&one.new)?);
            Some(Found { args, call: one.call, place: one.place, how: one.how, by: one.by, old, new })
        });
        let number = |name: &str| fields.get(name)?.as_u64();
        Some(Self { found: found.collect::<Option<_>>()?, tried: number("tried")?, unmade: number("unmade")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_answer_to_a_search_is_not_read() {
        let one = serde_json::json!({
            "args": "AA==", "call": 3, "place": "n", "how": "number", "by": "1", "old": "AQ==", "new": "Ag==",
        });
        let Outcome { found, tried, unmade } =
            Outcome::read(&serde_json::json!({ "near": [one], "tried": 7, "unmade": 2 })).unwrap();
        assert_eq!((found.len(), found[0].how, found[0].old.as_slice(), tried, unmade), (1, Apart::Number, &[1][..], 7, 2));
        assert_eq!(Outcome::read(&serde_json::json!({ "near": [{}], "tried": 7, "unmade": 0 })), None);
        assert_eq!(Outcome::read(&serde_json::json!({ "near": [], "tried": 7 })), None);
        assert_eq!(Outcome::read(&serde_json::json!({ "tried": 7 })), None);
    }
}
