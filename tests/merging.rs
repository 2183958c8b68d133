//! Work of two people that git merges, on the real binary: what both accepted is there, and nobody has to repair a file of ours.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use harness::Place;

const MODULES: [&str; 3] = ["bread", "cheese", "wine"];

/// A recorded project in git, whose two branches accepted the tests of neighbours in the manifest.
fn branches(attributes: &str) -> Place {
    let place = Place::empty();
    for module in MODULES {
        place.save(&format!("{module}.py"), "def price(pounds):\n    return pounds * 2\n\n\ndef name():\n    return 'it'\n");
    }
    place.save("main.py", "import bread, cheese, wine\nfor module in bread, cheese, wine:\n    module.price(3), module.name()\n");
    place.save(".gitattributes", attributes);
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    accept(&place, "wine:price");
    place.commit();
    place.git(&["branch", "theirs"]);
    accept(&place, "bread:price");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "bread"]);
    place.git(&["checkout", "-q", "theirs"]);
    accept(&place, "cheese:price");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "cheese"]);
    place
}

fn accept(place: &Place, function: &str) {
    let (code, out, err) = place.run(&["--trust", "gen", function, "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
}

fn merge(place: &Place) -> bool {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "-m", "both", "-"])
        .current_dir(place.root())
        .envs(place.environment());
    git.status().unwrap().success()
}

/// Every accepted test is one of ours, and what comes next is written with all of them.
fn stands(place: &Place) {
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
    accept(place, "bread:name");
    let manifest = place.read("tests/pytead/manifest.yaml");
    let named: Vec<&str> =
        manifest.lines().skip(1).filter_map(|line| line.split_once("test_pytead_")?.1.split('"').next()).collect();
    assert_eq!(named.len(), 4, "{manifest}");
    for test in ["bread.py::test_name", "bread.py::test_price", "cheese.py::test_price", "wine.py::test_price"] {
        assert!(named.iter().any(|name| name.starts_with(test)), "{test}: {manifest}");
    }
    let (code, out, err) = place.run(&["--trust", "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn manifests_merge_by_the_line_that_the_page_on_ci_names() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/ci.md")).unwrap();
    let line = page.lines().map(str::trim).find(|line| line.ends_with("manifest.yaml merge=union")).unwrap();
    let place = branches(&format!("{line}\n"));
    assert!(merge(&place), "{}", place.read("tests/pytead/manifest.yaml"));
    stands(&place);
}

#[test]
fn a_manifest_with_the_marks_of_a_conflict_is_read_as_both_sides() {
    let place = branches("");
    assert!(!merge(&place), "neighbours are a conflict for git");
    assert!(place.read("tests/pytead/manifest.yaml").contains("<<<<<<<"));
    stands(&place);
}
