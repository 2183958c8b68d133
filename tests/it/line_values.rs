//! What each line gave in the selected call, in the real workbench: the call runs again in the sandbox.

use crate::harness::{Place, Terminal};

/// Goes to a function by its name, with its source in front.
fn go_to(terminal: &mut Terminal, name: &str) {
    terminal.keys("@");
    terminal.wait("Go to");
    terminal.keys(name);
    terminal.wait(name);
    terminal.keys("\r");
}

#[test]
fn the_source_shows_what_each_line_gave_and_where_an_exception_went() {
    let place = Place::recorded_shop();
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("watch on");
    go_to(&mut terminal, "apply_discount");
    // The source alone, with room behind its lines.
    terminal.keys("z");
    let screen = terminal.wait_until("the value of a line", |screen| screen.contains("(1 - rate)  Decimal("));
    assert!(screen.contains("call 1 of"), "{screen}");

    // An edit is followed as it is now.
    place.edit("shop/pricing.py", "amount = price * (1 - rate)", "amount = price * (1 - rate) * 3");
    terminal.wait_until("the edited line", |screen| screen.lines().any(|line| line.contains("(1 - rate) * 3  Decimal(")));
    place.edit("shop/pricing.py", "amount = price * (1 - rate) * 3", "amount = price * (1 - rate)");

    // The call that raises: the line, and what did not run.
    for _ in 0..20 {
        let screen = terminal.screen();
        if screen.contains("✗ ValueError(") {
            break;
        }
        terminal.keys("]");
        terminal.wait_until("another call", |now| now != screen);
    }
    let screen = terminal.wait_until("the raised exception", |screen| {
        screen.lines().any(|line| line.contains("raise ValueError") && line.contains("✗ ValueError("))
    });
    assert!(!screen.contains("(1 - rate)  Decimal("), "{screen}");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
