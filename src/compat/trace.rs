//! One recorded call of the predecessor: a `.gjson` graph snapshot or a `.pkl` of plain values.

use std::path::Path;

use thiserror::Error;

use crate::compat::{graph, pickle};
use crate::domain::value::Value;

/// Larger files are not read.
const SIZE_MAX: u64 = 16 << 20;

/// A call as the predecessor kept it: arguments by position and by name, as they were after the call.
#[derive(Debug, Clone, PartialEq)]
pub struct OldCall {
    /// `module.function` or `module.Class.method`.
    pub function: String,
    /// Arguments by position, without the object of a method.
    pub args: Vec<Value>,
    /// Arguments by name.
    pub kwargs: Vec<(String, Value)>,
    /// What it returned.
    pub result: Value,
}

/// Why a trace is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// It cannot be read.
    #[error("It cannot be read: {0}.")]
    Unreadable(String),
    /// It is larger than any trace.
    #[error("It is larger than {} MiB.", SIZE_MAX >> 20)]
    TooLarge,
    /// It is something else.
    #[error("It is no trace of a call: {0}.")]
    NoTrace(String),
    /// It holds what only its own program could make again.
    #[error("It holds {0}, and only plain values are read: nothing of a trace is ever run.")]
    NotPlain(String),
    /// The call was made on an object that the trace does not hold whole.
    #[error("The call was made on an object, which the trace does not hold whole. Record it again with pytead-tui run.")]
    OnObject,
    /// An object is referred to that is not there, or not certain.
    #[error("It refers to object {0}, which is not in the trace or stands for several.")]
    Reference(u64),
}

/// Reads a trace.
///
/// # Errors
/// When it is no trace, or holds more than plain values.
pub fn read(path: &Path) -> Result<OldCall, Refused> {
    let unreadable = |error: std::io::Error| Refused::Unreadable(error.to_string());
    let meta = path.symlink_metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(Refused::Unreadable("it is no ordinary file".into()));
    }
    if meta.len() > SIZE_MAX {
        return Err(Refused::TooLarge);
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gjson") => graph::call(&bytes),
        Some("pkl") => from_entry(pickle::load(&bytes)?),
        _ => Err(Refused::NoTrace("its name ends neither in .gjson nor in .pkl".into())),
    }
}

fn from_entry(entry: Value) -> Result<OldCall, Refused> {
    let Value::Dict(mut fields) = entry else { return Err(Refused::NoTrace("it holds no dict".into())) };
    let mut take = |name: &str| {
        let at = fields.iter().position(|(key, _)| matches!(key, Value::Str(key) if key == name))?;
        Some(fields.swap_remove(at).1)
    };
    let missing = |what: &str| Refused::NoTrace(format!("it has no {what}"));
    if [take("self"), take("obj_args"), take("result_obj")].into_iter().flatten().any(|part| part != Value::None) {
        return Err(Refused::OnObject);
    }
    let Some(Value::Str(function)) = take("func") else { return Err(missing("function")) };
    let Some(Value::Tuple(args) | Value::List(args)) = take("args") else { return Err(missing("arguments")) };
    let Some(Value::Dict(kwargs)) = take("kwargs") else { return Err(missing("arguments by name")) };
    let named = kwargs.into_iter().map(|(key, value)| match key {
        Value::Str(key) => Ok((key, value)),
        _ => Err(Refused::NoTrace("an argument's name is no text".into())),
    });
    let kwargs = named.collect::<Result<_, _>>()?;
    Ok(OldCall { function, args, kwargs, result: take("result").ok_or_else(|| missing("result"))? })
}
