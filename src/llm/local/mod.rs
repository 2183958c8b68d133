//! Models on this machine: a GGUF file, run by `pytead-llm`, which is started when it is first asked and stays for the
//! requests that follow.
//!
//! One model at a time for the whole process: two would take each other's memory and cores. What they share of their
//! prompts is read once.

mod child;
pub mod protocol;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

use crate::base::paths::tilde;
use crate::base::text::{cut, display_line};
use crate::llm::gguf::Gguf;
use crate::llm::provider::{Form, ModelError, Piece, Provider, Request, Usage};
use child::Child;
use protocol::{Generate, Load, Order, Reason, Report, Sampling};

pub use child::program;

/// What stands where the host of another machine would.
const HERE: &str = "this machine";
/// Pieces that wait for a slow reader.
const PIECES: usize = 64;
/// Most bytes of an answer.
const ANSWER_MAX: usize = 1 << 20;
/// How long a cancelled answer may take to end before the program is ended in its place.
const CANCEL: Duration = Duration::from_secs(5);
/// Columns shown of what `pytead-llm` said.
const SAID_MAX: usize = 300;

/// The program that runs models for this process, once there is one.
static RUNNING: Mutex<Option<Child>> = Mutex::const_new(None);

/// What a local model is run with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knobs {
    /// How tokens are chosen; the temperature is the request's own.
    pub sampling: Sampling,
    /// Tokens of context to begin with.
    pub context: u32,
    /// Threads; 0 for what suits the machine.
    pub threads: u32,
}

/// A model in a file of this machine.
#[derive(Debug, Clone)]
pub struct Local {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: String,
    path: PathBuf,
    knobs: Knobs,
}

impl Local {
    /// Makes a provider of a file; nothing is read before it is asked.
    #[must_use]
    pub fn new(path: &Path, knobs: Knobs) -> Self {
        let name = path.file_stem().map(|name| display_line(&name.to_string_lossy()).into_owned());
        let name = name.unwrap_or_else(|| display_line(&tilde(path)).into_owned());
        Self { shared: Arc::new(Shared { name, path: path.to_owned(), knobs }) }
    }

    /// Calls it as a person named it, where its file is one of a cache that names files by their checksums.
    #[must_use]
    pub fn chosen_as(mut self, written: &str) -> Self {
        let is_blob = self.shared.path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "blobs");
        let stem = Path::new(written).file_stem().map(|stem| display_line(&stem.to_string_lossy()).into_owned());
        if let (true, Some(name), Some(shared)) = (is_blob, stem, Arc::get_mut(&mut self.shared)) {
            shared.name = name;
        }
        self
    }
}

impl Provider for Local {
    fn model(&self) -> &str {
        &self.shared.name
    }

    fn host(&self) -> &str {
        HERE
    }

    fn is_local(&self) -> bool {
        true
    }

    fn is_allowed(&self) -> bool {
        true
    }

    fn outgoing(&self, request: &Request) -> String {
        format!("{}\n\n{}", request.prompt.system, request.prompt.asked())
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let (sender, receiver) = mpsc::channel(PIECES);
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let stopped = CancellationToken::new();
            let answer = shared.answer(&request, &sender, &stopped);
            tokio::pin!(answer);
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => None,
                () = sender.closed() => None,
                ended = &mut answer => Some(ended),
            };
            let ended = match ended {
                Some(ended) => ended,
                None => {
                    // The model is told, and stays for the next request with what it has read.
                    stopped.cancel();
                    answer.await
                }
            };
            // Whoever dropped the receiver does not want to know.
            let _ = sender.send(ended.map(Piece::End)).await;
        });
        receiver
    }
}

impl Shared {
    async fn answer(
        &self,
        request: &Request,
        pieces: &mpsc::Sender<Result<Piece, ModelError>>,
        stopped: &CancellationToken,
    ) -> Result<Usage, ModelError> {
        let mut running = tokio::select! {
            biased;
            () = stopped.cancelled() => return Err(ModelError::Cancelled),
            running = RUNNING.lock() => running,
        };
        // Out of its place while it works: when this task is dropped, so is the program.
        let mut child = self.child(running.take())?;
        let id = child.next_id();
        let knobs = &self.knobs;
        let (grammar, schema) = match &request.form {
            Form::Text => (None, None),
            Form::Json(schema) => (None, Some(Value::clone(schema))),
            Form::Grammar(grammar) => (Some(grammar.clone()), None),
        };
        let asked = Generate {
            id,
            system: request.prompt.system.clone(),
            user: request.prompt.asked(),
            max_tokens: request.max_tokens,
            sampling: Sampling { temperature: request.temperature, ..knobs.sampling },
            grammar,
            schema,
        };
        child.tell(&Order::Generate(Box::new(asked)))?;
        let ended = self.read(&mut child, id, request.max_tokens, pieces, stopped).await;
        if !matches!(ended, Err(ModelError::Unavailable { .. } | ModelError::TooMuch { .. })) {
            *running = Some(child);
        }
        ended
    }

    /// Gives the program with this model loaded or loading: the one that runs, or a new one.
    fn child(&self, running: Option<Child>) -> Result<Child, ModelError> {
        let path = self.path.to_str().ok_or_else(|| self.unavailable("its path is not UTF-8.", "Move the file."))?;
        let load = Load { path: path.to_owned(), context: self.knobs.context, threads: self.knobs.threads };
        if let Some(mut child) = running
            && child.is_for(&load)
        {
            return Ok(child);
        }
        let head = Gguf::read(&self.path).map_err(|trouble| {
            let todo = trouble.todo.as_ref().map(ToString::to_string).unwrap_or_default();
            self.unavailable(&trouble.cause(), &todo)
        })?;
        if let Some(memory) = child::memory().filter(|memory| head.bytes > *memory) {
            let (needs, has) = (crate::base::text::bytes(head.bytes), crate::base::text::bytes(memory));
            return Err(self.unavailable(&format!("it needs {needs} of memory, and there are {has}."), "Use a smaller model."));
        }
        Child::start(load)
    }

    /// Passes the answer on until it is over.
    async fn read(
        &self,
        child: &mut Child,
        id: u64,
        max_tokens: u32,
        pieces: &mpsc::Sender<Result<Piece, ModelError>>,
        stopped: &CancellationToken,
    ) -> Result<Usage, ModelError> {
        let mut length = 0_usize;
        let mut told = false;
        loop {
            let report = tokio::select! {
                biased;
                () = stopped.cancelled(), if !told => {
                    told = true;
                    child.tell(&Order::Cancel { id })?;
                    continue;
                }
                report = child.next() => report,
                () = tokio::time::sleep(CANCEL), if told => {
                    return Err(self.unavailable("it did not stop when asked to, and was ended.", ""));
                }
            };
            match report {
                Some(Report::Text { id: of, text }) if of == id => {
                    length += text.len();
                    if length > ANSWER_MAX {
                        return Err(ModelError::TooMuch { host: HERE.into(), kib: ANSWER_MAX >> 10 });
                    }
                    // A receiver that is gone cancels (see `stream`), and a slow one does not hold a cancel up.
                    tokio::select! {
                        biased;
                        () = stopped.cancelled() => {}
                        _ = pieces.send(Ok(Piece::Text(text))) => {}
                    }
                }
                Some(Report::End(end)) if end.id == id => {
                    return match end.reason {
                        Reason::Cancelled => Err(ModelError::Cancelled),
                        Reason::Length if end.written < u64::from(max_tokens) => Err(ModelError::ContextFull(end.written)),
                        Reason::Length => Err(ModelError::OutOfTokens(max_tokens)),
                        Reason::Stop if length == 0 => Err(ModelError::Empty { host: HERE.into() }),
                        Reason::Stop => Ok(Usage {
                            prompt: Some(end.prompt),
                            cached: Some(end.reused),
                            written: Some(end.written),
                            replayed: false,
                        }),
                    };
                }
                Some(Report::Failed { id: of, why }) if of.is_none_or(|of| of == id) => {
                    let why = cut(&display_line(&why), SAID_MAX).into_owned();
                    return Err(self.unavailable(&why, ""));
                }
                Some(_) => {}
                None => return Err(child.gone(&self.name).await),
            }
        }
    }

    fn unavailable(&self, why: &str, todo: &str) -> ModelError {
        ModelError::Unavailable { model: self.name.clone(), why: why.to_owned(), todo: todo.to_owned() }
    }
}
