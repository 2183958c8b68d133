//! `pytead-tui spec` on the real binary: YAML tests are checked and run with real plugins in real processes.

mod agent;
mod asked;
mod browser;
mod former;
mod many;
mod orders;
mod screen;

use std::path::Path;
use std::time::{Duration, Instant};

use crate::harness::{Place, python_with_pytest};
use serde_json::Value;

/// The project of the fixtures.
fn project() -> Place {
    let place = Place::empty();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/specs"), &place.root());
    place
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target)
        } else {
            _ = std::fs::copy(entry.path(), target).unwrap()
        }
    }
}

/// Keeps only this test, and gives its file.
fn only(place: &Place, steps: &str) -> &'static str {
    for name in ["test_users", "test_unclear", "test_failing"] {
        let _ = std::fs::remove_file(place.root().join(format!("tests/llm/{name}.yaml")));
    }
    place.save("tests/llm/test_it.yaml", steps);
    "tests/llm/test_it.yaml"
}

/// A test that is good without these steps.
fn with(head: &str, steps: &str) -> String {
    format!("test: {{name: it}}\n{head}steps:\n{steps}verdict: {{pass_if: all steps pass, fail_if: any step fails}}\n")
}

fn spec(place: &Place, args: &[&str]) -> (i32, String) {
    let (code, out, err) = place.run(&[&["--trust", "--python", python(), "spec"], args].concat());
    (code, out + &err)
}

fn python() -> &'static str {
    Box::leak(python_with_pytest().display().to_string().into_boxed_str())
}

fn results(place: &Place, args: &[&str], kind: &str) -> (i32, Vec<Value>) {
    let (code, out, err) = place.run(&[&["--trust", "--python", python(), "--format", "json", "spec"], args].concat());
    let lines = out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{out}{err}")));
    (code, lines.filter(|line| line["result"] == kind).map(|line| line["value"].clone()).collect())
}

fn report(place: &Place, args: &[&str]) -> Value {
    let (_, reports) = results(place, args, "report");
    assert_eq!(reports.len(), 1, "{reports:?}");
    reports[0].clone()
}

fn cleaned(place: &Place) -> usize {
    std::fs::read_to_string(place.root().join("tests/llm/plugins/cleaned.txt")).map_or(0, |text| text.len())
}

/// Counts the processes of this machine that work in a folder.
fn running(folder: &Path) -> usize {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    processes.flatten().filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder)).count()
}

#[test]
fn the_documented_examples_are_run_step_by_step_and_decided_by_rules() {
    let place = project();
    let report = report(&place, &["tests/llm/test_users.yaml"]);
    assert_eq!((&report["verdict"], &report["evaluator"]), (&"PASS".into(), &"rules".into()), "{report:#}");
    let steps = report["steps"].as_array().unwrap();
    let find = |name: &str| steps.iter().find(|step| step["name"] == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(find("Fetch created user")["args"], serde_json::json!({ "user_id": 1 }), "typed");
    assert_eq!(find("Wait for service to be ready")["tries"], 3);
    assert_eq!(find("Create user")["printed"], "creating John Doe\n");
    assert_eq!(find("Refuse an address")["status"], "passed", "an error that is expected");
    let rounds: Vec<&Value> = steps.iter().filter(|step| step["name"] == "Create one").map(|step| &step["round"]).collect();
    assert_eq!(rounds.len(), 3);
    assert_eq!(steps.last().unwrap()["phase"], "teardown");
    assert_eq!(cleaned(&place), 1, "by teardown, and not once more at the end");
}

#[test]
fn what_fails_what_is_open_and_what_passes_is_told_apart() {
    let place = project();
    let (code, said) = spec(&place, &["tests/llm", "-j", "3"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("3 YAML tests: 1 passed, 1 failed, 1 unclear."), "{said}");
    assert!(said.contains("✗ tests/llm/test_failing.yaml  Says no"), "{said}");
    assert!(said.contains("check: result.id == 99: result.id is 1"), "{said}");
    assert!(said.contains("✓ Goes on"), "a failing step does not stop the others: {said}");
    assert!(said.contains("Only a model can decide this, and none is chosen"), "{said}");
    let (code, _) = spec(&place, &["tests/llm/test_unclear.yaml"]);
    assert_eq!(code, 0);
    assert_eq!(spec(&place, &["tests/llm/test_unclear.yaml", "--strict"]).0, 1, "what is unclear is not green under strict");
    let (code, out, err) = place.run(&["spec", "tests/llm"]);
    assert_eq!(code, 3, "nothing runs in a folder that is not trusted: {out}{err}");
    assert!(err.contains("is not trusted"), "{err}");
}

#[test]
fn a_wrong_file_is_refused_with_every_mistake_and_its_place() {
    let place = project();
    let file = only(&place, "test: {nme: x}\nsteps:\n  - tool: api_echo\n    wait_for: ready\n    timeout: -1\n");
    let (code, out, err) = place.run(&["spec", "--check"]);
    let said = out + &err;
    assert_eq!(code, 2, "{said}");
    for wanted in [
        "tests/llm/test_it.yaml:1:8: `nme` is no field of `test`. Did you mean `name`?",
        "  1 | test: {nme: x}\n    |        ^^^",
        "tests/llm/test_it.yaml:4:5: `wait_for` is no field of a step.",
        "    |     ^^^^^^^^",
        "`timeout` is a number of seconds above 0, and this is -1.",
        "needs `verdict`",
        "Mistakes in 1 of 1 YAML test.",
    ] {
        assert!(said.contains(wanted), "{wanted}\nnot in\n{said}");
    }
    let (code, said) = spec(&place, &[file]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("did you mean") || said.contains("Did you mean `name`?"), "{said}");
}

#[test]
fn a_check_that_is_no_python_is_found_before_anything_runs() {
    let place = project();
    let step = |check: &str| format!("  - {{tool: api_echo, args: {{value: 1}}, check: '{check}'}}\n");
    for (check, code) in [
        ("result == 1", 0),
        ("len(result) > 1 and result[0] in (1, 2)", 0),
        ("result has one item", 2),
        ("result = 1", 2),
        ("result ==", 2),
        ("import os", 2),
    ] {
        let file = only(&place, &with("", &step(check)));
        let (found, out, err) = place.run(&["spec", "--check", file]);
        assert_eq!(found, code, "{check}: {out}{err}");
        assert_eq!(out.contains("is no Python expression"), code == 2, "{check}: {out}");
    }
}

#[test]
fn a_tool_that_there_is_not_is_said_before_anything_runs() {
    let place = project();
    let file = only(&place, &with("", "  - tool: api_create_usr\n    args: {name: a, email: b}\n  - tool: stor_value\n"));
    let report = report(&place, &[file]);
    let (code, out, err) = place.run(&["--trust", "spec", "--check", file]);
    assert_eq!(code, 2, "{out}{err}");
    assert!(out.contains("test_it.yaml:3:11: There is no tool `api_create_usr`."), "{out}");
    assert_eq!(place.run(&["spec", "--check", file]).0, 0, "the plugins of a folder that nobody trusts are not imported");
    let (code, said) = spec(&place, &[file]);
    assert_eq!(code, 2, "as other mistakes of a file: {said}");
    assert!(said.contains("3 |   - tool: api_create_usr"), "{said}");
    assert_eq!(report["verdict"], "ERROR");
    let reason = report["reason"].as_str().unwrap();
    assert!(reason.contains("line 3: There is no tool `api_create_usr`. Did you mean `api_create_user`?"), "{reason}");
    assert!(reason.contains("Did you mean `store_value`?"), "{reason}");
    assert_eq!(report["steps"], serde_json::json!([]));
}

#[test]
fn arguments_that_a_tool_does_not_take_or_lacks_are_found_before_anything_runs() {
    let place = project();
    let steps = "  - {tool: api_create_user, args: {nme: a, email: b}}\n  - {tool: sleep, args: {seconds: 0, '${stored.a}': 1}}\n  - {tool: list_values, args: {all: 1}}\n";
    let file = only(&place, &with("", steps));
    let (code, out, err) = place.run(&["--trust", "spec", "--check", file]);
    assert_eq!(code, 2, "{out}{err}");
    for line in [
        "test_it.yaml:3:36: `api_create_user` takes no `nme`. Did you mean `name`?",
        "test_it.yaml:3:12: `api_create_user` needs `name`.",
        "test_it.yaml:5:32: `list_values` takes no `all`. It takes none.",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    assert_eq!(out.matches("test_it.yaml:").count(), 3, "{out}");
}

#[test]
fn a_method_that_is_not_async_is_named_as_no_tool() {
    let place = project();
    let plugin = "from pytead_tui import LLMPlugin\n\n\nclass Own(LLMPlugin):\n    name = \"own\"\n\n    def parse(self, text: str):\n        return text\n";
    place.save("tests/llm/plugins/own.py", plugin);
    let file = only(&place, &with("", "  - {tool: own_parse, args: {text: a}}\n"));
    let (_, said) = spec(&place, &[file]);
    let why = "There is no tool `own_parse`. The plugin's method of that name is not `async def`";
    assert_eq!(said.matches(why).count(), 1, "{said}");
    let (_, said) = spec(&place, &["--tools"]);
    assert!(said.contains("own.py: not `async def`, so no tools: own_parse."), "{said}");
}

#[test]
fn steps_have_their_time_and_teardown_is_run_whatever_happens() {
    let place = project();
    for (tool, why) in [("api_hang", "no result in 0.3 s"), ("api_block", "no result in 0.3 s"), ("sleep", "no result in 0.3 s")]
    {
        let args = if tool == "sleep" { "\n    args: {seconds: 60}" } else { "" };
        let steps = format!("  - tool: {tool}\n    timeout: 0.3{args}\n  - tool: api_echo\nteardown:\n  - tool: api_echo\n");
        let file = only(&place, &with("", &steps));
        let begun = Instant::now();
        let report = report(&place, &[file]);
        assert!(begun.elapsed() < Duration::from_secs(30), "{tool}: {:?}", begun.elapsed());
        assert_eq!(report["verdict"], "FAIL", "{report:#}");
        assert!(report["reason"].as_str().unwrap().contains(why), "{report:#}");
        let status: Vec<&str> = report["steps"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect();
        assert_eq!(status, ["failed", "passed", "passed"], "{report:#}");
    }
    assert_eq!(cleaned(&place), 3, "cleanup is run after a timeout, too");
}

#[test]
fn the_whole_test_has_its_time_and_the_default_is_replaced_from_outside() {
    let place = project();
    let long = "test: {name: it, total_timeout: 0.6}\nsteps:\n  - tool: sleep\n    args: {seconds: 60}\n  - tool: list_values\n\
                teardown:\n  - tool: list_values\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n";
    let file = only(&place, long);
    let report_of = report(&place, &[file]);
    assert_eq!(report_of["reason"], "The test did not finish in 0.6 s.");
    let ends: Vec<&str> = report_of["steps"].as_array().unwrap().iter().map(|step| step["end"].as_str().unwrap()).collect();
    assert_eq!(ends, ["timed_out", "not_run", "returned"], "{report_of:#}");
    let steps = "  - {tool: sleep, args: {seconds: 60}}\n  - {tool: sleep, args: {seconds: 0.6}, timeout: 20}\n";
    only(&place, &with("", steps));
    let report = report(&place, &[file, "--timeout", "0.3"]);
    assert_eq!(report["steps"][0]["seconds"], 0.3, "{report:#}");
    assert_eq!(report["steps"][1]["status"], "passed", "a step's own time stays: {report:#}");
}

#[test]
fn a_step_is_tried_again_when_its_tool_fails_or_a_rule_says_no() {
    let place = project();
    let steps = "  - {name: a, tool: api_count_up, retry: 5, retry_delay: 0.01, expect: result.count is 3}\n\
                 \x20 - {name: b, tool: api_ready_after, args: {tries: 99}, retry: 3, retry_delay: 0.01, save_as: never}\n\
                 \x20 - {name: c, tool: api_count_up, retry: 3, expect: It should be a nice number}\n\
                 \x20 - {name: d, tool: api_echo, args: {value: \"${never.x}\"}}\n";
    let file = only(&place, &with("", steps));
    let report = report(&place, &[file]);
    let steps = report["steps"].as_array().unwrap();
    let tries: Vec<&Value> = steps.iter().map(|step| &step["tries"]).collect();
    assert_eq!(tries, [3, 4, 1, 0], "retry: 3 is 4 tries, and a model's opinion is no reason for one: {report:#}");
    assert_eq!(steps[1]["error"].as_str().unwrap().lines().next().unwrap(), "ConnectionError: not ready, try 7");
    assert!(steps[3]["error"].as_str().unwrap().contains("line 6: `${never.x}` has no value"), "{report:#}");
}

#[test]
fn a_setup_that_fails_keeps_the_steps_from_running_and_teardown_runs() {
    let place = project();
    let setup = "setup:\n  - {name: before, tool: api_get_user, args: {user_id: 9}}\n";
    let file = only(&place, &with(setup, "  - tool: api_echo\nteardown:\n  - tool: api_echo\n"));
    let report = report(&place, &[file]);
    assert_eq!(report["verdict"], "FAIL");
    assert!(report["reason"].as_str().unwrap().contains("“before” in line 3: KeyError: 9"), "{report:#}");
    let status: Vec<&str> = report["steps"].as_array().unwrap().iter().map(|step| step["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["failed", "skipped", "passed"]);
}

#[test]
fn a_plugin_that_dies_hangs_at_import_or_leaves_a_process_is_named_and_survived() {
    let place = project();
    place.save("tests/llm/plugins/a_exits.py", "import os\nos._exit(9)\n");
    place.save("tests/llm/plugins/b_raises.py", "raise RuntimeError('not today')\n");
    place.save("tests/llm/plugins/a_hangs.py", "import time\ntime.sleep(600)\n");
    place.save("pyproject.toml", "[tool.pytead.spec]\nimport_seconds = 5\n");
    place.save("tests/llm/plugins/c_noisy.py", "print('{\"id\": 1, \"plugins\": []}', flush=True)\n");
    let steps = "  - {name: dies, tool: api_die}\n  - {name: lives, tool: api_echo}\n  - {name: leaks, tool: api_leak}\n";
    let file = only(&place, &with("", steps));
    let report = report(&place, &[file]);
    let steps = report["steps"].as_array().unwrap();
    assert_eq!((&steps[0]["end"], &steps[0]["how"]), (&"died".into(), &"the tool ended its process with 7".into()), "{report:#}");
    assert_eq!((&steps[1]["status"], &steps[2]["status"]), (&"passed".into(), &"passed".into()), "{report:#}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("a_exits.py is broken: importing it ends the process"), "{notes}");
    assert!(notes.contains("a_hangs.py is broken: importing it takes more than 5 s"), "{notes}");
    assert!(notes.contains("b_raises.py is broken: importing it raises RuntimeError: not today (line 1)"), "{notes}");
    assert!(notes.contains("The plugins were started anew"), "{notes}");
    let pid = steps[2]["result"]["pid"].as_i64().unwrap();
    assert!(!Path::new(&format!("/proc/{pid}")).exists(), "what a plugin leaves behind is ended, whatever session it is in");
}

#[test]
fn a_stopped_run_is_torn_down_and_cleaned_up_after() {
    let place = project();
    let file =
        only(&place, &with("", "  - {tool: api_hang}\n  - {tool: api_echo}\nteardown:\n  - {tool: api_echo, name: after}\n"));
    let mut child = place
        .command(&["--trust", "--python", python(), "spec", "-v", file])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("[tool] api_hang") {
        line.clear();
        assert!(std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0);
    }
    rustix::process::kill_process(rustix::process::Pid::from_raw(child.id() as i32).unwrap(), rustix::process::Signal::TERM)
        .unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut out, &mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("the test was stopped") && rest.contains("✓ after"), "{rest}");
    assert_eq!(cleaned(&place), 1);
}

#[test]
fn secrets_and_signs_that_act_on_a_terminal_are_not_shown() {
    let place = project();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let steps = format!(
        "  - {{name: \"\\e[31mred\", tool: store_value, args: {{name: token, value: {secret}}}}}\n\
         \x20 - {{tool: api_echo, args: {{value: \"${{stored.token}}\"}}, check: result.value == 1}}\n"
    );
    let file = only(&place, &with("", &steps));
    let (_, said) = spec(&place, &["-v", file]);
    assert!(!said.contains(&secret) && said.contains("[REDACTED"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert!(said.contains("[interpolate] ${stored.token} -> [REDACTED]"), "{said}");
    assert!(said.contains("[tool] api_echo(") && said.contains("[tool result] OK: "), "{said}");
}

#[test]
fn a_result_that_speaks_of_errors_is_no_error_and_state_is_one_test_s() {
    let place = project();
    let steps = "  - {tool: api_echo, args: {value: \"no errors found: 0 error\"}, expect: no error}\n\
                 \x20 - {tool: list_values, expect: result.count is 0}\n  - {tool: api_cleanup}\n  - {tool: api_cleanup}\n";
    let file = only(&place, &with("", steps));
    assert_eq!(report(&place, &[file])["verdict"], "PASS");
    assert_eq!(cleaned(&place), 1, "a cleanup is a tool, and twice does nothing twice");
}

#[test]
fn the_former_table_is_used_where_a_file_asks_for_it() {
    let place = project();
    let steps =
        "  - {tool: api_echo, args: {value: \"${nobody} ${stored.n}\"}, check: \"result.value == '${\" + \"nobody} 42'\"}\n";
    let steps =
        steps.replace("\"result.value == '${\" + \"nobody} 42'\"", "\"result.value.endswith('42') and result.value[1] == '{'\"");
    let store = "  - {tool: store_value, args: {name: n, value: 42}}\n";
    let typed = "  - {tool: api_echo, args: {value: \"${stored.n}\"}, check: result.kind == 'str'}\n";
    let file = only(&place, &with("compat: llm-pytest\n", &format!("{store}{steps}{typed}")));
    let report = report(&place, &[file]);
    assert_eq!(report["verdict"], "PASS", "{report:#}");
}

/// Runs pytest itself, as nobody but the plugin would.
fn pytest(place: &Place, args: &[&str]) -> (i32, String) {
    let mut command = std::process::Command::new(place.python());
    command.args(["-m", "pytest", "-p", "pytead_tui.pytest_plugin", "-p", "no:cacheprovider"]).args(args);
    command.current_dir(place.root()).env_clear().envs(place.environment());
    command.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTEAD_TUI", env!("CARGO_BIN_EXE_pytead-tui"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or(-1), said)
}

#[test]
fn pytest_collects_a_test_a_file_and_judges_it() {
    let place = project();
    let (code, said) = pytest(&place, &["tests/llm", "--llm", "-v", "--junitxml=junit.xml"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("test_users.yaml::User Creation Test PASSED"), "{said}");
    assert!(said.contains("test_failing.yaml::Says no FAILED"), "{said}");
    assert!(said.contains("test_unclear.yaml::What only a model can tell UNCLEAR"), "{said}");
    assert!(said.contains("check: result.id == 99: result.id is 1") && !said.contains("llm_pytest.py"), "{said}");
    assert!(said.contains("1 failed, 1 passed, 1 unclear"), "{said}");
    assert!(place.read("junit.xml").contains("name=\"semantic.verdict\" value=\"UNCLEAR\""));

    assert!(pytest(&place, &["tests/llm"]).1.contains("no tests ran"), "without --llm YAML is no test");
    assert!(pytest(&place, &["--llm", "-o", "llm_paths=elsewhere"]).1.contains("no tests ran"));
    let (code, said) = pytest(&place, &["tests/llm/test_users.yaml"]);
    assert_eq!(code, 0, "one that is named is one: {said}");
    let (_, said) = pytest(&place, &["-o", "llm=true", "-m", "slow", "-v"]);
    assert!(said.contains("1 failed, 2 deselected"), "tags are marks: {said}");
    let (_, said) = pytest(&place, &["tests/llm/test_users.yaml", "--llm-verbose", "-s"]);
    assert!(
        said.contains("[tool] api_get_user({\"user_id\":1})") && said.contains("[interpolate] ${new_user.id} -> 1"),
        "{said}"
    );
    let (code, said) = pytest(&place, &["--llm", "--semantic-strict", "tests/llm/test_unclear.yaml"]);
    assert_eq!(code, 1, "{said}");
}

#[test]
fn folders_that_are_named_have_their_tests_collected_and_data_beside_tests_is_none() {
    let place = project();
    place.save("examples/users.yaml", &place.read("tests/llm/test_users.yaml"));
    place.save("examples/pipeline.yaml", "steps:\n  - build\n  - deploy\n");
    place.save("examples/workflow.yml", "jobs:\n  test:\n    steps: []\n");
    place.save("tests/llm/data/test_users.yaml", "- {name: Ada}\n");
    place.save("tests/llm/data/pipeline.yaml", "steps:\n  - build\n");
    let (code, said) = pytest(&place, &["examples", "--llm", "-v"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("users.yaml::User Creation Test PASSED") && said.contains("1 passed"), "{said}");
    let (_, said) = pytest(&place, &["examples", "tests", "--llm"]);
    assert!(said.contains("1 failed, 2 passed, 1 unclear"), "{said}");
    let (_, said) = pytest(&place, &["--llm"]);
    assert!(said.contains("1 failed, 1 passed, 1 unclear"), "only the usual folders: {said}");
    let (_, out, err) = place.run(&["--trust", "spec"]);
    assert!(out.contains("1 passed, 1 failed, 1 unclear") || out.matches("tests/llm/data").count() == 0, "{out}{err}");
}

#[test]
fn a_failure_that_is_expected_in_plain_words_is_judged_as_one() {
    let place = project();
    let test = |expect: &str| {
        format!(
            "test: {{name: refusal}}\nsteps:\n  - {{tool: api_get_user, args: {{user_id: 99}}, expect: \"{expect}\"}}\nverdict: {{pass_if: all steps pass, fail_if: any step fails}}\n"
        )
    };
    for (expect, wanted) in [
        ("Should fail with an error", "1 passed."),
        ("Expect an exception", "1 passed."),
        ("It should fail because there is no such user", "1 unclear."),
        ("The user is returned", "1 failed."),
        ("It should not fail", "1 failed."),
    ] {
        place.save("tests/llm/test_no.yaml", &test(expect));
        let (_, out, err) = place.run(&["--trust", "spec", "tests/llm/test_no.yaml"]);
        assert!(out.contains(&format!("1 YAML test: {wanted}")), "{expect}: {out}{err}");
    }
}

#[test]
fn pytest_says_that_it_leaves_yaml_tests_out_and_how_they_are_run() {
    let place = project();
    let how = "3 YAML tests were left out. To run YAML tests: pytest --llm, or llm = true in pytest's ini file.";
    for args in [&["tests/llm"][..], &["tests"], &[], &["-q", "tests/llm"]] {
        assert!(pytest(&place, args).1.contains(how), "{args:?}");
    }
    place.save("tests/unit/test_plain.py", "def test_plain():\n    pass\n");
    for args in [&["tests/unit"][..], &["tests/unit/test_plain.py::test_plain"], &["--llm"], &["-o", "llm=true", "tests"]] {
        let said = pytest(&place, args).1;
        assert!(!said.contains("left out"), "{args:?}: {said}");
    }
    place.save("pytest.ini", "[pytest]\nllm = true\n");
    let (_, said) = pytest(&place, &["tests/llm", "-v"]);
    assert!(said.contains("test_users.yaml::User Creation Test PASSED"), "{said}");
}

#[test]
fn what_nobody_is_asked_about_says_why_and_what_to_do() {
    let place = project();
    let file = "tests/llm/test_unclear.yaml";
    let told = |before: &[&str], variables: &[(&str, &str)]| {
        let (_, out, err) = place.run_with(&[before, &["--python", python(), "spec", file]].concat(), variables);
        out + &err
    };
    assert!(told(&["--trust"], &[]).contains("none is chosen: see pytead-tui model"), "nobody chose one");
    assert!(told(&["--trust"], &[("PYTEAD_JUDGE_ASK", "off")]).contains("judge.ask is off in your settings"));
    // pytest runs the tests of a folder that nobody trusts; its .env is not read there.
    place.save(".env", "SEMANTIC_MODEL=gpt-5\nSEMANTIC_BASE_URL=http://127.0.0.1:9/v1\n");
    let said = pytest(&place, &["--llm", file]).1;
    assert!(said.contains("the one that .env names counts in a trusted folder only: pytead-tui trust."), "{said}");
    assert!(!told(&["--trust"], &[]).contains("counts in a trusted folder"), "here it counts");
    // On a build server recorded answers are given, and there is none.
    let said = told(&["--trust"], &[("CI", "true")]);
    for part in
        ["CI is set, so only recorded answers count", "tests/answers/", "PYTEAD_MODEL_ANSWERS=record", "PYTEAD_MODEL_ANSWERS=off"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = told(&["--trust"], &[("PYTEAD_MODEL_ANSWERS", "replay")]);
    assert!(said.contains("has no recorded answer") && !said.contains("CI is set"), "{said}");
}

#[test]
fn pytest_says_what_is_wrong_with_a_file_and_what_could_not_be_run() {
    let place = project();
    only(&place, "test: {nme: x}\nsteps:\n  - tool: api_echo\nverdict: {pass_if: a, fail_if: b}\n");
    let (code, said) = pytest(&place, &["tests/llm", "--llm"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("test_it.yaml:1:8: `nme` is no field of `test`. Did you mean `name`?"), "{said}");
    only(&place, &with("", "  - tool: nothing_here\n"));
    let (code, said) = pytest(&place, &["tests/llm", "--llm"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("There is no tool `nothing_here`") && said.contains("1 error"), "{said}");
    only(&place, &with("", "  - {tool: sleep, args: {seconds: 60}}\n"));
    let (_, said) = pytest(&place, &["tests/llm", "--llm", "--llm-timeout", "0.3"]);
    assert!(said.contains("no result in 0.3 s"), "{said}");
}
