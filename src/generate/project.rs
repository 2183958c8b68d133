//! What drafting has to know besides the calls: the index's view of classes, and the life of an object so far.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::base::paths::RelPath;
use crate::domain::call::{Call, CallId};
use crate::domain::function::{Class, Field, Function, FunctionId, FunctionKind, Module, Param, Span};
use crate::domain::parts;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::settings::Snapshots;
use crate::domain::value::{TypeName, Value};
use crate::generate::learned::{self, Learned};
use crate::generate::told::Told;
use crate::source::called::Form;
use crate::source::constructor::{Constructor, Keeps};
use crate::source::facades::Facades;
use crate::source::mappings::Mapping;
use crate::source::names::absolute;

/// The knowledge that the engine lends to drafting.
#[derive(Clone, Copy)]
pub struct Project<'a> {
    /// Finds a module of the project by its dotted name.
    pub module: &'a dyn Fn(&str) -> Option<&'a Module>,
    /// Lists the kept calls whose receiver is this object, and those that changed it as an argument, of the same process as
    /// the given call and begun before it, in order of their start.
    pub history: &'a dyn Fn(&Call, u64) -> Vec<&'a Call>,
    /// Lists the kept calls whose receiver is this object, of the same process as the given call and begun after its end, in
    /// order of their start.
    pub afterwards: &'a dyn Fn(&Call, u64) -> Vec<&'a Call>,
    /// Lists the kept calls of the functions that are defined inside of the called one, of the same process as the given
    /// call, begun after its end and before the next call of its function, in order of their start.
    pub inner: &'a dyn Fn(&Call) -> Vec<&'a Call>,
    /// Lists the kept calls of a class's `__init__`, in order: an object that was never seen being made may be one of
    /// those that were, by its state.
    pub births: &'a dyn Fn(&TypeName) -> Vec<&'a Call>,
    /// Lists the kept calls of the given call's process, ended before it began, whose result holds this object, or that
    /// raised it.
    pub makers: &'a dyn Fn(&Call, u64) -> Vec<&'a Call>,
    /// Lists the kept calls whose result is, or holds, an instance of a class: the simplest first.
    pub makers_of: &'a dyn Fn(&TypeName) -> Vec<&'a Call>,
    /// Lists the ways from line to line that a call took and the faults it notices, where somebody looked: a number each.
    pub reached: &'a dyn Fn(CallId) -> Option<&'a BTreeSet<u32>>,
    /// Lists what a call's result says of itself, where it has no form of its own and somebody asked.
    pub says: &'a dyn Fn(CallId) -> &'a [(String, Value)],
    /// Lists what has to stand in for functions that a call made and that left its process (R17).
    pub stand_ins: &'a dyn Fn(CallId) -> &'a [StandIn],
    /// Gives the lines of a definition as they are written.
    pub text: &'a dyn Fn(&RelPath, Span) -> Option<String>,
    /// Lists the ways in which recorded tests came to calls of a function.
    pub scenes: &'a dyn Fn(&FunctionId) -> &'a [Told],
    /// What classes were found to define: asked of every part of every value.
    pub definitions: &'a Definitions<'a>,
    /// Lists the dicts with many keys that modules of the project keep, each with its module: defaults of settings.
    pub mappings: &'a [(String, Mapping)],
    /// Tells whether a module may be imported: not a script that begins its work when it is.
    pub importable: &'a dyn Fn(&str) -> bool,
    /// The project's own folder on this machine, which stands in no draft.
    pub root: &'a str,
    /// What all calls together tell of classes.
    pub learned: &'a Learned,
    /// Which packages people import names from that are defined below them (R23).
    pub facades: &'a Facades,
    /// What stops the clock for a test (R17).
    pub clock: ClockBy,
    /// What awaits coroutines in a test (R7).
    pub awaits: AwaitBy,
    /// How objects are asserted that do not compare by what they hold.
    pub snapshots: Snapshots,
}

/// What stops the clock for a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockBy {
    /// The fixture of pytest's plugin time-machine.
    TimeMachine,
    /// The project imports freezegun.
    Freezegun,
    /// pytest's `monkeypatch` alone, where the module reads the clock.
    #[default]
    Monkeypatch,
}

/// What awaits coroutines in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum AwaitBy {
    /// `asyncio.run` in a plain test.
    #[default]
    Run,
    /// The plugin pytest-asyncio, for tests that bear its mark.
    Asyncio,
    /// The plugin pytest-asyncio, for every test that is a coroutine function.
    AsyncioAuto,
    /// The plugin of anyio, for tests that bear its mark.
    Anyio,
}

impl AwaitBy {
    /// Gives the mark that a test bears.
    #[must_use]
    pub fn mark(self) -> Option<&'static str> {
        match self {
            Self::Run | Self::AsyncioAuto => None,
            Self::Asyncio => Some("@pytest.mark.asyncio"),
            Self::Anyio => Some("@pytest.mark.anyio"),
        }
    }

    /// Tells whether the test is a coroutine function itself.
    #[must_use]
    pub fn is_native(self) -> bool {
        self != Self::Run
    }
}

/// A function that left its process while a call was made, and what it gave.
#[derive(Debug, Clone, PartialEq)]
pub struct StandIn {
    /// The function.
    pub function: FunctionId,
    /// It is awaited.
    pub is_async: bool,
    /// Its first argument is an instance or a class.
    pub has_receiver: bool,
    /// Where its callers read it.
    pub target: TypeName,
    /// What it was given and what it gave, in order.
    pub calls: Vec<Call>,
    /// How its arguments are written where it is called; `None` where that is not the same each time.
    pub form: Option<Form>,
}

/// What Django and SQLAlchemy keep in a row beside its columns: whether it is saved, and rows that it refers to.
fn is_of_mapper(field: &str, value: &Value) -> bool {
    let of = |part: &Value| match part {
        Value::Object { ty, .. } | Value::Opaque { ty, .. } => {
            (ty.module == "django.db.models.base" && ty.short() == "ModelState")
                || (ty.module == "sqlalchemy.orm.state" && ty.short() == "InstanceState")
        }
        _ => false,
    };
    match field {
        "_state" | "_sa_instance_state" => of(value),
        "_prefetched_objects_cache" => true,
        _ => false,
    }
}

/// Tells whether an object is a row of Django or SQLAlchemy, by its fields.
#[must_use]
pub fn is_row(fields: &[(String, Value)]) -> bool {
    fields.iter().any(|(name, value)| name != "_prefetched_objects_cache" && is_of_mapper(name, value))
}

/// The field of an exception that tells the type of what it was raised from.
pub const CAUSE: &str = "__cause__";

/// How deep base classes are followed.
pub(super) const BASES_MAX: usize = 12;

impl<'a> Project<'a> {
    /// Finds a class of the project.
    #[must_use]
    pub fn class(&self, ty: &TypeName) -> Option<(&'a Module, &'a Class)> {
        let module = (self.module)(&ty.module)?;
        Some((module, module.classes.iter().find(|class| class.qualname == ty.qualname)?))
    }

    /// Finds a method of a class or of the nearest base class that has it.
    #[must_use]
    pub fn method(&self, ty: &TypeName, name: &str) -> Lookup<'a> {
        self.definitions.method(ty, name, || self.method_within(ty, name, BASES_MAX))
    }

    fn method_within(&self, ty: &TypeName, name: &str, depth: usize) -> Lookup<'a> {
        let Some((module, class)) = self.class(ty) else {
            return if adds_nothing(ty, name) { Lookup::Missing } else { Lookup::Unknown };
        };
        let is_it = |function: &&Function| {
            let own = function.written().strip_prefix(class.qualname.as_str()).and_then(|rest| rest.strip_prefix('.'));
            own == Some(name) && !function.is_overload()
        };
        if let Some(function) = module.functions.iter().find(is_it) {
            return Lookup::Found(function);
        }
        if depth == 0 {
            return Lookup::Unknown;
        }
        for base in &class.bases {
            if base.contains('=') {
                continue;
            }
            match self.method_within(&resolve(module, class, base), name, depth - 1) {
                Lookup::Missing => {}
                found => return found,
            }
        }
        Lookup::Missing
    }

    /// Tells whether instances are compared by their content: whether the class or a base of it has an `__eq__`.
    #[must_use]
    pub fn has_equality(&self, ty: &TypeName) -> bool {
        matches!(self.method(ty, "__eq__"), Lookup::Found(_))
    }

    /// Tells whether the comparison that a class has of its own does not look at a field: it names neither the field nor
    /// anything that may stand for all of them.
    #[must_use]
    pub fn equality_overlooks(&self, ty: &TypeName, field: &str) -> bool {
        let Lookup::Found(equality) = self.method(ty, "__eq__") else { return false };
        let names_all = |name: &String| {
            let is_own = !name.starts_with("__") && !matches!(self.method(ty, name), Lookup::Missing);
            is_own
                || matches!(
                    name.as_str(),
                    "__dict__" | "__slots__" | "vars" | "getattr" | "asdict" | "astuple" | "super" | "repr" | "str" | "hash"
                )
        };
        !equality.uses.contains(field) && !equality.uses.iter().any(names_all)
    }

    /// Tells whether a field of a dataclass, or of a class by attrs, is declared not to be compared.
    #[must_use]
    pub fn is_left_out_of_equality(&self, ty: &TypeName, field: &str) -> bool {
        let value = self.field(ty, field).and_then(|field| field.value.as_deref()).unwrap_or_default().replace(' ', "");
        ["compare=False", "eq=False", "cmp=False"].iter().any(|word| value.contains(word))
    }

    /// Tells whether a decorator of the class switches the generated comparison off.
    #[must_use]
    pub fn equality_is_off(&self, ty: &TypeName) -> bool {
        self.class(ty)
            .is_some_and(|(_, class)| class.decorators.iter().any(|decorator| decorator.replace(' ', "").contains("eq=False")))
    }

    /// Gives the parameters of a class's own or inherited `__init__`, without the receiver.
    #[must_use]
    pub fn init(&self, ty: &TypeName) -> Init<'a> {
        match self.method(ty, "__init__") {
            Lookup::Found(function) => Init::Takes(function.params.get(1..).unwrap_or_default()),
            Lookup::Missing => Init::Takes(&[]),
            Lookup::Unknown => Init::Unknown,
        }
    }

    /// Finds a field of a class or of the nearest base class that names it.
    #[must_use]
    pub fn field(&self, ty: &TypeName, name: &str) -> Option<&'a Field> {
        self.field_within(ty, name, BASES_MAX)
    }

    fn field_within(&self, ty: &TypeName, name: &str, depth: usize) -> Option<&'a Field> {
        let (module, class) = self.class(ty)?;
        let own = class.fields.iter().find(|field| field.name == name);
        if own.is_some() || depth == 0 {
            return own;
        }
        class.bases.iter().filter(|base| !base.contains('=')).find_map(|base| {
            let base = resolve(module, class, base);
            self.field_within(&base, name, depth - 1)
        })
    }

    /// Lists the fields of a class in the order in which they are declared, those of its bases first.
    #[must_use]
    pub fn declared(&self, ty: &TypeName) -> Vec<&'a str> {
        self.declared_within(ty, BASES_MAX)
    }

    fn declared_within(&self, ty: &TypeName, depth: usize) -> Vec<&'a str> {
        let Some((module, class)) = self.class(ty).filter(|_| depth > 0) else { return Vec::new() };
        let bases = class.bases.iter().filter(|base| !base.contains('=')).map(|base| resolve(module, class, base));
        let mut all: Vec<&str> = bases.flat_map(|base| self.declared_within(&base, depth - 1)).collect();
        all.extend(class.fields.iter().map(|field| field.name.as_str()));
        all
    }

    /// Tells whether a class keeps its fields in slots, so that `vars` knows none of them.
    #[must_use]
    pub fn has_slots(&self, ty: &TypeName) -> bool {
        let by_decorator = || {
            let spaceless = |decorator: &String| decorator.replace(' ', "").contains("slots=True");
            self.class(ty).is_some_and(|(_, class)| class.decorators.iter().any(spaceless))
        };
        self.field(ty, "__slots__").is_some() || by_decorator()
    }

    /// Tells whether a field only keeps what was computed once: a cached property's answer, a hash, or what was seen to be
    /// filled when it was first asked for.
    #[must_use]
    pub fn is_cache(&self, ty: &TypeName, field: &str, value: &Value) -> bool {
        let is_property = || {
            matches!(self.method(ty, field), Lookup::Found(found)
                if found.kind == FunctionKind::Property && !found.decorators.iter().any(|decorator| decorator == "property"))
        };
        let is_by_name = || {
            self.is_filled_later(ty, field, BASES_MAX)
                || self.is_serial(ty, field)
                || self.learned.is_cached(ty, field)
                || is_property()
        };
        // Of every field of every value this is asked, many times.
        is_of_mapper(field, value) || learned::is_kept_hash(field, value) || self.learned.remembered(ty, field, is_by_name)
    }

    /// Tells whether a field numbers the objects of a class, or of a base of it, in the order of their making.
    #[must_use]
    pub fn is_serial(&self, ty: &TypeName, field: &str) -> bool {
        self.learned.has_serials() && self.is_serial_within(ty, field, BASES_MAX)
    }

    fn is_serial_within(&self, ty: &TypeName, field: &str, depth: usize) -> bool {
        if self.learned.is_serial(ty, field) {
            return true;
        }
        let Some((module, class)) = self.class(ty).filter(|_| depth > 0) else { return false };
        class.bases.iter().any(|base| self.is_serial_within(&resolve(module, class, base), field, depth - 1))
    }

    /// Takes out of a value the fields that number objects; tells whether there were any.
    pub fn forget_serials(&self, value: &mut Value) -> bool {
        let mut found = false;
        if self.learned.has_serials() {
            parts::each(value, &mut |part| {
                if let Value::Object { ty, fields, .. } = part {
                    let all = fields.len();
                    fields.retain(|(name, value)| !matches!(value, Value::Int(_)) || !self.is_serial(ty, name));
                    found |= fields.len() < all;
                }
            });
        }
        found
    }

    fn is_filled_later(&self, ty: &TypeName, field: &str, depth: usize) -> bool {
        if !field.starts_with('_') || depth == 0 {
            return false;
        }
        let bases =
            || self.class(ty).into_iter().flat_map(|(module, class)| class.bases.iter().map(|base| resolve(module, class, base)));
        self.learned.is_filled_later(ty, field) || bases().any(|base| self.is_filled_later(&base, field, depth - 1))
    }

    /// Gives a value without what its objects computed once and keep: it comes back when it is asked for.
    #[must_use]
    pub fn without_caches(&self, value: &Value) -> Value {
        let plain = |(name, value): &(String, Value)| (name.clone(), self.without_caches(value));
        let all = |values: &[Value]| values.iter().map(|value| self.without_caches(value)).collect();
        match value {
            Value::Object { ordinal, ty, kind, fields } => {
                let kept = fields.iter().filter(|(name, value)| !self.is_cache(ty, name, value));
                Value::Object { ordinal: *ordinal, ty: ty.clone(), kind: *kind, fields: kept.map(plain).collect() }
            }
            Value::Exception { ordinal, ty, args, fields } => {
                // What an exception was raised from is no argument of it.
                let kept = fields.iter().filter(|(name, _)| name != CAUSE);
                Value::Exception { ordinal: *ordinal, ty: ty.clone(), args: all(args), fields: kept.map(plain).collect() }
            }
            Value::List(items) => Value::List(all(items)),
            Value::Tuple(items) => Value::Tuple(all(items)),
            Value::Dict(items) => {
                Value::Dict(items.iter().map(|(key, value)| (key.clone(), self.without_caches(value))).collect())
            }
            Value::Shared(ordinal, value) => Value::Shared(*ordinal, Box::new(self.without_caches(value))),
            other => other.clone(),
        }
    }

    /// Tells whether two values are the same but for what their objects computed once and keep.
    #[must_use]
    pub fn is_the_same(&self, one: &Value, other: &Value) -> bool {
        one.same_as(other) || self.without_caches(one).same_as(&self.without_caches(other))
    }

    /// Tells why a test cannot import something by its name, where that is known.
    ///
    /// # Errors
    /// Fails with the reason.
    pub fn may_import(&self, ty: &TypeName) -> Result<(), Reason> {
        let Some(module) = (self.module)(&ty.module).filter(|module| module.is_test()) else { return Ok(()) };
        let head = ty.qualname.split('.').next().unwrap_or_default();
        let class = module.classes.iter().find(|class| class.qualname == head);
        // pytest would collect it a second time.
        let is_collected = class.is_some_and(|class| class.bases.iter().any(|base| base.ends_with("TestCase")));
        // One of a package is imported by its name, wherever the test lies.
        let is_in_package = module.name.contains('.') && module.path.file_name() != "conftest.py";
        if is_collected || !is_in_package {
            return Err(ReasonCode::DefinedInTestFile.of(ty.short()));
        }
        Ok(())
    }

    /// Finds a function of the project by its importable name.
    #[must_use]
    pub fn function(&self, ty: &TypeName) -> Option<&'a Function> {
        let module = (self.module)(&ty.module)?;
        let is_known = |function: &&Function| function.kind != FunctionKind::Nested && !function.is_overload();
        let own = module.functions.iter().find(|function| function.id.qualname() == ty.qualname && is_known(function));
        own.or_else(|| module.functions.iter().find(|function| function.written() == ty.qualname && is_known(function)))
    }
}

/// What looking for a method found.
#[derive(Debug, Clone, Copy)]
pub enum Lookup<'a> {
    /// The project defines it.
    Found(&'a Function),
    /// No class on the way up has it.
    Missing,
    /// A base class is not the project's: nobody knows.
    Unknown,
}

/// What classes were found to define: asked of every part of every value, and found once.
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    methods: RefCell<HashMap<TypeName, HashMap<String, Lookup<'a>>>>,
    pub(super) constructors: RefCell<HashMap<FunctionId, Rc<Constructor>>>,
    pub(super) kept: RefCell<HashMap<TypeName, Rc<[Kept<'a>]>>>,
}

/// A parameter of a constructor that the constructor's text keeps in an attribute.
#[derive(Debug, Clone)]
pub struct Kept<'a> {
    /// The parameter: one of the constructor, or one of a base class's that `**kwargs` reaches.
    pub param: &'a Param,
    /// The attribute, as `vars` names it.
    pub attribute: String,
    /// How.
    pub keeps: Keeps,
    /// It is given by name through `**kwargs`.
    pub is_handed_on: bool,
}

impl<'a> Definitions<'a> {
    /// Gives what a name is in a class, found the first time.
    fn method(&self, ty: &TypeName, name: &str, find: impl FnOnce() -> Lookup<'a>) -> Lookup<'a> {
        if let Some(known) = self.methods.borrow().get(ty).and_then(|methods| methods.get(name)) {
            return *known;
        }
        let found = find();
        self.methods.borrow_mut().entry(ty.clone()).or_default().insert(name.to_owned(), found);
        found
    }
}

/// What a class takes to make an instance.
#[derive(Debug, Clone, Copy)]
pub enum Init<'a> {
    /// These parameters.
    Takes(&'a [Param]),
    /// It is not the project's to know.
    Unknown,
}

/// Follows a base of a class as written in a module to the place it was imported from.
pub(super) fn resolve(module: &Module, class: &Class, base: &str) -> TypeName {
    let base = base.split('[').next().unwrap_or(base).trim();
    // A class that a function defines may be derived from another one of that function.
    if let Some((around, _)) = class.qualname.rsplit_once('.').filter(|(around, _)| around.ends_with("<locals>"))
        && let beside = format!("{around}.{base}")
        && module.classes.iter().any(|class| class.qualname == beside)
    {
        return TypeName::new(&module.name, beside);
    }
    let (head, rest) = base.split_once('.').map_or((base, None), |(head, rest)| (head, Some(rest)));
    if module.classes.iter().any(|class| class.qualname == base) {
        return TypeName::new(&module.name, base);
    }
    for import in &module.imports {
        let bound = import.alias.as_deref().or(import.name.as_deref()).unwrap_or(&import.module);
        if bound != head {
            continue;
        }
        let Some(source) = absolute(module, &import.module) else { continue };
        return match (&import.name, rest) {
            (Some(name), None) => TypeName::new(source, name),
            (Some(name), Some(rest)) if rest.contains('.') => TypeName::new(source, format!("{name}.{rest}")),
            (Some(name), Some(rest)) => TypeName::new(format!("{source}.{name}"), rest),
            (None, Some(rest)) => TypeName::new(source, rest),
            (None, None) => TypeName::new(source, ""),
        };
    }
    TypeName::new("builtins", base)
}

/// A base class outside the project that is known not to define the method.
fn adds_nothing(ty: &TypeName, method: &str) -> bool {
    match (ty.module.as_str(), ty.qualname.as_str()) {
        ("builtins", "object") | ("abc", "ABC") | ("typing", "Generic" | "Protocol") => true,
        ("builtins", "KeyError" | "OSError" | "IOError" | "SyntaxError" | "ImportError") => {
            matches!(method, "__eq__" | "__repr__")
        }
        ("builtins", name) if name.starts_with("Unicode") => matches!(method, "__eq__" | "__repr__"),
        ("builtins", name) => {
            (name.ends_with("Error") || name.ends_with("Exception")) && matches!(method, "__eq__" | "__str__" | "__repr__")
        }
        _ => false,
    }
}
