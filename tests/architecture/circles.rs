//! The imports inside one folder of `src/`: which files use which, the circles they form, and the order of its folders.
//!
//! Works on tokens, like the rest of the test. Test code does not count. An item behind a module is looked for in the
//! module's file; what a type's methods use is not seen.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{files, follows_path, follows_with_colons, is_ident, is_punct, root};

/// The files of a folder and who imports whom.
struct Graph {
    /// The modules by their path below `src/`, with their file's path.
    modules: BTreeMap<Vec<String>, String>,
    /// The modules each module uses.
    uses: BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
}

impl Graph {
    /// Reads the files of one folder, given by their paths below `src/`.
    fn new(folder: &str, sources: &[(String, String)]) -> Self {
        let below = sources.iter().filter(|(path, _)| path.split('/').next() == Some(folder));
        // A file that does not parse is reported by the check of layers.
        let parsed = below.map(|(path, source)| (module_of(path), path, source.parse::<TokenStream>().unwrap_or_default()));
        let mut own: Vec<_> = parsed.collect();
        let tests: Vec<_> = own.iter().flat_map(|(module, _, tokens)| test_modules(module, tokens)).collect();
        own.retain(|(module, ..)| !tests.iter().any(|tests| module.starts_with(tests)));
        let modules = own.iter().map(|(module, path, _)| (module.clone(), (*path).clone())).collect();
        let mut graph = Self { modules, uses: BTreeMap::new() };
        for (module, _, tokens) in own {
            let mut file = Reader { graph: &graph, inside: module.clone(), bound: BTreeMap::new(), found: BTreeSet::new() };
            file.bind_children(&module);
            file.walk(tokens.clone(), true);
            file.walk(tokens, false);
            let mut found = file.found;
            found.remove(&module);
            graph.uses.insert(module, found);
        }
        graph
    }

    /// Gives the imports that go from a folder to one that stands after it in the order, as "who → whom". The folder's own
    /// file is above all, and so is what has no place in the order.
    fn upward(&self, order: &[&str]) -> Vec<String> {
        let rank = |module: &[String]| {
            let place = module.get(1).map(|name| order.iter().position(|known| known == name).unwrap_or(order.len()));
            place.unwrap_or(order.len() + 1)
        };
        let all = self.uses.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
        let upward = all.filter(|(from, to)| rank(to) > rank(from));
        upward.map(|(from, to)| format!("{} → {}", self.modules[from], self.modules[to])).collect()
    }

    /// Gives the folders inside that have no place in the order.
    fn without_place<'a>(&'a self, order: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let folders: BTreeSet<&str> =
            self.modules.keys().filter(|module| module.len() > 2).map(|module| module[1].as_str()).collect();
        folders.into_iter().filter(|name| !order.contains(name))
    }

    /// Gives the files of the largest circle, none where there is no circle.
    fn largest_circle(&self) -> Vec<String> {
        let reached: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> =
            self.uses.keys().map(|module| (module, self.reached(module))).collect();
        let circle_of = |module: &Vec<String>| -> Vec<&String> {
            let back = reached[module].iter().filter(|other| reached[**other].contains(module));
            back.map(|other| &self.modules[*other]).collect()
        };
        let largest = self.uses.keys().map(circle_of).max_by_key(Vec::len).unwrap_or_default();
        largest.into_iter().cloned().collect()
    }

    /// Gives all that a module uses, directly or not; itself too where that leads back to it.
    fn reached<'a>(&'a self, module: &'a Vec<String>) -> BTreeSet<&'a Vec<String>> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![module];
        while let Some(next) = waiting.pop() {
            waiting.extend(self.uses.get(next).into_iter().flatten().filter(|used| found.insert(*used)));
        }
        found
    }
}

/// Reads one file.
struct Reader<'a> {
    graph: &'a Graph,
    /// The module that is read now, with inline modules.
    inside: Vec<String>,
    /// The modules that stand in the file under a name of their own.
    bound: BTreeMap<String, Vec<String>>,
    found: BTreeSet<Vec<String>>,
}

impl Reader<'_> {
    fn bind_children(&mut self, module: &[String]) {
        for child in self.graph.modules.keys().filter(|child| child.len() == module.len() + 1 && child.starts_with(module)) {
            self.bound.insert(child[module.len()].clone(), child.clone());
        }
    }

    /// Takes in the `use` lines, or all other paths; test modules are left out.
    fn walk(&mut self, tokens: TokenStream, imports: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => {
                    let end = tokens[at..].iter().position(|token| is_punct(token, ';')).map_or(tokens.len(), |end| at + end);
                    if imports {
                        branches(&[], &tokens[at + 1..end]).into_iter().for_each(|(path, name)| self.import(&path, name));
                    }
                    at = end;
                }
                TokenTree::Ident(_) if !imports && follows_with_colons(&tokens, at) && !follows_path(&tokens, at) => {
                    self.path(&path_at(&tokens, at));
                }
                TokenTree::Group(group) => match inline_module(&tokens, at) {
                    Some(_) if is_for_tests(&tokens[..at - 2]) => {}
                    Some(name) => {
                        self.inside.push(name);
                        self.walk(group.stream(), imports);
                        self.inside.pop();
                    }
                    None => self.walk(group.stream(), imports),
                },
                _ => {}
            }
            at += 1;
        }
    }

    /// Takes in a path in code; one that names a module alone says nothing of what is used.
    fn path(&mut self, path: &[String]) {
        if let Some((module, rest)) = self.absolute(path).map(|path| self.split(&path))
            && rest > 0
        {
            self.found.insert(module);
        }
    }

    fn import(&mut self, path: &[String], name: String) {
        let Some(path) = self.absolute(path) else { return };
        let (module, rest) = self.split(&path);
        if rest == 0 {
            // A folder alone is no import: what is used of it stands in a path.
            if !self.graph.modules.get(&module).is_some_and(|file| file.ends_with("/mod.rs")) {
                self.found.insert(module.clone());
            }
            self.bound.insert(name, module);
        } else if !module.is_empty() {
            self.found.insert(module);
        }
    }

    /// Gives a path from the crate's root on, if it leads into the folder.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let full = match first.as_str() {
            "crate" => rest.to_vec(),
            "self" => [&self.inside, rest].concat(),
            "super" => {
                let steps = path.iter().take_while(|step| *step == "super").count();
                [self.inside.get(..self.inside.len().checked_sub(steps)?)?, &path[steps..]].concat()
            }
            name => [self.bound.get(name)?, rest].concat(),
        };
        (self.graph.modules.keys().next()?.first() == full.first()).then_some(full)
    }

    /// Parts a path into the module of the last file on it, and the number of names behind that.
    fn split(&self, path: &[String]) -> (Vec<String>, usize) {
        let known = (1..=path.len()).rev().find(|length| self.graph.modules.contains_key(&path[..*length])).unwrap_or(0);
        (path[..known].to_vec(), path.len() - known)
    }
}

/// Gives the paths of a `use` tree, each with the name that it gets.
fn branches(before: &[String], tokens: &[TokenTree]) -> Vec<(Vec<String>, String)> {
    let mut path = before.to_vec();
    let mut name = None;
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => name = tokens.next().map(ToString::to_string),
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Punct(sign) if sign.as_char() == '*' => path.push("*".into()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let inner = inner.split(|token| is_punct(token, ',')).filter(|branch| !branch.is_empty());
                return inner.flat_map(|branch| branches(&path, branch)).collect();
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    let name = name.or_else(|| path.last().cloned());
    name.map(|name| (path, name)).into_iter().collect()
}

/// Gives the names of a path from its first one on.
fn path_at(tokens: &[TokenTree], at: usize) -> Vec<String> {
    let mut path = vec![tokens[at].to_string()];
    let mut at = at;
    while follows_with_colons(tokens, at) && matches!(tokens.get(at + 3), Some(TokenTree::Ident(_))) {
        at += 3;
        path.push(tokens[at].to_string());
    }
    // The names of a list or a generic behind the path are items, whatever they are.
    if follows_with_colons(tokens, at) {
        path.push("*".into());
    }
    path
}

/// Gives the name of the module whose body stands here.
fn inline_module(tokens: &[TokenTree], at: usize) -> Option<String> {
    let before = tokens.get(at.checked_sub(2)?..at)?;
    (is_brace(&tokens[at]) && is_ident(&before[0], "mod") && matches!(before[1], TokenTree::Ident(_)))
        .then(|| before[1].to_string())
}

/// Gives the modules in files of their own that are made for tests alone.
fn test_modules(module: &[String], tokens: &TokenStream) -> Vec<Vec<String>> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let declared =
        (0..tokens.len().saturating_sub(2)).filter(|at| is_ident(&tokens[*at], "mod") && is_punct(&tokens[at + 2], ';'));
    let for_tests = declared.filter(|at| is_for_tests(&tokens[..*at]));
    for_tests.map(|at| [module, &[tokens[at + 1].to_string()]].concat()).collect()
}

/// Tells whether what stands before a module says that it is for tests.
fn is_for_tests(before: &[TokenTree]) -> bool {
    let attributes = before.iter().rev().take_while(|token| !is_punct(token, ';') && !is_brace(token));
    attributes.filter(|token| matches!(token, TokenTree::Group(_))).any(|token| {
        let text: String = token.to_string().split_whitespace().collect();
        text.starts_with("[cfg(test)") || text.starts_with("[cfg(any(test")
    })
}

fn is_brace(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Gives the module of a file, given by its path below `src/`.
fn module_of(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// One row of [`FOLDERS`].
struct Folder {
    name: &'static str,
    /// The order of the folders inside, lowest first: each uses only those before it, and itself. Empty where none is fixed.
    order: &'static [&'static str],
    /// Imports against that order that are still there.
    upward: usize,
    /// Files of the largest circle that may be there.
    circle: usize,
}

impl Folder {
    const fn unordered(name: &'static str, circle: usize) -> Self {
        Self { name, order: &[], upward: 0, circle }
    }
}

/// No circle may have more files than this, but for those of [`FOLDERS`] that still do.
const CIRCLE_MAX: usize = 4;

/// The folders with an order, or with a larger circle. The numbers may only fall: whoever ends an import lowers them.
const FOLDERS: &[Folder] = &[
    Folder::unordered("cli", 5),
    Folder {
        name: "engine",
        order: &[
            "checks",
            "state",
            "index",
            "python",
            "calls",
            "edits",
            "replay",
            "proving",
            "models",
            "drafting",
            "recording",
            "specs",
            "verdicts",
            "review",
            "agents",
            "workflow",
            "watch",
            "handle",
        ],
        upward: 0,
        circle: CIRCLE_MAX,
    },
    Folder::unordered("tui", 49),
];

/// Gives what is wrong with a folder.
fn check(folder: &Folder, graph: &Graph) -> Vec<String> {
    let mut wrong = Vec::new();
    let (upward, circle) = (graph.upward(folder.order), graph.largest_circle());
    if !folder.order.is_empty() {
        wrong.extend(graph.without_place(folder.order).map(|name| format!("{name}/ has no place in the order")));
        if upward.len() > folder.upward {
            let (more, allowed) = (upward.len(), folder.upward);
            wrong.push(format!("{more} imports go upward, {allowed} may:\n{}", upward.join("\n")));
        } else if upward.len() < folder.upward {
            wrong.push(format!("lower `upward` to {}, so that it stays so", upward.len()));
        }
    }
    if circle.len() > folder.circle {
        let (more, allowed) = (circle.len(), folder.circle);
        wrong.push(format!("a circle of {more} files, {allowed} may be in one:\n{}", circle.join("\n")));
    }
    wrong
}

/// `cargo test --test architecture -- --nocapture circles` prints a line for each folder.
#[test]
#[allow(clippy::print_stdout)] // for the person who runs it so
fn circles_are_small_and_folders_are_in_their_order() {
    let sources = files(&root().join("src"), &["rs"]);
    let names: BTreeSet<&str> = sources.iter().filter_map(|(path, _)| path.split_once('/')).map(|(top, _)| top).collect();
    let mut wrong = Vec::new();
    for name in names.into_iter().filter(|name| *name != "bin") {
        let graph = Graph::new(name, &sources);
        let known = FOLDERS.iter().find(|folder| folder.name == name);
        let folder = known.unwrap_or(&const { Folder::unordered("", CIRCLE_MAX) });
        let (circle, upward) = (graph.largest_circle(), graph.upward(folder.order).len());
        let upward = if folder.order.is_empty() { String::new() } else { format!(", {upward} imports upward") };
        println!("{name}: {} files, {} in the largest circle{upward}", graph.modules.len(), circle.len());
        wrong.extend(check(folder, &graph).into_iter().map(|line| format!("src/{name}: {line}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reads files that stand here as text.
fn graph(sources: &[(&str, &str)]) -> Graph {
    let sources: Vec<(String, String)> = sources.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect();
    Graph::new("engine", &sources)
}

#[test]
fn every_planted_import_against_the_order_is_found() {
    let order = &["low", "middle", "high"];
    let low = |source| {
        graph(&[
            ("engine/mod.rs", "pub struct Top;"),
            ("engine/low/mod.rs", ""),
            ("engine/low/a.rs", source),
            ("engine/high/mod.rs", ""),
            ("engine/high/b.rs", ""),
        ])
    };
    for source in [
        "use crate::engine::high::b::f;",
        "use crate::engine::high::b;",
        "use crate::engine::high::{self, b::f}; fn g() {}",
        "use crate::{base::text, engine::{high::b, low}};",
        "use super::super::high::b::f;",
        "fn f() { crate::engine::high::b::g() }",
        "use crate::engine::high; fn f() { high::b::g() }",
        "use crate::engine::high as other; fn f() { vec![other::b::g()] }",
        "mod inner { fn f() { super::super::super::high::b::g() } }",
        // What stands in the folder's own file is above all.
        "use crate::engine::Top;",
        "fn f() { crate::engine::Top::new() }",
    ] {
        assert_eq!(low(source).upward(order).len(), 1, "{source}");
    }
    for source in [
        "use crate::engine::low::c::f;",
        "// crate::engine::high::b::f",
        "fn f() { let s = \"crate::engine::high::b::f\"; }",
        "#[cfg(test)]\nmod tests { use crate::engine::high::b::f; }",
        "use crate::engine::high;",
        "use crate::judge::high::b::f;",
    ] {
        assert_eq!(low(source).upward(order), [""; 0], "{source}");
    }
    let high = graph(&[("engine/low/a.rs", ""), ("engine/high/mod.rs", "use crate::engine::low::a::f;")]);
    assert_eq!(high.upward(order), [""; 0]);
    assert_eq!(graph(&[("engine/new/a.rs", "")]).without_place(order).collect::<Vec<_>>(), ["new"]);
}

#[test]
fn every_planted_circle_is_found() {
    let circle = |sources: &[(&str, &str)]| graph(sources).largest_circle();
    let (a, b) = (("engine/a.rs", "use crate::engine::b::f;"), ("engine/b.rs", "use super::c;"));
    assert_eq!(
        circle(&[a, b, ("engine/c.rs", "fn f() { crate::engine::a::g() }")]),
        ["engine/a.rs", "engine/b.rs", "engine/c.rs"]
    );
    assert_eq!(circle(&[a, b, ("engine/c.rs", "")]), [""; 0]);
    // A module and the one around it.
    assert_eq!(circle(&[("engine/a.rs", "mod b; use b::f;"), ("engine/a/b.rs", "use super::*;")]).len(), 2);
    // Tests use what they like, also in files of their own.
    assert_eq!(circle(&[("engine/a.rs", "#[cfg(test)] mod b;"), ("engine/a/b.rs", "use super::*;")]), [""; 0]);
    assert_eq!(circle(&[a, ("engine/b.rs", "#[cfg(test)] mod tests { use crate::engine::a::g; }")]), [""; 0]);
    let folder = |upward, circle| Folder { name: "engine", order: &["a", "b"], upward, circle };
    let both = graph(&[a, ("engine/b.rs", "use crate::engine::a::g;")]);
    assert_eq!(check(&folder(1, 4), &both), [""; 0]);
    assert!(check(&folder(0, 4), &both)[0].contains("1 imports go upward, 0 may"));
    assert!(check(&folder(2, 4), &both)[0].contains("lower `upward` to 1"));
    assert!(check(&folder(1, 1), &both)[0].contains("a circle of 2 files"));
}
