//! Systems without a sandbox of ours, and the `weak` level of macOS: resource limits alone.

#![allow(unsafe_code)]

use super::levels::Level;
use super::order::Order;
use super::probe::Layer;
use crate::base::error::Trouble;

/// The levels that this system may have, strongest first.
#[cfg(not(target_os = "macos"))]
pub(super) const LEVELS: &[Level] = &[Level::Weak];

/// Tells whether a level works here.
pub(super) fn works(level: Level) -> Result<(), String> {
    if level == Level::Weak && cfg!(unix) { Ok(()) } else { Err("pytead-tui has no sandbox for this system.".into()) }
}

/// Recorded tests need namespaces.
pub(super) fn works_for_tests() -> Result<Layer, String> {
    Err("Recorded tests need the namespaces of Linux.".into())
}

/// Landlock is Linux only.
pub(super) fn landlock_abi() -> Option<u32> {
    None
}

/// Limits this process and becomes the command.
#[cfg(unix)]
pub(super) fn enter(order: &Order) -> Result<u8, Trouble> {
    use std::os::unix::process::CommandExt;

    works(order.level).map_err(Trouble::environment)?;
    ready(order)?;
    let Some((program, args)) = order.command.split_first() else { return Ok(0) };
    let error = std::process::Command::new(program).args(args).current_dir(&order.confinement.cwd).exec();
    Err(Trouble::environment("The command could not be started.").because(error))
}

/// Limits this process, and those it starts, unless what started it is gone.
#[cfg(unix)]
pub(super) fn ready(order: &Order) -> Result<(), Trouble> {
    if !parent_is(order.parent) {
        return Err(Trouble::environment("Nothing was run: what started it is gone."));
    }
    let limits = &order.confinement.limits;
    for (resource, most) in [
        (libc::RLIMIT_CPU, limits.cpu_seconds),
        (libc::RLIMIT_FSIZE, limits.file_size),
        (libc::RLIMIT_NOFILE, limits.open_files),
        (libc::RLIMIT_CORE, 0),
    ] {
        set_limit(resource, most)
            .map_err(|error| Trouble::environment("Nothing was run: a limit could not be set.").because(error))?;
    }
    Ok(())
}

/// Tells whether this process was started by that one, which is there still.
#[cfg(unix)]
pub(super) fn parent_is(process: u32) -> bool {
    rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get().unsigned_abs()) == Some(process)
}

/// Sets a limit for good.
#[cfg(unix)]
pub(super) fn set_limit(resource: libc::c_int, most: u64) -> std::io::Result<()> {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the structure lives across the call, which only reads it.
    match unsafe { libc::setrlimit(resource, &raw const limit) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Becomes the program: nothing here ends what it leaves behind.
#[cfg(unix)]
pub(super) fn watch(_starter: u32, program: &std::ffi::OsString, args: &[std::ffi::OsString]) -> Result<u8, Trouble> {
    use std::os::unix::process::CommandExt;

    let error = std::process::Command::new(program).args(args).exec();
    Err(Trouble::environment("The program could not be started.").because(error))
}

/// Nothing is run here.
#[cfg(not(unix))]
pub(super) fn watch(_starter: u32, _program: &std::ffi::OsString, _args: &[std::ffi::OsString]) -> Result<u8, Trouble> {
    Err(Trouble::environment("Nothing was run: programs are not watched over here."))
}

/// Nothing is run here.
#[cfg(not(unix))]
pub(super) fn enter(order: &Order) -> Result<u8, Trouble> {
    Err(Trouble::environment(format!("Nothing was run: there is no {} sandbox here.", order.level.word())))
}
