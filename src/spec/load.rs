//! The text of a YAML test, from its file, and mistakes in it as a person reads them: file, line, column, and the line
//! itself with a caret under the place.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::base::text;
use crate::base::yaml::{Place, SIZE_MAX};
use crate::domain::spec::Spec;
use crate::spec::validate;

/// Columns of a line that are shown around a mistake.
const SHOWN_COLUMNS: usize = 100;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: Place,
    /// Characters the caret stands under.
    pub length: usize,
    /// What is wrong and what to do: sentences.
    pub what: String,
}

/// Reads a YAML test; of a wrong one, all that is wrong with it.
///
/// # Errors
/// Gives the mistakes in the order of the file.
pub fn file(path: &Path) -> Result<Spec, Mistakes> {
    let mut bytes = Vec::new();
    let failed = |why: String| Mistakes::of("", vec![whole(why)]);
    match std::fs::metadata(path) {
        Err(error) => return Err(failed(format!("The file cannot be read: {error}."))),
        // Opening a pipe would wait for somebody to write into it.
        Ok(meta) if !meta.is_file() => return Err(failed("It is no file.".into())),
        Ok(_) => {}
    }
    let loaded = File::open(path).and_then(|file| file.take(SIZE_MAX as u64 + 1).read_to_end(&mut bytes));
    if let Err(error) = loaded {
        return Err(failed(format!("The file cannot be read: {error}.")));
    }
    if bytes.len() > SIZE_MAX {
        return Err(failed(format!("The file has more than {}.", text::bytes(SIZE_MAX as u64))));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
        failed(format!("Line {} is no UTF-8.", good.matches('\n').count() + 1))
    })?;
    read(&text)
}

/// Reads the text of a YAML test; of a wrong one, all that is wrong with it.
///
/// # Errors
/// Gives the mistakes in the order of the text.
pub fn read(text: &str) -> Result<Spec, Mistakes> {
    validate::spec(text).map_err(|wrong| Mistakes { text: text.to_owned(), all: wrong.all, rest: wrong.rest })
}

fn whole(what: String) -> Mistake {
    Mistake { at: Place::line(1), length: 0, what }
}

/// All that is wrong with a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistakes {
    text: String,
    /// One by one, in the order of the file.
    pub all: Vec<Mistake>,
    /// What could be read of the file all the same, to find more mistakes in.
    pub rest: Option<Box<Spec>>,
}

impl Mistakes {
    /// Makes those of a text.
    #[must_use]
    pub fn of(text: &str, all: Vec<Mistake>) -> Self {
        Self { text: text.to_owned(), all, rest: None }
    }

    /// Writes them for a person.
    #[must_use]
    pub fn lines(&self, file: &str) -> Vec<String> {
        self.all.iter().flat_map(|mistake| self.of_one(mistake, file)).collect()
    }

    /// Writes one of them for a person: what it is, its line, and a caret.
    #[must_use]
    pub fn of_one(&self, mistake: &Mistake, file: &str) -> Vec<String> {
        shown(mistake, file, &self.text)
    }
}

/// Writes a mistake: what it is, then its line with a caret.
fn shown(mistake: &Mistake, file: &str, whole: &str) -> Vec<String> {
    let Place { line, column } = mistake.at;
    let mut out = vec![format!("{}:{line}:{column}: {}", text::display_line(file), text::display(&mistake.what))];
    let Some(source) = (line as usize).checked_sub(1).and_then(|above| whole.lines().nth(above)) else { return out };
    let before = (column as usize).saturating_sub(1);
    // Far to the right the line begins later.
    let skipped = before.saturating_sub(SHOWN_COLUMNS / 2);
    let visible = |range: &mut dyn Iterator<Item = char>| {
        let part: String = range.collect();
        text::display_line(&part.replace('\t', " ")).into_owned()
    };
    let shown = visible(&mut source.chars().skip(skipped).take(SHOWN_COLUMNS));
    let indent = visible(&mut source.chars().skip(skipped).take(before - skipped));
    let rest = source.chars().skip(before).take(SHOWN_COLUMNS - (before - skipped)).count();
    let number = line.to_string();
    out.push(format!("  {number} | {}", shown.trim_end()));
    let carets = mistake.length.clamp(1, rest.max(1));
    let spaces = " ".repeat(number.len() + 2) + " | " + &" ".repeat(text::width(&indent));
    out.push(format!("{spaces}{}", "^".repeat(carets)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stands_under_the_place() {
        let mistake = Mistake { at: Place { line: 2, column: 5 }, length: 8, what: "Wrong.".into() };
        let lines = shown(&mistake, "a.yaml", "steps:\n  - wait_for: ready\n");
        assert_eq!(lines, ["a.yaml:2:5: Wrong.", "  2 |   - wait_for: ready", "    |     ^^^^^^^^"]);
    }

    #[test]
    fn long_and_wide_lines_and_places_past_the_end_are_shown_as_well_as_can_be() {
        let wide = Mistake { at: Place { line: 1, column: 3 }, length: 99, what: "Wrong.".into() };
        assert_eq!(shown(&wide, "a", "漢字x")[1..], ["  1 | 漢字x", "    |     ^"]);
        let far = Mistake { at: Place { line: 1, column: 300 }, length: 1, what: "Wrong.".into() };
        let lines = shown(&far, "a", &"x".repeat(400));
        assert!(lines[1].len() < 120 && lines[2].ends_with('^'), "{lines:?}");
        let past = Mistake { at: Place { line: 9, column: 1 }, length: 1, what: "Wrong.".into() };
        assert_eq!(shown(&past, "a", "x").len(), 1);
        assert_eq!(shown(&Mistake { at: Place { line: 1, column: 9 }, ..past }, "a", "x").len(), 3);
    }
}
