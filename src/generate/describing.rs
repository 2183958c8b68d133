//! Which objects may say how they are made: those whose class has a text, attributes that are its arguments, or the constructor of
//! another package. And which tell what `==` sees of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::call::{Call, Outcome};
use crate::domain::function::{FunctionId, Param};
use crate::domain::likeness;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::build::databases::is_database;
use crate::generate::build::{is_by_method, is_mock};
use crate::generate::project::{CAUSE, Init, Lookup, Project};
use crate::generate::raises::NOTES;

/// Of so many states of a class it is asked how they are made.
const STATES_MAX: usize = 1000;
/// So many classes are looked at for what `==` sees of their objects.
const CLASSES_MAX: usize = 200;

/// Lists objects that may tell how they are made, by a text or by attributes: each state once.
#[must_use]
pub fn telling<'c>(calls: Vec<&'c Call>, project: Project<'_>) -> Vec<&'c Value> {
    let mut found: BTreeMap<&TypeName, States<'_>> = BTreeMap::new();
    for call in in_turns(calls) {
        let given = match &call.effect.outcome {
            Outcome::Returned(value) => std::slice::from_ref(value),
            Outcome::Yielded { items, .. } => items.as_slice(),
            _ => &[],
        };
        let changed = call.effect.changed.iter().map(|(_, after)| after);
        for value in call.args.iter().map(|arg| &arg.value).chain(given).chain(changed) {
            value.walk(&mut |part| {
                if let Some(ty) = asked(project, part) {
                    found.entry(ty).or_default().add(part, project);
                }
                true
            });
        }
    }
    found.into_values().flat_map(|states| states.objects).collect()
}

/// Gives the class of a value that may tell how it is made.
fn asked<'v>(project: Project<'_>, value: &'v Value) -> Option<&'v TypeName> {
    let (ty, is_asked) = match value {
        Value::Object { ty, kind: ObjectKind::Plain, fields, .. } => {
            let is_unknown = is_foreign(project, ty) || matches!(project.init(ty), Init::Unknown);
            (ty, is_unknown || says_something(project, ty) || answers(project, ty, fields))
        }
        // What these keep besides their content, their constructor was given.
        Value::Sub { ty, base, fields, .. } => {
            (ty, !fields.is_empty() && !is_by_method(base) && !is_mock(ty) && !is_database(ty))
        }
        Value::Exception { ty, fields, .. } => (ty, fields.iter().any(|(name, _)| name != CAUSE && name != NOTES)),
        _ => return None,
    };
    is_asked.then_some(ty)
}

/// Lets each function have its turn, its shortest call first: none alone uses up what is asked of a class.
fn in_turns(calls: Vec<&Call>) -> Vec<&Call> {
    let mut by_function: BTreeMap<&FunctionId, Vec<(usize, &Call)>> = BTreeMap::new();
    for call in calls {
        by_function.entry(&call.function).or_default().push((call.arguments(usize::MAX).len(), call));
    }
    let mut turns = Vec::new();
    for (_, mut calls) in by_function {
        calls.sort_by_key(|(length, call)| (*length, call.id));
        turns.extend(calls.into_iter().map(|(_, call)| call).enumerate());
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, call)| call).collect()
}

/// The states of a class that were met: its objects may be large, so they are lent.
#[derive(Default)]
struct States<'c> {
    /// By the [`likeness`] of what they hold without what they computed once and keep.
    alike: HashMap<u64, Vec<&'c Value>>,
    /// In the order in which they were met.
    objects: Vec<&'c Value>,
}

impl<'c> States<'c> {
    fn add(&mut self, object: &'c Value, project: Project<'_>) {
        if self.objects.len() >= STATES_MAX {
            return;
        }
        let alike = self.alike.entry(likeness::of(&project.without_caches(object))).or_default();
        if alike.iter().all(|other| !project.is_the_same(other, object)) {
            alike.push(object);
            self.objects.push(object);
        }
    }
}

/// Lists an object of each class whose objects are asserted by `==`, as calls gave them.
#[must_use]
pub fn compared(calls: Vec<&Call>, project: Project<'_>) -> Vec<Value> {
    let mut found: BTreeMap<TypeName, Value> = BTreeMap::new();
    for call in calls {
        let given = match &call.effect.outcome {
            Outcome::Returned(value) => std::slice::from_ref(value),
            Outcome::Yielded { items, .. } => items.as_slice(),
            _ => &[],
        };
        for value in given.iter().chain(call.effect.changed.iter().map(|(_, after)| after)) {
            value.walk(&mut |part| {
                if let Value::Object { ty, kind, .. } = part
                    && found.len() < CLASSES_MAX
                    && !found.contains_key(ty)
                    && (*kind != ObjectKind::Plain || project.has_equality(ty))
                    && is_whole(part)
                {
                    found.insert(ty.clone(), project.without_caches(part));
                }
                true
            });
        }
    }
    found.into_values().collect()
}

/// Tells whether all of a value stands in it.
fn is_whole(value: &Value) -> bool {
    let mut defined: BTreeSet<u64> = BTreeSet::new();
    value.walk(&mut |part| {
        if let Value::Shared(ordinal, _) = part {
            defined.insert(*ordinal);
        }
        defined.extend(part.ordinal());
        !matches!(part, Value::Ref(ordinal) if !defined.contains(ordinal))
    })
}

/// Tells whether a class is not the project's: only its constructor knows what it takes, and proof that it makes the same.
fn is_foreign(project: Project<'_>, ty: &TypeName) -> bool {
    project.class(ty).is_none() && !matches!(ty.module.as_str(), "builtins" | "__main__" | "types")
}

/// Tells whether a class of the project has a text of its own.
fn says_something(project: Project<'_>, ty: &TypeName) -> bool {
    ["__str__", "__repr__"].iter().any(|name| matches!(project.method(ty, name), Lookup::Found(_)))
}

/// Tells whether the arguments that a class of the project takes can be asked of its objects, and do not all stand in fields.
fn answers(project: Project<'_>, ty: &TypeName, fields: &[(String, Value)]) -> bool {
    let Init::Takes(params) = project.init(ty) else { return false };
    let has = |name: &str| matches!(project.method(ty, name), Lookup::Found(_));
    let is_kept = |param: &Param| fields.iter().any(|(field, _)| field.trim_start_matches('_') == param.name);
    let mut needed = params.iter().filter(|param| param.default.is_none() && !param.kind.is_variadic()).peekable();
    let all_kept = params.iter().all(is_kept);
    needed.peek().is_some() && !all_kept && needed.all(|param| is_kept(param) || has(&param.name) || has("__getattr__"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    #[test]
    fn each_function_has_its_turn_with_its_shortest_calls() {
        let call = |name: &str, text: &str| {
            samples::call(FunctionId::new("shop", name), &[("text", Value::Str(text.into()))], Value::None)
        };
        let all = [call("pack", "long text"), call("pack", "b"), call("pack", "word"), call("weigh", "a long text")];
        let turns: Vec<String> = in_turns(all.iter().collect()).iter().map(|call| call.arguments(80)).collect();
        assert_eq!(turns, ["('b')", "('a long text')", "('word')", "('long text')"]);
    }
}
