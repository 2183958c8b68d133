//! The lines of evidence beside a proposal: what each is about and what it found.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::base::sentence::Sentence;
use crate::domain::reason::Reason;
use crate::domain::text_form::text_form;

/// What was checked, or what kept it from being checked. Stored, shown and printed as its word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// How many runs passed, and in which circumstances.
    Runs,
    /// A run in a new process.
    NewProcess,
    /// Mutants of the function, and whether a test failed because of them.
    Mutants,
    /// The same result at another time.
    Clock,
    /// A test changes what outlives it.
    GlobalState,
    /// The text holds what looks personal or is of this machine.
    Sensitive,
    /// A part of the result differs per run and is not asserted.
    Unasserted,
    /// Recorded details that no assertion sees.
    Overlooked,
    /// What gives recorded results in place of the network or of other programs.
    Mocks,
    /// The sandbox that it ran in.
    Sandbox,
    /// Plugins of pytest that its runs were made without.
    Without,
    /// What it was drafted from, and how well its function is tested.
    Source,
    /// Calls that are in no test.
    NotCovered,
    /// What tests were made to put back or to keep away.
    Isolation,
    /// Whether pytest collects it.
    Collection,
    /// Whether it parses.
    Syntax,
    /// What it imports.
    Imports,
    /// It would change tests beside its own.
    Scope,
    /// A test fails.
    Fails,
    /// A test fails when it runs by itself.
    FailsAlone,
    /// A test passes in some runs.
    Flaky,
    /// A test notices no mutant.
    KillsNoMutant,
    /// A test adds nothing to those before it.
    Redundant,
    /// A change was replayed again.
    Replays,
    /// The recorded tests inside which the calls of a change were compared.
    InTest,
    /// Calls that end as before.
    Unchanged,
    /// A recorded call contradicts it.
    ContradictsRecording,
    /// What the docstring promises did not hold.
    PossibleBug,
    /// A person rejected this very text.
    Rejected,
    /// A model's answer has no test in it.
    NoTest,
    /// The program ended while it was written or proved.
    Interrupted,
    /// A person stopped it.
    Cancelled,
    /// Something kept a model from finishing it.
    Stopped,
    /// It waits for a person's word.
    ConsentNeeded,
    /// It is being run.
    Running,
    /// It cannot be proved here.
    Unproved,
    /// Proving it broke.
    NotProved,
    /// No draft could be made.
    NoDraft,
    /// The signature or the docstring changed since a model wrote it.
    InterfaceChanged,
    /// Calls or a test that were not run.
    NotRun,
    /// Checking it broke.
    NotChecked,
    /// The plugin of a YAML test.
    Plugin,
    /// A YAML test is well-formed.
    ValidTest,
    /// What is wrong with a YAML test.
    Mistakes,
    /// What a coding agent says of a change.
    AgentSays,
    /// What came of a clause of an intent, by its number from 1.
    Clause(usize),
    /// Why a test with an intent came to its verdict.
    Reason,
    /// A word that this version does not write.
    Other(String),
}

/// The kinds that have one fixed word.
const WORDS: &[(EvidenceKind, &str)] = &[
    (EvidenceKind::Runs, "passes"),
    (EvidenceKind::NewProcess, "fresh process"),
    (EvidenceKind::Mutants, "can fail"),
    (EvidenceKind::Clock, "clock"),
    (EvidenceKind::GlobalState, "leaves traces"),
    (EvidenceKind::Sensitive, "holds"),
    (EvidenceKind::Unasserted, "left open"),
    (EvidenceKind::Overlooked, "overlooks"),
    (EvidenceKind::Mocks, "stand-in"),
    (EvidenceKind::Sandbox, "contained"),
    (EvidenceKind::Without, "without"),
    (EvidenceKind::Source, "why here"),
    (EvidenceKind::NotCovered, "left out"),
    (EvidenceKind::Isolation, "mended"),
    (EvidenceKind::Collection, "collects"),
    (EvidenceKind::Syntax, "parses"),
    (EvidenceKind::Imports, "imports"),
    (EvidenceKind::Scope, "own tests only"),
    (EvidenceKind::Fails, "fails"),
    (EvidenceKind::FailsAlone, "fails alone"),
    (EvidenceKind::Flaky, "flaky"),
    (EvidenceKind::KillsNoMutant, "cannot fail"),
    (EvidenceKind::Redundant, "adds nothing"),
    (EvidenceKind::Replays, "replayed twice"),
    (EvidenceKind::InTest, "in test"),
    (EvidenceKind::Unchanged, "as before"),
    (EvidenceKind::ContradictsRecording, "contradicts"),
    (EvidenceKind::PossibleBug, "possible bug"),
    (EvidenceKind::Rejected, "rejected"),
    (EvidenceKind::NoTest, "no test"),
    (EvidenceKind::Interrupted, "broken off"),
    (EvidenceKind::Cancelled, "cancelled"),
    (EvidenceKind::Stopped, "stopped"),
    (EvidenceKind::ConsentNeeded, "waits"),
    (EvidenceKind::Running, "runs"),
    (EvidenceKind::Unproved, "unproved"),
    (EvidenceKind::NotProved, "not proved"),
    (EvidenceKind::NoDraft, "no draft"),
    (EvidenceKind::InterfaceChanged, "promise changed"),
    (EvidenceKind::NotRun, "not run"),
    (EvidenceKind::NotChecked, "not checked"),
    (EvidenceKind::Plugin, "plugin"),
    (EvidenceKind::ValidTest, "is a test"),
    (EvidenceKind::Mistakes, "mistakes"),
    (EvidenceKind::AgentSays, "an agent says"),
    (EvidenceKind::Reason, "reason"),
];

impl EvidenceKind {
    /// Reads a word as it is stored.
    #[must_use]
    pub fn from_text(word: &str) -> Self {
        if let Some((kind, _)) = WORDS.iter().find(|(_, known)| *known == word) {
            return kind.clone();
        }
        let clause = word.strip_prefix('c').and_then(|number| number.parse().ok()).map(Self::Clause);
        clause.filter(|clause| clause.text() == word).unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// Gives the word for it.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Clause(number) => Cow::Owned(format!("c{number}")),
            Self::Other(word) => Cow::Borrowed(word),
            known => Cow::Borrowed(WORDS.iter().find(|(kind, _)| kind == known).map_or("", |(_, word)| word)),
        }
    }

    /// Tells whether it is that a test fails.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Fails | Self::FailsAlone)
    }
}

text_form!(EvidenceKind);

/// What a check of a draft found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It holds.
    Pass,
    /// It does not hold.
    Fail,
    /// It holds sometimes.
    Flaky,
    /// It waits.
    Pending,
    /// It runs now.
    Running,
    /// It is worth knowing and decides nothing.
    Note,
    /// It could not be found out.
    Error,
}

/// One line of evidence: `✓ passes 4/4: alone, in company, 2 hash seeds`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What it found.
    pub finding: Finding,
    /// What was checked.
    pub what: EvidenceKind,
    /// What was seen, one line.
    pub detail: Sentence,
    /// More lines: a traceback, an output, a line of a file. They are data: a model is shown those of a failed draft.
    pub more: Vec<String>,
    /// The test that fails, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The reason behind it, with its code, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

impl Evidence {
    /// Makes one line of evidence.
    #[must_use]
    pub fn new(finding: Finding, what: EvidenceKind, detail: impl Into<Sentence>) -> Self {
        Self { finding, what, detail: detail.into(), more: Vec::new(), test: None, reason: None }
    }

    /// Makes one line of evidence from a reason.
    #[must_use]
    pub fn of(finding: Finding, what: EvidenceKind, reason: Reason) -> Self {
        Self { reason: Some(reason.clone()), ..Self::new(finding, what, reason.message()) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_kind_has_one_word() {
        let kinds: BTreeSet<&EvidenceKind> = WORDS.iter().map(|(kind, _)| kind).collect();
        let words: BTreeSet<&str> = WORDS.iter().map(|(_, word)| *word).collect();
        assert!(kinds.len() == WORDS.len() && words.len() == WORDS.len());
        for (kind, word) in WORDS {
            assert_eq!((EvidenceKind::from_text(word), kind.text().as_ref()), (kind.clone(), *word));
        }
        assert_eq!(EvidenceKind::from_text("c12"), EvidenceKind::Clause(12));
        assert_eq!(EvidenceKind::from_text("c012"), EvidenceKind::Other("c012".into()));
    }

    proptest! {
        #[test]
        fn a_stored_word_is_stored_again(word in "c[0-9]{0,3}|fails[a-z ]{0,6}|.{0,12}") {
            let kind = EvidenceKind::from_text(&word);
            prop_assert_eq!(kind.to_string(), word.as_str());
            let json = serde_json::to_string(&kind).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&word).unwrap());
            prop_assert_eq!(serde_json::from_str::<EvidenceKind>(&json).unwrap(), kind);
        }
    }
}
