//! Files that are no code, on the real binary while it watches: what a save of them makes stale, and why.

use crate::harness::watch::Watch;
use crate::harness::{Place, Terminal};
use serde_json::Value;

const APP: &str = "from pathlib import Path\n\nHERE = Path(__file__).parent / 'data'\nTAX = int((HERE / 'tax.txt').read_text())\n\n\n\
     def rate():\n    return int((HERE / 'rates.txt').read_text())\n\n\ndef price(x):\n    return x * rate()\n\n\n\
     def names():\n    return sorted(path.name for path in (HERE / 'lists').iterdir())\n\n\n\
     def taxed(x):\n    return apart(x) + TAX\n\n\ndef apart(x):\n    return x\n";

const OTHER: &str = "def other(x):\n    return x\n";

/// A recorded project whose calls read files, each in its way.
fn recorded() -> Place {
    let place = Place::empty();
    for (path, text) in [
        ("app.py", APP),
        ("other.py", OTHER),
        ("data/rates.txt", "2"),
        ("data/tax.txt", "1"),
        ("data/lists/one", ""),
        ("data/nobody.txt", "1"),
        ("main.py", "import app, other\n\napp.price(2), app.price(3), app.names(), app.taxed(1), other.other(1)\n"),
    ] {
        place.save(path, text);
    }
    let (code, _, err) = place.run(&["--trust", "run", "--check", "--", "main.py"]);
    assert_eq!(code, 0, "{err}");
    place
}

/// What events say: why a file counts, which functions changed, how many calls were compared.
fn told(events: &[Value]) -> (String, Vec<String>, u64) {
    let of = |name: &'static str| events.iter().filter(move |event| event["event"] == name);
    let because = of("saved").filter_map(|event| event["because"].as_str()).collect::<Vec<_>>().join("; ");
    let mut changed: Vec<String> =
        of("behaviour_changed").chain(of("behaviour_restored")).map(|event| event["function"].as_str().unwrap().into()).collect();
    changed.sort();
    (because, changed, of("replayed").map(|event| event["calls"].as_u64().unwrap()).sum())
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn a_saved_file_is_told_with_the_calls_that_read_it_and_no_others_run() {
    let place = recorded();
    let watch = Watch::start(&place);
    place.save("data/rates.txt", "5");
    let (because, changed, calls) = told(&watch.until("replayed"));
    assert_eq!(because, "3 recorded calls read it");
    assert_eq!((changed, calls), (strings(&["app:price", "app:rate"]), 3));

    // Deleted, and restored to what it was when it was recorded: known, so that nothing has to run.
    std::fs::remove_file(place.root().join("data/rates.txt")).unwrap();
    let (_, changed, _) = told(&watch.until("replayed"));
    assert_eq!(changed, strings(&["app:price", "app:rate"]), "it raises now");
    place.save("data/rates.txt", "2");
    let (_, changed, _) = told(&watch.until("replayed"));
    assert_eq!(changed, strings(&["app:price", "app:rate"]), "as before");

    // Of a folder that was listed the names count.
    place.save("data/lists/two", "");
    let (because, changed, calls) = told(&watch.until("replayed"));
    assert_eq!((because.as_str(), changed, calls), ("1 recorded call read it", strings(&["app:names"]), 1));
}

#[test]
fn a_file_that_no_call_reads_makes_nothing_run() {
    let place = recorded();
    let watch = Watch::start(&place);
    place.save("data/nobody.txt", "2");
    place.save("data/lists/one", "another content, the same name");
    place.save("other.py", &OTHER.replace("return x", "return x + 1"));
    let events = watch.until("replayed");
    let (because, changed, calls) = told(&events);
    assert_eq!((because.as_str(), changed, calls), ("", strings(&["other:other"]), 1), "{events:#?}");
}

#[test]
fn a_file_that_a_module_reads_on_import_concerns_all_that_use_the_module() {
    let place = recorded();
    let watch = Watch::start(&place);
    place.save("data/tax.txt", "4");
    let events = watch.until("replayed");
    let (because, changed, _) = told(&events);
    assert_eq!((because.as_str(), changed), ("app names it", strings(&["app:taxed"])));
    let functions: Vec<&str> = events.iter().filter_map(|event| event["function"].as_str()).collect();
    assert!(!functions.contains(&"other:other"), "{functions:?}");
}

#[test]
fn a_branch_that_changes_code_and_data_at_once_is_one_change() {
    let place = recorded();
    place.commit();
    place.git(&["checkout", "-q", "-b", "dearer"]);
    place.edit("app.py", "x * rate()", "x * rate() + 1");
    place.save("data/rates.txt", "5");
    place.git(&["commit", "-qam", "dearer"]);
    place.git(&["checkout", "-q", "-"]);
    let watch = Watch::start(&place);
    place.git(&["checkout", "-q", "dearer"]);
    let mut changed: Vec<String> = Vec::new();
    while changed.len() < 2 {
        changed.extend(told(&watch.until("replayed")).1);
    }
    assert_eq!(changed, strings(&["app:price", "app:rate"]));
}

#[test]
fn what_changed_while_nobody_watched_is_found_at_the_next_start() {
    let place = recorded();
    place.save("data/rates.txt", "5");
    place.save("data/tax.txt", "4");
    let (code, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 1, "{out}{err}");
    for told in ["app:price", "app:rate", "app:taxed", "because data/rates.txt, which its calls read", "because data/tax.txt"] {
        assert!(out.contains(told), "{told} in {out}");
    }
    place.save("data/rates.txt", "2");
    place.save("data/tax.txt", "1");
    assert_eq!(place.run(&["--trust", "replay"]).0, 0);
}

#[test]
fn what_changed_while_a_module_did_not_load_is_found_once_it_is_mended() {
    let place = recorded();
    place.save("shared.py", "def shared():\n    return 0\n");
    place.save("other.py", &format!("import shared\n\n\n{OTHER}"));
    let watch = Watch::start(&place);
    place.save("shared.py", "def (\n");
    place.save("other.py", &format!("import shared\n\n\n{}", OTHER.replace("return x", "return x + 1")));
    let (_, changed, _) = told(&watch.until("replayed"));
    assert_eq!(changed, strings(&[]), "nobody can tell");
    place.save("shared.py", "def shared():\n    return 0\n");
    let (_, changed, _) = told(&watch.until("replayed"));
    assert_eq!(changed, strings(&["other:other"]));
}

#[test]
fn the_workbench_says_which_file_is_behind_a_change() {
    let place = recorded();
    let (code, _, err) = place.run(&["trust"]);
    assert_eq!(code, 0, "{err}");
    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("watch on");
    place.save("data/rates.txt", "5");
    terminal.wait("data/rates.txt changed: 3 recorded calls read it");
    terminal.wait("2 changed");
    terminal.keys("1");
    terminal.wait("you changed data/rates.txt, which its calls read");
}

#[test]
fn a_change_of_configuration_has_drafts_proved_again_and_says_why() {
    let place = Place::recorded_shop();
    let (_, out, err) = place.run(&["--trust", "gen", "shop.pricing:shipping_for"]);
    assert!(out.contains("ready"), "{out}{err}");
    let watch = Watch::start(&place);
    // Comments mean nothing, and what says nothing about tests is not even looked at.
    place.save("notes.toml", "a = 1\n");
    place.save("tox.ini", "# Nothing yet.\n");
    place.save("tox.ini", "[pytest]\naddopts = -ra\n");
    let events = watch.until("saved");
    let because = told(&events).0;
    assert!(because.starts_with("it says how tests run: ") && because.contains("proved again"), "{because}");
    let ready = |event: &Value| event["event"] == "proposal_moved" && event["state"] == "ready";
    while !watch.until("proposal_moved").iter().any(ready) {}
}
