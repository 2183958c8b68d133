//! Models on this machine: the real `pytead-llm` with a real llama.cpp on a very small model, made here by a script.

#![cfg(feature = "local")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use harness::judge::{answer, well};
use harness::{Place, python_with};
use pytead_tui::llm::local::protocol::{End, Generate, Load, Order, Reason, Report, Sampling};
use pytead_tui::llm::local::{Knobs, Local};
use pytead_tui::llm::prompt::Prompt;
use pytead_tui::llm::provider::{Form, ModelError, Piece, Provider, Request};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Longest wait for a report; only a test that has failed waits so long.
const DEADLINE: Duration = Duration::from_secs(90);
/// Cut into characters of one to four bytes, each a token for every byte.
const ANSWER: &str = "def test_é():\n    assert '🎉' == '日'\n";

/// Makes a model: one that writes the answer, or one that writes noise.
fn model(folder: &Path, answer: Option<&str>) -> PathBuf {
    let (out, text) = (folder.join("tiny.gguf"), folder.join("answer.txt"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny_model.py");
    let mut command = Command::new(python_with("struct"));
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

fn request(user: &str, max_tokens: u32) -> Request {
    let prompt = Prompt { system: "You write tests.".into(), user: user.into(), version: 1, ..Prompt::default() };
    Request { prompt, max_tokens, temperature: 0.0, form: Form::Text }
}

fn provider(path: &Path) -> Local {
    Local::new(path, Knobs { sampling: Sampling::default(), context: 256, threads: 1 })
}

async fn whole(local: &Local, user: &str, max_tokens: u32) -> Result<(String, u64), ModelError> {
    let mut pieces = local.stream(request(user, max_tokens), CancellationToken::new());
    let mut text = String::new();
    loop {
        match pieces.recv().await.expect("an end")? {
            Piece::Text(more) => text.push_str(&more),
            Piece::Thinking | Piece::Elsewhere(_) => {}
            Piece::End(usage) => return Ok((text, usage.cached.unwrap())),
        }
    }
}

/// Tells whether this is a process that runs one test alone, as nextest has it. Where it is not, it has one made, which passes:
/// other tests of the process start models, too.
fn is_alone(test: &str) -> bool {
    const ALONE: &str = "LOCAL_MODEL_ALONE";
    let alone = std::env::var_os(ALONE).is_some();
    if !alone {
        let mut once_more = Command::new(std::env::current_exe().unwrap());
        let ended = once_more.args(["--exact", test, "--nocapture"]).env(ALONE, "1").status().unwrap();
        assert!(ended.success(), "{test}: {ended}");
    }
    alone
}

/// Finds the `pytead-llm` that this process started, in its sandbox or not.
fn running() -> Option<i32> {
    let mut waiting = vec![i32::try_from(std::process::id()).unwrap()];
    while let Some(parent) = waiting.pop() {
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
            if rest.split(' ').nth(1).and_then(|parent| parent.parse::<i32>().ok()) == Some(parent) {
                if stat.contains("(pytead-llm)") {
                    return Some(pid);
                }
                waiting.push(pid);
            }
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn the_workbench_lives_on_when_the_model_is_killed_and_asks_a_new_one() {
    if !is_alone("the_workbench_lives_on_when_the_model_is_killed_and_asks_a_new_one") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let local = provider(&model(folder.path(), None));
    let mut pieces = local.stream(request("for long", 60_000), CancellationToken::new());
    assert!(matches!(pieces.recv().await.unwrap().unwrap(), Piece::Text(_)));
    let pid = running().expect("a running pytead-llm");
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    let error = loop {
        if let Err(error) = pieces.recv().await.expect("an end") {
            break error;
        }
    };
    assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
    let said = error.trouble().to_string();
    assert!(said.contains("is not available: it was killed") && said.contains("smaller model"), "{said}");

    // The next request starts it again; a cancelled one leaves it running, with what it has read.
    let cancel = CancellationToken::new();
    let mut pieces = local.stream(request("for long", 60_000), cancel.clone());
    assert!(matches!(pieces.recv().await.unwrap().unwrap(), Piece::Text(_)));
    let pid = running();
    cancel.cancel();
    let mut last = None;
    while let Some(piece) = pieces.recv().await {
        last = Some(piece);
    }
    assert_eq!(last, Some(Err(ModelError::Cancelled)));
    assert_eq!(whole(&local, "for long", 5).await, Err(ModelError::OutOfTokens(5)));
    assert_eq!(running(), pid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_streams_and_keeps_what_requests_share() {
    let folder = tempfile::tempdir().unwrap();
    let local = provider(&model(folder.path(), Some(ANSWER)));
    assert_eq!(whole(&local, "the first", 200).await, Ok((ANSWER.to_owned(), 0)));
    let (text, kept) = whole(&local, "the second", 200).await.unwrap();
    assert_eq!(text, ANSWER);
    assert!(kept as usize > "You write tests.".len(), "{kept}");
    // Another model takes the place of the first.
    let other = tempfile::tempdir().unwrap();
    let second = provider(&model(other.path(), Some("pass\n")));
    assert_eq!(whole(&second, "the first", 200).await, Ok(("pass\n".to_owned(), 0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_model_is_never_started() {
    if !is_alone("what_is_no_model_is_never_started") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.gguf");
    std::fs::write(&path, "GGUF").unwrap();
    let error = whole(&provider(&path), "u", 5).await.unwrap_err();
    assert!(error.to_string().contains("it ends in the middle of its head"), "{error}");
    assert_eq!(running(), None);
}

#[test]
fn a_draft_by_a_model_of_this_machine_is_streamed_and_proved() {
    const TEST: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('ab') == 'abab'\n";
    let place = Place::empty();
    place.save("doubles.py", "def double(x):\n    return x + x\n");
    place.run(&["trust"]);
    let path = model(&place.home(), Some(TEST)).display().to_string();
    let (code, out, err) = place.run(&["model", "use", &path]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("assert double('ab') == 'abab'") && out.contains("ready"), "{out}");
    let (_, out, _) = place.run(&["doctor"]);
    assert!(out.contains("tiny, local"), "{out}");
    let (code, out, _) = place.run(&["model", "list"]);
    assert_eq!(code, 0);
    assert!(out.contains("●") && out.contains("llama, 65536 tokens of context"), "{out}");
}

#[test]
fn a_model_of_this_machine_judges_in_the_form_that_is_forced_and_noise_is_never_a_verdict() {
    let place = well();
    place.run(&["trust"]);
    let check = |path: &Path, more: &[&str]| {
        let (code, out, err) = place.run(&["model", "use", &path.display().to_string()]);
        assert_eq!(code, 0, "{out}{err}");
        let (code, out, err) = place.run(&[&["check"], more, &["--", "--semantic-report=report.jsonl"]].concat());
        let line: serde_json::Value = serde_json::from_str(place.read("report.jsonl").lines().next().unwrap()).unwrap();
        (code, out + &err, line)
    };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    // Whatever it writes has the form, and belongs to no question.
    let noise = model(folders[0].path(), None);
    let (code, printed, line) = check(&noise, &[]);
    assert_eq!((code, &line["verdict"]), (0, &json!("ERROR")), "{printed}");
    assert!(line["evaluator"].as_str().unwrap().ends_with("/tiny"), "{line}");
    assert!(printed.contains("1 not judged"), "{printed}");
    assert_eq!(check(&noise, &["--strict"]).0, 1, "never green under strict");
    // One that answers what was asked, as the real engine and the forced form let it.
    let (_, printed, _) = check(&noise, &["--show-outgoing"]);
    let wanted = answer(&printed.replace("\\n", "\n"), true).to_string();
    let right = model(folders[1].path(), Some(&wanted));
    let (code, printed, line) = check(&right, &["--strict"]);
    assert_eq!((code, &line["verdict"]), (0, &json!("PASS")), "{printed}");
    assert_eq!(line["clauses"][0]["outcome"], "holds", "{line}");
    assert!(printed.contains("asked 1×"), "{printed}");
}

#[test]
fn the_demo_model_arranges_recorded_calls_and_can_write_nothing_else() {
    let place = Place::empty();
    place.save(
        "limits.py",
        "def clamp(value, low, high):\n    \"\"\"Keep a value between two limits.\"\"\"\n    return max(low, min(value, high))\n",
    );
    place.save(
        "main.py",
        "import limits\n\nlimits.clamp(5, 0, 3)\nlimits.clamp(-1, 0, 3)\ntry:\n    limits.clamp('a', 0, 3)\nexcept TypeError:\n    pass\n",
    );
    place.run(&["trust"]);
    let (code, _, err) = place.run(&["run", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = place.run(&["model", "list"]);
    assert!(out.contains("demo  built in") && !out.contains("●"), "never chosen by itself: {out}");
    assert_eq!(place.run(&["model", "use", "demo"]).0, 0);
    let (code, out, err) = place.run(&["draft", "clamp"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("ready"), "{out}");
    let facts = ["    assert clamp(5, 0, 3) == 3", "    assert clamp(-1, 0, 3) == 0", "        clamp('a', 0, 3)"];
    let lines =
        out.lines().filter_map(|line| line.strip_prefix('+')).filter(|line| line.starts_with("    ") && !line.contains("with "));
    let lines: Vec<&str> = lines.collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| facts.contains(line)), "{out}");
    let (code, _, err) = place.run(&["draft", "main"]);
    assert!(code != 0 && !err.is_empty(), "{err}");
    let (code, _, err) = place.run(&["model", "rm", "demo"]);
    assert!(code == 2 && err.contains("a part of this program"), "{err}");
}
