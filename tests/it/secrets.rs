//! Secrets planted wherever a program, a test, a person or a model may put them: found in nothing that was written, printed or
//! sent. (What the spool may hold is `tests/python/recorder/test_values.py`.)

use std::path::Path;

use crate::harness::Place;
use crate::harness::judge::{Judge, configure, line_of, nonce, said, text};
use serde_json::{Value, json};

/// Each with where it is planted.
const SECRETS: &[&str] = &[
    "hunter2-by-name",
    "l1teral-by-place",
    "tr0ub4dor-in-text",
    "pl4in-literal",
    "env-file-s3cret",
    "variable-s3cret",
    "dmFyaWFibGUtczNjcmV0",
    "bearer.t0ken-x",
    "4111 1111 1111 1111",
    "userinfo-pw1",
    "query-t0k3n",
    "raised-pa55",
    "chained-pa55w0rd",
    "returned-t0k",
    "yielded-pa55w0rd",
    "nested-pa55",
    "dataclass-pa55",
    "keyword-pa55",
    "changed-pa55",
    "id-pa55word-one",
    "id-pa55word-two",
    "ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2",
    "reas0n-pa55",
    "typed-pa55w0rd",
    "typed-t0k3n",
    "typed-in-address",
    RANDOM,
];
/// Long random texts are only taken out of what leaves: values of them are what drafts are made of.
const RANDOM: &str = "Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MHF3ZXJ0eQ";

const PROGRAM: &str = r#"import base64
import os
from dataclasses import dataclass


class Refused(Exception):
    pass


@dataclass
class Account:
    user: str
    password: str


def login(password, creds):
    api_key = "pl4in-literal"
    return {"token": "returned-t0k", "ok": bool(api_key)}


def say(text):
    return text


def hand_over(things, **more):
    things["passwd"] = "changed-pa55"
    return things


def each():
    yield {"secret": "yielded-pa55w0rd"}


def refuse(password=None):
    raise Refused("password=raised-pa55" if password is None else "not with " + password)


def work():
    login("-".join(["hunter2", "by", "name"]), {"deep": [({"passwd": "nested-pa55"},)]})
    login("l1teral-by-place", [Account("ada", "dataclass-pa55")])
    say("db_password=tr0ub4dor-in-text")
    say("the file says env-file-s3cret")
    say("and " + os.environ["DEPLOY_TOKEN"])
    say(base64.b64encode(os.environ["DEPLOY_TOKEN"].encode()).decode())
    say("Authorization: Bearer bearer.t0ken-x")
    say("paid with 4111 1111 1111 1111")
    say("postgres://ada:userinfo-pw1@db/shop")
    say("https://shop.test/?user=ada&access_token=query-t0k3n&page=2")
    say("Zm9vYmFyQmF6UXV4MTIzNDU2Nzg5MHF3ZXJ0eQ")
    hand_over({"a": 1}, session_token="keyword-pa55")
    list(each())
    try:
        refuse()
    except Refused:
        pass
    try:
        refuse("chained-pa55w0rd")
    except Refused:
        pass
"#;

const TESTS: &str = r#"import pytest
from pytead_tui import semantic_test

from shop.secrets import login, say, work


@semantic_test("Look after what nobody may know")
def test_work():
    work()


@pytest.mark.parametrize("text", ["ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2", "plain"])
@pytest.mark.parametrize("password", ["id-pa55word-one", "id-pa55word-two"])
@semantic_test("Look after what nobody may know, as before")
def test_ids(password, text):
    login(password, {})
    say("%s for %s" % (text, password))


@pytest.mark.parametrize("password", ["id-pa55word-one"])
@semantic_test("login is never called")
def test_known(password):
    login(password, {})
"#;

fn project() -> Place {
    let place = Place::empty();
    place.save("shop/__init__.py", "");
    place.save("shop/secrets.py", PROGRAM);
    place.save("tests/test_secrets.py", TESTS);
    place.save(".env", "SHOP_PASSWORD=env-file-s3cret\n");
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place
}

/// Runs us with a secret in the environment; gives the exit code and all that was printed.
fn run(place: &Place, args: &[&str]) -> (i32, String) {
    let output = place.command(args).env("DEPLOY_TOKEN", "variable-s3cret").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), said)
}

/// A right answer: a call of login shows that it holds.
fn right(body: &Value) -> Value {
    let span = said(body).split("\"span\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    json!({ "schema": "verdict/1", "nonce": nonce(body), "missing_info": [], "suspected_injection": [], "confidence": "high",
        "verdict": "PASS", "summary": "It does.",
        "clauses": [{ "id": "c1", "span": span, "analysis": "It does.", "outcome": "holds", "claims": [],
            "evidence": [{ "line": line_of(body, "login"), "quote": "login" }] }] })
}

/// Reads every file that was written but for the sources that hold the secrets.
fn gather(folder: &Path, out: &mut Vec<(String, Vec<u8>)>) {
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        let name = path.display().to_string();
        if path.is_dir() {
            if !name.ends_with("__pycache__") && !name.contains("/home/cache/pytead-tui/python") {
                gather(&path, out);
            }
        } else if !name.ends_with("secrets.py") && !name.ends_with(".env") {
            out.push((name.clone(), name.into_bytes()));
            out.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()));
        }
    }
}

/// F2.
#[test]
fn planted_secrets_are_found_nowhere() {
    let place = project();
    let judge = Judge::start(|_, body| text(&right(body)));
    configure(&place, &judge.config(""));
    let mut places: Vec<(String, Vec<u8>)> = Vec::new();
    let mut printed = |what: &str, (code, said): (i32, String), wanted: i32| {
        assert_eq!(code, wanted, "{what}: {said}");
        places.push((format!("what {what} prints"), said.clone().into_bytes()));
        said
    };
    let shown = ["--journey", "--lines", "--suggest", "--", "-v", "--semantic-report=report.jsonl", "--junitxml=junit.xml"];
    let said = printed("check", run(&place, &[&["--trust", "check"], &shown[..]].concat()), 1);
    assert!(said.contains("[REDACTED:password#1]") && said.contains("[REDACTED:given#"), "{said}");
    assert_eq!(judge.asked(), 2, "tests that differ by their secrets alone did the same: {said}");
    // Parametrised tests are told apart, and found again by the names they are told by.
    let report = place.read("report.jsonl");
    let tests: std::collections::BTreeSet<String> =
        report.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["test"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tests.len(), 6, "{report}");
    let one = tests.iter().find(|test| test.contains("::test_ids[")).unwrap();
    printed("check of one", run(&place, &["--trust", "check", one]), 0);
    printed("a dry run", run(&place, &["--trust", "check", "--dry-run", "tests/test_secrets.py::test_work"]), 0);
    printed("check --show-outgoing", run(&place, &["--trust", "check", "--show-outgoing"]), 1);
    printed("check --accept", run(&place, &["--trust", "check", "--accept", one, "tests/test_secrets.py::test_work"]), 0);
    let lock = place.read("tests/semantic.lock.yaml");
    assert_eq!(lock.matches("\"accepted_by\":").count(), 2, "only what was named: {lock}");
    let known = tests.iter().find(|test| test.contains("::test_known[")).unwrap();
    let overruled = ["--trust", "check", "--override", known, "--reason", "It was agreed upon, password=reas0n-pa55"];
    printed("check --override", run(&place, &overruled), 0);
    printed("check --audit", run(&place, &["--trust", "check", "--audit"]), 0);
    // And what was recorded as a program.
    let program = ["--trust", "run", "--journey", "--", "python", "-c", "from shop.secrets import work; work()"];
    let typed = ["--password=typed-pa55w0rd", "--api-token", "typed-t0k3n", "https://ada:typed-in-address@shop.test/"];
    printed("run", run(&place, &[&program[..], &typed[..]].concat()), 0);
    printed("export", run(&place, &["export", "1"]), 0);
    let (_, said) = run(&place, &["review"]);
    places.push(("what review prints".into(), said.into_bytes()));
    places.push(("the prompts".into(), judge.requests.lock().unwrap().join("\n").into_bytes()));
    for folder in [place.root(), place.home()] {
        gather(&folder, &mut places);
    }
    let written = ["pytead.db", "semantic.journeys", "semantic.audit.jsonl", "junit.xml", "report.jsonl", ".pytead/"];
    for part in written {
        assert!(places.iter().any(|(name, _)| name.contains(part)), "{part}");
    }
    let mut leaks = Vec::new();
    for (name, bytes) in &places {
        for secret in SECRETS {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            if found && (*secret != RANDOM || name == "the prompts") {
                leaks.push(format!("{secret} is in {name}"));
            }
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

/// Shells tell every program its folder in `PWD`, which by its name could be a password.
#[test]
fn the_folder_of_the_project_is_no_secret() {
    let place = Place::empty();
    place.save("app.py", "def same(path):\n    return path\n");
    place.save("main.py", "import os\n\nimport app\n\napp.same(os.getcwd())\n");
    let mut command = place.command(&["--trust", "run", "main.py"]);
    assert!(command.env("PWD", place.root()).env("OLDPWD", place.home()).status().unwrap().success());
    let mut written = Vec::new();
    gather(&place.root().join(".pytead"), &mut written);
    let holds = |text: &[u8]| written.iter().any(|(_, bytes)| bytes.windows(text.len()).any(|window| window == text));
    assert!(holds(place.root().to_str().unwrap().as_bytes()));
    assert!(!holds(b"[REDACTED"));
}
