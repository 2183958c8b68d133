//! What the manifest of accepted tests says about new drafts: what a person deleted or rejected is not proposed again, and
//! what stands already is not news. Needs no database, so a teammate's fresh clone knows it too.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::decision::FileEdit;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Draft, Proposal};
use crate::domain::reason::ReasonCode;
use crate::engine::edits::draft_text;
use crate::engine::edits::overlay;
use crate::engine::edits::overlay::Overlay;
use crate::engine::index::reachability;
use crate::engine::state::core::Core;
use crate::generate::trim::without;
use crate::write::manifest::{Manifest, TestEntry, TestState, body_hash, case_hash};

/// What rejected tests are noted under, beside an accepted test of the same name.
const REJECTED: &str = " (rejected)";

/// The manifest and the files it speaks of, read once for many drafts.
pub struct Standing {
    list: Manifest,
    /// Tests that were accepted and are gone from their files.
    deleted: BTreeSet<(RelPath, String)>,
}

/// What becomes of a draft.
#[derive(Debug, PartialEq)]
pub enum News {
    /// These tests are news.
    Draft(Box<Draft>),
    /// It stands already, as it is or as a person rewrote it.
    Known,
    /// Nothing of it is wanted, and why.
    Unwanted(ReasonCode),
}

impl Standing {
    /// Reads the manifest.
    ///
    /// # Errors
    /// Fails when it or a file it speaks of cannot be read.
    pub fn read(core: &Core) -> Result<Self, Trouble> {
        let list = overlay::manifest(core, &Overlay::new())?.1;
        let files: BTreeSet<&RelPath> = list.tests().map(|(file, _, _)| file).collect();
        let mut deleted: BTreeSet<(RelPath, String)> = BTreeSet::new();
        for file in files {
            let text = overlay::content(core, &Overlay::new(), file)?.unwrap_or_default();
            deleted.extend(list.hand_deleted(file, &text).into_iter().map(|test| (file.clone(), test)));
        }
        Ok(Self { list, deleted })
    }

    /// Lists the functions that have accepted tests.
    pub fn functions(&self) -> BTreeSet<FunctionId> {
        self.list.tests().filter(|(_, _, entry)| entry.is_accepted()).map(|(_, _, entry)| entry.function.clone()).collect()
    }

    /// Lists the accepted tests of a function that are still there: the file, and the name in it.
    pub fn tests(&self, function: &FunctionId) -> Vec<(RelPath, String)> {
        let own = self.list.tests().filter(|(_, _, entry)| entry.is_accepted() && entry.function == *function);
        let tests = own.map(|(file, name, _)| (file.clone(), name.to_owned()));
        tests.filter(|test| !self.deleted.contains(test)).collect()
    }

    /// Lists the tests of a file that do what they did when they were accepted.
    pub fn as_accepted(&self, core: &Core, file: &RelPath, text: &str) -> BTreeSet<String> {
        self.list.as_accepted(file, text, &conftests_above(core, file))
    }

    /// Lists the accepted tests of a function, with their files.
    pub fn tests_of(&self, function: &FunctionId) -> Vec<String> {
        self.tests(function).into_iter().map(|(file, test)| format!("{file}::{test}")).collect()
    }

    /// Gives the inputs of accepted tests, by their function.
    pub fn inputs(&self) -> BTreeMap<FunctionId, BTreeSet<Digest>> {
        let mut inputs: BTreeMap<FunctionId, BTreeSet<Digest>> = BTreeMap::new();
        for (_, _, entry) in self.list.tests().filter(|(_, _, entry)| entry.is_accepted()) {
            inputs.entry(entry.function.clone()).or_default().extend(&entry.inputs);
        }
        inputs
    }

    /// Tells whether a person deleted a test that a draft would write again.
    pub fn has_deleted(&self, function: &FunctionId, draft: &Draft) -> bool {
        let text = draft.standalone();
        let own = self.list.tests().filter(|(file, _, entry)| **file == draft.target && entry.function == *function);
        let mut gone = own.filter(|(file, name, entry)| {
            entry.state == TestState::Deleted || self.deleted.contains(&((*file).clone(), (*name).to_owned()))
        });
        gone.any(|(_, name, entry)| draft.tests.iter().any(|test| test == name || is_case(entry, &text, test)))
    }

    /// Tells what of a draft is news, with the code its function may run and the inputs it is made from.
    pub fn news(&self, function: &FunctionId, draft: &Draft, code: Digest, inputs: &[Digest]) -> News {
        let text = draft.standalone();
        let own: Vec<_> =
            self.list.tests().filter(|(file, _, entry)| **file == draft.target && entry.function == *function).collect();
        let wanted: BTreeSet<&Digest> = inputs.iter().collect();
        let edited =
            |entry: &TestEntry| entry.state == TestState::Edited && entry.inputs.iter().collect::<BTreeSet<_>>() == wanted;
        let same = |entry: &TestEntry, test: &str| is_case(entry, &text, test);
        let is_deleted = |test: &str| {
            own.iter().any(|(file, name, entry)| {
                let gone = entry.state == TestState::Deleted || self.deleted.contains(&((*file).clone(), (*name).to_owned()));
                gone && (*name == test || same(entry, test))
            })
        };
        let is_rejected = |test: &str| {
            let of_this_code = |entry: &TestEntry| entry.state == TestState::Rejected && entry.code == Some(code);
            own.iter().any(|(_, _, entry)| of_this_code(entry) && same(entry, test))
        };
        let stands = |test: &str| own.iter().any(|(_, name, entry)| *name == test && entry.is_accepted() && same(entry, test));
        let (mut unwanted, mut rejected, mut known) = (Vec::new(), false, 0);
        for test in &draft.tests {
            let is_unwanted = is_deleted(test) || is_rejected(test);
            rejected |= is_unwanted && !is_deleted(test);
            if is_unwanted {
                unwanted.push(test.clone());
            } else if stands(test) {
                known += 1;
            }
        }
        if known + unwanted.len() == draft.tests.len() && known > 0 || own.iter().any(|(_, _, entry)| edited(entry)) {
            return News::Known;
        }
        if unwanted.is_empty() {
            return News::Draft(Box::new(draft.clone()));
        }
        match without(draft, &unwanted) {
            Some(rest) => News::Draft(Box::new(rest)),
            None if rejected => News::Unwanted(ReasonCode::Rejected),
            None => News::Unwanted(ReasonCode::Deleted),
        }
    }
}

/// Reads the `conftest.py` files above the folder of a test file, the nearest first. The one beside it is ours.
pub fn conftests_above(core: &Core, file: &RelPath) -> Vec<String> {
    let folders: Vec<&str> = file.as_str().match_indices('/').map(|(at, _)| &file.as_str()[..at]).collect();
    let above = folders.iter().rev().skip(1).map(|folder| format!("{folder}/")).chain([String::new()]);
    let read = |folder: String| {
        let path = RelPath::new(format!("{folder}conftest.py"))?;
        overlay::content(core, &Overlay::new(), &path).ok()?
    };
    // The place of each counts: one that is not there is empty.
    above.map(|folder| read(folder).unwrap_or_default()).collect()
}

/// Tells whether a test of a text is the one that an entry is about. What was written before there was a hash of the case is
/// known by its whole body.
fn is_case(entry: &TestEntry, text: &str, test: &str) -> bool {
    match entry.case {
        Some(case) => case_hash(text, test) == Some(case),
        None => body_hash(text, test) == Some(entry.body),
    }
}

/// Says how rejecting a draft changes the manifest; nothing for what is no draft.
///
/// # Errors
/// Fails when the manifest cannot be read.
pub fn rejection(core: &Core, proposal: &Proposal, overlay: &Overlay) -> Result<Option<FileEdit>, Trouble> {
    let (Some(function), Some(draft)) = (proposal.function(), proposal.draft()) else { return Ok(None) };
    let parts = draft_text::parts(proposal)?;
    let text = format!("{}\n\n\n{}", parts.imports.join("\n"), parts.text);
    let (before, mut list) = overlay::manifest(core, overlay)?;
    let code = reachability::by_names(core, &core.index()).code_key(function);
    let inputs: Vec<Digest> = core.store().calls(&draft.calls)?.into_iter().map(|call| call.input).collect();
    for test in &parts.tests {
        let Some(body) = body_hash(&text, test) else { continue };
        let function = function.clone();
        let case = case_hash(&text, test);
        let inputs = inputs.clone();
        let entry = TestEntry { function, inputs, body, case, rests: None, code: Some(code), state: TestState::Rejected };
        list.note(&draft.target, &format!("{test}{REJECTED}"), entry);
    }
    let edit = FileEdit { path: overlay::manifest_path(core)?, before, after: Some(list.text()?) };
    Ok((edit.before != edit.after).then_some(edit))
}

/// Says how the manifest changes when it notes the tests that a person deleted, and names them.
///
/// # Errors
/// Fails when the manifest cannot be read.
pub fn deletions(core: &Core) -> Result<(Option<FileEdit>, Vec<String>), Trouble> {
    let standing = Standing::read(core)?;
    let (before, mut list) = overlay::manifest(core, &Overlay::new())?;
    for (file, test) in &standing.deleted {
        list.bury(file, test);
    }
    let names = standing.deleted.iter().map(|(file, test)| format!("{file}::{test}")).collect();
    if standing.deleted.is_empty() {
        return Ok((None, names));
    }
    Ok((Some(FileEdit { path: overlay::manifest_path(core)?, before, after: Some(list.text()?) }), names))
}
