//! The folders that have to be on `sys.path` for a draft: those of the modules that it imports, and of what these import.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::function::{FunctionId, Module};
use crate::generate::trim::has_word;
use crate::source::index::Index;

/// Gives the folders below the root from which a draft of a function imports the project's modules, however deep. The values of
/// the variables that it sets may name modules, too: `DJANGO_SETTINGS_MODULE`.
#[must_use]
pub fn needed(index: &Index, function: &FunctionId, imports: &[String], variables: &BTreeMap<String, String>) -> Vec<String> {
    let mut by_name: BTreeMap<&str, Vec<&Module>> = BTreeMap::new();
    for module in index.modules() {
        by_name.entry(module.name.as_str()).or_default().push(module.as_ref());
    }
    let text = imports.join("\n");
    let is_named =
        |name: &str| name == function.module() || variables.values().any(|value| value == name) || has_word(&text, name);
    let named = by_name.iter().filter(|(name, _)| is_named(name));
    let mut next: Vec<&Module> = named.flat_map(|(_, modules)| modules.iter().copied()).collect();
    let mut seen: BTreeSet<&str> = next.iter().map(|module| module.path.as_str()).collect();
    let mut roots = BTreeSet::new();
    while let Some(module) = next.pop() {
        roots.insert(module.import_root.clone());
        // What is imported by its place in the package is in the same folder.
        for import in module.imports.iter().filter(|import| !import.module.starts_with('.')) {
            let whole = import.name.as_ref().map(|name| format!("{}.{name}", import.module));
            let names = [Some(import.module.as_str()), whole.as_deref()];
            for found in names.into_iter().flatten().filter_map(|name| by_name.get(name)).flatten() {
                if seen.insert(found.path.as_str()) {
                    next.push(found);
                }
            }
        }
    }
    if roots.is_empty() {
        roots.extend(index.modules().filter(|module| !module.is_test()).map(|module| module.import_root.clone()));
    }
    roots.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_the_draft_comes_to_are_needed() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("core.py", "import tools\n\n\ndef f(x):\n    return tools.g(x)\n"),
            ("scripts/tools.py", "from extra import h\n\n\ndef g(x):\n    return h(x)\n"),
            ("more/extra.py", "def h(x):\n    return x\n"),
            ("examples/shown.py", "import core\n"),
            ("docs/conf.py", "import os\n"),
            ("web/manage.py", ""),
            ("web/site_settings.py", "DEBUG = True\n"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let index = Index::build(folder.path(), &[], &|_, _| {});
        let all: BTreeSet<&str> = index.modules().map(|module| module.import_root.as_str()).collect();
        let set = |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let of_core = |variables| needed(&index, &FunctionId::new("core", "f"), &["from core import f".to_owned()], &variables);
        let found = of_core(set(&[("LANG", "tools")]));
        let roots: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let of = |name: &str| index.module_called(name).map(|module| module.import_root.as_str());
        let expected: BTreeSet<&str> = ["core", "tools", "extra"].into_iter().filter_map(of).collect();
        assert_eq!(roots, expected, "of {all:?}");
        let settings = of_core(set(&[("DJANGO_SETTINGS_MODULE", "site_settings")]));
        assert!(settings.iter().any(|root| Some(root.as_str()) == of("site_settings")), "{settings:?} of {all:?}");
    }
}
