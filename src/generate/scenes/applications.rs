//! What a test makes of an application itself, as the recorded one did: the application by a call of the project's function, the
//! sessions of its rows, and the context around its steps.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::Step;
use crate::domain::value::TypeName;
use crate::generate::layout::Expr;
use crate::generate::project::Project;
use crate::generate::scenes::repeated::Copied;
use crate::generate::scenes::writer::Writer;
use crate::generate::scope::Import;

/// Names by which code reaches a database with SQLAlchemy.
const ASKING: [&str; 5] = ["session", "query", "execute", "scalars", "commit"];

impl Writer<'_, '_> {
    /// Gives the name of the application that the recorded test made, and makes it before all else.
    pub(super) fn application(&mut self, call: &Json, number: Option<u64>) -> Result<Expr, Reason> {
        let unwritable = || ReasonCode::UnwritableStep.of("application");
        if let Some((known, name)) = &self.app {
            return if *known == number { Ok(Expr::atom(name)) } else { Err(unwritable()) };
        }
        let text = |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or_default().to_owned();
        let name = call.get("name").ok_or_else(unwritable)?;
        let callee = self.spell(&TypeName::new(text(name.get(0)), text(name.get(1))))?;
        let made = Expr::call_with(&callee, self.items(&list(call, "args"), &named(call))?);
        let name = self.scope.local("app", &mut self.own_names());
        self.taken.insert(name.clone());
        self.first.extend(made.lines(4, &format!("{name} = "), ""));
        self.app = Some((number, name.clone()));
        Ok(Expr::Atom(name))
    }

    /// Has a fixture make the application where that takes a class of the test file, so that not each test repeats it. `lines` are
    /// the others of the test; where one of them names the class, it stays.
    pub(super) fn application_by_fixture(&mut self, lines: &[&[String]]) {
        let Some((_, name)) = self.app.clone() else { return };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |line: &str, word: &str| line.split(|c| !is_word(c)).any(|part| part == word);
        let is_named = |class: &TypeName| lines.iter().flat_map(|some| some.iter()).any(|line| names(line, class.short()));
        if self.repeated.is_empty() || self.repeated.iter().any(is_named) || self.is_of_conftest(&name) {
            return;
        }
        let given = |line: String| match line.strip_prefix(&format!("    {name} = ")) {
            Some(made) => format!("    return {made}"),
            None => line,
        };
        let body: Vec<String> = std::mem::take(&mut self.first).into_iter().skip_while(String::is_empty).map(given).collect();
        let text = format!("@pytest.fixture\ndef {name}():\n{}", body.join("\n"));
        self.imports.insert(Import::module("pytest"));
        self.fixtures.push(name.clone());
        self.copied.push(Copied { name, function: String::new(), text });
    }

    /// Tells whether a `conftest.py` around the accepted tests, or the recorded test, has a fixture of this name: others may take it.
    fn is_of_conftest(&self, name: &str) -> bool {
        let below = self.folder.strip_prefix(self.project.root).unwrap_or(&self.folder);
        let mut folders: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let mut found = self.scene.fixtures.contains_key(name);
        loop {
            let module = folders.iter().map(String::as_str).chain(["conftest"]).collect::<Vec<_>>().join(".");
            let conftest = (self.project.module)(&module);
            found |= conftest.is_some_and(|module| module.functions.iter().any(|function| function.name() == name));
            if found || folders.pop().is_none() {
                return found;
            }
        }
    }

    /// Counts the lines that make the application; a class of settings is read as one.
    pub(super) fn first_read(&self) -> usize {
        let is_outer = |line: &&String| line.strip_prefix("    ").is_some_and(|line| !line.starts_with([' ', ')', ']', '}']));
        self.first.iter().filter(is_outer).count()
    }

    /// Writes how a session of SQLAlchemy's is reached.
    pub(super) fn session(&mut self, (module, name, attributes): &(String, String, Vec<String>)) -> Result<String, Reason> {
        let spelled = self.spell(&TypeName::new(module, name))?;
        Ok(std::iter::once(spelled).chain(attributes.iter().cloned()).collect::<Vec<_>>().join("."))
    }

    /// Writes the context around a step.
    pub(super) fn context_of(&mut self, step: &Step) -> Result<Option<String>, Reason> {
        let Some(within) = step.within() else { return Ok(None) };
        let Some(request) = within.get("context") else {
            return Ok(Some(format!("with {}.app_context():", self.value(within, None)?.flat())));
        };
        let app = self.value(request.get("app").unwrap_or(&Json::Null), None)?.flat();
        let made = Expr::call_with(&format!("{app}.test_request_context"), self.items(&list(request, "args"), &named(request))?);
        Ok(Some(format!("with {}:", made.flat())))
    }
}

/// Lists the values below a key of a call.
fn list(call: &Json, key: &str) -> Vec<Json> {
    call.get(key).and_then(Json::as_array).cloned().unwrap_or_default()
}

/// Lists the arguments of a call that are given by name.
fn named(call: &Json) -> Vec<(String, Json)> {
    list(call, "kwargs").iter().filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()))).collect()
}

/// Puts lines below the contexts that they need; those that follow one another in one context share it.
pub(super) fn within(steps: Vec<(Option<String>, Vec<String>)>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Option<String> = None;
    for (context, own) in steps.into_iter().filter(|(_, own)| !own.is_empty()) {
        if context != open {
            lines.extend(context.iter().map(|context| format!("    {context}")));
            open = context;
        }
        let indented = |line: String| if line.is_empty() { line } else { format!("    {line}") };
        if open.is_some() { lines.extend(own.into_iter().map(indented)) } else { lines.extend(own) }
    }
    lines
}

/// Tells whether a step put one of the rows into a session. A call with such a row may ask the database.
pub(super) fn is_stored(before: &[Step], rows: &[u64]) -> bool {
    let is_of = |step: &Step| rows_of(step).iter().any(|row| rows.contains(row));
    before.iter().any(|step| matches!(step, Step::Call { place: Some(_), .. }) && is_of(step))
}

/// Tells whether the lines of a function name what asks a database.
pub(super) fn asks(function: &FunctionId, project: Project<'_>) -> bool {
    let module = (project.module)(function.module());
    let known = module.and_then(|module| module.functions.iter().find(|known| known.id == *function));
    known.is_none_or(|known| ASKING.iter().any(|word| known.uses.contains(*word)))
}

/// Lists rows, and the rows that they are made with.
pub(super) fn needed(before: &[Step], rows: &[u64]) -> BTreeSet<u64> {
    let mut found: BTreeSet<u64> = rows.iter().copied().collect();
    loop {
        let with = before.iter().enumerate().filter(|(at, step)| is_done_to(*at, step, &found));
        let more: BTreeSet<u64> = with.flat_map(|(_, step)| rows_of(step)).collect();
        if more.is_subset(&found) {
            return found;
        }
        found.extend(more);
    }
}

/// Tells whether a step makes one of the rows, calls its method, or gives it to a function.
pub(super) fn is_done_to(at: usize, step: &Step, rows: &BTreeSet<u64>) -> bool {
    let number = match step {
        Step::Row { .. } => u64::try_from(at).ok(),
        Step::Call { on, .. } => on.strip_prefix('#').and_then(|at| at.parse().ok()),
        Step::Function { .. } => return rows_of(step).iter().any(|row| rows.contains(row)),
        Step::Direct { .. } => None,
    };
    number.is_some_and(|number| rows.contains(&number))
}

/// Lists the rows that a step is given.
fn rows_of(step: &Step) -> Vec<u64> {
    let (Step::Call { args, kwargs, .. } | Step::Row { args, kwargs, .. } | Step::Function { args, kwargs, .. }) = step else {
        return Vec::new();
    };
    let values = args.iter().chain(kwargs.iter().map(|(_, value)| value));
    let each =
        values.flat_map(|value| value.get("list").and_then(Json::as_array).map_or(std::slice::from_ref(value), Vec::as_slice));
    each.filter_map(|value| value.get("row")?.as_u64()).collect()
}
