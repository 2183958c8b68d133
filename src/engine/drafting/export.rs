//! Proved drafts as files of the person's choice, besides the project's tests: nothing is decided by it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_file, tilde};
use crate::base::typed::{Typed, parent_and_name};
use crate::domain::function::{FunctionId, Module};
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::settings::Naming;
use crate::engine::edits::draft_text;
use crate::engine::edits::plan::first_party;
use crate::engine::edits::typed_place;
use crate::engine::python::environment;
use crate::engine::state::core::Core;
use crate::generate::path_help::conftest;
use crate::generate::scope::snake_path;
use crate::generate::trim::test_names;
use crate::source::index::Index;
use crate::write::apart::{Owners, Parts, apart};
use crate::write::join::{Joined, join};
use crate::write::plan::{Addition, accept};

/// Where proved drafts are written besides the project's tests.
#[derive(Debug, Clone, Copy)]
pub enum ExportTo<'a> {
    /// One file.
    File(&'a Path),
    /// A folder, a file a module.
    Folder(&'a Path),
}

/// A file that holds drafts now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedFile {
    /// The file.
    pub path: PathBuf,
    /// How many lines it has.
    pub lines: usize,
    /// Tests that it had before with another text, by name. They stay as they were.
    pub other: Vec<String>,
}

/// Writes the drafts. A file that is there gets the tests that it lacks; nothing in it is replaced.
pub fn export(core: &Core, ids: &[ProposalId], to: ExportTo<'_>) -> Result<Vec<ExportedFile>, Trouble> {
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut written: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let mut roots: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let first_party = first_party(core);
    for id in ids {
        let proposal = core.proposal(*id)?;
        let Some(draft) = proposal.draft().filter(|_| proposal.state == ProposalState::Ready) else { continue };
        let path = match to {
            ExportTo::File(file) => file.to_owned(),
            ExportTo::Folder(folder) => {
                let by_stem = proposal.function().filter(|_| core.settings().output.naming == Naming::Stem);
                let name = by_stem.and_then(|function| stem(&core.index(), function));
                folder.join(name.unwrap_or_else(|| draft.target.file_name().to_owned()))
            }
        };
        let parts = draft_text::parts(&proposal)?;
        let before = files.get(&path).map(String::as_str);
        let there = written.entry(path.clone()).or_default();
        let owners = Owners { own: &BTreeSet::new(), others: there };
        let function = snake_path(proposal.subject.short());
        let Parts { imports, text, tests } = apart(before.unwrap_or(""), &parts, &function, &owners);
        let addition = Addition { imports: &imports, text: &text, tests: &tests, header: None, first_party: &first_party };
        let after = accept(before, &addition, &BTreeSet::new())?;
        there.extend(tests);
        roots.entry(path.with_file_name("conftest.py")).or_default().extend(draft.import_roots.iter().cloned());
        for helper in &draft.helpers {
            let beside = path.with_file_name(helper.path.file_name());
            if !beside.exists() {
                files.insert(beside, helper.text.clone());
            }
        }
        files.insert(path, after);
    }
    for (path, roots) in roots.into_iter().filter(|(path, _)| !path.exists()) {
        files.extend(path_help(core, &path, &roots).map(|text| (path, text)));
    }
    let folder = match to {
        ExportTo::File(file) => parent_and_name(file).map_or(file, |(folder, _)| folder),
        ExportTo::Folder(folder) => folder,
    };
    let (mut made, mut there) = (Vec::new(), BTreeSet::new());
    for (path, text) in &mut files {
        let mut other = Vec::new();
        // A file beside the tests is written only where there is none.
        if written.contains_key(path)
            && let Some(existing) = existing(core, folder, path)?
        {
            if !existing.trim().is_empty() && test_names(&existing).is_empty() {
                return Err(Trouble::usage(format!("{} was not written.", tilde(path)))
                    .because("The file that is there holds no tests.")
                    .so("Name another place."));
            }
            Joined { text: *text, other } = join(&existing, text, &first_party)?;
            there.insert(existing);
        }
        made.push(ExportedFile { path: path.clone(), lines: text.lines().count(), other });
    }
    let name = |path: &Path| path.file_name().and_then(RelPath::new);
    let files = files.into_iter().filter_map(|(path, text)| Some((name(&path)?, text))).collect();
    typed_place::write_below(core, folder, files, |text| there.contains(text))?;
    Ok(made)
}

/// Reads a file that tests are to be added to; none if there is none.
fn existing(core: &Core, folder: &Path, path: &Path) -> Result<Option<String>, Trouble> {
    let not = |why: String| {
        Trouble::environment(format!("{} cannot be read.", tilde(path))).because(format!("{why}.")).so("Name another place.")
    };
    let typed = Typed::new(&core.root, folder).map_err(|error| not(error.to_string()))?;
    let Some(name) = path.file_name().and_then(RelPath::new) else { return Ok(None) };
    let below = typed.below.as_ref().map_or_else(|| Some(name.clone()), |below| RelPath::new(format!("{below}/{name}")));
    let Some(below) = below else { return Ok(None) };
    match read_file(&below.under(&typed.base)) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| not("It is no text in UTF-8".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(not(error.to_string())),
    }
}

/// Names a file of tests by the file of a function; none where another file of the project has that name.
fn stem(index: &Index, function: &FunctionId) -> Option<String> {
    let own = index.module_of(function)?;
    let name = |module: &Module| {
        let (folder, file) = module.path.as_str().rsplit_once('/').unwrap_or(("", module.path.as_str()));
        // A package is called as its folder.
        let named = if file == "__init__.py" { folder.rsplit('/').next()? } else { file.strip_suffix(".py")? };
        Some(named.to_owned()).filter(|name| !name.is_empty())
    };
    let own_name = name(own)?;
    let is_twin = |module: &Module| module.path != own.path && !module.is_for_tests() && name(module).as_ref() == Some(&own_name);
    (!index.modules().any(|module| is_twin(module))).then(|| format!("test_{own_name}.py"))
}

/// What stands beside tests where plain pytest does not find the project from their folder: none is needed where that folder
/// is what has to be on the path, nor can one be written for another place than the project.
fn path_help(core: &Core, path: &Path, roots: &BTreeSet<String>) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let folder = path.parent()?;
    let below = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let below = below.strip_prefix(core.root.canonicalize().ok()?).ok()?;
    let is_missing = roots.iter().any(|root| Path::new(root) != below);
    let none = BTreeSet::new();
    let (roots, variables) = (if is_missing { roots } else { &none }, environment::import_variables(core));
    let is_needed = is_missing || !variables.is_empty();
    is_needed.then(|| conftest(below.components().count(), roots.iter(), &variables))
}
