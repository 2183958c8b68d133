//! A change of files taken apart: its hunks, and the text of a file with only some of them. Decides nothing about what
//! they do; runs nothing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use similar::{Algorithm, DiffOp};

use crate::base::paths::RelPath;
use crate::domain::function::FunctionId;
use crate::domain::proposal::Edit;
use crate::domain::subject::Subject;

use super::between::{Statement, statements};
use super::index::Index;

/// A file before and after; `None` where there is none.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The file.
    pub path: RelPath,
    /// Its text before.
    pub old: Option<Arc<str>>,
    /// Its text after.
    pub new: Option<Arc<str>>,
}

/// A piece of a change that can be made or left alone by itself.
#[derive(Debug, Clone)]
pub struct Hunk {
    /// What it edits, for people.
    pub edit: Edit,
    /// It changes what the code does, and not its layout, comments or docstrings alone.
    pub means: bool,
    /// Parts of the file, by their number.
    parts: BTreeSet<usize>,
}

/// A change in pieces.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    files: Vec<File>,
    hunks: Vec<Hunk>,
}

/// A changed file.
#[derive(Debug, Clone)]
struct File {
    change: FileChange,
    parts: Vec<Part>,
}

/// Lines before and after, which are the same or stand for each other.
#[derive(Debug, Clone)]
struct Part {
    old: Range<usize>,
    new: Range<usize>,
    same: bool,
}

impl Pieces {
    /// Takes changed files apart. What lies in one function is one hunk; between functions each statement is one.
    #[must_use]
    pub fn new(old: &Index, new: &Index, files: Vec<FileChange>) -> Self {
        let mut pieces = Self::default();
        for change in files {
            let (parts, hunks) = take_apart(old, new, &change);
            pieces.files.push(File { change, parts });
            pieces.hunks.extend(hunks);
        }
        pieces
    }

    /// Gives the hunks, in the order of the files.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Gives each changed file with only these hunks made; `None` for a file that is not there then.
    #[must_use]
    pub fn with(&self, chosen: &BTreeSet<usize>) -> Vec<(RelPath, Option<String>)> {
        let text = |file: &File| {
            let of_file = self.hunks.iter().enumerate().filter(|(_, hunk)| hunk.edit.path == file.change.path);
            let (made, left): (Vec<_>, Vec<_>) = of_file.partition(|(number, _)| chosen.contains(number));
            match (&file.change.old, &file.change.new) {
                // A whole file comes or goes with its one hunk.
                (None, new) if !made.is_empty() => new.as_deref().map(str::to_owned),
                (None, _) => None,
                (_, None) if left.is_empty() => None,
                (Some(old), new) => {
                    let made: BTreeSet<usize> = made.iter().flat_map(|(_, hunk)| hunk.parts.iter().copied()).collect();
                    Some(partly(&lines(old), &lines(new.as_deref().unwrap_or_default()), &file.parts, &made))
                }
            }
        };
        self.files.iter().map(|file| (file.change.path.clone(), text(file))).collect()
    }
}

/// Makes some parts of a change.
fn partly(old: &[&str], new: &[&str], parts: &[Part], made: &BTreeSet<usize>) -> String {
    let text = |(number, part): (usize, &Part)| match part.same || made.contains(&number) {
        true => new[part.new.clone()].concat(),
        false => old[part.old.clone()].concat(),
    };
    parts.iter().enumerate().map(text).collect()
}

/// Parts a text into its lines, each with its end, as Python and the syntax tree count them.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A hunk while its parts are put together.
struct Growing {
    hunk: Hunk,
    /// Statements that it touches, by their number, before and after.
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
}

fn take_apart(old_index: &Index, new_index: &Index, file: &FileChange) -> (Vec<Part>, Vec<Hunk>) {
    let (old_text, new_text) = (file.old.as_deref().unwrap_or_default(), file.new.as_deref().unwrap_or_default());
    let (old_lines, new_lines) = (lines(old_text), lines(new_text));
    let (old_statements, new_statements) = (statements(old_text), statements(new_text));
    let parts = parts(&old_lines, &new_lines, &old_statements, &new_statements);
    let whole = file.old.is_none() || file.new.is_none();
    let mut hunks: Vec<Growing> = Vec::new();
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.same) {
        let (before, after) = (&old_lines[part.old.clone()], &new_lines[part.new.clone()]);
        if !whole && before.iter().chain(after).all(|line| line.trim().is_empty()) {
            // A blank line is nobody's edit; it goes with the hunk before it.
            if let Some(last) = hunks.last_mut() {
                last.hunk.parts.insert(number);
                continue;
            }
        }
        let function = owner(new_index, file, &part.new)
            .filter(|_| file.new.is_some())
            .or_else(|| owner(old_index, file, &part.old))
            .filter(|_| !whole)
            .map(Subject::Function);
        let (old, new) = match function {
            Some(_) => (BTreeSet::new(), BTreeSet::new()),
            None => (touched(&old_statements, &part.old), touched(&new_statements, &part.new)),
        };
        let subject = function.unwrap_or_else(|| module(old_index, new_index, &file.path));
        let mut text: Vec<String> = before.iter().map(|line| format!("-{}", line.trim_end_matches(['\n', '\r']))).collect();
        text.extend(after.iter().map(|line| format!("+{}", line.trim_end_matches(['\n', '\r']))));
        let goes_on = |one: &Growing| {
            let is_function = matches!(subject, Subject::Function(_)) && one.hunk.edit.subject == subject;
            whole || is_function || !one.old.is_disjoint(&old) || !one.new.is_disjoint(&new)
        };
        if let Some(same) = hunks.iter_mut().find(|one| goes_on(one)) {
            same.hunk.parts.insert(number);
            same.hunk.edit.hunk.extend(text);
            same.old.extend(old);
            same.new.extend(new);
            continue;
        }
        let line = u32::try_from(part.new.start + 1).unwrap_or(u32::MAX);
        let edit = Edit { subject, path: file.path.clone(), hunk: text, line };
        hunks.push(Growing { hunk: Hunk { edit, means: true, parts: BTreeSet::from([number]) }, old, new });
    }
    let is_read = |index: &Index| index.module(&file.path).is_some_and(|module| module.error.is_none());
    let is_read = is_read(old_index) && is_read(new_index);
    let means = |one: &Growing| {
        if let Subject::Function(function) = &one.hunk.edit.subject {
            let code = |index: &Index| index.function(function).map(|function| function.fingerprint.code());
            return code(old_index) != code(new_index);
        }
        let code = |all: &[Statement], own: &BTreeSet<usize>| own.iter().map(|number| all[*number].digest).collect::<Vec<_>>();
        whole || !is_read || code(&old_statements, &one.old) != code(&new_statements, &one.new)
    };
    let hunks = hunks.into_iter().map(|one| Hunk { means: means(&one), ..one.hunk }).collect();
    (parts, hunks)
}

/// Compares two texts by lines. Statements beside each other that were all edited are parts of their own.
fn parts(old: &[&str], new: &[&str], old_statements: &[Statement], new_statements: &[Statement]) -> Vec<Part> {
    let mut parts = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, old, new) {
        let (old_range, new_range) = (op.old_range(), op.new_range());
        let same = matches!(op, DiffOp::Equal { .. });
        let (before, after) = (ends(old_statements, &old_range), ends(new_statements, &new_range));
        let cuts = match (before, after) {
            (Some(before), Some(after)) if !same && before.len() == after.len() => before.into_iter().zip(after).collect(),
            _ => Vec::new(),
        };
        let (mut old_start, mut new_start) = (old_range.start, new_range.start);
        // The last part goes to the end, with what stands behind its statement.
        for (old_end, new_end) in cuts.into_iter().rev().skip(1).rev() {
            parts.push(Part { old: old_start..old_end, new: new_start..new_end, same });
            (old_start, new_start) = (old_end, new_end);
        }
        parts.push(Part { old: old_start..old_range.end, new: new_start..new_range.end, same });
    }
    parts
}

/// Gives the ends of the statements in these lines; `None` when one is only partly there, or shares a line.
fn ends(statements: &[Statement], lines: &Range<usize>) -> Option<Vec<usize>> {
    let mut end = lines.start;
    let mut ends = Vec::new();
    for statement in touched(statements, lines).into_iter().map(|number| &statements[number].lines) {
        if statement.start < end || statement.end > lines.end {
            return None;
        }
        end = statement.end;
        ends.push(end);
    }
    Some(ends)
}

/// Lists the statements that have one of these lines.
fn touched(statements: &[Statement], lines: &Range<usize>) -> BTreeSet<usize> {
    let of = |statement: &Statement| statement.lines.start < lines.end && lines.start < statement.lines.end;
    statements.iter().enumerate().filter(|(_, statement)| of(statement)).map(|(number, _)| number).collect()
}

/// Finds the function that holds these lines; of nested ones the outermost, which is made and left as a whole.
fn owner(index: &Index, file: &FileChange, lines: &Range<usize>) -> Option<FunctionId> {
    let first = u32::try_from(lines.start + 1).ok()?;
    let last = u32::try_from(lines.end.max(lines.start + 1)).ok()?;
    let module = index.module(&file.path)?;
    let holds = module.functions.iter().filter(|function| function.span.first <= first && last <= function.span.last);
    holds.min_by_key(|function| function.span.first).map(|function| function.id.clone())
}

fn module(old: &Index, new: &Index, path: &RelPath) -> Subject {
    let module = new.module(path).or_else(|| old.module(path));
    Subject::ImportCode(module.map_or(path.as_str(), |module| module.name.as_str()).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "RATE = 1\n\ndef a():\n    x = 1\n    y = 2\n    return x + y\n\ndef b():\n    return 1\n";
    const NEW: &str = "RATE = 2\n\ndef a():\n    x = 10\n    y = 2\n    return x - y\n\ndef b():\n    return 2\n";

    fn pieces(files: &[(&str, Option<&str>, Option<&str>)]) -> Pieces {
        let (before, after) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut changes = Vec::new();
        for (path, old, new) in files {
            for (folder, text) in [(&before, old), (&after, new)] {
                if let Some(text) = text {
                    std::fs::write(folder.path().join(path), text).unwrap();
                }
            }
            let path = RelPath::new(path).unwrap();
            changes.push(FileChange { path, old: old.map(Into::into), new: new.map(Into::into) });
        }
        let index = |folder: &tempfile::TempDir| Index::build(folder.path(), &[], &|_, _| {});
        Pieces::new(&index(&before), &index(&after), changes)
    }

    fn named(pieces: &Pieces) -> Vec<String> {
        pieces.hunks().iter().map(|hunk| hunk.edit.subject.to_string()).collect()
    }

    #[test]
    fn a_function_is_one_hunk_and_what_lies_between_another() {
        let pieces = pieces(&[("m.py", Some(OLD), Some(NEW))]);
        assert_eq!(named(&pieces), ["m:", "m:a", "m:b"]);
        let edit = &pieces.hunks()[1].edit;
        assert_eq!(edit.hunk, ["-    x = 1", "+    x = 10", "-    return x + y", "+    return x - y"]);
        assert_eq!(edit.line, 4);
    }

    #[test]
    fn layout_comments_and_docstrings_mean_nothing() {
        let old = "# a\nRATE = 1\n\nclass C:\n    X = 1\n\n    def m(self):\n        return [1, 2]\n\ndef f():\n    return 1\n";
        let layout = old.replace("# a\n", "# b\n\n\n").replace("[1, 2]", "[\n            1, 2\n        ]");
        let layout = layout.replace("def f():\n", "def f():\n    'Says one.'\n    # one\n");
        let means = |new: &str| -> Vec<(String, bool)> {
            let pieces = pieces(&[("m.py", Some(old), Some(new))]);
            pieces.hunks().iter().map(|hunk| (hunk.edit.subject.to_string(), hunk.means)).collect()
        };
        let named = |list: &[(&str, bool)]| list.iter().map(|(name, means)| ((*name).to_owned(), *means)).collect::<Vec<_>>();
        assert_eq!(means(&layout), named(&[("m:", false), ("m:C.m", false), ("m:f", false)]));
        let edited = layout.replace("X = 1", "X = 2").replace("return 1", "return 3");
        let both = [("m:", false), ("m:", true), ("m:C.m", false), ("m:f", true)];
        assert_eq!(means(&edited), named(&both));
    }

    #[test]
    fn statements_between_functions_are_hunks_of_their_own() {
        let old =
            "import re\nA = 1\nB = re.compile(\n    'x'\n)\nC = 3\n\nclass D:\n    X = 1\n    Y = 2\n\ndef f():\n    return B\n";
        let new = old.replace("import re\n", "import re\nimport os\n").replace("A = 1", "A = 2");
        let new = new.replace("'x'\n)\nC = 3", "'y',\n    0\n)\nC = 3").replace("X = 1\n    Y = 2", "X = 10\n    Y = 20");
        let pieces = pieces(&[("m.py", Some(old), Some(&new))]);
        let hunks: Vec<String> = pieces.hunks().iter().map(|hunk| hunk.edit.hunk.join("|")).collect();
        assert_eq!(
            hunks,
            ["-A = 1|+import os|+A = 2", "-    'x'|+    'y',|+    0", "-    X = 1|+    X = 10", "-    Y = 2|+    Y = 20"]
        );
        assert_eq!(pieces.hunks().iter().map(|hunk| hunk.edit.line).collect::<Vec<_>>(), [2, 5, 11, 12]);
        let only = |number: usize| pieces.with(&BTreeSet::from([number])).remove(0).1.unwrap();
        assert_eq!(only(1), old.replace("'x'", "'y',\n    0"));
        assert_eq!(only(3), old.replace("Y = 2", "Y = 20"));
    }

    #[test]
    fn any_choice_of_hunks_makes_a_text() {
        let pieces = pieces(&[("m.py", Some(OLD), Some(NEW))]);
        let with = |chosen: &[usize]| pieces.with(&chosen.iter().copied().collect()).remove(0).1.unwrap();
        assert_eq!(with(&[]), OLD);
        assert_eq!(with(&[0, 1, 2]), NEW);
        assert_eq!(with(&[2]), OLD.replace("return 1", "return 2"));
        assert_eq!(with(&[0, 2]), NEW.replace("x = 10", "x = 1").replace("x - y", "x + y"));
    }

    #[test]
    fn a_new_file_and_one_that_is_gone_come_and_go_whole() {
        let pieces = pieces(&[("new.py", None, Some("def n(): pass\n")), ("gone.py", Some("def g(): pass\n"), None)]);
        assert_eq!(named(&pieces), ["new:", "gone:"]);
        let with = |chosen: &[usize]| -> Vec<Option<String>> {
            pieces.with(&chosen.iter().copied().collect()).into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(with(&[]), [None, Some("def g(): pass\n".to_owned())]);
        assert_eq!(with(&[0, 1]), [Some("def n(): pass\n".to_owned()), None]);
    }

    #[test]
    fn a_function_that_came_or_went_is_a_hunk_of_its_own() {
        let new = OLD.replace("def b():\n    return 1\n", "def c():\n    return 3\n");
        let pieces = pieces(&[("m.py", Some(OLD), Some(&new))]);
        assert_eq!(named(&pieces), ["m:c"]);
        let more = format!("{OLD}\ndef d():\n    return 4\n");
        assert_eq!(named(&super::tests::pieces(&[("m.py", Some(OLD), Some(&more))])).len(), 1);
    }
}
