//! A recorded test's steps → a test by the same steps: with the project's fixtures, the framework's client and its rows (R32). What is
//! asserted of an answer is `scenes/answers.rs`, how values are written `scenes/values.rs`, which requests are chosen
//! `scenes/choice.rs`.

mod answers;
mod applications;
mod choice;
mod clients;
mod pages;
mod repeated;
#[cfg(test)]
mod tests;
mod values;
mod writer;

use std::collections::BTreeSet;
use std::path::Path;

pub use self::choice::{Found, Requests, choose, direct, draft, requests};
pub use self::pages::Pages;

use crate::domain::call::{Call, Outcome};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::{Defined, Framework, Scene, Step};
use crate::domain::value::{TypeName, Value};
use crate::generate::around::{Around, after_fixtures, lay};
use crate::generate::layout::{Expr, Item};
use crate::generate::project::Project;
use crate::generate::render::constants;
use crate::generate::scenes::repeated::Copied;
use crate::generate::scenes::writer::{RESPONSE, RESULT, Writer};
use crate::generate::scope::{Import, Scope, is_identifier};
use crate::generate::surroundings::Laid;

/// Lines before the act that anybody reads.
const SETUP_MAX: usize = 12;

/// A test, without its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Marks above it.
    pub(super) marks: Vec<String>,
    /// The fixtures that it takes, in order.
    pub(super) fixtures: Vec<String>,
    /// Its lines below the docstring.
    pub(super) lines: Vec<String>,
    /// Fixtures of a test file that are written again beside it.
    pub(super) copied: Vec<Copied>,
    /// Long texts that stand above it, by their marks in the lines.
    pub(super) given: Vec<(String, String)>,
    pub(super) imports: BTreeSet<Import>,
    /// Lines before the act.
    pub(super) setup: usize,
    /// Words that tell it apart, for its name.
    pub(super) words: String,
    /// It is a coroutine function.
    pub(super) is_async: bool,
    /// What it does and what comes of it, in short: those of one kind show the same.
    pub(super) kind: String,
    /// The id of the recorded test.
    pub(super) test: String,
}

/// Writes the test of a scene. Of its answer those texts are worth an assertion that no other of the `pages` has.
///
/// # Errors
/// Fails with the reason why there is none.
pub fn written(scene: &Scene, pages: &Pages<'_>, project: Project<'_>, scope: Scope, folder: &str) -> Result<Written, Reason> {
    let mut writer = Writer::new(scene, project, scope, folder);
    writer.name_rows(|_| true);
    let Some((last, before)) = scene.steps.split_last() else { return Err(ReasonCode::NotComparable.into()) };
    let Step::Call { on, ty, method, args, kwargs, answer, client, awaited, folder, .. } = last else {
        return Err(ReasonCode::NotComparable.into());
    };
    let Some(answer) = answer else { return Err(ReasonCode::NotComparable.into()) };
    if let Some(name) = scene.patched.first() {
        return Err(ReasonCode::FixtureChanged.of(name));
    }
    let mut files = Laid::default();
    if let Some(folder) = folder {
        lay(folder, &mut files)?;
        if scene.fixtures.values().any(|origin| origin.place != Defined::Plugin) {
            after_fixtures(&mut files);
        }
        writer.base = Some(folder.base.clone());
        writer.laid = folder.before.iter().map(|(path, _)| path.clone()).collect();
    }
    let receiver = writer.receiver(on, ty, client.as_deref())?;
    check_address(last)?;
    let act = writer.call(&receiver, method, args, kwargs)?;
    let name = if answer.by == Framework::Click { RESULT } else { RESPONSE };
    let mut after = act.lines(4, &format!("{name} = {}", awaiting(*awaited)), "");
    after.extend(answers::asserted(&mut writer, answer, name, (args, kwargs), pages)?);
    after.extend(files.after.iter().flat_map(|line| line.lines(4, "", "")));
    let mut given = Vec::new();
    let mut lines: Vec<String> =
        files.lines.iter().flat_map(|line| constants::marked(line, &mut given).lines(4, "", "")).collect();
    if !lines.is_empty() || !files.after.is_empty() {
        files.fixtures.iter().for_each(|name| writer.take_builtin(name));
    }
    writer.imports.extend(files.imports);
    let mut steps = Vec::new();
    for (at, lines) in writer.steps(before, |_, _| true)? {
        steps.push((writer.context_of(&before[at])?, lines));
    }
    let own = steps.iter().map(|(_, lines)| lines.len()).sum::<usize>();
    steps.push((writer.context_of(last)?, after));
    writer.application_by_fixture(&steps.iter().map(|(_, lines)| lines.as_slice()).collect::<Vec<_>>());
    let count = lines.len() + own + writer.first_read() + usize::from(writer.client.is_some());
    lines.extend(applications::within(steps));
    if count > SETUP_MAX {
        return Err(ReasonCode::SetupTooLong.with(count));
    }
    let lines = writer.with_client(lines);
    let marks = writer.marks()?;
    let login = before.iter().any(|step| matches!(step, Step::Call { method, .. } if method.contains("login")));
    let (words, kind) = answers::words(answer, method, (args, kwargs), login, pages, scene);
    let is_helper = writer.project_type(ty);
    Ok(Written {
        marks,
        fixtures: writer.fixtures,
        copied: writer.copied,
        lines,
        given,
        imports: writer.imports,
        setup: count + usize::from(is_helper),
        words,
        is_async: scene.is_async,
        kind,
        test: scene.test.split('[').next().unwrap_or_default().to_owned(),
    })
}

/// Writes what stands around the call of a scene that ends with one.
///
/// # Errors
/// Fails with the reason why a test cannot have it.
pub fn around(scene: &Scene, call: &Call, project: Project<'_>, scope: &Scope, folder: &str) -> Result<Around, Reason> {
    let mut writer = Writer::new(scene, project, scope.clone(), folder);
    let Some((last, before)) = scene.steps.split_last() else { return Err(ReasonCode::NotComparable.into()) };
    let Step::Direct { given, context, changed, folder, within } = last else { return Err(ReasonCode::NotComparable.into()) };
    if let Some(name) = changed.first().or(scene.patched.first()) {
        return Err(ReasonCode::FixtureChanged.of(name));
    }
    let rows: Vec<u64> = given.values().filter_map(|told| told.get("row")?.as_u64()).collect();
    // A row that no session has asks no database, unless the function looks for one.
    let is_of_app = within.as_ref().is_some_and(|told| told.get("context").is_none());
    let is_alone =
        is_of_app && !rows.is_empty() && !applications::is_stored(before, &rows) && !applications::asks(&call.function, project);
    let of_rows = is_alone.then(|| applications::needed(before, &rows));
    let is_made = |at: usize| u64::try_from(at).is_ok_and(|at| of_rows.as_ref().is_none_or(|rows| rows.contains(&at)));
    writer.name_rows(is_made);
    let mut made = Around { folder: folder.clone(), ..Around::default() };
    let mut own = Vec::new();
    for (param, told) in given {
        let name = match told.get("request") {
            Some(request) => writer.request(request, param, &mut own)?,
            None => writer.value(told, None)?.flat(),
        };
        if let Some(pk) = writer.pk_of(told).filter(|_| param != "self") {
            let row = told.get("row").and_then(serde_json::Value::as_u64).and_then(|at| usize::try_from(at).ok());
            made.keys.insert(pk, writer.key(&name, row));
        }
        made.given.push((param.clone(), name));
    }
    if let Outcome::Returned(Value::Str(text)) = &call.effect.outcome
        && let Some(path) = writer.path(text)
    {
        made.paths.insert(text.clone(), path);
    }
    if within.is_some() {
        made.within = if is_alone { None } else { writer.context_of(last)? };
    } else if let Some(way) = context {
        writer.fixture(way.split('.').next().unwrap_or(way))?;
        made.within = Some(format!("with {way}.app_context():"));
    }
    // A function that is given a request alone, without any row, needs none of what others of the class do.
    let is_apart = context.is_none() && given.values().all(|told| told.get("request").is_some()) && writer.used.is_empty();
    let before = if is_apart { &[][..] } else { before };
    let steps = writer.steps(before, |at, step| of_rows.as_ref().is_none_or(|rows| applications::is_done_to(at, step, rows)))?;
    let mut lines: Vec<String> = steps.into_iter().flat_map(|(_, lines)| lines).chain(own).collect();
    let values: Vec<String> = made.given.iter().map(|(_, value)| value.clone()).collect();
    writer.application_by_fixture(&[&lines, &values]);
    if within.is_some() && !is_alone {
        made.inside = std::mem::take(&mut lines);
    }
    if writer.client.as_ref().is_some_and(|client| client.entered) {
        return Err(ReasonCode::UnwritableStep.of("client"));
    }
    made.lines = writer.with_client(lines);
    made.of_classes = writer.first.len() - writer.first_read();
    let count = made.lines.len() + made.inside.len() - made.of_classes;
    if count > SETUP_MAX {
        return Err(ReasonCode::SetupTooLong.with(count));
    }
    // Without its marks nothing awaits it, and it needs no loop.
    (made.marks, made.is_async) = if is_apart { (Vec::new(), false) } else { (writer.marks()?, scene.is_async) };
    (made.fixtures, made.imports) = (writer.fixtures, writer.imports);
    made.beside = writer.copied.into_iter().map(|copied| copied.text).collect();
    Ok(made)
}

impl Writer<'_, '_> {
    /// Takes a fixture as a parameter.
    fn fixture(&mut self, name: &str) -> Result<(), Reason> {
        match self.scene.fixtures.get(name).map(|origin| origin.place) {
            Some(Defined::Module) => self.repeat_fixture(name)?,
            _ => self.reaches(name)?,
        }
        if !self.fixtures.iter().any(|known| known == name) {
            self.fixtures.push(name.to_owned());
        }
        Ok(())
    }

    /// Tells why accepted tests cannot see a fixture.
    fn reaches(&self, name: &str) -> Result<(), Reason> {
        let Some(origin) = self.scene.fixtures.get(name) else { return Err(ReasonCode::FixtureInTestFile.of(name)) };
        for needed in self.scene.closure([name]) {
            if self.scene.fixtures.get(needed).is_some_and(|origin| origin.place == Defined::Module) {
                return Err(ReasonCode::FixtureInTestFile.of(needed));
            }
        }
        if origin.place == Defined::Conftest && !self.folder.starts_with(&origin.base) {
            let base = Path::new(&origin.base).strip_prefix(self.project.root).unwrap_or(Path::new(&origin.base));
            return Err(ReasonCode::FixtureOutOfReach.of(name).with(base.display()));
        }
        Ok(())
    }

    fn call(
        &mut self,
        receiver: &str,
        method: &str,
        args: &[serde_json::Value],
        kwargs: &[(String, serde_json::Value)],
    ) -> Result<Expr, Reason> {
        if method.starts_with("__") || !is_identifier(method) {
            return Err(ReasonCode::ImplicitMethod.of(method));
        }
        Ok(Expr::call_with(&format!("{receiver}.{method}"), self.items(args, kwargs)?))
    }

    fn items(&mut self, args: &[serde_json::Value], kwargs: &[(String, serde_json::Value)]) -> Result<Vec<Item>, Reason> {
        let mut items = Vec::new();
        for value in args {
            items.push(Item::from(self.value(value, None)?));
        }
        for (name, value) in kwargs {
            if !is_identifier(name) {
                return Err(ReasonCode::InvalidName.of(name));
            }
            items.push(Item::keyword(name, self.value(value, Some(name))?));
        }
        Ok(items)
    }

    /// Writes those of the steps before the act that are wanted, each with its number.
    fn steps(&mut self, before: &[Step], is_wanted: impl Fn(usize, &Step) -> bool) -> Result<Vec<(usize, Vec<String>)>, Reason> {
        // What comes later decides which rows have names, so the last of them is written first.
        let mut written = Vec::new();
        let is_needed = |step: &Step| !changes_nothing(step) && (self.base.is_none() || !is_command(step));
        let needed = before.iter().enumerate().filter(|(at, step)| is_wanted(*at, step) && is_needed(step));
        for (at, step) in needed.collect::<Vec<_>>().into_iter().rev() {
            if step.by().is_some_and(|by| self.copied.iter().any(|copied| copied.function == by)) {
                // The fixture does it.
                if self.used.contains(&at) {
                    return Err(ReasonCode::UnwritableStep.of("row"));
                }
                continue;
            }
            written.push((at, self.step(at, step)?));
        }
        written.reverse();
        Ok(written)
    }

    fn step(&mut self, at: usize, step: &Step) -> Result<Vec<String>, Reason> {
        match step {
            Step::Direct { .. } => Ok(Vec::new()),
            Step::Function { name, args, kwargs, awaited, .. } => {
                let spelled = self.spell(&TypeName::new(&name.0, &name.1))?;
                Ok(Expr::call_with(&spelled, self.items(args, kwargs)?).lines(4, awaiting(*awaited), ""))
            }
            Step::Call { on, ty, method, args, kwargs, client, awaited, place, .. } => {
                let receiver = match place {
                    Some(place) => self.session(place)?,
                    None => self.receiver(on, ty, client.as_deref())?,
                };
                check_address(step)?;
                Ok(self.call(&receiver, method, args, kwargs)?.lines(4, awaiting(*awaited), ""))
            }
            Step::Row { model, method, args, kwargs, .. } => {
                let is_used = self.used.contains(&at);
                let is_for_others = model.0.starts_with("django.contrib.auth") && !self.is_named_later(at, (args, kwargs));
                if !is_used && (is_for_others || method.is_empty()) {
                    return Ok(Vec::new());
                }
                let class = self.spell(&TypeName::new(&model.0, &model.1))?;
                let items = self.items(args, kwargs)?;
                let name = &self.rows[&at];
                let prefix = if is_used { format!("{name} = ") } else { String::new() };
                let made = if method.is_empty() { class } else { format!("{class}.objects.{method}") };
                Ok(Expr::call_with(&made, items).lines(4, &prefix, ""))
            }
        }
    }

    /// Tells whether a later step says a text that a row was made with, as a login says the name of a user.
    fn is_named_later(&self, at: usize, (args, kwargs): answers::Given<'_>) -> bool {
        let mut texts = args.iter().chain(kwargs.iter().map(|(_, value)| value)).filter_map(serde_json::Value::as_str);
        let said: Vec<String> = self.scene.steps[at + 1..].iter().filter_map(said).collect();
        texts.any(|text| !text.is_empty() && said.iter().any(|said| said.contains(&serde_json::Value::from(text).to_string())))
    }

    /// Writes a request that a factory of Django's makes, in lines of its own; gives its name.
    fn request(&mut self, told: &serde_json::Value, param: &str, lines: &mut Vec<String>) -> Result<String, Reason> {
        let unwritable = || ReasonCode::UnwritableStep.of("request");
        let text = |value: Option<&serde_json::Value>| value.and_then(|value| value.as_str()).map(str::to_owned);
        let list = |key: &str| told.get(key).and_then(|value| value.as_array()).cloned().unwrap_or_default();
        let named = |pairs: Vec<serde_json::Value>| -> Vec<(String, serde_json::Value)> {
            pairs.iter().filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.clone()))).collect()
        };
        let factory = told.get("factory").ok_or_else(unwritable)?;
        let (module, class) = (text(factory.get(0)).ok_or_else(unwritable)?, text(factory.get(1)).ok_or_else(unwritable)?);
        let receiver = match text(told.get("way")).filter(|way| !way.starts_with("self.")) {
            Some(way) => {
                self.fixture(way.split('.').next().unwrap_or(&way))?;
                way
            }
            // pytest-django has a fixture for it.
            None if self.scene.has_django && class == "RequestFactory" => {
                if !self.fixtures.iter().any(|known| known == "rf") {
                    self.fixtures.push("rf".to_owned());
                }
                "rf".to_owned()
            }
            None => format!("{}()", self.spell(&TypeName::new(&module, &class))?),
        };
        let method = text(told.get("method")).ok_or_else(unwritable)?;
        let made = self.call(&receiver, &method, &list("args"), &named(list("kwargs")))?;
        let name = if self.taken.insert(param.to_owned()) { param.to_owned() } else { self.scope.local(param, &mut self.taken) };
        lines.extend(made.lines(4, &format!("{name} = "), ""));
        for (key, value) in named(list("set")) {
            let value = self.value(&value, None)?;
            lines.extend(value.lines(4, &format!("{name}.{key} = "), ""));
        }
        Ok(name)
    }

    /// Spells an importable thing and notes the import.
    fn spell(&mut self, ty: &TypeName) -> Result<String, Reason> {
        self.project.may_import(ty)?;
        let (spelled, import) = self.scope.spell(&self.project.facades.public(ty))?;
        self.imports.extend(import);
        Ok(spelled)
    }

    /// Tells whether a type is one of the project's, and no framework's.
    fn project_type(&self, ty: &str) -> bool {
        let head = ty.split('.').next().unwrap_or_default();
        (self.project.module)(head).is_some() || matches!(head, "conftest" | "tests")
    }

    /// Writes the marks of the recorded test that this one needs too.
    fn marks(&mut self) -> Result<Vec<String>, Reason> {
        let scene = self.scene;
        let mut lines = Vec::new();
        let has_db = |name: &str| matches!(name, "db" | "transactional_db" | "django_db_reset_sequences");
        let of_django = |case: &str| case.starts_with("django.test.") || case.starts_with("rest_framework.test.");
        let is_case = scene.case.as_deref().is_some_and(|case| of_django(case) && !case.ends_with("SimpleTestCase"));
        for (name, args, kwargs) in &scene.marks {
            let given = args.first().and_then(serde_json::Value::as_str);
            let is_there = |fixture| scene.closure(self.fixtures.iter().map(String::as_str)).contains(&fixture);
            // pytest refuses a parameter of a fixture that the test does without.
            if name == "usefixtures" || name == "parametrize" && !given.is_some_and(is_there) {
                continue;
            }
            let mut items = Vec::new();
            for value in args {
                items.push(Item::from(self.value(value, None)?));
            }
            for (key, value) in kwargs {
                items.push(Item::keyword(key, self.value(value, None)?));
            }
            let given = if items.is_empty() { String::new() } else { Expr::call_with("", items).flat() };
            lines.push(format!("@pytest.mark.{name}{given}"));
        }
        let django = scene.direct.iter().any(|name| has_db(name)) || is_case && scene.has_django;
        if django && !lines.iter().any(|line| line.starts_with("@pytest.mark.django_db")) {
            lines.insert(0, "@pytest.mark.django_db".to_owned());
        }
        let of_marks = scene.marks.iter().filter(|(name, ..)| name == "usefixtures");
        let of_marks = of_marks.flat_map(|(_, args, _)| args.iter().filter_map(|name| name.as_str()));
        // anyio adds it to each test that bears its mark.
        let of_marks = of_marks.filter(|name| *name != "anyio_backend");
        let direct = scene.direct.iter().map(String::as_str);
        // What else gives an object that no step used did nothing for the request.
        let is_felt = |name: &&str| {
            !self.replaced.contains(*name)
                && scene.fixtures.get(*name).is_some_and(|origin| {
                    // A module, a class or a function is there without the fixture, too.
                    let is_code = matches!(origin.ty.as_str(), "builtins.module" | "builtins.function" | "builtins.type");
                    origin.place != Defined::Plugin && (origin.pk.is_some() || origin.ty.starts_with("builtins.") && !is_code)
                })
        };
        // What they put in the place of something else is there for this test, too. Where a test file has such a fixture to itself, the
        // proof shows whether the test does without.
        let mut replacing = Vec::new();
        for (name, is_there) in &scene.replacing {
            let is_own = scene.fixtures.get(name).is_some_and(|origin| origin.place == Defined::Module);
            match self.reaches(name) {
                Ok(()) if *is_there => {}
                Ok(()) => replacing.push(name.as_str()),
                Err(_) if is_own => {}
                Err(reason) => return Err(reason),
            }
        }
        let wanted: Vec<&str> = direct.filter(is_felt).chain(of_marks).chain(replacing).collect();
        let mut others: Vec<String> = Vec::new();
        for name in &wanted {
            let rest = wanted.iter().copied().filter(|other| other != name);
            let covered = scene.closure(self.fixtures.iter().map(String::as_str).chain(rest));
            if !covered.contains(name) && !others.iter().any(|other| other == name) {
                self.reaches(name)?;
                others.push((*name).to_owned());
            }
        }
        if !others.is_empty() {
            let names: Vec<Expr> = others.into_iter().map(Expr::Text).collect();
            lines.push(Expr::call("@pytest.mark.usefixtures", names).flat());
        }
        if !lines.is_empty() {
            self.imports.insert(Import::module("pytest"));
        }
        Ok(lines)
    }
}

/// Gives what a request is made with, as JSON.
fn said(step: &Step) -> Option<String> {
    let Step::Call { args, kwargs, .. } = step else { return None };
    serde_json::to_string(&(args, kwargs)).ok()
}

/// What stands before a call that is awaited.
fn awaiting(awaited: bool) -> &'static str {
    if awaited { "await " } else { "" }
}

/// Tells whether a step ran a command: what it left in the temporary folder lies there in the tests of the commands after it.
fn is_command(step: &Step) -> bool {
    matches!(step, Step::Call { answer: Some(answer), .. } if answer.by == Framework::Click)
}

/// Tells whether a step only looked at something, or was refused.
fn changes_nothing(step: &Step) -> bool {
    let Step::Call { ty, method, answer: Some(answer), .. } = step else { return false };
    let looks = matches!(method.as_str(), "get" | "head" | "options");
    is_client(ty) && answer.status.is_some_and(|status| looks && status == 200 || status >= 400)
}

/// Tells whether a class is a framework's client for tests.
fn is_client(ty: &str) -> bool {
    ["flask.testing.", "werkzeug.test.", "django.test.", "rest_framework.test.", "starlette.testclient.", "httpx"]
        .iter()
        .any(|of| ty.starts_with(of))
}

/// Fails where the address of a request was redacted: a made-up one leads nowhere.
fn check_address(step: &Step) -> Result<(), Reason> {
    let Step::Call { ty, args, kwargs, answer: Some(_), .. } = step else { return Ok(()) };
    let named = || kwargs.iter().find(|(name, _)| matches!(name.as_str(), "path" | "url")).map(|(_, address)| address);
    let address = args.first().or_else(named).filter(|_| is_client(ty));
    match address.and_then(|address| address.get("made_up")?.as_str()) {
        Some(word) => Err(ReasonCode::Redacted.of(word)),
        None => Ok(()),
    }
}
