//! Names in a draft: what has to be imported, how an importable thing is spelled, and local names that hide nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{TypeName, Value};

/// One import statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Import {
    /// `import module`, or `import module as alias`.
    Module { module: String, alias: Option<String> },
    /// `from module import name`.
    From { module: String, name: String },
}

impl Import {
    /// Makes `import module`.
    #[must_use]
    pub fn module(module: &str) -> Self {
        Self::Module { module: module.to_owned(), alias: None }
    }

    /// Writes the statement.
    #[must_use]
    pub fn statement(&self) -> String {
        match self {
            Self::Module { module, alias: None } => format!("import {module}"),
            Self::Module { module, alias: Some(alias) } => format!("import {module} as {alias}"),
            Self::From { module, name } => format!("from {module} import {name}"),
        }
    }

    /// Gives the name that the statement binds.
    #[must_use]
    pub fn bound(&self) -> &str {
        match self {
            Self::Module { alias: Some(alias), .. } => alias,
            Self::Module { module, .. } => module.split('.').next().unwrap_or(module),
            Self::From { name, .. } => name,
        }
    }
}

/// Modules that are read better with their name before each use.
const SPELLED_OUT: &[&str] =
    &["asyncio", "contextlib", "datetime", "functools", "io", "itertools", "math", "operator", "re", "types"];

/// Modules that everybody calls by another name.
const ALIASES: &[(&str, &str)] = &[("numpy", "np"), ("pandas", "pd")];

/// Words that Python keeps for itself.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise",
    "return", "try", "while", "with", "yield",
];

/// Builtins that drafts use, or that would confuse a reader when hidden; `request` belongs to pytest.
const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "range",
    "repr",
    "request",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

/// Names that drafts give to things themselves.
const OURS: &[&str] = &["result", "expected", "pytest", "caught", "iterator", "message"];

/// Tells whether a name is one of Python's own, which needs no import.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    let is_raised = ["Error", "Exception", "Warning", "Iteration"].iter().any(|end| name.ends_with(end));
    (BUILTINS.contains(&name) && name != "request")
        || (is_raised && name.starts_with(char::is_uppercase))
        || name == "NotImplemented"
}

/// Tells whether a text is one Python name and no keyword.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
        && !KEYWORDS.contains(&name)
}

/// The names of one draft.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Bound name → the import that binds it.
    owners: BTreeMap<String, Import>,
    /// Names that no local may take.
    reserved: BTreeSet<String>,
}

impl Scope {
    /// Makes the scope of a function's draft.
    #[must_use]
    pub fn new(function: &FunctionId) -> Self {
        let mut scope = Self::default();
        scope.reserve(function.module());
        scope.reserve(function.qualname());
        scope
    }

    /// Keeps local names away from everything a value may have to import.
    pub fn see(&mut self, value: &Value) {
        value.walk(&mut |part| {
            match part {
                Value::Object { ty, .. }
                | Value::Sub { ty, .. }
                | Value::Name(ty)
                | Value::Enum { ty, .. }
                | Value::NamedTuple { ty, .. }
                | Value::New { ty, .. }
                | Value::Exception { ty, .. }
                | Value::Generator { ty, .. } => {
                    self.reserve(&ty.module);
                    self.reserve(&ty.qualname);
                }
                _ => {}
            }
            true
        });
    }

    fn reserve(&mut self, dotted: &str) {
        if let Some(head) = dotted.split('.').next() {
            self.reserved.insert(head.to_owned());
        }
    }

    /// Spells an importable thing and gives the import it needs.
    ///
    /// # Errors
    /// Fails with the reason when it cannot be reached by an import.
    pub fn spell(&mut self, ty: &TypeName) -> Result<(String, Option<Import>), Reason> {
        let module = match ty.module.as_str() {
            "builtins" => return builtin(&ty.qualname).map(|spelled| (spelled, None)),
            "__main__" => return Err(ReasonCode::UnimportableScript.of(name_or_module(ty))),
            // Where the standard library hides its classes is its own affair.
            "pathlib._local" | "pathlib._abc" => "pathlib".to_owned(),
            "_io" | "_operator" | "_functools" | "_collections" | "_struct" | "_bisect" | "_heapq" | "_weakref" => {
                ty.module.trim_start_matches('_').to_owned()
            }
            "_decimal" | "_pydecimal" => "decimal".to_owned(),
            module => module.to_owned(),
        };
        if ty.qualname.contains('<') {
            return Err(ReasonCode::LocalClass.of(ty.short()));
        }
        if !module.split('.').all(is_identifier) || !(ty.qualname.is_empty() || ty.qualname.split('.').all(is_identifier)) {
            return Err(ReasonCode::UnimportableName.of(name_or_module(ty)));
        }
        let qualname = match (module.as_str(), ty.qualname.as_str()) {
            ("pathlib", "PosixPath" | "WindowsPath") => "Path",
            (_, qualname) => qualname,
        };
        if let Some(alias) = ALIASES.iter().find_map(|(name, alias)| (*name == module).then_some(*alias)) {
            let import = Import::Module { module, alias: Some(alias.into()) };
            return self.claim(import).map(|import| (join(alias, qualname), Some(import)));
        }
        let head = qualname.split('.').next().unwrap_or_default().to_owned();
        // Frameworks' own clients say that they are no tests, and everybody imports them by their names.
        let is_client = head == "TestClient" && module.ends_with(".testclient");
        let confuses = would_confuse(&head) && !is_client;
        let spelled_out = head.is_empty() || SPELLED_OUT.contains(&module.as_str()) || confuses;
        if !spelled_out && let Ok(import) = self.claim(Import::From { module: module.clone(), name: head }) {
            return Ok((qualname.to_owned(), Some(import)));
        }
        self.claim(Import::module(&module)).map(|import| (join(&module, qualname), Some(import)))
    }

    /// Takes a name for an import; the same head of two modules of one package may be shared.
    fn claim(&mut self, import: Import) -> Result<Import, Reason> {
        let bound = import.bound().to_owned();
        match self.owners.get(&bound) {
            Some(owner) if *owner == import => {}
            Some(Import::Module { alias: None, .. }) if matches!(import, Import::Module { alias: None, .. }) => {}
            Some(owner) => return Err(ReasonCode::NameConflict.of(bound).with(owner.statement())),
            None => {
                self.owners.insert(bound.clone(), import.clone());
                self.reserved.insert(bound);
            }
        }
        Ok(import)
    }

    /// Finds a local name near `wanted` that hides nothing and is not in `taken`, and takes it: `bits_` beside a class `bits`,
    /// `bits_2` beside another local.
    #[must_use]
    pub fn local(&self, wanted: &str, taken: &mut BTreeSet<String>) -> String {
        // Linters take these for numbers.
        let reads = is_identifier(wanted) && !matches!(wanted, "l" | "O" | "I");
        let wanted = if reads { wanted.to_owned() } else { "value".to_owned() };
        let hides = |name: &str| self.reserved.contains(name) || BUILTINS.contains(&name) || OURS.contains(&name);
        let free = |name: &str, taken: &BTreeSet<String>| !taken.contains(name) && !hides(name);
        let mut name = if hides(&wanted) { format!("{wanted}_") } else { wanted.clone() };
        let mut number = 1;
        while !free(&name, taken) || !is_identifier(&name) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        taken.insert(name.clone());
        name
    }
}

fn name_or_module(ty: &TypeName) -> &str {
    if ty.qualname.is_empty() { &ty.module } else { &ty.qualname }
}

fn join(module: &str, qualname: &str) -> String {
    if qualname.is_empty() { module.to_owned() } else { format!("{module}.{qualname}") }
}

/// pytest would collect it, or it would hide a builtin.
fn would_confuse(name: &str) -> bool {
    name.starts_with("test") || name.starts_with("Test") || BUILTINS.contains(&name) || OURS.contains(&name)
}

fn builtin(qualname: &str) -> Result<String, Reason> {
    match qualname {
        "NoneType" => Ok("type(None)".into()),
        "ellipsis" => Ok("type(...)".into()),
        "NotImplementedType" => Ok("type(NotImplemented)".into()),
        "" => Err(ReasonCode::UnimportableName.of("builtins")),
        "function" | "builtin_function_or_method" | "generator" | "coroutine" | "method" | "module" => {
            Err(ReasonCode::UnimportableName.of(qualname))
        }
        name if name.split('.').all(is_identifier) => Ok(name.into()),
        name => Err(ReasonCode::UnimportableName.of(name)),
    }
}

/// Writes a class's name as a variable: `OrderLine` → `order_line`.
#[must_use]
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.trim_start_matches('_').chars().collect();
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let word_starts = before.is_some_and(|before| {
            before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && chars.get(at + 1).is_some_and(|next| next.is_lowercase()))
        });
        if c.is_uppercase() && word_starts {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Writes the path of a function as a part of a name: `OrderLine.total` → `order_line_total`.
#[must_use]
pub fn snake_path(qualname: &str) -> String {
    let parts = qualname.split('#').next().unwrap_or_default().split('.').filter(|part| is_identifier(part));
    parts.map(snake).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(scope: &mut Scope, module: &str, qualname: &str) -> Result<(String, Option<String>), Reason> {
        scope.spell(&TypeName::new(module, qualname)).map(|(text, import)| (text, import.map(|import| import.statement())))
    }

    #[test]
    fn things_are_imported_the_way_people_write_it() {
        let mut scope = Scope::new(&FunctionId::new("shop.cart", "total"));
        for (module, qualname, text, import) in [
            ("decimal", "Decimal", "Decimal", Some("from decimal import Decimal")),
            ("datetime", "timezone.utc", "datetime.timezone.utc", Some("import datetime")),
            ("pathlib._local", "PosixPath", "Path", Some("from pathlib import Path")),
            ("_operator", "mul", "operator.mul", Some("import operator")),
            ("_heapq", "heappush", "heappush", Some("from heapq import heappush")),
            ("shop.cart", "Cart.Line", "Cart.Line", Some("from shop.cart import Cart")),
            ("shop.tools", "sum", "shop.tools.sum", Some("import shop.tools")),
            ("shop.tools", "test_me", "shop.tools.test_me", Some("import shop.tools")),
            ("shop.other", "Cart", "shop.other.Cart", Some("import shop.other")),
            ("numpy", "float64", "np.float64", Some("import numpy as np")),
            ("builtins", "int", "int", None),
            ("shop.rates", "", "shop.rates", Some("import shop.rates")),
        ] {
            assert_eq!(
                spell(&mut scope, module, qualname),
                Ok((text.to_owned(), import.map(str::to_owned))),
                "{module}:{qualname}"
            );
        }
    }

    #[test]
    fn what_cannot_be_imported_says_why() {
        let mut scope = Scope::new(&FunctionId::new("shop.cart", "total"));
        for (module, qualname) in [("__main__", "Job"), ("shop", "make.<locals>.Job"), ("shop", "x; import os"), ("a b", "C")] {
            assert!(spell(&mut scope, module, qualname).is_err(), "{module}:{qualname}");
        }
    }

    #[test]
    fn locals_hide_neither_imports_nor_builtins() {
        let mut scope = Scope::new(&FunctionId::new("shop.cart", "total"));
        scope.see(&Value::Name(TypeName::new("rates", "vat")));
        let mut taken = BTreeSet::new();
        for (wanted, name) in [
            ("cart", "cart"),
            ("cart", "cart_2"),
            ("total", "total_"),
            ("total", "total_2"),
            ("list", "list_"),
            ("vat", "vat_"),
            ("class", "value"),
            ("l", "value_2"),
        ] {
            assert_eq!(scope.local(wanted, &mut taken), name);
        }
        assert_eq!(snake("HTTPOrderLine2"), "http_order_line2");
    }
}
