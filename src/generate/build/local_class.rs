//! Classes that a test defines in its own body: the test that is written repeats their lines.

use crate::domain::function::{Class, Module};
use crate::domain::reason::ReasonCode;
use crate::domain::value::TypeName;
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout;
use crate::generate::scope::{Import, is_builtin};
use crate::generate::statement::Statement;
use crate::source::bare::bare;
use crate::source::free_names::free_names;
use crate::source::names::absolute;

/// Longer ones are not read at a glance.
const LINES_MAX: usize = 10;
/// A class may be derived from another one of the same test, and so on.
const DEPTH_MAX: usize = 3;
/// What an evaluation calls to define a class from its lines (`worker/definitions.py`).
const DEFINE: &str = "__define__";

impl Builder<'_, '_> {
    /// Gives the name of a class that a test defined in its body, and defines it first where the test has not.
    pub(super) fn local_class(&mut self, ty: &TypeName) -> Result<String, Stop> {
        if let Some((_, name)) = self.work.classes.iter().find(|(known, _)| known == ty) {
            return Ok(name.clone());
        }
        let refuse = || ReasonCode::LocalClass.of(ty.short());
        // What is expected makes no new lines, and a class of the program itself is not to be copied.
        let home = (self.project.module)(&ty.module).filter(|module| module.is_for_tests() && self.expecting.is_none());
        let Some((home, class)) = home.and_then(|home| Some((home, only(home, ty)?))) else { return no(refuse()) };
        let Some(text) = (self.project.text)(&home.path, class.span).map(|text| bare(&text)) else { return no(refuse()) };
        let is_class = text.starts_with("class ") || text.starts_with('@');
        let is_short = text.lines().count() <= LINES_MAX && self.local_depth < DEPTH_MAX;
        if !is_class || !is_short || ["\"\"\"", "'''", "\t"].iter().any(|sign| text.contains(sign)) {
            return no(refuse());
        }
        let Some(free) = free_names(&text) else { return no(refuse()) };
        self.local_depth += 1;
        let bound = free.iter().try_for_each(|name| self.bind_free(home, ty, name));
        self.local_depth -= 1;
        bound?;
        let name = self.scope.local(ty.short(), &mut self.work.taken);
        if name != ty.short() {
            return no(refuse());
        }
        let given = [text.as_str(), ty.module.as_str(), ty.qualname.as_str()].map(layout::string).join(", ");
        self.work.setup.push(Statement::define(&name, &text, format!("({name} := {DEFINE}({given}, {{}}))")));
        self.work.classes.push((ty.clone(), name.clone()));
        Ok(name)
    }

    /// Lets a name that the lines of a class read stand for what it stands for there.
    fn bind_free(&mut self, home: &Module, ty: &TypeName, name: &str) -> Result<(), Stop> {
        let refuse = || ReasonCode::LocalClass.of(ty.short());
        let around = ty.qualname.rsplit_once('.').map_or("", |(around, _)| around);
        let beside = TypeName::new(&ty.module, format!("{around}.{name}"));
        if only(home, &beside).is_some() {
            return self.local_class(&beside).map(|_| ());
        }
        if let Some(import) = home.import_of(name) {
            let renamed = import.alias.is_some() && import.alias != import.name;
            let Some(source) = absolute(home, &import.module).filter(|_| !renamed) else { return no(refuse()) };
            return match &import.name {
                Some(what) => {
                    let (spelled, needed) = self.scope.spell(&TypeName::new(source, what))?;
                    self.work.imports.extend(needed);
                    if spelled == name { Ok(()) } else { no(refuse()) }
                }
                None => {
                    self.work.imports.insert(Import::module(&source));
                    Ok(())
                }
            };
        }
        let own = home.functions.iter().map(|function| function.written());
        if own.chain(home.classes.iter().map(|class| class.qualname.as_str())).any(|known| known == name) {
            let spelled = self.spell(&TypeName::new(&home.name, name))?;
            return if spelled == name { Ok(()) } else { no(refuse()) };
        }
        if is_builtin(name) { Ok(()) } else { no(refuse()) }
    }
}

/// Finds a class by its name, if one class alone has it.
fn only<'m>(home: &'m Module, ty: &TypeName) -> Option<&'m Class> {
    let mut named = home.classes.iter().filter(|class| class.qualname == ty.qualname);
    named.next().filter(|_| named.next().is_none() && ty.qualname.contains("<locals>"))
}
