//! What stands around a call that a test makes itself, and the lines for what it wrote below a temporary folder: the files that lay
//! there before, and assertions of those that lie there now. `scenes.rs` fills it from a recorded test.

mod databases;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::{Folder, Written};
use crate::generate::expect::Assertion;
use crate::generate::layout::{self, Expr, string};
use crate::generate::scope::Import;
use crate::generate::surroundings::Laid;

/// Characters of the files that a test spells.
const TEXT_MAX: usize = 2_000;
/// Replaces the temporary folder in a text, until the test runs.
const TMP_PATH: &str = "TMP_PATH";

/// What stands around a call that a test makes itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// The code for what was given for parameters.
    pub(super) given: Vec<(String, String)>,
    /// Marks above the test.
    pub(super) marks: Vec<String>,
    /// The recorded test is a coroutine function.
    pub(super) is_async: bool,
    /// The fixtures that it takes.
    pub(super) fixtures: Vec<String>,
    /// Fixtures of a test file that are written again beside it.
    pub(super) beside: Vec<String>,
    /// Its first lines, and how many of them are the body of a class.
    pub(super) lines: Vec<String>,
    pub(super) of_classes: usize,
    /// The context manager around the rest, and its first lines.
    pub(super) within: Option<String>,
    pub(super) inside: Vec<String>,
    /// What the call wrote below a temporary folder.
    pub(super) folder: Option<Folder>,
    /// Paths with keys of rows in them, and the keys of the rows that were given: how they are written.
    pub(super) paths: BTreeMap<String, String>,
    pub(super) keys: BTreeMap<String, String>,
    pub(super) imports: BTreeSet<Import>,
}

impl Around {
    /// Writes the keys of rows in what is expected by the rows that they are of.
    pub(super) fn by_rows(&self, assertion: &mut Assertion) {
        let expected = match &assertion.expected {
            Expr::Text(text) => self.paths.get(text).cloned(),
            Expr::Atom(number) if assertion.subject.ends_with("_id") => self.keys.get(number).cloned(),
            _ => None,
        };
        assertion.expected = expected.map_or_else(|| assertion.expected.clone(), Expr::Atom);
    }
}

/// Adds the lines around a call that wrote below a folder, which is pytest's `tmp_path` in its test.
///
/// # Errors
/// Fails with the reason why a test cannot spell the files.
pub(in crate::generate) fn lay(folder: &Folder, laid: &mut Laid) -> Result<(), Reason> {
    let spelled = |held: &Written| if let Written::Text(text) | Written::Bytes(text) = held { text.chars().count() } else { 0 };
    let size: usize = folder.before.iter().chain(&folder.after).map(|(_, held)| spelled(held)).sum();
    if size > TEXT_MAX {
        return Err(ReasonCode::InputFilesTooLarge.with(size));
    }
    laid.fixtures.insert("tmp_path");
    let there: Vec<String> = laid.lines.iter().map(Expr::flat).collect();
    let mut lines = Vec::new();
    for path in &folder.folders {
        let made = format!("(tmp_path / {}).mkdir(", string(path));
        let is_outer = folder.folders.iter().any(|other| other.starts_with(&format!("{path}/")));
        if !is_outer && !there.iter().any(|line| line.starts_with(&made)) {
            let how = if path.contains('/') || folder.folders.len() > 1 { "parents=True, exist_ok=True" } else { "" };
            lines.push(Expr::Atom(format!("{made}{how})")));
        }
    }
    for (path, held) in &folder.before {
        let place = format!("(tmp_path / {})", string(path));
        if there.iter().any(|line| line.starts_with(&format!("{place}.write_"))) {
            continue; // the call read it, too
        }
        lines.push(match held {
            Written::Text(text) => {
                let coding = (!text.is_ascii()).then(|| Expr::atom("encoding=\"utf-8\""));
                let items = std::iter::once(naming(text, &folder.base)).chain(coding).collect();
                Expr::call(&format!("{place}.write_text"), items)
            }
            Written::Bytes(text) => Expr::call(&format!("{place}.write_bytes"), vec![bytes(text)]),
            Written::Database(tables) => {
                lines.extend(databases::made(&place, tables)?);
                laid.imports.insert(Import::module("sqlite3"));
                continue;
            }
            Written::Long(_) | Written::Folder(_) | Written::Gone(_) => return Err(ReasonCode::InputFilesTooLarge.with(TEXT_MAX)),
        });
    }
    lines.append(&mut laid.lines);
    laid.lines = lines;
    let changes_folder = "monkeypatch.chdir(tmp_path)";
    if folder.inside && !there.iter().any(|line| line == changes_folder) {
        laid.lines.push(Expr::atom(changes_folder));
        laid.fixtures.insert("monkeypatch");
    }
    for (path, held) in &folder.after {
        let place = format!("(tmp_path / {})", string(path));
        laid.after.push(match held {
            Written::Text(text) => {
                let coding = if text.is_ascii() { "" } else { "encoding=\"utf-8\"" };
                let read = Expr::Atom(format!("assert {place}.read_text({coding}) == "));
                Expr::Chain(Box::new(read), Box::new(naming(text, &folder.base)))
            }
            Written::Database(tables) => {
                let before = folder.before.iter().find(|(known, _)| known == path).map(|(_, held)| held);
                laid.after.extend(databases::asserted(&place, before, tables)?);
                laid.imports.insert(Import::module("sqlite3"));
                continue;
            }
            Written::Bytes(text) => Expr::Atom(format!("assert {place}.read_bytes() == {}", bytes(text).flat())),
            Written::Long(_) => Expr::Atom(format!("assert {place}.is_file()")),
            Written::Folder(_) => Expr::Atom(format!("assert {place}.is_dir()")),
            Written::Gone(_) => Expr::Atom(format!("assert not {place}.exists()")),
        });
    }
    Ok(())
}

/// Lets folders be there already: fixtures of the project may have made them before the test begins.
pub(in crate::generate) fn after_fixtures(laid: &mut Laid) {
    for line in &mut laid.lines {
        if let Expr::Atom(text) = line
            && let Some(made) = text.strip_suffix(".mkdir()")
        {
            *text = format!("{made}.mkdir(exist_ok=True)");
        }
    }
}

/// Writes a text that may name the temporary folder, which is another one in each run.
pub(in crate::generate) fn naming(text: &str, base: &str) -> Expr {
    if base.is_empty() || !text.contains(base) || text.contains(TMP_PATH) {
        return Expr::Text(text.to_owned());
    }
    let put = vec![Expr::Text(TMP_PATH.to_owned()), Expr::atom("str(tmp_path)")];
    Expr::Text(text.replace(base, TMP_PATH)).then(Expr::call(".replace", put))
}

fn bytes(text: &str) -> Expr {
    let held: Vec<u8> = text.chars().map(|c| u8::try_from(c as u32).unwrap_or(b'?')).collect();
    Expr::Atom(layout::bytes(&held))
}
