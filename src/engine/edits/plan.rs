//! What accepting a proposal would write: of a draft the test file and the manifest, of a verdict the accepted journey and
//! the lock; from their content now to their content after.

use std::collections::BTreeSet;

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::proposal::{Draft, Proposal};
use crate::domain::snapshot::Conflict;
use crate::engine::edits::draft_text;
use crate::engine::edits::manifest_lookup::conftests_above;
use crate::engine::edits::overlay;
use crate::engine::edits::overlay::Overlay;
use crate::engine::edits::support_files;
use crate::engine::edits::{spec_edits, verdict_edits};
use crate::engine::index::files;
use crate::engine::python::environment;
use crate::engine::state::core::Core;
use crate::generate::scope::snake_path;
use crate::generate::trim::{test_names, without};
use crate::generate::{graph, path_help};
use crate::source::rename::bound;
use crate::source::rests::rests;
use crate::write::apart::{Owners, Parts, apart};
use crate::write::manifest::{Manifest, TestEntry, TestState, body_hash, case_hash};
use crate::write::plan::{Addition, accept, remove};

/// Says what accepting a proposal would write now, given what was planned before it.
pub fn plan(core: &Core, proposal: &Proposal, overlay: &Overlay) -> Result<Vec<FileEdit>, Trouble> {
    planned(core, proposal, overlay).map(|(edits, _)| edits)
}

/// As [`plan`], and whether tests that a person changed stay as they are beside what it writes.
pub fn planned(core: &Core, proposal: &Proposal, overlay: &Overlay) -> Result<(Vec<FileEdit>, bool), Trouble> {
    if let Some(open) = proposal.verdict() {
        return Ok((verdict_edits::plan(core, proposal, open)?, false));
    }
    if let Some(spec) = proposal.spec() {
        return Ok((spec_edits::plan(core, proposal, spec, overlay)?, false));
    }
    let (Some(function), Some(draft)) = (proposal.function(), proposal.draft()) else { return Ok((Vec::new(), false)) };
    let mut parts = draft_text::parts(proposal)?;
    let file = &draft.target;
    let list_path = overlay::manifest_path(core)?;
    let before = overlay::content(core, overlay, file)?;
    let (list_before, mut list) = overlay::manifest(core, overlay)?;
    let mut standing = replaced(&list, file, before.as_deref().unwrap_or(""), proposal, &parts);
    let by_hand = by_hand(&list, file, before.as_deref().unwrap_or(""), &standing, &parts, draft);
    let refused = || {
        Trouble::usage(format!("Not written: {} in {file} was changed by hand.", by_hand.join(", ")))
            .because("What a person wrote is never overwritten.")
            .so("Rename your test to keep both, delete it to take the draft, or reject the draft.")
    };
    if !by_hand.is_empty() {
        // The others do not wait for it. What a person typed for this very draft is not parted.
        let rest = if proposal.edited.is_none() { without(draft, &by_hand) } else { None };
        let rest = rest.ok_or_else(refused)?;
        parts = Parts { imports: rest.imports, text: rest.text, tests: rest.tests };
        standing.retain(|test| !by_hand.contains(test));
    }
    let Composed { after, tests, gone } = composed(core, &list, file, before.as_deref(), &standing, &parts, proposal)?;
    if !by_hand.is_empty() && before.as_deref() == Some(after.as_str()) {
        return Err(refused());
    }
    let above = conftests_above(core, file);
    let kept = list.as_accepted(file, before.as_deref().unwrap_or(""), &above);
    for test in &gone {
        list.forget(file, test);
    }
    for test in list.hand_deleted(file, before.as_deref().unwrap_or("")) {
        list.bury(file, &test);
    }
    let inputs: Vec<_> = core.store().calls(&draft.calls)?.into_iter().map(|call| call.input).collect();
    list.rest_anew(file, &kept, &after, &above);
    let state = if proposal.edited.is_some() { TestState::Edited } else { TestState::Accepted };
    for test in &tests {
        let Some(body) = body_hash(&after, test) else { continue };
        let (function, inputs) = (function.clone(), inputs.clone());
        let case = case_hash(&after, test);
        let rests = rests(&after, test, &above);
        list.note(file, test, TestEntry { function, inputs, body, case, rests, code: None, state });
    }
    let mut edits: Vec<FileEdit> = path_help(core, overlay, draft)?.into_iter().collect();
    let mut then = overlay.clone();
    then.insert(file.clone(), Some(after.clone()));
    edits.extend(support_files::edits(core, draft, before.as_deref().unwrap_or(""), &then)?);
    edits.extend([
        FileEdit { path: file.clone(), before, after: Some(after) },
        FileEdit { path: list_path, before: list_before, after: Some(list.text()?) },
    ]);
    edits.retain(|edit| edit.before != edit.after);
    Ok((edits, !by_hand.is_empty()))
}

/// A file with a draft in it.
struct Composed {
    /// Its text.
    after: String,
    /// The draft's tests, as they are called there.
    tests: Vec<String>,
    /// Tests of the function that are not in it any more.
    gone: Vec<String>,
}

/// Puts a draft into a file.
fn composed(
    core: &Core,
    list: &Manifest,
    file: &RelPath,
    before: Option<&str>,
    standing: &[String],
    parts: &Parts,
    proposal: &Proposal,
) -> Result<Composed, Trouble> {
    let text = before.unwrap_or("");
    let (own, mut others): (BTreeSet<String>, BTreeSet<String>) =
        list.ours(file, text).into_iter().partition(|test| standing.contains(test));
    if is_added(proposal) {
        // A person's test of the same name is no reason to refuse what stands beside it.
        others.extend(test_names(text).into_iter().filter(|test| !own.contains(test)));
    }
    let function = snake_path(proposal.subject.short());
    let Parts { imports, text: draft, tests } = apart(text, parts, &function, &Owners { own: &own, others: &others });
    let gone: Vec<String> = standing.iter().filter(|test| own.contains(*test) && !tests.contains(test)).cloned().collect();
    let base = if gone.is_empty() { before.map(ToOwned::to_owned) } else { remove(text, &gone, None) };
    let first_party = first_party(core);
    let addition = Addition { imports: &imports, text: &draft, tests: &tests, header: None, first_party: &first_party };
    Ok(Composed { after: accept(base.as_deref(), &addition, &own)?, tests, gone })
}

/// Gives the three texts of a file whose tests of this function a person changed since we wrote them, if that is so.
///
/// # Errors
/// Fails when the files or the store cannot be read.
pub fn conflict(core: &Core, proposal: &Proposal) -> Result<Option<Conflict>, Trouble> {
    let Some(draft) = proposal.draft() else { return Ok(None) };
    let (file, parts) = (&draft.target, draft_text::parts(proposal)?);
    let disk = files::read(&core.root, file)?;
    let list = Manifest::read(files::read(&core.root, &overlay::manifest_path(core)?)?.as_deref())?;
    let text = disk.as_deref().unwrap_or("");
    let standing = replaced(&list, file, text, proposal, &parts);
    let tests = by_hand(&list, file, text, &standing, &parts, draft);
    if tests.is_empty() {
        return Ok(None);
    }
    let base = core.store().last_written(file)?;
    let mine = composed(core, &list, file, base.as_deref(), &standing, &parts, proposal)?.after;
    Ok(Some(Conflict { path: file.clone(), tests, base, mine, disk }))
}

/// Where plain pytest does not find the project, a conftest beside the tests puts its folders on the path; it sets the variables
/// that modules of the project read when they are imported.
fn path_help(core: &Core, overlay: &Overlay, draft: &Draft) -> Result<Option<FileEdit>, Trouble> {
    let variables = environment::import_variables(core);
    if draft.import_roots.is_empty() && variables.is_empty() {
        return Ok(None);
    }
    let settings = core.settings();
    let folder = &settings.output.tests;
    let Some(path) = RelPath::new(format!("{folder}/conftest.py")) else { return Ok(None) };
    let before = overlay::content(core, overlay, &path)?;
    // A person's conftest stays as it is. Ours gets what this draft needs besides.
    if before.as_deref().is_some_and(|text| !path_help::is_path_help(text)) {
        return Ok(None);
    }
    let below = path.parts().count().saturating_sub(1);
    let after = match &before {
        None => path_help::conftest(below, draft.import_roots.iter(), &variables),
        Some(text) => {
            let there = path_help::roots(text);
            let roots: BTreeSet<String> = there.iter().chain(&draft.import_roots).cloned().collect();
            let text = if roots.len() == there.len() { text.clone() } else { path_help::with_roots(text, below, roots.iter()) };
            path_help::with_variables(&text, &variables)
        }
    };
    if before.as_ref() == Some(&after) {
        return Ok(None);
    }
    Ok(Some(FileEdit { path, before, after: Some(after) }))
}

/// Lists what stands otherwise than the manifest says, a line each.
pub fn compare_with_manifest(core: &Core) -> Result<Vec<String>, Trouble> {
    let (_, list) = overlay::manifest(core, &Overlay::new())?;
    let files: BTreeSet<RelPath> = list.tests().map(|(file, _, _)| file.clone()).collect();
    let mut lines = Vec::new();
    for file in files {
        let text = overlay::content(core, &Overlay::new(), &file)?.unwrap_or_default();
        lines.extend(
            list.hand_deleted(&file, &text)
                .into_iter()
                .map(|test| format!("{file}::{test} was accepted and is gone: gen --accept notes that it stays so.")),
        );
    }
    Ok(lines)
}

/// Lists the accepted tests that a person changed since, and that stay as they are.
pub fn changed_by_hand(core: &Core) -> Result<Vec<String>, Trouble> {
    let (_, list) = overlay::manifest(core, &Overlay::new())?;
    let files: BTreeSet<RelPath> = list.tests().map(|(file, _, _)| file.clone()).collect();
    let mut tests = Vec::new();
    for file in files {
        let text = overlay::content(core, &Overlay::new(), &file)?.unwrap_or_default();
        tests.extend(list.hand_edited(&file, &text).into_iter().map(|test| format!("{file}::{test}")));
    }
    Ok(tests)
}

/// Tells whether a draft goes beside what was accepted and takes the place of nothing: what a model or an agent wrote, and a test of an input beside the recorded ones.
fn is_added(proposal: &Proposal) -> bool {
    proposal.draft().is_some_and(|draft| draft.origin.is_added())
}

/// Names the accepted tests in a file whose place a draft takes. One from recordings takes that of its function's tests from
/// recordings; what a model wrote takes the place of none, and stands beside them. What says the same is not written twice.
fn replaced(list: &Manifest, file: &RelPath, text: &str, proposal: &Proposal, parts: &Parts) -> Vec<String> {
    let accepted = list
        .tests()
        .filter(|(path, _, entry)| *path == file && proposal.subject.is(&entry.function))
        .filter(|(_, _, entry)| matches!(entry.state, TestState::Accepted | TestState::Edited));
    if !is_added(proposal) {
        return accepted.filter(|(_, _, entry)| !entry.inputs.is_empty()).map(|(_, test, _)| test.to_owned()).collect();
    }
    let (there, new) = (bound(text), bound(&parts.text));
    let same = |test: &str| new.get(test).is_some_and(|digest| there.get(test) == Some(digest));
    accepted.map(|(_, test, _)| test).filter(|test| same(test)).map(ToOwned::to_owned).collect()
}

/// Names the tests of these that a person changed since we wrote them, and whose place a draft would take.
fn by_hand(list: &Manifest, file: &RelPath, text: &str, standing: &[String], parts: &Parts, draft: &Draft) -> Vec<String> {
    let edited = list.hand_edited(file, text);
    let named: BTreeSet<&String> =
        if draft.origin.is_added() { BTreeSet::new() } else { standing.iter().chain(&parts.tests).collect() };
    named.into_iter().filter(|test| edited.contains(test)).cloned().collect()
}

/// Names the project's own top-level packages and modules, for sorting imports: those at its root and in `src`, where ruff and
/// isort look for them. What stands beside the tests is none: it is not on the project's path.
pub fn first_party(core: &Core) -> Vec<String> {
    let index = core.index();
    let own = index.modules().filter(|module| matches!(module.import_root.as_str(), "" | "src"));
    let names: BTreeSet<String> = own.filter_map(|module| module.name.split('.').next().map(ToOwned::to_owned)).collect();
    names.into_iter().filter(|name| name != graph::MODULE).collect()
}
