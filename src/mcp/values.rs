//! What an agent keeps for the YAML tests that it runs: `store_value`, `get_value`, `list_values`, each for one test.
//!
//! A test's values live in memory for one session. A run of that very test begins with them and leaves what it stored; no
//! other test, session or process sees them, and nothing is written.

use serde_json::{Value, json};

use crate::base::error::Trouble;
use crate::mcp::specs;
use crate::mcp::working::Request;

/// Bytes of a name.
const NAME_MAX: usize = 200;

/// `store_value`
pub fn store(request: &Request<'_>) -> Result<Value, Trouble> {
    let (_, test) = specs::given(request)?;
    let name = request.given.text("name", NAME_MAX)?;
    let value = request.given.value("value")?;
    request.session.values.keep(&test, name, value.clone())?;
    Ok(json!({ "stored": name, "value": value }))
}

/// `get_value`
pub fn get(request: &Request<'_>) -> Result<Value, Trouble> {
    let (_, test) = specs::given(request)?;
    let name = request.given.text("name", NAME_MAX)?;
    let values = request.session.values.of(&test);
    let found = values.get(name);
    let value = found.cloned().or_else(|| request.given.value("default").ok());
    Ok(json!({ "name": name, "value": value, "found": found.is_some() }))
}

/// `list_values`
pub fn list(request: &Request<'_>) -> Result<Value, Trouble> {
    let (_, test) = specs::given(request)?;
    let values = request.session.values.of(&test);
    let keys: Vec<&String> = values.keys().collect();
    Ok(json!({ "keys": keys, "count": keys.len() }))
}
