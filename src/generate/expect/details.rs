//! R2: what `==` does not see of a value that it compares: types of numbers, digits of decimals, signs of zero, subclasses and
//! fields inside of it. Each such detail is looked at by itself, or all of a value at once by its `repr`.

use crate::base::text;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::alike::{digits_matter, equals_other_types, is_short, zone};
use crate::generate::build::{Builder, Stop};
use crate::generate::expect::{Assertion, EXPECTED, Relation};
use crate::generate::layout::{Expr, WIDTH};
use crate::generate::repr::repr;
use crate::generate::scope::is_identifier;

/// Stands for what is looked at in the text of a look.
pub(in crate::generate) const PLACE: char = '\u{1}';

/// More assertions about details of one value are read by nobody.
const DETAILS_MAX: usize = 6;
/// Values inside of values that are looked into.
const DEPTH_MAX: usize = 5;

/// One look at a value, and what it shows.
#[derive(Debug, Clone)]
struct Detail {
    /// Code, with [`PLACE`] for the value.
    look: String,
    relation: Relation,
    expected: Expr,
}

impl Detail {
    fn new(look: &str, relation: Relation, expected: Expr) -> Self {
        Self { look: look.replace("{}", &PLACE.to_string()), relation, expected }
    }

    /// Gives the same look at a value that holds this one: `step` leads from it to this.
    fn below(self, step: &str) -> Self {
        Self { look: self.look.replace(PLACE, &format!("{PLACE}{step}")), ..self }
    }
}

impl Builder<'_, '_> {
    /// Asserts what `==` does not see of a value.
    pub(in crate::generate) fn details(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let mut found = self.details_of(value, 0)?;
        found.truncate(DETAILS_MAX);
        let assertion = |detail: Detail| Assertion {
            subject: detail.look.replace(PLACE, subject),
            relation: detail.relation,
            expected: detail.expected,
            asked: None,
            look: Some(detail.look),
        };
        Ok(found.into_iter().map(assertion).collect())
    }

    fn details_of(&mut self, value: &Value, depth: usize) -> Result<Vec<Detail>, Stop> {
        if depth > DEPTH_MAX {
            return Ok(Vec::new());
        }
        let inside = depth > 0;
        if inside && matches!(value, Value::Ref(_)) {
            // It was looked at where it was met first.
            return Ok(Vec::new());
        }
        let value = self.expecting.as_ref().map_or(value, |expecting| expecting.resolve(value)).clone();
        let found = match &value {
            Value::List(items) | Value::Tuple(items) => self.of_items(items, depth)?,
            Value::Set(items) | Value::FrozenSet(items) => of_members(items),
            Value::New { ty, args, .. } if (ty.module.as_str(), ty.qualname.as_str()) == ("builtins", "set") => {
                match args.as_slice() {
                    [Value::List(items)] => of_members(items),
                    _ => Vec::new(),
                }
            }
            Value::Dict(pairs) => {
                let mut all = Vec::new();
                let held: Vec<&Value> = pairs.iter().map(|(_, value)| value).collect();
                for ((key, value), matters) in pairs.iter().zip(equal_numbers(&held)) {
                    let found = self.of_part(value, matters, depth)?;
                    if !found.is_empty()
                        && let Some(key) = self.if_any(key)?
                    {
                        let step = format!("[{}]", key.flat());
                        all.extend(found.into_iter().map(|detail| detail.below(&step)));
                    }
                }
                if self.ordered && depth == 0 && pairs.len() > 1 {
                    let keys: Vec<Value> = pairs.iter().map(|(key, _)| key.clone()).collect();
                    let keys = self.if_any(&Value::List(keys))?;
                    all.extend(keys.map(|keys| Detail::new("list({})", Relation::Equal, keys)));
                }
                all
            }
            Value::NamedTuple { ty, fields } => {
                let mut all: Vec<Detail> = self.of_type(ty, inside)?.into_iter().collect();
                all.extend(self.of_fields(fields, depth)?);
                all
            }
            Value::Object { .. } if !self.compares_by_content(&value) => Vec::new(),
            Value::Object { ty, kind, fields, .. } => {
                let (overlooked, seen): (Vec<_>, Vec<_>) =
                    fields.iter().cloned().partition(|(name, _)| self.overlooks(ty, *kind, name));
                let mut all = if inside && *kind == ObjectKind::Plain { self.of_type(ty, true)? } else { None }
                    .into_iter()
                    .collect::<Vec<_>>();
                for (name, value) in overlooked.iter().filter(|(name, _)| !name.starts_with('_') && is_identifier(name)) {
                    all.extend(self.whole(value)?.map(|detail| detail.below(&format!(".{name}"))));
                }
                all.extend(self.of_fields(&seen, depth)?);
                all
            }
            Value::Sub { ty, .. } => self.of_type(ty, inside)?.into_iter().collect(),
            Value::Enum { ty, .. } if inside && self.is_like_its_value(ty) => self.of_type(ty, true)?.into_iter().collect(),
            Value::New { ty, .. } if equals_other_types(ty) && ty.module != "pandas" && ty.module != "numpy" => {
                self.of_type(ty, inside)?.into_iter().collect()
            }
            Value::New { ty, args, kwargs } if inside && ty.module == "datetime" => match zone(ty, args, kwargs) {
                Some(zone) => self.whole(zone)?.map(|detail| detail.below(".tzinfo")).into_iter().collect(),
                None => Vec::new(),
            },
            other if inside => of_scalar(other).into_iter().collect(),
            _ => Vec::new(),
        };
        let is_builtin = matches!(value, Value::List(_) | Value::Tuple(_) | Value::Set(_) | Value::Dict(_));
        match repr(&value).filter(|_| is_builtin && !found.is_empty()) {
            Some(text) => Ok(vec![Detail::new("repr({})", Relation::Equal, Expr::Text(text))]),
            None => Ok(found),
        }
    }

    /// Looks at the items of a sequence: at all of them in one go, where the same is to be seen of each.
    fn of_items(&mut self, items: &[Value], depth: usize) -> Result<Vec<Detail>, Stop> {
        let numbers = types_matter(items);
        let mut each = Vec::new();
        for item in items {
            each.push(self.of_part(item, numbers, depth)?);
        }
        let mut looks: Vec<String> = Vec::new();
        for detail in each.iter().flatten() {
            if !looks.contains(&detail.look) {
                looks.push(detail.look.clone());
            }
        }
        let mut all = Vec::new();
        for look in looks {
            let found: Vec<(usize, &Detail)> =
                each.iter().enumerate().filter_map(|(at, of)| Some((at, of.iter().find(|one| one.look == look)?))).collect();
            if found.len() == items.len() && items.len() > 1 {
                let name = if look.contains(" for item in ") { "part" } else { "item" };
                let relation = if found.iter().any(|(_, one)| one.relation == Relation::Approx) {
                    Relation::Approx
                } else {
                    Relation::Equal
                };
                let expected = Expr::list(found.iter().map(|(_, one)| one.expected.clone()).collect());
                all.push(Detail { look: format!("[{} for {name} in {PLACE}]", look.replace(PLACE, name)), relation, expected });
            } else {
                all.extend(found.into_iter().map(|(at, one)| one.clone().below(&format!("[{at}]"))));
            }
        }
        Ok(all)
    }

    fn of_fields(&mut self, fields: &[(String, Value)], depth: usize) -> Result<Vec<Detail>, Stop> {
        let mut all = Vec::new();
        for (name, value) in fields {
            // A class says itself of what types its fields are.
            let is_number = matches!(value, Value::Float(number) if *number != 0.0 || number.is_sign_positive());
            if is_identifier(name) && !name.starts_with('_') && !is_number {
                let found = self.details_of(value, depth + 1)?;
                all.extend(found.into_iter().map(|detail| detail.below(&format!(".{name}"))));
            }
        }
        Ok(all)
    }

    /// Looks at a part of a value; `matters` tells whether the type of a number does.
    fn of_part(&mut self, value: &Value, matters: bool, depth: usize) -> Result<Vec<Detail>, Stop> {
        match number_type(value).filter(|_| matters) {
            Some(name) => Ok(vec![Detail::new("type({})", Relation::Is, Expr::atom(name))]),
            None => self.details_of(value, depth + 1),
        }
    }

    /// Looks at the type of what equals a value of another type.
    fn of_type(&mut self, ty: &TypeName, inside: bool) -> Result<Option<Detail>, Stop> {
        if !inside {
            return Ok(None);
        }
        match self.spell(ty) {
            Ok(class) => Ok(Some(Detail::new("type({})", Relation::Is, Expr::Atom(class)))),
            Err(Stop::Again(ordinal)) => Err(Stop::Again(ordinal)),
            Err(Stop::No(_)) => Ok(None),
        }
    }

    /// Compares all of a part that `==` does not look at.
    fn whole(&mut self, value: &Value) -> Result<Option<Detail>, Stop> {
        let value = self.expecting.as_ref().map_or(value, |expecting| expecting.resolve(value)).clone();
        let relation = match &value {
            Value::None | Value::Bool(_) => Relation::Is,
            Value::Float(number) if !is_short(*number) => Relation::Approx,
            _ => Relation::Equal,
        };
        Ok(self.if_any(&value)?.map(|expected| Detail::new("{}", relation, expected)))
    }

    /// Tells whether `==` of a class does not look at a field.
    fn overlooks(&self, ty: &TypeName, kind: ObjectKind, name: &str) -> bool {
        match self.project.learned.overlooks(ty, name) {
            Some(known) => known,
            None if kind == ObjectKind::Plain => self.project.equality_overlooks(ty, name),
            None => self.project.is_left_out_of_equality(ty, name),
        }
    }

    /// Tells whether members of an enumeration equal their values: those of an `IntEnum` or a `StrEnum`.
    fn is_like_its_value(&self, ty: &TypeName) -> bool {
        const LIKE: &[&str] = &["IntEnum", "StrEnum", "IntFlag", "str", "int"];
        // Of classes that are not the project's nobody knows.
        let Some((_, class)) = self.project.class(ty) else { return true };
        class.bases.iter().any(|base| base.rsplit('.').next().is_some_and(|base| LIKE.contains(&base)))
    }
}

/// Looks at a number or a decimal inside of a value.
fn of_scalar(value: &Value) -> Option<Detail> {
    match value {
        Value::Float(number) if *number == 0.0 && number.is_sign_negative() => {
            Some(Detail::new("str({})", Relation::Equal, Expr::Text("-0.0".into())))
        }
        Value::Float(number) if number.fract() == 0.0 => Some(Detail::new("type({})", Relation::Is, Expr::atom("float"))),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) if digits_matter(text) => {
                Some(Detail::new("str({})", Relation::Equal, Expr::Text(text.clone())))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Looks at the members of a set.
fn of_members(items: &[Value]) -> Vec<Detail> {
    let of = |open: &str, values: Vec<Expr>| Expr::Bracket {
        open: open.into(),
        items: values.into_iter().map(Into::into).collect(),
        close: '}',
        one_tuple: false,
    };
    let mut types: Vec<&str> = items.iter().filter_map(number_type).collect();
    types.sort_unstable();
    types.dedup();
    let mut texts: Vec<String> = items
        .iter()
        .filter_map(|item| match of_scalar(item)? {
            Detail { look, expected: Expr::Text(text), .. } if look.starts_with("str(") => Some(text),
            _ => None,
        })
        .collect();
    texts.sort();
    if !texts.is_empty() && texts.len() == items.len() {
        let texts = texts.into_iter().map(Expr::Text).collect();
        return vec![Detail::new("{str(item) for item in {}}", Relation::Equal, of("{", texts))];
    }
    if types_matter(items) && items.iter().all(|item| number_type(item).is_some()) {
        let types = types.into_iter().map(Expr::atom).collect();
        return vec![Detail::new("{type(item) for item in {}}", Relation::Equal, of("{", types))];
    }
    Vec::new()
}

/// Names the type of a number that may equal one of another type.
fn number_type(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(_) => Some("bool"),
        Value::Int(_) => Some("int"),
        Value::Float(number) if !(*number == 0.0 && number.is_sign_negative()) => Some("float"),
        _ => None,
    }
}

/// Tells whether the types of the numbers among items matter: they differ, or no item tells them.
pub(in crate::generate) fn types_matter(items: &[Value]) -> bool {
    let mut types: Vec<&str> = items.iter().filter_map(number_type).collect();
    types.sort_unstable();
    types.dedup();
    match types.as_slice() {
        [] => false,
        ["int"] => {
            let flag = |wanted: i64| items.contains(&Value::Int(wanted));
            flag(0) && flag(1) && items.iter().all(|item| matches!(item, Value::Int(0 | 1)))
        }
        ["float"] => items.iter().all(|item| !matches!(item, Value::Float(number) if number.fract() != 0.0)),
        _ => true,
    }
}

/// Tells of each value whether it is a number that equals another of them, of another type, or a whole number as a float.
pub(in crate::generate) fn equal_numbers(values: &[&Value]) -> Vec<bool> {
    let number = |value: &Value| match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        #[allow(clippy::cast_precision_loss)] // Two that are only nearly equal are asserted to no harm.
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    };
    let equals = |one: &Value, other: &Value| {
        number_type(one) != number_type(other) && number(one).is_some() && number(one) == number(other)
    };
    values.iter().map(|value| values.iter().any(|other| equals(value, other))).collect()
}

/// Gives assertions about a result of this name as they read best.
pub(in crate::generate) fn settled(assertions: &[Assertion], result: &str) -> Vec<Assertion> {
    let fits_as_one = |one: &Assertion| one.lines(result, 4).iter().all(|line| text::width(line) <= WIDTH);
    let fits = |one: &Assertion| matches!(one.lines(result, 4).as_slice(), [line] if text::width(line) <= WIDTH);
    let mut all: Vec<Assertion> = Vec::new();
    let mut rest = assertions;
    while let [main, others @ ..] = rest {
        let count = others.iter().take_while(|one| one.look.is_some()).count();
        let (looks, after) = others.split_at(count);
        rest = after;
        let whole = format!("repr({PLACE})");
        let can_be_named = main.relation == Relation::Equal && main.asked.is_none();
        match looks.iter().find(|one| one.look.as_ref() == Some(&whole) && fits(one)) {
            // It says all that `==` says, and more.
            Some(one) if can_be_named => all.push(one.clone()),
            _ if looks.iter().all(fits) || !can_be_named => {
                all.push(main.clone());
                all.extend(looks.iter().cloned());
            }
            _ => {
                all.push(Assertion { relation: Relation::Named, ..main.clone() });
                all.extend(looks.iter().map(|one| Some(mirrored(one)).filter(fits_as_one).unwrap_or_else(|| one.clone())));
            }
        }
    }
    all
}

/// Compares a look at a value with the same look at what is expected.
fn mirrored(one: &Assertion) -> Assertion {
    let look = one.look.as_deref().unwrap_or_default();
    Assertion { expected: Expr::Atom(look.replace(PLACE, EXPECTED)), ..one.clone() }
}
