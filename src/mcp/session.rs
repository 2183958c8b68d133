//! One agent's session: the open project, and the limits that no setting and no tool can raise.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

use crate::base::error::Trouble;
use crate::domain::event::JobState;
use crate::engine::{self, Handle, Options};
use crate::mcp::arguments::Arguments;
use crate::mcp::value_store::Values;

/// Requests of a session.
const CALLS_MAX: u32 = 2_000;
/// Time that tools run in a session, all together.
const WORK_MAX: Duration = Duration::from_secs(30 * 60);
/// Tests of which a model may be asked in a session.
const OPINIONS_MAX: u32 = 50;
/// Drafts that an agent puts before a person in a session.
const DRAFTS_MAX: u32 = 50;
/// How often progress is told.
const BEAT: Duration = Duration::from_millis(500);
/// What is to stop is asked so often.
const ASK: Duration = Duration::from_millis(50);
/// What does not stop by then is left.
const GRACE: Duration = Duration::from_secs(15);

/// Gives what to open, with the trust and the settings of this moment.
pub type Project = Arc<dyn Fn() -> Result<Options, Trouble> + Send + Sync>;

/// The state of a session.
pub struct Session {
    project: Project,
    engine: tokio::sync::Mutex<Option<Handle>>,
    /// One tool at a time runs the project's code.
    turn: tokio::sync::Mutex<()>,
    calls: AtomicU32,
    drafts: AtomicU32,
    opinions: AtomicU32,
    worked: Mutex<Duration>,
    /// What an agent keeps for the YAML tests that it runs.
    pub values: Values,
}

/// What work came to.
pub struct Worked<T> {
    /// What it gave.
    pub value: T,
    /// It was ended after its time.
    pub late: bool,
}

impl Session {
    pub fn new(project: Project) -> Self {
        Self {
            project,
            engine: tokio::sync::Mutex::new(None),
            turn: tokio::sync::Mutex::new(()),
            calls: AtomicU32::new(0),
            drafts: AtomicU32::new(0),
            opinions: AtomicU32::new(0),
            values: Values::default(),
            worked: Mutex::new(Duration::ZERO),
        }
    }

    /// Counts a request.
    pub fn count(&self) -> Result<(), Trouble> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < CALLS_MAX {
            return Ok(());
        }
        // It stays at the limit.
        self.calls.store(CALLS_MAX, Ordering::Relaxed);
        Err(used_up(&format!("{CALLS_MAX} requests")))
    }

    /// Counts a draft.
    pub fn count_draft(&self) -> Result<(), Trouble> {
        if self.drafts.fetch_add(1, Ordering::Relaxed) < DRAFTS_MAX {
            return Ok(());
        }
        self.drafts.store(DRAFTS_MAX, Ordering::Relaxed);
        Err(used_up(&format!("{DRAFTS_MAX} drafts")).so("A person decides on those that wait: pytead-tui review."))
    }

    /// Tells whether a model may still be asked about tests.
    pub fn may_ask(&self) -> bool {
        self.opinions.load(Ordering::Relaxed) < OPINIONS_MAX
    }

    /// Counts tests that a model was asked about.
    pub fn count_opinions(&self, tests: usize) {
        self.opinions.fetch_add(u32::try_from(tests).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// Gives the open project as it is now; a folder that is not trusted is not opened.
    pub async fn project(&self) -> Result<Handle, Trouble> {
        // Trust and settings are those of this moment, and not those of the start.
        let options = (self.project)()?;
        engine::require_trust(&options.root, options.trust)?;
        let mut engine = self.engine.lock().await;
        if let Some(handle) = &*engine {
            handle.take_consent(options.consent);
            handle.reread().await?;
            return Ok(handle.clone());
        }
        let handle = engine::open(options).await?;
        *engine = Some(handle.clone());
        Ok(handle)
    }

    /// Ends what runs, and closes the project.
    pub async fn end(&self) {
        let engine = self.engine.lock().await.take();
        let Some(handle) = engine else { return };
        let until = Instant::now() + GRACE;
        while self.turn.try_lock().is_err() && Instant::now() < until {
            handle.cancel_all();
            tokio::time::sleep(ASK).await;
        }
        handle.close().await;
    }
}

/// One request, with all it needs.
pub struct Request<'a> {
    pub session: &'a Session,
    pub handle: &'a Handle,
    pub given: &'a Arguments,
    pub context: &'a RequestContext<RoleServer>,
    /// When it came. Progress is counted from here, so that it only grows where a tool works in several steps.
    pub began: Instant,
}

impl Request<'_> {
    /// Runs work of the engine: alone, within its time, ended when the agent takes its request back.
    pub async fn work<T>(&self, seconds: u64, work: impl Future<Output = Result<T, Trouble>>) -> Result<Worked<T>, Trouble> {
        let Request { session, handle, context, .. } = self;
        let cancelled = || Trouble::usage("Cancelled.");
        let _turn = tokio::select! {
            turn = session.turn.lock() => turn,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let left = WORK_MAX.saturating_sub(*session.worked.lock());
        if left.is_zero() {
            return Err(used_up(&format!("{} minutes of running code", WORK_MAX.as_secs() / 60)));
        }
        let began = Instant::now();
        let limit = Duration::from_secs(seconds).min(left);
        let _spent = Spent { worked: &session.worked, began };
        let (mut beat, mut ask) = (tokio::time::interval(BEAT), tokio::time::interval(ASK));
        let mut stopping: Option<Instant> = None;
        let mut late = false;
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => {
                    return match done {
                        _ if stopping.is_some() && !late => Err(cancelled()),
                        Ok(value) => Ok(Worked { value, late }),
                        Err(_) if late => Err(too_long(limit)),
                        Err(trouble) => Err(trouble),
                    };
                }
                () = context.ct.cancelled(), if stopping.is_none() => stopping = Some(Instant::now()),
                // Work of several steps begins a new job after the one that was stopped.
                _ = ask.tick() => if let Some(since) = stopping {
                    handle.cancel_all();
                    if since.elapsed() > GRACE {
                        return Err(if late { too_long(limit) } else { cancelled() });
                    }
                } else if began.elapsed() > limit {
                    (stopping, late) = (Some(Instant::now()), true);
                },
                _ = beat.tick() => self.tell().await,
            }
        }
    }

    /// Tells the agent how far its request is, where it wants to know.
    async fn tell(&self) {
        let Request { handle, context, began, .. } = self;
        let Some(token) = context.meta.get_progress_token() else { return };
        let snapshot = handle.refreshed().await;
        let running = snapshot.jobs.iter().rev().find(|job| job.state == JobState::Running);
        let message = running.map(|job| match job.total {
            0 => format!("{}: {}", job.kind.word(), job.done),
            total => format!("{}: {} of {total}", job.kind.word(), job.done),
        });
        let mut progress = ProgressNotificationParam::new(token, began.elapsed().as_secs_f64());
        progress.message = message;
        // An agent that does not listen any more is no reason to stop.
        let _ = context.peer.notify_progress(progress).await;
    }
}

/// Adds the time that work took, however it ends.
struct Spent<'a> {
    worked: &'a Mutex<Duration>,
    began: Instant,
}

impl Drop for Spent<'_> {
    fn drop(&mut self) {
        *self.worked.lock() += self.began.elapsed();
    }
}

fn used_up(what: &str) -> Trouble {
    Trouble::usage(format!("This session has used its {what}."))
}

fn too_long(limit: Duration) -> Trouble {
    Trouble::environment(format!("It was ended after {} s.", limit.as_secs()))
}
