//! The predecessor that drafted by a model: what the keys of its `CONFIG.yaml` are called today, and the index it wrote.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::base::yaml::{Located, Place, Plain};
use crate::domain::function::{Function, FunctionKind};

/// Turns a file of its settings into one of ours. Keys of ours stay as they are, so that a file may hold both.
#[must_use]
pub fn modern(tree: Located) -> Located {
    let Plain::Map(sections) = tree.value else { return tree };
    let mut out: Vec<(String, Place, Located)> = Vec::new();
    for (section, line, value) in sections {
        let Plain::Map(entries) = value.value else {
            out.push((section, line, value));
            continue;
        };
        let (mut repository, mut file) = (None, None);
        for (key, at, value) in entries {
            match (section.as_str(), key.as_str(), &value.value) {
                ("model", "repo", Plain::Text(text)) => repository = Some((text.clone(), at)),
                ("model", "file", Plain::Text(text)) => file = Some((text.clone(), at)),
                ("generation", "n_ctx", _) => set(&mut out, "hardware", "context", at, value),
                // Prompts are read in pieces of a size that we find out.
                ("generation", "batch_size", _) => {}
                // It wrote -1 for what suits the machine.
                ("hardware", "n_threads", Plain::Int(..0)) => {
                    set(&mut out, "hardware", "threads", at, Located { at: value.at, value: Plain::Int(0) });
                }
                ("hardware", "n_threads", _) => set(&mut out, "hardware", "threads", at, value),
                _ => set(&mut out, &section, &key, at, value),
            }
        }
        if let Some((file, at)) = file.or_else(|| repository.clone()) {
            let name = match repository {
                Some((repository, _)) if repository != file => format!("{repository}/{file}"),
                _ => file,
            };
            let text = |text: &str| Located { at, value: Plain::Text(text.to_owned()) };
            set(&mut out, "model", "provider", at, text("local"));
            set(&mut out, "model", "name", at, text(&name));
        }
    }
    Located { at: tree.at, value: Plain::Map(out) }
}

/// Adds a key to a section, which is made where it is missing.
fn set(sections: &mut Vec<(String, Place, Located)>, section: &str, key: &str, place: Place, value: Located) {
    let at = sections.iter().position(|(name, _, tree)| name == section && matches!(tree.value, Plain::Map(_)));
    let at = at.unwrap_or_else(|| {
        sections.push((section.to_owned(), place, Located { at: place, value: Plain::Map(Vec::new()) }));
        sections.len() - 1
    });
    if let Plain::Map(entries) = &mut sections[at].2.value {
        entries.push((key.to_owned(), place, value));
    }
}

/// Writes the index of classes as it did; classes of one name in two files are told apart by their modules, where it
/// forgot the first.
#[must_use]
pub fn index<'a>(root: &Path, functions: impl IntoIterator<Item = &'a Function>) -> Value {
    let mut classes: BTreeMap<(String, String), (String, Vec<Value>)> = BTreeMap::new();
    for function in functions {
        let Some((class, name)) = function.id.qualname().rsplit_once('.') else { continue };
        if function.kind == FunctionKind::Nested || name.contains('#') {
            continue;
        }
        let skip = usize::from(function.kind != FunctionKind::StaticMethod);
        let args: Vec<&str> = function
            .params
            .iter()
            .skip(skip)
            .filter(|param| !param.kind.is_variadic())
            .map(|param| param.name.as_str())
            .collect();
        let method = json!({ "name": name, "args": args, "returns": function.returns, "is_async": function.is_async });
        let key = (class.to_owned(), function.id.module().to_owned());
        classes.entry(key).or_insert_with(|| (function.path.as_str().to_owned(), Vec::new())).1.push(method);
    }
    let names: Vec<&String> = classes.keys().map(|(class, _)| class).collect();
    let named: serde_json::Map<String, Value> = classes
        .iter()
        .map(|((class, module), (file, methods))| {
            let alone = names.iter().filter(|name| **name == class).count() == 1;
            let name = if alone { class.clone() } else { format!("{module}.{class}") };
            (name, json!({ "file": file, "methods": methods }))
        })
        .collect();
    json!({ "scan_root": root, "classes": named })
}

/// Tells what is wrong with a file that should hold such an index.
///
/// # Errors
/// Says why it is none.
pub fn check_index(text: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value.get("classes").is_some_and(Value::is_object) { Ok(()) } else { Err("it has no classes".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::base::yaml;
    use crate::source::parse::parse;

    fn told(tree: &Located, path: &str, out: &mut Vec<String>) {
        match &tree.value {
            Plain::Map(entries) => entries.iter().for_each(|(key, _, value)| told(value, &format!("{path}.{key}"), out)),
            value => out.push(format!("{}={value:?}", path.trim_start_matches('.'))),
        }
    }

    #[test]
    fn its_settings_have_a_place_in_ours() {
        let text = "model:\n  repo: a/b-GGUF\n  file: b.gguf\ngeneration:\n  n_ctx: 4096\n  max_tokens: 9\n  batch_size: 128\nhardware:\n  n_threads: -1\noutput:\n  default_dir: ./generated_tests/\nprompt:\n  template: Test {code}\n";
        let mut found = Vec::new();
        told(&modern(yaml::read(text).unwrap()), "", &mut found);
        assert_eq!(
            found,
            [
                "model.provider=Text(\"local\")",
                "model.name=Text(\"a/b-GGUF/b.gguf\")",
                "hardware.context=Int(4096)",
                "hardware.threads=Int(0)",
                "generation.max_tokens=Int(9)",
                "output.default_dir=Text(\"./generated_tests/\")",
                "prompt.template=Text(\"Test {code}\")",
            ]
        );
        let ours = "model:\n  provider: mine\nrecord:\n  limit: 3\n";
        let tree: Located = yaml::read(ours).unwrap();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        told(&tree, "", &mut before);
        told(&modern(tree), "", &mut after);
        assert_eq!(before, after);
    }

    #[test]
    fn the_index_has_its_form() {
        let module = |path: &str, name: &str| {
            let code = "class Db:\n    async def insert(self, row: int, *more) -> bool: ...\n    @staticmethod\n    def of(x): ...\ndef free(): ...\n";
            parse(&RelPath::new(path).unwrap(), code.as_bytes(), name, "")
        };
        let (one, two) = (module("a/db.py", "a.db"), module("b/db.py", "b.db"));
        let written = index(Path::new("/p"), &one.functions);
        assert_eq!(
            written,
            json!({ "scan_root": "/p", "classes": { "Db": { "file": "a/db.py", "methods": [
                { "name": "insert", "args": ["row"], "returns": "bool", "is_async": true },
                { "name": "of", "args": ["x"], "returns": null, "is_async": false },
            ] } } })
        );
        assert_eq!(check_index(&written.to_string()), Ok(()));
        assert!(check_index("[]").is_err() && check_index("{").is_err());
        let both = index(Path::new("/p"), one.functions.iter().chain(&two.functions));
        assert_eq!(both["classes"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a.db.Db", "b.db.Db"]);
    }
}
