//! The code that recorded outcomes belong to and the files they were read from, and what was edited since: the "because" of
//! a change.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::{self, Digest, Hasher};
use crate::base::paths::RelPath;
use crate::domain::function::{Function, FunctionId, Module};
use crate::domain::proposal::Edit;
use crate::domain::subject::Subject;
use crate::engine::checks::secrets::{KeptSources, Sources};
use crate::engine::index::reachability;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::source::change;
use crate::source::dependencies::Reach;
use crate::source::index::Index;
use crate::source::names::absolute;
use crate::source::stamps::Stamps;
use crate::store::RecordedCode;

/// New functions that may explain a change: more than a person reads.
const CAME_MAX: usize = 20;

/// Names the statements of a module that run on import.
fn init_of(module: &Module) -> Subject {
    Subject::ImportCode(module.name.clone())
}

/// Hashes what runs on import: statements and classes.
pub fn init_print(module: &Module) -> Digest {
    let mut hasher = Hasher::default();
    hasher.part(&module.init.0.to_le_bytes());
    for class in &module.classes {
        hasher.part(class.qualname.as_bytes()).part(&class.fingerprint.0.to_le_bytes());
    }
    hasher.digest()
}

/// Remembers the source, as an index has it, of functions and of their modules, and a hash of data files; of those that an
/// open question rests on, what is remembered stays, since what it asks is told against it.
pub fn remember(core: &Core, index: &Index, subjects: &BTreeSet<Subject>, asked: &BTreeSet<Subject>) -> Result<(), Trouble> {
    let mut wanted: Vec<Subject> = asked.iter().cloned().collect();
    wanted.extend(asked.iter().filter_map(|subject| index.module_of(subject.function()?)).map(init_of));
    let stays: HashSet<Subject> = core.store().code(&wanted)?.into_iter().map(|code| code.subject).collect();
    let mut modules = HashSet::new();
    let mut all = Vec::new();
    let mut sources = Sources::new(&core.root, index);
    let data = reachability::data(core)?;
    // A file may have been edited since the program ended.
    let recorded = core.store().prints()?;
    for (path, now) in data.iter() {
        let subject = Subject::File(path.clone());
        if subjects.contains(&subject) {
            let fingerprint = recorded.get(&subject).copied().unwrap_or(now);
            all.push(RecordedCode { subject, path: path.clone(), fingerprint, first_line: 1, text: String::new() });
        }
    }
    for id in subjects.iter().filter_map(Subject::function) {
        let (Some(function), Some(module)) = (index.function(id), index.module_of(id)) else { continue };
        let Some(text) = index.text(&function.path) else { continue };
        all.push(RecordedCode {
            subject: Subject::Function(id.clone()),
            path: function.path.clone(),
            fingerprint: function.fingerprint.code(),
            first_line: function.span.first,
            text: sources.kept(&lines(&text, function.span.first, function.span.last).join("\n")),
        });
        if modules.insert(module.path.clone()) {
            all.push(RecordedCode {
                subject: init_of(module),
                path: module.path.clone(),
                fingerprint: init_print(module),
                first_line: 1,
                text: sources.kept(&text),
            });
        }
    }
    all.retain(|code| !stays.contains(&code.subject));
    Ok(core.store().put_code(all)?)
}

/// Names the version of code and data that recorded calls ran on.
pub struct RecordedVersion<'a> {
    reach: &'a Reach,
    /// Functions whose calls may read a file, or list a folder, that was edited since the program ended.
    on_former_data: BTreeSet<FunctionId>,
}

impl<'a> RecordedVersion<'a> {
    /// Takes the reach of the recorded code, which has the files of today.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn of(core: &Core, reach: &'a Reach) -> Result<Self, Trouble> {
        let recorded = core.store().prints()?;
        let files = reach.data().iter().map(|(path, now)| (Subject::File(path.clone()), now));
        let edited = files.filter(|(file, now)| recorded.get(file).is_some_and(|then| then != now));
        let on_former_data = reach.resting_on(&edited.map(|(file, _)| file).collect::<Vec<_>>(), &[]);
        Ok(Self { reach, on_former_data })
    }

    /// Tells whether calls of a function may read a file, or list a folder, that is not as it was when they were recorded.
    pub fn has_other_data(&self, function: &FunctionId) -> bool {
        self.on_former_data.contains(function)
    }

    /// Gives the version of a function's calls: what they did with the data of that time is not what they do with today's.
    pub fn code_key(&self, function: &FunctionId) -> Digest {
        let key = self.reach.code_key(function);
        if self.has_other_data(function) { hash::of(&key.0.to_le_bytes()) } else { key }
    }
}

/// What tells whether anything happened to code and data while calls ran through them.
pub struct Began {
    code: Stamps,
    data: Stamps,
    /// Files that do not matter: others stand in for them.
    spared: BTreeSet<RelPath>,
}

/// Looks at the files of an index and at those that calls read, before any of these calls run.
pub async fn begin(
    core: &Arc<Core>,
    index: &Arc<Index>,
    reach: &Arc<Reach>,
    spared: BTreeSet<RelPath>,
) -> Result<Arc<Began>, Trouble> {
    let (core, index, reach) = (core.clone(), index.clone(), reach.clone());
    blocking(move || Began { code: index.stamps(&core.root), data: reach.data().stamps(&core.root), spared }).await.map(Arc::new)
}

/// Tells whether the files still hold the code that the index says, as far as these functions may run it, and the data that
/// the reach says, with nothing done to either since `began`: what was edited and put back may have run as it was edited.
pub async fn stands(
    core: &Arc<Core>,
    index: &Arc<Index>,
    reach: &Arc<Reach>,
    functions: &BTreeSet<FunctionId>,
    began: &Arc<Began>,
) -> Result<bool, Trouble> {
    let (core, index, reach, functions, began) = (core.clone(), index.clone(), reach.clone(), functions.clone(), began.clone());
    blocking(move || {
        let mut now = (*index).clone();
        let mut change = now.update(&core.root, None);
        change.leave_out(&began.spared);
        let mut edited: Vec<Subject> = change.code().cloned().map(Subject::Function).collect();
        edited.extend((**reach.data()).clone().update(&core.root, None).into_iter().map(Subject::File));
        edited.extend(began.data.touched(&core.root).cloned().map(Subject::File));
        let mut modules = change.changed_modules();
        modules.extend(began.code.touched(&core.root).filter(|path| !began.spared.contains(*path)).cloned());
        // A file that does not parse any more keeps its last good functions; it does not run all the same.
        modules.extend(change.files.into_iter().filter(|path| now.module(path).is_some_and(|module| module.error.is_some())));
        (edited.is_empty() && modules.is_empty()) || reach.resting_on(&edited, &modules).is_disjoint(&functions)
    })
    .await
}

/// Lists the edits that calls through these functions met, of code and of files they read, against what was remembered; where there is
/// none, those of what the functions rest on beside that, such as what a framework calls before them, and then definitions that came
/// and docstrings that differ, at which they may have looked.
pub fn causes(core: &Core, entered: &HashSet<FunctionId>) -> Result<Vec<Edit>, Trouble> {
    let entered: HashSet<Subject> = entered.iter().cloned().map(Subject::Function).collect();
    let met = edits_met(core, &entered)?;
    if !met.is_empty() {
        return Ok(met);
    }
    let edges = core.store().edges()?.into_iter().map(|edge| (Subject::Function(edge.caller), edge.callee));
    let beside = edges.filter(|(caller, callee)| entered.contains(caller) && !entered.contains(callee));
    let beside: HashSet<Subject> = beside.map(|(_, callee)| callee).collect();
    let met = edits_met(core, &beside)?;
    if !met.is_empty() {
        return Ok(met);
    }
    looked_at(core, entered.union(&beside))
}

/// Lists the functions that came, in the modules of these functions and in those that they import; where none did, the lines of those
/// modules that differ.
fn looked_at<'a>(core: &Core, entered: impl Iterator<Item = &'a Subject>) -> Result<Vec<Edit>, Trouble> {
    let index = core.index();
    let mut near: BTreeSet<&str> = entered.filter_map(Subject::module).collect();
    let own: Vec<&Module> = near.iter().filter_map(|name| index.module_called(name)).collect();
    let imports = own.iter().flat_map(|module| module.imports.iter().map(|import| (*module, import)));
    let imported = imports.filter_map(|(module, import)| {
        let from = absolute(module, &import.module)?;
        let inside = import.name.as_ref().and_then(|name| index.module_called(&format!("{from}.{name}")));
        inside.or_else(|| index.module_called(&from))
    });
    near.extend(imported.map(|module| module.name.as_str()));
    let safe = |text: &str| core.part::<KeptSources>().kept(&core.root, &index, text);
    let recorded = core.store().prints()?;
    let is_new = |function: &&Function| {
        let is_known = || recorded.contains_key(&Subject::Function(function.id.clone()));
        near.contains(function.id.module())
            && !is_known()
            && index.module_of(&function.id).is_some_and(|module| !module.is_test())
    };
    let came = index.functions().filter(is_new).take(CAME_MAX).filter_map(|function| {
        let text = lines(&index.text(&function.path)?, function.span.first, function.span.last);
        let (subject, path) = (Subject::Function(function.id.clone()), function.path.clone());
        let nothing = RecordedCode { subject, path, fingerprint: Digest::default(), first_line: 0, text: String::new() };
        Some(edit(&nothing, &text, function.span.first, &safe))
    });
    let came: Vec<Edit> = came.collect();
    if !came.is_empty() {
        return Ok(came);
    }
    let modules: Vec<Subject> = near.iter().map(|name| Subject::ImportCode((*name).to_owned())).collect();
    let differ = core.store().code(&modules)?.into_iter().filter_map(|old| {
        let text = index.text(&old.path)?;
        let edit = edit(&old, &lines(&text, 1, u32::MAX), 1, &safe);
        let holds = index.at_line(&old.path, edit.line).map(|function| Subject::Function(function.id.clone()));
        (!edit.hunk.is_empty()).then(|| Edit { subject: holds.unwrap_or(old.subject), ..edit })
    });
    Ok(differ.collect())
}

/// Gives source without the secrets in it.
type Safe<'a> = dyn Fn(&str) -> Arc<str> + 'a;

fn edits_met(core: &Core, entered: &HashSet<Subject>) -> Result<Vec<Edit>, Trouble> {
    let (index, readers, data) = (core.index(), reachability::readers(core)?, reachability::data(core)?);
    let modules: HashSet<&str> = entered.iter().filter_map(Subject::module).collect();
    let init = entered.iter().filter_map(|subject| index.module_of(subject.function()?)).map(init_of);
    let mut wanted: Vec<Subject> = entered.iter().cloned().chain(init).collect();
    let met = |by: &Subject| match by {
        Subject::Function(_) => entered.contains(by),
        Subject::ImportCode(module) => modules.contains(module.as_str()),
        Subject::File(_) => false,
    };
    let read = readers.iter().filter(|(_, reads)| reads.by.iter().any(met));
    wanted.extend(read.map(|(path, _)| Subject::File(path.clone())));
    let mut functions = Vec::new();
    let mut modules = Vec::new();
    let safe = |text: &str| core.part::<KeptSources>().kept(&core.root, &index, text);
    for old in core.store().code(&wanted)? {
        match &old.subject {
            Subject::Function(id) => functions.extend(function_edit(&index, id, &old, &safe)),
            Subject::ImportCode(_) => modules.extend(module_edit(&index, &old, &safe)),
            Subject::File(path) => {
                let changed = data.digest(path).is_some_and(|now| now != old.fingerprint);
                functions.extend(changed.then(|| Edit { subject: old.subject, path: old.path, hunk: Vec::new(), line: 1 }));
            }
        }
    }
    // A module's text holds its functions too: it is named only where no function explains the change.
    modules.retain(|edit: &Edit| !functions.iter().any(|other: &Edit| other.path == edit.path));
    functions.extend(modules);
    Ok(functions)
}

fn function_edit(index: &Index, id: &FunctionId, old: &RecordedCode, safe: &Safe<'_>) -> Option<Edit> {
    let now = index.today(id);
    // It may stand in another file by now.
    let path = now.map_or(&old.path, |now| &now.path);
    let (new_lines, first) = match (now, index.text(path)) {
        (Some(now), Some(_)) if now.fingerprint.code() == old.fingerprint => return None,
        (Some(now), Some(text)) => (lines(&text, now.span.first, now.span.last), now.span.first),
        _ => (Vec::new(), old.first_line),
    };
    Some(Edit { path: path.clone(), ..edit(old, &new_lines, first, safe) })
}

fn module_edit(index: &Index, old: &RecordedCode, safe: &Safe<'_>) -> Option<Edit> {
    let module = index.module(&old.path)?;
    if init_print(module) == old.fingerprint {
        return None;
    }
    let text = index.text(&old.path)?;
    Some(edit(old, &lines(&text, 1, u32::MAX), 1, safe))
}

/// An edit is kept beside the change that it explains: without secrets, also where an earlier version remembered some.
fn edit(old: &RecordedCode, new_lines: &[String], new_first_line: u32, safe: &Safe<'_>) -> Edit {
    let safe = |text: &str| safe(text).lines().map(ToOwned::to_owned).collect::<Vec<_>>();
    let (old_lines, new_lines) = (safe(&old.text), safe(&new_lines.join("\n")));
    change::edit(old.subject.clone(), old.path.clone(), &old_lines, &new_lines, new_first_line)
}

/// Gives lines of a text, 1-based and inclusive.
fn lines(text: &str, first: u32, last: u32) -> Vec<String> {
    let skip = first.saturating_sub(1) as usize;
    let take = last.saturating_sub(first) as usize + 1;
    text.lines().skip(skip).take(take).map(ToOwned::to_owned).collect()
}
