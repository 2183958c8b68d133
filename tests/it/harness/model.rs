//! A model server on loopback: speaks the streaming protocol of OpenAI-compatible endpoints and writes what it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server that answers every request with the same text, token by token.
pub struct Model {
    /// Its port.
    pub port: u16,
    /// The bodies of the requests so far.
    pub requests: Arc<Mutex<Vec<String>>>,
    /// The peer closed the connection before the end.
    pub hung_up: Arc<AtomicBool>,
}

impl Model {
    /// Starts a server that writes `text` in small pieces; with `forever` it goes on until the peer hangs up.
    pub fn start(text: &str, forever: bool) -> Self {
        Self::listen(vec![text.to_owned()], if forever { 0..usize::MAX } else { 0..0 })
    }

    /// Starts a server that writes one text after the other, the last one for all requests that follow.
    pub fn answers(texts: &[&str]) -> Self {
        Self::listen(texts.iter().map(|text| (*text).to_owned()).collect(), 0..0)
    }

    /// As [`Model::answers`], but it never comes to the end of the answer with this number, counted from 0.
    pub fn hanging(texts: &[&str], at: usize) -> Self {
        Self::listen(texts.iter().map(|text| (*text).to_owned()).collect(), at..at + 1)
    }

    fn listen(texts: Vec<String>, forever: std::ops::Range<usize>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let hung_up = Arc::new(AtomicBool::new(false));
        let (seen, gone) = (requests.clone(), hung_up.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(body) = read_request(&stream) {
                    let mut seen = seen.lock().unwrap();
                    let text = &texts[seen.len().min(texts.len() - 1)];
                    let forever = forever.contains(&seen.len());
                    seen.push(body);
                    drop(seen);
                    if answer(&stream, text, forever).is_err() {
                        gone.store(true, Ordering::SeqCst);
                    }
                }
            }
        });
        Self { port, requests, hung_up }
    }

    /// The user's configuration that chooses this server.
    pub fn config(&self) -> String {
        format!(
            "model:\n  provider: here\nproviders:\n  here:\n    kind: openai\n    base_url: http://127.0.0.1:{}/v1\n    model: tiny\n",
            self.port
        )
    }
}

/// The body of a request; none where the peer closed without one.
pub fn read_request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    String::from_utf8(body).ok().filter(|body| !body.is_empty())
}

fn answer(mut stream: &TcpStream, text: &str, forever: bool) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let mut piece = |text: &str| {
        let data = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        stream.write_all(format!("data: {data}\n\n").as_bytes())?;
        stream.flush()
    };
    for token in text.split_inclusive(' ') {
        piece(token)?;
        std::thread::sleep(Duration::from_millis(2));
    }
    if forever {
        loop {
            piece("# more\n")?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    let end = serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    stream.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes())
}
