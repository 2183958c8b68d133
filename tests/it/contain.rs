//! The escape suite, run inside every level that works here, and the ways a contained command ends.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use pytead_tui::contain::{self, Confinement, Level};
use pytead_tui::python::interpreter::{self, Interpreter};

const KERNEL: [Level; 2] = [Level::Namespaces, Level::Landlock];

/// Says that this machine is known to have no sandbox, where the suite proves nothing.
const WITHOUT: &str = "PYTEAD_TESTS_WITHOUT_SANDBOX";

/// The levels that work here. A machine without any has to be known as one: else nothing would be proved, and nobody would know.
pub(crate) fn levels() -> Vec<Level> {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    let refused: Vec<Level> = contain::probe().refused.iter().map(|(level, _)| *level).collect();
    let working: Vec<Level> = KERNEL.into_iter().filter(|level| !refused.contains(level) && works(*level)).collect();
    if working.is_empty() {
        let why = format!("No sandbox works here, so nothing is proved of it: {:?}.", contain::probe());
        assert!(std::env::var_os(WITHOUT).is_some(), "{why} {WITHOUT}=1 says that none is expected.");
        eprintln!("skipped: {why}");
    }
    working
}

fn works(level: Level) -> bool {
    let place = Place::new(&std::env::temp_dir());
    place.run(level, Path::new("/bin/sh"), &["-c", "exit 9"]).status.code() == Some(9)
}

pub(crate) fn python() -> Interpreter {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    // A Python inside the project would be run contained; this clone may lie anywhere, also in the temporary folder.
    let elsewhere = tempfile::tempdir().unwrap();
    interpreter::find(elsewhere.path(), None).expect("the tests need a Python")
}

/// A project, a private folder and something outside of both.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new(parent: &Path) -> Self {
        let place = Self { folder: tempfile::Builder::new().prefix("pytead-test-").tempdir_in(parent).unwrap() };
        for folder in ["project", "scratch", "outside"] {
            std::fs::create_dir(place.path(folder)).unwrap();
        }
        std::fs::write(place.path("project/module.py"), "x = 1\n").unwrap();
        std::fs::write(place.path("outside/secret"), "secret").unwrap();
        for file in ["outside/secret", "project/module.py"] {
            // Where the file system has attributes: there is one to remove.
            let _ = rustix::fs::setxattr(place.path(file), "user.there", b"x", rustix::fs::XattrFlags::empty());
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn confinement(&self) -> Confinement {
        let mut confinement = Confinement::new(self.path("project"), self.path("scratch"));
        confinement.limits.file_size = 1 << 20;
        confinement.limits.processes = 64;
        confinement.limits.address_space = 2 << 30;
        confinement.limits.cpu_seconds = 60;
        confinement
    }

    fn command(&self, level: Level, program: &Path, args: &[&str]) -> Command {
        contain::command(level, &self.confinement(), program, args).unwrap()
    }

    fn run(&self, level: Level, program: &Path, args: &[&str]) -> Output {
        self.command(level, program, args).stdin(Stdio::null()).output().unwrap()
    }
}

#[test]
fn nothing_gets_out_of_a_kernel_level() {
    let python = python();
    for level in levels() {
        // Below the temporary folder and below the home folder: what hides those must not hide the project.
        for parent in [std::env::temp_dir(), PathBuf::from(std::env::var_os("HOME").unwrap())] {
            let place = Place::new(&parent);
            escape(level, &place, &python);
        }
    }
}

/// Before Linux 6.12 Landlock does not look at signals. strace has the kernel say that it is such a one.
#[test]
fn nothing_gets_out_of_an_older_kernel_either() {
    if !levels().contains(&Level::Landlock) {
        return;
    }
    let place = Place::new(&std::env::temp_dir());
    let calls = place.path("outside/calls");
    let older = |plain: Command| {
        let args: Vec<_> = plain.get_args().collect();
        // Its version is asked for by the first two calls of a process. The sandbox is tied to the process that starts it: strace.
        let line = "calls=$0 program=$1 level=$2 spec=$3; shift 3; exec strace -f -qq -e trace=landlock_create_ruleset \
                    -e inject=landlock_create_ruleset:retval=4:when=1..2 -o \"$calls\" \
                    \"$program\" __contain \"$level\" --parent $$ --spec \"$spec\" -- \"$@\"";
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).arg(&calls).arg(plain.get_program()).args([args[1], args[5]]).args(&args[7..]).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    if !Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no strace, which simulates an older kernel");
        return;
    }
    escape_by(Level::Landlock, &place, &python(), older);
    let said = std::fs::read_to_string(&calls).unwrap();
    assert!(said.contains("INJECTED"), "no older kernel was simulated: {said}");
}

/// Lists the names of the files in a folder: none of them may be seen from inside.
pub fn files_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The flag of an opening that waits for nobody.
fn libc_nonblock() -> i32 {
    rustix::fs::OFlags::NONBLOCK.bits().cast_signed()
}

fn escape(level: Level, place: &Place, python: &Interpreter) {
    escape_by(level, place, python, |command| command);
}

/// Tries to get out of a sandbox that is started as `start` makes it of its command.
fn escape_by(level: Level, place: &Place, python: &Interpreter, start: impl Fn(Command) -> Command) {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let unix = UnixListener::bind(place.path("project/socket")).unwrap();
    unix.set_nonblocking(true).unwrap();
    let datagrams = UnixDatagram::bind(place.path("project/datagrams")).unwrap();
    datagrams.set_nonblocking(true).unwrap();
    let pipe = place.path("project/pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let mut listener = OpenOptions::new().read(true).write(true).custom_flags(libc_nonblock()).open(&pipe).unwrap();
    let name = format!("pytead-test {}", place.path("project").display());
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let home = std::env::var("HOME").unwrap();
    let files = files_in(&home);
    let targets = serde_json::json!({
        "root": place.path("project"), "scratch": place.path("scratch"), "secret": place.path("outside/secret"),
        "home": home, "files": files, "tcp": tcp.local_addr().unwrap().port(),
        "udp": udp.local_addr().unwrap().port(), "unix": place.path("project/socket"), "abstract": name,
        "process": std::process::id(), "group": rustix::process::getpgrp().as_raw_nonzero().get(), "level": level.word(),
        "datagrams": place.path("project/datagrams"), "pipe": pipe, "memory": 4_u64 << 30, "file": 1 << 20, "processes": 500,
    });
    let mut confinement = place.confinement();
    confinement.read_only = python.prefixes.clone();
    confinement.read_only.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/escape.py");
    let command = contain::command(level, &confinement, &python.path, [script, &targets.to_string()]).unwrap();
    let output = start(command).stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&said)
        .unwrap_or_else(|error| panic!("{level:?}: {error}: {said} {}", String::from_utf8_lossy(&output.stderr)));

    let mut escaped: Vec<&str> = report["tried"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, how)| *how == "escaped" || *how == "NameError")
        .map(|(name, _)| name.as_str())
        .collect();
    let is_root = rustix::process::geteuid().is_root();
    // As in a container: then no /proc of our own can be mounted, by which the kernel bounds the numbers of processes.
    let hides_processes = std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(" /proc/");
    if is_root && (level == Level::Landlock || hides_processes) {
        // The kernel does not count the processes of the machine's user 0, and there is no namespace to do so.
        escaped.retain(|name| *name != "many_processes");
    }
    assert!(escaped.is_empty(), "{level:?}: {escaped:?} of {:#}", report["tried"]);
    let how = |name: &str| report["tried"][name].as_str().unwrap_or_default().to_owned();
    for name in ["write_into_the_project", "append_to_the_project", "remove_from_the_project"] {
        assert!(["EROFS", "EACCES"].contains(&how(name).as_str()), "{level:?} {name}: {}", how(name));
    }
    for name in [
        "call_mount",
        "call_unshare",
        "call_clone_user",
        "call_keyctl",
        "call_io_uring",
        "call_io_uring_by_x32",
        "type_into_the_terminal",
    ] {
        if cfg!(target_arch = "x86_64") {
            assert_eq!(how(name), "EPERM", "{level:?} {name}");
        }
    }
    assert_eq!(report["module"], "x = 1\n");
    assert_eq!(report["core"], 0);
    assert_eq!(report["written"], true);
    let environment = report["environment"].to_string();
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !environment.contains("CARGO"), "{environment}");

    assert_eq!(std::fs::read_to_string(place.path("outside/secret")).unwrap(), "secret");
    assert_eq!(std::fs::read_to_string(place.path("project/module.py")).unwrap(), "x = 1\n");
    assert_eq!(std::fs::read_to_string(place.path("scratch/kept")).unwrap(), "kept", "the private folder is ours to read");
    assert!(udp.recv(&mut [0; 8]).is_err() && unix.accept().is_err());
    assert!(datagrams.recv(&mut [0; 8]).is_err() && listener.read(&mut [0; 8]).is_err());
    let own = serde_json::json!(["heard", "heard", "heard", -9, -15, -15, "piped", -15, "echoed", "stored", "mapped"]);
    assert_eq!(report["own"], own, "{level:?}");
}

#[test]
fn a_file_saved_by_rename_is_seen_inside() {
    for level in levels() {
        let place = Place::new(&std::env::temp_dir());
        let mut child = place
            .command(level, Path::new("/bin/sh"), &["-c", "while read line; do cat module.py; done"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut asks, mut answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        for text in ["x = 2\n", "x = 3\n"] {
            std::fs::write(place.path("project/.module.py.tmp"), text).unwrap();
            std::fs::rename(place.path("project/.module.py.tmp"), place.path("project/module.py")).unwrap();
            std::io::Write::write_all(&mut asks, b"go\n").unwrap();
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            assert_eq!(line, text, "{level:?}");
        }
        drop(asks);
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn exit_codes_and_signals_come_through() {
    for level in [&levels()[..], &[Level::Weak]].concat() {
        let place = Place::new(&std::env::temp_dir());
        assert_eq!(place.run(level, Path::new("/bin/sh"), &["-c", "exit 42"]).status.code(), Some(42));
        assert_eq!(place.run(level, Path::new("/bin/sh"), &["-c", "kill -9 $$"]).status.code(), Some(137), "{level:?}");
        let output = place.run(level, Path::new("/bin/sh"), &["-c", "pwd; echo $HOME"]);
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(place.path("project").to_str().unwrap()));
    }
}

#[test]
fn a_sandbox_that_cannot_be_set_up_runs_nothing() {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    for level in levels() {
        // A sandbox inside a sandbox may not make namespaces.
        let place = Place::new(&std::env::temp_dir());
        let inner = place.command(Level::Namespaces, Path::new("/bin/sh"), &["-c", "echo ran"]);
        let mut confinement = place.confinement();
        confinement.read_only.push(Path::new(env!("CARGO_BIN_EXE_pytead-tui")).parent().unwrap().into());
        let output =
            contain::command(level, &confinement, Path::new(inner.get_program()), inner.get_args()).unwrap().output().unwrap();
        let (said, why) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(3), "{level:?} {why}");
        assert!(
            said.is_empty() && why.contains("Nothing was run: the namespaces sandbox could not be set up."),
            "{level:?} {said} {why}"
        );
    }
    let refused =
        Command::new(env!("CARGO_BIN_EXE_pytead-tui")).args(["__contain", "namespaces", "--", "/bin/sh"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3));
    let place = Place::new(&std::env::temp_dir());
    assert!(contain::command(Level::None, &place.confinement(), Path::new("/bin/true"), [""; 0]).is_err());
    let mut open = place.confinement();
    open.root = std::env::var_os("HOME").unwrap().into();
    assert!(contain::command(Level::Landlock, &open, Path::new("/bin/true"), [""; 0]).is_err(), "the home folder is no project");
}

/// Counts the processes whose command line holds a text.
fn alive(marker: &str) -> usize {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).starts_with(marker))
        })
        .count()
}

fn wait_until(mut what: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(10) {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// A shell line that leaves processes in sessions of their own, and the text that finds them.
fn stray(level: Level, tag: u32) -> (String, String) {
    let seconds = format!("98{}{tag}", std::process::id() + level as u32);
    (format!("setsid sleep {seconds} & (setsid sleep {seconds} &) ; sleep {seconds}"), format!("sleep\0{seconds}"))
}

#[test]
fn stopping_a_command_ends_all_it_started() {
    for level in [&levels()[..], &[Level::Weak]].concat() {
        let place = Place::new(&std::env::temp_dir());
        let (line, marker) = stray(level, 1);
        let mut child = place.command(level, Path::new("/bin/sh"), &["-c", &line]).stdin(Stdio::null()).spawn().unwrap();
        assert!(wait_until(|| alive(&marker) == 3), "{level:?}: {}", alive(&marker));
        contain::stop(child.id());
        assert_eq!(child.wait().unwrap().code(), Some(143), "{level:?}");
        assert!(wait_until(|| alive(&marker) == 0), "{level:?}: {} are left", alive(&marker));
    }
}

#[test]
fn a_command_ends_with_the_process_that_started_it() {
    for level in [&levels()[..], &[Level::Weak]].concat() {
        let place = Place::new(&std::env::temp_dir());
        let (line, marker) = stray(level, 2);
        let inner = place.command(level, Path::new("/bin/sh"), &["-c", &line]);
        let args: Vec<_> = inner.get_args().map(|arg| arg.to_str().unwrap()).collect();
        // The same command, started by a shell that says its own number as the starter's.
        let mut shell = Command::new("/bin/sh")
            .args(["-c", "\"$0\" __contain \"$1\" --parent $$ --spec \"$2\" -- /bin/sh -c \"$3\" & wait"])
            .args([inner.get_program().to_str().unwrap(), args[1], args[5], &line])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        assert!(wait_until(|| alive(&marker) == 3), "{level:?}: {}", alive(&marker));
        shell.kill().unwrap();
        assert_eq!(shell.wait().unwrap().signal(), Some(9));
        assert!(wait_until(|| alive(&marker) == 0), "{level:?}: {} are left", alive(&marker));
    }
}

#[test]
fn what_ignores_its_end_is_ended_when_its_time_is_up() {
    for level in levels() {
        let place = Place::new(&std::env::temp_dir());
        let (line, marker) = stray(level, 3);
        // All of them ignore whatever can be ignored.
        let line = format!("trap '' TERM INT HUP; {line}");
        let mut child = place.command(level, Path::new("/bin/sh"), &["-c", &line]).stdin(Stdio::null()).spawn().unwrap();
        assert!(wait_until(|| alive(&marker) == 3), "{level:?}: {}", alive(&marker));
        contain::stop(child.id());
        assert!(wait_until(|| child.try_wait().unwrap().is_some()), "{level:?}: it goes on");
        assert!(wait_until(|| alive(&marker) == 0), "{level:?}: {} are left", alive(&marker));
    }
}

#[test]
fn what_prints_without_end_fills_its_file_up_to_the_limit_and_is_ended() {
    for level in levels() {
        let place = Place::new(&std::env::temp_dir());
        // The file of its output is inherited and lies where it may write, as where drafts are run.
        let log = place.path("scratch/output");
        let file = std::fs::OpenOptions::new().append(true).create_new(true).open(&log).unwrap();
        let lines = ["exec yes", "exec yes 1>&2", "while :; do echo more || exit 7; done"];
        for line in lines {
            file.set_len(0).unwrap();
            let mut child = place
                .command(level, Path::new("/bin/sh"), &["-c", line])
                .stdin(Stdio::null())
                .stdout(file.try_clone().unwrap())
                .stderr(file.try_clone().unwrap())
                .spawn()
                .unwrap();
            assert!(wait_until(|| child.try_wait().unwrap().is_some()), "{level:?} {line}: it goes on");
            assert!(!child.wait().unwrap().success(), "{level:?} {line}");
            let written = file.metadata().unwrap().len();
            assert!((1..=1 << 20).contains(&written), "{level:?} {line}: {written}");
        }
    }
}

#[test]
fn a_closed_pipe_ends_a_writer() {
    for level in levels() {
        let place = Place::new(&std::env::temp_dir());
        let mut child = place
            .command(level, Path::new("/bin/sh"), &["-c", "while echo x; do :; done"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut first = [0; 2];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        assert!(wait_until(|| child.try_wait().unwrap().is_some()), "{level:?}");
    }
}

/// Runs a Python program that takes more and more; gives its code and what it said on the error stream.
fn take(level: Level, program: &str) -> (Option<i32>, String) {
    let (place, python) = (Place::new(&std::env::temp_dir()), python());
    let mut confinement = place.confinement();
    confinement.read_only = python.prefixes.clone();
    confinement.limits.tmp = 32 << 20;
    confinement.limits.file_size = 8 << 20;
    confinement.limits.address_space = 512 << 20;
    let scratch = place.path("scratch");
    let program = program.replace("SCRATCH", &format!("{:?}", scratch.to_str().unwrap()));
    let command = contain::command(level, &confinement, &python.path, ["-c", &program]);
    let output = command.unwrap().stdin(Stdio::null()).stdout(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Each of them stays below what one process or file may have.
#[test]
fn what_many_take_in_sum_is_bounded() {
    const STAY: &str = "\nimport time\ntime.sleep(60)";
    let files = "for n in range(1000):\n    open(f'{SCRATCH}/{n}', 'wb').write(bytes(1 << 20))";
    let nameless = "import tempfile\nopen_ = []\nfor n in range(100):\n    open_.append(tempfile.TemporaryFile(dir=SCRATCH))
    open_[-1].write(bytes(1 << 20))\n    open_[-1].flush()";
    let small = "for n in range(60_000):\n    open(f'{SCRATCH}/{n}', 'wb').close()";
    let deep = "import os\nos.chdir(SCRATCH)\nfor n in range(60):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)";
    let children = "import os\nfor n in range(8):\n    if os.fork() == 0:\n        kept = bytearray(100 << 20)
        for at in range(0, len(kept), 4096):\n            kept[at] = 1\n        break";
    let memory = "import os\nfor n in range(200):\n    file = os.memfd_create('x')\n    os.write(file, bytes(8 << 20))";
    for level in levels() {
        for (program, what) in [
            (files, "32 MiB of disk"),
            (nameless, "32 MiB of disk"),
            (small, "disk"),
            (deep, "disk"),
            (children, "memory"),
            (memory, "memory"),
        ] {
            let (code, said) = take(level, &format!("{program}{STAY}"));
            assert_eq!(code, Some(143), "{level:?} {program}: {said}");
            assert!(
                said.contains("pytead-tui: Ended: its processes took more than") && said.contains(what),
                "{level:?} {program}: {said}"
            );
        }
        let shared = "import os\nkept = bytearray(250 << 20)\nfor at in range(0, len(kept), 4096):\n    kept[at] = 1
for n in range(8):\n    if os.fork() == 0:\n        break\nimport time\ntime.sleep(1)";
        assert_eq!(take(level, shared).0, Some(0), "{level:?}: what processes share counts once");
    }
}
