//! Sentences that are for people: they can be shown, and not read back. What code has to know is a type beside them.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::redact::Redactor;
use crate::base::text;
use crate::base::wording::said;

/// A text for people. It has no methods of a text, so that nothing follows its wording. It can be compared only because the
/// types that hold one are: `tests/architecture.rs` finds code that compares sentences themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sentence(String);

impl Sentence {
    /// Tells whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops the full stops at its end, so that another sentence can take it in.
    #[must_use]
    pub fn without_stop(&self) -> Self {
        self.0.trim_end_matches('.').into()
    }

    /// Makes it safe to show on one line.
    #[must_use]
    pub fn line(&self) -> Self {
        text::display_line(&self.0).into()
    }

    /// Withholds secrets in it, and makes it safe to show on one line.
    #[must_use]
    pub fn redacted(&self, redactor: &mut Redactor) -> Self {
        text::display_line(redactor.redact(&self.0).as_deref().unwrap_or(&self.0)).into()
    }

    /// Gives the text for a screen, a terminal or an agent: front ends alone call this.
    #[must_use]
    pub fn for_people(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<String> for Sentence {
    fn from(text: String) -> Self {
        Self(said(text))
    }
}

impl From<&String> for Sentence {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl From<&str> for Sentence {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Cow<'_, str>> for Sentence {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

/// Tests read what is said.
#[cfg(test)]
impl std::ops::Deref for Sentence {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
impl PartialEq<str> for Sentence {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

#[cfg(test)]
impl PartialEq<&str> for Sentence {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_stored_as_its_text() {
        let sentence = Sentence::from("The project was read.");
        let json = serde_json::to_string(&sentence).unwrap();
        assert_eq!(json, r#""The project was read.""#);
        assert_eq!(serde_json::from_str::<Sentence>(&json).unwrap(), sentence);
        assert_eq!(format!("{sentence:>23}|"), "  The project was read.|");
        assert!(Sentence::default().is_empty() && !sentence.is_empty());
    }
}
