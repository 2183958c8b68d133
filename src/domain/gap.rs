//! What a recording left out: a kind with its argument. Recorders, the database and JSON write it as one text, by which it is
//! known again; front ends show its message.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::text;
use crate::base::wording::said;

/// Declares the kinds with the text before and after the argument, and what is said of each.
macro_rules! kinds {
    ($($kind:ident = $code:literal, ($before:literal, $after:literal), $message:literal;)*) => {
        /// What kind of thing a recording left out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum GapKind {
            $(#[doc = $message] $kind,)*
        }

        impl GapKind {
            /// All kinds; the last one takes any text.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Gives the code for programs; kinds that ask the same of a person share one.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$kind => $code,)*
                }
            }

            /// Gives what stands before and after the argument where a gap is written as a text.
            fn ends(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$kind => ($before, $after),)*
                }
            }

            /// Gives the message, with a place for the argument.
            fn message(self) -> &'static str {
                match self {
                    $(Self::$kind => $message,)*
                }
            }
        }
    };
}

kinds! {
    CaptureLimit = "capture-limit", ("budget of ", ""), "copying of {} stopped early, to keep the program fast";
    CallLimit = "journey-limit", ("repeats of ", ""), "{} called so often that a long journey has only the first calls";
    JourneyLimit = "journey-limit", ("journey cut", ""), "journey cut";
    NotInstrumented = "not-instrumented", ("no calls of ", ""), "no calls of {}";
    SourceMismatch = "source-mismatch", ("functions that are not as in their files", ""), "functions that are not as in their files";
    NotRewritten = "recorder-error", ("cannot rewrite ", ""), "cannot rewrite {}";
    RecorderError = "recorder-error", ("recorder error: ", ""), "recorder error: {}";
    WrongForm = "recorder-error", ("a record did not have the form it should have", ""), "a record did not have the form it should have";
    OtherTracer = "other-tracer", ("another tracer runs: not recorded is ", ""), "another tracer runs: not recorded is {}";
    Debugger = "debugger", ("a debugger runs: nothing is recorded from here on", ""), "a debugger runs: nothing is recorded from here on";
    DebuggerPause = "debugger", ("a debugger ran: nothing was recorded meanwhile", ""), "a debugger ran: nothing was recorded during that time";
    AuditHook = "audit-hook", ("the program audits itself: nothing is recorded from here on", ""), "the program audits itself: nothing is recorded from here on";
    DiskFull = "disk-limit", ("spool full or unwritable", ""), "spool full or unwritable";
    SpoolLimit = "disk-limit", ("the spool is over ", " MiB: what came later was not read"), "the spool is over {} MiB: what came later was not read";
    RecordCut = "damaged-spool", ("the last record was cut short", ""), "the last record was cut short";
    RecordUnreadable = "damaged-spool", ("a record could not be read", ""), "a record could not be read";
    SpoolDamaged = "damaged-spool", ("the rest of a damaged spool file", ""), "the rest of a damaged spool file";
    SpoolUnreadable = "damaged-spool", ("a spool file could not be read: ", ""), "a spool file could not be read: {}";
    NotStored = "not-stored", ("calls that the database did not take", ""), "calls that the database did not take";
    InstalledCopy = "installed-copy", ("", ": install the project, pip install -e ."), "{}: install the project, pip install -e .";
    VersionMismatch = "version-mismatch", ("a recorder wrote format ", ""), "a recorder wrote format {}";
    Other = "other", ("", ""), "{}";
}

/// Something that a recording left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Gap {
    /// What kind of thing it is.
    pub kind: GapKind,
    /// Which one: a function, a file, an error; empty where there is nothing to say.
    pub argument: String,
}

impl From<GapKind> for Gap {
    fn from(kind: GapKind) -> Self {
        kind.of("")
    }
}

impl GapKind {
    /// Makes a gap of this kind.
    #[must_use]
    pub fn of(self, argument: impl fmt::Display) -> Gap {
        Gap { kind: self, argument: argument.to_string() }
    }
}

impl From<String> for Gap {
    fn from(text: String) -> Self {
        let argument_of = |kind: GapKind| {
            let (before, after) = kind.ends();
            let argument = text.strip_prefix(before)?.strip_suffix(after)?;
            // A text without an argument is the whole of it.
            (argument.is_empty() != kind.message().contains("{}")).then(|| argument.to_owned())
        };
        let known = GapKind::ALL.iter().find_map(|kind| Some(kind.of(argument_of(*kind)?)));
        known.unwrap_or_else(|| GapKind::Other.of(text))
    }
}

impl From<Gap> for String {
    fn from(gap: Gap) -> Self {
        let (before, after) = gap.kind.ends();
        format!("{before}{}{after}", gap.argument)
    }
}

impl fmt::Display for Gap {
    /// Writes the message for people: one line, safe for a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&said(text::display_line(&self.kind.message().replacen("{}", &self.argument, 1)).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_kind_is_read_back_from_what_is_written() {
        for kind in GapKind::ALL {
            let gap = kind.of(if kind.message().contains("{}") { "shop.cart:Cart.total" } else { "" });
            assert_eq!(Gap::from(String::from(gap.clone())), gap);
        }
    }

    /// What recorders write is what this side reads.
    #[test]
    fn the_texts_of_the_recorder_are_known() {
        for (text, kind) in [
            ("budget of m:f", GapKind::CaptureLimit),
            ("repeats of m:f", GapKind::CallLimit),
            ("journey cut", GapKind::JourneyLimit),
            ("no calls of m:f", GapKind::NotInstrumented),
            ("functions that are not as in their files", GapKind::SourceMismatch),
            ("cannot rewrite m.py", GapKind::NotRewritten),
            ("recorder error: KeyError", GapKind::RecorderError),
            ("another tracer runs: not recorded is m.py", GapKind::OtherTracer),
            ("a debugger runs: nothing is recorded from here on", GapKind::Debugger),
            ("a debugger ran: nothing was recorded meanwhile", GapKind::DebuggerPause),
            ("no calls of m:f, which starts a debugger", GapKind::NotInstrumented),
            ("recorder error: KeyError in m:f", GapKind::RecorderError),
            ("the program audits itself: nothing is recorded from here on", GapKind::AuditHook),
            ("spool full or unwritable", GapKind::DiskFull),
            ("m ran from /a and not from /b: install the project, pip install -e .", GapKind::InstalledCopy),
            ("what a later recorder says", GapKind::Other),
        ] {
            assert_eq!(Gap::from(text.to_owned()).kind, kind, "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_one_safe_line() {
        assert_eq!(GapKind::NotInstrumented.of("m:\u{1b}[2J\n").to_string().lines().count(), 1);
        assert!(!GapKind::Other.of("\u{1b}[2J").to_string().contains('\u{1b}'));
    }

    proptest! {
        #[test]
        fn texts_come_back_as_they_were(text in ".{0,60}") {
            prop_assert_eq!(String::from(Gap::from(text.clone())), text);
        }
    }
}
