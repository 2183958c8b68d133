//! Arguments of a step whose type is none that the schema of their tool takes: where each stands, and what to write.
//!
//! Only types are judged. A reference can become anything, and a schema that says its types in other ways takes anything.

use serde_json::Value as Json;

use crate::base::text;
use crate::base::yaml::{Located, Place, Plain};
use crate::python::plugins::Tool;
use crate::spec::load::Mistake;
use crate::spec::validate::{length, value_shown};

/// Schemas may be nested this deep.
const DEPTH_MAX: u32 = 8;

/// Which misfits are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// All.
    All,
    /// Only what YAML makes of words that meant something else: true and false of `no` and `on` where none is taken, and a text of
    /// `012` where a number is.
    MadeByYaml,
}

/// Finds the arguments of one call whose type its tool does not take.
pub fn misfits(tool: &Tool, given: &[(String, Place, Located)], told: Told) -> Vec<Mistake> {
    let mut found = Vec::new();
    for (name, _, value) in given {
        let mut look = Look { tool: &tool.name, told, found: &mut found };
        look.at(&tool.input_schema["properties"][name.as_str()], value, name, 0);
    }
    found
}

struct Look<'a> {
    tool: &'a str,
    told: Told,
    found: &'a mut Vec<Mistake>,
}

impl Look<'_> {
    fn at(&mut self, schema: &Json, value: &Located, path: &str, depth: u32) {
        let is_default = value.value == Plain::Null && schema.get("default").is_some_and(Json::is_null);
        if depth > DEPTH_MAX || is_default {
            return;
        }
        let Some(types) = types(schema, depth) else { return };
        if !types.iter().any(|ty| is_of(ty, &value.value)) {
            let is_told = match self.told {
                Told::All => true,
                Told::MadeByYaml => match &value.value {
                    Plain::Bool(_) => true,
                    Plain::Text(text) => text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()),
                    _ => false,
                },
            };
            if is_told {
                self.found.push(self.misfit(&types, value, path));
            }
            return;
        }
        match &value.value {
            Plain::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    self.at(&schema["items"], item, &format!("{path}[{number}]"), depth + 1);
                }
            }
            Plain::Map(entries) => {
                for (name, _, held) in entries {
                    let own = schema["properties"].get(name.as_str()).unwrap_or(&schema["additionalProperties"]);
                    self.at(own, held, &format!("{path}.{name}"), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn misfit(&self, types: &[&str], value: &Located, path: &str) -> Mistake {
        let mut words: Vec<&str> = types.iter().map(|ty| word(ty)).collect();
        words.dedup();
        let what = format!(
            "`{}` takes {} for `{}`, and this is {}.{}",
            text::display_line(self.tool),
            words.join(" or "),
            text::display_line(path),
            value_shown(&value.value),
            hint(types, &value.value)
        );
        // A flag can be written in several ways, `no` is the shortest.
        let length = if matches!(value.value, Plain::Bool(_)) { 2 } else { length(value) };
        Mistake { at: value.at, length, what }
    }
}

/// Gives the types that a schema takes; `None` where it takes any, or says it in a way that is not judged.
fn types(schema: &Json, depth: u32) -> Option<Vec<&str>> {
    let fields = schema.as_object().filter(|_| depth <= DEPTH_MAX)?;
    if ["$ref", "allOf", "not", "if"].iter().any(|name| fields.contains_key(*name)) {
        return None;
    }
    if let Some(all) = fields.get("anyOf").or_else(|| fields.get("oneOf")) {
        let each: Option<Vec<Vec<&str>>> = all.as_array()?.iter().map(|one| types(one, depth + 1)).collect();
        return each.map(|each| each.concat());
    }
    match (fields.get("type"), fields.get("enum").and_then(Json::as_array)) {
        (Some(Json::String(one)), _) => Some(vec![one]),
        (Some(Json::Array(several)), _) => several.iter().map(Json::as_str).collect(),
        (None, Some(values)) => Some(values.iter().map(type_of).collect()),
        _ => None,
    }
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() => "number",
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

fn is_of(ty: &str, value: &Plain) -> bool {
    match (ty, value) {
        (_, Plain::Text(text)) if text.contains("${") => true,
        ("string", Plain::Text(_))
        | ("integer" | "number", Plain::Int(_) | Plain::Whole(_))
        | ("number", Plain::Float(_))
        | ("boolean", Plain::Bool(_))
        | ("null", Plain::Null)
        | ("array", Plain::List(_))
        | ("object", Plain::Map(_)) => true,
        ("integer", Plain::Float(number)) => number.fract() == 0.0,
        ("string" | "integer" | "number" | "boolean" | "null" | "array" | "object", _) => false,
        // A type that is none of JSON schema's.
        _ => true,
    }
}

fn word(ty: &str) -> &str {
    match ty {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        "null" => "nothing",
        other => other,
    }
}

/// Says what to write where that is plain.
fn hint(types: &[&str], value: &Plain) -> &'static str {
    let takes = |ty: &str| types.contains(&ty);
    let number = takes("integer") || takes("number");
    match value {
        Plain::Bool(_) if takes("string") => " Put it in quotes: to YAML, yes, no, on and off without quotes are true and false.",
        Plain::Int(_) | Plain::Whole(_) | Plain::Float(_) if takes("string") => " Put it in quotes.",
        Plain::Text(text) if number && text.parse::<f64>().is_ok() => {
            if text.trim_start_matches(['-', '+']).starts_with('0') {
                " Write it without quotes, and without zeros in front."
            } else {
                " Take the quotes away."
            }
        }
        Plain::Text(text) if takes("boolean") && ["true", "false"].contains(&text.as_str()) => " Take the quotes away.",
        Plain::Text(_) | Plain::Int(_) | Plain::Float(_) if takes("array") => " A list stands in brackets: [a, b].",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::base::yaml;

    fn told(schema: Json, args: &str, told: Told) -> Vec<String> {
        let tool = Tool { name: "t".into(), description: String::new(), input_schema: json!({ "properties": schema }) };
        let Ok(Located { value: Plain::Map(given), .. }) = yaml::tree(args) else { unreachable!("it is a mapping") };
        misfits(&tool, &given, told).into_iter().map(|one| format!("{}: {}", one.at.line, one.what)).collect()
    }

    #[test]
    fn an_argument_of_another_type_is_named_with_its_line_and_what_to_write() {
        let schema = json!({
            "country": { "type": "string" }, "port": { "type": "integer" }, "rate": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "who": { "type": "object", "properties": { "state": { "type": "string" } }, "additionalProperties": false },
            "mode": { "enum": ["on", "off"] },
        });
        let args = "country: no\nport: 012\nrate: 'x'\ntags: [a, off]\nwho: {state: ON}\nmode: on\n";
        let quotes = "Put it in quotes: to YAML, yes, no, on and off without quotes are true and false.";
        let all = [
            format!("1: `t` takes a text for `country`, and this is false. {quotes}"),
            "2: `t` takes a whole number for `port`, and this is the text “012”. Write it without quotes, and without zeros in front."
                .to_owned(),
            "3: `t` takes a number for `rate`, and this is the text “x”.".to_owned(),
            format!("4: `t` takes a text for `tags[1]`, and this is false. {quotes}"),
            format!("5: `t` takes a text for `who.state`, and this is true. {quotes}"),
            format!("6: `t` takes a text for `mode`, and this is true. {quotes}"),
        ];
        assert_eq!(told(schema.clone(), args, Told::All), all);
        let flags = told(schema, args, Told::MadeByYaml);
        assert_eq!(flags, [all[0].clone(), all[1].clone(), all[3].clone(), all[4].clone(), all[5].clone()]);
    }

    #[test]
    fn what_fits_and_what_cannot_be_known_is_not_told() {
        let schema = json!({
            "any": {}, "text": { "type": "string", "default": null }, "both": { "anyOf": [{ "type": "string" }, { "type": "boolean" }] },
            "named": { "$ref": "#/x" }, "open": { "anyOf": [{ "type": "string" }, {}] }, "number": { "type": "number" },
            "whole": { "type": "integer" }, "some": { "type": ["string", "null"] },
        });
        let args = "any: no\ntext: null\nboth: no\nnamed: no\nopen: no\nnumber: 123456789012345678901234567890\n\
                    whole: '${stored.port}'\nsome:\nother: no\n";
        assert_eq!(told(schema, args, Told::All), Vec::<String>::new());
    }
}
