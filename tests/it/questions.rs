//! What happens only after a person said yes: the weak sandbox, and the first function sent to another machine.

use std::process::Output;

use crate::harness::model::Model;
use crate::harness::{Place, Terminal};

const PROGRAM: &str = "import sys\n\n\ndef double(x):\n    return x + x\n\n\nif __name__ == \"__main__\":\n    for word in sys.argv[1:]:\n        print(double(word))\n";

fn weak(place: &Place, args: &[&str]) -> (i32, String, String) {
    said(place.command(args).env("PYTEAD_SANDBOX", "weak").output().unwrap())
}

fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn nothing_is_replayed_in_a_weak_sandbox_before_a_person_allowed_it() {
    let place = Place::empty();
    place.save("doubles.py", PROGRAM);
    place.run(&["trust"]);
    let (code, out, err) = weak(&place, &["run", "doubles.py", "a", "bc"]);
    assert_eq!((code, out.as_str()), (0, "aa\nbcbc\n"), "the program runs as typed: {err}");
    for verb in ["gen", "replay"] {
        let (code, out, err) = weak(&place, &[verb]);
        assert_eq!(code, 3, "{out}{err}");
        assert!(err.contains("the sandbox here is weak") && err.contains("pytead-tui trust --allow-weak"), "{err}");
    }
    assert_eq!(place.run(&["trust", "--allow-weak"]).0, 0);
    let (code, out, err) = weak(&place, &["gen"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("✓ passes") && out.contains("weak"), "what was recorded before counts now: {out}{err}");
    let (_, out, _) = place.run(&["trust", "--list"]);
    assert!(out.contains("also where the sandbox is weak"), "{out}");
    place.run(&["trust", "--remove"]);
    place.run(&["trust"]);
    place.edit("doubles.py", "x + x", "x * 2");
    assert_eq!(weak(&place, &["replay"]).0, 3, "trust that was taken back takes the answer along");
}

#[test]
fn a_no_to_the_weak_sandbox_is_remembered() {
    let place = Place::empty();
    place.save("doubles.py", PROGRAM);
    place.run(&["trust"]);
    weak(&place, &["run", "doubles.py", "a"]);
    let mut terminal = Terminal::shell(&place, "PYTEAD_SANDBOX=weak exec $PYTEAD replay", 100, 20);
    terminal.wait("y yes, in this folder");
    terminal.keys("n\r");
    assert_eq!(terminal.end(), 3);
    let (code, _, err) = weak(&place, &["replay"]);
    assert_eq!(code, 3);
    assert!(err.contains("the answer was no"), "{err}");
}

const TEST: &str = "```python\nfrom doubles import double\n\n\ndef test_double():\n    assert double('a') == 'aa'\n```\n";
const MODULE: &str = "def double(x):\n    return x + x\n";

/// A model on another machine, by its name alone: a proxy on this one answers for it.
fn far_model() -> (Place, Model, String) {
    let place = Place::empty();
    place.save("doubles.py", MODULE);
    place.run(&["trust"]);
    let model = Model::start(TEST, false);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    let here = format!("http://127.0.0.1:{}", model.port);
    std::fs::write(folder.join("config.yaml"), model.config().replace(&here, "http://model.example")).unwrap();
    (place, model, here)
}

fn draft(place: &Place, proxy: &str, more: &[(&str, &str)]) -> (i32, String, String) {
    said(place.command(&["draft", "double"]).env("http_proxy", proxy).envs(more.iter().copied()).output().unwrap())
}

#[test]
fn nothing_is_sent_to_another_machine_before_a_person_allowed_it() {
    let (place, model, proxy) = far_model();
    let (code, out, err) = draft(&place, &proxy, &[]);
    assert_eq!(code, 3, "{out}{err}");
    assert!(err.contains("nothing was ever sent to model.example") && err.contains("trust --send-to model.example"), "{err}");
    let (code, _, _) = draft(&place, &proxy, &[("PYTEAD_SEND_TO", "other.example")]);
    assert_eq!(code, 3, "another host was allowed");
    assert!(model.requests.lock().unwrap().is_empty());
    let (code, out, err) = draft(&place, &proxy, &[("PYTEAD_SEND_TO", "other.example,Model.example")]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(model.requests.lock().unwrap().len(), 1);
    assert_eq!(draft(&place, &proxy, &[]).0, 3, "the variable is for one call");
    assert_eq!(place.run(&["trust", "--send-to", "http://model.example/v1"]).0, 2, "that is no host");
    assert_eq!(place.run(&["trust", "--send-to", "model.example"]).0, 0);
    // What was answered is kept, and would not be asked again.
    std::fs::remove_dir_all(place.root().join(".pytead/answers")).unwrap();
    let (code, out, err) = draft(&place, &proxy, &[]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(model.requests.lock().unwrap().len(), 2);
}

#[test]
fn at_a_terminal_the_bytes_are_shown_before_they_are_sent() {
    let (place, model, proxy) = far_model();
    let script = format!("http_proxy={proxy} exec $PYTEAD draft double");
    let mut terminal = Terminal::shell(&place, &script, 100, 40);
    terminal.wait("v show the bytes");
    terminal.keys("v\r");
    terminal.wait("return x + x");
    terminal.keys("n\r");
    assert_eq!(terminal.end(), 3);
    assert!(model.requests.lock().unwrap().is_empty(), "a no sends nothing");
    let mut terminal = Terminal::shell(&place, &script, 100, 40);
    terminal.wait("to model.example? First time");
    terminal.keys("y\r");
    assert_eq!(terminal.end(), 0);
    assert_eq!(model.requests.lock().unwrap().len(), 1);
    assert_eq!(draft(&place, &proxy, &[]).0, 0, "the answer is remembered");
}
