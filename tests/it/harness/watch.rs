//! `pytead-tui watch` on a project, and what it says.

use std::io::{BufRead, BufReader};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::Value;

use super::{DEADLINE, Place};

/// A process that watches a project, and the events that it tells.
pub struct Watch {
    child: std::process::Child,
    lines: Receiver<Value>,
}

impl Watch {
    /// Begins to watch, once what was recorded is known to be as it was.
    pub fn start(place: &Place) -> Self {
        let mut command = place.command(&["--trust", "watch", "--format", "json"]);
        let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let watch = Self { child, lines };
        watch.until("replayed");
        watch
    }

    /// Gives what it says up to the first event of this name, that one included.
    pub fn until(&self, name: &str) -> Vec<Value> {
        let until = Instant::now() + DEADLINE;
        let mut seen = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let event = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("no {name}; {seen:#?}"));
            let found = event["event"] == name;
            seen.push(event);
            if found {
                return seen;
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
