//! Recorded Python values as data, and how they read on screen; where two of them differ is `difference.rs`.
//!
//! The forms are those of `docs/spool.md`; decoding the bytes is `python/value.rs`, writing Python code that makes the
//! value again is `generate/build.rs`.

mod summary;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::secret::Look;

/// A dotted module and a qualified name in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TypeName {
    /// The module.
    pub module: String,
    /// The name in the module.
    pub qualname: String,
}

impl TypeName {
    /// Joins module and name.
    #[must_use]
    pub fn new(module: impl Into<String>, qualname: impl Into<String>) -> Self {
        Self { module: module.into(), qualname: qualname.into() }
    }

    /// Gives the whole name with dots: `shop.cart.Cart.total`.
    #[must_use]
    pub fn dotted(&self) -> String {
        format!("{}.{}", self.module, self.qualname)
    }

    /// Gives the last part of the name.
    #[must_use]
    pub fn short(&self) -> &str {
        let name = if self.qualname.is_empty() { &self.module } else { &self.qualname };
        name.rsplit('.').next().unwrap_or(name)
    }

    /// Gives the type of what calling it makes: an array for `numpy.arange`, a frame for a method of frames.
    #[must_use]
    pub fn made(&self) -> &str {
        match (self.module.as_str(), self.qualname.as_str()) {
            ("numpy", "zeros" | "ones" | "full" | "arange" | "linspace" | "reshape" | "asfortranarray") => "ndarray",
            ("pandas", name) => name.split('.').next().unwrap_or(name),
            _ => self.short(),
        }
    }
}

/// How an object keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// An ordinary class.
    Plain,
    /// A dataclass.
    Dataclass,
    /// A class made by attrs.
    Attrs,
    /// A pydantic model.
    Pydantic,
}

/// A recorded value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Value {
    /// `None`
    None,
    /// `...`
    Ellipsis,
    /// `True` or `False`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other integer, in decimal.
    BigInt(String),
    /// A float; bits matter: `-0.0` and `0.0` differ, NaN equals NaN.
    Float(#[serde(with = "exact")] f64),
    /// A complex number.
    Complex(#[serde(with = "exact")] f64, #[serde(with = "exact")] f64),
    /// A string.
    Str(String),
    /// A string with lone surrogates, as the bytes of `surrogatepass` UTF-8.
    RawStr(Vec<u8>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A set, its items in the order they were written.
    Set(Vec<Value>),
    /// A frozen set.
    FrozenSet(Vec<Value>),
    /// A dict in insertion order.
    Dict(Vec<(Value, Value)>),
    /// An object by its state.
    Object { ordinal: u64, ty: TypeName, kind: ObjectKind, fields: Vec<(String, Value)> },
    /// An instance of a subclass of a builtin.
    Sub { ordinal: u64, ty: TypeName, base: Box<Value>, fields: Vec<(String, Value)> },
    /// The same object again.
    Ref(u64),
    /// A builtin container that is reached twice: here for the first time.
    Shared(u64, Box<Value>),
    /// Something importable, by its name.
    Name(TypeName),
    /// An enum member.
    Enum { ty: TypeName, name: Option<String>, value: Box<Value> },
    /// A named tuple.
    NamedTuple { ty: TypeName, fields: Vec<(String, Value)> },
    /// What a call of something importable returns.
    New { ty: TypeName, args: Vec<Value>, kwargs: Vec<(String, Value)> },
    /// An exception.
    Exception { ordinal: u64, ty: TypeName, args: Vec<Value>, fields: Vec<(String, Value)> },
    /// A generator that was not started.
    Generator { ty: TypeName, args: Vec<(String, Value)> },
    /// `functools.partial`.
    Partial { function: Box<Value>, args: Vec<Value>, kwargs: Vec<(String, Value)> },
    /// A bound method.
    Method { receiver: Box<Value>, name: String },
    /// An in-memory file.
    File { class: String, content: Box<Value>, position: u64 },
    /// A small numpy array.
    Array { dtype: String, shape: Vec<u64>, items: Vec<Value> },
    /// A redacted value.
    Secret { kind: String, ordinal: u64, look: Option<Look> },
    /// A value over the budget.
    Cut { ty: String, length: Option<u64>, head: Box<Value>, tail: Box<Value>, hash: String },
    /// An object that cannot be read without running code.
    Opaque { ordinal: u64, ty: TypeName },
}

/// Floats as text: JSON has no NaN and no infinities.
mod exact {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Value {
    /// Writes the value for people on one line, in Python's notation where there is one; at most about `limit` characters.
    ///
    /// The result is not sanitised: it passes `base::text::display_line` where it is shown.
    #[must_use]
    pub fn summary(&self, limit: usize) -> String {
        summary::of(self, limit)
    }

    /// Names the type for people: `int`, `Decimal`, `Cart`.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::None => "None",
            Self::Ellipsis => "ellipsis",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::BigInt(_) => "int",
            Self::Float(_) => "float",
            Self::Complex(..) => "complex",
            Self::Str(_) | Self::RawStr(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Set(_) => "set",
            Self::FrozenSet(_) => "frozenset",
            Self::Dict(_) => "dict",
            Self::Object { ty, .. }
            | Self::Sub { ty, .. }
            | Self::Enum { ty, .. }
            | Self::NamedTuple { ty, .. }
            | Self::Exception { ty, .. }
            | Self::Opaque { ty, .. } => ty.short(),
            Self::New { ty, .. } => ty.made(),
            Self::Name(_) => "type",
            Self::Ref(_) => "object",
            Self::Shared(_, value) => value.type_name(),
            Self::Generator { .. } => "generator",
            Self::Partial { .. } => "partial",
            Self::Method { .. } => "method",
            Self::File { class, .. } => class,
            Self::Array { .. } => "ndarray",
            Self::Secret { look: Some(look), .. } => look.ty.name(),
            Self::Secret { kind, .. } => kind,
            Self::Cut { ty, .. } => ty,
        }
    }

    /// Gives the number of a thing that is itself wherever it is met, whatever its state: an object, an exception, no container.
    #[must_use]
    pub fn ordinal(&self) -> Option<u64> {
        match self {
            Self::Object { ordinal, .. }
            | Self::Sub { ordinal, .. }
            | Self::Exception { ordinal, .. }
            | Self::Opaque { ordinal, .. } => Some(*ordinal),
            _ => None,
        }
    }

    /// Visits this value and all below it, parents first, until `visit` answers `false`.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Value) -> bool) -> bool {
        visit(self) && self.all_parts(&mut |part| part.walk(visit))
    }

    /// Visits the direct parts as [`children`](Self::children) lists them, until `visit` answers `false`.
    pub fn all_parts<'a>(&'a self, visit: &mut dyn FnMut(&'a Value) -> bool) -> bool {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) | Self::FrozenSet(items) | Self::Array { items, .. } => {
                items.iter().all(visit)
            }
            Self::Dict(pairs) => pairs.iter().all(|(key, value)| visit(key) && visit(value)),
            Self::Object { fields, .. } | Self::NamedTuple { fields, .. } | Self::Generator { args: fields, .. } => {
                fields.iter().all(|(_, value)| visit(value))
            }
            Self::Sub { base, fields, .. } => visit(base) && fields.iter().all(|(_, value)| visit(value)),
            Self::Shared(_, value) | Self::Enum { value, .. } => visit(value),
            Self::New { args, kwargs: named, .. } | Self::Exception { args, fields: named, .. } => {
                args.iter().all(&mut *visit) && named.iter().all(|(_, value)| visit(value))
            }
            Self::Partial { function, args, kwargs } => {
                visit(function) && args.iter().all(&mut *visit) && kwargs.iter().all(|(_, value)| visit(value))
            }
            Self::Method { receiver, .. } => visit(receiver),
            Self::File { content, .. } => visit(content),
            Self::Cut { head, tail, .. } => visit(head) && visit(tail),
            _ => true,
        }
    }

    /// Tells whether the value has no parts.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.all_parts(&mut |_| false)
    }

    /// Lists the direct parts with the step that leads to each: `[0]`, `['key']`, `.field`.
    #[must_use]
    pub fn children(&self) -> Vec<(Step, &Value)> {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Set(items) | Self::FrozenSet(items) | Self::Array { items, .. } => {
                indexed(items)
            }
            Self::Dict(pairs) => pairs
                .iter()
                .flat_map(|(key, value)| [(Step::KeyItself(key.summary(40)), key), (Step::Key(key.summary(40)), value)])
                .collect(),
            Self::Object { fields, .. } | Self::NamedTuple { fields, .. } | Self::Generator { args: fields, .. } => named(fields),
            Self::Sub { base, fields, .. } => {
                let mut all = vec![(Step::Content, base.as_ref())];
                all.extend(named(fields));
                all
            }
            Self::Shared(_, value) | Self::Enum { value, .. } => vec![(Step::Content, value.as_ref())],
            Self::New { args, kwargs, .. } => {
                let mut all = indexed(args);
                all.extend(named(kwargs));
                all
            }
            Self::Exception { args, fields, .. } => {
                let mut all: Vec<_> =
                    args.iter().enumerate().map(|(at, value)| (Step::Field(format!("args[{at}]")), value)).collect();
                all.extend(named(fields));
                all
            }
            Self::Partial { function, args, kwargs } => {
                let mut all = vec![(Step::Field("func".into()), function.as_ref())];
                all.extend(indexed(args));
                all.extend(named(kwargs));
                all
            }
            Self::Method { receiver, .. } => vec![(Step::Field("__self__".into()), receiver.as_ref())],
            Self::File { content, .. } => vec![(Step::Content, content.as_ref())],
            Self::Cut { head, tail, .. } => vec![(Step::Content, head.as_ref()), (Step::Content, tail.as_ref())],
            _ => Vec::new(),
        }
    }

    /// Tells why this value cannot be made again from what was recorded, if it cannot.
    #[must_use]
    pub fn not_buildable(&self) -> Option<Reason> {
        let mut reason = None;
        self.walk(&mut |value| {
            reason = match value {
                Self::Cut { ty, length, head, .. } => Some(match length {
                    // Of numpy and pandas the recorder says what it has no form for.
                    None if let Self::Str(what) = head.as_ref()
                        && !what.is_empty() =>
                    {
                        let is_array = ty == "ndarray";
                        let code = if is_array { ReasonCode::UnsupportedArray } else { ReasonCode::UnsupportedDataframe };
                        code.of(ty).with(what)
                    }
                    Some(length) => ReasonCode::ValueTooLarge.of(ty).with(length),
                    None => ReasonCode::ValueTooLarge.of(ty),
                }),
                Self::Opaque { ty, .. } => Some(ReasonCode::OpaqueObject.of(ty.short())),
                // A class that a function defines in its body is there while that runs, and no longer.
                Self::Name(ty) if ty.qualname.contains("<locals>") => Some(ReasonCode::OpaqueObject.of(ty.short())),
                Self::Object { ty, .. } | Self::Sub { ty, .. } if ty.qualname.contains("<locals>") => {
                    Some(ReasonCode::LocalClass.of(ty.short()))
                }
                _ => None,
            };
            reason.is_none()
        });
        reason
    }
}

fn indexed(items: &[Value]) -> Vec<(Step, &Value)> {
    items.iter().enumerate().map(|(at, value)| (Step::Index(at), value)).collect()
}

fn named(fields: &[(String, Value)]) -> Vec<(Step, &Value)> {
    fields.iter().map(|(name, value)| (Step::Field(name.clone()), value)).collect()
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// An item by its position.
    Index(usize),
    /// A dict's value, by its key as text.
    Key(String),
    /// A dict's key itself.
    KeyItself(String),
    /// A field by its name.
    Field(String),
    /// The content of a wrapper: no step in the text.
    Content,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(at) => write!(f, "[{at}]"),
            Self::Key(key) => write!(f, "[{key}]"),
            Self::KeyItself(key) => write!(f, " key {key}"),
            Self::Field(name) => write!(f, ".{name}"),
            Self::Content => Ok(()),
        }
    }
}

/// Writes a float as Python's `repr` does.
#[must_use]
pub fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{number:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = exponent.strip_prefix('-').map_or(("+", exponent), |digits| ("-", digits));
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    let text = number.to_string();
    if text.contains('.') { text } else { format!("{text}.0") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples::object;

    #[test]
    fn values_read_as_python() {
        let price = Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![Value::Str("1.10".into())], kwargs: vec![] };
        assert_eq!(price.summary(80), "Decimal('1.10')");
        assert_eq!(Value::Tuple(vec![Value::Int(1)]).summary(80), "(1,)");
        assert_eq!(Value::Str("it's\n\x1b".into()).summary(80), "\"it's\\n\\x1b\"");
        assert_eq!(object(3, vec![("n", Value::Int(1))]).summary(80), "Cart#3(n=1)");
        assert_eq!(Value::List(vec![object(3, vec![("n", Value::Int(1))])]).summary(80), "[Cart#3]");
        assert_eq!(Value::Str("x".repeat(100)).summary(10), "'xxxxxxxxx…");
    }

    #[test]
    fn floats_read_as_python_writes_them() {
        for (number, text) in [(1.0, "1.0"), (-0.0, "-0.0"), (1e16, "1e+16"), (1.5e-7, "1.5e-07"), (0.1, "0.1"), (1e22, "1e+22")]
        {
            assert_eq!(python_float(number), text);
        }
    }

    #[test]
    fn what_cannot_be_made_again_says_why() {
        let value = Value::List(vec![Value::Opaque { ordinal: 1, ty: TypeName::new("_thread", "lock") }]);
        assert_eq!(value.not_buildable(), Some(ReasonCode::OpaqueObject.of("lock")));
        assert_eq!(Value::Int(1).not_buildable(), None);
    }
}
