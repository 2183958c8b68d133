//! Follows a recorded name to what it means in the code of today: re-exports of what moved to another module, methods that
//! were pulled up into a base class or pushed down into a subclass, definitions that had twins. Nothing is run.

use crate::domain::function::{Class, Function, FunctionId, Module};
use crate::domain::value::TypeName;

use super::find::plain;
use super::index::Index;
use super::names::absolute;

/// How many modules or base classes a name is followed through.
const STEPS_MAX: usize = 6;

impl Index {
    /// Gives the function that an id means today: the one of that id, or what its name leads to now.
    #[must_use]
    pub fn today(&self, id: &FunctionId) -> Option<&Function> {
        self.function(id).or_else(|| self.follow(id.module(), plain(id.qualname()), STEPS_MAX))
    }

    /// Gives the place where a class or function of the project is defined today, when its name now leads to another place.
    #[must_use]
    pub fn moved_to(&self, ty: &TypeName) -> Option<TypeName> {
        let module = self.module_called(&ty.module)?;
        let (head, rest) = ty.qualname.split_once('.').map_or((ty.qualname.as_str(), None), |(head, rest)| (head, Some(rest)));
        if defines(module, head) {
            return None;
        }
        let (home, name) = self.home(module, head, STEPS_MAX)?;
        let qualname = rest.map_or(name.clone(), |rest| format!("{name}.{rest}"));
        Some(TypeName::new(&home.name, &qualname))
    }

    /// Names the function that calls this one among others that are registered with it: `show` for what stands below
    /// `@show.register`, where `show` is made by `singledispatch`.
    #[must_use]
    pub fn dispatcher(&self, function: &Function) -> Option<FunctionId> {
        let registered = |decorator: &String| {
            let name = decorator.split('(').next()?.trim().strip_suffix(".register")?;
            let qualname = function.written().rsplit_once('.').map_or(name.to_owned(), |(home, _)| format!("{home}.{name}"));
            let id = FunctionId::new(function.id.module(), &qualname);
            self.today(&id).is_some_and(Function::is_dispatcher).then_some(id)
        };
        function.decorators.iter().find_map(registered)
    }

    fn follow(&self, module: &str, qualname: &str, steps: usize) -> Option<&Function> {
        let module = self.module_called(module)?;
        let (head, rest) = qualname.split_once('.').map_or((qualname, None), |(head, rest)| (head, Some(rest)));
        let (home, name) = self.home(module, head, steps)?;
        let Some(rest) = rest else { return own(home, &name) };
        let whole = format!("{name}.{rest}");
        if let Some(found) = own(home, &whole) {
            return Some(found);
        }
        let (class, method) = whole.rsplit_once('.')?;
        let class = home.classes.iter().find(|other| other.qualname == class)?;
        self.inherited(home, class, method, steps).or_else(|| self.overriding(&class.qualname, method))
    }

    /// Finds the module that defines what a name of another one means, and the name there.
    fn home<'a>(&'a self, module: &'a Module, name: &str, steps: usize) -> Option<(&'a Module, String)> {
        if defines(module, name) {
            return Some((module, name.to_owned()));
        }
        if steps == 0 {
            return None;
        }
        let bound = |import: &&crate::domain::function::Import| {
            import.name.is_some() && import.alias.as_ref().or(import.name.as_ref()).is_some_and(|alias| alias == name)
        };
        if let Some(import) = module.imports.iter().filter(|import| !module.is_inner(import.line)).rfind(bound) {
            let from = self.module_called(&absolute(module, &import.module)?)?;
            return self.home(from, import.name.as_deref()?, steps - 1);
        }
        if let Some(other) = self.assigned(module, name) {
            return self.home(module, &other, steps - 1);
        }
        let starred = module.imports.iter().filter(|import| import.name.as_deref() == Some("*"));
        let mut homes = starred.filter_map(|import| {
            let from = self.module_called(&absolute(module, &import.module)?)?;
            self.home(from, name, steps - 1)
        });
        homes.next()
    }

    /// Gives the other name that a module keeps under a name: `old = new`.
    fn assigned(&self, module: &Module, name: &str) -> Option<String> {
        let text = self.text(&module.path)?;
        let other = text.lines().rev().find_map(|line| {
            let rest = line.strip_prefix(name)?.trim_start().strip_prefix('=')?;
            Some(rest.split('#').next()?.trim().to_owned())
        })?;
        other.chars().all(|c| c == '_' || c.is_alphanumeric()).then_some(other).filter(|other| other != name)
    }

    /// Finds a method in the bases of a class.
    fn inherited<'a>(&'a self, module: &'a Module, class: &Class, method: &str, steps: usize) -> Option<&'a Function> {
        if steps == 0 {
            return None;
        }
        class.bases.iter().find_map(|base| {
            let base = base.split('[').next()?.trim();
            let (home, name) = match base.rsplit_once('.') {
                None => self.home(module, base, STEPS_MAX)?,
                Some((from, name)) => {
                    let import = module
                        .imports
                        .iter()
                        .rfind(|import| import.name.is_none() && import.alias.as_deref().unwrap_or(&import.module) == from)?;
                    self.home(self.module_called(&absolute(module, &import.module)?)?, name, STEPS_MAX)?
                }
            };
            let class = home.classes.iter().find(|other| other.qualname == name)?;
            own(home, &format!("{name}.{method}")).or_else(|| self.inherited(home, class, method, steps - 1))
        })
    }

    /// Finds a method in a subclass, by the last name of the base.
    fn overriding(&self, class: &str, method: &str) -> Option<&Function> {
        let last = class.rsplit('.').next().unwrap_or(class);
        let is_sub = |sub: &&Class| sub.bases.iter().any(|base| last_name(base) == last);
        let subs = |module: &'_ Module| module.classes.iter().filter(is_sub).map(|sub| sub.qualname.clone()).collect::<Vec<_>>();
        self.modules().find_map(|module| subs(module).iter().find_map(|sub| own(module, &format!("{sub}.{method}"))))
    }
}

/// Gives the last name of a base class as it is written: `Base` of `shop.Base[int]`.
pub(super) fn last_name(base: &str) -> &str {
    let base = base.split('[').next().unwrap_or(base).trim();
    base.rsplit('.').next().unwrap_or(base)
}

/// Gives what a module calls by a qualified name: the last of its definitions.
fn own<'a>(module: &'a Module, qualname: &str) -> Option<&'a Function> {
    module.functions.iter().rfind(|function| plain(function.id.qualname()) == qualname)
}

fn defines(module: &Module, name: &str) -> bool {
    module.classes.iter().any(|class| class.qualname == name) || own(module, name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells which function an id means in a project of these files.
    fn today(files: &[(&str, &str)], id: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let index = Index::build(folder.path(), &[], &|_, _| {});
        index.today(&FunctionId(id.to_owned())).map(|function| function.id.0.clone())
    }

    #[test]
    fn what_moved_is_followed_through_the_name_that_is_kept() {
        let fees = ("fees.py", "def fee(x): pass\nclass Acc:\n    def double(self): pass\n");
        let found = |calc: &str, id: &str| today(&[fees, ("calc.py", calc)], id);
        assert_eq!(found("from fees import fee\n", "calc:fee").as_deref(), Some("fees:fee"));
        assert_eq!(found("from fees import *\n", "calc:fee").as_deref(), Some("fees:fee"));
        assert_eq!(found("from fees import fee as old\n", "calc:old").as_deref(), Some("fees:fee"));
        assert_eq!(found("from fees import fee as other\n", "calc:fee"), None);
        assert_eq!(found("def new(x): pass\nfee = new\n", "calc:fee").as_deref(), Some("calc:new"));
        assert_eq!(found("from fees import Acc\n", "calc:Acc.double").as_deref(), Some("fees:Acc.double"));
        assert_eq!(found("def f():\n    from fees import fee\n", "calc:fee"), None);
        let package = [("calc/__init__.py", "from .parts import fee\n"), ("calc/parts.py", "def fee(x): pass\n")];
        assert_eq!(today(&package, "calc:fee").as_deref(), Some("calc.parts:fee"));
    }

    #[test]
    fn only_single_dispatch_calls_what_is_registered_with_it() {
        let text = "@functools.singledispatch\ndef show(x): pass\n@show.register(list)\ndef _(x): pass\n@atexit.register\ndef bye(): pass\n";
        let module = crate::source::parse::parse(&crate::base::paths::RelPath::new("m.py").unwrap(), text.as_bytes(), "m", "");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("m.py"), text).unwrap();
        let index = Index::build(folder.path(), &[], &|_, _| {});
        let of = |at: usize| index.dispatcher(&module.functions[at]).map(|id| id.0);
        assert_eq!((of(0), of(1).as_deref(), of(2)), (None, Some("m:show"), None));
    }

    #[test]
    fn methods_are_found_in_bases_and_subclasses_and_twins_by_the_last_one() {
        let up = "class Base:\n    def double(self): pass\nclass Acc(Base[int]):\n    pass\n";
        assert_eq!(today(&[("calc.py", up)], "calc:Acc.double").as_deref(), Some("calc:Base.double"));
        let far =
            [("base.py", "class Base:\n    def double(self): pass\n"), ("calc.py", "import base\nclass Acc(base.Base): pass\n")];
        assert_eq!(today(&far, "calc:Acc.double").as_deref(), Some("base:Base.double"));
        let down = "class Acc:\n    pass\nclass Sub(Acc):\n    def double(self): pass\n";
        assert_eq!(today(&[("calc.py", down)], "calc:Acc.double").as_deref(), Some("calc:Sub.double"));
        assert_eq!(today(&[("calc.py", "def f(): pass\n")], "calc:f#3").as_deref(), Some("calc:f"));
        assert_eq!(today(&[("calc.py", "def f(): pass\n")], "calc:g"), None);
    }
}
