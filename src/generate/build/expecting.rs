//! What holds while writing the other side of a comparison: no new lines, and `==` has to mean something.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::reason::ReasonCode;
use crate::domain::value::Value;
use crate::generate::build::stop::{Stop, no};
use crate::generate::found;
use crate::generate::tables;

/// What the ordinals of an outcome stand for, and which are being written.
pub(in crate::generate) struct Expecting<'a> {
    /// What the ordinals of the outcome stand for.
    pub(in crate::generate) defined: BTreeMap<u64, &'a Value>,
    /// Ordinals being written.
    pub(super) open: BTreeSet<u64>,
}

impl<'a> Expecting<'a> {
    /// Collects what the ordinals of an outcome stand for.
    pub(in crate::generate) fn new(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut defined = BTreeMap::new();
        for value in values {
            value.walk(&mut |part| {
                match part {
                    Value::Object { ordinal, .. } | Value::Sub { ordinal, .. } | Value::Exception { ordinal, .. } => {
                        defined.entry(*ordinal).or_insert(part);
                    }
                    Value::Shared(ordinal, value) => {
                        defined.entry(*ordinal).or_insert(value.as_ref());
                    }
                    _ => {}
                }
                true
            });
        }
        Self { defined, open: BTreeSet::new() }
    }

    /// Follows a reference to what it stands for.
    pub(in crate::generate) fn resolve<'v>(&self, value: &'v Value) -> &'v Value
    where
        'a: 'v,
    {
        match value {
            Value::Ref(ordinal) => self.defined.get(ordinal).copied().unwrap_or(value),
            Value::Shared(_, value) => value,
            _ => value,
        }
    }
}

/// Stops at values that `==` does not compare by content.
pub(super) fn incomparable(value: &Value) -> Result<(), Stop> {
    if tables::table(value).is_some() {
        return no(ReasonCode::NotComparable.of(value.type_name()));
    }
    match value {
        Value::Float(number) if number.is_nan() => no(ReasonCode::Nan),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) if text.to_ascii_lowercase().contains("nan") => no(ReasonCode::Nan),
            _ => Ok(()),
        },
        Value::New { ty, args, .. } if ty.module == "numpy" && args.first() == Some(&Value::Str("NaT".into())) => {
            no(ReasonCode::Nan)
        }
        Value::New { ty, .. } if ty.qualname == "FunctionType" => no(ReasonCode::NotComparable.of("function")),
        Value::New { ty, .. } if ty.module == "operator" && matches!(ty.qualname.as_str(), "getitem" | "or_") => Ok(()),
        Value::New { ty, .. }
            if matches!(ty.module.as_str(), "operator" | "itertools")
                || matches!(ty.qualname.as_str(), "eval" | "iter" | "Lock" | "RLock")
                || found::is_found(ty) =>
        {
            no(ReasonCode::NotComparable.of(ty.short()))
        }
        Value::Sub { ty, fields, .. } if !fields.is_empty() => no(ReasonCode::NotComparable.of(ty.short())),
        Value::Exception { ty, .. } | Value::Opaque { ty, .. } => no(ReasonCode::NotComparable.of(ty.short())),
        Value::Generator { .. } | Value::Partial { .. } | Value::Method { .. } | Value::File { .. } => {
            no(ReasonCode::NotComparable.of(value.type_name()))
        }
        _ => Ok(()),
    }
}
