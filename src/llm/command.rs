//! Any program that answers requests: one order of `local::protocol` on its input, reports on its output.
//!
//! What it connects to is its own business, so it counts as another machine: a person allows it by its name, and the
//! setting `network` has to be `on`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::base::text::display_line;
use crate::domain::settings::Network;
use crate::llm::local::protocol::{Generate, Order, Reason, Report, Sampling};
use crate::llm::program::{ANSWER_MAX, Program, run, shown};
use crate::llm::provider::{Form, ModelError, Piece, Provider, Request, Usage};

/// How long a program may be silent.
const SILENT: Duration = Duration::from_secs(300);
/// The longest an answer may take, whatever is reported meanwhile.
const LONGEST: Duration = Duration::from_secs(3_600);

/// A program that is started for each request.
#[derive(Debug, Clone)]
pub struct Commanded {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    words: Vec<String>,
    /// The program's name, by which it is allowed.
    name: String,
    model: String,
    allowed: bool,
    sampling: Sampling,
    slots: Semaphore,
}

impl Commanded {
    /// Makes a provider of a program and its arguments; `allowed` tells whether a person lets it be told anything.
    ///
    /// # Errors
    /// Fails where the setting `network` is not `on`, and when `words` is empty.
    pub fn new(
        network: Network,
        words: &[String],
        model: &str,
        sampling: Sampling,
        concurrency: u32,
        allowed: impl Fn(&str) -> bool,
    ) -> Result<Self, ModelError> {
        let name = words.first().and_then(|word| Path::new(word).file_name()).map(|name| name.to_string_lossy());
        let Some(name) = name.map(|name| display_line(&name).into_owned()) else {
            return Err(ModelError::Setup("the provider names no command".into()));
        };
        let setting = match network {
            Network::On => None,
            Network::Loopback => Some("loopback"),
            Network::Off => Some("off"),
        };
        if let Some(setting) = setting {
            return Err(ModelError::Forbidden { setting, host: name, place: "a program that may connect anywhere" });
        }
        let model = if model.is_empty() { name.clone() } else { display_line(model).into_owned() };
        let slots = Semaphore::new(usize::try_from(concurrency).unwrap_or(1).clamp(1, Semaphore::MAX_PERMITS));
        let allowed = allowed(&name);
        Ok(Self { shared: Arc::new(Shared { words: words.to_vec(), name, model, allowed, sampling, slots }) })
    }
}

impl Provider for Commanded {
    fn model(&self) -> &str {
        &self.shared.model
    }

    fn host(&self) -> &str {
        &self.shared.name
    }

    fn is_local(&self) -> bool {
        false
    }

    fn is_allowed(&self) -> bool {
        self.shared.allowed
    }

    fn outgoing(&self, request: &Request) -> String {
        self.shared.order(request)
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> mpsc::Receiver<Result<Piece, ModelError>> {
        let shared = Arc::clone(&self.shared);
        run(cancel, |pieces| async move { shared.answer(&request, &pieces).await })
    }
}

impl Shared {
    fn order(&self, request: &Request) -> String {
        let (grammar, schema) = match &request.form {
            Form::Text => (None, None),
            Form::Json(schema) => (None, Some(serde_json::Value::clone(schema))),
            Form::Grammar(grammar) => (Some(grammar.clone()), None),
        };
        let order = Order::Generate(Box::new(Generate {
            id: 1,
            system: request.prompt.system.clone(),
            user: request.prompt.asked(),
            max_tokens: request.max_tokens,
            sampling: Sampling { temperature: request.temperature, ..self.sampling },
            grammar,
            schema,
        }));
        // Orders are plain data: writing one cannot fail.
        serde_json::to_string(&order).unwrap_or_default() + "\n"
    }

    async fn answer(&self, request: &Request, pieces: &mpsc::Sender<Result<Piece, ModelError>>) -> Result<Usage, ModelError> {
        if !self.allowed {
            return Err(ModelError::NotAllowed { host: self.name.clone() });
        }
        // The semaphore is never closed, so waiting for it cannot fail.
        let _slot = self.slots.acquire().await;
        let mut command = Command::new(self.words.first().map_or("", String::as_str));
        command.args(self.words.iter().skip(1));
        let mut program = Program::start(command, self.order(request)).map_err(|error| {
            self.unavailable(&format!("it does not start: {error}."), "Correct command under providers in your own config.")
        })?;
        let mut length = 0_usize;
        let end = Instant::now() + LONGEST;
        loop {
            let until = end.min(Instant::now() + SILENT);
            let line = timeout_at(until, program.line()).await.map_err(|_| match Instant::now() >= end {
                true => {
                    ModelError::CutOff { host: self.name.clone(), why: format!("it had not ended after {} s", LONGEST.as_secs()) }
                }
                false => ModelError::NoAnswer { host: self.name.clone(), seconds: SILENT.as_secs() },
            })?;
            let Some(line) = line else { return Err(self.unavailable(&format!("{}.", program.gone().await), "")) };
            let too_much = || ModelError::TooMuch { host: self.name.clone(), kib: ANSWER_MAX >> 10 };
            let line = line.map_err(|()| too_much())?;
            match serde_json::from_slice(&line) {
                Ok(Report::Text { text, .. }) => {
                    length += text.len();
                    if length > ANSWER_MAX {
                        return Err(too_much());
                    }
                    // A receiver that is gone ends the whole task.
                    let _ = pieces.send(Ok(Piece::Text(text))).await;
                }
                Ok(Report::End(end)) => {
                    return match end.reason {
                        Reason::Cancelled => Err(ModelError::Cancelled),
                        Reason::Length => Err(ModelError::OutOfTokens(request.max_tokens)),
                        Reason::Stop if length == 0 => Err(ModelError::Empty { host: self.name.clone() }),
                        Reason::Stop => Ok(Usage {
                            prompt: Some(end.prompt),
                            cached: Some(end.reused),
                            written: Some(end.written),
                            replayed: false,
                        }),
                    };
                }
                Ok(Report::Failed { why, .. }) => return Err(self.unavailable(&shown(&why), "")),
                Ok(_) => {}
                Err(error) => {
                    let why = format!("a line is no report: {error}");
                    return Err(ModelError::Strange { host: self.name.clone(), why: shown(&why) });
                }
            }
        }
    }

    fn unavailable(&self, why: &str, todo: &str) -> ModelError {
        ModelError::Unavailable { model: self.model.clone(), why: why.to_owned(), todo: todo.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::llm::answer::{Answer, whole};
    use crate::llm::prompt::Prompt;

    fn program(script: &str) -> Commanded {
        let words = ["sh", "-c", script].map(str::to_owned);
        Commanded::new(Network::On, &words, "", Sampling::default(), 1, |name| name == "sh").unwrap()
    }

    fn request() -> Request {
        let prompt = Prompt { system: "s".into(), user: "the question".into(), ..Prompt::default() };
        Request { prompt, max_tokens: 5, temperature: 0.0, form: Form::Text }
    }

    async fn ask(script: &str) -> Result<Answer, ModelError> {
        whole(&program(script), request(), CancellationToken::new()).await
    }

    const END: &str = r#"echo '{"end":{"id":1,"prompt":9,"reused":0,"written":2,"reason":"stop"}}'"#;

    #[tokio::test]
    async fn a_program_is_told_the_request_and_its_reports_are_the_answer() {
        let script = format!(
            r#"grep -q '"user":"the question"' && echo noise >&2
               echo '{{"loading":{{"percent":5}}}}'; echo; echo '{{"text":{{"id":1,"text":"def "}}}}'
               echo '{{"text":{{"id":1,"text":"f()"}}}}'; {END}"#
        );
        let answer = ask(&script).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.usage.prompt, answer.usage.written), ("def f()", Some(9), Some(2)));
    }

    #[tokio::test]
    async fn what_is_no_answer_is_an_error_with_its_reason() {
        let said = async |script: &str| ask(script).await.unwrap_err().to_string();
        assert!(said("echo 'no such model' >&2; exit 3").await.contains("ended with 3. Its last words: no such model"));
        assert!(said("echo hello").await.contains("a line is no report"));
        assert!(said("true").await.contains("without an answer"));
        assert!(said(END).await.contains("without a word"));
        assert!(said(r#"echo '{"failed":{"id":1,"why":"out of memory"}}'"#).await.contains("out of memory"));
        let length = END.replace("stop", "length");
        assert_eq!(ask(&format!(r#"echo '{{"text":{{"id":1,"text":"x"}}}}'; {length}"#)).await, Err(ModelError::OutOfTokens(5)));
    }

    #[tokio::test]
    async fn a_cancel_ends_the_program_and_what_it_started() {
        let place = tempfile::tempdir().unwrap();
        let alive = place.path().join("alive");
        let script = format!("(sleep 2; touch {}) & echo '{{\"text\":{{\"id\":1,\"text\":\"x\"}}}}'; sleep 60", alive.display());
        let cancel = CancellationToken::new();
        let mut pieces = program(&script).stream(request(), cancel.clone());
        assert_eq!(pieces.recv().await, Some(Ok(Piece::Text("x".into()))));
        let start = Instant::now();
        cancel.cancel();
        assert_eq!(pieces.recv().await, Some(Err(ModelError::Cancelled)));
        assert!(start.elapsed() < Duration::from_secs(1));
        // Longer than what it started would have taken: only the absence of something is waited for by time.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        assert!(!alive.exists());
    }

    #[tokio::test]
    async fn nothing_is_told_to_a_program_that_nobody_allowed_or_while_the_network_is_off() {
        let words = ["sh".to_owned(), "-c".into(), END.into()];
        let make = |network, allowed: bool| Commanded::new(network, &words, "m", Sampling::default(), 1, |_| allowed);
        let error = whole(&make(Network::On, false).unwrap(), request(), CancellationToken::new()).await.unwrap_err();
        assert_eq!(error, ModelError::NotAllowed { host: "sh".into() });
        for network in [Network::Off, Network::Loopback] {
            assert!(matches!(make(network, true), Err(ModelError::Forbidden { .. })));
        }
        assert!(Commanded::new(Network::On, &[], "m", Sampling::default(), 1, |_| true).is_err());
    }
}
