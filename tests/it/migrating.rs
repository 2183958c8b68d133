//! What docs/migrating.md says to people who come from the predecessors, row by row, on the real binary: a row that nothing here tries
//! fails, and so does one that is not true.

use std::path::Path;
use std::process::Command;

use crate::harness::{Place, python_with_pytest};

/// What tries a row of the page: the beginning of its first cell, and how.
type Row = (&'static str, fn());

const ROWS: &[Row] = &[
    ("`pytead run [--limit N] FUNC… -- main.py`", recorded),
    ("`--storage-dir call_logs`", stored),
    ("`pytead gen`, `pytead tead`", drafted),
    ("`pytead types`, `doc`, `clean`", verbs),
    ("`trace2test --limit 10 FUNC… -- main.py`, `gentests --calls-dir call_logs`", old_commands),
    ("`from pytead import trace`", traced),
    ("`call_logs/*.gjson`, `*.pkl`", imported),
    ("tests that it generated", generated),
    ("`[tool.pytead]`, `.pytead/config.*`, `~/.config/pytead/`", settings),
    ("`--format pickle`, `graph-json`", formats),
    ("`from pytest_semantic import semantic_test`", decorated),
    ("`pytest_semantic.core.SemanticAssertionError`", decorated),
    ("every run asks a model", by_rules),
    ("`SEMANTIC_MODEL`, `SEMANTIC_PROVIDER`, `SEMANTIC_BASE_URL`, `.env`", environment),
    ("a judge that is down", down),
    ("red where the model says no", exits),
    ("any server is asked at once", sent),
    ("`.pytest_semantic_cache.db`", old_verdicts),
    ("`pytest-semantic-mcp`, `evaluate_semantic_assertion(intent, trace_log)`", agent),
    ("`tests/llm/*.yaml`", yaml),
    ("`LLMPlugin` in `tests/llm/plugins/`", yaml),
    ("`interpolate_value`, `interpolate_step_args`", names),
    ("`TestSpec`, `validate_test_yaml`, `run_llm_test`, providers", names),
    ("Claude Code judges", claude),
    ("the model runs the steps", yaml),
    ("no word on typing errors in the YAML", mistakes),
    ("steps without a tool, keys that it did not know, `timeout: \"60\"`", mistakes),
    ("\"Should fail\", \"Expect an exception\", \"error contains 'x'\" as `expect`", refusals),
    ("`pytest-generator FILE CONFIG.yaml -o DIR`", generator),
    ("`--no-stream --scan-root --save-index --load-index --no-index`", generator),
    ("`generated_tests/test_<stem>.py`", generator),
    ("the model `pytest-8b`", models),
    ("`importlib.import_module(\"module\")` in its tests", by_name),
    ("what the model wrote, as it came", generator),
    ("its training", training),
];

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/migrating.md")).unwrap()
}

#[test]
fn every_row_of_the_page_is_tried_and_no_other() {
    let page = page();
    let tables = page.split("\n## ").skip(1).flat_map(str::lines).filter(|line| line.starts_with("| "));
    let cells = tables.filter_map(|line| line.trim_start_matches("| ").split(" | ").next().map(str::to_owned));
    let mut found: Vec<String> = cells.filter(|cell| cell != "you had").collect();
    let mut tried: Vec<String> = ROWS.iter().map(|(row, _)| (*row).to_owned()).collect();
    found.sort();
    tried.sort();
    assert_eq!(found, tried);
}

#[test]
fn what_the_page_says_is_so() {
    // Some rows are tried together.
    let mut done: Vec<usize> = Vec::new();
    for (_, try_it) in ROWS {
        let place = *try_it as usize;
        if !done.contains(&place) {
            try_it();
            done.push(place);
        }
    }
}

#[test]
fn the_page_says_nothing_of_what_the_package_index_holds() {
    assert!(!page().contains("None of these is on the Python package index"));
}

fn good(place: &Place, args: &[&str]) -> String {
    let (code, out, err) = place.run(&[&["--trust"], args].concat());
    assert_eq!(code, 0, "{args:?}: {out}{err}");
    out + &err
}

fn project() -> Place {
    let place = Place::empty();
    place.save("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = [\".\"]\n");
    place.save(
        "mymodule.py",
        "def multiply(a, b):\n    \"\"\"Multiplies.\"\"\"\n    return a * b\n\n\ndef other(a):\n    return -a\n",
    );
    place.save("main.py", "import mymodule\nfor n in range(5):\n    mymodule.multiply(n, 3)\nmymodule.other(1)\n");
    place
}

/// A project that recorded its program.
fn ran() -> Place {
    let place = project();
    good(&place, &["run", "main.py"]);
    place
}

fn recorded() {
    let place = project();
    for words in [
        &["run", "-l", "2", "-t", "mymodule.multiply", "--", "main.py"][..],
        &["run", "mymodule.multiply", "--", "main.py"],
        &["run", "mymodule:multiply", "--", "main.py"],
        &["run", "-t", "multiply", "--", "main.py"],
        &["run", "main.py"],
    ] {
        good(&place, words);
    }
    let (first, last) = (good(&place, &["export", "1"]), good(&place, &["export", "5"]));
    assert_eq!(first.matches("multiply(").count(), 2, "{first}");
    assert!(first.contains("multiply") && !first.contains("other(") && last.contains("other("), "{first}{last}");
}

fn drafted() {
    let place = ran();
    assert!(good(&place, &["gen"]).contains("Nothing was written"));
    assert!(!place.root().join("tests").exists());
    good(&place, &["tead", "main.py"]);
}

fn verbs() {
    let place = ran();
    good(&place, &["types", "--out-dir", "typings"]);
    assert!(place.read("typings/mymodule.pyi").contains("def multiply("));
    good(&place, &["doc"]);
    good(&place, &["clean", "--recordings"]);
}

fn old_commands() {
    let place = project();
    good(&place, &["trace2test", "--limit", "10", "mymodule.multiply", "--", "main.py"]);
    good(&place, &["gentests", "--calls-dir", "call_logs"]);
    assert!(place.read("tests/test_pytead_generated.py").contains("multiply("));
}

fn stored() {
    let place = project();
    good(&place, &["run", "--storage-dir", "call_logs", "--limit", "3", "main.py"]);
    let traces = || std::fs::read_dir(place.root().join("call_logs")).unwrap().count();
    assert_eq!(traces(), 3 + 1);
    assert!(good(&place, &["gen", "--storage-dir", "call_logs"]).contains("4 traces of recordings that are here."));
    // Where nobody recorded them, they are old traces like any other.
    std::fs::remove_dir_all(place.root().join(".pytead")).unwrap();
    assert!(good(&place, &["import", "call_logs"]).contains("4 calls of 2 functions imported"));
}

/// Runs a program of the project by itself, with the package on the path as the wheel has it.
fn python(place: &Place, args: &[&str]) -> (bool, String) {
    let mut command = Command::new(python_with_pytest());
    command.args(args).current_dir(place.root()).env_clear().envs(place.environment());
    command.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTEAD_TUI", env!("CARGO_BIN_EXE_pytead-tui"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

fn pytest(place: &Place, args: &[&str]) -> (bool, String) {
    python(place, &[&["-m", "pytest", "-p", "pytead_tui.pytest_plugin", "-p", "no:cacheprovider"], args].concat())
}

fn traced() {
    let place = project();
    let program =
        |package: &str| format!("from {package} import trace\n\n\n@trace\ndef f(a):\n    return a + 1\n\n\nprint(f(1))\n");
    place.save("app.py", &program("pytead"));
    good(&place, &["run", "app.py"]);
    place.save("lib.py", "from pytead import trace\n\n\n@trace\ndef double(a):\n    return a + a\n");
    place.save("use.py", "from lib import double\n\nprint(double(2))\n");
    good(&place, &["run", "use.py"]);
    let said = good(&place, &["gen", "lib:double"]);
    assert!(said.contains("1 draft proved") || said.contains("1 drafts proved"), "drafts are proved with the old name: {said}");
    let (_, said) = python(&place, &["app.py"]);
    assert!(said.contains("No module named 'pytead'"), "no file of the wheel has that name: {said}");
    let said = good(&place, &["doctor"]);
    assert!(said.contains("app.py:1") && said.contains("write: from pytead_tui import trace"), "{said}");
    place.save("app.py", &program("pytead_tui"));
    let (success, said) = python(&place, &["app.py"]);
    assert!(success && said.contains('2'), "{said}");
    good(&place, &["run", "app.py"]);
}

fn imported() {
    let place = project();
    place.save(
        "call_logs/mymodule_multiply__1.gjson",
        "{\"trace_schema\": \"pytead/v2-graph\", \"timestamp\": \"2026-11-20T16:09:44.293074+00:00\", \"func\": \"mymodule.multiply\", \
         \"args_graph\": [2, 3], \"kwargs_graph\": {}, \"result_graph\": 6}",
    );
    assert!(good(&place, &["import", "call_logs"]).contains("1 call of 1 function imported"));
}

fn generated() {
    let place = project();
    place.save(
        "tests/test_old.py",
        "import pytest\nfrom pytead.testkit import param_ids, run_case, setup\n\nsetup(__file__, ['..'])\nCASES = [((2, 3), {}, 6, None, None, \
         None, None)]\n\n\n@pytest.mark.parametrize('case', CASES, ids=param_ids(CASES))\ndef test_multiply(case):\n    \
         run_case('mymodule.multiply', case)\n",
    );
    let (success, said) = pytest(&place, &["tests/test_old.py"]);
    assert!(success && said.contains("1 passed"), "{said}");
}

fn settings() {
    let place = project();
    place.save("pyproject.toml", "[tool.pytead.run]\nlimit = 2\ntargets = [\"mymodule.multiply\"]\n");
    good(&place, &["run", "--", "main.py"]);
    assert!(!good(&place, &["export", "1"]).contains("other("), "only the targets");
}

fn formats() {
    let place = ran();
    assert!(good(&place, &["gen", "--format", "pickle"]).contains("--format names no storage any more."));
}

const INTENT: &str = "from pytest_semantic import semantic_test\nfrom pytest_semantic.core import SemanticAssertionError\n\nfrom mymodule import \
    multiply\n\n\n@semantic_test(intent=\"multiply is called exactly once.\")\ndef test_good():\n    assert issubclass(SemanticAssertionError, \
    AssertionError)\n    multiply(2, 3)\n\n\n@semantic_test(intent=\"multiply is called exactly once.\")\ndef test_bad():\n    pass\n\n\n\
    @semantic_test(intent=\"It multiplies politely.\")\ndef test_open():\n    multiply(1, 1)\n";

fn decorated() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    let (success, said) = pytest(&place, &["tests/test_intents.py"]);
    assert!(!success && said.contains("1 failed, 1 passed, 1 unclear"), "{said}");
}

fn by_rules() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    let (_, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(said.contains("No clause says") && said.contains("pytead-tui model lists"), "{said}");
    good(&place, &["check", "--accept", "tests/test_intents.py::test_open"]);
    let (success, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(success && said.contains("1 passed"), "{said}");
}

fn environment() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    place.save(".env", "SEMANTIC_MODEL=gpt-5\nSEMANTIC_BASE_URL=http://127.0.0.1:9/v1\n");
    let (_, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(said.contains("UNCLEAR") && said.contains("pytead-tui trust"), "it counts in trusted folders only: {said}");
    assert_eq!(place.run(&["trust"]).0, 0);
    let (_, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(said.contains("127.0.0.1:9") && said.contains("ERROR"), "it is asked, and not there: {said}");
}

fn down() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    place.save(".env", "SEMANTIC_MODEL=gpt-5\nSEMANTIC_BASE_URL=http://127.0.0.1:9/v1\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    let (success, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(success && said.contains("ERROR"), "it is no failure: {said}");
}

fn exits() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    let (success, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(success && said.contains("UNCLEAR"), "{said}");
    let (success, said) = pytest(&place, &["tests/test_intents.py", "-k", "open", "--semantic-strict"]);
    assert!(!success && said.contains("UNCLEAR"), "{said}");
}

fn sent() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    place.save(".env", "SEMANTIC_MODEL=gpt-5\nSEMANTIC_BASE_URL=https://models.invalid/v1\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    let (_, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(said.contains("pytead-tui trust --send-to models.invalid"), "{said}");
}

fn refusals() {
    let place = project();
    place.save("tests/llm/plugins/api.py", PLUGIN);
    for (expect, code) in
        [("Should fail", 0), ("Expect an exception", 0), ("error contains 'id'", 0), ("It is fine that there is no user", 1)]
    {
        let test = format!(
            "test: {{name: refusal}}\nsteps:\n  - {{tool: api_get, args: {{}}, expect: \"{expect}\"}}\nverdict: {{pass_if: all steps pass, fail_if: any step fails}}\n"
        );
        place.save("tests/llm/test_users.yaml", &test);
        let (found, out, err) = place.run(&["--trust", "spec", "tests/llm"]);
        assert_eq!(found, code, "{expect}: {out}{err}");
    }
}

fn old_verdicts() {
    let place = project();
    place.save("tests/test_intents.py", INTENT);
    std::fs::write(place.root().join(".pytest_semantic_cache.db"), "no database").unwrap();
    let (_, said) = pytest(&place, &["tests/test_intents.py", "-k", "open"]);
    assert!(said.contains("UNCLEAR"), "it is no proof: {said}");
}

fn agent() {
    let place = project();
    place.save(
        "tests/test_intents.py",
        INTENT.replace("pytest_semantic", "pytead_tui").replace("pytead_tui.core", "pytead_tui").as_str(),
    );
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut client = crate::harness::agent::Client::start(&place, &["mcp"]);
    let old = serde_json::json!({ "intent": "x", "trace_log": "1. [CALLED] f({})" });
    assert!(client.refused("evaluate_semantic_assertion", old).contains("Name the test"));
    let named = serde_json::json!({ "test": "tests/test_intents.py::test_good" });
    assert_eq!(client.good("evaluate_semantic_assertion", named)["passed"], true);
}

const PLUGIN: &str = "from llm_pytest import LLMPlugin\n\n\nclass Api(LLMPlugin):\n    name = 'api'\n\n    async def get(self, id: int) -> dict:\n        \
    return {'id': id, 'name': 'Ada'}\n";

fn yaml() {
    let place = project();
    place.save("tests/llm/plugins/api.py", PLUGIN);
    place.save(
        "tests/llm/test_users.yaml",
        "test: {name: users}\nsteps:\n  - {tool: api_get, args: {id: 7}, save_as: user, expect: result has id and name}\n  - tool: api_get\n    args: {id: \
         \"${user.id}\"}\n    expect: result is unchanged from ${user}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n",
    );
    let (success, said) = pytest(&place, &["tests/llm", "--llm"]);
    assert!(success && said.contains("1 passed"), "{said}");
    assert!(good(&place, &["spec", "tests/llm"]).contains("1 passed"));
}

fn names() {
    let place = project();
    place.save(
        "tests/test_names.py",
        "import pytest\n\n\ndef test_names():\n    from llm_pytest import interpolate_value\n    assert interpolate_value('${u.id}', {'u': {'id': 1}}) == \
         '1'\n    with pytest.raises(ImportError, match='pytead-tui spec --check'):\n        from llm_pytest import TestSpec\n    with \
         pytest.raises(ImportError, match='pytest tests/llm --llm'):\n        from llm_pytest import run_llm_test\n    with \
         pytest.raises(ImportError, match='model.provider'):\n        from llm_pytest import get_provider\n",
    );
    let (success, said) = pytest(&place, &["tests/test_names.py"]);
    assert!(success, "{said}");
}

fn claude() {
    let place = project();
    place.save("tests/llm/test_a.yaml", "test: {name: a}\nsteps:\n  - {tool: list_values, expect: It looks good.}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n");
    let said = good(&place, &["spec", "tests/llm"]);
    assert!(said.contains("llm-pytest asked Claude Code: pytead-tui model use claude_code."), "{said}");
    good(&place, &["model", "use", "claude_code"]);
    let (code, said, err) = place.run(&["--trust", "spec", "tests/llm"]);
    assert!(
        !said.contains("none is chosen") && (said + &err).contains("api.anthropic.com"),
        "{code}: it is asked, or what keeps it from that is said"
    );
}

fn by_name() {
    let place = project();
    let answer = "import importlib\n\nmodule = importlib.import_module(\"module\")\nmultiply = getattr(module, \"multiply\")\n\n\n\
        def test_multiply():\n    assert multiply(2, 3) == 6\n";
    let model = crate::harness::model::Model::answers(&[answer]);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), model.config()).unwrap();
    let (code, out, err) = place.run(&["--trust", "draft", "multiply"]);
    assert!(code == 0 && out.contains("+import mymodule as module") && !out.contains("importlib"), "{out}{err}");
}

fn mistakes() {
    let place = project();
    place.save("tests/llm/test_a.yaml", "test: {nme: x}\nsteps:\n  - {tool: slep}\nverdict: {pass_if: a, fail_if: b}\n");
    let (code, out, err) = place.run(&["spec", "--check"]);
    assert!(code == 2 && out.contains(":1:") && out.contains(":3:"), "{out}{err}");
    place.save("tests/llm/test_a.yaml", "test: {name: x, timeout: \"60\", author: me}\nsteps:\n  - {tool: sleep}\n  - {analyze: Is it fine}\nverdict: {pass_if: a, fail_if: b}\n");
    let (code, out, err) = place.run(&["spec", "--check"]);
    assert!(code == 2 && out.contains(":1:") && out.contains(":4:"), "{out}{err}");
}

fn generator() {
    let place = project();
    let answer = "from mymodule import multiply\n\n\ndef test_multiply():\n    assert multiply(2, 3) == 6\n";
    let wrong = "from mymodule import other\n\n\ndef test_other():\n    assert other(2) == 2\n";
    let model = crate::harness::model::Model::answers(&[answer, wrong, wrong, answer]);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), model.config() + "output:\n  naming: stem\n").unwrap();
    place.save("CONFIG.yaml", "generation:\n  n_ctx: 4096\n  max_tokens: 512\noutput:\n  default_dir: ./generated_tests/\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    let words = ["draft", "mymodule.py", "CONFIG.yaml", "--no-stream", "--scan-root", ".", "--save-index", "index.json"];
    let (_, out, err) = place.run(&words);
    let tests = place.read("generated_tests/test_mymodule.py");
    assert!(tests.contains("multiply(2, 3) == 6") && !tests.contains("other("), "what is not so is left out: {out}{err}");
    let (code, out, err) = place.run(&["draft", "multiply", "-o", "made", "--load-index", "index.json"]);
    assert!(code == 0 && place.root().join("made/test_mymodule.py").exists(), "{out}{err}");
    let (code, out, err) = place.run(&["draft", "multiply", "--no-index"]);
    assert_eq!(code, 0, "{out}{err}");
}

fn models() {
    for words in [&["model", "get", "--help"][..], &["model", "use", "--help"]] {
        assert_eq!(project().run(words).0, 0);
    }
}

fn training() {
    let place = ran();
    let (code, out, err) = place.run(&["--trust", "export", "finetuning", "-d", "data"]);
    assert!(code == 0 || err.contains("No "), "{out}{err}");
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("finetuning/README.md").is_file());
}
