//! Reading one file of settings, YAML or TOML, into a tree that knows its lines. Does not know which settings exist.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::error::Trouble;
use crate::base::paths::tilde;
use crate::base::text::display;
use crate::base::yaml::{self, Located, Place, Plain, SIZE_MAX};

/// Reads a file of settings; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Located>, Trouble> {
    let Some(text) = text(path)? else { return Ok(None) };
    if path.extension().is_some_and(|extension| extension == "toml") {
        return toml_tree(path, &text, &[]);
    }
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Some(Located { at: Place::line(1), value: Plain::Map(Vec::new()) }));
    }
    yaml::read(&text).map(Some).map_err(|error| broken(path, &error.to_string()))
}

/// Reads `[tool.pytead]` of a `pyproject.toml`; `None` when there is none.
pub(super) fn read_pyproject(path: &Path) -> Result<Option<Located>, Trouble> {
    match text(path)? {
        // Most have none, and none of the others is ours to judge.
        Some(text) if text.contains("pytead") => toml_tree(path, &text, &["tool", "pytead"]),
        _ => Ok(None),
    }
}

fn text(path: &Path) -> Result<Option<String>, Trouble> {
    let trouble = |why: String| Trouble::usage(format!("{} cannot be read.", tilde(path))).because(why);
    match fs::metadata(path) {
        // A file where a folder is expected holds no settings.
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(trouble(format!("{error}."))),
        // Opening a pipe would wait for somebody to write into it.
        Ok(meta) if !meta.is_file() => return Err(trouble("It is no file.".into())),
        Ok(_) => {}
    }
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(SIZE_MAX as u64 + 1).read_to_string(&mut text));
    match read {
        Err(error) => Err(trouble(format!("{error}."))),
        Ok(size) if size > SIZE_MAX => Err(trouble(format!("It has more than {SIZE_MAX} bytes."))),
        Ok(_) => Ok(Some(text)),
    }
}

fn broken(path: &Path, why: &str) -> Trouble {
    Trouble::usage(format!("{} cannot be understood.", tilde(path))).because(display(why.trim_end()))
}

fn toml_tree(path: &Path, text: &str, section: &[&str]) -> Result<Option<Located>, Trouble> {
    let table = DeTable::parse(text).map_err(|error| broken(path, &error.to_string()))?;
    let lines = Lines::new(text);
    let (mut here, mut at) = (table.get_ref(), Place::line(1));
    for (depth, name) in (1..).zip(section) {
        // Only what is ours is turned into places: the rest of the file is the project's, and may be large.
        let Some((_, inner)) = here.iter().find(|(key, _)| key.get_ref() == name) else { return Ok(None) };
        let DeValue::Table(table) = inner.get_ref() else {
            return Ok((depth == section.len()).then(|| lines.value(inner)));
        };
        (here, at) = (table, lines.at(inner.span().start));
    }
    Ok(Some(lines.table(here, at)))
}

/// In a longer line columns are counted in bytes.
const LINE_MAX: usize = 4096;

/// Turns offsets in a text into places.
struct Lines<'a> {
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { text, starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    fn at(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or_default();
        let column = if before.len() > LINE_MAX { before.len() } else { before.chars().count() };
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column + 1) }
    }

    fn table(&self, table: &DeTable<'_>, at: Place) -> Located {
        let mut entries: Vec<(String, Place, Located)> =
            table.iter().map(|(key, value)| (key.get_ref().to_string(), self.at(key.span().start), self.value(value))).collect();
        entries.sort_by_key(|(_, at, _)| *at);
        Located { at, value: Plain::Map(entries) }
    }

    fn value(&self, spanned: &Spanned<DeValue<'_>>) -> Located {
        let at = self.at(spanned.span().start);
        let value = match spanned.get_ref() {
            DeValue::String(text) => Plain::Text(text.to_string()),
            DeValue::Boolean(flag) => Plain::Bool(*flag),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map_or_else(|_| Plain::Text(number.as_str().to_owned()), Plain::Int),
            DeValue::Float(number) => number.as_str().parse().map_or(Plain::Null, Plain::Float),
            DeValue::Datetime(date) => Plain::Text(date.to_string()),
            DeValue::Array(items) => Plain::List(items.iter().map(|item| self.value(item)).collect()),
            DeValue::Table(table) => return self.table(table, at),
        };
        Located { at, value }
    }
}
