//! A program that answers a request: started for it in a group of its own, told the request on its input, read line by
//! line, and ended with everything it started.
//!
//! What its lines mean is for `claude_code` and `command`. The program is one the person chose by name in their own
//! settings, so it runs as they do.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::base::text::{cut, display_line};
use crate::llm::provider::{ModelError, Piece, Usage};

/// Most bytes of a line: programs repeat a whole answer in one.
const LINE_MAX: u64 = 8 << 20;
/// Most bytes of an answer.
pub(crate) const ANSWER_MAX: usize = 1 << 20;
/// Bytes kept of the end of what the program complained of.
const SAID_MAX: usize = 4 << 10;
/// Columns shown of what a program said.
const SHOWN: usize = 300;
/// How long a program that closed its output may take to end.
const ENDING: Duration = Duration::from_secs(2);
/// Pieces that wait for a slow reader.
const PIECES: usize = 64;

/// A running program.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    group: Option<Pid>,
    output: BufReader<ChildStdout>,
    said: Arc<Mutex<Vec<u8>>>,
    listens: JoinHandle<()>,
}

impl Program {
    /// Starts a program, writes its input and closes it.
    ///
    /// # Errors
    /// Fails when it cannot be started.
    pub(crate) fn start(mut command: Command, input: String) -> std::io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
        let mut child = command.spawn()?;
        let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let gone = || std::io::Error::other("it has no pipes");
        let mut stdin = child.stdin.take().ok_or_else(gone)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        let errors = child.stderr.take().ok_or_else(gone)?;
        let said = Arc::new(Mutex::new(Vec::new()));
        // Beside reading: a program that answers before it has read everything must not wait for us, nor we for it.
        tokio::spawn(async move {
            // One that does not read is seen by its answer, or by its end.
            let _ = stdin.write_all(input.as_bytes()).await;
        });
        let listens = tokio::spawn(keep_end(errors, Arc::clone(&said)));
        Ok(Self { child, group, output, said, listens })
    }

    /// Gives the next line that is not empty; `None` when there will be none any more, `Some(Err)` for one too long.
    pub(crate) async fn line(&mut self) -> Option<Result<Vec<u8>, ()>> {
        loop {
            let mut line = Vec::new();
            let read = (&mut self.output).take(LINE_MAX).read_until(b'\n', &mut line).await;
            match read {
                Ok(0) | Err(_) => return None,
                Ok(_) if !line.ends_with(b"\n") && line.len() as u64 == LINE_MAX => return Some(Err(())),
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(_) => return Some(Ok(line)),
            }
        }
    }

    /// Waits for its end, and says how it went: the exit, and its last words.
    pub(crate) async fn gone(&mut self) -> String {
        let status = timeout(ENDING, self.child.wait()).await.ok().and_then(Result::ok);
        let how = match status.as_ref().map(ExitStatus::code) {
            Some(Some(0)) => "it ended without an answer".to_owned(),
            Some(Some(code)) => format!("it ended with {code}"),
            Some(None) => "it was killed".to_owned(),
            None => "it closed its output".to_owned(),
        };
        // What it started may hold the pipe open; then what came so far has to do.
        let _ = timeout(ENDING, &mut self.listens).await;
        let said = String::from_utf8_lossy(&self.said.lock()).into_owned();
        match said.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(last) => format!("{how}. Its last words: {}", shown(last)),
            None => how,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Where it ended by itself, this is for what it left behind.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Makes what a program said fit for people.
pub(crate) fn shown(text: &str) -> String {
    cut(&display_line(text.trim()), SHOWN).into_owned()
}

/// Runs an answer on a task of its own: it ends with the token, and when nobody reads it any more. What it holds is
/// dropped then, its program with it.
pub(crate) fn run<F>(
    cancel: CancellationToken,
    answer: impl FnOnce(mpsc::Sender<Result<Piece, ModelError>>) -> F,
) -> mpsc::Receiver<Result<Piece, ModelError>>
where
    F: Future<Output = Result<Usage, ModelError>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(PIECES);
    let answer = answer(sender.clone());
    tokio::spawn(async move {
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            () = sender.closed() => return,
            ended = answer => ended,
        };
        // Whoever dropped the receiver does not want to know.
        let _ = sender.send(ended.map(Piece::End)).await;
    });
    receiver
}

async fn keep_end(mut errors: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = [0; 1 << 10];
    while let Ok(read @ 1..) = errors.read(&mut bytes).await {
        let mut said = said.lock();
        said.extend_from_slice(&bytes[..read]);
        let over = said.len().saturating_sub(SAID_MAX);
        said.drain(..over);
    }
}
