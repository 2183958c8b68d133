//! Recording a program: started, read along into the store, and replayed once on the code it ran.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::redact::PLACEHOLDER;
use crate::base::text;
use crate::config::places::Places;
use crate::domain::batch::Batch;
use crate::domain::call::{Effect, Outcome, ProgramEnd, Recording, RecordingId};
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::gap::{Gap, GapKind};
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::{RecordingRow, Topic};
use crate::domain::subject::Subject;
use crate::domain::value::{TypeName, Value};
use crate::engine::checks::secrets;
use crate::engine::python::environment;
use crate::engine::replay::first_replay;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::python::value;
use crate::record::LoadedModule;
use crate::record::folder::SpoolFolder;
use crate::record::ingest::{Ingest, Summary};
use crate::record::launch::{Mode, Plan, Request};
use crate::record::live::{self, Attach, Ended, Progress, Reading};
use crate::source::git;
use crate::source::index::Index;
use crate::source::names;
use crate::store::{self, Store, StoreError};

/// How often it is looked whether the first index is there.
const INDEX_LOOK: std::time::Duration = std::time::Duration::from_millis(10);
/// Bytes of values held in memory for a database that has no room.
const HELD_BYTES: usize = 64 << 20;
/// Calls stored at once where there may not be room for all.
const PIECE: usize = 16;
/// Lines of a program's output that stay on the screen.
const OUTPUT_LINES: usize = 200;
/// Names of functions shown as the newest.
const NEWEST: usize = 5;

/// Where the program's input and output are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stdio {
    /// This process's own.
    Inherited,
    /// Kept for the Runs screen.
    Kept,
}

/// A program to record.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The command as typed.
    pub argv: Vec<String>,
    /// Calls kept of each function, in place of the setting.
    pub limit: Option<u32>,
    /// What is recorded, in place of the setting.
    pub targets: Vec<String>,
    /// Folders it imports from besides its own, from where the command was typed.
    pub python_path: Vec<PathBuf>,
    /// Every event in its order is wanted: a journey.
    pub journey: bool,
    /// Drafts of all that it calls are wanted next: a few of them come before all calls were tried.
    pub drafts: bool,
    /// Its calls are run once more at its end. Else whoever needs them first does that.
    pub check: bool,
}

/// A recording that has ended.
pub struct Recorded {
    /// As it is stored.
    pub recording: Recording,
    /// How it ended is stored, too.
    pub noted: bool,
}

/// Runs a program under the recorder to its end; `begins` is called when it starts, where its calls will be tried at once.
pub async fn record(core: &Arc<Core>, program: Program, stdio: Stdio, begins: impl FnOnce() + Send) -> Result<Recorded, Trouble> {
    let Program { argv, limit, targets, python_path, journey, drafts, check: _ } = program;
    if argv.iter().any(|word| word.contains(PLACEHOLDER)) {
        return Err(Trouble::usage("The command is not whole.")
            .because("A secret was typed in it, and what is kept of it is kept without.")
            .so("Type it again."));
    }
    let environment = environment::to_record(core).await?;
    // Calls are named by the index; before it is there they would belong to nothing.
    while !core.state.lock().indexed {
        tokio::time::sleep(INDEX_LOOK).await;
    }
    let mut settings = core.settings().record.clone();
    settings.calls = limit.unwrap_or(settings.calls);
    if !targets.is_empty() {
        settings.targets = checked_targets(core, &targets)?;
    }
    let cwd = match stdio {
        Stdio::Inherited => std::env::current_dir().ok().filter(|cwd| cwd.starts_with(&core.root)),
        Stdio::Kept => None,
    }
    .unwrap_or_else(|| core.root.clone());
    settings.python_path.extend(python_path.iter().map(|folder| cwd.join(folder).display().to_string()));
    let plan = Plan::new(&Request {
        typed: &argv,
        root: &core.root,
        cwd: &cwd,
        interpreter: Some(&environment.interpreter.path),
        chosen: core.settings().python.is_some(),
        package: &environment.package,
        record: &settings,
        redact: &core.settings().redact,
        mode: if journey { Mode::Journey } else { Mode::Calls },
    })?;
    let begun = core.index();
    let python = plan.python().unwrap_or_else(|| environment.interpreter.path.clone());
    let recording = Recording {
        cwd: cwd.strip_prefix(&core.root).map(|rest| rest.display().to_string()).unwrap_or_default(),
        interpreter: Some(python.display().to_string()),
        commit: commit(core).await,
        ..Recording::begun(secrets::command(&core.root, &argv), clock::now())
    };
    let recording = begin(core, recording)?;
    core.log.add(
        Level::Info,
        "started",
        format!("{}, {}", text::command_line(&recording.command), environment.interpreter.label),
        Some(Topic::Recording(recording.id)),
    );
    core.announce(Event::RecordingStarted { recording: recording.id, command: recording.command.clone() });
    let replays = drafts || core.watcher.lock().is_some();
    if replays {
        begins();
    }
    let ended = follow(core, &plan, &recording, stdio, replays).await;
    conclude(core, recording, ended, begun).await
}

/// Stores a recording that begins, gives it its number, and lists it.
pub fn begin(core: &Core, mut recording: Recording) -> Result<Recording, Trouble> {
    recording.id = core.store().begin_recording(&recording)?;
    core.state.lock().recordings.insert(0, row(recording.clone()));
    Ok(recording)
}

fn checked_targets(core: &Core, targets: &[String]) -> Result<Vec<String>, Trouble> {
    let index = core.index();
    let mut all = Vec::new();
    for target in targets {
        if target.contains('*') || index.modules().any(|module| module.name == *target) {
            all.push(target.clone());
            continue;
        }
        let found = index.find(target).map_err(|nearest| {
            let trouble = Trouble::usage(format!("No function {}.", text::display_line(target)));
            if nearest.is_empty() { trouble } else { trouble.so(format!("Nearest: {}.", nearest.join(", "))) }
        })?;
        all.extend(found.into_iter().map(|id| id.0));
    }
    Ok(all)
}

/// Reads along while a program runs; where its calls will be made again (`replays`), their modules are imported for it.
async fn follow(core: &Arc<Core>, plan: &Plan, recording: &Recording, stdio: Stdio, mut replays: bool) -> Result<Ended, Trouble> {
    let id = recording.id;
    let subject = JobSubject::Recording { id, command: text::command_line(&recording.command) };
    let job = core.jobs.begin(JobKind::Record, subject, 0);
    let folder = SpoolFolder::create(&spool_places(core), &id.0.to_string())?;
    let ingest = ingest(core, folder.path(), recording.started);
    let attach = if stdio == Stdio::Inherited { Attach::Terminal } else { Attach::Piped };
    let mut lines = Lines::default();
    let mut rest = Unstored::default();
    let mut ended = live::run(plan, folder, ingest, attach, job.cancel.clone(), |progress| match progress {
        Progress::Reading(reading) => {
            let Reading { batch, summary } = *reading;
            let newest: Vec<String> =
                batch.calls.iter().rev().map(|call| call.function.qualname().to_owned()).take(NEWEST).collect();
            let called: BTreeSet<FunctionId> = batch.calls.iter().map(|call| call.function.clone()).collect();
            if replays && !called.is_empty() {
                replays = false;
                let core = core.clone();
                tokio::spawn(async move { environment::import_ahead(&core, called).await });
            }
            rest.take(&core.store(), id, batch);
            job.progress(summary.kept, 0);
            core.edit_recording(id, |row| {
                count(row, &summary);
                row.duration_ms = (clock::now().0 - row.started.0).max(0);
                row.newest = newest;
            });
            core.announce(Event::CallsArrived { recording: id, kept: summary.kept, seen: summary.seen });
        }
        Progress::Output { bytes, .. } => {
            lines.push(&bytes);
            core.edit_recording(id, |row| row.output.clone_from(&lines.kept));
        }
    })
    .await;
    // The spool is gone by now, which made room where it lies on the same disk as the database.
    let lost = rest.try_again(&core.store(), id);
    if let (Ok(ended), Some((calls, error))) = (&mut ended, lost) {
        ended.summary.kept = ended.summary.kept.saturating_sub(calls);
        ended.summary.gaps.push((GapKind::NotStored.into(), calls));
        let what = format!("{} could not be stored.", text::count(usize::try_from(calls).unwrap_or(usize::MAX), "recorded call"));
        core.complain("recorder", &Trouble { what: what.into(), ..error.into() });
    }
    job.end(ended.is_ok());
    ended
}

/// Batches that the database did not take, held until the program has ended; in their order, for the end of a call must
/// not come before its start.
#[derive(Default)]
struct Unstored {
    batches: Vec<Arc<Batch>>,
    bytes: usize,
    /// Calls that were let go, and why.
    lost: u64,
    error: Option<StoreError>,
}

impl Unstored {
    fn take(&mut self, store: &Store, recording: RecordingId, batch: Batch) {
        let batch = Arc::new(batch);
        if self.error.is_none() {
            match store.ingest(recording, batch.clone()) {
                Ok(_) => return,
                Err(error) => self.error = Some(error),
            }
        }
        let values = batch.calls.iter().map(|call| call.args.len()).chain(batch.ends.iter().map(|end| end.outcome.len()));
        let values = values.chain(batch.journey.iter().map(|block| block.records.len()));
        self.bytes = self.bytes.saturating_add(values.sum());
        if self.bytes > HELD_BYTES {
            self.lost += batch.calls.len() as u64;
        } else {
            self.batches.push(batch);
        }
    }

    /// Gives how many calls are lost, and why, unless all of it is stored now.
    fn try_again(self, store: &Store, recording: RecordingId) -> Option<(u64, StoreError)> {
        let mut lost = self.lost;
        let mut why = self.error.filter(|_| lost > 0);
        for batch in self.batches {
            if store.ingest(recording, batch.clone()).is_ok() {
                continue;
            }
            // As much of it as there is room for.
            for piece in Arc::unwrap_or_clone(batch).pieces(PIECE) {
                let calls = piece.calls.len() as u64;
                if let Err(error) = store.ingest(recording, piece) {
                    lost += calls;
                    why = Some(error);
                }
            }
        }
        why.map(|error| (lost, error))
    }
}

async fn conclude(
    core: &Arc<Core>,
    mut recording: Recording,
    ended: Result<Ended, Trouble>,
    begun: Arc<Index>,
) -> Result<Recorded, Trouble> {
    recording.duration_ms = (clock::now().0 - recording.started.0).max(0);
    // At once: what is edited from now on is no code that the program ran.
    if let Ok(ended) = &ended {
        first_replay::note_ran(core, recording.id, begun, ended.modules.clone()).await;
    }
    let ended = match ended {
        Ok(ended) => ended,
        Err(trouble) => {
            recording.end = ProgramEnd::NotStarted(trouble.what.to_string());
            core.store().update_recording(&recording)?;
            core.edit_recording(recording.id, |row| row.end = recording.end.clone());
            return Err(trouble);
        }
    };
    recording.end = ended.end;
    ended.summary.apply(&mut recording);
    // Whatever becomes of our notes, the program has run: its exit code is passed on.
    if let Err(trouble) = note_hidden(core, recording.id, ended.modules).await {
        core.complain("recorder", &trouble);
    }
    let noted = note_end(core, &recording);
    if let Err(trouble) = &noted {
        let what = format!("How recording {} ended could not be stored.", recording.id.0);
        core.complain("recorder", &Trouble { what: what.into(), ..trouble.clone() });
    }
    if let Err(trouble) = first_replay::remember_all(core, recording.id).await {
        core.complain("recorder", &trouble);
    }
    core.edit_recording(recording.id, |row| {
        count(row, &ended.summary);
        row.end = recording.end.clone();
        row.duration_ms = recording.duration_ms;
    });
    say_end(core, &recording);
    Ok(Recorded { recording, noted: noted.is_ok() })
}

/// Notes what recorded calls rest on though no text says so: modules that were loaded and that no file imports, such as settings that
/// a framework finds by a name, and procedures that ran in the same test, such as those that a framework calls before each request.
async fn note_hidden(core: &Arc<Core>, recording: RecordingId, loaded: Vec<LoadedModule>) -> Result<(), Trouble> {
    let core = core.clone();
    blocking(move || {
        let index = core.index();
        let imported: HashSet<String> = index
            .modules()
            .flat_map(|module| module.imports.iter().filter_map(|import| names::imported(module, import)).flatten())
            .collect();
        let loaded: HashSet<RelPath> =
            loaded.into_iter().filter(|module| module.name != "__main__").map(|module| module.path).collect();
        let hidden: Vec<Subject> = index
            .modules()
            .filter(|module| !module.is_test() && loaded.contains(&module.path) && !imported.contains(&module.name))
            .map(|module| Subject::ImportCode(module.name.clone()))
            .collect();
        // What a call changed follows.
        let mut nothing = value::encode_outcome(&Effect { outcome: Outcome::Returned(Value::None), changed: Vec::new() });
        nothing.truncate(nothing.len().saturating_sub(2));
        core.store().add_hidden_edges(recording, &hidden, nothing)
    })
    .await?
    .map_err(Trouble::from)
}

/// Announces the end of a recording, once its calls were tried.
pub fn announce_end(core: &Core, recording: &Recording) {
    core.announce(Event::RecordingEnded {
        recording: recording.id,
        end: recording.end.clone(),
        kept: recording.kept,
        seen: recording.seen,
        functions: recording.functions,
        ms: u64::try_from(recording.duration_ms).unwrap_or(0),
    });
}

fn note_end(core: &Core, recording: &Recording) -> Result<(), Trouble> {
    core.store().update_recording(recording)?;
    core.store().prune(core.settings().record.keep)?;
    core.reload_recorded()
}

fn say_end(core: &Core, recording: &Recording) {
    let calls = text::count(usize::try_from(recording.kept).unwrap_or(0), "call");
    let ms = recording.duration_ms;
    let about = || Some(Topic::Recording(recording.id));
    match &recording.end {
        ProgramEnd::Exited(0) => {
            core.log.add(Level::Done, "recorded", format!("recording {}: {calls}, exit 0, {ms} ms", recording.id.0), about());
        }
        end => {
            if let Some(said) = end.summary(recording.kept) {
                core.say_about(Topic::Recording(recording.id), Level::Warning, "recorded", said);
            }
        }
    }
    if !recording.recorder_seen {
        core.say(
            Level::Warning,
            "recorder",
            "No recorder reported in, so nothing was recorded: the program may have started Python with -I, -S or -E, or no Python.",
        );
    }
    for (at, (gap, count)) in gap_lines(&recording.gaps).into_iter().enumerate() {
        let said = format!("left out: {gap} ({count})");
        // Where nothing was seen at all, this is why.
        match recording.seen == 0 && at == 0 {
            true => core.say_about(Topic::Recording(recording.id), Level::Warning, "recorder", said),
            false => core.log.add(Level::Warning, "recorder", &said, about()),
        }
    }
}

/// Lists where spool folders are made, the project's own first.
pub fn spool_places(core: &Core) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = store::folder_in(&core.root).map(|folder| folder.join("spool")).into_iter().collect();
    if let Ok(found) = Places::find() {
        let project = crate::base::hash::of(core.root.as_os_str().as_encoded_bytes());
        places.push(found.cache.join("spool").join(project.to_string()));
    }
    places
}

/// Begins to read a spool folder; functions are named by the index as it is now.
pub fn ingest(core: &Core, folder: &Path, started: Moment) -> Ingest {
    let index = core.index();
    let classes: HashSet<(String, String)> = index
        .modules()
        .flat_map(|module| module.classes.iter().map(|class| (module.name.clone(), class.qualname.clone())))
        .collect();
    let is_class = move |ty: &TypeName| classes.contains(&(ty.module.clone(), ty.qualname.clone()));
    Ingest::new(
        folder.to_owned(),
        started,
        secrets::of_project(&core.root),
        Box::new(move |path, qualname, line| resolve(&index, path, qualname, line)),
    )
    .knowing_classes(Box::new(is_class))
}

fn resolve(index: &Index, path: &str, qualname: &str, line: u32) -> Option<FunctionId> {
    let path = crate::base::paths::RelPath::new(path)?;
    index.by_code(&path, qualname, line).map(|function| function.id.clone())
}

/// Asks git which commit is checked out.
async fn commit(core: &Core) -> Option<String> {
    let root = core.root.clone();
    blocking(move || git::head(&root)).await.ok().flatten()
}

fn count(row: &mut RecordingRow, summary: &Summary) {
    row.seen = summary.seen;
    row.kept = summary.kept;
    row.functions = summary.functions;
    row.raised = summary.raised;
    row.threads = summary.threads;
    row.gaps = gap_lines(&summary.gaps);
    row.at_least = summary.at_least;
}

/// Lists what was left out as people are told it: functions whose copying was stopped are one line.
pub fn gap_lines(gaps: &[(Gap, u64)]) -> Vec<(Gap, u64)> {
    const FOLDED: [GapKind; 2] = [GapKind::CaptureLimit, GapKind::CallLimit];
    let of_kind = |kind: GapKind| gaps.iter().filter(|(gap, _)| gap.kind == kind).count() as u64;
    let mut lines: Vec<(Gap, u64)> = gaps.iter().filter(|(gap, _)| !FOLDED.contains(&gap.kind)).cloned().collect();
    lines.extend(FOLDED.map(|kind| (kind.of("functions"), of_kind(kind))).into_iter().filter(|(_, number)| *number > 0));
    lines
}

/// Makes the row of a recording.
pub fn row(recording: Recording) -> RecordingRow {
    RecordingRow {
        id: recording.id,
        command: recording.command,
        end: recording.end,
        started: recording.started,
        duration_ms: recording.duration_ms,
        seen: recording.seen,
        kept: recording.kept,
        functions: recording.functions,
        raised: recording.raised,
        threads: recording.threads,
        gaps: gap_lines(&recording.gaps),
        at_least: recording.at_least,
        newest: Vec::new(),
        output: Vec::new(),
    }
}

/// Output bytes as sanitised lines, the last ones kept.
#[derive(Default)]
struct Lines {
    rest: Vec<u8>,
    kept: Vec<String>,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.kept.push(as_seen(&line[..end]));
        }
        if self.kept.len() > OUTPUT_LINES {
            self.kept.drain(..self.kept.len() - OUTPUT_LINES);
        }
        // A line without an end must not grow for ever.
        self.rest.truncate(1 << 16);
    }
}

/// Gives the text that a line of output leaves on a terminal: without colours, without what a progress bar overwrote.
fn as_seen(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line).replace('\t', "    ");
    let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    text::display_line(&strip_ansi_escapes::strip_str(last)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_kept_as_safe_lines() {
        let mut lines = Lines::default();
        lines.push(b"one\ntw");
        lines.push(b"o \x1b[31mred\x1b[0m\x1b]0;title\x07\trow \xe2\x80\xae\n10%\r100%\r\nrest");
        assert_eq!(lines.kept, ["one", "two red    row ‹U+202E›", "100%"]);
        for _ in 0..1000 {
            lines.push(b"x\n");
        }
        assert_eq!(lines.kept.len(), OUTPUT_LINES);
    }
}
