//! Terminals that are none, are dumb, shrink and grow; pipes that close; and two workbenches at once.

use super::{has, shop_with_a_draft};
use crate::harness::{Place, Terminal};

#[test]
fn a_dumb_terminal_is_told_what_to_use() {
    let place = Place::example("shop");
    let mut terminal = Terminal::shell(&place, "TERM=dumb \"$PYTEAD\"; echo \"left with $?\"; read -r stay", 200, 10);
    let screen = terminal.wait("left with 3");
    has(&screen, &["The workbench cannot draw on this terminal. TERM is dumb", "review asks line by line"]);
    assert!(!terminal.raw().contains(&0x1b), "nothing but text was sent");
    terminal.keys("\r");
}

#[test]
fn a_workbench_whose_output_is_a_pipe_says_what_to_use() {
    let place = Place::example("shop");
    let script = "\"$PYTEAD\" | cat; \"$PYTEAD\" </dev/null; echo over; read -r stay";
    let mut terminal = Terminal::shell(&place, script, 200, 10);
    let screen = terminal.wait("over");
    assert_eq!(screen.matches("The workbench needs a terminal on stdin and stdout.").count(), 2, "{screen}");
    terminal.keys("\r");
}

#[test]
fn a_reader_that_goes_away_is_no_accident() {
    let place = shop_with_a_draft();
    for verb in ["index --format json", "review --list", "gen tax_for", "config show", "--help", "doctor", "completions bash"] {
        let script = format!("{{ \"$PYTEAD\" --trust {verb}; echo \"$?\" >&2; }} | true");
        let output = place
            .command(&[])
            .get_envs()
            .fold(std::process::Command::new("sh").env_clear(), |command, (name, value)| {
                command.env(name, value.unwrap_or_default())
            })
            .args(["-c", &script])
            .env("PYTEAD", env!("CARGO_BIN_EXE_pytead-tui"))
            .current_dir(place.root())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err.trim(), "0", "{verb}");
    }
}

#[test]
fn a_damaged_database_is_said_on_the_screen() {
    let place = shop_with_a_draft();
    let garbage = b"not a database at all, and longer than a header".repeat(40);
    std::fs::write(place.root().join(".pytead/pytead.db"), garbage).unwrap();
    let mut terminal = Terminal::start(&place, &["--trust"], 140, 30);
    terminal.wait("pytead.db was damaged.");
    terminal.keys("5");
    let screen = terminal.wait("Record again what you need");
    has(&screen, &["pytead.db.damaged"]);
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn two_workbenches_on_one_project_see_each_others_decisions() {
    let place = shop_with_a_draft();
    let mut one = Terminal::start(&place, &["--trust"], 140, 40);
    one.wait("Review 1");
    let mut other = Terminal::start(&place, &["--trust"], 140, 40);
    other.wait("Review 1");
    other.keys("r");
    other.wait_until("an empty queue", |screen| !screen.contains("Review 1"));
    one.wait_until("an empty queue here too", |screen| !screen.contains("Review 1"));
    for terminal in [&mut other, &mut one] {
        terminal.keys("q");
        assert_eq!(terminal.end(), 0);
    }
}

#[test]
fn no_size_a_terminal_takes_in_a_storm_of_sizes_ends_the_workbench() {
    let place = shop_with_a_draft();
    let mut terminal = Terminal::start(&place, &["--trust"], 120, 40);
    terminal.wait("Review 1");
    let sizes =
        [(1, 1), (200, 60), (2, 50), (300, 3), (40, 10), (39, 10), (40, 9), (80, 24), (10, 200), (160, 45), (5, 5), (61, 17)];
    for round in 0..8 {
        for (index, (columns, rows)) in sizes.into_iter().enumerate() {
            terminal.resize(columns, rows);
            terminal.keys(["j", "k", "\t", "4", "1", "J"][(round + index) % 6]);
        }
    }
    terminal.resize(120, 40);
    terminal.wait_until("all of the last size", |screen| {
        let lines: Vec<&str> = screen.lines().collect();
        lines.len() > 38 && lines[0].contains(" pytead ") && lines[0].trim_end().chars().count() > 100
    });
    terminal.keys("5");
    terminal.wait("[5 Log]");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
}
