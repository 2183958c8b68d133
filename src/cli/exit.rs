//! The exit codes of all verbs.

use crate::cli::args::NearMode;
use crate::domain::edited::Edits;
use crate::domain::near::Near;

/// Ends with success.
pub const OK: u8 = 0;

/// Ends a verb that judges: it found something.
pub const FINDINGS: u8 = 1;

/// Ends where the command line or the settings are wrong.
pub const WRONG: u8 = 2;

/// Ends where there is nothing to work with: nothing is recorded, a tool is missing.
pub const UNABLE: u8 = 3;

/// Ends a comparison that found no difference and left edited code uncompared.
pub const UNCOMPARED: u8 = 4;

/// Ends after an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Tells whether what differs beside the recorded calls counts as found.
#[must_use]
pub fn is_near(mode: Option<NearMode>, near: Option<&Near>) -> bool {
    mode == Some(NearMode::Fail) && near.is_some_and(|near| !near.differences.is_empty())
}

/// Gives the exit code of a comparison: a difference wins over what was not compared.
#[must_use]
pub fn compared(differs: bool, edits: &Edits, allow_uncompared: bool) -> u8 {
    match (differs || edits.breaks(), edits.not_compared().next()) {
        (true, _) => FINDINGS,
        (false, Some(_)) if !allow_uncompared => UNCOMPARED,
        (false, _) => OK,
    }
}
