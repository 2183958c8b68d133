//! What an agent may read by address: `pytead://source/PATH` and `pytead://calls/FUNCTION`. Only Python files of the
//! index are there: no settings, no keys, nothing behind a link, nothing outside the root.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::{ListResourcesResult, Resource, ResourceTemplate};
use serde_json::Value;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::engine::Handle;
use crate::mcp::answers::{self, Page};
use crate::mcp::reading;

const SOURCE: &str = "pytead://source/";
const CALLS: &str = "pytead://calls/";
/// Addresses of a page.
const PAGE: usize = 100;
/// Calls in one document.
const CALLS_SHOWN: usize = 50;
/// What stays as it is in an address.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-').remove(b':');

/// Says how addresses are made.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{SOURCE}{{path}}"), "source")
            .with_description("A Python file of the project")
            .with_mime_type("text/x-python"),
        ResourceTemplate::new(format!("{CALLS}{{function}}"), "calls")
            .with_description("Recorded calls of a function, module:qualname")
            .with_mime_type("application/json"),
    ]
}

/// Lists files and functions with recorded calls, page by page.
pub fn list(handle: &Handle, cursor: Option<&str>) -> Result<ListResourcesResult, Trouble> {
    let from = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| Trouble::usage("There is no such page."))?,
    };
    let snapshot = handle.snapshot();
    let address = |base: &str, name: &str| format!("{base}{}", utf8_percent_encode(name, KEPT));
    let files = snapshot.files.iter().map(|row| {
        Resource::new(address(SOURCE, row.path.as_str()), text::display_line(row.path.as_str())).with_mime_type("text/x-python")
    });
    let recorded =
        snapshot.functions.iter().filter(|row| row.calls > 0).map(|row| {
            Resource::new(address(CALLS, &row.id.0), text::display_line(&row.id.0)).with_mime_type("application/json")
        });
    let all: Vec<Resource> = files.chain(recorded).collect();
    let page: Vec<Resource> = all.iter().skip(from).take(PAGE).cloned().collect();
    let next = from.saturating_add(page.len());
    let mut result = ListResourcesResult::with_all_items(page);
    result.next_cursor = (next < all.len()).then(|| next.to_string());
    Ok(result)
}

/// Gives what is at an address, and its kind.
pub fn read(handle: &Handle, uri: &str) -> Result<(String, &'static str), Trouble> {
    let nothing = || Trouble::usage(format!("There is nothing at {}.", text::cut(&text::display_line(uri), 200)));
    let decoded = |rest: &str| percent_decode_str(rest).decode_utf8().ok().map(|name| name.into_owned());
    if let Some(name) = uri.strip_prefix(SOURCE).and_then(decoded) {
        let path = RelPath::new(&name).filter(|path| path.as_str() == name).ok_or_else(nothing)?;
        if !handle.snapshot().files.iter().any(|row| row.path == path) {
            return Err(nothing());
        }
        return Ok((answers::text(&handle.source(&path)?), "text/x-python"));
    }
    let name = uri.strip_prefix(CALLS).and_then(decoded).ok_or_else(nothing)?;
    let id = reading::one(handle, text::cut(&name, reading::NAME_MAX).as_ref())?;
    let calls = handle.calls(&id)?;
    let page: Value = Page { from: 0, limit: CALLS_SHOWN }.of(&calls, "calls", reading::call_line);
    Ok((answers::write(page), "application/json"))
}
