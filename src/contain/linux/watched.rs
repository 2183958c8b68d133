//! A program that runs as the user, and the process above it that ends whatever it leaves behind.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use super::failure::{Failure, Step};
use super::sys::{self, Fork};
use crate::base::error::Trouble;

/// How long a program may take to end that was asked to.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often is looked whether the starter is there, where its end cannot be waited for.
const RARELY: Duration = Duration::from_secs(1);
/// How often is looked whether it did.
const LOOK: i32 = 50;

/// The exit code when the command was ended from outside: that of SIGTERM.
pub(super) const ENDED: u8 = 143;

/// Runs the program until it ends, its starter is gone or a signal asks for the end; then nothing of it is left.
pub(in super::super) fn watch(starter: u32, program: &OsString, args: &[OsString]) -> Result<u8, Trouble> {
    let refuse = |failure: Failure| Trouble::environment("The program could not be started.").because(failure);
    sys::close_inherited_on_exec();
    let signals = sys::catch_signals().step("catch signals").map_err(refuse)?;
    sys::adopt_orphans().step("adopt orphans").map_err(refuse)?;
    match sys::fork().step("fork").map_err(refuse)? {
        Fork::Child => Err(refuse(start(program, args))),
        Fork::Parent(child) => Ok(wait(child, starter, &signals)),
    }
}

/// Becomes the program; gives why not.
fn start(program: &OsString, args: &[OsString]) -> Failure {
    let ready = || {
        sys::die_with_parent().step("tie to the parent")?;
        sys::new_session().step("new session")?;
        sys::release_signals().step("release signals")
    };
    match ready() {
        Err(failure) => failure,
        Ok(()) => Failure { step: "start the program", cause: Command::new(program).args(args).exec().to_string() },
    }
}

/// Waits until the program has ended, by itself or as it was asked to, and nothing of it is left; gives its code.
pub(super) fn wait(child: i32, starter: u32, signals: &sys::Signals) -> u8 {
    let parent = sys::Process::open(starter);
    let mut until: Option<Instant> = None;
    let mut asked = false;
    loop {
        if let Some(code) = sys::reap(child) {
            sys::end_descendants();
            return code;
        }
        match until {
            None if asked || !sys::parent_is(starter) => {
                sys::ask_to_end(child);
                until = Some(Instant::now() + PATIENCE);
            }
            Some(until) if asked || Instant::now() >= until => {
                sys::kill(child);
                sys::end_descendants();
                return ENDED;
            }
            _ => {}
        }
        asked = match until {
            None => signals.wait(&parent, None, RARELY).asked,
            Some(_) => signals.wait_at_most(LOOK),
        };
    }
}
