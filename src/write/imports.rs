//! Import lines: sorted into groups as isort and ruff do, names joined, long ones wrapped.

use std::collections::BTreeSet;

use crate::domain::function::Import;

/// Lines longer than this many columns are wrapped.
const WIDTH: usize = 88;

/// Modules of Python itself that tests import.
const STANDARD: &[&str] = &[
    "__future__",
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cmath",
    "codecs",
    "collections",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "doctest",
    "email",
    "enum",
    "errno",
    "filecmp",
    "fnmatch",
    "fractions",
    "functools",
    "gc",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "math",
    "mimetypes",
    "multiprocessing",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pkgutil",
    "platform",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sys",
    "sysconfig",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "token",
    "tokenize",
    "tomllib",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];

/// One import statement: `import m`, `import m as a`, or `from m import a, b as c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub module: String,
    /// `None` for `import m`.
    pub names: Option<BTreeSet<Name>>,
    pub alias: Option<String>,
}

/// A name of a `from` import, in the order of isort: constants, classes, the rest; each without regard to case, numbers in
/// names by their size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    rank: u8,
    key: String,
    pub name: String,
    pub alias: Option<String>,
}

impl Name {
    pub fn new(name: &str, alias: Option<&str>) -> Self {
        let mut letters = name.chars().filter(|c| c.is_alphabetic()).peekable();
        let is_constant = name.len() > 1 && letters.peek().is_some() && letters.all(char::is_uppercase);
        let rank = match name.chars().next() {
            _ if is_constant => 0,
            Some(first) if first.is_uppercase() => 1,
            _ => 2,
        };
        Self { rank, key: natural(name), name: name.to_owned(), alias: alias.map(str::to_owned) }
    }

    fn text(&self) -> String {
        match &self.alias {
            Some(alias) => format!("{} as {alias}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Line {
    /// Joins what one statement imports; `None` for a statement of several modules or a star.
    pub fn of(imports: &[Import]) -> Option<Self> {
        let first = imports.first()?;
        if first.name.is_none() {
            return (imports.len() == 1).then(|| Self { module: first.module.clone(), names: None, alias: first.alias.clone() });
        }
        let names: Option<BTreeSet<Name>> = imports
            .iter()
            .map(|import| Some(Name::new(import.name.as_deref().filter(|name| *name != "*")?, import.alias.as_deref())))
            .collect();
        Some(Self { module: first.module.clone(), names: Some(names?), alias: None })
    }

    /// Gives the names the statement binds.
    pub fn binds(&self) -> Vec<String> {
        match &self.names {
            Some(names) => names.iter().map(|name| name.alias.clone().unwrap_or_else(|| name.name.clone())).collect(),
            None => {
                let first = self.module.split('.').next().unwrap_or(&self.module);
                vec![self.alias.clone().unwrap_or_else(|| first.to_owned())]
            }
        }
    }

    /// Gives the place in the sorted order: group, form, module.
    pub fn order(&self, first_party: &[String]) -> (u8, bool, String, String) {
        let alias = self.alias.clone().unwrap_or_default();
        (group(&self.module, first_party), self.names.is_some(), self.module.to_lowercase(), alias)
    }

    /// Writes the statement, lines ending in `\n`.
    pub fn text(&self) -> String {
        let Some(names) = &self.names else {
            return match &self.alias {
                Some(alias) => format!("import {} as {alias}\n", self.module),
                None => format!("import {}\n", self.module),
            };
        };
        let names: Vec<String> = names.iter().map(Name::text).collect();
        let flat = format!("from {} import {}\n", self.module, names.join(", "));
        if crate::base::text::width(&flat) <= WIDTH + 1 {
            return flat;
        }
        let rows: String = names.iter().map(|name| format!("    {name},\n")).collect();
        format!("from {} import (\n{rows})\n", self.module)
    }
}

/// Writes a name so that texts sort as isort and ruff sort names: `row_2` before `Row_10`.
fn natural(name: &str) -> String {
    const DIGITS: usize = 12;
    let mut out = String::new();
    let mut number = String::new();
    for c in name.to_lowercase().chars().chain(std::iter::once('\0')) {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        if !number.is_empty() {
            out.push_str(&format!("{number:0>DIGITS$}"));
            number.clear();
        }
        out.push(c);
    }
    out
}

/// Gives the group of a module: future, standard library, others', the project's own, relative.
pub(super) fn group(module: &str, first_party: &[String]) -> u8 {
    let top = module.split('.').next().unwrap_or(module);
    match top {
        "" => 4,
        "__future__" => 0,
        _ if first_party.iter().any(|own| own == top) => 3,
        _ if STANDARD.contains(&top) => 1,
        _ => 2,
    }
}

/// Joins and sorts import statements; groups are told apart by a blank line.
pub(super) fn block(mut lines: Vec<Line>, first_party: &[String]) -> String {
    let mut joined: Vec<Line> = Vec::new();
    for line in lines.drain(..) {
        add(&mut joined, line);
    }
    joined.sort_by_key(|line| line.order(first_party));
    let mut out = String::new();
    let mut last = None;
    for line in &joined {
        let group = group(&line.module, first_party);
        if last.is_some_and(|last| last != group) {
            out.push('\n');
        }
        last = Some(group);
        out.push_str(&line.text());
    }
    out
}

/// Adds a statement to others, joined to one of the same module where there is one.
pub(super) fn add(lines: &mut Vec<Line>, line: Line) {
    let twin = lines.iter_mut().find(|other| other.module == line.module && other.names.is_some() == line.names.is_some());
    match (twin, line) {
        (Some(Line { names: Some(names), .. }), Line { names: Some(more), .. }) => names.extend(more),
        (Some(twin), line) if *twin == line => {}
        (_, line) => lines.push(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let outline = crate::source::outline::outline(text);
        let kinds = outline.statements.iter().map(|statement| statement.kind.clone());
        kinds
            .map(|kind| match kind {
                crate::source::outline::StatementKind::Import(imports) => Line::of(&imports).unwrap(),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn imports_are_grouped_joined_and_sorted() {
        let text = "from shop.cart import total, Cart\nimport pytest\nfrom decimal import Decimal\nimport os\nfrom shop.cart import CENT\nimport numpy as np\n";
        assert_eq!(
            block(lines(text), &["shop".into()]),
            "import os\nfrom decimal import Decimal\n\nimport numpy as np\nimport pytest\n\nfrom shop.cart import CENT, Cart, total\n"
        );
    }

    #[test]
    fn names_are_in_the_order_of_isort() {
        let text = "from m import _Wrap, _bcd, _Abc, _CENT, row_10, row_2, Zoo, aB, Aa, A, AB\n";
        assert_eq!(block(lines(text), &[]), "from m import _CENT, AB, A, Aa, Zoo, _Abc, _bcd, _Wrap, aB, row_2, row_10\n");
    }

    #[test]
    fn long_lines_are_wrapped() {
        let names: Vec<String> = (0..8).map(|n| format!("function_{n}")).collect();
        let text = block(lines(&format!("from shop.pricing import {}\n", names.join(", "))), &[]);
        assert!(
            text.starts_with("from shop.pricing import (\n    function_0,\n") && text.ends_with("    function_7,\n)\n"),
            "{text}"
        );
    }
}
