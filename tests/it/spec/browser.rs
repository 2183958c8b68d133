//! The example with a browser: a real Chromium on a page served on loopback. Skipped, with a sentence, where one of the two
//! programs that it needs is not here.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::Place;

/// A Python that has playwright: the one that `PYTEAD_PEER_PLAYWRIGHT` names, or the development environment's.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("PYTEAD_PEER_PLAYWRIGHT").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join(".venv/bin/python");
    let has =
        |python: &PathBuf| Command::new(python).args(["-c", "import playwright"]).output().is_ok_and(|out| out.status.success());
    [named, Some(own)].into_iter().flatten().find(has)
}

fn is_there(program: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {program}")]).output().is_ok_and(|out| out.status.success())
}

#[test]
#[allow(clippy::print_stderr)]
fn a_page_in_a_real_browser_is_tested_and_the_browser_is_gone_afterwards() {
    let Some(python) = python() else {
        eprintln!("skipped: no Python with playwright (PYTEAD_PEER_PLAYWRIGHT may name one)");
        return;
    };
    if !["chromium", "chromium-browser", "google-chrome"].into_iter().any(is_there) {
        eprintln!("skipped: no Chromium on the path (apt-get install chromium)");
        return;
    }
    let place = Place::example("browser");
    let python = python.display().to_string();
    let (code, out, err) = place.run(&["--trust", "--python", &python, "spec", "-v"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("1 YAML test: 1 passed.") && out.contains("[tool] page_click("), "{out}");
    let home = place.home().display().to_string();
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environ).contains(&home)
    });
    assert_eq!(left.count(), 0, "no browser is left");
    // What the page does wrong is told by the step that shows it.
    place.edit("page/index.html", "TEN: 0.1", "TEN: 0.2");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "spec"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("✗ The total has the discount") && out.contains("Total 160.00"), "{out}");
}
