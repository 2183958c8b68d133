//! What is near a test: what the names in its module stand for, which modules it imports, and what ran. Clauses that name one of several
//! functions of the same name mean what is near.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::callee::Callee;
use crate::domain::function::Module;
use crate::domain::journey::{JourneyEvent, What};
use crate::judge::names::Nearby;
use crate::source::facades::{defined, definition, starred};
use crate::source::index::Index;
use crate::source::names::absolute;

/// Lists the functions that ran.
pub(crate) fn ran(events: &[JourneyEvent]) -> BTreeSet<Callee> {
    let called = events
        .iter()
        .filter_map(|event| if let What::Call { function, .. } = &event.what { Some(function.clone()) } else { None });
    called.collect()
}

/// Finds what is near the tests of a file.
pub(crate) fn of(index: &Index, file: &str, events: &[JourneyEvent]) -> Nearby {
    let mut nearby = Nearby { ran: ran(events), ..Nearby::default() };
    let modules: BTreeMap<&str, &Module> = index.modules().map(|module| (module.name.as_str(), module.as_ref())).collect();
    nearby.brought = brought(&modules);
    let Some(own) = index.modules().find(|module| module.path.as_str() == file) else { return nearby };
    for import in &own.imports {
        let Some(from) = absolute(own, &import.module) else { continue };
        match (import.name.as_deref(), import.alias.as_deref()) {
            (None, alias) => {
                let first = from.split('.').next().unwrap_or_default().to_owned();
                let (name, target) = alias.map_or((first.clone(), first), |alias| (alias.to_owned(), from.clone()));
                nearby.bound.insert(name, target);
                nearby.modules.insert(from);
            }
            (Some("*"), _) => {
                for name in modules.get(from.as_str()).map(|module| starred(module)).unwrap_or_default() {
                    nearby.bound.insert(name.clone(), format!("{from}.{name}"));
                }
                nearby.modules.insert(from);
            }
            (Some(name), alias) => {
                let below = format!("{from}.{name}");
                let target = if modules.contains_key(below.as_str()) {
                    nearby.modules.insert(below.clone());
                    below
                } else {
                    let place = definition(&from, name, &modules).unwrap_or_else(|| from.clone());
                    nearby.modules.extend([place.clone(), from]);
                    format!("{place}.{name}")
                };
                nearby.bound.insert(alias.unwrap_or(name).to_owned(), target);
            }
        }
    }
    // What it defines itself is what its names mean in the end.
    nearby.bound.extend(defined(own).into_iter().map(|name| (name.to_owned(), format!("{}.{name}", own.name))));
    nearby
}

/// Lists what packages bring from other modules of the project: `shop.Cart` for `shop.cart.Cart`.
fn brought(modules: &BTreeMap<&str, &Module>) -> BTreeMap<String, String> {
    let packages = modules.values().filter(|module| module.path.file_name() == "__init__.py");
    let imports = packages.flat_map(|package| {
        package.imports.iter().filter(|import| !package.is_inner(import.line)).map(move |import| (*package, import))
    });
    let mut found = BTreeMap::new();
    for (package, import) in imports {
        let Some(from) = absolute(package, &import.module).filter(|from| modules.contains_key(from.as_str())) else { continue };
        match import.name.as_deref() {
            None => {}
            Some("*") => {
                for name in starred(modules[from.as_str()]) {
                    found.insert(format!("{}.{name}", package.name), format!("{from}.{name}"));
                }
            }
            Some(name) => {
                let place = definition(&from, name, modules).unwrap_or_else(|| from.clone());
                found.insert(format!("{}.{}", package.name, import.alias.as_deref().unwrap_or(name)), format!("{place}.{name}"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::grammar;
    use crate::judge::names::{Names, Unresolved};

    /// A project with a class `Cart` in three modules, and a test that begins with these lines.
    fn resolved(head: &str, ran: &[&str], written: &str) -> Result<String, usize> {
        let place = tempfile::tempdir().unwrap();
        let save = |path: &str, text: &str| {
            let path = place.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let cart = "class Cart:\n    def total(self):\n        return 1\n\n\ndef load():\n    return 1\n";
        save("shop/__init__.py", "from shop.a import Cart as Basket\nfrom shop.b import Cart\n");
        for module in ["a", "b", "c"] {
            save(&format!("shop/{module}.py"), cart);
        }
        save("shop/other.py", "def helper():\n    return 1\n");
        save("tests/test_it.py", &format!("{head}\n\ndef test_it():\n    pass\n"));
        let index = Index::build(place.path(), &[], &|_, _| {});
        let mut nearby = of(&index, "tests/test_it.py", &[]);
        nearby.ran = ran.iter().map(|text| Callee::from_text(text)).collect();
        let names = Names::new(index.functions()).near(nearby);
        match names.bind(grammar::parse(&format!("{written} is called")).unwrap()) {
            Ok(bound) => Ok(bound.functions().map(|(_, id)| id.text().into_owned()).collect()),
            Err(Unresolved::Ambiguous { candidates, .. }) => Err(candidates.len()),
            Err(_) => Err(0),
        }
    }

    #[test]
    fn a_name_of_several_classes_means_what_the_test_s_module_imports() {
        for (head, written, meant) in [
            ("from shop.a import Cart", "Cart.total", "shop.a:Cart.total"),
            ("from shop.a import Cart", "total", "shop.a:Cart.total"),
            ("from shop.a import Cart as C", "C.total", "shop.a:Cart.total"),
            ("from shop.a import Cart as C\nfrom shop.b import Cart", "Cart.total", "shop.b:Cart.total"),
            ("from shop.a import Cart as C\nfrom shop.b import Cart", "C.total", "shop.a:Cart.total"),
            ("from shop import Cart", "Cart.total", "shop.b:Cart.total"),
            ("from shop import a", "a.Cart.total", "shop.a:Cart.total"),
            ("import shop.c", "Cart.total", "shop.c:Cart.total"),
            ("import shop.c as sc", "sc.Cart.total", "shop.c:Cart.total"),
            ("from shop.c import *", "Cart.total", "shop.c:Cart.total"),
            ("import shop", "shop.Cart.total", "shop.b:Cart.total"),
            ("import shop", "shop.Basket.total", "shop.a:Cart.total"),
            ("import os", "shop.Cart.total", "shop.b:Cart.total"),
            ("import shop as s", "s.Cart.total", "shop.b:Cart.total"),
            ("def f():\n    from shop.a import Cart", "Cart.total", "shop.a:Cart.total"),
            ("from shop.c import load", "load", "shop.c:load"),
            ("class Cart:\n    def total(self):\n        return 2", "Cart.total", "tests.test_it:Cart.total"),
        ] {
            let found = resolved(head, &[], written);
            assert_eq!(
                found.as_deref().map(|found| found.replace("test_it:", "tests.test_it:").replace("tests.tests.", "tests.")),
                Ok(meant.to_owned()),
                "{head}"
            );
        }
    }

    #[test]
    fn what_ran_decides_where_imports_do_not() {
        assert_eq!(resolved("import os", &["shop.b:Cart.total"], "Cart.total").as_deref(), Ok("shop.b:Cart.total"));
        assert_eq!(
            resolved("from shop.other import helper", &["shop.b:Cart.total"], "Cart.total").as_deref(),
            Ok("shop.b:Cart.total")
        );
        let head = "from shop import a, b";
        assert_eq!(resolved(head, &["shop.b:Cart.total", "shop.c:Cart.total"], "Cart.total").as_deref(), Ok("shop.b:Cart.total"));
        // What its own names say is not overruled by what happened elsewhere.
        assert_eq!(resolved("from shop.a import Cart", &["shop.b:Cart.total"], "Cart.total").as_deref(), Ok("shop.a:Cart.total"));
    }

    #[test]
    fn only_where_two_fit_a_person_is_asked() {
        assert_eq!(resolved("import os", &[], "Cart.total"), Err(3));
        assert_eq!(resolved("import os", &["shop.b:Cart.total", "shop.c:Cart.total"], "Cart.total"), Err(2));
        assert_eq!(resolved("from shop import a, b", &[], "Cart.total"), Err(2), "two are imported");
        let head = "from shop import a, b";
        assert_eq!(resolved(head, &["shop.b:Cart.total", "shop.a:Cart.total"], "Cart.total"), Err(2), "and both ran");
        assert_eq!(
            resolved("from shop.a import load", &["shop.b:Cart.total"], "Cart.total"),
            Err(2),
            "one is imported, another ran"
        );
    }
}
