//! One run of a warm Python: started contained, spoken to in frames, ended with its owner. What is said is `zygote.rs`.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::base::error::Trouble;
use crate::base::scratch::Scratch;
use crate::base::text;
use crate::contain::{self, Confinement};
use crate::python::protocol::{Hello, Op, Reply, Request, frame, read_reply};
use crate::python::zygote::{PATIENCE, WorkerSpec};

/// How much of what the process says on stderr is kept for its last words.
const LAST_WORDS: usize = 4096;

/// One run of the process.
pub(super) struct Live {
    process: u32,
    requests: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<Waiting>>,
    pub(super) hello: Hello,
    // Gone with the process.
    _scratch: Scratch,
}

#[derive(Default)]
struct Waiting {
    replies: HashMap<u64, mpsc::UnboundedSender<Reply>>,
    over: bool,
    last_words: String,
}

impl Live {
    pub(super) async fn start(spec: &WorkerSpec, id: u64) -> Result<Self, Trouble> {
        let scratch = Scratch::new()?;
        let failed = |error: std::io::Error| Trouble::environment("The project's Python could not be started.").because(error);
        let mut child = tokio::process::Command::from(command(spec, scratch.path())?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(process), Some(mut stdin), Some(mut stdout), Some(mut stderr)) =
            (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Trouble::internal("The project's Python was started without pipes."));
        };

        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let (requests, mut outgoing) = mpsc::unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(frame) = outgoing.recv().await {
                if stdin.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        let shared = Arc::clone(&waiting);
        tokio::spawn(async move {
            let mut buffer = [0; 1024];
            while let Ok(got @ 1..) = stderr.read(&mut buffer).await {
                let words = &mut shared.lock().last_words;
                if words.len() < LAST_WORDS {
                    words.push_str(&String::from_utf8_lossy(&buffer[..got]));
                }
            }
        });
        let shared = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Ok(reply) = read_reply::<Reply>(&mut stdout).await {
                let mut waiting = shared.lock();
                let (id, done) = (reply.id, reply.done);
                if let Some(receiver) = waiting.replies.get(&id) {
                    let _ = receiver.send(reply);
                }
                if done {
                    waiting.replies.remove(&id);
                }
            }
            // It died, or says what is no reply: either way it is over.
            contain::stop(process);
            let _ = child.wait().await;
            let mut waiting = shared.lock();
            waiting.over = true;
            waiting.replies.clear();
        });

        let hello = Hello::default();
        let mut live = Self { process, requests, waiting, hello, _scratch: scratch };
        let mut replies = live.send(id, Op::Hello { preload: &spec.preload, tests: spec.tests, tried: spec.tried })?;
        let reply = tokio::time::timeout(PATIENCE, replies.recv())
            .await
            .map_err(|_| Trouble::environment("The project's Python did not get ready in time."))?
            .ok_or_else(|| live.died())?;
        live.hello = serde_json::from_value(reply.rest).map_err(|error| {
            Trouble::environment("The project's Python did not get ready.").because(reply.error.unwrap_or(error.to_string()))
        })?;
        Ok(live)
    }

    pub(super) fn is_running(&self) -> bool {
        !self.waiting.lock().over
    }

    pub(super) fn send(&self, id: u64, op: Op<'_>) -> Result<mpsc::UnboundedReceiver<Reply>, Trouble> {
        let frame = frame(&Request { id, op }).ok_or_else(|| {
            Trouble::environment("Too much was asked of the project's Python at once.").so("Ask for fewer functions.")
        })?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut waiting = self.waiting.lock();
        if !waiting.over {
            waiting.replies.insert(id, sender);
            let _ = self.requests.send(frame);
        }
        Ok(receiver)
    }

    pub(super) fn cancel(&self, id: u64) {
        // Nobody waits for the answer, so it carries the number of the request itself.
        if let Some(frame) = frame(&Request { id, op: Op::Cancel { target: id } }) {
            let _ = self.requests.send(frame);
        }
    }

    pub(super) fn end(&self) {
        contain::stop(self.process);
    }

    pub(super) fn died(&self) -> Trouble {
        let trouble = Trouble::environment("The project's Python died.");
        let words = &self.waiting.lock().last_words;
        match words.lines().last() {
            Some(line) => trouble.because(text::display_line(line.trim_start_matches("pytead-tui: "))),
            None => trouble,
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.is_running() {
            self.end();
        }
    }
}

/// Builds the contained command of the process.
fn command(spec: &WorkerSpec, scratch: &std::path::Path) -> Result<std::process::Command, Trouble> {
    let interpreter = &spec.interpreter;
    let mut confinement = Confinement::new(&spec.root, scratch);
    confinement.cwd = scratch.to_owned();
    confinement.limits = spec.limits.clone();
    confinement.read_only.clone_from(&interpreter.prefixes);
    confinement.read_only.push(spec.package.folder.clone());
    confinement.stand_in.clone_from(&spec.stand_in);
    confinement.read_only.extend(spec.read_only.iter().cloned());
    confinement.read_only.extend(spec.paths.iter().filter(|path| !path.starts_with(&spec.root)).cloned());
    let own = [
        ("PYTHONPATH", spec.package.folder.to_string_lossy().into_owned()),
        ("PYTHONHASHSEED", spec.hash_seed.to_string()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ("PYTHONSAFEPATH", "1".into()),
        ("PYTEAD_LEVEL", spec.level.word().into()),
        ("PYTEAD_SCRATCH", scratch.to_string_lossy().into_owned()),
    ];
    confinement.env.clone_from(&spec.env);
    confinement.env.extend(own.map(|(name, value)| (name.to_owned(), value)));
    if let Some(base) = &interpreter.user_base {
        confinement.env.insert("PYTHONUSERBASE".into(), base.to_string_lossy().into_owned());
    }
    // Numeric libraries start a thread per core at import, and a process with threads must not fork.
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        confinement.env.entry(name.into()).or_insert_with(|| "1".into());
    }
    contain::command(spec.level, &confinement, &interpreter.path, ["-m", "pytead_tui.worker"])
}
