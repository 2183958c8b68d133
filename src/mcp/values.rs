//! What an agent keeps for the YAML tests that it runs: `store_value`, `get_value`, `list_values`, for one test or for all; and `sleep`.
//!
//! Values live in memory for one session. A run of a test begins with those for all tests and its own, and leaves what it stored to
//! itself; no other test, session or process sees that, and nothing is written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::base::error::Trouble;
use crate::mcp::session::Request;
use crate::mcp::session::Session;
use crate::mcp::specs;
use crate::mcp::working::SECONDS_MAX;

/// Bytes of a name.
const NAME_MAX: usize = 200;

/// Whose values are meant: those of a test, or of all where no test is named.
fn whose(request: &Request<'_>) -> Result<PathBuf, Trouble> {
    if request.given.has("test_path") { specs::given(request).map(|(_, test)| test) } else { Ok(for_all()) }
}

fn for_all() -> PathBuf {
    PathBuf::new()
}

/// What a run of a test begins with: values for all tests, and its own above them.
pub fn of_test(session: &Session, test: &Path) -> Map<String, Value> {
    let mut values = session.values.of(&for_all());
    values.extend(session.values.of(test));
    values
}

/// Takes what a run left. What is for all tests and was not changed stays theirs.
pub fn left_by(session: &Session, test: &Path, mut after: Map<String, Value>) -> Vec<String> {
    let (all, own) = (session.values.of(&for_all()), session.values.of(test));
    after.retain(|name, value| own.contains_key(name) || all.get(name) != Some(value));
    session.values.left(test, after)
}

/// `store_value`
pub fn store(request: &Request<'_>) -> Result<Value, Trouble> {
    let whose = whose(request)?;
    let name = request.given.text("name", NAME_MAX)?;
    let value = request.given.value("value")?;
    request.session.values.keep(&whose, name, value.clone())?;
    Ok(json!({ "stored": name, "value": value }))
}

/// `get_value`
pub fn get(request: &Request<'_>) -> Result<Value, Trouble> {
    let values = of_test(request.session, &whose(request)?);
    let name = request.given.text("name", NAME_MAX)?;
    let found = values.get(name);
    let value = found.cloned().or_else(|| request.given.value("default").ok());
    Ok(json!({ "name": name, "value": value, "found": found.is_some() }))
}

/// `list_values`
pub fn list(request: &Request<'_>) -> Result<Value, Trouble> {
    let values = of_test(request.session, &whose(request)?);
    let keys: Vec<&String> = values.keys().collect();
    Ok(json!({ "keys": keys, "count": keys.len() }))
}

/// `sleep`
pub async fn sleep(request: &Request<'_>) -> Result<Value, Trouble> {
    let seconds = request.given.seconds("seconds", SECONDS_MAX)?;
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs_f64(seconds)) => Ok(json!({ "slept": seconds })),
        () = request.context.ct.cancelled() => Err(Trouble::usage("Cancelled.")),
    }
}
