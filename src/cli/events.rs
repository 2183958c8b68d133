//! Printing what happens while a verb works, and ending it on Ctrl-C.

use std::time::{Duration, Instant};

use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::base::clock;
use crate::base::error::Trouble;
use crate::cli::ask;
use crate::cli::output::{self, Output, ProgressLine};
use crate::domain::event::{Event, JobKind, JobState};
use crate::domain::snapshot::JobRow;
use crate::engine::Handle;

/// Time between two looks at how far a job is.
const PROGRESS: Duration = Duration::from_millis(200);
/// Milliseconds after which a job is shown.
const PROGRESS_AFTER: i64 = 700;
/// Time between two lines about it where nobody sits before a terminal: a log is not to look as if nothing went on.
const PROGRESS_LOGGED: Duration = Duration::from_secs(20);

/// Longest wait for what was interrupted to come to its end.
const LAST_STEPS: Duration = Duration::from_secs(10);

/// Does something while its events are printed, those it leaves behind included.
pub(super) async fn with_events<T>(
    handle: &Handle,
    out: &mut Output,
    work: impl Future<Output = Result<T, Trouble>>,
) -> Result<T, Trouble> {
    let mut events = handle.subscribe();
    let mut line = ProgressLine::default();
    let mut looks = tokio::time::interval(PROGRESS);
    let is_seen = ProgressLine::is_seen();
    let mut logged = Instant::now();
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            _ = looks.tick(), if !out.is_json() => {
                if is_seen {
                    line.show(longest(&handle.snapshot().jobs));
                } else if logged.elapsed() >= PROGRESS_LOGGED
                    && let Some(job) = longest(&handle.snapshot().jobs)
                {
                    logged = Instant::now();
                    output::note(&format!("{}: {}", job.kind.word(), output::progress(job)));
                }
            }
            event = events.recv() => match event {
                Ok(event) => {
                    out.event(&event);
                    match event {
                        Event::Asked { question, .. } => tokio::select! {
                            answered = ask::question(handle, question) => answered?,
                            () = handle.stopped() => {}
                        },
                        Event::Failed { trouble } if !out.is_json() => output::complain(&trouble),
                        _ => {}
                    }
                }
                // Events are hints; what was missed is in the result.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break work.await,
            },
        }
    };
    handle.refreshed().await;
    loop {
        match events.try_recv() {
            Ok(event) => {
                out.event(&event);
                if let Event::Failed { trouble } = event
                    && !out.is_json()
                {
                    output::complain(&trouble);
                }
            }
            Err(TryRecvError::Lagged(_)) => {}
            Err(_) => return done,
        }
    }
}

/// Gives the job that goes on for longest, where that is long enough to be shown. A program that is recorded has the terminal
/// to itself.
fn longest(jobs: &[JobRow]) -> Option<&JobRow> {
    let running = || jobs.iter().filter(|job| job.state == JobState::Running);
    let is_long = |job: &&JobRow| clock::now().0 - job.started.0 > PROGRESS_AFTER;
    let is_programs = running().any(|job| job.kind == JobKind::Record);
    running().filter(is_long).min_by_key(|job| job.started).filter(|_| !is_programs)
}

/// As [`with_events`], and ends with `None` on Ctrl-C, with everything stopped.
pub(super) async fn interruptible<T>(
    handle: &Handle,
    out: &mut Output,
    work: impl Future<Output = Result<T, Trouble>>,
) -> Result<Option<T>, Trouble> {
    {
        let mut work = std::pin::pin!(with_events(handle, out, work));
        tokio::select! {
            done = &mut work => return done.map(Some),
            _ = tokio::signal::ctrl_c() => handle.stop(),
        }
        // What is in the middle of its proof says so to others on this project; who cannot wait for that presses it again.
        tokio::select! {
            _ = tokio::time::timeout(LAST_STEPS, &mut work) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    }
    handle.close().await;
    Ok(None)
}
