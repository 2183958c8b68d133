//! The exit codes of all verbs.

/// Ends with success.
pub const OK: u8 = 0;

/// Ends a verb that judges: it found something.
pub const FINDINGS: u8 = 1;

/// Ends where the command line or the settings are wrong.
pub const WRONG: u8 = 2;

/// Ends after an interrupt.
pub const INTERRUPTED: u8 = 130;
