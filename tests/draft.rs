//! `pytead-tui draft` on files and folders, its second turn, recorded answers, and whom it asks; against scripted servers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use harness::Place;
use harness::model::Model;

const MODULE: &str = "def double(x):\n    '''Return x twice: 2 gives 4.'''\n    return x + x\n";
const GOOD: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aa'\n";
const BAD: &str = "from doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aaa'\n";

fn project(answers: &[&str]) -> (Place, Model) {
    let place = Place::empty();
    place.save("doubles.py", MODULE);
    place.run(&["trust"]);
    let model = Model::answers(answers);
    configure(&place, &model.config());
    (place, model)
}

fn configure(place: &Place, text: &str) {
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), text).unwrap();
}

fn asked(model: &Model) -> usize {
    model.requests.lock().unwrap().len()
}

#[test]
fn a_draft_that_fails_goes_back_once_with_what_was_seen() {
    let (place, model) = project(&[BAD, GOOD]);
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let requests = model.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 2);
    assert!(!requests[0].contains("An earlier draft") && requests[1].contains("An earlier draft was not good"));
    assert!(requests[1].contains("'aaa'") && requests[1].contains("fails"), "{}", requests[1]);
}

#[test]
fn what_the_docstring_promised_and_does_not_hold_may_be_a_bug() {
    let claim = "def test_two_gives_five():\n    assert double(2) == 5\n";
    let (place, _model) = project(&[&format!("{GOOD}\n\n{claim}")]);
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("possible bug") && out.contains("test_two_gives_five"), "{out}");
    let (_, out, _) = place.run(&["review", "--accept", "all"]);
    assert!(!place.read("tests/pytead/test_pytead_doubles.py").contains("five"), "{out}");
}

#[test]
fn recorded_answers_need_no_model_and_say_what_they_are() {
    let (place, model) = project(&[GOOD]);
    let (code, out, err) = place.run(&["draft", "double", "--answers", "record"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("replayed"), "{out}");
    let files: Vec<_> = std::fs::read_dir(place.root().join("tests/answers")).unwrap().flatten().collect();
    assert_eq!((files.len(), asked(&model)), (1, 1));

    // Elsewhere: no settings, no database, a build server.
    std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    configure(&place, "");
    let in_ci = |args: &[&str]| {
        let output = place.command(args).env("CI", "true").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = in_ci(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("replayed"), "{out}");
    let (code, _, err) = in_ci(&["draft", "double", "-m", "something new"]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("no recorded answer: tests/answers/") && err.contains("PYTEAD_MODEL_ANSWERS=record"), "{err}");
    assert_eq!(asked(&model), 1);
}

#[test]
fn a_folder_becomes_a_file_for_each_module_and_nothing_is_asked_twice() {
    let answer = "from a.util import one\nfrom b.util import two\n\n\ndef test_one():\n    assert one(1) == 2\n\n\ndef test_two():\n    assert two(1) == 3\n";
    let (place, model) = project(&[answer]);
    for (path, text) in [
        ("a/__init__.py", ""),
        ("b/__init__.py", ""),
        ("a/util.py", "def one(x):\n    return x + 1\n"),
        ("b/util.py", "def two(x):\n    return x + 2\n"),
        ("b/test_util.py", "def test_x():\n    pass\n"),
    ] {
        place.save(path, text);
    }
    let only = |function: &str, module: &str| {
        format!(
            "from {module}.util import {function}\n\n\ndef test_{function}():\n    assert {function}(1) == {}\n",
            if function == "one" { 2 } else { 3 }
        )
    };
    drop(model);
    let model = Model::answers(&[&only("one", "a"), &only("two", "b")]);
    configure(&place, &model.config());
    place.save("mine.yaml", "generation:\n  n_ctx: 4096\noutput:\n  default_dir: out\n");
    let (code, out, err) = place.run(&["draft", "a", "mine.yaml"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["draft", "b", "-o", "out", "--no-stream", "--save-index", "index.json"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("s | ") && out.contains(" tok/s"), "{out}");
    for (file, test) in [("out/test_pytead_a__util.py", "test_one"), ("out/test_pytead_b__util.py", "test_two")] {
        assert!(place.read(file).contains(test), "{file}");
    }
    assert!(place.read("index.json").contains("\"classes\""));
    assert_eq!(asked(&model), 2, "the function of a test file is not asked about");
    // All of it again, as after a break: what was answered is not asked again.
    let (code, out, err) = place.run(&["draft", "a", "--load-index", "index.json"]);
    assert_eq!((code, asked(&model)), (0, 2), "{out}{err}");
    let (code, _, err) = place.run(&["draft", "/tmp"]);
    assert!(code == 2 && err.contains("not in the project"), "{code} {err}");
}

#[test]
fn another_model_is_asked_for_one_call_and_one_of_several_servers_may_be_dead() {
    let (place, model) = project(&[GOOD]);
    let second = Model::answers(&[GOOD]);
    let dead = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let more = format!(
        "  pool:\n    base_url: http://{dead}/v1\n    endpoints: [http://127.0.0.1:{}/v1]\n    model: large\n",
        second.port
    );
    configure(&place, &(model.config() + &more));
    let (code, out, err) = place.run(&["draft", "double", "--provider", "pool", "--model", "larger"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!((asked(&model), asked(&second)), (0, 1));
    assert!(second.requests.lock().unwrap()[0].contains("\"model\":\"larger\""));
    let (code, _, err) = place.run(&["draft", "double", "--provider", "pol"]);
    assert!(code == 2 && err.contains("--provider") && err.contains("Did you mean pool?"), "{err}");
}

#[test]
fn the_predecessors_variables_count_only_where_the_folder_is_trusted() {
    let (place, model) = project(&[GOOD]);
    configure(&place, "");
    let address = format!("http://127.0.0.1:{}/v1", model.port);
    place.save(
        ".env",
        &format!("SEMANTIC_MODEL=tiny\nSEMANTIC_BASE_URL={address}\nOPENAI_API_KEY=sk-of-the-project-0123456789\n"),
    );
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(asked(&model), 1);
    place.run(&["trust", "--remove"]);
    let (_, out, _) = place.run(&["doctor"]);
    assert!(!out.contains("tiny"), "{out}");
    let (code, _, err) = place.run(&["draft", "double", "-m", "again"]);
    assert_eq!((code, asked(&model)), (3, 1), "{err}");
}

#[test]
fn a_trained_model_is_told_no_body() {
    let (place, model) = project(&[GOOD]);
    configure(&place, &(model.config().replace("model: tiny", "model: pytest-8b") + "prompt:\n  source: true\n"));
    let (code, out, err) = place.run(&["draft", "double"]);
    assert_eq!(code, 0, "{out}{err}");
    let request = model.requests.lock().unwrap().concat();
    assert!(request.contains("Return x twice") && !request.contains("return x + x"), "{request}");
    assert!(!request.contains("\"role\":\"system\""), "{request}");
}

#[test]
fn a_program_of_the_persons_is_asked_after_their_word() {
    let (place, _model) = project(&[GOOD]);
    let reports = [
        serde_json::json!({ "text": { "id": 1, "text": GOOD } }),
        serde_json::json!({ "end": { "id": 1, "prompt": 9, "reused": 0, "written": 9, "reason": "stop" } }),
    ];
    place.save("reports", &reports.map(|report| report.to_string()).join("\n"));
    let config = format!(
        "model:\n  provider: own\nproviders:\n  own:\n    kind: command\n    command: [cat, {}]\n",
        place.root().join("reports").display()
    );
    configure(&place, &config);
    let (code, _, err) = place.run(&["draft", "double"]);
    assert!(code == 3 && err.contains("trust --send-to cat"), "{code} {err}");
    let output = place.command(&["draft", "double"]).env("PYTEAD_SEND_TO", "cat").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
