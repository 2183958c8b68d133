//! `--near` on the real binary: an edit that no recorded call tells is shown at an input beside them, and a refactoring is not.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::harness::agent::Client;
use crate::harness::{Place, Terminal};

const SPAN: &str = "def label(days):\n    if days > 365:\n        return 'years'\n    return 'days'\n\n\ndef read(name):\n    return len(open(name).read()) > 3\n\n\ndef both(days, name):\n    return label(days) + str(read(name))\n";

fn small() -> Place {
    Place::prepared("near", || {
        let place = Place::empty();
        place.save("span.py", SPAN);
        place.save("notes.txt", "four");
        place.save(
            "main.py",
            "from span import both, label, read\n\nfor days in (3, 40, 900):\n    label(days)\nread('notes.txt')\nboth(4, 'notes.txt')\n",
        );
        place.commit();
        let (code, _, err) = place.run(&["--trust", "run", "--", "main.py"]);
        assert_eq!(code, 0, "{err}");
        place
    })
}

fn value(place: &Place, verb: &str, args: &[&str]) -> (i32, serde_json::Value) {
    let (code, out, err) = place.run(&[&["--trust", "--format", "json", verb], args].concat());
    let mut lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let found = lines.find(|line| line["result"] == verb).unwrap_or_else(|| panic!("no result: {out}{err}"));
    (code, found["value"].clone())
}

#[test]
fn an_edit_that_no_recorded_call_tells_is_shown_at_the_nearest_input_and_changes_no_exit_code() {
    let place = small();
    place.edit("span.py", "days > 365", "days >= 365");
    let said = "near: label(365): 'days' → 'years'  (nobody recorded this; days is 325 away from a recorded call)";
    for verb in ["replay", "diff"] {
        let (code, out, err) = place.run(&["--trust", verb]);
        assert!(code == 0 && !out.contains("near:"), "{verb}: {code} {out}{err}");
        let (code, out, err) = place.run(&["--trust", verb, "--near"]);
        assert!(code == 0 && out.contains(said), "{verb}: {code} {out}{err}");
        let (code, _, _) = place.run(&["--trust", verb, "--near=fail"]);
        assert_eq!(code, 1, "{verb}");
        let (_, found) = value(&place, verb, &["--near"]);
        let one = &found["near"]["differences"][0];
        assert_eq!((&one["function"], &one["recorded"]), (&"span:label".into(), &"(40)".into()), "{one:#}");
        assert_eq!(one["distance"], serde_json::json!({ "place": "days", "how": "number", "by": "325" }));
        assert!(value(&place, verb, &[]).1["near"].is_null(), "{verb}");
    }
    let (_, out, _) = place.run(&["--trust", "--format", "markdown", "diff", "--near"]);
    assert!(out.contains("#### Beside the recorded inputs") && out.contains("near: label(365)"), "{out}");
}

#[test]
fn of_a_refactoring_nothing_is_said_and_what_looks_outside_is_named() {
    let place = small();
    place.edit(
        "span.py",
        "    if days > 365:\n        return 'years'\n    return 'days'",
        "    return 'years' if 365 < days else 'days'",
    );
    place.edit("span.py", "len(open(name).read()) > 3", "3 < len(open(name).read())");
    let (code, out, err) = place.run(&["--trust", "replay", "--near=fail"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("near: nothing differs at ") && out.contains("in 1 edited function."), "{out}");
    assert!(out.contains("◦ No near inputs for span:read: its recorded calls used a file"), "{out}");
}

#[test]
fn where_recorded_calls_differ_already_their_decision_comes_first() {
    let place = small();
    place.edit("span.py", "days > 365", "days > 30");
    let (code, out, err) = place.run(&["--trust", "replay", "--near"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("◦ No near inputs for span:label: recorded calls differ already"), "{out}");
}

#[test]
fn a_save_an_agent_that_asks_and_one_that_stops_are_told_of_it() {
    let place = small();
    // Only calls that were seen to repeat are compared after a save.
    assert_eq!(place.run(&["--trust", "replay"]).0, 0);
    let watch = place.command(&["--trust", "--format", "json", "watch"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut watch = watch.unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines().map_while(Result::ok);
    lines.find(|line| line.contains("\"indexed\"")).expect("it begins");
    place.edit("span.py", "days > 365", "days >= 365");
    let told = lines.find(|line| line.contains("\"near_difference\"")).expect("the save is told");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    watch.kill().unwrap();
    watch.wait().unwrap();
    assert_eq!(told["function"], "span:label", "{told}");
    assert!(told["line"].as_str().unwrap().starts_with("near: label(365): 'days' → 'years'"), "{told}");

    let mut agent = Client::trusted(&place);
    for tool in ["replay", "diff"] {
        let answer = agent.good(tool, serde_json::json!({}));
        let beside = answer["near_differences"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert!(beside.len() == 1 && beside[0].as_str().unwrap().contains("label(365)"), "{tool}: {answer}");
    }

    let stop = || {
        let mut child = place.command(&["--trust", "diff", "--hook"]);
        let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(br#"{"session_id": "s", "hook_event_name": "Stop"}"#).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    let first = stop();
    assert!(
        first.contains("near: label(365)") && first.contains("say in your answer whether the difference is meant"),
        "{first}"
    );
    assert_eq!(stop().trim(), "{}", "it is told once");
}

/// Lists what waits: the number and the kind of each proposal.
fn waiting(place: &Place) -> Vec<(String, String)> {
    let (_, out, err) = place.run(&["--trust", "--format", "json", "review", "--list"]);
    let queue = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let queue = queue.into_iter().find(|line| line["result"] == "queue").unwrap_or_else(|| panic!("{out}{err}"));
    let rows = queue["value"].as_array().unwrap().iter();
    rows.map(|row| (row["id"].to_string(), row["kind"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn what_a_person_took_as_meant_is_not_told_again_and_undo_tells_it() {
    let place = small();
    place.edit("span.py", "days > 365", "days >= 365");
    assert_eq!(place.run(&["--trust", "replay", "--near=fail"]).0, 1);
    let [(id, kind)] = waiting(&place).try_into().unwrap();
    assert_eq!(kind, "near");
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    assert!(code == 0 && out.contains("nobody recorded its input"), "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "review", "--accept", &id]);
    assert!(code == 0 && out.contains("Accepted as meant: label(365) → 'years'."), "{out}{err}");
    for verb in ["replay", "diff"] {
        let (code, out, _) = place.run(&["--trust", verb, "--near=fail"]);
        assert!(code == 0 && !out.contains("near: label"), "{verb}: {out}");
    }
    assert_eq!(place.run(&["--trust", "review", "--undo"]).0, 0);
    assert_eq!(waiting(&place).len(), 1);
    assert_eq!(place.run(&["--trust", "replay", "--near=fail"]).0, 1);
}

#[test]
fn a_bug_stays_open_until_the_edit_is_undone() {
    let place = small();
    place.edit("span.py", "days > 365", "days >= 365");
    place.run(&["--trust", "replay", "--near"]);
    let [(id, _)] = waiting(&place).try_into().unwrap();
    let (code, out, err) = place.run(&["--trust", "review", "--reject", &id, "--why", "365 days are no year"]);
    assert!(code == 0 && out.contains("Noted as a bug: label(365) → 'years'."), "{out}{err}");
    let shown = |said: &str| place.run(&["--trust", "replay", "--near"]).1.contains(said);
    assert!(shown("near: label(365)") && waiting(&place).is_empty(), "it is open, and asks nobody");
    place.edit("span.py", "days >= 365", "days > 365");
    assert!(!shown("near: label(365)"));
    // What comes back is news: what was decided was another edit.
    place.edit("span.py", "days > 365", "days >= 365");
    assert!(shown("near: label(365)"));
    assert_eq!(waiting(&place).len(), 1);
}

#[test]
fn one_call_that_is_not_compared_leaves_the_others_to_be_searched() {
    let place = Place::empty();
    place.save(
        "span.py",
        "def label(days, log=None):\n    if log:\n        open(log).close()\n    return 'years' if days > 365 else 'days'\n",
    );
    place.save("notes.txt", "");
    place.save("main.py", "from span import label\n\nfor days in (3, 40, 900):\n    label(days)\nlabel(5, 'notes.txt')\n");
    let (code, _, err) = place.run(&["--trust", "run", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place.edit("span.py", "days > 365", "days >= 365");
    let (code, out, err) = place.run(&["--trust", "replay", "--near"]);
    assert!(code == 0 && out.contains("near: label(365, None)"), "{out}{err}");
    assert!(out.contains("◦ No near inputs from 1 call of span:label: they used a file"), "{out}");
}

#[test]
fn a_person_keeps_the_old_outcome_as_a_test_that_waits_once_the_code_gives_it_again() {
    let place = small();
    let mut workbench = Terminal::start(&place, &["--trust"], 110, 32);
    workbench.wait("Review");
    place.edit("span.py", "days > 365", "days >= 365");
    workbench.wait("near: label(365)");
    workbench.wait("keep as test");
    workbench.keys("O");
    workbench.wait("Kept as a test: label(365) → 'days'.");
    workbench.wait("not recorded");
    // The code gives the new outcome, so that the test fails.
    workbench.wait_until("it failed", |screen| screen.contains("test_label_near") && screen.contains("✗"));
    place.edit("span.py", "days >= 365", "days > 365");
    workbench.wait_until("it passes", |screen| screen.contains("test_label_near") && screen.contains("Ready"));
    workbench.keys("a");
    // Where a file beside the test is written, too, its content is shown first.
    let asked =
        workbench.wait_until("it asks or is accepted", |screen| screen.contains("Write ") || screen.contains("Accepted label"));
    if !asked.contains("Accepted label") {
        workbench.keys("a");
    }
    workbench.wait_until("it is accepted", |screen| screen.contains("Accepted label"));
    let written = place.read("tests/pytead/test_pytead_span.py");
    assert!(written.contains("assert label(365) == \"days\"") && written.contains("Not recorded"), "{written}");
    workbench.keys("u");
    workbench.wait("Taken back");
    workbench.keys("q");
    workbench.end();
}

#[test]
fn gen_near_proposes_inputs_for_faults_that_no_recorded_call_tells_and_never_in_bulk() {
    let place = small();
    let (code, out, err) = place.run(&["--trust", "gen", "span:label", "--near"]);
    assert!(code == 0 && out.contains("draft, not recorded") && out.contains("def test_label_near"), "{out}{err}");
    assert!(out.contains("beside the recorded inputs proved, 0 refused."), "{out}{err}");
    let near = waiting(&place).len();
    let (_, out, _) = place.run(&["--trust", "review", "--accept", "all"]);
    assert!(out.contains("nobody recorded its input"), "{out}");
    assert!(!place.read("tests/pytead/test_pytead_span.py").contains("near"), "only what was recorded is accepted");
    let left = waiting(&place);
    assert_eq!((near, left.len()), (2, 1), "{left:?}");
    let (code, out, err) = place.run(&["--trust", "review", "--accept", &left[0].0]);
    assert_eq!(code, 0, "{out}{err}");
    let written = place.read("tests/pytead/test_pytead_span.py");
    assert!(written.contains("def test_label_near") && written.contains("Not recorded"), "{written}");
    // What a person decided on is not proposed again.
    let (_, out, _) = place.run(&["--trust", "gen", "span:label", "--near"]);
    assert!(out.contains("0 drafts beside the recorded inputs proved"), "{out}");
}
