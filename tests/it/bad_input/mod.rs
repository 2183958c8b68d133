//! Bad input on the real binary: each gets a sentence with what, why and what to do; nothing is lost, nothing panics.
#![allow(clippy::print_stderr)]

mod disk;
mod ends;
mod folders;
mod hostile;
mod places;
mod python;
mod screen;

use crate::harness::Place;

/// Runs the binary and gives its exit code and what it said on the error stream.
fn said(place: &Place, args: &[&str]) -> (i32, String) {
    outcome(place.command(args))
}

/// Runs a command and gives its exit code and what it said on the error stream; nothing of ours panics, ever.
fn outcome(mut command: std::process::Command) -> (i32, String) {
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!err.contains("panicked") && !out.contains("panicked"), "{out}\n{err}");
    (output.status.code().unwrap_or(-1), err.into_owned())
}

/// Asserts that a text has all of these.
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// A shop with its tests recorded and a draft for `tax_for` that waits.
fn shop_with_a_draft() -> Place {
    Place::prepared("shop-with-a-draft", || {
        let place = Place::recorded_shop();
        let (code, err) = said(&place, &["--trust", "gen", "tax_for"]);
        assert_eq!(code, 0, "{err}");
        place
    })
}
