//! How a recorded call is written: a call, an attribute, an operator, an assignment.

use crate::domain::function::{Function, FunctionKind, Param, ParamKind};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::way::Given;
use crate::generate::layout::{Expr, Item};
use crate::generate::scope::is_identifier;
use crate::generate::statement::Statement;

/// Positional arguments beyond this one are written with their names.
const POSITIONAL_MAX: usize = 3;

/// The line that does what the recorded call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// An expression whose value is the call's result.
    Value(Expr),
    /// A statement without a value.
    Statement(Statement),
    /// The making of an object: its value is the receiver.
    Construct(Expr),
}

/// What a function is called on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // What is said of a variant is said of its fields.
pub enum Target {
    /// Nothing: a function, a static method, a class method, by its spelled name.
    Free(String),
    /// An object, by the name it is bound to.
    Object(String),
    /// An object whose class has another method of this name: the method is spelled with its class.
    Unbound { method: String, receiver: String },
    /// A class: the call is the making of an instance.
    Class(String),
}

/// Writes the call of a function with these arguments, the receiver left out.
///
/// # Errors
/// Fails with the reason when it is not called by people.
pub fn act(function: &Function, target: &Target, items: Vec<Item>) -> Result<Act, Reason> {
    match target {
        Target::Free(callee) => Ok(Act::Value(Expr::call_with(callee, items))),
        Target::Object(receiver) => method(function, receiver, items),
        Target::Unbound { method, receiver } => {
            let mut all = vec![Item::from(Expr::atom(receiver.clone()))];
            all.extend(items);
            Ok(Act::Value(Expr::call_with(method, all)))
        }
        Target::Class(class) => Ok(Act::Construct(Expr::call_with(class, items))),
    }
}

/// Orders arguments for a call: names where they help and are allowed, and none for what was left out or, where nobody knows
/// how it was given, has its default.
#[must_use]
pub fn assemble<'n>(
    params: &[Param],
    names: impl Iterator<Item = &'n str>,
    args: Vec<(ParamKind, Given, Vec<Item>)>,
) -> Vec<Item> {
    let spread = args.iter().any(|(kind, _, items)| *kind == ParamKind::VarPositional && !items.is_empty());
    let mut out = Vec::new();
    let mut skipped = false;
    for ((at, name), (kind, given, items)) in names.enumerate().zip(args) {
        if given == Given::LeftOut {
            skipped = true;
            continue;
        }
        let default = params.iter().find(|param| param.name == name).and_then(|param| param.default.as_deref());
        let by_name = matches!(kind, ParamKind::PositionalOrKeyword | ParamKind::KeywordOnly);
        if let (true, Some(default), [item]) =
            (by_name && !(spread && kind == ParamKind::PositionalOrKeyword), default, items.as_slice())
            && given.is_unknown()
            && same_literal(default, &item.value)
        {
            skipped = true;
            continue;
        }
        // A bare `True` says nothing.
        let is_flag = matches!(items.as_slice(), [item] if matches!(item.value.flat().as_str(), "True" | "False"));
        skipped |= by_name && default.is_some() && is_flag;
        let named = match kind {
            ParamKind::KeywordOnly => true,
            ParamKind::PositionalOrKeyword => (at >= POSITIONAL_MAX || skipped) && !spread,
            _ => false,
        };
        out.extend(items.into_iter().map(|item| if named { Item { prefix: format!("{name}="), ..item } } else { item }));
    }
    out
}

/// Tells whether a default's source is this very literal, or lambda.
pub(super) fn same_literal(default: &str, built: &Expr) -> bool {
    let is_name = |text: &str| text.split('.').all(is_identifier);
    let quote = |text: &str| text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let is_text = |text: &str| {
        let inner = quote(text).and_then(|quote| text.get(1..)?.strip_suffix(quote));
        inner.is_some_and(|inner| !inner.contains(['"', '\'', '\\']))
    };
    let simple = |text: &str| {
        is_text(text)
            || !text.is_empty() && !text.contains(['(', '[', '{', '.'])
            || text.parse::<f64>().is_ok()
            || is_name(text)
            || text == "{}"
    };
    let built = built.flat();
    if default.starts_with("lambda") && built.starts_with("lambda") {
        return default.split_whitespace().eq(built.split_whitespace());
    }
    // The default may name what has to be spelled with its module or class elsewhere; a private name has its class in it there.
    let is_it = |last: &str| last == default || default.starts_with("__") && last.starts_with('_') && last.ends_with(default);
    let same_name = is_identifier(default) && is_name(&built) && built.rsplit('.').next().is_some_and(is_it);
    same_name
        || (simple(default) && (default == built || default.replace('\'', "\"") == built))
        || (default == "()" && built == "()")
}

/// Writes the call of a method on an object that has a name, in the form people use (R12).
///
/// # Errors
/// Fails with the reason when the method is not called by people.
pub fn method(function: &Function, receiver: &str, items: Vec<Item>) -> Result<Act, Reason> {
    let name = function.name();
    if function.kind == FunctionKind::Property {
        return property(receiver, name, items);
    }
    if name.starts_with("__")
        && name.ends_with("__")
        && let Some(act) = operator(receiver, name, &items)?
    {
        return Ok(act);
    }
    // Names with two underscores in front are spelled with their class outside of it.
    let class = function.id.qualname().rsplit('.').nth(1).unwrap_or_default().trim_start_matches('_');
    let name = if name.starts_with("__") && !name.ends_with("__") { format!("_{class}{name}") } else { name.to_owned() };
    Ok(Act::Value(Expr::call_with(&format!("{receiver}.{name}"), items)))
}

fn property(receiver: &str, name: &str, items: Vec<Item>) -> Result<Act, Reason> {
    let mut items = items.into_iter();
    match (items.next(), items.next()) {
        (None, _) => Ok(Act::Value(Expr::Atom(format!("{receiver}.{name}")))),
        (Some(item), None) => {
            let same = format!("setattr({receiver}, \"{name}\", {})", item.value.flat());
            Ok(Act::Statement(Statement::assign(&format!("{receiver}.{name}"), item.value, same)))
        }
        _ => Err(ReasonCode::UnsupportedProperty.into()),
    }
}

/// Writes a special method as the operator or builtin that calls it; `None` when there is none.
fn operator(receiver: &str, name: &str, items: &[Item]) -> Result<Option<Act>, Reason> {
    let plain = items.iter().all(|item| item.prefix.is_empty());
    let value = |text: String| Ok(Some(Act::Value(Expr::Atom(text))));
    let binary = |sign: &str, other: &Expr| value(format!("{receiver} {sign} {}", operand(other)));
    let inplace = |sign: &str, other: &Expr| {
        let same = format!("({receiver} := {receiver} {sign} {})", operand(other));
        Ok(Some(Act::Statement(Statement::assign_by(&format!("{receiver} {sign}= "), other.clone(), same))))
    };
    let args: Vec<&Expr> = items.iter().map(|item| &item.value).collect();
    if name == "__init__" {
        return Ok(None);
    }
    if name == "__call__" {
        return Ok(Some(Act::Value(Expr::call_with(receiver, items.to_vec()))));
    }
    if matches!(name, "__new__" | "__post_init__" | "__init_subclass__" | "__set_name__" | "__del__" | "__class_getitem__") {
        return Err(ReasonCode::ImplicitMethod.of(name));
    }
    if !plain {
        return Ok(None);
    }
    match (name, args.as_slice()) {
        ("__len__", []) => value(format!("len({receiver})")),
        ("__str__", []) => value(format!("str({receiver})")),
        ("__repr__", []) => value(format!("repr({receiver})")),
        ("__bytes__", []) => value(format!("bytes({receiver})")),
        ("__bool__", []) => value(format!("bool({receiver})")),
        ("__hash__", []) => value(format!("hash({receiver})")),
        ("__int__", []) => value(format!("int({receiver})")),
        ("__float__", []) => value(format!("float({receiver})")),
        ("__complex__", []) => value(format!("complex({receiver})")),
        ("__abs__", []) => value(format!("abs({receiver})")),
        ("__iter__", []) => value(format!("iter({receiver})")),
        ("__next__", []) => value(format!("next({receiver})")),
        ("__reversed__", []) => value(format!("reversed({receiver})")),
        ("__neg__", []) => value(format!("-{receiver}")),
        ("__pos__", []) => value(format!("+{receiver}")),
        ("__invert__", []) => value(format!("~{receiver}")),
        ("__round__", args) => builtin("round", receiver, args),
        ("__format__", [spec]) => builtin("format", receiver, &[spec]),
        ("__getattr__", [Expr::Text(name)]) if is_identifier(name) => value(format!("{receiver}.{name}")),
        ("__getattr__", [name]) => builtin("getattr", receiver, &[name]),
        ("__instancecheck__", [item]) => value(format!("isinstance({}, {receiver})", item.flat())),
        ("__subclasscheck__", [class]) => value(format!("issubclass({}, {receiver})", class.flat())),
        ("__contains__", [item]) => value(format!("{} in {receiver}", operand(item))),
        ("__getitem__", [key]) => Ok(Some(Act::Value(index(receiver, key)))),
        ("__setitem__", [key, item]) => Ok(Some(Act::Statement(Statement::assign(
            &index(receiver, key).flat(),
            (*item).clone(),
            format!("{receiver}.__setitem__({}, {})", key.flat(), item.flat()),
        )))),
        ("__setattr__", [Expr::Text(name), item]) if is_identifier(name) => Ok(Some(Act::Statement(Statement::assign(
            &format!("{receiver}.{name}"),
            (*item).clone(),
            format!("setattr({receiver}, \"{name}\", {})", item.flat()),
        )))),
        ("__delattr__", [Expr::Text(name)]) if is_identifier(name) => {
            let attribute = Expr::Atom(format!("{receiver}.{name}"));
            Ok(Some(Act::Statement(Statement::delete(attribute, format!("delattr({receiver}, \"{name}\")")))))
        }
        ("__delitem__", [key]) => {
            Ok(Some(Act::Statement(Statement::delete(index(receiver, key), format!("{receiver}.__delitem__({})", key.flat())))))
        }
        // Linters take `x == x` and `x == None` for slips.
        ("__eq__" | "__ne__", [Expr::Atom(other)]) if matches!(other.as_str(), "None" | "True" | "False") => Ok(None),
        ("__eq__" | "__ne__" | "__lt__" | "__le__" | "__gt__" | "__ge__", [other]) if other.flat() == receiver => Ok(None),
        (name, [other]) => match SIGNS.iter().find(|(method, _)| *method == name) {
            Some((_, sign)) => binary(sign, other),
            None => {
                let bare = name.trim_matches('_');
                let sign_of =
                    |method: &str| SIGNS.iter().find(|(known, _)| known.trim_matches('_') == method).map(|(_, sign)| *sign);
                if let Some(sign) = bare.strip_prefix('r').and_then(sign_of) {
                    return value(format!("{} {sign} {receiver}", operand(other)));
                }
                match bare.strip_prefix('i').and_then(sign_of) {
                    Some(sign) => inplace(sign, other),
                    None => Ok(None),
                }
            }
        },
        _ => Ok(None),
    }
}

fn builtin(name: &str, receiver: &str, args: &[&Expr]) -> Result<Option<Act>, Reason> {
    let mut all = vec![Expr::atom(receiver)];
    all.extend(args.iter().map(|arg| (*arg).clone()));
    Ok(Some(Act::Value(Expr::call(name, all))))
}

/// Special methods of two operands.
const SIGNS: &[(&str, &str)] = &[
    ("__eq__", "=="),
    ("__ne__", "!="),
    ("__lt__", "<"),
    ("__le__", "<="),
    ("__gt__", ">"),
    ("__ge__", ">="),
    ("__add__", "+"),
    ("__sub__", "-"),
    ("__mul__", "*"),
    ("__matmul__", "@"),
    ("__truediv__", "/"),
    ("__floordiv__", "//"),
    ("__mod__", "%"),
    ("__pow__", "**"),
    ("__and__", "&"),
    ("__or__", "|"),
    ("__xor__", "^"),
    ("__lshift__", "<<"),
    ("__rshift__", ">>"),
];

fn index(receiver: &str, key: &Expr) -> Expr {
    if let Some(parts) = sliced(key) {
        return Expr::Atom(format!("{receiver}[{parts}]"));
    }
    Expr::Bracket { open: format!("{receiver}["), items: vec![key.clone().into()], close: ']', one_tuple: false }
}

/// Writes a slice as people do: `1:3`, `::2`; nothing for another key, or one whose parts are long.
fn sliced(key: &Expr) -> Option<String> {
    let Expr::Bracket { open, items, .. } = key else { return None };
    if open != "slice(" || items.len() != 3 || items.iter().any(|item| !matches!(item.value, Expr::Atom(_))) {
        return None;
    }
    let parts: Vec<String> = items.iter().map(|item| item.value.flat()).map(|part| part.replace("None", "")).collect();
    let step = if parts[2].is_empty() { String::new() } else { format!(":{}", parts[2]) };
    parts.iter().all(|part| !part.contains(' ')).then(|| format!("{}:{}{step}", parts[0], parts[1]))
}

/// Writes an expression as a part of a larger one: what is itself an operation is put into parentheses.
#[must_use]
pub fn operand(expr: &Expr) -> String {
    let flat = expr.flat();
    match expr {
        Expr::Atom(text) if text.contains(' ') || text.starts_with('-') => format!("({flat})"),
        _ => flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R12: what a class is asked about an instance is asked by the builtin.
    #[test]
    fn classes_are_asked_by_builtins() {
        let asked = |name| match operator("Word", name, &[Item::from(Expr::atom("box"))]) {
            Ok(Some(Act::Value(expr))) => expr.flat(),
            other => panic!("{other:?}"),
        };
        assert_eq!(asked("__instancecheck__"), "isinstance(box, Word)");
        assert_eq!(asked("__subclasscheck__"), "issubclass(box, Word)");
    }

    /// R12: slices and attributes are written as people write them.
    #[test]
    fn slices_and_attributes_have_their_signs() {
        let atom = |text: &str| Expr::atom(text);
        let slice = |parts: [&str; 3]| Expr::call("slice", parts.map(atom).to_vec());
        let written = |name, items: Vec<Expr>| match operator("box", name, &items.into_iter().map(Item::from).collect::<Vec<_>>())
        {
            Ok(Some(Act::Value(expr))) => expr.flat(),
            Ok(Some(Act::Statement(statement))) => statement.lines(0).join("\n"),
            Ok(None) => "by its name".into(),
            other => panic!("{other:?}"),
        };
        for (parts, text) in
            [(["1", "3", "None"], "box[1:3]"), (["None", "None", "2"], "box[::2]"), (["-2", "None", "None"], "box[-2:]")]
        {
            assert_eq!(written("__getitem__", vec![slice(parts)]), text);
        }
        assert_eq!(written("__getitem__", vec![Expr::call("slice", vec![atom("1")])]), "box[slice(1)]");
        assert_eq!(written("__delitem__", vec![slice(["None", "2", "None"])]), "del box[:2]");
        assert_eq!(written("__setitem__", vec![slice(["None", "None", "None"]), atom("[]")]), "box[:] = []");
        assert_eq!(written("__setattr__", vec![Expr::Text("size".into()), atom("3")]), "box.size = 3");
        assert_eq!(written("__getattr__", vec![Expr::Text("size".into())]), "box.size");
        assert_eq!(written("__getattr__", vec![Expr::Text("a size".into())]), "getattr(box, \"a size\")");
        assert_eq!(written("__eq__", vec![atom("other")]), "box == other");
        for slip in ["box", "None", "False"] {
            assert_eq!(written("__eq__", vec![atom(slip)]), "by its name", "linters take it for a slip");
        }
        assert_eq!(written("__add__", vec![atom("box")]), "box + box");
        assert_eq!(written("__setattr__", vec![Expr::Text("no name".into()), atom("3")]), "by its name");
        assert_eq!(written("__delattr__", vec![Expr::Text("size".into())]), "del box.size");
    }

    /// A default that says the same over several lines is not written again.
    #[test]
    fn a_lambda_is_its_default_whatever_its_lines() {
        let built = Expr::atom("lambda kind: refuse( None, kind )");
        assert!(same_literal("lambda kind: refuse(\n        None, kind\n    )", &built));
        assert!(!same_literal("lambda kind: refuse(None, 1)", &built) && !same_literal("None", &built));
    }

    /// A default by its name is that name also where it has to be spelled with its module.
    #[test]
    fn a_default_by_name_is_not_written_again() {
        for (default, built) in [
            ("NOTHING", "attr.NOTHING"),
            ("__none", "Box._Box__none"),
            ("Way.ALL", "Way.ALL"),
            ("{}", "{}"),
            ("1.5", "1.5"),
            ("'%.1f (x)'", "\"%.1f (x)\""),
        ] {
            assert!(same_literal(default, &Expr::atom(built)), "{default}");
        }
        for (default, built) in [("none", "Box._Box__none"), ("Color.RED", "Fruit.RED"), ("NOTHING", "ALL"), ("[]", "[1]")] {
            assert!(!same_literal(default, &Expr::atom(built)), "{default}");
        }
    }
}
