//! Several processes on one project at once: what one decides or records, all of them have, and nothing is lost.

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use crate::harness::agent::Client;
use crate::harness::{Place, Terminal};
use serde_json::json;

/// Longest wait for a condition; it only ends a test that has failed.
const DEADLINE: Duration = Duration::from_secs(90);

/// Starts commands at the same moment and waits for all of them.
fn at_once(place: &Place, commands: &[&[&str]]) -> Vec<Output> {
    let start = |args: &&[&str]| {
        let mut command = place.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let running: Vec<_> = commands.iter().map(start).collect();
    running.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn recorded() -> Place {
    Place::prepared("writers", || {
        let place = Place::empty();
        place.save("app.py", "def double(x):\n    return x * 2\n\n\ndef half(x):\n    return x / 2\n");
        place.save("main.py", "import app\n\nfor x in (1, 2, 30):\n    app.double(x)\n    app.half(x)\n");
        assert_eq!(place.run(&["trust"]).0, 0);
        assert_eq!(place.run(&["run", "main.py"]).0, 0);
        place
    })
}

/// Gives the numbers of the proposals that wait.
fn waiting(place: &Place) -> Vec<i64> {
    let (_, out, _) = place.run(&["--format", "json", "review"]);
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let queue = lines.into_iter().find(|line| line["result"] == "queue").unwrap_or_else(|| panic!("{out}"));
    queue["value"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

#[test]
fn decisions_on_one_proposal_at_the_same_moment_are_one_decision() {
    for words in [["--accept", "--accept"], ["--reject", "--reject"], ["--accept", "--reject"]] {
        let place = recorded();
        assert_eq!(place.run(&["gen"]).0, 0);
        let [first, ..] = waiting(&place)[..] else { panic!("nothing waits") };
        let number = first.to_string();
        let all = at_once(&place, &[&["review", words[0], &number], &["review", words[1], &number]]);
        let said: Vec<String> = all.iter().map(text).collect();
        let good = |said: &&String| said.contains("Accepted ") || said.contains("Rejected the draft");
        assert_eq!(said.iter().filter(good).count(), 1, "{words:?}: {said:#?}");
        assert!(!waiting(&place).contains(&first));
        // Taken back once, it waits as before: there is no second decision beneath.
        let (code, out, err) = place.run(&["review", "--undo"]);
        assert_eq!(code, 0, "{out}{err}");
        assert!(waiting(&place).contains(&first), "{words:?}");
        let (_, out, err) = place.run(&["review", "--undo"]);
        assert!(!(out + &err).contains("Taken back"), "{words:?}");
    }
}

#[test]
fn what_is_taken_back_at_the_same_moment_is_taken_back_once_each() {
    let place = recorded();
    assert_eq!(place.run(&["gen"]).0, 0);
    let before = waiting(&place);
    for id in before.iter().take(2) {
        assert_eq!(place.run(&["review", "--reject", &id.to_string()]).0, 0);
    }
    let said: Vec<String> = at_once(&place, &[&["review", "--undo"], &["review", "--undo"]]).iter().map(text).collect();
    let taken: usize = said.iter().map(|said| said.matches("Taken back").count()).sum();
    assert!(taken > 0 && waiting(&place).len() == before.len() - 2 + taken, "{said:#?}");
}

#[test]
fn programs_recorded_at_once_beside_the_workbench_lose_no_call() {
    let place = recorded();
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Functions");
    for number in 0..3 {
        let calls: String = (0..40).map(|call| format!("app.double({})\n", number * 1000 + call)).collect();
        place.save(&format!("program_{number}.py"), &format!("import app\n\n{calls}"));
    }
    let all = at_once(&place, &[&["run", "program_0.py"], &["run", "program_1.py"], &["run", "program_2.py"]]);
    for output in &all {
        assert!(output.status.success() && text(output).contains("40 calls"), "{}", text(output));
    }
    // Three of the first recording and forty of each of the others.
    terminal.wait("double: 123 calls recorded");
    terminal.keys("4");
    terminal.wait_until("all recordings", |screen| screen.matches("40 calls").count() == 3);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn what_the_workbench_decides_is_decided_for_every_other_process() {
    let place = recorded();
    assert_eq!(place.run(&["gen"]).0, 0);
    let before = waiting(&place);
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Ready · proved");
    terminal.keys("r");
    terminal.wait("Rejected the draft");
    let after = waiting(&place);
    assert_eq!(after.len() + 1, before.len());
    let gone = before.iter().find(|id| !after.contains(id)).unwrap().to_string();
    let (code, out, err) = place.run(&["review", "--accept", &gone]);
    assert_ne!(code, 0, "{out}{err}");
    // And what a command takes back comes back on the screen.
    assert_eq!(place.run(&["review", "--undo"]).0, 0);
    terminal.wait(&format!("Review {}", before.len()));
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_save_that_two_workbenches_see_gives_each_draft_once() {
    let place = recorded();
    assert_eq!(place.run(&["gen"]).0, 0);
    let before = waiting(&place);
    let mut both = [Terminal::start(&place, &[], 160, 45), Terminal::start(&place, &[], 160, 45)];
    for terminal in &mut both {
        terminal.wait("all fresh");
        terminal.keys("5");
        terminal.wait("opened");
    }
    let fresh = |screen: &str| screen.contains("all fresh") && !screen.contains("all fresh but");
    for (round, (old, new)) in [("x * 2", "2 * x"), ("x / 2", "x / 2.0"), ("2 * x", "x + x")].into_iter().enumerate() {
        place.edit("app.py", old, new);
        for terminal in &both {
            terminal.wait_until("the save", |screen| screen.matches("saved     app.py").count() == round + 1);
            terminal.wait_until("all to be fresh again", fresh);
        }
        // One of them proved it, and both have it.
        let proved = || both.iter().map(|one| one.screen().matches("proved  ").count()).sum::<usize>();
        let end = Instant::now() + DEADLINE;
        while proved() <= round {
            assert!(Instant::now() < end, "nobody proved it: {}", both[0].screen());
            std::thread::sleep(Duration::from_millis(20));
        }
        for terminal in &both {
            terminal.wait_until("all to be fresh again", fresh);
        }
        assert_eq!(waiting(&place), before, "nothing is there twice, and nothing is lost");
    }
    for terminal in &mut both {
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn a_change_of_behaviour_is_asked_once_by_two_workbenches_and_withdrawn_in_both() {
    let place = recorded();
    assert_eq!(place.run(&["gen"]).0, 0);
    let before = waiting(&place);
    let mut both = [Terminal::start(&place, &[], 160, 45), Terminal::start(&place, &[], 160, 45)];
    for terminal in &both {
        terminal.wait("all fresh");
    }
    place.edit("app.py", "x * 2", "x * 3");
    for terminal in &both {
        terminal.wait("1 changed");
    }
    place.edit("app.py", "x * 3", "x * 2");
    for terminal in &both {
        terminal.wait_until("all to be as before", |screen| !screen.contains("1 changed") && screen.contains("all fresh"));
    }
    // The draft is proved again, by whichever of the two is first.
    let end = Instant::now() + DEADLINE;
    while waiting(&place) != before {
        assert!(Instant::now() < end, "{:?} of {before:?} wait: {}", waiting(&place), both[0].screen());
    }
    for terminal in &mut both {
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn a_proposal_of_an_agent_is_seen_and_decided_in_every_place() {
    let place = recorded();
    let mut agent = Client::start(&place, &["mcp"]);
    let mut both = [Terminal::start(&place, &[], 160, 45), Terminal::start(&place, &[], 160, 45)];
    for terminal in &both {
        terminal.wait("Functions");
    }
    let test = "test: {name: kept}\nsteps:\n  - {tool: store_value, args: {name: a, value: 1}}\nverdict: {pass_if: all steps pass, fail_if: any step fails}\n";
    let shown = agent.good("create_test", json!({ "text": test, "filename": "kept" }));
    let number = shown["proposal"].clone();
    for terminal in &mut both {
        terminal.wait("[1 Review 1]");
        terminal.keys("J");
        let ready =
            |line: &str| line.contains("YAML test by an agent: tests/llm/test_kept.yaml") && line.trim_end().ends_with("Ready");
        terminal.wait_until("a proposal that is checked", |screen| screen.lines().any(ready));
    }
    // Decided in one workbench; the other, the agent and the command line know.
    both[0].keys("r");
    both[0].wait("Rejected the YAML test test_kept");
    both[1].wait("waits no more");
    assert_eq!(agent.good("show_proposal", json!({ "proposal": number }))["state"], "rejected");
    assert_eq!(agent.good("list_proposals", json!({}))["total"], 0);
    assert!(waiting(&place).is_empty());
    let said = agent.refused("create_test", json!({ "text": test, "filename": "kept" }));
    assert!(said.contains("A person rejected this very text"), "{said}");
    // Taken back on the command line, accepted in the other workbench.
    assert_eq!(place.run(&["review", "--undo"]).0, 0);
    both[1].wait_gone("waits no more");
    // What it shows is read anew. Until then the key waits, and asks once the text is here.
    both[1].keys("a");
    let either = |screen: &str| screen.contains("Accepted test_kept") || screen.contains("Write 1 file?");
    if both[1].wait_until("the decision", either).contains("Write 1 file?") {
        both[1].keys("a");
        both[1].wait("Accepted test_kept");
    }
    assert_eq!(place.read("tests/llm/test_kept.yaml"), test);
    assert_eq!(agent.good("show_proposal", json!({ "proposal": number }))["state"], "written");
    for terminal in &mut both {
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}
