//! Tests with an intent that were never judged: found in the source, by their decorator.

use std::collections::BTreeSet;

use crate::base::paths::RelPath;
use crate::domain::function::{FunctionId, FunctionKind, Module};
use crate::engine::state::core::Core;
use crate::source::index::Index;

/// The decorator of a test with an intent.
const DECORATOR: &str = "semantic_test";

/// Lists the node ids of tests with an intent that were never judged, in these files.
pub fn nodes(core: &Core, of: &dyn Fn(&RelPath) -> bool) -> Vec<String> {
    let judged: BTreeSet<FunctionId> = core.state.lock().verdicts.values().map(|kept| kept.stored.function.clone()).collect();
    found(&core.index(), of).into_iter().filter(|(id, _)| !judged.contains(id)).map(|(_, node)| node).collect()
}

/// Finds the tests with an intent: each as a function, and as pytest names it.
fn found(index: &Index, of: &dyn Fn(&RelPath) -> bool) -> Vec<(FunctionId, String)> {
    let mut out = Vec::new();
    for module in index.modules().filter(|module| module.is_test() && of(&module.path)) {
        let names = names(module);
        let functions = module.functions.iter().filter(|function| function.kind != FunctionKind::Nested);
        for function in functions.filter(|function| function.name().starts_with("test")) {
            if function.decorators.iter().any(|decorator| is_intent(decorator, &names)) {
                let qualname = function.id.qualname().split('#').next().unwrap_or_default();
                out.push((function.id.clone(), format!("{}::{}", module.path, qualname.replace('.', "::"))));
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
        let all = |of: &dyn Fn(&RelPath) -> bool| found(&index, of).into_iter().map(|(_, node)| node).collect::<Vec<_>>();
        let expected = ["test_a.py::test_it", "test_b.py::test_it", "test_c.py::test_it", "test_e.py::TestCart::test_total"];
        assert_eq!(all(&|_| true), expected);
        assert_eq!(all(&|path| path.as_str() == "test_b.py"), ["test_b.py::test_it"]);
    }
}
