//! Types with a form of their own: dates, patterns, ranges, files, generators.

use crate::domain::function::ParamKind;
use crate::domain::reason::ReasonCode;
use crate::domain::value::{TypeName, Value};
use crate::generate::build::{Builder, Stop, mocks, no};
use crate::generate::found;
use crate::generate::layout::{Expr, Item};
use crate::generate::scope::{Import, is_identifier};
use crate::generate::statement::Statement;
use crate::generate::surroundings;
use crate::source::parse::syntax_error;

/// Names of the pattern flags; 32 (`re.UNICODE`) is set for every text pattern and not written.
const FLAGS: &[(i64, &str)] =
    &[(2, "IGNORECASE"), (4, "LOCALE"), (8, "MULTILINE"), (16, "DOTALL"), (64, "VERBOSE"), (256, "ASCII")];

impl Builder<'_, '_> {
    /// Writes the call that makes a value of a known type.
    pub(super) fn standard(&mut self, ty: &TypeName, args: &[Value], kwargs: &[(String, Value)]) -> Result<Expr, Stop> {
        let mut args = args.to_vec();
        let mut kwargs = kwargs.to_vec();
        match (ty.module.as_str(), ty.qualname.as_str()) {
            ("datetime", "timedelta") => {
                kwargs.extend(duration(&args));
                args.clear();
                kwargs.retain(|(_, value)| *value != Value::Int(0));
                if kwargs.is_empty() {
                    args.push(Value::Int(0));
                }
            }
            ("datetime", kind @ ("datetime" | "time")) => {
                // `tzinfo` may stand after the numbers.
                let numbers = if kind == "datetime" { 7 } else { 4 };
                if args.len() > numbers {
                    kwargs.insert(0, ("tzinfo".into(), args.remove(numbers)));
                }
                kwargs.retain(|(name, value)| !(name == "fold" && *value == Value::Int(0)) && *value != Value::None);
                let least = if kind == "datetime" { 3 } else { 0 };
                while args.len() > least && args.last() == Some(&Value::Int(0)) && !kwargs.iter().any(|(name, _)| is_part(name)) {
                    args.pop();
                }
            }
            ("builtins", "range") => {
                if args.len() == 3 && args[2] == Value::Int(1) {
                    args.pop();
                }
                if args.len() == 2 && args[0] == Value::Int(0) {
                    args.remove(0);
                }
            }
            ("operator", "getitem" | "or_") if args.len() == 2 => return self.type_expression(&ty.qualname, &args),
            ("re", "compile") => return self.pattern(&args),
            ("re", "match") => return self.match_again(&args),
            ("numpy", rule) if ty.made() == "ndarray" => return self.by_rule(rule, &args, &kwargs),
            ("pandas", name) => {
                if let Some(made) = self.of_pandas(name, &args, &kwargs)? {
                    return Ok(made);
                }
            }
            ("builtins", "eval") => return self.lambda(&args),
            ("types", "FunctionType") => return self.inner_function(ty, &args),
            ("datetime", "timezone") if args.len() == 1 && is_zero(&args[0]) => {
                return self.name(&TypeName::new("datetime", "timezone.utc"));
            }
            ("pathlib" | "pathlib._local", _) => {
                if let [Value::Str(path)] = args.as_slice() {
                    if !ty.qualname.contains("Pure")
                        && let Some(path) = self.path(path)
                    {
                        return Ok(Expr::Atom(path));
                    }
                    if surroundings::is_private_path(path, self.project.root) {
                        return no(ReasonCode::MachinePath);
                    }
                }
            }
            (_, qualname) if let Some(receiver) = args.first().filter(|first| is_receiver(ty, first)) => {
                let method = qualname.rsplit('.').next().unwrap_or_default();
                let receiver = self.value(receiver, "owner")?;
                let mut items: Vec<Item> = self.values(&args[1..], "value")?.into_iter().map(Item::from).collect();
                items.extend(self.named(&kwargs)?);
                return Ok(receiver.then(Expr::call_with(&format!(".{method}"), items)));
            }
            _ => {}
        }
        let mut items: Vec<Item> = self.values(&args, "value")?.into_iter().map(Item::from).collect();
        let paths = if mocks::is_mock(ty) { mocks::split_paths(&mut kwargs) } else { Vec::new() };
        items.extend(self.named(&kwargs)?);
        if !paths.is_empty() {
            items.push(Item { prefix: "**".to_owned(), value: self.value(&Value::Dict(paths), "value")? });
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Writes `list[int]` and `int | None` as they stand in annotations.
    fn type_expression(&mut self, operation: &str, args: &[Value]) -> Result<Expr, Stop> {
        let base = self.value(&args[0], "type")?.flat();
        if operation == "or_" {
            return Ok(Expr::Atom(format!("{base} | {}", self.value(&args[1], "type")?.flat())));
        }
        let items = match &args[1] {
            Value::Tuple(items) if !items.is_empty() => self.values(items, "type")?,
            item => vec![self.value(item, "type")?],
        };
        let items: Vec<String> = items.iter().map(Expr::flat).collect();
        Ok(Expr::Atom(format!("{base}[{}]", items.join(", "))))
    }

    /// Writes a lambda as it stands in the program, when the names in it mean the same in a test.
    fn lambda(&mut self, args: &[Value]) -> Result<Expr, Stop> {
        let Some(Value::Str(text)) = args.first() else { return no(ReasonCode::UnreadableLambda) };
        if !text.starts_with("lambda") || text.contains('\n') || !is_one_expression(text) {
            return no(ReasonCode::UnreadableLambda);
        }
        if let Some(Value::Dict(pairs)) = args.get(1) {
            for (name, value) in pairs {
                let (Value::Str(name), Value::Name(ty)) = (name, value) else { return no(ReasonCode::UnreadableLambda) };
                if self.spell(ty)? != *name {
                    return no(ReasonCode::UnreadableLambda);
                }
            }
        }
        Ok(Expr::Atom(text.clone()))
    }

    fn pattern(&mut self, args: &[Value]) -> Result<Expr, Stop> {
        let mut items = self.values(args.get(..1).unwrap_or_default(), "pattern")?;
        self.work.imports.insert(Import::module("re"));
        let mut flags = match args.get(1) {
            Some(Value::Int(flags)) => *flags & !32,
            None => 0,
            Some(_) => return no(ReasonCode::UnsupportedRegex),
        };
        let mut names = Vec::new();
        for (bit, name) in FLAGS {
            if flags & bit != 0 {
                names.push(format!("re.{name}"));
                flags &= !bit;
            }
        }
        if flags != 0 {
            names.push(flags.to_string());
        }
        if !names.is_empty() {
            items.push(Expr::Atom(names.join(" | ")));
        }
        Ok(Expr::call("re.compile", items))
    }

    /// Writes what a pattern found in a text: by a match that begins where it was found.
    fn match_again(&mut self, args: &[Value]) -> Result<Expr, Stop> {
        let [pattern, text, _] = args else { return no(ReasonCode::UnsupportedRegex) };
        let Some((start, _)) = found::span(args) else { return no(ReasonCode::UnsupportedRegex) };
        let pattern = self.value(pattern, "pattern")?;
        let mut items = vec![self.value(text, "text")?];
        if start > 0 {
            items.push(Expr::Atom(start.to_string()));
        }
        let with_flags = matches!(&pattern, Expr::Bracket { items, .. } if items.len() > 1);
        match pattern {
            Expr::Bracket { items: compiled, .. } if start == 0 && !with_flags => {
                let compiled = compiled.into_iter().map(|item| item.value);
                Ok(Expr::call("re.match", compiled.chain(items).collect()))
            }
            pattern => Ok(Expr::Chain(Box::new(pattern), Box::new(Expr::call(".match", items)))),
        }
    }

    /// Calls the generator function again with the arguments that its frame held.
    pub(super) fn generator(&mut self, ty: &TypeName, args: &[(String, Value)]) -> Result<Expr, Stop> {
        let params = self.project.function(ty).map(|function| function.params.as_slice()).unwrap_or_default();
        let kind_of = |name: &str| {
            params.iter().find(|param| param.name == name).map_or(ParamKind::PositionalOrKeyword, |param| param.kind)
        };
        // What stands before `*args` cannot be given by its name beside it.
        let is_spread = |(name, value): &(String, Value)| {
            kind_of(name) == ParamKind::VarPositional && !matches!(value, Value::Tuple(items) if items.is_empty())
        };
        let mut is_before_spread = args.iter().any(is_spread);
        let mut items = Vec::new();
        for (name, value) in args {
            if !is_identifier(name) {
                return no(ReasonCode::GeneratorExpression);
            }
            let kind = kind_of(name);
            if let (ParamKind::VarPositional, Value::Tuple(given)) = (kind, value) {
                is_before_spread = false;
                for value in given {
                    items.push(Item::from(self.value(value, name)?));
                }
                continue;
            }
            let built = self.value(value, name)?;
            items.push(match kind {
                ParamKind::PositionalOnly => Item::from(built),
                ParamKind::PositionalOrKeyword if is_before_spread => Item::from(built),
                ParamKind::VarPositional => Item { prefix: "*".into(), value: built },
                ParamKind::VarKeyword => Item { prefix: "**".into(), value: built },
                _ => Item::keyword(name, built),
            });
        }
        Ok(Expr::call_with(&self.spell(ty)?, items))
    }

    /// Makes an in-memory file, read up to where the recorded one stood.
    pub(super) fn file(&mut self, class: &str, content: &Value, position: u64, hint: &str) -> Result<Expr, Stop> {
        if !matches!(class, "StringIO" | "BytesIO") {
            return no(ReasonCode::UnreadableArgument.of(class));
        }
        self.work.imports.insert(Import::module("io"));
        let is_empty = matches!(content, Value::Bytes(bytes) if bytes.is_empty());
        let content = if is_empty { Vec::new() } else { vec![self.value(content, "content")?] };
        let file = Expr::call(&format!("io.{class}"), content);
        if position == 0 {
            return Ok(file);
        }
        let name = self.bind_new(hint, file);
        self.work.setup.push(Statement::run(Expr::call(&format!("{name}.seek"), vec![Expr::Atom(position.to_string())])));
        Ok(Expr::Atom(name))
    }
}

/// Tells whether a value is made by a method of an object that is made for it, as requests are: `RequestFactory().get("/")`.
pub(in crate::generate) fn is_by_method(value: &Value) -> bool {
    matches!(value, Value::New { ty, args, .. } if args.first().is_some_and(|first| is_receiver(ty, first)))
}

/// Tells whether the first argument of a call is a new object of the class that a method belongs to.
fn is_receiver(method: &TypeName, first: &Value) -> bool {
    let class = method.qualname.rsplit_once('.').map(|(class, _)| class);
    let Value::New { ty, .. } = first else { return false };
    // The class of a zone of pytz has no name, and is what all of them derive from.
    let is_zone = (method.module.as_str(), ty.module.as_str()) == ("pytz.tzinfo", "pytz");
    is_zone || ty.module == method.module && Some(ty.qualname.as_str()) == class
}

/// Tells whether a text is a single expression, that no bracket of it ends early and nothing follows it.
fn is_one_expression(text: &str) -> bool {
    let mut depth = 0_i32;
    let mut early = false;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' | '#' => early = true,
            _ => {}
        }
        early |= depth < 0;
    }
    depth == 0 && !early && syntax_error(&format!("({text})\n")).is_none()
}

/// Gives the parts of a length of time by their names: whole hours and minutes as such, and below zero all of them.
fn duration(args: &[Value]) -> Vec<(String, Value)> {
    let named = |(name, value): (&str, Value)| (name.to_owned(), value);
    match args {
        [Value::Int(days), Value::Int(seconds), Value::Int(0)] if seconds % 60 == 0 && days.unsigned_abs() < 1_000_000 => {
            let minutes = days * 24 * 60 + seconds / 60;
            let parts = [("days", minutes / (24 * 60)), ("hours", minutes / 60 % 24), ("minutes", minutes % 60)];
            parts.map(|(name, number)| named((name, Value::Int(number)))).to_vec()
        }
        _ => ["days", "seconds", "microseconds"].into_iter().zip(args.iter().cloned()).map(named).collect(),
    }
}

/// No time at all.
fn is_zero(value: &Value) -> bool {
    matches!(value, Value::New { ty, args, kwargs } if ty.qualname == "timedelta" && kwargs.is_empty() && args.iter().all(|arg| *arg == Value::Int(0)))
}

fn is_part(name: &str) -> bool {
    matches!(name, "hour" | "minute" | "second" | "microsecond")
}
