//! Calls written as the predecessor kept them, for a folder that the user named for them: what `graph.rs` reads.
//!
//! A graph knows no types: a call whose values have no form in it is not written.

use std::collections::HashMap;

use serde_json::{Map, Number, Value as Json, json};

use crate::base::clock::{self, Moment};
use crate::domain::call::{Call, Outcome};
use crate::domain::function::{FunctionId, ParamKind};
use crate::domain::value::Value;

/// Under this name a trace says which recording it is of.
pub const OWN: &str = "pytead_tui_recording";

/// Gives the name of a call's file, which is that of the same call in any recording.
#[must_use]
pub fn name(call: &Call) -> String {
    format!("{}__{:0>32}.gjson", dotted(&call.function).replace('.', "_"), call.input.to_string())
}

/// Gives a call of a recording that began then as a trace; `None` where a graph cannot hold it.
#[must_use]
pub fn entry(call: &Call, began: Moment) -> Option<String> {
    let Outcome::Returned(result) = &call.effect.outcome else { return None };
    let (mut args, mut kwargs) = (Vec::new(), Map::new());
    for arg in &call.args {
        match (arg.kind, &arg.value) {
            (ParamKind::VarPositional, Value::Tuple(items)) => {
                for item in items {
                    args.push(graph(item)?);
                }
            }
            (ParamKind::VarKeyword, Value::Dict(pairs)) => {
                for (name, value) in pairs {
                    let Value::Str(name) = name else { return None };
                    kwargs.insert(name.clone(), graph(value)?);
                }
            }
            (ParamKind::PositionalOnly | ParamKind::PositionalOrKeyword, Value::Name(_)) if args.is_empty() => {
                args.push(json!({ "$id": 1 })); // the class of a class method
            }
            (ParamKind::PositionalOnly | ParamKind::PositionalOrKeyword, value) => args.push(graph(value)?),
            (ParamKind::KeywordOnly, value) => _ = kwargs.insert(arg.name.clone(), graph(value)?),
            (ParamKind::VarPositional | ParamKind::VarKeyword, _) => return None,
        }
    }
    let entry = json!({
        "trace_schema": "pytead/v2-graph",
        "timestamp": iso(began.0 + call.start_ns / 1_000_000),
        "func": dotted(&call.function),
        "args_graph": args,
        "kwargs_graph": kwargs,
        "result_graph": graph(result)?,
        OWN: began.0,
    });
    serde_json::to_string_pretty(&entry).ok()
}

fn dotted(function: &FunctionId) -> String {
    format!("{}.{}", function.module(), function.qualname())
}

/// Writes a moment as Python does: `2026-11-27T20:28:17.398+00:00`.
fn iso(milliseconds: i64) -> String {
    let (days, rest) = (milliseconds.div_euclid(86_400_000), milliseconds.rem_euclid(86_400_000));
    let (year, month, day) = clock::date(days);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}+00:00", rest % 1_000)
}

/// Gives the graph of one root, whose ids begin at 1.
fn graph(value: &Value) -> Option<Json> {
    Writer::default().value(value)
}

#[derive(Default)]
struct Writer {
    last: u64,
    /// Ids of what may be referred to, by its number.
    ids: HashMap<u64, u64>,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Option<Json> {
        self.shared(value, None)
    }

    /// Gives the graph of a value that has a number where it is one object in several places.
    fn shared(&mut self, value: &Value, number: Option<u64>) -> Option<Json> {
        Some(match value {
            Value::None => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(number) => json!(number),
            Value::BigInt(digits) => Json::Number(digits.parse().ok()?),
            Value::Float(number) => Json::Number(Number::from_f64(*number)?),
            Value::Str(text) => Json::String(text.clone()),
            Value::List(items) => self.container(number, "$list", items)?.into(),
            Value::Tuple(items) => self.container(number, "$tuple", items)?.into(),
            Value::Set(items) | Value::FrozenSet(items) => {
                let mut set = self.container(number, "$set", items)?;
                set.insert("$frozen".into(), Json::Bool(matches!(value, Value::FrozenSet(_))));
                set.into()
            }
            Value::Dict(pairs) => self.dict(number, pairs)?.into(),
            Value::Object { ordinal, fields, .. } => {
                let mut object = self.begin(Some(*ordinal));
                for (name, value) in fields.iter().filter(|(name, _)| !name.starts_with('_')) {
                    object.insert(name.clone(), self.value(value)?);
                }
                object.into()
            }
            Value::Shared(number, inner) => self.shared(inner, Some(*number))?,
            Value::Ref(number) => json!({ "$ref": self.ids.get(number)? }),
            _ => return None,
        })
    }

    fn begin(&mut self, number: Option<u64>) -> Map<String, Json> {
        self.last += 1;
        self.ids.extend(number.map(|number| (number, self.last)));
        Map::from_iter([("$id".to_owned(), json!(self.last))])
    }

    fn container(&mut self, number: Option<u64>, name: &str, items: &[Value]) -> Option<Map<String, Json>> {
        let mut made = self.begin(number);
        let items = items.iter().map(|item| self.value(item)).collect::<Option<Vec<_>>>()?;
        made.insert(name.to_owned(), items.into());
        Some(made)
    }

    /// A dict whose keys are names is an object of JSON; any other is a list of pairs.
    fn dict(&mut self, number: Option<u64>, pairs: &[(Value, Value)]) -> Option<Map<String, Json>> {
        let mut made = self.begin(number);
        if pairs.iter().all(|(key, _)| matches!(key, Value::Str(name) if !name.starts_with('$'))) {
            for (key, value) in pairs {
                let Value::Str(name) = key else { return None };
                made.insert(name.clone(), self.value(value)?);
            }
            return Some(made);
        }
        let pairs = pairs.iter().map(|(key, value)| Some(json!([self.value(key)?, self.value(value)?])));
        made.insert("$map".into(), pairs.collect::<Option<Vec<_>>>()?.into());
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compat::graph;
    use crate::domain::samples;

    #[test]
    fn what_is_written_is_read_again() {
        let ints = |numbers: &[i64]| numbers.iter().map(|number| Value::Int(*number)).collect::<Vec<_>>();
        let text = |text: &str| Value::Str(text.into());
        let twice = Value::List(vec![Value::Shared(7, Box::new(Value::List(ints(&[1])))), Value::Ref(7)]);
        let values = [
            Value::None,
            Value::Bool(true),
            Value::Float(7.0),
            Value::BigInt("12345678901234567890123".into()),
            Value::Tuple(ints(&[1, 2])),
            Value::Set(ints(&[3])),
            Value::FrozenSet(ints(&[3])),
            Value::Dict(vec![(text("k"), Value::List(vec![]))]),
            Value::Dict(vec![(Value::Int(1), text("é")), (Value::Tuple(ints(&[1])), Value::None)]),
            Value::Dict(vec![(text("$ref"), Value::Int(1))]),
        ];
        for value in values {
            let call = samples::call(FunctionId("m:f".into()), &[("x", value.clone())], value.clone());
            let read = graph::call(entry(&call, Moment(0)).unwrap().as_bytes()).unwrap();
            assert_eq!((read.function.as_str(), &read.args, &read.result), ("m.f", &vec![value.clone()], &value));
        }
        let read = |value: &Value| {
            let call = samples::call(FunctionId("m:f".into()), &[("x", value.clone())], Value::None);
            entry(&call, Moment(5)).map(|text| graph::call(text.as_bytes()).unwrap())
        };
        let inner = Value::Shared(1, Box::new(Value::List(ints(&[1]))));
        let again = read(&twice).unwrap();
        assert_eq!((&again.args, again.recorded), (&vec![Value::List(vec![inner, Value::Ref(1)])], Some(5)));
        for unwritable in [Value::Float(f64::NAN), Value::Bytes(vec![1]), Value::Ref(9), Value::Ellipsis] {
            assert!(read(&unwritable).is_none(), "{unwritable:?}");
        }
    }

    #[test]
    fn a_moment_is_written_as_python_writes_it() {
        assert_eq!(iso(1_795_811_297_398), "2026-11-27T20:28:17.398+00:00");
        assert_eq!(iso(951_782_400_000), "2000-02-29T00:00:00.000+00:00");
        assert_eq!(iso(-1), "1969-12-31T23:59:59.999+00:00");
    }
}
