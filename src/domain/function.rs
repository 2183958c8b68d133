//! Functions and modules of the project, as read from source text without running it.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;

/// Names a function for people and for the store: `module:qualname`, as in `shop.cart:Cart.total`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FunctionId(pub String);

impl FunctionId {
    /// Joins a module and a qualified name.
    #[must_use]
    pub fn new(module: &str, qualname: &str) -> Self {
        Self(format!("{module}:{qualname}"))
    }

    /// Gives the dotted module.
    #[must_use]
    pub fn module(&self) -> &str {
        self.0.split_once(':').map_or(self.0.as_str(), |(module, _)| module)
    }

    /// Gives the qualified name inside the module.
    #[must_use]
    pub fn qualname(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, qualname)| qualname)
    }
}

impl fmt::Display for FunctionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a function is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionKind {
    /// A function of a module.
    Function,
    /// A method that takes its instance.
    Method,
    /// A `@classmethod`.
    ClassMethod,
    /// A `@staticmethod`.
    StaticMethod,
    /// A property's getter, setter or deleter; `cached_property` and other descriptors that are read as attributes, too.
    Property,
    /// A function defined inside another function.
    Nested,
}

/// The kinds of parameters, numbered as in `docs/spool.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParamKind {
    /// Before a `/`.
    PositionalOnly,
    /// The usual kind.
    PositionalOrKeyword,
    /// `*args`.
    VarPositional,
    /// After a `*`.
    KeywordOnly,
    /// `**kwargs`.
    VarKeyword,
}

impl ParamKind {
    /// Reads the number used in the spool.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Some(match number {
            0 => Self::PositionalOnly,
            1 => Self::PositionalOrKeyword,
            2 => Self::VarPositional,
            3 => Self::KeywordOnly,
            4 => Self::VarKeyword,
            _ => return None,
        })
    }

    /// Tells whether it takes however many arguments are given.
    #[must_use]
    pub fn is_variadic(self) -> bool {
        matches!(self, Self::VarPositional | Self::VarKeyword)
    }

    /// Gives the number used in the spool.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::PositionalOnly => 0,
            Self::PositionalOrKeyword => 1,
            Self::VarPositional => 2,
            Self::KeywordOnly => 3,
            Self::VarKeyword => 4,
        }
    }
}

/// One parameter of a signature; annotation and default as source text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The name, without stars.
    pub name: String,
    /// The kind.
    pub kind: ParamKind,
    /// The annotation's source.
    pub annotation: Option<String>,
    /// The default's source.
    pub default: Option<String>,
}

/// Lines of a definition, 1-based and inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first line: the first decorator's where there is one (as `co_firstlineno`).
    pub first: u32,
    /// The line of `def` or `class`.
    pub def: u32,
    /// The last line of the body, without trailing comments.
    pub last: u32,
}

/// The parts of a function that can change on their own; none depends on position, comments or formatting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Parameters, annotations, defaults, decorators, `async`.
    pub signature: Digest,
    /// The docstring.
    pub doc: Digest,
    /// The body without docstring and without nested functions.
    pub body: Digest,
}

impl Fingerprint {
    /// Gives one hash of what can change the outcome of a call: signature and body, not the docstring.
    #[must_use]
    pub fn code(&self) -> Digest {
        let mut hasher = crate::base::hash::Hasher::default();
        hasher.part(&self.signature.0.to_le_bytes()).part(&self.body.0.to_le_bytes());
        hasher.digest()
    }

    /// Gives one hash of what a function promises to its callers: signature and docstring, not the body.
    #[must_use]
    pub fn promise(&self) -> Digest {
        let mut hasher = crate::base::hash::Hasher::default();
        hasher.part(&self.signature.0.to_le_bytes()).part(&self.doc.0.to_le_bytes());
        hasher.digest()
    }
}

/// A function or method of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// `module:qualname`; twins of one name (overloads, if/else) get `#2`, `#3` in order.
    pub id: FunctionId,
    /// The file.
    pub path: RelPath,
    /// Where it stands.
    pub span: Span,
    /// How it is bound.
    pub kind: FunctionKind,
    /// Defined by `async def`.
    pub is_async: bool,
    /// Has a `yield` of its own.
    pub is_generator: bool,
    /// Decorators as source, without `@`.
    pub decorators: Vec<String>,
    /// The signature.
    pub params: Vec<Param>,
    /// The return annotation's source.
    pub returns: Option<String>,
    /// The docstring as written, quotes removed, dedented.
    pub docstring: Option<String>,
    /// What its behaviour rests on.
    pub fingerprint: Fingerprint,
    /// Names and attribute names the body uses: what it may call or read.
    pub uses: BTreeSet<String>,
}

impl Function {
    /// Gives the name after the last dot.
    #[must_use]
    pub fn name(&self) -> &str {
        let qualname = self.written();
        qualname.rsplit('.').next().unwrap_or(qualname)
    }

    /// Gives the qualified name as it is written: without what tells twins apart.
    #[must_use]
    pub fn written(&self) -> &str {
        let qualname = self.id.qualname();
        qualname.split('#').next().unwrap_or(qualname)
    }

    /// Gives it as the function of this name: what another function made is called by the name that a class or a module
    /// keeps it under.
    #[must_use]
    pub fn bound_to(&self, id: FunctionId) -> Self {
        let kind = if id.qualname().contains('.') { FunctionKind::Method } else { FunctionKind::Function };
        Self { id, kind, ..self.clone() }
    }

    /// Tells whether it only declares one of the ways in which another definition may be called.
    #[must_use]
    pub fn is_overload(&self) -> bool {
        self.decorators.iter().any(|decorator| decorator.rsplit('.').next() == Some("overload"))
    }

    /// Tells whether `singledispatch` makes it: the type of its first argument decides which implementation is called.
    #[must_use]
    pub fn is_dispatcher(&self) -> bool {
        self.decorators.iter().any(|decorator| decorator.contains("singledispatch"))
    }

    /// Tells whether the name says it is not meant for others (`_x`, not `__x__`).
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.id.qualname().split('.').any(|part| part.starts_with('_') && !part.ends_with("__"))
    }
}

/// A class of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// The qualified name inside its module.
    pub qualname: String,
    /// Where it stands.
    pub span: Span,
    /// Base classes as source.
    pub bases: Vec<String>,
    /// Decorators as source, without `@`.
    pub decorators: Vec<String>,
    /// Its docstring.
    pub docstring: Option<String>,
    /// Names with an annotation or a value in its body, in order: the fields of a dataclass.
    pub fields: Vec<Field>,
    /// Hash of bases, decorators and class-level statements.
    pub fingerprint: Digest,
}

/// A name in the body of a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// The name.
    pub name: String,
    /// Its annotation as source.
    pub annotation: Option<String>,
    /// Its value as source.
    pub value: Option<String>,
}

/// One import of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written, with leading dots when relative.
    pub module: String,
    /// The imported name, or `None` for `import module`; `*` for a star import.
    pub name: Option<String>,
    /// The name it is bound to.
    pub alias: Option<String>,
    /// The line.
    pub line: u32,
}

/// Where a file could not be parsed, 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxError {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// A file of the project as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The dotted name it is imported by.
    pub name: String,
    /// The file.
    pub path: RelPath,
    /// The folder that has to be on `sys.path`, below the root; empty for the root itself.
    pub import_root: String,
    /// Hash of the file's bytes.
    pub hash: Digest,
    /// Number of lines.
    pub lines: u32,
    /// The functions in the order of the file.
    pub functions: Vec<Function>,
    /// The classes in the order of the file.
    pub classes: Vec<Class>,
    /// The imports in the order of the file.
    pub imports: Vec<Import>,
    /// What `__all__` lists, as far as it is written out; `None` where there is none.
    #[serde(default)]
    pub exports: Option<Vec<String>>,
    /// Hash of the statements that run on import and are neither definitions nor docstrings.
    pub init: Digest,
    /// Names whose attributes or items are set on import, or that are called there for what they do: `lib.RATE = 3`, `register(f)`.
    #[serde(default)]
    pub acts_on: Vec<String>,
    /// Hash of the docstring.
    pub docstring: Digest,
    /// `if __name__ == "__main__"` is there.
    pub has_main_guard: bool,
    /// Set when the file does not parse now: the rest is then the last good index.
    pub error: Option<SyntaxError>,
}

impl Module {
    /// Tells whether a line stands inside of a function.
    #[must_use]
    pub fn is_inner(&self, line: u32) -> bool {
        self.functions.iter().any(|function| (function.span.first..=function.span.last).contains(&line))
    }

    /// Finds the import outside of functions that binds a name.
    #[must_use]
    pub fn import_of(&self, name: &str) -> Option<&Import> {
        self.imports.iter().find(|import| {
            let bound = import.alias.as_deref().or(import.name.as_deref()).unwrap_or(&import.module);
            bound.split('.').next() == Some(name) && !self.is_inner(import.line)
        })
    }

    /// Tells whether the file holds tests by its name, as pytest would collect it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        let name = self.path.file_name();
        // Django calls a module of tests `tests.py`.
        matches!(name, "conftest.py" | "tests.py") || name.starts_with("test_") || name.ends_with("_test.py")
    }

    /// Tells whether the file helps tests: it holds some, or lies in a folder of tests.
    #[must_use]
    pub fn is_for_tests(&self) -> bool {
        let mut folders = self.path.as_str().rsplit('/').skip(1);
        self.is_test() || folders.any(|folder| matches!(folder, "tests" | "test"))
    }
}
