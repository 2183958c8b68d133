//! The project's YAML tests as the workbench knows them: what their files say, what came of each last and whether that
//! still holds, and what runs now. Holds no process and runs nothing; that is `specs/run.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::base::clock::{self, Moment};
use crate::base::hash::{self, Digest};
use crate::base::paths::{RelPath, read_file};
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::function::FunctionId;
use crate::domain::spec::{Action, Phase, Progress, Report, Spec, Step, StepReport};
use crate::domain::spec_board::{PlannedStep, Running, SpecMistake, SpecRow, SpecRun, SpecView, Used};
use crate::domain::verdict::Ruling;
use crate::source::index::Index;
use crate::spec::load;

/// Steps that are shown of a file.
const PLAN_MAX: usize = 2_000;
/// A change so soon after a run may be the run's own, in milliseconds.
const SOON_MS: i64 = 1_000;
/// So often in a row that is believed to be chance.
const RESTLESS_MAX: u32 = 10;

/// One test.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    description: String,
    tags: Vec<String>,
    mistakes: Vec<SpecMistake>,
    plan: Vec<PlannedStep>,
    last: Option<Last>,
    stale: Option<Sentence>,
    live: Option<Live>,
    /// The state of what the last run rested on that was acted on already, or that came about while nobody watched.
    settled: Option<Digest>,
    /// How often in a row it was run again right after it ran.
    restless: u32,
}

/// The last run, and what of today's code it rested on.
#[derive(Debug, Clone)]
struct Last {
    run: SpecRun,
    /// Known where the run used the code that the index has, or had when it began.
    rests: Option<Rests>,
    /// Another process ran it, and nobody looked yet whether it is of today.
    elsewhere: bool,
    /// The state of what it rested on when that was looked at last.
    state: Digest,
}

/// A run that goes on.
#[derive(Debug, Clone)]
struct Live {
    running: Running,
    steps: Vec<StepReport>,
}

/// What a run rested on, in the terms of the index.
#[derive(Debug, Clone, Default)]
pub struct Rests {
    functions: BTreeMap<FunctionId, Digest>,
    modules: BTreeMap<RelPath, Digest>,
    /// Of all code, where any change counts.
    tree: Option<Digest>,
}

impl Rests {
    /// Finds in an index what a run used of it.
    #[must_use]
    pub fn on(used: &Used, index: &Index) -> Self {
        let mut rests = Self { tree: used.spawned.then(|| index.hash()), ..Self::default() };
        for path in used.files.keys().filter(|path| !used.own.contains_key(*path)) {
            let Some(module) = index.module(path) else { continue };
            rests.modules.insert(path.clone(), outside(module));
            let here = |all: &BTreeSet<(RelPath, String)>| -> Vec<String> {
                all.iter().filter(|(file, _)| file == path).map(|(_, name)| name.clone()).collect()
            };
            let entered = used.entered.as_ref().map(here);
            for function in &module.functions {
                let name = function.id.qualname();
                let counts = entered.as_ref().is_none_or(|all| all.iter().any(|one| one == name));
                if counts {
                    rests.functions.insert(function.id.clone(), function.fingerprint.code());
                }
            }
        }
        rests
    }

    /// Says what of it is another one in an index: the first change that counts.
    #[must_use]
    pub fn differs(&self, index: &Index) -> Option<String> {
        for (id, code) in &self.functions {
            match index.function(id) {
                None => return Some(format!("{}, which it calls, is gone", shown(id))),
                Some(now) if now.fingerprint.code() != *code => {
                    return Some(format!("{}, which it calls, changed in {}", shown(id), now.path));
                }
                Some(_) => {}
            }
        }
        for (path, code) in &self.modules {
            match index.module(path) {
                None => return Some(format!("{path}, which it imports, is gone")),
                Some(module) if outside(module) != *code => return Some(format!("the top level of {path} changed")),
                Some(_) => {}
            }
        }
        let other = self.tree.is_some_and(|tree| tree != index.hash());
        other.then(|| "the project's code changed, and it starts processes whose code nobody sees".into())
    }
}

/// Names a function as people do who do not know how Python names those inside of others.
fn shown(id: &FunctionId) -> String {
    id.qualname().replace(".<locals>.", ".")
}

/// Hashes what a file runs when it is imported.
fn outside(module: &crate::domain::function::Module) -> Digest {
    let mut hasher = hash::Hasher::default();
    hasher.part(module.init.to_string().as_bytes());
    for class in &module.classes {
        hasher.part(class.qualname.as_bytes()).part(class.fingerprint.to_string().as_bytes());
    }
    hasher.digest()
}

/// All tests.
#[derive(Debug, Clone, Default)]
pub struct Board {
    tests: BTreeMap<RelPath, Entry>,
}

impl Board {
    /// Takes in which tests there are; what is known of one that stays, stays.
    pub fn read(&mut self, root: &Path, files: &[RelPath]) {
        let wanted: BTreeSet<&RelPath> = files.iter().collect();
        self.tests.retain(|file, entry| wanted.contains(file) || entry.live.is_some());
        for file in files {
            let read = load::file(&file.under(root));
            let known = self.tests.remove(file);
            let new = Entry::of(file, read);
            let entry = match known {
                Some(Entry { last, stale, live, settled, restless, .. }) => Entry { last, stale, live, settled, restless, ..new },
                None => new,
            };
            self.tests.insert(file.clone(), entry);
        }
    }

    /// Takes a run in, unless a newer one is known; tells whether it was news.
    pub fn take(&mut self, file: &RelPath, run: SpecRun, rests: Option<Rests>) -> bool {
        let Some(entry) = self.tests.get_mut(file) else { return false };
        if entry.last.as_ref().is_some_and(|last| !clock::is_newer(run.at, last.run.at, clock::now())) {
            return false;
        }
        entry.settled = None;
        entry.last = Some(Last { run, elsewhere: rests.is_none(), rests, state: Digest::default() });
        entry.stale = None;
        true
    }

    /// Finds out which last runs are not of today's code. `plugins` gives the plugin files that a test has now.
    pub fn compare(&mut self, root: &Path, index: &Index, plugins: impl Fn(&RelPath) -> Vec<RelPath>) {
        for (file, entry) in &mut self.tests {
            // What came of one that runs now is not known yet.
            let Some(last) = entry.last.as_mut().filter(|_| entry.live.is_none()) else { continue };
            let own: BTreeMap<RelPath, Option<Digest>> =
                last.run.used.own.keys().chain(&plugins(file)).map(|path| read(root, path)).collect();
            entry.stale = differs(last, index, file, &own).map(Sentence::from);
            last.state = state(last, index, &own);
            if std::mem::take(&mut last.elsewhere) {
                // Stale before anybody here saw it run, it is not ours to run again, until what it rests on changes once more.
                entry.settled = Some(last.state);
            }
        }
    }

    /// Gives the tests that became stale since they ran here, each once, with why.
    pub fn take_stale(&mut self) -> Vec<(RelPath, Sentence)> {
        let stale = self.tests.iter_mut().filter(|(_, entry)| entry.live.is_none()).filter_map(|(file, entry)| {
            let (why, state) = (entry.stale.clone()?, entry.last.as_ref()?.state);
            (entry.settled.replace(state) != Some(state)).then(|| (file.clone(), why))
        });
        stale.collect()
    }

    /// Notes that a test is to run.
    pub fn begin(&mut self, file: &RelPath, since: Moment, because: Option<Sentence>) {
        if let Some(entry) = self.tests.get_mut(file) {
            let running = Running { since, waits: true, done: 0, step: None, because };
            entry.live = Some(Live { running, steps: Vec::new() });
        }
    }

    /// Notes what happens in a test that runs.
    pub fn hear(&mut self, file: &RelPath, progress: &Progress) {
        let Some(live) = self.tests.get_mut(file).and_then(|entry| entry.live.as_mut()) else { return };
        match progress {
            Progress::Began { .. } => live.running.waits = false,
            Progress::Step { name, line, tries, of, .. } => {
                live.running.step = Some((name.clone(), *line, *tries, *of));
            }
            Progress::Stepped { step, .. } => {
                live.running.step = None;
                live.running.done += usize::from(step.tool.is_some());
                if live.steps.len() < PLAN_MAX {
                    live.steps.push((**step).clone());
                }
            }
        }
    }

    /// Notes that a test runs no more.
    pub fn end(&mut self, file: &RelPath) {
        if let Some(entry) = self.tests.get_mut(file) {
            entry.live = None;
        }
    }

    /// Lists the tests.
    pub fn files(&self) -> impl Iterator<Item = &RelPath> {
        self.tests.keys()
    }

    /// Tells whether a test runs or is to.
    #[must_use]
    pub fn is_live(&self, file: &RelPath) -> bool {
        self.tests.get(file).is_some_and(|entry| entry.live.is_some())
    }

    /// Tells why a test runs, where nobody asked for it.
    #[must_use]
    pub fn because(&self, file: &RelPath) -> Option<Sentence> {
        self.tests.get(file)?.live.as_ref()?.running.because.clone()
    }

    /// Tells whether a save may run a test again: one that changes what it rests on by itself would never stop.
    pub fn may_run_again(&mut self, file: &RelPath, now: Moment) -> bool {
        let Some(entry) = self.tests.get_mut(file) else { return false };
        // A run that lies in the future was before the clock was set back.
        let right_after = entry.last.as_ref().is_some_and(|last| (0..SOON_MS).contains(&(now.0 - last.run.at.0)));
        entry.restless = if right_after { entry.restless + 1 } else { 0 };
        entry.restless <= RESTLESS_MAX
    }

    /// Makes the rows of the snapshot: the worst first, then by file.
    #[must_use]
    pub fn rows(&self) -> Vec<SpecRow> {
        let mut all: Vec<SpecRow> = self.tests.iter().map(|(file, entry)| entry.row(file)).collect();
        all.sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| one.file.cmp(&other.file)));
        all
    }

    /// Gives a test with all that is known of it.
    #[must_use]
    pub fn view(&self, file: &RelPath) -> Option<SpecView> {
        let entry = self.tests.get(file)?;
        let last = entry.last.as_ref();
        let steps = match &entry.live {
            Some(live) => live.steps.clone(),
            None => last.map(|last| last.run.report.steps.iter().take(PLAN_MAX).cloned().collect()).unwrap_or_default(),
        };
        Some(SpecView {
            row: entry.row(file),
            description: entry.description.clone(),
            tags: entry.tags.clone(),
            mistakes: entry.mistakes.clone(),
            plan: entry.plan.clone(),
            steps,
            last: last.map(|last| Report { steps: Vec::new(), ..last.run.report.clone() }),
            because: last.and_then(|last| last.run.because.clone()),
        })
    }
}

/// A wrong file and what failed first; what passes last. What runs keeps its place.
fn rank(row: &SpecRow) -> u8 {
    match row.ruling {
        _ if row.mistakes > 0 => 1,
        Some(Ruling::Fail) => 0,
        Some(Ruling::Error) => 1,
        Some(Ruling::Unclear) => 2,
        None => 3,
        Some(Ruling::Pass) => 4,
    }
}

fn read(root: &Path, path: &RelPath) -> (RelPath, Option<Digest>) {
    (path.clone(), read_file(&path.under(root)).ok().map(|text| hash::of(&text)))
}

/// Hashes what a run rested on, as it is now.
fn state(last: &Last, index: &Index, own: &BTreeMap<RelPath, Option<Digest>>) -> Digest {
    let mut hasher = hash::Hasher::default();
    let mut part = |name: &str, digest: Option<Digest>| {
        hasher.part(name.as_bytes()).part(digest.map(|digest| digest.to_string()).unwrap_or_default().as_bytes());
    };
    own.iter().for_each(|(path, digest)| part(path.as_str(), *digest));
    match &last.rests {
        Some(rests) => {
            let now = |id: &FunctionId| index.function(id).map(|function| function.fingerprint.code());
            rests.functions.keys().for_each(|id| part(&id.0, now(id)));
            rests.modules.keys().for_each(|path| part(path.as_str(), index.module(path).map(|module| outside(module))));
            rests.tree.iter().for_each(|_| part("", Some(index.hash())));
        }
        None => {
            let files = last.run.used.files.keys();
            files.for_each(|path| part(path.as_str(), index.module(path).map(|module| module.hash)));
        }
    }
    hasher.digest()
}

fn differs(last: &mut Last, index: &Index, file: &RelPath, own: &BTreeMap<RelPath, Option<Digest>>) -> Option<String> {
    let used = &last.run.used;
    for (path, now) in own {
        match used.own.get(path) {
            None => return Some(format!("the plugin {path} is new")),
            Some(then) if *now != Some(*then) => {
                return Some(if path == file { "it changed".into() } else { format!("its plugin {path} changed") });
            }
            Some(_) => {}
        }
    }
    // A run of another process: what it used is known by the index once it has the same files.
    if last.rests.is_none() {
        let other = used.files.iter().find(|(path, digest)| index.module(path).is_some_and(|module| module.hash != **digest));
        match other {
            Some((path, _)) => return Some(format!("{path}, which it imports, changed since")),
            None => last.rests = Some(Rests::on(used, index)),
        }
    }
    last.rests.as_ref()?.differs(index)
}

impl Entry {
    fn of(file: &RelPath, read: Result<Spec, load::Mistakes>) -> Self {
        let mut entry = Self {
            name: file.file_name().to_owned(),
            description: String::new(),
            tags: Vec::new(),
            mistakes: Vec::new(),
            plan: Vec::new(),
            last: None,
            stale: None,
            live: None,
            settled: None,
            restless: 0,
        };
        match read {
            Ok(spec) => {
                let line = |text: &str| text::display_line(text).into_owned();
                entry.name = line(&spec.name);
                entry.description = text::display(&spec.description).into_owned();
                entry.tags = spec.tags.iter().map(|tag| line(tag)).collect();
                for (phase, steps) in
                    [(Phase::Setup, &spec.setup), (Phase::Steps, &spec.steps), (Phase::Teardown, &spec.teardown)]
                {
                    plan(phase, steps, 0, &mut entry.plan);
                }
            }
            Err(mistakes) => {
                let said = |one: &load::Mistake| SpecMistake { line: one.at.line, said: mistakes.of_one(one, file.as_str()) };
                entry.mistakes = mistakes.all.iter().map(said).collect();
            }
        }
        entry
    }

    fn row(&self, file: &RelPath) -> SpecRow {
        let report = self.last.as_ref().map(|last| &last.run.report);
        let wrong = self.mistakes.first().and_then(|one| one.said.first());
        SpecRow {
            file: file.clone(),
            name: self.name.clone(),
            mistakes: self.mistakes.len(),
            ruling: report.map(|report| report.verdict),
            reason: wrong
                .map(|line| text::display_line(line).into())
                .or(report.map(|report| report.reason.line()))
                .unwrap_or_default(),
            at: self.last.as_ref().map(|last| last.run.at),
            ms: report.map_or(0, |report| report.ms),
            stale: self.stale.clone(),
            running: self.live.as_ref().map(|live| live.running.clone()),
        }
    }
}

fn plan(phase: Phase, steps: &[Step], depth: u32, out: &mut Vec<PlannedStep>) {
    for step in steps {
        if out.len() >= PLAN_MAX {
            return;
        }
        out.push(PlannedStep {
            phase,
            name: text::display_line(&step.name).into_owned(),
            line: step.at.line,
            depth,
            tool: match &step.action {
                Action::Tool { tool, .. } => Some(text::display_line(&tool.text).into_owned()),
                Action::Group(_) => None,
            },
            repeat: step.repeat,
            save_as: step.save_as.clone(),
        });
        if let Action::Group(inner) = &step.action {
            plan(phase, inner, depth + 1, out);
        }
    }
}

#[cfg(test)]
mod tests;
