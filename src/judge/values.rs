//! What a recorded value says to a test: yes, no, or that too little of it was recorded.

use std::cell::RefCell;

use regex::Regex;

use crate::domain::clause::{Order, Test};
use crate::domain::value::{ObjectKind, Value};

/// Kleene's three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    Unknown,
}

impl Answer {
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            Self::Unknown => Self::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    pub(super) fn all(answers: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::Yes;
        for answer in answers {
            all = all.and(answer);
            if all == Self::No {
                break;
            }
        }
        all
    }

    pub(super) fn any(answers: impl IntoIterator<Item = Self>) -> Self {
        let mut any = Self::No;
        for answer in answers {
            any = any.or(answer);
            if any == Self::Yes {
                break;
            }
        }
        any
    }
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// Puts a value to a test.
pub(super) fn test(test: &Test, value: &Value) -> Answer {
    match test {
        Test::Any => Answer::Yes,
        Test::Is(wanted) => equal(wanted, value),
        Test::IsNot(other) => equal(other, value).not(),
        Test::OneOf(values) => Answer::any(values.iter().map(|wanted| equal(wanted, value))),
        Test::Compared(order, limit) => match number(value) {
            Some(number) => match order {
                Order::Less => number < *limit,
                Order::AtMost => number <= *limit,
                Order::Greater => number > *limit,
                Order::AtLeast => number >= *limit,
            }
            .into(),
            None => no_unless_hidden(value),
        },
        Test::CloseTo(wanted) => match number(value) {
            Some(number) => ((number - wanted).abs() <= wanted.abs().max(1.0) * 1e-6).into(),
            None => no_unless_hidden(value),
        },
        Test::Matches(pattern) => match text(value).and_then(|text| matches(pattern, text)) {
            Some(matches) => matches.into(),
            None => no_unless_hidden(value),
        },
        Test::Contains(part) => contains(part, value),
    }
}

/// Puts a text to a pattern, which is read once for all the values that a clause is put to; none where it is no pattern.
fn matches(pattern: &str, text: &str) -> Option<bool> {
    thread_local! {
        static LAST: RefCell<Option<(String, Regex)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|(own, _)| own != pattern) {
            *last = Some((pattern.to_owned(), Regex::new(pattern).ok()?));
        }
        last.as_ref().map(|(_, regex)| regex.is_match(text))
    })
}

/// Compares with a value written in a clause: `1` equals `1.0` and `Decimal("1")`, but `True` is no `1`.
pub(super) fn equal(wanted: &Value, value: &Value) -> Answer {
    use Value as V;
    if let (Some(a), Some(b)) = (number(wanted), number(value)) {
        return (a == b).into();
    }
    if let (Some(a), Some(b)) = (text(wanted), text(value)) {
        return (a == b).into();
    }
    match (wanted, value) {
        (_, V::Sub { base, .. }) | (_, V::Enum { value: base, .. }) | (_, V::Shared(_, base)) => equal(wanted, base),
        (V::List(a), V::List(b)) | (V::Tuple(a) | V::List(a), V::Tuple(b)) => all_equal(a, b),
        (V::List(a) | V::Tuple(a), V::NamedTuple { fields, .. }) => {
            all_equal(a, &fields.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>())
        }
        (V::Dict(a), V::Dict(b)) if a.len() == b.len() => Answer::all(
            a.iter().map(|(key, wanted)| Answer::any(b.iter().map(|(own, value)| equal(key, own).and(equal(wanted, value))))),
        ),
        (V::Bool(a), V::Bool(b)) => (a == b).into(),
        (V::None, V::None) => Answer::Yes,
        (_, value) => no_unless_hidden(value),
    }
}

fn all_equal(wanted: &[Value], values: &[Value]) -> Answer {
    if wanted.len() != values.len() {
        return Answer::No;
    }
    Answer::all(wanted.iter().zip(values).map(|(wanted, value)| equal(wanted, value)))
}

fn contains(part: &Value, value: &Value) -> Answer {
    if let (Some(part), Some(text)) = (text(part), text(value)) {
        return text.contains(part).into();
    }
    match value {
        Value::Sub { base, .. } | Value::Shared(_, base) => contains(part, base),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            Answer::any(items.iter().map(|item| equal(part, item)))
        }
        Value::Dict(pairs) => Answer::any(pairs.iter().map(|(key, _)| equal(part, key))),
        Value::Cut { head, tail, .. } => match contains(part, head).or(contains(part, tail)) {
            Answer::Yes => Answer::Yes,
            _ => Answer::Unknown,
        },
        value => no_unless_hidden(value),
    }
}

/// Tells whether two recorded values of one process are the same: objects by identity, everything else by content.
pub(super) fn same(a: &Value, b: &Value) -> Answer {
    use Value as V;
    match (a, b) {
        (V::Secret { ordinal: a, .. }, V::Secret { ordinal: b, .. }) => return (a == b).into(),
        (V::Cut { ty: t, length: l, hash: g, .. }, V::Cut { ty: u, length: m, hash: h, .. }) => {
            if t != u || l != m || (!g.is_empty() && !h.is_empty() && g != h) {
                return Answer::No;
            }
            return if g.is_empty() || h.is_empty() { Answer::Unknown } else { Answer::Yes };
        }
        (V::Shared(_, a), b) => return same(a, b),
        (a, V::Shared(_, b)) => return same(a, b),
        _ => {}
    }
    if let (Some(one), Some(other)) = (ordinal(a), ordinal(b)) {
        if one == other {
            return Answer::Yes;
        }
        // Equal by their fields, or not: what is not told in full cannot be compared.
        return match (a, b) {
            (V::Object { kind: ObjectKind::Plain, .. }, V::Object { .. }) => Answer::No,
            (V::Object { ty: t, .. }, V::Object { ty: u, .. }) if t != u => Answer::No,
            (V::Object { fields: a, .. }, V::Object { fields: b, .. }) => same_fields(a, b),
            (V::Sub { base: a, .. }, V::Sub { base: b, .. }) => same(a, b),
            (V::Exception { .. }, V::Exception { .. }) | (V::Opaque { .. }, V::Opaque { .. }) => Answer::No,
            _ => Answer::Unknown,
        };
    }
    match (a, b) {
        (V::List(a), V::List(b)) | (V::Tuple(a), V::Tuple(b)) if a.len() == b.len() => {
            Answer::all(a.iter().zip(b).map(|(a, b)| same(a, b)))
        }
        (V::NamedTuple { ty: t, fields: a }, V::NamedTuple { ty: u, fields: b }) if t == u => same_fields(a, b),
        (V::Dict(a), V::Dict(b)) if a.len() == b.len() => Answer::all(
            a.iter().map(|(key, value)| Answer::any(b.iter().map(|(own, other)| same(key, own).and(same(value, other))))),
        ),
        (V::List(_), V::List(_)) | (V::Tuple(_), V::Tuple(_)) | (V::Dict(_), V::Dict(_)) => Answer::No,
        _ => match equal(a, b).or(equal(b, a)) {
            Answer::No if a == b => Answer::Yes,
            answer => answer,
        },
    }
}

fn same_fields(a: &[(String, Value)], b: &[(String, Value)]) -> Answer {
    if a.len() != b.len() {
        return Answer::No;
    }
    Answer::all(a.iter().zip(b).map(|((name, a), (other, b))| Answer::from(name == other).and(same(a, b))))
}

/// Gives an object's number.
pub(super) fn ordinal(value: &Value) -> Option<u64> {
    match value {
        Value::Ref(ordinal) => Some(*ordinal),
        other => other.ordinal(),
    }
}

/// What was not recorded whole may be anything; an object is not equal to a literal.
fn no_unless_hidden(value: &Value) -> Answer {
    match value {
        Value::Cut { .. } | Value::Secret { .. } | Value::Opaque { .. } | Value::Ref(_) => Answer::Unknown,
        _ => Answer::No,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(
            clippy::cast_precision_loss,
            reason = "compared as Python compares an int with a float, but for the last digits"
        )]
        Value::Int(number) => Some(*number as f64),
        Value::BigInt(digits) => digits.parse().ok(),
        Value::Float(number) => Some(*number),
        Value::New { ty, args, .. } if ty.module == "decimal" && ty.qualname == "Decimal" => match args.as_slice() {
            [Value::Str(digits)] => digits.parse().ok(),
            _ => None,
        },
        Value::Sub { base, .. } | Value::Enum { value: base, .. } => number(base),
        _ => None,
    }
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Str(text) => Some(text),
        Value::Sub { base, .. } | Value::Enum { value: base, .. } => text(base),
        _ => None,
    }
}
