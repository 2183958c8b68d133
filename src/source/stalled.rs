//! A child process that waits for something that never comes, such as a writer of a pipe in the place of a file: it is ended, and
//! not asked again for a while. A slow disk is no such wait: there a process goes on, however slowly.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process};

use crate::base::error::Trouble;

/// How long a process may sleep without once being woken.
const STILL: Duration = Duration::from_secs(5);
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// What a process may take in all where the system does not say what it does.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a folder that held a process up is left alone.
const REST: Duration = Duration::from_secs(60);

/// The folders that held a process up, and when.
static HELD: Mutex<Option<HashMap<PathBuf, Instant>>> = Mutex::new(None);

/// Why there is no output.
pub(super) enum Failure {
    /// It could not be started.
    Start(std::io::Error),
    /// It waited for something.
    Held(Trouble),
}

/// Runs a command in a folder to its end, unless it is held up.
pub(super) fn answered(command: &mut Command, root: &Path) -> Result<Output, Failure> {
    if held(root) {
        return Err(Failure::Held(trouble()));
    }
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(Failure::Start)?;
    let watch = Watch::over(&child, STILL);
    let output = child.wait_with_output();
    if watch.end() {
        HELD.lock().get_or_insert_default().insert(root.to_owned(), Instant::now());
        return Err(Failure::Held(trouble()));
    }
    output.map_err(Failure::Start)
}

fn held(root: &Path) -> bool {
    HELD.lock().as_ref().and_then(|held| held.get(root)).is_some_and(|since| since.elapsed() < REST)
}

fn trouble() -> Trouble {
    Trouble::environment("git does not answer.")
        .because("It waited for something in the repository, and was ended.")
        .so("Try git status here. A pipe in the place of a file keeps it waiting.")
}

/// A thread that ends a process that is held up.
pub(super) struct Watch {
    over: Sender<()>,
    thread: JoinHandle<bool>,
}

impl Watch {
    /// Watches a child that has not been waited for, and ends it if it sleeps for so long.
    pub(super) fn over(child: &Child, still: Duration) -> Self {
        let process = Pid::from_child(child);
        let (over, end) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            let (mut last, mut since) = (state(process), started);
            while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let now = state(process);
                let is_still = now.as_ref().is_some_and(|now| now.sleeps && last.as_ref() == Some(now));
                if !is_still {
                    since = Instant::now();
                }
                if since.elapsed() >= still || now.is_none() && started.elapsed() >= PATIENCE {
                    let _ = kill_process(process, Signal::KILL);
                    return true;
                }
                last = now;
            }
            false
        });
        Self { over, thread }
    }

    /// Stops watching; tells whether the process was ended.
    pub(super) fn end(self) -> bool {
        drop(self.over);
        self.thread.join().unwrap_or(false)
    }
}

/// What a process does: whether it sleeps until something comes, and how often it was switched to.
#[derive(Debug, PartialEq, Eq)]
struct State {
    sleeps: bool,
    switches: Vec<String>,
}

/// Looks at a process; nothing where the system does not say.
fn state(process: Pid) -> Option<State> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let after = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    // Waiting for a disk is another state: `D`.
    let sleeps = after("State:")?.starts_with('S');
    let switches =
        ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"].map(|name| after(name).unwrap_or_default().to_owned());
    Some(State { sleeps, switches: switches.into() })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_held_up_is_ended_once_and_a_slow_one_is_not() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let shell = |line: &str| answered(Command::new("/bin/sh").args(["-c", line]).current_dir(place.path()), place.path());
        // Longer than a still process may live, and awake now and then.
        let slow = shell("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do sleep 0.5; done; echo done");
        assert_eq!(slow.ok().map(|output| output.stdout).as_deref(), Some(&b"done\n"[..]));
        let began = Instant::now();
        assert!(matches!(shell("exec cat pipe"), Err(Failure::Held(_))));
        assert!(began.elapsed() < STILL * 3);
        let again = Instant::now();
        assert!(matches!(shell("exec cat pipe"), Err(Failure::Held(_))), "it is not tried again at once");
        assert!(again.elapsed() < LOOK);
    }
}
