//! Files that accepted tests need beside them: written with the first that needs one, taken away with the last, and left
//! alone once a person changed them. What they hold is `generate/`'s affair.

use std::collections::BTreeSet;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::proposal::Draft;
use crate::engine::edits::overlay;
use crate::engine::edits::overlay::Overlay;
use crate::engine::index::files;
use crate::engine::state::core::Core;
use crate::generate::graph;
use crate::generate::render::constants;
use crate::generate::trim::has_word;

/// Says what becomes of the files beside a test file whose tests change: those that are needed and not there are written,
/// and what no test needs any more goes. The overlay holds the changed file.
///
/// # Errors
/// Fails when the files cannot be read.
pub fn edits(core: &Core, draft: &Draft, before: &str, overlay: &Overlay) -> Result<Vec<FileEdit>, Trouble> {
    let after = overlay::content(core, overlay, &draft.target)?.unwrap_or_default();
    let mut edits = Vec::new();
    for helper in draft.helpers.iter().filter(|helper| needs(&after, &helper.path)) {
        if overlay::content(core, overlay, &helper.path)?.is_none() {
            edits.push(FileEdit { path: helper.path.clone(), before: None, after: Some(helper.text.clone()) });
        }
    }
    for path in standing(core, overlay).into_iter().filter(|path| needs(before, path) && !needs(&after, path)) {
        let text = overlay::content(core, overlay, &path)?.filter(|text| is_as_written(&path, text));
        if text.is_some() && !is_needed(core, &path, overlay)? {
            edits.push(FileEdit { path, before: text, after: None });
        }
    }
    Ok(edits)
}

/// Leaves out of edits that take a decision back, or make it again, what would touch a helper that a person changed or
/// that other tests still need.
///
/// # Errors
/// Fails when the files cannot be read.
pub fn spared(core: &Core, edits: Vec<FileEdit>) -> Result<Vec<FileEdit>, Trouble> {
    let overlay: Overlay = edits.iter().map(|edit| (edit.path.clone(), edit.after.clone())).collect();
    let mut kept = Vec::new();
    for edit in edits {
        let is_helper = [&edit.before, &edit.after].into_iter().flatten().any(|text| is_as_written(&edit.path, text));
        let is_theirs = || Ok::<_, Trouble>(files::read(&core.root, &edit.path)? != edit.before);
        if is_helper && (is_theirs()? || (edit.after.is_none() && is_needed(core, &edit.path, &overlay)?)) {
            continue;
        }
        kept.push(edit);
    }
    Ok(kept)
}

/// Tells whether a text is what we would have written at this place: the module that draws values, or a file whose name
/// says what it holds.
fn is_as_written(path: &RelPath, text: &str) -> bool {
    match path.file_name().strip_suffix(".py") {
        Some(module) => module == graph::MODULE && text == graph::TEXT,
        None => {
            path.parts().collect::<Vec<_>>().iter().rev().nth(1) == Some(&constants::FOLDER)
                && path.file_name().contains(&constants::mark(text))
        }
    }
}

/// Lists the helpers that are there.
fn standing(core: &Core, overlay: &Overlay) -> BTreeSet<RelPath> {
    let settings = core.settings();
    let folder = &settings.output.tests;
    let mut paths = beside(core, &format!("{folder}/{}", constants::FOLDER), overlay);
    paths.extend(RelPath::new(format!("{folder}/{}.py", graph::MODULE)));
    paths
}

/// Lists the files of a folder.
fn beside(core: &Core, folder: &str, overlay: &Overlay) -> BTreeSet<RelPath> {
    let listed = core.root.join(folder).read_dir().into_iter().flatten().flatten();
    let names = listed.filter_map(|entry| entry.file_name().into_string().ok());
    let mut paths: BTreeSet<RelPath> = names.filter_map(|name| RelPath::new(format!("{folder}/{name}"))).collect();
    paths.extend(
        overlay.keys().filter(|path| path.as_str().strip_suffix(path.file_name()) == Some(&format!("{folder}/"))).cloned(),
    );
    paths
}

/// Tells whether a test file imports a module beside it, or reads a file.
fn needs(text: &str, helper: &RelPath) -> bool {
    match helper.file_name().strip_suffix(".py") {
        Some(module) => has_word(text, module),
        None => text.contains(helper.file_name()),
    }
}

/// Tells whether any test file needs a helper.
fn is_needed(core: &Core, helper: &RelPath, overlay: &Overlay) -> Result<bool, Trouble> {
    let tests = beside(core, &core.settings().output.tests, overlay);
    for path in tests.iter().filter(|path| *path != helper && path.as_str().ends_with(".py")) {
        if overlay::content(core, overlay, path)?.is_some_and(|text| needs(&text, helper)) {
            return Ok(true);
        }
    }
    Ok(false)
}
