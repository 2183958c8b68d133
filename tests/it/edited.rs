//! Code that is edited, also while recorded calls run, on the real binary: what its edits changed is told, and nothing else;
//! what nobody can tell is said, and what a person did not accept stays readable.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::Place;
use crate::harness::watch::Watch;

const PATIENCE: Duration = Duration::from_secs(60);

/// A call that lasts until there is a file, which nobody records: so that an edit falls into its replay.
const LONG: &str = "import os, select\n\n\ndef last():\n    for _ in range(180):\n        if os.path.exists('go'):\n            \
     break\n        select.select([], [], [], 0.01)\n";
const RATES: &str = "import os\n\n\ndef rate(x):\n    return x * 2\n\n\ndef unsteady():\n    return os.getpid()\n";
const MAIN: &str = "import os, long, rates\n\nlong.last(), rates.rate(21), rates.unsteady()\nos.remove('go')\n";

/// Records a program, and does something as soon as it has ended, before its calls were tried.
fn recorded(edit: impl FnOnce(&Place)) -> Place {
    let place = Place::empty();
    for (path, text) in [("long.py", LONG), ("rates.py", RATES), ("main.py", MAIN), ("go", "")] {
        place.save(path, text);
    }
    let mut child = place.command(&["--trust", "run", "--", "main.py"]).stdout(Stdio::null()).spawn().unwrap();
    let until = Instant::now() + PATIENCE;
    while place.root().join("go").exists() {
        assert!(Instant::now() < until && child.try_wait().unwrap().is_none(), "the program did not run to its end");
        std::thread::sleep(Duration::from_millis(1));
    }
    edit(&place);
    place.save("go", "");
    assert!(child.wait().unwrap().success());
    place
}

fn replay(place: &Place) -> (i32, String) {
    let (code, out, err) = place.run(&["--trust", "replay"]);
    (code, out + &err)
}

#[test]
fn an_edit_made_while_a_recording_is_tried_is_told_as_old_and_new_with_its_cause() {
    let edited = RATES.replace("x * 2", "x * 3").replace("os.getpid()", "os.getpid() + 0");
    let place = recorded(|place| place.save("rates.py", &edited));
    let (code, told) = replay(&place);
    for part in ["rates:rate", "42", "63", "return x * 2", "return x * 3", "1 function changed"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    // What ends otherwise each time is no change, however it was edited.
    assert!(code == 1 && told.contains("? rates:unsteady was edited and not compared  rates.py:8  1 recorded call:"), "{told}");
    place.save("rates.py", RATES);
    assert_eq!(replay(&place).0, 0, "as it was recorded");
}

#[test]
fn a_recording_is_tried_on_the_code_it_ran_though_a_file_of_it_is_gone() {
    let place = recorded(|place| std::fs::remove_file(place.root().join("rates.py")).unwrap());
    place.save("rates.py", &RATES.replace("x * 2", "x * 3"));
    let (code, told) = replay(&place);
    assert!(code == 1 && told.contains("rates:rate") && told.contains("63"), "{told}");
}

const WORLD: &str = r#"
import os, socket, subprocess, sys


def append(path, text):
    with open(path, "a") as file:
        file.write(text)
    return len(text)


def remove(path):
    os.remove(path)
    return "removed"


def connect(port):
    with socket.create_connection(("127.0.0.1", port)) as peer:
        return peer.recv(5).decode()


def start(word):
    return subprocess.run([sys.executable, "-c", "print(%r)" % word], capture_output=True, text=True).stdout


def double(x):
    return x + x
"#;

const USE_OF_WORLD: &str = r#"
import socket, threading
import world

server = socket.create_server(("127.0.0.1", 0))


def serve():
    peer, _ = server.accept()
    peer.sendall(b"hello")
    peer.close()


threading.Thread(target=serve).start()
world.append("log.txt", "once"), world.remove("gone.txt"), world.connect(server.getsockname()[1]), world.start("echo")
world.double(4)
"#;

/// What wrote or removed a file, spoke to a server or started a program is never run again, whatever is edited: were it run,
/// its new outcome would be told beside the one that is.
#[test]
fn what_touched_the_world_is_never_run_again() {
    let place = Place::empty();
    for (path, text) in [("world.py", WORLD), ("main.py", USE_OF_WORLD), ("gone.txt", "")] {
        place.save(path, text);
    }
    let (code, _, err) = place.run(&["--trust", "run", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let edited = WORLD
        .replace("return len(text)", "return -1")
        .replace("\"removed\"", "\"taken away\"")
        .replace("return peer.recv(5).decode()", "return peer.recv(5).decode().upper()")
        .replace("text=True).stdout", "text=True).stdout * 2")
        .replace("x + x", "x * 3");
    place.save("world.py", &edited);
    let (code, told) = replay(&place);
    assert!(code == 1 && told.contains("world:double") && told.contains("12") && told.contains("1 function changed"), "{told}");
    for name in ["append", "remove", "connect", "start"] {
        assert!(told.contains(&format!("? world:{name} was edited and not compared  world.py:")), "{name}: {told}");
    }
    assert_eq!(place.read("log.txt"), "once");
}

/// Records two calls of a small function.
fn doubled() -> Place {
    let place = Place::empty();
    place.save("m.py", "def double(x):\n    return [x, x]\n");
    place.save("main.py", "from m import double\n\nprint(double(1), double(2))\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    assert_eq!(replay(&place).0, 0);
    place
}

#[test]
fn what_an_edited_function_does_is_told_before_the_calls_that_rest_on_it_have_run() {
    let place = Place::empty();
    place.save("rates.py", "def rate(x):\n    return x * 2\n");
    place.save("bills.py", "from rates import rate\n\n\ndef bill(x):\n    return rate(x) + 1\n");
    place.save("main.py", "from bills import bill\n\nbill(1), bill(2)\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let watch = Watch::start(&place);
    let told = |text: &str| -> Vec<String> {
        place.save("rates.py", text);
        let events = watch.until("replayed").into_iter();
        let told = events.filter(|event| event["event"] == "behaviour_changed" || event["event"] == "behaviour_restored");
        told.map(|event| event["function"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(told("def rate(x):\n    return x * 3\n"), ["rates:rate", "bills:bill"]);
    assert_eq!(told("def rate(x):\n    return x * 5\n"), ["rates:rate", "bills:bill"]);
    // What is known already is told at once, in no order.
    assert_eq!(told("def rate(x):\n    return x * 2\n").len(), 2);
}

#[test]
fn a_file_that_does_not_parse_is_named_and_hides_no_change() {
    let place = doubled();
    place.save("m.py", "def double(x):\n    return [x, x, x]\n\n\ndef broken(:\n");
    for verb in ["replay", "gen"] {
        let (code, out, err) = place.run(&["--trust", verb]);
        assert_eq!(code, i32::from(verb == "replay"), "{out}{err}");
        let said = "! m.py:5 does not parse: \"def broken(:\". 2 recorded calls may run through it and cannot be compared";
        assert!(out.contains(said) && out.contains("until the line is mended"), "{out}");
        assert!(!out.contains("SyntaxError"), "{out}");
    }
    let (_, out, _) = place.run(&["--trust", "--format", "json", "replay"]);
    assert!(out.contains(r#""result":"unparsed","value":[{"path":"m.py","line":5"#), "{out}");
    place.save("m.py", "def double(x):\n    return [x, x]\n");
    let (code, told) = replay(&place);
    assert!(code == 0 && !told.contains("parse"), "{told}");
}

#[test]
fn a_change_that_was_rejected_stays_readable_with_who_and_why() {
    let place = doubled();
    place.edit("m.py", "[x, x]", "[x, x, x]");
    assert_eq!(replay(&place).0, 1);
    let (_, out, _) = place.run(&["--trust", "review", "--list"]);
    let number = out.split('#').nth(1).unwrap().split(' ').next().unwrap().to_owned();
    let (code, out, err) = place.run(&["--trust", "review", "--reject", &number, "--why", "two of each, as agreed"]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, out, _) = place.run(&["--trust", "review", "--list"]);
    for part in [&format!("red  #{number} change  m:double"), "[2] nothing → 1", "rejected by", "two of each, as agreed"] {
        assert!(out.contains(part), "{part} in {out}");
    }
    let (code, told) = replay(&place);
    assert!(code == 1 && told.contains("It cannot be accepted now. It was rejected by"), "{told}");
    assert!(told.contains("just now: two of each, as agreed."), "{told}");
}

/// Decisions name people as verdicts do that they overrule or accept.
#[test]
fn who_decides_is_named_as_the_machine_lists_them_where_no_variable_does() {
    let place = doubled();
    place.edit("m.py", "[x, x]", "[x, x, x]");
    assert_eq!(replay(&place).0, 1);
    let reject = || {
        let mut command = place.command(&["--trust", "review", "--reject", "all"]);
        let output = command.env_remove("USER").env("LOGNAME", " ").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(reject(), (Some(0), String::new()));
    let listed = std::process::Command::new("id").arg("-un").output().unwrap();
    let name = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    let (_, out, _) = place.run(&["--trust", "review", "--list"]);
    assert!(out.contains(&format!("rejected by {name} ")), "{name} in {out}");
}
