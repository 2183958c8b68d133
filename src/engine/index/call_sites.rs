//! By which names functions read another one, and how they write their calls of it. Looks at the index, and remembers what it
//! found: many calls are made from one place.

use std::collections::HashMap;

use crate::domain::call::{Argument, Call};
use crate::domain::function::{Function, FunctionId, Module, Param};
use crate::domain::value::{TypeName, Value};
use crate::domain::way::{Given, Led};
use crate::source::called::{self, Form};
use crate::source::index::Index;
use crate::source::names::absolute;

/// Modules that hand a function on, one to the next, that are followed.
const REEXPORTS: usize = 4;

/// What is known of the places that read functions.
pub struct Readers<'a> {
    /// Where functions are found.
    pub index: &'a Index,
    modules: HashMap<&'a str, &'a Module>,
    /// By the function and who calls it.
    places: HashMap<(FunctionId, FunctionId), TypeName>,
    /// By who calls and the name of what is called.
    forms: HashMap<(FunctionId, String), Option<Form>>,
}

impl<'a> Readers<'a> {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(index: &'a Index) -> Self {
        let modules = index.modules().map(|module| (module.name.as_str(), module.as_ref())).collect();
        Self { index, modules, places: HashMap::new(), forms: HashMap::new() }
    }

    /// Names a function as a caller reads it: for its own module where nothing else is known.
    pub fn place(&mut self, function: &Function, caller: Option<&FunctionId>) -> TypeName {
        let home = || TypeName::new(function.id.module(), function.written());
        let Some(caller) = caller.filter(|_| !function.written().contains('.')) else { return home() };
        let key = (function.id.clone(), caller.clone());
        if let Some(known) = self.places.get(&key) {
            return known.clone();
        }
        let place = self.imported(function, caller).unwrap_or_else(home);
        self.places.insert(key, place.clone());
        place
    }

    fn imported(&self, function: &Function, caller: &FunctionId) -> Option<TypeName> {
        let caller = self.index.function(caller)?;
        let module = self.index.module(&caller.path).filter(|module| module.name != function.id.module())?;
        let mut names = self.names(module, &function.id, REEXPORTS).into_iter();
        Some(TypeName::new(&module.name, names.find(|name| caller.uses.contains(*name))?))
    }

    /// Lists the names by which a module knows a function that it imports, also by way of others.
    fn names<'m>(&self, module: &'m Module, function: &'m FunctionId, depth: usize) -> Vec<&'m str> {
        let outer = module.imports.iter().filter(|import| !module.is_inner(import.line));
        let known = outer.filter_map(|import| {
            let from = absolute(module, &import.module)?;
            let name = import.name.as_deref()?;
            let wanted = if name == "*" { function.qualname() } else { name };
            self.leads(&from, wanted, function, depth).then(|| import.alias.as_deref().unwrap_or(wanted))
        });
        known.collect()
    }

    /// Tells whether a name of a module is the function, or is imported from where it is.
    fn leads(&self, module: &str, name: &str, function: &FunctionId, depth: usize) -> bool {
        if function.module() == module {
            return function.qualname() == name;
        }
        let Some(module) = self.modules.get(module).filter(|_| depth > 0) else { return false };
        self.names(module, function, depth - 1).contains(&name)
    }

    /// Finds how callers write the arguments of what they know by this name, when that is the same in each of them.
    pub fn form<'c>(&mut self, name: &str, callers: impl Iterator<Item = Option<&'c FunctionId>>) -> Option<Form> {
        let mut found = None;
        for caller in callers {
            let form = self.form_in(name, caller?)?;
            if found.as_ref().is_some_and(|other| *other != form) {
                return None;
            }
            found = Some(form);
        }
        found
    }

    fn form_in(&mut self, name: &str, caller: &FunctionId) -> Option<Form> {
        let key = (caller.clone(), name.to_owned());
        if let Some(known) = self.forms.get(&key) {
            return known.clone();
        }
        let read = || {
            let caller = self.index.function(caller)?;
            called::form(&self.index.text(&caller.path)?, caller.span.def, name)
        };
        let form = read();
        self.forms.insert(key, form.clone());
        form
    }
}

/// The forms in which today's text of a recorded caller calls a function: what a changed signature is judged by.
pub struct Sites<'a> {
    index: &'a Index,
    /// By who calls, which may be code outside of all functions, and the name of what is called.
    found: HashMap<(Option<FunctionId>, String), Vec<Form>>,
}

impl<'a> Sites<'a> {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(index: &'a Index) -> Self {
        Self { index, found: HashMap::new() }
    }

    /// Lists them where the function of today may refuse what a recorded call gave, none where nobody knows them; `None` where
    /// its parameters are what they were.
    pub fn of(&mut self, call: &Call, function: &Function) -> Option<Vec<Form>> {
        if call.way.led == Led::Unknown || takes_the_same(function, call) {
            return None;
        }
        let name = function.name().to_owned();
        let key = (call.caller.clone(), name.clone());
        if let Some(known) = self.found.get(&key) {
            return Some(known.clone());
        }
        // An instance is made by its class, and its bases are asked by their `__init__`.
        let class = function.written().rsplit('.').nth(1).filter(|_| name == "__init__");
        let made = match call.args.first().map(|arg| &arg.value) {
            Some(Value::Object { ty, .. }) if name == "__init__" => ty.qualname.rsplit('.').next(),
            _ => None,
        };
        let names: Vec<&str> = [Some(name.as_str()), class, made].into_iter().flatten().collect();
        let found = self.read(call.caller.as_ref(), &names).unwrap_or_default();
        self.found.insert(key, found.clone());
        Some(found)
    }

    fn read(&self, caller: Option<&FunctionId>, names: &[&str]) -> Option<Vec<Form>> {
        if let Some(caller) = caller {
            // One that is gone does not make the call any more.
            let Some(caller) = self.index.function(caller) else { return Some(Vec::new()) };
            return called::forms(&self.index.text(&caller.path)?, Some(caller.span.def), names);
        }
        let mut all = Vec::new();
        for module in self.index.modules() {
            let text = self.index.text(&module.path)?;
            if !names.iter().any(|name| text.contains(name)) {
                continue;
            }
            let tests = module.functions.iter().filter(|_| module.is_test()).map(|function| Some(function.span.def));
            for def in [None].into_iter().chain(tests) {
                all.extend(called::forms(&text, def, names)?);
            }
        }
        Some(all)
    }
}

/// Tells whether a function has the parameters that it had, and defaults for those that were left out.
fn takes_the_same(function: &Function, call: &Call) -> bool {
    let is_it = |param: &Param, arg: &Argument| {
        param.name == arg.name && param.kind == arg.kind && (arg.given != Given::LeftOut || param.default.is_some())
    };
    function.params.len() == call.args.len() && function.params.iter().zip(&call.args).all(|(param, arg)| is_it(param, arg))
}
