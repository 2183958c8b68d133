//! Asking a person at the terminal, on the error stream: standard output is for results.

use std::io::{BufRead, Write};

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::command::Command;
use crate::domain::question::{About, QuestionId};
use crate::engine::Handle;

/// Asks and gives the line that was typed; `None` when nothing will come any more.
///
/// # Errors
/// Fails when the answer cannot be read.
pub async fn ask(question: &str) -> Result<Option<String>, Trouble> {
    let question = question.to_owned();
    let unreadable = || Trouble::environment("The answer could not be read.");
    let read = tokio::task::spawn_blocking(move || {
        let mut stderr = std::io::stderr();
        // Where nobody sees the question, nobody answers it.
        let _ = write!(stderr, "{}", text::display(&question)).and_then(|()| stderr.flush());
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|read| (read > 0).then(|| line.trim().to_owned()))
    });
    read.await.map_err(|error| unreadable().because(error))?.map_err(|error| unreadable().because(error))
}

/// Puts a question of the engine to the person and hands the answer back.
///
/// # Errors
/// Fails when the answer cannot be read.
pub async fn question(handle: &Handle, id: QuestionId) -> Result<(), Trouble> {
    let snapshot = handle.refreshed().await;
    let Some(question) = snapshot.questions.iter().find(|question| question.id == id) else { return Ok(()) };
    let line = question.about.line();
    let keys = match question.about {
        About::WeakContainment { .. } => "y yes, in this folder   n no",
        About::FirstSend { .. } => "y send   v show the bytes   n not now",
        About::LargeDownload { .. } => "y yes   n no",
    };
    let yes = loop {
        match ask(&format!("{line}\n{keys} > ")).await?.as_deref() {
            Some("y") => break true,
            Some("v") if matches!(question.about, About::FirstSend { .. }) => {
                let bytes = handle.outgoing(id).unwrap_or_default();
                let mut stderr = std::io::stderr();
                let _ = writeln!(stderr, "{}", text::display(&bytes));
            }
            None | Some("n") => break false,
            Some(_) => {}
        }
    };
    handle.perform(Command::Answer { question: id, yes }).await.map(|_| ())
}
