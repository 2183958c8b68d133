//! A test file while it is changed, line by line: definitions put in and cut out, imports joined and dropped.
//!
//! Lines that are not asked for keep every byte; `plan.rs` says what is asked for.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::source::outline::{Outline, Statement, StatementKind, is_constant, outline};

use super::imports::{Line, block, group};
use super::plan::PlanError;

/// A definition of the draft with what stands above it.
pub(super) struct Block {
    pub name: String,
    pub is_test: bool,
    pub text: String,
    pub digest: crate::base::hash::Digest,
}

/// A file while it is changed: its lines with their ends.
pub(super) struct Page {
    mark: bool,
    end: &'static str,
    lines: Vec<String>,
}

impl Page {
    pub fn new(existing: &str, header: Option<&str>) -> Self {
        let mark = existing.starts_with('\u{feff}');
        let body = existing.trim_start_matches('\u{feff}');
        let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
        let mut page = Self { mark, end, lines: split_lines(body).into_iter().map(str::to_owned).collect() };
        if let (true, Some(header)) = (body.trim().is_empty(), header) {
            page.lines.clear();
            page.insert(0, &tidy(header));
        }
        page
    }

    pub fn text(&self) -> String {
        let mark = if self.mark { "\u{feff}" } else { "" };
        format!("{mark}{}", self.lines.concat())
    }

    pub fn outline(&self) -> Arc<Outline> {
        outline(&self.lines.concat())
    }

    /// Inserts text with `\n` line ends before a line.
    fn insert(&mut self, at: usize, text: &str) {
        if let Some(last) = at.checked_sub(1).and_then(|before| self.lines.get_mut(before))
            && !last.ends_with(['\n', '\r'])
        {
            last.push_str(self.end);
        }
        let end = self.end;
        let new = text.split_inclusive('\n').map(|line| format!("{}{end}", line.trim_end_matches('\n')));
        self.lines.splice(at..at, new);
    }

    fn is_blank(&self, line: usize) -> bool {
        self.lines.get(line).is_some_and(|line| line.trim().is_empty())
    }

    /// Puts one definition in: over its namesake, or where it belongs by its name.
    pub fn put(&mut self, block: &Block, ours: &BTreeSet<String>) -> Result<(), PlanError> {
        let outline = self.outline();
        if let Some(old) = outline.definition(&block.name) {
            if old.digest == block.digest && !block.is_test {
                return Ok(());
            }
            let is_ours = |name: &String| ours.contains(name) || (old.is_fixture && self.is_taken_by(&outline, name, ours));
            if !is_ours(&block.name) {
                return Err(PlanError::Clash { name: block.name.clone(), line: old.lines.start + 1 });
            }
            let range = outline.with_comments(old);
            self.lines.drain(range.clone());
            self.insert(range.start, &block.text);
            return Ok(());
        }
        let at = self.place_for(block, &outline);
        let mut before = 0;
        while before < 2 && at > before && self.is_blank(at - 1 - before) {
            before += 1;
        }
        let missing_before = if at == before { 0 } else { 2 - before };
        let mut after = at;
        while self.is_blank(after) {
            after += 1;
        }
        let missing_after = if after >= self.lines.len() { 0 } else { 2usize.saturating_sub(after - at) };
        let text = format!("{}{}{}", "\n".repeat(missing_before), block.text, "\n".repeat(missing_after));
        self.insert(at, &text);
        Ok(())
    }

    /// Tells whether tests take a fixture, and all of them are still as they were written: then so is the fixture.
    fn is_taken_by(&self, outline: &Outline, fixture: &str, ours: &BTreeSet<String>) -> bool {
        let takers =
            outline.statements.iter().filter(|other| other.names.contains(fixture)).filter_map(|other| match &other.kind {
                StatementKind::Definition(name) if name == fixture => None,
                StatementKind::Definition(name) => Some(ours.contains(name)),
                _ => Some(false),
            });
        let takers: Vec<bool> = takers.collect();
        !takers.is_empty() && takers.into_iter().all(|is_ours| is_ours)
    }

    /// Takes out fixtures that only these cut tests took.
    pub fn drop_fixtures(&mut self, used: &BTreeSet<String>) {
        for name in used {
            let outline = self.outline();
            let Some(fixture) = outline.definition(name).filter(|found| found.is_fixture) else { continue };
            let own = StatementKind::Definition(name.clone());
            if !outline.statements.iter().any(|other| other.kind != own && other.names.contains(name)) {
                self.cut(outline.with_comments(fixture));
            }
        }
    }

    /// Finds the line before which a new definition goes.
    fn place_for(&self, block: &Block, outline: &Outline) -> usize {
        let definitions: Vec<(&str, &Statement)> = outline
            .statements
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Definition(name) => Some((name.as_str(), statement)),
                _ => None,
            })
            .collect();
        let is_test = |name: &str| name.starts_with("test") || name.starts_with("Test");
        if !block.is_test {
            // Helpers stand before the first test.
            if let Some((_, first)) = definitions.iter().find(|(name, _)| is_test(name)) {
                return outline.with_comments(first).start;
            }
        } else if let Some((_, before)) =
            definitions.iter().filter(|(name, _)| is_test(name) && *name < block.name.as_str()).max_by_key(|(name, _)| *name)
        {
            return after_comments(&self.lines, before.lines.end);
        } else if let Some((_, first)) = definitions.iter().find(|(name, _)| is_test(name)) {
            return outline.with_comments(first).start;
        }
        self.lines.len()
    }

    /// Takes lines out, and blank lines with them so that two neighbours stay two lines apart.
    pub fn cut(&mut self, range: Range<usize>) {
        let mut start = range.start;
        let end = after_comments(&self.lines, range.end);
        while start > 0 && self.is_blank(start - 1) {
            start -= 1;
        }
        let mut after = end;
        while self.is_blank(after) {
            after += 1;
        }
        if after >= self.lines.len() {
            self.lines.truncate(start);
        } else if start == 0 {
            self.lines.drain(..after);
        } else {
            self.lines.drain(start..end);
        }
    }

    pub fn import(&mut self, wanted: Vec<Line>, first_party: &[String]) -> Result<(), PlanError> {
        let outline = self.outline();
        let mut missing: Vec<Line> = Vec::new();
        for line in wanted {
            if let Some(line) = still_missing(line, &outline)? {
                missing.push(line);
            }
        }
        // From the back, so that lines found before keep their numbers.
        missing.sort_by_key(|line| std::cmp::Reverse(line.order(first_party)));
        if !outline.statements.iter().any(|statement| matches!(statement.kind, StatementKind::Import(_))) {
            if !missing.is_empty() {
                self.first_imports(&outline, &block(missing, first_party));
            }
            return Ok(());
        }
        for line in missing {
            self.one_import(line, first_party);
        }
        Ok(())
    }

    /// Leaves one blank line between the imports and a constant of ours that follows them, as import sorters do.
    pub fn close_up_constant(&mut self) {
        let outline = self.outline();
        let is_import = |statement: &Statement| matches!(statement.kind, StatementKind::Import(_));
        let Some(last) = outline.statements.iter().rposition(is_import) else { return };
        let Some(next) = outline.statements.get(last + 1) else { return };
        let between = outline.statements[last].lines.end..next.lines.start;
        let ours = self.lines.get(next.lines.start).is_some_and(|line| is_constant(line));
        if ours && between.len() > 1 && between.clone().all(|line| self.is_blank(line)) {
            self.lines.drain(between.start + 1..between.end);
        }
    }

    /// Puts the first imports of a file below its docstring or its leading comments.
    fn first_imports(&mut self, outline: &Outline, text: &str) {
        let docstring = outline.statements.first().filter(|first| first.kind == StatementKind::Docstring);
        let at = match docstring {
            Some(docstring) => docstring.lines.end,
            None => {
                // A comment that stands right above the first statement belongs to it.
                let top = outline.statements.first().map_or(self.lines.len(), |first| outline.with_comments(first).start);
                let leading = (0..top).rev().find(|line| !self.is_blank(*line)).map_or(0, |line| line + 1);
                leading.min(top)
            }
        };
        let before = if at == 0 { "" } else { "\n" };
        let mut next = at;
        while self.is_blank(next) {
            next += 1;
        }
        let after = if next >= self.lines.len() { 0 } else { 2usize.saturating_sub(next - at) };
        self.insert(at, &format!("{before}{text}{}", "\n".repeat(after)));
    }

    /// Joins an import to a statement of the same module, or puts it where it sorts.
    fn one_import(&mut self, line: Line, first_party: &[String]) {
        let outline = self.outline();
        let present: Vec<(Line, &Statement)> = outline
            .statements
            .iter()
            .filter_map(|statement| match &statement.kind {
                StatementKind::Import(imports) => Some((Line::of(imports)?, statement)),
                _ => None,
            })
            .collect();
        if let (Some(names), Some((twin, statement))) = (
            &line.names,
            present
                .iter()
                .find(|(twin, statement)| twin.module == line.module && twin.names.is_some() && !statement.has_comments),
        ) {
            let mut joined = twin.clone();
            joined.names.get_or_insert_default().extend(names.iter().cloned());
            self.lines.drain(statement.lines.clone());
            self.insert(statement.lines.start, &joined.text());
            return;
        }
        let order = line.order(first_party);
        let own = group(&line.module, first_party);
        let before = present
            .iter()
            .filter(|(other, _)| other.order(first_party) <= order)
            .max_by_key(|(other, _)| other.order(first_party));
        let next = present
            .iter()
            .filter(|(other, _)| other.order(first_party) > order)
            .min_by_key(|(other, _)| other.order(first_party))
            .filter(|(other, _)| group(&other.module, first_party) == own);
        let (at, text) = match before {
            // The first of its group, which stands apart already.
            Some((other, _)) if group(&other.module, first_party) != own && next.is_some() => {
                (next.map_or(0, |(_, statement)| outline.with_comments(statement).start), line.text())
            }
            Some((other, statement)) => {
                let apart = if group(&other.module, first_party) == own { "" } else { "\n" };
                (statement.lines.end, format!("{apart}{}", line.text()))
            }
            None => match present.first() {
                Some((other, statement)) => {
                    let apart = if group(&other.module, first_party) == own { "" } else { "\n" };
                    (outline.with_comments(statement).start, format!("{}{apart}", line.text()))
                }
                // Only imports of a kind that is not sorted: below them.
                None => {
                    let last = outline.statements.iter().rfind(|statement| matches!(statement.kind, StatementKind::Import(_)));
                    (last.map_or(0, |statement| statement.lines.end), line.text())
                }
            },
        };
        self.insert(at, &text);
        // A group that follows stands apart as well.
        let next = at + text.matches('\n').count();
        let follows = present.iter().find(|(_, statement)| statement.lines.start == at);
        if before.is_some() && follows.is_some_and(|(other, _)| group(&other.module, first_party) != own) {
            self.insert(next, "\n");
        }
    }

    /// Takes imported names out that occur nowhere else any more; only names in `candidates` are looked at.
    pub fn drop_imports(&mut self, candidates: &BTreeSet<String>) {
        let outline = self.outline();
        let used: BTreeSet<&String> = outline
            .statements
            .iter()
            .filter(|statement| !matches!(statement.kind, StatementKind::Import(_)))
            .flat_map(|statement| &statement.names)
            .collect();
        let whole = self.lines.concat();
        // A name in quotes may be an export or an annotation.
        let quoted = |name: &str| ['"', '\''].iter().any(|quote| whole.contains(&format!("{quote}{name}{quote}")));
        let unused = |name: &String| candidates.contains(name) && !used.contains(name) && !quoted(name);
        for statement in outline.statements.iter().rev() {
            let StatementKind::Import(imports) = &statement.kind else { continue };
            let Some(mut line) = Line::of(imports).filter(|line| line.module != "__future__") else { continue };
            if line.binds().iter().all(unused) {
                self.cut_import(statement.lines.clone());
            } else if let Some(names) = &mut line.names
                && !statement.has_comments
            {
                let before = names.len();
                names.retain(|name| !unused(name.alias.as_ref().unwrap_or(&name.name)));
                if names.len() < before {
                    self.lines.drain(statement.lines.clone());
                    self.insert(statement.lines.start, &line.text());
                }
            }
        }
    }

    /// Takes an import's lines out; a blank line that told its group from the next goes as well.
    fn cut_import(&mut self, range: Range<usize>) {
        let apart_before = range.start == 0 || self.is_blank(range.start - 1);
        self.lines.drain(range.clone());
        if apart_before && self.is_blank(range.start) {
            self.lines.remove(range.start);
        }
        while self.lines.last().is_some_and(|line| line.trim().is_empty()) {
            self.lines.pop();
        }
    }
}

/// Gives what of an import the file does not have yet.
fn still_missing(mut line: Line, outline: &Outline) -> Result<Option<Line>, PlanError> {
    let wanted = line.binds();
    for statement in &outline.statements {
        let here = statement.lines.start + 1;
        match &statement.kind {
            StatementKind::Import(imports) => {
                let present: Vec<Line> = imports.iter().filter_map(|import| Line::of(std::slice::from_ref(import))).collect();
                for other in present {
                    if other.names.is_none() && line.names.is_none() {
                        if other == line {
                            return Ok(None);
                        }
                        // `import a.b` beside `import a.c` is fine; another alias is not.
                        if (other.alias.is_some() || line.alias.is_some()) && other.binds() == wanted {
                            return Err(PlanError::NameTaken { name: wanted.concat(), line: here });
                        }
                        continue;
                    }
                    let same_module = other.module == line.module;
                    match (&mut line.names, &other.names) {
                        (Some(names), Some(present)) if same_module => names.retain(|name| !present.contains(name)),
                        _ => {}
                    }
                    let left = if line.names.as_ref().is_some_and(BTreeSet::is_empty) { Vec::new() } else { line.binds() };
                    if let Some(name) = left.iter().find(|name| other.binds().contains(name)) {
                        return Err(PlanError::NameTaken { name: name.clone(), line: here });
                    }
                }
            }
            StatementKind::Definition(name) if wanted.contains(name) => {
                return Err(PlanError::NameTaken { name: name.clone(), line: here });
            }
            _ => {}
        }
    }
    Ok(if line.names.as_ref().is_some_and(BTreeSet::is_empty) { None } else { Some(line) })
}

/// Splits text into lines with their ends, where Python ends them.
pub(super) fn split_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\r']) {
        let end = if rest[at..].starts_with("\r\n") { at + 2 } else { at + 1 };
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// Goes on over lines that still belong to a definition: indented comments behind its body.
pub(super) fn after_comments<L: AsRef<str>>(lines: &[L], mut at: usize) -> usize {
    let mut end = at;
    while let Some(line) = lines.get(at).map(AsRef::as_ref) {
        if line.trim_start().starts_with('#') && line.starts_with([' ', '\t']) {
            end = at + 1;
        } else if !line.trim().is_empty() {
            break;
        }
        at += 1;
    }
    end
}

/// Takes blank lines off both ends and ends the text in one newline; line ends become `\n`.
pub(super) fn tidy(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or_default();
    lines.drain(..first);
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines.join("\n") + "\n"
}
