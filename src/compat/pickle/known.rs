//! Types of the standard library that are read out of pickles though they are no plain values: what they are made of is plain. Nothing is
//! called: each form is known here.

use crate::compat::trace::Refused;
use crate::domain::value::{TypeName, Value};

/// Names of types, and of the one function by which old protocols write bytes.
const KNOWN: &[(&str, &str)] = &[
    ("datetime", "date"),
    ("datetime", "datetime"),
    ("datetime", "time"),
    ("datetime", "timedelta"),
    ("datetime", "timezone"),
    ("decimal", "Decimal"),
    ("_codecs", "encode"),
];

/// Tells whether a type is read.
pub(super) fn is(ty: &TypeName) -> bool {
    KNOWN.contains(&(ty.module.as_str(), ty.qualname.as_str()))
}

/// Gives what a type makes of its arguments.
///
/// # Errors
/// Where they are none that it is pickled with.
pub(super) fn made(ty: &TypeName, args: Vec<Value>) -> Result<Value, Refused> {
    let odd = || Refused::NotPlain(format!("a {}.{} of an unknown form", ty.module, ty.qualname));
    let int = |number: u32| Value::Int(number.into());
    let new = |args: Vec<Value>, fold: bool| {
        let kwargs = if fold { vec![("fold".to_owned(), Value::Int(1))] } else { Vec::new() };
        Value::New { ty: ty.clone(), args, kwargs }
    };
    let micro = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte));
    match (ty.qualname.as_str(), args.as_slice()) {
        ("encode", [Value::Str(text), Value::Str(kind)]) if matches!(kind.as_str(), "latin1" | "latin-1") => {
            let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
            bytes.map(Value::Bytes).ok_or_else(odd)
        }
        ("encode", [Value::Str(text)]) if text.is_ascii() => Ok(Value::Bytes(text.clone().into_bytes())),
        ("Decimal", [Value::Str(_)]) | ("timezone", [Value::New { .. }]) | ("timezone", [Value::New { .. }, Value::Str(_)]) => {
            Ok(new(args, false))
        }
        ("timedelta", [Value::Int(_), Value::Int(_), Value::Int(_)]) => Ok(new(args, false)),
        ("date", [Value::Bytes(bytes)]) => match bytes.as_slice() {
            [high, low, month, day] => {
                let year = (u32::from(*high) << 8) | u32::from(*low);
                Ok(new([year, (*month).into(), (*day).into()].map(int).into(), false))
            }
            _ => Err(odd()),
        },
        ("datetime", [Value::Bytes(bytes), zone @ ..]) if zone.len() < 2 => match bytes.as_slice() {
            [high, low, month, day, hour, minute, second, rest @ ..] if rest.len() == 3 => {
                let year = (u32::from(*high) << 8) | u32::from(*low);
                let parts = [month & 0x7f, *day, *hour, *minute, *second].map(u32::from);
                let numbers = [year].into_iter().chain(parts).chain([micro(rest)]).map(int);
                Ok(new(numbers.chain(zone.iter().cloned()).collect(), month & 0x80 != 0))
            }
            _ => Err(odd()),
        },
        ("time", [Value::Bytes(bytes), zone @ ..]) if zone.len() < 2 => match bytes.as_slice() {
            [hour, minute, second, rest @ ..] if rest.len() == 3 => {
                let numbers = [hour & 0x7f, *minute, *second].map(u32::from).into_iter().chain([micro(rest)]).map(int);
                Ok(new(numbers.chain(zone.iter().cloned()).collect(), hour & 0x80 != 0))
            }
            _ => Err(odd()),
        },
        _ => Err(odd()),
    }
}
