//! R17, R18: calls that end differently each time: what a test has to hold still for them, and which leaves of their
//! outcome stay open all the same.

use crate::domain::call::{Call, Effect, Outcome};
use crate::domain::function::Module;
use crate::domain::observation::{Control, OpenLeaf};
use crate::domain::touch::Touch;
use crate::domain::value::{TypeName, Value};

/// Noon in UTC, which is the local time of a test, too.
const NOON: i64 = 12 * 3600;
const DAY: i64 = 24 * 3600;

/// Tells what has to be held still for a call that touched these things and began at this second since 1970.
#[must_use]
pub fn controls(touches: &[Touch], began: i64) -> Vec<Control> {
    let drew = |by: fn(&str) -> bool| touches.iter().any(|touch| matches!(touch, Touch::Random(function) if by(function)));
    let mut found = Vec::new();
    if drew(|function| function.strip_prefix("random.").is_some_and(|name| !name.contains("Random"))) {
        found.push(Control::Seed);
    }
    if drew(|function| matches!(function, "uuid.uuid4" | "os.urandom")) {
        found.push(Control::Bytes);
    }
    if touches.iter().any(|touch| matches!(touch, Touch::Clock(function) if is_time_of_day(function))) {
        found.push(Control::Clock(began.div_euclid(DAY) * DAY + NOON));
    }
    found
}

/// Gives a call to make 400 days after it was recorded, and with other chance, as far as it may follow these.
#[must_use]
pub fn elsewhere(call: &Call, controls: &[Control]) -> Option<Call> {
    let other = |control: &Control| match control {
        Control::Clock(moment) => Some(Control::Clock(moment + 400 * DAY)),
        Control::Seed => Some(Control::OtherSeed),
        Control::OtherSeed | Control::Bytes => None,
    };
    let others: Vec<Control> = controls.iter().filter_map(other).collect();
    let mut elsewhere = call.clone();
    elsewhere.observed.controls.extend(&others);
    (!others.is_empty()).then_some(elsewhere)
}

fn is_time_of_day(function: &str) -> bool {
    function.starts_with("datetime.")
        || matches!(function.strip_prefix("time."), Some("time" | "time_ns" | "localtime" | "gmtime" | "ctime" | "strftime"))
}

/// Gives the call as it ends in some runs of it, with leaves left open that differ among them; `None` where too much does.
/// `numbered` says that numbers of objects were taken out of what was compared.
#[must_use]
pub fn settled(call: &Call, runs: &[Effect], controls: &[Control], numbered: bool) -> Option<Call> {
    let [first, rest @ ..] = runs else { return None };
    // Iterators that were read say more than what was recorded.
    if std::mem::discriminant(&first.outcome) != std::mem::discriminant(&call.effect.outcome) {
        return None;
    }
    let mut open = Vec::new();
    let mut effect = first.clone();
    // What nothing holds still is compared with what was recorded, too.
    let recorded = controls.is_empty().then_some(&call.effect);
    for other in rest.iter().chain(recorded) {
        if other.changed.len() != effect.changed.len() {
            return None;
        }
        for ((name, value), (other_name, other)) in effect.changed.iter().zip(&other.changed) {
            if name != other_name || !value.same_as(other) {
                return None;
            }
        }
        match (&mut effect.outcome, &other.outcome) {
            (Outcome::Returned(value), Outcome::Returned(other)) => merge(value, other, &mut String::new(), &mut open)?,
            (Outcome::Raised { exception, .. }, Outcome::Raised { exception: other, .. }) => {
                exception.same_as(other).then_some(())?;
            }
            (Outcome::Yielded { items, end }, Outcome::Yielded { items: others, end: other_end }) => {
                let same = items.len() == others.len() && end == other_end;
                let all = items.iter().zip(others).all(|(item, other)| item.same_as(other));
                (same && all).then_some(())?;
            }
            _ => return None,
        }
    }
    // Nothing varies among the runs, and nobody knows why the recorded outcome was another.
    if open.is_empty() && controls.is_empty() && !numbered {
        return None;
    }
    let mut settled = call.clone();
    settled.effect = effect;
    // What is held still makes nothing differ any more.
    for touch in std::mem::take(&mut settled.touches) {
        match touch {
            Touch::Random(_) | Touch::Environment(_) => {}
            Touch::Clock(function) => settled.observed.clock_reads.push(function),
            other => settled.touches.push(other),
        }
    }
    settled.observed.controls.extend(controls);
    open.sort();
    open.dedup();
    settled.observed.open.extend(open);
    Some(settled)
}

/// Leaves open where two values differ below their roots; `None` where they are not of one form.
fn merge(value: &mut Value, other: &Value, way: &mut String, open: &mut Vec<OpenLeaf>) -> Option<()> {
    if is_open(value) || value.same_as(other) {
        return Some(());
    }
    let mut within = |value: &mut Value, other: &Value, step: String| {
        let length = way.len();
        way.push_str(&step);
        let done = merge(value, other, way, open);
        way.truncate(length);
        done
    };
    match (&mut *value, other) {
        (Value::List(items), Value::List(others)) | (Value::Tuple(items), Value::Tuple(others))
            if items.len() == others.len() =>
        {
            for (at, (item, other)) in items.iter_mut().zip(others).enumerate() {
                within(item, other, format!("[{at}]"))?;
            }
            Some(())
        }
        (Value::Dict(pairs), Value::Dict(others)) if pairs.len() == others.len() => {
            for ((key, value), (other_key, other)) in pairs.iter_mut().zip(others) {
                let Value::Str(name) = &*key else { return None };
                key.same_as(other_key).then_some(())?;
                let step = format!("[{}]", crate::generate::layout::string(name));
                within(value, other, step)?;
            }
            Some(())
        }
        (Value::Shared(_, value), Value::Shared(_, other)) => merge(value, other, way, open),
        (Value::Object { ty, fields, .. }, Value::Object { ty: other_ty, fields: others, .. })
            if ty == other_ty && fields.len() == others.len() =>
        {
            for ((name, value), (other_name, other)) in fields.iter_mut().zip(others) {
                (name == other_name).then_some(())?;
                within(value, other, format!(".{name}"))?;
            }
            Some(())
        }
        (Value::Int(_), Value::Int(_))
        | (Value::Float(_), Value::Float(_))
        | (Value::Str(_), Value::Str(_))
        | (Value::Bytes(_), Value::Bytes(_))
            if !way.is_empty() =>
        {
            open.push(OpenLeaf { way: way.clone(), ty: value.type_name().to_owned() });
            *value = Value::Name(TypeName::new("unittest.mock", "ANY"));
            Some(())
        }
        _ => None,
    }
}

/// Tells whether a value is `ANY`: it differs from run to run.
#[must_use]
pub fn is_open(value: &Value) -> bool {
    matches!(value, Value::Name(ty) if ty.module == "unittest.mock" && ty.qualname == "ANY")
}

/// Names a function as a module reads it, for `monkeypatch.setattr`: where it was imported by name, that name.
#[must_use]
pub fn as_read(module: Option<&Module>, home: &str, name: &str) -> String {
    let by_name = module.and_then(|module| {
        let import = module.imports.iter().find(|import| import.module == home && import.name.as_deref() == Some(name))?;
        Some(format!("{}.{}", module.name, import.alias.as_deref().unwrap_or(name)))
    });
    by_name.unwrap_or_else(|| format!("{home}.{name}"))
}
