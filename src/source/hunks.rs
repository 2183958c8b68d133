//! A change of files taken apart: its hunks, and the text of a file with only some of them. Decides nothing about what
//! they do; runs nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use similar::{DiffOp, TextDiff};

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::function::{FunctionId, Module};
use crate::domain::proposal::Edit;

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
    /// Operations of the file's diff, by their number.
    ops: BTreeSet<usize>,
}

/// A change in pieces.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    files: Vec<FileChange>,
    hunks: Vec<Hunk>,
}

impl Pieces {
    /// Takes changed files apart. What lies in one function is one hunk, what lies between functions another.
    #[must_use]
    pub fn new(old: &Index, new: &Index, files: Vec<FileChange>) -> Self {
        let mut hunks = Vec::new();
        for file in &files {
            hunks.extend(hunks_of(old, new, file));
        }
        Self { files, hunks }
    }

    /// Gives the hunks, in the order of the files.
    #[must_use]
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Gives each changed file with only these hunks made; `None` for a file that is not there then.
    #[must_use]
    pub fn with(&self, chosen: &BTreeSet<usize>) -> Vec<(RelPath, Option<String>)> {
        let text = |file: &FileChange| {
            let of_file = self.hunks.iter().enumerate().filter(|(_, hunk)| hunk.edit.path == file.path);
            let (made, left): (Vec<_>, Vec<_>) = of_file.partition(|(number, _)| chosen.contains(number));
            match (&file.old, &file.new) {
                // A whole file comes or goes with its one hunk.
                (None, new) if !made.is_empty() => new.as_deref().map(str::to_owned),
                (None, _) => None,
                (_, None) if left.is_empty() => None,
                (Some(old), new) => {
                    let ops: BTreeSet<usize> = made.iter().flat_map(|(_, hunk)| hunk.ops.iter().copied()).collect();
                    Some(partly(old, new.as_deref().unwrap_or_default(), &ops))
                }
            }
        };
        self.files.iter().map(|file| (file.path.clone(), text(file))).collect()
    }
}

/// Makes some operations of the diff between two texts.
fn partly(old: &str, new: &str, chosen: &BTreeSet<usize>) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut out = String::new();
    for (number, op) in diff.ops().iter().enumerate() {
        let take_new = chosen.contains(&number) || matches!(op, DiffOp::Equal { .. });
        if take_new {
            out.extend(op.new_range().filter_map(|line| diff.new_slice(line)));
        } else {
            out.extend(op.old_range().filter_map(|line| diff.old_slice(line)));
        }
    }
    out
}

fn hunks_of(old_index: &Index, new_index: &Index, file: &FileChange) -> Vec<Hunk> {
    let (old, new) = (file.old.as_deref().unwrap_or_default(), file.new.as_deref().unwrap_or_default());
    let diff = TextDiff::from_lines(old, new);
    let whole = file.old.is_none() || file.new.is_none();
    let mut hunks: Vec<Hunk> = Vec::new();
    for (number, op) in diff.ops().iter().enumerate() {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let before: Vec<&str> = op.old_range().filter_map(|line| diff.old_slice(line)).collect();
        let after: Vec<&str> = op.new_range().filter_map(|line| diff.new_slice(line)).collect();
        if !whole && before.iter().chain(&after).all(|line| line.trim().is_empty()) {
            // A blank line is nobody's edit; it goes with the hunk before it.
            if let Some(last) = hunks.last_mut() {
                last.ops.insert(number);
                continue;
            }
        }
        let function = owner(new_index, file, op.new_range().start, op.new_range().len())
            .filter(|_| file.new.is_some())
            .or_else(|| owner(old_index, file, op.old_range().start, op.old_range().len()));
        let function = match function {
            Some(function) if !whole => function,
            _ => module(old_index, new_index, &file.path),
        };
        let mut lines: Vec<String> = before.iter().map(|line| format!("-{}", line.trim_end_matches(['\n', '\r']))).collect();
        lines.extend(after.iter().map(|line| format!("+{}", line.trim_end_matches(['\n', '\r']))));
        if let Some(same) = hunks.iter_mut().find(|hunk| whole || hunk.edit.function == function) {
            same.ops.insert(number);
            same.edit.hunk.extend(lines);
            continue;
        }
        let line = u32::try_from(op.new_range().start + 1).unwrap_or(u32::MAX);
        let means = whole || means(old_index, new_index, &file.path, &function);
        let edit = Edit { function, path: file.path.clone(), hunk: lines, line };
        hunks.push(Hunk { edit, means, ops: BTreeSet::from([number]) });
    }
    hunks
}

/// Finds the function that holds these lines; of nested ones the outermost, which is made and left as a whole.
fn owner(index: &Index, file: &FileChange, start: usize, count: usize) -> Option<FunctionId> {
    let first = u32::try_from(start + 1).ok()?;
    let last = u32::try_from(start + count.max(1)).ok()?;
    let module = index.module(&file.path)?;
    let holds = module.functions.iter().filter(|function| function.span.first <= first && last <= function.span.last);
    holds.min_by_key(|function| function.span.first).map(|function| function.id.clone())
}

/// Tells whether a function, or what lies between a file's functions, is another one in the two versions.
fn means(old: &Index, new: &Index, path: &RelPath, function: &FunctionId) -> bool {
    if !function.qualname().is_empty() {
        let code = |index: &Index| index.function(function).map(|function| function.fingerprint.code());
        return code(old) != code(new);
    }
    let (Some(old), Some(new)) = (old.module(path), new.module(path)) else { return true };
    let classes = |module: &Module| -> BTreeSet<(String, Digest)> {
        module.classes.iter().map(|class| (class.qualname.clone(), class.fingerprint)).collect()
    };
    let broken = old.error.is_some() || new.error.is_some();
    broken || old.init != new.init || classes(old) != classes(new)
}

fn module(old: &Index, new: &Index, path: &RelPath) -> FunctionId {
    let module = new.module(path).or_else(|| old.module(path));
    FunctionId::new(module.map_or(path.as_str(), |module| module.name.as_str()), "")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
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

    fn named(pieces: &Pieces) -> Vec<&str> {
        pieces.hunks().iter().map(|hunk| hunk.edit.function.0.as_str()).collect()
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
            pieces.hunks().iter().map(|hunk| (hunk.edit.function.0.clone(), hunk.means)).collect()
        };
        let named = |list: &[(&str, bool)]| list.iter().map(|(name, means)| ((*name).to_owned(), *means)).collect::<Vec<_>>();
        assert_eq!(means(&layout), named(&[("m:", false), ("m:C.m", false), ("m:f", false)]));
        let edited = layout.replace("X = 1", "X = 2").replace("return 1", "return 3");
        assert_eq!(means(&edited), named(&[("m:", true), ("m:C.m", false), ("m:f", true)]));
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
