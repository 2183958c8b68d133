//! Why an import did not take a file: a code for programs, and a sentence for people.

use std::path::PathBuf;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::compat::trace;

/// A file that was not taken.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The file as it was found.
    pub path: PathBuf,
    /// Why.
    pub reason: NotTaken,
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Refusal", 3)?;
        out.serialize_field("path", &self.path)?;
        out.serialize_field("code", self.reason.code())?;
        out.serialize_field("reason", &self.reason.to_string())?;
        out.end()
    }
}

/// Why a file was not taken. Names are safe to show.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotTaken {
    /// The file holds no call that can be read.
    #[error(transparent)]
    Trace(#[from] trace::Refused),
    /// The project does not have its function.
    #[error("There is no function {0} in this project.")]
    UnknownFunction(String),
    /// It is of a class method, and the method takes no class.
    #[error("{0} takes no class.")]
    NoClass(String),
    /// A trace holds no values of a generator or a coroutine.
    #[error("{0} is a generator or a coroutine, whose values the trace does not hold.")]
    Lazy(String),
    /// The function takes other arguments today.
    #[error("The arguments do not fit {function}: {why}.")]
    OtherArguments {
        /// The function.
        function: String,
        /// What does not fit, for people.
        why: String,
    },
}

impl NotTaken {
    /// Gives the code for programs.
    fn code(&self) -> &'static str {
        match self {
            Self::Trace(trace::Refused::Unreadable(_)) => "unreadable",
            Self::Trace(trace::Refused::TooLarge) => "too-large",
            Self::Trace(trace::Refused::NoTrace(_)) => "no-trace",
            Self::Trace(trace::Refused::NotPlain(_)) => "not-plain",
            Self::Trace(trace::Refused::OnObject) => "on-object",
            Self::Trace(trace::Refused::Reference(_)) => "missing-object",
            Self::UnknownFunction(_) => "unknown-function",
            Self::NoClass(_) => "no-class",
            Self::Lazy(_) => "generator-or-coroutine",
            Self::OtherArguments { .. } => "other-arguments",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_printed_with_its_code_and_its_sentence() {
        let refusal = Refusal { path: "a.gjson".into(), reason: NotTaken::UnknownFunction("shop.total".into()) };
        let expected = serde_json::json!({
            "path": "a.gjson",
            "code": "unknown-function",
            "reason": "There is no function shop.total in this project.",
        });
        assert_eq!(serde_json::to_value(&refusal).unwrap(), expected);
        assert_eq!(NotTaken::from(trace::Refused::Reference(3)).code(), "missing-object");
    }
}
