//! A spool folder, read while programs write to it, becomes batches for the store and a summary of the recording.
//!
//! Reading never fails as a whole: what cannot be read is counted as a gap. What one process's records mean together is
//! `assemble.rs`; the records of a journey are passed on by `journey.rs`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::redact::Redactor;
use crate::domain::batch::{Batch, CallerCount, FunctionCount};
use crate::domain::call::{COUNTED, Recording};
use crate::domain::function::FunctionId;
use crate::domain::gap::{Gap, GapKind};
use crate::domain::recorded_test::RecordedTest;
use crate::domain::value::TypeName;
use crate::python::marshal::{DecodeError, decode};
use crate::python::value::Parts;
use crate::record::assemble::{LoadedModule, Process, Scene, head};
use crate::record::journey::Collector;
use crate::record::spool::Tail;

/// The version of the format this reader knows.
const VERSION: u64 = 1;
/// Bytes of all files of a recording that are read unless told otherwise: 1 GiB.
pub const SIZE_MAX: u64 = 1 << 30;
/// Numbers of processes there are, on any system.
const PIDS: i64 = 1 << 32;
/// Bytes of one file that are read in one go, so that a busy program cannot hold up the screen, and that the memory of one
/// batch serves the next one.
const SLICE: u64 = 1 << 20;

/// Gives the function at a place: its file below the root, its qualified name, its first line.
pub type Resolve = dyn Fn(&str, &str, u32) -> Option<FunctionId> + Send;

/// Tells whether the project defines a class of this name.
pub type IsClass = dyn Fn(&TypeName) -> bool + Send;

/// What is known of a recording as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    /// A recorder reported in.
    pub recorder_seen: bool,
    /// `3.12.1`: of the first process that reported in.
    pub python: Option<String>,
    /// Calls seen.
    pub seen: u64,
    /// Calls kept, with values.
    pub kept: u64,
    /// Functions that were called.
    pub functions: u64,
    /// Calls that raised.
    pub raised: u64,
    /// Threads and processes that wrote a file.
    pub threads: u64,
    /// Events of the journey, in a recording of one.
    pub events: u64,
    /// What was left out: reason and count.
    pub gaps: Vec<(Gap, u64)>,
    /// A function was called more often than is counted for certain.
    pub at_least: bool,
}

impl Summary {
    /// Writes what is known into a recording; its end and duration are not.
    pub fn apply(&self, recording: &mut Recording) {
        recording.recorder_seen = self.recorder_seen;
        recording.python.clone_from(&self.python);
        recording.seen = self.seen;
        recording.kept = self.kept;
        recording.functions = self.functions;
        recording.raised = self.raised;
        recording.threads = self.threads;
        recording.gaps.clone_from(&self.gaps);
        recording.at_least = self.at_least;
    }
}

struct Source {
    tail: Tail,
    pid: Option<i64>,
    thread: u32,
    shift_ns: i64,
    foreign: bool,
    journey: Option<Collector>,
    /// The test of pytest that the next calls belong to.
    test: Option<Arc<RecordedTest>>,
}

/// Reads the spool folder of one recording.
pub struct Ingest {
    folder: PathBuf,
    started_ns: i64,
    resolve: Box<Resolve>,
    is_class: Box<IsClass>,
    redactor: Redactor,
    size_max: u64,
    /// Added to the numbers of processes.
    processes_from: i64,
    sources: BTreeMap<PathBuf, Source>,
    processes: BTreeMap<i64, Process>,
    /// The processes that know a function, with its number there.
    members: HashMap<FunctionId, BTreeSet<(i64, u64)>>,
    /// Calls and those that raised, of all processes together.
    totals: HashMap<FunctionId, (u64, u64)>,
    summary: Summary,
}

impl Ingest {
    /// Begins with a folder that need not hold anything yet. `started` is the recording's start, from which calls are
    /// timed.
    #[must_use]
    pub fn new(folder: PathBuf, started: Moment, redactor: Redactor, resolve: Box<Resolve>) -> Self {
        Self {
            folder,
            started_ns: started.0.saturating_mul(1_000_000),
            resolve,
            is_class: Box::new(|_| false),
            redactor,
            size_max: SIZE_MAX,
            processes_from: 0,
            sources: BTreeMap::new(),
            processes: BTreeMap::new(),
            members: HashMap::new(),
            totals: HashMap::new(),
            summary: Summary::default(),
        }
    }

    /// Notes of which classes of the project the arguments of calls are: what such a class holds decides how the call ends, also
    /// where no function names it.
    #[must_use]
    pub fn knowing_classes(mut self, is_class: Box<IsClass>) -> Self {
        self.is_class = is_class;
        self
    }

    /// Reads at most this many bytes of all files together.
    #[must_use]
    pub fn with_size_max(mut self, bytes: u64) -> Self {
        self.size_max = bytes;
        self
    }

    /// Reads beside so many other folders whose calls go into the same recording: processes of other machines may have equal
    /// numbers, and in containers most of them have.
    #[must_use]
    pub fn beside(mut self, folders: usize) -> Self {
        self.processes_from = i64::try_from(folders).unwrap_or(i64::MAX).saturating_mul(PIDS);
        self
    }

    /// Reads what was written since the last time, a few megabytes at most.
    pub fn poll(&mut self) -> Batch {
        self.read(SLICE, false)
    }

    /// Reads all that is left, batch by batch, and notes where a file ends inside a record.
    pub fn finish(&mut self, each: &mut dyn FnMut(Batch, &Summary)) {
        loop {
            let before = self.bytes_read();
            let batch = self.poll();
            if !batch.is_empty() {
                each(batch, &self.summary);
            }
            if self.bytes_read() == before {
                break;
            }
        }
        let batch = self.read(SLICE, true);
        if !batch.is_empty() {
            each(batch, &self.summary);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.sources.values().map(|source| source.tail.offset()).sum()
    }

    /// Gives what is known of the recording so far.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Gives back what took the secrets out, for other texts that belong to the recording.
    #[must_use]
    pub fn into_redactor(self) -> Redactor {
        self.redactor
    }

    /// Lists the modules that were loaded, one entry for each process and name.
    #[must_use]
    pub fn modules(&self) -> Vec<&LoadedModule> {
        self.processes.values().flat_map(Process::modules).collect()
    }

    /// Lists the files that were read.
    #[must_use]
    pub fn files(&self) -> Vec<&Path> {
        self.sources.values().map(|source| source.tail.path()).collect()
    }

    fn read(&mut self, slice: u64, last: bool) -> Batch {
        self.discover();
        let mut batch = Batch::default();
        let paths: Vec<PathBuf> = self.sources.keys().cloned().collect();
        for path in paths {
            let Some(left) = self.size_max.checked_sub(self.bytes_read()).filter(|left| *left > 0) else {
                self.gap_once(GapKind::SpoolLimit.of(self.size_max >> 20));
                break;
            };
            let Some(mut source) = self.sources.remove(&path) else { continue };
            self.read_source(&mut source, left.min(slice), last, &mut batch);
            if let Some(journey) = source.journey.as_mut().filter(|_| last) {
                journey.flush(&mut batch);
            }
            self.sources.insert(path, source);
        }
        self.count(&mut batch);
        self.summary.events += batch.journey.iter().map(|block| u64::from(block.events)).sum::<u64>();
        batch.edges.sort();
        batch.edges.dedup();
        batch
    }

    fn discover(&mut self) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let is_spool = path.extension().is_some_and(|ending| ending == "spool");
            let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
            if !is_spool || !is_file || self.sources.contains_key(&path) {
                continue;
            }
            if let Ok(tail) = Tail::open(&path) {
                let source = Source { tail, pid: None, thread: 0, shift_ns: 0, foreign: false, journey: None, test: None };
                self.sources.insert(path, source);
            }
        }
    }

    fn read_source(&mut self, source: &mut Source, budget: u64, last: bool, batch: &mut Batch) {
        let Source { tail, pid, thread, shift_ns, foreign, journey, test } = source;
        let mut lost = Vec::new();
        let (mut unreadable, mut said) = (0, Vec::new());
        let mut record = |bytes: &[u8]| {
            if let Some(journey) = journey.as_mut()
                && journey.take(bytes, &mut self.redactor, batch)?
            {
                return Ok(());
            }
            let tree = decode(bytes)?;
            let taken = (|| {
                let mut parts = Parts::of(tree, "a record")?;
                let kind = parts.text()?;
                match kind.as_str() {
                    "H" => {
                        let head = head(&mut parts)?;
                        *foreign = head.version != VERSION;
                        if *foreign {
                            said.push((GapKind::VersionMismatch.of(format_args!("{} and not {VERSION}", head.version)), 1));
                            return Ok(());
                        }
                        let number = self.processes_from.saturating_add(head.pid);
                        (*pid, *thread) = (Some(number), head.thread);
                        *shift_ns = head.wall_ns.saturating_sub(self.started_ns).saturating_sub(head.clock_ns);
                        self.summary.recorder_seen = true;
                        self.summary.threads += 1;
                        self.summary.python.get_or_insert(head.python);
                        *journey = head.journey.then(|| Collector::new(number, head.thread, bytes));
                    }
                    "G" => said.push((parts.text()?.into(), parts.natural()?)),
                    _ if *foreign => {}
                    _ => {
                        let pid = pid.ok_or_else(|| DecodeError::form("a file begins with its head"))?;
                        let process = self.processes.entry(pid).or_insert_with(|| Process::new(pid));
                        let mut scene = Scene {
                            resolve: &*self.resolve,
                            is_class: &*self.is_class,
                            redactor: &mut self.redactor,
                            batch,
                            shift_ns: *shift_ns,
                            thread: *thread,
                            test: &mut *test,
                        };
                        match journey.as_mut() {
                            Some(journey) if kind == "F" => journey.define(bytes, &process.define(&mut parts, &scene)?)?,
                            _ => process.record(&kind, parts, &mut scene)?,
                        }
                        if let Some(journey) = journey.as_mut().filter(|_| kind == "M") {
                            journey.keep(bytes);
                        }
                    }
                }
                Ok::<(), DecodeError>(())
            })();
            if let Err(error) = taken {
                tracing::debug!(%error, "a spool record was passed over");
                unreadable += 1;
            }
            Ok(())
        };
        if let Err(error) = tail.read(budget, last, &mut record, &mut |kind| lost.push(kind)) {
            said.push((GapKind::SpoolUnreadable.of(error), 1));
        }
        if unreadable > 0 {
            said.push((GapKind::WrongForm.into(), unreadable));
        }
        said.extend(lost.into_iter().map(|kind| (kind.into(), 1)));
        for (gap, count) in said {
            self.gap(gap, count);
        }
    }

    fn gap(&mut self, gap: Gap, count: u64) {
        match self.summary.gaps.iter_mut().find(|(known, _)| *known == gap) {
            Some((_, total)) => *total = total.saturating_add(count),
            None => self.summary.gaps.push((gap, count)),
        }
    }

    fn gap_once(&mut self, gap: Gap) {
        if !self.summary.gaps.iter().any(|(known, _)| *known == gap) {
            self.gap(gap, 1);
        }
    }

    /// Adds up what the processes counted of the functions that have something new, and puts the sums into the batch.
    fn count(&mut self, batch: &mut Batch) {
        let mut changed = BTreeSet::new();
        for (pid, process) in &mut self.processes {
            for number in process.take_changed() {
                if let Some(id) = process.function(number) {
                    self.members.entry(id.clone()).or_default().insert((*pid, number));
                    changed.insert(id.clone());
                }
            }
        }
        self.summary.kept += batch.calls.len() as u64;
        for id in changed {
            let (mut calls, mut raised) = (0_u64, 0_u64);
            let mut callers: BTreeMap<(Option<FunctionId>, Option<u32>), u64> = BTreeMap::new();
            let mut missed = BTreeSet::new();
            for (pid, number) in self.members.get(&id).into_iter().flatten() {
                let Some(process) = self.processes.get(pid) else { continue };
                let Some(counted) = process.counted(*number) else { continue };
                calls = calls.saturating_add(counted.calls.max(counted.kept));
                raised = raised.saturating_add(counted.raised.max(counted.kept_raised));
                missed.extend(&counted.missed);
                for (caller, line, times) in &counted.callers {
                    let caller = caller.and_then(|number| process.function(number)).cloned();
                    let sum = callers.entry((caller, *line)).or_default();
                    *sum = sum.saturating_add(*times);
                }
            }
            let before = self.totals.insert(id.clone(), (calls, raised)).unwrap_or_default();
            self.summary.seen = self.summary.seen.saturating_sub(before.0).saturating_add(calls);
            self.summary.raised = self.summary.raised.saturating_sub(before.1).saturating_add(raised);
            self.summary.at_least |= calls > COUNTED;
            batch.counts.push(FunctionCount { function: id.clone(), calls, missed });
            batch.callers.extend(callers.into_iter().map(|((caller, line), times)| CallerCount {
                function: id.clone(),
                caller,
                line,
                times,
            }));
        }
        self.summary.functions = self.totals.len() as u64;
    }
}
