//! What the index says of a file is what CPython says of it: over hairy files, and over a sample of the standard library.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pytead_tui::base::paths::RelPath;
use pytead_tui::domain::function::Module;
use pytead_tui::source::parse::parse;
use serde_json::{Value, json};

/// Files CPython refuses, or its older versions do, and the grammar does not: what they define is still right.
const TAKEN_ALL_THE_SAME: &[&str] = &["bad_indent.py", "fstrings.py", "py312_generics.py", "py313_defaults.py"];

/// Gives the newest interpreter there is: each one takes what the older ones take.
fn python() -> Command {
    let names =
        std::env::var("PYTHON").into_iter().chain(["python3.14", "python3.13", "python3.12", "python3"].map(str::to_owned));
    let runs = |name: &String| Command::new(name).arg("-V").output().is_ok_and(|output| output.status.success());
    Command::new(names.into_iter().find(runs).expect("python3 is needed"))
}

/// Asks CPython about files.
fn described(paths: &[PathBuf]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/describe.py");
    let mut child = python().arg("-I").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    let feeder = std::thread::spawn(move || stdin.write_all(lines.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success());
    let found: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), paths.len());
    found
}

/// Writes a module in the form of `describe.py`.
fn ours(module: &Module, theirs: &Value) -> Value {
    let plain = |qualname: &str| qualname.split('#').next().unwrap().to_owned();
    let functions: Vec<Value> = module
        .functions
        .iter()
        .enumerate()
        .map(|(index, f)| {
            let params: Vec<Value> =
                f.params.iter().map(|p| json!([p.name, p.kind.number(), p.annotation.is_some(), p.default.is_some()])).collect();
            // Code that the compiler drops says nothing about generators.
            let dropped = theirs["functions"][index][7].is_null();
            json!([
                plain(f.id.qualname()),
                f.kind,
                [f.span.first, f.span.def, f.span.last],
                f.decorators.len(),
                params,
                f.docstring,
                f.is_async,
                if dropped { Value::Null } else { json!(f.is_generator) },
                f.returns.is_some()
            ])
        })
        .collect();
    let classes: Vec<Value> = module
        .classes
        .iter()
        .map(|c| json!([c.qualname, [c.span.first, c.span.def, c.span.last], c.bases.len(), c.decorators.len(), c.docstring]))
        .collect();
    let mut imports: Vec<Value> = module.imports.iter().map(|i| json!([i.module, i.name, i.alias, i.line])).collect();
    imports.sort_by_key(|row| (row[3].as_u64(), row.to_string()));
    json!({"path": theirs["path"], "error": false, "functions": functions, "classes": classes, "imports": imports})
}

fn differences(paths: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, mut theirs) in paths.iter().zip(described(paths)) {
        let source = std::fs::read(path).unwrap();
        let module = parse(&RelPath::new("file.py").unwrap(), &source, "file", "");
        if theirs["error"] == json!(true) {
            if module.error.is_none() && !TAKEN_ALL_THE_SAME.iter().any(|end| path.ends_with(end)) {
                found.push(format!("{}: CPython refuses it, we do not", path.display()));
            }
            continue;
        }
        if let Some(error) = module.error {
            found.push(format!("{}:{}:{}: CPython takes it, we do not", path.display(), error.line, error.column));
            continue;
        }
        if let Some(imports) = theirs["imports"].as_array_mut() {
            imports.sort_by_key(|row| (row[3].as_u64(), row.to_string()));
        }
        let ours = ours(&module, &theirs);
        for part in ["functions", "classes", "imports"] {
            let (a, b) = (ours[part].as_array().unwrap(), theirs[part].as_array().unwrap());
            for index in 0..a.len().max(b.len()) {
                let (a, b) = (a.get(index), b.get(index));
                if a != b {
                    found.push(format!("{}: {part}\n  ours   {a:?}\n  theirs {b:?}", path.display()));
                }
            }
        }
    }
    found
}

fn report(found: &[String]) {
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found[..found.len().min(12)].join("\n"));
}

#[test]
fn hairy_files_are_read_as_cpython_reads_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/source");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 20, "{}", paths.len());
    report(&differences(&paths));
}

/// Gives every n-th file of the standard library.
fn standard_library(every: usize) -> Vec<PathBuf> {
    let output = python().args(["-Ic", "import os; print(os.path.dirname(os.__file__))"]).output().unwrap();
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !["site-packages", "test", "__pycache__"].iter().any(|name| path.ends_with(name)) {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "py") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let every = std::env::var("PYTEAD_TEST_EVERY").ok().and_then(|text| text.parse().ok()).unwrap_or(every);
    let sample: Vec<PathBuf> = paths.into_iter().step_by(every).collect();
    assert!(sample.len() >= 50, "{}", sample.len());
    sample
}

#[test]
fn the_standard_library_is_read_as_cpython_reads_it() {
    report(&differences(&standard_library(5)));
}

/// `ast.unparse` drops comments, quotes, parentheses, spellings of numbers and all layout: what is left is meaning.
#[test]
fn fingerprints_survive_another_spelling_of_the_same_code() {
    let paths = standard_library(10);
    let mut found = Vec::new();
    let mut compared = 0;
    for (path, theirs) in paths.iter().zip(described(&paths)) {
        let Some(unparsed) = theirs["unparsed"].as_str() else { continue };
        let source = std::fs::read(path).unwrap();
        let lines: Vec<String> = String::from_utf8_lossy(&source).lines().map(str::to_owned).collect();
        let read = |source: &[u8]| parse(&RelPath::new("file.py").unwrap(), source, "file", "");
        let (one, other) = (read(&source), read(unparsed.as_bytes()));
        assert_eq!(one.functions.len(), other.functions.len(), "{}", path.display());
        for (a, b) in one.functions.iter().zip(&other.functions) {
            // The unparser writes f-strings anew, joins them with their neighbours, and makes `elif` of `else: if`.
            let code = lines[a.span.first as usize - 1..a.span.last as usize].iter().map(|line| line.trim_start());
            let code: Vec<&str> = code.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
            let formatted = code.iter().any(|line| line.contains("f\"") || line.contains("f'"));
            if formatted || code.windows(2).any(|pair| pair[0].starts_with("else:") && pair[1].starts_with("if ")) {
                continue;
            }
            compared += 1;
            if a.fingerprint != b.fingerprint || a.id != b.id {
                found.push(format!("{}:{} {}", path.display(), a.span.def, a.id));
            }
        }
    }
    assert!(compared > 500, "{compared}");
    // A few spellings of tuples stay apart: an edit too many, never one too few.
    assert!(found.len() * 500 < compared, "{} of {compared}:\n{}", found.len(), found.join("\n"));
}
