//! YAML tests in the workbench, in a real terminal: run from the screen, stopped, run again by a save, and taken in when
//! another process ran them.

use super::{cleaned, only, project, python, running, spec, with};
use crate::harness::{Place, Terminal};

/// A trusted project whose Python has what plugins need.
fn trusted() -> Place {
    let place = project();
    let (code, out, err) = place.run(&["trust"]);
    assert_eq!(code, 0, "{out}{err}");
    place
}

fn open(place: &Place) -> Terminal {
    Terminal::start(place, &["--python", python()], 160, 45)
}

fn leave(mut terminal: Terminal) {
    terminal.keys("q");
    terminal.end();
}

#[test]
fn tests_are_run_from_the_screen_and_their_steps_shown() {
    let place = trusted();
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3");
    let screen = terminal.wait("Create user");
    assert!(screen.contains("not run yet") && screen.contains("t run"), "{screen}");
    // The first one has no result: Enter runs it.
    terminal.keys("\r");
    let screen = terminal.wait("FAIL: “Create user” in line 5");
    assert!(screen.contains("check: result.id == 99: result.id is 1"), "{screen}");
    assert!(screen.contains("printed") && screen.contains("| creating Ada"), "{screen}");
    terminal.wait("[3 Specs 1✗]");
    // All of them.
    terminal.keys("T");
    let screen = terminal.wait("[3 Specs 1✗ 1?]");
    assert!(screen.contains("User creation") || screen.contains("User Creation Test"), "{screen}");
    terminal.wait_until("the end of the run", |screen| screen.contains("PASS") && !screen.contains("running "));
    leave(terminal);
    assert_eq!(running(&place.root()), 0);
    // What came of them is there when one comes back.
    let terminal = open(&place);
    terminal.wait("[3 Specs 1✗ 1?]");
    leave(terminal);
}

#[test]
fn a_wrong_file_is_shown_with_its_mistakes_and_mended_in_sight() {
    let place = trusted();
    let file = only(&place, "test: {nme: x}\nsteps:\n  - tool: api_echo\nverdict: {pass_if: a, fail_if: b}\n");
    let mut terminal = open(&place);
    terminal.wait("3 Specs 1!");
    terminal.keys("3");
    let screen = terminal.wait("`nme` is no field of `test`. Did you mean `name`?");
    assert!(screen.contains("2 mistakes") && screen.contains("^^^"), "{screen}");
    terminal.keys("t");
    terminal.wait("its file has mistakes");
    place.save(file, &with("", "  - {tool: api_echo, name: says it}\n"));
    terminal.wait("says it");
    leave(terminal);
}

#[test]
fn a_run_is_stopped_in_order() {
    let place = trusted();
    only(
        &place,
        &with(
            "",
            "  - {tool: api_leak}\n  - {tool: api_hang, name: hangs}\n  - {tool: api_echo, name: last}\nteardown:\n  - {tool: api_echo, name: after}\n",
        ),
    );
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3");
    terminal.wait("hangs");
    terminal.keys("t");
    terminal.wait("[3 Specs »1]");
    terminal.wait("always runs");
    terminal.wait_until("the step that hangs", |screen| screen.contains("1 of 4 steps over"));
    terminal.keys("x");
    let screen = terminal.wait("ERROR: The test was stopped.");
    assert!(screen.contains("not run: the test was stopped"), "{screen}");
    let after = screen.lines().find(|line| line.contains("after")).unwrap_or_default();
    assert!(after.contains('✓'), "teardown is run all the same: {screen}");
    leave(terminal);
    assert_eq!(cleaned(&place), 1);
    assert_eq!(running(&place.root()), 0, "what it started is gone");
}

#[test]
fn a_save_runs_what_it_concerns_again_and_says_why() {
    let place = trusted();
    place.save("other.py", "def unused():\n    return 1\n");
    only(&place, &with("", "  - {tool: api_create_user, args: {name: a, email: a@b.c}, check: result.id == 1}\n"));
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3");
    terminal.wait("not run yet");
    // What never ran is not run by a save.
    place.edit("service.py", "len(self.users) + 1", "len(self.users) + 1 + 0");
    terminal.keys("t");
    terminal.wait("PASS: 1 step passed.");

    place.edit("service.py", "+ 1 + 0", "+ 2");
    let screen = terminal.wait("FAIL: ");
    assert!(screen.contains("run again because Service.create, which it calls, changed"), "{screen}");
    place.edit("service.py", "+ 2", "+ 1");
    terminal.wait("PASS: 1 step passed.");

    // Its plugin, and itself.
    place.edit("tests/llm/plugins/api.py", "print(\"creating\", name)", "raise OSError(\"no\")");
    terminal.wait("run again because its plugin");
    terminal.wait("OSError: no");
    place.edit("tests/llm/plugins/api.py", "raise OSError(\"no\")", "pass");
    terminal.wait("PASS: 1 step passed.");
    place.edit("tests/llm/test_it.yaml", "result.id == 1", "result.id == 3");
    terminal.wait("run again because it changed");
    terminal.wait("FAIL: ");

    // Code that it does not use is none of its business.
    let before = cleaned(&place);
    place.edit("other.py", "return 1", "return 2");
    terminal.keys("5");
    terminal.wait("other.py: unused changed");
    terminal.keys("3");
    terminal.wait("[3 Specs 1✗]");
    leave(terminal);
    assert_eq!(cleaned(&place), before);
}

#[test]
fn where_nothing_is_judged_after_a_save_the_verdict_is_stale() {
    let place = trusted();
    std::fs::create_dir_all(place.home().join("config/pytead-tui")).unwrap();
    std::fs::write(place.home().join("config/pytead-tui/config.yaml"), "watch:\n  judge: off\n").unwrap();
    only(&place, &with("", "  - {tool: api_create_user, args: {name: a, email: a@b.c}}\n"));
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3t");
    terminal.wait("PASS: 1 step passed.");
    place.edit("service.py", "+ 1", "+ 2");
    terminal.wait("Not of today: Service.create, which it calls, changed");
    leave(terminal);
    // It is so for the next session, too, which did not see the edit.
    let terminal = open(&place);
    terminal.wait("Not of today: ");
    leave(terminal);
}

#[test]
fn what_another_process_ran_is_taken_in() {
    let place = trusted();
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3");
    terminal.wait("not run yet");
    let (code, said) = spec(&place, &["tests/llm/test_failing.yaml"]);
    assert_eq!(code, 1, "{said}");
    terminal.wait("[3 Specs 1✗]");
    terminal.wait("FAIL: “Create user” in line 5");
    leave(terminal);
}

#[test]
fn watch_without_the_screen_runs_them_again_too() {
    let place = trusted();
    let file = only(&place, &with("", "  - {tool: api_create_user, args: {name: a, email: a@b.c}, check: result.id == 1}\n"));
    assert_eq!(spec(&place, &[file]).0, 0);
    let mut child = place.command(&["--python", python(), "watch"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut wait = |text: &str| {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert!(std::io::BufRead::read_line(&mut out, &mut line).unwrap() > 0, "no {text:?}");
        }
        line
    };
    wait("Watching");
    // The first look at the tests comes after the first line.
    std::thread::scope(|scope| {
        let editing = scope.spawn(|| {
            for number in 2.. {
                place.edit("service.py", &format!("+ {}", number - 1), &format!("+ {number}"));
                std::thread::sleep(std::time::Duration::from_millis(500));
                if cleaned(&place) > 1 {
                    return;
                }
            }
        });
        // Named by its function, or by its file where the first look came after the first edit.
        let why = wait("» it: ");
        assert!(why.contains("service.py") && why.contains("changed"), "{why}");
        wait("✗ FAIL it");
        editing.join().unwrap();
    });
    let _ = child.kill();
    let _ = child.wait();
}
