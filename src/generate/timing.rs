//! What a value holds of threads, queues and tasks: how far these are depends on the machine's load, and says nothing of the code.

use std::collections::{HashMap, HashSet};

use crate::domain::call::{Effect, GeneratorEnd, Outcome};
use crate::domain::parts::children;
use crate::domain::value::Value;
use crate::generate::varying::foreign;

/// Modules of Python's library whose objects are of this kind, with those below them.
const MODULES: [&str; 8] =
    ["threading", "_thread", "queue", "_queue", "concurrent.futures", "asyncio", "_asyncio", "multiprocessing"];

/// Leaves out of an effect what stands in its values of threads, queues and tasks. One that is a whole value itself stays.
pub fn leave_out(effect: &mut Effect) {
    let values = match &mut effect.outcome {
        Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => vec![value],
        Outcome::Yielded { items, end } => {
            let end = match end {
                GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) => Some(value),
                GeneratorEnd::Open => None,
            };
            items.iter_mut().chain(end).collect()
        }
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => Vec::new(),
    };
    for value in values.into_iter().chain(effect.changed.iter_mut().map(|(_, value)| value)) {
        leave_out_of(value);
    }
}

/// As [`leave_out`], of one value.
pub fn leave_out_of(value: &mut Value) {
    let mut known = HashSet::new();
    find(value, &mut known);
    if !known.is_empty() {
        let mut held = HashMap::new();
        inside(value, &known, &mut held, true);
        put_back(value, &known, &mut held);
    }
}

/// Finds the ordinals of such objects.
fn find(value: &mut Value, known: &mut HashSet<u64>) {
    if let Value::Object { ordinal, .. } | Value::Sub { ordinal, .. } | Value::Opaque { ordinal, .. } = value {
        let ordinal = *ordinal;
        if is_one(value) {
            known.insert(ordinal);
        }
    }
    children(value, &mut |part| find(part, known));
}

fn is_one(value: &Value) -> bool {
    let (Value::Object { ty, .. } | Value::Sub { ty, .. } | Value::Opaque { ty, .. }) = value else { return false };
    let is_below = |module: &str| ty.module.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    MODULES.iter().any(|module| is_below(module))
}

/// Replaces such objects in a value. What they `held` is gathered: another place may refer to it.
fn inside(value: &mut Value, known: &HashSet<u64>, held: &mut HashMap<u64, Value>, is_whole: bool) {
    let goes = |part: &Value| is_one(part) || matches!(part, Value::Ref(ordinal) if known.contains(ordinal));
    match value {
        // How many a call gives tells what it did.
        _ if is_whole => {}
        // How many an object holds at that moment depends on the load, too.
        Value::List(items) | Value::Set(items) | Value::FrozenSet(items) => items.retain_mut(|item| {
            let stays = !goes(item);
            if !stays {
                gather(item, held);
            }
            stays
        }),
        _ => {}
    }
    children(value, &mut |part| {
        if goes(part) {
            gather(part, held);
            *part = foreign();
        } else {
            inside(part, known, held, false);
        }
    });
    // A set of objects is written as a call.
    if let Value::New { ty, args, .. } = value
        && ty.module == "builtins"
        && matches!(args.as_slice(), [Value::List(items)] if items.is_empty())
    {
        match ty.qualname.as_str() {
            "set" => *value = Value::Set(Vec::new()),
            "frozenset" => *value = Value::FrozenSet(Vec::new()),
            _ => {}
        }
    }
}

/// Takes the objects and shared containers out of a value that is replaced, each with what is in it.
fn gather(value: &mut Value, held: &mut HashMap<u64, Value>) {
    children(value, &mut |part| gather(part, held));
    let ordinal = match value {
        Value::Object { ordinal, .. }
        | Value::Sub { ordinal, .. }
        | Value::Exception { ordinal, .. }
        | Value::Shared(ordinal, _) => *ordinal,
        _ => return,
    };
    if !is_one(value) {
        held.insert(ordinal, std::mem::replace(value, Value::Ref(ordinal)));
    }
}

/// Puts what was gathered where it is referred to first.
fn put_back(value: &mut Value, known: &HashSet<u64>, held: &mut HashMap<u64, Value>) {
    if let Value::Ref(ordinal) = value
        && let Some(whole) = held.remove(ordinal)
    {
        *value = whole;
        inside(value, known, held, false);
    }
    children(value, &mut |part| put_back(part, known, held));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;
    use crate::domain::value::{ObjectKind, TypeName};

    fn object(ordinal: u64, module: &str, qualname: &str, fields: Vec<(&str, Value)>) -> Value {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value::Object { ordinal, ty: TypeName::new(module, qualname), kind: ObjectKind::Plain, fields }
    }

    fn database(threads: u64, tasks: i64) -> Value {
        let thread = |at: u64| object(10 + at, "threading", "Thread", vec![("_ident", Value::Int(at.cast_signed()))]);
        let queue = object(5, "queue", "Queue", vec![("unfinished_tasks", Value::Int(tasks))]);
        let threads = match threads {
            0 => Value::Set(Vec::new()),
            _ => Value::New {
                ty: TypeName::new("builtins", "set"),
                args: vec![Value::List((0..threads).map(thread).collect())],
                kwargs: vec![],
            },
        };
        samples::object(
            1,
            vec![("threads", threads), ("queue", queue), ("rows", Value::List(vec![Value::Ref(5), Value::Int(1)]))],
        )
    }

    #[test]
    fn how_far_threads_and_queues_are_is_no_difference() {
        let (mut one, mut other) = (database(1, 19), database(3, 20));
        leave_out_of(&mut one);
        leave_out_of(&mut other);
        assert!(one.same_as(&other), "{one:?} {other:?}");
        let mut none = database(0, 3);
        leave_out_of(&mut none);
        assert!(one.same_as(&none), "{one:?} {none:?}");
        let mut more = database(1, 19);
        if let Value::Object { fields, .. } = &mut more {
            fields[2].1 = Value::List(vec![Value::Int(2)]);
        }
        leave_out_of(&mut more);
        assert!(!one.same_as(&more), "all else counts");
    }

    #[test]
    fn what_a_queue_holds_counts_where_the_program_holds_it_too() {
        let job = |price: i64| samples::object(7, vec![("price", Value::Int(price))]);
        let shop = |price: i64, is_taken: bool| {
            let waiting = if is_taken { vec![] } else { vec![job(price)] };
            let first = if is_taken { job(price) } else { Value::Ref(7) };
            let queue = object(5, "queue", "Queue", vec![("queue", Value::List(waiting))]);
            let mut shop = samples::object(1, vec![("queue", queue), ("jobs", Value::List(vec![first]))]);
            leave_out_of(&mut shop);
            shop
        };
        assert!(shop(3, false).same_as(&shop(3, true)), "whether it waits or not");
        assert!(!shop(3, false).same_as(&shop(4, false)), "another price");
        let by_thread = |price: i64| {
            let thread = object(9, "threading", "Thread", vec![]);
            let mut found = samples::object(1, vec![("found", Value::Dict(vec![(thread, Value::Int(price))]))]);
            leave_out_of(&mut found);
            found
        };
        assert!(!by_thread(1).same_as(&by_thread(2)), "what threads found");
    }

    #[test]
    fn what_a_call_gives_of_them_is_compared() {
        let queue = |tasks: i64| object(1, "queue", "Queue", vec![("unfinished_tasks", Value::Int(tasks))]);
        let (mut one, mut other) = (queue(1), queue(2));
        leave_out_of(&mut one);
        leave_out_of(&mut other);
        assert!(!one.same_as(&other));
        let started = |count: u64| Value::List((0..count).map(|at| object(at, "threading", "Thread", vec![])).collect());
        let (mut one, mut other) = (started(2), started(3));
        leave_out_of(&mut one);
        leave_out_of(&mut other);
        assert!(!one.same_as(&other), "how many there are counts");
    }
}
