//! What a job works on.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::RecordingId;
use crate::domain::function::FunctionId;
use crate::domain::proposal_subject::ProposalSubject;

/// What a job works on. Printed as one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobSubject {
    /// The source of the project, by the project's name.
    Project(String),
    /// A program that is recorded.
    Recording {
        /// The recording.
        id: RecordingId,
        /// The command line.
        command: String,
    },
    /// A function or a YAML test that a model writes a text for.
    Writing(ProposalSubject),
    /// The draft of a function.
    Draft(FunctionId),
    /// So many drafts.
    Drafts(usize),
    /// All recorded calls.
    RecordedCalls,
    /// So many functions.
    Functions(usize),
    /// So many edited functions.
    Edited(usize),
    /// Recorded calls that are run for the first time.
    NewCalls,
    /// Recorded tests that are run again for the first time.
    RecordedTests,
    /// Calls that may run code that was saved.
    SavedCode,
    /// A commit, as it was named.
    Revision(String),
    /// A model that is downloaded.
    Model(String),
    /// A test with an intent, by its node id.
    Test(String),
    /// So many tests with an intent.
    Tests(usize),
    /// A YAML test.
    Spec(RelPath),
    /// So many YAML tests.
    Specs(usize),
}

impl JobSubject {
    /// Returns the function that the job works for.
    #[must_use]
    pub fn function(&self) -> Option<&FunctionId> {
        match self {
            Self::Writing(subject) => subject.function(),
            Self::Draft(id) => Some(id),
            _ => None,
        }
    }

    /// Tells whether the job works for what a proposal is about.
    #[must_use]
    pub fn is_for(&self, subject: &ProposalSubject) -> bool {
        match self {
            Self::Writing(own) => own == subject,
            Self::Draft(id) => subject.is(id),
            _ => false,
        }
    }

    /// Writes it for a narrow place: without the module of a function and the file of a test.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::Writing(subject) => subject.short().to_owned(),
            Self::Test(test) => test.split_once("::").map_or(test.as_str(), |(_, name)| name).to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for JobSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project(name) | Self::Revision(name) | Self::Model(name) | Self::Test(name) => f.write_str(name),
            Self::Recording { command, .. } => f.write_str(command),
            Self::Writing(subject) => subject.fmt(f),
            Self::Draft(id) => f.write_str(id.qualname()),
            Self::Drafts(number) => f.write_str(&text::count(*number, "draft")),
            Self::Functions(number) => f.write_str(&text::count(*number, "function")),
            Self::Edited(number) => f.write_str(&text::count(*number, "edited function")),
            Self::RecordedCalls => f.write_str("recorded calls"),
            Self::NewCalls => f.write_str("first replay"),
            Self::RecordedTests => f.write_str("recorded tests"),
            Self::SavedCode => f.write_str("saved code"),
            Self::Tests(number) => f.write_str(&text::count(*number, "intent")),
            Self::Spec(path) => path.fmt(f),
            Self::Specs(number) => f.write_str(&text::count(*number, "YAML test")),
        }
    }
}

impl Serialize for JobSubject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_printed_as_one_text() {
        let id = FunctionId::new("shop.cart", "Cart.total");
        let command = || JobSubject::Recording { id: RecordingId(3), command: "python -m shop:app".into() };
        let test = || JobSubject::Test("tests/test_shop.py::test_total".into());
        for (subject, whole, short) in [
            (JobSubject::Writing(id.clone().into()), "shop.cart:Cart.total", "Cart.total"),
            (JobSubject::Draft(id.clone()), "Cart.total", "Cart.total"),
            (JobSubject::Drafts(2), "2 drafts", "2 drafts"),
            (command(), "python -m shop:app", "python -m shop:app"),
            (test(), "tests/test_shop.py::test_total", "test_total"),
        ] {
            assert_eq!((subject.to_string().as_str(), subject.short().as_str()), (whole, short));
            assert_eq!(serde_json::to_value(&subject).unwrap(), whole);
        }
        assert_eq!(JobSubject::Draft(id.clone()).function(), Some(&id));
        assert_eq!(test().function(), None);
    }
}
