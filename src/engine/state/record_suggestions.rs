//! What could be recorded in a project nobody recorded yet: its tests, its scripts, its packages.

use crate::domain::function::Module;

/// Offers beyond this many are of little use.
const OFFERS_MAX: usize = 6;

/// Lists commands worth recording, the best first, from what the index knows. Nothing is run to find out.
pub fn offers<'a>(modules: impl Iterator<Item = &'a Module>) -> Vec<Vec<String>> {
    let mut tests = false;
    let mut scripts = Vec::new();
    let mut packages = Vec::new();
    for module in modules {
        if module.is_test() {
            tests |= module.path.file_name() != "conftest.py";
        } else if module.path.file_name() == "__main__.py" && module.path.parts().count() > 1 {
            packages.push(module.name.trim_end_matches(".__main__").to_owned());
        } else if module.has_main_guard && module.path.file_name() != "setup.py" {
            scripts.push(module.path.as_str().to_owned());
        }
    }
    scripts.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    packages.sort_by_key(|name| (name.matches('.').count(), name.clone()));
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut all = Vec::new();
    if tests {
        // Beside `pytest` alone this puts the project on the path, which few test folders do by themselves.
        all.push(words(&["python", "-m", "pytest", "-q"]));
    }
    all.extend(packages.iter().map(|name| words(&["python", "-m", name])));
    all.extend(scripts.iter().map(|path| words(&["python", path])));
    all.truncate(OFFERS_MAX);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::Digest;
    use crate::base::paths::RelPath;

    fn module(path: &str, main: bool) -> Module {
        Module {
            name: path.trim_end_matches(".py").replace('/', "."),
            path: RelPath::new(path).unwrap(),
            import_root: String::new(),
            hash: Digest::default(),
            lines: 1,
            functions: vec![],
            classes: vec![],
            imports: vec![],
            exports: None,
            init: Digest::default(),
            acts_on: vec![],
            docstring: Digest::default(),
            has_main_guard: main,
            error: None,
        }
    }

    #[test]
    fn tests_come_first_then_packages_then_scripts_near_the_top() {
        let modules = [
            module("tools/deep/fix.py", true),
            module("main.py", true),
            module("shop/__main__.py", false),
            module("tests/test_cart.py", false),
            module("shop/cart.py", false),
        ];
        let text: Vec<String> = offers(modules.iter()).iter().map(|words| words.join(" ")).collect();
        assert_eq!(text, ["python -m pytest -q", "python -m shop", "python main.py", "python tools/deep/fix.py"]);
    }

    #[test]
    fn a_project_without_programs_offers_nothing() {
        assert!(offers([module("a.py", false), module("conftest.py", false)].iter()).is_empty());
    }
}
