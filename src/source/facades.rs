//! Which package people import a name from whose code stands in a module below it (R23): `from shop import total` for
//! what `shop/__init__.py` brings from `shop/_cart.py`. Known from the imports of the project's files alone; nothing is run.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::function::Module;
use crate::domain::value::TypeName;
use crate::source::names::absolute;

/// How many modules a name is followed through.
const STEPS_MAX: usize = 5;

/// Names that a package brings from its modules and that files outside of it take from there.
#[derive(Debug, Clone, Default)]
pub struct Facades {
    /// Where a name is defined, to the package.
    packages: HashMap<(String, String), String>,
}

/// What files outside of a package take from it.
#[derive(Default)]
struct Used<'a> {
    /// `import package`: any name of it.
    all: bool,
    names: HashSet<&'a str>,
}

impl Facades {
    /// Reads the imports of all modules of a project.
    #[must_use]
    pub fn of<'a>(modules: impl Iterator<Item = &'a Module>) -> Self {
        let modules: BTreeMap<&str, &Module> = modules.map(|module| (module.name.as_str(), module)).collect();
        let mut found = Self::default();
        let used = used(&modules);
        // Outer packages come first, by their names.
        for (package, used) in &used {
            let Some(module) = modules.get(package) else { continue };
            for (name, from) in exports(module, &modules) {
                if !(used.all || used.names.contains(name.as_str())) {
                    continue;
                }
                let place = definition(&from, &name, &modules);
                if let Some(place) = place.filter(|place| place != package) {
                    found.packages.entry((place, name)).or_insert_with(|| (*package).to_owned());
                }
            }
        }
        found
    }

    /// Gives an importable thing by the module that people import it from.
    #[must_use]
    pub fn public(&self, ty: &TypeName) -> TypeName {
        let head = ty.qualname.split('.').next().unwrap_or_default();
        match self.packages.get(&(ty.module.clone(), head.to_owned())) {
            Some(package) => TypeName::new(package, &ty.qualname),
            None => ty.clone(),
        }
    }
}

/// Lists the packages that files outside of them import from.
fn used<'a>(modules: &BTreeMap<&'a str, &'a Module>) -> BTreeMap<&'a str, Used<'a>> {
    let mut found: BTreeMap<&str, Used<'_>> = BTreeMap::new();
    for module in modules.values() {
        for import in &module.imports {
            let Some(package) = absolute(module, &import.module).and_then(|name| modules.get_key_value(name.as_str())) else {
                continue;
            };
            let (package, is_package) = (*package.0, package.1.path.file_name() == "__init__.py");
            if !is_package || is_inside(&module.name, package) {
                continue;
            }
            let used = found.entry(package).or_default();
            match import.name.as_deref() {
                None | Some("*") => used.all = true,
                Some(name) => {
                    used.names.insert(name);
                }
            }
        }
    }
    found
}

/// Lists the names that a package brings from its own modules, and the module that each is taken from.
fn exports(package: &Module, modules: &BTreeMap<&str, &Module>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for import in package.imports.iter().filter(|import| !package.is_inner(import.line)) {
        let Some(from) = absolute(package, &import.module).filter(|from| from != &package.name) else { continue };
        if !is_inside(&from, &package.name) {
            continue;
        }
        match import.name.as_deref() {
            None => {}
            Some("*") => found.extend(modules.get(from.as_str()).into_iter().flat_map(|module| {
                let from = from.clone();
                starred(module).into_iter().map(move |name| (name, from.clone()))
            })),
            Some(name) if import.alias.as_deref().is_none_or(|alias| alias == name) => found.push((name.to_owned(), from)),
            Some(_) => {}
        }
    }
    found
}

/// Lists what `from module import *` brings of what the module defines.
pub(crate) fn starred(module: &Module) -> Vec<String> {
    let defined = defined(module);
    match &module.exports {
        Some(listed) => listed.iter().filter(|name| defined.contains(name.as_str())).cloned().collect(),
        None => defined.iter().filter(|name| !name.starts_with('_')).map(|name| (*name).to_owned()).collect(),
    }
}

/// Names the functions and classes at the top of a module.
pub(crate) fn defined(module: &Module) -> HashSet<&str> {
    let functions = module.functions.iter().map(|function| function.id.qualname());
    functions.chain(module.classes.iter().map(|class| class.qualname.as_str())).filter(|name| !name.contains('.')).collect()
}

/// Follows a name from the module that it is taken from to the one that defines it.
pub(crate) fn definition(from: &str, name: &str, modules: &BTreeMap<&str, &Module>) -> Option<String> {
    let mut at = from.to_owned();
    for _ in 0..STEPS_MAX {
        let module = modules.get(at.as_str())?;
        if defined(module).contains(name) {
            return Some(at);
        }
        let brought = |import: &&crate::domain::function::Import| {
            import.name.as_deref() == Some(name) && import.alias.as_deref().is_none_or(|alias| alias == name)
        };
        match module.imports.iter().rfind(brought) {
            Some(import) => at = absolute(module, &import.module)?,
            // A value: its name is all that is known of it.
            None => return Some(at),
        }
    }
    None
}

/// Tells whether a module is a package or stands below it.
fn is_inside(module: &str, package: &str) -> bool {
    module.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::source::parse::parse;

    /// Tells where people import a name from, in a project of these files.
    fn public(files: &[(&str, &str)], module: &str, name: &str) -> String {
        let read = |(path, text): &(&str, &str)| {
            let name = path.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".");
            parse(&RelPath::new(path).unwrap(), text.as_bytes(), &name, "")
        };
        let modules: Vec<Module> = files.iter().map(read).collect();
        Facades::of(modules.iter()).public(&TypeName::new(module, name)).module
    }

    #[test]
    fn a_name_is_imported_from_where_people_import_it() {
        let cart = ("shop/_cart.py", "def total(): pass\nclass Cart:\n    def add(self): pass\ndef hidden(): pass\n");
        let package = ("shop/__init__.py", "from ._cart import Cart, total, hidden as seen\n");
        for (driver, name, from) in [
            ("from shop import total", "total", "shop"),
            ("from shop import total", "Cart", "shop._cart"),
            ("import shop", "Cart.add", "shop"),
            ("import shop as s", "hidden", "shop._cart"),
            ("from shop._cart import total", "total", "shop._cart"),
            ("import json", "total", "shop._cart"),
        ] {
            assert_eq!(public(&[cart, package, ("main.py", driver)], "shop._cart", name), from, "{driver}: {name}");
        }
        // A module of the package itself is nobody outside of it, and a function's own import is nothing the package brings.
        let inside = [cart, package, ("shop/use.py", "from shop import total")];
        assert_eq!(public(&inside, "shop._cart", "total"), "shop._cart");
        let late = ("shop/__init__.py", "def load():\n    from ._cart import total\n    return total\n");
        assert_eq!(public(&[cart, late, ("main.py", "import shop")], "shop._cart", "total"), "shop._cart");
    }

    #[test]
    fn stars_bring_what_is_listed_or_public_and_names_are_followed() {
        let package = ("shop/__init__.py", "from .cart import *\nfrom .api import pay\n");
        let api = ("shop/api.py", "from shop.money.pay import pay\n");
        let pay = ("shop/money/pay.py", "def pay(): pass\n");
        let money = ("shop/money/__init__.py", "from .pay import pay\n");
        let rest = [package, api, pay, money, ("tests/test_shop.py", "import shop\nimport shop.money\n")];
        let with = |cart: &str, name: &str| {
            let files: Vec<(&str, &str)> = rest.iter().copied().chain([("shop/cart.py", cart)]).collect();
            public(&files, "shop.cart", name)
        };
        assert_eq!(with("def total(): pass\n", "total"), "shop");
        assert_eq!(with("def _total(): pass\n", "_total"), "shop.cart");
        assert_eq!(with("__all__ = ['other']\ndef total(): pass\n", "total"), "shop.cart");
        assert_eq!(with("__all__ = ('total',)\ndef total(): pass\n", "total"), "shop");
        assert_eq!(with("__all__ = names()\n__all__ += ['total']\ndef total(): pass\n", "total"), "shop");
        assert_eq!(with("__all__ = names()\ndef total(): pass\n", "total"), "shop.cart");
        // The outermost package that people use.
        let files: Vec<(&str, &str)> = rest.iter().copied().chain([("shop/cart.py", "")]).collect();
        assert_eq!(public(&files, "shop.money.pay", "pay"), "shop");
    }
}
