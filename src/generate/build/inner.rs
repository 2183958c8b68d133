//! Functions that other functions define: by a call of the one that makes them, else by their own lines, which the test repeats.

use crate::domain::function::{Function, FunctionKind, Module, Param};
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, no};
use crate::generate::layout::{self, Expr, Item};
use crate::generate::scope::{Import, is_identifier};
use crate::generate::statement::Statement;

/// Longer ones are not read at a glance.
const LINES_MAX: usize = 8;
/// So many variables of the function around one are set before it is defined.
const HELD_MAX: usize = 3;
/// What an evaluation calls to define a function from its lines (`worker/definitions.py`).
const DEFINE: &str = "__define__";

/// Tells whether a value is a function or a method that no name leads to: `==` compares such by identity.
pub(in crate::generate) fn is_unnamed_callable(value: &Value) -> bool {
    match value {
        Value::New { ty, .. } => matches!(ty.qualname.as_str(), "eval" | "FunctionType"),
        Value::Partial { .. } | Value::Method { .. } => true,
        _ => false,
    }
}

impl<'a> Builder<'a, '_> {
    /// Gives a callable a name, so that a test can say that it is this one which is kept.
    pub(in crate::generate) fn named_callable(&mut self, value: &Value, built: Expr, hint: &str) -> Expr {
        if self.callable_name(value).is_some() {
            return built;
        }
        let name = self.bind_new(hint, built);
        self.work.defined.push((value.clone(), name.clone()));
        Expr::Atom(name)
    }

    /// Finds the name of a callable that the test has.
    pub(in crate::generate) fn callable_name(&self, value: &Value) -> Option<&str> {
        self.work.defined.iter().find(|(known, _)| known == value).map(|(_, name)| name.as_str())
    }

    /// Writes a function that another one defined: its module, its name, what it closed over and its defaults were recorded.
    pub(super) fn inner_function(&mut self, ty: &TypeName, args: &[Value]) -> Result<Expr, Stop> {
        let told = |name: &str| ReasonCode::LocalFunction.of(name.replace(".<locals>", ""));
        let [Value::Str(module), Value::Str(qualname), Value::Dict(held), defaults] = args else { return no(told("")) };
        let whole = Value::New { ty: ty.clone(), args: args.to_vec(), kwargs: Vec::new() };
        if let Some(name) = self.callable_name(&whole) {
            return Ok(Expr::atom(name));
        }
        let mut variables = Vec::new();
        for (name, value) in held {
            let Value::Str(name) = name else { return no(told(qualname)) };
            variables.push((name.as_str(), value));
        }
        // One way alone: what it closed over may hold such functions again.
        if let Some(maker) = self.maker(module, qualname, &variables) {
            return self.by_its_maker(module, maker, &variables);
        }
        let has_defaults = !matches!(defaults, Value::Tuple(items) if items.is_empty());
        let made = self.by_its_lines(module, qualname, &variables, has_defaults)?;
        if let Expr::Atom(name) = &made {
            self.work.defined.push((whole, name.clone()));
        }
        Ok(made)
    }

    /// Finds the function that makes it, if calling that with what it closed over does.
    fn maker(&self, module: &str, qualname: &str, held: &[(&str, &Value)]) -> Option<&'a Function> {
        let (outer, name) = qualname.split_once(".<locals>.")?;
        let is_test = (self.project.module)(module).is_none_or(Module::is_test);
        let function = self.project.function(&TypeName::new(module, outer)).filter(|_| !name.contains('.') && !is_test)?;
        let is_plain = !function.is_async && !function.is_generator && function.decorators.is_empty();
        let is_kind = matches!(function.kind, FunctionKind::Function | FunctionKind::StaticMethod | FunctionKind::Method);
        let is_held = |param: &Param| held.iter().any(|(name, _)| *name == param.name);
        // What else was given may have been anything: the function does not depend on it.
        let is_known = |param: &Param| is_held(param) && !param.kind.is_variadic();
        let can = |param: &Param| is_known(param) || !is_held(param) && (param.default.is_some() || param.kind.is_variadic());
        let needs_receiver = function.kind == FunctionKind::Method && !function.params.first().is_some_and(is_known);
        (is_plain && is_kind && !needs_receiver && function.params.iter().all(can)).then_some(function)
    }

    /// Writes the call of the function that makes it.
    fn by_its_maker(&mut self, module: &str, function: &Function, held: &[(&str, &Value)]) -> Result<Expr, Stop> {
        let value_of = |name: &str| held.iter().find(|(held, _)| *held == name).map(|(_, value)| *value);
        let mut params = function.params.as_slice();
        let callee = match (function.kind, params) {
            (FunctionKind::Method, [receiver, rest @ ..]) => {
                params = rest;
                let value = value_of(&receiver.name).unwrap_or(&Value::None);
                match self.value(value, "owner")? {
                    Expr::Atom(text) if text.split('.').all(is_identifier) => format!("{text}.{}", function.name()),
                    built => format!("{}.{}", self.bind_new("owner", built), function.name()),
                }
            }
            _ => self.spell(&TypeName::new(module, function.written()))?,
        };
        let mut items = Vec::new();
        for param in params {
            if let Some(value) = value_of(&param.name) {
                items.push(Item::keyword(&param.name, self.value(value, &param.name)?));
            }
        }
        if let [only] = items.as_mut_slice()
            && params.first().is_some_and(|first| only.prefix == format!("{}=", first.name))
        {
            only.prefix.clear();
        }
        Ok(Expr::call_with(&callee, items))
    }

    /// Repeats its lines in the test, below what it closed over.
    fn by_its_lines(&mut self, module: &str, qualname: &str, held: &[(&str, &Value)], has_defaults: bool) -> Result<Expr, Stop> {
        let refuse = || ReasonCode::LocalFunction.of(qualname);
        let Some(home) = (self.project.module)(module) else { return no(refuse()) };
        let mut named = home.functions.iter().filter(|function| function.written() == qualname);
        let (Some(function), None) = (named.next(), named.next()) else { return no(refuse()) };
        // A decorator is given the function as it is defined, and what it makes of it would have been recorded otherwise.
        let can = function.kind == FunctionKind::Nested && held.len() <= HELD_MAX;
        let Some(text) = (self.project.text)(&home.path, function.span).filter(|_| can && !has_defaults) else {
            return no(refuse());
        };
        let Some(text) = dedented(&text).filter(|text| text.lines().count() <= LINES_MAX) else { return no(refuse()) };
        self.import_used(function, home)?;
        for (variable, value) in held {
            let built = self.value(value, variable)?;
            if matches!(&built, Expr::Atom(name) if name == variable) {
                continue;
            }
            if self.bind_new(variable, built) != **variable {
                return no(refuse());
            }
        }
        let name = self.scope.local(function.name(), &mut self.work.taken);
        if name != function.name() {
            return no(refuse());
        }
        let variables: Vec<String> = held.iter().map(|(name, _)| format!("{}: {name}", layout::string(name))).collect();
        let given = [text.as_str(), module, qualname].map(layout::string).join(", ");
        let fold = format!("({name} := {DEFINE}({given}, {{{}}}))", variables.join(", "));
        self.work.setup.push(Statement::define(&name, &text, fold));
        Ok(Expr::Atom(name))
    }

    /// Imports what the lines of a function name of their module, under the same names.
    fn import_used(&mut self, function: &Function, home: &Module) -> Result<(), Stop> {
        let refuse = || ReasonCode::LocalFunction.of(function.id.qualname());
        for import in &home.imports {
            let bound = import.alias.as_deref().or(import.name.as_deref()).unwrap_or(&import.module);
            let is_used = function.uses.contains(bound.split('.').next().unwrap_or(bound));
            if !is_used || import.line >= function.span.first && import.line <= function.span.last {
                continue;
            }
            if import.module.starts_with('.') || import.name.as_deref() == Some("*") {
                return no(refuse());
            }
            let renamed = import.alias.as_ref().is_some_and(|alias| Some(alias) != import.name.as_ref());
            match &import.name {
                Some(name) if !renamed => {
                    let (spelled, needed) = self.scope.spell(&TypeName::new(&import.module, name))?;
                    if spelled != *name {
                        return no(refuse());
                    }
                    self.work.imports.extend(needed);
                }
                None if !renamed => {
                    self.work.imports.insert(Import::module(&import.module));
                }
                _ => return no(refuse()),
            }
        }
        let own = home.functions.iter().map(Function::written).chain(home.classes.iter().map(|class| class.qualname.as_str()));
        let used: Vec<&str> = own.filter(|name| !name.contains('.') && function.uses.contains(*name)).collect();
        for name in used {
            if self.spell(&TypeName::new(&home.name, name))? != name {
                return no(refuse());
            }
        }
        Ok(())
    }
}

/// Takes the decorators and the common margin off the lines of a definition; `None` where a text over several lines would change with it.
pub(in crate::generate) fn dedented(text: &str) -> Option<String> {
    let margin = text.len() - text.trim_start_matches(' ').len();
    let is_begun =
        |line: &&str| line.get(margin..).is_some_and(|line| line.starts_with("def ") || line.starts_with("async def "));
    let mut lines = Vec::new();
    for line in text.lines().map(str::trim_end).skip_while(|line| !is_begun(line)) {
        let own = line.len() - line.trim_start_matches(' ').len();
        if !line.is_empty() && own < margin || line.contains("\"\"\"") || line.contains("'''") || line.contains('\t') {
            return None;
        }
        lines.push(line.get(margin..).unwrap_or_default());
    }
    let first = lines.first()?;
    (first.starts_with("def ") || first.starts_with("async def ")).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_taken_off_a_definition_and_of_a_long_text_nothing() {
        let text = "        def small(x):\n            return x < 3\n";
        assert_eq!(dedented(text).as_deref(), Some("def small(x):\n    return x < 3"));
        let decorated = format!("        @keep(\n            1,\n        )\n        @other\n{text}");
        assert_eq!(dedented(&decorated), dedented(text));
        let long = "    def small(x):\n        return \"\"\"a\n    b\"\"\"\n";
        assert_eq!(dedented(long), None);
        assert_eq!(dedented("    small = 3\n"), None);
    }
}
