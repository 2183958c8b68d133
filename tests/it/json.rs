//! The page of JSON lines: every kind that the sources can print stands on it, and what verbs really print has the fields that
//! it names, with their types. The JSON Schema beside it is made from the page: `PYTEAD_WRITE=1 cargo nextest run --test it json::`
//! writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::harness::{Place, packages_of, python_with_pytest};
use serde_json::{Map, Value, json};

/// The tests of the example that are recorded: two of its files are enough for lines of every kind.
const FEW: &[&str] = &["--", "pytest", "-q", "tests/test_cart.py", "tests/test_pricing.py"];

/// What the page says of one kind of line.
struct Kind {
    fields: BTreeMap<String, String>,
    /// The cell that the fields were read from, and what a person is told of the kind.
    value: String,
    says: String,
    is_list: bool,
    may_have_more: bool,
}

/// Reads a table of the page: kinds by their names. `at` is the column of the fields.
fn kinds(heading: &str, at: usize) -> BTreeMap<String, Kind> {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.md")).unwrap();
    let section = page.split(&format!("\n## {heading}\n")).nth(1).unwrap().split("\n## ").next().unwrap().to_owned();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let value = cells[at];
        let fields = value.split('`').skip(1).collect::<Vec<_>>();
        let typed = fields.chunks(2).filter_map(|pair| {
            let kind = pair.get(1)?.trim_start().split([' ', ',', ';']).next()?;
            Some((pair[0].to_owned(), kind.to_owned()))
        });
        let kind = Kind {
            fields: typed.collect(),
            value: value.to_owned(),
            says: cells[3 - at].to_owned(),
            is_list: value.starts_with("list"),
            may_have_more: value.ends_with('…') || !value.contains('`') || value.contains("; or"),
        };
        (cells[0].trim_end_matches('`').to_owned(), kind)
    })
    .collect()
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind.trim_end_matches('?') {
        _ if value.is_null() => kind.ends_with('?') || kind == "any",
        "text" => value.is_string(),
        "number" => value.is_number(),
        "flag" => value.is_boolean(),
        "list" => value.is_array(),
        "object" => value.is_object(),
        "any" => true,
        other => panic!("{other} is no type of the page"),
    }
}

/// Holds an object against what the page says of its kind.
fn agrees(name: &str, value: &Value, kind: &Kind) {
    let Value::Object(found) = value else {
        assert!(kind.may_have_more, "{name} is no object: {value}");
        return;
    };
    for (field, of) in &kind.fields {
        match found.get(field) {
            Some(value) => assert!(is_of(value, of), "{name}.{field} is no {of}: {value}"),
            None => assert!(of.ends_with('?') || kind.may_have_more, "{name} has no {field}: {value}"),
        }
    }
    let unknown: Vec<_> = found.keys().filter(|field| !kind.fields.contains_key(*field)).collect();
    assert!(kind.may_have_more || unknown.is_empty(), "{name} has {unknown:?}, which the page does not name");
}

/// What the schema says of a type of the page.
fn typed(kind: &str) -> Value {
    let name = match kind.trim_end_matches('?') {
        "text" => "string",
        "number" => "number",
        "flag" => "boolean",
        "list" => "array",
        "object" => "object",
        _ => return json!({}),
    };
    if kind.ends_with('?') { json!({ "type": [name, "null"] }) } else { json!({ "type": name }) }
}

/// What the schema says of an object with these fields, and more of them.
fn object(first: Option<(&str, &str)>, fields: &BTreeMap<String, String>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if let Some((name, word)) = first {
        properties.insert(name.into(), json!({ "const": word }));
        required.push(name);
    }
    for (name, kind) in fields {
        properties.insert(name.clone(), typed(kind));
        if !kind.ends_with('?') {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// What the schema says of the value of a result.
fn value_of(kind: &Kind) -> Value {
    let item = object(None, &kind.fields);
    match kind.value.split([' ', ':']).next().unwrap() {
        _ if kind.value.contains("; or list") => json!({ "anyOf": [item, { "type": "array" }] }),
        "list" if kind.fields.is_empty() => json!({ "type": "array" }),
        "list" => json!({ "type": "array", "items": item }),
        word if kind.fields.is_empty() => typed(word),
        _ => item,
    }
}

/// The page as a JSON Schema.
fn schema() -> Value {
    let (mut lines, mut of) = (Map::new(), Vec::new());
    for (name, kind) in kinds("Events", 1) {
        let mut line = object(Some(("event", &name)), &kind.fields);
        line["description"] = kind.says.into();
        of.push(json!({ "$ref": format!("#/$defs/event-{name}") }));
        lines.insert(format!("event-{name}"), line);
    }
    for (name, kind) in kinds("Results", 2) {
        let mut line = object(Some(("result", &name)), &BTreeMap::new());
        line["properties"]["value"] = value_of(&kind);
        line["required"].as_array_mut().unwrap().push("value".into());
        line["description"] = format!("of {}", kind.says).into();
        of.push(json!({ "$ref": format!("#/$defs/result-{name}") }));
        lines.insert(format!("result-{name}"), line);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of pytead-tui --format json, version 1",
        "description": "Made from docs/json.md. Fields are added without notice; none is taken away or changed in meaning within a version.",
        "oneOf": of,
        "$defs": lines,
    })
}

#[test]
fn the_schema_beside_the_page_is_the_page() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.schema.json");
    let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("PYTEAD_WRITE").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(found == made, "the schema is not what the page says; PYTEAD_WRITE=1 cargo nextest run --test it json:: writes it");
}

/// Tells of each line whether the schema of the repository takes it, as the reference implementation reads it.
fn taken(lines: &str) -> Vec<bool> {
    const CHECK: &str = "\
import json, sys
from jsonschema import Draft202012Validator as Validator
schema = json.load(open(sys.argv[1], encoding='utf-8'))
Validator.check_schema(schema)
validator = Validator(schema)
for line in open(sys.argv[2], encoding='utf-8'):
    print(int(validator.is_valid(json.loads(line))))
";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/json.schema.json");
    let mut command = std::process::Command::new(python_with_pytest());
    command.env("PYTHONPATH", packages_of("mcp"));
    let output = command.args(["-c", CHECK]).arg(schema).arg(file.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line == "1").collect()
}

#[test]
fn the_schema_refuses_what_the_page_does_not_name() {
    let lines = [
        (r#"{"event": "indexed", "files": 12, "functions": 40, "errors": 0, "ms": 7}"#, true),
        (r#"{"event": "indexed", "files": 12, "functions": 40, "errors": 0, "ms": 7, "new": 1}"#, true),
        (r#"{"event": "indexed", "files": "12", "functions": 40, "errors": 0, "ms": 7}"#, false),
        (r#"{"event": "indexed", "files": 12, "errors": 0, "ms": 7}"#, false),
        (r#"{"event": "unheard", "files": 12}"#, false),
        (r#"{"event": "judged", "test": "t", "ruling": "PASS", "overridden": false, "proposal": null}"#, true),
        (r#"{"event": "judged", "test": null, "ruling": "PASS", "overridden": false}"#, false),
        (r#"{"result": "trust", "value": {"root": "/home/me/shop", "trusted": true}}"#, true),
        (r#"{"result": "trust", "value": {"root": "/home/me/shop"}}"#, false),
        (r#"{"result": "trust"}"#, false),
        (r#"{"result": "doctor", "value": [{"mark": "ok", "what": "python", "detail": "3.13"}]}"#, true),
        (r#"{"result": "doctor", "value": [{"mark": "ok", "what": "python"}]}"#, false),
        (r#"{"result": "decided", "value": "a line"}"#, false),
        (r#"{"result": "removed", "value": ["a file"]}"#, true),
        (r#"{"result": "removed", "value": {"model": "demo"}}"#, false),
        (r#"["event"]"#, false),
    ];
    let text: String = lines.iter().map(|(line, _)| format!("{line}\n")).collect();
    for ((line, expected), found) in lines.iter().zip(taken(&text)) {
        assert_eq!(found, *expected, "{line}");
    }
}

#[test]
fn every_kind_of_line_in_the_sources_stands_on_the_page_and_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut results = BTreeSet::new();
    for file in std::fs::read_dir(root.join("cli")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let source = std::fs::read_to_string(file).unwrap();
        let calls = source.split("out.result(").skip(1);
        results.extend(calls.map(|rest| rest.trim_start().strip_prefix('"').unwrap().split('"').next().unwrap().to_owned()));
    }
    assert_eq!(results, kinds("Results", 2).into_keys().collect());

    let source = std::fs::read_to_string(root.join("domain/event.rs")).unwrap();
    let body = source.split("pub enum Event {").nth(1).unwrap().split("\n}").next().unwrap();
    let mut lines = body.lines();
    let mut events = BTreeMap::new();
    while let Some(line) = lines.next() {
        let Some(line) = line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase)) else { continue };
        let mut variant = line.to_owned();
        if variant.ends_with('{') {
            let (mut is_written, mut renamed) = (true, None);
            for field in lines.by_ref().map(str::trim).take_while(|field| *field != "},") {
                renamed = field.strip_prefix("#[serde(rename = \"").and_then(|rest| rest.split('"').next()).or(renamed);
                if is_written && !field.starts_with("#[") {
                    let kind = field.split_once(':').map_or("", |(_, kind)| kind);
                    variant.push_str(&renamed.take().map_or_else(|| format!(" {field}"), |name| format!(" {name}:{kind}")));
                }
                is_written = field != "#[serde(skip)]";
            }
        }
        let (name, fields) = variant.split_once(" {").unwrap_or((variant.trim_end_matches(','), ""));
        let named = fields.trim_end_matches("},").split(", ").filter_map(|field| field.split_once(':'));
        let mut snake = String::new();
        for letter in name.chars() {
            if letter.is_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
        }
        events.insert(snake, named.map(|(field, _)| field.trim().to_owned()).collect::<BTreeSet<_>>());
    }
    assert!(events.len() > 20, "{events:?}");
    let page: BTreeMap<_, _> =
        kinds("Events", 1).into_iter().map(|(name, kind)| (name, kind.fields.into_keys().collect::<BTreeSet<_>>())).collect();
    assert_eq!(events, page);
}

#[test]
fn what_verbs_print_is_what_the_page_says() {
    let (events, results) = (kinds("Events", 1), kinds("Results", 2));
    let place = Place::example("shop");
    place.commit();
    let mut seen = BTreeSet::new();
    let mut printed = String::new();
    let mut look = |text: &str| {
        printed.push_str(text);
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if let Some(name) = line["event"].as_str() {
                let kind = events.get(name).unwrap_or_else(|| panic!("the page has no event {name}"));
                let mut fields = line.clone();
                fields.as_object_mut().unwrap().shift_remove("event");
                agrees(name, &fields, kind);
                seen.insert(name.to_owned());
            } else {
                let name = line["result"].as_str().unwrap();
                let kind = results.get(name).unwrap_or_else(|| panic!("the page has no result {name}"));
                match (&line["value"], kind.is_list) {
                    (Value::Array(_), true) if kind.may_have_more => {}
                    (Value::Array(items), true) => items.iter().for_each(|item| agrees(name, item, kind)),
                    (value, _) => agrees(name, value, kind),
                }
                seen.insert(name.to_owned());
            }
        }
    };
    let out = place.root().join("events.jsonl");
    for journey in [&[][..], &["--journey"]] {
        let words = [&["--trust", "--format", "json", "run", "--events", "events.jsonl"], journey, FEW].concat();
        assert_eq!(place.run(&words).0, 0);
        look(&std::fs::read_to_string(&out).unwrap());
    }
    std::fs::remove_file(out).unwrap();
    place.save("tests/test_semantic.py", include_str!("../fixtures/shop_intents.py"));
    place.save("tests/llm/test_a.yaml", "test:\n  name: a\nsteps:\n  - tool: store_value\n    args: {name: a, value: 1}\n    expect: stored\nverdict:\n  pass_if: all steps passed\n  fail_if: a step failed\n");
    for words in [
        &["gen", "tax_for", "shipping_for"][..],
        &["review", "--list"],
        &["gen", "--accept"],
        &["gen", "--check"],
        &["review", "--undo"],
        &["index"],
        &["index", "tax_for"],
        &["export"],
        &["export", "1"],
        &["export", "2"],
        &["types"],
        &["doc"],
        &["spec", "--check"],
        &["spec", "--tools"],
        &["spec"],
        &["trust"],
        &["trust", "--list"],
        &["config", "show"],
        &["clean", "--all", "--dry-run"],
        &["model", "list"],
        &["doctor"],
        &["check", "-c", "Cart.total is called", "--recording", "2"],
        &["check", "-c", "Cart.totl is called", "-c", "Cart.total is never called", "--recording", "2"],
        &["check", "tests/test_semantic.py"],
        &["review", "--list"],
        &["export", "99"],
    ] {
        look(&place.run(&[&["--trust", "--format", "json"], words].concat()).1);
    }
    place.edit("shop/pricing.py", "total > FREE_FROM", "total >= FREE_FROM");
    for words in [&["replay"][..], &["diff"]] {
        look(&place.run(&[&["--trust", "--format", "json"], words].concat()).1);
    }
    for name in [
        "recording_ended",
        "calls_arrived",
        "proposal",
        "call",
        "event",
        "queue",
        "change",
        "behaviour_changed",
        "report",
        "clause",
        "verdict",
        "diff",
        "failed",
    ] {
        assert!(seen.contains(name), "nothing printed {name}: {seen:?}");
    }
    let taken = taken(&printed);
    let refused: Vec<_> = printed.lines().zip(&taken).filter(|(_, taken)| !**taken).map(|(line, _)| line).collect();
    assert!(refused.is_empty() && taken.len() == printed.lines().count(), "the schema refuses\n{}", refused.join("\n"));
}
