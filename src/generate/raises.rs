//! R14: what `pytest.raises` is given: the nearest type that can be imported, and the stable part of the message.

use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::value::{TypeName, Value};
use crate::generate::layout::{self, Expr};
use crate::generate::project::{Lookup, Project};
use crate::generate::scope::{Import, Scope};

/// Longer messages are not matched.
const MESSAGE_MAX: usize = 120;

/// An expected exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raises {
    /// The type as spelled.
    pub class: String,
    /// Its import.
    pub import: Option<Import>,
    /// The message, or the part of it that is stable.
    pub message: Option<String>,
    /// `SystemExit`: its code.
    pub code: Option<Expr>,
}

impl Raises {
    /// Writes the expression for `match=`, and tells whether it needs `re`.
    #[must_use]
    pub fn pattern(message: &str) -> (Expr, bool) {
        if message.contains(['(', ')', '[', ']', '{', '}', '?', '*', '+', '|', '^', '$', '\\', '.']) {
            return (Expr::Atom(format!("re.escape({})", layout::string(message))), true);
        }
        (Expr::Text(message.to_owned()), false)
    }

    /// Writes the context manager, with this expression for `match=`.
    #[must_use]
    pub fn context(&self, pattern: Option<&Expr>) -> String {
        match pattern {
            Some(pattern) => format!("pytest.raises({}, match={})", self.class, pattern.flat()),
            None => format!("pytest.raises({})", self.class),
        }
    }
}

/// Reads a recorded exception.
///
/// # Errors
/// Fails with the reason when a test cannot expect it.
pub fn raises(exception: &Value, mro: &[String], project: Project<'_>, scope: &mut Scope) -> Result<Raises, Reason> {
    let Value::Exception { ty, args, .. } = exception else {
        return Err(ReasonCode::ExceptionNotRecorded.into());
    };
    if matches!(ty.qualname.as_str(), "GeneratorExit" | "KeyboardInterrupt" | "CancelledError" | "StopAsyncIteration") {
        return Err(ReasonCode::ExternalException.of(ty.short()));
    }
    let above = mro.iter().filter_map(|name| name.split_once(':')).map(|(module, name)| TypeName::new(module, name));
    let mut reason = None;
    for candidate in std::iter::once(ty.clone()).chain(above) {
        if candidate.qualname.split('.').any(|part| part.starts_with('_')) || candidate.qualname == "object" {
            continue;
        }
        match scope.spell(&project.facades.public(&candidate)) {
            Ok((class, import)) => {
                let code = (ty.qualname == "SystemExit").then(|| exit_code(args)).flatten();
                return Ok(Raises { class, import, message: message(ty, args, project), code });
            }
            Err(why) => reason = Some(why),
        }
    }
    Err(reason.unwrap_or_else(|| ReasonCode::PrivateException.of(ty.short())))
}

fn exit_code(args: &[Value]) -> Option<Expr> {
    match args {
        [] => Some(Expr::atom("None")),
        [Value::Int(code)] => Some(Expr::Atom(code.to_string())),
        [Value::Str(text)] => Some(Expr::Text(text.clone())),
        _ => None,
    }
}

/// Gives what `str(exception)` is known to contain on every machine and every supported Python.
fn message(ty: &TypeName, args: &[Value], project: Project<'_>) -> Option<String> {
    if ty.module == "builtins" {
        if matches!(ty.qualname.as_str(), "SystemExit" | "SyntaxError" | "ImportError" | "ModuleNotFoundError") {
            return None;
        }
    } else if !matches!(project.method(ty, "__str__"), Lookup::Missing) && !is_key_error(ty, project) {
        return None;
    }
    let [Value::Str(text)] = args else { return None };
    is_stable(ty, text).then(|| text.clone())
}

/// `str(KeyError("lamp"))` is `"'lamp'"`: the text is in it as long as `repr` leaves it alone, which [`is_stable`] sees to.
fn is_key_error(ty: &TypeName, project: Project<'_>) -> bool {
    let own = matches!(project.method(ty, "__str__"), Lookup::Found(_));
    !own && project.class(ty).is_some_and(|(_, class)| class.bases.iter().any(|base| base == "KeyError" || base == "LookupError"))
}

/// Tells whether a message can be expected on every machine and every supported Python.
#[must_use]
pub fn is_stable_text(text: &str) -> bool {
    is_stable(&TypeName::new("", ""), text)
}

fn is_stable(ty: &TypeName, text: &str) -> bool {
    let plain = !text.is_empty() && text.chars().count() <= MESSAGE_MAX && !text.contains(['\n', '\r', '\\', '\'']);
    let quoted = text.contains('\'') && !text.contains(['\n', '\r', '\\']) && text.chars().count() <= MESSAGE_MAX;
    let key_error = ty.qualname == "KeyError";
    (plain || (quoted && !key_error))
        && !text.contains("0x")
        && !text.contains("frozenset(")
        && !text.contains("{'")
        && !holds_absolute_path(text)
        && !is_of_the_interpreter(text)
}

fn holds_absolute_path(text: &str) -> bool {
    text.split([' ', '\'', '"', '(', '=', ',']).any(|word| {
        (word.starts_with('/') && word.len() > 1 && word[1..].contains('/'))
            || word.get(1..3) == Some(":\\")
            || word.starts_with("file://")
    })
}

/// Texts of the interpreter itself, which change from version to version.
fn is_of_the_interpreter(text: &str) -> bool {
    const PARTS: &[&str] = &[
        "positional argument",
        "unexpected keyword argument",
        "required keyword-only",
        "object has no attribute",
        "has no attribute '",
        "unsupported operand type",
        "object is not",
        "not supported between instances",
        "must be str, not",
        "can only concatenate",
        "division by zero",
        "division or modulo",
        "index out of range",
        "invalid literal for",
        "could not convert string",
        "not enough values to unpack",
        "too many values to unpack",
        "indices must be",
        "is not defined",
        "unhashable type",
        "argument must be",
        "cannot access",
        "missing 1 required",
        "missing 2 required",
        "recursion depth",
        "ConversionSyntax",
        "math domain error",
        "Expecting value",
    ];
    PARTS.iter().any(|part| text.contains(part))
}
