//! The table of all fields of a YAML test: name, form, one line about it. Validation, the JSON schema for editors and
//! the names that are offered for a wrong one are made from it.

use serde_json::{Map, Value, json};

use crate::domain::settings::CLAUDE_CODE;
use crate::judge::data;

/// Most rounds of a step, and most tries after the first.
pub const ROUNDS_MAX: i64 = 10_000;
/// Most seconds of anything.
pub const SECONDS_MAX: f64 = 86_400.0;

/// The form of a field's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// A text.
    Text,
    /// A text, or a list of texts.
    TextOrTexts,
    /// A list of texts.
    Texts,
    /// A name that references begin with.
    Name,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Seconds, more than none.
    Seconds,
    /// Seconds, or none.
    Delay,
    /// A whole number from this one on.
    Whole(i64),
    /// A mapping of anything.
    Mapping,
    /// A list of steps.
    Steps,
    /// A section with these fields.
    Section(&'static [Field]),
    /// Rules about data.
    Rules,
    /// How many items: a number, or a mapping of the least and the most.
    Count,
    /// Only true.
    True,
    /// The name of a format, or a pattern between slashes.
    Format,
    /// A mapping of the least and the most.
    Range,
}

/// One field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// It has to be there.
    pub required: bool,
    /// What it is for.
    pub doc: &'static str,
}

const fn field(name: &'static str, form: Form, doc: &'static str) -> Field {
    Field { name, form, required: false, doc }
}

const fn required(name: &'static str, form: Form, doc: &'static str) -> Field {
    Field { name, form, required: true, doc }
}

/// What `compat` may be.
pub const FORMER: &str = "llm-pytest";

/// The fields of a file.
pub const FILE: &[Field] = &[
    required("test", Form::Section(TEST), "What the test is."),
    field("setup", Form::Steps, "Steps that come first; where one fails, the test's own steps are not run."),
    required("steps", Form::Steps, "The test itself."),
    field("teardown", Form::Steps, "Steps that are run in the end, whatever happened."),
    required("verdict", Form::Section(VERDICT), "What the test comes to."),
    field("agent", Form::Word(&[CLAUDE_CODE]), "Who calls the tools in our place, over MCP: Claude Code."),
    field("compat", Form::Word(&[FORMER]), "References are filled in exactly as llm-pytest did."),
];

/// The fields of `test`.
pub const TEST: &[Field] = &[
    required("name", Form::Text, "Its name."),
    field("description", Form::Text, "What it is about."),
    field("tags", Form::Texts, "Words to select it by: marks of pytest."),
    field("timeout", Form::Seconds, "Seconds that each step may take that does not say so itself: 120."),
    field("total_timeout", Form::Seconds, "Seconds that setup and steps may take together."),
];

/// The fields of a step.
pub const STEP: &[Field] = &[
    field("name", Form::Text, "Its name."),
    field("tool", Form::Text, "The tool it calls: `plugin_method`, `store_value`, `get_value`, `list_values`, `sleep`."),
    field("args", Form::Mapping, "What the tool is given; `${name.field}` is filled in."),
    field("expect", Form::Text, "What should come of it, in plain English or in sentences that rules decide."),
    field("analyze", Form::Text, "What else is to be looked at."),
    field("check", Form::TextOrTexts, "Python expressions over `result`, `error`, `steps` and `stored` that have to be true."),
    field(
        "rules",
        Form::Rules,
        "What the data has to be: counts, unique items, formats, ranges, fields, order. No model is asked.",
    ),
    field("save_as", Form::Name, "The name its result is kept under."),
    field("repeat", Form::Whole(1), "How often it is done: 1."),
    field("retry", Form::Whole(0), "How often it is tried again: 0."),
    field("retry_delay", Form::Delay, "Seconds before it is tried again: 1."),
    field("timeout", Form::Seconds, "Seconds that one try may take."),
    field("steps", Form::Steps, "Steps it is made of, in place of a tool."),
];

/// The fields of a rule.
pub const RULE: &[Field] = &[
    required("of", Form::Text, "What it is about: `result.users[*].email`. Of a list, its items."),
    field("count", Form::Count, "How many items there are: 10, or {at_least: 1, at_most: 20}."),
    field("unique", Form::True, "No two items are equal."),
    field("format", Form::Format, "What every item looks like: a name of a format, or a pattern between slashes."),
    field("range", Form::Range, "What every item lies between, both ends included: {from: 0, to: 150}."),
    field("required", Form::TextOrTexts, "Fields that every item has."),
    field("order", Form::Word(&["ascending", "descending"]), "How the items are sorted; equal ones may follow each other."),
];

/// The fields of `verdict`.
pub const VERDICT: &[Field] = &[
    required("pass_if", Form::Text, "What has to hold in the end."),
    required("fail_if", Form::Text, "What must not hold in the end."),
];

/// Says where a field of this name belongs, when it is one of another section.
#[must_use]
pub fn home(name: &str) -> Option<&'static str> {
    let homes = [
        ("at the top of the file", FILE),
        ("under test", TEST),
        ("in a step", STEP),
        ("in an item of rules", RULE),
        ("under verdict", VERDICT),
    ];
    homes.into_iter().find(|(_, fields)| fields.iter().any(|field| field.name == name)).map(|(home, _)| home)
}

/// Gives the JSON schema of a file, for editors.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = object(FILE);
    schema.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.insert("title".into(), "A YAML test of pytead-tui".into());
    let mut step = object(STEP);
    step.insert("oneOf".into(), json!([{ "required": ["tool"] }, { "required": ["steps"] }]));
    let mut rule = object(RULE);
    rule.insert("minProperties".into(), 2.into());
    schema.insert("$defs".into(), json!({ "step": step, "rule": rule }));
    Value::Object(schema)
}

fn object(fields: &[Field]) -> Map<String, Value> {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = form(field.form);
            // Only what comes before and after may be nothing.
            if field.form == Form::Steps && field.name == "steps" {
                schema.insert("minItems".into(), 1.into());
            }
            schema.insert("description".into(), field.doc.into());
            (field.name.to_owned(), Value::Object(schema))
        })
        .collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut out = Map::new();
    out.insert("type".into(), "object".into());
    out.insert("additionalProperties".into(), false.into());
    if !required.is_empty() {
        out.insert("required".into(), json!(required));
    }
    out.insert("properties".into(), Value::Object(properties));
    out
}

fn form(form: Form) -> Map<String, Value> {
    let schema = match form {
        Form::Text => json!({ "type": "string", "minLength": 1 }),
        Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Form::TextOrTexts => json!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ] }),
        Form::Name => json!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$" }),
        Form::Word(words) => json!({ "enum": words }),
        Form::Seconds => json!({ "type": "number", "exclusiveMinimum": 0, "maximum": SECONDS_MAX }),
        Form::Delay => json!({ "type": "number", "minimum": 0, "maximum": SECONDS_MAX }),
        Form::Whole(least) => json!({ "type": "integer", "minimum": least, "maximum": ROUNDS_MAX }),
        Form::Mapping => json!({ "type": "object" }),
        Form::Steps => json!({ "type": "array", "items": { "$ref": "#/$defs/step" } }),
        Form::Section(fields) => return object(fields),
        Form::Rules => json!({ "type": "array", "items": { "$ref": "#/$defs/rule" }, "minItems": 1 }),
        Form::Count => {
            let whole = json!({ "type": "integer", "minimum": 0 });
            json!({ "anyOf": [whole, ends("at_least", "at_most", &whole)] })
        }
        Form::True => json!({ "const": true }),
        Form::Format => {
            json!({ "anyOf": [{ "enum": data::FORMATS.map(|(name, _)| name) }, { "type": "string", "pattern": "^/.+/$" }] })
        }
        Form::Range => ends("from", "to", &json!({ "type": ["number", "string"] })),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// The schema of a mapping with one of two ends, or both.
fn ends(least: &str, most: &str, of: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "minProperties": 1, "properties": { least: of, most: of } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_for_editors_is_the_table() {
        let file = include_str!("../../assets/schemas/spec.schema.json");
        let made = serde_json::to_string_pretty(&json_schema()).unwrap_or_default() + "\n";
        assert_eq!(file, made, "write it anew: pytead-tui spec --schema > assets/schemas/spec.schema.json");
    }

    #[test]
    fn a_field_is_known_by_its_section() {
        assert_eq!(home("pass_if"), Some("under verdict"));
        assert_eq!(home("tags"), Some("under test"));
        assert_eq!(home("retries"), None);
    }
}
