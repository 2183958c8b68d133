//! `pytead-tui spec new` and what becomes of a YAML test that a model wrote: checked, proposed, accepted, rejected, taken
//! back; against a scripted model server, on the command line and in the workbench.

use crate::harness::model::Model;
use crate::harness::{Place, Terminal};
use serde_json::Value;

const TEST: &str = "test:\n  name: A value is kept\nsteps:\n  - {tool: store_value, args: {name: a, value: 1}, check: \
                    \"result['stored'] == 'a'\"}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n";
const WITH_PLUGIN: &str = "test:\n  name: Users\nsteps:\n  - {tool: users_create, args: {name: Ada}, check: \
                           \"result['name'] == 'Ada'\"}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n";

fn plugin(sentinel: &std::path::Path) -> String {
    format!(
        "from pytead_tui import LLMPlugin\n\nopen({:?}, 'w').write('imported')\n\n\nclass Users(LLMPlugin):\n    name = \"users\"\n\n    \
         async def create(self, name: str) -> dict:\n        \"\"\"Creates a user.\"\"\"\n        return {{\"name\": name}}\n",
        sentinel.display().to_string()
    )
}

fn answer(test: &str, plugin: Option<&str>) -> String {
    let plugin = plugin.map_or_else(String::new, |plugin| format!("\n```python\n{plugin}```\n"));
    format!("```yaml\n{test}```\n{plugin}")
}

fn project(answers: &[&str]) -> (Place, Model) {
    let place = Place::empty();
    place.save("shop.py", "def total(prices):\n    '''Adds the prices of a cart.'''\n    return sum(prices)\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    let model = Model::answers(answers);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), model.config()).unwrap();
    (place, model)
}

fn exists(place: &Place, path: &str) -> bool {
    place.root().join(path).exists()
}

#[test]
fn a_test_by_a_model_waits_and_is_written_when_a_person_accepts_it() {
    let (place, model) = project(&[&answer(TEST, None)]);
    let (code, out, err) = place.run(&["spec", "new", "a value that is stored is kept"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("YAML test by tiny") && out.contains("asked for: a value that is stored is kept"), "{out}");
    assert!(out.contains("+  name: A value is kept") && out.contains("1 step"), "{out}");
    let file = "tests/llm/test_a_value_that_is_stored_is_kept.yaml";
    assert!(!exists(&place, "tests/llm"), "nothing is written before");
    let asked = model.requests.lock().unwrap()[0].clone();
    assert!(asked.contains("store_value") && asked.contains("shop:total") && asked.contains("Adds the prices"), "{asked}");

    let (_, out, _) = place.run(&["review", "--list"]);
    assert!(out.contains(&format!("YAML test by a model: {file}")), "{out}");
    let (_, out, _) = place.run(&["review", "--accept", "all"]);
    assert!(out.contains("Left for you to look at") && !exists(&place, "tests/llm"), "in no bulk: {out}");
    let (code, out, err) = place.run(&["review", "--accept", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains(&format!("Accepted test_a_value_that_is_stored_is_kept: 5 lines in {file}.")), "{out}");
    assert_eq!(place.read(file), TEST);
    let (code, out, err) = place.run(&["spec"]);
    assert_eq!(code, 0, "it is run like any other: {out}{err}");

    let (code, out, err) = place.run(&["review", "--undo"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!exists(&place, file), "taken back");
    let (code, out, err) = place.run(&["review", "--reject", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Rejected the YAML test"), "{out}");
    let (code, out, _) = place.run(&["spec", "new", "a value that is stored is kept"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("a person rejected this very text: #1"), "rejections are remembered: {out}");
}

#[test]
fn mistakes_go_back_to_the_model_once() {
    let wrong = TEST.replace("tool: store_value", "tool: store_valu").replace("  name: A", "  nme: A");
    let (place, model) = project(&[&answer(&wrong, None), &answer(TEST, None)]);
    let (code, out, err) = place.run(&["spec", "new", "a value is kept", "--name", "kept"]);
    assert_eq!(code, 0, "{out}{err}");
    let asked = model.requests.lock().unwrap().clone();
    assert!(asked.len() == 2 && !asked[0].contains("An earlier answer") && asked[1].contains("An earlier answer cannot be used"));
    assert!(asked[1].contains("Did you mean `name`?") && asked[1].contains("nme: A value is kept"), "{}", asked[1]);

    // A second wrong answer is shown, with every mistake and its line, and cannot be accepted.
    let (place, model) = project(&[&answer(&wrong, None)]);
    let (code, out, err) = place.run(&["spec", "new", "a value is kept", "--name", "kept"]);
    assert_eq!((code, model.requests.lock().unwrap().len()), (1, 2), "{out}{err}");
    assert!(out.contains("tests/llm/test_kept.yaml:2:3") && out.contains("refused"), "{out}");
    let (code, out, err) = place.run(&["review", "--accept", "1"]);
    assert!(code != 0 && !exists(&place, "tests/llm"), "{out}{err}");
    // A person may put it right, or put it away.
    assert_eq!(place.run(&["review", "--reject", "1"]).0, 0);
}

#[test]
fn a_plugin_by_a_model_is_not_imported_before_a_person_accepts_it() {
    let sentinel = tempfile::tempdir().unwrap();
    let sentinel = sentinel.path().join("imported");
    let (place, _model) = project(&[&answer(WITH_PLUGIN, Some(&plugin(&sentinel)))]);
    let (code, out, err) = place.run(&["spec", "new", "users are created", "--name", "users"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("+class Users(LLMPlugin):") && out.contains("tests/llm/plugins/users.py parses: 2 tools"), "{out}");
    for verb in [&["spec", "--tools"][..], &["review", "--list"], &["spec", "new", "something else"], &["index"]] {
        place.run(verb);
    }
    assert!(!sentinel.exists(), "imported before it was accepted");
    let (code, out, err) = place.run(&["review", "--accept", "1"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!sentinel.exists() && place.read("tests/llm/plugins/users.py").contains("class Users"));
    let (code, out, err) = place.run(&["spec"]);
    assert!(code == 0 && sentinel.exists(), "{out}{err}");
    assert_eq!(place.run(&["review", "--undo"]).0, 0);
    assert!(!exists(&place, "tests/llm/plugins/users.py") && !exists(&place, "tests/llm/test_users.yaml"));
}

#[test]
fn a_plugin_gets_more_tools_and_loses_none() {
    let old = "from pytead_tui import LLMPlugin\n\n\nclass Users(LLMPlugin):\n    name = \"users\"\n\n    async def count(self) -> int:\n        return 0\n";
    let more = format!("{old}\n    async def create(self, name: str) -> dict:\n        return {{\"name\": name}}\n");
    let less = more.replace("count", "number");
    let (place, model) = project(&[&answer(WITH_PLUGIN, Some(&less)), &answer(WITH_PLUGIN, Some(&more))]);
    place.save("tests/llm/plugins/users.py", old);
    let (code, out, err) = place.run(&["spec", "new", "users are created", "--name", "users", "--extend", "users"]);
    assert_eq!(code, 0, "{out}{err}");
    let asked = model.requests.lock().unwrap().clone();
    assert!(asked[0].contains("users_count") && asked[1].contains("the tool users_count is gone"), "{asked:#?}");
    assert_eq!(place.read("tests/llm/plugins/users.py"), old, "nothing is written before");
    // What a person changes meanwhile is not written over.
    place.save("tests/llm/plugins/users.py", &format!("{old}# mine\n"));
    let (code, out, err) = place.run(&["review", "--accept", "1"]);
    assert!(code != 0 && (out + &err).contains("changed since"));
    place.save("tests/llm/plugins/users.py", old);
    assert_eq!(place.run(&["review", "--accept", "1"]).0, 0);
    assert_eq!(place.read("tests/llm/plugins/users.py"), more);
    let (code, _, err) = place.run(&["spec", "new", "x", "--extend", "../users"]);
    assert!(code == 2 && err.contains("There is no plugin"), "{err}");
}

#[test]
fn without_a_model_a_sentence_says_how_to_choose_one_and_names_are_checked() {
    let place = Place::empty();
    let (code, _, err) = place.run(&["spec", "new", "x"]);
    assert!(code == 3 && err.contains("is not trusted"), "{err}");
    assert_eq!(place.run(&["trust"]).0, 0);
    let (code, _, err) = place.run(&["spec", "new", "x"]);
    assert!((code == 2 || code == 3) && err.contains("model"), "{err}");
    let (place, model) = project(&[TEST]);
    place.save("tests/llm/test_there.yaml", TEST);
    for (name, why) in [("../x", "is no name"), ("a b", "is no name"), ("there", "There is a test")] {
        let (code, _, err) = place.run(&["spec", "new", "x", "--name", name]);
        assert!(code == 2 && err.contains(why), "{name}: {err}");
    }
    assert!(model.requests.lock().unwrap().is_empty());
    let (code, out, err) = place.run(&["--format", "json", "spec", "new", "a value is kept"]);
    assert_eq!(code, 0, "{out}{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let proposal = lines.iter().find(|line| line["result"] == "proposal").unwrap();
    assert_eq!(proposal["value"]["proposal"]["body"]["kind"], "spec", "{proposal:#}");
}

#[test]
fn the_workbench_shows_accepts_and_takes_back_a_yaml_test() {
    let sentinel = tempfile::tempdir().unwrap();
    let sentinel = sentinel.path().join("imported");
    let (place, _model) = project(&[&answer(WITH_PLUGIN, Some(&plugin(&sentinel)))]);
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Functions");
    assert_eq!(place.run(&["spec", "new", "users are created", "--name", "users"]).0, 0);
    terminal.wait("[1 Review 1]");
    terminal.keys("J");
    terminal.wait("YAML test by a model, with a plugin: tests/llm/test_users.yaml");
    let screen = terminal.wait("class Users(LLMPlugin):");
    assert!(screen.contains("name: Users") && screen.contains("asked for: users are created"), "{screen}");
    terminal.keys("a");
    terminal.wait("Accepted test_users");
    assert!(place.read("tests/llm/test_users.yaml") == WITH_PLUGIN && !sentinel.exists());
    terminal.keys("u");
    terminal.wait("Taken back");
    assert!(!exists(&place, "tests/llm/test_users.yaml"));
    terminal.keys("r");
    terminal.wait("Rejected the YAML test test_users");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
