//! A coding agent for tests: speaks to `pytead-tui mcp` and knows no more of the protocol than it needs to break it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::Place;

/// Longest wait for an answer; it only ends a test that has failed.
const DEADLINE: Duration = Duration::from_secs(120);

/// A client that knows no more of the protocol than it needs to break it.
pub struct Client {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub lines: Receiver<String>,
    pub next: u64,
}

impl Client {
    pub fn start(place: &Place, args: &[&str]) -> Self {
        let mut command = place.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let input = child.stdin.take();
        let mut client = Self { child, input, lines, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "attacker\u{1b}[31m", "version": "0" }
        });
        let begun = client.request("initialize", hello);
        assert_eq!(begun["result"]["serverInfo"]["name"], "pytead-tui", "{begun}");
        client.tell("notifications/initialized", json!({}));
        client
    }

    pub fn trusted(place: &Place) -> Self {
        Self::start(place, &["--trust", "mcp"])
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").and_then(|()| input.flush()).unwrap();
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Waits for the answer to a request. Whatever is no message of the protocol fails the test.
    pub fn answer(&self, id: u64) -> Value {
        loop {
            let line = self.lines.recv_timeout(DEADLINE).unwrap_or_else(|error| panic!("no answer to {id}: {error}"));
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no protocol: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            assert!(!line.chars().any(char::is_control), "{line:?}");
            if message["id"] == id {
                return message;
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Lists the tools.
    pub fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    }

    /// Calls a tool; gives whether it failed, and what it said.
    pub fn call(&mut self, name: &str, arguments: Value) -> (bool, String) {
        let answer = self.request("tools/call", json!({ "name": name, "arguments": arguments }));
        match answer["result"]["content"][0]["text"].as_str() {
            Some(text) => (answer["result"]["isError"] == true, text.to_owned()),
            None => (true, answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()),
        }
    }

    pub fn good(&mut self, name: &str, arguments: Value) -> Value {
        let (failed, text) = self.call(name, arguments.clone());
        assert!(!failed, "{name} {arguments}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    pub fn refused(&mut self, name: &str, arguments: Value) -> String {
        let (failed, text) = self.call(name, arguments.clone());
        assert!(failed, "{name} {arguments}: {text}");
        text
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
