//! A call, a value and a draft for the tests of all layers: plain and whole, so that a test gives only the parts it is about.

use crate::base::hash;
use crate::base::paths::RelPath;
use crate::domain::call::{Argument, Call, CallId, Effect, Outcome, RecordingId};
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::observation::Observation;
use crate::domain::proposal::{Draft, Origin};
use crate::domain::value::{ObjectKind, TypeName, Value};
use crate::domain::way::Way;

/// A call of a function that returned a value and changed nothing.
pub fn call(function: FunctionId, args: &[(&str, Value)], returned: Value) -> Call {
    let argument = |(name, value): &(&str, Value)| Argument::new(name, ParamKind::PositionalOrKeyword, value.clone());
    Call {
        id: CallId(1),
        recording: RecordingId(1),
        input: hash::of(format!("{function:?} {args:?}").as_bytes()),
        function,
        parent: None,
        caller: None,
        caller_line: None,
        direct: true,
        thread: 0,
        task: 0,
        receiver: None,
        start_ns: 0,
        duration_ns: 1,
        args: args.iter().map(argument).collect(),
        way: Way::default(),
        effect: Effect { outcome: Outcome::Returned(returned), changed: Vec::new() },
        touches: Vec::new(),
        observed: Observation::default(),
        times: 1,
    }
}

/// A cart with these fields.
pub fn object(ordinal: u64, fields: Vec<(&str, Value)>) -> Value {
    Value::Object {
        ordinal,
        ty: TypeName::new("shop.cart", "Cart"),
        kind: ObjectKind::Plain,
        fields: fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// A draft from a recording, of these imports and this text, its tests not named.
pub fn draft(imports: &[&str], text: &str) -> Draft {
    Draft {
        imports: imports.iter().map(|line| (*line).to_owned()).collect(),
        ..Draft::new(Origin::Recording, RelPath::new("tests/pytead/test_pytead_m.py").unwrap_or_default(), text.to_owned())
    }
}
