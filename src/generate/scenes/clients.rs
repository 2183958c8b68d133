//! What a step is called on: the value of a fixture, a row, or a client that the test makes itself, as the recorded one did.

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::{Client, Defined};
use crate::domain::value::TypeName;
use crate::generate::layout::{Expr, Item};
use crate::generate::scenes::writer::Writer;

/// What a client is called that a class of tests has.
const CLIENT: &str = "client";

/// A client that the test makes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Made {
    /// Which one it was in the recorded test.
    on: String,
    name: String,
    /// The code that makes it.
    code: Expr,
    /// It is a context manager around all that follows.
    pub(super) entered: bool,
    /// An asynchronous one.
    awaited: bool,
}

impl Writer<'_, '_> {
    /// Writes what a method is called on.
    pub(super) fn receiver(&mut self, on: &str, ty: &str, client: Option<&Client>) -> Result<String, Reason> {
        if let Some(at) = on.strip_prefix('#').and_then(|at| at.parse().ok()) {
            self.used.insert(at);
            return self.rows.get(&at).cloned().ok_or_else(|| ReasonCode::UnwritableStep.of("row"));
        }
        if let Some(client) = client {
            return self.made(on, client);
        }
        let Some(attribute) = on.strip_prefix("self.") else {
            let name = on.split('.').next().unwrap_or(on);
            self.fixture(name)?;
            return Ok(on.to_owned());
        };
        let is_djangos = |case: &String| case.starts_with("django.") || case.starts_with("rest_framework.");
        if self.scene.case.as_ref().is_some_and(|case| !is_djangos(case)) {
            return Err(ReasonCode::ClientOfTestCase.of(on));
        }
        if !self.scene.has_django {
            return Err(ReasonCode::NeedsPytestDjango.into());
        }
        if ty == "django.test.client.Client" {
            if !self.fixtures.iter().any(|known| known == CLIENT) {
                self.fixtures.push(CLIENT.to_owned());
            }
            return Ok(CLIENT.to_owned());
        }
        if self.client.is_some() {
            return Ok(CLIENT.to_owned());
        }
        if attribute != CLIENT || !ty.starts_with("rest_framework.test.") {
            return Err(ReasonCode::FixtureInTestFile.of(on));
        }
        let class = self.spell(&type_name(ty))?;
        Ok(self.take_client(on, CLIENT, Expr::call(&class, Vec::new()), (false, false)))
    }

    /// Writes a client that the recorded test made of an application.
    fn made(&mut self, on: &str, client: &Client) -> Result<String, Reason> {
        if let Some(made) = &self.client {
            // A second one has cookies of its own.
            let is_modules = |on: &str| self.scene.fixtures.get(on).is_some_and(|origin| origin.place == Defined::Module);
            return match [on, made.on.as_str()].into_iter().find(|on| is_modules(on)) {
                _ if made.on == on => Ok(made.name.clone()),
                Some(fixture) => Err(ReasonCode::FixtureInTestFile.of(fixture)),
                None => Err(ReasonCode::UnwritableStep.of(&client.name)),
            };
        }
        if client.replaced {
            // What its own fixture put there, the fixture puts there again.
            let is_modules = self.scene.fixtures.get(on).is_some_and(|origin| origin.place == Defined::Module);
            if !is_modules {
                return Err(ReasonCode::FixtureChanged.of("dependency_overrides"));
            }
            self.fixture(on)?;
            return Ok(on.to_owned());
        }
        let app = client.app.as_ref().map(|app| self.value(app, None)).transpose()?;
        let code = match (&client.class, &client.method, app) {
            (Some((module, class)), _, app) => {
                let class = self.spell(&TypeName::new(module, class))?;
                let app = match (&client.transport, app) {
                    (Some((module, transport)), Some(app)) => {
                        let transport = self.spell(&TypeName::new(module, transport))?;
                        let made = Expr::call_with(&transport, vec![Item::keyword("app", app)]);
                        Some(Item::keyword("transport", made))
                    }
                    (_, app) => app.map(Item::from),
                };
                let mut items: Vec<Item> = app.into_iter().collect();
                for (name, value) in &client.kwargs {
                    items.push(Item::keyword(name, self.value(value, None)?));
                }
                Expr::call_with(&class, items)
            }
            (None, Some(method), Some(app)) => Expr::call(&format!("{}.{method}", app.flat()), Vec::new()),
            _ => return Err(ReasonCode::UnwritableStep.of(&client.name)),
        };
        let name = self.scope.local(&client.name, &mut self.own_names());
        Ok(self.take_client(on, &name, code, (client.entered, client.awaited)))
    }

    /// Lists the names that are taken, without the fixtures that this test does not take.
    pub(super) fn own_names(&self) -> std::collections::BTreeSet<String> {
        let is_only_theirs = |name: &&String| self.scene.fixtures.contains_key(*name) && !self.fixtures.contains(name);
        self.taken.iter().filter(|name| !is_only_theirs(name)).cloned().collect()
    }

    fn take_client(&mut self, on: &str, name: &str, code: Expr, (entered, awaited): (bool, bool)) -> String {
        self.taken.insert(name.to_owned());
        self.client = Some(Made { on: on.to_owned(), name: name.to_owned(), code, entered, awaited });
        name.to_owned()
    }

    /// Puts the lines that make the application and the client before others, the client around them where it was entered.
    pub(super) fn with_client(&self, lines: Vec<String>) -> Vec<String> {
        let first = self.first.iter().cloned();
        let Some(made) = &self.client else { return first.chain(lines).collect() };
        if !made.entered {
            return first.chain(made.code.lines(4, &format!("{} = ", made.name), "")).chain(lines).collect();
        }
        let with = if made.awaited { "async with " } else { "with " };
        let around = made.code.lines(4, with, &format!(" as {}:", made.name));
        let indented = lines.into_iter().map(|line| if line.is_empty() { line } else { format!("    {line}") });
        first.chain(around).chain(indented).collect()
    }
}

/// Parts `package.module.Class`; the class is what begins with the first capital.
fn type_name(dotted: &str) -> TypeName {
    let at = dotted.split('.').scan(0, |start, part| {
        let here = *start;
        *start += part.len() + 1;
        Some((here, part))
    });
    let class = at.into_iter().find(|(_, part)| part.chars().next().is_some_and(char::is_uppercase)).map(|(at, _)| at);
    match class {
        Some(at) if at > 0 => TypeName::new(&dotted[..at - 1], &dotted[at..]),
        _ => TypeName::new("builtins", dotted),
    }
}
