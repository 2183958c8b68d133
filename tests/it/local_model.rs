//! Models on this machine: the workbench and the real `pytead-llm` with a real llama.cpp on a very small model, made here by
//! a script. What `pytead-llm` says by itself is in the tests of its own package.

#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::judge::{answer, well};
use crate::harness::{Place, python_with};
use pytead_tui::llm::local::protocol::Sampling;
use pytead_tui::llm::local::{Knobs, Local, program};
use pytead_tui::llm::prompt::Prompt;
use pytead_tui::llm::provider::{Form, ModelError, Piece, Provider, Request};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Cut into characters of one to four bytes, each a token for every byte.
const ANSWER: &str = "def test_é():\n    assert '🎉' == '日'\n";

/// Says that `pytead-llm` was built, so that a test that cannot find it fails.
const WITH: &str = "PYTEAD_TESTS_WITH_LLM";

/// Tells whether `pytead-llm` is there. It is a package of its own, which a plain `cargo test` leaves out: its tests are skipped
/// then. `scripts/test.sh` builds it and demands it.
fn has_program() -> bool {
    let Err(trouble) = program() else { return true };
    assert!(std::env::var_os(WITH).is_none(), "{trouble}\n{WITH} demands pytead-llm. Build it: cargo build -p pytead-llm");
    eprintln!("skipped: {trouble} Build it: cargo build -p pytead-llm");
    false
}

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
    if !has_program() {
        return;
    }
    if !is_alone("local_model::the_workbench_lives_on_when_the_model_is_killed_and_asks_a_new_one") {
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
    if !has_program() {
        return;
    }
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
    if !is_alone("local_model::what_is_no_model_is_never_started") {
        return;
    }
    if !has_program() {
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
    if !has_program() {
        return;
    }
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
    if !has_program() {
        return;
    }
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
    if !has_program() {
        return;
    }
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
