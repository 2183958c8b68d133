//! The client against a server on this machine that behaves in every way a server can.
//!
//! Over 600 lines because all of them talk to one scripted server.
#![allow(clippy::print_stderr)]

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use secrecy::SecretString;

use super::*;
use crate::domain::settings::Network;
use crate::llm::prompt::Prompt;
use crate::llm::provider::Form;

const SSE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
/// Longer than anything here takes, so that a wait for it is a failure.
const LONG: Duration = Duration::from_secs(20);

/// A server whose connections are answered by a script.
struct Server {
    address: String,
    /// The requests as they came: head and body.
    seen: Arc<Mutex<Vec<String>>>,
}

/// One connection whose request was read.
struct Talk {
    stream: TcpStream,
    /// Which connection it is, from 0.
    number: usize,
}

impl Talk {
    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        // The client may be gone; that is what some tests are about.
        let _ = self.stream.write_all(bytes.as_ref()).await;
        let _ = self.stream.flush().await;
    }

    async fn text(&mut self, text: &str) {
        let chunk = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] });
        self.send(format!("data: {chunk}\n\n")).await;
    }

    async fn finish(&mut self, reason: &str) {
        let chunk = serde_json::json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
        self.send(format!("data: {chunk}\n\n")).await;
    }

    async fn done(&mut self) {
        self.finish("stop").await;
        self.send("data: [DONE]\n\n").await;
    }

    async fn status(&mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}")).await;
    }

    /// Waits until the client has closed the connection.
    async fn closed(&mut self) {
        let mut rest = [0; 64];
        while self.stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
    }
}

async fn serve<F, T>(script: F) -> Server
where
    F: Fn(Talk) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let script = Arc::new(script);
    tokio::spawn(async move {
        for number in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
            tokio::spawn(async move {
                let request = read_request(&mut stream).await;
                kept.lock().push(request);
                script(Talk { stream, number }).await;
            });
        }
    });
    Server { address, seen }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut more = [0; 4096];
        let read = stream.read(&mut more).await.unwrap_or(0);
        bytes.extend_from_slice(&more[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let length = text
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length: ").and_then(|length| length.parse::<usize>().ok()))
            .unwrap_or(0);
        if read == 0 || text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length) {
            return text.into_owned();
        }
    }
}

fn patience() -> Patience {
    Patience { first: LONG, idle: LONG, whole: LONG * 2, after: Duration::from_millis(300), tries: TRIES }
}

fn provider(address: &str, patience: Patience, key: Option<&str>) -> OpenAi {
    let route = Route::open(Network::Loopback, address).unwrap();
    let key = key.map(|secret| Key { variable: "SHOP_KEY".into(), secret: SecretString::from(secret.to_owned()) });
    OpenAi::new(route, "small-coder", key, 2, patience)
}

fn request() -> Request {
    let prompt = Prompt { system: "be brief".into(), user: "test add".into(), version: 1, ..Prompt::default() };
    Request { prompt, max_tokens: 64, temperature: 0.0, form: Form::Text }
}

/// Reads a stream to its end: the text, and how it ended.
async fn whole(provider: &OpenAi) -> (String, Result<Usage, ModelError>) {
    let mut pieces = provider.stream(request(), CancellationToken::new());
    let mut text = String::new();
    loop {
        match timeout(LONG * 2, pieces.recv()).await.expect("an end within the time").expect("an end before the stream closes") {
            Ok(Piece::Text(more)) => text.push_str(&more),
            Ok(Piece::Thinking | Piece::Elsewhere(_)) => {}
            Ok(Piece::End(usage)) => return (text, Ok(usage)),
            Err(error) => return (text, Err(error)),
        }
    }
}

/// Asks a server of its own, once.
async fn ask<F, T>(script: F) -> (String, Result<Usage, ModelError>)
where
    F: Fn(Talk) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let server = serve(script).await;
    whole(&provider(&server.address, patience(), None)).await
}

#[tokio::test]
async fn a_slow_stream_in_single_bytes_comes_out_whole() {
    let server = serve(|mut talk| async move {
        talk.send(SSE).await;
        let head = ": PROCESSING\n\ndata:\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\n";
        let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Grüße, 漢字 🎉\"}}]}\r\n\r\n";
        for byte in format!("{head}{text}").bytes() {
            talk.send([byte]).await;
            tokio::task::yield_now().await;
        }
        talk.text(" and more").await;
        talk.finish("stop").await;
        talk.send("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":5,").await;
        talk.send("\"prompt_tokens_details\":{\"cached_tokens\":8}}}\n\ndata: [DONE]\n\n").await;
        talk.closed().await;
    })
    .await;
    let (text, end) = whole(&provider(&server.address, patience(), Some("sk-canary-1234567890"))).await;
    assert_eq!(text, "Grüße, 漢字 🎉 and more");
    assert_eq!(end, Ok(Usage { prompt: Some(12), cached: Some(8), written: Some(5), replayed: false }));
    let seen = server.seen.lock().join("");
    assert!(seen.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("authorization: Bearer sk-canary-1234567890\r\n"), "{seen}");
    let body: serde_json::Value = serde_json::from_str(seen.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(body["model"], "small-coder");
    assert_eq!(body["messages"][0]["content"], "be brief");
    assert_eq!(body["messages"][1], serde_json::json!({ "role": "user", "content": "test add" }));
}

#[tokio::test]
async fn without_a_key_no_header_is_sent_and_reasoning_is_not_the_answer() {
    let server = serve(|mut talk| async move {
        talk.send(SSE).await;
        talk.send("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n").await;
        talk.text("x = 1").await;
        talk.done().await;
    })
    .await;
    let mut pieces = provider(&server.address, patience(), None).stream(request(), CancellationToken::new());
    assert_eq!(pieces.recv().await, Some(Ok(Piece::Thinking)));
    assert_eq!(pieces.recv().await, Some(Ok(Piece::Text("x = 1".into()))));
    assert_eq!(pieces.recv().await, Some(Ok(Piece::End(Usage::default()))));
    assert_eq!(pieces.recv().await, None);
    assert!(!server.seen.lock().join("").to_lowercase().contains("authorization"));
}

#[tokio::test]
async fn an_end_counts_only_when_it_is_said() {
    let (text, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("half").await;
    })
    .await;
    assert_eq!(text, "half");
    assert!(matches!(end, Err(ModelError::CutOff { .. })), "{end:?}");

    // In the middle of a chunk, as a proxy that dies leaves it.
    let (_, end) = ask(|mut talk| async move {
        talk.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n").await;
        talk.send("31\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n\r\n40\r\ndata: {").await;
    })
    .await;
    assert!(matches!(end, Err(ModelError::CutOff { .. })), "{end:?}");

    let (_, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("too long").await;
        talk.finish("length").await;
        talk.send("data: [DONE]\n\n").await;
    })
    .await;
    assert_eq!(end, Err(ModelError::OutOfTokens(64)));

    let (_, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.done().await;
    })
    .await;
    assert!(matches!(end, Err(ModelError::Empty { .. })), "{end:?}");
}

#[tokio::test]
async fn an_end_without_figures_is_an_end() {
    // Closed without [DONE], and kept open without it.
    for keep_open in [false, true] {
        let (text, end) = ask(move |mut talk| async move {
            talk.send(SSE).await;
            talk.text("whole").await;
            talk.finish("stop").await;
            if keep_open {
                talk.closed().await;
            }
        })
        .await;
        assert_eq!((text.as_str(), end), ("whole", Ok(Usage::default())));
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_is_said_safely() {
    let (text, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("def").await;
        talk.send("data: {\"error\":{\"code\":502,\"message\":\"upstream \\u001b[31mdied\\nhere\"}}\n\n").await;
    })
    .await;
    let said = "upstream \\x1b[31mdied\\nhere".to_owned();
    assert_eq!(text, "def");
    assert!(matches!(&end, Err(ModelError::GaveUp { said: found, .. }) if *found == said), "{end:?}");

    let (_, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.send("data: not json\n\n").await;
    })
    .await;
    assert!(matches!(end, Err(ModelError::Strange { .. })), "{end:?}");
}

#[tokio::test]
async fn a_refused_key_is_named_by_its_variable_and_never_shown() {
    let server = serve(|mut talk| async move {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-canary-1234567890."}}"#;
        talk.status("401 Unauthorized", "", body).await;
    })
    .await;
    let (_, end) = whole(&provider(&server.address, patience(), Some("sk-canary-1234567890"))).await;
    let error = end.unwrap_err();
    let trouble = error.trouble().to_string();
    assert!(trouble.contains("refused the key") && trouble.contains("SHOP_KEY"), "{trouble}");
    assert!(!format!("{error:?} {trouble}").contains("canary"), "{error:?}");
    assert_eq!(server.seen.lock().len(), 1, "a refused key is not tried again");
}

#[tokio::test]
async fn an_unknown_model_brings_the_names_there_are() {
    let server = serve(|mut talk| async move {
        if talk.number == 0 {
            let body = r#"{"error":{"message":"The model `small-coder` does not exist","code":"model_not_found"}}"#;
            talk.status("404 Not Found", "", body).await;
        } else {
            talk.status("200 OK", "", r#"{"data":[{"id":"big"},{"id":"small-code"},{"id":"other"}]}"#).await;
        }
    })
    .await;
    let (_, end) = whole(&provider(&server.address, patience(), None)).await;
    assert_eq!(
        end.unwrap_err().trouble().to_string(),
        format!(
            "{} has no model small-coder. It says: The model `small-coder` does not exist. It has: small-code, big, other.",
            host(&server)
        )
    );
    assert!(server.seen.lock()[1].starts_with("GET /v1/models HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_refusal_that_is_about_neither_key_nor_name_is_no_such() {
    let flagged = r#"{"error":{"code":403,"message":"Input was flagged","metadata":{"reasons":["violence"]}}}"#;
    let (_, end) = ask(move |mut talk| async move { talk.status("403 Forbidden", "", flagged).await }).await;
    assert!(matches!(end, Err(ModelError::Status { status: 403, .. })), "{end:?}");
    let server = serve(|mut talk| async move {
        if talk.number == 0 {
            let body = r#"{"error":{"message":"No models loaded. Load one.","code":"model_not_found"}}"#;
            talk.status("404 Not Found", "", body).await;
        } else {
            talk.status("200 OK", "", r#"{"data":[{"id":"small-coder"}]}"#).await;
        }
    })
    .await;
    let (_, end) = whole(&provider(&server.address, patience(), None)).await;
    let trouble = end.unwrap_err().trouble().to_string();
    assert!(trouble.contains("No models loaded") && !trouble.contains("has no model"), "{trouble}");
}

fn host(server: &Server) -> String {
    server.address.trim_start_matches("http://").trim_end_matches("/v1").to_owned()
}

#[tokio::test]
async fn a_wrong_address_is_an_error_of_its_own() {
    let (_, end) = ask(|mut talk| async move { talk.status("404 Not Found", "", "<html>nothing here</html>").await }).await;
    assert!(matches!(end, Err(ModelError::Status { status: 404, .. })), "{end:?}");
    let page = "content-type: text/html\r\n";
    let (_, end) = ask(move |mut talk| async move { talk.status("200 OK", page, "<html>welcome</html>").await }).await;
    assert!(end.unwrap_err().trouble().to_string().contains("base_url"));
}

#[tokio::test]
async fn an_answer_that_comes_whole_or_in_parts_is_read() {
    let message = |content: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"role":"assistant","content":{content}}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":5}}}}"#
        )
    };
    for (kind, body) in [
        ("application/json", message(r#""yes""#)),
        (
            "application/json; charset=utf-8",
            format!("\n  {}\n", message(r#"[{"type":"text","text":"ye"},{"type":"text","text":"s"}]"#)),
        ),
        ("text/event-stream", message(r#""yes""#)),
        ("text/event-stream", format!("data: {}\n\n", message(r#""yes""#))),
        ("text/plain", format!("data: {}\n\ndata: [DONE]\n\n", message(r#""yes""#))),
        (
            "application/x-ndjson",
            r#"{"choices":[{"delta":{"content":"ye"}}]}
{"choices":[{"delta":{"content":"s"},"finish_reason":"stop"}]}"#
                .to_owned(),
        ),
    ] {
        let head = format!("content-type: {kind}\r\n");
        let (text, end) = ask(move |mut talk| {
            let (head, body) = (head.clone(), body.clone());
            async move { talk.status("200 OK", &head, &body).await }
        })
        .await;
        assert!(end.is_ok() && text == "yes", "{kind}: {text} {end:?}");
    }
    for (body, sign) in [
        (r#"{"error":{"message":"no such deployment"}}"#, "no such deployment"),
        (r#"{"detail":"hello"}"#, "no choices"),
        (r#"{"choices":[{"message":{"content":"hal"#, "JSON cannot be read"),
        ("hello", "neither events nor JSON"),
    ] {
        let (text, end) = ask(move |mut talk| async move {
            talk.status("200 OK", "content-type: application/json\r\n", body).await;
        })
        .await;
        let said = end.unwrap_err().to_string();
        assert!(text.is_empty() && said.contains(sign), "{body}: {said}");
    }
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_and_its_wait_respected() {
    let server = serve(|mut talk| async move {
        match talk.number {
            0 => talk.status("429 Too Many Requests", "retry-after: 0\r\n", "{}").await,
            1 => talk.status("503 Service Unavailable", "retry-after: 0\r\n", "{}").await,
            _ => {
                talk.send(SSE).await;
                talk.text("at last").await;
                talk.done().await;
            }
        }
    })
    .await;
    assert_eq!(whole(&provider(&server.address, patience(), None)).await, ("at last".into(), Ok(Usage::default())));
    assert_eq!(server.seen.lock().len(), 3);

    // The date of a server whose clock stands still: what counts is how far apart its two dates are.
    let hour = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\nretry-after: Sun, 06 Nov 1994 09:49:37 GMT\r\n";
    let server =
        serve(move |mut talk| async move { talk.status("429 Too Many Requests", hour, r#"{"error":"quota"}"#).await }).await;
    let (_, end) = whole(&provider(&server.address, patience(), None)).await;
    assert_eq!(end, Err(ModelError::Busy { host: host(&server), wait: Some(3600), said: "quota".into() }));
    assert_eq!(server.seen.lock().len(), 1);
}

#[tokio::test]
async fn a_broken_provider_is_asked_three_times_and_then_reported() {
    let server = serve(|mut talk| async move { talk.status("500 Internal Server Error", "", "").await }).await;
    let (_, end) = whole(&provider(&server.address, patience(), None)).await;
    assert_eq!(end, Err(ModelError::Status { host: host(&server), status: 500, said: "Internal Server Error".into() }));
    assert_eq!(server.seen.lock().len(), 3);
}

#[tokio::test]
async fn what_has_begun_is_never_asked_again() {
    let server = serve(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("billed").await;
    })
    .await;
    let (_, end) = whole(&provider(&server.address, patience(), None)).await;
    assert!(end.is_err());
    assert_eq!(server.seen.lock().len(), 1);
}

#[tokio::test]
async fn silence_ends_by_the_clock_before_and_in_an_answer() {
    let short = Duration::from_millis(200);
    let silent = serve(|mut talk| async move { talk.closed().await }).await;
    let (_, end) = whole(&provider(&silent.address, Patience { first: short, ..patience() }, None)).await;
    assert_eq!(end, Err(ModelError::NoAnswer { host: host(&silent), seconds: 0 }));

    let polite = serve(|mut talk| async move {
        talk.send(SSE).await;
        talk.send("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n").await;
        talk.closed().await;
    })
    .await;
    let (_, end) = whole(&provider(&polite.address, Patience { first: short, ..patience() }, None)).await;
    assert!(matches!(end, Err(ModelError::NoAnswer { .. })), "{end:?}");

    let stalled = serve(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("so far").await;
        talk.closed().await;
    })
    .await;
    let (text, end) = whole(&provider(&stalled.address, Patience { idle: short, ..patience() }, None)).await;
    assert_eq!(text, "so far");
    assert!(matches!(&end, Err(ModelError::CutOff { why, .. }) if why.contains("nothing came")), "{end:?}");
}

#[tokio::test]
async fn interim_responses_without_end_are_no_answer_and_a_few_are_no_matter() {
    for interim in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"] {
        let endless = serve(move |mut talk| async move {
            while talk.stream.write_all(interim.repeat(20).as_bytes()).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await;
        let (_, end) = timeout(LONG, whole(&provider(&endless.address, patience(), None))).await.expect("an end");
        assert!(
            matches!(&end, Err(ModelError::Unreachable { why, .. }) if why.contains("interim responses without end")),
            "{end:?}"
        );
        let (text, end) = ask(move |mut talk| async move {
            talk.send(&interim.repeat(5)).await;
            talk.send(SSE).await;
            talk.text("an answer").await;
            talk.finish("stop").await;
        })
        .await;
        assert_eq!((text.as_str(), end.is_ok()), ("an answer", true), "{end:?}");
    }
}

#[tokio::test]
async fn an_answer_that_drips_ends_by_the_clock_whatever_still_comes() {
    let short = Duration::from_millis(600);
    // Text, reasoning, and what only keeps the connection open: each of them without end.
    let sorts = [
        r#"data: {"choices":[{"delta":{"content":"x"}}]}"#,
        r#"data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}"#,
        ": still here",
    ];
    for sort in sorts {
        let gone = Arc::new(Notify::new());
        let told = Arc::clone(&gone);
        let server = serve(move |mut talk| {
            let told = Arc::clone(&told);
            async move {
                talk.send(SSE).await;
                talk.text("so far").await;
                while talk.stream.write_all(format!("{sort}\n\n").as_bytes()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                told.notify_one();
            }
        })
        .await;
        let (text, end) = whole(&provider(&server.address, Patience { whole: short, ..patience() }, None)).await;
        assert!(text.starts_with("so far"), "{sort}: {text}");
        assert!(matches!(&end, Err(ModelError::CutOff { why, .. }) if why.contains("had not ended")), "{sort}: {end:?}");
        timeout(LONG / 4, gone.notified()).await.expect("the connection closed");
    }
    // All of the text is there and its end was said: what drips after it is not waited for.
    let (text, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        talk.text("all of it").await;
        talk.finish("stop").await;
        while talk.stream.write_all(b": still here\n\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    assert_eq!((text.as_str(), end), ("all of it", Ok(Usage::default())));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = serve(|mut talk| async move { talk.status("200 OK", "", "{}").await }).await;
    let to = format!("location: {}/chat/completions\r\n", other.address);
    let server = serve(move |mut talk| {
        let to = to.clone();
        async move { talk.status("307 Temporary Redirect", &to, "").await }
    })
    .await;
    let (_, end) = whole(&provider(&server.address, patience(), Some("sk-canary-1234567890"))).await;
    assert!(matches!(&end, Err(ModelError::Redirected { to, .. }) if to.contains(&host(&other))), "{end:?}");
    assert!(other.seen.lock().is_empty());
}

#[tokio::test]
async fn a_flood_is_cut_off() {
    let (_, end) = ask(|mut talk| async move {
        talk.send(SSE).await;
        for _ in 0..160 {
            talk.send("data: ").await;
            talk.send("x".repeat(64 << 10)).await;
        }
    })
    .await;
    assert_eq!(end.map_err(|error| matches!(error, ModelError::TooMuch { kib: 1024, .. })), Err(true));

    let (_, end) = ask(|mut talk| async move { talk.status("400 Bad Request", "", &"y".repeat(10 << 20)).await }).await;
    let Err(ModelError::Status { status: 400, said, .. }) = end else { panic!("{end:?}") };
    assert!(said.chars().count() <= SAID_MAX && said.ends_with('…'));
}

#[tokio::test]
async fn a_closed_port_cannot_be_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let (_, end) = whole(&provider(&address, patience(), None)).await;
    let trouble = end.unwrap_err().trouble().to_string();
    assert!(trouble.contains("cannot be reached") && trouble.to_lowercase().contains("refused"), "{trouble}");
}

#[tokio::test]
async fn cancelling_and_dropping_close_the_connection() {
    for cancels in [true, false] {
        let gone = Arc::new(Notify::new());
        let told = Arc::clone(&gone);
        let server = serve(move |mut talk| {
            let told = Arc::clone(&told);
            async move {
                talk.send(SSE).await;
                talk.text("first").await;
                talk.closed().await;
                told.notify_one();
            }
        })
        .await;
        let cancel = CancellationToken::new();
        let mut pieces = provider(&server.address, patience(), None).stream(request(), cancel.clone());
        assert_eq!(pieces.recv().await, Some(Ok(Piece::Text("first".into()))));
        if cancels {
            cancel.cancel();
            assert_eq!(pieces.recv().await, Some(Err(ModelError::Cancelled)));
        } else {
            drop(pieces);
        }
        // Much less than any other timeout here: nothing but the cancelling can have closed it.
        timeout(LONG / 4, gone.notified()).await.expect("the connection closed");
    }
}

#[tokio::test]
async fn cancelling_works_before_anything_was_sent() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let server = serve(|mut talk| async move { talk.closed().await }).await;
    let mut pieces = provider(&server.address, patience(), None).stream(request(), cancel);
    assert_eq!(pieces.recv().await, Some(Err(ModelError::Cancelled)));
    assert!(server.seen.lock().is_empty());
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_allowed() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
    let server = serve(move |mut talk| {
        let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
        async move {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(30)).await;
            talk.send(SSE).await;
            talk.text("x").await;
            running.fetch_sub(1, Ordering::SeqCst);
            talk.done().await;
        }
    })
    .await;
    let provider = provider(&server.address, patience(), None);
    let answers = futures_util::future::join_all((0..6).map(|_| whole(&provider))).await;
    assert!(answers.iter().all(|(text, end)| text == "x" && end.is_ok()), "{answers:?}");
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_newer_models_words_are_used_when_it_asks_for_them() {
    let server = serve(|mut talk| async move {
        if talk.number == 0 {
            let body = r#"{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}"#;
            talk.status("400 Bad Request", "", body).await;
        } else {
            talk.send(SSE).await;
            talk.text("ok").await;
            talk.done().await;
        }
    })
    .await;
    assert_eq!(whole(&provider(&server.address, patience(), None)).await.0, "ok");
    assert!(server.seen.lock()[1].contains("\"max_completion_tokens\":64"));
}

#[tokio::test]
async fn an_https_address_is_spoken_to_in_tls_alone() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}/v1", listener.local_addr().unwrap());
    let first_bytes = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = [0; 3];
        stream.read_exact(&mut bytes).await.unwrap();
        // A fatal alert: handshake failure.
        stream.write_all(&[0x15, 3, 3, 0, 2, 2, 40]).await.unwrap();
        bytes
    });
    let mut pieces = provider(&address, patience(), Some("sk-canary-1234567890")).stream(request(), CancellationToken::new());
    // A handshake record of TLS 1.x is the first thing on the wire.
    let bytes = timeout(LONG, first_bytes).await.unwrap().unwrap();
    assert_eq!(bytes[..2], [0x16, 3]);
    assert!(matches!(pieces.recv().await, Some(Err(ModelError::Unreachable { .. }))));
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let openssl = |words: &str| {
        let mut command = tokio::process::Command::new("openssl");
        command.args(words.split(' ')).current_dir(folder.path()).stdin(std::process::Stdio::piped()).kill_on_drop(true);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
        command
    };
    let certificate = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1";
    if !openssl(certificate).output().await.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no openssl here that makes certificates");
        return;
    }
    let mut server = openssl("s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem").spawn().unwrap();
    let mut said = BufReader::new(server.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("ACCEPT ") {
        line.clear();
        assert_ne!(timeout(LONG, said.read_line(&mut line)).await.unwrap().unwrap(), 0);
    }
    let port = line.trim_end().rsplit(':').next().unwrap();
    let address = format!("https://localhost:{port}/v1");
    let mut pieces = provider(&address, patience(), Some("sk-canary-1234567890")).stream(request(), CancellationToken::new());
    let answer = timeout(LONG, pieces.recv()).await.unwrap();
    assert!(matches!(&answer, Some(Err(ModelError::Unreachable { why, .. })) if why.contains("certificate")), "{answer:?}");
    drop(pieces);
    server.start_kill().unwrap();
    let mut rest = String::new();
    timeout(LONG, said.read_to_string(&mut rest)).await.unwrap().unwrap();
    assert!(!rest.contains("POST") && !rest.contains("canary"), "{rest}");
}
