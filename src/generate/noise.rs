//! What differs between two runs of the same code is noise: times, tokens, temporary folders. It is found by comparing such runs,
//! leaf by leaf, and left out where later runs are compared with them.

use std::borrow::Cow;

use crate::domain::call::{Effect, GeneratorEnd, ITS_SIDE_EFFECTS, Outcome};
use crate::domain::parts::children;
use crate::domain::secret;
use crate::domain::value::Value;
use crate::generate::replay::in_order_of;
use crate::generate::varying::{GAP, foreign, is_left_out, is_varying, varying};

/// Leaves out of an effect what another run of the same code did otherwise. Tells false where nothing is left to compare: it
/// ended in another way, or with another value as a whole.
pub fn leave_out(effect: &mut Effect, other: &Effect) -> bool {
    let ended = match (&mut effect.outcome, &other.outcome) {
        (Outcome::Returned(value), Outcome::Returned(other)) => leave_out_of(value, other),
        (Outcome::Raised { exception, mro }, Outcome::Raised { exception: other, mro: names }) => {
            mro == names && leave_out_of(exception, other)
        }
        (Outcome::Yielded { items, end }, Outcome::Yielded { items: others, end: other_end }) => {
            items.len() == others.len()
                && items.iter_mut().zip(others).all(|(item, other)| {
                    leave_out_of(item, other) || {
                        *item = varying();
                        true
                    }
                })
                && match (end, other_end) {
                    (GeneratorEnd::Open, GeneratorEnd::Open) => true,
                    (GeneratorEnd::Returned(value), GeneratorEnd::Returned(other))
                    | (GeneratorEnd::Raised(value), GeneratorEnd::Raised(other)) => leave_out_of(value, other),
                    _ => false,
                }
        }
        (outcome, other) => outcome == other,
    };
    // What only one of the runs changed is left out as a whole.
    for (name, value) in &mut effect.changed {
        let is_its = name == ITS_SIDE_EFFECTS;
        let other = other.changed.iter().find(|(other, _)| other == name).map(|(_, other)| other);
        let other = other.map(|other| if is_its { Cow::Owned(in_order_of(value, other)) } else { Cow::Borrowed(other) });
        match other {
            Some(other) if leave_out_of(value, &other) => {}
            // Nobody listened to the other one.
            None if is_its => {}
            _ => *value = varying(),
        }
    }
    let is_missing = |name: &String| name != ITS_SIDE_EFFECTS && !effect.changed.iter().any(|(own, _)| own == name);
    let only_there = other.changed.iter().filter(|(name, _)| is_missing(name));
    let missing: Vec<_> = only_there.map(|(name, _)| (name.clone(), varying())).collect();
    effect.changed.extend(missing);
    ended
}

/// Tells whether two calls ended in one way: both with a value of one type, or with one exception.
#[must_use]
pub fn end_in_one_way(one: &Effect, other: &Effect) -> bool {
    match (&one.outcome, &other.outcome) {
        (Outcome::Returned(a), Outcome::Returned(b)) => a.type_name() == b.type_name(),
        (Outcome::Raised { mro: a, .. }, Outcome::Raised { mro: b, .. }) => a == b,
        (Outcome::Yielded { .. }, Outcome::Yielded { .. }) => true,
        _ => false,
    }
}

/// Leaves out of an effect what was left out of the one that it is compared with.
pub fn leave_out_likewise(pattern: &Effect, effect: &mut Effect) {
    match (&pattern.outcome, &mut effect.outcome) {
        (Outcome::Returned(pattern), Outcome::Returned(value))
        | (Outcome::Raised { exception: pattern, .. }, Outcome::Raised { exception: value, .. }) => likewise(pattern, value),
        (Outcome::Yielded { items: patterns, end: pattern_end }, Outcome::Yielded { items, end }) => {
            patterns.iter().zip(items).for_each(|(pattern, item)| likewise(pattern, item));
            if let (
                GeneratorEnd::Returned(pattern) | GeneratorEnd::Raised(pattern),
                GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value),
            ) = (pattern_end, end)
            {
                likewise(pattern, value);
            }
        }
        _ => {}
    }
    for (name, pattern) in &pattern.changed {
        match effect.changed.iter_mut().find(|(own, _)| own == name) {
            Some((_, value)) => likewise(pattern, value),
            // It may be changed or not.
            None if is_varying(pattern) => effect.changed.push((name.clone(), varying())),
            None => {}
        }
    }
    // Their order says nothing.
    let place = |name: &str| pattern.changed.iter().position(|(own, _)| own == name).unwrap_or(usize::MAX);
    effect.changed.sort_by_key(|(name, _)| place(name));
}

/// Leaves out of what a call changed the inside of other packages' objects: what a framework keeps there follows from all that ran
/// before. The objects themselves that the call was given count, and their own fields.
pub fn leave_out_foreign(effect: &mut Effect, is_own: &dyn Fn(&str) -> bool) {
    for (_, value) in &mut effect.changed {
        prune(value, 0, is_own);
    }
}

/// Tells whether an argument changed outside of what other packages keep in their objects.
#[must_use]
pub fn changed_itself(before: &Value, after: &Value, is_own: &dyn Fn(&str) -> bool) -> bool {
    let (mut before, mut after) = (before.clone(), after.clone());
    prune(&mut before, 0, is_own);
    prune(&mut after, 0, is_own);
    !before.same_as(&after)
}

/// Objects of other packages, one inside the other, whose fields count.
const FOREIGN_MAX: usize = 1;

fn prune(value: &mut Value, depth: usize, is_own: &dyn Fn(&str) -> bool) {
    let is_foreign = match value {
        Value::Object { ty, .. } | Value::Sub { ty, .. } => !is_own(&ty.module),
        _ => false,
    };
    let depth = depth + usize::from(is_foreign);
    if depth > FOREIGN_MAX {
        *value = foreign();
        return;
    }
    children(value, &mut |part| prune(part, depth, is_own));
}

/// Leaves out of a value the leaves in which another one differs. Tells false where the whole value does.
pub fn leave_out_of(value: &mut Value, other: &Value) -> bool {
    if is_left_out(value) {
        return !is_varying(value);
    }
    if value.same_as(other) {
        return true;
    }
    if let Some(text) = common(value, other) {
        *value = text;
        return true;
    }
    if !same_form(value, other) || is_one(value) {
        return false;
    }
    let others = other.children();
    let mut at = 0;
    children(value, &mut |part| {
        if let Some((_, other)) = others.get(at)
            && !leave_out_of(part, other)
        {
            *part = varying();
        }
        at += 1;
    });
    at > 0
}

/// Tells whether a value is one thing although it has parts: of a date the seconds differ in this run, and the minutes in the next.
fn is_one(value: &Value) -> bool {
    let is_scalar = |part: &Value| part.is_leaf();
    matches!(value, Value::New { .. }) && value.children().iter().all(|(_, part)| is_scalar(part))
}

/// Tells whether two values have parts that can be compared one by one.
fn same_form(a: &Value, b: &Value) -> bool {
    let steps = |value: &Value| value.children().into_iter().map(|(step, _)| step.to_string()).collect::<Vec<_>>();
    std::mem::discriminant(a) == std::mem::discriminant(b)
        && a.type_name() == b.type_name()
        && !matches!(a, Value::Set(_) | Value::FrozenSet(_) | Value::Ref(_) | Value::Enum { .. })
        && match (a, b) {
            // Keys that differ are read as parts.
            (Value::Dict(a), Value::Dict(b)) => a.len() == b.len() && a.iter().zip(b).all(|((a, _), (b, _))| a.same_as(b)),
            _ => steps(a) == steps(b),
        }
}

/// Puts what stands for varying parts into a value wherever the pattern has it.
fn likewise(pattern: &Value, value: &mut Value) {
    if is_left_out(pattern) {
        *value = pattern.clone();
        return;
    }
    // Whether a text is taken for a secret may depend on what the program met before.
    if let Value::Secret { ordinal, look, .. } = pattern
        && secret::was_kept(value, *ordinal, *look)
    {
        *value = pattern.clone();
        return;
    }
    if let (Some(text), Some(found)) = (text_of(pattern), text_of(value))
        && text.contains(GAP)
    {
        if fits(&text, &found) {
            *value = pattern.clone();
        }
        return;
    }
    match (pattern, &mut *value) {
        // What has a name is found by it, whatever else is there.
        (Value::Dict(patterns), Value::Dict(pairs)) => {
            let is_same = |one: &Value, other: &Value| one.same_as(other);
            return likewise_by_name(patterns, pairs, is_same);
        }
        (Value::List(patterns), Value::List(items)) => {
            return patterns.iter().zip(items).for_each(|(pattern, item)| likewise(pattern, item));
        }
        _ => {}
    }
    if let (Value::Object { ty, fields: patterns, .. }, Value::Object { ty: now, fields, .. }) = (pattern, &mut *value) {
        if ty == now {
            likewise_by_name(patterns, fields, |one, other| one == other);
        }
        return;
    }
    if let (Value::Sub { fields: patterns, .. }, Value::Sub { fields, .. }) = (pattern, &mut *value) {
        likewise_by_name(patterns, fields, |one, other| one == other);
    }
    let patterns = pattern.children();
    if patterns.is_empty() || !same_form(pattern, value) {
        return;
    }
    let mut at = 0;
    children(value, &mut |part| {
        if let Some((_, pattern)) = patterns.get(at) {
            likewise(pattern, part);
        }
        at += 1;
    });
}

/// Does so for named parts. One that varies may be there or not: caches that a framework keeps in its objects come and go.
fn likewise_by_name<N: Clone>(patterns: &[(N, Value)], parts: &mut Vec<(N, Value)>, is_same: impl Fn(&N, &N) -> bool) {
    for (at, (name, pattern)) in patterns.iter().enumerate() {
        match parts.iter_mut().find(|(own, _)| is_same(own, name)) {
            Some((_, part)) => likewise(pattern, part),
            None if is_left_out(pattern) => parts.insert(at.min(parts.len()), (name.clone(), pattern.clone())),
            None => {}
        }
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Str(text) => Some(text.clone()),
        Value::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
        _ => None,
    }
}

/// Gives what two texts have in common, line by line, with a gap for the rest; `None` where that is nothing.
fn common(a: &Value, b: &Value) -> Option<Value> {
    let (one, other) = match (a, b) {
        (Value::Str(_), Value::Str(_)) | (Value::Bytes(_), Value::Bytes(_)) => (text_of(a)?, text_of(b)?),
        _ => return None,
    };
    let lines = |text: &str| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    let (own, others) = (lines(&one), lines(&other));
    let pattern = if own.len() == others.len() {
        own.iter().zip(&others).map(|(a, b)| with_gap(a, b)).collect::<Vec<_>>().join("\n")
    } else {
        with_gap(&one, &other)
    };
    if pattern.trim() == GAP {
        return None;
    }
    Some(if matches!(a, Value::Str(_)) { Value::Str(pattern) } else { Value::Bytes(pattern.into_bytes()) })
}

/// Puts a gap where two texts differ: from the first word that does to the last.
fn with_gap(a: &str, b: &str) -> String {
    if a == b {
        return a.to_owned();
    }
    let is_end = |c: char| c.is_whitespace() || "\"'<>(){}[],;&|".contains(c);
    let head = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum::<usize>();
    let head = a[..head].rfind(is_end).map_or(0, |at| at + a[at..].chars().next().map_or(0, char::len_utf8));
    let (rest_a, rest_b) = (&a[head..], &b[head..]);
    let tail =
        rest_a.chars().rev().zip(rest_b.chars().rev()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum::<usize>();
    let tail = rest_a[rest_a.len() - tail..].find(is_end).map_or(0, |at| tail - at);
    format!("{}{GAP}{}", &a[..head], &a[a.len() - tail..])
}

/// Tells whether a text has all that stands between the gaps of a pattern, in that order, from start to end.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split(GAP);
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::TypeName;

    fn text(text: &str) -> Value {
        Value::Str(text.into())
    }

    fn dict(pairs: &[(&str, Value)]) -> Value {
        Value::Dict(pairs.iter().map(|(key, value)| (text(key), value.clone())).collect())
    }

    fn learned(one: Value, other: &Value) -> Option<Value> {
        let mut value = one;
        leave_out_of(&mut value, other).then_some(value)
    }

    /// Whether a later value shows a difference from what two runs have in common.
    fn shows(one: Value, other: &Value, later: Value) -> bool {
        let pattern = learned(one, other).unwrap();
        let mut later = later;
        likewise(&pattern, &mut later);
        pattern.first_difference(&later).is_some()
    }

    /// A set of objects is gone through in another order in each process.
    #[test]
    fn calls_of_a_function_in_another_order_are_no_noise() {
        let called = |fields: &[&str]| {
            let calls = fields.iter().map(|field| dict(&[("field", text(field))])).collect();
            let effects = dict(&[("calls of shown", Value::List(calls)), ("log", Value::List(vec![text(fields[0])]))]);
            Effect { outcome: Outcome::Returned(Value::None), changed: vec![(ITS_SIDE_EFFECTS.into(), effects)] }
        };
        let mut pattern = called(&["name", "price"]);
        assert!(leave_out(&mut pattern, &called(&["price", "name"])));
        let differs = |fields: &[&str]| {
            let mut later = called(fields);
            leave_out_likewise(&pattern, &mut later);
            crate::generate::replay::difference(&pattern, &later).is_some()
        };
        assert!(!differs(&["price", "name"]));
        assert!(differs(&["price", "colour"]), "the calls themselves count");
    }

    #[test]
    fn a_leaf_that_varies_is_left_out_and_its_neighbours_count() {
        let answer = |id: &str, total: i64| dict(&[("id", text(id)), ("total", Value::Int(total))]);
        assert!(!shows(answer("a1", 3), &answer("b2", 3), answer("c3", 3)));
        assert!(shows(answer("a1", 3), &answer("b2", 3), answer("c3", 4)));
        let without = dict(&[("total", Value::Int(3))]);
        assert!(!shows(
            dict(&[("id", Value::Int(1)), ("total", Value::Int(3))]),
            &dict(&[("id", Value::Int(2)), ("total", Value::Int(3))]),
            without
        ));
        let options_with = |fields: &[(&str, Value)]| Value::Object {
            ordinal: 1,
            ty: TypeName::new("web", "Options"),
            kind: crate::domain::value::ObjectKind::Plain,
            fields: fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        };
        let options = |fields: &[(&str, i64)]| {
            options_with(&fields.iter().map(|(name, number)| (*name, Value::Int(*number))).collect::<Vec<_>>())
        };
        let (one, other) = (options(&[("cache", 1), ("size", 3)]), options(&[("cache", 2), ("size", 3)]));
        assert!(!shows(one.clone(), &other, options(&[("size", 3)])));
        assert!(shows(one.clone(), &other, options(&[("size", 4)])));
        assert!(shows(one.clone(), &other, options(&[("size", 3), ("user", 1)])), "a new field");
        let mut later = options(&[("user", 1), ("cache", 9), ("size", 3)]);
        likewise(&learned(one, &other).unwrap(), &mut later);
        assert_eq!(later, options_with(&[("user", Value::Int(1)), ("cache", varying()), ("size", Value::Int(3))]), "beside it");
        let list = |items: &[i64]| Value::List(items.iter().map(|n| Value::Int(*n)).collect());
        assert!(shows(list(&[1, 2]), &list(&[1, 3]), list(&[0, 4])));
        assert!(shows(list(&[1, 2]), &list(&[1, 3]), list(&[1, 4, 5])), "one more item");
    }

    #[test]
    fn of_a_text_only_the_word_that_varies_is_left_out() {
        let page = |token: &str, title: &str| text(&format!("<h1>{title}</h1>\n<input value=\"{token}\">\n"));
        assert!(!shows(page("ab1", "Log in"), &page("ac1", "Log in"), page("zz99-x", "Log in")));
        assert!(shows(page("ab1", "Log in"), &page("ac1", "Log in"), page("zz99-x", "Log out")));
        let bytes = |value: Value| Value::Bytes(text_of(&value).unwrap().into_bytes());
        assert!(shows(bytes(page("ab1", "A")), &bytes(page("ac1", "A")), bytes(page("q", "B"))));
    }

    #[test]
    fn what_varies_as_a_whole_says_nothing() {
        assert_eq!(learned(Value::Int(1), &Value::Int(2)), None);
        assert_eq!(learned(text("abc"), &text("abd")), None);
        assert_eq!(learned(Value::Int(1), &Value::None), None);
        let time = |minute, second| Value::New {
            ty: TypeName::new("datetime", "time"),
            args: vec![Value::Int(minute), Value::Int(second)],
            kwargs: vec![],
        };
        assert!(!shows(dict(&[("at", time(1, 59))]), &dict(&[("at", time(1, 58))]), dict(&[("at", time(2, 0))])));
        let effect = |value: Value| Effect { outcome: Outcome::Returned(value), changed: vec![] };
        assert!(!leave_out(&mut effect(Value::Bool(true)), &effect(Value::Bool(false))));
    }

    #[test]
    fn an_exception_is_another_end_than_a_value() {
        let gave = |value: Value| Effect { outcome: Outcome::Returned(value), changed: vec![] };
        let raised = |name: &str| Effect {
            outcome: Outcome::Raised { exception: Value::None, mro: vec![name.to_owned()] },
            changed: vec![],
        };
        assert!(end_in_one_way(&gave(Value::Int(1)), &gave(Value::Int(2))));
        assert!(!end_in_one_way(&gave(Value::Int(1)), &gave(text("1"))));
        assert!(!end_in_one_way(&gave(Value::Int(1)), &raised("builtins:LookupError")));
        assert!(!end_in_one_way(&raised("builtins:KeyError"), &raised("builtins:LookupError")));
    }

    #[test]
    fn what_is_changed_in_one_run_only_is_left_out() {
        let effect = |changed: &[(&str, i64)]| Effect {
            outcome: Outcome::Returned(Value::None),
            changed: changed.iter().map(|(name, number)| ((*name).to_owned(), Value::Int(*number))).collect(),
        };
        let mut first = effect(&[("self", 1)]);
        assert!(leave_out(&mut first, &effect(&[("self", 1), ("cache", 2)])));
        let mut later = effect(&[("self", 1)]);
        leave_out_likewise(&first, &mut later);
        assert_eq!(first, later);
        let mut later = effect(&[("cache", 9), ("self", 2)]);
        leave_out_likewise(&first, &mut later);
        assert_eq!(crate::generate::replay::difference(&first, &later).map(|found| found.path), Some("self".into()));
    }

    #[test]
    fn the_inside_of_a_frameworks_objects_is_not_compared() {
        let object = |module: &str, field: Value| Value::Object {
            ordinal: 1,
            ty: TypeName::new(module, "Thing"),
            kind: crate::domain::value::ObjectKind::Plain,
            fields: vec![("field".into(), field)],
        };
        let mut effect = Effect {
            outcome: Outcome::Returned(object("web", object("web", Value::Int(1)))),
            changed: vec![
                ("self".into(), object("app", object("web", Value::Int(1)))),
                ("rest".into(), object("web", object("web", Value::Int(1)))),
            ],
        };
        let before = effect.clone();
        leave_out_foreign(&mut effect, &|module| module == "app");
        assert_eq!((&effect.outcome, &effect.changed[0]), (&before.outcome, &before.changed[0]));
        assert_eq!(effect.changed[1].1, object("web", foreign()));
        assert!(leave_out(&mut effect, &before), "another run holds it");
        assert_eq!(effect.changed[1].1, object("web", foreign()), "it is not said to vary");
        let is_own = |module: &str| module == "app";
        let deep = |number| object("app", object("web", object("web", Value::Int(number))));
        assert!(!changed_itself(&deep(1), &deep(2), &is_own));
        assert!(changed_itself(&object("app", Value::Int(1)), &object("app", Value::Int(2)), &is_own));
    }

    proptest::proptest! {
        #[test]
        fn a_pattern_fits_both_texts_it_was_made_of(a in "[a-c \"é\n]{0,12}", b in "[a-c \"é\n]{0,12}") {
            if let Some(Value::Str(pattern)) = common(&text(&a), &text(&b)) {
                proptest::prop_assert!(fits(&pattern, &a) && fits(&pattern, &b), "{pattern:?}");
            }
        }
    }

    #[test]
    fn side_effects_that_nobody_listened_to_are_no_noise() {
        let gave = |changed: Vec<(String, Value)>| Effect { outcome: Outcome::Returned(Value::None), changed };
        let told = |log: &str| vec![(ITS_SIDE_EFFECTS.to_owned(), dict(&[("log", text(log))]))];
        let mut heard = gave(told("noted 1"));
        assert!(leave_out(&mut heard, &gave(vec![])));
        assert_eq!(heard, gave(told("noted 1")));
        assert!(leave_out(&mut heard, &gave(told("noted 2"))));
        assert_eq!(heard, gave(told("noted ⋯")), "of what varies, the rest counts");
        let mut unheard = gave(vec![]);
        assert!(leave_out(&mut unheard, &gave(told("noted 1"))));
        assert_eq!(unheard, gave(vec![]));
    }
}
