//! pytest started as a child that can be stopped, and its last words: for whoever runs tests while a person does other things.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::base::error::Trouble;
use crate::base::text;
use crate::engine::state::core::Core;

/// How long the last words are waited for, once it ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Lines of its output that are kept to say what went wrong.
const KEPT: usize = 30;

/// pytest that runs; it ends when this is dropped.
pub struct Running {
    child: Child,
    said: JoinHandle<Vec<String>>,
    complained: JoinHandle<Vec<String>>,
}

impl Running {
    /// Starts it in the project's root.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn begin(core: &Core, mut command: std::process::Command) -> Result<Self, Trouble> {
        command.current_dir(&core.root).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Command::from(command).kill_on_drop(true).spawn().map_err(failed)?;
        let (said, complained) = (tokio::spawn(tail(child.stdout.take())), tokio::spawn(tail(child.stderr.take())));
        Ok(Self { child, said, complained })
    }

    /// Tells how it ended, once it did.
    ///
    /// # Errors
    /// When it was lost.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>, Trouble> {
        self.child.try_wait().map_err(failed)
    }

    /// Ends it, with its own children as far as they end with it.
    pub async fn stop(mut self) {
        let _ = self.child.kill().await;
    }

    /// Gives the last thing it said, for people.
    pub async fn last_word(self) -> String {
        let (said, complained) = (last_words(self.said).await, last_words(self.complained).await);
        let last = |lines: &[String]| lines.iter().rev().find(|line| !line.trim().is_empty()).cloned();
        let why = last(&complained).or_else(|| last(&said)).unwrap_or_else(|| "it said nothing".into());
        text::display_line(&why).into_owned()
    }
}

fn failed(error: std::io::Error) -> Trouble {
    Trouble::environment("pytest could not be started.").because(format!("{error}."))
}

/// Reads what a program says to its end, and keeps the last lines.
async fn tail(from: Option<impl AsyncRead + Unpin>) -> Vec<String> {
    let mut kept = Vec::new();
    let Some(from) = from else { return kept };
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        if kept.len() == KEPT {
            kept.remove(0);
        }
        kept.push(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
    kept
}

/// Gives what a program that ended said. What it left running may hold its pipes: that is not waited for.
async fn last_words(told: JoinHandle<Vec<String>>) -> Vec<String> {
    tokio::time::timeout(LAST_WORDS, told).await.ok().and_then(Result::ok).unwrap_or_default()
}
