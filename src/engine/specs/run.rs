//! YAML tests in the workbench: found, run when a person asks or a save calls for it, and taken in when another process ran
//! them. How a test is run is `checks/specs/runner.rs`; what is known of each is `state/spec_board.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::job_subject::JobSubject;
use crate::domain::settings::WatchJudge;
use crate::domain::snapshot::{Topic, Trust};
use crate::domain::spec::Progress;
use crate::domain::spec_board::SpecRun;
use crate::domain::verdict::Ruling;
use crate::engine::checks::specs::runner::{Outcome, Specs, Wanted};
use crate::engine::checks::verdict_files;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::done::Done;
use crate::engine::state::spec_board::Rests;
use crate::engine::state::trust::require_trust;
use crate::source::index::Index;
use crate::store;

/// The kind of the job a person asked for, and of the one that a save did.
const JOB: JobKind = JobKind::Spec;
const AFTER_SAVE: JobKind = JobKind::Respec;

/// One run at a time, whoever asked.
#[derive(Default)]
struct Turn(tokio::sync::Mutex<()>);

/// Tells when a run was kept last.
#[must_use]
pub fn left_at(root: &Path) -> Option<SystemTime> {
    store::folder_in(root)?.join(verdict_files::SPECS).metadata().ok()?.modified().ok()
}

/// Reads the files of the tests, what other processes found out about them, and whether that still holds. Blocks shortly.
pub fn read(core: &Arc<Core>) {
    let specs = Specs::new(&core.root, &core.settings());
    let files = files(core, &specs);
    // Runs are text of a folder that anybody may have packed: they are read where its code is trusted, too.
    let trusted = core.trust() == Trust::Trusted;
    let left: Vec<SpecRun> = if trusted {
        let read = |left: PathBuf| {
            let run = verdict_files::get::<SpecRun>(&left).map_err(|trouble| core.log.trouble("spec", &trouble)).ok()?;
            if !core.root.join(&run.report.file).exists() {
                // Its test is gone, and it with it.
                let _ = std::fs::remove_file(&left);
            }
            Some(run)
        };
        verdict_files::files(&core.root, verdict_files::SPECS).into_iter().filter_map(read).collect()
    } else {
        Vec::new()
    };
    let index = core.index();
    let (known, news) = {
        let mut state = core.state.lock();
        let known = state.specs.files().next().is_some();
        state.specs.read(&core.root, &files);
        let mut news: Vec<(RelPath, String, Ruling)> = Vec::new();
        for run in left {
            let Some(file) = RelPath::new(&run.report.file) else { continue };
            let (name, ruling) = (run.report.name.clone(), run.report.verdict);
            if state.specs.take(&file, run, None) && known {
                news.push((file, name, ruling));
            }
        }
        state.specs.compare(&core.root, &index, |file| plugins(core, &specs, file));
        (known, news)
    };
    for (file, name, ruling) in news {
        core.log.add(
            level(ruling),
            "spec",
            format!("{} {}, run by another process", ruling.word(), text::display_line(&name)),
            Some(Topic::Spec(file)),
        );
    }
    if known || !files.is_empty() {
        core.announce(Event::SpecsRead);
    }
}

/// Takes a first look at the tests.
pub async fn begin(core: &Arc<Core>) {
    let worker = core.clone();
    // A task that is gone has nobody to tell.
    let _ = blocking(move || read(&worker)).await;
}

/// Lists the tests in the folders of the settings, as far as they lie in the project.
fn files(core: &Core, specs: &Specs) -> Vec<RelPath> {
    let found = specs.find(&[]).unwrap_or_default();
    found.iter().filter_map(|file| RelPath::below(&core.root, file)).collect()
}

fn plugins(core: &Core, specs: &Specs, file: &RelPath) -> Vec<RelPath> {
    let files = specs.plugin_files(&file.under(&core.root));
    files.iter().filter_map(|path| RelPath::below(&core.root, path)).collect()
}

/// Runs these tests, or all there are, because a person asked.
pub async fn run(core: &Arc<Core>, files: Vec<RelPath>) -> Result<Done, Trouble> {
    let asked = files.into_iter().map(|file| (file, None)).collect();
    run_for(core, JOB, asked).await
}

/// After a save: runs the tests again that ran before and whose files or code it changed. A newer save goes on from there.
pub async fn after_save(core: &Arc<Core>) {
    let worker = core.clone();
    let stale = blocking(move || {
        let specs = Specs::new(&worker.root, &worker.settings());
        let (files, index) = (files(&worker, &specs), worker.index());
        let mut state = worker.state.lock();
        let before = state.specs.rows();
        state.specs.read(&worker.root, &files);
        state.specs.compare(&worker.root, &index, |file| plugins(&worker, &specs, file));
        if state.specs.rows() != before {
            worker.announce(Event::SpecsRead);
        }
        state.specs.take_stale()
    });
    let Ok(stale) = stale.await else { return };
    if stale.is_empty() || core.settings().watch.judge == WatchJudge::Off || core.trust() != Trust::Trusted {
        return;
    }
    let now = clock::now();
    let asked: Asked = {
        let mut state = core.state.lock();
        let wanted = stale.into_iter().filter(|(file, _)| state.specs.may_run_again(file, now));
        wanted.map(|(file, why)| (file, Some(why))).collect()
    };
    if asked.is_empty() {
        return;
    }
    if let Err(trouble) = run_for(core, AFTER_SAVE, asked).await {
        core.complain("spec", &trouble);
    }
}

/// The tests that run, by their names in what is said.
type Names = BTreeMap<String, RelPath>;
/// The tests to run, each with why it runs where nobody asked.
type Asked = BTreeMap<RelPath, Option<Sentence>>;

async fn run_for(core: &Arc<Core>, kind: JobKind, mut asked: Asked) -> Result<Done, Trouble> {
    require_trust(&core.root, core.trust())?;
    if asked.is_empty() {
        asked = core.state.lock().specs.files().map(|file| (file.clone(), None)).collect();
    }
    {
        // What runs or waits already is not asked for twice.
        let state = core.state.lock();
        asked.retain(|file, _| !state.specs.is_live(file));
    }
    let Some(first) = asked.keys().next().cloned() else {
        return match core.state.lock().specs.files().next() {
            Some(_) => Ok(Done::Nothing),
            None => Err(Trouble::usage("There is no YAML test in this project.").so("docs/specs.md shows how to write one.")),
        };
    };
    let subject = if asked.len() == 1 { JobSubject::Spec(first) } else { JobSubject::Specs(asked.len()) };
    let job = core.jobs.begin(kind, subject, asked.len() as u64);
    let since = clock::now();
    {
        let mut state = core.state.lock();
        asked.iter().for_each(|(file, why)| state.specs.begin(file, since, why.clone()));
    }
    core.touch();
    verdict_files::prepare(&core.root);
    // One after the other, whoever asked: tests may use the same things outside.
    let turns = core.part::<Turn>();
    let turn = job.unless_cancelled(turns.0.lock()).await;
    let mut done = 0;
    if turn.is_some() {
        let mut specs = Specs::new(&core.root, &core.settings());
        if kind == JOB || core.settings().watch.judge == WatchJudge::Model {
            let consent = core.state.lock().consent.clone();
            specs = specs.with_model(&consent);
        }
        let files: Vec<PathBuf> = asked.keys().map(|file| file.under(&core.root)).collect();
        let because = asked.iter().filter_map(|(file, why)| Some((file.under(&core.root), why.clone()?))).collect();
        let workers = core.settings().spec.workers as usize;
        let wanted = Wanted { workers, because, ..Wanted::one(job.cancel.clone()) };
        let before = core.index();
        let names: Names = asked.keys().map(|file| (specs.name(&file.under(&core.root)), file.clone())).collect();
        let say = |progress: Progress| hear(core, &names, &progress);
        let total = asked.len() as u64;
        specs
            .run_all(&files, &wanted, &say, |outcome| {
                done += 1;
                job.progress(done, total);
                take(core, &names, &before, outcome);
            })
            .await;
    }
    drop(turn);
    {
        let mut state = core.state.lock();
        asked.keys().for_each(|file| state.specs.end(file));
    }
    let whole = done == asked.len() as u64 && !job.is_cancelled();
    job.end(whole);
    // Nothing else tells a screen that the job is over.
    core.announce(Event::Resync);
    // What was edited while they ran.
    tokio::spawn(saved(core.clone()));
    Ok(Done::Nothing)
}

/// [`after_save`], to be done beside.
fn saved(core: Arc<Core>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move { after_save(&core).await })
}

/// Takes in what happens in a test.
fn hear(core: &Arc<Core>, names: &Names, progress: &Progress) {
    let (Progress::Began { file, .. } | Progress::Step { file, .. } | Progress::Stepped { file, .. }) = progress;
    let Some(file) = names.get(file).cloned() else { return };
    let because = {
        let mut state = core.state.lock();
        state.specs.hear(&file, progress);
        state.specs.because(&file)
    };
    core.announce(match progress {
        Progress::Began { name, .. } => Event::SpecBegan { file, name: name.clone(), because },
        Progress::Step { name, tries, .. } => Event::SpecStep { file, step: name.clone(), tries: *tries, status: None },
        Progress::Stepped { step, .. } => {
            Event::SpecStep { file, step: step.name.clone(), tries: step.tries, status: Some(step.status) }
        }
    });
}

/// Takes in what came of a test.
fn take(core: &Arc<Core>, names: &Names, before: &Index, outcome: Outcome) {
    let Outcome { report, mistakes, run } = outcome;
    let Some(file) = names.get(&report.file).cloned() else { return };
    let because = {
        let mut state = core.state.lock();
        let because = state.specs.because(&file);
        state.specs.end(&file);
        if let Some(run) = &run {
            let rests = Rests::on(&run.used, before);
            state.specs.take(&file, (**run).clone(), Some(rests));
        }
        because
    };
    if run.is_none() && mistakes.is_none() {
        // Stopped before it began: what came of it last still stands.
        return core.log.add(Level::Info, "spec", format!("{file}: {}", report.reason), Some(Topic::Spec(file.clone())));
    }
    if run.is_none() {
        let said = format!("{file} is written wrong: it was not run.");
        return core.say_about(Topic::Spec(file), Level::Warning, "spec", said);
    }
    let ruling = report.verdict;
    let why = because.as_ref().map(|why| format!(" (run again: {why})")).unwrap_or_default();
    core.log.add(
        level(ruling),
        "spec",
        format!("{} {}: {}{why}", ruling.word(), report.name, report.reason),
        Some(Topic::Spec(file.clone())),
    );
    core.announce(Event::SpecEnded { file, name: report.name, ruling, reason: report.reason, ms: report.ms, because });
}

fn level(ruling: Ruling) -> Level {
    match ruling {
        Ruling::Pass => Level::Done,
        Ruling::Fail | Ruling::Unclear => Level::Warning,
        Ruling::Error => Level::Error,
    }
}
