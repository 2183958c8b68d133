//! The intents of tests on the real binary: pytest runs them, and each fails or passes by what it did.

use std::collections::BTreeMap;
use std::path::Path;

use crate::harness::{Place, python_with_pytest, script};
use serde_json::Value;

/// A project with tests of every kind; each is named for what has to come of it.
pub fn project() -> Place {
    let place = Place::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/intents");
    for file in ["shop/__init__.py", "shop/registration.py", "tests/test_registration.py"] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place
}

pub fn check(place: &Place, args: &[&str]) -> (i32, String) {
    let (code, out, err) = place.run(&[&["--trust", "check"], args].concat());
    (code, out + &err)
}

/// The lines of a report, by the name of the test.
pub fn report(place: &Place) -> BTreeMap<String, Value> {
    let lines = place.read("report.jsonl");
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (line["test"].as_str().unwrap().split_once("::").unwrap().1.to_owned(), line)).collect()
}

/// Runs pytest itself, as nobody but the plugin would.
fn pytest(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let mut command = std::process::Command::new(place.python());
    command.args(["-m", "pytest", "-p", "pytead_tui.pytest_plugin", "-p", "no:cacheprovider"]).args(args);
    command.current_dir(place.root()).env_clear().envs(place.environment());
    command.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTEAD_TUI", env!("CARGO_BIN_EXE_pytead-tui"));
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), said)
}

fn git(place: &Place, args: &[&str]) {
    let done = std::process::Command::new("git").args(args).current_dir(place.root()).envs(place.environment()).status();
    assert!(done.unwrap().success(), "git {args:?}");
}

/// F6, F18.
#[test]
fn every_test_gets_the_verdict_that_it_earns() {
    let place = project();
    let (code, said) = check(&place, &["--", "--semantic-report=report.jsonl", "--junitxml=junit.xml"]);
    assert_eq!(code, 1, "{said}");
    let found = report(&place);
    for (name, line) in &found {
        let last = name.rsplit("::").next().unwrap();
        let wanted = match last {
            "test_raises_and_is_judged_well" | "test_twice[2]" => "PASS",
            name if name.starts_with("test_pass") => "PASS",
            name if name.starts_with("test_unclear") => "UNCLEAR",
            _ => "FAIL",
        };
        assert_eq!(line["verdict"], wanted, "{name}: {line}");
        assert_eq!((&line["overridden"], &line["evaluator"]), (&Value::Bool(false), &"rules".into()), "{line}");
    }
    assert_eq!(found.len(), 17, "what fails or skips by itself is not judged: {:?}", found.keys());
    // The letters, in the order of the file.
    assert!(said.contains("test_registration.py .F.uuuFFFsF.F...F.u."), "{said}");
    assert!(said.contains("4 unclear") && said.contains("7 failed"), "{said}");
    assert!(said.contains("AssertionError: assert 'Success' == 'Other'"), "a plain assertion stays what it is: {said}");
    let why = "No Database.save had ended when Mail.send_welcome began in L";
    assert!(said.contains(why) && said.contains("shop.registration:Mail.send_welcome(email='a@b.c')"), "{said}");
    // What the test raised itself is not lost.
    assert!(said.contains("The test itself raised KeyError: 'orig'") && said.contains("raise KeyError(\"orig\")"), "{said}");
    let junit = place.read("junit.xml");
    assert!(junit.contains("<property name=\"semantic.verdict\" value=\"UNCLEAR\""), "{junit}");
    assert!(junit.contains("name=\"semantic_eval_reason\"") && junit.contains("The test itself raised KeyError"), "{junit}");
}

/// What a test says, does and raises is text of a stranger: none of it reaches the terminal or a report as it is.
#[test]
fn nothing_that_a_test_says_controls_the_terminal() {
    const EVIL: &str = r"\x1b[32mX\x1b]0;evil\x07\x9b2J\u202eY\u2066\u200b\u2028\U000e0041";
    let place = Place::empty();
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place.save("shop.py", "def g(text):\n    raise ValueError(text)\n\n\ndef f(text):\n    return text\n");
    let test = format!(
        r#"from pytead_tui import semantic_test
from shop import f, g

@semantic_test(intent="Do {EVIL}.", checks="g is called")
def test_violated():
    f("{EVIL}")

@semantic_test(intent="Be {EVIL} nice.", checks=["f is {EVIL} called"])
def test_unclear():
    f("{EVIL}")

@semantic_test(intent="Raise {EVIL}.", checks="f is called")
def test_raises():
    g("{EVIL}")
"#
    );
    place.save("test_evil.py", &test);
    let (code, said) = check(&place, &["--journey", "--suggest", "--lines", "--", "--junitxml=junit.xml", "--color=no"]);
    assert_eq!(code, 1, "{said}");
    let safe = pytead_tui::base::text::display;
    for wanted in [r"Intent: Do \x1b[32mX\x1b]0;evil\x07\x9b2J‹U+202E›Y‹U+2066›", r"The test itself raised ValueError: \x1b[32mX"]
    {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert_eq!(said, safe(&said), "something reached the terminal");
    let junit = place.read("junit.xml");
    assert!(junit.contains("‹U+202E›"), "{junit}");
    assert_eq!(junit, safe(&junit), "something reached the report");
}

#[test]
fn both_sides_make_text_safe_in_the_same_way() {
    let code = "import sys; from pytead_tui.shown import display\nsys.stdout.buffer.write(''.join(display('a' + chr(c)) + '\\n' \
                for c in range(0x110000) if not 0xD800 <= c < 0xE000).encode())";
    let mut python = std::process::Command::new(python_with_pytest());
    python.args(["-c", code]).env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/python"));
    let theirs = String::from_utf8(python.output().unwrap().stdout).unwrap();
    let ours: String =
        ('\0'..=char::MAX).map(|sign| format!("{}\n", pytead_tui::base::text::display(&format!("a{sign}")))).collect();
    assert!(theirs == ours, "they differ at {:?}", theirs.chars().zip(ours.chars()).find(|(one, other)| one != other));
}

#[test]
fn rules_are_never_wrong_about_programs_whose_truth_is_known() {
    let place = Place::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/intents/programs");
    for file in ["payments.py", "keeping.py", "together.py", "test_programs.py"] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    let (code, said) = check(&place, &["--", "-q", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 1, "{said}");
    let found = report(&place);
    assert_eq!(found.len(), place.read("test_programs.py").matches("\n@semantic_test").count(), "{said}");
    let wrong: Vec<_> = found
        .iter()
        .filter(|(name, line)| {
            let wanted = if name.starts_with("test_pass") { "PASS" } else { "FAIL" };
            line["verdict"] != wanted
        })
        .collect();
    assert!(wrong.is_empty() && found.len() >= 46, "{wrong:#?}");
}

#[test]
fn workers_judge_their_own_tests_and_one_report_has_them_all() {
    let place = project().with_packages(&["plugins"]);
    let (code, said) = check(&place, &["--", "-q", "-n", "2", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("7 failed, 8 passed, 1 skipped, 4 unclear"), "{said}");
    assert_eq!(report(&place).len(), 17, "{said}");
}

#[test]
fn what_is_unclear_fails_a_run_only_where_that_is_asked_for() {
    let place = project().with_packages(&["plugins"]);
    let unclear = ["tests/test_registration.py::test_unclear_in_free_english"];
    let strict = |args: &[&str], variables: &[(&str, &str)]| pytest(&place, &[&unclear, args].concat(), variables);
    let (code, said) = strict(&[], &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("No clause says what has to hold for “Be nice to the user”"), "{said}");
    assert_eq!(strict(&["--semantic-strict"], &[]).0, 1);
    assert_eq!(strict(&[], &[("CI", "true")]).0, 1);
    assert_eq!(strict(&["--no-semantic-strict"], &[("CI", "true")]).0, 0);
    assert_eq!(strict(&["-n", "2", "--semantic-strict"], &[]).0, 1);
    assert_eq!(check(&place, &["--strict", unclear[0]]).0, 1);
    assert_eq!(check(&place, &[unclear[0]]).0, 0);
}

#[test]
fn without_a_judge_no_test_fails_and_none_is_called_passed() {
    let place = project();
    let test = "tests/test_registration.py::test_fail";
    let (code, said) = pytest(&place, &[test], &[("PYTEAD_TUI", "/nowhere/pytead-tui")]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("test_registration.py E") && said.contains("1 not judged"), "{said}");
    assert!(said.contains("pip install pytead-tui"), "{said}");
    let (code, said) = pytest(&place, &[test, "--semantic-strict"], &[("PYTEAD_TUI", "/nowhere/pytead-tui")]);
    assert_eq!(code, 1, "{said}");
    // A program that is no judge, and one of another version.
    let program = place.root().join("old");
    script(&program, "#!/bin/sh\necho '{\"ready\": {\"version\": \"0.0.1\", \"protocol\": 1}}'\n");
    let (code, said) = pytest(&place, &[test], &[("PYTEAD_TUI", program.to_str().unwrap())]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("pytead-tui is 0.0.1 and its plugin is"), "{said}");
    let (code, said) = pytest(&place, &[test], &[("PYTEAD_TUI", "/bin/true")]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("/bin/true is no judge of this version"), "{said}");
}

/// F16.
#[test]
fn judging_leaves_nothing_behind() {
    let place = project();
    let names = |folder: &Path| {
        let mut names: Vec<String> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let before = names(&place.root());
    let temporary = place.home().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let (code, said) = pytest(&place, &["-q"], &[("TMPDIR", temporary.to_str().unwrap())]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(names(&place.root()), before, "no database and no folder in the project");
    assert_eq!(names(&temporary), Vec::<String>::new());
}

/// F5.
#[test]
fn a_dry_run_says_what_would_come_of_it_and_hides_no_failing_test() {
    let place = project();
    let (code, said) = pytest(&place, &["--semantic-dry-run", "-q"], &[]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("3 failed"), "what fails by itself still fails: {said}");
    assert!(said.contains("FAIL tests/test_registration.py::test_fail\n"), "{said}");
    assert!(said.contains("KeyError: 'orig'") && said.contains("assert 'Success' == 'Other'"), "{said}");
}

#[test]
fn the_predecessors_decorator_is_found_where_it_is_not_installed() {
    let place = project();
    place.save(
        "tests/test_former.py",
        "from pytest_semantic import SemanticAssertionError, semantic_test\nfrom shop.registration import Database\n\n\n\
         @semantic_test(\"Database.save is called\")\ndef test_former():\n    Database().exists(\"a\")\n",
    );
    let (code, said) = check(&place, &["tests/test_former.py"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("Database.save is called: Database.save was not called."), "{said}");
}

#[test]
fn a_decorator_that_makes_no_sense_says_so() {
    let place = project();
    for (line, why) in [
        ("@semantic_test", "semantic_test needs an intent"),
        ("@semantic_test(\" \")", "semantic_test needs an intent"),
        ("@semantic_test(\"a is called\", checks=[1])", "the checks of semantic_test are sentences"),
    ] {
        place.save("tests/test_odd.py", &format!("from pytead_tui import semantic_test\n\n\n{line}\ndef test_a():\n    pass\n"));
        let (code, said) = check(&place, &["tests/test_odd.py"]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_test_without_an_intent_is_shown_what_it_did_and_which_clauses_would_hold() {
    let place = project();
    place.save(
        "tests/test_new.py",
        "from shop.registration import Database, Mail, Service\n\n\ndef test_new():\n    \
         assert Service(Database(), Mail()).register(\"a@b.c\", \"A\") == \"Success\"\n",
    );
    let (code, said) = check(&place, &["tests/test_new.py", "--suggest", "--journey", "--lines"]);
    assert_eq!(code, 0, "{said}");
    let clauses: Vec<&str> =
        said.lines().filter_map(|line| line.split_once("    # notices ")).map(|(clause, _)| clause).collect();
    assert!(clauses.contains(&"if Database.exists returns False then Database.save is called"), "{said}");
    assert!(clauses.contains(&"Database.save is called before Mail.send_welcome"), "{said}");
    assert!(said.contains("Database.save is called exactly once    # notices a call less, a call more"), "{said}");
    let told = "5.   [CALLED] Database.save({'email': 'a@b.c', 'name': 'A'})\n  [RETURNED] Database.save -> None\n";
    assert!(said.contains(told), "{said}");
    assert!(said.contains("'password': [REDACTED:password#1]})"), "{said}");
    assert_eq!(said.matches("# Database.save, shop/registration.py:11").count(), 1, "{said}");
    assert!(said.contains("   28    ×1          self.database.save(email, name)"), "{said}");
    // What was proposed is a clause that holds when it is asked for.
    let sentences = clauses.join("\n");
    place.edit(
        "tests/test_new.py",
        "\n\ndef test_new",
        &format!(
            "from pytead_tui import semantic_test\n\n\n@semantic_test(\"Register\", checks=\"\"\"{sentences}\"\"\")\ndef test_new"
        ),
    );
    let (code, said) = check(&place, &["tests/test_new.py", "--strict", "--", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(report(&place)["test_new"]["verdict"], "PASS", "{said}");
}

#[test]
fn who_accepts_is_named_as_git_has_them_or_the_machine_and_never_unknown() {
    let place = project();
    let test = "tests/test_registration.py::test_unclear_in_free_english";
    let accept = |user: Option<&str>| {
        let mut command = place.command(&["--trust", "check", "--accept", test, "--", "-q"]);
        command.env_remove("USER").env_remove("LOGNAME").envs(user.map(|user| ("LOGNAME", user)));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let lock = place.read("tests/semantic.lock.yaml");
        let (_, by) = lock.split_once("\"accepted_by\":\"").unwrap();
        by.split('"').next().unwrap().to_owned()
    };
    let listed = std::process::Command::new("id").arg("-un").output().unwrap();
    assert_eq!(accept(None), String::from_utf8_lossy(&listed.stdout).trim(), "as the machine lists the user");
    assert_eq!(accept(Some("grace")), "grace");
    place.git(&["init", "-q"]);
    place.git(&["config", "user.name", "Ada Lovelace"]);
    assert_eq!(accept(Some("grace")), "Ada Lovelace");
}

/// F1.
#[test]
fn two_runs_read_the_same_but_for_what_chance_decides() {
    let place = project();
    place.save(
        "shop/chance.py",
        "import datetime\nimport random\nimport uuid\n\n\ndef stamp(at, who):\n    return at\n\n\ndef draw(number):\n    return number\n\n\n\
         def work(names):\n    stamp(datetime.datetime.now().isoformat(), str(uuid.uuid4()))\n    return names\n",
    );
    place.save(
        "tests/test_chance.py",
        "import random\nfrom shop.chance import draw, work\n\n\ndef test_steady(tmp_path):\n    \
         work({\"one\", \"two\", \"three\", str(tmp_path)})\n    work(object())\n\n\ndef test_unsteady():\n    draw(random.random())\n",
    );
    let (code, said) = check(&place, &["tests/test_chance.py", "--stability", "--", "-q"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("1 of 2 journeys differs between two runs."), "{said}");
    assert!(
        said.contains("≠ tests/test_chance.py::test_unsteady") && said.contains("- 1. [CALLED] draw({'number': 0."),
        "{said}"
    );
}

#[test]
fn what_a_person_accepted_decides_until_the_intent_or_the_journey_changes() {
    let place = project();
    let test = "tests/test_registration.py::test_unclear_in_free_english";
    let verdict = |place: &Place| {
        let (_, said) = check(place, &[test, "--", "--semantic-report=report.jsonl"]);
        let line = report(place).remove("test_unclear_in_free_english").unwrap_or_else(|| panic!("{said}"));
        [&line["verdict"], &line["evaluator"], &line["reason"]].map(|field| field.as_str().unwrap().to_owned())
    };
    // Not by an agent.
    let refused = place.command(&["--trust", "check", "--accept", test]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("Decisions are a person's"));
    let (code, said) = check(&place, &["--accept", test, "--", "-q"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("Accepted: {test} does these 10 lines.")), "{said}");
    let [ruling, evaluator, reason] = verdict(&place);
    assert_eq!((ruling.as_str(), evaluator.as_str(), reason.as_str()), ("PASS", "approved", "It does what ada accepted."));
    let lock = place.read("tests/semantic.lock.yaml");
    assert!(lock.contains("test_unclear_in_free_english") && lock.contains("\"accepted_by\":\"ada\""), "{lock}");
    // The program does more: the coarsest change is said.
    place.edit(
        "shop/registration.py",
        "        return email in self.rows\n",
        "        self.save(email, 1)\n        return False\n",
    );
    let [ruling, _, reason] = verdict(&place);
    assert_eq!(ruling, "UNCLEAR", "{reason}");
    assert!(reason.starts_with("The journey changed: Database.save was called 1×, and is called 2× now."), "{reason}");
    // Other words mean something else.
    place.edit("tests/test_registration.py", "Be nice to the user", "Be rude to the user");
    let [ruling, _, reason] = verdict(&place);
    assert_eq!(ruling, "UNCLEAR", "{reason}");
    assert!(reason.starts_with("The intent changed since ada accepted it."), "{reason}");
    // Clauses, accepted by name; what is none is refused.
    let (code, said) = check(&place, &["--accept", test, "-c", "the user is happy"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("“the user is happy” is no clause."), "{said}");
    let (code, said) = check(&place, &["--accept", test, "-c", "Database.exists is called exactly once"]);
    assert!(code == 0 && said.contains("✓ Database.exists is called exactly once: holds in this run of"), "{code}: {said}");
    let [ruling, evaluator, reason] = verdict(&place);
    assert_eq!((ruling.as_str(), evaluator.as_str()), ("PASS", "rules"), "{reason}");
    // Each is decided on the run before it is accepted: one that names nothing changes nothing.
    let (code, said) = check(&place, &["--accept", test, "-c", "Database.exists is called", "-c", "Database.exist is called"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("✓ Database.exists is called:") && said.contains("? Database.exist is called:"), "{said}");
    assert!(said.contains("Nothing was accepted") && verdict(&place)[0] == "PASS", "{said}");
    let (code, said) = check(&place, &["--accept", test, "-c", "Database.exists is called exactly twice"]);
    assert!(code == 1 && said.contains("✗ Database.exists is called exactly twice: does not hold in this run"), "{code}: {said}");
    assert_eq!(verdict(&place)[0], "FAIL");
    // A lock that cannot be read says nothing about the test.
    place.save("tests/semantic.lock.yaml", "a: [");
    let [ruling, _, reason] = verdict(&place);
    assert_eq!(ruling, "ERROR", "{reason}");
}

/// All of `defects`; its tests name the faults.
#[test]
fn the_predecessors_defects_are_not_ours() {
    let place = Place::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/intents/defects");
    for file in ["service.py", "test_defects.py"] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    let (code, said) = check(&place, &["--journey", "--", "-q", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 1, "{said}");
    let found = report(&place);
    for (name, line) in &found {
        let wanted = name.split('_').nth(1).unwrap().to_uppercase();
        assert_eq!(line["verdict"], wanted.as_str(), "{name}: {line}");
    }
    assert_eq!(found.len(), 15, "{said}");
    assert!(!said.contains("hunter2"), "{said}");
    assert!(said.contains("[CALLED] login({'creds': {'password': [REDACTED:password#1]}})"), "{said}");
    assert!(said.contains("[CALLED] sign({'author': 'Ada', 'tokens_used': 12, 'certain': True})"), "{said}");
    assert!(said.contains("[CALLED] A.run({})"), "{said}");
    assert!(!said.contains("0x"), "no addresses: {said}");
}

#[test]
fn a_program_that_was_not_recorded_leaves_open_what_it_may_have_done() {
    let place = project();
    place.save("shop/__main__.py", "from shop.registration import Database\n\nDatabase().save(\"a@b.c\", \"A\")\n");
    place.save(
        "shop/worker.py",
        "from shop.registration import Database\n\n\ndef work():\n    Database().save(\"a@b.c\", \"A\")\n",
    );
    let python = "[sys.executable, \"-m\", \"shop\"]";
    let starts = [
        ("run", format!("subprocess.run({python}, check=True)")),
        ("shell", "subprocess.run(\"exec python3 -c 1\", shell=True)".to_owned()),
        ("system", "os.system(\"true\")".to_owned()),
        ("posix_spawn", format!("os.waitpid(os.posix_spawn(sys.executable, {python}, os.environ), 0)")),
        ("spawnv", format!("os.spawnv(os.P_WAIT, sys.executable, {python})")),
        ("spawned", "run(multiprocessing.get_context(\"spawn\"))".to_owned()),
        ("forkserver", "run(multiprocessing.get_context(\"forkserver\"))".to_owned()),
        ("script", "subprocess.run([os.path.abspath(\"script\")])".to_owned()),
    ];
    let checks = |clause: &str| format!("@semantic_test(\"Test\", checks=\"\"\"{clause}\"\"\")\n");
    let never = checks("Database.exists is called\nDatabase.save is never called");
    let mut tests = "import multiprocessing\nimport os\nimport subprocess\nimport sys\n\nimport pytest\n\nfrom pytead_tui import semantic_test\n\
        from shop.registration import Database\nfrom shop.worker import work\n\n\ndef run(context):\n    process = context.Process(target=work)\n    \
        process.start()\n    process.join()\n    assert process.exitcode == 0\n\n\n@pytest.fixture\ndef started():\n    \
        subprocess.run([sys.executable, \"-m\", \"shop\"], check=True)\n"
        .to_owned();
    let mut add = |checks: &str, name: &str, argument: &str, body: &str| {
        tests += &format!("\n\n{checks}def test_{name}({argument}):\n    {body}\n    Database().exists(\"a\")\n");
    };
    for (name, body) in &starts {
        add(&never, &format!("unclear_{name}"), "", body);
    }
    add(&never, "unclear_fixture", "started", "pass");
    add(&checks("Database.exists is called"), "pass_seen", "", &starts[0].1);
    add(&checks("Database.exists is never called"), "fail_seen", "", &starts[0].1);
    add(&never, "pass_plain", "", "subprocess.run([\"cat\"], stdin=subprocess.DEVNULL, check=True)");
    add(&never, "pass_forked_and_recorded", "", "os.waitpid(os.fork() or os._exit(0), 0)");
    place.save("tests/test_started.py", &tests);
    script(&place.root().join("script"), "#!/bin/sh\n");
    let (_, said) = check(&place, &["tests/test_started.py", "--", "-q", "--semantic-report=report.jsonl"]);
    let found = report(&place);
    assert_eq!(found.len(), starts.len() + 5, "{said}");
    for (name, line) in &found {
        let wanted = name.split('_').nth(1).unwrap().to_uppercase();
        assert_eq!(line["verdict"], wanted.as_str(), "{name}: {line}\n{said}");
        let why = "Database.save is never called: The recording is not complete (a program was started that was not recorded";
        assert_eq!(line["reason"].as_str().unwrap().starts_with(why), wanted == "UNCLEAR", "{name}: {line}");
    }
}

#[test]
fn a_person_overrules_a_verdict_until_the_test_does_something_else() {
    let place = project();
    let test = "tests/test_registration.py::test_fail";
    let verdict = |place: &Place| {
        let (code, said) = check(place, &[test, "--strict", "--", "--semantic-report=report.jsonl"]);
        (code, said, report(place).remove("test_fail").unwrap())
    };
    let overrule = |reason: &str| check(&place, &["--override", test, "--reason", reason, "--", "-q"]);
    let (code, said) = overrule("too short");
    assert!(code == 2 && said.contains("at least 10 characters"), "{said}");
    let refused =
        place.command(&["--trust", "check", "--override", test, "--reason", "I know better"]).env("AI_AGENT", "1").output();
    assert!(String::from_utf8_lossy(&refused.unwrap().stderr).contains("Decisions are a person's"));
    assert!(!place.root().join("tests/semantic.audit.jsonl").exists());
    git(&place, &["init", "-q"]);
    git(&place, &["config", "user.name", "Ada\u{1b} Lovelace"]);
    git(&place, &["config", "user.email", "ada@example.com"]);
    let (code, said) = overrule("The mail goes out first on purpose, password=hunter9.");
    assert_eq!(code, 0, "{said}");
    assert!(!place.read("tests/semantic.audit.jsonl").contains("hunter9"));
    let (code, said) = overrule("The mail goes out first on purpose.");
    assert_eq!(code, 0, "{said}");
    let (code, said, line) = verdict(&place);
    assert_eq!((code, &line["verdict"], &line["overridden"]), (0, &"FAIL".into(), &true.into()), "{said}");
    assert!(said.contains("1 overridden") && said.contains("test_registration.py o") && !said.contains("1 passed"), "{said}");
    assert!(
        said.contains("ada overruled it: The mail goes out first on purpose. Without that: Database.exists is called before"),
        "{said}"
    );
    let (code, said) = check(&place, &["--audit"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("FAIL by ada (Ada\\x1b Lovelace <ada@example.com>): The mail goes out first on purpose."), "{said}");
    // It does something else: what was overruled is not what happens.
    place.edit("shop/registration.py", "        self.database.save(email, name)\n        return \"Success\"\n\n    def explode", "        self.database.save(email, name)\n        self.database.save(email, name)\n        return \"Success\"\n\n    def explode");
    let (code, said, line) = verdict(&place);
    assert_eq!((code, &line["overridden"]), (1, &false.into()), "{said}");
    let (code, said) = check(&place, &["--audit"]);
    assert!(code == 1 && said.contains("does not count: the test does something else now"), "{said}");
    // A line that was changed does not count, and says so.
    let audit = place.read("tests/semantic.audit.jsonl");
    place.save("tests/semantic.audit.jsonl", &audit.replace("on purpose", "by chance"));
    let (code, said) = check(&place, &["--audit"]);
    assert!(code == 1 && said.contains("Line 2 of tests/semantic.audit.jsonl is not as it was written"), "{said}");
}

#[test]
fn what_no_accepted_clause_covers_passes_in_part_and_not_under_strict() {
    let place = project();
    place.save(
        "tests/test_part.py",
        "from pytead_tui import semantic_test\nfrom shop.registration import Database\n\n\n\
         @semantic_test(\"Save the user. Be friendly about it.\")\ndef test_part():\n    Database().save(\"a\", \"A\")\n",
    );
    let test = "tests/test_part.py::test_part";
    let (code, said) = check(&place, &["--accept", test, "-c", "Database.save is called exactly once", "--", "-q"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("No clause covers “Be friendly about it."), "{said}");
    let lock = place.read("tests/semantic.lock.yaml");
    assert!(lock.contains("\"Save the user\":") && lock.contains("Be friendly about it"), "{lock}");
    let (code, said) = check(&place, &[test, "--", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("test_part.py p") && said.contains("1 passed in part"), "{said}");
    assert!(report(&place)["test_part"]["reason"].as_str().unwrap().contains("No clause covers “Be friendly about it"), "{said}");
    assert_eq!(check(&place, &["--strict", test]).0, 1);
    let (code, said) =
        check(&place, &["--accept", test, "--covers-all", "-c", "Database.save is called exactly once", "--", "-q"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(check(&place, &["--strict", test]).0, 0);
}

#[test]
fn what_fixtures_do_after_a_test_is_judged_after_it() {
    let place = project();
    place.save(
        "tests/test_late.py",
        "import pytest\nfrom pytead_tui import semantic_test\nfrom shop.registration import Database\n\n\n\
         @pytest.fixture\ndef database():\n    made = Database()\n    yield made\n    made.exists(\"nobody\")\n\n\n\
         @semantic_test(\"Database.exists is called exactly once in teardown\")\ndef test_pass_late(database):\n    database.save(\"a\", \"A\")\n\n\n\
         @semantic_test(\"Database.save is called in teardown\")\ndef test_fail_late(database):\n    database.save(\"a\", \"A\")\n",
    );
    let (code, said) = check(&place, &["tests/test_late.py", "--", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 1, "{said}");
    let found = report(&place);
    assert_eq!(
        (&found["test_pass_late"]["verdict"], &found["test_fail_late"]["verdict"]),
        (&"PASS".into(), &"FAIL".into()),
        "{said}"
    );
    assert!(said.contains("ERROR at teardown of test_fail_late") && said.contains("Database.save was not called"), "{said}");
}

/// What pytest-semantic 0.1.11 itself kept of the two tests of the fixture, by its own keys.
const FORMER: &str = "CREATE TABLE IF NOT EXISTS semantic_evaluations (
                eval_hash TEXT PRIMARY KEY,
                passed BOOLEAN,
                reason TEXT
            );
    INSERT INTO semantic_evaluations VALUES ('af47bfb9b7ff3b4bf79b5989f9224830514a9b08f1b7fac6fedc166a83b3dadb', 1, 'All of it \u{1b}[31mwas\u{202e} ordered, password=hunter9.');
    INSERT INTO semantic_evaluations VALUES ('47cbc42576e94535bc63c9bc543ee3aa7278b28be984e1b202b02d78a2a8fdbf', 0, 'Nobody said so.');";

#[test]
fn what_the_predecessor_kept_is_told_and_decides_nothing() {
    let place = Place::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/intents/former");
    for file in ["shop/__init__.py", "shop/orders.py", "test_orders.py"] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    let cache = place.root().join(".pytest_semantic_cache.db");
    rusqlite::Connection::open(&cache).unwrap().execute_batch(FORMER).unwrap();
    let before = std::fs::read(&cache).unwrap();
    let (code, said) = check(&place, &["--", "--semantic-report=report.jsonl"]);
    assert_eq!(code, 0, "{said}");
    let found = report(&place);
    assert_eq!((&found["test_order"]["verdict"], &found["test_other"]["verdict"]), (&"UNCLEAR".into(), &"UNCLEAR".into()));
    let reason = |name: &str| found[name]["reason"].as_str().unwrap().to_owned();
    assert!(
        reason("test_order").contains("pytest-semantic once passed this very journey: “All of it")
            && reason("test_order").ends_with("ordered, password=[REDACTED:assigned#1]”. That decides nothing here."),
        "{}",
        reason("test_order")
    );
    assert!(reason("test_other").contains("once failed this very journey: “Nobody said so”"), "{}", reason("test_other"));
    assert!(!said.contains('\u{202e}') && !said.contains('\u{1b}') && !said.contains("hunter9"), "{said}");
    assert_eq!(check(&place, &["--strict"]).0, 1, "it is no verdict");
    assert_eq!(std::fs::read(&cache).unwrap(), before);
    // Another journey was never judged; a damaged file says nothing.
    place.edit("shop/orders.py", "continue", "break");
    let (_, said) = check(&place, &[]);
    assert!(said.matches("pytest-semantic once").count() == 1, "{said}");
    std::fs::write(&cache, &before[..before.len() / 2]).unwrap();
    let (code, said) = check(&place, &[]);
    assert!(code == 0 && !said.contains("pytest-semantic once"), "{said}");
}
