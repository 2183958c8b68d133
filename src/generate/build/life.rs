//! R11: objects by their recorded life, or by that of one that came out the same: how it was made, and what changed it since.

use crate::domain::call::{Argument, Call, Outcome};
use crate::domain::difference::same_fields;
use crate::domain::function::FunctionKind;
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::act::{self, Act};
use crate::generate::agree;
use crate::generate::build::object::is_seen_in_part;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout::{Expr, Item};
use crate::generate::learned::Form;
use crate::generate::project::Lookup;
use crate::generate::scope::{is_identifier, snake};
use crate::generate::statement::Statement;

/// R11: an object whose life takes more lines than this is no setup that anybody reads.
const LIFE_MAX: usize = 8;
/// In longer lives nobody looks for what was taken back.
const DETOURS_MAX: usize = 30;
/// So many makings of objects like one are compared.
pub(super) const LIKE_MAX: usize = 12;
/// An object of which more fields than this have to be set is not what its class makes.
const SET_MAX: usize = 5;

/// How an object is made before attributes are set on it.
enum Start<'s> {
    /// By a recorded call of its constructor.
    Recorded(&'s Call),
    /// By a call that was tried.
    Tried(&'s Form),
    /// Without arguments.
    Nothing,
}

impl<'a> Builder<'a, '_> {
    /// Writes an object by its recorded life, or by that of one that came out the same.
    pub(super) fn lived(&mut self, ordinal: u64, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        if self.expecting.is_some() {
            return Ok(None);
        }
        if let Some(expr) = self.attempt(|builder| builder.provenance(ordinal, ty))? {
            return Ok(Some(expr));
        }
        if is_seen_in_part(fields)
            && let Some(expr) = self.attempt(|builder| builder.like_another(ordinal, ty))?
        {
            return Ok(Some(expr));
        }
        let mut births: Vec<&Call> = self.births(ty).into_iter().filter(|call| bears(call, ty, fields)).collect();
        // The shortest way to say it; equal inputs are counted and not kept, so this is often the object's own.
        births.sort_by_key(|call| (call.arguments(usize::MAX).len(), call.id));
        let Some(birth) = births.first() else {
            let made = self.attempt(|builder| builder.like_another(ordinal, ty))?;
            return if made.is_some() { Ok(made) } else { self.born_with(ty, fields) };
        };
        self.attempt(|builder| {
            let items = builder.birth_arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Writes what is expected as it was made when it came out the same, where that takes nothing but numbers and texts.
    pub(super) fn as_born(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        let is_plain = |arg: &Argument| matches!(arg.value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Str(_));
        let born = |call: &&Call| call.args.iter().skip(1).all(is_plain) && bears(call, ty, fields);
        let births = self.births(ty).into_iter().filter(born);
        let Some(birth) = births.min_by_key(|call| (call.arguments(usize::MAX).len(), call.id)) else { return Ok(None) };
        self.attempt(|builder| {
            let items = builder.birth_arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Makes an object of which the making was no new input and so was only counted: by the call that made one like it, and
    /// what was done with this one.
    fn like_another(&mut self, ordinal: u64, ty: &TypeName) -> Result<Expr, Stop> {
        let history = (self.project.history)(self.call, ordinal);
        let unknown = || no(ReasonCode::ConstructionNotRecorded.of(ty.short()));
        if history.iter().any(|call| is_birth(call) && call.receiver == Some(ordinal)) {
            return unknown();
        }
        let life = outermost(&history, self.call);
        let begun = life.first().copied().unwrap_or(self.call);
        let Some(begun) = begun.args.iter().map(|arg| &arg.value).find(|value| is_object(value, ordinal)) else {
            return unknown();
        };
        let is_alike = |birth: &&Call| after_birth(birth).is_some_and(|made| agree::agrees(made, begun));
        let mut makings = Vec::new();
        for birth in self.births(ty).into_iter().filter(is_alike).take(LIKE_MAX) {
            let before = self.work.clone();
            if let Ok(items) = self.birth_arguments(birth) {
                makings.push((Expr::call_with("", items).flat().len(), birth));
            }
            self.work = before;
        }
        let Some((_, birth)) = makings.into_iter().min_by_key(|(length, birth)| (*length, birth.id)) else { return unknown() };
        self.life(ordinal, ty, &life, |builder| {
            let items = builder.birth_arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// R11, the last resort: makes an object by a recorded `__init__`, and sets the few fields that are others since.
    pub(super) fn set_field_by_field(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        fields: &[(String, Value)],
    ) -> Result<Option<Expr>, Stop> {
        if self.expecting.is_some() {
            return Ok(None);
        }
        let own = (self.project.history)(self.call, ordinal).into_iter().filter(|call| is_birth(call)).take(1);
        let others = self.births(ty).into_iter();
        // The one with the least to set; its own comes first.
        let mut found: Option<(Start<'_>, Vec<&(String, Value)>)> = None;
        let born = own.chain(others).filter_map(|birth| Some((Start::Recorded(birth), after_birth(birth)?)));
        let tried = self.project.learned.starts(ty).iter().map(|(form, made)| (Start::Tried(form), made));
        for (start, begun) in born.chain(tried) {
            let Value::Object { ty: made, fields: begun, .. } = begun else { continue };
            let differs =
                |(name, value): &&(String, Value)| !begun.iter().any(|(known, before)| known == name && before.same_as(value));
            let set: Vec<&(String, Value)> = fields.iter().filter(differs).collect();
            let kept = begun.iter().all(|(name, _)| fields.iter().any(|(known, _)| known == name));
            let fewer = found.as_ref().is_none_or(|(_, least)| set.len() < least.len());
            if made == ty && kept && set.len() <= SET_MAX && fewer {
                found = Some((start, set));
            }
        }
        let (start, set) = match found {
            Some(found) => found,
            // What has no constructor holds nothing at first.
            None if matches!(self.project.method(ty, "__init__"), Lookup::Missing) => (Start::Nothing, fields.iter().collect()),
            None => return Ok(None),
        };
        // One that came out the same is made without this.
        if set.is_empty() || set.len() > SET_MAX {
            return Ok(None);
        }
        self.attempt(|builder| {
            let made = match start {
                Start::Recorded(birth) => {
                    let items = builder.birth_arguments(birth)?;
                    Expr::call_with(&builder.spell(ty)?, items)
                }
                Start::Tried(form) => builder.by_form(ty, form)?,
                Start::Nothing => Expr::call(&builder.spell(ty)?, Vec::new()),
            };
            let name = builder.bind_object(ordinal, &snake(ty.short()), made);
            let rest = builder.finish_future(&name, ty, set)?;
            rest.into_iter().try_for_each(|(field, value)| builder.set_field(&name, field, value))?;
            Ok(Expr::Atom(name))
        })
    }

    /// Lets a future have its result by the method for it, in place of the fields that this sets; gives the others.
    fn finish_future<'f>(
        &mut self,
        name: &str,
        ty: &TypeName,
        set: Vec<&'f (String, Value)>,
    ) -> Result<Vec<&'f (String, Value)>, Stop> {
        let is_future = self.project.class(ty).is_some_and(|(_, class)| class.bases.iter().any(|base| base.ends_with("Future")));
        let held = |wanted: &str| set.iter().find(|(field, _)| field == wanted).map(|(_, value)| value);
        if !is_future || held("_state") != Some(&Value::Str("FINISHED".into())) {
            return Ok(set);
        }
        let (method, value) = match held("_exception") {
            Some(error) if *error != Value::None => ("set_exception", error),
            _ => ("set_result", held("_result").unwrap_or(&Value::None)),
        };
        let value = self.value(value, "value")?;
        self.work.setup.push(Statement::run(Expr::call(&format!("{name}.{method}"), vec![value])));
        Ok(set.into_iter().filter(|(field, _)| !matches!(field.as_str(), "_state" | "_result" | "_exception")).collect())
    }

    /// Makes an object by a call, and sets what was set on it since.
    pub(super) fn made_and_set(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        made: &Value,
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        if self.expecting.is_some() {
            return self.again(ordinal);
        }
        if fields.len() > SET_MAX {
            return no(ReasonCode::ExtraAttributes.of(ty.short()));
        }
        let made = self.value(made, "value")?;
        if fields.is_empty() {
            return Ok(made);
        }
        let name = self.bind_object(ordinal, &snake(ty.short()), made);
        fields.iter().try_for_each(|(field, value)| self.set_field(&name, field, value))?;
        Ok(Expr::Atom(name))
    }

    /// Makes a collection of a class of its own by its constructor, and puts its content in as people do.
    pub(super) fn made_and_filled(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        content: &Value,
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        let is_empty = match content {
            Value::Dict(pairs) if pairs.len() <= SET_MAX => pairs.is_empty(),
            Value::List(items) => items.is_empty(),
            _ => return no(ReasonCode::ExtraAttributes.of(ty.short())),
        };
        let made = self.by_constructor(ty, fields)?;
        if is_empty {
            return Ok(made);
        }
        let name = self.bind_object(ordinal, &snake(ty.short()), made);
        if let Value::Dict(pairs) = content {
            for (key, value) in pairs {
                let (key, value) = (self.value(key, "key")?, self.value(value, "value")?);
                let same = format!("{name}.__setitem__({}, {})", key.flat(), value.flat());
                self.work.setup.push(Statement::assign(&format!("{name}[{}]", key.flat()), value, same));
            }
        } else {
            let items = self.value(content, "value")?;
            self.work.setup.push(Statement::run(Expr::call(&format!("{name}.extend"), vec![items])));
        }
        Ok(Expr::Atom(name))
    }

    /// Sets a field of an object that has a name.
    pub(super) fn set_field(&mut self, name: &str, field: &str, value: &Value) -> Result<(), Stop> {
        if !is_identifier(field) {
            return no(ReasonCode::InvalidName.of(field));
        }
        let value = self.value(value, field)?;
        self.work.by_hand += usize::from(field.starts_with('_'));
        let same = format!("setattr({name}, \"{field}\", {})", value.flat());
        self.work.setup.push(Statement::assign(&format!("{name}.{field}"), value, same));
        Ok(())
    }

    /// R11: makes an object by its recorded `__init__` call and the later calls that changed it.
    pub(super) fn provenance(&mut self, ordinal: u64, ty: &TypeName) -> Result<Expr, Stop> {
        let history = (self.project.history)(self.call, ordinal);
        // What `__new__` did before is no line of a test.
        let own = |call: &&Call| is_birth(call) && call.receiver == Some(ordinal);
        let first = history.iter().position(own).unwrap_or(0);
        let life = outermost(&history[first..], self.call);
        let Some((birth, later)) = life.split_first() else {
            return no(ReasonCode::ConstructionNotRecorded.of(ty.short()));
        };
        if birth.function.qualname().ends_with(".__post_init__") {
            return self.life(ordinal, ty, later, |builder| builder.before_post_init(ty, birth));
        }
        if !birth.function.qualname().ends_with(".__init__") || !matches!(birth.effect.outcome, Outcome::Returned(_)) {
            return no(ReasonCode::ConstructionNotRecorded.of(ty.short()));
        }
        self.life(ordinal, ty, later, |builder| {
            let items = builder.birth_arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Writes a dataclass with the fields it had, and what it gave, when its `__post_init__` began.
    fn before_post_init(&mut self, ty: &TypeName, birth: &Call) -> Result<Expr, Stop> {
        let Some((receiver, given)) = birth.args.split_first() else { return no(ReasonCode::UnsupportedHistory.of(ty.short())) };
        let Value::Object { kind, fields, .. } = &receiver.value else {
            return no(ReasonCode::UnsupportedHistory.of(ty.short()));
        };
        let mut items = match self.fields(ty, *kind, fields)? {
            Expr::Bracket { items, .. } => items,
            _ => Vec::new(),
        };
        for arg in given {
            items.push(Item::keyword(&arg.name, self.value(&arg.value, &arg.name)?));
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Lists the recorded constructors of objects of a class: its own, or those that it inherits.
    pub(super) fn births(&self, ty: &TypeName) -> Vec<&'a Call> {
        let Lookup::Found(init) = self.project.method(ty, "__init__") else { return (self.project.births)(ty) };
        let Some(class) = init.id.qualname().strip_suffix(".__init__") else { return Vec::new() };
        let is_one = |call: &&Call| matches!(call.args.first(), Some(Argument { value: Value::Object { ty: made, .. }, .. }) if made == ty);
        (self.project.births)(&TypeName::new(init.id.module(), class)).into_iter().filter(is_one).collect()
    }

    /// Lets happen to a made object what happened to it since; gives its name.
    pub(super) fn life_of(&mut self, ordinal: u64, ty: &TypeName, made: Expr, history: &[&'a Call]) -> Result<String, Stop> {
        let later = outermost(history, self.call);
        self.life(ordinal, ty, &later, |_| Ok(made)).map(|expr| expr.flat())
    }

    /// Makes an object and lets happen to it what happened.
    fn life(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        later: &[&'a Call],
        make: impl FnOnce(&mut Self) -> Result<Expr, Stop>,
    ) -> Result<Expr, Stop> {
        let is_change = |call: &&Call| match call.receiver == Some(ordinal) {
            true => changes_receiver(call) && !self.only_fills_caches(call),
            false => changes_unseen(call, ordinal),
        };
        let mut changes = without_detours(later.iter().copied().filter(is_change).collect(), ordinal);
        if changes.len() >= LIFE_MAX {
            // What was asked for may have changed nothing that matters.
            changes.retain(|call| matches!(call.effect.outcome, Outcome::Returned(Value::None)));
        }
        if changes.len() >= LIFE_MAX {
            return no(ReasonCode::HistoryTooLong.of(ty.short()).with(changes.len()));
        }
        let made = make(self)?;
        let name = self.bind_object(ordinal, &snake(ty.short()), made);
        for call in changes {
            if call.receiver != Some(ordinal) {
                // Nobody saw what it did, so it may do without.
                if let Some(told) = self.attempt(|builder| builder.made_by(call, &call.args))? {
                    self.work.setup.push(Statement::run(told));
                }
                continue;
            }
            let statement = self.step(&name, ty, call)?;
            self.work.setup.push(statement);
        }
        Ok(Expr::Atom(name))
    }

    /// Tells whether all that a call changed in its receiver is what cached properties keep.
    fn only_fills_caches(&self, call: &Call) -> bool {
        let Some(receiver) = call.args.first() else { return false };
        let after = call.effect.changed.iter().find(|(name, _)| *name == receiver.name).map(|(_, after)| after);
        after.is_some_and(|after| self.project.is_the_same(&receiver.value, after))
    }

    /// Writes one call of an object's life.
    fn step(&mut self, name: &str, ty: &TypeName, call: &Call) -> Result<Statement, Stop> {
        let qualname = call.function.qualname();
        let found = self.project.function(&TypeName::new(call.function.module(), qualname));
        let Some(function) =
            found.filter(|f| matches!(f.kind, FunctionKind::Method | FunctionKind::Property) && !f.is_async && !f.is_generator)
        else {
            return no(ReasonCode::UnsupportedHistory.of(ty.short()).with(qualname));
        };
        let items = self.arguments(call)?;
        match act::method(function, name, items)? {
            Act::Value(expr) => Ok(Statement::run(expr)),
            Act::Statement(statement) => Ok(statement),
            Act::Construct(_) => no(ReasonCode::UnsupportedHistory.of(ty.short())),
        }
    }
}

/// The calls of an object that were not made from inside another one of them, ended before `call` began.
fn outermost<'a>(history: &[&'a Call], call: &Call) -> Vec<&'a Call> {
    let end = |call: &Call| call.start_ns.saturating_add(call.duration_ns);
    let mut out: Vec<&'a Call> = Vec::new();
    for &step in history {
        let inside =
            out.iter().any(|outer| outer.start_ns <= step.start_ns && end(step) <= end(outer) && outer.thread == step.thread);
        if step.id != call.id && !inside && end(step) <= call.start_ns {
            out.push(step);
        }
    }
    out
}

/// Gives what a call of `__init__` left of its receiver.
pub(super) fn after_birth(call: &Call) -> Option<&Value> {
    let receiver = call.args.first()?;
    let returned = matches!(call.effect.outcome, Outcome::Returned(_));
    call.effect.changed.iter().find(|(name, _)| returned && *name == receiver.name).map(|(_, after)| after)
}

/// Tells whether a call of `__init__` left an object of this state.
fn bears(call: &Call, wanted: &TypeName, held: &[(String, Value)]) -> bool {
    matches!(after_birth(call), Some(Value::Object { ty, fields, .. }) if ty == wanted && same_fields(fields, held))
}

fn is_birth(call: &Call) -> bool {
    let name = call.function.qualname();
    name.ends_with(".__init__") || name.ends_with(".__post_init__")
}

/// Tells whether a call changed its receiver, or may have done so where its receiver was not seen whole.
fn changes_receiver(call: &Call) -> bool {
    let (Some(receiver), Outcome::Returned(value)) = (call.args.first(), &call.effect.outcome) else { return false };
    let unseen = *value == Value::None && agree::is_partial(&receiver.value);
    unseen || call.effect.changed.iter().any(|(name, _)| *name == receiver.name)
}

/// Tells whether a call of something else changed an object of which not all can be seen.
fn changes_unseen(call: &Call, ordinal: u64) -> bool {
    let given = call.args.iter().find(|arg| is_object(&arg.value, ordinal));
    given.is_some_and(|arg| agree::is_partial(&arg.value) && call.effect.changed.iter().any(|(name, _)| *name == arg.name))
}

/// Leaves out runs of calls at whose end their receiver was again what it was before the first of them.
fn without_detours(changes: Vec<&Call>, ordinal: u64) -> Vec<&Call> {
    if changes.len() > DETOURS_MAX {
        return changes;
    }
    let mut kept = Vec::new();
    let mut at = 0;
    while at < changes.len() {
        match (at..changes.len()).rev().find(|to| comes_back(changes[at], changes[*to], ordinal)) {
            Some(to) => at = to + 1,
            None => {
                kept.push(changes[at]);
                at += 1;
            }
        }
    }
    kept
}

/// Tells whether the receiver of two calls was after the last what it was before the first, as far as all of it was seen.
fn comes_back(first: &Call, last: &Call, ordinal: u64) -> bool {
    if first.receiver != Some(ordinal) || last.receiver != Some(ordinal) {
        return false;
    }
    let (Some(before), Some(after)) = (first.args.first(), last.effect.changed.iter().find(|(name, _)| is_first(last, name)))
    else {
        return false;
    };
    let whole = before.value.walk(&mut |part| !matches!(part, Value::Cut { .. } | Value::Opaque { .. } | Value::Secret { .. }));
    whole && before.value.same_as(&after.1)
}

fn is_first(call: &Call, name: &str) -> bool {
    call.args.first().is_some_and(|arg| arg.name == name)
}

fn is_object(value: &Value, wanted: u64) -> bool {
    matches!(value, Value::Object { ordinal, .. } if *ordinal == wanted)
}
