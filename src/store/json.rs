//! Columns of text: JSON for what has structure, one bare word for a plain enum.

use rusqlite::Row;
use rusqlite::types::Type;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Result, StoreError};

/// Room for the deepest value a recording can hold, in a build without optimisation.
pub(super) const STACK: usize = 128 << 20;

/// Text nested deeper than this is read and written on a stack of its own; below it, any thread's stack will do.
const SHALLOW: usize = 100;

const DEEPER: usize = SHALLOW + 1;

/// A recorded value has at most 200 levels, each at most 8 levels of JSON; deeper text is not ours.
const DEPTH_MAX: usize = 2_000;

pub(super) fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

pub(super) fn from_json<T: DeserializeOwned + Send>(text: &str) -> Result<T> {
    match depth(text) {
        0..=SHALLOW => Ok(serde_json::from_str(text)?),
        DEEPER..=DEPTH_MAX => {
            let read = || {
                let mut reader = serde_json::Deserializer::from_str(text);
                reader.disable_recursion_limit();
                let value = T::deserialize(&mut reader)?;
                reader.end()?;
                Ok(value)
            };
            std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
                let thread = thread.map_err(|error| StoreError::Thread(error.to_string()))?;
                thread.join().unwrap_or_else(|_| Err(StoreError::Form("reading it panicked".into())))
            })
        }
        _ => Err(StoreError::Form("it is nested too deeply".into())),
    }
}

/// Counts how deep the brackets of a JSON text go.
fn depth(text: &str) -> usize {
    let (mut deepest, mut level, mut quoted, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                level += 1;
                deepest = deepest.max(level);
            }
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Reads a column of JSON text.
pub(super) fn json<T: DeserializeOwned + Send>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    from_json(&text).map_err(|error| bad_column(column, error))
}

/// Writes a plain enum as its one word.
pub(super) fn word<T: Serialize>(value: &T) -> Result<String> {
    Ok(to_json(value)?.trim_matches('"').to_owned())
}

/// Reads a column that holds a plain enum as its one word.
pub(super) fn from_word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_value(serde_json::Value::String(text)).map_err(|error| bad_column(column, error.into()))
}

fn bad_column(column: usize, error: StoreError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::Value;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(Value::Float(f64::NAN), |inner, _| Value::List(vec![inner]))
    }

    #[test]
    fn deep_values_and_odd_floats_come_back() {
        for levels in [1, 200] {
            let text = to_json(&nested(levels)).unwrap();
            let back: Value = std::thread::scope(|scope| scope.spawn(|| from_json(&text)).join().unwrap()).unwrap();
            assert_eq!(to_json(&back).unwrap(), text);
        }
        for value in [-0.0, f64::INFINITY, 0.1, 5e-324, f64::MAX] {
            let back: Value = from_json(&to_json(&Value::Float(value)).unwrap()).unwrap();
            assert!(matches!(back, Value::Float(same) if same.to_bits() == value.to_bits()));
        }
    }

    #[test]
    fn text_made_to_exhaust_the_stack_is_refused() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(matches!(from_json::<serde_json::Value>(&text), Err(StoreError::Form(_))));
        assert_eq!(depth(r#"{"a": "[[[\"[[", "b": [1]}"#), 2);
    }
}
