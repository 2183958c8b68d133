//! The Python that is not there, is too old, or lacks pytest.

use super::{has, said};
use crate::harness::{Place, python_with_pytest, script};

fn shop() -> Place {
    Place::example("shop")
}

/// A program of the project's folder above that answers as this shell script says.
fn fake(place: &Place, name: &str, answer: &str) -> String {
    let path = place.home().join(name);
    script(&path, &format!("#!/bin/sh\n{answer}\n"));
    path.display().to_string()
}

#[test]
fn without_a_python_it_is_said_how_to_name_one() {
    let place = shop();
    let empty = place.home().join("bin");
    std::fs::create_dir(&empty).unwrap();
    for args in [&["run", "main.py"][..], &["run", "-m", "shop"], &["gen"], &["tead", "main.py"]] {
        let mut command = place.command(&[&["--trust"], args].concat());
        command.env("PATH", &empty);
        let (code, err) = super::outcome(command);
        assert_eq!(code, 3, "{args:?}: {err}");
        has(&err, &["No Python found in .venv or as python3.", "Choose one: pytead-tui --python PATH."]);
    }
}

#[test]
fn a_python_that_is_too_old_is_named_with_its_version() {
    let place = shop();
    let answer =
        r#"{"executable":"/x","version":[3,9,18],"prefixes":[],"user_base":null,"user_site":null,"pytest":null,"packages":{}}"#;
    let nine = fake(&place, "python3.9", &format!("echo '{answer}'"));
    let two = fake(&place, "python2", "[ \"$1\" = -I ] && { echo 'Unknown option: -I' >&2; exit 2; }\necho 'python 2.7.18'");
    for (python, version) in [(nine, "3.9.18"), (two, "2.7.18")] {
        let (code, err) = said(&place, &["--trust", "--python", &python, "run", "main.py"]);
        assert_eq!(code, 3, "{err}");
        has(&err, &[&format!("Python {version} "), "is too old.", "needs 3.10 or newer.", "--python PATH"]);
    }
}

#[test]
fn what_is_no_python_is_said_in_one_short_line() {
    let place = shop();
    let (code, err) = said(&place, &["--trust", "--python", "/bin/ls", "run", "main.py"]);
    assert_eq!(code, 3, "{err}");
    has(&err, &["The Python /bin/ls does not work.", "--python PATH"]);
    assert!(err.lines().count() == 1 && err.len() < 400, "{err}");
}

#[test]
fn without_pytest_the_calls_are_kept_until_it_is_there() {
    let place = shop();
    let bare = place.home().join("bare");
    let made =
        std::process::Command::new(python_with_pytest()).args(["-m", "venv", "--without-pip"]).arg(&bare).status().unwrap();
    assert!(made.success());
    let python = bare.join("bin/python").display().to_string();
    let (code, err) = said(&place, &["--trust", "--python", &python, "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, err) = said(&place, &["--trust", "--python", &python, "gen"]);
    assert_eq!(code, 3, "{err}");
    has(&err, &["has no pytest: no test runs, and no draft is proved.", "Install it:", "-m pip install pytest."]);
    let (_, out, _) = place.run(&["--trust", "--python", &python, "doctor"]);
    has(&out, &["✗ pytest"]);
    let (code, out, err) = place.run(&["--trust", "gen", "shipping_for"]);
    assert_eq!(code, 0, "{err}");
    has(&out, &["✓ passes"]);
}
