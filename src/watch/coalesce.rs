//! When a batch is due: pure, with the time given from outside.
//!
//! One save is acted on after a few milliseconds of quiet; a stream of them is cut after 50 ms, so that a person sees
//! something; many files at once, or git at work, wait for the end and come as one batch.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Up to this many files are somebody's saves.
const FEW: usize = 20;

/// A few files never wait longer than this from the first event.
const FEW_CAP: Duration = Duration::from_millis(50);

/// A file that is being written is waited for this long: saved by emptying and filling, it is empty in between.
const WRITING: Duration = Duration::from_millis(100);

/// A few files of which one is being written never wait longer than this from the first event.
const WRITING_CAP: Duration = Duration::from_millis(200);

/// More files than this are a storm: a checkout, a build, an unpacked archive.
const MANY: usize = 200;

/// A storm is over after this much quiet.
const STORM_QUIET: Duration = Duration::from_millis(100);

/// Nothing waits longer than this.
const CAP: Duration = Duration::from_secs(2);

/// Events that follow a batch within this time belong to the same burst of work.
const BURST: Duration = Duration::from_millis(100);

/// Quiet for the second batch of a burst; each further one waits twice as long, so that a slow stream of files becomes a
/// few batches and not one a file.
const BURST_QUIET: Duration = Duration::from_millis(50);

/// The longest quiet of a burst.
const BURST_QUIET_MAX: Duration = Duration::from_millis(800);

/// What is known of a path that something happened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Whoever writes it is not done, and its end will be told.
    Writing,
    /// As far as can be known it is as it will be.
    Done,
}

/// When the next batch is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing waits.
    Never,
    /// Then, if nothing happens before.
    At(Instant),
    /// Now.
    Now,
}

/// What waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    /// The paths something happened to.
    pub(super) paths: BTreeSet<PathBuf>,
    /// Something may have been missed.
    pub(super) rescan: bool,
    /// Other folders are to be watched than before.
    pub(super) walk: bool,
    /// It was a storm.
    pub(super) storm: bool,
}

/// Collects paths until a batch is due.
#[derive(Debug)]
pub(super) struct Coalescer {
    quiet: Duration,
    paths: BTreeSet<PathBuf>,
    /// Those of them that are being written.
    writing: BTreeSet<PathBuf>,
    rescan: bool,
    walk: bool,
    /// The first and the last event of the batch.
    span: Option<(Instant, Instant)>,
    /// git's lock was there while the batch was collected.
    locked: bool,
    /// When the batch before was taken.
    before: Option<Instant>,
    /// Quiet inside the burst that the batch before belonged to.
    burst: Duration,
}

impl Coalescer {
    pub(super) fn new(quiet: Duration) -> Self {
        Self {
            quiet,
            paths: BTreeSet::new(),
            writing: BTreeSet::new(),
            rescan: false,
            walk: false,
            span: None,
            locked: false,
            before: None,
            burst: Duration::ZERO,
        }
    }

    pub(super) fn add(&mut self, path: PathBuf, stage: Stage, now: Instant) {
        match stage {
            Stage::Writing => self.writing.insert(path.clone()),
            Stage::Done => self.writing.remove(&path),
        };
        self.paths.insert(path);
        self.touch(now);
    }

    pub(super) fn add_rescan(&mut self, now: Instant) {
        self.rescan = true;
        self.touch(now);
    }

    pub(super) fn add_walk(&mut self, now: Instant) {
        self.walk = true;
        self.touch(now);
    }

    fn touch(&mut self, now: Instant) {
        self.span = Some((self.span.map_or(now, |(first, _)| first), now));
    }

    /// Tells when a batch is due; `locked` while git holds its lock.
    pub(super) fn due(&mut self, now: Instant, locked: bool) -> Due {
        let Some((first, last)) = self.span else { return Due::Never };
        // Quiet counts from the moment the lock is gone.
        if locked {
            self.locked = true;
            self.span = Some((first, now));
        }
        let burst = self.burst_quiet(first);
        let at = if self.locked || self.is_storm() {
            let last = if locked { now } else { last };
            (last + STORM_QUIET.max(burst).max(self.quiet)).min(first + CAP)
        } else if !burst.is_zero() {
            (last + burst.max(self.quiet)).min(first + CAP)
        } else {
            let (quiet, cap) = if self.writing.is_empty() { (self.quiet, FEW_CAP) } else { (WRITING, WRITING_CAP) };
            let quiet = quiet.max(self.quiet);
            (last + quiet).min(first + if self.paths.len() <= FEW { cap.max(quiet) } else { CAP })
        };
        if at <= now { Due::Now } else { Due::At(at) }
    }

    /// Gives what waited and begins anew.
    pub(super) fn take(&mut self, now: Instant) -> Taken {
        let storm = self.locked || self.is_storm();
        self.burst = self.span.map_or(Duration::ZERO, |(first, _)| self.burst_quiet(first));
        self.span = None;
        self.locked = false;
        self.writing.clear();
        self.before = Some(now);
        Taken {
            paths: std::mem::take(&mut self.paths),
            rescan: std::mem::take(&mut self.rescan),
            walk: std::mem::take(&mut self.walk),
            storm,
        }
    }

    /// Gives the quiet time of the burst that a batch beginning at `first` goes on with; zero when it goes on with none.
    fn burst_quiet(&self, first: Instant) -> Duration {
        match self.before {
            Some(before) if first.duration_since(before) < BURST.max(self.burst) => {
                (self.burst * 2).clamp(BURST_QUIET, BURST_QUIET_MAX)
            }
            _ => Duration::ZERO,
        }
    }

    /// Gives the Python files that wait.
    pub(super) fn python_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "py"))
    }

    fn is_storm(&self) -> bool {
        self.rescan || self.paths.len() > MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(10);

    struct Clock {
        start: Instant,
        coalescer: Coalescer,
    }

    impl Clock {
        fn new() -> Self {
            Self { start: Instant::now(), coalescer: Coalescer::new(QUIET) }
        }

        fn at(&self, ms: u64) -> Instant {
            self.start + Duration::from_millis(ms)
        }

        fn add(&mut self, ms: u64, path: &str) {
            self.coalescer.add(path.into(), Stage::Done, self.at(ms));
        }

        /// The moment the next batch is due, in ms, as seen at `ms`.
        fn due(&mut self, ms: u64, locked: bool) -> Option<u64> {
            match self.coalescer.due(self.at(ms), locked) {
                Due::Never => None,
                Due::Now => Some(ms),
                Due::At(at) => u64::try_from(at.duration_since(self.start).as_millis()).ok(),
            }
        }
    }

    #[test]
    fn one_save_is_due_after_the_quiet_time() {
        let mut clock = Clock::new();
        assert_eq!(clock.due(0, false), None);
        clock.add(0, "a.py");
        clock.add(3, "a.py");
        assert_eq!(clock.due(4, false), Some(13));
        assert_eq!(clock.due(13, false), Some(13));
        let taken = clock.coalescer.take(clock.at(13));
        assert_eq!((taken.paths.len(), taken.rescan, taken.storm), (1, false, false));
        assert_eq!(clock.due(14, false), None);
    }

    #[test]
    fn a_stream_of_saves_is_cut_after_fifty_milliseconds() {
        let mut clock = Clock::new();
        for ms in (0..=48).step_by(8) {
            clock.add(ms, "a.py");
        }
        assert_eq!(clock.due(48, false), Some(50));
    }

    #[test]
    fn a_file_that_is_being_written_is_waited_for() {
        let mut clock = Clock::new();
        clock.coalescer.add("a.py".into(), Stage::Writing, clock.at(0));
        assert_eq!(clock.due(1, false), Some(100));
        clock.add(30, "a.py");
        assert_eq!(clock.due(30, false), Some(40), "it is done");
        clock.coalescer.take(clock.at(40));
        for ms in (1000..1200).step_by(40) {
            clock.coalescer.add("a.py".into(), Stage::Writing, clock.at(ms));
        }
        assert_eq!(clock.due(1170, false), Some(1200), "but not for ever");
    }

    #[test]
    fn a_storm_waits_for_its_end_and_is_capped() {
        let mut clock = Clock::new();
        for number in 0..=MANY as u64 {
            clock.add(number / 10, &format!("{number}.py"));
        }
        assert_eq!(clock.due(20, false), Some(120));
        for ms in (20..=1980).step_by(70) {
            clock.add(ms, "more.py");
        }
        assert_eq!(clock.due(1981, false), Some(2000));
        assert!(clock.coalescer.take(clock.at(2000)).storm);
    }

    #[test]
    fn git_at_work_is_waited_for() {
        let mut clock = Clock::new();
        clock.add(0, "a.py");
        assert_eq!(clock.due(1, true), Some(101));
        assert_eq!(clock.due(300, true), Some(400), "quiet counts from the last sight of the lock");
        assert_eq!(clock.due(310, false), Some(400));
        assert_eq!(clock.due(1990, true), Some(2000), "a lock left behind holds nothing for ever");
        assert!(clock.coalescer.take(clock.at(2000)).storm);
    }

    #[test]
    fn files_that_follow_a_batch_come_together() {
        let mut clock = Clock::new();
        clock.add(0, "a.py");
        clock.coalescer.take(clock.at(10));
        clock.add(60, "b.py");
        assert_eq!(clock.due(60, false), Some(110));
        clock.coalescer.take(clock.at(110));
        clock.add(200, "c.py");
        assert_eq!(clock.due(200, false), Some(300), "each batch of a burst waits longer");
        clock.coalescer.take(clock.at(300));
        clock.add(900, "d.py");
        assert_eq!(clock.due(900, false), Some(910), "the burst is over");
    }

    #[test]
    fn a_rescan_needs_no_paths() {
        let mut clock = Clock::new();
        clock.coalescer.add_rescan(clock.at(5));
        assert_eq!(clock.due(5, false), Some(105));
        let taken = clock.coalescer.take(clock.at(105));
        assert!(taken.rescan && taken.storm && taken.paths.is_empty());
    }

    #[test]
    fn only_python_files_are_counted() {
        let mut clock = Clock::new();
        clock.add(0, "a.py");
        clock.add(0, "pkg");
        assert_eq!(clock.coalescer.python_files().count(), 1);
    }
}
