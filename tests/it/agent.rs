//! `pytead-tui agent` and `diff --hook` on the real binary: what is written for a coding agent, what it is told, and that
//! both leave no trace.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

use crate::harness::Place;
use serde_json::{Value, json};

fn git(place: &Place, args: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"];
    let mut command = std::process::Command::new("git");
    let status = command.args(identity).args(args).current_dir(place.root()).env_clear().envs(place.environment()).status();
    assert!(status.unwrap().success(), "git {args:?}");
}

/// A project with a commit and recorded calls, trusted.
fn recorded() -> Place {
    Place::prepared("agent", || {
        let place = Place::empty();
        place.save("money.py", "def cents(x):\n    return x * 100\n\n\ndef fee(x):\n    return x + 2\n");
        place.save("order.py", "from money import cents, fee\n\n\ndef total(x):\n    return cents(fee(x))\n");
        place.save("main.py", "from order import total\n\nfor x in (1, 2, 30):\n    total(x)\n");
        git(&place, &["init", "-q"]);
        git(&place, &["add", "-A"]);
        git(&place, &["commit", "-q", "-m", "as it was"]);
        assert_eq!(place.run(&["trust"]).0, 0);
        let (code, _, err) = place.run(&["run", "--", "main.py"]);
        assert_eq!(code, 0, "{err}");
        place
    })
}

/// Stops as an agent does; gives the answer and what was said besides.
fn stop(place: &Place, said: &str) -> (Value, String) {
    let mut command = place.command(&["diff", "--hook"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr).into_owned());
    assert_eq!(output.status.code(), Some(0), "an agent may always stop: {out}{err}");
    (serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}")), err)
}

const CLAUDE: &str = r#"{"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": false}"#;

fn reason(answer: &Value) -> &str {
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().unwrap()
}

#[test]
fn a_regression_two_functions_away_is_told_once() {
    let place = recorded();
    assert_eq!(stop(&place, CLAUDE).0, json!({}), "nothing was edited");
    place.edit("money.py", "x + 2", "x + 3");
    assert_eq!(stop(&place, r#"{"stop_hook_active": true}"#).0, json!({}), "an agent that was told may stop");
    let (answer, _) = stop(&place, CLAUDE);
    let told = reason(&answer);
    for part in ["order:total", "→ 300", "→ 400", "because of fee  money.py:6", "+    return x + 3", "not instructions"] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(told.find("order:total") < told.find("Edited functions"), "side effects first: {told}");
    assert!(told.chars().count() < 6_500, "{}", told.len());
    assert_eq!(stop(&place, CLAUDE).0, json!({}), "it is told once");
    // Another edit is another tree, but what was told stays told.
    place.edit("money.py", "def cents(x):", "def unused(x):\n    return x\n\n\ndef cents(x):");
    assert_eq!(stop(&place, CLAUDE).0, json!({}), "what was told is not told again");
    place.edit("money.py", "x * 100", "x * 1000");
    assert!(reason(&stop(&place, CLAUDE).0).contains("→ 4000"));
    // What was put right and comes back is news again.
    place.edit("money.py", "x * 1000", "x * 100");
    place.edit("money.py", "x + 3", "x + 2");
    assert_eq!(stop(&place, CLAUDE).0, json!({}));
    place.edit("money.py", "x + 2", "x + 3");
    assert!(reason(&stop(&place, CLAUDE).0).contains("→ 400"));
    let (_, queue, _) = place.run(&["review", "--list"]);
    assert!(queue.contains("order:total") && queue.contains("money:fee"), "a person finds the rest: {queue}");
}

#[test]
fn a_commit_does_not_hide_what_an_agent_did() {
    let place = recorded();
    place.edit("money.py", "x + 2", "x + 3");
    git(&place, &["commit", "-qam", "fix"]);
    let (answer, _) = stop(&place, CLAUDE);
    assert!(reason(&answer).contains("order:total") && reason(&answer).contains("→ 400"), "{answer}");
    assert_eq!(stop(&place, CLAUDE).0, json!({}));
}

#[test]
fn what_a_person_accepted_is_not_told() {
    let place = recorded();
    place.edit("money.py", "x + 2", "x + 3");
    assert_eq!(place.run(&["replay"]).0, 1);
    let (code, out, err) = place.run(&["review", "--accept", "all"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(stop(&place, CLAUDE).0, json!({}));
}

#[test]
fn each_agent_is_answered_in_its_own_words() {
    let place = recorded();
    place.edit("money.py", "x + 2", "x + 3");
    let root = place.root();
    let cursor = |count: u64| json!({ "status": "completed", "loop_count": count, "workspace_roots": [root] }).to_string();
    assert_eq!(stop(&place, &cursor(1)).0, json!({}));
    let (answer, _) = stop(&place, &cursor(0));
    assert!(answer["followup_message"].as_str().unwrap().contains("order:total"), "{answer}");
}

#[test]
fn whatever_goes_wrong_the_agent_may_stop() {
    let place = recorded();
    place.edit("money.py", "x + 2", "x + ");
    let (answer, _) = stop(&place, CLAUDE);
    assert!(answer == json!({}) || answer["decision"] == "block", "{answer}");
    assert_eq!(place.run(&["trust", "--remove"]).0, 0);
    let (answer, err) = stop(&place, CLAUDE);
    assert_eq!(answer, json!({}));
    assert!(err.contains("is not trusted"), "{err}");
    let empty = Place::empty();
    empty.save("a.py", "def f():\n    return 1\n");
    empty.save("main.py", "import a\n\na.f()\n");
    assert_eq!(empty.run(&["trust"]).0, 0);
    assert_eq!(stop(&empty, CLAUDE), (json!({}), String::new()), "nothing is recorded, so there is nothing to tell");
    assert_eq!(empty.run(&["run", "main.py"]).0, 0);
    for said in ["", "no json", "[]", "{\"cwd\": 7}"] {
        let (answer, err) = stop(&empty, said);
        assert_eq!(answer, json!({}));
        assert!(err.contains("no git repository"), "{err}");
    }
    empty.save(".pytead/config.yaml", "record: [wrong\n");
    assert_eq!(stop(&empty, CLAUDE).0, json!({}));
}

/// Every file and folder of the project but ours, with its bytes.
fn everything(place: &Place) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![place.root()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(place.root()).unwrap().display().to_string();
            if path.is_dir() {
                found.insert(name, None);
                folders.push(path);
            } else {
                found.insert(name, Some(std::fs::read(&path).unwrap()));
            }
        }
    }
    found
}

const SETTINGS: &str = "{\n\t// mine\n\t\"zeta\": [1,2],\n\t\"hooks\": { \"Stop\": [ { \"hooks\": [{\"type\":\"command\",\"command\":\"./mine.sh\"}] } ] },\n\t\"alpha\": 1.50\n}";

fn with_files() -> Place {
    let place = Place::empty();
    place.save("app.py", "");
    place.save(".claude/settings.json", SETTINGS);
    place.save(".mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}");
    place.save(".cursor/mcp.json", "");
    place.save(".codex/config.toml", "# mine\nmodel = \"o\"   # the best\n[mcp_servers.other]\ncommand = \"x\"\n");
    place
}

#[test]
fn an_agent_is_set_up_in_its_own_files_and_leaves_no_trace() {
    for place in [Place::empty(), with_files()] {
        let untrusted = everything(&place);
        let (code, out, err) = place.run(&["agent", "init", "claude", "--yes"]);
        assert_eq!((code, everything(&place) == untrusted), (3, true), "nothing is written where nobody trusts it: {out}{err}");
        assert!(err.contains("pytead-tui trust"), "{err}");
        assert_eq!(place.run(&["trust"]).0, 0);
        let before = everything(&place);
        for agent in ["claude", "cursor", "codex"] {
            let (code, shown, err) = place.run(&["agent", "init", agent]);
            assert_eq!(code, 2, "nobody is there to ask: {err}");
            assert!(shown.contains("+++ b/.") && err.contains("--yes"), "{shown}{err}");
        }
        assert_eq!(everything(&place), before, "it is shown, not written");
        for agent in ["claude", "cursor", "codex"] {
            let (code, out, err) = place.run(&["agent", "init", agent, "--yes", "--command", "uvx pytead-tui"]);
            assert_eq!(code, 0, "{out}{err}");
            let written = everything(&place);
            let (code, out, _) = place.run(&["agent", "init", agent, "--yes", "--command", "uvx pytead-tui"]);
            assert_eq!((code, everything(&place) == written), (0, true), "twice is once: {out}");
        }
        let servers: Value = serde_json::from_str(&place.read(".mcp.json")).unwrap();
        assert_eq!(servers["mcpServers"]["pytead-tui"], json!({ "command": "uvx", "args": ["pytead-tui", "mcp"] }));
        assert!(place.read(".claude/settings.json").contains("\"uvx pytead-tui diff --hook\""));
        let hooks: Value = serde_json::from_str(&place.read(".cursor/hooks.json")).unwrap();
        assert_eq!((&hooks["version"], &hooks["hooks"]["stop"][0]["command"]), (&json!(1), &json!("uvx pytead-tui diff --hook")));
        assert!(place.read(".codex/config.toml").contains("[mcp_servers.pytead-tui]\ncommand = \"uvx\""));
        // Set up anew with another command, it still knows what was there before.
        let (code, ..) = place.run(&["agent", "init", "claude", "--yes", "--command", "uv run pytead-tui"]);
        assert_eq!(code, 0);
        assert_eq!(place.read(".claude/settings.json").matches("diff --hook").count(), 1);
        let (code, out, err) = place.run(&["agent", "remove", "--yes"]);
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(everything(&place), before);
        assert!(!place.home().join("state/pytead-tui/agents").read_dir().unwrap().any(|_| true), "nor is a note left");
        assert!(place.run(&["agent", "remove", "--yes"]).1.contains("No agent is set up here"));
    }
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    let place = with_files();
    assert_eq!(place.run(&["trust"]).0, 0);
    assert_eq!(place.run(&["agent", "init", "claude", "--yes"]).0, 0);
    assert_eq!(place.run(&["agent", "init", "cursor", "--yes"]).0, 0);
    place.edit(".claude/settings.json", "\"alpha\": 1.50", "\"alpha\": 1.75");
    place.edit(".mcp.json", "\"command\": \"x\"", "\"command\": \"y\"");
    place.save(".cursor/rules.md", "mine");
    assert_eq!(place.run(&["agent", "remove", "--yes"]).0, 0);
    let settings = place.read(".claude/settings.json");
    assert!(settings.contains("\"alpha\": 1.75") && settings.contains("// mine") && settings.contains("./mine.sh"), "{settings}");
    assert!(!settings.contains("pytead") && !place.read(".mcp.json").contains("pytead"));
    assert!(place.read(".mcp.json").contains("\"y\""));
    assert_eq!(place.read(".cursor/rules.md"), "mine");
    assert!(!place.root().join(".cursor/hooks.json").exists());
}

#[test]
fn files_that_are_not_the_agents_are_left_alone() {
    let place = Place::empty();
    assert_eq!(place.run(&["trust"]).0, 0);
    place.save(".mcp.json", "{ broken");
    let (code, _, err) = place.run(&["agent", "init", "claude", "--yes"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(".mcp.json is left as it is"), "{err}");
    assert!(!place.root().join(".claude").exists(), "all of it or nothing");
    let outside = place.home().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, place.root().join(".cursor")).unwrap();
    let (code, _, err) = place.run(&["agent", "init", "cursor", "--yes"]);
    assert!(code != 0 && err.contains("link"), "{code} {err}");
    assert!(!outside.read_dir().unwrap().any(|_| true));
}
