//! Drafts that `q` interrupted: the next start goes on with what is missing, and says so.

use crate::harness::{Place, Terminal};

/// Functions whose recorded calls take their time when they run again, and took none in the program.
const SLOW: &str = "import time\n\nPAUSE = 0.3\n\n\ndef add(a, b):\n    time.sleep(PAUSE)\n    return a + b\n\n\n\
                    def twice(n):\n    return n * 2\n\n\ndef greet(name):\n    return \"hello \" + name\n";
const MAIN: &str =
    "import slow\n\nslow.PAUSE = 0\nfor n in range(20):\n    slow.add(n, 2.5)\n    slow.twice(n)\n    slow.greet(str(n))\n";

/// Records the program in the workbench, and leaves while its calls are tried.
fn interrupted() -> Place {
    let place = Place::empty();
    place.save("slow.py", SLOW);
    place.save("main.py", MAIN);
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("Nothing recorded");
    terminal.keys("!\u{15}python main.py\r");
    terminal.wait("first replay");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    place
}

#[test]
fn the_next_start_goes_on_with_the_drafts_that_q_interrupted() {
    let place = interrupted();
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("Going on with the drafts of the last session: 3 functions left. x cancels.");
    terminal.wait_until("its drafts", |screen| screen.contains("Review 2") || screen.contains("Review 3"));
    // Whatever is left is verified before the note of it goes.
    terminal.wait_until("all of them", |screen| screen.contains("Review 3"));
    // What is there of a recording is not made once more.
    terminal.keys("4");
    terminal.wait("[4 Runs");
    terminal.keys("t");
    terminal.wait_until("what is missing", |screen| screen.contains("missing of recording 1"));
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn drafts_that_x_cancelled_are_not_gone_on_with() {
    let place = interrupted();
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("Going on with the drafts of the last session");
    terminal.keys("4");
    terminal.wait("first replay");
    terminal.keys("x");
    terminal.wait("Stopped. t on a recording drafts what is missing of it.");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let mut terminal = Terminal::start(&place, &[], 120, 30);
    terminal.wait("watch on");
    terminal.wait("all fresh");
    terminal.keys("5");
    let screen = terminal.wait("[5 Log");
    assert!(!screen.contains("Going on"), "{screen}");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
