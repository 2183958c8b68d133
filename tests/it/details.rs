//! Every recorded detail is asserted: on the real binary, each change of one makes an accepted test fail.

use std::process::Command;

use crate::harness::{Place, python_with_pytest};

/// Edits of `tests/fixtures/details`, each of which changes a detail that `==` hides: file, before, after.
const HIDDEN: &[(&str, &str, &str)] = &[
    ("app.py", "note=\"checked\"", "note=\"CHECKED\""),
    ("app.py", "f\"n{n}\"", "f\"m{n}\""),
    ("app.py", "Decimal(\"1.50\")", "Decimal(\"1.5\")"),
    ("app.py", "f\"order {n}\"", "f\"order no {n}\""),
    ("app.py", "\"v\": n * 2", "\"v\": n * 3"),
    ("app.py", "\"data\", \"name\"", "\"data\", \"other\""),
    ("app.py", "Named(key, \"data\", \"name\")", "Row(key, \"data\")"),
    ("app.py", "[n > 0, n, float(n)]", "[int(n > 0), float(n), n]"),
    ("app.py", "\"share\": n / 2", "\"share\": n // 2"),
    ("app.py", "quantize(Decimal(\"0.01\"))", "quantize(Decimal(\"0.001\"))"),
    ("app.py", "[Point(n, n + 1), Point(0, 0)]", "[(n, n + 1), (0, 0)]"),
    ("app.py", "[Level(n), Level.HIGH]", "[n, 2]"),
    ("app.py", "[-x, x]", "[x, x]"),
    ("app.py", "[math.nan, x]", "[0.0, x]"),
    ("app.py", "key=lambda vote: -vote[1]", "key=lambda vote: vote[1]"),
    ("app.py", "= range(7)", "= [0, 1, 2, 3, 4, 5, 7]"),
];

/// Edits that change what an exception carries.
const CARRIED: &[(&str, &str, &str)] = &[
    ("fails.py", "self.code = code", "self.code = code + 1"),
    ("fails.py", "\"try again\"", "\"give up\""),
    ("fails.py", "{why} (code {code})", "Sorry: {why} (code {code})"),
    ("fails.py", "raise Quiet(a, b)", "raise Quiet(b, a)"),
    ("fails.py", "f\"f{n}.txt\"", "f\"g{n}.txt\""),
    ("fails.py", "OSError(n,", "OSError(n + 11,"),
    ("fails.py", "name + \".txt\"", "name + \".csv\""),
    ("fails.py", "raise KeyError(key)", "raise KeyError(\"un\" + key)"),
    ("fails.py", "{n} failed", "{n} did fail"),
    ("fails.py", "ValueError(\"a\")", "ValueError(\"b\")"),
    ("fails.py", "\"look at the log\"", "\"look elsewhere\""),
    ("fails.py", " from error", " from None"),
    ("fails.py", "int(text)", "int(text + \"d\")"),
    ("fails.py", "got {n}\"", "got {n}!\""),
    ("fails.py", "SystemExit(n)", "SystemExit(n + 1)"),
    ("fails.py", "\"late\"", "\"too late\""),
];

/// Drafts and accepts tests of what the programs did; gives what was said.
fn accepted(place: &Place) -> String {
    let python = python_with_pytest();
    let python = python.to_str().unwrap();
    let (code, out, err) = place.run(&["--trust", "--python", python, "run", "main.py"]);
    assert_eq!(code, 0, "{out}{err}");
    let (_, out, err) = place.run(&["--trust", "--python", python, "gen", "--accept"]);
    format!("{out}{err}")
}

fn passes(place: &Place) -> bool {
    let mut command = Command::new(python_with_pytest());
    command.current_dir(place.root()).args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead"]);
    command.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap().status.success()
}

fn each_edit_fails(place: &Place, edits: &[(&str, &str, &str)]) {
    assert!(passes(place), "{}", place.read("tests/pytead/test_pytead_app.py"));
    for (file, before, after) in edits {
        let text = place.read(file);
        place.edit(file, before, after);
        assert!(!passes(place), "{before} -> {after}");
        place.save(file, &text);
    }
}

#[test]
fn every_recorded_detail_is_asserted() {
    let place = Place::fixture("details");
    let said = accepted(&place);
    each_edit_fails(&place, HIDDEN);
    let tests = place.read("tests/pytead/test_pytead_app.py");
    for line in [
        "    assert repr(mixed(1)) == \"[True, 1, 1.0]\"",
        "    assert repr(shares(2)) == \"{'share': 1.0, 'rest': 0}\"",
        "    assert engine.maker.name == \"ACME\"",
        "    assert [item.data for item in result] == [{\"v\": 0}, {\"v\": 2}]",
        "    assert result.note == \"checked\"",
    ] {
        assert!(tests.contains(line), "{line}: {tests}\n{said}");
    }
}

#[test]
fn what_an_exception_carries_is_asserted() {
    let place = Place::fixture("details");
    accepted(&place);
    each_edit_fails(&place, CARRIED);
    let tests = place.read("tests/pytead/test_pytead_fails.py");
    for line in [
        "    with pytest.raises(ValueError, match=r\"^must be positive: got -1$\"):",
        "    with pytest.raises(ValueError, match=\"'abc'\"):",
        "    assert caught.value.filename == \"nowhere.txt\"",
        "    assert type(caught.value.__cause__) is KeyError",
    ] {
        assert!(tests.contains(line), "{line}: {tests}");
    }
}

/// What no assertion sees is told, and left out where many drafts are accepted.
#[test]
fn what_no_assertion_sees_is_left_to_look_at() {
    let place = Place::fixture("details");
    let said = accepted(&place);
    let left = "app:car: overlooks result.engine.maker.name: no assertion fails when it changes";
    assert!(said.contains(left), "{said}");
    assert!(!place.read("tests/pytead/test_pytead_app.py").contains("def test_car"), "{said}");
}
