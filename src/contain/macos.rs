//! macOS: the kernel holds a command by a Seatbelt profile, which `/usr/bin/sandbox-exec` enters for us.
//!
//! ```text
//! P   started by us; limits; waits for the command and for its own parent, and ends the command's process group
//! └ B   sandbox-exec, which enters the profile and becomes the command
//! ```
//! Unlike on Linux what a command starts in a session of its own is not found again: it stays confined, and is not ended.
//! The kernel does not bound memory either.

#![allow(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::command::{ENTRY, command};
use super::confinement::Confinement;
use super::folders::private_folder;
use super::levels::Level;
use super::order::Order;
pub(super) use super::other::{landlock_abi, watch, works_for_tests};
use super::{other, seatbelt};
use crate::base::error::Trouble;

/// The levels that this system may have, strongest first.
pub(super) const LEVELS: &[Level] = &[Level::Seatbelt, Level::Weak];

const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

/// In place of a program: check the sandbox from inside and end with [`CHECKED`].
const CHECK: &str = "__check";
/// The same, inside already; a folder that was not given follows.
const INSIDE: &str = "__inside";
const CHECKED: u8 = 47;

/// The exit code when the command was ended from outside: that of SIGTERM.
const ENDED: i32 = 143;

/// Enters a level for nothing, in a process of its own, and checks from inside that it holds.
pub(super) fn works(level: Level) -> Result<(), String> {
    if level != Level::Seatbelt {
        return other::works(level);
    }
    let probe = || -> std::io::Result<Option<String>> {
        let folder = private_folder(&std::env::temp_dir(), "pytead-")?;
        for name in ["project", "scratch", "outside"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        for name in ["project/file", "outside/file"] {
            std::fs::write(folder.path().join(name), "text")?;
        }
        let spec = Confinement::new(folder.path().join("project"), folder.path().join("scratch"));
        let mut command = command(level, &spec, Path::new(CHECK), [folder.path().join("outside")])
            .map_err(|trouble| std::io::Error::other(trouble.to_string()))?;
        let output = command.stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok((output.status.code() != Some(CHECKED.into())).then_some(said))
    };
    match probe() {
        Ok(None) => Ok(()),
        Ok(Some(said)) => {
            let first = said.lines().next().unwrap_or("The sandbox ended without a word.");
            Err(first.trim_start_matches("pytead-tui: ").to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Confines a command and waits for it; gives its exit code.
pub(super) fn enter(order: &Order) -> Result<u8, Trouble> {
    let refuse = |why: String| Trouble::environment("Nothing was run: the seatbelt sandbox could not be set up.").because(why);
    if order.level != Level::Seatbelt {
        return other::enter(order);
    }
    let Some((program, args)) = order.command.split_first() else { return Err(refuse("There is no command.".into())) };
    let mut confinement = order.confinement.clone();
    if program == INSIDE {
        return check(&confinement, args).map(|()| CHECKED).map_err(refuse);
    }
    // Before the limit of open files, beyond which there may be some.
    close_inherited_on_exec();
    other::ready(order)?;
    limit_processes(confinement.limits.processes).map_err(|error| refuse(error.to_string()))?;
    let inner = if program == CHECK {
        let own = std::env::current_exe().map_err(|error| refuse(error.to_string()))?;
        confinement.read_only.push(own.clone());
        let spec = serde_json::to_string(&confinement).map_err(|error| refuse(error.to_string()))?;
        let before = [ENTRY, order.level.word(), "--parent", "0", "--spec", &spec, "--", INSIDE].map(OsString::from);
        [&[own.into_os_string()][..], &before, args].concat()
    } else {
        order.command.clone()
    };
    // Else it would be read as an option, or looked for on the way.
    if !Path::new(&inner[0]).is_absolute() {
        return Err(refuse("The program's path is not absolute.".into()));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let profile = seatbelt::profile(&confinement, real)?;
    let mut command = Command::new(SANDBOX_EXEC);
    command.arg("-p").arg(profile).args(inner).current_dir(&confinement.cwd).process_group(0);
    supervise(&mut command, order.parent).map_err(|error| refuse(error.to_string()))
}

/// Starts the command and waits until it ends, its starter is gone or a signal asks for the end; then its process group is
/// ended.
fn supervise(command: &mut Command, starter: u32) -> std::io::Result<u8> {
    // Blocked in every thread, so that the one that waits for them gets them; the command starts with none of them blocked.
    let asks = asking_to_end();
    // SAFETY: the set lives across the call, which only reads it.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const asks, std::ptr::null_mut()) };
    let release = move || {
        // SAFETY: as above; nothing else is done between fork and exec.
        match unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const asks, std::ptr::null_mut()) } {
            0 => Ok(()),
            error => Err(std::io::Error::from_raw_os_error(error)),
        }
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    unsafe { command.pre_exec(release) };
    let mut child = command.spawn()?;
    let group = i32::try_from(child.id()).map_err(std::io::Error::other)?;
    std::thread::spawn(move || {
        let mut signal = 0;
        // SAFETY: both live across the call.
        unsafe { libc::sigwait(&raw const asks, &raw mut signal) };
        end(group);
        std::process::exit(ENDED);
    });
    std::thread::spawn(move || {
        while other::parent_is(starter) {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        end(group);
        std::process::exit(ENDED);
    });
    let status = child.wait()?;
    end(group);
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}

fn asking_to_end() -> libc::sigset_t {
    // SAFETY: a set of all zeros is an empty one, and the calls only write to it.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
            libc::sigaddset(&raw mut set, signal);
        }
        set
    }
}

/// Ends a process group.
fn end(group: i32) {
    // SAFETY: no memory is involved.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Bounds the processes of this user: those that run now, and so many more.
fn limit_processes(more: u64) -> std::io::Result<()> {
    // SAFETY: without a place to write to the call only counts.
    let running = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    let running = u64::try_from(running).map_err(|_| std::io::Error::last_os_error())?;
    other::set_limit(libc::RLIMIT_NPROC, running + more)
}

/// What the starter's own parents left open is not handed on.
fn close_inherited_on_exec() {
    const MOST: i32 = 65536;
    // SAFETY: no memory is involved; numbers of files that are not open are refused.
    unsafe {
        for file in 3..libc::getdtablesize().clamp(256, MOST) {
            libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// Looks from inside whether the sandbox holds.
fn check(confinement: &Confinement, args: &[OsString]) -> Result<(), String> {
    let outside = PathBuf::from(args.first().ok_or("nothing to check")?);
    let own = confinement.root.join("file");
    std::fs::read(&own).map_err(|error| format!("The project cannot be read: {error}."))?;
    let scratch = confinement.scratch.join("file");
    std::fs::write(&scratch, "text").map_err(|error| format!("The private folder cannot be written: {error}."))?;
    let link = confinement.scratch.join("link");
    let linked = || std::fs::hard_link(&own, &link).is_ok() && std::fs::write(&link, "other").is_ok();
    // SAFETY: no memory is involved, and the signal is none.
    let reaches_others = || unsafe { libc::kill(1, 0) == 0 || libc::kill(libc::getppid(), 0) == 0 };
    let held = [
        ("a socket could be made", std::net::UdpSocket::bind("127.0.0.1:0").is_err()),
        ("a file that was not given can be read", std::fs::read(outside.join("file")).is_err()),
        ("a folder that was not given can be written", std::fs::write(outside.join("new"), "text").is_err()),
        ("a folder that was not given can be read", std::fs::read_dir("/Users").is_err()),
        ("the project can be written", std::fs::write(&own, "other").is_err()),
        ("the project can be written by a link", !linked()),
        ("other processes are reached", !reaches_others()),
    ];
    held.into_iter().find(|(_, holds)| !holds).map_or(Ok(()), |(what, _)| Err(format!("It does not hold: {what}.")))
}
