//! What this machine can do, found out by doing it.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::levels::{Class, Level, admit};
use super::system;

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

/// How the project of a recorded test is made writable without a change of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The kernel keeps what is written apart from the project's files.
    Overlay,
    /// The project's files are copied into memory, up to 64 MiB and 20,000 of them. For more an overlay is tried, which may
    /// be refused.
    Copy,
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
            system::works(level)
        };
        let mut refused = Vec::new();
        let level = system::LEVELS
            .iter()
            .copied()
            .find(|level| works(*level).map_err(|why| refused.push((*level, why))).is_ok())
            .unwrap_or(Level::None);
        Probe { level, landlock_abi: system::landlock_abi(), refused }
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

/// Finds out once, by entering it for nothing, whether [`Profile::RecordedTest`](super::Profile::RecordedTest) can be had
/// on this machine.
///
/// # Errors
/// Why not, in a sentence.
pub fn available_for_tests() -> Result<Layer, &'static str> {
    static FOR_TESTS: OnceLock<Result<Layer, String>> = OnceLock::new();
    let found = FOR_TESTS.get_or_init(|| match probe().refused.iter().find(|(level, _)| *level == Level::Namespaces) {
        Some((_, why)) => Err(why.clone()),
        None => system::works_for_tests(),
    });
    found.as_ref().copied().map_err(String::as_str)
}
