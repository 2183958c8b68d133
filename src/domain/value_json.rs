//! JSON as recorded values.

use serde_json::{Number, Value as Json};

use crate::domain::value::Value;

/// Gives the value that Python's `json.loads` makes of it.
#[must_use]
pub fn read(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => numeral(number),
        Json::String(text) => Value::Str(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(read).collect()),
        Json::Object(fields) => Value::Dict(fields.iter().map(|(key, held)| (Value::Str(key.clone()), read(held))).collect()),
    }
}

fn numeral(number: &Number) -> Value {
    let text = number.to_string();
    match (number.as_i64(), number.as_f64()) {
        (Some(whole), _) => Value::Int(whole),
        (None, _) if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => Value::BigInt(text),
        (None, Some(float)) => Value::Float(float),
        (None, None) => Value::Str(text),
    }
}
