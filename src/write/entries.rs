//! One entry more or less in a settings file of another program: JSON, with or without comments, and TOML. All the rest
//! of the file stays as it is, byte for byte. Works on text; does not know what the entries mean.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// Why an entry cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// The file does not parse.
    #[error("It does not parse: {0}.")]
    DoesNotParse(String),
    /// Something else is where a table is wanted.
    #[error("Its {0} is no table.")]
    NoTable(String),
    /// Something else is where a list is wanted.
    #[error("Its {0} is no list.")]
    NoList(String),
}

/// Sets `path` in a JSON file to a value; an empty text is an empty object.
///
/// # Errors
/// Fails when the text is no JSON, or a part of the path is no object.
pub fn set_json(text: &str, path: &[&str], value: &Value) -> Result<String, EntryError> {
    let (root, object) = opened(text)?;
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let parent = descended(object, parents)?;
    match parent.get(last) {
        Some(there) if there.value().and_then(|value| value.to_serde_value()).as_ref() == Some(value) => {
            return Ok(text.to_owned());
        }
        Some(there) => there.set_value(input(value)),
        None => _ = parent.append(last, input(value)),
    }
    Ok(ended(&root))
}

/// Adds a value to the list at `path` in a JSON file, in place of an element that `ours` takes for the same.
///
/// # Errors
/// Fails when the text is no JSON, or the path leads to no list.
pub fn add_json(text: &str, path: &[&str], value: &Value, ours: impl Fn(&Value) -> bool) -> Result<String, EntryError> {
    let (root, object) = opened(text)?;
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let parent = descended(object, parents)?;
    let list = parent.array_value_or_create(last).ok_or_else(|| EntryError::NoList(path.join(".")))?;
    let mut there = list.elements().into_iter().filter(|element| element.to_serde_value().is_some_and(|value| ours(&value)));
    match there.next() {
        Some(element) if element.to_serde_value().as_ref() == Some(value) => return Ok(text.to_owned()),
        Some(element) => {
            let at = element.element_index().unwrap_or_default();
            element.remove();
            list.insert(at, input(value));
        }
        None => {
            list.ensure_multiline();
            list.append(input(value));
        }
    }
    Ok(ended(&root))
}

/// Takes what is at `path` out of a JSON file, and the objects that are empty without it.
///
/// # Errors
/// Fails when the text is no JSON.
pub fn unset_json(text: &str, path: &[&str]) -> Result<String, EntryError> {
    let (root, object) = opened(text)?;
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(chain) = followed(object, parents) else { return Ok(text.to_owned()) };
    let Some(entry) = chain.last().and_then(|parent| parent.get(last)) else { return Ok(text.to_owned()) };
    entry.remove();
    prune(&chain, parents);
    Ok(root.to_string())
}

/// Takes the elements that `ours` knows out of the list at `path` in a JSON file, and what is empty without them.
///
/// # Errors
/// Fails when the text is no JSON.
pub fn remove_json(text: &str, path: &[&str], ours: impl Fn(&Value) -> bool) -> Result<String, EntryError> {
    let (root, object) = opened(text)?;
    let Some((last, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(chain) = followed(object, parents) else { return Ok(text.to_owned()) };
    let Some(parent) = chain.last() else { return Ok(text.to_owned()) };
    let Some(list) = parent.array_value(last) else { return Ok(text.to_owned()) };
    let is_ours = |element: &CstNode| element.to_serde_value().is_some_and(|value| ours(&value));
    let found: Vec<CstNode> = list.elements().into_iter().filter(is_ours).collect();
    if found.is_empty() {
        return Ok(text.to_owned());
    }
    found.into_iter().for_each(CstNode::remove);
    if list.elements().is_empty()
        && let Some(entry) = parent.get(last)
    {
        entry.remove();
    }
    prune(&chain, parents);
    Ok(root.to_string())
}

/// Reads a JSON file with comments as a value; `None` when it does not parse.
#[must_use]
pub fn read_json(text: &str) -> Option<Value> {
    CstRootNode::parse(text, &ParseOptions::default()).ok()?.to_serde_value()
}

fn opened(text: &str) -> Result<(CstRootNode, CstObject), EntryError> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| EntryError::DoesNotParse(error.to_string()))?;
    let object = root.object_value_or_create().ok_or_else(|| EntryError::NoTable("content".into()))?;
    Ok((root, object))
}

/// Goes down a path and makes the objects that are missing.
fn descended(mut object: CstObject, path: &[&str]) -> Result<CstObject, EntryError> {
    for name in path {
        object = object.object_value_or_create(name).ok_or_else(|| EntryError::NoTable((*name).to_owned()))?;
    }
    Ok(object)
}

/// Goes down a path; `None` where it does not lead on.
fn followed(object: CstObject, path: &[&str]) -> Option<Vec<CstObject>> {
    let mut chain = vec![object];
    for name in path {
        let next = chain.last()?.object_value(name)?;
        chain.push(next);
    }
    Some(chain)
}

/// Takes out the objects of a chain that are empty, the innermost first.
fn prune(chain: &[CstObject], names: &[&str]) {
    for (at, name) in names.iter().enumerate().rev() {
        if !chain[at + 1].properties().is_empty() {
            return;
        }
        if let Some(entry) = chain[at].get(name) {
            entry.remove();
        }
    }
}

fn ended(root: &CstRootNode) -> String {
    let text = root.to_string();
    if text.ends_with('\n') { text } else { text + "\n" }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(entries) => {
            CstInputValue::Object(entries.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// Sets the table `[group.name]` of a TOML file to a command and its arguments.
///
/// # Errors
/// Fails when the text is no TOML, or the group is no table.
pub fn set_toml(text: &str, (group, name): (&str, &str), command: &str, args: &[String]) -> Result<String, EntryError> {
    let mut document = toml(text)?;
    let groups = document.entry(group).or_insert_with(|| {
        let mut table = toml_edit::Table::new();
        table.set_implicit(true);
        toml_edit::Item::Table(table)
    });
    let groups = groups.as_table_like_mut().ok_or_else(|| EntryError::NoTable(group.to_owned()))?;
    let args: toml_edit::Array = args.iter().map(String::as_str).collect();
    if let Some(there) = groups.get(name).and_then(toml_edit::Item::as_table_like) {
        let same = there.get("command").and_then(toml_edit::Item::as_str) == Some(command)
            && there
                .get("args")
                .and_then(toml_edit::Item::as_array)
                .is_some_and(|old| old.to_string().trim() == args.to_string());
        if same {
            return Ok(text.to_owned());
        }
    }
    let mut table = toml_edit::Table::new();
    table.insert("command", toml_edit::value(command));
    table.insert("args", toml_edit::value(args));
    groups.insert(name, toml_edit::Item::Table(table));
    Ok(document.to_string())
}

/// Takes the table `[group.name]` out of a TOML file, and the group where it is empty without it.
///
/// # Errors
/// Fails when the text is no TOML.
pub fn unset_toml(text: &str, (group, name): (&str, &str)) -> Result<String, EntryError> {
    let mut document = toml(text)?;
    let Some(groups) = document.get_mut(group).and_then(toml_edit::Item::as_table_like_mut) else { return Ok(text.to_owned()) };
    if groups.remove(name).is_none() {
        return Ok(text.to_owned());
    }
    if groups.is_empty() {
        document.remove(group);
    }
    Ok(document.to_string())
}

fn toml(text: &str) -> Result<toml_edit::DocumentMut, EntryError> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| EntryError::DoesNotParse(error.message().trim_end_matches('.').replace('\n', " ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SERVER: &[&str] = &["mcpServers", "us"];

    fn ours(value: &Value) -> bool {
        value.to_string().contains("us diff")
    }

    #[test]
    fn what_else_is_in_the_file_stays_byte_for_byte() {
        let before = "{\n    // the team's own\n    \"zeta\": 1,\n    \"mcpServers\": {\n        \"other\": { \"command\": \"x\" }, // kept\n    },\n    \"alpha\": [1,2]\n}\n";
        let after = set_json(before, SERVER, &json!({ "command": "us", "args": ["mcp"] })).unwrap();
        for line in before.lines().filter(|line| line.contains("kept") || line.contains("own") || line.contains("alpha")) {
            assert!(after.contains(line), "{line} in {after}");
        }
        assert_eq!(read_json(&after).unwrap()["mcpServers"]["us"]["args"], json!(["mcp"]));
        assert_eq!(set_json(&after, SERVER, &json!({ "command": "us", "args": ["mcp"] })).unwrap(), after, "twice is once");
        let gone = unset_json(&after, SERVER).unwrap();
        assert_eq!(read_json(&gone), read_json(before));
        assert!(gone.contains("// kept") && gone.contains("// the team's own"), "{gone}");
    }

    #[test]
    fn an_entry_of_a_list_is_added_once_renewed_and_taken_out() {
        let path = &["hooks", "Stop"];
        let hook = |seconds: i32| json!({ "hooks": [{ "command": "us diff", "timeout": seconds }] });
        let before = "{ \"hooks\": { \"Stop\": [ { \"hooks\": [{ \"command\": \"theirs\" }] } ] } }";
        let first = add_json(before, path, &hook(1), ours).unwrap();
        assert_eq!(add_json(&first, path, &hook(1), ours).unwrap(), first);
        let second = add_json(&first, path, &hook(2), ours).unwrap();
        let stop = read_json(&second).unwrap()["hooks"]["Stop"].clone();
        assert_eq!((stop.as_array().unwrap().len(), &stop[1]), (2, &hook(2)), "{second}");
        assert_eq!(read_json(&remove_json(&second, path, ours).unwrap()), read_json(before));
        let alone = add_json("", path, &hook(1), ours).unwrap();
        assert_eq!(read_json(&remove_json(&alone, path, ours).unwrap()), Some(json!({})), "no empty list is left");
    }

    #[test]
    fn a_file_of_another_shape_is_left_alone() {
        assert_eq!(set_json("[1]", SERVER, &json!(1)), Err(EntryError::NoTable("content".into())));
        assert_eq!(set_json("{\"mcpServers\": 3}", SERVER, &json!(1)), Err(EntryError::NoTable("mcpServers".into())));
        assert!(matches!(add_json("{\"a\": {}}", &["a"], &json!(1), ours), Err(EntryError::NoList(_))));
        assert!(matches!(set_json("{", SERVER, &json!(1)), Err(EntryError::DoesNotParse(_))));
        assert!(matches!(set_toml("a = [", ("g", "n"), "c", &[]), Err(EntryError::DoesNotParse(_))));
        assert_eq!(set_toml("g = 1\n", ("g", "n"), "c", &[]), Err(EntryError::NoTable("g".into())));
    }

    #[test]
    fn toml_keeps_its_order_and_its_comments() {
        let before = "# mine\nmodel = \"o\" # the best\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        let at = ("mcp_servers", "us");
        let after = set_toml(before, at, "us", &["mcp".into()]).unwrap();
        assert!(after.starts_with(before) && after.contains("[mcp_servers.us]\ncommand = \"us\"\nargs = [\"mcp\"]\n"), "{after}");
        assert_eq!(set_toml(&after, at, "us", &["mcp".into()]).unwrap(), after);
        assert_eq!(unset_toml(&after, at).unwrap(), before);
        assert_eq!(unset_toml(&set_toml("", at, "us", &[]).unwrap(), at).unwrap(), "");
    }
}
