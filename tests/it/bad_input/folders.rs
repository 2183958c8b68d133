//! Folders that cannot be written or read, and databases that cannot be used.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{has, outcome, said, shop_with_a_draft};
use crate::harness::Place;

/// Modes as they were come back at the end, so that the folder can be removed.
struct Closed(Vec<(PathBuf, u32)>);

impl Closed {
    /// Takes the right to write from a folder and all below it.
    fn to_writes(folder: &Path) -> Self {
        let mut closed = Self(Vec::new());
        closed.close(folder, 0o222);
        closed
    }

    /// Takes every right from a file.
    fn to_reads(file: &Path) -> Self {
        let mut closed = Self(Vec::new());
        closed.close(file, 0o777);
        closed
    }

    fn close(&mut self, path: &Path, rights: u32) {
        if path.is_dir() {
            std::fs::read_dir(path).unwrap().flatten().for_each(|entry| self.close(&entry.path(), rights));
        }
        let mode = path.metadata().unwrap().permissions().mode();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & !rights)).unwrap();
        self.0.push((path.to_owned(), mode));
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        for (path, mode) in self.0.iter().rev() {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(*mode));
        }
    }
}

/// Prepares the binary without root's right to pass over modes; `None`, with the reason printed, where it cannot be given up.
fn without_power(place: &Place, args: &[&str]) -> Option<Command> {
    let plain = place.command(args);
    if !rustix::process::geteuid().is_root() {
        return Some(plain);
    }
    let drop = ["--bounding-set=-all", "--inh-caps=-all"];
    if !Command::new("setpriv").args(drop).arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: run by root, and setpriv, which gives root's rights up, does not work here");
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(drop).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(place.root()).env_clear().envs(place.environment()).stdin(std::process::Stdio::null());
    Some(command)
}

#[test]
fn a_read_only_project_is_recorded_in_memory_and_stays_as_it_is() {
    let place = Place::example("shop");
    let _closed = Closed::to_writes(&place.root());
    let Some(command) = without_power(&place, &["--trust", "run", "main.py"]) else { return };
    let (code, err) = outcome(command);
    assert_eq!(code, 0, "{err}");
    has(&err, &[".pytead/pytead.db cannot be used:", "is gone when the program ends.", "Make .pytead a folder you can write"]);
    assert!(!place.root().join(".pytead").exists());
}

#[test]
fn what_waits_in_a_project_that_became_read_only_can_be_accepted_later() {
    let place = shop_with_a_draft();
    {
        let _closed = Closed::to_writes(&place.root());
        let Some(command) = without_power(&place, &["--trust", "review", "--accept", "all"]) else { return };
        let (code, err) = outcome(command);
        assert_eq!(code, 3, "{err}");
        has(
            &err,
            &[
                ".pytead/pytead.db cannot be written:",
                "It is only read",
                "is gone when the program ends.",
                "is read-only for you.",
            ],
        );
        // As without a database: what can be done without writing is done, and what is in it is there.
        let before = std::fs::read(place.root().join(".pytead/pytead.db")).unwrap();
        let (code, err) = outcome(without_power(&place, &["--trust", "run", "main.py"]).unwrap());
        assert_eq!(code, 0, "{err}");
        has(&err, &["is gone when the program ends."]);
        let listed = without_power(&place, &["--trust", "review", "--list"]).unwrap().output().unwrap();
        has(&String::from_utf8_lossy(&listed.stdout), &["draft", "tax_for"]);
        assert_eq!(std::fs::read(place.root().join(".pytead/pytead.db")).unwrap(), before);
    }
    {
        let _closed = Closed::to_writes(&place.root().join("tests"));
        let (code, err) = outcome(without_power(&place, &["--trust", "review", "--accept", "all"]).unwrap());
        assert_eq!(code, 3, "{err}");
        has(
            &err,
            &["Not written: tests/pytead", "is read-only for you.", "Nothing was decided. Make it writable, then accept again."],
        );
    }
    let (code, out, err) = place.run(&["--trust", "review", "--accept", "all"]);
    assert_eq!(code, 0, "{err}");
    has(&out, &["Accepted tax_for"]);
    assert!(place.root().join("tests/pytead/test_pytead_shop__pricing.py").exists());
}

#[test]
fn an_unreadable_database_is_left_alone_and_named() {
    let place = shop_with_a_draft();
    let database = place.root().join(".pytead/pytead.db");
    {
        let _closed = Closed::to_reads(&database);
        let Some(command) = without_power(&place, &["--trust", "review", "--list"]) else { return };
        let (_, err) = outcome(command);
        has(&err, &[".pytead/pytead.db cannot be used:", "Make .pytead a folder you can write"]);
    }
    let (_, out, _) = place.run(&["--trust", "review", "--list"]);
    has(&out, &["draft", "tax_for"]);
}

#[test]
fn a_read_only_home_is_named_with_the_way_round_it() {
    let place = Place::example("shop");
    std::fs::remove_dir_all(place.home().join("cache")).unwrap();
    let closed = Closed::to_writes(&place.home());
    let Some(command) = without_power(&place, &["trust"]) else { return };
    let (code, err) = outcome(command);
    assert_eq!(code, 3, "{err}");
    has(&err, &["trust.yaml cannot be written.", "or use --trust, which remembers nothing."]);
    let (code, err) = outcome(without_power(&place, &["--trust", "run", "main.py"]).unwrap());
    assert_eq!(code, 3, "{err}");
    has(&err, &["The recorder could not be written to ~/cache/pytead-tui", "set XDG_CACHE_HOME to a folder you can write."]);
    drop(closed);
    assert_eq!(said(&place, &["--trust", "index"]).0, 0);
    let other = tempfile::tempdir().unwrap();
    let _closed = Closed::to_writes(&place.home());
    let mut command = without_power(&place, &["--trust", "run", "main.py"]).unwrap();
    command.env("XDG_CACHE_HOME", other.path());
    assert_eq!(outcome(command).0, 0);
}

#[test]
fn a_file_in_the_place_of_our_folder_is_named() {
    let place = Place::example("shop");
    std::fs::write(place.root().join(".pytead"), "").unwrap();
    let (code, err) = said(&place, &["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    has(&err, &[".pytead/pytead.db cannot be used: .pytead is no folder", "is gone when the program ends."]);
    assert_eq!(place.read(".pytead"), "");
}

#[test]
fn a_damaged_database_is_kept_aside_and_said() {
    let place = shop_with_a_draft();
    let folder = place.root().join(".pytead");
    let garbage = b"not a database at all, and longer than a header".repeat(40);
    std::fs::write(folder.join("pytead.db"), &garbage).unwrap();
    let (code, err) = said(&place, &["--trust", "index"]);
    assert_eq!(code, 0, "{err}");
    has(&err, &["pytead.db was damaged.", "It is kept as", "pytead.db.damaged", "Record again what you need"]);
    assert_eq!(std::fs::read(folder.join("pytead.db.damaged")).unwrap(), garbage);
    std::fs::write(folder.join("pytead.db"), &garbage).unwrap();
    let (code, out, _) = place.run(&["--trust", "--format", "json", "index"]);
    assert_eq!(code, 0);
    let first: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(first["event"], "failed", "{first}");
    assert!(folder.join("pytead.db.damaged.2").exists(), "the first one is not overwritten");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let place = shop_with_a_draft();
    let python = crate::harness::python_with_pytest();
    let raise = "import sqlite3; c = sqlite3.connect('.pytead/pytead.db'); c.execute('pragma user_version = 999'); c.commit()";
    assert!(Command::new(python).args(["-c", raise]).current_dir(place.root()).status().unwrap().success());
    let before = std::fs::read(place.root().join(".pytead/pytead.db")).unwrap();
    for args in [&["index"][..], &["run", "main.py"], &["gen"], &["review", "--list"]] {
        let (code, err) = said(&place, &[&["--trust"], args].concat());
        assert_eq!(code, 3, "{args:?}: {err}");
        has(&err, &["was written by a newer pytead-tui.", "Update pytead-tui, or move the file away."]);
    }
    let (code, out, _) = place.run(&["--trust", "doctor"]);
    assert_eq!(code, 3);
    has(&out, &["✗ database", "was written by a newer pytead-tui."]);
    assert_eq!(std::fs::read(place.root().join(".pytead/pytead.db")).unwrap(), before);
}

#[test]
fn a_database_of_somebody_else_is_only_read() {
    let place = shop_with_a_draft();
    std::fs::remove_dir_all(place.home().join("state")).unwrap();
    let (code, err) = said(&place, &["--trust", "review", "--accept", "all"]);
    assert_eq!(code, 3, "{err}");
    has(&err, &["was not made by you on this machine.", "Move it away to begin a new one."]);
    assert!(!place.root().join("tests/pytead").exists());
}
