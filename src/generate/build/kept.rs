//! Objects that keep the arguments they were made with, so that they can be made again: `_args` and `_kwargs`, a pair of both, or
//! each argument in a field.

use crate::domain::call::{Argument, Call};
use crate::domain::function::{Param, ParamKind};
use crate::domain::value::{TypeName, Value};
use crate::generate::build::life::{LIKE_MAX, after_birth};
use crate::generate::build::{Builder, Stop};
use crate::generate::layout::{Expr, Item};
use crate::generate::project::Init;
use crate::generate::scope::is_identifier;

/// Arguments by position, and by name.
type Kept = (Vec<Value>, Vec<(String, Value)>);

impl Builder<'_, '_> {
    /// Writes an object by the arguments that it keeps.
    pub(super) fn as_kept(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        let Some(kept) = arguments(fields).filter(|kept| self.takes(ty, kept)) else { return Ok(None) };
        self.attempt(|builder| {
            let items = builder.kept(&kept)?;
            Ok(Expr::call_with(&builder.spell(ty)?, items))
        })
    }

    /// Writes the arguments of a recorded constructor: those that its object keeps, which tell how they were given.
    pub(super) fn birth_arguments(&mut self, birth: &Call) -> Result<Vec<Item>, Stop> {
        let kept = match birth.args.first().map(|receiver| &receiver.value) {
            Some(Value::Object { ty, fields, .. }) => arguments(fields).filter(|kept| self.takes(ty, kept)),
            _ => None,
        };
        match kept {
            Some(kept) => self.kept(&kept),
            None => self.arguments(birth),
        }
    }

    /// Makes an object as another one of its class was made, with what this one keeps where that one kept what it was given.
    pub(super) fn born_with(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Option<Expr>, Stop> {
        for birth in self.births(ty).into_iter().take(LIKE_MAX) {
            let Some(args) = arguments_with(birth, fields) else { continue };
            let birth = Call { args, ..birth.clone() };
            let made = self.attempt(|builder| {
                let items = builder.arguments(&birth)?;
                Ok(Expr::call_with(&builder.spell(ty)?, items))
            })?;
            if made.is_some() {
                return Ok(made);
            }
        }
        Ok(None)
    }

    /// Tells whether the constructor of a class can be given these arguments. One with parameters of its own that have the names
    /// of the fields was given what they hold as two of its arguments: `Task(function, args, kwargs)`.
    fn takes(&self, ty: &TypeName, (args, kwargs): &Kept) -> bool {
        let Init::Takes(params) = self.project.init(ty) else { return true };
        let is_plain = |param: &&Param| !param.kind.is_variadic();
        if params.iter().filter(is_plain).any(|param| matches!(param.name.as_str(), "args" | "kwargs")) {
            return false;
        }
        let by_place = params.iter().filter(is_plain).filter(|param| param.kind != ParamKind::KeywordOnly).count();
        let takes_more = params.iter().any(|param| param.kind == ParamKind::VarPositional);
        let is_given = |at: usize, param: &Param| {
            param.kind != ParamKind::KeywordOnly && at < args.len() || kwargs.iter().any(|(name, _)| *name == param.name)
        };
        let is_whole =
            params.iter().filter(is_plain).enumerate().all(|(at, param)| param.default.is_some() || is_given(at, param));
        is_whole && (takes_more || args.len() <= by_place)
    }

    fn kept(&mut self, (args, kwargs): &Kept) -> Result<Vec<Item>, Stop> {
        let mut items: Vec<Item> = self.values(args, "value")?.into_iter().map(Item::from).collect();
        items.extend(self.named(kwargs)?);
        Ok(items)
    }
}

/// Gives the arguments of a constructor with what an object holds in the place of what the one that it made kept of them; `None`
/// where that does not explain all of the object.
fn arguments_with(birth: &Call, fields: &[(String, Value)]) -> Option<Vec<Argument>> {
    let Some(Value::Object { fields: begun, .. }) = after_birth(birth) else { return None };
    let mut args = birth.args.clone();
    for (name, value) in fields {
        let (_, before) = begun.iter().find(|(known, _)| known == name)?;
        if !before.same_as(value) {
            let at = birth.args.iter().skip(1).position(|arg| is_kept(&arg.value, before))?;
            args[at + 1].value = value.clone();
        }
    }
    (begun.len() == fields.len()).then_some(args)
}

/// Tells whether a field holds what an argument was: the same object, or an equal value that says something.
fn is_kept(given: &Value, held: &Value) -> bool {
    let number = |value: &Value| match value {
        Value::Ref(ordinal) | Value::Shared(ordinal, _) => Some(*ordinal),
        other => other.ordinal(),
    };
    match (number(given), number(held)) {
        (None, None) => !matches!(held, Value::None | Value::Bool(_)) && given.same_as(held),
        (given, held) => given == held,
    }
}

/// Finds the arguments that an object was made with among its fields; `None` where it keeps none, or several sets of them.
fn arguments(fields: &[(String, Value)]) -> Option<Kept> {
    let mut found = fields.iter().filter_map(|(name, value)| {
        let stem = name.strip_suffix("args").filter(|_| !name.ends_with("kwargs"))?;
        match plain(value) {
            // `_constructor_args = (args, kwargs)`
            Value::Tuple(parts)
                if let [args, kwargs] = parts.as_slice()
                    && let Some(kept) = set(args, kwargs) =>
            {
                Some(kept)
            }
            args => {
                let (_, kwargs) = fields.iter().find(|(other, _)| other.strip_suffix("kwargs") == Some(stem))?;
                set(args, kwargs)
            }
        }
    });
    found.next().filter(|_| found.next().is_none())
}

fn set(args: &Value, kwargs: &Value) -> Option<Kept> {
    let (Value::Tuple(args), Value::Dict(pairs)) = (plain(args), plain(kwargs)) else { return None };
    let named = |(name, value): &(Value, Value)| match name {
        Value::Str(name) if is_identifier(name) => Some((name.clone(), value.clone())),
        _ => None,
    };
    Some((args.clone(), pairs.iter().map(named).collect::<Option<_>>()?))
}

fn plain(value: &Value) -> &Value {
    if let Value::Shared(_, value) = value { value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Effect;
    use crate::domain::function::FunctionId;
    use crate::domain::samples;

    fn text(text: &str) -> Value {
        Value::Str(text.into())
    }

    #[test]
    fn arguments_are_found_in_a_tuple_and_a_dict_beside_it_or_in_both_together() {
        let kwargs = Value::Dict(vec![(text("least"), Value::Int(1))]);
        let args = Value::Tuple(vec![Value::Int(7)]);
        let kept = Some((vec![Value::Int(7)], vec![("least".to_owned(), Value::Int(1))]));
        let fields = |fields: &[(&str, &Value)]| -> Vec<(String, Value)> {
            fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).clone())).collect()
        };
        assert_eq!(arguments(&fields(&[("_args", &args), ("size", &Value::Int(3)), ("_kwargs", &kwargs)])), kept);
        let both = Value::Tuple(vec![args.clone(), kwargs.clone()]);
        assert_eq!(arguments(&fields(&[("_constructor_args", &both)])), kept);
        assert_eq!(arguments(&fields(&[("_args", &args), ("other_kwargs", &kwargs)])), None);
        assert_eq!(arguments(&fields(&[("args", &Value::List(Vec::new())), ("kwargs", &kwargs)])), None);
        let two = fields(&[("_args", &args), ("_kwargs", &kwargs), ("args", &args), ("kwargs", &kwargs)]);
        assert_eq!(arguments(&two), None, "nobody knows which");
    }

    #[test]
    fn what_an_object_keeps_takes_the_place_of_what_another_one_was_given() {
        let seat = |row: i64| samples::object(7, vec![("row", Value::Int(row))]);
        let made = |fields: &[(&str, Value)]| samples::object(1, fields.to_vec());
        let birth = samples::call(
            FunctionId::new("shop.cart", "Cart.__init__"),
            &[("self", made(&[])), ("seat", seat(1)), ("size", Value::Int(3))],
            Value::None,
        );
        let after = made(&[("_seat", seat(1)), ("double", Value::Int(6))]);
        let birth = Call { effect: Effect { changed: vec![("self".into(), after)], ..birth.effect.clone() }, ..birth };
        let other = |seat: Value, double: i64| [("_seat".to_owned(), seat), ("double".to_owned(), Value::Int(double))];
        let found = arguments_with(&birth, &other(seat(4), 6)).unwrap();
        assert_eq!(found.iter().map(|arg| arg.value.clone()).collect::<Vec<_>>(), [made(&[]), seat(4), Value::Int(3)]);
        assert_eq!(arguments_with(&birth, &other(seat(4), 8)), None, "nobody knows what gives another double");
        assert_eq!(arguments_with(&birth, &other(seat(4), 6)[..1]), None);
    }
}
