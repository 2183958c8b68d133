//! What Python's `repr` gives of plain values: equal on every machine, and, unlike `==`, another text for `True`, `1` and `1.0`,
//! for `Decimal("1.5")` and `Decimal("1.50")`, for `0.0` and `-0.0`, and for dicts in another order.

use crate::domain::value::{Value, python_float};

/// Writes the `repr` of a value that is made of numbers, texts and builtin containers; `None` for all others.
#[must_use]
pub fn repr(value: &Value) -> Option<String> {
    let all = |items: &[Value]| items.iter().map(repr).collect::<Option<Vec<_>>>().map(|items| items.join(", "));
    match value {
        Value::None => Some("None".into()),
        Value::Bool(true) => Some("True".into()),
        Value::Bool(false) => Some("False".into()),
        Value::Int(number) => Some(number.to_string()),
        Value::BigInt(digits) => Some(digits.clone()),
        Value::Float(number) => Some(python_float(*number)),
        Value::Str(text) => of_text(text),
        Value::List(items) => Some(format!("[{}]", all(items)?)),
        Value::Tuple(items) if items.len() == 1 => Some(format!("({},)", all(items)?)),
        Value::Tuple(items) => Some(format!("({})", all(items)?)),
        Value::Set(items) if items.is_empty() => Some("set()".into()),
        // The order of more is another in each process.
        Value::Set(items) if items.len() == 1 => Some(format!("{{{}}}", all(items)?)),
        Value::Dict(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| Some(format!("{}: {}", repr(key)?, repr(value)?)));
            Some(format!("{{{}}}", pairs.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        Value::New { ty, args, kwargs } if ty.qualname == "Decimal" && kwargs.is_empty() => match args.as_slice() {
            [Value::Str(text)] => Some(format!("Decimal('{text}')")),
            _ => None,
        },
        Value::Shared(_, value) => repr(value),
        _ => None,
    }
}

fn of_text(text: &str) -> Option<String> {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => out.push(c),
            // Which other signs are printed as they are depends on the version of Python.
            _ => return None,
        }
    }
    out.push(quote);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::TypeName;

    #[test]
    fn plain_values_are_told_as_python_tells_them() {
        let decimal =
            Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![Value::Str("1.50".into())], kwargs: vec![] };
        let mixed = Value::List(vec![Value::Bool(true), Value::Int(1), Value::Float(1.0), Value::Float(-0.0), decimal]);
        assert_eq!(repr(&mixed).as_deref(), Some("[True, 1, 1.0, -0.0, Decimal('1.50')]"));
        let dict = Value::Dict(vec![(Value::Str("it's".into()), Value::Tuple(vec![Value::None]))]);
        assert_eq!(repr(&dict).as_deref(), Some("{\"it's\": (None,)}"));
        let pair = Value::Set(vec![Value::Int(1), Value::Int(2)]);
        assert_eq!((repr(&pair), repr(&Value::Ref(1)), repr(&Value::Str("\u{200b}".into()))), (None, None, None));
    }
}
