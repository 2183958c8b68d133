//! The imports inside one folder of `src/`: which files use which, the circles they form, and the order of its folders.
//!
//! A file uses another if it names an item that the other defines, whatever path it names it by. `mod x;` and `pub use` alone
//! make no import: they say where a name is found, not what code needs. Test code does not count.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;

use super::modules::{Modules, Path, module_of, test_modules};
use super::{files, root};

/// The files of a folder and who imports whom.
struct Graph {
    /// The modules by their path below `src/`, with their file's path.
    modules: BTreeMap<Path, String>,
    /// The modules each module uses.
    uses: BTreeMap<Path, BTreeSet<Path>>,
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
        let own: Vec<_> = own.into_iter().map(|(module, _, tokens)| (module, tokens)).collect();
        let known = Modules::new(folder, &own);
        let uses = own.iter().map(|(module, tokens)| (module.clone(), known.used_by(module, tokens))).collect();
        Self { modules, uses }
    }

    /// Gives the imports that go from a folder to one that stands after it in the order, as "who → whom". The folder's own
    /// file is above all, and so is what has no place in the order, unless [`OTHERS`] gives it one.
    fn upward(&self, order: &[&str]) -> Vec<String> {
        let rank = |module: &[String]| {
            let of = |name: &str| order.iter().position(|known| *known == name);
            module.get(1).map_or(order.len() + 1, |name| of(name).or(of(OTHERS)).unwrap_or(order.len()))
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
        let reached: BTreeMap<&Path, BTreeSet<&Path>> = self.uses.keys().map(|module| (module, self.reached(module))).collect();
        let circle_of = |module: &Path| -> Vec<&String> {
            let back = reached[module].iter().filter(|other| reached[**other].contains(module));
            back.map(|other| &self.modules[*other]).collect()
        };
        let largest = self.uses.keys().map(circle_of).max_by_key(Vec::len).unwrap_or_default();
        largest.into_iter().cloned().collect()
    }

    /// Gives all that a module uses, directly or not; itself too where that leads back to it.
    fn reached<'a>(&'a self, module: &'a Path) -> BTreeSet<&'a Path> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![module];
        while let Some(next) = waiting.pop() {
            waiting.extend(self.uses.get(next).into_iter().flatten().filter(|used| found.insert(*used)));
        }
        found
    }
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

/// No circle may have more files than this, unless its folder is in [`FOLDERS`] with a larger number.
const CIRCLE_MAX: usize = 4;

/// Stands in an order for the files that it does not name.
const OTHERS: &str = "*";

/// The folders with an order. The numbers may only fall: whoever ends an import lowers them.
const FOLDERS: &[Folder] = &[ENGINE, GENERATE, TUI];

/// Code of values stands below the calls that it is for, those below the cases of a test, and those below its text.
const GENERATE: Folder = Folder {
    name: "generate",
    order: &[
        "layout",
        "scope",
        "steady",
        "tables",
        "found",
        "alike",
        "repr",
        "trim",
        "agree",
        "serial",
        "learned",
        "told",
        "statement",
        "act",
        "project",
        "constructors",
        "surroundings",
        "build",
        "closer",
        "expect",
        "raises",
        "graph",
        "case",
        "around",
        "names",
        "argument_features",
        "stand_ins",
        "render",
        "choose",
        "cases",
        "scenes",
        OTHERS,
        "prove",
        "demo",
    ],
    upward: 0,
    circle: CIRCLE_MAX,
};

/// What the state is made of stands below what each pane consists of; drawing reads both, and keys and events change them.
const TUI: Folder = Folder {
    name: "tui",
    order: &[
        "theme",
        "glyphs",
        "row",
        "highlight",
        "filter",
        "widgets",
        "words",
        OTHERS,
        "content",
        "jobs",
        "live",
        "view",
        "update",
        "terminal",
        "event",
        "effects",
        "run",
    ],
    upward: 0,
    circle: CIRCLE_MAX,
};

const ENGINE: Folder = Folder {
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
};

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
    for name in names {
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
        "use crate::engine::high::b; fn f() { b::g() }",
        "use crate::engine::high::{self, b::f}; fn g() {}",
        "use crate::{base::text, engine::{high::b::f, low}};",
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
    let others = graph(&[
        ("engine/other.rs", "use crate::engine::low::a::f; use crate::engine::high::b::f;"),
        ("engine/low/a.rs", ""),
        ("engine/high/b.rs", ""),
    ]);
    assert_eq!(others.upward(&["low", OTHERS, "high"]), ["engine/other.rs → engine/high/b.rs"]);
    assert_eq!(others.upward(&["low", "high"]), [""; 0]);
    assert_eq!(graph(&[("engine/new/a.rs", "")]).without_place(order).collect::<Vec<_>>(), ["new"]);
}

#[test]
fn every_planted_circle_is_found() {
    let circle = |sources: &[(&str, &str)]| graph(sources).largest_circle();
    let (a, b) = (("engine/a.rs", "use crate::engine::b::f;"), ("engine/b.rs", "use super::c; fn f() { c::g() }"));
    assert_eq!(
        circle(&[a, b, ("engine/c.rs", "fn g() { crate::engine::a::h() }")]),
        ["engine/a.rs", "engine/b.rs", "engine/c.rs"]
    );
    assert_eq!(circle(&[a, b, ("engine/c.rs", "")]), [""; 0]);
    // A module and the one around it.
    let inner = ("engine/a/b.rs", "use super::*; pub fn f() { g() }");
    assert_eq!(circle(&[("engine/a.rs", "mod b; use b::f; fn g() {}"), inner]).len(), 2);
    assert_eq!(circle(&[("engine/a.rs", "mod b; pub use b::f; fn g() { f() }"), inner]).len(), 2);
    // Tests use what they like, also in files of their own.
    assert_eq!(circle(&[("engine/a.rs", "#[cfg(test)] mod b; fn g() {}"), inner]), [""; 0]);
    let tested = "fn f() {} #[cfg(test)] mod tests { use crate::engine::a::g; }\n#[cfg(test)] fn g() { crate::engine::a::g(); }";
    assert_eq!(circle(&[a, ("engine/b.rs", tested)]), [""; 0]);
    let folder = |upward, circle| Folder { name: "engine", order: &["a", "b"], upward, circle };
    let both = graph(&[a, ("engine/b.rs", "use crate::engine::a::g;")]);
    assert_eq!(check(&folder(1, 4), &both), [""; 0]);
    assert!(check(&folder(0, 4), &both)[0].contains("1 imports go upward, 0 may"));
    assert!(check(&folder(2, 4), &both)[0].contains("lower `upward` to 1"));
    assert!(check(&folder(1, 1), &both)[0].contains("a circle of 2 files"));
}

#[test]
fn an_item_is_used_where_it_is_defined() {
    let uses = |source: &str| {
        let sources = &[
            ("engine/mod.rs", "mod low; mod high; pub use low::a::Low; pub use low::a as short; fn own() {}"),
            ("engine/low/mod.rs", "pub mod a; pub use a::*; pub use super::high::high as renamed;"),
            ("engine/low/a.rs", "pub struct Low; impl Low { pub fn new() {} } pub fn r#gen() {}"),
            ("engine/high.rs", "pub fn high() {}"),
            ("engine/user.rs", source),
        ];
        let graph = graph(sources);
        let used = &graph.uses[&module_of("engine/user.rs")];
        used.iter().map(|module| graph.modules[module].as_str()).collect::<Vec<_>>().join(" ")
    };
    for (source, used) in [
        ("use crate::engine::Low;", "engine/low/a.rs"),
        ("use super::low::{self}; fn f() { low::Low::new() }", "engine/low/a.rs"),
        ("use crate::engine::short::Low as Other;", "engine/low/a.rs"),
        ("use super::*; fn f() -> Low { own() }", "engine/mod.rs engine/low/a.rs"),
        ("fn f() { crate::engine::low::renamed() }", "engine/high.rs"),
        ("fn f() { super::low::a::r#gen() }", "engine/low/a.rs"),
        ("mod inner { pub(super) use super::super::Low; } fn f() { inner::Low::new() }", "engine/low/a.rs"),
        // Where a name is found is no use of it.
        ("pub mod more; pub use crate::engine::Low; pub(crate) use super::high::high;", ""),
        ("use super::*; fn f(x: &X) { x.own(); x::own() }", ""),
        ("fn own() {} fn f() { own() }", ""),
    ] {
        assert_eq!(uses(source), used, "{source}");
    }
}
