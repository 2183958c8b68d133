//! What a test repeats of a test file, for nothing imports one: a small class, such as settings that an application is made with, a
//! function that the recorded test defines, and fixtures.

use crate::domain::function::{Function, FunctionKind, Module, Param};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::scene::Defined;
use crate::domain::value::TypeName;
use crate::generate::build::inner::dedented;
use crate::generate::layout::Expr;
use crate::generate::scenes::writer::Writer;
use crate::generate::scope::{Import, is_builtin};
use crate::source::bare::bare;
use crate::source::free_names::free_names;
use crate::source::names::absolute;

/// Longer classes and fixtures are not read at a glance.
const LINES_MAX: usize = 12;

impl Writer<'_, '_> {
    /// Names a class that a value is; one of a test file whose lines are few is repeated in the test.
    pub(super) fn class(&mut self, ty: &TypeName) -> Result<Expr, Reason> {
        let Some(home) = (self.project.module)(&ty.module).filter(|module| module.is_test()) else {
            return self.spell(ty).map(Expr::Atom);
        };
        match self.repeat_class(home, ty) {
            Ok(()) => Ok(Expr::atom(ty.short())),
            Err(_) => self.spell(ty).map(Expr::Atom),
        }
    }

    fn repeat_class(&mut self, home: &Module, ty: &TypeName) -> Result<(), Reason> {
        if self.repeated.contains(ty) {
            return Ok(());
        }
        let reason: Reason = ReasonCode::DefinedInTestFile.of(ty.short());
        let refuse = || reason.clone();
        let mut named = home.classes.iter().filter(|class| class.qualname == ty.qualname && !ty.qualname.contains('.'));
        let (Some(class), None) = (named.next(), named.next()) else { return Err(reason) };
        let text = (self.project.text)(&home.path, class.span).map(|text| bare(&text)).ok_or_else(refuse)?;
        if !text.starts_with("class ") {
            return Err(reason);
        }
        self.bind_names(home, &text, &[], &reason)?;
        self.repeat(ty, &text, reason)
    }

    /// Names a function that the recorded test defines and passes on: its lines are repeated in the test. `fixtures` are those that the
    /// lines name.
    pub(super) fn inner_function(&mut self, ty: &TypeName, fixtures: &[&str]) -> Result<Expr, Reason> {
        let reason: Reason = ReasonCode::UnwritableStep.of("function");
        if !self.repeated.contains(ty) {
            let refuse = || reason.clone();
            let home = (self.project.module)(&ty.module).ok_or_else(refuse)?;
            let mut named = home.functions.iter().filter(|function| function.written() == ty.qualname);
            let (Some(function), None) = (named.next(), named.next()) else { return Err(reason) };
            let text = (self.project.text)(&home.path, function.span).and_then(|text| dedented(&text)).ok_or_else(refuse)?;
            for name in fixtures {
                self.fixture(name)?;
            }
            self.bind_names(home, &text, fixtures, &reason)?;
            self.repeat(ty, &text, reason)?;
        }
        Ok(Expr::atom(ty.short()))
    }

    /// Writes the lines of a definition before the others, under the name that they give it.
    fn repeat(&mut self, ty: &TypeName, text: &str, reason: Reason) -> Result<(), Reason> {
        if self.scope.local(ty.short(), &mut self.own_names()) != ty.short() {
            return Err(reason);
        }
        self.taken.insert(ty.short().to_owned());
        self.repeated.push(ty.clone());
        // A definition is set apart by empty lines.
        let lines = text.lines().map(|line| format!("    {line}").trim_end().to_owned());
        self.first.extend(std::iter::once(String::new()).chain(lines).chain([String::new()]));
        Ok(())
    }

    /// Repeats a fixture of a test file beside the test, with those of the file that it takes.
    pub(super) fn repeat_fixture(&mut self, name: &str) -> Result<(), Reason> {
        if self.copied.iter().any(|copied| copied.name == name) {
            return Ok(());
        }
        let reason: Reason = ReasonCode::FixtureInTestFile.of(name);
        // One that takes another of its own name, directly or by others, would not end.
        if !self.begun.insert(name.to_owned()) {
            return Err(reason);
        }
        let refuse = || reason.clone();
        let scene = self.scene;
        let origin = scene.fixtures.get(name).ok_or_else(refuse)?;
        let (module, qualname) = origin.of.as_ref().ok_or_else(refuse)?;
        let home = (self.project.module)(module).ok_or_else(refuse)?;
        let mut named = home.functions.iter().filter(|function| function.written() == qualname);
        let (Some(function), None) = (named.next(), named.next()) else { return Err(reason) };
        let decorator = fixture_of(function).ok_or_else(refuse)?;
        let text = (self.project.text)(&home.path, function.span).ok_or_else(refuse)?;
        // As it is written, unless its documentation would be most of it.
        let text = if text.contains("\"\"\"") || text.contains("'''") { bare(&text) } else { text.trim_end().to_owned() };
        let text = alone(&text, function, name).ok_or_else(refuse)?;
        self.bind_names(home, &text, &[], &reason)?;
        for needed in &origin.needs {
            match scene.fixtures.get(needed).map(|origin| origin.place) {
                Some(Defined::Module) => self.repeat_fixture(needed)?,
                Some(_) => self.reaches(needed)?,
                None => return Err(reason),
            }
        }
        self.imports.insert(Import::module(decorator.split('.').next().unwrap_or(decorator)));
        let (name, function) = (name.to_owned(), function.name().to_owned());
        self.copied.push(Copied { name, function, text: format!("@{decorator}\n{text}") });
        Ok(())
    }

    /// Lets the names that the repeated lines read stand for what they stand for in their file; `known` are bound already.
    fn bind_names(&mut self, home: &Module, text: &str, known: &[&str], reason: &Reason) -> Result<(), Reason> {
        let refuse = || reason.clone();
        let is_odd = ["\"\"\"", "'''", "\t"].iter().any(|sign| text.contains(sign));
        if is_odd || text.lines().count() > LINES_MAX {
            return Err(refuse());
        }
        for name in free_names(text).ok_or_else(refuse)?.into_iter().filter(|name| !known.contains(&name.as_str())) {
            let Some(import) = home.import_of(&name) else {
                if is_builtin(&name) {
                    continue;
                }
                return Err(refuse());
            };
            let renamed = import.alias.is_some() && import.alias != import.name;
            let source = absolute(home, &import.module).filter(|_| !renamed).ok_or_else(refuse)?;
            match &import.name {
                Some(what) if self.spell(&TypeName::new(source.as_str(), what))? == *name => {}
                Some(_) => return Err(refuse()),
                None => {
                    self.imports.insert(Import::module(&source));
                }
            }
        }
        Ok(())
    }
}

/// A fixture of a test file, written again beside a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Copied {
    /// What tests take it by.
    pub(super) name: String,
    /// The function that defines it there.
    pub(super) function: String,
    pub(super) text: String,
}

/// Gives the decorator of a fixture that does not ask for what surrounds it, nor comes in several forms.
fn fixture_of(function: &Function) -> Option<&'static str> {
    let [decorator] = function.decorators.as_slice() else { return None };
    let is_taken = |param: &Param| param.name != "request" && param.default.is_none();
    let is_kind = matches!(function.kind, FunctionKind::Function | FunctionKind::Method);
    if !is_kind || decorator.contains("params") || !function.params.iter().all(is_taken) {
        return None;
    }
    match decorator.split('(').next().unwrap_or_default() {
        "pytest.fixture" | "fixture" => Some("pytest.fixture"),
        "pytest_asyncio.fixture" => Some("pytest_asyncio.fixture"),
        _ => None,
    }
}

/// Gives the lines of a fixture as those of a function of a module; `None` for a method that uses its object.
fn alone(text: &str, function: &Function, name: &str) -> Option<String> {
    let def = if function.is_async { "async def " } else { "def " };
    let at = text.find(&format!("{def}{}(", function.name()))?;
    let margin = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[at..].lines().map(|line| if line.trim().is_empty() { Some("") } else { line.get(margin..) });
    let first = text[at..].lines().next()?;
    let mut first = format!("{def}{name}{}", &first[def.len() + function.name().len()..]);
    if function.kind == FunctionKind::Method {
        first = first.replacen("(self, ", "(", 1).replacen("(self)", "()", 1);
    }
    lines.next();
    let rest: Option<Vec<&str>> = lines.collect();
    let whole = std::iter::once(first.as_str()).chain(rest?).collect::<Vec<_>>().join("\n");
    let uses_self = whole.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "self" || word == "cls");
    (!uses_self).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::RelPath;
    use crate::source::parse::parse;

    fn first(source: &str) -> Function {
        parse(&RelPath::new("test_shop.py").unwrap(), source.as_bytes(), "test_shop", "").functions[0].clone()
    }

    #[test]
    fn a_fixture_of_a_class_stands_alone_unless_it_uses_its_object() {
        let source = "class TestShop:\n    @pytest.fixture(name=\"client\")\n    async def made(self, app):\n        x = 1\n\n        return app, x\n";
        let function = first(source);
        let text = "    @pytest.fixture(name=\"client\")\n    async def made(self, app):\n        x = 1\n\n        return app, x";
        assert_eq!(fixture_of(&function), Some("pytest.fixture"));
        let alone_now = alone(text, &function, "client");
        assert_eq!(alone_now.as_deref(), Some("async def client(app):\n    x = 1\n\n    return app, x"));
        assert_eq!(alone(&text.replace("app, x", "self.app"), &function, "client"), None);
    }

    #[test]
    fn a_fixture_that_asks_what_surrounds_it_or_comes_in_forms_is_none_to_repeat() {
        for source in [
            "@pytest.fixture\ndef one(request):\n    return request.param\n",
            "@pytest.fixture(params=[1, 2])\ndef one():\n    return 1\n",
            "@cached\n@pytest.fixture\ndef one():\n    return 1\n",
            "def one():\n    return 1\n",
        ] {
            assert_eq!(fixture_of(&first(source)), None, "{source}");
        }
    }
}
