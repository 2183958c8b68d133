//! What the predecessor's cache in a project says of a test that nothing decides: told beside the verdict, and no more.

use std::path::Path;

use crate::base::text;
use crate::compat::semantic_log::{self, FILE};
use crate::domain::function::{Function, FunctionId, FunctionKind};
use crate::domain::journey::JourneyEvent;
use crate::engine::checks::secrets;
use crate::source::index::Index;
use crate::store::former;

/// Characters of its reason.
const REASON: usize = 300;

/// Finds what pytest-semantic kept of this very journey, as a sentence.
pub(crate) fn said(root: &Path, index: &Index, test: &str, intent: &str, events: &[JourneyEvent]) -> Option<String> {
    let file = root.join(FILE);
    if file.symlink_metadata().is_err() {
        return None;
    }
    let source = |function: &Function| {
        let text = index.text(&function.path)?;
        let lines = (function.span.last + 1).checked_sub(function.span.first)?;
        let lines = text.lines().skip(function.span.first as usize - 1).take(lines as usize);
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    let (path, name) = test.split_once("::")?;
    // What a test was given is not recorded.
    let alone = |one: &&Function| one.path.as_str() == path && one.id.qualname() == name && one.kind == FunctionKind::Function;
    let own = index.functions().find(alone).filter(|own| own.params.is_empty())?;
    let of = |id: &FunctionId| source(index.function(id)?);
    let key = semantic_log::key(intent, (own.name(), &source(own)?), events, &of)?;
    let found = former::verdict(&file, &key)?;
    let word = if found.passed { "passed" } else { "failed" };
    let reason = secrets::of_project(root).redact(&found.reason).unwrap_or(found.reason);
    let reason: String = text::display_line(&reason).chars().take(REASON).collect();
    Some(format!("pytest-semantic once {word} this very journey: “{}”. That decides nothing here.", reason.trim_end_matches('.')))
}
