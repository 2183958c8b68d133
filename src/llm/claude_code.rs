//! The command line of Claude Code, `claude -p`: its own login, our prompt, no tools.
//!
//! It is started in an empty folder with none of the person's settings, tools or servers, so that the same request means
//! the same everywhere. Its stream of events is read as far as it is known; new kinds are passed over.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use tokio::process::Command;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::base::scratch::Scratch;
use crate::base::text::display_line;
use crate::llm::local::protocol::Sampling;
use crate::llm::network::Route;
use crate::llm::program::{ANSWER_MAX, Program, run, shown};
use crate::llm::provider::{ModelError, Piece, Provider, Request, Usage};
use crate::llm::wire;
use crate::llm::wishes::Wishes;

/// The program, where the settings name no other.
pub(crate) const PROGRAM: &str = "claude";
/// Where its requests go, unless its own variable says otherwise.
pub(crate) const ADDRESS: &str = "https://api.anthropic.com";
/// The variable that says otherwise.
pub(crate) const ADDRESS_VARIABLE: &str = "ANTHROPIC_BASE_URL";

/// How long it may take to write its first word, and from one sign of life to the next. It asks a server that is down
/// again and again by itself, which is no sign of life.
const SILENT: Duration = Duration::from_secs(120);
/// How long an answer may take.
const LONGEST: Duration = Duration::from_secs(900);

/// Claude Code as a provider.
#[derive(Debug, Clone)]
pub struct ClaudeCode {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) words: Vec<String>,
    pub(super) route: Route,
    /// The model's name; empty for the one it uses by itself.
    pub(super) model: String,
    /// Settings that it has no way to pass on.
    unsent: Vec<&'static str>,
    slots: Semaphore,
}

impl ClaudeCode {
    /// Makes a provider. `words` is the program with arguments of the person's own, `claude` where it is empty; `route`
    /// is where it connects to, already past the gate.
    #[must_use]
    pub fn new(words: &[String], route: Route, model: &str, concurrency: u32) -> Self {
        let words = if words.is_empty() { vec![PROGRAM.to_owned()] } else { words.to_vec() };
        let slots = Semaphore::new(usize::try_from(concurrency).unwrap_or(1).clamp(1, Semaphore::MAX_PERMITS));
        let model = display_line(model).into_owned();
        Self { shared: Arc::new(Shared { words, route, model, unsent: Vec::new(), slots }) }
    }

    /// Notes what a person set of how the model chooses its words: the program has no options for that.
    #[must_use]
    pub fn sampling(mut self, set: Sampling) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.unsent = Wishes::all(set);
        }
        self
    }
}

impl Provider for ClaudeCode {
    fn model(&self) -> &str {
        if self.shared.model.is_empty() { "Claude Code" } else { &self.shared.model }
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
        format!("{}\n\n{}", request.prompt.system, asked(request))
    }

    fn unsent(&self) -> Vec<&'static str> {
        self.shared.unsent.clone()
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let shared = Arc::clone(&self.shared);
        run(cancel, |pieces| async move { shared.answer(&request, &pieces).await })
    }
}

/// Gives what is written on its input. It has no way to force a form that is answered in one turn.
fn asked(request: &Request) -> String {
    request.prompt.asked() + &wire::in_words(&request.form)
}

impl Shared {
    fn command(&self, request: &Request, folder: &std::path::Path) -> Command {
        let mut command = Command::new(self.words.first().map_or(PROGRAM, String::as_str));
        command
            .args(self.words.iter().skip(1))
            .args(["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"])
            .args(["--setting-sources", "", "--strict-mcp-config", "--tools", "", "--no-session-persistence"])
            .args(["--system-prompt", &request.prompt.system])
            .current_dir(folder)
            .env("CLAUDE_CODE_MAX_OUTPUT_TOKENS", request.max_tokens.to_string())
            // It refuses to run inside of itself, which this is not.
            .env_remove("CLAUDECODE");
        if !self.model.is_empty() {
            command.args(["--model", &self.model]);
        }
        command
    }

    async fn answer(&self, request: &Request, pieces: &mpsc::Sender<Result<Piece, ModelError>>) -> Result<Usage, ModelError> {
        if !self.route.is_allowed() {
            return Err(ModelError::NotAllowed { host: self.host() });
        }
        // The semaphore is never closed, so waiting for it cannot fail.
        let _slot = self.slots.acquire().await;
        let folder = Scratch::new().map_err(|trouble| self.unavailable(&format!("it has no folder to run in: {trouble}"), ""))?;
        let mut program = Program::start(self.command(request, folder.path()), asked(request)).map_err(|error| {
            let why = format!("{} does not start: {error}.", display_line(self.words.first().map_or("", String::as_str)));
            self.unavailable(&why, "Install Claude Code, or name its program in command under providers.")
        })?;
        let mut answer = Reading::default();
        let end = Instant::now() + LONGEST;
        let mut until = Instant::now() + SILENT;
        loop {
            let line = timeout_at(until.min(end), program.line()).await.map_err(|_| self.silent(&answer))?;
            let Some(line) = line else {
                return Err(
                    self.unavailable(&format!("{}.", program.gone().await), "Run claude once by hand: it may ask for a login.")
                );
            };
            let too_much = || ModelError::TooMuch { host: self.host(), kib: ANSWER_MAX >> 10 };
            let line = line.map_err(|()| too_much())?;
            let event = serde_json::from_slice(&line).map_err(|error| ModelError::Strange {
                host: self.host(),
                why: shown(&format!("a line is no event: {error}")),
            })?;
            if matches!(event, Line::StreamEvent { .. } | Line::Assistant { .. }) {
                until = Instant::now() + SILENT;
            }
            match self.take(event, &mut answer, request)? {
                Taken::Nothing => {}
                Taken::Thinking => {
                    let _ = pieces.send(Ok(Piece::Thinking)).await;
                }
                Taken::Text(text) => {
                    answer.length += text.len();
                    if answer.length > ANSWER_MAX {
                        return Err(too_much());
                    }
                    // A receiver that is gone ends the whole task.
                    let _ = pieces.send(Ok(Piece::Text(text))).await;
                }
                Taken::End(usage) => return Ok(usage),
            }
        }
    }

    /// Takes one event in.
    fn take(&self, line: Line, answer: &mut Reading, request: &Request) -> Result<Taken, ModelError> {
        Ok(match line {
            Line::StreamEvent { event: Event { delta: Some(delta), .. } } => match (delta.text, delta.thinking) {
                (Some(text), _) if !text.is_empty() => {
                    answer.streamed = true;
                    Taken::Text(text)
                }
                (_, Some(_)) => Taken::Thinking,
                _ => Taken::Nothing,
            },
            // The whole text again; the only one where no parts came.
            Line::Assistant { message } if !answer.streamed => {
                let text: String = message.content.into_iter().filter_map(|block| block.text).collect();
                if text.is_empty() { Taken::Nothing } else { Taken::Text(text) }
            }
            Line::Result(result) => Taken::End(self.end(result, answer, request)?),
            _ => Taken::Nothing,
        })
    }

    /// Tells an end that is an error.
    pub(super) fn broke(&self, result: &Outcome) -> Result<(), ModelError> {
        // An error can be of the subtype `success`: only the flag counts.
        if !result.is_error {
            return Ok(());
        }
        let said = shown(result.result.as_deref().or(result.subtype.as_deref()).unwrap_or("no reason given"));
        Err(match result.api_error_status {
            Some(401 | 403) => ModelError::Key { host: self.host(), variable: None, said },
            Some(429 | 503 | 529) => ModelError::Busy { host: self.host(), wait: None, said },
            Some(status) => ModelError::Status { host: self.host(), status, said },
            None => ModelError::GaveUp { host: self.host(), said },
        })
    }

    fn end(&self, result: Outcome, answer: &Reading, request: &Request) -> Result<Usage, ModelError> {
        self.broke(&result)?;
        if result.stop_reason.as_deref() == Some("max_tokens") {
            return Err(ModelError::OutOfTokens(request.max_tokens));
        }
        if answer.length == 0 {
            return Err(ModelError::Empty { host: self.host() });
        }
        let tokens = result.usage.unwrap_or_default();
        let read = [tokens.input_tokens, tokens.cache_read_input_tokens, tokens.cache_creation_input_tokens];
        Ok(Usage {
            prompt: tokens.input_tokens.map(|_| read.into_iter().flatten().sum()),
            cached: tokens.cache_read_input_tokens,
            written: tokens.output_tokens,
            replayed: false,
        })
    }

    pub(super) fn host(&self) -> String {
        self.route.host().to_owned()
    }

    fn silent(&self, answer: &Reading) -> ModelError {
        if answer.length > 0 {
            return ModelError::CutOff { host: self.host(), why: format!("nothing came for {} s", SILENT.as_secs()) };
        }
        ModelError::NoAnswer { host: self.host(), seconds: SILENT.as_secs() }
    }

    pub(super) fn unavailable(&self, why: &str, todo: &str) -> ModelError {
        ModelError::Unavailable { model: "Claude Code".into(), why: why.to_owned(), todo: todo.to_owned() }
    }
}

/// What came of an answer so far.
#[derive(Debug, Default)]
struct Reading {
    /// Parts of the answer come as they are written.
    streamed: bool,
    /// Bytes of text.
    length: usize,
}

enum Taken {
    Nothing,
    Thinking,
    Text(String),
    End(Usage),
}

/// A line of its output.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line {
    StreamEvent {
        event: Event,
    },
    Assistant {
        message: Message,
    },
    Result(Outcome),
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    delta: Option<Delta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta {
    text: Option<String>,
    thinking: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message {
    content: Vec<Block>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block {
    text: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Outcome {
    subtype: Option<String>,
    is_error: bool,
    api_error_status: Option<u16>,
    pub(super) result: Option<String>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settings::Network;
    use crate::llm::answer::{Answer, whole};
    use crate::llm::prompt::Prompt;
    use crate::llm::provider::Form;

    /// Asks a script that stands for the program; it sees our arguments and input.
    async fn ask(script: &str) -> Result<Answer, ModelError> {
        let words = ["sh", "-c", script, "claude"].map(str::to_owned);
        let route = Route::open(Network::Loopback, "http://127.0.0.1:9").unwrap();
        let prompt = Prompt { system: "rules".into(), user: "the question".into(), ..Prompt::default() };
        let request = Request { prompt, max_tokens: 64, temperature: 0.0, form: Form::Text };
        whole(&ClaudeCode::new(&words, route, "opus", 1), request, CancellationToken::new()).await
    }

    const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"def f()","stop_reason":"end_turn","usage":{"input_tokens":7,"cache_read_input_tokens":3,"cache_creation_input_tokens":0,"output_tokens":4}}"#;

    #[tokio::test]
    async fn parts_of_the_answer_are_taken_once() {
        let script = format!(
            r#"case "$*" in *'--system-prompt rules'*'--model opus') ;; *) exit 9;; esac
               [ "$CLAUDE_CODE_MAX_OUTPUT_TOKENS" = 64 ] && [ -z "$(ls -A)" ] && grep -q 'the question' || exit 8
               echo '{{"type":"system","subtype":"init","tools":[]}}'; echo '{{"type":"news_of_tomorrow","x":[1]}}'
               echo '{{"type":"stream_event","event":{{"type":"content_block_delta","delta":{{"type":"thinking_delta","thinking":"hm"}}}}}}'
               echo '{{"type":"stream_event","event":{{"type":"content_block_delta","delta":{{"type":"text_delta","text":"def "}}}}}}'
               echo '{{"type":"stream_event","event":{{"type":"content_block_delta","delta":{{"type":"text_delta","text":"f()"}}}}}}'
               echo '{{"type":"assistant","message":{{"content":[{{"type":"text","text":"def f()"}}]}}}}'
               echo '{RESULT}'"#
        );
        let answer = ask(&script).await.unwrap();
        let usage = Usage { prompt: Some(10), cached: Some(3), written: Some(4), replayed: false };
        assert_eq!(answer, Answer { text: "def f()".into(), usage });
        let whole = format!(
            r#"echo '{{"type":"assistant","message":{{"content":[{{"type":"thinking","thinking":"hm"}},{{"type":"text","text":"def f()"}}]}}}}'; echo '{RESULT}'"#
        );
        assert_eq!(ask(&whole).await.unwrap().text, "def f()");
    }

    #[tokio::test]
    async fn what_is_no_answer_is_an_error_with_its_reason() {
        let result = |fields: &str| format!(r#"echo '{{"type":"result","subtype":"success",{fields}}}'; exit 1"#);
        let login = ask(&result(r#""is_error":true,"result":"Not logged in · Please run /login""#)).await.unwrap_err();
        assert!(matches!(&login, ModelError::GaveUp { said, .. } if said.contains("/login")), "{login}");
        let key = ask(&result(r#""is_error":true,"api_error_status":401,"result":"bad key""#)).await.unwrap_err();
        assert!(matches!(key, ModelError::Key { .. }), "{key}");
        let long = format!(
            r#"echo '{{"type":"assistant","message":{{"content":[{{"type":"text","text":"x"}}]}}}}'; {}"#,
            result(r#""is_error":false,"stop_reason":"max_tokens""#)
        );
        assert_eq!(ask(&long).await, Err(ModelError::OutOfTokens(64)));
        assert!(matches!(ask(&format!("echo '{RESULT}'")).await, Err(ModelError::Empty { .. })));
        assert!(matches!(ask("echo Hello").await, Err(ModelError::Strange { .. })));
        let gone = ask("echo 'Segmentation fault' >&2; exit 139").await.unwrap_err();
        assert!(gone.to_string().contains("ended with 139. Its last words: Segmentation fault"), "{gone}");
    }

    #[tokio::test]
    async fn it_is_not_started_for_a_host_that_nobody_allowed() {
        let route = Route::open(Network::On, ADDRESS).unwrap();
        let words = ["sh".to_owned(), "-c".into(), format!("echo '{RESULT}'")];
        let provider = ClaudeCode::new(&words, route, "", 1);
        assert_eq!((provider.host(), provider.model(), provider.is_allowed()), ("api.anthropic.com", "Claude Code", false));
        let prompt = Prompt::default();
        let request = Request { prompt, max_tokens: 1, temperature: 0.0, form: Form::Text };
        let error = whole(&provider, request, CancellationToken::new()).await.unwrap_err();
        assert_eq!(error, ModelError::NotAllowed { host: "api.anthropic.com".into() });
    }
}
