//! Several processes on one project at once: what one decides or records, all of them have, and nothing is lost.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use std::process::{Output, Stdio};

use harness::{Place, Terminal};

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
    let place = Place::empty();
    place.save("app.py", "def double(x):\n    return x * 2\n\n\ndef half(x):\n    return x / 2\n");
    place.save("main.py", "import app\n\nfor x in (1, 2, 30):\n    app.double(x)\n    app.half(x)\n");
    assert_eq!(place.run(&["trust"]).0, 0);
    assert_eq!(place.run(&["run", "main.py"]).0, 0);
    place
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
