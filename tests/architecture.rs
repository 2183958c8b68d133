//! Proves the house rules that a reader relies on and a compiler does not check: imports go downward, between the folders
//! of `src/` and inside the engine (`architecture/circles.rs`), each outside crate has one home, only the engine stores and
//! writes, files stay short, and none is left out of the build. Works on tokens, so that macro bodies count and comments do
//! not. The planted violations at the end prove that the checker itself can fail.

#![allow(clippy::expect_used)]

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/sentences.rs"]
mod sentences;

/// The layers, lowest first. A module uses what stands in the rows above its own, and itself.
const LAYERS: &[&[&str]] = &[
    &["base"],
    &["domain"],
    &[
        "source", "python", "contain", "record", "pytest", "generate", "judge", "spec", "llm", "write", "watch", "store",
        "config", "compat",
    ],
    &["engine"],
    &["cli", "tui", "mcp"],
];

/// The only imports between modules of one layer: the left one uses the right ones.
const SIDEWAYS: &[(&str, &[&str])] = &[
    ("python", &["contain"]),
    ("judge", &["llm"]),
    ("llm", &["contain"]),
    ("record", &["python"]),
    ("pytest", &["python"]),
    ("generate", &["llm", "pytest", "python", "source"]),
    ("spec", &["judge", "llm", "python"]),
    ("watch", &["source"]),
    ("write", &["source"]),
    ("compat", &["record", "python", "source"]),
];

/// What only the engine may use.
const ENGINE_ONLY: &[&str] = &["store", "write"];

/// Outside crates and the one folder or file under `src/` that may name them.
const HOMES: &[(&str, &str)] = &[
    ("serde_saphyr", "base/yaml.rs"),
    ("unicode_width", "base/text.rs"),
    ("icu_normalizer", "base/text.rs"),
    ("rusqlite", "store/"),
    ("lz4_flex", "store/"),
    ("reqwest", "llm/"),
    ("hyper", "llm/direct.rs"),
    ("hyper_util", "llm/direct.rs"),
    ("rustls", "llm/"),
    ("secrecy", "llm/"),
    ("ring", "base/seal.rs"),
    ("llama_cpp_2", "pytead-llm/"),
    ("llama_cpp_sys_2", "pytead-llm/"),
    ("tree_sitter", "source/"),
    ("tree_sitter_python", "source/"),
    ("landlock", "contain/"),
    ("seccompiler", "contain/"),
    ("libc", "contain/"),
    ("nix", "engine/checks/intents/accept.rs"),
    ("strip_ansi_escapes", "engine/recording/run.rs"),
    ("notify", "watch/"),
    ("rmcp", "mcp/"),
    ("percent_encoding", "mcp/"),
    ("jsonc_parser", "write/entries.rs"),
    ("toml_edit", "write/entries.rs"),
    ("syntect", "tui/highlight.rs"),
    ("regex", "judge/"),
    ("ratatui", "tui/"),
    ("ratatui_textarea", "tui/"),
    ("crossterm", "tui/"),
    ("clap", "cli/"),
    ("clap_complete", "cli/"),
];

/// Folders under `src/` that are packages of their own: programs, which are above all layers.
const PROGRAMS: &[&str] = &["pytead-llm"];

/// What a plain build does without: the packages that need cmake, libclang or a C++ compiler.
const NOT_IN_A_PLAIN_BUILD: &[&str] = &["llama-cpp-2", "llama-cpp-sys-2", "bindgen", "clang-sys", "cmake"];

/// The one folder with `unsafe` in it.
const UNSAFE_HOME: &str = "contain/";

/// Longer files say why in their first lines, with these words.
const LINES_MAX: usize = 600;
const LONG_BECAUSE: &str = "Over 600 lines because";

/// The files that cargo builds itself, each with the modules below it.
const ROOTS: &[&str] = &[
    "src/lib.rs",
    "src/main.rs",
    "src/pytead-llm/main.rs",
    "src/pytead-llm/tests/*.rs",
    "tests/*.rs",
    "tests/*/main.rs",
    "fuzz/main.rs",
];
/// The executables of tests beside those that `Cargo.toml` names. Each is linked with the whole program: another one is for
/// tests that change their own process, or need another build.
const EXECUTABLES: &[&str] = &["tests/architecture.rs", "tests/it/main.rs"];

#[derive(Debug, Clone, PartialEq, Eq)]
struct Violation {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "src/{}:{}: {}", self.path, self.line, self.what)
    }
}

/// One source file while it is checked.
struct File<'a> {
    /// The path below `src/`.
    path: &'a str,
    /// The module directly below the crate, or empty text for `lib.rs`, `main.rs` and other packages.
    top: &'a str,
    found: Vec<Violation>,
}

fn check(path: &str, source: &str) -> Vec<Violation> {
    let (top, depth) = place(path);
    let mut file = File { path, top, found: Vec::new() };
    match source.parse::<TokenStream>() {
        Ok(tokens) => {
            if !top.is_empty() && layer(top).is_none() {
                file.add(1, format!("`{top}` has no layer; give it one in tests/architecture.rs"));
            }
            file.walk(tokens, depth);
        }
        Err(error) => file.add(1, format!("does not parse: {error}")),
    }
    file.found
}

/// Gives a file's top module and how deep below the crate its own module lies.
fn place(path: &str) -> (&str, usize) {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    match parts.as_slice() {
        ["lib" | "main"] => ("", 0),
        [package, "main"] | [package, "tests", _] if PROGRAMS.contains(package) => ("", 0),
        [package, modules @ ..] if PROGRAMS.contains(package) => ("", modules.len()),
        [modules @ .., "mod"] => (modules[0], modules.len()),
        modules => (modules[0], modules.len()),
    }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&module))
}

impl File<'_> {
    fn add(&mut self, line: usize, what: String) {
        self.found.push(Violation { path: self.path.to_owned(), line, what });
    }

    fn walk(&mut self, tokens: TokenStream, depth: usize) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(ident) => self.name(&ident.to_string(), &tokens, at, depth),
                TokenTree::Group(group) => {
                    let inline_module = at >= 2
                        && group.delimiter() == Delimiter::Brace
                        && is_ident(&tokens[at - 2], "mod")
                        && matches!(tokens[at - 1], TokenTree::Ident(_));
                    self.walk(group.stream(), depth + usize::from(inline_module));
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn name(&mut self, name: &str, tokens: &[TokenTree], at: usize, depth: usize) {
        let line = tokens[at].span().start().line;
        match name {
            // In another package that word means that package, which is above all layers.
            "crate" if PROGRAMS.iter().any(|package| self.path.split('/').next() == Some(package)) => {}
            "crate" => self.crate_path(tokens, at, line),
            "pytead_tui" if self.top.is_empty() => self.crate_path(tokens, at, line),
            "super" if !follows_path(tokens, at) => {
                let steps = (0..).take_while(|step| is_super(tokens, at + 3 * step)).count();
                if steps >= depth {
                    self.add(line, "`super` leaves the top module; write `crate::…`".into());
                }
            }
            "use" if self.path == "lib.rs" && at > 0 && is_ident(&tokens[at - 1], "pub") => {
                self.add(line, "`pub use` in lib.rs: name things where they live".into());
            }
            "path" if at == 0 && tokens.len() == 3 && is_punct(&tokens[1], '=') => {
                self.add(line, "`#[path]` hides where a module lives".into());
            }
            "unsafe" | "unsafe_code" if !self.path.starts_with(UNSAFE_HOME) => {
                self.add(line, format!("`{name}` outside src/{UNSAFE_HOME}"));
            }
            _ => self.outside_crate(name, tokens, at, line),
        }
    }

    fn outside_crate(&mut self, name: &str, tokens: &[TokenTree], at: usize, line: usize) {
        let Some((_, home)) = HOMES.iter().find(|(krate, _)| *krate == name) else { return };
        let starts_a_path = follows_with_colons(tokens, at) && (!follows_path(tokens, at) || follows_leading_colons(tokens, at));
        let imported = at > 0 && (is_ident(&tokens[at - 1], "use") || is_ident(&tokens[at - 1], "crate"));
        if (starts_a_path || imported) && !self.path.starts_with(home) {
            self.add(line, format!("`{name}` outside its home src/{home}"));
        }
    }

    /// Checks what stands behind `crate` or the library's name.
    fn crate_path(&mut self, tokens: &[TokenTree], at: usize, line: usize) {
        if !follows_with_colons(tokens, at) {
            // `pub(crate)` names no module; `use crate as x` would hide one.
            if tokens.get(at + 1).is_some_and(|next| is_ident(next, "as")) {
                self.add(line, "the crate under another name hides imports".into());
            }
            return;
        }
        match tokens.get(at + 3) {
            Some(TokenTree::Ident(module)) => self.import(&module.to_string(), line),
            Some(TokenTree::Group(group)) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                for branch in inner.split(|token| is_punct(token, ',')).filter(|branch| !branch.is_empty()) {
                    match &branch[0] {
                        TokenTree::Ident(module) => self.import(&module.to_string(), branch[0].span().start().line),
                        other => self.add(other.span().start().line, "an import of everything in the crate".into()),
                    }
                }
            }
            _ => self.add(line, "an import of everything in the crate".into()),
        }
    }

    fn import(&mut self, module: &str, line: usize) {
        if module == self.top {
            return;
        }
        let Some(theirs) = layer(module) else {
            return self.add(line, format!("`crate::{module}` has no layer"));
        };
        if ENGINE_ONLY.contains(&module) && self.top != "engine" {
            return self.add(line, format!("only engine/ uses {module}/"));
        }
        // A binary is above all layers; a module without a layer was reported already.
        let Some(ours) = layer(self.top) else { return };
        let sideways = SIDEWAYS.iter().any(|(from, to)| *from == self.top && to.contains(&module));
        if theirs > ours || (theirs == ours && !sideways) {
            self.add(line, format!("{}/ must not use {module}/", self.top));
        }
    }
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_super(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| is_ident(token, "super"))
}

/// Tells whether `::` stands behind a token.
fn follows_with_colons(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at + 1..at + 3), Some([first, second]) if is_punct(first, ':') && is_punct(second, ':'))
}

/// Tells whether `::` stands before a token.
fn follows_path(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':')
}

/// Tells whether the `::` before a token starts the path: `::reqwest::get`, not `x::reqwest::get`.
fn follows_leading_colons(tokens: &[TokenTree], at: usize) -> bool {
    follows_path(tokens, at)
        && match at.checked_sub(3).map(|before| &tokens[before]) {
            Some(TokenTree::Ident(ident)) => ident == "use" || ident == "return" || ident == "in",
            Some(before) => !is_punct(before, '>'),
            None => true,
        }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Gives the files of some kinds below a folder, with their paths below it.
fn files(folder: &Path, kinds: &[&str]) -> Vec<(String, String)> {
    const SKIPPED: &[&str] = &["target", "fixtures", "__pycache__"];
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).expect("a readable folder").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                waiting.push(path);
            } else if !is_folder && path.extension().is_some_and(|kind| kinds.iter().any(|wanted| kind == *wanted)) {
                let relative = path.strip_prefix(folder).expect("a path below the folder").to_string_lossy().into_owned();
                found.push((relative, std::fs::read_to_string(&path).expect("a readable source file")));
            }
        }
    }
    found.sort();
    found
}

fn too_long(path: &str, source: &str) -> Option<String> {
    let lines = source.lines().count();
    let excused = source.lines().take(12).any(|line| line.contains(LONG_BECAUSE));
    (lines > LINES_MAX && !excused).then(|| format!("{path}: {lines} lines; split it, or say `{LONG_BECAUSE} …` at the top"))
}

/// Tells whether a path is one of [`ROOTS`], where `*` stands for one name.
fn is_root(path: &str) -> bool {
    let is_like = |pattern: &&str| {
        let (wanted, found): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
        wanted.len() == found.len()
            && wanted.iter().zip(&found).all(|(wanted, found)| match wanted.split_once('*') {
                Some((_, ending)) => found.ends_with(ending),
                None => wanted == found,
            })
    };
    ROOTS.iter().any(is_like)
}

/// Gives the files in which a module may be declared, and its name.
fn declared_by(path: &str) -> (Vec<String>, &str) {
    let module = path.trim_end_matches(".rs").trim_end_matches("/mod");
    let (folder, name) = module.rsplit_once('/').unwrap_or(("", module));
    (["/mod.rs", "/main.rs", "/lib.rs", ".rs"].map(|end| format!("{folder}{end}")).to_vec(), name)
}

/// Tells whether a file has `mod name;`, of whatever visibility.
fn declares(source: &str, name: &str) -> bool {
    let tokens: Vec<TokenTree> = source.parse::<TokenStream>().map(|tokens| tokens.into_iter().collect()).unwrap_or_default();
    let is_named =
        |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident.to_string().trim_start_matches("r#") == name);
    tokens.windows(3).any(|part| is_ident(&part[0], "mod") && is_named(&part[1]) && is_punct(&part[2], ';'))
}

/// Gives the files that are a part of no build: nobody compiles them, and no test in them runs.
fn left_out(sources: &[(String, String)]) -> Vec<&str> {
    let declared = |path: &str| {
        let (parents, name) = declared_by(path);
        sources.iter().any(|(parent, source)| parents.contains(parent) && declares(source, name))
    };
    sources.iter().map(|(path, _)| path.as_str()).filter(|path| !is_root(path) && !declared(path)).collect()
}

#[test]
fn every_file_is_a_module_of_a_build() {
    let mut sources = Vec::new();
    for folder in ["src", "tests", "fuzz"] {
        sources.extend(files(&root().join(folder), &["rs"]).into_iter().map(|(path, text)| (format!("{folder}/{path}"), text)));
    }
    let found = left_out(&sources);
    assert!(found.is_empty(), "no `mod` line names {found:?}");
    let tests: Vec<&str> = sources.iter().map(|(path, _)| path.as_str()).filter(|path| path.starts_with("tests/")).collect();
    let executables: Vec<&str> = tests.into_iter().filter(|path| is_root(path)).collect();
    assert_eq!(executables, EXECUTABLES, "a module of tests/it/ needs no executable of its own");
}

#[test]
fn imports_go_downward_and_every_crate_has_one_home() {
    let sources = files(&root().join("src"), &["rs"]);
    assert!(sources.len() > 25, "only {} files found: is this the repository?", sources.len());
    let found: Vec<String> =
        sources.iter().flat_map(|(path, source)| check(path, source)).map(|violation| violation.to_string()).collect();
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

/// Where sentences for people are read: what follows their wording would change when they are worded anew.
const READERS: &[&str] = &["base/sentence.rs", "cli/", "mcp/", "tui/"];

/// Names of fields that hold sentences, and nothing else that code compares.
const SENTENCES: &[&str] = &["why", "note", "todo", "because", "blocked", "suspicion", "undo_of_another", "detail", "broken"];

/// Gives the lines outside of tests that compare sentences: code would follow their wording.
fn comparisons_of_sentences(source: &str) -> Vec<&str> {
    let is_name = |text: &str| SENTENCES.iter().any(|name| text.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')));
    let is_sentence = |side: &str| is_name(side) || side.contains("Sentence::");
    let path = |letter: char| letter.is_alphanumeric() || "_.:*&".contains(letter);
    let compares = |line: &&str| {
        [" == ", " != "].iter().any(|sign| {
            line.match_indices(sign).any(|(at, sign)| {
                let (left, right) = (&line[..at], &line[at + sign.len()..]);
                let right = right.split(|letter| !path(letter)).next().unwrap_or_default();
                let call = left.strip_suffix(')').and_then(|left| left.rsplit_once('(')).map_or(left, |(called, _)| called);
                let left = call.rsplit(|letter| !path(letter)).next().unwrap_or_default();
                is_sentence(left) || is_sentence(right)
            })
        })
    };
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).filter(compares).collect()
}

#[test]
fn no_code_compares_sentences() {
    let sources = files(&root().join("src"), &["rs"]);
    let code = sources.iter().filter(|(path, _)| !path.ends_with("tests.rs") && !path.contains("/tests/"));
    let found: Vec<String> = code
        .flat_map(|(path, source)| {
            comparisons_of_sentences(source).into_iter().map(move |line| format!("{path}: {}", line.trim()))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    for line in [
        "if a.why == b.why {",
        "f(|line| Sentence::from(*line) != finding.why)",
        "x == Sentence::default()",
        "Sentence::from(a) == b",
    ] {
        assert_eq!(comparisons_of_sentences(line), [line]);
    }
    for line in ["if a.what == b.what {", "if why == code {", "/// a.why == b", "#[cfg(test)]\nmod tests {\n a.why == b.why"] {
        assert_eq!(comparisons_of_sentences(line), [""; 0]);
    }
}

#[test]
fn front_ends_alone_read_sentences_for_people() {
    let sources = files(&root().join("src"), &["rs"]);
    let elsewhere = sources.iter().filter(|(path, _)| !READERS.iter().any(|reader| path.starts_with(reader)));
    let found: Vec<&str> = elsewhere.filter(|(_, source)| source.contains("for_people")).map(|(path, _)| path.as_str()).collect();
    assert!(found.is_empty(), "read elsewhere: {}", found.join(", "));
}

#[test]
fn files_are_short_or_say_why_not() {
    let sources = files(&root(), &["rs", "py"]);
    assert!(sources.iter().any(|(path, _)| path.ends_with(".py")), "no Python found: is this the repository?");
    let found: Vec<String> = sources.iter().filter_map(|(path, source)| too_long(path, source)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Gives the packages of a lock file that one of them is built from, itself included.
fn built_from<'a>(lock: &'a toml::Table, package: &'a str) -> BTreeSet<&'a str> {
    let packages = lock.get("package").and_then(toml::Value::as_array).expect("packages");
    let (mut found, mut waiting) = (BTreeSet::new(), vec![package]);
    while let Some(next) = waiting.pop() {
        if found.insert(next) {
            let versions = packages.iter().filter(|entry| entry.get("name").and_then(toml::Value::as_str) == Some(next));
            let needs = versions.filter_map(|entry| entry.get("dependencies")?.as_array()).flatten();
            waiting.extend(needs.filter_map(|needed| needed.as_str()?.split(' ').next()));
        }
    }
    found
}

#[test]
fn a_plain_build_needs_no_cmake_no_libclang_and_no_cpp_compiler() {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).expect("a lock file");
    let lock: toml::Table = text.parse().expect("a lock file in TOML");
    let (plain, program) = (built_from(&lock, "pytead-tui"), built_from(&lock, "pytead-llm"));
    assert!(plain.contains("ratatui") && program.contains("pytead-tui"), "{plain:?}\n{program:?}");
    for package in NOT_IN_A_PLAIN_BUILD {
        assert!(program.contains(package), "{package} is gone: take it out of this list");
        assert!(!plain.contains(package), "{package} is built with the workbench; it belongs into src/pytead-llm");
    }
}

/// Gives the paths that a page names in code font: whole ones, and ends of one such as `bisect.rs`.
fn paths(page: &str) -> Vec<&str> {
    let kinds = [".rs", ".py", ".md", ".yaml", "/"];
    let code = page.split('`').skip(1).step_by(2);
    code.filter(|text| kinds.iter().any(|kind| text.ends_with(kind)))
        .filter(|text| !text.starts_with('.') && !text.contains([' ', '<', '*', '(']))
        .collect()
}

#[test]
fn every_path_on_the_map_is_there() {
    let sources: Vec<String> = files(&root(), &["rs", "py", "md"]).into_iter().map(|(path, _)| format!("/{path}")).collect();
    let is_there = |path: &str| {
        let (file, folder) = (format!("/{path}"), format!("/{}/", path.trim_end_matches('/')));
        root().join(path).exists() || sources.iter().any(|source| source.ends_with(&file) || source.contains(&folder))
    };
    for page in ["docs/ARCHITECTURE.md", "docs/find-it.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root().join(page)).expect("a page");
        let named = paths(&text);
        assert!(named.len() > 10, "{page} names {} paths", named.len());
        let missing: Vec<&str> = named.into_iter().filter(|path| !is_there(path)).collect();
        assert!(missing.is_empty(), "{page} names what is not there: {missing:?}");
    }
}

#[test]
fn every_planted_violation_is_found() {
    let planted = [
        // Upwards, plainly and in a group.
        ("base/text.rs", "use crate::domain::call::Call;", "base/ must not use domain/"),
        ("source/index.rs", "use crate::{base::text, engine::{jobs, review}};", "source/ must not use engine/"),
        // In a macro's body, and in code.
        ("domain/call.rs", "macro_rules! open { () => { $crate::store::open() } }", "only engine/ uses store/"),
        ("tui/app.rs", "fn f() { let x = vec![crate::cli::args::parse()]; }", "tui/ must not use cli/"),
        // Sideways where no edge is listed, and a listed one the other way round.
        ("record/spool.rs", "use crate::pytest::report;", "record/ must not use pytest/"),
        ("contain/linux.rs", "use crate::python::zygote;", "contain/ must not use python/"),
        // Past the engine.
        ("cli/gen.rs", "use crate::write::plan::Plan;", "only engine/ uses write/"),
        ("main.rs", "use pytead_tui::{cli, store::schema};", "only engine/ uses store/"),
        ("pytead-llm/main.rs", "use pytead_tui::store::schema;", "only engine/ uses store/"),
        ("pytead-llm/tests/server.rs", "use pytead_tui::write::plan;", "only engine/ uses write/"),
        // Out of a top module by the back door.
        ("watch/filter.rs", "use super::super::engine::jobs;", "`super` leaves the top module"),
        ("watch/mod.rs", "mod tests { fn f() { super::super::engine::go() } }", "`super` leaves the top module"),
        ("watch/mod.rs", "use super::engine;", "`super` leaves the top module"),
        ("watch/mod.rs", "use crate as pytead; use pytead::engine;", "under another name"),
        ("watch/mod.rs", "use crate::*;", "everything in the crate"),
        ("watch/mod.rs", "#[path = \"../engine/mod.rs\"] mod engine;", "hides where a module lives"),
        // Outside crates away from home.
        ("engine/state/jobs.rs", "use rusqlite::Connection;", "`rusqlite` outside its home"),
        ("engine/state/jobs.rs", "use {std::fs, reqwest::Client};", "`reqwest` outside its home"),
        ("engine/state/jobs.rs", "async fn f() { ::reqwest::get(\"x\").await; }", "`reqwest` outside its home"),
        ("llm/local/mod.rs", "use llama_cpp_2::model::LlamaModel;", "`llama_cpp_2` outside its home"),
        ("config/layers.rs", "use serde_saphyr as yaml;", "`serde_saphyr` outside its home"),
        ("tui/view.rs", "#[derive(clap::Args)] struct A;", "`clap` outside its home"),
        // The rest.
        ("lib.rs", "pub use crate::domain::call::Call;", "`pub use` in lib.rs"),
        ("store/schema.rs", "fn f() { unsafe { g() } }", "`unsafe` outside"),
        ("gadgets/mod.rs", "fn f() {}", "`gadgets` has no layer"),
    ];
    for (path, source, expected) in planted {
        let found = check(path, source);
        assert!(found.iter().any(|violation| violation.what.contains(expected)), "{path}: {source}\nfound {found:?}");
    }
}

#[test]
fn what_is_allowed_is_not_reported() {
    let allowed = [
        ("base/text.rs", "// crate::engine\n/// [`crate::store`]\nfn f() { let s = \"crate::engine\"; }"),
        ("generate/prove.rs", "use crate::{base::text, domain::call, python::worker, generate::cases};"),
        ("engine/review/decide.rs", "use crate::store::Store; use crate::write::plan;"),
        ("watch/filter.rs", "use super::events; mod tests { use super::*; use super::super::events; }"),
        ("watch/events.rs", "use notify::Watcher; pub(crate) fn f() {}"),
        ("tui/app.rs", "fn f(app: &App) { app.notify(); self::notify::show(); crate::tui::notify::show(); }"),
        ("main.rs", "fn main() { pytead_tui::cli::main() }"),
        ("pytead-llm/model.rs", "use crate::{say, prompt}; use llama_cpp_2::model::LlamaModel; mod tests { use super::*; }"),
        ("contain/linux.rs", "fn f() { unsafe { libc::fork() } }"),
    ];
    for (path, source) in allowed {
        assert_eq!(check(path, source), [], "{path}: {source}");
    }
}

#[test]
fn a_long_file_is_found_unless_it_says_why() {
    let long = "x = 1\n".repeat(LINES_MAX + 1);
    assert!(too_long("a.py", &long).is_some());
    assert_eq!(too_long("a.py", &format!("# {LONG_BECAUSE} it is a table.\n{long}")), None);
    assert_eq!(too_long("a.py", "x = 1\n"), None);
}

#[test]
fn a_file_that_no_mod_line_names_is_found() {
    let file = |path: &str, source: &str| (path.to_owned(), source.to_owned());
    let sources = [
        file("tests/it/main.rs", "// mod gone;\nmod spec;\nmod verbs;"),
        file("tests/it/verbs.rs", ""),
        file("tests/it/gone.rs", ""),
        file("tests/it/spec/mod.rs", "#[cfg(unix)]\npub mod many;"),
        file("tests/it/spec/many.rs", ""),
        file("tests/it/spec/few.rs", "mod deep { }"),
        file("tests/it/spec/few/deep.rs", ""),
        file("tests/alone.rs", ""),
        file("src/lib.rs", "pub mod base;\nmod r#gen;"),
        file("src/gen.rs", ""),
        file("src/base.rs", "mod text;"),
        file("src/base/text.rs", ""),
        file("src/pytead-llm/main.rs", "mod words;"),
        file("src/pytead-llm/words.rs", ""),
        file("src/pytead-llm/numbers.rs", ""),
        file("src/pytead-llm/tests/server.rs", ""),
    ];
    let lost = ["tests/it/gone.rs", "tests/it/spec/few.rs", "tests/it/spec/few/deep.rs", "src/pytead-llm/numbers.rs"];
    assert_eq!(left_out(&sources), lost);
}
