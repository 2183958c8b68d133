//! The process of `pytead-llm`: found, started in a sandbox where there is one, listened to, ended.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::base::text::{cut, display_line};
use crate::contain::{self, Confinement, Level, Limits};
use crate::llm::local::protocol::{Load, Order, Report};
use crate::llm::provider::ModelError;

/// Names the program, in place of the one beside ours.
const VARIABLE: &str = "PYTEAD_LLM";
const NAME: &str = "pytead-llm";
/// Most bytes of a report.
const LINE_MAX: u64 = 1 << 20;
/// Reports that wait for whoever reads them.
const REPORTS: usize = 256;
/// Bytes kept of the end of what llama.cpp said.
const SAID_MAX: usize = 4 << 10;
/// Columns shown of it.
const SHOWN: usize = 200;
/// How long a program that closed its output may take to end.
const ENDING: Duration = Duration::from_secs(2);
/// A model is read into memory, and threads and buffers come on top.
const ADDRESS_SPACE: u64 = 1 << 40;
/// Answers take hours of processor time in the life of a workbench.
const CPU_SECONDS: u64 = 1 << 30;

/// A running `pytead-llm`.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    input: ChildStdin,
    reports: mpsc::Receiver<Report>,
    said: Arc<Mutex<Vec<u8>>>,
    load: Load,
    level: Level,
    answers: u64,
    _scratch: Option<Scratch>,
}

/// Finds `pytead-llm`: the one named by the variable, else the one beside this program.
///
/// # Errors
/// Says that there is none, and what can be done.
pub fn program() -> Result<PathBuf, Trouble> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let path = PathBuf::from(named);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(Trouble::environment(format!("{VARIABLE} names {}, which is no file.", display_line(&path.to_string_lossy())))
                .so(format!("Correct {VARIABLE}, or unset it.")))
        };
    }
    let current = std::env::current_exe().ok();
    // A test lies one folder deeper than what was built with it.
    let beside = current.iter().flat_map(|path| path.ancestors().skip(1).take(2)).map(|folder| folder.join(NAME));
    beside.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        Trouble::environment("Models cannot be run on this machine: pytead-llm is missing.")
            .because("It is not beside pytead-tui.")
            .so(format!(
                "Install it (pip install 'pytead-tui[local]'), build it from the sources (cargo install --path src/pytead-llm), \
                 name the program in {VARIABLE}, or use a server."
            ))
    })
}

/// Gives the memory of this machine, where the system says.
pub(super) fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1 << 10)
}

impl Child {
    /// Starts the program and tells it what to load.
    pub(super) fn start(load: Load) -> Result<Self, ModelError> {
        let not = |trouble: Trouble| {
            let todo = trouble.todo.as_ref().map(ToString::to_string).unwrap_or_default();
            ModelError::Unavailable { model: NAME.into(), why: trouble.cause(), todo }
        };
        let (mut command, scratch, level) = command(&program().map_err(not)?, Path::new(&load.path)).map_err(not)?;
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| not(Trouble::environment(format!("{NAME} does not start: {error}."))))?;
        let (Some(input), Some(output), Some(errors)) = (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err(not(Trouble::internal(format!("{NAME} has no pipes."))));
        };
        let (sender, reports) = mpsc::channel(REPORTS);
        let said = Arc::new(Mutex::new(Vec::new()));
        std::thread::spawn(move || listen(output, &sender));
        std::thread::spawn({
            let said = Arc::clone(&said);
            move || keep_end(errors, &said)
        });
        let mut child = Self { process, input, reports, said, load, level, answers: 0, _scratch: scratch };
        child.tell(&Order::Load(child.load.clone()))?;
        Ok(child)
    }

    /// Tells whether it runs, with this loaded.
    pub(super) fn is_for(&mut self, load: &Load) -> bool {
        self.load == *load && matches!(self.process.try_wait(), Ok(None))
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.answers += 1;
        self.answers
    }

    /// Writes an order. One that cannot be written was for a program that is gone, which is seen when its reports end.
    pub(super) fn tell(&mut self, order: &Order) -> Result<(), ModelError> {
        let mut line = serde_json::to_string(order).map_err(|error| ModelError::Setup(error.to_string()))?;
        line.push('\n');
        let _ = self.input.write_all(line.as_bytes());
        Ok(())
    }

    /// Gives the next report; `None` when there will be none any more.
    pub(super) async fn next(&mut self) -> Option<Report> {
        self.reports.recv().await
    }

    /// Says why the program is gone.
    pub(super) async fn gone(&mut self, model: &str) -> ModelError {
        let until = tokio::time::Instant::now() + ENDING;
        let status = loop {
            match self.process.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if tokio::time::Instant::now() < until => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => break None,
            }
        };
        let said = String::from_utf8_lossy(&self.said.lock()).into_owned();
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        let (why, todo) = reason(status);
        let why = match last.map(|line| cut(&display_line(line.trim()), SHOWN).into_owned()) {
            Some(last) => format!("{why} Its last words: {last}"),
            None => why.to_owned(),
        };
        ModelError::Unavailable { model: model.to_owned(), why, todo: todo.to_owned() }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.level == Level::None {
            let _ = self.process.kill();
        } else {
            contain::stop(self.process.id());
        }
        // Both end at once; waiting leaves no zombie behind.
        let _ = self.process.wait();
    }
}

/// Builds the command: in a sandbox that lets it read its model and nothing else, where the kernel has one.
fn command(program: &Path, model: &Path) -> Result<(Command, Option<Scratch>, Level), Trouble> {
    // On llama.cpp's assertions no debugger is started on anybody's terminal.
    let quiet = ("GGML_NO_BACKTRACE", "1");
    let level = contain::available();
    // On macOS llama.cpp looks for the graphics processor as it loads, and nobody has tried whether it does without in a sandbox.
    if !level.is_kernel() || level == Level::Seatbelt {
        let mut command = Command::new(program);
        command.env_clear().envs([quiet]);
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        return Ok((command, None, Level::None));
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let scratch = Scratch::new()?;
    let mut confinement = Confinement::new(real(scratch.path()), real(scratch.path()));
    confinement.read_only = vec![real(program), model.to_owned()];
    confinement.limits = Limits { address_space: ADDRESS_SPACE, cpu_seconds: CPU_SECONDS, ..Limits::default() };
    confinement.env.insert(quiet.0.into(), quiet.1.into());
    let command = contain::command(level, &confinement, &real(program), std::iter::empty::<&str>())?;
    Ok((command, Some(scratch), level))
}

/// Reads reports until there are none, or nobody wants them.
fn listen(output: ChildStdout, reports: &mpsc::Sender<Report>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(1..) if line.ends_with(b"\n") => {}
            _ => return,
        }
        match serde_json::from_slice(&line) {
            Ok(report) => {
                if reports.blocking_send(report).is_err() {
                    return;
                }
            }
            Err(error) => tracing::debug!(%error, "a line of pytead-llm is no report"),
        }
    }
}

/// Reads what llama.cpp says and keeps the end of it: it never reaches a screen while all is well.
fn keep_end(mut errors: ChildStderr, said: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 1 << 10];
    while let Ok(read @ 1..) = errors.read(&mut bytes) {
        let mut said = said.lock();
        said.extend_from_slice(&bytes[..read]);
        let over = said.len().saturating_sub(SAID_MAX);
        said.drain(..over);
    }
}

/// Says what an exit means for people, and what they can do.
fn reason(status: Option<ExitStatus>) -> (&'static str, &'static str) {
    const ABORT: i32 = 6;
    const KILL: i32 = 9;
    const ILLEGAL: i32 = 4;
    let signal = status.and_then(|status| status.signal().or_else(|| status.code().map(|code| code - 128)));
    match signal {
        Some(KILL) => ("it was killed, most likely because memory ran out.", "Close other programs, or use a smaller model."),
        Some(ABORT) => ("llama.cpp gave up.", "Get the model again, or use another one."),
        Some(ILLEGAL) => ("it uses instructions that this processor lacks.", "Use a model on another machine."),
        Some(1..=64) => ("llama.cpp crashed.", "Get the model again, or use another one."),
        _ => ("it ended.", "Ask again."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_says_what_it_means_inside_a_sandbox_and_outside() {
        for (raw, said) in
            [(9, "memory"), (137 << 8, "memory"), (6, "gave up"), (134 << 8, "gave up"), (11, "crashed"), (0, "ended")]
        {
            assert!(reason(Some(ExitStatus::from_raw(raw))).0.contains(said), "{raw}");
        }
        assert!(reason(None).0.contains("ended"));
    }
}
