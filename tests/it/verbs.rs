//! The verbs of the command line on the real binary, without a terminal, on real projects.

use crate::harness::Place;

/// The edit that makes three recorded calls of `Cart.total` end differently.
const EDIT: (&str, &str, &str) = ("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");

fn json_lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))).collect()
}

#[test]
fn an_untrusted_folder_is_only_read() {
    let place = Place::empty();
    place.save("conftest.py", "open('sentinel', 'w').close()\n");
    place.save("sitecustomize.py", "open('sentinel', 'w').close()\n");
    place.save("test_x.py", "open('sentinel', 'w').close()\ndef test_x(): pass\n");
    for args in [&["run", "pytest"][..], &["gen"], &["replay"], &["draft", "f"], &["review"], &["tead", "pytest"]] {
        let (code, _, err) = place.run(args);
        assert_eq!(code, 3, "{args:?}: {err}");
        assert!(err.contains("not trusted") && err.contains("pytead-tui trust"), "{args:?}: {err}");
    }
    for args in [&["index"][..], &["config", "show"], &["doctor"]] {
        let (code, _, err) = place.run(args);
        assert_eq!(code, 0, "{args:?}: {err}");
    }
    let (_, out, _) = place.run(&["doctor"]);
    assert!(out.contains("in memory: the folder is only read"), "{out}");
    assert!(!place.root().join("sentinel").exists(), "reading ran the project's code");
}

#[test]
fn trust_is_remembered_outside_the_project_and_can_be_taken_back() {
    let place = Place::empty();
    place.save("main.py", "print('ran')\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    let (code, out, err) = place.run(&["run", "main.py"]);
    assert_eq!((code, out.as_str()), (0, "ran\n"), "{err}");
    assert_eq!(place.run(&["trust", "--remove"]).0, 0);
    assert_eq!(place.run(&["run", "main.py"]).0, 3);
}

#[test]
fn doctor_says_how_to_leave_a_project_as_it_was() {
    let place = Place::example("shop");
    place.save(".gitignore", "__pycache__/\n");
    place.commit();
    for words in [&["trust"][..], &["run", "main.py"], &["agent", "init", "claude", "--yes"]] {
        let (code, out, err) = place.run(words);
        assert_eq!(code, 0, "{out}{err}");
    }
    place.save("tests/pytead/test_it.py", "def test_it():\n    pass\n");
    let (_, out, _) = place.run(&["doctor"]);
    let line = out.lines().find(|line| line.contains("to remove")).unwrap_or_else(|| panic!("{out}"));
    let (steps, kept) = line.split_once("; ").unwrap();
    assert_eq!(kept, "tests/pytead you accepted, and may keep");
    std::fs::remove_dir_all(place.root().join("tests/pytead")).unwrap();
    // What it says, step by step.
    for step in steps.split("pytead-tui ").skip(1) {
        let mut words: Vec<&str> = step.split(',').next().unwrap().split(' ').collect();
        if words[0] == "agent" {
            // Nobody is there to be asked.
            words.push("--yes");
        }
        let (code, out, err) = place.run(&words);
        assert_eq!(code, 0, "{words:?}: {out}{err}");
    }
    assert!(steps.ends_with("then delete .pytead"), "{steps}");
    std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    let mut git = std::process::Command::new("git");
    let left = git.args(["status", "--porcelain"]).current_dir(place.root()).output().unwrap().stdout;
    assert_eq!(String::from_utf8_lossy(&left), "", "nothing of ours is left");
}

#[test]
fn the_program_keeps_its_output_and_its_exit_code() {
    let place = Place::empty();
    place.save("main.py", "import sys\ndef f(x):\n    return x + 1\nprint('out', f(1), *sys.argv[1:])\nprint('err', file=sys.stderr)\nsys.exit(3)\n");
    let (code, out, err) = place.run(&["--trust", "run", "main.py", "a", "--trust"]);
    assert_eq!((code, out.as_str()), (3, "out 2 a --trust\n"), "{err}");
    assert!(err.contains("err\n") && err.contains("1 call of"), "{err}");
    place.save("boom.py", "def f(x):\n    raise ValueError('no')\nf(1)\n");
    let (code, _, err) = place.run(&["--trust", "run", "boom.py"]);
    assert_eq!(code, 1);
    assert!(err.contains("ValueError: no") && !err.contains("pytead_tui/recorder"), "{err}");
    place.save("killed.py", "import os\ndef f(x):\n    return x\nf(1)\nf('b')\nos.kill(os.getpid(), 9)\n");
    let (code, _, err) = place.run(&["--trust", "run", "killed.py"]);
    assert_eq!(code, 137);
    assert!(err.contains("2 calls"), "{err}");
}

#[test]
fn a_journey_is_recorded_and_printed_event_by_event() {
    let place = Place::empty();
    place.save("main.py", "def g(x):\n    return x + 1\ndef f(x):\n    return g(x) * 2\nf(1)\n");
    let (code, _, err) = place.run(&["--trust", "run", "--journey", "main.py"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("recording 1: 2 calls of 2 functions (a journey of 4 events: pytead-tui export 1)"), "{err}");
    let (code, out, err) = place.run(&["export", "1"]);
    assert_eq!((code, out.as_str()), (0, "L1    main:f(x=1)\nL2      main:g(x=1)\nL3      → 2\nL4    → 4\n"), "{err}");
    let (code, out, _) = place.run(&["export", "1", "--format", "json"]);
    let lines = json_lines(&out);
    assert_eq!((code, lines.len()), (0, 5), "{out}");
    assert_eq!(lines[0]["result"], "recording");
    let call = &lines[2]["value"];
    assert_eq!(
        (&call["line"], &call["event"], &call["function"], &call["depth"]),
        (&2.into(), &"call".into(), &"main:g".into(), &1.into())
    );
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let (_, out, _) = place.run(&["export"]);
    assert_eq!(out, "   2  2 calls                   main.py\n   1  journey of 4 events       main.py\n");
    let (_, out, _) = place.run(&["export", "2"]);
    assert_eq!(out, "main:f(1) → 4\nmain:g(1) → 2\n");
    let (code, _, err) = place.run(&["export", "9"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("There is no recording 9."), "{err}");
}

#[test]
fn what_decorated_functions_did_on_their_own_is_taken_in_at_the_next_start() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save("app.py", "from pytead_tui import trace\n@trace\ndef f(x):\n    return x + 1\ndef g(x):\n    return f(x)\n");
    place.save("main.py", "import app\nprint(app.g(1), app.g(2))\n");
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/python");
    let output = std::process::Command::new(crate::harness::python_with_pytest())
        .arg("main.py")
        .current_dir(place.root())
        .env_clear()
        .env("PYTHONPATH", assets)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 3\n", "{}", String::from_utf8_lossy(&output.stderr));
    let spool = place.root().join(".pytead/spool");
    assert_eq!(spool.read_dir().unwrap().count(), 1);
    let (_, out, _) = place.run(&["export"]);
    assert!(out.starts_with("Nothing was recorded"), "an untrusted folder is only read: {out}");
    let (code, out, err) = place.run(&["--trust", "export"]);
    assert_eq!((code, out.as_str()), (0, "   1  2 calls                   @trace\n"), "{err}");
    assert_eq!(place.run(&["export", "1"]).1, "app:f(1) → 2\napp:f(2) → 3\n");
    assert_eq!(spool.read_dir().unwrap().count(), 0, "what is stored is removed");
}

#[test]
fn old_traces_become_a_recording_that_can_be_replayed_and_drafted() {
    let place = Place::empty();
    place.save("shop/__init__.py", "");
    place.save(
        "shop/prices.py",
        "def scale(price, by=2):\n    return price * by\nclass Cart:\n    def total(self):\n        return 1\n    @classmethod\n    def named(cls, name):\n        return name.upper()\n",
    );
    let trace = |func: &str, args: &str, result: &str| {
        format!(
            "{{\"trace_schema\": \"pytead/v2-graph\", \"timestamp\": \"2026-11-20T16:09:44.293074+00:00\", \"func\": \"{func}\", \"args_graph\": {args}, \"kwargs_graph\": {{}}, \"result_graph\": {result}}}"
        )
    };
    place.save("call_logs/shop_prices_scale__1.gjson", &trace("shop.prices.scale", "[2, 3]", "6"));
    place.save("call_logs/shop_prices_scale__2.gjson", &trace("shop.prices.scale", "[2, 3]", "6"));
    place.save("call_logs/shop_prices_Cart_named__3.gjson", &trace("shop.prices.Cart.named", "[\"ada\"]", "\"ADA\""));
    place.save("call_logs/shop_prices_Cart_total__4.gjson", &trace("shop.prices.Cart.total", "[]", "1"));
    place.save("call_logs/os_system__5.gjson", &trace("os.system", "[\"touch sentinel\"]", "0"));
    let entry = "{'trace_schema': 'pytead/v1', 'func': 'shop.prices.scale', 'args': (5,), 'kwargs': {'by': [1]}, 'result': 10, 'timestamp': 'x'}";
    let evil = "{'func': 'shop.prices.scale', 'args': (type('E', (), {'__reduce__': lambda s: (__import__('os').system, ('touch sentinel',))})(),), 'kwargs': {}, 'result': 1}";
    let script = format!(
        "import pickle\npickle.dump({}, open('call_logs/a__6.pkl', 'wb'))\npickle.dump({evil}, open('call_logs/b__7.pkl', 'wb'))",
        entry.replace("[1]", "2")
    );
    let made =
        std::process::Command::new(crate::harness::python_with_pytest()).args(["-c", &script]).current_dir(place.root()).status();
    assert!(made.unwrap().success());
    let (code, out, err) = place.run(&["--trust", "import", "call_logs"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Recording 1: 3 calls of 2 functions imported."), "{out}");
    for part in
        ["Cart_total__4.gjson. The call was made on an object", "no function os.system", "b__7.pkl. It holds \"posix.system\""]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!place.root().join("sentinel").exists());
    let (_, out, _) = place.run(&["export", "1"]);
    assert_eq!(out, "shop.prices:scale(5, 2) → 10\nshop.prices:Cart.named('ada') → 'ADA'\nshop.prices:scale(2, 3) → 6\n");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(place.read("tests/pytead/test_pytead_shop__prices.py").contains("scale(2, 3)"), "{out}");
    assert!(out.contains("lines in tests/pytead/test_pytead_shop__prices.py."), "the test file is named, no other: {out}");
    assert!(
        place.root().join("tests/pytead/conftest.py").exists() && !out.contains("lines in tests/pytead/conftest.py"),
        "{out}"
    );
    place.edit("shop/prices.py", "price * by", "price + by");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{out}\n{err}");
    assert!(out.contains("6") && out.contains("5"), "{out}");
    let (code, out, _) = place.run(&["--trust", "import", "call_logs/os_system__5.gjson", "--format", "json"]);
    assert_eq!((code, &json_lines(&out)[0]["value"]["recording"]), (2, &serde_json::Value::Null), "{out}");
    assert_eq!(place.run(&["--trust", "import", "shop"]).0, 2);
    assert_eq!(place.run(&["--trust", "import", "nowhere"]).0, 2);
}

#[test]
fn what_cannot_be_run_is_said_in_a_sentence() {
    let place = Place::example("shop");
    let (code, _, err) = place.run(&["--trust", "run", "no-such-program"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no-such-program"), "{err}");
    let (code, _, err) = place.run(&["--trust", "gen", "shop.pricng:tax_for"]);
    assert_eq!(code, 2);
    assert!(err.contains("No function shop.pricng:tax_for.") && err.contains("shop.pricing:tax_for"), "{err}");
    let (code, _, err) = place.run(&["--trust", "--python", "/no/python", "run", "main.py"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("There is no Python at /no/python"), "{err}");
    let (code, _, err) = place.run(&["--trust", "draft", "tax_for"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("No model is set up"), "{err}");
    let (code, _, err) = place.run(&["frobnicate"]);
    assert_eq!(code, 2, "{err}");
}

#[test]
fn an_update_of_the_program_while_it_runs_does_not_stop_it() {
    let place = Place::empty();
    place.run(&["trust"]);
    // Under another name, as some people install it.
    let binary = place.home().join("pt");
    // Not by this process, as with `script`.
    let copied = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_pytead-tui")).arg(&binary).status().unwrap();
    assert!(copied.success());
    place.save(
        "update.py",
        "import os\nimport sys\n\n\ndef double(x):\n    return x + x\n\n\nif __name__ == '__main__':\n    double('a')\n    \
         os.remove(sys.argv[1])\n    open(sys.argv[1], 'w').write('another program')\n",
    );
    let path = binary.display().to_string();
    let output = std::process::Command::new(&binary)
        .args(["run", "update.py", &path])
        .current_dir(place.root())
        .env_clear()
        .envs(place.environment())
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && err.contains("recording 1: 1 call") && err.lines().count() == 1, "{err}");
    let (code, out, err) = place.run(&["gen", "double", "--format", "json"]);
    assert!(code == 0 && out.contains("\"ready\""), "the call was tried by the program that ran: {out}{err}");
}

#[test]
fn without_a_terminal_the_workbench_says_what_to_use() {
    let place = Place::example("shop");
    let (code, _, err) = place.run(&[]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("terminal") && err.contains("run"), "{err}");
}

#[test]
fn recorded_tests_become_proved_tests_that_pass_with_plain_pytest() {
    let place = Place::recorded_shop();
    let (code, out, err) = place.run(&["--trust", "gen"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("shop.pricing:apply_discount") && out.contains("✓ passes"), "{out}\n{err}");
    assert!(!place.root().join("tests/pytead").exists(), "gen alone writes nothing");
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}\n{err}");
    let text = place.read("tests/pytead/test_pytead_shop__pricing.py");
    assert!(text.contains("def test_apply_discount") && text.contains("pytest.raises"), "{text}");
    assert!(!text.contains("pytead_tui"), "accepted tests need nothing of ours");
    let output = std::process::Command::new(crate::harness::python_with_pytest())
        .args(["-m", "pytest", "-q", "tests/pytead"])
        .current_dir(place.root())
        .env_clear()
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}\n{err}");
    let (code, out, err) = place.run(&["--trust", "review", "--undo"]);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(!place.root().join("tests/pytead/test_pytead_shop__pricing.py").exists(), "undo takes the file back");
}

#[test]
fn an_edit_shows_old_and_new_and_going_back_is_silent() {
    let place = Place::recorded_shop();
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 0, "{out}\n{err}");
    let before = place.read(EDIT.0);
    place.edit(EDIT.0, EDIT.1, EDIT.2);
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{out}\n{err}");
    assert!(out.contains("shop.cart:Cart.total"), "{out}");
    assert!(out.contains("Decimal('104.90')") && out.contains("Decimal('100.00')"), "{out}");
    assert!(out.contains("because shop.pricing:shipping_for"), "{out}");
    place.save(EDIT.0, &before);
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 0, "{out}\n{err}");
}

#[test]
fn review_works_without_a_terminal_by_numbers() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["--trust", "gen", "tax_for"]).0, 0);
    let (code, out, err) = place.run(&["--trust", "review", "--list", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let rows = json_lines(&out);
    let queue = rows.iter().find(|row| row["result"] == "queue").unwrap();
    let id = queue["value"][0]["id"].as_i64().unwrap().to_string();
    let (code, out, err) = place.run(&["--trust", "review", "--accept", &id]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Accepted tax_for"), "{out}");
    assert!(place.read("tests/pytead/test_pytead_shop__pricing.py").contains("def test_tax_for"));
    let (code, _, err) = place.run(&["--trust", "review", "--accept", "999"]);
    assert_eq!(code, 2);
    assert!(err.contains("No proposal 999 waits"), "{err}");
}

#[test]
fn a_hand_edited_test_is_never_overwritten() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["--trust", "gen", "tax_for", "--accept"]).0, 0);
    let file = "tests/pytead/test_pytead_shop__pricing.py";
    let text = place.read(file);
    let changed =
        text.replace("def test_tax_for", "# mine\nMINE = 1\n\n\ndef test_tax_for").replace("assert ", "assert MINE and ");
    place.save(file, &changed);
    place.edit("shop/pricing.py", "return round_price(total * rate)", "return round_price(total * rate) + CENT");
    assert_eq!(place.run(&["--trust", "replay"]).0, 1);
    let (_, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    let now = place.read(file);
    assert!(now.contains("MINE and "), "the hand edit is gone:\n{now}\n{out}{err}");
}

#[test]
fn an_interrupt_beside_another_process_leaves_no_draft_at_work() {
    use std::io::{BufRead, BufReader};
    let place = Place::recorded_shop();
    let start = |args: &[&str]| {
        let mut command = place.command(args);
        let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        (child, lines)
    };
    // While another has the project open, nobody may take work in progress for work left over.
    let (mut other, mut said) = start(&["--trust", "--format", "json", "watch"]);
    said.next().unwrap();
    let (mut child, mut lines) = start(&["--trust", "--format", "json", "gen"]);
    lines.find(|line| line.contains("\"state\":\"proving\"")).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let states = "SELECT state, count(*) FROM proposals GROUP BY state";
    let store = rusqlite::Connection::open(place.root().join(".pytead/pytead.db")).unwrap();
    let mut statement = store.prepare(states).unwrap();
    let states = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let states: std::collections::BTreeMap<String, u32> = states.map(Result::unwrap).collect();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(states.get("failed").is_some_and(|count| *count > 3), "{states:?}");
    assert!(!states.contains_key("queued") && !states.contains_key("proving"), "{states:?}");
}

#[test]
fn an_interrupt_ends_gen_with_130_and_leaves_nothing_half_done() {
    use std::io::{BufRead, Read};
    let place = Place::recorded_shop();
    let mut child = place
        .command(&["--trust", "--format", "json", "gen", "--accept"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The first event is there: drafts are on their way, none of them is proved.
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    out.read_to_string(&mut String::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!place.root().join("tests/pytead").exists());
    let (code, out, err) = place.run(&["--trust", "gen", "--accept"]);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(place.root().join("tests/pytead/test_pytead_shop__pricing.py").exists(), "{out}\n{err}");
}

#[test]
fn an_edit_makes_drafts_wait_until_they_are_proved_again() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["--trust", "gen", "tax_for"]).0, 0);
    place.edit("shop/pricing.py", "return round_price(total * rate)", "return round_price(total * rate) + CENT");
    let (_, out, err) = place.run(&["--trust", "review", "--list"]);
    assert!(out.contains("stale"), "{out}\n{err}");
    place.run(&["--trust", "review", "--accept", "all"]);
    assert!(!place.root().join("tests/pytead").exists(), "accepted on a proof of other code");
}

#[test]
fn json_is_one_object_a_line_and_for_run_it_leaves_the_programs_output_alone() {
    let place = Place::example("shop");
    let (code, out, err) = place.run(&["--trust", "--format", "json", "run", "--events", "events.jsonl", "main.py"]);
    assert_eq!(code, 0, "{err}");
    assert!(!out.trim_start().starts_with('{'), "{out}");
    let events = json_lines(&place.read("events.jsonl"));
    assert!(events.iter().any(|event| event["result"] == "recording"), "{events:?}");
    for args in
        [&["gen", "tax_for"][..], &["replay"], &["index"], &["config", "show", "--origin"], &["doctor"], &["review", "--list"]]
    {
        let (_, out, err) = place.run(&[&["--trust", "--format", "json"], args].concat());
        assert!(!json_lines(&out).is_empty(), "{args:?}: {err}");
    }
}

#[test]
fn a_hostile_program_cannot_write_to_the_terminal_through_us() {
    let place = Place::empty();
    place.save("evil.py", "def f(x):\n    return x + '\\x1b]0;owned\\x07\\x1b[2J\\u202e'\n\nf('a')\nf('b')\n\nif __name__ == '__main__':\n    f('c')\n");
    assert_eq!(place.run(&["--trust", "run", "evil.py"]).0, 0);
    place.edit("evil.py", "return x +", "return x + 'more' +");
    let (_, out, err) = place.run(&["--trust", "replay"]);
    let (_, drafts, _) = place.run(&["--trust", "gen"]);
    for text in [out, err, drafts] {
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}') && !text.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn a_function_that_returns_a_gigabyte_is_recorded_in_a_moment() {
    let place = Place::empty();
    place.save("big.py", "def big(n):\n    return b'x' * n\n\nbig(1 << 30)\nbig(3)\n");
    let (code, _, err) = place.run(&["--trust", "run", "big.py"]);
    assert_eq!(code, 0, "{err}");
    let size = std::fs::metadata(place.root().join(".pytead/pytead.db")).unwrap().len();
    assert!(size < 4 << 20, "{size} bytes for two calls");
}

const GOOD: &str = "Here is the test:\n\n```python\nfrom decimal import Decimal\n\nimport pytest\n\nfrom shop.pricing import bulk_price\n\n\n\
def test_bulk_price_from_ten_pieces():\n    assert bulk_price(Decimal('2'), 10) == Decimal('18.00')\n\n\n\
def test_bulk_price_refuses_nothing():\n    with pytest.raises(ValueError):\n        bulk_price(Decimal('2'), 0)\n```\n";

fn with_model(text: &str) -> (Place, crate::harness::model::Model) {
    let place = Place::example("shop");
    let model = crate::harness::model::Model::start(text, false);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), model.config()).unwrap();
    (place, model)
}

#[test]
fn a_models_draft_is_proved_before_it_counts() {
    let (place, model) = with_model(GOOD);
    let (code, out, err) = place.run(&["--trust", "draft", "bulk_price", "-m", "use ten pieces"]);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(out.contains("✓ passes") && out.contains("test_bulk_price_from_ten_pieces"), "{out}");
    let request = model.requests.lock().unwrap().concat();
    assert!(request.contains("use ten pieces") && request.contains("a tenth off from 10"), "{request}");
}

#[test]
fn a_models_wrong_draft_is_refused_with_the_traceback() {
    let (place, _model) =
        with_model(&GOOD.replace("18.00", "19.00").replace("with pytest.raises(ValueError):\n        ", "assert "));
    let (code, out, err) = place.run(&["--trust", "draft", "bulk_price"]);
    assert_eq!(code, 1, "{out}\n{err}");
    assert!(out.contains("✗") && out.contains("19.00"), "{out}");
}

#[test]
fn a_models_fixture_that_every_test_of_the_file_would_use_is_refused() {
    let fixture = "\n\n@pytest.fixture(autouse=True)\ndef quiet(monkeypatch):\n    monkeypatch.setenv('X', '1')\n\n\ndef test_";
    let (place, _model) = with_model(&GOOD.replacen("\n\ndef test_", fixture, 1));
    let (code, out, err) = place.run(&["--trust", "draft", "bulk_price"]);
    assert_eq!(code, 1, "{out}\n{err}");
    assert!(out.contains("✗ own tests only") && out.contains("would change every other test of its file"), "{out}\n{err}");
}

#[test]
fn a_models_text_cannot_reach_outside_its_sandbox() {
    let place_of_secret = tempfile::tempdir().unwrap();
    let secret = place_of_secret.path().join("secret");
    std::fs::write(&secret, "hunter2").unwrap();
    let test = |body: String| {
        format!(
            "```python\nimport os, socket\nfrom decimal import Decimal\nfrom shop.pricing import bulk_price\n\n\ndef test_evil():\n{body}    \
             assert bulk_price(Decimal('2'), 10) == Decimal('18.00')\n```\n"
        )
    };
    let (place, _model) = with_model(&test(format!("    assert not os.path.exists({:?})\n", secret.display().to_string())));
    let (_, out, err) = place.run(&["--trust", "draft", "bulk_price"]);
    assert!(out.contains("✓ passes"), "the secret must not be visible inside: {out}\n{err}");
    let written = place_of_secret.path().join("written");
    let (place, _model) = with_model(&test(format!(
        "    try:\n        open({:?}, 'w').close()\n    except OSError:\n        pass\n    try:\n        \
         socket.create_connection(('127.0.0.1', 9), 1)\n    except OSError:\n        pass\n",
        written.display().to_string()
    )));
    let (_, out, err) = place.run(&["--trust", "draft", "bulk_price"]);
    assert!(!written.exists(), "{out}\n{err}");
    assert!(out.contains("refused") && out.contains("outside") || out.contains("leaves its process"), "{out}\n{err}");
}

/// R29: what an accepted change touches of a test is the literal alone.
#[test]
fn accepting_a_change_offers_the_test_with_only_its_literals_changed() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["--trust", "gen", "tax_for", "--accept"]).0, 0);
    let file = "tests/pytead/test_pytead_shop__pricing.py";
    let before = place.read(file);
    place.edit("shop/pricing.py", "return round_price(total * rate)", "return round_price(total * rate) + CENT");
    assert_eq!(place.run(&["--trust", "replay", "tax_for"]).0, 1);
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("A new draft waits for tax_for"), "{out}{err}");
    assert_eq!(place.read(file), before, "nothing is written before the new draft is accepted");
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    assert_eq!(code, 0, "{out}{err}");
    let after = place.read(file);
    let differ = |text: &str, other: &str| text.lines().filter(|line| !other.lines().any(|o| o == *line)).count();
    assert!(after.contains("20.01"), "{after}");
    assert_eq!((differ(&before, &after), differ(&after, &before)), (3, 3), "{after}");
    let (code, out, err) = place.run(&["--trust", "replay", "tax_for"]);
    assert_eq!(code, 0, "the accepted outcome is the baseline now: {out}{err}");
}

#[test]
fn a_few_drafts_come_before_all_calls_are_tried_and_are_those_that_come_without_hurry() {
    let many = || {
        let place = Place::empty();
        let numbers = 1..=14;
        let functions = numbers.clone().map(|n| format!("def plus_{n}(x):\n    return x + {n}\n\n\n"));
        place.save("sums.py", &functions.collect::<String>());
        let calls = numbers.map(|n| format!("sums.plus_{n}({n})\n"));
        place.save("main.py", &format!("import sums\n\n{}", calls.collect::<String>()));
        place
    };
    let (hurried, calm) = (many(), many());
    let log = hurried.home().join("events");
    let events = log.display().to_string();
    let (code, _, err) = hurried.run(&["--trust", "tead", "--accept", "--format", "json", "--events", &events, "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let log = std::fs::read_to_string(log).unwrap();
    let ready = log.find("\"state\":\"ready\"").expect("drafts were proved");
    assert!(ready < log.find("\"recording_ended\"").unwrap(), "{log}");
    for args in [&["--trust", "run", "main.py"][..], &["--trust", "gen", "--accept"]] {
        let (code, _, err) = calm.run(args);
        assert_eq!(code, 0, "{err}");
    }
    let tests = |place: &Place| -> std::collections::BTreeMap<_, _> {
        let files = std::fs::read_dir(place.root().join("tests/pytead")).unwrap().flatten();
        let files = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "py"));
        files.map(|file| (file.file_name(), std::fs::read_to_string(file.path()).unwrap())).collect()
    };
    let (hurried, calm) = (tests(&hurried), tests(&calm));
    assert!(hurried.values().any(|text| text.contains("plus_14(14) == 28")), "{hurried:?}");
    assert_eq!(hurried, calm);
}
