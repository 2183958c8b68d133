//! The only way to run Python that is not the command the user typed.
//!
//! [`command()`] builds a command that starts this program again as `pytead-tui __contain …`; that one confines itself,
//! step by step, and only then becomes the command. It fails closed: when a step of the asked level does not work, a
//! sentence goes to stderr, the exit code is 3, and nothing was run. `unsafe`, landlock, seccomp, Seatbelt and
//! libc live here alone.

mod command;
mod confinement;
mod folders;
mod levels;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
mod order;
#[cfg(not(target_os = "linux"))]
mod other;
mod probe;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;

use std::ffi::OsString;
use std::io::Write;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use other as system;

pub use command::{ENTRY, REFUSED, command, stop, use_executable, use_running_program, watched};
pub use confinement::{Confinement, Limits, Profile, exposes_home};
pub use folders::private_folder;
pub use levels::{Class, Level};
pub use probe::{Layer, Probe, SANDBOX, available, available_for_tests, level_for, probe};

use self::command::WATCHED;
use self::order::Order;
use crate::base::error::Trouble;

/// Confines this process and becomes the command: the arguments after [`ENTRY`]. Gives the exit code when it is over.
///
/// To be called at the very start of `main`, before any thread is started.
#[must_use]
pub fn enter(args: &[OsString]) -> u8 {
    let entered = match args {
        [word, rest @ ..] if word == WATCHED => watch(rest),
        _ => Order::parse(args).and_then(|order| system::enter(&order)),
    };
    match entered {
        Ok(code) => code,
        Err(trouble) => {
            let _ = writeln!(std::io::stderr(), "pytead-tui: {trouble}");
            REFUSED
        }
    }
}

/// Runs a command and watches over it: what stands behind [`WATCHED`].
fn watch(args: &[OsString]) -> Result<u8, Trouble> {
    let wrong = || Trouble::usage("The program to watch over was started with wrong arguments.");
    let [parent_flag, parent, dashes, program, args @ ..] = args else { return Err(wrong()) };
    let parent = parent.to_str().and_then(|parent| parent.parse().ok()).ok_or_else(wrong)?;
    if parent_flag != "--parent" || dashes != "--" {
        return Err(wrong());
    }
    system::watch(parent, program, args)
}
