//! The form every sentence about trouble takes: what happened, why, what to do.
//!
//! Errors of the modules are `thiserror` enums of their own; they turn into a [`Trouble`] where a person reads them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::sentence::Sentence;

/// Whose turn it is after an error; the process exit codes follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// The command line or the configuration is wrong: exit code 2.
    Usage,
    /// The machine lacks something (no Python, a full disk, no trust): exit code 3.
    Environment,
    /// A defect of ours: exit code 3.
    Internal,
}

/// One trouble in three short sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// What happened, a full sentence.
    pub what: Sentence,
    /// Why, where it is known.
    pub why: Option<Sentence>,
    /// What the person can do now.
    pub todo: Option<Sentence>,
    /// Who has to act.
    pub blame: Blame,
}

impl Trouble {
    /// Makes a trouble of the machine: something is missing or refused.
    pub fn environment(what: impl Into<Sentence>) -> Self {
        Self::new(what, Blame::Environment)
    }

    /// Makes a trouble of the command line or the configuration.
    pub fn usage(what: impl Into<Sentence>) -> Self {
        Self::new(what, Blame::Usage)
    }

    /// Makes a trouble that is our own defect.
    pub fn internal(what: impl Into<Sentence>) -> Self {
        Self::new(what, Blame::Internal)
    }

    fn new(what: impl Into<Sentence>, blame: Blame) -> Self {
        Self { what: what.into(), why: None, todo: None, blame }
    }

    /// Adds the reason.
    #[must_use]
    pub fn because(mut self, why: impl fmt::Display) -> Self {
        self.why = Some(why.to_string().into());
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn so(mut self, todo: impl Into<Sentence>) -> Self {
        self.todo = Some(todo.into());
        self
    }

    /// Says what happened and why, without what to do.
    #[must_use]
    pub fn cause(&self) -> String {
        self.why.as_ref().map_or_else(|| self.what.to_string(), |why| format!("{} {why}", self.what))
    }

    /// Gives the process exit code that belongs to this trouble.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.blame {
            Blame::Usage => 2,
            Blame::Environment | Blame::Internal => 3,
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what.fmt(f)?;
        for part in [&self.why, &self.todo].into_iter().flatten() {
            write!(f, " {part}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_reads_as_what_why_and_what_to_do() {
        let trouble = Trouble::environment("Drafts cannot be proved.")
            .because(".venv has no pytest.")
            .so("Install it: .venv/bin/python -m pip install pytest.");
        assert_eq!(
            trouble.to_string(),
            "Drafts cannot be proved. .venv has no pytest. Install it: .venv/bin/python -m pip install pytest."
        );
        assert_eq!(trouble.exit_code(), 3);
        assert_eq!(Trouble::usage("x").exit_code(), 2);
    }
}
