//! The modules of one folder of `src/`: the items that each defines, and to which file's item a path leads.
//!
//! Works on tokens, like the rest of the test. Items that a macro writes, and the methods of types, are not seen.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{follows_path, follows_with_colons, is_ident, is_punct};

/// A module's path from `src/` on.
pub type Path = Vec<String>;

/// The modules of a folder.
#[derive(Default)]
pub struct Modules {
    /// What `crate` stands for: nothing, or the folder where it is a package of its own.
    top: Path,
    all: BTreeMap<Path, Module>,
}

/// A module, in a file of its own or in braces.
struct Module {
    /// The module of its file.
    file: Path,
    /// The names of the items that are defined in it.
    items: BTreeSet<String>,
    /// The paths that `use` lines give a name, also those in functions.
    bound: BTreeMap<String, Vec<Path>>,
    /// The paths of which a `use` line takes all names.
    globs: Vec<Path>,
}

/// Where a path leads.
enum Place {
    Module(Path),
    /// To an item, given by the module of the file that defines it.
    Item(Path),
    /// Out of the folder, or to a name that the folder does not know.
    Elsewhere,
}

impl Modules {
    /// Reads the files of a folder, given by their modules.
    pub fn new(folder: &str, files: &[(Path, TokenStream)]) -> Self {
        let is_package = files.iter().any(|(module, _)| module.len() == 1 && module[0] == folder);
        let is_package = is_package && files.iter().any(|(_, tokens)| holds_main(tokens));
        let mut modules = Self { top: if is_package { vec![folder.into()] } else { Path::new() }, ..Self::default() };
        for (module, tokens) in files {
            modules.read(module, module, tokens.clone());
        }
        modules
    }

    /// Takes in a module and those in its braces.
    fn read(&mut self, path: &[String], file: &[String], tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut module = Module { file: file.to_vec(), items: BTreeSet::new(), bound: BTreeMap::new(), globs: Vec::new() };
        module.read_uses(&tokens);
        for at in 0..tokens.len() {
            if let Some(name) = inline_module(&tokens, at) {
                if let (false, TokenTree::Group(body)) = (is_for_tests(&tokens[..at - 2]), &tokens[at]) {
                    self.read(&[path, &[name]].concat(), file, body.stream());
                }
            } else {
                module.items.extend(defined(&tokens, at));
            }
        }
        self.all.insert(path.to_vec(), module);
    }

    /// Gives the files whose items a file names, by their modules: in its code, and in its `use` lines but for `pub use`.
    pub fn used_by(&self, file: &[String], tokens: &TokenStream) -> BTreeSet<Path> {
        let mut reader = Reader { modules: self, inside: file.to_vec(), found: BTreeSet::new() };
        reader.walk(tokens.clone());
        reader.found.remove(file);
        reader.found
    }

    /// Follows a path that stands in a module.
    fn follow(&self, from: &[String], path: &[String], seen: &mut BTreeSet<(Path, String)>) -> Place {
        let Some(first) = path.first() else { return Place::Module(from.to_vec()) };
        let (start, rest) = match first.as_str() {
            "crate" => (self.top.clone(), &path[1..]),
            "self" => (from.to_vec(), &path[1..]),
            "super" => {
                let steps = path.iter().take_while(|step| *step == "super").count();
                let Some(around) = from.len().checked_sub(steps) else { return Place::Elsewhere };
                (from[..around].to_vec(), &path[steps..])
            }
            _ => (from.to_vec(), path),
        };
        let is_bare = rest.len() == path.len();
        let mut at = start;
        for (step, name) in rest.iter().enumerate() {
            let is_last = step + 1 == rest.len();
            match self.named(&at, name, is_last, seen) {
                Place::Module(module) => at = module,
                // What stands behind an item is its own: a variant, a method.
                Place::Item(file) => return Place::Item(file),
                // A module that is known has more items than are seen here.
                Place::Elsewhere if is_bare && step == 0 => return Place::Elsewhere,
                Place::Elsewhere => return self.all.get(&at).map_or(Place::Elsewhere, |module| Place::Item(module.file.clone())),
            }
        }
        Place::Module(at)
    }

    /// Follows one name that stands in a module or behind it. A name may be that of a module and of an item.
    fn named(&self, at: &[String], name: &str, is_last: bool, seen: &mut BTreeSet<(Path, String)>) -> Place {
        let child = [at, &[name.to_owned()]].concat();
        let is_child = self.all.range(child.clone()..).next().is_some_and(|(module, _)| module.starts_with(&child));
        let Some(module) = self.all.get(at) else {
            return if is_child { Place::Module(child) } else { Place::Elsewhere };
        };
        if is_child && !is_last {
            return Place::Module(child);
        }
        if module.items.contains(name) {
            return Place::Item(module.file.clone());
        }
        if !seen.insert((at.to_vec(), name.to_owned())) {
            return Place::Elsewhere;
        }
        if let Some(bound) = module.bound.get(name) {
            let mut led = bound.iter().filter(|path| **path != [name]).map(|path| self.follow(at, path, seen));
            return led.find(|place| !matches!(place, Place::Elsewhere)).unwrap_or(Place::Elsewhere);
        }
        if is_child {
            return Place::Module(child);
        }
        for glob in &module.globs {
            if let Place::Module(other) = self.follow(at, glob, seen)
                && let found @ (Place::Module(_) | Place::Item(_)) = self.named(&other, name, is_last, seen)
            {
                return found;
            }
        }
        Place::Elsewhere
    }
}

impl Module {
    /// Takes in all `use` lines but those in the braces of other modules.
    fn read_uses(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => {
                    let end = end_of_use(tokens, at);
                    for (path, name) in branches(&[], &tokens[at + 1..end]) {
                        match path.split_last() {
                            Some((last, before)) if last == "*" => self.globs.push(before.to_vec()),
                            _ => self.bound.entry(name).or_default().push(path),
                        }
                    }
                    at = end;
                }
                TokenTree::Group(group) if inline_module(tokens, at).is_none() => {
                    self.read_uses(&group.stream().into_iter().collect::<Vec<_>>());
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Reads the names in one file.
struct Reader<'a> {
    modules: &'a Modules,
    /// The module that is read now, with those in braces.
    inside: Path,
    found: BTreeSet<Path>,
}

impl Reader<'_> {
    /// Takes in the names in code and in private `use` lines; what is for tests is left out.
    fn walk(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => {
                    let end = end_of_use(&tokens, at);
                    if !is_public(&tokens, at) && !is_for_tests(&tokens[..at]) {
                        branches(&[], &tokens[at + 1..end]).iter().for_each(|(path, _)| self.name(path));
                    }
                    at = end;
                }
                TokenTree::Ident(_) if !follows_path(&tokens, at) && !is_member(&tokens, at) && !is_for_tests(&tokens[..at]) => {
                    self.name(&path_at(&tokens, at));
                }
                TokenTree::Group(_) if is_for_tests(&tokens[..at]) => {}
                TokenTree::Group(group) => match inline_module(&tokens, at) {
                    Some(name) => {
                        self.inside.push(name);
                        self.walk(group.stream());
                        self.inside.pop();
                    }
                    None => self.walk(group.stream()),
                },
                _ => {}
            }
            at += 1;
        }
    }

    /// Takes in a path; one that leads to a module alone says nothing of what is used.
    fn name(&mut self, path: &[String]) {
        let path = if path.last().is_some_and(|last| last == "*") { &path[..path.len() - 1] } else { path };
        if let Place::Item(file) = self.modules.follow(&self.inside, path, &mut BTreeSet::new()) {
            self.found.insert(file);
        }
    }
}

/// Gives the name of the item whose name stands here, if one is defined.
fn defined(tokens: &[TokenTree], at: usize) -> Option<String> {
    const KINDS: &[&str] = &["struct", "enum", "union", "trait", "fn", "const", "static", "type"];
    let TokenTree::Ident(name) = &tokens[at] else { return None };
    let is_macro = at >= 2 && is_punct(&tokens[at - 1], '!') && is_ident(&tokens[at - 2], "macro_rules");
    let is_kind = |before: usize| KINDS.iter().any(|kind| is_ident(&tokens[before], kind));
    let is_item = at >= 1 && is_kind(at - 1) && !["fn", "unsafe", "async", "extern"].iter().any(|word| name == word);
    (is_macro || is_item).then(|| plain(name))
}

/// Tells whether a file has the function that a program begins with.
fn holds_main(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    (0..tokens.len()).any(|at| defined(&tokens, at).is_some_and(|name| name == "main"))
}

/// Gives a name without the mark of a raw one.
fn plain(name: &impl ToString) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

fn end_of_use(tokens: &[TokenTree], at: usize) -> usize {
    tokens[at..].iter().position(|token| is_punct(token, ';')).map_or(tokens.len(), |end| at + end)
}

/// Tells whether `pub` stands before a `use`.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).map(|at| &tokens[at]);
    match before(1) {
        Some(TokenTree::Group(_)) => before(2).is_some_and(|token| is_ident(token, "pub")),
        Some(token) => is_ident(token, "pub"),
        None => false,
    }
}

/// Tells whether a name is that of a field or a method: `x.name`, but not `..name`.
fn is_member(tokens: &[TokenTree], at: usize) -> bool {
    at >= 1 && is_punct(&tokens[at - 1], '.') && !(at >= 2 && is_punct(&tokens[at - 2], '.'))
}

/// Gives the paths of a `use` tree, each with the name that it gets.
fn branches(before: &[String], tokens: &[TokenTree]) -> Vec<(Path, String)> {
    let mut path = before.to_vec();
    let mut name = None;
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => name = tokens.next().map(plain),
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(plain(word)),
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
fn path_at(tokens: &[TokenTree], at: usize) -> Path {
    let mut path = vec![plain(&tokens[at])];
    let mut at = at;
    while follows_with_colons(tokens, at) && matches!(tokens.get(at + 3), Some(TokenTree::Ident(_))) {
        at += 3;
        path.push(plain(&tokens[at]));
    }
    path
}

/// Gives the name of the module whose body stands here.
fn inline_module(tokens: &[TokenTree], at: usize) -> Option<String> {
    let before = tokens.get(at.checked_sub(2)?..at)?;
    (is_brace(&tokens[at]) && is_ident(&before[0], "mod") && matches!(before[1], TokenTree::Ident(_))).then(|| plain(&before[1]))
}

/// Gives the modules in files of their own that are made for tests alone.
pub fn test_modules(module: &[String], tokens: &TokenStream) -> Vec<Path> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let declared =
        (0..tokens.len().saturating_sub(2)).filter(|at| is_ident(&tokens[*at], "mod") && is_punct(&tokens[at + 2], ';'));
    let for_tests = declared.filter(|at| is_for_tests(&tokens[..*at]));
    for_tests.map(|at| [module, &[plain(&tokens[at + 1])]].concat()).collect()
}

/// Tells whether an attribute before a token says that its item or statement is for tests.
fn is_for_tests(before: &[TokenTree]) -> bool {
    let ends = |token: &TokenTree| is_punct(token, ';') || is_punct(token, ',') || is_brace(token);
    let attributes = before.iter().rev().take_while(|token| !ends(token));
    attributes.filter(|token| matches!(token, TokenTree::Group(_))).any(|token| {
        let text: String = token.to_string().split_whitespace().collect();
        text.starts_with("[cfg(test)") || text.starts_with("[cfg(any(test")
    })
}

fn is_brace(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Gives the module of a file, given by its path below `src/`. `main.rs` is the package's own module.
pub fn module_of(path: &str) -> Path {
    let mut parts: Path = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "main") {
        parts.pop();
    }
    parts
}
