//! What `run` starts has the project's environment, and what comes after it the interpreter of the recording.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Place, python_with_pytest};

/// Makes a virtual environment without packages, and gives its Python.
fn environment(folder: &Path) -> PathBuf {
    let made = Command::new(python_with_pytest()).args(["-m", "venv", "--without-pip"]).arg(folder).status().unwrap();
    assert!(made.success());
    folder.join("bin/python")
}

const APP: &str = "import os, sys\n\n\ndef where():\n    return sys.prefix\n\n\n\
    print(where(), os.environ.get('VIRTUAL_ENV'), os.environ.get('FOO'))\n";

#[test]
fn all_that_a_program_starts_has_the_project_s_environment() {
    let place = Place::empty();
    place.save("app.py", APP);
    let venv = place.root().join(".venv");
    environment(&venv);
    let venv = venv.display().to_string();
    let run = |words: &[&str]| place.run(&[&["--trust", "run"], words].concat());
    for (words, foo) in [
        (&["app.py"][..], "None"),
        (&["python", "app.py"], "None"),
        (&["sh", "-c", "python app.py"], "None"),
        (&["sh", "-c", "python3 app.py | cat"], "None"),
        (&["FOO=1", "python", "app.py"], "1"),
        (&["FOO=1", "app.py"], "1"),
        (&["env", "FOO=1", "python", "app.py"], "1"),
    ] {
        let (code, out, err) = run(words);
        assert_eq!((code, out.trim()), (0, &*format!("{venv} {venv} {foo}")), "{words:?}: {err}");
        assert!(err.contains("1 function"), "{words:?}: {err}");
    }
    let (code, _, err) = run(&["python app.py | cat"]);
    assert!(code == 2 && err.contains("pytead-tui run sh -c 'python app.py | cat'"), "{err}");
    let (code, _, err) = run(&["python app.py"]);
    assert!(code == 2 && err.contains("Type them without quotes: pytead-tui run python app.py"), "{err}");
}

#[test]
fn a_chosen_interpreter_holds_for_the_command_and_for_what_follows() {
    let place = Place::empty();
    place.save("main.py", APP);
    environment(&place.root().join(".venv"));
    let other = place.home().join("other");
    let python = environment(&other);
    let (python, other) = (python.display().to_string(), other.display().to_string());
    for words in [&["main.py"][..], &["python", "main.py"], &["sh", "-c", "python main.py"]] {
        let (code, out, err) = place.run(&[&["--trust", "--python", &python, "run"], words].concat());
        assert_eq!((code, out.trim()), (0, &*format!("{other} {other} None")), "{words:?}: {err}");
    }
    // The result names the environment, so that in any other one the calls would end otherwise.
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 0 && !err.contains("Not compared") && !out.contains("Not compared"), "{out}{err}");
    let (code, out, _) = place.run(&["--trust", "run", "main.py"]);
    assert!(code == 0 && out.contains("project/.venv"), "a new recording has the project's own: {out}");
}
