//! The jobs of this process: what runs, what waits, what can be cancelled. Does not know what a job does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::base::clock::{self, Moment};
use crate::domain::command::JobId;
use crate::domain::event::{Event, JobKind, JobState};
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::JobRow;

/// Ended jobs that stay in the list.
const ENDED_KEPT: usize = 20;

/// The table of jobs.
#[derive(Default)]
pub struct Jobs {
    next: AtomicU64,
    /// Set when no job is to go on any more, and none to begin.
    stopped: CancellationToken,
    table: Mutex<BTreeMap<JobId, Entry>>,
}

struct Entry {
    row: JobRow,
    cancel: CancellationToken,
}

/// A running job's handle on its own row; dropping it without [`Job::end`] marks the job as failed.
pub struct Job<'a> {
    jobs: &'a Jobs,
    /// Its number.
    pub id: JobId,
    /// Set when somebody wants it to stop.
    pub cancel: CancellationToken,
    ended: bool,
}

impl Jobs {
    /// Enters a job that begins now.
    pub fn begin(&self, kind: JobKind, subject: JobSubject, total: u64) -> Job<'_> {
        let id = JobId(self.next.fetch_add(1, Ordering::Relaxed) + 1);
        let cancel = self.stopped.child_token();
        let row = JobRow {
            id,
            kind,
            subject,
            done: 0,
            total,
            state: JobState::Running,
            started: clock::now(),
            ended: None,
            rate: None,
        };
        let mut table = self.table.lock();
        table.insert(id, Entry { row, cancel: cancel.clone() });
        let ended: Vec<JobId> = table.iter().filter(|(_, entry)| is_over(entry.row.state)).map(|(id, _)| *id).collect();
        for old in ended.iter().take(ended.len().saturating_sub(ENDED_KEPT)) {
            table.remove(old);
        }
        Job { jobs: self, id, cancel, ended: false }
    }

    /// Asks a job, or the newest running one, to stop. Gives its number when there was one.
    pub fn cancel(&self, job: Option<JobId>) -> Option<JobId> {
        let table = self.table.lock();
        let running = |entry: &&Entry| !is_over(entry.row.state);
        let entry = match job {
            Some(id) => table.get(&id).filter(running),
            None => table.values().rev().find(running),
        }?;
        entry.cancel.cancel();
        Some(entry.row.id)
    }

    /// Asks every job of a kind, on a subject where one is given, to stop: the newest request wins.
    pub fn supersede(&self, kind: JobKind, subject: Option<&JobSubject>) {
        for entry in self.table.lock().values() {
            let meant = entry.row.kind == kind && subject.is_none_or(|subject| entry.row.subject == *subject);
            if meant && !is_over(entry.row.state) {
                entry.cancel.cancel();
            }
        }
    }

    /// Asks every job to stop.
    pub fn cancel_all(&self) {
        for entry in self.table.lock().values() {
            entry.cancel.cancel();
        }
    }

    /// Asks every job to stop, and each that begins from now on.
    pub fn stop(&self) {
        self.stopped.cancel();
    }

    /// Waits until [`Jobs::stop`].
    pub async fn stopped(&self) {
        self.stopped.cancelled().await;
    }

    /// Lists the jobs, the oldest first.
    pub fn rows(&self) -> Vec<JobRow> {
        self.table.lock().values().map(|entry| entry.row.clone()).collect()
    }

    fn edit(&self, id: JobId, change: impl FnOnce(&mut JobRow)) {
        if let Some(entry) = self.table.lock().get_mut(&id) {
            change(&mut entry.row);
        }
    }
}

impl Job<'_> {
    /// Sets how far it is.
    pub fn progress(&self, done: u64, total: u64) {
        self.jobs.edit(self.id, |row| {
            row.done = done;
            row.total = total;
        });
    }

    /// Sets the tokens per second.
    pub fn rate(&self, tokens: u64, rate: Option<f64>) {
        self.jobs.edit(self.id, |row| {
            row.done = tokens;
            row.rate = rate;
        });
    }

    /// Tells whether somebody wants it to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Waits for work that may be dropped; `None` when somebody wanted the job to stop first.
    pub async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            done = work => Some(done),
        }
    }

    /// Ends it: as cancelled when that was asked for, else as given.
    pub fn end(mut self, good: bool) {
        self.finish(good);
    }

    /// Gives the event that announces its present row.
    #[must_use]
    pub fn event(&self) -> Option<Event> {
        let table = self.jobs.table.lock();
        let row = &table.get(&self.id)?.row;
        Some(Event::Job {
            job: row.id,
            kind: row.kind,
            subject: row.subject.to_string().into(),
            done: row.done,
            total: row.total,
            state: row.state,
        })
    }

    fn finish(&mut self, good: bool) {
        self.ended = true;
        let state = match (good, self.cancel.is_cancelled()) {
            (true, _) => JobState::Done,
            (false, true) => JobState::Cancelled,
            (false, false) => JobState::Failed,
        };
        self.jobs.edit(self.id, |row| {
            row.state = state;
            row.ended = Some(clock::now());
        });
    }
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.finish(false);
        }
    }
}

fn is_over(state: JobState) -> bool {
    matches!(state, JobState::Done | JobState::Failed | JobState::Cancelled)
}

/// Tells how many milliseconds passed since a moment.
#[must_use]
pub fn elapsed_ms(since: Moment) -> u64 {
    u64::try_from(clock::now().0 - since.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_reaches_the_newest_running_job() {
        let jobs = Jobs::default();
        let first = jobs.begin(JobKind::Prove, JobSubject::Drafts(1), 1);
        let second = jobs.begin(JobKind::Prove, JobSubject::Drafts(2), 1);
        assert_eq!(jobs.cancel(None), Some(second.id));
        assert!(second.is_cancelled() && !first.is_cancelled());
        second.end(false);
        assert_eq!(jobs.rows().last().unwrap().state, JobState::Cancelled);
        first.end(true);
        assert_eq!(jobs.cancel(None), None);
    }

    #[test]
    fn what_is_stopped_begins_nothing_more() {
        let jobs = Jobs::default();
        let running = jobs.begin(JobKind::Draft, JobSubject::RecordedCalls, 0);
        jobs.stop();
        assert!(running.is_cancelled() && jobs.begin(JobKind::Prove, JobSubject::Drafts(1), 0).is_cancelled());
    }

    #[tokio::test]
    async fn work_that_never_ends_can_be_left() {
        let jobs = Jobs::default();
        let job = jobs.begin(JobKind::Draft, JobSubject::RecordedCalls, 0);
        assert_eq!(job.unless_cancelled(std::future::ready(1)).await, Some(1));
        jobs.cancel(None);
        assert_eq!(job.unless_cancelled(std::future::pending::<i32>()).await, None);
        job.end(false);
        assert_eq!(jobs.rows()[0].state, JobState::Cancelled);
    }

    #[test]
    fn a_dropped_job_is_not_left_running() {
        let jobs = Jobs::default();
        drop(jobs.begin(JobKind::Index, JobSubject::Project("shop".into()), 0));
        assert_eq!(jobs.rows()[0].state, JobState::Failed);
    }

    #[test]
    fn ended_jobs_do_not_pile_up() {
        let jobs = Jobs::default();
        for _ in 0..100 {
            jobs.begin(JobKind::Replay, JobSubject::SavedCode, 0).end(true);
        }
        assert!(jobs.rows().len() <= ENDED_KEPT + 2);
    }
}
