//! A recorded value → a Python expression that makes it again, with the lines before it and the imports it needs.
//!
//! Fails closed: what has no honest form is an error with its reason. Whether the expression really makes the same value
//! is found out by evaluating it (`plan::Plan::check_items`), never assumed.

pub(super) mod databases;
mod expecting;
pub(in crate::generate) mod inner;
mod kept;
mod life;
mod local_class;
mod mapping;
mod mocks;
mod object;
mod origin;
mod standard;
mod stop;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) use self::expecting::Expecting;
pub(super) use self::inner::is_unnamed_callable;
pub(super) use self::mocks::is_mock;
pub(super) use self::object::is_made_by_what_it_keeps;
pub(super) use self::standard::is_by_method;
pub(super) use self::stop::{Stop, no};

use crate::domain::call::Call;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::generate::layout::{self, Expr, Item};
use crate::generate::project::{Lookup, Project};
use crate::generate::scope::{Import, Scope, is_identifier, snake};
use crate::generate::statement::Statement;
use crate::generate::surroundings;

/// More nodes than this in one case are no test that anybody reads.
const NODES_MAX: usize = 600;
/// With more statements than this nothing is tried any further: a test has fewer lines of set-up.
const STATEMENTS_MAX: usize = 24;
/// Values that are written for one case on all ways to it. An object that cannot be made is tried anew for each way in which its
/// holder may be made: where many hold one another, nobody would see the end.
const TRIED_MAX: usize = 20_000;
/// A dict with so many items may be a module's with a few others.
pub const MAPPING_MIN: usize = 12;
/// A result may stand apart from its test (R4).
const EXPECTED_NODES_MAX: usize = 2_500;

/// A value as code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// Lines that come first.
    pub setup: Vec<Statement>,
    /// The expression.
    pub expression: Expr,
    /// The imports both need.
    pub imports: BTreeSet<Import>,
}

impl Built {
    /// Writes setup and expression as one expression, for an evaluation that has no statements.
    #[must_use]
    pub fn folded(&self) -> String {
        fold(&self.setup, &self.expression)
    }
}

/// Writes statements and an expression as one expression.
#[must_use]
pub fn fold(setup: &[Statement], expression: &Expr) -> String {
    if setup.is_empty() {
        return expression.flat();
    }
    let steps: Vec<&str> = setup.iter().map(|statement| statement.fold.as_str()).collect();
    format!("({}, {})[-1]", steps.join(", "), expression.flat())
}

/// Turns one value into code.
///
/// # Errors
/// Fails with the reason when the value has no code form.
pub fn build<'a>(value: &Value, hint: &str, call: &'a Call, project: Project<'a>, scope: &mut Scope) -> Result<Built, Reason> {
    together(call, project, scope, Way::State, &[], |builder| builder.value(value, hint)).map(|(expression, work)| Built {
        setup: work.setup,
        expression,
        imports: work.imports,
    })
}

/// Which way of making an object is tried first; evaluating tells which one is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By arguments that its own text tells.
    Told,
    /// By what it holds.
    State,
    /// By what was done with it (R11).
    Life,
    /// By what gave it (R11).
    Origin,
    /// By its constructor, and then field by field: when nothing else makes it.
    Fields,
    /// By what it holds, without what the function does not read.
    Unread,
}

/// Runs a construction until it needs no more names: a value that is met twice is bound to a name in the next attempt. `given`
/// names the objects that are there already, by their ordinals.
pub(super) fn together<'a, T>(
    call: &'a Call,
    project: Project<'a>,
    scope: &mut Scope,
    way: Way,
    given: &[(u64, String)],
    mut construct: impl FnMut(&mut Builder<'a, '_>) -> Result<T, Stop>,
) -> Result<(T, Work), Reason> {
    let mut bind = BTreeSet::new();
    let mut tried = 0;
    loop {
        let mut builder = Builder {
            project,
            call,
            scope,
            way,
            bind: &bind,
            work: Work::with(given),
            depth: 0,
            local_depth: 0,
            efforts: 0,
            tried: &mut tried,
            known: None,
            strict: false,
            ordered: false,
            base: surroundings::base(call, project.root),
            expecting: None,
            parts_around: 0,
        };
        match construct(&mut builder) {
            Ok(done) => return Ok((done, builder.work)),
            Err(Stop::No(reason)) => return Err(reason),
            Err(Stop::Again(ordinal)) => {
                if !bind.insert(ordinal) {
                    return Err(ReasonCode::SharedObject.into());
                }
            }
        }
    }
}

/// What the ordinals in the arguments of a call stand for.
type Known<'a> = BTreeMap<u64, &'a Value>;

/// Where an object with an ordinal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Building,
    Inline,
    Bound(String),
}

/// What a construction has made so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    pub(super) setup: Vec<Statement>,
    pub(super) imports: BTreeSet<Import>,
    /// pytest's fixtures that it names.
    pub(super) fixtures: BTreeSet<&'static str>,
    pub(super) taken: BTreeSet<String>,
    /// So many private fields are set, as only their class should.
    pub(super) by_hand: usize,
    seen: BTreeMap<u64, Seen>,
    /// The functions that have a name in the test, each with what it was recorded as.
    defined: Vec<(Value, String)>,
    /// The classes that are, by their recorded names.
    classes: Vec<(TypeName, String)>,
    nodes: usize,
}

impl Work {
    /// Begins with objects that have names.
    fn with(given: &[(u64, String)]) -> Self {
        Self {
            taken: given.iter().map(|(_, name)| name.clone()).collect(),
            seen: given.iter().map(|(ordinal, name)| (*ordinal, Seen::Bound(name.clone()))).collect(),
            ..Self::default()
        }
    }

    /// Gives the name an object is bound to.
    pub(super) fn name_of(&self, ordinal: u64) -> Option<&str> {
        match self.seen.get(&ordinal)? {
            Seen::Bound(name) => Some(name),
            Seen::Building | Seen::Inline => None,
        }
    }

    /// Tells whether an object was made on the way.
    pub(super) fn made(&self, ordinal: u64) -> bool {
        self.seen.contains_key(&ordinal)
    }
}

/// Makes values of one case, so that what is one object there is one object in the test.
pub(super) struct Builder<'a, 's> {
    pub(super) project: Project<'a>,
    pub(super) call: &'a Call,
    pub(super) scope: &'s mut Scope,
    pub(super) way: Way,
    bind: &'s BTreeSet<u64>,
    pub(super) work: Work,
    /// How many objects are being made by what gave them.
    depth: usize,
    /// How many classes are being defined, one for the other.
    local_depth: usize,
    /// How many calls were tried for that.
    efforts: usize,
    /// How many values were written, those that were given up among them.
    tried: &'s mut usize,
    /// What the ordinals in the arguments stand for, once somebody asked.
    known: Option<Rc<Known<'a>>>,
    /// The type of a number is asserted where `==` would not see it.
    pub(super) strict: bool,
    /// The order of a dict is a part of what the function gives.
    pub(super) ordered: bool,
    /// The recorded folder that `tmp_path` stands for (R17).
    pub(super) base: Option<String>,
    /// Set while writing what a result is compared with.
    pub(super) expecting: Option<Expecting<'a>>,
    /// How many values what is asserted now is a part of.
    pub(super) parts_around: usize,
}

impl<'a> Builder<'a, '_> {
    /// Writes what a result is compared with: only what `==` compares by content, or an object of the test itself.
    pub(super) fn expected(&mut self, value: &Value) -> Result<Expr, Stop> {
        let before = self.work.setup.len();
        let built = self.value(value, "expected")?;
        if self.work.setup.len() > before {
            return no(ReasonCode::MultiStatementValue);
        }
        Ok(built)
    }

    /// Writes a value; `hint` names the variable, should one be needed.
    pub(super) fn value(&mut self, value: &Value, hint: &str) -> Result<Expr, Stop> {
        self.work.nodes += 1;
        *self.tried += 1;
        if *self.tried > TRIED_MAX || self.work.nodes > if self.expecting.is_some() { EXPECTED_NODES_MAX } else { NODES_MAX } {
            return no(ReasonCode::TooLong);
        }
        if let Some(expr) = scalar(value) {
            return self.scalar(value, expr);
        }
        if self.work.setup.len() > STATEMENTS_MAX {
            return no(ReasonCode::SetupTooLong.with(self.work.setup.len()));
        }
        if self.expecting.is_some() {
            expecting::incomparable(value)?;
        }
        match value {
            Value::Float(number) => Ok(self.float(*number)),
            Value::Complex(real, imaginary) => Ok(Expr::call("complex", vec![self.float(*real), self.float(*imaginary)])),
            Value::List(items) => Ok(Expr::list(self.values(items, hint)?)),
            Value::Tuple(items) => Ok(Expr::tuple(self.values(items, hint)?)),
            Value::Set(items) if items.is_empty() => Ok(Expr::atom("set()")),
            Value::Set(items) => self.set(items, hint),
            Value::FrozenSet(items) if items.is_empty() => Ok(Expr::atom("frozenset()")),
            Value::FrozenSet(items) => Ok(Expr::call("frozenset", vec![self.set(items, hint)?])),
            Value::Dict(pairs) => {
                if pairs.len() >= MAPPING_MIN
                    && let Some(written) = self.by_mapping(pairs)?
                {
                    return Ok(written);
                }
                let mut done = Vec::new();
                for (key, value) in pairs {
                    done.push((self.value(key, "key")?, self.value(value, hint)?));
                }
                Ok(Expr::dict(done))
            }
            Value::Ref(ordinal) => match self.expecting.as_ref().and_then(|expecting| expecting.defined.get(ordinal).copied()) {
                Some(value) if !matches!(value, Value::Ref(_)) => {
                    let by_content = self.compares_by_content(value);
                    self.expected_object(*ordinal, by_content, |builder| builder.value(value, hint))
                }
                _ => self.again(*ordinal),
            },
            Value::Shared(ordinal, value) => self.identified(*ordinal, hint, |builder| builder.value(value, hint)),
            Value::Name(ty) => self.name(ty),
            Value::Enum { ty, name, value } => self.member(ty, name.as_deref(), value),
            Value::NamedTuple { ty, fields } => self.keywords(ty, fields),
            Value::New { ty, args, kwargs } => match pairs(ty, args, kwargs) {
                Some(pairs) => {
                    let pairs = pairs.into_iter().map(|(key, value)| Ok((self.value(key, "key")?, self.value(value, hint)?)));
                    Ok(Expr::dict(pairs.collect::<Result<_, Stop>>()?))
                }
                None => self.standard(ty, args, kwargs),
            },
            Value::Object { ordinal, .. } if self.expecting.is_some() && !self.compares_by_content(value) => self.again(*ordinal),
            Value::Object { ordinal, ty, kind, fields } => {
                self.identified(*ordinal, &snake(ty.short()), |builder| builder.object(*ordinal, ty, *kind, fields))
            }
            Value::Sub { ordinal, ty, base, fields } if databases::is_database(ty) => {
                self.identified(*ordinal, "connection", |builder| builder.database(*ordinal, base, fields))
            }
            Value::Sub { ordinal, ty, base, fields } => self.identified(*ordinal, &snake(ty.short()), |builder| {
                if is_mock(ty) && !fields.is_empty() {
                    return no(ReasonCode::ExtraAttributes.of(ty.short()));
                }
                if is_by_method(base) || is_mock(ty) {
                    return builder.made_and_set(*ordinal, ty, base, fields);
                }
                if !fields.is_empty() {
                    return builder.collection(*ordinal, ty, base, fields);
                }
                let own = |name: &str| matches!(builder.project.method(ty, name), Lookup::Found(_));
                if builder.expecting.is_some() && (own("__new__") || own("__init__")) {
                    return no(ReasonCode::CustomConstructor.of(ty.short()));
                }
                let base = builder.value(base, hint)?;
                Ok(Expr::call(&builder.spell(ty)?, vec![base]))
            }),
            Value::Exception { ordinal, ty, args, fields } => {
                self.identified(*ordinal, "error", |builder| builder.exception(*ordinal, ty, args, fields))
            }
            Value::Generator { ty, args } => self.generator(ty, args),
            Value::Partial { function, args, kwargs } => {
                let mut items = vec![Item::from(self.value(function, "function")?)];
                items.extend(self.values(args, "value")?.into_iter().map(Item::from));
                items.extend(self.named(kwargs)?);
                self.work.imports.insert(Import::module("functools"));
                Ok(Expr::call_with("functools.partial", items))
            }
            Value::Method { receiver, name } => {
                if !is_identifier(name) {
                    return no(ReasonCode::InvalidName.of(name));
                }
                let receiver = self.value(receiver, "owner")?;
                match receiver {
                    Expr::Atom(receiver) if receiver.split('.').all(is_identifier) => {
                        Ok(Expr::Atom(format!("{receiver}.{name}")))
                    }
                    receiver => Ok(Expr::Atom(format!("{}.{name}", self.bind_new("owner", receiver)))),
                }
            }
            Value::File { class, content, position } => self.file(class, content, *position, hint),
            Value::Array { dtype, shape, items } => self.array(dtype, shape, items),
            Value::Secret { kind, .. } => no(ReasonCode::Redacted.of(kind)),
            Value::Opaque { ordinal, ty } => self.identified(*ordinal, &snake(ty.short()), |builder| {
                builder.by_its_past(*ordinal, ty, ReasonCode::UnreadableArgument.of(ty.short()))
            }),
            cut => no(cut.not_buildable().unwrap_or_else(|| ReasonCode::UnreadableArgument.of(cut.type_name()))),
        }
    }

    fn scalar(&mut self, value: &Value, expr: Expr) -> Result<Expr, Stop> {
        if let Value::Str(text) = value {
            if let Some(path) = self.path(text) {
                return Ok(Expr::Atom(format!("str({path})")));
            }
            if surroundings::is_private_path(text, self.project.root) {
                return no(ReasonCode::MachinePath);
            }
        }
        Ok(expr)
    }

    /// Writes a path below a folder that a test finds on every machine: its own temporary one, or the project's.
    pub(super) fn path(&mut self, path: &str) -> Option<String> {
        if let Some(written) = surroundings::below(self.base.as_deref(), path) {
            return Some(written);
        }
        let written = surroundings::of_project(self.project.root, path)?;
        self.work.fixtures.insert(surroundings::PROJECT);
        Some(written)
    }

    pub(super) fn values(&mut self, values: &[Value], hint: &str) -> Result<Vec<Expr>, Stop> {
        values.iter().map(|value| self.value(value, hint)).collect()
    }

    pub(super) fn named(&mut self, fields: &[(String, Value)]) -> Result<Vec<Item>, Stop> {
        let mut items = Vec::new();
        for (name, value) in fields {
            if !is_identifier(name) {
                return no(ReasonCode::InvalidName.of(name));
            }
            items.push(Item::keyword(name, self.value(value, name)?));
        }
        Ok(items)
    }

    fn keywords(&mut self, ty: &TypeName, fields: &[(String, Value)]) -> Result<Expr, Stop> {
        let items = self.named(fields)?;
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// R28: the text of a set does not depend on hash seeds.
    fn set(&mut self, items: &[Value], hint: &str) -> Result<Expr, Stop> {
        let mut members = Vec::new();
        for item in items {
            members.push((item.type_name().to_owned(), self.value(item, hint)?));
        }
        members.sort_by(|(a, x), (b, y)| (a, number(x), x.flat()).partial_cmp(&(b, number(y), y.flat())).unwrap_or(a.cmp(b)));
        let items = members.into_iter().map(|(_, expr)| Item::from(expr)).collect();
        Ok(Expr::Bracket { open: "{".into(), items, close: '}', one_tuple: false })
    }

    pub(super) fn float(&mut self, number: f64) -> Expr {
        match layout::float(number) {
            Some(text) => Expr::Atom(text),
            None if number.is_nan() => {
                self.work.imports.insert(Import::module("math"));
                Expr::atom("math.nan")
            }
            None => Expr::atom(if number > 0.0 { "float(\"inf\")" } else { "float(\"-inf\")" }),
        }
    }

    pub(super) fn name(&mut self, ty: &TypeName) -> Result<Expr, Stop> {
        self.spell(ty).map(Expr::Atom)
    }

    /// Spells an importable thing and notes the import.
    pub(super) fn spell(&mut self, ty: &TypeName) -> Result<String, Stop> {
        if ty.qualname.contains("<locals>") {
            return self.local_class(ty);
        }
        self.project.may_import(ty)?;
        if !(self.project.importable)(&ty.module) {
            return no(ReasonCode::UnguardedScript.of(ty.short()));
        }
        let (spelled, import) = self.scope.spell(&self.project.facades.public(ty))?;
        self.work.imports.extend(import);
        Ok(spelled)
    }

    fn member(&mut self, ty: &TypeName, name: Option<&str>, value: &Value) -> Result<Expr, Stop> {
        let class = self.spell(ty)?;
        match name {
            Some(name) if name.split('|').all(is_identifier) => {
                let members: Vec<String> = name.split('|').map(|member| format!("{class}.{member}")).collect();
                Ok(Expr::Atom(members.join(" | ")))
            }
            _ => Ok(Expr::call(&class, vec![self.value(value, "value")?])),
        }
    }

    /// Writes an object that a result holds: by content where `==` compares it, else as the object of the test it is.
    fn expected_object(
        &mut self,
        ordinal: u64,
        by_content: bool,
        make: impl FnOnce(&mut Self) -> Result<Expr, Stop>,
    ) -> Result<Expr, Stop> {
        if !by_content {
            return self.again(ordinal);
        }
        let opened = self.expecting.as_mut().is_some_and(|expecting| expecting.open.insert(ordinal));
        if !opened {
            return no(ReasonCode::CyclicValue);
        }
        let made = make(self);
        if let Some(expecting) = &mut self.expecting {
            expecting.open.remove(&ordinal);
        }
        made
    }

    /// Tells whether `==` compares instances by content.
    pub(super) fn compares_by_content(&self, value: &Value) -> bool {
        match value {
            Value::Object { ty, kind: ObjectKind::Plain, .. } => object::is_namespace(ty) || self.project.has_equality(ty),
            Value::Object { ty, .. } => !self.project.equality_is_off(ty),
            Value::Exception { .. } | Value::Opaque { .. } => false,
            _ => true,
        }
    }

    /// Meets an object again that was made before.
    pub(super) fn again(&mut self, ordinal: u64) -> Result<Expr, Stop> {
        match self.work.seen.get(&ordinal) {
            Some(Seen::Bound(name)) => Ok(Expr::atom(name.clone())),
            Some(Seen::Inline) => Err(Stop::Again(ordinal)),
            Some(Seen::Building) => no(ReasonCode::CyclicValue),
            // The field that contains it first is not written, because it follows from others.
            None => match self.recorded(ordinal).filter(|_| self.expecting.is_none()) {
                Some(value) => self.value(value, "value"),
                None => no(ReasonCode::MissingObject),
            },
        }
    }

    /// Finds the value with this ordinal in the arguments of the call.
    fn recorded(&self, wanted: u64) -> Option<&'a Value> {
        let mut found = None;
        for arg in &self.call.args {
            arg.value.walk(&mut |part| {
                if part.ordinal() == Some(wanted) || matches!(part, Value::Shared(ordinal, _) if *ordinal == wanted) {
                    found = Some(part);
                }
                found.is_none()
            });
        }
        found
    }

    /// Makes an object once, however often it is met.
    pub(super) fn identified(
        &mut self,
        ordinal: u64,
        hint: &str,
        make: impl FnOnce(&mut Self) -> Result<Expr, Stop>,
    ) -> Result<Expr, Stop> {
        if self.expecting.is_some() {
            return make(self);
        }
        if self.work.seen.contains_key(&ordinal) {
            return self.again(ordinal);
        }
        self.work.seen.insert(ordinal, Seen::Building);
        let made = make(self)?;
        if let Some(Seen::Bound(name)) = self.work.seen.get(&ordinal) {
            return Ok(Expr::atom(name.clone()));
        }
        if !self.bind.contains(&ordinal) {
            self.work.seen.insert(ordinal, Seen::Inline);
            return Ok(made);
        }
        Ok(Expr::Atom(self.bind_object(ordinal, hint, made)))
    }

    /// Binds a made object to a new name.
    pub(super) fn bind_object(&mut self, ordinal: u64, hint: &str, made: Expr) -> String {
        let name = self.bind_new(hint, made);
        self.work.seen.insert(ordinal, Seen::Bound(name.clone()));
        name
    }

    /// Binds an expression to a new name.
    pub(super) fn bind_new(&mut self, hint: &str, made: Expr) -> String {
        let name = self.scope.local(hint, &mut self.work.taken);
        self.work.setup.push(Statement::bind(&name, made));
        name
    }
}

/// Writes values that need nothing else.
pub(super) fn scalar(value: &Value) -> Option<Expr> {
    Some(match value {
        Value::None => Expr::atom("None"),
        Value::Ellipsis => Expr::atom("..."),
        Value::Bool(true) => Expr::atom("True"),
        Value::Bool(false) => Expr::atom("False"),
        Value::Int(number) => Expr::Atom(number.to_string()),
        Value::BigInt(digits) => Expr::Atom(digits.clone()),
        Value::Str(text) => Expr::Text(text.clone()),
        Value::RawStr(bytes) => Expr::Atom(layout::raw_string(bytes)),
        Value::Bytes(bytes) => Expr::Atom(layout::bytes(bytes)),
        _ => return None,
    })
}

fn number(expr: &Expr) -> f64 {
    expr.flat().parse().unwrap_or(0.0)
}

/// Gives the entries of a dict whose keys' trees cannot be keys: it was recorded as a call with a list of pairs.
fn pairs<'v>(ty: &TypeName, args: &'v [Value], kwargs: &[(String, Value)]) -> Option<Vec<(&'v Value, &'v Value)>> {
    let ([Value::List(items)], true, true) =
        (args, kwargs.is_empty(), (ty.module.as_str(), ty.qualname.as_str()) == ("builtins", "dict"))
    else {
        return None;
    };
    items.iter().map(|item| if let Value::Tuple(pair) = item { Some((pair.first()?, pair.get(1)?)) } else { None }).collect()
}
