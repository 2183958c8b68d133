//! Recorded values on the wire: the tagged tuples of `docs/spool.md` and the outcomes of `docs/worker.md`.
//!
//! The bytes themselves are `marshal.rs`; what the values mean is `domain/value.rs`.

use crate::domain::call::{Argument, Effect, GeneratorEnd, Outcome};
use crate::domain::function::ParamKind;
use crate::domain::value::Value;
use crate::domain::way::{Given, Led, Way};
use crate::python::marshal::{DecodeError, Tree, Writer, decode};
use crate::python::value::read::sequence;
pub use crate::python::value::read::{Parts, from_tree};
use crate::python::value::write::{write, write_fields};

mod read;
#[cfg(test)]
mod tests;
mod write;

/// Reads one value.
///
/// # Errors
/// When the bytes are not one whole value in a form of `docs/spool.md`.
pub fn value(bytes: &[u8]) -> Result<Value, DecodeError> {
    from_tree(decode(bytes)?)
}

/// Writes one value, byte for byte as the recorder does.
#[must_use]
pub fn encode(value: &Value) -> Vec<u8> {
    let mut writer = Writer::default();
    write(value, &mut writer);
    writer.finish()
}

/// Reads an outcome of the worker.
///
/// # Errors
/// When the bytes are not an outcome in a form of `docs/worker.md`.
pub fn outcome(bytes: &[u8]) -> Result<Effect, DecodeError> {
    let mut parts = Parts::of(decode(bytes)?, "an outcome")?;
    let kind = parts.text()?;
    let (outcome, changed) = match kind.as_str() {
        "R" => (Outcome::Returned(parts.value()?), parts.fields()?),
        "X" => {
            let exception = parts.value()?;
            let changed = parts.fields()?;
            let mro = if parts.is_empty() { own_type(&exception) } else { parts.texts()? };
            (Outcome::Raised { exception, mro }, changed)
        }
        "Y" => {
            let items = parts.values()?;
            let how = parts.text()?;
            let last = parts.value()?;
            let end = match how.as_str() {
                "returned" => GeneratorEnd::Returned(last),
                "raised" => GeneratorEnd::Raised(last),
                "capped" => GeneratorEnd::Open,
                other => return Err(DecodeError::form(format!("a generator cannot end {other:?}"))),
            };
            (Outcome::Yielded { items, end }, parts.fields()?)
        }
        "T" => (Outcome::TimedOut(parts.number()?), Vec::new()),
        "D" => (Outcome::Died(parts.text()?), Vec::new()),
        other => return Err(DecodeError::form(format!("there is no outcome {other:?}"))),
    };
    Ok(Effect { outcome, changed })
}

/// Writes an outcome as the worker does; one that never ended has no such form and is written as open without items.
#[must_use]
pub fn encode_outcome(effect: &Effect) -> Vec<u8> {
    let mut writer = Writer::default();
    match &effect.outcome {
        Outcome::Returned(value) => {
            writer.tuple(3);
            writer.str("R");
            write(value, &mut writer);
        }
        Outcome::Raised { exception, mro } => {
            let known = *mro == own_type(exception);
            writer.tuple(if known { 3 } else { 4 });
            writer.str("X");
            write(exception, &mut writer);
            write_fields(&effect.changed, &mut writer);
            if !known {
                writer.tuple(mro.len());
                mro.iter().for_each(|name| writer.str(name));
            }
            return writer.finish();
        }
        Outcome::Yielded { items, end } => write_yielded(items, end, &mut writer),
        Outcome::Unfinished => write_yielded(&[], &GeneratorEnd::Open, &mut writer),
        Outcome::TimedOut(seconds) => {
            writer.tuple(2);
            writer.str("T");
            writer.float(*seconds);
            return writer.finish();
        }
        Outcome::Died(how) => {
            writer.tuple(2);
            writer.str("D");
            writer.str(how);
            return writer.finish();
        }
    }
    write_fields(&effect.changed, &mut writer);
    writer.finish()
}

/// Gives what is known of an exception's type names when only the exception itself is.
fn own_type(exception: &Value) -> Vec<String> {
    match exception {
        Value::Exception { ty, .. } => vec![format!("{}:{}", ty.module, ty.qualname)],
        _ => Vec::new(),
    }
}

fn write_yielded(items: &[Value], end: &GeneratorEnd, writer: &mut Writer) {
    writer.tuple(5);
    writer.str("Y");
    writer.list(items.len());
    items.iter().for_each(|item| write(item, writer));
    let (how, last) = match end {
        GeneratorEnd::Returned(value) => ("returned", value),
        GeneratorEnd::Raised(exception) => ("raised", exception),
        GeneratorEnd::Open => ("capped", &Value::None),
    };
    writer.str(how);
    write(last, writer);
}

/// Reads the arguments of a call: a tuple of `(name, kind, value)`, each with a letter for how it was given where that is
/// known, and a text for how the call came to its function.
///
/// # Errors
/// When the bytes do not have that form.
pub fn arguments(bytes: &[u8]) -> Result<(Vec<Argument>, Way), DecodeError> {
    let mut items = sequence(decode(bytes)?, "the arguments")?;
    let way = match items.pop_if(|item| matches!(item, Tree::Str(_))) {
        Some(Tree::Str(text)) => {
            let mut letters = text.chars();
            let led = letters.next().map(Led::from_letter).unwrap_or_default();
            Way { led, is_coroutine: letters.next().is_some() }
        }
        _ => Way::default(),
    };
    let args = items
        .into_iter()
        .map(|item| {
            let mut parts = Parts::of(item, "an argument")?;
            let name = parts.text()?;
            let number = parts.natural()?;
            let kind = i64::try_from(number).ok().and_then(ParamKind::from_number);
            let kind = kind.ok_or_else(|| DecodeError::form(format!("there is no parameter kind {number}")))?;
            let value = parts.value()?;
            let given = if parts.is_empty() { None } else { parts.text()?.chars().next() };
            Ok(Argument { name, kind, value, given: given.map(Given::from_letter).unwrap_or_default() })
        })
        .collect::<Result<_, _>>()?;
    Ok((args, way))
}

/// Writes the arguments of a call, and how it came to its function where that is known.
#[must_use]
pub fn encode_arguments(args: &[Argument], way: Way) -> Vec<u8> {
    let mut writer = Writer::default();
    let is_known = way != Way::default();
    writer.tuple(args.len() + usize::from(is_known));
    for arg in args {
        let is_known = arg.given != Given::Unknown;
        writer.tuple(if is_known { 4 } else { 3 });
        writer.str(&arg.name);
        writer.int(arg.kind.number());
        write(&arg.value, &mut writer);
        if is_known {
            writer.str(arg.given.letter().encode_utf8(&mut [0; 4]));
        }
    }
    if is_known {
        writer.str(&format!("{}{}", way.led.letter(), if way.is_coroutine { "c" } else { "" }));
    }
    writer.finish()
}
