//! Files that are no code and that modules name: what is read while a module is imported is read by no recorded call, so
//! the text has to tell.
//!
//! A name counts where a text ends with it (`"data/rates.txt"`), and for the function whose body says it; outside of
//! functions, for the code that runs on import. What loads variables from a file by itself names `.env`.

use std::collections::{BTreeMap, HashMap};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::function::{Function, Module};
use crate::domain::subject::Subject;

use super::index::Index;

/// Packages that read a file `.env` which nobody names to them.
const LOADERS: &[&str] = &["dotenv", "decouple", "environs", "dynaconf", "pydantic_settings"];
/// Longer names are none, in bytes.
const NAME_MAX: usize = 120;

/// What modules name, kept for those that do not change.
#[derive(Debug, Default)]
pub struct Naming(HashMap<RelPath, (Digest, Vec<(String, Subject)>)>);

impl Naming {
    /// Finds the project's files that its modules name, tests left out, and who does: a function, or the code of a module
    /// that runs on import (`shop.cart:`).
    pub fn of(&mut self, index: &Index) -> BTreeMap<RelPath, Vec<Subject>> {
        let mut by_name: HashMap<&str, Vec<&Subject>> = HashMap::new();
        self.0.retain(|path, _| index.module(path).is_some());
        for module in index.modules().filter(|module| !module.is_test()) {
            let known = self.0.get(&module.path).is_some_and(|(hash, _)| *hash == module.hash);
            if !known {
                let text = index.text(&module.path).unwrap_or_default();
                self.0.insert(module.path.clone(), (module.hash, names(module, &text)));
            }
        }
        for (name, by) in self.0.values().flat_map(|(_, names)| names) {
            by_name.entry(name).or_default().push(by);
        }
        let named = |path: &RelPath| Some((path.clone(), by_name.get(path.file_name())?.iter().copied().cloned().collect()));
        index.others().iter().filter_map(named).collect()
    }
}

/// Lists the names of files in the texts of a module, each with who says it.
fn names(module: &Module, text: &str) -> Vec<(String, Subject)> {
    let init = Subject::ImportCode(module.name.clone());
    let mut found = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        for (at, _) in line.match_indices(['"', '\'']) {
            if let Some(name) = name_before(&line[..at]) {
                let inside = |function: &&Function| (function.span.first..=function.span.last).contains(&number);
                let around =
                    module.functions.iter().filter(inside).min_by_key(|function| function.span.last - function.span.first);
                found.push((
                    name.to_owned(),
                    around.map_or_else(|| init.clone(), |function| Subject::Function(function.id.clone())),
                ));
            }
        }
    }
    let loads = |name: &str| LOADERS.contains(&name.split('.').next().unwrap_or(name));
    if module.imports.iter().any(|import| loads(&import.module)) {
        found.push((".env".to_owned(), init));
    }
    found.sort();
    found.dedup();
    found
}

/// Gives the name of a file with which a text ends: one with an ending, and not Python's.
fn name_before(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    let name = &text[text.trim_end_matches(is_part).len()..];
    let (stem, ending) = name.rsplit_once('.')?;
    let plain = !ending.is_empty() && ending.chars().all(char::is_alphanumeric) && ending.chars().any(char::is_alphabetic);
    (plain && !stem.ends_with('.') && ending != "py" && name.len() <= NAME_MAX).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_other_texts() {
        for (text, name) in [
            ("data/rates.txt", Some("rates.txt")),
            ("x = \"rates.v2.json", Some("rates.v2.json")),
            ("{here}/a-b_c.csv", Some("a-b_c.csv")),
            (".env", Some(".env")),
            ("settings.py", None),
            ("1.5", None),
            ("And so on...", None),
            ("an end.", None),
            ("rates", None),
        ] {
            assert_eq!(name_before(text), name, "{text}");
        }
    }

    #[test]
    fn who_names_a_file_is_the_function_around_it_or_the_module() {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
        put("app.py", "import dotenv\nRATES = open('rates.txt').read()\n\ndef load():\n    return open(\"a.json\")\n");
        put("test_app.py", "open('b.json')\n");
        for path in ["rates.txt", "a.json", "b.json", ".env", "c.json"] {
            put(path, "");
        }
        let mut naming = Naming::default();
        let mut told = || {
            let named = naming.of(&Index::build(folder.path(), &[], &|_, _| {}));
            let line = |(path, by): (RelPath, Vec<Subject>)| {
                format!("{path} {}", by.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            };
            named.into_iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(told(), [".env app:", "a.json app:load", "rates.txt app:"]);
        put("app.py", "NAME = 'c.json'\n");
        assert_eq!(told(), ["c.json app:"]);
    }
}
