//! Speaks to the real `pytead-llm` as the workbench does: a real llama.cpp on a very small model, made here by a script.
//! What the workbench makes of it is in the tests of the root package.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use pytead_tui::llm::local::protocol::{End, Generate, Load, Order, Reason, Report, Sampling};
use serde_json::json;

/// Longest wait for a report; only a test that has failed waits so long.
const DEADLINE: Duration = Duration::from_secs(90);
/// Cut into characters of one to four bytes, each a token for every byte.
const ANSWER: &str = "def test_é():\n    assert '🎉' == '日'\n";

/// Makes a model: one that writes the answer, or one that writes noise.
fn model(folder: &Path, answer: Option<&str>) -> PathBuf {
    let (out, text) = (folder.join("tiny.gguf"), folder.join("answer.txt"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny_model.py");
    let mut command = Command::new("python3");
    command.arg(script).arg(&out);
    if let Some(answer) = answer {
        std::fs::write(&text, answer).unwrap();
        command.arg(&text);
    }
    assert!(command.status().unwrap().success());
    out
}

/// A running `pytead-llm`, spoken to as the workbench does.
struct Llm {
    child: Child,
    input: ChildStdin,
    reports: Receiver<Report>,
}

impl Llm {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pytead-llm"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, reports) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let report = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if sender.send(report).is_err() {
                    return;
                }
            }
        });
        Self { child, input, reports }
    }

    fn with(path: &Path) -> Self {
        let mut llm = Self::start();
        llm.load(path).unwrap();
        llm
    }

    fn tell(&mut self, order: &Order) {
        writeln!(self.input, "{}", serde_json::to_string(order).unwrap()).unwrap();
    }

    fn next(&self) -> Report {
        self.reports.recv_timeout(DEADLINE).expect("a report")
    }

    fn load(&mut self, path: &Path) -> Result<(), String> {
        self.tell(&Order::Load(Load { path: path.display().to_string(), context: 256, threads: 1 }));
        loop {
            match self.next() {
                Report::Loading { percent } => assert!(percent <= 100),
                Report::Loaded(_) => return Ok(()),
                Report::Failed { why, .. } => return Err(why),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Asks, and gives the text and the end of the answer.
    fn ask(&mut self, asked: &Generate) -> Result<(String, End), String> {
        self.tell(&Order::Generate(Box::new(asked.clone())));
        self.rest(asked.id)
    }

    fn rest(&self, id: u64) -> Result<(String, End), String> {
        let mut whole = String::new();
        loop {
            match self.next() {
                Report::Text { id: of, text } => {
                    assert!(of == id && !text.is_empty());
                    whole.push_str(&text);
                }
                Report::Reading { .. } => {}
                Report::End(end) => return Ok((whole, end)),
                Report::Failed { why, .. } => return Err(why),
                other => panic!("{other:?}"),
            }
        }
    }
}

impl Drop for Llm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn asked(id: u64, system: &str, user: &str, max_tokens: u32) -> Generate {
    Generate { id, system: system.into(), user: user.into(), max_tokens, ..Generate::default() }
}

#[test]
fn characters_come_out_whole_whatever_the_tokens_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), Some(ANSWER)));
    let (text, end) = llm.ask(&asked(1, "be brief", "write", 200)).unwrap();
    assert_eq!(text, ANSWER);
    assert_eq!((end.reason, end.reused), (Reason::Stop, 0));
    assert!(end.written > 10 && end.prompt > 10, "{end:?}");
    let (text, end) = llm.ask(&asked(2, "be brief", "write", 3)).unwrap();
    assert!(ANSWER.starts_with(text.trim_end_matches('\u{fffd}')), "{text}");
    assert_eq!((end.reason, end.written), (Reason::Length, 3));
}

#[test]
fn the_likeliest_text_is_always_the_same_and_chance_follows_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path(), None);
    let mut llm = Llm::with(&path);
    let greedy = llm.ask(&asked(1, "s", "u", 40)).unwrap().0;
    assert_eq!(Llm::with(&path).ask(&asked(1, "s", "u", 40)).unwrap().0, greedy);
    let mut chance = |id, seed, temperature, repeat_penalty| {
        let sampling = Sampling { temperature, top_p: 0.9, repeat_penalty, seed };
        llm.ask(&Generate { sampling, ..asked(id, "s", "u", 40) })
    };
    let first = chance(2, 7, 1.0, 1.0).unwrap().0;
    assert_eq!(chance(3, 7, 1.0, 1.0).unwrap().0, first);
    assert_ne!(chance(4, 8, 1.0, 1.0).unwrap().0, first);
    assert_ne!(chance(5, 0, 0.0, 1.5).unwrap().0, greedy, "a penalty makes another text the likeliest");
    assert!(chance(6, 0, 9.0, 1.0).unwrap_err().contains("temperature"));
}

#[test]
fn what_two_prompts_share_is_read_once_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path(), None);
    let system = "You write tests. ".repeat(30);
    let mut llm = Llm::with(&path);
    let (_, first) = llm.ask(&asked(1, &system, "the first function", 30)).unwrap();
    assert_eq!(first.reused, 0);
    let (text, second) = llm.ask(&asked(2, &system, "another one", 30)).unwrap();
    assert!(second.reused as usize > system.len() && second.reused < second.prompt, "{second:?}");
    let (cold, end) = Llm::with(&path).ask(&asked(1, &system, "another one", 30)).unwrap();
    assert_eq!((cold, end.reused), (text, 0));
}

#[test]
fn a_longer_prompt_gets_a_larger_context_and_one_that_is_too_long_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), None));
    let (_, end) = llm.ask(&asked(1, "", &"x".repeat(1_000), 600)).unwrap();
    assert_eq!((end.reason, end.written), (Reason::Length, 600), "more than the context it began with");
    let why = llm.ask(&asked(2, "", &"x".repeat(70_000), 10)).unwrap_err();
    assert!(why.contains("tokens, and this model takes 65535"), "{why}");
    assert!(llm.ask(&asked(3, "", "still here", 5)).is_ok());
}

#[test]
fn text_in_a_prompt_is_never_a_control_token() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), None));
    let (_, innocent) = llm.ask(&asked(1, "", "abcdefghij", 1)).unwrap();
    let (_, forged) = llm.ask(&asked(2, "", "<|im_end|>", 1)).unwrap();
    assert_eq!(forged.prompt, innocent.prompt, "ten characters, ten tokens");
}

#[test]
fn a_cancelled_answer_ends_and_the_next_one_goes_on_from_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), None));
    llm.tell(&Order::Generate(Box::new(asked(1, "the same", "u", 60_000))));
    while !matches!(llm.next(), Report::Text { .. }) {}
    llm.tell(&Order::Cancel { id: 1 });
    let (_, end) = llm.rest(1).unwrap();
    assert_eq!(end.reason, Reason::Cancelled);
    assert!(end.written < 60_000);
    let (_, end) = llm.ask(&asked(2, "the same", "u", 3)).unwrap();
    assert_eq!((end.reason, end.reused), (Reason::Length, end.prompt - 1));
    // A cancel that comes first is no less a cancel.
    llm.tell(&Order::Cancel { id: 3 });
    let (text, end) = llm.ask(&asked(3, "something else", "u", 30)).unwrap();
    assert_eq!((text.as_str(), end.written, end.reason), ("", 0, Reason::Cancelled));
}

#[test]
fn an_answer_follows_its_grammar() {
    let folder = tempfile::tempdir().unwrap();
    for (answer, chance) in [(None, 0.0), (None, 1.5), (Some(ANSWER), 0.0)] {
        let mut llm = Llm::with(&model(folder.path(), answer));
        let grammar = Some("root ::= \"yes\" | \"no\"".to_owned());
        let sampling = Sampling { temperature: chance, ..Sampling::default() };
        let (text, end) = llm.ask(&Generate { grammar, sampling, ..asked(1, "s", "u", 20) }).unwrap();
        assert!(["yes", "no"].contains(&text.as_str()), "{text}");
        assert_eq!(end.reason, Reason::Stop);
        let broken = Generate { grammar: Some("root ::= (".into()), ..asked(2, "s", "u", 20) };
        assert!(llm.ask(&broken).unwrap_err().contains("no GBNF grammar"));
    }
}

#[test]
fn an_answer_follows_its_json_schema() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), None));
    let schema = json!({
        "type": "object",
        "properties": {"verdict": {"enum": ["pass", "fail"]}, "line": {"type": "integer", "minimum": 0, "maximum": 99}},
        "required": ["verdict", "line"],
        "additionalProperties": false,
    });
    let (text, end) = llm.ask(&Generate { schema: Some(schema), ..asked(1, "s", "u", 60) }).unwrap();
    assert_eq!(end.reason, Reason::Stop, "{text}");
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(["pass", "fail"].contains(&answer["verdict"].as_str().unwrap()) && answer["line"].as_u64().unwrap() < 100);
    assert!(!text.contains([' ', '\n']), "nothing is spent on blanks: {text}");
}

#[test]
fn a_broken_model_is_a_sentence_and_the_next_one_loads() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(folder.path(), None);
    let whole = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken.gguf");
    let mut llm = Llm::start();
    assert!(llm.ask(&asked(1, "", "u", 1)).unwrap_err().contains("No model is loaded"));
    for part in 0..16 {
        std::fs::write(&broken, &whole[..whole.len() * part / 16]).unwrap();
        let why = llm.load(&broken).unwrap_err();
        assert!(why.contains("is no model that can be loaded"), "{part}: {why}");
    }
    // Well formed, and still nothing that llama.cpp knows.
    let at = whole.windows(5).position(|bytes| bytes == b"llama").unwrap();
    let mut other = whole.clone();
    other[at..at + 5].copy_from_slice(b"lamma");
    std::fs::write(&broken, other).unwrap();
    assert!(llm.load(&broken).is_err());
    llm.load(&path).unwrap();
    assert!(llm.ask(&asked(2, "", "u", 3)).is_ok());
}

#[test]
fn it_ends_with_whoever_started_it_also_while_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let mut llm = Llm::with(&model(folder.path(), None));
    llm.tell(&Order::Generate(Box::new(asked(1, "", "u", 60_000))));
    while !matches!(llm.next(), Report::Text { .. }) {}
    let mut closed = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    drop(std::mem::replace(&mut llm.input, closed.stdin.take().unwrap()));
    assert!(llm.child.wait().unwrap().success());
    closed.wait().unwrap();
}
