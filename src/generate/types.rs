//! The types that recorded values have, joined over calls: unions, optionals, containers. Writes annotations; `source/stub.rs`
//! puts them into a module's stub.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{Call, GeneratorEnd, Outcome};
use crate::domain::function::{Function, FunctionKind, Module, ParamKind};
use crate::domain::value::{TypeName, Value};
use crate::source::index::Index;
use crate::source::stub::{Hints, Known};

/// A union of more is no type that tells anything.
const UNION_MAX: usize = 6;
/// Tuples longer than this are sequences.
const TUPLE_MAX: usize = 6;
/// Deeper types are not read by anybody.
const DEPTH_MAX: usize = 6;

/// A type, as far as values show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Ty {
    /// A type that can be named.
    Named(TypeName),
    /// A generic type with what it holds: `list[int]`.
    Holding(TypeName, Vec<Seen>),
    /// A tuple by its places.
    Tuple(Vec<Seen>),
    /// A class itself.
    Class(TypeName),
    /// Something that can be called.
    Callable,
}

/// What was seen in one place, joined.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    types: BTreeSet<Ty>,
    none: bool,
    /// Something was there that has no type to name.
    any: bool,
}

impl Seen {
    fn of<'v>(values: impl IntoIterator<Item = &'v Value>, index: &Index, depth: usize) -> Self {
        let mut seen = Self::default();
        for value in values {
            seen.see(value, index, depth);
        }
        seen
    }

    fn see(&mut self, value: &Value, index: &Index, depth: usize) {
        let builtin = |name: &str| Ty::Named(TypeName::new("builtins", name));
        let holding = |name: &str, parts: Vec<Self>| Ty::Holding(TypeName::new("builtins", name), parts);
        if depth > DEPTH_MAX {
            self.any = true;
            return;
        }
        let inner = |items: &[Value]| Self::of(items, index, depth + 1);
        let ty = match value {
            Value::None => {
                self.none = true;
                return;
            }
            // The same object again has the type it had before.
            Value::Ref(_) => return,
            Value::Shared(_, value) => return self.see(value, index, depth),
            Value::Bool(_) => builtin("bool"),
            Value::Int(_) | Value::BigInt(_) => builtin("int"),
            Value::Float(_) => builtin("float"),
            Value::Complex(..) => builtin("complex"),
            Value::Secret { look: Some(look), .. } => builtin(look.ty.name()),
            Value::Str(_) | Value::RawStr(_) | Value::Secret { .. } => builtin("str"),
            Value::Bytes(_) => builtin("bytes"),
            Value::List(items) => holding("list", vec![inner(items)]),
            Value::Set(items) => holding("set", vec![inner(items)]),
            Value::FrozenSet(items) => holding("frozenset", vec![inner(items)]),
            Value::Tuple(items) => Ty::Tuple(items.iter().map(|item| Self::of([item], index, depth + 1)).collect()),
            Value::Dict(pairs) => holding(
                "dict",
                vec![
                    Self::of(pairs.iter().map(|(key, _)| key), index, depth + 1),
                    Self::of(pairs.iter().map(|(_, value)| value), index, depth + 1),
                ],
            ),
            Value::Object { ty, .. }
            | Value::Sub { ty, .. }
            | Value::Enum { ty, .. }
            | Value::NamedTuple { ty, .. }
            | Value::Exception { ty, .. }
            | Value::Opaque { ty, .. } => return self.named(ty, index),
            Value::New { ty, args, .. } => return self.made(ty, args, index, depth),
            Value::Name(ty) => return self.itself(ty, index),
            Value::Generator { .. } => {
                Ty::Holding(TypeName::new("collections.abc", "Iterator"), vec![Self { any: true, ..Self::default() }])
            }
            Value::Partial { .. } | Value::Method { .. } => Ty::Callable,
            Value::File { class, .. } => Ty::Named(TypeName::new("io", class.clone())),
            Value::Array { .. } => return self.named(&TypeName::new("numpy", "ndarray"), index),
            Value::Ellipsis => {
                self.any = true;
                return;
            }
            Value::Cut { ty, .. } => match ty.as_str() {
                "str" | "bytes" | "bytearray" | "int" => builtin(ty),
                "list" | "set" | "frozenset" => holding(ty, vec![Self::default()]),
                "dict" => holding(ty, vec![Self::default(), Self::default()]),
                _ => {
                    self.any = true;
                    return;
                }
            },
        };
        self.types.insert(ty);
    }

    /// Sees an instance of a class.
    fn named(&mut self, ty: &TypeName, index: &Index) {
        // What a test stands in with is no type of the program.
        let of_tests = index.modules().any(|module| module.name == ty.module && module.is_test());
        match public(ty).filter(|_| !of_tests) {
            Some(ty)
                if ty.module == "builtins"
                    && matches!(ty.qualname.as_str(), "function" | "builtin_function_or_method" | "method") =>
            {
                self.types.insert(Ty::Callable);
            }
            Some(ty) if matches!(ty.module.as_str(), "builtins" | "itertools" | "re") => match of_library(ty) {
                Some(ty) => {
                    self.types.insert(ty);
                }
                None => self.any = true,
            },
            Some(ty) => {
                self.types.insert(Ty::Named(ty));
            }
            None => self.any = true,
        }
    }

    /// Sees what a call of something returns: mostly an instance of it.
    fn made(&mut self, ty: &TypeName, args: &[Value], index: &Index, depth: usize) {
        let of_first = || match args.first() {
            Some(Value::List(items)) => Self::of(items, index, depth + 1),
            _ => Self::default(),
        };
        let any = || Self { any: true, ..Self::default() };
        let found = match (ty.module.as_str(), ty.qualname.as_str()) {
            ("re", "compile") => Ty::Holding(TypeName::new("re", "Pattern"), vec![Self::of(args.first(), index, depth + 1)]),
            ("re", "match") => Ty::Holding(TypeName::new("re", "Match"), vec![Self::of(args.get(1), index, depth + 1)]),
            ("collections", "deque") => Ty::Holding(ty.clone(), vec![of_first()]),
            ("collections", "Counter") => Ty::Holding(ty.clone(), vec![any()]),
            ("collections", "defaultdict" | "OrderedDict") => Ty::Holding(ty.clone(), vec![any(), any()]),
            ("builtins", "dict" | "set") => Ty::Holding(ty.clone(), vec![any(); if ty.qualname == "dict" { 2 } else { 1 }]),
            ("builtins", "iter") => Ty::Holding(TypeName::new("collections.abc", "Iterator"), vec![of_first()]),
            ("numpy" | "pandas", _) if ty.made() != ty.short() => {
                return self.named(&TypeName::new(&ty.module, ty.made()), index);
            }
            ("numpy", _) => return self.named(ty, index),
            _ if ty.short().starts_with(|c: char| c.is_ascii_lowercase()) && !LOWERCASE.contains(&ty.short()) => {
                self.any = true;
                return;
            }
            _ => return self.named(ty, index),
        };
        self.types.insert(found);
    }

    /// Sees something by its name: a class, a function, or a value nobody knows the type of.
    fn itself(&mut self, ty: &TypeName, index: &Index) {
        let of_module = || index.modules().find(|module| module.name == ty.module);
        let is_builtin_class = ty.module == "builtins" && BUILTIN_CLASSES.contains(&ty.qualname.as_str());
        if is_builtin_class || of_module().is_some_and(|module| module.classes.iter().any(|class| class.qualname == ty.qualname))
        {
            self.types.insert(Ty::Class(ty.clone()));
        } else if ty.module == "builtins" && ty.qualname.starts_with(|c: char| c.is_ascii_lowercase())
            || of_module().is_some_and(|module| module.functions.iter().any(|f| f.id.qualname() == ty.qualname))
        {
            self.types.insert(Ty::Callable);
        } else {
            self.any = true;
        }
    }

    /// Joins what lies in equal containers: `list[int] | list[str]` is `list[int | str]`.
    fn joined(self) -> Self {
        let mut holding: BTreeMap<TypeName, Vec<Self>> = BTreeMap::new();
        let mut tuples: Vec<Vec<Self>> = Vec::new();
        let mut types = BTreeSet::new();
        for ty in self.types {
            match ty {
                Ty::Holding(name, parts) => match holding.get_mut(&name) {
                    Some(known) => known.iter_mut().zip(parts).for_each(|(known, part)| known.join(part)),
                    None => {
                        holding.insert(name, parts);
                    }
                },
                Ty::Tuple(parts) => tuples.push(parts),
                other => {
                    types.insert(other);
                }
            }
        }
        types.extend(holding.into_iter().map(|(name, parts)| Ty::Holding(name, parts.into_iter().map(Self::joined).collect())));
        types.extend(joined_tuples(tuples));
        let has = |name: &str| types.contains(&Ty::Named(TypeName::new("builtins", name)));
        // An int may stand wherever a float may, and a bool wherever an int may (PEP 484).
        let (int, float) = (has("int"), has("float"));
        if int || float {
            types.remove(&Ty::Named(TypeName::new("builtins", "bool")));
        }
        if float {
            types.remove(&Ty::Named(TypeName::new("builtins", "int")));
        }
        let any = self.any || types.len() > UNION_MAX;
        Self { types, none: self.none, any }
    }

    fn join(&mut self, other: Self) {
        self.types.extend(other.types);
        self.none |= other.none;
        self.any |= other.any;
    }
}

fn joined_tuples(tuples: Vec<Vec<Seen>>) -> Option<Ty> {
    let length = tuples.first()?.len();
    if length <= TUPLE_MAX && length > 0 && tuples.iter().all(|tuple| tuple.len() == length) {
        let mut places = vec![Seen::default(); length];
        for tuple in tuples {
            places.iter_mut().zip(tuple).for_each(|(place, part)| place.join(part));
        }
        return Some(Ty::Tuple(places.into_iter().map(Seen::joined).collect()));
    }
    let mut all = Seen::default();
    tuples.into_iter().flatten().for_each(|part| all.join(part));
    Some(Ty::Holding(TypeName::new("builtins", "tuple"), vec![all.joined()]))
}

/// Gives the type of an instance of a class of the library that no program can name, or that is complete only with what it
/// holds; `None` where nothing is to be said.
fn of_library(ty: TypeName) -> Option<Ty> {
    let any = |count: usize| vec![Seen { any: true, ..Seen::default() }; count];
    let holding = |module: &str, name: &str, count: usize| Some(Ty::Holding(TypeName::new(module, name), any(count)));
    match (ty.module.as_str(), ty.qualname.as_str()) {
        ("re", "Pattern" | "Match") | ("builtins", "enumerate" | "zip" | "map" | "filter" | "reversed") => {
            Some(Ty::Holding(ty, any(1)))
        }
        ("builtins", "dict_keys") => holding("collections.abc", "KeysView", 1),
        ("builtins", "dict_values") => holding("collections.abc", "ValuesView", 1),
        ("builtins", "dict_items") => holding("collections.abc", "ItemsView", 2),
        ("builtins", "mappingproxy") => holding("types", "MappingProxyType", 2),
        ("builtins", "module") => Some(Ty::Named(TypeName::new("types", "ModuleType"))),
        ("builtins", "async_generator") => holding("collections.abc", "AsyncIterator", 1),
        // `list_iterator`, `dict_keyiterator`, and what `iter(function, end)` gives.
        ("builtins", name) if name == "generator" || name.ends_with("iterator") => holding("collections.abc", "Iterator", 1),
        ("itertools", _) => holding("collections.abc", "Iterator", 1),
        ("builtins", name) if name.starts_with(|c: char| c.is_ascii_lowercase()) && !BUILTIN_CLASSES.contains(&name) => {
            LOWERCASE.contains(&name).then_some(Ty::Named(ty))
        }
        _ => Some(Ty::Named(ty)),
    }
}

/// Classes whose names begin with a small letter.
const LOWERCASE: &[&str] = &[
    "range",
    "bytearray",
    "memoryview",
    "slice",
    "property",
    "date",
    "datetime",
    "time",
    "timedelta",
    "timezone",
    "array",
    "zip",
    "map",
];
const BUILTIN_CLASSES: &[&str] =
    &["int", "float", "str", "bytes", "bool", "list", "dict", "set", "frozenset", "tuple", "object", "complex", "bytearray"];

/// Gives the name under which a class is imported; `None` for those that have none.
fn public(ty: &TypeName) -> Option<TypeName> {
    let module = match ty.module.as_str() {
        "_io" => "io",
        "_decimal" | "_pydecimal" => "decimal",
        "pathlib._local" | "pathlib._abc" => "pathlib",
        "__main__" => return None,
        module => module,
    };
    let hidden = |part: &str| part.starts_with('_') && !part.starts_with("__");
    let foreign = module.split('.').any(hidden);
    let qualname = match (module, ty.qualname.as_str()) {
        ("pathlib", "PosixPath" | "WindowsPath") => "Path",
        (_, qualname) => qualname,
    };
    (!qualname.is_empty() && !qualname.contains('<') && !foreign).then(|| TypeName::new(module, qualname))
}

/// Annotations of one module, and the imports they need.
pub struct Annotations<'a> {
    index: &'a Index,
    module: &'a Module,
    calls: BTreeMap<u32, (&'a Function, Vec<&'a Call>)>,
    /// Names that mean something in the module.
    bound: BTreeSet<String>,
    /// Modules, and the name taken from each; `None` for the module itself.
    imports: std::cell::RefCell<BTreeSet<(String, Option<String>)>>,
}

impl<'a> Annotations<'a> {
    /// Takes the calls of a module's functions.
    #[must_use]
    pub fn new(index: &'a Index, module: &'a Module, calls: &'a [Call]) -> Self {
        let of = |function: &Function| calls.iter().filter(|call| call.function == function.id).collect::<Vec<_>>();
        let functions = module.functions.iter().map(|function| (function.span.def, (function, of(function))));
        let functions = functions.filter(|(_, (_, calls))| !calls.is_empty()).collect();
        let head = |text: &str| text.split('.').next().unwrap_or(text).to_owned();
        let mut bound: BTreeSet<String> = module.functions.iter().map(|function| head(function.id.qualname())).collect();
        bound.extend(module.functions.iter().map(|function| function.name().to_owned()));
        bound.extend(module.classes.iter().map(|class| head(&class.qualname)));
        for import in &module.imports {
            let plain = import.name.clone().unwrap_or_else(|| head(&import.module));
            bound.insert(import.alias.clone().unwrap_or(plain));
        }
        Self { index, module, calls: functions, bound, imports: std::cell::RefCell::new(BTreeSet::new()) }
    }

    /// Gives the import statements that the annotations given so far need.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let imports = self.imports.borrow();
        for (module, name) in imports.iter() {
            names.entry(module).or_default().extend(name.as_deref());
        }
        let line = |(module, names): (&str, Vec<&str>)| format!("from {module} import {}", names.join(", "));
        let whole = imports.iter().filter(|(_, name)| name.is_none()).map(|(module, _)| format!("import {module}"));
        let mut lines: Vec<String> = whole.chain(names.into_iter().filter(|(_, names)| !names.is_empty()).map(line)).collect();
        lines.sort();
        lines
    }

    fn any(&self) -> String {
        self.spell(&TypeName::new("typing", "Any"))
    }

    fn annotation(&self, seen: Seen) -> String {
        let seen = seen.joined();
        if seen.any {
            return self.any();
        }
        let mut parts: Vec<String> = seen.types.iter().map(|ty| self.write(ty)).collect();
        parts.sort();
        parts.dedup();
        if seen.none {
            parts.push("None".into());
        }
        if parts.is_empty() { self.any() } else { parts.join(" | ") }
    }

    fn write(&self, ty: &Ty) -> String {
        let all = |parts: &[Seen]| parts.iter().map(|part| self.annotation(part.clone())).collect::<Vec<_>>().join(", ");
        match ty {
            Ty::Named(name) => self.spell(name),
            Ty::Holding(name, parts) if name.module == "builtins" && name.qualname == "tuple" => {
                format!("{}[{}, ...]", self.spell(name), all(parts))
            }
            Ty::Holding(name, parts) => format!("{}[{}]", self.spell(name), all(parts)),
            Ty::Tuple(places) => format!("{}[{}]", self.spell(&TypeName::new("builtins", "tuple")), all(places)),
            Ty::Class(name) => format!("{}[{}]", self.spell(&TypeName::new("builtins", "type")), self.spell(name)),
            Ty::Callable => format!("{}[..., {}]", self.spell(&TypeName::new("collections.abc", "Callable")), self.any()),
        }
    }

    /// Spells a name as the module does, and imports what it does not know.
    fn spell(&self, ty: &TypeName) -> String {
        let (head, rest) = match ty.qualname.split_once('.') {
            Some((head, rest)) => (head, format!(".{rest}")),
            None => (ty.qualname.as_str(), String::new()),
        };
        if ty.module == self.module.name {
            return ty.qualname.clone();
        }
        let builtin = ty.module == "builtins";
        if builtin && !self.bound.contains(head) {
            return ty.qualname.clone();
        }
        let known = self.module.imports.iter().find(|import| import.module == ty.module && import.name.as_deref() == Some(head));
        if let Some(import) = known {
            return format!("{}{rest}", import.alias.as_deref().unwrap_or(head));
        }
        if let Some(import) = self.module.imports.iter().find(|import| import.module == ty.module && import.name.is_none()) {
            return format!("{}.{}", import.alias.as_deref().unwrap_or(&ty.module), ty.qualname);
        }
        if !builtin && !self.bound.contains(head) {
            self.imports.borrow_mut().insert((ty.module.clone(), Some(head.to_owned())));
            return ty.qualname.clone();
        }
        self.imports.borrow_mut().insert((ty.module.clone(), None));
        format!("{}.{}", ty.module, ty.qualname)
    }

    fn hints(&self, function: &Function, calls: &[&Call]) -> Hints {
        let bound = matches!(function.kind, FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::Property);
        let mut params = BTreeMap::new();
        for param in function.params.iter().skip(usize::from(bound)).filter(|param| param.annotation.is_none()) {
            let values =
                calls.iter().filter_map(|call| call.args.iter().find(|arg| arg.name == param.name)).map(|arg| &arg.value);
            let mut seen = match param.kind {
                ParamKind::VarPositional => Seen::of(values.flat_map(Value::children).map(|(_, item)| item), self.index, 0),
                ParamKind::VarKeyword => {
                    let pairs = values.filter_map(|value| if let Value::Dict(pairs) = value { Some(pairs) } else { None });
                    Seen::of(pairs.flatten().map(|(_, value)| value), self.index, 0)
                }
                _ => Seen::of(values, self.index, 0),
            };
            seen.none |= param.default.as_deref() == Some("None");
            if seen != Seen::default() {
                params.insert(param.name.clone(), self.annotation(seen));
            }
        }
        let returns = function.returns.is_none().then(|| self.returns(function, calls)).flatten();
        Hints { params, returns, yields_asynchronously: function.is_async && function.is_generator }
    }

    fn returns(&self, function: &Function, calls: &[&Call]) -> Option<String> {
        if function.name() == "__init__" {
            return Some("None".into());
        }
        let mut returned = Seen::default();
        let mut yielded = Seen::default();
        let mut told = false;
        for call in calls {
            match &call.effect.outcome {
                Outcome::Returned(value) => {
                    told = true;
                    returned.see(value, self.index, 0);
                }
                Outcome::Yielded { items, end } => {
                    told = true;
                    items.iter().for_each(|item| yielded.see(item, self.index, 0));
                    if let GeneratorEnd::Returned(value) = end {
                        returned.see(value, self.index, 0);
                    }
                }
                _ => {}
            }
        }
        if !told {
            return None;
        }
        if !function.is_generator {
            return Some(self.annotation(returned));
        }
        let name = if function.is_async { "AsyncIterator" } else { "Iterator" };
        let plain = !returned.any && returned.types.is_empty();
        if function.is_async || plain {
            return Some(format!("{}[{}]", self.spell(&TypeName::new("collections.abc", name)), self.annotation(yielded)));
        }
        let generator = self.spell(&TypeName::new("collections.abc", "Generator"));
        Some(format!("{generator}[{}, {}, {}]", self.annotation(yielded), self.any(), self.annotation(returned)))
    }
}

impl Known for Annotations<'_> {
    fn function(&self, def_line: u32) -> Option<Hints> {
        let (function, calls) = self.calls.get(&def_line)?;
        Some(self.hints(function, calls))
    }

    fn attribute(&self, class: &str, name: &str) -> Option<String> {
        let prefix = format!("{class}.");
        let own = self
            .calls
            .values()
            .filter(|(function, _)| function.id.qualname().strip_prefix(&prefix).is_some_and(|rest| !rest.contains('.')));
        let mut seen = Seen::default();
        for call in own.flat_map(|(_, calls)| calls) {
            let before = call.args.first().map(|arg| &arg.value);
            let after = call.effect.changed.first().map(|(_, value)| value);
            for state in before.into_iter().chain(after) {
                if let Value::Object { ty, fields, .. } = state
                    && ty.qualname == class
                    && let Some((_, value)) = fields.iter().find(|(own, _)| own == name)
                {
                    seen.see(value, self.index, 0);
                }
            }
        }
        (seen != Seen::default()).then(|| self.annotation(seen))
    }

    fn spelled(&self, module: &str, name: &str) -> String {
        self.spell(&TypeName::new(module, name))
    }
}
