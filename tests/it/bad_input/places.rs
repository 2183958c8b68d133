//! What stands in the place of folders and files of a project, and what a machine lets a process open.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{has, outcome, said, shop_with_a_draft};
use crate::harness::Place;

fn pipe(at: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

#[test]
fn a_link_in_the_place_of_an_output_leads_nowhere() {
    let place = shop_with_a_draft();
    let outside = place.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("precious"), "1").unwrap();
    symlink(&outside, place.root().join("out")).unwrap();
    symlink(outside.join("precious"), place.root().join("file")).unwrap();
    for args in [
        &["types", "-d", "out"][..],
        &["types", "-d", "out/deep"],
        &["gen", "-d", "out", "tax_for"],
        &["gen", "-o", "out/test_it.py", "tax_for"],
        &["gen", "-o", "file", "tax_for"],
        &["run", "--events", "out/events", "main.py"],
        &["run", "--events", "file", "main.py"],
    ] {
        let (code, err) = said(&place, &[&["--trust"], args].concat());
        assert!([2, 3].contains(&code), "{args:?}: {code} {err}");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "{args:?}: {err}");
        assert_eq!(std::fs::read_to_string(outside.join("precious")).unwrap(), "1", "{args:?}");
    }
    // Outside of the project a path is the person's own word, through links of theirs, too.
    let own = place.home().join("own");
    symlink(&outside, &own).unwrap();
    for (args, made) in [
        (&["types", "-d", own.to_str().unwrap()][..], "shop/pricing.pyi"),
        (&["gen", "-d", own.to_str().unwrap(), "tax_for"], "test_pytead_shop__pricing.py"),
    ] {
        let (code, err) = said(&place, &[&["--trust"], args].concat());
        assert_eq!(code, 0, "{args:?}: {err}");
        assert!(outside.join(made).is_file(), "{args:?}");
    }
    let (code, err) = said(&place, &["--trust", "types", "-d", "typings"]);
    assert_eq!(code, 0, "{err}");
    assert!(place.root().join("typings/shop/pricing.pyi").is_file());
}

#[test]
fn a_pipe_in_the_place_of_a_file_ends_in_a_sentence_and_not_in_a_wait() {
    let place = Place::recorded_shop();
    place.commit();
    for file in [".pytead/.gitignore", ".git/config"] {
        let at = place.root().join(file);
        let kept = std::fs::read(&at).unwrap();
        std::fs::remove_file(&at).unwrap();
        pipe(&at);
        let began = Instant::now();
        let (_, err) = said(&place, &["--trust", "diff"]);
        assert!(began.elapsed() < Duration::from_secs(60), "{file}: {err}");
        has(&err, &["git does not answer."]);
        std::fs::remove_file(&at).unwrap();
        std::fs::write(&at, kept).unwrap();
    }
}

#[test]
fn few_file_descriptors_end_in_a_sentence() {
    let place = Place::recorded_shop();
    for limit in ["8", "12", "24"] {
        for verb in ["doctor", "review --list", "mcp"] {
            let plain = place.command(&[]);
            let mut command = Command::new("/bin/sh");
            command.args(["-c", &format!("ulimit -n {limit}; exec \"$0\" {verb}")]).arg(plain.get_program());
            command.current_dir(place.root()).env_clear().envs(place.environment()).stdin(Stdio::null());
            let (code, err) = outcome(command);
            assert_eq!(code, 3, "{verb} with {limit}: {err}");
            has(&err, &["Too few files can be opened.", "ulimit -n"]);
        }
    }
}

/// Names the folders in a temporary folder.
fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn what_a_killed_call_left_in_the_temporary_folder_goes_with_the_next_one() {
    let place = shop_with_a_draft();
    let temporary = place.home().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let in_it = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("TMPDIR", &temporary).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut left = 0;
    for _ in 0..3 {
        let mut killed = in_it(&["--trust", "replay"]).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while names(&temporary).len() <= left && killed.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        killed.kill().unwrap();
        killed.wait().unwrap();
        left = left.max(names(&temporary).len());
    }
    assert!(left > 0, "nothing was there to be left");
    // One that works at the same time keeps its own.
    let held = tempfile::Builder::new().prefix("pytead-scratch-").tempdir_in(&temporary).unwrap();
    let lock = std::fs::File::open(held.path()).unwrap();
    lock.lock().unwrap();
    assert!(in_it(&["--trust", "doctor"]).status().unwrap().success());
    let own = held.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(names(&temporary), [own]);
}

#[test]
fn what_a_killed_test_with_an_intent_left_in_the_temporary_folder_goes_with_the_next_call() {
    let place = shop_with_a_draft();
    let temporary = place.home().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    place.save(
        "tests/test_killed.py",
        "import os, signal\n\nfrom pytead_tui import semantic_test\n\n\n@semantic_test(intent=\"Work out the tax.\")\ndef test_a():\n    \
         os.kill(os.getpid(), signal.SIGKILL)\n",
    );
    let temporary_folder = temporary.display().to_string();
    let in_it = |args: &[&str]| place.run_with(args, &[("TMPDIR", &temporary_folder)]);
    let (_, out, err) = in_it(&["--trust", "check", "tests/test_killed.py"]);
    assert!(!names(&temporary).is_empty(), "nothing was there to be left: {out}{err}");
    assert_eq!(in_it(&["--trust", "doctor"]).0, 0);
    assert_eq!(names(&temporary), [""; 0]);
}
