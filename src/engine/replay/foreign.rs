//! Recorded calls that mean nothing to a commit's code: their callers give other arguments today than they gave then.

use std::collections::HashSet;

use crate::domain::call::{Call, CallId, Outcome};
use crate::domain::function::FunctionId;
use crate::domain::value::Value;
use crate::engine::replay::pairs::{Pair, Pairs};
use crate::source::index::Index;

/// How far calls that hand on what they were given are followed.
const STEPS_MAX: usize = 50;

/// Takes out the calls that the commit's code refuses because it was given something else, and gives the function of each: what
/// it makes of today's arguments is nothing that the program did.
pub fn set_aside(before: &Index, today: &Index, pairs: &mut Pairs) -> Vec<FunctionId> {
    let mut foreign: HashSet<CallId> = HashSet::new();
    for _ in 0..STEPS_MAX {
        let more: Vec<CallId> = pairs
            .values()
            .flatten()
            .filter(|pair| !foreign.contains(&pair.call.id) && is_refused(pair))
            .filter(|pair| {
                pair.call.parent.is_some_and(|parent| foreign.contains(&parent)) || is_edited(before, today, &pair.call)
            })
            .map(|pair| pair.call.id)
            .collect();
        if more.is_empty() {
            break;
        }
        foreign.extend(more);
    }
    let mut functions = Vec::new();
    for (function, own) in pairs.iter_mut() {
        let all = own.len();
        own.retain(|pair| !foreign.contains(&pair.call.id));
        functions.extend(std::iter::repeat_n(function.clone(), all - own.len()));
    }
    pairs.retain(|_, own| !own.is_empty());
    functions
}

/// Tells whether the commit's code could not use what it was given, while today's code can.
fn is_refused(pair: &Pair) -> bool {
    let refuses = |exception: &Value| match exception {
        Value::Exception { ty, .. } => ty.module == "builtins" && matches!(ty.qualname.as_str(), "TypeError" | "AttributeError"),
        _ => false,
    };
    let old = matches!(&pair.old.effect.outcome, Outcome::Raised { exception, .. } if refuses(exception));
    old && !pair.new.effect.outcome.is_failure()
}

/// Tells whether the code differs that made a call: its caller's, or where that has no name what runs on import.
fn is_edited(before: &Index, today: &Index, call: &Call) -> bool {
    let code = |index: &Index, id: &FunctionId| index.today(id).map(|function| function.fingerprint.code());
    match &call.caller {
        Some(caller) => code(before, caller) != code(today, caller),
        None => today.modules().any(|module| before.module(&module.path).is_none_or(|old| old.init != module.init)),
    }
}
