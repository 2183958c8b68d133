//! Values that `==` does not tell from others: what a test has to ask besides (R2), and which floats are compared loosely.

use crate::domain::value::{TypeName, Value, python_float};
use crate::generate::tables;

/// Types whose values equal those of another type: a proxy its dict, a bytearray its bytes, a deque one of another length.
#[must_use]
pub fn equals_other_types(ty: &TypeName) -> bool {
    match (ty.module.as_str(), ty.qualname.as_str()) {
        ("collections", name) => matches!(name, "OrderedDict" | "Counter" | "defaultdict" | "deque" | "ChainMap"),
        ("builtins", name) => name == "bytearray",
        ("types", name) => name == "MappingProxyType",
        ("pandas", _) => matches!(ty.made(), "Timestamp" | "Timedelta"),
        ("numpy", name) => matches!(name, "datetime64" | "timedelta64"),
        _ => false,
    }
}

/// Gives the length that a deque never exceeds.
#[must_use]
pub fn maxlen<'v>(ty: &TypeName, args: &'v [Value], kwargs: &'v [(String, Value)]) -> Option<&'v Value> {
    let named = || kwargs.iter().find(|(name, _)| name == "maxlen").map(|(_, most)| most);
    let most = (ty.qualname == "deque").then(|| args.get(1).or_else(named)).flatten();
    most.filter(|most| **most != Value::None)
}

/// Gives the time zone of what a `datetime` or a `time` is made from.
#[must_use]
pub fn zone<'v>(ty: &TypeName, args: &'v [Value], kwargs: &'v [(String, Value)]) -> Option<&'v Value> {
    let numbers = if ty.qualname == "datetime" { 7 } else { 4 };
    let named = || kwargs.iter().find(|(name, _)| name == "tzinfo").map(|(_, zone)| zone);
    args.get(numbers).or_else(named).filter(|zone| **zone != Value::None)
}

/// Numbers that equal a value of another type: `1 == True`, `2.0 == 2`.
#[must_use]
pub fn is_ambiguous(value: &Value) -> bool {
    match value {
        Value::Int(number) => matches!(number, 0 | 1),
        Value::Float(number) => number.fract() == 0.0,
        _ => false,
    }
}

/// Floats of few digits are compared exactly: they were meant.
#[must_use]
pub fn is_short(number: f64) -> bool {
    if number.is_infinite() || number.fract() == 0.0 {
        return true;
    }
    let text = python_float(number);
    let mantissa = text.split('e').next().unwrap_or(&text);
    let digits = mantissa.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit).count();
    digits <= 6
}

/// All numbers, one of them a float of many digits.
#[must_use]
pub fn is_flat_and_long<'v>(values: impl Iterator<Item = &'v Value>) -> bool {
    let mut long = false;
    for value in values {
        match tables::scalar(value).map_or(value, |(_, held)| held) {
            Value::Float(number) if number.is_finite() => long |= !is_short(*number),
            Value::Int(_) => {}
            _ => return false,
        }
    }
    long
}

/// Another spelling would be an equal `Decimal`: `90.00`, `1E+2`.
#[must_use]
pub fn digits_matter(text: &str) -> bool {
    text.contains(['E', 'e']) || (text.contains('.') && text.ends_with('0'))
}
