//! Which programs that a test started may have run the project's code: what those did was not recorded.
//!
//! Told from how it was started and from the program's file. Where that is not plain, it may have.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::base::text;
use crate::domain::touch::{ProcessStart, StartMethod};
use crate::judge::evaluate::Missing;

/// Names of Python begin so.
const PYTHON: [&str; 3] = ["python", "pypy", "pytest"];
/// Programs that run other ones.
const LAUNCHERS: &[&str] = &[
    "ash", "bash", "busybox", "chroot", "csh", "dash", "docker", "doas", "env", "fish", "ksh", "make", "mksh", "nice", "ninja",
    "nohup", "npm", "parallel", "pdm", "podman", "pwsh", "rye", "script", "setsid", "sh", "ssh", "stdbuf", "strace", "sudo",
    "tcsh", "time", "timeout", "uv", "uvx", "watch", "xargs", "zsh",
];
/// How the files of machine code begin: ELF and Mach-O.
const MACHINE_CODE: [[u8; 4]; 4] = [*b"\x7fELF", [0xcf, 0xfa, 0xed, 0xfe], [0xfe, 0xed, 0xfa, 0xcf], [0xca, 0xfe, 0xba, 0xbe]];
/// Characters from which on the recorder cuts what it says.
const LONGEST: usize = 300;

/// Says why calls are missing, where one of the programs that were started may have run the project's code.
pub(crate) fn missing(started: &[ProcessStart]) -> Option<Missing> {
    let start = started.iter().find(|start| may_run_python(start))?;
    let reason = match &start.program {
        Some(program) => format!("a program was started that was not recorded: {}", text::display_line(program)),
        None => "a program was started that was not recorded".to_owned(),
    };
    Some(Missing { reason: reason.into(), anywhere: true })
}

/// Counts the programs that may have run the project's code, in the order they were started.
pub(crate) fn suspects(started: &[ProcessStart]) -> usize {
    // From 3.13 on `subprocess` starts a program by `posix_spawn`, and both say so.
    let again =
        |at: usize| at > 0 && started[at].method == StartMethod::PosixSpawn && started[at - 1].method == StartMethod::Popen;
    started.iter().enumerate().filter(|(at, start)| !again(*at) && may_run_python(start)).count()
}

fn may_run_python(start: &ProcessStart) -> bool {
    match start.method {
        // A fork starts no program: the child is recorded.
        StartMethod::Fork | StartMethod::Other(_) => return false,
        // A shell runs what it likes.
        StartMethod::System => return true,
        StartMethod::Popen | StartMethod::Exec | StartMethod::PosixSpawn | StartMethod::Spawn | StartMethod::Multiprocessing => {}
    }
    let program = start.program.as_deref().unwrap_or_default();
    if program.is_empty() || start.to_string().chars().count() >= LONGEST {
        return true;
    }
    let Some(file) = found(Path::new(program)) else { return true };
    [Path::new(program), &file].iter().any(|path| is_suspect(path)) || !is_machine_code(&file)
}

fn is_suspect(program: &Path) -> bool {
    let name = program.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    LAUNCHERS.contains(&name.as_str()) || PYTHON.iter().any(|python| name.starts_with(python))
}

/// Finds a program's own file, behind links, as the system would.
fn found(program: &Path) -> Option<PathBuf> {
    let file = if program.is_absolute() {
        program.to_owned()
    } else if program.components().count() > 1 {
        return None; // from a folder that nobody told
    } else {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())?
    };
    file.canonicalize().ok().filter(|file| file.is_file())
}

/// Tells whether a file is machine code; scripts are not, whatever runs them.
fn is_machine_code(file: &Path) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && MACHINE_CODE.contains(&start)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn started(details: &[&str]) -> Vec<ProcessStart> {
        details.iter().map(|detail| ProcessStart::from_stored(detail)).collect()
    }

    fn may_run_python(detail: &str) -> bool {
        super::may_run_python(&ProcessStart::from_stored(detail))
    }

    #[test]
    fn only_a_program_that_is_plainly_no_python_leaves_nothing_open() {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str, content: &[u8]| {
            std::fs::write(place.path().join(name), content).unwrap();
            place.path().join(name).to_str().unwrap().to_owned()
        };
        let code = b"\x7fELF\x02\x01";
        let (encoder, python, shell) = (file("encoder", code), file("python3.12", code), file("sh", code));
        let (script, empty) = (file("shop", b"#!/usr/bin/python3\n"), file("empty", b""));
        let runner = place.path().join("runner");
        symlink(&python, &runner).unwrap();
        let runner = runner.to_str().unwrap().to_owned();
        for program in [python, shell, script, empty, runner, "/nowhere/encoder".into(), "bin/encoder".into(), "a".repeat(300)] {
            assert!(may_run_python(&format!("subprocess.Popen {program}")), "{program}");
        }
        for how in ["subprocess.Popen", "os.exec", "os.posix_spawn"] {
            assert!(!may_run_python(&format!("{how} {encoder}")), "{how}");
            assert!(may_run_python(how), "{how} of nobody knows what");
        }
        assert!(may_run_python(&format!("os.system {encoder}")), "the words of a shell are not known");
        assert!(may_run_python("multiprocessing.Process"));
        assert!(!may_run_python("os.fork") && !may_run_python("os.kill"));
        let reason = missing(&started(&["os.fork", &format!("os.exec {encoder}"), "os.exec python3"])).unwrap().reason;
        assert_eq!(reason, "a program was started that was not recorded: python3");
        assert_eq!(missing(&started(&["os.fork", &format!("os.exec {encoder}")])), None);
        let twice = started(&["subprocess.Popen python3", "os.posix_spawn python3", "os.posix_spawn python3"]);
        assert_eq!(suspects(&twice), 2, "one start is told twice");
    }
}
