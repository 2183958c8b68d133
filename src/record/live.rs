//! Runs a program under the recorder and reads its spool along, so that a screen can show calls while they happen.
//!
//! On the terminal the program owns stdin, stdout, stderr and Ctrl-C: we only keep living. Its spool is removed when all
//! of it was handed over.

use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::cores;
use crate::base::error::Trouble;
use crate::base::text::display_line;
use crate::domain::batch::Batch;
use crate::domain::call::ProgramEnd;
use crate::domain::killer::Killer;
use crate::record::LoadedModule;
use crate::record::folder::SpoolFolder;
use crate::record::ingest::{Ingest, Summary};
use crate::record::launch::Plan;

/// How often the spool is looked at.
const BEAT: Duration = Duration::from_millis(100);
/// What a program gets to end by itself after each signal.
const GRACE: Duration = Duration::from_secs(2);

/// Where the program's output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attach {
    /// The program has the terminal: stdin, stdout, stderr and its signals.
    Terminal,
    /// The program has no stdin; its output comes as [`Progress::Output`].
    Piped,
}

/// What a look at the spool found.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What is new.
    pub batch: Batch,
    /// What is known of the recording so far.
    pub summary: Summary,
}

/// What happened while a program runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Calls, counts, edges: to be stored before the callback returns.
    Reading(Box<Reading>),
    /// Output of a piped program, as it wrote it.
    Output {
        /// It was written to stderr.
        error: bool,
        /// The bytes: any, cut anywhere.
        bytes: Vec<u8>,
    },
}

/// A recording that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// How the program ended.
    pub end: ProgramEnd,
    /// How long it took.
    pub took: Duration,
    /// What was recorded, as a whole.
    pub summary: Summary,
    /// The modules that were loaded, one entry for each process and name.
    pub modules: Vec<LoadedModule>,
}

/// Runs a program to its end. `stop` asks it to end: by interrupt, then termination, then by force.
///
/// # Errors
/// When the program cannot be started; its folder is removed then.
pub async fn run(
    plan: &Plan,
    folder: SpoolFolder,
    mut ingest: Ingest,
    attach: Attach,
    stop: CancellationToken,
    mut on: impl FnMut(Progress),
) -> Result<Ended, Trouble> {
    let started = Instant::now();
    // Before the start: a Ctrl-C for the program must not end us.
    let mut signals = Signals::new().map_err(|error| {
        Trouble::internal("The program was not started: signals cannot be watched.").because(format!("{error}."))
    })?;
    let mut child = match start(plan, &folder, attach) {
        Ok(child) => child,
        Err(error) => {
            let _ = folder.remove();
            let name = plan.program.to_string_lossy();
            return Err(Trouble::environment(format!("{} could not be started.", display_line(&name)))
                .because(format!("{error}."))
                .so("Check that it can be run by itself."));
        }
    };
    let group = child.id().filter(|_| attach == Attach::Piped);
    let mut output = outputs(&mut child);
    let mut beat = tokio::time::interval(BEAT);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut ladder = Ladder::default();
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            Some(progress) = output.recv() => on(progress),
            _ = beat.tick() => hand_over(&mut ingest, &mut on),
            number = signals.next() => forward(&child, group, number, attach),
            () = ladder.next(&stop) => forward_to(&child, group, ladder.climb()),
        }
    };
    let took = started.elapsed();
    if ladder.step > 0 && group.is_some() {
        // Asked to stop: what the program started goes with it.
        forward_to(&child, group, rustix::process::Signal::KILL);
    }
    // A child of the program may hold the pipes open, and write to them, for ever.
    let closing = tokio::time::Instant::now() + GRACE;
    while let Ok(Some(progress)) = tokio::time::timeout_at(closing.min(tokio::time::Instant::now() + BEAT), output.recv()).await {
        on(progress);
    }
    hand_over_rest(&mut ingest, &mut on);
    if let Err(error) = folder.remove() {
        tracing::warn!(%error, "a spool folder was not removed");
    }
    let modules = ingest.modules().into_iter().cloned().collect();
    Ok(Ended { end: ended(status), took, summary: ingest.summary().clone(), modules })
}

/// Hands over what a killed run left. The folder stays until all of it is stored: that is for the caller to know.
pub fn recover(mut ingest: Ingest, mut on: impl FnMut(Progress)) -> Summary {
    hand_over_rest(&mut ingest, &mut on);
    ingest.summary().clone()
}

fn hand_over(ingest: &mut Ingest, on: &mut impl FnMut(Progress)) {
    let batch = ingest.poll();
    if !batch.is_empty() {
        on(Progress::Reading(Box::new(Reading { batch, summary: ingest.summary().clone() })));
    }
}

fn hand_over_rest(ingest: &mut Ingest, on: &mut impl FnMut(Progress)) {
    ingest.finish(&mut |batch, summary| on(Progress::Reading(Box::new(Reading { batch, summary: summary.clone() }))));
}

fn start(plan: &Plan, folder: &SpoolFolder, attach: Attach) -> std::io::Result<Child> {
    let mut command = Command::new(&plan.program);
    command.args(&plan.args).current_dir(&plan.cwd);
    for (name, value) in &plan.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.envs(Plan::spool_env(folder.path(), folder.recording()));
    if attach == Attach::Piped {
        // A group of its own, so that all of it can be stopped.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    }
    let child = command.spawn()?;
    child.id().into_iter().for_each(cores::as_before);
    Ok(child)
}

fn outputs(child: &mut Child) -> mpsc::Receiver<Progress> {
    let (sender, receiver) = mpsc::channel(64);
    if let Some(stdout) = child.stdout.take() {
        tokio::spawn(pump(stdout, false, sender.clone()));
    }
    if let Some(stderr) = child.stderr.take() {
        tokio::spawn(pump(stderr, true, sender));
    }
    receiver
}

async fn pump(mut from: impl AsyncRead + Unpin, error: bool, to: mpsc::Sender<Progress>) {
    let mut buffer = vec![0; 8192];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if to.send(Progress::Output { error, bytes: buffer[..count].to_vec() }).await.is_err() {
            return;
        }
    }
}

/// The signals a terminal or a system sends us while a program runs.
struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> rustix::process::Signal {
        use rustix::process::Signal as S;
        tokio::select! {
            _ = self.interrupt.recv() => S::INT,
            _ = self.quit.recv() => S::QUIT,
            _ = self.terminate.recv() => S::TERM,
            _ = self.hang_up.recv() => S::HUP,
        }
    }
}

/// Passes a signal on, unless the terminal has sent it to the program as well.
fn forward(child: &Child, group: Option<u32>, signal: rustix::process::Signal, attach: Attach) {
    use rustix::process::Signal as S;
    use std::io::IsTerminal;
    let by_terminal = attach == Attach::Terminal && std::io::stdin().is_terminal();
    if !by_terminal || signal == S::TERM || signal == S::HUP {
        forward_to(child, group, signal);
    }
}

fn forward_to(child: &Child, group: Option<u32>, signal: rustix::process::Signal) {
    let pid = |number: u32| i32::try_from(number).ok().and_then(rustix::process::Pid::from_raw);
    let sent = match (group.and_then(pid), child.id().and_then(pid)) {
        (Some(group), _) => rustix::process::kill_process_group(group, signal),
        (None, Some(process)) => rustix::process::kill_process(process, signal),
        (None, None) => Ok(()),
    };
    if let Err(error) = sent {
        tracing::debug!(%error, "a signal did not reach the program");
    }
}

/// The steps of stopping a program, each harsher than the one before.
#[derive(Default)]
struct Ladder {
    step: usize,
    due: Option<tokio::time::Instant>,
}

impl Ladder {
    /// Waits for the time of the next step.
    async fn next(&self, stop: &CancellationToken) {
        match (self.step, self.due) {
            (0, _) => stop.cancelled().await,
            (_, Some(due)) => tokio::time::sleep_until(due).await,
            (_, None) => std::future::pending().await,
        }
    }

    fn climb(&mut self) -> rustix::process::Signal {
        use rustix::process::Signal as S;
        self.step += 1;
        self.due = (self.step < 3).then(|| tokio::time::Instant::now() + GRACE);
        match self.step {
            1 => S::INT,
            2 => S::TERM,
            _ => S::KILL,
        }
    }
}

fn ended(status: std::io::Result<ExitStatus>) -> ProgramEnd {
    use std::os::unix::process::ExitStatusExt;
    match status {
        Err(error) => ProgramEnd::Killed(Killer::Other(format!("unknown: {error}"))),
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => ProgramEnd::Exited(code),
            (None, Some(number)) => ProgramEnd::by_signal(number),
            (None, None) => ProgramEnd::Killed(Killer::Other("unknown".into())),
        },
    }
}
