//! Calls of decorated functions: a test calls what the decorator made, which may end otherwise than what it was put around.

use std::collections::HashMap;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, DECORATORS_MAX};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::LeftOut;
use crate::domain::reason::ReasonCode;
use crate::engine::calls;
use crate::engine::state::core::Core;
use crate::generate::replay::ends_alike;

/// Takes out the calls of a function that its decorator makes something else of. The decorator's own calls were recorded,
/// too, and tests of them call the function by its name (R12).
///
/// # Errors
/// Fails when the store cannot be read.
pub fn leave_out(core: &Core, function: &Function, calls: &mut Vec<Call>, left_out: &mut Vec<LeftOut>) -> Result<(), Trouble> {
    if function.decorators.is_empty() {
        return Ok(());
    }
    let around = decorators(core, &function.id, calls)?;
    let mut changed = 0;
    calls.retain(|call| {
        let alike = around.get(&call.id).is_none_or(|outer| ends_alike(&outer.effect.outcome, &call.effect.outcome));
        changed += if alike { 0 } else { call.times.max(1) };
        alike
    });
    if changed > 0 {
        left_out.push(LeftOut { calls: changed, reason: ReasonCode::ChangedByDecorator.into() });
    }
    Ok(())
}

/// Finds for each call that of the outermost decorator around it, which the function's name leads to.
fn decorators(core: &Core, function: &FunctionId, calls: &[Call]) -> Result<HashMap<CallId, Call>, Trouble> {
    let mut found = HashMap::new();
    let mut inside: Vec<(CallId, CallId)> = calls.iter().filter_map(|call| Some((call.id, call.parent?))).collect();
    for _ in 0..DECORATORS_MAX {
        let parents: Vec<CallId> = inside.iter().map(|(_, parent)| *parent).collect();
        let around: HashMap<CallId, Call> =
            core.store().calls(&parents)?.into_iter().map(calls::read::decode).map(|call| (call.id, call)).collect();
        let mut further = Vec::new();
        for (call, parent) in inside {
            let Some(outer) = around.get(&parent) else { continue };
            match (outer.bound(), outer.parent) {
                (Some(name), _) if name == *function => {
                    found.insert(call, outer.clone());
                }
                // One in between, which no name leads to.
                (None, Some(next)) if outer.function.qualname().contains("<locals>") => further.push((call, next)),
                _ => {}
            }
        }
        inside = further;
        if inside.is_empty() {
            break;
        }
    }
    Ok(found)
}
