//! What code learns by looking at definitions instead of calling them: which there are, what they derive from, and their
//! docstrings. A registry has one more entry, `dir(checks)` one more name, `--help` another text.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::{Class, Function, FunctionId, FunctionKind, Module};
use crate::source::change::{IndexChange, What};
use crate::source::moved::last_name;
use crate::source::parts::decorator_name;

use super::{Node, Project, Reach, owner};

/// Names by which code asks what a module or an object has.
const LISTING: [&str; 10] =
    ["dir", "vars", "globals", "getmembers", "getmembers_static", "__dict__", "__all__", "getattr", "hasattr", "modules"];
/// Names by which code asks for docstrings.
const DOCS: [&str; 3] = ["__doc__", "getdoc", "getcomments"];
/// Decorators that tell nobody of what they decorate.
const SILENT_DECORATORS: [&str; 22] = [
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "coroutine",
    "dataclass",
    "deleter",
    "final",
    "getter",
    "lru_cache",
    "no_type_check",
    "overload",
    "override",
    "property",
    "runtime_checkable",
    "setter",
    "staticmethod",
    "total_ordering",
    "unique",
    "wraps",
];
/// Bases that tell nobody of what derives from them.
const SILENT_BASES: [&str; 24] = [
    "ABC",
    "BaseException",
    "Enum",
    "Exception",
    "Flag",
    "Generic",
    "IntEnum",
    "IntFlag",
    "NamedTuple",
    "Protocol",
    "StrEnum",
    "TypedDict",
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
    "type",
];

/// What is looked at of one file.
#[derive(Debug)]
pub(super) struct Looked {
    /// Which functions and classes a module has.
    listing: Node,
    /// All docstrings of a file.
    docs: Node,
    /// The import-time code, which tells registries of definitions.
    init: Node,
}

/// Hashes what an import runs: the statements, and what is made known by a decorator or a base.
pub(super) fn init_digest(module: &Module) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(&module.init.0.to_le_bytes());
    if module.is_test() {
        return module.init;
    }
    for function in module.functions.iter().filter(|function| is_announced(function)) {
        hasher.part(function.id.qualname().as_bytes()).part(function.decorators.join("\n").as_bytes());
        hasher.part(&function.fingerprint.doc.0.to_le_bytes());
    }
    for class in module.classes.iter().filter(|class| is_known_elsewhere(class)) {
        hasher
            .part(class.qualname.as_bytes())
            .part(class.bases.join("\n").as_bytes())
            .part(class.decorators.join("\n").as_bytes());
        hasher.part(class.docstring.as_deref().unwrap_or_default().as_bytes());
    }
    hasher.digest()
}

/// Hashes a class with the names of its methods, by which `getattr` and `isinstance` find them.
pub(super) fn class_digest(module: &Module, class: &Class) -> Digest {
    let own = module.functions.iter().filter(|function| owner(function.written()) == class.qualname);
    let names: BTreeSet<&str> = own.map(Function::name).collect();
    let mut hasher = Hasher::default();
    hasher.part(&class.fingerprint.0.to_le_bytes());
    for name in names {
        hasher.part(name.as_bytes());
    }
    hasher.digest()
}

/// Tells whether a decorator hands a function of a module to someone: a router, a registry, a group of commands.
fn is_announced(function: &Function) -> bool {
    function.kind != FunctionKind::Nested && !function.id.qualname().contains('.') && tells(&function.decorators)
}

fn is_known_elsewhere(class: &Class) -> bool {
    let is_silent =
        |base: &str| SILENT_BASES.contains(&base) || ["Error", "Exception", "Warning"].iter().any(|end| base.ends_with(end));
    tells(&class.decorators) || class.bases.iter().any(|base| !is_silent(last_name(base)))
}

fn tells(decorators: &[String]) -> bool {
    decorators.iter().filter_map(|text| decorator_name(text)).any(|name| !SILENT_DECORATORS.contains(&name.as_str()))
}

fn listing_digest(module: &Module) -> Digest {
    let functions = module.functions.iter().map(Function::written).filter(|name| !name.contains('.'));
    let names: BTreeSet<&str> = functions.chain(module.classes.iter().map(|class| class.qualname.as_str())).collect();
    let mut hasher = Hasher::default();
    for name in names {
        hasher.part(name.as_bytes());
    }
    hasher.digest()
}

fn docs_digest(module: &Module) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(&module.docstring.0.to_le_bytes());
    for function in &module.functions {
        hasher.part(function.id.qualname().as_bytes()).part(&function.fingerprint.doc.0.to_le_bytes());
    }
    for class in &module.classes {
        hasher.part(class.qualname.as_bytes()).part(class.docstring.as_deref().unwrap_or_default().as_bytes());
    }
    hasher.digest()
}

impl Project<'_> {
    /// Lets code that looks at definitions rest on them: those of its own module, and of those that it imports or was seen to
    /// import, by `imported`.
    pub(super) fn look(&self, reach: &mut Reach, imported: &HashMap<Node, Vec<Node>>) {
        let looked: Vec<(Node, Node, Node)> = self
            .places
            .iter()
            .map(|place| {
                let module = &place.entry.module;
                let listing = reach.add(&format!("{} has", module.name), listing_digest(module), None);
                let docs = reach.add(&format!("{} says", module.name), docs_digest(module), None);
                reach.looked.insert(module.path.clone(), Looked { listing, docs, init: place.init });
                (place.init, listing, docs)
            })
            .collect();
        let by_init: HashMap<Node, (Node, Node)> =
            looked.iter().map(|(init, listing, docs)| (*init, (*listing, *docs))).collect();
        let bases = reach.add("what derives from what", self.bases_digest(), None);
        reach.bases = Some(bases);
        for (number, place) in self.places.iter().enumerate() {
            let near: Vec<usize> = std::iter::once(number).chain(place.imports.iter().copied()).collect();
            let own = place.entry.module.functions.iter().zip(&place.functions).map(|(function, node)| (&function.uses, *node));
            let all = own.chain([(&*place.entry.init_uses, place.init)]);
            for (uses, node) in all {
                let seen = imported.get(&node).into_iter().flatten().filter_map(|init| by_init.get(init));
                let near = near.iter().map(|other| (looked[*other].1, looked[*other].2)).chain(seen.copied());
                let (lists, reads) = (has_any(uses, &LISTING), has_any(uses, &DOCS));
                let mut targets = Vec::new();
                for (listing, docs) in near.filter(|_| lists || reads) {
                    targets.extend(lists.then_some(listing).into_iter().chain(reads.then_some(docs)));
                }
                targets.extend(uses.contains("__subclasses__").then_some(bases));
                reach.uses[node].extend(targets);
            }
        }
    }

    fn bases_digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        for place in &self.places {
            for class in place.entry.module.classes.iter().filter(|class| !class.bases.is_empty()) {
                hasher.part(place.entry.module.name.as_bytes()).part(class.qualname.as_bytes());
                hasher.part(class.bases.join("\n").as_bytes());
            }
        }
        hasher.digest()
    }
}

fn has_any(uses: &BTreeSet<String>, names: &[&str]) -> bool {
    names.iter().any(|name| uses.contains(*name))
}

impl Reach {
    /// Gives all functions whose calls may have looked at a definition that came or went, or at a docstring that differs.
    #[must_use]
    pub fn looking_at(&self, change: &IndexChange) -> BTreeSet<FunctionId> {
        let mut start: HashSet<Node> = HashSet::new();
        let looked = |path: &RelPath| self.looked.get(path);
        for one in change.functions.iter().filter(|one| matches!(one.what, What::Added | What::Removed)) {
            let is_decorated = |lines: &[String]| lines.first().is_some_and(|line| line.trim_start().starts_with('@'));
            let Some(looked) = looked(&one.path) else { continue };
            start.insert(looked.listing);
            start.extend((is_decorated(&one.new_lines) || is_decorated(&one.old_lines)).then_some(looked.init));
            let class = FunctionId::new(one.id.module(), owner(one.id.qualname()));
            start.extend(self.by_id.get(&class).into_iter().flatten());
        }
        for path in change.classes.iter().map(|class| &class.path) {
            start.extend(looked(path).map(|looked| looked.listing).into_iter().chain(self.bases));
        }
        for looked in change.docs.iter().filter_map(looked) {
            start.extend([looked.docs, looked.init]);
        }
        self.closure(start.into_iter().collect(), &self.used_by)
            .into_iter()
            .filter_map(|node| self.subjects[node].as_ref()?.function().cloned())
            .collect()
    }
}
