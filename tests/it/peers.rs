//! Providers against programs that others wrote: llama.cpp's own server (`xllamacpp` from PyPI) on a model made here, and
//! the command line of Claude Code (`@anthropic-ai/claude-code` from npm) pointed at that server.
//!
//! They are not part of the development environment: `PYTEAD_PEER_XLLAMACPP` names a Python that has the one,
//! `PYTEAD_PEER_CLAUDE` the other. With both: `cargo test --test it peers:: -- --ignored`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use crate::harness::judge::{answer, configure, well};
use crate::harness::python_with;
use pytead_tui::domain::settings::Network;
use pytead_tui::llm::answer::{Answer, whole};
use pytead_tui::llm::claude_code::ClaudeCode;
use pytead_tui::llm::network::Route;
use pytead_tui::llm::openai::{OpenAi, Patience};
use pytead_tui::llm::pool::Pool;
use pytead_tui::llm::prompt::Prompt;
use pytead_tui::llm::provider::{Form, ModelError, Provider, Request};
use tokio_util::sync::CancellationToken;

const ANSWER: &str = "def test_sum():\n    assert 1 + 1 == 2\n";

const SERVE: &str = "
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], 0
params.n_ctx, params.n_parallel = int(sys.argv[2]), 1
server = xllamacpp.Server(params)
print('serving', server.listening_address, flush=True)
time.sleep(600)
";

/// A real llama.cpp server; ends with the value.
struct Server {
    child: Child,
    address: String,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn peer(variable: &str) -> PathBuf {
    std::env::var_os(variable).map(PathBuf::from).unwrap_or_else(|| panic!("{variable} is not set"))
}

fn serve(python: &Path, answer: Option<&str>, context: u32) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let (model, text) = (folder.path().join("tiny.gguf"), folder.path().join("answer.txt"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny_model.py");
    let mut make = Command::new(python_with("struct"));
    make.arg(script).arg(&model);
    if let Some(answer) = answer {
        std::fs::write(&text, answer).unwrap();
        make.arg(&text);
    }
    assert!(make.status().unwrap().success());
    let mut child = Command::new(python)
        .args(["-c", SERVE])
        .arg(&model)
        .arg(context.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("serving ").map(str::to_owned));
    Server { child, address: address.expect("the server says where it is"), _folder: folder }
}

fn endpoint(address: &str, tries: u32) -> Arc<dyn Provider> {
    let route = Route::open(Network::Loopback, &format!("{address}/v1")).unwrap();
    Arc::new(OpenAi::new(route, "tiny", None, 2, Patience { tries, ..Patience::usual(true) }))
}

fn request(user: &str, form: Form) -> Request {
    let prompt = Prompt { system: "You write tests.".into(), user: user.into(), version: 1, ..Prompt::default() };
    Request { prompt, max_tokens: 200, temperature: 0.0, form }
}

async fn ask(provider: &dyn Provider, request: Request) -> Result<Answer, ModelError> {
    whole(provider, request, CancellationToken::new()).await
}

#[tokio::test]
#[ignore = "needs programs of others"]
async fn llama_server_answers_follows_a_schema_and_says_what_is_too_long() {
    let python = peer("PYTEAD_PEER_XLLAMACPP");
    let server = serve(&python, Some(ANSWER), 4096);
    let provider = endpoint(&server.address, 3);
    let answer = ask(provider.as_ref(), request("Test the sum.", Form::Text)).await.unwrap();
    assert_eq!(answer.text, ANSWER);
    assert!(answer.usage.prompt.is_some_and(|tokens| tokens > 10) && answer.usage.written.is_some_and(|tokens| tokens >= 2));
    let again = ask(provider.as_ref(), request("Test the sum.", Form::Text)).await.unwrap();
    assert!(again.usage.cached.is_some_and(|tokens| tokens > 10), "{:?}", again.usage);

    let long = "word ".repeat(20_000);
    let error = ask(provider.as_ref(), request(&long, Form::Text)).await.unwrap_err();
    assert!(matches!(&error, ModelError::Status { status: 400, said, .. } if said.contains("context")), "{error}");

    let noise = serve(&python, None, 4096);
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "verdict": { "enum": ["PASS", "FAIL"] }, "why": { "type": "string", "pattern": "^[a-z]{3,8}$" } },
        "required": ["verdict", "why"],
        "additionalProperties": false,
    });
    let asked = request("Is it right?", Form::Json(Arc::new(schema)));
    let object = ask(endpoint(&noise.address, 3).as_ref(), asked).await.unwrap().json().expect("an object");
    assert!(matches!(object["verdict"].as_str(), Some("PASS" | "FAIL")) && object["why"].is_string(), "{object}");
    let grammar = request("Yes or no?", Form::Grammar("root ::= \"yes\" | \"no\"".into()));
    let word = ask(endpoint(&noise.address, 3).as_ref(), grammar).await.unwrap().text;
    assert!(["yes", "no"].contains(&word.as_str()), "{word}");
}

#[test]
#[ignore = "needs programs of others"]
fn intents_are_judged_by_a_llama_server_and_its_noise_is_never_a_verdict() {
    let python = peer("PYTEAD_PEER_XLLAMACPP");
    let place = well();
    let check = |server: &Server, more: &[&str]| {
        let served = format!("kind: openai, base_url: '{}/v1', model: tiny", server.address);
        configure(&place, &format!("model: {{provider: here}}\nproviders: {{here: {{{served}}}}}\n"));
        let words = [&["--trust", "check", "--strict"], more, &["--", "--semantic-report=report.jsonl"]].concat();
        let (code, out, err) = place.run(&words);
        let line: serde_json::Value = serde_json::from_str(place.read("report.jsonl").lines().next().unwrap()).unwrap();
        (code, out + &err, line)
    };
    let noise = serve(&python, None, 32_768);
    let (code, printed, line) = check(&noise, &[]);
    assert_eq!((code, line["verdict"].as_str()), (1, Some("ERROR")), "{printed}");
    let (_, printed, _) = check(&noise, &["--show-outgoing"]);
    let body = printed.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{printed}"));
    let wanted = answer(&crate::harness::judge::said(&serde_json::from_str(body).unwrap()), true).to_string();
    let (code, printed, line) = check(&serve(&python, Some(&wanted), 32_768), &[]);
    assert_eq!((code, line["verdict"].as_str()), (0, Some("PASS")), "{printed}");
    assert!(printed.contains("asked 1×"), "{printed}");
}

#[tokio::test]
#[ignore = "needs programs of others"]
async fn when_one_of_several_servers_dies_the_others_go_on() {
    let python = peer("PYTEAD_PEER_XLLAMACPP");
    let (first, second) = (serve(&python, Some(ANSWER), 4096), serve(&python, Some(ANSWER), 4096));
    let pool = Arc::new(Pool::new(vec![endpoint(&first.address, 1), endpoint(&second.address, 1)]));
    let all = async |count: usize| {
        let asked = (0..count).map(|at| {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { ask(pool.as_ref(), request(&format!("Test {at}."), Form::Text)).await })
        });
        for answer in asked.collect::<Vec<_>>() {
            assert_eq!(answer.await.unwrap().unwrap().text, ANSWER);
        }
    };
    all(6).await;
    drop(first);
    all(6).await;
    drop(second);
    assert!(matches!(ask(pool.as_ref(), request("Test.", Form::Text)).await, Err(ModelError::Unreachable { .. })));
}

#[tokio::test]
#[ignore = "needs programs of others"]
async fn claude_code_answers_from_a_server_of_this_machine() {
    let (python, claude) = (peer("PYTEAD_PEER_XLLAMACPP"), peer("PYTEAD_PEER_CLAUDE"));
    let server = serve(&python, Some(ANSWER), 65_536);
    let home = tempfile::tempdir().unwrap();
    let words = [
        "env".to_owned(),
        format!("HOME={}", home.path().display()),
        format!("CLAUDE_CONFIG_DIR={}", home.path().join("claude").display()),
        format!("ANTHROPIC_BASE_URL={}", server.address),
        "ANTHROPIC_API_KEY=none".to_owned(),
        claude.display().to_string(),
    ];
    let route = Route::open(Network::Loopback, &server.address).unwrap();
    let answer = ask(&ClaudeCode::new(&words, route.clone(), "tiny", 1), request("Test the sum.", Form::Text)).await.unwrap();
    assert_eq!(answer.text, ANSWER);
    assert!(answer.usage.prompt.is_some_and(|tokens| tokens > 10), "{:?}", answer.usage);

    let missing = ClaudeCode::new(&["/no/such/claude".to_owned()], route, "", 1);
    let error = ask(&missing, request("Test.", Form::Text)).await.unwrap_err();
    assert!(error.trouble().to_string().contains("Install Claude Code"), "{error}");
}
