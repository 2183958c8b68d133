//! What differs between two readings of the project: which functions, classes, import-time code, and the lines.

use std::collections::BTreeSet;

use similar::{ChangeTag, TextDiff};

use crate::base::paths::RelPath;
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::Edit;
use crate::domain::subject::Subject;

use super::entry::Entry;

/// What became of a function; where several hold, the first of this list that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its parameters, annotations, defaults, decorators or `async` differ.
    Signature,
    /// Its body differs.
    Body,
    /// Only its docstring differs.
    Doc,
}

/// A function that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionChange {
    /// The function.
    pub id: FunctionId,
    /// Its file.
    pub path: RelPath,
    /// What became of it.
    pub what: What,
    /// Its lines before, decorators included; empty for a new one.
    pub old_lines: Vec<String>,
    /// Its lines now; empty for one that is gone.
    pub new_lines: Vec<String>,
    /// The number of the first of `new_lines`; for a function that is gone, where it stood.
    pub new_first_line: u32,
}

impl FunctionChange {
    /// Gives the lines that differ.
    #[must_use]
    pub fn edit(&self) -> Edit {
        edit(Subject::Function(self.id.clone()), self.path.clone(), &self.old_lines, &self.new_lines, self.new_first_line)
    }
}

/// Gives the lines that differ of something, whose lines now begin at this number.
#[must_use]
pub fn edit(subject: Subject, path: RelPath, old_lines: &[String], new_lines: &[String], new_first_line: u32) -> Edit {
    let number = |index: usize| new_first_line + u32::try_from(index).unwrap_or(u32::MAX);
    hunk(subject, path, old_lines, new_lines, number)
}

/// Lists the lines of a new text, from 0, that differ from an old one; of lines that are gone, the one that stands there now.
#[must_use]
pub fn changed_lines(old: &[&str], new: &[&str]) -> Vec<usize> {
    let mut changed: Vec<usize> = Vec::new();
    for op in TextDiff::from_slices(old, new).ops() {
        let range = op.new_range();
        match op.tag() {
            similar::DiffTag::Equal => {}
            similar::DiffTag::Delete => changed.push(range.start.min(new.len().saturating_sub(1))),
            similar::DiffTag::Insert | similar::DiffTag::Replace => changed.extend(range),
        }
    }
    changed.retain(|at| new.get(*at).is_some_and(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')));
    changed.dedup();
    changed
}

/// Lists the lines, from 0, that two texts have in common: where each stands in the old one and in the new one.
#[must_use]
pub fn same_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let diff = TextDiff::from_slices(old, new);
    let equal = diff.ops().iter().filter(|op| op.tag() == similar::DiffTag::Equal);
    equal.flat_map(|op| op.old_range().zip(op.new_range())).collect()
}

/// A class whose bases, decorators or class-level statements differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassChange {
    /// The qualified name inside its module.
    pub qualname: String,
    /// Its file.
    pub path: RelPath,
}

/// What an update of the index found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexChange {
    /// Files that were read anew or vanished.
    pub files: Vec<RelPath>,
    /// Functions that differ.
    pub functions: Vec<FunctionChange>,
    /// Files whose import-time code differs.
    pub init: Vec<RelPath>,
    /// Classes that differ, came or went.
    pub classes: Vec<ClassChange>,
    /// Files whose docstrings differ.
    pub docs: Vec<RelPath>,
    /// For each file with other import-time code or classes, the lines outside functions that differ.
    pub module_edits: Vec<Edit>,
}

impl IndexChange {
    /// Tells whether nothing changed that can change what code does.
    #[must_use]
    pub fn is_harmless(&self) -> bool {
        self.init.is_empty() && self.classes.is_empty() && self.functions.iter().all(|change| change.what == What::Doc)
    }

    /// Leaves out what became of these files.
    pub fn leave_out(&mut self, files: &BTreeSet<RelPath>) {
        let stays = |path: &RelPath| !files.contains(path);
        self.files.retain(stays);
        self.functions.retain(|change| stays(&change.path));
        self.init.retain(stays);
        self.docs.retain(stays);
        self.classes.retain(|change| stays(&change.path));
        self.module_edits.retain(|edit| stays(&edit.path));
    }

    /// Gives the functions whose code differs, in the order of the files.
    pub fn code(&self) -> impl Iterator<Item = &FunctionId> {
        self.functions.iter().filter(|change| change.what != What::Doc).map(|change| &change.id)
    }

    /// Gives the files whose import-time code or classes differ, sorted.
    #[must_use]
    pub fn changed_modules(&self) -> Vec<RelPath> {
        let mut paths: Vec<RelPath> = self.init.iter().chain(self.classes.iter().map(|class| &class.path)).cloned().collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Gives the edits behind the change: those of functions, then those of import-time code.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        let functions = self.functions.iter().filter(|change| change.what != What::Doc).map(FunctionChange::edit);
        functions.chain(self.module_edits.iter().cloned()).collect()
    }
}

/// Adds what differs between two readings of a file.
pub(super) fn compare(old: Option<&Entry>, new: Option<&Entry>, path: &RelPath, change: &mut IndexChange) {
    change.files.push(path.clone());
    let functions = |entry: Option<&Entry>| entry.map(|entry| entry.module.functions.clone()).unwrap_or_default();
    let (before, after) = (functions(old), functions(new));
    for function in &after {
        let twin = before.iter().find(|other| other.id == function.id);
        if let Some(what) = twin.map_or(Some(What::Added), |twin| difference(twin, function)) {
            change.functions.push(FunctionChange {
                id: function.id.clone(),
                path: path.clone(),
                what,
                old_lines: twin.map_or_else(Vec::new, |twin| lines(old, twin)),
                new_lines: lines(new, function),
                new_first_line: function.span.first,
            });
        }
    }
    for function in before.iter().filter(|function| !after.iter().any(|other| other.id == function.id)) {
        change.functions.push(FunctionChange {
            id: function.id.clone(),
            path: path.clone(),
            what: What::Removed,
            old_lines: lines(old, function),
            new_lines: Vec::new(),
            new_first_line: function.span.first,
        });
    }
    if old.map(|entry| entry.module.init) != new.map(|entry| entry.module.init) {
        change.init.push(path.clone());
    }
    let docs = |entry: Option<&Entry>| {
        let module = &entry?.module;
        let classes: Vec<_> = module.classes.iter().map(|class| class.docstring.clone()).collect();
        Some((module.docstring, module.functions.iter().map(|function| function.fingerprint.doc).collect::<Vec<_>>(), classes))
    };
    if docs(old) != docs(new) {
        change.docs.push(path.clone());
    }
    let classes = |entry: Option<&Entry>| {
        let list = entry.map(|entry| entry.module.classes.clone()).unwrap_or_default();
        list.into_iter().map(|class| (class.qualname, class.fingerprint)).collect::<Vec<_>>()
    };
    let (before, after) = (classes(old), classes(new));
    let differing =
        after.iter().filter(|class| !before.contains(class)).chain(before.iter().filter(|class| !after.contains(class)));
    let mut names: Vec<String> = differing.map(|(qualname, _)| qualname.clone()).collect();
    names.sort();
    names.dedup();
    let touched = change.init.last() == Some(path) || !names.is_empty();
    change.classes.extend(names.into_iter().map(|qualname| ClassChange { qualname, path: path.clone() }));
    if let (true, Some(name)) = (touched, new.or(old).map(|entry| entry.module.name.clone())) {
        let (before, _) = outside(old);
        let (after, numbers) = outside(new);
        let number = |index: usize| numbers.get(index).or(numbers.last()).copied().unwrap_or(1);
        change.module_edits.push(hunk(Subject::ImportCode(name), path.clone(), &before, &after, number));
    }
}

fn difference(old: &Function, new: &Function) -> Option<What> {
    let (old, new) = (old.fingerprint, new.fingerprint);
    if old.signature != new.signature {
        return Some(What::Signature);
    }
    if old.body != new.body {
        return Some(What::Body);
    }
    (old.doc != new.doc).then_some(What::Doc)
}

fn lines(entry: Option<&Entry>, function: &Function) -> Vec<String> {
    let Some(entry) = entry else { return Vec::new() };
    let first = function.span.first.saturating_sub(1) as usize;
    let count = function.span.last.saturating_sub(function.span.first) as usize + 1;
    entry.text.split('\n').skip(first).take(count).map(str::to_owned).collect()
}

/// Gives the lines that belong to no function, with their numbers; blank ones are left out.
fn outside(entry: Option<&Entry>) -> (Vec<String>, Vec<u32>) {
    let Some(entry) = entry else { return (Vec::new(), Vec::new()) };
    let inside = |line: u32| entry.module.functions.iter().any(|f| (f.span.first..=f.span.last).contains(&line));
    (1..)
        .zip(entry.text.split('\n'))
        .filter(|(line, text)| !text.trim().is_empty() && !inside(*line))
        .map(|(line, text)| (text.to_owned(), line))
        .unzip()
}

/// Makes an edit of the lines that differ; `number` gives the line number of an index into `new`.
fn hunk(subject: Subject, path: RelPath, old: &[String], new: &[String], number: impl Fn(usize) -> u32) -> Edit {
    let before: Vec<&str> = old.iter().map(String::as_str).collect();
    let after: Vec<&str> = new.iter().map(String::as_str).collect();
    let diff = TextDiff::from_slices(&before, &after);
    let mut lines = Vec::new();
    let mut at = 0;
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => {
                at += 1;
                continue;
            }
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        lines.push((at, sign, change.value()));
        at += usize::from(sign == '+');
    }
    // A remark explains nothing, unless there are only remarks.
    let says = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
    let first = lines.iter().position(|(_, _, text)| says(text)).unwrap_or_default();
    let line = lines.get(first).map_or(0, |(at, ..)| *at);
    let hunk = lines[first..].iter().map(|(_, sign, text)| format!("{sign}{text}")).collect();
    Edit { subject, path, hunk, line: number(line) }
}
