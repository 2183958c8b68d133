//! What a test asserts: recorded outcomes as assertions (R2, R7–R9). What a call changed is `expect/changed.rs`, items that
//! `==` does not compare are `expect/items.rs`.

mod attributes;
pub(in crate::generate) mod changed;
mod databases;
pub(in crate::generate) mod details;
mod items;
mod mocks;
mod request;

use crate::base::text;
use crate::domain::call::{Argument, Call};
use crate::domain::reason::ReasonCode;
use crate::domain::secret::{Look, SecretLength, SecretType};
use crate::domain::settings::Snapshots;
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::act::operand;
use crate::generate::alike::{digits_matter, equals_other_types, is_ambiguous, is_flat_and_long, is_short, maxlen, zone};
use crate::generate::build::databases::is_database;
use crate::generate::build::{Builder, Stop, is_by_method, is_mock, no};
use crate::generate::closer;
use crate::generate::found;
use crate::generate::layout::{Expr, WIDTH};
use crate::generate::project::Lookup;
use crate::generate::scope::Import;
use crate::generate::steady;
use crate::generate::tables::{self, Check};

/// The name of what a result is compared with, where it is looked at more than once.
pub const EXPECTED: &str = "expected";

/// Stands for the result in the text of a subject.
pub const RESULT: char = '\0';

/// Parts inside of parts that are asserted by themselves: a list may hold itself.
const NESTED_MAX: usize = 6;

/// Assertions about the items of one sequence, or the entries of one dict.
pub(super) const PARTS_MAX: usize = 13;

/// How the place of an object in memory begins, which is another in each run (R18).
const ADDRESS: &str = " at 0x";

/// How a subject is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `is`
    Is,
    /// `==`
    Equal,
    /// `==` with what has the name [`EXPECTED`] by then.
    Named,
    /// `== pytest.approx(…)`
    Approx,
    /// `math.isnan(…)`
    Nan,
    /// `str(…) ==`: the digits of a `Decimal` matter, not only its value.
    Text,
    /// It is true as it stands.
    Holds,
    /// By a function that raises when the two differ.
    By(Check),
}

/// One assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// What is looked at; [`RESULT`] stands for the result.
    pub subject: String,
    /// How.
    pub relation: Relation,
    /// What it has to be.
    pub expected: Expr,
    /// The later call whose value is looked at, under the subject's name.
    pub asked: Option<Asked>,
    /// How it looks closer at what the assertion before it compares, with [`details::PLACE`] for that.
    pub look: Option<String>,
}

/// A call that a test makes of what it has, to see what it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The call.
    pub call: Expr,
    /// Whether it is the result that is asked.
    pub of_result: bool,
}

impl Assertion {
    pub(super) fn new(subject: &str, relation: Relation, expected: Expr) -> Self {
        Self { subject: subject.to_owned(), relation, expected, asked: None, look: None }
    }

    /// Tells whether the result is what it looks at.
    #[must_use]
    pub fn is_of_result(&self) -> bool {
        self.subject.contains(RESULT) || self.asked.as_ref().is_some_and(|asked| asked.of_result)
    }

    /// Writes the assertion with the result's text in place.
    #[must_use]
    pub fn lines(&self, result: &str, indent: usize) -> Vec<String> {
        if let Some(asked) = &self.asked {
            let plain = Self { asked: None, ..self.clone() };
            let whole = Self { subject: operand(&asked.call), ..plain.clone() };
            return match whole.lines(result, indent).as_slice() {
                [line] if text::width(line) <= WIDTH => vec![line.clone()],
                _ => {
                    let mut lines = asked.call.lines(indent, &format!("{} = ", self.subject), "");
                    lines.extend(plain.lines(result, indent));
                    lines
                }
            };
        }
        let subject = self.subject.replace(RESULT, result);
        match self.relation {
            Relation::Is => self.expected.lines(indent, &format!("assert {subject} is "), ""),
            Relation::Equal => self.expected.lines(indent, &format!("assert {subject} == "), ""),
            Relation::Named => {
                let mut lines = self.expected.lines(indent, &format!("{EXPECTED} = "), "");
                lines.extend(Expr::atom(EXPECTED).lines(indent, &format!("assert {subject} == "), ""));
                lines
            }
            Relation::Approx => approx(&self.expected).lines(indent, &format!("assert {subject} == "), ""),
            Relation::Nan => Expr::call("math.isnan", vec![Expr::Atom(subject)]).lines(indent, "assert ", ""),
            Relation::Text => self.expected.lines(indent, &format!("assert str({subject}) == "), ""),
            Relation::Holds => Expr::Atom(subject).lines(indent, "assert ", ""),
            Relation::By(check) => {
                let call = |expected: Expr| {
                    let mut args = vec![Expr::Atom(subject.clone()), expected];
                    args.extend(check.tolerance.iter().map(|part| Expr::atom(*part)));
                    Expr::call(check.function, args).lines(indent, "", "")
                };
                let lines = call(self.expected.clone());
                if lines.len() == 1 || matches!(self.expected, Expr::Atom(_)) {
                    return lines;
                }
                let mut lines = self.expected.lines(indent, &format!("{EXPECTED} = "), "");
                lines.extend(call(Expr::atom(EXPECTED)));
                lines
            }
        }
    }
}

/// Writes the tolerance of recorded floats: for the last digits, which differ between machines.
#[must_use]
pub fn approx(expected: &Expr) -> Expr {
    Expr::call("pytest.approx", vec![expected.clone(), Expr::atom("rel=1e-9"), Expr::atom("abs=0")])
}

/// R5: asserts what is known of a secret that a call made: its type, and about how long it is.
fn withheld(subject: &str, look: Look) -> Vec<Assertion> {
    let mut all = vec![Assertion::new(&format!("type({subject})"), Relation::Is, Expr::atom(look.ty.name()))];
    let length = match look.length {
        SecretLength::Empty => format!("len({subject}) == 0"),
        SecretLength::Short => format!("0 < len({subject}) < 8"),
        SecretLength::Middle => format!("8 <= len({subject}) < 32"),
        SecretLength::Long => format!("len({subject}) >= 32"),
    };
    if matches!(look.ty, SecretType::Str | SecretType::Bytes) {
        all.push(Assertion::new(&length, Relation::Holds, Expr::atom("True")));
    }
    all
}

/// Tells whether a value holds a secret that the call was not given.
fn holds_secret(value: &Value) -> bool {
    let mut found = false;
    value.walk(&mut |part| {
        found |= matches!(part, Value::Secret { look: Some(_), .. });
        !found
    });
    found
}

impl Builder<'_, '_> {
    /// Asserts the value of a result, or of a part of it.
    ///
    /// # Errors
    /// Fails with the reason when nothing of it can be asserted, and when construction has to begin again.
    pub(super) fn assertions(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        if self.parts_around >= NESTED_MAX {
            return no(ReasonCode::TooDeep);
        }
        self.parts_around += 1;
        let found = self.part_by_part(subject, value);
        self.parts_around -= 1;
        self.with_details(subject, value, found?)
    }

    /// Adds what `==` does not see to assertions that compare all of a value by it.
    fn with_details(&mut self, subject: &str, value: &Value, mut all: Vec<Assertion>) -> Result<Vec<Assertion>, Stop> {
        let compares = |one: &Assertion| one.subject == subject && matches!(one.relation, Relation::Equal | Relation::Approx);
        let Some(at) = all.iter().position(compares) else { return Ok(all) };
        let mut details = self.details(subject, value)?;
        if all[at].relation == Relation::Approx {
            // It would see the last digits, which differ between machines.
            details.retain(|detail| !detail.subject.starts_with("repr("));
        }
        if subject.contains("list(") {
            // An iterator is read once.
            details.truncate(1);
            if details.iter().any(|detail| detail.subject == format!("repr({subject})")) {
                all.remove(at);
            } else {
                details.clear();
            }
        }
        all.splice(at.saturating_add(1).min(all.len())..at.saturating_add(1).min(all.len()), details);
        Ok(all)
    }

    fn part_by_part(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let met = value;
        let value = match &self.expecting {
            Some(expecting) => expecting.resolve(value).clone(),
            None => value.clone(),
        };
        let one = |relation, expected| Ok(vec![Assertion::new(subject, relation, expected)]);
        if let Some(name) = self.callable_name(&value) {
            return one(Relation::Is, Expr::atom(name));
        }
        if let Some(items) = closer::read(&value) {
            return self.read_items(subject, items);
        }
        if !self.is_named(&value)
            && let Some(found) = self.chosen_graph(subject, met)?
        {
            return Ok(found);
        }
        if let Some(table) = tables::table(&value) {
            return self.tested(subject, &value, table);
        }
        if let Some((ty, held)) = tables::scalar(&value) {
            return self.scalar_tested(subject, ty, held);
        }
        match &value {
            Value::Str(text) if text.contains(ADDRESS) => {
                self.work.imports.insert(Import::module("re"));
                let subject = format!("re.sub(r\"{ADDRESS}[0-9A-Fa-f]+\", \"{ADDRESS}\", {subject})");
                Ok(vec![Assertion::new(&subject, Relation::Equal, Expr::Text(without_addresses(text)))])
            }
            Value::None | Value::Bool(_) | Value::Ellipsis => one(Relation::Is, self.expected(&value)?),
            // Whatever it is, it differs from run to run.
            Value::Name(_) if steady::is_open(&value) => Ok(Vec::new()),
            Value::Name(ty) => one(Relation::Is, self.name(ty)?),
            Value::Enum { name: Some(name), .. } if !name.contains('|') => one(Relation::Is, self.expected(&value)?),
            Value::Float(number) if number.is_nan() => {
                self.work.imports.insert(Import::module("math"));
                one(Relation::Nan, Expr::atom("math.nan"))
            }
            Value::Float(number) if !is_short(*number) => self.approximate(subject, &value),
            Value::Float(number) if *number == 0.0 && number.is_sign_negative() => {
                let text = Assertion::new(subject, Relation::Text, Expr::Text("-0.0".into()));
                Ok(vec![Assertion::new(subject, Relation::Equal, self.expected(&value)?), text])
            }
            Value::Int(_) | Value::Float(_) if self.strict && subject.chars().eq([RESULT]) && is_ambiguous(&value) => {
                self.equal_and_typed(subject, &value, &TypeName::new("builtins", value.type_name()))
            }
            Value::List(items) | Value::Tuple(items) if items.iter().any(|item| closer::read(item).is_some()) => {
                let mut all = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    all.extend(self.assertions(&format!("{subject}[{at}]"), item)?);
                }
                Ok(all)
            }
            Value::List(items) | Value::Tuple(items) if is_flat_and_long(items.iter()) => self.approximate(subject, &value),
            Value::Dict(pairs) if is_flat_and_long(pairs.iter().map(|(_, value)| value)) => self.approximate(subject, &value),
            Value::New { ty, args, .. } if ty.qualname == "Decimal" => self.decimal(subject, &value, args),
            Value::Sub { ordinal, ty, base, .. } if (is_by_method(base) || is_mock(ty)) && self.work.made(*ordinal) => {
                let Some(name) = self.work.name_of(*ordinal).map(Expr::atom) else { return Err(Stop::Again(*ordinal)) };
                one(Relation::Is, name)
            }
            Value::Sub { ordinal, ty, .. } if is_database(ty) && self.work.made(*ordinal) => match self.work.name_of(*ordinal) {
                Some(name) => one(Relation::Is, Expr::atom(name)),
                None => Err(Stop::Again(*ordinal)),
            },
            Value::Sub { ty, fields, .. } if is_database(ty) => self.tables_of(subject, fields),
            Value::Sub { ty, .. } if is_mock(ty) => no(ReasonCode::NotComparable.of(ty.short())),
            Value::Sub { base, fields, .. } if is_by_method(base) => self.request(subject, base, fields),
            Value::Sub { ordinal, ty, base, fields } if !fields.is_empty() => {
                if let Some(name) = self.work.name_of(*ordinal) {
                    let name = Expr::atom(name);
                    return one(Relation::Is, name);
                }
                let mut all = self.content(subject, ty, base)?;
                let fields: Vec<(&str, &Value)> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
                all.extend(self.attributes(subject, &fields)?);
                if all.is_empty() {
                    return no(ReasonCode::NotComparable.of(ty.short()));
                }
                all.insert(0, Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?)));
                Ok(all)
            }
            Value::NamedTuple { ty, fields } => match self.equal_and_typed(subject, &value, ty) {
                Err(Stop::No(_)) => {
                    let fields: Vec<(&str, &Value)> = fields.iter().map(|(name, value)| (name.as_str(), value)).collect();
                    let mut all = self.attributes(subject, &fields)?;
                    if all.is_empty() {
                        return no(ReasonCode::NotComparable.of(ty.short()));
                    }
                    all.insert(0, Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?)));
                    Ok(all)
                }
                other => other,
            },
            // A class with an `==` of its own is compared as the builtin would be.
            Value::Sub { ty, base, .. } if self.project.has_equality(ty) => {
                let mut all = self.content(subject, ty, base)?;
                if all.is_empty() {
                    return self.equal_and_typed(subject, &value, ty);
                }
                all.insert(0, Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?)));
                Ok(all)
            }
            Value::Sub { ty, .. } => self.equal_and_typed(subject, &value, ty),
            Value::New { ty, args, kwargs } if equals_other_types(ty) => {
                let mut all = self.equal_and_typed(subject, &value, ty)?;
                if let Some(most) = maxlen(ty, args, kwargs) {
                    all.push(Assertion::new(&format!("{subject}.maxlen"), Relation::Equal, self.expected(most)?));
                }
                Ok(all)
            }
            Value::New { ty, args, .. } if found::is_found(ty) => self.what_was_found(subject, args),
            // Equal numbers of another kind make an equal array.
            Value::New { ty, args, .. } if ty.module == "array" && !args.is_empty() => {
                let kind = Assertion::new(&format!("{subject}.typecode"), Relation::Equal, self.expected(&args[0])?);
                Ok(vec![Assertion::new(subject, Relation::Equal, self.expected(&value)?), kind])
            }
            Value::New { ty, args, kwargs } if ty.module == "datetime" && matches!(ty.qualname.as_str(), "datetime" | "time") => {
                // Times of day are equal in all zones, and on both sides of the hour that comes twice.
                let mut all = vec![Assertion::new(subject, Relation::Equal, self.expected(&value)?)];
                if let Some(zone) = zone(ty, args, kwargs) {
                    all.push(Assertion::new(&format!("{subject}.tzinfo"), Relation::Equal, self.expected(zone)?));
                }
                if let Some((_, fold)) = kwargs.iter().find(|(name, fold)| name == "fold" && *fold != Value::Int(0)) {
                    all.push(Assertion::new(&format!("{subject}.fold"), Relation::Equal, self.expected(fold)?));
                }
                Ok(all)
            }
            Value::Object { ordinal, ty, kind, fields } => {
                if let Some(name) = self.work.name_of(*ordinal) {
                    let name = Expr::atom(name);
                    return one(Relation::Is, name);
                }
                if self.work.made(*ordinal) {
                    return Err(Stop::Again(*ordinal));
                }
                self.object_assertions(subject, &value, ty, *kind, fields)
            }
            Value::Exception { ty, args, fields, .. } => {
                let class = Expr::Atom(self.spell(ty)?);
                let args = self.expected(&Value::Tuple(args.clone()))?;
                let mut all = vec![
                    Assertion::new(&format!("type({subject})"), Relation::Is, class),
                    Assertion::new(&format!("{subject}.args"), Relation::Equal, args),
                ];
                let fields = fields.iter().filter(|(name, _)| !name.starts_with('_'));
                let fields: Vec<(&str, &Value)> = fields.map(|(name, value)| (name.as_str(), value)).collect();
                all.extend(self.attributes(subject, &fields)?);
                Ok(all)
            }
            Value::Secret { look: Some(look), .. } => Ok(withheld(subject, *look)),
            Value::New { ty, args, .. } if ty.module == "io" => match args.first() {
                Some(Value::File { content, .. }) => match content.as_ref() {
                    Value::Bytes(bytes) if let Ok(text) = str::from_utf8(bytes) => {
                        self.assertions(&format!("{subject}.buffer.getvalue().decode()"), &Value::Str(text.to_owned()))
                    }
                    content => self.assertions(&format!("{subject}.buffer.getvalue()"), content),
                },
                _ => no(ReasonCode::NotComparable.of(ty.short())),
            },
            Value::File { content, .. } => self.assertions(&format!("{subject}.getvalue()"), content),
            Value::List(items) | Value::Tuple(items) => match self.expected(&value) {
                Ok(expected) => one(Relation::Equal, expected),
                Err(Stop::No(reason)) => match self.rows(subject, &value, items) {
                    Err(Stop::No(_)) => self.one_by_one(subject, items).map_err(|stop| match stop {
                        Stop::No(_) => Stop::No(reason),
                        again => again,
                    }),
                    other => other,
                },
                Err(again) => Err(again),
            },
            Value::Dict(pairs) => match self.expected(&value) {
                Ok(expected) => one(Relation::Equal, expected),
                Err(Stop::No(_)) if tables::is_in(&value) || holds_secret(&value) => self.entries(subject, pairs),
                Err(again) => Err(again),
            },
            _ => one(Relation::Equal, self.expected(&value)?),
        }
    }

    /// Tells whether a value is an object that the test has a name for.
    fn is_named(&self, value: &Value) -> bool {
        match value {
            Value::Object { ordinal, .. } | Value::Sub { ordinal, .. } => self.work.made(*ordinal),
            _ => false,
        }
    }

    /// Asserts all that a value holds, where a person chose that.
    fn chosen_graph(&mut self, subject: &str, value: &Value) -> Result<Option<Vec<Assertion>>, Stop> {
        if self.project.snapshots == Snapshots::Graph { self.graphed(subject, value) } else { Ok(None) }
    }

    /// R7: asserts what an iterator gives, and what iterators among its items give.
    fn read_items(&mut self, subject: &str, items: &Value) -> Result<Vec<Assertion>, Stop> {
        let inner: Option<Vec<Value>> = match items {
            Value::List(items) if !items.is_empty() => items.iter().map(|item| closer::read(item).cloned()).collect(),
            _ => None,
        };
        match inner {
            Some(inner) => self.assertions(&format!("[list(item) for item in {subject}]"), &Value::List(inner)),
            None => {
                let listed = format!("list({subject})");
                match items {
                    Value::Tuple(items) => self.assertions(&listed, &Value::List(items.clone())),
                    Value::List(_) => self.assertions(&listed, items),
                    Value::Str(text) if text.chars().count() < 4 => {
                        let letters = text.chars().map(|letter| Value::Str(letter.into())).collect();
                        self.assertions(&listed, &Value::List(letters))
                    }
                    other => {
                        let expected = Expr::call("list", vec![self.expected(other)?]);
                        Ok(vec![Assertion::new(&listed, Relation::Equal, expected)])
                    }
                }
            }
        }
    }

    /// Asserts what an instance of a builtin's subclass holds as the builtin.
    fn content(&mut self, subject: &str, ty: &TypeName, base: &Value) -> Result<Vec<Assertion>, Stop> {
        let builtin = match base {
            Value::Str(_) => "str",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::List(items) if !items.is_empty() => "list",
            Value::Tuple(items) if !items.is_empty() => "tuple",
            Value::Set(items) if !items.is_empty() => "set",
            Value::Dict(pairs) if !pairs.is_empty() => "dict",
            _ => return Ok(Vec::new()),
        };
        // A class with its own way to be read is read as the builtin would be.
        let own = |name: &&str| matches!(self.project.method(ty, name), Lookup::Found(_));
        let seen = match builtin {
            "dict" if ["__getitem__", "__iter__", "keys"].iter().any(own) => format!("dict(dict.items({subject}))"),
            "list" | "tuple" | "set" if own(&"__iter__") => format!("{builtin}({builtin}.__iter__({subject}))"),
            "str" if own(&"__str__") => format!("str.__str__({subject})"),
            _ => format!("{builtin}({subject})"),
        };
        match self.expected(base) {
            Ok(expected) => Ok(vec![Assertion::new(&seen, Relation::Equal, expected)]),
            Err(Stop::No(_)) => Ok(Vec::new()),
            Err(again) => Err(again),
        }
    }

    fn approximate(&mut self, subject: &str, value: &Value) -> Result<Vec<Assertion>, Stop> {
        let expected = self.expected(value)?;
        self.work.imports.insert(Import::module("pytest"));
        Ok(vec![Assertion::new(subject, Relation::Approx, expected)])
    }

    /// Asserts what a pattern found, where, and its groups.
    fn what_was_found(&mut self, subject: &str, args: &[Value]) -> Result<Vec<Assertion>, Stop> {
        const GROUPS_MAX: usize = 8;
        let Some(span @ (start, end)) = found::span(args) else { return no(ReasonCode::UnsupportedRegex) };
        let mut all = Vec::new();
        if let Some(part) = found::part(args, span) {
            all.push(Assertion::new(&format!("{subject}.group()"), Relation::Equal, self.expected(&part)?));
        }
        let span = Expr::Atom(format!("({start}, {end})"));
        all.push(Assertion::new(&format!("{subject}.span()"), Relation::Equal, span));
        if let Some(groups) = found::groups(args, GROUPS_MAX).filter(|groups| !groups.is_empty()) {
            let groups = self.expected(&Value::Tuple(groups))?;
            all.push(Assertion::new(&format!("{subject}.groups()"), Relation::Equal, groups));
        }
        Ok(all)
    }

    fn decimal(&mut self, subject: &str, value: &Value, args: &[Value]) -> Result<Vec<Assertion>, Stop> {
        let Some(Value::Str(text)) = args.first() else {
            let expected = self.expected(value)?;
            return Ok(vec![Assertion::new(subject, Relation::Equal, expected)]);
        };
        let text_only = Assertion::new(subject, Relation::Text, Expr::Text(text.clone()));
        if text.to_ascii_lowercase().contains("nan") {
            return Ok(vec![text_only]);
        }
        let mut all = vec![Assertion::new(subject, Relation::Equal, self.expected(value)?)];
        if digits_matter(text) {
            all.push(text_only);
        }
        Ok(all)
    }

    fn equal_and_typed(&mut self, subject: &str, value: &Value, ty: &TypeName) -> Result<Vec<Assertion>, Stop> {
        let expected = self.expected(value)?;
        let class = Expr::Atom(self.spell(ty)?);
        Ok(vec![
            Assertion::new(subject, Relation::Equal, expected),
            Assertion::new(&format!("type({subject})"), Relation::Is, class),
        ])
    }

    fn object_assertions(
        &mut self,
        subject: &str,
        value: &Value,
        ty: &TypeName,
        kind: ObjectKind,
        fields: &[(String, Value)],
    ) -> Result<Vec<Assertion>, Stop> {
        if self.compares_by_content(value) {
            match self.expected(value) {
                Ok(expected) => {
                    let mut all = vec![Assertion::new(subject, Relation::Equal, expected)];
                    // Another class may answer `==` as it likes.
                    if kind == ObjectKind::Plain {
                        all.push(Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?)));
                    }
                    return Ok(all);
                }
                Err(Stop::Again(ordinal)) => return Err(Stop::Again(ordinal)),
                Err(Stop::No(_)) => {}
            }
        }
        let own = fields.iter().filter(|(name, value)| !self.project.is_cache(ty, name, value));
        let fields: Vec<(&str, &Value)> = own.map(|(name, value)| (name.as_str(), value)).collect();
        let attributes = self.attributes(subject, &fields)?;
        if attributes.is_empty() {
            return no(ReasonCode::NotComparable.of(ty.short()));
        }
        let mut all = vec![Assertion::new(&format!("type({subject})"), Relation::Is, Expr::Atom(self.spell(ty)?))];
        all.extend(attributes);
        Ok(all)
    }

    /// R8: asserts what a result without a form says of itself when it is asked.
    pub(super) fn said(&mut self, call: &Call) -> Option<Vec<Assertion>> {
        let mut all = Vec::new();
        for (name, value) in (self.project.says)(call.id) {
            let subject = if name == closer::REPR { format!("repr({RESULT})") } else { format!("{RESULT}.{name}") };
            all.extend(self.assertions(&subject, value).unwrap_or_default());
        }
        (!all.is_empty()).then_some(all)
    }
}

/// Finds the argument that a result is: the same object, or the same changed container.
pub(super) fn identity<'c>(call: &'c Call, value: &Value) -> Option<&'c Argument> {
    let of = |value: &Value| match value {
        Value::Shared(ordinal, _) | Value::Ref(ordinal) => Some(*ordinal),
        other => other.ordinal(),
    };
    let wanted = of(value)?;
    call.args.iter().find(|arg| {
        let changed = call.effect.changed.iter().find(|(name, _)| *name == arg.name).and_then(|(_, after)| of(after));
        let object =
            matches!(arg.value, Value::Object { .. } | Value::Sub { .. } | Value::Exception { .. } | Value::Opaque { .. });
        (object && of(&arg.value) == Some(wanted)) || changed == Some(wanted)
    })
}

/// Takes the places of objects in memory out of a text.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split(ADDRESS);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(ADDRESS);
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    out
}
