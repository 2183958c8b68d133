//! What all recorded calls together tell of classes: which private fields only keep what was computed once, and how objects
//! are made from what they say of themselves.
//!
//! Whoever gathers calls shows them here; what objects say is asked in the sandbox, by the engine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::call::{Call, Outcome};
use crate::domain::likeness;
use crate::domain::parts;
use crate::domain::value::{TypeName, Value};
use crate::generate::serial::Serials;

/// Numbers of the objects among the arguments of forms: the recorder's own do not reach so far.
const FORMS_FROM: u64 = 1 << 48;
/// So many numbers has each form.
const OBJECTS_MAX: u64 = 1 << 16;

/// So many ways are kept to make an object of a class that was met otherwise.
const STARTS_MAX: usize = 3;

/// What was learned of classes.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    /// Private fields that were empty and then held something, after a call that was given no more than objects to ask and
    /// gave an answer.
    filled: HashMap<TypeName, BTreeSet<String>>,
    /// Fields that came to hold something else in any other way.
    altered: HashMap<TypeName, BTreeSet<String>>,
    /// By class and [`likeness`].
    forms: HashMap<TypeName, HashMap<u64, Vec<(Value, Form)>>>,
    /// Ways to make an object of a class that was met otherwise, each with what it makes.
    starts: HashMap<TypeName, Vec<(Form, Value)>>,
    /// How many there are.
    told: u64,
    /// Whether `==` of a class looks at a field, where that was tried.
    compared: HashMap<TypeName, BTreeMap<String, bool>>,
    /// Fields that number objects in the order of their making.
    serials: Serials,
    /// Fields that keep what a cached property computed, of classes whose text is not known.
    cached: HashMap<TypeName, BTreeSet<String>>,
    /// Which fields of classes only keep what was computed once, as far as somebody asked.
    caches: Arc<Mutex<HashMap<TypeName, HashMap<String, bool>>>>,
}

/// The arguments that make an object: data without objects of the project in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// By their position.
    pub args: Vec<Value>,
    /// By their names.
    pub kwargs: Vec<(String, Value)>,
}

impl Learned {
    /// Gives what was found of a field of a class, or finds it: the same until another call is seen.
    pub fn remembered(&self, ty: &TypeName, field: &str, find: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.caches.lock().get(ty).and_then(|fields| fields.get(field)) {
            return *known;
        }
        let found = find();
        self.caches.lock().entry(ty.clone()).or_default().insert(field.to_owned(), found);
        found
    }

    /// Notes which fields a call filled, and which it altered.
    pub fn see(&mut self, call: &Call) {
        self.caches = Arc::default();
        if call.effect.changed.is_empty() {
            return;
        }
        // What is given to a call may be what it keeps: then that is state, whatever it answers.
        let asks = call.args.iter().skip(1).all(|arg| matches!(arg.value, Value::Object { .. } | Value::Ref(_)));
        let answer = match &call.effect.outcome {
            Outcome::Returned(value) if asks && *value != Value::None => Some(value),
            _ => None,
        };
        let before = objects(call.args.iter().map(|arg| &arg.value));
        for (ordinal, (ty, fields)) in objects(call.effect.changed.iter().map(|(_, after)| after)) {
            let Some((_, old)) = before.get(&ordinal) else { continue };
            let held = |name: &str| old.iter().find(|(known, _)| known == name).map_or(&Value::None, |(_, value)| value);
            let others = fields.iter().filter(|(name, value)| !held(name).same_as(value));
            let (filled, altered): (Vec<_>, Vec<_>) =
                others.partition(|(name, _)| name.starts_with('_') && *held(name) == Value::None);
            // A yes or no says how it went: what else was filled is what the call is for, as in `is_valid()`.
            let is_told =
                |answer: &Value| !matches!(answer, Value::Bool(_)) || filled.iter().all(|(_, held)| held.same_as(answer));
            let only_fills = altered.is_empty() && answer.is_some_and(|answer| !is_object(answer, ordinal) && is_told(answer));
            // What is emptied when something else changes was computed from it.
            let changes = altered.iter().any(|(_, value)| *value != Value::None);
            let altered = altered.into_iter().filter(|(_, value)| !changes || *value != Value::None);
            self.altered.entry(ty.clone()).or_default().extend(altered.map(|(name, _)| name.clone()));
            if only_fills {
                self.filled.entry(ty.clone()).or_default().extend(filled.into_iter().map(|(name, _)| name.clone()));
            }
        }
    }

    /// Tells whether a field of a class was seen to keep what a call computed, and nothing else.
    #[must_use]
    pub fn is_filled_later(&self, ty: &TypeName, field: &str) -> bool {
        let holds = |of: &HashMap<TypeName, BTreeSet<String>>| of.get(ty).is_some_and(|fields| fields.contains(field));
        holds(&self.filled) && !holds(&self.altered)
    }

    /// Notes fields of a class that keep what a cached property computed.
    pub fn cache(&mut self, ty: &TypeName, fields: impl IntoIterator<Item = String>) {
        self.cached.entry(ty.clone()).or_default().extend(fields);
        self.caches = Arc::default();
    }

    /// Tells whether a field of a class was found to keep what a cached property computed.
    #[must_use]
    pub fn is_cached(&self, ty: &TypeName, field: &str) -> bool {
        self.cached.get(ty).is_some_and(|fields| fields.contains(field))
    }

    /// Notes which fields number objects in the order of their making.
    pub fn number(&mut self, serials: Serials) {
        self.serials = serials;
        self.caches = Arc::default();
    }

    /// Tells whether any field does.
    #[must_use]
    pub fn has_serials(&self) -> bool {
        !self.serials.is_empty()
    }

    /// Tells whether the constructor of a class was seen to number its objects by a field.
    #[must_use]
    pub fn is_serial(&self, ty: &TypeName, field: &str) -> bool {
        self.serials.get(ty).is_some_and(|fields| fields.contains(field))
    }

    /// Notes which fields of a class `==` looks at.
    pub fn compare(&mut self, ty: &TypeName, fields: impl IntoIterator<Item = (String, bool)>) {
        self.compared.entry(ty.clone()).or_default().extend(fields);
    }

    /// Tells whether `==` of a class does not look at a field, if that was tried.
    #[must_use]
    pub fn overlooks(&self, ty: &TypeName, field: &str) -> Option<bool> {
        self.compared.get(ty)?.get(field).map(|looks| !looks)
    }

    /// Tells whether any object is known to be made from what it says.
    #[must_use]
    pub fn has_forms(&self) -> bool {
        !self.forms.is_empty()
    }

    /// Notes how an object is made, of several ways the first that makes it as it was: `(its arguments, what they made)`.
    pub fn tell(&mut self, object: &Value, mut ways: Vec<(Form, Value)>, plain: impl Fn(&Value) -> Value) {
        let (Value::Object { ty, .. } | Value::Sub { ty, .. } | Value::Exception { ty, .. }) = object else { return };
        let object = plain(object);
        let found = ways.iter().position(|(_, made)| object.same_as(&plain(made)));
        let Some(at) = found else { return self.start(ty, ways) };
        let (mut form, _) = ways.swap_remove(at);
        // The sandbox numbers objects in its own way.
        let first = FORMS_FROM + self.told * OBJECTS_MAX;
        self.told += 1;
        for value in form.args.iter_mut().chain(form.kwargs.iter_mut().map(|(_, value)| value)) {
            parts::each(value, &mut |part| {
                if let Value::Object { ordinal, .. } | Value::Ref(ordinal) | Value::Shared(ordinal, _) = part {
                    *ordinal = first + *ordinal % OBJECTS_MAX;
                }
            });
        }
        let alike = self.forms.entry(ty.clone()).or_default().entry(likeness::of(&object)).or_default();
        alike.push((object, form));
    }

    /// Keeps ways that need no object: what they make can be set right, attribute by attribute.
    fn start(&mut self, ty: &TypeName, ways: Vec<(Form, Value)>) {
        let known = self.starts.entry(ty.clone()).or_default();
        for (form, made) in ways {
            let mut args = form.args.iter().chain(form.kwargs.iter().map(|(_, value)| value));
            let is_plain = args.all(|arg| arg.walk(&mut |part| part.ordinal().is_none()));
            if is_plain && known.len() < STARTS_MAX && known.iter().all(|(other, _)| *other != form) {
                known.push((form, made));
            }
        }
    }

    /// Lists ways to make an object of a class, each with what it makes.
    #[must_use]
    pub fn starts(&self, ty: &TypeName) -> &[(Form, Value)] {
        self.starts.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Gives how an object of this state is made, as far as it is known.
    #[must_use]
    pub fn form(&self, ty: &TypeName, plain: &Value) -> Option<&Form> {
        let alike = self.forms.get(ty)?.get(&likeness::of(plain))?;
        alike.iter().find(|(object, _)| object.same_as(plain)).map(|(_, form)| form)
    }
}

/// Tells whether a private field holds what `hash` gave: another number in each process, with texts in it.
#[must_use]
pub fn is_kept_hash(field: &str, value: &Value) -> bool {
    is_large(value) && field.starts_with('_') && field.to_ascii_lowercase().contains("hash")
}

/// Tells whether a value is a number such as `hash` gives of texts and of what holds some.
#[must_use]
pub fn is_large(value: &Value) -> bool {
    matches!(value, Value::Int(number) if number.unsigned_abs() > u64::from(u32::MAX))
}

/// What an object said of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// The ways to make it that were tried, each with what it made.
    pub ways: Vec<(Form, Value)>,
    /// Its fields that keep what a cached property computed.
    pub cached: Vec<String>,
}

/// Reads what an object said of itself as it comes from the sandbox: the ways to make it, `(positional, by name, what they made)`
/// each, and the names of cached properties.
#[must_use]
pub fn said(value: Value) -> Said {
    let Value::Tuple(parts) = value else { return Said::default() };
    let Ok([Value::List(ways), Value::List(cached)]) = <[Value; 2]>::try_from(parts) else { return Said::default() };
    let text = |name| if let Value::Str(name) = name { Some(name) } else { None };
    let read = |way| match way {
        Value::Tuple(parts) => match <[Value; 3]>::try_from(parts) {
            Ok([Value::Tuple(mut args), Value::Dict(mut named), made]) => {
                written_out(args.iter_mut().chain(named.iter_mut().map(|(_, value)| value)).collect());
                let name = |(name, value)| match name {
                    Value::Str(name) if is_data(&value) => Some((name, value)),
                    _ => None,
                };
                let kwargs = named.into_iter().map(name).collect::<Option<_>>()?;
                args.iter().all(is_data).then_some((Form { args, kwargs }, made))
            }
            _ => None,
        },
        _ => None,
    };
    Said { ways: ways.into_iter().filter_map(read).collect(), cached: cached.into_iter().filter_map(text).collect() }
}

/// Puts objects in the place of references to them, within the arguments of one call.
fn written_out(mut values: Vec<&mut Value>) {
    let mut known: HashMap<u64, Value> = HashMap::new();
    for value in &values {
        value.walk(&mut |part| {
            if let Value::Object { ordinal, .. } = part
                && is_data(part)
            {
                known.insert(*ordinal, part.clone());
            }
            true
        });
    }
    for value in &mut values {
        parts::each(value, &mut |part| {
            if let Value::Ref(ordinal) = part
                && let Some(object) = known.get(ordinal)
            {
                *part = object.clone();
            }
        });
    }
}

/// Tells whether a value can be written from what was told of it: no object that is known by its number alone.
fn is_data(value: &Value) -> bool {
    let mut data = true;
    value.walk(&mut |part| {
        data &= !matches!(part, Value::Ref(_) | Value::Opaque { .. } | Value::Cut { .. });
        data
    });
    data
}

fn is_object(value: &Value, wanted: u64) -> bool {
    matches!(value, Value::Object { ordinal, .. } | Value::Ref(ordinal) if *ordinal == wanted)
}

/// The class of an object, and its fields.
type State<'v> = (&'v TypeName, &'v [(String, Value)]);

/// Lists the objects in values, by their numbers.
fn objects<'v>(values: impl Iterator<Item = &'v Value>) -> BTreeMap<u64, State<'v>> {
    let mut found = BTreeMap::new();
    for value in values {
        value.walk(&mut |part| {
            if let Value::Object { ordinal, ty, fields, .. } = part {
                found.entry(*ordinal).or_insert((ty, fields.as_slice()));
            }
            true
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::FunctionId;
    use crate::domain::samples;
    use crate::domain::value::ObjectKind;

    fn ty() -> TypeName {
        TypeName::new("shop.cart", "Cart")
    }

    fn cart(fields: &[(&str, Value)]) -> Value {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Value::Object { ordinal: 1, ty: ty(), kind: ObjectKind::Plain, fields }
    }

    /// Learns from calls of a method: the object before and after each, and what it gave.
    fn learned(calls: &[(Value, Value, Value)]) -> Learned {
        let mut learned = Learned::default();
        for (before, after, given) in calls {
            let function = FunctionId::new("shop.cart", "Cart.total");
            let mut call = samples::call(function, &[("self", before.clone())], given.clone());
            call.effect.changed = vec![("self".to_owned(), after.clone())];
            learned.see(&call);
        }
        learned
    }

    /// R10: what a call computed once and keeps is no effect of it; what holds state is.
    #[test]
    fn a_private_field_is_a_cache_when_answers_fill_it_and_nothing_alters_it() {
        let key = |value: Value| cart(&[("_key", value)]);
        let (empty, one, two) = (key(Value::None), key(Value::Int(1)), key(Value::Int(2)));
        let answer = || Value::Int(7);
        let keeps = |calls: &[(Value, Value, Value)]| learned(calls).is_filled_later(&ty(), "_key");
        let filled = (empty.clone(), one.clone(), answer());
        assert!(keeps(std::slice::from_ref(&filled)));
        assert!(!keeps(&[(empty.clone(), one.clone(), Value::None)]), "it gave no answer, so that was what it is for");
        assert!(!keeps(&[(empty.clone(), one.clone(), Value::Ref(1))]), "it gave itself, so that was what it is for");
        assert!(!keeps(&[(empty.clone(), one.clone(), Value::Bool(true))]), "it says that it went well");
        assert!(keeps(&[(empty.clone(), key(Value::Bool(true)), Value::Bool(true))]), "what it says is what it keeps");
        assert!(!keeps(&[filled.clone(), (one.clone(), two, answer())]), "it goes on to something else");
        assert!(!keeps(&[filled.clone(), (one, empty, answer())]), "it is taken away by itself");
        let sized = |held: Value, size| cart(&[("_key", held), ("size", Value::Int(size))]);
        let reset = (sized(Value::Int(1), 1), sized(Value::None, 2), Value::None);
        assert!(keeps(&[filled, reset]), "what it was computed from changed");
        let public = learned(&[(cart(&[("key", Value::None)]), cart(&[("key", Value::Int(1))]), answer())]);
        assert!(!public.is_filled_later(&ty(), "key"), "others may look at it");
        let given = [("self", cart(&[])), ("to", Value::Int(1))];
        let mut call = samples::call(FunctionId::new("shop.cart", "Cart.rename"), &given, answer());
        call.effect.changed = vec![("self".to_owned(), key(Value::Int(1)))];
        let mut renamed = Learned::default();
        renamed.see(&call);
        assert!(!renamed.is_filled_later(&ty(), "_key"), "it keeps what it was given");
    }

    /// R3: of the ways that a text tells, the first that makes the same object is taken.
    #[test]
    fn an_object_is_made_by_what_its_text_tells_when_that_makes_the_same() {
        let form = |text: &str| Form { args: vec![Value::Str(text.into())], kwargs: Vec::new() };
        let made = |number| cart(&[("_size", Value::Int(number))]);
        let mut learned = Learned::default();
        learned.tell(&made(3), vec![(form("2"), made(2)), (form("3"), made(3)), (form("03"), made(3))], Value::clone);
        assert_eq!(learned.form(&ty(), &made(3)), Some(&form("3")));
        assert_eq!(learned.form(&ty(), &made(2)), None);
        let way = Value::Tuple(vec![Value::Tuple(vec![Value::Str("3".into())]), Value::Dict(Vec::new()), made(3)]);
        let cached = Value::List(vec![Value::Str("total".into())]);
        let told = said(Value::Tuple(vec![Value::List(vec![way, Value::None]), cached]));
        assert_eq!(told, Said { ways: vec![(form("3"), made(3))], cached: vec!["total".into()] });
        assert_eq!(said(Value::None), Said::default());
    }

    #[test]
    fn an_object_that_is_given_twice_is_written_out_twice_with_its_number() {
        let mark = cart(&[("at", Value::Int(1))]);
        let named = Value::Dict(vec![(Value::Str("end".into()), Value::Ref(1))]);
        let way = Value::Tuple(vec![Value::Tuple(vec![mark.clone()]), named, Value::None]);
        let ways = |way| said(Value::Tuple(vec![Value::List(vec![way]), Value::List(Vec::new())])).ways;
        let found = ways(way);
        assert_eq!(found[0].0, Form { args: vec![mark.clone()], kwargs: vec![("end".into(), mark)] });
        let lost = Value::Tuple(vec![Value::Tuple(vec![Value::Ref(9)]), Value::Dict(Vec::new()), Value::None]);
        assert_eq!(ways(lost), []);
    }

    #[test]
    fn a_kept_hash_is_large_private_and_named_so() {
        assert!(is_kept_hash("_hash", &Value::Int(-7_853_043_722_264_512_821)));
        for (field, number) in [("_hash", 12), ("hash", i64::MAX), ("_size", i64::MAX)] {
            assert!(!is_kept_hash(field, &Value::Int(number)), "{field} {number}");
        }
    }
}
