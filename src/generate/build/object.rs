//! Objects of classes: by their constructor when their state shows it, by their recorded life (`life.rs`) otherwise.

use std::borrow::Cow;

use crate::domain::call::{self, Call};
use crate::domain::function::{Param, ParamKind};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::domain::way::Given;
use crate::generate::act;
use crate::generate::agree;
use crate::generate::build::{Builder, Stop, Way, no};
use crate::generate::layout::{Expr, Item};
use crate::generate::learned::Form;
use crate::generate::project::{CAUSE, Init, Kept, Lookup, Project, is_row};
use crate::generate::scope::is_identifier;
use crate::source::constructor::Keeps;

/// Tells whether a class of the standard library takes its attributes by their names, and nothing else.
pub(super) fn is_namespace(ty: &TypeName) -> bool {
    matches!((ty.module.as_str(), ty.qualname.as_str()), ("types", "SimpleNamespace") | ("argparse", "Namespace"))
}

/// Tells whether an object holds something else for each thread; what it holds for the recorded one is set on it.
fn is_thread_local(ty: &TypeName) -> bool {
    ty.module == "threading" && ty.qualname == "local"
}

impl<'a> Builder<'a, '_> {
    /// Writes an object by its state, or by its life.
    pub(super) fn object(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        kind: ObjectKind,
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        if is_thread_local(ty) {
            let made = Value::New { ty: ty.clone(), args: Vec::new(), kwargs: Vec::new() };
            return self.made_and_set(ordinal, ty, &made, fields);
        }
        if is_namespace(ty) {
            return self.generated(ty, ObjectKind::Dataclass, fields);
        }
        if self.expecting.is_none() && is_row(fields) && !matches!(self.project.method(ty, "__init__"), Lookup::Found(_)) {
            return self.row(ty, fields);
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
        let shape = shape(self.project, ty, fields);
        let is_explained = matches!(shape, Ok(Shape { derived: false, .. }));
        let by_text = match self.expecting {
            Some(_) => !is_explained || self.keeps_something_else(ty, &shape),
            None => self.way == Way::Told,
        };
        let object = || Value::Object { ordinal, ty: ty.clone(), kind, fields: fields.to_vec() };
        if by_text && let Some(expr) = self.as_told(ty, object)? {
            return Ok(expr);
        }
        let before = match self.way {
            // What was not seen of its state cannot tell how it was made.
            Way::Told | Way::State | Way::Unread if is_seen_in_part(fields) => self.lived(ordinal, ty, fields)?,
            Way::Told | Way::State | Way::Unread => None,
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
        if let Some(expr) = self.as_kept(ty, fields)? {
            return Ok(expr);
        }
        if is_explained && let Some(expr) = self.attempt(|builder| builder.constructor(ty, &shape))? {
            return Ok(expr);
        }
        if self.expecting.is_some() {
            return no(ReasonCode::UnknownConstructor.of(ty.short()));
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

    /// Writes an object by the arguments that were found to make it, in what it says of itself.
    fn as_told(&mut self, ty: &TypeName, object: impl FnOnce() -> Value) -> Result<Option<Expr>, Stop> {
        if !self.project.learned.has_forms() {
            return Ok(None);
        }
        let plain = self.project.without_caches(&object());
        let Some(form) = self.project.learned.form(ty, &plain) else { return Ok(None) };
        self.attempt(|builder| builder.by_form(ty, form))
    }

    /// Writes a call of a class with these arguments, those that are its defaults left out.
    pub(super) fn by_form(&mut self, ty: &TypeName, form: &Form) -> Result<Expr, Stop> {
        let params = if let Init::Takes(params) = self.project.init(ty) { params } else { &[] };
        let is_default = |param: Option<&Param>, built: &Expr| {
            param.and_then(|param| param.default.as_deref()).is_some_and(|default| act::same_literal(default, built))
        };
        let mut args = self.values(&form.args, "value")?;
        while args.last().is_some_and(|last| is_default(params.get(args.len() - 1), last)) {
            args.pop();
        }
        let mut items: Vec<Item> = args.into_iter().map(Item::from).collect();
        for item in self.named(&form.kwargs)? {
            let param = params.iter().find(|param| item.prefix.strip_suffix('=') == Some(&param.name));
            if !is_default(param, &item.value) {
                items.push(item);
            }
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Tells whether a field that has the name of an argument was seen to hold another kind of value than was given for it, and
    /// never such a one: `self._offset = timedelta(minutes=offset)`.
    fn keeps_something_else(&self, ty: &TypeName, shape: &Result<Shape<'a, '_>, Reason>) -> bool {
        let Ok(shape) = shape else { return false };
        let births = (self.project.births)(ty);
        shape.kept.iter().any(|kept| {
            let mut given = births.iter().filter_map(|call| call.args.iter().find(|arg| arg.name == kept.param.name)).peekable();
            given.peek().is_some() && given.all(|arg| std::mem::discriminant(&arg.value) != std::mem::discriminant(&*kept.value))
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
            // One with a constructor of its own may keep what it is given; evaluating the expression tells.
            let keeps = matches!(builder.project.method(ty, "__init__"), Lookup::Found(_)) && builder.expecting.is_none();
            if !keeps && fields.iter().any(|(name, _)| name != CAUSE) {
                return no(ReasonCode::ExtraAttributes.of(ty.short()));
            }
            let args = builder.values(args, "value")?;
            Ok(Expr::call(&builder.spell(ty)?, args))
        };
        if self.way == Way::Origin
            && let Some(expr) = self.raised_before(ordinal, ty)?
        {
            return Ok(expr);
        }
        let error = || Value::Exception { ordinal, ty: ty.clone(), args: args.to_vec(), fields: fields.to_vec() };
        if self.way == Way::Told
            && let Some(expr) = self.as_told(ty, error)?
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
    pub(super) fn by_its_past(&mut self, ordinal: u64, ty: &TypeName, reason: Reason) -> Result<Expr, Stop> {
        if let Some(expr) = self.attempt(|builder| builder.provenance(ordinal, ty))? {
            return Ok(expr);
        }
        self.made_elsewhere(ordinal, ty)?.map_or(no(reason), Ok)
    }

    /// Writes a collection of a class of its own that keeps something besides its content.
    pub(super) fn collection(
        &mut self,
        ordinal: u64,
        ty: &TypeName,
        content: &Value,
        fields: &[(String, Value)],
    ) -> Result<Expr, Stop> {
        let extra = || ReasonCode::ExtraAttributes.of(ty.short());
        let whole = || Value::Sub { ordinal, ty: ty.clone(), base: Box::new(content.clone()), fields: fields.to_vec() };
        if (self.expecting.is_some() || self.way == Way::Told)
            && let Some(expr) = self.as_told(ty, whole)?
        {
            return Ok(expr);
        }
        if self.expecting.is_some() {
            return self.by_its_past(ordinal, ty, extra());
        }
        let by_state = |builder: &mut Self| builder.attempt(|builder| builder.made_and_filled(ordinal, ty, content, fields));
        if self.way == Way::State
            && let Some(expr) = by_state(self)?
        {
            return Ok(expr);
        }
        match self.by_its_past(ordinal, ty, extra()) {
            Err(Stop::No(reason)) if self.way != Way::State => by_state(self)?.map_or(no(reason), Ok),
            made => made,
        }
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
        let mut fields_of = class.into_iter().flat_map(|class| &class.fields);
        if let Some(given) = fields_of.find(|field| field.annotation.as_deref().is_some_and(is_given)) {
            return no(ReasonCode::ArgumentNotStored.of(ty.short()).with(&given.name));
        }
        self.fields(ty, kind, fields)
    }

    /// Writes a row of Django or SQLAlchemy by its columns, without those that say nothing.
    fn row(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        let mut items = Vec::new();
        let related = related(fields);
        for (name, value) in fields {
            let of = name.strip_suffix("_id").and_then(|name| related.iter().find(|(known, _)| known == name));
            if let Some((name, value)) = of {
                items.push(Item::keyword(name, self.value(value, name)?));
                continue;
            }
            let is_empty = *value == Value::None || matches!(value, Value::Str(text) if text.is_empty());
            if self.project.is_cache(ty, name, value) || is_empty {
                continue;
            }
            if !is_identifier(name) || name.starts_with('_') {
                return no(ReasonCode::ExtraAttributes.of(ty.short()));
            }
            items.push(Item::keyword(name, self.value(value, name)?));
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Writes a class by its fields.
    pub(super) fn fields(&mut self, ty: &TypeName, kind: ObjectKind, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        let mut items = Vec::new();
        // Slots come in another order than people wrote them.
        let declared = self.project.declared(ty);
        let mut fields: Vec<&(String, Value)> = fields.iter().collect();
        fields.sort_by_key(|(field, _)| declared.iter().position(|name| name == field).unwrap_or(usize::MAX));
        for (field, value) in fields {
            let known = self.project.field(ty, field);
            let source = known.and_then(|known| known.value.as_deref()).unwrap_or_default();
            if source.replace(' ', "").contains("init=False") || self.project.is_cache(ty, field, value) {
                continue;
            }
            let name: &str = field;
            let name = match kind {
                ObjectKind::Attrs => name.trim_start_matches('_'),
                ObjectKind::Pydantic if name.starts_with('_') => continue,
                _ => name,
            };
            if !is_identifier(name) {
                return no(ReasonCode::InvalidName.of(field));
            }
            if default_of(source).is_some_and(|default| is_default(default, value)) {
                continue;
            }
            items.push(Item::keyword(name, self.value(value, name)?));
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Writes a new object of a class whose `__init__` is the project's, by what it keeps of its arguments.
    pub(super) fn by_constructor(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        if !matches!(self.project.method(ty, "__init__"), Lookup::Found(_)) {
            return no(ReasonCode::ExtraAttributes.of(ty.short()));
        }
        let shape = shape(self.project, ty, fields);
        self.constructor(ty, &shape)
    }

    fn constructor(&mut self, ty: &TypeName, shape: &Result<Shape<'_, '_>, Reason>) -> Result<Expr, Stop> {
        let shape = shape.as_ref().map_err(|reason| Stop::No(reason.clone()))?;
        let mut items = Vec::new();
        for Argument { param, value, is_handed_on, .. } in &shape.kept {
            let built = self.value(value, &param.name)?;
            if param.default.as_deref().is_some_and(|default| act::same_literal(default, &built)) {
                continue;
            }
            items.push(match param.kind {
                ParamKind::PositionalOnly if !is_handed_on => Item::from(built),
                _ => Item::keyword(&param.name, built),
            });
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Writes the arguments of a call that nothing else looks at, the receiver left out.
    pub(in crate::generate) fn arguments(&mut self, call: &Call) -> Result<Vec<Item>, Stop> {
        let args = call.args.get(1..).unwrap_or_default();
        let function = self.project.function(&TypeName::new(call.function.module(), call.function.qualname()));
        let params = function.map_or(&[][..], |function| &function.params);
        let mut out = Vec::new();
        for arg in args {
            let items = self.argument(arg)?;
            out.push((arg.kind, arg.given, items));
        }
        Ok(act::assemble(params, args.iter().map(|arg| arg.name.as_str()), out))
    }

    /// Writes one argument: one value, the parts of `*args` and `**kwargs`, or nothing where it was left out.
    pub(in crate::generate) fn argument(&mut self, arg: &call::Argument) -> Result<Vec<Item>, Stop> {
        if arg.given == Given::LeftOut {
            return Ok(Vec::new());
        }
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

/// Lists the rows that a row of Django holds beside their keys.
fn related(fields: &[(String, Value)]) -> Vec<(String, Value)> {
    let state = fields.iter().find(|(name, _)| name == "_state").map(|(_, value)| value);
    let Some(Value::Object { fields: state, .. }) = state else { return Vec::new() };
    let cached = state.iter().find(|(name, _)| name == "fields_cache").map(|(_, value)| value);
    let cached = match cached {
        Some(Value::Shared(_, cached)) => Some(&**cached),
        cached => cached,
    };
    let Some(Value::Dict(pairs)) = cached else { return Vec::new() };
    let row = |(name, value): &'_ (Value, Value)| matches!((name, value), (Value::Str(_), Value::Object { .. } | Value::Ref(_)));
    let named =
        |(name, value): &'_ (Value, Value)| if let Value::Str(name) = name { Some((name.clone(), value.clone())) } else { None };
    pairs.iter().filter(|pair| row(pair)).filter_map(named).collect()
}

/// How the fields of an object answer to the parameters of its `__init__`.
struct Shape<'p, 'v> {
    kept: Vec<Argument<'p, 'v>>,
    /// Some other field holds something that a new object does not hold by itself.
    derived: bool,
}

/// What an object keeps of a parameter of its `__init__`.
struct Argument<'p, 'v> {
    param: &'p Param,
    field: &'v str,
    value: Cow<'v, Value>,
    /// It is given by name through `**kwargs`.
    is_handed_on: bool,
}

/// Finds out whether every parameter of `__init__` is kept as a field: by what its text says, or by their names.
fn shape<'p, 'v>(project: Project<'p>, ty: &TypeName, fields: &'v [(String, Value)]) -> Result<Shape<'p, 'v>, Reason> {
    let Init::Takes(params) = project.init(ty) else {
        return Err(ReasonCode::UnknownConstructor.of(ty.short()));
    };
    let by_text = project.kept_by_text(ty);
    let mut kept = Vec::new();
    let take = |found: &Kept<'p>| {
        let (name, value) = fields.iter().find(|(name, _)| *name == found.attribute)?;
        let value = match found.keeps {
            Keeps::Itself => Cow::Borrowed(value),
            Keeps::Items => Cow::Owned(Value::List(items_of(value)?)),
        };
        Some(Argument { param: found.param, field: name, value, is_handed_on: found.is_handed_on })
    };
    for param in params.iter().filter(|param| !param.kind.is_variadic()) {
        if let Some(argument) = by_text.iter().find(|found| found.param.name == param.name && !found.is_handed_on).and_then(take)
        {
            kept.push(argument);
            continue;
        }
        let mangled = format!("_{}__{}", ty.short().trim_start_matches('_'), param.name);
        let field = fields
            .iter()
            .find(|(name, _)| *name == param.name || name.strip_prefix('_') == Some(param.name.as_str()) || *name == mangled);
        match field {
            Some((name, value)) => {
                kept.push(Argument { param, field: name, value: Cow::Borrowed(value), is_handed_on: false });
            }
            None if param.default.is_some() => {}
            None => return Err(ReasonCode::ArgumentNotStored.of(ty.short()).with(&param.name)),
        }
    }
    kept.extend(by_text.iter().filter(|found| found.is_handed_on).filter_map(take));
    let is_kept = |name: &str| kept.iter().any(|argument| argument.field == name);
    let derived = fields.iter().any(|(name, value)| !is_kept(name) && !is_initial(value) && !project.is_cache(ty, name, value));
    Ok(Shape { kept, derived })
}

/// Gives the items of a list, or the values of a dict.
fn items_of(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Shared(_, value) => items_of(value),
        Value::List(items) | Value::Tuple(items) => Some(items.clone()),
        Value::Dict(pairs) => Some(pairs.iter().map(|(_, value)| value.clone()).collect()),
        _ => None,
    }
}

/// Tells whether the constructor of a class takes what an object keeps, and all of it.
pub(in crate::generate) fn is_made_by_what_it_keeps(project: Project<'_>, ty: &TypeName, fields: &[(String, Value)]) -> bool {
    matches!(shape(project, ty, fields), Ok(Shape { derived: false, .. }))
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

/// Tells whether parts of an object's state were not recorded.
pub(super) fn is_seen_in_part(fields: &[(String, Value)]) -> bool {
    fields.iter().any(|(_, value)| agree::is_partial(value))
}
