//! What an agent writes, line by line, on its way to the protocol. A line that is too long, no JSON, or no message that a session can begin
//! with is answered with an error here, so that nobody waits for an answer that never comes; of a long one only its beginning and end are
//! kept.

use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::base::text;

/// Bytes between two tasks.
const PIPE: usize = 64 << 10;
/// Bytes of the end of a long line that may say its number.
const TAIL: usize = 256;
const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const INVALID_PARAMS: i32 = -32_602;
/// A request that begins a session.
const BEGINNING: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "my-client", "version": "1"}}}"#;

/// Puts the check between an agent and the protocol: gives what the protocol reads from and writes to, and the task that ends
/// when all it wrote has gone out.
pub fn checked<R, W>(read: R, write: W, most: usize) -> (DuplexStream, DuplexStream, JoinHandle<()>)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (forward, incoming) = tokio::io::duplex(PIPE);
    let (outgoing, answers) = tokio::io::duplex(PIPE);
    let (refused, errors) = mpsc::channel(16);
    tokio::spawn(take_in(read, forward, refused, most));
    (incoming, outgoing, tokio::spawn(put_out(answers, errors, write)))
}

/// Passes lines on; what cannot be passed on is answered.
async fn take_in(read: impl AsyncRead + Unpin, mut forward: DuplexStream, refused: mpsc::Sender<Value>, most: usize) {
    let mut read = BufReader::new(read);
    let mut line = Line::default();
    let mut begun = false;
    while line.fill(&mut read, most).await {
        let answer = match line.wrong(most, &mut begun) {
            None => forward.write_all(&line.head).await.is_ok(),
            Some(error) => refused.send(error).await.is_ok(),
        };
        if !answer {
            return;
        }
    }
}

/// Writes whole lines, whoever they are from.
async fn put_out(answers: DuplexStream, mut errors: mpsc::Receiver<Value>, mut write: impl AsyncWrite + Unpin) {
    let mut answers = BufReader::new(answers);
    let mut line = Vec::new();
    loop {
        let written = tokio::select! {
            // Where the other is ready first, what was read of a line stays in it.
            read = answers.read_until(b'\n', &mut line) => match read {
                Ok(1..) => {
                    let written = put(&mut write, &line).await;
                    line.clear();
                    written
                }
                _ => break,
            },
            Some(error) = errors.recv() => put(&mut write, format!("{error}\n").as_bytes()).await,
        };
        if written.is_err() {
            return;
        }
    }
    while let Ok(error) = errors.try_recv() {
        if put(&mut write, format!("{error}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn put(write: &mut (impl AsyncWrite + Unpin), line: &[u8]) -> std::io::Result<()> {
    write.write_all(line).await?;
    write.flush().await
}

/// A line of the agent's.
#[derive(Default)]
struct Line {
    /// All of it, or as much as there is room for.
    head: Vec<u8>,
    /// The last bytes of what there was no room for.
    tail: Vec<u8>,
    is_cut: bool,
}

impl Line {
    /// Reads the next one; false where there is none. What no newline ends is no line.
    async fn fill(&mut self, read: &mut (impl AsyncBufReadExt + Unpin), most: usize) -> bool {
        self.head.clear();
        self.tail.clear();
        self.is_cut = false;
        loop {
            let Ok(some) = read.fill_buf().await else { return false };
            if some.is_empty() {
                return false;
            }
            let end = some.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(some.len(), |end| end + 1);
            let fits = if self.is_cut { 0 } else { taken.min((most + 1).saturating_sub(self.head.len())) };
            self.head.extend_from_slice(&some[..fits]);
            if fits < taken {
                self.is_cut = true;
                self.tail.extend_from_slice(&some[fits.max(taken.saturating_sub(TAIL))..taken]);
                self.tail.drain(..self.tail.len().saturating_sub(TAIL));
            }
            read.consume(taken);
            if end.is_some() {
                return true;
            }
        }
    }

    /// Gives the answer to a line that is no message, or none that a session can begin with.
    fn wrong(&self, most: usize, begun: &mut bool) -> Option<Value> {
        let (code, message) = if self.is_cut {
            let most = text::bytes(most as u64);
            (
                INVALID_REQUEST,
                format!("The message has more than {most}, which is the most. Nothing of it was done; send less at once."),
            )
        } else if self.head.trim_ascii().is_empty() {
            return None;
        } else {
            match serde_json::from_slice::<Value>(&self.head) {
                Err(error) => (PARSE_ERROR, format!("The line is no JSON: {error}.")),
                Ok(message) => no_request(&message).or_else(|| no_beginning(&message, begun))?,
            }
        };
        Some(json!({ "jsonrpc": "2.0", "id": self.id(), "error": { "code": code, "message": message } }))
    }

    /// Reads the number of a message as far as it can be seen: before what is broken or cut off, or as its last field.
    fn id(&self) -> Option<Value> {
        let mut found = None;
        // It fails at the latest where the line is cut off.
        let _ = serde_json::Deserializer::from_slice(&self.head).deserialize_map(Id(&mut found));
        let found = found.or_else(|| {
            let tail = std::str::from_utf8(self.tail.trim_ascii()).ok()?;
            let (_, last) = tail.rsplit_once("\"id\"")?;
            let value = last.trim_start().strip_prefix(':')?.strip_suffix('}')?;
            let value = value.split(",\"jsonrpc\"").next()?.split(", \"jsonrpc\"").next()?;
            serde_json::from_str(value).ok()
        });
        found.filter(|id| id.is_number() || id.is_string())
    }
}

/// Says why a line of JSON is no message of the protocol.
fn no_request(message: &Value) -> Option<(i32, String)> {
    let why = match message {
        Value::Object(fields) if fields.contains_key("result") || fields.contains_key("error") => return None,
        Value::Object(fields) if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") => {
            "It has no \"jsonrpc\": \"2.0\"."
        }
        Value::Object(fields) if !fields.get("method").is_some_and(Value::is_string) => "It has no \"method\".",
        Value::Object(_) => return None,
        Value::Array(_) => "It is a list: send its messages one by one, each in a line.",
        _ => "It is no object.",
    };
    Some((INVALID_REQUEST, format!("The line is no message of JSON-RPC. {why}")))
}

/// Says why a session cannot begin with a message. One that has no number expects no answer, and is passed on.
fn no_beginning(message: &Value, begun: &mut bool) -> Option<(i32, String)> {
    let method = message["method"].as_str()?;
    // Newer clients begin no session: each of their requests says what it is made for.
    let stands_alone = message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string();
    if *begun || stands_alone || message.get("id").is_none() || method == "ping" {
        return None;
    }
    if method != "initialize" {
        let method = text::display_line(method);
        let said = format!("A session begins with initialize, and this is {}: {BEGINNING}", text::cut(&method, 80));
        return Some((INVALID_REQUEST, said));
    }
    let params = &message["params"];
    let client = &params["clientInfo"];
    let fields = [
        ("protocolVersion", params["protocolVersion"].is_string()),
        ("capabilities", params["capabilities"].is_object()),
        ("clientInfo.name", client["name"].is_string()),
        ("clientInfo.version", client["version"].is_string()),
    ];
    let missing: Vec<&str> = fields.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
    *begun = missing.is_empty();
    (!*begun).then(|| (INVALID_PARAMS, format!("initialize needs in its params {}: {BEGINNING}", missing.join(", "))))
}

/// Looks for the field `id` of an object.
struct Id<'f>(&'f mut Option<Value>);

impl<'de> Visitor<'de> for Id<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" {
                *self.0 = Some(map.next_value()?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What goes to the protocol of what an agent writes, and what the agent is answered.
    fn through(lines: &str) -> (String, Vec<Value>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (agent, answered) = tokio::io::duplex(1 << 20);
            let (mut incoming, outgoing, all) = checked(std::io::Cursor::new(lines.as_bytes().to_vec()), agent, 1_000);
            let mut passed = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut incoming, &mut passed).await.unwrap();
            drop(outgoing);
            all.await.unwrap();
            let mut said = String::new();
            tokio::io::AsyncReadExt::read_to_string(&mut { answered }, &mut said).await.unwrap();
            (passed, said.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
        })
    }

    #[test]
    fn a_session_that_does_not_begin_well_is_told_how_and_can_begin_again() {
        let start = |params: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"{params}}}\n");
        let list = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n";
        let without = [
            ("", "protocolVersion, capabilities, clientInfo.name, clientInfo.version"),
            (",\"params\":{}", "protocolVersion, capabilities, clientInfo.name, clientInfo.version"),
            (",\"params\":[]", "protocolVersion, capabilities"),
            (
                ",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"a\"}}",
                "params clientInfo.version:",
            ),
            (
                ",\"params\":{\"protocolVersion\":1,\"capabilities\":{},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}",
                "params protocolVersion:",
            ),
        ];
        for (params, missing) in without {
            let (passed, said) = through(&format!("{}{list}{BEGINNING}\n{list}", start(params)));
            assert_eq!(passed, format!("{BEGINNING}\n{list}"), "it begins with the next one, and goes on");
            let codes: Vec<&Value> = said.iter().map(|one| &one["error"]["code"]).collect();
            assert_eq!(codes, [&json!(INVALID_PARAMS), &json!(INVALID_REQUEST)], "{said:?}");
            let message = said[0]["error"]["message"].as_str().unwrap();
            assert!(message.contains(missing) && message.contains(BEGINNING) && said[0]["id"] == 1, "{message}");
        }
    }

    #[test]
    fn a_request_that_stands_alone_needs_no_session() {
        let alone = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-06-30\"}}}\n";
        assert_eq!(through(alone), (alone.to_owned(), Vec::new()));
    }

    #[test]
    fn what_is_too_long_or_no_json_is_answered_and_the_rest_goes_on() {
        let good = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let long = "x".repeat(5_000);
        let cases = [
            (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"params\":{{\"id\":9,\"a\":\"{long}\"}}}}\n"), json!(7)),
            (format!("{{\"params\":{{\"a\":\"{long}\"}},\"jsonrpc\":\"2.0\",\"id\":\"eight\"}}\n"), json!("eight")),
            (format!("{{\"params\":{{\"a\":\"{long}\"}},\"id\":8,\"jsonrpc\":\"2.0\"}}\n"), json!(8)),
            (format!("{{\"params\":{{\"a\":\"{long}\",\"id\":9}}}}\n"), Value::Null),
            (format!("{long}\n"), Value::Null),
        ];
        for (line, id) in cases {
            let (passed, said) = through(&format!("{good}{line}\n{good}"));
            assert_eq!(passed, format!("{good}\n{good}"));
            assert_eq!((said.len(), &said[0]["id"], &said[0]["error"]["code"]), (1, &id, &json!(INVALID_REQUEST)), "{said:?}");
        }
        let (passed, said) = through(&format!("{{\"id\": 3, \"method\": pong}}\n{good}not json\n"));
        assert_eq!(passed, good);
        let ids: Vec<_> = said.iter().map(|one| (&one["id"], &one["error"]["code"])).collect();
        assert_eq!(ids, [(&json!(3), &json!(PARSE_ERROR)), (&Value::Null, &json!(PARSE_ERROR))]);
        let (passed, said) = through("{\"id\": 5, \"method\": \"ping\"}\n[1]\n{\"jsonrpc\":\"2.0\",\"id\":6}\n");
        assert_eq!((passed.as_str(), said.len()), ("", 3), "{said:?}");
        assert!(said.iter().all(|one| one["error"]["code"] == json!(INVALID_REQUEST)), "{said:?}");
        // JSON, and nested deeper than anybody reads.
        let (passed, said) = through(&format!("{{\"id\":4,\"params\":{}1{}}}\n{good}", "[".repeat(200), "]".repeat(200)));
        assert_eq!((passed.as_str(), &said[0]["id"], &said[0]["error"]["code"]), (good, &json!(4), &json!(PARSE_ERROR)));
    }
}
