//! Drafting again never destroys work, and never asks twice: hand edits, deletions and rejections on the real binary, also
//! for somebody who has the project's files and not its database.

use crate::harness::Place;

const TESTS: &str = "tests/pytead/test_pytead_lib.py";
const MANIFEST: &str = "tests/pytead/manifest.yaml";
const LIBRARY: &str =
    "def f(x):\n    if x < 0:\n        raise ValueError(\"below zero\")\n    return x + 1\n\n\ndef g(x):\n    return x * 2\n";
const MAIN: &str = "import lib\nlib.f(1)\ntry:\n    lib.f(-1)\nexcept ValueError:\n    pass\nlib.g(3)\n";

fn recorded() -> Place {
    Place::prepared("regeneration", || {
        let place = Place::empty();
        place.save("pyproject.toml", "");
        place.save("lib.py", LIBRARY);
        place.save("main.py", MAIN);
        record(&place);
        place
    })
}

fn record(place: &Place) {
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
}

/// The project's files on another machine: no database, no recording.
fn cloned(from: &Place) -> Place {
    let place = Place::empty();
    for path in ["pyproject.toml", "lib.py", "main.py", TESTS, MANIFEST] {
        if from.root().join(path).exists() {
            place.save(path, &from.read(path));
        }
    }
    place
}

fn generate(place: &Place, args: &[&str]) -> String {
    let (code, out, err) = place.run(&[&["--trust", "gen"], args].concat());
    assert_eq!(code, 0, "{out}{err}");
    out
}

fn check(place: &Place) -> (i32, String) {
    let (code, out, _) = place.run(&["--trust", "gen", "--check"]);
    (code, out)
}

/// Cuts a test out of a text, as a person would.
fn without(text: &str, test: &str) -> String {
    let from = text.find(&format!("def {test}(")).unwrap_or_else(|| panic!("{test} is not in\n{text}"));
    let to = text[from + 4..].find("\ndef ").map_or(text.len(), |at| from + 4 + at + 1);
    format!("{}{}", text[..from].trim_end(), if to < text.len() { format!("\n\n\n{}", &text[to..]) } else { "\n".into() })
}

const SIGNS: &str = "def sign(n):\n    if n > 0:\n        return \"+\"\n    return \"-\" if n else \"\"\n";

/// R27: what was accepted stays when more is recorded, however many calls show the same.
#[test]
fn accepted_cases_stay_when_more_is_recorded() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    place.save("lib.py", SIGNS);
    place.save("main.py", "import lib\nfor n in (1234567, 7654321, -1234567, 0):\n    lib.sign(n)\n");
    record(&place);
    generate(&place, &["--accept"]);
    let rows = |tests: &str| -> Vec<String> {
        tests
            .lines()
            .filter(|line| line.contains("pytest.param("))
            .map(|line| line.split(", id=").next().unwrap().to_owned())
            .collect()
    };
    let accepted = rows(&place.read(TESTS));
    assert!(accepted.len() > 2, "{}", place.read(TESTS));
    place.save("main.py", "import lib\nfor n in range(-20, 20):\n    lib.sign(n)\n");
    record(&place);
    generate(&place, &["--accept"]);
    let tests = place.read(TESTS);
    let now = rows(&tests);
    assert!(accepted.iter().all(|row| now.contains(row)), "{accepted:?}\n{tests}");
    assert_eq!(check(&place).0, 0);
}

/// R27: a deleted test stays deleted for everybody.
#[test]
fn a_deleted_test_stays_deleted_for_everybody() {
    let place = recorded();
    generate(&place, &["--accept"]);
    assert_eq!(check(&place).0, 0);
    let whole = place.read(TESTS);
    assert!(whole.contains("def test_f_raises_value_error("), "{whole}");
    let left = without(&whole, "test_f_raises_value_error");
    place.save(TESTS, &left);
    // Nobody needs a recording to see that the manifest does not say so yet.
    let (code, out) = check(&cloned(&place));
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("test_f_raises_value_error was accepted and is gone"), "{out}");
    let out = generate(&place, &["--accept"]);
    assert!(out.contains("test_f_raises_value_error was deleted by hand; it stays so."), "{out}");
    assert_eq!((place.read(TESTS), check(&place).0), (left.clone(), 0));
    let clone = cloned(&place);
    assert_eq!(check(&clone).0, 0);
    for place in [&place, &clone] {
        record(place);
        generate(place, &["--accept"]);
        assert_eq!((place.read(TESTS), check(place).0), (left.clone(), 0));
    }
    // More calls change the drafts of the function, and still not what was deleted.
    place.save("main.py", &format!("{MAIN}lib.f(0)\nlib.f(10 ** 9)\nlib.f(2.5)\n"));
    record(&place);
    generate(&place, &["--accept"]);
    let now = place.read(TESTS);
    assert!(!now.contains("raises") && now.len() > left.len(), "{now}");
}

/// R27: a rejected draft comes back when the code changes and not before.
#[test]
fn a_rejected_draft_comes_back_when_the_code_changes_and_not_before() {
    let place = recorded();
    let out = generate(&place, &["lib:g"]);
    let id = out.split('#').nth(1).and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
    assert_eq!(place.run(&["--trust", "review", "--reject", &id]).0, 0);
    assert!(place.read(MANIFEST).contains("\"state\":\"rejected\""), "{}", place.read(MANIFEST));
    assert_eq!(check(&place).0, 0, "nothing would change");
    let clone = cloned(&place);
    for place in [&place, &clone] {
        record(place);
        let out = generate(place, &["lib:g", "--accept"]);
        assert!(!place.root().join(TESTS).exists(), "{out}");
        assert!(out.contains("you rejected this test, and the code has not changed"), "{out}");
        // A comment is no other code; a number is.
        place.edit("lib.py", "return x * 2", "return x * 2  # twice");
        generate(place, &["lib:g", "--accept"]);
        assert!(!place.root().join(TESTS).exists());
        place.edit("lib.py", "return x * 2", "return 2 * x");
        record(place);
        generate(place, &["lib:g", "--accept"]);
        assert!(place.read(TESTS).contains("def test_g("));
    }
}

#[test]
fn a_rejection_that_is_taken_back_leaves_no_trace_in_the_manifest() {
    let place = recorded();
    let out = generate(&place, &["lib:g"]);
    let id = out.split('#').nth(1).and_then(|rest| rest.split(' ').next()).unwrap().to_owned();
    assert_eq!(place.run(&["--trust", "review", "--reject", &id]).0, 0);
    assert_eq!(place.run(&["--trust", "review", "--undo"]).0, 0);
    assert!(!place.root().join(MANIFEST).exists());
    generate(&place, &["lib:g", "--accept"]);
    assert!(place.read(TESTS).contains("def test_g("));
}

/// R28: a teammate is not asked for what stands already.
#[test]
fn a_teammate_is_not_asked_for_what_stands_already() {
    let place = recorded();
    generate(&place, &["--accept"]);
    let clone = cloned(&place);
    assert_eq!(check(&clone).0, 0, "without a recording");
    record(&clone);
    assert_eq!(check(&clone).0, 0, "with one of their own");
    let out = generate(&clone, &["--accept"]);
    assert!(out.contains("Nothing new to draft"), "{out}");
    assert_eq!((clone.read(TESTS), clone.read(MANIFEST)), (place.read(TESTS), place.read(MANIFEST)));
    assert!(clone.run(&["--trust", "review", "--list"]).1.contains("Nothing waits"));
}

/// R27: a hand edit is kept to the byte and does not hold others up.
#[test]
fn a_hand_edit_is_kept_to_the_byte_and_does_not_hold_others_up() {
    let place = recorded();
    generate(&place, &["lib:f", "--accept"]);
    let mine = place.read(TESTS).replace("f(1) == 2", "f(1)  ==  1 + 1  # mine");
    assert!(mine.contains("# mine"), "{mine}");
    place.save(TESTS, &mine);
    let (code, _, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "nothing would change");
    assert!(err.contains("1 accepted test changed by hand since: tests/pytead/test_pytead_lib.py::test_f"), "{err}");
    place.save("main.py", &format!("{MAIN}lib.f(0)\nlib.f(10 ** 9)\nlib.f(2.5)\n"));
    record(&place);
    let out = generate(&place, &["--accept"]);
    let told = out.lines().find(|line| line.contains("lib:f: its test was changed by hand.")).unwrap_or_else(|| panic!("{out}"));
    assert!(told.starts_with("Left for you to look at: #") && told.ends_with("writes its other tests."), "{out}");
    let kept = |with: &str| {
        let now = place.read(TESTS);
        assert!(now.contains(with), "{now}");
        for line in mine.lines().filter(|line| !line.starts_with("from lib import")) {
            assert!(now.contains(line), "{line}\n is gone from\n{now}");
        }
    };
    kept("def test_g(");
    let id = told.split("--accept ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let (code, out, err) = place.run(&["--trust", "review", "--accept", id]);
    assert_eq!(code, 0, "{out}{err}");
    kept("pytest.param(2.5, 3.5");
}

/// R5: what looks personal is marked and taken on its own only.
#[test]
fn what_looks_personal_is_marked_and_taken_on_its_own_only() {
    let place = recorded();
    place.save("lib.py", &format!("{LIBRARY}\n\ndef domain(mail):\n    return mail.split(\"@\")[1]\n"));
    place.save("main.py", &format!("{MAIN}lib.domain(\"ada@lovelace.org\")\n"));
    record(&place);
    let out = generate(&place, &["--accept"]);
    assert!(out.contains("holds an e-mail address"), "{out}");
    let tests = place.read(TESTS);
    assert!(tests.contains("def test_g(") && !tests.contains("lovelace"), "{tests}");
    let line = out.lines().find(|line| line.starts_with("Left for you to look at: #") && line.contains(" lib:domain: ")).unwrap();
    let (_, out, _) = place.run(&["--trust", "review", "--accept", "all"]);
    assert!(out.contains(" lib:domain: holds an e-mail address") && !place.read(TESTS).contains("lovelace"), "{out}");
    let id = line.split("--accept ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert_eq!(place.run(&["--trust", "review", "--accept", id]).0, 0);
    assert!(place.read(TESTS).contains("lovelace"));
}

#[test]
fn what_was_decided_on_drafts_comes_out_as_training_data() {
    let place = recorded();
    let (code, _, err) = place.run(&["export", "finetuning"]);
    assert!(code == 2 && err.contains("nothing to learn from yet"), "{err}");
    generate(&place, &[]);
    let (_, listed, _) = place.run(&["--trust", "--format", "json", "review", "--list"]);
    let of = |function: &str| {
        let rows = listed.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let mut rows = rows.flat_map(|line| line["value"].as_array().cloned().unwrap_or_else(|| vec![line["value"].clone()]));
        rows.find(|row| row["function"] == function).map(|row| row["id"].to_string()).unwrap_or_else(|| panic!("{listed}"))
    };
    assert_eq!(place.run(&["--trust", "review", "--accept", &of("lib:f")]).0, 0);
    let (code, out, _) = place.run(&["--trust", "review", "--reject", &of("lib:g"), "--why", "a mistake of ours"]);
    assert!(code == 0 && out.contains("Rejected the draft for g. Why: a mistake of ours"), "{out}");
    let (code, out, err) = place.run(&["export", "finetuning", "--dir", "out"]);
    assert_eq!(code, 0, "{out}{err}");
    let (learned, measured) = (place.read("out/train.csv"), place.read("out/test.csv"));
    let rows = format!("{learned}{measured}");
    assert!(learned.starts_with("question,answer,context,reasoning\n") && measured.starts_with("question,"), "{rows}");
    assert!(rows.contains("\"def f(x):\"") && rows.contains("pytest.raises(ValueError") && rows.contains("\"lib:f\""), "{rows}");
    assert!(!rows.contains("lib:g"), "{rows}");
    let rejected: serde_json::Value = serde_json::from_str(place.read("out/rejected.jsonl").trim()).unwrap();
    let messages = rejected["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["role"], "assistant");
    assert!(messages.last().unwrap()["content"].as_str().unwrap().contains("g(3) == 6"), "{rejected:#}");
    assert!(
        place.read("out/config.yaml").contains("question-answering")
            && place.read("out/job_description.json").contains("task_description")
    );
}

/// R23: a file of the person's choice has the project's imports apart from those of packages, and its lines fit.
#[test]
fn a_file_elsewhere_is_sorted_and_fits_as_those_in_the_project() {
    let place = recorded();
    let line = "a".repeat(60);
    place.save(
        "lib.py",
        &format!("{LIBRARY}\n\ndef page(word):\n    return \"\\n\".join([word, f\"{{word}} and {line}\", word])\n"),
    );
    place.save("main.py", &format!("{MAIN}lib.page(\"{}\")\n", "b".repeat(30)));
    record(&place);
    generate(&place, &["-o", "out/test_lib.py"]);
    let text = place.read("out/test_lib.py");
    assert!(text.contains("import pytest\n\nfrom lib import"), "{text}");
    assert!(text.contains("page") && text.lines().all(|line| line.chars().count() <= 88), "{text}");
}

/// A function that brings nothing new is not counted for ever, and nobody is told that it was.
#[test]
fn a_number_of_calls_that_was_not_counted_to_the_end_is_told_as_a_lower_bound() {
    let place = Place::empty();
    place.save("lib.py", LIBRARY);
    place.save("main.py", "import lib\nfor _ in range(5000):\n    lib.f(1)\nlib.g(2)\n");
    let (code, out, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains(": at least 102 calls of 2 functions"), "{out}{err}");
    let text = generate(&place, &["lib:f"]);
    assert!(text.contains("Recorded from at least 101 calls.") && text.contains("at least 101 calls, no test yet"), "{text}");
    assert!(generate(&place, &["lib:g"]).contains("Recorded from 1 call."));
}

/// Where plain pytest does not find the project, a folder of drafts brings along what helps it.
#[test]
fn tests_written_elsewhere_find_the_project_as_those_in_it_do() {
    let place = recorded();
    generate(&place, &["-d", "checked/out"]);
    let help = place.read("checked/out/conftest.py");
    assert!(help.contains("parents[2]\n") && help.contains("sys.path.insert"), "{help}");
    let ran = std::process::Command::new(crate::harness::python_with_pytest())
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "out"])
        .current_dir(place.root().join("checked"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

/// With nothing changed, no draft is written or verified anew, not even one that failed before.
#[test]
fn with_nothing_changed_nothing_runs_again() {
    let place = recorded();
    let verifies = |args: &[&str]| {
        let (code, out, err) = place.run(&[&["--trust", "--format", "json", "gen"], args].concat());
        assert_eq!(code, 0, "{out}{err}");
        (out + &err).contains("\"state\":\"proving\"")
    };
    assert!(verifies(&["--accept"]), "the first time drafts are verified");
    assert!(!verifies(&["--accept"]), "with nothing changed nothing is");
    assert!(!verifies(&[]), "nor without accepting");
}

/// A deleted test stays away by itself, and comes back for whoever names its function.
#[test]
fn a_deleted_test_comes_back_by_its_functions_name() {
    let place = recorded();
    generate(&place, &["--accept"]);
    let whole = place.read(TESTS);
    let test = "test_g_3";
    let test = whole
        .lines()
        .find_map(|line| line.strip_prefix("def ")?.split('(').next().filter(|name| name.contains("_g")))
        .unwrap_or(test);
    place.save(TESTS, &without(&whole, test));
    generate(&place, &["--accept"]);
    assert!(!place.read(TESTS).contains("lib.g") && !place.read(TESTS).contains("g(3)"), "{}", place.read(TESTS));
    let (_, why, _) = place.run(&["--trust", "gen", "--why", "lib:g"]);
    assert!(why.contains("lib:g") && why.contains("no accepted test"), "{why}");
    generate(&place, &["lib:g", "--accept"]);
    assert!(place.read(TESTS).contains("g(3)"), "{}", place.read(TESTS));
    assert_eq!(check(&place).0, 0);
}

/// Functions without a test are grouped by the code of their reason; all of one are listed on demand.
#[test]
fn reasons_are_grouped_and_those_of_one_function_are_listed() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    let texts: String = (0..8).map(|n| format!("def leave{n}(path):\n    open(path, 'w').write('x')\n\n\n")).collect();
    place.save("lib.py", &format!("{texts}def f(x):\n    return x + 1\n\n\ndef never(x):\n    return x\n"));
    place.save("main.py", "import lib\nfor n in range(8):\n    getattr(lib, f'leave{n}')('out.txt')\nlib.f(1)\n");
    record(&place);
    let out = generate(&place, &[]);
    assert!(out.contains("No test for 8 functions:") && out.contains("  writes-files  8 functions, 8 calls"), "{out}");
    assert!(out.contains("fix: ") && out.contains("and 2 more"), "{out}");
    assert!(out.matches("writes-files").count() == 1, "{out}");
    let (code, out, err) = place.run(&["--trust", "gen", "--why", "lib:leave1", "lib:f", "lib:never"]);
    assert_eq!(code, 0, "{out}{err}");
    for said in ["lib:leave1", "writes-files  1 call", "lib:f\n", "all of its recorded calls", "lib:never", "not-recorded"] {
        assert!(out.contains(said), "{said} is not in\n{out}");
    }
    let (_, out, _) = place.run(&["--trust", "--format", "json", "gen", "--why", "lib:leave1"]);
    let line = out.lines().find(|line| line.contains("\"why\"")).unwrap_or_else(|| panic!("{out}"));
    assert!(line.contains("\"writes-files\"") && line.contains("\"tests\":[]"), "{line}");
}
