//! Texts and their differences as lines to read: numbered, coloured, unchanged stretches folded, changed words marked.

use std::sync::Arc;

use similar::{ChangeTag, DiffOp, TextDiff};

use crate::base::paths::RelPath;
use crate::base::text::count;
use crate::domain::decision::FileEdit;
use crate::tui::doc_row::{About, DocRow};
use crate::tui::highlight::{self, CodeLine};
use crate::tui::row::{Bit, Row, overlay};
use crate::tui::theme::Role;
use crate::tui::widgets::code::diff_row;

/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;
/// A gap shorter than this is shown, not folded.
const FOLD_FROM: usize = 3;

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// Gives the lines of a file in the colours of its language; YAML has none.
fn code_lines(path: &RelPath, text: &str) -> Arc<Vec<CodeLine>> {
    let is_yaml = [".yaml", ".yml"].iter().any(|end| path.as_str().ends_with(end));
    if is_yaml { Arc::new(text.lines().map(CodeLine::plain).collect()) } else { highlight::python_lines(text) }
}

/// Makes the numbered lines of a text.
#[must_use]
pub fn plain_rows(path: &RelPath, text: &str) -> Vec<DocRow> {
    code_lines(path, text)
        .iter()
        .enumerate()
        .map(|(at, line)| DocRow {
            row: diff_row(Some(at + 1), ' ', with_matchers(line.bits())),
            about: About::Target(path.clone(), number(at + 1)),
            ..DocRow::default()
        })
        .collect()
}

/// Makes the lines of all files that are written: the test first, what it needs beside it after.
#[must_use]
pub fn plan_rows(target: &RelPath, plan: &[FileEdit]) -> Vec<DocRow> {
    let mut out = Vec::new();
    let mut ordered: Vec<&FileEdit> = plan.iter().collect();
    ordered.sort_by_key(|edit| edit.path != *target);
    for edit in ordered {
        if plan.len() > 1 {
            let row = Row::new().add(Role::Accent, format!(" {}", edit.path));
            if edit.path != *target && folds(edit) {
                let (added, removed) = size_of(edit);
                let row = row.add(Role::Dim, format!("  +{added} -{removed}  Enter shows it"));
                out.push(DocRow { row, about: About::Folded(edit.path.clone()), stop: true, changed: false });
                continue;
            }
            out.push(DocRow::of(row));
        }
        out.extend(diff_rows(&edit.path, edit.before.as_deref(), edit.after.as_deref(), true));
    }
    out
}

/// Tells whether a file beside the test is one line until it is opened: the manifest, `conftest.py`, data.
fn folds(edit: &FileEdit) -> bool {
    let name = edit.path.file_name();
    let is_read = [".py", ".yaml", ".yml"].iter().any(|end| name.ends_with(end));
    edit.is_bookkeeping() || name == "conftest.py" || !is_read
}

/// A file that accepting writes, with its diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// The file.
    pub path: RelPath,
    /// Lines added and removed.
    pub size: (usize, usize),
    /// The diff.
    pub rows: Vec<Row>,
}

impl PlannedFile {
    /// Makes the diff of an edit.
    #[must_use]
    pub fn new(edit: &FileEdit) -> Self {
        let rows = diff_rows(&edit.path, edit.before.as_deref(), edit.after.as_deref(), true);
        Self { path: edit.path.clone(), size: size_of(edit), rows: rows.into_iter().map(|row| row.row).collect() }
    }
}

/// Counts the lines an edit adds and removes.
#[must_use]
pub fn size_of(edit: &FileEdit) -> (usize, usize) {
    let diff = TextDiff::from_lines(edit.before.as_deref().unwrap_or(""), edit.after.as_deref().unwrap_or(""));
    diff.ops().iter().fold((0, 0), |(added, removed), op| match *op {
        DiffOp::Equal { .. } => (added, removed),
        DiffOp::Delete { old_len, .. } => (added, removed + old_len),
        DiffOp::Insert { new_len, .. } => (added + new_len, removed),
        DiffOp::Replace { old_len, new_len, .. } => (added + new_len, removed + old_len),
    })
}

/// Makes the lines of a diff, unchanged stretches folded, changed words marked.
#[must_use]
pub fn diff_rows(path: &RelPath, before: Option<&str>, after: Option<&str>, fold: bool) -> Vec<DocRow> {
    let (before, after) = (before.unwrap_or(""), after.unwrap_or(""));
    let diff = TextDiff::from_lines(before, after);
    let (old_code, new_code) = (code_lines(path, before), code_lines(path, after));
    let code = |lines: &[CodeLine], at: usize| lines.get(at).map(|line| with_matchers(line.bits())).unwrap_or_default();
    let context = |at: usize| DocRow {
        row: diff_row(Some(at + 1), ' ', code(&new_code, at)),
        about: About::Target(path.clone(), number(at + 1)),
        ..DocRow::default()
    };
    let mut out: Vec<DocRow> = Vec::new();
    let last = diff.ops().len().saturating_sub(1);
    for (position, op) in diff.ops().iter().enumerate() {
        if let DiffOp::Equal { new_index, len, .. } = *op {
            let head = if position == 0 { 0 } else { CONTEXT.min(len) };
            let tail = if position == last { 0 } else { CONTEXT.min(len - head) };
            let gap = len - head - tail;
            if !fold || gap < FOLD_FROM {
                out.extend((new_index..new_index + len).map(context));
                continue;
            }
            out.extend((new_index..new_index + head).map(context));
            let note = format!("{} as they are", count(gap, "line"));
            out.push(DocRow::of(Row::new().add(Role::Waiting, "   ⋯   ").add(Role::Dim, note)));
            out.extend((new_index + len - tail..new_index + len).map(context));
            continue;
        }
        let mut first = true;
        for change in diff.iter_inline_changes(op) {
            let (sign, line, lines) = match change.tag() {
                ChangeTag::Delete => ('-', change.old_index(), &old_code),
                ChangeTag::Insert => ('+', change.new_index(), &new_code),
                ChangeTag::Equal => (' ', change.new_index(), &new_code),
            };
            let mut ranges = Vec::new();
            let mut at = 0;
            for (emphasised, part) in change.iter_strings_lossy() {
                if emphasised {
                    ranges.push((at, at + part.trim_end_matches('\n').len()));
                }
                at += part.len();
            }
            let bits = line.map(|line| code(lines, line)).unwrap_or_default();
            out.push(DocRow {
                row: diff_row(line.map(|line| line + 1), sign, overlay(bits, &ranges, Role::ChangedWord)),
                about: change.new_index().map_or(About::Nothing, |line| About::Target(path.clone(), number(line + 1))),
                stop: std::mem::take(&mut first),
                changed: sign != ' ',
            });
        }
    }
    out
}

/// Marks what compares loosely in a test, so that nobody takes it for a literal.
fn with_matchers(mut bits: Vec<Bit>) -> Vec<Bit> {
    const MATCHERS: [&str; 3] = ["ANY", "approx", "match="];
    let Some(at) = bits
        .iter()
        .position(|bit| !matches!(bit.role, Role::String | Role::Comment) && MATCHERS.iter().any(|m| bit.text.contains(m)))
    else {
        return bits;
    };
    let bit = bits.remove(at);
    let Some((start, word)) = MATCHERS.iter().find_map(|m| bit.text.find(m).map(|start| (start, *m))) else {
        return bits;
    };
    let end = start + word.len();
    let part = |text: &str, over| Bit { text: text.to_owned(), role: bit.role, over };
    let parts = [part(&bit.text[..start], None), part(word, Some(Role::Matcher)), part(&bit.text[end..], None)];
    bits.splice(at..at, parts.into_iter().filter(|bit| !bit.text.is_empty()));
    bits
}
