//! Commands that start this program again, to confine itself or to watch over another.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::confinement::Confinement;
use super::levels::Level;
use crate::base::error::Trouble;

/// The first argument that tells the binary to confine itself and become another command.
pub const ENTRY: &str = "__contain";

/// The exit code of a sandbox that could not be set up.
pub const REFUSED: u8 = 3;

/// Bytes of a confinement on a command line; Linux takes 128 KiB in one argument.
const LONGEST_SPEC: usize = 120 << 10;

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
/// When the level is [`Level::None`] or cannot hold the profile, the project's folder holds the user's home folder, or a path
/// is not UTF-8.
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
    if spec.len() > LONGEST_SPEC {
        return Err(Trouble::environment("The sandbox cannot take so many paths."));
    }
    let mut command = Command::new(executable()?);
    command.env_clear().envs(confinement.environment(level));
    command.args([ENTRY, level.word(), "--parent", &std::process::id().to_string(), "--spec", &spec, "--"]);
    command.arg(program).args(args);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// In place of a level: nothing is taken from the command, but it is watched over.
pub(super) const WATCHED: &str = "watched";

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

/// Ends a contained command and everything it started, by its process id.
pub fn stop(process: u32) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
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
