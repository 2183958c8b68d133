//! The terminal is given back whatever happens, and a workbench that is killed loses no decision: on the real binary in a real
//! pseudo-terminal.

use crate::harness::{Place, Terminal, script};

const LEAVES: &str = "\u{1b}[?1049l";

fn raw(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.raw()).into_owned()
}

/// A trusted shop with proved drafts of three functions.
fn drafted() -> Place {
    Place::prepared("terminal", || {
        let place = Place::example("shop");
        for words in [&["trust"][..], &["run", "pytest", "-q"], &["gen", "tax_for", "round_price", "shipping_for"]] {
            let (code, out, err) = place.run(words);
            assert_eq!(code, 0, "{words:?}\n{out}{err}");
        }
        place
    })
}

#[test]
fn suspending_gives_the_shell_its_terminal_and_fg_brings_everything_back() {
    let place = drafted();
    let script = "set -m; \"$PYTEAD\"; stty -a | grep -o -- '-\\?icanon'; echo the shell again; read -r go; fg; echo \"left with $?\"; read -r stay";
    let mut terminal = Terminal::shell(&place, script, 120, 35);
    terminal.wait("✓ passes");
    terminal.keys("\u{1a}");
    let screen = terminal.wait("the shell again");
    assert!(screen.contains("icanon") && !screen.contains("-icanon"), "{screen}");
    terminal.keys("\r");
    terminal.wait("✓ passes");
    terminal.keys("?");
    terminal.wait("Keys here");
    terminal.keys("\u{1b}");
    terminal.wait_gone("Keys here");
    terminal.keys("q");
    terminal.wait("left with 0");
    terminal.keys("\r");
    terminal.end();
}

/// Reads a line from the terminal as an editor would its keys, then adds a test to the file that it was given.
const EDITOR: &str = r#"#!/bin/sh
for file; do :; done
echo in the editor
read -r word </dev/tty
printf '\n\ndef test_of_a_person():\n    assert str(round_price(Decimal("%s"))) == "2.00"\n' "$word" >>"$file"
"#;

#[test]
fn the_editor_gets_the_terminal_and_its_keys_and_what_it_wrote_is_proved() {
    let place = drafted();
    let editor = place.home().join("editor");
    script(&editor, EDITOR);
    let shell = format!("VISUAL='{}' exec \"$PYTEAD\"", editor.display());
    let mut terminal = Terminal::shell(&place, &shell, 160, 80);
    terminal.wait("✓ passes");
    terminal.keys("e");
    terminal.wait("in the editor");
    terminal.keys("1.999\r");
    terminal.wait_until("the edited draft, proved", |screen| {
        screen.contains("✓ passes") && screen.contains("test_of_a_person") && screen.contains("Ready")
    });
    terminal.keys("a");
    terminal.wait("Accepted");
    terminal.keys("q");
    assert_eq!(terminal.end(), 0);
    let tests = std::fs::read_dir(place.root().join("tests/pytead")).unwrap().flatten();
    let written: String = tests.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect();
    assert!(written.contains("def test_of_a_person"), "{written}");
}

/// The test below, run once more inside of a terminal, where it breaks.
const BREAK: &str = "PYTEAD_TEST_BREAK";

#[test]
fn a_panic_gives_the_terminal_back_and_is_read_on_it() {
    if std::env::var_os(BREAK).is_some() {
        let settings = pytead_tui::domain::settings::Settings::default().tui;
        let _screen = pytead_tui::tui::terminal::Screen::enter(&settings, None).unwrap();
        panic!("broken on purpose");
    }
    let place = Place::empty();
    let own = std::env::current_exe().unwrap();
    let script = format!(
        "stty -a > before; {BREAK}=1 '{}' --exact terminal::a_panic_gives_the_terminal_back_and_is_read_on_it --nocapture; stty -a > after; \
         cmp before after && echo same modes; read -r stay",
        own.display()
    );
    let mut terminal = Terminal::shell(&place, &script, 150, 30);
    let screen = terminal.wait("same modes");
    assert!(screen.contains("broken on purpose"), "{screen}");
    let raw = raw(&terminal);
    assert!(raw.contains("\u{1b}[?1049h") && raw.find(LEAVES) < raw.find("broken on purpose"), "{raw}");
    terminal.keys("\r");
    terminal.end();
}

#[test]
fn terminals_of_every_kind_show_the_queue_and_are_left_as_they_were() {
    let place = drafted();
    for kind in ["xterm", "screen-256color", "tmux-256color", "vt100", "linux", "xterm-kitty", "unheard-of"] {
        for more in ["", "NO_COLOR=1", "LANG=C LC_ALL=C", "SSH_CONNECTION='10.0.0.1 1 10.0.0.2 22'"] {
            let mut terminal = Terminal::shell(&place, &format!("{more} TERM={kind} exec \"$PYTEAD\""), 80, 24);
            terminal.wait("round_price");
            terminal.keys("q");
            assert_eq!(terminal.end(), 0, "{kind} {more}");
            assert!(raw(&terminal).contains(LEAVES), "{kind} {more}");
        }
    }
}

#[test]
fn a_workbench_that_is_killed_keeps_each_decision_that_it_told_and_half_a_file_of_none() {
    let place = drafted();
    // One for each that may be accepted before it is killed.
    assert_eq!(place.run(&["gen", "apply_discount"]).0, 0);
    // The first is killed once it has said so, the others earlier and earlier, in the middle of it.
    for wait in [None, Some(40), Some(15), Some(4), Some(0)] {
        let mut terminal = Terminal::start(&place, &[], 160, 80);
        terminal.wait_until("the queue", |screen| screen.contains("✓ passes") && screen.contains("in 2 files"));
        let accepted = accepted(&place);
        terminal.keys("a");
        match wait {
            None => drop(terminal.wait("Accepted")),
            Some(ms) => std::thread::sleep(std::time::Duration::from_millis(ms)),
        }
        let killed = std::process::Command::new("kill").args(["-KILL", &terminal.pid().to_string()]).status().unwrap();
        assert!(killed.success());
        terminal.end();
        // What a later start sees, which ends what was begun: file and manifest agree, and what was told can be taken back.
        let (code, out, err) = place.run(&["gen", "--check"]);
        assert_eq!(code, 0, "killed after {wait:?} ms: {out}{err}");
        let now = self::accepted(&place);
        if wait.is_none() {
            assert_eq!(now, accepted + 1, "the decision was told");
            let (code, out, err) = place.run(&["review", "--undo"]);
            assert_eq!(code, 0, "{out}{err}");
            assert_eq!(self::accepted(&place), accepted, "undone as a whole: {out}{err}");
        }
    }
}

/// Counts functions with an accepted test, by what was written; file and manifest have to agree.
fn accepted(place: &Place) -> usize {
    let folder = place.root().join("tests/pytead");
    let names = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        text.lines().filter_map(|line| line.strip_prefix("def ")?.split_once('(').map(|(name, _)| name.to_owned())).collect()
    };
    let tests = names("test_pytead_shop__pricing.py");
    let manifest = std::fs::read_to_string(folder.join("manifest.yaml")).unwrap_or_default();
    for test in &tests {
        assert!(manifest.contains(&format!("::{test}\"")), "{test} is in no manifest:\n{manifest}");
    }
    let functions: std::collections::BTreeSet<&str> =
        manifest.lines().filter_map(|line| line.split_once("\"function\":\"")?.1.split('"').next()).collect();
    assert_eq!(manifest.matches("\"state\":\"accepted\"").count(), tests.len(), "{manifest}");
    functions.len()
}
