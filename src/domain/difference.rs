//! Where two recorded values differ first.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::domain::secret;
use crate::domain::value::{Step, Value};

/// The first place where two values differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The way there, as in `.items[0].price`; empty for the value itself.
    pub path: String,
    /// What stood there; `None` when there was nothing.
    pub old: Option<Value>,
    /// What stands there now.
    pub new: Option<Value>,
}

/// Columns of a name in the way to a part.
const NAME_MAX: usize = 60;

impl Value {
    /// Finds the first place where two values differ, ignoring how objects are numbered; `None` when they are the same.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        if self.is_identical(other) { None } else { Comparison::default().compare(self, other, &mut Vec::new()) }
    }

    /// Tells whether two values are the same, ignoring how objects are numbered. Where they are not, nothing of them is copied to
    /// be shown, which takes longer than to compare them.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        let mut brief = Comparison { is_brief: true, ..Comparison::default() };
        self.is_identical(other) || brief.compare(self, other, &mut Vec::new()).is_none()
    }

    /// Tells whether two values are equal down to the numbers of their objects, as most are that are the same: nothing is copied for
    /// it. Zeros are equal whatever their sign, so they are left to the comparison.
    fn is_identical(&self, other: &Self) -> bool {
        let is_zero = |part: &Self| match part {
            Self::Float(number) => *number == 0.0,
            Self::Complex(real, imaginary) => *real == 0.0 || *imaginary == 0.0,
            _ => false,
        };
        self == other && self.walk(&mut |part| !is_zero(part))
    }
}

/// Tells whether two objects have the same fields in the same order, ignoring how objects are numbered.
#[must_use]
pub fn same_fields(one: &[(String, Value)], other: &[(String, Value)]) -> bool {
    let mut brief = Comparison { is_brief: true, ..Comparison::default() };
    let mut same = |a: &Value, b: &Value| brief.compare(a, b, &mut Vec::new()).is_none();
    one.len() == other.len() && one.iter().zip(other).all(|((name, a), (known, b))| name == known && same(a, b))
}

/// Pairs up ordinals while walking: two values are the same when a renumbering makes them so.
#[derive(Default)]
struct Comparison {
    pairs: HashMap<u64, u64>,
    /// What each secret of the old value is in the new one.
    secrets: Vec<(u64, Value)>,
    /// What differs is not shown.
    is_brief: bool,
}

impl Comparison {
    fn compare(&mut self, old: &Value, new: &Value, path: &mut Vec<Step>) -> Option<Difference> {
        let is_brief = self.is_brief;
        let shown = |path: &[Step], old: Option<&Value>, new: Option<&Value>| {
            let nothing = Difference { path: String::new(), old: None, new: None };
            Some(if is_brief { nothing } else { Difference { path: way(path), old: old.cloned(), new: new.cloned() } })
        };
        let differs = |path: &[Step]| shown(path, Some(old), Some(new));
        match (old, new) {
            (Value::Float(a), Value::Float(b)) => {
                return if same_float(*a, *b) { None } else { differs(path) };
            }
            (Value::Complex(a, b), Value::Complex(c, d)) => {
                return if same_float(*a, *c) && same_float(*b, *d) { None } else { differs(path) };
            }
            (Value::Ref(a), Value::Ref(b)) => {
                return if self.pair(*a, *b) { None } else { differs(path) };
            }
            // A decimal or a date is one thing: where it differs, all of it does.
            (Value::New { ty: t, .. }, Value::New { ty: u, .. }) if t == u && is_one(old) && is_one(new) => {
                return if old == new { None } else { differs(path) };
            }
            (Value::Set(a), Value::Set(b)) | (Value::FrozenSet(a), Value::FrozenSet(b)) => {
                return if same_members(a, b) { None } else { differs(path) };
            }
            _ => {}
        }
        if !self.same_head(old, new) {
            return differs(path);
        }
        if self.is_brief
            && let Some(is_same) = self.same_parts(old, new)
        {
            return if is_same { None } else { differs(path) };
        }
        let (olds, mut news) = (old.children(), new.children());
        if matches!(old, Value::Exception { .. }) {
            // Older recordings do not tell what an exception was raised from.
            let cause = Step::Field("__cause__".into());
            let is_known = olds.iter().any(|(step, _)| *step == cause);
            news.retain(|(step, _)| is_known || *step != cause);
        }
        let leads = olds.iter().zip(&news).filter(|((step, _), (other, _))| step == other && says_how_it_ended(step));
        for ((step, a), (_, b)) in leads {
            if matches!((a, b), (Value::Int(_), Value::Int(_)) | (Value::Str(_), Value::Str(_))) && a != b {
                path.push(step.clone());
                return shown(path, Some(a), Some(b));
            }
        }
        let mut follows = None;
        let has_names = reads_like_a_dict(&olds) && reads_like_a_dict(&news);
        for at in 0..olds.len().max(news.len()) {
            match (olds.get(at), news.get(at)) {
                (Some((step, a)), Some((other_step, b))) if same_step((step, a), (other_step, b)) => {
                    let mut private = None;
                    // The second part of a pair is the value of what the first part names.
                    let (a, b) = match (named(a), named(b)) {
                        (Some((name, a)), Some((other, b))) if name == other && (has_names || is_keyed_by(step, name)) => {
                            // `.headers['Location']` is how it is read, and not `.headers._list['Location']`.
                            private = path.pop_if(|step| matches!(step, Step::Field(name) if name.starts_with('_')));
                            path.push(Step::Key(name.summary(NAME_MAX)));
                            (a, b)
                        }
                        _ => {
                            path.push(step.clone());
                            (*a, *b)
                        }
                    };
                    let found = self.compare(a, b, path);
                    let step = path.pop();
                    if found.is_some() && step.is_some_and(|step| follows_from_others(&step)) {
                        follows = follows.or(found);
                    } else if found.is_some() {
                        return found;
                    }
                    path.extend(private);
                }
                _ => {
                    let uneven = uneven(olds.get(at..).unwrap_or_default(), news.get(at..).unwrap_or_default());
                    let Some((step, old, new)) = uneven else { return differs(path) };
                    path.push(step.clone());
                    return shown(path, old, new);
                }
            }
        }
        follows
    }

    /// Compares the parts of the most usual values without the way to each, which takes longer to write than to compare them.
    fn same_parts(&mut self, old: &Value, new: &Value) -> Option<bool> {
        let mut same = |a: &Value, b: &Value| self.compare(a, b, &mut Vec::new()).is_none();
        Some(match (old, new) {
            (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Dict(a), Value::Dict(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((key, a), (other, b))| same(key, other) && same(a, b))
            }
            (Value::Object { fields: a, .. }, Value::Object { fields: b, .. }) => {
                a.len() == b.len() && a.iter().zip(b).all(|((name, a), (other, b))| name == other && same(a, b))
            }
            _ => return None,
        })
    }

    fn pair(&mut self, old: u64, new: u64) -> bool {
        *self.pairs.entry(old).or_insert(new) == new
    }

    /// Pairs a secret with what stands in its place, in both directions. Beside a secret name that is a secret again, elsewhere a
    /// value like any other: each for itself.
    fn pair_secret(&mut self, ordinal: u64, other: &Value) -> bool {
        let same = |known: &Value| match (known, other) {
            (Value::Secret { ordinal: a, .. }, Value::Secret { ordinal: b, .. }) => a == b,
            _ => known == other,
        };
        let alike = |held: &Value| matches!(held, Value::Secret { .. }) == matches!(other, Value::Secret { .. });
        match self.secrets.iter().find(|(known, held)| alike(held) && (*known == ordinal || same(held))) {
            Some((known, held)) => *known == ordinal && same(held),
            None => {
                self.secrets.push((ordinal, other.clone()));
                true
            }
        }
    }

    /// Compares everything of two values but their parts.
    fn same_head(&mut self, old: &Value, new: &Value) -> bool {
        use Value as V;
        match (old, new) {
            (V::Object { ordinal: a, ty: t, kind: k, .. }, V::Object { ordinal: b, ty: u, kind: l, .. }) => {
                t == u && k == l && self.pair(*a, *b)
            }
            (V::Sub { ordinal: a, ty: t, .. }, V::Sub { ordinal: b, ty: u, .. })
            | (V::Exception { ordinal: a, ty: t, .. }, V::Exception { ordinal: b, ty: u, .. })
            | (V::Opaque { ordinal: a, ty: t }, V::Opaque { ordinal: b, ty: u }) => t == u && self.pair(*a, *b),
            (V::Shared(a, _), V::Shared(b, _)) => self.pair(*a, *b),
            (V::List(_), V::List(_))
            | (V::Tuple(_), V::Tuple(_))
            | (V::Dict(_), V::Dict(_))
            | (V::Partial { .. }, V::Partial { .. }) => true,
            (V::Enum { ty: t, name: a, .. }, V::Enum { ty: u, name: b, .. }) => t == u && a == b,
            (V::NamedTuple { ty: t, .. }, V::NamedTuple { ty: u, .. })
            | (V::New { ty: t, .. }, V::New { ty: u, .. })
            | (V::Generator { ty: t, .. }, V::Generator { ty: u, .. }) => t == u,
            (V::Method { name: a, .. }, V::Method { name: b, .. }) => a == b,
            (V::File { class: a, position: p, .. }, V::File { class: b, position: q, .. }) => a == b && p == q,
            (V::Array { dtype: a, shape: s, .. }, V::Array { dtype: b, shape: t, .. }) => a == b && s == t,
            // What it was nobody knows, but what it was like, and which others were the same.
            (V::Secret { kind: a, ordinal, look: l }, V::Secret { kind: b, look: m, .. }) => {
                a == b && l.zip(*m).is_none_or(|(l, m)| l == m) && self.pair_secret(*ordinal, new)
            }
            // When a call is made again, something else stands there.
            (V::Secret { ordinal, look, .. }, other) => secret::stands_for(other, *look) && self.pair_secret(*ordinal, other),
            (other, V::Secret { ordinal, look, .. }) => {
                (secret::stands_for(other, *look) || secret::was_kept(other, *ordinal, *look))
                    && self.pair_secret(*ordinal, other)
            }
            (V::Str(a), V::Str(b)) => a == b || secret::unnumbered(a).is_some_and(|a| secret::unnumbered(b) == Some(a)),
            (V::Bytes(a), V::Bytes(b)) => {
                a == b || secret::unnumbered_bytes(a).is_some_and(|a| secret::unnumbered_bytes(b) == Some(a))
            }
            (V::Cut { ty: a, length: l, hash: g, .. }, V::Cut { ty: b, length: m, hash: h, .. }) => {
                // A recording has no time to hash what is large.
                a == b && l == m && (g == h || g.is_empty() || h.is_empty())
            }
            _ => old == new,
        }
    }
}

/// Tells whether parts are a list of pairs of a name and a value, as headers are kept.
fn reads_like_a_dict(parts: &[(Step, &Value)]) -> bool {
    parts.iter().all(|(step, value)| matches!(step, Step::Index(_)) && named(value).is_some())
}

/// Gives the parts of a pair of a name and a value.
fn named(pair: &Value) -> Option<(&Value, &Value)> {
    let Value::Tuple(parts) = pair else { return None };
    match parts.as_slice() {
        [name @ Value::Str(_), value] => Some((name, value)),
        _ => None,
    }
}

/// Tells whether a pair lies in a dict under its own name, whatever its letters' case: `{'location': ('Location', '/')}`.
fn is_keyed_by(step: &Step, name: &Value) -> bool {
    matches!(step, Step::Key(key) if key.eq_ignore_ascii_case(&name.summary(NAME_MAX)))
}

/// Whether a part is the status of a request or a process: a difference in it comes first.
fn says_how_it_ended(step: &Step) -> bool {
    let Step::Field(name) = step else { return false };
    matches!(name.trim_start_matches('_'), "status" | "status_code" | "returncode" | "exit_code")
}

/// Tells whether a part says how large another one is, or is its hash: it is told only if nothing else differs.
fn follows_from_others(step: &Step) -> bool {
    const FOLLOWING: [&str; 7] = ["contentlength", "contentmd5", "etag", "length", "nbytes", "size", "checksum"];
    let (Step::Key(name) | Step::Field(name)) = step else { return false };
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    FOLLOWING.contains(&letters.to_ascii_lowercase().as_str())
}

fn way(path: &[Step]) -> String {
    path.iter().map(ToString::to_string).collect()
}

/// Tells whether two steps lead to the same part. A dict's key can hold objects, and how these are numbered says nothing; the value
/// of a key comes after the key.
fn same_step((step, a): (&Step, &Value), (other, b): (&Step, &Value)) -> bool {
    match (step, other) {
        (Step::KeyItself(_), Step::KeyItself(_)) => step == other || a.same_as(b),
        (Step::Key(_), Step::Key(_)) => true,
        _ => step == other,
    }
}

/// Finds the first part that only one of two values has, where their parts begin to be others; `None` when they only stand
/// in another order.
fn uneven<'a>(olds: &[(Step, &'a Value)], news: &[(Step, &'a Value)]) -> Option<(Step, Option<&'a Value>, Option<&'a Value>)> {
    let in_both = |step: &Step| [olds, news].iter().all(|parts| parts.iter().any(|(other, _)| other == step));
    let ((step, _), is_old) = match (olds.first(), news.first()) {
        (Some(old), _) if !in_both(&old.0) => (old, true),
        (_, Some(new)) if !in_both(&new.0) => (new, false),
        _ => return None,
    };
    // Of a dict's entry the value is told.
    let step = if let Step::KeyItself(key) = step { Step::Key(key.clone()) } else { step.clone() };
    let parts = if is_old { olds } else { news };
    let value = parts.iter().find(|(other, _)| *other == step).map(|(_, value)| *value);
    Some(if is_old { (step, value, None) } else { (step, None, value) })
}

/// Made of texts and whole numbers only.
fn is_one(value: &Value) -> bool {
    value.children().iter().all(|(_, part)| matches!(part, Value::Str(_) | Value::Int(_) | Value::None | Value::Bool(_)))
}

fn same_float(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn same_members(a: &[Value], b: &[Value]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut left: Vec<&Value> = b.iter().collect();
    a.iter().all(|item| {
        left.iter().position(|other| item.same_as(other)).is_some_and(|at| {
            left.swap_remove(at);
            true
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::samples::object;
    use crate::domain::value::TypeName;

    #[test]
    fn the_first_difference_has_its_path() {
        let cart = |ordinal, price: i64| object(ordinal, vec![("items", Value::List(vec![Value::Int(1), Value::Int(price)]))]);
        assert_eq!(cart(1, 5).first_difference(&cart(9, 5)), None, "numbering does not matter");
        let difference = cart(1, 5).first_difference(&cart(1, 6));
        assert_eq!(difference.map(|d| (d.path, d.new)), Some((".items[1]".into(), Some(Value::Int(6)))));
        let longer = Value::List(vec![Value::Int(1), Value::Int(2)]);
        let shorter = Value::List(vec![Value::Int(1)]);
        assert_eq!(
            shorter.first_difference(&longer).map(|d| (d.path, d.old, d.new)),
            Some(("[1]".into(), None, Some(Value::Int(2))))
        );
    }

    #[test]
    fn how_a_request_ended_is_told_before_what_follows_from_it() {
        let answer = |status: &str, code, kind: &str| {
            let headers = Value::List(vec![Value::Tuple(vec![Value::Str("Content-Type".into()), Value::Str(kind.into())])]);
            object(1, vec![("headers", headers), ("_status", Value::Str(status.into())), ("_status_code", Value::Int(code))])
        };
        let found = answer("401 UNAUTHORIZED", 401, "text/html").first_difference(&answer("403 FORBIDDEN", 403, "text/plain"));
        assert_eq!(found.map(|d| (d.path, d.new)), Some(("._status".into(), Some(Value::Str("403 FORBIDDEN".into())))));
        let same = answer("200 OK", 200, "text/html").first_difference(&answer("200 OK", 200, "text/plain"));
        assert_eq!(same.map(|d| d.path), Some(".headers['Content-Type']".into()));
    }

    #[test]
    fn what_only_one_of_two_values_has_is_named() {
        let state = |names: &[&str]| object(1, names.iter().map(|name| (*name, Value::Bool(true))).collect());
        let found = |old: &[&str], new: &[&str]| state(old).first_difference(&state(new)).map(|d| (d.path, d.old, d.new));
        let yes = || Some(Value::Bool(true));
        assert_eq!(found(&["a", "c"], &["a", "b", "c"]), Some((".b".into(), None, yes())));
        assert_eq!(found(&["a", "b", "c"], &["a", "c"]), Some((".b".into(), yes(), None)));
        assert_eq!(found(&["a"], &["a", "b"]), Some((".b".into(), None, yes())));
        let dict = |keys: &[&str]| Value::Dict(keys.iter().map(|key| (Value::Str((*key).into()), Value::Int(1))).collect());
        let added = dict(&["a", "c"]).first_difference(&dict(&["a", "b", "c"])).map(|d| (d.path, d.old, d.new));
        assert_eq!(added, Some(("['b']".into(), None, Some(Value::Int(1)))));
        let by_object = |ordinal, count| {
            let ty = TypeName::new("builtins", "object");
            Value::Dict(vec![(Value::Tuple(vec![Value::Opaque { ordinal, ty }]), Value::Int(count))])
        };
        assert_eq!(by_object(5, 1).first_difference(&by_object(9, 1)), None, "numbering does not matter in keys");
        assert_eq!(by_object(5, 1).first_difference(&by_object(9, 2)).map(|d| d.new), Some(Some(Value::Int(2))));
        let turned = dict(&["a", "b"]).first_difference(&dict(&["b", "a"])).map(|d| (d.path, d.new));
        assert_eq!(turned, Some((String::new(), Some(dict(&["b", "a"])))));
    }

    #[test]
    fn a_decimal_differs_as_a_whole() {
        let decimal = |text: &str| Value::New {
            ty: TypeName::new("decimal", "Decimal"),
            args: vec![Value::Str(text.into())],
            kwargs: vec![],
        };
        let list = |text: &str| Value::List(vec![decimal(text)]);
        assert_eq!(list("1").first_difference(&list("1")), None);
        assert_eq!(list("1").first_difference(&list("1.0")).map(|d| (d.path, d.new)), Some(("[0]".into(), Some(decimal("1.0")))));
    }

    #[test]
    fn equality_is_by_type_and_bits() {
        assert!(Value::Bool(true).first_difference(&Value::Int(1)).is_some());
        assert!(Value::Float(0.0).first_difference(&Value::Float(-0.0)).is_some());
        assert!(Value::Float(f64::NAN).first_difference(&Value::Float(f64::NAN)).is_none());
        let set = |items: &[i64]| Value::Set(items.iter().map(|n| Value::Int(*n)).collect());
        assert!(set(&[1, 2]).first_difference(&set(&[2, 1])).is_none());
        assert!(Value::List(vec![Value::Ref(1)]).first_difference(&Value::List(vec![Value::Ref(1)])).is_none());
    }

    #[test]
    fn a_header_is_told_by_its_name_and_before_a_length_that_follows_from_it() {
        let response = |length: &str, location: &str| {
            let pair = |name: &str, value: &str| Value::Tuple(vec![Value::Str(name.into()), Value::Str(value.into())]);
            let headers =
                object(2, vec![("_list", Value::List(vec![pair("Content-Length", length), pair("Location", location)]))]);
            object(1, vec![("size", Value::Int(location.len() as i64)), ("headers", headers)])
        };
        let told = |one: &Value, other: &Value| one.first_difference(other).map(|found| (found.path, found.new));
        let moved = told(&response("189", "/"), &response("209", "/auth"));
        assert_eq!(moved, Some((".headers['Location']".into(), Some(Value::Str("/auth".into())))));
        let longer = told(&response("189", "/"), &response("190", "/"));
        assert_eq!(
            longer,
            Some((".headers['Content-Length']".into(), Some(Value::Str("190".into())))),
            "if nothing else differs"
        );
        let stored = |location: &str| {
            let pair = Value::Tuple(vec![Value::Str("Location".into()), Value::Str(location.into())]);
            let store = Value::Dict(vec![(Value::Str("location".into()), pair)]);
            object(1, vec![("headers", object(2, vec![("_store", store)]))])
        };
        let moved = told(&stored("/"), &stored("/new"));
        assert_eq!(moved, Some((".headers['Location']".into(), Some(Value::Str("/new".into())))), "kept under its name");
        let grid = |last: i64| Value::List(vec![Value::Tuple(vec![Value::Int(1), Value::Int(last)])]);
        assert_eq!(told(&grid(1), &grid(2)), Some(("[0][1]".into(), Some(Value::Int(2)))), "numbers name nothing");
    }
}
