//! What a function needs of others, as prompts say it: `db.insert(name, email), validator()`.
//!
//! The methods it calls on its parameters and on attributes of its object, the parameters it calls, and functions of the
//! project and of installed packages that it imports; each with the names of its parameters where the project or what is
//! installed defines it, in the order of the body.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use crate::domain::function::{Class, Function, FunctionKind, Import, Module, ParamKind};
use crate::domain::value::TypeName;

use super::index::Index;
use super::installed::Installed;
use super::items;
use super::names::absolute;
use super::parts::row;
use super::tree::syntax_tree;

/// Most needs that are told.
const MOST: usize = 24;
/// Methods told of a parameter that nothing is called on.
const UNCALLED: usize = 6;
/// What Python brings itself needs nobody to stand in for it.
const BUILTIN: &[&str] = &[
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
    "range",
    "None",
    "Any",
    "Iterable",
    "Iterator",
    "Mapping",
    "Optional",
    "Sequence",
    "Union",
];
/// Types whose brackets hold what a value may be.
const TRANSPARENT: &[&str] = &["Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly"];
/// Steps to what a name stands for: base classes, modules that hand it on.
const BASES: usize = 8;
/// Steps that taking all names of another module counts for, since there may be many such.
const STAR: usize = 3;
/// Modules whose names stand for no class that anything is called on.
const NOT_ASKED: &[&str] = &["__main__", "builtins", "collections.abc", "typing", "typing_extensions"];

/// What a function needs, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// As prompts say it.
    pub said: Vec<String>,
    /// Installed modules that would say more, and that nobody was asked about yet.
    pub unknown: BTreeSet<String>,
}

/// Finds what a function needs. `recorded` has the types of values seen for parameters without an annotation.
#[must_use]
pub fn needs(index: &Index, installed: &Installed, function: &Function, recorded: &BTreeMap<String, TypeName>) -> Needs {
    let (Some(text), Some(module)) = (index.text(&function.path), index.module(&function.path)) else { return Needs::default() };
    let Some(tree) = syntax_tree(&text) else { return Needs::default() };
    let Some(body) = definition(tree.root_node(), function.span.def).and_then(|node| node.child_by_field_name("body")) else {
        return Needs::default();
    };
    let mut scope =
        Scope { index, installed, module, function, recorded, text: &text, items: BTreeMap::new(), unknown: RefCell::default() };
    scope.items = items::items(body, &text, &|name| scope.annotation(name));
    let mut said = Vec::new();
    let mut called = Vec::new();
    scope.walk(body, &mut |receiver, name| {
        if let Some(need) = scope.need(receiver, name)
            && !said.contains(&need)
        {
            said.push(need);
        }
        called.extend(receiver.map(str::to_owned));
    });
    // What nothing is called on is told of the project's own types alone: nobody is asked about others.
    let unknown = scope.unknown.take();
    for param in scope.own_params() {
        if !called.iter().any(|receiver| receiver == param) {
            said.extend(scope.uncalled(param));
        }
    }
    said.truncate(MOST);
    Needs { said, unknown }
}

/// Finds the function whose `def` stands on a line.
pub(super) fn definition(node: Node<'_>, line: u32) -> Option<Node<'_>> {
    if node.kind() == "function_definition" && row(node.start_position().row) == line {
        return Some(node);
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let holds = |child: &Node<'_>| row(child.start_position().row) <= line && line <= row(child.end_position().row);
    children.into_iter().filter(holds).find_map(|child| definition(child, line))
}

struct Scope<'a> {
    index: &'a Index,
    installed: &'a Installed,
    module: &'a Module,
    function: &'a Function,
    recorded: &'a BTreeMap<String, TypeName>,
    text: &'a str,
    /// Variables that hold what a parameter holds, with the annotation of that.
    items: BTreeMap<String, String>,
    unknown: RefCell<BTreeSet<String>>,
}

impl<'a> Scope<'a> {
    /// Visits calls in the order they stand: what they are called on, as source, and their name.
    fn walk(&self, node: Node<'_>, visit: &mut impl FnMut(Option<&str>, &str)) {
        if node.kind() == "call"
            && let Some(called) = node.child_by_field_name("function")
        {
            let source = |node: Node<'_>| self.text.get(node.byte_range()).unwrap_or_default();
            match called.kind() {
                "identifier" => visit(None, source(called)),
                "attribute" => {
                    let (object, name) = (called.child_by_field_name("object"), called.child_by_field_name("attribute"));
                    if let (Some(object), Some(name)) = (object, name)
                        && (matches!(object.kind(), "identifier" | "attribute") || is_plain_index(object))
                    {
                        visit(Some(source(object)), source(name));
                    }
                }
                _ => {}
            }
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        children.into_iter().for_each(|child| self.walk(child, visit));
    }

    /// Lists the parameters a caller gives.
    fn own_params(&self) -> impl Iterator<Item = &'a str> {
        let skip = usize::from(self.receiver().is_some());
        self.function.params.iter().skip(skip).filter(|param| !param.kind.is_variadic()).map(|param| param.name.as_str())
    }

    /// Gives the name of the object that a method is called on, as the method knows it.
    fn receiver(&self) -> Option<&'a str> {
        matches!(self.function.kind, FunctionKind::Method | FunctionKind::ClassMethod | FunctionKind::Property)
            .then(|| self.function.params.first().map(|param| param.name.as_str()))
            .flatten()
    }

    /// Says a call as a need; `None` when it is nothing from outside.
    fn need(&self, receiver: Option<&str>, name: &str) -> Option<String> {
        let Some(receiver) = receiver else {
            if self.own_params().any(|param| param == name) {
                return Some(format!("{name}()"));
            }
            return Some(format!("{name}({})", args(self.imported(name)?, false)));
        };
        // A name that holds an item holds that, whatever a parameter of the name was.
        let item = self.item(receiver).map(|annotation| self.named_in(&annotation));
        if receiver.contains('[') || item.is_some() {
            let method = item
                .filter(|types| !types.is_empty())?
                .iter()
                .find_map(|(module, class)| self.method(module, class, name, BASES));
            return Some(format!("{receiver}.{name}({})", method.map(|method| args(method, true)).unwrap_or_default()));
        }
        let types = match receiver.split_once('.') {
            None if self.own_params().any(|param| param == receiver) && !self.is_builtin(receiver) => self.types_of(receiver),
            Some((owner, attribute)) if Some(owner) == self.receiver() && !attribute.contains('.') => {
                self.types_of_own(attribute)
            }
            _ => return None,
        };
        let method = types.iter().find_map(|(module, class)| self.method(module, class, name, BASES));
        Some(format!("{receiver}.{name}({})", method.map(|method| args(method, true)).unwrap_or_default()))
    }

    /// Tells whether a parameter's annotation names nothing but what Python brings itself.
    fn is_builtin(&self, param: &str) -> bool {
        let annotation =
            self.function.params.iter().find(|known| known.name == param).and_then(|known| known.annotation.as_ref());
        let is_own = |word: &str| BUILTIN.contains(&last(word)) || items::is_container(word);
        annotation.is_some_and(|annotation| words(&outside_of_containers(annotation)).all(is_own))
    }

    /// Gives the annotation of a parameter, or of an attribute of the object.
    fn annotation(&self, name: &str) -> Option<String> {
        match name.split_once('.') {
            None => self.function.params.iter().find(|param| param.name == name)?.annotation.clone(),
            Some((owner, attribute)) if Some(owner) == self.receiver() => self.annotation_of_own(attribute),
            Some(_) => None,
        }
    }

    /// Gives the annotation of an item that an expression names: `order`, `orders[0]`.
    fn item(&self, receiver: &str) -> Option<String> {
        if let Some((container, _)) = receiver.split_once('[') {
            return self
                .annotation(container)
                .or_else(|| self.items.get(container).cloned())
                .and_then(|held| items::taken_out(&held));
        }
        self.items.get(receiver).cloned()
    }

    /// Lists the public methods of a parameter's type, where the project defines it.
    fn uncalled(&self, param: &str) -> Vec<String> {
        let own = |(module, _): &(&Module, &Class)| self.index.module(&module.path).is_some_and(|own| own.name == module.name);
        let Some((module, class)) = self.types_of(param).into_iter().find(own) else { return Vec::new() };
        let prefix = format!("{}.", class.qualname);
        let methods = module.functions.iter().filter(|function| {
            let name = function.id.qualname().strip_prefix(&prefix);
            let own = name.is_some_and(|name| !name.starts_with('_') && !name.contains(['.', '#']));
            own && function.kind == FunctionKind::Method
        });
        methods.take(UNCALLED).map(|method| format!("{param}.{}({})", method.name(), args(method, true))).collect()
    }

    /// Finds the classes that a parameter may be, by its annotation, or else by what was recorded.
    fn types_of(&self, param: &str) -> Vec<(&'a Module, &'a Class)> {
        let annotation =
            self.function.params.iter().find(|known| known.name == param).and_then(|known| known.annotation.as_ref());
        match annotation {
            Some(annotation) => self.named_in(annotation),
            None => self.recorded.get(param).and_then(|name| self.class(&name.module, &name.qualname)).into_iter().collect(),
        }
    }

    /// Finds the classes that an attribute of the object may be: by its annotation in the class, or by the parameter of
    /// the constructor it is set to.
    fn types_of_own(&self, attribute: &str) -> Vec<(&'a Module, &'a Class)> {
        self.annotation_of_own(attribute).map(|annotation| self.named_in(&annotation)).unwrap_or_default()
    }

    fn annotation_of_own(&self, attribute: &str) -> Option<String> {
        let (owner, _) = self.function.id.qualname().rsplit_once('.')?;
        let field = self.module.classes.iter().find(|class| class.qualname == owner).and_then(|class| {
            class.fields.iter().find(|field| field.name == attribute).and_then(|field| field.annotation.as_ref())
        });
        if let Some(annotation) = field {
            return Some(annotation.clone());
        }
        let init = format!("{owner}.__init__");
        let init = self.module.functions.iter().find(|function| function.id.qualname() == init)?;
        let lines = self.text.lines().skip(init.span.first.saturating_sub(1) as usize);
        let set = format!("self.{attribute}");
        let value = lines.take((init.span.last - init.span.first) as usize + 1).find_map(|line| {
            let rest = line.trim().strip_prefix(&set)?.trim_start();
            rest.split_once('=').filter(|(before, _)| before.is_empty() || before.starts_with(':')).map(|(_, value)| value.trim())
        });
        init.params.iter().find(|param| Some(param.name.as_str()) == value)?.annotation.clone()
    }

    /// Finds the classes that an annotation says a value may be, however it is spelled: quoted, in a union. What a container
    /// holds has other methods than the container.
    fn named_in(&self, annotation: &str) -> Vec<(&'a Module, &'a Class)> {
        words(&outside_of_containers(annotation)).filter_map(|word| self.class_called(self.module, word, BASES)).collect()
    }

    /// Finds a class by the name a module knows it by.
    fn class_called(&self, module: &'a Module, word: &str, depth: usize) -> Option<(&'a Module, &'a Class)> {
        if let Some(class) = module.classes.iter().find(|class| class.qualname == word) {
            return Some((module, class));
        }
        if let Some(import) = bound(module, word)
            && let Some(name) = &import.name
        {
            let from = absolute(module, &import.module)?;
            return self.class(&from, name).or_else(|| {
                // A package hands on what its modules define.
                self.class_called(self.module_called(&from)?, name, depth.checked_sub(1)?)
            });
        }
        if let Some((prefix, class)) = word.rsplit_once('.') {
            let import = bound(module, prefix)?;
            let from = absolute(module, &import.module)?;
            let named = import.name.as_ref().map_or_else(|| from.clone(), |name| format!("{from}.{name}"));
            return self
                .class(&named, class)
                .or_else(|| self.class_called(self.module_called(&named)?, class, depth.checked_sub(1)?));
        }
        let depth = depth.checked_sub(STAR)?;
        self.stars(module).find_map(|module| self.class_called(module, word, depth))
    }

    fn class(&self, module: &str, qualname: &str) -> Option<(&'a Module, &'a Class)> {
        let module = self.module_called(module)?;
        module.classes.iter().find(|class| class.qualname == qualname).map(|class| (module, class))
    }

    /// Finds a module of the project, or else an installed one; of the project's own packages none is looked for elsewhere.
    fn module_called(&self, name: &str) -> Option<&'a Module> {
        let own = self.index.modules().find(|module| module.name == name).map(|module| &**module);
        own.or_else(|| self.installed.module(name)).or_else(|| {
            let is_own = || self.index.modules().any(|module| top(&module.name) == top(name));
            if !NOT_ASKED.contains(&name) && !self.installed.was_asked(name) && !is_own() {
                self.unknown.borrow_mut().insert(name.to_owned());
            }
            None
        })
    }

    /// Lists the modules that a module takes all names of, where it is an installed one.
    fn stars(&self, module: &'a Module) -> impl Iterator<Item = &'a Module> {
        let stars = module.imports.iter().filter(|import| import.name.as_deref() == Some("*"));
        let installed = self.installed.was_asked(&module.name);
        stars.filter(move |_| installed).filter_map(|import| self.module_called(&absolute(module, &import.module)?))
    }

    /// Finds a method in a class or what it inherits from.
    fn method(&self, module: &'a Module, class: &'a Class, name: &str, depth: usize) -> Option<&'a Function> {
        let qualname = format!("{}.{name}", class.qualname);
        let own = module.functions.iter().find(|function| function.id.qualname() == qualname);
        own.or_else(|| {
            let depth = depth.checked_sub(1)?;
            class.bases.iter().find_map(|base| {
                let (module, class) = self.class_called(module, base.split('[').next().unwrap_or(base), BASES)?;
                self.method(module, class, name, depth)
            })
        })
    }

    /// Finds the function of the project or of an installed package that a name is imported as. What Python brings itself
    /// needs nobody to stand in for it.
    fn imported(&self, name: &str) -> Option<&'a Function> {
        let import = bound(self.module, name)?;
        let from = absolute(self.module, &import.module)?;
        let module = self.module_called(&from).filter(|_| !self.installed.is_standard(&from))?;
        self.function_called(module, import.name.as_deref()?, BASES)
    }

    /// Finds a function by the name a module knows it by.
    fn function_called(&self, module: &'a Module, name: &str, depth: usize) -> Option<&'a Function> {
        let own = module.functions.iter().find(|function| function.id.qualname() == name);
        own.or_else(|| {
            if let Some(import) = bound(module, name) {
                let from = self.module_called(&absolute(module, &import.module)?)?;
                return self.function_called(from, import.name.as_deref()?, depth.checked_sub(1)?);
            }
            let depth = depth.checked_sub(STAR)?;
            self.stars(module).find_map(|module| self.function_called(module, name, depth))
        })
    }
}

/// Tells whether an expression is a name with an index that is written out: `orders[0]`, `rates["eur"]`.
fn is_plain_index(node: Node<'_>) -> bool {
    let kind = |name: &str| node.child_by_field_name(name).map(|child| child.kind());
    node.kind() == "subscript"
        && matches!(kind("value"), Some("identifier" | "attribute"))
        && matches!(kind("subscript"), Some("integer" | "string" | "identifier" | "unary_operator"))
}

/// Finds what a name of a module is imported from.
fn bound<'m>(module: &'m Module, name: &str) -> Option<&'m Import> {
    let mut imports = module.imports.iter();
    imports.find(|import| import.alias.as_deref().or(import.name.as_deref()).unwrap_or(&import.module) == name)
}

/// Gives the first part of a dotted name.
fn top(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Gives an annotation without what stands in the brackets of containers and of other generic types.
fn outside_of_containers(annotation: &str) -> String {
    let mut out = String::new();
    // Of each bracket that is open, whether what it holds is the value itself.
    let mut open: Vec<bool> = Vec::new();
    for c in annotation.chars() {
        match c {
            '[' => {
                let word = words(&out).last().map_or("", last);
                open.push(TRANSPARENT.contains(&word) && !open.contains(&false));
            }
            ']' => {
                open.pop();
            }
            _ => {}
        }
        if !open.contains(&false) {
            out.push(c);
        }
    }
    out
}

/// Lists the names in an annotation.
fn words(annotation: &str) -> impl Iterator<Item = &str> {
    annotation.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).filter(|word| !word.is_empty())
}

fn last(word: &str) -> &str {
    word.rsplit('.').next().unwrap_or(word)
}

/// Lists the names of a function's parameters, without the object of a method.
fn args(function: &Function, of_object: bool) -> String {
    let skip = usize::from(of_object && matches!(function.kind, FunctionKind::Method | FunctionKind::ClassMethod));
    let stars = |kind| match kind {
        ParamKind::VarPositional => "*",
        ParamKind::VarKeyword => "**",
        _ => "",
    };
    let names: Vec<String> =
        function.params.iter().skip(skip).map(|param| format!("{}{}", stars(param.kind), param.name)).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::FunctionId;
    use crate::source::installed::Outline;

    const DB: &str = "class Base:\n    def close(self): ...\n\nclass Db(Base):\n    def insert(self, name, email, *, at=None): ...\n    def get(self, key): ...\n    def _hidden(self): ...\n\ndef hash_of(text, salt=b''): ...\n";

    fn told(code: &str, function: &str, recorded: &[(&str, &str)]) -> String {
        found(code, function, recorded, &Installed::default()).said.join(", ")
    }

    fn found(code: &str, function: &str, recorded: &[(&str, &str)], installed: &Installed) -> Needs {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        std::fs::create_dir(place.path().join("shop")).unwrap();
        write("shop/__init__.py", "from .db import Db\n");
        write("shop/db.py", DB);
        write("shop/users.py", code);
        let index = Index::build(place.path(), &[], &|_, _| {});
        let id = FunctionId::new("shop.users", function);
        let recorded = recorded.iter().map(|(param, class)| ((*param).to_owned(), TypeName::new("shop.db", *class))).collect();
        needs(&index, installed, index.function(&id).unwrap(), &recorded)
    }

    #[test]
    fn every_spelling_of_a_type_is_understood() {
        for (import, annotation) in [
            ("from shop.db import Db", "Db"),
            ("from .db import Db", "Db | None"),
            ("from . import Db", "'Db'"),
            ("from shop import Db as Store", "Optional[Store]"),
            ("import shop.db", "shop.db.Db"),
            ("from shop import db as d", "Annotated[d.Db, 'x']"),
        ] {
            for params in [format!("db: {annotation}"), format!("*, db: {annotation}"), format!("db: {annotation}, /")] {
                let code = format!("{import}\n\ndef save({params}):\n    db.close(); return db.insert('a', 'b')\n");
                assert_eq!(told(&code, "save", &[]), "db.close(), db.insert(name, email, at)", "{code}");
            }
        }
    }

    #[test]
    fn a_container_has_no_methods_of_what_it_holds() {
        for annotation in [
            "list[Db]",
            "'dict[str, Db]'",
            "typing.Sequence[Db | None]",
            "Optional[list[Db]]",
            "tuple[Db, ...] | None",
            "List[Db]",
        ] {
            let code = format!(
                "import typing\nfrom shop.db import Db\n\ndef save(db: {annotation}):\n    db.append(1)\n    db.insert(0, 1)\n    return db\n"
            );
            assert_eq!(told(&code, "save", &[]), "", "{annotation}");
        }
        for annotation in ["Optional[Db]", "Union[list[int], Db]", "list[int] | Db"] {
            let code = format!("from shop.db import Db\n\ndef save(db: {annotation}):\n    return db.get(1)\n");
            assert_eq!(told(&code, "save", &[]), "db.get(key)", "{annotation}");
        }
    }

    #[test]
    fn items_have_the_methods_of_what_a_container_holds() {
        let wanted = "db.close(), db.get(key)";
        for (annotation, body) in [
            ("list[Db]", "for db in all:\n        db.close(); db.get(1)"),
            ("'typing.Sequence[Db | None]'", "for db in all:\n        db.close(); db.get(1)"),
            ("Optional[List['Db']]", "for number, db in enumerate(all):\n        db.close(); db.get(1)"),
            ("dict[str, Db]", "for name, db in all.items():\n        db.close(); db.get(1)"),
            ("Dict[str, Db]", "for db in sorted(all.values()):\n        db.close(); db.get(1)"),
            ("dict[Db, str]", "for db in all:\n        db.close(); db.get(1)"),
            ("tuple[Db, ...] | None", "return [(db.close(), db.get(1)) for db in reversed(all)]"),
            ("set[Db]", "db = all.pop()\n    db.close(); db.get(1)"),
            ("Iterator[Db]", "db = next(all)\n    db.close(); db.get(1)"),
            ("list[Db]", "db = all[0]\n    db.close(); db.get(1)"),
            ("list[list[Db]]", "for some in all:\n        for db in some:\n            db.close(); db.get(1)"),
            ("list[Db]", "for db, n in zip(all, range(3)):\n        db.close(); db.get(1)"),
        ] {
            let code = format!(
                "import typing\nfrom typing import *\nfrom shop.db import Db\n\ndef save(all: {annotation}):\n    {body}\n"
            );
            assert_eq!(told(&code, "save", &[]), wanted, "{annotation}: {body}");
        }
        let code = "from shop.db import Db\n\ndef save(all: list[Db]):\n    all[0].close(); all[-1].get(1); all[1:].count(1)\n";
        assert_eq!(told(code, "save", &[]), "all[0].close(), all[-1].get(key)");
        let code = "from shop.db import Db\n\nclass Pool:\n    all: list[Db]\n    def close(self):\n        for db in self.all:\n            db.close()\n";
        assert_eq!(told(code, "Pool.close", &[]), "db.close()");
        for annotation in ["list[int]", "list[str]", "list", "list[Any]", "dict[str, Db]"] {
            let code =
                format!("from shop.db import Db\n\ndef save(all: {annotation}):\n    for one in all:\n        one.close()\n");
            assert_eq!(told(&code, "save", &[]), "", "{annotation}");
        }
    }

    #[test]
    fn what_is_called_is_told_once_in_the_order_of_the_body() {
        let code = "from shop.db import Db, hash_of\n\ndef save(db: Db, validator, client, other=1):\n    if validator(db.get(1)):\n        db.insert(hash_of('x'), 2)\n    db.get(2)\n    len('x'); print(other.real)\n    return client.post('x').json()\n";
        assert_eq!(
            told(code, "save", &[]),
            "validator(), db.get(key), db.insert(name, email, at), hash_of(text, salt), client.post()"
        );
    }

    #[test]
    fn an_untyped_parameter_is_what_was_recorded() {
        let code = "def save(db):\n    db.get(1)\n";
        assert_eq!(told(code, "save", &[]), "db.get()");
        assert_eq!(told(code, "save", &[("db", "Db")]), "db.get(key)");
    }

    #[test]
    fn an_object_and_a_type_that_nothing_is_called_on_have_methods_too() {
        let code = "from shop.db import Db\n\nclass Users:\n    def __init__(self, db: Db):\n        self.db = db\n    def add(self, name):\n        self.check(name)\n        self.db.insert(name, '')\n\ndef pass_on(db: Db):\n    return [db]\n";
        assert_eq!(told(code, "Users.add", &[]), "self.db.insert(name, email, at)");
        assert_eq!(told(code, "pass_on", &[]), "db.insert(name, email, at), db.get(key)");
        assert_eq!(told("def f(a: dict[str, int] | None, b: 'typing.Sequence'):\n    a.items(); b.index(1)\n", "f", &[]), "");
        assert_eq!(told("def f(a, b=2):\n    return max(a, b)\n", "f", &[]), "");
    }

    /// What stands in no file of the project is asked about module by module, until the class or function itself is there.
    #[test]
    fn an_installed_package_is_followed_through_what_hands_its_names_on() {
        let code = "import wire\nfrom wire import Client, fetch as get\nfrom pathlib import Path\nfrom shutil import move\n\ndef load(client: Client, session: 'wire.Session | None', path: Path, idle: Client):\n    session.close()\n    move('a', 'b')\n    return get(client.get('x')), path.exists()\n";
        let outline = |text: &str, package, standard| Outline { text: text.into(), package, standard };
        let outlines = [
            ("wire", outline("from ._client import *\nfrom .api import fetch as fetch\n", true, false)),
            (
                "wire._client",
                outline(
                    "from .base import Base\nclass Client(Base):\n    def get(self, url, *, params): ...\nclass Session(Base):\n    pass\n",
                    false,
                    false,
                ),
            ),
            ("wire.base", outline("class Base(object):\n    def close(self, timeout): ...\n", false, false)),
            ("wire.api", outline("def fetch(url, **options): ...\n", false, false)),
            ("pathlib", outline("class Path():\n    def exists(self, *, follow_symlinks): ...\n", false, true)),
            ("shutil", outline("def move(src, dst): ...\n", false, true)),
        ];
        let outlines: BTreeMap<&str, Outline> = outlines.into();
        let mut installed = Installed::default();
        let mut asked = Vec::new();
        let last = loop {
            let found = found(code, "load", &[], &installed);
            if found.unknown.is_empty() {
                break found;
            }
            for name in &found.unknown {
                installed.learn(name, outlines.get(name.as_str()));
            }
            asked.push(found.unknown.into_iter().collect::<Vec<_>>().join(" "));
        };
        assert_eq!(
            last.said.join(", "),
            "session.close(timeout), get(url, **options), client.get(url, params), path.exists(follow_symlinks)"
        );
        assert_eq!(asked, ["pathlib shutil wire", "wire._client wire.api", "wire.base"]);
        assert!(found("import gone\n\ndef f(x: 'gone.X'):\n    x.y()\n", "f", &[], &installed).unknown.contains("gone"));
        assert!(found("def f(x: int, y: list[str]):\n    y.append(x)\n", "f", &[], &installed).unknown.is_empty());
    }
}
