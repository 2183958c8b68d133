//! A model's server on loopback that answers as a test says, for answers that no real one can be made to give.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::Place;
use super::model::read_request;

/// What the test of [`project`] is for.
pub const INTENT: &str = "Save the user, then welcome them";

/// What a server does with a request.
pub enum Reply {
    Text(String),
    /// Text that never ends as it should.
    Cut(String),
    Status(u16),
}

/// A server that answers as a function of the request says.
pub struct Judge {
    pub port: u16,
    pub requests: Arc<Mutex<Vec<String>>>,
}

impl Judge {
    /// Starts it.
    pub fn start(answer: impl Fn(usize, &Value) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(body) = read_request(&stream) else { continue };
                let number = seen.lock().unwrap().len();
                seen.lock().unwrap().push(body.clone());
                let value = serde_json::from_str(&body).unwrap();
                let _ = write(&stream, answer(number, &value));
            }
        });
        Self { port, requests }
    }

    /// The settings of a person who chose it.
    pub fn config(&self, more: &str) -> String {
        let port = self.port;
        format!(
            "model:\n  provider: here\nproviders:\n  here:\n    kind: openai\n    base_url: http://127.0.0.1:{port}/v1\n    model: tiny\n{more}"
        )
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

fn write(mut stream: &TcpStream, reply: Reply) -> std::io::Result<()> {
    let (text, whole) = match reply {
        Reply::Status(status) => {
            let body = r#"{"error": {"message": "no"}}"#;
            return write!(stream, "HTTP/1.1 {status} No\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        }
        Reply::Text(text) => (text, true),
        Reply::Cut(text) => (text, false),
    };
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    for piece in text.as_bytes().chunks(40) {
        let data = json!({ "choices": [{ "index": 0, "delta": { "content": String::from_utf8_lossy(piece) } }] });
        write!(stream, "data: {data}\n\n")?;
    }
    if whole {
        let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 900, "completion_tokens": 90, "prompt_tokens_details": { "cached_tokens": 512 } } });
        write!(stream, "data: {end}\n\ndata: [DONE]\n\n")?;
    }
    Ok(())
}

/// All that was said in a request.
pub fn said(body: &Value) -> String {
    fn texts(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
            Value::Object(fields) => fields.values().for_each(|field| texts(field, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    texts(&body["messages"], &mut out);
    out
}

/// The line of the journey in which a function is called.
pub fn line_of(body: &Value, function: &str) -> u64 {
    line_in(&said(body), function)
}

fn line_in(said: &str, function: &str) -> u64 {
    let journey = said.split("BEGIN journey").nth(1).unwrap();
    let line = journey.lines().find(|line| line.contains(" call {") && line.contains(&format!("\"{function}\""))).unwrap();
    line[1..].split(' ').next().unwrap().parse().unwrap()
}

/// The nonce of a request.
pub fn nonce(body: &Value) -> String {
    nonce_in(&said(body))
}

fn nonce_in(said: &str) -> String {
    said.rsplit("Nonce: ").next().unwrap().lines().next().unwrap().to_owned()
}

/// A right answer to a request: the user is saved and then welcomed, or the mail is missing.
pub fn right(body: &Value, holds: bool) -> Value {
    answer(&said(body), holds)
}

/// A right answer to what was said, in the order of its form.
pub fn answer(said: &str, holds: bool) -> Value {
    let sentence = if holds {
        json!({ "id": "c1", "span": INTENT, "analysis": "Database.save ended before Mail.send_welcome began.",
            "evidence": [{ "line": line_in(said, "Database.save"), "quote": "Database.save" }],
            "claims": [{ "claim": "before", "function": "Database.save", "other": "Mail.send_welcome" }], "outcome": "holds" })
    } else {
        json!({ "id": "c1", "span": INTENT, "analysis": "Nobody was welcomed.", "evidence": [],
            "claims": [{ "claim": "not_called", "function": "Mail.send_welcome", "other": "" }], "outcome": "violated" })
    };
    json!({ "schema": "verdict/1", "nonce": nonce_in(said), "clauses": [sentence], "missing_info": [], "suspected_injection": [],
        "confidence": "high", "verdict": if holds { "PASS" } else { "FAIL" }, "summary": "Saved, then welcomed." })
}

/// Says it whole.
pub fn text(value: &Value) -> Reply {
    Reply::Text(value.to_string())
}

/// Writes the person's settings.
pub fn configure(place: &Place, config: &str) {
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), config).unwrap();
}

/// A project with one test whose intent no rule decides.
pub fn project(body: &str) -> Place {
    let place = Place::empty();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/intents");
    for file in ["shop/__init__.py", "shop/registration.py"] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place.save(
        "tests/test_free.py",
        &format!(
            "from pytead_tui import semantic_test\nfrom shop.registration import Database, Mail, Service\n\n\n\
             @semantic_test(\"{INTENT}\")\ndef test_free():\n    {body}\n"
        ),
    );
    place
}

/// One that does what it is for.
pub fn well() -> Place {
    project("assert Service(Database(), Mail()).register(\"a@b.c\", \"A\") == \"Success\"")
}
