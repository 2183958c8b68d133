//! Files of the project that do not parse: which ones, what is lost as long as they do not, and how that is said.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::event::Level;
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Topic;
use crate::engine::index::files::source;
use crate::engine::index::reachability;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::source::index::Index;

/// Columns of the line that is shown.
const LINE_MAX: usize = 40;

/// A file that does not parse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unparsed {
    /// The file.
    pub path: RelPath,
    /// The line, 1-based.
    pub line: u32,
    /// The column in characters, 1-based.
    pub column: u32,
    /// What stands in that line, sanitised.
    pub text: String,
    /// Recorded calls that may run through the file.
    pub calls: u64,
}

impl Unparsed {
    /// Says where and what it is, what that means, and what to do.
    #[must_use]
    pub fn summary(&self) -> String {
        let stands = if self.text.is_empty() { String::new() } else { format!(": \"{}\"", self.text) };
        let calls = text::count_u64(self.calls, "recorded call");
        let lost = match self.calls {
            0 => "What is known of its functions is from before".to_owned(),
            _ => format!("{calls} may run through it and cannot be compared"),
        };
        format!("{}:{} does not parse{stands}. {lost}, until the line is mended and saved.", self.path, self.line)
    }
}

/// Lists the files that do not parse.
pub fn files(index: &Index) -> Vec<RelPath> {
    index.modules().filter(|module| module.error.is_some()).map(|module| module.path.clone()).collect()
}

/// Lists the project's files that do not parse, those first that recorded calls may run through.
pub fn list(core: &Core) -> Result<Vec<Unparsed>, Trouble> {
    let index = core.index();
    let broken: Vec<_> = index.modules().filter_map(|module| Some((module.path.clone(), module.error?))).collect();
    if broken.is_empty() {
        return Ok(Vec::new());
    }
    let reach = reachability::recorded(core, &index)?;
    let totals: HashMap<FunctionId, u64> =
        core.store().functions()?.into_iter().map(|total| (total.function, total.calls)).collect();
    let mut found: Vec<Unparsed> = broken
        .into_iter()
        .map(|(path, error)| Unparsed {
            line: error.line,
            column: error.column,
            text: line_of(core, &path, error.line),
            calls: reach.resting_on(&[], std::slice::from_ref(&path)).iter().filter_map(|id| totals.get(id)).sum(),
            path,
        })
        .collect();
    found.sort_by(|a, b| b.calls.cmp(&a.calls).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}

/// Says of files that do not parse, of all or of those that were saved, what that means: the index goes on with the functions
/// of before. A person is told of saved ones; of the others, the log.
pub async fn warn(core: &Arc<Core>, saved: Option<&[RelPath]>) {
    let index = core.index();
    if !files(&index).iter().any(|path| saved.is_none_or(|saved| saved.contains(path))) {
        return;
    }
    let worker = core.clone();
    match blocking(move || list(&worker)).await.and_then(|found| found) {
        Ok(found) => {
            for file in found {
                let (summary, about) = (file.summary(), Topic::File(file.path.clone()));
                match saved {
                    None => core.log.add(Level::Warning, "opened", &summary, Some(about)),
                    Some(saved) if saved.contains(&file.path) => core.say_about(about, Level::Warning, "saved", summary),
                    Some(_) => {}
                }
            }
        }
        Err(trouble) => core.complain("saved", &trouble),
    }
}

/// Gives a line as it is on the disk: the index keeps the text that parsed.
fn line_of(core: &Core, path: &RelPath, line: u32) -> String {
    let source = source(core, path).unwrap_or_default();
    let found = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    text::cut(&text::display_line(found.trim()), LINE_MAX).into_owned()
}
