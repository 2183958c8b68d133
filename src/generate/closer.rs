//! A closer look at a call than a recording may take: iterators read, and what was printed and warned.
//!
//! Decides which calls are worth one and what of it a test may say; the engine takes the look, in the sandbox.

use crate::domain::call::{Call, Effect, GeneratorEnd, Outcome};
use crate::domain::observation::{Printed, Stream, Warned};
use crate::domain::touch::Touch;
use crate::domain::value::Value;
use crate::generate::project::{Lookup, Project};
use crate::generate::scope::is_identifier;

/// Of an iterator that goes on, a test reads this many items (R7).
const ITEMS: usize = 10;
/// Iterators are looked for this deep in a result.
const DEPTH: usize = 3;

/// What a closer look showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// How the call ended; iterators are calls of `iter` with what they gave.
    pub effect: Effect,
    /// Printed to the output, and to the error stream.
    pub printed: [String; 2],
    /// Warnings that it gave.
    pub warned: Vec<Warned>,
    /// A number for each way from line to line of the project that it took, and for each fault in its function that it
    /// notices.
    pub arcs: Vec<u32>,
    /// The numbers of the faults that it was tried with and does not notice, where it was tried with any.
    pub silent: Option<Vec<u32>>,
    /// What a result without a form says of itself: values of properties by their names, or its text under [`REPR`].
    pub says: Vec<(String, Value)>,
}

/// Stands for the text of a value among the names of its properties.
pub const REPR: &str = "repr()";

/// Reads what a result says of itself, as it comes from the sandbox.
#[must_use]
pub fn said(value: Value) -> Vec<(String, Value)> {
    let Value::Dict(pairs) = value else { return Vec::new() };
    let named = pairs.into_iter().filter_map(|(name, value)| match name {
        Value::Str(name) if name == REPR || is_identifier(&name) => Some((name, value)),
        _ => None,
    });
    named.collect()
}

/// Tells whether a recording cannot say enough of this call.
#[must_use]
pub fn is_wanted(call: &Call, project: Project<'_>) -> bool {
    if call.touches.iter().any(Touch::forbids_replay) {
        return false;
    }
    let heard = call.touches.iter().any(|touch| matches!(touch, Touch::Output(_) | Touch::Warning(_)));
    heard
        || match &call.effect.outcome {
            Outcome::Returned(Value::None) => call.effect.changed.is_empty(),
            Outcome::Returned(value) => may_be_lazy(value, project, DEPTH) || is_mute(value),
            Outcome::Yielded { items, .. } => items.iter().any(|item| may_be_lazy(item, project, DEPTH)),
            _ => false,
        }
}

/// Tells whether what was recorded of a value is nothing that a test could compare it with.
fn is_mute(value: &Value) -> bool {
    let mut found = false;
    value.walk(&mut |part| {
        found |= match part {
            Value::Partial { .. } | Value::Method { .. } => true,
            Value::New { ty, .. } => matches!(ty.module.as_str(), "operator" | "itertools"),
            Value::Float(number) => number.is_nan(),
            Value::Object { fields, .. } => fields.iter().all(|(_, held)| !held.is_leaf()),
            _ => false,
        };
        !found
    });
    found
}

fn may_be_lazy(value: &Value, project: Project<'_>, depth: usize) -> bool {
    match value {
        Value::Generator { .. } | Value::Opaque { .. } => true,
        Value::New { ty, .. } => ty.module == "builtins" && ty.qualname == "iter",
        Value::Object { ty, .. } => matches!(project.method(ty, "__next__"), Lookup::Found(_)),
        Value::List(items) | Value::Tuple(items) => depth > 0 && items.iter().any(|item| may_be_lazy(item, project, depth - 1)),
        _ => false,
    }
}

/// Adds to a call what a closer look showed.
pub fn apply(call: &mut Call, look: Look, project: Project<'_>) {
    for (text, stream) in look.printed.into_iter().zip([Stream::Output, Stream::Error]) {
        if !text.is_empty() {
            call.observed.printed.push(Printed { stream, text });
        }
    }
    call.observed.warned.extend(look.warned);
    let effect = match (&mut call.effect.outcome, look.effect.outcome) {
        (Outcome::Yielded { items, .. }, Outcome::Yielded { items: mut seen, end })
            if items.iter().any(|item| may_be_lazy(item, project, DEPTH)) =>
        {
            let all = items.len() >= seen.len() && matches!(end, GeneratorEnd::Returned(_));
            seen.truncate(items.len());
            Outcome::Yielded { items: seen, end: if all { end } else { GeneratorEnd::Open } }
        }
        (Outcome::Returned(value), seen) if may_be_lazy(value, project, DEPTH) => match seen {
            Outcome::Yielded { mut items, end: GeneratorEnd::Open } => {
                items.truncate(ITEMS);
                Outcome::Yielded { items, end: GeneratorEnd::Open }
            }
            // Nothing was read, so the recording knows as much, and what the call changed besides.
            Outcome::Returned(seen) if !holds_read(&seen) => return,
            seen @ (Outcome::Yielded { .. } | Outcome::Returned(_)) => seen,
            _ => return,
        },
        _ => return,
    };
    // What reading the iterator changed in the arguments is not what the call alone did; a test awaits as this did.
    let changed = if awaited(&effect).is_some() { look.effect.changed } else { Vec::new() };
    call.effect = Effect { outcome: effect, changed };
}

/// What a result is that a test has to await or to iterate before it can be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Awaited<'v> {
    /// What awaiting a coroutine gave.
    Gives(&'v Value),
    /// The exception that awaiting it raised.
    Raises(&'v Value),
    /// The items of an asynchronous generator.
    Yields(&'v [Value]),
}

/// Gives what a closer look got by awaiting or iterating the result of a plain function.
#[must_use]
pub fn awaited(outcome: &Outcome) -> Option<Awaited<'_>> {
    let Outcome::Returned(Value::New { ty, args, .. }) = outcome else { return None };
    match (ty.module.as_str(), ty.qualname.as_str(), args.as_slice()) {
        ("builtins", "await", [value]) => Some(Awaited::Gives(value)),
        ("builtins", "raises", [exception]) => Some(Awaited::Raises(exception)),
        ("builtins", "aiter", [Value::List(items)]) => Some(Awaited::Yields(items)),
        _ => None,
    }
}

/// Gives the items of an iterator that was read.
#[must_use]
pub fn read(value: &Value) -> Option<&Value> {
    match value {
        Value::New { ty, args, .. } if ty.module == "builtins" && ty.qualname == "iter" => args.first(),
        _ => None,
    }
}

/// Tells whether a value holds an iterator that was read, or a coroutine that was awaited.
fn holds_read(value: &Value) -> bool {
    let is_read = |part: &Value| match part {
        Value::New { ty, .. } => ty.module == "builtins" && matches!(ty.qualname.as_str(), "iter" | "aiter" | "await" | "raises"),
        _ => false,
    };
    !value.walk(&mut |part| !is_read(part))
}

/// Gives how the items are written that are tuples with an iterator in the same places, for a comprehension over `{}`, and
/// what is read: `[(a, list(b)) for a, b in {}]`.
#[must_use]
pub fn read_within(items: &[Value]) -> Option<(String, Vec<Value>)> {
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let Value::Tuple(first) = items.first()? else { return None };
    let lazy: Vec<bool> = first.iter().map(|part| read(part).is_some()).collect();
    if first.len() < 2 || first.len() > NAMES.len() || !lazy.contains(&true) {
        return None;
    }
    let rows = items.iter().map(|item| {
        let Value::Tuple(parts) = item else { return None };
        let fits = parts.len() == lazy.len() && parts.iter().zip(&lazy).all(|(part, lazy)| read(part).is_some() == *lazy);
        fits.then(|| Value::Tuple(parts.iter().map(listed).collect()))
    });
    let rows = rows.collect::<Option<Vec<_>>>()?;
    let names = &NAMES[..lazy.len()];
    let shown = names.iter().zip(&lazy).map(|(name, lazy)| if *lazy { format!("list({name})") } else { (*name).to_owned() });
    let shown: Vec<String> = shown.collect();
    Some((format!("[({}) for {} in {{}}]", shown.join(", "), names.join(", ")), rows))
}

/// Gives a value, or for an iterator what `list` makes of it.
fn listed(part: &Value) -> Value {
    match read(part) {
        Some(Value::Tuple(items)) => Value::List(items.clone()),
        Some(items) => items.clone(),
        None => part.clone(),
    }
}
