//! What ended a program that did not exit.

use std::borrow::Cow;

use crate::domain::text_form::text_form;

/// Signals by number, as people know them.
const SIGNALS: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
];

/// Stands before the number of a signal without a name.
const NUMBERED: &str = "signal ";
/// The stored text of [`Killer::Unwatched`].
const UNWATCHED: &str = "unknown: pytead-tui ended before the program did";

/// What ended a program that did not exit. Stored and shown as one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Killer {
    /// A signal, by its number: `SIGKILL`, `signal 40`.
    Signal(i32),
    /// Unknown, because pytead-tui ended before the program did. The spool can hold more of its calls.
    Unwatched,
    /// Anything else, in words.
    Other(String),
}

impl Killer {
    /// Reads the text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let named = || SIGNALS.iter().find(|(_, name)| *name == text).map(|(number, _)| *number);
        let numbered = || text.strip_prefix(NUMBERED)?.parse().ok();
        let signal = || named().or_else(numbered).map(Self::Signal);
        let known = if text == UNWATCHED { Some(Self::Unwatched) } else { signal() };
        known.filter(|known| known.text() == text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Signal(number) => match SIGNALS.iter().find(|(known, _)| known == number) {
                Some((_, name)) => Cow::Borrowed(*name),
                None => Cow::Owned(format!("{NUMBERED}{number}")),
            },
            Self::Unwatched => Cow::Borrowed(UNWATCHED),
            Self::Other(words) => Cow::Borrowed(words),
        }
    }
}

text_form!(Killer);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_tells_what_it_is() {
        for (text, killer) in [
            ("SIGKILL", Killer::Signal(9)),
            ("signal 40", Killer::Signal(40)),
            ("unknown: pytead-tui ended before the program did", Killer::Unwatched),
            ("an interruption", Killer::Other("an interruption".into())),
            // It has a name.
            ("signal 9", Killer::Other("signal 9".into())),
        ] {
            assert_eq!((Killer::from_text(text), killer.text().as_ref()), (killer.clone(), text));
            assert_eq!(serde_json::to_value(&killer).unwrap(), text);
        }
    }
}
