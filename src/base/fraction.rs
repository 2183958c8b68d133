//! Numbers with a fraction, as JSON has them, inside of enums whose variant is found by a field.
//!
//! serde reads such an enum twice: first into a form of its own, then from there. serde_json keeps the digits of a number
//! with a fraction, which that form holds as a map; an `f64` refuses it. Use: `#[serde(with = "crate::base::fraction")]`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

/// Writes the number as a number.
///
/// # Errors
/// As the serializer does.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize(serializer)
}

/// Reads a number, whichever way it is kept.
///
/// # Errors
/// When it is none.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = Number::deserialize(deserializer)?;
    number.as_f64().ok_or_else(|| serde::de::Error::custom(format!("{number} is too large a number")))
}
