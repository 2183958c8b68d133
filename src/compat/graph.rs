//! `.gjson`: a call as a graph in JSON. Containers carry an `$id`, and `$ref` stands for one that was met before; ids begin
//! anew in each argument.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value as Json};

use crate::compat::graph_out::OWN;
use crate::compat::trace::{OldCall, Refused};
use crate::domain::value::Value;

/// Values of one trace: a container that is referred to again and again must not grow without end.
const NODES_MAX: usize = 100_000;

/// Reads the one call of a file.
///
/// # Errors
/// When it is no such graph.
pub fn call(bytes: &[u8]) -> Result<OldCall, Refused> {
    let text = std::str::from_utf8(bytes).map_err(|_| Refused::NoTrace("it is no UTF-8".into()))?;
    let entry: Json = serde_json::from_str(&without_nan(text)).map_err(|error| Refused::NoTrace(error.to_string()))?;
    let missing = |what: &str| Refused::NoTrace(format!("it has no {what}"));
    let function = entry["func"].as_str().ok_or_else(|| missing("function"))?.to_owned();
    let args = entry["args_graph"].as_array().ok_or_else(|| missing("arguments"))?;
    let kwargs = entry["kwargs_graph"].as_object().ok_or_else(|| missing("arguments by name"))?;
    let result = entry.get("result_graph").ok_or_else(|| missing("result"))?;
    let mut maker = Maker::default();
    let mut donors = Vec::new();
    let mut made_args = Vec::new();
    for arg in args {
        made_args.push(maker.graph(arg, &[])?);
        donors.push(std::mem::take(&mut maker.made));
    }
    let mut made_kwargs = Vec::new();
    for (name, arg) in kwargs {
        made_kwargs.push((name.clone(), maker.graph(arg, &[])?));
        donors.push(std::mem::take(&mut maker.made));
    }
    let result = maker.graph(result, &donors)?;
    let recorded = entry[OWN].as_i64();
    Ok(OldCall { function, receiver: None, args: made_args, kwargs: made_kwargs, result, is_graph: true, recorded })
}

/// Python writes numbers that JSON does not have; they become texts that no container has for a key.
fn without_nan(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside = false;
    while let Some(next) = rest.chars().next() {
        let word = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| !inside && rest.starts_with(word));
        let taken = match word {
            Some(word) => {
                out.push_str(&format!("{{\"{FLOAT}\": \"{word}\"}}"));
                word.len()
            }
            None => {
                // What a backslash escapes is no quote.
                let escaped = if inside && next == '\\' { rest.chars().nth(1).map_or(0, char::len_utf8) } else { 0 };
                inside ^= next == '"';
                let taken = next.len_utf8() + escaped;
                out.push_str(&rest[..taken]);
                taken
            }
        };
        rest = &rest[taken..];
    }
    out
}

const FLOAT: &str = "$pytead-float";

#[derive(Default)]
struct Maker {
    /// Containers of the graph that is being made, by id: whole ones.
    made: HashMap<u64, Value>,
    /// Ids that are referred to in it, and the numbers of those that are one object in two places.
    wanted: HashSet<u64>,
    shared: HashMap<u64, u64>,
    next: u64,
    nodes: usize,
}

impl Maker {
    /// Makes the value of a graph; what it refers to and does not hold is taken from the one donor that has it.
    fn graph(&mut self, json: &Json, donors: &[HashMap<u64, Value>]) -> Result<Value, Refused> {
        self.made.clear();
        self.shared.clear();
        self.wanted.clear();
        references(json, &mut self.wanted);
        self.value(json, donors)
    }

    fn value(&mut self, json: &Json, donors: &[HashMap<u64, Value>]) -> Result<Value, Refused> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(Refused::TooLarge);
        }
        Ok(match json {
            Json::Null => Value::None,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number_of(&number.to_string()),
            Json::String(text) => Value::Str(text.clone()),
            Json::Array(items) => Value::List(self.items(items, donors)?),
            Json::Object(fields) => self.object(fields, donors)?,
        })
    }

    fn items(&mut self, items: &[Json], donors: &[HashMap<u64, Value>]) -> Result<Vec<Value>, Refused> {
        items.iter().map(|item| self.value(item, donors)).collect()
    }

    fn object(&mut self, fields: &Map<String, Json>, donors: &[HashMap<u64, Value>]) -> Result<Value, Refused> {
        if let (1, Some(id)) = (fields.len(), fields.get("$ref").and_then(Json::as_u64)) {
            return self.reference(id, donors);
        }
        if let (1, Some(float)) = (fields.len(), fields.get(FLOAT).and_then(Json::as_str)) {
            return Ok(Value::Float(match float {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            }));
        }
        let id = fields.get("$id").and_then(Json::as_u64);
        let array = |name: &str| fields.get(name).and_then(Json::as_array);
        let plain = id.is_some() && fields.len() <= 3;
        let fixed = array("$tuple").is_some() || fields.get("$frozen") == Some(&Json::Bool(true));
        let number = id.filter(|id| !fixed && self.wanted.contains(id)).map(|id| {
            self.next += 1;
            self.shared.insert(id, self.next);
            self.next
        });
        let value = if let Some(items) = array("$list").filter(|_| plain) {
            Value::List(self.items(items, donors)?)
        } else if let Some(items) = array("$tuple").filter(|_| plain) {
            Value::Tuple(self.items(items, donors)?)
        } else if let Some(items) = array("$set").filter(|_| plain) {
            let items = self.items(items, donors)?;
            if fixed { Value::FrozenSet(items) } else { Value::Set(items) }
        } else if let Some(pairs) = array("$map").filter(|_| plain) {
            let pair = |pair: &Json| match pair.as_array().map(Vec::as_slice) {
                Some([key, value]) => Ok((self.value(key, donors)?, self.value(value, donors)?)),
                _ => Err(Refused::NoTrace("a map is made of pairs".into())),
            };
            Value::Dict(pairs.iter().map(pair).collect::<Result<_, _>>()?)
        } else {
            let named = fields.iter().filter(|(name, _)| id.is_none() || *name != "$id");
            let pair = |(name, value): (&String, &Json)| Ok((Value::Str(name.clone()), self.value(value, donors)?));
            Value::Dict(named.map(pair).collect::<Result<_, Refused>>()?)
        };
        if let Some(id) = id {
            self.made.insert(id, value.clone());
        }
        Ok(match number {
            Some(number) => Value::Shared(number, Box::new(value)),
            None => value,
        })
    }

    fn reference(&mut self, id: u64, donors: &[HashMap<u64, Value>]) -> Result<Value, Refused> {
        if let Some(number) = self.shared.get(&id) {
            return Ok(Value::Ref(*number));
        }
        let found = match self.made.get(&id) {
            Some(made) => Some(made.clone()),
            None => {
                let mut holders = donors.iter().filter_map(|donor| donor.get(&id));
                holders.next().filter(|_| holders.next().is_none()).cloned()
            }
        };
        let found = found.ok_or(Refused::Reference(id))?;
        found.walk(&mut |_| {
            self.nodes += 1;
            self.nodes <= NODES_MAX
        });
        if self.nodes > NODES_MAX { Err(Refused::TooLarge) } else { Ok(found) }
    }
}

fn references(json: &Json, into: &mut HashSet<u64>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| references(item, into)),
        Json::Object(fields) => {
            if let (1, Some(id)) = (fields.len(), fields.get("$ref").and_then(Json::as_u64)) {
                into.insert(id);
            }
            fields.values().for_each(|value| references(value, into));
        }
        _ => {}
    }
}

/// Reads a number as Python wrote it.
fn number_of(text: &str) -> Value {
    if let Ok(number) = text.parse() {
        Value::Int(number)
    } else if text.contains(['.', 'e', 'E']) {
        Value::Float(text.parse().unwrap_or(f64::NAN))
    } else {
        Value::BigInt(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &str, result: &str) -> Result<OldCall, Refused> {
        call(format!(r#"{{"trace_schema":"pytead/v2-graph","timestamp":"2026-11-20T16:09:44.293074+00:00","func":"m.f","args_graph":{args},"kwargs_graph":{{}},"result_graph":{result}}}"#).as_bytes())
    }

    fn result(json: &str) -> Value {
        read("[]", json).unwrap().result
    }

    fn ints(numbers: &[i64]) -> Vec<Value> {
        numbers.iter().map(|number| Value::Int(*number)).collect()
    }

    #[test]
    fn every_node_of_the_grammar_is_read() {
        let call = read("[2, 3]", "6").unwrap();
        assert_eq!((call.function.as_str(), call.args, call.result), ("m.f", ints(&[2, 3]), Value::Int(6)));
        assert_eq!(result(r#"{"$id":1,"$tuple":[{"$id":2,"$tuple":[1,2]}]}"#), Value::Tuple(vec![Value::Tuple(ints(&[1, 2]))]));
        let map = r#"{"$id":1,"$map":[[1,2],[{"$id":2,"$tuple":[1,2]},3]]}"#;
        let pairs = vec![(Value::Int(1), Value::Int(2)), (Value::Tuple(ints(&[1, 2])), Value::Int(3))];
        assert_eq!(result(map), Value::Dict(pairs));
        assert_eq!(result(r#"{"$id":1,"$set":[1,2],"$frozen":false}"#), Value::Set(ints(&[1, 2])));
        assert_eq!(result(r#"{"$id":1,"$set":[1],"$frozen":true}"#), Value::FrozenSet(ints(&[1])));
        let text = |text: &str| Value::Str(text.into());
        assert_eq!(result(r#"{"$id":1,"a":"NaN \" NaN"}"#), Value::Dict(vec![(text("a"), text("NaN \" NaN"))]));
        assert!(matches!(result("NaN"), Value::Float(value) if value.is_nan()));
        assert_eq!(
            result("[-Infinity, 1.5, 12345678901234567890123]"),
            Value::List(vec![
                Value::Float(f64::NEG_INFINITY),
                Value::Float(1.5),
                Value::BigInt("12345678901234567890123".into()),
            ])
        );
    }

    #[test]
    fn one_object_in_two_places_stays_one_and_a_tuple_is_the_same_twice() {
        let list = r#"{"$id":1,"$list":[{"$id":2,"$list":[1]},{"$ref":2}]}"#;
        let inner = Value::Shared(1, Box::new(Value::List(ints(&[1]))));
        assert_eq!(result(list), Value::List(vec![inner, Value::Ref(1)]));
        let tuple = Value::Tuple(ints(&[1, 2]));
        let twice = r#"{"$id":1,"$tuple":[{"$id":2,"$tuple":[1,2]},{"$id":3,"$list":[{"$ref":2}]}]}"#;
        assert_eq!(result(twice), Value::Tuple(vec![tuple.clone(), Value::List(vec![tuple])]));
        let cycle = result(r#"{"$id":1,"me":{"$ref":1},"v":1}"#);
        assert!(matches!(cycle, Value::Shared(1, inner) if matches!(&*inner, Value::Dict(pairs) if pairs[0].1 == Value::Ref(1))));
    }

    #[test]
    fn a_result_refers_to_the_one_argument_that_has_it() {
        let args = r#"[{"$id":1,"$list":[1]}]"#;
        assert_eq!(read(args, r#"{"$id":2,"$list":[{"$ref":1}]}"#).unwrap().result, Value::List(vec![Value::List(ints(&[1]))]));
        let two = r#"[{"$id":1,"$list":[1]},{"$id":1,"$list":[2]}]"#;
        assert_eq!(read(two, r#"{"$ref":1}"#), Err(Refused::Reference(1)));
        assert_eq!(read("[]", r#"{"$ref":7}"#), Err(Refused::Reference(7)));
    }

    #[test]
    fn what_is_no_trace_is_refused_in_a_sentence() {
        for bytes in [&b"\xff"[..], b"", b"[]", b"{\"func\": 1}", b"{\"func\": \"m.f\"}"] {
            assert!(matches!(call(bytes), Err(Refused::NoTrace(_))), "{bytes:?}");
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(call(deep.as_bytes()), Err(Refused::NoTrace(_))));
        // Each tuple holds the one before twice: a few lines that stand for a million values.
        let mut laughs = r#"{"$id":1,"$tuple":[1,1]}"#.to_owned();
        for id in 2..40 {
            laughs = format!(r#"{{"$id":{id},"$tuple":[{laughs},{{"$ref":{}}}]}}"#, id - 1);
        }
        assert_eq!(read("[]", &laughs), Err(Refused::TooLarge));
    }
}
