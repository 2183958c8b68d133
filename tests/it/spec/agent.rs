//! `agent: claude_code` on the real binary, real tools and a real relay; a scripted program stands for Claude Code where it
//! does what the real one cannot be made to do. The real one is in `tests/it/peers.rs`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{cleaned, only, project, python, running};
use crate::harness::Place;

const STEPS: &str = "  - {name: make one, tool: api_create_user, args: {name: Ada, email: ada@example.org}, save_as: user, check: result.id == 1}\n\
                     \x20 - {name: fetch it, tool: api_get_user, args: {user_id: \"${user.id}\"}, expect: The city is a real one.}\n";

/// A test that Claude Code drives.
fn driven(place: &Place, head: &str, steps: &str) -> &'static str {
    let text = format!(
        "agent: claude_code\ntest: {{name: it{head}}}\nsetup:\n  - {{tool: store_value, args: {{name: city, value: Berlin}}, save_as: kept}}\n\
         steps:\n{steps}teardown:\n  - {{tool: api_echo, name: after}}\nverdict: {{pass_if: all steps pass and it looks right, fail_if: any step fails}}\n"
    );
    only(place, &text)
}

/// Runs it with a program that does as the script says; gives the exit code and the report.
fn run(place: &Place, file: &str, script: &Value) -> (i32, Value) {
    let claude = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude.py");
    let config = format!(
        "providers:\n  claude:\n    kind: claude_code\n    command: [{:?}, {:?}]\n",
        python(),
        claude.display().to_string()
    );
    std::fs::create_dir_all(place.home().join("config/pytead-tui")).unwrap();
    std::fs::write(place.home().join("config/pytead-tui/config.yaml"), config).unwrap();
    let mut command = place.command(&["--trust", "--python", python(), "--format", "json", "spec", file]);
    command.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9").env("CLAUDE_SCRIPT", script.to_string());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let report = lines.filter(|line| line["result"] == "report").map(|line| line["value"].clone()).next();
    let err = String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), report.unwrap_or_else(|| panic!("{said}{err}")))
}

fn good() -> Value {
    json!([["api_create_user", { "name": "Ada", "email": "ada@example.org" }], ["api_get_user", { "user_id": 1 }]])
}

fn all_pass() -> Value {
    let step = |name: &str| json!({ "name": name, "status": "pass", "details": "as it should be" });
    json!({ "verdict": "PASS", "reason": "All of it worked.", "steps": [step("make one"), step("fetch it")], "issues": ["The mail is an example."] })
}

fn statuses(report: &Value) -> Vec<String> {
    let steps = report["steps"].as_array().unwrap();
    steps.iter().map(|step| format!("{} {}", step["name"].as_str().unwrap(), step["status"].as_str().unwrap())).collect()
}

#[test]
fn its_calls_are_judged_as_ours_and_its_word_decides_what_rules_leave_open() {
    let place = project();
    let file = driven(&place, "", STEPS);
    let note = place.home().join("note.json");
    let (code, report) = run(&place, file, &json!({ "calls": good(), "said": all_pass(), "note": note, "noise": 300_000 }));
    assert_eq!((code, &report["verdict"]), (0, &"PASS".into()), "{report:#}");
    assert_eq!(report["evaluator"], "agent:claude_code");
    assert_eq!(statuses(&report), ["store_value passed", "make one passed", "fetch it passed", "after passed"]);
    assert_eq!(report["steps"][1]["result"]["id"], 1, "what the tool gave, not what was said");
    assert_eq!(report["steps"][2]["clauses"][0]["why"], "Claude Code says: as it should be");
    assert_eq!(report["issues"], json!(["The mail is an example."]));
    assert_eq!(cleaned(&place), 1);
    let note: Value = serde_json::from_str(&std::fs::read_to_string(note).unwrap()).unwrap();
    let prompt = note["prompt"].as_str().unwrap();
    assert!(prompt.contains("name: make one") && prompt.contains("\"city\": \"Berlin\""), "{prompt}");
    assert!(note["tools"].as_str().unwrap().contains("mcp__pytead__api_get_user"), "{note:#}");
    assert!(!note["tools"].as_str().unwrap().contains("run_test"), "it cannot run or write tests");
    assert_ne!(note["cwd"].as_str().unwrap(), place.root().display().to_string());
}

#[test]
fn what_it_says_it_did_and_did_not_do_does_not_count() {
    let place = project();
    let file = driven(&place, "", STEPS);
    // It says that all passed, and never fetched anything.
    let only_one = json!([["api_create_user", { "name": "Ada", "email": "ada@example.org" }]]);
    let (code, report) = run(&place, file, &json!({ "calls": only_one, "said": all_pass() }));
    assert_eq!((code, &report["verdict"]), (1, &"FAIL".into()), "{report:#}");
    assert!(report["reason"].as_str().unwrap().contains("“fetch it” in line 7: Claude Code never called it"), "{report:#}");
    assert!(report["issues"].to_string().contains("Claude Code says “fetch it” passed; its calls show that it did not."));
    // It did something else than what stands there, and something besides.
    let other = json!([
        ["api_create_user", { "name": "Eve", "email": "eve@example.org" }],
        ["api_get_user", { "user_id": 1 }],
        ["api_echo", { "value": 5 }]
    ]);
    let (_, report) = run(&place, file, &json!({ "calls": other, "said": all_pass() }));
    assert_eq!(report["verdict"], "FAIL", "{report:#}");
    assert!(report["reason"].as_str().unwrap().contains("the call has the arguments of the step"), "{report:#}");
    assert!(report["notes"].to_string().contains("made calls that no step asks for: api_echo"), "{report:#}");
    // Its FAIL is one, in whatever it is wrapped.
    let fail = all_pass().to_string().replace("\"PASS\"", "\"FAIL\"");
    let wrapped = format!("The format is {{\"verdict\": \"PASS\" | \"FAIL\"}} and my answer: {fail}");
    let (code, report) = run(&place, file, &json!({ "calls": good(), "said": wrapped }));
    assert_eq!((code, &report["verdict"]), (1, &"FAIL".into()), "{report:#}");
}

#[test]
fn a_retry_of_its_own_counts_as_one_and_a_rule_s_no_stays_a_no() {
    let place = project();
    let steps = "  - {name: ready, tool: api_ready_after, args: {tries: 2}, retry: 3, check: result.ready}\n";
    let file = driven(&place, "", steps);
    let call = json!(["api_ready_after", { "tries": 2 }]);
    let said = json!({ "verdict": "PASS", "reason": "ok", "steps": [{ "name": "ready", "status": "pass" }] });
    let (_, report) = run(&place, file, &json!({ "calls": [call, call, call], "said": said }));
    assert_eq!((&report["verdict"], &report["steps"][1]["tries"]), (&"PASS".into(), &3.into()), "{report:#}");
    let (_, report) = run(&place, file, &json!({ "calls": [call], "said": said }));
    assert_eq!(report["verdict"], "FAIL", "{report:#}");
    assert!(report["reason"].as_str().unwrap().contains("ConnectionError: not ready"), "{report:#}");
}

#[test]
fn its_time_is_enforced_on_all_it_started_and_teardown_is_run() {
    let place = project();
    let file = driven(&place, ", total_timeout: 2", STEPS);
    let note = place.home().join("note.json");
    let begun = Instant::now();
    let (_, report) = run(&place, file, &json!({ "hang": true, "noise": 300_000, "note": note }));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_ne!(report["verdict"], "PASS", "{report:#}");
    assert!(statuses(&report).contains(&"after passed".to_owned()), "{report:#}");
    let note: Value = serde_json::from_str(&std::fs::read_to_string(note).unwrap()).unwrap();
    assert!(!Path::new(&format!("/proc/{}", note["pid"])).exists(), "it is ended");
    assert_eq!((cleaned(&place), running(&place.root())), (1, 0));
}

#[test]
fn what_breaks_it_is_an_error_and_no_failure() {
    let place = project();
    let file = driven(&place, "", STEPS);
    for (script, why) in [
        (json!({ "calls": good(), "exit": 139 }), "ended with 139. Its last words: Segmentation fault"),
        (json!({ "calls": good(), "said": "Not logged in", "error": true }), "Not logged in"),
        (json!({ "calls": good(), "said": "I did it all!" }), "gave no verdict that can be read: I did it all!"),
    ] {
        let (code, report) = run(&place, file, &script);
        assert_eq!((code, &report["verdict"]), (0, &"ERROR".into()), "{report:#}");
        assert!(report["reason"].as_str().unwrap().contains(why), "{why}: {report:#}");
    }
    // Nobody allowed it to send anything to another machine.
    let mut command = place.command(&["--trust", "--python", python(), "spec", file]);
    let output = command.env("CLAUDE_SCRIPT", "{}").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("! tests/llm/test_it.yaml") && said.contains("api.anthropic.com"), "{said}");
}

/// The command line of Claude Code itself (`@anthropic-ai/claude-code` from npm, named by `PYTEAD_PEER_CLAUDE`), which asks a
/// server on loopback that says what it is to call.
#[test]
#[ignore = "needs a program of others"]
fn the_real_claude_code_calls_the_tools_of_a_test() {
    let claude = std::env::var("PYTEAD_PEER_CLAUDE").expect("PYTEAD_PEER_CLAUDE is not set");
    let place = project();
    let file = driven(&place, "", STEPS);
    let served = |calls: &Value| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/anthropic.py");
        let mut server = std::process::Command::new(python())
            .arg(script)
            .args([calls.to_string(), all_pass().to_string()])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let mut said = std::io::BufReader::new(server.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut said, &mut port).unwrap();
        std::fs::create_dir_all(place.home().join("config/pytead-tui")).unwrap();
        let config = format!("providers:\n  claude:\n    kind: claude_code\n    command: [{claude:?}]\n");
        std::fs::write(place.home().join("config/pytead-tui/config.yaml"), config).unwrap();
        let mut command = place.command(&["--trust", "--python", python(), "--format", "json", "spec", file]);
        command.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{}", port.trim())).env("ANTHROPIC_API_KEY", "none");
        let output = command.env("CLAUDE_CONFIG_DIR", place.home().join("claude")).output().unwrap();
        let _ = server.kill();
        let _ = server.wait();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let report = lines.filter(|line| line["result"] == "report").map(|line| line["value"].clone()).next();
        report.unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)))
    };
    let report = served(&good());
    assert_eq!(report["verdict"], "PASS", "{report:#}");
    assert_eq!(report["steps"][2]["result"]["name"], "Ada");
    // It reports that all passed, and was never made to fetch anything.
    let report = served(&json!([["api_create_user", { "name": "Ada", "email": "ada@example.org" }]]));
    assert_eq!(report["verdict"], "FAIL", "{report:#}");
    assert!(report["reason"].as_str().unwrap().contains("Claude Code never called it"), "{report:#}");
}
