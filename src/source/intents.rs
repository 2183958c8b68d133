//! Tests with an intent, found in the source by their decorator, whatever it is called there.

use crate::base::paths::RelPath;
use crate::domain::function::{Function, FunctionKind, Module};
use crate::source::index::Index;

/// The decorator of a test with an intent.
const DECORATOR: &str = "semantic_test";

/// A test with an intent.
pub struct WithIntent<'a> {
    /// The test.
    pub function: &'a Function,
    /// As pytest names it.
    pub node: String,
    /// Its decorator as written, without `@`.
    pub decorator: &'a str,
}

/// Finds the tests with an intent in these files.
pub fn tests<'a>(index: &'a Index, of: &dyn Fn(&RelPath) -> bool) -> Vec<WithIntent<'a>> {
    let mut out = Vec::new();
    for module in index.modules().filter(|module| module.is_test() && of(&module.path)) {
        let names = names(module);
        let functions = module.functions.iter().filter(|function| function.kind != FunctionKind::Nested);
        for function in functions.filter(|function| function.name().starts_with("test")) {
            if let Some(decorator) = function.decorators.iter().find(|decorator| is_intent(decorator, &names)) {
                let qualname = function.id.qualname().split('#').next().unwrap_or_default();
                let node = format!("{}::{}", module.path, qualname.replace('.', "::"));
                out.push(WithIntent { function, node, decorator });
            }
        }
    }
    out
}

/// Lists what the decorator is called in a module.
fn names(module: &Module) -> Vec<&str> {
    let imported = module.imports.iter().filter(|import| import.name.as_deref() == Some(DECORATOR));
    imported.map(|import| import.alias.as_deref().unwrap_or(DECORATOR)).collect()
}

fn is_intent(decorator: &str, names: &[&str]) -> bool {
    let Some((called, _)) = decorator.split_once('(') else { return false };
    let called = called.trim();
    names.contains(&called) || called.rsplit_once('.').is_some_and(|(_, last)| last == DECORATOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_with_an_intent_is_found_however_its_decorator_is_imported() {
        let place = tempfile::tempdir().unwrap();
        let test = "\n\n\n@{}\ndef test_it():\n    pass\n\n\ndef test_plain():\n    pass\n";
        for (name, import, decorator) in [
            ("test_a.py", "from pytead_tui import semantic_test", "semantic_test(intent=\"Saves.\")"),
            ("test_b.py", "from pytest_semantic import semantic_test as st", "st(\"Saves.\")"),
            ("test_c.py", "import pytead_tui", "pytead_tui.semantic_test(\n    intent=\"Saves.\",\n)"),
            ("test_d.py", "from other import semantic as semantic_test_of_mine", "semantic_test_of_mine(\"x\")"),
            ("helper.py", "from pytead_tui import semantic_test", "semantic_test(\"no test is here\")"),
        ] {
            std::fs::write(place.path().join(name), format!("{import}{}", test.replace("{}", decorator))).unwrap();
        }
        let class = "from pytead_tui import semantic_test\n\n\nclass TestCart:\n    @semantic_test(intent=\"x\")\n    def test_total(self):\n        pass\n";
        std::fs::write(place.path().join("test_e.py"), class).unwrap();
        let index = Index::build(place.path(), &[], &|_, _| {});
        let all = |of: &dyn Fn(&RelPath) -> bool| tests(&index, of).into_iter().map(|test| test.node).collect::<Vec<_>>();
        let expected = ["test_a.py::test_it", "test_b.py::test_it", "test_c.py::test_it", "test_e.py::TestCart::test_total"];
        assert_eq!(all(&|_| true), expected);
        assert_eq!(all(&|path| path.as_str() == "test_b.py"), ["test_b.py::test_it"]);
        let found = super::tests(&index, &|path| path.as_str() == "test_a.py");
        assert_eq!(found[0].decorator, "semantic_test(intent=\"Saves.\")");
    }
}
