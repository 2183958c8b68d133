//! The pictures of README and docs, taken from the real binary at work: `PYTEAD_WRITE=1 cargo nextest run --test it pictures::
//! --run-ignored only` takes them anew. Ignored otherwise: times and numbers on them differ from run to run.

use std::path::Path;

use crate::harness::{Place, Terminal};

const SIZE: (u16, u16) = (150, 38);

/// Opens the workbench with all colours.
fn open(place: &Place) -> Terminal {
    Terminal::shell(place, "COLORTERM=truecolor PYTEAD_TUI_THEME=dark exec \"$PYTEAD\"", SIZE.0, SIZE.1)
}

/// A trusted shop whose tests were recorded, and drafts of them proved.
fn recorded() -> Place {
    let place = Place::example("shop");
    place.commit();
    for words in [&["trust"][..], &["run", "--", "pytest", "-q"], &["gen"]] {
        let (code, out, err) = place.run(words);
        assert_eq!(code, 0, "{words:?}\n{out}{err}");
    }
    place
}

/// Takes the picture once nothing is drawn any more, and not in the middle of a frame.
fn keep(terminal: &Terminal, name: &str, title: &str) {
    const FRAME_ENDS: &[u8] = b"\x1b[?2026l";
    let mut before = 0;
    loop {
        let drawn = terminal.raw();
        if drawn.len() == before && drawn.ends_with(FRAME_ENDS) {
            break;
        }
        before = drawn.len();
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    if std::env::var_os("PYTEAD_WRITE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.svg")), terminal.picture(title)).unwrap();
    }
}

#[test]
#[ignore = "takes pictures"]
fn review() {
    let place = recorded();
    let mut terminal = open(&place);
    terminal.wait("✓ passes");
    terminal.keys("fshipping_for\rJ");
    terminal.wait("test for shop.pricing:shipping_for");
    terminal.wait("parametrize");
    keep(&terminal, "review", "A drafted test of shipping_for beside its source and the calls it was recorded with");

    terminal.keys("F4");
    terminal.wait("[4 Runs");
    terminal.wait("kept call");
    keep(&terminal, "runs", "Recordings and jobs, and the calls of a recording, one inside the other");
    terminal.keys("q");
    terminal.end();
}

/// From nothing to the first proved draft with three keys, as it looks.
#[test]
#[ignore = "takes pictures"]
fn first_thirty_seconds() {
    let place = Place::example("shop");
    // A folder with a name that people have.
    let begin = "cp -r . \"$HOME/shop\" && cd \"$HOME/shop\" && COLORTERM=truecolor PYTEAD_TUI_THEME=dark exec \"$PYTEAD\"";
    let mut terminal = Terminal::shell(&place, begin, 110, 30);
    terminal.wait("Do you trust the code in");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.keys("t");
    terminal.wait("y trust it");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.keys("y");
    terminal.wait("pytest -q");
    std::thread::sleep(std::time::Duration::from_secs(1));
    terminal.keys("\r");
    terminal.wait("first draft");
    terminal.wait("✓ passes");
    std::thread::sleep(std::time::Duration::from_secs(1));
    let recording = terminal.recording();
    let title = "Three keys to a first proved test: t and y trust the folder, Enter records its tests, and a draft appears";
    let (cast, svg) = (recording.cast(title), recording.animated(title));
    assert!(svg.len() <= 400_000, "{} bytes", svg.len());
    if std::env::var_os("PYTEAD_WRITE").is_some() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/pictures");
        std::fs::write(folder.join("first-draft.cast"), cast).unwrap();
        std::fs::write(folder.join("first-draft.svg"), svg).unwrap();
    }
    terminal.keys("q");
    terminal.end();
}

#[test]
#[ignore = "takes pictures"]
fn watch_and_diff() {
    let place = recorded();
    let mut terminal = open(&place);
    terminal.wait("all fresh");
    place.edit("shop/pricing.py", "if total > FREE_FROM", "if total >= FREE_FROM");
    terminal.wait("2 changed");
    terminal.keys("fis:failing\r");
    // Which change comes first depends on the draft that was selected.
    let second = |screen: &str| screen.lines().nth(1).unwrap_or_default().to_owned();
    let mut line = second(&terminal.wait("is:faili"));
    while !line.contains("change  Cart.total") {
        terminal.keys("J");
        let before = line;
        line = second(&terminal.wait_until("another change", |screen| second(screen) != before));
    }
    terminal.wait("because");
    terminal.wait_gone("jobs run");
    keep(&terminal, "watch", "After a save: Cart.total gives 100.00 where it gave 104.90, and the edit that does it");

    terminal.keys("FD\r");
    terminal.wait("[6 Diff");
    terminal.wait_gone("Comparing with HEAD");
    terminal.wait_gone("jobs run");
    keep(&terminal, "diff", "What the change since the last commit does, side effects elsewhere first");

    terminal.keys("5");
    terminal.wait("[5 Log]");
    terminal.wait("saved");
    terminal.wait("replayed");
    keep(&terminal, "log", "What happened, the newest first; Enter opens what a line is about");
    terminal.keys("q");
    terminal.end();
}

#[test]
#[ignore = "takes pictures"]
fn specs() {
    let place = Place::empty();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/specs");
    for file in [
        "pyproject.toml",
        "service.py",
        "tests/llm/plugins/api.py",
        "tests/llm/test_users.yaml",
        "tests/llm/test_failing.yaml",
        "tests/llm/test_unclear.yaml",
    ] {
        place.save(file, &std::fs::read_to_string(fixture.join(file)).unwrap());
    }
    assert_eq!(place.run(&["trust"]).0, 0);
    let (code, out, err) = place.run(&["spec"]);
    assert_eq!(code, 1, "{out}{err}");
    let mut terminal = open(&place);
    terminal.wait("3 Specs");
    terminal.keys("3");
    terminal.wait("Says no");
    terminal.keys("\t.");
    terminal.wait("Create user");
    keep(&terminal, "specs", "A YAML test that fails: its steps with arguments, results and the check that is not met");
    terminal.keys("q");
    terminal.end();
}

#[test]
#[ignore = "takes pictures"]
fn failed_verdict() {
    let place = Place::example("shop");
    place.save("tests/test_intents.py", include_str!("../fixtures/shop_intents.py"));
    assert_eq!(place.run(&["trust"]).0, 0);
    let (first, last) = (
        "        self.database.save(address, name)\n        self.smtp.deliver(address, \"Welcome\", render(WELCOME, {\"name\": name}))\n",
        "        self.smtp.deliver(address, \"Welcome\", render(WELCOME, {\"name\": name}))\n        self.database.save(address, name)\n",
    );
    place.edit("shop/registration.py", first, last);
    let (code, out, err) = place.run(&["check", "tests/test_intents.py", "--", "-q"]);
    assert_eq!(code, 1, "{out}{err}");
    let mut terminal = open(&place);
    terminal.wait("2 Journeys 1✗");
    terminal.keys("2");
    terminal.wait("VIOLATED");
    terminal.keys(".\r");
    terminal.wait("evidence 1 of");
    keep(&terminal, "verdict", "A failed intent: the clause that is violated, and the call in the journey that shows it");
    terminal.keys("q");
    terminal.end();
}
