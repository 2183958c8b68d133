//! What an object gave when it was asked after a call that shows nothing itself: what the call was made for (R10).
//!
//! What was done with the object in between is not done again, so the proof decides whether it was the call.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{Call, Outcome};
use crate::domain::function::{Function, FunctionKind};
use crate::domain::value::{TypeName, Value};
use crate::generate::act::{self, Act};
use crate::generate::agree;
use crate::generate::build::Builder;
use crate::generate::cases::Expecting;
use crate::generate::expect::Assertion;
use crate::generate::project::Lookup;

/// So many answers are asserted, of different methods.
const ANSWERS_MAX: usize = 2;
/// So many later calls of an object are looked at.
const LOOKED_AT_MAX: usize = 12;

/// Asserts what the next calls from the same place gave, on an object whose change nobody can compare.
pub(super) fn answers<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, locals: &BTreeMap<&str, String>) -> Vec<Assertion> {
    for arg in &call.args {
        let (Some(local), Some((ordinal, ty))) = (locals.get(arg.name.as_str()), object(&arg.value)) else { continue };
        let changed = call.effect.changed.iter().any(|(name, _)| *name == arg.name);
        if changed || agree::is_partial(&arg.value) || holds_unreadable(&arg.value) {
            let found = of_object(builder, call, local, ordinal, ty);
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

fn of_object<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, local: &str, ordinal: u64, ty: &TypeName) -> Vec<Assertion> {
    let mut found = Vec::new();
    let mut asked = BTreeSet::new();
    let mut told = false;
    let next = (builder.project.afterwards)(call, ordinal).into_iter().filter(|later| later.caller == call.caller);
    for later in next.take(LOOKED_AT_MAX) {
        let Outcome::Returned(value) = &later.effect.outcome else { continue };
        if *value == Value::None {
            // It was told something else: what it answers from here on may be due to that.
            if !found.is_empty() {
                break;
            }
            told = true;
        } else if !asked.contains(&later.function)
            && let Some(answer) = answer(builder, later, value, local, ty)
        {
            found.push(answer);
            asked.insert(&later.function);
            if told || asked.len() == ANSWERS_MAX {
                break;
            }
        }
    }
    found
}

/// Writes one later call and what it gave; `None` when that takes more than one line of each.
fn answer<'a>(builder: &mut Builder<'a, '_>, later: &'a Call, value: &'a Value, local: &str, ty: &TypeName) -> Option<Assertion> {
    let own = TypeName::new(later.function.module(), later.function.qualname());
    let function = builder.project.function(&own).filter(|function| is_asked(function))?;
    if matches!(builder.project.method(ty, function.name()), Lookup::Found(other) if other.id != function.id)
        || later.touches.iter().any(|touch| touch.forbids_replay() || touch.is_nondeterministic())
    {
        return None;
    }
    let before = builder.work.clone();
    let expecting = builder.expecting.take();
    let asked = builder.arguments(later).ok().and_then(|items| act::method(function, local, items).ok());
    let mut answers = None;
    if let Some(Act::Value(asked)) = asked {
        let name = builder.scope.local("answer", &mut builder.work.taken);
        builder.expecting = Some(Expecting::new(std::iter::once(value)));
        answers = builder.assertions(&name, value).ok().map(|found| (asked, found));
    }
    builder.expecting = expecting;
    match answers {
        Some((asked, mut found)) if found.len() == 1 && builder.work.setup.len() == before.setup.len() => {
            found.pop().map(|assertion| Assertion { asked: Some(asked), ..assertion })
        }
        _ => {
            builder.work = before;
            None
        }
    }
}

/// Tells whether people ask an object by calling it.
fn is_asked(function: &Function) -> bool {
    function.kind == FunctionKind::Method && !function.is_async && !function.is_generator && !function.name().starts_with('_')
}

fn object(value: &Value) -> Option<(u64, &TypeName)> {
    match value {
        Value::Object { ordinal, ty, .. } | Value::Sub { ordinal, ty, .. } | Value::Opaque { ordinal, ty } => {
            Some((*ordinal, ty))
        }
        _ => None,
    }
}

fn holds_unreadable(value: &Value) -> bool {
    !value.walk(&mut |part| !matches!(part, Value::Opaque { .. }))
}
