//! Replayed calls against their baselines: what changed, from what to what, and what nobody can say.

use crate::base::clock::Moment;
use crate::base::text;
use crate::domain::call::{ANSWERS, ASKED, Call, Effect, GeneratorEnd, ITS_END, ITS_ITEMS, ITS_SIDE_EFFECTS, Outcome};
use crate::domain::difference::Difference;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{CallChange, Change, Edit};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::Value;
use crate::generate::masked::mask;

/// Characters of a value in a one-line summary.
const VALUE_MAX: usize = 40;
/// What the arguments with which a call called a function are kept under, among its side effects; the function's name follows.
const CALLS: &str = "calls of ";
/// What a call left behind in a module is kept under, among its side effects; the name of the module and the name in it follow.
const STATE: &str = "state of ";
/// Characters of a value that are written out to find where it differs from another.
const WHOLE_MAX: usize = 4_000;

/// What the replays of one call say.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It ends as its baseline says.
    Same,
    /// It ends differently now.
    Changed(Box<CallChange>),
    /// It cannot be said, with the reason.
    Unknown(Reason),
}

/// A call's baseline.
#[derive(Debug, Clone, Copy)]
pub struct Baseline<'a> {
    /// The outcome it is compared with.
    pub effect: &'a Effect,
    /// A replay gave this very outcome once: then even a call that reads the clock or chance has a meaning.
    pub reproduced: bool,
}

/// Compares a call's replays under today's code with its baseline.
#[must_use]
pub fn compare(call: &Call, baseline: Baseline<'_>, replays: &[Effect]) -> Answer {
    let Some(new) = replays.first() else { return Answer::Unknown(ReasonCode::NotReplayed.into()) };
    if matches!(baseline.effect.outcome, Outcome::Unfinished) {
        return Answer::Unknown(ReasonCode::Unfinished.into());
    }
    let Some(difference) = difference(baseline.effect, new) else {
        let unread = baseline.effect.unread().or_else(|| new.unread());
        return unread.map_or(Answer::Same, |why| Answer::Unknown(ReasonCode::IteratorNotRead.with(why)));
    };
    if let Some(touch) = call.touches.iter().find(|touch| touch.is_nondeterministic()) {
        if !baseline.reproduced {
            return Answer::Unknown(ReasonCode::Nondeterministic.of(touch.kind()).with(touch.detail()));
        }
        if replays.len() < 2 {
            return Answer::Unknown(ReasonCode::NeedsSecondReplay.into());
        }
    }
    if replays.iter().skip(1).any(|other| self::difference(new, other).is_some()) {
        return Answer::Unknown(ReasonCode::Nondeterministic.into());
    }
    Answer::Changed(Box::new(CallChange {
        call: call.id,
        arguments: match call.bound() {
            Some(name) => format!("{} as {}", call.arguments(VALUE_MAX * 2), name.qualname()),
            None => call.arguments(VALUE_MAX * 2),
        },
        times: call.times,
        old: baseline.effect.clone(),
        new: new.clone(),
        difference,
    }))
}

/// Joins the changed calls of a function; `None` when there are none.
#[must_use]
pub fn change(calls: Vec<CallChange>, same: u64, because: Vec<Edit>, seen: Moment) -> Option<Change> {
    (!calls.is_empty()).then_some(Change { calls, same, because, seen })
}

/// Finds where two effects differ first: the outcome, then what was changed, then the side effects.
#[must_use]
pub fn difference(old: &Effect, new: &Effect) -> Option<Difference> {
    outcome(&old.outcome, &new.outcome)
        .or_else(|| changed(&old.changed, &new.changed))
        .or_else(|| side_effects(old.side_effects()?, new.side_effects()?))
}

/// Tells whether two calls ended alike, whatever they changed.
#[must_use]
pub fn ends_alike(old: &Outcome, new: &Outcome) -> bool {
    outcome(old, new).is_none()
}

fn outcome(old: &Outcome, new: &Outcome) -> Option<Difference> {
    match (old, new) {
        (Outcome::Returned(a), Outcome::Returned(b))
        | (Outcome::Raised { exception: a, .. }, Outcome::Raised { exception: b, .. }) => values("", a, b),
        (Outcome::Yielded { items: a, end }, Outcome::Yielded { items: b, end: new_end }) => yielded((a, end), (b, new_end)),
        (Outcome::TimedOut(_), Outcome::TimedOut(_)) => None,
        (Outcome::Died(a), Outcome::Died(b)) if a == b => None,
        (a, b) => Some(Difference { path: String::new(), old: value_of(a), new: value_of(b) }),
    }
}

/// A generator that was not run to its end is compared as far as it was run.
fn yielded(old: (&[Value], &GeneratorEnd), new: (&[Value], &GeneratorEnd)) -> Option<Difference> {
    let ((old, old_end), (new, new_end)) = (old, new);
    let open = matches!(old_end, GeneratorEnd::Open) || matches!(new_end, GeneratorEnd::Open);
    let count = if open { old.len().min(new.len()) } else { old.len().max(new.len()) };
    let first = |items: &[Value]| Value::List(items.iter().take(count).cloned().collect());
    let found = values("", &first(old), &first(new));
    if found.is_some() {
        return found;
    }
    // Fewer items than before from one that came to its end.
    if matches!(old_end, GeneratorEnd::Open) && new.len() < old.len() && !matches!(new_end, GeneratorEnd::Open) {
        return Some(Difference { path: format!("[{}]", new.len()), old: old.get(new.len()).cloned(), new: None });
    }
    match (old_end, new_end) {
        (GeneratorEnd::Open, _) | (_, GeneratorEnd::Open) => None,
        (GeneratorEnd::Returned(a), GeneratorEnd::Returned(b)) | (GeneratorEnd::Raised(a), GeneratorEnd::Raised(b)) => {
            values(" at its end", a, b)
        }
        (GeneratorEnd::Returned(a) | GeneratorEnd::Raised(a), GeneratorEnd::Returned(b) | GeneratorEnd::Raised(b)) => {
            Some(Difference { path: " at its end".into(), old: Some(a.clone()), new: Some(b.clone()) })
        }
    }
}

fn changed(old: &[(String, Value)], new: &[(String, Value)]) -> Option<Difference> {
    // What was read on one side alone says nothing: a recording reads nothing.
    let is_read = |all: &[(String, Value)]| all.iter().any(|(name, _)| name == ITS_ITEMS);
    let both = is_read(old) && is_read(new);
    let (old, new) = (compared(old, both), compared(new, both));
    for (name, before) in old.clone() {
        match new.clone().find(|(other, _)| other == name) {
            Some((_, after)) => {
                if let Some(found) = values(name, before, &under_former_names(before, after)) {
                    return Some(found);
                }
            }
            None => return Some(Difference { path: name.clone(), old: Some(before.clone()), new: None }),
        }
    }
    let mut new = new;
    let added = new.find(|(name, _)| !old.clone().any(|(other, _)| other == name));
    added.map(|(name, after)| Difference { path: name.clone(), old: None, new: Some(after.clone()) })
}

/// Gives an object with the former names of its private attributes, where others took their places with the same values.
fn under_former_names(old: &Value, new: &Value) -> Value {
    let mut renamed = new.clone();
    let (Some(before), Some(after)) = (fields_of(old), fields_of(new)) else { return renamed };
    let only = |own: &[(String, Value)], others: &[(String, Value)]| -> Vec<usize> {
        let is_other = |name: &String| name.starts_with('_') && !others.iter().any(|(other, _)| other == name);
        own.iter().enumerate().filter(|(_, (name, _))| is_other(name)).map(|(at, _)| at).collect()
    };
    let (gone, came) = (only(before, after), only(after, before));
    let is_one = |(gone, came): (&usize, &usize)| before[*gone].1.same_as(&after[*came].1);
    if gone.len() == came.len()
        && gone.iter().zip(&came).all(is_one)
        && let Value::Object { fields, .. } = inner(&mut renamed)
    {
        for (gone, came) in gone.iter().zip(&came) {
            fields[*came].0.clone_from(&before[*gone].0);
        }
    }
    renamed
}

fn fields_of(value: &Value) -> Option<&[(String, Value)]> {
    match value {
        Value::Object { fields, .. } => Some(fields),
        Value::Shared(_, value) => fields_of(value),
        _ => None,
    }
}

fn inner(value: &mut Value) -> &mut Value {
    if let Value::Shared(_, value) = value { inner(value) } else { value }
}

fn compared(changed: &[(String, Value)], read: bool) -> impl Iterator<Item = &(String, Value)> + Clone {
    changed.iter().filter(move |(name, _)| match name.as_str() {
        ITS_ITEMS | ITS_END => read,
        ITS_SIDE_EFFECTS => false,
        _ => true,
    })
}

/// Finds where side effects differ first, by kind: ` log[0]`, ` files['a.txt']`.
fn side_effects(old: &Value, new: &Value) -> Option<Difference> {
    let (Value::Dict(old), Value::Dict(new)) = (old, new) else { return values(" side effects", old, new) };
    let only_new = new.iter().filter(|(kind, _)| of_kind(old, kind).is_none());
    old.iter().chain(only_new).find_map(|(kind, _)| {
        let path = format!(" {}", text_of(kind));
        match (of_kind(old, kind), of_kind(new, kind)) {
            (Some(before), Some(after)) if path.trim_start().starts_with(CALLS) => arguments(&path, before, after),
            (Some(before), Some(after)) if path.trim_start() == ANSWERS => answers(&path, before, after),
            (Some(before), Some(after)) => values(&path, before, after),
            _ if path.trim_start().starts_with(CALLS) => None,
            (before, _) if path.trim_start().starts_with(STATE) && (before.is_none() || is_private(&path)) => None,
            (before, after) => Some(Difference { path, old: before.cloned(), new: after.cloned() }),
        }
    })
}

/// Finds where answers to clients differ first, and names it by what was asked: ` answer to GET /items/3['status']`.
fn answers(path: &str, old: &Value, new: &Value) -> Option<Difference> {
    let (Value::List(before), Value::List(after)) = (old, new) else { return values(path, old, new) };
    let asked = |answer: &Value| match answer {
        Value::Dict(parts) => of_kind(parts, &Value::Str(ASKED.to_owned())).map(text_of),
        _ => None,
    };
    if before.len() != after.len() || before.iter().zip(after).any(|(old, new)| asked(old).is_none() || asked(old) != asked(new))
    {
        return values(path, old, new);
    }
    let named = |answer: &Value| format!(" answer to {}", asked(answer).unwrap_or_default());
    before.iter().zip(after).find_map(|(old, new)| values(named(old).trim_end(), old, new))
}

/// Tells whether a name of a module is for itself alone, such as a cache: a version without it is no other to anybody.
fn is_private(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|name| name.starts_with('_'))
}

fn of_kind<'a>(all: &'a [(Value, Value)], kind: &Value) -> Option<&'a Value> {
    all.iter().find(|(key, _)| key == kind).map(|(_, value)| value)
}

/// Finds where the arguments differ with which a call called a function. Calls that are missing, new or in another order say nothing,
/// nor do parameters that only one version has.
fn arguments(path: &str, old: &Value, new: &Value) -> Option<Difference> {
    let (Value::List(old), Value::List(new)) = (old, new) else { return None };
    if old.len() != new.len() || is_reordered(old, new) {
        return None;
    }
    let differ = |(at, (before, after)): (usize, (&Value, &Value))| {
        let (Value::Dict(before), Value::Dict(after)) = (before, after) else { return None };
        before.iter().find_map(|(name, before)| {
            let after = after.iter().find(|(other, _)| other == name).map(|(_, after)| after)?;
            values(&format!("{path}[{at}].{}", text_of(name)), before, after)
        })
    };
    old.iter().zip(new).enumerate().find_map(differ)
}

fn is_reordered(old: &[Value], new: &[Value]) -> bool {
    let mut left: Vec<&Value> = new.iter().collect();
    old.iter().all(|before| {
        let at = left.iter().position(|after| before.same_as(after));
        at.map(|at| left.swap_remove(at)).is_some()
    })
}

/// Gives the side effects of a run, with calls of a function that are the same in another order as they were in another run: their
/// order is no difference, and no noise.
#[must_use]
pub fn in_order_of(other: &Value, effects: &Value) -> Value {
    let (Value::Dict(others), Value::Dict(parts)) = (other, effects) else { return effects.clone() };
    let ordered = |(kind, value): &(Value, Value)| {
        let is_calls = matches!(kind, Value::Str(kind) if kind.starts_with(CALLS));
        let same = of_kind(others, kind).filter(|_| is_calls).filter(|other| match (other, value) {
            (Value::List(old), Value::List(new)) => old.len() == new.len() && is_reordered(old, new),
            _ => false,
        });
        (kind.clone(), same.unwrap_or(value).clone())
    };
    Value::Dict(parts.iter().map(ordered).collect())
}

fn text_of(value: &Value) -> String {
    if let Value::Str(text) = value { text.clone() } else { value.summary(VALUE_MAX) }
}

fn values(path: &str, old: &Value, new: &Value) -> Option<Difference> {
    let found = old.first_difference(new)?;
    let (mut masked_old, mut masked_new) = (old.clone(), new.clone());
    let found = if mask(&mut masked_old) | mask(&mut masked_new) { masked_old.first_difference(&masked_new)? } else { found };
    Some(Difference { path: format!("{path}{}", found.path), ..found })
}

fn value_of(outcome: &Outcome) -> Option<Value> {
    match outcome {
        Outcome::Returned(value) | Outcome::Raised { exception: value, .. } => Some(value.clone()),
        Outcome::Yielded { items, .. } => Some(Value::List(items.clone())),
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => None,
    }
}

/// Says a change in one line: `total(): 3 recorded calls changed, 12.50 → 12`.
///
/// The result is not sanitised: it passes `base::text::display_line` where it is shown.
#[must_use]
pub fn summary_line(function: &FunctionId, change: &Change) -> String {
    let name = function.qualname().split('#').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    let calls = text::count(change.calls.len(), "recorded call");
    match change.calls.first() {
        Some(first) => format!("{name}(): {calls} changed, {}", old_and_new(first)),
        None => format!("{name}(): {calls} changed"),
    }
}

/// Says what differs inside of two values, in at most so many columns each: `1 → 2`, `nothing → 4`.
#[must_use]
pub fn leaf(difference: &Difference, columns: usize) -> String {
    let side = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), |value| value.summary(WHOLE_MAX));
    let (old, new) = text::around(&side(&difference.old), &side(&difference.new), columns);
    format!("{old} → {new}")
}

/// Says how a call ended before and ends now, in at most so many columns each, where they differ.
#[must_use]
pub fn both_outcomes(old: &Effect, new: &Effect, columns: usize) -> (String, String) {
    text::around(&old.outcome.summary(WHOLE_MAX), &new.outcome.summary(WHOLE_MAX), columns)
}

/// Says one changed call: `12.50 → 12`, `.items[0] 1 → 2`, `100 → raises ValueError('no')`.
#[must_use]
pub fn old_and_new(call: &CallChange) -> String {
    let difference = &call.difference;
    let (old_raises, new_raises) = (is_raised(&call.old.outcome), is_raised(&call.new.outcome));
    let same_type = match (&difference.old, &difference.new) {
        (Some(old), Some(new)) => old.type_name() == new.type_name(),
        _ => false,
    };
    let side = |value: Option<&Value>, outcome: &Outcome, raises: bool| {
        if difference.path.is_empty() && value.is_none() {
            let said = Outcome::summary(outcome, WHOLE_MAX);
            return said.trim_start_matches("✗ ").trim_start_matches("→ ").to_owned();
        }
        let shown = value.map_or_else(|| "nothing".to_owned(), |value| brief(value, same_type));
        if raises && difference.path.is_empty() && old_raises != new_raises { format!("raises {shown}") } else { shown }
    };
    let old = side(difference.old.as_ref(), &call.old.outcome, old_raises);
    let new = side(difference.new.as_ref(), &call.new.outcome, new_raises);
    let (old, new) = text::around(&old, &new, VALUE_MAX);
    let path = difference.path.trim();
    if path.is_empty() { format!("{old} → {new}") } else { format!("{path} {old} → {new}") }
}

fn is_raised(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Raised { .. })
}

/// Writes a value in short: a `Decimal` by its digits, when both sides are one.
fn brief(value: &Value, same_type: bool) -> String {
    match value {
        Value::New { ty, args, .. } if same_type && matches!(ty.short(), "Decimal" | "Fraction" | "UUID") => {
            match args.as_slice() {
                [Value::Str(digits)] => digits.clone(),
                _ => value.summary(WHOLE_MAX),
            }
        }
        other => other.summary(WHOLE_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::CallId;
    use crate::domain::samples;
    use crate::domain::touch::Touch;
    use crate::domain::value::TypeName;

    fn call(touches: &[&str]) -> Call {
        let touches = touches.iter().map(|kind| Touch::from_stored(kind, "x".to_owned())).collect();
        let call = samples::call(FunctionId::new("shop.cart", "Cart.total"), &[], Value::None);
        Call { id: CallId(14), touches, times: 2, ..call }
    }

    fn returned(value: Value) -> Effect {
        Effect { outcome: Outcome::Returned(value), changed: vec![] }
    }

    fn decimal(text: &str) -> Value {
        Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![Value::Str(text.into())], kwargs: vec![] }
    }

    fn raised(text: &str) -> Effect {
        let args = vec![Value::Str(text.into())];
        let exception = Value::Exception { ordinal: 3, ty: TypeName::new("builtins", "ValueError"), args, fields: vec![] };
        Effect { outcome: Outcome::Raised { exception, mro: vec![] }, changed: vec![] }
    }

    fn yielded(items: &[i64], end: GeneratorEnd) -> Effect {
        Effect { outcome: Outcome::Yielded { items: items.iter().map(|n| Value::Int(*n)).collect(), end }, changed: vec![] }
    }

    fn says(old: &Effect, new: &Effect) -> Option<String> {
        match compare(&call(&[]), Baseline { effect: old, reproduced: false }, std::slice::from_ref(new)) {
            Answer::Same => None,
            Answer::Changed(changed) => Some(old_and_new(&changed)),
            Answer::Unknown(why) => Some(format!("unknown: {why}")),
        }
    }

    #[test]
    fn a_change_reads_as_old_and_new() {
        let list = |items: &[i64]| Value::List(items.iter().map(|n| Value::Int(*n)).collect());
        for (old, new, text) in [
            (returned(decimal("12.50")), returned(decimal("12")), "12.50 → 12"),
            (returned(decimal("12.50")), returned(Value::Int(12)), "Decimal('12.50') → 12"),
            (returned(list(&[1, 2])), returned(list(&[1, 3])), "[1] 2 → 3"),
            (returned(Value::Int(100)), raised("no"), "100 → raises ValueError('no')"),
            (raised("no"), raised("never"), ".args[0] 'no' → 'never'"),
            (returned(Value::Int(1)), Effect { outcome: Outcome::TimedOut(2.0), changed: vec![] }, "1 → no end in 2 s"),
            (returned(list(&[])), returned(list(&[4])), "[0] nothing → 4"),
            (yielded(&[1, 2], GeneratorEnd::Open), yielded(&[1], GeneratorEnd::Returned(Value::None)), "[1] 2 → nothing"),
        ] {
            assert_eq!(says(&old, &new).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_means_nothing_is_no_change() {
        let text = |text: &str| returned(Value::Str(text.into()));
        assert_eq!(says(&text("<Cart at 0x7f12ab34>"), &text("<Cart at 0x7f99ff00>")), None);
        assert!(says(&text("colour 0xff00"), &text("colour 0xff01")).is_some());
        let traceback =
            |line: u32| text(&format!("  File \"/srv/shop.py\", line {line}, in total\n    return 1 / 0\nZeroDivisionError"));
        assert_eq!(says(&traceback(8), &traceback(12)), None, "a comment above it moved the line");
        assert_eq!(says(&yielded(&[1, 2], GeneratorEnd::Open), &yielded(&[1, 2, 3], GeneratorEnd::Returned(Value::None))), None);
        assert_eq!(says(&returned(Value::Float(f64::NAN)), &returned(Value::Float(f64::NAN))), None);
    }

    /// What a call did that returned nothing: of one kind, these texts.
    fn did(kind: &str, texts: &[&str]) -> Effect {
        let text = |text: &&str| Value::Str((*text).into());
        let told = if texts.is_empty() { vec![] } else { vec![(text(&kind), Value::List(texts.iter().map(text).collect()))] };
        let changed = vec![(ITS_SIDE_EFFECTS.to_owned(), Value::Dict(told))];
        Effect { outcome: Outcome::Returned(Value::None), changed }
    }

    #[test]
    fn side_effects_count_where_somebody_listened_both_times() {
        let (noted, other, nothing) = (did("log", &["noted"]), did("log", &["NOTED"]), did("log", &[]));
        assert_eq!(says(&noted, &other).as_deref(), Some("log[0] 'noted' → 'NOTED'"));
        assert_eq!(says(&noted, &nothing).as_deref(), Some("log ['noted'] → nothing"));
        assert_eq!(says(&nothing, &noted).as_deref(), Some("log nothing → ['noted']"));
        assert_eq!(says(&noted, &noted), None);
        assert_eq!(says(&returned(Value::None), &noted), None, "a recording does not listen");
        assert_eq!(says(&noted, &returned(Value::None)), None);
    }

    #[test]
    fn what_a_call_changed_counts() {
        let changed = |value: i64| Effect {
            outcome: Outcome::Returned(Value::None),
            changed: vec![("items".into(), Value::List(vec![Value::Int(value)]))],
        };
        assert_eq!(says(&changed(1), &changed(2)).as_deref(), Some("items[0] 1 → 2"));
        assert_eq!(says(&changed(1), &returned(Value::None)).as_deref(), Some("items [1] → nothing"));
    }

    #[test]
    fn chance_and_clock_are_believed_only_when_they_can_be_reproduced() {
        let (old, new) = (returned(Value::Int(1)), returned(Value::Int(2)));
        let answer = |touch: &[&str], reproduced, replays: &[Effect]| {
            matches!(compare(&call(touch), Baseline { effect: &old, reproduced }, replays), Answer::Changed(_))
        };
        assert!(!answer(&["random"], false, &[new.clone(), new.clone()]));
        assert!(!answer(&["random"], true, std::slice::from_ref(&new)));
        assert!(answer(&["clock"], true, &[new.clone(), new.clone()]));
        assert!(!answer(&[], false, &[new.clone(), returned(Value::Int(3))]), "it ends differently each time");
        assert!(answer(&[], false, std::slice::from_ref(&new)));
    }

    #[test]
    fn a_change_is_summed_up_in_one_line() {
        let effect = returned(decimal("12.50"));
        let Answer::Changed(one) =
            compare(&call(&[]), Baseline { effect: &effect, reproduced: false }, &[returned(decimal("12"))])
        else {
            panic!("it changed")
        };
        let change = change(vec![(*one).clone(), (*one).clone(), *one], 28, vec![], Moment(0)).unwrap();
        let function = FunctionId::new("shop.cart", "Cart.total");
        assert_eq!(summary_line(&function, &change), "total(): 3 recorded calls changed, 12.50 → 12");
        assert!(super::change(vec![], 31, vec![], Moment(0)).is_none());
    }
}
