//! R16, R17: what a call found around it, as lines at the start of its test: the files that it read, laid out in pytest's
//! `tmp_path`, the variables of the environment that it asked for, and the clock and chance that it followed, held still.
//!
//! What the recorder noted of them is in [`crate::domain::call`]; whether the test holds in them is found out by running it.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::clock;
use crate::domain::call::Call;
use crate::domain::observation::Control;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{TypeName, Value};
use crate::generate::layout::{Expr, string};
use crate::generate::project::{ClockBy, Project};
use crate::generate::scope::{Import, Scope};
use crate::generate::steady::as_read;

const DAY: i64 = 24 * 3600;

/// Files of more characters together are no test that anybody reads.
const FILES_MAX: usize = 1_500;

/// The lines that put a test where its call was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Laid {
    /// pytest's fixtures that the lines and the arguments use.
    pub fixtures: BTreeSet<&'static str>,
    /// Fixtures of the project that the test takes, and what it does with them first.
    pub params: Vec<String>,
    /// Those lines, and how many of them are the body of a class, which is read as one.
    pub steps: Vec<String>,
    /// Lines of the body of a class.
    pub of_classes: usize,
    /// The text of fixtures that stand beside the test.
    pub beside: Vec<String>,
    /// The context manager around the rest of the test.
    pub within: Option<String>,
    /// Its first lines.
    pub inside: Vec<String>,
    /// The lines.
    pub lines: Vec<Expr>,
    /// What stands in for calls that left their process: lines just before the act, which may use what was made for it.
    pub stand_ins: Vec<Expr>,
    /// What is asserted of the stand-ins, at the end of the test.
    pub after: Vec<Expr>,
    /// The recorded folder that `tmp_path` stands for in arguments.
    pub base: Option<String>,
    /// What stands above the test.
    pub decorators: Vec<String>,
    /// The test is a coroutine function, as the recorded one: its steps and its fixtures share one event loop.
    pub is_async: bool,
    /// What all this imports.
    pub imports: BTreeSet<Import>,
}

impl Laid {
    /// Finds what a call needs around it.
    ///
    /// # Errors
    /// Fails with the reason where a test cannot lay it out.
    pub fn of(call: &Call, project: Project<'_>, scope: &mut Scope) -> Result<Self, Reason> {
        let mut laid = Self { base: base(call, project.root), ..Self::default() };
        let mut folders = BTreeSet::new();
        let mut named = false;
        let mut size = 0;
        let files: BTreeMap<&str, &str> = call.files().collect();
        for (path, text) in files {
            let inside = match &laid.base {
                _ if !path.starts_with('/') => path,
                Some(base) => match path.strip_prefix(base.as_str()).and_then(|rest| rest.strip_prefix('/')) {
                    Some(inside) => inside,
                    None => continue,
                },
                // Read by a path that the code itself knows: what lies in the project lies there for the test too.
                None => continue,
            };
            named |= !path.starts_with('/');
            size += text.chars().count();
            if size > FILES_MAX {
                return Err(ReasonCode::InputFilesTooLarge.with(size));
            }
            if let Some((folder, _)) = inside.trim_start_matches("./").rsplit_once('/')
                && folders.insert(folder.to_owned())
            {
                let how = if folder.contains('/') || folders.len() > 1 { "parents=True, exist_ok=True" } else { "" };
                laid.lines.push(Expr::Atom(format!("(tmp_path / {}).mkdir({how})", string(folder))));
            }
            let written = match text {
                // Text mode would make other line ends of them.
                text if text.contains('\r') => ("write_bytes", format!("{}.encode()", string(text)), true),
                text => ("write_text", text.to_owned(), false),
            };
            let file = format!("(tmp_path / {}).{}", string(inside.trim_start_matches("./")), written.0);
            let mut items = vec![if written.2 { Expr::Atom(written.1) } else { Expr::Text(written.1) }];
            if !text.is_ascii() && !written.2 {
                items.push(Expr::atom("encoding=\"utf-8\""));
            }
            laid.lines.push(Expr::call(&file, items));
            laid.fixtures.insert("tmp_path");
        }
        if named {
            laid.lines.push(Expr::atom("monkeypatch.chdir(tmp_path)"));
            laid.fixtures.insert("monkeypatch");
        }
        for (name, value) in call.variables() {
            let value = if let Some(path) = of_project(project.root, value) {
                laid.fixtures.insert(PROJECT);
                Expr::Atom(format!("str({path})"))
            } else if name == "HOME" || is_private_path(value, project.root) {
                // A folder that another machine has not: whether the call does without what lies there is found out.
                if !value.starts_with('/') || value.contains(':') {
                    return Err(ReasonCode::MachinePath.of(name));
                }
                laid.fixtures.insert("tmp_path");
                Expr::atom("str(tmp_path)")
            } else {
                Expr::Text(value.to_owned())
            };
            let args = vec![Expr::Text(name.to_owned()), value];
            laid.lines.push(Expr::call("monkeypatch.setenv", args));
            laid.fixtures.insert("monkeypatch");
        }
        if let Some(words) = call.command_line() {
            laid.set_command_line(words, project.root)?;
        }
        if laid.base.is_some() {
            laid.fixtures.insert("tmp_path");
        }
        for control in call.controls() {
            match control {
                Control::Seed => {
                    laid.imports.insert(Import::module("random"));
                    laid.lines.push(Expr::atom("random.seed(0)"));
                }
                Control::Bytes => {
                    laid.lines.push(Expr::atom("monkeypatch.setattr(\"os.urandom\", bytes)"));
                    laid.fixtures.insert("monkeypatch");
                }
                Control::OtherSeed => {}
                Control::Clock(moment) => laid.stop_clock(call, moment, project, scope)?,
            }
        }
        Ok(laid)
    }

    /// Adds what stands in for calls that left their process.
    pub fn stand_in(&mut self, stand_ins: Self) {
        self.fixtures.extend(stand_ins.fixtures);
        self.stand_ins.extend(stand_ins.stand_ins);
        self.after.extend(stand_ins.after);
        self.imports.extend(stand_ins.imports);
    }

    /// Puts the recorded words in the place of pytest's own command line.
    fn set_command_line(&mut self, words: &[String], root: &str) -> Result<(), Reason> {
        let mut items = Vec::new();
        for (place, word) in words.iter().enumerate() {
            items.push(if let Some(path) = below(self.base.as_deref(), word) {
                Expr::Atom(format!("str({path})"))
            } else if place == 0 {
                // Programs show no more of their own path.
                Expr::Text(word.rsplit('/').next().unwrap_or(word).to_owned())
            } else if let Some(path) = of_project(root, word) {
                self.fixtures.insert(PROJECT);
                Expr::Atom(format!("str({path})"))
            } else if is_private_path(word, root) {
                return Err(ReasonCode::MachinePath.into());
            } else {
                Expr::Text(word.clone())
            });
        }
        self.lines.push(Expr::call("monkeypatch.setattr", vec![Expr::Text("sys.argv".to_owned()), Expr::list(items)]));
        self.fixtures.insert("monkeypatch");
        Ok(())
    }

    fn stop_clock(&mut self, call: &Call, moment: i64, project: Project<'_>, scope: &mut Scope) -> Result<(), Reason> {
        let (year, month, day) = clock::date(moment.div_euclid(DAY));
        let hour = moment.rem_euclid(DAY) / 3600;
        let mut spell = |name: &str| {
            let (spelled, import) = scope.spell(&TypeName::new("datetime", name))?;
            self.imports.extend(import);
            Ok::<_, Reason>(spelled)
        };
        match project.clock {
            ClockBy::TimeMachine => {
                let class = spell("datetime")?;
                let (zone, import) = scope.spell(&TypeName::new("zoneinfo", "ZoneInfo"))?;
                self.imports.extend(import);
                // With a `ZoneInfo` the local time is that of the zone, too, on whatever machine the test runs.
                let moment = format!("{class}({year}, {month}, {day}, {hour}, tzinfo={zone}(\"UTC\"))");
                self.lines.push(Expr::Atom(format!("time_machine.move_to({moment}, tick=False)")));
                self.fixtures.insert("time_machine");
            }
            ClockBy::Freezegun => {
                self.imports.insert(Import::module("freezegun"));
                self.decorators.push(format!("@freezegun.freeze_time(\"{year}-{month:02}-{day:02} {hour:02}:00:00\")"));
            }
            ClockBy::Monkeypatch => {
                let module = (project.module)(call.function.module());
                let read = |what: &str| call.observed.clock_reads.iter().any(|function| function == what);
                let mut lines = Vec::new();
                for (name, value) in [("time", format!("{moment}.0")), ("time_ns", format!("{moment} * 10**9"))] {
                    if read(&format!("time.{name}")) {
                        let target = as_read(module, "time", name);
                        lines.push(format!("monkeypatch.setattr(\"{target}\", lambda: {value})"));
                    }
                }
                for (name, ways, time) in
                    [("date", &["today"][..], String::new()), ("datetime", &["now", "utcnow", "today"], format!(", {hour}"))]
                {
                    let ways: Vec<&&str> = ways.iter().filter(|way| read(&format!("datetime.{name}.{way}"))).collect();
                    if ways.is_empty() {
                        continue;
                    }
                    let stand_in = if name == "date" { "FixedDate" } else { "FixedDatetime" };
                    // Formatters want room before a class.
                    if lines.last().is_none_or(|line| !line.is_empty()) {
                        lines.push(String::new());
                    }
                    lines.push(format!("class {stand_in}({}):", spell(name)?));
                    for way in ways {
                        let zone = if *way == "now" { (", tz=None", ", tzinfo=tz") } else { ("", "") };
                        lines.push("    @classmethod".to_owned());
                        lines.push(format!("    def {way}(cls{}):", zone.0));
                        lines.push(format!("        return cls({year}, {month}, {day}{time}{})", zone.1));
                        lines.push(String::new());
                    }
                    lines.push(format!("monkeypatch.setattr(\"{}\", {stand_in})", as_read(module, "datetime", name)));
                }
                if !lines.is_empty() {
                    self.fixtures.insert("monkeypatch");
                }
                self.lines.extend(lines.into_iter().map(Expr::Atom));
            }
        }
        Ok(())
    }

    /// Writes an expression in which `tmp_path` is the recorded folder and the project's lies at `root`, so that recorded paths
    /// come out.
    #[must_use]
    pub fn as_recorded(&self, expression: String, root: &str) -> String {
        let path = |path: &str| format!("__import__(\"pathlib\").Path({})", string(path));
        let mut first = Vec::new();
        first.extend(self.base.as_ref().map(|base| format!("tmp_path := {}", path(base))));
        if self.fixtures.contains(PROJECT) {
            first.push(format!("{PROJECT} := __import__(\"types\").SimpleNamespace(rootpath={})", path(root)));
        }
        if first.is_empty() { expression } else { format!("({}, {expression})[-1]", first.join(", ")) }
    }
}

/// Writes a path below the folder that `tmp_path` stands for.
#[must_use]
pub fn below(base: Option<&str>, path: &str) -> Option<String> {
    let rest = path.strip_prefix(base?)?;
    match rest.strip_prefix('/') {
        Some(inside) if !inside.is_empty() => Some(format!("tmp_path / {}", string(inside))),
        None if rest.is_empty() => Some("tmp_path".to_owned()),
        _ => None,
    }
}

/// pytest's fixture that knows the project's folder.
pub const PROJECT: &str = "pytestconfig";

/// Writes a path in the project's folder, or that folder's own; none that a path object would write otherwise.
#[must_use]
pub fn of_project(root: &str, path: &str) -> Option<String> {
    let rest = path.strip_prefix(root).filter(|_| root.len() > 1)?;
    if rest.is_empty() {
        return Some(format!("{PROJECT}.rootpath"));
    }
    let inside = rest.strip_prefix('/')?;
    let is_plain = inside.split('/').all(|part| !part.is_empty() && part != ".") && !inside.contains('\n');
    is_plain.then(|| format!("{PROJECT}.rootpath / {}", string(inside)))
}

/// Finds the folder of a file that was read by the path that an argument gives, or of the folder that one names; else the
/// temporary folder whose path, or that of something in it, is an argument: the one that pytest gave to the test, or one that the
/// program made, which is none that the project at `root` lies in.
#[must_use]
pub fn base(call: &Call, root: &str) -> Option<String> {
    if call.observed.folder.is_some() {
        return call.observed.folder.clone();
    }
    let mut found = None;
    for (file, _) in call.files().filter(|(file, _)| file.starts_with('/')) {
        let folder = file.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty());
        for arg in &call.args {
            arg.value.walk(&mut |value| {
                if let Value::Str(text) = value
                    && found.is_none()
                {
                    let names_it = text == file || (file.strip_prefix(text.as_str()).is_some_and(|rest| rest.starts_with('/')));
                    found = names_it
                        .then(|| if text == file { folder } else { Some(text.as_str()) })
                        .flatten()
                        .map(ToOwned::to_owned);
                }
                found.is_none()
            });
        }
    }
    let apart = |path: &str| temporary(path).filter(|folder| !std::path::Path::new(root).starts_with(folder));
    found.or_else(|| folder_in(call, pytests)).or_else(|| folder_in(call, apart))
}

/// Gives the first folder that a path among the arguments lies in.
fn folder_in(call: &Call, folder_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut found = None;
    for arg in &call.args {
        arg.value.walk(&mut |value| {
            if let (None, Value::Str(text)) = (&found, value) {
                found = folder_of(text);
            }
            found.is_none()
        });
    }
    found
}

/// Gives the part of a path that `tempfile` made: `/tmp/tmpab12cd34`, `/var/folders/x1/y2/T/tmpab12cd34`.
fn temporary(path: &str) -> Option<String> {
    let folder = ["/tmp/", "/var/tmp/", "/private/tmp/"].into_iter().find(|folder| path.starts_with(folder)).map(str::len);
    let of_user = || {
        let rest = path.strip_prefix("/private").unwrap_or(path).starts_with("/var/folders/");
        path.find("/T/").filter(|_| rest).map(|at| at + "/T/".len())
    };
    let start = folder.or_else(of_user)?;
    let name = path[start..].split('/').next().filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))?;
    Some(path[..start + name.len()].to_owned())
}

/// Gives the part of a path that pytest chose: `/tmp/pytest-of-ada/pytest-3/test_pack0`.
fn pytests(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().position(|part| part.starts_with("pytest-of-"))?;
    let session = parts.get(at + 1)?.strip_prefix("pytest-")?;
    let is_chosen = path.starts_with('/') && session.parse::<u32>().is_ok() && !parts.get(at + 2)?.is_empty();
    is_chosen.then(|| parts[..at + 3].join("/"))
}

/// R26: paths of a home or temporary folder mean nothing elsewhere, nor do those of the project's own folder.
pub(crate) fn is_private_path(text: &str, root: &str) -> bool {
    // Also inside a longer text, where a path begins: at the start, or behind what no path goes on from.
    let begins = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':'));
    let found = |head: &str| text.match_indices(head).any(|(at, _)| begins(at));
    // A project at the root of all files would be in every path.
    let in_root = || {
        let ends = |at: usize| !text[at..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        root.len() > 1 && text.match_indices(root).any(|(at, _)| begins(at) && ends(at + root.len()))
    };
    ["/home/", "/Users/", "/root/", "/tmp/", "/private/", "/var/folders/"].into_iter().any(found)
        || in_root()
        || (text.len() > 9 && text.as_bytes()[1..].starts_with(b":\\Users\\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R16: pytest gives each test a folder of its own.
    #[test]
    fn the_folder_that_pytest_gave_to_a_test_is_told_by_its_path() {
        let folder = "/tmp/pytest-of-ada/pytest-3/test_pack0";
        for path in [folder, "/tmp/pytest-of-ada/pytest-3/test_pack0/home/.rc"] {
            assert_eq!(pytests(path).as_deref(), Some(folder), "{path}");
        }
        for path in ["/tmp/pytest-of-ada/pytest-3", "/tmp/pytest-of-ada/pytest-current/x", "pytest-of-ada/pytest-3/x", "/tmp/x"] {
            assert_eq!(pytests(path), None, "{path}");
        }
    }

    /// R16: a program's own temporary folder has another name each time.
    #[test]
    fn the_folder_that_a_program_made_is_told_by_its_path() {
        for (path, folder) in [
            ("/tmp/site_x1/docs/index.md", "/tmp/site_x1"),
            ("/tmp/site_x1", "/tmp/site_x1"),
            ("/var/folders/a1/b2/T/tmpq/x", "/var/folders/a1/b2/T/tmpq"),
            ("/private/var/folders/a1/b2/T/tmpq", "/private/var/folders/a1/b2/T/tmpq"),
        ] {
            assert_eq!(temporary(path).as_deref(), Some(folder), "{path}");
        }
        for path in ["/tmp", "/tmp/", "tmp/x", "/home/ada/T/x", "/tmp/no such file: x"] {
            assert_eq!(temporary(path), None, "{path}");
        }
    }

    /// R26: a path in the project is the same file on every machine.
    #[test]
    fn paths_in_the_project_are_written_below_its_folder() {
        assert_eq!(of_project("/home/a/x", "/home/a/x/b/c").as_deref(), Some("pytestconfig.rootpath / \"b/c\""));
        assert_eq!(of_project("/home/a/x", "/home/a/x").as_deref(), Some("pytestconfig.rootpath"));
        for path in ["/home/a/xy", "/home/a/x/", "/home/a/x//b", "/home/a/x/./b", "/home/a", "see /home/a/x/b"] {
            assert_eq!(of_project("/home/a/x", path), None, "{path}");
        }
        assert_eq!(of_project("/", "/etc"), None);
    }

    /// R17: only what lies below the folder is written below it.
    #[test]
    fn paths_are_written_below_the_folder_that_stands_for_theirs() {
        assert_eq!(below(Some("/tmp/x"), "/tmp/x/a/b.txt").as_deref(), Some("tmp_path / \"a/b.txt\""));
        assert_eq!(below(Some("/tmp/x"), "/tmp/x").as_deref(), Some("tmp_path"));
        for (base, path) in [(Some("/tmp/x"), "/tmp/xy"), (Some("/tmp/x"), "/tmp"), (Some("/tmp/x"), "/tmp/x/"), (None, "/tmp/x")]
        {
            assert_eq!(below(base, path), None, "{path}");
        }
    }
}
