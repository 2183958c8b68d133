//! One recorded call of the predecessor: a `.gjson` graph snapshot or a `.pkl` of plain values.

use std::path::Path;

use thiserror::Error;

use crate::compat::graph;
use crate::compat::pickle::{self, IsOurs};
use crate::domain::value::Value;

/// Larger files are not read.
const SIZE_MAX: u64 = 16 << 20;

/// A call as the predecessor kept it: arguments by position and by name, as they were after the call.
#[derive(Debug, Clone, PartialEq)]
pub struct OldCall {
    /// `module.function` or `module.Class.method`.
    pub function: String,
    /// The object of a method.
    pub receiver: Option<OldObject>,
    /// Arguments by position, without the object of a method where `receiver` is it.
    pub args: Vec<Value>,
    /// Arguments by name.
    pub kwargs: Vec<(String, Value)>,
    /// What it returned.
    pub result: Value,
    /// It was kept as a graph, in which the object or the class of a method is the first argument.
    pub is_graph: bool,
    /// When the recording of pytead-tui began that it was written from; `None` for a trace of the predecessor.
    pub recorded: Option<i64>,
}

/// The object that a method was called on, as a pickle has it: its whole state, before the call and after it.
#[derive(Debug, Clone, PartialEq)]
pub struct OldObject {
    /// Its class, as `module.Class`.
    pub class: String,
    /// Its fields before the call.
    pub before: Vec<(String, Value)>,
    /// Its fields after the call.
    pub after: Vec<(String, Value)>,
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
/// When it is no trace, or holds more than plain values and objects of the project's.
pub fn read(path: &Path, is_ours: &IsOurs<'_>) -> Result<OldCall, Refused> {
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
        Some("pkl") => from_entry(pickle::load(&bytes, is_ours)?),
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
    let receiver = take("self").filter(|object| *object != Value::None).map(object).transpose()?;
    let Some(Value::Str(function)) = take("func") else { return Err(missing("function")) };
    let Some(Value::Tuple(args) | Value::List(args)) = take("args") else { return Err(missing("arguments")) };
    let Some(Value::Dict(kwargs)) = take("kwargs") else { return Err(missing("arguments by name")) };
    let named = kwargs.into_iter().map(|(key, value)| match key {
        Value::Str(key) => Ok((key, value)),
        _ => Err(Refused::NoTrace("an argument's name is no text".into())),
    });
    let kwargs = named.collect::<Result<_, _>>()?;
    Ok(OldCall {
        function,
        receiver,
        args,
        kwargs,
        result: take("result").ok_or_else(|| missing("result"))?,
        is_graph: false,
        recorded: None,
    })
}

/// Reads what a pickle keeps of the object of a method.
fn object(entry: Value) -> Result<OldObject, Refused> {
    let Some(parts) = fields(entry) else { return Err(Refused::OnObject) };
    let state = |names: &[&str]| {
        let found = names.iter().find_map(|name| parts.iter().find(|(known, _)| known == name));
        found.and_then(|(_, state)| fields(state.clone())).ok_or(Refused::OnObject)
    };
    let Some((_, Value::Str(class))) = parts.iter().find(|(name, _)| name == "type") else { return Err(Refused::OnObject) };
    Ok(OldObject { class: class.clone(), before: state(&["state_before", "before"])?, after: state(&["state_after", "after"])? })
}

/// Gives what a dict with names for keys holds.
pub(crate) fn fields(dict: Value) -> Option<Vec<(String, Value)>> {
    let dict = match dict {
        Value::Shared(_, inner) => *inner,
        dict => dict,
    };
    let Value::Dict(pairs) = dict else { return None };
    let named = |(name, value)| match name {
        Value::Str(name) => Some((name, value)),
        _ => None,
    };
    pairs.into_iter().map(named).collect()
}
