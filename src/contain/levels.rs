//! How strong a sandbox is, and which runs need which.

use serde::{Deserialize, Serialize};

/// How strongly a command is contained, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Its own user, mount, network and process namespaces, with Landlock and seccomp on top.
    Namespaces,
    /// Landlock (ABI 3 or newer) and seccomp.
    Landlock,
    /// A Seatbelt profile of macOS, and limits.
    Seatbelt,
    /// Resource limits and an audit hook in Python, which careless code cannot pass and hostile code can.
    Weak,
    /// Nothing: contained commands are not run.
    None,
}

impl Level {
    /// Gives the word of the level on command lines, on screen and in `doctor`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::Seatbelt => "seatbelt",
            Self::Weak => "weak",
            Self::None => "none",
        }
    }

    /// Reads the word of a level.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Namespaces, Self::Landlock, Self::Seatbelt, Self::Weak, Self::None].into_iter().find(|level| level.word() == word)
    }

    /// Tells whether the kernel enforces it.
    #[must_use]
    pub fn is_kernel(self) -> bool {
        matches!(self, Self::Namespaces | Self::Landlock | Self::Seatbelt)
    }
}

/// What is run: how much it may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Class {
    /// The project's own code with recorded inputs; `weak_allowed` once the user said so for this folder.
    Replay { weak_allowed: bool },
    /// Text by a model or an agent.
    Foreign,
}

/// Gives the level at which a class of runs may run where this one is available, or [`Level::None`].
pub(super) fn admit(class: Class, available: Level) -> Level {
    match class {
        _ if available.is_kernel() => available,
        Class::Replay { weak_allowed: true } => available,
        Class::Replay { weak_allowed: false } | Class::Foreign => Level::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_never_runs_below_the_kernel() {
        for (available, foreign, replay, asked) in [
            (Level::Namespaces, Level::Namespaces, Level::Namespaces, Level::Namespaces),
            (Level::Landlock, Level::Landlock, Level::Landlock, Level::Landlock),
            (Level::Seatbelt, Level::Seatbelt, Level::Seatbelt, Level::Seatbelt),
            (Level::Weak, Level::None, Level::None, Level::Weak),
            (Level::None, Level::None, Level::None, Level::None),
        ] {
            assert_eq!(admit(Class::Foreign, available), foreign);
            assert_eq!(admit(Class::Replay { weak_allowed: false }, available), replay);
            assert_eq!(admit(Class::Replay { weak_allowed: true }, available), asked);
        }
    }

    #[test]
    fn a_level_survives_its_word() {
        for level in [Level::Namespaces, Level::Landlock, Level::Seatbelt, Level::Weak, Level::None] {
            assert_eq!(Level::from_word(level.word()), Some(level));
        }
    }
}
