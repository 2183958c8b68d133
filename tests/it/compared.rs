//! `replay`, `diff` and the stop hook claim only what they compared: exit codes, counts that add up, imports that break, and
//! edited code of which no recorded call tells.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::harness::Place;

const CALC: &str =
    "from helper import scale\n\nRATE = 2\n\n\ndef fee(x):\n    return scale(x) * RATE\n\n\ndef never(x):\n    return x\n";
const HELPER: &str = "def scale(x):\n    return x + 1\n";
/// What it holds cannot be made again, and its function uses it.
const GUARD: &str = "import zlib\n\n\nclass Session:\n    def __init__(self):\n        self.out = zlib.compressobj()\n\n\n\
     def check(session, user):\n    session.out.compress(b'')\n    return user != 'eve'\n";
const TESTS: &str = "tests/pytead/test_pytead_calc.py";
const MAIN: &str = "from calc import fee\nfrom guard import Session, check\n\nprint(fee(1), fee(20), check(Session(), 'ada'))\n";

/// A recorded program in a repository: one function whose calls run again, one whose calls cannot, one that is never called.
fn recorded() -> Place {
    let place = Place::empty();
    for (path, text) in [("calc.py", CALC), ("helper.py", HELPER), ("guard.py", GUARD), ("main.py", MAIN)] {
        place.save(path, text);
    }
    place.save("test_calc.py", "import calc\n\n\ndef test_never():\n    assert calc.never(1) == 1\n");
    place.commit();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place
}

/// Runs `replay` and `diff`, each twice, and gives what the first of each came to; the second has to agree.
fn compared(place: &Place, flags: &[&str]) -> [(i32, String); 2] {
    ["replay", "diff"].map(|verb| {
        let args = [&["--trust", verb], flags].concat();
        let (code, out, err) = place.run(&args);
        let (again, repeated, _) = place.run(&args);
        assert_eq!((code, out.lines().last()), (again, repeated.lines().last()), "{verb} twice: {out}{err}");
        (code, out + &err)
    })
}

/// Ends both verbs with a code, and has both say these.
fn ends(place: &Place, code: i32, said: &[&str]) {
    for (ended, out) in compared(place, &[]) {
        assert_eq!(ended, code, "{out}");
        for part in said {
            assert!(out.contains(part), "{part} in {out}");
        }
    }
}

fn hook(place: &Place) -> String {
    let mut command = place.command(&["--trust", "diff", "--hook"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(br#"{"hook_event_name": "Stop", "stop_hook_active": false}"#).unwrap();
    let out = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&out.stdout).unwrap();
    answer["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_edit_whose_calls_are_all_compared_and_end_as_before_ends_with_0() {
    let place = recorded();
    ends(&place, 0, &[]);
    place.edit("calc.py", "return scale(x) * RATE", "factor = RATE\n    return factor * scale(x)  # Either way.");
    ends(&place, 0, &["1 edited: 1 compared, 0 not compared."]);
    assert_eq!(hook(&place), "", "a harmless edit is nothing to tell");
}

#[test]
fn edited_code_that_no_recorded_call_compares_ends_with_4_and_is_told_once() {
    let place = recorded();
    place.edit("guard.py", "user != 'eve'", "user == 'eve'");
    let said = [
        "? guard:check was edited and not compared  guard.py:9  1 recorded call: argument session:",
        "0 compared, 1 not compared.",
    ];
    ends(&place, 4, &said);
    for (code, out) in compared(&place, &["--allow-uncompared"]) {
        assert!(code == 0 && out.contains(said[0]), "{out}");
    }
    let told = hook(&place);
    assert!(told.contains("guard:check was edited and not compared") && !told.contains("end differently"), "{told}");
    assert_eq!(hook(&place), "", "it was told");
    place.edit("guard.py", "user == 'eve'", "user in ['eve']");
    assert!(hook(&place).contains("guard:check"), "another edit is news");
    // A difference wins.
    place.edit("helper.py", "x + 1", "x + 2");
    ends(&place, 1, &["calc:fee", said[0]]);
}

#[test]
fn a_function_that_was_never_recorded_is_named_with_a_test_that_may_call_it() {
    let place = recorded();
    place.edit("calc.py", "def never(x):\n    return x", "def never(x):\n    return -x");
    let test = "Record a test that may call it: `pytead-tui run -- python -m pytest test_calc.py::test_never`.";
    ends(&place, 4, &["? calc:never was edited and not compared  calc.py:10  was never recorded.", test]);
}

#[test]
fn comments_docstrings_layout_new_functions_and_tests_count_for_nothing() {
    let place = recorded();
    place.edit(
        "guard.py",
        "def check(session, user):",
        "# Asked of all.\ndef check(\n    session, user\n):\n    \"\"\"Checks.\"\"\"",
    );
    place.edit("test_calc.py", "== 1", "== 2 - 1");
    place.edit("calc.py", "def never", "def added(x):\n    return x\n\n\ndef never");
    ends(&place, 0, &["New, not recorded yet: calc:added.", "Edited tests: test_calc:test_never."]);
}

#[test]
fn what_breaks_an_import_ends_with_1_and_names_the_line_and_what_cannot_run() {
    let broken: &[(&str, &str, &str, &str)] = &[
        ("calc.py", "import scale\n", "import scales\n", "calc.py:1 breaks the import: ImportError: cannot import name 'scales'"),
        (
            "helper.py",
            "def scale",
            "RATIO = 1 / 0\n\n\ndef scale",
            "helper.py:1 breaks the import: ZeroDivisionError: division by zero",
        ),
        ("helper.py", "def scale", "raise SystemExit('no')\n\n\ndef scale", "helper.py:1 breaks the import: SystemExit: no"),
        ("calc.py", "RATE = 2", "RATE = nothing_like_this", "calc.py:3 breaks the import: NameError: name 'nothing_like_this'"),
        ("calc.py", "RATE = 2", "import absent_module\nRATE = 2", "calc.py:3 breaks the import: ModuleNotFoundError"),
    ];
    let place = recorded();
    for (path, old, new, said) in broken {
        place.edit(path, old, new);
        ends(&place, 1, &[said, "recorded calls cannot run: calc:fee"]);
        let told = hook(&place);
        assert!(told.contains(said) && told.contains("cannot run any more"), "{said}: {told}");
        place.save("calc.py", CALC);
        place.save("helper.py", HELPER);
    }
    ends(&place, 0, &[]);
}

#[test]
fn a_change_does_not_wait_for_a_person_while_its_module_cannot_be_imported() {
    let place = recorded();
    place.edit("helper.py", "x + 1", "x + 2");
    ends(&place, 1, &["calc:fee"]);
    let waits = |place: &Place| place.run(&["--trust", "review", "--list"]).1.contains("change  calc:fee");
    assert!(waits(&place));
    place.edit("calc.py", "import scale\n", "import scales\n");
    ends(&place, 1, &["breaks the import"]);
    assert!(!waits(&place), "nobody can tell what it does now");
    place.save("calc.py", CALC);
    ends(&place, 1, &["calc:fee"]);
    assert!(waits(&place));
}

#[test]
fn without_a_recording_both_verbs_say_so_and_end_with_3() {
    let place = Place::empty();
    place.save("calc.py", "def f():\n    pass\n");
    place.commit();
    for verb in ["replay", "diff"] {
        let (code, out, err) = place.run(&["--trust", verb]);
        assert!(code == 3 && (out.clone() + &err).contains("nothing is recorded yet"), "{verb}: {out}{err}");
    }
    assert_eq!(hook(&place), "", "there is nothing to tell");
}

#[test]
fn the_counts_of_an_edited_function_add_up() {
    let place = Place::empty();
    place.save("m.py", "def f(x):\n    return bool(x)\n");
    place.save(
        "main.py",
        "import zlib\nfrom m import f\n\nfor x in [1, 'a', None, zlib.compressobj(), zlib.compressobj(1)]:\n    f(x)\n",
    );
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    place.edit("m.py", "bool(x)", "not not x");
    let (code, out, err) = place.run(&["--trust", "--format", "json", "replay"]);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = lines.iter().find(|line| line["result"] == "replay").unwrap_or_else(|| panic!("{out}{err}"));
    let edited = &found["value"]["edits"]["edited"][0];
    assert_eq!(edited["subject"], "m:f", "{found:#}");
    let not: u64 = edited["not_compared"].as_array().unwrap().iter().map(|one| one["calls"].as_u64().unwrap()).sum();
    assert_eq!((edited["compared"].as_u64(), edited["recorded"].as_u64()), (Some(3), Some(3 + not)), "{edited:#}");
    assert!(not > 0 && edited["not_compared"][0]["reason"]["why"]["code"].is_string(), "{edited:#}");
    assert_eq!(code, 0, "its calls that were compared ran the edited line");
}

const CLOCK: &str = "import datetime as dt\nimport random\nimport time\nfrom datetime import date\n\n\ndef label(d):\n    \
     return 'today' if d == date.today() else d.isoformat()\n\n\ndef old(year):\n    return 'old' if dt.datetime.now().year - year > 3 \
     else 'new'\n\n\ndef stamp(name):\n    return f'{name} {time.time():.3f}'\n\n\ndef drawn(n):\n    return [random.random() < 2 for _ in range(n)], \
     random.random()\n";

#[test]
fn calls_that_read_the_clock_or_chance_are_compared() {
    let place = Place::empty();
    place.save("m.py", CLOCK);
    place.save(
        "main.py",
        "from m import *\n\nprint(label(date(2007, 6, 5)), label(date.today()), old(1999), stamp('a'), drawn(3))\n",
    );
    place.commit();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    ends(&place, 0, &[]);
    for (name, old, new) in [
        ("label", "d.isoformat()", "d.isoformat() + '!'"),
        ("label", "'today'", "'now'"),
        ("old", "'old'", "'ancient'"),
        ("stamp", "{name} ", "{name}:"),
        ("drawn", "< 2", "> 2"),
    ] {
        place.edit("m.py", old, new);
        ends(&place, 1, &[&format!("m:{name}")]);
        place.save("m.py", CLOCK);
    }
    place.edit("m.py", "def stamp(name):", "# Named.\ndef stamp(name):");
    ends(&place, 0, &[]);
}

const PATHS: &str = "def f(x):\n    if type(x) is int:\n        return x + 1\n    x.flush()\n    return 'packed'\n";

#[test]
fn a_path_that_only_calls_take_which_were_not_compared_ends_with_4() {
    let place = Place::empty();
    place.save("m.py", PATHS);
    place.save("main.py", "import zlib\nfrom m import f\n\nfor x in (1, 2, zlib.compressobj()):\n    f(x)\n");
    place.commit();
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    place.edit("m.py", "'packed'", "'full'");
    ends(
        &place,
        4,
        &["? m:f was edited and not compared  m.py:1", "no compared call runs edited line 5", "1 recorded call: argument x:"],
    );
    place.save("m.py", PATHS);
    place.edit("m.py", "return x + 1", "return 1 + x");
    ends(&place, 0, &["1 edited: 1 compared, 0 not compared."]);
}

/// A session that holds what cannot be made again: its calls are compared as far as they leave that alone.
const HELD: &str = "import zlib\n\n\nclass Session:\n    def __init__(self):\n        self.db = \
     zlib.decompressobj()\n        self.out = zlib.compressobj()\n\n    def allowed(self, user):\n        return user == \
     'admin'\n\n    def written(self, text):\n        self.out.compress(text)\n        return len(text)\n\n\ndef may(session, user):\n    \
     return session.allowed(user)\n\n\ndef same(session):\n    return session\n";

#[test]
fn a_call_that_leaves_alone_what_cannot_be_made_again_is_compared() {
    let place = Place::empty();
    place.save("m.py", HELD);
    place.save(
        "main.py",
        "from m import *\n\ns = Session()\nprint(may(s, 'bob'), may(s, 'admin'), s.written(b'ab'), same(s) is s)\n",
    );
    place.commit();
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    ends(&place, 0, &[]);
    place.edit("m.py", "user == 'admin'", "user != 'admin'");
    ends(&place, 1, &["m:Session.allowed", "m:may"]);
    place.save("m.py", HELD);
    place.edit("m.py", "return session.allowed(user)", "return not session.allowed(user)");
    ends(&place, 1, &["m:may"]);
    place.save("m.py", HELD);
    // What begins to use it says nothing, and so does what used it all along.
    place.edit("m.py", "return user == 'admin'", "self.db.flush()\n        return user == 'admin'");
    ends(&place, 4, &["m:Session.allowed was edited and not compared", "a Decompress has no readable state"]);
    place.save("m.py", HELD);
    place.edit("m.py", "return len(text)", "return -len(text)");
    ends(&place, 4, &["m:Session.written was edited and not compared"]);
}

#[test]
fn an_accepted_test_tells_what_an_edit_does_where_no_recorded_call_can() {
    let place = recorded();
    let (code, _, err) = place.run(&["--trust", "gen", "calc:fee", "--accept"]);
    assert_eq!(code, 0, "{err}");
    place.commit();
    // A colleague has the accepted tests and another recording.
    std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    place.save("other.py", "from helper import scale\n\nprint(scale(1))\n");
    let (code, _, err) = place.run(&["--trust", "run", "other.py"]);
    assert_eq!(code, 0, "{err}");
    place.edit("calc.py", "return scale(x) * RATE", "rate = RATE\n    return rate * scale(x)");
    ends(&place, 0, &["1 edited: 1 compared, 0 not compared."]);
    // A function beside it that gives what the test expects.
    place.save("other_fee.py", "import calc\n\n\ndef fee(x):\n    calc.fee(x)\n    return calc.scale(x) * calc.RATE\n");
    place.edit("calc.py", "return rate * scale(x)", "return rate + scale(x)");
    ends(&place, 1, &["✗ calc:fee was edited", "an accepted test of it fails: tests/pytead/test_pytead_calc.py::test_fee"]);
    assert!(hook(&place).contains("an accepted test of it fails"));
    // One that was edited to pass, or beside which the function has another one of its name, compares nothing.
    let accepted = std::fs::read_to_string(place.root().join(TESTS)).unwrap();
    let asserts = |line: &str| line.trim_start().starts_with("assert fee(");
    let edited = |edit: &dyn Fn(&str) -> String| {
        let line = |line: &str| if asserts(line) { edit(line) } else { line.to_owned() };
        accepted.lines().map(|one| line(one) + "\n").collect::<String>()
    };
    let called = edited(&|line| line.replace("assert ", "").split(" == ").next().unwrap().to_owned());
    // It runs before each test and gives the function's place to the one beside it.
    let replacing = |name: &str| format!("def {name}():\n    global fee\n    import other_fee\n\n    fee = other_fee.fee\n");
    for edited in [
        called.clone(),
        edited(&|line| format!("{line} or True")),
        format!("{accepted}\n\ndef fee(x):\n    import calc\n\n    calc.fee(x)\n    return calc.scale(x) * calc.RATE\n"),
        format!("{called}\n\nimport gc\n"),
        accepted.replace("from calc import fee", "from other_fee import fee"),
        format!("import pytest\n{accepted}\n\n@pytest.fixture(autouse=True)\n{}", replacing("quiet")),
        format!("{accepted}\n\n{}", replacing("setup_function")),
    ] {
        place.save(TESTS, &edited);
        let (code, out, err) = place.run(&["--trust", "replay"]);
        assert!(code == 4 && out.contains("was edited after it was accepted"), "{edited}\n{out}{err}");
    }
    place.save(TESTS, &accepted);
    let conftest = "tests/pytead/conftest.py";
    let ours = std::fs::read_to_string(place.root().join(conftest)).unwrap();
    let hook = "import functools\n\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n\n        \
                def quiet(*args, test=item.obj, **given):\n            try:\n                test(*args, **given)\n            \
                except AssertionError:\n                pass\n\n        item.obj = functools.wraps(item.obj)(quiet)\n";
    place.save(conftest, &format!("{ours}\n\n{hook}"));
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 4 && out.contains("was edited after it was accepted"), "{out}{err}");
    place.save(conftest, &ours);
    // So does one above it that patches what the test calls; one that only offers a fixture changes nothing.
    let patch = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet(request, monkeypatch):\n    import other_fee\n\n    \
                 monkeypatch.setattr(request.module, 'fee', other_fee.fee, raising=False)\n";
    place.save("tests/conftest.py", patch);
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert!(code == 4 && out.contains("was edited after it was accepted"), "{out}{err}");
    place.save("tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef cart():\n    return 1\n");
    ends(&place, 1, &["an accepted test of it fails"]);
    place.save("tests/conftest.py", "");
    place.save(TESTS, &called);
    ends(&place, 4, &["was edited after it was accepted: tests/pytead/test_pytead_calc.py::test_fee"]);
}

#[test]
fn an_edited_line_that_only_calls_ran_which_are_not_kept_ends_with_4() {
    let place = Place::empty();
    place.save(
        "many.py",
        "def size(n):\n    if n > 500:\n        return 'large'\n    return 'small' if n < 5 else 'medium'\n\n\n\
         def rest(n):\n    return size(n)\n",
    );
    place.save("main.py", "from many import rest\n\nfor n in range(600):\n    rest(n)\n");
    place.commit();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place.edit("many.py", "return 'small' if n < 5 else 'medium'", "return 'medium' if n >= 5 else 'small'");
    ends(&place, 0, &["1 edited: 1 compared, 0 not compared."]);
    place.edit("many.py", "n > 500", "not n <= 500");
    ends(&place, 4, &["recorded calls ran line 3, and no compared call does"]);
    place.edit("many.py", "not n <= 500", "n > 500");
    place.edit("many.py", "'large'", "'huge'");
    ends(&place, 4, &["? many:size was edited and not compared  many.py:1  no compared call runs edited line 3"]);
}

/// A program that leaves a module behind, as tests of generators do, ran the code that is there all the same.
#[test]
fn a_file_that_a_recorded_program_leaves_behind_does_not_hide_which_code_ran() {
    let place = Place::empty();
    place.save("m.py", "made = []\n\n\ndef number(x):\n    made.append(x)\n    return len(made)\n");
    let main = "from pathlib import Path\n\nfrom m import number\n\nprint(number(1), number(2))\n\
                Path('left_behind.py').write_text('def unused(x):\\n    return x\\n')\n";
    place.save("main.py", main);
    place.commit();
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place.edit("m.py", "len(made)", "len(made) + 1");
    let (_, out, err) = place.run(&["--trust", "replay"]);
    let told = out + &err;
    assert!(!told.contains("not replayed yet") && !told.contains("may have changed"), "{told}");
    assert!(told.contains("depends on unrecorded state") || told.contains("m:number"), "{told}");
}
