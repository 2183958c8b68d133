//! The only way to run Python that is not the command the user typed.
//!
//! [`command`] builds a command that starts this program again as `pytead-tui __contain …`; that one confines itself,
//! step by step, and only then becomes the command. It fails closed: when a step of the asked level does not work, a
//! sentence goes to stderr, the exit code is 3, and nothing was run. `unsafe`, landlock, seccomp, Seatbelt and
//! libc live here alone.

mod confinement;
mod levels;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
use other as system;

pub use confinement::{Confinement, Limits, exposes_home};
pub use levels::{Class, Level, Probe, SANDBOX, available, level_for, probe};

use crate::base::error::Trouble;

/// The first argument that tells the binary to confine itself and become another command.
pub const ENTRY: &str = "__contain";

/// The exit code of a sandbox that could not be set up.
pub const REFUSED: u8 = 3;

static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// Chooses the binary that is started as the sandbox, in place of the running one; the first choice stays.
pub fn use_executable(path: impl Into<PathBuf>) {
    let _ = EXECUTABLE.set(path.into());
}

/// Chooses the running program, whatever name it has, also when an update has put another one in its place since.
pub fn use_running_program() {
    let running = Path::new("/proc/self/exe");
    match std::env::current_exe() {
        _ if running.exists() => use_executable(running),
        Ok(current) => use_executable(current),
        // Nothing is chosen; that is said when something is to be contained.
        Err(_) => {}
    }
}

/// Builds the command that runs `program` with `args` confined at `level`.
///
/// The command starts in a process group of its own with a scrubbed environment; what is added to it with
/// `Command::env` reaches the program. End it early with [`stop`], never by killing the process alone: below
/// [`Level::Namespaces`] that would leave its children.
///
/// # Errors
/// When the level is [`Level::None`], the project's folder holds the user's home folder, or a path is not UTF-8.
pub fn command<S: AsRef<OsStr>>(
    level: Level,
    confinement: &Confinement,
    program: &Path,
    args: impl IntoIterator<Item = S>,
) -> Result<Command, Trouble> {
    if level == Level::None {
        return Err(
            Trouble::environment("Nothing is run: there is no sandbox here.").so("pytead-tui doctor says what is missing.")
        );
    }
    confinement.check(level)?;
    let spec = serde_json::to_string(confinement)
        .map_err(|error| Trouble::environment("The sandbox cannot take a path that is not UTF-8.").because(error))?;
    let mut command = Command::new(executable()?);
    command.env_clear().envs(confinement.environment(level));
    command.args([ENTRY, level.word(), "--parent", &std::process::id().to_string(), "--spec", &spec, "--"]);
    command.arg(program).args(args);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// In place of a level: nothing is taken from the command, but it is watched over.
const WATCHED: &str = "watched";

/// Builds the command that runs `program` as the user, with all that the user may do, and watches over it: when it ends,
/// is stopped, or this process is gone, nothing of what it started is left.
///
/// Asked to [`stop`], or alone, the program gets SIGTERM and a few seconds; asked once more, it is ended at once. On systems
/// without `/proc` only the program itself is.
///
/// # Errors
/// When the binary of this program is not found.
pub fn watched<S: AsRef<OsStr>>(program: &Path, args: impl IntoIterator<Item = S>) -> Result<Command, Trouble> {
    let mut command = Command::new(executable()?);
    command.args([ENTRY, WATCHED, "--parent", &std::process::id().to_string(), "--"]);
    command.arg(program).args(args);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// Makes a private folder for a contained command to write to; it goes with the value.
///
/// # Errors
/// When there is no room for it.
pub fn scratch() -> Result<tempfile::TempDir, Trouble> {
    private_folder(&std::env::temp_dir(), "pytead-")
        .map_err(|error| Trouble::environment("There is no room for a temporary folder.").because(error))
}

/// Makes a folder that this user alone may enter.
///
/// # Errors
/// When it cannot be made.
pub fn private_folder(parent: &Path, prefix: &str) -> std::io::Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(parent)
}

/// Ends a contained command and everything it started, by its process id.
pub fn stop(process: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

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

/// What the command line of the sandbox asks for.
struct Order {
    level: Level,
    parent: u32,
    confinement: Confinement,
    /// Empty: set everything up, check it, and run nothing.
    command: Vec<OsString>,
}

impl Order {
    fn parse(args: &[OsString]) -> Result<Self, Trouble> {
        let wrong = || Trouble::usage("The sandbox was started with wrong arguments.");
        let [level, parent_flag, parent, spec_flag, spec, dashes, command @ ..] = args else { return Err(wrong()) };
        if parent_flag != "--parent" || spec_flag != "--spec" || dashes != "--" {
            return Err(wrong());
        }
        let text = |arg: &OsString| arg.to_str().map(str::to_owned).ok_or_else(wrong);
        Ok(Self {
            level: Level::from_word(&text(level)?).ok_or_else(wrong)?,
            parent: text(parent)?.parse().map_err(|_| wrong())?,
            confinement: serde_json::from_str(&text(spec)?).map_err(|error| wrong().because(error))?,
            command: command.to_vec(),
        })
    }
}

/// Finds the binary to start again: the chosen one or, from a test, the one built beside it.
fn executable() -> Result<PathBuf, Trouble> {
    if let Some(path) = EXECUTABLE.get() {
        return Ok(path.clone());
    }
    // Only a test has not chosen: the binary was built beside it.
    let name = format!("pytead-tui{}", std::env::consts::EXE_SUFFIX);
    let current = std::env::current_exe()
        .map_err(|error| Trouble::environment("The path of pytead-tui itself is not known.").because(error))?;
    current.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file()).ok_or_else(|| {
        Trouble::environment("The binary pytead-tui was not found, so nothing can be run contained.")
            .because(format!("It is not beside {}.", current.display()))
    })
}
