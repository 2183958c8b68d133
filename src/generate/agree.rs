//! Whether a value that was made again agrees with one that was recorded only in part.
//!
//! Recording has a budget, and some objects cannot be read: what was not seen cannot be compared. Everything that was
//! seen has to be the same. Whole values are compared by `Value::first_difference`.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::value::Value;

/// Characters of a key that are compared, where two keys are not equal.
const KEY_SHOWN: usize = 40;

/// Tells whether parts of a value were not recorded.
#[must_use]
pub fn is_partial(value: &Value) -> bool {
    let whole = value.walk(&mut |part| !matches!(part, Value::Cut { .. }));
    !whole
}

/// Tells whether a value agrees with a recorded one wherever both were seen.
#[must_use]
pub fn agrees(recorded: &Value, made: &Value) -> bool {
    let mut comparison =
        Comparison { old: Defined::of(recorded), new: Defined::of(made), open: BTreeSet::new(), followed: BTreeSet::new() };
    comparison.same(recorded, made)
}

/// The numbered parts of a value, looked for when the first reference is met.
struct Defined<'v> {
    whole: &'v Value,
    parts: OnceCell<BTreeMap<u64, &'v Value>>,
}

impl<'v> Defined<'v> {
    const fn of(whole: &'v Value) -> Self {
        Self { whole, parts: OnceCell::new() }
    }

    /// Gives what a reference leads to; any other value is itself.
    fn resolved(&self, value: &'v Value) -> &'v Value {
        let Value::Ref(number) = value else { return value };
        self.parts.get_or_init(|| defined(self.whole)).get(number).copied().unwrap_or(value)
    }
}

struct Comparison<'v> {
    old: Defined<'v>,
    new: Defined<'v>,
    /// Pairs of objects that were compared, or are being compared.
    open: BTreeSet<(u64, u64)>,
    /// Pairs of values that references led to. Values that hold themselves lead to the same pair again.
    followed: BTreeSet<(*const Value, *const Value)>,
}

impl<'v> Comparison<'v> {
    fn same(&mut self, old: &'v Value, new: &'v Value) -> bool {
        let is_reference = matches!(old, Value::Ref(_)) || matches!(new, Value::Ref(_));
        let (old, new) = (self.old.resolved(old), self.new.resolved(new));
        if is_reference && !self.followed.insert((std::ptr::from_ref(old), std::ptr::from_ref(new))) {
            return true;
        }
        if let (Some(a), Some(b)) = (old.ordinal(), new.ordinal()) {
            // One object there is one object here.
            let other = self.open.iter().any(|(x, y)| (*x == a) != (*y == b));
            if other || !self.open.insert((a, b)) {
                return !other;
            }
        }
        match (old, new) {
            (Value::Shared(_, old), new) => return self.same(old, new),
            (old, Value::Shared(_, new)) => return self.same(old, new),
            (Value::Cut { .. }, _) | (_, Value::Cut { .. }) => return has_type_of(old, new),
            // What is defined in a part that was cut off is nowhere to be found.
            (Value::Ref(_), _) | (_, Value::Ref(_)) => return true,
            _ => {}
        }
        if let (Value::Dict(olds), Value::Dict(news)) = (old, new) {
            let is_same_key = |a: &Value, b: &Value| a == b || a.summary(KEY_SHOWN) == b.summary(KEY_SHOWN);
            let mut pairs = olds.iter().zip(news);
            return olds.len() == news.len()
                && pairs.all(|((key, a), (other, b))| is_same_key(key, other) && self.same(key, other) && self.same(a, b));
        }
        let (olds, news) = (old.children(), new.children());
        // With the budget at its end, an object is told up to the field that was cut.
        let ends_cut = |parts: &[(_, &Value)]| parts.last().is_some_and(|(_, last)| is_cut_at_its_end(last));
        let complete = match old {
            Value::Object { .. } | Value::Sub { .. } if olds.len() < news.len() => ends_cut(&olds),
            Value::Object { .. } | Value::Sub { .. } if olds.len() > news.len() => ends_cut(&news),
            _ => olds.len() == news.len(),
        };
        same_head(old, new) && complete && olds.iter().zip(&news).all(|((step, a), (other, b))| step == other && self.same(a, b))
    }
}

/// Tells whether the budget came to its end within a value: what would follow was not recorded.
fn is_cut_at_its_end(value: &Value) -> bool {
    matches!(value, Value::Cut { .. }) || value.children().last().is_some_and(|(_, last)| is_cut_at_its_end(last))
}

/// Compares everything of two values but their parts.
fn same_head(old: &Value, new: &Value) -> bool {
    if old.is_leaf() && new.is_leaf() {
        return old.same_as(new);
    }
    match (old, new) {
        (Value::Object { ty: a, kind: k, .. }, Value::Object { ty: b, kind: l, .. }) => a == b && k == l,
        (Value::Enum { ty: a, name: x, .. }, Value::Enum { ty: b, name: y, .. }) => a == b && x == y,
        (Value::Method { name: a, .. }, Value::Method { name: b, .. }) => a == b,
        (Value::File { class: a, position: p, .. }, Value::File { class: b, position: q, .. }) => a == b && p == q,
        (Value::Array { dtype: a, shape: s, .. }, Value::Array { dtype: b, shape: t, .. }) => a == b && s == t,
        _ => std::mem::discriminant(old) == std::mem::discriminant(new) && old.type_name() == new.type_name(),
    }
}

/// Tells whether a value could be the one that was cut.
fn has_type_of(old: &Value, new: &Value) -> bool {
    let short = |value: &Value| match value.type_name().rsplit('.').next() {
        Some("NoneType") | None => "None".to_owned(),
        Some(name) => name.to_owned(),
    };
    match (old, new) {
        (Value::Cut { hash: a, .. }, Value::Cut { hash: b, .. }) if !a.is_empty() && !b.is_empty() => a == b,
        (Value::Cut { length: Some(length), .. }, Value::List(items) | Value::Tuple(items)) => *length == items.len() as u64,
        // A name may stand for an instance, whose type it does not tell.
        (_, Value::Name(_) | Value::Ref(_)) | (Value::Name(_) | Value::Ref(_), _) => true,
        _ => short(old) == short(new),
    }
}

fn defined(value: &Value) -> BTreeMap<u64, &Value> {
    let mut found = BTreeMap::new();
    value.walk(&mut |part| {
        let number = match part {
            Value::Shared(number, _) => Some(*number),
            part => part.ordinal(),
        };
        if let Some(number) = number {
            found.entry(number).or_insert(part);
        }
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::{ObjectKind, TypeName};

    fn node(ordinal: u64, name: &str, parent: Value) -> Value {
        let fields = vec![("name".to_owned(), Value::Str(name.into())), ("parent".to_owned(), parent)];
        Value::Object { ordinal, ty: TypeName::new("tree", "Node"), kind: ObjectKind::Plain, fields }
    }

    fn cut(ty: &str) -> Value {
        Value::Cut { ty: ty.into(), length: None, head: Box::new(Value::None), tail: Box::new(Value::None), hash: String::new() }
    }

    /// A list that is in itself, alone or within others, and a dict in the same way.
    #[test]
    fn values_that_hold_themselves_are_compared_to_an_end() {
        let list = |number: u64, items: Vec<Value>| Value::Shared(number, Box::new(Value::List(items)));
        let itself = |number: u64, item: i64| list(number, vec![Value::Int(item), Value::Ref(number), cut("int")]);
        assert!(agrees(&itself(1, 7), &itself(4, 7)) && !agrees(&itself(1, 7), &itself(4, 8)));
        let entry = |number: u64| vec![(Value::Str("me".into()), Value::Ref(number))];
        let dict = |number: u64| Value::Shared(number, Box::new(Value::Dict(entry(number))));
        assert!(agrees(&dict(1), &dict(2)) && !agrees(&dict(1), &itself(2, 7)));
        // Of another length: the same lists, written down from another of them on.
        let two = list(1, vec![Value::Int(7), list(2, vec![Value::Int(7), Value::Ref(1), cut("int")]), cut("int")]);
        assert!(agrees(&itself(1, 7), &two) && agrees(&two, &itself(1, 7)));
    }

    /// R1: what was not recorded is not compared, everything else is.
    #[test]
    fn a_value_that_was_cut_agrees_with_what_was_seen_of_it() {
        let recorded = Value::List(vec![node(1, "a", cut("Node")), node(2, "b", Value::Ref(1))]);
        let same = Value::List(vec![node(7, "a", node(8, "root", Value::None)), node(9, "b", Value::Ref(7))]);
        assert!(is_partial(&recorded) && !is_partial(&same));
        assert!(agrees(&cut("NoneType"), &Value::None) && !agrees(&cut("int"), &Value::None));
        assert!(agrees(&recorded, &same));
        let begun = vec![("name".to_owned(), Value::Str("a".into())), ("parent".to_owned(), cut("Node"))];
        let ty = || TypeName::new("tree", "Node");
        let short = Value::Object { ordinal: 1, ty: ty(), kind: ObjectKind::Plain, fields: begun.clone() };
        let mut fields = begun;
        fields[1].1 = Value::None;
        fields.push(("children".to_owned(), Value::List(Vec::new())));
        let long = Value::Object { ordinal: 2, ty: ty(), kind: ObjectKind::Plain, fields };
        assert!(!agrees(&short, &long), "a None is no Node");
        assert!(agrees(&node(1, "a", cut("NoneType")), &long), "what follows the cut was not recorded");
        assert!(!agrees(&node(1, "a", Value::None), &long), "nothing was cut here, and a field is new");
        let around = |parent: Value, field: Option<Value>| {
            let Value::Object { ordinal, ty, kind, mut fields } = node(3, "outer", parent) else { unreachable!() };
            fields.extend(field.map(|value| ("children".to_owned(), value)));
            Value::Object { ordinal, ty, kind, fields }
        };
        let whole = around(node(4, "a", Value::None), Some(Value::List(Vec::new())));
        assert!(agrees(&around(node(4, "a", cut("NoneType")), None), &whole), "the cut was within the last field");
        assert!(!agrees(&around(node(4, "a", Value::None), None), &whole), "nothing was cut there");
        for other in [
            Value::List(vec![node(7, "x", node(8, "root", Value::None)), node(9, "b", Value::Ref(7))]),
            Value::List(vec![node(7, "a", Value::Str("root".into())), node(9, "b", Value::Ref(7))]),
            Value::List(vec![node(7, "a", node(8, "root", Value::None)), node(9, "b", Value::Ref(8))]),
            Value::List(vec![node(7, "a", node(8, "root", Value::None))]),
        ] {
            assert!(!agrees(&recorded, &other), "{other:?}");
        }
    }
}
