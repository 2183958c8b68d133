//! How a call ended, and what it left behind.

use serde::{Deserialize, Serialize};

use crate::domain::value::Value;

/// Items of a generator that a recording keeps.
pub const YIELDS_KEPT: usize = 50;

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Outcome {
    /// It returned.
    Returned(Value),
    /// It raised: the exception and its type's names up the hierarchy, `module:qualname`.
    Raised { exception: Value, mro: Vec<String> },
    /// A generator: what it yielded, how it ended. A recording keeps the first [`YIELDS_KEPT`] items, a replay more.
    Yielded { items: Vec<Value>, end: GeneratorEnd },
    /// It was still running when the recording stopped.
    Unfinished,
    /// Replay only: it did not end in this many seconds.
    TimedOut(#[serde(with = "crate::base::fraction")] f64),
    /// Replay only: the process died, with the signal's or exit's name.
    Died(String),
}

/// How a generator ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorEnd {
    /// It returned this.
    Returned(Value),
    /// It raised this.
    Raised(Value),
    /// It was not run to its end.
    Open,
}

impl Outcome {
    /// Writes the outcome for people: `→ 3`, `✗ ValueError('no')`.
    #[must_use]
    pub fn summary(&self, limit: usize) -> String {
        match self {
            Self::Returned(value) => format!("→ {}", value.summary(limit)),
            Self::Raised { exception, .. } => format!("✗ {}", exception.summary(limit)),
            Self::Yielded { items, end } => {
                let items = Value::List(items.clone()).summary(limit);
                match end {
                    GeneratorEnd::Raised(exception) => format!("yields {items} ✗ {}", exception.summary(limit)),
                    GeneratorEnd::Returned(_) => format!("yields {items}"),
                    GeneratorEnd::Open => format!("yields {items} …"),
                }
            }
            Self::Unfinished => "did not end".into(),
            Self::TimedOut(seconds) => format!("✗ no end in {seconds} s"),
            Self::Died(how) => format!("✗ the process died: {how}"),
        }
    }

    /// Tells whether the call ended by an exception, a timeout or a crash.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Raised { .. } | Self::TimedOut(_) | Self::Died(_) | Self::Yielded { end: GeneratorEnd::Raised(_), .. }
        )
    }
}

/// What a call left behind: its outcome and what it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// How it ended.
    pub outcome: Outcome,
    /// Parameters (the receiver too) whose content changed, with the content after.
    pub changed: Vec<(String, Value)>,
}

/// Under this name stand, among what a call changed, the items that were read of the iterator it gave; no parameter has it.
pub const ITS_ITEMS: &str = "its items";
/// Under this one, how the reading ended where it raised.
pub const ITS_END: &str = "its end";
/// Under this one, a dict of what it did besides, by kind: what it printed, logged, wrote, started and asked a database. It is there, and
/// may be empty, wherever somebody listened to that.
pub const ITS_SIDE_EFFECTS: &str = "its side effects";
/// Among the side effects, the kind of what clients of a test were answered by way of the call.
pub const ANSWERS: &str = "answers";
/// Under this key an answer holds what was asked: `GET /items/3`.
pub const ASKED: &str = "asked";

impl Effect {
    /// Adds side effects of a kind that it has none of.
    pub fn add_side_effects(&mut self, kind: &str, what: Value) {
        let pair = (Value::Str(kind.to_owned()), what);
        match self.changed.iter_mut().find(|(name, _)| name == ITS_SIDE_EFFECTS) {
            Some((_, Value::Dict(kinds))) => kinds.push(pair),
            _ => self.changed.push((ITS_SIDE_EFFECTS.to_owned(), Value::Dict(vec![pair]))),
        }
    }

    /// Puts others, or none, in the place of its answers.
    pub fn set_answers(&mut self, answers: Option<Value>) {
        if let Some((_, Value::Dict(kinds))) = self.changed.iter_mut().find(|(name, _)| name == ITS_SIDE_EFFECTS) {
            kinds.retain(|(kind, _)| !matches!(kind, Value::Str(name) if name == ANSWERS));
        }
        if let Some(answers) = answers {
            self.add_side_effects(ANSWERS, answers);
        }
    }

    /// Gives what clients of a test were answered by way of the call.
    #[must_use]
    pub fn answers(&self) -> Option<&Value> {
        let Some(Value::Dict(kinds)) = self.side_effects() else { return None };
        kinds.iter().find(|(kind, _)| matches!(kind, Value::Str(name) if name == ANSWERS)).map(|(_, what)| what)
    }

    /// Tells why the items of the iterator that the call gave could not be read, where they could not.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        self.changed.iter().find_map(|(name, value)| match value {
            Value::Opaque { ty, .. } if name == ITS_ITEMS => Some(ty.qualname.as_str()),
            _ => None,
        })
    }

    /// Gives what it did besides, by kind; `None` where nobody listened.
    #[must_use]
    pub fn side_effects(&self) -> Option<&Value> {
        self.changed.iter().find(|(name, _)| name == ITS_SIDE_EFFECTS).map(|(_, value)| value)
    }

    /// Tells whether it holds what a recording does not tell: items of an iterator that the call gave, side effects, or the hash of
    /// a value that is too large.
    #[must_use]
    pub fn tells_more(&self) -> bool {
        self.changed.iter().any(|(name, _)| name == ITS_ITEMS)
            || self.side_effects().is_some_and(|value| !is_empty(value))
            || self.values().any(|value| !value.walk(&mut |part| !is_hashed(part)))
            || matches!(&self.outcome, Outcome::Yielded { items, .. } if items.len() > YIELDS_KEPT)
    }

    /// Gives it without changes of values that are too large for a recording to notice, where the recorded outcome has none.
    #[must_use]
    pub fn as_noticed_in(&self, recorded: &Self) -> Self {
        let is_noticed =
            |name: &String, value: &Value| !is_hashed(value) || recorded.changed.iter().any(|(other, _)| other == name);
        let changed = self.changed.iter().filter(|(name, value)| is_noticed(name, value)).cloned().collect();
        Self { outcome: self.outcome.clone(), changed }
    }

    /// Gives it without items that were read, and without side effects where there are none: what makes it another outcome stays.
    #[must_use]
    pub fn essence(mut self) -> Self {
        let has_side_effects = self.side_effects().is_some_and(|value| !is_empty(value));
        self.changed.retain(|(name, _)| match name.as_str() {
            ITS_ITEMS | ITS_END => false,
            ITS_SIDE_EFFECTS => has_side_effects,
            _ => true,
        });
        self
    }

    /// Gives it without what a recording does not tell.
    #[must_use]
    pub fn as_recorded(mut self) -> Self {
        if let Outcome::Yielded { items, end } = &mut self.outcome
            && items.len() > YIELDS_KEPT
        {
            items.truncate(YIELDS_KEPT);
            *end = GeneratorEnd::Open;
        }
        self.changed.retain(|(name, _)| !matches!(name.as_str(), ITS_ITEMS | ITS_END | ITS_SIDE_EFFECTS));
        self
    }

    /// Lists its values: of the outcome, and of what was changed.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let (one, items): (Option<&Value>, &[Value]) = match &self.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => (Some(value), &[]),
            Outcome::Yielded { items, end: GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) } => (Some(value), items),
            Outcome::Yielded { items, end: GeneratorEnd::Open } => (None, items),
            Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => (None, &[]),
        };
        one.into_iter().chain(items).chain(self.changed.iter().map(|(_, value)| value))
    }

    /// Lists its values, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let (one, items): (Option<&mut Value>, &mut [Value]) = match &mut self.outcome {
            Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => (Some(value), &mut []),
            Outcome::Yielded { items, end: GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) } => (Some(value), items),
            Outcome::Yielded { items, end: GeneratorEnd::Open } => (None, items),
            Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => (None, &mut []),
        };
        one.into_iter().chain(items).chain(self.changed.iter_mut().map(|(_, value)| value))
    }
}

/// Tells whether a value was too large to be told and was hashed.
fn is_hashed(value: &Value) -> bool {
    match value {
        Value::Shared(_, value) => is_hashed(value),
        Value::Cut { hash, .. } => !hash.is_empty(),
        _ => false,
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::Dict(pairs) if pairs.is_empty())
}
