//! The seam between whoever wants text and whoever writes it: requests, pieces of a stream, and what can go wrong.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::text::count;
use crate::llm::prompt::Prompt;

/// A place that answers model requests.
pub trait Provider: Send + Sync {
    /// Gives the model's name, for people and for a draft's origin.
    fn model(&self) -> &str;

    /// Gives the host that requests go to, with its port where it is not the usual one.
    fn host(&self) -> &str;

    /// Tells whether requests stay on this machine.
    fn is_local(&self) -> bool;

    /// Tells whether requests would be sent: to another machine only with a person's word.
    fn is_allowed(&self) -> bool;

    /// Gives what is sent for a request, byte for byte.
    fn outgoing(&self, request: &Request) -> String;

    /// Names the settings of a person's that it has no way to pass on, as far as that is known by now.
    fn unsent(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Asks, on a task of its own, and gives the pieces of the answer as they come.
    ///
    /// The last item is [`Piece::End`] or an error; a stream that closes without either was torn down. Cancelling the
    /// token, or dropping the receiver, drops the connection at once. Must be called inside a tokio runtime.
    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>>;
}

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The text.
    pub prompt: Prompt,
    /// Most tokens it may write.
    pub max_tokens: u32,
    /// Sampling temperature; 0 for the likeliest text.
    pub temperature: f64,
    /// What the answer has to look like.
    pub form: Form,
}

/// What an answer has to look like. A model on this machine cannot write anything else. A server is told, and where it
/// refuses the means, asked in words: so an answer is still to be checked by whoever asked.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Form {
    /// Any text.
    #[default]
    Text,
    /// One JSON value that follows this JSON schema. For strict servers every object of it lists all its properties as
    /// `required` and has `additionalProperties: false`; for weak models every text in it has a `maxLength`.
    Json(Arc<Value>),
    /// What a GBNF grammar allows, from its rule `root`.
    Grammar(String),
}

/// A piece of a model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// It reasons, in text that is not part of the answer.
    Thinking,
    /// More of the answer.
    Text(String),
    /// A place failed, as this says, and another one is asked: what came until now does not count.
    Elsewhere(String),
    /// The answer is whole.
    End(Usage),
}

/// What an answer took, as far as the provider says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: Option<u64>,
    /// Those of them that the provider had kept from before.
    pub cached: Option<u64>,
    /// Tokens written.
    pub written: Option<u64>,
    /// The answer comes from a recording: no model was asked.
    pub replayed: bool,
}

impl Usage {
    /// Tells whether the model cannot have seen all of a prompt of so many bytes. A token stands for four bytes or so;
    /// short prompts are mostly the provider's own words.
    #[must_use]
    pub fn read_too_little(&self, bytes: usize) -> bool {
        const SHORT: usize = 8 << 10;
        const MOST_PER_TOKEN: u64 = 7;
        bytes > SHORT && self.prompt.is_some_and(|read| read.saturating_mul(MOST_PER_TOKEN) < bytes as u64)
    }
}

fn not_recorded(file: &str, in_ci: bool) -> String {
    if in_ci {
        format!("CI is set, so only recorded answers count, and this request has none: {file} is missing.")
    } else {
        format!("This request has no recorded answer: {file} is missing.")
    }
}

/// Why there is no answer, or no whole one. Texts by a provider in here are cut, free of keys, and fit for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The `network` setting forbids it.
    #[error("Not sent: the setting network is {setting}, and {host} is {place}.")]
    Forbidden {
        /// The setting as written.
        setting: &'static str,
        /// The provider's host.
        host: String,
        /// Where the host is: `this machine` or `another machine`.
        place: &'static str,
    },
    /// Another machine, and nobody said that it may be sent anything.
    #[error("Not sent: nobody allowed sending to {host}.")]
    NotAllowed {
        /// The provider's host.
        host: String,
    },
    /// The address cannot be used.
    #[error("The address {address} cannot be used: {why}.")]
    Address {
        /// The address as configured.
        address: String,
        /// Why not.
        why: String,
    },
    /// The connection cannot be made secure, or the HTTP client not be set up.
    #[error("No connection can be made: {0}.")]
    Setup(String),
    /// No connection came about, or it broke before an answer began.
    #[error("{host} cannot be reached: {why}.")]
    Unreachable {
        /// The provider's host.
        host: String,
        /// The system's reason.
        why: String,
    },
    /// Connected, and then nothing.
    #[error("No answer from {host} in {seconds} s.")]
    NoAnswer {
        /// The provider's host.
        host: String,
        /// How long was waited.
        seconds: u64,
    },
    /// An answer began and stopped.
    #[error("{host} stopped in the middle of its answer: {why}.")]
    CutOff {
        /// The provider's host.
        host: String,
        /// What was seen of it.
        why: String,
    },
    /// The key was refused.
    #[error("{host} refused the key: {said}")]
    Key {
        /// The provider's host.
        host: String,
        /// The variable the key is read from.
        variable: Option<String>,
        /// What the provider said.
        said: String,
    },
    /// The provider does not have the model.
    #[error("{host} has no model {model}.")]
    UnknownModel {
        /// The provider's host.
        host: String,
        /// The model asked for.
        model: String,
        /// Models it has, the nearest names first.
        known: Vec<String>,
        /// What it said.
        said: String,
    },
    /// Too many requests, or no capacity, after retries.
    #[error("{host} is busy: {said}")]
    Busy {
        /// The provider's host.
        host: String,
        /// Seconds it asked to wait.
        wait: Option<u64>,
        /// What the provider said.
        said: String,
    },
    /// Any other refusal.
    #[error("{host} answered with {status}: {said}")]
    Status {
        /// The provider's host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// What the provider said.
        said: String,
    },
    /// A redirect, which is never followed: the request would go to a host nobody chose.
    #[error("{host} sends requests on to {to}, and they are not sent on.")]
    Redirected {
        /// The provider's host.
        host: String,
        /// Where to.
        to: String,
    },
    /// An error in the middle of the stream.
    #[error("{host} gave up: {said}")]
    GaveUp {
        /// The provider's host.
        host: String,
        /// What the provider said.
        said: String,
    },
    /// What came is no stream of an OpenAI-compatible server.
    #[error("{host} answered with something that is no model's answer: {why}.")]
    Strange {
        /// The provider's host.
        host: String,
        /// What it was.
        why: String,
    },
    /// More than anybody reads.
    #[error("{host} sent more than {kib} KiB; the rest was not read.")]
    TooMuch {
        /// The provider's host.
        host: String,
        /// The most that is read, in KiB.
        kib: usize,
    },
    /// The model used up its tokens.
    #[error("The answer was not finished after {0} tokens.")]
    OutOfTokens(u32),
    /// The prompt and the answer filled what the model can look at.
    #[error("The answer was not finished after {0} tokens: the model's context is full.")]
    ContextFull(u64),
    /// The server left out a part of the prompt, so the answer is to another question.
    #[error("{host} read only {read} tokens of a longer request, and answered that.")]
    Shortened {
        /// The provider's host.
        host: String,
        /// The tokens it read.
        read: u64,
    },
    /// The model ended without a word.
    #[error("{host} ended its answer without a word.")]
    Empty {
        /// The provider's host.
        host: String,
    },
    /// A model of this machine that does not run, or does not any more.
    #[error("The model {model} is not available: {why}")]
    Unavailable {
        /// The model's name.
        model: String,
        /// Why, a sentence.
        why: String,
        /// What to do, a sentence; empty where asking again is all there is.
        todo: String,
    },
    /// Only recorded answers are given, and there is none to this request.
    #[error("{}", not_recorded(file, *in_ci))]
    NotRecorded {
        /// The file the answer would be in, below the project's root.
        file: String,
        /// Nobody chose that: it is usual where `CI` is set.
        in_ci: bool,
    },
    /// A recorded answer that cannot be read or written.
    #[error("The recorded answer {file} cannot be used: {why}.")]
    BadRecording {
        /// The file, below the project's root.
        file: String,
        /// Why not.
        why: String,
    },
    /// It was asked to stop.
    #[error("Cancelled.")]
    Cancelled,
}

/// Makes a sentence of what a server said.
fn its_words(said: &str) -> String {
    format!("It says: {}.", said.trim_end_matches('.'))
}

impl ModelError {
    /// Says it with what to do about it.
    #[must_use]
    pub fn trouble(&self) -> Trouble {
        let what = self.to_string();
        // A server's own words may lack their end.
        let end = if what.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        let trouble = Trouble::environment(format!("{what}{end}"));
        match self {
            Self::Forbidden { .. } => trouble.so("Change network in your own config to allow it."),
            Self::NotAllowed { host } => trouble.so(format!("To allow it: pytead-tui trust --send-to {host}.")),
            Self::Address { .. } => trouble.so("Correct base_url under providers in your own config."),
            Self::Unreachable { .. } => trouble.so("Start the server, or correct its address: base_url under providers in your config, or SEMANTIC_BASE_URL."),
            Self::NoAnswer { .. } | Self::CutOff { .. } | Self::GaveUp { .. } => {
                trouble.so("Ask again, or choose another model.")
            }
            Self::Key { variable: Some(variable), .. } => trouble.so(format!("Put the right key into {variable}.")),
            Self::Key { variable: None, .. } => trouble.so("Name the variable that holds the key: key_env under providers."),
            Self::UnknownModel { known, said, .. } if known.is_empty() => {
                trouble.because(its_words(said)).so("Correct the model's name in your own config.")
            }
            Self::UnknownModel { known, said, .. } => {
                trouble.because(its_words(said)).so(format!("It has: {}.", known.join(", ")))
            }
            Self::Busy { wait: Some(wait), .. } => {
                let (number, unit) = match *wait {
                    0..120 => (*wait, "second"),
                    120..7_200 => (wait.div_ceil(60), "minute"),
                    _ => (wait.div_ceil(3_600), "hour"),
                };
                trouble.so(format!("Ask again in {}.", count(usize::try_from(number).unwrap_or(usize::MAX), unit)))
            }
            Self::Busy { wait: None, .. } => trouble.so("Ask again later."),
            Self::Redirected { .. } => trouble.so("Put the address it names into base_url, if you trust it."),
            Self::Strange { .. } => trouble.so("Does base_url end where /chat/completions begins? Most end in /v1."),
            Self::Unavailable { todo, .. } if !todo.is_empty() => trouble.so(todo),
            Self::Shortened { .. } => {
                trouble.so("Give the model more context: OLLAMA_CONTEXT_LENGTH for the server, or num_ctx in its Modelfile.")
            }
            Self::NotRecorded { .. } => trouble.so(
                "Record it where there is a model, with PYTEAD_MODEL_ANSWERS=record, and commit it; or have the chosen model asked here, with \
                 PYTEAD_MODEL_ANSWERS=off.",
            ),
            Self::BadRecording { .. } => trouble.so("Delete the file, and record the answer again."),
            Self::ContextFull(_) => trouble.so("Choose a model with a longer context, or ask for less."),
            Self::OutOfTokens(_) => trouble.so("Raise generation.max_tokens, or ask for less."),
            Self::Setup(_)
            | Self::Status { .. }
            | Self::TooMuch { .. }
            | Self::Empty { .. }
            | Self::Unavailable { .. }
            | Self::Cancelled => trouble,
        }
    }
}
