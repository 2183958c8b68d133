//! A real terminal for tests: the real binary behind a pseudo-terminal, its screen kept by a terminal emulator.
//!
//! Tests wait for what the screen shows, never for time to pass; the deadline only ends a test that has failed.

pub mod agent;
pub mod judge;
pub mod model;
pub mod package;
pub mod picture;
mod prepared;
mod recording;
pub mod watch;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longest wait for a condition. Generous, for machines that do other things too.
const DEADLINE: Duration = Duration::from_secs(90);

/// A project in a folder of its own, with a home folder of its own.
pub struct Place {
    folder: tempfile::TempDir,
    /// The interpreter that is found first.
    python: PathBuf,
}

impl Place {
    /// Copies an example project.
    pub fn example(name: &str) -> Self {
        let place = Self::empty();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name), &place.root());
        place
    }

    /// Copies a project of `tests/fixtures`.
    pub fn fixture(name: &str) -> Self {
        let place = Self::empty();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name), &place.root());
        place
    }

    /// Makes an empty project folder.
    pub fn empty() -> Self {
        let place = Self::new();
        package::link_into(&place.home().join("cache"));
        place
    }

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("project")).unwrap();
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        Self { folder, python: python_with_pytest() }
    }

    /// Has programs find an environment that has these packages too, as [`environment_with`].
    pub fn with_packages(mut self, folders: &[&str]) -> Self {
        self.python = environment_with(folders).into();
        self
    }

    /// The interpreter that is found first.
    pub fn python(&self) -> &Path {
        &self.python
    }

    /// Copies a project with all that is kept of it, its home folder too, and trusts the copy.
    pub fn twin(&self) -> Self {
        let twin = Self::copy_of(self.folder.path());
        let (code, _, err) = twin.run(&["trust"]);
        assert_eq!(code, 0, "{err}");
        twin
    }

    /// The project's root.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("home")
    }

    /// Reads a file of the project.
    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Runs git in the project, as nobody in particular.
    pub fn git(&self, args: &[&str]) {
        let identity =
            ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
        let mut command = std::process::Command::new("git");
        let status = command.args(identity).args(args).current_dir(self.root()).env_clear().envs(self.environment()).status();
        assert!(status.unwrap().success(), "git {args:?}");
    }

    /// Makes the project a repository with all of it in one commit.
    pub fn commit(&self) {
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "as it was"]);
    }

    /// Writes a file of the project the way editors do: beside it, then renamed over it.
    pub fn save(&self, path: &str, text: &str) {
        let target = self.root().join(path);
        let beside = target.with_extension("tmp~");
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::write(&beside, text).unwrap();
        // Python takes a file for the one that it has compiled when their sizes and seconds are equal. No person is so quick.
        let file = std::fs::File::options().write(true).open(&beside).unwrap();
        let second = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap().as_secs();
        let now = file.metadata().unwrap().modified().unwrap();
        let before = std::fs::metadata(&target).and_then(|old| old.modified()).ok();
        if let Some(before) = before.filter(|before| second(*before) >= second(now)) {
            file.set_modified(before + Duration::from_secs(1)).unwrap();
        }
        std::fs::rename(&beside, &target).unwrap();
    }

    /// Replaces a text in a file of the project; it must be there.
    pub fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} has no {old:?}");
        self.save(path, &text.replace(old, new));
    }

    /// The variables under which the binary runs here: its own home, no colours of the tester's, a known Python.
    pub fn environment(&self) -> Vec<(String, String)> {
        let home = self.home();
        let mut variables: Vec<(String, String)> = [
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home.join("config")),
            ("XDG_STATE_HOME", home.join("state")),
            ("XDG_CACHE_HOME", home.join("cache")),
        ]
        .into_iter()
        .map(|(name, path)| (name.to_owned(), path.display().to_string()))
        .collect();
        for (name, value) in
            [("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("LC_ALL", "C.UTF-8"), ("SHELL", "/bin/sh"), ("USER", "ada")]
        {
            variables.push((name.into(), value.into()));
        }
        variables
            .push(("PATH".into(), format!("{}:{}", self.python.parent().unwrap().display(), std::env::var("PATH").unwrap())));
        variables
    }

    /// Prepares the binary with these arguments, for running without a terminal.
    pub fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pytead-tui"));
        command.args(args).current_dir(self.root()).env_clear().envs(self.environment()).stdin(std::process::Stdio::null());
        command
    }

    /// Runs the binary without a terminal and gives exit code, standard output and error output.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with(args, &[])
    }

    /// As [`Place::run`], with more variables.
    pub fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> (i32, String, String) {
        let output = self.command(args).envs(env.iter().copied()).output().unwrap();
        (
            output.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }
}

/// Writes a script that can be run at once. Another process writes it: this one may run tests in many
/// threads, and a child that one of them is about to start would still hold the file open, so that the system refuses to run it.
pub fn script(path: &Path, text: &str) {
    let writes = "mkdir -p \"${0%/*}\" && cat >\"$0\" && chmod 755 \"$0\"";
    let mut shell = std::process::Command::new("/bin/sh");
    let mut shell = shell.args(["-c", writes]).arg(path).stdin(std::process::Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success(), "{}", path.display());
}

/// Finds an interpreter with pytest: the development environment's first. Each process looks for it once.
pub fn python_with_pytest() -> PathBuf {
    static FOUND: LazyLock<PathBuf> = LazyLock::new(|| python_with("pytest"));
    FOUND.clone()
}

/// Finds an interpreter that has a module: the development environment's first.
pub fn python_with(module: &str) -> PathBuf {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python");
    let mut candidates = std::iter::once(own).chain(std::env::split_paths(&search).map(|folder| folder.join("python3")));
    let found = candidates.find(|python| has(python, module));
    found.unwrap_or_else(|| panic!("no Python with {module}: `make test` installs one into .venv"))
}

/// Gives the interpreter of an environment that has, beside the packages of the development environment, those of folders below
/// `.venv`. The first test of a build that wants it makes it.
pub fn environment_with(folders: &[&str]) -> String {
    let python = python_with_pytest();
    let name = format!("{}-{}", python.canonicalize().unwrap().display(), folders.join("-")).replace('/', "-");
    let own: PathBuf = [env!("CARGO_TARGET_TMPDIR"), "environments", &name].iter().collect();
    let (interpreter, complete) = (own.join("bin/python"), own.join("complete"));
    std::fs::create_dir_all(&own).unwrap();
    let turn = std::fs::File::create(own.join("making")).unwrap();
    turn.lock().unwrap();
    let more: String = folders.iter().map(|folder| format!("{}\n", packages_of(folder).display())).collect();
    if std::fs::read_to_string(&complete).is_ok_and(|there| there == more) {
        return interpreter.display().to_string();
    }
    let made = std::process::Command::new(&python).args(["-m", "venv", "--without-pip"]).arg(&own).status();
    assert!(made.unwrap().success());
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let asked = std::process::Command::new(&python).args(["-c", ask]).output().unwrap();
    let packages = String::from_utf8(asked.stdout).unwrap();
    let inside = Path::new(&packages).strip_prefix(python.parent().unwrap().parent().unwrap()).unwrap();
    let others = own.join(inside.to_str().unwrap().trim()).join("others.pth");
    std::fs::write(others, format!("{packages}{more}")).unwrap();
    std::fs::write(complete, more).unwrap();
    interpreter.display().to_string()
}

/// Gives a folder below `.venv` whose packages only some tests import.
pub fn packages_of(folder: &str) -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv").join(folder);
    assert!(packages.is_dir(), "{folder} is not there: `make test` installs it");
    packages
}

/// Tells whether an interpreter has a module. To import it would take ten times as long.
pub fn has(python: &Path, module: &str) -> bool {
    let look = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)";
    let looked = std::process::Command::new(python).args(["-c", look, module]).stderr(std::process::Stdio::null()).status();
    looked.is_ok_and(|status| status.success())
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if [".pytead", "__pycache__", ".pytest_cache", ".venv"].iter().any(|skip| name == *skip) {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(name));
        } else {
            std::fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// The binary in a pseudo-terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    shared: Arc<(Mutex<Shared>, Condvar)>,
    size: (u16, u16),
}

struct Shared {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// How many bytes had come after so many seconds.
    came: Vec<(f64, usize)>,
    ended: bool,
}

impl Shared {
    /// Tells whether a frame has begun and not ended: what is drawn as one is shown as one.
    fn is_drawing(&self) -> bool {
        is_drawing(&self.raw)
    }
}

/// Says of each thread of a process what it waits for in the kernel, so that a hang that is seen once can be explained.
fn threads(process: u32) -> String {
    let read = |task: &Path, name: &str| std::fs::read_to_string(task.join(name)).unwrap_or_default().trim().to_owned();
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let said = tasks.map(|task| {
        let call = read(&task.path(), "syscall");
        format!(
            "{} {} (call {})",
            read(&task.path(), "comm"),
            read(&task.path(), "wchan"),
            call.split(' ').next().unwrap_or_default()
        )
    });
    said.collect::<Vec<_>>().join(", ")
}

/// Tells whether a frame has begun in what a terminal received, and not ended.
fn is_drawing(raw: &[u8]) -> bool {
    let last = |sequence: &[u8]| raw.windows(sequence.len()).rposition(|part| part == sequence);
    last(b"\x1b[?2026h") > last(b"\x1b[?2026l")
}

impl Terminal {
    /// Starts the binary with a terminal of `columns` × `rows`.
    pub fn start(place: &Place, args: &[&str], columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_pytead-tui"));
        command.args(args);
        Self::spawn(place, command, columns, rows)
    }

    /// Starts a shell script with a terminal; `$PYTEAD` is the binary.
    pub fn shell(place: &Place, script: &str, columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new("/bin/sh");
        command.args(["-c", script]);
        command.env("PYTEAD", env!("CARGO_BIN_EXE_pytead-tui"));
        Self::spawn(place, command, columns, rows)
    }

    fn spawn(place: &Place, mut command: CommandBuilder, columns: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
        let script = command.get_env("PYTEAD").map(ToOwned::to_owned);
        command.env_clear();
        for (name, value) in place.environment() {
            command.env(name, value);
        }
        if let Some(binary) = script {
            command.env("PYTEAD", binary);
        }
        command.cwd(place.root());
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let shared = Arc::new((
            Mutex::new(Shared { parser: vt100::Parser::new(rows, columns, 0), raw: Vec::new(), came: Vec::new(), ended: false }),
            Condvar::new(),
        ));
        let (filled, begun) = (shared.clone(), Instant::now());
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            loop {
                let read = reader.read(&mut buffer).unwrap_or(0);
                let mut inner = filled.0.lock().unwrap();
                if read == 0 {
                    inner.ended = true;
                    filled.1.notify_all();
                    return;
                }
                inner.parser.process(&buffer[..read]);
                inner.raw.extend_from_slice(&buffer[..read]);
                let all = inner.raw.len();
                inner.came.push((begun.elapsed().as_secs_f64(), all));
                filled.1.notify_all();
            }
        });
        Self { master: pair.master, child, writer, shared, size: (columns, rows) }
    }

    /// Types text, or escape sequences.
    pub fn keys(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Gives the screen as lines, trailing spaces removed.
    pub fn screen(&self) -> String {
        let inner = self.shared.0.lock().unwrap();
        contents(&inner.parser, self.size.0)
    }

    /// Draws the screen as it is.
    pub fn picture(&self, title: &str) -> String {
        picture::svg(self.shared.0.lock().unwrap().parser.screen(), title)
    }

    /// Gives what the terminal received, and when.
    pub fn recording(&self) -> recording::Recording {
        let inner = self.shared.0.lock().unwrap();
        let mut from = 0;
        let piece = |(at, to): &(f64, usize)| (*at, inner.raw[std::mem::replace(&mut from, *to)..*to].to_vec());
        recording::Recording { size: self.size, pieces: inner.came.iter().map(piece).collect() }
    }

    /// Gives every byte the terminal received.
    pub fn raw(&self) -> Vec<u8> {
        self.shared.0.lock().unwrap().raw.clone()
    }

    /// Waits until the screen contains a text.
    pub fn wait(&self, text: &str) -> String {
        self.wait_until(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Waits until a text is gone from the screen.
    pub fn wait_gone(&self, text: &str) -> String {
        self.wait_until(&format!("no {text:?}"), |screen| !screen.contains(text))
    }

    /// Waits until the screen is as a condition wants it.
    pub fn wait_until(&self, what: &str, good: impl Fn(&str) -> bool) -> String {
        let until = Instant::now() + DEADLINE;
        let mut inner = self.shared.0.lock().unwrap();
        loop {
            let screen = contents(&inner.parser, self.size.0);
            // Half of a frame is nothing that anybody sees.
            if (inner.ended || !inner.is_drawing()) && good(&screen) {
                return screen;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !inner.ended, "waited for {what}; ended: {}; the screen is\n{screen}", inner.ended);
            inner = self.shared.1.wait_timeout(inner, left.min(Duration::from_millis(200))).unwrap().0;
        }
    }

    /// Changes the size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.size = (columns, rows);
        // The emulator itself breaks when a wide character does not fit into a line.
        self.shared.0.lock().unwrap().parser.screen_mut().set_size(rows.max(2), columns.max(4));
        self.master.resize(PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Waits for the end and gives the exit code.
    pub fn end(&mut self) -> u32 {
        let until = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            let last = Instant::now() >= until;
            // Questions stand at the bottom, which a long log may cut off.
            let bottom = || self.screen().lines().rev().take(16).collect::<Vec<_>>().join("\n");
            let threads = || threads(self.pid());
            assert!(!last, "it does not end; from the bottom:\n{}\n{}\nthe screen is\n{}", bottom(), threads(), self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn contents(parser: &vt100::Parser, columns: u16) -> String {
    parser.screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
