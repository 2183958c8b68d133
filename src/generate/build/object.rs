//! Objects of classes: by their constructor when their state shows it, by their recorded life otherwise.

use crate::domain::call::{Argument, Call, Outcome};
use crate::domain::function::{FunctionKind, Param, ParamKind};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::act::{self, Act};
use crate::generate::agree;
use crate::generate::build::{Builder, Statement, Stop, Way, no};
use crate::generate::layout::{Expr, Item};
use crate::generate::project::{Init, Lookup};
use crate::generate::scope::{is_identifier, snake};

/// R11: an object whose life takes more lines than this is no setup that anybody reads.
const LIFE_MAX: usize = 8;
/// In longer lives nobody looks for what was taken back.
const DETOURS_MAX: usize = 30;
/// So many makings of objects like one are compared.
const LIKE_MAX: usize = 12;
/// An object of which more fields than this have to be set is not what its class makes.
const SET_MAX: usize = 5;

impl<'a> Builder<'a, '_> {
    /// Writes an object by its state, or by its life.
    pub(super) fn object(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        kind: ObjectKind,
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        if ty.module == "types" && ty.qualname == "SimpleNamespace" {
            return self.generated(ty, ObjectKind::Dataclass, fields);
        }
        if kind != ObjectKind::Plain && !matches!(self.project.method(ty, "__init__"), Lookup::Found(_)) {
            return match self.generated(ty, kind, fields) {
                Err(Stop::No(reason)) if self.expecting.is_none() => match self.lived(ordinal, ty, fields)? {
                    Some(expr) => Ok(expr),
                    None => self.made_elsewhere(ordinal, ty)?.map_or(no(reason), Ok),
                },
                made => made,
            };
        }
        let shape = self.shape(ty, fields);
        let before = match self.way {
            // What was not seen of its state cannot tell how it was made.
            Way::State if is_seen_in_part(fields) => self.lived(ordinal, ty, fields)?,
            Way::State => None,
            Way::Life => self.lived(ordinal, ty, fields)?,
            Way::Origin => self.made_elsewhere(ordinal, ty)?,
            Way::Fields => self.set_field_by_field(ordinal, ty, fields)?,
        };
        if let Some(expr) = before {
            return Ok(expr);
        }
        if self.expecting.is_some()
            && self.keeps_something_else(ty, &shape)
            && let Some(expr) = self.as_born(ty, fields)?
        {
            return Ok(expr);
        }
        if let Ok(Shape { derived: false, .. }) = &shape
            && let Some(expr) = self.attempt(|builder| builder.constructor(ty, &shape))?
        {
            return Ok(expr);
        }
        if self.expecting.is_some() {
            return no(format!("{} cannot be written by its state", ty.short()));
        }
        if let Some(expr) = self.lived(ordinal, ty, fields)? {
            return Ok(expr);
        }
        if let Some(expr) = self.made_elsewhere(ordinal, ty)? {
            return Ok(expr);
        }
        // What is left may follow from the arguments; evaluating the expression tells.
        self.constructor(ty, &shape)
    }

    /// Writes an object by its recorded life, or by that of one that came out the same.
    fn lived(&mut self, ordinal: u64, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
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
        let wanted = Value::Object { ordinal: 0, ty: ty.clone(), kind: ObjectKind::Plain, fields: fields.to_vec() };
        let mut births: Vec<&Call> = (self.project.births)(ty).into_iter().filter(|call| bears(call, &wanted)).collect();
        // The shortest way to say it; equal inputs are counted and not kept, so this is often the object's own.
        births.sort_by_key(|call| (call.arguments(usize::MAX).len(), call.id));
        let Some(birth) = births.first() else {
            return self.attempt(|builder| builder.like_another(ordinal, ty));
        };
        self.attempt(|builder| {
            let items = builder.arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Tells whether a field that has the name of an argument was seen to hold another kind of value than was given for it, and
    /// never such a one: `self._offset = timedelta(minutes=offset)`.
    fn keeps_something_else(&self, ty: &TypeName, shape: &Result<Shape<'a, '_>, String>) -> bool {
        let Ok(shape) = shape else { return false };
        let births = (self.project.births)(ty);
        shape.kept.iter().any(|(param, kept)| {
            let mut given = births.iter().filter_map(|call| call.args.iter().find(|arg| arg.name == param.name)).peekable();
            given.peek().is_some() && given.all(|arg| std::mem::discriminant(&arg.value) != std::mem::discriminant(*kept))
        })
    }

    /// Writes what is expected as it was made when it came out the same, where that takes nothing but numbers and texts.
    fn as_born(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        let wanted = Value::Object { ordinal: 0, ty: ty.clone(), kind: ObjectKind::Plain, fields: fields.to_vec() };
        let is_plain = |arg: &Argument| matches!(arg.value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Str(_));
        let born = |call: &&Call| call.args.iter().skip(1).all(is_plain) && bears(call, &wanted);
        let births = (self.project.births)(ty).into_iter().filter(born);
        let Some(birth) = births.min_by_key(|call| (call.arguments(usize::MAX).len(), call.id)) else { return Ok(None) };
        self.attempt(|builder| {
            let items = builder.arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Makes an object of which the making was no new input and so was only counted: by the call that made one like it, and
    /// what was done with this one.
    fn like_another(&mut self, ordinal: u64, ty: &TypeName) -> Result<Expr, Stop> {
        let history = (self.project.history)(self.call, ordinal);
        let unknown = || no(format!("how {} was made was not recorded", ty.short()));
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
        for birth in (self.project.births)(ty).into_iter().filter(is_alike).take(LIKE_MAX) {
            let before = self.work.clone();
            if let Ok(items) = self.arguments(birth) {
                makings.push((Expr::call_with("", items).flat().len(), birth));
            }
            self.work = before;
        }
        let Some((_, birth)) = makings.into_iter().min_by_key(|(length, birth)| (*length, birth.id)) else { return unknown() };
        self.life(ordinal, ty, &life, |builder| {
            let items = builder.arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// R11, the last resort: makes an object by a recorded `__init__`, and sets the few fields that are others since.
    fn set_field_by_field(&mut self, ordinal: u64, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        if self.expecting.is_some() {
            return Ok(None);
        }
        let own = (self.project.history)(self.call, ordinal).into_iter().filter(|call| is_birth(call)).take(1);
        let others = (self.project.births)(ty).into_iter();
        // The one with the least to set; its own comes first.
        let mut found: Option<(&Call, Vec<&(String, Value)>)> = None;
        for birth in own.chain(others) {
            let Some(Value::Object { ty: made, fields: begun, .. }) = after_birth(birth) else { continue };
            let differs = |(name, value): &&(String, Value)| {
                !begun.iter().any(|(known, before)| known == name && before.first_difference(value).is_none())
            };
            let set: Vec<&(String, Value)> = fields.iter().filter(differs).collect();
            let kept = begun.iter().all(|(name, _)| fields.iter().any(|(known, _)| known == name));
            let fewer = found.as_ref().is_none_or(|(_, least)| set.len() < least.len());
            if made == ty && kept && set.len() <= SET_MAX && fewer {
                found = Some((birth, set));
            }
        }
        // One that came out the same is made without this.
        let Some((birth, set)) = found.filter(|(_, set)| !set.is_empty()) else { return Ok(None) };
        self.attempt(|builder| {
            let items = builder.arguments(birth)?;
            let made = Expr::call_with(&builder.spell(ty)?, items);
            let name = builder.bind_object(ordinal, &snake(ty.short()), made);
            for (field, value) in set {
                if !is_identifier(field) {
                    return no(format!("{} has a field without a name", ty.short()));
                }
                let value = builder.value(value, field)?;
                let same = format!("setattr({name}, \"{field}\", {})", value.flat());
                builder.work.setup.push(Statement::assign(&format!("{name}.{field}"), value, same));
            }
            Ok(Expr::Atom(name))
        })
    }

    /// Writes an exception by its arguments, or by the call that raised it where these do not tell all of it.
    pub(super) fn exception(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        args: &[Value],
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        let by_arguments = |builder: &mut Self| {
            if !fields.is_empty() {
                return no(format!("{} has fields of its own", ty.short()));
            }
            let args = builder.values(args, "value")?;
            Ok(Expr::call(&builder.spell(ty)?, args))
        };
        if self.way == Way::Origin
            && let Some(expr) = self.raised_before(ordinal, ty)?
        {
            return Ok(expr);
        }
        let before = self.work.clone();
        match by_arguments(self) {
            Err(Stop::No(reason)) => {
                self.work = before;
                self.raised_before(ordinal, ty)?.map_or(no(reason), Ok)
            }
            other => other,
        }
    }

    /// Writes what has no form of its own by its recorded life, or by what gave it.
    pub(super) fn by_its_past(&mut self, ordinal: u64, ty: &TypeName, reason: String) -> Result<Expr, Stop> {
        if let Some(expr) = self.attempt(|builder| builder.provenance(ordinal, ty))? {
            return Ok(expr);
        }
        self.made_elsewhere(ordinal, ty)?.map_or(no(reason), Ok)
    }

    /// Tries one way; a reason why not leaves no trace and is no answer.
    pub(in crate::generate) fn attempt(
        &mut self,
        way: impl FnOnce(&mut Self) -> Result<Expr, Stop>,
    ) -> Result<Option<Expr>, Stop> {
        let before = self.work.clone();
        match way(self) {
            Ok(expr) => Ok(Some(expr)),
            Err(Stop::Again(ordinal)) => Err(Stop::Again(ordinal)),
            Err(Stop::No(_)) => {
                self.work = before;
                Ok(None)
            }
        }
    }

    /// Writes a class whose `__init__` is made from its fields.
    fn generated(&mut self, ty: &TypeName, kind: ObjectKind, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        let class = self.project.class(ty).map(|(_, class)| class);
        let is_given = |annotation: &str| annotation.replace("dataclasses.", "").starts_with("InitVar");
        if class.is_some_and(|class| class.fields.iter().any(|field| field.annotation.as_deref().is_some_and(is_given))) {
            return no(format!("{} takes arguments that it does not keep", ty.short()));
        }
        self.fields(ty, kind, fields)
    }

    /// Writes a class by its fields.
    fn fields(&mut self, ty: &TypeName, kind: ObjectKind, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        let mut items = Vec::new();
        // Slots come in another order than people wrote them.
        let declared = self.project.declared(ty);
        let mut fields: Vec<&(String, Value)> = fields.iter().collect();
        fields.sort_by_key(|(field, _)| declared.iter().position(|name| name == field).unwrap_or(usize::MAX));
        for (field, value) in fields {
            let known = self.project.field(ty, field);
            let source = known.and_then(|known| known.value.as_deref()).unwrap_or_default();
            if source.replace(' ', "").contains("init=False") || self.project.is_cache(ty, field) {
                continue;
            }
            let name: &str = field;
            let name = match kind {
                ObjectKind::Attrs => name.trim_start_matches('_'),
                ObjectKind::Pydantic if name.starts_with('_') => continue,
                _ => name,
            };
            if !is_identifier(name) {
                return no(format!("{} has a field without a name", ty.short()));
            }
            if default_of(source).is_some_and(|default| is_default(default, value)) {
                continue;
            }
            items.push(Item::keyword(name, self.value(value, name)?));
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Finds out whether every parameter of `__init__` is kept as a field of its name.
    fn shape<'v>(&self, ty: &TypeName, fields: &'v [(String, Value)]) -> Result<Shape<'a, 'v>, String> {
        let Init::Takes(params) = self.project.init(ty) else {
            return Err(format!("how {} is made is not known", ty.short()));
        };
        let mut kept = Vec::new();
        let mut used = Vec::new();
        for param in params {
            if matches!(param.kind, ParamKind::VarPositional | ParamKind::VarKeyword) {
                continue;
            }
            let mangled = format!("_{}__{}", ty.short().trim_start_matches('_'), param.name);
            let field = fields
                .iter()
                .find(|(name, _)| *name == param.name || name.strip_prefix('_') == Some(param.name.as_str()) || *name == mangled);
            match field {
                Some((name, value)) => {
                    used.push(name.as_str());
                    kept.push((param, value));
                }
                None if param.default.is_some() => {}
                None => return Err(format!("{} does not keep its argument {}", ty.short(), param.name)),
            }
        }
        let derived = fields
            .iter()
            .any(|(name, value)| !used.contains(&name.as_str()) && !is_initial(value) && !self.project.is_cache(ty, name));
        Ok(Shape { kept, derived })
    }

    fn constructor(&mut self, ty: &TypeName, shape: &Result<Shape<'_, '_>, String>) -> Result<Expr, Stop> {
        let shape = shape.as_ref().map_err(|reason| Stop::No(reason.clone()))?;
        let mut items = Vec::new();
        for (param, value) in &shape.kept {
            let built = self.value(value, &param.name)?;
            if param.default.as_deref().is_some_and(|default| act::same_literal(default, &built)) {
                continue;
            }
            items.push(match param.kind {
                ParamKind::PositionalOnly => Item::from(built),
                _ => Item::keyword(&param.name, built),
            });
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// R11: makes an object by its recorded `__init__` call and the later calls that changed it.
    pub(super) fn provenance(&mut self, ordinal: u64, ty: &TypeName) -> Result<Expr, Stop> {
        let history = (self.project.history)(self.call, ordinal);
        // What `__new__` did before is no line of a test.
        let own = |call: &&Call| is_birth(call) && call.receiver == Some(ordinal);
        let first = history.iter().position(own).unwrap_or(0);
        let life = outermost(&history[first..], self.call);
        let Some((birth, later)) = life.split_first() else {
            return no(format!("how {} was made was not recorded", ty.short()));
        };
        if birth.function.qualname().ends_with(".__post_init__") {
            return self.life(ordinal, ty, later, |builder| builder.before_post_init(ty, birth));
        }
        if !birth.function.qualname().ends_with(".__init__") || !matches!(birth.effect.outcome, Outcome::Returned(_)) {
            return no(format!("how {} was made was not recorded", ty.short()));
        }
        self.life(ordinal, ty, later, |builder| {
            let items = builder.arguments(birth)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Writes a dataclass with the fields it had, and what it gave, when its `__post_init__` began.
    fn before_post_init(&mut self, ty: &TypeName, birth: &Call) -> Result<Expr, Stop> {
        let Some((receiver, given)) = birth.args.split_first() else { return no("its __post_init__ takes nothing") };
        let Value::Object { kind, fields, .. } = &receiver.value else { return no("its fields were not recorded") };
        let mut items = match self.fields(ty, *kind, fields)? {
            Expr::Bracket { items, .. } => items,
            _ => Vec::new(),
        };
        for arg in given {
            items.push(Item::keyword(&arg.name, self.value(&arg.value, &arg.name)?));
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
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
            return no(format!("{} calls changed {} before", changes.len(), ty.short()));
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
        let plain = |value| self.project.without_caches(value);
        after.is_some_and(|after| plain(&receiver.value).first_difference(&plain(after)).is_none())
    }

    /// Writes one call of an object's life.
    fn step(&mut self, name: &str, ty: &TypeName, call: &Call) -> Result<Statement, Stop> {
        let qualname = call.function.qualname();
        let found = self.project.function(&TypeName::new(call.function.module(), qualname));
        let Some(function) =
            found.filter(|f| matches!(f.kind, FunctionKind::Method | FunctionKind::Property) && !f.is_async && !f.is_generator)
        else {
            return no(format!("{} was changed by {qualname}", ty.short()));
        };
        let items = self.arguments(call)?;
        match act::method(function, name, items)? {
            Act::Value(expr) => Ok(Statement::run(expr)),
            Act::Statement(statement) => Ok(statement),
            Act::Construct(_) => no(format!("{} was made twice", ty.short())),
        }
    }

    /// Writes the arguments of a call that nothing else looks at, the receiver left out.
    pub(in crate::generate) fn arguments(&mut self, call: &Call) -> Result<Vec<Item>, Stop> {
        let args = call.args.get(1..).unwrap_or_default();
        let function = self.project.function(&TypeName::new(call.function.module(), call.function.qualname()));
        let params = function.map_or(&[][..], |function| &function.params);
        let mut out = Vec::new();
        for arg in args {
            let items = self.argument(arg)?;
            out.push((arg.kind, items));
        }
        Ok(act::assemble(params, args.iter().map(|arg| arg.name.as_str()), out))
    }

    /// Writes one argument: one value, or the parts of `*args` and `**kwargs`.
    pub(in crate::generate) fn argument(&mut self, arg: &Argument) -> Result<Vec<Item>, Stop> {
        match (arg.kind, &arg.value) {
            (ParamKind::VarPositional, Value::Tuple(values)) => {
                Ok(self.values(values, "value")?.into_iter().map(Item::from).collect())
            }
            (ParamKind::VarKeyword, Value::Dict(pairs)) => {
                let mut items = Vec::new();
                for (key, value) in pairs {
                    let built = self.value(value, "value")?;
                    items.push(match key {
                        Value::Str(name) if is_identifier(name) => Item::keyword(name, built),
                        key => Item { prefix: "**".into(), value: Expr::dict(vec![(self.value(key, "key")?, built)]) },
                    });
                }
                Ok(items)
            }
            _ => Ok(vec![self.value(&arg.value, &arg.name)?.into()]),
        }
    }
}

/// How the fields of an object answer to the parameters of its `__init__`.
struct Shape<'p, 'v> {
    kept: Vec<(&'p Param, &'v Value)>,
    /// Some other field holds something that a new object does not hold by itself.
    derived: bool,
}

/// A value that fields have before anything happened.
fn is_initial(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(false) | Value::Int(0) => true,
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Set(items) | Value::Tuple(items) | Value::FrozenSet(items) => items.is_empty(),
        Value::Dict(pairs) => pairs.is_empty(),
        Value::Float(number) => *number == 0.0,
        Value::Shared(_, value) => is_initial(value),
        Value::New { ty, args, kwargs } if ty.module == "collections" => {
            kwargs.is_empty() && args.iter().all(|arg| is_initial(arg) || matches!(arg, Value::Name(_)))
        }
        _ => false,
    }
}

/// Finds the default in the source of a field: the value itself, or what `field(…)` and `attr.ib(…)` are given.
fn default_of(source: &str) -> Option<&str> {
    let callee = source.split('(').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
    if !source.ends_with(')') || !matches!(callee, "field" | "ib" | "attrib" | "Field") {
        return (!source.is_empty()).then_some(source);
    }
    ["default_factory=", "factory=", "default="].iter().find_map(|key| {
        let (before, rest) = source.split_once(key)?;
        let whole = before.ends_with(['(', ' ', ',']);
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        whole.then(|| rest[..end].trim())
    })
}

/// Tells whether a value is the one that a default's source stands for.
fn is_default(source: &str, value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty() && source == "list",
        Value::Dict(pairs) => pairs.is_empty() && source == "dict",
        Value::Set(items) => items.is_empty() && source == "set",
        Value::Tuple(items) => items.is_empty() && source == "()",
        Value::Str(text) => source.len() == text.len() + 2 && source[1..].starts_with(text.as_str()) && !text.contains('\\'),
        Value::None => source == "None",
        Value::Bool(value) => source == if *value { "True" } else { "False" },
        Value::Int(number) => source == number.to_string(),
        Value::Float(number) => source.contains('.') && source.parse() == Ok(*number),
        Value::Enum { ty, name: Some(name), .. } => source == format!("{}.{name}", ty.qualname),
        _ => false,
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
fn after_birth(call: &Call) -> Option<&Value> {
    let receiver = call.args.first()?;
    let returned = matches!(call.effect.outcome, Outcome::Returned(_));
    call.effect.changed.iter().find(|(name, _)| returned && *name == receiver.name).map(|(_, after)| after)
}

/// Tells whether a call of `__init__` left an object of this state.
fn bears(call: &Call, wanted: &Value) -> bool {
    match after_birth(call) {
        Some(Value::Object { ty, fields, .. }) => {
            let made = Value::Object { ordinal: 0, ty: ty.clone(), kind: ObjectKind::Plain, fields: fields.clone() };
            made.first_difference(wanted).is_none()
        }
        _ => false,
    }
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
    whole && before.value.first_difference(&after.1).is_none()
}

fn is_first(call: &Call, name: &str) -> bool {
    call.args.first().is_some_and(|arg| arg.name == name)
}

/// Tells whether parts of an object's state were not recorded.
fn is_seen_in_part(fields: &[(String, Value)]) -> bool {
    fields.iter().any(|(_, value)| agree::is_partial(value))
}

fn is_object(value: &Value, wanted: u64) -> bool {
    matches!(value, Value::Object { ordinal, .. } if *ordinal == wanted)
}
