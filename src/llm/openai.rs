//! Any OpenAI-compatible endpoint: one request, one stream of server-sent events, one answer.
//!
//! A server that answers with one JSON object in place of a stream is read, too. A stream that ends without saying that it is finished is an error, never half an answer taken for a whole one.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use secrecy::ExposeSecret;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::base::paths::nearest;
use crate::base::redact::Redactor;
use crate::base::text::{cut, display_line};
use crate::llm::key::Key;
use crate::llm::local::protocol::Sampling;
use crate::llm::network::{Route, reason};
use crate::llm::provider::{ModelError, Piece, Provider, Request, Usage};
use crate::llm::refusals::{message, message_of};
use crate::llm::retry::{TRIES, asked, wait_after};
use crate::llm::sse::Events;
use crate::llm::wire::{Chunk, Dialect, Service, model_names};

/// Most bytes read of an answer.
const BODY_MAX: usize = 1 << 20;
/// Most bytes read of an error.
const ERROR_MAX: usize = 64 << 10;
/// Most columns shown of what a provider said.
const SAID_MAX: usize = 300;
/// Pieces that wait for a slow reader; then the connection itself waits.
const PIECES: usize = 64;
/// Types of answers that are read: a stream, and what gateways that know no streams give.
const READ: &[&str] = &["text/event-stream", "application/json", "application/x-ndjson", "text/plain"];
/// How Ollama signs its answers.
const CUTS_PROMPTS: &str = "fp_ollama";
/// Model names shown when the one asked for is not there.
const NAMES: usize = 8;

/// How long is waited for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From the request to the first token.
    pub first: Duration,
    /// From one sign of life to the next.
    pub idle: Duration,
    /// From the request to the end of the answer, whatever comes meanwhile: a server that lets it drip shows signs of life.
    pub whole: Duration,
    /// For the usage, after the last token.
    pub after: Duration,
    /// How often a request is tried before its answer begins.
    pub tries: u32,
}

impl Patience {
    /// Gives the usual waits; a model on this machine may read a long prompt without a word for minutes.
    #[must_use]
    pub fn usual(is_local: bool) -> Self {
        Self {
            first: Duration::from_secs(if is_local { 300 } else { 60 }),
            idle: Duration::from_secs(30),
            whole: Duration::from_secs(if is_local { 3_600 } else { 900 }),
            after: Duration::from_secs(2),
            tries: TRIES,
        }
    }
}

/// An endpoint, its model and its key.
#[derive(Debug, Clone)]
pub struct OpenAi {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    route: Route,
    model: String,
    key: Option<Key>,
    slots: Semaphore,
    patience: Patience,
    /// What its refusals taught so far.
    dialect: Mutex<Dialect>,
    service: Service,
}

impl OpenAi {
    /// Makes a provider; `concurrency` is the most requests at once.
    #[must_use]
    pub fn new(route: Route, model: &str, key: Option<Key>, concurrency: u32, patience: Patience) -> Self {
        let slots = Semaphore::new(usize::try_from(concurrency).unwrap_or(1).clamp(1, Semaphore::MAX_PERMITS));
        let service = Service::of(route.name(), model);
        let dialect = Mutex::default();
        Self { shared: Arc::new(Shared { route, model: model.to_owned(), key, slots, patience, dialect, service }) }
    }

    /// Sends what a person set of how the model chooses its words.
    #[must_use]
    pub fn sampling(mut self, set: Sampling) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.service = shared.service.wishing(shared.route.name(), set);
        }
        self
    }
}

impl Provider for OpenAi {
    fn model(&self) -> &str {
        &self.shared.model
    }

    fn host(&self) -> &str {
        self.shared.route.host()
    }

    fn is_local(&self) -> bool {
        self.shared.route.is_local()
    }

    fn is_allowed(&self) -> bool {
        self.shared.route.is_allowed()
    }

    fn outgoing(&self, request: &Request) -> String {
        self.shared.body(*self.shared.dialect.lock(), request)
    }

    fn unsent(&self) -> Vec<&'static str> {
        self.shared.dialect.lock().unsent(self.shared.service)
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let (sender, receiver) = mpsc::channel(PIECES);
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ModelError::Cancelled),
                // Nobody reads any more: dropping the answer closes the connection, and the provider stops writing.
                () = sender.closed() => return,
                ended = shared.answer(&request, &sender) => ended,
            };
            // Whoever dropped the receiver does not want to know.
            let _ = sender.send(ended.map(Piece::End)).await;
        });
        receiver
    }
}

type Pieces = mpsc::Sender<Result<Piece, ModelError>>;

impl Shared {
    /// Asks and passes the pieces on.
    async fn answer(&self, request: &Request, pieces: &Pieces) -> Result<Usage, ModelError> {
        // The semaphore is never closed, so waiting for it cannot fail.
        let _slot = self.slots.acquire().await;
        let start = Instant::now();
        let response = self.begin(request, start + self.patience.first).await?;
        self.read(response, request, start, pieces).await
    }

    /// Sends the request until an answer begins: again after what may pass, and in another dialect after what it says.
    async fn begin(&self, request: &Request, deadline: Instant) -> Result<Response, ModelError> {
        let mut dialect = *self.dialect.lock();
        let mut tries = 1;
        loop {
            let error = match timeout_at(deadline, self.send(dialect, request)).await {
                Ok(Ok(response)) => {
                    *self.dialect.lock() = dialect;
                    return Ok(response);
                }
                Ok(Err(error)) => error,
                Err(_) => return Err(self.no_answer(self.patience.first)),
            };
            if let ModelError::Status { status: 400 | 404 | 422, said, .. } = &error
                && let Some(next) = dialect.after(said, &request.form)
            {
                dialect = next;
                continue;
            }
            let Some(wait) = wait_after(&error, tries, self.patience.tries) else { return Err(error) };
            if Instant::now() + wait >= deadline {
                return Err(error);
            }
            tracing::debug!(host = self.route.host(), ?wait, "trying again");
            tokio::time::sleep(wait).await;
            tries += 1;
        }
    }

    async fn send(&self, dialect: Dialect, request: &Request) -> Result<Response, ModelError> {
        let request = self
            .authorised(self.route.post("chat/completions")?)?
            .header(ACCEPT, "text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .headers(self.service.headers())
            .body(self.body(dialect, request));
        let response = self.route.send(request).await?;
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("").to_owned();
        if !READ.iter().any(|read| kind.starts_with(read)) {
            return Err(self.strange(format!("its type is {}", if kind.is_empty() { "missing" } else { &kind })));
        }
        Ok(response)
    }

    fn body(&self, dialect: Dialect, request: &Request) -> String {
        dialect.body(&self.model, request, self.service).to_string()
    }

    fn authorised(&self, builder: reqwest::RequestBuilder) -> Result<reqwest::RequestBuilder, ModelError> {
        let Some(key) = &self.key else { return Ok(builder) };
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.secret.expose_secret()))
            .map_err(|_| ModelError::Setup(format!("{} holds characters that no key has", key.variable)))?;
        value.set_sensitive(true);
        Ok(builder.header(AUTHORIZATION, value))
    }

    /// Makes an error of an answer that is none.
    async fn refusal(&self, response: Response) -> ModelError {
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
            return ModelError::Redirected { host: self.host(), to: self.said(&to.unwrap_or_else(|| "nowhere".into())) };
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let wait = header(RETRY_AFTER).and_then(|wait| asked(wait, header(DATE)));
        let body = self.error_body(response).await;
        let text = message(&body);
        let said =
            if text.is_empty() { self.said(status.canonical_reason().unwrap_or("no reason given")) } else { self.said(&text) };
        let host = self.host();
        match status {
            StatusCode::FORBIDDEN if !is_about_access(&text) => ModelError::Status { host, status: status.as_u16(), said },
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                ModelError::Key { host, variable: self.key.as_ref().map(|key| key.variable.clone()), said }
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => ModelError::Busy { host, wait, said },
            StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if body.contains("model_not_found") || names_model(&text) => {
                let known = self.known_models().await;
                // Some servers say so of a model that they have and did not load.
                let model = self.said(&self.model);
                match known.contains(&model) {
                    true => ModelError::Status { host, status: status.as_u16(), said },
                    false => ModelError::UnknownModel { host, model, known, said },
                }
            }
            status => ModelError::Status { host, status: status.as_u16(), said },
        }
    }

    async fn error_body(&self, mut response: Response) -> String {
        let mut body = Vec::new();
        while let Ok(Ok(Some(bytes))) = timeout(self.patience.idle, response.chunk()).await {
            body.extend_from_slice(&bytes[..bytes.len().min(ERROR_MAX - body.len())]);
            if body.len() == ERROR_MAX {
                break;
            }
        }
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Asks for the names of the models there are; none when that does not work.
    async fn known_models(&self) -> Vec<String> {
        let Ok(request) = self.route.get("models").and_then(|request| self.authorised(request)) else { return Vec::new() };
        let Ok(Ok(response)) = timeout(self.patience.after, request.send()).await else { return Vec::new() };
        if !response.status().is_success() {
            return Vec::new();
        }
        let names = model_names(&self.error_body(response).await);
        let mut sorted = nearest(&self.model, names.iter().map(String::as_str));
        sorted.extend(names.iter().map(String::as_str).filter(|name| !sorted.contains(name)).collect::<Vec<_>>());
        sorted.into_iter().take(NAMES).map(|name| self.said(name)).collect()
    }

    /// Reads the stream to its end.
    async fn read(
        &self,
        mut response: Response,
        request: &Request,
        start: Instant,
        pieces: &Pieces,
    ) -> Result<Usage, ModelError> {
        let (first, whole) = (start + self.patience.first, start + self.patience.whole);
        let mut figures = None;
        let mut left = BODY_MAX;
        let mut events = Events::default();
        let mut answer = Answer::default();
        let mut form = AnswerForm::Unknown;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.starts_with(READ[0]));
        'stream: loop {
            let until = match &answer {
                Answer { finish: Some(_), .. } => *figures.get_or_insert_with(|| Instant::now() + self.patience.after),
                Answer { begun: true, .. } => Instant::now() + self.patience.idle,
                Answer { .. } => first,
            };
            let bytes = match timeout_at(until.min(whole), response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                // All text is here already; only the figures are missing.
                _ if answer.finish.is_some() => break,
                Ok(Ok(None)) if matches!(form, AnswerForm::Json(_)) => break,
                Ok(Ok(None)) if !answer.begun && !is_stream => {
                    return Err(self.strange("it holds neither events nor JSON".into()));
                }
                Ok(Ok(None)) => return Err(self.cut_off("the stream ended early".into())),
                Ok(Err(error)) => return Err(self.cut_off(reason(&error))),
                Err(_) if answer.begun && Instant::now() >= whole => {
                    return Err(self.cut_off(format!("it had not ended after {} s", self.patience.whole.as_secs())));
                }
                Err(_) if answer.begun => {
                    return Err(self.cut_off(format!("nothing came for {} s", self.patience.idle.as_secs())));
                }
                Err(_) => return Err(self.no_answer(self.patience.first)),
            };
            left = left.checked_sub(bytes.len()).ok_or_else(|| ModelError::TooMuch { host: self.host(), kib: BODY_MAX >> 10 })?;
            form = form.after(&bytes);
            if let AnswerForm::Json(_) = form {
                answer.begun = true;
                continue;
            }
            for data in events.feed(&bytes).map_err(|error| self.strange(error.to_string()))? {
                match data.trim() {
                    "" => continue,
                    "[DONE]" => break 'stream,
                    _ => {}
                }
                let chunk = serde_json::from_str(&data).map_err(|error| self.strange(format!("an event is no JSON: {error}")))?;
                for piece in self.take(chunk, &mut answer)? {
                    // A receiver that is gone ends the whole task; see `stream`.
                    let _ = pieces.send(Ok(piece)).await;
                }
            }
        }
        if let AnswerForm::Json(text) = form {
            for piece in self.take_json(&text, &mut answer)? {
                let _ = pieces.send(Ok(piece)).await;
            }
        }
        match answer.finish.as_deref() {
            Some("length") => Err(ModelError::OutOfTokens(request.max_tokens)),
            Some("content_filter") => Err(ModelError::GaveUp { host: self.host(), said: "its filter stopped the answer".into() }),
            _ if !answer.text => Err(ModelError::Empty { host: self.host() }),
            _ if answer.cuts_prompts && answer.usage.read_too_little(request.prompt.size()) => {
                Err(ModelError::Shortened { host: self.host(), read: answer.usage.prompt.unwrap_or_default() })
            }
            _ => Ok(answer.usage),
        }
    }

    /// Takes an answer in that came as JSON: one object, or one after the other.
    fn take_json(&self, text: &[u8], answer: &mut Answer) -> Result<Vec<Piece>, ModelError> {
        let mut pieces = Vec::new();
        let mut chunks = 0_usize;
        for chunk in serde_json::Deserializer::from_slice(text).into_iter::<Chunk>() {
            let mut chunk: Chunk = chunk.map_err(|error| self.strange(format!("its JSON cannot be read: {error}")))?;
            let failure = chunk.failure();
            chunks += usize::from(chunk.choices.is_some() || failure.is_some());
            chunk.error = failure;
            pieces.extend(self.take(chunk, answer)?);
        }
        if chunks == 0 {
            return Err(self.strange("its JSON has no choices".into()));
        }
        if answer.finish.is_none() {
            return Err(self.cut_off("the stream ended early".into()));
        }
        Ok(pieces)
    }

    /// Takes one event in.
    fn take(&self, mut chunk: Chunk, answer: &mut Answer) -> Result<Vec<Piece>, ModelError> {
        if let Some(error) = chunk.failure() {
            let said = self.said(&message_of(&error).unwrap_or_else(|| error.to_string()));
            return Err(ModelError::GaveUp { host: self.host(), said });
        }
        answer.cuts_prompts |= chunk.system_fingerprint.as_deref() == Some(CUTS_PROMPTS);
        if let Some(tokens) = chunk.usage {
            answer.usage = tokens.into();
        }
        let mut pieces = Vec::new();
        for choice in chunk.choices.into_iter().flatten().take(1) {
            if let Some(delta) = choice.written() {
                if delta.reasons() {
                    pieces.push(Piece::Thinking);
                }
                let text = delta.text();
                if !text.is_empty() {
                    answer.text = true;
                    pieces.push(Piece::Text(text));
                }
            }
            let is_whole = choice.is_whole().then(|| "stop".to_owned());
            answer.finish = choice.finish_reason.or(answer.finish.take()).or(is_whole);
        }
        answer.begun |= !pieces.is_empty();
        Ok(pieces)
    }

    fn host(&self) -> String {
        self.route.host().to_owned()
    }

    fn no_answer(&self, waited: Duration) -> ModelError {
        ModelError::NoAnswer { host: self.host(), seconds: waited.as_secs() }
    }

    fn cut_off(&self, why: String) -> ModelError {
        ModelError::CutOff { host: self.host(), why }
    }

    fn strange(&self, why: String) -> ModelError {
        ModelError::Strange { host: self.host(), why: self.said(&why) }
    }

    /// Makes what a provider said fit for people: without the key, without control characters, not long.
    fn said(&self, text: &str) -> String {
        let mut redactor = Redactor::new(self.key.iter().map(|key| key.secret.expose_secret().to_owned()));
        let text = redactor.redact(text).unwrap_or_else(|| text.to_owned());
        cut(&display_line(text.trim()), SAID_MAX).into_owned()
    }
}

/// What an answer comes as: its first sign tells, whatever its type says.
enum AnswerForm {
    Unknown,
    /// A stream of events.
    Events,
    /// JSON, which can be read when all of it is here.
    Json(Vec<u8>),
}

impl AnswerForm {
    fn after(self, bytes: &[u8]) -> Self {
        match self {
            Self::Json(mut text) => {
                text.extend_from_slice(bytes);
                Self::Json(text)
            }
            Self::Events => Self::Events,
            Self::Unknown => match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                None => Self::Unknown,
                Some(b'{') => Self::Json(bytes.to_vec()),
                Some(_) => Self::Events,
            },
        }
    }
}

/// What came of an answer so far.
#[derive(Default)]
struct Answer {
    begun: bool,
    text: bool,
    finish: Option<String>,
    usage: Usage,
    /// It comes from a server that leaves out what is too much for it, without a word.
    cuts_prompts: bool,
}

/// Tells whether what is forbidden is access: a filter of contents forbids, too.
fn is_about_access(text: &str) -> bool {
    const WORDS: &[&str] =
        &["key", "token", "auth", "permission", "access", "credential", "forbidden", "denied", "subscription", "allowed"];
    let text = text.to_lowercase();
    text.is_empty() || WORDS.iter().any(|word| text.contains(word))
}

/// Tells whether a refusal is about the model's name.
fn names_model(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("model")
        && ["not found", "does not exist", "unknown", "not exist", "invalid model"].iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests;
