//! How strong a sandbox is, which runs need which, and what this machine can do, found out by doing it.

use std::sync::OnceLock;

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

/// What this machine can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probe {
    /// The strongest level that works.
    pub level: Level,
    /// The version of the kernel's Landlock interface; `None` without it.
    pub landlock_abi: Option<u32>,
    /// Why stronger levels do not work, a sentence each.
    pub refused: Vec<(Level, String)>,
}

static PROBE: OnceLock<Probe> = OnceLock::new();

/// The variable that names the strongest level to use, where a stronger one is there and does not do. It only lowers,
/// and what a level needs a person's word for, it needs all the same.
pub const SANDBOX: &str = "PYTEAD_SANDBOX";

/// Finds out once, by entering each level for nothing, what works here.
pub fn probe() -> &'static Probe {
    PROBE.get_or_init(|| {
        let most = std::env::var(SANDBOX).ok().and_then(|word| Level::from_word(&word)).unwrap_or(Level::Namespaces);
        let works = |level: Level| {
            if level < most {
                return Err(format!("{SANDBOX} is {}.", most.word()));
            }
            super::system::works(level)
        };
        let mut refused = Vec::new();
        let level = super::system::LEVELS
            .iter()
            .copied()
            .find(|level| works(*level).map_err(|why| refused.push((*level, why))).is_ok())
            .unwrap_or(Level::None);
        Probe { level, landlock_abi: super::system::landlock_abi(), refused }
    })
}

/// Gives the strongest level that works on this machine.
#[must_use]
pub fn available() -> Level {
    probe().level
}

/// Gives the level at which a class of runs may run here, or [`Level::None`] when it may not.
#[must_use]
pub fn level_for(class: Class) -> Level {
    admit(class, available())
}

fn admit(class: Class, available: Level) -> Level {
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
