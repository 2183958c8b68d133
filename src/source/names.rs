//! The dotted name a file is imported by, and the folder that has to be on `sys.path` for it.
//!
//! Packages say so themselves (`__init__.py`); for other folders the project's own imports decide, then custom:
//! `src/`, a test folder as pytest takes it, the root. Django's `manage.py` puts its folder on the path, be it a package or not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::paths::RelPath;
use crate::domain::function::{FunctionId, Import, Module};

/// Django's program for all that is done with a project.
const MANAGE: &str = "manage.py";

/// Tells whether a file decides by which names those beside it are imported.
#[must_use]
pub fn decides(file: &RelPath) -> bool {
    matches!(file.file_name(), "__init__.py" | MANAGE)
}

/// The import roots of a project's folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    packages: BTreeSet<String>,
    /// Folders with a `manage.py`.
    managed: BTreeSet<String>,
    /// Folders below which names count, where custom alone would say otherwise.
    settled: BTreeMap<String, String>,
}

impl Names {
    /// Learns the project's packages from its files.
    #[must_use]
    pub fn new<'a>(files: impl IntoIterator<Item = &'a RelPath>) -> Self {
        let mut names = Self::default();
        names.packages_are(files);
        names
    }

    /// Learns the packages anew; what the imports settled stays.
    pub fn packages_are<'a>(&mut self, files: impl IntoIterator<Item = &'a RelPath>) {
        (self.packages, self.managed) = (BTreeSet::new(), BTreeSet::new());
        for file in files.into_iter().filter(|file| decides(file)) {
            let folders = if file.file_name() == MANAGE { &mut self.managed } else { &mut self.packages };
            folders.insert(folder(file.as_str()).to_owned());
        }
        self.packages.retain(|folder| !self.managed.contains(folder));
    }

    /// Gives module name and import root of a file.
    #[must_use]
    pub fn of(&self, file: &RelPath) -> (String, String) {
        let top = self.top(folder(file.as_str()));
        let root = match self.settled.get(top) {
            Some(root) => root.clone(),
            None if self.managed.contains(top) => top.to_owned(),
            None => custom(file, top, self.packages.contains(folder(file.as_str()))),
        };
        (dotted(file, &root), root)
    }

    /// Lets the absolute imports found in the files decide where custom is only a guess; tells whether anything changed.
    pub fn settle<'a>(&mut self, modules: impl Iterator<Item = (&'a RelPath, &'a [Import])> + Clone) -> bool {
        let mut imported: BTreeSet<String> = BTreeSet::new();
        for import in modules.clone().flat_map(|(_, imports)| imports).filter(|import| !import.module.starts_with('.')) {
            imported.insert(import.module.clone());
            if let Some(name) = &import.name {
                imported.insert(format!("{}.{name}", import.module));
            }
        }
        // Votes of all files below one topmost folder for a root that makes an import in the project right.
        let mut votes: HashMap<&str, BTreeMap<&str, usize>> = HashMap::new();
        let mut tops: BTreeSet<&str> = BTreeSet::new();
        for (file, _) in modules {
            let top = self.top(folder(file.as_str()));
            tops.insert(top);
            let mut root = if self.packages.contains(folder(file.as_str())) { folder(top) } else { top };
            loop {
                if imported.contains(&dotted(file, root)) {
                    *votes.entry(top).or_default().entry(root).or_default() += 1;
                }
                if root.is_empty() {
                    break;
                }
                root = folder(root);
            }
        }
        let mut settled: BTreeMap<String, String> = votes
            .into_iter()
            .filter_map(|(top, roots)| {
                let (root, _) = roots.into_iter().max_by_key(|(root, count)| (*count, root.len()))?;
                Some((top.to_owned(), root.to_owned()))
            })
            .collect();
        for (top, root) in self.beside(tops, &settled) {
            settled.insert(top, root);
        }
        let changed = self.settled != settled;
        self.settled = settled;
        changed
    }

    /// Gives the roots of packages that no import names: those of the packages beside them, where imports name these from above their
    /// folder.
    fn beside(&self, tops: BTreeSet<&str>, settled: &BTreeMap<String, String>) -> Vec<(String, String)> {
        let mut of_folders: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (top, root) in settled.iter().filter(|(top, _)| self.packages.contains(top.as_str())) {
            *of_folders.entry(folder(top)).or_default().entry(root).or_default() += 1;
        }
        let open = tops.into_iter().filter(|top| self.packages.contains(*top) && !settled.contains_key(*top));
        let found = open.filter_map(|top| {
            let (root, _) = of_folders.get(folder(top))?.iter().max_by_key(|(root, count)| (**count, root.len()))?;
            Some((top.to_owned(), (*root).to_owned()))
        });
        found.collect()
    }

    /// Ascends while the folder is a package: gives the topmost package, or the folder itself.
    fn top<'a>(&self, start: &'a str) -> &'a str {
        let mut top = start;
        while self.packages.contains(top) && self.packages.contains(folder(top)) && !folder(top).is_empty() {
            top = folder(top);
        }
        top
    }
}

/// Gives the import root that custom says.
fn custom(file: &RelPath, top: &str, is_package: bool) -> String {
    let is_test =
        file.file_name().starts_with("test_") || file.file_name().ends_with("_test.py") || file.file_name() == "conftest.py";
    if is_package {
        return folder(top).to_owned();
    }
    if is_test || top.split('/').any(|part| !is_identifier(part)) {
        return top.to_owned();
    }
    if top == "src" || top.starts_with("src/") { "src".into() } else { String::new() }
}

fn is_identifier(part: &str) -> bool {
    let mut chars = part.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Gives the part before the last `/`, or nothing.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn dotted(file: &RelPath, root: &str) -> String {
    let below = if root.is_empty() { file.as_str() } else { file.as_str().strip_prefix(root).unwrap_or(file.as_str()) };
    let below = below.trim_start_matches('/');
    let stem = below.strip_suffix(".py").unwrap_or(below);
    match stem.strip_suffix("/__init__") {
        Some(package) => package.replace('/', "."),
        None => stem.replace('/', "."),
    }
}

/// Gives a module another name and import root, and its functions with it.
pub(super) fn rename(module: &mut Module, name: &str, import_root: &str) {
    for function in &mut module.functions {
        function.id = FunctionId::new(name, function.id.qualname());
    }
    name.clone_into(&mut module.name);
    import_root.clone_into(&mut module.import_root);
}

/// Lists what an import may load: its module, the packages around that, and what the imported name may be a module of.
#[must_use]
pub fn imported(importer: &Module, import: &Import) -> Option<Vec<String>> {
    let from = absolute(importer, &import.module)?;
    let mut all: Vec<String> = from.match_indices('.').map(|(at, _)| from[..at].to_owned()).collect();
    all.extend(import.name.as_ref().map(|name| format!("{from}.{name}")));
    all.push(from);
    Some(all)
}

/// Makes the module of an import absolute; `None` when it climbs out of the package.
#[must_use]
pub fn absolute(importer: &Module, module: &str) -> Option<String> {
    let rest = module.trim_start_matches('.');
    let dots = module.len() - rest.len();
    if dots == 0 {
        return Some(module.to_owned());
    }
    let mut parts: Vec<&str> = importer.name.split('.').collect();
    let climb = if importer.path.file_name() == "__init__.py" { dots - 1 } else { dots };
    if climb > parts.len() {
        return None;
    }
    parts.truncate(parts.len() - climb);
    parts.extend(rest.split('.').filter(|part| !part.is_empty()));
    Some(parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str], imports: &[&str], asked: &str) -> (String, String) {
        let files: Vec<RelPath> = files.iter().map(|file| RelPath::new(file).unwrap()).collect();
        let imports: Vec<Import> =
            imports.iter().map(|module| Import { module: (*module).into(), name: None, alias: None, line: 1 }).collect();
        let mut names = Names::new(&files);
        names.settle(files.iter().map(|file| (file, imports.as_slice())));
        names.of(&RelPath::new(asked).unwrap())
    }

    #[test]
    fn packages_name_themselves() {
        let files = ["src/shop/__init__.py", "src/shop/sub/__init__.py", "src/shop/sub/cart.py", "shop/__init__.py", "shop/a.py"];
        assert_eq!(names(&files, &[], "src/shop/sub/cart.py"), ("shop.sub.cart".into(), "src".into()));
        assert_eq!(names(&files, &[], "src/shop/__init__.py"), ("shop".into(), "src".into()));
        assert_eq!(names(&files, &[], "shop/a.py"), ("shop.a".into(), String::new()));
    }

    #[test]
    fn folders_without_init_follow_the_projects_imports() {
        let files = ["scripts/main.py", "scripts/helper.py"];
        assert_eq!(names(&files, &[], "scripts/helper.py"), ("scripts.helper".into(), String::new()));
        assert_eq!(names(&files, &["helper"], "scripts/main.py"), ("main".into(), "scripts".into()));
        assert_eq!(names(&["src/space/cart.py"], &[], "src/space/cart.py"), ("space.cart".into(), "src".into()));
        assert_eq!(names(&["my-tools/run.py"], &[], "my-tools/run.py"), ("run".into(), "my-tools".into()));
        assert_eq!(names(&["tests/unit/test_a.py"], &[], "tests/unit/test_a.py"), ("test_a".into(), "tests/unit".into()));
        assert_eq!(names(&["main.py"], &[], "main.py"), ("main".into(), String::new()));
    }

    #[test]
    fn a_folder_with_manage_py_is_on_the_path_though_it_is_a_package() {
        let files = [
            "backend/__init__.py",
            "backend/manage.py",
            "backend/settings.py",
            "backend/shop/__init__.py",
            "backend/shop/models.py",
        ];
        assert_eq!(names(&files, &[], "backend/shop/models.py"), ("shop.models".into(), "backend".into()));
        assert_eq!(names(&files, &["shop.models"], "backend/settings.py"), ("settings".into(), "backend".into()));
        let above = names(&files, &["backend.shop.models", "backend.settings"], "backend/shop/models.py");
        assert_eq!(above, ("backend.shop.models".into(), String::new()), "imports say otherwise");
    }

    #[test]
    fn a_namespace_above_a_package_is_seen_by_its_imports() {
        let files = ["space/shop/__init__.py", "space/shop/cart.py"];
        assert_eq!(names(&files, &["space.shop.cart"], "space/shop/cart.py"), ("space.shop.cart".into(), String::new()));
        assert_eq!(names(&files, &[], "space/shop/cart.py"), ("shop.cart".into(), "space".into()));
        let beside = ["space/shop/__init__.py", "space/shop/cart.py", "space/bank/__init__.py", "space/bank/account.py"];
        assert_eq!(names(&beside, &["space.shop.cart"], "space/bank/account.py"), ("space.bank.account".into(), String::new()));
        assert_eq!(names(&beside, &["shop.cart"], "space/bank/account.py"), ("bank.account".into(), "space".into()));
    }

    #[test]
    fn relative_imports_become_absolute() {
        let file = |name: &str, path: &str| crate::source::parse::parse(&RelPath::new(path).unwrap(), b"", name, "");
        let cart = file("shop.sub.cart", "shop/sub/cart.py");
        assert_eq!(absolute(&cart, ".money").as_deref(), Some("shop.sub.money"));
        assert_eq!(absolute(&cart, "..").as_deref(), Some("shop"));
        assert_eq!(absolute(&cart, "....x"), None);
        assert_eq!(absolute(&file("shop.sub", "shop/sub/__init__.py"), ".cart").as_deref(), Some("shop.sub.cart"));
    }
}
