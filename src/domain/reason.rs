//! Why a call is not replayed, or a function has no test: a stable code with its arguments. Front ends write the sentence.
//!
//! Behaviour follows codes and arguments alone, so that a sentence can be worded anew without a change of what happens.

mod code;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub mod wording;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

pub use self::code::{ReasonCode, UnknownCode};
use crate::base::text;
use crate::base::wording::said;
use crate::domain::external_access::ExternalAccess;

/// Where in a call, or in a draft, a reason lies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// An argument, by its name.
    Argument(String),
    /// The object that a method is called on, by its class.
    Receiver(String),
    /// What the call returned.
    Result,
    /// The recorded result of an external call, by the function that made it.
    Response(String),
    /// A test of a draft, by its name.
    Test(String),
}

/// What was seen, as a reason names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// A path, an error, a number.
    Text(String),
    /// How an external call left the process.
    Access(ExternalAccess),
}

impl Detail {
    /// Reads what is stored of a reason with this code.
    fn from_stored(code: ReasonCode, stored: String) -> Self {
        // Until there was a type, the phrase was stored.
        let known = [ExternalAccess::Network, ExternalAccess::Process].map(Self::Access);
        let is_meant = |known: &Self| known.stored() == stored || known.to_string() == stored;
        let access = known.into_iter().find(|known| code == ReasonCode::ExternalCall && is_meant(known));
        access.unwrap_or(Self::Text(stored))
    }

    fn stored(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Access(access) => access.kind(),
        }
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(text) => text,
            Self::Access(ExternalAccess::Network) => "the network",
            Self::Access(ExternalAccess::Process) => "other programs",
        })
    }
}

/// Why a call is not replayed, or a function has no test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Reason {
    /// What kind of reason it is.
    pub code: ReasonCode,
    /// Where it lies, when it is about a part.
    pub place: Option<Place>,
    /// What it is about: a type, a function, a variable.
    pub name: Option<String>,
    /// What was seen.
    pub detail: Option<Detail>,
}

impl From<ReasonCode> for Reason {
    fn from(code: ReasonCode) -> Self {
        Self { code, place: None, name: None, detail: None }
    }
}

impl ReasonCode {
    /// Tells whether it is about a part of an argument that can be stood in for where nothing uses it.
    #[must_use]
    pub fn is_stood_in(self) -> bool {
        matches!(self, Self::OpaqueObject | Self::ValueTooLarge | Self::UnsupportedArray | Self::UnsupportedDataframe)
    }

    /// Makes a reason about something that has a name.
    #[must_use]
    pub fn of(self, name: impl fmt::Display) -> Reason {
        Reason { name: Some(name.to_string()), ..self.into() }
    }

    /// Makes a reason from what was seen.
    #[must_use]
    pub fn with(self, detail: impl fmt::Display) -> Reason {
        Reason::from(self).with(detail)
    }
}

impl Reason {
    /// Adds what was seen.
    #[must_use]
    pub fn with(self, detail: impl fmt::Display) -> Self {
        Self { detail: Some(Detail::Text(detail.to_string())), ..self }
    }

    /// Adds how an external call left the process.
    #[must_use]
    pub fn through(self, access: ExternalAccess) -> Self {
        Self { detail: Some(Detail::Access(access)), ..self }
    }

    /// Says where the reason lies; a place that is known already is the nearer one.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: self.place.or(Some(place)), ..self }
    }

    /// Takes a sentence that an earlier version stored.
    #[must_use]
    pub fn legacy(sentence: &str) -> Self {
        match FORMER.iter().find(|(former, _)| *former == sentence) {
            Some((_, code)) => (*code).into(),
            None => ReasonCode::Legacy.with(sentence),
        }
    }

    /// Writes the message for people: one line, safe for a terminal.
    #[must_use]
    pub fn message(&self) -> String {
        #[cfg(test)]
        if let Some(other) = wording::other(self) {
            return text::display_line(&other).into_owned();
        }
        let message = self.fill(self.code.message());
        let message = match &self.place {
            None => message,
            Some(Place::Argument(name)) => format!("argument {name}: {message}"),
            Some(Place::Receiver(class)) => format!("{class}: {message}"),
            Some(Place::Result) => format!("result: {message}"),
            Some(Place::Response(function)) => format!("recorded result of {function}: {message}"),
            Some(Place::Test(test)) => format!("{test} {message}"),
        };
        said(text::display_line(&message).into_owned())
    }

    /// Writes what a person can do about it: one line, safe for a terminal.
    #[must_use]
    pub fn fix(&self) -> String {
        said(text::display_line(&self.fill(self.code.fix())).into_owned())
    }

    /// Puts the arguments into a text of the table.
    fn fill(&self, text: &str) -> String {
        let mut out = String::new();
        for (at, part) in text.split(['[', ']']).enumerate() {
            let is_optional = at % 2 == 1;
            let mut is_whole = true;
            let mut argument = |value: Option<String>| {
                is_whole &= value.is_some();
                value.unwrap_or_else(|| "…".to_owned())
            };
            let name = if part.contains("name}") { argument(self.name.clone()) } else { String::new() };
            let detail = || self.detail.as_ref().map(ToString::to_string);
            let detail = if part.contains("{detail}") { argument(detail()) } else { String::new() };
            if is_whole || !is_optional {
                out.push_str(&put(part, &name, &detail));
            }
        }
        out
    }
}

/// Puts arguments in the place of their names; what stands in an argument is no such name.
fn put(part: &str, name: &str, detail: &str) -> String {
    let mut out = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((wanted, after)) = after.split_once('}') else { break };
        out.push_str(before);
        match wanted {
            "a name" => out.push_str(&with_article(name)),
            "name" => out.push_str(name),
            _ => out.push_str(detail),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Says a type as people do: `a list`, `an int`, `an ndarray`.
fn with_article(ty: &str) -> String {
    let article = if ty == "ndarray" || ty.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {ty}")
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// Sentences of earlier versions that something was decided by.
const FORMER: [(&str, ReasonCode); 1] =
    [("run alone it ends differently: it depends on something that was not recorded", ReasonCode::NotReproducible)];

/// A reason as it is stored and printed. The sentence stands beside the code for programs that read nothing else, and for
/// versions that do not know the code; rows of earlier versions have nothing but the sentence.
#[derive(Serialize, Deserialize)]
struct Stored {
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

#[derive(Serialize, Deserialize)]
struct Why {
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

impl From<Stored> for Reason {
    fn from(stored: Stored) -> Self {
        let known = stored.why.and_then(|why| Some((why.code.parse().ok()?, why)));
        match known {
            Some((code, Why { place, name, detail, .. })) => {
                Self { code, place, name, detail: detail.map(|detail| Detail::from_stored(code, detail)) }
            }
            None => Self::legacy(&stored.reason),
        }
    }
}

impl From<Reason> for Stored {
    fn from(reason: Reason) -> Self {
        if reason.code == ReasonCode::Legacy {
            return Self { reason: reason.detail.map(|detail| detail.to_string()).unwrap_or_default(), why: None };
        }
        let sentence = reason.message();
        let Reason { code, place, name, detail } = reason;
        let detail = detail.map(|detail| detail.stored().to_owned());
        Self { reason: sentence, why: Some(Why { code: code.code().to_owned(), place, name, detail }) }
    }
}

/// Writes a reason, or that there is none, as the fields `reason` and `why` of what holds it.
///
/// # Errors
/// Fails when the serializer does.
pub fn or_null<S: Serializer>(reason: &Option<Reason>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Nothing {
        reason: (),
    }
    match reason {
        Some(reason) => reason.serialize(serializer),
        None => Nothing { reason: () }.serialize(serializer),
    }
}
