//! A disk that is full: as the project's folder, and as the home folder.

use std::path::Path;
use std::process::Command;

use super::{has, outcome};
use crate::harness::Place;

/// Many functions with long values: some megabytes of calls in a moment.
fn big_project() -> Place {
    let place = Place::empty();
    let functions: String = (0..120).map(|number| format!("def k{number}(i, s):\n    return [s, i] * 3\n\n")).collect();
    let names: Vec<String> = (0..120).map(|number| format!("k{number}")).collect();
    place.save("kept.py", &format!("{functions}ALL = [{}]\n", names.join(", ")));
    place.save(
        "main.py",
        "import sys\nfrom kept import ALL\n\nfor f in ALL:\n    for i in range(12):\n        f(i, 'y%d' % i * 400)\nprint('went on to its end')\nsys.exit(7)\n",
    );
    place
}

/// Prepares a shell script that runs in a mount namespace where `folder` lies on a disk of `size` with a copy of what was
/// in it; `None`, with the reason printed, where the kernel refuses mounts.
fn on_a_small_disk(place: &Place, folder: &Path, size: &str, script: &str) -> Option<Command> {
    let root = if rustix::process::geteuid().is_root() { &["-m"][..] } else { &["-Urm"] };
    let probe = Command::new("unshare").args(root).args(["mount", "-t", "tmpfs", "none", "/tmp"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this kernel lets nobody here mount a small disk");
        return None;
    }
    let set_up = r#"set -e
        copy=$(mktemp -d); cp -a "$FOLDER/." "$copy"
        mount -t tmpfs -o "size=$SIZE,mode=700" none "$FOLDER"
        cp -a "$copy/." "$FOLDER"; rm -rf "$copy"; cd "$PROJECT"
        fill() { dd if=/dev/zero of="$FOLDER/fill" bs=4k >/dev/null 2>&1 || true; }
        set +e
        "#;
    let mut command = Command::new("unshare");
    command.args(root).args(["sh", "-c", &format!("{set_up}{script}")]).env_clear().envs(place.environment());
    command.env("FOLDER", folder).env("SIZE", size).env("PROJECT", place.root());
    command.env("PYTEAD", env!("CARGO_BIN_EXE_pytead-tui")).stdin(std::process::Stdio::null());
    Some(command)
}

#[test]
fn a_program_goes_on_when_the_disk_is_full_and_the_gap_is_marked() {
    let place = big_project();
    let script = r#""$PYTEAD" --trust run main.py; echo "ended with $?" >&2"#;
    let Some(command) = on_a_small_disk(&place, &place.root(), "1500k", script) else { return };
    let (_, err) = outcome(command);
    has(&err, &["ended with 7", "left out: spool full or unwritable (1)."]);
    let kept = err.split(" kept with values").next().unwrap().rsplit('(').next().unwrap();
    assert!(!kept.is_empty() && kept != "0", "there was room for some of the calls: {err}");
}

#[test]
fn accepting_on_a_full_disk_says_so_and_works_once_there_is_room() {
    let place = Place::example("shop");
    let script = r#"{ "$PYTEAD" --trust run -- pytest -q -p no:cacheprovider && "$PYTEAD" --trust gen tax_for; } >/dev/null || exit 90
        fill
        "$PYTEAD" --trust review --accept all; echo "first $?" >&2
        "$PYTEAD" --trust run main.py; echo "run $?" >&2
        [ -e tests/pytead ] && exit 91
        rm fill
        "$PYTEAD" --trust review --accept all || exit 92
        grep -q 'def test_tax_for' tests/pytead/test_pytead_shop__pricing.py || exit 93
        "$PYTEAD" --trust replay tax_for || exit 94"#;
    let Some(command) = on_a_small_disk(&place, &place.root(), "12m", script) else { return };
    let (code, err) = outcome(command);
    assert_eq!(code, 0, "{err}");
    has(&err, &["first 3", "run 3", "disk", "with room on its disk"]);
}

#[test]
fn a_full_home_is_named_with_the_way_round_it() {
    let place = Place::example("shop");
    std::fs::remove_dir_all(place.home().join("cache")).unwrap();
    let script = r#"fill
        "$PYTEAD" trust; echo "trust $?" >&2
        "$PYTEAD" --trust run main.py; echo "run $?" >&2
        XDG_CACHE_HOME=$PROJECT/cache "$PYTEAD" --trust run main.py; echo "elsewhere $?" >&2"#;
    let Some(command) = on_a_small_disk(&place, &place.home(), "64k", script) else { return };
    let (_, err) = outcome(command);
    has(&err, &["trust 3", "trust.yaml cannot be written.", "run 3", "The recorder could not be written", "set XDG_CACHE_HOME"]);
    has(&err, &["elsewhere 0"]);
}
