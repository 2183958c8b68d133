//! Which recorded calls of a function drafts may rest on: those that were seen to end again as they did, with what a person
//! said of them since, and with placeholders where secrets were.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::answers::Answers;
use crate::domain::call::{Call, CallId, Effect, Outcome};
use crate::domain::function::{Function, Module};
use crate::domain::parts;
use crate::domain::proposal::LeftOut;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::touch::Touch;
use crate::domain::value::Value;
use crate::engine::calls;
use crate::engine::calls::decorated;
use crate::engine::calls::external::Outreach;
use crate::engine::calls::read::Unsteady;
use crate::engine::state::core::Core;
use crate::source::index::Index;
use crate::store::StoredCall;

/// What of a function's calls drafts may rest on.
pub struct Usable {
    /// With their baselines as outcomes.
    pub calls: Vec<Call>,
    /// Why others may not.
    pub left_out: Vec<LeftOut>,
    /// Those that end differently each time.
    pub unsteady: Vec<Unsteady>,
}

/// Gives the calls of a function that drafts may rest on, with their baselines as outcomes, and why others may not.
///
/// # Errors
/// Fails when the store cannot be read.
pub fn usable(core: &Core, function: &Function, outreach: &Outreach) -> Result<Usable, Trouble> {
    let mut unsteady = Vec::new();
    // Nothing below it leaves the process, or what stands in for that is known.
    let is_still = |call: &Call| outreach.below(call.id).is_empty() || Answers::of(call).next().is_some();
    let confirmed = calls::read::confirmed_calls(core, &function.id)?;
    let counted: HashSet<CallId> = confirmed.iter().map(|(call, _)| call.id).collect();
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    // Nobody saw these end again: their arguments can only be made by what made them, which the draft's proof will do.
    let mut calls = Vec::new();
    let untried = core.store().untried()?;
    for stored in core.store().calls_of(&function.id, calls::read::CALLS_MAX)? {
        let (id, times) = (stored.id, stored.times.max(1));
        let noted = stored.not_replayable.clone();
        let call = decode(stored);
        if is_still(&call) && call.rests_on_its_past() {
            calls.push(call);
            continue;
        }
        let noted = noted.or_else(|| call.not_replayable()).or_else(|| outreach.reason(id).filter(|_| !is_still(&call)));
        let unconfirmed = || calls::read::unconfirmed(&untried, &call);
        if let Some(reason) = noted.or_else(|| (!counted.contains(&id)).then(unconfirmed)) {
            if matches!(reason.code, ReasonCode::NotReproducible | ReasonCode::HeldStill) {
                unsteady.push(Unsteady { call, reason: Some(reason.clone()) });
            }
            *reasons.entry(reason).or_default() += times;
        }
    }
    let notes = core.store().notes(&confirmed.iter().map(|(call, _)| call.id).collect::<Vec<_>>())?;
    for (mut call, baseline) in confirmed.into_iter().filter(|(call, _)| is_still(call)) {
        let outcome = calls::read::outcome_hash(&baseline);
        if notes.get(&call.id).into_iter().flatten().any(|note| note.outcome == outcome) {
            *reasons.entry(ReasonCode::MarkedAsBug.into()).or_default() += call.times.max(1);
            continue;
        }
        // A baseline numbers the objects of the arguments anew: the recorded outcome says whether a result holds one of them.
        if !is_the_same(&call.effect, &baseline) {
            call.effect = baseline;
        }
        call = call.with_placeholders();
        if let Some(reason) = call.gave_unknown() {
            *reasons.entry(reason).or_default() += call.times.max(1);
            continue;
        }
        // That it ended as recorded may have been chance.
        if call.touches.iter().any(|touch| matches!(touch, Touch::Clock(_) | Touch::Random(_))) {
            unsteady.push(Unsteady { call: call.clone(), reason: None });
        }
        // The sandbox has another time, other chance and none of the person's variables, and the call ended as recorded:
        // it does not follow them. Its test is tried under several of each (proving/trials.rs).
        call.touches.retain(|touch| !matches!(touch, Touch::Clock(_) | Touch::Random(_) | Touch::Environment(_)));
        calls.push(call);
    }
    let mut left_out = reasons.into_iter().map(|(reason, calls)| LeftOut { calls, reason }).collect();
    decorated::leave_out(core, function, &mut calls, &mut left_out)?;
    let index = core.index();
    calls.iter_mut().for_each(|call| with_index_names(call, &index));
    if let Some(dispatcher) = core.index().dispatcher(function) {
        calls.iter_mut().for_each(|call| call.touches.push(Touch::Bound(dispatcher.clone())));
    }
    Ok(Usable { calls, left_out, unsteady })
}

/// Tells whether two outcomes are the same but for the numbers of objects.
fn is_the_same(one: &Effect, other: &Effect) -> bool {
    let same_outcome = match (&one.outcome, &other.outcome) {
        (Outcome::Returned(one), Outcome::Returned(other)) => one.same_as(other),
        (Outcome::Raised { exception: one, mro }, Outcome::Raised { exception: other, mro: other_mro }) => {
            mro == other_mro && one.same_as(other)
        }
        _ => false,
    };
    let same =
        |((name, one), (other_name, other)): (&(String, Value), &(String, Value))| name == other_name && one.same_as(other);
    same_outcome && one.changed.len() == other.changed.len() && one.changed.iter().zip(&other.changed).all(same)
}

/// Gives the classes in a call the modules that the index knows. pytest imports a file below a folder without `__init__.py` under a name
/// that leads there from that folder alone: `lib/demo.py` as `demo`.
fn with_index_names(call: &mut Call, index: &Index) {
    let mut known: HashMap<(String, String), Option<String>> = HashMap::new();
    let mut named = |module: &mut String, class: &str| {
        let of = known.entry((module.clone(), class.to_owned())).or_insert_with(|| {
            let is_rootless = |one: &Module| {
                let folder = one.path.as_str().rsplit_once('/').map(|(folder, _)| folder);
                let package = folder.and_then(|folder| RelPath::new(format!("{folder}/__init__.py")));
                package.is_some_and(|package| index.module(&package).is_none())
            };
            let is_it = |one: &&Arc<Module>| {
                one.name.strip_suffix(module.as_str()).is_some_and(|rest| rest.ends_with('.'))
                    && one.classes.iter().any(|held| held.qualname == class)
                    && is_rootless(one)
            };
            let mut all = index.modules().filter(is_it).map(|one| one.name.clone());
            let found = if index.module_called(module).is_none() { all.next() } else { None };
            found.filter(|_| all.next().is_none())
        });
        if let Some(name) = of {
            name.clone_into(module);
        }
    };
    let in_values = call.args.iter_mut().map(|arg| &mut arg.value).chain(call.effect.changed.iter_mut().map(|(_, value)| value));
    let outcome = match &mut call.effect.outcome {
        Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => Some(value),
        _ => None,
    };
    for value in in_values.chain(outcome) {
        parts::each(value, &mut |part| {
            if let Some(ty) = parts::type_of_mut(part) {
                named(&mut ty.module, &ty.qualname);
            }
        });
    }
    if let Outcome::Raised { mro, .. } = &mut call.effect.outcome {
        for name in mro {
            if let Some((module, qualname)) = name.split_once(':') {
                let mut module = module.to_owned();
                named(&mut module, qualname);
                *name = format!("{module}:{qualname}");
            }
        }
    }
}

/// Decodes a call as drafts take it.
pub fn decode(stored: StoredCall) -> Call {
    calls::read::decode(stored).with_placeholders()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples;

    fn seat(ordinal: u64, row: i64) -> Value {
        samples::object(ordinal, vec![("row", Value::Int(row))])
    }

    fn returns(value: Value, changed: &[(&str, Value)]) -> Effect {
        let changed = changed.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Effect { outcome: Outcome::Returned(value), changed }
    }

    /// The recorded outcome is used then, which says whether a result is an object that the call was given.
    #[test]
    fn a_baseline_that_numbers_objects_anew_is_the_recorded_outcome() {
        let recorded = returns(Value::Tuple(vec![seat(42, 3), Value::Int(1)]), &[("seat", seat(42, 3))]);
        let again =
            |row: i64, changed: i64| returns(Value::Tuple(vec![seat(1, row), Value::Int(1)]), &[("seat", seat(1, changed))]);
        assert!(is_the_same(&recorded, &again(3, 3)));
        assert!(!is_the_same(&recorded, &again(4, 3)), "another result");
        assert!(!is_the_same(&recorded, &again(3, 4)), "another change");
        assert!(!is_the_same(&recorded, &returns(Value::Tuple(vec![seat(1, 3), Value::Int(1)]), &[])), "one change less");
        let other_name = returns(Value::Tuple(vec![seat(1, 3), Value::Int(1)]), &[("place", seat(1, 3))]);
        assert!(!is_the_same(&recorded, &other_name), "another object is changed");
    }

    #[test]
    fn exceptions_are_the_same_by_their_types_and_what_they_hold() {
        let raised = |mro: &str, row: i64, ordinal: u64| Effect {
            outcome: Outcome::Raised { exception: seat(ordinal, row), mro: vec![mro.to_owned()] },
            changed: Vec::new(),
        };
        assert!(is_the_same(&raised("Taken", 3, 42), &raised("Taken", 3, 1)));
        assert!(!is_the_same(&raised("Taken", 3, 42), &raised("Taken", 4, 1)));
        assert!(!is_the_same(&raised("Taken", 3, 42), &raised("Gone", 3, 1)));
        assert!(!is_the_same(&raised("Taken", 3, 42), &returns(seat(42, 3), &[])));
    }
}
