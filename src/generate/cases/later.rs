//! What an object gave when it was asked after a call that shows nothing itself: what the call was made for (R10).
//!
//! What was done with the object in between is not done again, so the proof decides whether it was the call.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{Call, Outcome};
use crate::domain::function::{Function, FunctionKind};
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::act::{self, Act};
use crate::generate::agree;
use crate::generate::build::{Builder, Expecting, Stop};
use crate::generate::expect::{Asked, Assertion};
use crate::generate::layout::Expr;
use crate::generate::project::Lookup;

/// So many answers are asserted, of different methods.
const ANSWERS_MAX: usize = 2;
/// So many later calls of an object are looked at.
const LOOKED_AT_MAX: usize = 12;
/// Special methods that people call, by an operator or a builtin.
const OPERATORS: &[&str] =
    &["__bool__", "__call__", "__contains__", "__float__", "__getitem__", "__int__", "__len__", "__next__"];

/// Asserts what the next calls from the same place gave, on an object whose change nobody can compare. `made` names the
/// object that the call is the making of.
pub(super) fn answers<'a>(
    builder: &mut Builder<'a, '_>,
    call: &'a Call,
    locals: &BTreeMap<&str, String>,
    made: Option<&str>,
) -> Vec<Assertion> {
    for (at, arg) in call.args.iter().enumerate() {
        let local = locals.get(arg.name.as_str()).map(String::as_str).or(made.filter(|_| at == 0));
        let (Some(local), Some((ordinal, ty))) = (local, object(&arg.value)) else { continue };
        let changed = call.effect.changed.iter().any(|(name, _)| *name == arg.name);
        if changed || agree::is_partial(&arg.value) || holds_unreadable(&arg.value) {
            let found = of_object(builder, call, &Subject { name: local, ordinal, ty, is_result: false });
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

/// Asserts what a result gave that nobody can compare: an object when it was asked, a function when it was called.
pub(super) fn of_result<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, value: &'a Value, name: &str) -> Vec<Assertion> {
    match object(value) {
        Some((_, ty)) if ty.module == "builtins" && ty.qualname == "function" => of_function(builder, call, name),
        Some((ordinal, ty)) => of_object(builder, call, &Subject { name, ordinal, ty, is_result: true }),
        None => Vec::new(),
    }
}

/// What is asked.
struct Subject<'s> {
    name: &'s str,
    ordinal: u64,
    ty: &'s TypeName,
    is_result: bool,
}

fn of_object<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, subject: &Subject<'_>) -> Vec<Assertion> {
    let mut found = Vec::new();
    let mut asked = BTreeSet::new();
    let mut told = false;
    let next = (builder.project.afterwards)(call, subject.ordinal).into_iter().filter(|later| later.caller == call.caller);
    for later in next.take(LOOKED_AT_MAX) {
        let Outcome::Returned(value) = &later.effect.outcome else { continue };
        if *value == Value::None {
            // It was told something else: what it answers from here on may be due to that.
            if !found.is_empty() {
                break;
            }
            told = true;
        } else if !asked.contains(&later.function)
            && let Some(answer) = answer(builder, later, value, subject)
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
fn answer<'a>(builder: &mut Builder<'a, '_>, later: &'a Call, value: &'a Value, subject: &Subject<'_>) -> Option<Assertion> {
    let own = TypeName::new(later.function.module(), later.function.qualname());
    let function = builder.project.function(&own).filter(|function| is_asked(function))?;
    if matches!(builder.project.method(subject.ty, function.name()), Lookup::Found(other) if other.id != function.id)
        || is_unsteady(later)
    {
        return None;
    }
    let asked = |builder: &mut Builder<'a, '_>| {
        let items = builder.arguments(later)?;
        match act::method(function, subject.name, items)? {
            Act::Value(asked) => Ok(asked),
            Act::Statement(_) | Act::Construct(_) => Err(Stop::No(ReasonCode::UnusableFactory.of(function.id.qualname()))),
        }
    };
    asserted(builder, value, subject.is_result, asked)
}

/// Asserts what a function that the call gave was called with afterwards, and what it gave.
fn of_function<'a>(builder: &mut Builder<'a, '_>, call: &'a Call, name: &str) -> Vec<Assertion> {
    let mut found: Vec<(&Value, Assertion)> = Vec::new();
    for later in (builder.project.inner)(call).into_iter().take(LOOKED_AT_MAX) {
        let Outcome::Returned(value) = &later.effect.outcome else { continue };
        // One more that gives the same says nothing more.
        if *value == Value::None || is_unsteady(later) || found.iter().any(|(known, _)| *known == value) {
            continue;
        }
        let asked = |builder: &mut Builder<'a, '_>| {
            let mut args = Vec::new();
            for arg in &later.args {
                args.push((arg.kind, arg.given, builder.argument(arg)?));
            }
            Ok(Expr::call_with(name, act::assemble(&[], later.args.iter().map(|arg| arg.name.as_str()), args)))
        };
        found.extend(asserted(builder, value, true, asked).map(|answer| (value, answer)));
        if found.len() == ANSWERS_MAX {
            break;
        }
    }
    found.into_iter().map(|(_, answer)| answer).collect()
}

/// Writes what is asked and its answer; `None` when that takes more than one line of each.
fn asserted<'a>(
    builder: &mut Builder<'a, '_>,
    value: &'a Value,
    of_result: bool,
    asked: impl FnOnce(&mut Builder<'a, '_>) -> Result<Expr, Stop>,
) -> Option<Assertion> {
    let before = builder.work.clone();
    let expecting = builder.expecting.take();
    let mut answers = None;
    if let Ok(call) = asked(builder) {
        let name = builder.scope.local("answer", &mut builder.work.taken);
        builder.expecting = Some(Expecting::new(std::iter::once(value)));
        let plain = |mut found: Vec<Assertion>| {
            found.retain(|one| one.look.is_none());
            (call, found)
        };
        answers = builder.assertions(&name, value).ok().map(plain);
    }
    builder.expecting = expecting;
    match answers {
        Some((call, mut found)) if found.len() == 1 && builder.work.setup.len() == before.setup.len() => {
            found.pop().map(|assertion| Assertion { asked: Some(Asked { call, of_result }), ..assertion })
        }
        _ => {
            builder.work = before;
            None
        }
    }
}

/// Tells whether what a call gives may be another thing each time.
fn is_unsteady(call: &Call) -> bool {
    call.touches.iter().any(|touch| touch.forbids_replay() || touch.is_nondeterministic())
}

/// Tells whether people ask an object by calling it.
fn is_asked(function: &Function) -> bool {
    let name = function.name();
    matches!(function.kind, FunctionKind::Method | FunctionKind::Property)
        && !function.is_async
        && !function.is_generator
        && (!name.starts_with('_') || OPERATORS.contains(&name))
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
