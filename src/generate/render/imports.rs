//! The import lines of a draft: the ones its text uses, in the order and form that import sorters leave alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::function::Function;
use crate::generate::graph;
use crate::generate::layout::{Expr, Item};
use crate::generate::project::Project;
use crate::generate::scope::Import;
use crate::generate::trim::has_word;

/// Modules of the standard library that recorded values come from.
const STANDARD: &[&str] = &[
    "abc",
    "array",
    "ast",
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "email",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "http",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "queue",
    "random",
    "re",
    "shlex",
    "socket",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "weakref",
    "xml",
    "zipfile",
    "zoneinfo",
];

/// Tells whether a text uses what an import binds.
pub(super) fn is_used(import: &Import, text: &str) -> bool {
    match import {
        Import::Module { module, alias: None } => has_word(text, module),
        other => has_word(text, other.bound()),
    }
}

/// Writes the statements: standard library, others, project; names of one module together.
pub(super) fn statements(imports: &BTreeSet<Import>, project: Project<'_>) -> Vec<String> {
    let mut plain = BTreeSet::new();
    let mut from: BTreeMap<(u8, &str), Vec<&str>> = BTreeMap::new();
    for import in imports {
        match import {
            Import::Module { module, .. } => {
                plain.insert((section(module, project), import.statement()));
            }
            Import::From { module, name } => from.entry((section(module, project), module)).or_default().push(name),
        }
    }
    let mut out = Vec::new();
    for wanted in 0..3 {
        out.extend(plain.iter().filter(|(section, _)| *section == wanted).map(|(_, statement)| statement.clone()));
        for ((section, module), names) in &from {
            if *section == wanted {
                out.push(from_statement(module, names));
            }
        }
    }
    out
}

fn from_statement(module: &str, names: &[&str]) -> String {
    let flat = format!("from {module} import {}", names.join(", "));
    if flat.len() <= crate::generate::layout::WIDTH {
        return flat;
    }
    let items = names.iter().map(|name| Item::from(Expr::atom(*name))).collect();
    Expr::call_with("", items).lines(0, &format!("from {module} import "), "").join("\n")
}

fn section(module: &str, project: Project<'_>) -> u8 {
    let head = module.split('.').next().unwrap_or(module);
    if STANDARD.contains(&head) {
        0
    } else if head == graph::MODULE {
        // It is not on the project's path, so sorters take it for somebody else's.
        1
    } else if (project.module)(module).is_some() || (project.module)(head).is_some() {
        2
    } else {
        1
    }
}

/// Lists the folders that have to be on `sys.path` for these imports and the function's own module.
pub(super) fn roots(imports: &BTreeSet<Import>, function: &Function, project: Project<'_>) -> Vec<String> {
    let modules = imports.iter().map(|import| match import {
        Import::Module { module, .. } | Import::From { module, .. } => module.as_str(),
    });
    let roots: BTreeSet<String> = modules
        .chain([function.id.module()])
        .filter_map(|module| (project.module)(module))
        .map(|module| module.import_root.clone())
        .collect();
    roots.into_iter().collect()
}
