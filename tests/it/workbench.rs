//! The workbench on the real binary in a real terminal: the main job from the first frame to the last.

use crate::harness::{Place, Terminal};

/// Opens a shop, trusts it, records its tests with one key, and waits until the first draft is there.
fn recorded(place: &Place, columns: u16, rows: u16) -> Terminal {
    let mut terminal = Terminal::start(place, &[], columns, rows);
    terminal.wait("Do you trust the code in");
    terminal.keys("t");
    terminal.wait("y trust it");
    terminal.keys("y");
    terminal.wait("pytest -q");
    terminal.keys("\r");
    // The first draft comes without a key, while most recorded calls are still to be tried.
    terminal.wait_until("proved drafts", |screen| screen.contains("1 Review 3") && screen.contains("✓ passes"));
    terminal
}

/// Gives the line that says which proposal is selected.
fn selected(screen: &str) -> String {
    screen.lines().nth(1).unwrap_or_default().to_owned()
}

#[test]
fn the_whole_job_in_one_sitting() {
    let place = Place::example("shop");
    let mut terminal = recorded(&place, 160, 80);

    // Functions, source and calls lit up.
    let screen = terminal.wait("Cart.total");
    assert!(screen.contains("Functions") && screen.contains("Source"), "{screen}");

    // An edit shows old and new, and what was edited; going back is silent.
    place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
    terminal.wait("2 changed");
    terminal.keys("fis:failing\r");
    let mut screen = terminal.wait("is:failing ×F");
    // Which of the two comes first depends on the draft that was selected.
    for change in ["change  shipping_for", "change  Cart.total"] {
        while !screen.contains(change) {
            let before = selected(&screen);
            terminal.keys("J");
            screen = terminal.wait_until(change, |screen| selected(screen) != before);
        }
    }
    // Calls that are compared inside their tests come later, and may move the selection once more.
    let shows = |screen: &str| ["change  Cart.total", "104.90", "100.00", "because"].iter().all(|text| screen.contains(text));
    while !shows(&screen) {
        let before = screen;
        if !before.contains("change  Cart.total") {
            terminal.keys("J");
        }
        screen = terminal.wait_until("Cart.total, old and new", |screen| *screen != before);
    }
    place.edit("shop/pricing.py", "if total >= FREE_FROM", "if total > FREE_FROM");
    terminal.wait("all fresh");
    terminal.keys("FJ");

    // A draft is accepted once its diff was on the screen.
    terminal.wait_until("a ready draft", |screen| {
        screen.contains("draft  test for") && screen.contains("Ready · proved") && screen.contains("in 2 files")
    });
    terminal.keys("a");
    terminal.wait("Accepted");
    let tests = place.root().join("tests/pytead");
    let files = |tests: &std::path::Path| {
        std::fs::read_dir(tests)
            .map(|dir| dir.flatten().filter(|f| f.file_name().to_string_lossy().starts_with("test_pytead_")).count())
    };
    assert_eq!(files(&tests).unwrap(), 1);

    // And taken back.
    terminal.keys("u");
    terminal.wait("Taken back");
    assert_eq!(files(&tests).unwrap_or(0), 0);

    // What is decided in the last moment is carried out before the program ends.
    terminal.wait_until("a ready draft", |screen| screen.contains("Ready · proved") && screen.contains("in 2 files"));
    terminal.keys("aq");
    assert_eq!(terminal.end(), 0);
    assert_eq!(files(&tests).unwrap_or(0), 1);
}

#[test]
fn the_terminal_is_as_before_after_quitting() {
    let place = Place::example("shop");
    let mut terminal = Terminal::shell(
        &place,
        "stty -a > before; \"$PYTEAD\"; echo \"left with $?\"; stty -a > after; cmp before after && echo same modes",
        100,
        30,
    );
    terminal.wait("Do you trust the code in");
    terminal.keys("\u{1b}");
    terminal.wait_gone("Do you trust the code in");
    terminal.keys("q");
    let screen = terminal.wait("same modes");
    assert!(screen.contains("left with 0"), "{screen}");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(
        raw.contains("\u{1b}[?1049h") && raw.rfind("\u{1b}[?1049l") > raw.rfind("\u{1b}[?1049h"),
        "the screen was not given back"
    );
}

#[test]
fn a_terminating_signal_gives_the_terminal_back() {
    let place = Place::example("shop");
    let mut terminal = Terminal::start(&place, &[], 100, 30);
    terminal.wait("Do you trust the code in");
    let status = std::process::Command::new("kill").args(["-TERM", &terminal.pid().to_string()]).status().unwrap();
    assert!(status.success());
    terminal.end();
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(raw.contains("\u{1b}[?1049l"), "the screen was not given back");
}

#[test]
fn a_small_terminal_says_what_it_needs_and_grows_back() {
    let place = Place::example("shop");
    let mut terminal = Terminal::start(&place, &[], 30, 8);
    terminal.wait("Too small: 30×8.");
    terminal.resize(100, 30);
    terminal.wait("Do you trust the code in");
    terminal.resize(40, 10);
    terminal.wait_gone("Too small");
    terminal.keys("q");
    terminal.end();
}

#[test]
fn a_decision_made_elsewhere_shows_here() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["trust"]).0, 0);
    assert_eq!(place.run(&["gen", "tax_for"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Review 1");
    assert_eq!(place.run(&["review", "--accept", "all"]).0, 0);
    terminal.wait_until("an empty queue", |screen| !screen.contains("Review 1"));
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_model_writes_into_the_pane_and_can_be_stopped_at_once() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["trust"]).0, 0);
    let model = crate::harness::model::Model::start("```python\nfrom shop.pricing import bulk_price\n", true);
    let folder = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.yaml"), model.config()).unwrap();
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Nothing recorded");
    terminal.keys("fbulk_price\r");
    terminal.wait("Calls of bulk_price");
    terminal.keys("g");
    terminal.wait("Streaming");
    terminal.wait("# more");
    terminal.keys("x");
    terminal.wait("are kept as text");
    // The connection is closed, not merely ignored.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !model.hung_up.load(std::sync::atomic::Ordering::SeqCst) {
        assert!(std::time::Instant::now() < until, "the server still writes");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_branch_switch_with_two_thousand_files_is_one_change_and_keys_are_answered() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 120, 40);
    terminal.wait("Nothing recorded");
    std::fs::create_dir(place.root().join("many")).unwrap();
    for number in 0..2000 {
        std::fs::write(place.root().join(format!("many/m{number}.py")), format!("def f{number}(x):\n    return x + {number}\n"))
            .unwrap();
    }
    terminal.keys("?");
    terminal.wait("Keys here");
    terminal.keys("\u{1b}");
    terminal.wait("functions in 2 0");
    std::fs::remove_dir_all(place.root().join("many")).unwrap();
    terminal.wait_gone("functions in 2 0");
    terminal.wait("Nothing recorded");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_change_is_compared_with_its_commit_and_decided_there() {
    let place = Place::example("shop");
    place.commit();
    assert_eq!(place.run(&["trust"]).0, 0);
    assert_eq!(place.run(&["run", "pytest", "-q"]).0, 0);
    place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("Review 2");
    terminal.keys("D");
    terminal.wait("Diff against a commit");
    terminal.keys("\r");
    let screen = terminal.wait("Side effects elsewhere");
    for said in ["because of shipping_for", "old  Decimal('104.90')", "new  Decimal('100.00')", "differ", "⋯ waits"] {
        assert!(screen.contains(said), "{said} in {screen}");
    }
    // What was compared is not the code any more: nothing is decided on it.
    place.edit("shop/pricing.py", "if total >= FREE_FROM:", "if total >= FREE_FROM:  # from here on");
    terminal.wait("~ Stale");
    terminal.keys("r");
    terminal.wait("Compare again before deciding?");
    terminal.keys("y");
    terminal.wait_until("a fresh comparison", |screen| !screen.contains("~ Stale") && screen.contains("calls differ"));
    terminal.keys("r");
    terminal.wait("Enter alone gives no reason.");
    terminal.keys("\r");
    terminal.wait("✗ stays red");
    terminal.keys("u");
    terminal.wait("Taken back");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn settings_and_keys_are_taken_while_the_workbench_is_open_and_mistakes_leave_those_before() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["trust"]).0, 0);
    let own = place.home().join("config/pytead-tui");
    std::fs::create_dir_all(&own).unwrap();
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("Nothing recorded");

    std::fs::write(own.join("keys.toml"), "[global]\nquit = [\"Ctrl-q\"]\n").unwrap();
    terminal.wait("Keys read again");
    terminal.keys("q");
    terminal.wait("q does nothing here");
    std::fs::write(own.join("keys.toml"), "[global]\nquit = [\"j\"]\n").unwrap();
    terminal.wait("! keys.toml");
    terminal.keys("w");
    terminal.wait("What happened, why, what to do");
    terminal.wait("The keys before stay until it is fixed.");
    terminal.keys("\u{1b}");
    terminal.wait_gone("What happened, why, what to do");
    terminal.keys("k");

    std::fs::write(own.join("config.yaml"), "record:\n  limit: many\n").unwrap();
    terminal.wait("record.limit");
    terminal.keys("w");
    terminal.wait("The settings before stay in force until then.");
    terminal.keys("\u{1b}");
    terminal.wait_gone("What happened, why, what to do");
    terminal.keys("k");
    std::fs::write(own.join("config.yaml"), "record:\n  limit: 3\nwatch:\n  poll_ms: 500\ntui:\n  glyphs: ascii\n").unwrap();
    terminal.wait("Settings read again: record.limit, tui.glyphs.");
    terminal.wait("Changed, and used from the next start on: watch.poll_ms.");
    terminal.wait_until("ascii signs", |screen| screen.is_ascii());

    terminal.keys("\u{11}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_live_recording_is_opened_stopped_and_found_again_from_the_log() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["trust"]).0, 0);
    place.save("serve.py", "import time\nfrom decimal import Decimal\nfrom shop.pricing import tax_for, shipping_for\ntax_for(Decimal(\"10\"), \"FR\")\nshipping_for(Decimal(\"10\"), \"FR\")\nprint(\"ready\", flush=True)\ntime.sleep(600)\n");
    let mut terminal = Terminal::start(&place, &[], 100, 30);
    terminal.wait("Nothing recorded");
    terminal.keys("!\u{15}python serve.py\r");
    terminal.wait("Recording python serve.py");
    terminal.keys("4");
    terminal.wait_until("live calls", |screen| screen.contains("1 recording live") && screen.contains("output  ready"));
    terminal.keys("\r");
    terminal.wait_until("its calls", |screen| screen.contains("shipping_for(") && screen.contains("tax_for("));
    terminal.keys("\u{1b}[Z");
    terminal.wait("python serve.py");
    terminal.keys("x");
    terminal.wait_until("its end", |screen| !screen.contains("recording live") && screen.contains("SIG"));

    terminal.keys("5f");
    terminal.wait("Filter the log");
    terminal.keys("is:started\r");
    terminal.wait("1 of ");
    terminal.keys("\r");
    terminal.wait_until("the calls of the recording", |screen| screen.contains("[4 Runs") && screen.contains("shipping_for("));
    // From a call to the recorded calls of its function, and back.
    terminal.keys("\r");
    terminal.wait_until("a function's calls", |screen| screen.contains("[1 Review") && screen.contains("[Calls]"));
    terminal.keys("b");
    terminal.wait("[4 Runs");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn while_watch_is_paused_the_files_that_wait_are_counted_and_named() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("Nothing recorded");
    terminal.wait("watch on");
    terminal.keys("p");
    terminal.wait("watch paused");
    place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
    terminal.wait("1 file waits. w names it");
    terminal.keys("w");
    terminal.wait_until("its name", |screen| screen.contains("Why") && screen.contains("shop/pricing.py"));
    terminal.keys("\u{1b}");
    terminal.wait_gone("Esc close");
    terminal.keys("p");
    terminal.wait("watch on");
    terminal.keys("5");
    terminal.wait("shipping_for changed");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
