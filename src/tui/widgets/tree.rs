//! The project as a tree of folders, files and functions, flattened to lines.
//!
//! Knows nothing of the screen: which line has the cursor is a list's business.

use std::collections::{BTreeMap, HashSet};

use crate::base::paths::RelPath;
use crate::domain::call::COUNTED;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::{FileRow, FunctionRow, Mark};
use crate::tui::filter::Filter;

/// Names a line of the tree for as long as the project has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NodeKey {
    /// A folder or a file, by its path.
    Path(String),
    /// Where a file does not parse.
    Trouble(String),
    /// A function.
    Function(FunctionId),
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Which line.
    pub key: NodeKey,
    /// How deep.
    pub depth: usize,
    /// What is shown.
    pub label: String,
    /// Folded: yes, no, or there is nothing to fold.
    pub folded: Option<bool>,
    /// The worst mark: of the function, or of what a folded line hides, or of a file that does not parse.
    pub mark: Option<Mark>,
    /// The worst mark of it and of all below it.
    pub worst: Option<Mark>,
    /// Calls.
    pub calls: u64,
    /// Drafts and changes that wait.
    pub drafts: usize,
    /// Changes that wait.
    pub changes: usize,
    /// The file.
    pub path: Option<RelPath>,
    /// The line in the file.
    pub line: u32,
    /// Holds tests, or is one.
    pub is_test: bool,
}

#[derive(Default)]
struct Folder<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    files: Vec<&'a FileRow>,
}

/// Flattens the project.
///
/// `toggled` holds the lines a person folded or unfolded against their first state: test folders and files start
/// folded, everything else open. A filter opens everything it leaves, and leaves tests only where it names a place. A
/// folder that holds nothing but one other folder shares its line.
#[must_use]
pub fn flatten(files: &[FileRow], functions: &[FunctionRow], toggled: &HashSet<NodeKey>, filter: &Filter) -> Vec<Node> {
    #[cfg(test)]
    crate::tui::tests::work::the_tree_was_made();
    let mut root = Folder::default();
    for file in files {
        let mut at = &mut root;
        let parts: Vec<&str> = file.path.parts().collect();
        for part in &parts[..parts.len().saturating_sub(1)] {
            at = at.folders.entry(part).or_default();
        }
        at.files.push(file);
    }
    let mut by_file: BTreeMap<&RelPath, Vec<&FunctionRow>> = BTreeMap::new();
    for function in functions.iter().filter(|function| filter.takes(function)) {
        by_file.entry(&function.path).or_default().push(function);
    }
    let mut walk = Walk { out: Vec::new(), by_file, toggled, filtered: !filter.is_empty(), tests: filter.takes_tests() };
    walk.folder(&root, "", 0);
    walk.out
}

struct Walk<'a> {
    out: Vec<Node>,
    by_file: BTreeMap<&'a RelPath, Vec<&'a FunctionRow>>,
    toggled: &'a HashSet<NodeKey>,
    filtered: bool,
    tests: bool,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Folder<'_>, path: &str, depth: usize) {
        for (name, inner) in &folder.folders {
            let (mut name, mut inner) = ((*name).to_owned(), inner);
            while let (true, Some((below, only))) =
                (inner.files.is_empty() && inner.folders.len() == 1, inner.folders.iter().next())
            {
                name = format!("{name}/{below}");
                inner = only;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            let tests = all_tests(inner);
            self.branch(&path, &name, depth, tests, None, |walk| walk.folder(inner, &path, depth + 1));
        }
        for file in &folder.files {
            let shown = self.tests || !file.is_test;
            let functions = self.by_file.get(&file.path).filter(|_| shown).cloned().unwrap_or_default();
            if self.filtered && functions.is_empty() {
                continue;
            }
            let trouble = file.error.as_ref().map(|error| format!("line {} does not parse", error.line));
            self.branch(file.path.as_str(), file.path.file_name(), depth, file.is_test, Some(file), |walk| {
                if let Some(text) = trouble {
                    walk.out.push(Node {
                        key: NodeKey::Trouble(file.path.to_string()),
                        label: text,
                        path: Some(file.path.clone()),
                        line: file.error.as_ref().map_or(1, |error| error.line),
                        is_test: file.is_test,
                        ..blank(depth + 1)
                    });
                }
                for function in functions {
                    walk.out.push(Node {
                        key: NodeKey::Function(function.id.clone()),
                        label: function.id.qualname().to_owned(),
                        mark: Some(function.mark),
                        worst: Some(function.mark),
                        calls: function.calls,
                        drafts: function.drafts,
                        changes: function.changes,
                        path: Some(function.path.clone()),
                        line: function.line,
                        is_test: file.is_test,
                        ..blank(depth + 1)
                    });
                }
            });
        }
    }

    fn branch(
        &mut self,
        path: &str,
        name: &str,
        depth: usize,
        is_test: bool,
        file: Option<&FileRow>,
        inside: impl FnOnce(&mut Self),
    ) {
        let key = NodeKey::Path(path.to_owned());
        let folded = !self.filtered && (is_test != self.toggled.contains(&key));
        let at = self.out.len();
        self.out.push(Node {
            key,
            label: name.to_owned(),
            folded: Some(folded),
            path: file.map(|file| file.path.clone()),
            line: 1,
            is_test,
            ..blank(depth)
        });
        inside(self);
        if self.filtered && self.out.len() == at + 1 {
            self.out.truncate(at);
            return;
        }
        let (mut calls, mut drafts, mut changes) = (0, 0, 0);
        let mut worst = file.and_then(|file| file.error).map(|_| Mark::Error);
        for child in self.out[at + 1..].iter().filter(|node| node.depth == depth + 1) {
            calls += child.calls;
            drafts += child.drafts;
            changes += child.changes;
            worst = [worst, child.worst].into_iter().flatten().min();
        }
        let shown = if folded { worst.filter(|mark| *mark < Mark::Running) } else { worst.filter(|mark| *mark == Mark::Error) };
        let node = &mut self.out[at];
        (node.calls, node.drafts, node.changes) = (calls, drafts, changes);
        node.worst = worst;
        node.mark = if file.is_some() || folded { shown } else { None };
        if folded {
            self.out.truncate(at + 1);
        }
    }
}

fn blank(depth: usize) -> Node {
    Node {
        key: NodeKey::Path(String::new()),
        depth,
        label: String::new(),
        folded: None,
        mark: None,
        worst: None,
        calls: 0,
        drafts: 0,
        changes: 0,
        path: None,
        line: 0,
        is_test: false,
    }
}

fn all_tests(folder: &Folder<'_>) -> bool {
    folder.files.iter().all(|file| file.is_test) && folder.folders.values().all(all_tests)
}

/// Columns of the counts at the right of the tree, as wide as the widest of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns {
    /// Of the calls.
    pub calls: usize,
    /// Of what waits.
    pub waits: usize,
}

impl Columns {
    /// Measures the lines of the tree.
    #[must_use]
    pub fn of(nodes: &[Node]) -> Self {
        nodes.iter().fold(Self::default(), |wide, node| Self {
            calls: wide.calls.max(calls(node).len()),
            waits: wide.waits.max(waits(node).len()),
        })
    }
}

/// Writes how many calls a function has, short.
#[must_use]
pub fn calls(node: &Node) -> String {
    match (&node.key, node.calls) {
        (NodeKey::Function(_), calls @ 1..=COUNTED) => calls.to_string(),
        (NodeKey::Function(_), calls @ ..10_000) if calls > COUNTED => format!("{calls}+"),
        (NodeKey::Function(_), calls @ 10_000..1_000_000) => format!("{}k+", calls / 1_000),
        (NodeKey::Function(_), calls @ 1_000_000..) => format!("{}M+", calls / 1_000_000),
        _ => String::new(),
    }
}

/// Writes what waits for a function, or below a line.
#[must_use]
pub fn waits(node: &Node) -> String {
    let waiting = node.drafts + node.changes;
    match &node.key {
        NodeKey::Function(_) if node.changes > 0 => format!("{}c", node.changes),
        NodeKey::Function(_) if node.drafts > 0 => format!("{}d", node.drafts),
        NodeKey::Path(_) if waiting > 0 => waiting.to_string(),
        _ => String::new(),
    }
}
