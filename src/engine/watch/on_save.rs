//! What follows a save: the index is read anew, what rests on the change is marked, replayed and proved again.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::CallId;
use crate::domain::event::{Event, Level};
use crate::domain::function::FunctionId;
use crate::domain::snapshot::{Topic, WatchState};
use crate::domain::subject::Subject;
use crate::domain::touch::FileAccess;
use crate::engine::index::{configuration, initial, last_said, refresh};
use crate::engine::index::{reachability, syntax_errors};
use crate::engine::proving::basis;
use crate::engine::replay::behaviour;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::watch::config_changes;
use crate::engine::{specs, verdicts, workflow};
use crate::source::change::IndexChange;
use crate::source::index::Index;
use crate::watch::{Batch, Watcher};

/// Begins to watch, or says why not. Saves wait for [`follow`], so that none is missed while the project is read.
pub fn listen(core: &Arc<Core>) -> Option<UnboundedReceiver<Batch>> {
    if !core.settings().watch.enabled {
        return None;
    }
    let (sender, batches) = tokio::sync::mpsc::unbounded_channel::<Batch>();
    let started = Watcher::start(
        &core.root,
        &core.settings().record.exclude,
        &core.settings().watch,
        Box::new(move |batch| {
            // The engine may be gone already.
            let _ = sender.send(batch);
        }),
    );
    match started {
        Ok(watcher) => {
            *core.watcher.lock() = Some(watcher);
            Some(batches)
        }
        Err(trouble) => {
            core.complain("watch", &trouble);
            None
        }
    }
}

/// Works on saves as they come, on those first that came since [`listen`].
pub fn follow(core: &Arc<Core>, mut batches: UnboundedReceiver<Batch>) {
    let state = core.watcher.lock().as_ref().map(Watcher::state);
    if let Some(WatchState::Polling { reason }) = &state {
        core.say(Level::Warning, "watch", reason.clone());
    }
    core.state.lock().watch = state;
    core.touch();
    let core = core.clone();
    tokio::spawn(async move {
        while let Some(mut batch) = batches.recv().await {
            // Saves that came while the last one was worked on are worked on together.
            while let Ok(more) = batches.try_recv() {
                batch.rescan |= more.rescan;
                batch.paths.extend(more.paths);
            }
            changed(&core, (!batch.rescan).then_some(batch.paths)).await;
        }
    });
}

/// Finds out which files that are no code calls may read, so that saves of them are told from now on.
pub async fn follow_data(core: &Arc<Core>) {
    let worker = core.clone();
    if let Err(trouble) = blocking(move || reachability::readers(&worker)).await.and_then(|readers| readers) {
        core.complain("watch", &trouble);
    }
}

/// Stops or goes on reacting to saves.
pub fn pause(core: &Arc<Core>, paused: bool) {
    let state = core.watcher.lock().as_ref().map(|watcher| {
        if paused {
            watcher.pause()
        } else {
            watcher.resume()
        }
        watcher.state()
    });
    match state {
        Some(state) => core.state.lock().watch = Some(state),
        None => core.say(Level::Info, "watch", "Watch is off."),
    }
    core.touch();
}

/// Reads the whole project; once it was read, what differs, with all that follows a save of that.
pub async fn index(core: &Arc<Core>) {
    initial::index(core, changed(core, None)).await;
}

/// Works on saved files: these, or whatever differs.
pub async fn changed(core: &Arc<Core>, paths: Option<Vec<RelPath>>) {
    if let Some(state) = core.watcher.lock().as_ref().map(Watcher::state) {
        core.state.lock().watch = Some(state);
    }
    let worker = (core.clone(), paths.clone());
    let looked = blocking(move || {
        let (core, paths) = (&worker.0, worker.1.as_deref());
        (reachability::look_again(core, paths), configuration::differing(core, paths))
    });
    let Ok((data, mut configuration)) = looked.await else { return };
    // The index knows no other files, and would look for new ones everywhere.
    let (code, others) = match paths {
        Some(paths) => {
            let (code, others): (Vec<RelPath>, Vec<RelPath>) = paths.into_iter().partition(|path| path.as_str().ends_with(".py"));
            specs_saved(core, &others);
            (Some(code), !others.is_empty())
        }
        None => (None, true),
    };
    let before = core.index();
    let only_others = others && code.as_ref().is_some_and(Vec::is_empty);
    let change = if only_others { Some(IndexChange::default()) } else { refresh::reread(core, code).await };
    let Some(change) = change else { return };
    workflow::renew::ask_outdated(core, &change);
    if others || !change.files.is_empty() {
        let specs = core.clone();
        tokio::spawn(async move { specs::run::after_save(&specs).await });
    }
    let readers = match note_data(core, &data) {
        Ok(readers) => readers,
        Err(trouble) => return core.complain("stale", &trouble),
    };
    if !change.files.is_empty() {
        note(core, &change, &before);
        syntax_errors::warn(core, Some(&change.files)).await;
    }
    configuration.extend(config_changes::conftests(&change).cloned());
    let unsure = config_changes::changed(core, &configuration);
    let index = core.index();
    // What did not load could not be run; mended to what it was before, it has no other code than then.
    let mended = change.files.iter().filter(|path| is_unparsed(&before, path) && !is_unparsed(&index, path));
    let mended: Vec<RelPath> = mended.cloned().collect();
    if change.is_harmless() && data.is_empty() && configuration.is_empty() && mended.is_empty() {
        docstrings_saved(core, change);
        core.touch();
        return;
    }
    let mut subjects: Vec<Subject> = change.code().cloned().map(Subject::Function).collect();
    let mut modules = change.changed_modules();
    let importing = readers.iter().filter_map(|by| match by {
        Subject::ImportCode(module) => index.module_called(module),
        Subject::Function(_) | Subject::File(_) => None,
    });
    let files: Vec<RelPath> = importing.map(|module| module.path.clone()).chain(modules.iter().cloned()).collect();
    let affected = subjects.iter().chain(&readers).filter_map(Subject::function).cloned().collect();
    verdicts::state::mark_stale(core, &affected, &files);
    subjects.extend(data.into_iter().map(Subject::File));
    modules.extend(mended);
    let (judging, saved) = (core.clone(), change.files.iter().cloned().collect());
    tokio::spawn(async move { verdicts::rerun::after_save(&judging, &saved).await });
    let worker = core.clone();
    let edited: BTreeSet<FunctionId> = change.code().cloned().collect();
    let rests = blocking(move || {
        let reach = reachability::recorded(&worker, &worker.index())?;
        let mut resting = reach.resting_on(&subjects, &modules);
        resting.extend(reach.looking_at(&change));
        Ok::<_, Trouble>(resting)
    });
    let resting = match rests.await.and_then(|resting| resting) {
        Ok(resting) => resting,
        Err(trouble) => return core.complain("stale", &trouble),
    };
    let stale = basis::mark_stale(core, &resting.union(&unsure).cloned().collect());
    if others || !configuration.is_empty() {
        let worker = core.clone();
        let _ = blocking(move || last_said::keep(&worker)).await;
    }
    let core = core.clone();
    tokio::spawn(async move { workflow::renew::replay(&core, &resting, &edited, stale).await });
}

/// Replays what may print a docstring that differs, such as a help text.
fn docstrings_saved(core: &Arc<Core>, change: IndexChange) {
    if change.docs.is_empty() {
        return;
    }
    let core = core.clone();
    tokio::spawn(async move {
        let worker = core.clone();
        let looking = move || Ok::<_, Trouble>(reachability::recorded(&worker, &worker.index())?.looking_at(&change));
        match blocking(looking).await.and_then(|found| found) {
            Ok(looking) => behaviour::after_save(&core, &looking, &BTreeSet::new()).await,
            Err(trouble) => core.complain("stale", &trouble),
        }
    });
}

/// Tells of saved files that are YAML tests.
fn specs_saved(core: &Core, paths: &[RelPath]) {
    let settings = core.settings();
    let folders = &settings.spec.paths;
    let inside = |path: &&RelPath| folders.iter().any(|folder| std::path::Path::new(path.as_str()).starts_with(folder));
    let paths: Vec<RelPath> = paths.iter().filter(inside).cloned().collect();
    if let Some(first) = paths.first() {
        core.log.add(Level::Info, "saved", first.as_str(), Some(Topic::Spec(first.clone())));
        core.announce(Event::Saved { paths, functions: Vec::new(), because: None });
    }
}

fn is_unparsed(index: &Index, path: &RelPath) -> bool {
    index.module(path).is_some_and(|module| module.error.is_some())
}

fn note(core: &Arc<Core>, change: &IndexChange, before: &Index) {
    let functions: Vec<FunctionId> = change.code().cloned().collect();
    let at = clock::now();
    {
        let mut state = core.state.lock();
        for id in &functions {
            state.edited.insert(id.clone(), at);
        }
    }
    let names: Vec<&str> = functions.iter().take(3).map(FunctionId::qualname).collect();
    let index = core.index();
    let what = match (change.files.as_slice(), names.as_slice()) {
        ([file], _) if is_unparsed(&index, file) => format!("{file}: it does not parse"),
        ([file], []) if is_unparsed(before, file) => format!("{file}: it parses again"),
        ([file], []) => format!("{file}: no function changed"),
        ([file], names) => format!("{file}: {} changed", names.join(", ")),
        (files, _) => format!("{}, {} changed", text::count(files.len(), "file"), text::count(functions.len(), "function")),
    };
    let about = match (functions.as_slice(), change.files.as_slice()) {
        ([function, ..], _) => Some(Topic::Function(function.clone())),
        ([], [file]) => Some(Topic::File(file.clone())),
        _ => None,
    };
    core.log.add(Level::Info, "saved", &what, about);
    core.announce(Event::Saved { paths: change.files.clone(), functions, because: None });
}

/// Tells of changed files that are no code and that calls may read; gives those that do.
pub fn note_data(core: &Core, paths: &[RelPath]) -> Result<BTreeSet<Subject>, Trouble> {
    let Some(first) = paths.first() else { return Ok(BTreeSet::new()) };
    let (known, files) = (reachability::readers(core)?, reachability::data(core)?);
    let reads = || paths.iter().filter_map(|path| known.get(path));
    let readers: BTreeSet<Subject> = reads().flat_map(|reads| &reads.by).cloned().collect();
    let accesses: Vec<FileAccess> = reads().flat_map(|reads| &reads.accesses).cloned().collect();
    let calls: BTreeSet<CallId> = core.store().readers(&accesses)?.into_iter().map(|(call, ..)| call).collect();
    let it = if paths.len() == 1 { "it" } else { "them" };
    let because = match readers.first() {
        Some(Subject::ImportCode(module)) if calls.is_empty() => format!("{module} names {it}"),
        Some(by) if calls.is_empty() => format!("{by} names {it}"),
        _ => format!("{} read {it}", text::count(calls.len(), "recorded call")),
    };
    let what = match paths {
        [path] if files.is_there(path) => format!("{path} changed"),
        [path] => format!("{path} is gone"),
        _ => text::count(paths.len(), "data file") + " changed",
    };
    core.log.add(Level::Info, "saved", format!("{what}: {because}"), Some(Topic::File(first.clone())));
    core.announce(Event::Saved { paths: paths.to_vec(), functions: Vec::new(), because: Some(because.into()) });
    Ok(readers)
}

/// Counts the files that wait while the watch is paused.
pub fn count_waiting(core: &Core) {
    let state = core.watcher.lock().as_ref().map(Watcher::state);
    let Some(state @ WatchState::Paused { .. }) = state else { return };
    let mut known = core.state.lock();
    if known.watch.as_ref() != Some(&state) {
        known.watch = Some(state);
        drop(known);
        core.touch();
    }
}
