//! Parameters that a function does not read: it ends as it does, whatever it is given for them. Where that cannot be written, a
//! test gives `None`, as people do: `AllowAny().has_permission(request, None)`.

use std::collections::BTreeSet;

use crate::domain::call::{Argument, Call};
use crate::domain::function::Function;
use crate::domain::value::Value;
use crate::domain::way::Given;
use crate::generate::project::Project;
use crate::source::bare::bare;
use crate::source::free_names::read_names;

/// Decorators that hand on what they are given.
const PLAIN: &[&str] = &["staticmethod", "classmethod", "override", "abstractmethod"];
/// What reads all variables of a function, or any of them.
const READS_ALL: &[&str] = &["locals", "vars", "eval", "exec"];

/// Lists the parameters that a function does not read.
#[must_use]
pub fn unread(function: &Function, project: Project<'_>) -> BTreeSet<String> {
    let is_plain = |decorator: &String| PLAIN.contains(&decorator.rsplit('.').next().unwrap_or_default());
    // A class may read what it is given before its constructor does.
    let is_called_by_others = matches!(function.name(), "__init__" | "__new__") || !function.decorators.iter().all(is_plain);
    let text = (project.text)(&function.path, function.span).filter(|_| !is_called_by_others);
    let Some(read) = text.and_then(|text| read_names(&bare(&text))) else { return BTreeSet::new() };
    if READS_ALL.iter().any(|name| read.contains(*name)) {
        return BTreeSet::new();
    }
    let params = function.params.iter().filter(|param| !param.kind.is_variadic() && !read.contains(&param.name));
    params.map(|param| param.name.clone()).collect()
}

/// Tells whether a call gave something for a parameter in place of which a test may give `None`.
pub fn is_spared(call: &Call, arg: &Argument, unread: &BTreeSet<String>) -> bool {
    let is_written = match &arg.value {
        Value::None | Value::Ellipsis | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => true,
        Value::Float(_) | Value::Str(_) | Value::RawStr(_) | Value::Bytes(_) => true,
        _ => arg.given == Given::LeftOut,
    };
    !is_written && unread.contains(&arg.name) && call.bound().is_none()
}

/// Gives a call as if nothing had been given for what its function does not read: nothing has to be laid out for that.
pub fn without(call: &Call, unread: &BTreeSet<String>) -> Call {
    let mut call = call.clone();
    for at in 0..call.args.len() {
        if is_spared(&call, &call.args[at], unread) {
            call.args[at].value = Value::None;
        }
    }
    call
}
