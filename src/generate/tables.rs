//! What of numpy and pandas a value is, and how the library compares it; how it is written is `arrays.rs`.

use crate::domain::value::{TypeName, Value};

/// How the library compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Check {
    /// The function that raises when its two arguments differ.
    pub function: &'static str,
    /// How far recorded floats may be off.
    pub tolerance: &'static [&'static str],
}

/// What a library compares by a function of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// An array of numpy.
    Array,
    /// A frame.
    Frame,
    /// A series.
    Series,
    /// An index.
    Index,
}

/// Tells what of numpy or pandas a value is; `None` for what `==` compares.
#[must_use]
pub fn table(value: &Value) -> Option<Table> {
    match value {
        Value::Array { .. } => Some(Table::Array),
        Value::New { ty, .. } if ty.made() == "ndarray" => Some(Table::Array),
        Value::New { ty, .. } if ty.module == "pandas" => match ty.made() {
            "DataFrame" => Some(Table::Frame),
            "Series" => Some(Table::Series),
            name => name.ends_with("Index").then_some(Table::Index),
        },
        _ => None,
    }
}

/// Tells whether a value is, or holds, what `==` does not compare for being of numpy or pandas.
#[must_use]
pub fn is_in(value: &Value) -> bool {
    let mut found = false;
    value.walk(&mut |part| {
        found |= table(part).is_some() || scalar(part).is_some();
        !found
    });
    found
}

/// Gives the number or text that a scalar of numpy holds, with its type; `None` for other values, and for dates.
#[must_use]
pub fn scalar(value: &Value) -> Option<(&TypeName, &Value)> {
    match value {
        Value::New { ty, args, .. } if ty.module == "numpy" && !matches!(ty.made(), "ndarray" | "datetime64" | "timedelta64") => {
            args.first().map(|held| (ty, held))
        }
        _ => None,
    }
}
